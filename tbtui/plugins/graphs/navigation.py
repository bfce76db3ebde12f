"""Navigation in one graph: the open scopes and the selected item, and the change that each key makes to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.plugins.graphs.functions import find_last_function, is_trace
from tbtui.plugins.graphs.settings import GraphNavigation
from tbtui.settings.kinds import MAX_NAMES, MAX_TEXT_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tbtui.plugins.graphs.hierarchy import Hierarchy

MAX_DOMINANT_BOXES = 40
"""Auto-expand a dominant scope only if it holds at most this many boxes."""

MIN_DOMINANT_SHARE = 0.8
"""A scope is dominant if it holds at least this share of the operations, without inputs and outputs."""

MIN_LARGE_SHARE = 0.1
"""The cursor may begin on a scope that has at least this share of the operations of the largest one."""

MAX_UNFOLDED_ROWS = 500
"""Unfolding all opens level after level as long as the tree has at most this many rows."""

MAX_END_NODES = 20
"""A scope with at most this many nodes is checked for holding only inputs and outputs."""

_ENDS = frozenset({"input", "output"})


@frozen
class Navigation:
    """The open scopes and the selected item, which the tree and the diagram share."""

    inside: int
    """The item whose content the diagram draws."""

    opened: frozenset[int]
    chosen: int
    """The selected item; never a series that is replaced by its members."""

    ungrouped: frozenset[int] = frozenset()
    """Series that are replaced by their members."""


def start_navigation(hierarchy: Hierarchy) -> Navigation:
    """Return the first navigation of a graph: inside of single scopes, with dominant scopes open."""
    inside = _start_scope(hierarchy)
    while len(children := hierarchy.children(inside)) == 1 and hierarchy.has_children(int(children[0])):
        inside = int(children[0])
    opened = frozenset((*hierarchy.path(inside), *_iter_dominant_scopes(hierarchy, inside))) - {hierarchy.root}
    return Navigation(inside, opened, find_first_item(hierarchy, inside))


def find_first_item(hierarchy: Hierarchy, scope: int) -> int:
    """Return the item that is selected first in a scope: its first item, or the scope itself if it is empty.

    In a function it is the first large scope, because a function begins with many arguments, and a training step holds
    the model before gradients and optimizer.
    """
    children = hierarchy.children(scope).tolist()
    if hierarchy.kind(scope) == "function":
        scopes = [item for item in children if hierarchy.kind(item) == "scope"]
        largest = max((int(hierarchy.node_counts[item]) for item in scopes), default=0)
        children = [item for item in scopes if hierarchy.node_counts[item] >= MIN_LARGE_SHARE * largest] or children
    return int(children[0]) if children else scope


def _start_scope(hierarchy: Hierarchy) -> int:
    """Return the root; for a trace of several functions, the last one that ran, or else the largest one."""
    root, library = hierarchy.root, hierarchy.library
    if (last := find_last_function(hierarchy)) is not None:
        return last
    if library < 0 or not is_trace(hierarchy):
        return root
    graphs = hierarchy.children(root).tolist()
    *_, largest = sorted(
        (*graphs, *hierarchy.children(library).tolist()), key=lambda item: int(hierarchy.node_counts[item])
    )
    return root if largest in graphs else int(largest)


def _iter_dominant_scopes(hierarchy: Hierarchy, scope: int) -> Iterator[int]:
    """Yield nested dominant scopes, from the outermost."""
    while True:
        children = [item for item in hierarchy.children(scope).tolist() if not _is_end(hierarchy, item)]
        total = sum(int(hierarchy.node_counts[item]) for item in children)
        largest = max(children, key=lambda item: int(hierarchy.node_counts[item]), default=None)
        if largest is None or int(hierarchy.node_counts[largest]) < MIN_DOMINANT_SHARE * total:
            return
        if hierarchy.kind(largest) == "series" or not 0 < len(hierarchy.children(largest)) <= MAX_DOMINANT_BOXES:
            return
        yield largest
        scope = largest


def _is_end(hierarchy: Hierarchy, item: int) -> bool:
    """Return True for an input, an output, or a scope of such nodes alone, as PyTorch writes them."""
    if hierarchy.kind(item) in _ENDS:
        return True
    nodes = hierarchy.list_all_nodes(item)
    return (
        hierarchy.has_children(item)
        and len(nodes) <= MAX_END_NODES
        and all(hierarchy.kind(node) in _ENDS for node in nodes)
    )


# Positions of items


def iter_ancestors(hierarchy: Hierarchy, item: int) -> Iterator[int]:
    """Yield the items around an item, from the innermost to the root."""
    while (item := int(hierarchy.parent[item])) >= 0:
        yield item


def find_visible_item(hierarchy: Hierarchy, item: int) -> int:
    """Return the item with a box that contains an item: for an embedded constant it is the node."""
    embedded = hierarchy.graph.embedded
    while item < hierarchy.nodes and embedded[item]:
        item = int(hierarchy.parent[item])
    return item


def find_visible_parent(navigation: Navigation, hierarchy: Hierarchy, item: int) -> int:
    """Return the visible item that contains an item; -1 for the root."""
    return next((above for above in iter_ancestors(hierarchy, item) if above not in navigation.ungrouped), -1)


def find_series(hierarchy: Hierarchy, item: int) -> int | None:
    """Return the series that an item is, or is a direct member of; None for all others."""
    for candidate in (item, int(hierarchy.parent[item])):
        if candidate >= 0 and hierarchy.kind(candidate) == "series":
            return candidate
    return None


def is_within(hierarchy: Hierarchy, item: int, scope: int) -> bool:
    """Return True if an item is in a scope, at any depth."""
    return scope in iter_ancestors(hierarchy, item)


# Gestures


def select_item(navigation: Navigation, hierarchy: Hierarchy, item: int) -> Navigation:
    """Select an item, and open everything around it."""
    if item in navigation.ungrouped:
        item = int(hierarchy.children(item)[0])
    scopes = frozenset(iter_ancestors(hierarchy, item))
    inside = navigation.inside
    if inside not in scopes and inside != item and not is_within(hierarchy, inside, item):
        inside = _find_section(hierarchy, item)
    opened = navigation.opened | (scopes - {hierarchy.root} - navigation.ungrouped)
    return replace(navigation, inside=inside, opened=opened, chosen=item)


def _find_section(hierarchy: Hierarchy, item: int) -> int:
    """Return the item that the diagram draws so that an item is visible: its function, or the graph."""
    library = hierarchy.library
    chain = [item, *iter_ancestors(hierarchy, item)]
    if library in chain:
        return chain[max(chain.index(library) - 1, 0)]
    start = start_navigation(hierarchy).inside
    return start if start in chain[1:] else hierarchy.root


def toggle_scope(navigation: Navigation, hierarchy: Hierarchy, item: int, *, open_it: bool | None = None) -> Navigation:
    """Open or close an item; if a closed item contains the selected one, select it instead.

    Args:
        navigation: Present navigation.
        hierarchy: Hierarchy of the graph.
        item: Item to open or close.
        open_it: True to open it, False to close it, None for the other of both.
    """
    if not hierarchy.has_children(item) or open_it == (item in navigation.opened):
        return navigation
    if item not in navigation.opened:
        return replace(navigation, opened=navigation.opened | {item})
    chosen = item if is_within(hierarchy, navigation.chosen, item) else navigation.chosen
    inside = navigation.inside
    if inside == item or is_within(hierarchy, inside, item):
        inside = _find_section(hierarchy, item)
    return replace(navigation, inside=inside, opened=navigation.opened - {item}, chosen=chosen)


def toggle_all(navigation: Navigation, hierarchy: Hierarchy) -> Navigation:
    """Close all scopes but those around what the diagram draws; if all are closed, open them level by level."""
    enclosing = frozenset(hierarchy.path(navigation.inside)) - {hierarchy.root}
    if not navigation.opened <= enclosing:
        chosen = navigation.chosen
        for above in iter_ancestors(hierarchy, navigation.chosen):
            if above != hierarchy.root and above not in enclosing and above not in navigation.ungrouped:
                chosen = above
        return replace(navigation, opened=enclosing, chosen=chosen)
    opened, rows = set(enclosing), 0
    level = [int(item) for item in hierarchy.children(hierarchy.root, ungrouped=navigation.ungrouped)]
    while level and (rows := rows + len(level)) <= MAX_UNFOLDED_ROWS:
        scopes = [item for item in level if hierarchy.has_children(item)]
        level = [int(child) for scope in scopes for child in hierarchy.children(scope, ungrouped=navigation.ungrouped)]
        if rows + len(level) <= MAX_UNFOLDED_ROWS:
            opened.update(scopes)
    return replace(navigation, opened=frozenset(opened))


def toggle_series(navigation: Navigation, hierarchy: Hierarchy, series: int) -> Navigation:
    """Replace a series by its members, or the members by the series."""
    if series in navigation.ungrouped:
        chosen = series if is_within(hierarchy, navigation.chosen, series) else navigation.chosen
        inside = (
            _find_section(hierarchy, series) if is_within(hierarchy, navigation.inside, series) else navigation.inside
        )
        return replace(navigation, inside=inside, chosen=chosen, ungrouped=navigation.ungrouped - {series})
    chosen = int(hierarchy.children(series)[0]) if navigation.chosen == series else navigation.chosen
    outside = replace(
        navigation, opened=navigation.opened - {series}, chosen=chosen, ungrouped=navigation.ungrouped | {series}
    )
    if navigation.inside == series:
        return replace(outside, inside=find_visible_parent(outside, hierarchy, series))
    return outside


def enter_scope(navigation: Navigation, hierarchy: Hierarchy, item: int) -> Navigation:
    """Draw only the content of an item."""
    if not hierarchy.has_children(item):
        return navigation
    chosen = navigation.chosen if is_within(hierarchy, navigation.chosen, item) else find_first_item(hierarchy, item)
    return replace(navigation, inside=item, opened=navigation.opened | {item}, chosen=chosen)


def leave_scope(navigation: Navigation, hierarchy: Hierarchy) -> Navigation:
    """Draw the parent of the drawn scope, and select that scope."""
    outside = find_visible_parent(navigation, hierarchy, navigation.inside)
    if outside < 0:
        return navigation
    return replace(navigation, inside=outside, opened=navigation.opened - {navigation.inside}, chosen=navigation.inside)


# Saving by name


def record_navigation(navigation: Navigation, hierarchy: Hierarchy) -> GraphNavigation:
    """Return the navigation with names instead of items, without names that are too long and without copies."""
    opened, ungrouped = (_list_names(hierarchy, items) for items in (navigation.opened, navigation.ungrouped))
    inside = "" if navigation.inside == hierarchy.root else _name(hierarchy, navigation.inside)
    return GraphNavigation(opened, inside, _name(hierarchy, navigation.chosen), ungrouped)


def _name(hierarchy: Hierarchy, item: int) -> str:
    """Return the name of an item; empty if it is too long to be saved."""
    name = hierarchy.name(item)
    return name if len(name) <= MAX_TEXT_CHARS else ""


def _list_names(hierarchy: Hierarchy, items: frozenset[int]) -> frozenset[str]:
    """Return the names that can be saved; none if there are too many."""
    names = (hierarchy.name(item) for item in items if hierarchy.original[item] == item)
    short = frozenset(name for name in names if len(name) <= MAX_TEXT_CHARS)
    return short if len(short) <= MAX_NAMES else frozenset()


def restore_navigation(saved: GraphNavigation, hierarchy: Hierarchy) -> Navigation:
    """Restore a saved navigation as far as the graph has its names; with few of them, return the initial one."""
    named = {*saved.opened, saved.inside, saved.chosen} - {""}
    existing = sum(hierarchy.find_item(name) is not None for name in named)
    if 2 * existing < len(named):
        return start_navigation(hierarchy)  # the graph of another model, under the same tag
    opened = frozenset(item for item in _iter_items(hierarchy, saved.opened) if hierarchy.has_children(item))
    ungrouped = frozenset(item for item in _iter_items(hierarchy, saved.apart) if hierarchy.kind(item) == "series")
    inside = hierarchy.root if not saved.inside else hierarchy.find_item(saved.inside)
    start = start_navigation(hierarchy)
    if inside is None or not hierarchy.has_children(inside):
        return start
    chosen = hierarchy.find_item(saved.chosen) if saved.chosen else None
    navigation = Navigation(inside, opened - ungrouped, inside, ungrouped - {inside})
    return select_item(navigation, hierarchy, find_first_item(hierarchy, inside) if chosen is None else chosen)


def _iter_items(hierarchy: Hierarchy, names: Iterable[str]) -> Iterator[int]:
    """Yield the items that exist."""
    items = (hierarchy.find_item(name) for name in names)
    return (item for item in items if item is not None)
