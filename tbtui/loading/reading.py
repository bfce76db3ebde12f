"""One reading of a run: its files as one stream of events, from their first byte on."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from tbtui.loading.event_file import FollowedFile
from tbtui.records.reader import FileReplaced
from tbtui.store.snapshot import Metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tbtui.events.block import EventBlock, TagInfo
    from tbtui.events.decoder import RunDecoder
    from tbtui.loading.index.run_index import RunIndex
    from tbtui.store.snapshot import EventFile, RunSnapshot
    from tbtui.store.stage import StagedRun


class RunReading:
    """Reads the files of a run into a stage.

    A reading only ever adds. What cannot be added to it (a file was replaced or taken away, or belongs before others
    that were read already) makes it void: then the run needs a new reading.
    """

    def __init__(
        self,
        paths: tuple[str, ...],
        stage: StagedRun,
        decoder: RunDecoder,
        status_of: Callable[[str], os.stat_result],
    ) -> None:
        """Begin a reading.

        Args:
            paths: the run's files in the order of the stream.
            stage: a fresh one.
            decoder: a fresh one.
            status_of: `os.stat` or a stand-in.
        """
        self._stage = stage
        self._decoder = decoder
        self._status_of = status_of
        self.files: list[FollowedFile] = []
        self.void = False
        self.modified = 0.0
        """When one of the files was last written, seconds since the epoch, as seen at the last look."""

        self.has_links = False
        """One of the files is a link: nothing that happens in its directory tells when what it leads to grows."""

        self._given_up = False
        """Where it stopped only a part of a block may have been taken: it cannot be read on."""

        self._appended = False
        self._described: tuple[EventFile, ...] | None = None
        self._next = 0
        """No file before this one has more to read, so that each of thousands is asked once."""

        self._furthest = 0
        """The last file of which any has been read."""

        self.put_paths(paths)

    def resume(self, index: RunIndex) -> bool:
        """Begin with what an earlier program has read, in place of reading it; before anything else is read.

        Returns:
            Whether the files are still those that were read then; otherwise nothing has been taken over.
        """
        count = len(index.files)
        if self._decoder.outline is None and not index.whole:
            return False
        if tuple(file.path for file in index.files) != tuple(file.path for file in self.files[:count]):
            return False
        resumed = [
            FollowedFile.resumed(file, outline=self._decoder.outline, status_of=self._status_of) for file in index.files
        ]
        files = [file for file in resumed if file is not None]
        if len(files) < count:
            return False
        self.files[:count] = files
        self._next = 0
        held = {**index.scalars, **index.references}
        reached = {tag: columns[0][-1] for tag, columns in held.items() if len(columns[0])}
        self._decoder.learn(index.tags, reached, index.verified_files)
        self._add_tags(index.tags)
        self._stage.adopt(index.scalars, index.references)
        self._appended = True
        return True

    def index(self) -> RunIndex | None:
        """What has been read, for `resume`; None when something is still to be read or cannot be."""
        from tbtui.loading.index.run_index import RunIndex

        if self.void:
            return None
        files = [index for index in (file.index() for file in self.files) if index is not None]
        if len(files) < len(self.files):
            return None
        stage, decoder = self._stage, self._decoder
        return RunIndex(
            tuple(files),
            decoder.outline is None,
            tuple(sorted(decoder.verified_files)),
            decoder.tags,
            stage.scalars(),
            stage.references(),
        )

    @property
    def offset(self) -> int:
        """Bytes of all files whose records were read."""
        return sum(file.offset for file in self.files)

    @property
    def pending(self) -> bool:
        """There is more to read now."""
        while self._next < len(self.files) and not self.files[self._next].pending:
            self._next += 1
        return self._next < len(self.files)

    def put_paths(self, paths: tuple[str, ...]) -> None:
        """Tell which files the directory names now."""
        held = tuple(file.path for file in self.files)
        if paths[: len(held)] != held:
            self.void = True
            return
        for file in self.files:
            file.miss()
        for path in paths[len(held) :]:
            self.files.append(FollowedFile(path, outline=self._decoder.outline, status_of=self._status_of))
            self.has_links |= os.path.islink(path)  # noqa: PTH114 - that of a Path raises where it may not look
        # Also at those before: what a writer has added to the last file until it began another is to be read first.
        self.look()

    def look(self) -> None:
        """See which files have changed."""
        # The last one first: of what is in it, all that was written to others before is seen as well.
        for file in reversed(self.files):
            file.look()
        self.modified = max((file.modified for file in self.files), default=0.0)
        self._next = 0

    def read(self, max_bytes: int) -> None:
        """Read on in the first file that has more."""
        if not self.pending:
            return
        if self._given_up:
            self.void = True
            return
        number = self._next
        file = self.files[number]
        is_late = number < self._furthest and not file.caught_up
        before = file.offset
        try:
            block = file.read(max_bytes)
        except FileReplaced:
            self.void = True
            return
        if block is None:
            return
        if is_late:
            # It could not be read for a while. What it says belongs before what later files have said; appended now, it
            # would supersede that.
            self.void = True
            return
        if file.started:
            self._furthest = max(self._furthest, number)
        events = self._decoder.decode(block, number, partial(file.is_right, block))
        file.take(block, events)
        left = max(file.size - file.offset, 0)  # it may have grown since its size was looked at
        self._append(number, events, following=left / max(file.offset - before, 1))

    def give_up(self) -> None:
        """Stop in the middle of `read`, which found no memory: what was read so far is shown, and told to be a part."""
        self._given_up = True
        for number, file in enumerate(self.files):
            if file.pending or number == self._next:
                file.give_up()

    def commit(self) -> RunSnapshot | None:
        """What has been read so far; None when nothing has changed since the last commit."""
        described = tuple(file.describe() for file in self.files)
        if not self._appended and described == self._described:
            return None
        self._appended = False
        self._described = described
        self._stage.put_files(described)
        failures = [file.failure for file in self.files if file.failure is not None]
        unreadable = len(failures) == len(described) and not any(file.records for file in described)
        return self._stage.commit(problem=failures[0] if unreadable else None)

    def _append(self, file: int, events: EventBlock, *, following: float) -> None:
        """Add what a block says; `following` times as much of the file is still to be read."""
        self._add_tags(events.new_tags)
        for tag, points in events.scalars.items():
            likely = int(following * len(points.steps))
            self._stage.append_scalars(tag, points.steps, points.wall_times, points.values, following=likely)
        for tag, places in events.references.items():
            self._stage.append_references(
                tag, file, places.steps, places.wall_times, places.offsets, places.lengths, places.indices
            )
        self._appended |= bool(events.scalars or events.references)

    def _add_tags(self, infos: Iterable[TagInfo]) -> None:
        for info in infos:
            metadata = Metadata(info.plugin_name, info.content, info.data_class, info.display_name, info.description)
            self._stage.add_tag(info.tag, metadata)
