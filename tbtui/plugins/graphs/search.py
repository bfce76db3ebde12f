"""Search by name, type and device (`conv type:^Mat device:GPU`), and the items that it highlights."""

from __future__ import annotations

import re
import time
from dataclasses import field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from tbtui.charts.numbers import counted
from tbtui.frozen import frozen
from tbtui.plugins.graphs.counts import ancestor_count_text
from tbtui.plugins.graphs.tracing import path_to_output, traced_inputs
from tbtui.settings.filters import TOO_SLOW, compile_pattern, has_special_characters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.plugins.graphs.hierarchy import Hierarchy

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]


TraceKind: TypeAlias = Literal["inputs", "output"]

NO_PATH = "no path leads from here to an output"


@frozen(eq=False)
class Highlights:
    """Highlighted items, and the reason."""

    flags: npt.NDArray[np.bool_]
    """bool[items]; a scope is highlighted if something in it is."""

    words: str = ""

    def among(self, items: Iterable[int]) -> frozenset[int]:
        """Return the highlighted ones of some items."""
        return frozenset(item for item in items if self.flags[item])


def highlights_of(hierarchy: Hierarchy, items: npt.NDArray[np.int32], words: str = "") -> Highlights:
    """Highlight items and everything around them."""
    flags = np.zeros(len(hierarchy), np.bool_)
    while len(items):
        flags[items] = True
        above = np.unique(hierarchy.parent[items])
        items = above[(above >= 0) & ~flags[above]]
    for end in (hierarchy.root, hierarchy.library):
        if end >= 0:
            flags[end] = False
    return Highlights(flags, words)


def trace_highlights(hierarchy: Hierarchy, item: int, kind: TraceKind) -> Highlights:
    """Highlight what leads to an item, or its way to an output of the graph."""
    if kind == "inputs":
        flags = traced_inputs(hierarchy, item)
        return Highlights(flags, ancestor_count_text(hierarchy, item, flags))
    way = path_to_output(hierarchy, item)
    if not way:
        return highlights_of(hierarchy, np.array([item], np.int32), NO_PATH)
    steps = counted(len(way) - 1, "step")
    words = f"{steps} from {hierarchy.leaf(item)} to {_relative_name(hierarchy, item, way[-1])}"
    return highlights_of(hierarchy, np.array(way, np.int32), words)


def _relative_name(hierarchy: Hierarchy, item: int, other: int) -> str:
    """Return the name of another item, with its scope unless that is also around the first item."""
    scope = int(hierarchy.parent[other])
    around = hierarchy.path(item)
    leaf = hierarchy.leaf(other)
    return leaf if scope < 0 or scope in around else f"{hierarchy.leaf(scope)}/{leaf}"


PLACEHOLDER = "find by name or type …  type:conv  device:gpu"
TYPE, DEVICE = "type:", "device:"
PLAIN = "read as plain text"
NOTHING = np.zeros(0, np.int32)


@frozen(eq=False)
class SearchResults:
    """The matches of a search, in the order of the tree."""

    query: str = ""
    items: npt.NDArray[np.int32] = field(default_factory=lambda: NOTHING)
    """int32[n]: matches, without those that match only through the scope around them."""

    inside: int = 0
    """Number of matches that were left out because the scope around them matches."""

    highlights: Highlights | None = None
    """All matches, those inside of matches too; None if nothing was searched."""

    is_plain: bool = False
    """The query was searched for as plain text: it is not a regular expression, or matches nothing as one."""

    error: str | None = None
    """Why nothing was searched; None if there was no error."""

    def __len__(self) -> int:
        return len(self.items)

    def in_order(self, items: npt.NDArray[np.int32]) -> SearchResults:
        """Return the same results in the order of the table, which also lists the matches inside of matches."""
        return replace(self, items=items, inside=0)

    def place_of(self, item: int) -> int:
        """Return the index of an item in the matches; -1 if it is not a match."""
        places = np.flatnonzero(self.items == item)
        return int(places[0]) if len(places) else -1

    def after(self, hierarchy: Hierarchy, item: int, count: int) -> int:
        """Return the match `count` places after an item in the order of the tree; the search wraps around.

        Args:
            hierarchy: The hierarchy that was searched.
            item: Any item, also one that does not match.
            count: 0 is the item itself where it was found, and else the next one.
        """
        places = hierarchy.order.places
        here = places[hierarchy.original[item]]
        index = int(np.searchsorted(places[self.items], here, "right" if count > 0 else "left"))
        return int(self.items[(index + count - (count > 0)) % len(self.items)])


def search_graph(hierarchy: Hierarchy, query: str) -> SearchResults:
    """Search a graph; a query that is not a regular expression, or matches nothing as one, is read as plain text."""
    pattern, of_type, on_device = _split_query(query)
    compiled, is_plain, error = _compiled(pattern)
    ops, type_error = _matching_words(of_type, lambda: set(hierarchy.graph.ops))
    devices, device_error = _matching_words(
        on_device, lambda: {hierarchy.graph.device(node) for node in range(hierarchy.nodes)}
    )
    error = error or type_error or device_error
    if error is not None:
        return SearchResults(query, error=error)
    try:
        items = match_items(hierarchy, compiled, devices=devices, ops=ops)
        if not len(items) and not is_plain and has_special_characters(pattern):
            plain, _ = compile_pattern(pattern, plain=True)
            items = match_items(hierarchy, plain, devices=devices, ops=ops)
            if len(items):
                compiled, is_plain = plain, True
        own = items if compiled is None else own_matches(hierarchy, compiled, items)
    except TimeoutError:
        return SearchResults(query, error=TOO_SLOW)
    return SearchResults(query, own, len(items) - len(own), highlights_of(hierarchy, items), is_plain)


def _split_query(query: str) -> tuple[str, str, str]:
    """Split a query into patterns for names, types and devices. A pattern for names may hold blanks."""
    of_type = on_device = ""
    names: list[str] = []
    for word in query.split(" "):
        if word.startswith(TYPE):
            of_type = word[len(TYPE) :]
        elif word.startswith(DEVICE):
            on_device = word[len(DEVICE) :]
        else:
            names.append(word)
    return " ".join(names).strip(" "), of_type, on_device


def _compiled(pattern: str) -> tuple[Any, bool, str | None]:
    if not pattern:
        return None, False, None
    compiled, error = compile_pattern(pattern)
    if compiled is not None:
        return compiled, False, None
    compiled, plain_error = compile_pattern(pattern, plain=True)
    return compiled, compiled is not None, plain_error and error


def _matching_words(pattern: str, known: Callable[[], Iterable[str]]) -> tuple[frozenset[str] | None, str | None]:
    """Return the words that match; None if the pattern is empty."""
    compiled, _, error = _compiled(pattern)
    if error is not None or compiled is None:
        return None, error
    try:
        return frozenset(word for word in known() if compiled.search(word, timeout=0.1)), None
    except TimeoutError:
        return None, TOO_SLOW


def results_text(place: int, found_items: SearchResults) -> str:
    """Return `3 of 17 · o lists 120 more inside`, or what is wrong with the query.

    Args:
        place: Number of the current match; negative for none.
        found_items: Results of the search.
    """
    if found_items.error is not None:
        return found_items.error
    count = len(found_items)
    parts = [f"{place + 1:,} of {count:,}" if place >= 0 else f"{count:,} found" if count else "no match"]
    if found_items.is_plain:
        parts.append(PLAIN)
    if found_items.inside:
        parts.append(f"o lists {found_items.inside:,} more inside")
    return " · ".join(parts)


MAX_PATTERN_SECONDS = 1.0
"""Maximum computing time of one pattern over all names, in seconds; a harmless one needs 2 µs per name."""


_NAMES_PER_CHECK = 1000
"""Names that are matched between two checks of the clock."""


_REPEATS = re.compile(r"[*+?{]")
"""Repetitions, options and special groups in a pattern."""


def match_items(
    hierarchy: Hierarchy,
    pattern: Any = None,
    *,
    devices: AbstractSet[str] | None = None,
    ops: AbstractSet[str] | None = None,
) -> Ints:
    """Return the items in tree order that match all conditions, without copies, root and library.

    Args:
        hierarchy: Hierarchy of the graph; embedded nodes are searched too.
        pattern: Compiled by `settings.filters.compile_pattern`, matched against full names and operations; None: any.
        devices: Only nodes on one of these devices; "" for nodes without one. None: any.
        ops: Only nodes of one of these operations. None: any.

    Raises:
        TimeoutError: The pattern takes longer than `MAX_PATTERN_SECONDS`.
    """
    graph = hierarchy.graph
    is_match = hierarchy.parent[: hierarchy.items] >= 0
    if pattern is not None:
        every = _matching(pattern, [*map(hierarchy.name, range(hierarchy.items)), *(known := sorted(set(graph.ops)))])
        matches = every[: hierarchy.items]
        matching_ops = {op for op, hit in zip(known, every[hierarchy.items :].tolist(), strict=True) if hit}
        matches[: hierarchy.nodes] |= _each(graph.ops, matching_ops.__contains__)
        is_match &= matches
    if ops is not None:
        is_match &= _of_nodes(hierarchy, _each(graph.ops, ops.__contains__))
    if devices is not None:
        is_match &= _of_nodes(hierarchy, _each(map(graph.device, range(hierarchy.nodes)), devices.__contains__))
    items = hierarchy.order.items
    return items[is_match[items]]


def own_matches(hierarchy: Hierarchy, pattern: Any, items: Ints) -> Ints:
    """Return the found items that match by their own leaf name, not only by the name of a found item around them.

    Args:
        hierarchy: Hierarchy of the graph.
        pattern: The pattern of the search.
        items: All items that were found.

    Raises:
        TimeoutError: The pattern takes longer than `MAX_PATTERN_SECONDS`.
    """
    is_found = np.zeros(len(hierarchy), np.bool_)
    is_found[items] = True
    lies_in_one = np.zeros(len(items), np.bool_)
    above = hierarchy.parent[items]
    while (climbs := above >= 0).any():
        lies_in_one |= climbs & is_found[above]
        above = np.where(climbs, hierarchy.parent[above], -1)
    searched = items[lies_in_one].tolist()
    ops = sorted({hierarchy.op(item) for item in searched} - {""})
    matches = _matching(pattern, [*map(hierarchy.written_leaf, searched), *ops])
    matching_ops = {op for op, hit in zip(ops, matches[len(searched) :].tolist(), strict=True) if hit}
    own = ~lies_in_one
    own[lies_in_one] = matches[: len(searched)] | _each(map(hierarchy.op, searched), matching_ops.__contains__)
    return items[own]


def _matching(pattern: Any, texts: list[str]) -> Flags:
    """Return True for each text that the pattern matches."""
    left = MAX_PATTERN_SECONDS
    harmless = _is_harmless(pattern.pattern)
    hits: list[bool] = []
    each = iter(texts)
    while some := list(islice(each, _NAMES_PER_CHECK)):
        # CPU time of this thread: a busy machine must not make a harmless pattern fail.
        before = time.thread_time()
        limit = None if harmless else left
        hits += [pattern.search(text, timeout=limit) is not None for text in some]
        left -= time.thread_time() - before
        if left <= 0:
            raise TimeoutError
    return np.array(hits, np.bool_)


def _is_harmless(pattern: str) -> bool:
    """Return True if the pattern repeats at most one thing that is not a group; matching needs no timeout then."""
    repeats = len(_REPEATS.findall(pattern))
    return not repeats or (repeats == 1 and "(" not in pattern)


def _each(values: Iterable[str], test: Callable[[str], bool]) -> Flags:
    return np.array([test(value) for value in values], np.bool_)


def _of_nodes(hierarchy: Hierarchy, nodes: Flags) -> Flags:
    """Return flags for all items; only nodes can be set."""
    items = np.zeros(hierarchy.items, np.bool_)
    items[: hierarchy.nodes] = nodes
    return items
