"""The pane of the Graphs tab: it holds the session, applies keys and clicks, and updates the views."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from tbtui.charts.text import safe
from tbtui.loading.payloads import Payloads
from tbtui.plugins.graphs.pane import session as transitions
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.pane.details import open_about_page
from tbtui.plugins.graphs.pane.drawing import DrawingController
from tbtui.plugins.graphs.pane.keymap import KEYMAP, VIEW_OPTIONS, is_offered
from tbtui.plugins.graphs.pane.loader import GraphLoader
from tbtui.plugins.graphs.pane.navigator import Navigator
from tbtui.plugins.graphs.pane.presenters import (
    DetailsPresenter,
    DiagramPresenter,
    Scene,
    TablePresenter,
    TimelinePresenter,
    TreePresenter,
)
from tbtui.plugins.graphs.pane.search_controller import SearchController
from tbtui.plugins.graphs.pane.session import GraphSession
from tbtui.plugins.graphs.pane.title import TitlePresenter
from tbtui.plugins.graphs.pane.views import GraphParts
from tbtui.plugins.graphs.settings import DEVICES, GRAPH, HUBS_ASIDE, NAVIGATION, VIEW
from tbtui.settings.settings import Settings
from tbtui.widgets.pane import ALL_FOLDED, STATUS_SHARE, Choose, CopyRequested, Pane
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.pane.diagram_view import DiagramView
    from tbtui.plugins.graphs.pane.session import Layer
    from tbtui.plugins.graphs.pane.widgets import DetailList, OperationList, TableHeads, TimelineChart, TreeList
    from tbtui.plugins.graphs.read import GraphList, GraphSource
    from tbtui.plugins.graphs.settings import GraphView
    from tbtui.view.view import View
    from tbtui.widgets.filter_bar import FilterBar
    from tbtui.widgets.row_list import RowList

READING_AFTER_SECONDS = 0.15
"""The graph before stays on the screen for this long: a blank screen would flicker."""


class GraphsPane(Pane):
    """Controller of the pane.

    Transitions are in `session`, reading in `loader`, the views in `parts`; `navigator`, `drawing` and `search` apply
    the keys.
    """

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
        self.title_line = TitlePresenter(self.parts, self.diagram)
        self.search = SearchController(self)
        self.navigator = Navigator(self)
        self.drawing = DrawingController(self)

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
        self.post_message(Choose(partial(GRAPH.with_value, value=self.loader.want(source))))
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
            self.loader.update_times(DEVICES.value(self.settings))
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
        self.boxes_changed()
        self.loader.update_times(DEVICES.value(self.settings))
        self.refresh_bindings()  # the status line changes with them

    def boxes_changed(self) -> None:
        """Show the same graph with other boxes."""
        graph = self.loader.graph
        if graph is None:
            return
        self.navigator.save_now()
        self.session = transitions.show_graph(self.session, graph, NAVIGATION.value(self.settings))
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
        self.show_details()
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
        if (scene := self.scene) is None:
            return
        if self.session.is_expanding:
            self.navigator.expand(scene.graph)
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
        view = VIEW.value(self.settings)
        if before is None or view != self.session.view:
            self._set_view(view)
        self.fit()
        if before is None:
            self.show_details()

    def _set_view(self, view: GraphView) -> None:
        self.session = transitions.set_view(self.session, view)
        self.place()

    # Title, details, status

    def show_details(self) -> None:
        """Show the details of the selected item."""
        if (scene := self.scene) is not None:
            self.details.show(scene)

    def show_title(self) -> None:
        """Show which graph is open and what is highlighted in it."""
        self.title_line.show(self.scene, self.loader, self.settings, self.top_layer)

    def status(self) -> str:
        """Return how much is in the graph."""
        if (scene := self.scene) is None:
            return ""
        room = int(self.app.size.width * STATUS_SHARE) - 1
        return strings.status(scene.hierarchy, scene.times, room, aside=HUBS_ASIDE.value(self.settings))

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

    on_descendant_blur = on_descendant_focus

    def on_diagram_view_moved(self, event: DiagramView.Moved) -> None:
        """Select the box under the cursor; a second click on it opens it."""
        event.stop()
        if (scene := self.scene) is None or event.graph != scene.graph.place:
            return
        if event.again:
            self.action_open()
        else:
            self.navigator.select(event.item, stays=True)

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Select the item of the row."""
        event.stop()
        scene = self.scene
        for rows in (self.parts.scopes, self.parts.operations):
            item = None if scene is None else rows.cursor_item(scene.hierarchy)
            if rows.has_focus and item is not None:
                self.navigator.select(item, stays=rows is self.parts.scopes)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Open the item of the tree, or follow the link of the details."""
        event.stop()
        if self.parts.scopes.has_focus:
            self.action_open()
        elif self.parts.details.has_focus:
            self.navigator.follow_row()

    def on_tree_list_folded(self, event: TreeList.Folded) -> None:
        """Open or close the scope, or go to its first item or to the scope around it."""
        event.stop()
        self.navigator.fold(fold=event.fold)

    def action_fold_all(self) -> None:
        """Close all scopes; open them if all are closed."""
        self.navigator.fold_all()

    def on_detail_list_follow_asked(self, event: DetailList.FollowAsked) -> None:
        """Follow the link of the row."""
        event.stop()
        self.navigator.follow_row()

    def on_detail_list_all_asked(self, event: DetailList.AllAsked) -> None:
        """Open the page with the details in full."""
        event.stop()
        self.action_about()

    def on_timeline_chart_moved(self, event: TimelineChart.Moved) -> None:
        """Select the node of the execution."""
        event.stop()
        view = self.parts.timeline.run
        if view is not None and view.run.times is self.loader.times and view.chosen_item is not None:
            self.navigator.select(view.chosen_item)

    def on_operation_list_column_moved(self, event: OperationList.ColumnMoved) -> None:
        """Go to another column of the table."""
        event.stop()
        self.drawing.step_column(event.columns)

    def on_operation_list_sort_asked(self, event: OperationList.SortAsked) -> None:
        """Sort by the column of the cursor."""
        event.stop()
        self.drawing.sort(self.session.column)

    def on_table_heads_clicked(self, event: TableHeads.Clicked) -> None:
        """Sort by the column that was clicked."""
        event.stop()
        self.drawing.sort_at(event.x)

    # Layers and views

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Return False for a key that would do nothing."""
        return is_offered(self, action)

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

    def action_choose_view(self) -> None:
        """Open the list of views."""
        from tbtui.widgets.chooser import open_view_chooser

        open_view_chooser(self.app, "view of the graph", VIEW_OPTIONS, self.session.view, "m", self.show_view)

    def show_view(self, view: GraphView) -> None:
        """Give the keys to a view."""
        self._set_view(view)
        self.fit()
        self.focus_view()
        self.post_message(Choose(partial(VIEW.with_value, value=view)))

    # Scopes and links

    def preview(self, item: int) -> None:
        """Select an item that the user did not go to row by row."""
        self.navigator.preview(item)

    def return_to(self, navigation: Navigation) -> None:
        """Undo an automatic move of the cursor."""
        self.navigator.return_to(navigation)

    def action_open(self) -> None:
        """Open or close a scope; show the details of a node; show the node of an execution in the diagram."""
        if self.parts.timeline.has_focus:
            self.show_view("diagram")
        elif (scene := self.scene) is not None:
            item = scene.navigation.chosen
            if scene.hierarchy.opens(item):
                self.navigator.toggle(scene, item)
            elif self.parts.details.display:
                self.parts.details.focus(scroll_visible=False)
            else:
                self.action_about()

    def action_regroup(self) -> None:
        """Show the members of a series in its place, or the series in theirs."""
        self.navigator.regroup()

    def action_enter(self) -> None:
        """Draw nothing but the inside of the selected scope."""
        self.navigator.enter()

    def action_leave(self) -> None:
        """Draw what is around the scope that is drawn."""
        self.navigator.leave()

    def action_follow(self, direction: int) -> None:
        """Select the first input of the item (-1), or the first reader of its output (1)."""
        self.navigator.follow(direction)

    def action_return(self) -> None:
        """Go back to where the last link was followed from."""
        self.navigator.go_back()

    # Search and traces

    def action_find(self) -> None:
        """Open the search bar."""
        self.search.open()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """Search for the query while it is typed."""
        event.stop()
        self.search.set_query(event.pattern)

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Keep the query and focus the view."""
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

    def action_next_trace(self) -> None:
        """Highlight what leads to the selected item, then its way to an output; then end that."""
        self.search.next_trace()

    # How it is drawn

    def action_zoom(self, steps: int) -> None:
        """Show more of each box or execution (-1), or more boxes or a longer time (1)."""
        self.drawing.zoom(steps)

    def action_fit_view(self) -> None:
        """Choose the zoom at which most of the diagram is legible; show the whole time."""
        self.drawing.fit()

    def action_next_graph_colour(self) -> None:
        """Colour boxes by another property, or executions by time or memory."""
        self.drawing.next_colour()

    def action_say_no_axis(self) -> None:
        """Say that the key for the axis of charts has no effect here; it is not offered either."""
        self.tell(strings.NO_AXIS)

    def action_switch_across(self) -> None:
        """Draw the diagram from left to right, or downwards."""
        self.drawing.switch_direction()

    def action_switch_aside(self) -> None:
        """Set nodes aside that nearly everything is joined to, or draw them too."""
        self.post_message(Choose(HUBS_ASIDE.next))

    def action_next_profile(self) -> None:
        """Show the costs of another run of the graph."""
        self.drawing.next_profile()

    def action_next_devices(self) -> None:
        """Count executions on other devices."""
        self.drawing.next_devices()

    # Which graph, texts and files

    def action_step(self, graphs: int) -> None:
        """Show the next graph of the list, or the one before."""
        if sources := self.loader.sources:
            self.choose_graph(sources[(self.loader.index + graphs) % len(sources)])

    def action_choose_graph(self) -> None:
        """Open a list of all graphs."""
        from tbtui.plugins.graphs.pane.chooser import open_graph_list

        open_graph_list(self)

    def action_about(self) -> None:
        """Open a page with all that is known of the selected item and of the graph."""
        open_about_page(self)

    def action_write(self) -> None:
        """Open the form that writes the graph to a file; pictures have the same scopes open as the screen."""
        from tbtui.plugins.graphs.pane.writing import open_write_form

        open_write_form(self)

    def action_copy(self) -> None:
        """Copy the name of the selected item."""
        if (scene := self.scene) is not None:
            self.app.copy_to_clipboard(safe(scene.hierarchy.name(scene.navigation.chosen)))
            self.tell("copied the name")

    def action_copy_path(self) -> None:
        """Ask the app to copy the path of the run."""
        if self.loader.source is not None:
            self.post_message(CopyRequested(self.loader.source.run.name))
