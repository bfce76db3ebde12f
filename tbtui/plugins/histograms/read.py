"""Reads the histograms of one series from its files as it grows."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tbtui.events.histogram import HAS_INFINITE, HAS_NAN
from tbtui.frozen import frozen
from tbtui.maths.histograms import Buckets
from tbtui.plugins.histograms.decode import DecodeRequest, read_histograms
from tbtui.store.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from tbtui.loading.payloads import PayloadBlock, Payloads
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

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

    errors: Mapping[int, str]
    """Reasons why histograms cannot be drawn, one plain sentence each. They have no buckets."""

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def buckets(self) -> Buckets:
        """The columns that calculations with buckets need."""
        return Buckets(self.starts, self.lefts, self.rights, self.counts, self.totals, self.sums, self.squares)

    @property
    def nbytes(self) -> int:
        """Bytes of the histograms themselves; steps and wall times are the store's."""
        columns = (self.starts, self.lefts, self.rights, self.counts, self.totals, self.sums, self.squares)
        return sum(column.nbytes for column in columns)

    @property
    def not_finite(self) -> npt.NDArray[np.int64]:
        """Indices of histograms with a NaN or infinite value, ascending, int64[k]."""
        return np.array(sorted(i for i, reason in self.errors.items() if reason in {HAS_NAN, HAS_INFINITE}), np.int64)


class GrowingHistograms:
    """Histograms of one series in growing columns (`SeriesColumns`)."""

    def __init__(self) -> None:
        self._buckets = Columns((np.float64,) * 3)
        """Left and right edges and counts."""

        self._rows = Columns((np.int64, *(np.float64,) * 3))
        """End of the buckets, totals, sums and sums of squares of each histogram; row 0 starts the first one."""

        self._rows.append(*(np.zeros(1),) * 4)
        self._errors: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._rows) - 1

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return sum(column.nbytes for column in (*self._buckets.create_views(), *self._rows.create_views()))

    def add(self, block: PayloadBlock, series: ReferenceSeries) -> None:
        """Append the histograms of a block, and empty ones for points without payload."""
        points = block.points
        value_columns = series.indices[points], series.steps[points], series.wall_times[points]
        columns = read_histograms(DecodeRequest(block.data, block.starts, block.lengths, *value_columns))
        first = len(self)
        count, rows = len(block.points) + len(block.errors), block.points - first
        sizes, sums = np.zeros(count, np.int64), np.full((3, count), np.nan)
        sizes[rows], sums[:, rows] = columns.sizes, (columns.totals, columns.sums, columns.squares)
        self._errors |= block.errors
        self._errors |= {int(block.points[row]): reason for row, reason in columns.errors.items()}
        buckets = len(columns.counts)
        if len(self._buckets) + buckets > self._buckets.capacity:
            # Room for the rest of the series, if that is like this block.
            expected_buckets = _MORE * buckets / count * (len(series) - first)
            max_buckets = int(series.lengths[first:].sum()) / _LEAST_BUCKET_BYTES
            self._buckets.reserve(max(buckets, int(min(expected_buckets, max_buckets))))
        self._buckets.append(columns.lefts, columns.rights, columns.counts)
        self._rows.append(len(self._buckets) - int(sizes.sum()) + np.cumsum(sizes), *sums)

    def first(self, count: int) -> GrowingHistograms:
        """Return the first `count` histograms in columns of their own."""
        first_histograms = GrowingHistograms()
        ends = self._rows.create_views()[0]
        first_histograms._buckets.append(*(column[: ends[count]] for column in self._buckets.create_views()))
        first_histograms._rows.append(*(column[1 : count + 1] for column in self._rows.create_views()))
        first_histograms._errors = {row: reason for row, reason in self._errors.items() if row < count}
        return first_histograms

    def view(self, series: ReferenceSeries) -> Histograms:
        """Return the histograms of a series whose points are the first cached ones."""
        count = len(series)
        starts, *sums = self._rows.create_views()
        lefts, rights, counts = (column[: starts[count]] for column in self._buckets.create_views())
        totals, written, squares = (column[1 : count + 1] for column in sums)
        errors = MappingProxyType({row: reason for row, reason in self._errors.items() if row < count})
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
            errors,
        )


def load_histograms(payloads: Payloads, run: RunSnapshot, series: ReferenceSeries) -> Histograms:
    """Return all histograms of a series. `payloads` caches them, so that the next call reads only new points.

    Args:
        payloads: Reader and cache of the histograms.
        run: Run that holds the series, of the same snapshot.
        series: Series of a tag with histograms, or its `current`.

    Returns:
        One histogram per point; the same object as long as nothing changes.
    """
    return payloads.decoded(GrowingHistograms, run, series)
