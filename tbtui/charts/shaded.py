"""Areas in shades of one colour: eight levels of height a cell, by a lower block and the ground above it.

A cell has two shades, one below a height and one above. Where more than two meet in one, those two and the height are
taken that leave the least wrong: every eighth counts by how many shades it is off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_DOWN, down
from tbtui.charts.cells import SHADE_FROM, SHADES, Ink, shade

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea

EIGHTHS = 8
"""Heights that a cell can show."""

FULL = SHADES - 1
"""The shade that is the colour itself."""

BLANK, LOWER_BLOCK = 32, 0x2580
"""`LOWER_BLOCK` + n fills the lower n eighths of a cell (Unicode 15, Block Elements)."""

_NOTHING = -2
"""What the background counts as when shades are compared: the outline of an area matters more than what is in it."""

_PER_DOT = EIGHTHS / DOTS_DOWN


def heights_of(axis: Axis, values: npt.ArrayLike, cells: int) -> npt.NDArray[np.float64]:
    """Heights of values above the bottom of a plot `cells` high, in eighths of a cell; fractions, NaN without a place.

    Where a dot of a line has its centre, so that areas and lines agree.
    """
    with np.errstate(over="ignore"):
        return EIGHTHS * cells - _PER_DOT * (down(axis, values, cells) + 0.5)


def draw_shades(cells: Cells, shades: npt.NDArray[np.int16], plot: PlotArea, ink: int) -> npt.NDArray[np.int16]:
    """Fill areas into the plot of fresh cells; nothing is drawn where the shade is 0.

    Args:
        cells: Changed in place.
        shades: Shade of each eighth, [columns, 8 rows] of the plot, the lowest first in each column.
        plot: Where.
        ink: A series ink.

    Returns:
        The middle shade of each cell, [rows, columns]: the ground for what is drawn over it.
    """
    eighths = shades.reshape(plot.width, plot.height, EIGHTHS)[:, ::-1].transpose(1, 0, 2)
    over, under = eighths[:, :, 0].copy(), eighths[:, :, -1].copy()
    heights = np.zeros(over.shape, np.intp)
    changes = np.count_nonzero(eighths[:, :, 1:] != eighths[:, :, :-1], axis=2)
    once = changes == 1
    heights[once] = np.argmax(eighths[once] != over[once][:, None], axis=1)
    often = changes > 1
    if bool(often.any()):
        over[often], under[often], heights[often] = _nearest(eighths[often])
    heights[over == under] = 0
    filled = (over > 0) | (under > 0)
    cells.glyphs[plot.area][filled] = np.where(heights > 0, LOWER_BLOCK + heights, BLANK)[filled]
    cells.inks[plot.area][filled] = shade(ink, over, under)[filled]
    return np.sort(eighths, axis=2)[:, :, EIGHTHS // 2].astype(np.int16)


def _nearest(
    eighths: npt.NDArray[np.int16],
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16], npt.NDArray[np.intp]]:
    """The two shades and the height between them that come nearest to each of some cells [cells, 8]."""
    count, eighths = len(eighths), np.where(eighths > 0, eighths, _NOTHING).astype(np.int16)
    least = np.full(count, np.iinfo(np.intp).max)
    over, under, heights = np.zeros(count, np.int16), np.zeros(count, np.int16), np.zeros(count, np.intp)
    for height in range(1, EIGHTHS):
        below, above = eighths[:, :height], eighths[:, height:]
        lower, upper = _middle(below), _middle(above)
        wrong = np.abs(below - lower[:, None]).sum(axis=1) + np.abs(above - upper[:, None]).sum(axis=1)
        better = wrong < least
        least[better], heights[better] = wrong[better], height
        over[better], under[better] = lower[better], upper[better]
    return np.maximum(over, 0), np.maximum(under, 0), heights


def _middle(shades: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """The median of each row, the upper of two: always a shade that occurs."""
    return np.asarray(np.sort(shades, axis=1)[:, shades.shape[1] // 2])


def contrast(shades: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """The shade that stands out best from each of some grounds: the colour itself, or the background."""
    return np.where(shades < FULL - 1, FULL, 0).astype(np.int16)


def keep_grounds(cells: Cells, grounds: npt.NDArray[np.int16], plot: PlotArea, ink: int) -> None:
    """Put the grounds back behind what was written over areas, in the shade that stands out from each.

    Signs of good and bad keep their own colour, and with it the background behind it.

    Args:
        cells: Changed in place.
        grounds: From `draw_shades`.
        plot: Where.
        ink: A series ink.
    """
    inks = cells.inks[plot.area]
    over = (grounds > 0) & (inks < SHADE_FROM) & ~np.isin(inks, (Ink.GOOD, Ink.WARN, Ink.BAD))
    inks[over] = shade(ink, contrast(grounds), grounds)[over]


def aged_shades(count: int, palest: int) -> list[int]:
    """Shades in even steps from `palest`, the oldest, to full, the newest; one alone is full."""
    newest_first: list[int] = np.rint(np.linspace(FULL, palest, count)).astype(int).tolist()
    return newest_first[::-1]
