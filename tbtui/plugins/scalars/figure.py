"""Prepare the charts of scalars for a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.colours import dash_patterns
from tbtui.export.drawing.sheet import LegendEntry
from tbtui.plugins.figure import Charts
from tbtui.plugins.scalars.chart import NoPointsError, ScalarData, settings_label
from tbtui.plugins.scalars.painter import ScalarRenderer, ScalarSource
from tbtui.plugins.scalars.readout import full_names
from tbtui.view.card_painter import Painter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.view.view import View


def scalar_charts(view: View, _payloads: Payloads) -> Charts:
    """Return one chart per tag, with a legend of all lines."""
    return charts_of(ScalarData(), view)


def charts_of(data: ScalarData, view: View) -> Charts:
    """Return the charts of all cards of a view, with a legend of all lines."""
    cards = data.cards(view)

    def legend(keys: Sequence[str]) -> Iterator[LegendEntry]:
        for key in keys:
            try:
                chart = data.chart(view, key)
            except NoPointsError:
                continue
            dashes = dash_patterns(chart.inks)
            joint = len(chart.tags) > 1 and not chart.by_tag
            for name, line, ink in zip(full_names(chart), chart.lines, chart.inks, strict=True):
                yield LegendEntry(name, ink, chart.tags.index(line.key.tag) if joint else dashes[ink])

    caption = settings_label(view.settings, runs=[run.name for run in view.runs])
    return Charts(cards.keys, Painter(ScalarSource(data, ScalarRenderer(), view), cards), legend, caption)
