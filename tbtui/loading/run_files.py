"""The event files of one run. Unchanged intact files are rows of columns; any other file is a `FollowedFile`.

A run may have tens of thousands of files, which were written once and never change. Such a file costs a path, a tuple,
and its facts in columns of the run. It becomes a `FollowedFile` when it has changed, is read piece by piece, or
is damaged or unusual.
"""

from __future__ import annotations

import os
import stat
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from tbtui.events.record_columns import NO_FACTS
from tbtui.loading.event_file import FollowedFile, signature_of
from tbtui.store.event_files import EventFiles, FileColumns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.events.record_columns import FileFacts
    from tbtui.loading.event_file import FileSignature
    from tbtui.store.snapshot import EventFile
    from tbtui.tfrecord.partial_records import PartialReader


class WholeFiles(NamedTuple):
    """Files that are read from their first byte to their last, as their last poll found them."""

    paths: Sequence[str]
    sizes: Sequence[int] | None
    """None if they were not polled yet."""


class RunFiles:
    """The files of a run in stream order."""

    def __init__(
        self, *, read_partial: PartialReader | None = None, status_of: Callable[[str], os.stat_result] = os.stat
    ) -> None:
        """Args: read_partial: as for `RecordReader`; status_of: a stand-in for `os.stat`."""
        self._read_partial = read_partial
        self._status_of = status_of
        self.paths: list[str] = []
        self._signatures: list[FileSignature] = []
        """Size and identity of each file at its last poll, before it became a `FollowedFile`."""

        self._facts = NO_FACTS
        """Facts about the files that were read as a whole, and empty ones of all others."""

        self._whole_count = 0
        """Number of files that were read as a whole: the first ones."""

        self._followed: dict[int, FollowedFile] = {}
        self._columns: FileColumns | None = None
        """Descriptions of all unchanged intact files, as `describe` returns them; None after a change."""

        self._has_changed = True
        """True if the description of such a file may have changed since `take_change`."""

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, number: int) -> FollowedFile:
        """Return a file; from then on it is a `FollowedFile`."""
        self.poll_new()
        file = self._followed.get(number)
        if file is None:
            file = FollowedFile.from_poll(
                self.paths[number],
                self._signatures[number],
                self._facts.of(number) if number < self._whole_count else None,
                read_partial=self._read_partial,
                status_of=self._status_of,
            )
            self._followed[number] = file
        return file

    @property
    def followed(self) -> list[FollowedFile]:
        """The files with a `FollowedFile` each; all others are intact and have not changed."""
        return [self._followed[number] for number in sorted(self._followed)]

    def resume(self, files: Sequence[FollowedFile]) -> None:
        """Replace the first files."""
        self.poll_new()
        self._followed.update(enumerate(files))

    def extend(self, paths: Sequence[str]) -> None:
        """Add files at the end, which are polled by `poll_new` or at first use."""
        # Snapshots hold these lists, so new ones are made.
        self.paths = [*self.paths, *paths]
        self._facts = self._facts.extended(len(paths))
        self._columns = None
        self._has_changed = True

    @property
    def is_polled(self) -> bool:
        """False if files were added and not polled since."""
        return len(self._signatures) == len(self.paths)

    def poll_new(self, statuses: Sequence[os.stat_result] | None = None) -> None:
        """Poll the added files from the last to the first.

        Args:
            statuses: Status of each of them, regular files that are not empty, if they were polled by the caller.
        """
        if self.is_polled:
            return
        if statuses is not None:
            self._signatures = [*self._signatures, *map(signature_of, statuses)]
            return
        begin = len(self._signatures)
        signatures: list[FileSignature] = []
        is_regular = stat.S_ISREG
        for number in reversed(range(begin, len(self.paths))):
            path = self.paths[number]
            try:
                status = self._status_of(path)
            except OSError:
                status = None
            if status is None or not status.st_size or not is_regular(status.st_mode):
                file = self._followed[number] = FollowedFile(
                    path, read_partial=self._read_partial, status_of=self._status_of
                )
                file.poll()
                signatures.append((0, 0, 0, 0, 0))
            else:
                signatures.append(signature_of(status))
        self._signatures = [*self._signatures, *reversed(signatures)]

    def poll(self, count: int | None = None) -> None:
        """Poll all files, or the first `count` of them, from the last to the first.

        The last file comes first, so that everything written to other files before its contents is seen as well.
        """
        count = len(self._signatures) if count is None else count
        self.poll_new()
        followed, paths, signatures, status_of = self._followed, self.paths, self._signatures, self._status_of
        for number in reversed(range(count)):
            if number in followed:
                followed[number].poll()
                continue
            try:
                status = status_of(paths[number])
            except OSError:
                self[number].poll()
                continue
            if signatures[number] != signature_of(status):
                self[number].note(status)

    def find_pending(self, start: int) -> int:
        """Return the first file from `start` that has more to read; the number of files if there is none."""
        followed, whole_count = self._followed, self._whole_count
        if not followed:
            return max(start, whole_count)
        for number in range(start, len(self.paths)):
            file = followed.get(number)
            if number >= whole_count if file is None else file.pending:
                return number
        return max(start, len(self.paths))

    def whole_files(self) -> WholeFiles | None:
        """Return all files if nothing of them was read before and all can be read; else None."""
        if self._whole_count or not self.paths or not all(file.is_fresh for file in self._followed.values()):
            return None
        return WholeFiles(self.paths, self.sizes if self.is_polled else None)

    def take_whole(self, facts: FileFacts) -> None:
        """Take over what was read of all files from their first bytes to their last."""
        for number, file in self._followed.items():
            file.take_whole(facts.of(number))
        self._facts = facts
        self._whole_count = len(self.paths)
        self._columns = None
        self._has_changed = True

    @property
    def sizes(self) -> Sequence[int]:
        """Size of each file in bytes at the last poll."""
        self.poll_new()
        sizes = list(map(itemgetter(2), self._signatures))
        for number, file in self._followed.items():
            sizes[number] = file.size
        return sizes

    @property
    def consumed(self) -> int:
        """Bytes that need no more reading, for the progress display."""
        return self._sum_whole() + sum(file.consumed for file in self._followed.values())

    @property
    def offset(self) -> int:
        """Bytes whose records were read."""
        return self._sum_whole() + sum(file.offset for file in self._followed.values())

    def _sum_whole(self) -> int:
        """Return the size of the files that were read as a whole and did not change since."""
        followed = self._followed
        sizes: list[int] = list(map(itemgetter(2), self._signatures[: self._whole_count]))
        return sum(sizes) - sum(sizes[number] for number in followed if number < self._whole_count)

    @property
    def modified(self) -> float:
        """Last modification of any file at the last poll, in seconds since the epoch; 0 without files."""
        self.poll_new()
        # The time of a followed file is that of its last poll: never earlier than the one noted here.
        modified_ns = max(map(itemgetter(3), self._signatures), default=0)
        return max(modified_ns / 1e9, max((file.modified for file in self._followed.values()), default=0.0))

    def take_change(self) -> bool:
        """Return True if a file may have another description than at the last call."""
        has_changed, self._has_changed = self._has_changed, False
        for file in self._followed.values():
            has_changed |= file.take_change()
        return has_changed

    def describe(self) -> Sequence[EventFile]:
        """Return the files as the store shows them."""
        self.poll_new()
        others = {number: file.describe() for number, file in self._followed.items()}
        if len(others) == len(self.paths):
            return tuple(others[number] for number in range(len(others)))
        if self._columns is None:
            signatures, facts = self._signatures, self._facts
            self._columns = FileColumns(
                self.paths,
                list(map(itemgetter(2), signatures)),
                facts.records,
                facts.writers,
                facts.first_wall_times,
                facts.last_wall_times,
                list(map(itemgetter(3), signatures)),
            )
        return EventFiles(self._columns, others)

    @property
    def failures(self) -> list[str]:
        """Reasons why files cannot be read."""
        return [file.failure for file in self.followed if file.failure is not None]

    @property
    def misses_file(self) -> bool:
        """True if a file is missing for an unknown reason."""
        return any(file.gone and file.failure is None for file in self._followed.values())

    def miss(self) -> None:
        """Record that the directory still lists the files; one that is gone is a broken link."""
        for file in self._followed.values():
            file.miss()
