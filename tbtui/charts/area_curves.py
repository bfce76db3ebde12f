"""Areas and outlines of histograms: ridges along the steps, overlaid curves, and shaded areas with eight levels a cell.

A cell shows two shades, one below a height and one above it, as a lower block on a background. In a cell with more than
two shades, the two shades and the height with the smallest error are drawn. The error is the sum of the differences in
shades over all eighths of the cell.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.annotations import CROSSING_SIGN
from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, to_dot_columns, to_dot_rows
from tbtui.charts.canvas import Canvas, Pens
from tbtui.charts.cells import BLANK, EIGHTHS, FAINT_FROM, SHADE_FROM, SHADES, Cells, Ink, to_shade_inks
from tbtui.charts.chart_layout import draw_axes, lay_out_chart, plot_rows
from tbtui.charts.line_chart import NAN_SIGN, Trace, draw_traces
from tbtui.charts.raster import MAX_DOTS, rasterize_lines
from tbtui.charts.series_colours import dash_patterns
from tbtui.charts.text import write
from tbtui.charts.ticks import format_axis_value
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.styled_text import Piece


FULL_SHADE = SHADES - 1
"""Shade of the full colour."""

LOWER_BLOCK = 0x2580
"""`LOWER_BLOCK` + n fills the lower n eighths of a cell (Unicode 15, Block Elements)."""

_BACKGROUND_SHADE = -2
"""Value of the background when shades are compared: the outline of an area matters more than its inside."""

_EIGHTHS_PER_DOT = EIGHTHS / DOTS_DOWN


def scale_to_eighths(axis: Axis, values: npt.ArrayLike, cells: int) -> npt.NDArray[np.float64]:
    """Return the heights of values above the bottom of a plot `cells` high, in fractional eighths of a cell.

    They are the centres of the dots of a line, so that areas and lines agree. NaN: the axis cannot show the value.
    """
    with np.errstate(over="ignore"):
        return EIGHTHS * cells - _EIGHTHS_PER_DOT * (to_dot_rows(axis, values, cells) + 0.5)


def draw_areas(cells: Cells, shades: npt.NDArray[np.int16], plot: PlotArea, ink: int) -> npt.NDArray[np.int16]:
    """Fill areas into the plot of new cells; shade 0 draws nothing.

    Args:
        cells: Cells of the chart, changed in place.
        shades: Shade of each eighth, int16[columns, 8 rows] of the plot, the lowest first in each column.
        plot: Area of the plot.
        ink: A series ink.

    Returns:
        The middle shade of each cell, int16[rows, columns]: the background of anything drawn over the areas.
    """
    eighths = shades.reshape(plot.width, plot.height, EIGHTHS)[:, ::-1].transpose(1, 0, 2)
    upper, lower = eighths[:, :, 0].copy(), eighths[:, :, -1].copy()
    heights = np.zeros(upper.shape, np.intp)
    changes = np.count_nonzero(eighths[:, :, 1:] != eighths[:, :, :-1], axis=2)
    changes_once = changes == 1
    heights[changes_once] = np.argmax(eighths[changes_once] != upper[changes_once][:, None], axis=1)
    changes_more = changes > 1
    if bool(changes_more.any()):
        upper[changes_more], lower[changes_more], heights[changes_more] = _choose_two_shades(eighths[changes_more])
    heights[upper == lower] = 0
    filled = (upper > 0) | (lower > 0)
    cells.glyphs[plot.area][filled] = np.where(heights > 0, LOWER_BLOCK + heights, BLANK)[filled]
    cells.inks[plot.area][filled] = to_shade_inks(ink, upper, lower)[filled]
    return np.sort(eighths, axis=2)[:, :, EIGHTHS // 2].astype(np.int16)


def _choose_two_shades(
    eighths: npt.NDArray[np.int16],
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16], npt.NDArray[np.intp]]:
    """Return upper shade, lower shade and the height between them with the smallest error for cells [cells, 8]."""
    count, eighths = len(eighths), np.where(eighths > 0, eighths, _BACKGROUND_SHADE).astype(np.int16)
    min_errors = np.full(count, np.iinfo(np.intp).max)
    best_upper, best_lower, heights = np.zeros(count, np.int16), np.zeros(count, np.int16), np.zeros(count, np.intp)
    for height in range(1, EIGHTHS):
        below, above = eighths[:, :height], eighths[:, height:]
        lower, upper = _find_median_shade(below), _find_median_shade(above)
        errors = np.abs(below - lower[:, None]).sum(axis=1) + np.abs(above - upper[:, None]).sum(axis=1)
        is_better = errors < min_errors
        min_errors[is_better], heights[is_better] = errors[is_better], height
        best_upper[is_better], best_lower[is_better] = lower[is_better], upper[is_better]
    return np.maximum(best_upper, 0), np.maximum(best_lower, 0), heights


def _find_median_shade(shades: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Return the upper median of each row, which is always a shade that occurs."""
    return np.asarray(np.sort(shades, axis=1)[:, shades.shape[1] // 2])


def contrast_shades(shades: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Return the shade with the best contrast to each background: the full colour, or the background of the chart."""
    return np.where(shades < FULL_SHADE - 1, FULL_SHADE, 0).astype(np.int16)


def restore_backgrounds(cells: Cells, backgrounds: npt.NDArray[np.int16], plot: PlotArea, ink: int) -> None:
    """Restore the shades of areas behind text written over them, and give the text the shade with the best contrast.

    Signs in the inks of good, warning and bad values keep their own colour and the background of the chart.

    Args:
        cells: Cells of the chart, changed in place.
        backgrounds: Shades from `draw_areas`.
        plot: Area of the plot.
        ink: A series ink.
    """
    inks = cells.inks[plot.area]
    is_text = (backgrounds > 0) & (inks < SHADE_FROM) & ~np.isin(inks, (Ink.GOOD, Ink.WARN, Ink.BAD))
    inks[is_text] = to_shade_inks(ink, contrast_shades(backgrounds), backgrounds)[is_text]


def shade_by_age(count: int, palest: int) -> list[int]:
    """Return shades in even steps from `palest` (oldest) to full (newest); a single one is full."""
    newest_first: list[int] = np.rint(np.linspace(FULL_SHADE, palest, count)).astype(int).tolist()
    return newest_first[::-1]


MIN_CURVE_SHADE = 3
"""Shade of the oldest of several curves: lines are thinner than areas, and their names must stay legible."""


@frozen(eq=False)
class OverlayCurve:
    """One histogram."""

    edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending on the value axis. The curve connects the middles of bins by straight lines."""

    counts: npt.NDArray[np.float64]
    """float64[bins]. A NaN marks a missing histogram: only the name is shown, with the sign of missing data."""

    ink: int
    name: str = ""
    """Name of its step or run."""

    step: float | None = None
    """Step of the histogram, if the cursor may select it."""


@frozen(eq=False)
class OverlayChart:
    """Curves of an overlay; a chart without curves still shows its axes."""

    curves: tuple[OverlayCurve, ...]
    """In drawing order: the last lies on top, and its name comes first."""

    value_axis: Axis
    count_axis: Axis


def build_curves_by_age(
    edges: npt.NDArray[np.float64],
    counts: npt.NDArray[np.float64],
    steps: npt.NDArray[np.float64],
    names: Sequence[str],
    ink: int,
) -> tuple[OverlayCurve, ...]:
    """Return histograms of several steps of one run, in shades of its colour from the oldest to the newest.

    Args:
        edges: float64[bins + 1].
        counts: float64[k, bins], the oldest first.
        steps: Steps, float64[k].
        names: Names of the steps.
        ink: Series ink of the run.
    """
    shades = to_shade_inks(ink, shade_by_age(len(counts), MIN_CURVE_SHADE), 0).tolist()
    return tuple(map(OverlayCurve, [edges] * len(counts), counts, shades, names, steps.tolist()))


@frozen(eq=False)
class OverlayPicture:
    """An overlay of one size, in which the curves at the cursor and the mark can be highlighted."""

    layout: Layout
    chart: OverlayChart
    _cells: Cells
    """Cells of the axes."""

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return new cells; the curves nearest to the cursor and the mark lie on top, each in its own ink."""
        cells = self._cells.copy()
        plot = self.layout.plot
        ordered = self._order_curves(cursor, mark)
        dashes = dash_patterns(curve.ink for curve in ordered if 0 <= curve.ink < FAINT_FROM)
        for curve in ordered:  # on a canvas each: where curves meet, the dots of one of them are easier to follow
            canvas = Canvas(plot.width, plot.height)
            draw_traces(canvas, list(_outline_traces(curve, dashes.get(curve.ink, 0))), plot)
            canvas.blit(cells, plot.top, plot.left)
        if self.layout.margin:
            for row, pieces in enumerate(_build_legend_entries(ordered), plot.top):
                x = plot.left + plot.width + 1
                for text, ink in pieces:
                    x = write(cells, row, x, text, ink)
        return cells

    def _order_curves(self, cursor: float | None, mark: float | None) -> list[OverlayCurve]:
        """Return the curves in drawing order with their inks."""
        curves = list(self.chart.curves)
        for x, ink in ((mark, Ink.TEXT), (cursor, Ink.ACCENT)):
            distances = [math.inf if curve.step is None or x is None else abs(curve.step - x) for curve in curves]
            if min(distances, default=math.inf) < math.inf:
                curves.append(replace(curves.pop(distances.index(min(distances))), ink=ink))
        return curves


def draw_overlay(chart: OverlayChart, width: int, height: int, zone: tzinfo | None = None) -> OverlayPicture:
    """Lay out an overlay; `OverlayPicture.at` draws the curves.

    Args:
        chart: Chart to draw.
        width: Columns, at least 1; a narrow chart has no names, a narrower one no labels of counts either.
        height: Rows, at least 1.
        zone: Time zone of wall times; None: the zone of the machine.
    """
    cells = Cells.blank(height, width)
    names = ["".join(text for text, _ in pieces) for pieces in _build_legend_entries(chart.curves)]
    layout = lay_out_chart(chart.value_axis, chart.count_axis, names, width, height, zone, turned=True)
    draw_axes(cells, layout)
    return OverlayPicture(layout, chart, cells)


SAMPLE = "━ "
"""Sample of a curve in a shade, before its name: the name in a pale shade could not be read."""


def _build_legend_entries(curves: Sequence[OverlayCurve]) -> list[tuple[Piece, ...]]:
    """Return the names of the curves, each in its ink or after a sample of its shade, the curve on top first."""
    is_missing = [bool(np.isnan(curve.counts).any()) for curve in curves]
    names = [f"{curve.name} {NAN_SIGN}" if none else curve.name for curve, none in zip(curves, is_missing, strict=True)]
    return [_name_curve(name, curve.ink) for name, curve in zip(names, curves, strict=True) if curve.name][::-1]


def _name_curve(name: str, ink: int) -> tuple[Piece, ...]:
    return ((SAMPLE, ink), (name, Ink.DIM)) if ink >= SHADE_FROM else ((name, ink),)


def _outline_traces(curve: OverlayCurve, pattern: int) -> Iterator[Trace]:
    """Yield the outline of a histogram, vertical at the outer edges."""
    if len(curve.counts) and not bool(np.isnan(curve.counts).any()):
        low, high = curve.edges[:1], curve.edges[-1:]
        middles = curve.edges[:-1] / 2 + curve.edges[1:] / 2
        counts = np.concatenate(([0.0], curve.counts[:1], curve.counts, curve.counts[-1:], [0.0]))
        x = np.concatenate((low, low, middles, high, high))
        yield Trace(x, counts, curve.ink, ascending=True, pattern=pattern)


HEADROOM = 0.4
"""Share of the plot above the first step: the height of a ridge, without its own row."""

MIN_RIDGE_ROWS = 2
"""Minimum rows between ridges, so that they stay distinct."""

MIN_RIDGE_SHADE = 2
"""Shade of the oldest ridge if each ridge has a shade of its own; 1 if one more shade is needed."""

NEIGHBOUR_SHADES = 2
"""Difference between the shades of neighbouring ridges if there are more ridges than shades: they alternate."""


@frozen(eq=False)
class RidgeChart:
    """Ridges: overlapping histograms of some steps, the oldest at the back, the newest in front.

    Values run across and steps run down. Each histogram rises from the row of its step and covers older ones. A chart
    without histograms still shows its axes.
    """

    curves: npt.NDArray[np.float64]
    """Counts of the histograms, float64[k, bins]. A row with a NaN is a missing histogram and is marked."""

    steps: npt.NDArray[np.float64]
    """Steps, float64[k], ascending on the step axis; steps outside it are not drawn."""

    edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending on the value axis. The outline connects the middles of bins by straight lines."""

    ink: int
    """A series ink."""

    value_axis: Axis
    step_axis: Axis
    max_count: float | None = None
    """Count at the full height; None: the maximum of all. Higher counts are cut off."""


@frozen(eq=False)
class RidgePicture:
    """Drawn ridges without a cursor; a cursor can be drawn over them repeatedly."""

    layout: Layout
    chart: RidgeChart
    _cells: Cells
    _zone: tzinfo | None

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return new cells with the outlines of the two ridges nearest to the cursor and the mark in front of all.

        Their steps are written at the axis. A missing histogram has no outline.
        """
        cells = self._cells.copy()
        for step, ink in ((mark, Ink.TEXT), (cursor, Ink.ACCENT)):
            ridge = None if step is None else self.nearest(step)
            if ridge is not None:
                if bool(np.isfinite(self.chart.curves[ridge]).all()):
                    _draw_outline(cells, self.chart, ridge, self.layout.plot, ink)
                _draw_step(cells, self.layout, float(self.chart.steps[ridge]), ink, self._zone)
        return cells

    def nearest(self, step: float) -> int | None:
        """Return the index of the visible histogram nearest to a step; None without any."""
        axis, visible = self.chart.step_axis, np.flatnonzero(self.layout.plot.rows(self.chart.steps) >= 0)
        if not len(visible) or not math.isfinite(step):
            return None
        distances = np.abs(axis.unit(self.chart.steps[visible]) - axis.unit(step))
        return int(visible[np.argmin(distances)])


def count_max_ridges(height: int) -> int:
    """Return the number of distinct ridges in a picture of `height` rows, at least 1."""
    rows = plot_rows(height)
    return max((rows - int(HEADROOM * rows) - 1) // MIN_RIDGE_ROWS, 0) + 1


def draw_ridges(chart: RidgeChart, width: int, height: int, zone: tzinfo | None = None) -> RidgePicture:
    """Draw ridges without a cursor.

    Args:
        chart: Chart to draw.
        width: Columns, at least 1.
        height: Rows, at least 1.
        zone: Time zone of a wall time axis; None: the zone of the machine.
    """
    cells = Cells.blank(height, width)
    layout = lay_out_chart(chart.value_axis, chart.step_axis, (), width, height, zone, turned=True, headroom=HEADROOM)
    plot = layout.plot
    draw_axes(cells, layout)
    rows = plot.rows(chart.steps)
    is_finite_row = np.isfinite(chart.curves).all(axis=1)
    draw_areas(cells, _shade_ridges(chart, np.where(is_finite_row, rows, -1), plot), plot, chart.ink)
    for row in rows[(rows >= 0) & ~is_finite_row].tolist():
        write(cells, row, plot.left, NAN_SIGN, chart.ink)
    return RidgePicture(layout, chart, cells, zone)


def _shade_ridges(chart: RidgeChart, rows: npt.NDArray[np.intp], plot: PlotArea) -> npt.NDArray[np.int16]:
    """Return the shade of each eighth of the plot, int16[columns, 8 rows], the lowest first.

    Args:
        chart: Chart of the ridges.
        rows: Row of the chart with the base line of each ridge; -1: not drawn.
        plot: Area of the plot.
    """
    eighths = np.arange(EIGHTHS * plot.height)
    shades = np.zeros((plot.width, len(eighths)), np.int16)
    visible = np.flatnonzero(rows >= 0)
    for ridge, ridge_shade in zip(visible.tolist(), shade_ridges(len(visible)), strict=True):
        base = EIGHTHS * (plot.top + plot.height - 1 - int(rows[ridge]))
        heights = EIGHTHS * _compute_ridge_heights(chart, ridge, plot, plot.width)
        tops = base + np.where(heights > 0, np.maximum(np.rint(heights), 1), 0)  # any count is visible
        shades[(eighths >= base) & (eighths < tops[:, None])] = ridge_shade
    return shades


def shade_ridges(count: int) -> list[int]:
    """Return shades of ridges from the oldest to the newest: from faint to full, with different neighbours."""
    if count <= FULL_SHADE:
        return shade_by_age(count, MIN_RIDGE_SHADE if count < FULL_SHADE else 1)
    pairs = np.arange((count + 1) // 2)
    upper = FULL_SHADE - np.rint(pairs * min(1.0, (FULL_SHADE - 1 - NEIGHBOUR_SHADES) / (len(pairs) - 1)))
    newest_first: list[int] = np.stack((upper, upper - NEIGHBOUR_SHADES), axis=1).ravel()[:count].astype(int).tolist()
    return newest_first[::-1]


def _compute_ridge_heights(chart: RidgeChart, ridge: int, plot: PlotArea, columns: int) -> npt.NDArray[np.float64]:
    """Return the height of a ridge in rows above its base line, for `columns` columns across the plot."""
    positions = (to_dot_columns(chart.value_axis, chart.edges, plot.width) + 0.5) * (
        columns / (DOTS_ACROSS * plot.width)
    )
    np.clip(positions, -MAX_DOTS, MAX_DOTS, out=positions)
    is_known = ~np.isnan(positions)
    bins = is_known[1:] & is_known[:-1]
    heights = np.zeros(columns)
    if not bool(bins.any()):
        return heights
    counts, middles = chart.curves[ridge, bins], ((positions[1:] + positions[:-1]) / 2)[bins]
    centres = np.arange(columns) + 0.5
    is_inside = (centres >= positions[is_known][0]) & (centres <= positions[is_known][-1])
    heights[is_inside] = np.interp(centres[is_inside], middles, counts)
    is_visible = (middles >= 0) & (middles < columns)
    np.maximum.at(heights, middles[is_visible].astype(np.intp), counts[is_visible])
    max_count = chart.max_count
    if max_count is None:
        max_count = float(chart.curves.max(where=np.isfinite(chart.curves), initial=0.0))
    # The minimum comes first: the quotient of a huge and a tiny count may overflow.
    return np.minimum(heights, max_count) / max_count * (plot.head + 1) if max_count > 0 else np.zeros(columns)


def _draw_outline(cells: Cells, chart: RidgeChart, ridge: int, plot: PlotArea, ink: int) -> None:
    """Draw the outline of a ridge over all others, across the whole plot."""
    columns = DOTS_ACROSS * plot.width
    bottom = DOTS_DOWN * (int(plot.rows(chart.steps[ridge])) - plot.top + 1)
    dots = np.minimum(bottom - DOTS_DOWN * _compute_ridge_heights(chart, ridge, plot, columns), bottom - 1)
    spans = rasterize_lines(np.arange(columns, dtype=np.float64), dots, columns)
    canvas = Canvas(plot.width, plot.height)
    canvas.draw_lines(spans, Pens(np.array([ink], np.int16), np.zeros(1, np.bool_), np.zeros(1, np.intp)))
    canvas.blit(cells, plot.top, plot.left)


def _draw_step(cells: Cells, layout: Layout, step: float, ink: int, zone: tzinfo | None) -> None:
    """Write the step of a ridge at the axis, over its labels; a long one also covers a part of the plot."""
    plot = layout.plot
    row, label = int(plot.rows(step)), format_axis_value(plot.y_axis, step, zone)
    label_width = plot.left - 2
    if len(label) <= label_width:
        label = label.rjust(label_width) + " " + CROSSING_SIGN
    write(cells, row, 0, label, ink)
