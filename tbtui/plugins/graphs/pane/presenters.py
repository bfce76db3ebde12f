"""Presenters of the graphs pane: each computes the content of one view, on the worker thread where that is slow.

A presenter caches its latest result, so that a key computes nothing twice. It never changes the session.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.card import BACK_HINT
from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import GAP
from tbtui.charts.text import cell_width, fit
from tbtui.plugins.graphs.diagram_layout import DiagramKey, LayoutCache, TooManyBoxesError
from tbtui.plugins.graphs.item_colours import COLOUR_MEASURES, build_legend, colour_items, list_colours
from tbtui.plugins.graphs.item_columns import build_header, select_columns
from tbtui.plugins.graphs.navigation import is_within
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.pane.details import collect_details
from tbtui.plugins.graphs.pane.rows import OperationRows, SortedOperations, TreeRows
from tbtui.plugins.graphs.settings import ACROSS, COLOUR, DESCENDING, GRAPH_COLOURS, HUBS_ASIDE, SORT
from tbtui.plugins.graphs.timeline_state import TimelineState, build_run_timeline
from tbtui.plugins.graphs.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.costs import RunCosts
    from tbtui.plugins.graphs.diagram_layout import LaidOutDiagram
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.item_columns import Column
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.pane.details import Details
    from tbtui.plugins.graphs.pane.loader import GraphLoader
    from tbtui.plugins.graphs.pane.scene import PresenterHost, Scene
    from tbtui.plugins.graphs.pane.session import Layer
    from tbtui.plugins.graphs.pane.views import GraphParts
    from tbtui.plugins.graphs.search import Highlights
    from tbtui.plugins.graphs.settings import GraphColour
    from tbtui.plugins.graphs.timeline_state import RunTimeline
    from tbtui.settings.settings import Settings


class TreePresenter:
    """Lists the items of the open scopes."""

    def __init__(self, parts: GraphParts) -> None:
        self._parts = parts
        self._tree: Tree | None = None

    def reset(self) -> None:
        """Forget the previous graph."""
        self._tree = None

    def show(self, scene: Scene) -> None:
        """List the items with as many columns as fit."""
        if not self._parts.scopes.display:
            return
        navigation, width = scene.navigation, self._parts.tree_width
        if self._tree is None or (self._tree.opened, self._tree.ungrouped) != (navigation.opened, navigation.ungrouped):
            self._tree = Tree(scene.hierarchy, navigation.opened, navigation.ungrouped)
        columns = select_columns(scene.columns, width, (COLOUR.value(scene.settings),))
        self._parts.scopes.show_items(TreeRows(self._tree, columns, width, scene.flags), scene.selected)
        self._parts.show_tree_header(build_header(columns, "", descending=False, cursor=""))


class DetailsPresenter:
    """Collects and shows the details of the selected item."""

    def __init__(self, host: PresenterHost, parts: GraphParts) -> None:
        self._host, self._parts = host, parts
        self.details: Details | None = None
        """The latest details; they belong to another item until new ones are collected."""

    def reset(self) -> None:
        """Forget the previous graph."""
        self.details = None

    def redraw(self) -> None:
        """Show the same details in the present width."""
        if self.details is not None:
            self._parts.show_details(self.details)

    def show(self, scene: Scene) -> None:
        """Collect and show the details of the selected item."""
        graph, item, costs = scene.graph, scene.navigation.chosen, scene.costs

        def collect() -> Iterator[tuple[OpenGraph, Details]]:
            yield graph, collect_details(graph.hierarchy, item, costs)

        self._host.worker.ask("details", collect, self._take, self._host.toast_error)

    def _take(self, result: tuple[OpenGraph, Details]) -> None:
        (graph, details), scene = result, self._host.scene
        if scene is not None and graph is scene.graph and details.item == scene.navigation.chosen:
            self.details = details
            self._parts.show_details(details)


class DiagramPresenter:
    """Lays out and colours the diagram."""

    def __init__(self, host: PresenterHost, parts: GraphParts) -> None:
        self._host, self._parts = host, parts
        self.laid_out: LaidOutDiagram | None = None
        self.is_tinted = False
        """True if a box of the diagram has a colour."""

        self.colours: tuple[GraphColour, ...] = GRAPH_COLOURS
        """Properties that boxes can be coloured by; all of them until `_request_colours` has an answer."""

        self._layouts = LayoutCache()
        self._requested: Hashable = None
        self._colour_sources: tuple[Hierarchy, RunCosts | None] | None = None

    def reset(self) -> None:
        """Forget the previous graph."""
        self.laid_out = self._requested = self._colour_sources = None
        self.colours = GRAPH_COLOURS

    def reset_zoom(self) -> None:
        """Lay the diagram out again, with the largest boxes at which all of it fits."""
        self.laid_out = self._requested = None

    def show(self, scene: Scene) -> None:
        """Lay out and draw the diagram; if only the selection changed, move the cursor."""
        view, size, navigation = self._parts.diagram, self._parts.areas.view, scene.navigation
        if not view.display or not size.width:
            return
        graph, hierarchy, settings, costs = scene.graph, scene.hierarchy, scene.settings, scene.costs
        inside, across = navigation.inside, ACROSS.value(settings)
        opened = frozenset(item for item in navigation.opened if is_within(hierarchy, item, inside))
        zoom = scene.session.zoom
        if zoom is None and self.laid_out is not None and self.laid_out.key.view == (graph.key, inside, across):
            zoom = self.laid_out.zoom
        width = size.width if zoom is None or not across else 0
        height = size.height if zoom is None or across else 0
        key = DiagramKey(
            graph.key, inside, across, opened, navigation.ungrouped, HUBS_ASIDE.value(settings), zoom, width, height
        )
        requested = key, COLOUR.value(settings), costs
        if requested == self._requested:
            view.choose(scene.selected)
            return
        self._requested = requested

        def draw() -> Iterator[tuple[LaidOutDiagram, Mapping[int, int]]]:
            laid_out = self._layouts.get(hierarchy, key)
            items = [box.item for box in laid_out.layout.boxes]
            yield laid_out, colour_items(hierarchy, costs, items, COLOUR.value(settings))

        self._host.worker.ask("diagram", draw, self._take, self.show_error)
        self._request_colours(hierarchy, costs)

    def select(self, item: int) -> None:
        """Move the cursor."""
        self._parts.diagram.choose(item)

    def highlight(self, highlights: Highlights | None) -> None:
        """Highlight other boxes."""
        if self.laid_out is not None:
            self._parts.diagram.highlight(self._find_highlighted_boxes(highlights))

    def _find_highlighted_boxes(self, highlights: Highlights | None) -> frozenset[int]:
        if highlights is None or self.laid_out is None:
            return frozenset()
        return highlights.select(self.laid_out.layout.index_of)

    def _take(self, result: tuple[LaidOutDiagram, Mapping[int, int]]) -> None:
        (laid_out, tints), scene = result, self._host.scene
        key, layout = laid_out.key, laid_out.layout
        if scene is None or key.graph != scene.graph.key:
            return
        is_new = self.laid_out is None or self.laid_out.key.view != key.view
        self.laid_out, self.is_tinted = laid_out, bool(tints)
        highlighted = self._find_highlighted_boxes(scene.session.highlights)
        self._parts.diagram.show(key.graph, layout, scene.selected, highlighted, tints, is_new=is_new)
        self._host.show_title()

    def show_error(self, error: Exception) -> None:
        """Show the reason why the diagram cannot be drawn."""
        self.laid_out = None
        reason = str(error) if isinstance(error, TooManyBoxesError) else f"{type(error).__name__}: {error}"
        self._parts.diagram.show_message(strings.CANNOT_DRAW, reason)

    def _request_colours(self, hierarchy: Hierarchy, costs: RunCosts | None) -> None:
        """Find the available properties on the worker thread, once for a graph and a run: it reads all nodes."""
        if self._colour_sources == (hierarchy, costs):
            return
        self._colour_sources = hierarchy, costs

        def find() -> Iterator[tuple[GraphColour, ...]]:
            yield list_colours(hierarchy, costs)

        self._host.worker.ask("colours", find, self._take_colours, self.show_error)

    def _take_colours(self, colours: tuple[GraphColour, ...]) -> None:
        if colours != self.colours:
            self.colours = colours
            self._host.refresh_bindings()  # hides the key for colours if there are none


class TablePresenter:
    """Lists the operations of a scope, or the matches of a search. It lists nothing while the table is hidden."""

    def __init__(self, host: PresenterHost, parts: GraphParts) -> None:
        self._host, self._parts = host, parts
        self.operations: SortedOperations | None = None
        self._listed_matches: Highlights | None = None
        """The matches that `operations` holds; None: it holds a scope."""

        self._requested: Hashable = None
        self._scope = -1
        """The listed scope; it stays while the table is visible and the cursor is on one of its rows."""

        self._replaced_selection: tuple[int, Navigation] | None = None
        """The item that was selected because the selected one has no row, and the navigation before that."""

    def reset(self) -> None:
        """Forget the previous graph."""
        self._requested = self.operations = self._replaced_selection = None
        self._scope = -1

    def matches(self, scene: Scene) -> SortedOperations | None:
        """Return the matches in the order of the table; None if the table is hidden or lists a scope."""
        highlights = scene.session.results.highlights
        has_matches = highlights is not None and highlights is self._listed_matches
        return self.operations if has_matches and self._parts.operations.display else None

    def columns(self, scene: Scene) -> tuple[Column, ...]:
        """Return the columns that fit next to names."""
        sort = "" if self.operations is None else self.operations.sort
        return select_columns(scene.columns, self._parts.table_width, (sort, "type"))

    def show(self, scene: Scene) -> None:
        """Sort and list the operations, or show the same rows again."""
        if not self._parts.operations.display:
            self._restore_selection(scene)
            return
        graph, settings, costs, hierarchy = scene.graph, scene.settings, scene.costs, scene.hierarchy
        navigation, matches = scene.navigation, scene.session.results.highlights
        self._scope = navigation.inside if self._scope < 0 else self._scope
        if self.operations is not None and self.operations.row_index(navigation.chosen) is None:
            self._scope = navigation.inside
        scope = hierarchy.root if matches is not None else self._scope
        sort, descending = SORT.value(settings), DESCENDING.value(settings)
        requested = graph.key, costs, matches, scope, sort, descending
        if requested == self._requested:
            self.show_rows(scene)
            return
        self._requested = requested

        def sort_operations() -> Iterator[tuple[OpenGraph, Highlights | None, SortedOperations]]:
            items = hierarchy.order.items if scope == hierarchy.root else hierarchy.list_all_nodes(scope)
            nodes = items[hierarchy.original[items] < hierarchy.nodes].astype(np.int32)
            if matches is not None:
                nodes = nodes[matches.flags[nodes]]
            yield graph, matches, SortedOperations(hierarchy, costs, nodes, sort, descending=descending)

        self._host.worker.ask("operations", sort_operations, self._take, self._host.toast_error)

    def _take(self, result: tuple[OpenGraph, Highlights | None, SortedOperations]) -> None:
        (graph, matches, operations), scene = result, self._host.scene
        if scene is None or graph is not scene.graph:
            return
        before, self.operations, self._listed_matches = self.operations, operations, matches
        self.show_rows(scene)
        if before is not None and len(operations) and operations.is_sorted_unlike(before):
            self._host.navigator.preview(int(operations.items[0]))
        self.follow_cursor()
        self._host.search.show_position()

    def show_rows(self, scene: Scene) -> None:
        """Show the sorted operations in the present columns."""
        listed = self.operations
        if listed is None or not self._parts.operations.display:
            return
        highlights, width = scene.session.highlights, self._parts.table_width
        flags = None if highlights is scene.session.results.highlights else scene.flags
        rows = OperationRows(listed, self.columns(scene), width, flags)
        self._parts.operations.show_items(rows, scene.navigation.chosen, empty=strings.NOTHING_FOUND)
        self._show_header(scene)

    def follow_cursor(self) -> None:
        """Put the cursor on the row of the selected item; if there is none, list another scope.

        While the table is visible, an item that can have no row, such as a scope, is replaced by the first node in it.
        A list of matches stays, because links also lead to operations that are not matches.
        """
        listed, scene = self.operations, self._host.scene
        if listed is None or scene is None or not self._parts.operations.display:
            return
        navigation, highlights = scene.navigation, scene.session.results.highlights
        self._parts.operations.go_to(navigation.chosen)
        if self._listed_matches is not highlights:
            return  # other operations are being sorted
        self._show_header(scene)
        if listed.row_index(navigation.chosen) is not None or self._parts.scopes.has_focus:
            return
        if highlights is None and self._scope != navigation.inside:
            self.show(scene)
        elif highlights is None or scene.hierarchy.node(navigation.chosen) < 0:
            item = listed.nearest(navigation.chosen)
            if item is not None:
                self._replaced_selection = item, navigation
                self._host.navigator.preview(item)

    def _restore_selection(self, scene: Scene) -> None:
        """Select the item that was selected before the table replaced it, unless the user has moved on."""
        replaced, self._replaced_selection = self._replaced_selection, None
        self._scope = -1
        if replaced is not None and replaced[0] == scene.navigation.chosen:
            self._host.navigator.return_to(replaced[1])

    def _show_header(self, scene: Scene) -> None:
        """Show the column titles with the scope of the rows, or a note that the selected item is not among them."""
        listed, hierarchy, selected = self.operations, scene.hierarchy, scene.navigation.chosen
        if listed is None:
            return
        if len(listed) and listed.row_index(selected) is None:
            scope, qualifier = "", strings.format_not_listed(hierarchy, selected)
        elif self._listed_matches is not None or self._scope == hierarchy.root:
            scope, qualifier = listed.scope, strings.WHOLE if self._listed_matches is None else strings.FOUND
        else:
            scope, qualifier = listed.scope or f"{hierarchy.leaf(self._scope)}/", ""
        column, descending = scene.session.column, listed.descending
        columns = self.columns(scene)
        self._parts.show_table_header(
            build_header(columns, listed.sort, descending=descending, cursor=column, scope=scope, qualifier=qualifier)
        )


class TimelinePresenter:
    """Builds the timeline of a run. It computes nothing while the timeline is hidden."""

    def __init__(self, host: PresenterHost, parts: GraphParts) -> None:
        self._host, self._parts = host, parts
        self._requested: object = None

    def reset(self) -> None:
        """Forget the previous graph."""
        self._requested = None

    def show(self, scene: Scene) -> None:
        """Build the timeline of the run, or show the message that no run was timed."""
        costs, timeline = scene.costs, self._parts.timeline
        if not timeline.display:
            return
        if costs is None or not len(costs.executions):
            self._requested = None
            timeline.show_message(*strings.NO_TIMES)
            return
        measure = COLOUR_MEASURES.get(COLOUR.value(scene.settings), "time")
        if (costs, measure) == self._requested:
            return
        self._requested = costs, measure

        def build() -> Iterator[RunTimeline]:
            yield build_run_timeline(costs, measure)

        self._host.worker.ask("timeline", build, self._take, self._host.show_error)

    def _take(self, run: RunTimeline) -> None:
        before, scene = self._parts.timeline.timeline, self._host.scene
        if scene is None or run.costs is not scene.costs:
            return
        if before is not None and before.run.costs is run.costs:
            self._parts.timeline.show(replace(before, run=run))
        else:
            self._parts.timeline.show(TimelineState(run).select_item(scene.navigation.chosen))


class TitlePresenter:
    """Shows the run, the tag and the entered scopes at the left, a note on highlights or colours at the right."""

    def __init__(self, parts: GraphParts, diagram: DiagramPresenter) -> None:
        self._parts, self._diagram = parts, diagram

    def show(self, scene: Scene | None, loader: GraphLoader, settings: Settings, layer: Layer | None) -> None:
        """Show the title of the chosen graph; nothing without one.

        Args:
            scene: Scene on the screen; None while the graph is read.
            loader: Loader of the graph.
            settings: Settings of the app.
            layer: State that escape ends.
        """
        parts = self._parts
        listed, source, width = loader.listed, loader.source, parts.areas.title.width - 1
        if listed is None or source is None or width < 1:
            return
        count = len(listed.sources)
        names = () if scene is None else strings.list_path_names(scene.hierarchy, scene.navigation)
        position = f"{loader.index + 1:,} of {count:,}" if count > 1 else ""
        ink = listed.view.inks.get(source.run.name, 0)
        is_structure = COLOUR.value(settings) == "structure" and self._diagram.is_tinted
        optional = strings.STRUCTURE if parts.diagram.display and is_structure else ""
        right = self._build_right_pieces(scene, layer, width)
        title = strings.title(
            source, ink, names, right, width, position=position, optional=optional, sources=listed.sources
        )
        parts.title.show(title)

    def _build_right_pieces(self, scene: Scene | None, layer: Layer | None, width: int) -> tuple[Piece, ...]:
        """Return the right end of the title: a note, and the key that goes back if there is one."""
        parts, diagram = self._parts, self._diagram
        if layer in (None, "details"):
            return _note(scene, parts, diagram, width)
        note = _note(scene, parts, diagram, width - len(BACK_HINT) - cell_width(GAP[0]))
        return (*note, *([GAP] if note else []), (BACK_HINT, Ink.DIM))


def _note(scene: Scene | None, parts: GraphParts, diagram: DiagramPresenter, width: int) -> tuple[Piece, ...]:
    """Return the reason of the highlights, or else the legend of the colours or the omissions of the diagram."""
    if scene is None:
        return ()
    highlights = scene.session.highlights
    if highlights is not None and highlights.reason:
        return ((fit(highlights.reason, width), Ink.ACCENT),)
    if scene.placement:
        return ((f"{scene.hierarchy.leaf(scene.navigation.chosen)} is {scene.placement}", Ink.ACCENT),)
    colour = COLOUR.value(scene.settings)
    if parts.timeline.display:
        colour = COLOUR_MEASURES.get(colour, "time")
    pieces = build_legend(scene.hierarchy, scene.costs, colour)
    notes = () if diagram.laid_out is None else diagram.laid_out.layout.notes
    if notes and parts.diagram.display:
        pieces = ((notes[0], Ink.WARN),)
    return pieces if sum(len(text) for text, _ in pieces) <= width // 2 else ()
