"""A list of any length as one widget: it draws the visible rows and repaints only those that changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, fit, safe, shorten
from tbtui.frozen import frozen
from tbtui.widgets import cells_view as inks
from tbtui.widgets.cells_view import WHEEL_ROWS, Line, Piece, pieces_width, strip_of
from tbtui.widgets.scroll_state import ScrollState
from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


EDGE, THUMB = "▏", "▌"


@frozen
class Row:
    """One row: pieces at the left, a label that is cut if there is no room, pieces at the right."""

    key: str
    """Identity of the row: the cursor follows its key when rows change."""

    lead: tuple[Piece, ...] = ()
    label: str = ""
    """Any text; it is made safe when drawn."""

    ink: int = Ink.TEXT
    faded: int = 0
    """Number of leading characters of the label that are dim."""

    right: tuple[Piece, ...] = ()
    cut_end: bool = False
    """True: the end of a label that is too long is cut; False: its middle."""


def row_pieces(row: Row, width: int) -> tuple[Piece, ...]:
    """Return the row fitted to `width` columns."""
    lead = sum(cell_width(safe(text)) for text, _ in row.lead)
    right = sum(cell_width(safe(text)) for text, _ in row.right)
    room = max(width - lead - (right + 1 if right else 0), 0)
    label = fit(row.label, room) if row.cut_end else shorten(row.label, room)
    faded = min(row.faded, label.find("…") if "…" in label else len(label))
    gap = max(width - lead - cell_width(label) - right, 0)
    return (*row.lead, (label[:faded], Ink.DIM), (label[faded:], row.ink), (" " * gap, Ink.NONE), *row.right)


def edge_glyph(y: int, height: int, count: int, first: int) -> str:
    """Return line `y` of the right edge, a scroll bar for `count` rows of which `height` are visible."""
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


class RowList(MinimalRepaintWidget, can_focus=True):
    """Shows rows with a cursor.

    When rows change, the cursor keeps its row and the row its line on the screen. Until the user moves or scrolls, the
    list stays at its first row, which may change while logs are read.

    Args:
        empty: The text of a list without rows.
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
        super().__init__(id=id)
        self._rows: Sequence[Row] = ()
        self._scroll = ScrollState()
        self._moved = False
        self._drawn: list[_Drawn] = []
        self._empty = empty

    # Scroll state, which subclasses may set

    @property
    def _cursor(self) -> int:
        return self._scroll.cursor

    @_cursor.setter
    def _cursor(self, index: int) -> None:
        self._scroll = replace(self._scroll, cursor=index)

    @property
    def _top(self) -> int:
        return self._scroll.first

    @_top.setter
    def _top(self, first: int) -> None:
        self._scroll = replace(self._scroll, first=first)

    # Rows

    @property
    def rows(self) -> Sequence[Row]:
        """All rows, visible or not."""
        return self._rows

    @property
    def cursor_key(self) -> str | None:
        """The key of the row under the cursor; None without rows."""
        return self._rows[self._cursor].key if self._rows else None

    def show_rows(self, rows: Sequence[Row], empty: str = "") -> None:
        """Show other rows; the cursor keeps its row, or moves to the next row that is left.

        Args:
            rows: The rows; kept, never changed.
            empty: The text of a list without rows.
        """
        self._empty = empty
        if rows is not self._rows and rows != self._rows:
            offset = self._cursor - self._top
            is_cursor_visible = 0 <= offset < self.size.height
            cursor, top = self._follow(rows, self._cursor), self._follow(rows, self._top)
            first = cursor - offset if is_cursor_visible else top
            self._rows = rows
            self._scroll = ScrollState(len(rows), self.size.height, cursor, first) if self._moved else ScrollState()
        self._show_from(self._top)

    def _follow(self, rows: Sequence[Row], index: int) -> int:
        """Return the new index of the row at `index`, or of the first row below it that is left."""
        before = self._rows
        if index < min(len(rows), len(before)) and rows[index].key == before[index].key:
            return index
        places = {row.key: place for place, row in enumerate(rows)}
        found = (places[row.key] for row in before[index:] if row.key in places)
        return next(found, max(min(index, len(rows) - 1), 0))

    def move_to_key(self, key: str) -> None:
        """Move the cursor to the row with `key`; nothing happens without such a row."""
        for index, row in enumerate(self._rows):
            if row.key == key:
                self.action_move_to(index)
                return

    # Drawing

    def _show_from(self, top: int) -> None:
        """Scroll to a first row, within the limits, and repaint."""
        self._scroll = self._fitted_scroll().scrolled_to(top)
        self._redraw()

    def _fitted_scroll(self) -> ScrollState:
        """Return the scroll state for the present rows and height."""
        return replace(self._scroll, count=len(self._rows), height=self.size.height)

    def _redraw(self) -> None:
        """Repaint the lines that changed."""
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
        """Return line `y`."""
        width, styles, base = self.size.width, inks.styles(self.app), self.rich_style
        if y >= len(self._drawn):
            return Strip.blank(width, base)
        drawn = self._drawn[y]
        if drawn.row is not None:
            style = base + self.get_component_rich_style("row-list--cursor") if drawn.marked else base
            pieces = row_pieces(drawn.row, width - 2)
            if style.reverse:  # reversed inks would make coloured patches
                pieces = tuple((text, Ink.TEXT) for text, _ in pieces)
            content = strip_of(pieces, width - 1, styles, style)
        else:
            text = f" {self._empty}" if y == 0 and not self._rows else ""
            content = strip_of(((text, Ink.DIM),), width - 1, styles, base)
        return Strip([*content, *strip_of(((drawn.edge, Ink.FAINT),), 1, styles, base)], width)

    # Keys and mouse

    def action_move(self, rows: int) -> None:
        """Move the cursor down by `rows`."""
        self.action_move_to(max(self._cursor + rows, 0))

    def action_move_page(self, pages: int) -> None:
        """Move the cursor down by `pages` screens."""
        self.action_move(pages * self._fitted_scroll().page)

    def action_move_to(self, index: int) -> None:
        """Move the cursor to a row and scroll to it; -1 is the last."""
        if not self._rows:
            return
        before, self._moved = self._cursor, True
        self._scroll = self._fitted_scroll().moved_to(index)
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
        self._scroll = scroll.resized(self.size.height, keep_cursor=self.has_focus)
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


# The tab strip: all tabs in one line, each with the digit that opens it.


GAP = "  "
MORE = "…"


class TabStrip(Line):
    """Shows the titles of the tabs. If not all fit, the open tab and its neighbours are shown."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._tabs: tuple[tuple[str, str], ...] = ()
        self._open = ""
        self._ends: list[tuple[int, str]] = []

    def show_tabs(self, tabs: Sequence[tuple[str, str]], opened: str) -> None:
        """Show other tabs.

        Args:
            tabs: Name and title of each.
            opened: Name of the open one.
        """
        self._tabs, self._open = tuple(tabs), opened
        self._lay_out()

    def _lay_out(self) -> None:
        """Lay the titles out and record the column where each ends."""
        pieces: list[Piece] = []
        self._ends = []
        first, last = self._visible_range()
        if first > 0:
            pieces.append((MORE, Ink.FAINT))
        for index in range(first, last):
            name, title = self._tabs[index]
            opened = name == self._open
            pieces += [(f" {index + 1} ", Ink.ACCENT if opened else Ink.FAINT)]
            pieces += [(title, Ink.BOLD if opened else Ink.DIM), (GAP, Ink.NONE)]
            self._ends.append((pieces_width(pieces), name))
        if last < len(self._tabs):
            pieces.append((MORE, Ink.FAINT))
        self.show(pieces)

    def _visible_range(self) -> tuple[int, int]:
        """Return the index of the first visible tab, and the index after the last."""
        widths = [pieces_width(((f" {i} {title}{GAP}", 0),)) for i, (_, title) in enumerate(self._tabs, 1)]
        opened = next((i for i, (name, _) in enumerate(self._tabs) if name == self._open), 0)
        first, last = 0, len(widths)

        def too_wide() -> bool:
            behind = len(MORE) if last < len(widths) else -len(GAP)
            return sum(widths[first:last]) + len(MORE) * (first > 0) + behind > self.size.width

        while last - 1 > opened and too_wide():
            last -= 1
        while first < opened and too_wide():
            first += 1
        return first, last

    def on_resize(self) -> None:
        """Show the tabs that fit."""
        self._lay_out()

    def on_click(self, event: events.Click) -> None:
        """Open the clicked tab."""
        offset = event.get_content_offset(self)
        name = None if offset is None else next((name for end, name in self._ends if offset.x < end), None)
        if name is not None:
            event.stop()
            self.post_message(self.Chosen(name))
