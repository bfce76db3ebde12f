"""Fewer points that draw the same line: of every pixel column the first, the least, the greatest and the last.

Spikes survive since every column keeps its extremes; gaps survive since a value that is not finite ends a stretch and
nothing is joined over it. (The idea is known as M4: the picture stays the
same, whatever the number of points.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Extent = TypeVar("Extent", np.float64, np.int64)

Points: TypeAlias = "tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]"
"""x and y, float64[n] each; the line has a gap where y is NaN."""

MIN_POINTS_PER_COLUMN = 16
"""Lines of fewer points a column are cheaper to draw than to thin."""


def is_ascending(x: npt.NDArray[np.float64]) -> bool:
    """Whether x never goes back and holds no NaN."""
    return bool(np.all(x[1:] >= x[:-1])) and not (len(x) == 1 and bool(np.isnan(x[0])))


def decimate(
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    edges: npt.NDArray[np.float64],
    *,
    log: bool = False,
    ascending: bool | None = None,
) -> Points:
    """The points of a line that matter to a picture of it.

    Args:
        x: float64[n]. Where it goes back by a column or more (a clock set back, superseded points), or is not finite,
            the line is interrupted.
        y: float64[n]. NaN and infinities interrupt the line; so do values <= 0 when `log`.
        edges: float64[columns + 1], ascending: where the pixel columns of the window begin and end.
        log: Whether y is shown on a logarithmic scale.
        ascending: Whether `is_ascending(x)`; None finds out.

    Returns:
        At most about four points a column and stretch, x never going back but over a gap. Points outside the window
        are left out, but for the neighbours from which the line enters it and to which it leaves.
    """
    if ascending is None:
        ascending = is_ascending(x)
    if ascending:
        seen = visible_slice(x, edges)
        x, y = x[seen], mask_undrawable(y[seen], log=log)
        if len(x) <= MIN_POINTS_PER_COLUMN * len(edges):
            return x, y
        return _thin_blocks(x, y, _block_starts(np.searchsorted(x, edges), y))
    y = mask_undrawable(np.where(np.isfinite(x), y, np.nan), log=log)
    columns = np.searchsorted(edges, x)
    back = np.flatnonzero(columns[1:] < columns[:-1]) + 1
    if len(x) > MIN_POINTS_PER_COLUMN * len(edges):
        x, y = _thin_blocks(x, y, _block_starts(np.flatnonzero(columns[1:] != columns[:-1]) + 1, y))
        columns = np.searchsorted(edges, x)
        back = np.flatnonzero(columns[1:] < columns[:-1]) + 1
    return np.insert(x, back, np.nan), np.insert(y, back, np.nan)


def concatenate(arrays: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Arrays one after the other; one alone is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def visible_slice(x: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]) -> slice:
    """The points of ascending x between the first and the last edge, with the neighbour at either side."""
    first, end = np.searchsorted(x, edges[0], "left"), np.searchsorted(x, edges[-1], "right")
    return slice(max(int(first) - 1, 0), int(end) + 1)


def mask_undrawable(y: npt.NDArray[np.float64], *, log: bool) -> npt.NDArray[np.float64]:
    """Values with NaN for all that has no place on the scale; the array itself when all of it has."""
    can_be = is_drawable(y, log=log)
    return y if bool(can_be.all()) else np.where(can_be, y, np.nan)


def is_drawable(y: npt.NDArray[np.float64], *, log: bool) -> npt.NDArray[np.bool_]:
    """Which values have a place on the scale: finite ones, on a logarithmic one those above 0."""
    finite = np.isfinite(y)
    return finite & (y > 0) if log else finite


def _block_starts(columns: npt.NDArray[np.intp], y: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Where blocks of points begin: at each column, and wherever finite values begin or end."""
    missing = np.isnan(y)
    begins = np.zeros(len(y) + 1, np.bool_)
    begins[0] = True
    begins[columns] = True
    begins[1:-1] |= missing[1:] != missing[:-1]
    return np.flatnonzero(begins[:-1])


def _thin_blocks(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]) -> Points:
    """First, least, greatest and last point of each block; blocks hold either finite values alone or none."""
    if 4 * len(starts) >= len(x):
        return x, y
    lasts = np.append(starts[1:], len(x)) - 1
    thin_x = np.repeat(x[starts], 4)
    thin_x[3::4] = x[lasts]
    thin_y = np.empty(4 * len(starts))
    thin_y[0::4] = y[starts]
    thin_y[1::4] = np.minimum.reduceat(y, starts)
    thin_y[2::4] = np.maximum.reduceat(y, starts)
    thin_y[3::4] = y[lasts]
    return thin_x, thin_y


# What is asked of every series of a run at once: thousands of short ones cost little more than one long one.


BATCH_POINTS = 1 << 16
"""Points that are looked at together: so many stay in the processor's cache."""


@frozen(eq=False)
class Extents:
    """Figures of n series."""

    least: npt.NDArray[np.float64]
    """float64[n]: the least finite value; NaN without one."""

    greatest: npt.NDArray[np.float64]
    """float64[n]: likewise."""

    nan: npt.NDArray[np.int64]
    """int64[n]: how many values are NaN."""

    inf: npt.NDArray[np.int64]
    """int64[n]: how many values are infinite."""


def series_extents(series: Sequence[npt.NDArray[np.float64]]) -> Extents:
    """The figures of series of one value at least.

    Args:
        series: float64[m] each, m >= 1.
    """
    found = [_extents(values, starts) for values, starts in _batches(series)]
    if not found:
        return Extents(np.zeros(0), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64))
    least, greatest, nan, inf = (np.concatenate(column) for column in zip(*found, strict=True))
    return Extents(least, greatest, nan, inf)


def is_strictly_ascending(series: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.bool_]:
    """Whether each step is above the one before it, bool[n].

    Args:
        series: int64[m] each, m >= 1.
    """
    found: list[npt.NDArray[np.bool_]] = [np.zeros(0, np.bool_)]
    for steps, starts in _batches(series):
        rises = np.ones(len(steps), np.bool_)
        np.greater(steps[1:], steps[:-1], out=rises[1:])
        rises[starts] = True
        found.append(np.logical_and.reduceat(rises, starts))
    return np.concatenate(found)


def _extents(values: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.generic], ...]:
    with np.errstate(invalid="ignore"):
        least, greatest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    none = np.zeros(len(starts), np.int64)
    if np.isfinite(least).all() and np.isfinite(greatest).all():  # a NaN is an extreme to numpy
        return least, greatest, none, none
    finite = np.isfinite(values)
    nan = np.isnan(values)
    counted = [np.add.reduceat(which.astype(np.int64), starts) for which in (finite, nan)]
    held, nans = counted
    sizes = np.diff(starts, append=len(values))
    least = np.minimum.reduceat(np.where(finite, values, np.inf), starts)
    greatest = np.maximum.reduceat(np.where(finite, values, -np.inf), starts)
    least[held == 0] = greatest[held == 0] = np.nan
    return least, greatest, nans, sizes - held - nans


def _batches(series: Sequence[npt.NDArray[Extent]]) -> Iterator[tuple[npt.NDArray[Extent], npt.NDArray[np.intp]]]:
    """Series one behind the other, a long one alone as it is, and where each begins."""
    held: list[npt.NDArray[Extent]] = []
    size = 0
    for one in series:
        if held and size + len(one) > BATCH_POINTS:
            yield _concatenate_batch(held)
            held, size = [], 0
        held.append(one)
        size += len(one)
    if held:
        yield _concatenate_batch(held)


def _concatenate_batch(held: Sequence[npt.NDArray[Extent]]) -> tuple[npt.NDArray[Extent], npt.NDArray[np.intp]]:
    starts = np.zeros(len(held), np.intp)
    np.cumsum([len(one) for one in held[:-1]], out=starts[1:])
    return (held[0] if len(held) == 1 else np.concatenate(held)), starts


# What sorting tells, as `np.median` and `np.unique` do; these import masked arrays first, which start-up waits for.


Number = TypeVar("Number", bound=np.generic)


def unique_values(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Each of some values once, ascending; every NaN, behind them.

    Args:
        values: One dimension, any order.
    """
    ordered = np.sort(values)
    once: npt.NDArray[Number] = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return once


def median(values: npt.NDArray[np.float64]) -> float:
    """The value in the middle, or half-way between the two that are there, as `np.median` has it.

    Args:
        values: float64[n], n >= 1.

    Returns:
        NaN where any of them is.
    """
    middle = len(values) // 2
    # NaN is sorted behind everything.
    ordered = np.partition(values, (middle - 1, middle, -1) if len(values) > 1 else 0)
    if np.isnan(ordered[-1]):
        return float("nan")
    return float(ordered[middle] if len(values) % 2 else np.mean(ordered[middle - 1 : middle + 1]))
