"""A table of any size as one widget: it draws the visible cells and repaints only those that changed."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.styled_text import Cell, Row, row_pieces
from tbtui.charts.text import cell_width, fit, shorten, write
from tbtui.widgets.cells_view import WHEEL_ROWS, CellsView, WheelMixin
from tbtui.widgets.empty_state import draw_empty_state
from tbtui.widgets.grid_viewport import (
    HEADER_HEIGHT,
    CellsOfColumn,
    ColumnHead,
    ColumnSpan,
    GridSource,
    GridViewport,
)
from tbtui.widgets.row_list import choose_edge_glyph
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from textual import events

    from tbtui.charts.styled_text import Piece
    from tbtui.widgets.worker import Worker


PENDING: Cell = (("…", Ink.FAINT),)
"""Shown at the right end of a column for a cell that is not computed yet."""

RULE, PIN_RULE = "─", "│"


def draw_names(rows: Sequence[Row], width: int, cursor: int | None) -> Cells:
    """Draw the first column of the visible rows; the label of row `cursor` is bold."""
    cells = Cells.blank(len(rows), width)
    for y, row in enumerate(rows):
        _write_pieces(cells, y, row_pieces(replace(row, ink=Ink.BOLD, dim_characters=0) if y == cursor else row, width))
    return cells


def draw_column(cells_by_row: Mapping[str, Cell], rows: Sequence[str], width: int) -> Cells:
    """Draw the cells of one column in the rows with these keys."""
    cells = Cells.blank(len(rows), width)
    for y, row in enumerate(rows):
        cell = cells_by_row.get(row)
        if cell is None:
            write(cells, y, width - 1, *PENDING[0])
        else:
            _write_pieces(cells, y, cell)
    return cells


def draw_header(
    heads: Sequence[tuple[ColumnSpan, ColumnHead]], corner: str, names: int, width: int, cursor: int | None
) -> Cells:
    """Draw groups above titles.

    Args:
        heads: The visible columns.
        corner: Title of the first column.
        names: Width of the first column.
        width: Width of the header.
        cursor: Index of the column whose title is bold.
    """
    cells = Cells.blank(HEADER_HEIGHT, width)
    write(cells, 1, 0, fit(corner, names), Ink.DIM)
    for group, members in groupby(heads, key=lambda each: each[1].group):
        spans = [span for span, _ in members]
        if group:
            _write_group(cells, group, spans[0].x, spans[-1].end)
    for span, head in heads:
        _write_title(cells, span, head, is_under_cursor=span.index == cursor)
    return cells


def write_more(header: Cells, names: int, before: int, after: int) -> None:
    """Write the numbers of hidden columns: `‹ 3` above the first column, `24 ›` at the right end."""
    if before:
        text = f"‹ {before:,}"
        write(header, 0, max(names - len(text), 0), fit(text, max(names, 1)), Ink.ACCENT)
    if after:
        text = f" {after:,} ›"
        write(header, 0, header.width - len(text), text, Ink.ACCENT)


def draw_edge(height: int, count: int, first: int) -> Cells:
    """Draw the right edge, which shows the scroll position; blank if all rows are visible."""
    cells = Cells.blank(height, 1)
    if count > height:
        for y in range(height):
            write(cells, y, 0, choose_edge_glyph(y, height, count, first), Ink.FAINT)
    return cells


def draw_pin_rule(height: int) -> Cells:
    """Draw the rule after the pinned columns."""
    cells = Cells.blank(height, 1)
    for y in range(height):
        write(cells, y, 0, PIN_RULE, Ink.FAINT)
    return cells


def compose_cells(parts: Iterable[tuple[int, int, Cells]], height: int, width: int) -> Cells:
    """Return one picture of parts, each at (row, column) of its upper left corner; parts outside are cut off."""
    positioned_parts = tuple(parts)
    picture = Cells.blank(height, width, coloured=any(part.colours is not None for _, _, part in positioned_parts))
    for y, x, part in positioned_parts:
        picture.put(y, x, part)
    return picture


def _write_group(cells: Cells, group: str, x: int, end: int) -> None:
    after = write(cells, 0, x, fit(group, end - x), Ink.DIM)
    write(cells, 0, after + 1, RULE * (end - after - 1), Ink.FAINT)


def _write_title(cells: Cells, span: ColumnSpan, head: ColumnHead, *, is_under_cursor: bool) -> None:
    sign = fit(f"{head.sign} " if head.sign else "", span.width)
    title = shorten(head.title, span.width - len(sign))
    x = span.end - cell_width(title) - len(sign) if head.at_right else span.x
    x = write(cells, 1, x, sign, Ink.ACCENT)
    write(cells, 1, x, title, Ink.BOLD if is_under_cursor else Ink.DIM)


def _write_pieces(cells: Cells, y: int, pieces: Sequence[Piece]) -> None:
    x = 0
    for text, ink in pieces:
        x = write(cells, y, x, text, ink)


NO_CELLS: Mapping[str, Cell] = {}


class _ColumnPictures:
    """Cache of the drawn columns in sight. A column is drawn again if its cells, its width or the rows change."""

    def __init__(self) -> None:
        self._pictures: dict[str, tuple[tuple[object, ...], Mapping[str, Cell], Cells]] = {}

    def get(self, column: str, cells_by_row: Mapping[str, Cell], rows: tuple[str, ...], width: int) -> Cells:
        """Return the picture of a column; other cells are another mapping."""
        look = rows, width
        former_look, former_cells, picture = self._pictures.get(column, (None, None, None))
        if picture is None or former_cells is not cells_by_row or former_look != look:
            picture = draw_column(cells_by_row, rows, width)
            self._pictures[column] = look, cells_by_row, picture
        return picture

    def keep(self, columns: Iterable[str]) -> None:
        """Forget all other columns."""
        self._pictures = {column: self._pictures[column] for column in columns if column in self._pictures}


class DataGrid(WheelMixin, CellsView, can_focus=True):
    """Shows rows and columns with a cursor. The first column is fixed while the others scroll.

    Cursor and scroll position are kept by key while rows and columns are added, removed and reordered. Widths depend on
    names and heads alone, so nothing moves when cells change or become visible.

    Args:
        worker: Computes the cells.
        names: The cursor can be on the name of a row, where it is at first; `cursor_column` is None then.
        wide_names: Names take the width that all columns leave; those that fit are not shortened.
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
        Binding("left,h", "move_column(-1)", "column previous", show=False, id="table.left"),
        Binding("right,l", "move_column(1)", "column next", show=False, id="table.right"),
        Binding(PAGE_UP_KEYS, "move_page(-1)", "page up", show=False, id="table.page_up"),
        Binding(PAGE_DOWN_KEYS, "move_page(1)", "page down", show=False, id="table.page_down"),
        Binding("shift+left,H", "move_columns_page(-1)", "columns back", show=False, id="table.columns_back"),
        Binding("shift+right,L", "move_columns_page(1)", "columns on", show=False, id="table.columns_on"),
        Binding("g,home", "move_to(0)", "first row", show=False, id="table.first"),
        Binding("G,end", "move_to(-1)", "last row", show=False, id="table.last"),
    ]

    class Moved(Message):
        """The cursor is on another cell, or on none."""

    class HeadChosen(Message):
        """The title of a column was clicked; the cursor is in that column by now."""

    def __init__(
        self,
        worker: Worker,
        *,
        names: bool = False,
        wide_names: bool = False,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._has_names = names
        self._is_on_name = names
        self._worker = worker
        self._viewport = GridViewport(wide_names=wide_names)
        self._message = ("", "")
        self._cells_by_column: dict[str, Mapping[str, Cell]] = {}
        self._column_pictures = _ColumnPictures()
        self._request: tuple[object, ...] = ()
        self._marked: Region | None = None
        self._has_wider_columns = False
        """Cells have arrived that are wider than their column."""

    # What is shown

    @property
    def cursor_row(self) -> str | None:
        """The key of the row under the cursor; None without rows."""
        return self._viewport.rows.key

    @property
    def cursor_column(self) -> str | None:
        """The key of the column under the cursor; None without columns, and on a name."""
        return None if self._is_on_name else self._viewport.columns.key

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
            self._cells_by_column.clear()
        self._viewport.show(source)
        self._show_all()

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of a table."""
        self._message = headline, hint
        self._request = ()
        self._viewport.show(None)
        self._show_all()

    def move_to_column(self, key: str) -> None:
        """Move the cursor to column `key` and scroll to it; nothing happens without such a column."""
        if key in self._viewport.columns:
            self._move(column=self._viewport.columns.index_of(key))

    def move_to_row(self, key: str) -> None:
        """Move the cursor to row `key` and scroll to it; nothing happens without such a row."""
        if key in self._viewport.rows:
            self._move(row=self._viewport.rows.index_of(key))

    # Drawing

    def _show_all(self) -> None:
        """Draw the visible part, and request the missing cells of it."""
        if self._cells.glyphs.shape != (self._viewport.height, self._viewport.width):
            self.clear(self._viewport.height, self._viewport.width)
        self.put(0, 0, self._draw_cells())
        self._mark_cursor()
        self._ask()

    def _draw_cells(self) -> Cells:
        view, focused = self._viewport, self.has_focus
        if view.source is None:
            return draw_empty_state(*self._message, view.width, view.height)
        column = view.columns.cursor if focused and not self._is_on_name else None
        header = draw_header(view.heads, view.source.corner, view.names_width, view.width, column)
        write_more(header, view.names_width, *view.hidden_columns)
        names = draw_names(view.rows_in_sight, view.names_width, view.cursor_row if focused else None)
        edge = draw_edge(view.body_height, len(view.rows), view.rows.first)
        parts = [(0, 0, header), (HEADER_HEIGHT, 0, names), (HEADER_HEIGHT, view.width - 1, edge)]
        rows = self.rows_in_sight
        parts += ((HEADER_HEIGHT, span.x, self._draw_column(span, rows)) for span in view.spans)
        self._column_pictures.keep(self.columns_in_sight)
        if view.pinned:
            parts.append((1, view.spans[view.pinned - 1].end, draw_pin_rule(view.height - 1)))
        return compose_cells(parts, view.height, view.width)

    def _draw_column(self, span: ColumnSpan, rows: tuple[str, ...]) -> Cells:
        column = self._viewport.columns.keys[span.index]
        return self._column_pictures.get(column, self._cells_by_column.get(column, NO_CELLS), rows, span.width)

    def _mark_cursor(self) -> None:
        """Repaint the old and the new cell of the cursor."""
        y, span = self._viewport.cursor_row, self._viewport.cursor_span
        region = None
        if self.has_focus and y is not None and self._is_on_name:
            region = Region(0, HEADER_HEIGHT + y, self._viewport.names_width, 1)
        elif self.has_focus and y is not None and span is not None:
            region = Region(span.x, HEADER_HEIGHT + y, span.width, 1)
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
        cursor_style = self.get_component_rich_style("data-grid--cursor")
        before, cell, after = strip.divide([marked.x, marked.right, strip.cell_length])
        if cursor_style.reverse:  # reversed inks would make coloured patches
            cell = Strip([Segment(cell.text, self.rich_style + cursor_style)], cell.cell_length)
        else:
            highlight = Style(bgcolor=cursor_style.bgcolor, bold=True)
            cell = Strip([Segment(text, (style or highlight) + highlight) for text, style, _ in cell], cell.cell_length)
        return Strip.join([before, cell, after])

    # Cells

    def _ask(self) -> None:
        """Request the cells of the visible columns unless that has been done."""
        source, columns, rows = self._viewport.source, self.columns_in_sight, self.rows_in_sight
        if source is None or (source, columns) == self._request:
            return
        self._request = source, columns
        self._cells_by_column = {
            column: self._cells_by_column[column] for column in columns if column in self._cells_by_column
        }
        self._worker.ask("cells", lambda: source.cells(columns, rows), self._take, self._fail)

    def _take(self, result: CellsOfColumn) -> None:
        column, cells = result
        span = self._viewport.get_span(column)
        if span is not None and self._cells_by_column.get(column) is not cells:
            self._cells_by_column[column] = cells
            if self._viewport.source is None or self._viewport.source.head(column).width <= span.width:
                self.put(HEADER_HEIGHT, span.x, self._draw_column(span, self.rows_in_sight))
            elif not self._has_wider_columns:
                # Values that differ only in late digits need more width than a column has at first. All columns whose
                # cells have arrived get it at once.
                self._has_wider_columns = True
                self.call_later(self._widen)

    def _widen(self) -> None:
        self._has_wider_columns = False
        self._viewport.resize(self._viewport.width, self._viewport.height)
        self._show_all()

    def _fail(self, error: Exception) -> None:
        self.show_message("the table cannot be worked out", f"{type(error).__name__}: {error}")
        # Textual does not pass a message on to its sender: without this the pane would count as the sender.
        self.post_message(self.Moved().set_sender(self))

    # Keys

    def _move(self, *, row: int | None = None, column: int | None = None, on_name: bool | None = None) -> None:
        before = self.cursor_row, self.cursor_column
        if self._has_names and (on_name is not None or column is not None):
            self._is_on_name = bool(on_name)
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
        """Move the cursor right by `columns`; to the left of the first column is the name of the row."""
        cursor = self._viewport.columns.cursor
        if self._is_on_name:
            if columns > 0:
                self._move(column=columns - 1)
        elif self._has_names and cursor + columns < 0:
            self._move(column=0, on_name=True)
        else:
            self._move(column=cursor + columns)

    def action_move_page(self, pages: int) -> None:
        """Move the cursor down by `pages` screens."""
        self.action_move(pages * max(self._viewport.body_height - 1, 1))

    def action_move_columns_page(self, pages: int) -> None:
        """Move the cursor by the number of visible columns, `pages` times."""
        self.action_move_column(pages * max(len(self._viewport.spans), 1))

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
        row, column = self._viewport.find_row(offset.y), self._viewport.column_at(offset.x)
        if row is not None:
            is_name = self._has_names and offset.x < self._viewport.names_width
            self._move(row=row, column=column, on_name=True if is_name else None)
        elif column is not None and offset.y < HEADER_HEIGHT:
            self._move(column=column)
            self.post_message(self.HeadChosen())

    def handle_wheel(self, across: int, down: int) -> None:
        """Scroll the columns, or the rows."""
        self._viewport.scroll_columns(across)
        self._viewport.scroll_rows(down * WHEEL_ROWS)
        self._show_all()
