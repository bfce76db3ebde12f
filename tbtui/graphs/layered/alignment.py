"""Which nodes stand straight below one another: the lines that an eye follows."""

from __future__ import annotations

from bisect import bisect
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.graphs.layered.nets import Web
    from tbtui.graphs.layered.ordering import Ranked
    from tbtui.graphs.layered.ranks import Pair

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
