"""Ranges of the values of histograms, from which the axis of values is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.domain import compute_axis_span, compute_extent_without_outliers
from tbtui.maths.histograms import find_value_limits, iter_blocks, select_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.maths.domain import Limits, Scale
    from tbtui.maths.histograms import Buckets
    from tbtui.settings.settings import Outliers

    Floats: TypeAlias = npt.NDArray[np.float64]
    Keys: TypeAlias = npt.NDArray[np.int64]


OUTLIER_SHARE = 0.01
"""Part of all values, at each end, that may be outliers."""

MIN_AXIS_RATIO = 1.5
"""Outliers are left out only if the axis would be at least this many times as long with them."""

IGNORED_SHARE = 0.05
"""Part left out at each end if outliers are ignored: TensorBoard's rule for scalars."""

MAX_SAMPLED_HISTOGRAMS = 512
"""Histograms in a value range; more are sampled evenly. An odd one still weighs less than outliers may."""

_BLOCK = 1 << 16
"""Buckets per block."""

_DROPPED = 48
"""Bits of a float that are ignored: sign, exponent and four bits of the fraction remain."""

_MAGNITUDE = 2**63 - 1


@frozen(eq=False)
class WeightedEdges:
    """Weights at bucket edges."""

    positions: Floats
    """float64[k], ascending."""

    weights: Floats
    """float64[k], above 0."""


@frozen(eq=False)
class ValueRange:
    """Range of the values of some histograms."""

    limits: Limits | None
    """Least left and greatest right edge of all buckets with a count; None without one."""

    lows: WeightedEdges
    """Left edges, rounded down by a sixteenth at most. Every histogram has the same weight."""

    highs: WeightedEdges
    """Right edges, rounded up."""


def compute_value_range(buckets: Buckets) -> ValueRange:
    """Return the range of values of histograms. If there are very many, edges come from a sample, limits from all.

    A bucket with more than half of the values of a histogram gets the weight of all others together: if nearly all
    values are zero, the others determine the range.
    """
    limits = find_value_limits(buckets)
    if limits is None:
        return _NOTHING
    stride = -(-len(buckets) // MAX_SAMPLED_HISTOGRAMS)
    rows = np.arange((len(buckets) - 1) % stride, len(buckets), stride)  # the newest is one of them
    sample = buckets if stride == 1 else select_rows(buckets, rows)
    blocks = [_weigh_buckets(select_rows(sample, block)) for block in iter_blocks(sample, _BLOCK)]
    lefts, rights, weights = (np.concatenate(columns) for columns in zip(*blocks, strict=True))
    if not len(weights):
        return ValueRange(limits, *(WeightedEdges(np.array([end]), np.ones(1)) for end in limits))
    weights *= stride
    return ValueRange(
        limits,
        _clip_edges(_count_weights(lefts, weights, 0), limits),
        _clip_edges(_count_weights(rights, weights, 1), limits),
    )


def merge_ranges(spreads: Sequence[ValueRange]) -> ValueRange:
    """Return the range of several runs, or of parts of one."""
    filled = [spread for spread in spreads if spread.limits is not None]
    if len(filled) < 2:
        return filled[0] if filled else _NOTHING
    ends = [spread.limits for spread in filled if spread.limits is not None]
    limits = min(low for low, _ in ends), max(high for _, high in ends)
    return ValueRange(
        limits, _merge_edges([each.lows for each in filled]), _merge_edges([each.highs for each in filled])
    )


def choose_axis_limits(
    spread: ValueRange,
    full_extent: Limits | None,
    outliers: Outliers,
    scale: Scale = "linear",
    threshold: float = 1.0,
    *,
    overview: bool = False,
) -> Limits | None:
    """Return the limits of the axis of values.

    `keep` leaves out nothing, `ignore` a twentieth at each end. `auto` leaves out values only if the axis would
    otherwise be more than `MIN_AXIS_RATIO` times as long as 98 of 100 values need: one outlier, or one step in
    hundreds, does not press all others into one row. The axis then extends beyond these by one and a half times their
    span, unless that is hardly shorter; most tags lose nothing. All steps have the same weight, whatever their counts.

    Args:
        spread: Range of all drawn histograms.
        full_extent: Least and greatest value that the scale can show; None without one.
        outliers: Rule for outliers.
        scale: Scale of the axis; a log scale ignores edges at or below 0.
        threshold: Threshold of a symlog scale.
        overview: True if the chart is one of an overview: it has few rows, so `auto` always drops the outermost
            hundredth at each end.

    Returns:
        None without a value.
    """
    lows, highs = (_select_above_zero(each) if scale == "log" else each for each in (spread.lows, spread.highs))
    if outliers == "keep" or full_extent is None or not len(highs.positions):
        return full_extent
    lows = lows if len(lows.positions) else highs
    inner = _find_inner_limits(lows, highs, IGNORED_SHARE if outliers == "ignore" else OUTLIER_SHARE)
    if outliers == "ignore" or (overview and inner[0] < inner[1]):
        return inner
    shorter = compute_extent_without_outliers(
        np.concatenate([lows.positions, highs.positions, full_extent]), inner, scale, threshold
    )
    if shorter is None or compute_axis_span(full_extent, scale, threshold) < MIN_AXIS_RATIO * compute_axis_span(
        shorter, scale, threshold
    ):
        return full_extent
    return shorter


def _weigh_buckets(buckets: Buckets) -> tuple[Keys, Keys, Floats]:
    """Return keys of both edges of the buckets with a count, and the weight of each bucket."""
    filled = np.flatnonzero(buckets.counts)
    starts = np.searchsorted(filled, buckets.starts)
    rows = np.flatnonzero(np.diff(starts))
    if not len(rows):
        return _NO_KEYS, _NO_KEYS, np.empty(0)
    sizes = np.diff(starts)[rows]
    weights = buckets.counts[filled] / np.repeat(buckets.totals[rows], sizes)
    fullest = np.maximum.reduceat(weights, starts[rows])
    others = 1.0 - fullest
    is_dominant = (weights > 0.5) & np.repeat(others > 0, sizes)
    weights[is_dominant] = np.repeat(others, sizes)[is_dominant]
    return _sort_keys(buckets.lefts[filled]), _sort_keys(buckets.rights[filled]), weights


def _sort_keys(values: Floats) -> Keys:
    """Return integers that sort as the values do."""
    bits = values.view(np.int64)
    return (bits ^ ((bits >> 63) & _MAGNITUDE)) >> _DROPPED


def _count_weights(keys: Keys, weights: Floats, up: int) -> WeightedEdges:
    """Return the weights by key, at the least value with the key, or with `up` 1 at the least value of the next key."""
    first = int(keys.min())
    sums = np.asarray(np.bincount(keys - first, weights), np.float64)
    filled = np.flatnonzero(sums)
    ordered = (filled + (first + up)) << _DROPPED
    positions = (ordered ^ ((ordered >> 63) & _MAGNITUDE)).view(np.float64)
    return WeightedEdges(positions, sums[filled])


def _clip_edges(tally: WeightedEdges, limits: Limits) -> WeightedEdges:
    # Once more by place: limits bring some together, and zero has two signs.
    return _merge_edges([WeightedEdges(np.clip(tally.positions, *limits), tally.weights)])


def _merge_edges(tallies: Sequence[WeightedEdges]) -> WeightedEdges:
    positions, where = np.unique(np.concatenate([each.positions for each in tallies]), return_inverse=True)
    weights = np.bincount(where, np.concatenate([each.weights for each in tallies]))
    return WeightedEdges(positions, np.asarray(weights, np.float64))


def _select_above_zero(tally: WeightedEdges) -> WeightedEdges:
    first = int(np.searchsorted(tally.positions, 0.0, "right"))
    return WeightedEdges(tally.positions[first:], tally.weights[first:])


def _find_inner_limits(lows: WeightedEdges, highs: WeightedEdges, share: float) -> Limits:
    """Return the limits that exclude a share of the weight at each end."""
    below, above = np.cumsum(lows.weights), np.cumsum(highs.weights[::-1])
    low = lows.positions[np.searchsorted(below, share * below[-1], "right")]
    high = highs.positions[::-1][np.searchsorted(above, share * above[-1], "right")]
    return float(min(low, high)), float(max(low, high))


_NO_KEYS = np.empty(0, np.int64)
_EMPTY = WeightedEdges(np.empty(0), np.empty(0))
_NOTHING = ValueRange(None, _EMPTY, _EMPTY)
