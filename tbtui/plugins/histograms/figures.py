"""What is worked out of all histograms of a tag once; of those that come later only the new ones are looked at."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tbtui.plugins.histograms.spread import joined, spread_of
from tbtui.series.histograms import value_limits
from tbtui.series.moments import Moments, moments
from tbtui.series.quantiles import quantiles

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tbtui.plugins.histograms.spread import Spread
    from tbtui.series.domain import Limits
    from tbtui.series.histograms import Buckets

    Read = Callable[[int], Buckets]
    """All histograms from one on."""

Value = TypeVar("Value")

_NAMES = ("quantiles", "moments", "spread", "above_zero")


class Figures:
    """Figures of n histograms, each worked out when it is first asked for.

    Args:
        read: From which they are.
        count: How many there are.
        former: Figures of the first of them.
    """

    def __init__(self, read: Read, count: int, former: Figures | None = None) -> None:
        self.count = count
        self.read = read
        # What is known, not whoever knew it: that would be a chain as long as the training.
        self._known: dict[str, tuple[int, Any]] = {} if former is None else former.worked_out()

    def worked_out(self) -> dict[str, tuple[int, Any]]:
        """What is known by name, and of how many histograms."""
        here = {name: (self.count, self.__dict__[name]) for name in _NAMES if name in self.__dict__}
        return {**self._known, **here}

    @cached_property
    def quantiles(self) -> npt.NDArray[np.float64]:
        """See `Recorded`; likewise all others."""
        return self._grown("quantiles", quantiles, lambda known, new: np.concatenate([known, new]))

    @property
    def has_quantiles(self) -> bool:
        """Whether these are worked out already."""
        return "quantiles" in self.__dict__

    @cached_property
    def moments(self) -> Moments:
        """Of each histogram."""
        return self._grown("moments", moments, _appended)

    @cached_property
    def spread(self) -> Spread:
        """Of all of them."""
        return self._grown("spread", spread_of, lambda known, new: joined([known, new]))

    @cached_property
    def above_zero(self) -> Limits | None:
        """The least and the greatest edge above 0 of all of them; None without any."""
        return self._grown("above_zero", lambda buckets: value_limits(buckets, "log"), _around)

    def _grown(self, name: str, look: Callable[[Buckets], Value], add: Callable[[Value, Value], Value]) -> Value:
        if name not in self._known:
            return look(self.read(0))
        count, known = self._known.pop(name)
        return add(known, look(self.read(count))) if self.count > count else known


def _appended(known: Moments, new: Moments) -> Moments:
    columns = (np.concatenate([getattr(each, column.name) for each in (known, new)]) for column in fields(Moments))
    return Moments(*columns)


def _around(known: Limits | None, new: Limits | None) -> Limits | None:
    """Both, as far as there are such."""
    if known is None or new is None:
        return known or new
    return min(known[0], new[0]), max(known[1], new[1])
