"""Parse Markdown into blocks. Nothing is active: HTML is shown as text, links and images as addresses.

markdown-it-py finds the structure. Its parsing of a paragraph takes quadratic time where brackets or stars come in
thousands; such paragraphs stay as they were written.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.charts.text import shorten
from tbtui.frozen import frozen
from tbtui.plugins.text.lines import DIM, PLAIN, create_safe_fragment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from tbtui.plugins.text.lines import CharacterStyle, Fragment, Fragments


Lines: TypeAlias = "tuple[Fragments, ...]"
"""Lines as the writer of the text broke them."""

Align: TypeAlias = Literal["left", "right", "center"]


@frozen(eq=False)
class Heading:
    """A title of level 1 (the largest) to 6."""

    level: int
    lines: Lines


@frozen(eq=False)
class Paragraph:
    """Text that is broken at blanks where it is too long for a line."""

    lines: Lines


@frozen(eq=False)
class Code:
    """Lines that are shown as they were written."""

    lines: Lines


@frozen(eq=False)
class Quote:
    """Quoted blocks."""

    blocks: Blocks


@frozen(eq=False)
class Items:
    """A list."""

    items: tuple[Blocks, ...]
    first: int | None = None
    """Number of the first item; None for bullets."""

    tight: bool = True
    """True if there are no blank lines between the items."""


@frozen(eq=False)
class Grid:
    """A table. All its rows have the same number of cells."""

    header: tuple[Blocks, ...]
    """Cells of the header; empty for a table without one."""

    rows: tuple[tuple[Blocks, ...], ...]
    aligns: tuple[Align, ...]


@frozen(eq=False)
class Ruler:
    """A rule across the width."""


Block: TypeAlias = "Heading | Paragraph | Code | Quote | Items | Grid | Ruler"
Blocks: TypeAlias = "tuple[Block, ...]"


MAX_DEPTH = 60
"""Nested quotes and lists; markdown-it silently leaves out deeper ones."""

LONGEST = 10_000
"""Characters of a paragraph whose emphasis, links and so on are parsed."""

SECONDS = 2.0
"""Seconds of processor time, after which paragraphs are not parsed any more."""

MAX_ADDRESS_WIDTH = 240
"""Columns of an address that are shown."""

MIN_FILLED_CHARACTERS = 60
"""Characters of the longest line of a paragraph whose lines may be joined; verses are shorter."""

_SIGNS = re.compile(r"[\\`*_\[\]<>&!~]")
"""A paragraph without any of these is plain text."""

_DATA = re.compile(r"(\]\(<?data:[^\s()<>]{0,30})[^\s()<>]+")
"""An image embedded as its own address would make any paragraph a long one."""

_INDENT = re.compile(r"\n([ \t]+)")
_NO_BREAK = "\u00a0"
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"(<[^<>]*>)")
_CELL_END = re.compile(r"(?<!\\)\|")
_ROW_LEVEL = 2
"""Nesting level of a table row outside lists and quotes, whose source line is nothing but the row."""

_FLAGS = {"strong": "bold", "em": "italic", "s": "strike"}


class TooDeepError(ValueError):
    """Blocks are nested so deep that some would be left out."""


@lru_cache(maxsize=1)
def _create_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # wanted once the first document is shown

    class AddressesAsWritten(MarkdownIt):
        def normalizeLink(self, url: str) -> str:  # noqa: N802 - its own name for it
            return url

    parser = AddressesAsWritten("commonmark", {"html": True, "maxNesting": MAX_DEPTH}).enable(
        ["table", "strikethrough"]
    )
    # Paragraphs are looked through one by one, as far as time allows. A line that only says where a link leads would
    # not be seen, and `[INFO]: done` in a log looks like one.
    return parser.disable(["inline", "text_join", "reference"])


class MarkdownReader:
    """Parse the documents of one value, which share one time limit."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._until = time.thread_time() + seconds
        self._source: Sequence[str] = ()

    def blocks(self, text: str) -> Iterator[Block]:
        """Yield the blocks of a document.

        Args:
            text: Its lines end in newlines alone; it may hold any other character.

        Raises:
            TooDeepError: Nothing has been yielded yet.
        """
        tokens = _create_parser().parse(text)
        if any(token.level >= MAX_DEPTH - 1 for token in tokens):
            raise TooDeepError
        self._source = text.split("\n")
        return self._read_blocks(iter(tokens), "")

    def _read_blocks(self, tokens: Iterator[Token], end: str) -> Iterator[Block]:
        for token in tokens:
            if token.type == end:
                return
            block = self._read_block(token, tokens)
            if block is not None:
                yield block

    def _read_block(self, token: Token, tokens: Iterator[Token]) -> Block | None:
        """Return the block that begins with a token; all its tokens are consumed."""
        if token.type in ("paragraph_open", "heading_open"):
            lines = self._read_lines(next(tokens).content)
            next(tokens)
            return Heading(int(token.tag[1:]), lines) if token.type == "heading_open" else Paragraph(lines)
        if token.type in ("fence", "code_block"):
            return Code(tuple((create_safe_fragment(line),) for line in token.content.rstrip("\n").split("\n")))
        if token.type == "html_block":
            return Code(tuple(map(_dim_tags, token.content.rstrip("\n").split("\n"))))
        if token.type == "blockquote_open":
            return Quote(tuple(self._read_blocks(tokens, "blockquote_close")))
        if token.type in ("bullet_list_open", "ordered_list_open"):
            return self._read_items(token, tokens)
        if token.type == "table_open":
            return self._read_grid(tokens)
        return Ruler() if token.type == "hr" else None

    def _read_items(self, opened: Token, tokens: Iterator[Token]) -> Items:
        first = int(opened.attrs.get("start", 1)) if opened.type == "ordered_list_open" else None
        items: list[Blocks] = []
        tight = True
        end = opened.type.replace("_open", "_close")
        for token in tokens:
            if token.type == end:
                break
            item: list[Block] = []
            for inner in tokens:
                if inner.type == "list_item_close":
                    break
                tight = tight and (inner.type != "paragraph_open" or inner.hidden)
                block = self._read_block(inner, tokens)
                if block is not None:
                    item.append(block)
            items.append(tuple(item))
        return Items(tuple(items), first, tight)

    def _read_grid(self, tokens: Iterator[Token]) -> Grid:
        rows: list[tuple[Blocks, ...]] = []
        aligns: list[Align] = []
        cells: list[str] = []
        for token in tokens:
            if token.type == "table_close":
                break
            if token.type in ("th_open", "td_open"):
                cells.append(next(tokens).content)
                if token.type == "th_open":
                    aligns.append(_align(token))
            elif token.type == "tr_open":
                cells, opened = [], token
            elif token.type == "tr_close":
                rows.append(
                    tuple((Paragraph(self._read_lines(cell)),) for cell in self._join_extra_cells(cells, opened))
                )
        return Grid(rows[0], tuple(rows[1:]), tuple(aligns))

    def _join_extra_cells(self, cells: Sequence[str], row: Token) -> Sequence[str]:
        """Return the cells of a row; the last cell includes those beyond the header, which Markdown drops.

        A `|` in a value is one of its characters more often than the end of a cell.
        """
        if row.map is None or row.level != _ROW_LEVEL:
            return cells
        written = _CELL_END.split(self._source[row.map[0]].strip().removeprefix("|").removesuffix("|"))
        return cells if len(written) <= len(cells) else (*cells[:-1], "|".join(written[len(cells) - 1 :]).strip())

    # Paragraphs

    def _read_lines(self, text: str) -> Lines:
        """Return the lines of a paragraph with its line breaks: those of a log are intended.

        Indentation stays as well. Only lines that an editor has filled are joined.
        """
        text = _DATA.sub(r"\1…", text)
        if is_filled(text):
            text = text.replace("\n", " ")
        if not _SIGNS.search(text) or len(text) > LONGEST or time.thread_time() > self._until:
            return tuple((create_safe_fragment(line.rstrip()),) for line in text.split("\n"))
        indented = _INDENT.sub(lambda match: "\n" + match[1].replace("\t", "    ").replace(" ", _NO_BREAK), text)
        tokens: list[Token] = []
        _create_parser().inline.parse(indented, _create_parser(), {}, tokens)
        return _Paragraph(tokens).lines


def is_filled(text: str) -> bool:
    """Return True if lines end only where no further word fitted, as an editor wraps prose."""
    lines = text.split("\n")
    width = max(map(len, lines))
    if len(lines) < 2 or width < MIN_FILLED_CHARACTERS or any(line.endswith(("  ", "\\")) for line in lines[:-1]):
        return False
    first_words = [line.partition(" ")[0] for line in lines[1:]]
    full = all(len(line) + 1 + len(word) > width for line, word in zip(lines, first_words, strict=False))
    # Lines of a log may all be equally long, too, but do not begin in the middle of a sentence.
    return full and 2 * sum(word[:1].islower() for word in first_words) > len(first_words)


class _Paragraph:
    """The lines of the tokens of one paragraph."""

    def __init__(self, tokens: list[Token]) -> None:
        self._done: list[tuple[Fragment, ...]] = []
        self._line: list[Fragment] = []
        self._styles: list[CharacterStyle] = [PLAIN]
        self._addresses: list[str] = []
        for token in tokens:
            self._add(token)

    @property
    def lines(self) -> Lines:
        """All lines."""
        return (*self._done, tuple(self._line))

    def _add(self, token: Token) -> None:
        kind = token.type
        if kind in ("softbreak", "hardbreak") or (kind == "html_inline" and _BREAK.fullmatch(token.content)):
            self._break()
        elif kind in ("text", "text_special"):
            self._add_text(token.content, self._styles[-1])
        elif kind == "html_inline":
            self._add_text(token.content, DIM)
        elif kind == "code_inline":
            self._add_text(token.content, replace(self._styles[-1], code=True))
        elif kind == "image":
            self._add_text("image ", DIM)
            self._add_text(
                f"{alt} " if (alt := _get_alternative_text(token)) else "", replace(self._styles[-1], italic=True)
            )
            self._add_text(f"({_shorten_address(str(token.attrs.get('src', '')))})", DIM)
        elif kind == "link_open":
            is_told = token.markup == "autolink"
            self._addresses.append("" if is_told else _shorten_address(str(token.attrs.get("href", ""))))
            self._styles.append(replace(self._styles[-1], underline=True))
        elif kind == "link_close":
            self._styles.pop()
            if address := self._addresses.pop():
                self._add_text(f" ({address})", DIM)
        else:
            self._turn(kind)

    def _turn(self, kind: str) -> None:
        """Begin or end emphasis."""
        name, _, side = kind.rpartition("_")
        if side == "close":
            self._styles.pop()
        elif name in _FLAGS:
            self._styles.append(replace(self._styles[-1], **{_FLAGS[name]: True}))

    def _add_text(self, text: str, style: CharacterStyle) -> None:
        first, *others = text.split("\n")
        if first:
            self._line.append(create_safe_fragment(first, style))
        for other in others:
            self._break()
            self._add_text(other, style)

    def _break(self) -> None:
        self._done.append(tuple(self._line))
        self._line = []


def _shorten_address(address: str) -> str:
    return shorten(address, MAX_ADDRESS_WIDTH)


def _dim_tags(line: str) -> tuple[Fragment, ...]:
    """Return a line of HTML with dimmed tags."""
    return tuple(
        create_safe_fragment(text, DIM if text.startswith("<") else PLAIN) for text in _TAG.split(line) if text
    )


def _align(token: Token) -> Align:
    style = str(token.attrs.get("style", ""))
    return "right" if style.endswith("right") else "center" if style.endswith("center") else "left"


def _get_alternative_text(image: Token) -> str:
    """Return the alternative text of an image without styles."""
    return "".join(child.content or " " * (child.type == "softbreak") for child in image.children or ())
