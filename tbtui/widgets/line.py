"""One line of text in inks, used by status line, footer, tab strip, filter bars and list rows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, fit, safe
from tbtui.widgets import inks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.style import Style

    from tbtui.widgets.inks import InkStyles

Piece: TypeAlias = tuple[str, int]
"""A text and its ink. The text may come from a file: it is made safe when it is drawn."""

MIN_TITLE = 14
"""Columns of the title of a heading that have priority over its keys, except the last key."""


def pieces_width(pieces: Iterable[Piece]) -> int:
    """Return the terminal columns of the pieces."""
    return sum(cell_width(safe(text)) for text, _ in pieces)


def apart(left: Sequence[Piece], right: Sequence[Piece], width: int) -> tuple[Piece, ...]:
    """Return a line with pieces at both ends; the left ones are cut if there is no room."""
    right_width = pieces_width(right)
    kept = cut(left, width - right_width - 1 if right else width)
    gap = max(width - right_width - pieces_width(kept), 0)
    return (*kept, (" " * gap, 0), *right)


def cut(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Return the pieces that fit into `width` columns; the first that does not fit ends in `…`."""
    kept: list[Piece] = []
    for text, ink in pieces:
        part = fit(text, width)
        kept.append((part, ink))
        width -= cell_width(part)
        if part != safe(text):
            break
    return kept


def strip_of(pieces: Sequence[Piece], width: int, styles: InkStyles, base: Style) -> Strip:
    """Return the pieces as a strip of exactly `width` columns on the style `base`.

    Blanks look the same in every ink and join the piece before them: fewer segments, fewer bytes to the terminal.
    """
    kept = cut(pieces, width)
    joined: list[tuple[str, Style]] = []
    for text, ink in (*kept, (" " * (width - pieces_width(kept)), 0)):
        style = base + styles.of(ink) if text.strip(" ") else base
        if joined and (style is base or style == joined[-1][1]):
            joined[-1] = joined[-1][0] + text, joined[-1][1]
        elif text:
            joined.append((text, style))
    return Strip([Segment(text, style) for text, style in joined], width)


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
        return strip_of(self._pieces if y == 0 else (), self.size.width, inks.styles(self.app), self.rich_style)


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
        self.show(apart(((title, Ink.BOLD),), (*chain(*keys), (" ", Ink.NONE)), self.size.width))
