"""A widget that draws the visible lines of a document, scrolls them and highlights the matches of a search."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width
from tbtui.plugins.text.lines import BLANK
from tbtui.plugins.text.search import NOTHING
from tbtui.widgets import ink_styles as inks
from tbtui.widgets.cells_view import WHEEL_ROWS, WheelMixin
from tbtui.widgets.empty_state import draw_empty_state
from tbtui.widgets.ink_styles import render_pieces
from tbtui.widgets.row_list import choose_edge_glyph
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS, ScrollState
from tbtui.widgets.textual_patches.minimal_repaint import repaints_minimally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.text.document import Document
    from tbtui.plugins.text.lines import CharacterStyle, DocumentLine
    from tbtui.plugins.text.search import SearchResult, Span
    from tbtui.widgets.ink_styles import InkStyles


class LineStyles(NamedTuple):
    """Styles of a document."""

    inks: InkStyles
    base: Style
    """Style of the background."""

    code: Style
    """Style laid over code; the next two are laid over matches and over the current match."""

    match: Style
    current: Style


def build_line_strip(line: DocumentLine, spans: Sequence[Span], current: int, styles: LineStyles) -> Strip:
    """Return a line as a strip of its own width.

    Args:
        line: The line.
        spans: Its matches in order.
        current: Number of the current match.
        styles: Styles of the theme.
    """
    segments: list[Segment] = []
    position = 0
    for text, character_style in line.fragments:
        style = styles.base + styles.inks.of(character_style.ink) + _remove_colours(character_style)
        style += styles.code if character_style.code else _NO_STYLE
        for start, end, match in _split(spans, position, position + len(text)):
            overlay_style = _NO_STYLE if match < 0 else styles.current if match == current else styles.match
            segments.append(Segment(text[start - position : end - position], style + overlay_style))
        position += len(text)
    return Strip(segments)


def overlay_style(component: Style, *, with_colour: bool = False) -> Style:
    """Return the style that a component adds to text: background, emphasis, and optionally its colour."""
    ground, colour = (None, None) if component.reverse else (component.bgcolor, component.color)
    return Style(
        color=colour if with_colour else None,
        bgcolor=ground,
        bold=component.bold,
        underline=component.underline,
        reverse=component.reverse,
    )


_NO_STYLE = Style.null()


@lru_cache(maxsize=256)
def _remove_colours(style: CharacterStyle) -> Style:
    """Return the attributes of a style other than its colours."""
    return Style(
        bold=style.bold or None,
        italic=style.italic or None,
        strike=style.strike or None,
        underline=style.underline or None,
    )


def _split(spans: Sequence[Span], start: int, end: int) -> Sequence[tuple[int, int, int]]:
    """Return ranges of a line cut at matches: start, end (exclusive), and the number of the match or -1."""
    ranges: list[tuple[int, int, int]] = []
    position = start
    for span in spans:
        first, last = max(span.start, position), min(span.end, end)
        if first < last:
            if position < first:
                ranges.append((position, first, -1))
            ranges.append((first, last, span.match))
            position = last
    if position < end:
        ranges.append((position, end, -1))
    return ranges


SIDE_STEP = 8
"""Columns that a key scrolls sideways."""

MORE = "›"
"""Sign at the edge of a line that continues to the right."""


class _VisibleLine(NamedTuple):
    line: DocumentLine | None
    left: int
    spans: tuple[Span, ...]
    current: int
    """Number of the current match if it is in this line, otherwise -1."""

    edge: str


@repaints_minimally
class DocumentView(WheelMixin, Widget, can_focus=True):
    """Scroll through a document of any length; the cost depends on the visible lines alone."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"text--code", "text--match", "text--current"}

    DEFAULT_CSS = """
    DocumentView { height: 1fr; width: 1fr; }
    DocumentView > .text--code { background: $panel; }
    DocumentView > .text--match { background: $warning 35%; }
    DocumentView > .text--current { background: $warning; color: $background; text-style: bold; }
    DocumentView:ansi > .text--code { background: ansi_default; }
    DocumentView:ansi > .text--match { background: ansi_default; text-style: reverse; }
    DocumentView:ansi > .text--current {
        background: ansi_default;
        color: ansi_default;
        text-style: reverse bold underline;
    }
    DocumentView:nocolor > .text--match { text-style: reverse; }
    DocumentView:nocolor > .text--current { text-style: reverse bold underline; }
    """

    BINDING_GROUP_TITLE = "Text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_rows(-1)", "up", show=False),
        Binding("down,j", "scroll_rows(1)", "down", show=False),
        Binding("left,h", "scroll_columns(-1)", "left", show=False),
        Binding("right,l", "scroll_columns(1)", "right", show=False),
        Binding(PAGE_UP_KEYS, "scroll_page(-1)", "page up", show=False),
        Binding(PAGE_DOWN_KEYS, "scroll_page(1)", "page down", show=False),
        Binding("g,home", "scroll_to(0)", "first", show=False),
        Binding("G,end", "scroll_to(-1)", "last", show=False),
    ]

    class Scrolled(Message):
        """Another line has become the first visible one."""

    class Resized(Message):
        """The size for the document has changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._document: Document | None = None
        self._words = ("", "")
        self._scroll = ScrollState()
        self._left = 0
        self._found, self._current = NOTHING, -1
        self._visible_lines: list[_VisibleLine] = []

    # What is shown

    @property
    def document(self) -> Document | None:
        """The document; None while a message takes its place."""
        return self._document

    @property
    def top(self) -> int:
        """Number of the first visible line."""
        return self._scroll.first

    @property
    def current(self) -> int:
        """Number of the current match; -1 without one."""
        return self._current

    @property
    def last_top(self) -> int:
        """First visible line when scrolled to the end."""
        return self._clamp_scroll().with_top(len(self._lines)).first

    @property
    def _lines(self) -> Sequence[DocumentLine]:
        return () if self._document is None else self._document.lines

    def show(self, document: Document, *, stay: bool) -> None:
        """Show another document.

        Args:
            document: The document.
            stay: True for the same text in other lines: its first visible line stays; otherwise scroll to the top.
        """
        before, self._document = self._document, document
        top = self.top
        if before is None or not stay:
            top = self._left = 0
        elif not document.continues(before):
            top = _find_same_line(before, top, document)
        if before is None or not document.continues(before):
            self._found, self._current = NOTHING, -1
        self._scroll = replace(self._scroll, first=top)
        self._show_from(top, self._left)

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of a document."""
        if self._document is not None or self._words != (headline, hint):
            self._document, self._words = None, (headline, hint)
            self._found, self._current, self._scroll, self._left = NOTHING, -1, ScrollState(), 0
            self._visible_lines = []
            self.refresh()

    # Matches

    def show_found(self, result: SearchResult, *, move: bool) -> None:
        """Highlight the matches of a search.

        Args:
            result: In the document that is shown.
            move: Scroll to the first match from here on.
        """
        self._found = result
        self._current = min(bisect_left(result.firsts, self.top), len(result) - 1) if len(result) else -1
        if len(result) and result.firsts[self._current] < self.top:
            self._current = 0
        if move and len(result):
            self._reveal_match()
        self._redraw()

    def go_to_match(self, count: int) -> None:
        """Move to another match; after the last comes the first."""
        if len(self._found):
            self._current = (self._current + count) % len(self._found)
            self._reveal_match()
            self._redraw()

    def _reveal_match(self) -> None:
        line = self._found.firsts[self._current]
        span = next(span for span in self._found.by_line[line] if span.match == self._current)
        height, text = self.size.height, self._lines[line].text
        top = self.top if self.top <= line < self.top + height else line - height // 3
        begin, end = (cell_width(text[:index]) for index in (span.start, span.end))
        width, left = self._room, self._left
        if not left <= begin < end <= left + width:
            left = 0 if end <= width else max(min(begin - width // 3, begin), 0)
        self._show_from(top, left)

    # Drawing

    @property
    def _room(self) -> int:
        """Visible columns of the document; one more is the edge."""
        return max(self.size.width - 1, 1)

    def _show_from(self, top: int, left: int) -> None:
        before = self.top
        widest = 0 if self._document is None else self._document.width
        self._scroll = self._clamp_scroll().with_top(top)
        self._left = max(0, min(left, widest - self._room))
        self._redraw()
        if self.top != before:
            self.post_message(self.Scrolled())

    def _clamp_scroll(self) -> ScrollState:
        return replace(self._scroll, count=len(self._lines), height=self.size.height)

    def _redraw(self) -> None:
        """Repaint the lines that have changed."""
        if self._document is None:
            return
        rows = [self._draw(y) for y in range(self.size.height)]
        before, self._visible_lines = self._visible_lines, rows
        if len(before) != len(rows):
            self.refresh()
            return
        for y, (old, new) in enumerate(zip(before, rows, strict=True)):
            if old is not new and old != new:
                self.refresh(Region(0, y, self.size.width, 1))

    def _draw(self, y: int) -> _VisibleLine:
        index, lines = self.top + y, self._lines
        line = lines[index] if index < len(lines) else None
        spans = self._found.by_line.get(index, ())
        current = self._current if any(span.match == self._current for span in spans) else -1
        edge = choose_edge_glyph(y, self.size.height, len(lines), self.top)
        if line is not None and self._document is not None and self._document.width > self._room:
            edge = MORE if line.width - self._left > self._room else edge
        return _VisibleLine(line, self._left, spans, current, edge)

    def render_line(self, y: int) -> Strip:
        styles, base, width = inks.get_ink_styles(self.app), self.rich_style, self.size.width
        if self._document is None or y >= len(self._visible_lines):
            cells = draw_empty_state(*self._words, width, max(self.size.height, 1))
            return inks.render_cells(cells, min(y, cells.height - 1), styles, base)
        row = self._visible_lines[y]
        strip = build_line_strip(row.line or BLANK, row.spans, row.current, self._build_line_styles(styles, base))
        strip = strip.crop(row.left, row.left + self._room) if strip.cell_length > row.left else Strip([], 0)
        edge = render_pieces(((row.edge, Ink.FAINT),), 1, styles, base)
        return Strip.join([strip.extend_cell_length(self._room, base), edge])

    def _build_line_styles(self, styles: inks.InkStyles, base: Style) -> LineStyles:
        code, match, current = (self.get_component_rich_style(f"text--{name}") for name in ("code", "match", "current"))
        return LineStyles(
            styles, base, overlay_style(code), overlay_style(match), overlay_style(current, with_colour=True)
        )

    def on_resize(self) -> None:
        """Draw the lines that are visible now."""
        self._show_from(self.top, self._left)
        self.refresh()
        self.post_message(self.Resized())

    # Keys and mouse

    def action_scroll_rows(self, rows: int) -> None:
        """Scroll by lines."""
        self._show_from(self.top + rows, self._left)

    def action_scroll_columns(self, steps: int) -> None:
        """Scroll sideways."""
        self._show_from(self.top, self._left + steps * SIDE_STEP)

    def action_scroll_page(self, pages: int) -> None:
        """Scroll by pages that overlap by one line."""
        self._show_from(self.top + pages * self._clamp_scroll().page, self._left)

    def action_scroll_to(self, line: int) -> None:
        """Scroll to a line; -1 is the end."""
        self._show_from(line if line >= 0 else len(self._lines), self._left if line < 0 else 0)

    def handle_wheel(self, across: int, down: int) -> None:
        self._show_from(self.top + down * WHEEL_ROWS, self._left + across * SIDE_STEP)


def _find_same_line(before: Document, top: int, after: Document) -> int:
    """Return the line of a document that shows the top of another layout of the same text."""
    if before.form != after.form:
        return top * len(after.lines) // len(before.lines)
    paragraph = next((part.paragraph for line in before.lines[top:] for part in line.ranges), None)
    if top == 0 or paragraph is None:
        return top
    return next(
        (number for number, line in enumerate(after.lines) for part in line.ranges if part.paragraph >= paragraph), top
    )
