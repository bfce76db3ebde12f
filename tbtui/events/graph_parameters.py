"""How many numbers the nodes of a graph hold that are trained.

A variable of TensorFlow says its shape itself. Trained are the variables that an optimiser's operation changes, or,
where there is none, all of floating point that do not belong to another variable, as an optimiser's moments do.
PyTorch writes parameters without shapes: those of the weights that its layers take follow from the shapes of what goes
in and comes out (`torch_parameters`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.events.dtypes import BFLOAT16, DOUBLE, FLOAT, HALF
from tbtui.events.graph_attributes import numbers_in, shape_of
from tbtui.events.torch_parameters import GET_ATTRIBUTE, torch_parameters

if TYPE_CHECKING:
    from tbtui.events.graphs import OpGraph

_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp"})

_OPTIMISERS = ("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply")
"""What the operations begin with that change their first input in training."""

_FLOATS = frozenset({FLOAT, DOUBLE, HALF, BFLOAT16})


def parameters_of(graph: OpGraph) -> dict[int, int]:
    """Row of each node that holds parameters to their number."""
    found = _variables(graph)
    if GET_ATTRIBUTE in graph.ops:
        found.update({node: count for node, count in torch_parameters(graph).items() if count})
    return found


def untold_parameters(graph: OpGraph) -> tuple[str, ...]:
    """A sentence when some nodes hold parameters of a number that the graph does not tell."""
    if GET_ATTRIBUTE not in graph.ops:
        return ()
    untold = sum(1 for count in torch_parameters(graph).values() if not count)
    return (f"{untold:,} parameters are not counted: the graph does not tell their shapes",) if untold else ()


def _variables(graph: OpGraph) -> dict[int, int]:
    rows = [row for row, op in enumerate(graph.ops) if op in _VARIABLES]
    if not rows:
        return {}
    trained = {some[0] for op, some in zip(graph.ops, graph.inputs, strict=True) if some and op.startswith(_OPTIMISERS)}
    wanted = [row for row in rows if graph.names[row] in trained] if trained else []
    return {row: count for row in wanted or rows if (count := _held(graph, row, check_owner=not wanted))}


def _held(graph: OpGraph, row: int, *, check_owner: bool) -> int:
    """Numbers that a variable holds; 0 when it is of no float, of another variable or of no known shape."""
    node = graph.node(row)
    attributes = node.attr
    if "shape" not in attributes or "dtype" not in attributes or attributes["dtype"].type % 100 not in _FLOATS:
        return 0
    if check_owner and "_class" in attributes:
        owners = attributes["_class"].list.s
        if any(owner.startswith(b"loc:@") and owner[5:].decode("utf-8", "replace") != node.name for owner in owners):
            return 0
    return numbers_in(shape_of(attributes["shape"].shape))
