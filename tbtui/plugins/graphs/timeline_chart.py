"""The timeline of a run as a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.widgets.notice import notice
from tbtui.widgets.picture import Picture

if TYPE_CHECKING:
    from textual import events

    from tbtui.plugins.graphs.timeline import TimelineView

PAN = 0.25
"""Part of what is in sight that a key moves it by."""

WHEEL_ZOOM = 0.8


class TimelineChart(Picture, can_focus=True):
    """Shows when what ran, with a cursor on one execution."""

    DEFAULT_CSS = """
    TimelineChart { height: 1fr; width: 1fr; }
    """

    BINDING_GROUP_TITLE = "Timeline"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "before", show=False),
        Binding("right,l", "step(1)", "after", show=False),
        Binding("up,k", "lane(-1)", "up", show=False),
        Binding("down,j", "lane(1)", "down", show=False),
        Binding("g,home", "go_to_end(False)", "first", show=False),
        Binding("G,end", "go_to_end(True)", "last", show=False),
        Binding("H,shift+left", f"pan({-PAN})", show=False, id="graphs.earlier", tooltip="move earlier"),
        Binding("L,shift+right", f"pan({PAN})", show=False, id="graphs.later", tooltip="move later"),
        Binding("0", "whole", show=False, id="graphs.whole", tooltip="the whole time"),
    ]

    class Moved(Message):
        """Another execution is chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.run: TimelineView | None = None
        """What is in sight; None while words stand in its place."""

        self._words = ("", "")

    def show(self, run: TimelineView) -> None:
        """Show another run, or the same otherwise."""
        before, self.run = self.run, run
        self._draw()
        if before is not None and before.chosen != run.chosen:
            self.post_message(self.Moved())

    def say(self, headline: str, hint: str = "") -> None:
        """Show words and no timeline."""
        self.run, self._words = None, (headline, hint)
        self._draw()

    def _draw(self) -> None:
        width, height = self.size.width, self.size.height
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        if width and height:
            run = self.run
            self.put(0, 0, notice(*self._words, width, height) if run is None else run.draw(width, height))

    def on_resize(self) -> None:
        """Draw as much as there is room for."""
        self._draw()

    # Keys and mouse

    def action_step(self, executions: int) -> None:
        """Go to the next execution of the lane."""
        if self.run is not None:
            self.show(self.run.stepped(executions))

    def action_lane(self, lanes: int) -> None:
        """Go to another lane."""
        if self.run is not None:
            self.show(self.run.changed_lane(lanes))

    def action_go_to_end(self, last: bool) -> None:
        """Go to the first or the last execution of the lane."""
        if self.run is not None:
            self.show(self.run.at_end(last=last))

    def action_pan(self, part: float) -> None:
        """See what is earlier or later."""
        if self.run is not None:
            self.show(self.run.panned(part))

    def action_whole(self) -> None:
        """See all of it."""
        if self.run is not None:
            self.show(self.run.whole())

    def zoom(self, factor: float, about: float | None = None) -> None:
        """See a part so many times as long."""
        if self.run is not None:
            self.show(self.run.zoomed(factor, about))

    def on_click(self, event: events.Click) -> None:
        """Choose the execution under the mouse."""
        offset = event.get_content_offset(self)
        if offset is not None and self.run is not None:
            event.stop()
            self.show(self.run.clicked(offset.x, offset.y, self.size.width, self.size.height))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """See more of the time, with shift other lanes."""
        self._on_wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """See less of it, likewise."""
        self._on_wheel(event, -1)

    def _on_wheel(self, event: events.MouseEvent, notches: int) -> None:
        event.stop()
        event.prevent_default()
        if self.run is None:
            return
        if event.shift:
            self.show(self.run.scrolled(notches))
        else:
            self.zoom(WHEEL_ZOOM**-notches, event.x / max(self.size.width, 1))
