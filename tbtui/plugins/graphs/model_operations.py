"""Nodes that compute what the model is for, without those that train, watch or store it.

A graph that TensorFlow writes of a training holds all of these, and none is marked as the output. Nodes beside the
model are detected by their operation (an assignment, a summary), by the scope that TensorFlow puts them in
(`gradients`, `save`), or because only such nodes read their value (the initial value of a variable, the mean that a
summary shows). Source: TensorFlow `python/ops/gradients_util.py`, `training/{saver,optimizer}.py`,
`ops/metrics_impl.py`.
"""

from __future__ import annotations

import re
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
"""Scopes of nodes beside the model."""


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


def model_nodes(graph: Graph, edges: Edges) -> Flags:
    """Return flags of the nodes that belong to what the model computes.

    Args:
        graph: The graph.
        edges: The edges of the graph that carry data.
    """
    backward, beside = _by_name(graph)
    unread = np.bincount(edges.source, minlength=len(beside)) == 0
    beside |= _of_ops(graph, _SIDE_EFFECT_OPS) | (unread & _of_ops(graph, _READ_OPS))
    _add_exclusive_ancestors(beside, edges, backward)
    return ~(backward | beside)


def summary_nodes(graph: Graph) -> Flags:
    """Return flags of summaries, embedded or not."""
    return _of_ops(graph, _SUMMARY)


def _of_ops(graph: Graph, pattern: re.Pattern[str]) -> Flags:
    matching_ops = {op for op in set(graph.ops) if pattern.fullmatch(op)}
    return np.array([op in matching_ops for op in graph.ops], np.bool_)


def _by_name(graph: Graph) -> tuple[Flags, Flags]:
    """Return flags of nodes in scopes of gradients, and of nodes in scopes beside the model."""
    known: dict[str, tuple[bool, bool]] = {"": (False, False)}
    kinds = [_of_scope(name.rpartition("/")[0], known) for name in graph.names]
    columns = np.array(kinds, np.bool_).reshape(-1, 2)
    return columns[:, 0].copy(), columns[:, 1].copy()


def _of_scope(scope: str, known: dict[str, tuple[bool, bool]]) -> tuple[bool, bool]:
    if scope not in known:
        parts = scope.split("/")
        known[scope] = any(map(_GRADIENT_SCOPES.fullmatch, parts)), any(map(_AUXILIARY_SCOPES.fullmatch, parts))
    return known[scope]


def _add_exclusive_ancestors(beside: Flags, edges: Edges, never: Flags) -> None:
    """Add nodes whose values are read only by nodes in `beside`, except those in `never`.

    Nodes that train must be in `never`: everything that a model computes leads to them.
    """
    readers = np.bincount(edges.source, minlength=len(beside)).tolist()
    into = RowIndex(edges.target, len(beside))
    bounds, sources = into.bounds.tolist(), edges.source[into.rows].tolist()
    waiting = np.flatnonzero(beside & ~never).tolist()
    for node in waiting:  # grows meanwhile
        for source in sources[bounds[node] : bounds[node + 1]]:
            readers[source] -= 1
            if not (readers[source] or beside[source] or never[source]):
                beside[source] = True
                waiting.append(source)
