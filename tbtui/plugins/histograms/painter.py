"""Draws the histograms of one view, and those of one card in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.histograms.bucket_table import bucket_table
from tbtui.plugins.histograms.data import Chart
from tbtui.plugins.histograms.notes import stand_of
from tbtui.plugins.histograms.painting import RecordedPainter
from tbtui.plugins.histograms.picking import run_at
from tbtui.plugins.histograms.readings import chosen_of, focused
from tbtui.plugins.histograms.table import step_table
from tbtui.plugins.histograms.words import happened_words, outside_word, refused_word, settings, step_word

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.histograms.data import ChartData
    from tbtui.plugins.histograms.drawing import Drawing
    from tbtui.plugins.histograms.drawn import Drawn
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View
    from tbtui.widgets.frames import Opened


class HistogramsPainter(RecordedPainter[Chart]):
    """The charts of one view as pictures: a `CardPainter` and an `OpenPainter`."""

    def __init__(self, data: ChartData, drawing: Drawing, view: View, cards: RunCards) -> None:
        super().__init__(data, drawing, view, cards)
        self._bins = drawing.bins

    def settings(self, key: str) -> str:
        """How a chart is drawn."""
        return settings(self.view.choices, key)

    def told_below(self) -> Hashable:
        """Whether a row is a bucket."""
        return self.view.choices.bucket_rows

    def table(
        self, chart: Chart, sharing: Sequence[Recorded], width: int, pointer: Pointer
    ) -> tuple[Cells, Cells, tuple[str, ...]]:
        """A row a run, or a row a bucket."""
        if self.view.choices.bucket_rows:
            index = focused(chart.recorded, pointer.focus) or 0
            return *bucket_table(chosen_of(chart.recorded[index], pointer), width), ()
        return step_table(sharing, width, pointer, self.cards.run_of(chart.key))

    def told(self, chart: Chart, drawn: Drawn, pointer: Pointer) -> Iterator[str]:
        """Which step is shown, what happened, what cannot be drawn, what lies outside the axis."""
        yield step_word(chart.recorded, pointer)
        yield from happened_words(chart.recorded)
        for each in chart.recorded:
            yield chosen_of(each, pointer).refused
        if chart.may_leave_out and not chart.blank:
            yield outside_word(drawn.outside)
        yield from map(refused_word, chart.recorded)

    def told_alone(self, chart: Chart, pointer: Pointer) -> tuple[str, ...]:
        """Which step is shown, and where its values stand."""
        return step_word(chart.recorded, pointer, brief=True), stand_of(chart.recorded, pointer)

    def pick(self, opened: Opened, column: int, row: int) -> str | None:
        """See `OpenPainter`."""
        if opened.plot is None:
            return None
        chart = self.data.chart(self.opened_view, opened.key)
        return run_at(chart, self.pointer(chart), self._bins, opened.plot, column, row)
