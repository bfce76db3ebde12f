"""The views of one capture: an overview or a summary above a table, the timeline, and the flame graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from textual.containers import Vertical

from tbtui.plugins.profile.flame import STACKS, build_flame
from tbtui.plugins.profile.overview import draw_lines, overview_lines
from tbtui.plugins.profile.pane import strings
from tbtui.plugins.profile.pane.flame_view import FlameView
from tbtui.plugins.profile.pane.requests import TableRequest, build_summary, build_table
from tbtui.plugins.profile.pane.timeline_view import TimelineView
from tbtui.plugins.profile.summary import ALL_STEPS
from tbtui.plugins.profile.tables import GROUPINGS
from tbtui.plugins.profile.trace import Kind
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.data_grid import DataGrid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.app import ComposeResult

    from tbtui.charts.cells import Cells
    from tbtui.plugins.profile.capture import Analysis, CaptureCache, CaptureSource
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
"""Rows that the table keeps below the overview, its head included."""


class OverviewView(CellsView):
    """Shows what is above a table."""

    DEFAULT_CSS = """
    OverviewView { height: 1; width: 1fr; }
    """


class ProfileViews(Vertical):
    """Shows one of the views of a capture.

    Args:
        background: Worker thread that computes what is shown.
        cache: Captures that were read.
        changed: Called on the UI thread when something else is under the cursor, or the progress changed.
        failed: Called on the UI thread with the exception of a computation.
    """

    DEFAULT_CSS = """
    ProfileViews { height: 1fr; width: 1fr; }
    """

    def __init__(
        self,
        background: Worker,
        cache: CaptureCache,
        changed: Callable[[], object],
        failed: Callable[[Exception], None],
    ) -> None:
        super().__init__()
        self._background, self._cache = background, cache
        self._changed, self._failed = changed, failed
        self.view_name: ViewName = "overview"
        self.step = ALL_STEPS
        self.grouping: Grouping = "name"
        self.analysis: Analysis | None = None
        self.progress = ""
        """The computation that the view waits for, with the share that is done; empty if nothing takes long."""

        self.shown_stack: Stack = STACKS[0]
        """Kind of frames that the flame graph shows: that of `flame.stack`, if the capture has it."""

        self.table: ProfileTable | None = None
        self.pattern = ""
        """Regular expression of the names; empty: all."""

        self._sorts: dict[str, tuple[str, bool]] = {}
        """Column that sorts each table, and True if its greatest value comes first."""

        self._ranks: tuple[CaptureSource, ...] = ()
        self._baseline: CaptureSource | None = None
        self._above = OverviewView()
        self.grid = DataGrid(background, wide_names=True)
        self.timeline, self.flame = TimelineView(), FlameView()

    def compose(self) -> ComposeResult:
        """Yield what is above the table, the table, the timeline and the flame graph."""
        yield self._above
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
        if key is None or table is None or not key.isdigit() or int(key) >= len(table.found):
            return None
        return table.found[int(key)]

    # What is shown

    def say(self, headline: str, hint: str = "") -> None:
        """Show a message instead of a capture."""
        self.analysis, self.table = None, None
        self._above.display = self.timeline.display = self.flame.display = False
        self.grid.display = True
        self.grid.say(headline, hint)

    def show(self, analysis: Analysis, ranks: tuple[CaptureSource, ...], baseline: CaptureSource | None) -> None:
        """Show a capture.

        Args:
            analysis: The capture.
            ranks: The captures of the other ranks of its job.
            baseline: The capture that it is compared with.
        """
        self.analysis, self._ranks, self._baseline = analysis, ranks, baseline
        self.show_again()

    def show_again(self) -> None:
        """Show the chosen view of the capture."""
        analysis = self.analysis
        if analysis is None:
            return
        self._show_above()
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
        """Fit what is above the table to the new size; the other views do it themselves."""
        self._show_above()

    def _show_above(self) -> None:
        """Show the overview, or what is above the table of another view."""
        analysis, name = self.analysis, self.view_name
        if analysis is None:
            return
        width, room = max(self.size.width, 10), max(self.size.height - MIN_TABLE_ROWS, 3)
        self._above.display = name == "overview"
        if name == "overview":
            lines = overview_lines(analysis, width, room, self.step)
            self._put_above(draw_lines(lines, width, min(len(lines), room)))
        elif name in SUMMARISED:
            ranks, baseline = self._ranks, self._baseline

            def results() -> Iterator[Cells]:
                yield build_summary(analysis, name, ranks, baseline, self._cache, (width, room))

            def show(cells: Cells) -> None:
                if analysis is self.analysis and name == self.view_name:
                    self._above.display = cells.height > 0
                    self._put_above(cells)

            self._background.ask("summary", results, show, self._failed)

    def _put_above(self, cells: Cells) -> None:
        self._above.styles.height = max(cells.height, 1)
        self._above.clear(cells.height, cells.width)
        self._above.put(0, 0, cells)

    def _show_flame(self, analysis: Analysis) -> None:
        stack, weight, step = self.flame.stack, self.flame.weight, self.step
        if stack != "operators" and not analysis.trace.of_kind(Kind.PYTHON).any():
            stack = "operators" if analysis.operators else "calls"
        key = (analysis.source.identity, stack, weight, step)
        self.shown_stack = stack

        def results() -> Iterator[Flame]:
            yield build_flame(analysis, stack, weight, analysis.within_step(step))

        def show(flame: Flame) -> None:
            if analysis is self.analysis:
                self.flame.show(flame, key)
                self._changed()

        self._background.ask("flame", results, show, self._failed)

    def _show_timeline(self, analysis: Analysis) -> None:
        def results() -> Iterator[TimelineIndex]:
            yield analysis.timeline

        def show(index: TimelineIndex) -> None:
            if analysis is self.analysis:
                self.timeline.show(analysis, index)
                self._set_progress("")

        if self.timeline.analysis is not analysis:
            self._set_progress(strings.ARRANGING.format(len(analysis.trace)))
        self._background.ask("timeline", results, show, self._failed)

    def _show_table(self, analysis: Analysis) -> None:
        name: TableName = "operators" if self.view_name == "overview" else cast("TableName", self.view_name)
        sort = self._sorts.get(name, ("", True))
        request = TableRequest(name, self.step, self.grouping, *sort, self.pattern, self._ranks, self._baseline)

        def results() -> Iterator[float | ProfileTable]:
            yield from build_table(analysis, request, self._cache)

        self._background.ask("table", results, self._take_table, self._failed)

    def _take_table(self, table: float | ProfileTable) -> None:
        if isinstance(table, float):
            self._set_progress(strings.GROUPING.format(table))
            return
        self.table = table
        if table.found:
            self.grid.show(table)
        else:
            self.grid.say(*(strings.NO_MATCH if table.all else strings.NO_ROWS[table.name]))
        self._set_progress("")

    def _set_progress(self, text: str) -> None:
        self.progress = text
        self._changed()

    # What the user changes

    def open(self, name: ViewName) -> None:
        """Show another view."""
        self.view_name = name
        self.show_again()

    def search(self, pattern: str) -> None:
        """Show the rows of which the names match, and mark the events and frames."""
        self.pattern = pattern
        self.timeline.search(pattern)
        self.flame.search(pattern)
        if self.analysis is not None and self.is_table:
            self._show_table(self.analysis)

    def sort(self) -> None:
        """Sort by the column under the cursor, then in reverse, then no more."""
        column, analysis = self.grid.cursor_column, self.analysis
        if column is None or analysis is None or self.table is None:
            return
        name = self.table.name
        before = self._sorts.get(name, ("", True))
        if before[0] != column:
            self._sorts[name] = column, True
        elif before[1]:
            self._sorts[name] = column, False
        else:
            del self._sorts[name]
        self._show_table(analysis)

    def group(self) -> None:
        """Group operators by name, shape, module or line; stack calls, modules or operators in the flame graph."""
        if self.view_name == "flame":
            self.flame.stack = STACKS[(STACKS.index(self.flame.stack) + 1) % len(STACKS)]
        else:
            self.grouping = GROUPINGS[(GROUPINGS.index(self.grouping) + 1) % len(GROUPINGS)]
        self.show_again()

    def choose_weight(self) -> None:
        """Draw the flame graph by time of the host, or of devices."""
        self.flame.weight = "device" if self.flame.weight == "host" else "host"
        self.show_again()

    def choose_step(self, step: int) -> None:
        """Show a step by its index, or all; the timeline zooms to it."""
        self.step = step
        self.show_again()
        if self.view_name == "timeline" and self.analysis is not None:
            if step == ALL_STEPS:
                self.timeline.action_whole()
            else:
                one = self.analysis.steps.steps[step]
                self.timeline.show_range(one.start, one.end)
