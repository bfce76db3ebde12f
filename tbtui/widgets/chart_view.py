"""One chart in full size: keys and mouse move the cursor, select a run, zoom, and lead to the next chart or back."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.viewstate.cursor import cursor_moved, focus_moved, has_stretch, stretch_begun
from tbtui.viewstate.looking import fitted, stretch_zoomed
from tbtui.widgets.opened_picture import OpenedPicture
from tbtui.widgets.pane import Choose
from tbtui.widgets.plot_picture import Pointed

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events

    from tbtui.viewstate.changes import Switch
    from tbtui.viewstate.choices import Choices
    from tbtui.widgets.background import Background


class ChartClosed(Message):
    """The user went back to the grid."""


class ChartTurned(Message):
    """The user asked for a neighbouring chart."""

    def __init__(self, cards: int) -> None:
        super().__init__()
        self.cards = cards
        """How many cards further on; negative goes back."""


class RunSwitched(Message):
    """The user asked something of the run that is selected in the table."""

    def __init__(self, what: Switch, runs: tuple[str, ...]) -> None:
        super().__init__()
        self.what = what
        """Off, alone (or no longer), or what others are compared with (or no longer)."""

        self.runs = runs
        """The run of each row of the table."""


class ChartView(OpenedPicture, can_focus=True):
    """One card in full size as the user works on it.

    Args:
        background: Computes the picture.
    """

    BINDING_GROUP_TITLE = "Opened chart"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "cursor(-1)", "cursor", id="chart.left", tooltip="cursor left"),
        Binding("right,l", "cursor(1)", "cursor", id="chart.right", tooltip="cursor right"),
        Binding("home", "cursor_end(-1)", show=False, id="chart.first_stop", tooltip="cursor first"),
        Binding("end", "cursor_end(1)", show=False, id="chart.last_stop", tooltip="cursor last"),
        Binding("enter", "zoom_stretch", "zoom in", id="chart.zoom_stretch", tooltip="zoom into the stretch"),
        Binding("v", "stretch", "stretch", id="chart.stretch", tooltip="stretch from the cursor on"),
        Binding("escape", "back", "back", id="chart.close", tooltip="back by one layer"),
        Binding("up,k", "select(-1)", "run above", show=False, id="chart.up"),
        Binding("down,j", "select(1)", "run below", show=False, id="chart.down"),
        Binding("pageup", "page_table(-1)", "page back", show=False, id="chart.page_up"),
        Binding("pagedown", "page_table(1)", "page on", show=False, id="chart.page_down"),
        Binding("g", "scroll_table(-1000000000)", "first", show=False, id="chart.first"),
        Binding("G", "scroll_table(1000000000)", "last", show=False, id="chart.last"),
        Binding("space", "switch('off')", "run off", show=False, id="chart.off", tooltip="run off"),
        Binding("s", "switch('solo')", "solo", show=False, id="chart.solo", tooltip="run alone"),
        Binding("d", "switch('baseline')", "baseline", show=False, id="chart.base", tooltip="run baseline"),
        Binding("n", "turn(1)", "next", id="chart.next", tooltip="chart after"),
        Binding("N", "turn(-1)", "previous", show=False, id="chart.previous", tooltip="chart before"),
    ]

    def __init__(self, background: Background, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(background, id=id)
        self.moved: Callable[..., Choices] = cursor_moved
        """How the cursor is moved along stops."""

    # Cursor and stretch

    def _change_by_stops(self, change: Callable[..., Choices]) -> None:
        if (chart := self.plotted) is not None:
            self.post_message(Choose(partial(change, stops=chart.stops)))

    def action_cursor(self, stops: int) -> None:
        """Move the cursor so many stops on."""
        self._change_by_stops(partial(self.moved, count=stops))

    def action_cursor_end(self, side: int) -> None:
        """Move the cursor to the first stop (-1) or the last (1)."""
        self.action_cursor(side * 1_000_000_000)

    def action_stretch(self) -> None:
        """Begin to select a stretch at the cursor, or give it up."""
        self._change_by_stops(stretch_begun)

    def action_zoom_stretch(self) -> None:
        """Show the stretch alone."""
        if (chart := self.plotted) is not None:
            self.post_message(Choose(partial(stretch_zoomed, key=chart.key, plot=chart.plot)))

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not offered."""
        return action != "zoom_stretch" or has_stretch(self._choices)

    def action_back(self) -> None:
        """Take the topmost layer away: the box being dragged, the stretch, the cursor, the chart itself."""
        if self.drop_box():
            return
        # What is taken away is gone from here at once, so that a second escape takes the next layer.
        if self._choices.mark is not None:
            self._choices = replace(self._choices, mark=None)
            self.post_message(Choose(mark=None))
            self.refresh_bindings()
        elif self._choices.cursor is not None:
            self._choices = replace(self._choices, cursor=None)
            self.post_message(Choose(cursor=None))
        else:
            self.post_message(ChartClosed())

    # Runs

    def action_select(self, runs: int) -> None:
        """Select the run so many further down the table; scroll one whose rows are no runs."""
        if not self._table.runs:
            self.action_scroll_table(runs)
            return
        self.post_message(Choose(partial(focus_moved, runs=self._table.runs, count=runs)))

    def action_switch(self, what: Switch) -> None:
        """Ask something of the selected run."""
        self.post_message(RunSwitched(what, self._table.runs))

    def action_scroll_table(self, rows: int) -> None:
        """Scroll the table."""
        self._table.scroll(rows)
        self._draw_table()

    def action_page_table(self, pages: int) -> None:
        """Scroll the table by what is in sight."""
        self.action_scroll_table(pages * max(1, self._table.in_sight))

    # Other charts

    def action_turn(self, cards: int) -> None:
        """Show a neighbouring chart."""
        self.post_message(ChartTurned(cards))

    # Mouse

    def pointed(self, column: int, row: int) -> Pointed | None:
        """The cell of the chart in a cell of the widget."""
        chart = self.plotted
        return None if chart is None else Pointed(chart, column, row)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where it was clicked and select the nearest line's run; twice: show the whole chart."""
        if self.ends_drag(event):
            return
        event.stop()
        pointed, offset = self.pointed_by(event), event.get_content_offset(self)
        if pointed is not None and event.chain > 1:
            is_plane = pointed.plot.about is not None
            self.post_message(Choose(partial(fitted, key=pointed.chart.key, plane=is_plane)))
        elif pointed is not None:
            self.put_cursor(pointed)
            self._pick(pointed)
        elif offset is not None and self._opened is not None:
            self._take_pick(self._table.run_at(offset.y - self._opened.picture.height - 1))

    def _pick(self, pointed: Pointed) -> None:
        painter, opened = self._painter, self._opened
        if painter is not None and opened is not None:
            self._background.ask(
                "pick",
                lambda: iter([painter.pick(opened, pointed.column, pointed.row)]),
                self._take_pick,
                self._no_pick,
            )

    def _no_pick(self, error: Exception) -> None:
        """What was clicked may be gone by the time that it is looked for."""
        if not isinstance(error, LookupError):
            raise error

    def _take_pick(self, run: str | None) -> None:
        if run is not None:
            # Handed on by the pane it would count as sent by it, and what a parent has sent is not passed on to it.
            self.post_message(Choose(focus=run).set_sender(self))

    def scroll_by_wheel(self, notches: int) -> None:
        """Beside the chart the wheel scrolls the table."""
        self.action_scroll_table(notches)
