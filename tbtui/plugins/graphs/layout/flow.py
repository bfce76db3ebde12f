"""Lay out one connected flow: ranks one after another, and routes between them.

Coordinates count across and along the flow, so that nothing here depends on its direction on the screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.frozen import frozen
from tbtui.plugins.graphs.layout import coordinates as ports
from tbtui.plugins.graphs.layout.border_ports import border_contents, box_ports
from tbtui.plugins.graphs.layout.coordinates import Joint, Label, assign_columns, place_labels
from tbtui.plugins.graphs.layout.hyperedges import RankedLink, build_nets
from tbtui.plugins.graphs.layout.ranks import NO_NODE, acyclic_edges, align_nodes, assign_ranks, order_nodes
from tbtui.plugins.graphs.layout.routing import Channel, ChannelNet, Router

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.diagram import Point, Tensor
    from tbtui.plugins.graphs.layout.border_ports import BorderContents, BorderPort
    from tbtui.plugins.graphs.layout.hyperedges import NetHop, RankedGraph
    from tbtui.plugins.graphs.layout.ranks import Ranked


class FlowDirection(NamedTuple):
    """Differences between a flow down and a flow to the right: a cell is about twice as high as wide."""

    across: bool = False
    """True for a flow to the right."""

    between: tuple[int, int] = (3, 1)
    """Minimum blank cells across the flow between two boxes, and beside a line."""

    pitch: int = 2
    """Minimum cells from one port of a box to the next."""

    row: int = 1
    """Cells along the flow per row of lines."""

    inset: tuple[int, int] = (2, 1)
    """Cells across and along from the first cell of a frame to its content."""

    apart: int = 0
    """Blank cells along the flow between unlinked boxes."""


MAX_PULLING_JOINTS = 2
"""Maximum number of boxes that a net joins for its lines to attract the boxes where it passes ranks."""


DOWN, ACROSS = FlowDirection(), FlowDirection(across=True, between=(1, 0), pitch=1, row=2, inset=(1, 2), apart=2)


class NodeSize(NamedTuple):
    """Size of a box, and its border ports."""

    breadth: int
    """Cells across the flow."""

    depth: int
    """Cells along the flow."""

    inlets: tuple[BorderPort, ...] = ()
    """Ports where lines continue inside; empty for closed boxes."""

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
    """Links of one source with equal groups come from one output: label, tensors if they matter, control."""

    label: int = 0
    """Columns of its label; 0 without one."""

    carries: tuple[Tensor, ...] = ()
    """Tensors of the link."""


@frozen
class FlowLayout:
    """A flow with coordinates, counted from its own first cell."""

    across: list[int]
    along: list[int]
    """First cells of each box."""

    breadths: list[int]
    """Breadth of each box, which may have grown to have room for its ports."""

    breadth: int
    depth: int
    ways: list[tuple[Point, ...]]
    """Corners (across, along) of each link from source to target; empty if it was left out."""

    nets: list[int]
    """Net of each link."""

    labels: list[Point | None]
    """Start (across, along) of the label of each link; None if it has none."""


def lay_out_flow(
    sizes: Sequence[NodeSize],
    threads: Sequence[FlowLink],
    room: int,
    grid: FlowDirection,
    *,
    first: frozenset[int] = frozenset(),
    last: frozenset[int] = frozenset(),
) -> FlowLayout:
    """Lay out connected boxes.

    Args:
        sizes: Sizes of the boxes.
        threads: Links between boxes; no self-loops.
        room: Cells across per rank before it continues in the next.
        grid: Direction of the flow.
        first: Boxes that fill the first rank alone; no link leads to them.
        last: Boxes that fill the last rank alone; no link leaves them.
    """
    pairs = [(thread.source, thread.target) for thread in threads]
    is_forward = acyclic_edges(len(sizes), pairs)
    down = [pair if keep else pair[::-1] for pair, keep in zip(pairs, is_forward, strict=True)]
    ranks = assign_ranks([size.breadth + grid.between[0] for size in sizes], down, room, first=first, last=last)
    strands = [
        RankedLink(upper, lower, thread.group, alone=not keep)
        for (upper, lower), thread, keep in zip(down, threads, is_forward, strict=True)
    ]
    web = build_nets(ranks, strands)
    ranked = order_nodes(web)
    standing = _place_nodes(web, ranked, sizes, grid, border_contents(sizes, threads, is_forward, web.nets))
    channels = [Channel.of([standing.bundle(hop) for hop in gap], grid.row) for gap in web.gaps]
    shown = _labels(web, strands, threads, standing, channels, grid)
    depths = [size.depth for size in sizes]
    begins, depth = _rows(ranked, depths, channels)
    drawn = Router(web, channels, standing.top, standing.bottom).of(strands, begins, depths)
    ways = [points if keep else points[::-1] for points, keep in zip(drawn, is_forward, strict=True)]
    labels = _label_places(web, strands, shown, channels, grid)
    across = standing.across[: len(sizes)]
    ends = [*map(sum, zip(across, standing.breadths, strict=True))]
    ends += [point[0] + 1 for points in ways for point in points]
    if not grid.across:
        ends += [at[0] + thread.label for at, thread in zip(labels, threads, strict=True) if at is not None]
    along = [begins[ranks[node]] for node in range(len(sizes))]
    return FlowLayout(across, along, standing.breadths, max(ends), depth, ways, web.nets, labels)


@frozen
class _NodePositions:
    """Positions of nodes across the flow, and of the ports of their lines."""

    across: list[int]
    breadths: list[int]
    leaves: dict[tuple[int, int], int]
    """Cells across from the first cell of the box, by box and net."""

    enters: dict[tuple[int, int], int]

    def top(self, node: int, net: int) -> int:
        """Return where a net leaves a node downwards."""
        return self.across[node] + self.leaves.get((node, net), 0)

    def bottom(self, node: int, net: int) -> int:
        """Return where a net enters a node from above."""
        return self.across[node] + self.enters.get((node, net), 0)

    def bundle(self, hop: NetHop) -> ChannelNet:
        """Return where a net enters and leaves a channel."""
        tops = [self.top(node, hop.net) for node in hop.tops]
        return ChannelNet(tuple(tops), tuple(self.bottom(node, hop.net) for node in hop.bottoms))


def _place_nodes(
    web: RankedGraph, ranked: Ranked, sizes: Sequence[NodeSize], grid: FlowDirection, carries: BorderContents
) -> _NodePositions:
    below = align_nodes(web, ranked)
    above = [NO_NODE] * len(below)
    for node, lower in enumerate(below):
        if lower != NO_NODE:
            above[lower] = node
    leaving, entering = _hops_of(web)
    most = [max(len(out), len(into)) for out, into in zip(leaving, entering, strict=True)]
    most = [count + size.ports if size.ports else count for count, size in zip(most, sizes, strict=True)]
    breadths = [max(size.breadth, ports.min_breadth(most[node], grid.pitch)) for node, size in enumerate(sizes)]
    place = [0] * len(web.ranks)
    for nodes in ranked:
        for index, node in enumerate(nodes):
            place[node] = index
    leaves: dict[tuple[int, int], int] = {}
    enters: dict[tuple[int, int], int] = {}
    for node, size in enumerate(sizes):
        out = [(hop.net, hop.bottoms) for hop in leaving[node]]
        into = [(hop.net, hop.tops) for hop in entering[node]]
        leaves.update(box_ports(node, out, breadths[node], size.outlets, below[node], place, carries.below))
        enters.update(box_ports(node, into, breadths[node], size.inlets, above[node], place, carries.above))
    joints = [
        Joint(
            top,
            leaves.get((top, hop.net), 0),
            bottom,
            enters.get((bottom, hop.net), 0),
            # A line that joins many boxes need not be near any of them.
            pulls=(top < web.boxes) == (bottom < web.boxes) or len(hop.tops) * len(hop.bottoms) <= MAX_PULLING_JOINTS,
        )
        for gap in web.gaps
        for hop in gap
        for top in hop.tops
        for bottom in hop.bottoms
    ]
    widths = breadths + [1] * (len(web.ranks) - web.boxes)
    across = assign_columns(ranked, widths, below, joints, grid.between, web.boxes)
    return _NodePositions(across, breadths, leaves, enters)


def _hops_of(web: RankedGraph) -> tuple[list[list[NetHop]], list[list[NetHop]]]:
    """Return the hops that leave and that enter each box."""
    leaving: list[list[NetHop]] = [[] for _ in range(web.boxes)]
    entering: list[list[NetHop]] = [[] for _ in range(web.boxes)]
    for gap in web.gaps:
        for hop in gap:
            for top in hop.tops:
                if top < web.boxes:
                    leaving[top].append(hop)
            for bottom in hop.bottoms:
                if bottom < web.boxes:
                    entering[bottom].append(hop)
    return leaving, entering


def _labels(
    web: RankedGraph,
    strands: Sequence[RankedLink],
    threads: Sequence[FlowLink],
    standing: _NodePositions,
    channels: Sequence[Channel],
    grid: FlowDirection,
) -> list[tuple[Label, int]]:
    """Return labels, one where each net leaves a box, with their start across; channels get room for them."""
    labels_by_rank: list[list[Label]] = [[] for _ in channels]
    seen = set()
    for index, (strand, thread, net) in enumerate(zip(strands, threads, web.nets, strict=True)):
        if net >= 0 and thread.label and (net, strand.upper) not in seen:
            seen.add((net, strand.upper))
            label = Label(index, standing.top(strand.upper, net), thread.label)
            labels_by_rank[web.ranks[strand.upper]].append(label)
    shown: list[tuple[Label, int]] = []
    for gap, channel, labels in zip(web.gaps, channels, labels_by_rank, strict=True):
        if grid.across:
            where = [(label, label.line) for label in {label.line: label for label in labels}.values()]
            channel.front = max((label.columns + 2 for label in labels), default=0)
        else:
            where = place_labels(labels, sorted({standing.top(top, hop.net) for hop in gap for top in hop.tops}))
            channel.front = int(bool(where))
        shown += where
    return shown


def _label_places(
    web: RankedGraph,
    strands: Sequence[RankedLink],
    shown: Sequence[tuple[Label, int]],
    channels: Sequence[Channel],
    grid: FlowDirection,
) -> list[Point | None]:
    places: list[Point | None] = [None] * len(strands)
    for label, begin in shown:
        channel = channels[web.ranks[strands[label.thread].upper]]
        places[label.thread] = (begin, channel.begin + int(grid.across))
    return places


def _rows(ranked: Ranked, depths: Sequence[int], channels: Sequence[Channel]) -> tuple[list[int], int]:
    """Return the start of each rank along the flow and the end of the last one; set the starts of channels."""
    begins, along = [], 0
    for index, nodes in enumerate(ranked):
        begins.append(along)
        along += max((depths[node] for node in nodes if node < len(depths)), default=1)
        if index < len(channels):
            channels[index].begin = along
            along += channels[index].depth
    return begins, along
