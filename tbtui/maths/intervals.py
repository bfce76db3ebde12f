"""Intervals of time: unions, overlaps, nesting, and the time of each class of intervals when they overlap."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

Times: TypeAlias = "npt.NDArray[np.float64]"
Intervals: TypeAlias = "tuple[Times, Times]"
"""Begins and ends, float64[n] each; merged intervals are ascending and do not touch."""


def merge(starts: Times, ends: Times) -> Intervals:
    """Return the union of intervals as merged intervals."""
    if not len(starts):
        return starts, ends
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    is_first = np.append(True, starts[1:] > ends[:-1])
    return starts[is_first], ends[np.append(is_first[1:], True)]


def total(intervals: Intervals) -> float:
    """Return the summed length of merged intervals."""
    return float((intervals[1] - intervals[0]).sum())


def covered(intervals: Intervals, times: Times) -> Times:
    """Return the time that merged intervals cover before each of `times`, float64[n]."""
    starts, ends = intervals
    if not len(starts):
        return np.zeros(len(times))
    sums = np.append(0.0, np.cumsum(ends - starts))
    index = np.searchsorted(starts, times, "right")
    last = np.maximum(index - 1, 0)
    inside = np.where(index > 0, np.maximum(ends[last] - times, 0.0), 0.0)
    found: Times = sums[index] - inside
    return found


def covered_between(intervals: Intervals, starts: Times, ends: Times) -> Times:
    """Return the time that merged intervals cover within each window, float64[n]."""
    found: Times = covered(intervals, ends) - covered(intervals, starts)
    return found


def exclusive_times(classes: Sequence[Intervals], starts: Times, ends: Times) -> Times:
    """Return the time of each class within windows, where an earlier class takes precedence at each instant.

    Args:
        classes: Merged intervals of c classes.
        starts: Begins of w windows.
        ends: Ends of the windows.

    Returns:
        float64[w, c + 1]; the last column is the time that no class covers.
    """
    before: Intervals = np.zeros(0), np.zeros(0)
    known = np.zeros(len(starts))
    columns = []
    for intervals in classes:
        before = merge(np.concatenate((before[0], intervals[0])), np.concatenate((before[1], intervals[1])))
        reached = covered_between(before, starts, ends)
        columns.append(np.maximum(reached - known, 0.0))
        known = reached
    columns.append(np.maximum(ends - starts - known, 0.0))
    return np.stack(columns, axis=1)


@frozen(eq=False)
class Nesting:
    """Intervals of one thread as a forest."""

    parents: npt.NDArray[np.int64]
    """int64[n]: the interval that was the innermost open one at the begin; -1 for none."""

    depths: npt.NDArray[np.int32]
    own: Times
    """float64[n]: time in which the interval was the innermost open one. Their sum is the length of the union."""


def nest(starts: Times, ends: Times) -> Nesting:
    """Nest intervals.

    An interval that outlasts its parent, as in traces with whole microseconds, takes nothing from it behind its end.

    Args:
        starts: Begins, ascending; of equal begins the longest interval comes first.
        ends: Ends.
    """
    count = len(starts)
    parents = [-1] * count
    depths = [0] * count
    own = (ends - starts).tolist()
    begins, finishes = starts.tolist(), ends.tolist()
    stack: list[int] = []
    for row in range(count):
        begin, finish = begins[row], finishes[row]
        while stack and finishes[stack[-1]] <= begin:
            stack.pop()
        if not stack:
            stack.append(row)
            continue
        parent = stack[-1]
        parents[row] = parent
        depths[row] = len(stack)
        reached = finishes[parent]
        own[parent] -= min(finish, reached) - begin
        if finish > reached:
            # The part behind the end of the parent is taken from the ancestors that are still open.
            for above in range(len(stack) - 2, -1, -1):
                other = finishes[stack[above]]
                if other > reached:
                    own[stack[above]] -= min(finish, other) - reached
                    reached = other
                    if finish <= other:
                        break
        stack.append(row)
    return Nesting(np.array(parents, np.int64), np.array(depths, np.int32), np.maximum(np.array(own), 0.0))


def lanes(starts: Times, ends: Times) -> npt.NDArray[np.int32]:
    """Return a lane for each interval such that those of one lane do not overlap: the first one that is free.

    Args:
        starts: Begins, ascending.
        ends: Ends.
    """
    lane_of = np.zeros(len(starts), np.int32)
    busy: list[tuple[float, int]] = []
    free: list[int] = []
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else len(busy)
        lane_of[row] = lane
        heapq.heappush(busy, (end, lane))
    return lane_of
