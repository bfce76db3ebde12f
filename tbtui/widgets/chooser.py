"""A list over the dashboard to choose one of many: views of a tab, graphs, profiles, embeddings, saved views.

Imported when the first list is opened.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.charts.text import cell_width, safe
from tbtui.frozen import frozen
from tbtui.widgets.line import Heading, Line
from tbtui.widgets.row_list import RowList
from tbtui.widgets.textual_patches.modal import DismissOnceScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual import events
    from textual.app import App, ComposeResult

WIDTH = 76
"""Columns of a list of runs; what it changes stays in sight beside it."""

MARGIN = 10
"""Columns of a row beside its label."""

KEYS = (("⏎", "show"), ("esc", "cancel"))
KEY_COLUMNS = 23
"""Columns of these keys in the title, with the blanks around them."""

MAX_ROWS = 30
FRAME = 2
"""Columns and rows of both borders."""

AIRY_FROM_HEIGHT = 16
"""Rows of a terminal from which a blank row is below the title."""

Value = TypeVar("Value", bound=str)


@frozen
class Option(Generic[Value]):
    """One line of a list of views."""

    letter: str
    """Key that chooses it."""

    label: str
    value: Value
    note: str = ""
    """Dim words at the right edge, such as why it is empty."""


class Chooser(ModalScreen["str | None"], DismissOnceScreen["str | None"]):
    """Returns the key of the chosen row, or None.

    Args:
        title: What is chosen.
        rows: Returns all rows for a number of columns.
        cursor: Key of the row on which the cursor begins.
        key: Key that opened the list; pressed again, it moves the cursor on.
        letters: Keys of rows, by the letters that choose them.
        width: Columns of the list.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "apply", "show", system=True),
        Binding("escape,q", "dismiss(None)", "cancel", system=True),
    ]

    DEFAULT_CSS = """
    Chooser { align: right bottom; background: transparent; }
    Chooser > Vertical { max-width: 100%; background: $background; border: round $foreground 50%; }
    """

    def __init__(
        self,
        title: str,
        rows: Callable[[int], Sequence[Row]],
        cursor: str,
        key: str,
        *,
        letters: Mapping[str, str] | None = None,
        width: int = WIDTH,
    ) -> None:
        super().__init__()
        self._rows_of, self._begin, self._key, self._letters = rows, cursor, key, letters or {}
        self._list = RowList(is_divided=False)
        self._blank = Line()
        self._width = width
        self._box = Vertical(Heading(title, *KEYS), self._blank, self._list)
        self._box.styles.width = width

    def compose(self) -> ComposeResult:
        """Yield a title, and the rows below it."""
        yield self._box

    def on_mount(self) -> None:
        """Focus the list, with the cursor on its row."""
        self.on_resize()
        self._list.move_to_key(self._begin)
        self._list.focus()

    def on_resize(self) -> None:
        """Show as many rows, and as many words of each, as fit."""
        columns, height = self.app.size
        rows = self._rows_of(min(columns, self._width) - FRAME)
        self._blank.display = height >= AIRY_FROM_HEIGHT
        self._box.styles.height = min(min(len(rows), MAX_ROWS) + FRAME + 1 + int(self._blank.display), height)
        self._list.show_rows(rows)

    def on_key(self, event: events.Key) -> None:
        """Choose the row of a letter; the key that opened the list moves on."""
        if event.character == self._key:
            event.stop()
            keys = [row.key for row in self._list.rows]
            if self._list.cursor_key is not None:
                self._list.move_to_key(keys[(keys.index(self._list.cursor_key) + 1) % len(keys)])
        elif (chosen := self._letters.get(event.character or "")) is not None:
            event.stop()
            self.dismiss(chosen)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Choose the row that was clicked."""
        event.stop()
        self.action_apply()

    def action_apply(self) -> None:
        """Choose the row under the cursor."""
        self.dismiss(self._list.cursor_key)


def open_chooser(
    app: App[Any],
    title: str,
    rows: Callable[[int], Sequence[Row]],
    cursor: str,
    key: str,
    take: Callable[[str], object],
) -> None:
    """Open a list of rows; `take` receives the key of the row that the user chooses. For the rest, see `Chooser`."""
    app.push_screen(Chooser(title, rows, cursor, key), partial(_take, take))


def open_view_chooser(
    app: App[Any],
    title: str,
    options: Sequence[Option[Value]],
    current: Value,
    key: str,
    take: Callable[[Value], object],
) -> None:
    """Open a list of views, each with a letter; the cursor begins at the view after the present one.

    Args:
        app: The app.
        title: What is chosen.
        options: All views.
        current: The view that is shown now.
        key: Key that opened the list.
        take: Receives the view that the user chooses.
    """
    values = [option.value for option in options]
    after = values[(values.index(current) + 1) % len(values)] if current in values else values[0]
    rows = [_build_row(option, is_current=option.value == current) for option in options]
    widest = max(cell_width(option.label) + cell_width(option.note) + MARGIN for option in options)
    letters = {option.letter: option.value for option in options}
    width = max(widest, cell_width(safe(title)) + KEY_COLUMNS) + FRAME
    app.push_screen(Chooser(title, lambda _: rows, after, key, letters=letters, width=width), partial(_take, take))


def _build_row(option: Option[Any], *, is_current: bool) -> Row:
    lead = ((" ● " if is_current else "   ", Ink.ACCENT), (f"{option.letter}  ", Ink.ACCENT))
    right = ((f"{option.note} ", Ink.DIM),) if option.note else ()
    return Row(option.value, lead, option.label, Ink.BOLD if is_current else Ink.TEXT, right=right)


def _take(take: Callable[[Any], object], key: str | None) -> None:
    if key is not None:
        take(key)
