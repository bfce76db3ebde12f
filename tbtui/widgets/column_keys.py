"""Keys that move, pin and hide the columns of a table, the same in every tab with a table of runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.settings.column_choice import ColumnChoice


def create_column_bindings(name: str) -> list[Binding]:
    """Return the bindings of a pane with `ColumnKeysMixin`; their ids begin with `name`."""
    keys = (
        ("less_than_sign", "move_column(-1)", "left", "move the column left"),
        ("greater_than_sign", "move_column(1)", "right", "move it right"),
        ("p", "pin_column", "pin", "pin the column: it stays in sight, or let it go"),
        ("underscore", "hide_column", "hide_column", "hide the column, or show it again"),
        ("O", "switch_aside", "aside", "columns put aside: show all, or hide them"),
    )
    return [Binding(key, action, show=False, id=f"{name}.{end}", tooltip=words) for key, action, end, words in keys]


class ColumnKeysMixin:
    """Actions of `create_column_bindings`, for a pane with a table."""

    def column_under_cursor(self) -> str | None:
        """Return the key of the column under the cursor; None without one."""
        raise NotImplementedError

    def columns_shown(self) -> Sequence[str]:
        """Return the keys of the shown columns, in order."""
        raise NotImplementedError

    def columns_aside(self) -> Sequence[str]:
        """Return the keys of the columns that the table puts aside by itself."""
        raise NotImplementedError

    def change_columns(self, change: Callable[[ColumnChoice], ColumnChoice]) -> None:
        """Apply a change to the user's choice of columns."""
        raise NotImplementedError

    def _change_at_cursor(self, change: Callable[[ColumnChoice, str], ColumnChoice]) -> None:
        if (key := self.column_under_cursor()) is not None:
            self.change_columns(lambda choice: change(choice, key))

    def action_move_column(self, columns: int) -> None:
        """Move the column under the cursor."""
        keys = self.columns_shown()
        self._change_at_cursor(lambda choice, key: choice.with_moved(key, columns, keys))

    def action_pin_column(self) -> None:
        """Pin the column under the cursor; the second time, let it go."""
        self._change_at_cursor(lambda choice, key: choice.with_pin_switched(key))

    def action_hide_column(self) -> None:
        """Hide the column under the cursor; where all columns are shown, show it from now on."""
        self._change_at_cursor(partial(_hide, aside=self.columns_aside()))

    def action_switch_aside(self) -> None:
        """Show all columns; the second time, put them aside again."""
        self.change_columns(lambda choice: choice.with_all_switched())


def _hide(choice: ColumnChoice, key: str, aside: Sequence[str]) -> ColumnChoice:
    return choice.with_hidden_switched(key, aside)
