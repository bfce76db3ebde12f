"""Nodes that compute the output of the model, without those that train, observe or save it.

A graph of a training in TensorFlow holds all of these, and marks none as the output. Auxiliary nodes are detected by
their operation (an assignment, a summary), by the scope that TensorFlow puts them in (`gradients`, `save`), or because
only such nodes read their value (the initial value of a variable, the mean that a summary shows). Source: TensorFlow
`python/ops/gradients_util.py`, `training/{saver,optimizer}.py`, `ops/metrics_impl.py`.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.plugins.graphs.edges import RowIndex

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.graphs.edges import Edges
    from tbtui.plugins.graphs.graph import Graph

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]


_GRADIENT_SCOPES = re.compile(r"(?:gradients?|gradient_tape|\w+_grad)(?:_[0-9]+)?", re.ASCII)
"""Scopes of gradients."""


_AUXILIARY_SCOPES = re.compile(
    r"(?:save|init|metrics|accuracy|report_uninitialized_\w+|assert_\w+|Assert\w*)(?:_[0-9]+)?", re.ASCII
)
"""Scopes of auxiliary nodes."""


_READ_OPS = re.compile(r"ReadVariableOp")
"""TensorFlow creates one for each variable, even if it is not needed."""


_SUMMARY = re.compile(r"\w*Summary(?:V[0-9])?", re.ASCII)


_SIDE_EFFECT_OPS = re.compile(
    r"NoOp|Assert|Print(?:V2)?|\w*Summary(?:V[0-9])?|\w*(?:Save|Restore)\w*|MergeV2Checkpoints|ShardedFilename"
    r"|(?:Resource)?(?:Sparse)?(?:Apply|Assign|Scatter)\w*|Assign\w*VariableOp|CountUpTo"
    r"|VarIsInitializedOp|IsVariableInitialized|\w*Enqueue\w*|\w*Close(?:V2)?|DestroyResourceOp",
    re.ASCII,
)
"""Operations with side effects, which do not serve to compute a value."""


def find_model_nodes(graph: Graph, edges: Edges) -> Flags:
    """Return flags of the nodes that belong to the model.

    Args:
        graph: The graph.
        edges: The edges of the graph that carry data.
    """
    gradient, auxiliary = _match_scopes(graph)
    unread = np.bincount(edges.source, minlength=len(auxiliary)) == 0
    auxiliary |= _match_ops(graph, _SIDE_EFFECT_OPS) | (unread & _match_ops(graph, _READ_OPS))
    _add_exclusive_ancestors(auxiliary, edges, gradient)
    return ~(gradient | auxiliary)


def find_summary_nodes(graph: Graph) -> Flags:
    """Return flags of summaries, embedded or not."""
    return _match_ops(graph, _SUMMARY)


def _match_ops(graph: Graph, pattern: re.Pattern[str]) -> Flags:
    matching_ops = {op for op in set(graph.ops) if pattern.fullmatch(op)}
    return np.array([op in matching_ops for op in graph.ops], np.bool_)


def _match_scopes(graph: Graph) -> tuple[Flags, Flags]:
    """Return flags of nodes in scopes of gradients, and of nodes in scopes of auxiliary nodes."""
    scopes = [name.rpartition("/")[0] for name in graph.names]
    parts = {scope: scope.split("/") for scope in set(scopes)}
    names = set(chain.from_iterable(parts.values()))

    def flag_nodes(pattern: re.Pattern[str]) -> Flags:
        matching_names = set(filter(pattern.fullmatch, names))
        matching_scopes = {scope for scope in parts if not matching_names.isdisjoint(parts[scope])}
        return np.array([scope in matching_scopes for scope in scopes], np.bool_)

    return flag_nodes(_GRADIENT_SCOPES), flag_nodes(_AUXILIARY_SCOPES)


def _add_exclusive_ancestors(auxiliary: Flags, edges: Edges, excluded: Flags) -> None:
    """Add nodes whose values only auxiliary nodes read.

    Args:
        auxiliary: bool[nodes]; changed in place.
        edges: Edges of the graph that carry data.
        excluded: bool[nodes]: nodes that are never added and whose inputs are not followed. Gradients must be in it,
            because all nodes of a model lead to them.
    """
    readers = np.bincount(edges.source, minlength=len(auxiliary)).tolist()
    by_target = RowIndex(edges.target, len(auxiliary))
    bounds, sources = by_target.bounds.tolist(), edges.source[by_target.rows].tolist()
    pending = np.flatnonzero(auxiliary & ~excluded).tolist()
    for node in pending:  # grows in the loop
        for source in sources[bounds[node] : bounds[node + 1]]:
            readers[source] -= 1
            if not (readers[source] or auxiliary[source] or excluded[source]):
                auxiliary[source] = True
                pending.append(source)
