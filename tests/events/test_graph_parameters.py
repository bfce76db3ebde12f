"""How many numbers nodes hold that are trained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tbtui.events.schema import get_message_class
from tbtui.plugins.graphs.formats.graph_def import OpGraph, read_graph, read_run_metadata
from tests.helpers.graph_bytes import attribute, function, graph, node, run_metadata

if TYPE_CHECKING:
    from collections.abc import Sequence

FLOAT, INT64 = 1, 9


def read(*nodes: Any) -> OpGraph:
    return read_graph(graph(*nodes).SerializeToString())


def counts(made: OpGraph) -> dict[str, int]:
    found = {name: made.parameters(row) for row, name in enumerate(made.names)}
    return {name: count for name, count in found.items() if count}


def owner(name: str) -> Any:
    return get_message_class("AttrValue")(list=get_message_class("AttrList")(s=[f"loc:@{name}".encode()]))


@pytest.mark.parametrize("op", ["Variable", "VariableV2", "VarHandleOp"])
def test_parameters_variables_have_shapes(op: str) -> None:
    made = read(node("w", op, dtype=FLOAT, shape=(3, 4)), node("b", op, dtype=FLOAT, shape=()))
    assert counts(made) == {"w": 12, "b": 1}


@pytest.mark.parametrize("shape", [None, (-1, 4), (1 << 40, 1 << 40)])
def test_parameters_unknown_or_impossible_shapes_count_nothing(shape: Any) -> None:
    assert counts(read(node("w", "VarHandleOp", dtype=FLOAT, shape=shape))) == {}


def test_parameters_integers_are_not_trained() -> None:
    assert counts(read(node("global_step", "VarHandleOp", dtype=INT64, shape=()))) == {}


def test_parameters_slots_of_variables_are_not_trained() -> None:
    made = read(
        node("w", "VarHandleOp", dtype=FLOAT, shape=(3,), _class=owner("w")),
        node("w/Adam", "VarHandleOp", dtype=FLOAT, shape=(3,), _class=owner("w")),
        node("beta1_power", "VarHandleOp", dtype=FLOAT, shape=(), _class=owner("w")),
    )
    assert counts(made) == {"w": 3}


def test_parameters_optimiser_defines_the_trained_variables() -> None:
    made = read(
        node("w", "VarHandleOp", dtype=FLOAT, shape=(3,)),
        node("moving_mean", "VarHandleOp", dtype=FLOAT, shape=(5,)),
        node("w/Adam", "VarHandleOp", dtype=FLOAT, shape=(3,)),
        node("train/update_w", "ResourceApplyAdam", "w", "w/Adam", "grad"),
    )
    assert counts(made) == {"w": 3}


def old_keras(scope: str = "") -> list[Any]:
    """A variable, what its optimiser keeps of it and what it sets both to, as Keras before TensorFlow 2 wrote it."""
    sgd = f"{scope}training/SGD"
    return [
        node("w", "VarHandleOp", dtype=FLOAT, shape=(3,), _class=owner("w")),
        node("w/Assign", "AssignVariableOp", "w", "zeros"),
        node("SGD/lr", "VarHandleOp", dtype=FLOAT, shape=()),
        node(f"{sgd}/Variable", "VarHandleOp", dtype=FLOAT, shape=(3,)),
        node(f"{sgd}/mul/ReadVariableOp", "ReadVariableOp", f"{sgd}/Variable"),
        node(f"{sgd}/mul", "Mul", f"{sgd}/mul/ReadVariableOp", "gradient"),
        node(f"{sgd}/AssignVariableOp", "AssignVariableOp", f"{sgd}/Variable", f"{sgd}/mul"),
        node(f"{sgd}/ReadVariableOp", "ReadVariableOp", "w"),
        node(f"{sgd}/add", "AddV2", f"{sgd}/ReadVariableOp:0", f"{sgd}/mul", f"^{sgd}/AssignVariableOp"),
        node(f"{sgd}/AssignVariableOp_1", "AssignVariableOp", "w", f"{sgd}/add"),
    ]


@pytest.mark.parametrize("scope", ["", "model/"])
def test_parameters_old_keras_optimiser_state_is_not_trained(scope: str) -> None:
    assert counts(read(*old_keras(scope))) == {"w": 3}


def test_parameters_restored_variables_are_not_trained_by_that() -> None:
    restored = [
        node("save/RestoreV2", "RestoreV2", "path"),
        node("save/Identity", "Identity", "save/RestoreV2"),
        node("save/AssignVariableOp", "AssignVariableOp", "w/Momentum", "save/Identity"),
    ]
    kept = node("w/Momentum", "VarHandleOp", dtype=FLOAT, shape=(3,), _class=owner("w"))
    assert counts(read(*old_keras(), kept, *restored)) == {"w": 3}


def test_parameters_layer_state_is_not_trained() -> None:
    made = read(
        *old_keras(),
        node("lstm/state", "VarHandleOp", dtype=FLOAT, shape=(5,)),
        node("lstm/ReadVariableOp", "ReadVariableOp", "lstm/state"),
        node("lstm/AssignVariableOp", "AssignVariableOp", "lstm/state", "lstm/ReadVariableOp"),
    )
    assert counts(made) == {"w": 3}


def torch_node(name: str, op: str, *inputs: str, shape: Any = None, attr: str = "{}") -> Any:
    return node(name, op, *inputs, shapes=None if shape is None else (shape,), attr=attr)


def constant(name: str, value: float) -> Any:
    return torch_node(name, "prim::Constant", attr=f"{{ value : {value}}}")


def parameter(name: str) -> Any:
    return torch_node(name, "prim::GetAttr", "module", attr=f"{{ name :  {name.rsplit('/', 1)[-1]} }}")


def test_parameters_linear_weights_follow_from_inputs_and_outputs() -> None:
    made = read(
        torch_node("x", "IO Node", shape=(4, 64)),
        parameter("l/weight"),
        parameter("l/bias"),
        torch_node("l/out", "aten::linear", "x", "l/weight", "l/bias", shape=(4, 10)),
    )
    assert counts(made) == {"l/weight": 640, "l/bias": 10}
    assert made.notes == ()


def test_parameters_transposed_linear_weights_count() -> None:
    made = read(
        torch_node("x", "IO Node", shape=(4, 64)),
        parameter("l/weight"),
        parameter("l/bias"),
        torch_node("l/t", "aten::t", "l/weight"),
        torch_node("l/out", "aten::addmm", "l/bias", "x", "l/t", "one", "one", shape=(4, 10)),
    )
    assert counts(made) == {"l/weight": 640, "l/bias": 10}


def convolution(taken: Any, made: Any, stride: int = 1, pad: int = 0, spread: int = 1, groups: int = 1) -> OpGraph:
    numbers = {"stride": stride, "pad": pad, "spread": spread}
    return read(
        torch_node("x", "IO Node", shape=taken),
        parameter("c/weight"),
        parameter("c/bias"),
        *(constant(f"c/{name}_value", value) for name, value in numbers.items()),
        *(torch_node(f"c/{name}", "prim::ListConstruct", *[f"c/{name}_value"] * (len(taken) - 2)) for name in numbers),
        constant("c/no", 0),
        constant("c/groups", groups),
        torch_node(
            "c/out",
            "aten::_convolution",
            *("x", "c/weight", "c/bias", "c/stride", "c/pad", "c/spread", "c/no", "c/pad", "c/groups"),
            shape=made,
        ),
    )


@pytest.mark.parametrize(
    ("made", "weight"),
    [
        (convolution((4, 1, 8, 8), (4, 8, 8, 8), pad=1), 8 * 1 * 3 * 3),
        (convolution((4, 16, 8, 8), (4, 32, 4, 4)), 32 * 16 * 5 * 5),
        (convolution((4, 16, 8, 8), (4, 32, 8, 6), pad=1), 32 * 16 * 3 * 5),
        (convolution((4, 16, 8), (4, 32, 4), spread=2), 32 * 16 * 3),
        (convolution((4, 16, 8, 8), (4, 16, 6, 6), groups=16), 16 * 1 * 3 * 3),
    ],
)
def test_parameters_convolution_kernel_follows_from_its_output(made: OpGraph, weight: int) -> None:
    assert counts(made)["c/weight"] == weight
    assert made.notes == ()


def at_least(made: OpGraph) -> dict[str, bool]:
    return {made.names[each.nodes[0]]: each.is_at_least for each in made.all_parameters}


def test_parameters_ambiguous_strided_kernel_counts_as_the_smallest() -> None:
    made = convolution((4, 16, 8, 8), (4, 32, 4, 4), stride=2, pad=1)  # 3x3 or 4x4
    assert counts(made) == {"c/weight": 32 * 16 * 3 * 3, "c/bias": 32}
    assert at_least(made) == {"c/weight": True, "c/bias": False}
    assert made.notes == ("1 parameter is counted with the smallest size that fits: the graph does not say its shape",)


def test_parameters_strided_kernel_that_alone_fits_is_exact() -> None:
    made = convolution((4, 16, 8, 8), (4, 32, 4, 4), stride=2, pad=0, spread=2)  # 8 - 2 * (k - 1) is 7 or 8
    assert counts(made) == {"c/weight": 32 * 16, "c/bias": 32}
    assert at_least(made) == {"c/weight": False, "c/bias": False}


@pytest.mark.parametrize(("made", "kernel"), [((4, 8, 16, 16), 4 * 4), ((4, 8, 14, 15), 2 * 3)])
def test_parameters_transposed_kernel_is_exact(made: Any, kernel: int) -> None:
    graph = read(
        torch_node("x", "IO Node", shape=(4, 16, 8, 8)),
        parameter("t/weight"),
        *(constant(f"t/{name}", value) for name, value in {"zero": 0, "one": 1, "two": 2}.items()),
        *(torch_node(f"t/{name}s", "prim::ListConstruct", *[f"t/{name}"] * 2) for name in ("zero", "one", "two")),
        torch_node(
            "t/out",
            "aten::_convolution",
            *("x", "t/weight", "t/none", "t/twos", "t/ones", "t/ones", "t/one", "t/zeros", "t/two"),
            shape=made,
        ),
    )
    assert counts(graph) == {"t/weight": 16 * 4 * kernel}


def recurrent(op: str, *, cell: bool) -> OpGraph:
    """A bidirectional layer of two levels from 16 to 2 x 32 features."""
    names = [
        f"l/{part}_l{level}{end}"
        for level in range(2)
        for end in ("", "_reverse")
        for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ]
    return read(
        torch_node("x", "IO Node", shape=(2, 7, 16)),
        *map(parameter, names),
        torch_node("l/h", "aten::zeros", shape=(4, 2, 32)),
        torch_node("l/states", "prim::ListConstruct", "l/h", "l/h"),
        torch_node("l/all", "prim::ListConstruct", *names),
        *(constant(f"l/{name}", value) for name, value in {"no": 0, "yes": 1, "two": 2}.items()),
        torch_node(
            "l/out",
            op,
            *("x", "l/states" if cell else "l/h", "l/all", "l/yes", "l/two", "l/no", "l/no", "l/yes", "l/yes"),
            shape=(2, 7, 64),
        ),
    )


@pytest.mark.parametrize(("op", "gates"), [("aten::lstm", 4), ("aten::gru", 3), ("aten::rnn_tanh", 1)])
def test_parameters_of_recurrent_layers_are_exact(op: str, gates: int) -> None:
    made = recurrent(op, cell=gates == 4)
    first, second = 32 * (16 + 32 + 2), 32 * (64 + 32 + 2)  # as torch.nn.LSTM(16, 32, 2, bidirectional=True)
    assert sum(counts(made).values()) == 2 * gates * (first + second)
    assert made.notes == ()


def reads(path: str, numbers: Sequence[int]) -> list[Any]:
    """The nodes that PyTorch 2 writes for a parameter that several calls read."""
    name = path.rsplit("/", 1)[-1]
    return [torch_node(f"{path}/{name}.{n}", "prim::GetAttr", "m", attr=f"{{ name :  {name} }}") for n in numbers]


def test_parameters_read_by_several_calls_count_once() -> None:
    made = read(
        torch_node("x", "IO Node", shape=(1, 8)),
        *reads("Net/Linear[a]/weight", (1, 3, 5)),
        *(
            torch_node(f"Net/Linear[a]/{n}", "aten::linear", "x", f"Net/Linear[a]/weight/weight.{n}", shape=(1, 8))
            for n in (1, 3, 5)
        ),
    )
    assert counts(made) == {"Net/Linear[a]/weight/weight.1": 64}
    assert [len(each.nodes) for each in made.all_parameters] == [3]


def test_parameters_embedding_tied_to_a_layer_has_its_size() -> None:
    made = read(
        torch_node("x", "IO Node", shape=(4, 10)),
        *reads("Net/Embedding[e]/weight", (1, 3)),
        torch_node("Net/e", "aten::embedding", "Net/Embedding[e]/weight/weight.1", "x", shape=(4, 10, 32)),
        torch_node("Net/h", "aten::linear", "Net/e", "Net/Embedding[e]/weight/weight.3", shape=(4, 10, 100)),
    )
    assert counts(made) == {"Net/Embedding[e]/weight/weight.1": 3200}
    assert made.notes == ()


def test_parameters_split_into_chunks_have_their_sum() -> None:
    made = read(
        parameter("a/in_proj_bias"),
        constant("a/three", 3),
        torch_node("a/split", "aten::chunk", "a/in_proj_bias", "a/three"),
        *(torch_node(f"a/{part}", "prim::ListUnpack", "a/split", shape=(32,)) for part in "qkv"),
    )
    assert counts(made) == {"a/in_proj_bias": 96}
    assert at_least(made) == {"a/in_proj_bias": False}


def test_parameters_of_spectral_norm_leave_its_vectors_out() -> None:
    made = read(*(reads(f"l/weight_{end}", (1,))[0] for end in ("orig", "u", "v")))
    assert [made.names[each.nodes[0]] for each in made.all_parameters] == ["l/weight_orig/weight_orig.1"]


def test_parameters_handles_of_one_variable_count_once() -> None:
    shared = get_message_class("AttrValue")(s=b"dense/kernel_1")
    handles = [node(name, "VarHandleOp", dtype=FLOAT, shape=(3,), shared_name=shared) for name in ("a", "b")]
    assert counts(read(*handles, node("c", "VarHandleOp", dtype=FLOAT, shape=(2,)))) == {"a": 3, "c": 2}


def test_parameters_variable_without_a_shape_is_a_lower_bound() -> None:
    made = read(node("w", "VarHandleOp", dtype=FLOAT, shape=None), node("b", "VarHandleOp", dtype=FLOAT, shape=(3,)))
    assert [(each.elements, each.is_at_least) for each in made.all_parameters] == [(0, True), (3, False)]


def test_parameters_of_normalisations() -> None:
    made = read(
        torch_node("x", "IO Node", shape=(4, 16, 8, 8)),
        *map(parameter, ("n/weight", "n/bias", "n/running_mean", "n/running_var", "l/weight", "l/bias")),
        torch_node(
            "n/out",
            "aten::batch_norm",
            *("x", "n/weight", "n/bias", "n/running_mean", "n/running_var"),
            shape=(4, 16, 8, 8),
        ),
        constant("eight", 8),
        torch_node("sizes", "prim::ListConstruct", "eight", "eight"),
        torch_node("l/out", "aten::layer_norm", "n/out", "sizes", "l/weight", "l/bias", shape=(4, 16, 8, 8)),
    )
    assert counts(made) == {"n/weight": 16, "n/bias": 16, "l/weight": 64, "l/bias": 64}
    assert made.notes == ()


def test_parameters_of_unknown_size_are_counted_in_a_note() -> None:
    made = read(parameter("e/weight"), torch_node("e/out", "aten::embedding", "e/weight", "x", shape=(4, 10, 32)))
    assert counts(made) == {}
    assert made.notes == ("1 parameter is not counted: the graph does not say its shape",)


def test_parameters_with_a_shape_need_no_layer() -> None:
    made = read(node("w", "prim::GetAttr", shapes=((3, 4),), attr=attribute("{ name :  weight }")))
    assert counts(made) == {"w": 12}


def test_parameters_trace_of_many_graphs_counts_nothing() -> None:
    """It makes the moments of an optimiser as it makes weights, and the optimiser is in another function."""
    made = graph(node("VarHandleOp", "VarHandleOp", dtype=FLOAT, shape=(3,)))
    step = graph(functions=[function("step", [("w", 20)], {}, node("update", "ResourceApplyAdam", "w", "m", "g"))])
    assert counts(read_run_metadata(run_metadata(made, made))) == {}
    assert counts(read_run_metadata(run_metadata(made, step))) == {}
    assert counts(read_run_metadata(run_metadata(made))) == {"VarHandleOp": 3}


def test_parameters_trace_with_an_optimiser_finds_trained_variables() -> None:
    step = graph(
        node("w", "VarHandleOp", dtype=FLOAT, shape=(3,)),
        node("m", "VarHandleOp", dtype=FLOAT, shape=(3,)),
        node("update", "ResourceApplyMomentum", "w", "m"),
    )
    assert counts(read_run_metadata(run_metadata(step, graph(node("other"))))) == {"graph_1/w": 3}
