"""The two axes of a chart: their lines, ticks and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.text import write

if TYPE_CHECKING:
    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import Layout


def draw_axes(cells: Cells, layout: Layout) -> None:
    """Draw what a layout has room for around its plot into cells of its chart's size."""
    _draw_y_axis(cells, layout)
    _draw_x_axis(cells, layout)


def _draw_y_axis(cells: Cells, layout: Layout) -> None:
    plot = layout.plot
    if not plot.left:
        return
    cells.glyphs[plot.top : plot.top + plot.height, plot.left - 1] = ord("│")
    cells.inks[plot.top : plot.top + plot.height, plot.left - 1] = Ink.FAINT
    for tick, row in layout.y_labels:
        write(cells, row, plot.left - 1, "┤", Ink.FAINT)
        write(cells, row, plot.left - 2 - len(tick.label), tick.label, Ink.DIM)


def _draw_x_axis(cells: Cells, layout: Layout) -> None:
    plot = layout.plot
    below = plot.top + plot.height
    if layout.x_line:
        write(cells, below, plot.left - 1, "└" + "─" * plot.width, Ink.FAINT)
    for tick, column, start in layout.x_labels:
        if layout.x_line:
            write(cells, below, column, "┬", Ink.FAINT)
        write(cells, cells.height - 1, start, tick.label, Ink.DIM)
