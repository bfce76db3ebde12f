"""What ran when: executions in lanes, one below the other for each device and thread, so that none hides another."""

from __future__ import annotations

import heapq
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


class Group(NamedTuple):
    """Executions that stand below one title: of a device, or of a thread of it."""

    title: str
    """Any text."""

    lanes: range
    """Indices of its lanes; none where nothing ran."""


class Bar(NamedTuple):
    """One execution."""

    start: float
    end: float


@frozen(slots=False, eq=False)
class Timeline:
    """Executions, lane by lane and in the order of their starts. In a lane no two run at the same time."""

    groups: tuple[Group, ...]
    rows: npt.NDArray[np.int64]
    """int64[n]: which of the executions that it was made of each is."""

    lanes: npt.NDArray[np.int64]
    """int64[n], ascending."""

    starts: npt.NDArray[np.float64]
    """float64[n]: nanoseconds since the first start of all."""

    ends: npt.NDArray[np.float64]
    """float64[n]: nanoseconds; the same as the start where no time was measured."""

    labels: tuple[str, ...]
    """Any texts."""

    levels: npt.NDArray[np.int16]
    """int16[n]: levels of the colour map, from 1 on."""

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def bounds(self) -> npt.NDArray[np.int64]:
        """int64[lanes + 1]: lane i has the executions from `bounds[i]` to before `bounds[i + 1]`."""
        return np.searchsorted(self.lanes, np.arange(sum(len(group.lanes) for group in self.groups) + 1))

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """What stands in each row of the whole picture: a lane, or `~i` for the title of group i."""
        return tuple(line for index, group in enumerate(self.groups) for line in (~index, *group.lanes))

    @property
    def end(self) -> float:
        """Nanoseconds from the first start to the last end; at least 1, so that it can be shown."""
        return max(float(self.ends.max(initial=0.0)), 1.0)

    def lane(self, index: int) -> slice:
        """The executions of a lane."""
        return slice(int(self.bounds[index]), int(self.bounds[index + 1]))

    def bar(self, execution: int) -> Bar:
        """When one ran."""
        return Bar(float(self.starts[execution]), float(self.ends[execution]))

    def nearest(self, lane: int, time: float) -> int:
        """The execution of a lane that runs at a time, or that is next to it; every lane has one."""
        held = self.lane(lane)
        starts, ends = self.starts[held], self.ends[held]
        after = int(np.searchsorted(starts, time, side="right"))
        before = max(after - 1, 0)
        after = min(after, len(starts) - 1)
        found: int = before if time - ends[before] <= starts[after] - time else after
        return int(held.start) + found


def timeline(
    titles: Sequence[str],
    groups: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    durations: npt.NDArray[np.int64],
    labels: Sequence[str],
    levels: npt.NDArray[np.int16],
) -> Timeline:
    """Put executions into lanes.

    Args:
        titles: Of g groups; one without executions is shown as such.
        groups: int64[n], 0 to g - 1: the group of each.
        starts: int64[n]: nanoseconds since any moment.
        durations: int64[n]: nanoseconds, not below 0.
        labels: Of n executions.
        levels: int16[n]: levels of the colour map, from 1 on.
    """
    # Subtracted as integers: nanoseconds since 1970 are more than a float64 tells apart.
    begins = (starts - starts.min(initial=np.iinfo(np.int64).max)).astype(np.float64)
    ends = begins + durations
    lanes = np.zeros(len(starts), np.int64)
    made: list[Group] = []
    first = 0
    for index, title in enumerate(titles):
        rows = np.flatnonzero(groups == index)
        depths = _depths(begins[rows], ends[rows])
        lanes[rows] = first + depths
        count = int(depths.max(initial=-1)) + 1
        made.append(Group(title, range(first, first + count)))
        first += count
    order = np.lexsort((ends, begins, lanes))
    return Timeline(
        tuple(made),
        order.astype(np.int64),
        lanes[order],
        begins[order],
        ends[order],
        tuple(labels[row] for row in order.tolist()),
        levels[order],
    )


def busy(starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64]) -> float:
    """For how long anything ran, however much of it at once."""
    if not len(starts):
        return 0.0
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    gaps = np.maximum(starts[1:] - ends[:-1], 0).sum()
    return float(ends[-1] - starts[0] - gaps)


def _depths(starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The lane of each execution of a group: the first that is free when it starts."""
    depths = np.zeros(len(starts), np.int64)
    busy: list[tuple[float, int]] = []
    free: list[int] = []
    order = np.lexsort((ends, starts))
    for row, start, end in zip(order.tolist(), starts[order].tolist(), ends[order].tolist(), strict=True):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        depth = heapq.heappop(free) if free else len(busy)
        depths[row] = depth
        heapq.heappush(busy, (end, depth))
    return depths
