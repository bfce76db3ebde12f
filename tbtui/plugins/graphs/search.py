"""Search by name, type and device (`conv type:^Mat device:GPU`), and highlights of its matches and of traces."""

from __future__ import annotations

import re
import time
from dataclasses import field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.frozen import frozen
from tbtui.plugins.graphs.counts import format_ancestor_count
from tbtui.plugins.graphs.tracing import find_path_to_output, trace_inputs
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
    """Highlighted items, and the reason for the title."""

    flags: npt.NDArray[np.bool_]
    """bool[items]; a scope is highlighted if it contains a highlighted item."""

    reason: str = ""

    def select(self, items: Iterable[int]) -> frozenset[int]:
        """Return those of these items that are highlighted."""
        return frozenset(item for item in items if self.flags[item])


def highlight_items(hierarchy: Hierarchy, items: npt.NDArray[np.int32], reason: str = "") -> Highlights:
    """Highlight items and all scopes around them."""
    flags = np.zeros(len(hierarchy), np.bool_)
    while len(items):
        flags[items] = True
        above = np.unique(hierarchy.parent[items])
        items = above[(above >= 0) & ~flags[above]]
    for section in (hierarchy.root, hierarchy.library):
        if section >= 0:
            flags[section] = False
    return Highlights(flags, reason)


def trace_highlights(hierarchy: Hierarchy, item: int, kind: TraceKind) -> Highlights:
    """Highlight the inputs of an item at any distance, or its path to an output of the graph."""
    if kind == "inputs":
        flags = trace_inputs(hierarchy, item)
        return Highlights(flags, format_ancestor_count(hierarchy, item, flags))
    path = find_path_to_output(hierarchy, item)
    if not path:
        return highlight_items(hierarchy, np.array([item], np.int32), NO_PATH)
    steps = format_count(len(path) - 1, "step")
    reason = f"{steps} from {hierarchy.leaf(item)} to {_format_relative_name(hierarchy, item, path[-1])}"
    return highlight_items(hierarchy, np.array(path, np.int32), reason)


def _format_relative_name(hierarchy: Hierarchy, item: int, other: int) -> str:
    """Return the name of another item, with its scope if the first item is outside of that."""
    scope = int(hierarchy.parent[other])
    leaf = hierarchy.leaf(other)
    return leaf if scope < 0 or scope in hierarchy.path(item) else f"{hierarchy.leaf(scope)}/{leaf}"


PLACEHOLDER = "find by name or type …  type:conv  device:gpu"
TYPE, DEVICE = "type:", "device:"
PLAIN = "read as plain text"
NO_ITEMS = np.zeros(0, np.int32)


@frozen(eq=False)
class SearchResults:
    """The matches of a search, in the order of the tree."""

    query: str = ""
    items: npt.NDArray[np.int32] = field(default_factory=lambda: NO_ITEMS)
    """int32[n]: matches, except items that match only by the name of the scope around them."""

    inner_count: int = 0
    """Number of matches that `items` leaves out because the scope around them matches."""

    highlights: Highlights | None = None
    """All matches, including those inside of matches; None if nothing was searched."""

    is_plain: bool = False
    """True if the query was taken as plain text: it is not a regular expression, or matches nothing as one."""

    error: str | None = None
    """Reason why nothing was searched; None if there was no error."""

    def __len__(self) -> int:
        return len(self.items)

    def sort_by_table(self, items: npt.NDArray[np.int32]) -> SearchResults:
        """Return the same results in the order of the table, which lists all matches."""
        return replace(self, items=items, inner_count=0)

    def index_of(self, item: int) -> int:
        """Return the index of an item in the matches; -1 if it is not a match."""
        indices = np.flatnonzero(self.items == item)
        return int(indices[0]) if len(indices) else -1

    def find_after(self, hierarchy: Hierarchy, item: int, count: int) -> int:
        """Return the match that comes `count` matches after an item in the order of the tree; wraps around.

        Args:
            hierarchy: The hierarchy that was searched.
            item: Any item, also one that does not match.
            count: Negative for earlier matches. 0: the item itself if it is a match, or else the next match.
        """
        positions = hierarchy.order.positions
        position = positions[hierarchy.original[item]]
        index = int(np.searchsorted(positions[self.items], position, "right" if count > 0 else "left"))
        return int(self.items[(index + count - (count > 0)) % len(self.items)])


def search_graph(hierarchy: Hierarchy, query: str) -> SearchResults:
    """Search a graph; a query that is not a regular expression, or matches nothing as one, is read as plain text."""
    pattern, type_pattern, device_pattern = _split_query(query)
    compiled, is_plain, error = _compile_pattern(pattern)
    ops, type_error = _match_names(type_pattern, lambda: set(hierarchy.graph.ops))
    devices, device_error = _match_names(
        device_pattern, lambda: {hierarchy.graph.device(node) for node in range(hierarchy.nodes)}
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
        leaf_matches = items if compiled is None else match_leaves(hierarchy, compiled, items)
    except TimeoutError:
        return SearchResults(query, error=TOO_SLOW)
    inner_count = len(items) - len(leaf_matches)
    return SearchResults(query, leaf_matches, inner_count, highlight_items(hierarchy, items), is_plain)


def _split_query(query: str) -> tuple[str, str, str]:
    """Split a query into patterns for names, types and devices. A pattern for names may hold blanks."""
    type_pattern = device_pattern = ""
    name_terms: list[str] = []
    for term in query.split(" "):
        if term.startswith(TYPE):
            type_pattern = term[len(TYPE) :]
        elif term.startswith(DEVICE):
            device_pattern = term[len(DEVICE) :]
        else:
            name_terms.append(term)
    return " ".join(name_terms).strip(" "), type_pattern, device_pattern


def _compile_pattern(pattern: str) -> tuple[Any, bool, str | None]:
    if not pattern:
        return None, False, None
    compiled, error = compile_pattern(pattern)
    if compiled is not None:
        return compiled, False, None
    compiled, plain_error = compile_pattern(pattern, plain=True)
    return compiled, compiled is not None, plain_error and error


def _match_names(pattern: str, names: Callable[[], Iterable[str]]) -> tuple[frozenset[str] | None, str | None]:
    """Return the names that match, and an error; None for all names if the pattern is empty."""
    compiled, _, error = _compile_pattern(pattern)
    if error is not None or compiled is None:
        return None, error
    try:
        return frozenset(name for name in names() if compiled.search(name, timeout=0.1)), None
    except TimeoutError:
        return None, TOO_SLOW


def format_results(index: int, results: SearchResults) -> str:
    """Return `3 of 17 · o lists 120 more inside`, or the error of the query.

    Args:
        index: Index of the selected match; negative for none.
        results: Results of the search.
    """
    if results.error is not None:
        return results.error
    count = len(results)
    parts = [f"{index + 1:,} of {count:,}" if index >= 0 else f"{count:,} found" if count else "no match"]
    if results.is_plain:
        parts.append(PLAIN)
    if results.inner_count:
        parts.append(f"o lists {results.inner_count:,} more inside")
    return " · ".join(parts)


MAX_PATTERN_SECONDS = 1.0
"""Maximum computing time of one pattern over all names, in seconds; a harmless one needs 2 µs per name."""


_NAMES_PER_CHECK = 1000
"""Names that are matched between two checks of the clock."""


_REPEATS = re.compile(r"[*+?{]")
"""Characters of repetitions, options and special groups in a pattern."""


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
        graph_ops = sorted(set(graph.ops))
        text_matches = _match_texts(pattern, [*map(hierarchy.name, range(hierarchy.items)), *graph_ops])
        name_matches, op_matches = text_matches[: hierarchy.items], text_matches[hierarchy.items :]
        matching_ops = {op for op, is_matching in zip(graph_ops, op_matches.tolist(), strict=True) if is_matching}
        name_matches[: hierarchy.nodes] |= _test_each(graph.ops, matching_ops.__contains__)
        is_match &= name_matches
    if ops is not None:
        is_match &= _flag_nodes(hierarchy, _test_each(graph.ops, ops.__contains__))
    if devices is not None:
        is_match &= _flag_nodes(hierarchy, _test_each(map(graph.device, range(hierarchy.nodes)), devices.__contains__))
    items = hierarchy.order.items
    return items[is_match[items]]


def match_leaves(hierarchy: Hierarchy, pattern: Any, items: Ints) -> Ints:
    """Return the matches whose last part of the name matches, or that are in no other match.

    Args:
        hierarchy: Hierarchy of the graph.
        pattern: The pattern of the search.
        items: All matches.

    Raises:
        TimeoutError: The pattern takes longer than `MAX_PATTERN_SECONDS`.
    """
    is_match = np.zeros(len(hierarchy), np.bool_)
    is_match[items] = True
    is_inner = np.zeros(len(items), np.bool_)
    ancestor = hierarchy.parent[items]
    while (has_ancestor := ancestor >= 0).any():
        is_inner |= has_ancestor & is_match[ancestor]
        ancestor = np.where(has_ancestor, hierarchy.parent[ancestor], -1)
    inner = items[is_inner].tolist()
    ops = sorted({hierarchy.op(item) for item in inner} - {""})
    text_matches = _match_texts(pattern, [*map(hierarchy.get_written_leaf, inner), *ops])
    leaf_matches, op_matches = text_matches[: len(inner)], text_matches[len(inner) :]
    matching_ops = {op for op, is_matching in zip(ops, op_matches.tolist(), strict=True) if is_matching}
    is_selected = ~is_inner
    is_selected[is_inner] = leaf_matches | _test_each(map(hierarchy.op, inner), matching_ops.__contains__)
    return items[is_selected]


def _match_texts(pattern: Any, texts: list[str]) -> Flags:
    """Return True for each text that the pattern matches."""
    remaining_seconds = MAX_PATTERN_SECONDS
    is_harmless = _is_harmless(pattern.pattern)
    is_match: list[bool] = []
    remaining_texts = iter(texts)
    while batch := list(islice(remaining_texts, _NAMES_PER_CHECK)):
        # CPU time of this thread: a busy machine must not make a harmless pattern fail.
        start = time.thread_time()
        timeout = None if is_harmless else remaining_seconds
        is_match += [pattern.search(text, timeout=timeout) is not None for text in batch]
        remaining_seconds -= time.thread_time() - start
        if remaining_seconds <= 0:
            raise TimeoutError
    return np.array(is_match, np.bool_)


def _is_harmless(pattern: str) -> bool:
    """Return True if the pattern repeats at most one thing that is not a group; matching needs no timeout then."""
    repeats = len(_REPEATS.findall(pattern))
    return not repeats or (repeats == 1 and "(" not in pattern)


def _test_each(values: Iterable[str], test: Callable[[str], bool]) -> Flags:
    return np.array([test(value) for value in values], np.bool_)


def _flag_nodes(hierarchy: Hierarchy, nodes: Flags) -> Flags:
    """Return flags for all items; only nodes can be set."""
    items = np.zeros(hierarchy.items, np.bool_)
    items[: hierarchy.nodes] = nodes
    return items
