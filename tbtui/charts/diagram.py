"""A layout as character cells: the part of it that a window shows."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.diagram_boxes import BoxLook, draw_box
from tbtui.charts.line_art import LineArt
from tbtui.charts.text import write
from tbtui.graphs.places import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy.typing as npt

    from tbtui.graphs.places import Layout, Place, Route


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


class _Look(NamedTuple):
    """What of a layout stands out."""

    layout: Layout
    chosen: int | None
    marked: Collection[int]
    tints: Mapping[int, int]

    def frame(self, place: Place) -> int:
        """Ink of a frame."""
        if place.item == self.chosen:
            return Ink.ACCENT
        if place.item in self.marked:
            return Ink.WARN
        if place.item in self.tints:
            return self.tints[place.item]
        return Ink.FAINT if place.opened or place.aside else Ink.DIM

    def line(self, route: Route) -> int:
        """Ink of a route."""
        ends = [self.layout.places[end].item for end in (route.source, route.target) if end != OUTSIDE]
        if self.chosen is not None and self.chosen in ends:
            return Ink.ACCENT
        return Ink.WARN if len(ends) == 2 and all(end in self.marked for end in ends) else Ink.DIM


_ABOVE = {int(Ink.DIM): 0, int(Ink.WARN): 1, int(Ink.ACCENT): 2}
"""Which lines lie above which."""


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
        chosen: Item under the cursor: its frame and its links lead.
        marked: Items that stand out, such as those found or traced; links between two of them do, too.
        tints: Ink of an item: one with a ground (`cells.heat`) colours its whole box, a series colour its frame.
    """
    if min(window.width, window.height) < 1:
        return Cells.blank(max(window.height, 0), max(window.width, 0))
    look = _Look(layout, chosen, marked, tints)
    art = LineArt(*window)
    inks: dict[int, int] = {}
    pieces = layout.segments[window.sees(layout.segments)].tolist()
    for *_, index in pieces:
        if index not in inks:
            inks[index] = int(look.line(layout.routes[index]))
    for x, y, u, v, index in sorted(pieces, key=lambda piece: _ABOVE[inks[piece[4]]]):
        route = layout.routes[index]
        art.line((x, y), (u, v), inks[index], route.net, dashed=route.control)
    seen = window.sees(layout.rectangles).tolist()
    for place in map(layout.places.__getitem__, seen):
        if place.framed:
            art.frame(place.left, place.top, place.right, place.bottom, look.frame(place))
    cells = art.cells()
    for index in seen:
        place = layout.places[index]
        how = BoxLook(look.frame(place), tints.get(place.item), place.item == chosen)
        draw_box(cells, window[:2], place, layout.gates.get(index, ()), how)
    for index in sorted(inks, key=lambda index: _ABOVE[inks[index]]):
        _arrow(cells, window, layout, layout.routes[index], inks[index])
    for index, x, y in _labels(layout, window):
        ink = inks.get(index, int(Ink.DIM))
        write(cells, y - window.top, x - window.left, layout.routes[index].label, ink)
    return cells


def _labels(layout: Layout, window: Window) -> list[tuple[int, int, int]]:
    """Route, column and row of each label in the rows of a window."""
    labels = layout.labels
    rows = (labels[:, 2] >= window.top) & (labels[:, 2] < window.top + window.height)
    return [(index, x, y) for index, x, y in labels[rows].tolist()]


def _arrow(cells: Cells, window: Window, layout: Layout, route: Route, ink: int) -> None:
    """The head of a route, in the border where it ends; before a box without one only of what runs back."""
    if route.passes:
        return
    (x, y), (u, v) = route.points[-2:]
    across, along = int(np.sign(u - x)), int(np.sign(v - y))
    if route.target != OUTSIDE and not layout.places[route.target].framed:
        if across + along > 0:
            return
        u, v = u - across, v - along
    column, row = u - window.left, v - window.top
    if 0 <= column < cells.width and 0 <= row < cells.height:
        cells.glyphs[row, column] = ord("▶◀▼▲"[(across < 0) + 2 * bool(along) + (along < 0)])
        cells.inks[row, column] = ink


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
