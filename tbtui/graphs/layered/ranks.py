"""Which rank each box of a flow stands in: above everything that it leads to, side by side as far as there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
