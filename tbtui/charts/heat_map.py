"""Heat maps of histograms: steps across, values down, the share of each bin as its colour.

A cell shows two pixels, one above the other. `heat_columns` distributes the steps over columns, `heat_levels` gives the
shares colours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.annotations import draw_cursor
from tbtui.charts.axis import DOTS_DOWN, value_down
from tbtui.charts.cells import HEAT_FROM, Cells, Ink, warm
from tbtui.charts.chart_layout import chart_layout, draw_axes
from tbtui.charts.heat_columns import heat_columns
from tbtui.charts.heat_levels import (
    LEGEND_WIDTH,
    ColourScale,
    ColourSpacing,
    colour_scale,
    draw_heat_levels,
    draw_legend,
    round_levels,
)
from tbtui.charts.line_chart import NAN_SIGN, draw_signs
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.line_chart import Sign


MIN_LEGEND_WIDTH, MIN_LEGEND_HEIGHT = 60, 8
"""Smaller pictures have no legend."""

BINS_PER_ROW = 2
"""Bins in a row of cells."""

MISSING_SIGN = "╌"
"""Continues the sign in the bottom row over the next columns with missing histograms."""


@frozen(eq=False)
class HeatMap:
    """Data of a heat map."""

    x: npt.NDArray[np.float64]
    """float64[n] on the x axis, ascending."""

    shares: npt.NDArray[np.float64]
    """float64[n, bins]: share of the values of each histogram in each bin of the layout, the lowest values first. A row
    of NaN is a histogram that could not be read."""

    spacing: ColourSpacing = "linear"
    """Spacing of the colours."""

    top: float | None = None
    """Share of the last colour; None: `colour_scale` chooses it."""

    signs: tuple[Sign, ...] = ()
    """Signs over the plot, such as restarts."""


@frozen(eq=False)
class HeatLayout:
    """Layout of a heat map of one size, before there is data."""

    chart: Layout
    """Layout of everything except the legend."""

    bin_edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending: values at the edges of the rows of pixels, two in a row of cells."""

    width: int
    height: int
    has_legend: bool
    """True if the picture is large enough for a legend."""

    zone: tzinfo | None

    @property
    def plot(self) -> PlotArea:
        """Return the area of the data."""
        return self.chart.plot


def heat_layout(x_axis: Axis, y_axis: Axis, width: int, height: int, zone: tzinfo | None = None) -> HeatLayout:
    """Lay out a heat map of `width` x `height` cells, both at least 1.

    Args:
        x_axis: Axis of steps or times.
        y_axis: Axis of values; the height of bins follows its scale.
        width: Columns; a narrow picture has no legend, a narrower one no labels of the y axis either.
        height: Rows; a low picture has no line of the x axis, a lower one no legend, the lowest no labels.
        zone: Time zone of a wall time axis; None: the zone of the machine.
    """
    has_legend = width >= MIN_LEGEND_WIDTH and height >= MIN_LEGEND_HEIGHT
    chart = chart_layout(x_axis, y_axis, (), width - has_legend * LEGEND_WIDTH, height, zone)
    rows = chart.plot.height
    dots = DOTS_DOWN * rows - 0.5 - DOTS_DOWN / BINS_PER_ROW * np.arange(BINS_PER_ROW * rows + 1)
    edges = np.nan_to_num(value_down(y_axis, dots, rows))  # half a dot beyond the greatest float is infinite
    return HeatLayout(chart, np.maximum.accumulate(edges), width, height, has_legend, zone)


def check_bins(bins: int, layout: HeatLayout) -> None:
    """Raise an exception unless histograms have the bins of a layout.

    Raises:
        ValueError: They have another number of bins.
    """
    expected = len(layout.bin_edges) - 1
    if bins != expected:
        raise ValueError(f"{bins} bins in a layout of {expected}")


@frozen(eq=False)
class HeatPicture:
    """A drawn heat map without its cursor, which can be drawn over it repeatedly."""

    layout: Layout
    scale: ColourScale
    """Meaning of its colours."""

    _cells: Cells
    """Everything except cursor and signs."""

    _zone: tzinfo | None
    _signs: tuple[Sign, ...]

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return new cells with the columns at two x values in warm colours, and lines in their empty cells.

        Args:
            cursor: x of the cursor; None or a value outside the axis is not drawn.
            mark: x of the other end of a range.
        """
        plot = self.layout.plot
        cells = self._cells.copy()
        rows = slice(plot.top, plot.top + plot.height)
        is_filled = cells.inks[rows, plot.left : plot.left + plot.width] != Ink.NONE
        for column in {plot.column(x) for x in (cursor, mark) if x is not None} - {None}:
            inks = cells.inks[rows, column]
            cells.inks[rows, column] = np.where(inks >= HEAT_FROM, warm(inks), inks)
        draw_cursor(cells, self.layout, (cursor, mark), is_filled, self._zone)
        draw_signs(cells, self._signs, plot)
        return cells


def heat_picture(heat_map: HeatMap, layout: HeatLayout) -> HeatPicture:
    """Draw a heat map without its cursor.

    Raises:
        ValueError: The bins are not those of the layout.
    """
    check_bins(heat_map.shares.shape[1], layout)
    plot = layout.plot
    cells = Cells.blank(layout.height, layout.width)
    draw_axes(cells, layout.chart)
    columns = heat_columns(heat_map.x, heat_map.shares, plot.x_axis, plot.width)
    scale = colour_scale(columns.shares, heat_map.spacing, heat_map.top)
    pixels = draw_heat_levels(round_levels(scale.levels(columns.shares).T[::-1]))
    area = (slice(plot.top, plot.top + plot.height), slice(plot.left, plot.left + plot.width))
    cells.glyphs[area], cells.inks[area] = pixels.glyphs, pixels.inks
    _draw_missing(cells, columns.has_missing, plot)
    if layout.has_legend:
        draw_legend(cells, scale, plot.top, plot.left + plot.width, plot.height)
    return HeatPicture(layout.chart, scale, cells, layout.zone, heat_map.signs)


def _draw_missing(cells: Cells, has_missing: npt.NDArray[np.bool_], plot: PlotArea) -> None:
    """Draw a sign in the first of adjacent columns with missing histograms, and a line in the others."""
    columns = np.flatnonzero(has_missing)
    is_first = np.diff(columns, prepend=-2) > 1
    row = plot.top + plot.height - 1
    cells.glyphs[row, plot.left + columns] = np.where(is_first, ord(NAN_SIGN), ord(MISSING_SIGN))
    cells.inks[row, plot.left + columns] = Ink.BAD
