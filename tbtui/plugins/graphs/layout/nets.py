"""Bundle links into nets, whose links share lines, and route each net from rank to rank. A net is a hyperedge."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.diagram import Tensor


MAX_SEPARATE_LINES = 6
"""Maximum number of separate lines into a box; more are bundled before they reach it."""


MAX_PASSES = 12_000
"""Maximum number of passes of nets through ranks; the longest links are left out beyond that."""


NO_NET = -1
"""Net of a link that is not drawn."""


class OutputKey(NamedTuple):
    """Properties by which outputs of a node are told apart: links of one source with equal keys share a line."""

    label: str
    tensors: tuple[Tensor, ...]
    """Tensors of the link; empty if the layout does not separate them."""

    is_control: bool
    """True for control links, which share no line with links of tensors."""


class RankedLink(NamedTuple):
    """A link between ranks, from the upper to the lower one; its arrow may have the other direction."""

    upper: int
    lower: int
    output: OutputKey
    is_reversed: bool = False
    """True if the arrow runs against the flow; such a link shares its line with no other link."""


class NetHop(NamedTuple):
    """The lines of a net between one rank and the next."""

    net: int
    tops: list[int]
    """Nodes in the upper rank."""

    bottoms: list[int]
    """Nodes in the lower rank; one of both lists has a single node."""


@dataclass(slots=True)
class RankedGraph:
    """Nodes of boxes and of nets that pass ranks, connected from rank to rank."""

    ranks: list[int]
    """Rank of each node; nodes from `box_count` on are passes of nets through a rank."""

    box_count: int
    channel_hops: list[list[NetHop]]
    """Hops between each rank and the next."""

    nets: list[int]
    """Net of each link; `NO_NET` if it is not drawn."""

    pass_nodes: list[dict[int, int]]
    """Nodes of each net, by the rank that they pass."""

    converges: list[bool]
    """True for each net that joins links of several sources on their way to one target."""

    nodes_above: list[list[int]] = field(default_factory=list)
    """Neighbours of each node in the rank above."""

    nodes_below: list[list[int]] = field(default_factory=list)
    """Neighbours of each node in the rank below."""


def _assign_nets(links: Sequence[RankedLink]) -> list[int]:
    """Return the net of each link: by its source, or by its target if more links arrive there than leave together."""
    leaving = Counter((link.upper, link.output) for link in links if not link.is_reversed)
    arriving = Counter((link.lower, link.output.is_control) for link in links if not link.is_reversed)
    numbers: dict[tuple[object, ...], int] = {}
    nets = []
    for index, link in enumerate(links):
        source, target = (link.upper, link.output), (link.lower, link.output.is_control)
        key: tuple[object, ...] = ("source", *source)
        if link.is_reversed:
            key = ("link", index)
        elif arriving[target] > max(MAX_SEPARATE_LINES, leaving[source]):
            key = ("target", *target)
        nets.append(numbers.setdefault(key, len(numbers)))
    return nets


def _choose_max_span(links: Sequence[RankedLink], nets: list[int], ranks: Sequence[int]) -> int:
    """Return the maximum span of a link in ranks, so that all nets together pass at most `MAX_PASSES` ranks."""
    spans: dict[int, int] = defaultdict(int)
    for link, net in zip(links, nets, strict=True):
        spans[net] = max(spans[net], ranks[link.lower] - ranks[link.upper])
    passes, longer_nets, span = 0, len(spans), 1
    for next_span, count in sorted(Counter(spans.values()).items()):
        passes += longer_nets * (next_span - span)
        if passes > MAX_PASSES:
            return max(next_span - -(-(passes - MAX_PASSES) // longer_nets), 1)
        longer_nets, span = longer_nets - count, next_span
    return span


def build_nets(ranks: Sequence[int], links: Sequence[RankedLink]) -> RankedGraph:
    """Route every net from rank to rank.

    Args:
        ranks: Rank of each box.
        links: Links between boxes in different ranks.
    """
    nets = _assign_nets(links)
    max_span = _choose_max_span(links, nets, ranks)
    node_ranks = list(ranks)
    pass_nodes: list[dict[int, int]] = [{} for _ in range(max(nets, default=-1) + 1)]
    channel_ends: list[dict[int, tuple[dict[int, None], dict[int, None]]]] = [{} for _ in range(max(ranks, default=0))]
    """Nodes above and below each channel by net; dictionaries are ordered sets."""

    def join(net: int, upper: int, lower: int) -> None:
        tops, bottoms = channel_ends[node_ranks[upper]].setdefault(net, ({}, {}))
        tops[upper] = bottoms[lower] = None

    def pass_rank(net: int, rank: int) -> tuple[int, bool]:
        """Return the node in which a net passes a rank, and True if it existed."""
        node = pass_nodes[net].get(rank)
        if node is not None:
            return node, True
        pass_nodes[net][rank] = len(node_ranks)
        node_ranks.append(rank)
        return len(node_ranks) - 1, False

    converges = _find_converging_nets(links, nets)
    for index, link in enumerate(links):
        net, upper, lower = nets[index], link.upper, link.lower
        if node_ranks[lower] - node_ranks[upper] > max_span:
            nets[index] = NO_NET
            continue
        # Begin at the end that only this link has, and stop at a node that the net has already.
        passed_ranks = range(node_ranks[upper] + 1, node_ranks[lower])
        existed = False
        for rank in passed_ranks if converges[net] else reversed(passed_ranks):
            node, existed = pass_rank(net, rank)
            if converges[net]:
                join(net, upper, node)
                upper = node
            else:
                join(net, node, lower)
                lower = node
            if existed:
                break
        if not existed:
            join(net, upper, lower)
    hops = [[NetHop(net, list(tops), list(bottoms)) for net, (tops, bottoms) in ends.items()] for ends in channel_ends]
    graph = RankedGraph(node_ranks, len(ranks), hops, nets, pass_nodes, converges)
    _connect_neighbours(graph)
    return graph


def _find_converging_nets(links: Sequence[RankedLink], nets: Sequence[int]) -> list[bool]:
    """Return True for each net whose links have several sources."""
    first_sources: dict[int, int] = {}
    has_many_sources = [False] * (max(nets, default=-1) + 1)
    for link, net in zip(links, nets, strict=True):
        if first_sources.setdefault(net, link.upper) != link.upper:
            has_many_sources[net] = True
    return has_many_sources


def _connect_neighbours(graph: RankedGraph) -> None:
    graph.nodes_above = [[] for _ in graph.ranks]
    graph.nodes_below = [[] for _ in graph.ranks]
    for hops in graph.channel_hops:
        for hop in hops:
            for top in hop.tops:
                graph.nodes_below[top].extend(hop.bottoms)
            for bottom in hop.bottoms:
                graph.nodes_above[bottom].extend(hop.tops)
