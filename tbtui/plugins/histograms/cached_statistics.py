"""Statistics of the histograms of one series: when it grows, only new histograms are read."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from tbtui.maths.histograms import find_filled_ends, find_value_limits, select_rows
from tbtui.maths.statistics import Moments, compute_moments, interpolate_quantiles
from tbtui.plugins.histograms.value_range import ValueRange, compute_value_range, merge_ranges

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tbtui.maths.domain import Limits
    from tbtui.maths.histograms import Buckets

    Floats: TypeAlias = npt.NDArray[np.float64]
    Read = Callable[[int], Buckets]
    """All histograms from one on."""

Value = TypeVar("Value")

_NAMES = ("quantiles", "moments", "value_range", "above_zero")


def compute_quantiles(buckets: Buckets) -> Floats:
    """Return TensorBoard's quantiles of each histogram, float64[n, 9].

    If one bucket holds all values, nothing between its edges is known, and the inner quantiles are the mean: a fan with
    quantiles interpolated within the bucket would show a uniform distribution that was never measured.
    """
    values = interpolate_quantiles(buckets)
    rows, first, last = find_filled_ends(buckets)
    in_one_bucket = rows[(first == last) & (buckets.lefts[first] < buckets.rights[first])]
    if len(in_one_bucket):
        values[in_one_bucket, 1:-1] = compute_moments(select_rows(buckets, in_one_bucket)).mean[:, None]
    return values


class CachedStatistics:
    """Statistics of n histograms, computed when they are first needed.

    Args:
        read: Returns all histograms from an index on.
        count: Number of histograms.
        former: Statistics of the first of them.
    """

    def __init__(self, read: Read, count: int, former: CachedStatistics | None = None) -> None:
        self.count = count
        self.read = read
        # The statistics, not the former object: that would be a chain as long as the training.
        self._known: dict[str, tuple[int, Any]] = {} if former is None else former.list_computed_statistics()

    def list_computed_statistics(self) -> dict[str, tuple[int, Any]]:
        """Return the statistics computed so far by name, each with the number of histograms it covers."""
        new_statistics = {name: (self.count, self.__dict__[name]) for name in _NAMES if name in self.__dict__}
        return {**self._known, **new_statistics}

    @cached_property
    def quantiles(self) -> npt.NDArray[np.float64]:
        """See `HistogramSeries`, as for all properties."""
        return self._extend("quantiles", compute_quantiles, lambda known, new: np.concatenate([known, new]))

    @property
    def has_quantiles(self) -> bool:
        """True if the quantiles are computed."""
        return "quantiles" in self.__dict__

    @cached_property
    def moments(self) -> Moments:
        return self._extend("moments", compute_moments, _append)

    @cached_property
    def value_range(self) -> ValueRange:
        return self._extend("value_range", compute_value_range, lambda known, new: merge_ranges([known, new]))

    @cached_property
    def above_zero(self) -> Limits | None:
        """Least and greatest edge above 0 of all histograms; None without one."""
        return self._extend("above_zero", lambda buckets: find_value_limits(buckets, "log"), _unite)

    def _extend(self, name: str, measure: Callable[[Buckets], Value], add: Callable[[Value, Value], Value]) -> Value:
        if name not in self._known:
            return measure(self.read(0))
        count, cached = self._known.pop(name)
        return add(cached, measure(self.read(count))) if self.count > count else cached


def _append(cached: Moments, new: Moments) -> Moments:
    columns = (np.concatenate([getattr(each, column.name) for each in (cached, new)]) for column in fields(Moments))
    return Moments(*columns)


def _unite(known: Limits | None, new: Limits | None) -> Limits | None:
    """Return limits that include both."""
    if known is None or new is None:
        return known or new
    return min(known[0], new[0]), max(known[1], new[1])
