"""Rows of a timeline at any zoom: the busy share and the longest interval of each column, in time independent of zoom.

Intervals of one row do not overlap, so starts and ends both ascend. Prefix sums give the exact busy time between two
edges. The longest of every 64 intervals speeds up the search for the longest one of a column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

GROUP = 64
"""Number of intervals in a group, whose longest one is stored."""


@frozen(eq=False)
class DetailRow:
    """Intervals of one row."""

    starts: npt.NDArray[np.float64]
    ends: npt.NDArray[np.float64]
    rows: npt.NDArray[np.int64]
    """int64[n]: index of each interval among those of the trace."""

    sums: npt.NDArray[np.float64]
    """float64[n + 1]: total length of the intervals before each."""

    order: npt.NDArray[np.int32]
    """int32[n]: positions in order of length."""

    ranks: npt.NDArray[np.int32]
    """int32[n + 1]: rank of each interval by length; the last one is a sentinel."""

    group_ranks: npt.NDArray[np.int32]
    """int32[groups + 1]: greatest rank of each group."""

    @staticmethod
    def build(starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64], rows: npt.NDArray[np.int64]) -> DetailRow:
        """Build a row from ascending intervals; ends after the next start, caused by rounding, are cut there."""
        if len(starts) > 1:
            ends = np.append(np.minimum(ends[:-1], starts[1:]), ends[-1])
        lengths = ends - starts
        order = np.argsort(lengths, kind="stable").astype(np.int32)
        ranks = np.full(len(order) + 1, -1, np.int32)
        ranks[order] = np.arange(len(order), dtype=np.int32)
        padded = np.pad(ranks[:-1], (0, -len(order) % GROUP), constant_values=-1).reshape(-1, GROUP)
        group_ranks = np.append(padded.max(axis=1, initial=-1), np.int32(-1)).astype(np.int32)
        return DetailRow(starts, ends, rows, np.append(0.0, np.cumsum(lengths)), order, ranks, group_ranks)

    def __len__(self) -> int:
        return len(self.starts)

    def columns(self, edges: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return the busy share of each column, and the position of its longest interval, -1 without any.

        Args:
            edges: float64[c + 1]: ascending edges of c columns.
        """
        firsts = np.searchsorted(self.ends, edges[:-1], "right")
        ends = np.searchsorted(self.starts, edges[1:], "left")
        has_intervals = ends > firsts
        busy = np.zeros(len(has_intervals))
        low, high = firsts[has_intervals], ends[has_intervals] - 1
        busy[has_intervals] = self.sums[high + 1] - self.sums[low]
        busy[has_intervals] -= np.maximum(edges[:-1][has_intervals] - self.starts[low], 0.0)
        busy[has_intervals] -= np.maximum(self.ends[high] - edges[1:][has_intervals], 0.0)
        longest = np.full(len(has_intervals), -1, np.int64)
        longest[has_intervals] = self.order[self._find_greatest_ranks(firsts[has_intervals], ends[has_intervals])]
        return busy / np.maximum(np.diff(edges), 1e-12), longest

    def _find_greatest_ranks(self, firsts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """Return the greatest rank in each range from first to before end, none of which is empty."""
        first_groups, group_ends = -(-firsts // GROUP), ends // GROUP
        has_groups = group_ends > first_groups
        ranks = np.full(len(firsts), -1, np.int32)
        ranks[~has_groups] = _find_range_max(self.ranks, firsts[~has_groups], ends[~has_groups])
        ranks[has_groups] = _find_range_max(self.group_ranks, first_groups[has_groups], group_ends[has_groups])
        for low, high in ((firsts, first_groups * GROUP), (group_ends * GROUP, ends)):
            selected = has_groups & (high > low)
            ranks[selected] = np.maximum(ranks[selected], _find_range_max(self.ranks, low[selected], high[selected]))
        return ranks

    def at(self, time: float) -> int:
        """Return the position of the interval that covers a time, or of the nearest one; the row must not be empty."""
        after = int(np.searchsorted(self.starts, time, "right"))
        before, after = max(after - 1, 0), min(after, len(self) - 1)
        return before if time - self.ends[before] <= self.starts[after] - time else after


def _find_range_max(
    values: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Return the maximum of each range [start, end); none is empty, and the last value belongs to none."""
    if not len(starts):
        return np.zeros(0, np.int32)
    maxima: npt.NDArray[np.int32] = np.maximum.reduceat(values, np.stack((starts, ends), axis=1).ravel())[::2]
    return maxima
