"""Prepare the charts of histograms for a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.plugins.figure import Charts, runs_of
from tbtui.plugins.histograms.painter import HistogramRenderer, HistogramSource
from tbtui.plugins.histograms.readout import HistogramChartCache, settings_label
from tbtui.view.card_painter import Painter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.drawing.sheet import LegendEntry
    from tbtui.loading.payloads import Payloads
    from tbtui.view.view import View


def histogram_charts(view: View, payloads: Payloads) -> Charts:
    """Return one chart per tag and run, or one per tag for all runs."""
    data = HistogramChartCache(payloads)
    cards = data.cards(view)
    painter = Painter(HistogramSource(data, HistogramRenderer(), view, cards), cards)
    is_lines = view.settings.runs_together

    def legend(keys: Sequence[str]) -> Iterator[LegendEntry]:
        runs = runs_of(view, map(cards.run_of, keys))
        return runs if is_lines else (replace(each, pattern=None) for each in runs)

    return Charts(cards.keys, painter, legend, settings_label(view.settings), is_lines)
