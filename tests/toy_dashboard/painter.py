"""Draw levels as cards, for the picture and for a pane of cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.card import body_size
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import safe, write
from tbtui.frozen import frozen
from tbtui.plugins.picture import Charts, run_legend_entries
from tbtui.view.card_painter import ChartSource, DrawnChart, Painter, framed
from tbtui.view.cards import ShownRunCards
from tests.toy_dashboard.decode import levels_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.view.view import View


@frozen
class LevelChart:
    """Data of one card."""

    title: str
    lines: tuple[str, ...]
    """One line per run."""


class LevelSource(ChartSource[LevelChart]):
    """Writes the levels of each run on a line of the card."""

    def __init__(self, view: View) -> None:
        self._view = view

    def look(self, key: str) -> Hashable:
        return self.chart(key)

    def chart(self, key: str, *, is_open: bool = False) -> LevelChart:
        found = {run.name: levels_of(run, key) for run in self._view.runs}
        return LevelChart(
            key, tuple(" ".join((run, str(levels), *reasons)) for run, (levels, reasons) in found.items())
        )

    def card(self, chart: LevelChart, width: int, height: int, *, focused: bool) -> DrawnChart:
        body = self.detail(chart, *body_size(width, height), has_table=False)
        return framed(body, chart.title, width, height, focused=focused, note="")

    def detail(self, chart: LevelChart, width: int, height: int, *, has_table: bool) -> DrawnChart:
        cells = Cells.blank(height, width)
        for row, line in enumerate(chart.lines[:height]):
            write(cells, row, 0, safe(line), Ink.TEXT)
        return DrawnChart(cells)

    # An opened card has no table, and the mouse nothing to point at.

    def table(self, chart: LevelChart, width: int) -> tuple[Cells, Cells, tuple[str, ...]]:
        return Cells.blank(1, width), Cells.blank(0, width), ()

    def title_words(self, chart: LevelChart, drawn: DrawnChart, *, has_table: bool) -> tuple[str, ...]:
        return ()

    def settings(self, key: str) -> str:
        return ""

    def describe(self, error: Exception) -> str:
        return safe(str(error))

    def run_at(self, chart: LevelChart, plot: PlotArea, column: int, row: int) -> str | None:
        return None


def level_charts(view: View) -> Charts:
    cards = ShownRunCards("levels", together=True).of(view)
    return Charts(
        cards.keys,
        Painter(LevelSource(view), cards),
        lambda keys: run_legend_entries(view, [None]),
        "levels over steps",
    )
