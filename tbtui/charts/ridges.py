"""Ridges: histograms of some steps one before the other, the oldest at the back, the newest in front.

Values stand across, steps go down; each histogram rises from the row of its step and covers what is behind it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axes_drawing import draw_axes
from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across
from tbtui.charts.canvas import Canvas, Pens
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.chart_layout import chart_layout, plot_rows
from tbtui.charts.guides import CROSSING
from tbtui.charts.marks import NAN_SIGN
from tbtui.charts.raster import FAR, line_spans
from tbtui.charts.shaded import EIGHTHS, FULL, aged_shades, draw_shades
from tbtui.charts.text import write
from tbtui.charts.tick_labels import value_label
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout, PlotArea

HEADROOM = 0.4
"""Part of the plot above the first step: a ridge is as high as that and its own row."""

ROWS_EACH = 2
"""Rows between ridges that are still told apart."""

PALEST = 2
"""The shade of the oldest ridge, where that leaves each its own; where it needs one more, 1."""

APART = 2
"""Shades between a ridge and its neighbours where there are more than shades: they alternate."""


@frozen(eq=False)
class RidgeChart:
    """What ridges show. A chart without any still shows its axes."""

    curves: npt.NDArray[np.float64]
    """float64[k, bins]: counts of the chosen histograms. One with a NaN is none, and is marked."""

    at: npt.NDArray[np.float64]
    """float64[k], ascending on the step axis; those outside it are not drawn."""

    edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending on the value axis. Between the middles of bins the outline is straight."""

    ink: int
    """A series ink."""

    value_axis: Axis
    step_axis: Axis
    most: float | None = None
    """The count that the full height stands for; None: the greatest there is. Higher ones are cut off."""


@frozen(eq=False)
class RidgePicture:
    """Ridges that are drawn but for what moves: others can stand out again and again."""

    layout: Layout
    chart: RidgeChart
    _cells: Cells
    _zone: tzinfo | None

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """The picture with the outlines of two ridges in front of all: those nearest to two places on the step axis.

        Their steps stand at the axis; of one that is no histogram the step alone.

        Returns:
            Fresh cells.
        """
        cells = self._cells.copy()
        for place, ink in ((mark, Ink.TEXT), (cursor, Ink.ACCENT)):
            ridge = None if place is None else self.nearest(place)
            if ridge is not None:
                if bool(np.isfinite(self.chart.curves[ridge]).all()):
                    _draw_outline(cells, self.chart, ridge, self.layout.plot, ink)
                _draw_step(cells, self.layout, float(self.chart.at[ridge]), ink, self._zone)
        return cells

    def nearest(self, place: float) -> int | None:
        """Which histogram in sight looks nearest to a place on the step axis; None without any."""
        axis, seen = self.chart.step_axis, np.flatnonzero(self.layout.plot.rows(self.chart.at) >= 0)
        if not len(seen) or not math.isfinite(place):
            return None
        apart = np.abs(axis.unit(self.chart.at[seen]) - axis.unit(place))
        return int(seen[np.argmin(apart)])


def most_ridges(height: int) -> int:
    """How many ridges of a picture so many rows high are told apart, at least 1."""
    rows = plot_rows(height)
    return max((rows - int(HEADROOM * rows) - 1) // ROWS_EACH, 0) + 1


def ridge_picture(chart: RidgeChart, width: int, height: int, zone: tzinfo | None = None) -> RidgePicture:
    """Draw ridges, none of which stands out.

    Args:
        chart: What to draw.
        width: Columns, at least 1.
        height: Rows, at least 1.
        zone: Time zone of a wall time axis; None is the machine's.
    """
    cells = Cells.blank(height, width)
    layout = chart_layout(chart.value_axis, chart.step_axis, (), width, height, zone, turned=True, headroom=HEADROOM)
    plot = layout.plot
    draw_axes(cells, layout)
    rows = plot.rows(chart.at)
    whole = np.isfinite(chart.curves).all(axis=1)
    draw_shades(cells, _shades(chart, np.where(whole, rows, -1), plot), plot, chart.ink)
    for row in rows[(rows >= 0) & ~whole].tolist():
        write(cells, row, plot.left, NAN_SIGN, chart.ink)
    return RidgePicture(layout, chart, cells, zone)


def _shades(chart: RidgeChart, rows: npt.NDArray[np.intp], plot: PlotArea) -> npt.NDArray[np.int16]:
    """The shade of each eighth of the plot: [columns, 8 rows], the lowest first.

    Args:
        chart: The ridges.
        rows: The row of the chart that each stands on; -1 for those that are not drawn.
        plot: Where.
    """
    eighths = np.arange(EIGHTHS * plot.height)
    shades = np.zeros((plot.width, len(eighths)), np.int16)
    drawn = np.flatnonzero(rows >= 0)
    for ridge, shade in zip(drawn.tolist(), ridge_shades(len(drawn)), strict=True):
        base = EIGHTHS * (plot.top + plot.height - 1 - int(rows[ridge]))
        heights = EIGHTHS * _heights(chart, ridge, plot, plot.width)
        tops = base + np.where(heights > 0, np.maximum(np.rint(heights), 1), 0)  # any count is seen
        shades[(eighths >= base) & (eighths < tops[:, None])] = shade
    return shades


def ridge_shades(count: int) -> list[int]:
    """Shades of ridges from the oldest to the newest: from faint to full, and no two neighbours alike."""
    if count <= FULL:
        return aged_shades(count, PALEST if count < FULL else 1)
    pairs = np.arange((count + 1) // 2)
    upper = FULL - np.rint(pairs * min(1.0, (FULL - 1 - APART) / (len(pairs) - 1)))
    newest_first: list[int] = np.stack((upper, upper - APART), axis=1).ravel()[:count].astype(int).tolist()
    return newest_first[::-1]


def _heights(chart: RidgeChart, ridge: int, plot: PlotArea, columns: int) -> npt.NDArray[np.float64]:
    """Rows that a ridge rises above its own in so many columns of the plot."""
    places = (across(chart.value_axis, chart.edges, plot.width) + 0.5) * (columns / (DOTS_ACROSS * plot.width))
    np.clip(places, -FAR, FAR, out=places)
    known = ~np.isnan(places)
    bins = known[1:] & known[:-1]
    heights = np.zeros(columns)
    if not bool(bins.any()):
        return heights
    counts, middles = chart.curves[ridge, bins], ((places[1:] + places[:-1]) / 2)[bins]
    centres = np.arange(columns) + 0.5
    within = (centres >= places[known][0]) & (centres <= places[known][-1])
    heights[within] = np.interp(centres[within], middles, counts)
    seen = (middles >= 0) & (middles < columns)
    np.maximum.at(heights, middles[seen].astype(np.intp), counts[seen])
    most = chart.most
    if most is None:
        most = float(chart.curves.max(where=np.isfinite(chart.curves), initial=0.0))
    # Compared first, since the parts of a tiny count may be beyond all floats.
    return np.minimum(heights, most) / most * (plot.head + 1) if most > 0 else np.zeros(columns)


def _draw_outline(cells: Cells, chart: RidgeChart, ridge: int, plot: PlotArea, ink: int) -> None:
    """Draw the outline of a ridge over all others, the whole width of the plot."""
    columns = DOTS_ACROSS * plot.width
    below = DOTS_DOWN * (int(plot.rows(chart.at[ridge])) - plot.top + 1)
    dots = np.minimum(below - DOTS_DOWN * _heights(chart, ridge, plot, columns), below - 1)
    spans = line_spans(np.arange(columns, dtype=np.float64), dots, columns)
    canvas = Canvas(plot.width, plot.height)
    canvas.lines(spans, Pens(np.array([ink], np.int16), np.zeros(1, np.bool_), np.zeros(1, np.intp)))
    canvas.blit(cells, plot.top, plot.left)


def _draw_step(cells: Cells, layout: Layout, step: float, ink: int, zone: tzinfo | None) -> None:
    """Tell the step of a ridge at the axis, in place of what stands there; over the plot where there is no room."""
    plot = layout.plot
    row, label = int(plot.rows(step)), value_label(plot.y_axis, step, zone)
    room = plot.left - 2
    if len(label) <= room:
        label = label.rjust(room) + " " + CROSSING
    write(cells, row, 0, label, ink)
