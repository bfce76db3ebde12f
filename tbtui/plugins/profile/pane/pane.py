"""The pane of the Profile tab: it reads the chosen capture and shows one of its views."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from tbtui.charts.text import safe
from tbtui.plugins.profile.capture import CaptureCache, CaptureError, list_capture_sources
from tbtui.plugins.profile.pane import strings
from tbtui.plugins.profile.pane.capture_list import CaptureSelection, SourceList, open_capture_list
from tbtui.plugins.profile.pane.keymap import KEYMAP, VIEW_OPTIONS
from tbtui.plugins.profile.pane.requests import build_title
from tbtui.plugins.profile.pane.views import ProfileViews
from tbtui.plugins.profile.summary import ALL_STEPS, describe_capture
from tbtui.plugins.profile.trace import MEMORY_TIMELINE
from tbtui.settings.filters import get_filter
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line
from tbtui.widgets.pane import CopyRequested, Pane
from tbtui.widgets.text_page import open_text_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.profile.capture import Analysis, CaptureSource
    from tbtui.plugins.profile.pane.flame_view import FlameView
    from tbtui.plugins.profile.pane.timeline_view import TimelineView
    from tbtui.plugins.profile.pane.views import ViewName
    from tbtui.view.view import View
    from tbtui.widgets.data_grid import DataGrid

MIN_DETAILS_HEIGHT = 16
"""Rows from which two lines about the item under the cursor are shown."""


class ProfilePane(Pane):
    """Shows one capture: the overview above the operators, or another view."""

    BINDING_GROUP_TITLE = "Profile"
    BINDINGS: ClassVar[list[BindingType]] = KEYMAP

    DEFAULT_CSS = """
    ProfilePane { padding-left: 1; }
    ProfilePane > FilterBar { display: none; }
    """

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.cache = CaptureCache()
        self.selection = CaptureSelection()
        self.views = ProfileViews(self.worker, self.cache, self._show_details, self.show_error)
        self._requested: CaptureSource | None = None
        """The capture that was requested last."""

        self._title = Line()
        self._names, self._numbers = Line(), Line()
        self._filter = FilterBar(strings.FIND)

    def compose(self) -> ComposeResult:
        """Yield the title, the views, two lines about the item under the cursor, and the filter."""
        yield self._title
        yield self.views
        yield self._names
        yield self._numbers
        yield self._filter

    @property
    def analysis(self) -> Analysis | None:
        """The capture that is shown; None while it is read."""
        return self.views.analysis

    # Requests of the app

    def prepare(self, view: View) -> Iterator[SourceList]:
        unfiltered = [source for run in view.runs for source in list_capture_sources(run)]
        sources = tuple(source for source in unfiltered if view.tag_matches(source.tag))
        yield SourceList(sources, view.inks, bool(unfiltered) and not sources)

    def present(self, prepared: SourceList) -> None:
        self.selection.listed = prepared
        source = self.selection.source
        if source is None:
            self._requested = None
            self.show_message(*(strings.ALL_FILTERED if prepared.is_filtered else strings.NO_CAPTURE))
        elif self._requested is None or source.identity != self._requested.identity:
            self._read(source)
        else:
            self._show_title()

    def show_message(self, headline: str, hint: str = "") -> None:
        self.views.show_message(headline, hint)
        self._names.show(())
        self._numbers.show(())
        self._show_title()

    def reveal(self, tag: str) -> None:
        """Show the first capture of a session or worker."""
        for source in self.selection.listed.sources:
            if source.tag == tag:
                self._choose(source)
                break
        self.views.focus_widget.focus()

    def status(self) -> str:
        analysis, step = self.analysis, self.views.step
        if analysis is None:
            return ""
        if analysis.steps.source == "whole":
            return "whole profile"
        if step == ALL_STEPS:
            count = len(analysis.steps.steps)
            return f"all {count} steps" if count > 1 else "1 step"
        return f"step {analysis.steps.steps[step].number}"

    # The capture

    def _choose(self, source: CaptureSource) -> None:
        self.selection.choose(source)
        if self._requested is None or source.identity != self._requested.identity:
            self._read(source)

    def _read(self, source: CaptureSource) -> None:
        is_same = self._requested is not None and self._requested.key == source.key
        self._requested = source
        if not is_same:
            self.views.step = ALL_STEPS
            if self.cache.find(source) is None:
                self.show_message(*strings.READING)

        def results() -> Iterator[Analysis | None]:
            for analysis in self.cache.read(source):
                if analysis is not None:
                    _compute(analysis)
                yield analysis

        self.worker.ask("capture", results, partial(self._show_analysis, source), partial(self._show_failure, source))

    def _show_analysis(self, source: CaptureSource, analysis: Analysis | None) -> None:
        if analysis is None or source is not self._requested:
            return
        if self.views.step >= len(analysis.steps.steps):
            self.views.step = ALL_STEPS
        if analysis.trace.writer == MEMORY_TIMELINE and self.views.view_name == "overview":
            self.views.view_name = "memory"
        self.views.show(analysis, self.selection.ranks, self.selection.baseline)
        self._show_title()
        self.refresh_bindings()

    def _show_failure(self, source: CaptureSource, error: Exception) -> None:
        if source is self._requested:
            reason = str(error) if isinstance(error, CaptureError) else f"{type(error).__name__}: {error}"
            self.show_message(strings.UNREADABLE, safe(reason))

    # Title and details

    def _show_title(self) -> None:
        source, listed = self.selection.source, self.selection.listed
        if source is None:
            self._title.show(())
            return
        width = max(self.size.width - 1, 10)
        ink = listed.inks.get(source.run, 0)
        views = self.views
        self._title.show(
            build_title(source, listed.sources, ink, self.analysis, views.step, width, progress=views.progress)
        )

    def _show_details(self) -> None:
        """Show details of the item under the cursor, and the title with the progress."""
        detail = self.views.detail
        self._names.show(detail.name)
        self._numbers.show(detail.numbers)
        if self._filter.display and self.views.is_table and (table := self.views.table) is not None:
            self._filter.show_applied(self.views.pattern, f"{len(table.matching_rows):,} of {table.row_count:,}")
        self._show_title()

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
        self.views.sort()

    def on_timeline_view_moved(self, message: TimelineView.Moved) -> None:
        """Show details of another event."""
        message.stop()
        self._show_details()

    def on_resize(self) -> None:
        """Draw the title and the details in the new size."""
        self._names.display = self._numbers.display = self.size.height >= MIN_DETAILS_HEIGHT
        self._show_title()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """Apply the pattern while it is typed."""
        event.stop()
        names = [] if self.analysis is None else self.analysis.trace.names
        if error := get_filter(event.pattern).check(names):
            event.bar.complain(error)
            return
        event.bar.accept()
        self.views.search(event.pattern)
        self._show_details()

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Return to the view."""
        event.stop()
        pattern, views = self.views.pattern, self.views
        self._filter.display = bool(pattern)
        views.focus_widget.focus(scroll_visible=False)
        if pattern and views.view_name == "timeline":
            views.timeline.action_match(1)
        elif pattern and views.view_name == "flame":
            views.flame.action_match(1)

    # Keys

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        analysis, name = self.analysis, self.views.view_name
        if action in {"choose", "next"}:
            return len(self.selection.listed.sources) > 1
        if action in {"details", "find"}:
            return analysis is not None
        if action == "sort":
            return analysis is not None and self.views.is_table
        if action == "next_weight":
            return name == "flame" and analysis is not None and bool(analysis.devices)
        if action == "next_grouping":
            return analysis is not None and name in {"overview", "operators", "flame"}
        if action == "step":
            return analysis is not None and analysis.steps.source != "whole"
        return True

    def show_view(self, name: ViewName) -> None:
        """Show another view."""
        self.views.show_view(name)
        self._show_details()
        self.refresh_bindings()

    def action_choose_view(self) -> None:
        """Open the list of views."""
        from tbtui.widgets.chooser import open_view_chooser

        title, name = "view of the profile", self.views.view_name
        open_view_chooser(self.app, title, VIEW_OPTIONS, name, "m", self.show_view)

    def action_details(self) -> None:
        """Open a page about the item under the cursor, or zoom into a frame."""
        self.views.open_details()

    def action_sort(self) -> None:
        """Sort by the column under the cursor, then in ascending order, then no more."""
        self.views.sort()

    def action_next_grouping(self) -> None:
        """Group operators by name, shape, module or line; stack calls, modules or operators in the flame graph."""
        self.views.cycle_grouping()

    def action_next_weight(self) -> None:
        """Draw the flame graph by time of the host, or of devices."""
        self.views.cycle_weight()

    def action_find(self) -> None:
        """Filter the rows by their names."""
        self._filter.display = True
        self._filter.edit()

    def action_step(self, steps: int) -> None:
        """Show another step, or all."""
        if self.analysis is not None and self.analysis.steps.source != "whole":
            count = len(self.analysis.steps.steps)
            self._show_step((self.views.step + 1 + steps) % (count + 1) - 1)

    def _show_step(self, step: int) -> None:
        self.views.show_step(step)
        self._show_title()
        self.refresh_bindings()

    def action_compare(self) -> None:
        """Choose another capture, and compare this one with it."""
        others = self.selection.others
        if self.analysis is None:
            return
        if not others:
            self.notify(strings.NO_OTHER)
            return

        def show(index: int) -> None:
            if self.analysis is not None:
                self.selection.baseline = others[index]
                self.views.view_name = "comparison"
                self.views.show(self.analysis, self.selection.ranks, self.selection.baseline)
                self.refresh_bindings()

        open_capture_list(self.app, strings.CHOOSE_BASELINE, others, self.selection.listed.inks, 0, "d", show)

    def action_choose(self) -> None:
        """Choose a capture from a list."""
        listed = self.selection.listed

        def show(index: int) -> None:
            self._choose(listed.sources[index])

        if listed.sources:
            open_capture_list(self.app, strings.CHOOSE, listed.sources, listed.inks, self.selection.index, "I", show)

    def action_next(self, captures: int) -> None:
        """Show the next capture, or the one before."""
        self.selection.choose_next(captures)
        if (source := self.selection.source) is not None:
            self._choose(source)

    def action_about(self) -> None:
        """Open a page about the capture."""
        if self.analysis is not None:
            title = f"about {self.analysis.source.title}"
            open_text_page(self.app, self.worker, title, partial(describe_capture, self.analysis))

    def action_copy_path(self) -> None:
        """Copy the path of the run."""
        if (source := self.selection.source) is not None:
            self.post_message(CopyRequested(source.run))

    def action_back(self) -> None:
        """Clear the filter, or return to the overview."""
        views = self.views
        if views.pattern:
            self._filter.display = False
            views.search("")
            self._show_details()
        elif views.view_name == "timeline" and views.timeline.span is not None:
            views.timeline.action_mark()
        elif views.step != ALL_STEPS:
            self._show_step(ALL_STEPS)
        elif views.view_name != "overview":
            self.show_view("overview")


def _compute(analysis: Analysis) -> None:
    """Compute the parts that the first view shows, on the worker thread."""
    for part in ("advice", "operators", "breakdown", "devices", "kernels"):
        getattr(analysis, part)
