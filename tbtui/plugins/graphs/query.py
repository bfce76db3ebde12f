"""How much there is in a graph, in words that say what is counted.

An op (a layer, in a model) is a node that has a box of its own. Constants and summaries that are set aside have none,
and what is in functions is told apart: it is there once for all calls.
"""

from __future__ import annotations

import re
import time
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from tbtui.plugins.graphs.edges import Rows, constants_and_summaries
from tbtui.plugins.graphs.graph import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.plugins.graphs.edges import Edges
    from tbtui.plugins.graphs.graph import Graph
    from tbtui.plugins.graphs.hierarchy import Hierarchy

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]


class Amounts(NamedTuple):
    """Nodes of a graph; together these are all."""

    ops: int
    """In the graph itself, as `Hierarchy.inside` of its root has it."""

    in_functions: int
    """Likewise in the functions of its library, their arguments too."""

    aside: int
    """Constants and summaries in either."""


def amounts(hierarchy: Hierarchy) -> Amounts:
    """Of the whole graph."""
    library = hierarchy.library
    return Amounts(
        int(hierarchy.inside[hierarchy.root]),
        int(hierarchy.inside[library]) if library >= 0 else 0,
        int(np.count_nonzero(hierarchy.graph.embedded)),
    )


def noun(hierarchy: Hierarchy) -> str:
    """What a node is called."""
    return "layer" if hierarchy.graph.written.layers else "op"


def amounts_words(hierarchy: Hierarchy) -> tuple[str, ...]:
    """`2,627 ops`, `2,632 in 60 functions`, `1,016 constants and summaries set aside`; only of what there is some."""
    ops, in_functions, aside = amounts(hierarchy)
    words = [counted(ops, noun(hierarchy))]
    if in_functions:
        words.append(f"{in_functions:,} in {counted(len(hierarchy.graph.bodies), 'function')}")
    if aside:
        words.append(f"{_aside_words(hierarchy, np.flatnonzero(hierarchy.graph.embedded))} set aside")
    return tuple(words)


def edges_word(hierarchy: Hierarchy) -> str:
    """`4 edges, 1 of them from or to what is set aside`: as they are written."""
    edges, embedded = hierarchy.graph.edges, hierarchy.graph.embedded
    aside = int(np.count_nonzero(embedded[edges.source] | embedded[edges.target]))
    word = counted(len(edges), "edge")
    return f"{word}, {aside:,} of them from or to what is set aside" if aside else word


def leading_words(hierarchy: Hierarchy, item: int, traced: npt.NDArray[np.bool_]) -> str:
    """`5 ops and 2 constants lead to loss`.

    Args:
        hierarchy: Of the graph.
        item: What was traced; neither what is in a scope counts, nor the calls that it is in.
        traced: For each item whether it leads there, as of `tracing.traced_inputs`.
    """
    leads = traced.copy()
    leads[list(hierarchy.path(item))] = False
    if hierarchy.node(item) < 0:
        leads[hierarchy.under(item)] = False
    leads &= hierarchy.original < hierarchy.nodes
    nodes = hierarchy.original[leads]
    aside = nodes[hierarchy.graph.embedded[nodes]]
    ops = len(nodes) - len(aside)
    told = counted(ops, noun(hierarchy))
    if len(aside):
        told = f"{told} and {_aside_words(hierarchy, aside)}"
    return f"{told} lead{'s' if len(nodes) == 1 else ''} to {hierarchy.leaf(item)}"


def _aside_words(hierarchy: Hierarchy, nodes: npt.NDArray[np.integer[Any]]) -> str:
    """`3 constants`, `1 summary`, `12 constants and summaries`."""
    constants, _ = constants_and_summaries([hierarchy.graph.ops[node] for node in nodes.tolist()], ())
    if constants.all():
        return counted(len(nodes), "constant")
    if constants.any():
        return f"{len(nodes):,} constants and summaries"
    return f"{len(nodes):,} {'summary' if len(nodes) == 1 else 'summaries'}"


# Which items of a hierarchy have a name or an operation that matches, or are on a device.


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


# Which nodes of a graph compute what the model is there for, and not how it is trained, watched or stored.
#
# A graph that TensorFlow writes of a training holds all of these, and nothing in it is marked as the output. What
# belongs
# to them is known by its operation (an assignment, a summary), by the scope that TensorFlow puts it in (`gradients`,
# `save`), or because nothing else reads its value (the initial value of a variable, the mean that a summary shows).
# Source: TensorFlow `python/ops/gradients_util.py`, `training/{saver,optimizer}.py`, `ops/metrics_impl.py`.


_BACKWARD = re.compile(r"(?:gradients?|gradient_tape|\w+_grad)(?:_[0-9]+)?", re.ASCII)
"""Scopes of what is computed to train."""

_BESIDE = re.compile(
    r"(?:save|init|metrics|accuracy|report_uninitialized_\w+|assert_\w+|Assert\w*)(?:_[0-9]+)?", re.ASCII
)
"""Scopes of what is beside the model."""

_READS = re.compile(r"ReadVariableOp")
"""One is made for each variable whether it is needed or not."""

_SUMMARY = re.compile(r"\w*Summary(?:V[0-9])?", re.ASCII)

_ACTS = re.compile(
    r"NoOp|Assert|Print(?:V2)?|\w*Summary(?:V[0-9])?|\w*(?:Save|Restore)\w*|MergeV2Checkpoints|ShardedFilename"
    r"|(?:Resource)?(?:Sparse)?(?:Apply|Assign|Scatter)\w*|Assign\w*VariableOp|CountUpTo"
    r"|VarIsInitializedOp|IsVariableInitialized|\w*Enqueue\w*|\w*Close(?:V2)?|DestroyResourceOp",
    re.ASCII,
)
"""Operations that are there for what they do, not for what they return."""


def computing(graph: Graph, edges: Edges) -> Flags:
    """Whether each node belongs to what the model computes.

    Args:
        graph: The graph.
        edges: Those of its edges along which something flows.
    """
    backward, beside = _by_name(graph)
    unread = np.bincount(edges.source, minlength=len(beside)) == 0
    beside |= _of_ops(graph, _ACTS) | (unread & _of_ops(graph, _READS))
    _add_what_leads_there_only(beside, edges, backward)
    return ~(backward | beside)


def summaries(graph: Graph) -> Flags:
    """Whether each node is one; more than those that are embedded."""
    return _of_ops(graph, _SUMMARY)


def _of_ops(graph: Graph, pattern: re.Pattern[str]) -> Flags:
    wanted = {op for op in set(graph.ops) if pattern.fullmatch(op)}
    return np.array([op in wanted for op in graph.ops], np.bool_)


def _by_name(graph: Graph) -> tuple[Flags, Flags]:
    """Which nodes are in a scope of what trains, and in one of what is beside the model."""
    known: dict[str, tuple[bool, bool]] = {"": (False, False)}
    kinds = [_of_scope(name.rpartition("/")[0], known) for name in graph.names]
    columns = np.array(kinds, np.bool_).reshape(-1, 2)
    return columns[:, 0].copy(), columns[:, 1].copy()


def _of_scope(scope: str, known: dict[str, tuple[bool, bool]]) -> tuple[bool, bool]:
    if scope not in known:
        parts = scope.split("/")
        known[scope] = any(map(_BACKWARD.fullmatch, parts)), any(map(_BESIDE.fullmatch, parts))
    return known[scope]


def _add_what_leads_there_only(beside: Flags, edges: Edges, never: Flags) -> None:
    """Add the nodes whose values only such nodes read that are there already, but none of `never`.

    What trains is such: all that a model computes leads to it.
    """
    readers = np.bincount(edges.source, minlength=len(beside)).tolist()
    into = Rows(edges.target, len(beside))
    bounds, sources = into.bounds.tolist(), edges.source[into.rows].tolist()
    waiting = np.flatnonzero(beside & ~never).tolist()
    for node in waiting:  # grows meanwhile
        for source in sources[bounds[node] : bounds[node + 1]]:
            readers[source] -= 1
            if not (readers[source] or beside[source] or never[source]):
                beside[source] = True
                waiting.append(source)
