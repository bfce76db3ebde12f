"""Lines of scalar charts: the values of one run and tag, maybe with bounds, or the average of several runs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.decimate import find_unique_values, is_ascending
from tbtui.maths.smoothing import find_lasting_restarts, find_superseded_points, smooth, summarize
from tbtui.maths.x_values import STEP_AXES, TIME_AXES, RunClock, compute_x_values, find_time_outliers, step_x, to_steps
from tbtui.plugins.scalars.averages import Average, average, interpolate, join_x, sort_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.maths.smoothing import Summary
    from tbtui.settings.settings import AverageEnd, Spread, XAxis
    from tbtui.store.snapshot import ScalarSeries

    Floats: TypeAlias = npt.NDArray[np.float64]
    Indices: TypeAlias = npt.NDArray[np.intp]
    Steps: TypeAlias = npt.NDArray[np.int64]


@frozen(slots=False, eq=False)
class Margin:
    """Bounds of a line of a margin chart, each an array of the line's length; NaN where there is no bound."""

    lower: Floats
    """Values as logged, smoothed like the line."""

    upper: Floats
    interpolated: npt.NDArray[np.bool_]
    """True where a bound is interpolated between two of its own points."""

    @cached_property
    def has_both(self) -> npt.NDArray[np.bool_]:
        """Points with both bounds."""
        return np.isfinite(self.lower) & np.isfinite(self.upper)

    @cached_property
    def crossed(self) -> npt.NDArray[np.bool_]:
        """Points whose lower bound is above the upper one."""
        with np.errstate(invalid="ignore"):
            return self.has_both & (self.lower > self.upper)

    @cached_property
    def low(self) -> Floats:
        """The lesser bound where both exist, else NaN."""
        return np.where(self.has_both, np.minimum(self.lower, self.upper), np.nan)

    @cached_property
    def high(self) -> Floats:
        """The greater bound where both exist, else NaN."""
        return np.where(self.has_both, np.maximum(self.lower, self.upper), np.nan)

    @property
    def lone(self) -> tuple[Floats, Floats]:
        """The bounds at points where the other one is missing, else NaN."""
        return np.where(self.has_both, np.nan, self.lower), np.where(self.has_both, np.nan, self.upper)


MAX_DETAILED_LINES = 12
"""Maximum number of lines with raw values and bands; with more, a chart also has few marks and few names."""


@frozen
class LineKey:
    """Identity of a line: all settings that it depends on."""

    run: str
    """Name of the run, or of an averaged group of runs."""

    revision: int
    smoothing: float
    x_axis: XAxis
    origin: int
    """Subtracted from steps; see `maths.x_values.step_origin`."""

    tag: str = ""
    skip: int = 0
    """Points at steps below this are left out, after smoothing."""

    superseded: bool = False
    """True if the step axis shows superseded points; all other axes show all points anyway."""

    clock: RunClock = RunClock()
    """Clock of the run; it has pauses on the active axis only."""

    members: tuple[LineKey, ...] = ()
    """Keys of the averaged lines; empty for a single run."""

    spread: Spread = "std"
    average_end: AverageEnd = "longest"
    """Rule for the last step of an average."""

    bounds: tuple[tuple[str, int] | None, ...] = ()
    """Tag and revision of the lower and the upper bound of each band in a margin chart, None for a missing one; empty
    elsewhere."""


@frozen(slots=False, eq=False)
class Line:
    """Points of a line: those of `current` on the step axis, all on others. All arrays have one length, at least 1."""

    key: LineKey
    values: Floats
    smoothed: Floats
    """`values` itself when smoothing is off."""

    x: Floats
    steps: Steps | None
    """Strictly increasing on the step axis; None for an average over anything but steps."""

    wall_times: Floats | None
    """Seconds since the epoch; None for an average."""

    off_axis: int = 0
    """Number of points at steps without a value of the tag that is the x axis."""

    superseded_count: int = 0
    """Number of points that the step axis leaves out, or would leave out without `key.superseded`."""

    restarts: tuple[int, ...] = ()
    """Indices of the first points after a restart at an earlier step."""

    superseded: tuple[Floats, Floats] | None = None
    """x and y of superseded points in order of time, NaN between segments; None unless they are drawn."""

    band: Average | None = None
    """Spread of the runs of an average."""

    members: tuple[Line, ...] = ()
    """Averaged lines; empty for a single run."""

    margin: Margin | None = None
    """Bounds of the value in a margin chart."""

    further: tuple[Margin, ...] = ()
    """Bounds of further bands around the same value, of which the edges alone are drawn."""

    lost: tuple[int, ...] = ()
    """Indices of the points of an average from which a member is no longer a number."""

    @property
    def name(self) -> str:
        """Name of the run, or of an average with the number of its runs."""
        return f"{self.key.run} ×{len(self.members)}" if self.members else self.key.run

    @property
    def runs(self) -> tuple[str, ...]:
        """Runs of the line."""
        return tuple(line.key.run for line in self.members) or (self.key.run,)

    @property
    def edges(self) -> tuple[Floats, Floats] | None:
        """Lower and upper edge of its band: the spread of an average, or the bounds of a margin chart."""
        band = self.band if self.margin is None else self.margin
        return None if band is None else (band.low, band.high)

    @property
    def left_out(self) -> int:
        """Number of points that the step axis leaves out, of all members, whether or not they are drawn behind."""
        return self.superseded_count + sum(line.superseded_count for line in self.members)

    @property
    def points(self) -> int:
        """Number of points in memory."""
        return len(self.x) + sum(len(line.x) for line in self.members)

    @cached_property
    def extremes(self) -> Summary:
        """Points of the extremes; for an average, only points at which most of its runs are present count."""
        if self.band is None or len(self.values) == 0:
            return summarize(self.values)
        return summarize(np.where(self.band.count == self.band.count.max(), self.values, np.nan))

    def count_fewer_runs(self, point: int) -> int | None:
        """Return the number of runs at a point of an average if not all are present there, else None."""
        if self.band is None or self.band.count[point] == len(self.members):
            return None
        return int(self.band.count[point])

    def is_interpolated(self, point: int) -> bool:
        """Return True if a point of an average holds a value between two points of a run."""
        return self.band is not None and bool(self.band.interpolated[point])

    @cached_property
    def ascending(self) -> bool:
        """True if x never decreases."""
        return self.key.x_axis in ("step", "order") or is_ascending(self.x)

    @cached_property
    def time_outliers(self) -> Indices:
        """Indices of points with an absurd wall time; empty unless x is a time."""
        if self.wall_times is None or self.key.x_axis not in TIME_AXES:
            return np.empty(0, np.intp)
        return find_time_outliers(self.wall_times)

    @cached_property
    def timeless(self) -> int:
        """Return the number of points whose wall time is NaN, which no axis of times can show."""
        if self.key.x_axis not in TIME_AXES:
            return 0
        return len(self.x) - int(np.count_nonzero(np.isfinite(self.x)))


def make_line(series: ScalarSeries, key: LineKey, bounds: Sequence[ScalarSeries | None] = ()) -> Line:
    """Return the line of a series, which has at least one point that is not skipped.

    Args:
        series: Series of the values.
        key: Identity of the line: all settings that it depends on.
        bounds: Series of the lower and the upper bound of each band in a margin chart; None for a missing one.
    """
    is_step = key.x_axis == "step"
    points = series.current if key.x_axis in STEP_AXES else series
    values = np.asarray(points.values)
    smoothed = smooth(values, key.smoothing) if key.smoothing > 0 else values
    rows: slice | Indices = slice(None)
    if key.skip:
        rows = slice(int(np.searchsorted(points.steps, key.skip)), None) if is_step else _from_step(points, key.skip)
    x = compute_x_values(key.x_axis, points.steps, points.wall_times, key.clock, key.origin)
    off_axis = 0
    if key.x_axis == "tag":
        rows, off_axis = _select_rows_on_axis(x, rows)
    pairs = (bounds[index : index + 2] for index in range(0, len(bounds), 2))
    margins = tuple(filter(None, (_build_margin(points, pair, key, rows) for pair in pairs)))
    row_values = values[rows]
    return Line(
        key,
        row_values,
        smoothed[rows] if smoothed is not values else row_values,
        x[rows],
        points.steps[rows],
        points.wall_times[rows],
        off_axis,
        series.superseded if key.x_axis in STEP_AXES else 0,
        _find_restarts(series, key, points.steps[rows]),
        _select_superseded_points(series, key) if key.superseded and is_step else None,
        margin=margins[0] if margins else None,
        further=margins[1:],
    )


def _select_rows_on_axis(x: Floats, rows: slice | Indices) -> tuple[Indices, int]:
    """Return the rows whose x is a number, and the number of others; the first row if there is none."""
    unskipped = np.arange(len(x))[rows]
    on_axis = unskipped[np.isfinite(x[unskipped])]
    return (on_axis if len(on_axis) else unskipped[:1]), len(unskipped) - len(on_axis)


def _build_margin(
    points: ScalarSeries, bounds: Sequence[ScalarSeries | None], key: LineKey, rows: slice | Indices
) -> Margin | None:
    """Return the bounds at the points of a line; None if it has no bounds."""
    if all(bound is None for bound in bounds):
        return None
    (lower, is_between), (upper, is_also_between) = (
        (np.full(len(points), np.nan), np.zeros(len(points), np.bool_))
        if bound is None
        else _align_bound(points, bound, key)
        for bound in bounds
    )
    return Margin(lower[rows], upper[rows], (is_between | is_also_between)[rows])


def _align_bound(points: ScalarSeries, bound: ScalarSeries, key: LineKey) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return a bound at the points of a value, and a mask of interpolated ones.

    Bounds belong to steps: the three values of one step have wall times of their own. At a step without a point of the
    bound it is interpolated between its neighbours, never beyond its ends. Points that a restart superseded have the
    bounds of their own past only if all tags were logged together.
    """
    if key.x_axis in STEP_AXES:
        bound = bound.current
    elif np.array_equal(bound.steps, points.steps):
        return smooth(np.asarray(bound.values), key.smoothing), np.zeros(len(points), np.bool_)
    current_bound = bound.current
    values = smooth(np.asarray(current_bound.values), key.smoothing)
    value_steps, x = points.steps.astype(np.float64), current_bound.steps.astype(np.float64)
    inside = (value_steps >= x[0]) & (value_steps <= x[-1])
    if key.x_axis not in STEP_AXES and points.kept is not None:
        inside &= points.kept
    interpolated, is_between = np.full(len(value_steps), np.nan), np.zeros(len(value_steps), np.bool_)
    interpolated[inside], has_point = interpolate(x, values, value_steps[inside])
    is_between[inside] = ~has_point
    return interpolated, is_between


def _from_step(points: ScalarSeries, skip: int) -> Indices:
    return np.flatnonzero(points.steps >= skip)


def _find_restarts(series: ScalarSeries, key: LineKey, steps: Steps) -> tuple[int, ...]:
    """Return the indices in the line of the first points after a restart; `steps` are those of the line."""
    if series.kept is None:
        return ()
    if key.x_axis in STEP_AXES:
        restarts = find_lasting_restarts(series.steps, series.kept, series.restart_indices)
        rows = np.searchsorted(steps, restarts[restarts >= key.skip])
        return tuple(rows[rows < len(steps)].tolist())
    indices = series.restart_indices
    is_skipped = series.steps < key.skip
    indices = indices[~is_skipped[indices]]
    return tuple((indices - np.cumsum(is_skipped)[indices]).tolist())


def make_average(members: Sequence[Line], key: LineKey) -> Line:
    """Return the average of lines on one x axis, each smoothed before; `key` names its group.

    Points with an absurd wall time do not count. An average ends with its longest run, or with its shortest.
    """
    smoothed = [_average_points(line, line.smoothed) for line in members]
    average_x = join_x([x for x, _ in smoothed])
    if key.average_end == "shortest":
        average_x = _cut_to_shared_span(smoothed, average_x)
    if len(average_x) == 0:  # no member has an x that is a number
        average_x = members[0].x[:1]
    band = average(smoothed, average_x, key.spread)
    values = band.mean
    if key.smoothing > 0:
        values = average((_average_points(line, line.values) for line in members), average_x, None).mean
    return Line(
        key,
        values,
        band.mean,
        average_x,
        to_steps(average_x, key.origin) if key.x_axis == "step" else None,
        None,
        band=band,
        members=tuple(members),
        lost=_find_lost_points(members, average_x),
    )


def _average_points(line: Line, values: Floats) -> tuple[Floats, Floats]:
    outliers = line.time_outliers
    return sort_points(
        *((np.delete(line.x, outliers), np.delete(values, outliers)) if len(outliers) else (line.x, values))
    )


def _cut_to_shared_span(lines: Sequence[tuple[Floats, Floats]], x_values: Floats) -> Floats:
    """Return the x values at which all lines are present; all of them if the lines have no span in common."""
    first, last = max(x[0] for x, _ in lines if len(x)), min(x[-1] for x, _ in lines if len(x))
    return x_values[(x_values >= first) & (x_values <= last)] if first <= last else x_values


def _select_superseded_points(series: ScalarSeries, key: LineKey) -> tuple[Floats, Floats] | None:
    """Return superseded points, each segment with the current points that it begins and ends at."""
    if series.kept is None:
        return None
    indices, breaks = find_superseded_points(series.steps, series.kept, key.skip)
    if len(indices) == 0:
        return None
    x = step_x(series.steps[indices], key.origin)
    return np.insert(x, breaks, np.nan), np.insert(series.values[indices], breaks, np.nan)


def _find_lost_points(members: Sequence[Line], average_x: Floats) -> tuple[int, ...]:
    first = [line.x[int(np.argmin(finite))] for line in members if not (finite := np.isfinite(line.values)).all()]
    return tuple(
        find_unique_values(np.minimum(np.searchsorted(average_x, np.array(first)), len(average_x) - 1)).tolist()
    )
