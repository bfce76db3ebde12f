"""Reduction of a line to the first, minimum, maximum and last point of every pixel column (M4).

The picture does not depend on the number of points. Spikes are preserved because each column keeps its extremes. Gaps
are preserved because a value that is not finite ends a segment.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Extent = TypeVar("Extent", np.float64, np.int64)

Points: TypeAlias = "tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]"
"""x and y, float64[n] each; the line has a gap where y is NaN."""

MIN_POINTS_PER_COLUMN = 16
"""Lines with fewer points per column are cheaper to draw than to reduce."""


def is_ascending(x: npt.NDArray[np.float64]) -> bool:
    """Return True if x never decreases and holds no NaN."""
    return bool(np.all(x[1:] >= x[:-1])) and not (len(x) == 1 and bool(np.isnan(x[0])))


def decimate(
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    edges: npt.NDArray[np.float64],
    *,
    log: bool = False,
    ascending: bool | None = None,
) -> Points:
    """Return the points of a line that affect its picture.

    Args:
        x: float64[n]. A value that is not finite, or that is a column or more to the left of the one before (a clock
            set back, superseded points), interrupts the line.
        y: float64[n]. NaN and infinities interrupt the line; so do values <= 0 if `log`.
        edges: float64[columns + 1], ascending: edges of the visible pixel columns.
        log: True if y has a logarithmic scale.
        ascending: Result of `is_ascending(x)` if known.

    Returns:
        At most about four points per column and segment; x decreases only across a gap. Points outside the window are
        dropped, except for the first one on each side.
    """
    if ascending is None:
        ascending = is_ascending(x)
    if ascending:
        visible = slice_visible(x, edges)
        x, y = x[visible], mask_undrawable(y[visible], log=log)
        if len(x) <= MIN_POINTS_PER_COLUMN * len(edges):
            return x, y
        return _thin_blocks(x, y, _find_block_starts(np.searchsorted(x, edges), y))
    y = mask_undrawable(np.where(np.isfinite(x), y, np.nan), log=log)
    columns = np.searchsorted(edges, x)
    backward = np.flatnonzero(columns[1:] < columns[:-1]) + 1
    if len(x) > MIN_POINTS_PER_COLUMN * len(edges):
        x, y = _thin_blocks(x, y, _find_block_starts(np.flatnonzero(columns[1:] != columns[:-1]) + 1, y))
        columns = np.searchsorted(edges, x)
        backward = np.flatnonzero(columns[1:] < columns[:-1]) + 1
    return np.insert(x, backward, np.nan), np.insert(y, backward, np.nan)


def concatenate(arrays: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Concatenate arrays; a single one is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def slice_visible(x: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]) -> slice:
    """Return the points of ascending x between the first and the last edge, with one neighbour on each side."""
    first, end = np.searchsorted(x, edges[0], "left"), np.searchsorted(x, edges[-1], "right")
    return slice(max(int(first) - 1, 0), int(end) + 1)


def mask_undrawable(y: npt.NDArray[np.float64], *, log: bool) -> npt.NDArray[np.float64]:
    """Replace values outside the domain of the scale by NaN; return the same array if there are none."""
    can_draw = is_drawable(y, log=log)
    return y if bool(can_draw.all()) else np.where(can_draw, y, np.nan)


def is_drawable(y: npt.NDArray[np.float64], *, log: bool) -> npt.NDArray[np.bool_]:
    """Return True for values in the domain of the scale: finite, and above 0 on a logarithmic one."""
    finite = np.isfinite(y)
    return finite & (y > 0) if log else finite


def _find_block_starts(columns: npt.NDArray[np.intp], y: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Return the starts of blocks: each column, and each change between finite values and gaps."""
    is_gap = np.isnan(y)
    is_start = np.zeros(len(y) + 1, np.bool_)
    is_start[0] = True
    is_start[columns] = True
    is_start[1:-1] |= is_gap[1:] != is_gap[:-1]
    return np.flatnonzero(is_start[:-1])


def _thin_blocks(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]) -> Points:
    """Return first, minimum, maximum and last point of each block; a block holds only finite values or none."""
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


BATCH_POINTS = 1 << 16
"""Points processed together, so that they stay in the processor's cache."""


@frozen(eq=False)
class Extents:
    """Value ranges of n series.

    Computing them together makes thousands of short series almost as cheap as one long one.
    """

    minimum: npt.NDArray[np.float64]
    """float64[n]: smallest finite value; NaN without one."""

    maximum: npt.NDArray[np.float64]
    """float64[n]: largest finite value; NaN without one."""

    nan: npt.NDArray[np.int64]
    """int64[n]: number of NaN values."""

    inf: npt.NDArray[np.int64]
    """int64[n]: number of infinite values."""


def compute_series_extents(series: Sequence[npt.NDArray[np.float64]]) -> Extents:
    """Return the value ranges of series.

    Args:
        series: float64[m] each, m >= 1.
    """
    batches = [_compute_extents(values, starts) for values, starts in _iter_batches(series)]
    if not batches:
        return Extents(np.zeros(0), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64))
    minima, maxima, nan, inf = (np.concatenate(column) for column in zip(*batches, strict=True))
    return Extents(minima, maxima, nan, inf)


def column_extents(values: npt.NDArray[np.float64], starts: npt.NDArray[np.int64]) -> Extents:
    """Return the value ranges of series that follow each other in one column.

    Args:
        values: float64[n].
        starts: Index of the first value of each series, ascending, int64[series].
    """
    if not len(starts):
        return compute_series_extents([])
    minima, maxima, nan, inf = _compute_extents(values, starts)
    return Extents(minima, maxima, nan, inf)


def is_strictly_ascending(series: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.bool_]:
    """Return True for each series whose steps strictly ascend, bool[n].

    Args:
        series: int64[m] each, m >= 1.
    """
    is_ascending_series: list[npt.NDArray[np.bool_]] = [np.zeros(0, np.bool_)]
    for steps, starts in _iter_batches(series):
        is_rising = np.ones(len(steps), np.bool_)
        np.greater(steps[1:], steps[:-1], out=is_rising[1:])
        is_rising[starts] = True
        is_ascending_series.append(np.logical_and.reduceat(is_rising, starts))
    return np.concatenate(is_ascending_series)


def _compute_extents(values: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]) -> tuple[npt.NDArray[Any], ...]:
    with np.errstate(invalid="ignore"):
        minima, maxima = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    none = np.zeros(len(starts), np.int64)
    if np.isfinite(minima).all() and np.isfinite(maxima).all():  # a NaN is an extreme to numpy
        return minima, maxima, none, none
    finite = np.isfinite(values)
    nan = np.isnan(values)
    counted = [np.add.reduceat(mask.astype(np.int64), starts) for mask in (finite, nan)]
    finite_counts, nans = counted
    sizes = np.diff(starts, append=len(values))
    minima = np.minimum.reduceat(np.where(finite, values, np.inf), starts)
    maxima = np.maximum.reduceat(np.where(finite, values, -np.inf), starts)
    minima[finite_counts == 0] = maxima[finite_counts == 0] = np.nan
    return minima, maxima, nans, sizes - finite_counts - nans


def _iter_batches(series: Sequence[npt.NDArray[Extent]]) -> Iterator[tuple[npt.NDArray[Extent], npt.NDArray[np.intp]]]:
    """Yield series concatenated to batches, a long one alone and not copied, with the start of each."""
    batch: list[npt.NDArray[Extent]] = []
    size = 0
    for values in series:
        if batch and size + len(values) > BATCH_POINTS:
            yield _concatenate_batch(batch)
            batch, size = [], 0
        batch.append(values)
        size += len(values)
    if batch:
        yield _concatenate_batch(batch)


def _concatenate_batch(batch: Sequence[npt.NDArray[Extent]]) -> tuple[npt.NDArray[Extent], npt.NDArray[np.intp]]:
    starts = np.zeros(len(batch), np.intp)
    np.cumsum([len(values) for values in batch[:-1]], out=starts[1:])
    return (batch[0] if len(batch) == 1 else np.concatenate(batch)), starts


Number = TypeVar("Number", bound=np.generic)


def find_unique_values(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Return each value once, ascending, followed by every NaN.

    numpy's `unique` and `median` import masked arrays first, which would delay the start.

    Args:
        values: One dimension, any order.
    """
    ordered = np.sort(values)
    unique: npt.NDArray[Number] = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return unique


MAX_LISTED_VALUES = 32
"""Maximum number of values whose median Python computes faster than numpy."""


MAX_SORTED_VALUES = 1024
"""Maximum number of values that are sorted to find their median; more are partitioned."""


def compute_median(values: npt.NDArray[np.float64]) -> float:
    """Return the median, as `np.median` does.

    Args:
        values: float64[n], n >= 1.

    Returns:
        NaN if any value is NaN.
    """
    middle = len(values) // 2
    if len(values) <= MAX_LISTED_VALUES:
        listed = values.tolist()
        if any(map(math.isnan, listed)):
            return float("nan")
        listed.sort()
        return float(listed[middle] if len(listed) % 2 else (listed[middle - 1] + listed[middle]) / 2)
    # NaN sorts last. numpy 2.4 partitions equal values ten times slower than it sorts them.
    ordered = values.copy()
    if len(values) <= MAX_SORTED_VALUES:
        ordered.sort()  # of a hundred values, `np.sort` takes half as long again
    else:
        ordered.partition((middle - 1, middle, -1))
    if math.isnan(ordered.item(-1)):
        return math.nan
    return float(ordered[middle]) if len(values) % 2 else (ordered.item(middle - 1) + ordered.item(middle)) / 2
