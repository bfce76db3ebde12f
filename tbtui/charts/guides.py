"""What the user draws into a chart to read it by: reference lines, and a cursor with the other end of a stretch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_DOWN, down, nearest_dot
from tbtui.charts.cells import Ink
from tbtui.charts.chart_layout import label_start
from tbtui.charts.text import cell_width, fit, write
from tbtui.charts.tick_labels import value_label
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import Layout, PlotArea

DASHES = "⠉⠒⠤⣀"
"""A dash at each height within a cell."""

CURSOR, CROSSING, STRETCH = "╎", "┼", "━"


@frozen
class Level:
    """A horizontal reference line; not drawn where it lies outside the axis."""

    y: float
    name: str = ""
    """Any text; shown at the right end, or where else it hides least."""


def draw_levels(cells: Cells, levels: Sequence[Level], plot: PlotArea, lit: npt.NDArray[np.bool_]) -> None:
    """Dashes in every other cell of a plot, and a name for each that has one, where it hides no line if there is room.

    Args:
        cells: The chart, changed in place.
        levels: What to draw.
        plot: Where.
        lit: Cells of the plot that lines have dots in, which are left as they are; those of names are added.
    """
    shown = [(level, row - plot.top) for level in levels if (row := plot.row(level.y)) is not None]
    for level, row in shown:
        dash = DASHES[int(nearest_dot(down(plot.y_axis, level.y, plot.height))) % DOTS_DOWN]
        columns = plot.left + np.flatnonzero(~lit[row] & (np.arange(plot.width) % 2 == 0))
        cells.glyphs[plot.top + row, columns], cells.inks[plot.top + row, columns] = ord(dash), Ink.DIM
    named = np.zeros_like(lit)
    for level, row in shown:
        name = fit(" " + level.name, plot.width // 2).rstrip()
        if not name:
            continue
        at, start = _place(lit | named, named, row, cell_width(name))
        end = write(cells, plot.top + at, plot.left + start, name, Ink.DIM) - plot.left
        named[at, start:end] = True
        if end < plot.width and not (lit | named)[at, end]:
            write(cells, plot.top + at, plot.left + end, " ", Ink.NONE)
    lit |= named


def _place(lit: npt.NDArray[np.bool_], named: npt.NDArray[np.bool_], row: int, width: int) -> tuple[int, int]:
    """Row and first column of a name.

    At the right end of its row, else at the left, else in any free stretch of it, else in the row above or below, else
    over lines as far right as no other name is: a name unseen is worse than a few dots covered.

    Args:
        lit: Cells with dots or names.
        named: Those with names, which none covers while there is room elsewhere.
        row: Of the level.
        width: Columns of the name, not above half the plot's.
    """
    right = lit.shape[1] - width
    near = [at for at in (row, row - 1, row + 1) if 0 <= at < len(lit)]
    for at in near:
        free = _rooms(lit[at], width)
        if len(free):
            return at, 0 if free[0] == 0 and free[-1] < right else int(free[-1])
    for at in near:
        free = _rooms(named[at], width)
        if len(free):
            return at, int(free[-1])
    return row, right


def _rooms(taken: npt.NDArray[np.bool_], width: int) -> npt.NDArray[np.intp]:
    """First columns of `width` columns none of which is taken, nor the one after them."""
    before = np.cumsum(np.concatenate(([False], taken, [False])))
    return np.flatnonzero(before[width + 1 :] == before[: len(before) - width - 1])


def draw_cursor(
    cells: Cells,
    layout: Layout,
    ends: tuple[float | None, float | None],
    lit: npt.NDArray[np.bool_],
    zone: tzinfo | None = None,
) -> None:
    """The cursor and the mark: a line where no data is, a sign on the axis line, the value below it.

    Args:
        cells: The chart, all but signs drawn; changed in place.
        layout: Of the chart.
        ends: x of the cursor and of the mark, the other end of a stretch; None, or outside the axis: not drawn.
        lit: Cells of the plot with dots of lines or names; those are left as they are.
        zone: Time zone of wall times; None is the machine's.
    """
    plot = layout.plot
    columns = [(x, column) for x in ends[::-1] if x is not None and (column := plot.column(x)) is not None]
    for _, column in columns:
        rows = plot.top + np.flatnonzero(~lit[:, column - plot.left])
        cells.glyphs[rows, column], cells.inks[rows, column] = ord(CURSOR), Ink.ACCENT
    below = plot.top + plot.height
    if layout.x_line:
        _draw_stretch(cells, plot, below, ends)
        for _, column in columns:
            write(cells, below, column, CROSSING, Ink.ACCENT)
    if below < cells.height:
        _draw_values(cells, layout, [(value_label(plot.x_axis, x, zone), column) for x, column in columns])


def _draw_stretch(cells: Cells, plot: PlotArea, row: int, ends: tuple[float | None, float | None]) -> None:
    """The part of the axis line between two values, as far as it is in sight."""
    axis = plot.x_axis
    low, high = sorted(end for end in ends if end is not None) if None not in ends else (axis.high, axis.low)
    first, last = plot.column(max(low, axis.low)), plot.column(min(high, axis.high))
    if first is not None and last is not None:
        write(cells, row, first, STRETCH * (last - first + 1), Ink.ACCENT)


def _draw_values(cells: Cells, layout: Layout, values: Sequence[tuple[str, int]]) -> None:
    """Labels in the last row, centred below their columns; those before them, and of ticks, that they touch go."""
    row, shown = cells.height - 1, [(start, start + len(tick.label)) for tick, _, start in layout.x_labels]
    for label, column in values:
        if len(label) > cells.width:
            continue
        start = label_start(label, column, cells.width)
        end = start + len(label)
        for first, last in [place for place in shown if place[0] <= end and start <= place[1]]:
            write(cells, row, first, " " * (last - first), Ink.NONE)
            shown.remove((first, last))
        write(cells, row, start, label, Ink.ACCENT)
        shown.append((start, end))
