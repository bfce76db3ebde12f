"""How far the values of many histograms reach, and what of that an axis has to show."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.series.histograms import blocks, part, value_limits
from tbtui.series.outliers import axis_span, without_outliers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.series.domain import Limits
    from tbtui.series.histograms import Buckets
    from tbtui.series.scales import Scale
    from tbtui.viewstate.options import Outliers

    Floats: TypeAlias = npt.NDArray[np.float64]
    Keys: TypeAlias = npt.NDArray[np.int64]

FAR = 0.01
"""Part of all values, at each end, that may lie far out."""

WORTH = 1.5
"""How many times as long the axis has to be with values far out for them to be left out."""

IGNORED = 0.05
"""Part that is left out at each end when outliers are to be ignored: TensorBoard's, of scalars."""

MOST_LOOKED_AT = 512
"""Histograms; of more, every so many-th is taken. One that is odd weighs less than may lie far out, then too."""

_BLOCK = 1 << 16
"""Buckets looked at at once."""

_DROPPED = 48
"""Bits of a float that do not matter here: its sign, its exponent and a sixteenth of it do."""

_MAGNITUDE = 2**63 - 1


@frozen(eq=False)
class Tally:
    """How much weight there is at which places."""

    places: Floats
    """float64[k], ascending."""

    weights: Floats
    """float64[k], above 0."""


@frozen(eq=False)
class Spread:
    """How far the values of some histograms reach."""

    limits: Limits | None
    """The least left and the greatest right edge of all buckets that have a count; None without any."""

    lows: Tally
    """What begins where: left edges, rounded down by a sixteenth at most. Each histogram weighs as much as another."""

    highs: Tally
    """Likewise what ends where: right edges, rounded up."""


def spread_of(buckets: Buckets) -> Spread:
    """Look through the histograms; of very many through some that stand for all, but for the least and greatest value.

    Where one bucket holds more than half of a histogram it weighs no more than all others together: of values that are
    nearly all zero it is the others that tell how far they reach.
    """
    limits = value_limits(buckets)
    if limits is None:
        return _NOTHING
    each = -(-len(buckets) // MOST_LOOKED_AT)
    rows = np.arange((len(buckets) - 1) % each, len(buckets), each)  # the newest is one of them
    some = buckets if each == 1 else part(buckets, rows)
    found = [_weighed(part(some, block)) for block in blocks(some, _BLOCK)]
    lefts, rights, weights = (np.concatenate(columns) for columns in zip(*found, strict=True))
    if not len(weights):
        return Spread(limits, *(Tally(np.array([end]), np.ones(1)) for end in limits))
    weights *= each
    return Spread(limits, _within(_tally(lefts, weights, 0), limits), _within(_tally(rights, weights, 1), limits))


def joined(spreads: Sequence[Spread]) -> Spread:
    """Those of several runs, or of parts of one, as one."""
    known = [spread for spread in spreads if spread.limits is not None]
    if len(known) < 2:
        return known[0] if known else _NOTHING
    ends = [spread.limits for spread in known if spread.limits is not None]
    limits = min(low for low, _ in ends), max(high for _, high in ends)
    return Spread(limits, _together([each.lows for each in known]), _together([each.highs for each in known]))


def shown_limits(
    spread: Spread,
    everything: Limits | None,
    outliers: Outliers,
    scale: Scale = "linear",
    threshold: float = 1.0,
    *,
    glance: bool = False,
) -> Limits | None:
    """What an axis has to show of values that reach so far.

    `keep` leaves out nothing, `ignore` the outermost twentieth at each end, whatever it is. With `auto` values are left
    out only where the axis would otherwise be more than `series.outliers.FAR_OUT` times as long as 98 of 100 need it:
    one value far out, or one step in hundreds, does not press all others into one row. Then the axis goes on beyond
    these by one and a half times their span, unless that is hardly shorter; most tags lose nothing. All steps count the
    same, however many values they have.

    Args:
        spread: Of all histograms that are drawn.
        everything: The least and the greatest of their values that the scale has a place for; None without any.
        outliers: Which rule.
        scale: Of the axis; on a log scale only edges above 0 count.
        threshold: Of a symlog scale.
        glance: Whether there are so few rows that with `auto` none is spent on the outermost hundredth at each end.

    Returns:
        None when nothing counts.
    """
    lows, highs = (_above_zero(each) if scale == "log" else each for each in (spread.lows, spread.highs))
    if outliers == "keep" or everything is None or not len(highs.places):
        return everything
    lows = lows if len(lows.places) else highs
    most = _inner(lows, highs, IGNORED if outliers == "ignore" else FAR)
    if outliers == "ignore" or (glance and most[0] < most[1]):
        return most
    shorter = without_outliers(np.concatenate([lows.places, highs.places, everything]), most, scale, threshold)
    if shorter is None or axis_span(everything, scale, threshold) < WORTH * axis_span(shorter, scale, threshold):
        return everything
    return shorter


def _weighed(buckets: Buckets) -> tuple[Keys, Keys, Floats]:
    """Keys of both edges of the buckets that have a count, and the weight of each."""
    filled = np.flatnonzero(buckets.counts)
    starts = np.searchsorted(filled, buckets.starts)
    rows = np.flatnonzero(np.diff(starts))
    if not len(rows):
        return _NO_KEYS, _NO_KEYS, np.empty(0)
    sizes = np.diff(starts)[rows]
    weights = buckets.counts[filled] / np.repeat(buckets.totals[rows], sizes)
    fullest = np.maximum.reduceat(weights, starts[rows])
    others = 1.0 - fullest
    over = (weights > 0.5) & np.repeat(others > 0, sizes)
    weights[over] = np.repeat(others, sizes)[over]
    return _keys(buckets.lefts[filled]), _keys(buckets.rights[filled]), weights


def _keys(values: Floats) -> Keys:
    """Numbers that are in order as the values are."""
    bits = values.view(np.int64)
    return (bits ^ ((bits >> 63) & _MAGNITUDE)) >> _DROPPED


def _tally(keys: Keys, weights: Floats, up: int) -> Tally:
    """Weights by key; the place of one is the least value that has it, or with `up` 1 where the next one begins."""
    first = int(keys.min())
    sums = np.asarray(np.bincount(keys - first, weights), np.float64)
    some = np.flatnonzero(sums)
    ordered = (some + (first + up)) << _DROPPED
    places = (ordered ^ ((ordered >> 63) & _MAGNITUDE)).view(np.float64)
    return Tally(places, sums[some])


def _within(tally: Tally, limits: Limits) -> Tally:
    # Once more by place: limits bring some together, and zero has two signs.
    return _together([Tally(np.clip(tally.places, *limits), tally.weights)])


def _together(tallies: Sequence[Tally]) -> Tally:
    places, where = np.unique(np.concatenate([each.places for each in tallies]), return_inverse=True)
    weights = np.bincount(where, np.concatenate([each.weights for each in tallies]))
    return Tally(places, np.asarray(weights, np.float64))


def _above_zero(tally: Tally) -> Tally:
    first = int(np.searchsorted(tally.places, 0.0, "right"))
    return Tally(tally.places[first:], tally.weights[first:])


def _inner(lows: Tally, highs: Tally, share: float) -> Limits:
    """Between what all but a share of the weight lies, at each end."""
    below, above = np.cumsum(lows.weights), np.cumsum(highs.weights[::-1])
    low = lows.places[np.searchsorted(below, share * below[-1], "right")]
    high = highs.places[::-1][np.searchsorted(above, share * above[-1], "right")]
    return float(min(low, high)), float(max(low, high))


_NO_KEYS = np.empty(0, np.int64)
_EMPTY = Tally(np.empty(0), np.empty(0))
_NOTHING = Spread(None, _EMPTY, _EMPTY)
