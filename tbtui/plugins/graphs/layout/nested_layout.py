"""Lay out nested diagrams, from the innermost outwards, and pack boxes without links."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tbtui.plugins.graphs.diagram import INLET, OUTLET
from tbtui.plugins.graphs.layout.border_ports import BorderPort, collect_tensors
from tbtui.plugins.graphs.layout.flow import FlowLayout, FlowLink, NodeSize, lay_out_flow
from tbtui.plugins.graphs.layout.nets import MAX_SEPARATE_LINES

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from tbtui.plugins.graphs.diagram import Box, BoxFace, Diagram, Link, Point, ZoomLevel
    from tbtui.plugins.graphs.layout.flow import FlowDirection


Spot = tuple[int, int]
"""First cell of a rectangle, across and along."""


Extent = tuple[int, int]
"""Number of cells across and along."""


class Packed(NamedTuple):
    """Packed rectangles."""

    spots: list[Spot]
    breadths: list[int]
    """Cells across that are available for each rectangle."""

    extent: Extent
    """Extent of all rectangles together."""


def pack_rows(extents: Sequence[Extent], max_breadth: int, gaps: tuple[int, int]) -> Packed:
    """Pack rectangles into rows, in order.

    Args:
        extents: Extents of the rectangles.
        max_breadth: Cells across of a row; a wider rectangle gets its own row.
        gaps: Blank cells between two rectangles, across and along.
    """
    spots: list[Spot] = []
    across = along = deepest = widest = 0
    for breadth, depth in extents:
        if across and across + breadth > max_breadth:
            along, across, deepest = along + deepest + gaps[1], 0, 0
        spots.append((across, along))
        widest, deepest = max(widest, across + breadth), max(deepest, depth)
        across += breadth + gaps[0]
    return Packed(spots, [breadth for breadth, _ in extents], (widest, along + deepest))


def pack_table(extents: Sequence[Extent], max_breadth: int, gaps: tuple[int, int]) -> Packed:
    """Pack rectangles into as many columns as fit; all of one column are equally wide."""
    breadths = [breadth for breadth, _ in extents]
    count = min(len(extents), max((max_breadth + gaps[0]) // (min(breadths) + gaps[0]), 1))
    while count > 1 and sum(_sum_column_breadths(breadths, count)) + (count - 1) * gaps[0] > max_breadth:
        count -= 1
    columns = _sum_column_breadths(breadths, count)
    starts = [sum(columns[:index]) + index * gaps[0] for index in range(count)]
    spots: list[Spot] = []
    along = 0
    for first in range(0, len(extents), count):
        spots += [(start, along) for start in starts[: len(extents) - first]]
        along += max(depth for _, depth in extents[first : first + count]) + gaps[1]
    available = [columns[index % count] for index in range(len(extents))]
    return Packed(spots, available, (starts[-1] + columns[-1], along - gaps[1]))


def _sum_column_breadths(breadths: Sequence[int], count: int) -> list[int]:
    return [max(breadths[index::count]) for index in range(count)]


def pack_narrow(extents: Sequence[Extent], max_breadth: int, depth: int, gaps: tuple[int, int]) -> Packed:
    """Return the narrowest table that is at most `depth` deep, within `max_breadth`."""
    breadth = max(breadth for breadth, _ in extents)
    packed = pack_table(extents, breadth, gaps)
    while packed.extent[1] > depth and breadth < max_breadth:
        breadth = min(breadth + max(breadth // 2, 1), max_breadth)
        packed = pack_table(extents, breadth, gaps)
    return packed


MAX_TITLE_WIDTH = 28
"""Maximum columns of a title for which a frame is widened."""


MAX_LEFT_TITLE_WIDTH = 18
"""Maximum columns of a title that always fits at the left of the routes that enter."""


class LaidBox(NamedTuple):
    """A box with its coordinates within its layout."""

    box: Box
    face: BoxFace
    start: Spot
    breadth: int
    depth: int
    is_aside: bool = False
    content: NestedLayout | None = None
    """Layout inside an open box."""

    shift: int = 0
    """Cells across from the first cell of the box to its content."""


class LaidLink(NamedTuple):
    """A link with its coordinates within its layout."""

    link: Link
    points: list[Point]
    net: int
    label: BoxFace
    label_at: Point | None


@dataclass(slots=True)
class NestedLayout:
    """A diagram with coordinates. With a frame, its first and last row along the flow are rows of the frame."""

    breadth: int = 0
    depth: int = 0
    boxes: list[LaidBox] = field(default_factory=list)
    """Boxes in the order of the diagram; boxes set aside come last."""

    links: list[LaidLink] = field(default_factory=list)
    nets: int = 0
    omitted: int = 0
    """Number of long links that are not drawn because there are too many, nested ones included."""

    def border_ports(self, border: int) -> list[BorderPort]:
        """Return the ports at which links enter (`INLET`) or leave (`OUTLET`), ascending."""
        links: dict[int, list[Link]] = {}
        for laid in self.links:
            if border in (laid.link.source, laid.link.target):
                links.setdefault(laid.points[0 if border == INLET else -1][0], []).append(laid.link)
        return [BorderPort(cell, collect_tensors(link.carries for link in links[cell])) for cell in sorted(links)]


class _SizedBox(NamedTuple):
    """A box with a size but without coordinates."""

    box: Box
    face: BoxFace
    size: NodeSize
    content: NestedLayout | None = None
    shift: int = 0

    def place(self, spot: Spot, breadth: int) -> LaidBox:
        """Return the box at a position."""
        return LaidBox(self.box, self.face, spot, breadth, self.size.depth, content=self.content, shift=self.shift)


def lay_out_nested(
    diagram: Diagram, zoom: ZoomLevel, direction: FlowDirection, max_breadth: int, *, framed: bool = False
) -> NestedLayout:
    """Lay out a diagram.

    Args:
        diagram: Boxes and links; an open box contains another diagram.
        zoom: Sizes of boxes and labels.
        direction: Direction of the flow.
        max_breadth: Cells across the flow before boxes side by side continue in the next row.
        framed: True for the content of an open box.
    """
    sized = [_size_box(box, zoom, direction, max_breadth) for box in diagram.boxes]
    aside_boxes = [_size_box(box, zoom, direction, max_breadth) for box in diagram.aside_boxes]
    layout = NestedLayout(omitted=sum(box.content.omitted for box in (*sized, *aside_boxes) if box.content))
    flow_graph = build_flow_graph(diagram, zoom)
    inset = direction.inset[1] if framed else 0
    linked = [component for component in flow_graph.components if component.links]
    flows = [_lay_out_component(component, sized, flow_graph, direction, max_breadth) for component in linked]
    spots = _pack_flows(flows, flow_graph, direction, max_breadth, inset)
    boxes: dict[int, LaidBox] = {}
    for component, flow, (across, along) in zip(linked, flows, spots, strict=True):
        positions = zip(component.nodes, flow.across, flow.along, flow.breadths, strict=True)
        for node, node_across, node_along, breadth in positions:
            if node < len(sized):
                boxes[node] = sized[node].place((across + node_across, along + node_along), breadth)
        below = 0 if not flow_graph.exit_nodes.isdisjoint(component.nodes) else inset
        layout.breadth = max(layout.breadth, across + flow.breadth)
        layout.depth = max(layout.depth, along + flow.depth + below)
    single = [node for component in flow_graph.components if not component.links for node in component.nodes]
    keep_right = bool(flow_graph.exit_nodes)  # routes leave at the bottom
    single_boxes = [sized[node] for node in single]
    placed = _add_unlinked(layout, single_boxes, direction, max_breadth, inset, keep_right=keep_right)
    boxes |= zip(single, placed, strict=True)
    set_aside = _add_unlinked(layout, aside_boxes, direction, max_breadth, inset, keep_right=keep_right)
    layout.boxes = [boxes[index] for index in range(len(sized))] + [box._replace(is_aside=True) for box in set_aside]
    layout.depth = max(layout.depth, 2 * inset)
    for component, flow, spot in zip(linked, flows, spots, strict=True):
        _add_links(layout, component, flow, flow_graph, spot)
    return layout


def _size_box(box: Box, zoom: ZoomLevel, direction: FlowDirection, max_breadth: int) -> _SizedBox:
    face = zoom.box(box)
    if box.inside is None:
        return _SizedBox(
            box, face, NodeSize(face.height, face.width) if direction.across else NodeSize(face.width, face.height)
        )
    content = lay_out_nested(box.inside, zoom, direction, max_breadth, framed=True)
    inlets, outlets = content.border_ports(INLET), content.border_ports(OUTLET)
    breadth = content.breadth + 2 * direction.inset[0]
    if direction.across:
        _extend(content, max(content.depth, face.width))
    else:
        breadth = _measure_breadth_with_title(face, breadth, [port.cell + direction.inset[0] for port in inlets])
    shift = (breadth - content.breadth) // 2
    ports = (tuple(port._replace(cell=shift + port.cell) for port in side) for side in (inlets, outlets))
    return _SizedBox(box, face, NodeSize(breadth, content.depth, *ports), content, shift)


def _measure_breadth_with_title(face: BoxFace, breadth: int, inlets: Sequence[int]) -> int:
    """Return the columns of a frame that is wide enough for its title next to the routes that enter at its top."""
    title = min(face.width, MAX_TITLE_WIDTH)
    if not inlets:
        return max(breadth, title)
    free = inlets[0] if title <= MAX_LEFT_TITLE_WIDTH else max(inlets[0], breadth - 1 - inlets[-1])
    return breadth + 2 * max(title - free, 0)


def _extend(layout: NestedLayout, depth: int) -> None:
    """Deepen a layout; routes that leave are extended to its new border."""
    for index, laid in enumerate(layout.links):
        if laid.link.target == OUTLET:
            layout.links[index] = laid._replace(points=[*laid.points[:-1], (laid.points[-1][0], depth - 1)])
    layout.depth = depth


def _lay_out_component(
    component: Component, sized: Sequence[_SizedBox], flow_graph: FlowGraph, direction: FlowDirection, max_breadth: int
) -> FlowLayout:
    sizes = [sized[node].size if node < len(sized) else NodeSize(1, 1) for node in component.nodes]
    index = {node: index for index, node in enumerate(component.nodes)}
    links = [flow_graph.flow_links[link] for link in component.links]
    links = [link._replace(source=index[link.source], target=index[link.target]) for link in links]
    first, last = (
        frozenset(index[node] for node in ends if node in index)
        for ends in (flow_graph.entry_nodes, flow_graph.exit_nodes)
    )
    return lay_out_flow(sizes, links, max_breadth, direction, first=first, last=last)


def _pack_flows(
    flows: Sequence[FlowLayout], flow_graph: FlowGraph, direction: FlowDirection, max_breadth: int, inset: int
) -> list[Spot]:
    """Return the start of each flow: the one linked to the border first, the others at its right."""
    extents = [(flow.breadth, flow.depth) for flow in flows]
    gaps = (direction.gaps[0], direction.box_gap + 1)
    if not (flow_graph.entry_nodes or flow_graph.exit_nodes):
        return [(across, inset + along) for across, along in pack_rows(extents, max_breadth, gaps).spots]
    start = extents[0][0] + gaps[0]
    spots = pack_rows(extents[1:], max(max_breadth - start, 1), gaps).spots
    others = [(start + across, max(inset, 1) + along) for across, along in spots]
    return [(0, 0 if flow_graph.entry_nodes else inset), *others]


def _add_unlinked(
    layout: NestedLayout,
    sized: Sequence[_SizedBox],
    direction: FlowDirection,
    max_breadth: int,
    inset: int,
    *,
    keep_right: bool,
) -> list[LaidBox]:
    """Place unlinked boxes at the right of all others if they fit or with `keep_right`, or else below."""
    if not sized:
        return []
    extents = [box.size[:2] for box in sized]
    gaps = (direction.gaps[0], direction.box_gap)
    start = layout.breadth + gaps[0] if layout.breadth else 0
    origin = (start, inset)
    packed = pack_narrow(extents, max(max_breadth - start, 1), layout.depth - 2 * inset, gaps)
    if not keep_right and start + packed.extent[0] > max_breadth:
        packed = pack_table(extents, max_breadth, gaps)
        origin = (0, max(layout.depth - inset + direction.box_gap + 1 if layout.depth else 0, inset))
    layout.breadth = max(layout.breadth, origin[0] + packed.extent[0])
    layout.depth = max(layout.depth, origin[1] + packed.extent[1] + inset)
    return [
        box.place((origin[0] + across, origin[1] + along), breadth if box.face.framed else box.size.breadth)
        for box, (across, along), breadth in zip(sized, packed.spots, packed.breadths, strict=True)
    ]


def _add_links(layout: NestedLayout, component: Component, flow: FlowLayout, flow_graph: FlowGraph, spot: Spot) -> None:
    """Add the links of a flow; routes that leave are extended to the border of the layout."""
    across, along = spot
    for index, points, net, label_at in zip(component.links, flow.routes, flow.nets, flow.labels, strict=True):
        if not points:
            layout.omitted += 1
            continue
        link = flow_graph.links[index]
        corners = [(point[0] + across, point[1] + along) for point in points]
        if link.target == OUTLET:
            corners[-1] = (corners[-1][0], layout.depth - 1)
        label_start = None if label_at is None else (label_at[0] + across, label_at[1] + along)
        layout.links.append(LaidLink(link, corners, layout.nets + net, flow_graph.labels[index], label_start))
    layout.nets += 1 + max(flow.nets, default=-1)


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
    """Nodes at the border from which links enter, one for each set of tensors."""

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
            group=(link.label, link.carries if link.source in separate else (), link.control),
            is_control=link.control,
            label_columns=faces[link.label].width if link.label else 0,
            carries=link.carries,
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
        lambda link: (link.source, link.label, link.control, link.carries),
        lambda link: (link.source, link.label, link.control),
    )
    return next((key for key in candidates if len(set(map(key, links))) <= MAX_SEPARATE_LINES), lambda _: "")


def _find_separated_boxes(diagram: Diagram, links: Sequence[Link]) -> set[int]:
    """Return open boxes whose links are separated by their tensors, because they continue inside."""
    link_counts = Counter(link.source for link in {link._replace(target=0) for link in links if link.carries})
    return {
        box
        for box, count in link_counts.items()
        if box >= 0 and count <= MAX_SEPARATE_LINES and diagram.boxes[box].inside is not None
    }


def _find_components(count: int, links: Sequence[FlowLink], border: Sequence[int]) -> list[Component]:
    parents = list(range(count))

    def root(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    pairs = [(link.source, link.target) for link in links]
    pairs += [(border[0], node) for node in border[1:]]
    for source, target in pairs:
        low, high = sorted((root(source), root(target)))
        parents[high] = low
    components: dict[int, Component] = {}
    for node in range(count):
        components.setdefault(root(node), Component([], [])).nodes.append(node)
    for index, link in enumerate(links):
        components[root(link.source)].links.append(index)
    border_root = root(border[0]) if border else -1
    order = sorted(components, key=lambda node: (node != border_root, len(components[node].nodes) == 1, node))
    return [components[node] for node in order]
