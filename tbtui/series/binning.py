"""Histograms in bins common to all of them: what a heat map, ridges and overlaid curves are drawn from.

Source of the rules: TensorBoard `webapp/widgets/histogram/histogram_util.ts`.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.series.histograms import blocks, part

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.series.histograms import Buckets, Rows

    Stretches: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
    """Runs of neighbouring buckets of one histogram that begin in one bin: the last bucket of each, and its bin."""

DISPLAY_BINS = 30
"""So many bins TensorBoard shows."""

_BLOCK = 1 << 16
"""Buckets binned at once."""

_UNEVEN = 1e-9
"""By this part of a bin may the edges of equal bins be off."""


def display_edges(buckets: Buckets, bins: int = DISPLAY_BINS) -> npt.NDArray[np.float64]:
    """Edges of the equal bins that TensorBoard shows all histograms of a tag in, float64[bins + 1].

    They reach from the least left edge to the greatest right one, empty buckets included. If that is one value r, from
    r / 1.1 - 1 to 1.1 * r + 1; where r would be outside of that (from -10 down), the same as for -r, mirrored.
    """
    filled = np.flatnonzero(np.diff(buckets.starts))
    low = float(buckets.lefts[buckets.starts[filled]].min()) if len(filled) else 0.0
    high = float(buckets.rights[buckets.starts[filled + 1] - 1].max()) if len(filled) else 0.0
    if low == high:
        low, high = (low / 1.1 - 1, 1.1 * low + 1) if low > -10 else (1.1 * low - 1, low / 1.1 + 1)
        low, high = max(low, -sys.float_info.max), min(high, sys.float_info.max)
    if not math.isfinite(high - low):
        parts = np.arange(1, bins) / bins
        return np.concatenate([[low], low * (1 - parts) + high * parts, [high]])
    # One bin further than where the bin before begins, as TensorBoard has it: values at an edge are told apart by that.
    width = (high - low) / bins
    inner = low + np.arange(bins - 1) * width + width
    return np.concatenate([[low], inner, [high]])


def binned(buckets: Buckets, edges: npt.NDArray[np.float64], rows: Rows | None = None) -> npt.NDArray[np.float64]:
    """How many values of each histogram lie in each bin.

    A bucket is split by how much of its width lies in which bin. One without a width goes to one bin whole, at an inner
    edge to the one above it. What lies below the first or above the last edge is left out.

    Args:
        buckets: n histograms.
        edges: float64[bins + 1], finite, ascending; bins of equal width are the fast case.
        rows: Only these histograms.

    Returns:
        float64[n, bins], or as many rows as were asked for; NaN for histograms that could not be read.
    """
    if rows is not None:
        buckets = part(buckets, rows)
    values = np.zeros((len(buckets), len(edges) - 1))
    even = _is_even(edges)
    for block in blocks(buckets, _BLOCK):
        _bin_block(part(buckets, block), edges, values[block], even=even)
    values[np.isnan(buckets.totals)] = np.nan
    return values


def _is_even(edges: npt.NDArray[np.float64]) -> bool:
    """Whether all bins are equally wide, but for rounding."""
    bins = len(edges) - 1
    with np.errstate(over="ignore"):
        width = float(edges[-1] - edges[0]) / bins
        if not sys.float_info.min <= width < math.inf:
            return False
        return bool(np.all(np.abs(edges - (edges[0] + np.arange(bins + 1) * width)) <= _UNEVEN * width))


def _bin_block(buckets: Buckets, edges: npt.NDArray[np.float64], into: npt.NDArray[np.float64], *, even: bool) -> None:
    """Fill float64[n, bins] of zeros, contiguous."""
    if not len(buckets.lefts):
        return
    bins, cells = len(edges) - 1, into.reshape(-1)
    lasts, of_bin = _stretches(buckets, edges, even=even)
    row_begins = np.repeat(np.arange(0, into.size, bins), np.diff(np.searchsorted(lasts, buckets.starts)))
    # All of a stretch lies in its bin, only the last bucket may go on beyond it.
    upper, right = np.append(edges, np.inf)[of_bin + 1], buckets.rights[lasts]
    wide = np.flatnonzero(right > upper)
    straddling, right = lasts[wide], right[wide]
    left, amount = buckets.lefts[straddling], buckets.counts[straddling]
    counts = buckets.counts.copy()
    counts[straddling] = amount * _share(left, upper[wide], left, right)
    sums = np.add.reduceat(counts, np.append(0, lasts[:-1] + 1))
    inside = np.flatnonzero((of_bin >= 0) & (of_bin < bins))
    cells[(row_begins + of_bin)[inside]] = sums[inside]
    # The bins beyond, one after the other. A histogram has one bucket at most that goes on into a bin from below, so no
    # cell is added to twice.
    first = of_bin[wide] + 1
    reach = np.minimum(np.searchsorted(edges, right), bins) - first
    which = np.repeat(np.arange(len(wide)), reach)
    bin_ = np.arange(len(which)) - np.repeat(np.cumsum(reach) - reach - first, reach)
    left, right = left[which], right[which]
    share = _share(edges[bin_], np.minimum(right, edges[bin_ + 1]), left, right)
    cells[row_begins[wide[which]] + bin_] += amount[which] * share


def _share(
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
    left: npt.NDArray[np.float64],
    right: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Which part of the way from `left` to `right` the way from `low` to `high` is."""
    with np.errstate(over="ignore"):
        width = right - left
    if not np.isfinite(width).all():  # halves, since a width may be more than any float
        low, high, width = low / 2, high / 2, right / 2 - left / 2
    return np.divide(high - low, width, out=np.zeros_like(width), where=width > 0)


def _stretches(buckets: Buckets, edges: npt.NDArray[np.float64], *, even: bool) -> Stretches:
    """Find the bin that each bucket begins in: -1 below the first edge, as many as there are bins above the last."""
    bins, lefts = len(edges) - 1, buckets.lefts
    # A bucket of no width at the last edge is in the last bin. One of some width there is too, with no part of it.
    begins = edges.copy()
    begins[-1] = math.nextafter(float(edges[-1]), math.inf)
    if even:
        with np.errstate(over="ignore"):
            places = lefts - edges[0]
            places *= bins / (edges[-1] - edges[0])
        stretches = _joined(buckets.starts, np.floor(np.clip(places, -1, bins, out=places), out=places))
        if _are_right(stretches, lefts, begins):
            return stretches
    # Rounding put a bucket at an edge to the wrong side of it, or the bins differ in width.
    return _joined(buckets.starts, np.searchsorted(begins, lefts, "right") - 1)


def _joined(starts: npt.NDArray[np.int64], of_bin: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> Stretches:
    """Neighbours of one histogram whose bins are the same."""
    ends = np.empty(len(of_bin), np.bool_)
    np.not_equal(of_bin[1:], of_bin[:-1], out=ends[:-1])
    ends[starts[1:][np.diff(starts) > 0] - 1] = True
    lasts = np.flatnonzero(ends)
    return lasts, of_bin[lasts].astype(np.int64)


def _are_right(stretches: Stretches, lefts: npt.NDArray[np.float64], begins: npt.NDArray[np.float64]) -> bool:
    """Whether the first and the last bucket of each stretch begin in its bin; then those in between do too."""
    lasts, of_bin = stretches
    bounds = np.concatenate([[-np.inf], begins, [np.inf]])
    firsts = np.append(0, lasts[:-1] + 1)
    return bool(np.all(lefts[firsts] >= bounds[of_bin + 1]) and np.all(lefts[lasts] < bounds[of_bin + 2]))
