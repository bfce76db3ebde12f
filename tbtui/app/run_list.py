"""The runs of the sidebar as a tree: shows, hides, folds and colours them, and requests their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.app.sidebar_rows import (
    RunListRows,
    RunTexts,
    format_attribute_head,
    measure_attributes,
)
from tbtui.charts.numbers import format_count
from tbtui.charts.text import safe
from tbtui.view.run_tree import list_run_nodes, make_run_key
from tbtui.widgets.pane import Choose, CopyRequested
from tbtui.widgets.row_list import EDGE_WIDTH, RowList

if TYPE_CHECKING:
    from tbtui.app.state import AppState
    from tbtui.view.run_tree import RunRow


class RunList(RowList):
    """Lists runs and their folders. While the list has the focus the run under the cursor is highlighted.

    Args:
        folded: Keys of the folded folders.
        id: The widget's id.
    """

    BINDING_GROUP_TITLE = "Runs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "switch", "on/off", key_display="space", id="run_list.switch"),
        Binding("s", "solo", "solo", tooltip="solo: show only this run", id="run_list.solo"),
        Binding("a", "switch_all", "all", tooltip="all on, all off", id="run_list.all"),
        Binding("c", "colour", "colour", tooltip="choose a colour", id="run_list.colour"),
        Binding("B", "attributes", show=False, tooltip="group by hyperparameter", id="run_list.group"),
        Binding("d", "baseline", show=False, tooltip="use as baseline", id="run_list.baseline"),
        Binding("i", "about", "about", tooltip="about this run", id="run_list.about"),
        Binding("y,C", "copy_path", show=False, tooltip="copy the path", id="run_list.copy"),
        Binding("left,h", "fold(True)", show=False, tooltip="fold", id="run_list.fold"),
        Binding("right,l", "fold(False)", show=False, tooltip="unfold", id="run_list.unfold"),
        Binding("asterisk", "fold_all", show=False, tooltip="fold all", id="run_list.fold_all"),
    ]

    class Folded(Message):
        """A folder was folded or unfolded."""

    class AboutRequested(Message):
        """The user wants the page of a run."""

        def __init__(self, run: str) -> None:
            super().__init__()
            self.run = run

    class ColourRequested(Message):
        """The user wants another colour for some runs.

        Args:
            title: Name of the run or path of the folder, not yet safe for a terminal.
            runs: Names of the runs.
        """

        def __init__(self, title: str, runs: tuple[str, ...]) -> None:
            super().__init__()
            self.title = title
            self.runs = runs

    class AttributesRequested(Message):
        """The user wants to colour, average or list runs by hyperparameters."""

    def __init__(self, folded: frozenset[str], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.folded = folded
        self._list: RunListRows | None = None
        self._texts = RunTexts()
        self._state: AppState | None = None
        self._listed_inputs: tuple[object, ...] = ()
        self._highlighted: str | None = None
        """The run that this list has highlighted."""

    def show_state(self, state: AppState) -> None:
        """List the runs of an app state."""
        self._state = state
        if not self.size.width:  # `on_resize` fits the rows to the first width
            return
        # The rows depend on nothing else. The first three are compared by identity, which is cheap.
        objects = (state.load.snapshot, state.conditions, state.view.inks)
        attributes = (state.view.attributes, state.settings.colour_by, state.settings.run_columns)
        values = (state.passing, state.shown, state.settings.baseline, self.folded, self.size.width, *attributes)
        if not _are_same(self._listed_inputs[:3], objects) or self._listed_inputs[3:] != values:
            self._listed_inputs = (*objects, *values)
            self._list = RunListRows(state, self.folded, self.size.width - EDGE_WIDTH, self._texts)
            self.show_rows(self._list, "no runs" if not state.load.snapshot.runs else "no run matches")
        if self.has_focus:
            self._highlight_current()

    def head(self, state: AppState) -> str:
        """Return the names of the attributes whose values the rows show."""
        if not state.view.settings.run_columns and not state.view.settings.colour_by:
            return ""
        nodes, attributes = list_run_nodes(state.passing, self.folded), state.view.attributes
        columns = measure_attributes(state, nodes, self.size.width - EDGE_WIDTH)
        names = {state.settings.colour_by, *state.settings.run_columns}
        known = sum(attributes is not None and attributes.find(name) is not None for name in names)
        return format_attribute_head(columns, known - len(columns))

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        if self._state is not None:
            self.show_state(self._state)

    @property
    def _current(self) -> RunRow | None:
        return self._list.tree_row(self._cursor) if self._list else None

    @property
    def current_run(self) -> str | None:
        """The run under the cursor while the list has the focus; None on a folder."""
        row = self._current if self.has_focus else None
        return None if row is None else row.node.run

    def reveal(self, run: str) -> None:
        """Unfold the folders of a run, and move the cursor to it."""
        if self._state is None:
            return
        folders = (node for node in list_run_nodes(self._state.passing, frozenset()) if node.run is None)
        around = {node.key for node in folders if run in node.runs}
        if self.folded & around:
            self.folded -= around
            self.show_state(self._state)
            self.post_message(self.Folded())
        self.move_to_key(make_run_key(run))

    # The highlighted run

    def on_row_list_moved(self) -> None:
        """Highlight the run under the cursor."""
        if self.has_focus:
            self._highlight_current()

    def on_focus(self) -> None:
        """Highlight the run under the cursor."""
        self._highlight_current()

    def on_blur(self) -> None:
        """Remove the highlight that this list has set; one set by a chart stays."""
        if (
            self._state is not None
            and self._highlighted is not None
            and self._state.settings.focus == self._highlighted
        ):
            self.post_message(Choose(focus=None))
        self._highlighted = None

    def _highlight_current(self) -> None:
        run, state = self.current_run, self._state
        if run == self._highlighted or state is None:
            return
        # If the run is already highlighted, a chart has done it: that highlight stays.
        if self._highlighted is not None or state.settings.focus != run:
            self._highlighted = run
            self.post_message(Choose(focus=run))

    # Visibility of runs

    def action_switch(self) -> None:
        """Switch the run, or all runs of the folder: off if all of them are drawn, otherwise on.

        Under solo the other runs are listed as off. Switching ends solo and keeps what is drawn.
        """
        if (row := self._current) is not None:
            self._switch(frozenset(row.node.runs), on=row.switch != "on")

    def action_switch_all(self) -> None:
        """Switch all runs that pass the filter: off if all of them are drawn, otherwise on."""
        if (state := self._state) is not None:
            passing = frozenset(state.passing)
            self._switch(passing, on=not passing <= state.shown)

    def _switch(self, runs: frozenset[str], *, on: bool) -> None:
        state = self._state
        if state is None:
            return
        settings = state.settings
        hidden = settings.hidden_runs
        if settings.solo is not None:
            hidden = frozenset(state.load.snapshot.runs) - state.shown
        self.post_message(Choose(hidden_runs=hidden - runs if on else hidden | runs, solo=None))

    def action_solo(self) -> None:
        """Draw only this run, or only this folder; a second time restores what was drawn before."""
        row, state = self._current, self._state
        if row is not None and state is not None:
            is_solo = state.settings.solo == row.node.path
            self.post_message(Choose(solo=None if is_solo else row.node.path))

    def action_fold(self, fold: bool) -> None:
        """Fold or unfold the folder under the cursor, or the runs of hyperparameters of a run."""
        row = self._current
        if row is not None and row.node.run is not None:
            self._fold_run(row.node.run, fold=fold)
        if row is None or row.node.run is not None or row.folded == fold:
            return
        self.folded = self.folded | {row.node.key} if fold else self.folded - {row.node.key}
        if self._state is not None:
            self.show_state(self._state)
        self.post_message(self.Folded())

    def _fold_run(self, run: str, *, fold: bool) -> None:
        """Fold or unfold the runs that only hold the hyperparameters of a run; on one of these, fold it."""
        state = self._state
        if state is None:
            return
        unfolded = state.settings.unfolded_runs
        if not fold and state.load.snapshot.runs[run].folded:
            self.post_message(Choose(unfolded_runs=unfolded | {run}))
        elif fold:
            opened = unfolded & {run, run.rpartition("/")[0] or "."}
            for each in opened:
                self.move_to_key(make_run_key(each))
            self.post_message(Choose(unfolded_runs=unfolded - opened))

    def action_fold_all(self) -> None:
        """Fold all folders and runs; unfold the folders if all are folded."""
        state = self._state
        if state is None:
            return
        folders = frozenset(node.key for node in list_run_nodes(state.passing, frozenset()) if node.run is None)
        self.folded = self.folded - folders if folders <= self.folded else self.folded | folders
        if state.settings.unfolded_runs and folders <= self.folded:
            self.post_message(Choose(unfolded_runs=frozenset()))
        self.show_state(state)
        self.post_message(self.Folded())

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Switch the clicked row."""
        event.stop()
        self.action_switch()

    # Other actions on a run

    def action_colour(self) -> None:
        """Request a colour for the run, or one colour for all runs of the folder."""
        if (row := self._current) is not None:
            self.post_message(self.ColourRequested(row.node.path, row.node.runs))

    def action_attributes(self) -> None:
        """Request the form that colours, averages and lists runs by attributes."""
        self.post_message(self.AttributesRequested())

    def action_baseline(self) -> None:
        """Make this run the baseline of comparisons; a second time removes the baseline."""
        row, state = self._current, self._state
        self._explain_folder()
        if row is not None and row.node.run is not None and state is not None:
            is_baseline = state.settings.baseline == row.node.run
            self.post_message(Choose(baseline=None if is_baseline else row.node.run))

    def action_about(self) -> None:
        """Request the page of the run under the cursor."""
        self._explain_folder()
        if (row := self._current) is not None and row.node.run is not None:
            self.post_message(self.AboutRequested(row.node.run))

    def _explain_folder(self) -> None:
        """Say why a key for one run does nothing on a folder."""
        if (row := self._current) is not None and row.node.run is None:
            text = f"{safe(row.node.path)} is a folder of {format_count(len(row.node.runs), 'run')}: select one of them"
            self.notify(text, markup=False)

    def action_copy_path(self) -> None:
        """Copy the directory of the run or folder."""
        if (row := self._current) is not None:
            self.post_message(CopyRequested(row.node.path))


def _are_same(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))
