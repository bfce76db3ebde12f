"""The pane of the Images tab: a grid of thumbnails, and one picture in full size."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.loading.payloads import Payloads
from tbtui.plugins.images import changes
from tbtui.plugins.images.data import ImageData
from tbtui.plugins.images.drawing import Drawing
from tbtui.plugins.images.grid import BAR_FROM_HEIGHT, FocusMoved, ImageGrid, StepBarView
from tbtui.plugins.images.painter import ImagesPainter
from tbtui.plugins.images.pixel_pane import PixelPane
from tbtui.plugins.images.pixels import Pixels
from tbtui.plugins.images.step_bar import step_bar
from tbtui.plugins.images.steps import NoPictureError
from tbtui.plugins.images.view import FrameAsked, ImageView, PlayAsked
from tbtui.plugins.images.words import status
from tbtui.viewstate.changes import overview_switched
from tbtui.widgets.charts_pane import Charted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual import events
    from textual.app import ComposeResult
    from textual.theme import Theme
    from textual.timer import Timer

    from tbtui.charts.step_slider import StepBar
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.sample_cards import SampleCards
    from tbtui.viewstate.view import View

LEAST_SECONDS = 0.05
"""For which a frame is shown: more of them a second cost more than anybody sees over a slow line."""

LOOKED = frozenset({"zoom", "pan", "pan_y"})
"""Keys about what of an opened picture is seen."""


class ImagesPane(PixelPane):
    """One card a tag, run and sample."""

    VIEW = ImageView

    UNUSED = frozenset({"next_y_scale", "smooth", "next_own_y_scale", "next_x_scale", "link"})
    BINDING_GROUP_TITLE = "Images"

    DEFAULT_CSS = """
    ImagesPane { layout: vertical; }
    ImagesPane ImageGrid { height: 1fr; }
    ImagesPane.opened StepBarView { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left_square_bracket", "own_step(-1)", show=False, id="images.before", tooltip="step of this before"),
        Binding("right_square_bracket", "own_step(1)", show=False, id="images.after", tooltip="step of this after"),
        Binding("plus,equals_sign", "brightness(1)", show=False, id="images.brighter", tooltip="brighter"),
        Binding("minus", "brightness(-1)", show=False, id="images.darker", tooltip="darker"),
        Binding("right_parenthesis", "contrast(1)", show=False, id="images.more_contrast", tooltip="contrast more"),
        Binding("left_parenthesis", "contrast(-1)", show=False, id="images.less_contrast", tooltip="contrast less"),
        Binding("0", "as_stored", show=False, id="images.as_stored", tooltip="colours as stored"),
        Binding("A", "switch_overview", show=False, id="images.overview", tooltip="overview of all pictures"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        payloads = payloads or Payloads()
        super().__init__(payloads)
        self.grid = ImageGrid(self.background)
        self.opened: ImageView
        self._bar = StepBarView()
        self.data = ImageData(payloads)
        self.pixels = Pixels()
        self.drawing = Drawing()
        self._frame = 0
        self._playing: Timer | None = None

    def compose(self) -> ComposeResult:
        """The grid and its bar; over them the opened picture."""
        yield from super().compose()
        yield self._bar

    # What a dashboard has to say

    def charted(self, view: View) -> Charted[SampleCards]:
        """The cards of a view."""
        cards = self.data.cards(view)
        return Charted(view, cards, ImagesPainter(self.data, self.pixels, self.drawing, view, cards, self.seen_on))

    def is_overview(self, choices: Choices) -> bool:
        """Whether cards are small, so that many are seen at a glance."""
        return choices.overview

    def status(self) -> str:
        """Which steps are shown, and how pictures are drawn."""
        return "" if self.view is None else status(self.view.choices, self.way)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What means nothing for pictures is not offered."""
        if action in self.UNUSED or (action in LOOKED and self.opened.key is None):
            return False
        return super().check_action(action, parameters)

    @property
    def zoomed(self) -> bool:
        """Whether not all of the picture is seen, or not as large as there is room."""
        return self.view is not None and self.chart_key in self.view.choices.image_sights

    def present(self, prepared: Charted[SampleCards]) -> None:
        """Show other cards, or the same drawn otherwise; an animation stays at its frame."""
        painter = prepared.painter
        if self._frame and isinstance(painter, ImagesPainter):
            prepared = Charted(prepared.view, prepared.cards, painter.at_frame(self._frame))
        super().present(prepared)
        self._show_bar()

    def on_mount(self) -> None:
        """In another theme the terminal may have other colours."""
        self.app.theme_changed_signal.subscribe(self, self._look_again)

    def _look_again(self, _theme: Theme) -> None:
        if self.view is not None:
            self.show(self.view)

    # The bar of steps

    def _show_bar(self) -> None:
        shown, key, width = self.shown, self.grid.focused_key, self._bar.size.width
        if shown is None or key is None or key not in shown.cards.places or not width:
            self._bar.show("", None)
            return

        def bar() -> Iterator[StepBar | None]:
            try:
                choices = shown.view.choices
                stop = self.data.shown(shown.view, key, shown.cards.places[key])
                yield step_bar(stop, choices.x_axis, width, own=key in choices.image_steps)
            except NoPictureError:
                yield None

        self.background.ask("bar", bar, partial(self._bar.show, key), self.say_error)

    def on_focus_moved(self, message: FocusMoved) -> None:
        """The bar is of the focused card."""
        message.stop()
        self._show_bar()

    def on_step_bar_view_moved(self, message: StepBarView.Moved) -> None:
        """The wheel was turned over the bar."""
        message.stop()
        self.action_move_cursor(message.stops)

    def on_resize(self, event: events.Resize) -> None:
        """Low panes have no bar."""
        self._bar.display = event.size.height >= BAR_FROM_HEIGHT
        self.call_after_refresh(self._show_bar)

    # Animations

    def _open(self, key: str) -> None:
        if key != self.opened.key:
            self._stop()
            self._to_frame(0)
        super()._open(key)

    def close(self) -> None:
        """Back to the grid; nothing plays there."""
        self._stop()
        self._to_frame(0)
        super().close()

    def on_frame_asked(self, message: FrameAsked) -> None:
        """Show another frame, and stay there."""
        message.stop()
        self._stop()
        self._turn(message.frames)

    def on_play_asked(self, message: PlayAsked) -> None:
        """Play, or stop."""
        message.stop()
        if self._playing is not None:
            self._stop()
        else:
            self._wait()

    def _wait(self) -> None:
        image = self.opened.image
        if image is not None and image.frames > 1:
            self._playing = self.set_timer(max(image.seconds, LEAST_SECONDS), self._play)
        else:
            self._playing = None

    def _play(self) -> None:
        if self.screen.is_current:
            self._turn(1)
        self._wait()

    def on_hide(self) -> None:
        """Nothing plays in a tab that nobody sees."""
        self._stop()

    def _stop(self) -> None:
        if self._playing is not None:
            self._playing.stop()
            self._playing = None

    def _turn(self, frames: int) -> None:
        image = self.opened.image
        if image is not None:
            self._to_frame((self._frame + frames) % image.frames)

    def _to_frame(self, frame: int) -> None:
        if frame == self._frame:
            return
        self._frame = frame
        shown = self.shown
        if shown is not None and isinstance(shown.painter, ImagesPainter):
            self.shown = Charted(shown.view, shown.cards, shown.painter.at_frame(frame))
            if self.opened.key is not None:
                self.opened.show(self.shown.painter, self.opened.key, shown.view.choices)

    # Keys

    def action_own_step(self, stops: int) -> None:
        """Move the step of this card alone."""
        if (chart := self.aim()) is not None:
            self.change(partial(changes.own_step_moved, key=chart.key, stops=chart.stops, count=stops))

    def action_forget_cursor(self) -> None:
        """All cards show their newest step again."""
        self.change(changes.own_steps_forgotten)

    def action_brightness(self, steps: int) -> None:
        """All pictures brighter."""
        self.change(partial(changes.brighter, steps=steps))

    def action_contrast(self, steps: int) -> None:
        """All pictures with more contrast."""
        self.change(partial(changes.contrasted, steps=steps))

    def action_as_stored(self) -> None:
        """Brightness and contrast as pictures have them."""
        self.change(changes.as_stored)

    def action_switch_overview(self) -> None:
        """See many small cards at a glance, or fewer that are good to look at."""
        self.change(overview_switched)

    def action_zoom(self, factor: float) -> None:
        """Enlarge the opened picture; what charts shorten their axes by enlarges it."""
        self.opened.change_sight(changes.zoomed, factor=1 / factor)

    def action_pan(self, part: float) -> None:
        """Move about the opened picture."""
        self.opened.change_sight(changes.panned, across=part, down=0.0)

    def action_pan_y(self, part: float) -> None:
        """Likewise, up where positive."""
        self.opened.change_sight(changes.panned, across=0.0, down=-part)

    def action_fit(self) -> None:
        """Show all of the picture."""
        self._change_of_chart(changes.fitted)

    def action_fit_all(self) -> None:
        """Show all of every picture."""
        self.change(changes.all_fitted)
