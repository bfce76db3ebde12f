"""Layout of a chart: the areas of plot, axis labels and end labels, and the drawing of the axes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.axis import get_column_value, get_row_value, to_columns, to_rows
from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, safe, write
from tbtui.charts.ticks import Tick, choose_ticks, iter_tick_sets
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.cells import Cells


def draw_axes(cells: Cells, layout: Layout) -> None:
    """Draw the axes around a plot into cells of the size of the chart, as far as the layout contains them."""
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


MIN_PLOT_WIDTH = 10
"""Minimum columns of the plot; labels of the y axis that would leave fewer are dropped."""

MIN_LABELS_WIDTH = 60
"""Minimum columns of a chart with labels at line ends."""

MIN_X_LABELS_HEIGHT = 4
MIN_X_LINE_HEIGHT = 14

MIN_X_LABEL_GAP = 3
"""Minimum of blank columns between labels of the x axis."""


@frozen
class PlotArea:
    """The part of the cells of a chart that shows data, and the axes of its cells."""

    top: int
    left: int
    width: int
    height: int
    x_axis: Axis
    y_axis: Axis
    turned: bool = False
    """True if the value axis is horizontal. The vertical axis then has steps (downwards) or counts (upwards)."""

    head: int = 0
    """Rows above the first step if steps run down, for the first ridge."""

    zoom_centre: tuple[float, float] | None = None
    """Fixed point (x, y) of zoom keys if both axes have values, as for a PR curve; NaN: the middle. None: one axis has
    steps, times or counts."""

    @property
    def area(self) -> tuple[slice, slice]:
        """Return its rows and columns in the arrays of the cells of the chart."""
        return slice(self.top, self.top + self.height), slice(self.left, self.left + self.width)

    @property
    def along(self) -> Axis | None:
        """Return the axis of steps or times; None if the picture has none."""
        if self.zoom_centre is not None:
            return None
        if not self.turned:
            return self.x_axis
        return None if self.y_axis.kind == "number" else self.y_axis

    @property
    def is_inverted(self) -> bool:
        """Return True if the low end of the vertical axis is at the top."""
        return self.turned and self.along is not None

    @property
    def values(self) -> Axis:
        """Return the axis of values."""
        return self.x_axis if self.turned else self.y_axis

    def translate(self, rows: int, columns: int) -> PlotArea:
        """Return the same plot in a larger picture, moved by rows and columns from its top left."""
        return replace(self, top=self.top + rows, left=self.left + columns)

    def column(self, x: float) -> int | None:
        """Return the column (of the whole chart) of an x value; None outside the axis."""
        column = int(to_columns(self.x_axis, x, self.width))
        return None if column < 0 else self.left + column

    def row(self, y: float) -> int | None:
        """Return the row (of the whole chart) of a y value; None outside the axis."""
        row = int(self.rows([y])[0])
        return None if row < 0 else row

    def rows(self, values: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the rows (of the whole chart) of y values; -1 outside the axis."""
        rows = to_rows(self.y_axis, values, self.height - self.head)
        return np.where(rows < 0, -1, self.top + (self.height - 1 - rows if self.is_inverted else rows))

    def clamp_row(self, y: float | None) -> int:
        """Return the row of a y value, or the nearest; the bottom row for None and for invalid values."""
        return self.clamp_rows((y,))[0]

    def clamp_rows(self, values: Sequence[float | None]) -> list[int]:
        """Return the rows of many values, as `clamp_row` does of one."""
        heights = np.array([np.nan if y is None else y for y in values], np.float64)
        rows = to_rows(self.y_axis, heights, self.height)
        rows[rows < 0] = self.height - 1
        rows[heights > self.y_axis.high] = 0
        listed: list[int] = (self.top + rows).tolist()
        return listed

    def get_x(self, column: int) -> float:
        """Return the x value in the middle of a column of the chart."""
        return get_column_value(self.x_axis, column - self.left, self.width)

    def get_y(self, row: int) -> float:
        """Return the y value in the middle of a row of the chart."""
        row = (
            row - self.top
            if not self.is_inverted
            else min(self.top + self.height - 1 - row, self.height - self.head - 1)
        )
        return get_row_value(self.y_axis, row, self.height - self.head)


class XLabel(NamedTuple):
    """A tick of the x axis; columns are those of the whole chart."""

    tick: Tick
    column: int
    start: int
    """First column of the label."""


@frozen
class Layout:
    """Layout of a chart of one size."""

    plot: PlotArea
    margin: int
    """Columns at the right for end labels; 0: none."""

    x_line: bool
    """True if the x axis has a line above its labels."""

    y_labels: tuple[tuple[Tick, int], ...]
    """Ticks with their rows."""

    x_labels: tuple[XLabel, ...]


def lay_out_chart(
    x_axis: Axis,
    y_axis: Axis,
    end_labels: Sequence[str],
    width: int,
    height: int,
    zone: tzinfo | None = None,
    *,
    turned: bool = False,
    headroom: float = 0.0,
) -> Layout:
    """Lay out a chart of `width` x `height` cells, both at least 1.

    Args:
        x_axis: Horizontal axis.
        y_axis: Vertical axis.
        end_labels: Texts for the ends of lines.
        width: Columns of the chart.
        height: Rows of the chart.
        zone: Time zone of wall times; None: the zone of the machine.
        turned: True if the value axis is horizontal.
        headroom: Part of the rows of the plot above the first step, if steps run down.
    """
    rows = plot_rows(height)
    x_rows = height - rows
    area = PlotArea(0, 0, width, rows, x_axis, y_axis, turned, int(headroom * rows))
    y_labels = _choose_y_labels(area, zone)
    gutter = max((len(tick.label) for tick, _ in y_labels), default=-2) + 2
    if width - gutter < MIN_PLOT_WIDTH:
        gutter, y_labels = 0, ()
    margin = _end_label_columns(end_labels, width - gutter, rows)
    plot = replace(area, left=gutter, width=width - gutter - margin)
    labels_below = choose_x_labels(plot, width, zone) if x_rows else ()
    return Layout(plot, margin, x_rows == 2 and gutter > 0, y_labels, labels_below)


def plot_rows(height: int) -> int:
    """Return the rows of the plot in a chart of `height` rows; the x axis takes the others."""
    return height - (height >= MIN_X_LABELS_HEIGHT) - (height >= MIN_X_LINE_HEIGHT)


def _end_label_columns(labels: Sequence[str], width: int, height: int) -> int:
    """Return the columns for end labels if they take at most a third of the width, else 0."""
    needed = max((cell_width(safe(label)) for label in labels), default=0) + 1
    if width < MIN_LABELS_WIDTH or not 0 < len(labels) <= height or needed > width // 3:
        return 0
    return needed


def _choose_y_labels(area: PlotArea, zone: tzinfo | None) -> tuple[tuple[Tick, int], ...]:
    """Return ticks with their rows, every other row at most; on neighbouring rows if fewer than two fit otherwise."""
    height = area.height - area.head
    max_ticks = min(height // 2 + 1, 4 + height // 6)

    def rows(ticks: tuple[Tick, ...]) -> npt.NDArray[np.intp]:
        return area.rows([tick.value for tick in ticks])

    def has_spacing(ticks: tuple[Tick, ...], min_rows: int) -> bool:
        return bool(np.all(np.abs(np.diff(rows(ticks))) >= min_rows))

    ticks = choose_ticks(iter_tick_sets(area.y_axis, max_ticks, zone), lambda ticks: has_spacing(ticks, 2))
    if len(ticks) < 2:
        ticks = choose_ticks(iter_tick_sets(area.y_axis, max(height, 1), zone), lambda ticks: has_spacing(ticks, 1))
    return tuple(zip(ticks, rows(ticks).tolist(), strict=True))


def choose_x_labels(plot: PlotArea, width: int, zone: tzinfo | None = None) -> tuple[XLabel, ...]:
    """Return the finest ticks whose labels do not touch, like `Layout.x_labels`; `width` is that of the chart."""

    def with_columns(ticks: tuple[Tick, ...]) -> tuple[XLabel, ...]:
        columns = plot.left + to_columns(plot.x_axis, [tick.value for tick in ticks], plot.width)
        return tuple(
            XLabel(tick, column, label_start(tick.label, column, width))
            for tick, column in zip(ticks, columns.tolist(), strict=True)
        )

    def fits(ticks: tuple[Tick, ...]) -> bool:
        labels = with_columns(ticks)
        return all(
            label.start + len(label.tick.label) + MIN_X_LABEL_GAP <= following.start
            for label, following in pairwise(labels)
        ) and all(len(tick.label) <= width for tick in ticks)

    max_ticks = max(min(plot.width // 5, 6 + plot.width // 30), 3)
    ticks = choose_ticks(iter_tick_sets(plot.x_axis, max_ticks, zone), fits)
    if len(ticks) < 2:  # both ends of the axis tell more than one round value
        ends = ((each[0], each[-1]) for each in iter_tick_sets(plot.x_axis, max_ticks, zone) if len(each) > 1)
        ticks = choose_ticks(ends, fits) or ticks
    return with_columns(ticks)


def label_start(label: str, column: int, width: int) -> int:
    """Return the first column of a label centred on a column, kept within the chart."""
    return max(min(column - (len(label) - 1) // 2, width - len(label)), 0)
