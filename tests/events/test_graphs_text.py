"""Graphs in protobuf's text format."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import text_format

from tbtui.events.schema import get_message_class
from tbtui.plugins.graphs.formats.documents import build_graph_def, encode_text_proto
from tbtui.plugins.graphs.formats.graph_def import read_graph, read_run_metadata
from tbtui.plugins.graphs.formats.keras import read_keras_model
from tbtui.plugins.graphs.formats.salvage import GraphError
from tests.helpers.event_bytes import field
from tests.helpers.graph_bytes import encoded, function, graph, layer, model, node, run_metadata


def test_graph_text_equals_protobuf_with_type_names() -> None:
    made = read_graph(graph(node("a", "Placeholder", T=1), node("b", "Assign", "a", T=101)).SerializeToString())
    first = 'node {\n  name: "a"\n  op: "Placeholder"\n'
    second = 'node {\n  name: "b"\n  op: "Assign"\n  input: "a"\n'
    typed = '  attr {{\n    key: "T"\n    value {{\n      type: {}\n    }}\n  }}\n}}\n'
    assert encode_text_proto(made) == first + typed.format("DT_FLOAT") + second + typed.format("DT_FLOAT_REF")


def test_graph_text_strings_like_types_stay_and_unknown_types_are_numbers() -> None:
    written = graph(node("type: 1\n  type: 1", dtype=77), node("h", dtype=19))
    told = encode_text_proto(read_graph(written.SerializeToString()))
    assert 'name: "type: 1\\n  type: 1"' in told
    assert "type: 77" in told
    assert "type: DT_HALF" in told


def test_graph_text_reads_back_to_the_same_graph() -> None:
    written = graph(node("a", shapes=((-1, 3), None), text="x"), functions=[function("f", [], {}, node("n"))])
    told = encode_text_proto(read_graph(written.SerializeToString()))
    assert text_format.Parse(told, get_message_class("GraphDef")()) == written


def test_graph_text_several_graphs_are_written_as_one() -> None:
    func: Any = get_message_class("AttrValue")(func={"name": "f"})
    calls = graph(node("call", "f", "a:1", "^a", g=func), functions=[function("f", [], {}, node("n", "f", "x"))])
    made = build_graph_def(read_run_metadata(run_metadata(graph(node("a")), calls)))
    assert [each.name for each in made.node] == ["graph_1/a", "graph_2/call"]
    assert list(made.node[1].input) == ["graph_2/a:1", "^graph_2/a"]
    assert (made.node[1].op, made.node[1].attr["g"].func.name) == ("graph_2_f", "graph_2_f")
    assert made.library.function[0].signature.name == "graph_2_f"
    assert [(each.name, each.op, list(each.input)) for each in made.library.function[0].node_def] == [
        ("n", "graph_2_f", ["x"])
    ]


def test_graph_text_layers_are_nodes_with_class_and_shape() -> None:
    start = layer("InputLayer", "x", batch_shape=[None, 4])
    made = build_graph_def(read_keras_model(encoded(model(start, layer("Dense", "d", units=3)))))
    assert [(each.name, each.op, list(each.input)) for each in made.node] == [
        ("net/x", "InputLayer", []),
        ("net/d", "Dense", ["net/x"]),
    ]
    assert made.node[1].attr["keras_class"].s == b"Dense"
    assert [dim.size for dim in made.node[1].attr["_output_shapes"].list.shape[0].dim] == [-1, 3]


@pytest.mark.parametrize("names", [(b"\xff",), (b"\xff", b"T")])
def test_graph_text_unsupported_graph_is_refused_with_a_message(names: tuple[bytes, ...]) -> None:
    bad = field(1, field(1, b"n") + b"".join(field(5, field(1, name)) for name in names))
    with pytest.raises(GraphError, match="some attributes have names that are not texts"):
        encode_text_proto(read_graph(bad))
