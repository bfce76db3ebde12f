"""Signs on a chart: where values stop being numbers, and what the caller wants marked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import columns_of
from tbtui.charts.text import write

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import Trace

NAN_SIGN, ABOVE_SIGN, BELOW_SIGN, RESTART_SIGN = "✗", "▲", "▼", "↻"
MIN_SIGN, MAX_SIGN, BEST_SIGN = "▾", "▴", "★"
"""Small, so that the extremes of a line are told from its infinities."""

_NAN, _ABOVE, _BELOW = 1, 2, 3
_SIGNS = {_NAN: NAN_SIGN, _ABOVE: ABOVE_SIGN, _BELOW: BELOW_SIGN}


@dataclass(frozen=True, slots=True)
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
    x, y = (np.concatenate([getattr(trace, name) for trace in traces]) for name in ("x", "y"))
    lines = np.repeat(np.arange(len(traces)), [len(trace.x) for trace in traces])
    kinds = _kinds(y, log=plot.y_axis.scale == "log")
    other = np.ones(len(y), np.bool_)
    other[1:] = (kinds[1:] != kinds[:-1]) | (lines[1:] != lines[:-1])
    begins = np.flatnonzero((kinds != 0) & other & (x >= plot.x_axis.low) & (x <= plot.x_axis.high))
    columns = columns_of(plot.x_axis, x[begins], plot.width)
    _, kept = np.unique((lines[begins] * plot.width + columns) * len(_SIGNS) + kinds[begins], return_index=True)
    begins = begins[np.sort(kept)]
    heights = _heights(y, lines, kinds, begins)
    heights[kinds[begins] == _ABOVE] = plot.y_axis.high
    return [
        Mark(where, _SIGNS[kind], traces[line].ink, None if math.isnan(height) else height)
        for where, kind, line, height in zip(
            x[begins].tolist(), kinds[begins].tolist(), lines[begins].tolist(), heights.tolist(), strict=True
        )
    ]


def _kinds(y: npt.NDArray[np.float64], *, log: bool) -> npt.NDArray[np.int8]:
    kinds = np.zeros(len(y), np.int8)
    kinds[np.isnan(y)] = _NAN
    kinds[np.isposinf(y)] = _ABOVE
    kinds[y <= 0 if log else np.isneginf(y)] = _BELOW
    return kinds


def _heights(
    y: npt.NDArray[np.float64], lines: npt.NDArray[np.intp], kinds: npt.NDArray[np.int8], begins: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """For each NaN among `begins` the value of its line that was drawn last, or is next; NaN where none is."""
    heights = np.full(len(begins), np.nan)
    drawn = np.flatnonzero(kinds == 0)
    after = np.searchsorted(drawn, begins)
    for neighbour in (after, after - 1):  # the one before goes before the one after
        near = drawn[np.clip(neighbour, 0, len(drawn) - 1)] if len(drawn) else begins
        found = (neighbour >= 0) & (neighbour < len(drawn)) & (lines[near] == lines[begins]) & (kinds[begins] == _NAN)
        heights[found] = y[near][found]
    return heights


def draw_marks(cells: Cells, marks: Sequence[Mark], plot: PlotArea) -> None:
    """Put signs over a plot that is drawn; what lies outside the x axis is left out."""
    columns = columns_of(plot.x_axis, [mark.x for mark in marks], plot.width)
    for mark, column in zip(marks, columns.tolist(), strict=True):
        if column >= 0:
            write(cells, plot.clamped_row(mark.y), plot.left + column, mark.glyph, mark.ink)
