"""What calls of functions hand to them and what they hand back: which tensor is which argument."""

from __future__ import annotations

import pytest

from tbtui.plugins.graphs.functions import match_arguments, match_outputs
from tbtui.plugins.graphs.scope_diagram import build_diagram
from tbtui.plugins.graphs.tracing import list_inputs
from tests.helpers.graphs import Attribute, Body, MadeGraph, Node, with_function
from tests.helpers.hierarchy_text import hierarchy, item

BODY = Body(
    "f",
    (Node("sum", inputs=("x", "y")), Node("first"), Node("second")),
    (("x", "float32"), ("y", "float32")),
    ("one", "two", "none"),
    ("sum:z:0", "second:z:0"),
)


def called(*nodes: Node, op: str = "f", given: tuple[str, ...] = ("a", "b")) -> MadeGraph:
    """A call of `f(x, y)`, which returns `one`, `two` and `none`, of which it is not told where it comes from."""
    call = Node("call", op, given, attributes=(Attribute("f", "f"),))
    return MadeGraph([Node("a", shapes=((4,),)), Node("b", shapes=((5,), (6,))), call, *nodes], [BODY])


def arguments(graph: MadeGraph) -> dict[str, tuple[str, int]]:
    """By the names of the arguments: the node and its output."""
    of = hierarchy(graph)
    return {
        of.leaf(node): (of.name(source), output)
        for node, (source, output) in match_arguments(of, item(of, "call")).items()
    }


@pytest.mark.parametrize("op", ["f", "PartitionedCall", "StatefulPartitionedCall", "While"])
def test_arguments_are_inputs_in_order(op: str) -> None:
    assert arguments(called(op=op, given=("a", "b:1", "^a"))) == {"x": ("a", 0), "y": ("b", 1)}


def test_arguments_may_share_one_tensor() -> None:
    assert arguments(called(given=("a", "a:0"))) == {"x": ("a", 0), "y": ("a", 0)}


def test_arguments_missing_input_is_not_reported() -> None:
    assert arguments(called(given=("gone", "b"))) == {"y": ("b", 0)}


@pytest.mark.parametrize("graph", [called(given=("a",)), called(op="MapDataset"), called(given=("call", "b"))])
def test_arguments_ambiguous_inputs_are_not_reported(graph: MadeGraph) -> None:
    assert arguments(graph) == {}


@pytest.mark.parametrize(("op", "read"), [("f", "call:1"), ("PartitionedCall", "call:1")])
def test_results_are_identified_by_number(op: str, read: str) -> None:
    of = hierarchy(called(Node("reader", inputs=("call", read)), op=op))
    call = item(of, "call")
    assert {of.leaf(node): tensors for node, tensors in match_outputs(of, call).items()} == {
        "sum": [(call, 0)],
        "second": [(call, 1)],
    }


@pytest.mark.parametrize(("op", "keys"), [("f", ("one:0", "two:0")), ("PartitionedCall", ("output:0", "output:1"))])
def test_results_in_functions_are_identified_by_name(op: str, keys: tuple[str, str]) -> None:
    call = Node("call", op, ("a", "a"), attributes=(Attribute("f", "f"),))
    outer = Body("g", (call, Node("reader", inputs=tuple(f"call:{key}" for key in keys))), (("a", "float32"),))
    of = hierarchy(MadeGraph([Node("start", "g")], [BODY, outer]))
    inner = item(of, "__function_library__g/call")
    assert {of.leaf(node): len(tensors) for node, tensors in match_outputs(of, inner).items()} == {
        "sum": 1,
        "second": 1,
    }


def test_routes_follow_arguments_into_functions() -> None:
    """What comes in for `x` is what `a` sends, and what `reader` reads is what `second` makes."""
    of = hierarchy(called(Node("reader", inputs=("call:1",))))
    call = item(of, "call")
    outer = build_diagram(of, of.root, frozenset({call}))
    inside = outer.boxes[2].content
    assert inside is not None
    told = {(link.source, link.target): (link.label, link.tensors) for link in inside.links if min(link[:2]) < 0}
    names = [box.lines[0] for box in inside.boxes]
    x, y, second = names.index("x"), names.index("y"), names.index("second")
    assert told[-1, x] == ("4", ((0, 0),))
    assert told[-1, y] == ("5", ((1, 0),))
    assert told[second, -2][1] == ((call, 1),)
    assert [link.tensors for link in outer.links] == [((0, 0),), ((1, 0),), ((call, 1),)]


def test_results_returned_constant_has_no_outgoing_box() -> None:
    body = Body("f", (Node("x"), Node("c", "Const")), outputs=("c",))
    of = hierarchy(MadeGraph([Node("call", "f"), Node("r", inputs=("call",))], [body]))
    inside = build_diagram(of, of.root, frozenset({0})).boxes[0].content
    assert inside is not None
    assert inside.links == ()


def test_call_inputs_are_listed_with_their_arguments() -> None:
    of = hierarchy(with_function())
    assert [one.label for one in list_inputs(of, item(of, "call"))] == ["x: 4", "y: 4"]
    of = hierarchy(called(given=("a", "a", "^b")))
    assert [(one.label, one.is_control) for one in list_inputs(of, item(of, "call"))] == [
        ("x, y: 4", False),
        ("", True),
    ]
