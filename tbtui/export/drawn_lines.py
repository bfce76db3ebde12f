"""Charts of lines as shapes: every line where its values are, which in cells it can be but to the nearest dot.

The frame, its title and whatever is text come from the cells of the same chart (`drawn_cells`); what is drawn here is
taken out of them first (`without_lines`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, columns_of, value_across
from tbtui.charts.canvas import BRAILLE
from tbtui.charts.cells import Ink, faint, shade
from tbtui.charts.fan import BANDS, MEDIAN, FanPicture
from tbtui.charts.palette import patterns
from tbtui.export.drawn import CELL_HEIGHT, CELL_WIDTH, Fill, Stroke
from tbtui.export.drawn_axes import Place, axes_shapes, clear_axes
from tbtui.export.drawn_glyphs import SIGNS, THIN, sign
from tbtui.export.polylines import inside
from tbtui.series.decimate import decimate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.charts.band import Band
    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.ink_colours import InkColours
    from tbtui.charts.line_chart import LinePicture, Trace
    from tbtui.charts.marks import Mark
    from tbtui.export.drawn import Floats, Shape

COLUMNS = 4
"""Columns of a cell in which a line of many points keeps its first, least, greatest and last."""

LINE, CROWDED_LINE, FAINT_LINE = 1.6, 1.2, 1.0
"""Widths of lines: of few, of many, of those behind others."""

CROWD = 12
"""From so many lines on they are thin."""

ALONE = 5.0
"""Width of a dot for a point that nothing joins to others."""

DASHES: tuple[tuple[float, ...], ...] = ((), (12.0, 5.0), (0.1, 4.0), (5.0, 4.0))
"""Of each pattern of `canvas.DASHES`: solid, long dashes, dots, short dashes."""

SIGN = 1.35
"""How much larger signs are than in cells: they stand among lines that are drawn finer."""

BAND = 0.22
"""How much a band covers of what is below it."""


def without_lines(cells: Cells, picture: LinePicture | FanPicture, top: int, left: int) -> Cells:
    """Cells without what `line_shapes` draws: lines, bands, reference lines, signs and axes.

    Args:
        cells: In which the picture stands; not changed.
        picture: Of the chart.
        top: Row of its first cell.
        left: Column of its first cell.
    """
    cells, layout = cells.copy(), picture.layout
    plot = layout.plot.moved(top, left)
    area = cells.part(*plot.area)
    drawn = (area.glyphs >= BRAILLE) & (area.glyphs < BRAILLE + 256)
    if isinstance(picture, FanPicture):
        drawn |= (area.glyphs >= 0x2580) & (area.glyphs < 0x25A0)
        is_blank = drawn | (area.glyphs == ord(" "))
        area.inks[is_blank] = Ink.NONE
    area.glyphs[drawn] = ord(" ")
    for mark, row, column in _placed(picture.signs, plot):
        if cells.glyphs[row, column] == ord(mark.glyph):
            cells.glyphs[row, column], cells.inks[row, column] = ord(" "), Ink.NONE
    clear_axes(cells, layout, top, left)
    return cells


def line_shapes(picture: LinePicture | FanPicture, colours: InkColours, left: float, top: float) -> list[Shape]:
    """What `without_lines` takes out of the cells, from below.

    Args:
        picture: Of the chart.
        colours: What inks look like.
        left: Where its first cell begins, in units.
        top: Likewise.
    """
    place, plot = Place(left, top), picture.layout.plot
    if isinstance(picture, FanPicture):
        areas = list(_fan(picture, colours, place))
        traces, levels = picture.chart.lines, picture.chart.levels
    else:
        areas = [shape for band in picture.chart.bands for shape in _band(band, plot, colours, place)]
        traces, levels = picture.chart.traces, picture.chart.levels
    ordered = sorted((trace for trace in traces if len(trace.x)), key=lambda trace: not trace.faint)
    dashes = patterns(trace.ink for trace in traces)
    wide = LINE if len(ordered) < CROWD else CROWDED_LINE
    strokes: list[Shape] = []
    for trace in ordered:
        pattern = DASHES[(dashes[trace.ink] if trace.pattern is None else trace.pattern) % len(DASHES)]
        width = FAINT_LINE if trace.faint else wide
        strokes += _stroke(trace, plot, place, colours, width, pattern)
    median = list(_median(picture, colours, place)) if isinstance(picture, FanPicture) else []
    return [
        *axes_shapes(picture.layout, colours, place),
        *areas,
        *strokes,
        *median,
        *_levels([level.y for level in levels], plot, colours, place),
        *_signs(picture.signs, plot, colours, place),
    ]


def _points(x: Floats, y: Floats, plot: PlotArea, place: Place, *, ascending: bool | None = None) -> Floats:
    """A line within the plot, float64[n, 2] as in `Stroke`."""
    edges = value_across(plot.x_axis, np.arange(COLUMNS * plot.width + 1) * (DOTS_ACROSS / COLUMNS) - 0.5, plot.width)
    x, y = decimate(x, y, edges, log=plot.y_axis.scale == "log", ascending=ascending)
    return inside(np.stack((place.x(plot, x), place.y(plot, y)), axis=1), *place.ends(plot))


def _stroke(
    trace: Trace, plot: PlotArea, place: Place, colours: InkColours, width: float, dashes: tuple[float, ...]
) -> Iterator[Stroke]:
    points = _points(trace.x, trace.y, plot, place, ascending=trace.ascending)
    if not len(points):
        return
    colour = colours.of(faint(trace.ink) if trace.faint else trace.ink).colour
    gaps = np.isnan(points[:, 0])
    # A point between two gaps is a dot, and large enough to be seen.
    padded = np.concatenate(([True], gaps, [True]))
    alone = ~gaps & padded[:-2] & padded[2:]
    lines = points[~alone]
    if bool((~np.isnan(lines[:, 0])).any()):
        yield Stroke(_trimmed(lines), colour, width, dashes)
    if bool(alone.any()):
        dots = np.full((2 * int(alone.sum()), 2), np.nan)
        dots[::2] = points[alone]
        yield Stroke(dots[:-1], colour, max(ALONE * (width / LINE), ALONE / 2))


def _trimmed(points: Floats) -> Floats:
    """Points without gaps at both ends, nor several in a row."""
    gaps = np.isnan(points[:, 0])
    kept = ~gaps | np.concatenate(([False], ~gaps[:-1]))
    points = points[kept]
    return points[:-1] if len(points) and np.isnan(points[-1, 0]) else points


def _band(band: Band, plot: PlotArea, colours: InkColours, place: Place) -> Iterator[Fill]:
    """The area between two curves; each stretch without a gap by itself."""
    colour = colours.of(band.ink).colour
    gaps = np.isnan(band.low) | np.isnan(band.high) | np.isnan(band.x)
    edges = np.flatnonzero(np.diff(np.concatenate(([True], gaps, [True])).astype(np.int8)))
    left, top, right, bottom = place.ends(plot)
    polygons = []
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        sides = []
        for values in (band.high, band.low):
            x, y = band.x[begin:end], values[begin:end]
            if plot.y_axis.scale == "log":
                y = np.where(y > 0, y, plot.y_axis.low)
            edge = value_across(plot.x_axis, np.arange(DOTS_ACROSS * plot.width + 1) - 0.5, plot.width)
            x, y = decimate(x, np.clip(y, -1e300, 1e300), edge)
            whole = np.isfinite(x) & np.isfinite(y)
            points = np.stack((place.x(plot, x[whole]), place.y(plot, y[whole])), axis=1)
            sides.append(np.clip(points, (left, top), (right, bottom)))
        polygons += [sides[0], sides[1][::-1], np.full((1, 2), np.nan)]
    if polygons:
        yield Fill(np.concatenate(polygons[:-1]), colour, BAND)


def _fan(picture: FanPicture, colours: InkColours, place: Place) -> Iterator[Fill]:
    """The bands around the median, each over those that are wider."""
    chart, plot = picture.chart, picture.layout.plot
    whole = np.isfinite(chart.x) & np.isfinite(chart.curves).all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], whole, [False])).astype(np.int8)))
    left, top, right, bottom = place.ends(plot)
    half = CELL_WIDTH * 1.5
    for band, depth in enumerate(BANDS):
        polygons = []
        for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            x = place.x(plot, chart.x[begin:end])
            high, low = (place.y(plot, chart.curves[begin:end, side]) for side in (-1 - band, band))
            high, low = (np.where(np.isnan(side), bottom, side) for side in (high, low))
            if len(x) == 1:
                x, high, low = np.array([x[0] - half, x[0] + half]), np.repeat(high, 2), np.repeat(low, 2)
            x, high, low = _thinned(x, high, low, left, right)
            upper = np.clip(np.stack((x, high), axis=1), (left, top), (right, bottom))
            lower = np.clip(np.stack((x, low), axis=1), (left, top), (right, bottom))
            polygons += [upper, lower[::-1], np.full((1, 2), np.nan)]
        if polygons:
            yield Fill(np.concatenate(polygons[:-1]), colours.of(int(shade(chart.ink, depth, 0))).colour)


def _thinned(x: Floats, high: Floats, low: Floats, left: float, right: float) -> tuple[Floats, Floats, Floats]:
    """Curves of at most one point in a unit: the highest and the lowest of those there are."""
    seen = slice(max(int(np.searchsorted(x, left)) - 1, 0), int(np.searchsorted(x, right, "right")) + 1)
    x, high, low = x[seen], high[seen], low[seen]
    if len(x) <= right - left:
        return x, high, low
    firsts = np.flatnonzero(np.diff(np.floor(x), prepend=-np.inf) > 0)
    return x[firsts], np.minimum.reduceat(high, firsts), np.maximum.reduceat(low, firsts)


def _median(picture: FanPicture, colours: InkColours, place: Place) -> Iterator[Stroke]:
    chart, plot = picture.chart, picture.layout.plot
    whole = np.isfinite(chart.x) & np.isfinite(chart.curves).all(axis=1)
    points = _points(chart.x, np.where(whole, chart.curves[:, MEDIAN], np.nan), plot, place, ascending=True)
    if len(points) == 1:
        points = points[[0, 0]] + ((-CELL_WIDTH * 1.5, 0), (CELL_WIDTH * 1.5, 0))
    if len(points):
        yield Stroke(points, colours.of(chart.ink).colour, LINE)


def _levels(values: list[float], plot: PlotArea, colours: InkColours, place: Place) -> Iterator[Stroke]:
    """Reference lines; their names are in the cells."""
    left, _, right, _ = place.ends(plot)
    for y in values:
        if plot.row(y) is not None:
            height = float(place.y(plot, np.array([y]))[0])
            yield Stroke(np.array([(left, height), (right, height)]), colours.of(Ink.DIM).colour, THIN, (6.0, 4.0))


def _placed(signs: tuple[Mark, ...], plot: PlotArea) -> Iterator[tuple[Mark, int, int]]:
    """Signs that are drawn here, with the row and column that their cell has in the chart."""
    shown = [mark for mark in signs if mark.glyph in SIGNS]
    columns = columns_of(plot.x_axis, [mark.x for mark in shown], plot.width)
    rows = plot.clamped_rows([mark.y for mark in shown])
    for mark, row, column in zip(shown, rows, columns.tolist(), strict=True):
        if column >= 0:
            yield mark, row, plot.left + column


def _signs(signs: tuple[Mark, ...], plot: PlotArea, colours: InkColours, place: Place) -> Iterator[Shape]:
    """Signs at their values; those of values that lie outside at the edge."""
    _, top, _, bottom = place.ends(plot)
    for mark, row, _ in _placed(signs, plot):
        x = float(place.x(plot, np.array([mark.x]))[0])
        y = float("nan") if mark.y is None else float(place.y(plot, np.array([mark.y]))[0])
        if not top <= y <= bottom:
            y = place.top + row * CELL_HEIGHT + CELL_HEIGHT / 2
        yield sign(mark.glyph, x - CELL_WIDTH / 2, y - CELL_HEIGHT / 2, colours.of(mark.ink).colour, SIGN)
