"""Transitions of the session of the graphs pane, without Textual."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.navigation import Navigation, record_navigation, select_item, start_navigation, toggle_scope
from tbtui.plugins.graphs.open_graphs import OpenGraph
from tbtui.plugins.graphs.pane import session as transitions
from tbtui.plugins.graphs.pane.session import GraphSession, Trace, get_top_layer
from tbtui.plugins.graphs.search import search_graph
from tests.helpers.graphs import chain

if TYPE_CHECKING:
    from tbtui.plugins.graphs.read import GraphSource


class Source:
    """The part of a source that sessions use."""

    def __init__(self, key: str, tag: str = "model") -> None:
        self.key, self.tag = key, tag


def opened_graph(key: str, *names: str, tag: str = "model", boxed: frozenset[int] = frozenset()) -> OpenGraph:
    hierarchy = Hierarchy(build_graph(chain(*names)))
    source: GraphSource = Source(key, tag)  # type: ignore[assignment]
    return OpenGraph(source, hierarchy, (), start_navigation(hierarchy), boxed)


@pytest.fixture
def graph() -> OpenGraph:
    return opened_graph("one", "x", "net/a/in", "net/a/out", "net/b", "head", "y")


@pytest.fixture
def shown(graph: OpenGraph) -> GraphSession:
    return transitions.show_graph(GraphSession(), graph, {})


def item(graph: OpenGraph, name: str) -> int:
    found = graph.hierarchy.find_item(name)
    assert found is not None
    return found


def navigation_of(session: GraphSession) -> Navigation:
    assert session.navigation is not None
    return session.navigation


def test_show_graph_new_graph_starts_expanding(graph: OpenGraph, shown: GraphSession) -> None:
    assert shown.navigation == graph.start
    assert shown.is_expanding
    assert shown.search_start == graph.start.chosen


def test_show_graph_visited_graph_restores_navigation(graph: OpenGraph, shown: GraphSession) -> None:
    moved = transitions.navigate(shown, select_item(graph.start, graph.hierarchy, item(graph, "net/b")))
    other = opened_graph("two", "p", "q", tag="other")
    back = transitions.show_graph(transitions.show_graph(moved, other, {}), graph, {})
    assert back.navigation == moved.navigation
    assert not back.is_expanding


def test_show_graph_same_tag_takes_navigation_over(graph: OpenGraph, shown: GraphSession) -> None:
    moved = transitions.navigate(shown, select_item(graph.start, graph.hierarchy, item(graph, "net/b")))
    twin = opened_graph("two", "x", "net/a/in", "net/a/out", "net/b", "head", "y")
    assert navigation_of(transitions.show_graph(moved, twin, {})).chosen == item(twin, "net/b")


def test_show_graph_saved_navigation_is_restored(graph: OpenGraph) -> None:
    navigation = select_item(graph.start, graph.hierarchy, item(graph, "net/a/out"))
    session = transitions.show_graph(GraphSession(), graph, {"model": record_navigation(navigation, graph.hierarchy)})
    assert navigation_of(session).chosen == item(graph, "net/a/out")


def test_show_graph_other_boxes_keeps_selection_by_name(graph: OpenGraph, shown: GraphSession) -> None:
    moved = transitions.navigate(shown, select_item(graph.start, graph.hierarchy, item(graph, "net/b")))
    boxed = replace(graph, boxed=frozenset({item(graph, "head")}))
    assert boxed.key != graph.key
    assert navigation_of(transitions.show_graph(moved, boxed, {})).chosen == item(graph, "net/b")


@pytest.mark.parametrize(
    ("field", "value"),
    [("history", (1,)), ("trace", Trace(1, "inputs")), ("zoom", 2), ("before_preview", Navigation(0, frozenset(), 0))],
)
def test_show_graph_resets_state_of_the_previous_graph(
    graph: OpenGraph, shown: GraphSession, field: str, value: Any
) -> None:
    session = transitions.show_graph(replace(shown, **{field: value}), graph, {})
    assert getattr(session, field) == getattr(GraphSession(), field)


@pytest.mark.parametrize(("field", "value"), [("query", "a"), ("is_bar_open", True), ("column", "type")])
def test_show_graph_keeps_state_of_the_pane(graph: OpenGraph, shown: GraphSession, field: str, value: Any) -> None:
    assert getattr(transitions.show_graph(replace(shown, **{field: value}), graph, {}), field) == value


def test_expand_graph_untouched_navigation_is_expanded(graph: OpenGraph, shown: GraphSession) -> None:
    expanded = replace(graph.start, opened=frozenset({item(graph, "net")}))
    session = transitions.expand_graph(shown, graph, expanded)
    assert session.navigation == expanded
    assert session.visited[graph.key] == expanded
    assert not session.is_expanding


def test_expand_graph_after_a_key_changes_nothing(graph: OpenGraph, shown: GraphSession) -> None:
    moved = transitions.navigate(shown, select_item(graph.start, graph.hierarchy, item(graph, "net/b")))
    session = transitions.expand_graph(moved, graph, replace(graph.start, opened=frozenset()))
    assert session.navigation == moved.navigation


def test_preview_item_second_preview_closes_scopes_of_the_first(graph: OpenGraph) -> None:
    closed = replace(graph.start, opened=frozenset(), inside=graph.hierarchy.root)
    session = GraphSession(graph=graph, navigation=closed)
    first = transitions.preview_item(session, graph.hierarchy, item(graph, "net/a/in"))
    assert item(graph, "net/a") in navigation_of(first).opened
    second = transitions.preview_item(first, graph.hierarchy, item(graph, "head"))
    assert navigation_of(second).opened == frozenset()
    assert second.before_preview == closed


def test_navigate_after_preview_keeps_its_scopes_open(graph: OpenGraph) -> None:
    closed = replace(graph.start, opened=frozenset(), inside=graph.hierarchy.root)
    session = transitions.preview_item(
        GraphSession(graph=graph, navigation=closed), graph.hierarchy, item(graph, "net/b")
    )
    kept = transitions.navigate(session, select_item(navigation_of(session), graph.hierarchy, item(graph, "head")))
    assert item(graph, "net") in navigation_of(kept).opened
    assert kept.before_preview is None


def test_return_to_during_a_preview_keeps_the_preview(graph: OpenGraph, shown: GraphSession) -> None:
    session = transitions.preview_item(shown, graph.hierarchy, item(graph, "net/b"))
    back = transitions.return_to(session, graph.start)
    assert back.navigation == graph.start
    assert back.before_preview == session.before_preview


def test_pop_history_returns_the_latest_start_of_a_link(graph: OpenGraph, shown: GraphSession) -> None:
    first = transitions.follow_link(shown)
    moved = transitions.navigate(first, select_item(graph.start, graph.hierarchy, item(graph, "head")))
    both = transitions.follow_link(moved)
    session, latest = transitions.pop_history(both)
    assert latest == item(graph, "head")
    session, earlier = transitions.pop_history(session)
    assert earlier == graph.start.chosen
    assert transitions.pop_history(session) == (session, None)


def test_close_search_forgets_query_results_and_highlights(graph: OpenGraph, shown: GraphSession) -> None:
    results = search_graph(graph.hierarchy, "net")
    session = replace(transitions.open_search(shown), query="net", results=results)
    assert (session.query, len(session.results), session.is_bar_open) == ("net", len(results), True)
    closed = transitions.close_search(replace(session, highlights=results.highlights))
    assert (closed.query, len(closed.results), closed.is_bar_open, closed.highlights) == ("", 0, False, None)


def test_toggle_trace_second_time_restores_the_matches(graph: OpenGraph, shown: GraphSession) -> None:
    results = search_graph(graph.hierarchy, "net")
    searched = replace(shown, results=results)
    traced = transitions.toggle_trace(searched, "inputs")
    assert traced.trace == Trace(graph.start.chosen, "inputs")
    other = transitions.toggle_trace(traced, "output")
    assert other.trace == Trace(graph.start.chosen, "output")
    ended = transitions.toggle_trace(other, "output")
    assert ended.trace is None
    assert ended.highlights is results.highlights


def test_top_layer_escape_takes_one_layer_at_a_time(graph: OpenGraph, shown: GraphSession) -> None:
    inside = transitions.navigate(shown, replace(graph.start, inside=item(graph, "net")))
    searched = replace(inside, query="a")
    traced = transitions.toggle_trace(searched, "inputs")
    layers = [get_top_layer(one, graph.start, in_details=False) for one in (traced, searched, inside, shown)]
    assert layers == ["trace", "search", "inside", None]
    assert get_top_layer(traced, graph.start, in_details=True) == "details"
    assert get_top_layer(inside, None, in_details=False) is None


@pytest.mark.parametrize(("shown_zoom", "steps", "zoom"), [(0, 1, 0), (0, -1, 1), (3, -1, 3), (3, 1, 2)])
def test_step_zoom_stays_within_the_levels(shown_zoom: int, steps: int, zoom: int) -> None:
    assert transitions.step_zoom(GraphSession(), shown_zoom, steps).zoom == zoom


@pytest.mark.parametrize(
    ("column", "steps", "result"),
    [("name", 1, "type"), ("name", -1, "name"), ("type", 1, "type"), ("hidden", 1, "type")],
)
def test_step_column_stays_within_the_columns_that_show(column: str, steps: int, result: str) -> None:
    session = GraphSession(column=column)
    assert transitions.step_column(session, ("name", "type"), steps).column == result


def test_toggle_scope_is_remembered_for_the_graph(graph: OpenGraph, shown: GraphSession) -> None:
    toggled = transitions.navigate(shown, toggle_scope(graph.start, graph.hierarchy, item(graph, "net/a")))
    assert toggled.visited[graph.key] == toggled.navigation
