"""Read areas in shades of a colour as numbers and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.area_curves import LOWER_BLOCK
from tbtui.charts.cells import EIGHTHS, SHADE_COLOURS, SHADE_FROM, SHADES

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea

_DIGITS = np.array([ord(digit) for digit in "." + "01234567"], np.uint32)


def pairs(cells: Cells) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """Shade of the glyph and of the ground of each cell; -1 where an ink is no pair."""
    shaded = (cells.inks >= SHADE_FROM) & (cells.inks < SHADE_FROM + SHADE_COLOURS * SHADES**2)
    over, under = np.divmod((cells.inks - SHADE_FROM) % SHADES**2, SHADES)
    return np.where(shaded, over, -1), np.where(shaded, under, -1)


def eighths(cells: Cells, plot: PlotArea) -> npt.NDArray[np.int16]:
    """The shade of each eighth of the plot [8 rows, columns], the highest first; of the ground alone behind lines."""
    over, under = pairs(cells)
    heights = cells.glyphs.astype(np.intp) - LOWER_BLOCK
    filled = (heights >= 1) & (heights <= EIGHTHS)
    above = EIGHTHS - np.where(filled, heights, 0)
    grid = np.where(np.arange(EIGHTHS)[:, None] >= above[:, None, :], over[:, None, :], under[:, None, :])
    whole = np.maximum(grid, 0).reshape(EIGHTHS * cells.height, cells.width)
    rows = slice(EIGHTHS * plot.top, EIGHTHS * (plot.top + plot.height))
    return whole[rows, plot.left : plot.left + plot.width]


def ranges(column: npt.NDArray[np.int16]) -> list[tuple[int, int]]:
    """A column of `eighths` from its top as shades and how many eighths each goes on."""
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    lengths = np.diff(starts, append=len(column))
    return list(zip(column[starts].tolist(), lengths.tolist(), strict=True))


def text(cells: Cells) -> str:
    """A picture as its glyphs, below them their shades and those of their grounds; points where there are none."""
    grids = [cells.text(), *(_rows(shades) for shades in pairs(cells))]
    return "\n\n".join("\n".join(line.rstrip() for line in grid.split("\n")) for grid in grids)


def _rows(shades: npt.NDArray[np.int16]) -> str:
    return "\n".join(row.astype("<u4").tobytes().decode("utf-32-le") for row in _DIGITS[shades + 1])
