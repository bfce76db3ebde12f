"""Which line is meant when a cell of a chart is clicked: the nearest, as far as the eye sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across, down, value_across
from tbtui.series.decimate import is_ascending

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import Trace

    Floats: TypeAlias = npt.NDArray[np.float64]

REACH = 3 * DOTS_DOWN
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
    found, nearest = None, float(REACH)
    for index, line in enumerate(lines):
        away = _distance(*_dots(line, plot, at[0]), at)
        if away <= nearest:
            found, nearest = index, away
    return found


def _dots(line: Trace, plot: PlotArea, at: float) -> tuple[Floats, Floats]:
    """Where the points of a line are drawn around a dot column, in dots, and the points next to them."""
    x, y = line.x, line.y
    if is_ascending(x) if line.ascending is None else line.ascending:
        low, high = value_across(plot.x_axis, [at - REACH, at + REACH], plot.width)
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
