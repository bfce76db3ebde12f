"""Moments, quantiles and anomalies of histograms."""

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
"""Buckets processed at once."""

_NARROW = 1e-9
"""Variances below this share of the largest squared value are lost in the rounding of the writer's sums."""

_ROUNDING = 1e-6
"""Tolerated deviation of the writer's sums from its buckets, as a share of the largest value: some writers add
32-bit floats.
"""


@frozen(eq=False)
class Moments:
    """Moments of n histograms; NaN for empty and unreadable ones."""

    count: npt.NDArray[np.float64]
    """float64[n]: number of values; 0 for an empty histogram."""

    mean: npt.NDArray[np.float64]
    """float64[n]"""

    std: npt.NDArray[np.float64]
    """float64[n]: population standard deviation."""

    least: npt.NDArray[np.float64]
    """float64[n]: left edge of the first bucket with a count."""

    greatest: npt.NDArray[np.float64]
    """float64[n]: right edge of the last bucket with a count."""

    exact: npt.NDArray[np.bool_]
    """bool[n]: True if mean and deviation are those of the values, False if computed from bucket centres."""

    one_bucket: npt.NDArray[np.bool_]
    """bool[n]: True if one bucket of some width holds all values, so that their distribution is not known."""


def moments(buckets: Buckets) -> Moments:
    """Return the moments of each histogram, from the writer's sums if these are known and plausible.

    Sums are implausible if mean or deviation differ from those of the bucket centres by more than bucket widths allow.
    If the deviation is very small relative to the values, sums do not determine it, and bucket centres are used. The
    centre of a single bucket says nothing about the deviation, which is NaN then.
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
    one_bucket = np.zeros(len(buckets), np.bool_)
    one_bucket[rows] = (first == last) & (least[rows] < greatest[rows])
    std[one_bucket & ~exact] = np.nan
    return Moments(buckets.totals, mean, std, least, greatest, exact & np.isfinite(least), one_bucket)


def _scaled_moments(
    buckets: Buckets, size: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return mean and deviation in units of `size`, and True where they are exact; undefined for empty histograms."""
    sizes = np.diff(buckets.starts)
    some = np.flatnonzero(sizes)
    starts = buckets.starts[some]

    def sums(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        totals = np.zeros(len(sizes))
        if len(some):
            totals[some] = np.add.reduceat(values, starts)
        return totals

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


TOTAL_BASIS_POINTS = 10_000
"""Basis points of 100 %."""

BASIS_POINTS = (0, 668, 1587, 3085, 5000, 6915, 8413, 9332, TOTAL_BASIS_POINTS)
"""Quantiles at -inf, -1.5, -1, -0.5, 0, 0.5, 1, 1.5 and inf standard deviations of a normal distribution."""

_CELLS = 1 << 18
"""Weights accumulated at once; a histogram with more buckets is a block of its own."""

_MAX_TOTAL = 1e300
"""Counts with a larger sum are scaled down to avoid overflow."""


def quantiles(buckets: Buckets, points: Sequence[float] = BASIS_POINTS) -> npt.NDArray[np.float64]:
    """Return the value at each basis point of each histogram, interpolated within its bucket.

    Weights are summed in the order and with the rounding of TensorBoard (`plugins/distribution/compressor.py`): if
    exactly half of the values are below a gap, the last digit of the sum decides on which side the median is.

    Args:
        buckets: n histograms.
        points: Basis points, of 10,000.

    Returns:
        float64[n, len(points)]. 0.0 for a histogram without buckets; the right end of the last bucket if all are empty;
        NaN for an unreadable one.
    """
    probabilities = np.array(points, np.float64)
    values = np.zeros((len(buckets), len(probabilities)))
    widest = int(np.diff(buckets.starts).max(initial=0))
    if widest:
        at_once = max(1, _CELLS // widest)
        for first in range(0, len(buckets), at_once):
            rows = slice(first, first + at_once)
            block = select_rows(buckets, rows)
            if len(block.lefts):
                values[rows] = _block_quantiles(block, probabilities)
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
    """Return the cumulative weights of buckets, float64[n, widest] in basis points; the last one fills its row."""
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
    """Count the weights of each row that are at most each point, int64[n, points], by bisection; rows ascend."""
    rows, columns = weights.shape
    before = (np.arange(rows) * columns - 1)[:, None]
    counts: npt.NDArray[np.int64] = np.zeros((rows, len(points)), np.int64)
    step = 1 << columns.bit_length()
    while step := step >> 1:
        next_found = counts + step
        counts = np.where(weights.take(before + np.minimum(next_found, columns)) <= points, next_found, counts)
    return counts


def _interpolation_ends(
    buckets: Buckets, here: npt.NDArray[np.int64], before: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the values between which to interpolate in the buckets `here`, with the weight `before` them.

    The left end is the right edge of the bucket before; without weight before, the left edge of the first bucket.
    """
    first = np.minimum(buckets.starts[:-1, None], len(buckets.lefts) - 1)
    at = first + here
    lefts = np.where(before > 0, buckets.rights[np.maximum(at - 1, 0)], buckets.lefts[first])
    return lefts, buckets.rights[at]


ANOMALY_DECADES = 3.0
"""Change by a factor of a thousand is an anomaly. Gradients of ordinary trainings vary about tenfold."""

MIN_HISTORY = 5
"""Minimum number of earlier histograms with a spread; fewer have no meaningful median."""

WARM_UP_SHARE = 0.1
"""Share of all histograms in which large changes are normal."""

MIN_LASTING = 2
"""Number of newest histograms that must show the change: a single one may be an exception."""


@frozen
class Anomaly:
    """Kind and start of an anomaly."""

    kind: Literal["collapsed", "exploded", "lost"]
    """The deviation fell to a thousandth or less, the values grew a thousandfold or more, or they are NaN."""

    since: int
    """Index of the first affected histogram; all later ones are affected too."""


def find_anomaly(figures: Moments, lost: Collection[int] = ()) -> Anomaly | None:
    """Return the anomaly of the newest histograms, if there is one.

    The rule is conservative. It compares with the median of all earlier histograms, so slow changes and single outliers
    are not reported: spreading in the first steps, gradients that shrink during learning, a spike that has passed.

    * `lost`: the newest histograms cannot be drawn because of NaN.
    * `collapsed`: the standard deviation is and stays at most a thousandth of the median of all earlier ones. A
    histogram without any spread so far (a dead gradient, a single value) cannot collapse.
    * `exploded`: the root mean square is and stays at least a thousand times the median of all earlier ones.

    A change within the first `WARM_UP_SHARE` of all histograms is not reported, nor one that has not lasted for
    `MIN_LASTING` histograms. Empty histograms do not count.

    Args:
        figures: Moments of n histograms, ordered by step.
        lost: Indices of the histograms that are unreadable because of NaN.
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
    """Return the index from which all levels (logarithms) stay `ANOMALY_DECADES` below the median before.

    The median is that of the finite levels before the index.
    """
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
