"""Presenters of the graphs pane: each computes what one view shows of a session, off the UI thread where it is slow.

A presenter keeps what it computed last, so that a key computes nothing twice. It changes no session.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from tbtui.plugins.graphs.diagram_layout import DiagramKey, LayoutCache, TooManyBoxesError
from tbtui.plugins.graphs.item_colours import MEASURES, available_colours, item_inks
from tbtui.plugins.graphs.item_labels import placement_text
from tbtui.plugins.graphs.navigation import is_within, visible_item
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.pane.details import details_of
from tbtui.plugins.graphs.pane.rows import OperationRows, Operations, TreeRows, fitting_columns, table_header
from tbtui.plugins.graphs.settings import ACROSS, COLOUR, DESCENDING, GRAPH_COLOURS, HUBS_ASIDE, SORT
from tbtui.plugins.graphs.timeline_view import TimelineView, build_run_timeline
from tbtui.plugins.graphs.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    import numpy.typing as npt

    from tbtui.plugins.graphs.diagram_layout import LaidOutDiagram
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.pane.details import Details
    from tbtui.plugins.graphs.pane.rows import Column
    from tbtui.plugins.graphs.pane.session import GraphSession
    from tbtui.plugins.graphs.pane.views import GraphParts
    from tbtui.plugins.graphs.profile import Times
    from tbtui.plugins.graphs.search import Highlights
    from tbtui.plugins.graphs.settings import GraphColour
    from tbtui.plugins.graphs.timeline_view import RunTimeline
    from tbtui.settings.settings import Settings
    from tbtui.widgets.worker import Worker


class Scene(NamedTuple):
    """Everything that the views show of one graph."""

    graph: OpenGraph
    session: GraphSession
    navigation: Navigation
    settings: Settings
    times: Times | None
    """Costs of a run of the graph; None if not available."""

    columns: tuple[Column, ...]
    """Columns that lists may show beside names."""

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the graph."""
        return self.graph.hierarchy

    @property
    def selected(self) -> int:
        """The item that the views show as selected: a constant in a node is shown as the node."""
        return visible_item(self.graph.hierarchy, self.navigation.chosen)

    @property
    def hub_word(self) -> str:
        """Place of a selected item without a box of its own; empty for all other items."""
        return placement_text(self.graph.hierarchy, self.navigation.chosen)

    @property
    def flags(self) -> npt.NDArray[np.bool_] | None:
        """bool[items]: the highlighted items; None if nothing is highlighted."""
        return None if self.session.highlights is None else self.session.highlights.flags


class PresenterHost(Protocol):
    """The pane as the presenters see it. All methods are called on the UI thread."""

    background: Worker

    @property
    def scene(self) -> Scene | None:
        """Scene on the screen; None without a graph. Results for an older scene are dropped."""

    def preview(self, item: int) -> None:
        """Select an item that the user did not go to row by row."""

    def return_to(self, navigation: Navigation) -> None:
        """Undo an automatic move of the cursor."""

    def show_title(self) -> None:
        """Show the title again, because something it depends on has changed."""

    def table_changed(self) -> None:
        """Show the place among the matches again, because the table has them in another order."""

    def refresh_bindings(self) -> None:
        """Offer other keys."""

    def report_error(self, error: Exception) -> None:
        """Notify the user of an error."""

    def say_error(self, error: Exception) -> None:
        """Show an error in the place of the views."""


class TreePresenter:
    """Lists the scopes that are open."""

    def __init__(self, parts: GraphParts) -> None:
        self._parts = parts
        self._tree: Tree | None = None

    def reset(self) -> None:
        """Forget the graph before."""
        self._tree = None

    def show(self, scene: Scene) -> None:
        """List the items, in as many columns as fit."""
        if not self._parts.scopes.display:
            return
        navigation, width = scene.navigation, self._parts.tree_width
        if self._tree is None or (self._tree.opened, self._tree.apart) != (navigation.opened, navigation.apart):
            self._tree = Tree(scene.hierarchy, navigation.opened, navigation.apart)
        columns = fitting_columns(scene.columns, width, (COLOUR.value(scene.settings),))
        self._parts.scopes.show_items(TreeRows(self._tree, columns, width, scene.flags), scene.selected)
        self._parts.show_tree_heads(table_header(columns, "", descending=False, cursor=""))


class DetailsPresenter:
    """Shows what is known of the selected item."""

    def __init__(self, host: PresenterHost, parts: GraphParts) -> None:
        self._host, self._parts = host, parts
        self.known: Details | None = None
        """The latest details; those of another item until new ones are computed."""

    def reset(self) -> None:
        """Forget the graph before."""
        self.known = None

    def fit(self) -> None:
        """Show the same details in another width."""
        if self.known is not None:
            self._parts.show_details(self.known)

    def show(self, scene: Scene) -> None:
        """Collect what is known of the selected item, and show it."""
        graph, item, times = scene.graph, scene.navigation.chosen, scene.times

        def collect() -> Iterator[tuple[OpenGraph, Details]]:
            yield graph, details_of(graph.hierarchy, item, times)

        self._host.background.ask("details", collect, self._take, self._host.report_error)

    def _take(self, result: tuple[OpenGraph, Details]) -> None:
        (graph, details), scene = result, self._host.scene
        if scene is not None and graph is scene.graph and details.item == scene.navigation.chosen:
            self.known = details
            self._parts.show_details(details)


class DiagramPresenter:
    """Lays out and colours the diagram."""

    def __init__(self, host: PresenterHost, parts: GraphParts) -> None:
        self._host, self._parts = host, parts
        self.drawn: LaidOutDiagram | None = None
        self.is_tinted = False
        """Some box of the diagram has a colour."""

        self.colours: tuple[GraphColour, ...] = GRAPH_COLOURS
        """Properties that boxes can be coloured by, as far as is known yet."""

        self._drawer = LayoutCache()
        self._requested: Hashable = None
        self._colours_of: tuple[Hierarchy, Times | None] | None = None

    def reset(self) -> None:
        """Forget the graph before."""
        self.drawn = self._requested = self._colours_of = None
        self.colours = GRAPH_COLOURS

    def fit(self) -> None:
        """Forget the zoom, so that the next drawing has the one that fits."""
        self.drawn = self._requested = None

    def show(self, scene: Scene) -> None:
        """Draw the diagram, or just move its cursor if nothing else changed."""
        view, size, navigation = self._parts.diagram, self._parts.areas.view, scene.navigation
        if not view.display or not size.width:
            return
        graph, hierarchy, settings, times = scene.graph, scene.hierarchy, scene.settings, scene.times
        inside, across = navigation.inside, ACROSS.value(settings)
        opened = frozenset(item for item in navigation.opened if is_within(hierarchy, item, inside))
        zoom = scene.session.zoom
        if zoom is None and self.drawn is not None and self.drawn.key.view == (graph.place, inside, across):
            zoom = self.drawn.zoom
        width = size.width if zoom is None or not across else 0
        height = size.height if zoom is None or across else 0
        key = DiagramKey(
            graph.place, inside, across, opened, navigation.apart, HUBS_ASIDE.value(settings), zoom, width, height
        )
        requested = key, COLOUR.value(settings), times
        if requested == self._requested:
            view.choose(scene.selected)
            return
        self._requested = requested

        def draw() -> Iterator[tuple[LaidOutDiagram, Mapping[int, int]]]:
            drawn = self._drawer.drawn(hierarchy, key)
            items = [place.item for place in drawn.layout.places]
            yield drawn, item_inks(hierarchy, times, items, COLOUR.value(settings))

        self._host.background.ask("diagram", draw, self._take, self.show_error)
        self._find_colours(hierarchy, times)

    def select(self, item: int) -> None:
        """Move the cursor."""
        self._parts.diagram.choose(item)

    def highlight(self, highlights: Highlights | None) -> None:
        """Highlight other boxes."""
        if self.drawn is not None:
            self._parts.diagram.mark(self._among(highlights))

    def _among(self, highlights: Highlights | None) -> frozenset[int]:
        if highlights is None or self.drawn is None:
            return frozenset()
        return highlights.among(self.drawn.layout.index_of)

    def _take(self, result: tuple[LaidOutDiagram, Mapping[int, int]]) -> None:
        (drawn, tints), scene = result, self._host.scene
        if scene is None or drawn.key.graph != scene.graph.place:
            return
        is_new = self.drawn is None or self.drawn.key.view != drawn.key.view
        self.drawn, self.is_tinted = drawn, bool(tints)
        marked = self._among(scene.session.highlights)
        self._parts.diagram.show(drawn.key.graph, drawn.layout, scene.selected, marked, tints, anew=is_new)
        self._host.show_title()

    def show_error(self, error: Exception) -> None:
        """Show in the diagram why it is not drawn."""
        self.drawn = None
        reason = str(error) if isinstance(error, TooManyBoxesError) else f"{type(error).__name__}: {error}"
        self._parts.diagram.say(strings.CANNOT_DRAW, reason)

    def _find_colours(self, hierarchy: Hierarchy, times: Times | None) -> None:
        """Find the known properties once for a graph and a run: it takes all nodes, and no key may wait for that."""
        if self._colours_of == (hierarchy, times):
            return
        self._colours_of = hierarchy, times

        def find() -> Iterator[tuple[GraphColour, ...]]:
            yield available_colours(hierarchy, times)

        self._host.background.ask("colours", find, self._take_colours, self.show_error)

    def _take_colours(self, colours: tuple[GraphColour, ...]) -> None:
        if colours != self.colours:
            self.colours = colours
            self._host.refresh_bindings()  # the key for colours is not offered if there are none


class TablePresenter:
    """Lists operations: those of a scope, or the matches of a search. It lists nothing before the table shows."""

    def __init__(self, host: PresenterHost, parts: GraphParts) -> None:
        self._host, self._parts = host, parts
        self.listed: Operations | None = None
        self._listed_matches: Highlights | None = None
        """The matches that `listed` holds; None: it holds a scope."""

        self._requested: Hashable = None
        self._scope = -1
        """The scope that the table lists; it stays while the table shows and the cursor is on one of its rows."""

        self._detour: tuple[int, Navigation] | None = None
        """The row that the cursor was put on because its item has none, and the navigation before that."""

    def reset(self) -> None:
        """Forget the graph before."""
        self._requested = self.listed = self._detour = None
        self._scope = -1

    def matches(self, scene: Scene) -> Operations | None:
        """Return the matches in the order of the table; None if it does not show, or does not list them."""
        highlights = scene.session.results.highlights
        lists = self._parts.operations.display and highlights is not None and highlights is self._listed_matches
        return self.listed if lists else None

    def columns(self, scene: Scene) -> tuple[Column, ...]:
        """Return the columns that fit beside names."""
        sort = "" if self.listed is None else self.listed.sort
        return fitting_columns(scene.columns, self._parts.table_width, (sort, "type"))

    def show(self, scene: Scene) -> None:
        """Sort and list the operations, or show the same rows again."""
        if not self._parts.operations.display:
            self._leave(scene)
            return
        graph, settings, times, hierarchy = scene.graph, scene.settings, scene.times, scene.hierarchy
        navigation, only = scene.navigation, scene.session.results.highlights
        self._scope = navigation.inside if self._scope < 0 else self._scope
        if self.listed is not None and self.listed.place_of(navigation.chosen) is None:
            self._scope = navigation.inside
        scope = hierarchy.root if only is not None else self._scope
        sort, descending = SORT.value(settings), DESCENDING.value(settings)
        requested = graph.place, times, only, scope, sort, descending
        if requested == self._requested:
            self.show_rows(scene)
            return
        self._requested = requested

        def order() -> Iterator[tuple[OpenGraph, Highlights | None, Operations]]:
            items = hierarchy.order.items if scope == hierarchy.root else hierarchy.under(scope)
            nodes = items[hierarchy.original[items] < hierarchy.nodes].astype(np.int32)
            if only is not None:
                nodes = nodes[only.flags[nodes]]
            yield graph, only, Operations(hierarchy, times, nodes, sort, descending=descending)

        self._host.background.ask("operations", order, self._take, self._host.report_error)

    def _take(self, result: tuple[OpenGraph, Highlights | None, Operations]) -> None:
        (graph, only, operations), scene = result, self._host.scene
        if scene is None or graph is not scene.graph:
            return
        before, self.listed, self._listed_matches = self.listed, operations, only
        self.show_rows(scene)
        if before is not None and len(operations) and operations.is_sorted_unlike(before):
            self._host.preview(int(operations.items[0]))
        self.follow_cursor()
        self._host.table_changed()

    def show_rows(self, scene: Scene) -> None:
        """Show the rows that are listed already."""
        listed = self.listed
        if listed is None or not self._parts.operations.display:
            return
        highlights, width = scene.session.highlights, self._parts.table_width
        flags = None if highlights is scene.session.results.highlights else scene.flags
        rows = OperationRows(listed, self.columns(scene), width, flags)
        self._parts.operations.show_items(rows, scene.navigation.chosen, empty=strings.NOTHING_FOUND)
        self._show_heads(scene)

    def follow_cursor(self) -> None:
        """Put the cursor on the row of the selected item; if there is none, list another scope.

        An item that no table has a row of, such as a scope, is replaced by the first row in it while the table shows.
        A list of matches gets no other rows: links also lead to operations that are not matches.
        """
        listed, scene = self.listed, self._host.scene
        if listed is None or scene is None or not self._parts.operations.display:
            return
        navigation, highlights = scene.navigation, scene.session.results.highlights
        self._parts.operations.go_to(navigation.chosen)
        if self._listed_matches is not highlights:
            return  # another list is being computed
        self._show_heads(scene)
        if listed.place_of(navigation.chosen) is not None or self._parts.scopes.has_focus:
            return
        if highlights is None and self._scope != navigation.inside:
            self.show(scene)
        elif highlights is None or scene.hierarchy.node(navigation.chosen) < 0:
            row = listed.nearest(navigation.chosen)
            if row is not None:
                self._detour = row, navigation
                self._host.preview(row)

    def _leave(self, scene: Scene) -> None:
        """Put the cursor back where it was before it was put on a row, unless it has moved on from there."""
        detour, self._detour = self._detour, None
        self._scope = -1
        if detour is not None and detour[0] == scene.navigation.chosen:
            self._host.return_to(detour[1])

    def _show_heads(self, scene: Scene) -> None:
        """Show the column titles, and what the rows are; if a link led away from the rows, that instead."""
        listed, hierarchy, selected = self.listed, scene.hierarchy, scene.navigation.chosen
        if listed is None:
            return
        if len(listed) and listed.place_of(selected) is None:
            scope, of = "", strings.not_listed(hierarchy, selected)
        elif self._listed_matches is not None or self._scope == hierarchy.root:
            scope, of = listed.scope, strings.WHOLE if self._listed_matches is None else strings.FOUND
        else:
            scope, of = listed.scope or f"{hierarchy.leaf(self._scope)}/", ""
        column, descending = scene.session.column, listed.descending
        columns = self.columns(scene)
        heads = table_header(columns, listed.sort, descending=descending, cursor=column, scope=scope, of=of)
        self._parts.show_table_heads(heads)


class TimelinePresenter:
    """Draws what ran when. It computes nothing before the timeline shows."""

    def __init__(self, host: PresenterHost, parts: GraphParts) -> None:
        self._host, self._parts = host, parts
        self._requested: object = None

    def reset(self) -> None:
        """Forget the graph before."""
        self._requested = None

    def show(self, scene: Scene) -> None:
        """Compute the timeline of the run, or say that no run was timed."""
        times, timeline = scene.times, self._parts.timeline
        if not timeline.display:
            return
        if times is None or not len(times.executions):
            self._requested = None
            timeline.say(*strings.NO_TIMES)
            return
        measure = MEASURES.get(COLOUR.value(scene.settings), "time")
        if (times, measure) == self._requested:
            return
        self._requested = times, measure

        def make() -> Iterator[RunTimeline]:
            yield build_run_timeline(times, measure)

        self._host.background.ask("timeline", make, self._take, self._host.say_error)

    def _take(self, run: RunTimeline) -> None:
        before, scene = self._parts.timeline.run, self._host.scene
        if scene is None or run.times is not scene.times:
            return
        if before is not None and before.run.times is run.times:
            self._parts.timeline.show(replace(before, run=run))
        else:
            self._parts.timeline.show(TimelineView(run).choosing_item(scene.navigation.chosen))
