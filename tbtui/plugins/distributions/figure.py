"""Prepare the charts of distributions for a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.card import SEPARATOR
from tbtui.plugins.distributions.chart import DistributionChartCache, settings_label
from tbtui.plugins.distributions.painter import DistributionRenderer, DistributionSource
from tbtui.plugins.figure import Charts, runs_of
from tbtui.view.card_painter import Painter

if TYPE_CHECKING:
    from tbtui.loading.payloads import Payloads
    from tbtui.view.view import View

FAN = "median, and bands of 38, 68, 87 and 100 % of the values"
"""The quantiles of TensorBoard's distributions: 6.68, 15.87, 30.85, 50, 69.15, 84.13 and 93.32 %, and both ends."""


def distribution_charts(view: View, payloads: Payloads) -> Charts:
    """Return one fan of quantiles per tag and run, or one chart per tag for all runs."""
    data = DistributionChartCache(payloads)
    cards = data.cards(view)
    painter = Painter(DistributionSource(data, DistributionRenderer(), view, cards), cards)
    together = view.settings.runs_together
    caption = SEPARATOR.join((*(() if together else (FAN,)), settings_label(view.settings)))
    return Charts(
        cards.keys, painter, lambda keys: runs_of(view, map(cards.run_of, keys)), caption, named_below=together
    )
