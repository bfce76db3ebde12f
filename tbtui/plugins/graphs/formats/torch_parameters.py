"""Numbers of parameters in a trace of PyTorch.

A trace has a node for each read of a parameter, without its shape: a layer that is called three times has three nodes
for one weight. The path of such a node names the parameter, so that it counts once. Its size is computed from the
operation that reads it: a linear layer from 64 to 10 features has a weight of 640 numbers. If several shapes fit, such
as the kernels of a convolution with a stride, the smallest one counts, and the number is a lower bound. Source:
`torch/utils/tensorboard/_pytorch_graph.py` (nodes), schemas of ATen operators (inputs).
"""

from __future__ import annotations

import math
import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tbtui.events.tensors import MAX_DIMENSIONS
from tbtui.plugins.graphs.formats.graph_def import MAX_PARAMETERS, count_elements
from tbtui.plugins.graphs.parsed_graph import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tbtui.plugins.graphs.formats.graph_def import OpGraph, Shape


GET_ATTRIBUTE = "prim::GetAttr"
"""Type of nodes that are parameters or buffers of a module."""

MAX_LIST_ITEMS = 1 << 12
"""Maximum items of a list of parameters: those of a recurrent layer."""

_BUFFERS = frozenset({"running_mean", "running_var", "num_batches_tracked", "_u", "_v"})
"""Buffers of normalisations; `_u` and `_v` belong to spectral normalisation."""

_NAME = re.compile(r"\bname\s*:\s*(\w+)")
_VALUE = re.compile(r"\bvalue\s*:\s*(-?\d+)")
_TEXT = re.compile(r"\bvalue\s*:\s*\"?([a-z]+)")


class _Size(NamedTuple):
    """Number of elements of a parameter."""

    elements: int
    is_at_least: bool = False
    """True for a lower bound."""


_UNKNOWN = _Size(0, is_at_least=True)


def find_torch_parameters(graph: OpGraph) -> tuple[Parameter, ...]:
    """Return the parameters of a trace, each once; an unknown one has 0 elements, as a lower bound."""
    trace = _Trace(graph)
    sizes: dict[int, _Size] = {}
    for row, op in enumerate(graph.ops):
        for parameter, size in trace.iter_sizes(row, op):
            before = sizes.get(parameter, _UNKNOWN)
            if before.is_at_least and 0 < size.elements <= MAX_PARAMETERS and (not size.is_at_least or size > before):
                sizes[parameter] = size
    return tuple(
        Parameter(tuple(nodes), *sizes.get(number, _UNKNOWN)) for number, nodes in enumerate(trace.parameter_nodes)
    )


class _Trace:
    """A trace, with the parameters that its nodes read."""

    def __init__(self, graph: OpGraph) -> None:
        self._graph = graph
        self._rows = {name: row for row, name in reversed(list(enumerate(graph.names)))}
        self.parameter_nodes: list[list[int]] = []
        """Nodes that read each parameter from its module."""

        self._parameter_of: dict[int, int] = {}
        """Parameter of each node in `parameter_nodes`."""

        self._chunks: dict[int, list[int]] = {}
        """Nodes of the chunks of each split tensor."""

        numbers: dict[object, int] = {}
        for row, op in enumerate(graph.ops):
            if op == "prim::ListUnpack":
                self._chunks.setdefault(self.source(row, 0), []).append(row)
            elif op == GET_ATTRIBUTE and not self._is_buffer(row, name := self._read_attribute(row, _NAME)):
                number = numbers.setdefault(self._identity(row, name), len(numbers))
                if number == len(self.parameter_nodes):
                    self.parameter_nodes.append([])
                self.parameter_nodes[number].append(row)
                self._parameter_of[row] = number

    def _is_buffer(self, row: int, name: str | None) -> bool:
        """Return True for a tensor that is not trained, such as `weight_u` next to `weight_orig` (spectral_norm)."""
        if name is None or not name.endswith(("_u", "_v")):
            return name in _BUFFERS
        module = self._graph.names[row].rpartition("/")[0].rpartition("/")[0]
        return name in _BUFFERS or f"{module}/{name[:-2]}_orig" in self._paths

    @cached_property
    def _paths(self) -> frozenset[str]:
        """Names of the nodes that read attributes, without their last parts."""
        names = zip(self._graph.names, self._graph.ops, strict=True)
        return frozenset(name.rpartition("/")[0] for name, op in names if op == GET_ATTRIBUTE)

    def _identity(self, row: int, name: str | None) -> object:
        """Return the path of a parameter: the name of a node without its last part, if that ends in the attribute.

        Old versions of PyTorch write no paths; there a parameter is an attribute of a module, named in the same scope.
        """
        path = self._graph.names[row].rpartition("/")[0]
        if name is not None and path.rpartition("/")[2] == name:
            return path
        modules = tuple(self._graph.inputs[row])
        return (path, modules, name) if modules and name is not None else row

    def iter_sizes(self, row: int, op: str) -> Iterator[tuple[int, _Size]]:
        """Yield the parameters whose sizes can be computed from an operation."""
        if row in self._parameter_of:
            shapes = self._graph.shapes(row)
            yield self._parameter_of[row], _require_exact_size(count_elements(shapes[0]) if len(shapes) == 1 else 0)
        elif op in _SAME_SIZE:
            if (parameter := self._parameter_of.get(self.source(row, 0), -1)) >= 0:
                yield parameter, _require_exact_size(_count_elements(self.output(row)))
        elif op in _SPLITS:
            yield from self._split_size(row)
        elif op in _RECURRENT_GATES:
            yield from self._iter_recurrent_sizes(row, _RECURRENT_GATES[op])
        elif op in _SIZES:
            call = _Call(self, row)
            for index, size in _SIZES[op].items():
                if (parameter := self._find_parameter(row, index)) >= 0:
                    try:
                        yield parameter, size(call)
                    except _UnknownShapeError:
                        continue

    def source(self, row: int, index: int) -> int:
        """Return the row of an input; -1 if there is none."""
        inputs = self._graph.inputs[row]
        return self._rows.get(inputs[index], -1) if index < len(inputs) else -1

    def output(self, row: int) -> Shape | None:
        """Return the shape of the first output of a row; None if it is unknown."""
        shape = next(iter(self._graph.shapes(row)), None) if row >= 0 else None
        return None if shape is None or min(shape, default=0) < 0 else shape

    def numbers(self, row: int, index: int) -> list[int] | None:
        """Return the constant or the list of constants of an input; None if it is not constant."""
        values = [
            self._read_attribute(source, _VALUE) for source in self._list_items(self.source(row, index), MAX_DIMENSIONS)
        ]
        return [int(value) for value in values if value is not None] if values and None not in values else None

    def text(self, row: int, index: int) -> str | None:
        """Return the constant text of an input; None if it is not constant."""
        return self._read_attribute(self.source(row, index), _TEXT)

    def _list_items(self, source: int, max_items: int) -> list[int]:
        """Return the rows of the items of a list, none if there are too many; the row itself if it is not a list."""
        if source < 0 or self._graph.ops[source] != "prim::ListConstruct":
            return [source]
        inputs = self._graph.inputs[source]
        return [self._rows.get(text, -1) for text in inputs] if len(inputs) <= max_items else []

    def _find_parameter(self, row: int, index: int) -> int:
        """Return the parameter that is an input, directly or through a transposition; -1 if there is none."""
        source = self.source(row, index)
        if source >= 0 and self._graph.ops[source] in _SAME_SIZE:
            source = self.source(source, 0)
        return self._parameter_of.get(source, -1)

    def _split_size(self, split: int) -> Iterator[tuple[int, _Size]]:
        """Yield the sum of the chunks of a parameter; a lower bound if the trace lacks a chunk."""
        parameter = self._find_parameter(split, 0)
        if parameter >= 0 and (chunks := self._chunks.get(split)):
            count = (self.numbers(split, 1) or [0])[0] if self._graph.ops[split] == "aten::chunk" else 0
            if self._graph.ops[split] == "aten::split_with_sizes":
                count = len(self._list_items(self.source(split, 1), MAX_LIST_ITEMS))
            yield parameter, _Size(sum(_count_elements(self.output(chunk)) for chunk in chunks), count != len(chunks))

    def _iter_recurrent_sizes(self, row: int, gates: int) -> Iterator[tuple[int, _Size]]:
        """Yield the weights and biases of a recurrent layer, which reads them as a list.

        Inputs are the data (of packed data also their lengths), the state, the parameters, and the flags `has_biases`,
        `num_layers`, `dropout`, `train` and `bidirectional`. An LSTM has two states: output and cell.
        """
        for index in range(2, min(len(self._graph.inputs[row]), 4)):
            parameters = self._list_items(self.source(row, index), MAX_LIST_ITEMS)
            if parameters and all(source in self._parameter_of for source in parameters):
                break
        else:
            return
        states = [self.output(state) for state in self._list_items(self.source(row, index - 1), MAX_DIMENSIONS)]
        data, flags = self.output(self.source(row, 0)), [self.numbers(row, index + offset) for offset in (1, 5)]
        if not data or not states or not states[0] or not states[-1] or None in flags:
            return
        projected, hidden = states[0][-1], states[-1][-1]
        has_biases, is_bidirectional = (bool(flag and flag[0]) for flag in flags)
        directions, count = 1 + is_bidirectional, 2 + 2 * has_biases + (projected != hidden)
        for position, source in enumerate(parameters):
            layer, part = position // (count * directions), position % count
            features = directions * projected if layer else data[-1]
            weights = (gates * hidden * features, gates * hidden * projected)
            if part < len(weights):
                size = weights[part]
            else:
                size = gates * hidden if has_biases and part < len(weights) + 2 else projected * hidden
            yield self._parameter_of[source], _require_exact_size(size)

    def _read_attribute(self, row: int, pattern: re.Pattern[str]) -> str | None:
        """Return a part of the attribute `attr` of a node, a text such as `{ name :  bias }`."""
        attributes = self._graph.node(row).attr if row >= 0 else {}
        if "attr" not in attributes:
            return None
        match = pattern.search(attributes["attr"].s[:1000].decode("utf-8", "replace"))
        return None if match is None else match[1]


def _require_exact_size(count: int) -> _Size:
    return _Size(count) if count else _UNKNOWN


def _count_elements(shape: Shape | None) -> int:
    return math.prod(shape) if shape is not None else 0


class _UnknownShapeError(Exception):
    """A shape or a constant that a rule needs is unknown."""


class _Call:
    """One operation that reads parameters."""

    def __init__(self, trace: _Trace, row: int) -> None:
        self._trace, self._row = trace, row

    def input(self, index: int = 0) -> Shape:
        """Return the shape of an input."""
        return self._require_known(self._trace.output(self._trace.source(self._row, index)))

    @property
    def output(self) -> Shape:
        """Shape of the output."""
        return self._require_known(self._trace.output(self._row))

    def numbers(self, index: int, count: int | None = None) -> list[int]:
        """Return the constants of an input; one constant stands for all of `count` axes."""
        values = self._trace.numbers(self._row, index)
        if values is not None and count is not None and len(values) == 1:
            values = values * count
        if not values or (count is not None and len(values) != count):
            raise _UnknownShapeError
        return values

    def text(self, index: int) -> str | None:
        """Return the constant text of an input."""
        return self._trace.text(self._row, index)

    def _require_known(self, shape: Shape | None) -> Shape:
        if not shape:
            raise _UnknownShapeError
        return shape


def _count_linear(call: _Call) -> _Size:
    return _Size(call.input()[-1] * call.output[-1])


def _count_addmm(call: _Call) -> _Size:
    return _Size(call.input(1)[-1] * call.output[-1])


def _count_right_factor(call: _Call) -> _Size:
    """Return the size of B in A·B: a lower bound if B may be one matrix or one per batch."""
    left, output = call.input(), call.output
    if len(output) < len(left):
        return _Size(left[-1])
    return _Size(left[-1] * output[-1], is_at_least=len(left) > 2 or len(output) > 2)


def _count_left_factor(call: _Call) -> _Size:
    """Return the size of A in A·B."""
    right, output = call.input(1), call.output
    if len(right) < 2 or len(output) < 2:
        raise _UnknownShapeError
    return _Size(right[-2] * output[-2], is_at_least=len(right) > 2)


def _count_right_batch_factor(call: _Call) -> _Size:
    return _Size(call.output[0] * call.input()[-1] * call.output[-1])


def _count_bilinear(call: _Call) -> _Size:
    return _Size(call.input()[-1] * call.input(1)[-1] * call.output[-1])


def _read_out_features(call: _Call) -> _Size:
    return _Size(call.output[-1])


def _read_out_channels(call: _Call) -> _Size:
    return _Size(call.output[1] if len(call.output) > 1 else 0)


def _read_in_channels(call: _Call) -> _Size:
    return _Size(call.input()[1] if len(call.input()) > 1 else 0)


def _count_slopes(call: _Call) -> _Size:
    """Return the slopes of a PReLU: one, or one per channel."""
    return _Size(1, is_at_least=_read_in_channels(call).elements > 1)


def _count_normalized(call: _Call) -> _Size:
    return _Size(math.prod(call.numbers(1)))


def _count_output_elements(call: _Call) -> _Size:
    return _Size(math.prod(call.output))


def _count_norms(call: _Call) -> _Size:
    """Return the norms of a normalized weight: one per index of the axis that is the third input."""
    axis = call.numbers(2)[0]
    shape = call.output
    return _Size(shape[axis] if -len(shape) <= axis < len(shape) else 0)


def _create_gate_weight_rule(gates: int, *, of_state: bool) -> Callable[[_Call], _Size]:
    """Return the rule of a weight of a recurrent cell."""

    def size(call: _Call) -> _Size:
        hidden = call.output[-1]
        return _Size(gates * hidden * (hidden if of_state else call.input()[-1]))

    return size


def _create_gate_bias_rule(gates: int) -> Callable[[_Call], _Size]:
    """Return the rule of the biases of a recurrent cell."""
    return lambda call: _Size(gates * call.output[-1])


def _infer_kernel_lengths(
    inputs: Sequence[int],
    outputs: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
) -> Iterator[tuple[int, bool]]:
    """Yield the smallest kernel length of each axis, and True if longer ones fit too.

    For a kernel of length k, `output = (input + 2 * padding - dilation * (k - 1) - 1) // stride + 1`.
    """
    for length, output, stride, pad, dilation in zip(inputs, outputs, strides, padding, dilations, strict=True):
        if min(stride, dilation) < 1:
            raise _UnknownShapeError
        padded = length + 2 * pad - 1
        longest = (padded - stride * (output - 1)) // dilation + 1
        shortest = max((padded - stride * output) // dilation + 2, 1)
        if longest < shortest:
            raise _UnknownShapeError
        yield shortest, longest > shortest


def _count_convolution_weight(call: _Call, axes: int, groups: int, lengths: Sequence[tuple[int, bool]]) -> _Size:
    """Return the weight of a convolution: output channels, input channels per group, kernel lengths."""
    if groups < 1 or len(call.output) != axes + 2:
        raise _UnknownShapeError
    channels = call.output[1] * call.input()[1] // groups
    return _Size(channels * math.prod(length for length, _ in lengths), any(is_at_least for _, is_at_least in lengths))


def _create_convolution_rule(strides: int, padding: int, dilation: int, groups: int) -> Callable[[_Call], _Size]:
    """Return the rule of the weight of a convolution, for the indices of its inputs."""

    def size(call: _Call) -> _Size:
        axes = len(call.input()) - 2
        options = [call.numbers(index, axes) for index in (strides, padding, dilation)]
        if axes < 1 or len(call.output) != axes + 2:
            raise _UnknownShapeError
        lengths = list(_infer_kernel_lengths(call.input()[2:], call.output[2:], *options))
        return _count_convolution_weight(call, axes, call.numbers(groups)[0], lengths)

    return size


def _create_transposed_rule(
    strides: int, padding: int, dilation: int, output_padding: int, groups: int
) -> Callable[[_Call], _Size]:
    """Return the rule of the weight of a transposed convolution, for the indices of its inputs.

    `output = (input - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding + 1`, so that the length k is
    exact.
    """

    def size(call: _Call) -> _Size:
        axes = len(call.input()) - 2
        options = [call.numbers(index, axes) for index in (strides, padding, dilation, output_padding)]
        if axes < 1 or len(call.output) != axes + 2:
            raise _UnknownShapeError
        lengths = []
        axis_options = zip(call.input()[2:], call.output[2:], *options, strict=True)
        for length, output, stride, pad, spacing, extra in axis_options:
            if spacing < 1:
                raise _UnknownShapeError
            lengths.append(((output - (length - 1) * stride + 2 * pad - extra - 1) // spacing + 1, False))
        if min(length for length, _ in lengths) < 1:
            raise _UnknownShapeError
        return _count_convolution_weight(call, axes, call.numbers(groups)[0], lengths)

    return size


def _count_any_convolution(call: _Call) -> _Size:
    rule = _create_transposed_rule(3, 4, 5, 7, 8) if call.numbers(6)[0] else _create_convolution_rule(3, 4, 5, 8)
    return rule(call)


def _count_padded_convolution(call: _Call) -> _Size:
    """Return the weight of a convolution with a named padding: "same" fits any kernel, "valid" adds no cells."""
    axes = len(call.input()) - 2
    strides, dilation = call.numbers(3, axes), call.numbers(5, axes)
    if axes < 1 or len(call.output) != axes + 2:
        raise _UnknownShapeError
    if call.text(4) == "valid":
        lengths = list(_infer_kernel_lengths(call.input()[2:], call.output[2:], strides, [0] * axes, dilation))
    else:
        lengths = [(1, True)] * axes
    return _count_convolution_weight(call, axes, call.numbers(6)[0], lengths)


_RECURRENT_GATES = {"aten::lstm": 4, "aten::gru": 3, "aten::rnn_tanh": 1, "aten::rnn_relu": 1}
"""Gates of layers that read their parameters as a list."""

_CELL_GATES = {"aten::lstm_cell": 4, "aten::gru_cell": 3, "aten::rnn_tanh_cell": 1, "aten::rnn_relu_cell": 1}

_SAME_SIZE = frozenset({
    "aten::t", "aten::transpose", "aten::numpy_T", "aten::permute", "aten::view", "aten::reshape", "aten::flatten",
    "aten::unsqueeze", "aten::squeeze", "aten::contiguous", "aten::clone", "aten::detach", "aten::to", "aten::type_as",
    "aten::alias",
})  # fmt: skip
"""Operations whose output has as many elements as their first input."""

_SPLITS = frozenset({"aten::split_with_sizes", "aten::chunk", "aten::split", "aten::unbind"})

_AFFINE: dict[int, Callable[[_Call], _Size]] = {1: _read_in_channels, 2: _read_in_channels}

_SIZES: Mapping[str, Mapping[int, Callable[[_Call], _Size]]] = {
    "aten::linear": {1: _count_linear, 2: _read_out_features},
    "aten::addmm": {0: _read_out_features, 2: _count_addmm},
    "aten::matmul": {0: _count_left_factor, 1: _count_right_factor},
    "aten::mm": {0: _count_left_factor, 1: _count_right_factor},
    "aten::bmm": {1: _count_right_batch_factor},
    "aten::bilinear": {2: _count_bilinear, 3: _read_out_features},
    "aten::_convolution": {1: _count_any_convolution, 2: _read_out_channels},
    "aten::_convolution_mode": {1: _count_padded_convolution, 2: _read_out_channels},
    **{f"aten::conv{n}d": {1: _create_convolution_rule(3, 4, 5, 6), 2: _read_out_channels} for n in (1, 2, 3)},
    **{
        f"aten::conv_transpose{n}d": {1: _create_transposed_rule(3, 4, 7, 5, 6), 2: _read_out_channels}
        for n in (1, 2, 3)
    },
    "aten::batch_norm": _AFFINE,
    "aten::instance_norm": _AFFINE,
    "aten::group_norm": {2: _read_in_channels, 3: _read_in_channels},
    "aten::layer_norm": {2: _count_normalized, 3: _count_normalized},
    "aten::rms_norm": {2: _count_normalized},
    "aten::prelu": {1: _count_slopes},
    "aten::_weight_norm": {0: _count_output_elements, 1: _count_norms},
    **{
        op: {
            2: _create_gate_weight_rule(gates, of_state=False),
            3: _create_gate_weight_rule(gates, of_state=True),
            4: _create_gate_bias_rule(gates),
            5: _create_gate_bias_rule(gates),
        }
        for op, gates in _CELL_GATES.items()
    },
}
"""Inputs that may be parameters, by operation, and the rules of their sizes."""
