"""Infer the output shapes of Keras layers, without Keras.

Most shapes are in the file: with the inputs of the next layer in Keras 3, or as the shape that a layer was built for.
Others are computed from inputs and configuration for the classes below; -1 is an unknown length. Source: Keras
`compute_output_shape` of each layer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tbtui.plugins.graphs.formats.keras import parse_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.plugins.graphs.formats.graph_def import Shape
    from tbtui.plugins.graphs.formats.keras import Layer, ModelLayers


CONFIG_ERRORS = (
    TypeError,
    KeyError,
    ValueError,
    IndexError,
    AttributeError,
    ZeroDivisionError,
    OverflowError,
    RecursionError,
)
"""Exceptions that an invalid configuration may cause."""


SHAPE_PRESERVING = frozenset({
    "Activation", "ActivityRegularization", "AlphaDropout", "BatchNormalization", "Dropout", "ELU", "GaussianDropout",
    "GaussianNoise", "GroupNormalization", "Identity", "LayerNormalization", "LeakyReLU", "Masking",
    "MultiHeadAttention", "Normalization", "PReLU", "RMSNormalization", "ReLU", "Rescaling", "Softmax",
    "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "ThresholdedReLU", "UnitNormalization",
})  # fmt: skip
"""Classes whose output has the shape of their first input."""


MERGING = frozenset({"Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"})


_MAX_LENGTH = 1 << 63
"""Upper limit of a length."""


_PASSES = 2
"""Passes over all layers; few layers are in the file before their inputs."""


class LayerShapes:
    """Shapes of all layers of a model.

    Args:
        model: The layers.
    """

    def __init__(self, model: ModelLayers) -> None:
        self._layers = model.layers
        self._shapes: dict[str, Shape] = dict(model.written_shapes)
        for layer in model.layers:
            if layer.build_shape is not None and len(sources := layer.inputs) == 1:
                self._shapes.setdefault(sources[0], layer.build_shape)
        for _ in range(_PASSES):
            for row, layer in enumerate(model.layers):
                if layer.name not in self._shapes:
                    self._infer(row, layer)

    def infer_output_shapes(self, row: int) -> tuple[Shape | None, ...]:
        """Return the output shapes of a layer."""
        name = self._layers[row].name
        shapes = [self._shapes.get(name)]
        while (key := f"{name}:{len(shapes)}") in self._shapes:
            shapes.append(self._shapes[key])
        return () if shapes == [None] else tuple(shapes)

    def list_input_shapes(self, row: int) -> list[Shape | None]:
        """Return the input shapes of the first call of a layer."""
        layer = self._layers[row]
        first = layer.calls[0] if layer.calls else []
        if layer.build_shape is not None and len(first) < 2:
            return [layer.build_shape]
        if first:
            return [self._shapes.get(source) for source in first]
        return [_read_batch_shape(layer.config)]

    def _infer(self, row: int, layer: Layer) -> None:
        later_calls = layer.calls[1:] if layer.outputs == 1 and layer.class_name != "InputLayer" else []
        calls = [self.list_input_shapes(row), *([self._shapes.get(source) for source in call] for call in later_calls)]
        for number, input_shapes in enumerate(calls):
            shape = infer_output_shape(layer.class_name, layer.config, input_shapes)
            if shape is not None:
                self._shapes.setdefault(f"{layer.name}:{number}" if number else layer.name, shape)


def infer_output_shape(class_name: str, config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> Shape | None:
    """Return the output shape of a layer for these input shapes; None if it is unknown."""
    try:
        if class_name == "InputLayer":
            return _read_batch_shape(config)
        first = input_shapes[0] if input_shapes else None
        if class_name in MERGING:
            return _broadcast(input_shapes)
        if class_name == "Concatenate":
            return _concatenate(config, input_shapes)
        rule = _RULES.get(class_name)
        if first is None:
            return None
        if class_name in SHAPE_PRESERVING:
            return first
        shape = None if rule is None else tuple(rule(config, first))
        return shape if shape is None or all(-1 <= size < _MAX_LENGTH for size in shape) else None
    except CONFIG_ERRORS:
        return None


def parse_axis_lengths(value: Any, count: int) -> list[int]:
    """Return one length per axis for a value that is one number for all axes, or one for each."""
    sizes = [value] * count if isinstance(value, int) else [int(size) for size in value]
    if len(sizes) != count:
        raise ValueError(value)
    return sizes


def is_channels_last(config: dict[str, Any]) -> bool:
    """Return True if the channels are the last axis, False if they follow the batch axis."""
    return config.get("data_format") != "channels_first"


def _read_batch_shape(config: dict[str, Any]) -> Shape | None:
    return parse_shape(config.get("batch_shape") or config.get("batch_input_shape"))


def _broadcast(input_shapes: Sequence[Shape | None]) -> Shape | None:
    """Broadcast shapes: axes of length 1 get the length of the others."""
    shapes = [shape for shape in input_shapes if shape is not None]
    if len(shapes) < len(input_shapes) or len({len(shape) for shape in shapes}) != 1:
        return None
    return tuple(max(sizes) for sizes in zip(*shapes, strict=True))


def _concatenate(config: dict[str, Any], input_shapes: Sequence[Shape | None]) -> Shape | None:
    shapes = [shape for shape in input_shapes if shape is not None]
    if len(shapes) < len(input_shapes) or len({len(shape) for shape in shapes}) != 1:
        return None
    joined, axis = list(shapes[0]), int(config.get("axis", -1))
    sizes = [shape[axis] for shape in shapes]
    joined[axis] = -1 if min(sizes) < 0 else sum(sizes)
    return tuple(joined)


def _infer_dense(config: dict[str, Any], input_shape: Shape) -> Shape:
    return (*input_shape[:-1], int(config["units"]))


def _infer_embedding(config: dict[str, Any], input_shape: Shape) -> Shape:
    return (*input_shape, int(config["output_dim"]))


def _multiply(sizes: Sequence[int]) -> int:
    return -1 if min(sizes, default=0) < 0 else math.prod(sizes)


def _flatten(_: dict[str, Any], input_shape: Shape) -> Shape:
    return (input_shape[0], _multiply(input_shape[1:]))


def _reshape(config: dict[str, Any], input_shape: Shape) -> Shape:
    target = parse_shape(config["target_shape"])
    if target is None:
        raise ValueError(config)
    sizes = list(target)
    elements = _multiply(input_shape[1:])
    if sizes.count(-1) == 1 and elements > 0:
        sizes[sizes.index(-1)] = elements // abs(math.prod(sizes))
    return (input_shape[0], *sizes)


def _permute(config: dict[str, Any], input_shape: Shape) -> Shape:
    return (input_shape[0], *(input_shape[int(axis)] for axis in config["dims"]))


def _repeat(config: dict[str, Any], input_shape: Shape) -> Shape:
    return (input_shape[0], int(config["n"]), *input_shape[1:])


def _replace_spatial_axes(
    config: dict[str, Any], input_shape: Shape, length: Callable[[int, int], int], channels: int | None
) -> Shape:
    """Apply a length function to the axes between batch and channels."""
    is_last = is_channels_last(config)
    inner = input_shape[1:-1] if is_last else input_shape[2:]
    channel_size = input_shape[-1 if is_last else 1] if channels is None else channels
    sizes = [-1 if size < 0 else length(axis, size) for axis, size in enumerate(inner)]
    return (input_shape[0], *sizes, channel_size) if is_last else (input_shape[0], channel_size, *sizes)


def _slide_windows(
    config: dict[str, Any], input_shape: Shape, window: Any, strides: Any, channels: int | None
) -> Shape:
    """Return the shape after moving a window along all spatial axes."""
    count = len(input_shape) - 2
    window_lengths, stride_lengths = parse_axis_lengths(window, count), parse_axis_lengths(strides, count)
    dilations = parse_axis_lengths(config.get("dilation_rate", 1), count)
    is_padded = config.get("padding", "valid") in {"same", "causal"}

    def length(axis: int, size: int) -> int:
        extent = 1 if is_padded else dilations[axis] * (window_lengths[axis] - 1) + 1
        return (size - extent) // stride_lengths[axis] + 1

    return _replace_spatial_axes(config, input_shape, length, channels)


def _infer_convolution(config: dict[str, Any], input_shape: Shape) -> Shape:
    return _slide_windows(config, input_shape, config["kernel_size"], config.get("strides", 1), int(config["filters"]))


def _infer_depthwise(config: dict[str, Any], input_shape: Shape) -> Shape:
    channels = input_shape[-1 if is_channels_last(config) else 1] * int(config.get("depth_multiplier", 1))
    return _slide_windows(config, input_shape, config["kernel_size"], config.get("strides", 1), channels)


def _infer_transposed(config: dict[str, Any], input_shape: Shape) -> Shape:
    """Return the shape of a transposed convolution; its lengths are unknown with `output_padding` or dilation."""
    count = len(input_shape) - 2
    kernel, stride_lengths = (
        parse_axis_lengths(config["kernel_size"], count),
        parse_axis_lengths(config.get("strides", 1), count),
    )
    is_plain = config.get("output_padding") is None and set(
        parse_axis_lengths(config.get("dilation_rate", 1), count)
    ) == {1}
    is_padded = config.get("padding", "valid") == "same"

    def length(axis: int, size: int) -> int:
        if not is_plain:
            return -1
        return size * stride_lengths[axis] + (0 if is_padded else max(kernel[axis] - stride_lengths[axis], 0))

    return _replace_spatial_axes(config, input_shape, length, int(config["filters"]))


def _infer_pooling(config: dict[str, Any], input_shape: Shape) -> Shape:
    window = config["pool_size"]
    return _slide_windows(
        config, input_shape, window, window if config.get("strides") is None else config["strides"], None
    )


def _infer_global_pooling(config: dict[str, Any], input_shape: Shape) -> Shape:
    if config.get("keepdims"):
        return _replace_spatial_axes(config, input_shape, lambda *_: 1, None)
    return (input_shape[0], input_shape[-1 if is_channels_last(config) else 1])


def _infer_up_sampling(config: dict[str, Any], input_shape: Shape) -> Shape:
    sizes = parse_axis_lengths(config["size"], len(input_shape) - 2)
    return _replace_spatial_axes(config, input_shape, lambda axis, size: size * sizes[axis], None)


def _zero_padding(config: dict[str, Any], input_shape: Shape) -> Shape:
    pads = [config["padding"]] if len(input_shape) == 3 else config["padding"]
    added = [2 * pad if isinstance(pad, int) else sum(map(int, pad)) for pad in pads]
    return _replace_spatial_axes(config, input_shape, lambda axis, size: size + added[axis], None)


def _infer_recurrent(config: dict[str, Any], input_shape: Shape) -> Shape:
    units = int(config["units"])
    return (input_shape[0], input_shape[1], units) if config.get("return_sequences") else (input_shape[0], units)


def _read_wrapped(config: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    inner = config["layer"]
    return str(inner["class_name"]), dict(inner["config"])


def _infer_bidirectional(config: dict[str, Any], input_shape: Shape) -> Shape:
    shape = infer_output_shape(*_read_wrapped(config), [input_shape])
    if shape is None or config.get("merge_mode") is None:
        raise ValueError(config)
    return (*shape[:-1], 2 * shape[-1] if config["merge_mode"] == "concat" else shape[-1])


def _time_distributed(config: dict[str, Any], input_shape: Shape) -> Shape:
    shape = infer_output_shape(*_read_wrapped(config), [(input_shape[0], *input_shape[2:])])
    if shape is None:
        raise ValueError(config)
    return (shape[0], input_shape[1], *shape[1:])


_RULES: dict[str, Callable[[dict[str, Any], Shape], Sequence[int]]] = {
    "Dense": _infer_dense,
    "Embedding": _infer_embedding,
    "Flatten": _flatten,
    "Reshape": _reshape,
    "Permute": _permute,
    "RepeatVector": _repeat,
    "LSTM": _infer_recurrent,
    "GRU": _infer_recurrent,
    "SimpleRNN": _infer_recurrent,
    "Bidirectional": _infer_bidirectional,
    "TimeDistributed": _time_distributed,
    **{f"Conv{n}D": _infer_convolution for n in (1, 2, 3)},
    **{f"Conv{n}DTranspose": _infer_transposed for n in (1, 2, 3)},
    **{f"DepthwiseConv{n}D": _infer_depthwise for n in (1, 2)},
    **{f"SeparableConv{n}D": _infer_convolution for n in (1, 2)},
    **{f"{kind}Pooling{n}D": _infer_pooling for kind in ("Max", "Average") for n in (1, 2, 3)},
    **{f"Global{kind}Pooling{n}D": _infer_global_pooling for kind in ("Max", "Average") for n in (1, 2, 3)},
    **{f"UpSampling{n}D": _infer_up_sampling for n in (1, 2, 3)},
    **{f"ZeroPadding{n}D": _zero_padding for n in (1, 2, 3)},
}
"""Shape rules by class: from configuration and input shape to output shape."""
