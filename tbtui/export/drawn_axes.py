"""Axes as shapes, their ticks and labels where the values are, and not in the nearest cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across, down
from tbtui.charts.cells import Cells, Ink
from tbtui.export.drawn import CELL_HEIGHT, CELL_WIDTH, MIDDLE_X, MIDDLE_Y, Stroke, Words
from tbtui.export.drawn_glyphs import THIN
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.ink_colours import InkColours
    from tbtui.export.drawn import Floats, Shape

TICK = 4.0
"""Length of a tick."""

OVER = 2.0
"""How far a label may stand above the first row: no farther, since the frame of the card is there."""

FAR = 1e9


@frozen
class Place:
    """Where the cells of a chart stand in a drawing."""

    left: float
    top: float

    def x(self, plot: PlotArea, values: Floats) -> Floats:
        """Where x values are, float64[n]; NaN for what has no place."""
        dots = across(plot.x_axis, values, plot.width) + 0.5
        return np.clip(self.left + plot.left * CELL_WIDTH + dots * (CELL_WIDTH / DOTS_ACROSS), -FAR, FAR)

    def y(self, plot: PlotArea, values: Floats) -> Floats:
        """Likewise of y values."""
        dots = down(plot.y_axis, values, plot.height) + 0.5
        return np.clip(self.top + plot.top * CELL_HEIGHT + dots * (CELL_HEIGHT / DOTS_DOWN), -FAR, FAR)

    def ends(self, plot: PlotArea) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the plot."""
        left, top = self.left + plot.left * CELL_WIDTH, self.top + plot.top * CELL_HEIGHT
        return left, top, left + plot.width * CELL_WIDTH, top + plot.height * CELL_HEIGHT


def clear_axes(cells: Cells, layout: Layout, top: int, left: int) -> None:
    """Take out of cells what `axes_shapes` draws; the chart begins in row `top` and column `left`."""
    plot = layout.plot.moved(top, left)
    blank = ord(" ")
    if plot.left > left:
        cells.glyphs[plot.top : plot.top + plot.height, plot.left - 1] = blank
        for label, row in _shifted_y(layout):
            start = plot.left - 2 - len(label)
            cells.glyphs[top + row, start : start + len(label)] = blank
    if layout.x_line:
        cells.glyphs[plot.top + plot.height, plot.left - 1 : plot.left + plot.width] = blank
        for tick, _, start in layout.x_labels:
            cells.glyphs[top + _x_row(layout), left + start : left + start + len(tick.label)] = blank


def axes_shapes(layout: Layout, colours: InkColours, place: Place) -> Iterator[Shape]:
    """Both axes with their ticks where the values are, and the labels of the vertical one beside them."""
    plot, colour = layout.plot, colours.of(Ink.FAINT).colour
    left, top, right, bottom = place.ends(plot)
    x, y = left - CELL_WIDTH + MIDDLE_X, bottom + MIDDLE_Y
    lines: list[tuple[float, float]] = []
    gap = (float("nan"), float("nan"))
    if plot.left:
        lines += [(x, top), (x, y if layout.x_line else bottom), gap]
        for tick, _ in layout.y_labels:
            height = float(place.y(plot, np.array([tick.value]))[0])
            lines += [(x - TICK, height), (x, height), gap]
        heights = iter(_label_heights(layout, place))
        for label, _ in _shifted_y(layout):
            words_left = left - (2 + len(label)) * CELL_WIDTH
            yield Words(words_left, next(heights), len(label), label, colours.of(Ink.DIM).colour)
    if layout.x_line:
        lines += [(x, y), (right, y), gap]
        for tick, _, _ in layout.x_labels:
            column = float(place.x(plot, np.array([tick.value]))[0])
            lines += [(column, y), (column, y + TICK), gap]
            if tick.label:
                half = len(tick.label) * CELL_WIDTH / 2
                words_left = max(min(column - half, right - 2 * half), place.left)
                words_top = place.top + _x_row(layout) * CELL_HEIGHT
                yield Words(words_left, words_top, len(tick.label), tick.label, colours.of(Ink.DIM).colour)
    if lines:
        yield Stroke(np.array(lines[:-1]), colour, THIN)


def _shifted_y(layout: Layout) -> list[tuple[str, int]]:
    """Labels of the vertical axis that stand beside their ticks, and the rows that they have in cells."""
    return [(tick.label, row) for tick, row in layout.y_labels if tick.label]


def _label_heights(layout: Layout, place: Place) -> list[float]:
    """Where the rows of those labels begin: at their ticks, or in their cells where that is too close."""
    shown = [(tick.value, row) for tick, row in layout.y_labels if tick.label]
    exact = place.y(layout.plot, np.array([value for value, _ in shown])) - CELL_HEIGHT / 2
    rows = np.array([place.top + row * CELL_HEIGHT for _, row in shown])
    close = len(exact) > 1 and float(np.abs(np.diff(exact)).min()) < CELL_HEIGHT * 0.8
    heights: list[float] = np.maximum(rows if close else exact, place.top - OVER).tolist()
    return heights


def _x_row(layout: Layout) -> int:
    """The row of the labels of the horizontal axis, which is the last one where the axis has a line."""
    return layout.plot.top + layout.plot.height + 1
