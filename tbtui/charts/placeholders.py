"""Glyphs that stand for parts of a picture which the terminal itself draws over them: one cell each.

To the terminal such a cell is a character of its own with three marks above it, which say which row and which column of
which picture belongs there, as far as its colour does not say that (see `graphics.kitty`). As cells they are moved,
covered and compared like any other text.

Source: kitty, "Terminal graphics protocol", Unicode placeholders, and its `gen/rowcolumn-diacritics.txt`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

PLACEHOLDER = 0x10EEEE
"""The character whose place the terminal draws over."""

_MARKS = """
0305 030D-030E 0310 0312 033D-033F 0346 034A-034C 0350-0352 0357 035B 0363-036F 0483-0487 0592-0595 0597-0599 059C-05A1
05A8-05A9 05AB-05AC 05AF 05C4 0610-0617 0657-065B 065D-065E 06D6-06DC 06DF-06E2 06E4 06E7-06E8 06EB-06EC 0730 0732-0733
0735-0736 073A 073D 073F-0741 0743 0745 0747 0749-074A 07EB-07F1 07F3 0816-0819 081B-0823 0825-0827 0829-082D 0951
0953-0954 0F82-0F83 0F86-0F87 135D-135F 17DD 193A 1A17 1A75-1A7C 1B6B 1B6D-1B73 1CD0-1CD2 1CDA-1CDB 1CE0 1DC0-1DC1
1DC3-1DC9 1DCB-1DCC 1DD1-1DE6 1DFE 20D0-20D1 20D4-20D7 20DB-20DC 20E1 20E7 20E9 20F0 2CEF-2CF1 2DE0-2DFF A66F A67C-A67D
A6F0-A6F1 A8E0-A8F1 AAB0 AAB2-AAB3 AAB7-AAB8 AABE-AABF AAC1 FE20-FE26 10A0F 10A38 1D185-1D189 1D1AA-1D1AD 1D242-1D244
"""
"""The marks for 0, 1, 2 …, as code points and ranges of them."""

MOST = 297
"""Rows and columns that a picture may have: there are no more marks."""

_FROM = 0x110000
"""The glyph of row 0, column 0: the first number that is no code point."""


def placeholders(rows: int, columns: int, high: int = 0) -> npt.NDArray[np.uint32]:
    """Glyphs uint32[rows, columns] of a picture.

    Args:
        rows: Of cells, at most `MOST`.
        columns: Likewise.
        high: The highest of the four bytes of the picture's number; its colour tells the others.
    """
    numbers = (high * MOST + np.arange(rows, dtype=np.uint32)[:, None]) * MOST + np.arange(columns, dtype=np.uint32)
    return np.asarray(_FROM + numbers, np.uint32)


def spelled_out(glyphs: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Glyphs of a row as code points: placeholders become four, all others stay."""
    held = glyphs >= _FROM
    place, column = np.divmod(np.where(held, glyphs - _FROM, 0), MOST)
    high, row = np.divmod(place, MOST)
    marks = (_marks()[each] for each in (row, column, high))
    spelled = np.stack((np.where(held, PLACEHOLDER, glyphs), *marks), axis=1)
    return np.asarray(spelled[np.stack((np.ones_like(held), held, held, held), axis=1)], np.uint32)


def placeholder_cuts(glyphs: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
    """Where to cut a row such that the text of each part may be cut again at any of its cells.

    Rich finds the character of a cell by its part of the whole length, in floating point. Of equal characters without
    rounding, that is in parts of 1, 2, 4, 8 … placeholders, it never takes the marks off theirs.
    """
    held = glyphs >= _FROM
    edges = np.flatnonzero(held[1:] != held[:-1]) + 1
    cuts = edges.tolist()
    for start, end in zip([0, *cuts], [*cuts, len(held)], strict=True):
        if end > start and held[start]:
            left = end - start
            while left := left & ~(1 << left.bit_length() - 1):
                edges = np.append(edges, end - left)
    return np.asarray(edges, np.intp)


@cache
def _marks() -> npt.NDArray[np.uint32]:
    marks: list[int] = []
    for part in _MARKS.split():
        first, _, last = part.partition("-")
        marks += range(int(first, 16), int(last or first, 16) + 1)
    return np.array(marks, np.uint32)
