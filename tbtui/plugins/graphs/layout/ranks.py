"""Which rank each box of a flow stands in: above everything that it leads to, side by side as far as there is room."""

from __future__ import annotations

from bisect import bisect, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tbtui.plugins.graphs.layout.hyperedges import Web


Pair = tuple[int, int]
"""From one node to another."""


def _adjacent(count: int, pairs: Sequence[Pair]) -> tuple[list[list[int]], list[list[int]]]:
    """Nodes that lead to each node, and those that it leads to."""
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for source, target in pairs:
        before[target].append(source)
        after[source].append(target)
    return before, after


def along_the_flow(count: int, pairs: Sequence[Pair]) -> list[bool]:
    """Which pairs to keep in their direction so that no way leads back to where it came from.

    Ways are followed from nodes that nothing leads to, then from the others, as they are written; what leads back into
    the way that is being followed is against the flow.
    """
    before, _ = _adjacent(count, pairs)
    leaving: list[list[int]] = [[] for _ in range(count)]
    for index, (source, _) in enumerate(pairs):
        leaving[source].append(index)
    kept = [True] * len(pairs)
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
                    kept[index] = False
                elif not done[target]:
                    on_the_way[target] = True
                    way.append((target, iter(leaving[target])))
                    break
            else:
                way.pop()
                on_the_way[node], done[node] = False, True
    return kept


def in_order(count: int, pairs: Sequence[Pair]) -> list[int]:
    """All nodes, each after those that lead to it, as they are written where that leaves a choice."""
    before, after = _adjacent(count, pairs)
    waiting = [len(sources) for sources in before]
    ready = [node for node in range(count) if not waiting[node]]
    for node in ready:
        for target in after[node]:
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return ready


def longest_ways(count: int, pairs: Sequence[Pair]) -> tuple[list[int], list[int]]:
    """How many steps the longest way to each node has, and the longest from it on; there may be no cycles."""
    before, after = _adjacent(count, pairs)
    to, on = [0] * count, [0] * count
    order = in_order(count, pairs)
    for node in order:
        to[node] = max((to[source] + 1 for source in before[node]), default=0)
    for node in reversed(order):
        on[node] = max((on[target] + 1 for target in after[node]), default=0)
    return to, on


def _near_their_use(count: int, pairs: Sequence[Pair], ranks: list[int], fixed: frozenset[int]) -> None:
    """Move what nothing leads to, such as a constant, and what is made of nothing else, down to where it is used."""
    before, after = _adjacent(count, pairs)
    order = in_order(count, pairs)
    free = [False] * count
    for node in order:
        free[node] = node not in fixed and all(free[source] and len(after[source]) == 1 for source in before[node])
    for node in reversed(order):
        if free[node] and after[node]:
            ranks[node] = min(ranks[target] for target in after[node]) - 1


class _Shelves:
    """Ranks that fill up."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._used: dict[int, int] = {}
        self._next: dict[int, int] = {}

    def put(self, wanted: int, size: int) -> int:
        """The first rank from a wanted one on that has room; one that has once been too full is not asked again."""
        passed = []
        rank = wanted
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


def rank(
    sizes: Sequence[int],
    pairs: Sequence[Pair],
    room: int,
    *,
    first: frozenset[int] = frozenset(),
    last: frozenset[int] = frozenset(),
) -> list[int]:
    """Rank of each node, from 0 on without gaps: greater than those of all nodes that lead to it.

    Args:
        sizes: How much room each node takes in its rank.
        pairs: From node to node, without cycles.
        room: How much there is in a rank; one node may be larger.
        first: Nodes that alone stand in the first rank; nothing leads to them.
        last: Nodes that alone stand in the last; they lead to nothing.
    """
    count = len(sizes)
    before, _ = _adjacent(count, pairs)
    ranks, _ = longest_ways(count, pairs)
    _near_their_use(count, pairs, ranks, first | last)
    shelves = _Shelves(room)
    for node in sorted(range(count), key=lambda node: (ranks[node], node)):
        if node in first:
            ranks[node] = 0
        elif node not in last:
            lowest = max((ranks[source] + 1 for source in before[node]), default=1 if first else 0)
            ranks[node] = shelves.put(max(ranks[node], lowest), sizes[node])
    used = sorted({ranks[node] for node in range(count) if node not in last})
    closed = {old: new for new, old in enumerate(used)}
    return [len(used) if node in last else closed[ranks[node]] for node in range(count)]


# Which nodes stand straight below one another: the lines that an eye follows.


NOBODY = -1


def aligned(web: Web, ranks: Ranked) -> list[int]:
    """For each node the one straight below it in the next rank, or `NOBODY`; such lines never cross.

    Lines that pass ranks stay straight. A box continues in the one from which (or to which) the longest way leads, so
    that a main line is straight and what joins it comes from the side; between several alike, in the middle one, and in
    none where there are two middle ones: it then stands between them.
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

    below = [NOBODY] * len(web.ranks)
    for rank in ranks[:-1]:
        wanted = [(node, down[node]) for node in rank if down[node] != NOBODY and up[down[node]] == node]
        for top, bottom in _not_crossing(sorted(wanted, key=urgency), place):
            below[top] = bottom
    return below


def _longest(ranks: Ranked, joined: Sequence[Sequence[int]]) -> list[int]:
    """Steps of the longest way to each node from the first of the ranks on."""
    steps = [0] * len(joined)
    for rank in ranks:
        for node in rank:
            if others := joined[node]:
                steps[node] = 1 + max([steps[other] for other in others])
    return steps


def _choice(web: Web, node: int, nodes: Sequence[int], ways: Sequence[int], place: Sequence[int]) -> int:
    """The one of several nodes, all in one rank, that a node is in line with: a box with a box, a line with a line."""
    if len(nodes) < 2:
        return nodes[0] if nodes else NOBODY
    like = [other for other in nodes if (other < web.boxes) == (node < web.boxes)]
    if not like:
        return NOBODY
    longest = max(ways[other] for other in like)
    alike = sorted((other for other in like if ways[other] == longest), key=place.__getitem__)
    return alike[len(alike) // 2] if len(alike) % 2 else NOBODY


def _not_crossing(pairs: Sequence[Pair], place: Sequence[int]) -> list[Pair]:
    """As many of the pairs, the first ones before the last, as do not cross."""
    kept: list[Pair] = []
    tops: list[int] = []
    bottoms: list[int] = []
    at: Callable[[int], int] = place.__getitem__
    for top, bottom in pairs:
        index = bisect(tops, at(top))
        if bisect(bottoms, at(bottom)) == index:
            tops.insert(index, at(top))
            bottoms.insert(index, at(bottom))
            kept.append((top, bottom))
    return kept


# In which order nodes stand in their ranks, so that few lines cross.


SWEEPS = 10
"""Times that all ranks are sorted by their neighbours; fewer in flows of which each takes long."""

WORK = 25_000
"""Joints looked at, all sweeps together: what bounds the time."""

PATIENCE = 4
"""Sweeps that may go by without fewer crossings."""

Ranked = list[list[int]]
"""Nodes of each rank from left to right."""


def ordered(web: Web) -> Ranked:
    """Nodes of each rank from left to right.

    Ranks are sorted by the mean place of the nodes that they are joined with, downwards and upwards in turn; the order
    with the fewest crossings is kept, and nodes that nothing decides about stand as they are written.
    """
    ranks = _as_written(web)
    joints = sum(map(len, web.downs))
    best, fewest, since = [list(rank) for rank in ranks], crossings(web, ranks), 0
    for sweep in range(min(SWEEPS, max(WORK // (joints + 1), 2))):
        if not fewest or since == PATIENCE:
            break
        _sweep(web, ranks, upwards=sweep % 2 == 0)
        count, since = crossings(web, ranks), since + 1
        if count < fewest:
            best, fewest, since = [list(rank) for rank in ranks], count, 0
    return best


def _as_written(web: Web) -> Ranked:
    """The first order: each rank by the nodes above, where those tell nothing as written, lines after boxes."""
    ranks: Ranked = [[] for _ in range(max(web.ranks, default=-1) + 1)]
    for node, rank in enumerate(web.ranks):
        ranks[rank].append(node)
    _sweep(web, ranks, upwards=False)
    return ranks


def _sweep(web: Web, ranks: Ranked, *, upwards: bool) -> None:
    """Sort rank after rank by the mean place of what its nodes are joined with; others keep their place between."""
    joined = web.downs if upwards else web.ups
    places = [0] * len(web.ranks)
    for rank in reversed(ranks) if upwards else ranks:
        keys: list[tuple[float, int, int]] = []
        for place, node in enumerate(rank):
            others = joined[node]
            if len(others) == 1:
                keys.append((places[others[0]], place, node))
            elif others:
                keys.append((sum([places[other] for other in others]) / len(others), place, node))
            else:
                keys.append((place, place, node))
        keys.sort()
        rank[:] = [node for _, _, node in keys]
        for place, node in enumerate(rank):
            places[node] = place


def crossings(web: Web, ranks: Ranked) -> int:
    """How many pairs of joints cross."""
    places = [0] * len(web.ranks)
    for rank in ranks:
        for place, node in enumerate(rank):
            places[node] = place
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
