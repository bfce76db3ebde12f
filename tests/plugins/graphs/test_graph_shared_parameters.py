"""Parameters in trees, boxes, prints and exports: each once, in the layer that uses it, lower bounds marked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tbtui.plugins.graphs.formats.documents import iter_dot_lines, iter_json_lines
from tbtui.plugins.graphs.formats.graph_def import read_graph
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.item_columns import list_columns
from tbtui.plugins.graphs.item_labels import label_path, list_item_lines
from tbtui.plugins.graphs.pane.details import collect_details
from tbtui.plugins.graphs.pane.strings import format_status
from tbtui.plugins.graphs.parameter_counts import number_text
from tests.helpers.graph_bytes import graph, node
from tests.helpers.hierarchy_text import item


def torch_node(name: str, op: str, *inputs: str, shape: Any = None, attr: str = "{}") -> Any:
    return node(name, op, *inputs, shapes=None if shape is None else (shape,), attr=attr)


def parameter(path: str, number: int) -> Any:
    name = path.rsplit("/", 1)[-1]
    return torch_node(f"{path}/{name}.{number}", "prim::GetAttr", "m", attr=f"{{ name :  {name} }}")


def hierarchy_of(*nodes: Any) -> Hierarchy:
    return Hierarchy(build_graph(read_graph(graph(*nodes).SerializeToString())))


def tied() -> Hierarchy:
    """Two layers of a list that share one weight, each called twice; names as PyTorch 2.13 writes them."""
    weight = "Net/ModuleList[m]/Linear[0]/weight"
    calls = [("Linear[0]", 1), ("Linear[1]", 3), ("Linear[0]", 5), ("Linear[1]", 7)]
    return hierarchy_of(
        torch_node("input/x", "IO Node", shape=(1, 8)),
        *(parameter(weight, number) for _, number in calls),
        *(
            torch_node(
                f"Net/{layer}/{40 + number}", "aten::linear", "input/x", f"{weight}/weight.{number}", shape=(1, 8)
            )
            for layer, number in calls
        ),
    )


def embedded() -> Hierarchy:
    """An embedding, whose size is unknown, and a layer of 640 parameters."""
    return hierarchy_of(
        torch_node("input/x", "IO Node", shape=(1, 8)),
        parameter("Net/Embedding[e]/weight", 1),
        torch_node(
            "Net/Embedding[e]/30", "aten::embedding", "Net/Embedding[e]/weight/weight.1", "input/x", shape=(1, 64)
        ),
        parameter("Net/Linear[l]/weight", 3),
        torch_node(
            "Net/Linear[l]/31", "aten::linear", "Net/Embedding[e]/30", "Net/Linear[l]/weight/weight.3", shape=(1, 10)
        ),
    )


def test_shared_weight_counts_once_in_each_layer_and_in_all() -> None:
    graph = tied()
    names = ("", "Net", "Net/ModuleList[m]", "Net/Linear[0]", "Net/Linear[1]", "Net/ModuleList[m]/Linear[0]/weight")
    assert {name: graph.parameters.text(item(graph, name)) for name in names} == dict.fromkeys(names, "64")
    assert format_status(graph, None, 80, hubs_aside=True) == "9 ops · 64 parameters"
    weight = "Net/ModuleList[m]/Linear[0]/weight/weight"
    assert [graph.parameters.text(item(graph, f"{weight}.{number}")) for number in (1, 3, 5, 7)] == ["64", "", "", ""]
    assert f"same parameter as {weight}.1" in collect_details(graph, item(graph, f"{weight}.5")).properties


def test_shared_weight_has_one_count_in_json() -> None:
    document = json.loads("".join(iter_json_lines(tied().graph, {})))
    first = "Net/ModuleList[m]/Linear[0]/weight/weight.1"
    assert (document["parameters"], document["parameters_at_least"]) == (64, False)
    assert sum(each["parameters"] for each in document["nodes"]) == 64
    assert [each.get("parameter_of") for each in document["nodes"][1:5]] == [None, first, first, first]


def test_lower_bound_is_marked_wherever_it_stands() -> None:
    graph = embedded()
    scope = item(graph, "Net")
    params = next(column for column in list_columns(graph, None) if column.title == "params")
    assert params.text(scope) == "640+"
    assert params.text(item(graph, "Net/Linear[l]")) == "640"
    assert params.text(item(graph, "Net/Embedding[e]")) == "?"
    assert format_status(graph, None, 80, hubs_aside=True) == "5 ops · 640+ parameters"
    assert list_item_lines(graph, scope)[-1] == "640+ parameters"
    assert "640+ parameters" in collect_details(graph, scope).properties
    assert "? parameters" in "".join(iter_dot_lines(graph, "a"))
    document = json.loads("".join(iter_json_lines(graph.graph, {})))
    assert (document["parameters"], document["parameters_at_least"]) == (640, True)


@pytest.mark.parametrize(
    ("count", "is_at_least", "text"),
    [
        (0, False, ""), (0, True, "?"), (4160, True, "4,160+"), (999_999, False, "999,999"),
        (12_499_999, False, "12.5M"), (12_499_999, True, "12.4M+"),
    ],
)  # fmt: skip
def test_count_text_marks_and_never_raises_a_lower_bound(count: int, is_at_least: bool, text: str) -> None:
    assert number_text(count, 8, is_at_least=is_at_least) == text


def test_variables_belong_to_the_layer_that_computes_with_them() -> None:
    graph = hierarchy_of(
        node("x", "Placeholder"),
        node("kernel", "VarHandleOp", dtype=1, shape=(3, 4)),
        node("a/Read", "ReadVariableOp", "kernel"),
        node("a/MatMul", "MatMul", "x", "a/Read"),
        node("b/Read", "ReadVariableOp", "kernel"),
        node("b/MatMul", "MatMul", "a/MatMul", "b/Read"),
        node("train/update/w", "ResourceApplyGradientDescent", "kernel", "rate", "gradients/MatMul"),
        node("gradients/MatMul", "MatMul", "b/MatMul", "b/Read"),
    )
    names = ("", "a", "b", "train", "gradients", "kernel")
    assert [graph.parameters.text(item(graph, name)) for name in names] == ["12", "12", "12", "", "", "12"]


@pytest.mark.parametrize(
    ("name", "op", "label"),
    [
        ("input", "aten::relu", "relu"),
        ("input.3", "aten::add", "add"),
        ("329", "aten::slice", "slice"),
        ("attn_output.1", "aten::linear", "attn_output.1"),
        ("h", "aten::linear", "h"),
        ("input", "MatMul", "input"),
        ("329", "IO Node", "329"),
    ],
)
def test_nodes_of_traces_have_types_in_place_of_numbers(name: str, op: str, label: str) -> None:
    graph = hierarchy_of(torch_node(f"Net/{name}", op), torch_node("Net/x", "aten::cat"))
    shown = item(graph, f"Net/{name}")
    assert (graph.leaf(shown), graph.name(shown)) == (label, f"Net/{name}")
    assert label_path(graph, shown) == f"Net/{label}"
    assert list_item_lines(graph, shown)[0] == label


def test_series_of_numbered_values_is_named_by_its_type() -> None:
    graph = hierarchy_of(*(torch_node(f"Net/{number}", "aten::Int") for number in range(489, 495)))
    assert graph.leaf(item(graph, "Net/[489-494]")) == "Int[489-494]"
