"""Draw a sound over time: its waveforms and its spectrogram, one above the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, Axis, column_edges, from_dot_rows, round_to_dots, to_dot_rows
from tbtui.charts.canvas import BRAILLE, pack_braille
from tbtui.charts.cells import HEAT_LEVELS, Cells, Ink
from tbtui.charts.chart_layout import draw_axes, lay_out_chart, plot_rows
from tbtui.charts.heat_levels import draw_heat_levels, round_levels
from tbtui.charts.text import write
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.chart_layout import Layout, PlotArea

    Floats: TypeAlias = npt.NDArray[np.float64]

DECIBELS = 70.0
"""Range of the spectrogram's colours below the loudest frequency, in dB."""

STRIP_WIDTH, LABEL_WIDTH = 2, 6
LEGEND_WIDTH = 1 + STRIP_WIDTH + 1 + LABEL_WIDTH
LEGEND_FROM_WIDTH, LEGEND_FROM_HEIGHT = 60, 6
"""Minimum size of a picture with a legend, in cells."""

_PIXELS = 2
"""Pixel rows per row of cells."""


@frozen
class Panel:
    """Position of one chart in the picture."""

    layout: Layout
    top: int
    left: int
    rows: int
    """Rows of the chart: its plot, and for the last chart the axis below it."""

    @property
    def plot(self) -> PlotArea:
        """Plot area in coordinates of the whole picture."""
        return self.layout.plot.translate(self.top, self.left)

    @property
    def time_edges(self) -> Floats:
        """Times at the edges of cell columns, in seconds, float64[width + 1]."""
        return self.column_edges[::DOTS_ACROSS]

    @property
    def column_edges(self) -> Floats:
        """Times at the edges of dot columns, in seconds, float64[2 width + 1]."""
        plot = self.layout.plot
        return column_edges(plot.x_axis, plot.width)

    @property
    def row_edges(self) -> Floats:
        """Values at the edges of pixel rows, lowest first, float64[2 height + 1]."""
        rows = self.layout.plot.height
        dots = DOTS_DOWN * rows - 0.5 - DOTS_DOWN / _PIXELS * np.arange(_PIXELS * rows + 1)
        return from_dot_rows(self.layout.plot.y_axis, dots, rows)


@frozen
class Panels:
    """Layout of a picture of one size."""

    panels: tuple[Panel, ...]
    width: int
    height: int
    margin: int
    """Columns at the right for the colour legend; 0 if there is none."""

    @property
    def plot(self) -> PlotArea:
        """Plot area from the first to the last panel, which share their time axis."""
        first, last = self.panels[0].plot, self.panels[-1].plot
        return replace(first, height=last.top + last.height - first.top)


def lay_out_panels(
    x_axis: Axis, y_axes: Sequence[Axis], shares: Sequence[float], width: int, height: int, *, colours: bool
) -> Panels:
    """Divide `width` x `height` cells, both at least 1, with at least one row per panel.

    Args:
        x_axis: Time axis, in seconds.
        y_axes: Axis of each panel, top first.
        shares: Share of the height of each panel; they add up to 1.
        width: Columns.
        height: Rows.
        colours: True if one panel is a spectrogram, which needs a legend.
    """
    below = height - plot_rows(height)
    heights = _divide_rows(height - below, shares)
    margin = LEGEND_WIDTH if colours and width >= LEGEND_FROM_WIDTH and height >= LEGEND_FROM_HEIGHT else 0
    inner = width - margin
    gutter = max(lay_out_chart(x_axis, axis, (), inner, rows).plot.left for axis, rows in _pair_axes(y_axes, heights))
    panels, top = [], 0
    for index, (axis, rows) in enumerate(_pair_axes(y_axes, heights)):
        is_last = index == len(heights) - 1
        label_width = lay_out_chart(x_axis, axis, (), inner, rows).plot.left
        left = gutter - label_width
        layout = _build_layout(x_axis, axis, inner - left, heights[index], below if is_last else None)
        panels.append(Panel(layout, top, left, heights[index] + (below if is_last else 0)))
        top += heights[index]
    return Panels(tuple(panels), width, height, margin)


def _pair_axes(y_axes: Sequence[Axis], heights: Sequence[int]) -> list[tuple[Axis, int]]:
    """Return each axis with the rows of a chart whose plot has the given height."""
    return [(axis, _count_chart_rows(rows)) for axis, rows in zip(y_axes, heights, strict=True)]


def _count_chart_rows(rows: int) -> int:
    return next(total for total in range(rows, rows + 3) if plot_rows(total) == rows)


def _build_layout(x_axis: Axis, y_axis: Axis, width: int, rows: int, below: int | None) -> Layout:
    """Return the layout of a chart whose plot has `rows` rows, with `below` rows for the x axis."""
    layout = lay_out_chart(x_axis, y_axis, (), width, _count_chart_rows(rows), turned=True)
    if below == 0 or below is None:
        return replace(layout, x_line=False, x_labels=())
    if layout.x_labels:
        return replace(layout, x_line=below == 2 and layout.plot.left > 0)
    labelled = lay_out_chart(x_axis, y_axis, (), width, max(_count_chart_rows(rows), 4), turned=True)
    is_aligned = labelled.plot.left == layout.plot.left
    return replace(layout, x_line=below == 2 and layout.plot.left > 0, x_labels=labelled.x_labels if is_aligned else ())


def _divide_rows(rows: int, shares: Sequence[float]) -> list[int]:
    """Return whole rows that add up to `rows`, at least one per panel."""
    ends = np.rint(np.cumsum(shares) * rows).astype(int)
    ends[-1] = rows
    heights = np.diff(ends, prepend=0)
    while heights.min() < 1 < heights.max():
        heights[heights.argmax()] -= 1
        heights[heights.argmin()] += 1
    return [int(each) for each in heights]


def draw_frame(panels: Panels) -> Cells:
    """Return a picture with the axes of all panels."""
    cells = Cells.blank(panels.height, panels.width)
    for panel in panels.panels:
        panel_cells = Cells.blank(panel.rows, panel.layout.plot.left + panel.layout.plot.width)
        draw_axes(panel_cells, panel.layout)
        _put(cells, panel_cells, panel.top, panel.left)
    return cells


def draw_wave(cells: Cells, panel: Panel, low: Floats, high: Floats, ink: int) -> None:
    """Draw a waveform: in each dot column all dots from the minimum to the maximum.

    Args:
        cells: Cells of the whole picture.
        panel: Panel to draw in.
        low: Minimum per dot column, float64[2 width]; NaN where there is no sound.
        high: Maximum per dot column, float64[2 width].
        ink: Ink of the dots.
    """
    plot = panel.plot
    is_present = np.isfinite(low)
    tops, bottoms = (
        round_to_dots(
            np.clip(to_dot_rows(plot.y_axis, np.where(is_present, each, 0.0), plot.height), -1, DOTS_DOWN * plot.height)
        )
        for each in (high, low)
    )
    row = np.arange(DOTS_DOWN * plot.height)[:, None]
    dots = (row >= tops) & (row <= bottoms) & is_present
    bits = pack_braille(dots)
    has_dots = bits != 0
    cells.glyphs[plot.area][has_dots] = BRAILLE + bits[has_dots].astype(np.uint32)
    cells.inks[plot.area][has_dots] = ink


def mark_clipped(cells: Cells, panel: Panel, is_clipped: npt.NDArray[np.bool_]) -> None:
    """Draw the ends of a waveform in the colour of warnings where it is clipped, bool[2 width]."""
    plot = panel.plot
    columns = np.flatnonzero(is_clipped.reshape(-1, DOTS_ACROSS).any(axis=1))
    glyphs, inks = cells.glyphs[plot.area], cells.inks[plot.area]
    for column in columns.tolist():
        rows = np.flatnonzero(glyphs[:, column] > BRAILLE)
        inks[rows[[0, -1]] if len(rows) else rows, column] = Ink.WARN


def draw_unit(cells: Cells, panel: Panel, unit: str) -> None:
    """Draw the unit of the last panel's numbers below them, where the cells are free."""
    end, row = panel.plot.left - 2, cells.height - 1
    begin = end - len(unit)
    if panel.rows > panel.layout.plot.height and begin >= 0 and bool((cells.glyphs[row, begin : end + 1] == 32).all()):
        write(cells, row, begin, unit, Ink.DIM)


def draw_spectrum(cells: Cells, panel: Panel, decibels: Floats, top: float) -> None:
    """Draw a spectrogram.

    Args:
        cells: Cells of the whole picture.
        panel: Panel to draw in.
        decibels: Level per column and pixel row, float64[width, 2 height], lowest frequency first; NaN: no sound.
        top: Level of the last colour, in dB.
    """
    plot = panel.plot
    shares = np.nan_to_num((decibels - (top - DECIBELS)) / DECIBELS, nan=0.0)
    levels = np.where(shares > 0, 1 + (HEAT_LEVELS - 2) * np.clip(shares, 0, 1), 0.0)
    glyphs = draw_heat_levels(round_levels(levels.T[::-1]))
    cells.glyphs[plot.area], cells.inks[plot.area] = glyphs.glyphs, glyphs.inks


def draw_legend(cells: Cells, panel: Panel, top: float) -> None:
    """Draw a strip of all colours beside a spectrogram, with their levels."""
    plot = panel.plot
    left = plot.left + plot.width + 1
    levels = np.rint(np.linspace(HEAT_LEVELS - 1, 1, _PIXELS * plot.height)).astype(np.int16)
    strip = draw_heat_levels(np.repeat(levels[:, None], STRIP_WIDTH, axis=1))
    area = slice(plot.top, plot.top + plot.height), slice(left, left + STRIP_WIDTH)
    cells.glyphs[area], cells.inks[area] = strip.glyphs, strip.inks
    ends = ((plot.top, top), (plot.top + plot.height - 1, top - DECIBELS)) if plot.height > 1 else ((plot.top, top),)
    for row, level in ends:
        write(cells, row, left + STRIP_WIDTH + 1, f"{level:.0f}dB".replace("-", "−"), Ink.DIM)


def _put(cells: Cells, picture: Cells, top: int, left: int) -> None:
    area = slice(top, top + picture.height), slice(left, left + picture.width)
    cells.glyphs[area], cells.inks[area] = picture.glyphs, picture.inks
