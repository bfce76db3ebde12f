"""One card in full size, with a table below: keys and mouse move the cursor, select a run, zoom and turn the page."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write
from tbtui.settings.chart_navigation import (
    fit_chart,
    has_selection,
    move_cursor,
    move_focus,
    toggle_selection,
    zoom_to_selection,
)
from tbtui.settings.settings import Settings
from tbtui.widgets.card_frames import OpenedCardCache, PlottedChart, WaitingActions
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.pane import AboutRunRequested, Choose
from tbtui.widgets.plot_view import PlotMouse, Pointed
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS, ScrollState
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual import events
    from textual.timer import Timer
    from textual.widget import Widget

    from tbtui.view.changes import RunSwitch
    from tbtui.view.painted_cards import OpenedCard, OpenPainter
    from tbtui.widgets.worker import Worker


NO_ROWS = Cells.blank(0, 0)


class TableRows:
    """Scrolls the rows below a chart; scrolls to the selected run when it is selected and when its row moves."""

    def __init__(self) -> None:
        self.selected: str | None = None
        """The run whose rows are marked; it may have none."""

        self.runs: tuple[str, ...] = ()
        """The run of each row."""

        self._cells = NO_ROWS
        self._room = 0
        self._scroll = ScrollState()
        self._brought: tuple[str, int] | None = None

    def show(self, cells: Cells, runs: tuple[str, ...], room: int) -> None:
        """Show other rows, or the same rows.

        Args:
            cells: One row per run.
            runs: The run of each row.
            room: Rows of the screen; if these are too few, one of them counts the rows out of sight.
        """
        self._cells, self.runs, self._room = cells, runs, max(room, 0)
        self._bring_into_sight()

    def select(self, run: str | None) -> None:
        """Mark the rows of a run."""
        self.selected = run
        self._bring_into_sight()

    def forget(self) -> None:
        """Remove all rows and scroll to the top."""
        self._cells, self.runs, self._scroll, self._brought = NO_ROWS, (), ScrollState(), None

    @property
    def in_sight(self) -> int:
        """Return the number of rows that fit."""
        return self._room if self._cells.height <= self._room else max(0, self._room - 1)

    def scroll(self, rows: int) -> None:
        """Scroll by this number of rows."""
        self._scroll = self._scroll.with_top(self._scroll.first + rows)

    def run_at(self, y: int) -> str | None:
        """Return the run of a row of the screen; None without one."""
        index = self._scroll.index_at(y) if y < self.in_sight else None
        return self.runs[index] if index is not None and index < len(self.runs) else None

    def marked(self) -> Iterator[int]:
        """Yield the rows of the screen that belong to the selected run."""
        return (y for y in range(self.in_sight) if self.selected is not None and self.run_at(y) == self.selected)

    def draw(self, width: int) -> Cells:
        """Return the cells of the rows in sight, and the count of the others."""
        cells = Cells.blank(self._room, width)
        first = self._scroll.first
        end = min(first + self.in_sight, self._cells.height)
        columns = min(width, self._cells.width)
        cells.glyphs[: end - first, :columns] = self._cells.glyphs[first:end, :columns]
        cells.inks[: end - first, :columns] = self._cells.inks[first:end, :columns]
        if self._cells.height > self._room > 0:
            write(cells, self._room - 1, 2, f"⋯ {first + 1}–{end} of {self._cells.height}, ↑ ↓ for the others", Ink.DIM)
        return cells

    def _bring_into_sight(self) -> None:
        scroll = replace(self._scroll, count=self._cells.height, height=self.in_sight)
        self._scroll = scroll.with_top(scroll.first)
        if self.selected is None or self.selected not in self.runs:
            self._brought = None
            return
        index = self.runs.index(self.selected)
        if self._brought != (self.selected, index):
            self._brought = self.selected, index
            self._scroll = replace(self._scroll, cursor=index).with_visible_cursor()


class ChartClosed(Message):
    """The user went back to the grid."""


class ChartTurned(Message):
    """The user asked for a neighbouring chart."""

    def __init__(self, cards: int) -> None:
        super().__init__()
        self.cards = cards
        """Number of cards further on; negative goes back."""


class RunSwitched(Message):
    """The user asked to switch the run that is selected in the table."""

    def __init__(self, what: RunSwitch, runs: tuple[str, ...]) -> None:
        super().__init__()
        self.what = what
        """Switch the run off, solo or baseline; a second request takes it back."""

        self.runs = runs
        """The run of each row of the table."""


class ChartView(CellsView, can_focus=True):
    """Shows one card in full size, and below it as many rows of its table as fit.

    Args:
        worker: Computes the picture.
    """

    DEFAULT_CSS = """
    ChartView { padding-right: 1; }
    """

    BINDING_GROUP_TITLE = "Opened chart"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "cursor(-1)", "cursor", id="chart.left", tooltip="cursor left"),
        Binding("right,l", "cursor(1)", "cursor", id="chart.right", tooltip="cursor right"),
        Binding("home", "cursor_end(-1)", show=False, id="chart.first_stop", tooltip="cursor first"),
        Binding("end", "cursor_end(1)", show=False, id="chart.last_stop", tooltip="cursor last"),
        Binding("enter", "zoom_stretch", "zoom in", id="chart.zoom_stretch", tooltip="zoom into the range"),
        Binding("v", "stretch", "range", id="chart.stretch", tooltip="select a range"),
        Binding("escape", "back", "back", id="chart.close", tooltip="back"),
        Binding("up,k", "select(-1)", "run above", show=False, id="chart.up"),
        Binding("down,j", "select(1)", "run below", show=False, id="chart.down"),
        Binding(PAGE_UP_KEYS, "page_table(-1)", "page up", show=False, id="chart.page_up"),
        Binding(PAGE_DOWN_KEYS, "page_table(1)", "page down", show=False, id="chart.page_down"),
        Binding("g", "scroll_table(-1000000000)", "first", show=False, id="chart.first"),
        Binding("G", "scroll_table(1000000000)", "last", show=False, id="chart.last"),
        Binding("space", "switch('off')", "run hide", show=False, id="chart.off", tooltip="run hide"),
        Binding("s", "switch('solo')", "solo", show=False, id="chart.solo", tooltip="run solo"),
        Binding("d", "switch('baseline')", "baseline", show=False, id="chart.base", tooltip="run baseline"),
        Binding("i", "about_run", show=False, id="chart.about_run", tooltip="about the selected run"),
        Binding("n", "turn(1)", "next", id="chart.next", tooltip="chart next"),
        Binding("N", "turn(-1)", "previous", show=False, id="chart.previous", tooltip="chart previous"),
    ]

    def __init__(self, worker: Worker, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.mouse: PlotMouse = PlotMouse(self, self)
        self.moved: Callable[..., Settings] = move_cursor
        """Transition for the cursor keys."""

        self._worker = worker
        self._painter: OpenPainter | None = None
        self._key: str | None = None
        self._settings = Settings()
        self._opened: OpenedCard | None = None
        self._opened_last = OpenedCardCache()
        self._waiting = WaitingActions()
        self._generation = 0
        self._table = TableRows()
        self._sign = Spinner(self, self._show_working, self._draw)

    @property
    def key(self) -> str | None:
        """Return the key of the card; None without any."""
        return self._key

    @property
    def plotted(self) -> PlottedChart | None:
        """Return the chart on the screen; None while there is none."""
        opened = self._opened
        if opened is None:
            return None
        return PlottedChart.of_card(opened.key, opened.plot, opened.stops, opened.value_stops)

    def show(self, painter: OpenPainter, key: str, settings: Settings) -> None:
        """Show card `key`, or the same card with other content."""
        if key != self._key:
            self._key = key
            self._waiting.clear()
            self._discard_picture()
            self._table.forget()
        had_stretch = has_selection(self._settings)
        self._painter, self._settings = painter, settings
        self._table.select(settings.focus)
        self._draw_table()
        if had_stretch != has_selection(settings):
            self.refresh_bindings()
        self._ask()

    def forget(self) -> None:
        """Show nothing."""
        self._key = self._painter = None
        self._waiting.clear()
        self._discard_picture()
        self.clear(0, 0)  # no part of it is visible when another card opens

    def _discard_picture(self) -> None:
        """Discard the picture, even if the next one looks the same."""
        self._opened = None
        self._generation += 1

    def _ask(self) -> None:
        painter, key, size = self._painter, self._key, self.size
        if painter is None or key is None or not size:
            return
        generation, cache = self._generation, self._opened_last

        def work() -> Iterator[OpenedCard | None]:
            yield from cache.open(painter, key, size.width, size.height, generation)
            yield None

        self._sign.begin()
        self._worker.ask("opened", work, self._take, self._fail)

    def _take(self, opened: OpenedCard | None) -> None:
        """Draw a result unless it is of another card or size; None follows the last result."""
        if opened is None:
            self._sign.end()
        elif opened.key == self._key and opened.picture.width == self.size.width:
            self._opened = opened
            self._draw()
            for act in self._waiting.take(opened.key):
                # In the context of this widget: Textual ends the way of a message at the pump that it was posted from.
                self.call_next(act)

    def _fail(self, error: Exception) -> None:
        raise error

    def _show_working(self) -> None:
        """Draw the spinner at the right end of the title."""
        if self._opened is None:
            self.clear(self.size.height, self.size.width)
        sign = draw_spinner(self.size.width)
        self.put(0, self.size.width - sign.width, sign)

    @property
    def runs(self) -> tuple[str, ...]:
        """Return the run of each row of the table."""
        return self._table.runs

    # Drawing

    def _draw(self) -> None:
        opened = self._opened
        if opened is None:
            return
        size = (self.size.height, self.size.width)
        if self._cells.glyphs.shape != size:
            self.clear(*size)
        self._table.show(opened.rows, opened.runs, self.size.height - opened.picture.height - 1)
        self.put(0, 0, self._picture_of(opened))
        self.put(opened.picture.height, 0, opened.header)
        self._draw_table()

    def _picture_of(self, opened: OpenedCard) -> Cells:
        """Return the cells above the table."""
        return opened.picture

    def _draw_table(self) -> None:
        if self._opened is not None:
            top = self._opened.picture.height + 1
            self.put(top, 0, self._table.draw(self.size.width))
            self.mark_rows(top + y for y in self._table.marked())

    def on_resize(self) -> None:
        """Draw for the new size."""
        self._discard_picture()
        self._ask()

    # Cursor and selected range

    @property
    def has_waiting(self) -> bool:
        """True while keys wait for a card to be drawn."""
        return bool(self._waiting)

    def when_drawn(self, act: Callable[[], object]) -> None:
        """Call `act` now, or once the card is drawn: a key may come before the picture of an opened card."""
        if self._opened is None and self._key is not None:
            self._waiting.add(self._key, act)
        else:
            act()

    def with_plot(self, act: Callable[[PlottedChart], object]) -> None:
        """Call `act` with the chart now, or once it is drawn; do nothing for a card without a chart."""

        def act_on_chart() -> None:
            if (chart := self.plotted) is not None:
                act(chart)

        self.when_drawn(act_on_chart)

    def _change_by_stops(self, change: Callable[..., Settings]) -> None:
        self.with_plot(lambda chart: self.post_message(Choose(partial(change, stops=chart.stops))))

    def action_cursor(self, stops: int) -> None:
        """Move the cursor by this number of stops."""
        self._change_by_stops(partial(self.moved, count=stops))

    def action_cursor_end(self, side: int) -> None:
        """Move the cursor to the first stop (-1) or the last (1)."""
        self.action_cursor(side * 1_000_000_000)

    def action_stretch(self) -> None:
        """Begin to select a range at the cursor, or cancel it."""
        self._change_by_stops(toggle_selection)

    def action_zoom_stretch(self) -> None:
        """Zoom into the selected range."""
        self.with_plot(
            lambda chart: self.post_message(Choose(partial(zoom_to_selection, key=chart.key, plot=chart.plot)))
        )

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Offer the zoom only while a range is selected, and the page of a run only while a run is."""
        if action == "about_run":
            return self._settings.focus is not None and self._settings.focus in self._table.runs
        return action != "zoom_stretch" or has_selection(self._settings)

    def action_back(self) -> None:
        """Remove the topmost layer: the box being dragged, the selected range, the cursor, the chart itself."""
        if self.mouse.drop_box():
            return
        self._waiting.clear()  # they came before, and would act after it
        # The layer is removed here at once, so that a second escape removes the next one.
        if self._settings.mark is not None:
            self._settings = replace(self._settings, mark=None)
            self.post_message(Choose(mark=None))
            self.refresh_bindings()
        elif self._settings.cursor is not None:
            self._settings = replace(self._settings, cursor=None)
            self.post_message(Choose(cursor=None))
        else:
            self.post_message(ChartClosed())

    # Runs

    def action_select(self, runs: int) -> None:
        """Select the run this number of rows further down; scroll a table whose rows are not runs."""

        def select() -> None:
            if self._table.runs:
                self.post_message(Choose(partial(move_focus, runs=self._table.runs, count=runs)))
            else:
                self.action_scroll_table(runs)

        self.when_drawn(select)

    def action_switch(self, what: RunSwitch) -> None:
        """Ask to switch the selected run."""
        self.when_drawn(lambda: self.post_message(RunSwitched(what, self._table.runs)))

    def action_about_run(self) -> None:
        """Request the page of the run that is selected in the table."""
        if self._settings.focus is not None:
            self.post_message(AboutRunRequested(self._settings.focus))

    def action_scroll_table(self, rows: int) -> None:
        """Scroll the table."""

        def scroll() -> None:
            self._table.scroll(rows)
            self._draw_table()

        self.when_drawn(scroll)

    def action_page_table(self, pages: int) -> None:
        """Scroll the table by the rows in sight."""
        self.when_drawn(lambda: self.action_scroll_table(pages * max(1, self._table.in_sight)))

    # Other charts

    def action_turn(self, cards: int) -> None:
        """Show a neighbouring chart."""
        self.post_message(ChartTurned(cards))

    # Mouse

    def pointed(self, column: int, row: int) -> Pointed | None:
        """Return the cell of the chart at a cell of the widget."""
        chart = self.plotted
        return None if chart is None else Pointed(chart, column, row)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the mouse and select the run of the nearest line; a double click shows the whole chart."""
        if self.mouse.ends_drag(event):
            return
        event.stop()
        pointed, offset = self.mouse.find_pointed_cell(event), event.get_content_offset(self)
        if pointed is not None and event.chain > 1:
            is_plane = pointed.plot.zoom_centre is not None
            self.post_message(Choose(partial(fit_chart, key=pointed.chart.key, plane=is_plane)))
        elif pointed is not None:
            self.put_cursor(pointed)
            self._pick(pointed)
        elif offset is not None and self._opened is not None:
            self._take_pick(self._table.run_at(offset.y - self._opened.picture.height - 1))

    def _pick(self, pointed: Pointed) -> None:
        painter, opened = self._painter, self._opened
        if painter is not None and opened is not None:
            self._worker.ask(
                "pick",
                lambda: iter([painter.pick(opened, pointed.column, pointed.row)]),
                self._take_pick,
                self._ignore_pick_error,
            )

    def _ignore_pick_error(self, error: Exception) -> None:
        """Ignore that the clicked line is gone by now."""
        if not isinstance(error, LookupError):
            raise error

    def _take_pick(self, run: str | None) -> None:
        if run is not None:
            # With the pane as sender, Textual would not pass the message on to the pane.
            self.post_message(Choose(focus=run).set_sender(self))

    def put_cursor(self, pointed: Pointed) -> None:
        """Ask for the cursor at a cell of the chart."""
        self.mouse.post_cursor(pointed)

    def wheel_zooms(self, _event: events.MouseEvent) -> bool:
        """Zoom with the wheel."""
        return True

    def scroll_by_wheel(self, notches: int) -> None:
        """Scroll the table."""
        self.action_scroll_table(notches)


WORKING = " working …"


SPINNER_DELAY_SECONDS = 0.3
"""Delay until the sign appears: shorter work needs none."""


class Spinner:
    """Decides when a widget shows the sign. Belongs to the UI thread.

    Args:
        widget: The widget; its timer ends with it.
        show: Called once when work has taken `SPINNER_DELAY_SECONDS`.
        hide: Called when the work ends after that.
    """

    def __init__(self, widget: Widget, show: Callable[[], None], hide: Callable[[], None]) -> None:
        self._widget, self._show, self._hide = widget, show, hide
        self._timer: Timer | None = None
        self.is_shown = False

    def begin(self) -> None:
        """Start the delay unless work was going on already."""
        if self._timer is None and not self.is_shown:
            self._timer = start_timer(self._widget, SPINNER_DELAY_SECONDS, self._on_time)

    def end(self) -> None:
        """End the work."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.is_shown:
            self.is_shown = False
            self._hide()

    def _on_time(self) -> None:
        self._timer = None
        self.is_shown = True
        self._show()


def draw_spinner(width: int) -> Cells:
    """Return the sign in one row of at most `width` columns."""
    cells = Cells.blank(1, min(len(WORKING), max(width, 0)))
    write(cells, 0, 0, WORKING[: cells.width], Ink.DIM)
    return cells
