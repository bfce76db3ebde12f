"""Lay out nested diagrams inside out: the content of an open box first, then the box; and pack boxes without links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tbtui.plugins.graphs.diagram import INLET, OUTLET
from tbtui.plugins.graphs.layout.border_ports import BorderPort, all_tensors
from tbtui.plugins.graphs.layout.flow import FlowLayout, NodeSize, lay_out_flow
from tbtui.plugins.graphs.layout.flow_graph import build_flow_graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.diagram import Box, BoxFace, Diagram, Link, Point, ZoomLevel
    from tbtui.plugins.graphs.layout.flow import FlowDirection
    from tbtui.plugins.graphs.layout.flow_graph import Component, FlowGraph


Spot = tuple[int, int]
"""First cell, across and along."""


Extent = tuple[int, int]
"""Number of cells across and along."""


class Packed(NamedTuple):
    """Packed rectangles."""

    spots: list[Spot]
    breadths: list[int]
    """Cells across that each rectangle may take."""

    extent: Extent
    """Extent of all rectangles together."""


def pack_rows(extents: Sequence[Extent], room: int, gaps: tuple[int, int]) -> Packed:
    """Pack rectangles into rows, in order.

    Args:
        extents: Extents of the rectangles.
        room: Cells across per row; a wider rectangle gets a row of its own.
        gaps: Blank cells between two rectangles, across and along.
    """
    spots: list[Spot] = []
    across = along = deepest = widest = 0
    for breadth, depth in extents:
        if across and across + breadth > room:
            along, across, deepest = along + deepest + gaps[1], 0, 0
        spots.append((across, along))
        widest, deepest = max(widest, across + breadth), max(deepest, depth)
        across += breadth + gaps[0]
    return Packed(spots, [breadth for breadth, _ in extents], (widest, along + deepest))


def pack_table(extents: Sequence[Extent], room: int, gaps: tuple[int, int]) -> Packed:
    """Pack rectangles into as many columns as fit; all of one column are equally wide."""
    breadths = [breadth for breadth, _ in extents]
    count = min(len(extents), max((room + gaps[0]) // (min(breadths) + gaps[0]), 1))
    while count > 1 and sum(_columns(breadths, count)) + (count - 1) * gaps[0] > room:
        count -= 1
    columns = _columns(breadths, count)
    begins = [sum(columns[:index]) + index * gaps[0] for index in range(count)]
    spots: list[Spot] = []
    along = 0
    for first in range(0, len(extents), count):
        spots += [(begin, along) for begin in begins[: len(extents) - first]]
        along += max(depth for _, depth in extents[first : first + count]) + gaps[1]
    broad = [columns[index % count] for index in range(len(extents))]
    return Packed(spots, broad, (begins[-1] + columns[-1], along - gaps[1]))


def _columns(breadths: Sequence[int], count: int) -> list[int]:
    return [max(breadths[index::count]) for index in range(count)]


def pack_tower(extents: Sequence[Extent], room: int, depth: int, gaps: tuple[int, int]) -> Packed:
    """Return the narrowest table that is at most `depth` deep, within `room`."""
    narrow = max(breadth for breadth, _ in extents)
    packed = pack_table(extents, narrow, gaps)
    while packed.extent[1] > depth and narrow < room:
        narrow = min(narrow + max(narrow // 2, 1), room)
        packed = pack_table(extents, narrow, gaps)
    return packed


MAX_TITLE_WIDTH = 28
"""Maximum columns of a title for which a frame is widened."""


MAX_LEFT_TITLE_WIDTH = 18
"""Maximum columns of a title that always gets room left of the routes that enter."""


class LaidBox(NamedTuple):
    """A box within its part."""

    box: Box
    face: BoxFace
    at: Spot
    breadth: int
    depth: int
    aside: bool = False
    part: NestedLayout | None = None
    """Content of an open box."""

    shift: int = 0
    """Cells across from the first cell of the box to its part."""


class LaidLink(NamedTuple):
    """A link within its part."""

    link: Link
    points: list[Point]
    net: int
    label: BoxFace
    label_at: Point | None


@dataclass(slots=True)
class NestedLayout:
    """A diagram with coordinates. In a frame its first and last row along the flow are rows of the frame."""

    breadth: int = 0
    depth: int = 0
    boxes: list[LaidBox] = field(default_factory=list)
    """Boxes in the order of the diagram; boxes set aside come last."""

    links: list[LaidLink] = field(default_factory=list)
    nets: int = 0
    left_out: int = 0
    """Number of long links that are not drawn because there are too many, nested ones included."""

    def gates(self, border: int) -> list[BorderPort]:
        """Return where links enter (`INLET`) or leave (`OUTLET`), ascending."""
        found: dict[int, list[Link]] = {}
        for one in self.links:
            if border in (one.link.source, one.link.target):
                found.setdefault(one.points[0 if border == INLET else -1][0], []).append(one.link)
        return [BorderPort(cell, all_tensors(link.carries for link in found[cell])) for cell in sorted(found)]


class _SizedBox(NamedTuple):
    """A box with a size but without a place."""

    box: Box
    face: BoxFace
    size: NodeSize
    part: NestedLayout | None = None
    shift: int = 0

    def at(self, spot: Spot, breadth: int) -> LaidBox:
        return LaidBox(self.box, self.face, spot, breadth, self.size.depth, part=self.part, shift=self.shift)


def lay_out_nested(
    diagram: Diagram, measure: ZoomLevel, grid: FlowDirection, room: int, *, framed: bool = False
) -> NestedLayout:
    """Lay out a diagram.

    Args:
        diagram: Any.
        measure: Sizes of boxes and labels.
        grid: Direction of the flow.
        room: Cells across the flow that are filled before boxes side by side continue in the next row.
        framed: True for the content of an open box.
    """
    made = [_size_box(box, measure, grid, room) for box in diagram.boxes]
    aside = [_size_box(box, measure, grid, room) for box in diagram.aside]
    part = NestedLayout(left_out=sum(one.part.left_out for one in (*made, *aside) if one.part))
    web = build_flow_graph(diagram, measure)
    inset = grid.inset[1] if framed else 0
    chains = [component for component in web.components if component.threads]
    flows = [_flow(component, made, web, grid, room) for component in chains]
    spots = _packed(flows, web, grid, room, inset)
    boxes: dict[int, LaidBox] = {}
    for component, laid, (across, along) in zip(chains, flows, spots, strict=True):
        for node, *at, breadth in zip(component.nodes, laid.across, laid.along, laid.breadths, strict=True):
            if node < len(made):
                boxes[node] = made[node].at((across + at[0], along + at[1]), breadth)
        below = 0 if not web.last.isdisjoint(component.nodes) else inset
        part.breadth = max(part.breadth, across + laid.breadth)
        part.depth = max(part.depth, along + laid.depth + below)
    single = [node for component in web.components if not component.threads for node in component.nodes]
    beside = bool(web.last)
    boxes |= zip(single, _add(part, [made[node] for node in single], grid, room, inset, beside=beside), strict=True)
    set_aside = _add(part, aside, grid, room, inset, beside=beside)
    part.boxes = [boxes[index] for index in range(len(made))] + [one._replace(aside=True) for one in set_aside]
    part.depth = max(part.depth, 2 * inset)
    for component, laid, spot in zip(chains, flows, spots, strict=True):
        _add_links(part, component, laid, web, spot)
    return part


def _size_box(box: Box, measure: ZoomLevel, grid: FlowDirection, room: int) -> _SizedBox:
    face = measure.box(box)
    if box.inside is None:
        return _SizedBox(
            box, face, NodeSize(face.height, face.width) if grid.across else NodeSize(face.width, face.height)
        )
    part = lay_out_nested(box.inside, measure, grid, room, framed=True)
    inlets, outlets = part.gates(INLET), part.gates(OUTLET)
    breadth = part.breadth + 2 * grid.inset[0]
    if grid.across:
        _extend(part, max(part.depth, face.width))
    else:
        breadth = _room_for_title(face, breadth, [gate.cell + grid.inset[0] for gate in inlets])
    shift = (breadth - part.breadth) // 2
    ports = (tuple(gate._replace(cell=shift + gate.cell) for gate in gates) for gates in (inlets, outlets))
    return _SizedBox(box, face, NodeSize(breadth, part.depth, *ports), part, shift)


def _room_for_title(face: BoxFace, breadth: int, inlets: Sequence[int]) -> int:
    """Return the columns of a frame with room for its title beside the routes that enter at its top."""
    title = min(face.width, MAX_TITLE_WIDTH)
    if not inlets:
        return max(breadth, title)
    free = inlets[0] if title <= MAX_LEFT_TITLE_WIDTH else max(inlets[0], breadth - 1 - inlets[-1])
    return breadth + 2 * max(title - free, 0)


def _extend(part: NestedLayout, depth: int) -> None:
    """Deepen a part; routes that leave are extended to its new border."""
    for index, one in enumerate(part.links):
        if one.link.target == OUTLET:
            part.links[index] = one._replace(points=[*one.points[:-1], (one.points[-1][0], depth - 1)])
    part.depth = depth


def _flow(
    component: Component, made: Sequence[_SizedBox], web: FlowGraph, grid: FlowDirection, room: int
) -> FlowLayout:
    sizes = [made[node].size if node < len(made) else NodeSize(1, 1) for node in component.nodes]
    index = {node: index for index, node in enumerate(component.nodes)}
    threads = [web.threads[thread] for thread in component.threads]
    threads = [thread._replace(source=index[thread.source], target=index[thread.target]) for thread in threads]
    first, last = (frozenset(index[node] for node in ends if node in index) for ends in (web.first, web.last))
    return lay_out_flow(sizes, threads, room, grid, first=first, last=last)


def _packed(flows: Sequence[FlowLayout], web: FlowGraph, grid: FlowDirection, room: int, inset: int) -> list[Spot]:
    """Return the start of each flow: the one that touches the border first, the others beside it."""
    extents = [(laid.breadth, laid.depth) for laid in flows]
    gaps = (grid.between[0], grid.apart + 1)
    if not (web.first or web.last):
        return [(across, inset + along) for across, along in pack_rows(extents, room, gaps).spots]
    begin = extents[0][0] + gaps[0]
    beside = pack_rows(extents[1:], max(room - begin, 1), gaps).spots
    others = [(begin + across, max(inset, 1) + along) for across, along in beside]
    return [(0, 0 if web.first else inset), *others]


def _add(
    part: NestedLayout, made: Sequence[_SizedBox], grid: FlowDirection, room: int, inset: int, *, beside: bool
) -> list[LaidBox]:
    """Place unlinked boxes beside all others if they fit or routes leave at the bottom, else below."""
    if not made:
        return []
    extents = [one.size[:2] for one in made]
    gaps = (grid.between[0], grid.apart)
    begin = part.breadth + gaps[0] if part.breadth else 0
    at = (begin, inset)
    packed = pack_tower(extents, max(room - begin, 1), part.depth - 2 * inset, gaps)
    if not beside and begin + packed.extent[0] > room:
        packed = pack_table(extents, room, gaps)
        at = (0, max(part.depth - inset + grid.apart + 1 if part.depth else 0, inset))
    part.breadth = max(part.breadth, at[0] + packed.extent[0])
    part.depth = max(part.depth, at[1] + packed.extent[1] + inset)
    return [
        one.at((at[0] + across, at[1] + along), breadth if one.face.framed else one.size.breadth)
        for one, (across, along), breadth in zip(made, packed.spots, packed.breadths, strict=True)
    ]


def _add_links(part: NestedLayout, component: Component, laid: FlowLayout, web: FlowGraph, spot: Spot) -> None:
    """Add the links of a flow; routes that leave are extended to the border of the part."""
    across, along = spot
    for index, points, net, label_at in zip(component.threads, laid.ways, laid.nets, laid.labels, strict=True):
        if not points:
            part.left_out += 1
            continue
        link = web.links[index]
        moved = [(point[0] + across, point[1] + along) for point in points]
        if link.target == OUTLET:
            moved[-1] = (moved[-1][0], part.depth - 1)
        at = None if label_at is None else (label_at[0] + across, label_at[1] + along)
        part.links.append(LaidLink(link, moved, part.nets + net, web.labels[index], at))
    part.nets += 1 + max(laid.nets, default=-1)
