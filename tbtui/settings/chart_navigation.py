"""Navigation in charts: their shared cursor, the range selected from it, the run in focus, and the zoom.

Every function takes the current settings and the chart that the user saw when the key was pressed, so that each key
counts even if keys arrive faster than pictures. Values in the settings are absolute, those of an axis count from its
origin: a setting means the same in every chart.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import pan_limits, zoom_limits
from tbtui.frozen import frozen
from tbtui.settings.settings import FULL_RANGE, replace_in_all_charts

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.maths.domain import Limits
    from tbtui.settings.settings import Range, RowOrder, Settings

    Floats: TypeAlias = npt.NDArray[np.float64]


def find_cursor_stops(plot: PlotArea, stops: Floats | None) -> Floats:
    """Return the absolute positions that the cursor can take; empty if no point is visible."""
    return np.empty(0) if stops is None else stops + _get_origin(plot)


def _get_origin(plot: PlotArea) -> float:
    """Return the origin of the axis of steps."""
    return 0.0 if plot.along is None else float(plot.along.origin)


def move_cursor(settings: Settings, stops: Floats, count: int) -> Settings:
    """Move the cursor by `count` stops; a new cursor starts at the end that it moves away from.

    Args:
        settings: The current settings.
        stops: From `find_cursor_stops`.
        count: Negative moves to the left.
    """
    if not len(stops):
        return settings
    return replace(settings, cursor=_move(settings.cursor, stops, count))


def move_step(settings: Settings, stops: Floats, count: int) -> Settings:
    """Move the cursor by `count` stops in a dashboard that shows the newest step without a cursor.

    The cursor then starts at the newest step; moving it forward from there changes nothing.

    Args:
        settings: The current settings.
        stops: From `find_cursor_stops`.
        count: Negative moves back.
    """
    if settings.cursor is None:
        if count > 0 or not len(stops):
            return settings
        settings = replace(settings, cursor=float(stops[-1]))
    return move_cursor(settings, stops, count)


def _move(cursor: float | None, stops: Floats, count: int) -> float:
    if cursor is None:
        index = count - 1 if count > 0 else len(stops) + count
    elif count > 0:
        index = int(np.searchsorted(stops, cursor, "right")) + count - 1
    else:
        index = int(np.searchsorted(stops, cursor, "left")) + count
    return float(stops[max(0, min(index, len(stops) - 1))])


def place_cursor(settings: Settings, plot: PlotArea, stops: Floats, x: float) -> Settings:
    """Move the cursor to the visually nearest stop; without stops, to `x` itself.

    Args:
        settings: The current settings.
        plot: Plot area of the chart. Without an axis of steps the settings stay unchanged.
        stops: From `find_cursor_stops`.
        x: Position on the axis of steps, without the origin.
    """
    if plot.along is None:
        return settings
    if len(stops):
        distances = np.abs(plot.along.unit(stops - plot.along.origin) - plot.along.unit(x))
        return replace(settings, cursor=float(stops[np.argmin(distances)]))
    return replace(settings, cursor=x + plot.along.origin)


def clear_cursor(settings: Settings) -> Settings:
    """Remove the cursor and the selected range."""
    return replace(settings, cursor=None, mark=None)


def has_selection(settings: Settings) -> bool:
    """Return True if a range is selected and not empty; a new one is empty."""
    return settings.cursor is not None and settings.mark not in (None, settings.cursor)


def toggle_selection(settings: Settings, stops: Floats) -> Settings:
    """Start a range at the cursor, or remove the selected one."""
    if settings.mark is not None:
        return replace(settings, mark=None)
    settings = move_cursor(settings, stops, -1) if settings.cursor is None else settings
    return replace(settings, mark=settings.cursor)


def move_focus(settings: Settings, runs: Sequence[str], count: int) -> Settings:
    """Select another run of a table.

    Args:
        settings: Current settings.
        runs: The run of each row; one may have several.
        count: How many runs further down; from no run it goes to the first, or up to the last.
    """
    known = list(dict.fromkeys(runs))
    if not known:
        return settings
    if settings.focus in known:
        index = known.index(settings.focus) + count
    else:
        index = count - 1 if count > 0 else len(known) + count
    return replace(settings, focus=known[max(0, min(index, len(known) - 1))])


# Zoom

RANGE_DIGITS = 4
"""Significant digits of a range, relative to its length: invisible in the chart, and short in a form."""

MIN_WHOLE_STEPS = 100
"""Minimum length in steps of ranges that begin and end at whole steps."""


def zoom_x(
    settings: Settings, key: str, plot: PlotArea, factor: float, at: float | None = None, at_y: float | None = None
) -> Settings:
    """Zoom a chart along x, of any quantity; along both axes if both show values.

    Args:
        settings: Current settings.
        key: The chart's card.
        plot: Its plot area on the screen.
        factor: Factor for the length of the axis.
        at: The x value that keeps its position; None: the cursor if it is visible, otherwise the middle.
        at_y: The y value that keeps its position, if y is zoomed too.
    """
    if plot.zoom_centre is not None:
        x, y = plot.zoom_centre
        return _zoom_plane(settings, key, plot, factor, (x if at is None else at, y if at_y is None else at_y))
    if plot.turned:
        axis = _apply_manual_range(plot.values, settings.chart(key).y_range)
        return _set_values(settings, key, axis, zoom_limits(axis, float(axis.value(0.5)) if at is None else at, factor))
    axis = _apply_manual_range(plot.x_axis, settings.get_x_range(key))
    if at is None:
        at = _choose_centre(axis, settings)
    return _set_along(settings, key, axis, zoom_limits(axis, at, factor))


def _zoom_plane(settings: Settings, key: str, plot: PlotArea, factor: float, at: tuple[float, float]) -> Settings:
    own = settings.chart(key)
    across, values = _apply_manual_range(plot.x_axis, own.across_range), _apply_manual_range(plot.values, own.y_range)
    settings = _set_across(settings, key, across, zoom_limits(across, _clamp_centre(across, at[0]), factor))
    return _set_values(settings, key, values, zoom_limits(values, _clamp_centre(values, at[1]), factor))


def pan_x(settings: Settings, key: str, plot: PlotArea, part: float) -> Settings:
    """Pan a chart along x by a fraction of the visible range."""
    if plot.zoom_centre is not None:
        axis = _apply_manual_range(plot.x_axis, settings.chart(key).across_range)
        return _set_across(settings, key, axis, pan_limits(axis, part))
    return _pan_values(settings, key, plot, part) if plot.turned else _pan_along(settings, key, plot, part)


def pan_y(settings: Settings, key: str, plot: PlotArea, part: float) -> Settings:
    """Pan a chart along y by a fraction of the visible range; axes of counts do not move."""
    return _pan_along(settings, key, plot, -part) if plot.turned else _pan_values(settings, key, plot, part)


def _pan_along(settings: Settings, key: str, plot: PlotArea, part: float) -> Settings:
    if plot.along is None:
        return settings
    axis = _apply_manual_range(plot.along, settings.get_x_range(key))
    return _set_along(settings, key, axis, pan_limits(axis, part))


def _pan_values(settings: Settings, key: str, plot: PlotArea, part: float) -> Settings:
    axis = _apply_manual_range(plot.values, settings.chart(key).y_range)
    return _set_values(settings, key, axis, pan_limits(axis, part))


def zoom_to_box(
    settings: Settings, key: str, plot: PlotArea, x_limits: Limits | None, y_limits: Limits | None
) -> Settings:
    """Zoom a chart to a box; None leaves a direction unchanged."""
    if plot.zoom_centre is not None and x_limits is not None:
        settings = _set_across(settings, key, plot.x_axis, x_limits)
    along, values = (y_limits, x_limits) if plot.turned else (x_limits, y_limits)
    if along is not None and plot.along is not None:
        settings = _set_along(settings, key, plot.along, along)
    return settings if values is None else _set_values(settings, key, plot.values, values)


def fit_chart(settings: Settings, key: str, *, plane: bool = False) -> Settings:
    """Reset the ranges of a chart; the range of all charts if it has none, or if charts are linked.

    Args:
        settings: Current settings.
        key: The chart's card.
        plane: Whether both its axes have values: then it has nothing in common with others.
    """
    if plane:
        return replace(settings, charts=settings.with_chart(key, across_range=FULL_RANGE, y_range=FULL_RANGE))
    own = settings.chart(key)
    chart_alone = not settings.linked and (own.x_range != FULL_RANGE or own.y_range != FULL_RANGE)
    charts = settings.with_chart(key, x_range=FULL_RANGE, y_range=FULL_RANGE)
    return replace(settings, charts=charts, x_range=settings.x_range if chart_alone else FULL_RANGE)


def fit_all_charts(settings: Settings) -> Settings:
    """Reset the ranges of every chart."""
    charts = replace_in_all_charts(settings, x_range=FULL_RANGE, y_range=FULL_RANGE, across_range=FULL_RANGE)
    return replace(settings, charts=charts, x_range=FULL_RANGE)


def toggle_linked(settings: Settings, key: str | None) -> Settings:
    """Link the x ranges of all charts, starting from the range of one of them, or unlink them."""
    if settings.linked:
        return replace(settings, linked=False)
    x_range = settings.x_range if key is None else settings.get_x_range(key)
    return replace(settings, linked=True, charts=replace_in_all_charts(settings, x_range=FULL_RANGE), x_range=x_range)


def set_x_range(settings: Settings, key: str, chosen: Range) -> Settings:
    """Set the x range of a chart, or of all charts if they are linked."""
    if settings.linked:
        return replace(settings, x_range=chosen, charts=replace_in_all_charts(settings, x_range=FULL_RANGE))
    return replace(settings, charts=settings.with_chart(key, x_range=chosen))


def _set_along(settings: Settings, key: str, axis: Axis, limits: Limits) -> Settings:
    chosen = _round_limits(axis, limits)
    return settings if chosen is None else set_x_range(settings, key, chosen)


def _set_across(settings: Settings, key: str, axis: Axis, limits: Limits) -> Settings:
    chosen = _round_limits(axis, limits)
    return settings if chosen is None else replace(settings, charts=settings.with_chart(key, across_range=chosen))


def _set_values(settings: Settings, key: str, axis: Axis, limits: Limits) -> Settings:
    chosen = _round_limits(axis, limits)
    return settings if chosen is None else replace(settings, charts=settings.with_chart(key, y_range=chosen))


def _apply_manual_range(painted: Axis, chosen: Range) -> Axis:
    """Return the axis with the ends set by hand; unchanged if they are not usable."""
    low, high = chosen
    try:
        return replace(
            painted,
            low=painted.low if low is None else low - painted.origin,
            high=painted.high if high is None else high - painted.origin,
        )
    except ValueError:
        return painted


def _round_limits(axis: Axis, limits: Limits) -> Limits | None:
    """Return rounded absolute limits; None for limits that floats do not distinguish."""
    low, high = (end + axis.origin for end in limits)
    span = high - low
    if not 0 < span < math.inf:
        return None
    rounded = _round(axis, low, span), _round(axis, high, span)
    return rounded if -math.inf < rounded[0] < rounded[1] < math.inf else (low, high)


def _round(axis: Axis, end: float, span: float) -> float:
    if axis.scale != "linear":
        return float(f"{end:.{RANGE_DIGITS}e}")
    if axis.kind == "step" and span >= MIN_WHOLE_STEPS:
        return float(round(end))
    try:
        return round(end, RANGE_DIGITS - math.floor(math.log10(span)))
    except OverflowError:  # the greatest floats have nothing rounder above them
        return end


def zoom_to_selection(settings: Settings, key: str, plot: PlotArea) -> Settings:
    """Zoom to the selected range, if there is one."""
    if settings.cursor is None or settings.mark is None or settings.cursor == settings.mark:
        return settings
    axis = plot.along
    if axis is None:
        return settings
    low, high = sorted((settings.cursor - axis.origin, settings.mark - axis.origin))
    return replace(_set_along(settings, key, axis, (low, high)), mark=None)


def _choose_centre(axis: Axis, settings: Settings) -> float:
    """Return the cursor if it is visible, otherwise the middle of the axis."""
    return _clamp_centre(axis, math.nan if settings.cursor is None else settings.cursor - axis.origin)


def _clamp_centre(axis: Axis, value: float) -> float:
    """Return a value if it is visible, otherwise the middle of the axis."""
    return value if axis.low <= value <= axis.high else float(axis.value(0.5))


@frozen
class CursorState:
    """Cursor, selected range and focus in one chart; none by default."""

    cursor: float | None = None
    """Position on the chart's x axis, as is `mark`."""

    mark: float | None = None
    """The other end of the selected range; None without a cursor."""

    focus: str | None = None
    """The run that stands out."""

    baseline: str | None = None
    """The run that the others are compared with; it may not be drawn."""

    order: RowOrder = "runs"


NO_CURSOR = CursorState()


def build_cursor_state(settings: Settings, origin: int = 0) -> CursorState:
    """Return the cursor state of a chart whose x axis counts from `origin`."""
    cursor, mark = (None if x is None else float(x - origin) for x in (settings.cursor, settings.mark))
    return CursorState(
        cursor, mark if cursor is not None else None, settings.focus, settings.baseline, settings.row_order
    )
