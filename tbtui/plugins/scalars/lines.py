"""One run's values of one tag as a chart draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.series.axes import relative_x, step_x, wall_x
from tbtui.series.smoothing import smooth

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.store.snapshot import ScalarSeries
    from tbtui.viewstate.choices import XAxis

    Floats: TypeAlias = npt.NDArray[np.float64]


MOST_RAW = 12
"""With more lines than this in a chart, the raw ones behind the smoothed, restart marks and names would be noise."""


@dataclass(frozen=True, slots=True)
class LineKey:
    """Everything that a line depends on."""

    run: str
    revision: int
    smoothing: float
    x_axis: XAxis
    origin: int
    """Subtracted from steps; see `series.axes.step_origin`."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """The points of a run that no restart has superseded. All arrays have one length, at least 1."""

    key: LineKey
    steps: npt.NDArray[np.int64]
    """Strictly increasing."""

    wall_times: Floats
    """Seconds since the epoch."""

    values: Floats
    smoothed: Floats
    """`values` itself when smoothing is off."""

    x: Floats
    restarts: tuple[int, ...]
    """Indices of the points with which the run went on from an earlier step than it had reached."""


def line_of(series: ScalarSeries, key: LineKey) -> Line:
    """The line of a series that holds at least one point."""
    current = series.current
    values = np.asarray(current.values)
    return Line(
        key,
        current.steps,
        current.wall_times,
        values,
        smooth(values, key.smoothing) if key.smoothing > 0 else values,
        x_of(current, key.x_axis, key.origin),
        _restarts(series, current.steps),
    )


def x_of(series: ScalarSeries, x_axis: XAxis, origin: int) -> Floats:
    """The x values on the chosen axis: steps from `origin` on, seconds since the series' first point, or wall times."""
    if x_axis == "relative":
        return relative_x(series.wall_times)
    return wall_x(series.wall_times) if x_axis == "wall" else step_x(series.steps, origin)


def _restarts(series: ScalarSeries, kept_steps: npt.NDArray[np.int64]) -> tuple[int, ...]:
    """Where steps went back. A step logged twice in a row is a correction, not a restart."""
    back = np.flatnonzero(series.steps[1:] < series.steps[:-1]) + 1
    return tuple(np.unique(np.searchsorted(kept_steps, series.steps[back])).tolist())
