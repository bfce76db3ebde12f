"""A list of any length as one widget: it draws the rows in sight and repaints those that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, fit, safe, shorten
from tbtui.frozen import frozen
from tbtui.widgets import inks
from tbtui.widgets.line import Piece, strip_of
from tbtui.widgets.textual_patches.minimal_repaint import LeanWidget
from tbtui.widgets.wheel import WHEEL_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

EDGE, THUMB = "▏", "▌"


@frozen
class Row:
    """One row: what stands left, a label that gives way where there is no room, what stands right."""

    key: str
    """Tells rows apart: the cursor stays on its key when rows come and go."""

    lead: tuple[Piece, ...] = ()
    label: str = ""
    """Any text; it is made safe when drawn."""

    ink: int = Ink.TEXT
    faded: int = 0
    """How many leading characters of the label are dim."""

    right: tuple[Piece, ...] = ()
    cut_end: bool = False
    """A label too long loses its end; otherwise its middle."""


def row_pieces(row: Row, width: int) -> tuple[Piece, ...]:
    """The row fitted to `width` columns."""
    lead = sum(cell_width(safe(text)) for text, _ in row.lead)
    right = sum(cell_width(safe(text)) for text, _ in row.right)
    room = max(width - lead - (right + 1 if right else 0), 0)
    label = fit(row.label, room) if row.cut_end else shorten(row.label, room)
    faded = min(row.faded, label.find("…") if "…" in label else len(label))
    gap = max(width - lead - cell_width(label) - right, 0)
    return (*row.lead, (label[:faded], Ink.DIM), (label[faded:], row.ink), (" " * gap, Ink.NONE), *row.right)


def edge_glyph(y: int, height: int, count: int, first: int) -> str:
    """Line `y` of the right edge, which shows how far `count` rows are scrolled in a room of `height` lines."""
    if count <= height:
        return EDGE
    size = max(1, height * height // count)
    start = round(first / (count - height) * (height - size))
    return THUMB if start <= y < start + size else EDGE


@frozen
class _Drawn:
    row: Row | None
    marked: bool
    edge: str


class RowList(LeanWidget, can_focus=True):
    """Rows with a cursor.

    When rows change the cursor stays on its row, and that row at its place on the screen: nothing jumps. Until the user
    has moved or scrolled, the list stays at its first row, which others may take the place of while logs are read.
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
        Binding("pageup", "move_page(-1)", "page back", show=False),
        Binding("pagedown", "move_page(1)", "page on", show=False),
        Binding("g,home", "move_to(0)", "first", show=False),
        Binding("G,end", "move_to(-1)", "last", show=False),
    ]

    class Chosen(Message):
        """The row under the cursor was clicked."""

    class Moved(Message):
        """The cursor is on another row."""

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        """Begin without rows.

        Args:
            empty: What is said when there are none.
            id: As every widget's.
        """
        super().__init__(id=id)
        self._rows: Sequence[Row] = ()
        self._cursor = 0
        self._top = 0
        self._moved = False
        self._drawn: list[_Drawn] = []
        self._empty = empty

    # What is shown

    @property
    def rows(self) -> Sequence[Row]:
        """All rows, those in sight and the others."""
        return self._rows

    @property
    def cursor_key(self) -> str | None:
        """Key of the row under the cursor; None without rows."""
        return self._rows[self._cursor].key if self._rows else None

    def show_rows(self, rows: Sequence[Row], empty: str = "") -> None:
        """Show other rows; the cursor keeps its row, or goes to the next one that is left.

        Args:
            rows: What to show; kept, never changed.
            empty: What is said when there are none.
        """
        self._empty = empty
        if rows is not self._rows and rows != self._rows:
            offset = self._cursor - self._top
            in_sight = 0 <= offset < self.size.height
            cursor, top = self._follow(rows, self._cursor), self._follow(rows, self._top)
            self._rows, self._cursor = rows, cursor
            self._top = cursor - offset if in_sight else top
            if not self._moved:
                self._cursor = self._top = 0
        self._show_from(self._top)

    def _follow(self, rows: Sequence[Row], index: int) -> int:
        """Where the row at `index`, or the first of those below it that are left, stands in other rows."""
        before = self._rows
        if index < min(len(rows), len(before)) and rows[index].key == before[index].key:
            return index
        places = {row.key: place for place, row in enumerate(rows)}
        found = (places[row.key] for row in before[index:] if row.key in places)
        return next(found, max(min(index, len(rows) - 1), 0))

    def move_to_key(self, key: str) -> None:
        """Put the cursor on the row with `key`; nothing when there is none."""
        for index, row in enumerate(self._rows):
            if row.key == key:
                self.action_move_to(index)
                return

    # Drawing

    def _show_from(self, top: int) -> None:
        self._top = max(0, min(top, len(self._rows) - self.size.height))
        self._redraw()

    def _redraw(self) -> None:
        """Repaint the lines that differ from what they were."""
        drawn = [self._line(y) for y in range(self.size.height)]
        before, self._drawn = self._drawn, drawn
        if len(before) != len(drawn):
            self.refresh()
            return
        for y, (old, new) in enumerate(zip(before, drawn, strict=True)):
            if old != new:
                self.refresh(Region(0, y, self.size.width, 1))

    def _line(self, y: int) -> _Drawn:
        index = self._top + y
        row = self._rows[index] if index < len(self._rows) else None
        edge = edge_glyph(y, self.size.height, len(self._rows), self._top)
        return _Drawn(row, row is not None and index == self._cursor and self.has_focus, edge)

    def render_line(self, y: int) -> Strip:
        """Row `y` of the screen."""
        width, styles, base = self.size.width, inks.styles(self.app), self.rich_style
        if y >= len(self._drawn):
            return Strip.blank(width, base)
        drawn = self._drawn[y]
        if drawn.row is not None:
            style = base + self.get_component_rich_style("row-list--cursor") if drawn.marked else base
            pieces = row_pieces(drawn.row, width - 2)
            if style.reverse:  # inks turned into backgrounds would make patches of the row
                pieces = tuple((text, Ink.TEXT) for text, _ in pieces)
            content = strip_of(pieces, width - 1, styles, style)
        else:
            says = f" {self._empty}" if y == 0 and not self._rows else ""
            content = strip_of(((says, Ink.DIM),), width - 1, styles, base)
        return Strip([*content, *strip_of(((drawn.edge, Ink.FAINT),), 1, styles, base)], width)

    # Keys and mouse

    def action_move(self, rows: int) -> None:
        """Move the cursor so many rows down."""
        self.action_move_to(max(self._cursor + rows, 0))

    def action_move_page(self, pages: int) -> None:
        """Move the cursor so many screens down."""
        self.action_move(pages * max(self.size.height - 1, 1))

    def action_move_to(self, index: int) -> None:
        """Put the cursor on a row and bring it into sight; -1 is the last."""
        if not self._rows:
            return
        last = len(self._rows) - 1
        before, self._moved = self._cursor, True
        self._cursor = last if index < 0 else min(index, last)
        self._show_from(min(self._cursor, max(self._top, self._cursor - self.size.height + 1)))
        if self._cursor != before:
            self.post_message(self.Moved())

    def watch_has_focus(self, focused: bool) -> None:
        """The cursor shows only where the keys go."""
        super().watch_has_focus(focused)
        self._redraw()

    def on_resize(self) -> None:
        """Keep the cursor in sight when there are fewer lines."""
        self._show_from(max(self._top, self._cursor - self.size.height + 1) if self.has_focus else self._top)
        self.refresh()

    def focus_on_click(self) -> bool:
        """The right edge is no part of the list: what is done to it leaves the keys where they are."""
        return self.app.mouse_position.x != self.region.right - 1

    def on_click(self, event: events.Click) -> None:
        """Choose the row under the mouse."""
        offset = event.get_content_offset(self)
        on_row = offset is not None and offset.x < self.size.width - 1
        if offset is not None and on_row and self._top + offset.y < len(self._rows):
            event.stop()
            self.action_move_to(self._top + offset.y)
            self.post_message(self.Chosen())

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll; the cursor stays on its row."""
        event.stop()
        self._moved = True
        self._show_from(self._top + WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll; the cursor stays on its row."""
        event.stop()
        self._moved = True
        self._show_from(self._top - WHEEL_ROWS)
