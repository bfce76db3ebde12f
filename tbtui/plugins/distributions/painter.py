"""Draws the quantile curves of one view, and those of one card in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.distributions.data import Chart
from tbtui.plugins.distributions.notes import stands_of
from tbtui.plugins.distributions.picking import run_at
from tbtui.plugins.distributions.table import quantile_table
from tbtui.plugins.distributions.words import left_out_word, settings
from tbtui.plugins.histograms.painting import RecordedPainter
from tbtui.plugins.histograms.readings import chosen_of
from tbtui.plugins.histograms.words import happened_words, refused_word, step_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.histograms.drawn import Drawn
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer
    from tbtui.widgets.frames import Opened


class DistributionsPainter(RecordedPainter[Chart]):
    """The charts of one view as pictures: a `CardPainter` and an `OpenPainter`."""

    def settings(self, key: str) -> str:
        """How a chart is drawn."""
        return settings(self.view.choices, key)

    def table(
        self, chart: Chart, sharing: Sequence[Recorded], width: int, pointer: Pointer
    ) -> tuple[Cells, Cells, tuple[str, ...]]:
        """A row a run, or two."""
        return quantile_table(sharing, width, pointer, self.cards.run_of(chart.key))

    def told(self, chart: Chart, _drawn: Drawn, pointer: Pointer) -> Iterator[str]:
        """Which step is read, what happened, what cannot be drawn, what lies outside the axis."""
        yield step_word(chart.recorded, pointer)
        yield from happened_words(chart.recorded)
        for each in chart.recorded:
            yield chosen_of(each, pointer).refused
        yield left_out_word(chart)
        yield from map(refused_word, chart.recorded)

    def told_alone(self, chart: Chart, pointer: Pointer) -> tuple[str, ...]:
        """Where the values stand, at which step, and how far they reach."""
        stand, _, reach = stands_of(chart.recorded, pointer)[0].partition(" (")
        return stand, step_word(chart.recorded, pointer), reach.rstrip(")")

    def pick(self, opened: Opened, column: int, row: int) -> str | None:
        """See `OpenPainter`."""
        if opened.plot is None:
            return None
        return run_at(self.data.chart(self.opened_view, opened.key), opened.plot, column, row)
