"""Collect the columns of a trace block by block, and sort them at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.plugins.profile.trace import CHROME, Allocations, Counter, Flows, Kind, Trace, Track

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import numpy.typing as npt

MAX_TIME = 1e18
"""µs; later times are damage."""


class TraceFormatError(ValueError):
    """Raised for a file that is not a trace; the message is one plain clause, whose subject is the file."""


class Block(NamedTuple):
    """Events of one block, in the order of the file; all columns have one length."""

    starts: npt.NDArray[np.float64]
    durations: npt.NDArray[np.float64]
    names: npt.NDArray[np.int32]
    kinds: npt.NDArray[np.int8]
    tracks: npt.NDArray[np.int32]
    locators: npt.NDArray[np.int64]
    """Numbers by which the reader of the format finds the events in the file again."""

    correlations: npt.NDArray[np.int64]
    external_ids: npt.NDArray[np.int64]
    occupancies: npt.NDArray[np.float32]
    blocks: npt.NDArray[np.float32]


class FlowEnd(NamedTuple):
    """One end of an arrow between two events."""

    time: float
    flow_id: int
    track: int
    is_end: bool
    is_backward: bool


class MemoryBlock(NamedTuple):
    """Allocations and deallocations; all columns have one length."""

    times: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.float64]
    """Bytes; NaN: the event is left out."""

    addresses: npt.NDArray[np.uint64]
    totals: npt.NDArray[np.float64]
    reserved: npt.NDArray[np.float64]
    devices: npt.NDArray[np.int16]
    """Numbers of `TraceColumns.memory_devices`."""

    tracks: npt.NDArray[np.int32]


_KINDS, _TRACKS = Block._fields.index("kinds"), Block._fields.index("tracks")
_TYPES = (np.float64, np.float64, np.int32, np.int8, np.int32, np.int64, np.int64, np.int64, np.float32, np.float32)
_MEMORY_TYPES = (np.float64, np.float64, np.uint64, np.float64, np.float64, np.int16, np.int32)
_NARROW = np.iinfo(np.int32)


class _GrowingColumn:
    """A column that grows in place. Whole numbers take 4 bytes as long as all fit.

    One large block of memory grows without a copy, and goes back to the system as a whole. Small arrays of each part
    between the objects of the decoder keep the memory of those from being freed: 240 MB rather than 130 for a trace of
    315 MB.
    """

    def __init__(self, kind: type[Any]) -> None:
        self._kind: type[Any] = np.int32 if kind is np.int64 else kind
        self._may_widen = kind is np.int64
        self._bytes = bytearray()

    def append(self, part: npt.NDArray[Any]) -> None:
        """Add a part."""
        if self._may_widen and len(part) and not (_NARROW.min <= part.min() and part.max() <= _NARROW.max):
            self._bytes = bytearray(self.values().astype(np.int64).tobytes())
            self._kind, self._may_widen = np.int64, False
        self._bytes += np.ascontiguousarray(part, self._kind).data.cast("B")

    def values(self) -> npt.NDArray[Any]:
        """Return the column; nothing can be added while the array exists."""
        return np.frombuffer(self._bytes, self._kind)

    def clear(self) -> None:
        """Free the memory."""
        self._bytes = bytearray()


class Interned:
    """Distinct values, numbered in the order in which they are added."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def number(self, value: Hashable) -> int:
        """Return the number of a value."""
        numbers = self.numbers
        return numbers.setdefault(value, len(numbers))


class TraceColumns:
    """The columns of a trace while it is read."""

    def __init__(self) -> None:
        self.names, self.track_keys = Interned(), Interned()
        self.tracks: dict[int, Track] = {}
        """Descriptions of tracks by number; a track without one is named by its key."""

        self._columns = [_GrowingColumn(kind) for kind in _TYPES]
        self._memory = [_GrowingColumn(kind) for kind in _MEMORY_TYPES]
        self.memory_devices = Interned()
        self.allocations: Allocations | None = None
        """All allocations, of a file that holds nothing else."""

        self.steps: dict[int, int] = {}
        """Numbers of steps by the locator of their event."""

        self.flows: list[FlowEnd] = []
        self.counters: dict[str, list[tuple[float, float]]] = {}
        self.head: Mapping[str, Any] = {}
        self.problems: list[str] = []
        self.lost = 0
        """Number of events that could not be read."""

        self.event_count = 0
        self.writer = CHROME

    def append(self, block: Block) -> None:
        """Add the events of a block."""
        columns: Sequence[npt.NDArray[Any]] = block
        for growing, column in zip(self._columns, columns, strict=True):
            growing.append(column)

    def append_memory(self, block: MemoryBlock) -> None:
        """Add allocations."""
        valid = np.flatnonzero(np.isfinite(block.times) & np.isfinite(block.sizes))
        columns: Sequence[npt.NDArray[Any]] = block
        for growing, column in zip(self._memory, columns, strict=True):
            growing.append(column[valid])

    def trace(self, *, is_complete: bool = True) -> Trace:
        """Return the events that were read so far, sorted; nothing can be added to a complete trace."""
        starts, lengths = self._columns[0].values(), self._columns[1].values()
        valid = np.isfinite(starts) & (np.abs(starts) < MAX_TIME) & ~(lengths >= MAX_TIME)
        is_counted = valid & (self._columns[_KINDS].values() != Kind.SPAN)
        origin = float(starts[is_counted].min()) if is_counted.any() else 0.0
        invalid = len(valid) - int(valid.sum())
        order = self._order(starts, lengths)
        if invalid:
            order = order[valid[order]]
        del starts, lengths, valid, is_counted
        # One column after the other, so that two copies exist of one column only.
        starts, ends, names, kinds, track_ids, locators, correlations, external_ids, occupancies, blocks = (
            self._sort_column(index, order, is_last=is_complete) for index in range(len(_TYPES))
        )
        starts -= origin
        ends[~(np.isfinite(ends) & (ends > 0))] = 0.0
        ends += starts
        tracks = self._build_tracks()
        return Trace(
            tuple(map(_to_text, self.names.numbers)),
            tracks,
            starts,
            ends,
            names,
            kinds,
            track_ids,
            locators,
            correlations,
            external_ids,
            occupancies,
            blocks,
            self._build_steps(locators, kinds),
            self._build_allocations(origin),
            self._build_flows(origin),
            tuple(_build_counter(name, points, origin) for name, points in self.counters.items()),
            origin,
            self.head,
            self._list_problems(invalid),
            self.event_count,
            is_complete,
            self.writer,
        )

    def _order(self, starts: npt.NDArray[np.float64], lengths: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
        """Return the order by track, start and decreasing end."""
        order = np.lexsort((-lengths, starts, self._columns[_TRACKS].values()))
        return order.astype(np.int32) if len(order) <= _NARROW.max else order

    def _sort_column(self, index: int, order: npt.NDArray[Any], *, is_last: bool) -> npt.NDArray[Any]:
        """Return a sorted column; the unsorted one is dropped if it is not needed again."""
        ordered: npt.NDArray[Any] = self._columns[index].values()[order]
        if is_last:
            self._columns[index].clear()
        return ordered

    def _build_tracks(self) -> tuple[Track, ...]:
        keys = self.track_keys.numbers
        return tuple(
            self.tracks.get(number) or Track(_to_text(key[0]), _to_text(key[1])) for key, number in keys.items()
        )

    def _build_steps(self, locators: npt.NDArray[Any], kinds: npt.NDArray[np.int8]) -> dict[int, int]:
        rows = np.flatnonzero(kinds == Kind.ANNOTATION)  # all events that mark a step
        numbers = (
            (row, self.steps.get(locator)) for row, locator in zip(rows.tolist(), locators[rows].tolist(), strict=True)
        )
        return {row: number for row, number in numbers if number is not None}

    def _list_problems(self, invalid: int) -> tuple[str, ...]:
        problems = list(self.problems)
        if self.lost:
            problems.append(f"{self.lost:,} events could not be read and are left out")
        if invalid:
            problems.append(f"{invalid:,} events have no valid time and are left out")
        return tuple(problems)

    def _build_allocations(self, origin: float) -> Allocations:
        if self.allocations is not None:
            return self.allocations
        times = self._memory[0].values()
        order = np.argsort(times, kind="stable")
        times, sizes, addresses, totals, reserved, devices, tracks = (column.values()[order] for column in self._memory)
        return Allocations(
            times - origin,
            sizes,
            addresses,
            totals,
            reserved,
            devices,
            tracks,
            tuple(self.memory_devices.numbers),
        )

    def _build_flows(self, origin: float) -> Flows:
        flows: Sequence[tuple[Any, ...]] = self.flows

        def column(index: int, kind: type[Any]) -> npt.NDArray[Any]:
            return np.array([flow[index] for flow in flows], kind)

        return Flows(
            column(0, np.float64) - origin,
            column(1, np.int64),
            column(2, np.int32),
            column(3, np.bool_),
            column(4, np.bool_),
        )


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _build_counter(name: str, points: Sequence[tuple[float, float]], origin: float) -> Counter:
    ordered = np.array(sorted(points), np.float64).reshape(-1, 2)
    return Counter(name, ordered[:, 0] - origin, ordered[:, 1])
