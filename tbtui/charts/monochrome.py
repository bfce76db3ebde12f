"""Replace areas of colour by glyphs of different density, for terminals without colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import HEAT_FROM, HEAT_LEVELS, SHADE_FROM, SHADES, WARM_FROM, Cells, Ink

if TYPE_CHECKING:
    import numpy.typing as npt

DENSITY_GLYPHS = " ·░▒▓█"
"""Glyphs that replace levels of colour: a blank, then even steps of density."""

CURSOR_LINE = "│"
"""Glyph of the cells under a cursor."""

_DENSITIES = np.array([ord(glyph) for glyph in DENSITY_GLYPHS], np.uint32)
_BLANK, _BLOCKS = 32, range(0x2580, 0x25A0)
_THIN = np.array([ord(glyph) for glyph in "▁▔"], np.uint32)
"""Glyphs of flat lines; in the full colour of a series they are not an area."""

_COVERED_SHARES = np.array([0.5, *(eighths / 8 for eighths in range(1, 9)), *[0.5] * 23])
"""Share of its cell that each block element covers: exact for lower blocks, about half for the others."""


def shade_monochrome(cells: Cells, first: int = HEAT_FROM, end: int = 1 << 15) -> Cells:
    """Replace inks with two colours, from `first` to before `end`, by glyphs of different density.

    A blank or block element becomes one glyph with the mean density of its two colours. Other glyphs do not change, nor
    do thin lines in the full colour of a series. Shades get the ink of their series, heat gets the ink of plain text,
    and warm cells become a line in the accent ink. A line or a name over a shaded area has the full colour of the
    series as its ground: without a ground it would be a hole in the area. So have the blanks of a labelled bar, those
    beside letters of the same ink. Returns `cells` itself if no cell changes.
    """
    inks = cells.inks
    pairs = (inks >= first) & (inks < end)
    if not pairs.any():
        return cells
    ranks = inks[pairs].astype(np.intp)
    shaded, warm = ranks >= SHADE_FROM, (ranks >= WARM_FROM) & (ranks < SHADE_FROM)
    result = cells.copy()
    glyphs = cells.glyphs[pairs]
    labelled = _find_labelled_blanks(cells)[pairs]
    dense = np.where(labelled, glyphs, _choose_glyphs(glyphs, ranks, shaded))
    result.glyphs[pairs] = np.where(warm, ord(CURSOR_LINE), dense)
    series = (ranks - SHADE_FROM) // SHADES**2
    is_over_area = shaded & ((ranks - SHADE_FROM) % SHADES > 0) & ((glyphs != _BLANK) & ~_are_blocks(glyphs) | labelled)
    on_full_colour = SHADE_FROM + series * SHADES**2 + SHADES - 1
    plain = np.where(warm, int(Ink.ACCENT), int(Ink.TEXT))
    result.inks[pairs] = np.where(is_over_area, on_full_colour, np.where(shaded, series, plain))
    return result


def _find_labelled_blanks(cells: Cells) -> npt.NDArray[np.bool_]:
    """Return True for the blanks on a shade that are beside a letter, or beside such a blank, of the same ink."""
    inks, glyphs = cells.inks.astype(np.intp), cells.glyphs
    begins = np.ones(inks.shape, bool)
    begins[:, 1:] = inks[:, 1:] != inks[:, :-1]
    runs = np.cumsum(begins.ravel()).reshape(inks.shape) - 1
    is_blank = glyphs == _BLANK
    has_letter = np.bincount(runs[~is_blank & ~_are_blocks(glyphs)], minlength=int(begins.sum())) > 0
    return np.asarray(is_blank & has_letter[runs] & (inks >= SHADE_FROM) & ((inks - SHADE_FROM) % SHADES > 0))


def _are_blocks(glyphs: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    return (glyphs >= _BLOCKS.start) & (glyphs < _BLOCKS.stop)


def _choose_glyphs(
    glyphs: npt.NDArray[np.uint32], inks: npt.NDArray[np.intp], shaded: npt.NDArray[np.bool_]
) -> npt.NDArray[np.uint32]:
    steps = np.where(shaded, SHADES, HEAT_LEVELS)
    over, under = np.divmod((inks - np.where(shaded, SHADE_FROM, HEAT_FROM)) % steps**2, steps)
    blocks = _are_blocks(glyphs)
    covered = np.where(blocks, _COVERED_SHARES[np.where(blocks, glyphs - _BLOCKS.start, 0)], 0.0)
    amount = (over * covered + under * (1 - covered)) / (steps - 1)
    blocks &= ~(shaded & (over == SHADES - 1) & np.isin(glyphs, _THIN))
    dense = np.minimum(1 + amount * (len(DENSITY_GLYPHS) - 1), len(DENSITY_GLYPHS) - 1).astype(np.intp)
    return np.where(blocks | (glyphs == _BLANK), _DENSITIES[np.where(amount > 0, dense, 0)], glyphs)
