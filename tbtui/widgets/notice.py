"""A few words in the middle of an otherwise empty picture: what is awaited, missing or wrong."""

from __future__ import annotations

import textwrap

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, safe, write
from tbtui.widgets.picture import Picture


def notice(headline: str, hint: str, width: int, height: int) -> Cells:
    """What there is to say, and below it what to do about it; both are made safe, and wrapped where they must be."""
    cells = Cells.blank(height, width)
    room = max(width - 2, 1)
    why, what_to_do = (textwrap.wrap(safe(text), room) for text in (headline, hint))
    rows = [*((row, Ink.TEXT) for row in why), *((row, Ink.DIM) for row in ["", *what_to_do] if what_to_do)]
    for y, (row, ink) in enumerate(rows, max((height - len(rows)) // 2, 0)):
        text = fit(row, room)
        write(cells, y, max((width - cell_width(text)) // 2, 0), text, ink)
    return cells


class Notice(Picture, can_focus=False):
    """The words as a widget."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._words = ("", "")

    def say(self, headline: str, hint: str = "") -> None:
        """Say something else."""
        if (headline, hint) != self._words:
            self._words = headline, hint
            self._draw()

    def on_resize(self) -> None:
        """Put the words in the middle."""
        self._draw()

    def _draw(self) -> None:
        size = self.size.width, self.size.height
        self.clear(size[1], size[0])
        self.put(0, 0, notice(*self._words, *size))
