"""Lay out a diagram: coordinates of all boxes, and routes of all links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.graphs.diagram import INLET, OUTLET, OUTSIDE, PlacedBox, PlacedDiagram, Route
from tbtui.plugins.graphs.layout.flow import DOWN, RIGHT
from tbtui.plugins.graphs.layout.nested_layout import lay_out_nested

if TYPE_CHECKING:
    from tbtui.plugins.graphs.diagram import Diagram, Point, ZoomLevel
    from tbtui.plugins.graphs.layout.nested_layout import LaidLink, NestedLayout
    from tbtui.plugins.graphs.layout.routing import FlowCell

MAX_BREADTH = 160
"""Default cells across the flow before boxes side by side continue in the next row."""


def lay_out(diagram: Diagram, zoom: ZoomLevel, *, across: bool = False, breadth: int = MAX_BREADTH) -> PlacedDiagram:
    """Return a diagram with the coordinates of its boxes and the routes of its links.

    Boxes never overlap. Routes run between them and cross no box; they cross borders only at their ends. The
    content of an open box is laid out by the same rules. Equal diagrams get equal layouts.

    Args:
        diagram: Any diagram: with cycles, without links, with thousands of boxes. Self-loops are not drawn.
        zoom: Sizes of boxes and labels; one of `diagram_layout`.
        across: Flow from left to right instead of down.
        breadth: Cells across the flow (columns, or rows if `across`) before boxes side by side start the next row;
            a wider box is not cut.
    """
    nested = lay_out_nested(diagram, zoom, RIGHT if across else DOWN, breadth)
    flattener = _Flattener(across=across)
    flattener.add(nested, (0, 0), OUTSIDE)
    width, height = (nested.depth, nested.breadth) if across else (nested.breadth, nested.depth)
    notes = (f"{nested.omitted_links:,} long links are not drawn",) if nested.omitted_links else ()
    return PlacedDiagram(width, height, tuple(flattener.boxes), tuple(flattener.routes), notes)


class _Flattener:
    """Collects the boxes and routes of nested layouts in one coordinate system."""

    def __init__(self, *, across: bool) -> None:
        self.boxes: list[PlacedBox] = []
        self.routes: list[Route] = []
        self._across = across
        self._net_count = 0

    def add(self, layout: NestedLayout, origin: FlowCell, parent: int) -> None:
        """Add a layout with its first cell at `origin`; `parent` is the box around it."""
        indices = []
        for laid in layout.boxes:
            indices.append(len(self.boxes))
            start = (origin[0] + laid.start[0], origin[1] + laid.start[1])
            left, top = self._to_screen(start)
            width, height = self._to_screen((laid.breadth, laid.depth))
            is_open = laid.content is not None
            box = PlacedBox(
                item=laid.box.item,
                kind=laid.box.kind,
                lines=laid.face.lines,
                left=left,
                top=top,
                width=width,
                height=height,
                is_framed=laid.face.is_framed or is_open,
                is_open=is_open,
                parent=parent,
                is_aside=laid.is_aside,
            )
            self.boxes.append(box)
            if laid.content is not None:
                self.add(laid.content, (start[0] + laid.content_offset, start[1]), indices[-1])
        for link in layout.links:
            self.routes.append(self._build_route(link, origin, indices, parent))
        self._net_count += layout.net_count

    def _build_route(self, laid: LaidLink, origin: FlowCell, indices: list[int], parent: int) -> Route:
        link = laid.link
        label_cell = None
        if laid.label_cell is not None:
            label_cell = self._to_screen((origin[0] + laid.label_cell[0], origin[1] + laid.label_cell[1]))
        return Route(
            source=parent if link.source == INLET else indices[link.source],
            target=parent if link.target == OUTLET else indices[link.target],
            points=tuple(self._to_screen((origin[0] + across, origin[1] + along)) for across, along in laid.corners),
            net=self._net_count + laid.net,
            label=laid.label.lines[0],
            label_cell=label_cell,
            is_control=link.is_control,
            weight=link.weight,
            is_outlet=link.target == OUTLET,
            tensors=link.tensors,
        )

    def _to_screen(self, cell: FlowCell) -> Point:
        """Return (column, row), or (width, height), for coordinates across and along the flow."""
        return (cell[1], cell[0]) if self._across else cell
