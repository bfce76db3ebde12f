"""Axes of scalar charts: the range of lines, bands, raw and superseded values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import supported_scale
from tbtui.frozen import frozen
from tbtui.maths.domain import LINEAR_SHARE, axis_span, extent, without_outliers
from tbtui.maths.scales import from_scale, to_scale
from tbtui.plugins.scalars.lines import MAX_DETAILED_LINES, Line
from tbtui.settings.settings import FULL_RANGE, usable_range
from tbtui.view.chart_axes import AXIS_KINDS, HeldAxes, threshold_of, x_axis, y_axis

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.maths.domain import Limits
    from tbtui.maths.scales import Scale
    from tbtui.plugins.scalars.averages import Floats
    from tbtui.settings.settings import Outliers
    from tbtui.view.chart_axes import AxesSettings


def visible_values(
    drawn: Iterable[tuple[Line, Floats]], x_axis: Axis | None = None, scale: Scale = "linear", threshold: float = 1.0
) -> Floats:
    """Return the values that an x axis shows, and those at which lines cross its ends: float64[n] of all lines.

    Args:
        drawn: Lines, which give x, and the values drawn at it: their own or others.
        x_axis: The visible part; None: everything.
        scale: Scale of the y axis.
        threshold: Threshold of a symlog scale.
    """
    if x_axis is None:
        parts = [values for _, values in drawn]
        return np.concatenate(parts) if parts else np.empty(0)
    parts, crossings = [], []
    low, high = x_axis.low, x_axis.high
    for line, values in drawn:
        x = line.x
        if not line.ascending:
            parts.append(values[(x >= low) & (x <= high)])
            continue
        first, end = int(x.searchsorted(low)), int(x.searchsorted(high, "right"))
        parts.append(values[first:end])
        for index, place in ((first, 0.0), (end, 1.0)):
            if 0 < index < len(x):
                crossings.append((place, x[index - 1], x[index], values[index - 1], values[index]))
    if crossings:
        parts.append(_crossed(np.array(crossings).T, x_axis, scale, threshold))
    return np.concatenate(parts) if parts else np.empty(0)


def _crossed(crossings: Floats, x_axis: Axis, scale: Scale, threshold: float) -> Floats:
    """Return the values of lines where they cross an end of the axis.

    Args:
        crossings: float64[5, n]: the place, x of the points before and after it, their values.
        x_axis: The visible part.
        scale: Scale of the y axis.
        threshold: Threshold of a symlog scale.
    """
    place, x, y = crossings[0], x_axis.unit(crossings[1:3]), to_scale(crossings[3:5], scale, threshold)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        part = np.where(x[1] > x[0], (place - x[0]) / (x[1] - x[0]), 1.0)
        return from_scale(y[0] * (1 - part) + y[1] * part, scale, threshold)


MAX_BACKGROUND_STRETCH = 2.0
"""Far raw values, bands and reference lines may make the y axis at most this many times as long."""


MIN_RANKED_VALUES = 40


MAX_RANKED_VALUES = 1 << 16
"""Values sorted to find outliers. With fewer than the minimum a twentieth is none; of more than the maximum, some are
skipped.
"""


class LineAxes:
    """Axes of all charts drawn so far: limits grow in nice steps, and start anew when the settings change."""

    def __init__(self) -> None:
        self._axes = HeldAxes()

    def axes(
        self,
        key: str,
        lines: Sequence[Line],
        chosen: AxesSettings,
        *,
        shown: Hashable = None,
        levels: Sequence[float] = (),
    ) -> tuple[Axis, Axis]:
        """Return the x and the y axis of a chart.

        Args:
            key: Key of the card.
            lines: At least one.
            chosen: Settings of the axes.
            shown: State of the view beside `chosen` and `levels`. While all three are equal, limits are held.
            levels: y of the reference lines.
        """
        shown = (chosen, shown, tuple(levels))
        former_x, former_y = self._axes.former(key, shown)
        origin = lines[0].key.origin
        x_scale = supported_scale(chosen.x_scale, AXIS_KINDS[chosen.x_axis], origin)
        ends = [_x_ends(line, x_scale, chosen.outliers) for line in lines]
        x, x_held = x_axis(ends, chosen, origin, former_x)
        in_sight = x if usable_range(chosen.x_range, x.scale, x.origin) != FULL_RANGE else None
        scale = chosen.y_scale
        # One array: with hundreds of lines, looking through each costs far more than putting them together.
        drawn = [(line, line.smoothed) for line in lines]
        main = visible_values(drawn, in_sight, scale)
        threshold = threshold_of(main, LINEAR_SHARE, scale, former_y)
        if in_sight is not None and scale == "symlog":  # only now it is known where lines enter and leave
            main = visible_values(drawn, in_sight, scale, threshold)
        behind = background_of(lines, levels, in_sight, scale, threshold)
        y, y_held = y_axis(y_extent(main, behind, scale, threshold, chosen.outliers), chosen, threshold, former_y)
        self._axes.keep(key, shown, x_held, y_held)
        return x, y


def clipped_sides(lines: Sequence[Line], x: Axis, y: Axis, chosen: AxesSettings) -> tuple[bool, bool]:
    """Return whether visible values lie below and above the y axis. Both are False if its range was set by hand."""
    if usable_range(chosen.y_range, y.scale) != FULL_RANGE or all(_holds(y, line) for line in lines):
        return False, False
    in_sight = x if usable_range(chosen.x_range, x.scale, x.origin) != FULL_RANGE else None
    main = visible_values([(line, line.smoothed) for line in lines], in_sight, y.scale, y.threshold)
    behind = background_of(lines, (), in_sight, y.scale, y.threshold)
    values = np.concatenate([main, behind.raw, behind.superseded, *behind.others])
    values = values[np.isfinite(values)]
    return bool((values < y.low).any()), bool((values > y.high).any())


def _holds(y: Axis, line: Line) -> bool:
    """Return True if an axis shows all values of a line and of its band; smoothed values lie between the raw ones."""
    least, greatest = line.extremes.minimum, line.extremes.maximum
    drawn = [] if least is None or greatest is None else [line.values[[least, greatest]]]
    drawn += _edges(line)
    drawn += [] if line.superseded is None else [line.superseded[1]]
    return not any(((part < y.low) | (part > y.high)).any() for part in drawn)


def _edges(line: Line) -> list[Floats]:
    """Return the edges of the band of a line, those of its further bands, and bounds that are alone."""
    margins = [*filter(None, [line.margin]), *line.further]
    further = [edge for margin in line.further for edge in (margin.low, margin.high)]
    return [*(line.edges or ()), *further, *(bound for margin in margins for bound in margin.lone)]


def _x_ends(line: Line, scale: Scale, outliers: Outliers) -> Floats:
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


def background_of(
    lines: Sequence[Line],
    levels: Sequence[float] = (),
    in_sight: Axis | None = None,
    scale: Scale = "linear",
    threshold: float = 1.0,
) -> Background:
    """Return the values drawn behind the lines; with many lines there are no raw values and no bands."""
    few = len(lines) <= MAX_DETAILED_LINES
    raw = [(line, line.values) for line in lines if few and line.smoothed is not line.values and line.edges is None]
    edges = [(line, edge) for line in lines if few for edge in _edges(line)]
    superseded = [
        y if in_sight is None else y[(x >= in_sight.low) & (x <= in_sight.high)]
        for x, y in (line.superseded for line in lines if line.superseded is not None)
    ]
    return Background(
        visible_values(raw, in_sight, scale, threshold),
        np.concatenate(superseded) if superseded else np.empty(0),
        (*([visible_values(edges, in_sight, scale, threshold)] if edges else ()), *(np.array([y]) for y in levels)),
    )


def y_extent(
    main: Floats, behind: Background, scale: Scale = "linear", threshold: float = 1.0, outliers: Outliers = "auto"
) -> Limits | None:
    """Return the limits of the y axis.

    TensorBoard leaves out a twentieth of the values at each end, and all raw ones: that is `ignore`; `keep` leaves out
    nothing. `auto` leaves out values only if the chart would be flat with them (most charts lose nothing, and few
    points are never outliers). Of raw values it leaves out at most a twentieth at each end, if they are far from the
    rest; bands and reference lines if they are far from the lines.
    """
    if outliers == "ignore":
        return extent([main], scale=scale, ignore_outliers=True)
    limits = extent([main], scale=scale)
    if outliers == "keep":
        return _union(limits, extent([behind.raw, behind.superseded, *behind.others], scale=scale))
    if limits is not None:
        limits = _without_outliers(main, limits, scale, threshold)
    limits = _union(
        limits, extent([behind.raw[:: 1 + len(behind.raw) // MAX_RANKED_VALUES]], scale=scale, ignore_outliers=True)
    )
    room = math.inf if limits is None else MAX_BACKGROUND_STRETCH * axis_span(limits, scale, threshold)
    superseded = extent([behind.superseded], scale=scale)
    if superseded is not None:
        limits = _union(limits, _without_outliers(behind.superseded, superseded, scale, threshold))
    for values in (behind.raw, *behind.others):
        wider = _union(limits, extent([values], scale=scale))
        if wider is not None and axis_span(wider, scale, threshold) <= room:
            limits = wider
    return limits


def _union(limits: Limits | None, others: Limits | None) -> Limits | None:
    if limits is None or others is None:
        return others if limits is None else limits
    return min(limits[0], others[0]), max(limits[1], others[1])


def _without_outliers(values: Floats, everything: Limits, scale: Scale, threshold: float) -> Limits:
    if len(values) < MIN_RANKED_VALUES:
        return everything
    most = extent([values[:: 1 + len(values) // MAX_RANKED_VALUES]], scale=scale, ignore_outliers=True)
    return everything if most is None else without_outliers(values, most, scale, threshold) or everything
