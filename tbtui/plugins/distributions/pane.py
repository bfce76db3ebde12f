"""The pane of the Distributions tab: a grid of fan charts, and one of them in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.distributions.data import DistributionData
from tbtui.plugins.distributions.drawing import Drawing
from tbtui.plugins.distributions.painter import DistributionsPainter
from tbtui.plugins.distributions.words import settings
from tbtui.plugins.histograms.recorded_pane import RecordedPane
from tbtui.widgets.charts_pane import Charted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View
    from tbtui.widgets.form_fields import Field


class DistributionsPane(RecordedPane):
    """A fan a run and tag, or for all runs together one card a tag with the outlines of each."""

    writes_quantiles = True

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._data = DistributionData(self.read_by)
        self._drawing = Drawing()

    def charted(self, view: View) -> Charted[RunCards]:
        """The cards of a view."""
        cards = self._data.cards(view)
        return Charted(view, cards, DistributionsPainter(self._data, self._drawing, view, cards))

    def status(self) -> str:
        """How the charts are drawn."""
        view = self.view
        return "" if view is None else settings(view.choices, self.opened.key)

    def options_fields(self, choices: Choices) -> Sequence[Field]:
        """Everything that can be set for all charts."""
        from tbtui.plugins.distributions.forms import options_fields

        return options_fields(choices)
