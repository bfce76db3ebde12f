"""A page of plain text over the dashboard, to read and close.

It comes with the key that asks for it, though its text may take time: a page that came later would take the keys that
are meant for what was opened since.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Group
from rich.padding import Padding
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.charts.text import safe
from tbtui.widgets.line import Heading
from tbtui.widgets.textual_patches.modal import PassingScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.app import App, ComposeResult

    from tbtui.widgets.background import Background

READING = "reading …"
"""What stands there until the text does."""

MOST_CHARACTERS = 200_000
"""What is beyond is left out, and told: whatever a file says can be closed at once."""


def page(lines: Sequence[str]) -> str:
    """Lines as they may reach a terminal."""
    text = "\n".join(map(safe, lines))
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n⋯ and more"


def folded(text: str) -> Group:
    """Text of which a line that is too long goes on below its own beginning: a path is seen to be one."""
    indents = groupby(text.split("\n"), key=lambda line: len(line) - len(line.lstrip(" ")))
    parts = ((indent, "\n".join(line[indent:] for line in lines)) for indent, lines in indents)
    return Group(*(Padding(Text(part, overflow="fold"), (0, 0, 0, indent)) for indent, part in parts))


def open_info(app: App[Any], background: Background, title: str, lines: Callable[[], Sequence[str]]) -> None:
    """Show a page, and on it the lines as soon as they are put together in the background, or why they cannot be."""
    screen = InfoScreen(title, (READING,))

    def told() -> Iterator[Sequence[str]]:
        yield lines()

    def fail(error: Exception) -> None:
        screen.tell((f"{type(error).__name__}: {error}",))

    background.ask("about", told, screen.tell, fail)
    app.push_screen(screen)


class InfoScreen(ModalScreen[None], PassingScreen[None]):
    """Covers the dashboard until a key closes it.

    Args:
        title: What it is about; any text.
        lines: Any text; each is made safe, and wrapped where it must be.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,i,enter", "dismiss", "close", system=True),
        Binding("j", "scroll(1)", "down", system=True),
        Binding("k", "scroll(-1)", "up", system=True),
    ]

    DEFAULT_CSS = """
    InfoScreen { background: $background; }
    InfoScreen > VerticalScroll {
        height: 1fr;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-color: $foreground 25%;
    }
    InfoScreen > VerticalScroll > Static { height: auto; }
    """

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._heading = Heading(title, ("esc", "close"))
        self._text = Static(folded(page(lines)), markup=False)
        self._scroll = VerticalScroll(self._text)

    def tell(self, lines: Sequence[str]) -> None:
        """Have these lines in the place of those before."""
        self._text.update(folded(page(lines)))

    def compose(self) -> ComposeResult:
        """Title and text."""
        yield self._heading
        yield self._scroll

    def on_mount(self) -> None:
        """The text can be scrolled at once."""
        self._scroll.focus()

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows, as the arrow keys do."""
        self._scroll.scroll_relative(y=rows, animate=False)
