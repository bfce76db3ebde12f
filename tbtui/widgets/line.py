"""One line of text in inks, used by status line, footer, tab strip, filter bars and headings."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from textual.widget import Widget

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Piece, pieces_width, spread_pieces
from tbtui.charts.text import cell_width, safe
from tbtui.widgets.ink_styles import get_ink_styles, render_pieces
from tbtui.widgets.textual_patches.minimal_repaint import repaints_minimally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.strip import Strip

MIN_TITLE = 14
"""Columns of the title of a heading that have priority over its keys, except the last key."""


@repaints_minimally
class Line(Widget):
    """A widget of one row that shows pieces and repaints only when they change."""

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    Line { height: 1; width: 1fr; }
    """

    def __init__(self, pieces: Sequence[Piece] = (), *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._pieces = tuple(pieces)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces that are shown."""
        return self._pieces

    def show(self, pieces: Sequence[Piece]) -> None:
        """Show other pieces; pieces that do not fit are cut."""
        if tuple(pieces) != self._pieces:
            self._pieces = tuple(pieces)
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the only row."""
        return render_pieces(self._pieces if y == 0 else (), self.size.width, get_ink_styles(self.app), self.rich_style)


class Heading(Line):
    """The title of an overlay, with its keys at the right end as far as there is room.

    Args:
        title: Any text; its end is cut if there is no room.
        keys: Symbol and description of each key; the last one, which closes the overlay, is always shown.
        id: The widget's id.
    """

    def __init__(self, title: str, *keys: tuple[str, str], id: str | None = None) -> None:  # noqa: A002 - Textual's
        super().__init__(id=id)
        self._title = title
        self._keys = [(("  ", Ink.NONE), (sign, Ink.ACCENT), (f" {does}", Ink.DIM)) for sign, does in keys]

    def entitle(self, title: str) -> None:
        """Show another title."""
        self._title = title
        self._fit()

    def on_resize(self) -> None:
        """Fit title and keys to the new width."""
        self._fit()

    def _fit(self) -> None:
        keys, title = self._keys, f" {self._title}"
        least = min(cell_width(safe(title)), MIN_TITLE)
        while len(keys) > 1 and self.size.width - pieces_width(chain(*keys)) - 2 < least:
            keys = keys[1:]
        self.show(spread_pieces(((title, Ink.BOLD),), (*chain(*keys), (" ", Ink.NONE)), self.size.width))
