"""Histograms of one tag, one a step, as flat columns."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.series.domain import Limits
    from tbtui.series.scales import Scale

    Rows: TypeAlias = slice | npt.NDArray[np.integer]
    """Which histograms: a slice, or int[k] in any order."""


@frozen(eq=False)
class Buckets:
    """Histograms, their buckets one after the other.

    Within a histogram edges are finite and ascend, the left edge of a bucket being at or above the right edge of the
    one before; counts are not negative, and their sum is finite. Whoever reads files sees to that. A histogram that
    could not be made so has no buckets, and NaN in `totals`.
    """

    starts: npt.NDArray[np.int64]
    """int64[n + 1]: the buckets of histogram i are `starts[i]` to `starts[i + 1]`, the latter not among them."""

    lefts: npt.NDArray[np.float64]
    """float64[m]: lower edge of each bucket."""

    rights: npt.NDArray[np.float64]
    """float64[m]: upper edge; the same as the lower one where all values of a bucket are equal."""

    counts: npt.NDArray[np.float64]
    """float64[m]: how many values; may be fractions."""

    totals: npt.NDArray[np.float64]
    """float64[n]: the sum of the counts of each; 0 for one of nothing, NaN for one that could not be read."""

    sums: npt.NDArray[np.float64]
    """float64[n]: their sum as the writer knew it; NaN where it did not say."""

    squares: npt.NDArray[np.float64]
    """float64[n]: likewise the sum of their squares."""

    def __len__(self) -> int:
        return len(self.totals)

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        columns = (self.starts, self.lefts, self.rights, self.counts, self.totals, self.sums, self.squares)
        return sum(column.nbytes for column in columns)


def part(buckets: Buckets, rows: Rows) -> Buckets:
    """Some of the histograms, in the order asked for; neighbours share the memory of the columns."""
    rows = _as_slice(np.arange(len(buckets))[rows])
    if isinstance(rows, slice):
        starts = buckets.starts[rows.start : rows.stop + 1]
        taken: Rows = slice(int(starts[0]), int(starts[-1]))
        starts = starts - starts[0]
    else:
        sizes = np.diff(buckets.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        taken = np.arange(starts[-1]) + np.repeat(buckets.starts[rows] - starts[:-1], sizes)
    return Buckets(
        starts,
        buckets.lefts[taken],
        buckets.rights[taken],
        buckets.counts[taken],
        buckets.totals[rows],
        buckets.sums[rows],
        buckets.squares[rows],
    )


def _as_slice(rows: npt.NDArray[np.int64]) -> Rows:
    """The same as a slice where each is the one after the one before."""
    if not len(rows):
        return slice(0, 0)
    return slice(int(rows[0]), int(rows[-1]) + 1) if bool(np.all(np.diff(rows) == 1)) else rows


def blocks(buckets: Buckets, most: int) -> Iterator[slice]:
    """Slices of the histograms that hold about `most` buckets each, one histogram at least.

    What is computed block by block stays within the processor's caches, and takes little memory however much there is.
    """
    cuts = np.searchsorted(buckets.starts, np.arange(most, buckets.starts[-1], most))
    ends = np.unique(np.concatenate([[0], cuts, [len(buckets)]])).tolist()
    for first, end in pairwise(ends):
        yield slice(first, end)


def filled_ends(buckets: Buckets) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The histograms that hold anything, int64[k], and the first and the last bucket of each that has a count."""
    rows = np.flatnonzero(np.diff(buckets.starts))
    first, last = buckets.starts[rows], buckets.starts[rows + 1] - 1
    if np.all(buckets.counts[first] > 0) and np.all(buckets.counts[last] > 0):
        return rows, first, last
    filled = np.flatnonzero(buckets.counts)
    places = np.searchsorted(filled, buckets.starts)
    rows = np.flatnonzero(np.diff(places))
    return rows, filled[places[rows]], filled[places[rows + 1] - 1]


def value_limits(buckets: Buckets, scale: Scale = "linear") -> Limits | None:
    """The least left and the greatest right edge of buckets that have a count; low equals high for one single value.

    On a log scale only edges above 0 count.

    Returns:
        None when there is none.
    """
    if scale == "log":
        edges = np.concatenate([column[buckets.counts > 0] for column in (buckets.lefts, buckets.rights)])
        edges = edges[edges > 0]
        return (float(edges.min()), float(edges.max())) if len(edges) else None
    rows, first, last = filled_ends(buckets)
    return (float(buckets.lefts[first].min()), float(buckets.rights[last].max())) if len(rows) else None
