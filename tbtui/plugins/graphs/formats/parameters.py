"""Count the trained parameters in graphs of operations.

A TensorFlow variable states its shape. Trained are the variables that an operation of an optimizer changes. Without
such operations, trained are variables that are set from outside their scope to a value computed from themselves, as
optimizers of old Keras do (their own variables are in their scope). Without those either, all floating-point
variables that belong to no other variable (as moments of an optimizer do). A trace of many graphs is an exception:
variables and moments are created in some graphs and trained in others, where they are arguments. The graph does not
show which are trained, so none is counted.

PyTorch writes parameters without shapes. The operation that reads them reveals the shape: a linear layer from 64 to
10 features has a weight of 640 numbers. Only certain results count; a convolution with a stride fits kernels of
several sizes. Source: `torch/utils/tensorboard/_pytorch_graph.py` (nodes), schemas of ATen operators (inputs).
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from tbtui.events.tensors import BFLOAT16, DOUBLE, FLOAT, HALF, MAX_DIMENSIONS
from tbtui.plugins.graphs.formats.graph_def import MAX_PARAMETERS, element_count, shape_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tbtui.plugins.graphs.formats.graph_def import OpGraph, Shape


GET_ATTRIBUTE = "prim::GetAttr"
"""Type of nodes that are parameters or buffers of a module."""

_BUFFERS = frozenset({"running_mean", "running_var", "num_batches_tracked"})
_NAME = re.compile(r"\bname\s*:\s*(\w+)")
_VALUE = re.compile(r"\bvalue\s*:\s*(-?\d+)")


class _Call(NamedTuple):
    """One operation that reads parameters."""

    input_shape: Shape
    """Input shape."""

    output_shape: Shape
    """Output shape."""

    numbers: Callable[[int], list[int] | None]
    """Returns the numbers of an input by its index, if they are constants."""


def torch_parameters(graph: OpGraph) -> dict[int, int]:
    """Return the number of elements for each node that is a parameter; 0 if it is unknown."""
    rows = {name: row for row, name in reversed(list(enumerate(graph.names)))}
    found = {
        row: _written_size(graph, row)
        for row, op in enumerate(graph.ops)
        if op == GET_ATTRIBUTE and _attribute(graph, row, _NAME) not in _BUFFERS
    }
    for row, op in enumerate(graph.ops):
        sizes = _SIZES.get(op)
        if sizes is None:
            continue
        call = _call(graph, rows, row, _SHAPED_BY.get(op, 0))
        if call is None:
            continue
        for place, size in sizes.items():
            holder = _holder(graph, rows, row, place)
            if holder in found and not found[holder]:
                found[holder] = _plausible(size(call))
    return found


def _plausible(count: int) -> int:
    return count if 0 < count <= MAX_PARAMETERS else 0


def _written_size(graph: OpGraph, row: int) -> int:
    """Return the elements of a parameter whose shape was written."""
    shapes = graph.shapes(row)
    return element_count(shapes[0]) if len(shapes) == 1 and shapes[0] else 0


def _call(graph: OpGraph, rows: Mapping[str, int], row: int, place: int) -> _Call | None:
    """Return the operation in a row, if the shapes of its input at `place` and of its output are known."""
    input_shape, output_shape = _shape(graph, rows, row, place), next(iter(graph.shapes(row)), None)
    if not input_shape or not output_shape or min(input_shape) < 0 or min(output_shape) < 0:
        return None

    def numbers(place: int) -> list[int] | None:
        return _numbers(graph, rows, row, place)

    return _Call(input_shape, output_shape, numbers)


def _source(graph: OpGraph, rows: Mapping[str, int], row: int, place: int) -> int | None:
    """Return the row that an input comes from."""
    inputs = graph.inputs[row]
    return rows.get(inputs[place]) if place < len(inputs) else None


def _shape(graph: OpGraph, rows: Mapping[str, int], row: int, place: int) -> Shape | None:
    source = _source(graph, rows, row, place)
    return None if source is None else next(iter(graph.shapes(source)), None)


def _holder(graph: OpGraph, rows: Mapping[str, int], row: int, place: int) -> int | None:
    """Return the row of the parameter that an input comes from, directly or through a transposition."""
    source = _source(graph, rows, row, place)
    if source is not None and graph.ops[source] in {"aten::t", "aten::transpose", "aten::numpy_T"}:
        return _source(graph, rows, source, 0)
    return source


def _numbers(graph: OpGraph, rows: Mapping[str, int], row: int, place: int) -> list[int] | None:
    """Return the constant, or the list of constants, that an input comes from."""
    source = _source(graph, rows, row, place)
    if source is None:
        return None
    many = range(len(graph.inputs[source])) if graph.ops[source] == "prim::ListConstruct" else None
    if many is not None and len(many) > MAX_DIMENSIONS:
        return None
    sources = [source] if many is None else [_source(graph, rows, source, each) for each in many]
    values = [None if each is None else _attribute(graph, each, _VALUE) for each in sources]
    return [int(value) for value in values if value is not None] if None not in values else None


def _attribute(graph: OpGraph, row: int, pattern: re.Pattern[str]) -> str | None:
    """Return a part of the attribute `attr` of a node, a text such as `{ name :  bias }`."""
    attributes = graph.node(row).attr
    if "attr" not in attributes:
        return None
    match = pattern.search(attributes["attr"].s[:1000].decode("utf-8", "replace"))
    return None if match is None else match[1]


def _linear(call: _Call) -> int:
    return call.input_shape[-1] * call.output_shape[-1]


def _made_features(call: _Call) -> int:
    return call.output_shape[-1]


def _made_channels(call: _Call) -> int:
    return call.output_shape[1] if len(call.output_shape) > 1 else 0


def _taken_channels(call: _Call) -> int:
    return call.input_shape[1] if len(call.input_shape) > 1 else 0


def _normalized(call: _Call) -> int:
    sizes = call.numbers(1)
    return math.prod(sizes) if sizes else 0


def _kernel(call: _Call) -> int:
    """Return the weight of `aten::_convolution`: output channels, input channels per group, kernel lengths."""
    strides, padding, dilation, transposed, groups = (call.numbers(place) for place in (3, 4, 5, 6, 8))
    lengths = len(call.input_shape) - 2
    if transposed != [0] or not groups or groups[0] < 1 or lengths < 1 or len(call.output_shape) != lengths + 2:
        return 0
    if not strides or not padding or not dilation or {len(strides), len(padding), len(dilation)} != {lengths}:
        return 0
    if any(stride != 1 for stride in strides) or min(dilation) < 1:
        return 0
    sizes = [
        (before + 2 * pad - after) // spread + 1
        for before, after, pad, spread in zip(
            call.input_shape[2:], call.output_shape[2:], padding, dilation, strict=True
        )
    ]
    if min(sizes) < 1:
        return 0
    return call.output_shape[1] * (call.input_shape[1] // groups[0]) * math.prod(sizes)


_AFFINE: dict[int, Callable[[_Call], int]] = {1: _taken_channels, 2: _taken_channels}

_SIZES: dict[str, dict[int, Callable[[_Call], int]]] = {
    "aten::linear": {1: _linear, 2: _made_features},
    "aten::addmm": {0: _made_features, 2: _linear},
    "aten::matmul": {1: _linear},
    "aten::mm": {1: _linear},
    "aten::_convolution": {1: _kernel, 2: _made_channels},
    "aten::batch_norm": _AFFINE,
    "aten::instance_norm": _AFFINE,
    "aten::group_norm": {2: _taken_channels, 3: _taken_channels},
    "aten::layer_norm": {2: _normalized, 3: _normalized},
}
"""Inputs that may be parameters, by operation, and the functions that compute their sizes."""

_SHAPED_BY = {"aten::addmm": 1}
"""Index of the data input, if it is not the first."""


_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp"})

_OPTIMISERS = ("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply")
"""Prefixes of operations that change their first input in training."""

_SETS = frozenset({"Assign", "AssignVariableOp"})

_READS = frozenset({"ReadVariableOp", "Identity"})

MAX_UPDATE_STEPS = 6
"""Maximum operations from the new value of a variable back to its read: an update and a constraint on it."""

_FLOATS = frozenset({FLOAT, DOUBLE, HALF, BFLOAT16})


def parameters_of(graph: OpGraph) -> dict[int, int]:
    """Return the number of parameters for each node that holds some."""
    found = _variables(graph)
    if GET_ATTRIBUTE in graph.ops:
        found.update({node: count for node, count in torch_parameters(graph).items() if count})
    return found


def unknown_parameter_notes(graph: OpGraph) -> tuple[str, ...]:
    """Return a sentence if the size of some parameters is unknown."""
    if GET_ATTRIBUTE not in graph.ops:
        return ()
    unknown = sum(1 for count in torch_parameters(graph).values() if not count)
    if not unknown:
        return ()
    what = "parameter is not counted" if unknown == 1 else "parameters are not counted"
    return (f"{unknown:,} {what}: the graph does not tell {'its shape' if unknown == 1 else 'their shapes'}",)


def _variables(graph: OpGraph) -> dict[int, int]:
    rows = [row for row, op in enumerate(graph.ops) if op in _VARIABLES]
    if not rows:
        return {}
    trained = {some[0] for op, some in zip(graph.ops, graph.inputs, strict=True) if some and op.startswith(_OPTIMISERS)}
    trained = trained or _updated(graph, {graph.names[row] for row in rows})
    is_told = bool(trained) or len(graph.messages) > 1
    variable_rows = [row for row in rows if graph.names[row] in trained] if is_told else rows
    return {row: count for row in variable_rows if (count := _variable_size(graph, row, check_owner=not is_told))}


def _updated(graph: OpGraph, variables: set[str]) -> set[str]:
    """Return variables that an operation in another scope sets to a value computed from themselves."""
    rows = {name: row for row, name in enumerate(graph.names)}
    found = set()
    for name, op, inputs in zip(graph.names, graph.ops, graph.inputs, strict=True):
        if op in _SETS and len(inputs) > 1 and inputs[0] in variables:
            scope = name[: name.rfind("/") + 1]
            if scope and not inputs[0].startswith(scope) and _computed_of(graph, rows, inputs[1], inputs[0], scope):
                found.add(inputs[0])
    return found


def _computed_of(graph: OpGraph, rows: dict[str, int], value: str, variable: str, scope: str) -> bool:
    """Return True if a value is computed from a variable by a few operations in a scope."""
    seen: set[str] = set()
    reached = {value}
    for _ in range(MAX_UPDATE_STEPS):
        names = {text.partition(":")[0] for text in reached if not text.startswith("^")} - seen
        seen |= names
        near = [rows[name] for name in names if name in rows and name.startswith(scope)]
        if any(graph.ops[row] in _READS and variable in graph.inputs[row] for row in near):
            return True
        reached = {text for row in near for text in graph.inputs[row]}
    return False


def _variable_size(graph: OpGraph, row: int, *, check_owner: bool) -> int:
    """Return the size of a variable; 0 if it is not a float, belongs to another variable, or has no known shape."""
    node = graph.node(row)
    attributes = node.attr
    if "shape" not in attributes or "dtype" not in attributes or attributes["dtype"].type % 100 not in _FLOATS:
        return 0
    if check_owner and "_class" in attributes:
        owners = attributes["_class"].list.s
        if any(owner.startswith(b"loc:@") and owner[5:].decode("utf-8", "replace") != node.name for owner in owners):
            return 0
    return element_count(shape_of(attributes["shape"].shape))
