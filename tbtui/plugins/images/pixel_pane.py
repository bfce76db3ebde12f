"""What of the Images tab deals with the terminal: in which way it shows pictures, and when it is sent them anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.color import ColorSystem
from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.plugins.images import changes
from tbtui.plugins.images.drawing import HALF_BLOCKS
from tbtui.plugins.images.form_keys import ImageForms
from tbtui.plugins.images.painter import Screen
from tbtui.widgets.lean_screen import LeanScreen
from tbtui.widgets.listening_driver import ListeningDriver
from tbtui.widgets.picture_way import PictureWay
from tbtui.widgets.pixel_layer import InsetSight, PixelLayer, layer_of

if TYPE_CHECKING:
    from textual import events
    from textual.app import App

    from tbtui.graphics.capabilities import Way
    from tbtui.graphics.insets import Colour
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.images.grid import ImageGrid
    from tbtui.plugins.images.view import ImageView
    from tbtui.viewstate.view import View


class PixelPane(ImageForms):
    """A pane of pictures, whose subclass has the widgets that show them."""

    grid: ImageGrid
    opened: ImageView

    BINDING_GROUP_TITLE = "Images"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "next_images", show=False, id="images.way", tooltip="drawn as"),
    ]

    class Answered(Message):
        """The terminal has said something."""

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._picture_way = PictureWay(self, self._take_way, lambda: self.post_message(self.Answered()))
        self._layer: PixelLayer | None = None
        self.seen_on = Screen()
        """What the painters of the present view draw for."""

    @property
    def way(self) -> Way:
        """In which way pictures are shown."""
        return self._picture_way.way or HALF_BLOCKS

    def show(self, view: View) -> None:
        """Draw `view` in the way that the terminal allows, as soon as that is known."""
        before = self._picture_way.way
        if self.is_attached:
            self._picture_way.want(view.choices.images)
            if self._picture_way.way is None:
                self.view = view
                return
            if self._picture_way.way != before:
                self._change_layer(self.way)
            self.seen_on = Screen(self._picture_way.depth, self.app.current_theme.dark, self.way, self._ground)
        super().show(view)

    @property
    def _ground(self) -> Colour | None:
        """What is behind pictures, as the terminal shows it."""
        if self.app.native_ansi_color or self._picture_way.depth not in ("true", "256"):
            return None
        colour = self.grid.background_colors[1].rich_color
        shown = colour.downgrade(ColorSystem.EIGHT_BIT) if self._picture_way.depth == "256" else colour
        return shown.get_truecolor()

    def _take_way(self) -> None:
        """Answers have come that change something."""
        self._change_layer(self.way)
        if self.view is not None:
            self.show(self.view)
        self.refresh_bindings()

    def on_pixel_pane_answered(self, message: Answered) -> None:
        """Look whether they decide."""
        message.stop()
        self._picture_way.decide()

    def on_resize(self, _event: events.Resize) -> None:
        """The terminal may have another font."""
        self._picture_way.decide()

    # What the terminal is sent

    def _change_layer(self, way: Way) -> None:
        if self._layer is not None:
            self._write(self._layer.forget())
        screen, driver = self.screen, self.app._driver  # noqa: SLF001 - there is no other way to the terminal
        if not isinstance(screen, LeanScreen):
            return
        layer = self._layer = layer_of(way, InsetSight(screen, self.grid, self.opened), self._write)
        screen.overlay = layer if layer.lies_over else None
        for widget in (self.grid, self.opened):
            widget.pixel_layer = layer
            widget.refresh()  # which takes away what lay over it
        if isinstance(driver, ListeningDriver):
            driver.farewell = layer.forget

    def _write(self, sequence: str) -> None:
        driver = self.app._driver  # noqa: SLF001 - likewise
        if sequence and isinstance(driver, ListeningDriver) and driver.draws:
            driver.write(sequence)

    def on_mount(self) -> None:
        """A resumed terminal has forgotten everything."""
        self.app.app_resume_signal.subscribe(self, self._draw_again)

    def _draw_again(self, _app: App[Any]) -> None:
        if self._layer is not None:
            self._layer.forget()
        self.grid.draw_again()
        self.opened.draw_again()

    # Keys

    def action_next_images(self) -> None:
        """Draw pictures in another way."""
        self.change(changes.next_images)
