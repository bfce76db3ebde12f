"""Read the layers of a Keras model from its JSON: TensorBoard's conceptual graph, nested models included.

Keras 3 writes an input as an object with the history of the tensor, Keras 2 as `["name", node, tensor, {...}]`.
Layers of a sequential model follow one another and list no inputs. The name of a layer is its path through the
nested models, `model/block/dense`. A layer that reads a nested model is linked to that model's output layers; inputs of
a nested model are linked to its input layers. Source: TensorBoard `plugins/graph/keras_util.py` (names, order, nested
models); Keras `functional.py`, `sequential.py`, `serialization_lib.py`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tbtui.charts.numbers import format_count
from tbtui.events.tensors import MAX_DIMENSIONS
from tbtui.plugins.graphs.formats.graph_def import Attribute, cut_text
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.parsed_graph import Parameter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.graphs.formats.graph_def import Shape


class Tensor(NamedTuple):
    """Input of a layer: an output of another layer."""

    layer: str
    """Name within the same model."""

    call: int
    """Number of the call of the layer: a shared layer is called several times."""

    output: int
    """Output number, from 0."""

    shape: Shape | None
    """Shape, if it was written with the input."""


@dataclass(slots=True, eq=False)
class Layer:
    """One layer of the file."""

    name: str
    """Path through the enclosing models."""

    class_name: str
    config: dict[str, Any]
    module: str
    build_shape: Shape | None
    """Input shape that the layer was built for."""

    calls: list[list[str]] = field(default_factory=list)
    """Inputs of each call: `name`, or `name:1` for an output other than the first. A shared layer has several calls.

    The outputs of the second call are numbered after those of the first.
    """

    outputs: int = 1
    """Number of outputs of one call that other layers read, at least 1."""

    @property
    def inputs(self) -> list[str]:
        """Inputs of all calls, each once."""
        return list(dict.fromkeys(source for call in self.calls for source in call))


class _Output(NamedTuple):
    """Output of one call of a layer."""

    layer: str
    """Path of the layer."""

    calls: tuple[int, ...]
    """Numbers of the calls of the enclosing models, and of the layer."""

    number: int


class ModelLayers:
    """Layers of a model.

    Args:
        model: The parsed JSON object.
    """

    def __init__(self, model: dict[str, Any]) -> None:
        self.layers: list[Layer] = []
        self.written_shapes: dict[str, Shape] = {}
        """Output shapes by reference: `name`, or `name:1` for an output other than the first."""

        self.unreadable = 0
        """Number of entries that are not layers."""

        self._outputs: dict[int, list[_Output]] = {}
        """Outputs of each nested model, by its identity."""

        self._calls: list[list[list[_Output]]] = []
        """Inputs of each call of each layer; a layer that reads the inputs of its model has the calls of the model."""

        self._call_counts: list[int] = []
        """Number of calls of each layer within its model."""

        self._shapes: dict[_Output, Shape] = {}

        self._add_model(model, _name_of(model), [])
        self._number_outputs()

    def _add_model(self, model: dict[str, Any], path: str, calls: list[list[_Output]]) -> None:
        """Add the layers of a model.

        Args:
            model: Sequential or functional.
            path: Path of the model.
            calls: Inputs of each call of the model.
        """
        members = read_layers(model) or []
        layers = [member for member in members if isinstance(member, dict) and isinstance(read_config(member), dict)]
        self.unreadable += len(members) - len(layers)
        by_name = {_name_of(layer): layer for layer in reversed(layers)}
        outside_inputs = _read_outside_inputs(model, layers, calls)
        previous: list[_Output] = []
        for layer in layers:
            name = _name_of(layer)
            inner = _join_path(path, name)
            tensors = [list(_iter_tensors(call)) for call in _read_calls(layer)]
            inputs = [[self._find_source(by_name, path, tensor) for tensor in call] for call in tensors]
            if previous and not tensors and _is_reading_previous(model, layer):
                inputs = [previous]
            inputs += outside_inputs.get(id(layer), [])
            if read_layers(layer) is None:
                self._call_counts.append(max(len(tensors), 1))
                self._add_layer(layer, inner, inputs)
                previous = [_Output(inner, (0,), 0)]
            else:
                self._add_model(layer, inner, inputs)
                previous = _find_call_outputs(0, self._find_outputs(layer, inner))

    def _add_layer(self, layer: dict[str, Any], name: str, calls: list[list[_Output]]) -> None:
        build = layer.get("build_config")
        self._calls.append(calls)
        self.layers.append(
            Layer(
                name,
                to_text(layer.get("class_name")),
                read_config(layer),
                to_text(layer.get("module")),
                parse_shape(build.get("input_shape")) if isinstance(build, dict) else None,
            )
        )

    def _iter_layers_and_calls(self) -> Iterator[tuple[Layer, list[list[_Output]]]]:
        """Return an iterator over the layers with the inputs of their calls."""
        return zip(self.layers, self._calls, strict=True)

    def _number_outputs(self) -> None:
        """Number the outputs of each layer over all its calls, and set the inputs of all layers to these numbers."""
        outputs = {source for calls in self._calls for call in calls for source in call} | self._shapes.keys()
        counts: dict[str, int] = {}
        calls_of = {layer.name: set(range(count)) for layer, count in zip(self.layers, self._call_counts, strict=True)}
        models_of: dict[str, set[tuple[int, ...]]] = {}
        for path, (*models, call), number in outputs:
            counts[path] = max(counts.get(path, 1), number + 1)
            calls_of.setdefault(path, set()).add(call)
            models_of.setdefault(path, set()).add(tuple(models))

        def text(output: _Output) -> str:
            layer, (*models, call), number = output
            depth = max(map(len, models_of[layer]))  # a layer is also read within its model, for all calls of the model
            model_calls = sorted(path for path in models_of[layer] if len(path) == depth)
            model_call = model_calls.index(tuple(models)) if len(models) == depth else 0
            calls = sorted(calls_of[layer])
            number += (model_call * len(calls) + calls.index(call)) * counts[layer]
            return f"{layer}:{number}" if number else layer

        self.written_shapes = {text(output): shape for output, shape in self._shapes.items()}
        for layer, calls in self._iter_layers_and_calls():
            layer.calls = [list(map(text, call)) for call in calls]
            layer.outputs = counts.get(layer.name, 1)

    def _find_source(self, by_name: dict[str, dict[str, Any]], path: str, tensor: Tensor) -> _Output:
        """Return an output of a layer or model within the model at `path`."""
        source = _Output(_join_path(path, tensor.layer), (tensor.call,), tensor.output)
        layer = by_name.get(tensor.layer)
        if layer is not None and read_layers(layer) is not None:
            outputs = _find_call_outputs(tensor.call, self._find_outputs(layer, source.layer))
            source = outputs[min(tensor.output, len(outputs) - 1)] if outputs else source._replace(number=0)
        if tensor.shape is not None:
            self._shapes.setdefault(source, tensor.shape)
        return source

    def _find_outputs(self, model: dict[str, Any], path: str) -> list[_Output]:
        """Return the outputs of a nested model."""
        cached = self._outputs.get(id(model))
        if cached is not None:
            return cached
        outputs = self._outputs[id(model)] = []  # set before the recursion: a model that contains itself has no outputs
        layers = [layer for layer in read_layers(model) or [] if isinstance(layer, dict)]
        by_name = {_name_of(layer): layer for layer in reversed(layers)}
        ends = (
            list(_iter_tensors(read_config(model).get("output_layers"))) if isinstance(read_config(model), dict) else []
        )
        if not ends and layers:
            ends = [Tensor(_name_of(layers[-1]), 0, 0, None)]
        outputs += [self._find_source(by_name, path, end) for end in ends]
        return outputs


def _find_call_outputs(call: int, outputs: list[_Output]) -> list[_Output]:
    """Return the outputs of a nested model in one of its calls."""
    return [output._replace(calls=(call, *output.calls)) for output in outputs]


def read_layers(model: dict[str, Any]) -> list[Any] | None:
    """Return the list of layers of a model; None for a layer."""
    config = model.get("config")
    layers = config.get("layers") if isinstance(config, dict) else config
    return layers if isinstance(layers, list) else None


def read_config(layer: dict[str, Any]) -> Any:
    """Return the configuration; empty for the oldest sequential models, whose config is the list of layers."""
    config = layer.get("config", {})
    return {} if isinstance(config, list) else config


def parse_shape(value: object) -> Shape | None:
    """Return a shape from JSON, -1 for unknown lengths; None if it is invalid."""
    if (
        not isinstance(value, list)
        or len(value) > MAX_DIMENSIONS
        or not all(size is None or _is_length(size) for size in value)
    ):
        return None
    return tuple(-1 if size is None or size < 0 else size for size in value)


def to_text(value: object) -> str:
    """Return a text from JSON; empty if the value is not a text."""
    return value if isinstance(value, str) else ""


def _is_length(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63


def _name_of(layer: dict[str, Any]) -> str:
    config = read_config(layer)
    name = config.get("name") if isinstance(config, dict) else None
    return to_text(name) or to_text(layer.get("name")) or to_text(layer.get("class_name")).lower()


def _join_path(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _read_calls(layer: dict[str, Any]) -> list[Any]:
    calls = layer.get("inbound_nodes")
    return calls if isinstance(calls, list) else []


def _is_reading_previous(model: dict[str, Any], layer: dict[str, Any]) -> bool:
    """Return True if a layer reads the layer before it."""
    return model.get("class_name") == "Sequential" or "inbound_nodes" not in layer


def _read_outside_inputs(
    model: dict[str, Any], layers: list[dict[str, Any]], calls: list[list[_Output]]
) -> dict[int, list[list[_Output]]]:
    """Return the inputs from outside of layers of a nested model, by their identities."""
    if not calls or not layers:
        return {}
    names = [tensor.layer for tensor in _iter_tensors(read_config(model).get("input_layers"))]
    by_name = {_name_of(layer): layer for layer in reversed(layers)}
    input_layers = [by_name[name] for name in names if name in by_name] or layers[:1]
    inputs: dict[int, list[list[_Output]]] = {}
    for call in calls:
        for index, source in enumerate(call):
            inputs.setdefault(id(input_layers[min(index, len(input_layers) - 1)]), []).append([source])
    return inputs


def _iter_tensors(value: object) -> Iterator[Tensor]:
    """Yield all tensors in the arguments of a call, in order."""
    if isinstance(value, dict):
        if value.get("class_name") == "__keras_tensor__":
            yield from _parse_keras_tensor(value.get("config"))
        else:
            for inner in value.values():
                yield from _iter_tensors(inner)
    elif isinstance(value, list):
        if _is_history(value):
            yield Tensor(value[0], value[1], value[2], None)
            value = value[3:]
        for inner in value:
            yield from _iter_tensors(inner)


def _parse_keras_tensor(config: object) -> Iterator[Tensor]:
    if isinstance(config, dict) and _is_history(config.get("keras_history")):
        history = config["keras_history"]
        yield Tensor(history[0], history[1], history[2], parse_shape(config.get("shape")))


def _is_history(value: object) -> bool:
    """Return True for `["name", node, tensor]`; constants of Keras 2 have the same form with the node -1."""
    return (
        isinstance(value, list)
        and len(value) >= 3
        and isinstance(value[0], str)
        and all(_is_length(number) and number >= 0 for number in value[1:3])
    )


_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")

MAX_CLASSES = 5
"""Maximum number of classes with unknown parameters that are named."""


class LayerGraph:
    """Graph of layers as columns; shapes and parameters are computed on demand."""

    layers: Final = True
    functions: Final = ()

    def __init__(self, model: ModelLayers) -> None:
        self._model = model
        rows = model.layers
        self.names = [layer.name for layer in rows]
        self.ops = [layer.class_name for layer in rows]
        self.devices = [""] * len(rows)
        self.inputs = [layer.inputs for layer in rows]
        """`name`, or `name:1` for an output other than the first."""

    @property
    def losses(self) -> tuple[str, ...]:
        """Sentences with counts of parts that could not be read."""
        unreadable = self._model.unreadable
        if not unreadable:
            return ()
        return (
            f"{format_count(unreadable, 'layer')} that cannot be read {'is' if unreadable == 1 else 'are'} left out",
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences with counts of parts that could not be read or counted."""
        uncounted_ops = [op for op, count in zip(self.ops, self._counts, strict=True) if count is None]
        notes = list(self.losses)
        if uncounted_ops:
            classes = list(dict.fromkeys(uncounted_ops))
            names = ", ".join(classes[:MAX_CLASSES]) + (", …" if len(classes) > MAX_CLASSES else "")
            notes.append(f"the parameters of {len(uncounted_ops):,} layers are not counted: {cut_text(names)}")
        return tuple(notes)

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Return the shapes of the outputs of a layer, written or inferred from its inputs; -1 is unknown."""
        shapes: tuple[Shape | None, ...] = self._shapes.infer_output_shapes(node)
        return shapes

    def parameters(self, node: int) -> int:
        """Return the number of parameters, frozen ones included; 0 if it is unknown."""
        return self._counts[node] or 0

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """Return the configuration of the layer, in the order of the names."""
        layer = self._model.layers[node]
        items = layer.config.items()
        return tuple(sorted(Attribute(name, cut_text(format_value(value))) for name, value in items if name != "name"))

    @cached_property
    def all_parameters(self) -> tuple[Parameter, ...]:
        """Parameters of each layer, frozen ones included."""
        return tuple(
            Parameter((row,), count or 0, count is None) for row, count in enumerate(self._counts) if count != 0
        )

    @cached_property
    def _shapes(self) -> Any:
        from tbtui.plugins.graphs.formats.keras_shapes import LayerShapes

        return LayerShapes(self._model)

    @cached_property
    def _counts(self) -> list[int | None]:
        from tbtui.plugins.graphs.formats.keras_parameters import count_parameters

        return [
            count_parameters(layer, self._shapes.list_input_shapes(row)) for row, layer in enumerate(self._model.layers)
        ]


def read_keras_model(data: bytes) -> LayerGraph:
    """Read the layers of a model from JSON of Keras 2 or 3.

    Raises:
        GraphError: The bytes are not JSON, not a model, or a model that does not list its layers.
    """
    try:
        model = _parse_json(data)
    except RecursionError as error:
        raise GraphError("the model is nested too deep to be shown") from error
    except ValueError as error:
        raise GraphError(f"the model is no valid JSON: {error}") from error
    if not isinstance(model, dict):
        raise GraphError("the JSON here describes no model")
    if read_layers(model) is None:
        name = cut_text(to_text(model.get("class_name"))) or "model"
        raise GraphError(
            f"the layers of this {name} were not written: only sequential and functional models save their layers"
        )
    try:
        layers = ModelLayers(model)
    except RecursionError as error:
        raise GraphError("the model is nested too deep to be shown") from error
    if not layers.layers:
        raise GraphError("the model has no layers")
    return LayerGraph(layers)


def _parse_json(data: bytes) -> Any:
    """Parse JSON; lone surrogates, which JSON allows but UTF-8 does not, become `?`."""
    model = json.loads(data)
    if _SURROGATE_ESCAPE.search(data):
        model = json.loads(json.dumps(model, ensure_ascii=False).encode("utf-8", "replace"))
    return model


def format_value(value: object) -> str:
    """Return a configuration value in one line; objects by their class, `L2(l2=0.01)`."""
    try:
        return _format_object(value) if isinstance(value, dict) else _format_plain(value)
    except RecursionError:
        return "nested too deep to be shown"


def _format_plain(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return " ".join(value.split("\n"))
    return json.dumps(value, ensure_ascii=False)


def _format_object(value: dict[str, Any]) -> str:
    """Return a serialized Keras object as a call, any other object as JSON."""
    name, config = value.get("class_name"), value.get("config")
    if not isinstance(name, str):
        return json.dumps(value, ensure_ascii=False)
    fields = config if isinstance(config, dict) else {}
    if name == "DTypePolicy" and "name" in fields:
        return _format_plain(fields["name"])
    inner = ", ".join(
        f"{key}={json.dumps(field, ensure_ascii=False)}" for key, field in fields.items() if field is not None
    )
    return f"{name}({inner})" if inner else name
