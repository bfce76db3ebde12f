"""The pane of the Histograms tab: a grid of heat maps, ridges or curves, and one of them in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.plugins.histograms import changes
from tbtui.plugins.histograms.data import ChartData
from tbtui.plugins.histograms.drawing import Drawing
from tbtui.plugins.histograms.painter import HistogramsPainter
from tbtui.plugins.histograms.recorded_pane import RecordedPane
from tbtui.plugins.histograms.words import settings
from tbtui.widgets.charts_pane import Charted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View
    from tbtui.widgets.form_fields import Field


class HistogramsPane(RecordedPane):
    """One card a run and tag, or for all runs together one a tag."""

    BINDING_GROUP_TITLE = "Charts"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "next_histogram_look", "look", id="histograms.look", tooltip="look"),
        Binding("D", "next_heat_scale", show=False, id="histograms.colours", tooltip="scale of colours"),
        Binding("B", "switch_bucket_rows", show=False, id="histograms.rows", tooltip="rows of the table"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._data = ChartData(self.read_by)
        self._drawing = Drawing()

    def charted(self, view: View) -> Charted[RunCards]:
        """The cards of a view."""
        cards = self._data.cards(view)
        return Charted(view, cards, HistogramsPainter(self._data, self._drawing, view, cards))

    def status(self) -> str:
        """How the charts are drawn."""
        view = self.view
        return "" if view is None else settings(view.choices, self.opened.key)

    # Forms

    def options_fields(self, choices: Choices) -> Sequence[Field]:
        """Everything that can be set for all charts."""
        from tbtui.plugins.histograms.forms import options_fields

        return options_fields(choices)

    # Keys

    def action_next_histogram_look(self) -> None:
        """Heat maps, ridges, curves over one baseline."""
        if self.view is not None and self.view.choices.runs_together:
            self.notify("runs together are lines over one another; R takes them apart", markup=False)
        else:
            self.change(changes.next_look)

    def action_next_heat_scale(self) -> None:
        """Another scale for the colours."""
        choices = None if self.view is None else self.view.choices
        if choices is not None and (choices.runs_together or choices.histogram_look != "heat"):
            self.notify("only heat maps have a scale of colours", markup=False)
        else:
            self.change(changes.next_heat_scale)

    def action_switch_bucket_rows(self) -> None:
        """A row a bucket in the opened chart's table, or a row a run."""
        self.change(changes.bucket_rows_switched)
