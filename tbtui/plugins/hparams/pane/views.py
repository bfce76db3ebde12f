"""Widgets of the HParams tab that draw cells: the importance, and an opened session."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.charts.cells import Cells
from tbtui.plugins.hparams.overview import draw_overview, measure_overview
from tbtui.plugins.hparams.session_page import draw_session, measure_page
from tbtui.widgets.cells_view import WHEEL_ROWS, CellsView, WheelMixin
from tbtui.widgets.empty_state import draw_empty_state

if TYPE_CHECKING:
    from tbtui.plugins.hparams.session_cache import PreparedSessions

MAX_SHARE = 0.42
"""Maximum fraction of the height of the pane for the importance above the table."""


class OverviewView(CellsView):
    """Shows the importance of hyperparameters for the main metric."""

    DEFAULT_CSS = """
    OverviewView { height: auto; width: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._prepared: PreparedSessions | None = None
        self._rows = 0

    def show_overview(self, prepared: PreparedSessions, width: int, height: int) -> int:
        """Show the importance in at most `height` rows, and return their number."""
        self._prepared = prepared
        if prepared.importance is None:
            self._rows = min(1, height)
        else:
            self._rows = min(measure_overview(prepared.importance, width), height)
        self.styles.height = self._rows
        self._draw(width)
        return self._rows

    def _draw(self, width: int) -> None:
        prepared = self._prepared
        if prepared is None or width <= 0:
            return
        cells = Cells.blank(self._rows, width)
        if prepared.importance is not None:
            picture = draw_overview(prepared.importance, prepared.shares_label, width, self._rows)
            cells.put(0, 0, picture)
        else:
            headline = "these sessions have no metric" if prepared.table.sessions else ""
            cells.put(0, 0, draw_empty_state(headline, "", width, self._rows))
        if self._cells.glyphs.shape != cells.glyphs.shape:
            self.clear(self._rows, width)
        self.put(0, 0, cells)


class SessionPage(WheelMixin, CellsView, can_focus=True):
    """Shows one session or group: values, source of each, differences, and curves."""

    BINDING_GROUP_TITLE = "Session"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "back", id="session.close"),
        Binding("n", "go(1)", "next", id="session.next"),
        Binding("N", "go(-1)", "before", id="session.before"),
        Binding("up,k", "scroll(-1)", show=False, id="session.up", tooltip="scroll up"),
        Binding("down,j", "scroll(1)", show=False, id="session.down", tooltip="scroll down"),
    ]

    DEFAULT_CSS = """
    SessionPage { height: 1fr; width: 1fr; }
    """

    class Closed(Message):
        """The page should close."""

    class Turned(Message):
        """Another session should be shown, `offset` rows further on."""

        def __init__(self, offset: int) -> None:
            super().__init__()
            self.offset = offset

    def __init__(self) -> None:
        super().__init__()
        self._prepared: PreparedSessions | None = None
        self.session = ""
        self._scroll = 0

    def show_session(self, prepared: PreparedSessions, session: str) -> None:
        """Show a session."""
        if session != self.session:
            self._scroll = 0
        self._prepared, self.session = prepared, session
        self._draw()

    def _draw(self) -> None:
        width, height = self.size
        if self._prepared is None or not width or not height:
            return
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        self.put(0, 0, draw_session(self._prepared, self.session, width, height, self._scroll))

    def on_resize(self) -> None:
        """Draw in the new size."""
        self._draw()

    def action_scroll(self, rows: int) -> None:
        """Scroll by `rows`."""
        if self._prepared is None:
            return
        max_scroll = max(measure_page(self._prepared, self.session, self.size.width) - self.size.height, 0)
        self._scroll = max(0, min(self._scroll + rows, max_scroll))
        self._draw()

    def handle_wheel(self, across: int, down: int) -> None:
        """Scroll by the wheel."""
        del across
        self.action_scroll(down * WHEEL_ROWS)

    def action_close(self) -> None:
        """Go back to the table."""
        self.post_message(self.Closed())

    def action_go(self, offset: int) -> None:
        """Show the next session of the table, or the one before."""
        self.post_message(self.Turned(offset))
