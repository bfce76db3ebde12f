"""The run tree of the sidebar: which runs are drawn, changed line by line or folder by folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.app.sidebar_rows import list_runs
from tbtui.widgets.pane import Choose
from tbtui.widgets.row_list import RowList

if TYPE_CHECKING:
    from tbtui.app.outlook import Outlook
    from tbtui.viewstate.run_tree import RunRow


class RunList(RowList):
    """Runs and their folders."""

    BINDING_GROUP_TITLE = "Runs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "switch", "on/off", key_display="space"),
        Binding("s", "solo", "solo", tooltip="draw this alone"),
        Binding("a", "switch_all", "all", tooltip="all on, all off"),
        Binding("left,h", "fold(True)", show=False, tooltip="fold"),
        Binding("right,l", "fold(False)", show=False, tooltip="unfold"),
    ]

    class Folded(Message):
        """Other folders are folded now."""

    def __init__(self, folded: frozenset[str], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        """Begin without runs.

        Args:
            folded: Keys of the folders whose runs are not listed.
            id: As every widget's.
        """
        super().__init__(id=id)
        self.folded = folded
        self._tree: dict[str, RunRow] = {}
        self._outlook: Outlook | None = None
        self._now = 0.0

    def show_outlook(self, outlook: Outlook, now: float) -> None:
        """List the runs as they stand at `now`, seconds since the epoch."""
        self._outlook, self._now = outlook, now
        rows, tree = list_runs(outlook, self.folded, now)
        self._tree = {row.place.key: row for row in tree}
        self.show_rows(rows, "no runs" if not outlook.state.snapshot.runs else "no run matches")

    @property
    def _current(self) -> RunRow | None:
        return self._tree.get(self.cursor_key or "")

    def action_switch(self) -> None:
        """Switch the run, or all runs of the folder, off when all of it is drawn and on otherwise.

        Under solo the runs beside it are shown as off; switching ends solo and keeps what is seen.
        """
        if (row := self._current) is not None:
            self._switch(frozenset(row.place.runs), on=row.switch != "on")

    def action_switch_all(self) -> None:
        """Switch off all runs that pass the filter when all are drawn, otherwise on."""
        if (outlook := self._outlook) is not None:
            passing = frozenset(outlook.passing)
            self._switch(passing, on=not passing <= outlook.shown)

    def _switch(self, runs: frozenset[str], *, on: bool) -> None:
        outlook = self._outlook
        if outlook is None:
            return
        choices = outlook.choices
        hidden = choices.hidden_runs
        if choices.solo is not None:
            hidden = frozenset(outlook.state.snapshot.runs) - outlook.shown
        self.post_message(Choose(hidden_runs=hidden - runs if on else hidden | runs, solo=None))

    def action_solo(self) -> None:
        """Draw this run, or the runs of this folder, alone; again: draw what was drawn before."""
        row, outlook = self._current, self._outlook
        if row is not None and outlook is not None:
            already = outlook.choices.solo == row.place.path
            self.post_message(Choose(solo=None if already else row.place.path))

    def action_fold(self, fold: bool) -> None:
        """Fold or unfold the folder under the cursor."""
        row = self._current
        if row is None or row.place.run is not None or row.folded == fold:
            return
        self.folded = self.folded | {row.place.key} if fold else self.folded - {row.place.key}
        if self._outlook is not None:
            self.show_outlook(self._outlook, self._now)
        self.post_message(self.Folded())

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """A click switches."""
        event.stop()
        self.action_switch()
