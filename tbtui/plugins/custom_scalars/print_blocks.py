"""Print custom scalars: the categories of the layouts, and below each its charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.plugins.custom_scalars.arrangement import ArrangementCache
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.scalars.print_blocks import build_card_blocks
from tbtui.report.blocks import Heading, Notes
from tbtui.report.options import note_left_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.custom_scalars.arrangement import Arrangement
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.view.view import View


class CustomData:
    """Arrangements and charts of the views printed so far."""

    def __init__(self) -> None:
        self._arrangements = ArrangementCache(unfolds=True)
        self.charts = ScalarData(cards=self._arrangements)

    def get_arrangement(self, view: View) -> Arrangement:
        """Return the arrangement of a view."""
        return self._arrangements.get_arrangement(view)


def build_custom_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield the categories and charts of a view in order; those of closed categories too."""
    data = options.cache.instance(CustomData)
    arrangement = data.get_arrangement(view)
    titles = [chart.card.title for category in arrangement.categories for chart in category.charts]
    max_charts = options.tags(len(titles))
    left = max_charts
    for category in arrangement.categories:
        shown = category.charts[:left]
        if not shown and category.charts:
            continue
        left -= len(shown)
        yield Heading(f"{category.title}: {format_count(len(category.charts), 'chart')}", ink=Ink.ACCENT)
        for chart in shown:
            yield from build_card_blocks(data.charts, view, chart.card.key, options)
    if not arrangement.categories:
        yield Heading("custom scalars", "the layouts hold no charts" if not arrangement.hidden else "no chart matches")
    if note := note_left_out(titles, max_charts, "tag", options.target.width):
        yield Notes((note,), has_blank_line=True)
