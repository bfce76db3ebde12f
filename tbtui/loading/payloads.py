"""Values that lie in files until they are shown: read on demand, and kept within a number of bytes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from tbtui.loading.byte_cache import ByteCache

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.loading.histograms import GrowingHistograms, Histograms
    from tbtui.loading.payload_block import PayloadBlock
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

MOST_BYTES = 256 << 20
_UNBOUNDED = 1 << 62


class Payloads:
    """Reads the values of references; one for all panes of an app. Any thread may ask it.

    What reads them is imported with the first of them: panes that need none are not to wait for it.
    A thread waits for another one only while that reads the same tag.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Args: most_bytes: what is kept of all that was read; clock: a stand-in for `time.monotonic`."""
        self._clock = clock
        self._histograms: ByteCache[GrowingHistograms] = ByteCache(most_bytes)

    @property
    def nbytes(self) -> int:
        """Bytes that are kept."""
        return self._histograms.nbytes

    def read(self, run: RunSnapshot, series: ReferenceSeries, points: Sequence[int]) -> PayloadBlock:
        """The payloads of some points, read from the files each time.

        Args:
            run: the run that holds the series, of the same snapshot.
            series: where they lie.
            points: indices into the series, all at once in memory.

        Returns:
            All that could be read; the others are `refused` in it.
        """
        from tbtui.loading.payload_block import joined, read_payloads

        return joined(list(read_payloads(run, series, np.array(points, np.int64), most_bytes=_UNBOUNDED)))

    def histograms(self, run: RunSnapshot, series: ReferenceSeries) -> Histograms:
        """All histograms of a series.

        They are kept: the next time only those are read that the series has gained.

        Args:
            run: the run that holds the series, of the same snapshot.
            series: of a tag with histograms, or its `current`.

        Returns:
            One for each point, the same object as long as nothing changes.
        """
        from tbtui.loading.histograms import GrowingHistograms

        key = (run.name, series.tag, series.kept is None)
        growing = self._histograms.get(key, GrowingHistograms)
        with growing.lock:
            histograms = growing.of(run, series, self._clock())
            self._histograms.put(key, growing, growing.nbytes)
        return histograms
