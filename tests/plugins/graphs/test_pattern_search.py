"""Search by name, by operation, by device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.plugins.graphs.search import match_items, own_matches
from tbtui.settings.filters import compile_pattern
from tests.made_graphs import Node, two_layers, with_function
from tests.plugins.graphs.hierarchy_text import hierarchy, hierarchy_of

if TYPE_CHECKING:
    from tbtui.plugins.graphs.hierarchy import Hierarchy


def names(of: Hierarchy, pattern: str = "", **wanted: frozenset[str]) -> list[str]:
    """Of what is found, in this order."""
    return [of.name(at) for at in match_items(of, compile_pattern(pattern)[0] if pattern else None, **wanted).tolist()]


def test_names_and_operations_in_the_order_of_the_tree() -> None:
    graph = hierarchy(two_layers())
    assert names(graph, "matmul") == ["dense/MatMul", "out/MatMul"]
    assert names(graph, "^dense/w") == ["dense/w", "dense/w/(w)", "dense/w/read"]
    assert names(graph, "variable") == ["dense/w/(w)", "dense/b", "out/w/(w)", "out/b"]


def test_what_is_embedded_is_found_behind_what_it_is_in() -> None:
    assert names(hierarchy(two_layers()), "loss") == ["loss", "loss/axis", "loss_1/tags", "loss_1"]
    assert names(hierarchy(two_layers()), "^const$") == ["loss/axis", "loss_1/tags"]


def test_series_and_functions_are_found_by_name_and_calls_once() -> None:
    assert names(hierarchy_of(*(Node(f"x{number}") for number in range(5))), r"x\[") == ["x[0-4]"]
    assert names(hierarchy(with_function()), "mul") == ["__function_library__square_sum/Mul"]


def test_nothing_asked_is_everything_but_the_whole() -> None:
    graph = hierarchy(with_function())
    assert len(names(graph)) == graph.items - 2


def test_operations_and_devices_are_of_nodes() -> None:
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
    return [of.name(at) for at in own_matches(of, compiled, match_items(of, compiled, **wanted)).tolist()]


def test_what_is_in_a_scope_that_matches_does_not_match_by_itself() -> None:
    graph = hierarchy(two_layers())
    assert own(graph, "dense") == ["dense"]
    assert own(graph, "dense/w") == ["dense/w"]
    assert own(graph, "dense/w/read$") == ["dense/w/read"]
    assert own(graph, "dense|read") == ["dense", "dense/w/read", "out/w/read"]
    assert own(graph, "dense|matmul") == ["dense", "dense/MatMul", "out/MatMul"]
    assert own(graph, "out|bias_?add$") == ["dense/BiasAdd", "out", "out/BiasAdd"]


def test_it_does_where_the_scope_was_not_asked_for() -> None:
    graph = hierarchy(two_layers())
    assert own(graph, "dense", ops=frozenset({"MatMul"})) == ["dense/MatMul"]


def test_operations_match_by_themselves_in_a_scope_that_is_called_so() -> None:
    graph = hierarchy_of(Node("relu/x", "Relu"), Node("relu/y", "Add"))
    assert names(graph, "relu") == ["relu", "relu/x", "relu/y"]
    assert own(graph, "relu") == ["relu", "relu/x"]


def test_a_pattern_that_takes_too_long_is_given_up() -> None:
    graph = hierarchy_of(*(Node("a" * 40 + str(number) + "!") for number in range(50)))
    with pytest.raises(TimeoutError):
        match_items(graph, compile_pattern("(a|aa)+$")[0])
