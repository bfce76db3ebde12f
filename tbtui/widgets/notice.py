"""A few words in the middle of an otherwise empty picture: what is awaited, missing or wrong."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells
from tbtui.charts.text import cell_width, fit, safe, write

if TYPE_CHECKING:
    from collections.abc import Sequence


def notice(lines: Sequence[tuple[str, int]], width: int, height: int) -> Cells:
    """Texts with their inks, one below the other; each is made safe, and wrapped where it must be."""
    cells = Cells.blank(height, width)
    room = max(width - 2, 1)
    wrapped = [(fit(row, room), ink) for text, ink in lines for row in textwrap.wrap(safe(text), room)]
    for y, (row, ink) in enumerate(wrapped, max((height - len(wrapped)) // 2, 0)):
        write(cells, y, max((width - cell_width(row)) // 2, 0), row, ink)
    return cells
