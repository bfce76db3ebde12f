"""Stops of a cursor: one x value for each column of a plot that has points."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, nearest_dot
from tbtui.maths.decimate import unique_values

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea

    Floats: TypeAlias = npt.NDArray[np.float64]


MAX_COMPARED = 2
"""Maximum number of arrays of the same length and ends that an array is compared with."""


def find_cursor_stops(columns: Iterable[Floats], plot: PlotArea) -> Floats:
    """Return the stops of a cursor: for each column of the plot with points, the x value nearest to its middle.

    The first and the last visible point are always stops. In a picture whose steps run down, rows replace columns.

    Args:
        columns: x of each line, float64[n].
        plot: Area of the lines.

    Returns:
        float64[k], ascending; empty if the picture has no axis of steps.
    """
    axis = plot.along
    if axis is None:
        return np.empty(0)
    dots, count = (DOTS_DOWN, plot.height) if plot.turned else (DOTS_ACROSS, plot.width)
    last, middle = dots * count - 1, (dots - 1) / 2
    middles = axis.value((dots * np.arange(count) + middle) / last)
    candidates = [_nearest_points(x, middles, (axis.low, axis.high)) for x in _distinct(columns)]
    x = unique_values(np.concatenate([*candidates, np.empty(0)]))
    with np.errstate(over="ignore"):
        dot_positions = axis.unit(x) * last
    inside = (dot_positions >= -0.5) & (dot_positions < last + 0.5)
    x, dot_positions = x[inside], dot_positions[inside]
    cells = nearest_dot(dot_positions) // dots
    order = np.lexsort((np.abs(dot_positions - (dots * cells + middle)), cells))
    _, firsts = np.unique(cells[order], return_index=True)
    stops = np.asarray(x[order[firsts]])
    if len(stops) > 1:
        stops[0], stops[-1] = x[0], x[-1]
    return stops


def _distinct(columns: Iterable[Floats]) -> list[Floats]:
    """Return the arrays without duplicates: hundreds of runs log at the same steps."""
    distinct: dict[tuple[int, float, float], list[Floats]] = {}
    for each in columns:
        x = np.asarray(each)
        equal_ends = distinct.setdefault((len(x), float(x[0]), float(x[-1])) if len(x) else (0, 0.0, 0.0), [])
        if not any(other is x or np.array_equal(other, x) for other in equal_ends[:MAX_COMPARED]):
            equal_ends.append(x)
    return [x for equal_ends in distinct.values() for x in equal_ends]


def _nearest_points(x: Floats, middles: Floats, axis_limits: tuple[float, float]) -> Floats:
    """Return the neighbours of each middle among many points, and the first and last point within the limits."""
    if len(x) <= 2 * len(middles):
        return x
    x = x if bool(np.all(x[1:] >= x[:-1])) else np.sort(x)
    next_indices = np.searchsorted(x, middles)
    first, end = np.searchsorted(x, axis_limits[0]), np.searchsorted(x, axis_limits[1], "right")
    return np.asarray(x[np.clip(np.concatenate([next_indices - 1, next_indices, [first, end - 1]]), 0, len(x) - 1)])
