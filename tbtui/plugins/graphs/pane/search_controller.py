"""Search and traces of the graphs pane: both run off the UI thread and highlight items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.plugins.graphs.pane import session as session_transitions
from tbtui.plugins.graphs.search import SearchResults, format_results, search_graph, trace_highlights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.pane.pane import GraphsPane
    from tbtui.plugins.graphs.search import Highlights


class SearchController:
    """Runs searches and traces, and shows their highlights. All methods are called on the UI thread.

    Args:
        pane: The pane whose session holds the query, the results and the trace.
    """

    def __init__(self, pane: GraphsPane) -> None:
        self._pane = pane

    # Search

    def open(self) -> None:
        """Open the search bar."""
        pane = self._pane
        pane.session = session_transitions.open_search(pane.session)
        pane.lay_out_parts()
        pane.parts.bar.edit()

    def set_query(self, query: str) -> None:
        """Search for another query."""
        pane = self._pane
        if query != pane.session.query:
            pane.session = replace(pane.session, query=query)
            self.run(move=True)

    def close(self) -> None:
        """Close the search bar, and drop the query and its results."""
        pane = self._pane
        pane.session = session_transitions.close_search(pane.session)
        pane.parts.bar.show_applied("")
        pane.lay_out_parts()
        self._show_results()

    def run(self, *, move: bool) -> None:
        """Search for the query of the session.

        Args:
            move: Select the first match after the item that was selected when the search began.
        """
        pane = self._pane
        graph, query = pane.loader.graph, pane.session.query
        if graph is None:
            return
        if not query:
            self._set_results(SearchResults(), move=move)
            return

        def search() -> Iterator[SearchResults]:
            yield search_graph(graph.hierarchy, query)

        def show(results: SearchResults) -> None:
            if pane.loader.graph is graph and pane.session.query == query:
                self._set_results(results, move=move)

        def fail(error: Exception) -> None:
            pane.parts.bar.complain(f"{type(error).__name__}: {error}")

        pane.worker.ask("find", search, show, fail)

    def _set_results(self, results: SearchResults, *, move: bool) -> None:
        pane = self._pane
        pane.session = replace(pane.session, results=results)
        scene, start = pane.scene, pane.session.search_start
        if move and scene is not None:
            pane.navigator.preview(results.find_after(scene.hierarchy, start, 0) if len(results) else start)
        self._show_results()

    def _show_results(self) -> None:
        self._highlight(self._pane.session.results.highlights)
        if self._pane.parts.operations.display:
            self._pane.refresh_views()
        self.show_position()

    @property
    def matches(self) -> SearchResults:
        """The results in the order of the table if it is visible, or else of the tree."""
        scene, results = self._pane.scene, self._pane.session.results
        operations = None if scene is None else self._pane.table.matches(scene)
        return results if operations is None else results.sort_by_table(operations.items)

    def show_position(self) -> None:
        """Show in the search bar the number of the selected match."""
        pane = self._pane
        scene, matches, query = pane.scene, self.matches, pane.session.query
        index = -1 if scene is None else matches.index_of(scene.navigation.chosen)
        placement = "" if scene is None or index < 0 else scene.placement
        text = " · ".join(filter(None, (format_results(index, matches), placement)))
        pane.parts.bar.show_applied(query, text if query else "")

    def step(self, count: int) -> None:
        """Select the match that comes `count` matches after the selected item; wraps around."""
        pane, matches = self._pane, self.matches
        scene = pane.scene
        if scene is None or not len(matches):
            return
        index = matches.index_of(scene.navigation.chosen)
        if index >= 0:
            pane.navigator.preview(int(matches.items[(index + count) % len(matches)]))
        else:
            pane.navigator.preview(pane.session.results.find_after(scene.hierarchy, scene.navigation.chosen, count))

    # Traces

    def cycle_trace(self) -> None:
        """Trace the inputs of the selected item, then its path to an output, then nothing."""
        pane = self._pane
        scene = pane.scene
        if scene is None:
            return
        kind = session_transitions.get_next_trace_kind(pane.session)
        pane.session = session_transitions.toggle_trace(pane.session, kind)
        trace, graph = pane.session.trace, scene.graph
        if trace is None:
            self.end_trace()
            return
        item = trace.item

        def collect() -> Iterator[tuple[OpenGraph, Highlights]]:
            yield graph, trace_highlights(graph.hierarchy, item, kind)

        pane.worker.ask("trace", collect, self._set_trace, pane.toast_error)

    def end_trace(self) -> None:
        """End the trace; the matches of the search are highlighted again."""
        pane = self._pane
        pane.session = session_transitions.end_trace(pane.session)
        self._highlight(pane.session.highlights)

    def _set_trace(self, result: tuple[OpenGraph, Highlights]) -> None:
        graph, highlights = result
        if graph is self._pane.loader.graph and self._pane.session.trace is not None:
            self._highlight(highlights)

    def _highlight(self, highlights: Highlights | None) -> None:
        pane = self._pane
        pane.session = replace(pane.session, highlights=highlights)
        if (scene := pane.scene) is not None:
            pane.scopes.show(scene)
        pane.diagram.highlight(highlights)
        pane.show_title()
        pane.refresh_bindings()
        if scene is not None:
            pane.table.show_rows(scene)
