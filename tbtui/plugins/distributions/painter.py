"""Draws the cards of one view, and one of them in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.card import broken_card, outline_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.headline import BETWEEN, below, headline
from tbtui.charts.text import fit, write
from tbtui.plugins.distributions.notes import note_of
from tbtui.plugins.distributions.picking import run_at
from tbtui.plugins.distributions.readings import pointer_of
from tbtui.plugins.distributions.table import quantile_table
from tbtui.plugins.distributions.words import beyond_word, settings
from tbtui.plugins.histograms.recorded import NothingRecordedError
from tbtui.viewstate.words import cursor_word
from tbtui.widgets.frames import Opened, Painted

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.plugins.distributions.data import Chart, DistributionData
    from tbtui.plugins.distributions.drawing import Drawing
    from tbtui.plugins.distributions.readings import Pointer
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View

TABLE_FROM_HEIGHT = 14
"""Lower panes give all their rows to the chart."""


class DistributionsPainter:
    """The charts of one view as pictures: a `CardPainter` and an `OpenPainter`.

    Args:
        data: Kept from view to view, as is the drawing; only `outline` leaves both alone.
        drawing: Draws the charts.
        view: What is shown.
        cards: The cards of the view, from `data`.
    """

    def __init__(self, data: DistributionData, drawing: Drawing, view: View, cards: RunCards) -> None:
        self._data = data
        self._drawing = drawing
        self._view = view
        self._cards = cards
        self._runs = tuple(run.name for run in view.runs)

    def look(self, key: str) -> Hashable:
        """See `CardPainter`: the chart, its table, and where the user looks in it."""
        data, view = self._data, self._view
        looks = data.look(view, key), data.look_of_runs(view, key), settings(view.choices, key)
        return *looks, self._runs, pointer_of(view.choices)

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> Painted:
        """See `CardPainter`."""
        chart = self._data.chart(self._view, key)
        pointer = self._pointer(chart)
        drawn = self._drawing.card(chart, width, height, focused=focused, pointer=pointer, runs=self._runs)
        return Painted(drawn.cells, drawn.plot, drawn.stops)

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return outline_card(self._cards.title_of(key), width, height, focused=focused)

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return broken_card(self._cards.title_of(key), what_went_wrong(error), width, height, focused=focused)

    def open(self, key: str, width: int, height: int) -> Opened:
        """See `OpenPainter`."""
        chart = self._data.chart(self._view, key)
        pointer = self._pointer(chart)
        header, rows, runs = quantile_table(self._data.runs(self._view, key), width, pointer)
        table_height = min(rows.height + 1, height * 2 // 5) if height >= TABLE_FROM_HEIGHT else 0
        if table_height:
            said = self._run_word(key), beyond_word(chart, self._view.choices), settings(self._view.choices, key)
            title = headline(chart.title, BETWEEN.join(filter(None, said)), width)
        else:
            brief = note_of(chart, pointer), cursor_word(self._view.choices)
            title = headline(chart.title, BETWEEN.join(filter(None, brief)), width, first=True)
        body = self._drawing.body(chart, width, height - table_height - 1, pointer)
        plot = None if body.plot is None else body.plot.moved(1, 0)
        return Opened(key, below(title, body.cells), header, rows, plot, body.stops, runs)

    def pick(self, opened: Opened, column: int, row: int) -> str | None:
        """See `OpenPainter`."""
        if opened.plot is None:
            return None
        return run_at(self._data.chart(self._view, opened.key), opened.plot, column, row)

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        """See `OpenPainter`."""
        body = Cells.blank(max(height - 1, 0), width)
        write(body, body.height // 3, 2, fit(what_went_wrong(error), width - 2), Ink.WARN)
        said = (self._run_word(key), settings(self._view.choices, key))
        title = headline(self._cards.title_of(key), BETWEEN.join(filter(None, said)), width)
        return Opened(key, below(title, body), Cells.blank(0, width), Cells.blank(0, width))

    def _pointer(self, chart: Chart) -> Pointer:
        return pointer_of(self._view.choices, chart.x_axis.origin)

    def _run_word(self, key: str) -> str:
        """The run of a card, where several have one."""
        run = self._cards.run_of(key)
        return run if run is not None and len(self._runs) > 1 else ""


def what_went_wrong(error: Exception) -> str:
    """An error in words for people."""
    if isinstance(error, NothingRecordedError):
        return str(error)
    return f"cannot be drawn: {type(error).__name__}: {error}"
