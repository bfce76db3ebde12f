"""Scopes within scopes: TensorBoard's rules on graphs small enough to check by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.graphs import Attribute, Body, MadeGraph, Node, chain, residual_block, two_layers, with_function
from tests.helpers.hierarchy_text import hierarchy, hierarchy_of, item, tree


class TestScopes:
    def test_hierarchy_of_two_layers(self) -> None:
        assert tree(hierarchy(two_layers())) == [
            "x: Placeholder",
            "dense: scope of 5",
            "  w: scope of 2",
            "    (w): VariableV2",
            "    read: Identity",
            "  b: VariableV2",
            "  MatMul: MatMul",
            "  BiasAdd: BiasAdd",
            "out: scope of 5",
            "  w: scope of 2",
            "    (w): VariableV2",
            "    read: Identity",
            "  b: VariableV2",
            "  MatMul: MatMul",
            "  BiasAdd: BiasAdd",
            "loss: Mean + axis + tags + loss_1",
            "init: NoOp",
        ]

    def test_scope_is_placed_at_its_first_node(self) -> None:
        graph = hierarchy_of(Node("b/x"), Node("a"), Node("c/y/z"), Node("b/w"), Node("c/x"))
        assert tree(graph) == [
            *("b: scope of 2", "  x: Op", "  w: Op"),
            "a: Op",
            *("c: scope of 2", "  y: scope of 1", "    z: Op", "  x: Op"),
        ]

    def test_node_named_like_a_scope_is_inside_it(self) -> None:
        graph = hierarchy_of(Node("A"), Node("A/B"), Node("A/B/C"))
        assert tree(graph) == ["A: scope of 3", "  (A): Op", "  B: scope of 2", "    (B): Op", "    C: Op"]
        assert [graph.name(node) for node in range(3)] == ["A/(A)", "A/B/(B)", "A/B/C"]
        assert (graph.find_node("A"), graph.kind(item(graph, "A")), graph.find_item("A/(A)")) == (0, "scope", 0)

    def test_embedded_node_creates_no_scope(self) -> None:
        assert tree(hierarchy_of(Node("A/c", "Const"), Node("A", inputs=("A/c",)))) == ["A: Op + c"]

    def test_embedded_node_named_like_a_scope_gets_parentheses(self) -> None:
        graph = hierarchy_of(Node("A", "Const"), Node("A/x", inputs=("A",)))
        assert tree(graph) == ["A: scope of 1", "  x: Op + (A)"]
        assert graph.name(0) == "A/(A)"

    def test_unread_constant_is_in_the_innermost_existing_scope(self) -> None:
        graph = hierarchy_of(Node("A/B/c", "Const"), Node("A/x"))
        assert graph.embedded(item(graph, "A")).tolist() == [0]
        assert tree(graph) == ["A: scope of 1 + c", "  x: Op"]

    def test_name_in_parentheses_may_be_taken(self) -> None:
        graph = hierarchy_of(Node("A/(A)"), Node("A"))
        assert tree(graph) == ["A: scope of 2", "  (A): Op", "  (A) (2): Op"]

    def test_empty_parts_of_names_are_kept(self) -> None:
        assert tree(hierarchy_of(Node("a//b"), Node("/c"), Node("d/"))) == [
            *("a: scope of 1", "  (no name): scope of 1", "    b: Op"),
            *("(no name): scope of 1", "  c: Op"),
            *("d: scope of 1", "  (no name): Op"),
        ]

    def test_scopes_are_at_most_64_deep(self) -> None:
        graph = hierarchy_of(Node("s/" * 999 + "x"))
        assert len(graph.path(0)) == 1 + 64 + 1
        assert graph.leaf(0) == "s/" * 935 + "x"

    def test_hierarchy_without_nodes_is_empty(self) -> None:
        graph = hierarchy_of()
        assert (tree(graph), len(graph), graph.node_counts.tolist(), graph.library) == ([], 1, [0], -1)
        assert graph.leaf(graph.root) == "graph"

    def test_hierarchy_of_keras_layers(self) -> None:
        graph = hierarchy(residual_block())
        assert [graph.kind(child) for child in graph.children(graph.root).tolist()] == ["input"] + ["layer"] * 5
        assert graph.leaf(graph.root) == "model"


class TestSeries:
    def names(self, *names: str, op: str = "Op") -> list[str]:
        """The children of the scope `s` that nodes of these names are in."""
        graph = hierarchy_of(*(Node(f"s/{name}", op) for name in names))
        return [graph.leaf(child) for child in graph.children(item(graph, "s")).tolist()]

    def test_series_five_numbered_nodes_are_grouped(self) -> None:
        assert self.names("x_1", "x_2", "x_3", "x_4", "x_5") == ["x_[1-5]"]

    def test_series_four_numbered_nodes_are_not_grouped(self) -> None:
        assert self.names("x_1", "x_2", "x_3", "x_4") == ["x_1", "x_2", "x_3", "x_4"]

    def test_series_unnumbered_node_is_not_number_zero(self) -> None:
        assert self.names("x", "x_1", "x_2", "x_3", "x_4") == ["x", "x_1", "x_2", "x_3", "x_4"]

    def test_series_ends_at_a_gap(self) -> None:
        assert self.names(*(f"x{n}" for n in (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 20))) == ["x[1-5]", "x[7-11]", "x20"]

    def test_series_order_of_writing_is_irrelevant(self) -> None:
        assert self.names("x5", "y", "x3", "x1", "x4", "x2") == ["x[1-5]", "y"]

    def test_series_of_bare_numbers_is_grouped(self) -> None:
        assert self.names("1", "2", "3", "4", "5") == ["[1-5]"]

    def test_series_needs_digits_at_the_end(self) -> None:
        names = tuple(f"conv2d_{number}" for number in range(5))
        assert self.names(*names) == list(names)

    def test_series_ends_at_a_duplicate_number(self) -> None:
        names = ("x1", "x2", "x3", "x03", "x4", "x5")
        assert sorted(self.names(*names)) == sorted(names)

    def test_series_numbers_of_any_length(self) -> None:
        assert len(self.names(*("x" + "9" * length for length in (1, 15, 16, 5000, 6000)))) == 5

    def test_series_operations_are_separate(self) -> None:
        nodes = [Node(f"x{number}", "Add" if number % 2 else "Mul") for number in range(10)]
        assert len(tree(hierarchy_of(*nodes))) == 10

    def test_series_scopes_are_not_grouped(self) -> None:
        graph = hierarchy_of(*(Node(f"block_{number}/x") for number in range(6)))
        assert [graph.kind(child) for child in graph.children(graph.root).tolist()] == ["scope"] * 6

    def test_series_properties(self) -> None:
        graph = hierarchy(chain(*(f"s/x_{number}" for number in range(6)), "y"))
        series = item(graph, "s/x_[0-5]")
        assert (graph.kind(series), graph.op(series), int(graph.node_counts[series])) == ("series", "Op", 6)
        assert graph.children(series).tolist() == [0, 1, 2, 3, 4, 5]
        assert graph.path(3) == (graph.root, item(graph, "s"), series, 3)
        assert graph.shapes(series) == ((32, 10),), "only the last is read outside"

    def test_series_expanded_lists_its_nodes(self) -> None:
        graph = hierarchy_of(Node("x1"), Node("y"), *(Node(f"x{number}") for number in range(2, 6)))
        assert [graph.leaf(child) for child in graph.children(graph.root).tolist()] == ["x[1-5]", "y"]
        apart = graph.children(graph.root, ungrouped=True).tolist()
        assert apart == [0, 1, 2, 3, 4, 5], "each where it is written"


class TestFunctions:
    def test_functions_are_a_separate_section(self) -> None:
        graph = hierarchy(with_function())
        body = ["x: input_arg", "y: input_arg", "Mul: Mul", "Add: Add", "result: Identity"]
        assert tree(graph, graph.library) == ["square_sum: function of 5", *(f"  {line}" for line in body)]
        assert graph.node_counts[graph.root] == 4
        assert graph.parent[[graph.root, graph.library]].tolist() == [-1, -1]
        assert graph.name(item(graph, "__function_library__square_sum/Mul")) == "__function_library__square_sum/Mul"

    def test_call_opens_its_function(self) -> None:
        graph = hierarchy(with_function())
        call = item(graph, "call")
        assert graph.kind(call) == "function"
        assert tree(graph, call) == ["x: input_arg", "y: input_arg", "Mul: Mul", "Add: Add", "result: Identity"]
        assert graph.node_counts[call] == 1, "it is one node, whatever the function does"
        assert graph.node_counts[graph.body(call)] == 5

    def test_calls_of_one_function_open_independently(self) -> None:
        graph = hierarchy(MadeGraph([Node("a", "f"), Node("b", "f")], [Body("f", (Node("s/x"), Node("y")))]))
        first, second = (set(graph.children(call).tolist()) for call in (0, 1))
        assert not first & second
        for call in (0, 1):
            assert tree(graph, call) == ["s: scope of 1", "  x: Op", "y: Op"]
            scope = int(graph.children(call)[0])
            assert graph.path(int(graph.children(scope)[0])) == (graph.root, call, scope, int(graph.children(scope)[0]))

    def test_calls_inside_functions_open(self) -> None:
        bodies = [Body("f", (Node("inner", "g"),)), Body("g", (Node("c", "Const"), Node("x", inputs=("c",))))]
        graph = hierarchy(MadeGraph([Node("outer", "f")], bodies))
        assert tree(graph) == ["outer: f", "  inner: g", "    x: Op + c"]
        assert tree(graph, graph.library) == [
            "f: function of 1",
            "  inner: g",
            "    x: Op + c",
            "g: function of 1",
            "  x: Op + c",
        ]

    def test_call_recursive_function_does_not_open(self) -> None:
        bodies = [Body("f", (Node("x"), Node("to_g", "g"))), Body("g", (Node("to_f", "f"), Node("to_g", "g")))]
        graph = hierarchy(MadeGraph([Node("start", "f")], bodies))
        assert tree(graph) == ["start: f", "  x: Op", "  to_g: g", "    to_f: f", "    to_g: g"]

    def test_calls_exponential_expansion_terminates(self) -> None:
        """Forty functions that each call the next one twice: a million million copies, of which most are not made."""
        bodies = [
            Body(f"f{number}", (Node("a", f"f{number + 1}"), Node("b", f"f{number + 1}"))) for number in range(40)
        ]
        graph = hierarchy(MadeGraph([Node("start", "f0")], bodies))
        assert 100_000 < len(graph) < 300_000

    def test_calls_mutual_recursion_terminates(self) -> None:
        names = [f"f{number}" for number in range(30)]
        bodies = [Body(name, tuple(Node(other, other) for other in names)) for name in names]
        assert len(hierarchy(MadeGraph([Node("start", "f0")], bodies))) < 300_000

    def test_call_has_its_own_constants(self) -> None:
        graph = hierarchy(MadeGraph([Node("c", "Const"), Node("call", "f", ("c",))], [Body("f", (Node("x"),))]))
        assert tree(graph) == ["call: f + c", "  x: Op"]

    def test_call_of_an_empty_function_does_not_open(self) -> None:
        graph = hierarchy(MadeGraph([Node("call", "f")], [Body("f"), Body("g", (Node("x"),))]))
        assert tree(graph, graph.library) == ["f: function of 0", "g: function of 1", "  x: Op"]
        assert not graph.has_children(0)

    def test_call_function_name_with_a_slash_creates_no_scope(self) -> None:
        graph = hierarchy(MadeGraph([], [Body("a/b", (Node("s/x"),))]))
        assert tree(graph, graph.library) == ["a/b: function of 1", "  s: scope of 1", "    x: Op"]

    def test_call_named_by_an_attribute_opens(self) -> None:
        call = Node("call", "StatefulPartitionedCall", attributes=(Attribute("f", "step"),))
        assert tree(hierarchy(MadeGraph([call], [Body("step", (Node("x"),))]))) == [
            "call: StatefulPartitionedCall",
            "  x: Op",
        ]


class TestSums:
    def test_templates_of_two_layers(self) -> None:
        graph = hierarchy(two_layers())
        sums = {
            name: (int(graph.node_counts[at]), int(graph.parameters.counts[at]))
            for name in ("", "dense", "dense/w", "dense/w/(w)", "out", "loss", "x")
            for at in [item(graph, name)]
        }
        assert sums == {
            "": (13, 221),
            "dense": (5, 210),
            "dense/w": (2, 200),
            "dense/w/(w)": (1, 200),
            "out": (5, 11),
            "loss": (1, 0),
            "x": (1, 0),
        }
        assert graph.count_ops(item(graph, "dense")) == {"VariableV2": 2, "Identity": 1, "MatMul": 1, "BiasAdd": 1}
        assert graph.count_ops(graph.root)["Const"] == 0
        assert graph.list_all_nodes(item(graph, "loss")).tolist() == [12, 11, 13, 14], "with what is embedded in it"

    def test_devices_of_scopes(self) -> None:
        graph = hierarchy_of(Node("s/a", device="/cpu:0"), Node("s/b"), Node("s/c", device="/cpu:0"), Node("d"))
        assert graph.devices(item(graph, "s")) == {"/cpu:0": 2, "": 1}

    def test_scope_shapes_are_those_of_its_outputs(self) -> None:
        graph = hierarchy(two_layers())
        assert graph.shapes(item(graph, "dense")) == ((-1, 10),)
        assert graph.shapes(item(graph, "dense/w/read")) == ((20, 10),)
        assert graph.shapes(graph.root) == ()


class TestTemplates:
    @staticmethod
    def block(name: str, *ops: str) -> list[Node]:
        """A scope of a chain of operations."""
        return [
            Node(f"{name}/{number}_{op}", op, (f"{name}/{number - 1}_{ops[number - 1]}",) if number else ())
            for number, op in enumerate(ops)
        ]

    def templates(self, *blocks: list[Node]) -> list[int]:
        """Of the scopes at the top."""
        graph = hierarchy_of(*(node for block in blocks for node in block))
        return graph.template[graph.children(graph.root)].tolist()

    def test_templates_similar_scopes_are_shared(self) -> None:
        assert self.templates(
            self.block("a", "Conv", "Relu"),
            self.block("b", "Conv", "Relu", "Add"),
            self.block("c", "Conv", "Relu", "Add"),
            self.block("d", "Conv", "Relu"),
            self.block("e", "Conv"),
        ) == [1, 0, 0, 1, -1], "the larger ones first, what is unique without"

    def test_templates_differently_linked_operations_are_not_shared(self) -> None:
        assert self.templates(self.block("a", "Conv", "Relu"), self.block("b", "Relu", "Conv")) == [-1, -1]

    def test_order_of_two_layers(self) -> None:
        graph = hierarchy(two_layers())
        assert graph.template[[item(graph, name) for name in ("dense", "out", "dense/w", "out/w")]].tolist() == [
            0,
            0,
            1,
            1,
        ]


def test_templates_of_copies_equal_their_originals() -> None:
    body = Body("f", (Node("s/x"), Node("t/x")))
    graph = hierarchy(MadeGraph([Node("call", "f")], [body]))
    assert graph.template[graph.children(0)].tolist() == [0, 0]


@pytest.mark.parametrize("count", [1, 7])
def test_order_of_items_equals_the_tree(count: int) -> None:
    """What is in an item is a stretch behind it."""
    graph = hierarchy(two_layers()) if count == 1 else hierarchy(chain(*(f"s/x{number}" for number in range(count))))
    places, ends = graph.order.positions, graph.order.ends
    for at in range(graph.items):
        below = [int(inner) for inner in graph.order.items[places[at] + 1 : ends[at]]]
        assert all(at in graph.path(inner) for inner in below)
    assert np.array_equal(np.sort(graph.order.items), np.arange(graph.items))
