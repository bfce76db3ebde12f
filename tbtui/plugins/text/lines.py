"""Styled text wrapped into lines of a screen. Each line keeps the ranges of its source, for search.

What is put here is safe for a terminal (`tbtui.charts.text.safe`): one printable character a glyph.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, safe
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

TAB = 4
"""Columns between two tab stops."""


@frozen
class Look:
    """Style of characters."""

    ink: int = Ink.TEXT
    bold: bool = False
    italic: bool = False
    strike: bool = False
    underline: bool = False
    code: bool = False
    """True for the background of code."""


PLAIN, DIM, FAINT, BOLD = Look(), Look(Ink.DIM), Look(Ink.FAINT), Look(Ink.BOLD, bold=True)
WARN = Look(Ink.WARN)

Piece: TypeAlias = "tuple[str, Look]"
Pieces: TypeAlias = "tuple[Piece, ...]"


class Part(NamedTuple):
    """Range of a line that holds a part of a longer text. A search runs over the text, not over the lines."""

    start: int
    """First character, counted in the line."""

    end: int
    """The character after the last one."""

    chain: int
    """Number of the text; its parts follow each other from top to bottom."""

    joint: str
    """Text between this part and the one before it: the blanks at which the line was broken."""


@frozen
class DocumentLine:
    """One line of a document."""

    pieces: Pieces = ()
    parts: tuple[Part, ...] = ()

    @property
    def text(self) -> str:
        """All characters of the line."""
        return text_of(self.pieces)

    @property
    def width(self) -> int:
        """Columns of the line."""
        return sum(cell_width(text) for text, _ in self.pieces)

    def behind(self, lead: Pieces) -> DocumentLine:
        """Return the line with pieces in front of it."""
        if not lead:
            return self
        shift = sum(len(text) for text, _ in lead)
        return DocumentLine((*lead, *self.pieces), tuple(_moved(part, shift) for part in self.parts))

    def padded(self, width: int, look: Look = PLAIN) -> DocumentLine:
        """Return the line filled with blanks to `width` columns."""
        missing = width - self.width
        return replace(self, pieces=(*self.pieces, (" " * missing, look))) if missing > 0 else self

    def indented(self, columns: int) -> DocumentLine:
        """Return the line moved to the right."""
        return self.behind(((" " * columns, PLAIN),)) if columns > 0 else self


BLANK = DocumentLine()


def _moved(part: Part, shift: int) -> Part:
    return part._replace(start=part.start + shift, end=part.end + shift)


def side_by_side(lines: Iterable[DocumentLine]) -> DocumentLine:
    """Join lines into one."""
    pieces: list[Piece] = []
    parts: list[Part] = []
    length = 0
    for line in lines:
        pieces += line.pieces
        parts += (_moved(part, length) for part in line.parts)
        length += sum(len(text) for text, _ in line.pieces)
    return DocumentLine(tuple(pieces), tuple(parts))


def text_of(pieces: Pieces) -> str:
    """Return the characters of pieces."""
    return "".join([text for text, _ in pieces])


def piece(text: str, look: Look = PLAIN) -> Piece:
    """Return any text of one line made safe for a terminal."""
    return safe(without_tabs(text)), look


def without_tabs(text: str) -> str:
    """Return a line with each tab replaced by blanks up to the next tab stop."""
    if "\t" not in text:
        return text
    if text.isascii():
        return text.expandtabs(TAB)
    first, *rest = text.split("\t")
    for part in rest:
        first += " " * (TAB - cell_width(safe(first)) % TAB) + part if len(first) < _LONGEST_TABBED else f" {part}"
    return first


_LONGEST_TABBED = 2000
"""Characters of a line within which tab stops are counted: measuring the text before each is quadratic."""


def part_of(pieces: Pieces, start: int, end: int) -> Pieces:
    """Return characters `start` to before `end` of pieces."""
    if len(pieces) == 1:
        text, look = pieces[0]
        return ((text[start:end], look),) if start < end else ()
    found: list[Piece] = []
    position = 0
    for text, look in pieces:
        first, last = max(start - position, 0), min(end - position, len(text))
        if first < last:
            found.append((text[first:last], look))
        position += len(text)
    return tuple(found)


def broken(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges into which a text is broken to fit `width` columns.

    It is broken at blanks, which are left out, and within a word that is too long for a line. A glyph that is wider
    than the line has a line of its own.
    """
    width = max(width, 1)
    if len(text) <= width and cell_width(text) <= width:
        yield 0, len(text)
        return
    ends = None if text.isascii() else list(accumulate(map(cell_width, text)))
    start = 0
    while True:
        end = start + width if ends is None else _reached(ends, start, width)
        if end >= len(text):
            yield start, len(text)
            return
        blank = text.rfind(" ", start + 1, end + 1)
        if blank > 0 and text[start:blank].strip(" "):
            last, end = len(text[start:blank].rstrip(" ")) + start, blank
            while end < len(text) and text[end] == " ":
                end += 1
            yield start, last
            if end == len(text):
                return
        else:
            yield start, end
        start = end


def _reached(ends: Sequence[int], start: int, width: int) -> int:
    """Return the index after the last character that fits into `width` columns from `start` on; at least one fits."""
    limit = (ends[start - 1] if start else 0) + width
    low, high = start + 1, min(start + width, len(ends))
    while low < high:
        middle = (low + high + 1) // 2
        if ends[middle - 1] <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def set_in(pieces: Pieces, room: int, chain: int, first: Pieces = (), rest: Pieces = ()) -> Iterator[DocumentLine]:
    """Break one text into lines.

    Args:
        pieces: The text.
        room: Columns of it in a line.
        chain: Number of the text in its document.
        first: Pieces in front of its first line.
        rest: Pieces in front of the other lines.
    """
    text, lead, before = text_of(pieces), first, 0
    for start, end in broken(text, room):
        line = DocumentLine(part_of(pieces, start, end), (Part(0, end - start, chain, text[before:start]),))
        yield line.behind(lead)
        lead, before = rest, end
