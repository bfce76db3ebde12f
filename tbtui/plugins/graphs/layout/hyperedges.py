"""Bundle links into nets (hyperedges), whose links share lines, and lead each net from rank to rank."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


MAX_SEPARATE_LINES = 6
"""Maximum number of separate lines into a box; more are bundled before they reach it."""


MAX_PASSES = 12_000
"""Maximum number of places where nets pass a rank; the longest links are left out beyond that."""


class RankedLink(NamedTuple):
    """A link between ranks, from the upper to the lower one, whatever the direction of its arrow."""

    upper: int
    lower: int
    group: tuple[object, ...]
    """Strands of one upper node and group come from one output."""

    alone: bool = False
    """True if it shares its line with no other."""


class NetHop(NamedTuple):
    """Part of a net between one rank and the next."""

    net: int
    tops: list[int]
    """Nodes in the upper rank."""

    bottoms: list[int]
    """Nodes in the lower rank; one of both lists has a single node."""


@dataclass(slots=True)
class RankedGraph:
    """Nodes of boxes and of nets that pass ranks, connected from rank to rank."""

    ranks: list[int]
    """Rank of each node; nodes from `boxes` on are where a net passes a rank."""

    boxes: int
    gaps: list[list[NetHop]]
    """Hops between each rank and the next."""

    nets: list[int]
    """Net of each strand; -1 if it is left out."""

    passing: list[dict[int, int]]
    """Node of each net in each rank that it passes."""

    gathers: list[bool]
    """True for nets with many sources and one target."""

    ups: list[list[int]] = field(default_factory=list)
    """Neighbours of each node in the rank above."""

    downs: list[list[int]] = field(default_factory=list)


def _assign_nets(strands: Sequence[RankedLink]) -> list[int]:
    """Return the net of each strand: by its source, or by its target if more arrive there than leave together."""
    leaving = Counter((strand.upper, strand.group) for strand in strands if not strand.alone)
    arriving = Counter((strand.lower, strand.group[-1:]) for strand in strands if not strand.alone)
    numbers: dict[tuple[object, ...], int] = {}
    nets = []
    for index, strand in enumerate(strands):
        out, into = (strand.upper, strand.group), (strand.lower, strand.group[-1:])
        key: tuple[object, ...] = ("from", *out)
        if strand.alone:
            key = ("alone", index)
        elif arriving[into] > max(MAX_SEPARATE_LINES, leaving[out]):
            key = ("to", *into)
        nets.append(numbers.setdefault(key, len(numbers)))
    return nets


def _max_span(strands: Sequence[RankedLink], nets: list[int], ranks: Sequence[int]) -> int:
    """Return the maximum span of a strand in ranks, so that all nets together pass at most `MAX_PASSES` ranks."""
    spans: dict[int, int] = defaultdict(int)
    for strand, net in zip(strands, nets, strict=True):
        spans[net] = max(spans[net], ranks[strand.lower] - ranks[strand.upper])
    counted = sorted(Counter(spans.values()).items())
    turns, left, span = 0, len(spans), 1
    for longest, count in counted:
        turns += left * (longest - span)
        if turns > MAX_PASSES:
            return max(longest - -(-(turns - MAX_PASSES) // left), 1)
        left, span = left - count, longest
    return span


def build_nets(ranks: Sequence[int], strands: Sequence[RankedLink]) -> RankedGraph:
    """Lead every net from rank to rank.

    Args:
        ranks: Rank of each box.
        strands: Links between boxes in different ranks.
    """
    nets = _assign_nets(strands)
    longest = _max_span(strands, nets, ranks)
    of = list(ranks)
    passing: list[dict[int, int]] = [{} for _ in range(max(nets, default=-1) + 1)]
    gaps: list[dict[int, tuple[dict[int, None], dict[int, None]]]] = [{} for _ in range(max(ranks, default=0))]

    def join(net: int, upper: int, lower: int) -> None:
        tops, bottoms = gaps[of[upper]].setdefault(net, ({}, {}))
        tops[upper] = bottoms[lower] = None

    def passed(net: int, at: int) -> tuple[int, bool]:
        """Return the node in which a net passes a rank, and True if it existed."""
        node = passing[net].get(at)
        if node is not None:
            return node, True
        passing[net][at] = len(of)
        of.append(at)
        return len(of) - 1, False

    gathers = _gathers(strands, nets)
    for index, strand in enumerate(strands):
        net, upper, lower = nets[index], strand.upper, strand.lower
        if of[lower] - of[upper] > longest:
            nets[index] = -1
            continue
        # Begin at the end that only this strand has, and stop where the net exists already.
        steps = range(of[upper] + 1, of[lower]) if gathers[net] else range(of[lower] - 1, of[upper], -1)
        known = False
        for at in steps:
            node, known = passed(net, at)
            if gathers[net]:
                join(net, upper, node)
                upper = node
            else:
                join(net, node, lower)
                lower = node
            if known:
                break
        if not known:
            join(net, upper, lower)
    hops = [[NetHop(net, list(tops), list(bottoms)) for net, (tops, bottoms) in gap.items()] for gap in gaps]
    web = RankedGraph(of, len(ranks), hops, nets, passing, gathers)
    _connect_neighbours(web)
    return web


def _gathers(strands: Sequence[RankedLink], nets: Sequence[int]) -> list[bool]:
    first: dict[int, int] = {}
    gathers = [False] * (max(nets, default=-1) + 1)
    for strand, net in zip(strands, nets, strict=True):
        if first.setdefault(net, strand.upper) != strand.upper:
            gathers[net] = True
    return gathers


def _connect_neighbours(web: RankedGraph) -> None:
    web.ups = [[] for _ in web.ranks]
    web.downs = [[] for _ in web.ranks]
    for gap in web.gaps:
        for hop in gap:
            for top in hop.tops:
                web.downs[top].extend(hop.bottoms)
            for bottom in hop.bottoms:
                web.ups[bottom].extend(hop.tops)
