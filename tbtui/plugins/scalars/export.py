"""Tables of scalars for files: the stored points, and the visible ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.number_columns import format_columns
from tbtui.export.table import Table, select_current
from tbtui.export.wide import X_COLUMNS
from tbtui.maths.smoothing import smooth
from tbtui.maths.x_values import DATES, RunClock, build_run_clock, compute_x_values
from tbtui.settings.settings import FULL_RANGE, convert_range
from tbtui.store.run_series import collect_wall_times
from tbtui.store.snapshot import ScalarSeries
from tbtui.view.chart_axes import get_axes_settings, get_tag_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from tbtui.export.table import SkippedValues
    from tbtui.maths.x_values import XAxis
    from tbtui.plugins.base import ScalarExtremes
    from tbtui.plugins.scalars.averages import Floats
    from tbtui.plugins.scalars.chart import ScalarData
    from tbtui.store.snapshot import RunSnapshot, Series
    from tbtui.view.view import View


SCALAR_COLUMNS = ("step", "wall_time", "value")
"""Columns of every table of scalars; `wall_time` is in seconds since the epoch."""

SMOOTHED_COLUMNS = (*SCALAR_COLUMNS, "smoothed")
"""Columns with the smoothed values of a chart."""


def build_scalar_table(
    run: str,
    tag: str,
    steps: npt.NDArray[np.int64],
    wall_times: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    smoothed: npt.NDArray[np.float64] | None = None,
) -> Table:
    """Return the points of one tag of one run, one row each; the column `smoothed` is optional."""
    columns = {"step": steps, "wall_time": wall_times, "value": values}
    return Table(run, tag, columns if smoothed is None else {**columns, "smoothed": smoothed})


def list_scalar_columns(x_axis: XAxis | None) -> tuple[str, ...]:
    """Return the columns of the scalars, with one for the x values of an axis if they have none of it."""
    return tuple(dict.fromkeys((*SCALAR_COLUMNS, *(() if x_axis is None else (X_COLUMNS[x_axis],)))))


def build_scalar_tables(
    run: RunSnapshot,
    tag_matches: Callable[[str], bool],
    *,
    current: bool = False,
    x_axis: XAxis | None = None,
    x_tag: str = "",
    skipped: SkippedValues | None = None,
) -> Iterator[Table]:
    """Yield the scalars of a run, tag by tag; tables without points are left out.

    Args:
        run: Snapshot of the run.
        tag_matches: Returns True for the tags to yield.
        current: Leave out superseded points, instead of yielding every stored point in the order of time.
        x_axis: Axis whose x values are a column.
        x_tag: Tag of the axis `tag`: its value at the same step, NaN at a step without one.
        skipped: Counts the superseded points that are left out.
    """
    clock = run_clock_of(run, x_axis, x_tag)
    for series in run.series.values():
        if isinstance(series, ScalarSeries) and len(series) and tag_matches(series.tag):
            yield _build_table(series, x_axis, clock, skipped, current=current)


def run_clock_of(run: RunSnapshot, x_axis: XAxis | None, x_tag: str = "") -> RunClock:
    """Return the clock of a run if an axis needs it, which is not cached with the run."""
    if x_axis == "tag":
        return RunClock(tag_values=get_tag_values(run, x_tag))
    if x_axis not in ("relative", "active"):
        return RunClock()
    with_pauses = x_axis == "active"
    times = collect_wall_times(run.series, DATES, with_pauses=with_pauses)
    return build_run_clock(run.first_wall_time, *times, with_pauses=with_pauses)


def _build_table(
    series: ScalarSeries, x_axis: XAxis | None, clock: RunClock, skipped: SkippedValues | None, *, current: bool
) -> Table:
    points = select_current(series, skipped) if current else series
    table = build_scalar_table(series.run, series.tag, points.steps, points.wall_times, points.values)
    if x_axis is None or X_COLUMNS[x_axis] in SCALAR_COLUMNS:
        return table
    x = compute_x_values(x_axis, series.steps, series.wall_times, clock)
    if current and (indices := replace(series).current_indices) is not None:
        x = x[indices]
    return replace(table, columns={**table.columns, X_COLUMNS[x_axis]: x.astype(np.int64) if x_axis == "order" else x})


def build_visible_tables(data: ScalarData, view: View, key: str) -> Iterator[Table]:
    """Yield the visible points of card `key`: none superseded, skipped, or outside an x range set by hand.

    Averaged runs are yielded as single runs. A run without visible points is left out.

    Args:
        data: Chart data; used by one thread.
        view: The view to draw.
        key: Key of the card.

    Raises:
        NoPointsError: The chart has no points.
    """
    chart = data.chart(view, key)
    axis, chosen = chart.x_axis, get_axes_settings(view.settings, key)
    is_whole = convert_range(chosen.x_range, axis.scale, axis.origin) == FULL_RANGE
    for line in chart.lines:
        for run_line in line.members or (line,):
            inside = (
                np.ones(len(run_line.x), np.bool_) if is_whole else (run_line.x >= axis.low) & (run_line.x <= axis.high)
            )
            if bool(inside.any()) and run_line.steps is not None and run_line.wall_times is not None:
                steps, wall_times = run_line.steps[inside], run_line.wall_times[inside]
                values, smoothed = run_line.values[inside], run_line.smoothed[inside]
                yield build_scalar_table(run_line.key.run, run_line.key.tag, steps, wall_times, values, smoothed)


def build_stored_tables(data: ScalarData, view: View, key: str) -> Iterator[Table]:
    """Yield every stored point of the drawn runs of card `key`; superseded ones have NaN for `smoothed`."""
    for series in data.series(view, key):
        smoothed = _smooth(series, view.settings.smoothing)
        yield build_scalar_table(series.run, series.tag, series.steps, series.wall_times, series.values, smoothed)


def _smooth(series: ScalarSeries, smoothing: float) -> Floats:
    current = np.asarray(series.current.values)
    shown = smooth(current, smoothing) if smoothing > 0 else current
    if series.kept is None:
        return shown
    smoothed = np.full(len(series), np.nan)
    indices = np.flatnonzero(series.kept)
    smoothed[indices[np.argsort(series.steps[indices], kind="stable")]] = shown  # `current` is sorted by step
    return smoothed


def describe_scalars(series: Series, extremes: ScalarExtremes | None) -> tuple[str, ...] | None:
    """Return the first, last, least and greatest value, distinct; None if the series holds no scalars."""
    if not isinstance(series, ScalarSeries) or extremes is None:
        return None
    values = series.values.item(0), series.last_value, extremes.min, extremes.max
    return tuple(texts[0] for texts in format_columns([[value] for value in values]))
