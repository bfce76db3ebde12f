"""Widgets of the graphs pane: the tree, the table of operations, the details and the timeline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.charts.cells import Ink
from tbtui.plugins.graphs.pane.rows import ItemRows
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.empty_state import draw_empty_state
from tbtui.widgets.line import Line
from tbtui.widgets.plot_view import WHEEL_ZOOM
from tbtui.widgets.row_list import RowList
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from textual import events

    from tbtui.charts.styled_text import Row
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.timeline_state import TimelineState
    from tbtui.widgets.row_list import ListLine


PAN = 0.25
"""A key scrolls by this share of the visible time."""


class ItemList(RowList):
    """Rows of items; only those on the screen are created. The cursor is visible without the focus, too.

    If the selected item has no row, the cursor keeps its row but is hidden, because it would mark the wrong item.
    """

    _is_cursor_hidden = False

    def get_cursor_item(self, hierarchy: Hierarchy) -> int | None:
        """Return the item under the cursor; None while the rows belong to another graph."""
        rows, key = self.rows, self.cursor_key
        return int(key) if isinstance(rows, ItemRows) and rows.hierarchy is hierarchy and key is not None else None

    def show_items(self, rows: ItemRows, item: int, empty: str = "") -> None:
        """Show other rows with the cursor on an item, which keeps its line on the screen if it was visible.

        Args:
            rows: All rows of the list.
            item: The selected item; if it has no row, the cursor keeps its row.
            empty: Message if there are no rows.
        """
        self._empty = empty
        before = self.rows
        index, screen_line = rows.row_index(item), self._cursor - self._top
        self._is_cursor_hidden = index is None
        had_cursor_item = isinstance(before, ItemRows) and len(before) and before.row_index(item) == self._cursor
        self._rows = rows
        self._moved = True
        if index is None:
            self._put_cursor(max(min(self._cursor, len(rows) - 1), 0), self._top)
        elif had_cursor_item and 0 <= screen_line < self.size.height:
            self._put_cursor(index, index - screen_line)
        else:
            self.go_to(item)

    def go_to(self, item: int) -> None:
        """Put the cursor on an item and scroll to it, without a message."""
        index = self.rows.row_index(item) if isinstance(self.rows, ItemRows) else None
        self._is_cursor_hidden = index is None
        if index is not None:
            self._scroll = self._fit_scroll().with_cursor(index)
        self._redraw()

    def action_move_to(self, index: int) -> None:
        """Put the cursor on a row and show it."""
        was_hidden, before, self._is_cursor_hidden = self._is_cursor_hidden, self._cursor, False
        super().action_move_to(index)
        if was_hidden and self.rows and self._cursor == before:
            self.post_message(self.Moved())

    def line(self, y: int) -> ListLine:
        line = super().line(y)
        if self._is_cursor_hidden:
            return replace(line, has_cursor=False)
        if line.row is not None and not self.has_focus and self._top + y == self._cursor:
            return replace(line, row=replace(line.row, ink=Ink.BOLD))
        return line


class TreeList(ItemList):
    """The tree of scopes."""

    BINDING_GROUP_TITLE = "Tree of scopes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "fold(True)", show=False, id="graphs.fold", tooltip="fold or up"),
        Binding("right,l", "fold(False)", show=False, id="graphs.unfold", tooltip="unfold or down"),
    ]

    class FoldRequested(Message):
        """Request to close or open the item under the cursor."""

        def __init__(self, fold: bool) -> None:
            super().__init__()
            self.fold = fold

    def action_fold(self, fold: bool) -> None:
        """Ask to close the item, or to open it."""
        self.post_message(self.FoldRequested(fold))


class OperationList(ItemList):
    """The rows of the table of operations."""

    BINDING_GROUP_TITLE = "Table of operations"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "sort", "sort", id="graphs.sort", tooltip="sort by this column"),
        Binding("left,h", "column(-1)", show=False, id="graphs.column_before", tooltip="column previous"),
        Binding("right,l", "column(1)", show=False, id="graphs.column_after", tooltip="column next"),
    ]

    class ColumnMoveRequested(Message):
        """Request to move the column cursor."""

        def __init__(self, columns: int) -> None:
            super().__init__()
            self.columns = columns

    class SortRequested(Message):
        """Request to sort by the column of the cursor."""

    def action_sort(self) -> None:
        """Ask to sort by the column of the cursor."""
        self.post_message(self.SortRequested())

    def action_column(self, columns: int) -> None:
        """Go to another column."""
        self.post_message(self.ColumnMoveRequested(columns))


class DetailList(RowList):
    """The details of the selected item."""

    BINDING_GROUP_TITLE = "Details"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "follow", "go there", id="graphs.follow", tooltip="go to the row's target"),
        Binding("enter", "show_full_value", "in full", id="graphs.tell_all", tooltip="show the full value"),
    ]

    _link_keys: Collection[str] = ()
    """Keys of the rows that are links to other items."""

    class FollowRequested(Message):
        """Request to follow the link of the row under the cursor."""

    def action_follow(self) -> None:
        """Ask to follow the link of the row."""
        self.post_message(self.FollowRequested())

    class FullValueRequested(Message):
        """Request for the page with all details in full."""

    def action_show_full_value(self) -> None:
        """Ask for the details in full."""
        self.post_message(self.FullValueRequested())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to follow a link on rows that have one, and the details in full on all others."""
        if action in {"follow", "show_full_value"}:
            return self._has_link == (action == "follow")
        return super().check_action(action, parameters)

    @property
    def _has_link(self) -> bool:
        """True if the row under the cursor is a link to another item."""
        return self.cursor_key in self._link_keys

    def action_move_to(self, index: int) -> None:
        """Put the cursor on a row, and offer what the key does there."""
        before = self._has_link
        super().action_move_to(index)
        if self._has_link != before:
            self.refresh_bindings()

    def show_details(self, rows: Sequence[Row], first: int, link_keys: Collection[str], *, is_new_item: bool) -> None:
        """Show the details of an item.

        Args:
            rows: All rows of the details.
            first: Initial row of the cursor.
            link_keys: Keys of the rows that are links.
            is_new_item: True if the details before belong to another item.
        """
        before, self._link_keys = self._has_link, link_keys
        if is_new_item:
            self._rows = rows
            self._put_cursor(first, 0)
        else:
            self._moved = True
            self.show_rows(rows)
        if self._has_link != before and self.has_focus:
            self.refresh_bindings()


class TableHeader(Line):
    """The titles of the table's columns."""

    class Clicked(Message):
        """The line was clicked at a column of the terminal."""

        def __init__(self, x: int) -> None:
            super().__init__()
            self.x = x

    def on_click(self, event: events.Click) -> None:
        """Report the column of the click."""
        event.stop()
        self.post_message(self.Clicked(event.x))


class TimelineChart(CellsView, can_focus=True):
    """Draws when each execution ran, with a cursor on one of them."""

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
        Binding(PAGE_UP_KEYS, "pan(-1)", "page up", show=False),
        Binding(PAGE_DOWN_KEYS, "pan(1)", "page down", show=False),
    ]

    class Moved(Message):
        """Another execution is selected."""

    def __init__(self) -> None:
        super().__init__()
        self.timeline: TimelineState | None = None
        """None while a message is shown instead."""

        self._message = ("", "")

    def show(self, timeline: TimelineState) -> None:
        """Draw another state of the timeline."""
        before, self.timeline = self.timeline, timeline
        self._draw()
        if before is not None and before.chosen != timeline.chosen:
            self.post_message(self.Moved())

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of a timeline."""
        self.timeline, self._message = None, (headline, hint)
        self._draw()

    def _draw(self) -> None:
        width, height = self.size.width, self.size.height
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        if width and height:
            if self.timeline is None:
                self.put(0, 0, draw_empty_state(*self._message, width, height))
            else:
                self.put(0, 0, self.timeline.draw(width, height))

    def on_resize(self) -> None:
        """Draw the timeline in the new size."""
        self._draw()

    # Keys and mouse

    def action_step(self, executions: int) -> None:
        """Go to the next execution of the lane."""
        if self.timeline is not None:
            self.show(self.timeline.step(executions))

    def action_lane(self, lanes: int) -> None:
        """Go to another lane."""
        if self.timeline is not None:
            self.show(self.timeline.change_lane(lanes))

    def action_go_to_end(self, last: bool) -> None:
        """Go to the first or the last execution of the lane."""
        if self.timeline is not None:
            self.show(self.timeline.move_to_end(last=last))

    def action_pan(self, share: float) -> None:
        """Scroll to an earlier or a later time."""
        if self.timeline is not None:
            self.show(self.timeline.pan(share))

    def reset_zoom(self) -> None:
        """Show all of the time."""
        if self.timeline is not None:
            self.show(self.timeline.reset())

    def zoom(self, magnification: float, anchor: float | None = None) -> None:
        """Zoom in or out; see `TimelineState.zoom`."""
        if self.timeline is not None:
            self.show(self.timeline.zoom(magnification, anchor))

    def on_click(self, event: events.Click) -> None:
        """Select the execution under the mouse."""
        offset = event.get_content_offset(self)
        if offset is not None and self.timeline is not None:
            event.stop()
            self.show(self.timeline.click(offset.x, offset.y, self.size.width, self.size.height))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Show more of the time; with shift scroll to other lanes."""
        self._on_wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Show less of the time; with shift scroll to other lanes."""
        self._on_wheel(event, -1)

    def _on_wheel(self, event: events.MouseEvent, notches: int) -> None:
        event.stop()
        event.prevent_default()
        if self.timeline is None:
            return
        if event.shift:
            self.show(self.timeline.scroll(notches))
        else:
            self.zoom(WHEEL_ZOOM**-notches, event.x / max(self.size.width, 1))
