"""What is written in the box of an item."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from tbtui.graphs.labels import counted, shape_text
from tbtui.graphs.naming import argument_title, function_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.graphs.hierarchy import Hierarchy

SMALL = 8
"""Nodes in a scope that is told by the operation in it, if there is only one beside inputs and outputs."""

_MOVES = frozenset({"Identity", "NoOp", "prim::GetAttr", "VariableV2", "VarHandleOp", "ReadVariableOp"})
"""Operations that compute nothing."""

_MEASURES = frozenset({"Shape", "ShapeN", "StridedSlice", "Pack", "Rank", "Size", "BroadcastGradientArgs"})
"""Operations on shapes, beside which others tell more."""

LAYER = 32
"""Nodes in a scope that may be one layer, with what makes and checks its variables."""

_LEADS = re.compile(
    r"(?:batch_?)?matmul(?:v[0-9]+)?|addmm|bmm|linear|einsum|gemm|\w*conv(?:olution|[0-9]d\w*)?"
    r"|\w*(?:max|avg|average)_?pool\w*|\w*(?:lstm|gru|rnn)(?:v[0-9]+|block\w*|cell)?"
    r"|\w*(?:batch|layer|group|instance)_?norm(?:alization)?(?:v[0-9]+)?|resourcegather|embedding\w*"
    r"|\w*attention\w*",
    re.ASCII | re.IGNORECASE,
)
"""Operations of which a layer has one, and is called by it."""

_ACTIVATIONS = re.compile(
    r"(?:leaky_?|p)?relu6?_?|[sc]?elu|gelu|silu|swish|sigmoid|tanh|(?:log_?)?softmax|softplus|softsign",
    re.ASCII | re.IGNORECASE,
)

_BACKWARD = re.compile(r"\w*(?:Grad(?:V[0-9]+)?|Backprop\w*|_backward\w*)", re.ASCII)
"""Operations of which none belongs to a layer: they are what trains it."""

MOST_ASIDE = 5
"""Names beside one box; then how many more."""


def lines_of(hierarchy: Hierarchy, item: int) -> tuple[str, ...]:
    """The name, then what it is and holds, each in a line of its own; not made safe for a terminal."""
    lines = [argument_title(hierarchy.leaf(item)), *_nature(hierarchy, item)]
    if parameters := int(hierarchy.parameters[item]):
        lines.append(counted(parameters, "parameter"))
    return tuple(lines)


def names_aside(names: Sequence[str]) -> tuple[str, ...]:
    """As many as there is room for."""
    if len(names) <= MOST_ASIDE:
        return tuple(names)
    return (*names[:MOST_ASIDE], f"… {len(names) - MOST_ASIDE:,} more")


def _nature(hierarchy: Hierarchy, item: int) -> list[str]:
    """The operation of a node that is not called so, how many of it a series has, how many are in a scope."""
    op = hierarchy.op(item)
    layers = hierarchy.graph.written.layers
    unit = "layer" if layers else "op"
    count = int(hierarchy.inside[item])
    if hierarchy.kind(item) == "series":
        return [f"{count:,} × {op}"]
    if not op:
        return [", ".join((*_gist(hierarchy, item), counted(count, unit)))]
    lines = [op] if op != hierarchy.leaf(item) else []
    if layers and (shapes := hierarchy.shapes(item)) and (text := shape_text(shapes[0])):
        lines.append(text)
    return lines


def _gist(hierarchy: Hierarchy, item: int) -> list[str]:
    """What a scope is there for: one operation, one layer, or the function that it calls; of others nothing."""
    if hierarchy.inside[item] > LAYER:
        return []
    graph = hierarchy.graph
    nodes = [node for node in hierarchy.nodes_in(item) if graph.kinds[node] not in {"input", "output"}]
    called = {graph.bodies[graph.calls[node]].name for node in nodes if node in graph.calls}
    counts = Counter(graph.ops[node] for node in nodes)
    computing = called or counts.keys() - _MOVES
    telling = computing - _MEASURES or computing
    is_one = len(telling) == 1 and hierarchy.inside[item] <= SMALL
    gist = function_title("".join(telling)) if is_one else _layer(counts)
    return [gist] if gist and gist != hierarchy.leaf(item) else []


def _layer(counts: Counter[str]) -> str:
    """`Conv2D · Relu` of a scope that is one layer: its operation, and the activation behind it."""
    kinds = {op: op.rpartition("::")[2] for op in counts}
    leads = [op for op, kind in kinds.items() if _LEADS.fullmatch(kind)]
    if sum(counts[op] for op in leads) != 1 or any(map(_BACKWARD.fullmatch, kinds.values())):
        return ""
    activations = [op for op, kind in kinds.items() if _ACTIVATIONS.fullmatch(kind)]
    return " · ".join(leads + activations if len(activations) == 1 else leads)
