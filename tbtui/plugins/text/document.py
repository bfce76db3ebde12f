"""Make documents of texts: Markdown, text as it was written, or the difference of two; cache texts and documents."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.plugins.text.diff import compare
from tbtui.plugins.text.layout import Typesetter
from tbtui.plugins.text.lines import (
    BLANK,
    DIM,
    PLAIN,
    WARN,
    CharacterStyle,
    DocumentLine,
    create_safe_fragment,
    cut_fragments,
)
from tbtui.plugins.text.markdown import Grid, MarkdownReader, Paragraph, TooDeepError
from tbtui.plugins.text.read import KEY, Source, decode_text, read_text, reads_as_configuration
from tbtui.plugins.text.search import Searchable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.text.diff import DiffLine
    from tbtui.plugins.text.lines import Fragments
    from tbtui.plugins.text.markdown import Align, Block, Blocks
    from tbtui.plugins.text.read import StoredText, TextPoint


MARKDOWN_BYTES = 1 << 18
"""Longer texts are shown as they were written: about 300 kB are parsed in a second."""

MAX_TABLE_BARS = 20_000
"""Bars that may end the cell of a table; tables take about ten times as long as other text."""

MAX_LINES = 20_000
"""Lines of few characters: their structure takes memory and time by their number, not by their bytes."""

WRITTEN_BYTES = 1 << 21
"""Only the first part of a longer text is shown."""

FIRST_LINES = 200
"""More than a screen: a document of this many lines is shown while the others are laid out."""

SECONDS = 0.2
"""Seconds between two updates of a document that grows."""

ALL_TO_A_FILE = "w writes all to a file"

Form: TypeAlias = Literal["markdown", "written", "configuration", "difference"]
"""Form that a text is shown in."""


@frozen(slots=False)
class Document:
    """The lines of a text that a view scrolls through."""

    lines: tuple[DocumentLine, ...]
    width: int
    """Columns of the widest line."""

    form: Form
    whole: bool = True
    """True if no further lines follow."""

    def continues(self, other: Document) -> bool:
        """Return True if this document begins with the lines of another one that was still growing."""
        return bool(self.lines and other.lines) and self.lines[0] is other.lines[0]

    @cached_property
    def searchable(self) -> Searchable:
        """The texts of the document, independent of how lines are broken."""
        return Searchable.of(self.lines)


def grow_document(lines: Iterable[DocumentLine], form: Form) -> Iterator[Document]:
    """Yield a document, first of some lines and at last of all."""
    ready: list[DocumentLine] = []
    width, shown, last_time = 0, FIRST_LINES, time.monotonic()
    for line in lines:
        ready.append(line)
        width = max(width, line.width)
        if len(ready) >= shown and (shown == FIRST_LINES or time.monotonic() > last_time + SECONDS):
            yield Document(tuple(ready), width, form, whole=False)
            shown, last_time = len(ready) + 1, time.monotonic()
    yield Document(tuple(ready), width, form)


def make_documents(stored: StoredText, width: int, *, raw: bool, wrap: bool) -> Iterator[Document]:
    """Make a document of a text.

    Args:
        stored: The stored text.
        width: Columns of the screen.
        raw: As it was written, whatever it is.
        wrap: Break long unrendered lines.

    Yields:
        The growing document; the last one is complete.
    """
    setter = Typesetter(width, wrap=wrap)
    data = stored.document
    if not stored.cells or (data is not None and not data.strip()):
        words = "the text is empty" if not stored.nbytes else f"{stored.nbytes:,} bytes, all of them blanks"
        return grow_document(setter.set_line(((words, DIM),)), "written")
    if data is None:
        return _build_table_document(stored, setter, raw=raw)
    return _build_document(decode_text(data, WRITTEN_BYTES), setter, raw=raw)


def _build_document(source: Source, setter: Typesetter, *, raw: bool) -> Iterator[Document]:
    notes = list(source.notes)
    if not raw and source.nbytes > MARKDOWN_BYTES:
        notes.append(f"too long for Markdown ({numbers.format_size(source.nbytes)}): shown as written")
    elif not raw and source.text.count("\n") > MAX_LINES:
        notes.append("it has too many lines for Markdown: shown as written")
    elif not raw and source.text.count("|") > MAX_TABLE_BARS:
        notes.append("its tables are too large for Markdown: shown as written")
    elif not raw and not reads_as_configuration(source.text):
        try:
            blocks = MarkdownReader().blocks(source.text)
        except TooDeepError:
            notes.append("quotes and lists are nested too deep for Markdown: shown as written")
        else:
            return grow_document(chain(_build_warning_lines(notes, setter), setter.lines(blocks)), "markdown")
    is_configuration = not raw and reads_as_configuration(source.text)
    line = colour_configuration_line if is_configuration else create_plain_line
    body = chain.from_iterable(setter.set_line(line(text)) for text in source.text.rstrip("\n").split("\n"))
    form: Form = "configuration" if is_configuration else "written"
    return grow_document(chain(_build_warning_lines(notes, setter), body, _build_left_out_lines(source, setter)), form)


def _build_table_document(stored: StoredText, setter: Typesetter, *, raw: bool) -> Iterator[Document]:
    reader = MarkdownReader()
    rows: list[tuple[Blocks, ...]] = []
    notes = [f"{note}; {ALL_TO_A_FILE}" for note in stored.notes]
    free_bytes = MARKDOWN_BYTES
    for row in stored.cells:
        if free_bytes <= 0:
            notes.append(f"{len(rows):,} of {len(stored.cells):,} rows are shown; {ALL_TO_A_FILE}")
            break
        sources = [decode_text(cell, max(free_bytes, 1)) for cell in row]
        free_bytes -= sum(source.shown for source in sources)
        notes += (note for source in sources for note in source.notes)
        rows.append(tuple(tuple(_build_cell(source, reader, raw=raw)) for source in sources))
    left: Align = "left"
    grid = Grid((), tuple(rows), (left,) * len(rows[0]))
    lines = chain(_build_warning_lines(dict.fromkeys(notes), setter), setter.lines([grid]))
    return grow_document(lines, "written" if raw else "markdown")


def _build_cell(source: Source, reader: MarkdownReader, *, raw: bool) -> Iterator[Block]:
    text = source.text
    if source.shown < source.nbytes:
        text += f"⋯ {numbers.format_size(source.nbytes - source.shown)} more"
    if not raw and not reads_as_configuration(text):
        try:
            yield from reader.blocks(text)
        except TooDeepError:
            pass
        else:
            return
    yield Paragraph(tuple((create_safe_fragment(line),) for line in text.split("\n")))


def _build_warning_lines(notes: Iterable[str], setter: Typesetter) -> Iterator[DocumentLine]:
    """Yield the warnings above a text."""
    some = False
    for note in notes:
        some = True
        yield from setter.set_warning((create_safe_fragment(note, WARN),))
    if some:
        yield BLANK


def _build_left_out_lines(source: Source, setter: Typesetter) -> Iterator[DocumentLine]:
    if source.shown < source.nbytes:
        sizes = f"{numbers.format_size(source.shown)} of {numbers.format_size(source.nbytes)}"
        words = f"the first {sizes} are shown; {ALL_TO_A_FILE}"
        yield BLANK
        yield from setter.set_warning((create_safe_fragment(words, WARN),))


def create_plain_line(line: str) -> Fragments:
    """Return a line as it was written."""
    return (create_safe_fragment(line),)


def colour_configuration_line(line: str) -> Fragments:
    """Return a line of a configuration with its key dimmed."""
    match = KEY.match(line)
    if match is None:
        return (create_safe_fragment(line),)
    entire = create_safe_fragment(line)
    end = len(create_safe_fragment(line[: match.end()])[0])
    return *((text, DIM) for text, _ in cut_fragments((entire,), 0, end)), *cut_fragments(
        (entire,), end, len(entire[0])
    )


def split_lines(stored: StoredText) -> Sequence[str]:
    """Return the lines of a text as they are compared; of a table one line for each row."""
    data = stored.document
    if data is not None:
        text = decode_text(data, WRITTEN_BYTES).text.rstrip("\n")
        return text.split("\n") if text else []
    rows = ([decode_text(cell, WRITTEN_BYTES).text.replace("\n", " ") for cell in row] for row in stored.cells)
    return [" | ".join(row) for row in rows]


REMOVED_SIGN, ADDED_SIGN = "-", "+"
_STYLES = {"same": PLAIN, "removed": CharacterStyle(Ink.BAD), "added": CharacterStyle(Ink.GOOD)}
_SIGNS = {"same": " ", "removed": REMOVED_SIGN, "added": ADDED_SIGN}

NO_DIFFERENCE = "no difference"
BYTES_ALONE = "the only differences are characters that are not shown, such as line ends and null characters"
ROUGH = "too many differences: some equal lines may be shown as removed and added"


def build_diff_documents(before: StoredText, after: StoredText, width: int, *, wrap: bool) -> Iterator[Document]:
    """Make a document of the difference of two texts, one line for each removed or added line.

    Args:
        before: The one.
        after: The other.
        width: Columns of the screen.
        wrap: Break long lines.

    Yields:
        The growing document; the last one is complete.
    """
    setter = Typesetter(width, wrap=wrap)
    lines = split_lines(before), split_lines(after)
    if lines[0] == lines[1]:
        words = NO_DIFFERENCE if before.cells == after.cells else BYTES_ALONE
        return grow_document(setter.set_line((create_safe_fragment(words, DIM),)), "difference")
    comparison = compare(*lines)
    counts = [f"{format_count(comparison.removed, 'line')} removed, {format_count(comparison.added, 'line')} added"]
    warnings = [ROUGH] * comparison.is_rough
    if comparison.left_out:
        warnings.append(f"{format_count(comparison.left_out, 'line')} at the end are not compared")
    head = chain(
        chain.from_iterable(setter.set_line((create_safe_fragment(words, DIM),)) for words in counts),
        chain.from_iterable(setter.set_warning((create_safe_fragment(words, WARN),)) for words in warnings),
        (BLANK,),
    )
    body = chain.from_iterable(_set_difference_line(line, setter) for line in comparison.lines)
    return grow_document(chain(head, body), "difference")


def _set_difference_line(line: DiffLine, setter: Typesetter) -> Iterator[DocumentLine]:
    if line.kind == "folded":
        return setter.set_line((create_safe_fragment(f"⋯ {format_count(line.count, 'line')} alike", DIM),))
    style = _STYLES[line.kind]
    sign: Fragments = ((f"{_SIGNS[line.kind]} ", replace(style, bold=True)),)
    return setter.set_line(_style_diff_line(line, style), sign, (("  ", style),))


def _style_diff_line(line: DiffLine, style: CharacterStyle) -> Fragments:
    """Return a line with its changed words emphasised."""
    changed_style = replace(style, bold=True, underline=True)
    ends = [0, *chain.from_iterable(line.changed), len(line.text)]
    texts = [line.text[start:end] for start, end in pairwise(ends)]
    return tuple(
        create_safe_fragment(text, changed_style if index % 2 else style) for index, text in enumerate(texts) if text
    )


MAX_CACHE_BYTES = 32 << 20
"""Bytes of cached texts, and of cached documents."""

LINE_BYTES = 500
"""Approximate bytes of memory of one line of a document."""


@frozen
class DocumentRequest:
    """The text that a page shows, and how."""

    text: TextPoint
    before: TextPoint | None
    """The text that it is compared with."""

    raw: bool
    wrap: bool
    width: int
    """Columns."""

    @property
    def texts(self) -> Hashable:
        """Identity of the texts, however they are shown."""
        return self.text.identity, self.before and self.before.identity

    @property
    def key(self) -> Hashable:
        """Identity of the document."""
        return self.texts, self.raw and self.before is None, self.wrap, self.width


class Texts:
    """Read texts and make documents of them. Used by one thread.

    Args:
        payloads: Reader of the event files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self._payloads = payloads
        self._texts: ByteCache[StoredText] = ByteCache(MAX_CACHE_BYTES)
        self._documents: ByteCache[Document] = ByteCache(MAX_CACHE_BYTES)

    def text(self, point: TextPoint) -> StoredText:
        """Return a stored text.

        Raises:
            TextReadError: It cannot be read, or is none.
        """
        stored = self._texts.get(point.identity)
        if stored is None:
            stored = read_text(self._payloads, point)
            self._texts.put(point.identity, stored, stored.nbytes)
        return stored

    def make_documents(self, request: DocumentRequest) -> Iterator[Document]:
        """Yield a document as it grows; the last one is whole.

        Raises:
            TextReadError: A text that it needs cannot be read.
        """
        document = self._documents.get(request.key)
        if document is not None:
            yield document
            return
        for document in self._make_documents(request):
            yield document
        if document is not None:
            self._documents.put(request.key, document, LINE_BYTES * len(document.lines))

    def _make_documents(self, request: DocumentRequest) -> Iterator[Document]:
        if request.before is not None:
            return build_diff_documents(
                self.text(request.before), self.text(request.text), request.width, wrap=request.wrap
            )
        return make_documents(self.text(request.text), request.width, raw=request.raw, wrap=request.wrap)
