"""Rows of a timeline at any zoom: the busy share and the longest interval of each column, in time that no zoom changes.

Intervals of one row do not overlap, so begins and ends both ascend. Prefix sums give the busy time between two edges
exactly, and the longest interval of each 64 bounds the search for the longest one of a column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

GROUP = 64
"""Intervals whose longest one is remembered."""


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
    """int32[n + 1]: place of each interval in that order; the last one is a sentinel."""

    group_ranks: npt.NDArray[np.int32]
    """int32[groups + 1]: greatest rank of each group."""

    @staticmethod
    def of(starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64], rows: npt.NDArray[np.int64]) -> DetailRow:
        """Build a row from ascending intervals; ends that pass the next begin by rounding are cut there."""
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
        afters = np.searchsorted(self.starts, edges[1:], "left")
        has = afters > firsts
        busy = np.zeros(len(has))
        low, high = firsts[has], afters[has] - 1
        busy[has] = self.sums[high + 1] - self.sums[low]
        busy[has] -= np.maximum(edges[:-1][has] - self.starts[low], 0.0)
        busy[has] -= np.maximum(self.ends[high] - edges[1:][has], 0.0)
        tops = np.full(len(has), -1, np.int64)
        tops[has] = self.order[self._greatest_ranks(firsts[has], afters[has])]
        return busy / np.maximum(np.diff(edges), 1e-12), tops

    def _greatest_ranks(self, firsts: npt.NDArray[np.int64], afters: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """Return the greatest rank in each range [first, after), none of which is empty."""
        begins, ends = -(-firsts // GROUP), afters // GROUP
        has_groups = ends > begins
        found = np.full(len(firsts), -1, np.int32)
        found[~has_groups] = _range_max(self.ranks, firsts[~has_groups], afters[~has_groups])
        found[has_groups] = _range_max(self.group_ranks, begins[has_groups], ends[has_groups])
        for low, high in ((firsts, begins * GROUP), (ends * GROUP, afters)):
            some = has_groups & (high > low)
            found[some] = np.maximum(found[some], _range_max(self.ranks, low[some], high[some]))
        return found

    def at(self, time: float) -> int:
        """Return the position of the interval that covers a time, or of the nearest one; the row must hold one."""
        after = int(np.searchsorted(self.starts, time, "right"))
        before, after = max(after - 1, 0), min(after, len(self) - 1)
        return before if time - self.ends[before] <= self.starts[after] - time else after


def _range_max(
    values: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Return the maximum of each range [start, end); none is empty, and the last value belongs to none."""
    if not len(starts):
        return np.zeros(0, np.int32)
    found: npt.NDArray[np.int32] = np.maximum.reduceat(values, np.stack((starts, ends), axis=1).ravel())[::2]
    return found
