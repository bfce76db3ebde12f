"""The axes of a chart of lines: what of the lines, and of what lies behind them, they have to show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import possible_scale
from tbtui.plugins.scalars.lines import MOST_RAW
from tbtui.plugins.scalars.sight import values_in_sight
from tbtui.series.domain import SMALL, extent
from tbtui.series.outliers import axis_span, without_outliers
from tbtui.viewstate.axes import KINDS, HeldAxes, threshold_of, x_axis, y_axis
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.ranges import hand_range

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.plugins.scalars.lines import Floats, Line
    from tbtui.series.domain import Limits
    from tbtui.series.scales import Scale
    from tbtui.viewstate.axes import AxesChosen
    from tbtui.viewstate.options import Outliers

RAW_ROOM = 2.0
"""What lies behind the lines, such as raw values behind smoothed ones, may make the axis this many times as long."""

LEAST_RANKED = 40
MOST_RANKED = 1 << 16
"""Values put in order to find outliers: not so few that a twentieth is none; of more, some are skipped."""


class LineAxes:
    """The axes of every chart seen so far: limits grow in nice steps, and start anew when other things are shown."""

    def __init__(self) -> None:
        self._held = HeldAxes()

    def axes(
        self,
        key: str,
        lines: Sequence[Line],
        chosen: AxesChosen,
        *,
        shown: Hashable = None,
        levels: Sequence[float] = (),
    ) -> tuple[Axis, Axis]:
        """The x and the y axis of a chart.

        Args:
            key: Whose chart it is.
            lines: At least one.
            chosen: What is chosen for the axes.
            shown: What is shown beside the data, `chosen` and `levels`: while these are equal, limits are held.
            levels: Heights of reference lines.
        """
        shown = (chosen, shown, tuple(levels))
        former_x, former_y = self._held.former(key, shown)
        origin = lines[0].key.origin
        x_scale = possible_scale(chosen.x_scale, KINDS[chosen.x_axis], origin)
        x, x_held = x_axis([_x_ends(line, x_scale) for line in lines], chosen, origin, former_x)
        in_sight = x if hand_range(chosen.x_range, x.scale, x.origin) != WHOLE else None
        scale = chosen.y_scale
        # One array: with hundreds of lines, looking through each costs far more than putting them together.
        drawn = [(line, line.smoothed) for line in lines]
        main = values_in_sight(drawn, in_sight, scale)
        threshold = threshold_of(main, SMALL, scale, former_y)
        if in_sight is not None and scale == "symlog":  # only now it is known where lines enter and leave
            main = values_in_sight(drawn, in_sight, scale, threshold)
        behind = values_behind(lines, levels, in_sight, scale, threshold)
        y, y_held = y_axis(y_extent(main, behind, scale, threshold, chosen.outliers), chosen, threshold, former_y)
        self._held.keep(key, shown, x_held, y_held)
        return x, y


def beyond(lines: Sequence[Line], x: Axis, y: Axis, chosen: AxesChosen) -> tuple[bool, bool]:
    """Whether any value of what is drawn, where the x axis shows it, is less than the y axis shows, or greater.

    Where the y axis was set by hand nobody needs to be told.
    """
    if hand_range(chosen.y_range, y.scale) != WHOLE or all(_holds(y, line) for line in lines):
        return False, False
    in_sight = x if hand_range(chosen.x_range, x.scale, x.origin) != WHOLE else None
    main = values_in_sight([(line, line.smoothed) for line in lines], in_sight, y.scale, y.threshold)
    values = np.concatenate([main, *values_behind(lines, (), in_sight, y.scale, y.threshold)])
    values = values[np.isfinite(values)]
    return bool((values < y.low).any()), bool((values > y.high).any())


def _holds(y: Axis, line: Line) -> bool:
    """Whether an axis shows all values of a line, and what is drawn around it; smoothed ones lie between its values."""
    least, greatest = line.figures.least, line.figures.greatest
    drawn = [] if least is None or greatest is None else [line.values[[least, greatest]]]
    drawn += [] if line.band is None else [line.band.low, line.band.high]
    drawn += [] if line.superseded is None else [line.superseded[1]]
    return not any(((part < y.low) | (part > y.high)).any() for part in drawn)


def _x_ends(line: Line, scale: Scale) -> Floats:
    """The values among which are the least and the greatest x, and those next to zero where the scale asks for them."""
    x, superseded = line.x, line.superseded
    if line.key.x_axis == "step":
        zero = int(x.searchsorted(0.0))
        x = x[[0, -1]] if scale == "linear" else np.concatenate([x[[0, -1]], x[max(zero - 1, 0) : zero + 2]])
    return x if superseded is None else np.concatenate([x, superseded[0]])


def values_behind(
    lines: Sequence[Line],
    levels: Sequence[float] = (),
    in_sight: Axis | None = None,
    scale: Scale = "linear",
    threshold: float = 1.0,
) -> Iterator[Floats]:
    """What is drawn behind the lines of a chart, part by part: each may be too far from them to be shown."""
    if len(lines) <= MOST_RAW:
        raw = [(line, line.values) for line in lines if line.smoothed is not line.values and line.band is None]
        edges = [(line, edge) for line in lines if line.band is not None for edge in (line.band.low, line.band.high)]
        for part in (raw, edges):
            yield values_in_sight(part, in_sight, scale, threshold)
    for x, y in (line.superseded for line in lines if line.superseded is not None):
        yield y if in_sight is None else y[(x >= in_sight.low) & (x <= in_sight.high)]
    yield from (np.array([level]) for level in levels)


def y_extent(
    main: Floats, behind: Iterable[Floats], scale: Scale = "linear", threshold: float = 1.0, outliers: Outliers = "auto"
) -> Limits | None:
    """What the y axis has to show.

    TensorBoard leaves out a twentieth of the values at each end, whatever they are, and all raw ones: that is
    `ignore`; `keep` leaves out nothing. With `auto` values are left out only when the chart would be flat with them
    (most charts lose nothing, and few points are never outliers), and what lies behind the lines only when it is far
    from them.

    Args:
        main: Values of the lines, float64[n].
        behind: Values behind them, in the order of their worth.
        scale: Of the axis.
        threshold: Of a symlog scale.
        outliers: Which rule.
    """
    if outliers == "ignore":
        return extent([main], scale=scale, ignore_outliers=True)
    shown = extent([main], scale=scale)
    if outliers == "auto" and shown is not None:
        shown = _without_outliers(main, shown, scale, threshold)
    room = math.inf if shown is None or outliers == "keep" else RAW_ROOM * axis_span(shown, scale, threshold)
    for values in behind:
        near = extent([values] if shown is None else [values, np.array(shown)], scale=scale)
        if near is not None and axis_span(near, scale, threshold) <= room:
            shown = near
    return shown


def _without_outliers(values: Floats, everything: Limits, scale: Scale, threshold: float) -> Limits:
    if len(values) < LEAST_RANKED:
        return everything
    most = extent([values[:: 1 + len(values) // MOST_RANKED]], scale=scale, ignore_outliers=True)
    return everything if most is None else without_outliers(values, most, scale, threshold) or everything
