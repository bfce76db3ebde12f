"""Lay out nested diagrams, from the innermost outwards, and pack boxes without links."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tbtui.plugins.graphs.diagram import INLET, OUTLET
from tbtui.plugins.graphs.layout.flow import FlowLayout, FlowLink, NodeSize, lay_out_flow
from tbtui.plugins.graphs.layout.nets import MAX_SEPARATE_LINES, OutputKey
from tbtui.plugins.graphs.layout.ports import BorderPort, collect_tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from tbtui.plugins.graphs.diagram import Box, BoxFace, Diagram, Link, ZoomLevel
    from tbtui.plugins.graphs.layout.flow import FlowDirection
    from tbtui.plugins.graphs.layout.routing import FlowCell


class Extent(NamedTuple):
    """Number of cells across and along the flow."""

    breadth: int
    depth: int


class PackedRectangles(NamedTuple):
    """Rectangles with their cells."""

    cells: list[FlowCell]
    """First cell of each rectangle."""

    breadths: list[int]
    """Cells across that are available for each rectangle."""

    extent: Extent
    """Extent of all rectangles together."""


def pack_rows(extents: Sequence[Extent], max_breadth: int, gap: Extent) -> PackedRectangles:
    """Pack rectangles into rows, in order.

    Args:
        extents: Extents of the rectangles.
        max_breadth: Cells across of a row; a wider rectangle gets its own row.
        gap: Blank cells between two rectangles.
    """
    cells: list[FlowCell] = []
    across = along = row_depth = total_breadth = 0
    for breadth, depth in extents:
        if across and across + breadth > max_breadth:
            along, across, row_depth = along + row_depth + gap.depth, 0, 0
        cells.append((across, along))
        total_breadth, row_depth = max(total_breadth, across + breadth), max(row_depth, depth)
        across += breadth + gap.breadth
    return PackedRectangles(cells, [breadth for breadth, _ in extents], Extent(total_breadth, along + row_depth))


def pack_table(extents: Sequence[Extent], max_breadth: int, gap: Extent) -> PackedRectangles:
    """Pack rectangles into as many columns as fit; all of one column are equally wide."""
    breadths = [breadth for breadth, _ in extents]
    count = min(len(extents), max((max_breadth + gap.breadth) // (min(breadths) + gap.breadth), 1))
    while count > 1 and sum(_measure_columns(breadths, count)) + (count - 1) * gap.breadth > max_breadth:
        count -= 1
    columns = _measure_columns(breadths, count)
    starts = [sum(columns[:index]) + index * gap.breadth for index in range(count)]
    cells: list[FlowCell] = []
    along = 0
    for first in range(0, len(extents), count):
        cells += [(start, along) for start in starts[: len(extents) - first]]
        along += max(depth for _, depth in extents[first : first + count]) + gap.depth
    available = [columns[index % count] for index in range(len(extents))]
    return PackedRectangles(cells, available, Extent(starts[-1] + columns[-1], along - gap.depth))


def _measure_columns(breadths: Sequence[int], count: int) -> list[int]:
    """Return the breadth of each column of a table that is filled row by row."""
    return [max(breadths[index::count]) for index in range(count)]


def pack_narrow_table(extents: Sequence[Extent], max_breadth: int, max_depth: int, gap: Extent) -> PackedRectangles:
    """Pack rectangles into the narrowest table of at most `max_depth`; a table of `max_breadth` may be deeper."""
    breadth = max(breadth for breadth, _ in extents)
    packed = pack_table(extents, breadth, gap)
    while packed.extent.depth > max_depth and breadth < max_breadth:
        breadth = min(breadth + max(breadth // 2, 1), max_breadth)
        packed = pack_table(extents, breadth, gap)
    return packed


MAX_TITLE_WIDTH = 28
"""Maximum columns of a title for which a frame is widened."""


MAX_LEFT_TITLE_WIDTH = 18
"""Maximum columns of a title that always fits at the left of the routes that enter."""


class LaidBox(NamedTuple):
    """A box with its coordinates within its layout."""

    box: Box
    face: BoxFace
    start: FlowCell
    breadth: int
    depth: int
    is_aside: bool = False
    content: NestedLayout | None = None
    """Layout inside an open box."""

    content_offset: int = 0
    """Cells across from the first cell of the box to its content."""


class LaidLink(NamedTuple):
    """A link with its coordinates within its layout."""

    link: Link
    corners: list[FlowCell]
    net: int
    label: BoxFace
    label_cell: FlowCell | None
    """First cell of the label; None if it is not drawn."""


@dataclass(slots=True)
class NestedLayout:
    """A diagram with coordinates. With a frame, its first and last row along the flow are rows of the frame."""

    breadth: int = 0
    depth: int = 0
    boxes: list[LaidBox] = field(default_factory=list)
    """Boxes in the order of the diagram; boxes set aside come last."""

    links: list[LaidLink] = field(default_factory=list)
    net_count: int = 0
    omitted_links: int = 0
    """Number of long links that are not drawn because there are too many, nested ones included."""

    def list_border_ports(self, border: int) -> list[BorderPort]:
        """Return the ports at which links enter (`INLET`) or leave (`OUTLET`), ascending."""
        links: dict[int, list[Link]] = {}
        for laid in self.links:
            if border in (laid.link.source, laid.link.target):
                links.setdefault(laid.corners[0 if border == INLET else -1][0], []).append(laid.link)
        return [BorderPort(cell, collect_tensors(link.tensors for link in links[cell])) for cell in sorted(links)]


class _SizedBox(NamedTuple):
    """A box with a size but without coordinates."""

    box: Box
    face: BoxFace
    size: NodeSize
    content: NestedLayout | None = None
    content_offset: int = 0

    def place(self, start: FlowCell, breadth: int) -> LaidBox:
        """Return the box with its first cell."""
        return LaidBox(
            self.box,
            self.face,
            start,
            breadth,
            self.size.depth,
            content=self.content,
            content_offset=self.content_offset,
        )


def lay_out_nested(
    diagram: Diagram, zoom: ZoomLevel, direction: FlowDirection, max_breadth: int, *, is_framed: bool = False
) -> NestedLayout:
    """Lay out a diagram.

    Args:
        diagram: Boxes and links; an open box contains another diagram.
        zoom: Sizes of boxes and labels.
        direction: Direction of the flow.
        max_breadth: Cells across the flow before boxes side by side continue in the next row.
        is_framed: True for the content of an open box.
    """
    boxes = [_size_box(box, zoom, direction, max_breadth) for box in diagram.boxes]
    aside_boxes = [_size_box(box, zoom, direction, max_breadth) for box in diagram.aside_boxes]
    layout = NestedLayout(
        omitted_links=sum(box.content.omitted_links for box in (*boxes, *aside_boxes) if box.content is not None)
    )
    flow_graph = build_flow_graph(diagram, zoom)
    inset = direction.inset_along if is_framed else 0
    linked = [component for component in flow_graph.components if component.links]
    flows = [_lay_out_component(component, boxes, flow_graph, direction, max_breadth) for component in linked]
    starts = _pack_flows(flows, flow_graph, direction, max_breadth, inset)
    laid_boxes: dict[int, LaidBox] = {}
    for component, flow, (across, along) in zip(linked, flows, starts, strict=True):
        positions = zip(component.nodes, flow.across, flow.along, flow.breadths, strict=True)
        for node, node_across, node_along, breadth in positions:
            if node < len(boxes):
                laid_boxes[node] = boxes[node].place((across + node_across, along + node_along), breadth)
        below = 0 if not flow_graph.exit_nodes.isdisjoint(component.nodes) else inset
        layout.breadth = max(layout.breadth, across + flow.breadth)
        layout.depth = max(layout.depth, along + flow.depth + below)
    single = [node for component in flow_graph.components if not component.links for node in component.nodes]
    keep_right = bool(flow_graph.exit_nodes)  # routes leave at the bottom
    single_boxes = [boxes[node] for node in single]
    laid_single_boxes = _add_unlinked(layout, single_boxes, direction, max_breadth, inset, keep_right=keep_right)
    laid_boxes |= zip(single, laid_single_boxes, strict=True)
    laid_aside_boxes = _add_unlinked(layout, aside_boxes, direction, max_breadth, inset, keep_right=keep_right)
    layout.boxes = [laid_boxes[index] for index in range(len(boxes))]
    layout.boxes += [box._replace(is_aside=True) for box in laid_aside_boxes]
    layout.depth = max(layout.depth, 2 * inset)
    for component, flow, start in zip(linked, flows, starts, strict=True):
        _add_links(layout, component, flow, flow_graph, start)
    return layout


def _size_box(box: Box, zoom: ZoomLevel, direction: FlowDirection, max_breadth: int) -> _SizedBox:
    face = zoom.box(box)
    if box.content is None:
        return _SizedBox(
            box,
            face,
            NodeSize(face.height, face.width) if direction.is_rightward else NodeSize(face.width, face.height),
        )
    content = lay_out_nested(box.content, zoom, direction, max_breadth, is_framed=True)
    inlets, outlets = content.list_border_ports(INLET), content.list_border_ports(OUTLET)
    breadth = content.breadth + 2 * direction.inset_across
    if direction.is_rightward:
        _extend(content, max(content.depth, face.width))
    else:
        breadth = _measure_breadth_with_title(face, breadth, [port.cell + direction.inset_across for port in inlets])
    offset = (breadth - content.breadth) // 2
    ports = (tuple(port._replace(cell=offset + port.cell) for port in side) for side in (inlets, outlets))
    return _SizedBox(box, face, NodeSize(breadth, content.depth, *ports), content, offset)


def _measure_breadth_with_title(face: BoxFace, breadth: int, inlets: Sequence[int]) -> int:
    """Return the columns of a frame that is wide enough for its title next to the routes that enter at its top."""
    title = min(face.width, MAX_TITLE_WIDTH)
    if not inlets:
        return max(breadth, title)
    free = inlets[0] if title <= MAX_LEFT_TITLE_WIDTH else max(inlets[0], breadth - 1 - inlets[-1])
    return breadth + 2 * max(title - free, 0)


def _extend(layout: NestedLayout, depth: int) -> None:
    """Set a greater depth of a layout; extend routes that leave to its new border."""
    for index, laid in enumerate(layout.links):
        if laid.link.target == OUTLET:
            layout.links[index] = laid._replace(corners=[*laid.corners[:-1], (laid.corners[-1][0], depth - 1)])
    layout.depth = depth


def _lay_out_component(
    component: Component, boxes: Sequence[_SizedBox], flow_graph: FlowGraph, direction: FlowDirection, max_breadth: int
) -> FlowLayout:
    sizes = [boxes[node].size if node < len(boxes) else NodeSize(1, 1) for node in component.nodes]
    index = {node: index for index, node in enumerate(component.nodes)}
    links = [flow_graph.flow_links[link] for link in component.links]
    links = [link._replace(source=index[link.source], target=index[link.target]) for link in links]
    entry_nodes, exit_nodes = (
        frozenset(index[node] for node in ends if node in index)
        for ends in (flow_graph.entry_nodes, flow_graph.exit_nodes)
    )
    return lay_out_flow(sizes, links, max_breadth, direction, entry_nodes=entry_nodes, exit_nodes=exit_nodes)


def _pack_flows(
    flows: Sequence[FlowLayout], flow_graph: FlowGraph, direction: FlowDirection, max_breadth: int, inset: int
) -> list[FlowCell]:
    """Return the start of each flow: the one linked to the border first, the others at its right."""
    extents = [Extent(flow.breadth, flow.depth) for flow in flows]
    gap = Extent(direction.spacing.between_boxes, direction.unlinked_gap + 1)
    if not (flow_graph.entry_nodes or flow_graph.exit_nodes):
        return [(across, inset + along) for across, along in pack_rows(extents, max_breadth, gap).cells]
    start = extents[0].breadth + gap.breadth
    cells = pack_rows(extents[1:], max(max_breadth - start, 1), gap).cells
    others = [(start + across, max(inset, 1) + along) for across, along in cells]
    return [(0, 0 if flow_graph.entry_nodes else inset), *others]


def _add_unlinked(
    layout: NestedLayout,
    boxes: Sequence[_SizedBox],
    direction: FlowDirection,
    max_breadth: int,
    inset: int,
    *,
    keep_right: bool,
) -> list[LaidBox]:
    """Place unlinked boxes at the right of all others if they fit or with `keep_right`, or else below."""
    if not boxes:
        return []
    extents = [Extent(box.size.breadth, box.size.depth) for box in boxes]
    gap = Extent(direction.spacing.between_boxes, direction.unlinked_gap)
    start = layout.breadth + gap.breadth if layout.breadth else 0
    origin = (start, inset)
    packed = pack_narrow_table(extents, max(max_breadth - start, 1), layout.depth - 2 * inset, gap)
    if not keep_right and start + packed.extent.breadth > max_breadth:
        packed = pack_table(extents, max_breadth, gap)
        origin = (0, max(layout.depth - inset + direction.unlinked_gap + 1 if layout.depth else 0, inset))
    layout.breadth = max(layout.breadth, origin[0] + packed.extent.breadth)
    layout.depth = max(layout.depth, origin[1] + packed.extent.depth + inset)
    return [
        box.place((origin[0] + across, origin[1] + along), breadth if box.face.is_framed else box.size.breadth)
        for box, (across, along), breadth in zip(boxes, packed.cells, packed.breadths, strict=True)
    ]


def _add_links(
    layout: NestedLayout, component: Component, flow: FlowLayout, flow_graph: FlowGraph, start: FlowCell
) -> None:
    """Add the links of a flow; extend routes that leave to the border of the layout."""
    across, along = start
    for index, points, net, label_cell in zip(component.links, flow.routes, flow.nets, flow.label_cells, strict=True):
        if not points:
            layout.omitted_links += 1
            continue
        link = flow_graph.links[index]
        corners = [(point[0] + across, point[1] + along) for point in points]
        if link.target == OUTLET:
            corners[-1] = (corners[-1][0], layout.depth - 1)
        moved_label_cell = None if label_cell is None else (label_cell[0] + across, label_cell[1] + along)
        layout.links.append(LaidLink(link, corners, layout.net_count + net, flow_graph.labels[index], moved_label_cell))
    layout.net_count += 1 + max(flow.nets, default=-1)


class Component(NamedTuple):
    """A connected component."""

    nodes: list[int]
    """Nodes, ascending."""

    links: list[int]
    """Indices of links."""


class FlowGraph(NamedTuple):
    """Nodes are boxes, and ends of links at the border. `links`, `labels` and `flow_links` have one entry per link."""

    links: list[Link]
    """Links that are drawn: no self-loops, and none from the lower border or to the upper one."""

    labels: list[BoxFace]
    flow_links: list[FlowLink]

    entry_nodes: frozenset[int]
    """Nodes at the border from which links enter, one per set of tensors."""

    exit_nodes: frozenset[int]
    """Nodes at the border to which links leave."""

    components: list[Component]
    """All nodes linked to the border as one component, then connected boxes, then single boxes."""


def build_flow_graph(diagram: Diagram, zoom: ZoomLevel) -> FlowGraph:
    """Return the graph of a diagram; its boxes are the first nodes."""
    links = [link for link in diagram.links if link.source not in (link.target, OUTLET) and link.target != INLET]
    faces = {text: zoom.label(text) for text in {link.label for link in links}}
    count = len(diagram.boxes)
    sources = _add_end_nodes([link if link.source == INLET else None for link in links], count)
    targets = _add_end_nodes(
        [link if link.target == OUTLET else None for link in links], count + len(set(sources) - {None})
    )
    separate = _find_separated_boxes(diagram, links)
    flow_links = [
        FlowLink(
            source=link.source if source is None else source,
            target=link.target if target is None else target,
            output=OutputKey(link.label, link.tensors if link.source in separate else (), link.is_control),
            label_columns=faces[link.label].width if link.label else 0,
            tensors=link.tensors,
        )
        for link, source, target in zip(links, sources, targets, strict=True)
    ]
    entry_nodes = frozenset(node for node in sources if node is not None)
    exit_nodes = frozenset(node for node in targets if node is not None)
    nodes = count + len(entry_nodes) + len(exit_nodes)
    components = _find_components(nodes, flow_links, sorted(entry_nodes | exit_nodes))
    return FlowGraph(links, [faces[link.label] for link in links], flow_links, entry_nodes, exit_nodes, components)


def _add_end_nodes(links: Sequence[Link | None], start: int) -> list[int | None]:
    """Return a node for the border end of each distinct link, None for links without one.

    If there are too many, links with equal labels share a node, or all links do.
    """
    get_key = _choose_border_key([link for link in links if link is not None])
    nodes: dict[Hashable, int] = {}
    return [None if link is None else nodes.setdefault(get_key(link), start + len(nodes)) for link in links]


def _choose_border_key(links: Sequence[Link]) -> Callable[[Link], Hashable]:
    """Return the function for the finest key of border links that leaves at most `MAX_SEPARATE_LINES` lines."""
    candidates: tuple[Callable[[Link], Hashable], ...] = (
        lambda link: (link.source, link.label, link.is_control, link.tensors),
        lambda link: (link.source, link.label, link.is_control),
    )
    return next((key for key in candidates if len(set(map(key, links))) <= MAX_SEPARATE_LINES), lambda _: "")


def _find_separated_boxes(diagram: Diagram, links: Sequence[Link]) -> set[int]:
    """Return open boxes whose links are separated by their tensors, because they continue inside."""
    link_counts = Counter(link.source for link in {link._replace(target=0) for link in links if link.tensors})
    return {
        box
        for box, count in link_counts.items()
        if box >= 0 and count <= MAX_SEPARATE_LINES and diagram.boxes[box].content is not None
    }


def _find_components(count: int, links: Sequence[FlowLink], border: Sequence[int]) -> list[Component]:
    """Return the connected components of a graph; the nodes at the border belong to one component."""
    parents = list(range(count))

    def find_root(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    pairs = [(link.source, link.target) for link in links]
    pairs += [(border[0], node) for node in border[1:]]
    for source, target in pairs:
        low, high = sorted((find_root(source), find_root(target)))
        parents[high] = low
    components: dict[int, Component] = {}
    for node in range(count):
        components.setdefault(find_root(node), Component([], [])).nodes.append(node)
    for index, link in enumerate(links):
        components[find_root(link.source)].links.append(index)
    border_root = find_root(border[0]) if border else -1
    order = sorted(components, key=lambda node: (node != border_root, len(components[node].nodes) == 1, node))
    return [components[node] for node in order]
