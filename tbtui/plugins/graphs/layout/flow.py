"""Lay out one connected flow: ranks one after another, and routes between them.

Coordinates are across and along the flow, so that they do not depend on its direction on the screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.frozen import frozen
from tbtui.plugins.graphs.layout.coordinates import Connection, Label, NodeSpacing, assign_columns, place_labels
from tbtui.plugins.graphs.layout.nets import NO_NET, RankedLink, build_nets
from tbtui.plugins.graphs.layout.ports import BoxSide, NetEnd, collect_border_contents, measure_min_breadth, order_ports
from tbtui.plugins.graphs.layout.ranks import UNALIGNED, align_nodes, assign_ranks, order_nodes, select_acyclic_edges
from tbtui.plugins.graphs.layout.routing import Channel, ChannelNet, Router

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.diagram import Tensor
    from tbtui.plugins.graphs.layout.nets import NetHop, OutputKey, RankedGraph
    from tbtui.plugins.graphs.layout.ports import BorderContents, BorderPort, BoxNet
    from tbtui.plugins.graphs.layout.ranks import RankOrder
    from tbtui.plugins.graphs.layout.routing import FlowCell


class FlowDirection(NamedTuple):
    """Differences between a flow down and a flow to the right: a cell is about twice as high as wide."""

    is_rightward: bool = False
    """True for a flow to the right, False for a flow down."""

    spacing: NodeSpacing = NodeSpacing(3, 1)
    """Minimum blank cells across the flow."""

    pitch: int = 2
    """Minimum cells from one port of a box to the next."""

    row_depth: int = 1
    """Cells along the flow per row of lines."""

    inset_across: int = 2
    """Cells across the flow from the first cell of a frame to its content."""

    inset_along: int = 1
    """Cells along the flow from the first cell of a frame to its content."""

    unlinked_gap: int = 0
    """Blank cells along the flow between unlinked boxes."""


DOWN = FlowDirection()
RIGHT = FlowDirection(
    is_rightward=True,
    spacing=NodeSpacing(1, 0),
    pitch=1,
    row_depth=2,
    inset_across=1,
    inset_along=2,
    unlinked_gap=2,
)


MAX_ATTRACTING_BOXES = 2
"""Maximum number of boxes of a net whose lines attract the boxes at its ends."""


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
    def port_count(self) -> int:
        """Number of cells that must stay free for lines that continue in no port."""
        return max(len(self.inlets), len(self.outlets))


class FlowLink(NamedTuple):
    """A link as the layout of a flow needs it."""

    source: int
    target: int
    output: OutputKey
    label_columns: int = 0
    """Columns of its label; 0 without one."""

    tensors: tuple[Tensor, ...] = ()
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
    routes: list[tuple[FlowCell, ...]]
    """Corners of each link from source to target; empty if it is not drawn."""

    nets: list[int]
    """Net of each link."""

    label_cells: list[FlowCell | None]
    """First cell of the label of each link; None if it has none."""


def lay_out_flow(
    sizes: Sequence[NodeSize],
    links: Sequence[FlowLink],
    max_breadth: int,
    direction: FlowDirection,
    *,
    entry_nodes: frozenset[int] = frozenset(),
    exit_nodes: frozenset[int] = frozenset(),
) -> FlowLayout:
    """Lay out connected boxes.

    Args:
        sizes: Sizes of the boxes.
        links: Links between boxes; no self-loops.
        max_breadth: Cells across of a rank before it continues in the next.
        direction: Direction of the flow.
        entry_nodes: Boxes that fill the first rank alone; no link enters them.
        exit_nodes: Boxes that fill the last rank alone; no link leaves them.
    """
    pairs = [(link.source, link.target) for link in links]
    is_forward = select_acyclic_edges(len(sizes), pairs)
    downward_pairs = [pair if forward else pair[::-1] for pair, forward in zip(pairs, is_forward, strict=True)]
    ranks = assign_ranks(
        [size.breadth + direction.spacing.between_boxes for size in sizes],
        downward_pairs,
        max_breadth,
        entry_nodes=entry_nodes,
        exit_nodes=exit_nodes,
    )
    ranked_links = [
        RankedLink(upper, lower, link.output, is_reversed=not forward)
        for (upper, lower), link, forward in zip(downward_pairs, links, is_forward, strict=True)
    ]
    graph = build_nets(ranks, ranked_links)
    rank_order = order_nodes(graph)
    positions = _place_nodes(
        graph, rank_order, sizes, direction, collect_border_contents(sizes, links, is_forward, graph.nets)
    )
    channels = [
        Channel.build([positions.build_channel_net(hop) for hop in hops], direction.row_depth)
        for hops in graph.channel_hops
    ]
    placed_labels = _place_labels(graph, ranked_links, links, positions, channels, direction)
    depths = [size.depth for size in sizes]
    rank_starts, depth = _assign_rows(rank_order, depths, channels)
    downward_routes = Router(graph, channels, positions.get_bottom_port, positions.get_top_port).route_links(
        ranked_links, rank_starts, depths
    )
    routes = [points if forward else points[::-1] for points, forward in zip(downward_routes, is_forward, strict=True)]
    label_cells = _list_label_cells(graph, ranked_links, placed_labels, channels, direction)
    across = positions.across[: len(sizes)]
    ends = [*map(sum, zip(across, positions.breadths, strict=True))]
    ends += [point[0] + 1 for points in routes for point in points]
    if not direction.is_rightward:
        ends += [
            cell[0] + link.label_columns for cell, link in zip(label_cells, links, strict=True) if cell is not None
        ]
    along = [rank_starts[ranks[node]] for node in range(len(sizes))]
    return FlowLayout(
        across=across,
        along=along,
        breadths=positions.breadths,
        breadth=max(ends),
        depth=depth,
        routes=routes,
        nets=graph.nets,
        label_cells=label_cells,
    )


@frozen
class _NodePositions:
    """Positions of nodes across the flow, and of the ports of their lines."""

    across: list[int]
    breadths: list[int]
    bottom_ports: dict[BoxNet, int]
    """Ports of lines that leave a box downwards, counted across from its first cell."""

    top_ports: dict[BoxNet, int]
    """Ports of lines that enter a box from above, counted across from its first cell."""

    def get_bottom_port(self, node: int, net: int) -> int:
        """Return the cell across at which a net leaves a node downwards."""
        return self.across[node] + self.bottom_ports.get((node, net), 0)

    def get_top_port(self, node: int, net: int) -> int:
        """Return the cell across at which a net enters a node from above."""
        return self.across[node] + self.top_ports.get((node, net), 0)

    def build_channel_net(self, hop: NetHop) -> ChannelNet:
        """Return the cells across at which a net enters and leaves a channel."""
        tops = [self.get_bottom_port(node, hop.net) for node in hop.tops]
        return ChannelNet(tuple(tops), tuple(self.get_top_port(node, hop.net) for node in hop.bottoms))


def _place_nodes(
    graph: RankedGraph,
    rank_order: RankOrder,
    sizes: Sequence[NodeSize],
    direction: FlowDirection,
    contents: BorderContents,
) -> _NodePositions:
    aligned_below = align_nodes(graph, rank_order)
    aligned_above = [UNALIGNED] * len(aligned_below)
    for node, lower in enumerate(aligned_below):
        if lower != UNALIGNED:
            aligned_above[lower] = node
    leaving, entering = _group_hops(graph)
    breadths = []
    for size, outgoing, incoming in zip(sizes, leaving, entering, strict=True):
        port_count = size.port_count + max(len(outgoing), len(incoming))
        breadths.append(max(size.breadth, measure_min_breadth(port_count, direction.pitch)))
    rank_positions = [0] * len(graph.ranks)
    for nodes in rank_order:
        for index, node in enumerate(nodes):
            rank_positions[node] = index
    bottom_ports: dict[BoxNet, int] = {}
    top_ports: dict[BoxNet, int] = {}
    for node, (size, breadth) in enumerate(zip(sizes, breadths, strict=True)):
        outputs = [NetEnd(hop.net, hop.bottoms) for hop in leaving[node]]
        inputs = [NetEnd(hop.net, hop.tops) for hop in entering[node]]
        bottom_side = BoxSide(node, breadth, outputs, aligned_below[node], size.outlets)
        top_side = BoxSide(node, breadth, inputs, aligned_above[node], size.inlets)
        bottom_ports |= order_ports(bottom_side, rank_positions, contents.below)
        top_ports |= order_ports(top_side, rank_positions, contents.above)
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
        for hops in graph.channel_hops
        for hop in hops
        for top in hop.tops
        for bottom in hop.bottoms
    ]
    widths = breadths + [1] * (len(graph.ranks) - graph.box_count)
    across = assign_columns(rank_order, widths, aligned_below, connections, direction.spacing, graph.box_count)
    return _NodePositions(across, breadths, bottom_ports, top_ports)


def _group_hops(graph: RankedGraph) -> tuple[list[list[NetHop]], list[list[NetHop]]]:
    """Return the hops that leave and that enter each box."""
    leaving: list[list[NetHop]] = [[] for _ in range(graph.box_count)]
    entering: list[list[NetHop]] = [[] for _ in range(graph.box_count)]
    for hops in graph.channel_hops:
        for hop in hops:
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
    """Return labels, one per net that leaves a box, with their start across; reserve cells for them in channels."""
    labels_by_rank: list[list[Label]] = [[] for _ in channels]
    labelled = set()
    for index, (ranked_link, link, net) in enumerate(zip(ranked_links, links, graph.nets, strict=True)):
        upper = ranked_link.upper
        if net != NO_NET and link.label_columns and (net, upper) not in labelled:
            labelled.add((net, upper))
            label = Label(index, positions.get_bottom_port(upper, net), link.label_columns)
            labels_by_rank[graph.ranks[upper]].append(label)
    all_placed: list[tuple[Label, int]] = []
    for hops, channel, labels in zip(graph.channel_hops, channels, labels_by_rank, strict=True):
        if direction.is_rightward:
            placed = [(label, label.line) for label in {label.line: label for label in labels}.values()]
            channel.front = max((label.columns + 2 for label in labels), default=0)
        else:
            lines = sorted({positions.get_bottom_port(top, hop.net) for hop in hops for top in hop.tops})
            placed = place_labels(labels, lines)
            channel.front = int(bool(placed))
        all_placed += placed
    return all_placed


def _list_label_cells(
    graph: RankedGraph,
    ranked_links: Sequence[RankedLink],
    placed_labels: Sequence[tuple[Label, int]],
    channels: Sequence[Channel],
    direction: FlowDirection,
) -> list[FlowCell | None]:
    """Return the first cell of the label of each link; None for links without one."""
    cells: list[FlowCell | None] = [None] * len(ranked_links)
    for label, start in placed_labels:
        channel = channels[graph.ranks[ranked_links[label.link].upper]]
        cells[label.link] = (start, channel.start + int(direction.is_rightward))
    return cells


def _assign_rows(rank_order: RankOrder, depths: Sequence[int], channels: Sequence[Channel]) -> tuple[list[int], int]:
    """Return the start of each rank along the flow and the end of the last one; set the starts of channels."""
    rank_starts, along = [], 0
    for index, nodes in enumerate(rank_order):
        rank_starts.append(along)
        along += max((depths[node] for node in nodes if node < len(depths)), default=1)
        if index < len(channels):
            channels[index].start = along
            along += channels[index].depth
    return rank_starts, along
