"""Histograms of one tag of one run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.api.scalars import slice_series
from tbtui.api.values import Value, Values
from tbtui.plugins.histograms.read import GrowingHistograms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    import numpy.typing as npt
    from pandas import DataFrame

    from tbtui.api.values import ValueLocation
    from tbtui.plugins.histograms.read import Histograms as StoredHistograms

    Floats: TypeAlias = npt.NDArray[np.float64]


class Histogram(Value):
    """The histogram of a step, k buckets of it.

    Whatever is asked of one that cannot be read, as with a NaN among its values, raises `PayloadError`.

    Buckets are those that are drawn: of old histograms empty ones at both ends are cut off, and the outermost edges are
    the least and the greatest value. A histogram of nothing has none.
    """

    @property
    def lefts(self) -> Floats:
        """float64[k]: the lower edge of each bucket, ascending."""
        return self._stored.lefts

    @property
    def rights(self) -> Floats:
        """float64[k]: the upper edge of each."""
        return self._stored.rights

    @property
    def counts(self) -> Floats:
        """float64[k]: how many values are in each; may be fractions."""
        return self._stored.counts

    @property
    def edges(self) -> Floats:
        """float64[k + 1], as of `numpy.histogram`; empty where there are no buckets.

        Where buckets leave a gap, as those of no usual writer do, each goes on to the next: `rights` has their ends.
        """
        return np.concatenate([self.lefts, self.rights[-1:]])

    @property
    def total(self) -> float:
        """The sum of the counts."""
        return float(self._stored.totals[0])

    @property
    def sum(self) -> float:
        """Of all values, as the writer knew it; NaN where it did not say."""
        return float(self._stored.sums[0])

    @property
    def sum_of_squares(self) -> float:
        """Likewise, of their squares."""
        return float(self._stored.squares[0])

    @cached_property
    def _stored(self) -> StoredHistograms:
        place = self._place
        stored = GrowingHistograms().of(place.run, slice_series(place.series, slice(place.point, place.point + 1)), 0.0)
        if 0 in stored.refused:
            raise place.refused(stored.refused[0])
        return stored


class Histograms(Values[Histogram]):
    """The histograms of a tag: `histograms[-1].counts`, `histograms[-1].edges`.

    `starts`, `lefts`, `rights`, `counts` and `totals` are those of all n steps, which are read at once and kept with
    this object.
    """

    plugin = "histograms"

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """int64[n + 1]: the buckets of histogram i are `starts[i]` to `starts[i + 1]`, the latter not among them."""
        return self._all.starts

    @property
    def lefts(self) -> Floats:
        """float64[m]: the lower edges of all buckets, one histogram after the other."""
        return self._all.lefts

    @property
    def rights(self) -> Floats:
        """float64[m]: the upper edges."""
        return self._all.rights

    @property
    def counts(self) -> Floats:
        """float64[m]: the counts."""
        return self._all.counts

    @property
    def totals(self) -> Floats:
        """float64[n]: the sum of each histogram's counts; NaN where it cannot be read, for a reason in `refused`."""
        return self._all.totals

    @property
    def refused(self) -> Mapping[int, str]:
        """Index of each histogram that cannot be read, and why; it has no buckets."""
        return self._all.refused

    def quantiles(self, shares: Sequence[float] | None = None) -> Floats:
        """The values below which given shares of each histogram lie, interpolated as TensorBoard's Distributions are.

        Args:
            shares: From 0 to 1; None: the nine of the Distributions tab, least, median and greatest value among them.

        Returns:
            float64[n, len(shares)]: NaN where a histogram cannot be read, 0 where it holds nothing.

        Raises:
            ValueError: One of the shares is none.
        """
        from tbtui.maths.histograms import Buckets
        from tbtui.maths.statistics import BASIS_POINTS, TOTAL_BASIS_POINTS, quantiles

        for share in shares or ():
            if not 0 <= share <= 1:
                raise ValueError(f"{share!r} is no share of the values: it is from 0 to 1, such as 0.5")
        held = self._all
        buckets = Buckets(held.starts, held.lefts, held.rights, held.counts, held.totals, held.sums, held.squares)
        return quantiles(buckets, BASIS_POINTS if shares is None else [share * TOTAL_BASIS_POINTS for share in shares])

    def to_pandas(self, *, distributions: bool = False) -> DataFrame:
        """A table as `tbtui export` writes it, without `run` and `tag`; what cannot be read is left out.

        Args:
            distributions: A row a histogram, with its count and quantiles, instead of a row a bucket.

        Raises:
            ImportError: pandas is not installed.
        """
        from tbtui.api.frames import series_frame

        return series_frame("distributions" if distributions else self.plugin, self._run, self._series)

    @cached_property
    def _all(self) -> StoredHistograms:
        return GrowingHistograms().of(self._run, self._series, 0.0)

    def _value(self, place: ValueLocation) -> Histogram:
        return Histogram(place)
