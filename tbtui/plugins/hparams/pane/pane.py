"""The pane of the HParams tab: importance, table of sessions, and an opened session."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical

from tbtui.charts.card import SEPARATOR
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.styled_text import pieces_width
from tbtui.charts.text import cell_width, safe
from tbtui.loading.payloads import Payloads
from tbtui.plugins.hparams import transitions
from tbtui.plugins.hparams.grid import NOISE_KEY, CellCache, build_detail_pieces
from tbtui.plugins.hparams.pane.drawing import DrawnView, ParallelView, SliceView
from tbtui.plugins.hparams.pane.source import SessionSource
from tbtui.plugins.hparams.pane.views import MAX_SHARE, OverviewView, SessionPage
from tbtui.plugins.hparams.parallel import find_bright_sessions
from tbtui.plugins.hparams.rows import ENDED, HPARAM, METRIC
from tbtui.plugins.hparams.session_cache import SessionCache
from tbtui.plugins.hparams.settings import SESSIONS
from tbtui.view.terms import are_terms, check_terms, may_be_terms
from tbtui.widgets.column_keys import ColumnKeysMixin, create_column_bindings
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.filter_bar import FilterBar, TermSuggester
from tbtui.widgets.line import Line
from tbtui.widgets.pane import Choose, CopyRequested, Pane

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.app import ComposeResult

    from tbtui.charts.styled_text import Piece
    from tbtui.export.output import SavedFile
    from tbtui.plugins.hparams.session_cache import PreparedSessions
    from tbtui.plugins.hparams.settings import SessionSettings
    from tbtui.settings.column_choice import ColumnChoice
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View

PARTIAL_WAITS = 10
"""While a log is read, the table of its sessions is prepared in at most a tenth of the time."""

LOW, DETAILS_FROM = 16, 13
"""Below `LOW` rows a pane shows either the importance or the table; from `DETAILS_FROM` rows it shows details."""

FILTER_HINTS = (
    "filter sessions: lr>=1e-4 opt=adam status=done",
    "filter sessions: lr>=1e-4 opt=adam",
    "filter sessions: lr>=1e-4",
    "filter: lr>=1e-4",
    "filter",
)
"""Ever shorter texts of the filter bar while it is empty."""

SLICE_HINTS = (
    "dots are sessions, ━ medians of levels, ✗ diverged; space marks two for a heat map, ⏎ opens, c colours",
    "dots are sessions, ━ medians, ✗ diverged; space marks two for a heat map",
    "dots are sessions, ━ medians, ✗ diverged",
    "━ medians, ✗ diverged",
)
"""Ever shorter texts below the slices, after the metric that they show."""

PAIR_HINTS = (
    "boxes: median and number of sessions, the brighter the better; esc goes back to the cards",
    "median and number of sessions; esc goes back",
    "esc goes back",
)
"""Ever shorter texts below the heat map of a pair."""

EMPTY = "no session among these runs", "press o and name the run names as a source, if they hold settings"


def choose_longest(texts: Sequence[str], width: int) -> str:
    """Return the first text that fits into `width` columns, else the last one; texts become shorter."""
    return next((text for text in texts if cell_width(text) <= width), texts[-1])


class HParamsPane(ColumnKeysMixin, Pane):
    """Shows sessions with their hyperparameters and metrics."""

    BINDING_GROUP_TITLE = "HParams"
    shows_less_while_reading = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "open", id="hparams.enter", tooltip="on a name: open it; elsewhere: sort"),
        Binding("m", "next_view", "view", id="hparams.view", tooltip="what matters, table, parallel, slices"),
        Binding("slash", "edit_terms", "filter", id="hparams.filter", tooltip="filter: lr>=1e-4 opt=adam"),
        Binding("t", "next_figure", "figure", id="hparams.figure", tooltip="last, best, least, greatest, …"),
        Binding("R", "toggle_groups", "groups", id="hparams.groups", tooltip="sessions, or groups of seeds"),
        Binding("d", "set_baseline", "baseline", id="hparams.baseline", tooltip="compare with this session"),
        Binding(
            "percent_sign", "toggle_deltas", "values", show=False, id="hparams.deltas", tooltip="values or differences"
        ),
        Binding("o", "options", "columns", id="hparams.options", tooltip="metric, columns, seeds, run names"),
        Binding("e", "goal", "goal", show=False, id="hparams.goal", tooltip="least or greatest is best"),
        Binding("B", "judge", "metric", show=False, id="hparams.metric", tooltip="judge by the metric of this column"),
        Binding("c", "colour_runs", show=False, id="hparams.colour", tooltip="colour runs by this column, everywhere"),
        *create_column_bindings("hparams"),
        Binding("space", "hide", "off", show=False, id="hparams.hide", tooltip="switch this session off"),
        Binding("a", "show_all", "all", show=False, id="hparams.all", tooltip="all sessions on"),
        Binding("s", "alone", "alone", show=False, id="hparams.alone", tooltip="only this session"),
        Binding("y,C", "copy_path", "copy", show=False, id="hparams.copy", tooltip="copy the path of the run"),
        Binding("w", "write", "write", show=False, id="hparams.write", tooltip="write CSV, JSON, Markdown, LaTeX"),
        Binding("i", "about", "about", show=False, id="hparams.about", tooltip="what the numbers mean; files"),
    ]

    DEFAULT_CSS = """
    HParamsPane { padding-left: 1; layout: vertical; }
    HParamsPane > #session-head { dock: top; height: auto; width: 1fr; }
    HParamsPane > SessionPage { display: none; }
    HParamsPane.opened > SessionPage { display: block; }
    """

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads or Payloads())
        self._cache: SessionCache | None = None
        self._cells = CellCache()
        self._grid = DataGrid(self.worker, names=True)
        self._page = SessionPage()
        self._parallel, self._slices = ParallelView(), SliceView()
        self._overview = OverviewView()
        self._suggester = TermSuggester()
        self._bar = FilterBar(*FILTER_HINTS, suggester=self._suggester, appends=True, id="terms")
        self._head = Vertical(self._overview, self._bar, id="session-head")
        self._names, self._numbers = Line(), Line()
        self._source: SessionSource | None = None
        self._presented_at = self._wait_seconds = 0.0

    def compose(self) -> ComposeResult:
        """Yield the table first, since it takes the focus, then the parts above and below it."""
        yield self._grid
        yield self._parallel
        yield self._slices
        yield self._page
        yield self._names
        yield self._numbers
        yield self._head

    @property
    def prepared(self) -> PreparedSessions | None:
        """Content of the tab; None before the first result."""
        return None if self._source is None else self._source.prepared

    @property
    def chosen(self) -> SessionSettings | None:
        """Settings of the tab; None before the first view."""
        return None if self.view is None else SESSIONS.value(self.view.settings)

    # Status and navigation

    def waits_for(self, view: View) -> bool:
        """Return True while the last table is recent: to prepare all of a growing log takes time that loading needs."""
        former_view = self.view
        if former_view is None or self._source is None:
            return False
        is_chosen = view.settings != former_view.settings or view.attributes is not former_view.attributes
        return not is_chosen and time.monotonic() - self._presented_at < self._wait_seconds

    def status(self) -> str:
        prepared = self.prepared
        if prepared is None:
            return ""
        shown = prepared.rows
        selected, total = int(shown.selected.sum()), len(prepared.table)
        count = format_count(total, "session") if selected == total else f"{selected:,} of {total:,}"
        return f"{shown.figure_label} · {count}"

    def key_word(self, action: str) -> str | None:
        if action == "enter":
            return "open" if self._grid.cursor_column is None else "sort"
        return None

    def reveal(self, tag: str) -> None:
        prepared = self.prepared
        if prepared is not None:
            for metric in prepared.table.metrics:
                if metric.tag == tag:
                    self._grid.move_to_column(METRIC + metric.title)
                    return

    # Content of the view

    def prepare(self, view: View) -> Iterator[SessionSource]:
        if self._cache is None:
            self._cache = SessionCache(self.payloads or Payloads())
        began = time.perf_counter()
        # A filter or another figure is answered at once; its shares follow. Those of a log that has grown are computed
        # before it is shown, since to show thousands of sessions takes longer.
        is_partial = self.is_reading
        former = self._source
        is_chosen = former is not None and view.settings != former.prepared.view.settings
        prepared = self._cache.prepare(view, keeps_shares=is_partial or is_chosen)
        source = SessionSource(prepared, self._cells, self._source, is_partial=is_partial)
        self._wait_seconds = (time.perf_counter() - began) * PARTIAL_WAITS
        yield source
        if prepared.has_former_shares and not is_partial:
            yield SessionSource(self._cache.prepare(view), self._cells, source)

    def present(self, prepared: SessionSource) -> None:
        former_status, self._source = self.status(), prepared
        self._presented_at = time.monotonic()
        shown = prepared.prepared
        self._suggester.names = tuple(shown.attributes.columns or ())
        self._show_filter(shown)
        self._arrange()
        if shown.rows.members:
            self._grid.show(prepared)
        elif len(shown.table):
            self._grid.show_message("no session is left", "press / to change the filter, or a to switch sessions on")
        else:
            self._grid.show_message(*EMPTY)
        if self.has_class("opened"):
            self._page.show_session(shown, self._page.session)
        self._show_detail()
        if self.status() != former_status:
            self.refresh_bindings()  # updates the status

    def _show_filter(self, shown: PreparedSessions) -> None:
        selected, total = int(shown.rows.selected.sum()), len(shown.table)
        noun = format_count(total, "session")
        groups = format_count(len(shown.rows.members), "group") if shown.rows.is_grouped else ""
        note = noun if selected == total else f"{selected:,} of {noun}"
        notes = (f"{note} in {groups}", groups) if groups else (note, f"{selected:,} of {total:,}")
        self._bar.show_applied(shown.view.settings.run_filter, *notes)

    def _arrange(self) -> None:
        """Divide the height between the importance, the table and the lines below it."""
        prepared, chosen = self.prepared, self.chosen
        if prepared is None or chosen is None:
            return
        width, height = self.size.width - 1, self.size.height
        if self.has_class("opened"):
            return
        is_low = height < LOW
        view = chosen.view
        is_drawn = view in ("parallel", "slices")
        shows_overview = not is_drawn and (view == "matters") != is_low
        shows_grid = not is_drawn and not (is_low and view == "table")
        had_focus = self._parallel.has_focus or self._slices.has_focus or self._grid.has_focus
        overview_height = int(height * MAX_SHARE) if shows_grid else height - 1
        self._overview.display = shows_overview
        self._overview.can_focus = not shows_grid  # keys need a widget with the focus
        self._grid.display = shows_grid
        self._parallel.display = view == "parallel"
        self._slices.display = view == "slices"
        if shows_overview:
            self._overview.show_overview(prepared, width, max(overview_height, 1))
        self._names.display = self._numbers.display = (shows_grid or is_drawn) and height >= DETAILS_FROM
        drawn_view = self._parallel if view == "parallel" else self._slices if view == "slices" else None
        if drawn_view is not None:
            drawn_view.show_sessions(prepared)
        if had_focus:
            (drawn_view or self._grid).focus(scroll_visible=False)

    def show_message(self, headline: str, hint: str = "") -> None:
        self._grid.show_message(headline, hint)

    def on_resize(self) -> None:
        """Arrange the parts in the new size."""
        self._arrange()
        self._show_detail()

    # The session under the cursor

    @property
    def _session(self) -> str | None:
        """The session under the cursor, or the opened one; None on the line of the noise."""
        if self.has_class("opened"):
            return self._page.session
        if self._parallel.display:
            return self._parallel.state.session or None
        if self._slices.display:
            return None
        row = self._grid.cursor_row
        return None if row == NOISE_KEY else row

    def _list_members(self, name: str) -> tuple[str, ...]:
        """Return the runs of a session or group."""
        prepared = self.prepared
        row = None if prepared is None else prepared.rows.row_of.get(name)
        if prepared is None or row is None:
            return ()
        sessions = (prepared.table.sessions[index] for index in prepared.rows.members[row])
        return tuple(run for session in sessions for run in session.members)

    def _show_detail(self) -> None:
        prepared, session = self.prepared, self._session
        lines = [] if prepared is None or session is None else build_detail_pieces(prepared, session)
        if prepared is not None and self._parallel.display:
            lines = [self._build_parallel_line(prepared, lines[0] if lines else []), *lines[1:]]
        elif prepared is not None and self._slices.display:
            metric = f"{safe(prepared.rows.metric.title)} upwards: " if prepared.rows.metric else ""
            is_pair = len(prepared.rows.chosen.pair) == 2
            hints = PAIR_HINTS if is_pair else [metric + hint for hint in SLICE_HINTS]
            lines = [[(choose_longest(hints, self.size.width - 1), Ink.DIM)]]
        for line, pieces in zip((self._names, self._numbers), [*lines, [], []], strict=False):
            line.show(pieces)

    def _build_parallel_line(self, prepared: PreparedSessions, session: Sequence[Piece]) -> list[Piece]:
        """Return the line about the cursor, the bright sessions and the axes in sight, as far as it fits."""
        _, bright = find_bright_sessions(prepared)
        colour, title = prepared.rows.chosen.colour[2:], self._parallel.title()
        parts = (f"bright: {bright}", f"colour {safe(colour)}" if colour else "", title)
        shorter = SEPARATOR.join(filter(None, (f"bright: {bright}", title)))
        last = (title,) if self._parallel.state.mark else (bright, bright.removesuffix(" sessions"))
        texts = (SEPARATOR.join(filter(None, parts)), shorter, *last)
        gap, width = "   " if session else "", self.size.width - 1
        for prefix in (session, session[:1]):
            available_width = width - pieces_width(prefix) - len(gap)
            text = choose_longest(texts[:2] if prefix is session else texts, available_width)
            if cell_width(text) <= available_width:
                break
        return [*prefix, (gap + text, Ink.DIM)]

    def on_drawn_view_moved(self, message: DrawnView.Moved) -> None:
        """Show details of the session under the cursor."""
        message.stop()
        self._show_detail()

    def on_drawn_view_opened(self, message: DrawnView.Opened) -> None:
        """Open the session under the cursor."""
        message.stop()
        if (session := self._session) is not None:
            self.open_session(session)

    def on_data_grid_moved(self, message: DataGrid.Moved) -> None:
        """Show details of another session."""
        message.stop()
        self._show_detail()
        self.refresh_bindings()

    def on_data_grid_head_chosen(self, message: DataGrid.HeadChosen) -> None:
        """Sort by the column whose title was clicked."""
        message.stop()
        self.action_enter()

    # The filter

    def action_edit_terms(self) -> None:
        """Edit the filter."""
        self._bar.edit()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """Apply a draft of terms, or a pattern of run names; a word that may become a term waits."""
        event.stop()
        prepared = self.prepared
        if prepared is None:
            return
        text = event.pattern
        if self._is_begun(text):
            event.bar.accept()
            return
        if text and (are_terms(text, prepared.attributes) or may_be_terms(text)):
            error = check_terms(text, prepared.attributes)
            if error is not None:
                event.bar.complain(error)
                return
        event.bar.accept()
        self.post_message(Choose(run_filter=text.strip()))

    def _is_begun(self, text: str) -> bool:
        """Return True if the last word is the beginning of the name of an attribute."""
        word = text.rpartition(" ")[2].removeprefix("-")
        return bool(word) and any(name.startswith(word) for name in self._suggester.names)

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Go back to the table."""
        event.stop()
        text = self._bar.draft.strip()
        if self._bar.error is None and self.view is not None and text != self.view.settings.run_filter:
            self.post_message(Choose(run_filter=text))
        shown = (widget for widget in (self._parallel, self._slices, self._grid) if widget.display)
        next(shown, self._overview).focus()

    # Keys

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        chosen = self.chosen
        return action != "toggle_deltas" or (chosen is not None and bool(chosen.baseline))

    def _choose(self, change: Callable[[Settings], Settings]) -> None:
        self.post_message(Choose(change))

    def action_enter(self) -> None:
        """Open the session under the cursor, or sort by the column under the cursor."""
        key, prepared, session = self._grid.cursor_column, self.prepared, self._session
        if prepared is None:
            return
        if key is not None:
            self._choose(transitions.sort_by(key, prepared.table))
        elif session is not None:
            self.open_session(session)

    def open_session(self, session: str) -> None:
        """Show one session instead of the table."""
        prepared = self.prepared
        if prepared is not None:
            self.add_class("opened")
            for widget in (self._grid, self._parallel, self._slices, self._head, self._names, self._numbers):
                widget.display = False
            self._page.show_session(prepared, session)
            self._page.focus()

    def on_session_page_closed(self, message: SessionPage.Closed) -> None:
        """Go back to the table, with the cursor on the session."""
        message.stop()
        self.remove_class("opened")
        self._head.display = True
        self._arrange()
        self._grid.move_to_row(self._page.session)
        (self._parallel if self._parallel.display else self._grid).focus()

    def on_session_page_turned(self, message: SessionPage.Turned) -> None:
        """Open the next session of the table."""
        message.stop()
        prepared = self.prepared
        names = () if prepared is None else prepared.rows.shown_names
        if prepared is not None and self._page.session in names:
            index = names.index(self._page.session) + message.offset
            self._page.show_session(prepared, names[index % len(names)])

    def action_next_view(self) -> None:
        """Show the next view."""
        self._choose(transitions.cycle_view)

    def action_next_figure(self) -> None:
        """Show another point of each curve."""
        self._choose(transitions.cycle_figure)

    def action_toggle_groups(self) -> None:
        """Show one row per session, or per group."""
        self._choose(transitions.toggle_groups)

    def action_set_baseline(self) -> None:
        """Compare with the session under the cursor; the second time, with none."""
        if (session := self._session) is not None:
            self._choose(transitions.set_baseline(session))

    def action_toggle_deltas(self) -> None:
        """Show differences, or values in spite of a baseline."""
        self._choose(transitions.toggle_deltas)

    @property
    def _metric_key(self) -> str | None:
        """Key of the metric under the cursor, else of the main one."""
        key, prepared = self._grid.cursor_column, self.prepared
        if key is not None and key.startswith(METRIC):
            return key
        metric = None if prepared is None else prepared.rows.metric
        return None if metric is None else METRIC + metric.title

    def action_goal(self) -> None:
        """Switch the better end of the metric."""
        if (key := self._metric_key) is not None and self.prepared is not None:
            self._choose(transitions.toggle_goal(key, self.prepared.table))

    def action_judge(self) -> None:
        """Judge sessions by the metric under the cursor."""
        if (key := self._metric_key) is not None:
            self._choose(transitions.create_judge_transition(key))

    def action_colour_runs(self) -> None:
        """Colour the runs of all tabs by the column or axis under the cursor; the second time not."""
        key: str | None = self._grid.cursor_column or self._metric_key
        if self._parallel.display:
            key = None if self._parallel.axis is None else self._parallel.axis.key
        elif self._slices.display:
            name = self._slices.name_under_cursor
            key = None if name is None else f"{HPARAM}{name}"
        if key is not None and key != ENDED:
            self._choose(transitions.colour_runs(key[len(METRIC) :]))

    def column_under_cursor(self) -> str | None:
        return self._grid.cursor_column

    def columns_shown(self) -> Sequence[str]:
        return () if self.prepared is None else self.prepared.rows.keys

    def columns_aside(self) -> Sequence[str]:
        return () if self.prepared is None else self.prepared.rows.keys_aside

    def change_columns(self, change: Callable[[ColumnChoice], ColumnChoice]) -> None:
        self._choose(transitions.change_columns(change))

    def action_hide(self) -> None:
        """Switch the session under the cursor off, everywhere."""
        if (session := self._session) is not None and self.view is not None:
            self._choose(transitions.hide_runs(self._list_members(session), self.view))

    def action_show_all(self) -> None:
        """Switch all sessions on."""
        self._choose(transitions.show_all)

    def action_alone(self) -> None:
        """Show the session under the cursor alone, everywhere; the second time all."""
        if (session := self._session) is not None and self.view is not None:
            self._choose(transitions.show_only(self._list_members(session), self.view))

    def action_copy_path(self) -> None:
        """Copy the path of the run of the session."""
        if (session := self._session) is not None:
            self.post_message(CopyRequested(session))

    def action_options(self) -> None:
        """Open the form of metric, figure, seeds and columns."""
        from tbtui.plugins.hparams.pane.forms import apply_table, build_table_fields
        from tbtui.widgets.form import FormScreen

        prepared = self.prepared
        if prepared is None:
            return

        def apply(entered: dict[str, object] | None) -> None:
            if entered is not None:
                self._choose(apply_table(entered))

        self.app.push_screen(FormScreen("table of sessions", build_table_fields(prepared), live=apply), apply)

    def action_write(self) -> None:
        """Open the form that writes the shown table to a file."""
        from tbtui.plugins.hparams.pane.forms import TableWriter, build_writer_fields
        from tbtui.widgets.form import FormScreen

        prepared = self.prepared
        if prepared is None:
            return
        writer = TableWriter(prepared.rows)
        title = f"write {format_count(len(prepared.rows.members), 'session')} as shown"

        def report(saved: SavedFile | None) -> None:
            if saved is not None:
                self.notify(
                    f"{format_count(saved.rows, 'row')} in {safe(str(saved.path))}", title="written", markup=False
                )

        self.app.push_screen(FormScreen(title, build_writer_fields(), writer, slow=True, cancel=writer.stop), report)

    def action_about(self) -> None:
        """Open the page that explains the numbers."""
        from tbtui.plugins.hparams.pane.forms import format_about_lines
        from tbtui.widgets.text_page import open_text_page

        prepared, session = self.prepared, self._session
        if prepared is not None:
            open_text_page(self.app, self.worker, "what matters", lambda: format_about_lines(prepared, session))
