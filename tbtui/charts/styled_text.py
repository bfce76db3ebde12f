"""Text in inks: the pieces of a line, of a row of a list and of a cell of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, fit, safe, shorten
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


Piece: TypeAlias = tuple[str, int]
"""A text and its ink. The text may come from a file: it is made safe when it is drawn."""


def pieces_width(pieces: Iterable[Piece]) -> int:
    """Return the terminal columns of the pieces."""
    return sum(cell_width(safe(text)) for text, _ in pieces)


def spread_pieces(left: Sequence[Piece], right: Sequence[Piece], width: int) -> tuple[Piece, ...]:
    """Return a line with pieces at both ends; the left ones are cut if there is no room."""
    right_width = pieces_width(right)
    kept = cut_pieces(left, width - right_width - 1 if right else width)
    gap = max(width - right_width - pieces_width(kept), 0)
    return (*kept, (" " * gap, 0), *right)


def cut_pieces(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Return the pieces that fit into `width` columns; the first that does not fit ends in `…`."""
    kept: list[Piece] = []
    for text, ink in pieces:
        part = fit(text, width)
        kept.append((part, ink))
        width -= cell_width(part)
        if part != safe(text):
            break
    return kept


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


Cell: TypeAlias = "tuple[Piece, ...]"
"""One cell, drawn from the left end of its column: numbers contain the blanks that align them."""
