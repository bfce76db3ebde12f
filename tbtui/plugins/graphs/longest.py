"""The list of the operations that cost most, below the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import fit, pad, shorten, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.plugins.graphs.times import Measure
    from tbtui.plugins.graphs.top import TopRow

LEAST_HEIGHT = 3
"""Minimum number of lines of the list: the titles and two rows."""

LEAST_NAME = 16
OP_WIDTH, FIGURE_WIDTH, COUNT_WIDTH = 16, 9, 6
HEADS: Mapping[Measure, tuple[str, ...]] = {
    "time": ("longest", "type", "time", "share", "runs"),
    "memory": ("largest", "type", "memory", "share", "runs"),
}


def draw_longest(rows: Sequence[TopRow], measure: Measure, width: int, height: int) -> Cells:
    """Draw as many rows as fit, the costly first.

    Args:
        rows: In order.
        measure: What they are ordered by.
        width: Columns; what is less telling than the time goes where they are few.
        height: Lines; the first has the heads.
    """
    cells = Cells.blank(height, width)
    costs = (row.time if measure == "time" else row.memory for row in rows)
    told = zip(rows, costs, strict=True)
    texts = [HEADS[measure], *((row.name, row.op, cost, row.share, f"{row.executions:,}") for row, cost in told)]
    for y, (name, op, cost, share, count) in enumerate(texts[:height]):
        right = f"{cost:>{FIGURE_WIDTH}}{share:>{FIGURE_WIDTH}}"
        if width >= LEAST_NAME + len(right) + COUNT_WIDTH:
            right += f"{count:>{COUNT_WIDTH}}"
        if width >= LEAST_NAME + len(right) + OP_WIDTH:
            right = f" {pad(shorten(op, OP_WIDTH - 1), OP_WIDTH - 1)}{right}"
        room = max(width - len(right) - 1, 0)
        write(cells, y, 0, shorten(name, room), Ink.TEXT if y else Ink.DIM)
        write(cells, y, width - len(right), fit(right, width), Ink.DIM)
    return cells
