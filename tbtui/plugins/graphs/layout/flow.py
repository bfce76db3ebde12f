"""Lay out one connected flow: ranks one after another, and routes between them.

Coordinates are across and along the flow, so that they do not depend on its direction on the screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.frozen import frozen
from tbtui.plugins.graphs.layout import coordinates as ports
from tbtui.plugins.graphs.layout.border_ports import collect_border_contents, order_ports
from tbtui.plugins.graphs.layout.coordinates import Connection, Label, assign_columns, place_labels
from tbtui.plugins.graphs.layout.nets import RankedLink, build_nets
from tbtui.plugins.graphs.layout.ranks import NO_NODE, align_nodes, assign_ranks, order_nodes, select_acyclic_edges
from tbtui.plugins.graphs.layout.routing import Channel, ChannelNet, Router

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.diagram import Point, Tensor
    from tbtui.plugins.graphs.layout.border_ports import BorderContents, BorderPort
    from tbtui.plugins.graphs.layout.nets import NetHop, RankedGraph
    from tbtui.plugins.graphs.layout.ranks import Ranked


class FlowDirection(NamedTuple):
    """Differences between a flow down and a flow to the right: a cell is about twice as high as wide."""

    across: bool = False
    """True for a flow to the right."""

    gaps: tuple[int, int] = (3, 1)
    """Minimum blank cells across the flow between two boxes, and next to a line."""

    pitch: int = 2
    """Minimum cells from one port of a box to the next."""

    row_depth: int = 1
    """Cells along the flow per row of lines."""

    inset: tuple[int, int] = (2, 1)
    """Cells across and along from the first cell of a frame to its content."""

    box_gap: int = 0
    """Blank cells along the flow between unlinked boxes."""


MAX_ATTRACTING_BOXES = 2
"""Maximum number of boxes of a net whose lines attract the boxes at its ends."""


DOWN, ACROSS = FlowDirection(), FlowDirection(across=True, gaps=(1, 0), pitch=1, row_depth=2, inset=(1, 2), box_gap=2)


class NodeSize(NamedTuple):
    """Size of a box, and its border ports."""

    breadth: int
    """Cells across the flow."""

    depth: int
    """Cells along the flow."""

    inlets: tuple[BorderPort, ...] = ()
    """Ports of lines inside; empty for closed boxes."""

    outlets: tuple[BorderPort, ...] = ()

    @property
    def ports(self) -> int:
        """Number of cells that must stay free for lines that continue in no port."""
        return max(len(self.inlets), len(self.outlets))


class FlowLink(NamedTuple):
    """A link as the layout of a flow needs it."""

    source: int
    target: int
    group: tuple[object, ...]
    """Label, tensors (if the layout separates them) and control; equal for links of one output of a source."""

    is_control: bool
    """True for control links."""

    label_columns: int = 0
    """Columns of its label; 0 without one."""

    carries: tuple[Tensor, ...] = ()
    """Tensors of the link."""


@frozen
class FlowLayout:
    """A flow with coordinates, counted from its first cell."""

    across: list[int]
    along: list[int]
    """First cells of each box."""

    breadths: list[int]
    """Breadth of each box, enlarged if its ports need more cells."""

    breadth: int
    depth: int
    routes: list[tuple[Point, ...]]
    """Corners (across, along) of each link from source to target; empty if it is left out."""

    nets: list[int]
    """Net of each link."""

    labels: list[Point | None]
    """Start (across, along) of the label of each link; None if it has none."""


def lay_out_flow(
    sizes: Sequence[NodeSize],
    links: Sequence[FlowLink],
    max_breadth: int,
    direction: FlowDirection,
    *,
    first: frozenset[int] = frozenset(),
    last: frozenset[int] = frozenset(),
) -> FlowLayout:
    """Lay out connected boxes.

    Args:
        sizes: Sizes of the boxes.
        links: Links between boxes; no self-loops.
        max_breadth: Cells across of a rank before it continues in the next.
        direction: Direction of the flow.
        first: Boxes that fill the first rank alone; no link enters them.
        last: Boxes that fill the last rank alone; no link leaves them.
    """
    pairs = [(link.source, link.target) for link in links]
    is_forward = select_acyclic_edges(len(sizes), pairs)
    down = [pair if forward else pair[::-1] for pair, forward in zip(pairs, is_forward, strict=True)]
    ranks = assign_ranks(
        [size.breadth + direction.gaps[0] for size in sizes], down, max_breadth, first=first, last=last
    )
    ranked_links = [
        RankedLink(upper, lower, link.group, link.is_control, is_alone=not forward)
        for (upper, lower), link, forward in zip(down, links, is_forward, strict=True)
    ]
    graph = build_nets(ranks, ranked_links)
    ranked = order_nodes(graph)
    positions = _place_nodes(
        graph, ranked, sizes, direction, collect_border_contents(sizes, links, is_forward, graph.nets)
    )
    channels = [Channel.build([positions.channel_net(hop) for hop in gap], direction.row_depth) for gap in graph.gaps]
    placed_labels = _place_labels(graph, ranked_links, links, positions, channels, direction)
    depths = [size.depth for size in sizes]
    rank_starts, depth = _assign_rows(ranked, depths, channels)
    downward_routes = Router(graph, channels, positions.bottom_port, positions.top_port).route_links(
        ranked_links, rank_starts, depths
    )
    routes = [points if forward else points[::-1] for points, forward in zip(downward_routes, is_forward, strict=True)]
    labels = _label_starts(graph, ranked_links, placed_labels, channels, direction)
    across = positions.across[: len(sizes)]
    ends = [*map(sum, zip(across, positions.breadths, strict=True))]
    ends += [point[0] + 1 for points in routes for point in points]
    if not direction.across:
        ends += [start[0] + link.label_columns for start, link in zip(labels, links, strict=True) if start is not None]
    along = [rank_starts[ranks[node]] for node in range(len(sizes))]
    return FlowLayout(across, along, positions.breadths, max(ends), depth, routes, graph.nets, labels)


@frozen
class _NodePositions:
    """Positions of nodes across the flow, and of the ports of their lines."""

    across: list[int]
    breadths: list[int]
    bottom_ports: dict[tuple[int, int], int]
    """Cells across from the first cell of the box, by box and net, of lines that leave downwards."""

    top_ports: dict[tuple[int, int], int]
    """The same, of lines that enter from above."""

    def bottom_port(self, node: int, net: int) -> int:
        """Return the cell across at which a net leaves a node downwards."""
        return self.across[node] + self.bottom_ports.get((node, net), 0)

    def top_port(self, node: int, net: int) -> int:
        """Return the cell across at which a net enters a node from above."""
        return self.across[node] + self.top_ports.get((node, net), 0)

    def channel_net(self, hop: NetHop) -> ChannelNet:
        """Return the cells across at which a net enters and leaves a channel."""
        tops = [self.bottom_port(node, hop.net) for node in hop.tops]
        return ChannelNet(tuple(tops), tuple(self.top_port(node, hop.net) for node in hop.bottoms))


def _place_nodes(
    graph: RankedGraph, ranked: Ranked, sizes: Sequence[NodeSize], direction: FlowDirection, carries: BorderContents
) -> _NodePositions:
    below = align_nodes(graph, ranked)
    above = [NO_NODE] * len(below)
    for node, lower in enumerate(below):
        if lower != NO_NODE:
            above[lower] = node
    leaving, entering = _group_hops(graph)
    counts = [max(len(outputs), len(inputs)) for outputs, inputs in zip(leaving, entering, strict=True)]
    counts = [count + size.ports if size.ports else count for count, size in zip(counts, sizes, strict=True)]
    breadths = [max(size.breadth, ports.min_breadth(counts[node], direction.pitch)) for node, size in enumerate(sizes)]
    rank_positions = [0] * len(graph.ranks)
    for nodes in ranked:
        for index, node in enumerate(nodes):
            rank_positions[node] = index
    bottom_ports: dict[tuple[int, int], int] = {}
    top_ports: dict[tuple[int, int], int] = {}
    for node, size in enumerate(sizes):
        outputs = [(hop.net, hop.bottoms) for hop in leaving[node]]
        inputs = [(hop.net, hop.tops) for hop in entering[node]]
        bottom_ports |= order_ports(
            node, outputs, breadths[node], size.outlets, below[node], rank_positions, carries.below
        )
        top_ports |= order_ports(node, inputs, breadths[node], size.inlets, above[node], rank_positions, carries.above)
    connections = [
        Connection(
            top,
            bottom_ports.get((top, hop.net), 0),
            bottom,
            top_ports.get((bottom, hop.net), 0),
            # A line that connects many boxes need not be near any of them.
            attracts=(top < graph.box_count) == (bottom < graph.box_count)
            or len(hop.tops) * len(hop.bottoms) <= MAX_ATTRACTING_BOXES,
        )
        for gap in graph.gaps
        for hop in gap
        for top in hop.tops
        for bottom in hop.bottoms
    ]
    widths = breadths + [1] * (len(graph.ranks) - graph.box_count)
    across = assign_columns(ranked, widths, below, connections, direction.gaps, graph.box_count)
    return _NodePositions(across, breadths, bottom_ports, top_ports)


def _group_hops(graph: RankedGraph) -> tuple[list[list[NetHop]], list[list[NetHop]]]:
    """Return the hops that leave and that enter each box."""
    leaving: list[list[NetHop]] = [[] for _ in range(graph.box_count)]
    entering: list[list[NetHop]] = [[] for _ in range(graph.box_count)]
    for gap in graph.gaps:
        for hop in gap:
            for top in hop.tops:
                if top < graph.box_count:
                    leaving[top].append(hop)
            for bottom in hop.bottoms:
                if bottom < graph.box_count:
                    entering[bottom].append(hop)
    return leaving, entering


def _place_labels(
    graph: RankedGraph,
    ranked_links: Sequence[RankedLink],
    links: Sequence[FlowLink],
    positions: _NodePositions,
    channels: Sequence[Channel],
    direction: FlowDirection,
) -> list[tuple[Label, int]]:
    """Return labels, one per net that leaves a box, with their start across; channels get cells for them."""
    labels_by_rank: list[list[Label]] = [[] for _ in channels]
    labelled = set()
    for index, (ranked_link, link, net) in enumerate(zip(ranked_links, links, graph.nets, strict=True)):
        upper = ranked_link.upper
        if net >= 0 and link.label_columns and (net, upper) not in labelled:
            labelled.add((net, upper))
            label = Label(index, positions.bottom_port(upper, net), link.label_columns)
            labels_by_rank[graph.ranks[upper]].append(label)
    all_placed: list[tuple[Label, int]] = []
    for gap, channel, labels in zip(graph.gaps, channels, labels_by_rank, strict=True):
        if direction.across:
            placed = [(label, label.line) for label in {label.line: label for label in labels}.values()]
            channel.front = max((label.columns + 2 for label in labels), default=0)
        else:
            lines = sorted({positions.bottom_port(top, hop.net) for hop in gap for top in hop.tops})
            placed = place_labels(labels, lines)
            channel.front = int(bool(placed))
        all_placed += placed
    return all_placed


def _label_starts(
    graph: RankedGraph,
    ranked_links: Sequence[RankedLink],
    placed_labels: Sequence[tuple[Label, int]],
    channels: Sequence[Channel],
    direction: FlowDirection,
) -> list[Point | None]:
    starts: list[Point | None] = [None] * len(ranked_links)
    for label, start in placed_labels:
        channel = channels[graph.ranks[ranked_links[label.link].upper]]
        starts[label.link] = (start, channel.start + int(direction.across))
    return starts


def _assign_rows(ranked: Ranked, depths: Sequence[int], channels: Sequence[Channel]) -> tuple[list[int], int]:
    """Return the start of each rank along the flow and the end of the last one; set the starts of channels."""
    rank_starts, along = [], 0
    for index, nodes in enumerate(ranked):
        rank_starts.append(along)
        along += max((depths[node] for node in nodes if node < len(depths)), default=1)
        if index < len(channels):
            channels[index].start = along
            along += channels[index].depth
    return rank_starts, along
