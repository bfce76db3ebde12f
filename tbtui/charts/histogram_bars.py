"""Horizontal bars next to a heat map: the histogram of one step, or of two back to back, in the rows of its plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import BLANK, EIGHTHS, LEFT_EIGHTHS, Cells, Ink
from tbtui.charts.heat_map import BINS_PER_ROW, check_bins
from tbtui.charts.line_chart import NAN_SIGN
from tbtui.charts.numbers import format_number
from tbtui.charts.text import write
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.heat_map import HeatLayout

RIGHTWARD = np.array([ord(glyph) for glyph in LEFT_EIGHTHS], np.uint32)
"""Glyphs of a bar that grows to the right, by eighths of a cell."""

LEFTWARD = np.array([ord(glyph) for glyph in " ▕▕▐▐▐▐██"], np.uint32)
"""Glyphs of a bar that grows to the left; Unicode has few glyphs that are filled from the right."""


@frozen(eq=False)
class HistogramBars:
    """Histograms of the bars."""

    counts: npt.NDArray[np.float64]
    """Counts of one step in each bin of the layout, float64[bins], the lowest values first; may be fractions. NaN: the
    histogram is missing."""

    other: npt.NDArray[np.float64] | None = None
    """Counts of the compared step, float64[bins]; its bars grow to the left."""

    ink: int = Ink.ACCENT
    other_ink: int = Ink.DIM


def draw_histogram_bars(bars: HistogramBars, layout: HeatLayout, width: int) -> Cells:
    """Draw bars that grow to the right; two histograms are drawn back to back on one scale.

    Below them, if the layout has a row for labels, the count of the longest possible bar is shown.

    Args:
        bars: Histograms to draw.
        layout: Layout of the heat map.
        width: Columns; 12 to 40 look best.

    Returns:
        Cells [height of the heat map, width].

    Raises:
        ValueError: The bins are not those of the layout.
    """
    cells = Cells.blank(layout.height, max(width, 0))
    counts = _sum_rows(bars.counts, layout)
    other = None if bars.other is None else _sum_rows(bars.other, layout)
    bar_width = width if other is None else width // 2
    if bar_width <= 0:
        return cells
    max_count = float(max(np.nan_to_num(each).max() for each in (counts, other) if each is not None))
    top = layout.plot.top
    if other is not None:
        _draw_bars(cells, other, max_count, slice(0, bar_width), top, bars.other_ink, leftward=True)
    end = bar_width if other is None else 2 * bar_width
    _draw_bars(cells, counts, max_count, slice(end - bar_width, end), top, bars.ink)
    _draw_scale(cells, max_count, end, layout)
    return cells


def _sum_rows(counts: npt.NDArray[np.float64], layout: HeatLayout) -> npt.NDArray[np.float64]:
    """Return the counts of the rows of the plot, the top one first; NaN for a missing histogram."""
    check_bins(len(counts), layout)
    with np.errstate(over="ignore"):
        rows = counts.reshape(-1, BINS_PER_ROW).sum(axis=1)[::-1]
    largest = np.finfo(np.float64).max
    return np.asarray(np.clip(rows, -largest, largest))  # sums of huge counts may be infinite


def _draw_bars(
    cells: Cells,
    counts: npt.NDArray[np.float64],
    max_count: float,
    columns: slice,
    top: int,
    ink: int,
    *,
    leftward: bool = False,
) -> None:
    """Draw the bars of one histogram into some columns; a missing one is a sign in the bottom row."""
    area = (slice(top, top + len(counts)), columns)
    if np.isnan(counts).any():
        write(cells, top + len(counts) - 1, columns.stop - 1 if leftward else columns.start, NAN_SIGN, Ink.BAD)
        return
    width = columns.stop - columns.start
    with np.errstate(over="ignore"):  # numpy 1 warns of overflow for subnormals
        lengths = np.rint(counts / (max_count or 1.0) * (EIGHTHS * width)).astype(np.intp)
    lengths[counts > 0] = np.maximum(lengths[counts > 0], 1)  # any count is visible
    filled = np.clip(lengths[:, None] - EIGHTHS * np.arange(width), 0, EIGHTHS)
    cells.glyphs[area] = LEFTWARD[filled[:, ::-1]] if leftward else RIGHTWARD[filled]
    cells.inks[area] = np.where(cells.glyphs[area] != BLANK, ink, Ink.NONE)


def _draw_scale(cells: Cells, max_count: float, end: int, layout: HeatLayout) -> None:
    """Draw a line below the bars as wide as the longest possible bar, and its count."""
    axis_row = layout.plot.top + layout.plot.height
    if layout.chart.x_line:
        write(cells, axis_row, 0, "─" * (end - 1) + "┬", Ink.FAINT)
    number = format_number(max_count, digits=3)
    labels = (f"{number} value{'' if number == '1' else 's'}", number)
    label = next((each for each in labels if len(each) <= end), "")
    if axis_row < cells.height:
        write(cells, cells.height - 1, end - len(label), label, Ink.DIM)
