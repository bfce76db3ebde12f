"""Python API of histograms: the values of one tag of one run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.api.points import slice_series
from tbtui.api.values import Value, Values
from tbtui.loading.payloads import Payloads
from tbtui.plugins.histograms.read import load_histograms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    import numpy.typing as npt
    from pandas import DataFrame

    from tbtui.api.values import ValueLocation
    from tbtui.plugins.histograms.read import Histograms as StoredHistograms

    Floats: TypeAlias = npt.NDArray[np.float64]


class Histogram(Value):
    """Histogram of one step with k buckets.

    Buckets are those that the dashboard draws: for old histograms empty buckets at both ends are cut off, and the
    outermost edges are the minimum and maximum. An empty histogram has no buckets. All properties raise `PayloadError`
    if the histogram cannot be read, for example because of NaN.
    """

    @property
    def lefts(self) -> Floats:
        """float64[k]: lower edges of the buckets, ascending."""
        return self._stored.lefts

    @property
    def rights(self) -> Floats:
        """float64[k]: upper edges."""
        return self._stored.rights

    @property
    def counts(self) -> Floats:
        """float64[k]: number of values per bucket; may be fractional."""
        return self._stored.counts

    @property
    def edges(self) -> Floats:
        """float64[k + 1], as `numpy.histogram` returns them; empty without buckets.

        A gap between buckets, which common writers never leave, is closed by extending the lower bucket; `rights` has
        its true end.
        """
        return np.concatenate([self.lefts, self.rights[-1:]])

    @property
    def total(self) -> float:
        """Sum of the counts."""
        return float(self._stored.totals[0])

    @property
    def sum(self) -> float:
        """Sum of all values as the writer stored it; NaN if not stored."""
        return float(self._stored.sums[0])

    @property
    def sum_of_squares(self) -> float:
        """Sum of the squares of all values; NaN if not stored."""
        return float(self._stored.squares[0])

    @cached_property
    def _stored(self) -> StoredHistograms:
        location = self._location
        series = slice_series(location.series, slice(location.point, location.point + 1))
        stored = load_histograms(Payloads(max_bytes=0), location.run, series)
        if 0 in stored.errors:
            raise location.error(stored.errors[0])
        return stored


class Histograms(Values[Histogram]):
    """Histograms of a tag: `histograms[-1].counts`, `histograms[-1].edges`.

    `starts`, `lefts`, `rights`, `counts` and `totals` cover all n steps; they are read together and kept with this
    object.
    """

    plugin = "histograms"

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """int64[n + 1]: histogram i has the buckets from `starts[i]` up to, excluding, `starts[i + 1]`."""
        return self._all.starts

    @property
    def lefts(self) -> Floats:
        """float64[m]: lower edges of all buckets, histogram by histogram."""
        return self._all.lefts

    @property
    def rights(self) -> Floats:
        """float64[m]: upper edges of all buckets."""
        return self._all.rights

    @property
    def counts(self) -> Floats:
        """float64[m]: counts of all buckets."""
        return self._all.counts

    @property
    def totals(self) -> Floats:
        """float64[n]: sum of the counts of each histogram; NaN if it cannot be read (see `errors`)."""
        return self._all.totals

    @property
    def errors(self) -> Mapping[int, str]:
        """Reasons by index of the unreadable histograms, which have no buckets."""
        return self._all.errors

    @property
    def refused(self) -> Mapping[int, str]:
        """Another name of `errors`."""
        return self.errors

    def quantiles(self, shares: Sequence[float] | None = None) -> Floats:
        """Return quantiles of each histogram, interpolated as in TensorBoard's Distributions tab.

        All but minimum and maximum are estimates, as if values were spread evenly within their bucket. If one bucket
        holds all values, nothing between its edges is known; `sum` and `sum_of_squares` give mean and deviation then.

        Args:
            shares: Quantiles from 0 to 1. None: the nine of the Distributions tab, with minimum, median and maximum.

        Returns:
            float64[n, len(shares)], estimates; NaN for unreadable histograms, 0 for empty ones.

        Raises:
            ValueError: A share is out of range.
        """
        from tbtui.maths.statistics import BASIS_POINTS, TOTAL_BASIS_POINTS, interpolate_quantiles

        for share in shares or ():
            if not 0 <= share <= 1:
                raise ValueError(f"{share!r} is not a share of the values: it is from 0 to 1, such as 0.5")
        basis_points = BASIS_POINTS if shares is None else [share * TOTAL_BASIS_POINTS for share in shares]
        return interpolate_quantiles(self._all.buckets, basis_points)

    def to_pandas(self, *, distributions: bool = False) -> DataFrame:
        """Return the table of `tbtui export` without `run` and `tag`; unreadable values are left out.

        Args:
            distributions: Return one row per histogram with count and quantiles instead of one row per bucket.

        Raises:
            ImportError: pandas is not installed.
        """
        from tbtui.api.data_frames import build_series_frame

        return build_series_frame("distributions" if distributions else self.plugin, self._run, self._series)

    @cached_property
    def _all(self) -> StoredHistograms:
        return load_histograms(Payloads(max_bytes=0), self._run, self._series)

    def _value(self, location: ValueLocation) -> Histogram:
        return Histogram(location)
