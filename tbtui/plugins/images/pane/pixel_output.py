"""Pictures of the Images tab on the terminal: the protocol that is used, and the layer that draws real pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.color import ColorSystem
from textual.message import Message

from tbtui.plugins.images.detail import HALF_BLOCKS
from tbtui.plugins.images.painter import RenderTarget
from tbtui.widgets.image_layer import PixelLayer, ProtocolDetector, VisibleInsets, make_layer
from tbtui.widgets.textual_patches.driver import PatchedLinuxDriver
from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintScreen

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.widget import Widget

    from tbtui.terminal_images.capabilities import ImageProtocol, ImageSetting
    from tbtui.terminal_images.encode import Colour
    from tbtui.widgets.image_layer import ImageLayer


class TerminalAnswered(Message):
    """The terminal has answered a query about what it can draw."""


class PixelOutput:
    """Selects the image protocol of one pane, and sends the terminal the pixels of its views.

    All methods belong to the UI thread.

    Args:
        pane: The pane, which receives `TerminalAnswered`; not mounted yet.
        views: The images of the widgets of the pane; the first widget lends its background colour.
        changed: Callback for a change of the protocol that `begin` does not report.
    """

    def __init__(self, pane: Widget, views: tuple[ImageLayer, ...], changed: Callable[[], object]) -> None:
        self._pane = pane
        self._views = views
        self._changed = changed
        self._selection = ProtocolDetector(pane, self._apply_answers, lambda: pane.post_message(TerminalAnswered()))
        self._layer: PixelLayer | None = None
        self.target = RenderTarget()
        """Return the target of the painters of the present view."""

    @property
    def protocol(self) -> ImageProtocol:
        """The protocol that draws pictures; half blocks until the terminal has answered."""
        return self._selection.way or HALF_BLOCKS

    def begin(self, setting: ImageSetting) -> bool:
        """Prepare `target` for a view; return False while the terminal has still to answer.

        Args:
            setting: Protocol that the settings ask for.
        """
        before = self._selection.way
        self._selection.want(setting)
        if self._selection.way is None:
            return False
        if self._selection.way != before:
            self._replace_layer()
        theme = self._pane.app.current_theme
        self.target = RenderTarget(self._selection.depth, theme.dark, self.protocol, self._background_colour)
        return True

    def decide(self) -> None:
        """Select again: the terminal has answered, or has another size and perhaps another font."""
        self._selection.decide()

    def redraw(self) -> None:
        """Send all pictures again: a resumed terminal has forgotten them."""
        if self._layer is not None:
            self._layer.forget()
        for view in self._views:
            view.redraw()

    @property
    def _background_colour(self) -> Colour | None:
        """Colour behind pictures as the terminal shows it; None where only the terminal knows."""
        depth, app = self._selection.depth, self._pane.app
        if app.native_ansi_color or depth not in ("true", "256"):
            return None
        colour = self._views[0].view.background_colors[1].rich_color
        shown = colour.downgrade(ColorSystem.EIGHT_BIT) if depth == "256" else colour
        return shown.get_truecolor()

    def _apply_answers(self) -> None:
        self._replace_layer()
        self._changed()

    def _replace_layer(self) -> None:
        if self._layer is not None:
            self._write(self._layer.forget())
        screen, driver = self._pane.screen, self._pane.app._driver  # noqa: SLF001 - the only way to the terminal
        if not isinstance(screen, MinimalRepaintScreen):
            return
        layer = self._layer = make_layer(self.protocol, VisibleInsets(screen, *self._views), self._write)
        screen.overlay = layer if layer.lies_over else None
        for view in self._views:
            view.pixels = layer
            view.view.refresh()  # which removes what the old layer drew over its cells
        if isinstance(driver, PatchedLinuxDriver):
            driver.farewell = layer.forget

    def _write(self, sequence: str) -> None:
        driver = self._pane.app._driver  # noqa: SLF001 - likewise
        if sequence and isinstance(driver, PatchedLinuxDriver) and driver.draws:
            driver.write(sequence)
