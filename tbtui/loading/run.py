"""One run: read, kept up to date, and read again when its files were replaced."""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from typing import TYPE_CHECKING

from tbtui.loading.asset_files import FollowedAssets
from tbtui.loading.duplicate_files import (
    CopyDetector,
    FileDivision,
    has_temporary_name,
    may_hold_copies,
    read_size,
)
from tbtui.loading.run_reader import RunReader
from tbtui.loading.whole_run_reader import MAX_RUN_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tbtui.events.decoder import RunDecoder
    from tbtui.events.whole_run_decoder import WholeRun
    from tbtui.loading.asset_files import OwnedAsset
    from tbtui.loading.cache.format import RunIndex
    from tbtui.loading.cache.index_folder import RunIndexes
    from tbtui.loading.discovery import FoundRun
    from tbtui.loading.run_files import WholeFiles
    from tbtui.loading.state import FileProblem
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.store.staging import Store


FIRST_READ_BYTES = 64 << 10
"""Size of the first piece of each run, small so that all runs soon show something."""

MAX_READ_BYTES = 2 << 20

SHARED_READ_BYTES = 2 << 20
"""Runs up to this size are read in one piece while workers are running: the first piece would take half as long as
all of it.
"""

MAX_OTHER_VALUES = 100
"""Values of other kinds in a run that counts as one of scalars: protobuf decodes each of them, in about 20 µs."""

QUIET_SECONDS = 300.0
"""Writers flush every two minutes at the latest; a partial record that stays longer will hardly be completed."""


class RunLoader:
    """Follows the files of one run.

    When a reader becomes void, another one reads the files from the start; the old contents are shown until it has
    caught up.
    """

    def __init__(
        self,
        found: FoundRun,
        store: Store,
        new_decoder: Callable[[], RunDecoder],
        *,
        indexes: RunIndexes | None = None,
        status_of: Callable[[str], os.stat_result] = os.stat,
        now: Callable[[], float] = time.time,
        settle_seconds: float = 0.0,
        polls_later: bool = False,
    ) -> None:
        """Follow a run; the contents that the store has under its name stay until everything was read.

        Args:
            found: The run.
            store: Store that holds it.
            new_decoder: Returns a new decoder for each reader.
            indexes: Cache of run contents; None: no cache.
            status_of: Replacement of `os.stat` for tests.
            now: Seconds since the epoch.
            settle_seconds: Seconds without a change after which a changed profile or embedding is taken.
            polls_later: Poll its files when they are read. Until then the run counts as one without bytes.
        """
        self.name = found.name
        self.directory = found.directory
        self.next_poll = 0.0
        """Time of the next poll, on the clock of the owner."""

        self.vanished = False
        """True if its directory or files are gone."""

        self.passes = 0
        """Pieces read since it was last up to date; runs with fewer are read first."""

        self.was_assigned = False
        """True if it was assigned to a worker once."""

        self._store = store
        self._new_decoder = new_decoder
        self._indexes = indexes
        self._looked_up = indexes is None
        """True if the cache was consulted."""

        self._has_index: bool | None = None
        """True if the cache has an entry; None: unknown."""

        self._cached_bytes = 0
        """Bytes of its files that the cached index covers."""

        self._is_scalar = False
        """True if it was read as a whole and held hardly anything but scalars."""

        self._status_of = status_of
        self._paths = found.files
        self._copies = CopyDetector(status_of)
        self._is_divided = not may_hold_copies(found.files)
        """False while the files were not compared with each other: each counts as one that is read."""

        self._division = self._copies.divide(found.files) if self._is_divided else FileDivision(found.files)
        self._divided_sizes: list[int] = []
        """Sizes of the files when they were last divided."""

        self._assets = FollowedAssets(status_of=status_of, now=now, settle_seconds=settle_seconds)
        self._hidden = found.name in store
        self.modified = 0.0
        """Last modification of any of its files, in seconds since the epoch; thousands of runs are sorted by it."""

        self._reader = self._begin(polls_later=polls_later)

    @property
    def pending(self) -> bool:
        """True if there is more to read now."""
        return self._reader.pending

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of its files, also of those that are set aside."""
        return self._paths

    def has_path(self, path: str) -> bool:
        """Return True if a path is that of one of its files, also of one that is set aside."""
        index = bisect_left(self._paths, path)  # they are sorted
        return index < len(self._paths) and self._paths[index] == path

    @property
    def file_count(self) -> int:
        """Number of files to be read."""
        return len(self._division.read)

    @property
    def read_paths(self) -> tuple[str, ...]:
        """Paths of its files that are read."""
        self.compare_files()
        return self._division.read

    @property
    def is_settling(self) -> bool:
        """True if a profile or an embedding has changed and should be polled again soon."""
        return self._assets.is_settling

    @property
    def has_links(self) -> bool:
        """True if one of the files is a link: its directory does not report when the target grows."""
        return self._reader.has_links

    @property
    def progress(self) -> tuple[int, int]:
        """Bytes done and bytes in total."""
        return self._reader.progress

    @property
    def unread(self) -> int:
        """Bytes left to read; 0 while a cached index was not loaded."""
        if self._may_resume:
            return 0
        done, total = self.progress
        return total - done

    def put_paths(self, paths: tuple[str, ...]) -> bool:
        """Set the files that its directory currently has. Return True if that changed anything."""
        if paths == self._paths and not self._misses_file:
            return False
        self._paths = paths
        self._divide()
        return True

    def put_assets(self, owned: Sequence[OwnedAsset]) -> bool:
        """Set the files of profiles and embeddings that it currently has. Return True if that changed anything."""
        has_changed = self._assets.put(owned)
        self._reader.assets = self._assets.files
        self._update_modified()
        return has_changed

    def poll(self) -> bool:
        """Poll the files. Return True if one of them is gone and the directories should be walked."""
        self._reader.poll()
        misses_asset = self._assets.poll()
        self._reader.assets = self._assets.files
        self._update_modified()
        if self._copies.may_change and self._collect_sizes() != self._divided_sizes:
            before = self._division
            if self._copies.divide(self._paths) != before:
                self._divide()
            self._divided_sizes = self._collect_sizes()
        return self._misses_file or misses_asset

    def _collect_sizes(self) -> list[int]:
        """Return the sizes of all files in any fixed order; files that cannot be polled count as empty."""
        return [*self._reader.files.sizes] + [
            read_size(file.path, self._status_of) for file in self._division.set_aside
        ]

    def compare_files(self) -> None:
        """Find the files that are copies of others, unless that was done."""
        if not self._is_divided:
            self._is_divided = True
            if self._copies.divide(self._paths) != self._division:
                self._divide()

    def _divide(self) -> None:
        """Set the files that are read, and those that are set aside."""
        self._is_divided = True
        self._division = self._copies.divide(self._paths)
        self._reader.set_aside = self._division.set_aside
        self._reader.put_paths(self._division.read)
        self._update_modified()
        self._renew_if_void()

    def read(self, *, shared: bool = False) -> int:
        """Read one pending piece.

        Args:
            shared: Workers read in parallel with this loader, so all runs soon have something to show anyway.

        Returns:
            Upper bound of the bytes read.
        """
        self.poll_new()
        self.compare_files()
        if not self._looked_up:
            self._resume()
            return FIRST_READ_BYTES
        size = min(FIRST_READ_BYTES << (2 * self.passes), MAX_READ_BYTES)
        if shared and not self.passes and (unread := self.unread) <= SHARED_READ_BYTES:
            size = max(size, unread)
        self._reader.read(size)
        self._renew_if_void()
        self.passes = self.passes + 1 if self.pending else 0
        return size

    def can_read_whole(self) -> bool:
        """Return True if nothing of it was read, it is not cached, and it is small enough to be read at once."""
        if self.vanished or self.progress[1] > MAX_RUN_BYTES or self._may_resume:
            return False
        self._looked_up = True
        return self._reader.whole_files() is not None

    def whole_files(self) -> WholeFiles | None:
        """Return all files if nothing of them was read before; else None."""
        return self._reader.whole_files()

    def poll_new(self, statuses: Sequence[os.stat_result] | None = None) -> None:
        """Poll its files if that was left for later; `statuses` as for `RunFiles.poll_new`."""
        self._reader.poll_new(statuses)
        self._update_modified()

    @property
    def may_hold_copies(self) -> bool:
        """True if its files were not compared with each other."""
        return not self._is_divided

    def take_whole(self, contents: WholeRun) -> None:
        """Take over the content of all files, of which none is a copy of another one."""
        self._is_divided = True
        self._reader.take_whole(contents)
        others = sum(len(columns.steps) for columns, _ in contents.references.values())
        self._is_scalar = others <= MAX_OTHER_VALUES
        self.passes = 0

    def give_up(self) -> None:
        """Postpone what is pending after a `MemoryError` in `read`."""
        self._reader.give_up()
        self.passes = 0

    def take(self, index: RunIndex) -> bool:
        """Continue from the result of a worker. Return False if it is outdated or nothing is pending."""
        reading = self._begin() if self.pending else None
        if reading is None or not reading.resume(index):
            return False
        self._reader = reading
        self._looked_up = True
        self.passes = 0
        return True

    def unverified_bytes(self, *, partial: bool = True) -> int:
        """Return the number of bytes that `verification` compares."""
        return sum(file.unverified_bytes(partial=partial) for file in self._reader.files.followed)

    def verification(self, *, partial: bool = True) -> Iterator[int]:
        """Compare what was read with the checksums again, as `FollowedFile.verification` does for each file."""
        for file in self._reader.files.followed:
            yield from file.verification(partial=partial)

    def keep(self) -> None:
        """Write what was read to the cache, if enough of it is not cached yet."""
        read = self._reader.offset
        if (
            self._indexes is None
            or self.vanished
            or not self._indexes.is_due(read, self._cached_bytes, is_scalar=self._is_scalar)
        ):
            return
        index = self._reader.index()
        if index is not None:
            self._cached_bytes = read
            self._indexes.keep(self.read_paths, index)

    def snapshot(self) -> RunSnapshot | None:
        """Return a new snapshot of the run; None if the old one should stay."""
        if self._hidden and self.pending:
            return None
        self._hidden = False
        return self._reader.snapshot()

    def problems(self, now: float) -> Iterator[FileProblem]:
        """Yield the damage in its files for the damage list; `now` is in seconds since the epoch."""
        from tbtui.loading.state import FileProblem

        for file in self._reader.files.followed:
            problems = file.problems()
            is_quiet = bool(problems) and now - file.modified > QUIET_SECONDS
            for problem in problems:
                if problem != file.transient_problem or (is_quiet and not has_temporary_name(file.path)):
                    yield FileProblem(self.name, file.path, file.state, problem)

    @property
    def _may_resume(self) -> bool:
        """True if there is a cached index that was not loaded."""
        if self._looked_up or self._indexes is None:
            return False
        if self._has_index is None:
            self._has_index = self._indexes.may_find(self._division.read)
        return self._has_index

    @property
    def _misses_file(self) -> bool:
        """True if a file is missing for an unknown reason."""
        return self._reader.files.misses_file

    def _resume(self) -> None:
        """Load the cached index, if there is one."""
        self._looked_up = True
        index = self._indexes.find(self.read_paths) if self._indexes is not None else None
        if index is not None and self._reader.resume(index):
            self._cached_bytes = self._reader.offset

    def _begin(self, *, polls_later: bool = False) -> RunReader:
        stage, decoder = self._store.stage(self.name), self._new_decoder()
        reader = RunReader(self._division.read, stage, decoder, self._status_of, polls_later=polls_later)
        reader.set_aside = self._division.set_aside
        reader.assets = self._assets.files
        self.modified = max(reader.modified, self._assets.modified)
        return reader

    def _update_modified(self) -> None:
        self.modified = max(self._reader.modified, self._assets.modified)

    def _renew_if_void(self) -> None:
        if self._reader.void:
            self._hidden = True
            self._is_scalar = False
            self._cached_bytes = 0
            self._reader = self._begin()
