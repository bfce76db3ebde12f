"""A list of any length as one widget: it draws the visible rows and repaints only those that changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row, row_pieces
from tbtui.frozen import frozen
from tbtui.widgets import ink_styles as inks
from tbtui.widgets.cells_view import WHEEL_ROWS
from tbtui.widgets.grid_viewport import get_row_key, list_row_keys
from tbtui.widgets.ink_styles import render_pieces
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS, ScrollState
from tbtui.widgets.textual_patches.minimal_repaint import repaints_minimally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


EDGE, THUMB = "▏", "▌"
NO_EDGE = " "
EDGE_WIDTH = 2
"""Columns of a list for its right edge and the gap before it."""


def choose_edge_glyph(y: int, height: int, count: int, first: int) -> str:
    """Return line `y` of the right edge, a scroll bar for `count` rows of which `height` are visible."""
    if count <= height:
        return EDGE
    size = max(1, height * height // count)
    start = round(first / (count - height) * (height - size))
    return THUMB if start <= y < start + size else EDGE


@frozen
class ListLine:
    """One line of the list on the screen."""

    row: Row | None
    has_cursor: bool
    edge: str
    """Glyph of the right edge."""


@repaints_minimally
class RowList(Widget, can_focus=True):
    """Shows rows with a cursor.

    When rows change, the cursor keeps its row and the row its line on the screen. Until the user moves or scrolls, the
    list stays at its first row, which may change while logs are read.

    Args:
        empty: The text of a list without rows.
        is_divided: False: the right edge is drawn only while there is more than fits, as in a dialog with a frame.
        id: The widget's id.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor"}

    DEFAULT_CSS = """
    RowList { height: 1fr; width: 1fr; }
    RowList > .row-list--cursor { background: $block-cursor-blurred-background; text-style: bold; }
    RowList:ansi > .row-list--cursor { text-style: reverse; }
    RowList:nocolor > .row-list--cursor { text-style: reverse; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("down,j", "move(1)", "down", show=False),
        Binding(PAGE_UP_KEYS, "move_page(-1)", "page up", show=False),
        Binding(PAGE_DOWN_KEYS, "move_page(1)", "page down", show=False),
        Binding("g,home", "move_to(0)", "first", show=False),
        Binding("G,end", "move_to(-1)", "last", show=False),
    ]

    class Chosen(Message):
        """The row under the cursor was clicked."""

    class Moved(Message):
        """The cursor is on another row."""

    def __init__(
        self,
        *,
        empty: str = "",
        is_divided: bool = True,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._is_divided = is_divided
        self._rows: Sequence[Row] = ()
        self._scroll = ScrollState()
        self._moved = False
        self._lines: list[ListLine] = []
        self._empty = empty

    @property
    def is_active(self) -> bool:
        """True if the cursor is shown: the keys move it."""
        return self.has_focus

    @property
    def _cursor(self) -> int:
        return self._scroll.cursor

    @property
    def _top(self) -> int:
        return self._scroll.first

    def _put_cursor(self, index: int, top: int) -> None:
        """Move the cursor without a message, and scroll to the first row `top`."""
        self._scroll = replace(self._scroll, cursor=index)
        self._show_from(top)

    # Rows

    @property
    def rows(self) -> Sequence[Row]:
        """All rows, visible or not."""
        return self._rows

    @property
    def cursor_key(self) -> str | None:
        """The key of the row under the cursor; None without rows."""
        return get_row_key(self._rows, self._cursor) if self._rows else None

    def show_rows(self, rows: Sequence[Row], empty: str = "") -> None:
        """Show other rows; the cursor keeps its row, or moves to the next row that is left.

        Args:
            rows: The rows; kept, never changed.
            empty: The text of a list without rows.
        """
        if empty != self._empty:
            self._empty = empty
            self.refresh()
        if rows is not self._rows and rows != self._rows:
            offset = self._cursor - self._top
            is_cursor_visible = 0 <= offset < self.size.height
            cursor, top = self._find_new_index(rows, self._cursor), self._find_new_index(rows, self._top)
            first = cursor - offset if is_cursor_visible else top
            self._rows = rows
            self._scroll = ScrollState(len(rows), self.size.height, cursor, first) if self._moved else ScrollState()
        self._show_from(self._top)

    def _find_new_index(self, rows: Sequence[Row], index: int) -> int:
        """Return the new index of the row at `index`, or of the first row below it that is left."""
        before = self._rows
        if index < min(len(rows), len(before)) and get_row_key(rows, index) == get_row_key(before, index):
            return index
        index_by_key = {key: position for position, key in enumerate(list_row_keys(rows))}
        remaining = (index_by_key[key] for key in list_row_keys(before)[index:] if key in index_by_key)
        return next(remaining, max(min(index, len(rows) - 1), 0))

    def move_to_key(self, key: str) -> None:
        """Move the cursor to the row with `key`; nothing happens without such a row."""
        for index, each in enumerate(list_row_keys(self._rows)):
            if each == key:
                self.action_move_to(index)
                return

    # Drawing

    def _show_from(self, top: int) -> None:
        """Scroll to a first row, within the limits, and repaint."""
        self._scroll = self._fit_scroll().with_top(top)
        self._redraw()

    def _fit_scroll(self) -> ScrollState:
        """Return the scroll state for the present rows and height."""
        return replace(self._scroll, count=len(self._rows), height=self.size.height)

    def _redraw(self) -> None:
        """Repaint the lines that changed."""
        before, self._lines = self._lines, [self.line(y) for y in range(self.size.height)]
        if len(before) != len(self._lines):
            self.refresh()
            return
        for y, (old, new) in enumerate(zip(before, self._lines, strict=True)):
            if old != new:
                self.refresh(Region(0, y, self.size.width, 1))

    def line(self, y: int) -> ListLine:
        """Return the content of line `y` of the screen; subclasses may alter it."""
        index = self._top + y
        row = self._rows[index] if index < len(self._rows) else None
        height, count = self.size.height, len(self._rows)
        edge = choose_edge_glyph(y, height, count, self._top) if self._is_divided or count > height else NO_EDGE
        return ListLine(row, row is not None and index == self._cursor and self.is_active, edge)

    def render_line(self, y: int) -> Strip:
        """Return line `y`."""
        width, styles, base = self.size.width, inks.get_ink_styles(self.app), self.rich_style
        if y >= len(self._lines):
            return Strip.blank(width, base)
        line = self._lines[y]
        if line.row is not None:
            style = base + self.get_component_rich_style("row-list--cursor") if line.has_cursor else base
            pieces = row_pieces(line.row, width - EDGE_WIDTH)
            if style.reverse:  # reversed inks would make coloured patches
                pieces = tuple((text, Ink.TEXT) for text, _ in pieces)
            content = render_pieces(pieces, width - 1, styles, style)
        else:
            text = f" {self._empty}" if y == 0 and not self._rows else ""
            content = render_pieces(((text, Ink.DIM),), width - 1, styles, base)
        return Strip([*content, *render_pieces(((line.edge, Ink.FAINT),), 1, styles, base)], width)

    # Keys and mouse

    def action_move(self, rows: int) -> None:
        """Move the cursor down by `rows`."""
        self.action_move_to(max(self._cursor + rows, 0))

    def action_move_page(self, pages: int) -> None:
        """Move the cursor down by `pages` screens."""
        self.action_move(pages * self._fit_scroll().page)

    def action_move_to(self, index: int) -> None:
        """Move the cursor to a row and scroll to it; -1 is the last."""
        if not self._rows:
            return
        before, self._moved = self._cursor, True
        self._scroll = self._fit_scroll().with_cursor(index)
        self._redraw()
        if self._cursor != before:
            self.post_message(self.Moved())

    def watch_has_focus(self, focused: bool) -> None:
        """Show the cursor only while the list has the focus."""
        super().watch_has_focus(focused)
        self._redraw()

    def on_resize(self) -> None:
        """Fit the list to the new size; with the focus the cursor stays visible."""
        scroll = replace(self._scroll, count=len(self._rows))
        self._scroll = scroll.with_height(self.size.height, keep_cursor=self.has_focus)
        self._redraw()
        self.refresh()

    def focus_on_click(self) -> bool:
        """Return False on the right edge, which is no part of the list."""
        return self.app.mouse_position.x != self.region.right - 1

    def on_click(self, event: events.Click) -> None:
        """Choose the clicked row."""
        offset = event.get_content_offset(self)
        on_row = offset is not None and offset.x < self.size.width - 1
        if offset is not None and on_row and self._top + offset.y < len(self._rows):
            event.stop()
            self.action_move_to(self._top + offset.y)
            self.post_message(self.Chosen())

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll; the cursor keeps its row."""
        event.stop()
        self._moved = True
        self._show_from(self._top + WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll; the cursor keeps its row."""
        event.stop()
        self._moved = True
        self._show_from(self._top - WHEEL_ROWS)
