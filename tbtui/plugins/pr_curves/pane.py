"""The pane of the PR curves tab."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.loading.payloads import Payloads
from tbtui.plugins.pr_curves import changes
from tbtui.plugins.pr_curves.curve_view import CurveView
from tbtui.plugins.pr_curves.data import CurveData
from tbtui.plugins.pr_curves.drawing import Drawing
from tbtui.plugins.pr_curves.painter import PrCurvesPainter
from tbtui.plugins.pr_curves.words import LINEAR_ONLY, ZOOMED_ALONE, settings
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.cursor import step_moved
from tbtui.viewstate.looking import fitted
from tbtui.viewstate.run_cards import RunCards
from tbtui.widgets.charts_pane import TAG_CARD_KEYS, Charted, ChartsPane

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View
    from tbtui.widgets.chart_forms import CardForms


class PrCurvesPane(ChartsPane[RunCards]):
    """Shows one card for each tag, with the curves of all drawn runs.

    Both axes show values that no other tab has, so that each chart zooms alone.
    """

    MOVED = staticmethod(step_moved)
    VIEW = CurveView
    UNUSED = frozenset({"next_y_scale", "smooth"})
    BINDING_GROUP_TITLE = "PR curves"

    BINDINGS: ClassVar[list[BindingType]] = [
        *TAG_CARD_KEYS,
        Binding("y,X", "say_scale", show=False, id="curves.scale", tooltip="both axes are linear"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        payloads = payloads or Payloads()
        super().__init__(payloads)
        self._data = CurveData(payloads)
        self._drawing = Drawing()

    def charted(self, view: View) -> Charted[RunCards]:
        cards = self._data.cards(view)
        return Charted(view, cards, PrCurvesPainter(self._data, self._drawing, view, cards))

    def card_forms(self) -> CardForms[RunCards]:
        from tbtui.plugins.pr_curves.forms import CurveForms

        return CurveForms(self._data)

    def is_overview(self, choices: Choices) -> bool:
        return choices.overview

    def status(self) -> str:
        view = self.view
        return "" if view is None else settings(view.choices, self.opened.key)

    def key_word(self, action: str) -> str | None:
        """Return no name for left and right in an opened chart: there they move the threshold, not the step."""
        return None if action.startswith("cursor(") else super().key_word(action)

    @property
    def zoomed(self) -> bool:
        """True if the axes of the card were set by hand."""
        if self.chart_key is None or self.view is None:
            return False
        own = self.view.choices.chart(self.chart_key)
        return (own.across_range, own.y_range) != (WHOLE, WHOLE)

    # Keys

    def action_fit(self) -> None:
        """Show the whole chart."""
        if self.chart_key is not None:
            self.change(partial(fitted, key=self.chart_key, plane=True))

    def action_fit_all(self) -> None:
        """Show all charts of this tab whole."""
        self.change(partial(changes.all_fitted, keys=self.grid.keys))

    def action_link(self) -> None:
        """Say that charts cannot be zoomed together."""
        self.notify(ZOOMED_ALONE, markup=False)

    def action_forget_cursor(self) -> None:
        """Remove the threshold, the cursor and the stretch."""
        self.change(changes.nowhere)

    def action_say_scale(self) -> None:
        """Say that both axes are linear."""
        self.notify(LINEAR_ONLY, markup=False)
