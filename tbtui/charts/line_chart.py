"""A line chart: traces over labelled axes, as character cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.axes_drawing import draw_axes
from tbtui.charts.band import draw_bands
from tbtui.charts.canvas import Canvas
from tbtui.charts.cells import Cells
from tbtui.charts.chart_layout import chart_layout
from tbtui.charts.end_labels import draw_end_labels
from tbtui.charts.guides import draw_cursor, draw_levels
from tbtui.charts.marks import draw_marks, nonfinite_marks
from tbtui.charts.traces import draw_traces
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from datetime import tzinfo

    import numpy as np
    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.band import Band
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.guides import Level
    from tbtui.charts.marks import Mark


@frozen(eq=False)
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


@frozen(eq=False)
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
    if width <= 0 or height <= 0:
        return Cells.blank(max(height, 0), max(width, 0))
    return line_picture(chart, width, height, zone).at(chart.cursor, chart.mark)


@frozen(eq=False)
class LinePicture:
    """A line chart that is drawn but for what moves: a cursor can be put over it again and again."""

    chart: LineChart
    layout: Layout
    _cells: Cells
    """All but cursor and signs."""

    _lit: npt.NDArray[np.bool_]
    """Cells of the plot that the cursor leaves as they are."""

    signs: tuple[Mark, ...]
    """Those of the chart, and of values that are no numbers."""

    _zone: tzinfo | None

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """The chart with a cursor and a mark, as in `LineChart`; fresh cells."""
        cells = self._cells.copy()
        draw_cursor(cells, self.layout, (cursor, mark), self._lit, self._zone)
        draw_marks(cells, self.signs, self.layout.plot)
        return cells


def line_picture(chart: LineChart, width: int, height: int, zone: tzinfo | None = None) -> LinePicture:
    """Draw a chart without its cursor; arguments as of `draw_line_chart`, but for a size of at least 1 x 1."""
    cells = Cells.blank(height, width)
    layout = _layout(chart, width, height, zone)
    draw_axes(cells, layout)
    draw_bands(cells, chart.bands, layout.plot)
    canvas = Canvas(layout.plot.width, layout.plot.height)
    torn = draw_traces(canvas, chart.traces, layout.plot)
    lit = canvas.blit(cells, layout.plot.top, layout.plot.left)
    draw_levels(cells, chart.levels, layout.plot, lit)
    if layout.margin:
        draw_end_labels(cells, chart.traces, layout)
    signs = nonfinite_marks([trace for trace in torn if not trace.faint], layout.plot)
    return LinePicture(chart, layout, cells, lit, (*chart.marks, *signs), zone)
