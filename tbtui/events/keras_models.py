"""A Keras model's JSON to a graph of its layers, which TensorBoard calls the conceptual graph."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tbtui.events.graph_attributes import Attribute, cut
from tbtui.events.graph_errors import GraphError
from tbtui.events.keras_layers import Layers, layers_of, words

if TYPE_CHECKING:
    from tbtui.events.graph_attributes import Shape

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")

MOST_CLASSES = 5
"""Of layers with unknown parameters that are named."""


class LayerGraph:
    """A graph of layers as columns, one entry for each; what only a few are asked for is found out then."""

    layers: Final = True
    functions: Final = ()

    def __init__(self, found: Layers) -> None:
        self._found = found
        rows = found.layers
        self.names = [layer.name for layer in rows]
        self.ops = [layer.class_name for layer in rows]
        self.devices = [""] * len(rows)
        self.inputs = [layer.inputs for layer in rows]
        """`name`, or `name:1` for an output that is not the first."""

    @property
    def losses(self) -> tuple[str, ...]:
        """What is not in it because it could not be read, in plain words with counts."""
        lost = self._found.unreadable
        if not lost:
            return ()
        return (
            f"{lost:,} {'layer that cannot be read is' if lost == 1 else 'layers that cannot be read are'} left out",
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What could not be read, in plain words with counts."""
        untold = [op for op, count in zip(self.ops, self._counts, strict=True) if count is None]
        notes = list(self.losses)
        if untold:
            classes = list(dict.fromkeys(untold))
            named = ", ".join(classes[:MOST_CLASSES]) + (", …" if len(classes) > MOST_CLASSES else "")
            notes.append(f"the parameters of {len(untold):,} layers are not counted: {cut(named)}")
        return tuple(notes)

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Of the outputs of a layer, as far as they were written or follow from its inputs; -1 is any length."""
        found: tuple[Shape | None, ...] = self._shapes.of(node)
        return found

    def parameters(self, node: int) -> int:
        """How many numbers a layer trains, or would if it were not frozen; 0 where that does not follow."""
        return self._counts[node] or 0

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """What the layer was made with, in the order of the names."""
        layer = self._found.layers[node]
        items = layer.config.items()
        return tuple(sorted(Attribute(name, cut(value_text(value))) for name, value in items if name != "name"))

    @cached_property
    def _shapes(self) -> Any:
        from tbtui.events.keras_shapes import LayerShapes

        return LayerShapes(self._found)

    @cached_property
    def _counts(self) -> list[int | None]:
        from tbtui.events.keras_parameters import parameters_of

        return [parameters_of(layer, self._shapes.taken(row)) for row, layer in enumerate(self._found.layers)]


def read_keras_model(data: bytes) -> LayerGraph:
    """The layers of a model that was written as JSON, by Keras 2 or 3.

    Raises:
        GraphError: It is no JSON, no model, or one that does not tell its layers.
    """
    try:
        model = _parsed(data)
    except RecursionError as error:
        raise GraphError("the model is nested too deep to be shown") from error
    except ValueError as error:
        raise GraphError(f"the model is no valid JSON: {error}") from error
    if not isinstance(model, dict):
        raise GraphError("the JSON here describes no model")
    if layers_of(model) is None:
        name = cut(words(model.get("class_name"))) or "model"
        raise GraphError(f"the layers of this {name} were not written: only sequential and functional models tell them")
    try:
        found = Layers(model)
    except RecursionError as error:
        raise GraphError("the model is nested too deep to be shown") from error
    if not found.layers:
        raise GraphError("the model has no layers")
    return LayerGraph(found)


def _parsed(data: bytes) -> Any:
    """What JSON says; halves of characters, which it may spell but no text may hold, become `?`."""
    model = json.loads(data)
    if _HALF.search(data):
        model = json.loads(json.dumps(model, ensure_ascii=False).encode("utf-8", "replace"))
    return model


def value_text(value: object) -> str:
    """A value of a layer's configuration in one line: objects by their class, `L2(l2=0.01)`."""
    try:
        return _object_text(value) if isinstance(value, dict) else _plain_text(value)
    except RecursionError:
        return "nested too deep to be shown"


def _plain_text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return " ".join(value.split("\n"))
    return json.dumps(value, ensure_ascii=False)


def _object_text(value: dict[str, Any]) -> str:
    """A serialized object of Keras, or any other one as JSON."""
    name, config = value.get("class_name"), value.get("config")
    if not isinstance(name, str):
        return json.dumps(value, ensure_ascii=False)
    told = config if isinstance(config, dict) else {}
    if name == "DTypePolicy" and "name" in told:
        return _plain_text(told["name"])
    inner = ", ".join(f"{key}={json.dumps(each, ensure_ascii=False)}" for key, each in told.items() if each is not None)
    return f"{name}({inner})" if inner else name
