"""The empty state of a widget: a centred message that says what is pending, missing or wrong."""

from __future__ import annotations

import textwrap

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, safe, write
from tbtui.widgets.cells_view import CellsView


def draw_empty_state(headline: str, hint: str, width: int, height: int) -> Cells:
    """Return a centred headline with a hint below it. Both are made safe and wrapped."""
    cells = Cells.blank(height, width)
    room = max(width - 2, 1)
    why, what_to_do = (textwrap.wrap(safe(text), room) for text in (headline, hint))
    rows = [*((row, Ink.TEXT) for row in why), *((row, Ink.DIM) for row in ["", *what_to_do] if what_to_do)]
    for y, (row, ink) in enumerate(rows, max((height - len(rows)) // 2, 0)):
        text = fit(row, room)
        write(cells, y, max((width - cell_width(text)) // 2, 0), text, ink)
    return cells


class EmptyState(CellsView, can_focus=False):
    """The empty state as a widget."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._message = ("", "")

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show another message."""
        if (headline, hint) != self._message:
            self._message = headline, hint
            self._draw()

    def on_resize(self) -> None:
        """Centre the message."""
        self._draw()

    def _draw(self) -> None:
        size = self.size.width, self.size.height
        self.clear(size[1], size[0])
        self.put(0, 0, draw_empty_state(*self._message, *size))
