"""Styled text: pieces of text with inks that form a line, a row of a list or a cell of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, fit, safe, shorten
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


Piece: TypeAlias = tuple[str, int]
"""A text and its ink. The text may come from a file: it is made safe when it is drawn."""


GAP: Piece = ("  ", Ink.NONE)
"""Blanks between two parts of a line."""


def pieces_width(pieces: Iterable[Piece]) -> int:
    """Return the terminal columns of the pieces."""
    return sum(cell_width(safe(text)) for text, _ in pieces)


def spread_pieces(left: Sequence[Piece], right: Sequence[Piece], width: int) -> tuple[Piece, ...]:
    """Return a line of `width` columns with pieces at both ends; the left ones are cut if necessary."""
    right_width = pieces_width(right)
    visible = cut_pieces(left, width - right_width - 1 if right else width)
    gap = max(width - right_width - pieces_width(visible), 0)
    return (*visible, (" " * gap, 0), *right)


def cut_pieces(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Return the pieces that fit into `width` columns; the first that is too long ends in `…`."""
    visible: list[Piece] = []
    for text, ink in pieces:
        part = fit(text, width)
        visible.append((part, ink))
        width -= cell_width(part)
        if part != safe(text):
            break
    return visible


@frozen
class Row:
    """One row: pieces at the left, a label that is cut if necessary, pieces at the right."""

    key: str
    """Identity of the row: the cursor follows its key when rows change."""

    prefix: tuple[Piece, ...] = ()
    label: str = ""
    """Any text; it is made safe when drawn."""

    ink: int = Ink.TEXT
    dim_characters: int = 0
    """Number of leading characters of the label that are dim."""

    right: tuple[Piece, ...] = ()
    cut_end: bool = False
    """True: the end of a label that is too long is cut; False: its middle."""


def row_pieces(row: Row, width: int) -> tuple[Piece, ...]:
    """Return the row fitted to `width` columns."""
    left_width = sum(cell_width(safe(text)) for text, _ in row.prefix)
    right_width = sum(cell_width(safe(text)) for text, _ in row.right)
    label_width = max(width - left_width - (right_width + 1 if right_width else 0), 0)
    label = fit(row.label, label_width) if row.cut_end else shorten(row.label, label_width)
    dim_end = min(row.dim_characters, label.find("…") if "…" in label else len(label))
    gap = max(width - left_width - cell_width(label) - right_width, 0)
    return (*row.prefix, (label[:dim_end], Ink.DIM), (label[dim_end:], row.ink), (" " * gap, Ink.NONE), *row.right)


Cell: TypeAlias = "tuple[Piece, ...]"
"""One cell, drawn from the left end of its column: numbers contain the blanks that align them."""
