"""What is wrong with a run: whether it has lost its numbers, or its way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.viewstate.loss_curve import LEAST_POINTS, is_loss, trend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.store.snapshot import ScalarSeries

MOST_LOSSES = 8
"""Losses of a run that are judged, the longest first."""

Ailment: TypeAlias = Literal["nan", "inf", "diverges", "flat"]


@frozen
class Trouble:
    """What is wrong with a run, and in which of its tags."""

    kind: Ailment
    tag: str
    step: int | None = None
    """`nan`, `inf`: from here on no value of the tag is a number. Others: None."""


def trouble_of(scalars: Sequence[ScalarSeries]) -> Trouble | None:
    """The one thing to be said of a run: no numbers any more, a loss that diverges, losses that are all flat.

    Args:
        scalars: All scalar series of the run that hold a value.
    """
    last = np.array([series.values.item(-1) for series in scalars])
    return (
        _numbers_lost("nan", [scalars[index] for index in np.flatnonzero(np.isnan(last)).tolist()])
        or _numbers_lost("inf", [scalars[index] for index in np.flatnonzero(np.isinf(last)).tolist()])
        or _loss_trouble(scalars)
    )


def _numbers_lost(kind: Ailment, lost: Sequence[ScalarSeries]) -> Trouble | None:
    """Of series that end in no number the one whose numbers ended at the earliest step."""
    found: tuple[str, int] | None = None
    for series in lost:
        # Thousands may have ended together: where a number stands just before the step that is known, this did not
        # end earlier.
        if found is None or not _is_number_before(series.current, found[1]):
            step = _first_without_number(series.current)
            if found is None or step < found[1]:
                found = series.tag, step
    return None if found is None else Trouble(kind, *found)


def _is_number_before(series: ScalarSeries, step: int) -> bool:
    """Whether the value before `step` is a number, or there is none."""
    before = int(np.searchsorted(series.steps, step)) - 1
    return before < 0 or math.isfinite(series.values.item(before))


def _first_without_number(series: ScalarSeries) -> int:
    numbers = np.flatnonzero(np.isfinite(series.values))
    return int(series.steps[numbers[-1] + 1 if len(numbers) else 0])


def _loss_trouble(scalars: Sequence[ScalarSeries]) -> Trouble | None:
    losses = [series for series in scalars if len(series.steps) >= LEAST_POINTS and is_loss(series.tag)]
    losses.sort(key=lambda series: -len(series.steps))
    trends = {series.tag: trend(series.current.values) for series in losses[:MOST_LOSSES]}
    diverging = next((tag for tag, says in trends.items() if says == "diverges"), None)
    if diverging is not None:
        return Trouble("diverges", diverging)
    flat = bool(trends) and all(says == "flat" for says in trends.values())
    return Trouble("flat", next(iter(trends))) if flat else None
