"""The pane of the Images tab: a grid of thumbnails, and one picture in full size."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.card import SEPARATOR
from tbtui.charts.text import safe
from tbtui.loading.payloads import Payloads
from tbtui.plugins.images import transitions
from tbtui.plugins.images.painter import ImagesPainter
from tbtui.plugins.images.pane.animation import AnimationPlayer
from tbtui.plugins.images.pane.view import FrameRequested, ImageView, PlayRequested
from tbtui.plugins.images.pixels import PixelCache
from tbtui.plugins.images.read import ImageData
from tbtui.plugins.images.settings import DISPLAY_SETTINGS, SETTINGS, VALUES, VIEWPORTS
from tbtui.plugins.images.table import format_status
from tbtui.plugins.sample_cards import SampleCards
from tbtui.plugins.shown_steps import NoValueError
from tbtui.plugins.step_cards import step_bar
from tbtui.settings.chart_navigation import move_step
from tbtui.view.changes import toggle_overview
from tbtui.view.image_renderer import ImageRenderer
from tbtui.widgets.charts_pane import ChartsPane, PreparedView
from tbtui.widgets.film_player import FilmPlayer
from tbtui.widgets.image_grid import FocusMoved, ImageGrid, StepBarView
from tbtui.widgets.pane import create_setting_bindings
from tbtui.widgets.pixel_output import PixelOutput, TerminalAnswered
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from tbtui.charts.step_slider import StepSlider
    from tbtui.plugins.sample_cards import CardSample
    from tbtui.settings.settings import Settings
    from tbtui.terminal_images.capabilities import ImageProtocol
    from tbtui.view.view import View
    from tbtui.widgets.file_saver import SavedFiles

STEP_SECONDS = 0.4
"""Time of a step that plays: each picture is read, decoded and sent again."""

VIEWPORT_ACTIONS = frozenset({"zoom", "pan", "pan_y"})
"""Actions that move the viewport of an opened picture; without one they do nothing."""


class ImagesPane(ChartsPane[SampleCards]):
    """Show one card for each tag, run and sample.

    The pane turns keys and messages into transitions. Its parts do the work: `data` reads, `pixels` decodes,
    `renderer` draws, `output` talks to the terminal and `player` advances animations.

    Args:
        payloads: Reader of values; shared by all panes of an app.
    """

    MOVED = staticmethod(move_step)
    SETTINGS = DISPLAY_SETTINGS
    VIEW = ImageView

    UNUSED = frozenset({"next_y_scale", "smooth", "next_own_y_scale", "next_x_scale", "link"})
    RUN_TABLE = False
    WITHOUT_CURSOR = staticmethod(transitions.CARD_STEPS.forget_all)
    BINDING_GROUP_TITLE = "Images"
    GROUPED = "images"

    DEFAULT_CSS = """
    ImagesPane { layout: vertical; }
    ImagesPane ImageGrid { height: 1fr; }
    ImagesPane.opened StepBarView { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "options", "options", id="images.options", tooltip="options of all images"),
        Binding("i", "about", "about", id="images.about", tooltip="about this image"),
        Binding("w", "write", "write", show=False, id="images.write", tooltip="write its bytes to a file"),
        Binding("P", "play_steps", show=False, id="images.play", tooltip="play the steps"),
        Binding("m", "next_images", show=False, id="images.way", tooltip="drawn as"),
        Binding("left_square_bracket", "own_step(-1)", show=False, id="images.before", tooltip="previous step"),
        Binding("right_square_bracket", "own_step(1)", show=False, id="images.after", tooltip="next step"),
        Binding("plus,equals_sign", "brightness(1)", show=False, id="images.brighter", tooltip="brighter"),
        Binding("minus", "brightness(-1)", show=False, id="images.darker", tooltip="darker"),
        Binding("right_parenthesis", "contrast(1)", show=False, id="images.more_contrast", tooltip="contrast more"),
        Binding("left_parenthesis", "contrast(-1)", show=False, id="images.less_contrast", tooltip="contrast less"),
        Binding("backspace", "take_back", show=False, id="images.back", tooltip="newest step, then colours as stored"),
        *create_setting_bindings((VALUES,), show=False),
        Binding("A", "switch_overview", show=False, id="images.overview", tooltip="overview of images"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        payloads = payloads or Payloads()
        super().__init__(payloads)
        self.grid = ImageGrid(self.worker)
        self.opened: ImageView
        self.data = ImageData(payloads)
        self.pixels = PixelCache()
        self.renderer = ImageRenderer()
        self.output = PixelOutput(self, (self.grid.images, self.opened.images), self._take_protocol)
        self.player = AnimationPlayer(
            lambda: self.opened.image, partial(start_timer, self), lambda: self.screen.is_current, self._show_frame
        )
        self.film = FilmPlayer(
            partial(start_timer, self),
            lambda: self.screen.is_current,
            self._show_next_step,
            STEP_SECONDS,
            self.refresh_bindings,
        )
        self._bar = StepBarView()

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self._bar

    # What the base class asks for

    def prepare_cards(self, view: View) -> PreparedView[SampleCards]:
        cards = self.data.cards(view)
        painter = ImagesPainter(self.data, self.pixels, self.renderer, view, cards, self.output.target)
        return PreparedView(view, cards, painter)

    def is_overview(self, settings: Settings) -> bool:
        return settings.overview

    def status(self) -> str:
        if self.view is None:
            return ""
        playing = f"{SEPARATOR}playing (P stops)" if self.film.is_playing else ""
        return format_status(self.view.settings, self.protocol) + playing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in self.UNUSED or (action in VIEWPORT_ACTIONS and self.opened.key is None):
            return False
        return super().check_action(action, parameters)

    @property
    def zoomed(self) -> bool:
        return self.view is not None and self.chart_key in VIEWPORTS.value(self.view.settings)

    def show(self, view: View) -> None:
        if self.is_attached and not self.output.begin(view.settings.images):
            self.view = view  # it is drawn once the terminal has answered
            return
        super().show(view)

    def present(self, prepared: PreparedView[SampleCards]) -> None:
        frame, painter = self.player.state.frame, prepared.painter
        if frame and isinstance(painter, ImagesPainter):
            prepared = PreparedView(prepared.view, prepared.cards, painter.with_frame(frame))
        super().present(prepared)
        self._show_bar()

    # The terminal

    @property
    def protocol(self) -> ImageProtocol:
        """The protocol that draws pictures."""
        return self.output.protocol

    def _take_protocol(self) -> None:
        self._show_again()
        self.refresh_bindings()

    def _show_again(self) -> None:
        if self.view is not None:
            self.show(self.view)

    def on_mount(self) -> None:
        """Draw again when the terminal shows the images otherwise."""
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
            return step_bar(stop, settings.x_axis, width, has_own_step=transitions.CARD_STEPS.has(settings, key))

        self._bar.request(self.worker, key, draw, self.show_error)

    def on_focus_moved(self, message: FocusMoved) -> None:
        """Show the steps of the focused card."""
        message.stop()
        self._show_bar()

    def on_step_bar_view_moved(self, message: StepBarView.Moved) -> None:
        """Move the cursor as the wheel over the bar asks."""
        message.stop()
        self.action_move_cursor(message.stops)

    # Animations

    def _open(self, key: str) -> None:
        if key != self.opened.key:
            self.player.rewind()
        super()._open(key)

    def close(self) -> None:
        self.player.rewind()
        super().close()

    def on_frame_requested(self, message: FrameRequested) -> None:
        """Show another frame, and stop there."""
        message.stop()
        self.player.stop()
        self.player.turn(message.frames)

    def on_play_requested(self, message: PlayRequested) -> None:
        """Play, or stop."""
        message.stop()
        self.player.toggle()

    def on_hide(self) -> None:
        """Stop: the tab is hidden."""
        self.player.stop()
        self.film.stop()

    def action_play_steps(self) -> None:
        """Play the steps of the card like a film, or stop."""
        self.aim().when_drawn(self._switch_film)

    def _switch_film(self) -> None:
        was_playing = self.film.is_playing
        self.film.toggle()
        if self.film.is_playing == was_playing:
            self.notify("there is one step only: nothing to play", markup=False)

    def _show_next_step(self) -> bool:
        chart = self.aim().plotted
        if chart is None or len(chart.stops) < 2:
            return False
        self.change(partial(transitions.CARD_STEPS.show_next, key=chart.key, stops=chart.stops))
        return True

    def _show_frame(self, frame: int) -> None:
        shown = self.shown
        if shown is not None and isinstance(shown.painter, ImagesPainter):
            self.shown = PreparedView(shown.view, shown.cards, shown.painter.with_frame(frame))
            if self.opened.key is not None:
                self.opened.show(self.shown.painter, self.opened.key, shown.view.settings)

    # Keys that open something over the tab

    def _get_chosen_card(self) -> tuple[View, str, CardSample, str] | None:
        """Return the view, the key, the sample and the title of the opened or focused card; None without one.

        The title names the run, which the card itself says elsewhere.
        """
        shown, key = self.shown, self.chart_key
        if shown is None or key is None or key not in shown.cards.samples:
            return None
        sample = shown.cards.samples[key]
        return shown.view, key, sample, f"{shown.cards.title_of(key)} of {sample.run}"

    def action_options(self) -> None:
        """Set the options of all pictures."""
        from tbtui.plugins.images.pane.forms import build_options_fields

        if self.shown is not None:
            self.open_options_form("images", build_options_fields(self.shown.view.settings), SETTINGS)

    def action_about(self) -> None:
        """Show the details of a picture that the picture itself does not show."""
        from tbtui.plugins.images.pane.forms import format_about_lines

        if (card := self._get_chosen_card()) is not None:
            view, key, sample, title = card
            protocol = self.protocol
            self.open_page(
                f"about {title}", lambda: format_about_lines(self.data, self.pixels, protocol, view, key, sample)
            )

    def action_write(self) -> None:
        """Write the encoded bytes of the shown picture to a file."""
        from tbtui.plugins.images.pane.forms import create_image_saver, write_fields

        if (card := self._get_chosen_card()) is None:
            return
        view, key, sample, title = card
        saver = create_image_saver(self.data.reader, view, key, sample)

        def notify_written(saved: SavedFiles) -> None:
            self.notify(safe(saved.text("images")), title="written", markup=False)

        self.open_form(f"write {title}", write_fields(sample), saver, notify_written, slow=True, cancel=saver.stop)

    # Keys that change settings

    def action_next_images(self) -> None:
        """Select the next image protocol."""
        self.change(transitions.cycle_protocol)

    def action_own_step(self, stops: int) -> None:
        """Move the step of this card alone."""
        self.with_plot(
            lambda chart: self.change(
                partial(transitions.CARD_STEPS.move, key=chart.key, stops=chart.stops, count=stops)
            )
        )

    def action_brightness(self, steps: int) -> None:
        """Change the brightness of all pictures."""
        self.change(partial(transitions.change_brightness, steps=steps))

    def action_contrast(self, steps: int) -> None:
        """Change the contrast of all pictures."""
        self.change(partial(transitions.change_contrast, steps=steps))

    def action_take_back(self) -> None:
        """Show the newest steps again; if they are shown, the colours as they are stored."""
        self.change(transitions.take_back)

    def action_switch_overview(self) -> None:
        """Switch between many small cards and few large ones."""
        self.change(toggle_overview)

    def action_zoom(self, factor: float) -> None:
        """Enlarge the opened picture: the factor that shortens the axis of a chart enlarges a picture."""
        self.opened.change_viewport(transitions.zoom, factor=1 / factor)

    def action_pan(self, part: float) -> None:
        self.opened.change_viewport(transitions.pan, across=part, down=0.0)

    def action_pan_y(self, part: float) -> None:
        """Move the viewport of the opened picture; up where `part` is positive."""
        self.opened.change_viewport(transitions.pan, across=0.0, down=-part)

    def action_fit(self) -> None:
        self._change_of_chart(transitions.fit)

    def action_fit_all(self) -> None:
        self.change(transitions.fit_all)
