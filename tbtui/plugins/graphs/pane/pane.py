"""The pane of the Graphs tab: holds the session, applies keys and clicks, and updates the views."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from tbtui.charts.text import safe
from tbtui.loading.payloads import Payloads
from tbtui.plugins.graphs.pane import session as session_transitions
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.pane.details import open_about_page
from tbtui.plugins.graphs.pane.drawing import DrawingController
from tbtui.plugins.graphs.pane.keymap import KEYMAP, VIEW_OPTIONS, is_available
from tbtui.plugins.graphs.pane.loader import GraphLoader
from tbtui.plugins.graphs.pane.navigator import Navigator
from tbtui.plugins.graphs.pane.presenters import (
    DetailsPresenter,
    DiagramPresenter,
    TablePresenter,
    TimelinePresenter,
    TitlePresenter,
    TreePresenter,
)
from tbtui.plugins.graphs.pane.scene import Scene
from tbtui.plugins.graphs.pane.search_controller import SearchController
from tbtui.plugins.graphs.pane.session import GraphSession, get_top_layer
from tbtui.plugins.graphs.pane.views import GraphParts
from tbtui.plugins.graphs.settings import DEVICES, GRAPH, HUBS_ASIDE, NAVIGATION, VIEW
from tbtui.settings.settings import Settings
from tbtui.widgets.pane import ALL_FOLDED, STATUS_SHARE, Choose, CopyRequested, Pane
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.notifications import SeverityLevel

    from tbtui.plugins.graphs.pane.diagram_view import DiagramView
    from tbtui.plugins.graphs.pane.session import Layer
    from tbtui.plugins.graphs.pane.widgets import DetailList, OperationList, TableHeader, TimelineChart, TreeList
    from tbtui.plugins.graphs.read import GraphList, GraphSource
    from tbtui.plugins.graphs.settings import GraphView
    from tbtui.view.view import View
    from tbtui.widgets.filter_bar import FilterBar
    from tbtui.widgets.row_list import RowList

READING_AFTER_SECONDS = 0.15
"""Delay of the message that a graph is being read; the previous graph stays until then, so that nothing flickers."""


class GraphsPane(Pane):
    """Shows one graph in several views.

    `loader` reads graphs, `session` is the state, `parts` are the widgets, presenters fill them, and `navigator`,
    `drawing` and `search` apply keys.
    """

    DEFAULT_CSS = """
    GraphsPane { padding-left: 1; }
    GraphsPane > * { position: absolute; }
    GraphsPane > .details-title { background: $panel; }
    GraphsPane:ansi > .details-title { background: ansi_default; }
    """

    BINDING_GROUP_TITLE = "Graphs"
    BINDINGS: ClassVar[list[BindingType]] = KEYMAP

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.session = GraphSession()
        self.loader = GraphLoader(self.worker, payloads or Payloads(), self)
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
        """Yield all widgets."""
        yield from self.parts.list_widgets()

    @property
    def settings(self) -> Settings:
        """The settings of the app."""
        return Settings() if self.view is None else self.view.settings

    @property
    def scene(self) -> Scene | None:
        """Scene that the views show; None without a graph."""
        graph, session = self.loader.graph, self.session
        if graph is None or session.graph is not graph or session.navigation is None:
            return None
        return Scene(graph, session, session.navigation, self.settings, self.loader.costs, self.loader.columns)

    # The list of graphs, and the chosen one

    def reveal(self, tag: str) -> None:
        """Show the first graph of a tag."""
        source = self.loader.find_first(tag)
        if source is not None:
            self.choose_graph(source)

    def prepare(self, view: View) -> Iterator[GraphList]:
        """List the graphs of a view."""
        yield self.loader.list_graphs(view)

    def present(self, prepared: GraphList) -> None:
        """Show the chosen graph, unless it is visible already."""
        before, self.loader.listed = self.loader.listed, prepared
        self._show_source(self.loader.chosen_source, None if before is None else before.view)

    def choose_graph(self, source: GraphSource) -> None:
        """Show another graph."""
        self.post_message(Choose(partial(GRAPH.with_value, value=self.loader.prefer(source))))
        self._show_source(source, self.view)

    def _show_source(self, source: GraphSource | None, before: View | None) -> None:
        if source is None:
            self.loader.close()
            self.show_message(*ALL_FOLDED)
            self.refresh_bindings()
            return
        if self.loader.choose(source):
            if not self.loader.is_open:
                start_timer(self, READING_AFTER_SECONDS, partial(self._show_reading, source))
        elif self.loader.graph is not None:
            self.loader.update_costs(DEVICES.value(self.settings))
            self._apply_settings(before)
        self.show_title()

    def _show_reading(self, source: GraphSource) -> None:
        if self.loader.is_waiting_for(source):
            self.show_message(strings.READING)

    def graph_opened(self) -> None:
        """Show the graph that was read."""
        had_focus = self.parts.diagram.has_focus
        self.parts.end_message()
        self.lay_out_parts()  # before the session changes, while views and session belong to the previous graph
        if had_focus:
            self.focus_view()
        self.boxes_changed()
        self.loader.update_costs(DEVICES.value(self.settings))
        self.refresh_bindings()  # the status line changes with them

    def boxes_changed(self) -> None:
        """Show the same graph with other boxes."""
        graph = self.loader.graph
        if graph is None:
            return
        self.navigator.save_now()
        self.session = session_transitions.show_graph(self.session, graph, NAVIGATION.value(self.settings))
        for presenter in (self.scopes, self.details, self.diagram, self.table, self.timeline):
            presenter.reset()
        self._apply_settings(None)
        self.search.run(move=False)

    def graph_failed(self, reason: str) -> None:
        """Show the reason why the graph cannot be read."""
        hint = strings.OTHER_GRAPHS if len(self.loader.sources) > 1 else ""
        self.show_message(strings.UNREADABLE, "; ".join(filter(None, (reason, hint))))
        self.show_title()
        self.refresh_bindings()

    def costs_changed(self) -> None:
        """Show the costs of another run."""
        self.refresh_views()
        self.show_details()
        self.refresh_bindings()  # the status line changes with them

    def costs_failed(self, reason: str) -> None:
        """Show the reason why the costs cannot be read."""
        self.toast(f"times of this graph cannot be read: {reason}", "warning")

    # From the session to the views

    def lay_out_parts(self) -> None:
        """Set the areas of all widgets; if an area changed, refresh the views."""
        if self.parts.lay_out(self.content_size, self.session.view, has_bar=self.session.is_bar_open):
            self.refresh_views()
            self.show_title()

    def refresh_views(self) -> None:
        """Update each view whose content has changed."""
        if (scene := self.scene) is None:
            return
        if self.session.is_expanding:
            self.navigator.expand(scene.graph)
        else:
            self.scopes.show(scene)
            self.diagram.show(scene)
            self.details.redraw()
            self.show_title()
        self.table.show(scene)
        self.timeline.show(scene)
        if self.session.query:
            self.search.show_position()  # the table has the matches in another order

    def focus_view(self) -> None:
        """Focus the view of the session."""
        self.parts.focus(self.session.view)

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of the views."""
        self.parts.show_message(headline, hint)
        self.lay_out_parts()

    def _apply_settings(self, before: View | None) -> None:
        """Apply the settings of the app.

        Args:
            before: The view that was visible; None if the graph is new.
        """
        view = VIEW.value(self.settings)
        if before is None or view != self.session.view:
            self._set_view(view)
        self.refresh_views()
        if before is None:
            self.show_details()

    def _set_view(self, view: GraphView) -> None:
        self.session = replace(self.session, view=view)
        self.lay_out_parts()

    # Title, details, status

    def show_details(self) -> None:
        """Show the details of the selected item."""
        if (scene := self.scene) is not None:
            self.details.show(scene)

    def show_title(self) -> None:
        """Show the run and tag of the graph, and the reason of its highlights."""
        self.title_line.show(self.scene, self.loader, self.settings, self.top_layer)

    def status(self) -> str:
        """Return the size and the costs of the graph."""
        if (scene := self.scene) is None:
            return ""
        width = int(self.app.size.width * STATUS_SHARE) - 1
        return strings.format_status(scene.hierarchy, scene.costs, width, hubs_aside=HUBS_ASIDE.value(self.settings))

    def toast(self, text: str, severity: SeverityLevel = "information") -> None:
        """Show a toast: a reason why a key has no effect, an invisible effect, or an error."""
        self.notify(safe(text), severity=severity, markup=False)

    def toast_error(self, error: Exception) -> None:
        """Show an error in a toast."""
        self.toast(f"{type(error).__name__}: {error}", "error")

    # Messages of the views

    def on_resize(self) -> None:
        """Lay out the widgets in the new size."""
        self.lay_out_parts()

    def on_descendant_focus(self) -> None:
        """Show the key that goes back in the title of the focused part."""
        self.parts.show_details_title()
        self.show_title()

    on_descendant_blur = on_descendant_focus

    def on_diagram_view_moved(self, event: DiagramView.Moved) -> None:
        """Select the box under the cursor; a second click on it opens it."""
        event.stop()
        if (scene := self.scene) is None or event.graph != scene.graph.key:
            return
        if event.is_repeated:
            self.action_open()
        else:
            self.navigator.select(event.item, keeps_open=True)

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Select the item of the row."""
        event.stop()
        scene = self.scene
        for rows in (self.parts.scopes, self.parts.operations):
            item = None if scene is None else rows.get_cursor_item(scene.hierarchy)
            if rows.has_focus and item is not None:
                self.navigator.select(item, keeps_open=rows is self.parts.scopes)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Open the item of the tree, or follow the link in the details."""
        event.stop()
        if self.parts.scopes.has_focus:
            self.action_open()
        elif self.parts.details.has_focus:
            self.navigator.follow_row()

    def on_tree_list_fold_requested(self, event: TreeList.FoldRequested) -> None:
        """Open or close the scope, or go to its first item or to the scope around it."""
        event.stop()
        self.navigator.set_folded(is_folded=event.fold)

    def action_fold_all(self) -> None:
        """Close all scopes; open them if all are closed."""
        self.navigator.fold_all()

    def on_detail_list_follow_requested(self, event: DetailList.FollowRequested) -> None:
        """Follow the link of the row."""
        event.stop()
        self.navigator.follow_row()

    def on_detail_list_full_value_requested(self, event: DetailList.FullValueRequested) -> None:
        """Open the page with the details in full."""
        event.stop()
        self.action_about()

    def on_timeline_chart_moved(self, event: TimelineChart.Moved) -> None:
        """Select the node of the execution."""
        event.stop()
        timeline = self.parts.timeline.timeline
        if timeline is None or timeline.run.costs is not self.loader.costs:
            return
        if timeline.chosen_item is not None:
            self.navigator.select(timeline.chosen_item)

    def on_operation_list_column_move_requested(self, event: OperationList.ColumnMoveRequested) -> None:
        """Go to another column of the table."""
        event.stop()
        self.drawing.step_column(event.columns)

    def on_operation_list_sort_requested(self, event: OperationList.SortRequested) -> None:
        """Sort by the column of the cursor."""
        event.stop()
        self.drawing.sort(self.session.column)

    def on_table_header_clicked(self, event: TableHeader.Clicked) -> None:
        """Sort by the column that was clicked."""
        event.stop()
        self.drawing.sort_at(event.x)

    # Layers and views

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Return False for a key that would do nothing."""
        return is_available(self, action)

    @property
    def top_layer(self) -> Layer | None:
        """State that escape ends; None if there is none."""
        start = None if self.loader.graph is None else self.loader.graph.start
        return get_top_layer(self.session, start, in_details=self.parts.details.has_focus)

    def action_back(self) -> None:
        """End the topmost state: the focus of the details, a trace, a search, or an entered scope."""
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
        """Show and focus a view."""
        self._set_view(view)
        self.refresh_views()
        self.focus_view()
        self.post_message(Choose(partial(VIEW.with_value, value=view)))

    # Scopes and links

    def action_open(self) -> None:
        """Open or close a scope; show the details of a node; show the node of an execution in the diagram."""
        if self.parts.timeline.has_focus:
            self.show_view("diagram")
        elif (scene := self.scene) is not None:
            item = scene.navigation.chosen
            if scene.hierarchy.has_children(item):
                self.navigator.toggle(scene, item)
            elif self.parts.details.display:
                self.parts.details.focus(scroll_visible=False)
            else:
                self.action_about()

    def action_regroup(self) -> None:
        """Show the members of a series instead of it, or the series instead of them."""
        self.navigator.regroup()

    def action_enter(self) -> None:
        """Draw only the content of the selected scope."""
        self.navigator.enter()

    def action_leave(self) -> None:
        """Draw the parent of the drawn scope."""
        self.navigator.leave()

    def action_follow(self, direction: int) -> None:
        """Select the first input of the item (-1), or the first reader of its output (1)."""
        self.navigator.follow(direction)

    def action_return(self) -> None:
        """Select the item that the last link was followed from."""
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

    def action_next_match(self, count: int) -> None:
        """Select the next match, or an earlier one if the count is negative; wraps around."""
        self.search.step(count)

    def action_next_trace(self) -> None:
        """Trace the inputs of the selected item, then its path to an output, then end the trace."""
        self.search.cycle_trace()

    # Zoom, colours and order

    def action_zoom(self, steps: int) -> None:
        """Zoom into the diagram or the timeline (1), or out of it (-1)."""
        self.drawing.zoom(steps)

    def action_fit_view(self) -> None:
        """Reset the zoom of the diagram or the timeline."""
        self.drawing.reset_zoom()

    def action_next_graph_colour(self) -> None:
        """Colour boxes by another property, or executions by time or memory."""
        self.drawing.cycle_colour()

    def action_say_no_axis(self) -> None:
        """Show a toast that graphs have no x axis; the key is in no footer."""
        self.toast(strings.NO_AXIS)

    def action_switch_across(self) -> None:
        """Draw the diagram from left to right, or downwards."""
        self.drawing.switch_direction()

    def action_switch_aside(self) -> None:
        """Set high-degree nodes aside, or draw them in the diagram."""
        self.post_message(Choose(HUBS_ASIDE.next))

    def action_next_profile(self) -> None:
        """Show the costs of another run of the graph."""
        self.drawing.show_next_costs()

    def action_next_devices(self) -> None:
        """Count executions on other devices."""
        self.drawing.cycle_devices()

    # Which graph, texts and files

    def action_step(self, graphs: int) -> None:
        """Show the next graph of the list, or the one before."""
        if sources := self.loader.sources:
            self.choose_graph(sources[(self.loader.index + graphs) % len(sources)])

    def action_choose_graph(self) -> None:
        """Open a list of all graphs."""
        from tbtui.plugins.graphs.pane.dialogs import open_graph_list

        open_graph_list(self)

    def action_about(self) -> None:
        """Open a page with all details of the selected item and of the graph."""
        open_about_page(self)

    def action_write(self) -> None:
        """Open the form that writes the graph to a file; pictures have the same scopes open as the screen."""
        from tbtui.plugins.graphs.pane.dialogs import open_save_form

        open_save_form(self)

    def action_copy(self) -> None:
        """Copy the name of the selected item."""
        if (scene := self.scene) is not None:
            self.app.copy_to_clipboard(safe(scene.hierarchy.name(scene.navigation.chosen)))
            self.toast("copied the name")

    def action_copy_path(self) -> None:
        """Ask the app to copy the path of the run."""
        if self.loader.source is not None:
            self.post_message(CopyRequested(self.loader.source.run.name))
