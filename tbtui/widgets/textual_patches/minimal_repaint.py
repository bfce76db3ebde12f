"""Send the terminal only the cells that have changed.

Replaces, in Textual 8.2.5 to 8.2.x: `ChopsUpdate.render_segments`, `Compositor.reflow`, `update_widgets` and
`render_update`, `Screen._on_screen_resume`, `Screen.focused`, and `_on_focus`, `_on_blur` and `_size_updated` of
`Widget`.

Benefits (measured in the tests on a screen of 120 x 40; a slow line is where live charts need it):

* One changed cell at column 100: 9 bytes instead of 107. Textual repaints from the left edge of the widget.
* Focus moves from one of two widgets to the other: 0 bytes instead of 7,669. Textual repaints both of them.
* A widget that was looked up before its first layout gets its `Resize` event. Without it the table of a tab that was
  opened on a busy machine stayed blank until the next resize.
* Images over the text (sixels, kitty) are written together with the text below them, so that they do not flicker.

Not reported upstream (Textualize/textual#4086 is near: smaller updates of `TextArea`). Can go when the canaries in the
tests fail.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeVar

from rich.control import Control
from textual import events
from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate, ReflowResult
from textual.reactive import Reactive
from textual.screen import Screen

from tbtui.widgets.textual_patches.screen_diff import DiffedApp, OverlaidUpdate

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from textual.geometry import Region, Size
    from textual.widget import Widget

    from tbtui.widgets.textual_patches.screen_diff import Overlay


class _CroppedUpdate(ChopsUpdate):
    """Update that crops both ends of each span; Textual crops the right end only."""

    def render_segments(self, console: Console) -> str:
        """Return escape sequences and text of the changed spans."""
        parts: list[str] = []
        for y, first, end in self.spans:
            for chop_end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=False):
                start, stop = max(x, first), min(chop_end, end)
                if strip is not None and start < stop:
                    cropped = strip if (start, stop) == (x, chop_end) else strip.crop(start - x, stop - x)
                    parts += [Control.move_to(start, y).segment.text, cropped.render(console)]
        return "".join(parts)


class _LeanCompositor(Compositor):
    overlay: Overlay | None = None

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        result = super().reflow(parent, size)
        # A lookup between two layouts (`find_widget`) may have put new widgets into the map that `reflow` compares
        # with: they would get a size without an event.
        unsized = {widget for widget, geometry in self.full_map.items() if widget.outer_size != geometry.region.size}
        return result._replace(resized=result.resized | (unsized - result.shown))

    def update_widgets(self, widgets: set[Widget]) -> None:
        super().update_widgets(widgets)
        for widget in widgets:
            # A widget out of sight is painted in full when it comes into sight; its regions would be painted once more.
            widget._exchange_repaint_regions()  # noqa: SLF001 - as Textual does itself

    def render_partial_update(self) -> ChopsUpdate | None:
        update = super().render_partial_update()
        return None if update is None else _CroppedUpdate(update.chops, update.spans, update.chop_ends)

    def render_update(
        self, full: bool = False, screen_stack: list[Screen[Any]] | None = None, simplify: bool = False
    ) -> RenderableType | None:
        update = super().render_update(full, screen_stack, simplify)
        if self.overlay is None or not isinstance(update, (LayoutUpdate, ChopsUpdate)):
            return update
        return OverlaidUpdate(update, self.overlay)


class MinimalRepaintScreen(Screen[None]):
    """Screen whose partial updates are as narrow as the change, and that does not repaint when the focus moves."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._compositor: _LeanCompositor = _LeanCompositor()

    @property
    def overlay(self) -> Overlay | None:
        """Output over the cells; None if there is none."""
        return self._compositor.overlay

    @overlay.setter
    def overlay(self, overlay: Overlay | None) -> None:
        self._compositor.overlay = overlay

    def get_regions(self, widget: Widget) -> tuple[Region, list[Region]] | None:
        """Return the content region of a widget and the regions in front of it; None if it does not show."""
        visible = self._compositor.visible_widgets  # from front to back
        if widget not in visible:
            return None
        before = takewhile(lambda other: other is not widget, visible)
        return widget.content_region, [visible[other][0].intersection(visible[other][1]) for other in before]

    def on_screen_suspend(self) -> None:
        """Tell the overlay that another screen covers this one."""
        if self.overlay is not None:
            if self.overlay.is_erased_by_text and isinstance(self.app, DiffedApp):
                self.app.invalidate_screen()
            self.overlay.leave()

    def on_descendant_focus(self) -> None:
        """Offer the bindings of the focused widget. Textual does so with a repaint of the whole screen."""
        self.refresh_bindings()

    def on_descendant_blur(self) -> None:
        """Offer the bindings of the focused widget."""
        self.refresh_bindings()

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        event.prevent_default()
        if self.overlay is not None:
            self.overlay.enter()
        laid_out = self._size != self.app.size
        super()._on_screen_resume(event)
        if laid_out:
            self._exchange_repaint_regions()  # the layout has painted all of it


WidgetClass = TypeVar("WidgetClass", bound="type[Widget]")


def repaints_minimally(widget_class: WidgetClass) -> WidgetClass:
    """Make a class of widgets repaint itself what depends on `has_focus`, and once after a resize.

    Textual repaints the whole widget when the focus changes, and a resized one twice: with the layout, and once more.
    Textual also lays out the screen again after each new size of a widget, for the widgets in it: these have none.
    """
    resize = widget_class._size_updated  # noqa: SLF001 - replaced below

    def _size_updated(
        self: Widget,
        size: Size,
        virtual_size: Size,
        container_size: Size,
        layout: bool = True,  # noqa: ARG001 - the arguments of Textual
    ) -> bool:
        resized = size != self._size
        changed = resize(self, size, virtual_size, container_size, False)
        if resized:
            self._exchange_repaint_regions()
        return changed

    # Textual finds the handlers of messages in the attributes of each class.
    for method in (_on_focus, _on_blur, _size_updated):
        setattr(widget_class, method.__name__, method)
    return widget_class


def _on_focus(self: Widget, event: events.Focus) -> None:
    event.prevent_default()
    self.has_focus = True
    if self.parent is not None:
        self.parent.post_message(events.DescendantFocus(self))


def _on_blur(self: Widget, event: events.Blur) -> None:
    event.prevent_default()
    self.has_focus = False
    if self.parent is not None:
        self.parent.post_message(events.DescendantBlur(self))
