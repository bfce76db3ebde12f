"""All keys on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width
from tbtui.widgets import inks
from tbtui.widgets.line import Line, apart, cut, pieces_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from tbtui.app.key_table import KeyGroup
    from tbtui.widgets.line import Piece

TWO_COLUMNS_FROM = 72


def help_lines(groups: Sequence[KeyGroup], width: int) -> list[tuple[Piece, ...]]:
    """The page in lines of pieces: two columns where there is room, groups kept whole."""
    blocks = [_block(group) for group in groups]
    if width < TWO_COLUMNS_FROM:
        return [line for block in blocks for line in block]
    left, right = _halves(blocks)
    column = width // 2 - 1
    height = max(len(left), len(right))
    left += [()] * (height - len(left))
    right += [()] * (height - len(right))
    return [_beside(one, other, column) for one, other in zip(left, right, strict=True)]


def _block(group: KeyGroup) -> list[tuple[Piece, ...]]:
    lines: list[tuple[Piece, ...]] = [((group.title, Ink.BOLD),)]
    widest = max(cell_width(line.keys) for line in group.lines)
    for line in group.lines:
        gap = " " * (widest - cell_width(line.keys) + 2)
        lines.append(((f"  {line.keys}{gap}", Ink.ACCENT), (line.description, Ink.TEXT)))
    return [*lines, ()]


def _halves(blocks: list[list[tuple[Piece, ...]]]) -> tuple[list[tuple[Piece, ...]], list[tuple[Piece, ...]]]:
    """The split that makes the page lowest."""
    best = min(range(1, len(blocks) + 1), key=lambda n: max(sum(map(len, blocks[:n])), sum(map(len, blocks[n:]))))
    return [line for block in blocks[:best] for line in block], [line for block in blocks[best:] for line in block]


def _beside(left: tuple[Piece, ...], right: tuple[Piece, ...], column: int) -> tuple[Piece, ...]:
    left = tuple(cut(left, column - 1))
    return (*left, (" " * (column - pieces_width(left)), Ink.NONE), *cut(right, column))


class HelpScreen(ModalScreen[None]):
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
        self._title_line = Line(id="help-title")
        self._page = Static(markup=False)

    def compose(self) -> ComposeResult:
        """Title and page."""
        yield self._title_line
        with VerticalScroll():
            yield self._page

    def on_mount(self) -> None:
        """The page can be scrolled at once."""
        self.query_one(VerticalScroll).focus()

    def on_resize(self) -> None:
        """Set the page for the terminal's width."""
        width = self.app.size.width
        title = apart(((" keys", Ink.BOLD),), (("esc", Ink.ACCENT), (" close ", Ink.DIM)), width)
        self._title_line.show(title)
        styles = inks.styles(self.app)
        page = Text(no_wrap=True, end="")
        for line in help_lines(self._groups, width - 3):
            for text, ink in line:
                page.append(text, styles.of(ink))
            page.append("\n")
        self._page.update(page)
