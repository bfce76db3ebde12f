"""What of a diagram lies beyond the edges of a window, said at these edges: nobody shall think that it ends there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, write

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.diagram import Window
    from tbtui.graphs.places import Layout

Side: TypeAlias = Literal["left", "right", "up", "down"]

_BLANK = ord(" ")
_FORMS: Mapping[Side, tuple[str, str]] = {
    "left": ("←", "← {} more"),
    "right": ("→", "{} more →"),
    "up": ("↑", "↑ {} more"),
    "down": ("↓", "↓ {} more"),
}
"""What is said where nothing but lines go on, and where boxes do."""


def beyond(layout: Layout, window: Window) -> dict[Side, int]:
    """How many closed boxes are not seen whole in each direction in which the diagram goes on; 0 where only lines do.

    Args:
        layout: Any.
        window: What of it is seen.
    """
    right, bottom = window.left + window.width, window.top + window.height
    closed = np.array([not place.opened for place in layout.places], np.bool_)
    first, top, last, low = layout.rectangles[closed].T
    goes_on: dict[Side, bool] = {
        "left": window.left > 0,
        "right": layout.width > right,
        "up": window.top > 0,
        "down": layout.height > bottom,
    }
    cut: dict[Side, npt.NDArray[np.bool_]] = {
        "left": first < window.left,
        "right": last >= right,
        "up": top < window.top,
        "down": low >= bottom,
    }
    return {side: int(np.count_nonzero(cut[side])) for side, more in goes_on.items() if more}


def draw_edges(cells: Cells, layout: Layout, window: Window) -> None:
    """Say at the edges of a picture of a window how much more there is: `12 more →`.

    Args:
        cells: From `draw_diagram`; changed in place, where nothing is drawn if there is such a place.
        layout: What they are of.
        window: What of it they show.
    """
    more = beyond(layout, window)
    taken = _taken(cells, layout, window) if more else cells.glyphs != _BLANK
    apart = _widened(taken)
    for side, count in more.items():
        texts = [f" {text} " for text in _texts(side, count) if cell_width(text) + 2 <= cells.width]
        found = [(text, *_place(free, side, cell_width(text))) for free in (apart, taken) for text in texts]
        if found:
            text, row, column, _ = next((one for one in found if not one[-1]), found[-1])
            write(cells, row, column, text, Ink.TEXT)


def _texts(side: Side, count: int) -> tuple[str, ...]:
    """What may be said, the longest first."""
    sign, words = _FORMS[side]
    long = words.format(f"{count:,}")
    return (long, long.replace(" more", "")) if count else (sign,)


def _taken(cells: Cells, layout: Layout, window: Window) -> npt.NDArray[np.bool_]:
    """bool[height, width]: where something is drawn, or inside of a closed box, of which it would seem to be said."""
    taken: npt.NDArray[np.bool_] = cells.glyphs != _BLANK
    for index in window.sees(layout.rectangles).tolist():
        place = layout.places[index]
        if not place.opened:
            left, top = place.left - window.left, place.top - window.top
            taken[max(top, 0) : max(top + place.height, 0), max(left, 0) : max(left + place.width, 0)] = True
    return taken


def _widened(taken: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """With two more columns on both sides of all that is taken: what stands closer is read with it."""
    wide: npt.NDArray[np.bool_] = taken.copy()
    for far in (1, 2):
        wide[:, far:] |= taken[:, :-far]
        wide[:, :-far] |= taken[:, far:]
    return wide


def _place(taken: npt.NDArray[np.bool_], side: Side, width: int) -> tuple[int, int, bool]:
    """Row and column as near the middle of an edge as nothing is covered, or in the middle; whether anything is."""
    last_row, last_column = taken.shape[0] - 1, taken.shape[1] - width
    if side in ("left", "right"):
        rows, columns = [*range(1, last_row)] or [0], [0 if side == "left" else last_column]
    else:
        rows, columns = [0 if side == "up" else last_row], [*range(last_column + 1)]
    covers = [[bool(taken[row, column : column + width].any()) for column in columns] for row in rows]
    far = np.abs(np.add.outer(np.array(rows) - rows[len(rows) // 2], np.array(columns) - columns[len(columns) // 2]))
    row, column = divmod(int(np.argmin(far + np.array(covers) * sum(taken.shape))), len(columns))
    return rows[row], columns[column], covers[row][column]
