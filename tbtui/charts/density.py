"""Areas of colour where there are no colours to be had: how much is told by how dense a glyph is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import HEAT_FROM, HEAT_LEVELS, SHADE_FROM, SHADES, WARM_FROM, Cells, Ink

if TYPE_CHECKING:
    import numpy.typing as npt

DENSITIES = " ·░▒▓█"
"""Nothing, anything, and so on in even steps."""

LINE = "│"
"""What is under a cursor."""

_DENSITIES = np.array([ord(glyph) for glyph in DENSITIES], np.uint32)
_BLANK, _BLOCKS = 32, range(0x2580, 0x25A0)
_THIN = np.array([ord(glyph) for glyph in "▁▔"], np.uint32)
"""What lines are drawn with where they run flat; in the full colour of a series they are no area."""

_COVERED = np.array([0.5, *(eighths / 8 for eighths in range(1, 9)), *[0.5] * 23])
"""How much of its cell each block element covers: exactly for those that grow from below, about for the others."""


def in_glyphs(cells: Cells, first: int = HEAT_FROM, end: int = 1 << 15) -> Cells:
    """A picture without inks of two colours from `first` to before `end`; the same one where there are none.

    Blanks and block elements become a glyph as dense as they are coloured, one for both halves of a cell. Other glyphs
    stay, thin lines in the full colour of a series among them. Shades keep the ink of their series, heat has none, and
    what is warm becomes a line in the accent's.
    """
    inks = cells.inks
    pairs = (inks >= first) & (inks < end)
    if not pairs.any():
        return cells
    found = inks[pairs].astype(np.intp)
    shaded, warm = found >= SHADE_FROM, (found >= WARM_FROM) & (found < SHADE_FROM)
    drawn = cells.copy()
    drawn.glyphs[pairs] = np.where(warm, ord(LINE), _glyphs(cells.glyphs[pairs], found, shaded))
    series = (found - SHADE_FROM) // SHADES**2
    drawn.inks[pairs] = np.select([shaded, warm], [series, int(Ink.ACCENT)], int(Ink.TEXT))
    return drawn


def _glyphs(
    glyphs: npt.NDArray[np.uint32], inks: npt.NDArray[np.intp], shaded: npt.NDArray[np.bool_]
) -> npt.NDArray[np.uint32]:
    steps = np.where(shaded, SHADES, HEAT_LEVELS)
    over, under = np.divmod((inks - np.where(shaded, SHADE_FROM, HEAT_FROM)) % steps**2, steps)
    blocks = (glyphs >= _BLOCKS.start) & (glyphs < _BLOCKS.stop)
    covered = np.where(blocks, _COVERED[np.where(blocks, glyphs - _BLOCKS.start, 0)], 0.0)
    amount = (over * covered + under * (1 - covered)) / (steps - 1)
    blocks &= ~(shaded & (over == SHADES - 1) & np.isin(glyphs, _THIN))
    dense = np.minimum(1 + amount * (len(DENSITIES) - 1), len(DENSITIES) - 1).astype(np.intp)
    return np.where(blocks | (glyphs == _BLANK), _DENSITIES[np.where(amount > 0, dense, 0)], glyphs)
