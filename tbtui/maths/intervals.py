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
"""Starts and ends, float64[n] each; merged intervals are ascending and do not touch."""


def merge(starts: Times, ends: Times) -> Intervals:
    """Return the union of intervals as merged intervals."""
    if not len(starts):
        return starts, ends
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    is_first = np.append(True, starts[1:] > ends[:-1])
    return starts[is_first], ends[np.append(is_first[1:], True)]


def sum_lengths(intervals: Intervals) -> float:
    """Return the summed length of merged intervals."""
    return float((intervals[1] - intervals[0]).sum())


def sum_covered(intervals: Intervals, times: Times) -> Times:
    """Return the time that merged intervals cover before each of `times`, float64[n]."""
    starts, ends = intervals
    if not len(starts):
        return np.zeros(len(times))
    sums = np.append(0.0, np.cumsum(ends - starts))
    index = np.searchsorted(starts, times, "right")
    last = np.maximum(index - 1, 0)
    inside = np.where(index > 0, np.maximum(ends[last] - times, 0.0), 0.0)
    covered_times: Times = sums[index] - inside
    return covered_times


def sum_covered_between(intervals: Intervals, starts: Times, ends: Times) -> Times:
    """Return the time that merged intervals cover within each window, float64[n]."""
    covered_times: Times = sum_covered(intervals, ends) - sum_covered(intervals, starts)
    return covered_times


def compute_exclusive_times(classes: Sequence[Intervals], starts: Times, ends: Times) -> Times:
    """Return the time of each class within windows, where an earlier class takes precedence at each instant.

    Args:
        classes: Merged intervals of c classes.
        starts: Starts of w windows.
        ends: Ends of the windows.

    Returns:
        float64[w, c + 1]; the last column is the time that no class covers.
    """
    earlier_classes: Intervals = np.zeros(0), np.zeros(0)
    covered_so_far = np.zeros(len(starts))
    columns = []
    for intervals in classes:
        earlier_classes = merge(
            np.concatenate((earlier_classes[0], intervals[0])), np.concatenate((earlier_classes[1], intervals[1]))
        )
        now_covered = sum_covered_between(earlier_classes, starts, ends)
        columns.append(np.maximum(now_covered - covered_so_far, 0.0))
        covered_so_far = now_covered
    columns.append(np.maximum(ends - starts - covered_so_far, 0.0))
    return np.stack(columns, axis=1)


@frozen(eq=False)
class Nesting:
    """Intervals of one thread as a forest."""

    parents: npt.NDArray[np.int64]
    """int64[n]: the innermost interval that was open at the start of each; -1: none."""

    depths: npt.NDArray[np.int32]
    self_times: Times
    """float64[n]: time in which the interval was the innermost open one. Their sum is the length of the union."""


def nest(starts: Times, ends: Times) -> Nesting:
    """Nest intervals.

    The part of an interval after the end of its parent, as in traces with whole microseconds, is not subtracted from
    it.

    Args:
        starts: Starts, ascending; the longest of intervals with equal starts comes first.
        ends: Ends.
    """
    count = len(starts)
    parents = [-1] * count
    depths = [0] * count
    self_times = (ends - starts).tolist()
    start_list, end_list = starts.tolist(), ends.tolist()
    stack: list[int] = []
    for row in range(count):
        start, end = start_list[row], end_list[row]
        while stack and end_list[stack[-1]] <= start:
            stack.pop()
        if not stack:
            stack.append(row)
            continue
        parent = stack[-1]
        parents[row] = parent
        depths[row] = len(stack)
        subtracted_until = end_list[parent]
        self_times[parent] -= min(end, subtracted_until) - start
        if end > subtracted_until:
            # The part after the end of the parent is subtracted from the ancestors that are still open.
            for ancestor in range(len(stack) - 2, -1, -1):
                ancestor_end = end_list[stack[ancestor]]
                if ancestor_end > subtracted_until:
                    self_times[stack[ancestor]] -= min(end, ancestor_end) - subtracted_until
                    subtracted_until = ancestor_end
                    if end <= ancestor_end:
                        break
        stack.append(row)
    return Nesting(np.array(parents, np.int64), np.array(depths, np.int32), np.maximum(np.array(self_times), 0.0))


def assign_lanes(starts: Times, ends: Times) -> npt.NDArray[np.int32]:
    """Return the first free lane for each interval, so that intervals in a lane do not overlap.

    Args:
        starts: Starts, ascending.
        ends: Ends.
    """
    lanes = np.zeros(len(starts), np.int32)
    busy: list[tuple[float, int]] = []
    free: list[int] = []
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else len(busy)
        lanes[row] = lane
        heapq.heappush(busy, (end, lane))
    return lanes
