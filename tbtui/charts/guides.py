"""What the user draws into a chart to read it by: reference lines, and a cursor with the other end of a stretch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, fit, write
from tbtui.charts.tick_labels import value_label

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import Layout, PlotArea

DASH, CURSOR, CROSSING, STRETCH = "╌", "╎", "┼", "━"
_BLANK = 32


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal reference line; not drawn where it lies outside the axis."""

    y: float
    name: str = ""
    """Any text; shown at the right end."""


def draw_levels(cells: Cells, levels: Sequence[Level], plot: PlotArea) -> None:
    """Dashes in the blank cells of a plot, and names at its right edge where they hide nothing."""
    for level in levels:
        row = plot.row(level.y)
        if row is None:
            continue
        name = fit(level.name, plot.width // 2)
        start = plot.left + plot.width - cell_width(name)
        _fill(cells, row, slice(plot.left, start), DASH, Ink.FAINT)
        if bool((cells.glyphs[row, start : plot.left + plot.width] == _BLANK).all()):
            write(cells, row, start, name, Ink.DIM)
        else:
            _fill(cells, row, slice(start, plot.left + plot.width), DASH, Ink.FAINT)


def _fill(cells: Cells, row: int, columns: slice, glyph: str, ink: int) -> None:
    blank = cells.glyphs[row, columns] == _BLANK
    cells.glyphs[row, columns][blank] = ord(glyph)
    cells.inks[row, columns][blank] = ink


def draw_cursor(
    cells: Cells, layout: Layout, cursor: float | None, mark: float | None, zone: tzinfo | None = None
) -> None:
    """The cursor and the mark: a line where no dot is, a sign on the axis line, the value below it.

    Args:
        cells: The chart, all else drawn; changed in place.
        layout: Of the chart.
        cursor: Its x; None, or one outside the axis: not drawn.
        mark: The other end of a stretch, likewise.
        zone: Time zone of wall times; None is the machine's.
    """
    plot = layout.plot
    lines = [(x, column) for x in (mark, cursor) if x is not None and (column := plot.column(x)) is not None]
    for _, column in lines:
        rows = slice(plot.top, plot.top + plot.height)
        blank = np.isin(cells.glyphs[rows, column], (_BLANK, ord(DASH)))
        cells.glyphs[rows, column][blank] = ord(CURSOR)
        cells.inks[rows, column][blank] = Ink.ACCENT
    below = plot.top + plot.height
    if layout.x_line:
        if cursor is not None and mark is not None:
            _draw_stretch(cells, plot, below, sorted((cursor, mark)))
        for _, column in lines:
            write(cells, below, column, CROSSING, Ink.ACCENT)
    if below < cells.height:
        for x, column in lines:
            _draw_label(cells, value_label(plot.x_axis, x, zone), column)


def _draw_stretch(cells: Cells, plot: PlotArea, row: int, ends: list[float]) -> None:
    """The part of the axis line between two values."""
    low, high = plot.x_axis.low, plot.x_axis.high
    if ends[1] < low or ends[0] > high:
        return
    first, last = (plot.column(min(max(end, low), high)) for end in ends)
    if first is not None and last is not None:
        write(cells, row, first, STRETCH * (last - first + 1), Ink.ACCENT)


def _draw_label(cells: Cells, label: str, column: int) -> None:
    """A label in the last row, centred below a column; labels of ticks that it touches go."""
    row = cells.height - 1
    start = max(min(column - (len(label) - 1) // 2, cells.width - len(label)), 0)
    if len(label) > cells.width:
        return
    first, end = start, start + len(label)
    glyphs = cells.glyphs[row]
    while first > 0 and glyphs[first - 1] != _BLANK:
        first -= 1
    while end < cells.width and glyphs[end] != _BLANK:
        end += 1
    write(cells, row, first, " " * (end - first), Ink.NONE)
    write(cells, row, start, label, Ink.ACCENT)
