"""The average of several lines, and how far they lie apart: arrays in, arrays out.

Lines are aligned on x before they are averaged: each is interpolated linearly inside its own span and absent outside
of it. Work is done line by line over whole arrays, so that memory does not grow with the number of lines.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from tbtui.viewstate.options import Spread

    Floats: TypeAlias = npt.NDArray[np.float64]

MOST_PLACES = 1 << 16
"""Places on x that an average is worked out at, where the lines share too few: a hundred for each dot of a screen."""

MOST_SORTED = 1 << 22
"""Values of x looked at to find them."""

_MOST = sys.float_info.max


@frozen(eq=False)
class Average:
    """The mean of several lines, and its band. All arrays have the length of the x they were asked for."""

    mean: Floats
    """Over the lines that are present; NaN where none is."""

    low: Floats
    high: Floats
    """NaN likewise."""


def shared_x(columns: Sequence[Floats]) -> Floats:
    """The x values to average at: all that any line has, strictly ascending.

    Where that would be more than `MOST_PLACES`, and half as many again as any one line has, evenly many are left out.

    Args:
        columns: float64[n] each, strictly ascending and finite; at least one.
    """
    longest = max(columns, key=len)
    others = [x for x in columns if x is not longest and not _is_part(x, longest)]
    if not others:
        return longest
    stride = -(-sum(map(len, others)) // MOST_SORTED)
    # Stable sorting knows ascending stretches: it merges the columns.
    places = np.sort(np.concatenate([longest, *(x[::stride] for x in others)]), kind="stable")
    places = places[np.append(places[1:] != places[:-1], [True])]
    stride = -(-len(places) // MOST_PLACES) if len(places) > 1.5 * len(longest) else 1
    return places if stride == 1 else np.append(places[:-1:stride], places[-1:])


def _is_part(x: Floats, longest: Floats) -> bool:
    """Whether `x` is a stretch of `longest`, as of runs that log at the same steps but not equally long."""
    if len(x) == 0:
        return True
    first = int(np.searchsorted(longest, x[0]))
    return np.array_equal(longest[first : first + len(x)], x)


def drawable(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The points of a line by ascending x, float64[m] each: of equal x the last, none whose x is not finite."""
    if bool(np.all(x[1:] > x[:-1])) and bool(np.all(np.isfinite(x[[0, -1]]))):
        return x, y
    finite = np.flatnonzero(np.isfinite(x))
    order = finite[np.argsort(x[finite], kind="stable")]
    last = np.append(x[order][1:] != x[order][:-1], np.ones(min(len(order), 1), np.bool_))
    return x[order[last]], y[order[last]]


def average(lines: Iterable[tuple[Floats, Floats]], at: Floats, spread: Spread | None) -> Average:
    """The mean of lines at given places, and a band around it.

    Args:
        lines: x, strictly ascending, and y of each, float64[n]. Values that are not finite are absent, and so is what
            would be interpolated from them.
        at: float64[m], strictly ascending: where to average.
        spread: The band: `std` is the population's standard deviation to either side, `minmax` the least and greatest;
            None: there is no band, its ends are NaN.
    """
    count = np.zeros(len(at))
    mean, squares = np.zeros(len(at)), np.zeros(len(at))
    low, high = np.full(len(at), np.nan), np.full(len(at), np.nan)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for x, y in lines:
            part = slice(np.searchsorted(at, x[0]), np.searchsorted(at, x[-1], "right")) if len(x) else slice(0)
            values = _interpolated(x, y, at[part])
            there = np.isfinite(values)
            count[part] += there
            # Welford's update: one pass, and no difference of two large sums. (Each part by itself cannot overflow.)
            away, counted = values - mean[part], np.maximum(count[part], 1)
            np.add(mean[part], values / counted - mean[part] / counted, out=mean[part], where=there)
            if spread == "std":
                np.add(squares[part], away * (values - mean[part]), out=squares[part], where=there)
            elif spread == "minmax":
                np.fmin(low[part], values, out=low[part], where=there)
                np.fmax(high[part], values, out=high[part], where=there)
        if spread == "std":
            deviation = np.sqrt(squares / np.maximum(count, 1))
            low, high = np.clip(mean - deviation, -_MOST, _MOST), np.clip(mean + deviation, -_MOST, _MOST)
    nobody = count == 0
    for column in (mean, low, high):
        column[nobody] = np.nan
    return Average(mean, low, high)


def _interpolated(x: Floats, y: Floats, at: Floats) -> Floats:
    """Values of a line at places within its span."""
    if len(at) == len(x) and np.array_equal(at, x):
        return y
    if len(x) == 1 or len(at) == 0:
        return y[: len(at)]
    right = np.clip(np.searchsorted(x, at), 1, len(x) - 1)
    left = right - 1
    part = (at - x[left]) / (x[right] - x[left])
    # A point itself counts whatever its neighbour is.
    between = y[left] * (1 - part) + y[right] * part
    return np.where(part <= 0, y[left], np.where(part >= 1, y[right], between))
