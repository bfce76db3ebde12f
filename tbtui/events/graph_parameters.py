"""How many numbers the nodes of a graph hold that are trained.

A variable of TensorFlow says its shape itself. Trained are the variables that an optimiser's operation changes; or,
where there is none, those that are set from outside of the scope they are in to what is computed of themselves, as the
optimisers of old Keras do, whose own variables are in their scope; or, where there are none of these either, all of
floating point that do not belong to another variable, as an optimiser's moments do. Not so in a trace of many graphs,
one for each function that was run: variables are made in some, moments too, and trained in others, where they are
arguments. Which of them are trained is not told there, and nothing is counted.
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

_SETS = frozenset({"Assign", "AssignVariableOp"})

_READS = frozenset({"ReadVariableOp", "Identity"})

NEAR = 6
"""Operations from what a variable is set to back to where it is read: an update, and a constraint on what it gives."""

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
    if not untold:
        return ()
    what = "parameter is not counted" if untold == 1 else "parameters are not counted"
    return (f"{untold:,} {what}: the graph does not tell {'its shape' if untold == 1 else 'their shapes'}",)


def _variables(graph: OpGraph) -> dict[int, int]:
    rows = [row for row, op in enumerate(graph.ops) if op in _VARIABLES]
    if not rows:
        return {}
    trained = {some[0] for op, some in zip(graph.ops, graph.inputs, strict=True) if some and op.startswith(_OPTIMISERS)}
    trained = trained or _updated(graph, {graph.names[row] for row in rows})
    is_told = bool(trained) or len(graph.messages) > 1
    wanted = [row for row in rows if graph.names[row] in trained] if is_told else rows
    return {row: count for row in wanted if (count := _held(graph, row, check_owner=not is_told))}


def _updated(graph: OpGraph, variables: set[str]) -> set[str]:
    """Variables that an operation sets to what it computes of them, in a scope that they are not in."""
    rows = {name: row for row, name in enumerate(graph.names)}
    found = set()
    for name, op, inputs in zip(graph.names, graph.ops, graph.inputs, strict=True):
        if op in _SETS and len(inputs) > 1 and inputs[0] in variables:
            scope = name[: name.rfind("/") + 1]
            if scope and not inputs[0].startswith(scope) and _computed_of(graph, rows, inputs[1], inputs[0], scope):
                found.add(inputs[0])
    return found


def _computed_of(graph: OpGraph, rows: dict[str, int], value: str, variable: str, scope: str) -> bool:
    """Whether a value is computed of a variable by a few operations, all of them in a scope."""
    seen: set[str] = set()
    reached = {value}
    for _ in range(NEAR):
        names = {text.partition(":")[0] for text in reached if not text.startswith("^")} - seen
        seen |= names
        near = [rows[name] for name in names if name in rows and name.startswith(scope)]
        if any(graph.ops[row] in _READS and variable in graph.inputs[row] for row in near):
            return True
        reached = {text for row in near for text in graph.inputs[row]}
    return False


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
