"""Histograms of one tag as flat columns: rebinning and sampling."""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.decimate import is_ascending

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.maths.domain import Limits, Scale

    Rows: TypeAlias = slice | npt.NDArray[np.integer]
    """Selection of histograms: a slice, or int[k] in any order."""
    Stretches: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
    """Sequences of neighbouring buckets of one histogram that start in one bin: the last bucket of each, and its
    bin."""


@frozen(eq=False)
class Buckets:
    """Histograms as concatenated buckets.

    Within a histogram edges are finite and ascend, and a left edge is not below the right edge of the bucket before.
    Counts are not negative, and their sum is finite. The reader ensures this; an invalid histogram has no buckets, and
    NaN in `totals`.
    """

    starts: npt.NDArray[np.int64]
    """int64[n + 1]: histogram i has the buckets from `starts[i]` to before `starts[i + 1]`."""

    lefts: npt.NDArray[np.float64]
    """float64[m]: lower edge of each bucket."""

    rights: npt.NDArray[np.float64]
    """float64[m]: upper edge; equals the lower one if all values of a bucket are equal."""

    counts: npt.NDArray[np.float64]
    """float64[m]: number of values; may be fractional."""

    totals: npt.NDArray[np.float64]
    """float64[n]: sum of the counts; 0 for an empty histogram, NaN for an unreadable one."""

    sums: npt.NDArray[np.float64]
    """float64[n]: sum of the values as the writer stored it; NaN if not stored."""

    squares: npt.NDArray[np.float64]
    """float64[n]: sum of the squares of the values; NaN if not stored."""

    def __len__(self) -> int:
        return len(self.totals)

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        columns = (self.starts, self.lefts, self.rights, self.counts, self.totals, self.sums, self.squares)
        return sum(column.nbytes for column in columns)


def select_rows(buckets: Buckets, rows: Rows) -> Buckets:
    """Return some histograms in the given order; neighbours share the memory of the columns."""
    rows = _to_slice(np.arange(len(buckets))[rows])
    if isinstance(rows, slice):
        starts = buckets.starts[rows.start : rows.stop + 1]
        selected: Rows = slice(int(starts[0]), int(starts[-1]))
        starts = starts - starts[0]
    else:
        sizes = np.diff(buckets.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        selected = np.arange(starts[-1]) + np.repeat(buckets.starts[rows] - starts[:-1], sizes)
    return Buckets(
        starts,
        buckets.lefts[selected],
        buckets.rights[selected],
        buckets.counts[selected],
        buckets.totals[rows],
        buckets.sums[rows],
        buckets.squares[rows],
    )


def _to_slice(rows: npt.NDArray[np.int64]) -> Rows:
    """Return consecutive indices as a slice, others unchanged."""
    if not len(rows):
        return slice(0, 0)
    return slice(int(rows[0]), int(rows[-1]) + 1) if bool(np.all(np.diff(rows) == 1)) else rows


def iter_blocks(buckets: Buckets, max_buckets: int) -> Iterator[slice]:
    """Yield slices of histograms with about `max_buckets` buckets each, at least one histogram.

    Computing block by block stays within the processor's caches and bounds memory.
    """
    cuts = np.searchsorted(buckets.starts, np.arange(max_buckets, buckets.starts[-1], max_buckets))
    ends = np.unique(np.concatenate([[0], cuts, [len(buckets)]])).tolist()
    for first, end in pairwise(ends):
        yield slice(first, end)


def find_filled_ends(buckets: Buckets) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the non-empty histograms, int64[k], and the first and last bucket of each with a count."""
    rows = np.flatnonzero(np.diff(buckets.starts))
    first, last = buckets.starts[rows], buckets.starts[rows + 1] - 1
    if np.all(buckets.counts[first] > 0) and np.all(buckets.counts[last] > 0):
        return rows, first, last
    filled = np.flatnonzero(buckets.counts)
    filled_starts = np.searchsorted(filled, buckets.starts)
    rows = np.flatnonzero(np.diff(filled_starts))
    return rows, filled[filled_starts[rows]], filled[filled_starts[rows + 1] - 1]


def find_value_limits(buckets: Buckets, scale: Scale = "linear") -> Limits | None:
    """Return the smallest left and largest right edge of buckets with a count; equal for a single value.

    On a log scale only edges above 0 count.

    Returns:
        None if there are none.
    """
    if scale == "log":
        edges = np.concatenate([column[buckets.counts > 0] for column in (buckets.lefts, buckets.rights)])
        edges = edges[edges > 0]
        return (float(edges.min()), float(edges.max())) if len(edges) else None
    rows, first, last = find_filled_ends(buckets)
    return (float(buckets.lefts[first].min()), float(buckets.rights[last].max())) if len(rows) else None


DISPLAY_BINS = 30
"""Number of bins in TensorBoard. (`webapp/widgets/histogram/histogram_util.ts`, also the source of the rules below)"""

_BLOCK = 1 << 16
"""Buckets rebinned at once."""

_EVEN_TOLERANCE = 1e-9
"""Maximum deviation of the edges of even bins, as a share of a bin."""


def display_edges(buckets: Buckets, bins: int = DISPLAY_BINS) -> npt.NDArray[np.float64]:
    """Return the edges of the equal bins in which TensorBoard shows all histograms of a tag, float64[bins + 1].

    They extend from the smallest left edge to the largest right one, including empty buckets. If both are one value r,
    they extend from r / 1.1 - 1 to 1.1 * r + 1; for r <= -10, which would be outside, they are those of -r, mirrored.
    """
    filled = np.flatnonzero(np.diff(buckets.starts))
    low = float(buckets.lefts[buckets.starts[filled]].min()) if len(filled) else 0.0
    high = float(buckets.rights[buckets.starts[filled + 1] - 1].max()) if len(filled) else 0.0
    if low == high:
        low, high = (low / 1.1 - 1, 1.1 * low + 1) if low > -10 else (1.1 * low - 1, low / 1.1 + 1)
        low, high = max(low, -sys.float_info.max), min(high, sys.float_info.max)
    if not math.isfinite(high - low):
        fractions = np.arange(1, bins) / bins
        return np.concatenate([[low], low * (1 - fractions) + high * fractions, [high]])
    # The edge is the start of the bin before plus a width, as in TensorBoard: this decides the bin of values at an
    # edge.
    width = (high - low) / bins
    inner = low + np.arange(bins - 1) * width + width
    return np.concatenate([[low], inner, [high]])


def rebin(buckets: Buckets, edges: npt.NDArray[np.float64], rows: Rows | None = None) -> npt.NDArray[np.float64]:
    """Return the number of values of each histogram in common bins.

    A bucket is distributed over bins by overlap. A bucket of zero width goes to one bin, at an inner edge to the upper
    one. Values outside the edges are left out.

    Args:
        buckets: n histograms.
        edges: float64[bins + 1], finite, ascending; bins of equal width are the fast case.
        rows: Only these histograms.

    Returns:
        float64[n, bins], or [rows, bins]; NaN for unreadable histograms.
    """
    if rows is not None:
        buckets = select_rows(buckets, rows)
    values = np.zeros((len(buckets), len(edges) - 1))
    even = _is_even(edges)
    for block in iter_blocks(buckets, _BLOCK):
        _bin_block(select_rows(buckets, block), edges, values[block], even=even)
    values[np.isnan(buckets.totals)] = np.nan
    return values


def _is_even(edges: npt.NDArray[np.float64]) -> bool:
    """Return True if all bins have equal width, except for rounding."""
    bins = len(edges) - 1
    with np.errstate(over="ignore"):
        width = float(edges[-1] - edges[0]) / bins
        if not sys.float_info.min <= width < math.inf:
            return False
        return bool(np.all(np.abs(edges - (edges[0] + np.arange(bins + 1) * width)) <= _EVEN_TOLERANCE * width))


def _bin_block(
    buckets: Buckets, edges: npt.NDArray[np.float64], bins_of_rows: npt.NDArray[np.float64], *, even: bool
) -> None:
    """Fill a contiguous float64[n, bins] of zeros."""
    if not len(buckets.lefts):
        return
    bins, cells = len(edges) - 1, bins_of_rows.reshape(-1)
    lasts, bin_numbers = _find_stretches(buckets, edges, even=even)
    row_offsets = np.repeat(np.arange(0, bins_of_rows.size, bins), np.diff(np.searchsorted(lasts, buckets.starts)))
    # A stretch lies in its bin, except that its last bucket may extend beyond it.
    upper, right = np.append(edges, np.inf)[bin_numbers + 1], buckets.rights[lasts]
    is_straddling = np.flatnonzero(right > upper)
    straddling, right = lasts[is_straddling], right[is_straddling]
    left, amount = buckets.lefts[straddling], buckets.counts[straddling]
    counts = buckets.counts.copy()
    counts[straddling] = amount * _compute_covered_share(left, upper[is_straddling], left, right)
    sums = np.add.reduceat(counts, np.append(0, lasts[:-1] + 1))
    inside = np.flatnonzero((bin_numbers >= 0) & (bin_numbers < bins))
    cells[(row_offsets + bin_numbers)[inside]] = sums[inside]
    # The later bins of these buckets. At most one bucket of a histogram extends into a bin from below, so each cell is
    # updated at most once.
    first = bin_numbers[is_straddling] + 1
    bin_counts = np.minimum(np.searchsorted(edges, right), bins) - first
    owners = np.repeat(np.arange(len(is_straddling)), bin_counts)
    later_bins = np.arange(len(owners)) - np.repeat(np.cumsum(bin_counts) - bin_counts - first, bin_counts)
    left, right = left[owners], right[owners]
    share = _compute_covered_share(edges[later_bins], np.minimum(right, edges[later_bins + 1]), left, right)
    cells[row_offsets[is_straddling[owners]] + later_bins] += amount[owners] * share


def _compute_covered_share(
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
    left: npt.NDArray[np.float64],
    right: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return the share of the range `left` to `right` that `low` to `high` covers."""
    with np.errstate(over="ignore"):
        width = right - left
    if not np.isfinite(width).all():  # the difference of two huge edges may overflow
        low, high, width = low / 2, high / 2, right / 2 - left / 2
    return np.divide(high - low, width, out=np.zeros_like(width), where=width > 0)


def _find_stretches(buckets: Buckets, edges: npt.NDArray[np.float64], *, even: bool) -> Stretches:
    """Find the bin in which each bucket starts: -1 below the first edge, the number of bins above the last one."""
    bins, lefts = len(edges) - 1, buckets.lefts
    # A bucket at the last edge is in the last bin; if it has a width, no part of it is counted.
    bin_starts = edges.copy()
    bin_starts[-1] = math.nextafter(float(edges[-1]), math.inf)
    if even:
        with np.errstate(over="ignore"):
            positions = lefts - edges[0]
            positions *= bins / (edges[-1] - edges[0])
        stretches = _merge_equal_bins(
            buckets.starts, np.floor(np.clip(positions, -1, bins, out=positions), out=positions)
        )
        if _is_consistent(stretches, lefts, bin_starts):
            return stretches
    # Rounding put a bucket on the wrong side of an edge, or the bins differ in width.
    return _merge_equal_bins(buckets.starts, np.searchsorted(bin_starts, lefts, "right") - 1)


def _merge_equal_bins(
    starts: npt.NDArray[np.int64], bin_numbers: npt.NDArray[np.float64] | npt.NDArray[np.int64]
) -> Stretches:
    """Return sequences of neighbouring buckets of one histogram with the same bin."""
    is_last = np.empty(len(bin_numbers), np.bool_)
    np.not_equal(bin_numbers[1:], bin_numbers[:-1], out=is_last[:-1])
    is_last[starts[1:][np.diff(starts) > 0] - 1] = True
    lasts = np.flatnonzero(is_last)
    return lasts, bin_numbers[lasts].astype(np.int64)


def _is_consistent(stretches: Stretches, lefts: npt.NDArray[np.float64], bin_starts: npt.NDArray[np.float64]) -> bool:
    """Return True if the first and the last bucket of each stretch start in its bin; all others then do too."""
    lasts, bin_numbers = stretches
    bounds = np.concatenate([[-np.inf], bin_starts, [np.inf]])
    firsts = np.append(0, lasts[:-1] + 1)
    return bool(np.all(lefts[firsts] >= bounds[bin_numbers + 1]) and np.all(lefts[lasts] < bounds[bin_numbers + 2]))


_HALVINGS = 50
"""Maximum number of halvings of the axis: pieces are then as short as the distance of floats."""

_MIN_EXPONENT = -1074
"""Smallest exponent of two of a float."""


def sample_evenly(x: npt.NDArray[np.float64], max_points: int) -> npt.NDArray[np.intp]:
    """Return indices of points spread evenly over the axis, including the first and the newest.

    The axis is cut into equal pieces, starting at the first point, and the first point of each piece is selected. The
    length of pieces is the smallest power of two that `max_points` allows. The selection is therefore stable while
    points are added, until the length doubles and every other point is dropped.

    Args:
        x: float64[n] on the step axis. If it decreases or is not finite, the index is used instead.
        max_points: Maximum number of points.

    Returns:
        int[k], ascending: all points if there are at most `max_points`, otherwise at least about half of `max_points`;
        only the newest point for 1.
    """
    count = len(x)
    if count <= max_points:
        return np.arange(count)
    if max_points < 2:
        return np.arange(count)[count - max(max_points, 0) :]
    with np.errstate(over="ignore", invalid="ignore"):
        distances = x - x[0]
    if not (is_ascending(x) and 0 < distances[-1] < math.inf):
        distances = np.arange(count, dtype=np.float64)
    _, longest = math.frexp(float(distances[-1]))  # 2 ** longest exceeds the whole distance: one piece
    shortest = max(longest - _HALVINGS, _MIN_EXPONENT)
    while shortest < longest:
        middle = (shortest + longest) // 2
        if len(_select_firsts(distances, middle)) <= max_points:
            longest = middle
        else:
            shortest = middle + 1
    return _select_firsts(distances, longest)


def _select_firsts(distances: npt.NDArray[np.float64], exponent: int) -> npt.NDArray[np.intp]:
    """Return the first point of each interval of length 2 ** exponent, and the last point."""
    pieces = np.floor(distances / math.ldexp(1.0, exponent))
    is_first = np.append(True, pieces[1:] > pieces[:-1])
    is_first[-1] = True
    return np.flatnonzero(is_first)
