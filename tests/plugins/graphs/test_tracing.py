"""Where inputs come from and outputs go to, of nodes, scopes, series and what is in calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.plugins.graphs.tracing import (
    find_path_to_output,
    list_inputs,
    list_missing_inputs,
    list_outputs,
    trace_inputs,
)
from tests.helpers.graph_corpus import graph_in
from tests.helpers.graphs import Body, MadeGraph, Node, residual_block, two_layers, with_function
from tests.helpers.hierarchy_text import hierarchy, hierarchy_of, item

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.tracing import Neighbour


def told(of: Hierarchy, neighbours: Iterable[Neighbour]) -> list[str]:
    """`name: label`, with `^` before what is waited for."""
    return [f"{'^' if one.is_control else ''}{of.name(one.item)}: {one.label}".removesuffix(": ") for one in neighbours]


def traced(of: Hierarchy, name: str) -> set[str]:
    """Names of all items that a trace marks."""
    return {of.name(marked) for marked in trace_inputs(of, item(of, name)).nonzero()[0].tolist()}


class TestNeighbours:
    def test_inputs_of_a_node_are_as_recorded_with_embedded_nodes(self) -> None:
        graph = hierarchy(two_layers())
        assert told(graph, list_inputs(graph, item(graph, "dense/MatMul"))) == ["x: ?×20", "dense/w/read: 20×10"]
        assert told(graph, list_inputs(graph, item(graph, "loss"))) == ["out/BiasAdd: ?×1", "loss/axis: scalar"]
        assert told(graph, list_outputs(graph, item(graph, "loss"))) == ["loss_1: scalar"]
        assert told(graph, list_outputs(graph, item(graph, "dense/b"))) == ["dense/BiasAdd: 10", "^init"]
        assert told(graph, list_inputs(graph, item(graph, "loss_1"))) == ["loss_1/tags: scalar", "loss: scalar"]

    def test_inputs_of_a_scope_are_its_linked_boxes(self) -> None:
        graph = hierarchy(two_layers())
        assert told(graph, list_inputs(graph, item(graph, "out"))) == ["dense: ?×10"]
        assert told(graph, list_outputs(graph, item(graph, "dense"))) == ["out: ?×10", "^init"]
        assert told(graph, list_outputs(graph, item(graph, "dense/w"))) == ["dense/MatMul: 20×10", "^init"]
        assert told(graph, list_inputs(graph, graph.root)) == []

    def test_inputs_of_a_series(self) -> None:
        graph = hierarchy_of(
            Node("a"), *(Node(f"x{number}", inputs=("a",)) for number in range(5)), Node("b", inputs=("x1", "x2"))
        )
        series = item(graph, "x[0-4]")
        assert told(graph, list_inputs(graph, series)) == ["a"]
        assert told(graph, list_outputs(graph, series)) == ["b: 2 tensors"]

    def test_inputs_missing_are_listed(self) -> None:
        graph = hierarchy_of(Node("x", inputs=("gone", "^lost:0")))
        assert list_missing_inputs(graph, 0) == ("gone", "^lost:0")
        assert list_missing_inputs(graph, graph.root) == ()
        assert list_inputs(graph, 0) == ()

    def test_inputs_in_a_call_are_in_the_same_call(self) -> None:
        graph = hierarchy(with_function())
        inside = {graph.leaf(child): int(child) for child in graph.children(item(graph, "call")).tolist()}
        assert [one.item for one in list_inputs(graph, inside["Add"])] == [inside["Mul"], inside["y"]]
        assert [one.item for one in list_outputs(graph, inside["Mul"])] == [inside["Add"]]


class TestTracing:
    def test_trace_contains_all_ancestors_and_their_scopes(self) -> None:
        assert traced(hierarchy(two_layers()), "dense/BiasAdd") == {
            *("", "x", "dense", "dense/w", "dense/w/(w)", "dense/w/read", "dense/b", "dense/MatMul", "dense/BiasAdd")
        }

    def test_trace_of_a_scope_contains_all_its_ancestors(self) -> None:
        marked = traced(hierarchy(two_layers()), "out")
        assert {"x", "dense/MatMul", "out/w/read", "out/b", "out"} <= marked
        assert not {"loss", "init"} & marked

    def test_trace_follows_control_edges(self) -> None:
        assert "dense/w/(w)" in traced(hierarchy(two_layers()), "init")

    def test_trace_of_a_host_excludes_its_embedded_summary(self) -> None:
        graph = hierarchy(two_layers())
        assert "loss/axis" in traced(graph, "loss")
        assert not {"loss_1", "loss_1/tags"} & traced(graph, "loss")

    def test_trace_visits_a_cycle_once(self) -> None:
        graph = hierarchy_of(
            Node("a", inputs=("c",)), Node("b", inputs=("a",)), Node("c", inputs=("b",)), Node("d", inputs=("a",))
        )
        assert traced(graph, "b") == {"", "a", "b", "c"}

    def test_trace_leaves_a_call(self) -> None:
        graph = hierarchy(with_function())
        inside = {graph.leaf(child): int(child) for child in graph.children(item(graph, "call")).tolist()}
        marked = set(trace_inputs(graph, inside["Mul"]).nonzero()[0].tolist())
        assert marked == {inside["Mul"], inside["x"], *(item(graph, name) for name in ("", "a", "b", "call"))}


class TestWayToOutput:
    def test_path_is_the_shortest(self) -> None:
        """Around the convolutions, not through them."""
        graph = hierarchy(residual_block())
        assert [graph.name(step) for step in find_path_to_output(graph, item(graph, "input"))] == [
            "input",
            "add",
            "relu_2",
        ]
        assert [graph.name(step) for step in find_path_to_output(graph, item(graph, "relu_1"))] == [
            "relu_1",
            "conv_2",
            "add",
            "relu_2",
        ]

    def test_path_prefers_a_marked_output(self) -> None:
        graph = hierarchy_of(Node("a"), Node("b", "_Retval", ("a",)), Node("c", inputs=("a",)))
        assert find_path_to_output(graph, 0) == (0, 1)

    def test_path_a_summary_is_no_output(self) -> None:
        graph = hierarchy(two_layers())
        assert [graph.leaf(step) for step in find_path_to_output(graph, item(graph, "out"))] == ["BiasAdd", "loss"]

    def test_path_follows_control_edges_without_data_edges(self) -> None:
        graph = hierarchy_of(Node("a"), Node("b", inputs=("^a",)), Node("c", inputs=("^b",)))
        assert find_path_to_output(graph, 0) == (0, 1, 2)

    def test_path_from_an_output_is_itself(self) -> None:
        assert find_path_to_output(hierarchy_of(Node("a"), Node("b")), 1) == (1,)

    def test_path_around_a_cycle(self) -> None:
        assert find_path_to_output(hierarchy_of(Node("a", inputs=("b",)), Node("b", inputs=("a",))), 0) == (0, 1)

    def test_path_of_a_node_without_links_is_none(self) -> None:
        graph = hierarchy(MadeGraph([], [Body("f")]))
        assert find_path_to_output(graph, graph.root) == ()

    def test_path_in_a_call(self) -> None:
        graph = hierarchy(with_function())
        inside = {graph.leaf(child): int(child) for child in graph.children(item(graph, "call")).tolist()}
        assert find_path_to_output(graph, inside["y"]) == (inside["y"], inside["Add"], inside["result"])


def trained() -> MadeGraph:
    """A network as TensorFlow 1 writes one with all that stands around it.

    x -> MatMul -> Softmax -> loss; besides how w is initialised, watched, trained and saved, and an accuracy.
    """
    return MadeGraph(
        [
            Node("x", "Placeholder"),
            Node("w/Initializer/random", "RandomUniform"),
            Node("w", "VariableV2"),
            Node("w/Assign", "Assign", ("w", "w/Initializer/random")),
            Node("w/read", "Identity", ("w",)),
            Node("w/Read/ReadVariableOp", "ReadVariableOp", ("w",)),
            Node("MatMul", "MatMul", ("x", "w/read")),
            Node("Softmax", "Softmax", ("MatMul",)),
            Node("y", "Placeholder"),
            Node("loss", "Mean", ("Softmax", "y")),
            Node("watch/mean", "Mean", ("w/read",)),
            Node("watch/norm", "Sqrt", ("watch/mean",)),
            Node("watch/w", "ScalarSummary", ("watch/norm",)),
            Node("watch/curve", "TensorSummaryV2", ("watch/norm",)),
            Node("train/gradients/loss_grad/Reshape", "Reshape", ("loss",)),
            Node("train/gradients/MatMul_grad/MatMul", "MatMul", ("train/gradients/loss_grad/Reshape", "x")),
            Node("train/rate", "Identity", ()),
            Node("train/scaled", "Mul", ("train/rate",)),
            Node("train/update_w", "ApplyAdam", ("w", "train/scaled", "train/gradients/MatMul_grad/MatMul")),
            Node("accuracy/Equal", "Equal", ("Softmax", "y")),
            Node("accuracy/Mean", "Mean", ("accuracy/Equal",)),
            Node("save/SaveV2", "SaveV2", ("w",)),
            Node("save/control", "Identity", ("save/SaveV2",)),
            Node("init", "NoOp", ("^w/Assign",)),
        ]
    )


class TestOutputOfATraining:
    """What a training graph computes ends in its loss, not in its optimiser, its savers or its summaries."""

    @pytest.mark.parametrize(
        ("start", "end"),
        [
            ("x", "loss"),
            ("w/(w)", "loss"),
            ("w", "loss"),
            ("MatMul", "loss"),
            ("loss", "loss"),
            ("watch/mean", "watch/norm"),
            ("train/gradients/loss_grad/Reshape", "train/update_w"),
            ("train/rate", "train/update_w"),
            ("accuracy/Equal", "accuracy/Mean"),
            ("w/Initializer/random", "w/Assign"),
            ("save", "save/control"),
        ],
    )
    def test_main_output_is_the_result_of_the_model(self, start: str, end: str) -> None:
        graph = hierarchy(trained())
        assert graph.name(find_path_to_output(graph, item(graph, start))[-1]) == end

    def test_main_output_path_goes_through_the_model(self) -> None:
        graph = hierarchy(trained())
        assert [graph.name(step) for step in find_path_to_output(graph, item(graph, "w/(w)"))] == [
            *("w/(w)", "w/read", "MatMul", "Softmax", "loss")
        ]

    def test_main_output_is_the_one_with_most_ancestors(self) -> None:
        """Even if another one is written later."""
        graph = hierarchy_of(
            *(Node("a"), Node("b"), Node("sum", inputs=("a", "b")), Node("out", inputs=("sum",))),
            *(Node("early", inputs=("a",)), Node("late", inputs=("early",))),
        )
        assert [graph.name(step) for step in find_path_to_output(graph, 0)] == ["a", "sum", "out"]

    def test_main_output_among_marked_has_most_ancestors(self) -> None:
        graph = hierarchy_of(
            Node("a"), Node("b", inputs=("a",)), Node("first", "_Retval", ("b",)), Node("second", "_Retval", ("a",))
        )
        assert [graph.name(step) for step in find_path_to_output(graph, 0)] == ["a", "b", "first"]


class TestOutputsOfWriters:
    @pytest.mark.parametrize(
        ("folder", "tag", "start", "end"),
        [
            ("torch/run1", "__run_graph__", "Sequential/Linear[0]", "output/output.1"),
            ("tf/v1", "__run_graph__", "layer_1", "Reshape"),
            ("tf/v1", "__run_graph__", "w", "Reshape"),
            ("tf/v1", "__run_graph__", "pr/Cast", "pr/stack"),
            ("tf/v1", "__run_graph__", "w/Initializer", "w/Assign"),
            ("tf/v2", "__run_graph__", "x", "Identity"),
            ("tf/keras/train", "batch_2", "graph_7/key", "graph_7/output_RetVal"),
        ],
    )
    def test_main_outputs_match_human_choice(self, folder: str, tag: str, start: str, end: str) -> None:
        graph = graph_in(folder, tag)
        assert graph.name(find_path_to_output(graph, item(graph, start))[-1]) == end
