"""Test which boxes, scopes and edges of a graph are exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.formats.documents import BoxPart, CloseScope, OpenScope, Outline, choose_open_scopes
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tests.helpers.graphs import Body, MadeGraph, Node, residual_block, two_layers, with_function

if TYPE_CHECKING:
    from collections.abc import Sequence


def hierarchy_of(graph: MadeGraph) -> Hierarchy:
    return Hierarchy(build_graph(graph))


def items(hierarchy: Hierarchy, *names: str) -> frozenset[int]:
    found = [hierarchy.find_item(name) for name in names]
    return frozenset(item for item in found if item is not None)


def written(outline: Outline) -> str:
    """Return box names, with those of a scope in brackets."""
    words: list[str] = []
    for part in outline.iter_parts():
        if isinstance(part, OpenScope):
            words += [outline.hierarchy.leaf(part.item), "("]
        else:
            words.append(outline.hierarchy.leaf(part.item) if isinstance(part, BoxPart) else ")")
    return " ".join(words)


def links(outline: Outline) -> list[str]:
    name = outline.hierarchy.name
    return [
        f"{name(one.source)} {'..' if one.is_control else '--'}{one.label}> {name(one.target)}"
        for one in outline.iter_links()
    ]


def test_outline_whole_graph_has_every_node_in_its_scope() -> None:
    outline = Outline(hierarchy_of(two_layers()))
    assert written(outline) == (
        "x dense ( w ( (w) read ) b MatMul BiasAdd ) out ( w ( (w) read ) b MatMul BiasAdd ) loss axis tags loss_1 init"
    )
    assert links(outline)[:5] == [
        "dense/w/(w) --20×10> dense/w/read",
        "x --?×20> dense/MatMul",
        "dense/w/read --20×10> dense/MatMul",
        "dense/MatMul --?×10> dense/BiasAdd",
        "dense/b --10> dense/BiasAdd",
    ]
    assert "dense/b ..> init" in links(outline)


def test_outline_closed_scope_has_the_edges_of_its_nodes() -> None:
    hierarchy = hierarchy_of(two_layers())
    outline = Outline(hierarchy, items(hierarchy, "out"))
    assert written(outline) == "x dense out ( w b MatMul BiasAdd ) loss init"
    assert links(outline) == [
        "x --?×20> dense",
        "dense --?×10> out/MatMul",
        "out/w --10×1> out/MatMul",
        "out/MatMul --?×1> out/BiasAdd",
        "out/b --1> out/BiasAdd",
        "out/BiasAdd --?×1> loss",
        "dense ..> init",
        "out/w ..> init",
        "out/b ..> init",
    ]


def test_outline_tensors_between_two_boxes_are_counted_once() -> None:
    graph = MadeGraph(
        [
            Node("a/x", shapes=((2,), (3,))),
            Node("a/y", shapes=((4,),)),
            Node("b", "Op", ("a/x", "a/x:1", "a/y", "a/x")),
            Node("c", "Op", ("a/y", "a/y")),
        ]
    )
    assert links(Outline(hierarchy_of(graph), frozenset())) == ["a --3 tensors> b", "a --4> c"]


def test_outline_functions_follow_the_graph_and_calls_are_boxes() -> None:
    hierarchy = hierarchy_of(with_function())
    outline = Outline(hierarchy)
    assert written(outline) == "a b call double functions ( square_sum ( x y Mul Add result ) )"
    opened = items(hierarchy, "call")
    assert written(Outline(hierarchy, opened)) == "a b call double functions"
    assert links(Outline(hierarchy, opened)) == ["a --4> call", "b --4> call", "call --4> double"]


def test_outline_unused_constants_are_in_their_function_alone() -> None:
    graph = MadeGraph([Node("call", "f")], [Body("f", (Node("x"), Node("c", "Const")))])
    hierarchy = hierarchy_of(graph)
    assert written(Outline(hierarchy)) == "call functions ( f ( x c ) )"
    assert links(Outline(hierarchy)) == []


def test_outline_series_is_a_box_or_its_members() -> None:
    hierarchy = hierarchy_of(MadeGraph([Node(f"add_{number}", "Add") for number in range(1, 6)]))
    assert written(Outline(hierarchy)) == "add_1 add_2 add_3 add_4 add_5"
    assert written(Outline(hierarchy, frozenset())) == "add_[1-5]"
    series = items(hierarchy, "add_[1-5]")
    assert written(Outline(hierarchy, series)) == "add_[1-5] ( add_1 add_2 add_3 add_4 add_5 )"


def test_outline_layers_are_boxes() -> None:
    outline = Outline(hierarchy_of(residual_block()), frozenset())
    assert written(outline) == "input conv_1 relu_1 conv_2 add relu_2"
    assert links(outline)[-1] == "add --?×32×32×16> relu_2"


def test_outline_opens_outer_scopes_within_the_box_limit() -> None:
    hierarchy = hierarchy_of(
        MadeGraph(
            [Node(f"big/{letter}") for letter in "abcdefghi"] + [Node(f"small/in/{n}") for n in range(2)] + [Node("x")]
        )
    )
    assert choose_open_scopes(hierarchy, 3) == items(hierarchy, "small")
    assert choose_open_scopes(hierarchy, 4) == items(hierarchy, "small", "small/in")
    assert choose_open_scopes(hierarchy, 11) == items(hierarchy, "small", "big")
    assert choose_open_scopes(hierarchy, 12) == items(hierarchy, "small", "big", "small/in")
    assert choose_open_scopes(hierarchy, 1) == frozenset()


def test_outline_single_scope_is_opened_above_the_box_limit() -> None:
    hierarchy = hierarchy_of(MadeGraph([Node(f"model/body/{letter}/x") for letter in "abcdefgh"]))
    assert choose_open_scopes(hierarchy, 3) == items(hierarchy, "model", "model/body")


NAMES = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), max_size=10, unique=True)


@given(NAMES, st.data())
def test_outline_any_open_scopes_place_each_node_and_edge_once(names: Sequence[str], data: st.DataObject) -> None:
    nodes = [
        Node(
            name,
            data.draw(st.sampled_from(["Op", "Const", "NoOp"])),
            tuple(data.draw(st.lists(st.sampled_from(names), max_size=3))),
        )
        for name in names
    ]
    hierarchy = hierarchy_of(MadeGraph(nodes))
    opened = data.draw(st.none() | st.frozensets(st.integers(0, len(hierarchy) - 1)))
    outline = Outline(hierarchy, opened)
    parts = list(outline.iter_parts())
    boxes = [part.item for part in parts if isinstance(part, BoxPart)]
    assert len(set(boxes)) == len(boxes)
    assert [p.item for p in parts if isinstance(p, OpenScope)] == sorted(
        (p.item for p in parts if isinstance(p, CloseScope)),
        key=[p.item for p in parts if isinstance(p, OpenScope)].index,
    )
    held = [
        node for box in boxes for node in (hierarchy.list_all_nodes(box).tolist() if box >= hierarchy.nodes else [box])
    ]
    embedded = hierarchy.graph.embedded
    shown = [node for node in range(hierarchy.nodes) if opened is None or not embedded[node]]
    assert sorted(node for node in held if opened is None or not embedded[node]) == shown
    for link in outline.iter_links():
        assert link.source in boxes
        assert link.target in boxes
        assert link.source != link.target
