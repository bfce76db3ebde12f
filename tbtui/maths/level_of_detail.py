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

    longest: npt.NDArray[np.int64]
    """int64[groups]: position of the longest interval of each group."""

    @staticmethod
    def of(starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64], rows: npt.NDArray[np.int64]) -> DetailRow:
        """Build a row from ascending intervals; ends that pass the next begin by rounding are cut there."""
        if len(starts) > 1:
            ends = np.append(np.minimum(ends[:-1], starts[1:]), ends[-1])
        lengths = ends - starts
        padded = np.pad(lengths, (0, -len(lengths) % GROUP), constant_values=-1.0).reshape(-1, GROUP)
        longest = padded.argmax(1) + np.arange(len(padded)) * GROUP
        return DetailRow(starts, ends, rows, np.append(0.0, np.cumsum(lengths)), longest.astype(np.int64))

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
        tops = np.where(has, firsts, -1)
        for column in np.flatnonzero(afters - firsts > 1).tolist():
            tops[column] = self._longest(int(firsts[column]), int(afters[column]))
        return busy / np.maximum(np.diff(edges), 1e-12), tops

    def _longest(self, first: int, after: int) -> int:
        """Return the position of the longest interval in [first, after)."""
        if after - first <= 2 * GROUP:
            return first + int((self.ends[first:after] - self.starts[first:after]).argmax())
        begin, end = -(-first // GROUP), after // GROUP
        candidates = [*self.longest[begin:end].tolist()]
        for low, high in ((first, begin * GROUP), (end * GROUP, after)):
            if high > low:
                candidates.append(low + int((self.ends[low:high] - self.starts[low:high]).argmax()))
        lengths = self.ends[candidates] - self.starts[candidates]
        return int(candidates[int(lengths.argmax())])

    def at(self, time: float) -> int:
        """Return the position of the interval that covers a time, or of the nearest one; the row must hold one."""
        after = int(np.searchsorted(self.starts, time, "right"))
        before, after = max(after - 1, 0), min(after, len(self) - 1)
        return before if time - self.ends[before] <= self.starts[after] - time else after
