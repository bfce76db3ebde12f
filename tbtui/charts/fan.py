"""A fan chart: how a distribution spreads over the steps, as nested bands around its median.

The curves are those of TensorBoard's distributions: least, 6.68 %, 15.87 %, 30.85 %, median, 69.15 %, 84.13 %, 93.32 %,
greatest. Each pair around the median is a band in a shade of the run's colour, the outermost nearest to the background.
Where a column holds several steps, the outermost band reaches from the least to the greatest of them, so that no spike
is lost; all other curves are their mean on the scale of the axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axes_drawing import draw_axes
from tbtui.charts.axis import DOTS_ACROSS, across
from tbtui.charts.cells import Cells, shade
from tbtui.charts.chart_layout import chart_layout
from tbtui.charts.column_curves import ColumnCurves, column_curves
from tbtui.charts.guides import draw_cursor, draw_levels
from tbtui.charts.line_chart import Trace
from tbtui.charts.marks import draw_marks, nonfinite_marks
from tbtui.charts.raster import FAR
from tbtui.charts.shaded import EIGHTHS, FULL, draw_shades, heights_of, keep_grounds

if TYPE_CHECKING:
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.guides import Level
    from tbtui.charts.marks import Mark

MEDIAN = 4
"""Which curve is the median."""

BANDS = (2, 3, 4, 5)
"""Shades of the bands, from the outermost to the one around the median."""

THIN = 1e-6
"""Eighths; a fan that is no wider is a line."""

ALONE = 1
"""Columns that the only step reaches to either side."""

LINES, LINE_ENDS = "▁━▔", (2.25, 5.75)
"""A line at the heights that a cell has glyphs for, and the eighths between them."""

UPRIGHT = "┃"
"""Where it rises or falls by more than a row."""


@dataclass(frozen=True, slots=True, eq=False)
class FanChart:
    """What a fan chart shows. One without steps still shows its axes."""

    x: npt.NDArray[np.float64]
    """float64[n], ascending on the chart's x axis."""

    curves: npt.NDArray[np.float64]
    """float64[n, 9], ascending from curve to curve. A step with a NaN or an infinity is a gap, marked where it begins;
    what a log axis has no place for reaches to its lower edge."""

    ink: int
    """A series ink."""

    x_axis: Axis
    y_axis: Axis
    marks: tuple[Mark, ...] = ()
    """Signs beside those of gaps: restarts."""

    levels: tuple[Level, ...] = ()
    """Reference lines."""


@dataclass(frozen=True, slots=True, eq=False)
class FanPicture:
    """A fan chart that is drawn but for what moves: a cursor can be put over it again and again."""

    layout: Layout
    _cells: Cells
    """All but cursor and signs."""

    _lit: npt.NDArray[np.bool_]
    """Cells of the plot that the cursor leaves as they are: those of the median and of names."""

    _grounds: npt.NDArray[np.int16]
    _signs: tuple[Mark, ...]
    _ink: int
    _zone: tzinfo | None

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """The chart with a cursor and the other end of a stretch at x values, as in a line chart; fresh cells."""
        cells = Cells(self._cells.glyphs.copy(), self._cells.inks.copy())
        draw_cursor(cells, self.layout, (cursor, mark), self._lit, self._zone)
        draw_marks(cells, self._signs, self.layout.plot)
        keep_grounds(cells, self._grounds, self.layout.plot, self._ink)
        return cells


def fan_picture(chart: FanChart, width: int, height: int, zone: tzinfo | None = None) -> FanPicture:
    """Draw a fan chart without its cursor.

    Args:
        chart: What to draw.
        width: Columns, at least 1.
        height: Rows, at least 1.
        zone: Time zone of a wall time axis; None is the machine's.
    """
    cells = Cells.blank(height, width)
    layout = chart_layout(chart.x_axis, chart.y_axis, (), width, height, zone)
    plot = layout.plot
    draw_axes(cells, layout)
    whole = np.isfinite(chart.x) & np.isfinite(chart.curves).all(axis=1)
    columns = _columns(chart, whole, plot)
    grounds = draw_shades(cells, _shades(columns, plot), plot, chart.ink)
    lit = _draw_median(cells, columns.means[:, MEDIAN], plot, grounds, chart.ink)
    draw_levels(cells, chart.levels, plot, lit)
    keep_grounds(cells, grounds, plot, chart.ink)
    gaps = Trace(chart.x, np.where(whole, chart.curves[:, MEDIAN], np.nan), chart.ink)
    signs = () if bool(whole.all()) else nonfinite_marks([gaps], plot)
    return FanPicture(layout, cells, lit, grounds, (*chart.marks, *signs), chart.ink, zone)


def _columns(chart: FanChart, whole: npt.NDArray[np.bool_], plot: PlotArea) -> ColumnCurves:
    """Heights of the curves in each column, in eighths of a cell."""
    rows = np.flatnonzero(whole)
    places = np.clip((across(plot.x_axis, chart.x[rows], plot.width) + 0.5) / DOTS_ACROSS, -FAR, FAR)
    heights = heights_of(plot.y_axis, chart.curves[rows], plot.height)
    heights[np.isnan(heights)] = -1  # just below the lower edge
    np.clip(heights, -FAR, FAR, out=heights)
    columns = column_curves(places, heights, np.diff(rows, append=-1) == 1, plot.width)
    if len(rows) == 1 and 0 <= places[0] < plot.width:
        for each in columns:
            each[max(int(places[0]) - ALONE, 0) : int(places[0]) + ALONE + 1] = each[int(places[0])]
    return columns


def _shades(columns: ColumnCurves, plot: PlotArea) -> npt.NDArray[np.int16]:
    """The shade of each eighth of the plot: [columns, 8 rows], the lowest first."""
    ends = np.floor(columns.means + 0.5)
    ends[:, 0], ends[:, -1] = np.floor(columns.least + THIN), np.ceil(columns.greatest - THIN)
    ends[columns.greatest - columns.least < THIN] = np.nan
    eighths = np.arange(EIGHTHS * plot.height)
    depth = np.zeros((plot.width, len(eighths)), np.intp)
    for band in range(len(BANDS)):
        depth += (ends[:, band, None] <= eighths) & (eighths < ends[:, -1 - band, None])
    return np.array((0, *BANDS), np.int16)[depth]


def _draw_median(
    cells: Cells, heights: npt.NDArray[np.float64], plot: PlotArea, grounds: npt.NDArray[np.int16], ink: int
) -> npt.NDArray[np.bool_]:
    """Draw the median over the bands.

    Returns:
        Which cells of the plot it is in, [rows, columns].
    """
    glyphs = np.zeros(grounds.shape, np.uint32)
    columns = np.flatnonzero(np.isfinite(heights))
    rows, within = np.divmod(heights[columns], EIGHTHS)
    rows = plot.height - 1 - rows.astype(np.intp)
    steep = np.flatnonzero((np.diff(columns) == 1) & (np.abs(np.diff(rows)) > 1))
    for first, last, column in zip(
        rows[steep].tolist(), rows[steep + 1].tolist(), columns[steep + 1].tolist(), strict=True
    ):
        low, high = sorted((first, last))
        glyphs[max(low + 1, 0) : max(high, 0), column] = ord(UPRIGHT)
    inside = (rows >= 0) & (rows < plot.height)
    lines = np.array([ord(glyph) for glyph in LINES], np.uint32)
    glyphs[rows[inside], columns[inside]] = lines[np.searchsorted(LINE_ENDS, within[inside])]
    lit = glyphs > 0
    cells.glyphs[plot.area][lit] = glyphs[lit]
    cells.inks[plot.area][lit] = shade(ink, FULL, grounds[lit])
    return lit
