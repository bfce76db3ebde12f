"""How much there is in a graph, and that every number is of what its word says."""

from __future__ import annotations

import pytest

from tbtui.plugins.graphs.counts import count_nodes, count_texts, format_ancestor_count, format_edge_count
from tbtui.plugins.graphs.tracing import trace_inputs
from tests.helpers.graph_corpus import graph_in
from tests.helpers.graphs import Body, MadeGraph, Node, residual_block, two_layers, with_function
from tests.helpers.hierarchy_text import hierarchy, hierarchy_of, item


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (two_layers(), ("13 ops", "3 constants and summaries set aside")),
        (with_function(), ("4 ops", "5 in 1 function")),
        (residual_block(), ("6 layers",)),
        (MadeGraph([Node("a", "Const")]), ("0 ops", "1 constant set aside")),
        (MadeGraph([Node("a"), Node("b", "ScalarSummary", ("a",))]), ("1 op", "1 summary set aside")),
        (
            MadeGraph([], [Body("f", (Node("c", "Const"), Node("d"))), Body("g")]),
            ("0 ops", "1 in 2 functions", "1 constant set aside"),
        ),
    ],
)
def test_counts_are_described_in_words(graph: MadeGraph, words: tuple[str, ...]) -> None:
    assert count_texts(hierarchy(graph)) == words


@pytest.mark.parametrize(("folder", "tag"), [("tf/v1", "__run_graph__"), ("tf/keras/train", "batch_2")])
def test_counts_add_up_to_all_nodes(folder: str, tag: str) -> None:
    graph = graph_in(folder, tag)
    assert sum(count_nodes(graph)) == graph.nodes


def test_counts_edges_as_recorded() -> None:
    made = [Node("x"), Node("y", "Const"), Node("add", inputs=("x", "y")), Node("z", inputs=("add",))]
    assert format_edge_count(hierarchy_of(*made)) == "3 edges, 1 of them from or to nodes set aside"
    assert format_edge_count(hierarchy_of(*made[:1], *made[2:])) == "2 edges"


def leading(graph: MadeGraph, name: str) -> str:
    of = hierarchy(graph)
    return format_ancestor_count(of, item(of, name), trace_inputs(of, item(of, name)))


def test_counts_inputs_of_an_item_without_inner_links() -> None:
    assert leading(two_layers(), "x") == "0 ops lead to x"
    assert leading(two_layers(), "dense") == "1 op leads to dense"
    assert leading(two_layers(), "dense/MatMul") == "3 ops lead to MatMul"
    assert leading(two_layers(), "loss") == "11 ops and 1 constant lead to loss"
    assert leading(residual_block(), "add") == "4 layers lead to add"


def test_counts_inside_a_call_include_the_inside_and_its_surroundings() -> None:
    of = hierarchy(with_function())
    inside = {of.leaf(child): int(child) for child in of.children(item(of, "call")).tolist()}
    assert format_ancestor_count(of, inside["Mul"], trace_inputs(of, inside["Mul"])) == "3 ops lead to Mul"


def test_counts_of_a_single_constant() -> None:
    of = hierarchy_of(Node("c", "Const"), Node("a", inputs=("c",)))
    assert format_ancestor_count(of, 1, trace_inputs(of, 1)) == "0 ops and 1 constant leads to a"
