"""Character cells: the common format of all drawings, a rectangle of glyphs with one ink each.

Charts and card titles are drawn as `Cells`; a widget maps inks to colours of the theme. The module does not depend on a
theme, so that a picture can be shown on a screen or written as plain text or a file. Only logged images have true
colours, which themes do not change.

Placeholders are glyphs for parts of an image that the terminal itself draws over cells (kitty graphics). Each is sent
as a character with three combining marks, which encode row and column of the part and the high byte of the image
number; the colour encodes the other bytes (see `terminal_images.kitty`). As cells they are moved, covered and compared
like any other text. Source: kitty, "Terminal graphics protocol", Unicode placeholders, and its
`gen/rowcolumn-diacritics.txt`.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt


BLANK = 32
"""Code point of a blank."""

EIGHTHS = 8
"""Number of lengths, and of heights, that a cell can show."""

LEFT_EIGHTHS = " ▏▎▍▌▋▊▉█"
"""Glyphs filled from the left, by eighths."""

LOWER_EIGHTHS = " ▁▂▃▄▅▆▇█"
"""Glyphs filled from below, by eighths (Unicode 15, Block Elements)."""


class Ink(IntEnum):
    """Roles of the theme. Series inks are 0, 1, 2 … in the palette; their faint twins are `faint(n)`.

    Areas of colour have inks for glyph and background together: `to_heat_inks`, `to_warm_inks` and `to_shade_inks`.
    """

    NONE = -1
    """The background of the theme."""

    TEXT = -2
    DIM = -3
    FAINT = -4
    """Frames, grid, axis lines."""

    ACCENT = -5
    GOOD = -6
    WARN = -7
    BAD = -8
    BOLD = -9
    """Emphasised text: the title of a card, the value under the cursor."""

    CURSOR = -10
    """Text on the accent colour at the cursor of a picture; no other ink has that background."""

    BUNDLE_1 = -11
    """First of four levels of a bundle of lines: the cells with the fewest lines."""

    BUNDLE_2 = -12
    BUNDLE_3 = -13
    BUNDLE_4 = -14


BUNDLE_INKS = (Ink.BUNDLE_1, Ink.BUNDLE_2, Ink.BUNDLE_3, Ink.BUNDLE_4)
"""Levels of a bundle, from few lines to many."""


FAINT_FROM = 4096
"""First ink of series colours mixed towards the background; there are as many as series inks."""


HEAT_LEVELS = 48
"""Levels of the colour map: 0 is the background, 1 the smallest amount, the last the largest."""

HEAT_FROM = 8192
"""First ink of pairs of heat levels: see `to_heat_inks`."""

WARM_FROM = HEAT_FROM + HEAT_LEVELS**2
"""First ink of the same pairs in warm colours: see `to_warm_inks`."""

SHADES = 8
"""Shades from the background (0) to the full colour of a series (the last)."""

SHADE_COLOURS = 60
"""Series inks with distinct shades; later ones repeat, like the colours of the palette."""

SHADE_FROM = 16384
"""First ink of pairs of shades of one series colour: see `to_shade_inks`."""


def to_faint_ink(ink: int) -> int:
    """Return the faint twin of a series ink."""
    return ink + FAINT_FROM if 0 <= ink < FAINT_FROM else int(Ink.FAINT)


def to_heat_inks(over: npt.ArrayLike, under: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Return inks that colour a glyph and its background by two levels of the colour map.

    Args:
        over: Level of the glyph, 0 to `HEAT_LEVELS` - 1; for `▀` that of the upper half.
        under: Level of the background, in the same range.
    """
    return np.asarray(HEAT_FROM + np.asarray(over) * HEAT_LEVELS + np.asarray(under), np.int16)


def to_warm_inks(inks: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Return inks of `to_heat_inks` in contrasting colours, for the column under a cursor."""
    return np.asarray(np.asarray(inks) + (WARM_FROM - HEAT_FROM), np.int16)


def to_shade_inks(ink: int, over: npt.ArrayLike, under: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Return inks that colour a glyph and its background by two shades of one series colour.

    Args:
        ink: A series ink.
        over: Shade of the glyph, 0 (the background) to `SHADES` - 1 (the full colour).
        under: Shade of the background, in the same range.
    """
    pairs = np.asarray(over) * SHADES + np.asarray(under)
    return np.asarray(SHADE_FROM + ink % SHADE_COLOURS * SHADES**2 + pairs, np.int16)


def number_backgrounds(inks: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Return one number for each distinct background, 0 for that of the theme.

    Blanks with equal backgrounds look the same in every ink.
    """
    cursor_ids = np.where(inks == Ink.CURSOR, inks, 0)
    levels, shades = (inks - HEAT_FROM) % HEAT_LEVELS, (inks - SHADE_FROM) % SHADES
    shade_ids = np.where(shades > 0, inks - (inks - SHADE_FROM) % SHADES**2 + shades, 0)
    warm_ids = np.where(levels > 0, WARM_FROM + levels, 0)
    families = [inks >= SHADE_FROM, inks >= WARM_FROM, inks >= HEAT_FROM]
    return np.select(families, [shade_ids, warm_ids, levels], cursor_ids).astype(np.int16)


NO_COLOUR = 1 << 24
"""Value in `colour_pairs` for the default colours: the background, or the colour of plain text."""

NUMBERED = NO_COLOUR + 1
"""First value in `colour_pairs` of the 256 indexed colours, which are sent to the terminal as indexed colours."""

_COLOUR_BITS = 25
_PAIR = 1 << 62


def colour_pairs(over: npt.ArrayLike, under: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return true colours of a glyph and its background packed in one number, which is never 0.

    Args:
        over: 0xRRGGBB of the glyph, `NO_COLOUR`, or `NUMBERED` plus a colour number; for `▀` that of the upper half.
        under: Colour of the background in the same form.
    """
    return _PAIR | np.asarray(over, np.int64) << _COLOUR_BITS | np.asarray(under, np.int64)


def split_pair(pair: int) -> tuple[int | None, int | None]:
    """Return both colours of a pair, 0xRRGGBB or at least `NUMBERED`; None: the default colour."""
    over, under = divmod(pair & ~_PAIR, 1 << _COLOUR_BITS)
    return None if over == NO_COLOUR else over, None if under == NO_COLOUR else under


def pair_background_ids(pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return numbers for backgrounds of colour pairs, like `number_backgrounds`: 0, or numbers that no ink has."""
    under = pairs & (1 << _COLOUR_BITS) - 1
    return np.where(under == NO_COLOUR, 0, _PAIR | under)


@frozen(eq=False)
class Cells:
    """A picture of `height` x `width` character cells."""

    glyphs: npt.NDArray[np.uint32]
    """Unicode code points [height, width]; 0 is the right half of the wide glyph to its left, 32 a blank. Numbers above
    all code points are placeholders: see `build_placeholders`."""

    inks: npt.NDArray[np.int16]
    """Ink of each cell [height, width]; see `Ink`."""

    colours: npt.NDArray[np.int64] | None = None
    """True colours of each cell [height, width] as `colour_pairs`, which replace its ink; 0: none. None: no cell has
    true colours."""

    @property
    def height(self) -> int:
        """Return the number of rows."""
        return int(self.glyphs.shape[0])

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return int(self.glyphs.shape[1])

    @staticmethod
    def blank(height: int, width: int, *, coloured: bool = False) -> Cells:
        """Return new blank cells; the caller may write into the arrays until it passes them on.

        Args:
            height: Rows.
            width: Columns.
            coloured: Allocate an array of true colours.
        """
        glyphs, inks = np.full((height, width), 32, np.uint32), np.full((height, width), Ink.NONE, np.int16)
        return Cells(glyphs, inks, np.zeros((height, width), np.int64) if coloured else None)

    def copy(self) -> Cells:
        """Return a copy with new arrays."""
        return Cells(self.glyphs.copy(), self.inks.copy(), None if self.colours is None else self.colours.copy())

    def crop(self, rows: slice, columns: slice) -> Cells:
        """Return a rectangle as a view: writing into it changes these cells."""
        area = rows, columns
        return Cells(self.glyphs[area], self.inks[area], None if self.colours is None else self.colours[area])

    def put(self, y: int, x: int, other: Cells) -> None:
        """Write other cells into these with their upper left corner at row `y`, column `x`; parts outside are cut off.

        True colours are copied if these cells have an array for them.
        """
        rows, columns = min(other.height, self.height - y), min(other.width, self.width - x)
        if rows <= 0 or columns <= 0:
            return
        area = slice(y, y + rows), slice(x, x + columns)
        self.glyphs[area], self.inks[area] = other.glyphs[:rows, :columns], other.inks[:rows, :columns]
        if self.colours is not None:
            self.colours[area] = 0 if other.colours is None else other.colours[:rows, :columns]

    def get_row_text(self, y: int) -> str:
        """Return row `y` as a string, which is `width` terminal columns wide."""
        return join_glyphs(self.glyphs[y])

    def text(self) -> str:
        """Return the picture as plain text, rows joined by newlines, trailing blanks kept."""
        return "\n".join(self.get_row_text(y) for y in range(self.height))


_LAST_CODE_POINT = 0x10FFFF


def join_glyphs(glyphs: npt.NDArray[np.uint32]) -> str:
    """Return glyphs of a row as text; right halves of wide glyphs add no character."""
    visible = glyphs[glyphs != 0]
    if len(visible) and int(visible.max()) > _LAST_CODE_POINT:
        visible = expand_placeholders(visible)
    return str(visible.astype("<u4").tobytes().decode("utf-32-le"))


PLACEHOLDER = 0x10EEEE
"""Character over which the terminal draws."""

_MARKS = """
0305 030D-030E 0310 0312 033D-033F 0346 034A-034C 0350-0352 0357 035B 0363-036F 0483-0487 0592-0595 0597-0599 059C-05A1
05A8-05A9 05AB-05AC 05AF 05C4 0610-0617 0657-065B 065D-065E 06D6-06DC 06DF-06E2 06E4 06E7-06E8 06EB-06EC 0730 0732-0733
0735-0736 073A 073D 073F-0741 0743 0745 0747 0749-074A 07EB-07F1 07F3 0816-0819 081B-0823 0825-0827 0829-082D 0951
0953-0954 0F82-0F83 0F86-0F87 135D-135F 17DD 193A 1A17 1A75-1A7C 1B6B 1B6D-1B73 1CD0-1CD2 1CDA-1CDB 1CE0 1DC0-1DC1
1DC3-1DC9 1DCB-1DCC 1DD1-1DE6 1DFE 20D0-20D1 20D4-20D7 20DB-20DC 20E1 20E7 20E9 20F0 2CEF-2CF1 2DE0-2DFF A66F A67C-A67D
A6F0-A6F1 A8E0-A8F1 AAB0 AAB2-AAB3 AAB7-AAB8 AABE-AABF AAC1 FE20-FE26 10A0F 10A38 1D185-1D189 1D1AA-1D1AD 1D242-1D244
"""
"""Marks for 0, 1, 2 …, as code points and ranges of them."""

MAX_PLACEHOLDERS = 297
"""Maximum rows and columns of an image: there are no more marks."""

_FIRST_PLACEHOLDER = 0x110000
"""Glyph of row 0, column 0: the first number that is not a code point."""


def build_placeholders(rows: int, columns: int, high: int = 0) -> npt.NDArray[np.uint32]:
    """Return the glyphs of an image, uint32[rows, columns].

    Args:
        rows: Rows of cells, at most `MAX_PLACEHOLDERS`.
        columns: Columns of cells, at most `MAX_PLACEHOLDERS`.
        high: Highest byte of the 32-bit image number; the colour gives the other bytes.
    """
    numbers = (high * MAX_PLACEHOLDERS + np.arange(rows, dtype=np.uint32)[:, None]) * MAX_PLACEHOLDERS + np.arange(
        columns, dtype=np.uint32
    )
    return np.asarray(_FIRST_PLACEHOLDER + numbers, np.uint32)


def expand_placeholders(glyphs: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return glyphs of a row as code points: each placeholder becomes four."""
    is_encoded = glyphs >= _FIRST_PLACEHOLDER
    high_and_row, column = np.divmod(np.where(is_encoded, glyphs - _FIRST_PLACEHOLDER, 0), MAX_PLACEHOLDERS)
    high, row = np.divmod(high_and_row, MAX_PLACEHOLDERS)
    marks = (_mark_codes()[each] for each in (row, column, high))
    sequences = np.stack((np.where(is_encoded, PLACEHOLDER, glyphs), *marks), axis=1)
    return np.asarray(
        sequences[np.stack((np.ones_like(is_encoded), is_encoded, is_encoded, is_encoded), axis=1)], np.uint32
    )


def split_placeholders(glyphs: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
    """Return the columns at which to split a row so that each part can be split again at any cell.

    Rich finds the character of a cell by its fraction of the whole length, in floating point. In parts of 1, 2, 4, 8 …
    placeholders there is no rounding error, so that marks stay with their character.
    """
    is_encoded = glyphs >= _FIRST_PLACEHOLDER
    edges = np.flatnonzero(is_encoded[1:] != is_encoded[:-1]) + 1
    cuts = edges.tolist()
    for start, end in zip([0, *cuts], [*cuts, len(is_encoded)], strict=True):
        if end > start and is_encoded[start]:
            remaining = end - start
            while remaining := remaining & ~(1 << remaining.bit_length() - 1):
                edges = np.append(edges, end - remaining)
    return np.asarray(edges, np.intp)


@cache
def _mark_codes() -> npt.NDArray[np.uint32]:
    marks: list[int] = []
    for part in _MARKS.split():
        first, _, last = part.partition("-")
        marks += range(int(first, 16), int(last or first, 16) + 1)
    return np.array(marks, np.uint32)
