"""The pane of the projector: it holds the session, applies keys, and shows what the loader reads and computes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote

from tbtui.charts.pieces import cut_pieces, pieces_width, spread_pieces
from tbtui.charts.text import safe
from tbtui.plugins.projector import session as transitions
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.layouts import default_choice, default_perplexity
from tbtui.plugins.projector.lists import named_points, point_list
from tbtui.plugins.projector.pane.keymap import KEYMAP, is_offered
from tbtui.plugins.projector.pane.loader import ProjectorLoader
from tbtui.plugins.projector.pane.map_view import points_in_box
from tbtui.plugins.projector.pane.parts import ProjectorParts
from tbtui.plugins.projector.points import find_point
from tbtui.plugins.projector.scene import Scene, colour_columns, default_colour
from tbtui.plugins.projector.session import LIST_KINDS, MapSession
from tbtui.plugins.projector.settings import EMBEDDING, PIXELS, POINT
from tbtui.terminal_images.half_blocks import colour_depth
from tbtui.widgets.pane import STATUS_SHARE, Choose, CopyRequested, Pane
from tbtui.widgets.pixel_output import PixelOutput
from tbtui.widgets.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.projector.layouts import LayoutChoice
    from tbtui.plugins.projector.pane.map_view import MapView
    from tbtui.plugins.projector.points import Points
    from tbtui.plugins.projector.session import MapSession as Session
    from tbtui.plugins.projector.sources import EmbeddingSource, SourceList
    from tbtui.view.view import View
    from tbtui.widgets.filter_bar import FilterBar
    from tbtui.widgets.pixel_output import TerminalAnswered
    from tbtui.widgets.row_list import RowList

_BETWEEN = "\n"
MAX_NEAR_PICTURES = 12


class ProjectorPane(Pane):
    """Controller of the pane: transitions are in `session`, reading and computing in `loader`, widgets in `parts`."""

    DEFAULT_CSS = """
    ProjectorPane { padding-left: 1; }
    ProjectorPane > * { position: absolute; }
    """

    UNUSED = frozenset({"next_x_axis", "next_y_scale", "smooth"})
    BINDING_GROUP_TITLE = "Projector"
    BINDINGS: ClassVar[list[BindingType]] = KEYMAP

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.layouts = Worker(lambda: self.post_message(self.Computed()))
        self.loader = ProjectorLoader(self.background, self.layouts, self)
        self.parts = ProjectorParts()
        self.output = PixelOutput(self, (self.parts.map.images,), self._show_again)
        self.session = MapSession()
        self._sessions: dict[tuple[str, str], Session] = {}
        self._with_variables = False
        self._is_new = True
        """The points are shown for the first time, so that defaults depend on them."""

        self._listed: object = None

    def compose(self) -> ComposeResult:
        """Yield all parts."""
        yield from self.parts.widgets()

    # The terminal

    def show(self, view: View) -> None:
        """Draw a view; pixels are drawn once the terminal has answered."""
        wants_pixels = PIXELS.value(view.settings)
        if wants_pixels and self.is_attached and not self.output.begin(view.settings.images):
            self.view = view
            return
        super().show(view)
        self.parts.map.draw_for(self.output.target if wants_pixels else None)

    def _show_again(self) -> None:
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
        self.post_message(Choose(PIXELS.next))
        is_known = self.view is not None and PIXELS.value(self.view.settings)
        if is_known and not self.output.target.in_pixels:
            self.tell("this terminal draws no pixels: dots are shown")

    # Life cycle

    async def idle(self) -> None:
        """Wait until everything that was requested is shown, also layouts."""
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
        self.loader.listed = prepared
        source = self._chosen_source(prepared)
        if source is None:
            self.loader.close()
            problems = "; ".join(f"{run}: {problem}" for run, problem in prepared.problems)
            headline, hint = strings.NO_EMBEDDING
            self.say("these embeddings cannot be read" if problems else headline, safe(problems) or hint)
            self.refresh_bindings()
            return
        at = self.loader.source
        version = len(source.embedding.versions) - 1
        if at is not None and at.key == source.key:
            was_last = self.loader.version == len(at.embedding.versions) - 1
            version = version if was_last else source.version_at(at.embedding.versions[self.loader.version].step)
        self._open(source, version)

    def _chosen_source(self, listed: SourceList) -> EmbeddingSource | None:
        """Return the shown embedding, else the one shown last, else the first that can be read."""
        present = None if self.loader.source is None else listed.find(self.loader.source.key)
        if present is not None:
            return present
        kept = "" if self.view is None else EMBEDDING.value(self.view.settings)
        run, _, name = kept.partition(_BETWEEN)
        readable = [source for source in listed.sources if not source.embedding.versions[-1].problem]
        return listed.find((run, name)) or next(iter(readable or listed.sources), None)

    def choose_source(self, source: EmbeddingSource) -> None:
        """Show another embedding."""
        kept = _BETWEEN.join(source.key)
        self.post_message(Choose(lambda settings: EMBEDDING.with_value(settings, kept)))
        self._open(source, len(source.embedding.versions) - 1)

    def reveal(self, tag: str) -> None:
        """Show the embedding of a tag of the sidebar."""
        listed = self.loader.listed
        for source in () if listed is None else listed.sources:
            if unquote(tag) in (source.embedding.name, source.embedding.title):
                self.choose_source(source)
                return

    def _open(self, source: EmbeddingSource, version: int) -> None:
        loader = self.loader
        before = loader.source
        if before is None or before.key != source.key:
            if before is not None:
                self._sessions[before.key] = self.session
            known = self._sessions.get(source.key)
            self._is_new = known is None
            self.session = known or MapSession()
        if (before, loader.version) == (source, version) and loader.points is not None:
            self._show_title()
            return
        choice = None if self._is_new else self.session.layout
        if before is None or before.key != source.key or loader.points is None:
            self.say(strings.READING)
            self.parts.title.show(strings.source_pieces(source, version, self._ink(source), self.size.width - 2))
        loader.open(source, version, partial(_layout_of, choice))

    def _ink(self, source: EmbeddingSource) -> int:
        return 0 if self.view is None else self.view.inks.get(source.run, 0)

    # Results of the loader

    def points_changed(self) -> None:
        """Show other points: defaults depend on them."""
        points = self.loader.points
        if points is None:
            return
        if self._is_new:
            choice = _layout_of(None, points)
            self.session = replace(MapSession(), layout=choice, colour=default_colour(points))
            self._is_new = not points.is_complete
            self._go_to_named(points)
        self.session = self.session.with_points(points.count)
        if not self.parts.has_side:
            self.parts.has_side = True
            self.place()
        self.loader.choice = self.session.layout
        if self.session.layout.is_iterative:
            self.loader.lay_out(self.session.layout)
        self.loader.load_sprite()
        self._ask()
        self.show_scene()
        self.refresh_bindings()

    def _go_to_named(self, points: Points) -> None:
        """Put the cursor on the point that the command line names."""
        name = "" if self.view is None or not points.is_complete else POINT.value(self.view.settings)
        if not name:
            return
        point = find_point(points, name)
        if point is None:
            self.tell(f"no point is {name}")
        else:
            self.session = replace(self.session, cursor=point, centre=point)

    def layout_changed(self) -> None:
        """Show another state of the layout."""
        was_running = self.loader.is_running
        self.show_scene()
        if not was_running:
            self.refresh_bindings()

    def results_changed(self) -> None:
        """Show what was computed beside the layout."""
        self.show_scene()

    def loading_failed(self, reason: str) -> None:
        """Show why the points cannot be read."""
        listed = self.loader.listed
        several = listed is not None and len(listed.sources) > 1
        self.say(strings.UNREADABLE, reason + (". s lists all embeddings" if several else ""))
        source = self.loader.source
        if source is not None:
            pieces = strings.source_pieces(source, self.loader.version, self._ink(source), self.size.width - 2)
            self.parts.title.show(pieces)
        self.refresh_bindings()

    def report_error(self, error: Exception) -> None:
        """Notify the user of an error."""
        self.notify(safe(f"{type(error).__name__}: {error}"), severity="error", markup=False)

    def say(self, headline: str, hint: str = "") -> None:
        """Show a message in the place of the map."""
        self.parts.say(headline, hint)
        self.place()

    # Showing

    @property
    def scene(self) -> Scene | None:
        """Everything that is shown; None while there are no points."""
        loader = self.loader
        if loader.source is None or loader.points is None or loader.state is None:
            return None
        if len(loader.state.positions) != loader.points.count:
            return None
        return Scene(
            loader.source,
            loader.version,
            loader.points,
            loader.state,
            self.session,
            self._ink(loader.source),
            loader.neighbours,
            loader.matches,
            loader.agreement,
            loader.comparison if self.session.baseline is not None else None,
        )

    def change(self, session: MapSession) -> None:
        """Apply another session and show it."""
        before, self.session = self.session, session
        if session == before:
            return
        if session.layout != before.layout:
            self.loader.lay_out(session.layout)
        if session.baseline is None:
            self.loader.comparison = None
        self._ask()
        self.show_scene()
        self.refresh_bindings()

    def _ask(self) -> None:
        """Request what the session shows and is not computed."""
        session, loader = self.session, self.loader
        point = session.centre if session.centre is not None else session.cursor
        if point is not None:
            loader.find_neighbours(point, session)
        loader.find_agreement(session.colour)

    def show_scene(self) -> None:
        """Draw everything."""
        scene = self.scene
        if scene is None:
            return
        self._show_title()
        self.parts.map.show(scene)
        self._show_side(scene)

    def _show_title(self) -> None:
        scene = self.scene
        width = self.parts.areas.title.width - 1
        if scene is None or width < 1:
            return
        listed = self.loader.listed
        count = 0 if listed is None else len(listed.sources)
        number = (
            next((i for i, each in enumerate(listed.sources, 1) if each.key == scene.source.key), 0) if listed else 0
        )
        position = f"{number:,} of {count:,}" if count > 1 and number else ""
        progress = strings.progress_pieces(scene.state, width, paused=self.loader.is_paused)
        if not self.parts.areas.legend.height:
            point = self.session.cursor
            self.parts.title.show(
                strings.compact_title(scene, width, progress, "" if point is None else scene.label(point))
            )
            return
        has_layout = not self.parts.areas.layout.height
        self.parts.title.show(strings.title(scene, width, position=position, has_layout=has_layout))
        if not has_layout:
            self.parts.layout.show(cut_pieces(progress or strings.layout_pieces(scene), width))
            progress = ()
        legend = strings.legend(scene, width - pieces_width(progress) - 2 if progress else width)
        self.parts.legend.show(spread_pieces(legend, progress, width) if progress else cut_pieces(legend, width))

    def _show_side(self, scene: Scene) -> None:
        parts, point = self.parts, self.session.cursor
        sprite = self.loader.sprite
        picture = None if sprite is None or point is None else sprite.picture(point)
        parts.details.show(scene, picture, self._near_pictures(scene), self._depth)
        listed = point_list(scene, parts.areas.rows.width)
        parts.show_heading(listed.heading, listed.summary, "T")
        identity = self.session.listed, self.session.centre, self.session.query
        if identity != self._listed and not parts.rows.has_focus:
            self._listed = identity
            parts.rows.restart()
        parts.rows.show_rows(listed.rows, listed.empty)

    def _near_pictures(self, scene: Scene) -> list[Any]:
        """Return the pictures of the points that are nearest to that under the cursor, as far as they show."""
        sprite, found = self.loader.sprite, scene.neighbours
        if sprite is None or found is None or found.point != self.session.cursor:
            return []
        pictures = (sprite.picture(point) for point in found.indices[:MAX_NEAR_PICTURES].tolist())
        return [picture for picture in pictures if picture is not None]

    @property
    def _depth(self) -> Any:
        """Colours of the terminal."""
        app = self.app
        return colour_depth(app.console.color_system, no_color=app.no_color, native=app.native_ansi_color)

    def status(self) -> str:
        """Return how many points are shown, selected and found."""
        scene = self.scene
        return "" if scene is None else strings.status(scene, int(self.app.size.width * STATUS_SHARE) - 1)

    def place(self) -> None:
        """Place the parts in the present size."""
        self.parts.place(self.content_size)
        self.show_scene()

    def on_resize(self) -> None:
        """Place the parts in the new size; the terminal may have another font."""
        self.place()
        self.output.decide()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's name
        """Return False for a key that would do nothing."""
        return is_offered(self, action)

    def tell(self, text: str) -> None:
        """Notify the user why a key did nothing, or of an effect that is not visible."""
        self.notify(safe(text), markup=False)

    # Messages of the parts

    def on_map_view_cursor_moved(self, event: MapView.CursorMoved) -> None:
        """Go to a point; a second click highlights its neighbours."""
        event.stop()
        self.change(replace(self.session, cursor=event.point))
        if event.again:
            self.action_neighbours()

    def on_map_view_camera_moved(self, event: MapView.CameraMoved) -> None:
        """See the map from elsewhere."""
        event.stop()
        self.session = replace(self.session, camera=event.camera)
        scene = self.scene
        if scene is not None:
            self.parts.map.show(scene)

    def on_map_view_box_drawn(self, event: MapView.BoxDrawn) -> None:
        """Select the points of a rectangle."""
        event.stop()
        self.change(replace(self.session, selected=self.session.selected | set(event.points)))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Go to the point of the row."""
        event.stop()
        self._go_to_row()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Go to the clicked point."""
        event.stop()
        self._go_to_row()

    def _go_to_row(self) -> None:
        key = self.parts.rows.cursor_key
        scene = self.scene
        if key is None or scene is None:
            return
        if key.isdecimal():
            session = self.session
            if session.listed == "neighbours" and session.centre is None:
                session = replace(session, centre=session.cursor)  # the list stays that of its point
            self.change(replace(session, cursor=int(key)))
            return
        own, _, other = key.partition(":")
        column = scene.colour_column
        if column is not None:  # the pair of labels: their points stand out
            chosen = (column.codes == int(own)) | (column.codes == int(other))
            self.change(replace(self.session, selected=frozenset(chosen.nonzero()[0].tolist()), centre=None))

    # Points

    def action_neighbours(self) -> None:
        """Highlight the neighbours of the point under the cursor, or end the rectangle."""
        session = self.session
        if session.corner is not None:
            self._end_rectangle()
        elif session.cursor is not None:
            centre = None if session.centre == session.cursor else session.cursor
            self.change(replace(session, centre=centre, listed="neighbours"))

    def action_select(self) -> None:
        """Select the point under the cursor, or no longer."""
        self.change(transitions.toggle_selected(self.session))

    def action_rectangle(self) -> None:
        """Begin a rectangle at the cursor, or select what is in it."""
        if self.session.corner is None:
            self.change(replace(self.session, corner=self.session.cursor))
        else:
            self._end_rectangle()

    def _end_rectangle(self) -> None:
        scene, picture = self.scene, self.parts.map.picture
        corner, cursor = self.session.corner, self.session.cursor
        if scene is None or picture is None or corner is None or cursor is None:
            return
        projection = picture.projection
        ends = [(float(projection.x[point]), float(projection.y[point])) for point in (corner, cursor)]
        found = points_in_box(picture, scene, ends[0], ends[1])
        self.change(replace(self.session, corner=None, selected=self.session.selected | set(found)))

    def action_isolate(self) -> None:
        """Show only the selected points, or the highlighted neighbours."""
        near = () if self.loader.neighbours is None else self.loader.neighbours.indices.tolist()
        isolated = transitions.isolate(self.session, near)
        if isolated is self.session:
            self.tell(strings.NOTHING_ISOLATED)
        self.change(isolated)

    def action_show_all(self) -> None:
        """Show all points again."""
        self.change(replace(self.session, isolated=None))

    def action_count(self, steps: int) -> None:
        """List more or fewer neighbours."""
        self.change(transitions.change_count(self.session, steps))

    def action_metric(self) -> None:
        """Measure by the other distance."""
        self.change(transitions.next_metric(self.session))

    def action_next_list(self) -> None:
        """Show the next list beside the map."""
        kinds = [kind for kind in LIST_KINDS if kind != "matches" or self.session.query]
        kinds = [kind for kind in kinds if kind != "moved" or self.session.baseline is not None]
        place = kinds.index(self.session.listed) if self.session.listed in kinds else -1
        self.change(replace(self.session, listed=kinds[(place + 1) % len(kinds)]))

    def action_copy_labels(self) -> None:
        """Copy the labels of the selected or highlighted points."""
        scene = self.scene
        if scene is None:
            return
        chosen = scene.highlighted or ([self.session.cursor] if self.session.cursor is not None else [])
        if not chosen:
            self.tell(strings.NOTHING_ISOLATED)
            return
        self.app.copy_to_clipboard(named_points(scene, chosen))
        self.tell(f"copied {len(chosen):,} labels" if len(chosen) > 1 else "copied the label")

    # Search

    def action_find(self) -> None:
        """Open the search bar."""
        self.parts.bar.display = True
        self.place()
        self.parts.bar.edit()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """Search while the pattern is typed."""
        event.stop()
        pattern = event.pattern
        self.session = transitions.with_query(self.session, pattern)
        self.loader.search(self.session, partial(self._searched, pattern))

    def _searched(self, pattern: str, error: str | None) -> None:
        bar = self.parts.bar
        if pattern != self.session.query:
            return
        if error is not None:
            bar.complain(error)
            return
        bar.accept()
        bar.show_applied(pattern, f"{len(self.loader.matches):,}" if pattern else "")
        if self.loader.matches:
            self.session = replace(self.session, cursor=self.loader.matches[0])
            self._ask()
        self.show_scene()
        self.refresh_bindings()

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Keep the pattern and give the keys to the map."""
        event.stop()
        self.parts.bar.display = bool(self.session.query)
        self.place()
        self.parts.map.focus(scroll_visible=False)

    def action_next_match(self, count: int) -> None:
        """Go to another match; after the last comes the first."""
        found = self.loader.matches
        if not found:
            return
        cursor = self.session.cursor
        place = found.index(cursor) if cursor in found else -1 if count > 0 else 0
        self.change(replace(self.session, cursor=found[(place + count) % len(found)]))
        self.parts.rows.go_to(str(self.session.cursor))

    def action_back(self) -> None:
        """Take the topmost layer away."""
        if not self.parts.map.has_focus and self.parts.map.display and not transitions.top_layer(self.session):
            self.parts.map.focus(scroll_visible=False)
            return
        had_query = bool(self.session.query)
        self.change(transitions.without_layer(self.session))
        if had_query and not self.session.query:
            self.loader.matches = ()
            self.parts.bar.show_applied("")
            self.parts.bar.display = False
            self.place()
        self.refresh_bindings()

    # Layouts

    def action_next_layout(self) -> None:
        """Show the next kind of layout."""
        points = self.loader.points
        if points is not None:
            self.change(transitions.next_kind(self.session, points.dimensions))

    def action_switch_3d(self) -> None:
        """Show three dimensions instead of two, or back."""
        self.change(transitions.switch_dimensions(self.session))

    def action_component(self, axis: int) -> None:
        """Show the next component along an axis."""
        points = self.loader.points
        if points is not None:
            count = points.dimensions
            if self.session.layout.kind == "pca":
                count = min(count, len(points.components.axes))
            self.change(transitions.next_component(self.session, axis, count))

    def action_pause(self) -> None:
        """Pause the layout, or go on with it."""
        self.loader.toggle_layout()
        self._show_title()

    def action_restart(self) -> None:
        """Lay the points out anew."""
        self.loader.restart_layout()
        self.refresh_bindings()

    def action_zoom(self, steps: int) -> None:
        """Zoom in or out."""
        self.parts.map.zoom(steps)

    def action_fit(self) -> None:
        """Show all points, not rotated."""
        self.change(replace(self.session, camera=transitions.first_camera(self.session.layout)))

    def action_layout_form(self) -> None:
        """Open the form of parameters."""
        from tbtui.plugins.projector.pane.dialogs import open_layout_form

        open_layout_form(self)

    def action_axes_form(self) -> None:
        """Open the form of custom axes."""
        from tbtui.plugins.projector.pane.dialogs import open_axes_form

        open_axes_form(self)

    # Colours and labels

    def action_colour(self) -> None:
        """Colour by the next column."""
        points = self.loader.points
        if points is None:
            return
        columns = colour_columns(points)
        if not columns:
            self.tell(strings.NO_COLUMNS if points.metadata.columns else strings.NO_METADATA)
            return
        self.change(transitions.next_column(self.session, columns))

    def action_columns_form(self) -> None:
        """Open the form of columns."""
        from tbtui.plugins.projector.pane.dialogs import open_columns_form

        open_columns_form(self)

    def action_density(self) -> None:
        """Draw dots, density, or what suits the number of points."""
        self.change(transitions.next_density(self.session))
        words = {"auto": "density where points are many", "on": "density", "off": "dots"}
        self.tell(words[self.session.density])

    # Embeddings, steps, comparison

    def action_step(self, versions: int) -> None:
        """Show another step; after the last comes the first."""
        source = self.loader.source
        if source is None:
            return
        count = len(source.embedding.versions)
        if count < 2:
            self.tell(strings.ONE_STEP)
            return
        self._open(source, (self.loader.version + versions) % count)

    def action_choose_source(self) -> None:
        """Open the list of all embeddings."""
        from tbtui.plugins.projector.pane.dialogs import open_source_list

        open_source_list(self)

    def action_compare(self) -> None:
        """Choose a step or a run to compare with, or end the comparison."""
        from tbtui.plugins.projector.pane.dialogs import open_comparison_list

        open_comparison_list(self)

    def action_beside(self) -> None:
        """Show the compared embedding on a map of its own, or as lines on this one."""
        self.change(replace(self.session, is_beside=not self.session.is_beside))

    def action_switch_variables(self) -> None:
        """List also the variables of optimisers and of checkpoints that no configuration names."""
        self._with_variables = not self._with_variables
        self.tell(
            "all variables of checkpoints are listed (s)" if self._with_variables else "only embeddings are listed"
        )
        if self.view is not None:
            self.show(self.view)

    def action_about(self) -> None:
        """Open a page about the embedding."""
        from tbtui.plugins.projector.pane.dialogs import open_about_page

        open_about_page(self)

    def action_views(self) -> None:
        """Open the list of saved views."""
        from tbtui.plugins.projector.pane.views import open_views

        scene = self.scene
        if scene is not None:
            open_views(self, scene)

    def action_write(self) -> None:
        """Open the form that writes points to a file."""
        from tbtui.plugins.projector.pane.writing import open_write_form

        scene = self.scene
        if scene is not None:
            open_write_form(self, scene)

    def action_copy_path(self) -> None:
        """Ask the app to copy the path of the run."""
        if self.loader.source is not None:
            self.post_message(CopyRequested(self.loader.source.run))

    def action_say_no_axis(self) -> None:
        """Say that the key for the axis of charts has no effect here."""
        self.tell("X and Y choose the components of the axes")


def _layout_of(choice: LayoutChoice | None, points: Points) -> LayoutChoice:
    """Return the layout of points: the chosen one, else components, with the usual perplexity of their number."""
    if choice is not None:
        return choice
    return replace(default_choice(points), perplexity=default_perplexity(points.count))
