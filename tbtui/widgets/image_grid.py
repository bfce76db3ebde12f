"""A grid of cards with images, and the bar of steps below it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from tbtui.charts.cells import Cells
from tbtui.widgets.card_frames import PlottedChart
from tbtui.widgets.card_grid import CardGrid
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.image_layer import ImageLayer
from tbtui.widgets.plot_view import PlotMouse, Pointed

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from textual import events

    from tbtui.charts.step_slider import StepSlider
    from tbtui.terminal_images.encode import ImagePlacement
    from tbtui.view.painted_cards import CardRequest
    from tbtui.widgets.worker import Worker

MIN_BAR_HEIGHT = 16
"""Grids of fewer rows have no bar below them: each card names its step."""


class FocusMoved(Message):
    """Another card may have the focus."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, FocusMoved)


class ImageGrid(CardGrid):
    """Shows thumbnails; the mouse does not zoom them."""

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self.images = ImageLayer(self, self._insets, self._draw)

    def _insets(self) -> list[ImagePlacement]:
        """Return the images of the cards in sight."""
        frames = ((y, x, self._frames.of(request)) for y, x, request in self._requests())
        return [inset.translate(y, x) for y, x, frame in frames if frame is not None for inset in frame.card.insets]

    def _drawn(self, request: CardRequest) -> Cells:
        cells, frame = super()._drawn(request), self._frames.of(request)
        return cells if frame is None else self.images.with_placeholders(cells, frame.card.insets)

    def _draw(self) -> None:
        super()._draw()
        self.images.update()

    def _put_frames(self, keys: Container[str]) -> None:
        super()._put_frames(keys)
        self.images.update()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Stop the event: a picture has no box to drag."""
        event.stop()

    def wheel_zooms(self, _event: events.MouseEvent) -> bool:
        """Scroll with the wheel."""
        return False

    def _show_focus(self, *, is_requested: bool = False) -> None:
        super()._show_focus(is_requested=is_requested)
        self.post_message(FocusMoved())


class StepBarView(CellsView, can_focus=False):
    """Shows the steps of the focused card; a click moves the cursor to a step, the wheel moves it by one step."""

    DEFAULT_CSS = """
    StepBarView { height: 1; overflow: hidden; padding: 0 1; }
    StepBarView.low { display: none; }
    """

    class Moved(Message):
        """The user asks to move the cursor."""

        def __init__(self, stops: int) -> None:
            super().__init__()
            self.stops = stops
            """Number of stored steps; negative goes back."""

    def __init__(self) -> None:
        super().__init__()
        self.mouse: PlotMouse = PlotMouse(self, self)
        self._key = ""
        self._bar: StepSlider | None = None

    def show(self, key: str, bar: StepSlider | None) -> None:
        """Show the steps of a card; None shows a blank bar."""
        self._key, self._bar = key, bar
        if self._cells.glyphs.shape != (1, self.size.width):
            self.clear(1, self.size.width)
        self.put(0, 0, Cells.blank(1, self.size.width) if bar is None else bar.cells)

    def request(
        self,
        worker: Worker,
        key: str,
        draw: Callable[[int], StepSlider | None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Show the steps of a card, drawn on the worker thread; a bar that is not laid out yet stays blank.

        Args:
            worker: The worker of the pane.
            key: Key of the card.
            draw: Draws the steps in some columns; None if there are none.
            failed: Called with the exception of `draw`.
        """
        width = self.size.width
        if not width:
            self.show("", None)
            return

        def bars() -> Iterator[StepSlider | None]:
            yield draw(width)

        worker.ask("bar", bars, partial(self.show, key), failed)

    def fit_to(self, rows: int) -> None:
        """Hide the bar below a grid of few rows."""
        self.set_class(rows < MIN_BAR_HEIGHT, "low")  # `display` would outweigh `.opened`

    def pointed(self, column: int, row: int) -> Pointed | None:
        """Return the step at a cell of the bar."""
        bar = self._bar
        chart = None if bar is None else PlottedChart.of_card(self._key, bar.plot, bar.stops)
        return None if chart is None else Pointed(chart, column, row)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Stop the event: a bar of steps has no box to drag."""
        event.stop()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the mouse."""
        event.stop()
        if (pointed := self.mouse.find_pointed_cell(event)) is not None:
            self.put_cursor(pointed)

    def put_cursor(self, pointed: Pointed) -> None:
        """Ask for the cursor at a step."""
        self.mouse.post_cursor(pointed)

    def wheel_zooms(self, _event: events.MouseEvent) -> bool:
        """Move the cursor with the wheel."""
        return False

    def scroll_by_wheel(self, notches: int) -> None:
        """Move the cursor by one step."""
        self.post_message(self.Moved(notches))
