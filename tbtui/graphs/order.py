"""Items of a tree in the order in which they are shown: what is in one item is a stretch of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[np.int32]


@frozen(eq=False)
class Order:
    """Each item has a place; right behind it are all items in it, at any depth."""

    places: Ints
    """Of each item."""

    ends: Ints
    """Of each item: the place behind the last one in it."""

    items: Ints
    """At each place."""


def in_order(parent: Ints, rank: Ints) -> Order:
    """Put a tree in order.

    Args:
        parent: Of each item; -1 of the outermost, which come one after the other as they are numbered.
        rank: Of each item; those of one parent are in this order.
    """
    count = len(parent)
    depth = _depths(parent)
    by_depth = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[by_depth], np.arange(int(depth.max(initial=0)) + 2))
    layers = [by_depth[bounds[index] : bounds[index + 1]] for index in range(len(bounds) - 1)]

    size = np.ones(count, np.int64)
    for layer in reversed(layers[1:]):
        size += np.bincount(parent[layer], size[layer], count).astype(np.int64)

    places = np.zeros(count, np.int64)
    for index, layer in enumerate(layers):
        above = parent[layer]
        sorted_layer = layer[np.lexsort((layer if not index else rank[layer], above))]
        above = parent[sorted_layer]
        before = np.cumsum(size[sorted_layer]) - size[sorted_layer]
        first = np.searchsorted(above, above, "left")
        within = before - before[first]
        places[sorted_layer] = within if not index else places[above] + 1 + within
    items = np.empty(count, np.int32)
    items[places] = np.arange(count, dtype=np.int32)
    return Order(places.astype(np.int32), (places + size).astype(np.int32), items)


def _depths(parent: Ints) -> npt.NDArray[np.int32]:
    """How many items each is in."""
    depth = np.zeros(len(parent), np.int32)
    above = parent
    while (inside := above >= 0).any():
        depth += inside
        above = np.where(inside, parent[above], -1)
    return depth


def first_ranks(rank: Ints, embedded: npt.NDArray[np.bool_], parent: Ints, first_series: int) -> Ints:
    """Of each item the first of the ranks of the nodes in it; of what holds none a place behind all others.

    Args:
        rank: Of each node.
        embedded: Whether each node is; these do not count for what they are in.
        parent: Of each item: nodes, then scopes, numbered higher than what they are in, then series.
        first_series: Where these begin.
    """
    nodes = len(rank)
    ranks = np.arange(nodes, nodes + len(parent), dtype=np.int32)
    ranks[:nodes] = rank
    for items in (np.flatnonzero(~embedded), np.arange(first_series, len(parent))):
        np.minimum.at(ranks, parent[items], ranks[items])
    firsts, above = ranks.tolist(), parent.tolist()
    for scope in range(first_series - 1, nodes - 1, -1):
        if above[scope] >= 0:
            firsts[above[scope]] = min(firsts[above[scope]], firsts[scope])
    return np.array(firsts, np.int32)
