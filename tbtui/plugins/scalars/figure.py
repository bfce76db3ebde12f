"""Prepare the charts of scalars for a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.palette import patterns
from tbtui.export.drawn_sheet import Named
from tbtui.plugins.drawn import Charts
from tbtui.plugins.scalars.data import NoPointsError, ScalarData
from tbtui.plugins.scalars.drawing import Drawing as Drawn
from tbtui.plugins.scalars.labels import full_names
from tbtui.plugins.scalars.painter import ScalarsPainter
from tbtui.plugins.scalars.words import settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.viewstate.view import View


def scalar_charts(view: View, _payloads: Payloads) -> Charts:
    """Return one chart per tag, with a legend of all lines."""
    data = ScalarData()
    cards = data.cards(view)

    def legend(keys: Sequence[str]) -> Iterator[Named]:
        for key in keys:
            try:
                chart = data.chart(view, key)
            except NoPointsError:
                continue
            dashes = patterns(chart.inks)
            joint = len(chart.tags) > 1
            for name, line, ink in zip(full_names(chart), chart.lines, chart.inks, strict=True):
                yield Named(name, ink, chart.tags.index(line.key.tag) if joint else dashes[ink])

    caption = settings(view.choices, runs=[run.name for run in view.runs])
    return Charts(cards.keys, ScalarsPainter(data, Drawn(), view, cards), legend, caption)
