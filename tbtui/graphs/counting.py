"""How much there is in a graph, in words that say what is counted.

An op (a layer, in a model) is a node that has a box of its own. Constants and summaries that are set aside have none,
and what is in functions is told apart: it is there once for all calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.graphs.embedding import constants_and_summaries
from tbtui.graphs.labels import counted

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.graphs.hierarchy import Hierarchy


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
