"""The pane of the Graphs tab: it holds the session, applies keys and clicks, and updates the views."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from tbtui.charts.text import safe, visible_name
from tbtui.loading.payloads import Payloads
from tbtui.plugins.graphs.diagram_layout import DiagramSize, expand_initially
from tbtui.plugins.graphs.item_colours import MEASURES
from tbtui.plugins.graphs.navigation import (
    enter_scope,
    leave_scope,
    select_item,
    series_of,
    to_saved,
    toggle_scope,
    toggle_series,
    visible_item,
    visible_parent,
)
from tbtui.plugins.graphs.pane import session as transitions
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.pane.details import detail_lines, details_of
from tbtui.plugins.graphs.pane.keymap import KEYMAP, WITHOUT_GRAPH
from tbtui.plugins.graphs.pane.loader import GraphLoader
from tbtui.plugins.graphs.pane.presenters import (
    DetailsPresenter,
    DiagramPresenter,
    Scene,
    TablePresenter,
    TimelinePresenter,
    TreePresenter,
    title_notes,
)
from tbtui.plugins.graphs.pane.rows import NAME, title_at
from tbtui.plugins.graphs.pane.search_controller import SearchController
from tbtui.plugins.graphs.pane.session import GraphSession
from tbtui.plugins.graphs.pane.views import GraphParts, arrange
from tbtui.plugins.graphs.profile import default_device_names, next_devices
from tbtui.plugins.graphs.read import source_title
from tbtui.plugins.graphs.tracing import inputs, outputs
from tbtui.plugins.graphs.tree import listed_children
from tbtui.settings.settings import Settings
from tbtui.widgets.pane import ALL_FOLDED, STATUS_SHARE, Choose, CopyRequested, Pane
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from tbtui.export.output import SavedFile
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.pane.diagram_view import DiagramView
    from tbtui.plugins.graphs.pane.session import Layer
    from tbtui.plugins.graphs.pane.widgets import DetailList, OperationList, TableHeads, TimelineChart, TreeList
    from tbtui.plugins.graphs.read import GraphList, GraphSource
    from tbtui.plugins.graphs.search import TraceKind
    from tbtui.settings.settings import GraphView
    from tbtui.view.view import View
    from tbtui.widgets.filter_bar import FilterBar
    from tbtui.widgets.row_list import RowList

READING_AFTER_SECONDS = 0.15
"""The graph before stays on the screen for this long: a blank screen between two graphs would flicker."""

SAVE_AFTER_SECONDS = 0.5
"""The navigation is saved once it has not changed for this long."""


class GraphsPane(Pane):
    """Controller of the pane. Transitions are in `session`, reading in `loader`, the views in `parts`."""

    DEFAULT_CSS = """
    GraphsPane { padding-left: 1; }
    GraphsPane > * { position: absolute; }
    GraphsPane > .details-title { background: $panel; }
    GraphsPane:ansi > .details-title { background: ansi_default; }
    """

    UNUSED = frozenset({"next_x_axis", "next_y_scale", "smooth"})
    BINDING_GROUP_TITLE = "Graphs"
    BINDINGS: ClassVar[list[BindingType]] = KEYMAP

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.session = GraphSession()
        self.loader = GraphLoader(self.background, payloads or Payloads(), self)
        self.parts = GraphParts()
        self.scopes = TreePresenter(self.parts)
        self.details = DetailsPresenter(self, self.parts)
        self.diagram = DiagramPresenter(self, self.parts)
        self.table = TablePresenter(self, self.parts)
        self.timeline = TimelinePresenter(self, self.parts)
        self.search = SearchController(self)
        self._save_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Yield all parts."""
        yield from self.parts.widgets()

    @property
    def settings(self) -> Settings:
        """The settings that the app keeps."""
        return Settings() if self.view is None else self.view.settings

    @property
    def scene(self) -> Scene | None:
        """Scene that the views show; None without a graph."""
        graph, session = self.loader.graph, self.session
        if graph is None or session.graph is not graph or session.navigation is None:
            return None
        return Scene(graph, session, session.navigation, self.settings, self.loader.times, self.loader.columns)

    # The list of graphs, and the one that shows

    def reveal(self, tag: str) -> None:
        """Show the first graph of a tag."""
        source = self.loader.first_of(tag)
        if source is not None:
            self.choose_graph(source)

    def prepare(self, view: View) -> Iterator[GraphList]:
        """List the graphs of a view."""
        yield self.loader.list_graphs(view)

    def present(self, prepared: GraphList) -> None:
        """Show the chosen graph, unless it shows already."""
        before, self.loader.listed = self.loader.listed, prepared
        self._show_source(self.loader.chosen_source, None if before is None else before.view)

    def choose_graph(self, source: GraphSource) -> None:
        """Show another graph."""
        self.post_message(Choose(graph=self.loader.want(source)))
        self._show_source(source, self.view)

    def _show_source(self, source: GraphSource | None, before: View | None) -> None:
        if source is None:
            self.loader.close()
            self.say(*ALL_FOLDED)
            self.refresh_bindings()
            return
        if self.loader.choose(source):
            if not self.loader.is_open:
                start_timer(self, READING_AFTER_SECONDS, partial(self._say_reading, source))
        elif self.loader.graph is not None:
            self.loader.update_times(self.settings.graph_devices)
            self._apply_settings(before)
        self.show_title()

    def _say_reading(self, source: GraphSource) -> None:
        if self.loader.is_waiting_for(source):
            self.say(strings.READING)

    def graph_opened(self) -> None:
        """Show the graph that was read."""
        had_keys = self.parts.diagram.has_focus
        self.parts.end_message()
        self.place()  # before the session changes: the views still fit the graph before
        if had_keys:
            self.focus_view()
        self._show_graph()
        self.loader.update_times(self.settings.graph_devices)
        self.refresh_bindings()  # the status line changes with them

    def boxes_changed(self) -> None:
        """Show the same graph with other boxes."""
        self._show_graph()

    def _show_graph(self) -> None:
        graph = self.loader.graph
        if graph is None:
            return
        self._save_now()
        self.session = transitions.show_graph(self.session, graph, self.settings.graph_looks)
        for presenter in (self.scopes, self.details, self.diagram, self.table, self.timeline):
            presenter.reset()
        self._apply_settings(None)
        self.search.run(move=False)

    def graph_failed(self, reason: str) -> None:
        """Show why the graph cannot be read."""
        others = strings.OTHER_GRAPHS if len(self.loader.sources) > 1 else ""
        self.say(strings.UNREADABLE, "; ".join(filter(None, (reason, others))))
        self.show_title()
        self.refresh_bindings()

    def times_changed(self) -> None:
        """Show the costs of another run."""
        self.fit()
        self._show_details()
        self.refresh_bindings()  # the status line changes with them

    def times_failed(self, reason: str) -> None:
        """Notify the user that the costs cannot be read."""
        self.notify(safe(f"times of this graph cannot be read: {reason}"), severity="warning", markup=False)

    # From the session to the views

    def place(self) -> None:
        """Place the parts, and fit what they show."""
        if self.parts.place(self.content_size, self.session.view, has_bar=self.session.is_bar_open):
            self.fit()
            self.show_title()

    def fit(self) -> None:
        """Show everything again where something has changed."""
        scene = self.scene
        if scene is None:
            return
        if self.session.is_expanding:
            self._expand(scene.graph)
        else:
            self.scopes.show(scene)
            self.diagram.show(scene)
            self.details.fit()
            self.show_title()
        self.table.show(scene)
        self.timeline.show(scene)
        if self.session.query:
            self.table_changed()

    def focus_view(self) -> None:
        """Give the keys to the view of the session."""
        self.parts.focus(self.session.view)

    def say(self, headline: str, hint: str = "") -> None:
        """Show a message in the place of the views."""
        self.parts.show_message(headline, hint)
        self.place()

    def _apply_settings(self, before: View | None) -> None:
        """Show the settings of the app. `before`: the view that showed; None if the graph is new."""
        view = self.settings.graph_view
        if before is None or view != self.session.view:
            self._set_view(view)
        self.fit()
        if before is None:
            self._show_details()

    def _set_view(self, view: GraphView) -> None:
        self.session = transitions.set_view(self.session, view)
        self.place()

    def _expand(self, graph: OpenGraph) -> None:
        """Compute how much of a new graph is open: as much as has room."""
        area, settings = arrange(*self.content_size, "diagram", has_bar=False).view, self.settings
        if not area.width:
            return
        room = DiagramSize(area.width, area.height, settings.graph_across, settings.graph_aside)

        def expand() -> Iterator[tuple[OpenGraph, Navigation]]:
            yield graph, expand_initially(graph.hierarchy, graph.start, room)

        self.background.ask("begin", expand, self._take_expanded, self.diagram.show_error)

    def _take_expanded(self, result: tuple[OpenGraph, Navigation]) -> None:
        graph, expanded = result
        if graph is self.loader.graph and self.session.is_expanding:
            self.session = transitions.expand_graph(self.session, graph, expanded)
            self.fit()

    def _apply(self, session: GraphSession) -> None:
        """Hold a session with another navigation, and update what differs in the views."""
        before, former = self.scene, self.session
        self.session = session
        scene = self.scene
        if scene is not None and before is not None and session.navigation != former.navigation:
            self._show_navigation(before, scene)
        self.search.show_position()

    def _show_navigation(self, before: Scene, scene: Scene) -> None:
        now, was = scene.navigation, before.navigation
        is_refolded = (now.opened, now.apart) != (was.opened, was.apart)
        if is_refolded:
            self.scopes.show(scene)
        else:
            self.parts.scopes.go_to(scene.selected)
        if is_refolded or now.inside != was.inside:
            self.diagram.show(scene)
        else:
            self.diagram.select(scene.selected)
        self._show_details()
        self._save_later()
        self.table.follow_cursor()
        scene = self.scene or scene  # the table may have moved the cursor to one of its rows
        if now.inside != was.inside or scene.hub_word or before.hub_word:
            self.show_title()
        if (_series(scene) is None) != (_series(before) is None):
            self.refresh_bindings()

    def preview(self, item: int) -> None:
        """Select an item that the user did not go to row by row."""
        scene = self.scene
        if scene is not None:
            self._apply(transitions.preview_item(self.session, scene.hierarchy, item))

    def return_to(self, navigation: Navigation) -> None:
        """Undo an automatic move of the cursor."""
        self._apply(transitions.return_to(self.session, navigation))

    def _navigate(self, navigation: Navigation) -> None:
        self._apply(transitions.navigate(self.session, navigation))

    def _select(self, item: int, *, stays: bool = False) -> None:
        """Select an item. `stays`: the scopes around it stay open after the next preview."""
        scene = self.scene
        if scene is None or item == scene.navigation.chosen:
            return
        if stays:
            self._navigate(select_item(scene.navigation, scene.hierarchy, item))
        else:
            self.preview(item)

    def _save_later(self) -> None:
        if self._save_timer is not None:
            self._save_timer.stop()
        self._save_timer = start_timer(self, SAVE_AFTER_SECONDS, self._save_now)

    def _save_now(self) -> None:
        graph, navigation, timer = self.session.graph, self.session.navigation, self._save_timer
        if timer is None or graph is None or navigation is None:
            return
        timer.stop()
        self._save_timer = None
        saved = to_saved(navigation, graph.hierarchy)
        self.post_message(Choose(partial(transitions.save_navigation, graph.source.tag, saved)))

    # Title, details, status

    def _show_details(self) -> None:
        scene = self.scene
        if scene is not None:
            self.details.show(scene)

    def show_title(self) -> None:
        """Show which graph is open and what is highlighted in it."""
        listed, source, width = self.loader.listed, self.loader.source, self.parts.areas.title.width - 1
        if listed is None or source is None or width < 1:
            return
        scene, count = self.scene, len(listed.sources)
        place = () if scene is None else strings.path_names(scene.hierarchy, scene.navigation)
        lead = f"{self.loader.index + 1:,} of {count:,}" if count > 1 else ""
        ink = listed.view.inks.get(source.run.name, 0)
        is_structure = self.settings.graph_colour == "structure" and self.diagram.is_tinted
        spare = strings.STRUCTURE if self.parts.diagram.display and is_structure else ""
        right = title_notes(scene, self.parts, self.diagram, self.top_layer, width)
        self.parts.title.show(strings.title(source, ink, place, right, width, lead=lead, spare=spare))

    def status(self) -> str:
        """Return how much is in the graph."""
        scene = self.scene
        if scene is None:
            return ""
        room = int(self.app.size.width * STATUS_SHARE) - 1
        return strings.status(scene.hierarchy, scene.times, room, aside=self.settings.graph_aside)

    def tell(self, text: str) -> None:
        """Notify the user why a key did nothing, or of an effect that is not visible."""
        self.notify(safe(text), markup=False)

    def report_error(self, error: Exception) -> None:
        """Notify the user of an error."""
        self.notify(safe(f"{type(error).__name__}: {error}"), severity="error", markup=False)

    # Messages of the views

    def on_resize(self) -> None:
        """Place the parts in the new size."""
        self.place()

    def on_descendant_focus(self) -> None:
        """Show the way back in the title of the part that has the keys."""
        self.parts.show_details_title()
        self.show_title()

    def on_descendant_blur(self) -> None:
        """Show the way back in the title of the part that has the keys."""
        self.parts.show_details_title()
        self.show_title()

    def on_diagram_view_moved(self, event: DiagramView.Moved) -> None:
        """Select the box under the cursor; a second click on it opens it."""
        event.stop()
        scene = self.scene
        if scene is None or event.graph != scene.graph.place:
            return
        if event.again:
            self.action_open()
        else:
            self._navigate(select_item(scene.navigation, scene.hierarchy, event.item))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Select the item of the row."""
        event.stop()
        scene = self.scene
        for rows in (self.parts.scopes, self.parts.operations):
            item = None if scene is None else rows.cursor_item(scene.hierarchy)
            if rows.has_focus and item is not None:
                self._select(item, stays=rows is self.parts.scopes)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Open the item of the tree, or follow the link of the details."""
        event.stop()
        if self.parts.scopes.has_focus:
            self.action_open()
        elif self.parts.details.has_focus:
            self._follow_row()

    def on_tree_list_folded(self, event: TreeList.Folded) -> None:
        """Open or close the scope; if that is done already, go to its first item, or to the scope around it."""
        event.stop()
        scene = self.scene
        item = None if scene is None else self.parts.scopes.cursor_item(scene.hierarchy)
        if scene is None or item is None:
            return
        hierarchy, navigation = scene.hierarchy, scene.navigation
        can_switch = hierarchy.opens(item) and (item in navigation.opened) == event.fold
        if can_switch:
            self._navigate(toggle_scope(navigation, hierarchy, item))
        elif event.fold and (outside := visible_parent(navigation, hierarchy, item)) >= 0 and outside != hierarchy.root:
            self._select(outside, stays=True)
        elif not event.fold and hierarchy.opens(item):
            self._select(int(listed_children(hierarchy, item, navigation.apart)[0]), stays=True)

    def on_detail_list_follow_asked(self, event: DetailList.FollowAsked) -> None:
        """Follow the link of the row."""
        event.stop()
        self._follow_row()

    def on_detail_list_all_asked(self, event: DetailList.AllAsked) -> None:
        """Open the page with the details in full."""
        event.stop()
        self.action_about()

    def on_timeline_chart_moved(self, event: TimelineChart.Moved) -> None:
        """Select the node of the execution."""
        event.stop()
        view = self.parts.timeline.run
        if view is not None and view.run.times is self.loader.times and view.chosen_item is not None:
            self._select(view.chosen_item)

    def on_operation_list_column_moved(self, event: OperationList.ColumnMoved) -> None:
        """Go to another column of the table."""
        event.stop()
        scene = self.scene
        columns = () if scene is None else self.table.columns(scene)
        known = (NAME, *(column.title for column in columns))
        self.session = transitions.step_column(self.session, known, event.columns)
        self.fit()

    def on_operation_list_sort_asked(self, event: OperationList.SortAsked) -> None:
        """Sort by the column of the cursor."""
        event.stop()
        self.post_message(Choose(partial(transitions.sort_by, self.session.column)))

    def on_table_heads_clicked(self, event: TableHeads.Clicked) -> None:
        """Sort by the column that was clicked."""
        event.stop()
        scene = self.scene
        columns = () if scene is None else self.table.columns(scene)
        column = title_at(columns, event.x, self.parts.table_width)
        self.session = transitions.select_column(self.session, column)
        self.post_message(Choose(partial(transitions.sort_by, column)))

    # Layers and views

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for a key that would do nothing."""
        if self.loader.graph is None and action not in WITHOUT_GRAPH:
            return False
        if action == "back":
            return self.top_layer is not None
        if action == "next_match":
            return bool(self.session.query)
        if action == "regroup":
            return (scene := self.scene) is not None and _series(scene) is not None
        if action == "next_graph_colour":
            return len(self.diagram.colours) > 1 or not self.parts.diagram.display
        if action == "zoom":
            return self.parts.diagram.display or self.parts.timeline.display
        if action == "view":
            view = self.session.view
            return parameters != (view,) or not self.parts.view_widget(view).has_focus
        return action != "step" or len(self.loader.sources) > 1

    @property
    def top_layer(self) -> Layer | None:
        """Topmost layer, which escape takes away."""
        start = None if self.loader.graph is None else self.loader.graph.start
        return transitions.top_layer(self.session, start, in_details=self.parts.details.has_focus)

    def action_back(self) -> None:
        """Take the topmost layer away: the focus of the details, a trace, a search, or an entered scope."""
        layer = self.top_layer
        if layer == "details":
            self.focus_view()
        elif layer == "trace":
            self.search.end_trace()
        elif layer == "search":
            self.search.close()
        elif layer == "inside":
            self.action_leave()
        self.refresh_bindings()

    def action_view(self, view: GraphView) -> None:
        """Give the keys to a view."""
        self._set_view(view)
        self.fit()
        self.focus_view()
        self.post_message(Choose(graph_view=view))

    # Scopes and links

    def action_open(self) -> None:
        """Open or close a scope; show the details of a node; show the node of an execution in the diagram."""
        if self.parts.timeline.has_focus:
            self.action_view("diagram")
        elif (scene := self.scene) is not None:
            item = scene.navigation.chosen
            if scene.hierarchy.opens(item):
                self._navigate(toggle_scope(scene.navigation, scene.hierarchy, item))
            elif self.parts.details.display:
                self.parts.details.focus(scroll_visible=False)
            else:
                self.action_about()

    def action_regroup(self) -> None:
        """Show the members of a series in its place, or the series in theirs."""
        if (scene := self.scene) is not None and (series := _series(scene)) is not None:
            self._navigate(toggle_series(scene.navigation, scene.hierarchy, series))

    def action_enter(self) -> None:
        """Draw nothing but the inside of the selected scope."""
        if (scene := self.scene) is not None:
            hierarchy, item = scene.hierarchy, scene.navigation.chosen
            if not hierarchy.opens(item):
                self.tell(f"{hierarchy.leaf(item)} has nothing inside")
                return
            self._navigate(enter_scope(scene.navigation, hierarchy, item))
            self.refresh_bindings()

    def action_leave(self) -> None:
        """Draw what is around the scope that is drawn."""
        if (scene := self.scene) is not None:
            outside = leave_scope(scene.navigation, scene.hierarchy)
            if outside is scene.navigation:
                self.tell(strings.NOTHING_AROUND)
                return
            self._navigate(outside)
            self.refresh_bindings()

    def action_follow(self, direction: int) -> None:
        """Select the first input of the item (-1), or the first reader of its output (1)."""
        if (scene := self.scene) is None:
            return
        hierarchy, here = scene.hierarchy, scene.navigation.chosen
        items = [link.item for link in (inputs if direction < 0 else outputs)(hierarchy, here)]
        # Links of a box lead to other boxes. A node that is set aside may have no link but the one to its box.
        target = next((item for item in items if scene.hub_word or visible_item(hierarchy, item) != here), None)
        if target is None:
            self.tell(strings.no_link(hierarchy, here, direction))
        else:
            self._follow_to(target)

    def _follow_row(self) -> None:
        key = self.parts.details.cursor_key
        if self.details.known is not None and key is not None and key in self.parts.targets:
            self._follow_to(self.parts.targets[key])

    def _follow_to(self, item: int) -> None:
        if self.scene is not None:
            self.session = transitions.follow_link(self.session)
            self._select(item)

    def action_return(self) -> None:
        """Go back to where the last link was followed from."""
        self.session, item = transitions.pop_history(self.session)
        if item is None:
            self.tell(strings.NO_LINK_FOLLOWED)
        else:
            self._select(item)

    # Search and traces

    def action_find(self) -> None:
        """Open the search bar."""
        self.search.open()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """Search for the query while it is typed."""
        event.stop()
        self.search.set_query(event.pattern)

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Keep the query and give the keys to the view."""
        event.stop()
        if not self.session.query:
            self.search.close()
        self.focus_view()

    def table_changed(self) -> None:
        """Show the position among the matches, which the table has in another order."""
        self.search.show_position()

    def action_next_match(self, count: int) -> None:
        """Select another match; after the last comes the first."""
        self.search.step(count)

    def action_trace(self, kind: TraceKind) -> None:
        """Highlight what leads to the selected item, or its way to an output; or end that."""
        self.search.toggle_trace(kind)

    # How it is drawn

    def action_zoom(self, steps: int) -> None:
        """Show more of each box or execution (-1), or more boxes or a longer time (1)."""
        if self.parts.timeline.display:
            self.parts.timeline.zoom(0.5 if steps < 0 else 2.0)
        elif self.diagram.drawn is not None:
            self.session = transitions.step_zoom(self.session, self.diagram.drawn.zoom, steps)
            self.fit()

    def action_next_graph_colour(self) -> None:
        """Colour boxes by another property, or executions by time or memory."""
        if self.parts.timeline.display and self.parts.timeline.run is not None:
            self.post_message(Choose(transitions.next_measure))
        elif self.scene is not None and not self.parts.diagram.display:
            self.tell(strings.COLOURS_ELSEWHERE)
        else:
            self.post_message(Choose(partial(transitions.next_colour, self.diagram.colours)))

    def action_say_no_axis(self) -> None:
        """Say that the key for the axis of charts has no effect here; it is not offered either."""
        self.tell(strings.NO_AXIS)

    def action_switch_across(self) -> None:
        """Draw the diagram from left to right, or downwards."""
        if self.parts.diagram.display:
            self.post_message(Choose(transitions.toggle_direction))
        else:
            self.tell(strings.DIRECTION_ELSEWHERE)

    def action_switch_aside(self) -> None:
        """Set nodes aside that nearly everything is joined to, or draw them too."""
        self.post_message(Choose(transitions.toggle_hub_nodes))

    # Which graph and which run of it

    def action_step(self, graphs: int) -> None:
        """Show the next graph of the list, or the one before."""
        if sources := self.loader.sources:
            self.choose_graph(sources[(self.loader.index + graphs) % len(sources)])

    def action_choose_graph(self) -> None:
        """Open a list of all graphs."""
        from tbtui.plugins.graphs.pane.chooser import GraphChooser

        listed = self.loader.listed
        if listed is not None and len(listed.sources) == 1:
            self.tell(strings.NO_OTHER_GRAPH)
        elif listed is not None and listed.sources:

            def show(number: int | None) -> None:
                if number is not None:
                    self.choose_graph(listed.sources[number])

            self.app.push_screen(GraphChooser(listed, self.loader.index), show)

    def action_next_profile(self) -> None:
        """Show the costs of another run of the graph."""
        profiles = self.loader.profiles
        if len(profiles) < 2:
            self.tell(strings.ONE_PROFILE if profiles else strings.NO_TIMES[0])
        else:
            self.loader.next_profile(self.settings.graph_devices)

    def action_next_devices(self) -> None:
        """Count executions on other devices."""
        times = self.loader.times
        if times is None or not times.devices:
            self.tell(strings.NO_TIMES[0])
        elif len(times.devices) == 1:
            self.tell(f"all that was timed ran on {times.devices[0].short}")
        else:
            devices = next_devices(times)
            chosen = frozenset[str]() if devices == default_device_names(times) else devices
            self.post_message(Choose(graph_devices=chosen))
            named = ", ".join(row.short for row in times.devices if row.name in devices)
            self.tell(f"times of what ran on {named}")

    # Texts and files

    def action_about(self) -> None:
        """Open a page with all that is known of the selected item and of the graph."""
        from tbtui.widgets.text_page import open_text_page

        scene = self.scene
        if scene is None:
            return
        graph, times, item = scene.graph, scene.times, scene.navigation.chosen

        def lines() -> tuple[str, ...]:
            return *detail_lines(details_of(graph.hierarchy, item, times)), "", *strings.about_graph(graph, times)

        open_text_page(self.app, self.background, f"about {graph.hierarchy.leaf(item)}", lines)

    def action_write(self) -> None:
        """Open the form that writes the graph to a file; pictures have the same scopes open as the screen."""
        from tbtui.plugins.graphs.pane.writing import GraphWriting, graph_document, written_fields
        from tbtui.widgets.form import FormScreen

        scene = self.scene
        if scene is None:
            return
        measure = MEASURES.get(scene.settings.graph_colour)
        source, hierarchy, navigation = scene.graph.source, scene.hierarchy, scene.navigation
        document = graph_document(source, hierarchy, navigation, scene.settings, scene.times, measure)
        writing = GraphWriting(self.loader.graphs.reader, document)
        name = source.run.name
        title = safe(f"write {source_title(source)}" + (f" of {visible_name(name)}" if name != "." else ""))
        self.app.push_screen(
            FormScreen(title, written_fields(), writing, slow=True, cancel=writing.stop), self._say_written
        )

    def _say_written(self, written: SavedFile | None) -> None:
        from tbtui.plugins.graphs.pane.writing import written_word

        if written is not None:
            self.notify(safe(written_word(written)), title="written", markup=False)

    def action_copy(self) -> None:
        """Copy the name of the selected item."""
        if (scene := self.scene) is not None:
            self.app.copy_to_clipboard(safe(scene.hierarchy.name(scene.navigation.chosen)))
            self.tell("copied the name")

    def action_copy_path(self) -> None:
        """Ask the app to copy the path of the run."""
        if self.loader.source is not None:
            self.post_message(CopyRequested(self.loader.source.run.name))


def _series(scene: Scene) -> int | None:
    """The series that the selected item is, or is a member of."""
    return series_of(scene.hierarchy, scene.navigation.chosen)
