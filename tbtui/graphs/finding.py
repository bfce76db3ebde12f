"""Which items of a hierarchy have a name or an operation that matches, or are on a device."""

from __future__ import annotations

import re
import time
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.graphs.hierarchy import Hierarchy

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]

SECONDS = 1.0
"""How long one pattern may search over all names, in seconds of computing; an honest one needs 2 µs for each."""

_AT_ONCE = 1000
"""Names that are searched between two looks at the clock."""

_REPEATS = re.compile(r"[*+?{]")
"""In a pattern: what is repeated or left out, and groups that do more than group."""


def in_tree_order(hierarchy: Hierarchy) -> Ints:
    """All items but copies as a tree with everything opened shows them; what is embedded is behind what it is in."""
    return hierarchy.order.items


def found(
    hierarchy: Hierarchy,
    pattern: Any = None,
    *,
    devices: AbstractSet[str] | None = None,
    ops: AbstractSet[str] | None = None,
) -> Ints:
    """Items in tree order that match everything asked for; neither copies nor what holds the whole graph.

    Args:
        hierarchy: Where to look; embedded nodes are found too.
        pattern: Compiled by `viewstate.filters.compile_pattern`, searched in full names and in the operations of nodes.
            None asks for nothing.
        devices: Only nodes on one of these; the empty one is that of nodes without. None asks for nothing.
        ops: Only nodes of one of these operations. None asks for nothing.

    Raises:
        TimeoutError: The pattern takes longer than a second over all.
    """
    graph = hierarchy.graph
    wanted = hierarchy.parent[: hierarchy.items] >= 0
    if pattern is not None:
        every = _matching(pattern, [*map(hierarchy.name, range(hierarchy.items)), *(known := sorted(set(graph.ops)))])
        matches = every[: hierarchy.items]
        matching_ops = {op for op, hit in zip(known, every[hierarchy.items :].tolist(), strict=True) if hit}
        matches[: hierarchy.nodes] |= _each(graph.ops, matching_ops.__contains__)
        wanted &= matches
    if ops is not None:
        wanted &= _of_nodes(hierarchy, _each(graph.ops, ops.__contains__))
    if devices is not None:
        wanted &= _of_nodes(hierarchy, _each(map(graph.device, range(hierarchy.nodes)), devices.__contains__))
    items = in_tree_order(hierarchy)
    return items[wanted[items]]


def by_themselves(hierarchy: Hierarchy, pattern: Any, items: Ints) -> Ints:
    """Those of `found` items that do not match merely because something does that they are in and that was found, too.

    Names are full names, so that a pattern that is in the name of a scope is in the names of all that is in it.

    Args:
        hierarchy: Where they were found.
        pattern: By which.
        items: All of them.

    Raises:
        TimeoutError: The pattern takes longer than a second over all.
    """
    is_found = np.zeros(len(hierarchy), np.bool_)
    is_found[items] = True
    lies_in_one = np.zeros(len(items), np.bool_)
    above = hierarchy.parent[items]
    while (climbs := above >= 0).any():
        lies_in_one |= climbs & is_found[above]
        above = np.where(climbs, hierarchy.parent[above], -1)
    asked = items[lies_in_one].tolist()
    ops = sorted({hierarchy.op(item) for item in asked} - {""})
    matches = _matching(pattern, [*map(hierarchy.leaf, asked), *ops])
    matching_ops = {op for op, hit in zip(ops, matches[len(asked) :].tolist(), strict=True) if hit}
    own = ~lies_in_one
    own[lies_in_one] = matches[: len(asked)] | _each(map(hierarchy.op, asked), matching_ops.__contains__)
    return items[own]


def _matching(pattern: Any, texts: list[str]) -> Flags:
    """Whether each text has the pattern in it."""
    left = SECONDS
    harmless = _cannot_take_long(pattern.pattern)
    hits: list[bool] = []
    each = iter(texts)
    while some := list(islice(each, _AT_ONCE)):
        # Time of this thread alone: what others take from a busy machine is not the pattern's fault.
        before = time.thread_time()
        limit = None if harmless else left
        hits += [pattern.search(text, timeout=limit) is not None for text in some]
        left -= time.thread_time() - before
        if left <= 0:
            raise TimeoutError
    return np.array(hits, np.bool_)


def _cannot_take_long(pattern: str) -> bool:
    """Whether nothing, or only one thing that is no group, is repeated; to watch the clock takes longer then."""
    repeats = len(_REPEATS.findall(pattern))
    return not repeats or (repeats == 1 and "(" not in pattern)


def _each(values: Iterable[str], test: Callable[[str], bool]) -> Flags:
    return np.array([test(value) for value in values], np.bool_)


def _of_nodes(hierarchy: Hierarchy, nodes: Flags) -> Flags:
    """Of nodes alone: what is no node is not meant."""
    items = np.zeros(hierarchy.items, np.bool_)
    items[: hierarchy.nodes] = nodes
    return items
