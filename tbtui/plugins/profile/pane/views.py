"""The views of one capture: an overview or a summary above a table, the timeline, and the flame graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from textual.containers import Vertical

from tbtui.charts.text import safe
from tbtui.plugins.profile.flame import STACKS, build_flame
from tbtui.plugins.profile.overview import build_overview, draw_lines
from tbtui.plugins.profile.pane import strings
from tbtui.plugins.profile.pane.detail_pages import (
    build_flame_page,
    build_memory_page,
    build_row_page,
    build_timeline_page,
    describe_flame,
    describe_row_briefly,
    describe_timeline,
)
from tbtui.plugins.profile.pane.flame_view import FlameView
from tbtui.plugins.profile.pane.requests import TableRequest, build_summary, build_table
from tbtui.plugins.profile.pane.timeline_view import TimelineView
from tbtui.plugins.profile.summary import ALL_STEPS
from tbtui.plugins.profile.tables import GROUPINGS
from tbtui.plugins.profile.trace import Kind
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.text_page import open_text_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.app import ComposeResult

    from tbtui.charts.cells import Cells
    from tbtui.plugins.profile.capture import Analysis, CaptureCache, CaptureSource
    from tbtui.plugins.profile.details import DetailLines
    from tbtui.plugins.profile.flame import Flame, Stack
    from tbtui.plugins.profile.pane.tables import AnyRow, ProfileTable, TableName
    from tbtui.plugins.profile.tables import Grouping
    from tbtui.plugins.profile.timeline import TimelineIndex
    from tbtui.widgets.worker import Worker

ViewName: TypeAlias = Literal[
    "overview",
    "operators",
    "kernels",
    "runtime",
    "timeline",
    "flame",
    "memory",
    "input",
    "communication",
    "comparison",
]

SUMMARISED = frozenset({"memory", "input", "communication", "comparison"})
"""Views with some lines above their table."""

MIN_TABLE_ROWS = 8
"""Rows of the table below the overview, its head included."""


class OverviewView(CellsView):
    """Shows the overview, or the summary above a table."""

    DEFAULT_CSS = """
    OverviewView { height: 1; width: 1fr; }
    """


class ProfileViews(Vertical):
    """Shows one of the views of a capture.

    Args:
        worker: Worker thread that computes the views.
        cache: Captures that were read.
        on_change: Called on the UI thread when another item is under the cursor, or the progress changed.
        on_error: Called on the UI thread with the exception of a computation.
    """

    DEFAULT_CSS = """
    ProfileViews { height: 1fr; width: 1fr; }
    """

    def __init__(
        self,
        worker: Worker,
        cache: CaptureCache,
        on_change: Callable[[], object],
        on_error: Callable[[Exception], None],
    ) -> None:
        super().__init__()
        self._worker, self._cache = worker, cache
        self._on_change, self._on_error = on_change, on_error
        self.view_name: ViewName = "overview"
        self.step = ALL_STEPS
        self.grouping: Grouping = "name"
        self.analysis: Analysis | None = None
        self.progress = ""
        """Text about the computation that the view waits for; empty if nothing takes long."""

        self.shown_stack: Stack = STACKS[0]
        """Kind of frames that the flame graph shows: that of `flame.stack`, if the capture has it."""

        self.table: ProfileTable | None = None
        self.pattern = ""
        """Regular expression of the names; empty: all."""

        self._sorts: dict[str, tuple[str, bool]] = {}
        """Column that sorts each table, and True if it sorts in descending order."""

        self._ranks: tuple[CaptureSource, ...] = ()
        self._baseline: CaptureSource | None = None
        self._overview = OverviewView()
        self.grid = DataGrid(worker, wide_names=True)
        self.timeline, self.flame = TimelineView(), FlameView()

    def compose(self) -> ComposeResult:
        """Yield the overview, the table, the timeline and the flame graph."""
        yield self._overview
        yield self.grid
        yield self.timeline
        yield self.flame

    @property
    def is_table(self) -> bool:
        """True if the view is a table, or has one below it."""
        return self.view_name not in {"timeline", "flame"}

    @property
    def focus_widget(self) -> DataGrid | TimelineView | FlameView:
        """The widget of the view that is shown, which takes the keys."""
        if self.analysis is None or self.is_table:
            return self.grid
        return self.timeline if self.view_name == "timeline" else self.flame

    @property
    def row(self) -> AnyRow | None:
        """The row under the cursor of the table; None without one."""
        key, table = self.grid.cursor_row, self.table
        if key is None or table is None or not key.isdigit() or int(key) >= len(table.matching_rows):
            return None
        return table.matching_rows[int(key)]

    # Details of the item under the cursor

    @property
    def detail(self) -> DetailLines:
        """Two lines about the item under the cursor."""
        if self.view_name == "timeline":
            return describe_timeline(self.timeline)
        if self.view_name == "flame":
            return describe_flame(self.flame, self.shown_stack)
        return describe_row_briefly(self.row)

    def open_details(self) -> None:
        """Open a page about the item under the cursor; in the flame graph first zoom into the frame."""
        analysis = self.analysis
        if analysis is None or (self.view_name == "flame" and self.flame.zoom_in()):
            return
        if self.view_name == "timeline":
            page = build_timeline_page(self.timeline, analysis)
        elif self.view_name == "flame":
            page = build_flame_page(self.flame)
        elif self.view_name == "memory":
            page = build_memory_page(analysis)
        else:
            page = build_row_page(analysis, self.row)
        if page is not None:
            open_text_page(self.app, self._worker, safe(page.title), page.lines)

    # Show a view

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of a capture."""
        self.analysis, self.table = None, None
        self._overview.display = self.timeline.display = self.flame.display = False
        self.grid.display = True
        self.grid.show_message(headline, hint)

    def show(self, analysis: Analysis, ranks: tuple[CaptureSource, ...], baseline: CaptureSource | None) -> None:
        """Show a capture.

        Args:
            analysis: The capture.
            ranks: The captures of the other ranks of its job.
            baseline: The capture that it is compared with.
        """
        self.analysis, self._ranks, self._baseline = analysis, ranks, baseline
        self.refresh_view()

    def refresh_view(self) -> None:
        """Show the chosen view of the capture."""
        analysis = self.analysis
        if analysis is None:
            return
        self._show_overview()
        had_focus = self.grid.has_focus or self.timeline.has_focus or self.flame.has_focus
        self.timeline.display, self.flame.display = self.view_name == "timeline", self.view_name == "flame"
        self.grid.display = self.is_table
        if self.timeline.display:
            self._show_timeline(analysis)
        elif self.flame.display:
            self._show_flame(analysis)
        else:
            self._show_table(analysis)
        if had_focus:
            self.focus_widget.focus(scroll_visible=False)

    def on_resize(self) -> None:
        """Draw the overview in the new size; the other views draw themselves."""
        self._show_overview()

    def _show_overview(self) -> None:
        """Show the overview, or the summary above the table of another view."""
        analysis, name = self.analysis, self.view_name
        if analysis is None:
            return
        width, max_rows = max(self.size.width, 10), max(self.size.height - MIN_TABLE_ROWS, 3)
        self._overview.display = name == "overview"
        if name == "overview":
            lines = build_overview(analysis, width, max_rows, self.step)
            self._draw_overview(draw_lines(lines, width, min(len(lines), max_rows)))
        elif name in SUMMARISED:
            ranks, baseline = self._ranks, self._baseline

            def results() -> Iterator[Cells]:
                yield build_summary(analysis, name, ranks, baseline, self._cache, (width, max_rows))

            def show(cells: Cells) -> None:
                if analysis is self.analysis and name == self.view_name:
                    self._overview.display = cells.height > 0
                    self._draw_overview(cells)

            self._worker.ask("summary", results, show, self._on_error)

    def _draw_overview(self, cells: Cells) -> None:
        self._overview.styles.height = max(cells.height, 1)
        self._overview.clear(cells.height, cells.width)
        self._overview.put(0, 0, cells)

    def _show_flame(self, analysis: Analysis) -> None:
        stack, weight, step = self.flame.stack, self.flame.weight, self.step
        if stack != "operators" and not analysis.trace.is_of_kind(Kind.PYTHON).any():
            stack = "operators" if analysis.operators else "calls"
        key = (analysis.source.identity, stack, weight, step)
        self.shown_stack = stack

        def results() -> Iterator[Flame]:
            yield build_flame(analysis, stack, weight, analysis.select_step(step))

        def show(flame: Flame) -> None:
            if analysis is self.analysis:
                self.flame.show(flame, key)
                self._on_change()

        self._worker.ask("flame", results, show, self._on_error)

    def _show_timeline(self, analysis: Analysis) -> None:
        def results() -> Iterator[TimelineIndex]:
            yield analysis.timeline

        def show(index: TimelineIndex) -> None:
            if analysis is self.analysis:
                self.timeline.show(analysis, index)
                self._set_progress("")

        if self.timeline.analysis is not analysis:
            self._set_progress(strings.ARRANGING.format(len(analysis.trace)))
        self._worker.ask("timeline", results, show, self._on_error)

    def _show_table(self, analysis: Analysis) -> None:
        name: TableName = "operators" if self.view_name == "overview" else cast("TableName", self.view_name)
        sort = self._sorts.get(name, ("", True))
        request = TableRequest(name, self.step, self.grouping, *sort, self.pattern, self._ranks, self._baseline)

        def results() -> Iterator[float | ProfileTable]:
            yield from build_table(analysis, request, self._cache)

        self._worker.ask("table", results, self._set_table, self._on_error)

    def _set_table(self, table: float | ProfileTable) -> None:
        if isinstance(table, float):
            self._set_progress(strings.GROUPING.format(table))
            return
        self.table = table
        if table.matching_rows:
            self.grid.show(table)
        else:
            self.grid.show_message(*(strings.NO_MATCH if table.row_count else strings.NO_ROWS[table.name]))
        self._set_progress("")

    def _set_progress(self, text: str) -> None:
        self.progress = text
        self._on_change()

    # Change the view

    def show_view(self, name: ViewName) -> None:
        """Show another view."""
        self.view_name = name
        self.refresh_view()

    def search(self, pattern: str) -> None:
        """Show the rows whose names match, and mark such events and frames."""
        self.pattern = pattern
        self.timeline.search(pattern)
        self.flame.search(pattern)
        if self.analysis is not None and self.is_table:
            self._show_table(self.analysis)

    def sort(self) -> None:
        """Sort by the column under the cursor, then in ascending order, then no more."""
        column, analysis = self.grid.cursor_column, self.analysis
        if column is None or analysis is None or self.table is None:
            return
        name = self.table.name
        sorting_column, is_descending = self._sorts.get(name, ("", True))
        if sorting_column != column:
            self._sorts[name] = column, True
        elif is_descending:
            self._sorts[name] = column, False
        else:
            del self._sorts[name]
        self._show_table(analysis)

    def cycle_grouping(self) -> None:
        """Group operators by name, shape, module or line; stack calls, modules or operators in the flame graph."""
        if self.view_name == "flame":
            self.flame.stack = STACKS[(STACKS.index(self.flame.stack) + 1) % len(STACKS)]
        else:
            self.grouping = GROUPINGS[(GROUPINGS.index(self.grouping) + 1) % len(GROUPINGS)]
        self.refresh_view()

    def cycle_weight(self) -> None:
        """Draw the flame graph by time of the host, or of devices."""
        self.flame.weight = "device" if self.flame.weight == "host" else "host"
        self.refresh_view()

    def show_step(self, step: int) -> None:
        """Show a step by its index, or all; the timeline zooms to it."""
        self.step = step
        self.refresh_view()
        if self.view_name == "timeline" and self.analysis is not None:
            if step == ALL_STEPS:
                self.timeline.action_whole()
            else:
                window = self.analysis.steps.steps[step]
                self.timeline.show_range(window.start, window.end)
