"""Annotations of a chart: bands between two curves, reference lines, the cursor and a message in an empty plot."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, column_edges, round_to_dots, to_dot_columns, to_dot_rows
from tbtui.charts.canvas import BRAILLE, pack_braille
from tbtui.charts.cells import Ink, to_faint_ink
from tbtui.charts.chart_layout import label_start
from tbtui.charts.raster import MAX_DOTS, rasterize_lines
from tbtui.charts.text import cell_width, fit, safe, write
from tbtui.charts.ticks import format_axis_value
from tbtui.frozen import frozen
from tbtui.maths.decimate import MIN_POINTS_PER_COLUMN, concatenate, decimate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.maths.decimate import Points


SQUARE_COLUMNS = 2
"""Columns of a square: a row is about as high as two columns are wide."""


@frozen(eq=False)
class Band:
    """The area between two curves, drawn below all lines in the faint twin of its ink."""

    x: npt.NDArray[np.float64]
    """float64[n] on the chart's x axis."""

    low: npt.NDArray[np.float64]
    """float64[n]; NaN is a gap. Values outside the y axis, or below zero on a log axis, are at the edge of the plot."""

    high: npt.NDArray[np.float64]
    """float64[n], with the same rules as `low`."""

    ink: int
    """A series ink."""


def draw_bands(cells: Cells, bands: Sequence[Band], plot: PlotArea) -> None:
    """Fill bands into the plot of fresh cells; where bands overlap, squares in their inks alternate."""
    if not bands:
        return
    bits = _rasterize_bands(bands, plot)
    ranks = np.cumsum(bits != 0, axis=0)
    row, column = np.indices(ranks.shape[1:])
    rank_at_cell = (row + column // SQUARE_COLUMNS) % np.maximum(ranks[-1], 1) + 1
    band_indices = np.argmax(ranks == rank_at_cell, axis=0)
    is_filled = ranks[-1] > 0
    cells.glyphs[plot.area][is_filled] = BRAILLE + np.bitwise_or.reduce(bits)[is_filled].astype(np.uint32)
    cells.inks[plot.area][is_filled] = np.array([to_faint_ink(band.ink) for band in bands], np.int16)[band_indices][
        is_filled
    ]


def _rasterize_bands(bands: Sequence[Band], plot: PlotArea) -> npt.NDArray[np.uint8]:
    """Return the braille patterns of bands, uint8[bands, height, width].

    A column is filled from the highest dot of the upper curve to the lowest of the lower one. All curves are one pass.
    """
    width, height = DOTS_ACROSS * plot.width, DOTS_DOWN * plot.height
    curves = [_decimate_curve(band.x, values, plot) for band in bands for values in (band.high, band.low)]
    starts = np.cumsum([0, *(len(x) for x, _ in curves[:-1])])
    x, rows = map(concatenate, zip(*curves, strict=True))
    spans = rasterize_lines(to_dot_columns(plot.x_axis, x, plot.width), rows, width, starts)
    lower = spans.lines % 2 == 1
    tops, bottoms = np.full(len(bands) * width, height), np.full(len(bands) * width, -1)
    flat_columns = spans.lines // 2 * width + spans.columns
    np.minimum.at(tops, flat_columns[~lower], spans.tops[~lower])
    np.maximum.at(bottoms, flat_columns[lower], spans.bottoms[lower])
    row = np.arange(height)[:, None]
    dots = (row >= tops.reshape(-1, 1, width)) & (row <= bottoms.reshape(-1, 1, width))
    return pack_braille(dots.reshape(-1, width)).reshape(len(bands), plot.height, plot.width)


def _decimate_curve(x: npt.NDArray[np.float64], values: npt.NDArray[np.float64], plot: PlotArea) -> Points:
    """Return a curve as x values and dot rows; values below a log axis are far below the plot, NaN is a gap."""
    rows = to_dot_rows(plot.y_axis, values, plot.height)
    if plot.y_axis.scale == "log":
        rows[values <= 0] = MAX_DOTS
    np.clip(rows, -MAX_DOTS, MAX_DOTS, out=rows)
    if len(x) <= MIN_POINTS_PER_COLUMN * DOTS_ACROSS * plot.width:
        return x, rows
    return decimate(x, rows, column_edges(plot.x_axis, plot.width))


DASHES_BY_HEIGHT = "⠉⠒⠤⣀"
"""Dash at each height within a cell, from the top."""

CURSOR_SIGN, CROSSING_SIGN, RANGE_SIGN = "╎", "┼", "━"


@frozen
class ReferenceLine:
    """A horizontal reference line; it is not drawn outside the axis."""

    y: float
    name: str = ""
    """Any text; written at the right end of the line, or where it hides the fewest dots."""


def draw_reference_lines(
    cells: Cells, levels: Sequence[ReferenceLine], plot: PlotArea, lit: npt.NDArray[np.bool_]
) -> None:
    """Draw dashes in every other cell of a row, and the name of each line, without hiding data if possible.

    Args:
        cells: Cells of the chart, changed in place.
        levels: Reference lines.
        plot: Area of the plot.
        lit: Cells of the plot with dots of lines, which stay unchanged; the cells of names are added.
    """
    visible = [(level, row - plot.top) for level in levels if (row := plot.row(level.y)) is not None]
    for level, row in visible:
        dash = DASHES_BY_HEIGHT[int(round_to_dots(to_dot_rows(plot.y_axis, level.y, plot.height))) % DOTS_DOWN]
        columns = plot.left + np.flatnonzero(~lit[row] & (np.arange(plot.width) % 2 == 0))
        cells.glyphs[plot.top + row, columns], cells.inks[plot.top + row, columns] = ord(dash), Ink.DIM
    has_name = np.zeros_like(lit)
    for level, row in visible:
        name = fit(" " + level.name, plot.width // 2).rstrip()
        if not name:
            continue
        name_row, start = _name_position(lit | has_name, has_name, row, cell_width(name))
        end = write(cells, plot.top + name_row, plot.left + start, name, Ink.DIM) - plot.left
        has_name[name_row, start:end] = True
        if end < plot.width and not (lit | has_name)[name_row, end]:
            write(cells, plot.top + name_row, plot.left + end, " ", Ink.NONE)
    lit |= has_name


def _name_position(
    lit: npt.NDArray[np.bool_], has_name: npt.NDArray[np.bool_], row: int, width: int
) -> tuple[int, int]:
    """Return the row and the first column of a name.

    In order of preference: the right end of the row, its left end, any free columns of the row, the row above or below,
    and finally over lines, as far right as possible without covering another name. A hidden name is worse than a few
    covered dots.

    Args:
        lit: Cells with dots or names.
        has_name: Cells with names, which are covered only if there is no other position.
        row: Row of the reference line.
        width: Columns of the name, at most half of the plot.
    """
    right = lit.shape[1] - width
    near_rows = [near_row for near_row in (row, row - 1, row + 1) if 0 <= near_row < len(lit)]
    for near_row in near_rows:
        starts = _find_free_starts(lit[near_row], width)
        if len(starts):
            return near_row, 0 if starts[0] == 0 and starts[-1] < right else int(starts[-1])
    for near_row in near_rows:
        starts = _find_free_starts(has_name[near_row], width)
        if len(starts):
            return near_row, int(starts[-1])
    return row, right


def _find_free_starts(is_occupied: npt.NDArray[np.bool_], width: int) -> npt.NDArray[np.intp]:
    """Return the first columns of `width` free columns that are followed by a free one."""
    occupied_before = np.cumsum(np.concatenate(([False], is_occupied, [False])))
    return np.flatnonzero(occupied_before[width + 1 :] == occupied_before[: len(occupied_before) - width - 1])


def draw_cursor(
    cells: Cells,
    layout: Layout,
    ends: tuple[float | None, float | None],
    lit: npt.NDArray[np.bool_],
    zone: tzinfo | None = None,
) -> None:
    """Draw the cursor and the mark: a line in cells without data, a sign on the axis line, and the value below it.

    Args:
        cells: Cells of the chart with everything except signs; changed in place.
        layout: Layout of the chart.
        ends: x of the cursor and of the mark at the other end of a range. None or a value outside the axis is not
            drawn.
        lit: Cells of the plot with dots of lines or names, which stay unchanged.
        zone: Time zone of wall times; None: the zone of the machine.
    """
    plot = layout.plot
    columns = [(x, column) for x in ends[::-1] if x is not None and (column := plot.column(x)) is not None]
    for _, column in columns:
        rows = plot.top + np.flatnonzero(~lit[:, column - plot.left])
        cells.glyphs[rows, column], cells.inks[rows, column] = ord(CURSOR_SIGN), Ink.ACCENT
    axis_row = plot.top + plot.height
    if layout.x_line:
        _draw_range(cells, plot, axis_row, ends)
        for _, column in columns:
            write(cells, axis_row, column, CROSSING_SIGN, Ink.ACCENT)
    if axis_row < cells.height:
        _draw_values(cells, layout, [(format_axis_value(plot.x_axis, x, zone), column) for x, column in columns])


def _draw_range(cells: Cells, plot: PlotArea, row: int, ends: tuple[float | None, float | None]) -> None:
    """Draw the visible part of the range between two values on the axis line."""
    axis = plot.x_axis
    low, high = sorted(end for end in ends if end is not None) if None not in ends else (axis.high, axis.low)
    first, last = plot.column(max(low, axis.low)), plot.column(min(high, axis.high))
    if first is not None and last is not None:
        write(cells, row, first, RANGE_SIGN * (last - first + 1), Ink.ACCENT)


def _draw_values(cells: Cells, layout: Layout, values: Sequence[tuple[str, int]]) -> None:
    """Write labels centred below their columns into the last row; erase axis labels that they touch."""
    row = cells.height - 1
    occupied = [(label.start, label.start + len(label.tick.label)) for label in layout.x_labels]
    for label, column in values:
        if len(label) > cells.width:
            continue
        start = label_start(label, column, cells.width)
        end = start + len(label)
        for first, last in [span for span in occupied if span[0] <= end and start <= span[1]]:
            write(cells, row, first, " " * (last - first), Ink.NONE)
            occupied.remove((first, last))
        write(cells, row, start, label, Ink.ACCENT)
        occupied.append((start, end))


def draw_empty_message(cells: Cells, reason: str, plot: PlotArea) -> None:
    """Write the reason for an empty plot into its middle, wrapped; the axes stay readable."""
    text_width = max(plot.width - 2, 1)
    lines = textwrap.wrap(safe(reason), text_width)[: plot.height]
    for y, line in enumerate(lines, plot.top + (plot.height - len(lines)) // 2):
        text = fit(line, text_width)
        write(cells, y, plot.left + max((plot.width - cell_width(text)) // 2, 0), text, Ink.WARN)
