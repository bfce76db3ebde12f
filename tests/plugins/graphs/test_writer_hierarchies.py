"""One graph of each writer: every scope with how many nodes are in it, every node with its inputs.

The texts in `writers` were compared with the files' own bytes by hand and by a second, plain reading of TensorBoard's
rules: scopes by prefixes of names, counts by adding up, links by the first part in which names differ.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tbtui.plugins.graphs.tracing import list_inputs
from tests.helpers.graph_corpus import graph_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.graphs.hierarchy import Hierarchy

EXPECTED = Path(__file__).parent / "writers"


def told(of: Hierarchy, top: int, indent: str = "") -> Iterator[str]:
    """A line for each item in one: scopes with their count, nodes with operation, inputs and what is embedded."""
    for child in of.children(top).tolist():
        if of.node(child) < 0:
            yield f"{indent}{of.leaf(child)}  {of.kind(child)} of {of.node_counts[child]}"
            yield from told(of, child, indent + "  ")
            continue
        before = " ".join(f"{'^' if one.is_control else ''}{of.name(one.item)}" for one in list_inputs(of, child))
        small = "".join(f" +{of.name(node)}" for node in of.embedded(child).tolist())
        yield f"{indent}{of.leaf(child)}  {of.op(child)}{f' <- {before}' if before else ''}{small}"


@pytest.mark.parametrize(
    ("folder", "tag", "expected"),
    [
        ("torch/run1", "__run_graph__", "pytorch"),
        ("tf/v1", "__run_graph__", "tensorflow_1"),
        ("tf/v2", "ftrace", "tf_function"),
        ("tf/keras/train", "keras", "keras"),
    ],
)
def test_hierarchies_of_writers_match_the_expected_tree(folder: str, tag: str, expected: str) -> None:
    graph = graph_in(folder, tag)
    lines = [f"{graph.node_counts[graph.root]} nodes, {graph.graph.embedded.sum()} embedded", *told(graph, graph.root)]
    assert lines == (EXPECTED / f"{expected}.txt").read_text().splitlines()


def test_hierarchy_keras_training_step_opens_at_its_call() -> None:
    """Keras writes one function for each step, which its graph calls by an attribute."""
    graph = graph_in("tf/keras/train", "batch_2")
    (call,) = [node for node in graph.graph.calls if graph.graph.ops[node] == "StatefulPartitionedCall"]
    assert graph.leaf(graph.body(call)).endswith("one_step_on_data_1366")
    assert len(graph.children(call)) == len(graph.children(graph.body(call))) > 10
