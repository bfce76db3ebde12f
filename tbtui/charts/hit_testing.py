"""Which line is meant when a cell of a chart is clicked: the nearest, as far as the eye sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across, down, nearest_dot, value_across
from tbtui.maths.decimate import is_ascending, unique_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from tbtui.charts.layout import PlotArea
    from tbtui.charts.line_chart import Trace

    Floats: TypeAlias = npt.NDArray[np.float64]

MAX_DISTANCE_DOTS = 3 * DOTS_DOWN
"""Dots that a line may be away at most: three rows, or six columns; dots are about as far apart across as down."""


def nearest_line(lines: Sequence[Trace], plot: PlotArea, column: int, row: int) -> int | None:
    """Index of the line nearest to a cell of the picture that `plot` lies in; None where none is near.

    Args:
        lines: In drawing order: of lines as near the last one, which lies on top.
        plot: Where they are drawn.
        column: Of the picture.
        row: Likewise.
    """
    at = DOTS_ACROSS * (column - plot.left) + (DOTS_ACROSS - 1) / 2, DOTS_DOWN * (row - plot.top) + (DOTS_DOWN - 1) / 2
    found, nearest = None, float(MAX_DISTANCE_DOTS)
    for index, line in enumerate(lines):
        away = _distance(*_dots(line, plot, at[0]), at)
        if away <= nearest:
            found, nearest = index, away
    return found


def _dots(line: Trace, plot: PlotArea, at: float) -> tuple[Floats, Floats]:
    """Where the points of a line are drawn around a dot column, in dots, and the points next to them."""
    x, y = line.x, line.y
    if is_ascending(x) if line.ascending is None else line.ascending:
        low, high = value_across(plot.x_axis, [at - MAX_DISTANCE_DOTS, at + MAX_DISTANCE_DOTS], plot.width)
        window = slice(max(int(np.searchsorted(x, low)) - 1, 0), int(np.searchsorted(x, high, "right")) + 1)
        x, y = x[window], y[window]
    return across(plot.x_axis, x, plot.width), down(plot.y_axis, y, plot.height)


def _distance(x: Floats, y: Floats, at: tuple[float, float]) -> float:
    """How far a point is from a line through others, in dots; infinite where nothing of the line can be drawn."""
    x, y = x - at[0], y - at[1]
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        ahead, up = np.diff(x), np.diff(y)
        along = np.clip(-(x[:-1] * ahead + y[:-1] * up) / (ahead**2 + up**2), 0, 1)
        between = np.hypot(x[:-1] + along * ahead, y[:-1] + along * up)
        away = np.concatenate([np.hypot(x, y), np.where(ahead >= 0, between, np.inf)])
    away = away[~np.isnan(away)]
    return float(away.min()) if len(away) else float("inf")


# Where a cursor may stand in a chart, and which point of a line it reads: arrays in, numbers and indices out.


def nearest_point(x: Floats, at: float, *, ascending: bool = True) -> int:
    """Index of the point nearest to `at`; of two as near the first.

    Args:
        x: float64[n], n >= 1.
        at: Where.
        ascending: Whether x never goes back; otherwise it may also hold NaN, which is near nothing.
    """
    if not ascending:
        away = np.abs(x - at)
        return int(np.nanargmin(away)) if not bool(np.isnan(away).all()) else len(x) - 1
    after = min(int(x.searchsorted(at)), len(x) - 1)
    before = max(after - 1, 0)
    near = before if at - x[before] <= x[after] - at else after
    return int(x.searchsorted(x[near]))


def find_cursor_stops(columns: Iterable[Floats], plot: PlotArea) -> Floats:
    """Where a cursor may stand: x values of points in sight, in each column of the plot the one nearest to its middle.

    The first and the last point in sight are always among them, whatever their columns hold beside them. Where steps
    stand down, all this is of rows.

    Args:
        columns: x of each line, float64[n].
        plot: Where the lines are drawn.

    Returns:
        float64[k], ascending; none where the picture has no axis of steps.
    """
    axis = plot.along
    if axis is None:
        return np.empty(0)
    dots, count = (DOTS_DOWN, plot.height) if plot.turned else (DOTS_ACROSS, plot.width)
    last, middle = dots * count - 1, (dots - 1) / 2
    middles = axis.value((dots * np.arange(count) + middle) / last)
    near = [_near(np.asarray(x), middles, (axis.low, axis.high)) for x in columns]
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


def _near(x: Floats, middles: Floats, ends: tuple[float, float]) -> Floats:
    """Few of many points, among them the nearest to each of the middles and the first and last between the ends."""
    if len(x) <= 2 * len(middles):
        return x
    x = x if bool(np.all(x[1:] >= x[:-1])) else np.sort(x)
    after = np.searchsorted(x, middles)
    first, end = np.searchsorted(x, ends[0]), np.searchsorted(x, ends[1], "right")
    return np.asarray(x[np.clip(np.concatenate([after - 1, after, [first, end - 1]]), 0, len(x) - 1)])
