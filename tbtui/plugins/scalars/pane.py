"""The pane of the Scalars tab: a grid of charts, and one of them in full size."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.plugins.scalars import changes
from tbtui.plugins.scalars.data import ScalarData
from tbtui.plugins.scalars.drawing import Drawing
from tbtui.plugins.scalars.form_keys import FormKeys
from tbtui.plugins.scalars.groups import groups_of
from tbtui.plugins.scalars.painter import ScalarsPainter
from tbtui.plugins.scalars.words import settings
from tbtui.viewstate.choices import WHOLE
from tbtui.widgets.background import Background
from tbtui.widgets.card_grid import CardGrid, CardOpened
from tbtui.widgets.chart_view import ChartClosed, ChartTurned, ChartView, RunSwitched
from tbtui.widgets.notice import FOLDED, READING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.app import ComposeResult

    from tbtui.plugins.scalars.cards import Cards
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View
    from tbtui.widgets.frames import Plotted


class ScalarsPane(FormKeys):
    """One card a tag, or for several that are joined; enter shows one in full size."""

    DEFAULT_CSS = """
    ScalarsPane ChartView { display: none; }
    ScalarsPane.opened ChartView { display: block; }
    ScalarsPane.opened CardGrid { display: none; }
    """

    BINDING_GROUP_TITLE = "Charts"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "next_own_y_scale", "y scale", id="scalars.y_scale", tooltip="y scale of this chart"),
        Binding("X", "next_x_scale", show=False, id="scalars.x_scale", tooltip="x scale of all"),
        Binding("O", "next_outliers", show=False, id="scalars.outliers", tooltip="outliers"),
        Binding("m", "switch_extremes", show=False, id="scalars.extremes", tooltip="min, max, best"),
        Binding("u", "switch_superseded", show=False, id="scalars.superseded", tooltip="superseded points"),
        Binding("t", "next_row_order", show=False, id="scalars.row_order", tooltip="order of rows"),
        Binding("p", "pin", show=False, id="scalars.pin", tooltip="pin to the top"),
        Binding("less_than_sign", "columns(-1)", show=False, id="scalars.fewer", tooltip="cards a row fewer"),
        Binding("greater_than_sign", "columns(1)", show=False, id="scalars.more", tooltip="cards a row more"),
    ]

    class Computed(Message):
        """Results of the background thread wait."""

        def can_replace(self, message: Message) -> bool:
            """One look finds all results that wait."""
            return isinstance(message, ScalarsPane.Computed)

    def __init__(self) -> None:
        super().__init__()
        self._data = ScalarData()
        self._drawing = Drawing()
        self._background = Background(lambda: self.post_message(self.Computed()))
        self._grid = CardGrid(self._background)
        self._opened = ChartView(self._background)
        self._view: View | None = None
        self._shown: tuple[View, Cards, ScalarsPainter] | None = None

    def compose(self) -> ComposeResult:
        """The grid; over it the opened chart."""
        yield self._grid
        yield self._opened

    def on_mount(self) -> None:
        """Show what there is to show already, or say that there is more to come."""
        if self._view is None:
            self._grid.say(READING)
        else:
            self.show(self._view)

    def on_unmount(self) -> None:
        """End the thread."""
        self._background.close()

    async def idle(self) -> None:
        """Wait until everything that was to be shown is shown."""
        await self._background.idle()

    # What the app asks for

    def show(self, view: View) -> None:
        """Draw `view`."""
        was_zoomed, self._view = self.zoomed, view
        if self.zoomed != was_zoomed:
            self.refresh_bindings()
        if self.is_attached:
            self._background.ask("cards", lambda: self._cards_of(view), self._show_cards, self._say_error)

    def status(self) -> str:
        """How the charts are drawn."""
        view = self._view
        return "" if view is None else settings(view.choices, self._opened.key, [run.name for run in view.runs])

    def reveal(self, tag: str) -> None:
        """Focus the first card that shows `tag`; when a chart is open in full size, open that one instead."""
        if self._shown is not None:
            key = self._shown[1].key_of(tag)
            self._grid.focus_card(key)
            if self._opened.key is not None and self._grid.focused_key == key:
                self._open(key)

    # What the view shows

    def _cards_of(self, view: View) -> Iterator[tuple[View, Cards, ScalarsPainter]]:
        cards = self._data.cards(view)
        yield view, cards, ScalarsPainter(self._data, self._drawing, view, cards)

    def _show_cards(self, shown: tuple[View, Cards, ScalarsPainter]) -> None:
        self._shown = view, cards, painter = shown
        if self._opened.key is not None:
            self._opened.show(painter, self._opened.key, view.choices)
        if cards.keys:
            self._grid.show(painter, cards.keys, view.choices.columns, view.choices.pinned)
        else:
            self._grid.say(*FOLDED)

    def _say_error(self, error: Exception) -> None:
        self._grid.say("the charts cannot be listed", f"{type(error).__name__}: {error}")

    def on_scalars_pane_computed(self) -> None:
        """Show what the thread has computed."""
        self._background.drain()

    # The opened chart

    def on_card_opened(self, message: CardOpened) -> None:
        """Show a card in full size."""
        message.stop()
        self._open(message.key)

    def on_chart_turned(self, message: ChartTurned) -> None:
        """Show a neighbour in full size; the grid will stand there too."""
        message.stop()
        self._grid.action_move(message.cards)
        if self._grid.focused_key is not None:
            self._open(self._grid.focused_key)

    def on_chart_closed(self, message: ChartClosed) -> None:
        """Back to the grid."""
        message.stop()
        self._close()

    def on_run_switched(self, message: RunSwitched) -> None:
        """Switch the selected run of the table, or the runs that are averaged in that row."""
        message.stop()
        if self._view is not None:
            groups = groups_of([run.name for run in self._view.runs], self._view.choices)
            self.change(
                partial(
                    changes.run_switched,
                    what=message.what,
                    rows=message.runs,
                    groups={group.name: group.runs for group in groups},
                    known=tuple(self._view.snapshot.runs),
                )
            )

    def _open(self, key: str) -> None:
        if self._shown is not None:
            view, _, painter = self._shown
            self.add_class("opened")
            self._opened.show(painter, key, view.choices)
            self._opened.focus()

    def _close(self) -> None:
        self._opened.forget()
        self.remove_class("opened")
        self._grid.focus()

    # What the keys are about

    @property
    def chart_key(self) -> str | None:
        """The card that is open, or focused."""
        return self._opened.key or self._grid.focused_key

    @property
    def zoomed(self) -> bool:
        """Whether that card's axes were set by hand, or those of all."""
        key, view = self.chart_key, self._view
        if key is None or view is None:
            return False
        return view.choices.x_range_of(key) != WHOLE or view.choices.chart(key).y_range != WHOLE

    def aim(self) -> Plotted | None:
        """The chart that is open, or that of the focused card, which comes into sight."""
        if self._opened.key is not None:
            return self._opened.plotted
        focused = self._grid.focused_key
        if focused is not None and focused not in self._grid.keys_in_sight:
            self._grid.focus_card(focused)
        return self._grid.plotted

    @property
    def shown(self) -> tuple[View, Cards] | None:
        """What is on the screen."""
        return None if self._shown is None else self._shown[:2]

    def expect(self, key: str) -> None:
        """A card is about to come of others: it is shown in the grid."""
        self._grid.action_unmark()
        self._grid.expect_card(key)
        if self._opened.key is not None:
            self._close()

    def tell(self, title: str, lines: Callable[[], Sequence[str]]) -> None:
        """Show a page once its lines are put together."""
        from tbtui.widgets.info import InfoScreen

        def show(told: Sequence[str]) -> None:
            self.app.push_screen(InfoScreen(title, told))

        self._background.ask("about", lambda: iter([lines()]), show, self._say_error)

    # Keys

    def _change_of_chart(self, change: Callable[..., Choices]) -> None:
        if self.chart_key is not None:
            self.change(partial(change, key=self.chart_key))

    def action_next_own_y_scale(self) -> None:
        """Another y scale for the chart."""
        self._change_of_chart(changes.next_y_scale)

    def action_pin(self) -> None:
        """Have the card stand before all others, or no longer."""
        self._change_of_chart(changes.pinned_switched)

    def action_next_x_scale(self) -> None:
        """Another x scale for all charts."""
        if self._view is not None and self._view.choices.x_axis == "wall":
            self.notify("the time of day has a linear scale only", markup=False)
        else:
            self.change(changes.next_x_scale)

    def action_next_outliers(self) -> None:
        """Another rule for values far out."""
        self.change(changes.next_outliers)

    def action_switch_extremes(self) -> None:
        """Mark least, greatest and best values, or no longer."""
        self.change(changes.extremes_switched)

    def action_switch_superseded(self) -> None:
        """Draw superseded points, or no longer."""
        self.change(changes.superseded_switched)

    def action_next_row_order(self) -> None:
        """Another order of the rows."""
        self.change(changes.next_row_order)

    def action_columns(self, more: int) -> None:
        """More or fewer cards a row."""
        grid = self._grid
        self.change(partial(changes.columns_changed, shown=grid.columns, count=len(grid.keys), more=more))
