"""Ranks of nodes, their order within ranks, and the alignment of nodes between ranks."""

from __future__ import annotations

from bisect import bisect, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.plugins.graphs.layout.nets import RankedGraph


Pair = tuple[int, int]
"""Edge from one node to another."""


def _list_neighbours(count: int, pairs: Sequence[Pair]) -> tuple[list[list[int]], list[list[int]]]:
    """Return predecessors and successors of each node."""
    predecessors: list[list[int]] = [[] for _ in range(count)]
    successors: list[list[int]] = [[] for _ in range(count)]
    for source, target in pairs:
        predecessors[target].append(source)
        successors[source].append(target)
    return predecessors, successors


def select_acyclic_edges(count: int, pairs: Sequence[Pair]) -> list[bool]:
    """Return True for edges that keep their direction; the others are reversed so that the graph has no cycle.

    Depth-first search from nodes without predecessors, then from others in order; an edge to a node on the current path
    is reversed.
    """
    predecessors, _ = _list_neighbours(count, pairs)
    leaving: list[list[int]] = [[] for _ in range(count)]
    for index, (source, _) in enumerate(pairs):
        leaving[source].append(index)
    is_forward = [True] * len(pairs)
    is_on_path, is_done = [False] * count, [False] * count
    for start in sorted(range(count), key=lambda node: bool(predecessors[node])):
        if is_done[start]:
            continue
        path: list[tuple[int, Iterator[int]]] = [(start, iter(leaving[start]))]
        is_on_path[start] = True
        while path:
            node, remaining_edges = path[-1]
            for index in remaining_edges:
                target = pairs[index][1]
                if is_on_path[target]:
                    is_forward[index] = False
                elif not is_done[target]:
                    is_on_path[target] = True
                    path.append((target, iter(leaving[target])))
                    break
            else:
                path.pop()
                is_on_path[node], is_done[node] = False, True
    return is_forward


def sort_topologically(count: int, pairs: Sequence[Pair]) -> list[int]:
    """Return all nodes in topological order; nodes without an order between them stay in file order."""
    predecessors, successors = _list_neighbours(count, pairs)
    missing = [len(sources) for sources in predecessors]
    ready = [node for node in range(count) if not missing[node]]
    for node in ready:  # grows in the loop
        for target in successors[node]:
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    return ready


def measure_longest_paths(count: int, pairs: Sequence[Pair]) -> tuple[list[int], list[int]]:
    """Return the length of the longest path to each node, and from it; the graph must have no cycles."""
    predecessors, successors = _list_neighbours(count, pairs)
    to_node, from_node = [0] * count, [0] * count
    order = sort_topologically(count, pairs)
    for node in order:
        to_node[node] = max((to_node[source] + 1 for source in predecessors[node]), default=0)
    for node in reversed(order):
        from_node[node] = max((from_node[target] + 1 for target in successors[node]), default=0)
    return to_node, from_node


def _move_sources_down(count: int, pairs: Sequence[Pair], ranks: list[int], fixed: frozenset[int]) -> None:
    """Move source nodes such as constants, and nodes computed only from these, down to their consumers."""
    predecessors, successors = _list_neighbours(count, pairs)
    order = sort_topologically(count, pairs)
    is_movable = [False] * count
    for node in order:
        is_movable[node] = node not in fixed and all(
            is_movable[source] and len(successors[source]) == 1 for source in predecessors[node]
        )
    for node in reversed(order):
        if is_movable[node] and successors[node]:
            ranks[node] = min(ranks[target] for target in successors[node]) - 1


class _RankCapacities:
    """Occupied cells of ranks of a limited breadth."""

    def __init__(self, max_breadth: int) -> None:
        self._max_breadth = max_breadth
        self._used: dict[int, int] = {}
        self._next: dict[int, int] = {}
        """Next rank to try for each rank that was too full once."""

    def reserve(self, preferred_rank: int, size: int) -> int:
        """Reserve cells in the first rank, from the preferred one on, that has them; return that rank."""
        full_ranks = []
        rank = preferred_rank
        while rank in self._next:
            full_ranks.append(rank)
            rank = self._next[rank]
        while self._used.get(rank, 0) and self._used[rank] + size > self._max_breadth:
            full_ranks.append(rank)
            rank = self._next.get(rank, rank + 1)
        for full_rank in full_ranks:
            self._next[full_rank] = rank
        self._used[rank] = self._used.get(rank, 0) + size
        return rank


def assign_ranks(
    sizes: Sequence[int],
    pairs: Sequence[Pair],
    max_breadth: int,
    *,
    entry_nodes: frozenset[int] = frozenset(),
    exit_nodes: frozenset[int] = frozenset(),
) -> list[int]:
    """Return the rank of each node, from 0 without gaps, above the ranks of all predecessors.

    Args:
        sizes: Cells of each node across its rank.
        pairs: Edges without cycles.
        max_breadth: Maximum cells of a rank; a single node may be larger.
        entry_nodes: Nodes that fill the first rank alone; they have no predecessors.
        exit_nodes: Nodes that fill the last rank alone; they have no successors.
    """
    count = len(sizes)
    predecessors, _ = _list_neighbours(count, pairs)
    ranks, _ = measure_longest_paths(count, pairs)
    _move_sources_down(count, pairs, ranks, entry_nodes | exit_nodes)
    capacities = _RankCapacities(max_breadth)
    for node in sorted(range(count), key=lambda node: (ranks[node], node)):
        if node in entry_nodes:
            ranks[node] = 0
        elif node not in exit_nodes:
            min_rank = max((ranks[source] + 1 for source in predecessors[node]), default=1 if entry_nodes else 0)
            ranks[node] = capacities.reserve(max(ranks[node], min_rank), sizes[node])
    used_ranks = sorted({ranks[node] for node in range(count) if node not in exit_nodes})
    compact = {old: new for new, old in enumerate(used_ranks)}
    return [len(used_ranks) if node in exit_nodes else compact[ranks[node]] for node in range(count)]


UNALIGNED = -1
"""Stands for the node that a node is aligned with if there is none."""


def align_nodes(graph: RankedGraph, rank_order: RankOrder) -> list[int]:
    """Return the node straight below each node in the next rank, or `UNALIGNED`; such lines never cross.

    Lines that pass ranks stay straight. A box is aligned with the neighbour on the longest path, so that the main line
    is straight and others join from the side. Of equal neighbours the middle one is chosen; with two middle ones the
    box is between them.
    """
    positions = [0] * len(graph.ranks)
    for rank in rank_order:
        for index, node in enumerate(rank):
            positions[node] = index
    to_node = _measure_paths(rank_order, graph.nodes_above)
    from_node = _measure_paths(rank_order[::-1], graph.nodes_below)
    down = [_choose_neighbour(graph, node, below, from_node, positions) for node, below in enumerate(graph.nodes_below)]
    up = [_choose_neighbour(graph, node, above, to_node, positions) for node, above in enumerate(graph.nodes_above)]

    def get_priority(pair: Pair) -> tuple[bool, int]:
        """Return the sort key of a pair: lines that pass ranks first, then those on the longest path."""
        top, bottom = pair
        return (top < graph.box_count or bottom < graph.box_count, -to_node[top] - from_node[bottom])

    aligned_below = [UNALIGNED] * len(graph.ranks)
    for rank in rank_order[:-1]:
        candidates = [(node, down[node]) for node in rank if down[node] != UNALIGNED and up[down[node]] == node]
        for top, bottom in _drop_crossings(sorted(candidates, key=get_priority), positions):
            aligned_below[top] = bottom
    return aligned_below


def _measure_paths(rank_order: RankOrder, neighbours: Sequence[Sequence[int]]) -> list[int]:
    """Return the length of the longest path to each node from the first of the ranks."""
    steps = [0] * len(neighbours)
    for rank in rank_order:
        for node in rank:
            if others := neighbours[node]:
                steps[node] = 1 + max([steps[other] for other in others])
    return steps


def _choose_neighbour(
    graph: RankedGraph,
    node: int,
    neighbours: Sequence[int],
    path_lengths: Sequence[int],
    positions: Sequence[int],
) -> int:
    """Return the neighbour that a node may be aligned with: a box for a box, a passing line for a passing line."""
    if len(neighbours) < 2:
        return neighbours[0] if neighbours else UNALIGNED
    same_kind = [other for other in neighbours if (other < graph.box_count) == (node < graph.box_count)]
    if not same_kind:
        return UNALIGNED
    longest = max(path_lengths[other] for other in same_kind)
    candidates = sorted((other for other in same_kind if path_lengths[other] == longest), key=positions.__getitem__)
    return candidates[len(candidates) // 2] if len(candidates) % 2 else UNALIGNED


def _drop_crossings(pairs: Sequence[Pair], positions: Sequence[int]) -> list[Pair]:
    """Return the pairs that cross no earlier pair of the result."""
    accepted: list[Pair] = []
    tops: list[int] = []
    bottoms: list[int] = []
    for top, bottom in pairs:
        index = bisect(tops, positions[top])
        if bisect(bottoms, positions[bottom]) == index:
            tops.insert(index, positions[top])
            bottoms.insert(index, positions[bottom])
            accepted.append((top, bottom))
    return accepted


MAX_SWEEPS = 10
"""Maximum number of sweeps over all ranks; fewer for large flows."""

MAX_EDGE_VISITS = 25_000
"""Maximum number of edges visited by all sweeps, which bounds the time."""

MAX_IDLE_SWEEPS = 4
"""Maximum number of sweeps without fewer crossings."""

RankOrder = list[list[int]]
"""Nodes of each rank from left to right."""


def order_nodes(graph: RankedGraph) -> RankOrder:
    """Return the nodes of each rank from left to right, with few crossings.

    Ranks are sorted by the mean position of neighbours (barycentre), downwards and upwards in turn. The order with the
    fewest crossings is returned; equal nodes stay in file order.
    """
    rank_order = _choose_initial_order(graph)
    edges = sum(map(len, graph.nodes_below))
    best, fewest, idle_sweeps = [list(rank) for rank in rank_order], count_crossings(graph, rank_order), 0
    for sweep in range(min(MAX_SWEEPS, max(MAX_EDGE_VISITS // (edges + 1), 2))):
        if not fewest or idle_sweeps == MAX_IDLE_SWEEPS:
            break
        _sweep(graph, rank_order, upwards=sweep % 2 == 0)
        count, idle_sweeps = count_crossings(graph, rank_order), idle_sweeps + 1
        if count < fewest:
            best, fewest, idle_sweeps = [list(rank) for rank in rank_order], count, 0
    return best


def _choose_initial_order(graph: RankedGraph) -> RankOrder:
    """Return the first order: by the nodes above, or else in file order, with passing lines after boxes."""
    rank_order: RankOrder = [[] for _ in range(max(graph.ranks, default=-1) + 1)]
    for node, rank in enumerate(graph.ranks):
        rank_order[rank].append(node)
    _sweep(graph, rank_order, upwards=False)
    return rank_order


def _sweep(graph: RankedGraph, rank_order: RankOrder, *, upwards: bool) -> None:
    """Sort each rank by the mean position of neighbours; nodes without neighbours keep their position."""
    neighbours = graph.nodes_below if upwards else graph.nodes_above
    positions = [0] * len(graph.ranks)
    for rank in reversed(rank_order) if upwards else rank_order:
        keys: list[tuple[float, int, int]] = []
        for index, node in enumerate(rank):
            others = neighbours[node]
            if len(others) == 1:
                keys.append((positions[others[0]], index, node))
            elif others:
                keys.append((sum([positions[other] for other in others]) / len(others), index, node))
            else:
                keys.append((index, index, node))
        keys.sort()
        rank[:] = [node for _, _, node in keys]
        for index, node in enumerate(rank):
            positions[node] = index


def count_crossings(graph: RankedGraph, rank_order: RankOrder) -> int:
    """Return the number of crossing edges."""
    positions = [0] * len(graph.ranks)
    for rank in rank_order:
        for index, node in enumerate(rank):
            positions[node] = index
    count = 0
    for rank in rank_order[:-1]:
        earlier_ends: list[int] = []
        for node in rank:
            ends = [positions[below] for below in graph.nodes_below[node]]
            for end in ends:
                count += len(earlier_ends) - bisect(earlier_ends, end)
            for end in ends:
                insort(earlier_ends, end)
    return count
