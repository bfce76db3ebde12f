"""The session of the graphs pane: one frozen value, and the pure functions that lead from one value to the next.

The views never change a session. They send messages, the pane calls one of these functions and shows the result.
"""

from __future__ import annotations

from dataclasses import field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from tbtui.frozen import frozen
from tbtui.plugins.graphs.diagram_layout import ZOOMS
from tbtui.plugins.graphs.navigation import from_saved, select_item, to_saved
from tbtui.plugins.graphs.pane.rows import FALLS_FIRST, NAME
from tbtui.plugins.graphs.search import SearchResults
from tbtui.plugins.graphs.settings import COLOUR, DESCENDING, GRAPH_COLOURS, NAVIGATION, SORT
from tbtui.settings.settings import next_in_cycle

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.search import Highlights, TraceKind
    from tbtui.plugins.graphs.settings import GraphColour, GraphNavigation, GraphView
    from tbtui.settings.settings import Settings

Layer: TypeAlias = Literal["details", "trace", "search", "inside"]


class Trace(NamedTuple):
    """A request to highlight what leads to an item, or its way to an output."""

    item: int
    kind: TraceKind


@frozen
class GraphSession:
    """Everything that the keys and the mouse change in the pane, except for the settings that the app keeps."""

    view: GraphView = "diagram"
    """The view that has the keys. Beside the tree it is the one that shows."""

    graph: OpenGraph | None = None
    """The graph that `navigation` is of; it stays while another graph is being read."""

    navigation: Navigation | None = None
    visited: Mapping[Hashable, Navigation] = field(default_factory=lambda: MappingProxyType({}))
    """The last navigation of each graph that was shown, by the identity of the graph."""

    is_expanding: bool = False
    """The first expansion of the graph is still being computed."""

    history: tuple[int, ...] = ()
    """Items from which links were followed, the latest last."""

    is_bar_open: bool = False
    """The search bar has a line of the screen."""

    query: str = ""
    results: SearchResults = field(default_factory=SearchResults)
    search_start: int = -1
    """The selected item when the search bar was opened: the first match is the next one from there."""

    before_preview: Navigation | None = None
    """The navigation before matches were previewed; None while none is. Scopes that a preview opens close again."""

    trace: Trace | None = None
    highlights: Highlights | None = None
    zoom: int | None = None
    """Index into `ZOOMS` that a key chose; None: the largest at which all of the diagram fits."""

    column: str = NAME
    """Title of the table column that the sort key acts on."""


# Graphs


def show_graph(session: GraphSession, graph: OpenGraph, saved: Mapping[str, GraphNavigation]) -> GraphSession:
    """Show a graph as it was left; a graph that is new to the session as others of its tag are shown.

    Args:
        session: State with the previous graph.
        graph: The graph to show.
        saved: Saved navigations by tag.
    """
    before, navigation = session.graph, session.visited.get(graph.place)
    has_other_boxes = before is not None and before is not graph and before.source.place == graph.source.place
    if navigation is None or has_other_boxes:
        saved_navigation = saved.get(graph.source.tag)
        if before is not None and before.source.tag == graph.source.tag and session.navigation is not None:
            saved_navigation = to_saved(session.navigation, before.hierarchy)
        navigation = graph.start if saved_navigation is None else from_saved(saved_navigation, graph.hierarchy)
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
    """Apply the first expansion, unless the user has moved on by now."""
    session = replace(session, is_expanding=False)
    return navigate(session, expanded) if session.navigation == graph.start else session


# Navigation


def navigate(session: GraphSession, navigation: Navigation) -> GraphSession:
    """Go to the requested place; scopes that a preview opened stay open from now on."""
    return _at(session, navigation, None)


def preview_item(session: GraphSession, hierarchy: Hierarchy, item: int) -> GraphSession:
    """Select an item that was not gone to row by row; the scopes it opens close with the next preview."""
    before = session.before_preview or session.navigation
    return session if before is None else _at(session, select_item(before, hierarchy, item), before)


def return_to(session: GraphSession, navigation: Navigation) -> GraphSession:
    """Undo an automatic move of the cursor; a preview goes on."""
    return _at(session, navigation, session.before_preview)


def _at(session: GraphSession, navigation: Navigation, before: Navigation | None) -> GraphSession:
    visited = session.visited
    if session.graph is not None and navigation != session.navigation:
        visited = MappingProxyType({**visited, session.graph.place: navigation})
    return replace(session, navigation=navigation, visited=visited, before_preview=before)


def follow_link(session: GraphSession) -> GraphSession:
    """Remember the selected item as the start of a link."""
    navigation = session.navigation
    return session if navigation is None else replace(session, history=(*session.history, navigation.chosen))


def pop_history(session: GraphSession) -> tuple[GraphSession, int | None]:
    """Return the session without its latest link, and the item the link began at; None if no link was followed."""
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


def set_query(session: GraphSession, query: str) -> GraphSession:
    """Search for something else; the results follow."""
    return replace(session, query=query)


def set_results(session: GraphSession, results: SearchResults) -> GraphSession:
    """Hold the results of a search."""
    return replace(session, results=results)


def highlight(session: GraphSession, highlights: Highlights | None) -> GraphSession:
    """Highlight other items, or none."""
    return replace(session, highlights=highlights)


def next_trace_kind(session: GraphSession) -> TraceKind:
    """Return what the key of traces does next: the inputs of an item, then its path to an output, then nothing."""
    navigation, trace = session.navigation, session.trace
    is_here = trace is not None and navigation is not None and trace.item == navigation.chosen
    return "output" if is_here else "inputs"


def toggle_trace(session: GraphSession, kind: TraceKind) -> GraphSession:
    """Trace from the selected item, or end the trace if it is the same one."""
    if session.navigation is None:
        return session
    trace = Trace(session.navigation.chosen, kind)
    return end_trace(session) if session.trace == trace else replace(session, trace=trace)


def end_trace(session: GraphSession) -> GraphSession:
    """End the trace; the matches of the search are highlighted again."""
    return replace(session, trace=None, highlights=session.results.highlights)


# Views


def top_layer(session: GraphSession, start: Navigation | None, *, in_details: bool) -> Layer | None:
    """Return what escape takes away; None if nothing.

    Args:
        session: The present one.
        start: First navigation of the graph; None while no graph shows.
        in_details: The details have the keys.
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


def set_view(session: GraphSession, view: GraphView) -> GraphSession:
    """Give the keys to a view."""
    return replace(session, view=view)


def step_zoom(session: GraphSession, shown: int, steps: int) -> GraphSession:
    """Zoom from the level that shows: a positive number of steps shows more boxes."""
    return replace(session, zoom=max(0, min(shown + steps, len(ZOOMS) - 1)))


def step_column(session: GraphSession, titles: Sequence[str], steps: int) -> GraphSession:
    """Go to another of the table columns that show; the first one stands in for a hidden column."""
    place = titles.index(session.column) if session.column in titles else 0
    return replace(session, column=titles[max(0, min(place + steps, len(titles) - 1))])


def select_column(session: GraphSession, title: str) -> GraphSession:
    """Go to a table column."""
    return replace(session, column=title)


def sort_by(column: str, settings: Settings) -> Settings:
    """Sort the table by a column, then in the other direction, then not at all."""
    first = column in FALLS_FIRST
    if SORT.value(settings) != column:
        return DESCENDING.with_value(SORT.with_value(settings, column), first)
    if DESCENDING.value(settings) == first:
        return DESCENDING.with_value(settings, not first)
    return DESCENDING.with_value(SORT.with_value(settings, ""), False)


def next_colour(known: Collection[GraphColour], settings: Settings) -> Settings:
    """Colour boxes by the next property that is known of this graph."""
    colour = next_in_cycle(GRAPH_COLOURS, COLOUR.value(settings))
    while colour not in known and colour != COLOUR.value(settings):
        colour = next_in_cycle(GRAPH_COLOURS, colour)
    return COLOUR.with_value(settings, colour)


def next_measure(settings: Settings) -> Settings:
    """Colour executions by memory instead of time, or by time instead of memory."""
    return COLOUR.with_value(settings, "time" if COLOUR.value(settings) == "memory" else "memory")


def save_navigation(tag: str, saved: GraphNavigation, settings: Settings) -> Settings:
    """Save the navigation for the graphs of a tag."""
    return NAVIGATION.with_value(settings, {**NAVIGATION.value(settings), tag: saved})
