"""Horizontal bars beside a heat map: the histogram of one step, or of two back to back, in the rows of its plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.heat_map import BINS_PER_ROW
from tbtui.charts.line_chart import NAN_SIGN
from tbtui.charts.numbers import short
from tbtui.charts.text import write
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.heat_map import HeatLayout

RIGHTWARD = np.array([ord(glyph) for glyph in " ▏▎▍▌▋▊▉█"], np.uint32)
"""A cell filled from the left, in eighths."""

LEFTWARD = np.array([ord(glyph) for glyph in " ▕▕▐▐▐▐██"], np.uint32)
"""A cell filled from the right, in eighths as near as glyphs allow."""

EIGHTHS, BLANK = 8, 32


@frozen(eq=False)
class HistogramBars:
    """Histograms of the bars."""

    counts: npt.NDArray[np.float64]
    """Counts of one step in each bin of the layout, float64[bins], the lowest values first; fractions are possible.
    NaN: there is no histogram."""

    other: npt.NDArray[np.float64] | None = None
    """Counts of the compared step, float64[bins]; its bars grow to the left."""

    ink: int = Ink.ACCENT
    other_ink: int = Ink.DIM


def draw_histogram_bars(bars: HistogramBars, layout: HeatLayout, width: int) -> Cells:
    """Draw bars that grow to the right; two histograms are drawn back to back on one scale.

    Below them, if the layout has a row for labels, the count of the longest possible bar is shown.

    Args:
        bars: Histograms to draw.
        layout: Layout of the heat map beside them.
        width: Columns; 12 to 40 look best.

    Returns:
        Cells [height of the heat map, width].

    Raises:
        ValueError: The bins are not those of the layout.
    """
    cells = Cells.blank(layout.height, max(width, 0))
    counts = _rows(bars.counts, layout)
    other = None if bars.other is None else _rows(bars.other, layout)
    room = width if other is None else width // 2
    if room <= 0:
        return cells
    greatest = float(max(np.nan_to_num(each).max() for each in (counts, other) if each is not None))
    top = layout.plot.top
    if other is not None:
        _draw(cells, other, greatest, slice(0, room), top, bars.other_ink, leftward=True)
    end = room if other is None else 2 * room
    _draw(cells, counts, greatest, slice(end - room, end), top, bars.ink)
    _draw_scale(cells, greatest, end, layout)
    return cells


def _rows(counts: npt.NDArray[np.float64], layout: HeatLayout) -> npt.NDArray[np.float64]:
    """Return the counts of the rows of the plot, the top one first; NaN stays."""
    if len(counts) != len(layout.bin_edges) - 1:
        raise ValueError(f"{len(counts)} bins in a layout of {len(layout.bin_edges) - 1}")
    with np.errstate(over="ignore"):
        return np.asarray(np.nan_to_num(counts.reshape(-1, BINS_PER_ROW).sum(axis=1)[::-1], nan=np.nan))


def _draw(
    cells: Cells,
    counts: npt.NDArray[np.float64],
    greatest: float,
    columns: slice,
    top: int,
    ink: int,
    *,
    leftward: bool = False,
) -> None:
    """Draw the bars of one histogram into some columns; a sign in the bottom row if it is missing."""
    area = (slice(top, top + len(counts)), columns)
    if np.isnan(counts).any():
        write(cells, top + len(counts) - 1, columns.stop - 1 if leftward else columns.start, NAN_SIGN, Ink.BAD)
        return
    width = columns.stop - columns.start
    with np.errstate(over="ignore"):  # numpy 1 speaks of overflow where the least numbers there are get divided
        lengths = np.rint(counts / (greatest or 1.0) * (EIGHTHS * width)).astype(np.intp)
    lengths[counts > 0] = np.maximum(lengths[counts > 0], 1)  # anything is seen
    filled = np.clip(lengths[:, None] - EIGHTHS * np.arange(width), 0, EIGHTHS)
    cells.glyphs[area] = LEFTWARD[filled[:, ::-1]] if leftward else RIGHTWARD[filled]
    cells.inks[area] = np.where(cells.glyphs[area] != BLANK, ink, Ink.NONE)


def _draw_scale(cells: Cells, greatest: float, end: int, layout: HeatLayout) -> None:
    """Draw a line below the bars as wide as the longest possible bar, and its count."""
    below = layout.plot.top + layout.plot.height
    if layout.chart.x_line:
        write(cells, below, 0, "─" * (end - 1) + "┬", Ink.FAINT)
    number = short(greatest, digits=3)
    label = next((word for word in (f"{number} value{'' if number == '1' else 's'}", number) if len(word) <= end), "")
    if below < cells.height:
        write(cells, cells.height - 1, end - len(label), label, Ink.DIM)
