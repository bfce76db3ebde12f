"""One connected flow in its places: ranks below one another, and lines that run between them.

Nothing here knows which way a flow runs on a screen: cells are counted across it and along it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.frozen import frozen
from tbtui.plugins.graphs.layout import coordinates as ports
from tbtui.plugins.graphs.layout.border_ports import borders, side
from tbtui.plugins.graphs.layout.coordinates import Joint, Label, beside_lines, columns
from tbtui.plugins.graphs.layout.hyperedges import Strand, weave
from tbtui.plugins.graphs.layout.ranks import NOBODY, aligned, along_the_flow, ordered, rank
from tbtui.plugins.graphs.layout.routing import Bundle, Channel, Ways

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.diagram import Point, Tensor
    from tbtui.plugins.graphs.layout.border_ports import Borders, Gate
    from tbtui.plugins.graphs.layout.hyperedges import Hop, Web
    from tbtui.plugins.graphs.layout.ranks import Ranked


class Grid(NamedTuple):
    """What differs between a flow downwards and one to the right: a cell is twice as high as it is wide."""

    across: bool = False
    """To the right."""

    between: tuple[int, int] = (3, 1)
    """Blank cells across the flow between two boxes, and beside a line."""

    pitch: int = 2
    """Cells from one port of a box to the next, at least."""

    row: int = 1
    """Cells along the flow that a row of lines takes."""

    inset: tuple[int, int] = (2, 1)
    """Cells across and along from the first of a frame to the first of what is inside."""

    apart: int = 0
    """Blank cells along the flow between boxes that nothing joins."""


FEW = 2
"""So many boxes beside one another pull at a line that goes on past them."""


DOWN, ACROSS = Grid(), Grid(across=True, between=(1, 0), pitch=1, row=2, inset=(1, 2), apart=2)


class Size(NamedTuple):
    """What a flow must know of a box."""

    breadth: int
    """Cells across the flow."""

    depth: int
    """Cells along the flow."""

    inlets: tuple[Gate, ...] = ()
    """Where lines go on inside it; none where nothing does."""

    outlets: tuple[Gate, ...] = ()

    @property
    def gates(self) -> int:
        """Cells that lines which go on in none of them must leave free."""
        return max(len(self.inlets), len(self.outlets))


class Thread(NamedTuple):
    """A link as a flow must know it."""

    source: int
    target: int
    group: tuple[object, ...]
    """Its label, what it carries if that is to be told apart, and whether it is only waited for: those of one source
    with the same are of one output."""

    label: int = 0
    """Columns of its label; 0 where it has none."""

    carries: tuple[Tensor, ...] = ()
    """As its link has it."""


@frozen
class Flow:
    """A flow in its places, counted from its own first cells."""

    across: list[int]
    along: list[int]
    """First cells of each box."""

    breadths: list[int]
    """Of each box, which may have grown to have room for its ports."""

    breadth: int
    depth: int
    ways: list[tuple[Point, ...]]
    """Of each thread: its corners (across, along) from its source to its target; empty where it was left out."""

    nets: list[int]
    """Of each thread."""

    labels: list[Point | None]
    """Of each thread: where its label begins (across, along), if it shows one."""


def flow(
    sizes: Sequence[Size],
    threads: Sequence[Thread],
    room: int,
    grid: Grid,
    *,
    first: frozenset[int] = frozenset(),
    last: frozenset[int] = frozenset(),
) -> Flow:
    """Lay out boxes that are joined with one another.

    Args:
        sizes: Of the boxes.
        threads: What joins them; none from a box to itself.
        room: Cells across that a rank may take before it is continued in the next.
        grid: Which way it runs on the screen.
        first: Boxes that alone stand in the first rank, to which nothing leads.
        last: Boxes that alone stand in the last rank, which lead to nothing.
    """
    pairs = [(thread.source, thread.target) for thread in threads]
    kept = along_the_flow(len(sizes), pairs)
    down = [pair if keep else pair[::-1] for pair, keep in zip(pairs, kept, strict=True)]
    ranks = rank([size.breadth + grid.between[0] for size in sizes], down, room, first=first, last=last)
    strands = [
        Strand(upper, lower, thread.group, alone=not keep)
        for (upper, lower), thread, keep in zip(down, threads, kept, strict=True)
    ]
    web = weave(ranks, strands)
    ranked = ordered(web)
    standing = _stand(web, ranked, sizes, grid, borders(sizes, threads, kept, web.nets))
    channels = [Channel.of([standing.bundle(hop) for hop in gap], grid.row) for gap in web.gaps]
    shown = _labels(web, strands, threads, standing, channels, grid)
    depths = [size.depth for size in sizes]
    begins, depth = _rows(ranked, depths, channels)
    drawn = Ways(web, channels, standing.top, standing.bottom).of(strands, begins, depths)
    ways = [points if keep else points[::-1] for points, keep in zip(drawn, kept, strict=True)]
    labels = _label_places(web, strands, shown, channels, grid)
    across = standing.across[: len(sizes)]
    ends = [*map(sum, zip(across, standing.breadths, strict=True))]
    ends += [point[0] + 1 for points in ways for point in points]
    if not grid.across:
        ends += [at[0] + thread.label for at, thread in zip(labels, threads, strict=True) if at is not None]
    along = [begins[ranks[node]] for node in range(len(sizes))]
    return Flow(across, along, standing.breadths, max(ends), depth, ways, web.nets, labels)


@frozen
class _Standing:
    """Where nodes stand across the flow, and where their lines leave and enter them."""

    across: list[int]
    breadths: list[int]
    leaves: dict[tuple[int, int], int]
    """Of a box and a net: cells across from the first of the box."""

    enters: dict[tuple[int, int], int]

    def top(self, node: int, net: int) -> int:
        """Where a net leaves a node downwards."""
        return self.across[node] + self.leaves.get((node, net), 0)

    def bottom(self, node: int, net: int) -> int:
        """Where a net enters a node from above."""
        return self.across[node] + self.enters.get((node, net), 0)

    def bundle(self, hop: Hop) -> Bundle:
        """Where a net enters and leaves a channel."""
        tops = [self.top(node, hop.net) for node in hop.tops]
        return Bundle(tuple(tops), tuple(self.bottom(node, hop.net) for node in hop.bottoms))


def _stand(web: Web, ranked: Ranked, sizes: Sequence[Size], grid: Grid, carries: Borders) -> _Standing:
    below = aligned(web, ranked)
    above = [NOBODY] * len(below)
    for node, lower in enumerate(below):
        if lower != NOBODY:
            above[lower] = node
    leaving, entering = _hops_of(web)
    most = [max(len(out), len(into)) for out, into in zip(leaving, entering, strict=True)]
    most = [count + size.gates if size.gates else count for count, size in zip(most, sizes, strict=True)]
    breadths = [max(size.breadth, ports.breadth_for(most[node], grid.pitch)) for node, size in enumerate(sizes)]
    place = [0] * len(web.ranks)
    for nodes in ranked:
        for index, node in enumerate(nodes):
            place[node] = index
    leaves: dict[tuple[int, int], int] = {}
    enters: dict[tuple[int, int], int] = {}
    for node, size in enumerate(sizes):
        out = [(hop.net, hop.bottoms) for hop in leaving[node]]
        into = [(hop.net, hop.tops) for hop in entering[node]]
        leaves.update(side(node, out, breadths[node], size.outlets, below[node], place, carries.below))
        enters.update(side(node, into, breadths[node], size.inlets, above[node], place, carries.above))
    joints = [
        Joint(
            top,
            leaves.get((top, hop.net), 0),
            bottom,
            enters.get((bottom, hop.net), 0),
            # A line that passes many boxes may pass them anywhere.
            pulls=(top < web.boxes) == (bottom < web.boxes) or len(hop.tops) * len(hop.bottoms) <= FEW,
        )
        for gap in web.gaps
        for hop in gap
        for top in hop.tops
        for bottom in hop.bottoms
    ]
    widths = breadths + [1] * (len(web.ranks) - web.boxes)
    across = columns(ranked, widths, below, joints, grid.between, web.boxes)
    return _Standing(across, breadths, leaves, enters)


def _hops_of(web: Web) -> tuple[list[list[Hop]], list[list[Hop]]]:
    """Hops that leave and that enter each box."""
    leaving: list[list[Hop]] = [[] for _ in range(web.boxes)]
    entering: list[list[Hop]] = [[] for _ in range(web.boxes)]
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
    web: Web,
    strands: Sequence[Strand],
    threads: Sequence[Thread],
    standing: _Standing,
    channels: Sequence[Channel],
    grid: Grid,
) -> list[tuple[Label, int]]:
    """Labels shown, each once where its line leaves a box, and where across they begin; channels get room for them."""
    wanted: list[list[Label]] = [[] for _ in channels]
    seen = set()
    for index, (strand, thread, net) in enumerate(zip(strands, threads, web.nets, strict=True)):
        if net >= 0 and thread.label and (net, strand.upper) not in seen:
            seen.add((net, strand.upper))
            label = Label(index, standing.top(strand.upper, net), thread.label)
            wanted[web.ranks[strand.upper]].append(label)
    shown: list[tuple[Label, int]] = []
    for gap, channel, labels in zip(web.gaps, channels, wanted, strict=True):
        if grid.across:
            where = [(label, label.line) for label in {label.line: label for label in labels}.values()]
            channel.front = max((label.columns + 2 for label in labels), default=0)
        else:
            where = beside_lines(labels, sorted({standing.top(top, hop.net) for hop in gap for top in hop.tops}))
            channel.front = int(bool(where))
        shown += where
    return shown


def _label_places(
    web: Web, strands: Sequence[Strand], shown: Sequence[tuple[Label, int]], channels: Sequence[Channel], grid: Grid
) -> list[Point | None]:
    places: list[Point | None] = [None] * len(strands)
    for label, begin in shown:
        channel = channels[web.ranks[strands[label.thread].upper]]
        places[label.thread] = (begin, channel.begin + int(grid.across))
    return places


def _rows(ranked: Ranked, depths: Sequence[int], channels: Sequence[Channel]) -> tuple[list[int], int]:
    """Where along the flow each rank begins, and where the last one ends; says so to the channels between them."""
    begins, along = [], 0
    for index, nodes in enumerate(ranked):
        begins.append(along)
        along += max((depths[node] for node in nodes if node < len(depths)), default=1)
        if index < len(channels):
            channels[index].begin = along
            along += channels[index].depth
    return begins, along
