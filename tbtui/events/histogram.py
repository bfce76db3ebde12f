"""One histogram, as old writers put it (`HistogramProto`) or newer ones (a tensor), made fit to be drawn.

Source: TensorBoard `data_compat.py`, the rule of its Python loader for old histograms: empty buckets at both ends are
cut off, the first left edge is the least value and the last right edge the greatest. The faster loader keeps the empty
buckets, which gives buckets that run backwards.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import VALUE_KINDS
from tbtui.events.tensors import shape_text, to_array
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_EDGE = 2.0**1022
"""An edge from here on is none: writers mean "all the rest" by the greatest number there is (TF1) or an infinite one.
The distance of two smaller ones is finite."""

HAS_NAN = "a NaN is among the values of this step"
HAS_INFINITE = "an infinite value is among the values of this step"

_OVERLAP = 1e-6
"""Buckets that overlap by a smaller part of the whole width were only rounded."""


class HistogramError(ValueError):
    """What stands here cannot be drawn as a histogram; the message is one plain sentence."""


@frozen(eq=False)
class Bars:
    """Buckets fit to be drawn: edges finite and ascending, counts finite and not negative; each float64[k]."""

    lefts: npt.NDArray[np.float64]
    rights: npt.NDArray[np.float64]
    counts: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.counts)


@frozen
class HistogramTotals:
    """What a writer says of all values together; NaN where it does not."""

    count: float = math.nan
    sum: float = math.nan
    squares: float = math.nan
    """Sum of their squares."""


def histogram_rows(histogram: Any) -> npt.NDArray[np.float64]:
    """Rows `[left, right, count]` of a `HistogramProto`, ascending and without gaps, float64[k, 3]."""
    limits, counts = _columns(histogram)
    filled = np.flatnonzero(counts[: len(limits)])
    if not len(filled):
        return np.zeros((0, 3))
    first, last = int(filled[0]), int(filled[-1])
    edges = _edges(limits[first:last], histogram.min, histogram.max)
    return np.column_stack([edges[:-1], edges[1:], counts[first : last + 1]])


def read_histogram(value: Any) -> tuple[Bars, HistogramTotals]:
    """The histogram that a `SummaryValue` holds.

    Raises:
        HistogramError: It holds something else, or one that cannot be drawn.
        TensorError: Its tensor cannot be read.
    """
    kind = value.WhichOneof("value")
    if kind == "histo":
        old = value.histo
        return bars_from_limits(*_columns(old), old.min, old.max, old.num), HistogramTotals(
            old.num, old.sum, old.sum_squares
        )
    if kind != "tensor":
        raise HistogramError(f"{VALUE_KINDS[kind]} stands here in place of a histogram")
    array = to_array(value.tensor)
    if array.dtype.kind in "Oc":
        raise HistogramError("a tensor without real numbers stands here in place of a histogram")
    if array.ndim != 2 or array.shape[1] != 3:
        what = f"a tensor of shape {shape_text(array.shape)}" if array.ndim else "a single number"
        raise HistogramError(f"{what} stands here in place of a histogram")
    return bars_from_rows(array.astype(np.float64)), HistogramTotals()


def bars_from_limits(
    limits: npt.NDArray[np.float64], counts: npt.NDArray[np.float64], least: float, greatest: float, number: float
) -> Bars:
    """The buckets of an old histogram.

    Args:
        limits: right edge of each bucket, float64[k].
        counts: how many values are in each, float64[k].
        least: the least value.
        greatest: the greatest one.
        number: how many values there were.

    Raises:
        HistogramError: They cannot be drawn.
    """
    if math.isnan(least) or math.isnan(greatest):
        raise HistogramError(HAS_NAN)
    # Some writers begin with an infinite least and greatest value, and leave them when no value comes.
    if number != 0 and (math.isinf(least) or math.isinf(greatest)):
        raise HistogramError(HAS_INFINITE)
    _check_counts(counts)
    if counts[len(limits) :].any():
        raise HistogramError("it has counts without a bucket")
    filled = np.flatnonzero(counts[: len(limits)])
    if not len(filled):
        return _NOTHING
    first, last = int(filled[0]), int(filled[-1])
    if least == greatest and (limits[first:last] != least).any():
        # Values in several buckets are not all equal: the writer left them out, and only the limits tell.
        least, greatest = limits[max(first - 1, 0)], limits[last]
    if np.isnan([least, greatest, *limits[first:last]]).any():
        raise HistogramError("an edge of its buckets is not a number")
    edges = _edges(limits[first:last], least, greatest)
    return _with_ends(Bars(edges[:-1], edges[1:], counts[first : last + 1]))


def bars_from_rows(rows: npt.NDArray[np.float64]) -> Bars:
    """The buckets of a histogram given as left edges, right edges and counts, float64[k, 3].

    Raises:
        HistogramError: They cannot be drawn.
    """
    if not len(rows):
        return _NOTHING
    bars = _with_ends(Bars(*rows.T.copy()))
    _check_counts(bars.counts)
    if (bars.lefts <= bars.rights).all() and (bars.rights[:-1] <= bars.lefts[1:]).all():
        return bars
    return _in_order(bars)


def _columns(histogram: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return np.array(histogram.bucket_limit, np.float64), np.array(histogram.bucket, np.float64)


def _edges(inner: npt.NDArray[np.float64], least: float, greatest: float) -> npt.NDArray[np.float64]:
    """All edges of an old histogram, given those between its buckets."""
    low, high = sorted((least, greatest))
    # Writers have been seen whose limits run backwards or leave the range of the values; those are drawn into it.
    return np.concatenate([[low], np.maximum.accumulate(np.clip(inner, low, high)), [high]])


def _check_counts(counts: npt.NDArray[np.float64]) -> None:
    if np.isnan(counts).any():
        raise HistogramError("a count of its buckets is not a number")
    if (counts < 0).any():
        raise HistogramError("a count of its buckets is negative")
    with np.errstate(over="ignore"):
        if np.isinf(counts.sum()):
            raise HistogramError("a count of its buckets is infinite")


def _with_ends(bars: Bars) -> Bars:
    """Close buckets that go on without end, at the edge where they meet their neighbours; there are no such inside."""
    lefts, rights = bars.lefts, bars.rights
    if len(bars) > 1 and lefts[0] <= -MAX_EDGE and math.isfinite(rights[0]):
        lefts[0] = rights[0]
    if len(bars) > 1 and rights[-1] >= MAX_EDGE and math.isfinite(lefts[-1]):
        rights[-1] = lefts[-1]
    edges = np.concatenate([lefts, rights])
    if np.isinf(edges).any():
        raise HistogramError(HAS_INFINITE)
    if np.isnan(edges).any():
        raise HistogramError(HAS_NAN)
    if (np.abs(edges) >= MAX_EDGE).any():
        raise HistogramError("its buckets have no end")
    return bars


def _in_order(bars: Bars) -> Bars:
    """Buckets that run backwards or stand in another order, put right.

    Raises:
        HistogramError: They overlap, so that no picture of them says how many values are where.
    """
    filled = bars.counts > 0
    lefts, rights = np.minimum(bars.lefts, bars.rights)[filled], np.maximum(bars.lefts, bars.rights)[filled]
    order = np.lexsort((rights, lefts))
    lefts, rights, counts = lefts[order], rights[order], bars.counts[filled][order]
    rights = np.maximum.accumulate(rights)
    overlaps = rights[:-1] - lefts[1:]
    if (overlaps > _OVERLAP * (rights[-1:] - lefts[:1])).any():
        raise HistogramError("its buckets overlap")
    lefts[1:] = np.maximum(lefts[1:], rights[:-1])
    return Bars(lefts, rights, counts)


_NOTHING = Bars(np.zeros(0), np.zeros(0), np.zeros(0))
