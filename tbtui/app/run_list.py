"""The run tree of the sidebar: which runs are drawn, changed line by line or folder by folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.app.sidebar_rows import list_runs
from tbtui.widgets.pane import Choose, CopyAsked
from tbtui.widgets.row_list import RowList

if TYPE_CHECKING:
    from tbtui.app.outlook import Outlook
    from tbtui.viewstate.run_tree import RunRow


class RunList(RowList):
    """Runs and their folders. While it has the keys the run under its cursor is in focus."""

    BINDING_GROUP_TITLE = "Runs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "switch", "on/off", key_display="space"),
        Binding("s", "solo", "solo", tooltip="draw this alone"),
        Binding("a", "switch_all", "all", tooltip="all on, all off"),
        Binding("c", "colour", "colour", tooltip="choose a colour"),
        Binding("d", "baseline", show=False, tooltip="compare others with this"),
        Binding("C", "copy_path", show=False, tooltip="copy the path"),
        Binding("left,h", "fold(True)", show=False, tooltip="fold"),
        Binding("right,l", "fold(False)", show=False, tooltip="unfold"),
    ]

    class Folded(Message):
        """Other folders are folded now."""

    class ColourAsked(Message):
        """Runs shall have another colour."""

        def __init__(self, title: str, runs: tuple[str, ...]) -> None:
            super().__init__()
            self.title = title
            """The run's name, or the folder's path; not yet made safe for a terminal."""

            self.runs = runs

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
        self._listed: tuple[object, ...] = ()
        self._in_focus: str | None = None
        """The run that this list has put into focus."""

    def show_outlook(self, outlook: Outlook) -> None:
        """List the runs."""
        self._outlook = outlook
        # What these were worked out from cannot change without one of them.
        shows = (outlook.state.snapshot, outlook.conditions, outlook.view.inks)
        depends = (outlook.passing, outlook.shown, outlook.choices.baseline, self.folded, self.size.width)
        if not _are_same(self._listed[:3], shows) or self._listed[3:] != depends:
            self._listed = (*shows, *depends)
            rows, tree = list_runs(outlook, self.folded, self.size.width - 2)
            self._tree = {row.place.key: row for row in tree}
            self.show_rows(rows, "no runs" if not outlook.state.snapshot.runs else "no run matches")
        if self.has_focus:
            self._follow_cursor()

    def on_resize(self) -> None:
        """There is room for other words."""
        if self._outlook is not None:
            self.show_outlook(self._outlook)

    @property
    def _current(self) -> RunRow | None:
        return self._tree.get(self.cursor_key or "")

    @property
    def current_run(self) -> str | None:
        """The run under the cursor, while the list has the keys; None on a folder."""
        row = self._current if self.has_focus else None
        return None if row is None else row.place.run

    # The run in focus

    def on_row_list_moved(self) -> None:
        """Another run is under the cursor."""
        if self.has_focus:
            self._follow_cursor()

    def on_focus(self) -> None:
        """The run under the cursor is in focus while the list has the keys."""
        self._follow_cursor()

    def on_blur(self) -> None:
        """What was put into focus here is so no longer; what others put there stays."""
        if self._outlook is not None and self._in_focus is not None and self._outlook.choices.focus == self._in_focus:
            self.post_message(Choose(focus=None))
        self._in_focus = None

    def _follow_cursor(self) -> None:
        run, outlook = self.current_run, self._outlook
        if run == self._in_focus or outlook is None:
            return
        # One that is in focus already was put there by others, and stays.
        if self._in_focus is not None or outlook.choices.focus != run:
            self._in_focus = run
            self.post_message(Choose(focus=run))

    # Which runs are drawn

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
            self.show_outlook(self._outlook)
        self.post_message(self.Folded())

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """A click switches."""
        event.stop()
        self.action_switch()

    # Other things to do with a run

    def action_colour(self) -> None:
        """Choose a colour for the run, or one for all runs of the folder."""
        if (row := self._current) is not None:
            self.post_message(self.ColourAsked(row.place.path, row.place.runs))

    def action_baseline(self) -> None:
        """Compare the others with this run; again: with none."""
        row, outlook = self._current, self._outlook
        if row is not None and row.place.run is not None and outlook is not None:
            already = outlook.choices.baseline == row.place.run
            self.post_message(Choose(baseline=None if already else row.place.run))

    def action_copy_path(self) -> None:
        """Copy the directory of the run, or that of the folder."""
        if (row := self._current) is not None:
            self.post_message(CopyAsked(row.place.path))


def _are_same(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))
