"""Base class of the panes of charts: a grid of cards, one opened card, and the keys that work on both.

A dashboard subclasses `ChartsPane` directly. It supplies its cards, its painter and its forms.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from tbtui.charts.text import safe
from tbtui.frozen import frozen
from tbtui.settings.chart_navigation import (
    clear_cursor,
    fit_all_charts,
    fit_chart,
    move_cursor,
    move_focus,
    pan_x,
    pan_y,
    toggle_linked,
    zoom_x,
)
from tbtui.settings.settings import FULL_RANGE
from tbtui.view import changes
from tbtui.view.card_groups import NO_GROUPS, CardGrouping
from tbtui.view.painted_cards import CardPainter, OpenPainter
from tbtui.widgets.card_grid import AllFolded, CardGrid, CardOpened
from tbtui.widgets.chart_keys import CHART_KEYS, ZOOM_KEYS
from tbtui.widgets.chart_view import ChartClosed, ChartTurned, ChartView, RunSwitched
from tbtui.widgets.pane import ALL_FOLDED, AboutRunRequested, Choose, Pane

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tbtui.loading.payloads import Payloads
    from tbtui.settings.declaration import Setting
    from tbtui.settings.settings import Settings
    from tbtui.view.card_groups import GroupedCards
    from tbtui.view.changes import RunSwitch
    from tbtui.view.view import View
    from tbtui.widgets.card_frames import PlottedChart
    from tbtui.widgets.form_fields import CardForms, Field, FileForm


class ViewCards(Protocol):
    """The cards of one view of a dashboard."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the cards, in order."""

    def key_of(self, tag: str) -> str:
        """Return the key of the first card that shows `tag`."""

    def tag_of(self, key: str) -> str:
        """Return the tag of a card, the first one of several."""

    def title_of(self, key: str) -> str:
        """Return the title of a card; not yet safe for a terminal."""

    def name_of(self, key: str) -> str:
        """Return the title of a card in the heading of a form, with its run where it has one; not yet safe."""


class ChartPainter(CardPainter, OpenPainter, Protocol):
    """Draws the cards of one view, in the grid and in full size."""


Cards = TypeVar("Cards", bound=ViewCards)


@frozen(eq=False)
class PreparedView(Generic[Cards]):
    """A view, its cards, and the painter of these cards."""

    view: View
    cards: Cards
    painter: ChartPainter
    groups: GroupedCards = NO_GROUPS
    """The cards below the headings of their groups."""


class ChartsPane(Pane, Generic[Cards]):
    """Shows cards in a grid; enter shows one of them in full size."""

    DEFAULT_CSS = """
    ChartsPane ChartView { display: none; }
    ChartsPane.opened ChartView { display: block; }
    ChartsPane.opened CardGrid { display: none; }
    """

    UNUSED: ClassVar[frozenset[str]] = frozenset()

    JOINS: ClassVar[bool] = False
    """True if the user can mark cards and join them."""

    VIEW: ClassVar[type[ChartView]] = ChartView
    """Widget that shows one card in full size."""

    RUN_TABLE: ClassVar[bool] = True
    """True if the table of an opened card has a row for each run."""

    GROUPED: ClassVar[str] = ""
    """Plugin name of the series whose tags give the cards headings; empty: the cards have none, or their own."""

    MOVED: ClassVar[Callable[..., Settings]] = staticmethod(move_cursor)
    """Transition for the cursor keys. `move_cursor` starts at one end; `move_step` starts at the newest step, which
    is what a dashboard shows while there is no cursor."""

    WITHOUT_CURSOR: ClassVar[Callable[..., Settings]] = staticmethod(clear_cursor)
    """Transition that takes the cursor back, and what else of a dashboard shows another place than the usual one."""

    BINDING_GROUP_TITLE = "Charts"

    BINDINGS: ClassVar[list[BindingType]] = [*ZOOM_KEYS, *CHART_KEYS]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.grid = CardGrid(self.worker, joins=self.JOINS)
        self.opened = self.VIEW(self.worker)
        self.opened.moved = self.MOVED
        self._grouping = CardGrouping(self.GROUPED)
        self.shown: PreparedView[Cards] | None = None
        """The view on the screen; None before the first one."""

    def compose(self) -> ComposeResult:
        """Yield the grid and, over it, the opened card."""
        yield self.grid
        yield self.opened

    # Supplied by a dashboard

    def prepare_cards(self, view: View) -> PreparedView[Cards]:
        """Return the cards of a view. Runs on the worker thread."""
        raise NotImplementedError

    def card_forms(self) -> CardForms[Cards] | None:
        """Import and return the forms of the cards; None where the pane has none, or opens its own."""
        return None

    def groups(self, _view: View) -> Mapping[str, Collection[str]]:
        """Return the runs that share a row of an opened card's table, by the name of the row."""
        return {}

    def is_overview(self, _settings: Settings) -> bool:
        """Return True if cards are small, so that as many as possible fit on the screen."""
        return False

    def headings(self, _cards: Cards) -> Collection[str]:
        """Return the keys of cards that are headings of the cards after them."""
        return ()

    def words_without_cards(self, _prepared: PreparedView[Cards]) -> tuple[str, str]:
        """Return the message and the hint in place of cards if a view has none."""
        return ALL_FOLDED

    def successor_of(self, key: str, _cards: Cards, *, is_open: bool) -> str | None:  # noqa: ARG002 - for overrides
        """Return the key of the card among `cards` that replaces card `key`; None closes an open card."""
        return key

    # Called by the app

    def show(self, view: View) -> None:
        """Draw `view`."""
        was_zoomed = self.zoomed
        super().show(view)
        if self.zoomed != was_zoomed:
            self.refresh_bindings()

    def reveal(self, tag: str) -> None:
        """Focus the first card that shows `tag`; while a card is open, open that one instead."""
        if self.shown is not None:
            key = self.shown.cards.key_of(tag)
            self.grid.focus_card(key)
            if self.opened.key is not None and self.grid.focused_key == key:
                self._open(key)

    def key_word(self, action: str) -> str | None:
        """Name the cursor keys where the cursor chooses the visible step; there, `v` shows a second step beside it."""
        if self.MOVED is move_cursor:
            return super().key_word(action)
        if action.startswith(("cursor(", "move_cursor(")):
            return "step"
        return "compare step" if action == "stretch" else super().key_word(action)

    # Presenting a view

    def prepare(self, view: View) -> Iterator[PreparedView[Cards]]:
        """Yield the cards of a view."""
        prepared = self.prepare_cards(view)
        if self.GROUPED:
            prepared = replace(prepared, groups=self._grouping.of(view, prepared.cards.keys, prepared.cards.tag_of))
        yield prepared

    def present(self, prepared: PreparedView[Cards]) -> None:
        """Show other cards, or the same cards with other content."""
        self._select_successor(prepared)
        self.shown, settings, cards = prepared, prepared.view.settings, prepared.cards
        if self.opened.key is not None:
            self.opened.show(prepared.painter, self.opened.key, settings)
        if cards.keys or prepared.groups.headings:
            self.grid.show(
                prepared.painter,
                cards.keys,
                settings.columns,
                settings.pinned,
                overview=self.is_overview(settings),
                headings=self.headings(cards),
                groups=prepared.groups,
            )
        else:
            self.grid.show_message(*self.words_without_cards(prepared))

    def _select_successor(self, prepared: PreparedView[Cards]) -> None:
        """Stay at the card that replaces the open or focused one: its tag is shown in another card now."""
        opened = self.opened.key
        if opened is not None:
            successor = self.successor_of(opened, prepared.cards, is_open=True)
            if successor == opened:
                return
            self.shown = prepared
            if successor is not None:
                self.grid.expect_card(successor)
                self._open(successor)
                return
            self.close()
        focused = self.grid.focused_key
        successor = None if focused is None else self.successor_of(focused, prepared.cards, is_open=False)
        if successor is not None and successor != focused:
            self.grid.expect_card(successor)

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of cards."""
        self.grid.show_message(headline, hint)

    def show_error(self, error: Exception) -> None:
        """Show the error of a list of cards."""
        self.show_message("the charts cannot be listed", f"{type(error).__name__}: {error}")

    # The opened card

    def on_card_opened(self, message: CardOpened) -> None:
        """Show a card in full size."""
        message.stop()
        self.choose_card(message.key)

    def choose_card(self, key: str) -> None:
        """Show a card in full size: the user chose it. Fold or unfold the group of a heading."""
        group = self.grid.group_of(key)
        if group is None:
            self._open(key)
        elif self.view is not None and not self.view.settings.tag_filter:  # under a filter nothing is folded
            self.grid.expect_card(key)
            self.change(partial(changes.toggle_group, group=group.name))

    def on_all_folded(self, message: AllFolded) -> None:
        """Fold all groups of tags; unfold them if all are folded. Under a filter nothing is folded."""
        message.stop()
        if self.shown is not None and self.view is not None and not self.view.settings.tag_filter:
            names = frozenset(group.name for group in self.shown.groups.headings.values())
            self.change(partial(changes.toggle_groups, groups=names))

    def on_chart_turned(self, message: ChartTurned) -> None:
        """Show a neighbour in full size, and focus it in the grid."""
        message.stop()
        self.grid.move_over_headings(message.cards)
        if self.grid.focused_key is not None:
            self._open(self.grid.focused_key)

    def on_chart_closed(self, message: ChartClosed) -> None:
        """Go back to the grid."""
        message.stop()
        self.close()

    def on_run_switched(self, message: RunSwitched) -> None:
        """Switch the selected run of the table, or the runs that share its row."""
        message.stop()
        if self.view is not None:
            if message.what == "baseline" and message.runs:
                self._notify_baseline(self.view.settings, message.runs)
            self.change(
                partial(
                    changes.switch_run,
                    action=message.what,
                    rows=message.runs,
                    groups=self.groups(self.view),
                    all_runs=tuple(self.view.snapshot.runs),
                    attributes=self.view.attributes,
                )
            )

    # The run that is selected among the lines of the focused card, or of the opened one

    @property
    def _selected_run(self) -> str | None:
        """Name of the selected run if a line of the focused card, or of the opened one, shows it."""
        settings = None if self.view is None else self.view.settings
        known = self.opened.runs if self.opened.key is not None else self.grid.runs
        return settings.focus if settings is not None and settings.focus in known else None

    def action_select_run(self, runs: int) -> None:
        """Select another run of the chart, so that keys work on it."""
        if self.opened.key is not None:
            self.opened.action_select(runs)
        else:
            self.with_plot(lambda _: self.change(partial(move_focus, runs=self.grid.runs, count=runs)))

    def action_switch(self, what: RunSwitch) -> None:
        """Show the selected run alone, or use it as the baseline; select the first one without a selection."""

        def switch(_chart: PlottedChart) -> None:
            if self.grid.runs:
                self.post_message(RunSwitched(what, self.grid.runs))

        self.with_plot(switch)

    def action_deselect_run(self) -> None:
        """Select no run."""
        self.change(partial(replace, focus=None))

    def _notify_baseline(self, settings: Settings, rows: Sequence[str]) -> None:
        """Name the run under the cursor of the table, which becomes the baseline, or is none any more."""
        name = settings.focus if settings.focus in rows else rows[0]
        is_over = name == settings.baseline and settings.focus in rows
        message = (
            f"no baseline any more, it was {name}" if is_over else f"baseline of all tabs: {name} (d takes it back)"
        )
        self.notify(safe(message), markup=False)

    @property
    def has_opened(self) -> bool:
        return self.opened.key is not None

    @property
    def lists_runs(self) -> bool:
        return self.RUN_TABLE and self.opened.key is not None

    def close_opened(self) -> None:
        self.close()

    def _open(self, key: str) -> None:
        if self.shown is not None:
            self.add_class("opened")
            self.opened.show(self.shown.painter, key, self.shown.view.settings)
            self.opened.focus()

    def close(self) -> None:
        """Go back to the grid."""
        self.opened.forget()
        self.remove_class("opened")
        self.grid.focus()

    # The card that the keys work on

    @property
    def chart_key(self) -> str | None:
        """Key of the open card, otherwise of the focused one; None without any, or on a heading."""
        focused = self.grid.focused_key
        return self.opened.key or (focused if self.grid.group_of(focused) is None else None)

    @property
    def zoomed(self) -> bool:
        """True if the axes of that card, or those of all cards, were set by hand."""
        key, view = self.chart_key, self.view
        if key is None or view is None:
            return False
        return view.settings.get_x_range(key) != FULL_RANGE or view.settings.chart(key).y_range != FULL_RANGE

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer keys that have an effect; the way back from a zoom only while a card is zoomed."""
        if action == "next_own_y_scale" and self.opened.key is None:
            return False  # Y changes the scale of all charts in the grid, and that of the opened one
        if action == "deselect_run":
            return self.opened.key is None and self._selected_run is not None
        if action in ("fit", "forget_cursor") and (self.grid.has_waiting or self.opened.has_waiting):
            return action not in self.UNUSED  # a key that waits may zoom, or move the cursor
        if action == "forget_cursor":
            return self.view is not None and self.WITHOUT_CURSOR(self.view.settings) != self.view.settings
        if action == "switch" and parameters == ("solo",):
            return self._selected_run is not None
        return action not in self.UNUSED and (action != "fit" or self.zoomed)

    def aim(self) -> CardGrid | ChartView:
        """Return the widget with the card that keys work on; scroll the focused card of the grid into sight."""
        if self.opened.key is not None:
            return self.opened
        focused = self.grid.focused_key
        if focused is not None and focused not in self.grid.keys_in_sight:
            self.grid.focus_card(focused)
        return self.grid

    def with_plot(self, act: Callable[[PlottedChart], object]) -> None:
        """Call `act` with the chart that keys work on, if the card has one.

        A card that is not drawn yet calls it later: a key that follows enter at once works on the opened chart.
        """
        self.aim().with_plot(act)

    # Requests to the app

    def change(self, change: Callable[[Settings], Settings]) -> None:
        """Ask the app for other settings."""
        self.post_message(Choose(change))

    def _change_plot(self, change: Callable[..., Settings]) -> None:
        """Ask for a change that needs the present axes of the chart."""
        self.with_plot(lambda chart: self.change(partial(change, key=chart.key, plot=chart.plot)))

    def _change_of_chart(self, change: Callable[..., Settings]) -> None:
        if self.chart_key is not None:
            self.change(partial(change, key=self.chart_key))

    def open_page(self, title: str, lines: Callable[[], Sequence[str]]) -> None:
        """Show a page of lines; `lines` runs on the worker thread."""
        from tbtui.widgets.text_page import open_text_page

        open_text_page(self.app, self.worker, title, lines)

    def open_form(
        self,
        title: str,
        fields: Sequence[Field],
        conclude: Callable[[dict[str, Any]], Any],
        then: Callable[[Any], object],
        **how: Any,
    ) -> None:
        """Open a form; `then` takes its outcome unless the user cancels. The other arguments are `FormScreen`'s."""
        from tbtui.widgets.form import FormScreen

        def take(outcome: Any) -> None:
            if outcome is not None:
                then(outcome)

        self.app.push_screen(FormScreen(safe(title), fields, conclude, **how), take)

    # Keys: zoom and cursor

    def action_zoom(self, factor: float) -> None:
        """Zoom along x."""
        self._change_plot(partial(zoom_x, factor=factor))

    def action_pan(self, part: float) -> None:
        """Move along x."""
        self._change_plot(partial(pan_x, part=part))

    def action_pan_y(self, part: float) -> None:
        """Move along y."""
        self._change_plot(partial(pan_y, part=part))

    def action_fit(self) -> None:
        """Show the whole chart."""
        if (key := self.chart_key) is not None:
            self.aim().when_drawn(lambda: self.change(partial(fit_chart, key=key)))

    def action_fit_all(self) -> None:
        """Show all charts whole."""
        self.aim().when_drawn(lambda: self.change(fit_all_charts))

    def action_link(self) -> None:
        """Zoom all charts together, or each alone."""
        self.change(partial(toggle_linked, key=self.chart_key))

    def action_move_cursor(self, stops: int) -> None:
        """Move the cursor, which all charts share, by this number of values."""

        def move(chart: PlottedChart) -> None:
            positions = chart.stops if chart.value_stops is None else chart.value_stops
            self.change(partial(self.MOVED, stops=positions, count=stops))

        self.with_plot(move)

    def action_forget_cursor(self) -> None:
        """Remove the cursor and the selected range."""
        self.aim().when_drawn(lambda: self.change(self.WITHOUT_CURSOR))

    # Keys: axes, cards and runs

    def action_copy(self) -> None:
        """Copy the name of the card: its tag, in full."""
        shown, key = self.shown, self.chart_key
        if shown is not None and key is not None:
            name = safe(shown.cards.title_of(key))
            self.app.copy_to_clipboard(name)
            self.notify(f"copied: {name}", markup=False)

    def action_next_own_y_scale(self) -> None:
        """Change the y scale of the chart."""
        self._change_of_chart(changes.next_y_scale)

    def action_pin(self) -> None:
        """Pin the card before all others, or unpin it."""
        self._change_of_chart(changes.toggle_pinned)

    def action_next_x_scale(self) -> None:
        """Change the x scale of all charts."""
        if self.view is not None and self.view.settings.x_axis == "wall":
            self.notify("the time of day has a linear scale only", markup=False)
        else:
            self.change(changes.next_x_scale)

    def action_switch_superseded(self) -> None:
        """Draw superseded points, or stop drawing them."""
        self.change(changes.toggle_superseded)

    def action_next_row_order(self) -> None:
        """Change the order of the rows."""
        self.change(changes.next_row_order)

    def action_next_outliers(self) -> None:
        """Change the rule for outliers."""
        self.change(changes.next_outliers)

    def action_columns(self, more: int) -> None:
        """Show more or fewer cards in a row."""
        grid = self.grid
        self.change(partial(changes.change_columns, shown=grid.columns, count=len(grid.keys), change=more))

    def action_switch_overview(self) -> None:
        """Show as many small cards as possible, or fewer that are easy to read."""
        self.change(changes.toggle_overview)

    def action_switch_together(self) -> None:
        """Show one card for each run, or one for all runs."""
        self.change(changes.toggle_runs_together)

    # Keys: forms and pages

    def action_options(self) -> None:
        """Open the form of the options of all charts."""
        shown, forms = self.shown, self.card_forms()
        if shown is not None and forms is not None:
            self.open_options_form("charts", forms.options_fields(shown.view), self.SETTINGS)

    def open_options_form(self, noun: str, fields: Sequence[Field], own: Sequence[Setting[Any]]) -> None:
        """Open a form of options, which apply to all cards as soon as they are entered.

        Args:
            noun: Plural of a card.
            fields: Fields of settings.
            own: Those of the settings that the dashboard declares.
        """
        from tbtui.widgets.form_fields import apply_options

        def apply(entered: dict[str, Any]) -> None:
            self.change(partial(apply_options, entered=entered, own=own))

        self.open_form(f"options of all {noun}", fields, dict, apply, live=apply)

    def action_edit_chart(self) -> None:
        """Open the form of the options of one chart."""
        shown, key, forms = self.shown, self.chart_key, self.card_forms()
        if shown is not None and key is not None and forms is not None:
            settings = shown.view.settings

            def apply(entered: dict[str, Any]) -> None:
                self.change(partial(forms.with_chart, key=key, entered=entered))

            self.open_form(
                f"chart {shown.cards.name_of(key)}",
                forms.chart_fields(settings, key),
                partial(forms.check_chart, settings),
                apply,
                live=apply,
            )

    def action_about(self) -> None:
        """Show a page about the chart, or about the run that is selected in it."""
        if (run := self._selected_run) is not None:
            self.post_message(AboutRunRequested(run))
            return
        shown, key, forms = self.shown, self.chart_key, self.card_forms()
        if shown is not None and key is not None and forms is not None:
            self.open_page(f"about {shown.cards.name_of(key)}", lambda: forms.about_lines(shown.view, shown.cards, key))

    def action_write(self) -> None:
        """Ask for a file, and write the data of the chart to it."""
        shown, key, forms = self.shown, self.chart_key, self.card_forms()
        if shown is None or key is None or forms is None:
            return
        form = forms.file_form(shown.view, shown.cards, key)
        if form is None:
            self.app.notify("this tab writes no files; tbtui export writes its data")
        else:
            self.open_file_form(form)

    def open_file_form(self, form: FileForm) -> None:
        """Open a form that asks for a file and writes it."""

        def notify_written(written: Any) -> None:
            self.notify(safe(form.message(written)), title="written", markup=False)

        self.open_form(form.title, form.fields, form.write, notify_written, slow=True, cancel=form.cancel)
