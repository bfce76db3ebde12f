"""Lay out a diagram: give every box a place and every link a route."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.graphs.diagram import INLET, OUTLET, OUTSIDE, PlacedBox, PlacedDiagram, Route
from tbtui.plugins.graphs.layout.flow import ACROSS, DOWN
from tbtui.plugins.graphs.layout.nested_layout import lay_out_nested

if TYPE_CHECKING:
    from tbtui.plugins.graphs.diagram import Diagram, Point, ZoomLevel
    from tbtui.plugins.graphs.layout.nested_layout import LaidLink, NestedLayout

BREADTH = 160
"""Default cells across the flow that are filled before boxes side by side continue in the next row."""


def lay_out(diagram: Diagram, measure: ZoomLevel, *, across: bool = False, breadth: int = BREADTH) -> PlacedDiagram:
    """Give every box a place and every link a route.

    Boxes never overlap. Routes run between them and cross no box; they cross borders only where they begin or end. The
    content of an open box is laid out by the same rules. Equal diagrams get equal layouts.

    Args:
        diagram: Any: with cycles, without links, with thousands of boxes. Self-loops are not drawn.
        measure: Sizes of boxes and labels; `diagram_zoom` has one for each zoom level.
        across: Flow from left to right instead of down.
        breadth: Cells across the flow (columns, or rows if `across`) that are filled before boxes side by side continue
            in the next row; a wider box is not cut.
    """
    part = lay_out_nested(diagram, measure, ACROSS if across else DOWN, breadth)
    places: list[PlacedBox] = []
    routes: list[Route] = []
    _Flattening(places, routes, across=across).add(part, (0, 0), OUTSIDE)
    width, height = (part.depth, part.breadth) if across else (part.breadth, part.depth)
    notes = (f"{part.left_out:,} long links are not drawn",) if part.left_out else ()
    return PlacedDiagram(width, height, tuple(places), tuple(routes), notes)


class _Flattening:
    """Converts nested parts to places and routes of one grid."""

    def __init__(self, places: list[PlacedBox], routes: list[Route], *, across: bool) -> None:
        self._places, self._routes, self._across = places, routes, across
        self._nets = 0

    def add(self, part: NestedLayout, at: Point, inside: int) -> None:
        """Add a part at a cell, inside a place."""
        first = []
        for laid in part.boxes:
            first.append(len(self._places))
            begin = (at[0] + laid.at[0], at[1] + laid.at[1])
            left, top = self._turned(begin)
            width, height = self._turned((laid.breadth, laid.depth))
            opened = laid.content is not None
            kind, framed = laid.box.kind, laid.face.framed or opened
            place = PlacedBox(
                laid.box.item, kind, laid.face.lines, left, top, width, height, framed, opened, inside, laid.aside
            )
            self._places.append(place)
            if laid.content is not None:
                self.add(laid.content, (begin[0] + laid.shift, begin[1]), first[-1])
        for one in part.links:
            self._routes.append(self._route(one, at, first, inside))
        self._nets += part.nets

    def _route(self, laid: LaidLink, at: Point, first: list[int], inside: int) -> Route:
        link = laid.link
        points = tuple(self._turned((at[0] + across, at[1] + along)) for across, along in laid.points)
        source = inside if link.source == INLET else first[link.source]
        target = inside if link.target == OUTLET else first[link.target]
        label_at = None
        if laid.label_at is not None:
            label_at = self._turned((at[0] + laid.label_at[0], at[1] + laid.label_at[1]))
        passes = link.target == OUTLET
        return Route(
            source,
            target,
            points,
            self._nets + laid.net,
            laid.label.lines[0],
            label_at,
            link.control,
            link.weight,
            passes,
            link.carries,
        )

    def _turned(self, cell: Point) -> Point:
        """Return (column, row), or (width, height), for coordinates across and along the flow."""
        return (cell[1], cell[0]) if self._across else cell
