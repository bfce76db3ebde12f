"""One chart in full size, with the table of its runs below."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write
from tbtui.widgets.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from textual import events

    from tbtui.widgets.background import Background
    from tbtui.widgets.frames import Opened, OpenPainter


class ChartClosed(Message):
    """The user went back to the grid."""


class ChartTurned(Message):
    """The user asked for a neighbouring chart."""

    def __init__(self, cards: int) -> None:
        super().__init__()
        self.cards = cards
        """How many cards further on; negative goes back."""


class ChartView(Picture, can_focus=True):
    """Shows one card in full size.

    Args:
        background: Computes the picture.
    """

    DEFAULT_CSS = """
    ChartView { padding-right: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "back", id="chart.close"),
        Binding("left,h", "turn(-1)", "previous", id="chart.previous"),
        Binding("right,l", "turn(1)", "next", id="chart.next"),
        Binding("up,k", "scroll_table(-1)", "runs up", show=False, id="chart.up"),
        Binding("down,j", "scroll_table(1)", "runs down", show=False, id="chart.down"),
        Binding("pageup", "page_table(-1)", "runs page up", show=False, id="chart.page_up"),
        Binding("pagedown", "page_table(1)", "runs page down", show=False, id="chart.page_down"),
        Binding("g,home", "scroll_table(-1000000)", "first run", show=False, id="chart.first"),
        Binding("G,end", "scroll_table(1000000)", "last run", show=False, id="chart.last"),
    ]

    def __init__(self, background: Background, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._background = background
        self._painter: OpenPainter | None = None
        self._key: str | None = None
        self._opened: Opened | None = None
        self._shown_look: Hashable = None
        self._first_row = 0

    @property
    def key(self) -> str | None:
        """The card shown; None when there is none."""
        return self._key

    def show(self, painter: OpenPainter, key: str) -> None:
        """Show card `key`, or the same with other content."""
        if key != self._key:
            self._key, self._opened, self._shown_look, self._first_row = key, None, None, 0
        self._painter = painter
        self._ask()

    def forget(self) -> None:
        """Show nothing any more."""
        self._key = self._opened = self._painter = None

    def _ask(self) -> None:
        painter, key, size = self._painter, self._key, self.size
        if painter is None or key is None or not size:
            return
        known = (self._shown_look, self._opened)
        self._background.ask(
            "opened", lambda: _open(painter, key, size.width, size.height, known), self._take, self._fail
        )

    def _take(self, result: tuple[Hashable, Opened]) -> None:
        self._shown_look, self._opened = result
        self._draw()

    def _fail(self, error: Exception) -> None:
        raise error

    # Drawing

    @property
    def _room(self) -> int:
        """Rows for the body of the table."""
        return 0 if self._opened is None else max(0, self.size.height - self._opened.picture.height - 1)

    @property
    def _rows_in_sight(self) -> int:
        """Rows of the table in sight; one goes to the count of the others when not all fit."""
        if self._opened is None or self._opened.rows.height <= self._room:
            return self._room
        return max(0, self._room - 1)

    def _draw(self) -> None:
        opened = self._opened
        if opened is None:
            return
        size = (self.size.height, self.size.width)
        if self._cells.glyphs.shape != size:
            self.clear(*size)
        self._first_row = max(0, min(self._first_row, opened.rows.height - self._rows_in_sight))
        self.put(0, 0, opened.picture)
        self.put(opened.picture.height, 0, opened.header)
        self.put(opened.picture.height + 1, 0, self._table(opened))

    def _table(self, opened: Opened) -> Cells:
        """The rows in sight, and how many are not."""
        table = Cells.blank(self._room, self.size.width)
        first, end = self._first_row, min(self._first_row + self._rows_in_sight, opened.rows.height)
        width = min(table.width, opened.rows.width)
        table.glyphs[: end - first, :width] = opened.rows.glyphs[first:end, :width]
        table.inks[: end - first, :width] = opened.rows.inks[first:end, :width]
        if opened.rows.height > self._room > 0:
            text = f"⋯ {first + 1}–{end} of {opened.rows.height}, ↑ ↓ for the others"
            write(table, table.height - 1, 2, text, Ink.DIM)
        return table

    # Keys

    def action_close(self) -> None:
        """Back to the grid."""
        self.post_message(ChartClosed())

    def action_turn(self, cards: int) -> None:
        """Show a neighbouring chart."""
        self.post_message(ChartTurned(cards))

    def action_scroll_table(self, rows: int) -> None:
        """Scroll the table."""
        self._first_row += rows
        self._draw()

    def action_page_table(self, pages: int) -> None:
        """Scroll the table by what is in sight."""
        self.action_scroll_table(pages * max(1, self._rows_in_sight))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll the table."""
        event.stop()
        self.action_scroll_table(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll the table."""
        event.stop()
        self.action_scroll_table(-1)

    def on_resize(self) -> None:
        """Draw for the new size."""
        self._shown_look = self._opened = None
        self._ask()


def _open(
    painter: OpenPainter, key: str, width: int, height: int, known: tuple[Hashable, Opened | None]
) -> Iterator[tuple[Hashable, Opened]]:
    """The card in full size, unless it would look as it does."""
    try:
        look = painter.look(key)
        if known[1] is not None and look == known[0]:
            return
        yield look, painter.open(key, width, height)
    except Exception as error:  # noqa: BLE001 - shown in place of the chart
        yield None, painter.broken_open(key, width, height, error)
