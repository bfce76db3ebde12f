"""Histograms in the bins that a picture has, kept as long as pictures have them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from tbtui.series.binning import binned
from tbtui.series.choosing import spread_out

if TYPE_CHECKING:
    from tbtui.plugins.histograms.recorded import Floats, Recorded

MOST_BYTES = 64 << 20
"""Kept of all pictures; what is longest unseen goes first."""

SAMPLED = 64
"""Steps of a run that tell how great its shares are."""


class Bins:
    """Counts by bin of all tags drawn so far. Used by one thread.

    Args:
        most_bytes: As `MOST_BYTES`.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[tuple[str, str, bytes], tuple[object, Floats]] = OrderedDict()
        self._bytes = 0
        self._greatest: OrderedDict[tuple[str, str, bytes], tuple[object, int, Floats]] = OrderedDict()

    def counts(self, recorded: Recorded, edges: Floats) -> Floats:
        """How many values of each histogram lie in each bin; of a tag that has grown only what is new is looked at.

        Args:
            recorded: n histograms.
            edges: float64[bins + 1], ascending.

        Returns:
            float64[n, bins], NaN for what is refused; not to be written to.
        """
        key = recorded.run, recorded.tag, edges.tobytes()
        lineage, counts = self._kept.pop(key, (None, None))
        if counts is not None:
            self._bytes -= counts.nbytes
        if counts is None or lineage is not recorded.lineage or len(counts) > len(recorded):
            counts = binned(recorded.buckets, edges)
        elif len(counts) < len(recorded):
            counts = np.concatenate([counts, binned(recorded.some(slice(len(counts), None)), edges)])
        self._kept[key] = recorded.lineage, counts
        self._bytes += counts.nbytes
        while self._bytes > self._most_bytes and len(self._kept) > 1:
            _, (_, gone) = self._kept.popitem(last=False)
            self._bytes -= gone.nbytes
        return counts

    def greatest_shares(self, recorded: Recorded, edges: Floats) -> Floats:
        """The greatest part of a histogram in any bin, at steps spread out over all of them, float64[k]."""
        key = recorded.run, recorded.tag, edges.tobytes()
        lineage, count, greatest = self._greatest.pop(key, (None, 0, None))
        if greatest is None or lineage is not recorded.lineage or count != len(recorded):
            rows = spread_out(recorded.x, SAMPLED)
            greatest = shares_of(binned(recorded.some(rows), edges), recorded.moments.count[rows]).max(axis=1)
        self._greatest[key] = recorded.lineage, len(recorded), greatest
        while len(self._greatest) > _MOST_GREATEST:
            self._greatest.popitem(last=False)
        return greatest


_MOST_GREATEST = 1024


def shares_of(counts: Floats, totals: Floats) -> Floats:
    """Counts by bin as parts of all values of their histogram; zeros for an empty one, NaN for what is refused."""
    return np.asarray(counts / np.where(totals == 0, 1.0, totals)[:, None])
