"""Lay out a diagram: coordinates of all boxes, and routes of all links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.graphs.diagram import INLET, OUTLET, OUTSIDE, PlacedBox, PlacedDiagram, Route
from tbtui.plugins.graphs.layout.flow import ACROSS, DOWN
from tbtui.plugins.graphs.layout.nested_layout import lay_out_nested

if TYPE_CHECKING:
    from tbtui.plugins.graphs.diagram import Diagram, Point, ZoomLevel
    from tbtui.plugins.graphs.layout.nested_layout import LaidLink, NestedLayout

MAX_BREADTH = 160
"""Default cells across the flow before boxes side by side continue in the next row."""


def lay_out(diagram: Diagram, zoom: ZoomLevel, *, across: bool = False, breadth: int = MAX_BREADTH) -> PlacedDiagram:
    """Return a diagram with the coordinates of its boxes and the routes of its links.

    Boxes never overlap. Routes run between them and cross no box; they cross borders only at their ends. The
    content of an open box is laid out by the same rules. Equal diagrams get equal layouts.

    Args:
        diagram: Any diagram: with cycles, without links, with thousands of boxes. Self-loops are not drawn.
        zoom: Sizes of boxes and labels; one of `diagram_zoom`.
        across: Flow from left to right instead of down.
        breadth: Cells across the flow (columns, or rows if `across`) before boxes side by side start the next row;
            a wider box is not cut.
    """
    nested = lay_out_nested(diagram, zoom, ACROSS if across else DOWN, breadth)
    flattener = _Flattener(across=across)
    flattener.add(nested, (0, 0), OUTSIDE)
    width, height = (nested.depth, nested.breadth) if across else (nested.breadth, nested.depth)
    notes = (f"{nested.omitted:,} long links are not drawn",) if nested.omitted else ()
    return PlacedDiagram(width, height, tuple(flattener.boxes), tuple(flattener.routes), notes)


class _Flattener:
    """Collects the boxes and routes of nested layouts in one coordinate system."""

    def __init__(self, *, across: bool) -> None:
        self.boxes: list[PlacedBox] = []
        self.routes: list[Route] = []
        self._across = across
        self._nets = 0

    def add(self, layout: NestedLayout, origin: Point, inside: int) -> None:
        """Add a layout with its first cell at `origin`, inside a box."""
        indices = []
        for laid in layout.boxes:
            indices.append(len(self.boxes))
            start = (origin[0] + laid.start[0], origin[1] + laid.start[1])
            left, top = self._to_screen(start)
            width, height = self._to_screen((laid.breadth, laid.depth))
            opened = laid.content is not None
            kind, framed = laid.box.kind, laid.face.framed or opened
            box = PlacedBox(
                laid.box.item, kind, laid.face.lines, left, top, width, height, framed, opened, inside, laid.is_aside
            )
            self.boxes.append(box)
            if laid.content is not None:
                self.add(laid.content, (start[0] + laid.shift, start[1]), indices[-1])
        for link in layout.links:
            self.routes.append(self._route(link, origin, indices, inside))
        self._nets += layout.nets

    def _route(self, laid: LaidLink, origin: Point, indices: list[int], inside: int) -> Route:
        link = laid.link
        points = tuple(self._to_screen((origin[0] + across, origin[1] + along)) for across, along in laid.points)
        source = inside if link.source == INLET else indices[link.source]
        target = inside if link.target == OUTLET else indices[link.target]
        label_at = None
        if laid.label_at is not None:
            label_at = self._to_screen((origin[0] + laid.label_at[0], origin[1] + laid.label_at[1]))
        is_outlet = link.target == OUTLET
        return Route(
            source,
            target,
            points,
            self._nets + laid.net,
            laid.label.lines[0],
            label_at,
            link.control,
            link.weight,
            is_outlet,
            link.carries,
        )

    def _to_screen(self, cell: Point) -> Point:
        """Return (column, row), or (width, height), for coordinates across and along the flow."""
        return (cell[1], cell[0]) if self._across else cell
