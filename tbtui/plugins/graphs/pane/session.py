"""State of the graphs pane as one frozen value, and its transitions.

The views never change a session. Each transition returns the session after a key or a result.
"""

from __future__ import annotations

from dataclasses import field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from tbtui.frozen import frozen
from tbtui.plugins.graphs.diagram_layout import ZOOMS
from tbtui.plugins.graphs.item_columns import NAME
from tbtui.plugins.graphs.navigation import record_navigation, restore_navigation, select_item
from tbtui.plugins.graphs.search import SearchResults

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.search import Highlights, TraceKind
    from tbtui.plugins.graphs.settings import GraphNavigation, GraphView

Layer: TypeAlias = Literal["details", "trace", "search", "inside"]
"""States that escape ends."""


class Trace(NamedTuple):
    """A request to highlight the inputs of an item at any distance, or its path to an output."""

    item: int
    kind: TraceKind


@frozen
class GraphSession:
    """Everything that keys and mouse change in the pane, except for settings."""

    view: GraphView = "diagram"
    """The view that has the focus. It shows next to the tree, or instead of it in a narrow pane."""

    graph: OpenGraph | None = None
    """Graph of `navigation`; it stays while another graph is being read."""

    navigation: Navigation | None = None
    visited: Mapping[Hashable, Navigation] = field(default_factory=lambda: MappingProxyType({}))
    """The last navigation of each graph that was shown, by the key of the graph."""

    is_expanding: bool = False
    """The first expansion of the graph is still being computed."""

    history: tuple[int, ...] = ()
    """Items from which links were followed, the latest last."""

    is_bar_open: bool = False
    """The search bar has a line of the screen."""

    query: str = ""
    results: SearchResults = field(default_factory=SearchResults)
    search_start: int = -1
    """The selected item when the search bar was opened; the search selects the first match after it."""

    before_preview: Navigation | None = None
    """The navigation before matches were previewed; None without a preview. Scopes that a preview opens close again."""

    trace: Trace | None = None
    highlights: Highlights | None = None
    zoom: int | None = None
    """Index into `ZOOMS` that a key chose; None: the largest boxes at which all of the diagram fits."""

    column: str = NAME
    """Title of the table column that the sort key acts on."""


def get_top_layer(session: GraphSession, start: Navigation | None, *, in_details: bool) -> Layer | None:
    """Return the state that escape ends; None if there is none.

    Args:
        session: State of the pane.
        start: First navigation of the graph; None while no graph shows.
        in_details: True if the details have the focus.
    """
    if in_details:
        return "details"
    if session.trace is not None:
        return "trace"
    if session.query:
        return "search"
    navigation = session.navigation
    if start is not None and navigation is not None and navigation.inside != start.inside:
        return "inside"
    return None


# Graphs


def show_graph(session: GraphSession, graph: OpenGraph, saved: Mapping[str, GraphNavigation]) -> GraphSession:
    """Show a graph with its last navigation, or with that of the graph of the same tag that showed last.

    Args:
        session: State with the previous graph.
        graph: The graph to show.
        saved: Saved navigations by tag.
    """
    before, navigation = session.graph, session.visited.get(graph.key)
    # The same graph with boxes for costly constants: numbers of items differ, names do not.
    is_rebuilt = before is not None and before is not graph and before.source.key == graph.source.key
    if navigation is None or is_rebuilt:
        saved_navigation = saved.get(graph.source.tag)
        if before is not None and before.source.tag == graph.source.tag and session.navigation is not None:
            saved_navigation = record_navigation(session.navigation, before.hierarchy)
        navigation = graph.start if saved_navigation is None else restore_navigation(saved_navigation, graph.hierarchy)
    return replace(
        session,
        graph=graph,
        navigation=navigation,
        is_expanding=navigation == graph.start,
        history=(),
        results=SearchResults(),
        search_start=navigation.chosen,
        before_preview=None,
        trace=None,
        highlights=None,
        zoom=None,
    )


def expand_graph(session: GraphSession, graph: OpenGraph, expanded: Navigation) -> GraphSession:
    """Apply the first expansion, unless the user has changed the navigation in the meantime."""
    session = replace(session, is_expanding=False)
    return navigate(session, expanded) if session.navigation == graph.start else session


# Navigation


def navigate(session: GraphSession, navigation: Navigation) -> GraphSession:
    """Apply a navigation; scopes that a preview opened stay open."""
    return _with_navigation(session, navigation, before_preview=None)


def preview_item(session: GraphSession, hierarchy: Hierarchy, item: int) -> GraphSession:
    """Select an item; the scopes that this opens close with the next preview."""
    before = session.before_preview or session.navigation
    if before is None:
        return session
    return _with_navigation(session, select_item(before, hierarchy, item), before_preview=before)


def return_to(session: GraphSession, navigation: Navigation) -> GraphSession:
    """Undo an automatic move of the cursor; a preview continues."""
    return _with_navigation(session, navigation, before_preview=session.before_preview)


def _with_navigation(
    session: GraphSession, navigation: Navigation, *, before_preview: Navigation | None
) -> GraphSession:
    visited = session.visited
    if session.graph is not None and navigation != session.navigation:
        visited = MappingProxyType({**visited, session.graph.key: navigation})
    return replace(session, navigation=navigation, visited=visited, before_preview=before_preview)


def follow_link(session: GraphSession) -> GraphSession:
    """Remember the selected item as the start of a link."""
    navigation = session.navigation
    return session if navigation is None else replace(session, history=(*session.history, navigation.chosen))


def pop_history(session: GraphSession) -> tuple[GraphSession, int | None]:
    """Return the session without its latest link, and the start of that link; None if no link was followed."""
    if not session.history:
        return session, None
    return replace(session, history=session.history[:-1]), session.history[-1]


# Search and trace


def open_search(session: GraphSession) -> GraphSession:
    """Open the search bar; matches are counted from the selected item."""
    start = -1 if session.navigation is None else session.navigation.chosen
    return replace(session, is_bar_open=True, search_start=start)


def close_search(session: GraphSession) -> GraphSession:
    """Drop the query, its results and its highlights, and close the bar."""
    return replace(session, is_bar_open=False, query="", results=SearchResults(), highlights=None)


def get_next_trace_kind(session: GraphSession) -> TraceKind:
    """Return the kind of trace that the key toggles next: "output" after the inputs of the selected item."""
    navigation, trace = session.navigation, session.trace
    is_traced = trace is not None and navigation is not None and trace.item == navigation.chosen
    return "output" if is_traced else "inputs"


def toggle_trace(session: GraphSession, kind: TraceKind) -> GraphSession:
    """Trace from the selected item; end the trace if it has this item and kind already."""
    if session.navigation is None:
        return session
    trace = Trace(session.navigation.chosen, kind)
    return end_trace(session) if session.trace == trace else replace(session, trace=trace)


def end_trace(session: GraphSession) -> GraphSession:
    """End the trace; the matches of the search are highlighted again."""
    return replace(session, trace=None, highlights=session.results.highlights)


# Views


def step_zoom(session: GraphSession, current: int, steps: int) -> GraphSession:
    """Zoom in by a number of levels; out if it is negative.

    Args:
        session: State of the pane.
        current: Index into `ZOOMS` of the visible level.
        steps: Number of levels.
    """
    return replace(session, zoom=max(0, min(current - steps, len(ZOOMS) - 1)))


def step_column(session: GraphSession, titles: Sequence[str], steps: int) -> GraphSession:
    """Move the column cursor among the visible columns of the table; a hidden column counts as the first one."""
    index = titles.index(session.column) if session.column in titles else 0
    return replace(session, column=titles[max(0, min(index + steps, len(titles) - 1))])
