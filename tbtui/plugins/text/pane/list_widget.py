"""The list of texts as a widget: tags, runs and steps. The cursor skips tags."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.charts.cells import Ink
from tbtui.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tbtui.charts.styled_text import Row
    from tbtui.widgets.row_list import ListLine


class TextRows(RowList):
    """Show rows whose headings cannot be selected. The row under the cursor stays marked without the focus."""

    BINDING_GROUP_TITLE = "List of texts"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "fold(True)", show=False, id="text.fold", tooltip="fold a run"),
        Binding("right,l", "fold(False)", show=False, id="text.unfold", tooltip="unfold"),
        Binding("asterisk", "fold_all", show=False, id="text.fold_all", tooltip="fold or unfold all"),
    ]

    class Folded(Message):
        """Ask for the series under the cursor to be folded or unfolded."""

        def __init__(self, fold: bool) -> None:
            super().__init__()
            self.fold = fold

    class AllFolded(Message):
        """Ask for all series to be folded, or unfolded."""

    def __init__(self) -> None:
        super().__init__()
        self._headings: Collection[str] = frozenset()

    def show_list(self, rows: Sequence[Row], headings: Collection[str]) -> None:
        """Show other rows.

        Args:
            rows: All rows of the list.
            headings: Keys of the rows that are not texts.
        """
        self._headings = headings
        self.show_rows(rows)
        if self.cursor_key in headings:
            self._put_cursor(self._cursor + 1, self._top)  # a heading has at least one row below

    def action_move_to(self, index: int) -> None:
        """Move the cursor to a row; a heading is skipped in the direction of the move."""
        rows = self.rows
        if rows and index >= 0:
            index = min(index, len(rows) - 1)
            if rows[index].key in self._headings:
                index += -1 if 0 < index < self._cursor else 1
        super().action_move_to(index)
        if index == 1 and rows[0].key in self._headings:
            self._show_from(0)

    def line(self, y: int) -> ListLine:
        line = super().line(y)
        if line.row is not None and not self.has_focus and self._top + y == self._cursor:
            return replace(line, row=replace(line.row, ink=Ink.BOLD))
        return line

    def action_fold_all(self) -> None:
        """Ask for all runs to be folded or unfolded."""
        self.post_message(self.AllFolded())

    def action_fold(self, fold: bool) -> None:
        """Ask for a run to be folded or unfolded."""
        self.post_message(self.Folded(fold))
