"""Counts of a graph as text: operations or layers, functions, embedded constants and summaries, edges.

An op is a node with a box of its own. Embedded constants and summaries have none. Nodes of functions are counted
separately, because a function exists once for all calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.plugins.graphs.edges import find_constants_and_summaries

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.graphs.hierarchy import Hierarchy

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]


class NodeCounts(NamedTuple):
    """Numbers of nodes; their sum is the number of all nodes."""

    ops: int
    """Nodes of the graph itself, as counted by `Hierarchy.node_counts` for the root."""

    in_functions: int
    """Nodes of the functions of its library, arguments included."""

    set_aside: int
    """Embedded constants and summaries, of the graph and of functions."""


def count_nodes(hierarchy: Hierarchy) -> NodeCounts:
    """Count the nodes of a graph."""
    library = hierarchy.library
    return NodeCounts(
        int(hierarchy.node_counts[hierarchy.root]),
        int(hierarchy.node_counts[library]) if library >= 0 else 0,
        int(np.count_nonzero(hierarchy.graph.embedded)),
    )


def choose_node_noun(hierarchy: Hierarchy) -> str:
    """Return the noun for a node."""
    return "layer" if hierarchy.graph.parsed.layers else "op"


def count_texts(hierarchy: Hierarchy) -> tuple[str, ...]:
    """Return `2,627 ops`, `2,632 in 60 functions`, `1,016 constants and summaries set aside`; omits zeros."""
    ops, in_functions, set_aside = count_nodes(hierarchy)
    texts = [format_count(ops, choose_node_noun(hierarchy))]
    if in_functions:
        texts.append(f"{in_functions:,} in {format_count(len(hierarchy.graph.bodies), 'function')}")
    if set_aside:
        texts.append(f"{_describe_embedded(hierarchy, np.flatnonzero(hierarchy.graph.embedded))} set aside")
    return tuple(texts)


def format_edge_count(hierarchy: Hierarchy) -> str:
    """Return `4 edges, 1 of them from or to nodes set aside`."""
    edges, embedded = hierarchy.graph.edges, hierarchy.graph.embedded
    aside_count = int(np.count_nonzero(embedded[edges.source] | embedded[edges.target]))
    text = format_count(len(edges), "edge")
    return f"{text}, {aside_count:,} of them from or to nodes set aside" if aside_count else text


def format_ancestor_count(hierarchy: Hierarchy, item: int, traced: npt.NDArray[np.bool_]) -> str:
    """Return `5 ops and 2 constants lead to loss`.

    Args:
        hierarchy: Hierarchy of the graph.
        item: The traced item; nodes inside it and calls around it are not counted.
        traced: bool[items] from `tracing.trace_inputs`.
    """
    is_counted = traced.copy()
    is_counted[list(hierarchy.path(item))] = False
    if hierarchy.node(item) < 0:
        is_counted[hierarchy.list_all_nodes(item)] = False
    is_counted &= hierarchy.original < hierarchy.nodes
    nodes = hierarchy.original[is_counted]
    embedded = nodes[hierarchy.graph.embedded[nodes]]
    ops = len(nodes) - len(embedded)
    text = format_count(ops, choose_node_noun(hierarchy))
    if len(embedded):
        text = f"{text} and {_describe_embedded(hierarchy, embedded)}"
    return f"{text} lead{'s' if len(nodes) == 1 else ''} to {hierarchy.leaf(item)}"


def _describe_embedded(hierarchy: Hierarchy, nodes: npt.NDArray[np.integer[Any]]) -> str:
    """Return `3 constants`, `1 summary`, `12 constants and summaries`."""
    constants, _ = find_constants_and_summaries([hierarchy.graph.ops[node] for node in nodes.tolist()], ())
    if constants.all():
        return format_count(len(nodes), "constant")
    if constants.any():
        return f"{len(nodes):,} constants and summaries"
    return f"{len(nodes):,} {'summary' if len(nodes) == 1 else 'summaries'}"
