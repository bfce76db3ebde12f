"""One run that is followed: read, kept up to date, and read anew when its files were replaced."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tbtui.loading.reading import RunReading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tbtui.events.decoder import RunDecoder
    from tbtui.loading.discovery import FoundRun
    from tbtui.loading.index.again import RunIndexes
    from tbtui.loading.index.run_index import RunIndex
    from tbtui.loading.state import FileProblem
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.store.store import Store

FIRST_READ_BYTES = 64 << 10
"""So little is read of each run at first, so that all of them soon have something to show."""

LARGEST_READ_BYTES = 2 << 20

AT_ONCE_BYTES = 2 << 20
"""So much is read at once when others read beside this loader: of a small run the first piece takes half as long as all
of it."""

QUIET_SECONDS = 300.0
"""Writers flush every two minutes at the latest; a partial record that stays longer will hardly be completed."""

_PASSING = frozenset({"truncated", "empty"})
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

        self.lent = False
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
        size = min(FIRST_READ_BYTES << (2 * self.passes), LARGEST_READ_BYTES)
        if shared and not self.passes and (unread := self.unread) <= AT_ONCE_BYTES:
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
                if is_quiet or problem.kind not in _PASSING:
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

    def _begin(self) -> RunReading:
        return RunReading(self._paths, self._store.stage(self.name), self._new_decoder(), self._status_of)

    def _renew_if_void(self) -> None:
        if self._reading.void:
            self._hidden = True
            self._kept = 0
            self._reading = self._begin()
