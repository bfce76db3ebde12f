"""Graphs as text: the text format of a `GraphDef`, as TensorFlow's `.pbtxt` files and TensorBoard's upload have it.

What the readers leave out of a message (`schema`) is not in its text either: nothing of it is drawn.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from google.protobuf import text_format

from tbtui.events.schema import message, text
from tbtui.events.tensors import REFERENCE_OFFSET, TYPE_NAMES
from tbtui.plugins.graphs.formats.graph_def import OUTPUT_SHAPES, OpGraph
from tbtui.plugins.graphs.formats.salvage import GraphError

if TYPE_CHECKING:
    from tbtui.plugins.graphs.formats.keras import LayerGraph

_TYPES = {number: f"DT_{name.upper()}" for number, name in TYPE_NAMES.items()}

_TYPE = re.compile(r"^( *(?:type|dtype): )(\d+)$", re.MULTILINE)
"""A line with a type; texts have no line breaks in this format, so it is nothing else."""


def text_proto(graph: OpGraph | LayerGraph) -> str:
    """A graph in the text format of protobuf; a model's layers become nodes as TensorBoard makes them.

    Raises:
        GraphError: It cannot be written so.
    """
    try:
        return _TYPE.sub(_named, text_format.MessageToString(graph_def(graph)))
    except (UnicodeDecodeError, TypeError) as error:
        # Which of them it is depends on whether the names are looked at or put in order.
        raise GraphError("some attributes have names that are no texts") from error


def graph_def(graph: OpGraph | LayerGraph) -> Any:
    """A graph as one `GraphDef`."""
    if not isinstance(graph, OpGraph):
        return _of_layers(graph)
    return graph.messages[0] if len(graph.messages) == 1 else _merged(graph)


def _named(match: re.Match[str]) -> str:
    number = int(match[2])
    name = _TYPES.get(number % REFERENCE_OFFSET)
    return match[0] if name is None else f"{match[1]}{name}{'_REF' if number > REFERENCE_OFFSET else ''}"


def _of_layers(graph: LayerGraph) -> Any:
    made = message("GraphDef")()
    for row, name in enumerate(graph.names):
        node = made.node.add(name=name, op=graph.ops[row], input=graph.inputs[row])
        node.attr["keras_class"].s = graph.ops[row].encode()
        shapes = graph.shapes(row)
        for shape in shapes:
            told = node.attr[OUTPUT_SHAPES].list.shape.add(unknown_rank=shape is None)
            for size in shape or ():
                told.dim.add(size=size)
    return made


def _merged(graph: OpGraph) -> Any:
    """Several graphs as one, whose names are those of the columns."""
    made = message("GraphDef")()
    made.versions.CopyFrom(graph.messages[0].versions)
    rows = len(graph.names) - sum(len(function.nodes) for function in graph.functions)
    for row in range(rows):
        _copy(made.node.add(), graph, row)
    functions = (function for each in graph.messages for function in each.library.function)
    for written, function in zip(functions, graph.functions, strict=True):
        copied = made.library.function.add()
        copied.CopyFrom(written)
        copied.signature.name = function.name
        del copied.node_def[:]
        for row in function.nodes:
            _copy(copied.node_def.add(), graph, row)
    return made


def _copy(node: Any, graph: OpGraph, row: int) -> None:
    node.CopyFrom(graph.node(row))
    node.name, node.op = graph.names[row], graph.ops[row]
    node.input[:] = graph.inputs[row]
    renamed = graph.renaming(row)
    for value in node.attr.values():
        for called in (*([value.func] if value.HasField("func") else []), *value.list.func):
            called.name = renamed(text(called.name))
