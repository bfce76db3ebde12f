"""The currency of drawing: a rectangle of character cells with one ink each, which may be a pair of two.

Charts and card titles all end as `Cells`; a widget turns inks into colours of the theme. Nothing here knows
a theme, so the same picture can become a screen, plain text or a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


class Ink(IntEnum):
    """Roles of the theme. Series colours are 0, 1, 2 … in the palette; their faint twins are `faint(n)`.

    Areas of colour have inks for glyph and ground together: `heat`, `warm` and `shade`.
    """

    NONE = -1
    """Nothing drawn: the background."""

    TEXT = -2
    DIM = -3
    FAINT = -4
    """Frames, grid, axis lines."""

    ACCENT = -5
    GOOD = -6
    WARN = -7
    BAD = -8
    BOLD = -9
    """Text that leads: a card's title, the value under the cursor."""


FAINT_FROM = 4096
"""Inks from here on (as many as there are series inks) are series colours mixed towards the background."""


HEAT_LEVELS = 48
"""Steps of the colour map: level 0 is the background, 1 the least that is anything, the last the most."""

HEAT_FROM = 8192
"""Inks from here on are pairs of heat levels: see `heat`."""

WARM_FROM = HEAT_FROM + HEAT_LEVELS**2
"""Inks from here on are the same pairs in warm colours: see `warm`."""

SHADES = 8
"""Steps from the background (0) to the full colour of a series (the last)."""

SHADE_COLOURS = 60
"""Series inks that have shades of their own; beyond, they repeat, as the colours of the palette do long before."""

SHADE_FROM = 16384
"""Inks from here on are pairs of shades of one series colour: see `shade`."""


def faint(ink: int) -> int:
    """The faint twin of a series ink."""
    return ink + FAINT_FROM if 0 <= ink < FAINT_FROM else int(Ink.FAINT)


def heat(over: npt.ArrayLike, under: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Inks that colour a glyph and the ground behind it by two levels of the colour map.

    Args:
        over: Level of the glyph, 0 to `HEAT_LEVELS` - 1; that of the upper half for `▀`.
        under: Level of its ground, likewise.
    """
    return np.asarray(HEAT_FROM + np.asarray(over) * HEAT_LEVELS + np.asarray(under), np.int16)


def warm(inks: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Inks of `heat`, each in colours that are told from it: what is under a cursor."""
    return np.asarray(np.asarray(inks) + (WARM_FROM - HEAT_FROM), np.int16)


def shade(ink: int, over: npt.ArrayLike, under: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Inks that colour a glyph and the ground behind it by two shades of one series colour.

    Args:
        ink: A series ink.
        over: Shade of the glyph, 0 (the background) to `SHADES` - 1 (the full colour).
        under: Shade of its ground, likewise.
    """
    pairs = np.asarray(over) * SHADES + np.asarray(under)
    return np.asarray(SHADE_FROM + ink % SHADE_COLOURS * SHADES**2 + pairs, np.int16)


def grounds(inks: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """What lies behind the glyphs: the same number for the same ground, 0 for the background.

    Blanks of one ground look the same in every ink.
    """
    levels, shades = (inks - HEAT_FROM) % HEAT_LEVELS, (inks - SHADE_FROM) % SHADES
    of_shade = np.where(shades > 0, inks - (inks - SHADE_FROM) % SHADES**2 + shades, 0)
    of_warm = np.where(levels > 0, WARM_FROM + levels, 0)
    families = [inks >= SHADE_FROM, inks >= WARM_FROM, inks >= HEAT_FROM]
    return np.select(families, [of_shade, of_warm, levels], 0).astype(np.int16)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A picture of `height` x `width` character cells."""

    glyphs: npt.NDArray[np.uint32]
    """Unicode code points [height, width]; 0 is the right half of the wide glyph to its left, 32 a blank."""

    inks: npt.NDArray[np.int16]
    """Ink of each cell [height, width]; see `Ink`."""

    @property
    def height(self) -> int:
        """Rows."""
        return int(self.glyphs.shape[0])

    @property
    def width(self) -> int:
        """Columns."""
        return int(self.glyphs.shape[1])

    @staticmethod
    def blank(height: int, width: int) -> Cells:
        """Fresh blank cells; the caller may write into the arrays until it hands them on."""
        return Cells(np.full((height, width), 32, np.uint32), np.full((height, width), Ink.NONE, np.int16))

    def row_text(self, y: int) -> str:
        """Row `y` as a string; its width in terminal columns is `width`."""
        row = self.glyphs[y]
        text: str = row[row != 0].astype("<u4").tobytes().decode("utf-32-le")
        return text

    def text(self) -> str:
        """The picture as plain text, rows joined by newlines, trailing blanks kept."""
        return "\n".join(self.row_text(y) for y in range(self.height))
