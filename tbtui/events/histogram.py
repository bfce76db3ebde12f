"""Convert a histogram of the old (`HistogramProto`) or new form (a tensor) to buckets that can be drawn.

Source: TensorBoard `data_compat.py`, the rule of its Python loader for old histograms: empty buckets at both ends are
removed, the first left edge is the minimum and the last right edge the maximum. The data server keeps the empty
buckets, so that some edges decrease.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.tensors import describe_tensor, read_real_array
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_EDGE = 2.0**1022
"""A larger edge means an open bucket: writers use the largest float64 (TF1) or infinity. The distance of two smaller
edges is finite."""

HAS_NAN = "a NaN is among the values of this step"
HAS_INFINITE = "an infinite value is among the values of this step"

_OVERLAP = 1e-6
"""Buckets that overlap by a smaller fraction of the whole width overlap by rounding only."""


class HistogramError(ValueError):
    """The value cannot be drawn as a histogram; the message is one sentence for the user."""


@frozen(eq=False)
class Bars:
    """Buckets that can be drawn: edges finite and ascending, counts finite and not negative; each float64[k]."""

    lefts: npt.NDArray[np.float64]
    rights: npt.NDArray[np.float64]
    counts: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.counts)


@frozen
class HistogramTotals:
    """Statistics of all values as the writer gives them; NaN if it does not."""

    count: float = math.nan
    sum: float = math.nan
    squares: float = math.nan
    """Sum of the squares."""


def read_histogram_rows(histogram: Any) -> npt.NDArray[np.float64]:
    """Return the rows `[left, right, count]` of a `HistogramProto`, ascending and without gaps, float64[k, 3]."""
    limits, counts = _read_columns(histogram)
    filled = np.flatnonzero(counts[: len(limits)])
    if not len(filled):
        return np.zeros((0, 3))
    first, last = int(filled[0]), int(filled[-1])
    edges = _clip_edges(limits[first:last], histogram.min, histogram.max)
    return np.column_stack([edges[:-1], edges[1:], counts[first : last + 1]])


def read_histogram(value: Any) -> tuple[Bars, HistogramTotals]:
    """Return the histogram of a `SummaryValue`.

    Raises:
        HistogramError: It holds another kind of value, or a histogram that cannot be drawn.
        TensorError: Its tensor cannot be read.
    """
    kind = value.WhichOneof("value")
    if kind == "histo":
        old = value.histo
        return build_bars_from_limits(*_read_columns(old), old.min, old.max, old.num), HistogramTotals(
            old.num, old.sum, old.sum_squares
        )
    array = read_real_array(value, "a histogram")
    if array.ndim != 2 or array.shape[1] != 3:
        raise HistogramError(f"{describe_tensor(array.shape)} instead of a histogram")
    return build_bars_from_rows(array.astype(np.float64)), HistogramTotals()


def build_bars_from_limits(
    limits: npt.NDArray[np.float64], counts: npt.NDArray[np.float64], least: float, greatest: float, number: float
) -> Bars:
    """Return the buckets of an old histogram.

    Args:
        limits: Right edge of each bucket, float64[k].
        counts: Number of values in each, float64[k].
        least: Minimum of the values.
        greatest: Maximum of the values.
        number: Number of values.

    Raises:
        HistogramError: The buckets cannot be drawn.
    """
    if math.isnan(least) or math.isnan(greatest):
        raise HistogramError(HAS_NAN)
    # Some writers start with an infinite minimum and maximum, and keep them if there are no values.
    if number != 0 and (math.isinf(least) or math.isinf(greatest)):
        raise HistogramError(HAS_INFINITE)
    _check_counts(counts)
    if counts[len(limits) :].any():
        raise HistogramError("it has counts without a bucket")
    filled = np.flatnonzero(counts[: len(limits)])
    if not len(filled):
        return _EMPTY
    first, last = int(filled[0]), int(filled[-1])
    if least == greatest and (limits[first:last] != least).any():
        # Values in several buckets are not all equal: the writer omitted minimum and maximum, so the limits are used.
        least, greatest = limits[max(first - 1, 0)], limits[last]
    if np.isnan([least, greatest, *limits[first:last]]).any():
        raise HistogramError("an edge of its buckets is not a number")
    edges = _clip_edges(limits[first:last], least, greatest)
    return _close_ends(Bars(edges[:-1], edges[1:], counts[first : last + 1]))


def build_bars_from_rows(rows: npt.NDArray[np.float64]) -> Bars:
    """Return the buckets of a histogram given as rows of left edge, right edge and count, float64[k, 3].

    Raises:
        HistogramError: The buckets cannot be drawn.
    """
    if not len(rows):
        return _EMPTY
    bars = _close_ends(Bars(*rows.T.copy()))
    _check_counts(bars.counts)
    if (bars.lefts <= bars.rights).all() and (bars.rights[:-1] <= bars.lefts[1:]).all():
        return bars
    return _sort_bars(bars)


def _read_columns(histogram: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return np.array(histogram.bucket_limit, np.float64), np.array(histogram.bucket, np.float64)


def _clip_edges(inner: npt.NDArray[np.float64], least: float, greatest: float) -> npt.NDArray[np.float64]:
    """Return all edges of an old histogram from the edges between its buckets."""
    low, high = sorted((least, greatest))
    # Some writers give limits that decrease or exceed the range of the values; they are clipped to it.
    return np.concatenate([[low], np.maximum.accumulate(np.clip(inner, low, high)), [high]])


def _check_counts(counts: npt.NDArray[np.float64]) -> None:
    if np.isnan(counts).any():
        raise HistogramError("a count of its buckets is not a number")
    if (counts < 0).any():
        raise HistogramError("a count of its buckets is negative")
    with np.errstate(over="ignore"):
        if np.isinf(counts.sum()):
            raise HistogramError("a count of its buckets is infinite")


def _close_ends(bars: Bars) -> Bars:
    """Close open buckets at the edge of their neighbours; only the first and the last may be open."""
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


def _sort_bars(bars: Bars) -> Bars:
    """Return the buckets in ascending order.

    Raises:
        HistogramError: They overlap, so that a drawing of them would be wrong.
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


_EMPTY = Bars(np.zeros(0), np.zeros(0), np.zeros(0))
