"""The grid of thumbnails, and under it the bar of the steps of the focused one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from tbtui.charts.cells import Cells
from tbtui.widgets.card_grid import CardGrid
from tbtui.widgets.frames import plotted
from tbtui.widgets.inset_picture import InsetPicture
from tbtui.widgets.plot_picture import PlotPicture, Pointed

if TYPE_CHECKING:
    from collections.abc import Container

    from textual import events

    from tbtui.charts.step_slider import StepBar
    from tbtui.graphics.insets import Inset
    from tbtui.widgets.frames import Wanted

BAR_FROM_HEIGHT = 16
"""Lower grids have no bar under them: each card says its step."""


class FocusMoved(Message):
    """Another card may have the focus."""

    def can_replace(self, message: Message) -> bool:
        """One look at the focus is enough."""
        return isinstance(message, FocusMoved)


class ImageGrid(CardGrid, InsetPicture):
    """Cards of pictures: nothing on them is zoomed by the mouse."""

    @property
    def insets(self) -> list[Inset]:
        """Pictures of the cards in sight."""
        frames = ((y, x, self._frames.of(wanted)) for y, x, wanted in self._wanted())
        return [inset.moved(y, x) for y, x, frame in frames if frame is not None for inset in frame.insets]

    def _drawn(self, wanted: Wanted) -> Cells:
        cells, frame = super()._drawn(wanted), self._frames.of(wanted)
        return cells if frame is None or self.pixel_layer is None else self.pixel_layer.in_place(cells, frame.insets)

    def _draw(self) -> None:
        super()._draw()
        self.lay()

    def _put_frames(self, keys: Container[str]) -> None:
        super()._put_frames(keys)
        self.lay()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """No box is dragged over a picture."""
        event.stop()

    def wheel_zooms(self, _event: events.MouseEvent) -> bool:
        """It scrolls."""
        return False

    def _show_focus(self) -> None:
        super()._show_focus()
        self.post_message(FocusMoved())


class StepBarView(PlotPicture):
    """Shows at which steps the focused card has pictures; a click moves the cursor there, the wheel by one step."""

    DEFAULT_CSS = """
    StepBarView { height: 1; overflow: hidden; padding: 0 1; }
    """

    class Moved(Message):
        """The cursor is to be moved."""

        def __init__(self, stops: int) -> None:
            super().__init__()
            self.stops = stops
            """So many stored steps on."""

    def __init__(self) -> None:
        super().__init__()
        self._key = ""
        self._bar: StepBar | None = None

    def show(self, key: str, bar: StepBar | None) -> None:
        """Show the steps of a card; None shows nothing."""
        self._key, self._bar = key, bar
        if self._cells.glyphs.shape != (1, self.size.width):
            self.clear(1, self.size.width)
        self.put(0, 0, Cells.blank(1, self.size.width) if bar is None else bar.cells)

    def pointed(self, column: int, row: int) -> Pointed | None:
        """The step under the mouse."""
        bar = self._bar
        chart = None if bar is None else plotted(self._key, bar.plot, bar.stops)
        return None if chart is None else Pointed(chart, column, row)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """No box is dragged over a bar of steps."""
        event.stop()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor there."""
        event.stop()
        if (pointed := self.pointed_by(event)) is not None:
            self.put_cursor(pointed)

    def wheel_zooms(self, _event: events.MouseEvent) -> bool:
        """It moves the cursor."""
        return False

    def scroll_by_wheel(self, notches: int) -> None:
        """Move the cursor by one step."""
        self.post_message(self.Moved(notches))
