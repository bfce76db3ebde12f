"""The currency of drawing: a rectangle of character cells with one ink each.

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
    """Roles of the theme. Series colours are 0, 1, 2 … in the palette; their faint twins are `faint(n)`."""

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
"""Inks from here on are series colours mixed towards the background: the raw line behind a smoothed one."""


def faint(ink: int) -> int:
    """The faint twin of a series ink."""
    return ink + FAINT_FROM if 0 <= ink < FAINT_FROM else int(Ink.FAINT)


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
