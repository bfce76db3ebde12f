"""What a chart draws as one line: one run's values of one tag, or the average of several runs'."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.scalars.averages import average, drawable, shared_x
from tbtui.series.axes import relative_x, start_time, step_x, steps_at, wall_x
from tbtui.series.decimate import is_ascending
from tbtui.series.figures import figures_of
from tbtui.series.in_order import distinct
from tbtui.series.restarts import restarts, superseded
from tbtui.series.smoothing import smooth

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.scalars.averages import Average
    from tbtui.series.figures import Figures
    from tbtui.store.snapshot import ScalarSeries
    from tbtui.viewstate.options import Spread, XAxis

    Floats: TypeAlias = npt.NDArray[np.float64]
    Steps: TypeAlias = npt.NDArray[np.int64]


MOST_RAW = 12
"""With more lines than this in a chart, raw ones behind the smoothed, bands, most marks and names would be noise."""


@frozen
class LineKey:
    """Everything that a line depends on."""

    run: str
    """Name of the run, or of the group of runs that is averaged."""

    revision: int
    smoothing: float
    x_axis: XAxis
    origin: int
    """Subtracted from steps; see `series.axes.step_origin`."""

    tag: str = ""
    skip: int = 0
    """Points at steps below this are left out, after smoothing."""

    superseded: bool = False
    """Whether the points that a restart superseded are wanted."""

    members: tuple[LineKey, ...] = ()
    """The lines that are averaged; empty for the line of a run."""

    spread: Spread = "std"


@frozen(slots=False, eq=False)
class Line:
    """Points that no restart has superseded. All arrays have one length, at least 1."""

    key: LineKey
    values: Floats
    smoothed: Floats
    """`values` itself when smoothing is off."""

    x: Floats
    steps: Steps | None
    """Strictly increasing; None for an average over anything but steps."""

    wall_times: Floats | None
    """Seconds since the epoch; None for an average."""

    start: float = 0.0
    """Wall time of the first point of the series, which may be left out here."""

    restarts: tuple[int, ...] = ()
    """Indices of the points with which the run went on from an earlier step than it had reached."""

    superseded: tuple[Floats, Floats] | None = None
    """x and y of what restarts superseded, in order of arrival, NaN between stretches; None without any."""

    band: Average | None = None
    """Of an average: how far its runs lie apart."""

    members: tuple[Line, ...] = ()
    """The lines that are averaged; empty for the line of a run."""

    lost: tuple[int, ...] = ()
    """Of an average: indices of the points from which a member stops being a number."""

    @property
    def name(self) -> str:
        """Name of the run; of an average, with how many runs it is of."""
        return f"{self.key.run} ×{len(self.members)}" if self.members else self.key.run

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs it shows."""
        return tuple(line.key.run for line in self.members) or (self.key.run,)

    @property
    def points(self) -> int:
        """Points held for it."""
        return len(self.x) + sum(len(line.x) for line in self.members)

    @cached_property
    def figures(self) -> Figures:
        """Where its extremes are."""
        return figures_of(self.values)

    @cached_property
    def ascending(self) -> bool:
        """Whether x never goes back."""
        return self.key.x_axis == "step" or is_ascending(self.x)


def line_of(series: ScalarSeries, key: LineKey) -> Line:
    """The line of a series that holds at least one point, at a step that is not skipped."""
    current = series.current
    values = np.asarray(current.values)
    first = int(np.searchsorted(current.steps, key.skip)) if key.skip else 0
    steps = current.steps[first:]
    smoothed = smooth(values, key.smoothing) if key.smoothing > 0 else values
    kept = values[first:]
    return Line(
        key,
        kept,
        smoothed[first:] if smoothed is not values else kept,
        x_of(current, key.x_axis, key.origin)[first:],
        steps,
        current.wall_times[first:],
        start_time(current.wall_times),
        tuple(restarts(series.steps, steps).tolist()) if series.kept is not None else (),
        _superseded(series, key) if key.superseded else None,
    )


def average_of(members: Sequence[Line], key: LineKey) -> Line:
    """The average of lines on one x axis, each smoothed before; `key` names its group."""
    shown = [drawable(line.x, line.smoothed) for line in members]
    at = shared_x([x for x, _ in shown])
    if len(at) == 0:  # no member has an x that is a number
        at = members[0].x[:1]
    band = average(shown, at, key.spread)
    values = band.mean
    if key.smoothing > 0:
        values = average((drawable(line.x, line.values) for line in members), at, None).mean
    return Line(
        key,
        values,
        band.mean,
        at,
        steps_at(at, key.origin) if key.x_axis == "step" else None,
        None,
        band=band,
        members=tuple(members),
        lost=_lost(members, at),
    )


def x_of(series: ScalarSeries, x_axis: XAxis, origin: int) -> Floats:
    """The x values on the chosen axis: steps from `origin` on, seconds since the series' first point, or wall times."""
    if x_axis == "relative":
        return relative_x(series.wall_times)
    return wall_x(series.wall_times) if x_axis == "wall" else step_x(series.steps, origin)


def _superseded(series: ScalarSeries, key: LineKey) -> tuple[Floats, Floats] | None:
    """What restarts superseded, each stretch with the point from which it went on."""
    if series.kept is None:
        return None
    indices, breaks = superseded(series.steps, series.kept, key.skip)
    if len(indices) == 0:
        return None
    if key.x_axis == "relative":
        x = series.wall_times[indices] - start_time(series.current.wall_times)
    else:
        x = series.wall_times[indices] if key.x_axis == "wall" else step_x(series.steps[indices], key.origin)
    return np.insert(x, breaks, np.nan), np.insert(series.values[indices], breaks, np.nan)


def _lost(members: Sequence[Line], at: Floats) -> tuple[int, ...]:
    first = [line.x[int(np.argmin(finite))] for line in members if not (finite := np.isfinite(line.values)).all()]
    return tuple(distinct(np.minimum(np.searchsorted(at, np.array(first)), len(at) - 1)).tolist())
