"""Lines of box characters that join where they meet: frames of boxes and what runs between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells, Ink

if TYPE_CHECKING:
    import numpy.typing as npt

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
"""Arms of a cell: where lines go on from its middle."""

_GLYPHS = np.array([ord(char) for char in " ╵╷│╴╯╮┤╶╰╭├─┴┬┼"], np.uint32)
"""By the sum of the arms."""

_DASHED = _GLYPHS.copy()
_DASHED[[UP | DOWN, LEFT | RIGHT]] = ord("┊"), ord("┄")

_BRIDGE = ord("│")
"""Where lines of two nets cross: the one that runs down lies above the other, so that none seems to branch there."""

_HEAVY = str.maketrans("╭╮╰╯─│├┤┬┴┼┌┐└┘", "┏┓┗┛━┃┣┫┯┷┿┏┓┗┛")

NO_NET = -1
_FRAME = -2


class LineArt:
    """A window on lines: only what is inside it is kept."""

    def __init__(self, left: int, top: int, width: int, height: int) -> None:
        self._left, self._top, self._width, self._height = left, top, width, height
        self._arms = np.zeros((height, width), np.uint8)
        self._inks = np.full((height, width), Ink.NONE, np.int16)
        self._solid = np.zeros((height, width), bool)
        self._upright = np.full((height, width), NO_NET, np.int32)
        self._level = np.full((height, width), NO_NET, np.int32)

    def line(self, begin: tuple[int, int], end: tuple[int, int], ink: int, net: int, *, dashed: bool = False) -> None:
        """A straight line between two cells (column and row), both included; later ones colour what they share."""
        (x, y), (u, v) = begin, end
        upright = x == u
        low, high = (min(y, v), max(y, v)) if upright else (min(x, u), max(x, u))
        across, along = (x - self._left, self._top) if upright else (y - self._top, self._left)
        limits = (self._width, self._height) if upright else (self._height, self._width)
        first, last = max(low - along, 0), min(high - along, limits[1] - 1)
        if not 0 <= across < limits[0] or first > last:
            return
        part = (slice(first, last + 1), across) if upright else (across, slice(first, last + 1))
        backward, forward = (UP, DOWN) if upright else (LEFT, RIGHT)
        arms = self._arms[part]
        arms[int(first + along == low) :] |= backward
        arms[: len(arms) - int(last + along == high)] |= forward
        self._inks[part] = ink
        self._solid[part] |= not dashed
        (self._upright if upright else self._level)[part] = net

    def frame(self, left: int, top: int, right: int, bottom: int, ink: int) -> None:
        """A rectangle, at least two cells wide and high; lines that end in it join it."""
        left, right, top, bottom = left - self._left, right - self._left, top - self._top, bottom - self._top
        columns, rows = slice(max(left, 0), max(right + 1, 0)), slice(max(top, 0), max(bottom + 1, 0))
        for row, corner in ((top, DOWN), (bottom, UP)):
            if 0 <= row < self._height:
                self._arms[row, columns] |= LEFT | RIGHT
                self._inks[row, columns] = ink
                self._solid[row, columns] = True
                self._level[row, columns] = _FRAME
                if 0 <= left < self._width:
                    self._arms[row, left] = corner | RIGHT
                if 0 <= right < self._width:
                    self._arms[row, right] = corner | LEFT
        inner = slice(max(top + 1, 0), max(bottom, 0))
        for column in (left, right):
            if 0 <= column < self._width:
                self._arms[inner, column] |= UP | DOWN
                self._inks[rows, column] = ink
                self._solid[rows, column] = True
                self._upright[rows, column] = _FRAME

    def cells(self) -> Cells:
        """All lines as glyphs."""
        crossing = (self._arms == UP | DOWN | LEFT | RIGHT) & (self._upright != self._level)
        crossing &= (self._upright >= 0) & (self._level >= 0)
        glyphs = np.where(self._solid, _GLYPHS[self._arms], _DASHED[self._arms])
        glyphs[crossing] = _BRIDGE
        return Cells(glyphs, self._inks)


def heavy(glyphs: npt.NDArray[np.uint32]) -> None:
    """Make the lines of a part of a picture heavy, in place; what joins it stays light."""
    flat = glyphs.ravel()
    text = "".join(map(chr, flat.tolist())).translate(_HEAVY)
    glyphs[...] = np.array([ord(char) for char in text], np.uint32).reshape(glyphs.shape)
