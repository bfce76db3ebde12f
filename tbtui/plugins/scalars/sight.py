"""What of the lines of a chart is in sight when its x axis shows a part of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.series.scales import bent, unbent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.charts.axis import Axis
    from tbtui.plugins.scalars.lines import Floats, Line
    from tbtui.series.scales import Scale


def values_in_sight(
    drawn: Iterable[tuple[Line, Floats]], x_axis: Axis | None = None, scale: Scale = "linear", threshold: float = 1.0
) -> Floats:
    """The values that an x axis shows, and those at which lines enter and leave it, float64[n] of all lines together.

    Args:
        drawn: Lines, which give x, and the values drawn at it: their own or others.
        x_axis: What is shown; None is everything.
        scale: Of the y axis: between points a line is straight on it.
        threshold: Of a symlog scale.
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
    """Values of lines where they cross a place of the axis.

    Args:
        crossings: float64[5, n]: the place, x of the points before and after it, their values.
        x_axis: What is shown.
        scale: Of the y axis.
        threshold: Of a symlog scale.
    """
    place, x, y = crossings[0], x_axis.unit(crossings[1:3]), bent(crossings[3:5], scale, threshold)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        part = np.where(x[1] > x[0], (place - x[0]) / (x[1] - x[0]), 1.0)
        return unbent(y[0] * (1 - part) + y[1] * part, scale, threshold)
