"""Moments, quantiles and anomalies of histograms."""

from __future__ import annotations

import math
from bisect import insort
from typing import TYPE_CHECKING, Literal

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.histograms import find_filled_ends, iter_blocks, select_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt

    from tbtui.maths.histograms import Buckets


_BLOCK = 1 << 16
"""Buckets processed at once."""

_NARROW = 1e-9
"""Minimum variance, as a share of the largest squared value, that the writer's sums determine despite rounding."""

_ROUNDING = 1e-6
"""Tolerated deviation of the writer's sums from its buckets, as a share of the largest value: some writers sum 32-bit
floats."""


@frozen(eq=False)
class Moments:
    """Moments of n histograms; NaN for empty and unreadable ones."""

    count: npt.NDArray[np.float64]
    """float64[n]: number of values; 0 for an empty histogram."""

    mean: npt.NDArray[np.float64]
    """float64[n]"""

    std: npt.NDArray[np.float64]
    """float64[n]: population standard deviation."""

    minimum: npt.NDArray[np.float64]
    """float64[n]: left edge of the first bucket with a count."""

    maximum: npt.NDArray[np.float64]
    """float64[n]: right edge of the last bucket with a count."""

    is_exact: npt.NDArray[np.bool_]
    """bool[n]: True if mean and deviation are those of the values, False if computed from bucket centres."""

    has_one_bucket: npt.NDArray[np.bool_]
    """bool[n]: True if one bucket with a width holds all values, so that their distribution is not known."""


def compute_moments(buckets: Buckets) -> Moments:
    """Return the moments of each histogram, from the writer's sums if these are known and plausible.

    Sums are implausible if mean or deviation differ from those of the bucket centres by more than bucket widths allow.
    Sums do not determine a deviation that is very small relative to the values; bucket centres are then used. The
    centre of a single bucket does not determine the deviation, which is then NaN.
    """
    rows, first, last = find_filled_ends(buckets)
    minimum, maximum, mean, std = np.full((4, len(buckets)), np.nan)
    minimum[rows], maximum[rows] = buckets.lefts[first], buckets.rights[last]
    # In units of the largest value, so that neither values nor their squares are out of the range of floats.
    unit = np.maximum(np.abs(minimum), np.abs(maximum))
    unit[unit == 0] = 1.0
    is_exact = np.zeros(len(buckets), np.bool_)
    for rows_of_block in iter_blocks(buckets, _BLOCK):
        mean[rows_of_block], std[rows_of_block], is_exact[rows_of_block] = _compute_scaled_moments(
            select_rows(buckets, rows_of_block), unit[rows_of_block]
        )
    mean, std = np.clip(mean * unit, minimum, maximum), std * unit
    std[minimum == maximum] = 0.0
    std[np.isnan(minimum)] = np.nan
    one_bucket = np.zeros(len(buckets), np.bool_)
    one_bucket[rows] = (first == last) & (minimum[rows] < maximum[rows])
    std[one_bucket & ~is_exact] = np.nan
    return Moments(buckets.totals, mean, std, minimum, maximum, is_exact & np.isfinite(minimum), one_bucket)


def _compute_scaled_moments(
    buckets: Buckets, unit_of_row: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return mean and deviation in units of `unit_of_row`, and True for exact ones; undefined for empty histograms."""
    sizes = np.diff(buckets.starts)
    non_empty = np.flatnonzero(sizes)
    starts = buckets.starts[non_empty]

    def sums(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        totals = np.zeros(len(sizes))
        if len(non_empty):
            totals[non_empty] = np.add.reduceat(values, starts)
        return totals

    total = sums(buckets.counts)
    total[total == 0] = 1.0
    shares = buckets.counts / np.repeat(total, sizes)
    unit = np.repeat(unit_of_row, sizes)
    with np.errstate(over="ignore"):  # empty buckets may extend beyond the largest value
        low, high = (np.clip(edges / unit, -1.0, 1.0) for edges in (buckets.lefts, buckets.rights))
    middles, halves = (low + high) / 2, (high - low) / 2
    mean = sums(shares * middles)
    middles -= np.repeat(mean, sizes)
    std = np.sqrt(sums(shares * middles**2))
    max_mean_error, max_std_error = sums(shares * halves), np.sqrt(sums(shares * halves**2))
    with np.errstate(over="ignore", invalid="ignore"):
        stored_mean = buckets.sums / total / unit_of_row
        stored_variance = buckets.squares / total / unit_of_row / unit_of_row - stored_mean**2
    stored_variance[~(stored_variance > _NARROW)] = np.nan
    stored_std = np.sqrt(stored_variance)
    is_plausible = (np.abs(stored_mean - mean) <= max_mean_error + _ROUNDING) & (
        np.abs(stored_std - std) <= max_std_error + _ROUNDING
    )
    return (
        np.where(is_plausible, stored_mean, mean),
        np.where(is_plausible, stored_std, std),
        is_plausible | (max_std_error == 0),
    )


TOTAL_BASIS_POINTS = 10_000
"""Basis points of 100 %."""

BASIS_POINTS = (0, 668, 1587, 3085, 5000, 6915, 8413, 9332, TOTAL_BASIS_POINTS)
"""Quantiles at -inf, -1.5, -1, -0.5, 0, 0.5, 1, 1.5 and inf standard deviations of a normal distribution."""

_CELLS = 1 << 18
"""Weights accumulated at once; a histogram with more buckets is a separate block."""

_MAX_TOTAL = 1e300
"""Counts with a larger sum are scaled down to avoid overflow."""


def interpolate_quantiles(buckets: Buckets, points: Sequence[float] = BASIS_POINTS) -> npt.NDArray[np.float64]:
    """Return the value at each basis point of each histogram, interpolated within its bucket.

    Weights are summed in the order and with the rounding of TensorBoard (`plugins/distribution/compressor.py`): if
    exactly half of the values are below a gap, the last digit of the sum decides on which side the median is.

    Args:
        buckets: n histograms.
        points: Basis points, of 10,000.

    Returns:
        float64[n, len(points)]. 0.0 for a histogram without buckets, the right edge of the last bucket if all are
        empty, NaN for an unreadable histogram.
    """
    probabilities = np.array(points, np.float64)
    values = np.zeros((len(buckets), len(probabilities)))
    widest = int(np.diff(buckets.starts).max(initial=0))
    if widest:
        rows_per_block = max(1, _CELLS // widest)
        for first in range(0, len(buckets), rows_per_block):
            rows = slice(first, first + rows_per_block)
            block = select_rows(buckets, rows)
            if len(block.lefts):
                values[rows] = _compute_block_quantiles(block, probabilities)
    values[np.isnan(buckets.totals)] = np.nan
    return values


def _compute_block_quantiles(buckets: Buckets, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    sizes, weights = np.diff(buckets.starts), _accumulate_weights(buckets)
    bucket_numbers = np.minimum(_count_up_to(weights, points), sizes[:, None])
    valid_numbers = np.clip(
        bucket_numbers, 0, np.maximum(sizes - 1, 0)[:, None]
    )  # the bucket a point falls into, or the last
    weights_through, weights_before = (
        np.take_along_axis(weights, valid_numbers, 1),
        np.take_along_axis(weights, np.maximum(valid_numbers - 1, 0), 1),
    )
    weights_before[valid_numbers == 0] = 0.0
    lefts, rights = _find_interpolation_ends(buckets, valid_numbers, weights_before)
    share = np.divide(
        points - weights_before,
        weights_through - weights_before,
        out=np.ones_like(weights_through),
        where=bucket_numbers < sizes[:, None],
    )
    half = (rights / 2 - lefts / 2) * share  # the whole width of a bucket may be more than any float
    with np.errstate(over="ignore"):
        values = np.where(share < 1.0, np.minimum(lefts + half + half, rights), rights)
    values[sizes == 0] = 0.0
    return values


def _accumulate_weights(buckets: Buckets) -> npt.NDArray[np.float64]:
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
        candidates = counts + step
        counts = np.where(weights.take(before + np.minimum(candidates, columns)) <= points, candidates, counts)
    return counts


def _find_interpolation_ends(
    buckets: Buckets, bucket_numbers: npt.NDArray[np.int64], weights_before: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the values at both ends of the interpolation in buckets with a weight before them.

    The left end is the right edge of the bucket before; without weight before, the left edge of the first bucket.
    """
    first = np.minimum(buckets.starts[:-1, None], len(buckets.lefts) - 1)
    positions = first + bucket_numbers
    lefts = np.where(weights_before > 0, buckets.rights[np.maximum(positions - 1, 0)], buckets.lefts[first])
    return lefts, buckets.rights[positions]


ANOMALY_DECADES = 3.0
"""Minimum change of an anomaly, in decades. Gradients of ordinary trainings vary about tenfold."""

MIN_HISTORY = 5
"""Minimum number of earlier histograms with a spread; fewer have no meaningful median."""

WARM_UP_SHARE = 0.1
"""Share of all histograms, at the start, in which large changes are normal."""

MIN_LASTING = 2
"""Minimum number of newest histograms that show the change: a single one may be an exception."""


@frozen
class Anomaly:
    """Kind and start of an anomaly."""

    kind: Literal["collapsed", "exploded", "lost"]
    """`collapsed`: the deviation fell to at most a thousandth; `exploded`: the values grew at least a thousandfold;
    `lost`: they are NaN."""

    since: int
    """Index of the first affected histogram; all later ones are affected too."""


def find_anomaly(moments: Moments, nan_indices: Collection[int] = ()) -> Anomaly | None:
    """Return the anomaly of the newest histograms, if there is one.

    The rule is conservative. It compares with the median of all earlier histograms, so that slow changes and single
    outliers are not reported: a growing spread in the first steps, gradients that shrink during learning, a past spike.

    * `nan_indices`: the newest histograms cannot be drawn because of NaN.
    * `collapsed`: the standard deviation is and stays at most a thousandth of the median of all earlier ones. A
    histogram without any spread so far (a dead gradient, a single value) cannot collapse.
    * `exploded`: the root mean square is and stays at least a thousand times the median of all earlier ones.

    Changes within the first `WARM_UP_SHARE` of all histograms, or over fewer than `MIN_LASTING` histograms, are not
    reported. Empty histograms are ignored.

    Args:
        moments: Moments of n histograms, ordered by step.
        nan_indices: Indices of the histograms that are unreadable because of NaN values.
    """
    newest = len(moments.count) - 1
    if newest in nan_indices:
        since = newest
        while since - 1 in nan_indices:
            since -= 1
        return Anomaly("lost", since)
    usable = np.flatnonzero(np.isfinite(moments.std))
    with np.errstate(over="ignore", divide="ignore"):
        spread, size = np.log10(moments.std[usable]), np.log10(np.hypot(moments.mean[usable], moments.std[usable]))
    if (index := _find_lasting_drop(spread)) is not None:
        return Anomaly("collapsed", int(usable[index]))
    if (index := _find_lasting_drop(-size)) is not None:
        return Anomaly("exploded", int(usable[index]))
    return None


def _find_lasting_drop(levels: npt.NDArray[np.float64]) -> int | None:
    """Return the index from which all levels (logarithms) stay `ANOMALY_DECADES` below the median before.

    The median is that of the finite levels before the index.
    """
    last = len(levels) - MIN_LASTING
    finite = levels[np.isfinite(levels)]
    later_maxima = np.maximum.accumulate(levels[::-1])[::-1]
    if last < 0 or not len(finite) or later_maxima[last] > finite.max() - ANOMALY_DECADES:
        return None
    earlier: list[float] = []
    for index, (level, later_maximum) in enumerate(zip(levels.tolist(), later_maxima.tolist(), strict=True)):
        if index > last:
            break
        if (
            index >= WARM_UP_SHARE * len(levels)
            and len(earlier) >= MIN_HISTORY
            and later_maximum <= earlier[len(earlier) // 2] - ANOMALY_DECADES
        ):
            return index
        if math.isfinite(level):
            insort(earlier, level)
    return None
