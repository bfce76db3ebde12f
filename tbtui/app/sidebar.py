"""The sidebar: a filter and a list of runs, and below them a filter and a list of tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message

from tbtui.app.run_list import RunList
from tbtui.app.tag_list import TagList
from tbtui.charts.cells import Ink
from tbtui.settings.filters import get_filter
from tbtui.view.terms import are_terms, check_terms, may_be_terms
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from collections.abc import Collection

    from textual import events
    from textual.app import ComposeResult

    from tbtui.app.state import AppState
    from tbtui.view.attributes import RunAttributes
    from tbtui.widgets.pane import Outline
    from tbtui.widgets.row_list import RowList


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
