"""A table of any size as one widget: it draws the visible cells and repaints only those that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from tbtui.widgets.grid_drawing import (
    HEADER_HEIGHT,
    draw_column,
    draw_edge,
    draw_header,
    draw_names,
    together,
    write_more,
)
from tbtui.widgets.grid_viewport import GridViewport
from tbtui.widgets.notice import notice
from tbtui.widgets.picture import CellsView
from tbtui.widgets.wheel import WHEEL_ROWS, Wheel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import events

    from tbtui.charts.cells import Cells
    from tbtui.widgets.background import Background
    from tbtui.widgets.grid_source import Cell, CellsOfColumn, GridSource
    from tbtui.widgets.grid_viewport import ColumnPlace

NO_CELLS: Mapping[str, Cell] = {}


class DataGrid(Wheel, CellsView, can_focus=True):
    """Shows rows and columns with a cursor. The first column is fixed while the others scroll.

    Cursor and scroll position are kept by key while rows and columns are added, removed and reordered. Widths depend on
    names and heads alone, so nothing moves when cells change or become visible.

    Args:
        background: Computes the cells.
        id: The widget's id.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"data-grid--cursor"}

    DEFAULT_CSS = """
    DataGrid { height: 1fr; width: 1fr; }
    DataGrid > .data-grid--cursor { background: $block-cursor-blurred-background; text-style: bold; }
    DataGrid:ansi > .data-grid--cursor { text-style: reverse; }
    DataGrid:nocolor > .data-grid--cursor { text-style: reverse; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "row above", show=False, id="table.up"),
        Binding("down,j", "move(1)", "row below", show=False, id="table.down"),
        Binding("left,h", "move_column(-1)", "column before", show=False, id="table.left"),
        Binding("right,l", "move_column(1)", "column after", show=False, id="table.right"),
        Binding("pageup", "move_page(-1)", "page back", show=False, id="table.page_up"),
        Binding("pagedown", "move_page(1)", "page on", show=False, id="table.page_down"),
        Binding("shift+left,H", "move_columns_page(-1)", "columns back", show=False, id="table.columns_back"),
        Binding("shift+right,L", "move_columns_page(1)", "columns on", show=False, id="table.columns_on"),
        Binding("g,home", "move_to(0)", "first row", show=False, id="table.first"),
        Binding("G,end", "move_to(-1)", "last row", show=False, id="table.last"),
    ]

    class Moved(Message):
        """The cursor is on another cell, or on none."""

    class HeadChosen(Message):
        """The title of a column was clicked; the cursor is in that column by now."""

    def __init__(self, background: Background, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._background = background
        self._viewport = GridViewport()
        self._message = ("", "")
        self._known: dict[str, Mapping[str, Cell]] = {}
        self._asked: tuple[object, ...] = ()
        self._marked: Region | None = None

    # What is shown

    @property
    def cursor_row(self) -> str | None:
        """The key of the row under the cursor; None without rows."""
        return self._viewport.rows.key

    @property
    def cursor_column(self) -> str | None:
        """The key of the column under the cursor; None without columns."""
        return self._viewport.columns.key

    @property
    def rows_in_sight(self) -> tuple[str, ...]:
        """The keys of the visible rows."""
        return tuple(row.key for row in self._viewport.rows_in_sight)

    @property
    def columns_in_sight(self) -> tuple[str, ...]:
        """The keys of the visible columns."""
        return self._viewport.columns_in_sight

    def show(self, source: GridSource) -> None:
        """Show another table, or the same table with new content."""
        before = self._viewport.source
        if before is None or source.meaning != before.meaning:
            self._known.clear()
        self._viewport.show(source)
        self._show_all()

    def say(self, headline: str, hint: str = "") -> None:
        """Show a message instead of a table."""
        self._message = headline, hint
        self._asked = ()
        self._viewport.show(None)
        self._show_all()

    def move_to_column(self, key: str) -> None:
        """Move the cursor to column `key` and scroll to it; nothing happens without such a column."""
        if key in self._viewport.columns:
            self._move(column=self._viewport.columns.index_of(key))

    # Drawing

    def _show_all(self) -> None:
        """Draw the visible part, and request the cells of it that are not known."""
        if self._cells.glyphs.shape != (self._viewport.height, self._viewport.width):
            self.clear(self._viewport.height, self._viewport.width)
        self.put(0, 0, self._picture())
        self._mark_cursor()
        self._ask()

    def _picture(self) -> Cells:
        view, focused = self._viewport, self.has_focus
        if view.source is None:
            return notice(*self._message, view.width, view.height)
        column = view.columns.cursor if focused else None
        header = draw_header(view.heads, view.source.corner, view.names_width, view.width, column)
        if view.places:
            last = len(view.columns) - 1
            write_more(header, view.names_width, view.places[0].index, last - view.places[-1].index)
        names = draw_names(view.rows_in_sight, view.names_width, view.cursor_row if focused else None)
        edge = draw_edge(view.body_height, len(view.rows), view.rows.first)
        parts = [(0, 0, header), (HEADER_HEIGHT, 0, names), (HEADER_HEIGHT, view.width - 1, edge)]
        parts += ((HEADER_HEIGHT, place.x, self._column(place)) for place in view.places)
        return together(parts, view.height, view.width)

    def _column(self, place: ColumnPlace) -> Cells:
        known = self._known.get(self._viewport.columns.keys[place.index], NO_CELLS)
        return draw_column(known, self._viewport.rows_in_sight, place.width)

    def _mark_cursor(self) -> None:
        """Repaint the old and the new cell of the cursor."""
        y, place = self._viewport.cursor_row, self._viewport.cursor_place
        region = None
        if self.has_focus and y is not None and place is not None:
            region = Region(place.x, HEADER_HEIGHT + y, place.width, 1)
        if region != self._marked:
            for changed in (self._marked, region):
                if changed is not None:
                    self.refresh(changed)
            self._marked = region

    def render_line(self, y: int) -> Strip:
        """Return row `y`, with the cell under the cursor on its own background."""
        strip, marked = super().render_line(y), self._marked
        if marked is None or y != marked.y or marked.right > strip.cell_length:
            return strip
        look = self.get_component_rich_style("data-grid--cursor")
        before, cell, after = strip.divide([marked.x, marked.right, strip.cell_length])
        if look.reverse:  # reversed inks would make coloured patches
            cell = Strip([Segment(cell.text, self.rich_style + look)], cell.cell_length)
        else:
            lead = Style(bgcolor=look.bgcolor, bold=True)
            cell = Strip([Segment(text, (style or lead) + lead) for text, style, _ in cell], cell.cell_length)
        return Strip.join([before, cell, after])

    # Cells

    def _ask(self) -> None:
        """Request the cells of the visible columns unless that has been done."""
        source, columns, rows = self._viewport.source, self.columns_in_sight, self.rows_in_sight
        if source is None or (source, columns) == self._asked:
            return
        self._asked = source, columns
        self._known = {column: self._known[column] for column in columns if column in self._known}
        self._background.ask("cells", lambda: source.cells(columns, rows), self._take, self._fail)

    def _take(self, result: CellsOfColumn) -> None:
        column, cells = result
        place = self._viewport.place_of(column)
        if place is not None and self._known.get(column) is not cells:
            self._known[column] = cells
            self.put(HEADER_HEIGHT, place.x, self._column(place))

    def _fail(self, error: Exception) -> None:
        self.say("the table cannot be worked out", f"{type(error).__name__}: {error}")
        # Textual does not pass a message on to its sender: without this the pane would count as the sender.
        self.post_message(self.Moved().set_sender(self))

    # Keys

    def _move(self, *, row: int | None = None, column: int | None = None) -> None:
        before = self.cursor_row, self.cursor_column
        if row is not None:
            self._viewport.move_to_row(row)
        if column is not None:
            self._viewport.move_to_column(column)
        self._show_all()
        if (self.cursor_row, self.cursor_column) != before:
            self.post_message(self.Moved())

    def action_move(self, rows: int) -> None:
        """Move the cursor down by `rows`."""
        self._move(row=self._viewport.rows.cursor + rows)

    def action_move_column(self, columns: int) -> None:
        """Move the cursor right by `columns`."""
        self._move(column=self._viewport.columns.cursor + columns)

    def action_move_page(self, pages: int) -> None:
        """Move the cursor down by `pages` screens."""
        self.action_move(pages * max(self._viewport.body_height - 1, 1))

    def action_move_columns_page(self, pages: int) -> None:
        """Move the cursor by the number of visible columns, `pages` times."""
        self.action_move_column(pages * max(len(self._viewport.places), 1))

    def action_move_to(self, row: int) -> None:
        """Move the cursor to a row; -1 is the last."""
        self._move(row=row if row >= 0 else len(self._viewport.rows) - 1)

    def watch_has_focus(self, focused: bool) -> None:
        """Show the cursor only while the table has the focus."""
        super().watch_has_focus(focused)
        self._show_all()

    def on_resize(self) -> None:
        """Fit the table to the new size."""
        self._viewport.resize(self.size.width, self.size.height)
        self._marked = None
        self._show_all()

    # Mouse

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked cell, or to the column of the clicked title."""
        offset = event.get_content_offset(self)
        if offset is None or self._viewport.source is None:
            return
        event.stop()
        row, column = self._viewport.row_at(offset.y), self._viewport.column_at(offset.x)
        if row is not None:
            self._move(row=row, column=column)
        elif column is not None and offset.y < HEADER_HEIGHT:
            self._move(column=column)
            self.post_message(self.HeadChosen())

    def turned(self, across: int, down: int) -> None:
        """Scroll the columns, or the rows."""
        self._viewport.scroll_columns(across)
        self._viewport.scroll_rows(down * WHEEL_ROWS)
        self._show_all()
