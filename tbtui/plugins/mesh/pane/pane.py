"""The pane of the Mesh tab: a grid of thumbnails, and one mesh in full size."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual.binding import Binding, BindingType

from tbtui.charts.mesh_camera import MeshCamera
from tbtui.charts.text import safe
from tbtui.loading.payloads import Payloads
from tbtui.plugins.mesh.cards import CARD_STEPS, SHIFT_SHARE, Cameras, MeshCards, cycle_side
from tbtui.plugins.mesh.data import MeshData
from tbtui.plugins.mesh.labels import format_status
from tbtui.plugins.mesh.painter import MeshPainter
from tbtui.plugins.mesh.pane.view import (
    CameraForgotten,
    CameraMoved,
    MeshView,
    PlayRequested,
    SideRequested,
    reset,
)
from tbtui.plugins.mesh.settings import COLOURS, DISPLAY_SETTINGS, MODE, SETTINGS, SHARED
from tbtui.plugins.shown_steps import NoValueError
from tbtui.plugins.step_cards import step_bar
from tbtui.settings.chart_navigation import move_step
from tbtui.view.changes import toggle_overview
from tbtui.view.image_renderer import ImageRenderer
from tbtui.view.tag_tree import cut_group, get_group
from tbtui.widgets.charts_pane import ChartsPane, PreparedView
from tbtui.widgets.film_player import FilmPlayer
from tbtui.widgets.image_grid import FocusMoved, ImageGrid, StepBarView
from tbtui.widgets.pane import Outline, OutlineRow, create_setting_bindings
from tbtui.widgets.pixel_output import PixelOutput, TerminalAnswered
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.app import ComposeResult
    from textual.timer import Timer

    from tbtui.charts.step_slider import StepSlider
    from tbtui.plugins.mesh.cards import MeshSample
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View
    from tbtui.widgets.file_saver import SavedFiles

REST_SECONDS = 0.1
"""Time after the last key at which the mesh is drawn with all its faces and colours."""

STEP_SECONDS = 0.25
"""Time of a step that plays."""

TURN_SECONDS = 0.1
TURN_DEGREES = 4.0
"""A whole turn takes 9 seconds, at 200 kB/s in truecolor at most."""

CAMERA_ACTIONS = frozenset({"zoom", "pan", "pan_y", "fit"})
"""Actions that move the camera of an opened mesh; without one they do nothing."""


class MeshPane(ChartsPane[MeshCards]):
    """Show one card for each mesh, run and sample.

    The pane turns keys and messages into other cameras and settings. Its members work: `data` reads and prepares,
    `renderer` encodes pixels, `output` talks to the terminal, `film` plays the steps and `turn` turns the mesh.

    Args:
        payloads: Reader of values; shared by all panes of an app.
    """

    MOVED = staticmethod(move_step)
    SETTINGS = SETTINGS
    VIEW = MeshView

    UNUSED = frozenset({"next_y_scale", "smooth", "next_own_y_scale", "next_x_scale", "link"})
    RUN_TABLE = False
    WITHOUT_CURSOR = staticmethod(CARD_STEPS.forget_all)
    BINDING_GROUP_TITLE = "Meshes"

    DEFAULT_CSS = """
    MeshPane { layout: vertical; }
    MeshPane ImageGrid { height: 1fr; }
    MeshPane.opened StepBarView { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "options", "options", id="mesh.options", tooltip="options of all meshes"),
        Binding("i", "about", "figures", id="mesh.about", tooltip="about this mesh"),
        Binding("w", "write", "write", show=False, id="mesh.write", tooltip="write it as PLY, OBJ or NPZ"),
        Binding("left_square_bracket", "own_step(-1)", show=False, id="mesh.before", tooltip="mesh previous step"),
        Binding("right_square_bracket", "own_step(1)", show=False, id="mesh.after", tooltip="mesh next step"),
        *create_setting_bindings((MODE, COLOURS, SHARED), show=False),
        Binding("A", "switch_overview", show=False, id="mesh.overview", tooltip="overview of all meshes"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        payloads = payloads or Payloads()
        super().__init__(payloads)
        self.grid = ImageGrid(self.worker)
        self.opened: MeshView
        self.data = MeshData(payloads)
        self.renderer = ImageRenderer()
        self.output = PixelOutput(self, (self.grid.images, self.opened.images), self._show_again)
        self.cameras = Cameras()
        self.film = self._create_player(self._show_next_step, STEP_SECONDS)
        self.turn = self._create_player(self._turn_mesh, TURN_SECONDS)
        self._rest: Timer | None = None
        self._bar = StepBarView()

    def _create_player(self, show_next: Callable[[], bool], seconds: float) -> FilmPlayer:
        return FilmPlayer(partial(start_timer, self), lambda: self.screen.is_current, show_next, seconds)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self._bar

    # Supplied to the base class

    def prepare_cards(self, view: View) -> PreparedView[MeshCards]:
        cards = self.data.cards(view)
        painter = MeshPainter(self.data, self.renderer, view, cards, self.output.target, self.cameras)
        return PreparedView(view, cards, painter)

    def words_without_cards(self, prepared: PreparedView[MeshCards]) -> tuple[str, str]:
        pattern = prepared.view.settings.tag_filter
        if prepared.cards.passing:
            return super().words_without_cards(prepared)  # all groups are folded
        if pattern and prepared.cards.names:
            return f"no mesh matches “{safe(pattern)}”", "press escape to clear the filter"
        return "no meshes in the visible runs", "press tab, then space on another run, to show it"

    def is_overview(self, settings: Settings) -> bool:
        return settings.overview

    def status(self) -> str:
        return "" if self.view is None else format_status(self.view.settings, self.output.target)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in CAMERA_ACTIONS:
            return self.opened.key is not None
        return super().check_action(action, parameters)

    def show(self, view: View) -> None:
        camera = None if self.opened.key is None else self._get_camera(self.opened.key)
        self.cameras = self.cameras.with_sharing(is_shared=SHARED.value(view.settings), camera=camera)
        if self.is_attached and not self.output.begin(view.settings.images):
            self.view = view  # it is drawn once the terminal has answered
            return
        super().show(view)

    def present(self, prepared: PreparedView[MeshCards]) -> None:
        painter = prepared.painter
        if isinstance(painter, MeshPainter):  # keys may have moved the camera meanwhile
            painter = painter.with_cameras(self.cameras, is_moving=self._rest is not None)
            prepared = PreparedView(prepared.view, prepared.cards, painter)
        super().present(prepared)
        self._show_bar()
        self.show_outline(build_outline(prepared.cards))

    def fold_group(self, key: str) -> None:
        """Fold or unfold a group of the sidebar; under a filter all groups are unfolded."""
        group = key.removeprefix(_GROUP)
        if self.view is not None and not self.view.settings.tag_filter:
            self.change(lambda settings: replace(settings, hidden_groups=settings.hidden_groups ^ {group}))

    # The terminal

    def _show_again(self) -> None:
        if self.view is not None:
            self.show(self.view)
            self.refresh_bindings()

    def on_mount(self) -> None:
        """Draw again if the image protocol changes."""
        self.output.follow_app()

    def on_terminal_answered(self, message: TerminalAnswered) -> None:
        """Decide by the answers."""
        message.stop()
        self.output.decide()

    def on_resize(self, event: events.Resize) -> None:
        """Hide the bar of a low pane; the terminal may have another font."""
        self._bar.fit_to(event.size.height)
        self.call_after_refresh(self._show_bar)
        self.output.decide()

    # The bar of steps

    def _show_bar(self) -> None:
        shown, key = self.shown, self.grid.focused_key
        if shown is None or key is None or key not in shown.cards.samples:
            self._bar.show("", None)
            return

        def draw(width: int) -> StepSlider | None:
            settings = shown.view.settings
            try:
                stop = self.data.find_shown_step(shown.view, key, shown.cards.samples[key])
            except NoValueError:
                return None
            return step_bar(stop, settings.x_axis, width, has_own_step=CARD_STEPS.has(settings, key))

        self._bar.request(self.worker, key, draw, self.show_error)

    def on_focus_moved(self, message: FocusMoved) -> None:
        """Show the steps of the focused card."""
        message.stop()
        self._show_bar()

    def on_step_bar_view_moved(self, message: StepBarView.Moved) -> None:
        """Move the cursor as the wheel over the bar asks."""
        message.stop()
        self.action_move_cursor(message.stops)

    # The camera

    def _get_camera(self, key: str) -> MeshCamera:
        """Return the camera of the opened card: the moved one, else that of the log, else the slanted one."""
        mesh = self.opened.mesh
        logged = mesh.logged if mesh is not None and mesh.key == key else None
        return self.cameras.of(key) or logged or MeshCamera()

    def _move(self, change: Callable[[MeshCamera], MeshCamera | None]) -> None:
        """Show the opened mesh with another camera: a coarse copy at once, and all of it after the last key."""
        key = self.opened.key
        if key is None:
            return
        self.cameras = self.cameras.with_camera(key, change(self._get_camera(key)))
        if self._rest is not None:
            self._rest.stop()
        self._rest = start_timer(self, REST_SECONDS, self._take_rest)
        self._show_cameras(is_moving=True)

    def _take_rest(self) -> None:
        self._rest = None
        self._show_cameras(is_moving=False)

    def _show_cameras(self, *, is_moving: bool) -> None:
        shown, key = self.shown, self.opened.key
        if shown is None or not isinstance(shown.painter, MeshPainter):
            return
        painter = shown.painter.with_cameras(self.cameras, is_moving=is_moving)
        self.shown = PreparedView(shown.view, shown.cards, painter)
        if key is not None:
            self.opened.show(painter, key, shown.view.settings)

    def on_camera_moved(self, message: CameraMoved) -> None:
        """Move the camera."""
        message.stop()
        self._move(message.change)

    def on_side_requested(self, message: SideRequested) -> None:
        """Show the next side."""
        message.stop()
        logged = None if self.opened.mesh is None else self.opened.mesh.logged
        self._move(lambda camera: cycle_side(camera, logged))

    def on_camera_forgotten(self, message: CameraForgotten) -> None:
        """Show the mesh from its initial camera."""
        message.stop()
        self._move(lambda _camera: None)

    def action_zoom(self, factor: float) -> None:
        """Enlarge the opened mesh: the factor that shortens the axis of a chart enlarges a mesh."""
        self._move(lambda camera: camera.magnify(1 / factor**0.5))

    def action_pan(self, part: float) -> None:
        """Move the opened mesh in the direction of the key."""
        self._move(lambda camera: camera.shift(SHIFT_SHARE if part > 0 else -SHIFT_SHARE, 0.0))

    def action_pan_y(self, part: float) -> None:
        """Move the opened mesh in the direction of the key."""
        self._move(lambda camera: camera.shift(0.0, SHIFT_SHARE if part > 0 else -SHIFT_SHARE))

    def action_fit(self) -> None:
        """Show all of the mesh, from the same side."""
        self._move(reset)

    def action_fit_all(self) -> None:
        """Show all meshes from their initial cameras."""
        self.cameras = Cameras(is_shared=self.cameras.is_shared)
        self._show_again()

    # Playing

    def on_play_requested(self, message: PlayRequested) -> None:
        """Play the steps if there are several; then turn the mesh; then stop."""
        message.stop()
        if self.film.is_playing:
            self.film.stop()
            self.turn.toggle()
        elif self.turn.is_playing:
            self.turn.stop()
        else:
            self.opened.when_drawn(self._play)

    def _play(self) -> None:
        self.film.toggle()
        if not self.film.is_playing:  # there is one step only
            self.turn.toggle()

    def _stop_players(self) -> None:
        self.film.stop()
        self.turn.stop()

    def _turn_mesh(self) -> bool:
        self._move(lambda camera: camera.turn(-TURN_DEGREES, 0.0))
        return True

    def _show_next_step(self) -> bool:
        """Move the cursor to the next step, after the last to the first; return False if there is one step only."""
        chart, view = self.opened.plotted, self.view
        if chart is None or view is None or len(chart.stops) < 2:
            return False
        cursor = chart.stops[-1] if view.settings.cursor is None else view.settings.cursor
        following = int(np.searchsorted(chart.stops, cursor, "right")) % len(chart.stops)
        stop = float(chart.stops[following])
        self.change(lambda settings: replace(settings, cursor=stop))
        return True

    def _open(self, key: str) -> None:
        if key != self.opened.key:
            self._stop_players()
        super()._open(key)

    def close(self) -> None:
        self._stop_players()
        super().close()
        self._show_again()  # the card has the camera of the mesh that was opened

    def on_hide(self) -> None:
        """Stop: the tab is hidden."""
        self._stop_players()

    # Keys that open something over the tab

    def _get_chosen_card(self) -> tuple[View, str, MeshSample, str] | None:
        """Return the view, the key, the sample and the title of the opened or focused card; None without one."""
        shown, key = self.shown, self.chart_key
        if shown is None or key is None or key not in shown.cards.samples:
            return None
        sample = shown.cards.samples[key]
        return shown.view, key, sample, shown.cards.name_of(key)

    def action_options(self) -> None:
        """Set the options of all meshes."""
        from tbtui.plugins.mesh.pane.forms import build_options_fields

        if self.shown is not None:
            self.open_options_form("meshes", build_options_fields(self.shown.view.settings), DISPLAY_SETTINGS)

    def action_about(self) -> None:
        """Show the figures of a mesh."""
        from tbtui.plugins.mesh.pane.forms import format_about_lines

        if (card := self._get_chosen_card()) is not None:
            view, key, sample, title = card
            self.open_page(f"about {title}", lambda: format_about_lines(self.data, view, key, sample))

    def action_write(self) -> None:
        """Write the shown mesh to a file."""
        from tbtui.plugins.mesh.pane.forms import create_mesh_saver, write_fields

        if (card := self._get_chosen_card()) is None:
            return
        view, key, sample, title = card
        saver = create_mesh_saver(self.payloads or Payloads(), view, key, sample)

        def notify_written(saved: SavedFiles) -> None:
            self.notify(safe(saved.text("meshes")), title="written", markup=False)

        self.open_form(f"write {title}", write_fields(sample), saver, notify_written, slow=True, cancel=saver.stop)

    # Keys that change settings

    def action_own_step(self, stops: int) -> None:
        """Move the step of this card alone."""
        self.with_plot(
            lambda chart: self.change(partial(CARD_STEPS.move, key=chart.key, stops=chart.stops, count=stops))
        )

    def action_switch_overview(self) -> None:
        """Switch between many small cards and few large ones."""
        self.change(toggle_overview)


_GROUP = "group\0"


def build_outline(cards: MeshCards) -> Outline:
    """Return the meshes for the sidebar: those without a group first, then group by group."""
    groups: dict[str, list[str]] = {}
    for name in cards.passing:
        groups.setdefault(get_group(name) if "/" in name else "", []).append(name)
    rows = [OutlineRow(cards.key_of_name(name), name) for name in groups.pop("", ())]
    for group, names in groups.items():
        is_folded = group in cards.folded
        rows.append(OutlineRow(f"{_GROUP}{group}", group, True, len(names), is_folded))
        if not is_folded:
            rows += [OutlineRow(cards.key_of_name(name), cut_group(name)) for name in names]
    return Outline(tuple(rows), cards.names, cards.passing, "meshes")
