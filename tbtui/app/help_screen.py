"""All keys on one page."""

from __future__ import annotations

from itertools import combinations, pairwise, zip_longest
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width
from tbtui.widgets import inks
from tbtui.widgets.line import Heading, cut, pieces_width
from tbtui.widgets.passing_screen import PassingScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from tbtui.app.key_table import KeyGroup
    from tbtui.widgets.line import Piece

TWO_COLUMNS_FROM = 72
MOST_COLUMNS = 3
GAP = 3
"""Blank columns between columns of the page."""

Lines: TypeAlias = "list[tuple[Piece, ...]]"


def help_lines(groups: Sequence[KeyGroup], width: int) -> Lines:
    """The page in lines of pieces: as many columns as there is room for, groups kept whole and in order."""
    blocks = [_block(group) for group in groups]
    if width < TWO_COLUMNS_FROM:
        return [line for block in blocks for line in block]
    splits = [columns for count in range(2, MOST_COLUMNS + 1) for columns in _splits(blocks, count)]
    whole = [columns for columns in splits if sum(_widths(columns)) - GAP <= width]
    # Where nothing fits, the ends of lines go.
    columns = min(whole or _splits(blocks, 2), key=lambda columns: max(map(len, columns)))
    return _side_by_side(columns, _widths(columns) if whole else [width // 2] * 2)


def _block(group: KeyGroup) -> Lines:
    lines: Lines = [((group.title, Ink.BOLD),)]
    widest = max(cell_width(line.keys) for line in group.lines)
    for line in group.lines:
        gap = " " * (widest - cell_width(line.keys) + 2)
        lines.append(((f"  {line.keys}{gap}", Ink.ACCENT), (line.description, Ink.TEXT)))
    return [*lines, ()]


def _splits(blocks: Sequence[Lines], count: int) -> list[list[Lines]]:
    """All ways to set the blocks in so many columns."""
    cuts = combinations(range(len(blocks) + 1), count - 1)
    ends = ((0, *cut, len(blocks)) for cut in cuts)
    return [[[line for block in blocks[a:b] for line in block] for a, b in pairwise(end) if a < b] for end in ends]


def _widths(columns: Sequence[Lines]) -> list[int]:
    return [max(map(pieces_width, column), default=0) + GAP for column in columns]


def _side_by_side(columns: Sequence[Lines], widths: Sequence[int]) -> Lines:
    page: Lines = []
    for row in zip_longest(*columns, fillvalue=()):
        line: list[Piece] = []
        for pieces, width in zip(row, widths, strict=True):
            kept = cut(pieces, width - 1)
            line += [*kept, (" " * (width - pieces_width(kept)), Ink.NONE)]
        page.append(tuple(line))
    return page


class HelpScreen(ModalScreen[None], PassingScreen[None]):
    """Covers the dashboard until a key closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "dismiss", "close", system=True)]

    DEFAULT_CSS = """
    HelpScreen { background: $background; }
    HelpScreen > VerticalScroll { height: 1fr; padding: 0 1; }
    HelpScreen > VerticalScroll > Static { height: auto; }
    """

    def __init__(self, groups: Sequence[KeyGroup]) -> None:
        """Show these keys.

        Args:
            groups: From `key_groups`.
        """
        super().__init__()
        self._groups = groups
        self._heading = Heading("keys", ("esc", "close"), id="help-title")
        self._page = Static(markup=False)

    def compose(self) -> ComposeResult:
        """Title and page."""
        yield self._heading
        with VerticalScroll():
            yield self._page

    def on_mount(self) -> None:
        """The page can be scrolled at once."""
        self.query_one(VerticalScroll).focus()

    def on_resize(self) -> None:
        """Set the page for the terminal's width."""
        styles = inks.styles(self.app)
        page = Text(no_wrap=True, end="")
        for line in help_lines(self._groups, self.app.size.width - 3):
            for text, ink in line:
                page.append(text, styles.of(ink))
            page.append("\n")
        self._page.update(page)
