"""Make graphs and models as writers serialize them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tbtui.events.schema import get_message_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    Shape = Sequence[int] | None


def shape_proto(shape: Shape) -> Any:
    """A `TensorShapeProto`; None is one of any rank."""
    dims = [get_message_class("Dim")(size=size) for size in shape or ()]
    return get_message_class("TensorShapeProto")(dim=dims, unknown_rank=shape is None)


def attribute(value: Any) -> Any:
    """An `AttrValue` of what a value is: bool, float, int, bytes, text (an own string), or the message itself."""
    fields = {bool: "b", float: "f", int: "i", bytes: "s"}
    if type(value) in fields:
        return get_message_class("AttrValue")(**{fields[type(value)]: value})
    return get_message_class("AttrValue")(s=value.encode()) if isinstance(value, str) else value


def node(
    name: str,
    op: str = "Op",
    *inputs: str,
    device: str = "",
    shapes: Sequence[Shape] | None = None,
    shape: Shape = (),
    dtype: int = 0,
    T: int = 0,  # noqa: N803 - as TensorFlow calls it
    **attributes: Any,
) -> Any:
    """A `NodeDef`.

    Args:
        name: Of the node.
        op: Its type.
        inputs: As written.
        device: Where it is placed.
        shapes: Of its outputs, for `_output_shapes`.
        shape: Its attribute of that name, written with `dtype` alone.
        dtype: Likewise.
        T: Likewise.
        attributes: Others, as `attribute` has them.
    """
    made = get_message_class("NodeDef")(name=name, op=op, input=inputs)
    if device:
        made.device = device
    if shapes is not None:
        made.attr["_output_shapes"].list.SetInParent()
        made.attr["_output_shapes"].list.shape.extend(map(shape_proto, shapes))
    if dtype:
        made.attr["dtype"].type = dtype
        made.attr["shape"].shape.CopyFrom(shape_proto(shape))
    if T:
        made.attr["T"].type = T
    for key, value in attributes.items():
        made.attr[key].CopyFrom(attribute(value))
    return made


def function(name: str, arguments: Sequence[tuple[str, int]], outputs: dict[str, str], *nodes: Any) -> Any:
    """A `FunctionDef`: arguments with their types, outputs with where they come from."""
    made = get_message_class("FunctionDef")(node_def=nodes)
    made.signature.name = name
    for argument, kind in arguments:
        made.signature.input_arg.add(name=argument, type=kind)
    for output, source in outputs.items():
        made.signature.output_arg.add(name=output, type=1)
        made.ret[output] = source
    return made


def graph(*nodes: Any, functions: Sequence[Any] = ()) -> Any:
    """A `GraphDef`."""
    made = get_message_class("GraphDef")(node=nodes)
    if functions:
        made.library.function.extend(functions)
    return made


def run_metadata(*graphs: Any) -> bytes:
    """`RunMetadata` of functions that were traced, each with the graph from before it was optimised."""
    made = get_message_class("RunMetadata")()
    for each in graphs:
        made.function_graphs.add(pre_optimization_graph=each)
    return made.SerializeToString()


def model(*layers: Any, class_name: str = "Sequential", name: str = "net", **config: Any) -> dict[str, Any]:
    """A Keras model's JSON."""
    return {"class_name": class_name, "config": {"name": name, "layers": list(layers), **config}}


def layer(class_name: str, name: str, *, calls: Any = None, built: Any = None, **config: Any) -> dict[str, Any]:
    """A layer in it; `calls` are its inbound nodes, `built` the shape it was built for."""
    made: dict[str, Any] = {"class_name": class_name, "config": {"name": name, **config}}
    if calls is not None:
        made["inbound_nodes"] = calls
    if built is not None:
        made["build_config"] = {"input_shape": built}
    return made


def call(*tensors: Any) -> dict[str, Any]:
    """An inbound node of Keras 3, of `(layer, shape)` or `(layer, shape, output)`."""
    return {"args": [keras_tensor(*tensor) for tensor in tensors], "kwargs": {}}


def keras_tensor(name: str, shape: Any = None, output: int = 0) -> dict[str, Any]:
    """A tensor as Keras 3 writes it."""
    return {"class_name": "__keras_tensor__", "config": {"shape": shape, "keras_history": [name, 0, output]}}


def encoded(written: Any) -> bytes:
    """JSON as it is stored."""
    return json.dumps(written).encode()


def dense_model(count: int) -> bytes:
    """A sequential model of so many dense layers."""
    start = layer("InputLayer", "input", batch_shape=[None, 64])
    return encoded(model(start, *(layer("Dense", f"dense_{number}", units=64) for number in range(count - 1))))
