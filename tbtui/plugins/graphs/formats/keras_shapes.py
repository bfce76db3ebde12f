"""Shapes of what the layers of a Keras model make, without Keras.

Most are written: with the inputs of the next layer in Keras 3, or as what it was built for. The others follow from the
inputs and the configuration for the layers of Keras that are told of below; -1 is a length that is not known. Source:
Keras `compute_output_shape` of each layer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tbtui.plugins.graphs.formats.graph_def import MOST_PARAMETERS
from tbtui.plugins.graphs.formats.keras import shape_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.plugins.graphs.formats.graph_def import Shape
    from tbtui.plugins.graphs.formats.keras import Layer, Layers


ODD_CONFIG = (
    TypeError,
    KeyError,
    ValueError,
    IndexError,
    AttributeError,
    ZeroDivisionError,
    OverflowError,
    RecursionError,
)
"""What a configuration raises that is not as its class has it."""

SAME = frozenset({
    "Activation", "ActivityRegularization", "AlphaDropout", "BatchNormalization", "Dropout", "ELU", "GaussianDropout",
    "GaussianNoise", "GroupNormalization", "Identity", "LayerNormalization", "LeakyReLU", "Masking",
    "MultiHeadAttention", "Normalization", "PReLU", "RMSNormalization", "ReLU", "Rescaling", "Softmax",
    "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "ThresholdedReLU", "UnitNormalization",
})  # fmt: skip
"""Classes that make what has the shape of their first input."""

MERGING = frozenset({"Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"})

_MOST = 1 << 63
"""No tensor is as long as that."""

_PASSES = 2
"""Through all layers, which are hardly ever written before what they take."""


class LayerShapes:
    """The shapes of all layers of a model.

    Args:
        found: The layers.
    """

    def __init__(self, found: Layers) -> None:
        self._layers = found.layers
        self._known: dict[str, Shape] = dict(found.written_shapes)
        self._names = {layer.name for layer in found.layers}
        for layer in found.layers:
            if layer.built_on is not None and len(layer.inputs) == 1:
                self._known.setdefault(layer.inputs[0], layer.built_on)
        for _ in range(_PASSES):
            for row, layer in enumerate(found.layers):
                if layer.name not in self._known:
                    self._follow(row, layer)

    def of(self, row: int) -> tuple[Shape | None, ...]:
        """The shapes of what a layer makes."""
        name = self._layers[row].name
        shapes = [self._known.get(name)]
        while (key := f"{name}:{len(shapes)}") in self._known:
            shapes.append(self._known[key])
        return () if shapes == [None] else tuple(shapes)

    def taken(self, row: int) -> list[Shape | None]:
        """The shapes of what a layer takes."""
        layer = self._layers[row]
        if layer.built_on is not None and len(layer.inputs) < 2:
            return [layer.built_on]
        if layer.inputs:
            return [self._known.get(source) for source in layer.inputs]
        return [_batch_shape(layer.config)]

    def _follow(self, row: int, layer: Layer) -> None:
        shape = made_shape(layer.class_name, layer.config, self.taken(row))
        if shape is not None:
            self._known[layer.name] = shape


def made_shape(class_name: str, config: dict[str, Any], taken: Sequence[Shape | None]) -> Shape | None:
    """The shape of what a layer makes of inputs with some shapes; None when that does not follow."""
    try:
        if class_name == "InputLayer":
            return _batch_shape(config)
        first = taken[0] if taken else None
        if class_name in MERGING:
            return _merged(taken)
        if class_name == "Concatenate":
            return _concatenated(config, taken)
        rule = _RULES.get(class_name)
        if first is None:
            return None
        if class_name in SAME:
            return first
        made = None if rule is None else tuple(rule(config, first))
        return made if made is None or all(-1 <= size < _MOST for size in made) else None
    except ODD_CONFIG:
        return None


def lengths_of(value: Any, count: int) -> list[int]:
    """A size that is one number for all axes, or one for each."""
    sizes = [value] * count if isinstance(value, int) else [int(size) for size in value]
    if len(sizes) != count:
        raise ValueError(value)
    return sizes


def channels_last(config: dict[str, Any]) -> bool:
    """Whether the channels are the last axis, not the one behind the batch."""
    return config.get("data_format") != "channels_first"


def _batch_shape(config: dict[str, Any]) -> Shape | None:
    return shape_in(config.get("batch_shape") or config.get("batch_input_shape"))


def _merged(taken: Sequence[Shape | None]) -> Shape | None:
    """Of several shapes that are laid on one another; axes of length 1 are as long as the others'."""
    shapes = [shape for shape in taken if shape is not None]
    if len(shapes) < len(taken) or len({len(shape) for shape in shapes}) != 1:
        return None
    return tuple(max(sizes) for sizes in zip(*shapes, strict=True))


def _concatenated(config: dict[str, Any], taken: Sequence[Shape | None]) -> Shape | None:
    shapes = [shape for shape in taken if shape is not None]
    if len(shapes) < len(taken) or len({len(shape) for shape in shapes}) != 1:
        return None
    made, axis = list(shapes[0]), int(config.get("axis", -1))
    sizes = [shape[axis] for shape in shapes]
    made[axis] = -1 if min(sizes) < 0 else sum(sizes)
    return tuple(made)


def _dense(config: dict[str, Any], taken: Shape) -> Shape:
    return (*taken[:-1], int(config["units"]))


def _embedding(config: dict[str, Any], taken: Shape) -> Shape:
    return (*taken, int(config["output_dim"]))


def _product(sizes: Sequence[int]) -> int:
    return -1 if min(sizes, default=0) < 0 else math.prod(sizes)


def _flatten(_: dict[str, Any], taken: Shape) -> Shape:
    return (taken[0], _product(taken[1:]))


def _reshape(config: dict[str, Any], taken: Shape) -> Shape:
    target = shape_in(config["target_shape"])
    if target is None:
        raise ValueError(config)
    wanted = list(target)
    whole = _product(taken[1:])
    if wanted.count(-1) == 1 and whole > 0:
        wanted[wanted.index(-1)] = whole // abs(math.prod(wanted))
    return (taken[0], *wanted)


def _permute(config: dict[str, Any], taken: Shape) -> Shape:
    return (taken[0], *(taken[int(axis)] for axis in config["dims"]))


def _repeat(config: dict[str, Any], taken: Shape) -> Shape:
    return (taken[0], int(config["n"]), *taken[1:])


def _spatial(config: dict[str, Any], taken: Shape, each: Callable[[int, int], int], channels: int | None) -> Shape:
    """A picture, or whatever has axes between batch and channels, each of which becomes another length."""
    last = channels_last(config)
    inner = taken[1:-1] if last else taken[2:]
    kept = taken[-1 if last else 1] if channels is None else channels
    sizes = [-1 if size < 0 else each(axis, size) for axis, size in enumerate(inner)]
    return (taken[0], *sizes, kept) if last else (taken[0], kept, *sizes)


def _windows(config: dict[str, Any], taken: Shape, window: Any, strides: Any, channels: int | None) -> Shape:
    """What a window makes that is moved along all axes."""
    count = len(taken) - 2
    windows, steps = lengths_of(window, count), lengths_of(strides, count)
    spread = lengths_of(config.get("dilation_rate", 1), count)
    padded = config.get("padding", "valid") in {"same", "causal"}

    def length(axis: int, size: int) -> int:
        reach = 1 if padded else spread[axis] * (windows[axis] - 1) + 1
        return (size - reach) // steps[axis] + 1

    return _spatial(config, taken, length, channels)


def _convolution(config: dict[str, Any], taken: Shape) -> Shape:
    return _windows(config, taken, config["kernel_size"], config.get("strides", 1), int(config["filters"]))


def _depthwise(config: dict[str, Any], taken: Shape) -> Shape:
    channels = taken[-1 if channels_last(config) else 1] * int(config.get("depth_multiplier", 1))
    return _windows(config, taken, config["kernel_size"], config.get("strides", 1), channels)


def _transposed(config: dict[str, Any], taken: Shape) -> Shape:
    """A transposed convolution; with `output_padding` or dilation the lengths are left open."""
    count = len(taken) - 2
    kernel, steps = lengths_of(config["kernel_size"], count), lengths_of(config.get("strides", 1), count)
    plain = config.get("output_padding") is None and set(lengths_of(config.get("dilation_rate", 1), count)) == {1}
    padded = config.get("padding", "valid") == "same"

    def length(axis: int, size: int) -> int:
        return size * steps[axis] + (0 if padded else max(kernel[axis] - steps[axis], 0)) if plain else -1

    return _spatial(config, taken, length, int(config["filters"]))


def _pooling(config: dict[str, Any], taken: Shape) -> Shape:
    window = config["pool_size"]
    return _windows(config, taken, window, window if config.get("strides") is None else config["strides"], None)


def _global_pooling(config: dict[str, Any], taken: Shape) -> Shape:
    if config.get("keepdims"):
        return _spatial(config, taken, lambda *_: 1, None)
    return (taken[0], taken[-1 if channels_last(config) else 1])


def _up_sampling(config: dict[str, Any], taken: Shape) -> Shape:
    sizes = lengths_of(config["size"], len(taken) - 2)
    return _spatial(config, taken, lambda axis, size: size * sizes[axis], None)


def _zero_padding(config: dict[str, Any], taken: Shape) -> Shape:
    pads = [config["padding"]] if len(taken) == 3 else config["padding"]
    added = [2 * pad if isinstance(pad, int) else sum(map(int, pad)) for pad in pads]
    return _spatial(config, taken, lambda axis, size: size + added[axis], None)


def _recurrent(config: dict[str, Any], taken: Shape) -> Shape:
    units = int(config["units"])
    return (taken[0], taken[1], units) if config.get("return_sequences") else (taken[0], units)


def _wrapped(config: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    inner = config["layer"]
    return str(inner["class_name"]), dict(inner["config"])


def _bidirectional(config: dict[str, Any], taken: Shape) -> Shape:
    made = made_shape(*_wrapped(config), [taken])
    if made is None or config.get("merge_mode") is None:
        raise ValueError(config)
    return (*made[:-1], 2 * made[-1] if config["merge_mode"] == "concat" else made[-1])


def _time_distributed(config: dict[str, Any], taken: Shape) -> Shape:
    made = made_shape(*_wrapped(config), [(taken[0], *taken[2:])])
    if made is None:
        raise ValueError(config)
    return (made[0], taken[1], *made[1:])


_RULES: dict[str, Callable[[dict[str, Any], Shape], Sequence[int]]] = {
    "Dense": _dense,
    "Embedding": _embedding,
    "Flatten": _flatten,
    "Reshape": _reshape,
    "Permute": _permute,
    "RepeatVector": _repeat,
    "LSTM": _recurrent,
    "GRU": _recurrent,
    "SimpleRNN": _recurrent,
    "Bidirectional": _bidirectional,
    "TimeDistributed": _time_distributed,
    **{f"Conv{n}D": _convolution for n in (1, 2, 3)},
    **{f"Conv{n}DTranspose": _transposed for n in (1, 2, 3)},
    **{f"DepthwiseConv{n}D": _depthwise for n in (1, 2)},
    **{f"SeparableConv{n}D": _convolution for n in (1, 2)},
    **{f"{kind}Pooling{n}D": _pooling for kind in ("Max", "Average") for n in (1, 2, 3)},
    **{f"Global{kind}Pooling{n}D": _global_pooling for kind in ("Max", "Average") for n in (1, 2, 3)},
    **{f"UpSampling{n}D": _up_sampling for n in (1, 2, 3)},
    **{f"ZeroPadding{n}D": _zero_padding for n in (1, 2, 3)},
}
"""By the class of a layer: its configuration and the shape of its input to the shape of what it makes."""


# How many numbers the layers of a Keras model train, by the formulas of their classes.
#
# A frozen layer counts as if it were not; statistics that a normalisation only gathers do not. Source: Keras `build`
# of
# each layer.


_PLAIN = MERGING | {
    "InputLayer", "Concatenate", "Dot", "Flatten", "Reshape", "Permute", "RepeatVector", "Lambda", "Discretization",
    "TFOpLambda", "SlicingOpLambda", "TensorFlowOpLayer", "GetItem", "Operation", "Resizing", "CenterCrop",
    "CategoryEncoding", "Hashing", "StringLookup", "IntegerLookup", "TextVectorization",
}  # fmt: skip

_PLAIN_ENDINGS = ("Pooling1D", "Pooling2D", "Pooling3D")
_PLAIN_BEGINNINGS = ("UpSampling", "ZeroPadding", "Cropping", "Random")

_OPERATIONS = ("keras.src.ops", "keras.ops")
"""Modules of what is a function, not a layer."""


def parameters_of(layer: Layer, taken: Sequence[Shape | None]) -> int | None:
    """How many numbers a layer trains; None when that does not follow from what was written.

    Args:
        layer: As it is written.
        taken: The shapes of its inputs.
    """
    if layer.module.startswith(_OPERATIONS):
        return 0
    return _count(layer.class_name, layer.config, taken)


def _count(class_name: str, config: dict[str, Any], taken: Sequence[Shape | None]) -> int | None:
    rule = _PARAMETER_RULES.get(class_name)
    if rule is None:
        return 0 if _is_plain(class_name) else None
    try:
        count = rule(config, taken)
    except ODD_CONFIG:
        return None
    return count if 0 <= count <= MOST_PARAMETERS else None


def _is_plain(class_name: str) -> bool:
    return (
        class_name in _PLAIN
        or class_name in SAME
        or class_name.endswith(_PLAIN_ENDINGS)
        or class_name.startswith(_PLAIN_BEGINNINGS)
    )


def _known(taken: Sequence[Shape | None], axis: int) -> int:
    """The length of an axis of the first input."""
    shape = taken[0]
    if shape is None or shape[axis] < 0:
        raise ValueError(taken)
    return shape[axis]


def _channels(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    return _known(taken, -1 if channels_last(config) else 1)


def _bias(config: dict[str, Any], count: int) -> int:
    return count if config.get("use_bias", True) else 0


def _kernel(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    """Places of a convolution's window."""
    shape = taken[0]
    if shape is None:
        raise ValueError(taken)
    return math.prod(lengths_of(config["kernel_size"], len(shape) - 2))


def _keras_parameters_dense(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    units = int(config["units"])
    return _known(taken, -1) * units + _bias(config, units)


def _keras_parameters_embedding(config: dict[str, Any], _: Sequence[Shape | None]) -> int:
    return int(config["input_dim"]) * int(config["output_dim"])


def _keras_parameters_convolution(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    filters, groups = int(config["filters"]), int(config.get("groups", 1))
    return _kernel(config, taken) * (_channels(config, taken) // groups) * filters + _bias(config, filters)


def _keras_parameters_depthwise(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    made = _channels(config, taken) * int(config.get("depth_multiplier", 1))
    return _kernel(config, taken) * made + _bias(config, made)


def _separable(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    filters, made = int(config["filters"]), _channels(config, taken) * int(config.get("depth_multiplier", 1))
    return _kernel(config, taken) * made + made * filters + _bias(config, filters)


def _normalization(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    axes = config.get("axis", -1)
    wanted = {int(axis) for axis in (axes if isinstance(axes, list) else [axes])}
    sizes = [_known(taken, axis) for axis in wanted]
    return math.prod(sizes) * (bool(config.get("scale", True)) + bool(config.get("center", True)))


def _scale(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    return _normalization(config | {"center": False, "scale": True}, taken)


def _prelu(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    shape, shared = taken[0], {int(axis) for axis in config.get("shared_axes") or ()}
    if shape is None:
        raise ValueError(taken)
    return math.prod(_known(taken, axis) for axis in range(1, len(shape)) if axis not in shared)


def _keras_parameters_recurrent(gates: int, biases: Callable[[dict[str, Any]], int]) -> Callable[..., int]:
    """A layer with so many gates, each with one kernel for the input, one for the state, and some biases."""

    def count(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
        units = int(config["units"])
        return gates * units * (_known(taken, -1) + units + _bias(config, biases(config)))

    return count


def _one(_: dict[str, Any]) -> int:
    return 1


def _gru_biases(config: dict[str, Any]) -> int:
    return 2 if config.get("reset_after") else 1


def _attention(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    heads, keys = int(config["num_heads"]), int(config["key_dim"])
    values = int(config.get("value_dim") or keys)
    if config.get("output_shape") is not None:
        raise ValueError(config)
    widths = [_known([shape], -1) for shape in taken]
    query, value = widths[0], widths[min(1, len(widths) - 1)]
    key = widths[2] if len(widths) > 2 else value
    kernels = heads * (query * keys + key * keys + value * values + values * query)
    return kernels + _bias(config, heads * (2 * keys + values) + query)


def _keras_parameters_wrapped(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    inner = config["layer"]
    count = _count(str(inner["class_name"]), dict(inner["config"]), taken)
    if count is None:
        raise ValueError(config)
    return count


def _keras_parameters_bidirectional(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    return 2 * _keras_parameters_wrapped(config, taken)


def _keras_parameters_time_distributed(config: dict[str, Any], taken: Sequence[Shape | None]) -> int:
    return _keras_parameters_wrapped(config, [None if shape is None else (shape[0], *shape[2:]) for shape in taken])


_PARAMETER_RULES: dict[str, Callable[[dict[str, Any], Sequence[Shape | None]], int]] = {
    "Dense": _keras_parameters_dense,
    "Embedding": _keras_parameters_embedding,
    "BatchNormalization": _normalization,
    "LayerNormalization": _normalization,
    "GroupNormalization": _normalization,
    "RMSNormalization": _scale,
    "PReLU": _prelu,
    "LSTM": _keras_parameters_recurrent(4, _one),
    "GRU": _keras_parameters_recurrent(3, _gru_biases),
    "SimpleRNN": _keras_parameters_recurrent(1, _one),
    "MultiHeadAttention": _attention,
    "Bidirectional": _keras_parameters_bidirectional,
    "TimeDistributed": _keras_parameters_time_distributed,
    **{f"Conv{n}D": _keras_parameters_convolution for n in (1, 2, 3)},
    **{f"Conv{n}DTranspose": _keras_parameters_convolution for n in (1, 2, 3)},
    **{f"DepthwiseConv{n}D": _keras_parameters_depthwise for n in (1, 2)},
    **{f"SeparableConv{n}D": _separable for n in (1, 2)},
}
"""By the class of a layer: its configuration and the shapes of its inputs to its parameters."""
