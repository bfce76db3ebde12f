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


class Block(NamedTuple):
    """Events of one block, in the order of the file; all columns have one length."""

    starts: npt.NDArray[np.float64]
    durations: npt.NDArray[np.float64]
    names: npt.NDArray[np.int32]
    kinds: npt.NDArray[np.int8]
    tracks: npt.NDArray[np.int32]
    places: npt.NDArray[np.int64]
    correlations: npt.NDArray[np.int64]
    external_ids: npt.NDArray[np.int64]
    occupancies: npt.NDArray[np.float32]
    blocks: npt.NDArray[np.float32]


_TYPES = (
    np.float64,
    np.float64,
    np.int32,
    np.int8,
    np.int32,
    np.int64,
    np.int64,
    np.int64,
    np.float32,
    np.float32,
)


class Interned:
    """Distinct values, numbered in the order in which they came."""

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

        self._parts: list[list[npt.NDArray[Any]]] = [[] for _ in _TYPES]
        """Each column in parts."""

        self.steps: dict[int, int] = {}
        """Numbers of steps by the place of their event."""

        self.memory: list[tuple[float, float, int, float, float, str, int]] = []
        self.flows: list[tuple[float, int, int, bool, bool]] = []
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
        for parts, column in zip(self._parts, columns, strict=True):
            parts.append(column)

    def trace(self, *, is_whole: bool = True) -> Trace:
        """Return what was read so far, sorted; nothing can be added to a whole trace."""
        starts, durations = self._concatenated(0), self._concatenated(1)
        durations = np.where(np.isfinite(durations) & (durations > 0), durations, 0.0)
        valid = np.isfinite(starts) & (np.abs(starts) < MAX_TIME) & (durations < MAX_TIME)
        own = valid & (self._concatenated(3) != Kind.SPAN)
        origin = float(starts[own].min()) if own.any() else 0.0
        order = np.lexsort((-durations, starts, self._concatenated(4)))
        order = order[valid[order]]
        starts = starts[order] - origin
        ends = starts + durations[order]
        # One column after the other, so that only one is held twice.
        names, kinds, track_ids, places, correlations, external_ids, occupancies, blocks = (
            self._sorted(index, order, is_last=is_whole) for index in range(2, len(_TYPES))
        )
        tracks = self._tracks()
        return Trace(
            tuple(map(_text, self.names.numbers)),
            tracks,
            starts,
            ends,
            names,
            kinds,
            track_ids,
            places,
            correlations,
            external_ids,
            occupancies,
            blocks,
            self._steps(places),
            self._allocations(origin),
            self._flows(origin),
            tuple(_counter(name, points, origin) for name, points in self.counters.items()),
            origin,
            self.head,
            self._problems(int((~valid).sum())),
            self.event_count,
            is_whole,
            self.writer,
        )

    def _concatenated(self, index: int) -> npt.NDArray[Any]:
        """Return a column, and keep it in one part."""
        kind = _TYPES[index]
        whole = np.concatenate([np.asarray(part, kind) for part in self._parts[index]] or [np.zeros(0, kind)])
        self._parts[index] = [whole]
        return whole

    def _sorted(self, index: int, order: npt.NDArray[np.int64], *, is_last: bool) -> npt.NDArray[Any]:
        """Return a sorted column; the unsorted one is dropped if it is not needed again."""
        ordered: npt.NDArray[Any] = self._concatenated(index)[order]
        if is_last:
            self._parts[index] = []
        return ordered

    def _tracks(self) -> tuple[Track, ...]:
        keys = self.track_keys.numbers
        return tuple(self.tracks.get(number) or Track(_text(key[0]), _text(key[1])) for key, number in keys.items())

    def _steps(self, places: npt.NDArray[np.int64]) -> dict[int, int]:
        if not self.steps:
            return {}
        rows = np.flatnonzero(np.isin(places, np.fromiter(self.steps, np.int64, len(self.steps))))
        return {row: self.steps[int(places[row])] for row in rows.tolist()}

    def _problems(self, invalid: int) -> tuple[str, ...]:
        problems = list(self.problems)
        if self.lost:
            problems.append(f"{self.lost:,} events could not be read and are left out")
        if invalid:
            problems.append(f"{invalid:,} events have no valid time and are left out")
        return tuple(problems)

    def _allocations(self, origin: float) -> Allocations:
        events = sorted(self.memory, key=lambda event: event[0])
        devices = sorted({event[5] for event in events})
        numbers = {name: number for number, name in enumerate(devices)}

        def column(index: int, kind: type[Any]) -> npt.NDArray[Any]:
            return np.array([event[index] for event in events], kind)

        return Allocations(
            column(0, np.float64) - origin,
            column(1, np.float64),
            column(2, np.uint64),
            column(3, np.float64),
            column(4, np.float64),
            np.array([numbers[event[5]] for event in events], np.int16),
            column(6, np.int32),
            tuple(devices),
        )

    def _flows(self, origin: float) -> Flows:
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


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _counter(name: str, points: Sequence[tuple[float, float]], origin: float) -> Counter:
    ordered = np.array(sorted(points), np.float64).reshape(-1, 2)
    return Counter(name, ordered[:, 0] - origin, ordered[:, 1])
