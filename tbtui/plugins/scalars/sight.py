"""What of a line is in sight when its x axis shows a part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.series.scales import bent, unbent

if TYPE_CHECKING:
    from tbtui.charts.axis import Axis
    from tbtui.plugins.scalars.lines import Floats, Line
    from tbtui.series.scales import Scale


def values_in_sight(line: Line, values: Floats, x_axis: Axis | None, scale: Scale = "linear") -> Floats:
    """The values that an x axis shows, and those at which the line enters and leaves it; all of them without an axis.

    Args:
        line: Gives x.
        values: float64[n], the line's values or others at its x.
        x_axis: What is shown; None is everything.
        scale: Of the y axis: between points a line is straight on it.
    """
    if x_axis is None:
        return values
    x = line.x
    if not line.ascending:
        return np.asarray(values[(x >= x_axis.low) & (x <= x_axis.high)])
    first, end = int(np.searchsorted(x, x_axis.low)), int(np.searchsorted(x, x_axis.high, "right"))
    crossed = [(index, place) for index, place in ((first, 0.0), (end, 1.0)) if 0 < index < len(x)]
    inside = values[first:end]
    if not crossed:
        return inside
    return np.append(inside, [_crossing(x, values, index, place, x_axis, scale) for index, place in crossed])


def _crossing(x: Floats, values: Floats, index: int, place: float, x_axis: Axis, scale: Scale) -> float:
    """The value of a line between the points `index - 1` and `index` where it crosses a place of the axis."""
    ends = slice(index - 1, index + 1)
    before, after = x_axis.unit(x[ends]).tolist()
    part = (place - before) / (after - before) if after > before else 1.0
    low, high = bent(values[ends], scale, 1.0)
    return float(unbent(np.asarray(low * (1 - part) + high * part), scale, 1.0))
