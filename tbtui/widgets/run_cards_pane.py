"""Panes whose cards show a tag, of one run each or of all drawn runs: their keys, whatever is drawn on the cards."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType

from tbtui.viewstate import changes
from tbtui.viewstate.cursor import step_moved
from tbtui.viewstate.run_cards import RunCards
from tbtui.widgets.charts_pane import ChartsPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View
    from tbtui.widgets.charts_pane import Charted
    from tbtui.widgets.form_fields import Field


class TagCardsPane(ChartsPane[RunCards]):
    """Cards of a tag, all of them small in an overview; forms for what has no key."""

    MOVED = staticmethod(step_moved)

    BINDING_GROUP_TITLE = "Charts"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("A", "switch_overview", "overview", show=False, id="runs.overview", tooltip="overview of all layers"),
        Binding("o", "options", "options", id="runs.options", tooltip="options of all charts"),
        Binding("e", "edit_chart", "this chart", show=False, id="runs.chart", tooltip="ranges of this chart"),
        Binding("i", "about", "about", show=False, id="runs.about", tooltip="about this chart"),
        Binding("w", "write", "write", show=False, id="runs.write", tooltip="write its data to a file"),
    ]

    # What a dashboard has to say

    def options_fields(self, choices: Choices) -> Sequence[Field]:
        """Everything that can be set for all charts."""
        raise NotImplementedError

    def chart_fields(self, choices: Choices, key: str) -> Sequence[Field]:
        """What can be set for the chart of card `key` alone, the fields of `chart_forms.range_fields` among them."""
        from tbtui.widgets.chart_forms import range_fields

        return range_fields(choices, key)

    def check_chart(self, choices: Choices, entered: dict[str, Any]) -> dict[str, Any]:
        """What was entered for one chart, once it can be applied; raises RefusedError."""
        from tbtui.widgets.chart_forms import check_ranges

        return check_ranges(choices, entered)

    def with_chart(self, choices: Choices, key: str, entered: dict[str, Any]) -> Choices:
        """The choices with everything that was entered for the chart of card `key`."""
        from tbtui.widgets.chart_forms import with_ranges

        return with_ranges(choices, key, entered)

    def about(self, view: View, tag: str, run: str | None) -> Sequence[str]:
        """Lines of any text about a tag of one run, or of all that are drawn. Runs on the background thread."""
        raise NotImplementedError

    def ask_file(self, view: View, key: str) -> None:
        """Ask for a file, and write the data of card `key` to it."""
        raise NotImplementedError

    def is_overview(self, choices: Choices) -> bool:
        """Whether cards are small, so that many are seen at a glance."""
        return choices.overview

    # Keys

    def action_switch_overview(self) -> None:
        """See many small cards at a glance, or fewer that are good to read."""
        self.change(changes.overview_switched)

    def action_options(self) -> None:
        """Set anything of all charts."""
        from tbtui.widgets.chart_forms import with_options

        if self.shown is not None:
            self.open_form(
                "options of all charts",
                self.options_fields(self.shown.view.choices),
                dict,
                lambda entered: self.change(partial(with_options, entered=entered)),
            )

    def action_edit_chart(self) -> None:
        """Set what is of one chart alone."""
        key = self.chart_key
        if self.shown is not None and key is not None:
            choices = self.shown.view.choices
            self.open_form(
                f"chart {self.name_of(key)}",
                self.chart_fields(choices, key),
                partial(self.check_chart, choices),
                lambda entered: self.change(partial(self.with_chart, key=key, entered=entered)),
            )

    def action_about(self) -> None:
        """Tell what is known of a chart beside its picture."""
        key = self.chart_key
        if self.shown is not None and key is not None:
            view, cards = self.shown.view, self.shown.cards
            self.tell(f"about {self.name_of(key)}", lambda: self.about(view, cards.tag_of(key), cards.run_of(key)))

    def action_write(self) -> None:
        """Write the data of a chart to a file."""
        key = self.chart_key
        if self.shown is not None and key is not None:
            self.ask_file(self.shown.view, key)

    def name_of(self, key: str) -> str:
        """A card as a form is titled: with its run, which the card tells elsewhere."""
        cards = self.shown.cards if self.shown is not None else RunCards()
        run = cards.run_of(key)
        return cards.title_of(key) if run is None else f"{cards.title_of(key)} of {run}"


class RunCardsPane(TagCardsPane):
    """Cards of runs apart or together."""

    BINDING_GROUP_TITLE = "Charts"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("R", "switch_together", "runs", show=False, id="runs.together", tooltip="runs apart or together"),
    ]

    def present(self, prepared: Charted[RunCards]) -> None:
        """Show other cards; where runs were put together or taken apart, or switched off, the user stays at the tag."""
        cards, opened = prepared.cards, self.opened.key
        if opened is not None and self.shown is not None and cards.counterpart(opened) is None:
            self._leave(opened, self.shown.cards, prepared)
            opened = self.opened.key
        before = opened or self.grid.focused_key
        stays = None if before is None else cards.counterpart(before)
        if stays is not None and stays != before:
            self.grid.expect_card(stays)
            if opened is not None:
                self.shown = prepared
                self._open(stays)
        super().present(prepared)

    def _leave(self, key: str, before: RunCards, prepared: Charted[RunCards]) -> None:
        """The opened card is gone: its tag is shown of another run, or no card any more."""
        other = prepared.cards.key_of(before.tag_of(key))
        self.shown = prepared
        if other in prepared.cards.keys:
            self.grid.expect_card(other)
            self._open(other)
        else:
            self.close()

    def action_switch_together(self) -> None:
        """Have a card for each run, or one for all of them."""
        self.change(changes.together_switched)
