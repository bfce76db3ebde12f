"""Count, mean, standard deviation and extremes of histograms."""

from __future__ import annotations

import math
from bisect import insort
from typing import TYPE_CHECKING, Literal

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.histograms import filled_ends, iter_blocks, select_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt

    from tbtui.maths.histograms import Buckets


_BLOCK = 1 << 16
"""Buckets looked at at once."""

_NARROW = 1e-9
"""Variances below this part of the greatest value squared are lost in the rounding of the writer's sums."""

_ROUNDING = 1e-6
"""By this part of the greatest value may the writer's sums contradict its buckets: some add up 32-bit floats."""


@frozen(eq=False)
class Moments:
    """Figures of n histograms; NaN where nothing is in one, or it could not be read."""

    count: npt.NDArray[np.float64]
    """float64[n]: how many values; 0 for a histogram of nothing."""

    mean: npt.NDArray[np.float64]
    """float64[n]"""

    std: npt.NDArray[np.float64]
    """float64[n]: standard deviation of the values themselves, not of what they are a sample of."""

    least: npt.NDArray[np.float64]
    """float64[n]: where the first bucket that has a count begins."""

    greatest: npt.NDArray[np.float64]
    """float64[n]: where the last one ends."""

    exact: npt.NDArray[np.bool_]
    """bool[n]: mean and deviation are those of the values; otherwise of buckets, as if all of one lay in its middle."""


def moments(buckets: Buckets) -> Moments:
    """Figures of each histogram, from the writer's sums where they are known and can be true.

    They cannot where mean or deviation are further from those of the buckets' middles than the buckets' widths allow.
    And where the deviation is very small beside the values, the sums do not tell it: then those of the middles stand.
    """
    rows, first, last = filled_ends(buckets)
    least, greatest, mean, std = np.full((4, len(buckets)), np.nan)
    least[rows], greatest[rows] = buckets.lefts[first], buckets.rights[last]
    # In units of the greatest value, so that neither it nor its square is too large or too small for a float.
    size = np.maximum(np.abs(least), np.abs(greatest))
    size[size == 0] = 1.0
    exact = np.zeros(len(buckets), np.bool_)
    for at in iter_blocks(buckets, _BLOCK):
        mean[at], std[at], exact[at] = _scaled_moments(select_rows(buckets, at), size[at])
    mean, std = np.clip(mean * size, least, greatest), std * size
    std[least == greatest] = 0.0
    std[np.isnan(least)] = np.nan
    return Moments(buckets.totals, mean, std, least, greatest, exact & np.isfinite(least))


def _scaled_moments(
    buckets: Buckets, size: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Mean and deviation in units of `size`, and whether they are exact; whatever where nothing is in a histogram."""
    sizes = np.diff(buckets.starts)
    some = np.flatnonzero(sizes)
    starts = buckets.starts[some]

    def sums(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        found = np.zeros(len(sizes))
        if len(some):
            found[some] = np.add.reduceat(values, starts)
        return found

    total = sums(buckets.counts)
    total[total == 0] = 1.0
    shares = buckets.counts / np.repeat(total, sizes)
    unit = np.repeat(size, sizes)
    with np.errstate(over="ignore"):  # empty buckets may reach beyond the greatest value
        low, high = (np.clip(edges / unit, -1.0, 1.0) for edges in (buckets.lefts, buckets.rights))
    middles, halves = (low + high) / 2, (high - low) / 2
    mean = sums(shares * middles)
    middles -= np.repeat(mean, sizes)
    std = np.sqrt(sums(shares * middles**2))
    off, off_rms = sums(shares * halves), np.sqrt(sums(shares * halves**2))
    with np.errstate(over="ignore", invalid="ignore"):
        told_mean = buckets.sums / total / size
        told_variance = buckets.squares / total / size / size - told_mean**2
    told_variance[~(told_variance > _NARROW)] = np.nan
    told_std = np.sqrt(told_variance)
    true = (np.abs(told_mean - mean) <= off + _ROUNDING) & (np.abs(told_std - std) <= off_rms + _ROUNDING)
    return np.where(true, told_mean, mean), np.where(true, told_std, std), true | (off_rms == 0)


# Values below which given parts of a histogram lie, as TensorBoard's Distributions has them.
#
# Source: `plugins/distribution/compressor.py`. Weights are added up in its order and with its rounding: where just
# half
# the values lie below a gap, the last digit of their sum decides at which side of the gap the median is.


TOTAL_BASIS_POINTS = 10_000
"""Basis points of a whole."""

BASIS_POINTS = (0, 668, 1587, 3085, 5000, 6915, 8413, 9332, TOTAL_BASIS_POINTS)
"""Where a normal distribution has its -inf, -1.5, -1, -0.5, 0, 0.5, 1, 1.5 and inf standard deviations."""

_CELLS = 1 << 18
"""Weights added up at once; a histogram of more buckets is a block of its own."""

_MAX_TOTAL = 1e300
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
            block = select_rows(buckets, rows)
            if len(block.lefts):
                values[rows] = _block_quantiles(block, wanted)
    values[np.isnan(buckets.totals)] = np.nan
    return values


def _block_quantiles(buckets: Buckets, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    sizes, weights = np.diff(buckets.starts), _running_weights(buckets)
    reached = np.minimum(_count_up_to(weights, points), sizes[:, None])
    here = np.clip(reached, 0, np.maximum(sizes - 1, 0)[:, None])  # the bucket a point falls into, or the last
    at, before = np.take_along_axis(weights, here, 1), np.take_along_axis(weights, np.maximum(here - 1, 0), 1)
    before[here == 0] = 0.0
    lefts, rights = _interpolation_ends(buckets, here, before)
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
    if huge := np.flatnonzero(totals > _MAX_TOTAL).tolist():
        weights[huge] *= 2.0**-64
        totals[huge] *= 2.0**-64
    weights *= TOTAL_BASIS_POINTS
    weights /= totals[:, None]
    return np.cumsum(weights, axis=1, out=weights)


def _count_up_to(weights: npt.NDArray[np.float64], points: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """int64[n, points]: how many weights of each row are at most each point, found by halving; rows ascend."""
    rows, columns = weights.shape
    before = (np.arange(rows) * columns - 1)[:, None]
    found: npt.NDArray[np.int64] = np.zeros((rows, len(points)), np.int64)
    step = 1 << columns.bit_length()
    while step := step >> 1:
        next_found = found + step
        found = np.where(weights.take(before + np.minimum(next_found, columns)) <= points, next_found, found)
    return found


def _interpolation_ends(
    buckets: Buckets, here: npt.NDArray[np.int64], before: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Between which values to interpolate in the buckets `here`, of a weight `before` them.

    The left end is where the bucket before ends; if there is nothing before, where the first bucket begins.
    """
    first = np.minimum(buckets.starts[:-1, None], len(buckets.lefts) - 1)
    at = first + here
    lefts = np.where(before > 0, buckets.rights[np.maximum(at - 1, 0)], buckets.lefts[first])
    return lefts, buckets.rights[at]


# Whether something has happened to the values of a tag: a mark in an overview of many.
#
# A rule that would rather say nothing. A histogram is compared with the middle one (the median) of all before it, so
# that
# what changes slowly is no news, nor is one odd histogram: values that spread from zero in the first steps, gradients
# that shrink while a model learns, a spike that has passed.


ANOMALY_DECADES = 3.0
"""A thousandth, or a thousandfold, of what was before is news. Gradients of ordinary trainings vary about tenfold."""

MIN_HISTORY = 5
"""Histograms of some spread that there have to be before; fewer have no middle worth the name."""

WARM_UP_SHARE = 0.1
"""Part of all histograms that belongs to the beginning, in which much may change."""

MIN_LASTING = 2
"""Histograms that it has to last for, up to the newest: one alone may be an odd one."""


@frozen
class Anomaly:
    """What happened, and since when."""

    kind: Literal["collapsed", "exploded", "lost"]
    """The deviation fell to a thousandth or less, the values grew a thousandfold or more, or they are NaN."""

    since: int
    """Index of the first histogram of those that are so, all later ones among them."""


def find_anomaly(figures: Moments, lost: Collection[int] = ()) -> Anomaly | None:
    """What is the matter with the newest histograms, if anything.

    * `lost`: the newest could not be drawn because of NaN; since the first of those in a row that could not.
    * `collapsed`: the standard deviation is and stays at most a thousandth of the median of all before that had any.
      What never had one (a dead gradient from the start, a single value) did not collapse.
    * `exploded`: the root of the mean square is and stays at least a thousand times the median of all before.

    A change in the first `WARM_UP` of all histograms is none of these, nor is one that has not lasted for `LASTING`
    histograms. Empty histograms do not count.

    Args:
        figures: Of n histograms, in the order of steps.
        lost: Indices of the histograms that could not be read because of NaN.
    """
    newest = len(figures.count) - 1
    if newest in lost:
        since = newest
        while since - 1 in lost:
            since -= 1
        return Anomaly("lost", since)
    at = np.flatnonzero(np.isfinite(figures.std))
    with np.errstate(over="ignore", divide="ignore"):
        spread, size = np.log10(figures.std[at]), np.log10(np.hypot(figures.mean[at], figures.std[at]))
    if (index := _first_lasting_drop(spread)) is not None:
        return Anomaly("collapsed", int(at[index]))
    if (index := _first_lasting_drop(-size)) is not None:
        return Anomaly("exploded", int(at[index]))
    return None


def _first_lasting_drop(levels: npt.NDArray[np.float64]) -> int | None:
    """From where on all levels (logarithms) are `DECADES` or more below the median of the finite ones before."""
    last = len(levels) - MIN_LASTING
    finite = levels[np.isfinite(levels)]
    highest = np.maximum.accumulate(levels[::-1])[::-1]
    if last < 0 or not len(finite) or highest[last] > finite.max() - ANOMALY_DECADES:
        return None
    before: list[float] = []
    for index, (level, highest_from_here) in enumerate(zip(levels.tolist(), highest.tolist(), strict=True)):
        if index > last:
            break
        if (
            index >= WARM_UP_SHARE * len(levels)
            and len(before) >= MIN_HISTORY
            and highest_from_here <= before[len(before) // 2] - ANOMALY_DECADES
        ):
            return index
        if math.isfinite(level):
            insort(before, level)
    return None
