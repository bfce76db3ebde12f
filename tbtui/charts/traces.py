"""The traces of a chart as lines of dots: all of them in one pass, whatever their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, across, column_edges, down
from tbtui.charts.canvas import Pens
from tbtui.charts.cells import faint
from tbtui.charts.palette import patterns
from tbtui.charts.raster import line_spans
from tbtui.series.decimate import SPARSE, decimate, drawable, joined
from tbtui.series.in_order import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.canvas import Canvas
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import Trace
    from tbtui.series.decimate import Points

AT_ONCE = 32
"""Traces of one pass: more are no faster, since the arrays of these still fit into the cache."""


def draw_traces(canvas: Canvas, traces: Sequence[Trace], plot: PlotArea) -> list[Trace]:
    """Draw traces on a canvas of the plot's size, the last on top.

    Returns:
        Those that have values in sight, or beside it, that cannot be drawn.
    """
    dashes = patterns(trace.ink for trace in traces)
    torn = []
    for first in range(0, len(traces), AT_ONCE):
        batch = traces[first : first + AT_ONCE]
        pens = Pens(
            np.array([faint(trace.ink) if trace.faint else trace.ink for trace in batch], np.int16),
            np.array([trace.faint for trace in batch], np.bool_),
            np.array([dashes[trace.ink] if trace.pattern is None else trace.pattern for trace in batch], np.intp),
        )
        torn += _draw(canvas, batch, pens, plot)
    return torn


def _draw(canvas: Canvas, traces: Sequence[Trace], pens: Pens, plot: PlotArea) -> list[Trace]:
    points = [_few(trace, plot) for trace in traces]
    starts = np.cumsum([0, *(len(x) for x, _ in points[:-1])])
    x, y = map(joined, zip(*points, strict=True))
    y = drawable(y, log=plot.y_axis.scale == "log")
    spans = line_spans(
        across(plot.x_axis, x, plot.width), down(plot.y_axis, y, plot.height), DOTS_ACROSS * plot.width, starts
    )
    canvas.lines(spans, pens)
    gaps = np.searchsorted(starts, np.flatnonzero(np.isnan(y)), "right") - 1
    return [traces[index] for index in distinct(gaps).tolist()]


def _few(trace: Trace, plot: PlotArea) -> Points:
    """The points of a trace; where it has many for the size of the plot, those that matter to it."""
    if len(trace.x) <= SPARSE * DOTS_ACROSS * plot.width:
        return trace.x, trace.y
    log = plot.y_axis.scale == "log"
    return decimate(trace.x, trace.y, column_edges(plot.x_axis, plot.width), log=log, ascending=trace.ascending)
