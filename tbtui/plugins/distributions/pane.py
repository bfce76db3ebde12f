"""The pane of the Distributions tab: a grid of fan charts, and one of them in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.loading.payloads import Payloads
from tbtui.plugins.distributions.data import DistributionData
from tbtui.plugins.distributions.drawing import Drawing
from tbtui.plugins.distributions.painter import DistributionsPainter
from tbtui.plugins.distributions.words import settings
from tbtui.viewstate.run_cards import RunCards
from tbtui.widgets.charts_pane import Charted, ChartsPane

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View


class DistributionsPane(ChartsPane[RunCards]):
    """One card a run and tag, or for all runs together one a tag."""

    def __init__(self, payloads: Payloads | None = None) -> None:
        payloads = payloads or Payloads()
        super().__init__(payloads)
        self._data = DistributionData(payloads)
        self._drawing = Drawing()

    def charted(self, view: View) -> Charted[RunCards]:
        """The cards of a view."""
        cards = self._data.cards(view)
        return Charted(view, cards, DistributionsPainter(self._data, self._drawing, view, cards))

    def status(self) -> str:
        """How the charts are drawn."""
        view = self.view
        return "" if view is None else settings(view.choices, self.opened.key)

    def is_overview(self, choices: Choices) -> bool:
        """Whether all layers are to be seen at a glance."""
        return choices.overview
