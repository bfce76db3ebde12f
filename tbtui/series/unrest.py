"""Whether something has happened to the values of a tag: a mark in an overview of many.

A rule that would rather say nothing. A histogram is compared with the middle one (the median) of all before it, so that
what changes slowly is no news, nor is one odd histogram: values that spread from zero in the first steps, gradients
that shrink while a model learns, a spike that has passed.
"""

from __future__ import annotations

import math
from bisect import insort
from typing import TYPE_CHECKING, Literal

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from tbtui.series.moments import Moments

DECADES = 3.0
"""A thousandth, or a thousandfold, of what was before is news. Gradients of ordinary trainings vary about tenfold."""

BEFORE = 5
"""Histograms of some spread that there have to be before; fewer have no middle worth the name."""

WARM_UP = 0.1
"""Part of all histograms that belongs to the beginning, in which much may change."""

LASTING = 2
"""Histograms that it has to last for, up to the newest: one alone may be an odd one."""


@frozen
class Unrest:
    """What happened, and since when."""

    kind: Literal["collapsed", "exploded", "lost"]
    """The deviation fell to a thousandth or less, the values grew a thousandfold or more, or they are NaN."""

    since: int
    """Index of the first histogram of those that are so, all later ones among them."""


def unrest(figures: Moments, lost: Collection[int] = ()) -> Unrest | None:
    """What is the matter with the newest histograms, if anything.

    * `lost`: the newest could not be drawn because of NaN; since the first of those in a row that could not.
    * `collapsed`: the standard deviation is and stays at most a thousandth of the median of all before that had any.
      What never had one (a dead gradient from the start, a single value) did not collapse.
    * `exploded`: the root of the mean square is and stays at least a thousand times the median of all before.

    A change in the first `WARM_UP` of all histograms is none of these, nor is one that has not lasted for `LASTING`
    histograms. Empty histograms do not count.

    Args:
        figures: Of n histograms, in the order of steps.
        lost: Indices of the histograms that could not be read because of NaN.
    """
    newest = len(figures.count) - 1
    if newest in lost:
        since = newest
        while since - 1 in lost:
            since -= 1
        return Unrest("lost", since)
    at = np.flatnonzero(np.isfinite(figures.std))
    with np.errstate(over="ignore", divide="ignore"):
        spread, size = np.log10(figures.std[at]), np.log10(np.hypot(figures.mean[at], figures.std[at]))
    if (index := _fallen_since(spread)) is not None:
        return Unrest("collapsed", int(at[index]))
    if (index := _fallen_since(-size)) is not None:
        return Unrest("exploded", int(at[index]))
    return None


def _fallen_since(levels: npt.NDArray[np.float64]) -> int | None:
    """From where on all levels (logarithms) are `DECADES` or more below the median of the finite ones before."""
    last = len(levels) - LASTING
    finite = levels[np.isfinite(levels)]
    highest = np.maximum.accumulate(levels[::-1])[::-1]
    if last < 0 or not len(finite) or highest[last] > finite.max() - DECADES:
        return None
    before: list[float] = []
    for index, (level, highest_from_here) in enumerate(zip(levels.tolist(), highest.tolist(), strict=True)):
        if index > last:
            break
        if (
            index >= WARM_UP * len(levels)
            and len(before) >= BEFORE
            and highest_from_here <= before[len(before) // 2] - DECADES
        ):
            return index
        if math.isfinite(level):
            insort(before, level)
    return None
