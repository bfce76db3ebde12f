"""The pane of the Histograms tab."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.loading.payloads import Payloads
from tbtui.plugins.histograms.painter import HistogramRenderer, HistogramSource
from tbtui.plugins.histograms.readout import HistogramChartCache, format_settings_label
from tbtui.plugins.histograms.settings import BUCKET_ROWS, HEAT_SCALE, SETTINGS, STYLE
from tbtui.settings.chart_navigation import move_step
from tbtui.view.card_painter import Painter
from tbtui.view.cards import RunCards
from tbtui.widgets.chart_keys import RUN_CARD_KEYS, RUN_KEYS, TAG_CARD_KEYS, WRITE_KEYS
from tbtui.widgets.charts_pane import ChartsPane, PreparedView

if TYPE_CHECKING:
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import CardForms


class HistogramsPane(ChartsPane[RunCards]):
    """Shows one card for each run and tag, or one for each tag with all runs together.

    Args:
        payloads: Reader of histograms; None: the pane makes its own.
    """

    MOVED = staticmethod(move_step)
    UNUSED = frozenset({"smooth"})
    BINDING_GROUP_TITLE = "Charts"
    GROUPED = "histograms"
    SETTINGS = SETTINGS

    BINDINGS: ClassVar[list[BindingType]] = [
        *TAG_CARD_KEYS,
        *WRITE_KEYS,
        *RUN_CARD_KEYS,
        *RUN_KEYS,
        Binding("m", "next_histogram_look", "view", id="histograms.look", tooltip="view"),
        Binding("D", "next_heat_scale", show=False, id="histograms.colours", tooltip="scale of colours"),
        Binding("B", "switch_bucket_rows", show=False, id="histograms.rows", tooltip="rows of the table"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._reader = payloads or Payloads()
        self._data = HistogramChartCache(self._reader)
        self._renderer = HistogramRenderer()

    def prepare_cards(self, view: View) -> PreparedView[RunCards]:
        cards = self._data.cards(view)
        return PreparedView(view, cards, Painter(HistogramSource(self._data, self._renderer, view, cards), cards))

    def card_forms(self) -> CardForms[RunCards]:
        from tbtui.plugins.histograms.pane.forms import HistogramForms, build_options_fields

        return HistogramForms(self._reader, build_options_fields)

    def is_overview(self, settings: Settings) -> bool:
        return settings.overview

    def successor_of(self, key: str, cards: RunCards, *, is_open: bool) -> str | None:
        return cards.find_successor(key) if is_open else cards.find_counterpart(key)

    def status(self) -> str:
        view = self.view
        return "" if view is None else format_settings_label(view.settings, self.opened.key)

    # Keys

    def action_next_histogram_look(self) -> None:
        """Draw heat maps, ridges, or curves over one baseline."""
        if self.view is not None and self.view.settings.runs_together:
            self.notify("runs together are drawn as lines; R separates them", markup=False)
        else:
            self.change(STYLE.next)

    def action_next_heat_scale(self) -> None:
        """Change the scale of the colours."""
        settings = None if self.view is None else self.view.settings
        if settings is not None and (settings.runs_together or STYLE.value(settings) != "heat"):
            self.notify("only heat maps have a scale of colours", markup=False)
        else:
            self.change(HEAT_SCALE.next)

    def action_switch_bucket_rows(self) -> None:
        """Show one row per bucket in the table of an opened chart, or one per run."""
        self.change(BUCKET_ROWS.next)
