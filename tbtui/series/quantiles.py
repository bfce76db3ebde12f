"""Values below which given parts of a histogram lie, as TensorBoard's Distributions has them.

Source: `plugins/distribution/compressor.py`. Weights are added up in its order and with its rounding: where just half
the values lie below a gap, the last digit of their sum decides at which side of the gap the median is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.series.histograms import part

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.series.histograms import Buckets

WHOLE = 10_000
"""Basis points of a whole."""

BASIS_POINTS = (0, 668, 1587, 3085, 5000, 6915, 8413, 9332, WHOLE)
"""Where a normal distribution has its -inf, -1.5, -1, -0.5, 0, 0.5, 1, 1.5 and inf standard deviations."""

_CELLS = 1 << 18
"""Weights added up at once; a histogram of more buckets is a block of its own."""

_MOST_VALUES = 1e300
"""Counts of larger sum are scaled down, so that nothing overflows."""


def quantiles(buckets: Buckets, points: Sequence[float] = BASIS_POINTS) -> npt.NDArray[np.float64]:
    """The value at each basis point of each histogram, interpolated within the bucket that it falls into.

    Args:
        buckets: n histograms.
        points: Basis points, of 10,000.

    Returns:
        float64[n, len(points)]. A histogram without buckets has 0.0 everywhere, one whose buckets are all empty the
        right end of the last; one that could not be read has NaN.
    """
    wanted = np.array(points, np.float64)
    values = np.zeros((len(buckets), len(wanted)))
    widest = int(np.diff(buckets.starts).max(initial=0))
    if widest:
        at_once = max(1, _CELLS // widest)
        for first in range(0, len(buckets), at_once):
            rows = slice(first, first + at_once)
            block = part(buckets, rows)
            if len(block.lefts):
                values[rows] = _block_quantiles(block, wanted)
    values[np.isnan(buckets.totals)] = np.nan
    return values


def _block_quantiles(buckets: Buckets, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    sizes, weights = np.diff(buckets.starts), _running_weights(buckets)
    reached = np.minimum(_how_many_up_to(weights, points), sizes[:, None])
    here = np.clip(reached, 0, np.maximum(sizes - 1, 0)[:, None])  # the bucket a point falls into, or the last
    at, before = np.take_along_axis(weights, here, 1), np.take_along_axis(weights, np.maximum(here - 1, 0), 1)
    before[here == 0] = 0.0
    lefts, rights = _ends(buckets, here, before)
    share = np.divide(points - before, at - before, out=np.ones_like(at), where=reached < sizes[:, None])
    half = (rights / 2 - lefts / 2) * share  # the whole width of a bucket may be more than any float
    with np.errstate(over="ignore"):
        values = np.where(share < 1.0, np.minimum(lefts + half + half, rights), rights)
    values[sizes == 0] = 0.0
    return values


def _running_weights(buckets: Buckets) -> npt.NDArray[np.float64]:
    """float64[n, widest]: the weight of each histogram's buckets so far, in basis points; the last one's from there."""
    sizes = np.diff(buckets.starts)
    columns = np.arange(sizes.max(initial=1))
    weights = np.zeros((len(sizes), len(columns)))
    weights[columns < sizes[:, None]] = buckets.counts
    totals = np.where(buckets.totals > 0, buckets.totals, 1.0)
    if huge := np.flatnonzero(totals > _MOST_VALUES).tolist():
        weights[huge] *= 2.0**-64
        totals[huge] *= 2.0**-64
    weights *= WHOLE
    weights /= totals[:, None]
    return np.cumsum(weights, axis=1, out=weights)


def _how_many_up_to(weights: npt.NDArray[np.float64], points: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """int64[n, points]: how many weights of each row are at most each point, found by halving; rows ascend."""
    rows, columns = weights.shape
    before = (np.arange(rows) * columns - 1)[:, None]
    found: npt.NDArray[np.int64] = np.zeros((rows, len(points)), np.int64)
    step = 1 << columns.bit_length()
    while step := step >> 1:
        next_found = found + step
        found = np.where(weights.take(before + np.minimum(next_found, columns)) <= points, next_found, found)
    return found


def _ends(
    buckets: Buckets, here: npt.NDArray[np.int64], before: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Between which values to interpolate in the buckets `here`, of a weight `before` them.

    The left end is where the bucket before ends; if there is nothing before, where the first bucket begins.
    """
    first = np.minimum(buckets.starts[:-1, None], len(buckets.lefts) - 1)
    at = first + here
    lefts = np.where(before > 0, buckets.rights[np.maximum(at - 1, 0)], buckets.lefts[first])
    return lefts, buckets.rights[at]
