"""The sidebar: the run tree over the tag tree, each under its filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message

from tbtui.app.run_list import RunList
from tbtui.app.tag_list import TagList
from tbtui.charts.cells import Ink
from tbtui.viewstate.filters import filter_for
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from tbtui.app.outlook import Outlook
    from tbtui.widgets.row_list import RowList


class Rule(Line):
    """Parts runs and tags."""

    def on_resize(self) -> None:
        """As wide as the sidebar."""
        self.show([("─" * (self.size.width - 1), Ink.FAINT)])


class Sidebar(Vertical):
    """Shows what there is to choose from; choices are asked for by message, and so is another width."""

    class Dragged(Message):
        """The right edge is where the mouse is: the sidebar shall be so many columns wide."""

        def __init__(self, width: int) -> None:
            super().__init__()
            self.width = width

    def __init__(self, folded: frozenset[str], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        """Begin empty.

        Args:
            folded: Keys of the folders of the run tree whose runs are not listed.
            id: As every widget's.
        """
        super().__init__(id=id)
        self.run_filter = FilterBar("runs…", id="run-filter")
        self.runs = RunList(folded, id="runs")
        self.tag_filter = FilterBar("tags…", id="tag-filter")
        self.tags = TagList(id="tags")
        self._outlook: Outlook | None = None

    def compose(self) -> ComposeResult:
        """Runs above, tags below."""
        yield self.run_filter
        yield self.runs
        yield Rule(id="rule")
        yield self.tag_filter
        yield self.tags

    def show_outlook(self, outlook: Outlook) -> None:
        """Show runs and tags."""
        self._outlook = outlook
        choices, runs = outlook.choices, outlook.state.snapshot.runs
        _show_applied(self.run_filter, choices.run_filter, len(outlook.passing), len(runs))
        _show_applied(self.tag_filter, choices.tag_filter, len(outlook.tags), len(outlook.all_tags))
        self.runs.show_outlook(outlook)
        self.tags.show_outlook(outlook)

    @property
    def tree_in_focus(self) -> RowList | None:
        """The tree that has the keys, itself or by its filter."""
        if self.runs.has_focus or self.run_filter.has_focus_within:
            return self.runs
        return self.tags if self.tags.has_focus or self.tag_filter.has_focus_within else None

    @property
    def filter_error(self) -> str | None:
        """Why what is being typed into a filter does not apply; None when it does."""
        return self.run_filter.error or self.tag_filter.error

    def edit_filter(self, *, of_runs: bool) -> None:
        """Let the user type a filter."""
        (self.run_filter if of_runs else self.tag_filter).edit()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """Try the draft on all names; apply it when it is valid and quick enough."""
        if self._outlook is None:
            return
        of_runs = event.bar is self.run_filter
        names = self._outlook.state.snapshot.runs if of_runs else self._outlook.all_tags
        if error := filter_for(event.pattern).check(names):
            event.bar.complain(error)
        else:
            event.bar.accept()
            self.post_message(Choose(**{"run_filter" if of_runs else "tag_filter": event.pattern}))

    # The right edge

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the edge."""
        if event.button == 1 and event.screen_x == self.region.right - 1:
            event.stop()
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Ask for the edge to follow the mouse."""
        if self.app.mouse_captured is self:
            event.stop()
            self.post_message(self.Dragged(int(event.screen_x) - self.region.x + 1))

    def on_mouse_up(self) -> None:
        """Let go of the edge."""
        self.release_mouse()


def _show_applied(bar: FilterBar, pattern: str, passing: int, count: int) -> None:
    """Show the pattern that applies, and what it lets through or why it hides nothing."""
    bar.show_applied(pattern, f"{passing} of {count}" if pattern else "")
    # Names that came later may have taken it more time than a filter has.
    if (error := filter_for(pattern).error) and not bar.has_focus_within:
        bar.complain(error)
