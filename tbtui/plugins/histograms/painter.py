"""Draws the cards of one view, and one of them in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.card import broken_card, outline_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.headline import BETWEEN, below, headline
from tbtui.charts.text import fit, write
from tbtui.plugins.histograms.bucket_table import bucket_table
from tbtui.plugins.histograms.notes import stand_of
from tbtui.plugins.histograms.picking import run_at
from tbtui.plugins.histograms.readings import chosen_of, focused
from tbtui.plugins.histograms.table import step_table
from tbtui.plugins.histograms.words import (
    outside_word,
    refused_word,
    settings,
    step_word,
    unrest_words,
    what_went_wrong,
)
from tbtui.viewstate.pointer import pointer_of
from tbtui.widgets.frames import Opened, Painted

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.plugins.histograms.data import Chart, ChartData
    from tbtui.plugins.histograms.drawing import Drawing
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View

TABLE_FROM_HEIGHT = 14
"""Lower panes give all their rows to the chart."""


class HistogramsPainter:
    """The charts of one view as pictures: a `CardPainter` and an `OpenPainter`.

    Args:
        data: Kept from view to view, as is the drawing; only `outline` leaves both alone.
        drawing: Draws the charts.
        view: What is shown.
        cards: The cards of the view, from `data`.
    """

    def __init__(self, data: ChartData, drawing: Drawing, view: View, cards: RunCards) -> None:
        self._data = data
        self._drawing = drawing
        self._view = view
        self._cards = cards
        self._runs = tuple(run.name for run in view.runs)

    def look(self, key: str) -> Hashable:
        """See `CardPainter`: the chart, what is told above and below it, and where the user looks in it."""
        choices = self._view.choices
        told = settings(choices, key), choices.bucket_rows, self._runs
        return self._data.look(self._view, key), told, pointer_of(choices)

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> Painted:
        """See `CardPainter`."""
        chart = self._data.chart(self._view, key)
        drawn = self._drawing.card(
            chart,
            width,
            height,
            focused=focused,
            pointer=self._pointer(chart),
            sharing=self._data.sharing(self._view, key),
            runs=self._runs,
        )
        return Painted(drawn.cells, drawn.plot, drawn.stops)

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return outline_card(self._cards.title_of(key), width, height, focused=focused)

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return broken_card(self._cards.title_of(key), what_went_wrong(error), width, height, focused=focused)

    def open(self, key: str, width: int, height: int) -> Opened:
        """See `OpenPainter`."""
        chart, sharing = self._data.chart(self._view, key), self._data.sharing(self._view, key)
        pointer = self._pointer(chart)
        header, rows, runs = self._table(chart, sharing, width, pointer)
        table_height = min(rows.height + 1, height * 2 // 5) if height >= TABLE_FROM_HEIGHT else 0
        drawn = self._drawing.opened(chart, width, height - table_height - 1, pointer, sharing)
        if table_height:
            title = headline(chart.title, self._told(chart, drawn.outside, pointer), width)
        else:
            said = step_word(chart.recorded, pointer), stand_of(chart.recorded, pointer)
            title = headline(chart.title, BETWEEN.join(filter(None, said)), width, first=True)
        plot = None if drawn.plot is None else drawn.plot.moved(1, 0)
        return Opened(key, below(title, drawn.cells), header, rows, plot, drawn.stops, runs)

    def pick(self, opened: Opened, column: int, row: int) -> str | None:
        """See `OpenPainter`."""
        if opened.plot is None:
            return None
        chart = self._data.chart(self._view, opened.key)
        return run_at(chart, self._pointer(chart), self._drawing.bins, opened.plot, column, row)

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        """See `OpenPainter`."""
        body = Cells.blank(max(height - 1, 0), width)
        write(body, body.height // 3, 2, fit(what_went_wrong(error), width - 2), Ink.WARN)
        said = self._run_word(key), settings(self._view.choices, key)
        title = headline(self._cards.title_of(key), BETWEEN.join(filter(None, said)), width)
        return Opened(key, below(title, body), Cells.blank(0, width), Cells.blank(0, width))

    def _table(
        self, chart: Chart, sharing: tuple[Recorded, ...], width: int, pointer: Pointer
    ) -> tuple[Cells, Cells, tuple[str, ...]]:
        if self._view.choices.bucket_rows:
            index = focused(chart.recorded, pointer.focus) or 0
            return *bucket_table(chosen_of(chart.recorded[index], pointer), width), ()
        return step_table(sharing, width, pointer, self._cards.run_of(chart.key))

    def _told(self, chart: Chart, outside: float, pointer: Pointer) -> str:
        """What stands beside the title of an opened chart."""
        told = (
            self._run_word(chart.key),
            step_word(chart.recorded, pointer),
            *(word for each in chart.recorded for word in unrest_words(each)[:1]),
            *(chosen_of(each, pointer).refused for each in chart.recorded),
            outside_word(outside) if chart.may_leave_out and not chart.blank else "",
            *map(refused_word, chart.recorded),
            settings(self._view.choices, chart.key),
        )
        return BETWEEN.join(dict.fromkeys(filter(None, told)))

    def _pointer(self, chart: Chart) -> Pointer:
        return pointer_of(self._view.choices, chart.axes.along.origin)

    def _run_word(self, key: str) -> str:
        """The run of a card, where several have one."""
        run = self._cards.run_of(key)
        return run if run is not None and len(self._runs) > 1 else ""
