"""The help: the keys that work at the present focus, by purpose, and a search through all keys."""

from __future__ import annotations

from itertools import combinations, pairwise, zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import cut_pieces, pieces_width
from tbtui.charts.text import cell_width, safe, shorten
from tbtui.widgets import ink_styles as inks
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Heading
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS
from tbtui.widgets.textual_patches.modal import DismissOnceScreen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.app import ComposeResult

    from tbtui.app.keymap import KeyGroup
    from tbtui.charts.styled_text import Piece

MIN_TWO_COLUMN_WIDTH = 72
MAX_COLUMNS = 3
GAP = 3
"""Blank terminal columns between two columns of the page."""

FRAME_WIDTH, FRAME_HEIGHT = 4, 3
"""Columns and lines of the box around the page: frame, margins and title."""

MIN_PAGE_WIDTH = 44
"""Columns for the title with its keys."""

MAX_PATH_COLUMNS = 48
"""Maximum columns of the path of the keys file; its middle is cut."""

MIN_WORDS = 16
"""Columns of a description in a narrow terminal, at least."""

PACKED = frozenset({"Go", "tbtui"})
"""Groups that are the same in every tab; in a small terminal their keys stand side by side."""

Lines: TypeAlias = "list[tuple[Piece, ...]]"


def arrange_help(groups: Sequence[KeyGroup], width: int, height: int = 0) -> Lines:
    """Return the page in as few columns as `height` lines need, else in as many as fit; groups keep their order.

    Args:
        groups: The keys by heading.
        width: Columns of the page.
        height: Lines that are visible at once; 0: as few lines as possible.
    """
    is_narrow = width < MIN_TWO_COLUMN_WIDTH
    wrapped = width if is_narrow else 0
    lines = _arrange_columns([_format_group(group, wrapped) for group in groups], width, height)
    if not height or len(lines) <= height:
        return lines
    room = width if is_narrow else (width - GAP) // 2
    blocks = [_pack_keys(each, room) if each.title in PACKED else _format_group(each, wrapped) for each in groups]
    lines = _arrange_columns(blocks, width, height)
    if len(lines) <= height or is_narrow:
        return lines
    halves = _split_in_half(blocks)
    if max(map(len, halves)) <= height and sum(_measure_columns(halves)) - GAP <= width:
        return _join_columns(halves, _measure_columns(halves))
    for is_titled in (True, False):
        dense = [line for group in groups for line in _pack_keys(group, width, is_titled=is_titled)]
        if len(dense) <= height:
            return dense
    return dense if len(dense) < len(lines) else lines


def _arrange_columns(blocks: Sequence[Lines], width: int, height: int) -> Lines:
    single = [line for block in blocks for line in block]
    if width < MIN_TWO_COLUMN_WIDTH or len(single) <= height:
        return single
    splits = [columns for count in range(2, MAX_COLUMNS + 1) for columns in _list_splits(blocks, count)]
    uncut = [columns for columns in splits if sum(_measure_columns(columns)) - GAP <= width]
    fitting = [columns for columns in uncut if max(map(len, columns)) <= height]
    if fitting:
        best = min(fitting, key=lambda columns: (len(columns), max(map(len, columns))))
        return _join_columns(best, _measure_columns(best))
    # If no split fits, the ends of lines are cut.
    columns = min(uncut or _list_splits(blocks, 2), key=lambda columns: max(map(len, columns)))
    return _join_columns(columns, _measure_columns(columns) if uncut else [width // 2] * 2)


def _format_group(group: KeyGroup, width: int = 0) -> Lines:
    """Return a line for each key; descriptions continue below where they are longer than `width` (0: any width)."""
    lines: Lines = [((group.title, Ink.BOLD),)]
    widest = max(cell_width(line.keys) for line in group.lines)
    left = 1 + widest + 2
    for line in group.lines:
        first, *others = wrap(line.description, max(width - left, MIN_WORDS)) if width else [line.description]
        lines.append(((f" {line.keys}".ljust(left), Ink.ACCENT), (first, Ink.TEXT)))
        lines += [((" " * left, Ink.NONE), (other, Ink.TEXT)) for other in others]
    return lines


def _split_in_half(blocks: Sequence[Lines]) -> list[Lines]:
    """Return all lines in two columns; a group may go on in the second one, with its heading again."""
    lines = [(line, block[0]) for block in blocks for line in block]
    middle = (len(lines) + 1) // 2
    if lines[middle - 1][0] is lines[middle - 1][1]:
        middle -= 1  # a heading goes with its keys
    again = [] if lines[middle][0] is lines[middle][1] else [lines[middle][1]]
    return [[line for line, _ in lines[:middle]], [*again, *(line for line, _ in lines[middle:])]]


def _pack_keys(group: KeyGroup, width: int, *, is_titled: bool = True) -> Lines:
    """Return the keys of a group side by side, in as few lines as possible.

    Args:
        group: The keys.
        width: Columns of a line.
        is_titled: True: the heading has a line of its own; False: keys stand behind it.
    """
    title = (group.title, Ink.BOLD)
    lines: list[list[Piece]] = [[title] if is_titled else [title, (" ", Ink.NONE)]]
    room = 0 if is_titled else width - cell_width(group.title) - 1
    for line in group.lines:
        pieces = ((f" {line.keys} ", Ink.ACCENT), (line.short or line.description, Ink.TEXT))
        if pieces_width(pieces) > room:
            lines.append([])
            room = width
        lines[-1] += [*pieces, (" ", Ink.NONE)]
        room -= pieces_width(pieces) + 1
    return [*map(tuple, lines)]


def _list_splits(blocks: Sequence[Lines], count: int) -> list[list[Lines]]:
    """Return all ways to set the blocks in `count` columns."""
    cuts = combinations(range(len(blocks) + 1), count - 1)
    ends = ((0, *cut, len(blocks)) for cut in cuts)
    return [[[line for block in blocks[a:b] for line in block] for a, b in pairwise(end) if a < b] for end in ends]


def _measure_columns(columns: Sequence[Lines]) -> list[int]:
    return [max(map(pieces_width, column), default=0) + GAP for column in columns]


def _join_columns(columns: Sequence[Lines], widths: Sequence[int]) -> Lines:
    page: Lines = []
    for row in zip_longest(*columns, fillvalue=()):
        line: list[Piece] = []
        for pieces, width in zip(row, widths, strict=True):
            visible = cut_pieces(pieces, width - 1)
            line += [*visible, (" " * (width - pieces_width(visible)), Ink.NONE)]
        page.append(tuple(line))
    return page


def search_groups(groups: Sequence[KeyGroup], query: str) -> list[KeyGroup]:
    """Return the lines that contain all words of a query, in their keys, their description or their heading."""
    from dataclasses import replace

    words = query.lower().split()
    matches = []
    for group in groups:
        lines = tuple(
            line
            for line in group.lines
            if query in line.keys.split()
            or all(word in f"{group.title} {line.keys} {line.description}".lower() for word in words)
        )
        if lines:
            matches.append(replace(group, lines=lines))
    return matches


class HelpScreen(ModalScreen[None], DismissOnceScreen[None]):
    """Lists the keys that work at the present focus; a search finds all keys.

    Args:
        title: Name of the focused part: `Scalars`.
        groups: Keys that work at this focus, from `group_active_keys`.
        others: Keys of other parts, which the search finds too.
        keys_path: The file in which the user changes keys; None: keys cannot be changed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "close", system=True),
        Binding("q,question_mark,f1", "dismiss", "close", system=True),
        Binding("slash", "search", "search", system=True),
        Binding("w", "write_keys", "list keys in a file", system=True),
        Binding("j", "scroll(1)", "down", system=True),
        Binding("k", "scroll(-1)", "up", system=True),
        Binding(PAGE_UP_KEYS, "page(-1)", "page up", system=True),
        Binding(f"{PAGE_DOWN_KEYS},space", "page(1)", "page down", system=True),
        Binding("g", "scroll(-100000)", "first", system=True),
        Binding("G", "scroll(100000)", "last", system=True),
    ]

    DEFAULT_CSS = """
    HelpScreen { align: center top; background: transparent; }
    HelpScreen > Vertical {
        height: auto; width: auto; max-width: 100%; max-height: 100%;
        background: $background; border: round $foreground 50%; padding: 0 1;
    }
    HelpScreen Heading { width: 100%; }
    HelpScreen VerticalScroll {
        height: auto; scrollbar-size-vertical: 1; scrollbar-background: $background; scrollbar-color: $foreground 25%;
    }
    HelpScreen VerticalScroll > Static { height: auto; width: auto; }
    HelpScreen FilterBar { display: none; }
    HelpScreen FilterBar > #prompt { width: 2; }
    """

    def __init__(
        self, title: str, groups: Sequence[KeyGroup], others: Sequence[KeyGroup], keys_path: Path | None
    ) -> None:
        super().__init__()
        self._groups, self._others, self._query = groups, others, ""
        self._keys_path = keys_path
        note = "" if keys_path is None else safe(f"change keys: {shorten(str(keys_path), MAX_PATH_COLUMNS)} (w)")
        self._heading = Heading(f"keys of {title}", ("/", "search"), ("esc", "close"), id="help-title")
        self._page = Static(markup=False)
        self._bar = FilterBar("find a key or what it does")
        self._scroll = VerticalScroll(self._page)
        self._box = Vertical(self._heading, self._bar, self._scroll)
        self._box.border_subtitle = Content(note)
        self._least = max(cell_width(note) + 2, MIN_PAGE_WIDTH)

    def compose(self) -> ComposeResult:
        """Compose title, page, search and note."""
        yield self._box

    def on_mount(self) -> None:
        """Focus the page, so that keys scroll it; the first layout has its size."""
        self._show()
        self._scroll.focus()

    def on_resize(self) -> None:
        """Lay the page out for the size of the terminal."""
        self._show()

    def _show(self) -> None:
        width, height = self.app.size.width - FRAME_WIDTH, self.app.size.height - FRAME_HEIGHT
        groups = search_groups((*self._groups, *self._others), self._query) if self._query else self._groups
        lines = arrange_help(groups, width, height) if groups else [(("no key does that", Ink.DIM),)]
        if len(lines) > height:
            lines = arrange_help(groups, width - 1, height)  # beside the scroll bar
        used = max(map(pieces_width, lines))
        self._box.styles.width = min(max(used, self._least), width) + FRAME_WIDTH
        self._scroll.styles.max_height = max(height - self._bar.display, 1)
        styles = inks.get_ink_styles(self.app)
        page = Text(no_wrap=True, end="")
        for number, line in enumerate(lines):
            page.append("\n" if number else "")
            for text, ink in line:
                page.append(text, styles.of(ink))
        self._page.update(page)

    # Search

    def action_search(self) -> None:
        """Open the search bar."""
        self._bar.display = True
        self._show()
        self._bar.edit()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """List what matches while the query is typed."""
        event.stop()
        self._query = event.pattern.strip()
        event.bar.accept()
        self._show()

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Keep what was found, and give the keys to the page."""
        event.stop()
        self._bar.display = bool(self._query)
        self._show()
        self._scroll.focus()

    def action_back(self) -> None:
        """End the search; without one, close the help."""
        if self._query:
            self._query = ""
            self._bar.show_applied("")
            self._bar.display = False
            self._show()
        else:
            self.dismiss()

    def action_write_keys(self) -> None:
        """Write the file in which keys are changed, unless there is one."""
        from tbtui.app.keys_file import write_template

        if self._keys_path is not None:
            self.app.notify(write_template(self._keys_path))

    def action_scroll(self, rows: int) -> None:
        """Scroll by lines."""
        self._scroll.scroll_relative(y=rows, animate=False)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        self._scroll.scroll_relative(y=pages * max(self._scroll.size.height - 1, 1), animate=False)
