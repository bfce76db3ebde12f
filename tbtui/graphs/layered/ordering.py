"""In which order nodes stand in their ranks, so that few lines cross."""

from __future__ import annotations

from bisect import bisect, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.graphs.layered.nets import Web

SWEEPS = 10
"""Times that all ranks are sorted by their neighbours; fewer in flows of which each takes long."""

WORK = 60_000
"""Joints looked at, all sweeps together: what bounds the time."""

Ranked = list[list[int]]
"""Nodes of each rank from left to right."""


def ordered(web: Web) -> Ranked:
    """Nodes of each rank from left to right.

    Ranks are sorted by the mean place of the nodes that they are joined with, downwards and upwards in turn; the order
    with the fewest crossings is kept, and nodes that nothing decides about stand as they are written.
    """
    ranks = _as_written(web)
    joints = sum(map(len, web.downs))
    best, fewest = [list(rank) for rank in ranks], crossings(web, ranks)
    for sweep in range(min(SWEEPS, max(WORK // (joints + 1), 2))):
        if not fewest:
            break
        _sweep(ranks, web.ups if sweep % 2 == 0 else web.downs, upwards=sweep % 2 == 1)
        count = crossings(web, ranks)
        if count < fewest:
            best, fewest = [list(rank) for rank in ranks], count
    return best


def _as_written(web: Web) -> Ranked:
    """The first order: each rank by the nodes above, where those tell nothing as written, lines after boxes."""
    ranks: Ranked = [[] for _ in range(max(web.ranks, default=-1) + 1)]
    for node, rank in enumerate(web.ranks):
        ranks[rank].append(node)
    _sweep(ranks, web.ups, upwards=False)
    return ranks


def _sweep(ranks: Ranked, joined: Sequence[Sequence[int]], *, upwards: bool) -> None:
    """Sort rank after rank by the mean place of what its nodes are joined with; others keep their place between."""
    places: dict[int, float] = {}
    for rank in reversed(ranks) if upwards else ranks:
        keys = []
        for place, node in enumerate(rank):
            others = [places[other] for other in joined[node]]
            keys.append(sum(others) / len(others) if others else place)
        turned = sorted(zip(keys, range(len(rank)), rank, strict=True))
        rank[:] = [node for _, _, node in turned]
        places.update((node, place) for place, node in enumerate(rank))


def crossings(web: Web, ranks: Ranked) -> int:
    """How many pairs of joints cross."""
    place = [0] * len(web.ranks)
    for rank in ranks:
        for index, node in enumerate(rank):
            place[node] = index
    count = 0
    for rank in ranks[:-1]:
        passed: list[int] = []
        for node in rank:
            ends = [place[below] for below in web.downs[node]]
            count += sum(len(passed) - bisect(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return count
