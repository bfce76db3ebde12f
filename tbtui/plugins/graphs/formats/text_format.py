"""Write graphs in the text format of `GraphDef`, as in TensorFlow's `.pbtxt` files and TensorBoard's upload.

Fields that the readers skip (`schema`) are missing; tbtui shows none of them.
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
"""A line with a type; texts in this format have no line breaks, so that no text can match."""


def encode_text_proto(graph: OpGraph | LayerGraph) -> str:
    """Return a graph in protobuf text format; layers of a model become nodes as in TensorBoard.

    Raises:
        GraphError: Some names cannot be encoded.
    """
    try:
        return _TYPE.sub(_with_type_name, text_format.MessageToString(build_graph_def(graph)))
    except (UnicodeDecodeError, TypeError) as error:
        # The exception depends on whether protobuf decodes the names or sorts them.
        raise GraphError("some attributes have names that are not texts") from error


def build_graph_def(graph: OpGraph | LayerGraph) -> Any:
    """Return a graph as one `GraphDef`."""
    if not isinstance(graph, OpGraph):
        return _build_layer_graph_def(graph)
    return graph.messages[0] if len(graph.messages) == 1 else _merge(graph)


def _with_type_name(match: re.Match[str]) -> str:
    number = int(match[2])
    name = _TYPES.get(number % REFERENCE_OFFSET)
    return match[0] if name is None else f"{match[1]}{name}{'_REF' if number > REFERENCE_OFFSET else ''}"


def _build_layer_graph_def(graph: LayerGraph) -> Any:
    graph_message = message("GraphDef")()
    for row, name in enumerate(graph.names):
        node = graph_message.node.add(name=name, op=graph.ops[row], input=graph.inputs[row])
        node.attr["keras_class"].s = graph.ops[row].encode()
        shapes = graph.shapes(row)
        for shape in shapes:
            shape_field = node.attr[OUTPUT_SHAPES].list.shape.add(unknown_rank=shape is None)
            for size in shape or ():
                shape_field.dim.add(size=size)
    return graph_message


def _merge(graph: OpGraph) -> Any:
    """Merge several graphs, with the names of the columns."""
    graph_message = message("GraphDef")()
    graph_message.versions.CopyFrom(graph.messages[0].versions)
    rows = len(graph.names) - sum(len(function.nodes) for function in graph.functions)
    for row in range(rows):
        _copy_node(graph_message.node.add(), graph, row)
    messages = (function for part in graph.messages for function in part.library.function)
    for function_message, function in zip(messages, graph.functions, strict=True):
        copied = graph_message.library.function.add()
        copied.CopyFrom(function_message)
        copied.signature.name = function.name
        del copied.node_def[:]
        for row in function.nodes:
            _copy_node(copied.node_def.add(), graph, row)
    return graph_message


def _copy_node(node: Any, graph: OpGraph, row: int) -> None:
    node.CopyFrom(graph.node(row))
    node.name, node.op = graph.names[row], graph.ops[row]
    node.input[:] = graph.inputs[row]
    rename = graph.renaming(row)
    for value in node.attr.values():
        for function in (*([value.func] if value.HasField("func") else []), *value.list.func):
            function.name = rename(text(function.name))
