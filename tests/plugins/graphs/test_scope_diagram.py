"""One level as a diagram: which boxes, what is linked, what is written on it, what is set aside."""

from __future__ import annotations

import pytest

from tbtui.plugins.graphs.graph import shape_text
from tbtui.plugins.graphs.scope_diagram import build_diagram
from tests.helpers.graphs import Body, MadeGraph, Node, chain, residual_block, two_layers, with_function
from tests.helpers.hierarchy_text import drawn, hierarchy, hierarchy_of, item


class TestLinks:
    def test_diagram_of_two_layers(self) -> None:
        assert drawn(hierarchy(two_layers())) == [
            "[x | Placeholder]",
            "[dense | MatMul, 5 ops | 210 parameters] + init",
            "[out | MatMul, 5 ops | 11 parameters] + init",
            "[loss | Mean] + axis + tags + loss_1",
            "x -> dense: ?×20",
            "dense -> out: ?×10",
            "out -> loss: ?×1",
            "aside [init | NoOp]",
        ]

    def test_diagram_links_crossing_an_open_box_reach_its_border(self) -> None:
        assert drawn(hierarchy(two_layers()), "", "out")[2:10] == [
            "[out | MatMul, 5 ops | 11 parameters] + init",
            "    [w | VariableV2, 2 ops | 10 parameters]".replace("VariableV2, ", ""),
            "    [b | VariableV2 | 1 parameter]",
            "    [MatMul]",
            "    [BiasAdd]",
            "    w -> MatMul: 10×1",
            "    b -> BiasAdd: 1",
            "    MatMul -> BiasAdd: ?×1",
        ]
        assert drawn(hierarchy(two_layers()), "", "out")[10:12] == ["    ↧ -> MatMul: ?×10", "    BiasAdd -> ↥: ?×1"]

    def test_diagram_root_has_no_border(self) -> None:
        assert drawn(hierarchy(two_layers()), "out/w") == [
            "[(w) | VariableV2 | 10 parameters]",
            "[read | Identity]",
            "(w) -> read: 10×1",
        ]

    def test_diagram_link_is_in_the_lowest_common_scope(self) -> None:
        """From a/b/x to a/c/y: a link of b and c in a, none at the top; and into both opened boxes."""
        graph = hierarchy_of(Node("a/b/x", shapes=((3,),)), Node("a/c/y", inputs=("a/b/x",)))
        assert drawn(graph, "", "a", "a/b", "a/c") == [
            "[a | Op, 2 ops]",
            "    [b | Op, 1 op]",
            "        [x | Op]",
            "        x -> ↥: 3",
            "    [c | Op, 1 op]",
            "        [y | Op]",
            "        ↧ -> y: 3",
            "    b -> c: 3",
        ]

    def test_diagram_link_counts_distinct_tensors(self) -> None:
        a = [Node("a/x", shapes=((2,), (3,))), Node("a/y", shapes=((4,),))]
        several = hierarchy_of(*a, Node("b/x", inputs=("a/x", "a/x:1")), Node("b/y", inputs=("a/y", "a/x:1")))
        assert drawn(several)[-1] == "a -> b: 3 tensors"
        once = hierarchy_of(*a, Node("b/x", inputs=("a/x:1",)), Node("b/y", inputs=("a/x:1",)))
        assert drawn(once)[-1] == "a -> b: 3"

    def test_diagram_control_links_differ_from_data_links(self) -> None:
        graph = hierarchy_of(
            Node("a/x", shapes=((2,),)),
            Node("b", inputs=("^a/x",)),
            Node("c", inputs=("^a/x", "a/x")),
            Node("d", inputs=("^b",)),
        )
        assert drawn(graph)[4:] == ["a ~> b", "a -> c: 2", "b ~> d"]

    def test_diagram_both_directions_are_two_links(self) -> None:
        graph = hierarchy_of(Node("a/x", inputs=("b/x",)), Node("b/x", inputs=("a/x",)))
        assert drawn(graph)[2:] == ["a -> b", "b -> a"]

    def test_diagram_link_weights_are_tensor_sizes(self) -> None:
        graph = hierarchy_of(
            Node("a", shapes=((8, 4), (-1, 5))),
            Node("b", inputs=("a", "a:1")),
            Node("c", inputs=("b",)),
            Node("d", inputs=("^c",)),
        )
        assert [link.weight for link in build_diagram(graph, graph.root).links] == [37, 1, 1]

    def test_diagram_link_weights_of_many_tensors_are_estimated(self) -> None:
        sources = [Node(f"a/x_{number:02}y", shapes=((10,),)) for number in range(100)]
        graph = hierarchy_of(*sources, Node("b", inputs=tuple(node.name for node in sources)))
        assert [link.weight for link in build_diagram(graph, graph.root).links] == [1000]


class TestBoxes:
    def test_diagram_layers_show_class_shape_and_parameters(self) -> None:
        assert drawn(hierarchy(residual_block()))[:3] == [
            "[input | InputLayer | ?×32×32×16]",
            "[conv_1 | Conv2D | ?×32×32×16 | 2,320 parameters]",
            "[relu_1 | ReLU | ?×32×32×16]",
        ]

    def test_diagram_small_layer_scope_shows_its_operation(self) -> None:
        graph = hierarchy_of(
            Node("Linear[0]/weight", "prim::GetAttr"),
            Node("Linear[0]/1", "aten::linear", ("Linear[0]/weight",)),
            Node("two/a", "Add"),
            Node("two/m", "Mul"),
            Node("Neg/x", "Neg"),
        )
        assert drawn(graph) == ["[Linear[0] | aten::linear, 2 ops]", "[two | 2 ops]", "[Neg | 1 op]"]

    def test_diagram_single_layer_scope_shows_operation_and_activation(self) -> None:
        weights = ("ReadVariableOp", "Assign", "RandomUniform", "Mul", "Add", "Sub", "VarIsInitializedOp", "BiasAdd")
        graph = hierarchy_of(
            *(Node(f"conv/{op}", op) for op in (*weights, "Conv2D", "Relu")),
            *(Node(f"two/{name}", op) for name, op in (("a", "MatMul"), ("b", "MatMul"), ("c", "Relu"))),
            *(Node(f"grad/{op}", op) for op in ("MatMul", "ReluGrad", "BiasAddGrad")),
            *(Node(f"lstm/{op}", op) for op in ("aten::lstm", "aten::sigmoid", "aten::tanh")),
            *(Node(f"flat/{op}", op) for op in ("Shape", "StridedSlice", "Pack", "Reshape")),
        )
        assert drawn(graph) == [
            "[conv | Conv2D · Relu, 10 ops]",
            "[two | 3 ops]",
            "[grad | 3 ops]",
            "[lstm | aten::lstm, 3 ops]",
            "[flat | Reshape, 4 ops]",
        ]

    def test_diagram_scope_of_one_call_shows_the_function(self) -> None:
        graph = hierarchy(
            MadeGraph([Node("g/x"), Node("g/call", "train_step", ("g/x",))], [Body("train_step", (Node("y"),))])
        )
        assert drawn(graph) == ["[g | train_step, 2 ops]"]

    def test_diagram_traced_function_has_its_python_name(self) -> None:
        name = "graph_9___inference_one_step_on_data_2134"
        graph = hierarchy(MadeGraph([Node("g/x"), Node("g/call", name)], [Body(name, (Node("y"),))]))
        assert drawn(graph) == ["[g | one_step_on_data, 2 ops]"]

    def test_diagram_constant_is_shown_at_all_its_readers(self) -> None:
        graph = hierarchy_of(Node("c", "Const"), Node("x", inputs=("c",)), Node("y", inputs=("x", "c")))
        assert drawn(graph) == ["[x | Op] + c", "[y | Op] + c", "x -> y"]

    def test_diagram_shows_at_most_five_embedded_names(self) -> None:
        constants = [Node(f"c{number}", "Const") for number in range(1, 9)]
        graph = hierarchy_of(*constants, Node("x", inputs=tuple(node.name for node in constants)))
        assert drawn(graph) == ["[x | Op] + c1 + c2 + c3 + c4 + c5 + … 3 more"]

    def test_diagram_unread_constant_is_set_aside(self) -> None:
        graph = hierarchy_of(Node("a/x"), Node("a/c", "Const"))
        assert drawn(graph, "a", aside=False) == ["[x | Op]", "aside [c | Const]"]

    def test_diagram_closed_leaf_has_no_content(self) -> None:
        graph = hierarchy(two_layers())
        assert drawn(graph, "x") == []
        assert drawn(graph, "loss") == []
        assert drawn(graph, "", "x", "dense/w") == drawn(graph), "and what is not shown is not opened"


class TestSeries:
    def test_diagram_single_box(self) -> None:
        graph = hierarchy(chain("in", *(f"x_{number}" for number in range(6)), "out"))
        assert drawn(graph) == [
            "[in | Op]",
            "[x_[0-5] | 6 × Op]",
            "[out | Op]",
            "in -> x_[0-5]: 32×10",
            "x_[0-5] -> out: 32×10",
        ]

    def test_diagram_opened_scope(self) -> None:
        graph = hierarchy(chain("in", *(f"x{number}" for number in range(5)), "out"))
        lines = drawn(graph, "", "x[0-4]")
        assert lines[2:7] == [f"    [x{number} | Op]" for number in range(5)]
        assert lines[7:13] == [
            *(f"    x{number} -> x{number + 1}: 32×10" for number in range(4)),
            "    ↧ -> x0: 32×10",
            "    x4 -> ↥: 32×10",
        ]

    def test_diagram_expanded_series(self) -> None:
        names = ("in", *(f"x{number}" for number in range(5)), *(f"y{number}" for number in range(5)))
        lines = drawn(hierarchy(chain(*names)), apart=("x[0-4]",))
        assert lines[:7] == ["[in | Op]", *(f"[x{number} | Op]" for number in range(5)), "[y[0-4] | 5 × Op]"]
        assert lines[-1] == "x4 -> y[0-4]: 32×10"


class TestCalls:
    def test_diagram_call_arguments_and_results_join_its_border(self) -> None:
        assert drawn(hierarchy(with_function()), "", "call") == [
            "[a | Placeholder]",
            "[b | Placeholder]",
            "[call | square_sum]",
            "    [x | input_arg]",
            "    [y | input_arg]",
            "    [Mul]",
            "    [Add]",
            "    [result | Identity]",
            "    x -> Mul",
            "    y -> Add",
            "    Mul -> Add: 4",
            "    Add -> result: 4",
            "    ↧ -> x: 4",
            "    ↧ -> y: 4",
            "    result -> ↥: 4",
            "[double | AddV2]",
            "a -> call: 4",
            "b -> call: 4",
            "call -> double: 4",
        ]

    def test_diagram_scopes_in_a_call_open_with_borders(self) -> None:
        body = Body(
            "f",
            (Node("s/x", inputs=("in",)), Node("s/y", inputs=("s/x",)), Node("z", inputs=("s/y",))),
            (("in", ""),),
            ("z",),
        )
        graph = hierarchy(MadeGraph([Node("a"), Node("b", "f"), Node("call", "f", ("a",))], [body]))
        copies = {graph.leaf(child): int(child) for child in graph.children(item(graph, "call")).tolist()}
        diagram = build_diagram(graph, graph.root, frozenset({item(graph, "call"), copies["s"]}))
        assert [box.content is None for box in diagram.boxes] == [True, True, False], "the other call stays closed"
        inside = diagram.boxes[2].content
        assert inside is not None
        assert [(box.lines[0], box.item) for box in inside.boxes] == [
            ("in", copies["in"]),
            ("s", copies["s"]),
            ("z", copies["z"]),
        ]
        innermost = inside.boxes[1].content
        assert innermost is not None
        assert [(link.source, link.target) for link in innermost.links] == [(0, 1), (-1, 0), (1, -2)]

    def test_diagram_unread_constants_of_a_body_are_set_aside(self) -> None:
        call = Node("call", "f", ("c",))
        graph = hierarchy(MadeGraph([Node("c", "Const"), call], [Body("f", (Node("x"), Node("unread", "Const")))]))
        assert drawn(graph, "", "call") == ["[call | f] + c", "    [x | Op]", "    aside [unread | Const]"]

    def test_diagram_call_alone(self) -> None:
        assert drawn(hierarchy(with_function()), "call")[-4:] == [
            "x -> Mul",
            "y -> Add",
            "Mul -> Add: 4",
            "Add -> result: 4",
        ]


class TestAside:
    @staticmethod
    def star(count: int, *more: Node) -> list[Node]:
        """A chain, and a hub that reads as many of it as `count`."""
        names = [f"n{chr(97 + index)}" for index in range(20)]
        nodes = [Node(name, inputs=(names[index - 1],) if index else ()) for index, name in enumerate(names)]
        return [*nodes, Node("hub", inputs=tuple(names[:count])), *more]

    def test_diagram_hub_is_set_aside(self) -> None:
        lines = drawn(hierarchy_of(*self.star(6)))
        assert lines[:7] == [*(f"[n{letter} | Op] + hub" for letter in "abcdef"), "[ng | Op]"]
        assert lines[-1] == "aside [hub | Op]"

    def test_diagram_hub_is_kept_on_request(self) -> None:
        lines = drawn(hierarchy_of(*self.star(6)), aside=False)
        assert "[hub | Op]" in lines
        assert "na -> hub" in lines

    def test_diagram_four_links_are_no_hub(self) -> None:
        assert "[hub | Op]" in drawn(hierarchy_of(*self.star(4)))

    def test_diagram_few_boxes_have_no_hub(self) -> None:
        nodes = [Node(f"n{letter}") for letter in "abcdefghijklm"]
        assert "[hub | Op]" in drawn(hierarchy_of(*nodes, Node("hub", inputs=tuple(node.name for node in nodes))))

    def test_diagram_layers_are_never_set_aside(self) -> None:
        assert "[hub | Op]" in drawn(hierarchy_of(*self.star(10), layers=True))

    def test_diagram_control_hub_loses_its_links(self) -> None:
        names = [f"n{letter}" for letter in "abcde"]
        nodes = [Node("x"), *(Node(name, inputs=("x",)) for name in names)]
        graph = hierarchy_of(*nodes, Node("group", inputs=("x", *(f"^{name}" for name in names))))
        lines = drawn(graph)
        assert "[group | Op] + na + nb + nc + nd + ne" in lines
        assert "[na | Op] + group" in lines
        assert lines[-1] == "x -> group"

    def test_diagram_control_hub_without_other_links_is_set_aside(self) -> None:
        names = [f"n{letter}" for letter in "abcde"]
        nodes = [Node("x"), *(Node(name, inputs=("x",)) for name in names)]
        assert (
            drawn(hierarchy_of(*nodes, Node("group", inputs=tuple(f"^{name}" for name in names))))[-1]
            == "aside [group | Op]"
        )

    def test_diagram_isolated_box_stays(self) -> None:
        assert drawn(hierarchy_of(Node("x"), Node("y"))) == ["[x | Op]", "[y | Op]"]

    def test_diagram_box_with_links_out_of_the_scope_stays(self) -> None:
        """In the box `s` nothing but waiting leads to `x`; but what it gives is read outside."""
        waiting = [Node(f"s/w{letter}", inputs=("^s/group",)) for letter in "abcde"]
        graph = hierarchy_of(Node("s/group"), *waiting, Node("y", inputs=("s/group",)))
        assert "    [group | Op] + wa + wb + wc + wd + we" in drawn(graph, "", "s")

    def test_diagram_box_read_outside_the_scope_is_no_sink(self) -> None:
        nodes = [Node(f"s/{node.name}", node.op, tuple(f"s/{name}" for name in node.inputs)) for node in self.star(6)]
        assert "aside [hub | Op]" in drawn(hierarchy_of(*nodes), "s")
        assert "[hub | Op]" in drawn(hierarchy_of(*nodes, Node("y", inputs=("s/hub",))), "s")

    def test_diagram_variables_passed_to_a_function(self) -> None:
        body = Body(
            "f", (Node("read", inputs=("w",)), Node("y", inputs=("read", "x"))), (("x", "float32"), ("w", "resource"))
        )
        assert drawn(hierarchy(MadeGraph([], [body])), "__function_library__f") == [
            *("[x | input_arg]", "[read | Op] + w", "[y | Op]"),
            *("x -> y", "read -> y", "aside [w | input_arg]"),
        ]

    def test_diagram_no_inner_line_leads_to_outer_set_aside_boxes(self) -> None:
        lines = drawn(hierarchy(two_layers()), "", "dense")
        assert [line for line in lines if "↥" in line] == ["    BiasAdd -> ↥: ?×10"]

    def test_diagram_set_aside_box_opens(self) -> None:
        graph = hierarchy_of(*self.star(0), Node("hub/x", inputs=tuple(f"n{letter}" for letter in "abcdef")))
        diagram = build_diagram(graph, graph.root, frozenset({item(graph, "hub")}))
        assert [(box.lines[0], box.content is not None) for box in diagram.aside_boxes] == [("hub", True)]


@pytest.mark.parametrize(
    ("shape", "text"), [((), "scalar"), ((2, 3), "2×3"), ((-1, 3), "?×3"), ((0,), "0"), (None, ""), ((-1,), "?")]
)
def test_diagram_link_shapes(shape: tuple[int, ...] | None, text: str) -> None:
    assert shape_text(shape) == text


def test_diagram_nesting_is_bounded() -> None:
    """Calls of calls may be opened deeper than anyone can see; 100 are drawn."""
    bodies = [Body(f"f{number}", (Node("a/b/c/d/call", f"f{number + 1}"),)) for number in range(30)]
    graph = hierarchy(MadeGraph([Node("call", "f0")], bodies))
    diagram, depth = build_diagram(graph, graph.root, frozenset(range(len(graph)))), 0
    while inside := diagram.boxes[0].content:
        diagram, depth = inside, depth + 1
    assert depth == 100
