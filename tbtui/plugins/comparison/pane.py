"""The pane of the Compare tab: the table, and below it what is known of the cell under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.cells import Ink
from tbtui.plugins.comparison import changes, words
from tbtui.plugins.comparison.data import ComparisonData, detail_of
from tbtui.plugins.comparison.source import ComparisonSource
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.line import Line
from tbtui.widgets.pane import FOLDED, STATUS_SHARE, Choose, CopyAsked, Pane

NAMES_FROM_HEIGHT = 16
"""Lower panes do without the line that tells the names of run and tag in full."""

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.app import ComposeResult

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.comparison.data import Detail
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View


class ComparisonPane(Pane):
    """One row a run, one column a scalar tag."""

    UNUSED = frozenset({"next_x_axis", "next_y_scale", "smooth"})
    BINDING_GROUP_TITLE = "Compare"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "sort", "sort", id="comparison.sort", tooltip="sort by this column"),
        Binding("t", "next_figure", "figure", id="comparison.figure", tooltip="last, best, min, max"),
        Binding("d", "set_baseline", "baseline", id="comparison.baseline", tooltip="compare with this run"),
        Binding("v", "switch_deltas", "values", id="comparison.deltas", tooltip="values or differences"),
        Binding("space", "hide_run", "off", id="comparison.hide", tooltip="switch this run off"),
        Binding("a", "show_all_runs", "all", show=False, id="comparison.all", tooltip="all runs on"),
        Binding("C", "copy_path", "copy", show=False, id="comparison.copy", tooltip="copy the run's path"),
    ]

    DEFAULT_CSS = """
    ComparisonPane { padding-left: 1; }
    """

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._data = ComparisonData()
        self._grid = DataGrid(self.background)
        self._names, self._numbers = Line(), Line()
        self._source: ComparisonSource | None = None

    def compose(self) -> ComposeResult:
        """The table, and two lines below it."""
        yield self._grid
        yield self._names
        yield self._numbers

    # What the app asks for

    def status(self) -> str:
        """What the table on the screen tells."""
        source = self._source
        room = int(self.app.size.width * STATUS_SHARE) - 1
        return "" if source is None else words.status(source.view, len(source.columns), room)

    def reveal(self, tag: str) -> None:
        """Put the cursor into the column of `tag`."""
        self._grid.move_to_column(tag)

    # What the view shows

    def prepare(self, view: View) -> Iterator[ComparisonSource]:
        """The table of a view."""
        yield ComparisonSource(self._data, view, self._source)

    def present(self, prepared: ComparisonSource) -> None:
        """Show another table."""
        said, self._source = self.status(), prepared
        if prepared.columns:
            self._grid.show(prepared)
        else:
            self._grid.say(*FOLDED)
        self._ask_detail()
        if self.status() != said:
            self.refresh_bindings()  # whoever shows the status looks again

    def say(self, headline: str, hint: str = "") -> None:
        """Show these words instead of the table."""
        self._grid.say(headline, hint)

    def say_error(self, error: Exception) -> None:
        """Say what went wrong."""
        self.say(words.FAILED, f"{type(error).__name__}: {error}")
        self._ask_detail()

    def _ask_detail(self) -> None:
        """Tell below the table what is known of the cell under the cursor."""
        view, run, tag = self.view, self._grid.cursor_row, self._grid.cursor_column
        if view is None or run is None or tag is None:
            self._names.show(())
            self._numbers.show(())
            return

        def look() -> Iterator[Detail]:
            yield detail_of(view, run, tag)

        self.background.ask("detail", look, self._show_detail, self._say_no_detail)

    def _show_detail(self, detail: Detail) -> None:
        names, numbers = words.detail_lines(detail, self.size.width)
        self._names.show(names)
        self._numbers.show(numbers)

    def _say_no_detail(self, error: Exception) -> None:
        self._numbers.show(((f"{type(error).__name__}: {error}", Ink.WARN),))

    # What happens

    def on_data_grid_moved(self, message: DataGrid.Moved) -> None:
        """Tell of another cell."""
        message.stop()
        self._ask_detail()

    def on_data_grid_head_chosen(self, message: DataGrid.HeadChosen) -> None:
        """Sort by the column whose title was clicked."""
        message.stop()
        self.action_sort()

    def on_resize(self) -> None:
        """More or less of the cell can be told."""
        self._names.display = self.size.height >= NAMES_FROM_HEIGHT
        self._ask_detail()

    # Keys

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not offered."""
        source = self._source
        return action != "switch_deltas" or (source is not None and source.view.choices.baseline is not None)

    def _choose(self, change: Callable[[Choices], Choices]) -> None:
        self.post_message(Choose(change))

    def action_sort(self) -> None:
        """Sort by the column under the cursor, then the other way round, then no more."""
        if (tag := self._grid.cursor_column) is not None:
            self._choose(changes.sorted_by(tag))

    def action_next_figure(self) -> None:
        """Have cells tell the last, the best, the least, the greatest value."""
        self._choose(changes.with_next_figure)

    def action_set_baseline(self) -> None:
        """Compare with the run under the cursor; once more: with none."""
        if (run := self._grid.cursor_row) is not None:
            self._choose(changes.with_baseline(run))

    def action_switch_deltas(self) -> None:
        """Have cells tell differences, or values although there is a baseline."""
        self._choose(changes.with_deltas_switched)

    def action_hide_run(self) -> None:
        """Switch the run under the cursor off."""
        if self.view is not None and (run := self._grid.cursor_row) is not None:
            self._choose(changes.without_run(run, self.view))

    def action_show_all_runs(self) -> None:
        """Switch on all runs that pass the filter."""
        if self.view is not None:
            self._choose(changes.with_all_runs(self.view))

    def action_copy_path(self) -> None:
        """Ask for the path of the run under the cursor on the clipboard."""
        if (run := self._grid.cursor_row) is not None:
            self.post_message(CopyAsked(run))
