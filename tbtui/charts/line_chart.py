"""A line chart: traces over labelled axes, as character cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import across, down, value_across
from tbtui.charts.canvas import Canvas
from tbtui.charts.cells import Cells, Ink, faint
from tbtui.charts.chart_layout import chart_layout
from tbtui.charts.guides import draw_cursor, draw_levels
from tbtui.charts.marks import nonfinite_marks
from tbtui.charts.palette import patterns
from tbtui.charts.text import write
from tbtui.series.decimate import decimate

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.band import Band
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.guides import Level
    from tbtui.charts.marks import Mark
    from tbtui.series.decimate import Points


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One line."""

    x: npt.NDArray[np.float64]
    """float64[n] on the chart's x axis. Where it goes back, the line is interrupted."""

    y: npt.NDArray[np.float64]
    """float64[n]. NaN and infinities are gaps, marked where they begin."""

    ink: int
    """A series ink."""

    faint: bool = False
    """Drawn below all others in the ink's faint twin, without marks: the raw line behind a smoothed one."""

    label: str = ""
    """Short name and value for the end of the line; shown when the chart is wide enough for all of them."""

    ascending: bool | None = None
    """Whether x never goes back; None finds out at each drawing."""

    pattern: int | None = None
    """Index into `canvas.DASHES`; None: dashed where lines of the chart share a colour (`palette.patterns`)."""


@dataclass(frozen=True, slots=True, eq=False)
class LineChart:
    """What a line chart shows. An empty one still shows its axes."""

    traces: tuple[Trace, ...]
    """In drawing order: the last lies on top."""

    x_axis: Axis
    y_axis: Axis
    marks: tuple[Mark, ...] = ()
    """Signs beside those that non-finite values get by themselves: restarts, extremes."""

    bands: tuple[Band, ...] = ()
    """Areas below all lines, in drawing order."""

    levels: tuple[Level, ...] = ()
    """Reference lines."""

    cursor: float | None = None
    """x of a vertical line; None, or one outside the axis: not drawn."""

    mark: float | None = None
    """x of a second one: the other end of a stretch that begins at the cursor."""

    @property
    def labels(self) -> tuple[str, ...]:
        """End labels of its traces."""
        return tuple(trace.label for trace in self.traces if trace.label)


def plot_area(chart: LineChart, width: int, height: int, zone: tzinfo | None = None) -> PlotArea:
    """Where the plot lies within the picture that `draw_line_chart` makes of the same arguments."""
    return _layout(chart, width, height, zone).plot


def labels_fit(chart: LineChart, width: int, height: int) -> bool:
    """Whether the end labels will be shown; otherwise a legend has to say which line is which."""
    return _layout(chart, width, height, None).margin > 0


def _layout(chart: LineChart, width: int, height: int, zone: tzinfo | None) -> Layout:
    return chart_layout(chart.x_axis, chart.y_axis, chart.labels, width, height, zone)


def draw_line_chart(chart: LineChart, width: int, height: int, zone: tzinfo | None = None) -> Cells:
    """Draw a chart.

    Args:
        chart: What to draw.
        width: Columns; where there are too few, end labels go first, then the labels of the y axis.
        height: Rows; where there are too few, the line of the x axis goes first, then its labels.
        zone: Time zone of a wall time axis; None is the machine's.

    Returns:
        Cells of exactly that size.
    """
    cells = Cells.blank(max(height, 0), max(width, 0))
    if width <= 0 or height <= 0:
        return cells
    layout = _layout(chart, width, height, zone)
    _draw_y_axis(cells, layout)
    _draw_x_axis(cells, layout)
    points = [shown_points(trace, layout.plot) for trace in chart.traces]
    _draw_traces(cells, chart, layout.plot, points)
    draw_levels(cells, chart.levels, layout.plot)
    draw_cursor(cells, layout, chart.cursor, chart.mark, zone)
    draw_marks(cells, chart.marks, layout.plot)
    for trace, shown in zip(chart.traces, points, strict=True):
        draw_marks(cells, marks_of(trace, shown, layout.plot), layout.plot)
    if layout.margin:
        _draw_labels(cells, chart, layout, points)
    return cells


def shown_points(trace: Trace, plot: PlotArea) -> Points:
    """The points of a trace that matter at the size of a plot."""
    edges = value_across(plot.x_axis, np.arange(2 * plot.width + 1) - 0.5, plot.width)
    return decimate(trace.x, trace.y, edges, log=plot.y_axis.scale == "log", ascending=trace.ascending)


def patterns_of(chart: LineChart) -> list[int]:
    """Dash pattern of each trace of the chart."""
    dashes = patterns(trace.ink for trace in chart.traces)
    return [dashes[trace.ink] if trace.pattern is None else trace.pattern for trace in chart.traces]


def draw_trace(canvas: Canvas, trace: Trace, points: Points, plot: PlotArea, pattern: int) -> None:
    """Draw the shown points of a trace on a canvas of the plot's size, in a dash pattern of the canvas."""
    canvas.line(
        across(plot.x_axis, points[0], plot.width),
        down(plot.y_axis, points[1], plot.height),
        faint(trace.ink) if trace.faint else trace.ink,
        faint=trace.faint,
        pattern=pattern,
    )


def marks_of(trace: Trace, points: Points, plot: PlotArea) -> list[Mark]:
    """The signs that a trace gets by itself; only what has a gap in its shown points is searched for them."""
    if trace.faint or not bool(np.isnan(points[1]).any()):
        return []
    return nonfinite_marks(trace.x, trace.y, trace.ink, plot)


def draw_marks(cells: Cells, marks: Iterable[Mark], plot: PlotArea) -> None:
    """Put signs over a plot that is drawn."""
    for mark in marks:
        column = plot.column(mark.x)
        if column is not None:
            write(cells, plot.clamped_row(mark.y), column, mark.glyph, mark.ink)


def _draw_traces(cells: Cells, chart: LineChart, plot: PlotArea, points: list[Points]) -> None:
    canvas = Canvas(plot.width, plot.height)
    for trace, shown, pattern in zip(chart.traces, points, patterns_of(chart), strict=True):
        draw_trace(canvas, trace, shown, plot, pattern)
    canvas.blit(cells, plot.top, plot.left)


def _draw_y_axis(cells: Cells, layout: Layout) -> None:
    plot = layout.plot
    if not plot.left:
        return
    cells.glyphs[plot.top : plot.top + plot.height, plot.left - 1] = ord("│")
    cells.inks[plot.top : plot.top + plot.height, plot.left - 1] = Ink.FAINT
    for tick in layout.y_ticks:
        row_at = plot.row(tick.value)
        if row_at is not None:
            write(cells, row_at, plot.left - 1, "┤", Ink.FAINT)
            write(cells, row_at, plot.left - 2 - len(tick.label), tick.label, Ink.DIM)


def _draw_x_axis(cells: Cells, layout: Layout) -> None:
    plot = layout.plot
    below = plot.top + plot.height
    if layout.x_line:
        write(cells, below, plot.left - 1, "└" + "─" * plot.width, Ink.FAINT)
    for tick, column, start in layout.x_labels:
        if layout.x_line:
            write(cells, below, column, "┬", Ink.FAINT)
        write(cells, cells.height - 1, start, tick.label, Ink.DIM)


def _draw_labels(cells: Cells, chart: LineChart, layout: Layout, points: list[Points]) -> None:
    """Labels at the right, each as near to the end of its line as its neighbours let it."""
    plot = layout.plot
    wanted = []
    for trace, (_, y) in zip(chart.traces, points, strict=True):
        seen = y[~np.isnan(y)]
        if trace.label:
            wanted.append((-float(seen[-1]) if len(seen) else math.inf, trace))
    wanted.sort(key=lambda pair: pair[0])
    rows = spread([plot.clamped_row(-height) for height, _ in wanted], plot.top, plot.top + plot.height)
    for row, (_, trace) in zip(rows, wanted, strict=True):
        write(cells, row, plot.left + plot.width + 1, trace.label, trace.ink)


def spread(rows: list[int], first: int, end: int) -> list[int]:
    """Distinct rows from `first` to before `end`, in order, near the wanted ones (ascending; not more than fit)."""
    spread_rows: list[int] = []
    for row in rows:
        spread_rows.append(max(row, spread_rows[-1] + 1 if spread_rows else first))
    limit = end - 1
    for index in range(len(rows) - 1, -1, -1):
        spread_rows[index] = min(spread_rows[index], limit)
        limit = spread_rows[index] - 1
    return spread_rows
