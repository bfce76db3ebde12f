"""Saving the data of one chart to a file that the user names in a form. Imports no Textual."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Group
from rich.padding import Padding
from rich.text import Text as TextText
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.charts.text import safe
from tbtui.export.formats import FORMATS, encode_text, text_format
from tbtui.export.output import OutputError, OutputExistsError, write_file
from tbtui.frozen import frozen
from tbtui.widgets.cells_view import Heading
from tbtui.widgets.form_fields import Choice, RefusedError, Text
from tbtui.widgets.textual_patches.modal import DismissOnceScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from textual.app import App, ComposeResult

    from tbtui.export.table import Table
    from tbtui.widgets.form_fields import Field
    from tbtui.widgets.worker import Background


def file_fields(offered: str, *own: Field, formats: Sequence[str] = FORMATS) -> tuple[Field, ...]:
    """Return the fields of a save dialog.

    Args:
        offered: The proposed file name; never derived from a tag, which may contain anything.
        own: Fields that choose the content.
        formats: The available formats.
    """
    named = ((None, "by the file's name"), *((name, name) for name in formats))
    return (
        path_field(offered),
        Choice("format", "format", named, None),
        *own,
        Choice("force", "replace", ((False, "no"), (True, "yes")), False, "whether a file that is there is replaced"),
    )


def path_field(offered: str, hint: str = "its directory must be there; ~ is your home") -> Text:
    """Return a field for a path; `offered` is never derived from a tag, which may contain anything."""
    return Text("path", "file", offered, _path, hint)


def _path(text: str) -> Path:
    if not text.strip():
        raise ValueError("which file?")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise ValueError(f"whose home is meant cannot be told: {text}") from None


@frozen
class Written:
    """The result of a save."""

    path: Path
    """The absolute path."""

    rows: int


class Stopped(Exception):  # noqa: N818 - a cancellation, not an error
    """The user cancelled the save."""


class FileWriting:
    """Writes one file on its own thread. Subclasses provide the content."""

    nothing: ClassVar[tuple[type[Exception], str]]
    """The error of `tables` without data, and the name of the field that shows it."""

    errors: ClassVar[str] = "strict"
    """The error handler of `write_file`."""

    def __init__(self) -> None:
        self._stopped = Event()
        self._rows = 0
        """Number of rows written."""

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterable[Table]]:
        """Return the names of the columns, and the tables."""
        raise NotImplementedError

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:
        """Yield the text to write; by default that of `tables`."""
        columns, tables = self.tables(entered)
        yield from encode_text(self._counted(tables), entered["format"] or text_format(entered["path"]), columns)

    def stop(self) -> None:
        """Cancel; no file is left."""
        self._stopped.set()

    def __call__(self, entered: dict[str, Any]) -> Written | None:
        """Write the file for the values of `file_fields`.

        Returns:
            The result; None after a cancellation.

        Raises:
            RefusedError: The file cannot be written.
        """
        path: Path = entered["path"]
        check_no_stream(path)
        self._rows = 0
        error_of_nothing, field = self.nothing
        try:
            write_file(path, self._until_stopped(self.pieces(entered)), force=entered["force"], errors=self.errors)
        except Stopped:
            return None
        except OutputExistsError as error:
            raise RefusedError("force", str(error)) from None
        except OutputError as error:
            raise RefusedError("path", str(error)) from None
        except error_of_nothing as error:
            raise RefusedError(field, str(error)) from None
        return Written(path.absolute(), self._rows)

    def _counted(self, tables: Iterable[Table]) -> Iterator[Table]:
        for table in tables:
            self._rows += len(table)
            yield table

    def _until_stopped(self, pieces: Iterator[str]) -> Iterator[str]:
        for piece in pieces:
            if self._stopped.is_set():
                raise Stopped
            yield piece


def check_no_stream(path: Path) -> None:
    """Refuse pipes, which may wait for a reader for ever, and terminals, which show the dashboard.

    Raises:
        RefusedError: The path is neither a regular file nor new.
    """
    try:
        is_stream = path.exists() and not path.is_file() and not path.is_dir()
    except OSError as error:
        raise RefusedError("path", f"{path} cannot be written: {error.strerror}") from None
    if is_stream:
        raise RefusedError("path", f"{path} is no file")


# A page of plain text over the dashboard.
#
# The page opens at once, even if its text takes time: a page that opened later would take keys meant for another
# screen.


READING = "reading …"
"""Shown until the text is ready."""

MAX_CHARACTERS = 200_000
"""Longer text is cut with a notice, so that a page of any file can be closed at once."""


def page(lines: Sequence[str]) -> str:
    """Return the lines as one safe text of bounded length."""
    text = "\n".join(map(safe, lines))
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}\n⋯ and more"


def folded(text: str) -> Group:
    """Return text whose long lines continue at their own indent, so that a path is recognisable."""
    indents = groupby(text.split("\n"), key=lambda line: len(line) - len(line.lstrip(" ")))
    parts = ((indent, "\n".join(line[indent:] for line in lines)) for indent, lines in indents)
    return Group(*(Padding(TextText(part, overflow="fold"), (0, 0, 0, indent)) for indent, part in parts))


def open_info(app: App[Any], background: Background, title: str, lines: Callable[[], Sequence[str]]) -> None:
    """Open a page and show the lines, computed in the background, or the error."""
    screen = InfoScreen(title, (READING,))

    def results() -> Iterator[Sequence[str]]:
        yield lines()

    def fail(error: Exception) -> None:
        screen.show_lines((f"{type(error).__name__}: {error}",))

    background.ask("about", results, screen.show_lines, fail)
    app.push_screen(screen)


class InfoScreen(ModalScreen[None], DismissOnceScreen[None]):
    """Covers the dashboard until a key closes it.

    Args:
        title: Any text.
        lines: Any text; each line is made safe and wrapped.
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

    def show_lines(self, lines: Sequence[str]) -> None:
        """Replace the lines."""
        self._text.update(folded(page(lines)))

    def compose(self) -> ComposeResult:
        """Compose title and text."""
        yield self._heading
        yield self._scroll

    def on_mount(self) -> None:
        """Focus the text, so that keys scroll it."""
        self._scroll.focus()

    def action_scroll(self, rows: int) -> None:
        """Scroll by `rows`, as the arrow keys do."""
        self._scroll.scroll_relative(y=rows, animate=False)
