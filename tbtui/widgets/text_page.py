"""A page of plain text over the dashboard.

The page opens at once, even if its text takes time: a page that opened later would take keys meant for another
screen.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text as TextText
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.charts.text import cell_width, safe
from tbtui.widgets.line import Heading
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS
from tbtui.widgets.textual_patches.modal import DismissOnceScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import RenderableType
    from textual.app import App, ComposeResult

    from tbtui.widgets.worker import Worker


READING = "reading …"
"""Shown until the text is ready."""


MAX_CHARACTERS = 200_000
"""Longer text is cut with a notice, so that a page of any file can be closed at once."""


def join_lines(lines: Sequence[str]) -> str:
    """Return the lines as one safe text of bounded length."""
    text = "\n".join(map(safe, lines))
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}\n⋯ and more"


MARGIN_COLUMNS = 3
"""Columns of a page beside its text: a blank at both sides and the scroll bar."""

FRAME, FRAMED_FROM_HEIGHT = 2, 16
"""Columns and lines of the frame, and lines of a terminal from which there is one."""

CLOSE_COLUMNS = 14
"""Columns of a title beside its text: the key that closes the page, and blanks."""

_LABELLED = re.compile(r" *\S+(?: \S+)*  +(?=\S)")
"""A label in front of a text, two blanks or more before it."""

MAX_LABEL_COLUMNS = 16
"""Columns of a label beside which its text continues; behind a longer one, text continues below it."""


def wrap_text(text: str) -> Group:
    """Return text whose long lines continue at their own indent, so that a path is recognisable.

    Text behind a label, as in `state      last write 4d ago`, continues below itself.
    """
    groups = groupby(text.split("\n"), key=_measure_margins)
    return Group(*(_wrap(list(lines), *margins) for margins, lines in groups))


def _measure_margins(line: str) -> tuple[int, int]:
    """Return the indent of a line, and the columns before the text behind its label; 0 without a label."""
    label = _LABELLED.match(line)
    return len(line) - len(line.lstrip(" ")), label.end() if label and label.end() <= MAX_LABEL_COLUMNS else 0


def _wrap(lines: list[str], indent: int, label: int) -> RenderableType:
    if not label:
        return Padding(TextText("\n".join(line[indent:] for line in lines), overflow="fold"), (0, 0, 0, indent))
    grid = Table.grid(padding=0)
    grid.add_column(width=label, no_wrap=True)
    grid.add_column(overflow="fold")
    for line in lines:
        grid.add_row(TextText(line[:label]), TextText(line[label:]))
    return grid


def open_text_page(app: App[Any], worker: Worker, title: str, lines: Callable[[], Sequence[str]]) -> None:
    """Open a page and show the lines, computed on the worker thread, or the error."""
    screen = TextScreen(title, (READING,))

    def results() -> Iterator[Sequence[str]]:
        yield lines()

    def fail(error: Exception) -> None:
        screen.show_lines((f"{type(error).__name__}: {error}",))

    worker.ask("about", results, screen.show_lines, fail)
    app.push_screen(screen)


class TextScreen(ModalScreen[None], DismissOnceScreen[None]):
    """Lies over the dashboard until a key closes it.

    Args:
        title: Any text.
        lines: Any text; each line is made safe and wrapped.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,i,enter", "dismiss", "close", system=True),
        Binding("j", "scroll(1)", "down", system=True),
        Binding("k", "scroll(-1)", "up", system=True),
        Binding(PAGE_UP_KEYS, "page(-1)", "page up", system=True),
        Binding(f"{PAGE_DOWN_KEYS},space", "page(1)", "page down", system=True),
        Binding("g,home", "scroll(-1000000)", "first", system=True),
        Binding("G,end", "scroll(1000000)", "last", system=True),
    ]

    DEFAULT_CSS = """
    TextScreen { align: right bottom; background: transparent; }
    TextScreen > Vertical {
        width: 100%; height: auto; max-width: 100%; max-height: 100%;
        background: $background; border: round $foreground 50%;
    }
    TextScreen VerticalScroll {
        height: auto;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-color: $foreground 25%;
    }
    TextScreen VerticalScroll:ansi { scrollbar-color: ansi_bright_black; }
    TextScreen VerticalScroll > Static { height: auto; }
    TextScreen.-low > Vertical { height: 100%; border: none; }
    TextScreen.-low VerticalScroll { height: 1fr; }
    """

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title, self._told = title, join_lines(lines)
        self._text = Static(wrap_text(self._told), markup=False)
        self._scroll = VerticalScroll(self._text)
        self._box = Vertical(Heading(title, ("esc", "close")), self._scroll)

    def show_lines(self, lines: Sequence[str]) -> None:
        """Replace the lines."""
        self._told = join_lines(lines)
        self._text.update(wrap_text(self._told))
        self._fit()

    def compose(self) -> ComposeResult:
        """Compose title and text."""
        yield self._box

    def on_mount(self) -> None:
        """Focus the text, so that keys scroll it."""
        self._fit()
        self._scroll.focus()

    def on_resize(self) -> None:
        """Fit the page to the terminal."""
        self._fit()

    def _fit(self) -> None:
        """Give the page the size of its text, so that the dashboard stays in sight; a low terminal has no room."""
        columns, height = self.app.size
        is_low = height < FRAMED_FROM_HEIGHT
        self.set_class(is_low, "-low")
        widest = max(map(cell_width, self._told.split("\n")))
        title = cell_width(safe(self._title)) + CLOSE_COLUMNS
        self._box.styles.width = columns if is_low else min(max(widest + MARGIN_COLUMNS, title) + FRAME, columns)
        self._scroll.styles.max_height = height if is_low else height - FRAME - 1

    def action_scroll(self, rows: int) -> None:
        """Scroll by `rows`, as the arrow keys do."""
        self._scroll.scroll_relative(y=rows, animate=False)

    def action_page(self, pages: int) -> None:
        """Scroll by pages; one line stays in sight."""
        self.action_scroll(pages * max(self._scroll.size.height - 1, 1))
