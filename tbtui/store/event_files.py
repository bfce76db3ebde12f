"""The event files of a run as columns. A run may have tens of thousands, and most readers need only their times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from tbtui.store.snapshot import EventFile

if TYPE_CHECKING:
    from collections.abc import Iterator


class FileColumns(NamedTuple):
    """Facts about n files that are well."""

    paths: Sequence[str]
    bytes: Sequence[int]
    records: Sequence[int]
    writers: Sequence[str | None]
    first_wall_times: Sequence[float | None]
    """Seconds since the epoch."""

    last_wall_times: Sequence[float | None]
    modified_ns: Sequence[int]
    """Time of the last modification, nanoseconds since the epoch."""


class EventFiles(Sequence[EventFile]):
    """Files of which each is created on first use; equal to a tuple of the same files."""

    __slots__ = ("_columns", "_others")

    def __init__(self, columns: FileColumns, others: Mapping[int, EventFile]) -> None:
        """Create the files.

        Args:
            columns: Facts about all files; those of the others are not used.
            others: Files with anything unusual, by index.
        """
        self._columns = columns
        self._others = others

    def __len__(self) -> int:
        return len(self._columns.paths)

    @overload
    def __getitem__(self, index: int) -> EventFile: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[EventFile, ...]: ...
    def __getitem__(self, index: int | slice) -> EventFile | tuple[EventFile, ...]:
        numbers = range(len(self))[index]
        return self._build_file(numbers) if isinstance(numbers, int) else tuple(map(self._build_file, numbers))

    def __iter__(self) -> Iterator[EventFile]:
        return map(self._build_file, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, EventFiles) and (self._columns, self._others) == (other._columns, other._others):
            return True
        return isinstance(other, (EventFiles, tuple)) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def _build_file(self, number: int) -> EventFile:
        other = self._others.get(number)
        if other is not None:
            return other
        paths, sizes, records, writers, firsts, lasts, modified = self._columns
        return EventFile(
            paths[number],
            sizes[number],
            records[number],
            writers[number],
            firsts[number],
            lasts[number],
            "ok",
            (),
            modified[number] / 1e9 or None,
        )

    @property
    def plain(self) -> FileColumns | None:
        """The columns if they are true for all files, whose state is `ok` then; else None."""
        return None if self._others else self._columns


def get_plain_columns(files: Sequence[EventFile]) -> FileColumns | None:
    """Return columns that are true for all files, whose state is `ok` then; else None."""
    return files.plain if isinstance(files, EventFiles) else None


def collect_first_wall_times(files: Sequence[EventFile]) -> Sequence[float | None]:
    """Return the wall time of the first event of each file, seconds since the epoch."""
    plain = get_plain_columns(files)
    return [file.first_wall_time for file in files] if plain is None else plain.first_wall_times


def collect_last_wall_times(files: Sequence[EventFile]) -> Sequence[float | None]:
    """Return the wall time of the last event of each file, seconds since the epoch."""
    plain = get_plain_columns(files)
    return [file.last_wall_time for file in files] if plain is None else plain.last_wall_times


def find_last_modification(files: Sequence[EventFile]) -> float | None:
    """Return the time of the last modification of any file, seconds since the epoch."""
    plain = get_plain_columns(files)
    if plain is None:
        return max((file.modified for file in files if file.modified is not None), default=None)
    return max(plain.modified_ns, default=0) / 1e9 or None


def select_troubled(files: Sequence[EventFile]) -> Sequence[EventFile]:
    """Return the files that may be in another state than `ok` or have no record."""
    plain = get_plain_columns(files)
    return files if plain is None or not all(plain.records) else ()
