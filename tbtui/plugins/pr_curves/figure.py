"""Prepare the charts of PR curves for a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.card import SEPARATOR
from tbtui.plugins.figure import Charts, runs_of
from tbtui.plugins.pr_curves.chart import CurveChartCache, settings_label
from tbtui.plugins.pr_curves.painter import CurveRenderer, CurveSource
from tbtui.view.card_painter import Painter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.drawing.sheet import LegendEntry
    from tbtui.loading.payloads import Payloads
    from tbtui.view.view import View

PLANE = "precision (up) over recall (across), best F1 ★"


def pr_curve_charts(view: View, payloads: Payloads) -> Charts:
    """Return one chart per tag, with a curve for every run."""
    data = CurveChartCache(payloads)
    cards = data.cards(view)

    def legend(keys: Sequence[str]) -> Iterator[LegendEntry]:
        shown = {each.run for key in keys for each in data.chart(view, key).runs}
        return runs_of(view, shown)

    caption = SEPARATOR.join((PLANE, settings_label(view.settings)))
    return Charts(
        cards.keys, Painter(CurveSource(data, CurveRenderer(), view), cards), legend, caption, named_below=True
    )
