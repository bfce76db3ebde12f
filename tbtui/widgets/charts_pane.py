"""A pane of charts: a grid of cards, one of them in full size, and the keys that work on all of them alike."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from textual.binding import Binding, BindingType

from tbtui.charts.text import safe
from tbtui.frozen import frozen
from tbtui.viewstate import changes
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.widgets.card_grid import CardGrid, CardOpened
from tbtui.widgets.chart_view import ChartClosed, ChartTurned, ChartView, RunSwitched
from tbtui.widgets.frames import CardPainter, OpenPainter
from tbtui.widgets.pane import FOLDED
from tbtui.widgets.zoom_keys import ZoomKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from textual.app import ComposeResult

    from tbtui.loading.payloads import Payloads
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View
    from tbtui.widgets.form_fields import Field
    from tbtui.widgets.frames import Plotted


class CardKeys(Protocol):
    """Which cards there are."""

    @property
    def keys(self) -> tuple[str, ...]:
        """In order."""

    def key_of(self, tag: str) -> str:
        """The key of the first card that shows `tag`."""

    def title_of(self, key: str) -> str:
        """What a card is called; not yet made safe for a terminal."""


class ChartPainter(CardPainter, OpenPainter, Protocol):
    """Draws the cards of one view, in the grid and in full size."""


Cards = TypeVar("Cards", bound=CardKeys)


@frozen(eq=False)
class Charted(Generic[Cards]):
    """A view and what it shows."""

    view: View
    cards: Cards
    painter: ChartPainter


class ChartsPane(ZoomKeys, Generic[Cards]):
    """Cards in a grid; enter shows one in full size. Subclasses say which cards there are and how they are drawn."""

    DEFAULT_CSS = """
    ChartsPane ChartView { display: none; }
    ChartsPane.opened ChartView { display: block; }
    ChartsPane.opened CardGrid { display: none; }
    """

    JOINS: ClassVar[bool] = False
    """Whether cards can be marked, to be joined."""

    VIEW: ClassVar[type[ChartView]] = ChartView
    """What shows one of them in full size."""

    BINDING_GROUP_TITLE = "Charts"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "next_own_y_scale", "y scale", id="charts.y_scale", tooltip="y scale of this chart"),
        Binding("X", "next_x_scale", show=False, id="charts.x_scale", tooltip="x scale of all"),
        Binding("u", "switch_superseded", show=False, id="charts.superseded", tooltip="superseded points"),
        Binding("t", "next_row_order", show=False, id="charts.row_order", tooltip="order of rows"),
        Binding("p", "pin", show=False, id="charts.pin", tooltip="pin to the top"),
        Binding("less_than_sign", "columns(-1)", show=False, id="charts.fewer", tooltip="cards a row fewer"),
        Binding("greater_than_sign", "columns(1)", show=False, id="charts.more", tooltip="cards a row more"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.grid = CardGrid(self.background, joins=self.JOINS)
        self.opened = self.VIEW(self.background)
        self.opened.moved = self.MOVED
        self.shown: Charted[Cards] | None = None
        """What is on the screen."""

    def compose(self) -> ComposeResult:
        """The grid; over it the opened chart."""
        yield self.grid
        yield self.opened

    # What a dashboard has to say

    def charted(self, view: View) -> Charted[Cards]:
        """The cards of a view. Runs on the background thread."""
        raise NotImplementedError

    def groups(self, _view: View) -> Mapping[str, Collection[str]]:
        """Runs that share a row of an opened chart's table, by what the row is called."""
        return {}

    def is_overview(self, _choices: Choices) -> bool:
        """Whether cards are small, so that many are seen at a glance."""
        return False

    # What the app asks for

    def show(self, view: View) -> None:
        """Draw `view`."""
        was_zoomed = self.zoomed
        super().show(view)
        if self.zoomed != was_zoomed:
            self.refresh_bindings()

    def reveal(self, tag: str) -> None:
        """Focus the first card that shows `tag`; when a chart is open in full size, open that one instead."""
        if self.shown is not None:
            key = self.shown.cards.key_of(tag)
            self.grid.focus_card(key)
            if self.opened.key is not None and self.grid.focused_key == key:
                self._open(key)

    # What the view shows

    def prepare(self, view: View) -> Iterator[Charted[Cards]]:
        """The cards of a view."""
        yield self.charted(view)

    def present(self, prepared: Charted[Cards]) -> None:
        """Show other cards, or the same drawn otherwise."""
        self.shown, choices, cards = prepared, prepared.view.choices, prepared.cards
        if self.opened.key is not None:
            self.opened.show(prepared.painter, self.opened.key, choices)
        if cards.keys:
            self.grid.show(
                prepared.painter, cards.keys, choices.columns, choices.pinned, overview=self.is_overview(choices)
            )
        else:
            self.grid.say(*FOLDED)

    def say(self, headline: str, hint: str = "") -> None:
        """Show these words instead of cards."""
        self.grid.say(headline, hint)

    def say_error(self, error: Exception) -> None:
        """Say why there are no cards."""
        self.say("the charts cannot be listed", f"{type(error).__name__}: {error}")

    # The opened chart

    def on_card_opened(self, message: CardOpened) -> None:
        """Show a card in full size."""
        message.stop()
        self._open(message.key)

    def on_chart_turned(self, message: ChartTurned) -> None:
        """Show a neighbour in full size; the grid will stand there too."""
        message.stop()
        self.grid.action_move(message.cards)
        if self.grid.focused_key is not None:
            self._open(self.grid.focused_key)

    def on_chart_closed(self, message: ChartClosed) -> None:
        """Back to the grid."""
        message.stop()
        self.close()

    def on_run_switched(self, message: RunSwitched) -> None:
        """Switch the selected run of the table, or the runs that share its row."""
        message.stop()
        if self.view is not None:
            self.change(
                partial(
                    changes.run_switched,
                    what=message.what,
                    rows=message.runs,
                    groups=self.groups(self.view),
                    known=tuple(self.view.snapshot.runs),
                )
            )

    def _open(self, key: str) -> None:
        if self.shown is not None:
            self.add_class("opened")
            self.opened.show(self.shown.painter, key, self.shown.view.choices)
            self.opened.focus()

    def close(self) -> None:
        """Back to the grid."""
        self.opened.forget()
        self.remove_class("opened")
        self.grid.focus()

    # What the keys are about

    @property
    def chart_key(self) -> str | None:
        """The card that is open, or focused."""
        return self.opened.key or self.grid.focused_key

    @property
    def zoomed(self) -> bool:
        """Whether that card's axes were set by hand, or those of all."""
        key, view = self.chart_key, self.view
        if key is None or view is None:
            return False
        return view.choices.x_range_of(key) != WHOLE or view.choices.chart(key).y_range != WHOLE

    def aim(self) -> Plotted | None:
        """The chart that is open, or that of the focused card, which comes into sight."""
        if self.opened.key is not None:
            return self.opened.plotted
        focused = self.grid.focused_key
        if focused is not None and focused not in self.grid.keys_in_sight:
            self.grid.focus_card(focused)
        return self.grid.plotted

    def tell(self, title: str, lines: Callable[[], Sequence[str]]) -> None:
        """Show a page of lines, which may take time to put together."""
        from tbtui.widgets.info import open_info

        open_info(self.app, self.background, title, lines)

    def open_form(
        self,
        title: str,
        fields: Sequence[Field],
        conclude: Callable[[dict[str, Any]], Any],
        then: Callable[[Any], object],
        **how: Any,
    ) -> None:
        """Ask for entries; arguments as of `FormScreen`, and what is done with the outcome, if there is one."""
        from tbtui.widgets.form import FormScreen  # text fields cost start-up time

        def take(outcome: Any) -> None:
            if outcome is not None:
                then(outcome)

        self.app.push_screen(FormScreen(safe(title), fields, conclude, **how), take)

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
        if self.view is not None and self.view.choices.x_axis == "wall":
            self.notify("the time of day has a linear scale only", markup=False)
        else:
            self.change(changes.next_x_scale)

    def action_switch_superseded(self) -> None:
        """Draw superseded points, or no longer."""
        self.change(changes.superseded_switched)

    def action_next_row_order(self) -> None:
        """Another order of the rows."""
        self.change(changes.next_row_order)

    def action_columns(self, more: int) -> None:
        """More or fewer cards a row."""
        grid = self.grid
        self.change(partial(changes.columns_changed, shown=grid.columns, count=len(grid.keys), more=more))
