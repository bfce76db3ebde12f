"""Areas and outlines of histograms: ridges along the steps, overlaid curves, and shaded areas with eight levels a cell.

A cell shows two shades, one below a height and one above it, as a lower block and the background above it. Where more
than two shades meet in one cell, the two shades and the height with the smallest error are drawn: each eighth counts by
the number of shades that it is off.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.annotations import CROSSING_SIGN
from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across, down
from tbtui.charts.canvas import Canvas, Pens
from tbtui.charts.cells import FAINT_FROM, SHADE_FROM, SHADES, Cells, Ink, shade
from tbtui.charts.chart_layout import chart_layout, draw_axes, plot_rows
from tbtui.charts.colours import dash_patterns
from tbtui.charts.line_chart import NAN_SIGN, Trace, draw_traces
from tbtui.charts.raster import MAX_DOTS, line_spans
from tbtui.charts.text import write
from tbtui.charts.ticks import value_label
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout, PlotArea


EIGHTHS = 8
"""Number of heights that a cell can show."""

FULL_SHADE = SHADES - 1
"""Shade of the full colour."""

BLANK, LOWER_BLOCK = 32, 0x2580
"""`LOWER_BLOCK` + n fills the lower n eighths of a cell (Unicode 15, Block Elements)."""

_NOTHING = -2
"""Value of the background when shades are compared: the outline of an area matters more than its inside."""

_PER_DOT = EIGHTHS / DOTS_DOWN


def heights_in_eighths(axis: Axis, values: npt.ArrayLike, cells: int) -> npt.NDArray[np.float64]:
    """Return the heights of values above the bottom of a plot `cells` high, in fractional eighths of a cell.

    They are at the centre of the dots of a line, so that areas and lines agree. NaN: the axis cannot show the value.
    """
    with np.errstate(over="ignore"):
        return EIGHTHS * cells - _PER_DOT * (down(axis, values, cells) + 0.5)


def draw_areas(cells: Cells, shades: npt.NDArray[np.int16], plot: PlotArea, ink: int) -> npt.NDArray[np.int16]:
    """Fill areas into the plot of fresh cells; shade 0 draws nothing.

    Args:
        cells: Cells of the chart, changed in place.
        shades: Shade of each eighth, int16[columns, 8 rows] of the plot, the lowest first in each column.
        plot: Area of the plot.
        ink: A series ink.

    Returns:
        The middle shade of each cell, int16[rows, columns]: the background of anything drawn over the areas.
    """
    eighths = shades.reshape(plot.width, plot.height, EIGHTHS)[:, ::-1].transpose(1, 0, 2)
    over, under = eighths[:, :, 0].copy(), eighths[:, :, -1].copy()
    heights = np.zeros(over.shape, np.intp)
    changes = np.count_nonzero(eighths[:, :, 1:] != eighths[:, :, :-1], axis=2)
    once = changes == 1
    heights[once] = np.argmax(eighths[once] != over[once][:, None], axis=1)
    often = changes > 1
    if bool(often.any()):
        over[often], under[often], heights[often] = _nearest(eighths[often])
    heights[over == under] = 0
    filled = (over > 0) | (under > 0)
    cells.glyphs[plot.area][filled] = np.where(heights > 0, LOWER_BLOCK + heights, BLANK)[filled]
    cells.inks[plot.area][filled] = shade(ink, over, under)[filled]
    return np.sort(eighths, axis=2)[:, :, EIGHTHS // 2].astype(np.int16)


def _nearest(
    eighths: npt.NDArray[np.int16],
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16], npt.NDArray[np.intp]]:
    """Return upper shade, lower shade and the height between them with the smallest error for cells [cells, 8]."""
    count, eighths = len(eighths), np.where(eighths > 0, eighths, _NOTHING).astype(np.int16)
    least = np.full(count, np.iinfo(np.intp).max)
    over, under, heights = np.zeros(count, np.int16), np.zeros(count, np.int16), np.zeros(count, np.intp)
    for height in range(1, EIGHTHS):
        below, above = eighths[:, :height], eighths[:, height:]
        lower, upper = _middle(below), _middle(above)
        wrong = np.abs(below - lower[:, None]).sum(axis=1) + np.abs(above - upper[:, None]).sum(axis=1)
        better = wrong < least
        least[better], heights[better] = wrong[better], height
        over[better], under[better] = lower[better], upper[better]
    return np.maximum(over, 0), np.maximum(under, 0), heights


def _middle(shades: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Return the upper median of each row, which is always a shade that occurs."""
    return np.asarray(np.sort(shades, axis=1)[:, shades.shape[1] // 2])


def contrasting_shades(shades: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Return the shade with the best contrast to each background: the full colour or the background of the chart."""
    return np.where(shades < FULL_SHADE - 1, FULL_SHADE, 0).astype(np.int16)


def restore_backgrounds(cells: Cells, grounds: npt.NDArray[np.int16], plot: PlotArea, ink: int) -> None:
    """Put the shades of areas back behind text written over them, in the shade with the best contrast to each.

    Signs in the inks of good, warning and bad values keep their own colour and the background of the chart.

    Args:
        cells: Cells of the chart, changed in place.
        grounds: Shades from `draw_areas`.
        plot: Area of the plot.
        ink: A series ink.
    """
    inks = cells.inks[plot.area]
    over = (grounds > 0) & (inks < SHADE_FROM) & ~np.isin(inks, (Ink.GOOD, Ink.WARN, Ink.BAD))
    inks[over] = shade(ink, contrasting_shades(grounds), grounds)[over]


def shades_by_age(count: int, palest: int) -> list[int]:
    """Return shades in even steps from `palest` (oldest) to full (newest); a single one is full."""
    newest_first: list[int] = np.rint(np.linspace(FULL_SHADE, palest, count)).astype(int).tolist()
    return newest_first[::-1]


MIN_CURVE_SHADE = 3
"""Shade of the oldest of several curves: lines are thinner than areas, and their names must stay legible."""


@frozen(eq=False)
class OverlayCurve:
    """One histogram."""

    edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending on the value axis. Between the middles of bins the curve is straight."""

    counts: npt.NDArray[np.float64]
    """float64[bins]. A NaN means that there is no histogram: only the name is shown, with the sign of missing data."""

    ink: int
    name: str = ""
    """Name of its step or run."""

    at: float | None = None
    """Step of the histogram, if the cursor may select it."""


@frozen(eq=False)
class OverlayChart:
    """Curves of an overlay; a chart without curves still shows its axes."""

    curves: tuple[OverlayCurve, ...]
    """In drawing order: the last lies on top, and is named first."""

    value_axis: Axis
    count_axis: Axis


def curves_by_age(
    edges: npt.NDArray[np.float64],
    counts: npt.NDArray[np.float64],
    at: npt.NDArray[np.float64],
    names: Sequence[str],
    ink: int,
) -> tuple[OverlayCurve, ...]:
    """Return histograms of several steps of one run, in shades of its colour from the oldest to the newest.

    Args:
        edges: float64[bins + 1].
        counts: float64[k, bins], the oldest first.
        at: Steps, float64[k].
        names: Names of the steps.
        ink: Series ink of the run.
    """
    shades = shade(ink, shades_by_age(len(counts), MIN_CURVE_SHADE), 0).tolist()
    return tuple(map(OverlayCurve, [edges] * len(counts), counts, shades, names, at.tolist()))


@frozen(eq=False)
class OverlayPicture:
    """An overlay of one size, in which the curves at the cursor and the mark can stand out."""

    layout: Layout
    chart: OverlayChart
    _cells: Cells
    """Cells of the axes."""

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return fresh cells; the curves nearest to the cursor and the mark lie on top, each in its own ink."""
        cells = self._cells.copy()
        plot = self.layout.plot
        drawn = self._ordered(cursor, mark)
        dashes = dash_patterns(curve.ink for curve in drawn if 0 <= curve.ink < FAINT_FROM)
        for curve in drawn:  # each on its own: where curves meet, the dots of one alone are easier to follow
            canvas = Canvas(plot.width, plot.height)
            draw_traces(canvas, list(_traces(curve, dashes.get(curve.ink, 0))), plot)
            canvas.blit(cells, plot.top, plot.left)
        if self.layout.margin:
            for row, (name, ink) in enumerate(_named(drawn), plot.top):
                write(cells, row, plot.left + plot.width + 1, name, ink)
        return cells

    def legend(self, cursor: float | None = None, mark: float | None = None) -> list[tuple[str, int]]:
        """Return names and their inks, for a layout without end labels (`layout.margin` is 0)."""
        return _named(self._ordered(cursor, mark))

    def _ordered(self, cursor: float | None, mark: float | None) -> list[OverlayCurve]:
        """Return the curves in drawing order with their inks."""
        curves = list(self.chart.curves)
        for place, ink in ((mark, Ink.TEXT), (cursor, Ink.ACCENT)):
            apart = [math.inf if curve.at is None or place is None else abs(curve.at - place) for curve in curves]
            if min(apart, default=math.inf) < math.inf:
                curves.append(replace(curves.pop(apart.index(min(apart))), ink=ink))
        return curves


def overlay_picture(chart: OverlayChart, width: int, height: int, zone: tzinfo | None = None) -> OverlayPicture:
    """Lay out an overlay; the curves are drawn when the cursor is known.

    Args:
        chart: Chart to draw.
        width: Columns, at least 1; where there are too few, names are dropped first, then the labels of counts.
        height: Rows, at least 1.
        zone: Time zone of wall times; None: the zone of the machine.
    """
    cells = Cells.blank(height, width)
    names = [name for name, _ in _named(chart.curves)]
    layout = chart_layout(chart.value_axis, chart.count_axis, names, width, height, zone, turned=True)
    draw_axes(cells, layout)
    return OverlayPicture(layout, chart, cells)


def _named(curves: Sequence[OverlayCurve]) -> list[tuple[str, int]]:
    """Return names and inks, the curve on top first."""
    missing = [bool(np.isnan(curve.counts).any()) for curve in curves]
    names = [f"{curve.name} {NAN_SIGN}" if none else curve.name for curve, none in zip(curves, missing, strict=True)]
    return [(name, curve.ink) for name, curve in zip(names, curves, strict=True) if curve.name][::-1]


def _traces(curve: OverlayCurve, pattern: int) -> Iterator[Trace]:
    """Yield the outline of a histogram, upright at the outer edges."""
    if len(curve.counts) and not bool(np.isnan(curve.counts).any()):
        low, high = curve.edges[:1], curve.edges[-1:]
        middles = curve.edges[:-1] / 2 + curve.edges[1:] / 2
        counts = np.concatenate(([0.0], curve.counts[:1], curve.counts, curve.counts[-1:], [0.0]))
        x = np.concatenate((low, low, middles, high, high))
        yield Trace(x, counts, curve.ink, ascending=True, pattern=pattern)


HEADROOM = 0.4
"""Part of the plot above the first step: a ridge is as high as that and its own row."""

MIN_RIDGE_ROWS = 2
"""Rows between ridges that keep them distinct."""

MIN_RIDGE_SHADE = 2
"""Shade of the oldest ridge while each ridge has a shade of its own; if one more is needed, 1."""

NEIGHBOUR_SHADES = 2
"""Shades between a ridge and its neighbours when there are more ridges than shades: they alternate."""


@frozen(eq=False)
class RidgeChart:
    """Ridges: histograms of some steps one before the other, the oldest at the back, the newest in front.

    Values run across and steps run down. Each histogram rises from the row of its step and covers those behind it. A
    chart without histograms still shows its axes.
    """

    curves: npt.NDArray[np.float64]
    """Counts of the histograms, float64[k, bins]. A row with a NaN is no histogram and is marked."""

    at: npt.NDArray[np.float64]
    """Steps, float64[k], ascending on the step axis; steps outside it are not drawn."""

    edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending on the value axis. Between the middles of bins the outline is straight."""

    ink: int
    """A series ink."""

    value_axis: Axis
    step_axis: Axis
    most: float | None = None
    """Count at the full height; None: the greatest of all. Higher counts are cut off."""


@frozen(eq=False)
class RidgePicture:
    """Drawn ridges without a cursor; a cursor can be drawn over them repeatedly."""

    layout: Layout
    chart: RidgeChart
    _cells: Cells
    _zone: tzinfo | None

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return fresh cells with the outlines of the two ridges nearest to the cursor and the mark in front of all.

        Their steps are written at the axis; for a missing histogram only the step is.
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
        """Return the index of the visible histogram nearest to a place on the step axis; None without any."""
        axis, seen = self.chart.step_axis, np.flatnonzero(self.layout.plot.rows(self.chart.at) >= 0)
        if not len(seen) or not math.isfinite(place):
            return None
        apart = np.abs(axis.unit(self.chart.at[seen]) - axis.unit(place))
        return int(seen[np.argmin(apart)])


def max_ridges(height: int) -> int:
    """Return the number of distinct ridges in a picture of `height` rows, at least 1."""
    rows = plot_rows(height)
    return max((rows - int(HEADROOM * rows) - 1) // MIN_RIDGE_ROWS, 0) + 1


def ridge_picture(chart: RidgeChart, width: int, height: int, zone: tzinfo | None = None) -> RidgePicture:
    """Draw ridges without a cursor.

    Args:
        chart: Chart to draw.
        width: Columns, at least 1.
        height: Rows, at least 1.
        zone: Time zone of a wall time axis; None: the zone of the machine.
    """
    cells = Cells.blank(height, width)
    layout = chart_layout(chart.value_axis, chart.step_axis, (), width, height, zone, turned=True, headroom=HEADROOM)
    plot = layout.plot
    draw_axes(cells, layout)
    rows = plot.rows(chart.at)
    whole = np.isfinite(chart.curves).all(axis=1)
    draw_areas(cells, _shades(chart, np.where(whole, rows, -1), plot), plot, chart.ink)
    for row in rows[(rows >= 0) & ~whole].tolist():
        write(cells, row, plot.left, NAN_SIGN, chart.ink)
    return RidgePicture(layout, chart, cells, zone)


def _shades(chart: RidgeChart, rows: npt.NDArray[np.intp], plot: PlotArea) -> npt.NDArray[np.int16]:
    """Return the shade of each eighth of the plot, int16[columns, 8 rows], the lowest first.

    Args:
        chart: Chart of the ridges.
        rows: Row of the chart at the foot of each ridge; -1: not drawn.
        plot: Area of the plot.
    """
    eighths = np.arange(EIGHTHS * plot.height)
    shades = np.zeros((plot.width, len(eighths)), np.int16)
    drawn = np.flatnonzero(rows >= 0)
    for ridge, ridge_shade in zip(drawn.tolist(), ridge_shades(len(drawn)), strict=True):
        base = EIGHTHS * (plot.top + plot.height - 1 - int(rows[ridge]))
        heights = EIGHTHS * _heights(chart, ridge, plot, plot.width)
        tops = base + np.where(heights > 0, np.maximum(np.rint(heights), 1), 0)  # any count is seen
        shades[(eighths >= base) & (eighths < tops[:, None])] = ridge_shade
    return shades


def ridge_shades(count: int) -> list[int]:
    """Return shades of ridges from the oldest to the newest: from faint to full, with different neighbours."""
    if count <= FULL_SHADE:
        return shades_by_age(count, MIN_RIDGE_SHADE if count < FULL_SHADE else 1)
    pairs = np.arange((count + 1) // 2)
    upper = FULL_SHADE - np.rint(pairs * min(1.0, (FULL_SHADE - 1 - NEIGHBOUR_SHADES) / (len(pairs) - 1)))
    newest_first: list[int] = np.stack((upper, upper - NEIGHBOUR_SHADES), axis=1).ravel()[:count].astype(int).tolist()
    return newest_first[::-1]


def _heights(chart: RidgeChart, ridge: int, plot: PlotArea, columns: int) -> npt.NDArray[np.float64]:
    """Return the rows that a ridge rises above its own, for `columns` columns across the plot."""
    places = (across(chart.value_axis, chart.edges, plot.width) + 0.5) * (columns / (DOTS_ACROSS * plot.width))
    np.clip(places, -MAX_DOTS, MAX_DOTS, out=places)
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
    """Draw the outline of a ridge over all others, across the whole plot."""
    columns = DOTS_ACROSS * plot.width
    below = DOTS_DOWN * (int(plot.rows(chart.at[ridge])) - plot.top + 1)
    dots = np.minimum(below - DOTS_DOWN * _heights(chart, ridge, plot, columns), below - 1)
    spans = line_spans(np.arange(columns, dtype=np.float64), dots, columns)
    canvas = Canvas(plot.width, plot.height)
    canvas.lines(spans, Pens(np.array([ink], np.int16), np.zeros(1, np.bool_), np.zeros(1, np.intp)))
    canvas.blit(cells, plot.top, plot.left)


def _draw_step(cells: Cells, layout: Layout, step: float, ink: int, zone: tzinfo | None) -> None:
    """Write the step of a ridge at the axis, over its labels; over the plot where there is no room."""
    plot = layout.plot
    row, label = int(plot.rows(step)), value_label(plot.y_axis, step, zone)
    room = plot.left - 2
    if len(label) <= room:
        label = label.rjust(room) + " " + CROSSING_SIGN
    write(cells, row, 0, label, ink)
