"""The pane of the PR curves tab: a grid of charts, and one of them in full size."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.text import safe
from tbtui.loading.payloads import Payloads
from tbtui.plugins.pr_curves import changes
from tbtui.plugins.pr_curves.curve_view import CurveView
from tbtui.plugins.pr_curves.data import CurveData
from tbtui.plugins.pr_curves.drawing import Drawing
from tbtui.plugins.pr_curves.painter import PrCurvesPainter
from tbtui.plugins.pr_curves.words import LINEAR_ONLY, ZOOMED_ALONE, settings
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.looking import fitted
from tbtui.widgets.charts_pane import Charted
from tbtui.widgets.run_cards_pane import TagCardsPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View
    from tbtui.widgets.file_writing import Written
    from tbtui.widgets.form_fields import Field


class PrCurvesPane(TagCardsPane):
    """One card a tag with the curves of all drawn runs."""

    UNUSED = frozenset({"next_y_scale", "smooth"})
    BINDING_GROUP_TITLE = "PR curves"

    VIEW = CurveView

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,X", "say_scale", show=False, id="curves.scale", tooltip="both axes are linear"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        payloads = payloads or Payloads()
        super().__init__(payloads)
        self._data = CurveData(payloads)
        self._drawing = Drawing()

    def charted(self, view: View) -> Charted[RunCards]:
        """The cards of a view."""
        cards = self._data.cards(view)
        return Charted(view, cards, PrCurvesPainter(self._data, self._drawing, view, cards))

    def status(self) -> str:
        """How the charts are drawn."""
        view = self.view
        return "" if view is None else settings(view.choices, self.opened.key)

    def key_word(self, action: str) -> str | None:
        """In an opened chart left and right move the threshold, not the step."""
        return None if action.startswith("cursor(") else super().key_word(action)

    # Keys: both axes have values, which no other tab's charts share

    @property
    def zoomed(self) -> bool:
        """Whether the axes of the card were set by hand."""
        if self.chart_key is None or self.view is None:
            return False
        own = self.view.choices.chart(self.chart_key)
        return (own.across_range, own.y_range) != (WHOLE, WHOLE)

    def action_fit(self) -> None:
        """Show the whole chart."""
        if self.chart_key is not None:
            self.change(partial(fitted, key=self.chart_key, plane=True))

    def action_fit_all(self) -> None:
        """Show all charts of this tab whole."""
        self.change(partial(changes.all_fitted, keys=self.grid.keys))

    def action_link(self) -> None:
        """Say that there is nothing to link."""
        self.notify(ZOOMED_ALONE, markup=False)

    def action_forget_cursor(self) -> None:
        """Take threshold, cursor and stretch away."""
        self.change(changes.nowhere)

    def action_say_scale(self) -> None:
        """Say that there is one scale."""
        self.notify(LINEAR_ONLY, markup=False)

    # Forms and pages

    def options_fields(self, choices: Choices) -> Sequence[Field]:
        """Everything that can be set for all charts."""
        from tbtui.plugins.pr_curves.forms import options_fields

        return options_fields(choices)

    def chart_fields(self, choices: Choices, key: str) -> Sequence[Field]:
        """What can be set for the chart of card `key` alone."""
        from tbtui.plugins.pr_curves.forms import chart_fields

        return chart_fields(choices, key)

    def check_chart(self, choices: Choices, entered: dict[str, Any]) -> dict[str, Any]:
        """What was entered for one chart, once it can be applied; raises RefusedError."""
        from tbtui.plugins.pr_curves.forms import check_chart

        return check_chart(choices, entered)

    def with_chart(self, choices: Choices, key: str, entered: dict[str, Any]) -> Choices:
        """The choices with everything that was entered for the chart of card `key`."""
        from tbtui.plugins.pr_curves.forms import with_chart

        return with_chart(choices, key, entered)

    def about(self, view: View, tag: str, _run: str | None) -> Sequence[str]:
        """What is known of a tag."""
        from tbtui.plugins.pr_curves.about import about

        return about(self._data, view, tag)

    def ask_file(self, view: View, key: str) -> None:
        """Ask for a file, and write curves to it."""
        from tbtui.plugins.pr_curves.writing import FIELDS, Writing, written_word

        writing = Writing(view, key)

        def say(written: Written) -> None:
            self.notify(safe(written_word(written, writing.refusals)), title="written", markup=False)

        title = f"write the curves of {self.name_of(key)}"
        self.open_form(title, FIELDS, writing, say, slow=True, cancel=writing.stop)
