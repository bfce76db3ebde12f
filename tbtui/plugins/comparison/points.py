"""The one point of a series that stands for it in a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.series.figures import figures_of

if TYPE_CHECKING:
    from tbtui.store.snapshot import ScalarSeries
    from tbtui.viewstate.options import Best, Figure


@frozen
class Point:
    """A value and the step that had it."""

    value: float
    step: int


@frozen
class Points:
    """The points that a run's tag is known by."""

    last: Point
    least: Point | None
    """None when no value is finite, likewise `greatest`."""

    greatest: Point | None


def last_point(series: ScalarSeries, skip_steps: int = 0) -> Point | None:
    """The last value of a series; None when it has none from step `skip_steps` on, where that is above 0."""
    # What comes last supersedes and is superseded by nothing: there is no need to look at the other points.
    if not len(series) or 0 < skip_steps > series.steps[-1]:
        return None
    return Point(float(series.values[-1]), int(series.steps[-1]))


def points_of(series: ScalarSeries, skip_steps: int = 0) -> Points | None:
    """Last and extreme values of a series without what a restart superseded; None as for `last_point`."""
    last = last_point(series, skip_steps)
    if last is None:
        return None
    current = series.current
    first = int(np.searchsorted(current.steps, skip_steps)) if skip_steps > 0 else 0
    figures = figures_of(current.values[first:])
    least, greatest = (
        None if index is None else Point(float(current.values[first + index]), int(current.steps[first + index]))
        for index in (figures.least, figures.greatest)
    )
    return Points(last, least, greatest)


def point_of(series: ScalarSeries, figure: Figure, best: Best | None, skip_steps: int = 0) -> Point | None:
    """The point that a table tells of a series; the last one where no value is finite and an extreme was asked for.

    Args:
        series: Of one run.
        figure: Which point; `best` is the extreme that `best` names, or the last one.
        best: Whether less or more is better; None where that is not known.
        skip_steps: Points at steps below are left out.
    """
    extreme = best if figure == "best" else figure
    if extreme is None or extreme == "last":
        return last_point(series, skip_steps)
    points = points_of(series, skip_steps)
    if points is None:
        return None
    return (points.least if extreme == "min" else points.greatest) or points.last
