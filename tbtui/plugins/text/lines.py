"""Styled text wrapped into lines of a screen. Each line keeps the ranges of its source, for search.

Its texts are safe for a terminal (`tbtui.charts.text.safe`): each character is one glyph.
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
class CharacterStyle:
    """Style of characters."""

    ink: int = Ink.TEXT
    bold: bool = False
    italic: bool = False
    strike: bool = False
    underline: bool = False
    code: bool = False
    """True for the background of code."""


PLAIN, DIM, FAINT, BOLD = (
    CharacterStyle(),
    CharacterStyle(Ink.DIM),
    CharacterStyle(Ink.FAINT),
    CharacterStyle(Ink.BOLD, bold=True),
)
WARN = CharacterStyle(Ink.WARN)

Fragment: TypeAlias = "tuple[str, CharacterStyle]"
Fragments: TypeAlias = "tuple[Fragment, ...]"


class SourceRange(NamedTuple):
    """Range of a line that holds a part of a longer text. A search runs over the text, not over the lines."""

    start: int
    """First character, counted in the line."""

    end: int
    """The character after the last one."""

    paragraph: int
    """Number of the text in the document; its ranges follow each other from top to bottom."""

    separator: str
    """Text between this range and the one before it: the blanks at which the line was broken."""


@frozen
class DocumentLine:
    """One line of a document."""

    fragments: Fragments = ()
    ranges: tuple[SourceRange, ...] = ()

    @property
    def text(self) -> str:
        """All characters of the line."""
        return join_text(self.fragments)

    @property
    def width(self) -> int:
        """Columns of the line."""
        return sum(cell_width(text) for text, _ in self.fragments)

    def with_prefix(self, prefix: Fragments) -> DocumentLine:
        """Return the line with fragments in front of it."""
        if not prefix:
            return self
        shift = sum(len(text) for text, _ in prefix)
        return DocumentLine((*prefix, *self.fragments), tuple(_shift_range(each, shift) for each in self.ranges))

    def pad(self, width: int, style: CharacterStyle = PLAIN) -> DocumentLine:
        """Return the line filled with blanks to `width` columns."""
        missing = width - self.width
        return replace(self, fragments=(*self.fragments, (" " * missing, style))) if missing > 0 else self

    def indent(self, columns: int) -> DocumentLine:
        """Return the line moved to the right."""
        return self.with_prefix(((" " * columns, PLAIN),)) if columns > 0 else self


BLANK = DocumentLine()


def _shift_range(text_range: SourceRange, shift: int) -> SourceRange:
    return text_range._replace(start=text_range.start + shift, end=text_range.end + shift)


def join_side_by_side(lines: Iterable[DocumentLine]) -> DocumentLine:
    """Join lines into one."""
    fragments: list[Fragment] = []
    ranges: list[SourceRange] = []
    length = 0
    for line in lines:
        fragments += line.fragments
        ranges += (_shift_range(each, length) for each in line.ranges)
        length += sum(len(text) for text, _ in line.fragments)
    return DocumentLine(tuple(fragments), tuple(ranges))


def join_text(fragments: Fragments) -> str:
    """Return the characters of fragments."""
    return "".join([text for text, _ in fragments])


def create_safe_fragment(text: str, style: CharacterStyle = PLAIN) -> Fragment:
    """Return any text of one line made safe for a terminal."""
    return safe(expand_tabs(text)), style


def expand_tabs(text: str) -> str:
    """Return a line with each tab replaced by blanks up to the next tab stop."""
    if "\t" not in text:
        return text
    if text.isascii():
        return text.expandtabs(TAB)
    first, *fields = text.split("\t")
    for field in fields:
        first += " " * (TAB - cell_width(safe(first)) % TAB) + field if len(first) < _LONGEST_TABBED else f" {field}"
    return first


_LONGEST_TABBED = 2000
"""Characters of a line within which tab stops are counted: measuring the text before each is quadratic."""


def cut_fragments(fragments: Fragments, start: int, end: int) -> Fragments:
    """Return characters `start` to before `end` of fragments."""
    if len(fragments) == 1:
        text, style = fragments[0]
        return ((text[start:end], style),) if start < end else ()
    cut: list[Fragment] = []
    position = 0
    for text, style in fragments:
        first, last = max(start - position, 0), min(end - position, len(text))
        if first < last:
            cut.append((text[first:last], style))
        position += len(text)
    return tuple(cut)


def break_lines(text: str, width: int) -> Iterator[tuple[int, int]]:
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
        end = start + width if ends is None else _find_line_end(ends, start, width)
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


def _find_line_end(ends: Sequence[int], start: int, width: int) -> int:
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


def wrap_fragments(
    fragments: Fragments, width: int, paragraph: int, first: Fragments = (), rest: Fragments = ()
) -> Iterator[DocumentLine]:
    """Break one text into lines.

    Args:
        fragments: The text.
        width: Columns of it in a line.
        paragraph: Number of the text in its document.
        first: Fragments in front of its first line.
        rest: Fragments in front of the other lines.
    """
    text, prefix, before = join_text(fragments), first, 0
    for start, end in break_lines(text, width):
        line = DocumentLine(
            cut_fragments(fragments, start, end), (SourceRange(0, end - start, paragraph, text[before:start]),)
        )
        yield line.with_prefix(prefix)
        prefix, before = rest, end
