"""The axes of a chart of quantile curves: what of them it has to show, and what it may leave out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.plugins.distributions.curves import CURVES, INNER, span_of
from tbtui.series.domain import SMALL, extent
from tbtui.series.outliers import without_outliers
from tbtui.viewstate.axes import HeldAxes, threshold_of, x_axis, y_axis
from tbtui.viewstate.choices import WHOLE
from tbtui.viewstate.ranges import hand_range

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.plugins.distributions.curves import Curves, Floats
    from tbtui.series.domain import Limits
    from tbtui.series.scales import Scale
    from tbtui.viewstate.axes import AxesChosen
    from tbtui.viewstate.choices import Outliers


@dataclass(frozen=True, slots=True)
class Axes:
    """Both axes of a chart."""

    x: Axis
    y: Axis
    everything: Limits | None
    """The least and the greatest of all curves in sight, which the y axis may leave out; None without any."""


class CurveAxes:
    """The axes of every chart seen so far: limits grow in nice steps, and start anew when other things are shown."""

    def __init__(self) -> None:
        self._held = HeldAxes()

    def axes(
        self,
        key: str,
        all_curves: Sequence[Curves],
        chosen: AxesChosen,
        *,
        shown: Hashable = None,
        levels: Sequence[float] = (),
        drawn: slice = slice(None),
    ) -> Axes:
        """The axes of a chart.

        Args:
            key: Whose chart it is.
            all_curves: Those of each run; at least one.
            chosen: What is chosen for the axes.
            shown: What is shown beside the data, `chosen` and `levels`: while these are equal, limits are held.
            levels: Heights of reference lines.
            drawn: Which of the nine curves are drawn.
        """
        shown = (chosen, shown, tuple(levels))
        former_x, former_y = self._held.former(key, shown)
        x, x_held = x_axis(_x_ends(all_curves), chosen, all_curves[0].recorded.origin, former_x)
        in_sight = x if hand_range(chosen.x_range, x.scale, x.origin) != WHOLE else None
        values = np.concatenate([values_in_sight(each, in_sight) for each in all_curves])
        threshold = threshold_of(values[:, drawn].ravel(), SMALL, chosen.y_scale, former_y)
        data = y_extent(values, chosen.y_scale, threshold, chosen.outliers, drawn)
        if data is not None and levels:
            data = extent([np.array([*data, *levels])], scale=chosen.y_scale)
        y, y_held = y_axis(data, chosen, threshold, former_y)
        self._held.keep(key, shown, x_held, y_held)
        return Axes(x, y, extent([values[:, drawn].ravel()], scale=chosen.y_scale))


def _x_ends(all_curves: Sequence[Curves]) -> list[Floats]:
    """The ends of x, and the values next to zero, at which scales that have one turn."""
    ends = [np.array(span_of(all_curves))]
    for each in all_curves:
        zero = int(each.x.searchsorted(0.0))
        ends.append(each.x[max(zero - 1, 0) : zero + 2])
        if each.superseded is not None:
            ends.append(each.superseded[0])
    return ends


def values_in_sight(curves: Curves, x_axis: Axis | None = None) -> Floats:
    """The values of all curves that an x axis shows, and those at which they enter and leave it, float64[k, 9].

    Args:
        curves: Of one run.
        x_axis: What is shown; None is everything.
    """
    if x_axis is None:
        return curves.values
    x, values = curves.x, curves.values
    first, end = int(x.searchsorted(x_axis.low)), int(x.searchsorted(x_axis.high, "right"))
    parts = [values[first:end]]
    for index, at in ((first, x_axis.low), (end, x_axis.high)):
        if 0 < index < len(x):
            before, place, after = x_axis.unit(np.array([x[index - 1], at, x[index]])).tolist()
            part = (place - before) / (after - before) if after > before else 1.0
            if np.isfinite(part):
                parts.append(values[None, index - 1] * (1 - part) + values[None, index] * part)
    return np.concatenate(parts)


def y_extent(
    values: Floats,
    scale: Scale = "linear",
    threshold: float = 1.0,
    outliers: Outliers = "auto",
    drawn: slice = slice(None),
) -> Limits | None:
    """What the y axis has to show.

    With `auto` all of it, unless least and greatest values, or few steps far from all others, would leave nothing to be
    seen of the curves between 6.68 % and 93.32 %; `keep` leaves out nothing; `ignore` whatever lies outside of these
    curves at nine steps of ten.

    Args:
        values: float64[n, 9], ascending from curve to curve.
        scale: Of the axis.
        threshold: Of a symlog scale.
        outliers: Which rule.
        drawn: Which of the nine curves are drawn.

    Returns:
        None when no value counts.
    """
    everything = extent([values[:, drawn].ravel()], scale=scale)
    most = _most(values, scale)
    if outliers == "keep" or most is None:
        return everything
    return most if outliers == "ignore" else without_outliers(values[:, drawn].ravel(), most, scale, threshold)


def _most(values: Floats, scale: Scale) -> Limits | None:
    """Between what the inner curves lie at most steps."""
    lowest = extent([values[:, 1]], scale=scale, ignore_outliers=True)
    highest = extent([values[:, CURVES - 2]], scale=scale, ignore_outliers=True)
    if lowest is not None and highest is not None:
        return lowest[0], highest[1]
    return extent([values[:, INNER].ravel()], scale=scale, ignore_outliers=True)
