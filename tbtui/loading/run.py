"""One run that is followed: read, kept up to date, and read anew when its files were replaced."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from tbtui.loading.event_file import FollowedFile
from tbtui.store.snapshot import Metadata
from tbtui.tfrecord.reader import FileReplaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tbtui.events.block import EventBlock, TagInfo
    from tbtui.events.decoder import RunDecoder
    from tbtui.loading.cache.format import RunIndex
    from tbtui.loading.cache.store import RunIndexes
    from tbtui.loading.discovery import FoundRun
    from tbtui.loading.state import FileProblem
    from tbtui.store.snapshot import EventFile, RunSnapshot
    from tbtui.store.staging import StagedRun, Store


# One reading of a run: its files as one stream of events, from their first byte on.


class RunReader:
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
        if self._decoder.read_partial is None and not index.whole:
            return False
        if tuple(file.path for file in index.files) != tuple(file.path for file in self.files[:count]):
            return False
        resumed = [
            FollowedFile.resumed(file, read_partial=self._decoder.read_partial, status_of=self._status_of)
            for file in index.files
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
        from tbtui.loading.cache.format import RunIndex

        if self.void:
            return None
        files = [index for index in (file.index() for file in self.files) if index is not None]
        if len(files) < len(self.files):
            return None
        stage, decoder = self._stage, self._decoder
        return RunIndex(
            tuple(files),
            decoder.read_partial is None,
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
            self.files.append(FollowedFile(path, read_partial=self._decoder.read_partial, status_of=self._status_of))
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
        events = self._decoder.decode(block, number, partial(file.is_valid, block))
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


FIRST_READ_BYTES = 64 << 10
"""So little is read of each run at first, so that all of them soon have something to show."""

MAX_READ_BYTES = 2 << 20

SHARED_READ_BYTES = 2 << 20
"""So much is read at once when others read beside this loader: of a small run the first piece takes half as long as all
of it."""

QUIET_SECONDS = 300.0
"""Writers flush every two minutes at the latest; a partial record that stays longer will hardly be completed."""

_TRANSIENT_PROBLEMS = frozenset({"truncated", "empty"})
"""Problems that a file being written has between two flushes."""


class RunLoader:
    """Follows the files of one run.

    When they can no longer be read on, a second reading begins from their first byte; what was shown stays until it
    has caught up.
    """

    def __init__(
        self,
        found: FoundRun,
        store: Store,
        new_decoder: Callable[[], RunDecoder],
        *,
        indexes: RunIndexes | None = None,
        status_of: Callable[[str], os.stat_result] = os.stat,
    ) -> None:
        """Begin to follow a run; what the store shows under its name stays until all of it has been read.

        Args:
            found: the run.
            store: where it is kept.
            new_decoder: makes a decoder for each reading.
            indexes: where what was read is kept for the next time; None: nowhere.
            status_of: a stand-in for `os.stat`.
        """
        self.name = found.name
        self.directory = found.directory
        self.next_look = 0.0
        """When its files are to be looked at again, on the clock of the owner."""

        self.vanished = False
        """Its directory or its files are gone."""

        self.passes = 0
        """Reads since it was last up to date: runs with fewer are served first."""

        self.was_assigned = False
        """It was lent to a worker once."""

        self._store = store
        self._new_decoder = new_decoder
        self._indexes = indexes
        self._looked_up = indexes is None
        """Whether an index was looked for."""

        self._has_index: bool | None = None
        """Whether there was one; None: not asked yet."""

        self._kept = 0
        """Bytes of its files that the index kept last knows."""

        self._status_of = status_of
        self._paths = found.files
        self._hidden = found.name in store.snapshot.runs
        self._reading = self._begin()

    @property
    def pending(self) -> bool:
        """There is more to read now."""
        return self._reading.pending

    @property
    def paths(self) -> tuple[str, ...]:
        """Its files."""
        return self._paths

    @property
    def modified(self) -> float:
        """When one of its files was last written, seconds since the epoch."""
        return self._reading.modified

    @property
    def has_links(self) -> bool:
        """One of its files is a link: nothing that happens in its directory tells when what it leads to grows."""
        return self._reading.has_links

    @property
    def progress(self) -> tuple[int, int]:
        """(bytes that need not be read any more, bytes in all)."""
        files = self._reading.files
        return sum(file.consumed for file in files), sum(file.size for file in files)

    @property
    def unread(self) -> int:
        """Bytes that are to be read, for all that is known: none while there is an index that was not looked into."""
        if self._may_resume:
            return 0
        done, total = self.progress
        return total - done

    def put_paths(self, paths: tuple[str, ...]) -> bool:
        """Tell which files its directory names now; True when that is news."""
        if paths == self._paths and not self._misses_file:
            return False
        self._paths = paths
        self._reading.put_paths(paths)
        self._renew_if_void()
        return True

    def look(self) -> bool:
        """See which files have changed; True when one of them is gone and its directory should be walked again."""
        self._reading.look()
        return self._misses_file

    def read(self, *, shared: bool = False) -> int:
        """Read one piece of what is pending.

        Args:
            shared: others read beside this loader, so that all runs soon have something to show anyway.

        Returns:
            At most how many bytes that were.
        """
        if not self._looked_up:
            self._resume()
            return FIRST_READ_BYTES
        size = min(FIRST_READ_BYTES << (2 * self.passes), MAX_READ_BYTES)
        if shared and not self.passes and (unread := self.unread) <= SHARED_READ_BYTES:
            size = max(size, unread)
        self._reading.read(size)
        self._renew_if_void()
        self.passes = self.passes + 1 if self.pending else 0
        return size

    def give_up(self) -> None:
        """Leave what is pending for later, when `read` found no memory for it."""
        self._reading.give_up()
        self.passes = 0

    def take(self, index: RunIndex) -> bool:
        """Go on from what a worker has read, when that is still in the files and there is more to read here."""
        reading = self._begin() if self.pending else None
        if reading is None or not reading.resume(index):
            return False
        self._reading = reading
        self._looked_up = True
        self.passes = 0
        return True

    def keep(self) -> None:
        """Keep what was read for the next program, when there is enough of it that is not kept yet."""
        read = self._reading.offset
        if self._indexes is None or self.vanished or not self._indexes.is_due(read, self._kept):
            return
        index = self._reading.index()
        if index is not None:
            self._kept = read
            self._indexes.keep(self._paths, index)

    def commit(self) -> RunSnapshot | None:
        """A new snapshot of the run; None when it is to be shown as before."""
        if self._hidden and self.pending:
            return None
        self._hidden = False
        return self._reading.commit()

    def problems(self, now: float) -> Iterator[FileProblem]:
        """What is wrong with its files, for the damage list; `now` in seconds since the epoch."""
        from tbtui.loading.state import FileProblem

        for file in self._reading.files:
            is_quiet = now - file.modified > QUIET_SECONDS
            described = file.describe()
            for problem in described.problems:
                if is_quiet or problem.kind not in _TRANSIENT_PROBLEMS:
                    yield FileProblem(self.name, described.path, described.state, problem)

    @property
    def _may_resume(self) -> bool:
        """Whether there is an index that was not looked into."""
        if self._looked_up or self._indexes is None:
            return False
        if self._has_index is None:
            self._has_index = self._indexes.may_find(self._paths)
        return self._has_index

    @property
    def _misses_file(self) -> bool:
        """A file is not there and it has not been found out why."""
        return any(file.gone and file.failure is None for file in self._reading.files)

    def _resume(self) -> None:
        """Begin with what an earlier program has kept, if it has."""
        self._looked_up = True
        index = self._indexes.find(self._paths) if self._indexes is not None else None
        if index is not None and self._reading.resume(index):
            self._kept = self._reading.offset

    def _begin(self) -> RunReader:
        return RunReader(self._paths, self._store.stage(self.name), self._new_decoder(), self._status_of)

    def _renew_if_void(self) -> None:
        if self._reading.void:
            self._hidden = True
            self._kept = 0
            self._reading = self._begin()
