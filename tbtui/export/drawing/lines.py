"""Line charts and their axes as shapes, placed at exact values instead of the nearest dot or cell.

The frame, its title and all text come from the cells of the same chart (`cell_shapes`); `clear_lines` removes the parts
from these cells that this module draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, from_dot_columns, to_columns, to_dot_columns, to_dot_rows
from tbtui.charts.canvas import BRAILLE
from tbtui.charts.cells import Cells, Ink, to_faint_ink, to_shade_inks
from tbtui.charts.fan import BAND_SHADES, MEDIAN_CURVE, FanPicture
from tbtui.charts.series_colours import dash_patterns
from tbtui.export.drawing.cell_shapes import SIGNS, THIN_WIDTH, draw_sign
from tbtui.export.drawing.shapes import CELL_HEIGHT, CELL_WIDTH, MIDDLE_X, MIDDLE_Y, Fill, Stroke, TextLine
from tbtui.frozen import frozen
from tbtui.maths.decimate import decimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.charts.annotations import Band
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.ink_colours import InkTheme
    from tbtui.charts.line_chart import LinePicture, Sign, Trace
    from tbtui.export.drawing.shapes import Floats as DrawnFloats
    from tbtui.export.drawing.shapes import Shape

    Floats: TypeAlias = npt.NDArray[np.float64]

TICK_LENGTH = 4.0
"""Length of a tick."""

MAX_LABEL_RISE = 2.0
"""Maximum distance of a label above the first row, within the frame of the card."""

MAX_COORDINATE = 1e9


@frozen
class ChartOrigin:
    """Top-left corner of the cells of a chart in a drawing."""

    left: float
    top: float

    def x(self, plot: PlotArea, values: DrawnFloats) -> DrawnFloats:
        """Return the horizontal positions of x values, float64[n]; NaN for a value without a position."""
        dots = to_dot_columns(plot.x_axis, values, plot.width) + 0.5
        return np.clip(
            self.left + plot.left * CELL_WIDTH + dots * (CELL_WIDTH / DOTS_ACROSS), -MAX_COORDINATE, MAX_COORDINATE
        )

    def y(self, plot: PlotArea, values: DrawnFloats) -> DrawnFloats:
        """Return the vertical positions of y values, float64[n]; NaN for a value without a position."""
        dots = to_dot_rows(plot.y_axis, values, plot.height) + 0.5
        return np.clip(
            self.top + plot.top * CELL_HEIGHT + dots * (CELL_HEIGHT / DOTS_DOWN), -MAX_COORDINATE, MAX_COORDINATE
        )

    def ends(self, plot: PlotArea) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of the plot."""
        left, top = self.left + plot.left * CELL_WIDTH, self.top + plot.top * CELL_HEIGHT
        return left, top, left + plot.width * CELL_WIDTH, top + plot.height * CELL_HEIGHT


def clear_axes(cells: Cells, layout: Layout, top: int, left: int) -> None:
    """Remove the axes that `draw_axes` draws from cells; the chart begins in row `top` and column `left`."""
    plot = layout.plot.translate(top, left)
    blank = ord(" ")
    if plot.left > left:
        cells.glyphs[plot.top : plot.top + plot.height, plot.left - 1] = blank
        for label, row in _select_visible_y_labels(layout):
            start = plot.left - 2 - len(label)
            cells.glyphs[top + row, start : start + len(label)] = blank
    if layout.x_line:
        cells.glyphs[plot.top + plot.height, plot.left - 1 : plot.left + plot.width] = blank
        for tick, _, start in layout.x_labels:
            cells.glyphs[top + _find_x_label_row(layout), left + start : left + start + len(tick.label)] = blank


def draw_axes(layout: Layout, colours: InkTheme, origin: ChartOrigin) -> Iterator[Shape]:
    """Yield both axes with ticks at the exact positions of their values, and the labels."""
    plot, colour = layout.plot, colours.of(Ink.FAINT).colour
    left, top, right, bottom = origin.ends(plot)
    x, y = left - CELL_WIDTH + MIDDLE_X, bottom + MIDDLE_Y
    lines: list[tuple[float, float]] = []
    gap = (float("nan"), float("nan"))
    if plot.left:
        lines += [(x, top), (x, y if layout.x_line else bottom), gap]
        for tick, _ in layout.y_labels:
            height = float(origin.y(plot, np.array([tick.value]))[0])
            lines += [(x - TICK_LENGTH, height), (x, height), gap]
        heights = iter(_label_heights(layout, origin))
        for label, _ in _select_visible_y_labels(layout):
            label_left = left - (2 + len(label)) * CELL_WIDTH
            yield TextLine(label_left, next(heights), len(label), label, colours.of(Ink.DIM).colour)
    if layout.x_line:
        lines += [(x, y), (right, y), gap]
        for tick, _, _ in layout.x_labels:
            column = float(origin.x(plot, np.array([tick.value]))[0])
            lines += [(column, y), (column, y + TICK_LENGTH), gap]
            if tick.label:
                half = len(tick.label) * CELL_WIDTH / 2
                label_left = max(min(column - half, right - 2 * half), origin.left)
                label_top = origin.top + _find_x_label_row(layout) * CELL_HEIGHT
                yield TextLine(label_left, label_top, len(tick.label), tick.label, colours.of(Ink.DIM).colour)
    if lines:
        yield Stroke(np.array(lines[:-1]), colour, THIN_WIDTH)


def _select_visible_y_labels(layout: Layout) -> list[tuple[str, int]]:
    """Return the labels of the vertical axis and their rows in cells."""
    return [(tick.label, row) for tick, row in layout.y_labels if tick.label]


def _label_heights(layout: Layout, origin: ChartOrigin) -> list[float]:
    """Return the tops of the labels: centred on their ticks, or in their cells if the ticks are too close."""
    visible_ticks = [(tick.value, row) for tick, row in layout.y_labels if tick.label]
    exact = origin.y(layout.plot, np.array([value for value, _ in visible_ticks])) - CELL_HEIGHT / 2
    rows = np.array([origin.top + row * CELL_HEIGHT for _, row in visible_ticks])
    is_close = len(exact) > 1 and float(np.abs(np.diff(exact)).min()) < CELL_HEIGHT * 0.8
    heights: list[float] = np.maximum(rows if is_close else exact, origin.top - MAX_LABEL_RISE).tolist()
    return heights


def _find_x_label_row(layout: Layout) -> int:
    """Return the row of the labels of the horizontal axis: the last one if the axis has a line."""
    return layout.plot.top + layout.plot.height + 1


def clip_lines(points: Floats, left: float, top: float, right: float, bottom: float) -> Floats:
    """Return the parts of lines within a rectangle; lines end at its edge.

    Args:
        points: float64[n, 2], finite; one or more rows with NaN separate two lines.
        left: Left side of the rectangle.
        top: Its upper side.
        right: Its right side.
        bottom: Its lower side.

    Returns:
        float64[k, 2] in the same form, without gaps at the ends. An unconnected point is a line of one point.
    """
    if not len(points):
        return points
    is_finite = ~(np.isnan(points[:, 0]) | np.isnan(points[:, 1]))
    is_joined = is_finite[:-1] & is_finite[1:]
    is_lone = is_finite & ~np.concatenate(([False], is_joined)) & ~np.concatenate((is_joined, [False]))
    is_lone &= ((points >= (left, top)) & (points <= (right, bottom))).all(axis=1)
    # A line of one point is treated as a line to itself.
    starts, ends = points[:-1][is_joined], points[1:][is_joined]
    first, last = _find_inside_ranges(starts, ends - starts, (left, top, right, bottom))
    is_visible = first <= last
    indices = np.flatnonzero(is_joined)[is_visible]
    starts, ends, first, last = starts[is_visible], ends[is_visible], first[is_visible, None], last[is_visible, None]
    clipped_starts, clipped_ends = (
        starts + first * (ends - starts),
        np.where(last == 1, ends, starts + last * (ends - starts)),
    )
    is_continued = np.zeros(len(indices), np.bool_)
    is_continued[1:] = (np.diff(indices) == 1) & (first[1:, 0] == 0) & (last[:-1, 0] == 1)
    rows = np.stack((np.full_like(clipped_starts, np.nan), clipped_starts, clipped_ends), axis=1)
    is_used = np.stack((~is_continued, ~is_continued, np.ones_like(is_continued)), axis=1)
    lines, order = rows[is_used], np.repeat(indices, is_used.sum(axis=1))
    if bool(is_lone.any()):
        dots = np.full((int(is_lone.sum()), 2, 2), np.nan)
        dots[:, 1] = points[is_lone]
        lines = np.concatenate((lines, dots.reshape(-1, 2)))
        lines = lines[np.argsort(np.concatenate((order, np.repeat(np.flatnonzero(is_lone), 2))), kind="stable")]
    return np.asarray(lines[1:], np.float64)


def _find_inside_ranges(
    starts: Floats, vectors: Floats, rectangle: tuple[float, float, float, float]
) -> tuple[Floats, Floats]:
    """Return the start and the end of the part inside, from 0 to 1 along each line (Liang and Barsky, 1984)."""
    left, top, right, bottom = rectangle
    first: Floats = np.zeros(len(starts))
    last: Floats = np.ones(len(starts))
    for axis, low, high in ((0, left, right), (1, top, bottom)):
        start, length = starts[:, axis], vectors[:, axis]
        with np.errstate(divide="ignore", invalid="ignore"):
            to_low, to_high = (low - start) / length, (high - start) / length
        is_parallel = length == 0
        is_outside = is_parallel & ((start < low) | (start > high))
        first = np.where(is_parallel, first, np.maximum(first, np.minimum(to_low, to_high)))
        last = np.where(is_parallel, last, np.minimum(last, np.maximum(to_low, to_high)))
        last[is_outside] = -1.0
    return first, last


def split_into_dashes(points: Floats, dashes: tuple[float, ...]) -> Floats:
    """Return the drawn parts of dashed lines.

    Args:
        points: float64[n, 2] with gaps of NaN, from `clip_lines`.
        dashes: Lengths of a dash and of the pause after it, both above 0.
    """
    dash, pause = dashes
    lines = [
        points_of_line
        for points_of_line in np.split(points, np.flatnonzero(np.isnan(points[:, 0])))
        if len(points_of_line)
    ]
    dashed = []
    for points_of_line in lines:
        line = points_of_line[~np.isnan(points_of_line[:, 0])]
        lengths = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))))
        dash_starts = np.arange(0, lengths[-1], dash + pause) if lengths[-1] else np.zeros(1)
        dash_ends = np.minimum(dash_starts + dash, lengths[-1])
        distances = np.concatenate((dash_starts, dash_ends, lengths))
        owners = np.searchsorted(dash_starts, distances, "right") - 1
        is_in_dash = distances <= dash_ends[owners]
        order = np.lexsort((distances[is_in_dash], owners[is_in_dash]))
        distances, owners = distances[is_in_dash][order], owners[is_in_dash][order]
        is_repeated = (np.diff(distances, prepend=-1) == 0) & (np.diff(owners, prepend=-1) == 0)
        distances, owners = distances[~is_repeated], owners[~is_repeated]
        dash_points = np.stack([np.interp(distances, lengths, line[:, axis]) for axis in (0, 1)], axis=1)
        dash_points = np.insert(dash_points, np.flatnonzero(np.diff(owners)) + 1, np.nan, axis=0)
        dashed += [dash_points, np.full((1, 2), np.nan)]
    return np.concatenate(dashed[:-1]) if dashed else points


COLUMNS_PER_CELL = 4
"""Columns of a cell in which a line of many points keeps its first, smallest, largest and last point."""

LINE_WIDTH, CROWDED_LINE_WIDTH, FAINT_LINE_WIDTH = 1.6, 1.2, 1.0
"""Widths of lines: in charts with few lines, in charts with many, and of faint lines behind others."""

MIN_CROWD = 12
"""Minimum number of lines that are drawn thin."""

POINT_WIDTH = 5.0
"""Width of the dot of an unconnected point."""

DASHES: tuple[tuple[float, ...], ...] = ((), (12.0, 5.0), (0.1, 4.0), (5.0, 4.0))
"""Lengths of dashes and gaps for each of `canvas.DASH_PATTERNS`: solid, long dashes, dots, short dashes."""

SIGN_SIZE = 1.35
"""Scale of signs relative to cells, because lines are finer than in cells."""

BAND_OPACITY = 0.22
"""Opacity of a band."""


def clear_lines(cells: Cells, picture: LinePicture | FanPicture, top: int, left: int) -> Cells:
    """Return cells without the parts that `draw_lines` draws: lines, bands, reference lines, signs and axes.

    Args:
        cells: Cells that contain the picture; not changed.
        picture: The drawn chart.
        top: Row of its first cell.
        left: Column of its first cell.
    """
    cells, layout = cells.copy(), picture.layout
    plot = layout.plot.translate(top, left)
    area = cells.crop(*plot.area)
    is_drawn = (area.glyphs >= BRAILLE) & (area.glyphs < BRAILLE + 256)
    if isinstance(picture, FanPicture):
        is_drawn |= (area.glyphs >= 0x2580) & (area.glyphs < 0x25A0)
        is_blank = is_drawn | (area.glyphs == ord(" "))
        area.inks[is_blank] = Ink.NONE
    area.glyphs[is_drawn] = ord(" ")
    for chart_sign, row, column in _locate_signs(picture.signs, plot):
        if cells.glyphs[row, column] == ord(chart_sign.glyph):
            cells.glyphs[row, column], cells.inks[row, column] = ord(" "), Ink.NONE
    clear_axes(cells, layout, top, left)
    return cells


def draw_lines(picture: LinePicture | FanPicture, colours: InkTheme, left: float, top: float) -> list[Shape]:
    """Return the shapes that replace what `clear_lines` removes from the cells, in drawing order.

    Args:
        picture: The drawn chart.
        colours: Colours of the inks.
        left: Left edge of its first cell, in units of the drawing.
        top: Top edge of its first cell, in the same units.
    """
    origin, plot = ChartOrigin(left, top), picture.layout.plot
    if isinstance(picture, FanPicture):
        areas: list[Shape] = list(_draw_fan(picture, colours, origin))
        traces, levels = picture.chart.lines, picture.chart.levels
    else:
        areas = [shape for band in picture.chart.bands for shape in _draw_band(band, plot, colours, origin)]
        areas += _draw_bundle(picture.chart.bundle, plot, origin, colours)
        traces, levels = picture.chart.traces, picture.chart.levels
    ordered = sorted((trace for trace in traces if len(trace.x)), key=lambda trace: not trace.is_faint)
    dashes = dash_patterns(trace.ink for trace in traces)
    line_width = LINE_WIDTH if len(ordered) < MIN_CROWD else CROWDED_LINE_WIDTH
    strokes: list[Shape] = []
    for trace in ordered:
        pattern = DASHES[(dashes[trace.ink] if trace.pattern is None else trace.pattern) % len(DASHES)]
        width = FAINT_LINE_WIDTH if trace.is_faint else line_width
        strokes += _draw_trace(trace, plot, origin, colours, width, pattern)
    median = list(_draw_median(picture, colours, origin)) if isinstance(picture, FanPicture) else []
    return [
        *draw_axes(picture.layout, colours, origin),
        *areas,
        *strokes,
        *median,
        *_draw_reference_lines([level.y for level in levels], plot, colours, origin),
        *_draw_signs(picture.signs, plot, colours, origin),
    ]


def _draw_bundle(bundle: Sequence[Trace], plot: PlotArea, origin: ChartOrigin, colours: InkTheme) -> Iterator[Stroke]:
    for trace in bundle:
        yield from _draw_trace(trace, plot, origin, colours, FAINT_LINE_WIDTH, ())


def _find_line_points(
    x: DrawnFloats, y: DrawnFloats, plot: PlotArea, origin: ChartOrigin, *, ascending: bool | None = None
) -> DrawnFloats:
    """Return a line within the plot, float64[n, 2] as in `Stroke`."""
    edges = from_dot_columns(
        plot.x_axis, np.arange(COLUMNS_PER_CELL * plot.width + 1) * (DOTS_ACROSS / COLUMNS_PER_CELL) - 0.5, plot.width
    )
    x, y = decimate(x, y, edges, log=plot.y_axis.scale == "log", ascending=ascending)
    return clip_lines(np.stack((origin.x(plot, x), origin.y(plot, y)), axis=1), *origin.ends(plot))


def _draw_trace(
    trace: Trace, plot: PlotArea, origin: ChartOrigin, colours: InkTheme, width: float, dashes: tuple[float, ...]
) -> Iterator[Stroke]:
    points = _find_line_points(trace.x, trace.y, plot, origin, ascending=trace.ascending)
    if not len(points):
        return
    colour = colours.of(to_faint_ink(trace.ink) if trace.is_faint else trace.ink).colour
    gaps = np.isnan(points[:, 0])
    # A point between two gaps is a dot of visible size.
    padded = np.concatenate(([True], gaps, [True]))
    is_lone = ~gaps & padded[:-2] & padded[2:]
    lines = points[~is_lone]
    if bool((~np.isnan(lines[:, 0])).any()):
        yield Stroke(_trim_gaps(lines), colour, width, dashes)
    if bool(is_lone.any()):
        dots = np.full((2 * int(is_lone.sum()), 2), np.nan)
        dots[::2] = points[is_lone]
        yield Stroke(dots[:-1], colour, max(POINT_WIDTH * (width / LINE_WIDTH), POINT_WIDTH / 2))


def _trim_gaps(points: DrawnFloats) -> DrawnFloats:
    """Return points without gaps at both ends, and with single gaps between them."""
    gaps = np.isnan(points[:, 0])
    is_used = ~gaps | np.concatenate(([False], ~gaps[:-1]))
    points = points[is_used]
    return points[:-1] if len(points) and np.isnan(points[-1, 0]) else points


def _draw_band(band: Band, plot: PlotArea, colours: InkTheme, origin: ChartOrigin) -> Iterator[Fill]:
    """Yield the area between two curves, one for each part without a gap."""
    colour = colours.of(band.ink).colour
    gaps = np.isnan(band.low) | np.isnan(band.high) | np.isnan(band.x)
    edges = np.flatnonzero(np.diff(np.concatenate(([True], gaps, [True])).astype(np.int8)))
    left, top, right, bottom = origin.ends(plot)
    polygons = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        sides = []
        for values in (band.high, band.low):
            x, y = band.x[start:end], values[start:end]
            if plot.y_axis.scale == "log":
                y = np.where(y > 0, y, plot.y_axis.low)
            edge = from_dot_columns(plot.x_axis, np.arange(DOTS_ACROSS * plot.width + 1) - 0.5, plot.width)
            x, y = decimate(x, np.clip(y, -1e300, 1e300), edge)
            is_finite = np.isfinite(x) & np.isfinite(y)
            points = np.stack((origin.x(plot, x[is_finite]), origin.y(plot, y[is_finite])), axis=1)
            sides.append(np.clip(points, (left, top), (right, bottom)))
        polygons += [sides[0], sides[1][::-1], np.full((1, 2), np.nan)]
    if polygons:
        yield Fill(np.concatenate(polygons[:-1]), colour, BAND_OPACITY)


def _draw_fan(picture: FanPicture, colours: InkTheme, origin: ChartOrigin) -> Iterator[Fill]:
    """Yield the bands around the median, the widest first."""
    chart, plot = picture.chart, picture.layout.plot
    is_finite = np.isfinite(chart.x) & np.isfinite(chart.curves).all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], is_finite, [False])).astype(np.int8)))
    left, top, right, bottom = origin.ends(plot)
    half = CELL_WIDTH * 1.5
    for band, depth in enumerate(BAND_SHADES):
        polygons = []
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            x = origin.x(plot, chart.x[start:end])
            high, low = (origin.y(plot, chart.curves[start:end, side]) for side in (-1 - band, band))
            high, low = (np.where(np.isnan(side), bottom, side) for side in (high, low))
            if len(x) == 1:
                x, high, low = np.array([x[0] - half, x[0] + half]), np.repeat(high, 2), np.repeat(low, 2)
            x, high, low = _thin_curves(x, high, low, left, right)
            upper = np.clip(np.stack((x, high), axis=1), (left, top), (right, bottom))
            lower = np.clip(np.stack((x, low), axis=1), (left, top), (right, bottom))
            polygons += [upper, lower[::-1], np.full((1, 2), np.nan)]
        if polygons:
            yield Fill(np.concatenate(polygons[:-1]), colours.of(int(to_shade_inks(chart.ink, depth, 0))).colour)


def _thin_curves(
    x: DrawnFloats, high: DrawnFloats, low: DrawnFloats, left: float, right: float
) -> tuple[DrawnFloats, DrawnFloats, DrawnFloats]:
    """Return curves with at most one point per unit: the highest point of `high` and the lowest of `low`."""
    visible = slice(max(int(np.searchsorted(x, left)) - 1, 0), int(np.searchsorted(x, right, "right")) + 1)
    x, high, low = x[visible], high[visible], low[visible]
    if len(x) <= right - left:
        return x, high, low
    firsts = np.flatnonzero(np.diff(np.floor(x), prepend=-np.inf) > 0)
    return x[firsts], np.minimum.reduceat(high, firsts), np.maximum.reduceat(low, firsts)


def _draw_median(picture: FanPicture, colours: InkTheme, origin: ChartOrigin) -> Iterator[Stroke]:
    chart, plot = picture.chart, picture.layout.plot
    is_finite = np.isfinite(chart.x) & np.isfinite(chart.curves).all(axis=1)
    points = _find_line_points(
        chart.x, np.where(is_finite, chart.curves[:, MEDIAN_CURVE], np.nan), plot, origin, ascending=True
    )
    if len(points) == 1:
        points = points[[0, 0]] + ((-CELL_WIDTH * 1.5, 0), (CELL_WIDTH * 1.5, 0))
    if len(points):
        yield Stroke(points, colours.of(chart.ink).colour, LINE_WIDTH)


def _draw_reference_lines(
    values: list[float], plot: PlotArea, colours: InkTheme, origin: ChartOrigin
) -> Iterator[Stroke]:
    """Yield reference lines; their names are in the cells."""
    left, _, right, _ = origin.ends(plot)
    for y in values:
        if plot.row(y) is not None:
            height = float(origin.y(plot, np.array([y]))[0])
            yield Stroke(
                np.array([(left, height), (right, height)]), colours.of(Ink.DIM).colour, THIN_WIDTH, (6.0, 4.0)
            )


def _locate_signs(signs: tuple[Sign, ...], plot: PlotArea) -> Iterator[tuple[Sign, int, int]]:
    """Yield the signs with a shape, and the row and column of their cell in the chart."""
    drawable = [chart_sign for chart_sign in signs if chart_sign.glyph in SIGNS]
    columns = to_columns(plot.x_axis, [chart_sign.x for chart_sign in drawable], plot.width)
    rows = plot.clamp_rows([chart_sign.y for chart_sign in drawable])
    for chart_sign, row, column in zip(drawable, rows, columns.tolist(), strict=True):
        if column >= 0:
            yield chart_sign, row, plot.left + column


def _draw_signs(signs: tuple[Sign, ...], plot: PlotArea, colours: InkTheme, origin: ChartOrigin) -> Iterator[Shape]:
    """Yield signs at their values; signs of values outside the plot are at its edge."""
    _, top, _, bottom = origin.ends(plot)
    for chart_sign, row, _ in _locate_signs(signs, plot):
        x = float(origin.x(plot, np.array([chart_sign.x]))[0])
        y = float("nan") if chart_sign.y is None else float(origin.y(plot, np.array([chart_sign.y]))[0])
        if not top <= y <= bottom:
            y = origin.top + row * CELL_HEIGHT + CELL_HEIGHT / 2
        yield draw_sign(
            chart_sign.glyph, x - CELL_WIDTH / 2, y - CELL_HEIGHT / 2, colours.of(chart_sign.ink).colour, SIGN_SIZE
        )
