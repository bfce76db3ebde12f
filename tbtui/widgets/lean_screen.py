"""A screen that sends the terminal only what has changed.

Textual 8 repaints from the left edge of a widget to the last changed cell; over a slow line that is most of what a live
chart costs. And where the focus goes elsewhere it repaints all of the screen, and all of both widgets.

What lies over the cells of widgets and is no text is written in the same stroke, behind the text that it lies on.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol

from rich.control import Control
from textual import events
from textual._compositor import ChopsUpdate, Compositor, CompositorUpdate, LayoutUpdate
from textual.geometry import Region
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from tbtui.widgets.timers import LateTimers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from textual.geometry import Size


class Overlay(Protocol):
    """What lies over the cells of a screen."""

    def over(self, painted: Sequence[Region]) -> str:
        """What is written behind an update which has painted these parts of the screen."""

    def leave(self) -> None:
        """Another screen is painted over this one; when it is gone all of this one is painted again."""


class _Overlaid(CompositorUpdate):
    """An update, and what lies over what it paints."""

    def __init__(self, update: LayoutUpdate | ChopsUpdate, overlay: Overlay) -> None:
        self._update = update
        self._overlay = overlay

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The text, for whoever wants to see no more of it."""
        return self._update.__rich_console__(console, options)

    def render_segments(self, console: Console) -> str:
        """The text, and what lies over it."""
        update = self._update
        if isinstance(update, LayoutUpdate):
            painted = [update.region]
        else:
            painted = [Region(first, y, end - first, 1) for y, first, end in update.spans]
        return update.render_segments(console) + self._overlay.over(painted)


class _CroppedUpdate(ChopsUpdate):
    """The same update with both ends of each span cut."""

    def render_segments(self, console: Console) -> str:
        """Escape sequences and text of the changed spans."""
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

    def update_widgets(self, widgets: set[Widget]) -> None:
        super().update_widgets(widgets)
        for widget in widgets:
            # What is out of sight is painted whole when it comes into sight.
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
        return _Overlaid(update, self.overlay)


class LeanScreen(Screen[None]):
    """A screen whose partial updates are as narrow as what changed, and on which nothing shows where the focus is."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._compositor: _LeanCompositor = _LeanCompositor()

    @property
    def overlay(self) -> Overlay | None:
        """What lies over the cells."""
        return self._compositor.overlay

    @overlay.setter
    def overlay(self, overlay: Overlay | None) -> None:
        self._compositor.overlay = overlay

    def place_of(self, widget: Widget) -> tuple[Region, list[Region]] | None:
        """Where the content of a widget is, and what stands in front of it; None where it does not show."""
        visible = self._compositor.visible_widgets  # from front to back
        if widget not in visible:
            return None
        before = takewhile(lambda other: other is not widget, visible)
        return widget.content_region, [visible[other][0].intersection(visible[other][1]) for other in before]

    def on_screen_suspend(self) -> None:
        """Another screen comes."""
        if self.overlay is not None:
            self.overlay.leave()

    def on_descendant_focus(self) -> None:
        """A widget knows that it has the keys: others are offered now. Textual says so once it has repainted all."""
        self.refresh_bindings()

    def on_descendant_blur(self) -> None:
        """Likewise."""
        self.refresh_bindings()

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        event.prevent_default()
        laid_out = self._size != self.app.size
        super()._on_screen_resume(event)
        if laid_out:
            self._exchange_repaint_regions()  # the layout has painted all of it


class LeanWidget(LateTimers, Widget):
    """A widget that says itself what of it has to be painted anew when `has_focus` changes.

    Textual would have all of it painted, and of a widget that was resized twice: for the layout, and once more.
    """

    def _on_focus(self, event: events.Focus) -> None:
        event.prevent_default()
        self.has_focus = True
        if self.parent is not None:
            self.parent.post_message(events.DescendantFocus(self))

    def _on_blur(self, event: events.Blur) -> None:
        event.prevent_default()
        self.has_focus = False
        if self.parent is not None:
            self.parent.post_message(events.DescendantBlur(self))

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        resized = size != self._size
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if resized:
            self._exchange_repaint_regions()
        return changed
