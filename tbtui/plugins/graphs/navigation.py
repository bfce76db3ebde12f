"""What of one graph is looked at, and how each gesture changes it. Kept between sessions by the names of nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.graphs.traces import is_trace, last_function
from tbtui.viewstate.graph_looks import GraphLook
from tbtui.viewstate.saved_fields import LONGEST_TEXT, MOST_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tbtui.graphs.hierarchy import Hierarchy

MOST_BOXES = 40
"""A scope that is nearly all there is to see is open from the start where no more than that is in it."""

NEARLY_ALL = 0.8
"""The part of the operations from which on one scope counts as nearly all."""

LARGE = 0.1
"""The part of the operations of the largest scope from which on another one is as good to begin with."""

MOST_ENDS = 20
"""Nodes of a scope that is looked through for inputs and outputs."""

_ENDS = frozenset({"input", "output"})


@frozen
class Navigation:
    """What is open and where the cursor is; the tree and the diagram share both."""

    inside: int
    """The item whose inside the diagram shows."""

    opened: frozenset[int]
    chosen: int
    """The item under the cursor; never a series that is taken apart."""

    apart: frozenset[int] = frozenset()
    """Series that are taken apart: their members stand in their place, in the tree and in the diagram."""


def initial_navigation(hierarchy: Hierarchy) -> Navigation:
    """The look that tells most at first sight: below scopes that are alone, with the one open that is nearly all."""
    inside = _start(hierarchy)
    while len(children := hierarchy.children(inside)) == 1 and hierarchy.opens(int(children[0])):
        inside = int(children[0])
    opened = frozenset((*hierarchy.path(inside), *_nearly_all(hierarchy, inside))) - {hierarchy.root}
    return Navigation(inside, opened, first_item(hierarchy, inside))


def first_item(hierarchy: Hierarchy, scope: int) -> int:
    """Where the cursor begins in a scope: on the first item, or on the scope itself where it holds nothing.

    A function begins with its arguments, which are often many. There it is the first of the large scopes: a step of a
    training holds the model before the gradients and what optimizes them.
    """
    children = hierarchy.children(scope).tolist()
    if hierarchy.kind(scope) == "function":
        scopes = [item for item in children if hierarchy.kind(item) == "scope"]
        most = max((int(hierarchy.inside[item]) for item in scopes), default=0)
        children = [item for item in scopes if hierarchy.inside[item] >= LARGE * most] or children
    return int(children[0]) if children else scope


def _start(hierarchy: Hierarchy) -> int:
    """The graph; of many, as eager code is traced, the function that ran last, or else the largest one."""
    root, library = hierarchy.root, hierarchy.library
    if (last := last_function(hierarchy)) is not None:
        return last
    if library < 0 or not is_trace(hierarchy):
        return root
    graphs = hierarchy.children(root).tolist()
    *_, largest = sorted((*graphs, *hierarchy.children(library).tolist()), key=lambda item: int(hierarchy.inside[item]))
    return root if largest in graphs else int(largest)


def _nearly_all(hierarchy: Hierarchy, scope: int) -> Iterator[int]:
    """Scopes one in the other, each of which holds nearly everything beside inputs and outputs."""
    while True:
        children = [item for item in hierarchy.children(scope).tolist() if not _is_end(hierarchy, item)]
        inside = sum(int(hierarchy.inside[item]) for item in children)
        largest = max(children, key=lambda item: int(hierarchy.inside[item]), default=None)
        if largest is None or int(hierarchy.inside[largest]) < NEARLY_ALL * inside:
            return
        if hierarchy.kind(largest) == "series" or not 0 < len(hierarchy.children(largest)) <= MOST_BOXES:
            return
        yield largest
        scope = largest


def _is_end(hierarchy: Hierarchy, item: int) -> bool:
    """Whether an item is an input or an output, or a scope of nothing else, as PyTorch writes them."""
    if hierarchy.kind(item) in _ENDS:
        return True
    nodes = hierarchy.under(item)
    return hierarchy.opens(item) and len(nodes) <= MOST_ENDS and all(hierarchy.kind(node) in _ENDS for node in nodes)


# Where items lie


def ancestors(hierarchy: Hierarchy, item: int) -> Iterator[int]:
    """What an item lies in, the innermost first; the root is the last one."""
    while (item := int(hierarchy.parent[item])) >= 0:
        yield item


def visible_item(hierarchy: Hierarchy, item: int) -> int:
    """What tree and diagram show of an item: itself, or of what is embedded the node that it is embedded in."""
    embedded = hierarchy.graph.embedded
    while item < hierarchy.nodes and embedded[item]:
        item = int(hierarchy.parent[item])
    return item


def visible_parent(look: Navigation, hierarchy: Hierarchy, item: int) -> int:
    """What an item is seen in; -1 of what lies in nothing."""
    return next((above for above in ancestors(hierarchy, item) if above not in look.apart), -1)


def series_of(hierarchy: Hierarchy, item: int) -> int | None:
    """The series that an item is, or is directly in; None of all others."""
    for one in (item, int(hierarchy.parent[item])):
        if one >= 0 and hierarchy.kind(one) == "series":
            return one
    return None


def is_within(hierarchy: Hierarchy, item: int, scope: int) -> bool:
    """Whether an item is in a scope, however deep."""
    return scope in ancestors(hierarchy, item)


# Gestures


def select_item(look: Navigation, hierarchy: Hierarchy, item: int) -> Navigation:
    """Have the cursor on an item, which is in sight then: all that it lies in is open."""
    if item in look.apart:
        item = int(hierarchy.children(item)[0])
    chain = frozenset(ancestors(hierarchy, item))
    inside = look.inside
    if inside not in chain and inside != item and not is_within(hierarchy, inside, item):
        inside = _section(hierarchy, item)
    return replace(look, inside=inside, opened=look.opened | (chain - {hierarchy.root} - look.apart), chosen=item)


def _section(hierarchy: Hierarchy, item: int) -> int:
    """What the diagram shows where it does not show an item yet: the function it is of, or the graph."""
    library = hierarchy.library
    chain = [item, *ancestors(hierarchy, item)]
    if library in chain:
        return chain[max(chain.index(library) - 1, 0)]
    start = initial_navigation(hierarchy).inside
    return start if start in chain[1:] else hierarchy.root


def toggle_scope(look: Navigation, hierarchy: Hierarchy, item: int, *, open_it: bool | None = None) -> Navigation:
    """Open an item in place, or close it; the cursor goes to it where it was inside of what closes."""
    if not hierarchy.opens(item) or open_it == (item in look.opened):
        return look
    if item not in look.opened:
        return replace(look, opened=look.opened | {item})
    chosen = item if is_within(hierarchy, look.chosen, item) else look.chosen
    inside = look.inside
    if inside == item or is_within(hierarchy, inside, item):
        inside = _section(hierarchy, item)
    return replace(look, inside=inside, opened=look.opened - {item}, chosen=chosen)


def toggle_series(look: Navigation, hierarchy: Hierarchy, series: int) -> Navigation:
    """Take a series apart, so that its members stand in its place, or put it together again."""
    if series in look.apart:
        chosen = series if is_within(hierarchy, look.chosen, series) else look.chosen
        inside = _section(hierarchy, series) if is_within(hierarchy, look.inside, series) else look.inside
        return replace(look, inside=inside, chosen=chosen, apart=look.apart - {series})
    chosen = int(hierarchy.children(series)[0]) if look.chosen == series else look.chosen
    outside = replace(look, opened=look.opened - {series}, chosen=chosen, apart=look.apart | {series})
    if look.inside == series:
        return replace(outside, inside=visible_parent(outside, hierarchy, series))
    return outside


def enter_scope(look: Navigation, hierarchy: Hierarchy, item: int) -> Navigation:
    """Have the diagram show nothing but the inside of an item."""
    if not hierarchy.opens(item):
        return look
    chosen = look.chosen if is_within(hierarchy, look.chosen, item) else first_item(hierarchy, item)
    return replace(look, inside=item, opened=look.opened | {item}, chosen=chosen)


def leave_scope(look: Navigation, hierarchy: Hierarchy) -> Navigation:
    """Have the diagram show what is around the present inside, and the cursor on that."""
    outside = visible_parent(look, hierarchy, look.inside)
    if outside < 0:
        return look
    return replace(look, inside=outside, opened=look.opened - {look.inside}, chosen=look.inside)


# Kept by name


def to_saved(look: Navigation, hierarchy: Hierarchy) -> GraphLook:
    """The look in names, without those that are too long to be kept, and without what is in the calls of functions."""
    opened, apart = (_names(hierarchy, items) for items in (look.opened, look.apart))
    inside = "" if look.inside == hierarchy.root else _name(hierarchy, look.inside)
    return GraphLook(opened, inside, _name(hierarchy, look.chosen), apart)


def _name(hierarchy: Hierarchy, item: int) -> str:
    """Empty where it is too long to be kept."""
    name = hierarchy.name(item)
    return name if len(name) <= LONGEST_TEXT else ""


def _names(hierarchy: Hierarchy, items: frozenset[int]) -> frozenset[str]:
    """Those that are kept; none where there are too many."""
    names = (hierarchy.name(item) for item in items if hierarchy.original[item] == item)
    short = frozenset(name for name in names if len(name) <= LONGEST_TEXT)
    return short if len(short) <= MOST_NAMES else frozenset()


def from_saved(graph_look: GraphLook, hierarchy: Hierarchy) -> Navigation:
    """The look as far as this graph has what is named; the first look where it has next to nothing of it."""
    named = {*graph_look.opened, graph_look.inside, graph_look.chosen} - {""}
    there = sum(hierarchy.item_of(name) is not None for name in named)
    if 2 * there < len(named):
        return initial_navigation(hierarchy)  # the graph of another model, under the same tag
    opened = frozenset(item for item in _items(hierarchy, graph_look.opened) if hierarchy.opens(item))
    apart = frozenset(item for item in _items(hierarchy, graph_look.apart) if hierarchy.kind(item) == "series")
    inside = hierarchy.root if not graph_look.inside else hierarchy.item_of(graph_look.inside)
    start = initial_navigation(hierarchy)
    if inside is None or not hierarchy.opens(inside):
        return start
    chosen = hierarchy.item_of(graph_look.chosen) if graph_look.chosen else None
    look = Navigation(inside, opened - apart, inside, apart - {inside})
    return select_item(look, hierarchy, first_item(hierarchy, inside) if chosen is None else chosen)


def _items(hierarchy: Hierarchy, names: Iterable[str]) -> Iterator[int]:
    """Those items that there are."""
    found = (hierarchy.item_of(name) for name in names)
    return (item for item in found if item is not None)
