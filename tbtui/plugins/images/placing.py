"""Where a picture stands in its room, and what stands there when there is none."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import fit, safe, write
from tbtui.plugins.images.drawing import Drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTHING = Cells.blank(0, 0)


def centred(drawn: Drawn, columns: int, rows: int) -> Drawn:
    """A picture in the middle of a room."""
    cells, room = drawn.cells, Cells.blank(max(rows, 0), max(columns, 0), coloured=True)
    top, left = max((rows - cells.height) // 2, 0), max((columns - cells.width) // 2, 0)
    room.put(top, left, cells)
    return Drawn(room, tuple(inset.moved(top, left) for inset in drawn.insets))


def said(why: str, columns: int, rows: int) -> Cells:
    """Why there is no picture; it is wrapped where it must be."""
    return _lines(textwrap.wrap(safe(why), max(columns - 2, 1)), columns, rows, Ink.WARN)


def told(lines: Sequence[str], columns: int, rows: int) -> Cells:
    """What is known of a picture in place of it; lines that are too long are cut."""
    return _lines(lines, columns, rows, Ink.DIM)


def _lines(lines: Sequence[str], columns: int, rows: int, ink: Ink) -> Cells:
    room = Cells.blank(max(rows, 0), max(columns, 0))
    for y, line in enumerate(lines[:rows], max(min(rows // 3, rows - len(lines)), 0)):
        write(room, y, 1, fit(line, columns - 2), ink)
    return room
