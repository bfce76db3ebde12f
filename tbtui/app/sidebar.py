"""The sidebar: the run list above the tag list, each below its filter."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from tbtui.app.sidebar_rows import (
    RunListRows,
    RunTexts,
    build_outline_rows,
    build_tag_rows,
    format_attribute_head,
    measure_attributes,
)
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.settings.filters import get_filter
from tbtui.view.changes import toggle_groups
from tbtui.view.run_tree import list_run_nodes, make_run_key
from tbtui.view.tag_tree import find_foldable_groups, make_group_key
from tbtui.view.terms import are_terms, check_terms, may_be_terms
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line
from tbtui.widgets.pane import Choose, CopyRequested
from tbtui.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from textual import events
    from textual.app import ComposeResult

    from tbtui.app.state import AppState
    from tbtui.view.attributes import RunAttributes
    from tbtui.view.run_tree import RunRow
    from tbtui.view.tag_tree import TagRow
    from tbtui.widgets.pane import Outline, OutlineRow


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
            self._list = RunListRows(state, self.folded, self.size.width - 2, self._texts)
            self.show_rows(self._list, "no runs" if not state.load.snapshot.runs else "no run matches")
        if self.has_focus:
            self._highlight_current()

    def head(self, state: AppState) -> str:
        """Return the names of the attributes whose values the rows show."""
        if not state.view.settings.run_columns and not state.view.settings.colour_by:
            return ""
        nodes, attributes = list_run_nodes(state.passing, self.folded), state.view.attributes
        columns = measure_attributes(state, nodes, self.size.width - 2)
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
            text = f"{safe(row.node.path)} is a folder of {counted(len(row.node.runs), 'run')}: select one of them"
            self.notify(text, markup=False)

    def action_copy_path(self) -> None:
        """Copy the directory of the run or folder."""
        if (row := self._current) is not None:
            self.post_message(CopyRequested(row.node.path))


def _are_same(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))


class TagList(RowList):
    """Lists tags below their groups. A tag leads to its card, a group can be folded."""

    BINDING_GROUP_TITLE = "Tags"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "reveal", "go to chart", id="tag_list.reveal"),
        Binding("space", "fold", "fold", tooltip="fold", id="tag_list.toggle"),
        Binding("y", "copy", show=False, tooltip="copy the name", id="tag_list.copy_name"),
        Binding("left,h", "fold(True)", show=False, tooltip="fold", id="tag_list.fold"),
        Binding("right,l", "fold(False)", show=False, tooltip="unfold", id="tag_list.unfold"),
        Binding("asterisk", "fold_all", show=False, tooltip="fold all", id="tag_list.fold_all"),
    ]

    class Revealed(Message):
        """The user wants to see the card of a tag, or an item of the outline by its key."""

        def __init__(self, tag: str) -> None:
            super().__init__()
            self.tag = tag

    class GroupFolded(Message):
        """The user wants to fold or unfold a group of the outline."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._tree: Sequence[TagRow] = ()
        self._state: AppState | None = None
        self._outline: Outline | None = None

    def show_state(self, state: AppState, outline: Outline | None = None) -> None:
        """List the tags of an app state, or the outline of the open pane."""
        self._state, self._outline = state, outline
        if not self.size.width:  # `on_resize` fits the rows to the first width
            return
        if outline is not None:
            self._tree = ()
            width = max(self.size.width - 2, 0)
            self.show_rows(build_outline_rows(outline.rows, width), "no match" if outline.names else "empty")
            return
        width = max(self.size.width - 2, 0)
        rows, self._tree = build_tag_rows(state.tags, state.settings.hidden_groups, width)
        self.show_rows(rows, "no tag matches" if state.all_tags else "no tags")

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        if self._state is not None:
            self.show_state(self._state, self._outline)

    @property
    def _tag_row(self) -> TagRow | None:
        """The line of the tag tree under the cursor."""
        return self._tree[self._cursor] if self._tree else None

    @property
    def _outline_row(self) -> OutlineRow | None:
        """The row of the outline under the cursor."""
        rows = () if self._outline is None else self._outline.rows
        return next((row for row in rows if row.key == self.cursor_key), None)

    def action_reveal(self) -> None:
        """Request the card of the tag; on a group, fold or unfold it."""
        if (item := self._outline_row) is not None and not item.is_group:
            self.post_message(self.Revealed(item.key))
            return
        row = self._tag_row
        if row is not None and row.tag is not None:
            self.post_message(self.Revealed(row.tag))
        else:
            self.action_fold()

    def action_copy(self) -> None:
        """Copy the whole name of the tag, or of the item."""
        item, row = self._outline_row, self._tag_row
        name = item.label if item is not None else None if row is None else row.tag
        if name is not None:
            self.app.copy_to_clipboard(safe(name))
            self.app.notify(f"copied: {name}")

    def action_fold(self, fold: bool | None = None) -> None:
        """Fold or unfold the group of the tag under the cursor, and move the cursor to the group.

        Under a filter all groups are unfolded and cannot be folded.

        Args:
            fold: The wanted state; None: the other one.
        """
        if self._outline is not None:
            self._fold_group(fold)
            return
        row, state = self._tag_row, self._state
        if row is None or state is None or state.settings.tag_filter or (row.tag is not None and row.depth == 0):
            return
        hidden = state.settings.hidden_groups
        is_folded = row.group in hidden
        if is_folded == fold:
            return
        self.move_to_key(make_group_key(row.group))
        self.post_message(Choose(hidden_groups=hidden - {row.group} if is_folded else hidden | {row.group}))

    def action_fold_all(self) -> None:
        """Fold all groups; unfold them if all are folded. Under a filter all groups are unfolded."""
        state = self._state
        if self._outline is not None:
            groups = [row for row in self._outline.rows if row.is_group]
            fold = not all(row.folded for row in groups)
            for row in groups:
                if row.folded != fold:
                    self.post_message(self.GroupFolded(row.key))
        elif state is not None and not state.settings.tag_filter:
            self.post_message(Choose(partial(toggle_groups, groups=find_foldable_groups(state.tags))))

    def _fold_group(self, fold: bool | None) -> None:
        """Request the other state of the group of the outline under the cursor, and move the cursor to it."""
        rows = () if self._outline is None else self._outline.rows
        cursor = next((index for index, row in enumerate(rows) if row.key == self.cursor_key), -1)
        group = next((row for row in reversed(rows[: cursor + 1]) if row.is_group), None)
        if group is not None and group.folded != fold:
            self.move_to_key(group.key)
            self.post_message(self.GroupFolded(group.key))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Open the card of the clicked tag, or fold the clicked group."""
        event.stop()
        self.action_reveal()


class Rule(Line):
    """A line between runs and tags."""

    def on_resize(self) -> None:
        """Draw the line as wide as the sidebar."""
        self.show([("─" * (self.size.width - 1), Ink.FAINT)])


class Sidebar(Vertical):
    """Shows the runs and tags to choose from. Choices and resizing are requested by messages.

    Args:
        folded: Keys of the folded folders of the run list.
        id: The widget's id.
    """

    class Dragged(Message):
        """The mouse drags the right edge: the sidebar should become `width` columns wide."""

        def __init__(self, width: int) -> None:
            super().__init__()
            self.width = width

    def __init__(self, folded: frozenset[str], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.run_filter = FilterBar("runs…", id="run-filter")
        self.runs = RunList(folded, id="runs")
        self.tag_filter = FilterBar("tags…", id="tag-filter")
        self.tags = TagList(id="tags")
        self._state: AppState | None = None
        self._outline: Outline | None = None

    def compose(self) -> ComposeResult:
        """Compose the runs above the tags."""
        yield self.run_filter
        yield self.runs
        yield Rule(id="rule")
        yield self.tag_filter
        yield self.tags

    def show_state(self, state: AppState, outline: Outline | None = None) -> None:
        """Show the runs of an app state, and its tags or the outline of the open pane."""
        self._state, self._outline = state, outline
        settings, runs = state.settings, state.load.snapshot.runs
        passing, names = (state.tags, state.all_tags) if outline is None else (outline.passing, outline.names)
        _show_applied(
            self.run_filter, settings.run_filter, state.passing, len(runs), state.view.attributes, self.runs.head(state)
        )
        _show_applied(self.tag_filter, settings.tag_filter, passing, len(names))
        self.tag_filter.show_placeholder(f"{'tags' if outline is None else outline.noun}…")
        self.runs.show_state(state)
        self.tags.show_state(state, outline)

    @property
    def focused_tree(self) -> RowList | None:
        """The list that has the focus, or whose filter has it."""
        if self.runs.has_focus or self.run_filter.has_focus_within:
            return self.runs
        return self.tags if self.tags.has_focus or self.tag_filter.has_focus_within else None

    @property
    def filter_error(self) -> str | None:
        """Why the filter being typed does not apply; None if it does."""
        return self.run_filter.error or self.tag_filter.error

    def edit_filter(self, *, of_runs: bool) -> None:
        """Focus the run filter or the tag filter."""
        (self.run_filter if of_runs else self.tag_filter).edit()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """Try the draft on all names; apply it if it is valid and fast enough."""
        if self._state is None:
            return
        of_runs = event.bar is self.run_filter
        tags = self._state.all_tags if self._outline is None else self._outline.names
        names = self._state.load.snapshot.runs if of_runs else tags
        attributes = self._state.view.attributes if of_runs else None
        if attributes is not None and are_terms(event.pattern, attributes):
            error = check_terms(event.pattern, attributes)
        else:
            error = get_filter(event.pattern).check(names)
        if error:
            event.bar.complain(error)
        else:
            event.bar.accept()
            self.post_message(Choose(**{"run_filter" if of_runs else "tag_filter": event.pattern}))

    # The right edge

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start to drag the right edge."""
        if event.button == 1 and event.screen_x == self.region.right - 1:
            event.stop()
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Request the width at which the edge is under the mouse."""
        if self.app.mouse_captured is self:
            event.stop()
            self.post_message(self.Dragged(int(event.screen_x) - self.region.x + 1))

    def on_mouse_up(self) -> None:
        """Stop dragging."""
        self.release_mouse()


def _show_applied(
    bar: FilterBar,
    pattern: str,
    passing: Collection[str],
    count: int,
    attributes: RunAttributes | None = None,
    head: str = "",
) -> None:
    """Show the applied pattern with a note: the number of matches, `plain text`, or the error of the pattern.

    Without a pattern the note is the head of the columns below.
    """
    is_made_of_terms = attributes is not None and may_be_terms(pattern)
    name_filter = get_filter("" if is_made_of_terms else pattern)
    note = "plain text" if name_filter.are_plain(passing) else f"{len(passing)} of {count}"
    bar.show_applied(pattern, note if pattern else head)
    # A pattern that was fast enough at first can be too slow for names that arrived later.
    if (error := name_filter.error) and not bar.has_focus_within:
        bar.complain(error)
