"""In which order nodes stand in their ranks, so that few lines cross."""

from __future__ import annotations

from bisect import bisect, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.graphs.layered.nets import Web

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
