"""Graphs of operations from bytes: whole, merged, damaged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.plugins.graphs.formats.graph_def import OpGraph, read_graph, read_meta_graph, read_run_metadata
from tbtui.plugins.graphs.formats.salvage import GraphError
from tests.helpers.event_bytes import field, tensor
from tests.helpers.graph_bytes import function, graph, node, run_metadata, shape_proto
from tests.helpers.property_examples import examples

FLOAT, INT32, RESOURCE = 1, 3, 20


def read(*nodes: Any, functions: Any = ()) -> OpGraph:
    return read_graph(graph(*nodes, functions=functions).SerializeToString())


def texts(made: OpGraph, row: int = 0) -> dict[str, str]:
    return dict(made.attributes(row))


def test_graph_columns_equal_the_recorded_nodes() -> None:
    made = read(node("a/x", "Placeholder", device="/cpu:0"), node("a/y", "Add", "a/x", "b:1", "^c"), node("", ""))
    assert made.names == ["a/x", "a/y", ""]
    assert made.ops == ["Placeholder", "Add", ""]
    assert made.devices == ["/cpu:0", "", ""]
    assert made.inputs == [[], ["a/x", "b:1", "^c"], []]
    assert (made.functions, made.layers, made.notes) == ([], False, ())


def test_graph_invalid_utf8_names_have_replacement_characters() -> None:
    bad = field(1, field(1, b"a\xff") + field(2, b"Op\xff") + field(3, b"in\xff") + field(4, b"gpu\xff"))
    made = read_graph(bad + graph(node("b")).SerializeToString())
    assert (made.names, made.ops, made.inputs, made.devices) == (
        ["a�", "b"],
        ["Op�", "Op"],
        [["in�"], []],
        ["gpu�", ""],
    )


@pytest.mark.parametrize(
    ("made", "shapes"),
    [
        (node("n", shapes=((32, 10), None, ())), ((32, 10), None, ())),
        (node("n", shapes=((-1, 3), (-7,))), ((-1, 3), (-1,))),
        (node("n", shapes=((1,) * 255,)), (None,)),
        (node("n", shapes=()), ()),
        (node("n"), ()),
        (node("n", "Const", value=get_message_class("AttrValue")(tensor=tensor(FLOAT, (2, 3)))), ((2, 3),)),
        (node("n", "Placeholder", dtype=FLOAT, shape=(-1, 4)), ((-1, 4),)),
        (node("n", "VariableV2", dtype=FLOAT, shape=None), (None,)),
        (node("n", "VarHandleOp", shapes=((),), dtype=FLOAT, shape=(3, 4)), ((3, 4),)),
    ],
)
def test_graph_output_shapes(made: Any, shapes: Any) -> None:
    assert read(made).shapes(0) == shapes


def test_graph_row_out_of_range_raises_index_error() -> None:
    with pytest.raises(IndexError):
        read(node("a")).shapes(1)
    with pytest.raises(IndexError):
        read(node("a")).attributes(-1)


def attr(**fields: Any) -> Any:
    return get_message_class("AttrValue")(**fields)


def listed(**fields: Any) -> Any:
    return attr(list=get_message_class("AttrList")(**fields))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (attr(i=-3), "-3"),
        (attr(f=0.1), "0.1"),
        (attr(b=True), "True"),
        (attr(s=b"SAME\nor not"), "SAME or not"),
        (attr(s=b"\xff"), "�"),
        (attr(s=b"x" * 2000), "x" * 240 + "… (2,000 bytes)"),
        (attr(type=1), "float32"),
        (attr(type=101), "float32_ref"),
        (attr(type=19), "float16"),
        (attr(type=20), "resource"),
        (attr(type=77), "type 77"),
        (attr(shape=shape_proto((-1, 3))), "?×3"),
        (attr(shape=shape_proto(())), "scalar"),
        (attr(shape=shape_proto(None)), "any shape"),
        (attr(placeholder="T"), "$T"),
        (attr(func={"name": "body"}), "body"),
        (attr(), "not set"),
        (listed(i=[1, 2, 2, 1]), "[1, 2, 2, 1]"),
        (listed(i=range(100)), "[" + ", ".join(map(str, range(16))) + ", … (100 in all)]"),
        (listed(s=[b"loc:@w"]), "[loc:@w]"),
        (listed(type=[1, 9]), "[float32, int64]"),
        (listed(shape=[shape_proto((2,)), shape_proto(None)]), "[2, any shape]"),
        (listed(func=[get_message_class("NameAttrList")(name="f")]), "[f]"),
        (listed(), "[]"),
        (attr(tensor=tensor(INT32, (2,), int_val=[3, 4])), "int32 2: 3, 4"),
        (attr(tensor=make_tensor(np.zeros((2, 2), np.float32))), "float32 2×2: 0, 0, 0, 0"),
        (attr(tensor=tensor(7, (), string_val=[b"hi"])), "string scalar: hi"),
        (attr(tensor=tensor(FLOAT, (1 << 40,), float_val=[1.0])), f"float32 {1 << 40}"),
        (attr(tensor=tensor(RESOURCE, ())), "resource scalar"),
        (attr(tensor=tensor(FLOAT, (300, 300), tensor_content=bytes(360_000))), "float32 300×300"),
    ],
)
def test_graph_attributes_are_described(value: Any, text: str) -> None:
    assert texts(read(node("n", a=value))) == {"a": text}


def test_graph_iterator_outputs_have_shapes_and_data_sets_none() -> None:
    said = listed(shape=[shape_proto((-1, 8)), shape_proto(())])
    made = read(node("n", "IteratorGetNext", output_shapes=said), node("d", "BatchDataset", output_shapes=said))
    assert [made.shapes(0), made.shapes(1)] == [((-1, 8), ()), ()]


def test_graph_attributes_are_sorted_including_unknown_ones() -> None:
    made = read(node("n", zebra=1, _class=listed(s=[b"loc:@w"]), T=FLOAT, attr="{ name :  bias }"))
    assert [name for name, _ in made.attributes(0)] == ["T", "_class", "attr", "zebra"]


def test_graph_functions_are_a_separate_section() -> None:
    body = function(
        "inner",
        [("x", FLOAT), ("w", RESOURCE)],
        {"y": "Relu:activations:0"},
        node("MatMul", "MatMul", "x", "w"),
        node("Relu", "Relu", "MatMul:product:0"),
    )
    body.arg_attr[0].attr["_output_shapes"].list.shape.add().dim.add(size=-1)
    empty = function("empty", [], {})
    made = read(node("a"), node("call", "inner", "a"), functions=[body, empty])
    assert made.names == ["a", "call", "MatMul", "Relu"]
    assert made.inputs[3] == ["MatMul:product:0"]
    first, second = made.functions
    arguments = ("x", "float32"), ("w", "resource")
    assert first == ("inner", arguments, ("y",), ("Relu:activations:0",), range(2, 4), ((-1,), None))
    assert second == ("empty", (), (), (), range(4, 4), ())


def test_graph_argument_types_may_be_attributes_and_sources_none() -> None:
    body = function("f", [], {"y": "a:0"})
    body.signature.input_arg.add(name="x", type_attr="T")
    body.signature.input_arg.add(name="xs", type_list_attr="Tin")
    body.ret.clear()
    made = read(functions=[body])
    assert made.functions[0].arguments == (("x", "T"), ("xs", "Tin"))
    assert made.functions[0].returned == ("",)


def test_graph_single_graph_of_run_metadata_is_unchanged() -> None:
    made = read_run_metadata(run_metadata(graph(node("a"), node("b", "Add", "a", "^a"))))
    assert made.names == ["a", "b"]
    assert made.inputs[1] == ["a", "^a"]


def test_graph_several_graphs_become_scopes_of_one() -> None:
    calls = graph(
        node("a"),
        node("call", "f", "a:0", "^a", g=attr(func={"name": "f"}), h=attr(func={"name": "other"})),
        functions=[function("f", [], {}, node("inner", "f", "x", "^inner"))],
    )
    made = read_run_metadata(run_metadata(graph(node("a", "Const")), calls))
    assert made.names == ["graph_1/a", "graph_2/a", "graph_2/call", "inner"]
    assert made.inputs[2] == ["graph_2/a:0", "^graph_2/a"]
    assert made.ops == ["Const", "Op", "graph_2_f", "graph_2_f"]
    assert made.inputs[3] == ["x", "^inner"]
    assert [found.name for found in made.functions] == ["graph_2_f"]
    assert texts(made, 2) == {"g": "graph_2_f", "h": "other"}


def test_graph_numbers_are_kept_if_others_are_empty() -> None:
    made = read_run_metadata(run_metadata(graph(), graph(node("a"))))
    assert made.names == ["graph_2/a"]


def test_graph_run_metadata_without_the_original_uses_another() -> None:
    metadata = get_message_class("RunMetadata")()
    metadata.function_graphs.add(post_optimization_graph=graph(node("after")))
    metadata.function_graphs.add(partition_graphs=[graph(node("part")), graph(node("other part"))])
    made = read_run_metadata(metadata.SerializeToString())
    assert made.names == ["graph_1/after", "graph_2/part", "graph_2/other part"]
    only_parts = get_message_class("RunMetadata")(partition_graphs=[graph(node("cpu")), graph(node("gpu"))])
    assert read_run_metadata(only_parts.SerializeToString()).names == ["graph_1/cpu", "graph_2/gpu"]


def test_graph_of_a_meta_graph() -> None:
    meta = get_message_class("MetaGraphDef")(graph_def=graph(node("a")))
    assert read_meta_graph(meta.SerializeToString()).names == ["a"]


@pytest.mark.parametrize(
    ("work", "why"),
    [
        (lambda: read_graph(b""), "the graph has no nodes"),
        (lambda: read_graph(b"no graph at all"), "the bytes of the graph are damaged"),
        (lambda: read_meta_graph(b""), "the graph has no nodes"),
        (lambda: read_meta_graph(b"\xff"), "the bytes of the meta graph are damaged"),
        (lambda: read_run_metadata(b""), "the run metadata hold no graph"),
        (lambda: read_run_metadata(b"\xff"), "the bytes of the run metadata are damaged"),
        (lambda: read_run_metadata(run_metadata(graph(), graph())), "the run metadata hold no graph"),
    ],
)
def test_graph_invalid_bytes_are_refused_with_a_message(work: Any, why: str) -> None:
    with pytest.raises(GraphError, match=f"^{why}$"):
        work()


def test_graph_truncated_keeps_whole_nodes() -> None:
    data = graph(node("a"), node("b", "Add", "a")).SerializeToString()
    made = read_graph(data[:-1])
    assert made.names == ["a"]
    assert made.notes == (
        f"{len(graph(node('b', 'Add', 'a')).SerializeToString()) - 1} bytes at the end of the graph cannot be read",
    )


def test_graph_unreadable_nodes_and_functions_are_counted() -> None:
    damaged = field(1, field(1, b"bad") + b"\x1a\x7fx")
    library = field(2, field(1, b"\x0a\x7f") + field(1, function("f", [], {}, node("n")).SerializeToString()))
    made = read_graph(graph(node("a")).SerializeToString() + damaged * 2 + library)
    assert made.names == ["a", "n"]
    assert [found.name for found in made.functions] == ["f"]
    assert made.notes == ("2 nodes that cannot be read are left out", "1 function that cannot be read is left out")


def test_graph_truncated_function_keeps_whole_nodes() -> None:
    body = function("f", [("x", FLOAT)], {}, node("n"), node("cut"))
    made = read_graph(graph(node("a"), functions=[function("g", [], {}, node("m")), body]).SerializeToString()[:-2])
    assert [(found.name, found.arguments) for found in made.functions] == [("g", ()), ("f", (("x", "float32"),))]
    assert made.names == ["a", "m", "n"]
    assert made.notes == ("9 bytes at the end of the graph cannot be read",)


def test_graph_function_without_a_name_is_dropped() -> None:
    data = graph(node("a"), functions=[function("f" * 100, [], {}, node("n"))]).SerializeToString()
    assert read_graph(data[:50]).functions == []


def test_graph_truncated_run_metadata_keeps_whole_nodes() -> None:
    whole = run_metadata(graph(node("a")), graph(node("b"), node("cut")))
    made = read_run_metadata(whole[:-1])
    assert made.names == ["graph_1/a", "graph_2/b"]
    assert made.notes == ("10 bytes at the end of the run metadata cannot be read",)


def test_graph_cut_between_two_nodes_is_reported() -> None:
    first = run_metadata(graph(node("a")))
    whole = run_metadata(graph(node("a"), node("b")))
    made = read_run_metadata(whole[: len(first)])
    assert (made.names, made.notes) == (["a"], ("the end of the run metadata is missing",))


def test_graph_truncated_meta_graph_keeps_whole_nodes() -> None:
    made = read_meta_graph(field(2, graph(node("a"), node("cut")).SerializeToString())[:-1])
    assert (made.names, made.notes) == (["a"], ("10 bytes at the end of the meta graph cannot be read",))


def test_graph_unreadable_bytes_between_fields_are_counted() -> None:
    odd = field(4, b"\x08")
    made = read_graph(graph(node("a")).SerializeToString() + odd + graph(node("b")).SerializeToString())
    assert made.names == ["a", "b"]
    assert made.notes == (f"{len(odd)} bytes in the graph cannot be read",)


def test_graph_invalid_utf8_attributes_have_replacement_characters() -> None:
    bad = field(5, field(1, b"\xff") + field(2, attr(i=3).SerializeToString()))
    named = field(1, field(1, b"n") + bad + bad.replace(b"\xff", b"i"))
    made = read_graph(
        named + field(2, field(1, field(1, field(1, b"f")) + field(4, field(1, b"\xff") + field(2, b"y"))))
    )
    assert made.attributes(0) == (("i", "3"), ("\ufffd", "3"))
    assert made.functions[0].name == "f"


def test_graph_names_of_any_length_and_duplicates_are_read() -> None:
    made = read(node("x" * 2000), node("twice"), node("twice", "Op", "twice"))
    assert [len(name) for name in made.names] == [2000, 5, 5]


WHOLE = graph(
    node("a", "Placeholder", shapes=((-1, 4),), dtype=FLOAT, shape=(-1, 4)),
    node("w", "VarHandleOp", dtype=FLOAT, shape=(4, 2), _class=listed(s=[b"loc:@w"])),
    node("p/weight", "prim::GetAttr", attr="{ name :  weight }"),
    node("p/linear", "aten::linear", "a", "p/weight", shapes=((-1, 4),), attr="{}"),
    node("mm", "MatMul", "a", "w", shapes=((-1, 2),), T=FLOAT, v=attr(tensor=tensor(FLOAT, (2,), float_val=[1.0]))),
    functions=[function("f", [("x", FLOAT)], {"y": "n:0"}, node("n", "Relu", "x"))],
).SerializeToString()
"""A bit of everything."""

SEVERAL = run_metadata(graph(node("a")), get_message_class("GraphDef").FromString(WHOLE))


def look_at_all_of(made: OpGraph) -> None:
    """Everything a pane asks."""
    count = len(made.names)
    assert {len(made.ops), len(made.devices), len(made.inputs)} == {count}
    for row in range(count):
        assert all(shape is None or min(shape, default=0) >= -1 for shape in made.shapes(row))
        assert made.parameters(row) >= 0
        assert all(len(text) < 300 for _, text in made.attributes(row))
    ends = [found.nodes.stop for found in made.functions]
    assert all(0 <= found.nodes.start <= found.nodes.stop <= count for found in made.functions)
    assert ends == sorted(ends)
    assert all(isinstance(note, str) for note in made.notes)


@given(st.integers(0, len(WHOLE)), st.sampled_from([read_graph, read_meta_graph, read_run_metadata]))
def test_graph_truncated_anywhere_is_read_or_refused(end: int, reader: Any) -> None:
    for data in (WHOLE[:end], SEVERAL[:end], field(2, WHOLE[:end])):
        try:
            made = reader(data)
        except GraphError:
            continue
        look_at_all_of(made)


@settings(max_examples=examples(300))
@given(
    st.lists(st.tuples(st.integers(0, len(SEVERAL) - 1), st.integers(0, 255)), min_size=1, max_size=5), st.booleans()
)
def test_graph_with_changed_bytes_is_read_or_refused(changes: list[tuple[int, int]], several: bool) -> None:
    data = bytearray(SEVERAL if several else WHOLE)
    for at, byte in changes:
        data[at % len(data)] = byte
    try:
        made = (read_run_metadata if several else read_graph)(bytes(data))
    except GraphError:
        return
    look_at_all_of(made)
