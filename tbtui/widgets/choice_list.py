"""A short list over the dashboard, such as the views of a tab: a letter, or the cursor and enter, chooses one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.charts.text import cell_width
from tbtui.frozen import frozen
from tbtui.widgets.line import Heading
from tbtui.widgets.row_list import RowList
from tbtui.widgets.textual_patches.modal import DismissOnceScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import App, ComposeResult

MIN_WIDTH = 30
MARGIN = 10
"""Columns of a row beside its label."""


Value = TypeVar("Value", bound=str)


@frozen
class Option(Generic[Value]):
    """One line of the list."""

    letter: str
    """Key that chooses it."""

    label: str
    value: Value
    note: str = ""
    """Dim words at the right edge, such as why it is empty."""


class ChoiceList(ModalScreen[Any], DismissOnceScreen[Any]):
    """Returns the value of the chosen option, or None.

    Args:
        title: What is chosen.
        options: All options.
        current: The value that holds now; the cursor begins at the option after it.
        key: Key that opened the list; pressed again, it moves the cursor on.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "apply", "show", system=True),
        Binding("escape,q", "dismiss(None)", "cancel", system=True),
    ]

    DEFAULT_CSS = """
    ChoiceList { align: right top; background: transparent; }
    ChoiceList > Vertical {
        height: auto;
        max-width: 100%;
        max-height: 100%;
        background: $background;
        border: round $foreground 50%;
        margin: 1 0;
    }
    """

    def __init__(self, title: str, options: Sequence[Option[Any]], current: str, key: str) -> None:
        super().__init__()
        self._options, self._current, self._key = tuple(options), current, key
        self._rows = RowList()
        self._box = Vertical(Heading(title, ("⏎", "show"), ("esc", "cancel")), self._rows)
        widest = max(cell_width(option.label) + cell_width(option.note) for option in options)
        self._box.styles.width = max(widest + MARGIN, MIN_WIDTH)

    def compose(self) -> ComposeResult:
        """Yield a title, and the options below it."""
        yield self._box

    def on_mount(self) -> None:
        """Focus the list, with the cursor on the option after the present one."""
        values = [option.value for option in self._options]
        place = values.index(self._current) if self._current in values else -1
        self._rows.styles.height = len(values)
        self._rows.show_rows([self._row(option) for option in self._options])
        self._rows.move_to_key(values[(place + 1) % len(values)])
        self._rows.focus()

    def _row(self, option: Option[Any]) -> Row:
        is_current = option.value == self._current
        lead = ((" ● " if is_current else "   ", Ink.ACCENT), (f"{option.letter}  ", Ink.ACCENT))
        right = ((f"{option.note} ", Ink.DIM),) if option.note else ()
        return Row(option.value, lead, option.label, Ink.BOLD if is_current else Ink.TEXT, right=right)

    def on_key(self, event: events.Key) -> None:
        """Choose the option of a letter; the key that opened the list moves on."""
        if event.character == self._key:
            event.stop()
            place = next(n for n, option in enumerate(self._options) if option.value == self._rows.cursor_key)
            self._rows.move_to_key(self._options[(place + 1) % len(self._options)].value)
            return
        for option in self._options:
            if event.character == option.letter:
                event.stop()
                self.dismiss(option.value)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Choose the option that was clicked."""
        event.stop()
        self.action_apply()

    def action_apply(self) -> None:
        """Choose the option under the cursor."""
        self.dismiss(self._rows.cursor_key)


def open_choice_list(
    app: App[Any],
    title: str,
    options: Sequence[Option[Value]],
    current: Value,
    key: str,
    take: Callable[[Value], object],
) -> None:
    """Open a list; `take` receives the value that the user chooses."""

    def finish(value: Value | None) -> None:
        if value is not None:
            take(value)

    app.push_screen(ChoiceList(title, options, current, key), finish)
