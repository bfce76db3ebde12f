"""The layers of a Keras model's JSON, those of nested models too, each with where its inputs come from.

Keras 3 writes an input as an object with the history of the tensor, Keras 2 as `["name", node, tensor, {...}]`. The
layers of a sequential model follow one another and say nothing of inputs. A layer is called by its path through the
models that it is in, `model/block/dense`; a nested model stands for its output layers where it is an input, and what it
is given goes to its input layers. Source: TensorBoard `plugins/graph/keras_util.py` (names, order, nested models);
Keras `functional.py`, `sequential.py`, `serialization_lib.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tbtui.events.tensors import MOST_DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.events.graph_attributes import Shape


class Tensor(NamedTuple):
    """What a layer is given: an output of another one."""

    layer: str
    """Its name within the same model."""

    output: int
    """Which of its outputs, counted from 0."""

    shape: Shape | None
    """As far as it was written along with it."""


@dataclass(slots=True, eq=False)
class Layer:
    """One layer as it is written."""

    name: str
    """With the names of the models that it is in."""

    class_name: str
    config: dict[str, Any]
    module: str
    built_on: Shape | None
    """The shape of what it was built for."""

    inputs: list[str] = field(default_factory=list)
    """`name`, or `name:1` for an output that is not the first."""


class Layers:
    """Collects the layers of a model.

    Args:
        model: The object that the JSON is.
    """

    def __init__(self, model: dict[str, Any]) -> None:
        self.layers: list[Layer] = []
        self.written_shapes: dict[str, Shape] = {}
        """Of outputs, by how inputs call them."""

        self.unreadable = 0
        """What stands in place of a layer and is none."""

        self._outputs: dict[int, list[str]] = {}
        """Of each nested model, by its identity."""

        self._add_model(model, _name_of(model), [])

    def _add_model(self, model: dict[str, Any], path: str, calls: list[list[str]]) -> None:
        """Add the layers of a model.

        Args:
            model: Sequential or functional.
            path: Its name with those of the models that it is in.
            calls: What it is given each time it is called, by how inputs are called.
        """
        members = layers_of(model) or []
        layers = [member for member in members if isinstance(member, dict) and isinstance(config_of(member), dict)]
        self.unreadable += len(members) - len(layers)
        by_name = {_name_of(layer): layer for layer in reversed(layers)}
        given = _given(model, layers, calls)
        before: list[str] = []
        for layer in layers:
            name = _name_of(layer)
            inner = _joined(path, name)
            tensors = [list(_tensors(call)) for call in _calls_of(layer)]
            mine = [[self._source(by_name, path, tensor) for tensor in some] for some in tensors]
            if before and not tensors and _follows(model, layer):
                mine = [before]
            mine += given.get(id(layer), [])
            if layers_of(layer) is None:
                self._add_layer(layer, inner, mine)
                before = [inner]
            else:
                self._add_model(layer, inner, mine)
                before = self._outputs_of(layer, inner)

    def _add_layer(self, layer: dict[str, Any], name: str, calls: list[list[str]]) -> None:
        build = layer.get("build_config")
        inputs = [source for call in calls for source in call]
        self.layers.append(
            Layer(
                name,
                words(layer.get("class_name")),
                config_of(layer),
                words(layer.get("module")),
                shape_in(build.get("input_shape")) if isinstance(build, dict) else None,
                list(dict.fromkeys(inputs)),
            )
        )

    def _source(self, by_name: dict[str, dict[str, Any]], path: str, tensor: Tensor) -> str:
        """How an input is called that is an output of a layer, or of a model, within the model at `path`."""
        source = _joined(path, tensor.layer)
        layer = by_name.get(tensor.layer)
        if layer is not None and layers_of(layer) is not None:
            outputs = self._outputs_of(layer, source)
            if outputs:
                source = outputs[min(tensor.output, len(outputs) - 1)]
        elif tensor.output > 0:
            source = f"{source}:{tensor.output}"
        if tensor.shape is not None:
            self.written_shapes.setdefault(source, tensor.shape)
        return source

    def _outputs_of(self, model: dict[str, Any], path: str) -> list[str]:
        """How inputs call the outputs of a nested model."""
        known = self._outputs.get(id(model))
        if known is not None:
            return known
        outputs = self._outputs[id(model)] = []  # as long as it is not known: a model within itself has none
        layers = [layer for layer in layers_of(model) or [] if isinstance(layer, dict)]
        by_name = {_name_of(layer): layer for layer in reversed(layers)}
        ends = list(_tensors(config_of(model).get("output_layers"))) if isinstance(config_of(model), dict) else []
        if not ends and layers:
            ends = [Tensor(_name_of(layers[-1]), 0, None)]
        outputs += [self._source(by_name, path, end) for end in ends]
        return outputs


def layers_of(model: dict[str, Any]) -> list[Any] | None:
    """What a model lists as its layers; None of a layer."""
    config = model.get("config")
    found = config.get("layers") if isinstance(config, dict) else config
    return found if isinstance(found, list) else None


def config_of(layer: dict[str, Any]) -> Any:
    """What a layer was made with; of the oldest sequential models, whose config is the list of layers, nothing."""
    config = layer.get("config", {})
    return {} if isinstance(config, list) else config


def shape_in(value: object) -> Shape | None:
    """A shape as JSON has it, -1 where a length is not told; None when it is none."""
    if (
        not isinstance(value, list)
        or len(value) > MOST_DIMENSIONS
        or not all(size is None or _is_length(size) for size in value)
    ):
        return None
    return tuple(-1 if size is None or size < 0 else size for size in value)


def words(value: object) -> str:
    """A text of the JSON; empty when something else stands there."""
    return value if isinstance(value, str) else ""


def _is_length(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63


def _name_of(layer: dict[str, Any]) -> str:
    config = config_of(layer)
    name = config.get("name") if isinstance(config, dict) else None
    return words(name) or words(layer.get("name")) or words(layer.get("class_name")).lower()


def _joined(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _calls_of(layer: dict[str, Any]) -> list[Any]:
    calls = layer.get("inbound_nodes")
    return calls if isinstance(calls, list) else []


def _follows(model: dict[str, Any], layer: dict[str, Any]) -> bool:
    """Whether a layer takes what the one before it makes."""
    return model.get("class_name") == "Sequential" or "inbound_nodes" not in layer


def _given(model: dict[str, Any], layers: list[dict[str, Any]], calls: list[list[str]]) -> dict[int, list[list[str]]]:
    """What the layers of a nested model are given from outside, by their identities."""
    if not calls or not layers:
        return {}
    names = [tensor.layer for tensor in _tensors(config_of(model).get("input_layers"))]
    by_name = {_name_of(layer): layer for layer in reversed(layers)}
    doors = [by_name[name] for name in names if name in by_name] or layers[:1]
    given: dict[int, list[list[str]]] = {}
    for call in calls:
        for place, source in enumerate(call):
            given.setdefault(id(doors[min(place, len(doors) - 1)]), []).append([source])
    return given


def _tensors(value: object) -> Iterator[Tensor]:
    """All tensors that are told of in the arguments of a call, in their order."""
    if isinstance(value, dict):
        if value.get("class_name") == "__keras_tensor__":
            yield from _keras_tensor(value.get("config"))
        else:
            for inner in value.values():
                yield from _tensors(inner)
    elif isinstance(value, list):
        if _is_history(value):
            yield Tensor(value[0], value[2], None)
            value = value[3:]
        for inner in value:
            yield from _tensors(inner)


def _keras_tensor(config: object) -> Iterator[Tensor]:
    if isinstance(config, dict) and _is_history(config.get("keras_history")):
        history = config["keras_history"]
        yield Tensor(history[0], history[2], shape_in(config.get("shape")))


def _is_history(value: object) -> bool:
    """`["name", node, tensor]`; constants that Keras 2 writes alike have the node -1."""
    return (
        isinstance(value, list)
        and len(value) >= 3
        and isinstance(value[0], str)
        and all(_is_length(number) and number >= 0 for number in value[1:3])
    )
