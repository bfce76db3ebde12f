"""Averages of several lines, and the bands around them.

Lines are aligned on x before they are averaged: each is interpolated linearly inside its own span and absent outside of
it. Averages are computed line by line over whole arrays, so that memory does not grow with the number of lines.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from tbtui.settings.settings import Spread

    Floats: TypeAlias = npt.NDArray[np.float64]
    Indices: TypeAlias = npt.NDArray[np.intp]


MAX_AVERAGE_POINTS = 1 << 16
"""Points of an average if its lines share too few x values: a hundred for each dot of a screen."""

MAX_SORTED_VALUES = 1 << 22
"""Values of x that are sorted to find these points."""

_MAX_FLOAT = sys.float_info.max


@frozen(eq=False)
class Average:
    """Mean of several lines and its band. All arrays have the length of the requested x."""

    mean: Floats
    """Mean over the lines that are present; NaN without one."""

    low: Floats
    high: Floats
    """NaN without a line."""

    count: Indices
    """Number of lines that are present, intp[m]."""

    interpolated: npt.NDArray[np.bool_]
    """True where a line has no point of its own, and is interpolated."""


def join_x(columns: Sequence[Floats]) -> Floats:
    """Return the x values at which lines are averaged: those of all lines, strictly ascending.

    They are thinned out evenly if they are more than `MAX_AVERAGE_POINTS` and more than 1.5 times those of the longest
    line.

    Args:
        columns: float64[n] each, strictly ascending and finite; at least one.
    """
    longest = max(columns, key=len)
    others = [x for x in columns if x is not longest and not _is_part(x, longest)]
    if not others:
        return longest
    stride = -(-sum(map(len, others)) // MAX_SORTED_VALUES)
    # Stable sorting knows ascending stretches: it merges the columns.
    all_x = np.sort(np.concatenate([longest, *(x[::stride] for x in others)]), kind="stable")
    all_x = all_x[np.append(all_x[1:] != all_x[:-1], [True])]
    stride = -(-len(all_x) // MAX_AVERAGE_POINTS) if len(all_x) > 1.5 * len(longest) else 1
    return all_x if stride == 1 else np.append(all_x[:-1:stride], all_x[-1:])


def _is_part(x: Floats, longest: Floats) -> bool:
    """Return True if `x` is a slice of `longest`, as of runs that log at the same steps for different times."""
    if len(x) == 0:
        return True
    first = int(np.searchsorted(longest, x[0]))
    return np.array_equal(longest[first : first + len(x)], x)


def sort_points(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the points of a line by ascending x, float64[m] each: the last of equal x, and only finite x."""
    if bool(np.all(x[1:] > x[:-1])) and bool(np.all(np.isfinite(x[[0, -1]]))):
        return x, y
    finite = np.flatnonzero(np.isfinite(x))
    order = finite[np.argsort(x[finite], kind="stable")]
    last = np.append(x[order][1:] != x[order][:-1], np.ones(min(len(order), 1), np.bool_))
    return x[order[last]], y[order[last]]


def average(lines: Iterable[tuple[Floats, Floats]], target_x: Floats, spread: Spread | None) -> Average:
    """Return the mean of lines at given x values, and a band around it.

    Args:
        lines: x, strictly ascending, and y of each, float64[n]. Values that are not finite are absent, and so is what
            would be interpolated from them.
        target_x: float64[m], strictly ascending: where to average.
        spread: The band: `std` is the standard deviation of the population to either side, `minmax` the extremes;
            None: there is no band, its ends are NaN.
    """
    count, point_counts = np.zeros(len(target_x)), np.zeros(len(target_x))
    mean, squares = np.zeros(len(target_x)), np.zeros(len(target_x))
    low, high = np.full(len(target_x), np.nan), np.full(len(target_x), np.nan)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for x, y in lines:
            block = (
                slice(np.searchsorted(target_x, x[0]), np.searchsorted(target_x, x[-1], "right"))
                if len(x)
                else slice(0)
            )
            values, has_point = interpolate(x, y, target_x[block])
            is_present = np.isfinite(values)
            count[block] += is_present
            point_counts[block] += is_present & has_point
            # Welford's update: one pass, and no difference of two large sums. (Each part by itself cannot overflow.)
            deviation_before, counted = values - mean[block], np.maximum(count[block], 1)
            np.add(mean[block], values / counted - mean[block] / counted, out=mean[block], where=is_present)
            if spread == "std":
                np.add(squares[block], deviation_before * (values - mean[block]), out=squares[block], where=is_present)
            elif spread == "minmax":
                np.fmin(low[block], values, out=low[block], where=is_present)
                np.fmax(high[block], values, out=high[block], where=is_present)
        if spread == "std":
            deviation = np.sqrt(squares / np.maximum(count, 1))
            low, high = (
                np.clip(mean - deviation, -_MAX_FLOAT, _MAX_FLOAT),
                np.clip(mean + deviation, -_MAX_FLOAT, _MAX_FLOAT),
            )
    is_absent = count == 0
    for column in (mean, low, high):
        column[is_absent] = np.nan
    return Average(mean, low, high, count.astype(np.intp), point_counts < count)


def interpolate(x: Floats, y: Floats, target_x: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the values of a line at x values within its span, and whether it has a point there."""
    if len(target_x) == len(x) and np.array_equal(target_x, x):
        return y, np.ones(len(target_x), np.bool_)
    if len(x) == 1 or len(target_x) == 0:
        return y[: len(target_x)], np.ones(len(target_x), np.bool_)
    right = np.clip(np.searchsorted(x, target_x), 1, len(x) - 1)
    left = right - 1
    fraction = (target_x - x[left]) / (x[right] - x[left])
    # A point itself counts whatever its neighbour is.
    interpolated = y[left] * (1 - fraction) + y[right] * fraction
    return np.where(fraction <= 0, y[left], np.where(fraction >= 1, y[right], interpolated)), (fraction <= 0) | (
        fraction >= 1
    )
