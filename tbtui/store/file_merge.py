"""Merge the points that several files of a run hold of one tag into one order (`docs/points.md`)."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

MIN_COMMON_STEPS = 2
"""Files that are written at the same time and log this many steps both have a writer each."""

MIN_COMMON_SHARE = 0.5
"""Two files of which the shorter one shares this many of its steps have a writer each, however they take turns."""

MAX_LATE_POINTS = 3
MAX_LATE_SHARE = 0.05
"""A file has ended before another one begins even if up to this many of its points, and this share of them, are later:
a writer that ends writes what it holds while the next one starts."""


def make_monotone(wall_times: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return keys that never decrease, for merging a file with others by time, float64[n].

    A clock may jump, step back, or be no number. The longest part of the times that does not decrease is trusted; any
    other point gets the key of the trusted one before it, at the beginning of the one after it.
    """
    if bool(np.all(wall_times[1:] >= wall_times[:-1])) and np.isfinite([*wall_times[:1], *wall_times[-1:]]).all():
        return wall_times
    finite = np.flatnonzero(np.isfinite(wall_times))
    if not len(finite):
        return np.zeros(len(wall_times))
    trusted = finite[_find_longest_ascent(wall_times[finite].tolist())]
    latest = np.searchsorted(trusted, np.arange(len(wall_times)), "right") - 1
    return np.asarray(wall_times[trusted[np.maximum(latest, 0)]])


def _find_longest_ascent(times: Sequence[float]) -> list[int]:
    """Return the indices of a longest subsequence that does not decrease (patience sorting)."""
    ends: list[float] = []
    end_indices: list[int] = []
    before = [-1] * len(times)
    for index, time in enumerate(times):
        length = bisect_right(ends, time)
        if length:
            before[index] = end_indices[length - 1]
        if length == len(ends):
            ends.append(time)
            end_indices.append(index)
        else:
            ends[length], end_indices[length] = time, index
    chain = []
    index = end_indices[-1]
    while index >= 0:
        chain.append(index)
        index = before[index]
    return chain[::-1]


def merge_order(wall_times: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.intp]:
    """Return the order of the points of files: by time, each file in its own order.

    Equal times are in the order in which the files begin, since a clock of whole seconds does not tell the end of a
    file from the beginning of the next one; files that begin at one time in the given order.

    Args:
        wall_times: The times of each file, float64[n], n >= 1.

    Returns:
        Indices into all points, file after file.
    """
    keys = [make_monotone(times) for times in wall_times]
    merged = np.concatenate(keys)
    by_start = np.argsort([each[0] for each in keys], kind="stable")
    if bool((by_start[1:] > by_start[:-1]).all()):
        return np.argsort(merged, kind="stable")
    ranks = np.empty(len(keys), np.int64)
    ranks[by_start] = np.arange(len(keys))
    return np.lexsort((np.repeat(ranks, [len(each) for each in keys]), merged))


def find_first_copies(wall_times: npt.NDArray[np.float64], *columns: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
    """Return False for each point that is equal to an earlier one in all columns, bool[n]; None if there is none."""
    times = np.ascontiguousarray(wall_times).view(np.int64)
    order = np.argsort(times, kind="stable")
    ordered = times[order]
    is_repeated = ordered[1:] == ordered[:-1]
    if not is_repeated.any():
        return None
    repeated = np.zeros(len(times), np.bool_)
    repeated[:-1] |= is_repeated
    repeated[1:] |= is_repeated
    points = np.sort(order[repeated])
    keys = [np.ascontiguousarray(column[points]) for column in (times, *columns)]
    bits = [key.view(np.int64) if key.dtype.kind == "f" else key for key in keys]
    order = np.lexsort(tuple(bits))  # stable: equal points stay in the order of time
    is_copy = np.logical_and.reduce([each[order][1:] == each[order][:-1] for each in bits])
    if not is_copy.any():
        return None
    is_first = np.ones(len(times), np.bool_)
    is_first[points[order[1:][is_copy]]] = False
    return is_first


def count_late_points(count: int) -> float:
    """Return the number of points that a file of `count` points may have after the beginning of the next one."""
    return min(MAX_LATE_POINTS, MAX_LATE_SHARE * count)


def find_conflicts(
    steps: npt.NDArray[np.int64], wall_times: npt.NDArray[np.float64], files: npt.NDArray[np.int32]
) -> frozenset[tuple[int, int]]:
    """Return the pairs of files that were written at the same time and log the same steps, the smaller file first.

    Their points alternate in time, or most of their steps are the same. Those of a training that moves from one file to
    another and back are neither: each file has many in a row, and few again.

    Args:
        steps: int64[n], in order of time and without copies.
        wall_times: float64[n].
        files: The file of each point, int32[n].
    """
    points = {file: np.flatnonzero(files == file) for file in np.unique(files).tolist()}
    by_start = sorted(points, key=lambda file: int(points[file][0]))
    pairs = set()
    for number, file in enumerate(by_start):
        own = points[file]
        for other in by_start[number + 1 :]:
            others = points[other]
            start, end = int(others[0]), min(int(own[-1]), int(others[-1]))
            if start > own[-1]:
                break
            window = own[int(np.searchsorted(own, start)) : int(np.searchsorted(own, end, "right"))]
            other_window = others[: int(np.searchsorted(others, end, "right"))]
            if len(window) <= count_late_points(len(own)):
                continue
            common = len(np.intersect1d(steps[own], steps[others]))
            is_repeated = common >= MIN_COMMON_SHARE * min(len(own), len(others))
            if common >= MIN_COMMON_STEPS and (is_repeated or _is_alternating(window, other_window, wall_times)):
                pairs.add((min(file, other), max(file, other)))
    return frozenset(pairs)


def _is_alternating(
    one: npt.NDArray[np.intp], other: npt.NDArray[np.intp], wall_times: npt.NDArray[np.float64]
) -> bool:
    """Return True if points alternate in time, or half of those of a file have times that the other one has too."""
    fewest = min(len(one), len(other))
    merged = np.concatenate((one, other))
    is_other = np.argsort(merged, kind="stable") >= len(one)
    if np.count_nonzero(is_other[1:] != is_other[:-1]) >= fewest:
        return True
    common = np.intersect1d(wall_times[one], wall_times[other])
    return 2 * min(int(np.isin(wall_times[each], common).sum()) for each in (one, other)) >= fewest
