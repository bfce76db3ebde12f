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
from tbtui.widgets.row_list import RowList
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from textual import events

    from tbtui.charts.styled_text import Row
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.timeline_view import TimelineView
    from tbtui.widgets.row_list import _Drawn


PAN = 0.25
"""A key scrolls by this share of the time that shows."""

WHEEL_ZOOM = 0.8


class ItemList(RowList):
    """Rows of items; only those on the screen are created. The cursor shows without focus, too.

    If the selected item has no row, the cursor keeps its row but is hidden: it would be on another item.
    """

    _away = False
    """The selected item has no row."""

    def cursor_item(self, hierarchy: Hierarchy) -> int | None:
        """Return the item under the cursor; None while the rows are of another graph, with the same numbers."""
        rows, key = self.rows, self.cursor_key
        return int(key) if isinstance(rows, ItemRows) and rows.hierarchy is hierarchy and key is not None else None

    def show_items(self, rows: ItemRows, item: int, empty: str = "") -> None:
        """Show other rows with the cursor on an item, which keeps its line on the screen if it showed before.

        Args:
            rows: All rows of the list.
            item: The selected item; if it has no row, the cursor keeps its row.
            empty: Message if there are no rows.
        """
        self._empty = empty
        before = self.rows
        place, offset = rows.place_of(item), self._cursor - self._top
        self._away = place is None
        had_cursor_item = isinstance(before, ItemRows) and len(before) and before.place_of(item) == self._cursor
        self._rows = rows
        self._moved = True
        if place is None:
            self._put_cursor(max(min(self._cursor, len(rows) - 1), 0), self._top)
        elif had_cursor_item and 0 <= offset < self.size.height:
            self._put_cursor(place, place - offset)
        else:
            self.go_to(item)

    def go_to(self, item: int) -> None:
        """Put the cursor on an item and scroll to it, without a message."""
        place = self.rows.place_of(item) if isinstance(self.rows, ItemRows) else None
        self._away = place is None
        if place is not None:
            self._scroll = self._fitted_scroll().moved_to(place)
        self._redraw()

    def action_move_to(self, index: int) -> None:
        """Put the cursor on a row, where it shows."""
        was_away, before, self._away = self._away, self._cursor, False
        super().action_move_to(index)
        if was_away and self.rows and self._cursor == before:
            self.post_message(self.Moved())

    def _line(self, y: int) -> _Drawn:
        drawn = super()._line(y)
        if self._away:
            return replace(drawn, marked=False)
        if drawn.row is not None and not self.has_focus and self._top + y == self._cursor:
            return replace(drawn, row=replace(drawn.row, ink=Ink.BOLD))
        return drawn


class TreeList(ItemList):
    """The tree of scopes."""

    BINDING_GROUP_TITLE = "Tree of scopes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "fold(True)", show=False, id="graphs.fold", tooltip="fold or up"),
        Binding("right,l", "fold(False)", show=False, id="graphs.unfold", tooltip="unfold or down"),
    ]

    class Folded(Message):
        """Request to close or open the item under the cursor."""

        def __init__(self, fold: bool) -> None:
            super().__init__()
            self.fold = fold

    def action_fold(self, fold: bool) -> None:
        """Ask to close the item, or to open it."""
        self.post_message(self.Folded(fold))


class OperationList(ItemList):
    """The rows of the table of operations."""

    BINDING_GROUP_TITLE = "Table of operations"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "sort", "sort", id="graphs.sort", tooltip="sort by this column"),
        Binding("left,h", "column(-1)", show=False, id="graphs.column_before", tooltip="column previous"),
        Binding("right,l", "column(1)", show=False, id="graphs.column_after", tooltip="column next"),
    ]

    class ColumnMoved(Message):
        """Request to move the column cursor."""

        def __init__(self, columns: int) -> None:
            super().__init__()
            self.columns = columns

    class SortAsked(Message):
        """Request to sort by the column of the cursor."""

    def action_sort(self) -> None:
        """Ask to sort by the column of the cursor."""
        self.post_message(self.SortAsked())

    def action_column(self, columns: int) -> None:
        """Go to another column."""
        self.post_message(self.ColumnMoved(columns))


class DetailList(RowList):
    """The details of the selected item."""

    BINDING_GROUP_TITLE = "Details"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "follow", "go there", id="graphs.follow", tooltip="go to the row's target"),
        Binding("enter", "tell_all", "in full", id="graphs.tell_all", tooltip="show the full value"),
    ]

    _leading: Collection[str] = ()
    """Keys of the rows that lead to other items."""

    class FollowAsked(Message):
        """The link of the row under the cursor is to be followed."""

    def action_follow(self) -> None:
        """Ask to follow the link of the row."""
        self.post_message(self.FollowAsked())

    class AllAsked(Message):
        """The details are to be shown in full on a page."""

    def action_tell_all(self) -> None:
        """Ask for the details in full."""
        self.post_message(self.AllAsked())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to follow a link on rows that have one, and the details in full on all others."""
        if action in {"follow", "tell_all"}:
            return self._leads == (action == "follow")
        return super().check_action(action, parameters)

    @property
    def _leads(self) -> bool:
        """Return True if the row under the cursor leads to another item."""
        return self.cursor_key in self._leading

    def action_move_to(self, index: int) -> None:
        """Put the cursor on a row, and offer what the key does there."""
        before = self._leads
        super().action_move_to(index)
        if self._leads != before:
            self.refresh_bindings()

    def show_details(self, rows: Sequence[Row], first: int, leading: Collection[str], *, anew: bool) -> None:
        """Show the details of an item.

        Args:
            rows: All rows of the details.
            first: Initial row of the cursor.
            leading: Keys of the rows that lead somewhere.
            anew: True if it is another item than before.
        """
        before, self._leading = self._leads, leading
        if anew:
            self._rows = rows
            self._put_cursor(first, 0)
        else:
            self._moved = True
            self.show_rows(rows)
        if self._leads != before and self.has_focus:
            self.refresh_bindings()


class TableHeads(Line):
    """The titles of the table's columns."""

    class Clicked(Message):
        """The line was clicked at a column of the terminal."""

        def __init__(self, x: int) -> None:
            super().__init__()
            self.x = x

    def on_click(self, event: events.Click) -> None:
        """Send where the line was clicked."""
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
        self.run: TimelineView | None = None
        """The view of the timeline; None while a message shows instead."""

        self._words = ("", "")

    def show(self, run: TimelineView) -> None:
        """Draw another run, or another part of it."""
        before, self.run = self.run, run
        self._draw()
        if before is not None and before.chosen != run.chosen:
            self.post_message(self.Moved())

    def say(self, headline: str, hint: str = "") -> None:
        """Show a message and no timeline."""
        self.run, self._words = None, (headline, hint)
        self._draw()

    def _draw(self) -> None:
        width, height = self.size.width, self.size.height
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        if width and height:
            run = self.run
            self.put(0, 0, draw_empty_state(*self._words, width, height) if run is None else run.draw(width, height))

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
        """Scroll to an earlier or a later time."""
        if self.run is not None:
            self.show(self.run.panned(part))

    def action_whole(self) -> None:
        """Show the whole time."""
        if self.run is not None:
            self.show(self.run.whole())

    def zoom(self, factor: float, about: float | None = None) -> None:
        """Show `factor` times as much of the time."""
        if self.run is not None:
            self.show(self.run.zoomed(factor, about))

    def on_click(self, event: events.Click) -> None:
        """Select the execution under the mouse."""
        offset = event.get_content_offset(self)
        if offset is not None and self.run is not None:
            event.stop()
            self.show(self.run.clicked(offset.x, offset.y, self.size.width, self.size.height))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Show more of the time; with shift scroll to other lanes."""
        self._on_wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Show less of the time; with shift scroll to other lanes."""
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
