"""A table of any size as one widget: it draws the cells in sight and repaints those that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from tbtui.widgets.grid_drawing import draw_column, draw_edge, draw_header, draw_names, together, write_more
from tbtui.widgets.grid_layout import HEADER_HEIGHT
from tbtui.widgets.grid_sight import GridSight
from tbtui.widgets.notice import notice
from tbtui.widgets.picture import Picture
from tbtui.widgets.wheel import WHEEL_ROWS, Wheel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import events

    from tbtui.charts.cells import Cells
    from tbtui.widgets.background import Background
    from tbtui.widgets.grid_layout import ColumnPlace
    from tbtui.widgets.grid_source import Cell, CellsOfColumn, GridSource

NOTHING_KNOWN: Mapping[str, Cell] = {}


class DataGrid(Wheel, Picture, can_focus=True):
    """Rows and columns with a cursor; the first column stays where it is while the others scroll.

    The cursor and what is in sight are kept by key: rows and columns may come, go and change places. Widths depend on
    names and heads alone, so nothing moves when other cells come into sight or change.

    Args:
        background: Works out the cells.
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
        """The cursor is on another cell, or on none any more."""

    class HeadChosen(Message):
        """The title of a column was clicked; the cursor is in that column."""

    def __init__(self, background: Background, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._background = background
        self._sight = GridSight()
        self._message = ("", "")
        self._known: dict[str, Mapping[str, Cell]] = {}
        self._asked: tuple[object, ...] = ()
        self._marked: Region | None = None

    # What is shown

    @property
    def cursor_row(self) -> str | None:
        """Key of the row under the cursor; None without rows."""
        return self._sight.rows.key

    @property
    def cursor_column(self) -> str | None:
        """Key of the column under the cursor; None without columns."""
        return self._sight.columns.key

    @property
    def rows_in_sight(self) -> tuple[str, ...]:
        """Keys of the rows on the screen."""
        return tuple(row.key for row in self._sight.rows_in_sight)

    @property
    def columns_in_sight(self) -> tuple[str, ...]:
        """Keys of the columns on the screen."""
        return self._sight.columns_in_sight

    def show(self, source: GridSource) -> None:
        """Show another table, or the same with other content."""
        before = self._sight.source
        if before is None or source.meaning != before.meaning:
            self._known.clear()
        self._sight.show(source)
        self._show_all()

    def say(self, headline: str, hint: str = "") -> None:
        """Show no table but say why."""
        self._message = headline, hint
        self._asked = ()
        self._sight.show(None)
        self._show_all()

    def move_to_column(self, key: str) -> None:
        """Put the cursor into column `key` and bring it into sight; nothing when there is no such column."""
        if key in self._sight.columns:
            self._move(column=self._sight.columns.index_of(key))

    # Drawing

    def _show_all(self) -> None:
        """Draw everything in sight, and have worked out what is not known of it."""
        if self._cells.glyphs.shape != (self._sight.height, self._sight.width):
            self.clear(self._sight.height, self._sight.width)
        self.put(0, 0, self._picture())
        self._mark_cursor()
        self._ask()

    def _picture(self) -> Cells:
        sight, focused = self._sight, self.has_focus
        if sight.source is None:
            return notice(*self._message, sight.width, sight.height)
        column = sight.columns.cursor if focused else None
        header = draw_header(sight.heads, sight.source.corner, sight.names_width, sight.width, column)
        if sight.places:
            last = len(sight.columns) - 1
            write_more(header, sight.names_width, sight.places[0].index, last - sight.places[-1].index)
        names = draw_names(sight.rows_in_sight, sight.names_width, sight.cursor_row if focused else None)
        edge = draw_edge(sight.body_height, len(sight.rows), sight.rows.first)
        parts = [(0, 0, header), (HEADER_HEIGHT, 0, names), (HEADER_HEIGHT, sight.width - 1, edge)]
        parts += ((HEADER_HEIGHT, place.x, self._column(place)) for place in sight.places)
        return together(parts, sight.height, sight.width)

    def _column(self, place: ColumnPlace) -> Cells:
        known = self._known.get(self._sight.columns.keys[place.index], NOTHING_KNOWN)
        return draw_column(known, self._sight.rows_in_sight, place.width)

    def _mark_cursor(self) -> None:
        """Repaint where the cursor was and where it is."""
        y, place = self._sight.cursor_row, self._sight.cursor_place
        region = None
        if self.has_focus and y is not None and place is not None:
            region = Region(place.x, HEADER_HEIGHT + y, place.width, 1)
        if region != self._marked:
            for changed in (self._marked, region):
                if changed is not None:
                    self.refresh(changed)
            self._marked = region

    def render_line(self, y: int) -> Strip:
        """Row `y` of the picture, the cell under the cursor on a background of its own."""
        strip, marked = super().render_line(y), self._marked
        if marked is None or y != marked.y or marked.right > strip.cell_length:
            return strip
        look = self.get_component_rich_style("data-grid--cursor")
        before, cell, after = strip.divide([marked.x, marked.right, strip.cell_length])
        if look.reverse:  # inks turned into backgrounds would make patches of the cell
            cell = Strip([Segment(cell.text, self.rich_style + look)], cell.cell_length)
        else:
            lead = Style(bgcolor=look.bgcolor, bold=True)
            cell = Strip([Segment(text, (style or lead) + lead) for text, style, _ in cell], cell.cell_length)
        return Strip.join([before, cell, after])

    # What is not known yet

    def _ask(self) -> None:
        """Have the columns in sight worked out, unless that was asked for already."""
        source, columns, rows = self._sight.source, self.columns_in_sight, self.rows_in_sight
        if source is None or (source, columns) == self._asked:
            return
        self._asked = source, columns
        self._known = {column: self._known[column] for column in columns if column in self._known}
        self._background.ask("cells", lambda: source.cells(columns, rows), self._take, self._fail)

    def _take(self, result: CellsOfColumn) -> None:
        column, cells = result
        place = self._sight.place_of(column)
        if place is not None and self._known.get(column) is not cells:
            self._known[column] = cells
            self.put(HEADER_HEIGHT, place.x, self._column(place))

    def _fail(self, error: Exception) -> None:
        self.say("the table cannot be worked out", f"{type(error).__name__}: {error}")
        # Handed on by the pane it would count as sent by it, and what a parent has sent is not passed on to it.
        self.post_message(self.Moved().set_sender(self))

    # Keys

    def _move(self, *, row: int | None = None, column: int | None = None) -> None:
        before = self.cursor_row, self.cursor_column
        if row is not None:
            self._sight.move_to_row(row)
        if column is not None:
            self._sight.move_to_column(column)
        self._show_all()
        if (self.cursor_row, self.cursor_column) != before:
            self.post_message(self.Moved())

    def action_move(self, rows: int) -> None:
        """Move the cursor so many rows down."""
        self._move(row=self._sight.rows.cursor + rows)

    def action_move_column(self, columns: int) -> None:
        """Move the cursor so many columns to the right."""
        self._move(column=self._sight.columns.cursor + columns)

    def action_move_page(self, pages: int) -> None:
        """Move the cursor so many screens down."""
        self.action_move(pages * max(self._sight.body_height - 1, 1))

    def action_move_columns_page(self, pages: int) -> None:
        """Move the cursor by as many columns as are in sight."""
        self.action_move_column(pages * max(len(self._sight.places), 1))

    def action_move_to(self, row: int) -> None:
        """Put the cursor on a row; -1 is the last."""
        self._move(row=row if row >= 0 else len(self._sight.rows) - 1)

    def watch_has_focus(self, focused: bool) -> None:
        """The cursor shows only where the keys go."""
        super().watch_has_focus(focused)
        self._show_all()

    def on_resize(self) -> None:
        """Show what fits."""
        self._sight.resize(self.size.width, self.size.height)
        self._marked = None
        self._show_all()

    # Mouse

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the cell under the mouse, or into the column whose title it is."""
        offset = event.get_content_offset(self)
        if offset is None or self._sight.source is None:
            return
        event.stop()
        row, column = self._sight.row_at(offset.y), self._sight.column_at(offset.x)
        if row is not None:
            self._move(row=row, column=column)
        elif column is not None and offset.y < HEADER_HEIGHT:
            self._move(column=column)
            self.post_message(self.HeadChosen())

    def turned(self, across: int, down: int) -> None:
        """Scroll the columns, or the rows."""
        self._sight.scroll_columns(across)
        self._sight.scroll_rows(down * WHEEL_ROWS)
        self._show_all()
