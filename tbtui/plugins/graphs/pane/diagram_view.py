"""The widget of the diagram: a window on a layout, and a cursor that goes from box to box."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.charts.cells import Ink
from tbtui.charts.text import write
from tbtui.plugins.graphs.diagram import Window
from tbtui.plugins.graphs.diagram_painter import draw_diagram, draw_overflow_hints, reveal_item
from tbtui.plugins.graphs.tracing import box_in_direction
from tbtui.widgets.cells_view import WHEEL_ROWS, CellsView, WheelMixin
from tbtui.widgets.empty_state import draw_empty_state
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from textual import events

    from tbtui.charts.cells import Cells
    from tbtui.plugins.graphs.diagram import PlacedBox, PlacedDiagram
    from tbtui.plugins.graphs.tracing import Direction

PAN_PART = 4
"""A key moves the window by a quarter of its size."""

SIDE_STEP = 6
"""Columns that a notch of the wheel moves the window sideways."""

POINTERS = "›", "‹"
BLANKS = frozenset({0, ord(" ")})

NO_TINTS: Mapping[int, int] = MappingProxyType({})


class DiagramView(WheelMixin, CellsView, can_focus=True):
    """Draws the part of a layout that is in the window, or a message while there is none."""

    DEFAULT_CSS = """
    DiagramView { height: 1fr; width: 1fr; }
    """

    BINDING_GROUP_TITLE = "Diagram"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "go('up')", "up", show=False),
        Binding("down,j", "go('down')", "down", show=False),
        Binding("left,h", "go('left')", "left", show=False),
        Binding("right,l", "go('right')", "right", show=False),
        Binding("g,home", "go_to_end(0)", "first", show=False),
        Binding("G,end", "go_to_end(-1)", "last", show=False),
        Binding(f"K,shift+up,{PAGE_UP_KEYS}", "pan_rows(-1)", show=False, id="graphs.pan_up", tooltip="move up"),
        Binding(f"J,shift+down,{PAGE_DOWN_KEYS}", "pan_rows(1)", show=False, id="graphs.pan_down", tooltip="move down"),
        Binding("H,shift+left", "pan_columns(-1)", show=False, id="graphs.pan_left", tooltip="move left"),
        Binding("L,shift+right", "pan_columns(1)", show=False, id="graphs.pan_right", tooltip="move right"),
    ]

    class Moved(Message):
        """The cursor is on another box, or its box was clicked again."""

        def __init__(self, graph: Hashable, item: int, *, again: bool = False) -> None:
            super().__init__()
            self.graph, self.item = graph, item
            self.again = again
            """True if the box that already had the cursor was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self._layout_shown: PlacedDiagram | None = None
        self._graph: Hashable = None
        """Identity of the graph of the layout."""

        self._words = ("", "")
        self._window = Window(0, 0, 0, 0)
        self._chosen: int | None = None
        self._marked: Collection[int] = ()
        self._tints: Mapping[int, int] = NO_TINTS

    # What is shown

    @property
    def diagram(self) -> PlacedDiagram | None:
        """The layout that shows; None while a message does."""
        return self._layout_shown

    @property
    def window(self) -> Window:
        """The part of the layout that shows."""
        return self._window

    def show(
        self,
        graph: Hashable,
        layout: PlacedDiagram,
        chosen: int | None,
        marked: Collection[int],
        tints: Mapping[int, int],
        *,
        anew: bool,
    ) -> None:
        """Show a layout.

        Args:
            graph: Identity of the graph.
            layout: Layout to draw.
            chosen: The selected item; it keeps its place on the screen if it was visible.
            marked: Highlighted items.
            tints: Inks of items.
            anew: True for another graph or scope: the window starts at its beginning.
        """
        before, window = self._layout_shown, self._window
        self._graph, self._layout_shown = graph, layout
        self._chosen, self._marked, self._tints = chosen, marked, tints
        if anew or before is None:
            window = window._replace(left=0, top=0)
        elif chosen is not None:
            was, place = before.placed_box(chosen), layout.placed_box(chosen)
            if was is not None and place is not None:
                window = window._replace(left=window.left + place.left - was.left, top=window.top + place.top - was.top)
        self._look_through(window, follow=True)

    def say(self, headline: str, hint: str = "") -> None:
        """Show a message and no layout."""
        self._layout_shown, self._words = None, (headline, hint)
        self._draw()

    def choose(self, item: int | None) -> None:
        """Put the cursor on an item and scroll to its box, if it has one."""
        if item != self._chosen:
            self._chosen = item
            self._look_through(self._window, follow=True)

    def mark(self, items: Collection[int]) -> None:
        """Highlight these items and no others."""
        if items != self._marked:
            self._marked = items
            self._draw()

    # Drawing

    def _look_through(self, window: Window, *, follow: bool) -> None:
        """Move the window, but not beyond the edges; with `follow` to where the cursor is."""
        layout, size = self._layout_shown, self.size
        window = window._replace(width=size.width, height=size.height)
        if layout is not None:
            if follow and self._chosen is not None and layout.placed_box(self._chosen) is not None:
                window = reveal_item(layout, window, self._chosen)
            window = window._replace(
                left=_within(window.left, size.width, layout.width), top=_within(window.top, size.height, layout.height)
            )
        self._window = window
        self._draw()

    def _draw(self) -> None:
        width, height = self.size.width, self.size.height
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        if not width or not height:
            return
        if self._layout_shown is None:
            self.put(0, 0, draw_empty_state(*self._words, width, height))
            return
        chosen, marked, tints = self._chosen, self._marked, self._tints
        window = self._window._replace(width=width, height=height)
        drawn = draw_diagram(self._layout_shown, window, chosen=chosen, marked=marked, tints=tints)
        if chosen is not None and (place := self._layout_shown.placed_box(chosen)) is not None and not place.framed:
            _point_at(drawn, place, window)
        draw_overflow_hints(drawn, self._layout_shown, window)
        self.put(0, 0, drawn)

    def on_resize(self) -> None:
        """Draw the cells that the widget has now."""
        self._look_through(self._window, follow=True)

    # Keys and mouse

    def action_go(self, direction: Direction) -> None:
        """Go to the next box in a direction."""
        layout = self._layout_shown
        if layout is None or not layout.places:
            return
        if self._chosen is None or layout.placed_box(self._chosen) is None:
            self._go_to(layout.places[0].item)
        elif (item := box_in_direction(layout, self._chosen, direction)) is not None:
            self._go_to(item)

    def action_go_to_end(self, end: int) -> None:
        """Go to the box that is the first one from above, or the last one."""
        if self._layout_shown is not None and self._layout_shown.places:
            outermost = [place for place in self._layout_shown.places if place.inside < 0]
            self._go_to(sorted(outermost, key=lambda place: (place.top, place.left))[end].item)

    def _go_to(self, item: int) -> None:
        if item != self._chosen:
            self.choose(item)
            self.post_message(self.Moved(self._graph, item))

    def action_pan_rows(self, quarters: int) -> None:
        """Scroll up or down; the cursor stays on its box."""
        self._pan(0, quarters * max(self.size.height // PAN_PART, 1))

    def action_pan_columns(self, quarters: int) -> None:
        """Scroll sideways; the cursor stays on its box."""
        self._pan(quarters * max(self.size.width // PAN_PART, 1), 0)

    def _pan(self, columns: int, rows: int) -> None:
        window = self._window
        self._look_through(window._replace(left=window.left + columns, top=window.top + rows), follow=False)

    def on_click(self, event: events.Click) -> None:
        """Select the box under the mouse."""
        offset, layout = event.get_content_offset(self), self._layout_shown
        if offset is None or layout is None:
            return
        event.stop()
        item = layout.item_at(self._window.left + offset.x, self._window.top + offset.y)
        if item is not None:
            again = item == self._chosen
            self.choose(item)
            self.post_message(self.Moved(self._graph, item, again=again))

    def turned(self, across: int, down: int) -> None:
        """Scroll with the wheel."""
        self._pan(across * SIDE_STEP, down * WHEEL_ROWS)


def _point_at(cells: Cells, place: PlacedBox, window: Window) -> None:
    """Mark the selected box with signs if it has no frame: colour alone would not be enough."""
    row = place.top + place.height // 2 - window.top
    for column, glyph in zip((place.left - 1, place.left + place.width), POINTERS, strict=True):
        x = column - window.left
        if 0 <= row < cells.height and 0 <= x < cells.width and cells.glyphs[row, x] in BLANKS:
            write(cells, row, x, glyph, Ink.ACCENT)


def _within(start: int, room: int, size: int) -> int:
    """Return where the window begins: as much as possible shows, and what fits is centred."""
    return -((room - size) // 2) if size <= room else max(0, min(start, size - room))
