"""The currency of drawing: a rectangle of character cells with one ink each, which may be a pair of two.

Charts and card titles all end as `Cells`; a widget turns inks into colours of the theme. Nothing here knows
a theme, so the same picture can become a screen, plain text or a file. Only pictures that somebody logged have colours
of their own, which no theme changes.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen

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

    CURSOR = -10
    """Text on a ground of the accent's colour: where a picture has its cursor, unlike anything else in any theme."""


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
    of_cursor = np.where(inks == Ink.CURSOR, inks, 0)
    levels, shades = (inks - HEAT_FROM) % HEAT_LEVELS, (inks - SHADE_FROM) % SHADES
    of_shade = np.where(shades > 0, inks - (inks - SHADE_FROM) % SHADES**2 + shades, 0)
    of_warm = np.where(levels > 0, WARM_FROM + levels, 0)
    families = [inks >= SHADE_FROM, inks >= WARM_FROM, inks >= HEAT_FROM]
    return np.select(families, [of_shade, of_warm, levels], of_cursor).astype(np.int16)


NO_COLOUR = 1 << 24
"""Stands for a colour 0xRRGGBB in `colour_pairs` where there is none: the background, or the colour of plain text."""

NUMBERED = NO_COLOUR + 1
"""And from here on are the 256 colours that a terminal has by number, which reach it by just that number."""

_COLOUR_BITS = 25
_PAIR = 1 << 62


def colour_pairs(over: npt.ArrayLike, under: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """True colours of a glyph and of the ground behind it in one number, which is never 0.

    Args:
        over: 0xRRGGBB of the glyph, `NO_COLOUR`, or `NUMBERED` and so many; that of the upper half for `▀`.
        under: That of its ground, likewise.
    """
    return _PAIR | np.asarray(over, np.int64) << _COLOUR_BITS | np.asarray(under, np.int64)


def split_pair(pair: int) -> tuple[int | None, int | None]:
    """Both colours of a pair, 0xRRGGBB or from `NUMBERED` on; None where there is none."""
    over, under = divmod(pair & ~_PAIR, 1 << _COLOUR_BITS)
    return None if over == NO_COLOUR else over, None if under == NO_COLOUR else under


def under_of(pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """What lies behind the glyphs, as `grounds` tells it of inks: 0 for the background, else none of its numbers."""
    under = pairs & (1 << _COLOUR_BITS) - 1
    return np.where(under == NO_COLOUR, 0, _PAIR | under)


@frozen(eq=False)
class Cells:
    """A picture of `height` x `width` character cells."""

    glyphs: npt.NDArray[np.uint32]
    """Unicode code points [height, width]; 0 is the right half of the wide glyph to its left, 32 a blank. Beyond all
    code points are parts of a picture that the terminal itself draws: see `charts.placeholders`."""

    inks: npt.NDArray[np.int16]
    """Ink of each cell [height, width]; see `Ink`."""

    colours: npt.NDArray[np.int64] | None = None
    """True colours of each cell [height, width] as `colour_pairs` gives them, in place of its ink; 0 where it has none.
    None: no cell has any."""

    @property
    def height(self) -> int:
        """Rows."""
        return int(self.glyphs.shape[0])

    @property
    def width(self) -> int:
        """Columns."""
        return int(self.glyphs.shape[1])

    @staticmethod
    def blank(height: int, width: int, *, coloured: bool = False) -> Cells:
        """Fresh blank cells; the caller may write into the arrays until it hands them on.

        Args:
            height: Rows.
            width: Columns.
            coloured: Whether cells with colours of their own are to be put there.
        """
        glyphs, inks = np.full((height, width), 32, np.uint32), np.full((height, width), Ink.NONE, np.int16)
        return Cells(glyphs, inks, np.zeros((height, width), np.int64) if coloured else None)

    def copy(self) -> Cells:
        """The same in arrays of its own."""
        return Cells(self.glyphs.copy(), self.inks.copy(), None if self.colours is None else self.colours.copy())

    def part(self, rows: slice, columns: slice) -> Cells:
        """A rectangle of it; what is written there is written here."""
        area = rows, columns
        return Cells(self.glyphs[area], self.inks[area], None if self.colours is None else self.colours[area])

    def put(self, y: int, x: int, other: Cells) -> None:
        """Write other cells into these, their upper left corner at row `y`, column `x`; what lies outside is cut off.

        Colours are kept where these cells have room for them.
        """
        rows, columns = min(other.height, self.height - y), min(other.width, self.width - x)
        if rows <= 0 or columns <= 0:
            return
        area = slice(y, y + rows), slice(x, x + columns)
        self.glyphs[area], self.inks[area] = other.glyphs[:rows, :columns], other.inks[:rows, :columns]
        if self.colours is not None:
            self.colours[area] = 0 if other.colours is None else other.colours[:rows, :columns]

    def row_text(self, y: int) -> str:
        """Row `y` as a string; its width in terminal columns is `width`."""
        return glyph_text(self.glyphs[y])

    def text(self) -> str:
        """The picture as plain text, rows joined by newlines, trailing blanks kept."""
        return "\n".join(self.row_text(y) for y in range(self.height))


_LAST_CODE_POINT = 0x10FFFF


def glyph_text(glyphs: npt.NDArray[np.uint32]) -> str:
    """Glyphs of a row as text; the right halves of wide ones are no characters of their own."""
    drawn = glyphs[glyphs != 0]
    if len(drawn) and int(drawn.max()) > _LAST_CODE_POINT:
        from tbtui.charts.placeholders import spelled_out  # which no chart ever needs

        drawn = spelled_out(drawn)
    return str(drawn.astype("<u4").tobytes().decode("utf-32-le"))
