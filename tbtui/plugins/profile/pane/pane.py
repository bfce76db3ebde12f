"""The pane of the Profile tab: it reads the chosen capture and shows one of its views."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, cast

from tbtui.charts.text import safe
from tbtui.frozen import frozen
from tbtui.plugins.profile.capture import CaptureCache, CaptureError, capture_sources
from tbtui.plugins.profile.flame import STACKS, build_flame
from tbtui.plugins.profile.overview import draw_lines, overview_lines
from tbtui.plugins.profile.pane import strings
from tbtui.plugins.profile.pane.chooser import CaptureChooser
from tbtui.plugins.profile.pane.detail_pages import detail_lines, open_details
from tbtui.plugins.profile.pane.flame_view import FlameView
from tbtui.plugins.profile.pane.keymap import KEYMAP, VIEW_OPTIONS
from tbtui.plugins.profile.pane.requests import TableRequest, build_summary, build_table, title_pieces
from tbtui.plugins.profile.pane.timeline_view import TimelineView
from tbtui.plugins.profile.summary import ALL_STEPS, about_lines
from tbtui.plugins.profile.tables import GROUPINGS
from tbtui.plugins.profile.trace import MEMORY_TIMELINE, Kind
from tbtui.settings.filters import cached_filter
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line
from tbtui.widgets.pane import CopyRequested, Pane
from tbtui.widgets.text_page import open_text_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tbtui.charts.cells import Cells
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.profile.capture import Analysis, CaptureSource
    from tbtui.plugins.profile.flame import Flame, Stack
    from tbtui.plugins.profile.pane.tables import AnyRow, ProfileTable, TableName
    from tbtui.plugins.profile.tables import Grouping
    from tbtui.plugins.profile.timeline import TimelineIndex
    from tbtui.view.view import View

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

MAX_RANKS = 32
"""Ranks that are read for one table."""

MIN_TABLE_ROWS = 8
"""Rows that the table keeps below the overview, its head included."""


@frozen(eq=False)
class SourceList:
    """The captures of a view."""

    sources: tuple[CaptureSource, ...]
    inks: Mapping[str, int]
    is_filtered: bool
    """True if a filter hides all captures."""


class OverviewView(CellsView):
    """Shows the lines of the overview."""

    DEFAULT_CSS = """
    OverviewView { height: 1; width: 1fr; }
    """


class ProfilePane(Pane):
    """Shows one capture: the overview above the operators, or one table."""

    UNUSED = frozenset({"next_x_axis", "next_y_scale", "smooth"})
    BINDING_GROUP_TITLE = "Profile"
    BINDINGS: ClassVar[list[BindingType]] = KEYMAP

    DEFAULT_CSS = """
    ProfilePane { padding-left: 1; }
    ProfilePane > FilterBar { display: none; }
    """

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.cache = CaptureCache()
        self.listed: SourceList | None = None
        self.analysis: Analysis | None = None
        self.view_name: ViewName = "overview"
        self.step = ALL_STEPS
        self.grouping: Grouping = "name"
        self.baseline: CaptureSource | None = None
        self._wanted = ""
        """Key of the capture that the user chose; empty: the first."""

        self._asked: CaptureSource | None = None
        """The capture that was requested last."""

        self.shown_stack: Stack = STACKS[0]
        """What the flame graph stacks, if the capture has what `flame.stack` asks for."""

        self._sorts: dict[str, tuple[str, bool]] = {}
        self._pattern = ""
        self._table: ProfileTable | None = None
        self._title = Line()
        self._overview = OverviewView()
        self._grid = DataGrid(self.background)
        self.timeline, self.flame = TimelineView(), FlameView()
        self._names, self._numbers = Line(), Line()
        self._filter = FilterBar(strings.FIND)

    def compose(self) -> ComposeResult:
        """Yield the title, the overview, the table, two lines about its row, and the filter."""
        yield self._title
        yield self._overview
        yield self._grid
        yield self.timeline
        yield self.flame
        yield self._names
        yield self._numbers
        yield self._filter

    # What the app asks for

    def prepare(self, view: View) -> Iterator[SourceList]:
        every = [source for run in view.runs for source in capture_sources(run)]
        sources = tuple(source for source in every if view.tag_matches(source.tag))
        yield SourceList(sources, view.inks, bool(every) and not sources)

    def present(self, prepared: SourceList) -> None:
        self.listed = prepared
        source = self.source
        if source is None:
            self._asked = self.analysis = None
            self.say(*(strings.ALL_FILTERED if prepared.is_filtered else strings.NO_CAPTURE))
        elif self._asked is None or source.identity != self._asked.identity:
            self._read(source)
        else:
            self._show_title()

    def say(self, headline: str, hint: str = "") -> None:
        self._overview.display = self.timeline.display = self.flame.display = False
        self._grid.display = True
        self._grid.say(headline, hint)
        self._names.show(())
        self._numbers.show(())
        self._show_title()

    def reveal(self, tag: str) -> None:
        """Show the first capture of a session or worker."""
        if self.listed is not None:
            for source in self.listed.sources:
                if source.tag == tag:
                    self._choose(source)
                    break
        self.view_widget.focus()

    def status(self) -> str:
        analysis = self.analysis
        if analysis is None:
            return ""
        if analysis.steps.source == "whole":
            return "whole profile"
        if self.step == ALL_STEPS:
            count = len(analysis.steps.steps)
            return f"all {count} steps" if count > 1 else "1 step"
        return f"step {analysis.steps.steps[self.step].number}"

    # The capture

    @property
    def source(self) -> CaptureSource | None:
        """The capture that shows; None if there is none."""
        if self.listed is None or not self.listed.sources:
            return None
        chosen = (source for source in self.listed.sources if source.key == self._wanted)
        return next(chosen, self.listed.sources[0])

    def _choose(self, source: CaptureSource) -> None:
        self._wanted = source.key
        if self._asked is None or source.identity != self._asked.identity:
            self._read(source)

    def _read(self, source: CaptureSource) -> None:
        is_same = self._asked is not None and self._asked.key == source.key
        self._asked = source
        if not is_same:
            self.analysis, self.step = None, ALL_STEPS
            if self.cache.find(source) is None:
                self.say(*strings.READING)

        def results() -> Iterator[Analysis | None]:
            for analysis in self.cache.read(source):
                if analysis is not None:
                    _compute(analysis)
                yield analysis

        self.background.ask("capture", results, partial(self._take, source), partial(self._fail, source))

    def _take(self, source: CaptureSource, analysis: Analysis | None) -> None:
        if analysis is None or source is not self._asked:
            return
        self.analysis = analysis
        if self.step >= len(analysis.steps.steps):
            self.step = ALL_STEPS
        if analysis.trace.writer == MEMORY_TIMELINE and self.view_name == "overview":
            self.view_name = "memory"
        self._show()

    def _fail(self, source: CaptureSource, error: Exception) -> None:
        if source is self._asked:
            self.analysis = None
            reason = str(error) if isinstance(error, CaptureError) else f"{type(error).__name__}: {error}"
            self.say(strings.UNREADABLE, safe(reason))

    # What shows

    def _show(self) -> None:
        """Show the chosen view of the capture."""
        analysis = self.analysis
        self._show_title()
        if analysis is None:
            return
        is_overview = self.view_name == "overview"
        self._overview.display = is_overview
        if is_overview:
            self._show_overview(analysis)
        elif self.view_name in SUMMARISED:
            self._show_summary(analysis)
        had_focus = self._grid.has_focus or self.timeline.has_focus or self.flame.has_focus
        self.timeline.display, self.flame.display = self.view_name == "timeline", self.view_name == "flame"
        self._grid.display = self.is_table
        if self.timeline.display:
            self._show_timeline(analysis)
        elif self.flame.display:
            self._show_flame(analysis)
        else:
            self._show_table(analysis)
        if had_focus:
            self.view_widget.focus(scroll_visible=False)
        self.refresh_bindings()

    @property
    def is_table(self) -> bool:
        """True if the view is a table, or has one below it."""
        return self.view_name not in {"timeline", "flame"}

    @property
    def view_widget(self) -> DataGrid | TimelineView | FlameView:
        """The widget of the view that shows, which takes the keys."""
        if self.analysis is None or self.is_table:
            return self._grid
        return self.timeline if self.view_name == "timeline" else self.flame

    def _show_summary(self, analysis: Analysis) -> None:
        """Show what stands above a table of memory, communication or a comparison."""
        name, width, room = self.view_name, max(self.size.width - 1, 10), self._overview_room
        ranks, baseline = self._rank_sources(), self.baseline

        def results() -> Iterator[Cells]:
            yield build_summary(analysis, name, ranks, baseline, self.cache, (width, room))

        def show(cells: Cells) -> None:
            if analysis is self.analysis and name == self.view_name:
                self._overview.display = cells.height > 0
                self._overview.styles.height = max(cells.height, 1)
                self._overview.clear(cells.height, width)
                self._overview.put(0, 0, cells)

        self.background.ask("summary", results, show, self.say_error)

    def _rank_sources(self) -> tuple[CaptureSource, ...]:
        """Return the captures of the other workers of the same run, at the same position."""
        source = self.source
        if self.listed is None or source is None:
            return ()
        return tuple(
            each
            for each in self.listed.sources
            if each.run == source.run and each.number == source.number and each.worker != source.worker
        )[: MAX_RANKS - 1]

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
                self._show_details()

        self.background.ask("flame", results, show, self.say_error)

    def _show_timeline(self, analysis: Analysis) -> None:
        def results() -> Iterator[TimelineIndex]:
            yield analysis.timeline

        def show(index: TimelineIndex) -> None:
            if analysis is self.analysis:
                self.timeline.show(analysis, index)
                self._show_details()

        self.background.ask("timeline", results, show, self.say_error)

    def _show_overview(self, analysis: Analysis) -> None:
        width, room = self.size.width - 1, self._overview_room
        lines = overview_lines(analysis, max(width, 10), room, self.step)
        height = min(len(lines), room)
        self._overview.styles.height = height
        self._overview.clear(height, max(width, 10))
        self._overview.put(0, 0, draw_lines(lines, max(width, 10), height))

    @property
    def _overview_room(self) -> int:
        return max(self.size.height - 1 - MIN_TABLE_ROWS - 2 * self._has_details, 3)

    @property
    def _has_details(self) -> bool:
        return self.size.height >= 16

    def _show_table(self, analysis: Analysis) -> None:
        name: TableName = "operators"
        if self.view_name not in {"overview", "timeline", "flame"}:
            name = cast("TableName", self.view_name)
        ranks, baseline = self._rank_sources(), self.baseline
        request = TableRequest(
            name, self.step, self.grouping, *self._sorts.get(name, ("", True)), self._pattern, ranks, baseline
        )

        def results() -> Iterator[ProfileTable]:
            yield build_table(analysis, request, self.cache)

        self.background.ask("table", results, self._take_table, self.say_error)

    def _take_table(self, table: ProfileTable) -> None:
        self._table = table
        if table.found:
            self._grid.show(table)
        else:
            self._grid.say(*(strings.NO_MATCH if table.all else strings.NO_ROWS[table.name]))
        if self._filter.display:
            self._filter.show_applied(self._pattern, f"{len(table.found):,} of {table.all:,}")
        self._show_details()

    def _show_title(self) -> None:
        source = self.source
        if source is None:
            self._title.show(())
            return
        width = max(self.size.width - 1, 10)
        sources = () if self.listed is None else self.listed.sources
        ink = 0 if self.listed is None else self.listed.inks.get(source.run, 0)
        self._title.show(title_pieces(source, sources, ink, self.analysis, self.step, width))

    @property
    def row(self) -> AnyRow | None:
        """The row under the cursor of the table; None without one."""
        key, table = self._grid.cursor_row, self._table
        if key is None or table is None or not key.isdigit() or int(key) >= len(table.found):
            return None
        return table.found[int(key)]

    def _show_details(self) -> None:
        names, numbers = detail_lines(self)
        self._names.show(names)
        self._numbers.show(numbers)

    # Events

    def on_flame_view_moved(self, message: FlameView.Moved) -> None:
        """Show details of another frame."""
        message.stop()
        self._show_details()

    def on_data_grid_moved(self, message: DataGrid.Moved) -> None:
        """Show details of another row."""
        message.stop()
        self._show_details()

    def on_data_grid_head_chosen(self, message: DataGrid.HeadChosen) -> None:
        """Sort by the column whose title was clicked."""
        message.stop()
        self.action_sort()

    def on_resize(self) -> None:
        """Fit everything to the new size."""
        self._names.display = self._numbers.display = self._has_details
        if self.analysis is not None:
            self._show()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """Apply the pattern while it is typed."""
        event.stop()
        names = [] if self.analysis is None else self.analysis.trace.names
        if error := cached_filter(event.pattern).check(names):
            event.bar.complain(error)
            return
        self._pattern = event.pattern
        event.bar.accept()
        self.timeline.search(self._pattern)
        self.flame.search(self._pattern)
        self._show_details()
        if self.analysis is not None and self.is_table:
            self._show_table(self.analysis)

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Return to the table."""
        event.stop()
        self._filter.display = bool(self._pattern)
        self.view_widget.focus(scroll_visible=False)
        if self._pattern and self.view_name == "timeline":
            self.timeline.action_match(1)
        elif self._pattern and self.view_name == "flame":
            self.flame.action_match(1)

    def on_timeline_view_moved(self, message: TimelineView.Moved) -> None:
        """Show details of another event."""
        message.stop()
        self._show_details()

    # Keys

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        if action in {"details", "find"}:
            return self.analysis is not None
        if action == "sort":
            return self.analysis is not None and self.is_table
        if action == "next_weight":
            return self.view_name == "flame" and self.analysis is not None and bool(self.analysis.devices)
        if action == "next_grouping":
            return self.analysis is not None and self.view_name in {"overview", "operators", "flame"}
        if action == "step":
            return self.analysis is not None and self.analysis.steps.source != "whole"
        if action in {"choose", "next"}:
            return self.listed is not None and len(self.listed.sources) > 1
        return True

    def show_view(self, name: ViewName) -> None:
        """Show another view."""
        self.view_name = name
        self._show()

    def action_choose_view(self) -> None:
        """Open the list of views."""
        from tbtui.widgets.choice_list import open_choice_list

        open_choice_list(self.app, "view of the profile", VIEW_OPTIONS, self.view_name, "m", self.show_view)

    def action_details(self) -> None:
        """Open a page about what is under the cursor, or zoom into a frame."""
        open_details(self)

    def action_sort(self) -> None:
        """Sort by the column under the cursor, then in reverse, then no more."""
        column, analysis = self._grid.cursor_column, self.analysis
        if column is None or analysis is None or self._table is None:
            return
        name = self._table.name
        before = self._sorts.get(name, ("", True))
        if before[0] != column:
            self._sorts[name] = column, True
        elif before[1]:
            self._sorts[name] = column, False
        else:
            del self._sorts[name]
        self._show_table(analysis)

    def action_next_grouping(self) -> None:
        """Group operators by name, shape or module; stack calls, modules or operators in the flame graph."""
        if self.analysis is None:
            return
        if self.view_name == "flame":
            self.flame.stack = STACKS[(STACKS.index(self.flame.stack) + 1) % len(STACKS)]
        else:
            self.grouping = GROUPINGS[(GROUPINGS.index(self.grouping) + 1) % len(GROUPINGS)]
        self._show()

    def action_next_weight(self) -> None:
        """Draw the flame graph by time of the host, or of devices."""
        self.flame.weight = "device" if self.flame.weight == "host" else "host"
        self._show()

    def action_find(self) -> None:
        """Filter the rows by their names."""
        self._filter.display = True
        self._filter.edit()

    def action_step(self, steps: int) -> None:
        """Show another step, or all."""
        if self.analysis is not None and self.analysis.steps.source != "whole":
            count = len(self.analysis.steps.steps)
            self.step = (self.step + 1 + steps) % (count + 1) - 1
            self._show()
            if self.view_name == "timeline":
                if self.step == ALL_STEPS:
                    self.timeline.action_whole()
                else:
                    one = self.analysis.steps.steps[self.step]
                    self.timeline.show_range(one.start, one.end)

    def action_compare(self) -> None:
        """Choose another capture, and compare this one with it."""
        if self.listed is None or self.source is None:
            return
        others = tuple(source for source in self.listed.sources if source.key != self.source.key)
        if not others:
            self.notify(strings.NO_OTHER)
            return

        def show(index: int | None) -> None:
            if index is not None:
                self.baseline = others[index]
                self.show_view("comparison")

        self.app.push_screen(CaptureChooser(others, self.listed.inks, 0, strings.CHOOSE_BASELINE), show)

    def action_choose(self) -> None:
        """Choose a capture from a list."""
        if self.listed is None or self.source is None:
            return
        sources = self.listed.sources

        def show(index: int | None) -> None:
            if index is not None:
                self._choose(sources[index])

        self.app.push_screen(CaptureChooser(sources, self.listed.inks, sources.index(self.source)), show)

    def action_next(self, captures: int) -> None:
        """Show the next capture, or the one before."""
        if self.listed is not None and self.source is not None:
            sources = self.listed.sources
            self._choose(sources[(sources.index(self.source) + captures) % len(sources)])

    def action_about(self) -> None:
        """Open a page about the capture."""
        if self.analysis is not None:
            title = f"about {self.analysis.source.title}"
            open_text_page(self.app, self.background, title, partial(about_lines, self.analysis))

    def action_copy_path(self) -> None:
        """Copy the path of the run."""
        if self.source is not None:
            self.post_message(CopyRequested(self.source.run))

    def action_back(self) -> None:
        """Clear the filter, or return to the overview."""
        if self._pattern:
            self._pattern = ""
            self._filter.display = False
            self.timeline.search("")
            self.flame.search("")
            self._show_details()
            if self.analysis is not None and self.is_table:
                self._show_table(self.analysis)
        elif self.view_name == "timeline" and self.timeline.span is not None:
            self.timeline.action_mark()
        elif self.step != ALL_STEPS:
            self.step = ALL_STEPS
            self._show()
        elif self.view_name != "overview":
            self.show_view("overview")


def _compute(analysis: Analysis) -> None:
    """Compute what the first view shows, on the worker thread."""
    for part in ("advice", "operators", "breakdown", "devices", "kernels"):
        getattr(analysis, part)
