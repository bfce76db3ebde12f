"""Where a picture stands in its room, and what stands there when there is none."""

from __future__ import annotations

import textwrap

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import fit, safe, write

NOTHING = Cells.blank(0, 0)


def centred(cells: Cells, columns: int, rows: int) -> Cells:
    """A picture in the middle of a room."""
    room = Cells.blank(max(rows, 0), max(columns, 0), coloured=True)
    room.put(max((rows - cells.height) // 2, 0), max((columns - cells.width) // 2, 0), cells)
    return room


def said(why: str, columns: int, rows: int) -> Cells:
    """Why there is no picture; it is wrapped where it must be."""
    room = Cells.blank(max(rows, 0), max(columns, 0))
    lines = textwrap.wrap(safe(why), max(columns - 2, 1))
    for y, line in enumerate(lines[:rows], max(min(rows // 3, rows - len(lines)), 0)):
        write(room, y, 1, fit(line, columns - 2), Ink.WARN)
    return room
