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
from tbtui.plugins.graphs.tracing import find_box_in_direction
from tbtui.widgets.cells_view import WHEEL_ROWS, CellsView, WheelMixin
from tbtui.widgets.empty_state import draw_empty_state
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from textual import events

    from tbtui.charts.cells import Cells
    from tbtui.plugins.graphs.diagram import PlacedBox, PlacedDiagram
    from tbtui.plugins.graphs.tracing import Direction

PAN_SHARE = 1 / 4
"""A key moves the window by this share of its size."""

WHEEL_COLUMNS = 6
"""Columns that a notch of the wheel moves the window sideways."""

POINTERS = "›", "‹"
"""Marks at the left and the right of a selected box without a frame."""
BLANKS = frozenset({0, ord(" ")})

NO_TINTS: Mapping[int, int] = MappingProxyType({})


class DiagramView(WheelMixin, CellsView, can_focus=True):
    """Draws the part of a layout that is in the window, or a message if there is no layout."""

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

        def __init__(self, graph: Hashable, item: int, *, is_repeated: bool = False) -> None:
            super().__init__()
            self.graph, self.item = graph, item
            self.is_repeated = is_repeated
            """True if the box that already had the cursor was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self._layout_shown: PlacedDiagram | None = None
        self._graph: Hashable = None
        """Key of the graph of the layout."""

        self._message = ("", "")
        self._window = Window(0, 0, 0, 0)
        self._chosen: int | None = None
        self._highlighted: Collection[int] = ()
        self._tints: Mapping[int, int] = NO_TINTS

    # The layout and its window

    @property
    def diagram(self) -> PlacedDiagram | None:
        """The visible layout; None while a message is shown."""
        return self._layout_shown

    @property
    def window(self) -> Window:
        """The visible part of the layout."""
        return self._window

    def show(
        self,
        graph: Hashable,
        layout: PlacedDiagram,
        chosen: int | None,
        highlighted: Collection[int],
        tints: Mapping[int, int],
        *,
        is_new: bool,
    ) -> None:
        """Show a layout.

        Args:
            graph: Key of the graph.
            layout: Layout to draw.
            chosen: The selected item; it keeps its position on the screen if it was visible.
            highlighted: Highlighted items.
            tints: Inks of items.
            is_new: True for another graph or scope, which shows from its top left corner.
        """
        before, window = self._layout_shown, self._window
        self._graph, self._layout_shown = graph, layout
        self._chosen, self._highlighted, self._tints = chosen, highlighted, tints
        if is_new or before is None:
            window = window._replace(left=0, top=0)
        elif chosen is not None:
            old, new = before.find_box(chosen), layout.find_box(chosen)
            if old is not None and new is not None:
                window = window._replace(left=window.left + new.left - old.left, top=window.top + new.top - old.top)
        self._move_window(window, to_cursor=True)

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of a layout."""
        self._layout_shown, self._message = None, (headline, hint)
        self._draw()

    def choose(self, item: int | None) -> None:
        """Put the cursor on an item and scroll to its box, if it has one."""
        if item != self._chosen:
            self._chosen = item
            self._move_window(self._window, to_cursor=True)

    def highlight(self, items: Collection[int]) -> None:
        """Highlight these items and no others."""
        if items != self._highlighted:
            self._highlighted = items
            self._draw()

    # Drawing

    def _move_window(self, window: Window, *, to_cursor: bool) -> None:
        """Move the window within the layout; `to_cursor`: so that the selected box is visible."""
        layout, size = self._layout_shown, self.size
        window = window._replace(width=size.width, height=size.height)
        if layout is not None:
            if to_cursor and self._chosen is not None and layout.find_box(self._chosen) is not None:
                window = reveal_item(layout, window, self._chosen)
            window = window._replace(
                left=_find_window_start(window.left, size.width, layout.width),
                top=_find_window_start(window.top, size.height, layout.height),
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
            self.put(0, 0, draw_empty_state(*self._message, width, height))
            return
        chosen, layout = self._chosen, self._layout_shown
        window = self._window._replace(width=width, height=height)
        cells = draw_diagram(layout, window, chosen=chosen, highlighted=self._highlighted, tints=self._tints)
        if chosen is not None and (box := layout.find_box(chosen)) is not None and not box.is_framed:
            _draw_pointers(cells, box, window)
        draw_overflow_hints(cells, layout, window)
        self.put(0, 0, cells)

    def on_resize(self) -> None:
        """Draw the diagram in the new size."""
        self._move_window(self._window, to_cursor=True)

    # Keys and mouse

    def action_go(self, direction: Direction) -> None:
        """Go to the next box in a direction."""
        layout = self._layout_shown
        if layout is None or not layout.boxes:
            return
        if self._chosen is None or layout.find_box(self._chosen) is None:
            self._go_to(layout.boxes[0].item)
        elif (item := find_box_in_direction(layout, self._chosen, direction)) is not None:
            self._go_to(item)

    def action_go_to_end(self, end: int) -> None:
        """Go to the topmost box (0), or to the lowest (-1)."""
        if self._layout_shown is not None and self._layout_shown.boxes:
            outermost = [box for box in self._layout_shown.boxes if box.parent < 0]
            self._go_to(sorted(outermost, key=lambda box: (box.top, box.left))[end].item)

    def _go_to(self, item: int) -> None:
        if item != self._chosen:
            self.choose(item)
            self.post_message(self.Moved(self._graph, item))

    def action_pan_rows(self, quarters: int) -> None:
        """Scroll up or down; the cursor stays on its box."""
        self._pan(0, quarters * max(int(self.size.height * PAN_SHARE), 1))

    def action_pan_columns(self, quarters: int) -> None:
        """Scroll sideways; the cursor stays on its box."""
        self._pan(quarters * max(int(self.size.width * PAN_SHARE), 1), 0)

    def _pan(self, columns: int, rows: int) -> None:
        window = self._window
        self._move_window(window._replace(left=window.left + columns, top=window.top + rows), to_cursor=False)

    def on_click(self, event: events.Click) -> None:
        """Select the box under the mouse."""
        offset, layout = event.get_content_offset(self), self._layout_shown
        if offset is None or layout is None:
            return
        event.stop()
        item = layout.find_item_at(self._window.left + offset.x, self._window.top + offset.y)
        if item is not None:
            is_repeated = item == self._chosen
            self.choose(item)
            self.post_message(self.Moved(self._graph, item, is_repeated=is_repeated))

    def handle_wheel(self, across: int, down: int) -> None:
        """Scroll with the wheel."""
        self._pan(across * WHEEL_COLUMNS, down * WHEEL_ROWS)


def _draw_pointers(cells: Cells, box: PlacedBox, window: Window) -> None:
    """Mark a selected box without a frame; colour alone would not be enough."""
    row = box.top + box.height // 2 - window.top
    for column, glyph in zip((box.left - 1, box.left + box.width), POINTERS, strict=True):
        x = column - window.left
        if 0 <= row < cells.height and 0 <= x < cells.width and cells.glyphs[row, x] in BLANKS:
            write(cells, row, x, glyph, Ink.ACCENT)


def _find_window_start(start: int, window_size: int, layout_size: int) -> int:
    """Return the start of the window, moved into the layout; a layout that fits is centred."""
    if layout_size <= window_size:
        return -((window_size - layout_size) // 2)
    return max(0, min(start, layout_size - window_size))
