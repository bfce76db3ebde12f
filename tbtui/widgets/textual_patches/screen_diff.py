"""Write only the cells that differ from what the terminal shows.

Wraps `App._display` of Textual 8.2.5 to 8.2.x, through which every update passes. Textual writes each region that a
widget repaints, and a whole screen whenever one is pushed, popped or laid out, mostly several times.

Benefits (bytes at 120x40, `tests/benchmarks/bench_overlays.py`): a help page, an opened tab or a closed page is written
once, and blanks that stay blank are not. A repainted region that looks the same costs nothing.

Not reported upstream. Can go when Textual compares with what it has written.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from rich.cells import cell_len
from rich.color import ColorSystem
from textual import events
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.geometry import Region
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.segment import Segment
    from rich.style import Style
    from textual.screen import Screen

Result = TypeVar("Result")

Cell: TypeAlias = "tuple[str, str]"
"""Text of a cell and its SGR parameters. The right half of a wide character is an empty text."""

MAX_GAP = 4
"""Unchanged cells between two changed ones of one style that are written again: a jump takes as many bytes."""

MAX_STYLES = 8192

MAX_PARAMETERS = 10
"""SGR parameters in one sequence: mlterm ignores those after the tenth."""

RESET = "\x1b[0m"

BLANK = " "


class ScreenDiff:
    """The cells that the terminal shows; None for cells that are not known.

    Args:
        width: Columns of the terminal.
        height: Its rows.
    """

    def __init__(self, width: int, height: int) -> None:
        self.size = (width, height)
        self._rows: list[list[Cell | None]] = []
        self._sources: list[tuple[Segment, ...] | None] = []
        self._sgr: dict[Style | None, str] = {None: ""}
        self._has_halves = False
        """True once a character took more than one column, or none."""

        self._changed: dict[int, list[int]] = {}
        """Columns of cells to write in order, by row."""

        self.invalidate()

    def invalidate(self) -> None:
        """Mark all cells as unknown: other output has reached the terminal."""
        width, height = self.size
        self._rows = [[None] * width for _ in range(height)]
        self._sources = [None] * height

    def invalidate_cells(self, x: int, y: int, width: int, height: int) -> None:
        """Mark a part of the screen as unknown, such as cells below an image."""
        for row in range(max(y, 0), min(y + height, self.size[1])):
            begin, end = max(x, 0), min(x + width, self.size[0])
            self._rows[row][begin:end] = [None] * (end - begin)
            self._sources[row] = None

    def write(self, x: int, y: int, strips: Iterable[Strip], colours: ColorSystem) -> bool:
        """Store the cells of strips for the next `flush`; return True if any cell has changed.

        Args:
            x: Column of the first cell.
            y: Row of the strips.
            strips: Strips side by side.
            colours: Colours of the terminal.
        """
        if not 0 <= y < self.size[1]:
            return False
        segments = tuple(segment for strip in strips for segment in strip)
        is_whole = x == 0
        if is_whole and self._sources[y] == segments:
            return False
        self._sources[y] = segments if is_whole else None
        shown, cells = self._rows[y], self._cells(segments, colours)
        del cells[self.size[0] - x :]
        columns = _find_changed_columns(shown[x : x + len(cells)], cells, has_halves=self._has_halves)
        shown[x : x + len(cells)] = cells
        if columns:
            changed = [x + column for column in columns] if x else columns
            before = self._changed.get(y)
            self._changed[y] = changed if before is None else sorted({*before, *changed})
        return bool(columns)

    def flush(self) -> str:
        """Return escape sequences and text that draw the changed cells, one style after the other.

        Cells of one style are written together, in all rows, as a colour takes three times the bytes of a jump: lines
        of many runs cross in every row of a chart.
        """
        spans = [
            span for y, columns in sorted(self._changed.items()) for span in _find_spans(y, self._rows[y], columns)
        ]
        self._changed = {}
        spans.sort(key=itemgetter(0))  # stable: rows stay in order
        parts: list[str] = []
        current_style, row, column = PLAIN, -1, -1
        for _, style, y, x, end, text in spans:
            if y != row:
                parts.append(f"\x1b[{y + 1};{x + 1}H")
            elif x != column:
                parts.append(f"\x1b[{x + 1}G")
            if style is not current_style and style != current_style:
                parts.append(_encode_transition(current_style, style))
                current_style = style
            parts.append(text)
            row, column = y, end
        if current_style != PLAIN:
            parts.append(RESET)
        return "".join(parts)

    def _cells(self, segments: Sequence[Segment], colours: ColorSystem) -> list[Cell]:
        cells: list[Cell] = []
        for text, style, control in segments:
            if control:
                continue
            sgr = self._sgr.get(style)
            if sgr is None:
                if len(self._sgr) > MAX_STYLES:
                    self._sgr = {None: ""}
                sgr = self._sgr[style] = "" if style is None else Strip.render_ansi(style, colours)
            if text.isascii() or _has_single_cells(text):
                cells += [(char, sgr) for char in text]
            else:
                _add_wide(cells, text, sgr)
                self._has_halves = True
        # Blanks of another colour of text look the same: half of an opened page are such blanks.
        return [(text, _get_blank_sgr(sgr)) if text == BLANK else (text, sgr) for text, sgr in cells]


@lru_cache(maxsize=4096)
def _has_single_cells(text: str) -> bool:
    """Return True if each character takes one column."""
    return all(cell_len(char) == 1 for char in text)


def _add_wide(cells: list[Cell], text: str, sgr: str) -> None:
    """Append the cells of a text with characters of two columns, or of none, which belong to the one before."""
    for char in text:
        columns = cell_len(char)
        if columns == 0 and cells:
            before, cell_sgr = cells[-1]
            if before or len(cells) < 2:
                cells[-1] = (before + char, cell_sgr)
            else:  # after the right half of a wide character
                cells[-2] = (cells[-2][0] + char, cells[-2][1])
        else:
            cells.append((char, sgr))
            cells += [("", sgr)] * (columns - 1)


def _find_changed_columns(shown: Sequence[Cell | None], cells: Sequence[Cell], *, has_halves: bool) -> list[int]:
    """Return the columns of all cells to write: those that changed, and the other halves of wide characters."""
    columns = [index for index, (old, new) in enumerate(zip(shown, cells, strict=True)) if old != new]
    if not has_halves:
        return columns
    changed: set[int] = set()
    for index in columns:
        begin, end = index, index + 1
        while begin > 0 and not cells[begin][0]:
            begin -= 1
        while end < len(cells) and (not cells[end][0] or _is_half(shown[end])):
            end += 1
        changed.update(range(begin, end))
    return sorted(changed)


class _Span(NamedTuple):
    """Cells side by side that are written in one style."""

    order: tuple[str, str, str]
    """The style, background first: spans of one background are written one after the other."""

    style: _Style
    y: int
    x: int
    end: int
    text: str


def _find_spans(y: int, row: Sequence[Cell | None], columns: Sequence[int]) -> list[_Span]:
    """Return the changed cells of a row in as few pieces as possible.

    A blank joins neighbouring text, whose colour does not show on it. Up to `MAX_GAP` cells that did not change are
    written again between cells of their style.
    """
    spans: list[_Span] = []
    style, begin, end, text = PLAIN, -1, -1, ""
    for first, last, sgr, piece in _split_pieces(row, columns):
        piece_style = _parse_sgr(sgr)
        gap = "" if first == end else _decode_gap(row, end, first, style) if 0 < first - end <= MAX_GAP else None
        if begin >= 0 and gap is not None:
            if piece_style == style or (piece_style == _get_blank_style(style) and piece.isspace()):
                end, text = last, f"{text}{gap}{piece}"
                continue
            if _get_blank_style(piece_style) == style and text.isspace():
                style, end, text = piece_style, last, f"{text}{gap}{piece}"
                continue
        if begin >= 0:
            spans.append(_Span((style.background, style.foreground, style.attributes), style, y, begin, end, text))
        style, begin, end, text = piece_style, first, last, piece
    if begin >= 0:
        spans.append(_Span((style.background, style.foreground, style.attributes), style, y, begin, end, text))
    return spans


def _split_pieces(row: Sequence[Cell | None], columns: Sequence[int]) -> Iterator[tuple[int, int, str, str]]:
    """Yield first column, end, SGR parameters and text of changed cells side by side with equal parameters."""
    first = end = -1
    current_sgr, texts = "", [""]
    for column in columns:
        cell = row[column]
        if cell is None:
            continue
        text, sgr = cell
        if column == end and sgr == current_sgr:
            texts.append(text)
        else:
            if first >= 0:
                yield first, end, current_sgr, "".join(texts)
            first, current_sgr, texts = column, sgr, [text]
        end = column + 1
    if first >= 0:
        yield first, end, current_sgr, "".join(texts)


def _decode_gap(row: Sequence[Cell | None], begin: int, end: int, style: _Style) -> str | None:
    """Return the text of unchanged cells that look the same in `style`; None if one differs."""
    texts = []
    for cell in row[begin:end]:
        if cell is None:
            return None
        cell_style = _parse_sgr(cell[1])
        if cell_style != style and not (cell[0] == BLANK and _get_blank_style(style) == cell_style):
            return None
        texts.append(cell[0])
    return "".join(texts)


def _is_half(cell: Cell | None) -> bool:
    """Return True for the right half of a wide character."""
    return cell is not None and not cell[0]


class _Style(NamedTuple):
    """SGR parameters by kind; an empty text leaves the default of the terminal."""

    attributes: str = ""
    foreground: str = ""
    background: str = ""


PLAIN = _Style()


@lru_cache(maxsize=MAX_STYLES)
def _parse_sgr(sgr: str) -> _Style:
    """Return the parts of SGR parameters."""
    attributes: list[str] = []
    foreground = background = ""
    codes = iter(sgr.split(";") if sgr else ())
    for code in codes:
        number, colour = int(code), [code]
        if number in (38, 48):
            colour.append(next(codes))
            colour += [next(codes) for _ in range(3 if colour[1] == "2" else 1)]
        if 30 <= number <= 39 or 90 <= number <= 97:
            foreground = ";".join(colour)
        elif 40 <= number <= 49 or 100 <= number <= 107:
            background = ";".join(colour)
        else:
            attributes.append(code)
    return _Style(";".join(attributes), foreground, background)


SEEN_ON_BLANKS = frozenset({"4", "5", "6", "7", "9", "21", "53"})
"""Attributes that a blank shows: underlined, blinking, reversed, struck out, overlined."""


@lru_cache(maxsize=MAX_STYLES)
def _get_blank_style(style: _Style) -> _Style:
    """Return the style of blanks: only their background, unless an attribute shows on them."""
    return style if SEEN_ON_BLANKS & set(style.attributes.split(";")) else _Style(background=style.background)


@lru_cache(maxsize=MAX_STYLES)
def _get_blank_sgr(sgr: str) -> str:
    """Return the SGR parameters of blanks in a text with these parameters."""
    style = _parse_sgr(sgr)
    return sgr if _get_blank_style(style) == style else style.background


@lru_cache(maxsize=MAX_STYLES)
def _encode_transition(before: _Style, after: _Style) -> str:
    """Return the sequence from one style to another, with the changed parameters only."""
    if after == PLAIN:
        return RESET
    reset = ""
    if before.attributes != after.attributes and before.attributes:
        before, reset = PLAIN, "0"
    first = ";".join(filter(None, [reset, "" if before.attributes == after.attributes else after.attributes]))
    colours = []
    if before.foreground != after.foreground:
        colours.append(after.foreground or "39")
    if before.background != after.background:
        colours.append(after.background or "49")
    both = ";".join(filter(None, [first, *colours]))
    if both.count(";") < MAX_PARAMETERS:
        return f"\x1b[{both}m"
    return f"\x1b[{first}m\x1b[{';'.join(colours)}m"


class Overlay(Protocol):
    """Output that lies over the cells of a screen, such as sixels."""

    @property
    def is_erased_by_text(self) -> bool:
        """Return True if the terminal shows output of this overlay that text written over it erases."""

    def output_after(self, painted: Sequence[Region]) -> str:
        """Return the output that follows an update which painted these regions of the screen."""

    def leave(self) -> None:
        """React to another screen that covers this one; all of this one is painted again when it is gone."""

    def enter(self) -> None:
        """React to the end of the screen that covered this one, before this one is painted again."""


class OverlaidUpdate(CompositorUpdate):
    """Update that is followed by the output of an overlay."""

    def __init__(self, update: LayoutUpdate | ChopsUpdate, overlay: Overlay) -> None:
        self.update = update
        self.overlay = overlay

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the text without the overlay."""
        return self.update.__rich_console__(console, options)

    def render_segments(self, console: Console) -> str:
        """Return the text, followed by the overlay."""
        update = self.update
        if isinstance(update, LayoutUpdate):
            painted = [update.region]
        else:
            painted = [Region(first, y, end - first, 1) for y, first, end in update.spans]
        return update.render_segments(console) + self.overlay.output_after(painted)


class _Written(CompositorUpdate):
    """An update whose output is known."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield nothing: the output is written as it is."""
        yield from ()

    def render_segments(self, console: Console) -> str:  # noqa: ARG002
        """Return the output."""
        return self._text


class DiffedApp(App[Result]):
    """App that writes only the cells that differ from what the terminal shows."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._diff = ScreenDiff(0, 0)
        self._driver_starts = 0

    def invalidate_screen(self) -> None:
        """Write the next updates in full: the terminal may show other cells than were written."""
        self._diff.invalidate()

    async def on_event(self, event: events.Event) -> None:
        """Invalidate the screen after each resize: a terminal may have cut it or wrapped its lines."""
        if isinstance(event, events.Resize):
            self.invalidate_screen()
        await super().on_event(event)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        update: object = renderable
        if isinstance(update, CompositorUpdate) and self._is_drawing:
            text = self.changed_cells(update)
            if not text:
                return
            renderable = _Written(text)
        super()._display(screen, renderable)

    @property
    def _is_drawing(self) -> bool:
        """True if an update would be written now; the conditions are those of Textual."""
        driver = self._driver
        is_ready = self._running and not (self._closed or self.is_headless or self._batch_count)
        return is_ready and driver is not None and not driver.is_inline

    def changed_cells(self, update: CompositorUpdate) -> str:
        """Return the output for an update, and remember what the terminal shows after it."""
        starts = getattr(self._driver, "starts", 0)
        if self._diff.size != tuple(self.size):
            self._diff = ScreenDiff(*self.size)
        elif starts != self._driver_starts:
            self._diff.invalidate()
        self._driver_starts = starts
        overlay = update.overlay if isinstance(update, OverlaidUpdate) else None
        plain = update.update if isinstance(update, OverlaidUpdate) else update
        if not isinstance(plain, (LayoutUpdate, ChopsUpdate)):
            self._diff.invalidate()
            return plain.render_segments(self.console)
        colours = self.console._color_system or ColorSystem.TRUECOLOR  # noqa: SLF001 - as Textual does
        painted: list[Region] = []
        is_forced = overlay is not None and overlay.is_erased_by_text
        for x, y, strips in update_lines(plain):
            width = sum(strip.cell_length for strip in strips)
            if is_forced:
                self._diff.invalidate_cells(x, y, width, 1)
            if self._diff.write(x, y, strips, colours):
                painted.append(Region(x, y, width, 1))
        parts = [self._diff.flush()]
        if overlay is not None:
            parts.append(overlay.output_after(painted))
        return "".join(parts)


def update_lines(update: LayoutUpdate | ChopsUpdate) -> Iterator[tuple[int, int, Sequence[Strip]]]:
    """Yield column, row and strips of each piece of an update, cut to what it changes."""
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            yield update.region.x, y, [*line]
        return
    for y, first, end in update.spans:
        for chop_end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            start, stop = max(x, first), min(chop_end, end)
            if strip is not None and start < stop:
                is_uncut = (start, stop) == (x, chop_end)
                yield start, y, [strip if is_uncut else strip.crop(start - x, stop - x)]
