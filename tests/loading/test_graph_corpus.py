"""Compare one graph of each writer with values read by hand from its text proto or JSON."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.graphs.read import GraphReader, list_graph_sources

if TYPE_CHECKING:
    from tbtui.plugins.graphs.read import GraphSource, StoredGraph

CORPUS = Path(__file__).parents[1] / "corpus"


def sources(folder: str, run: str = ".") -> tuple[GraphSource, ...]:
    return list_graph_sources(Loader(parse_sources([str(CORPUS / folder)])).load_all().snapshot.runs[run])


def read(folder: str, tag: str, run: str = ".") -> StoredGraph:
    return GraphReader(Payloads()).read(next(each for each in sources(folder, run) if each.tag == tag))


def inputs(graph: StoredGraph, *names: str) -> list[list[str]]:
    return [list(graph.inputs[graph.names.index(name)]) for name in names]


def shapes(graph: StoredGraph, *names: str) -> list[object]:
    return [graph.shapes(graph.names.index(name)) for name in names]


def counts(graph: StoredGraph) -> dict[str, int]:
    found = {name: graph.parameters(row) for row, name in enumerate(graph.names)}
    return {name: count for name, count in found.items() if count}


@pytest.mark.parametrize(
    ("folder", "run", "expected"),
    [
        ("writers/torch/run1", ".", [("__run_graph__", "ops", 0), ("step1", "profile", 0)]),
        ("writers/tf/v1", ".", [("__run_graph__", "ops", 0), ("step2", "profile", 2)]),
        ("writers/tf/v2", ".", [("__run_graph__", "ops", 0), ("ftrace", "ops", 0)]),
        ("writers/tf/keras", "train", [("keras", "layers", 0), ("batch_2", "ops", 2)]),
        ("writers/tbx", "r", []),
    ],
)
def test_graph_corpus_every_writer_leaves_the_expected_graphs(
    folder: str, run: str, expected: list[tuple[str, str, int]]
) -> None:
    assert [(each.tag, each.kind, each.step) for each in sources(folder, run)] == expected


def test_graph_corpus_pytorch_linear_relu_linear() -> None:
    graph = read("writers/torch/run1", "__run_graph__")
    assert Counter(graph.ops) == {"IO Node": 2, "prim::GetAttr": 4, "aten::linear": 2, "aten::relu": 1}
    first, relu, last = "Sequential/Linear[0]/input.3", "Sequential/ReLU[1]/input", "Sequential/Linear[2]/42"
    assert inputs(graph, first, relu, last, "output/output.1") == [
        ["input/input.1", "Sequential/Linear[0]/weight/weight.1", "Sequential/Linear[0]/bias/bias.1"],
        [first],
        [relu, "Sequential/Linear[2]/weight/weight", "Sequential/Linear[2]/bias/bias"],
        [last],
    ]
    assert shapes(graph, "input/input.1", first, relu, last) == [((1, 4),), ((1, 3),), ((1, 3),), ((1, 2),)]
    assert counts(graph) == {
        "Sequential/Linear[0]/weight/weight.1": 4 * 3,
        "Sequential/Linear[0]/bias/bias.1": 3,
        "Sequential/Linear[2]/weight/weight": 3 * 2,
        "Sequential/Linear[2]/bias/bias": 2,
    }
    assert dict(graph.attributes(2)) == {"attr": "{ name :  bias }"}
    assert (graph.functions, graph.notes) == ([], ())


def test_graph_corpus_keras_3_functional_model() -> None:
    graph = read("writers/tf/keras", "keras", "train")
    assert list(zip(graph.names, graph.ops, graph.inputs, strict=True)) == [
        ("functional/input_layer", "InputLayer", []),
        ("functional/d1", "Dense", ["functional/input_layer"]),
        ("functional/d2", "Dense", ["functional/d1"]),
    ]
    assert [graph.shapes(row) for row in range(3)] == [((-1, 4),), ((-1, 3),), ((-1, 1),)]
    assert counts(graph) == {"functional/d1": 15, "functional/d2": 4}
    assert dict(graph.attributes(1))["activation"] == "relu"


def test_graph_corpus_keras_3_sequential_model() -> None:
    graph = read("trainings/keras/run1-sgd-u16-d0.0", "keras", "train")
    assert [name.removeprefix("sequential_1/") for name in graph.names] == [
        "input_layer_1", "conv", "flatten_1", "hidden", "dropout_1", "logits"
    ]  # fmt: skip
    assert graph.ops == ["InputLayer", "Conv2D", "Flatten", "Dense", "Dropout", "Dense"]
    assert graph.inputs == [[], *([name] for name in graph.names[:-1])]
    assert [graph.shapes(row)[0] for row in range(6)] == [
        (-1, 8, 8, 1), (-1, 6, 6, 8), (-1, 288), (-1, 16), (-1, 16), (-1, 10)
    ]  # fmt: skip
    assert [graph.parameters(row) for row in range(6)] == [0, 80, 0, 4624, 0, 170]


def test_graph_corpus_tensorflow_1_two_layers_with_every_summary_kind() -> None:
    graph = read("writers/tf/v1", "__run_graph__")
    assert len(graph.names) == 114
    assert Counter(name.split("/")[0] for name in graph.names) == {
        "a": 1, "w": 11, "layer_1": 2, "w2": 11, "layer_2": 2, "Const": 1, "Sum": 1, "sc": 2, "hi": 2, "Tile": 2,
        "Reshape": 2, "im": 2, "Reshape_1": 2, "au": 3, "Const_1": 1, "tx": 3, "Const_2": 1, "Const_3": 1, "pr": 62,
        "Merge": 1, "init": 1,
    }  # fmt: skip
    assert Counter(graph.ops)["Const"] == 49
    assert inputs(graph, "layer_1/mm", "layer_2/mm", "init", "Merge/MergeSummary") == [
        ["a", "layer_1/mm/ReadVariableOp"],
        ["layer_1/mm", "layer_2/mm/ReadVariableOp"],
        ["^w/Assign", "^w2/Assign"],
        ["sc", "hi", "im", "au", "tx", "pr/pr_curves"],
    ]
    assert shapes(graph, "a", "w", "layer_1/mm", "w/Assign") == [((-1, 3),), ((3, 4),), ((-1, 4),), ()]
    assert counts(graph) == {"w": 12, "w2": 16}
    assert dict(graph.attributes(1)) == {
        "_class": "[loc:@w]",
        "_output_shapes": "[2]",
        "dtype": "int32",
        "value": "int32 2: 3, 4",
    }


def test_graph_corpus_tensorflow_2_function_graph() -> None:
    graph = read("writers/tf/v2", "__run_graph__")
    assert list(zip(graph.names, graph.ops, graph.inputs, strict=True)) == [
        ("x", "Placeholder", []),
        ("scope/MatMul", "MatMul", ["x", "x"]),
        ("scope/add/y", "Const", []),
        ("scope/add", "AddV2", ["scope/MatMul", "scope/add/y"]),
        ("Identity", "Identity", ["scope/add"]),
    ]
    assert [graph.shapes(row) for row in range(5)] == [((2, 2),), ((2, 2),), ((),), ((2, 2),), ((2, 2),)]


def test_graph_corpus_tensorflow_2_function_trace() -> None:
    graph = read("writers/tf/v2", "ftrace")
    cpu = "/job:localhost/replica:0/task:0/device:CPU:0"
    assert list(zip(graph.names, graph.ops, graph.inputs, graph.devices, strict=True)) == [
        ("graph_1/dims", "_DeviceArg", [], ""),
        ("graph_1/value", "_Arg", [], ""),
        ("graph_1/Fill", "Fill", ["graph_1/dims", "graph_1/value"], cpu),
        ("graph_1/output_RetVal", "_Retval", ["graph_1/Fill"], ""),
        ("graph_2/x", "_Arg", [], ""),
        ("graph_2/scope/MatMul", "MatMul", ["graph_2/x", "graph_2/x"], ""),
        ("graph_2/scope/add/y", "Const", [], ""),
        ("graph_2/scope/add", "AddV2", ["graph_2/scope/MatMul", "graph_2/scope/add/y"], ""),
        ("graph_2/Identity", "Identity", ["graph_2/scope/add"], ""),
        ("graph_2/identity_RetVal", "_Retval", ["graph_2/Identity"], ""),
    ]
    assert shapes(graph, "graph_2/x", "graph_2/scope/MatMul") == [((2, 2),), ()]


def test_graph_corpus_keras_training_step_trace() -> None:
    graph = read("writers/tf/keras", "batch_2", "train")
    assert {
        int(name.split("/")[0].removeprefix("graph_"))
        for name in graph.names[: -sum(len(function.nodes) for function in graph.functions)]
    } == set(range(1, 48))
    assert [(function.name, len(function.nodes)) for function in graph.functions] == [
        ("graph_26___inference_Dataset_map_permutation_964", 6),
        ("graph_28___inference_Dataset_flat_map_slice_batch_indices_977", 8),
        ("graph_32___inference_Dataset_map_grab_batch_995", 6),
        ("graph_45___inference_one_step_on_data_1366", 131),
    ]
    step = graph.functions[3]
    assert step.arguments[:3] == (
        ("data", "float32"),
        ("data_1", "float32"),
        ("functional_1_d1_1_cast_readvariableop_resource", "resource"),
    )
    assert (step.outputs, step.returned) == (("identity", "identity_1"), ("Identity:output:0", "Identity_1:output:0"))
    names = [graph.names[row] for row in step.nodes]
    row = step.nodes.start + names.index("functional_1/d1_1/MatMul")
    assert (graph.ops[row], graph.inputs[row]) == (
        "MatMul",
        ["data", "functional_1/d1_1/Cast/ReadVariableOp:value:0"],
    )
    call = graph.names.index("graph_45/StatefulPartitionedCall")
    assert dict(graph.attributes(call))["f"] == step.name
