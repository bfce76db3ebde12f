"""Search by name, by operation, by device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.plugins.graphs.search import match_items, match_leaves
from tbtui.settings.filters import compile_pattern
from tests.helpers.graphs import Node, two_layers, with_function
from tests.helpers.hierarchy_text import hierarchy, hierarchy_of

if TYPE_CHECKING:
    from tbtui.plugins.graphs.hierarchy import Hierarchy


def names(of: Hierarchy, pattern: str = "", **wanted: frozenset[str]) -> list[str]:
    """Of what is found, in this order."""
    return [of.name(at) for at in match_items(of, compile_pattern(pattern)[0] if pattern else None, **wanted).tolist()]


def test_pattern_matches_names_and_operations_in_tree_order() -> None:
    graph = hierarchy(two_layers())
    assert names(graph, "matmul") == ["dense/MatMul", "out/MatMul"]
    assert names(graph, "^dense/w") == ["dense/w", "dense/w/(w)", "dense/w/read"]
    assert names(graph, "variable") == ["dense/w/(w)", "dense/b", "out/w/(w)", "out/b"]


def test_pattern_embedded_matches_follow_their_host() -> None:
    assert names(hierarchy(two_layers()), "loss") == ["loss", "loss/axis", "loss_1/tags", "loss_1"]
    assert names(hierarchy(two_layers()), "^const$") == ["loss/axis", "loss_1/tags"]


def test_pattern_finds_series_functions_and_each_call_once() -> None:
    assert names(hierarchy_of(*(Node(f"x{number}") for number in range(5))), r"x\[") == ["x[0-4]"]
    assert names(hierarchy(with_function()), "mul") == ["__function_library__square_sum/Mul"]


def test_pattern_empty_matches_everything_but_the_root() -> None:
    graph = hierarchy(with_function())
    assert len(names(graph)) == graph.items - 2


def test_pattern_operations_and_devices_match_nodes_only() -> None:
    graph = hierarchy_of(
        Node("s/a", "Add", device="/gpu:0"), Node("s/b", "Mul", device="/gpu:0"), Node("t/a", "Add"), Node("t/b", "Mul")
    )
    assert names(graph, devices=frozenset({"/gpu:0"})) == ["s/a", "s/b"]
    assert names(graph, devices=frozenset({""})) == ["t/a", "t/b"]
    assert names(graph, ops=frozenset({"Add"})) == ["s/a", "t/a"]
    assert names(graph, "^t", ops=frozenset({"Add", "Mul"}), devices=frozenset({""})) == ["t/a", "t/b"]
    assert names(graph, ops=frozenset()) == []


def own(of: Hierarchy, pattern: str, **wanted: frozenset[str]) -> list[str]:
    """Of what is found by itself."""
    compiled = compile_pattern(pattern)[0]
    return [of.name(at) for at in match_leaves(of, compiled, match_items(of, compiled, **wanted)).tolist()]


def test_pattern_scope_match_hides_its_content() -> None:
    graph = hierarchy(two_layers())
    assert own(graph, "dense") == ["dense"]
    assert own(graph, "dense/w") == ["dense/w"]
    assert own(graph, "dense/w/read$") == ["dense/w/read"]
    assert own(graph, "dense|read") == ["dense", "dense/w/read", "out/w/read"]
    assert own(graph, "dense|matmul") == ["dense", "dense/MatMul", "out/MatMul"]
    assert own(graph, "out|bias_?add$") == ["dense/BiasAdd", "out", "out/BiasAdd"]


def test_pattern_content_matches_if_scopes_are_not_searched() -> None:
    graph = hierarchy(two_layers())
    assert own(graph, "dense", ops=frozenset({"MatMul"})) == ["dense/MatMul"]


def test_pattern_operations_match_inside_a_matching_scope() -> None:
    graph = hierarchy_of(Node("relu/x", "Relu"), Node("relu/y", "Add"))
    assert names(graph, "relu") == ["relu", "relu/x", "relu/y"]
    assert own(graph, "relu") == ["relu", "relu/x"]


def test_pattern_catastrophic_expression_is_aborted() -> None:
    graph = hierarchy_of(*(Node("a" * 40 + str(number) + "!") for number in range(50)))
    with pytest.raises(TimeoutError):
        match_items(graph, compile_pattern("(a|aa)+$")[0])
