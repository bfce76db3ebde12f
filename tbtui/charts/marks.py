"""Signs on a chart: where values stop being numbers, and what the caller wants marked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import columns_of
from tbtui.charts.text import write
from tbtui.frozen import frozen
from tbtui.series.decimate import can_be_drawn, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import Trace

NAN_SIGN, ABOVE_SIGN, BELOW_SIGN, RESTART_SIGN = "✗", "▲", "▼", "↻"
MIN_SIGN, MAX_SIGN, BEST_SIGN = "▾", "▴", "★"
"""Small, so that the extremes of a line are told from its infinities."""

BASELINE_SIGN = "Δ0"
"""In texts, of the run that the others are compared with."""

_NAN, _ABOVE, _BELOW = 1, 2, 3
_SIGNS = {_NAN: NAN_SIGN, _ABOVE: ABOVE_SIGN, _BELOW: BELOW_SIGN}


@frozen
class Mark:
    """One sign on a chart."""

    x: float
    glyph: str
    ink: int
    y: float | None = None
    """None is the bottom row. A value outside the axis shows at its edge."""


def nonfinite_marks(traces: Sequence[Trace], plot: PlotArea) -> list[Mark]:
    """Signs where values that cannot be drawn begin: for each trace at most one of a kind in a column.

    NaN is a `✗` at the height of the last value that could be drawn (the next one, where none was before); infinity is
    a `▲` at the top; minus infinity, and on a log axis everything not above 0, is a `▼` at the bottom.
    """
    if not traces:
        return []
    x, y = joined([trace.x for trace in traces]), joined([trace.y for trace in traces])
    starts = np.cumsum([0, *(len(trace.x) for trace in traces)])
    bad = np.flatnonzero(~can_be_drawn(y, log=plot.y_axis.scale == "log"))
    lines = np.searchsorted(starts, bad, "right") - 1
    kinds = np.where(np.isnan(y[bad]), _NAN, np.where(y[bad] == np.inf, _ABOVE, _BELOW))
    first, last = _stretches(bad, lines)
    begins = (bad == first) | (np.diff(kinds, prepend=0) != 0)
    begins &= (x[bad] >= plot.x_axis.low) & (x[bad] <= plot.x_axis.high)
    columns = columns_of(plot.x_axis, x[bad], plot.width)
    places = (lines * plot.width + columns) * len(_SIGNS) + kinds
    _, chosen = np.unique(places[begins], return_index=True)
    shown = np.flatnonzero(begins)[np.sort(chosen)]
    heights = np.full(len(bad), np.nan)
    for near, there in ((last + 1, last + 1 < starts[lines + 1]), (first - 1, first > starts[lines])):
        heights[there] = y[near[there]]  # the value before, if there is one, goes before the value after
    heights[kinds == _ABOVE], heights[kinds == _BELOW] = plot.y_axis.high, np.nan
    found = (x[bad][shown], kinds[shown], lines[shown], heights[shown])
    return [
        Mark(where, _SIGNS[kind], traces[line].ink, None if math.isnan(height) else height)
        for where, kind, line, height in zip(*(each.tolist() for each in found), strict=True)
    ]


def _stretches(
    bad: npt.NDArray[np.intp], lines: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The first and the last index of the unbroken stretch of one line that each index is part of."""
    breaks = np.ones(len(bad) + 1, np.bool_)
    breaks[1:-1] = (bad[1:] != bad[:-1] + 1) | (lines[1:] != lines[:-1])
    ends = np.flatnonzero(breaks)
    nth = np.cumsum(breaks[:-1]) - 1
    return bad[ends[nth]], bad[ends[nth + 1] - 1]


def draw_marks(cells: Cells, marks: Sequence[Mark], plot: PlotArea) -> None:
    """Put signs over a plot that is drawn; what lies outside the x axis is left out."""
    if not marks:
        return
    columns = columns_of(plot.x_axis, [mark.x for mark in marks], plot.width)
    rows = plot.clamped_rows([mark.y for mark in marks])
    for mark, row, column in zip(marks, rows, columns.tolist(), strict=True):
        if column >= 0:
            write(cells, row, plot.left + column, mark.glyph, mark.ink)
