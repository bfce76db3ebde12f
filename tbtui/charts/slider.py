"""A row that says at which of many places one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, write

if TYPE_CHECKING:
    import numpy.typing as npt

RAIL, STOP, KNOB = "─", "┬", "●"

LEAST_RAIL = 8
"""Columns; a shorter rail is left out."""


def slider(places: npt.NDArray[np.float64], chosen: int, before: str, after: str, width: int) -> Cells:
    """`0 ─┬──●──┬─ 440`: all places along a rail, and the chosen one.

    Args:
        places: float64[n], ascending, at least one; what is not finite is not on the rail.
        chosen: Index of the one chosen.
        before: At the left of the rail.
        after: At the right; goes where there is too little room.
        width: Columns of the row.
    """
    cells = Cells.blank(1, max(width, 0))
    room = width - cell_width(before) - cell_width(after) - 4
    if room < LEAST_RAIL:
        write(cells, 0, 1, fit(f"{before} {after}", width - 2), Ink.DIM)
        return cells
    left = write(cells, 0, 1, before, Ink.DIM) + 1
    write(cells, 0, left, RAIL * room, Ink.FAINT)
    write(cells, 0, left + room + 1, after, Ink.DIM)
    finite = np.isfinite(places)
    if finite.any():
        low, high = float(places[finite].min()), float(places[finite].max())
        span = high - low
        parts = np.where(finite, (places - low) / span if 0 < span < np.inf else 0.5, 0.0)
        columns = left + np.rint(parts * (room - 1)).astype(np.intp)
        for column in np.unique(columns[finite]).tolist():
            write(cells, 0, column, STOP, Ink.DIM)
        if finite[chosen]:
            write(cells, 0, int(columns[chosen]), KNOB, Ink.ACCENT)
    return cells
