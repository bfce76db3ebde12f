"""Hit testing: the line under a clicked cell, the point nearest to an x value, and the stops of a cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across, down, nearest_dot, value_across
from tbtui.maths.decimate import is_ascending, unique_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import Trace

    Floats: TypeAlias = npt.NDArray[np.float64]

MAX_DISTANCE_DOTS = 3 * DOTS_DOWN
"""Maximum distance of a line in dots: three rows, or six columns; dots are about as far apart across as down."""

MAX_ALIKE = 2
"""Arrays of the same length and ends that an array is compared with."""


def nearest_line(lines: Sequence[Trace], plot: PlotArea, column: int, row: int) -> int | None:
    """Return the index of the line nearest to a cell of the picture with the plot; None if none is near.

    Args:
        lines: In drawing order: of equally near lines the last one, which lies on top.
        plot: Area of the plot.
        column: Column of the picture.
        row: Row of the picture.
    """
    at = DOTS_ACROSS * (column - plot.left) + (DOTS_ACROSS - 1) / 2, DOTS_DOWN * (row - plot.top) + (DOTS_DOWN - 1) / 2
    best, nearest = None, float(MAX_DISTANCE_DOTS)
    for index, line in enumerate(lines):
        away = _distance(*_dots(line, plot, at[0]), at)
        if away <= nearest:
            best, nearest = index, away
    return best


def _dots(line: Trace, plot: PlotArea, at: float) -> tuple[Floats, Floats]:
    """Return the positions of the points of a line around a dot column, in dots, with one more point at each side."""
    x, y = line.x, line.y
    if is_ascending(x) if line.ascending is None else line.ascending:
        low, high = value_across(plot.x_axis, [at - MAX_DISTANCE_DOTS, at + MAX_DISTANCE_DOTS], plot.width)
        window = slice(max(int(np.searchsorted(x, low)) - 1, 0), int(np.searchsorted(x, high, "right")) + 1)
        x, y = x[window], y[window]
    return across(plot.x_axis, x, plot.width), down(plot.y_axis, y, plot.height)


def _distance(x: Floats, y: Floats, at: tuple[float, float]) -> float:
    """Return the distance of a point from a line in dots; infinite if nothing of the line can be drawn."""
    x, y = x - at[0], y - at[1]
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        ahead, up = np.diff(x), np.diff(y)
        along = np.clip(-(x[:-1] * ahead + y[:-1] * up) / (ahead**2 + up**2), 0, 1)
        between = np.hypot(x[:-1] + along * ahead, y[:-1] + along * up)
        away = np.concatenate([np.hypot(x, y), np.where(ahead >= 0, between, np.inf)])
    away = away[~np.isnan(away)]
    return float(away.min()) if len(away) else float("inf")


def nearest_point(x: Floats, at: float, *, ascending: bool = True) -> int:
    """Return the index of the point nearest to `at`; the first of two equally near.

    Args:
        x: float64[n], n >= 1.
        at: The x value.
        ascending: Whether x never decreases; otherwise it may also hold NaN, which is never nearest.
    """
    if not ascending:
        away = np.abs(x - at)
        return int(np.nanargmin(away)) if not bool(np.isnan(away).all()) else len(x) - 1
    after = min(int(x.searchsorted(at)), len(x) - 1)
    before = max(after - 1, 0)
    near = before if at - x[before] <= x[after] - at else after
    return int(x.searchsorted(x[near]))


def find_cursor_stops(columns: Iterable[Floats], plot: PlotArea) -> Floats:
    """Return the stops of a cursor: in each column of the plot the x value of a point that is nearest to its middle.

    The first and the last visible point are always stops. On a picture whose steps run down, rows replace columns.

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
    near = [_near(x, middles, (axis.low, axis.high)) for x in _distinct(columns)]
    x = unique_values(np.concatenate([*near, np.empty(0)]))
    with np.errstate(over="ignore"):
        places = axis.unit(x) * last
    inside = (places >= -0.5) & (places < last + 0.5)
    x, places = x[inside], places[inside]
    cells = nearest_dot(places) // dots
    order = np.lexsort((np.abs(places - (dots * cells + middle)), cells))
    _, firsts = np.unique(cells[order], return_index=True)
    stops = np.asarray(x[order[firsts]])
    if len(stops) > 1:
        stops[0], stops[-1] = x[0], x[-1]
    return stops


def _distinct(columns: Iterable[Floats]) -> list[Floats]:
    """Return the arrays without equal ones: hundreds of runs log at the same steps."""
    distinct: dict[tuple[int, float, float], list[Floats]] = {}
    for each in columns:
        x = np.asarray(each)
        alike = distinct.setdefault((len(x), float(x[0]), float(x[-1])) if len(x) else (0, 0.0, 0.0), [])
        if not any(other is x or np.array_equal(other, x) for other in alike[:MAX_ALIKE]):
            alike.append(x)
    return [x for alike in distinct.values() for x in alike]


def _near(x: Floats, middles: Floats, ends: tuple[float, float]) -> Floats:
    """Return a few of many points: those nearest to each of the middles, and the first and last between the ends."""
    if len(x) <= 2 * len(middles):
        return x
    x = x if bool(np.all(x[1:] >= x[:-1])) else np.sort(x)
    after = np.searchsorted(x, middles)
    first, end = np.searchsorted(x, ends[0]), np.searchsorted(x, ends[1], "right")
    return np.asarray(x[np.clip(np.concatenate([after - 1, after, [first, end - 1]]), 0, len(x) - 1)])
