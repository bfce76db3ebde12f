"""What of a chart is seen: zooming and moving it, each gesture as a change of the choices.

Every function is handed the choices as they are by then and what the user saw when the key was pressed: of keys that
come faster than pictures each counts. Values on x are in the units of the painted axis; what is chosen does not count
from the axis' origin, so that it means the same in every chart.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.zoom import panned, zoomed
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.choices import all_charts

if TYPE_CHECKING:
    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.series.domain import Limits
    from tbtui.viewstate.chart_choices import Range
    from tbtui.viewstate.choices import Choices

DIGITS = 4
"""Ranges are rounded to so many digits of their length: nobody sees it in the picture, and it reads well in a form."""

WHOLE_FROM = 100
"""Ranges at least so many steps long begin and end at whole steps."""


def zoomed_x(
    choices: Choices, key: str, plot: PlotArea, factor: float, at: float | None = None, at_y: float | None = None
) -> Choices:
    """Zoom a chart along x, whatever that shows; along both axes where both have values.

    Args:
        choices: As they are by now.
        key: The chart's card.
        plot: Where it was painted.
        factor: What the length of the axis is multiplied by.
        at: The value that stays where it is; None: the cursor where it is in sight, otherwise the middle.
        at_y: Likewise of y, where that is zoomed too.
    """
    if plot.about is not None:
        x, y = plot.about
        return _plane_zoomed(choices, key, plot, factor, (x if at is None else at, y if at_y is None else at_y))
    if plot.turned:
        axis = _axis_by_now(plot.values, choices.chart(key).y_range)
        return _with_values(choices, key, axis, zoomed(axis, float(axis.value(0.5)) if at is None else at, factor))
    axis = _axis_by_now(plot.x_axis, choices.x_range_of(key))
    if at is None:
        at = _cursor_on(axis, choices)
    return _with_along(choices, key, axis, zoomed(axis, at, factor))


def _plane_zoomed(choices: Choices, key: str, plot: PlotArea, factor: float, at: tuple[float, float]) -> Choices:
    own = choices.chart(key)
    across, values = _axis_by_now(plot.x_axis, own.across_range), _axis_by_now(plot.values, own.y_range)
    choices = _with_across(choices, key, across, zoomed(across, _in_sight(across, at[0]), factor))
    return _with_values(choices, key, values, zoomed(values, _in_sight(values, at[1]), factor))


def panned_x(choices: Choices, key: str, plot: PlotArea, part: float) -> Choices:
    """Move a chart along x by a part of what is seen."""
    if plot.about is not None:
        axis = _axis_by_now(plot.x_axis, choices.chart(key).across_range)
        return _with_across(choices, key, axis, panned(axis, part))
    return _values_panned(choices, key, plot, part) if plot.turned else _along_panned(choices, key, plot, part)


def panned_y(choices: Choices, key: str, plot: PlotArea, part: float) -> Choices:
    """Move a chart along y by a part of what is seen; counts stay where they are."""
    return _along_panned(choices, key, plot, -part) if plot.turned else _values_panned(choices, key, plot, part)


def _along_panned(choices: Choices, key: str, plot: PlotArea, part: float) -> Choices:
    if plot.along is None:
        return choices
    axis = _axis_by_now(plot.along, choices.x_range_of(key))
    return _with_along(choices, key, axis, panned(axis, part))


def _values_panned(choices: Choices, key: str, plot: PlotArea, part: float) -> Choices:
    axis = _axis_by_now(plot.values, choices.chart(key).y_range)
    return _with_values(choices, key, axis, panned(axis, part))


def boxed(choices: Choices, key: str, plot: PlotArea, x_limits: Limits | None, y_limits: Limits | None) -> Choices:
    """Show a box of a chart; None leaves a direction as it is."""
    if plot.about is not None and x_limits is not None:
        choices = _with_across(choices, key, plot.x_axis, x_limits)
    along, values = (y_limits, x_limits) if plot.turned else (x_limits, y_limits)
    if along is not None and plot.along is not None:
        choices = _with_along(choices, key, plot.along, along)
    return choices if values is None else _with_values(choices, key, plot.values, values)


def fitted(choices: Choices, key: str, *, plane: bool = False) -> Choices:
    """Give up the ranges of a chart; where it has none of its own, or all are zoomed together, that of all charts.

    Args:
        choices: As they are by now.
        key: The chart's card.
        plane: Whether both its axes have values: then it has nothing in common with others.
    """
    if plane:
        return replace(choices, charts=choices.with_chart(key, across_range=WHOLE, y_range=WHOLE))
    own = choices.chart(key)
    chart_alone = not choices.linked and (own.x_range != WHOLE or own.y_range != WHOLE)
    charts = choices.with_chart(key, x_range=WHOLE, y_range=WHOLE)
    return replace(choices, charts=charts, x_range=choices.x_range if chart_alone else WHOLE)


def all_fitted(choices: Choices) -> Choices:
    """Give up the ranges of every chart."""
    charts = all_charts(choices, x_range=WHOLE, y_range=WHOLE, across_range=WHOLE)
    return replace(choices, charts=charts, x_range=WHOLE)


def linked_to(choices: Choices, key: str | None) -> Choices:
    """Zoom all charts together from now on, beginning where one of them is; or each alone again."""
    if choices.linked:
        return replace(choices, linked=False)
    x_range = choices.x_range if key is None else choices.x_range_of(key)
    return replace(choices, linked=True, charts=all_charts(choices, x_range=WHOLE), x_range=x_range)


def with_x_range(choices: Choices, key: str, chosen: Range) -> Choices:
    """Set the x range of a chart, or of all where they are zoomed together."""
    if choices.linked:
        return replace(choices, x_range=chosen, charts=all_charts(choices, x_range=WHOLE))
    return replace(choices, charts=choices.with_chart(key, x_range=chosen))


def _with_along(choices: Choices, key: str, axis: Axis, limits: Limits) -> Choices:
    chosen = _chosen(axis, limits)
    return choices if chosen is None else with_x_range(choices, key, chosen)


def _with_across(choices: Choices, key: str, axis: Axis, limits: Limits) -> Choices:
    chosen = _chosen(axis, limits)
    return choices if chosen is None else replace(choices, charts=choices.with_chart(key, across_range=chosen))


def _with_values(choices: Choices, key: str, axis: Axis, limits: Limits) -> Choices:
    chosen = _chosen(axis, limits)
    return choices if chosen is None else replace(choices, charts=choices.with_chart(key, y_range=chosen))


def _axis_by_now(painted: Axis, chosen: Range) -> Axis:
    """The axis with the ends that are chosen by now; as it was painted where these do not fit it."""
    low, high = chosen
    try:
        return replace(
            painted,
            low=painted.low if low is None else low - painted.origin,
            high=painted.high if high is None else high - painted.origin,
        )
    except ValueError:
        return painted


def _chosen(axis: Axis, limits: Limits) -> Limits | None:
    """Limits as they are chosen: rounded, not counted from the origin; None where floats do not tell them apart."""
    low, high = (end + axis.origin for end in limits)
    span = high - low
    if not 0 < span < math.inf:
        return None
    near = _rounded(axis, low, span), _rounded(axis, high, span)
    return near if -math.inf < near[0] < near[1] < math.inf else (low, high)


def _rounded(axis: Axis, end: float, span: float) -> float:
    if axis.scale != "linear":
        return float(f"{end:.{DIGITS}e}")
    if axis.kind == "step" and span >= WHOLE_FROM:
        return float(round(end))
    try:
        return round(end, DIGITS - math.floor(math.log10(span)))
    except OverflowError:  # the greatest floats have nothing rounder above them
        return end


def stretch_zoomed(choices: Choices, key: str, plot: PlotArea) -> Choices:
    """Show the stretch between mark and cursor, where there is one."""
    if choices.cursor is None or choices.mark is None or choices.cursor == choices.mark:
        return choices
    axis = plot.along
    if axis is None:
        return choices
    low, high = sorted((choices.cursor - axis.origin, choices.mark - axis.origin))
    return replace(_with_along(choices, key, axis, (low, high)), mark=None)


def _cursor_on(axis: Axis, choices: Choices) -> float:
    """The cursor where it is in sight, otherwise the middle of the axis."""
    return _in_sight(axis, math.nan if choices.cursor is None else choices.cursor - axis.origin)


def _in_sight(axis: Axis, value: float) -> float:
    """A value where it is in sight, otherwise the middle of the axis."""
    return value if axis.low <= value <= axis.high else float(axis.value(0.5))
