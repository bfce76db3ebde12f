"""Reads the histograms of one series from its files as it grows."""

from __future__ import annotations

import math
import threading
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.histogram import HAS_INFINITE, HAS_NAN
from tbtui.frozen import frozen
from tbtui.loading.payloads import read_payloads
from tbtui.plugins.histograms.decode import DecodeRequest, read_histograms
from tbtui.store.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from tbtui.loading.payloads import PayloadBlock, Payloads
    from tbtui.plugins.histograms.decode import HistogramColumns
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

RETRY_SECONDS = 5.0
"""Seconds until values that could not be read are tried again."""

MAX_PAYLOAD_BYTES = 64 << 20
"""Bytes of a value that is read: millions of buckets, of which a screen shows a hundred."""

_LEAST_BUCKET_BYTES = 12
"""Minimum size of a bucket in the payload of a usual writer."""

_MORE = 1.03
"""Buckets of later steps are as many, or a few more."""


@frozen(eq=False)
class Histograms:
    """Histograms of a series, their buckets one after another. All arrays are read-only."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    starts: npt.NDArray[np.int64]
    """int64[n + 1]: histogram i has the buckets from `starts[i]` to `starts[i + 1]`, exclusive."""

    lefts: npt.NDArray[np.float64]
    """float64[m]: lower edge of each bucket, finite, ascending within a histogram."""

    rights: npt.NDArray[np.float64]
    """float64[m]: upper edge, not above the next lower edge of the same histogram."""

    counts: npt.NDArray[np.float64]
    """float64[m]: counts, finite, not negative; may be fractions."""

    totals: npt.NDArray[np.float64]
    """float64[n]: number of values; 0 for an empty histogram, NaN for one that cannot be drawn."""

    sums: npt.NDArray[np.float64]
    """float64[n]: sum of the values according to the writer; NaN if unknown."""

    squares: npt.NDArray[np.float64]
    """float64[n]: sum of squares, as `sums`."""

    refused: Mapping[int, str]
    """Reasons why histograms cannot be drawn, one plain sentence each. They have no buckets."""

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def nbytes(self) -> int:
        """Bytes of the histograms themselves; steps and wall times are the store's."""
        columns = (self.starts, self.lefts, self.rights, self.counts, self.totals, self.sums, self.squares)
        return sum(column.nbytes for column in columns)

    @property
    def not_finite(self) -> npt.NDArray[np.int64]:
        """Indices of histograms with a NaN or infinite value, ascending, int64[k]."""
        return np.array(sorted(i for i, reason in self.refused.items() if reason in {HAS_NAN, HAS_INFINITE}), np.int64)


class GrowingHistograms:
    """Holds the histograms of one series, and reads new ones. Used by one thread at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        """Held by a thread while it asks for histograms."""

        self._columns = _GrowingColumns()
        self._latest: tuple[ReferenceSeries, Histograms] | None = None
        """Last result and the series it belongs to."""

        self._reading = 0
        self._retry_at = math.inf
        """When to read all again, because something could not be read that perhaps can be by then."""

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return self._columns.nbytes

    def of(self, run: RunSnapshot, series: ReferenceSeries, now: float) -> Histograms:
        """Return the histograms of a series: new points are read, or all if its files were read again.

        Args:
            run: the run that holds the series, of the same snapshot.
            series: any of the tag, with or without superseded points, older or newer than the last one.
            now: seconds on any clock that never goes back.

        Returns:
            The same object as the last time when nothing has changed.
        """
        common = self._common(run, series, now)
        if self._latest is not None and common == len(self._columns) == len(series):
            return self._latest[1]
        if common == len(series):
            return self._columns.view(series)
        if common < len(self._columns):
            self._columns = self._columns.first(common)
        self._latest = None
        if common == 0:
            self._retry_at = math.inf
        if self._read(run, series):
            self._retry_at = now + RETRY_SECONDS
        self._reading = run.reading
        self._latest = series, self._columns.view(series)
        return self._latest[1]

    def _common(self, run: RunSnapshot, series: ReferenceSeries, now: float) -> int:
        """Return the number of cached histograms that a series begins with."""
        if self._latest is None or run.reading != self._reading or now >= self._retry_at:
            return 0
        known, _ = self._latest
        if known is series:
            return len(series)
        length = min(len(known), len(series))
        same = np.ones(length, np.bool_)
        for known_places, series_places in zip(_places(known), _places(series), strict=True):
            same &= known_places[:length] == series_places[:length]
        return length if same.all() else int(same.argmin())

    def _read(self, run: RunSnapshot, series: ReferenceSeries) -> bool:
        """Add new histograms; return True if some could not be read but may be later."""
        is_retryable = False
        for block in read_payloads(run, series, np.arange(len(self._columns), len(series)), largest=MAX_PAYLOAD_BYTES):
            points = block.points
            places = series.indices[points], series.steps[points], series.wall_times[points]
            columns = read_histograms(DecodeRequest(block.data, block.starts, block.lengths, *places))
            self._columns.add(columns, block, series)
            is_retryable |= block.is_retryable
        return is_retryable


class _GrowingColumns:
    """Histograms in growing columns. Views never change: only `first` drops any, in a copy."""

    def __init__(self) -> None:
        self._buckets = Columns((np.float64,) * 3)
        """Left and right edges and counts."""

        self._rows = Columns((np.int64, *(np.float64,) * 3))
        """End of the buckets, totals, sums and sums of squares of each histogram; row 0 stands for none."""

        self._rows.append(*(np.zeros(1),) * 4)
        self._refused: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._rows) - 1

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return sum(column.nbytes for column in (*self._buckets.views(), *self._rows.views()))

    def add(self, columns: HistogramColumns, block: PayloadBlock, series: ReferenceSeries) -> None:
        """Append the histograms of a block, and empty ones for points without payload."""
        first = len(self)
        count, rows = len(block.points) + len(block.errors), block.points - first
        sizes, sums = np.zeros(count, np.int64), np.full((3, count), np.nan)
        sizes[rows], sums[:, rows] = columns.sizes, (columns.totals, columns.sums, columns.squares)
        self._refused |= block.errors
        self._refused |= {int(block.points[row]): reason for row, reason in columns.refused.items()}
        buckets = len(columns.counts)
        if len(self._buckets) + buckets > self._buckets.capacity:
            # Room for the rest of the series, if that is like this block.
            alike = _MORE * buckets / count * (len(series) - first)
            most = int(series.lengths[first:].sum()) / _LEAST_BUCKET_BYTES
            self._buckets.reserve(max(buckets, int(min(alike, most))))
        self._buckets.append(columns.lefts, columns.rights, columns.counts)
        self._rows.append(len(self._buckets) - int(sizes.sum()) + np.cumsum(sizes), *sums)

    def first(self, count: int) -> _GrowingColumns:
        """Return the first `count` histograms in columns of their own."""
        shorter = _GrowingColumns()
        ends = self._rows.views()[0]
        shorter._buckets.append(*(column[: ends[count]] for column in self._buckets.views()))
        shorter._rows.append(*(column[1 : count + 1] for column in self._rows.views()))
        shorter._refused = {row: reason for row, reason in self._refused.items() if row < count}
        return shorter

    def view(self, series: ReferenceSeries) -> Histograms:
        """Return the histograms of a series whose points are the first cached ones."""
        count = len(series)
        starts, *sums = self._rows.views()
        lefts, rights, counts = (column[: starts[count]] for column in self._buckets.views())
        totals, written, squares = (column[1 : count + 1] for column in sums)
        refused = MappingProxyType({row: reason for row, reason in self._refused.items() if row < count})
        return Histograms(
            series.steps,
            series.wall_times,
            starts[: count + 1],
            lefts,
            rights,
            counts,
            totals,
            written,
            squares,
            refused,
        )


def _places(series: ReferenceSeries) -> tuple[npt.NDArray[Any], ...]:
    """Return the columns that identify a value, also one that replaces another in a file."""
    wall_times = series.wall_times.view(np.int64)
    return series.steps, wall_times, series.files, series.offsets, series.lengths, series.indices


def histograms_in(payloads: Payloads, run: RunSnapshot, series: ReferenceSeries) -> Histograms:
    """Return all histograms of a series; `payloads` keeps them, so that the next call reads only new points.

    Args:
        payloads: Reader that keeps them.
        run: Run that holds the series, of the same snapshot.
        series: Series of a tag with histograms, or its `current`.

    Returns:
        One histogram per point; the same object as long as nothing changes.
    """
    return payloads.grow(GrowingHistograms, run, series, lambda growing, now: growing.of(run, series, now))
