"""The pane of the Distributions tab."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tbtui.loading.payloads import Payloads
from tbtui.plugins.distributions.chart import DistributionChartCache, format_settings_label
from tbtui.plugins.distributions.painter import DistributionRenderer, DistributionSource
from tbtui.settings.chart_navigation import move_step
from tbtui.view.card_painter import Painter
from tbtui.view.cards import RunCards
from tbtui.widgets.chart_keys import RUN_CARD_KEYS, RUN_KEYS, TAG_CARD_KEYS, WRITE_KEYS
from tbtui.widgets.charts_pane import ChartsPane, PreparedView

if TYPE_CHECKING:
    from textual.binding import BindingType

    from tbtui.settings.settings import Settings
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import CardForms, Field


class DistributionsPane(ChartsPane[RunCards]):
    """Shows one fan chart for each run and tag, or one card for each tag with the outlines of all runs.

    Args:
        payloads: Reader of histograms; None: the pane makes its own.
    """

    MOVED = staticmethod(move_step)
    UNUSED = frozenset({"smooth"})
    BINDING_GROUP_TITLE = "Charts"
    GROUPED = "histograms"

    BINDINGS: ClassVar[list[BindingType]] = [*TAG_CARD_KEYS, *WRITE_KEYS, *RUN_CARD_KEYS, *RUN_KEYS]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._reader = payloads or Payloads()
        self._data = DistributionChartCache(self._reader)
        self._renderer = DistributionRenderer()

    def prepare_cards(self, view: View) -> PreparedView[RunCards]:
        cards = self._data.cards(view)
        return PreparedView(view, cards, Painter(DistributionSource(self._data, self._renderer, view, cards), cards))

    def card_forms(self) -> CardForms[RunCards]:
        from tbtui.plugins.histograms.pane.forms import HistogramForms

        return HistogramForms(self._reader, build_options_fields, quantiles_first=True)

    def is_overview(self, settings: Settings) -> bool:
        return settings.overview

    def successor_of(self, key: str, cards: RunCards, *, is_open: bool) -> str | None:
        return cards.find_successor(key) if is_open else cards.find_counterpart(key)

    def status(self) -> str:
        view = self.view
        return "" if view is None else format_settings_label(view.settings, self.opened.key)


def build_options_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of the options of all charts."""
    from tbtui.plugins.histograms.pane.forms import build_cards_fields
    from tbtui.widgets.form_fields import create_axes_fields, create_points_fields, create_row_order_field, group_fields

    table = group_fields("Table of an opened chart", create_row_order_field(settings))
    return *create_axes_fields(settings), *create_points_fields(settings), *build_cards_fields(settings), *table
