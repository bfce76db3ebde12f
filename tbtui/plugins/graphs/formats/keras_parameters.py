"""Count the trained parameters of Keras layers by the formulas of their classes.

Frozen layers count as trained. Statistics that a normalisation collects are not parameters. Source: Keras `build` of
each layer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tbtui.plugins.graphs.formats.graph_def import MAX_PARAMETERS
from tbtui.plugins.graphs.formats.keras_shapes import (
    CONFIG_ERRORS,
    MERGING,
    SHAPE_PRESERVING,
    is_channels_last,
    parse_axis_lengths,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.plugins.graphs.formats.graph_def import Shape
    from tbtui.plugins.graphs.formats.keras import Layer


_WITHOUT_PARAMETERS = MERGING | {
    "InputLayer", "Concatenate", "Dot", "Flatten", "Reshape", "Permute", "RepeatVector", "Lambda", "Discretization",
    "TFOpLambda", "SlicingOpLambda", "TensorFlowOpLayer", "GetItem", "Operation", "Resizing", "CenterCrop",
    "CategoryEncoding", "Hashing", "StringLookup", "IntegerLookup", "TextVectorization",
}  # fmt: skip


_SUFFIXES_WITHOUT_PARAMETERS = ("Pooling1D", "Pooling2D", "Pooling3D")


_PREFIXES_WITHOUT_PARAMETERS = ("UpSampling", "ZeroPadding", "Cropping", "Random")


_OPERATIONS = ("keras.src.ops", "keras.ops")
"""Modules of functions, which are not layers."""


def count_parameters(layer: Layer, input_shapes: Sequence[Shape | None]) -> int | None:
    """Return the number of trained parameters of a layer; None if it is unknown.

    Args:
        layer: The layer.
        input_shapes: Shapes of its inputs.
    """
    if layer.module.startswith(_OPERATIONS):
        return 0
    return _count(layer.class_name, layer.config, input_shapes)


def _count(class_name: str, config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int | None:
    rule = _RULES.get(class_name)
    if rule is None:
        return 0 if _has_no_parameters(class_name) else None
    try:
        count = rule(config, input_shapes)
    except CONFIG_ERRORS:
        return None
    return count if 0 <= count <= MAX_PARAMETERS else None


def _has_no_parameters(class_name: str) -> bool:
    return (
        class_name in _WITHOUT_PARAMETERS
        or class_name in SHAPE_PRESERVING
        or class_name.endswith(_SUFFIXES_WITHOUT_PARAMETERS)
        or class_name.startswith(_PREFIXES_WITHOUT_PARAMETERS)
    )


def _read_axis_length(input_shapes: Sequence[Shape | None], axis: int) -> int:
    """Return the length of an axis of the first input."""
    shape = input_shapes[0]
    if shape is None or shape[axis] < 0:
        raise ValueError(input_shapes)
    return shape[axis]


def _count_channels(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    return _read_axis_length(input_shapes, -1 if is_channels_last(config) else 1)


def _count_bias(config: dict[str, Any], count: int) -> int:
    return count if config.get("use_bias", True) else 0


def _count_kernel_cells(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    """Return the number of cells of a convolution window."""
    shape = input_shapes[0]
    if shape is None:
        raise ValueError(input_shapes)
    return math.prod(parse_axis_lengths(config["kernel_size"], len(shape) - 2))


def _count_dense(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    units = int(config["units"])
    return _read_axis_length(input_shapes, -1) * units + _count_bias(config, units)


def _count_embedding(config: dict[str, Any], _: Sequence[Shape | None]) -> int:
    return int(config["input_dim"]) * int(config["output_dim"])


def _count_convolution(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    filters, groups = int(config["filters"]), int(config.get("groups", 1))
    return _count_kernel_cells(config, input_shapes) * (
        _count_channels(config, input_shapes) // groups
    ) * filters + _count_bias(config, filters)


def _count_depthwise(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    out_channels = _count_channels(config, input_shapes) * int(config.get("depth_multiplier", 1))
    return _count_kernel_cells(config, input_shapes) * out_channels + _count_bias(config, out_channels)


def _count_separable(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    filters, out_channels = (
        int(config["filters"]),
        _count_channels(config, input_shapes) * int(config.get("depth_multiplier", 1)),
    )
    return (
        _count_kernel_cells(config, input_shapes) * out_channels + out_channels * filters + _count_bias(config, filters)
    )


def _count_normalization(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    axes = config.get("axis", -1)
    axis_numbers = {int(axis) for axis in (axes if isinstance(axes, list) else [axes])}
    sizes = [_read_axis_length(input_shapes, axis) for axis in axis_numbers]
    return math.prod(sizes) * (bool(config.get("scale", True)) + bool(config.get("center", True)))


def _scale(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    return _count_normalization(config | {"center": False, "scale": True}, input_shapes)


def _count_prelu(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    shape, shared = input_shapes[0], {int(axis) for axis in config.get("shared_axes") or ()}
    if shape is None:
        raise ValueError(input_shapes)
    return math.prod(_read_axis_length(input_shapes, axis) for axis in range(1, len(shape)) if axis not in shared)


def _create_recurrent_rule(gates: int, biases: Callable[[dict[str, Any]], int]) -> Callable[..., int]:
    """Return the rule of a layer with `gates` gates, each with an input kernel, a state kernel and biases."""

    def count(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
        units = int(config["units"])
        return gates * units * (_read_axis_length(input_shapes, -1) + units + _count_bias(config, biases(config)))

    return count


def _count_one_bias(_: dict[str, Any]) -> int:
    return 1


def _count_gru_biases(config: dict[str, Any]) -> int:
    return 2 if config.get("reset_after") else 1


def _count_attention(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    heads, keys = int(config["num_heads"]), int(config["key_dim"])
    values = int(config.get("value_dim") or keys)
    if config.get("output_shape") is not None:
        raise ValueError(config)
    widths = [_read_axis_length([shape], -1) for shape in input_shapes]
    query, value = widths[0], widths[min(1, len(widths) - 1)]
    key = widths[2] if len(widths) > 2 else value
    kernels = heads * (query * keys + key * keys + value * values + values * query)
    return kernels + _count_bias(config, heads * (2 * keys + values) + query)


def _count_wrapped(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    inner = config["layer"]
    count = _count(str(inner["class_name"]), dict(inner["config"]), input_shapes)
    if count is None:
        raise ValueError(config)
    return count


def _count_bidirectional(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    return 2 * _count_wrapped(config, input_shapes)


def _time_distributed(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> int:
    return _count_wrapped(config, [None if shape is None else (shape[0], *shape[2:]) for shape in input_shapes])


_RULES: dict[str, Callable[[dict[str, Any], Sequence[Shape | None]], int]] = {
    "Dense": _count_dense,
    "Embedding": _count_embedding,
    "BatchNormalization": _count_normalization,
    "LayerNormalization": _count_normalization,
    "GroupNormalization": _count_normalization,
    "RMSNormalization": _scale,
    "PReLU": _count_prelu,
    "LSTM": _create_recurrent_rule(4, _count_one_bias),
    "GRU": _create_recurrent_rule(3, _count_gru_biases),
    "SimpleRNN": _create_recurrent_rule(1, _count_one_bias),
    "MultiHeadAttention": _count_attention,
    "Bidirectional": _count_bidirectional,
    "TimeDistributed": _time_distributed,
    **{f"Conv{n}D": _count_convolution for n in (1, 2, 3)},
    **{f"Conv{n}DTranspose": _count_convolution for n in (1, 2, 3)},
    **{f"DepthwiseConv{n}D": _count_depthwise for n in (1, 2)},
    **{f"SeparableConv{n}D": _count_separable for n in (1, 2)},
}
"""Parameter rules by class: from configuration and input shapes to the count."""
