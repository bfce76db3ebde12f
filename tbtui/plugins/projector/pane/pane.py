"""The pane of the projector: it holds the session, applies keys, and shows the results of the loader."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from tbtui.charts.series_colours import PALETTE_SIZE
from tbtui.charts.text import safe
from tbtui.plugins.projector import session as session_transitions
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.pane.keymap import KEYMAP, is_available
from tbtui.plugins.projector.pane.loader import ProjectorLoader
from tbtui.plugins.projector.pane.navigator import EmbeddingNavigator
from tbtui.plugins.projector.pane.presenter import SceneBuilder, ScenePresenter
from tbtui.plugins.projector.pane.selection import SearchController, SelectionController
from tbtui.plugins.projector.pane.widgets import PaneWidgets
from tbtui.plugins.projector.scene import colour_columns
from tbtui.plugins.projector.session import MapSession
from tbtui.plugins.projector.settings import PIXELS
from tbtui.terminal_images.half_blocks import choose_depth
from tbtui.widgets.pane import STATUS_SHARE, Choose, CopyRequested, Pane
from tbtui.widgets.pixel_output import PixelOutput
from tbtui.widgets.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.projector.pane.map_view import MapView
    from tbtui.plugins.projector.scene import Scene
    from tbtui.plugins.projector.sources import EmbeddingSource, SourceList
    from tbtui.view.view import View
    from tbtui.widgets.data_grid import DataGrid
    from tbtui.widgets.filter_bar import FilterBar
    from tbtui.widgets.pixel_output import TerminalAnswered
    from tbtui.widgets.row_list import RowList


class ProjectorPane(Pane):
    """Applies keys: transitions are in `session`, reading and computing in `loader`, drawing in `presenter`."""

    DEFAULT_CSS = """
    ProjectorPane { padding-left: 1; }
    ProjectorPane > * { position: absolute; }
    """

    BINDING_GROUP_TITLE = "Projector"
    BINDINGS: ClassVar[list[BindingType]] = KEYMAP

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.layouts = Worker(lambda: self.post_message(self.Computed()))
        self.loader = ProjectorLoader(self.worker, self.layouts, self)
        self.scenes = SceneBuilder(self.loader)
        self.widgets = PaneWidgets(self.worker)
        self.output = PixelOutput(self, (self.widgets.map.images,), self._show_view_again)
        self.presenter = ScenePresenter(self.widgets, self.loader, self.worker)
        self.selection = SelectionController(self)
        self.search = SearchController(self)
        self.navigator = EmbeddingNavigator(self)
        self.session = MapSession()
        self._with_variables = False
        self._are_pixels_requested = False
        """True from a key that requests pixels until the terminal has answered whether it draws any."""

    def compose(self) -> ComposeResult:
        """Yield all widgets."""
        yield from self.widgets.iter_widgets()

    # The terminal

    def show(self, view: View) -> None:
        """Draw a view; pixels are drawn once the terminal has answered."""
        wants_pixels = PIXELS.value(view.settings)
        if wants_pixels and self.is_attached and not self.output.begin(view.settings.images):
            self.view = view
            return
        super().show(view)
        self.widgets.map.draw_for(self.output.target if wants_pixels else None)
        if wants_pixels and self._are_pixels_requested:
            self._are_pixels_requested = False
            if not self.output.target.in_pixels:
                self.toast(f"dots are shown: {self.output.protocol.reason or strings.NO_PIXELS}")

    def _show_view_again(self) -> None:
        if self.view is not None:
            self.show(self.view)

    def on_mount(self) -> None:
        """Redraw after a suspension."""
        self.output.follow_app()

    def on_terminal_answered(self, message: TerminalAnswered) -> None:
        """Decide by the answers of the terminal."""
        message.stop()
        self.output.decide()

    def action_pixels(self) -> None:
        """Draw the map in pixels of the terminal, or in dots."""
        self._are_pixels_requested = self.view is not None and not PIXELS.value(self.view.settings)
        self.post_message(Choose(PIXELS.next))

    # Life cycle

    async def idle(self) -> None:
        """Wait until all requests are shown, also layouts."""
        await super().idle()
        await self.layouts.idle()
        await super().idle()

    def on_pane_computed(self) -> None:
        """Show the results of both workers."""
        super().on_pane_computed()
        self.layouts.drain()

    def on_unmount(self) -> None:
        """Stop both workers."""
        self.loader.stop_layout()
        super().on_unmount()
        self.layouts.close()

    def on_hide(self) -> None:
        """Stop a layout whose tab is left."""
        self.loader.stop_layout()

    def on_show(self) -> None:
        """Go on with a layout that was stopped with the tab."""
        if self.loader.is_running and not self.loader.is_paused:
            self.loader.lay_out(self.session.layout)

    # Sources

    def prepare(self, view: View) -> Iterator[SourceList]:
        """List the embeddings of a view."""
        yield self.loader.list_sources(view, with_variables=self._with_variables)

    def present(self, prepared: SourceList) -> None:
        """Show the chosen embedding."""
        self.navigator.show_list(prepared)

    def reveal(self, tag: str) -> None:
        """Show the embedding of a tag of the sidebar."""
        self.navigator.reveal(tag)

    def get_ink(self, source: EmbeddingSource) -> int:
        """Return the ink of the run of an embedding."""
        return 0 if self.view is None else self.view.inks.get(source.run, 0)

    # Results of the loader

    def show_points(self) -> None:
        """Show other points."""
        points = self.loader.points
        if points is None:
            return
        self.session = self.navigator.create_session(points)
        self.scenes.forget_comparison()
        if not self.widgets.has_points:
            self.widgets.has_points = True
            self.widgets.show_points(is_table=self.session.is_table)
            self.lay_out_widgets()
        self.loader.choice = self.session.layout
        if self.session.layout.is_iterative:
            self.loader.lay_out(self.session.layout)
        self.loader.load_sprite()
        self.scenes.request(self.session)
        self.show_scene()
        self.refresh_bindings()

    def show_layout(self) -> None:
        """Show another state of the layout."""
        was_running = self.loader.is_running
        self.scenes.request_comparison(self.session)
        self.show_scene()
        if not was_running:
            self.refresh_bindings()

    def show_results(self) -> None:
        """Show further results that do not change the layout."""
        self.show_scene()

    def show_failure(self, reason: str) -> None:
        """Show the reason for which the points cannot be read."""
        self.navigator.show_failure(reason)

    def toast_error(self, error: Exception) -> None:
        """Notify the user of an error."""
        self.notify(safe(f"{type(error).__name__}: {error}"), severity="error", markup=False)

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of the map."""
        self.widgets.show_message(headline, hint)
        self.lay_out_widgets()

    # The scene

    @property
    def scene(self) -> Scene | None:
        """The scene that is shown; None while there are no points."""
        source = self.loader.source
        if source is None:
            return None
        colours = PALETTE_SIZE if self.view is None else self.view.distinct_colours
        return self.scenes.scene(self.session, self.get_ink(source), colours)

    def change(self, session: MapSession) -> None:
        """Apply a session and show it if it differs from the present one."""
        if session != self.session:
            self.show_session(session)

    def show_session(self, session: MapSession) -> None:
        """Apply a session and show it."""
        previous, self.session = self.session, session
        if session.layout != previous.layout:
            self.loader.lay_out(session.layout)
        if session.baseline is None:
            self.loader.comparison = None
        if session.is_table != previous.is_table:
            self.widgets.show_points(is_table=session.is_table)
            self.lay_out_widgets()
        self.scenes.request(self.session)
        self.show_scene()
        self.refresh_bindings()

    def show_scene(self) -> None:
        """Draw everything."""
        scene = self.scene
        if scene is not None:
            self.presenter.show(scene, self._depth)

    @property
    def _depth(self) -> Any:
        """Colours of the terminal."""
        app = self.app
        return choose_depth(app.console.color_system, no_color=app.no_color, native=app.native_ansi_color)

    def status(self) -> str:
        """Return the numbers of points that are shown, selected and found."""
        scene = self.scene
        return "" if scene is None else strings.format_status(scene, int(self.app.size.width * STATUS_SHARE) - 1)

    def lay_out_widgets(self) -> None:
        """Lay the widgets out in the present size."""
        self.widgets.lay_out(self.content_size)
        self.show_scene()

    def on_resize(self) -> None:
        """Lay the widgets out in the new size; the terminal may have another font."""
        self.lay_out_widgets()
        self.output.decide()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's name
        """Return False for a key that would do nothing."""
        return is_available(self, action)

    def toast(self, text: str) -> None:
        """Notify the user of the reason for which a key did nothing, or of an effect that is not visible."""
        self.notify(safe(text), markup=False)

    # Messages of the widgets

    def on_map_view_cursor_moved(self, event: MapView.CursorMoved) -> None:
        """Go to a point; a second click highlights its neighbours."""
        event.stop()
        self.change(replace(self.session, cursor=event.point))
        if event.is_second_click:
            self.action_neighbours()

    def on_map_view_camera_moved(self, event: MapView.CameraMoved) -> None:
        """Apply another camera."""
        event.stop()
        self.session = replace(self.session, camera=event.camera)
        scene = self.scene
        if scene is not None:
            self.widgets.map.show(scene)

    def on_map_view_box_drawn(self, event: MapView.BoxDrawn) -> None:
        """Select the points of a rectangle."""
        event.stop()
        self.change(session_transitions.select(self.session, event.points))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Go to the point of the row."""
        event.stop()
        self.selection.apply_list_cursor()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Go to the clicked point."""
        event.stop()
        self.selection.apply_list_cursor()

    def on_data_grid_moved(self, event: DataGrid.Moved) -> None:
        """Go to the point of the row of the table."""
        event.stop()
        self.selection.apply_table_cursor()

    def on_data_grid_head_chosen(self, event: DataGrid.HeadChosen) -> None:
        """Sort by the column whose title was clicked."""
        event.stop()
        self.selection.sort()

    # Points

    def action_neighbours(self) -> None:
        """Highlight the neighbours of the point under the cursor, sort the table by a column, or end the rectangle."""
        if self.session.corner is not None:
            self.selection.end_rectangle()
        elif self.session.is_table and self.widgets.table.cursor_column is not None:
            self.selection.sort()
        else:
            self.change(session_transitions.switch_neighbours(self.session))

    def key_word(self, action: str) -> str | None:
        """Return the label of a key in the footer."""
        if action == "neighbours":
            return "sort" if self.session.is_table and self.widgets.table.cursor_column is not None else "nearest"
        if action == "switch_table":
            return "map" if self.session.is_table else "table"
        return None

    def action_switch_table(self) -> None:
        """Show the table of all points instead of the map, or back."""
        self.change(session_transitions.switch_table(self.session))

    def action_select(self) -> None:
        """Select the point under the cursor, or no longer."""
        self.change(session_transitions.toggle_selected(self.session))

    def action_rectangle(self) -> None:
        """Begin a rectangle at the cursor, or select the points in it."""
        if self.session.corner is None:
            self.selection.begin_rectangle()
        else:
            self.selection.end_rectangle()

    def action_isolate(self) -> None:
        """Show only the selected points, or the highlighted neighbours."""
        self.selection.isolate()

    def action_show_all(self) -> None:
        """Show all points again."""
        self.change(replace(self.session, isolated=None))

    def action_count(self, steps: int) -> None:
        """List more or fewer neighbours."""
        self.change(session_transitions.change_count(self.session, steps))

    def action_metric(self) -> None:
        """Measure by the other distance."""
        self.change(session_transitions.cycle_metric(self.session))

    def action_next_list(self) -> None:
        """Show the next list next to the map."""
        self.change(session_transitions.cycle_list(self.session))

    def action_copy_labels(self) -> None:
        """Copy the labels of the selected or highlighted points."""
        self.selection.copy_labels()

    # Search

    def action_find(self) -> None:
        """Open the search bar."""
        self.search.open()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """Search while the pattern is typed."""
        event.stop()
        self.search.run(event.pattern)

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Keep the pattern and give the keys to the map."""
        event.stop()
        self.search.leave()

    def action_next_match(self, count: int) -> None:
        """Go to another match; after the last comes the first."""
        self.search.next(count)

    def action_back(self) -> None:
        """Remove the topmost layer."""
        points = self.widgets.points
        if not points.has_focus and points.display and not session_transitions.get_top_layer(self.session):
            points.focus(scroll_visible=False)
            return
        had_query = bool(self.session.query)
        self.change(session_transitions.remove_layer(self.session))
        if had_query and not self.session.query:
            self.search.close()
        self.refresh_bindings()

    # Layouts

    def action_next_layout(self) -> None:
        """Show the next kind of layout."""
        points = self.loader.points
        if points is not None:
            self.change(session_transitions.cycle_kind(self.session, points.dimensions))

    def action_switch_3d(self) -> None:
        """Show three dimensions instead of two, or back."""
        self.change(session_transitions.switch_dimensions(self.session))

    def action_component(self, axis: int) -> None:
        """Show the next component along an axis."""
        points = self.loader.points
        if points is not None:
            count = points.dimensions
            if self.session.layout.kind == "pca":
                count = min(count, len(points.components.axes))
            self.change(session_transitions.cycle_component(self.session, axis, count))

    def action_pause(self) -> None:
        """Pause the layout, or go on with it."""
        self.loader.toggle_layout()
        self.show_scene()

    def action_restart(self) -> None:
        """Compute the layout again from the start."""
        self.loader.restart_layout()
        self.refresh_bindings()

    def action_zoom(self, steps: int) -> None:
        """Zoom in or out."""
        self.widgets.map.zoom(steps)

    def action_fit(self) -> None:
        """Show all points, not rotated."""
        self.change(replace(self.session, camera=session_transitions.choose_first_camera(self.session.layout)))

    # Dialogs

    def action_layout_form(self) -> None:
        """Open the form of parameters."""
        self._dialogs.open_layout_form(self)

    def action_axes_form(self) -> None:
        """Open the form of custom axes."""
        self._dialogs.open_axes_form(self)

    def action_columns_form(self) -> None:
        """Open the form of columns."""
        self._dialogs.open_columns_form(self)

    def action_choose_source(self) -> None:
        """Open the list of all embeddings."""
        self._dialogs.open_source_list(self)

    def action_about(self) -> None:
        """Open a page about the embedding."""
        self._dialogs.open_about_page(self)

    def action_compare(self) -> None:
        """Choose a step or a run to compare with, or end the comparison."""
        self._dialogs.open_comparison_list(self)

    def action_views(self) -> None:
        """Open the list of saved views."""
        from tbtui.plugins.projector.pane.dialogs import open_views

        if (scene := self.scene) is not None:
            open_views(self, scene)

    def action_write(self) -> None:
        """Open the form that writes points to a file."""
        from tbtui.plugins.projector.pane.dialogs import open_save_form

        if (scene := self.scene) is not None:
            open_save_form(self, scene)

    @property
    def _dialogs(self) -> ModuleType:
        """The module of dialogs, which is not needed at the start."""
        from tbtui.plugins.projector.pane import dialogs

        return dialogs

    # Colours and labels

    def action_colour(self) -> None:
        """Colour by the next column."""
        points = self.loader.points
        if points is None:
            return
        columns = colour_columns(points)
        if not columns:
            self.toast(strings.NO_COLUMNS if points.metadata.columns else strings.NO_METADATA)
            return
        self.change(session_transitions.cycle_column(self.session, columns))

    def action_density(self) -> None:
        """Draw dots, density, or either by the number of points."""
        self.change(session_transitions.cycle_density(self.session))
        texts = {"auto": "density where points are many", "on": "density", "off": "dots"}
        self.toast(texts[self.session.density])

    # Embeddings, steps, comparison

    def action_step(self, versions: int) -> None:
        """Show another step; after the last comes the first."""
        self.navigator.step(versions)

    def action_beside(self) -> None:
        """Show the compared embedding on a map of its own, or as lines on this one."""
        self.change(replace(self.session, is_beside=not self.session.is_beside))

    def action_switch_variables(self) -> None:
        """List also the variables of optimisers and of checkpoints that no configuration names."""
        self._with_variables = not self._with_variables
        self.toast(
            "all variables of checkpoints are listed (I)" if self._with_variables else "only embeddings are listed"
        )
        if self.view is not None:
            self.show(self.view)

    def action_copy_path(self) -> None:
        """Ask the app to copy the path of the run."""
        if self.loader.source is not None:
            self.post_message(CopyRequested(self.loader.source.run))

    def action_say_no_axis(self) -> None:
        """Explain the keys of axes: the key for the axis of charts has no effect here."""
        self.toast("X and Y choose the components of the axes")
