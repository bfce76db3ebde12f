"""The line above a chart in full size, and pictures put below one another."""

from __future__ import annotations

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, safe, shorten, write

BETWEEN = " · "
"""Stands between the parts of what is said of a chart."""

BACK = "esc back"


def headline(title: str, beside: str, width: int, *, first: bool = False) -> Cells:
    """`‹ title  smooth .60 · x step      esc back`; what is in the way of the title is left out.

    Args:
        title: Of the chart.
        beside: What is said of it, in parts (`BETWEEN` them); the last go where there is no room.
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
    end = write(cells, 0, 2, shorten(title, right - 3), Ink.BOLD)
    write(cells, 0, end + 2, _whole_parts(beside, right - end - 3), Ink.DIM)
    return cells


def _whole_parts(settings: str, room: int) -> str:
    """As many settings as fit, in their order."""
    parts = settings.split(BETWEEN)
    while parts and cell_width(safe(BETWEEN.join(parts))) > room:
        parts.pop()
    return BETWEEN.join(parts)


def below(title: Cells, body: Cells) -> Cells:
    """One picture above another of the same width."""
    both = Cells.blank(title.height + body.height, body.width, coloured=body.colours is not None)
    both.put(0, 0, title)
    both.put(title.height, 0, body)
    return both
