"""Histograms over time as colours: steps across, values down, the part of a step's values in a bin as its colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axes_drawing import draw_axes
from tbtui.charts.axis import DOTS_DOWN, value_down
from tbtui.charts.cells import HEAT_FROM, Cells, Ink, warm
from tbtui.charts.chart_layout import chart_layout
from tbtui.charts.colour_scale import LEGEND_WIDTH, colour_scale, draw_legend
from tbtui.charts.guides import draw_cursor
from tbtui.charts.half_blocks import half_blocks, steady
from tbtui.charts.heat_columns import heat_columns
from tbtui.charts.marks import NAN_SIGN, draw_marks
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.colour_scale import ColourScale, ColourSpacing
    from tbtui.charts.marks import Mark

LEGEND_FROM_WIDTH, LEGEND_FROM_HEIGHT = 60, 8
"""Smaller pictures have no legend."""

BINS = 2
"""Bins in a row of cells."""

REFUSED = "╌"
"""Follows the sign in the bottom row for as long as there is no histogram."""


@frozen(eq=False)
class HeatMap:
    """What a heat map shows."""

    x: npt.NDArray[np.float64]
    """float64[n] on the x axis, ascending."""

    shares: npt.NDArray[np.float64]
    """float64[n, bins]: the part of each histogram's values in each bin of the layout, those of the least values first.
    A row of NaN is a histogram that could not be had."""

    scale: ColourSpacing = "linear"
    """Of the colours."""

    top: float | None = None
    """The share of the last colour; None finds one, see `colour_scale`."""

    marks: tuple[Mark, ...] = ()
    """Signs over the plot, such as restarts."""


@frozen(eq=False)
class HeatLayout:
    """A heat map of one size, before there is data."""

    chart: Layout
    """Of all but the legend."""

    bin_edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending: the values at the edges of the rows of pixels, two in a row of cells."""

    width: int
    height: int
    legend: bool
    """Whether there is room for one."""

    zone: tzinfo | None

    @property
    def plot(self) -> PlotArea:
        """The part that shows data."""
        return self.chart.plot


def heat_layout(x_axis: Axis, y_axis: Axis, width: int, height: int, zone: tzinfo | None = None) -> HeatLayout:
    """Where everything lies in a heat map of `width` x `height` cells, both at least 1.

    Args:
        x_axis: Of steps or times.
        y_axis: Of values; bins are as high as its scale has them.
        width: Columns; where there are too few the legend goes first, then the labels of the y axis.
        height: Rows; where there are too few the line of the x axis goes first, then the legend, then the labels.
        zone: Time zone of a wall time axis; None is the machine's.
    """
    legend = width >= LEGEND_FROM_WIDTH and height >= LEGEND_FROM_HEIGHT
    chart = chart_layout(x_axis, y_axis, (), width - legend * LEGEND_WIDTH, height, zone)
    rows = chart.plot.height
    dots = DOTS_DOWN * rows - 0.5 - DOTS_DOWN / BINS * np.arange(BINS * rows + 1)
    edges = np.nan_to_num(value_down(y_axis, dots, rows))  # half a dot beyond the greatest of floats is infinite
    return HeatLayout(chart, np.maximum.accumulate(edges), width, height, legend, zone)


@frozen(eq=False)
class HeatPicture:
    """A heat map that is drawn but for what moves: a cursor can be put over it again and again."""

    layout: Layout
    scale: ColourScale
    """What its colours stand for."""

    _cells: Cells
    """All but cursor and signs."""

    _zone: tzinfo | None
    _signs: tuple[Mark, ...]

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """The heat map with the columns at two x values in warm colours, and lines where they have none; fresh cells.

        Args:
            cursor: None, or one outside the axis: not drawn.
            mark: The other end of a stretch, likewise.
        """
        plot = self.layout.plot
        cells = self._cells.copy()
        rows = slice(plot.top, plot.top + plot.height)
        drawn = cells.inks[rows, plot.left : plot.left + plot.width] != Ink.NONE
        for column in {plot.column(x) for x in (cursor, mark) if x is not None} - {None}:
            inks = cells.inks[rows, column]
            cells.inks[rows, column] = np.where(inks >= HEAT_FROM, warm(inks), inks)
        draw_cursor(cells, self.layout, (cursor, mark), drawn, self._zone)
        draw_marks(cells, self._signs, plot)
        return cells


def heat_picture(heat_map: HeatMap, layout: HeatLayout) -> HeatPicture:
    """Draw a heat map without its cursor.

    Raises:
        ValueError: When the bins are not those of the layout.
    """
    if heat_map.shares.shape[1] != len(layout.bin_edges) - 1:
        raise ValueError(f"{heat_map.shares.shape[1]} bins in a layout of {len(layout.bin_edges) - 1}")
    plot = layout.plot
    cells = Cells.blank(layout.height, layout.width)
    draw_axes(cells, layout.chart)
    columns = heat_columns(heat_map.x, heat_map.shares, plot.x_axis, plot.width)
    scale = colour_scale(columns.shares, heat_map.scale, heat_map.top)
    drawn = half_blocks(steady(scale.levels(columns.shares).T[::-1]))
    area = (slice(plot.top, plot.top + plot.height), slice(plot.left, plot.left + plot.width))
    cells.glyphs[area], cells.inks[area] = drawn.glyphs, drawn.inks
    _draw_refused(cells, columns.refused, plot)
    if layout.legend:
        draw_legend(cells, scale, plot.top, plot.left + plot.width, plot.height)
    return HeatPicture(layout.chart, scale, cells, layout.zone, heat_map.marks)


def _draw_refused(cells: Cells, refused: npt.NDArray[np.bool_], plot: PlotArea) -> None:
    """A sign where there begin to be no histograms, and a line as far as that goes."""
    columns = np.flatnonzero(refused)
    begins = np.diff(columns, prepend=-2) > 1
    row = plot.top + plot.height - 1
    cells.glyphs[row, plot.left + columns] = np.where(begins, ord(NAN_SIGN), ord(REFUSED))
    cells.inks[row, plot.left + columns] = Ink.BAD
