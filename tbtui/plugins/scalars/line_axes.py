"""Axes of scalar charts: the range of lines, bands, raw and superseded values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import resolve_scale
from tbtui.frozen import frozen
from tbtui.maths.domain import (
    LINEAR_SHARE,
    compute_axis_span,
    compute_extent,
    compute_extent_without_outliers,
    from_scale,
    to_scale,
)
from tbtui.plugins.scalars.lines import MAX_DETAILED_LINES, Line
from tbtui.settings.settings import FULL_RANGE, convert_range
from tbtui.view.chart_axes import AXIS_KINDS, HeldAxes, choose_threshold, choose_x_axis, choose_y_axis

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.maths.domain import Limits, Scale
    from tbtui.plugins.scalars.averages import Floats
    from tbtui.settings.settings import Outliers
    from tbtui.view.chart_axes import AxesSettings


def find_visible_values(
    values_of_lines: Iterable[tuple[Line, Floats]],
    x_axis: Axis | None = None,
    scale: Scale = "linear",
    threshold: float = 1.0,
) -> Floats:
    """Return the values that an x axis shows, and those at which lines cross its ends: float64[n] of all lines.

    Args:
        values_of_lines: Lines, which give x, and the values drawn at it: their own or others.
        x_axis: The visible part; None: everything.
        scale: Scale of the y axis.
        threshold: Threshold of a symlog scale.
    """
    if x_axis is None:
        blocks = [values for _, values in values_of_lines]
        return np.concatenate(blocks) if blocks else np.empty(0)
    blocks, crossings = [], []
    low, high = x_axis.low, x_axis.high
    for line, values in values_of_lines:
        x = line.x
        if not line.ascending:
            blocks.append(values[(x >= low) & (x <= high)])
            continue
        first, end = int(x.searchsorted(low)), int(x.searchsorted(high, "right"))
        blocks.append(values[first:end])
        for index, position in ((first, 0.0), (end, 1.0)):
            if 0 < index < len(x):
                crossings.append((position, x[index - 1], x[index], values[index - 1], values[index]))
    if crossings:
        blocks.append(_interpolate_crossings(np.array(crossings).T, x_axis, scale, threshold))
    return np.concatenate(blocks) if blocks else np.empty(0)


def _interpolate_crossings(crossings: Floats, x_axis: Axis, scale: Scale, threshold: float) -> Floats:
    """Return the values of lines where they cross an end of the axis.

    Args:
        crossings: float64[5, n]: index, x of the points before and after the crossing, and their values.
        x_axis: The visible part.
        scale: Scale of the y axis.
        threshold: Threshold of a symlog scale.
    """
    position, x, y = crossings[0], x_axis.unit(crossings[1:3]), to_scale(crossings[3:5], scale, threshold)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        fraction = np.where(x[1] > x[0], (position - x[0]) / (x[1] - x[0]), 1.0)
        return from_scale(y[0] * (1 - fraction) + y[1] * fraction, scale, threshold)


MAX_BACKGROUND_STRETCH = 2.0
"""Far raw values, bands and reference lines may make the y axis at most this many times as long."""


MIN_RANKED_VALUES = 40


MAX_RANKED_VALUES = 1 << 16
"""Values sorted to find outliers. With fewer than the minimum a twentieth is none; of more than the maximum, some are
skipped.
"""


class LineAxes:
    """Axes of all charts: limits grow in round steps, and are computed again when the settings change."""

    def __init__(self) -> None:
        self._axes = HeldAxes()

    def axes(
        self,
        key: str,
        lines: Sequence[Line],
        axes_settings: AxesSettings,
        *,
        inputs: Hashable = None,
        levels: Sequence[float] = (),
    ) -> tuple[Axis, Axis]:
        """Return the x and the y axis of a chart.

        Args:
            key: Key of the card.
            lines: At least one.
            axes_settings: Settings of the axes.
            inputs: All of the view but `axes_settings` and `levels`. While the three are equal, limits stay.
            levels: y of the reference lines.
        """
        inputs = (axes_settings, inputs, tuple(levels))
        former_x, former_y = self._axes.get_former(key, inputs)
        origin = lines[0].key.origin
        x_scale = resolve_scale(axes_settings.x_scale, AXIS_KINDS[axes_settings.x_axis], origin)
        ends = [_find_x_ends(line, x_scale, axes_settings.outliers) for line in lines]
        x, x_held = choose_x_axis(ends, axes_settings, origin, former_x)
        visible_part = x if convert_range(axes_settings.x_range, x.scale, x.origin) != FULL_RANGE else None
        scale = axes_settings.y_scale
        # One array: with hundreds of lines, looking through each costs far more than putting them together.
        smoothed_lines = [(line, line.smoothed) for line in lines]
        line_values = find_visible_values(smoothed_lines, visible_part, scale)
        threshold = choose_threshold(line_values, LINEAR_SHARE, scale, former_y)
        if visible_part is not None and scale == "symlog":  # only now it is known where lines enter and leave
            line_values = find_visible_values(smoothed_lines, visible_part, scale, threshold)
        background = compute_background(lines, levels, visible_part, scale, threshold)
        y, y_held = choose_y_axis(
            compute_y_extent(line_values, background, scale, threshold, axes_settings.outliers),
            axes_settings,
            threshold,
            former_y,
        )
        self._axes.keep(key, inputs, x_held, y_held)
        return x, y


def find_clipped_sides(lines: Sequence[Line], x: Axis, y: Axis, axes_settings: AxesSettings) -> tuple[bool, bool]:
    """Return two flags: visible values lie below, or above, the y axis. Both are False for a range set by hand."""
    if convert_range(axes_settings.y_range, y.scale) != FULL_RANGE or all(_holds(y, line) for line in lines):
        return False, False
    visible_part = x if convert_range(axes_settings.x_range, x.scale, x.origin) != FULL_RANGE else None
    line_values = find_visible_values([(line, line.smoothed) for line in lines], visible_part, y.scale, y.threshold)
    background = compute_background(lines, (), visible_part, y.scale, y.threshold)
    values = np.concatenate([line_values, background.raw, background.superseded, *background.others])
    values = values[np.isfinite(values)]
    return bool((values < y.low).any()), bool((values > y.high).any())


def _holds(y: Axis, line: Line) -> bool:
    """Return True if an axis shows all values of a line and of its band; smoothed values lie between the raw ones."""
    minimum, maximum = line.extremes.minimum, line.extremes.maximum
    drawn_values = [] if minimum is None or maximum is None else [line.values[[minimum, maximum]]]
    drawn_values += _list_edges(line)
    drawn_values += [] if line.superseded is None else [line.superseded[1]]
    return not any(((values < y.low) | (values > y.high)).any() for values in drawn_values)


def _list_edges(line: Line) -> list[Floats]:
    """Return the edges of all bands of a line, and its bounds without a counterpart."""
    margins = [*filter(None, [line.margin]), *line.further]
    further = [edge for margin in line.further for edge in (margin.low, margin.high)]
    return [*(line.edges or ()), *further, *(bound for margin in margins for bound in margin.lone)]


def _find_x_ends(line: Line, scale: Scale, outliers: Outliers) -> Floats:
    """Return values that include the least and the greatest x, and those next to zero if the scale needs them."""
    x, superseded = line.x, line.superseded
    if line.key.x_axis in ("step", "order"):
        zero = int(x.searchsorted(0.0))
        x = x[[0, -1]] if scale == "linear" else np.concatenate([x[[0, -1]], x[max(zero - 1, 0) : zero + 2]])
    elif outliers != "keep" and len(line.time_outliers):
        x = np.delete(x, line.time_outliers)
    return x if superseded is None else np.concatenate([x, superseded[0]])


@frozen(eq=False)
class Background:
    """Values drawn behind the lines, float64[n] each."""

    raw: Floats
    """Raw values of smoothed lines; the y axis shows most of them."""

    superseded: Floats
    """Superseded points on request; the y axis shows them."""

    others: tuple[Floats, ...]
    """Bands and reference lines; one too far from the lines is not shown."""


def compute_background(
    lines: Sequence[Line],
    levels: Sequence[float] = (),
    visible_part: Axis | None = None,
    scale: Scale = "linear",
    threshold: float = 1.0,
) -> Background:
    """Return the values drawn behind the lines; with many lines there are no raw values and no bands."""
    is_detailed = len(lines) <= MAX_DETAILED_LINES
    raw = [
        (line, line.values) for line in lines if is_detailed and line.smoothed is not line.values and line.edges is None
    ]
    edges = [(line, edge) for line in lines if is_detailed for edge in _list_edges(line)]
    superseded = [
        y if visible_part is None else y[(x >= visible_part.low) & (x <= visible_part.high)]
        for x, y in (line.superseded for line in lines if line.superseded is not None)
    ]
    return Background(
        find_visible_values(raw, visible_part, scale, threshold),
        np.concatenate(superseded) if superseded else np.empty(0),
        (
            *([find_visible_values(edges, visible_part, scale, threshold)] if edges else ()),
            *(np.array([y]) for y in levels),
        ),
    )


def compute_y_extent(
    line_values: Floats,
    background: Background,
    scale: Scale = "linear",
    threshold: float = 1.0,
    outliers: Outliers = "auto",
) -> Limits | None:
    """Return the limits of the y axis.

    TensorBoard leaves out a twentieth of the values at each end, and all raw ones: that is `ignore`; `keep` leaves out
    nothing. `auto` leaves out values only if the chart would be flat with them (most charts lose nothing, and few
    points are never outliers). Of raw values it leaves out at most a twentieth at each end, if they are far from the
    rest; bands and reference lines if they are far from the lines.
    """
    if outliers == "ignore":
        return compute_extent([line_values], scale=scale, ignore_outliers=True)
    limits = compute_extent([line_values], scale=scale)
    if outliers == "keep":
        return _unite(limits, compute_extent([background.raw, background.superseded, *background.others], scale=scale))
    if limits is not None:
        limits = _exclude_outliers(line_values, limits, scale, threshold)
    limits = _unite(
        limits,
        compute_extent(
            [background.raw[:: 1 + len(background.raw) // MAX_RANKED_VALUES]], scale=scale, ignore_outliers=True
        ),
    )
    max_span = math.inf if limits is None else MAX_BACKGROUND_STRETCH * compute_axis_span(limits, scale, threshold)
    superseded = compute_extent([background.superseded], scale=scale)
    if superseded is not None:
        limits = _unite(limits, _exclude_outliers(background.superseded, superseded, scale, threshold))
    for values in (background.raw, *background.others):
        wider = _unite(limits, compute_extent([values], scale=scale))
        if wider is not None and compute_axis_span(wider, scale, threshold) <= max_span:
            limits = wider
    return limits


def _unite(limits: Limits | None, others: Limits | None) -> Limits | None:
    if limits is None or others is None:
        return others if limits is None else limits
    return min(limits[0], others[0]), max(limits[1], others[1])


def _exclude_outliers(values: Floats, everything: Limits, scale: Scale, threshold: float) -> Limits:
    if len(values) < MIN_RANKED_VALUES:
        return everything
    inliers = compute_extent([values[:: 1 + len(values) // MAX_RANKED_VALUES]], scale=scale, ignore_outliers=True)
    return (
        everything
        if inliers is None
        else compute_extent_without_outliers(values, inliers, scale, threshold) or everything
    )
