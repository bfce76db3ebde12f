"""What is read from the inputs of nodes, and what is embedded in what: each rule on a graph small enough to check."""

from __future__ import annotations

import pytest

from tbtui.plugins.graphs.graph import Graph, build_graph
from tests.helpers.graphs import Attribute, Body, MadeGraph, Node, two_layers, with_function


def edges(graph: Graph, *, flow: bool = False) -> list[str]:
    """Each edge as `source:output -> target`; `^` where it is only waited for, `=` where it changes the source."""
    some = graph.flow if flow else graph.edges
    rows = zip(some.source, some.target, some.output, some.is_control, some.changes_source, strict=True)
    return [
        f"{'^' if control else ''}{graph.names[source]}"
        f":{some.get_output_name(output) or output} {'=' if changes_source else '-'}> {graph.names[target]}"
        for source, target, output, control, changes_source in rows
    ]


def of(*nodes: Node) -> Graph:
    """The graph of nodes alone."""
    return build_graph(MadeGraph(nodes))


def hosts(graph: Graph) -> dict[str, str]:
    """Name of each embedded node, and in which it is."""
    return {graph.names[node]: graph.names[host] for node, host in enumerate(graph.host.tolist()) if host >= 0}


class TestInputs:
    def test_input_without_output_number_is_the_first_output(self) -> None:
        graph = of(Node("x"), Node("y", inputs=("x", "x:0", "x:1", "x:12")))
        assert edges(graph) == ["x:0 -> y", "x:1 -> y", "x:12 -> y"]

    def test_input_with_caret_is_a_control_edge(self) -> None:
        assert edges(of(Node("x"), Node("y", inputs=("x:1", "^x")))) == ["x:1 -> y", "^x:0 -> y"]

    def test_function_inputs_name_outputs(self) -> None:
        body = Body("f", (Node("split", "Split"), Node("sum", inputs=("split:output:1", "split:output:1"))))
        assert edges(build_graph(MadeGraph([], [body]))) == [
            "__function_library__f/split:output:1 -> __function_library__f/sum"
        ]

    def test_input_repeated_in_succession_is_one_edge(self) -> None:
        graph = of(Node("x"), Node("y"), Node("z", inputs=("x", "x:0", "y", "x")))
        assert edges(graph) == ["x:0 -> z", "y:0 -> z", "x:0 -> z"]

    def test_input_of_the_node_itself_is_dropped(self) -> None:
        assert edges(of(Node("x", inputs=("x", "^x", "x:1")))) == []

    def test_cycles_are_kept(self) -> None:
        assert edges(of(Node("x", inputs=("y",)), Node("y", inputs=("x",)))) == ["y:0 -> x", "x:0 -> y"]

    def test_name_may_contain_a_colon_or_a_caret(self) -> None:
        graph = of(Node("x:1"), Node("^x"), Node("x"), Node("y", inputs=("x:1", "^x", "x:2")))
        assert edges(graph) == ["x:1:0 -> y", "^x:0 -> y", "x:2 -> y"]

    def test_missing_input_names_are_counted_and_reported(self) -> None:
        graph = of(Node("x"), Node("y", inputs=("x", "gone:1", "^away")), Node("z", inputs=("lost",)))
        assert edges(graph) == ["x:0 -> y"]
        assert graph.missing == {1: ["gone:1", "^away"], 2: ["lost"]}
        assert graph.notes == ("3 inputs name nodes that do not exist",)

    def test_pytorch_omitted_module_is_not_missing(self) -> None:
        graph = of(Node("Linear[0]/weight", "prim::GetAttr", ("Linear[0]/_0",)), Node("y", "aten::relu", ("gone",)))
        assert (graph.missing, len(graph.notes)) == ({1: ["gone"]}, 1)

    def test_single_missing_name_is_reported_in_the_singular(self) -> None:
        assert of(Node("x", inputs=("gone",))).notes == ("1 input names a node that does not exist",)

    @pytest.mark.parametrize(
        "op", ["Assign", "AssignAdd", "assign_sub", "ScatterNdUpdate", "AssignVariableOp", "count_up_to"]
    )
    def test_assignment_modifies_its_first_input(self, op: str) -> None:
        assert edges(of(Node("v"), Node("x"), Node("set", op, ("v", "x")))) == ["v:0 => set", "x:0 -> set"]

    def test_other_operations_modify_no_input(self) -> None:
        assert edges(of(Node("v"), Node("add", "Add", ("v",)))) == ["v:0 -> add"]


class TestNames:
    def test_duplicate_name_is_numbered_and_refers_to_the_first(self) -> None:
        graph = of(Node("x"), Node("x"), Node("x"), Node("y", inputs=("x",)))
        assert graph.names == ["x", "x (2)", "x (3)", "y"]
        assert edges(graph) == ["x:0 -> y"]
        assert graph.notes == ("2 nodes have the name of another one",)

    def test_duplicate_names_get_distinct_numbers(self) -> None:
        assert of(Node("x (2)"), Node("x"), Node("x")).names == ["x (2)", "x", "x (3)"]

    def test_node_without_a_name_is_accepted(self) -> None:
        graph = of(Node(""), Node(""), Node("y", inputs=("",)))
        assert graph.names == ["(no name)", "(no name) (2)", "y"]
        assert edges(graph) == ["(no name):0 -> y"]
        assert graph.notes == ("2 nodes have no name",)


class TestEmbedding:
    def test_constant_is_embedded_in_its_first_reader(self) -> None:
        graph = of(Node("c", "Const"), Node("x", inputs=("c",)), Node("y", inputs=("x", "c")))
        assert hosts(graph) == {"c": "x"}
        assert edges(graph, flow=True) == ["x:0 -> y"]

    def test_constant_operations_contain_const_anywhere(self) -> None:
        graph = of(Node("c", "prim::Constant"), Node("d", "HostConst"), Node("x", "constant", ("c", "d")))
        assert hosts(graph) == {"c": "x", "d": "x"}

    def test_constant_prefers_a_data_reader_over_a_control_reader(self) -> None:
        graph = of(Node("c", "Const"), Node("w", inputs=("^c",)), Node("r", inputs=("c",)))
        assert hosts(graph) == {"c": "r"}

    def test_constant_control_inputs_move_to_its_readers(self) -> None:
        graph = of(
            Node("a"),
            Node("c", "Const", ("^a",)),
            Node("x", inputs=("c",)),
            Node("y", inputs=("c",)),
            Node("a2", inputs=("a",)),
        )
        assert edges(graph, flow=True) == ["a:0 -> a2", "^a:0 -> x", "^a:0 -> y"]

    def test_constant_waiting_for_its_reader_makes_no_loop(self) -> None:
        graph = of(Node("c", "Const", ("^x",)), Node("x", inputs=("c",)))
        assert edges(graph, flow=True) == []

    def test_summary_is_embedded_in_its_input(self) -> None:
        graph = of(
            Node("tags", "Const"),
            Node("loss"),
            Node("s", "ScalarSummary", ("tags", "loss")),
            Node("m", "MergeSummary", ("s",)),
        )
        assert hosts(graph) == {"tags": "loss", "s": "loss", "m": "loss"}

    def test_summary_belongs_to_its_last_input(self) -> None:
        """Before it there are the writer and the step."""
        graph = of(
            Node("writer"), Node("step"), Node("x"), Node("s", "WriteScalarSummary", ("writer", "step", "x", "^step"))
        )
        assert hosts(graph) == {"s": "x"}

    @pytest.mark.parametrize("op", ["Summary", "TensorSummaryV2", "my_Summary"])
    def test_summary_other_operation_names_do_not_count(self, op: str) -> None:
        """The rule is letters, then `Summary`, and nothing behind."""
        assert hosts(of(Node("x"), Node("s", op, ("x",)))) == {}

    def test_constant_without_a_reader_is_not_embedded(self) -> None:
        graph = of(Node("c", "Const"), Node("d", "Const"), Node("s", "ScalarSummary", ("d",)))
        assert hosts(graph) == {"c": "c", "d": "d", "s": "s"}

    def test_layers_are_never_embedded(self) -> None:
        graph = build_graph(MadeGraph([Node("c", "ConstantPad", ()), Node("x", "Dense", ("c",))], layers=True))
        assert hosts(graph) == {}
        assert graph.kinds == ["layer", "layer"]

    def test_constants_of_two_layers_are_embedded_in_each(self) -> None:
        assert hosts(build_graph(two_layers())) == {"loss/axis": "loss", "loss_1/tags": "loss", "loss_1": "loss"}


class TestFunctions:
    def test_function_arguments_have_recorded_shapes(self) -> None:
        body = Body("f", (), (("x", "float32"), ("w", "resource")), shapes=((-1, 8), None))
        graph = build_graph(MadeGraph([Node("a", shapes=((3,),))], [body]))
        assert [graph.shapes(node) for node in range(3)] == [((3,),), ((-1, 8),), ()]

    def test_function_has_argument_nodes_and_its_own_names(self) -> None:
        graph = build_graph(with_function())
        prefix = "__function_library__square_sum/"
        assert [name.removeprefix(prefix) for name in graph.names] == [
            *("a", "b", "call", "double"),
            *("Mul", "Add", "result", "x", "y"),
        ]
        assert edges(graph) == [
            *("a:0 -> call", "b:0 -> call", "call:0 -> double"),
            *(f"{prefix}x:0 -> {prefix}Mul", f"{prefix}Mul:z:0 -> {prefix}Add", f"{prefix}y:0 -> {prefix}Add"),
            f"{prefix}Add:z:0 -> {prefix}result",
        ]
        assert graph.kinds == ["input", "input", "function", "op", "op", "op", "output", "input", "input"]
        assert graph.attributes(7) == (("T", "float32"),)
        assert graph.rank.tolist() == [0, 1, 2, 3, 6, 7, 8, 4, 5]

    def test_function_results_in_any_notation_are_outputs(self) -> None:
        body = Body("f", (Node("a"), Node("b"), Node("c")), outputs=("identity",), returned=("b:output:0",))
        assert build_graph(MadeGraph([], [body])).kinds == ["op", "output", "op"]

    @pytest.mark.parametrize("attribute", ["f", "body"])
    def test_call_may_be_named_by_an_attribute(self, attribute: str) -> None:
        said = (Attribute("Tin", "float32"), Attribute(attribute, "f"))
        graph = build_graph(MadeGraph([Node("p", "PartitionedCall", attributes=said), Node("q")], [Body("f")]))
        assert graph.calls == {0: 0}

    def test_call_choice_between_functions_is_no_call(self) -> None:
        said = (Attribute("else_branch", "g"), Attribute("then_branch", "f"))
        assert build_graph(MadeGraph([Node("if", "If", attributes=said)], [Body("f"), Body("g")])).calls == {}

    def test_call_duplicate_function_names_resolve_to_the_first(self) -> None:
        graph = build_graph(MadeGraph([Node("x", "f")], [Body("f", (Node("a"),)), Body("f", (Node("b"),))]))
        assert [body.name for body in graph.bodies] == ["f", "f (2)"]
        assert graph.calls == {0: 0}

    def test_shapes_of_named_outputs_are_given_if_unambiguous(self) -> None:
        """Which number `batch_mean:0` has is not written; if all outputs have one shape it does not matter."""
        graph = of(Node("one", shapes=((2,),)), Node("norm", shapes=((4, 8), (8,))))
        assert (graph.tensor(0, -1), graph.tensor(1, -1), graph.tensor(1, 1), graph.tensor(1, 2)) == (
            (2,),
            None,
            (8,),
            None,
        )


@pytest.mark.parametrize(
    ("op", "inputs", "kind"),
    [
        ("Placeholder", (), "input"),
        ("_Arg", (), "input"),
        ("_Retval", ("x",), "output"),
        ("IO Node", (), "input"),
        ("IO Node", ("x",), "output"),
        ("MatMul", ("x",), "op"),
    ],
)
def test_kinds_of_nodes_are_detected(op: str, inputs: tuple[str, ...], kind: str) -> None:
    assert of(Node("x"), Node("y", op, inputs)).kinds == ["op", kind]
