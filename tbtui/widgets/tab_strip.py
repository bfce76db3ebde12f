"""The tab strip: all tabs in one line, each with the digit that opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from tbtui.charts.cells import Ink
from tbtui.charts.pieces import Piece, pieces_width
from tbtui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


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
