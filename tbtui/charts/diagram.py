"""A layout as character cells: the part of it that a window shows."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.cells import Cells, Ink, grounds
from tbtui.charts.diagram_boxes import BoxLook, draw_box
from tbtui.charts.line_art import LineArt
from tbtui.charts.text import write
from tbtui.graphs.places import merged

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy.typing as npt

    from tbtui.graphs.places import Layout, Place


class Window(NamedTuple):
    """A rectangle of a layout; it may reach beyond its edges."""

    left: int
    top: int
    width: int
    height: int

    def sees(self, rectangles: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
        """Indices of rectangles (first column, first row, last column, last row) of which it shows a part."""
        left, top, right, bottom = rectangles.T[:4]
        across = (left < self.left + self.width) & (right >= self.left)
        return np.flatnonzero(across & (top < self.top + self.height) & (bottom >= self.top))


_HEADS = np.array([ord(char) for char in "▶◀▼▲"], np.uint32)

_LINE_INKS = (Ink.DIM, Ink.ACCENT, Ink.ACCENT)
"""Of links by how much they stand out: those between marked items, and those of the chosen one."""

_BESIDE_MARKED = (Ink.FAINT, Ink.ACCENT, Ink.TEXT)
"""Likewise where some items are marked: a link of the chosen one is none between them."""


def draw_diagram(
    layout: Layout,
    window: Window,
    *,
    chosen: int | None = None,
    marked: Collection[int] = (),
    tints: Mapping[int, int] = MappingProxyType({}),
) -> Cells:
    """Cells of exactly the size of the window.

    Args:
        layout: Any.
        window: What of it is seen.
        chosen: Item under the cursor: its name is on a ground, its frame and its links lead, these beyond the borders
            of opened boxes, too.
        marked: Items that stand out, such as those found or traced, while all others are dim; links between two of
            them do, too, but not those inside an opened box that leave it for none of them.
        tints: Ink of an item: one with a ground (`cells.heat`) colours its whole box, a series colour its frame. Where
            items are marked no others have one.
    """
    if min(window.width, window.height) < 1:
        return Cells.blank(max(window.height, 0), max(window.width, 0))
    art = LineArt(*window)
    levels = _levels(layout, chosen, marked)
    inks = np.array(_BESIDE_MARKED if marked else _LINE_INKS, np.int16)
    _lines(art, layout, window, levels, inks)
    seen = window.sees(layout.rectangles).tolist()
    looks = {index: _look(layout.places[index], chosen, marked, tints) for index in seen}
    for index, look in looks.items():
        place = layout.places[index]
        if place.framed:
            art.frame(place.left, place.top, place.right, place.bottom, look.ink)
    cells = art.cells()
    for index, look in looks.items():
        draw_box(cells, window[:2], layout.places[index], layout.gates.get(index, ()), look)
    _heads(cells, layout, window, levels, inks)
    for index, x, y in _labels(layout, window):
        write(cells, y - window.top, x - window.left, layout.routes[index].label, int(inks[levels[index]]))
    return cells


def _look(place: Place, chosen: int | None, marked: Collection[int], tints: Mapping[int, int]) -> BoxLook:
    item = place.item
    if item in marked or item == chosen:
        return BoxLook(Ink.ACCENT, tints.get(item), chosen=item == chosen, leads=True)
    if marked:
        return BoxLook(Ink.FAINT, dim=True)
    usual = Ink.FAINT if place.opened or place.aside else Ink.DIM
    return BoxLook(tints.get(item, usual), tints.get(item), dim=place.aside)


def _levels(layout: Layout, chosen: int | None, marked: Collection[int]) -> npt.NDArray[np.int8]:
    """How much each route stands out: an index into `_LINE_INKS`."""
    levels = np.zeros(len(layout.routes), np.int8)
    if marked:
        between = np.flatnonzero(np.isin(layout.ends, list(marked)).all(axis=1))
        levels[list(layout.crossings.led_on(between.tolist()))] = 1
    if chosen is not None:
        own = np.flatnonzero((layout.ends == chosen).any(axis=1))
        followed = list(layout.crossings.followed(own.tolist()))
        levels[followed] = np.where(levels[followed] == 1, 1, 2)
    return levels


def _lines(
    art: LineArt, layout: Layout, window: Window, levels: npt.NDArray[np.int8], inks: npt.NDArray[np.int16]
) -> None:
    """Draw the routes that a window shows, those that stand out above the others."""
    shown = [layout.pieces[window.sees(layout.pieces)].tolist()]
    for level in range(1, len(inks)):
        runs = layout.runs[levels[layout.runs[:, 6]] == level] if (levels == level).any() else layout.runs[:0]
        shown.append(merged(runs[window.sees(runs), :6].tolist()))
    for pieces, ink in zip(shown, inks.tolist(), strict=True):
        for x, y, u, v, net, control in pieces:
            art.line((x, y), (u, v), ink, net, dashed=bool(control))


def _heads(
    cells: Cells, layout: Layout, window: Window, levels: npt.NDArray[np.int8], inks: npt.NDArray[np.int16]
) -> None:
    """Draw the arrows of routes, those that stand out above the others; in a coloured box on its ground."""
    x, y = layout.heads[:, 1] - window.left, layout.heads[:, 2] - window.top
    heads = layout.heads[(x >= 0) & (x < cells.width) & (y >= 0) & (y < cells.height)]
    route, x, y, direction = heads[np.argsort(levels[heads[:, 0]], kind="stable")].T
    at = y - window.top, x - window.left
    cells.glyphs[at] = _HEADS[direction]
    held = cells.inks[at]
    cells.inks[at] = np.where((held != Ink.CURSOR) & (grounds(held) != 0), held, inks[levels[route]])


def _labels(layout: Layout, window: Window) -> list[tuple[int, int, int]]:
    """Route, column and row of each label in the rows of a window."""
    labels = layout.labels
    rows = (labels[:, 2] >= window.top) & (labels[:, 2] < window.top + window.height)
    return [(index, x, y) for index, x, y in labels[rows].tolist()]


def reveal(layout: Layout, window: Window, item: int) -> Window:
    """The window moved as little as shows an item with what is around it; a layout that fits is centred."""
    place = layout.place(item)
    begin, end = ((place.left, place.top), (place.right, place.bottom)) if place is not None else ((0, 0), (0, 0))
    if place is not None and place.opened:
        end = (place.right, min(place.bottom, place.top + 2))
    left, top = (
        _shown(at, size, whole, low, high, margin)
        for at, size, whole, low, high, margin in zip(
            window[:2], window[2:], (layout.width, layout.height), begin, end, _AROUND, strict=True
        )
    )
    return Window(left, top, window.width, window.height)


_AROUND = (6, 3)
"""Columns and rows around a box that are seen with it."""


def _shown(at: int, size: int, whole: int, low: int, high: int, margin: int) -> int:
    """Where a window along one axis begins."""
    if whole <= size:
        return -((size - whole) // 2)
    at = min(max(at, high + margin + 1 - size), low - margin)
    return min(max(at, 0), whole - size)
