"""Ranks of nodes, their order within ranks, and which nodes are aligned between ranks."""

from __future__ import annotations

from bisect import bisect, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tbtui.plugins.graphs.layout.hyperedges import RankedGraph


Pair = tuple[int, int]
"""Edge from one node to another."""


def _adjacent(count: int, pairs: Sequence[Pair]) -> tuple[list[list[int]], list[list[int]]]:
    """Return predecessors and successors of each node."""
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for source, target in pairs:
        before[target].append(source)
        after[source].append(target)
    return before, after


def acyclic_edges(count: int, pairs: Sequence[Pair]) -> list[bool]:
    """Return True for edges that keep their direction, so that the graph has no cycle.

    Depth-first search from nodes without predecessors, then from others in order; an edge to a node on the current path
    is reversed.
    """
    before, _ = _adjacent(count, pairs)
    leaving: list[list[int]] = [[] for _ in range(count)]
    for index, (source, _) in enumerate(pairs):
        leaving[source].append(index)
    is_forward = [True] * len(pairs)
    on_the_way, done = [False] * count, [False] * count
    for start in sorted(range(count), key=lambda node: bool(before[node])):
        if done[start]:
            continue
        way: list[tuple[int, Iterator[int]]] = [(start, iter(leaving[start]))]
        on_the_way[start] = True
        while way:
            node, rest = way[-1]
            for index in rest:
                target = pairs[index][1]
                if on_the_way[target]:
                    is_forward[index] = False
                elif not done[target]:
                    on_the_way[target] = True
                    way.append((target, iter(leaving[target])))
                    break
            else:
                way.pop()
                on_the_way[node], done[node] = False, True
    return is_forward


def topological_order(count: int, pairs: Sequence[Pair]) -> list[int]:
    """Return all nodes in topological order, in the order as written where possible."""
    before, after = _adjacent(count, pairs)
    waiting = [len(sources) for sources in before]
    ready = [node for node in range(count) if not waiting[node]]
    for node in ready:
        for target in after[node]:
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return ready


def longest_paths(count: int, pairs: Sequence[Pair]) -> tuple[list[int], list[int]]:
    """Return the length of the longest path to each node, and from it; the graph must have no cycles."""
    before, after = _adjacent(count, pairs)
    to, on = [0] * count, [0] * count
    order = topological_order(count, pairs)
    for node in order:
        to[node] = max((to[source] + 1 for source in before[node]), default=0)
    for node in reversed(order):
        on[node] = max((on[target] + 1 for target in after[node]), default=0)
    return to, on


def _move_sources_down(count: int, pairs: Sequence[Pair], ranks: list[int], fixed: frozenset[int]) -> None:
    """Move source nodes such as constants, and nodes computed from such alone, down to their consumers."""
    before, after = _adjacent(count, pairs)
    order = topological_order(count, pairs)
    free = [False] * count
    for node in order:
        free[node] = node not in fixed and all(free[source] and len(after[source]) == 1 for source in before[node])
    for node in reversed(order):
        if free[node] and after[node]:
            ranks[node] = min(ranks[target] for target in after[node]) - 1


class _RankRoom:
    """Ranks with limited room."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._used: dict[int, int] = {}
        self._next: dict[int, int] = {}

    def put(self, preferred_rank: int, size: int) -> int:
        """Return the first rank with room from a preferred one on; ranks that were too full once are skipped."""
        passed = []
        rank = preferred_rank
        while rank in self._next:
            passed.append(rank)
            rank = self._next[rank]
        while self._used.get(rank, 0) and self._used[rank] + size > self._room:
            passed.append(rank)
            rank = self._next.get(rank, rank + 1)
        for full in passed:
            self._next[full] = rank
        self._used[rank] = self._used.get(rank, 0) + size
        return rank


def assign_ranks(
    sizes: Sequence[int],
    pairs: Sequence[Pair],
    room: int,
    *,
    first: frozenset[int] = frozenset(),
    last: frozenset[int] = frozenset(),
) -> list[int]:
    """Return the rank of each node, from 0 without gaps, above the ranks of all predecessors.

    Args:
        sizes: Room of each node in its rank.
        pairs: Edges without cycles.
        room: Room per rank; a single node may be larger.
        first: Nodes that fill the first rank alone; they have no predecessors.
        last: Nodes that fill the last rank alone; they have no successors.
    """
    count = len(sizes)
    before, _ = _adjacent(count, pairs)
    ranks, _ = longest_paths(count, pairs)
    _move_sources_down(count, pairs, ranks, first | last)
    shelves = _RankRoom(room)
    for node in sorted(range(count), key=lambda node: (ranks[node], node)):
        if node in first:
            ranks[node] = 0
        elif node not in last:
            lowest = max((ranks[source] + 1 for source in before[node]), default=1 if first else 0)
            ranks[node] = shelves.put(max(ranks[node], lowest), sizes[node])
    used = sorted({ranks[node] for node in range(count) if node not in last})
    closed = {old: new for new, old in enumerate(used)}
    return [len(used) if node in last else closed[ranks[node]] for node in range(count)]


NO_NODE = -1


def align_nodes(web: RankedGraph, ranks: Ranked) -> list[int]:
    """Return the node straight below each node in the next rank, or `NO_NODE`; such lines never cross.

    Lines that pass ranks stay straight. A box is aligned with the neighbour on the longest path, so that a main line is
    straight and others join from the side. Among equal neighbours the middle one is chosen; with two middle ones the
    box stands between them.
    """
    place = [0] * len(web.ranks)
    for rank in ranks:
        for index, node in enumerate(rank):
            place[node] = index
    to, on = _longest(ranks, web.ups), _longest(ranks[::-1], web.downs)
    down = [_choice(web, node, below, on, place) for node, below in enumerate(web.downs)]
    up = [_choice(web, node, above, to, place) for node, above in enumerate(web.ups)]

    def urgency(pair: Pair) -> tuple[bool, int]:
        top, bottom = pair
        return (top < web.boxes or bottom < web.boxes, -to[top] - on[bottom])

    below = [NO_NODE] * len(web.ranks)
    for rank in ranks[:-1]:
        candidates = [(node, down[node]) for node in rank if down[node] != NO_NODE and up[down[node]] == node]
        for top, bottom in _not_crossing(sorted(candidates, key=urgency), place):
            below[top] = bottom
    return below


def _longest(ranks: Ranked, joined: Sequence[Sequence[int]]) -> list[int]:
    """Return the length of the longest path to each node from the first of the ranks."""
    steps = [0] * len(joined)
    for rank in ranks:
        for node in rank:
            if others := joined[node]:
                steps[node] = 1 + max([steps[other] for other in others])
    return steps


def _choice(web: RankedGraph, node: int, nodes: Sequence[int], ways: Sequence[int], place: Sequence[int]) -> int:
    """Return the neighbour that a node may be aligned with: a box for a box, a passing line for a passing line."""
    if len(nodes) < 2:
        return nodes[0] if nodes else NO_NODE
    like = [other for other in nodes if (other < web.boxes) == (node < web.boxes)]
    if not like:
        return NO_NODE
    longest = max(ways[other] for other in like)
    alike = sorted((other for other in like if ways[other] == longest), key=place.__getitem__)
    return alike[len(alike) // 2] if len(alike) % 2 else NO_NODE


def _not_crossing(pairs: Sequence[Pair], place: Sequence[int]) -> list[Pair]:
    """Return as many pairs as do not cross, earlier ones first."""
    accepted: list[Pair] = []
    tops: list[int] = []
    bottoms: list[int] = []
    at: Callable[[int], int] = place.__getitem__
    for top, bottom in pairs:
        index = bisect(tops, at(top))
        if bisect(bottoms, at(bottom)) == index:
            tops.insert(index, at(top))
            bottoms.insert(index, at(bottom))
            accepted.append((top, bottom))
    return accepted


MAX_SWEEPS = 10
"""Maximum number of sweeps over all ranks; fewer for large flows."""

MAX_EDGE_VISITS = 25_000
"""Maximum number of edges visited by all sweeps, which bounds the time."""

MAX_IDLE_SWEEPS = 4
"""Maximum number of sweeps without fewer crossings."""

Ranked = list[list[int]]
"""Nodes of each rank from left to right."""


def order_nodes(web: RankedGraph) -> Ranked:
    """Return the nodes of each rank from left to right, with few crossings.

    Ranks are sorted by the mean position of neighbours (barycentre), downwards and upwards in turn. The order with the
    fewest crossings is kept; ties stay in the order as written.
    """
    ranks = _as_written(web)
    joints = sum(map(len, web.downs))
    best, fewest, since = [list(rank) for rank in ranks], count_crossings(web, ranks), 0
    for sweep in range(min(MAX_SWEEPS, max(MAX_EDGE_VISITS // (joints + 1), 2))):
        if not fewest or since == MAX_IDLE_SWEEPS:
            break
        _sweep(web, ranks, upwards=sweep % 2 == 0)
        count, since = count_crossings(web, ranks), since + 1
        if count < fewest:
            best, fewest, since = [list(rank) for rank in ranks], count, 0
    return best


def _as_written(web: RankedGraph) -> Ranked:
    """Return the first order: by the nodes above, else as written, passing lines after boxes."""
    ranks: Ranked = [[] for _ in range(max(web.ranks, default=-1) + 1)]
    for node, rank in enumerate(web.ranks):
        ranks[rank].append(node)
    _sweep(web, ranks, upwards=False)
    return ranks


def _sweep(web: RankedGraph, ranks: Ranked, *, upwards: bool) -> None:
    """Sort each rank by the mean position of neighbours; nodes without neighbours keep their position."""
    joined = web.downs if upwards else web.ups
    places = [0] * len(web.ranks)
    for rank in reversed(ranks) if upwards else ranks:
        keys: list[tuple[float, int, int]] = []
        for index, node in enumerate(rank):
            others = joined[node]
            if len(others) == 1:
                keys.append((places[others[0]], index, node))
            elif others:
                keys.append((sum([places[other] for other in others]) / len(others), index, node))
            else:
                keys.append((index, index, node))
        keys.sort()
        rank[:] = [node for _, _, node in keys]
        for index, node in enumerate(rank):
            places[node] = index


def count_crossings(web: RankedGraph, ranks: Ranked) -> int:
    """Return the number of crossing edges."""
    places = [0] * len(web.ranks)
    for rank in ranks:
        for index, node in enumerate(rank):
            places[node] = index
    count = 0
    for rank in ranks[:-1]:
        passed: list[int] = []
        for node in rank:
            ends = [places[below] for below in web.downs[node]]
            for end in ends:
                count += len(passed) - bisect(passed, end)
            for end in ends:
                insort(passed, end)
    return count
