"""The line above a chart in full size, and pictures put below one another."""

from __future__ import annotations

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, safe, shorten, write

BETWEEN = " · "
"""Stands between the parts of what is said of a chart."""

BACK = "esc back"

LEAST_PART = 8
"""Columns in which something can be said."""


def headline(title: str, beside: str, width: int, *, first: bool = False) -> Cells:
    """`‹ title  smooth .60 · x step      esc back`; what has no room beside the title is left out, its first part last.

    Args:
        title: Of the chart.
        beside: What is said of it, in parts (`BETWEEN` them); the last go where there is no room, and the first loses
            its middle. The title has half of the room at least.
        width: Columns of the line.
        first: Whether that counts for more than the way back.
    """
    cells = Cells.blank(1, max(width, 0))
    write(cells, 0, 0, "‹", Ink.ACCENT)
    right = width - len(BACK)
    asked = min(cell_width(safe(title)), 12) + (2 + cell_width(safe(beside)) if first else 0)
    if right - 3 >= asked:
        write(cells, 0, right, BACK, Ink.DIM)
    else:
        right = width
    room = right - 3
    lead = cell_width(safe(beside.split(BETWEEN, maxsplit=1)[0]))
    end = write(cells, 0, 2, shorten(title, max(room - lead - 2, -(-room // 2)) if lead else room), Ink.BOLD)
    write(cells, 0, end + 2, _parts(beside, right - end - 3), Ink.DIM)
    return cells


def _parts(beside: str, room: int) -> str:
    """As many parts as fit, in their order; where none does the first without its middle."""
    parts = beside.split(BETWEEN)
    while len(parts) > 1 and cell_width(safe(BETWEEN.join(parts))) > room:
        parts.pop()
    return shorten(BETWEEN.join(parts), room) if room >= LEAST_PART else ""


def below(title: Cells, body: Cells) -> Cells:
    """One picture above another of the same width."""
    both = Cells.blank(title.height + body.height, body.width, coloured=body.colours is not None)
    both.put(0, 0, title)
    both.put(title.height, 0, body)
    return both
