"""Hit testing for mouse and cursor of a chart: the nearest line and point, and the stops of the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, from_dot_columns, round_to_dots, to_dot_columns, to_dot_rows
from tbtui.maths.decimate import find_unique_values, is_ascending

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import Trace

    Floats: TypeAlias = npt.NDArray[np.float64]


MAX_DISTANCE_DOTS = 3 * DOTS_DOWN
"""Maximum distance of a line in dots: three rows, or six columns; dots are about as wide as they are high."""


def find_nearest_line(lines: Sequence[Trace], plot: PlotArea, column: int, row: int) -> int | None:
    """Return the index of the line nearest to a cell of the picture with the plot; None if none is near.

    Args:
        lines: In drawing order; the last of equally near lines is returned, since it lies on top.
        plot: Area of the plot.
        column: Column of the picture.
        row: Row of the picture.
    """
    dot = DOTS_ACROSS * (column - plot.left) + (DOTS_ACROSS - 1) / 2, DOTS_DOWN * (row - plot.top) + (DOTS_DOWN - 1) / 2
    nearest, min_distance = None, float(MAX_DISTANCE_DOTS)
    for index, line in enumerate(lines):
        distance = _measure_distance(*_find_nearby_dots(line, plot, dot[0]), dot)
        if distance <= min_distance:
            nearest, min_distance = index, distance
    return nearest


def _find_nearby_dots(line: Trace, plot: PlotArea, dot_column: float) -> tuple[Floats, Floats]:
    """Return the points of a line around a dot column, in dots, with one more point at each side."""
    x, y = line.x, line.y
    if is_ascending(x) if line.ascending is None else line.ascending:
        low, high = from_dot_columns(
            plot.x_axis, [dot_column - MAX_DISTANCE_DOTS, dot_column + MAX_DISTANCE_DOTS], plot.width
        )
        window = slice(max(int(np.searchsorted(x, low)) - 1, 0), int(np.searchsorted(x, high, "right")) + 1)
        x, y = x[window], y[window]
    return to_dot_columns(plot.x_axis, x, plot.width), to_dot_rows(plot.y_axis, y, plot.height)


def _measure_distance(x: Floats, y: Floats, dot: tuple[float, float]) -> float:
    """Return the distance of a dot from a line in dots; infinite if nothing of the line can be drawn."""
    x, y = x - dot[0], y - dot[1]
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        dx, dy = np.diff(x), np.diff(y)
        fraction = np.clip(-(x[:-1] * dx + y[:-1] * dy) / (dx**2 + dy**2), 0, 1)
        segment_distances = np.hypot(x[:-1] + fraction * dx, y[:-1] + fraction * dy)
        distances = np.concatenate([np.hypot(x, y), np.where(dx >= 0, segment_distances, np.inf)])
    distances = distances[~np.isnan(distances)]
    return float(distances.min()) if len(distances) else float("inf")


def find_nearest_point(x: Floats, at: float, *, ascending: bool = True) -> int:
    """Return the index of the point nearest to `at`; the first of two equally near.

    Args:
        x: float64[n], n >= 1.
        at: The x value.
        ascending: True if x never decreases; otherwise it may also hold NaN, which is never nearest.
    """
    if not ascending:
        distances = np.abs(x - at)
        return int(np.nanargmin(distances)) if not bool(np.isnan(distances).all()) else len(x) - 1
    after = min(int(x.searchsorted(at)), len(x) - 1)
    before = max(after - 1, 0)
    nearest = before if at - x[before] <= x[after] - at else after
    return int(x.searchsorted(x[nearest]))


MAX_COMPARED_ARRAYS = 2
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
    candidates = [_select_candidates(x, middles, (axis.low, axis.high)) for x in _drop_duplicates(columns)]
    x = find_unique_values(np.concatenate([*candidates, np.empty(0)]))
    with np.errstate(over="ignore"):
        dot_positions = axis.unit(x) * last
    inside = (dot_positions >= -0.5) & (dot_positions < last + 0.5)
    x, dot_positions = x[inside], dot_positions[inside]
    cells = round_to_dots(dot_positions) // dots
    order = np.lexsort((np.abs(dot_positions - (dots * cells + middle)), cells))
    _, firsts = np.unique(cells[order], return_index=True)
    stops = np.asarray(x[order[firsts]])
    if len(stops) > 1:
        stops[0], stops[-1] = x[0], x[-1]
    return stops


def _drop_duplicates(columns: Iterable[Floats]) -> list[Floats]:
    """Return the arrays without duplicates, because hundreds of runs log at the same steps."""
    distinct: dict[tuple[int, float, float], list[Floats]] = {}
    for each in columns:
        x = np.asarray(each)
        equal_ends = distinct.setdefault((len(x), float(x[0]), float(x[-1])) if len(x) else (0, 0.0, 0.0), [])
        if not any(other is x or np.array_equal(other, x) for other in equal_ends[:MAX_COMPARED_ARRAYS]):
            equal_ends.append(x)
    return [x for equal_ends in distinct.values() for x in equal_ends]


def _select_candidates(x: Floats, middles: Floats, axis_limits: tuple[float, float]) -> Floats:
    """Return the neighbours of each middle among many points, and the first and last point within the limits."""
    if len(x) <= 2 * len(middles):
        return x
    x = x if bool(np.all(x[1:] >= x[:-1])) else np.sort(x)
    next_indices = np.searchsorted(x, middles)
    first, end = np.searchsorted(x, axis_limits[0]), np.searchsorted(x, axis_limits[1], "right")
    return np.asarray(x[np.clip(np.concatenate([next_indices - 1, next_indices, [first, end - 1]]), 0, len(x) - 1)])
