"""What is open of a graph and where the cursor is, gesture by gesture."""

from __future__ import annotations

from string import ascii_lowercase

import pytest

from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.navigation import (
    Navigation,
    enter_scope,
    find_visible_item,
    leave_scope,
    record_navigation,
    restore_navigation,
    select_item,
    start_navigation,
    toggle_all,
    toggle_scope,
    toggle_series,
)
from tbtui.plugins.graphs.settings import GraphNavigation
from tbtui.plugins.graphs.tree import Tree
from tests.helpers.graphs import Body, MadeGraph, Node, chain, two_layers, with_function


def hierarchy_of(made: MadeGraph) -> Hierarchy:
    return Hierarchy(build_graph(made))


def item(hierarchy: Hierarchy, name: str) -> int:
    found = hierarchy.find_item(name)
    assert found is not None
    return found


def names(hierarchy: Hierarchy, look: Navigation) -> tuple[str, set[str], str]:
    return hierarchy.name(look.inside), {hierarchy.name(one) for one in look.opened}, hierarchy.name(look.chosen)


def test_navigation_starts_below_single_scopes() -> None:
    hierarchy = hierarchy_of(chain("model/net/a/x", "model/net/b/y", "model/net/c"))
    assert names(hierarchy, start_navigation(hierarchy)) == ("model/net", {"model", "model/net"}, "model/net/a")


def test_navigation_dominant_scope_is_open() -> None:
    nodes = [
        Node("input/x", "IO Node"),
        Node("Net/Linear[0]/out", "aten::linear", ("input/x",)),
        Node("Net/ReLU[1]/out", "aten::relu", ("Net/Linear[0]/out",)),
        Node("output/y", "IO Node", ("Net/ReLU[1]/out",)),
    ]
    hierarchy = hierarchy_of(MadeGraph(nodes))
    assert names(hierarchy, start_navigation(hierarchy)) == ("", {"Net"}, "input")


def test_navigation_scopes_of_equal_weight_stay_closed() -> None:
    hierarchy = hierarchy_of(two_layers())
    assert names(hierarchy, start_navigation(hierarchy)) == ("", set(), "x")


def traced_step() -> Hierarchy:
    """Many small graphs that call one function, which has arguments, a loss, a model and what optimizes it."""
    scopes = {"loss": 1, "model": 4, "adam": 12}
    held = tuple(Node(f"{scope}/op_{at}_of_{scope}", "Op", ("x",)) for scope, n in scopes.items() for at in range(n))
    body = Body("step", (Node("Shape", "Shape", ("x",)), *held), (("x", "float32"), ("y", "float32")))
    return hierarchy_of(MadeGraph([Node(f"graph_{at}/call", "step", ("a",)) for at in range(2)], (body,)))


def test_navigation_traced_function_starts_at_its_model() -> None:
    hierarchy = traced_step()
    step = "__function_library__step"
    inside, _, chosen = names(hierarchy, start_navigation(hierarchy))
    assert (inside, chosen) == (step, f"{step}/model")
    gone = enter_scope(start_navigation(hierarchy), hierarchy, item(hierarchy, f"{step}/adam"))
    assert hierarchy.name(gone.chosen).startswith(f"{step}/adam/")
    again = restore_navigation(GraphNavigation(frozenset(), step, "gone"), hierarchy)
    assert hierarchy.name(again.chosen) == f"{step}/model"


def test_tree_lists_function_arguments_last() -> None:
    hierarchy = traced_step()
    body = item(hierarchy, "__function_library__step")
    listed = [hierarchy.leaf(one) for one in Tree(hierarchy, {hierarchy.library, body}).items.tolist()]
    assert listed[-6:] == ["Shape", "loss", "model", "adam", "x", "y"]


def test_navigation_of_an_empty_graph_exists() -> None:
    hierarchy = hierarchy_of(MadeGraph([]))
    look = start_navigation(hierarchy)
    assert (look.inside, look.chosen) == (hierarchy.root, hierarchy.root)
    assert restore_navigation(record_navigation(look, hierarchy), hierarchy) == look


def test_navigation_target_becomes_visible() -> None:
    hierarchy = hierarchy_of(chain("a/b/c/x", "a/b/y", "d/z"))
    look = select_item(start_navigation(hierarchy), hierarchy, item(hierarchy, "a/b/c/x"))
    assert names(hierarchy, look) == ("", {"a", "a/b", "a/b/c"}, "a/b/c/x")
    assert item(hierarchy, "a/b/c/x") in Tree(hierarchy, look.opened).items


def test_cursor_moves_out_of_a_closed_scope() -> None:
    hierarchy = hierarchy_of(chain("a/b/x", "a/y", "d/z"))
    look = select_item(start_navigation(hierarchy), hierarchy, item(hierarchy, "a/b/x"))
    look = toggle_scope(look, hierarchy, item(hierarchy, "a"))
    assert names(hierarchy, look) == ("", {"a/b"}, "a")
    assert names(hierarchy, toggle_scope(look, hierarchy, item(hierarchy, "a"))) == ("", {"a", "a/b"}, "a")


def test_empty_scope_does_not_open() -> None:
    hierarchy = hierarchy_of(chain("a/x", "b/y"))
    look = select_item(start_navigation(hierarchy), hierarchy, item(hierarchy, "a/x"))
    assert toggle_scope(look, hierarchy, look.chosen) == look
    assert enter_scope(look, hierarchy, look.chosen) == look


def test_scope_is_entered_and_left() -> None:
    hierarchy = hierarchy_of(chain("a/b/x", "a/y", "d/z"))
    look = enter_scope(start_navigation(hierarchy), hierarchy, item(hierarchy, "a"))
    assert names(hierarchy, look) == ("a", {"a"}, "a/b")
    look = leave_scope(look, hierarchy)
    assert names(hierarchy, look) == ("", set(), "a")
    assert leave_scope(look, hierarchy) == look


def test_cursor_outside_the_entered_scope_leaves_it() -> None:
    hierarchy = hierarchy_of(chain("a/b/x", "a/y", "d/z"))
    look = enter_scope(start_navigation(hierarchy), hierarchy, item(hierarchy, "a"))
    assert names(hierarchy, select_item(look, hierarchy, item(hierarchy, "d/z"))) == ("", {"a", "d"}, "d/z")


def test_function_body_is_drawn_alone() -> None:
    hierarchy = hierarchy_of(with_function())
    body = item(hierarchy, "__function_library__square_sum")
    look = select_item(start_navigation(hierarchy), hierarchy, item(hierarchy, "__function_library__square_sum/Add"))
    assert look.inside == body
    assert (
        start_navigation(hierarchy).inside
        == select_item(look, hierarchy, item(hierarchy, "a")).inside
        == hierarchy.root
    )


def test_cursor_on_an_embedded_constant_shows_its_reader() -> None:
    hierarchy = hierarchy_of(two_layers())
    constant = item(hierarchy, "loss/axis")
    assert hierarchy.leaf(find_visible_item(hierarchy, constant)) in {"loss", "(loss)"}
    look = select_item(start_navigation(hierarchy), hierarchy, constant)
    assert look.chosen == constant
    assert find_visible_item(hierarchy, constant) in Tree(hierarchy, look.opened).items


@pytest.mark.parametrize("made", [two_layers(), with_function(), chain("a/b/x", "a/y")])
def test_navigation_is_saved_by_names(made: MadeGraph) -> None:
    hierarchy = hierarchy_of(made)
    for chosen in range(hierarchy.nodes):
        look = select_item(start_navigation(hierarchy), hierarchy, chosen)
        assert restore_navigation(record_navigation(look, hierarchy), hierarchy) == look


def test_navigation_unknown_names_are_ignored() -> None:
    hierarchy = hierarchy_of(chain("a/x", "b/y"))
    held = GraphNavigation(frozenset({"a", "gone", "b/y"}), "", "gone/too")
    assert names(hierarchy, restore_navigation(held, hierarchy)) == ("", {"a"}, "a")
    assert restore_navigation(GraphNavigation(inside="gone"), hierarchy) == start_navigation(hierarchy)
    assert restore_navigation(GraphNavigation(inside="b/y"), hierarchy) == start_navigation(hierarchy)


def test_navigation_overlong_names_are_not_saved() -> None:
    long = "x" * 5000
    hierarchy = hierarchy_of(chain(f"{long}/a/x", "b/y"))
    look = select_item(start_navigation(hierarchy), hierarchy, item(hierarchy, f"{long}/a/x"))
    assert record_navigation(look, hierarchy) == GraphNavigation()


def test_tree_endlessly_nested_scopes_are_listed() -> None:
    name = "/".join("s" * 1000)
    hierarchy = hierarchy_of(chain(f"{name}/x", "y"))
    look = select_item(start_navigation(hierarchy), hierarchy, item(hierarchy, f"{name}/x"))
    tree = Tree(hierarchy, look.opened)
    assert len(tree) == tree.depths.max() + 2
    assert tree.depths.max() > 50


def test_tree_lists_open_scopes_and_functions_last() -> None:
    hierarchy = hierarchy_of(with_function())
    tree = Tree(hierarchy, {hierarchy.library})
    told = [("  " * depth) + hierarchy.leaf(one) for one, depth in zip(tree.items, tree.depths, strict=True)]
    assert told[:4] == ["a", "b", "call", "double"]
    assert told[-1] == "  square_sum"
    assert [tree.row_index(one) for one in tree.items.tolist()] == list(range(len(tree)))
    assert tree.row_index(item(hierarchy, "__function_library__square_sum/Add")) is None
    assert tree.row_index(10**6) is None


def test_calls_open_one_level_at_a_time() -> None:
    twice = with_function()
    nodes = [*twice.nodes, Node("again", "square_sum", ("double", "b"))]
    hierarchy = hierarchy_of(MadeGraph(nodes, twice.bodies))
    look = toggle_scope(start_navigation(hierarchy), hierarchy, item(hierarchy, "call"))
    tree = Tree(hierarchy, look.opened)
    inner = [int(one) for one, depth in zip(tree.items, tree.depths, strict=True) if depth == 1]
    assert {hierarchy.leaf(one) for one in inner} >= {"Mul", "Add", "result"}
    assert record_navigation(select_item(look, hierarchy, inner[0]), hierarchy).opened == {"call"}


def test_calls_recursive_functions_terminate() -> None:
    body = Body("f", (Node("again", "f", ("x",)),), (("x", "float32"),), ("again",))
    hierarchy = hierarchy_of(MadeGraph([Node("a"), Node("call", "f", ("a",))], (body,)))
    look = start_navigation(hierarchy)
    for _ in range(50):
        look = toggle_scope(look, hierarchy, int(Tree(hierarchy, look.opened).items[-1]), open_it=True)
    assert len(Tree(hierarchy, look.opened)) < 200


def test_navigation_saved_for_another_model_is_ignored() -> None:
    hierarchy = hierarchy_of(chain("model/net/a/x", "model/net/b/y", "model/net/c"))
    for other in (GraphNavigation(chosen="w"), GraphNavigation(frozenset({"layer", "model"}), "layer", "layer/w")):
        assert restore_navigation(other, hierarchy) == start_navigation(hierarchy)
    assert names(hierarchy, restore_navigation(GraphNavigation(chosen="model"), hierarchy))[2] == "model"


def numbered() -> Hierarchy:
    """A series in a scope, and the call of a function in another series."""
    convs = [Node(f"net/conv_{number}", "Conv2D", (f"net/conv_{number - 1}",)) for number in range(1, 7)]
    calls = [Node(f"call_{number}", "square_sum") for number in range(1, 6)]
    return hierarchy_of(MadeGraph([*convs, *calls], [Body("square_sum", (Node("Add", "Add"),))]))


def test_series_is_expanded_and_collapsed() -> None:
    hierarchy = numbered()
    series = item(hierarchy, "net/conv_[1-6]")
    whole = select_item(Navigation(hierarchy.root, frozenset({series}), hierarchy.root), hierarchy, series)
    apart = toggle_series(whole, hierarchy, series)
    assert (apart.ungrouped, apart.chosen) == ({series}, item(hierarchy, "net/conv_1"))
    listed = [hierarchy.leaf(one) for one in Tree(hierarchy, apart.opened, apart.ungrouped).items.tolist()]
    assert listed == ["net", *(f"conv_{number}" for number in range(1, 7)), "call_[1-5]", "functions"]
    assert select_item(apart, hierarchy, series).chosen == item(hierarchy, "net/conv_1")
    together = toggle_series(select_item(apart, hierarchy, item(hierarchy, "net/conv_3")), hierarchy, series)
    assert (together.ungrouped, together.chosen) == (frozenset(), series)
    assert series not in together.opened


def test_series_expanded_surrounds_nothing() -> None:
    hierarchy = numbered()
    series, call = (item(hierarchy, name) for name in ("call_[1-5]", "call_2"))
    inside = enter_scope(select_item(start_navigation(hierarchy), hierarchy, call), hierarchy, series)
    assert toggle_series(inside, hierarchy, series).inside == hierarchy.root
    apart = toggle_series(start_navigation(hierarchy), hierarchy, series)
    deep = enter_scope(apart, hierarchy, call)
    assert deep.inside == call
    assert leave_scope(deep, hierarchy).inside == hierarchy.root
    # Put together, nothing is drawn of the inside of a member that no longer shows.
    assert toggle_series(deep, hierarchy, series).inside == hierarchy.root
    assert toggle_series(deep, hierarchy, series).chosen == series


def test_series_expansion_is_saved() -> None:
    hierarchy = numbered()
    series = item(hierarchy, "net/conv_[1-6]")
    look = toggle_series(select_item(start_navigation(hierarchy), hierarchy, series), hierarchy, series)
    assert restore_navigation(record_navigation(look, hierarchy), hierarchy) == look
    assert record_navigation(look, hierarchy).apart == {"net/conv_[1-6]"}


def test_navigation_fold_all_opens_every_scope_and_closes_them_again() -> None:
    hierarchy = hierarchy_of(chain("x", "a/b/c/d", "a/b/e", "f/g/h"))
    closed = start_navigation(hierarchy)
    opened = toggle_all(closed, hierarchy)
    assert names(hierarchy, opened)[1] == {"a", "a/b", "a/b/c", "f", "f/g"}
    inner = select_item(opened, hierarchy, item(hierarchy, "a/b/c/d"))
    again = toggle_all(inner, hierarchy)
    assert names(hierarchy, again)[1:] == (set(), "a")


def test_navigation_fold_all_keeps_what_is_around_the_diagram() -> None:
    hierarchy = hierarchy_of(chain("a/b/c", "a/d/e", "f/g"))
    inside = enter_scope(start_navigation(hierarchy), hierarchy, item(hierarchy, "a"))
    opened = toggle_all(inside, hierarchy)
    assert names(hierarchy, opened)[1] == {"a", "a/b", "a/d", "f"}
    assert names(hierarchy, toggle_all(opened, hierarchy))[:2] == ("a", {"a"})


def test_navigation_unfold_all_stops_at_the_level_with_too_many_rows() -> None:
    leaves = (f"a/{scope}/{leaf}" for scope in ascii_lowercase for leaf in ascii_lowercase)
    hierarchy = hierarchy_of(chain("x", *leaves))
    closed = toggle_all(start_navigation(hierarchy), hierarchy)
    assert closed.opened == frozenset()
    opened = toggle_all(closed, hierarchy)
    assert names(hierarchy, opened)[1] == {"a"}
