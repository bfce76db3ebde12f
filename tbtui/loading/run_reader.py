"""The files of one run, read as one stream of events and appended to its columns."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

from tbtui.loading.event_file import FollowedFile
from tbtui.loading.run_files import RunFiles
from tbtui.loading.tag_interning import intern_counts, intern_metadata, tag_list_of
from tbtui.store.scalar_table import ScalarTable
from tbtui.store.staging import REFERENCE_COLUMNS
from tbtui.tfrecord.reader import FileReplaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.events.block import EventBlock, TagInfo
    from tbtui.events.decoder import RunDecoder, TagProgress
    from tbtui.events.whole_run_decoder import WholeRun
    from tbtui.loading.cache.format import RunIndex
    from tbtui.loading.run_files import WholeFiles
    from tbtui.store.snapshot import AssetFile, EventFile, RunSnapshot, SetAsideFile
    from tbtui.store.staging import StagedRun


class RunReader:
    """Reads the files of a run as one stream of events into a stage.

    A reader only appends. It becomes void if this is impossible because a file was replaced, removed, or must be
    inserted before files that were read, or because a tag turns out to have other metadata; then the run needs a new
    reader.
    """

    def __init__(
        self,
        paths: tuple[str, ...],
        stage: StagedRun,
        decoder: RunDecoder,
        status_of: Callable[[str], os.stat_result],
        *,
        polls_later: bool = False,
    ) -> None:
        """Create a reader.

        Args:
            paths: Files of the run in stream order.
            stage: A fresh stage.
            decoder: A fresh decoder.
            status_of: `os.stat` or a replacement for tests.
            polls_later: Do not poll the files now. They are polled when they are read, or at first use.
        """
        self._stage = stage
        self._decoder = decoder
        self._status_of = status_of
        self.files = RunFiles(read_partial=decoder.read_partial, status_of=status_of)
        self.void = False
        self.modified = 0.0
        """Last modification of any file at the last poll, in seconds since the epoch."""

        self._link_count: tuple[int, int] = (0, 0)
        """Number of links, and of files among which they were counted."""

        self._progress: tuple[int, int] | None = None
        """The progress as far as it is known; None after a change."""

        self._given_up = False
        """True if reading stopped within a block, which cannot be continued."""

        self._appended = False
        self.set_aside: tuple[SetAsideFile, ...] = ()
        """Copies of the files, for the snapshot."""

        self.assets: tuple[AssetFile, ...] = ()
        """Files of profiles and embeddings, for the snapshot."""

        self._last_contents: tuple[Sequence[EventFile], tuple[SetAsideFile, ...], tuple[AssetFile, ...]] | None = None
        self._next = 0
        """Index of the first file that may have more to read, so that thousands of files are not polled each time."""

        if polls_later:
            self.files.extend(paths)
        else:
            self.put_paths(paths)

    @property
    def may_hold_copies(self) -> bool:
        """False: the files were compared by the loader that listed them. `WholeRunReader.read` needs it of any run."""
        return False

    def compare_files(self) -> None:
        """Do nothing: `RunLoader.compare_files` has found the copies."""

    def resume(self, index: RunIndex) -> bool:
        """Restore what an earlier program has read, before anything else is read.

        Returns:
            True if the files are still the same; otherwise nothing was restored.
        """
        count = len(index.files)
        if self._decoder.read_partial is None and not index.whole:
            return False
        if [file.path for file in index.files] != list(self.files.paths[:count]):
            return False
        resumed = [
            FollowedFile.restore(file, read_partial=self._decoder.read_partial, status_of=self._status_of)
            for file in index.files
        ]
        files = [file for file in resumed if file is not None]
        if len(files) < count:
            return False
        self.files.resume(files)
        self._next = 0
        self._progress = None
        self._decoder.learn(index.tags, partial(_progress_of, index.scalars, index.references), index.verified_files)
        self._stage.adopt(index.scalars, index.references)
        self._appended = True
        return True

    @property
    def has_links(self) -> bool:
        """True if one of the files is a link: its directory does not report when the target grows."""
        links, known = self._link_count
        if known < len(self.files):
            # Path.is_symlink raises in a directory without permission.
            links += sum(map(os.path.islink, self.files.paths[known:]))
            self._link_count = links, len(self.files)
        return links > 0

    def whole_files(self) -> WholeFiles | None:
        """Return all files if nothing of them was read before; else None."""
        return None if self.void or self._given_up or self._next else self.files.whole_files()

    def take_whole(self, contents: WholeRun) -> None:
        """Take over the content of all files, before anything else is read."""
        self.files.take_whole(contents.facts)
        references = {
            tag: (columns.steps, columns.wall_times, files, columns.offsets, columns.lengths, columns.indices)
            for tag, (columns, files) in contents.references.items()
        }
        tags = tag_list_of(contents.tags)
        counts = intern_counts(tags, contents.starts)
        table = ScalarTable(
            tags,
            counts.starts,
            contents.steps,
            contents.wall_times,
            contents.values,
            contents.files,
            counts,
            (contents.has_ascending_steps, contents.has_ascending_times, contents.has_rising_times),
        )
        verified = compress(range(len(self.files)), contents.facts.records)
        self._decoder.learn(contents.tags, partial(_progress_of, table, references), verified)
        self._stage.adopt(table, references)
        self._appended |= bool(len(table.steps) or references)
        self._next = len(self.files)
        self._progress = None

    def index(self) -> RunIndex | None:
        """Return the index for `resume`; None if reading is not complete."""
        from tbtui.loading.cache.format import RunIndex

        if self.void:
            return None
        files = [self.files[number].index() for number in range(len(self.files))]
        known = [index for index in files if index is not None]
        if len(known) < len(files):
            return None
        stage, decoder = self._stage, self._decoder
        return RunIndex(
            tuple(known),
            decoder.read_partial is None,
            tuple(sorted(decoder.verified_files)),
            decoder.tags,
            stage.table(),
            stage.references(),
        )

    @property
    def offset(self) -> int:
        """Bytes of all files whose records were read."""
        return self.files.offset

    @property
    def progress(self) -> tuple[int, int]:
        """Bytes done and bytes in total; cached, because it is read often, also of runs of thousands of files."""
        if self._progress is None:
            if not self.files.is_polled:
                return 0, 0
            is_read = self._next == len(self.files)
            total = sum(self.files.sizes)
            self._progress = total if is_read else self.files.consumed, total
        return self._progress

    @property
    def pending(self) -> bool:
        """True if there is more to read now."""
        self._next = self.files.find_pending(self._next)
        return self._next < len(self.files)

    def put_paths(self, paths: tuple[str, ...]) -> None:
        """Set the files that the directory currently has."""
        known = len(self.files)
        if list(paths[:known]) != self.files.paths:
            self.void = True
            return
        self.files.miss()
        self.files.extend(paths[known:])
        self.files.poll_new()
        # Poll the earlier files too: what a writer appended before it started another file must be read first.
        self.files.poll(known)
        self._note_poll()

    def poll_new(self, statuses: Sequence[os.stat_result] | None = None) -> None:
        """Poll the files if that was left for later; `statuses` as for `RunFiles.poll_new`."""
        if not self.files.is_polled:
            self.files.poll_new(statuses)
            self._note_poll()

    def poll(self) -> None:
        """Poll all files."""
        self.files.poll()
        self._note_poll()

    def _note_poll(self) -> None:
        self.modified = self.files.modified
        self._next = 0
        self._progress = None

    def read(self, max_bytes: int) -> None:
        """Read a piece of the first file that has more."""
        if not self.pending:
            return
        if self._given_up:
            self.void = True
            return
        self._progress = None
        number = self._next
        file = self.files[number]
        before = file.offset
        try:
            block = file.read(max_bytes)
        except FileReplaced:
            self.void = True
            return
        if block is None:
            return
        events = self._decoder.decode(block, number, partial(file.is_valid, block))
        if self._decoder.is_outdated:
            self.void = True
            return
        file.record_block(block, events)
        left = max(file.size - file.offset, 0)  # it may have grown since the poll
        self._append(number, events, following=left / max(file.offset - before, 1))

    def give_up(self) -> None:
        """Stop after a `MemoryError` in `read`; what was read is shown as incomplete."""
        self._given_up = True
        self._progress = None
        number = self._next
        while number < len(self.files):
            self.files[number].give_up()
            number = self.files.find_pending(number + 1)

    def snapshot(self) -> RunSnapshot | None:
        """Return a snapshot of what was read; None if nothing has changed since the last snapshot."""
        has_same_others = self._last_contents is not None and self._last_contents[1:] == (self.set_aside, self.assets)
        has_changed = self.files.take_change()
        if has_same_others and not self._appended and not has_changed:
            return None
        described = self.files.describe()
        if not self._appended and (described, self.set_aside, self.assets) == self._last_contents:
            return None
        self._appended = False
        self._last_contents = described, self.set_aside, self.assets
        self._stage.put_files(described)
        failures = self.files.failures
        unreadable = bool(failures) and len(failures) == len(described) and not any(file.records for file in described)
        snapshot = self._stage.snapshot(problem=failures[0] if unreadable else None)
        if self.set_aside or self.assets:
            snapshot = replace(snapshot, set_aside=self.set_aside, assets=self.assets)
        return snapshot

    def _append(self, file: int, events: EventBlock, *, following: float) -> None:
        """Append the contents of a block; about `following` times its size is still unread."""
        self._add_tags(events.new_tags)
        for tag, points in events.scalars.items():
            likely = int(following * len(points.steps))
            self._stage.append_scalars(tag, points.steps, points.wall_times, points.values, file=file, following=likely)
        for tag, values in events.references.items():
            self._stage.append_references(
                tag, file, values.steps, values.wall_times, values.offsets, values.lengths, values.indices
            )
        self._appended |= bool(events.scalars or events.references)

    def _add_tags(self, infos: Iterable[TagInfo]) -> None:
        for info in infos:
            self._stage.add_tag(info.tag, intern_metadata(info))


def _progress_of(table: ScalarTable, references: Mapping[str, tuple[npt.NDArray[Any], ...]]) -> TagProgress:
    """Return the file of the first point of each tag that has points, and the step of its last point."""
    from tbtui.events.decoder import TagProgress

    has_points = table.starts[1:] > table.starts[:-1]
    names = list(compress(table.tags.names, has_points.tolist()))
    starts, ends = table.starts[:-1][has_points], table.starts[1:][has_points]
    first_files = [0] * len(names) if table.files is None else table.files[starts].tolist()
    first, last = (
        dict(zip(names, first_files, strict=True)),
        dict(zip(names, table.steps[ends - 1].tolist(), strict=True)),
    )
    with_points = {tag: columns for tag, columns in references.items() if len(columns[0])}
    number = list(REFERENCE_COLUMNS).index("files")
    return TagProgress(
        first | {tag: columns[number].item(0) for tag, columns in with_points.items()},
        last | {tag: columns[0].item(-1) for tag, columns in with_points.items()},
    )
