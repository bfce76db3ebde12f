"""Draws the cards of one view, and one of them in full size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.headline import BETWEEN, below, headline
from tbtui.charts.line_chart import Trace
from tbtui.charts.picking import nearest_line
from tbtui.plugins.scalars.drawing import stand_of, what_went_wrong
from tbtui.plugins.scalars.readings import Readings, pointer_of
from tbtui.plugins.scalars.table import line_table
from tbtui.plugins.scalars.words import beyond_word, settings
from tbtui.viewstate.words import cursor_word
from tbtui.widgets.frames import CardFallback, Opened, Painted, table_height

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.charts.cells import Cells
    from tbtui.plugins.scalars.cards import Cards
    from tbtui.plugins.scalars.data import Chart, ScalarData
    from tbtui.plugins.scalars.drawing import Drawing
    from tbtui.plugins.scalars.readings import Pointer
    from tbtui.viewstate.view import View


class ScalarsPainter:
    """The charts of one view as pictures: a `CardPainter` and an `OpenPainter`.

    Args:
        data: Kept from view to view, as is the drawing; only `outline` leaves both alone.
        drawing: Draws the charts.
        view: What is shown.
        cards: The cards of the view, from `data`.
    """

    def __init__(self, data: ScalarData, drawing: Drawing, view: View, cards: Cards) -> None:
        self._data = data
        self._drawing = drawing
        self._view = view
        self._cards = cards
        self._fallback = CardFallback(cards, what_went_wrong)

    def look(self, key: str) -> Hashable:
        """See `CardPainter`: the chart, what is told above it when it is open, and where the user looks in it."""
        choices = self._view.choices
        focus = choices.focus if choices.focus in self._data.names(self._view, key) else None
        return self._data.look(self._view, key), self._settings(key), replace(pointer_of(choices), focus=focus)

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> Painted:
        """See `CardPainter`."""
        chart = self._data.chart(self._view, key)
        drawn = self._drawing.card(chart, width, height, focused=focused, pointer=self._pointer(chart))
        return Painted(drawn.cells, drawn.plot, drawn.stops, body=drawn.picture)

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return self._fallback.outline(key, width, height, focused=focused)

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return self._fallback.broken(key, width, height, error, focused=focused)

    def open(self, key: str, width: int, height: int) -> Opened:
        """See `OpenPainter`."""
        chart = self._data.chart(self._view, key)
        pointer = self._pointer(chart)
        header, rows = line_table(chart, width, pointer)
        table_rows = table_height(rows, height)
        if table_rows:
            told = filter(None, (self._settings(key), beyond_word(chart.beyond)))
            title = headline(chart.title, BETWEEN.join(told), width)
        else:
            where = cursor_word(self._view.choices, brief=pointer.mark is not None)
            said = filter(None, (stand_of(chart, pointer), where))
            title = headline(chart.title, BETWEEN.join(said), width, first=True)
        body = self._drawing.body(chart, width, height - table_rows - 1, pointer)
        runs = tuple(chart.lines[line].key.run for line in Readings(chart, pointer).rows)
        plot = None if body.plot is None else body.plot.moved(1, 0)
        return Opened(key, below(title, body.cells), header, rows, plot, body.stops, runs)

    def pick(self, opened: Opened, column: int, row: int) -> str | None:
        """See `OpenPainter`."""
        if opened.plot is None:
            return None
        lines = self._data.chart(self._view, opened.key).lines[::-1]
        traces = [Trace(line.x, line.smoothed, 0, ascending=line.ascending) for line in lines]
        found = nearest_line(traces, opened.plot, column, row)
        return None if found is None else lines[found].key.run

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        """See `OpenPainter`."""
        return self._fallback.broken_open(key, width, height, error, self._settings(key))

    def _pointer(self, chart: Chart) -> Pointer:
        return pointer_of(self._view.choices, chart.x_axis.origin)

    def _settings(self, key: str) -> str:
        return settings(self._view.choices, key, [run.name for run in self._view.runs])
