"""Pane of the Compare tab: the table, and below it the details of the cell under the cursor."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.cells import Ink
from tbtui.charts.text import format_run_name, safe
from tbtui.loading.payloads import Payloads
from tbtui.plugins.comparison import transitions
from tbtui.plugins.comparison.attributes import ATTRIBUTE
from tbtui.plugins.comparison.comparison import (
    ComparisonCache,
    read_detail,
)
from tbtui.plugins.comparison.labels import GAP, build_detail_lines, format_status
from tbtui.plugins.comparison.pane.source import ComparisonSource
from tbtui.plugins.comparison.settings import DELTAS, STATISTIC
from tbtui.plugins.hparams.attributes import read_hparams
from tbtui.plugins.hparams.settings import name_pattern
from tbtui.view.attributes import NO_ATTRIBUTES
from tbtui.widgets.column_keys import ColumnKeysMixin, create_column_bindings
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.line import Line
from tbtui.widgets.pane import ALL_FOLDED, STATUS_SHARE, AboutRunRequested, Choose, CopyRequested, Pane

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.app import ComposeResult

    from tbtui.plugins.comparison.comparison import Detail
    from tbtui.settings.column_choice import ColumnChoice
    from tbtui.settings.settings import Settings
    from tbtui.view.attributes import RunAttributes
    from tbtui.view.view import View


FAILED = "the runs cannot be compared"

NAMES_FROM_HEIGHT = 16
"""Minimum height of a pane with a line of the full names of run and tag."""


class ComparisonPane(ColumnKeysMixin, Pane):
    """Shows one row per run and one column per scalar tag."""

    BINDING_GROUP_TITLE = "Compare"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "sort", "sort", id="comparison.sort", tooltip="sort by this column"),
        Binding("t", "next_figure", "statistic", id="comparison.figure", tooltip="last, best, min, max"),
        Binding("d", "set_baseline", "baseline", id="comparison.baseline", tooltip="compare with this run"),
        Binding("percent_sign", "switch_deltas", "values", id="comparison.deltas", tooltip="values or differences"),
        Binding("space", "hide_run", "off", id="comparison.hide", tooltip="hide this run"),
        Binding("a", "show_all_runs", "all", show=False, id="comparison.all", tooltip="all runs on"),
        *create_column_bindings("comparison"),
        Binding("i", "about_run", "about", show=False, id="comparison.about", tooltip="about this run"),
        Binding("w", "write", "write", show=False, id="comparison.write", tooltip="write the table as CSV or JSON"),
        Binding("y,C", "copy_path", "copy", show=False, id="comparison.copy", tooltip="copy the run's path"),
    ]

    DEFAULT_CSS = """
    ComparisonPane { padding-left: 1; }
    """

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._data = ComparisonCache()
        self._grid = DataGrid(self.worker)
        self._names, self._numbers = Line(), Line()
        self._source: ComparisonSource | None = None
        self._own_payloads = Payloads()
        self._hparams = NO_ATTRIBUTES
        self._requested_hparams: tuple[object, ...] = ()
        self._revealed = ""
        """Tag to move to as soon as its column is shown."""

    def compose(self) -> ComposeResult:
        """Yield the table, and two lines below it."""
        yield self._grid
        yield self._names
        yield self._numbers

    # Status and navigation

    def status(self) -> str:
        source = self._source
        max_width = int(self.app.size.width * STATUS_SHARE) - 1
        return "" if source is None else format_status(source.view, source.tags, max_width, source.hidden)

    @property
    def lists_runs(self) -> bool:
        return True

    def reveal(self, tag: str) -> None:
        source = self._source
        if source is not None and tag not in source.columns and tag in source.every_tag:
            self._revealed = tag
            self._choose(transitions.show_column(tag))
        self._grid.move_to_column(tag)

    # Content of the view

    def prepare(self, view: View) -> Iterator[ComparisonSource]:
        yield ComparisonSource(self._data, view, self._hparams, self._source)

    def present(self, prepared: ComparisonSource) -> None:
        former_status, self._source = self.status(), prepared
        if prepared.columns:
            self._grid.show(prepared)
        else:
            self._grid.show_message(*ALL_FOLDED)
        if self._revealed in prepared.columns:
            self._grid.move_to_column(self._revealed)
            self._revealed = ""
        self._request_detail()
        self._request_hparams(prepared.view)
        if self.status() != former_status:
            self.refresh_bindings()  # updates the status

    def show_message(self, headline: str, hint: str = "") -> None:
        self._grid.show_message(headline, hint)

    def show_error(self, error: Exception) -> None:
        self.show_message(FAILED, f"{type(error).__name__}: {error}")
        self._request_detail()

    def _request_hparams(self, view: View) -> None:
        """Read the hyperparameters of the runs, after the cells: they may be in many files."""
        request = view.snapshot.revision, name_pattern(view.settings)
        if request == self._requested_hparams:
            return
        self._requested_hparams = request

        def read() -> Iterator[RunAttributes | None]:
            yield None  # now the cells go on, which were requested before
            yield read_hparams(self.payloads or self._own_payloads, view.snapshot.runs, view.settings)

        self.worker.ask("hparams", read, partial(self._show_hparams, view), lambda _: None)

    def _show_hparams(self, view: View, hparams: RunAttributes | None) -> None:
        """Show the columns of hyperparameters if they are others than before."""
        if hparams is not None and hparams is not self._hparams:
            self._hparams = hparams
            self.show(self.view or view)

    def _request_detail(self) -> None:
        """Show details of the cell under the cursor below the table."""
        view, run, tag, source = self.view, self._grid.cursor_row, self._grid.cursor_column, self._source
        if view is None or run is None or tag is None or source is None:
            self._names.show(())
            self._numbers.show(())
            return
        if tag.startswith(ATTRIBUTE):
            name = safe(format_run_name(tag[len(ATTRIBUTE) :]))
            self._names.show(((format_run_name(run), Ink.TEXT), (GAP, Ink.NONE), (name, Ink.DIM)))
            self._numbers.show((("hyperparameter ", Ink.DIM), (source.format_attribute(run, tag), Ink.BOLD)))
            return

        def find_detail() -> Iterator[Detail]:
            yield read_detail(view, run, tag)

        self.worker.ask("detail", find_detail, self._show_detail, self._show_detail_error)

    def _show_detail(self, detail: Detail) -> None:
        runs = () if self._source is None else [run.name for run in self._source.view.runs]
        names, numbers = build_detail_lines(detail, self.size.width, runs)
        self._names.show(names)
        self._numbers.show(numbers)

    def _show_detail_error(self, error: Exception) -> None:
        self._numbers.show(((f"{type(error).__name__}: {error}", Ink.WARN),))

    # Messages

    def on_data_grid_moved(self, message: DataGrid.Moved) -> None:
        """Show details of another cell."""
        message.stop()
        self._request_detail()

    def on_data_grid_head_chosen(self, message: DataGrid.HeadChosen) -> None:
        """Sort by the column whose title was clicked."""
        message.stop()
        self.action_sort()

    def on_resize(self) -> None:
        """Fit the details to the new width."""
        self._names.display = self.size.height >= NAMES_FROM_HEIGHT
        self._request_detail()

    # Keys

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        source = self._source
        return action != "switch_deltas" or (source is not None and source.view.settings.baseline is not None)

    def _choose(self, change: Callable[[Settings], Settings]) -> None:
        self.post_message(Choose(change))

    def column_under_cursor(self) -> str | None:
        return self._grid.cursor_column

    def columns_shown(self) -> Sequence[str]:
        return () if self._source is None else self._source.columns

    def columns_aside(self) -> Sequence[str]:
        return () if self._source is None else self._source.aside

    def change_columns(self, change: Callable[[ColumnChoice], ColumnChoice]) -> None:
        self._choose(transitions.change_columns(change))

    def action_sort(self) -> None:
        """Sort by the column under the cursor, then in reverse, then in tree order."""
        if (tag := self._grid.cursor_column) is not None:
            self._choose(transitions.sort_by(tag))

    def action_next_figure(self) -> None:
        """Show the last, best, least or greatest values."""
        self._choose(STATISTIC.next)

    def action_set_baseline(self) -> None:
        """Compare with the run under the cursor; the second time, with none."""
        if (run := self._grid.cursor_row) is not None:
            self._choose(transitions.set_baseline(run))

    def action_switch_deltas(self) -> None:
        """Show differences, or values in spite of a baseline."""
        self._choose(DELTAS.next)

    def action_hide_run(self) -> None:
        """Hide the run under the cursor."""
        if self.view is not None and (run := self._grid.cursor_row) is not None:
            self._choose(transitions.hide_run(run, self.view))

    def action_show_all_runs(self) -> None:
        """Show all runs that pass the filter."""
        if self.view is not None:
            self._choose(transitions.show_all_runs(self.view))

    def action_about_run(self) -> None:
        """Show the page of the run under the cursor."""
        if (run := self._grid.cursor_row) is not None:
            self.post_message(AboutRunRequested(run))

    def action_write(self) -> None:
        """Open the form that writes the table as shown to a file."""
        from tbtui.plugins.comparison.pane.forms import open_writer

        if (source := self._source) is not None:
            open_writer(self, source.view, source.table)

    def action_copy_path(self) -> None:
        """Copy the path of the run under the cursor."""
        if (run := self._grid.cursor_row) is not None:
            self.post_message(CopyRequested(run))
