"""Numbers of trained parameters in graphs of operations.

The graph contains the shape of a TensorFlow variable. Three rules detect the trained variables; a rule is used only if
those before it match no variable of the graph. 1: An operation of an optimizer changes the variable. 2: An operation
in another scope sets it to a value computed from itself, as optimizers of old Keras do, whose own variables are in
their scope. 3: It is a floating-point variable that belongs to no other variable, as moments of an optimizer do. The
third rule is not used for a trace of many graphs, in which variables and moments are created in some graphs and trained
in others, where they are arguments; there no variable is counted. Handles with one `shared_name` are one variable.

Parameters of PyTorch are counted in `find_torch_parameters`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.numbers import format_count
from tbtui.events.tensors import BFLOAT16, DOUBLE, FLOAT, HALF
from tbtui.plugins.graphs.formats.graph_def import count_elements, read_shape
from tbtui.plugins.graphs.formats.torch_parameters import GET_ATTRIBUTE, find_torch_parameters
from tbtui.plugins.graphs.parsed_graph import Parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.formats.graph_def import OpGraph


_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp"})

_OPTIMISERS = ("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply")
"""Prefixes of operations that change their first input in training."""

_SETS = frozenset({"Assign", "AssignVariableOp"})

_READS = frozenset({"ReadVariableOp", "Identity"})

MAX_UPDATE_STEPS = 6
"""Maximum number of operations from the new value of a variable back to its read: an update and a constraint."""

_FLOATS = frozenset({FLOAT, DOUBLE, HALF, BFLOAT16})


def find_parameters(graph: OpGraph) -> tuple[Parameter, ...]:
    """Return the parameters of a graph, each once."""
    return _find_variables(graph) + (find_torch_parameters(graph) if GET_ATTRIBUTE in graph.ops else ())


def describe_unknown_sizes(parameters: Sequence[Parameter]) -> tuple[str, ...]:
    """Return sentences about parameters whose size is not known exactly."""
    unknown = sum(1 for parameter in parameters if not parameter.elements)
    bounded = sum(1 for parameter in parameters if parameter.is_at_least) - unknown
    notes = []
    for count, handling in ((unknown, "not counted"), (bounded, "counted with the smallest size that fits")):
        if count:
            verb, shapes = ("is", "its shape") if count == 1 else ("are", "their shapes")
            notes.append(f"{format_count(count, 'parameter')} {verb} {handling}: the graph does not say {shapes}")
    return tuple(notes)


def _find_variables(graph: OpGraph) -> tuple[Parameter, ...]:
    rows = [row for row, op in enumerate(graph.ops) if op in _VARIABLES]
    if not rows:
        return ()
    nodes = zip(graph.ops, graph.inputs, strict=True)
    trained = {inputs[0] for op, inputs in nodes if inputs and op.startswith(_OPTIMISERS)}
    trained = trained or _find_updated_variables(graph, {graph.names[row] for row in rows})
    only_trained = bool(trained) or len(graph.messages) > 1
    variables: dict[object, list[int]] = {}
    for row in rows:
        variables.setdefault(_handle_identity(graph, row), []).append(row)
    parameters = []
    for handles in variables.values():
        if only_trained and not any(graph.names[row] in trained for row in handles):
            continue
        all_sizes = (_read_variable_size(graph, row, check_owner=not only_trained) for row in handles)
        sizes = [size for size in all_sizes if size is not None]
        if sizes:
            parameters.append(Parameter(tuple(handles), max(sizes), is_at_least=not max(sizes)))
    return tuple(parameters)


def _handle_identity(graph: OpGraph, row: int) -> object:
    """Return a key that is equal for two handles of one variable."""
    attributes = graph.node(row).attr
    shared_name = attributes["shared_name"].s if "shared_name" in attributes else b""
    if not shared_name:
        return row
    return attributes["container"].s if "container" in attributes else b"", shared_name


def _find_updated_variables(graph: OpGraph, variables: set[str]) -> set[str]:
    """Return variables that an operation in another scope sets to a value computed from themselves."""
    rows = {name: row for row, name in enumerate(graph.names)}
    updated = set()
    for name, op, inputs in zip(graph.names, graph.ops, graph.inputs, strict=True):
        if op in _SETS and len(inputs) > 1 and inputs[0] in variables:
            scope = name[: name.rfind("/") + 1]
            if (
                scope
                and not inputs[0].startswith(scope)
                and _is_computed_from(graph, rows, inputs[1], inputs[0], scope)
            ):
                updated.add(inputs[0])
    return updated


def _is_computed_from(graph: OpGraph, rows: dict[str, int], value: str, variable: str, scope: str) -> bool:
    """Return True if a value is computed from a variable by a few operations in a scope."""
    visited: set[str] = set()
    inputs = {value}
    for _ in range(MAX_UPDATE_STEPS):
        names = {text.partition(":")[0] for text in inputs if not text.startswith("^")} - visited
        visited |= names
        nodes = [rows[name] for name in names if name in rows and name.startswith(scope)]
        if any(graph.ops[row] in _READS and variable in graph.inputs[row] for row in nodes):
            return True
        inputs = {text for row in nodes for text in graph.inputs[row]}
    return False


def _read_variable_size(graph: OpGraph, row: int, *, check_owner: bool) -> int | None:
    """Return the size of a variable, 0 if it is unknown; None if it is not a float or belongs to another variable."""
    node = graph.node(row)
    attributes = node.attr
    if "dtype" not in attributes or attributes["dtype"].type % 100 not in _FLOATS:
        return None
    if check_owner and "_class" in attributes:
        owners = attributes["_class"].list.s
        if any(owner.startswith(b"loc:@") and owner[5:].decode("utf-8", "replace") != node.name for owner in owners):
            return None
    return count_elements(read_shape(attributes["shape"].shape)) if "shape" in attributes else 0
