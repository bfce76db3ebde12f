"""Images of a pane on the terminal: the protocol that is used, and the layer that draws real pixels.

A pane of images (Images, Mesh) has one `PixelOutput`. Its widgets have an `ImageLayer` each (`ImageGrid`), its painters
draw with `ImageRenderer` for the `target` of the output (`view/image_renderer.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.color import ColorSystem
from textual.message import Message

from tbtui.view.image_renderer import HALF_BLOCKS, RenderTarget
from tbtui.widgets.image_layer import PixelLayer, ProtocolDetector, VisibleInsets, make_layer
from tbtui.widgets.textual_patches.driver import PatchedLinuxDriver
from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintScreen
from tbtui.widgets.textual_patches.screen_diff import DiffedApp

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.widget import Widget

    from tbtui.terminal_images.capabilities import ImageProtocol, ImageSetting
    from tbtui.terminal_images.encode import Colour
    from tbtui.terminal_images.half_blocks import Depth
    from tbtui.widgets.image_layer import ImageLayer


class TerminalAnswered(Message):
    """The terminal has answered a query about what it can draw."""


class TerminalImages:
    """The images of all panes of one app on its terminal: one protocol, one layer, one set of image numbers.

    All methods belong to the UI thread.

    Args:
        pane: A pane of the app; not mounted yet.
    """

    def __init__(self, pane: Widget) -> None:
        self._pane = pane
        self._outputs: list[PixelOutput] = []
        self.selection = ProtocolDetector(pane, self._apply_answers, lambda: pane.post_message(TerminalAnswered()))
        self._layer: PixelLayer | None = None
        self._insets: VisibleInsets | None = None

    def add(self, output: PixelOutput) -> None:
        """Show the images of another pane too."""
        if output not in self._outputs:
            self._outputs.append(output)
            if self._insets is not None:
                self._insets.add(*output.views)
            for view in output.views:
                view.pixels = self._layer

    def want(self, setting: ImageSetting) -> bool:
        """Request a protocol; return False while the terminal has still to answer."""
        before = self.selection.way
        self.selection.want(setting)
        if self.selection.way is None:
            return False
        if self.selection.way != before:
            self._replace_layer()
        return True

    def redraw(self, output: PixelOutput) -> None:
        """Send all images again; each pane asks for it, and the first one is answered."""
        if output is self._outputs[0]:
            if self._layer is not None:
                self._layer.forget()
            for view in self._views:
                view.redraw()

    @property
    def _views(self) -> list[ImageLayer]:
        return [view for output in self._outputs for view in output.views]

    def _apply_answers(self) -> None:
        self._replace_layer()
        for output in self._outputs:
            output.changed()

    def _replace_layer(self) -> None:
        screen, driver = self._pane.screen, self._pane.app._driver  # noqa: SLF001 - the only way to the terminal
        if self._layer is not None:
            if self._layer.is_erased_by_text and isinstance(screen.app, DiffedApp):
                # The new layer does not know these images, and in cells of another size they cover other ones.
                screen.app.invalidate_screen()
                screen.refresh()
            self._write(self._layer.forget())
        if not isinstance(screen, MinimalRepaintScreen) or self.selection.way is None:
            return
        self._insets = VisibleInsets(screen, *self._views)
        layer = self._layer = make_layer(self.selection.way, self._insets, self._write)
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


def _get_terminal(pane: Widget) -> TerminalImages:
    """Return the images of the app, which live as long as the app."""
    terminal: TerminalImages | None = vars(pane.app).get(_ATTRIBUTE)
    if terminal is None:
        terminal = vars(pane.app)[_ATTRIBUTE] = TerminalImages(pane)
    return terminal


_ATTRIBUTE = "tbtui_terminal_images"


class PixelOutput:
    """Selects the image protocol of one pane, and sends the terminal the pixels of its views.

    All panes of an app share one protocol and one layer (`TerminalImages`). All methods belong to the UI thread.

    Args:
        pane: The pane, which receives `TerminalAnswered`; not mounted yet.
        views: The images of the widgets of the pane; the first widget lends its background colour.
        changed: Callback for a change of the protocol that `begin` does not report.
    """

    def __init__(self, pane: Widget, views: tuple[ImageLayer, ...], changed: Callable[[], object]) -> None:
        self._pane = pane
        self.views = views
        self.changed = changed
        self._terminal: TerminalImages | None = None
        self.target = RenderTarget()
        """Return the target of the painters of the present view."""

    @property
    def protocol(self) -> ImageProtocol:
        """The protocol that draws pictures; half blocks until the terminal has answered."""
        way = None if self._terminal is None else self._terminal.selection.way
        return way or HALF_BLOCKS

    def begin(self, setting: ImageSetting) -> bool:
        """Prepare `target` for a view; return False while the terminal has still to answer.

        Args:
            setting: Protocol that the settings ask for.
        """
        if self._terminal is None:
            self._terminal = _get_terminal(self._pane)
            self._terminal.add(self)
        if not self._terminal.want(setting):
            return False
        theme, selection = self._pane.app.current_theme, self._terminal.selection
        self.target = RenderTarget(selection.depth, theme.dark, self.protocol, self._background_colour(selection.depth))
        return True

    def follow_app(self) -> None:
        """Draw again after a change of the theme, whose colours the terminal may show otherwise, and a suspension."""
        self._pane.app.theme_changed_signal.subscribe(self._pane, lambda _: self.changed())
        self._pane.app.app_resume_signal.subscribe(self._pane, lambda _: self.redraw())

    def decide(self) -> None:
        """Select again: the terminal has answered, or has another size and perhaps another font."""
        if self._terminal is not None:
            self._terminal.selection.decide()

    def redraw(self) -> None:
        """Send all pictures again: a resumed terminal has forgotten them."""
        if self._terminal is not None:
            self._terminal.redraw(self)

    def _background_colour(self, depth: Depth) -> Colour | None:
        """Colour behind pictures as the terminal shows it; None where only the terminal knows."""
        if self._pane.app.native_ansi_color:
            driver = self._pane.app._driver  # noqa: SLF001 - likewise
            return driver.background if isinstance(driver, PatchedLinuxDriver) else None
        if depth not in ("true", "256"):
            return None
        colour = self.views[0].view.background_colors[1].rich_color
        shown = colour.downgrade(ColorSystem.EIGHT_BIT) if depth == "256" else colour
        return shown.get_truecolor()
