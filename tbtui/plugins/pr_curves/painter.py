"""Draws the cards of one view, and one of them in full size."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.headline import BETWEEN, below, headline
from tbtui.charts.line_chart import Trace
from tbtui.charts.picking import nearest_line
from tbtui.charts.step_slider import draw_step_bar, step_words
from tbtui.charts.stops import nearest
from tbtui.frozen import frozen
from tbtui.plugins.pr_curves.curves import line_of
from tbtui.plugins.pr_curves.notes import area_word
from tbtui.plugins.pr_curves.readings import leading, pointer_of
from tbtui.plugins.pr_curves.table import curve_table
from tbtui.plugins.pr_curves.words import (
    AXES,
    reading_words,
    settings,
    step_word,
    steps_word,
    told_above,
    what_went_wrong,
    zoom_words,
)
from tbtui.viewstate.axes import KINDS
from tbtui.widgets.frames import CardFallback, Opened, Painted, table_height

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.step_slider import StepBar
    from tbtui.plugins.pr_curves.data import Chart, CurveData, RunCurve
    from tbtui.plugins.pr_curves.drawing import Drawing
    from tbtui.plugins.pr_curves.points import Floats
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View


@frozen(eq=False)
class OpenedCurves(Opened):
    """A card in full size, in which a threshold can be chosen too."""

    slider: PlotArea | None = None
    """Where the slider of steps lies within the picture."""

    thresholds: Floats = field(default_factory=lambda: np.empty(0))
    """Those that can be chosen, float64[k] ascending: every one that a curve is drawn of."""

    start: float | None = None
    """The one that is read while none is chosen, of the run that leads; None without any."""


class PrCurvesPainter:
    """The charts of one view as pictures: a `CardPainter` and an `OpenPainter`.

    Args:
        data: Kept from view to view, as is the drawing; only `outline` leaves both alone.
        drawing: Draws the charts.
        view: What is shown.
        cards: The cards of the view, from `data`.
    """

    def __init__(self, data: CurveData, drawing: Drawing, view: View, cards: RunCards) -> None:
        self._data = data
        self._drawing = drawing
        self._view = view
        self._cards = cards
        self._fallback = CardFallback(cards, what_went_wrong)
        self._runs = tuple(run.name for run in view.runs)
        self._pointer = pointer_of(view.choices)

    def look(self, key: str) -> Hashable:
        """See `CardPainter`: the chart, and where the user looks in it."""
        return self._data.look(self._view, key), self._runs, self._pointer

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> Painted:
        """See `CardPainter`."""
        chart = self._data.chart(self._view, key)
        drawn = self._drawing.card(chart, width, height, focused=focused, pointer=self._pointer, runs=self._runs)
        return Painted(drawn.cells, drawn.plot, self._data.stops(self._view, key), body=drawn.picture)

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return self._fallback.outline(key, width, height, focused=focused)

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return self._fallback.broken(key, width, height, error, focused=focused)

    def open(self, key: str, width: int, height: int) -> OpenedCurves:
        """See `OpenPainter`: between chart and table stands a slider of steps."""
        chart, stops = self._data.chart(self._view, key), self._data.stops(self._view, key)
        header, rows, runs = curve_table(chart.runs, width, self._pointer)
        table_rows = table_height(rows, height)
        slider_height = 1 if table_rows else 0
        drawn = self._drawing.body(chart, width, height - table_rows - slider_height - 1, self._pointer)
        picture, slider = drawn.cells, None
        if slider_height:
            bar = self._step_bar(chart, stops, width)
            slider = None if bar.plot is None else bar.plot.moved(1 + picture.height, 0)
            picture = below(picture, bar.cells)
        lead = leading(chart.runs, self._pointer.focus)
        reading = None if lead is None or lead.curve is None else lead.curve.at(None)
        return OpenedCurves(
            key,
            below(self._headline(chart, width, with_table=bool(table_rows)), picture),
            header,
            rows,
            None if drawn.plot is None else drawn.plot.moved(1, 0),
            stops,
            runs,
            slider,
            _thresholds(chart.runs),
            None if reading is None else reading.threshold,
        )

    def pick(self, opened: Opened, column: int, row: int) -> str | None:
        """See `OpenPainter`."""
        found = self._line_at(opened, column, row)
        return None if found is None else found.run

    def threshold_at(self, opened: Opened, column: int, row: int) -> float | None:
        """The threshold of the point nearest to a cell of the picture, on the line nearest to it; None without any."""
        found, plot = self._line_at(opened, column, row), opened.plot
        if found is None or found.curve is None or plot is None:
            return None
        curve = found.curve
        across = plot.x_axis.unit(curve.recall) - plot.x_axis.unit(plot.x_at(column))
        down = plot.y_axis.unit(curve.precision) - plot.y_axis.unit(plot.y_at(row))
        # Rows are about twice as high as columns are wide.
        away = np.hypot(plot.width * across, 2 * plot.height * down)
        away[curve.lost] = np.inf
        return float(curve.thresholds[int(np.argmin(away))])

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        """See `OpenPainter`."""
        return self._fallback.broken_open(key, width, height, error, settings(self._view.choices, key))

    def _line_at(self, opened: Opened, column: int, row: int) -> RunCurve | None:
        if opened.plot is None:
            return None
        drawn = [each for each in self._data.chart(self._view, opened.key).runs[::-1] if each.curve is not None]
        lines = [line_of(each.curve) for each in drawn if each.curve is not None]
        traces = [Trace(x, y, 0, ascending=ascending) for x, y, ascending in lines]
        found = nearest_line(traces, opened.plot, column, row)
        return None if found is None else drawn[found]

    def _headline(self, chart: Chart, width: int, *, with_table: bool) -> Cells:
        runs, pointer = chart.runs, self._pointer
        told: tuple[str, ...]
        if with_table:
            told = *told_above(runs, pointer), *zoom_words(self._view.choices, chart.key), AXES
        else:
            lead = leading(runs, pointer.focus)
            reading = None if lead is None or lead.curve is None else lead.curve.at(pointer.threshold)
            brief, rest = reading_words(reading, pointer), (area_word(runs), step_word(runs, pointer))
            told = (*rest, *brief) if pointer.threshold is None else (*brief, *rest)
        return headline(chart.title, BETWEEN.join(filter(None, told)), width, first=not with_table)

    def _step_bar(self, chart: Chart, stops: Floats, width: int) -> StepBar:
        """The bar of steps in a row of its own, below the plot."""
        choices = self._view.choices
        cursor, mark = choices.cursor, None if choices.cursor is None else choices.mark
        place = len(stops) if cursor is None or not len(stops) else nearest(stops, cursor) + 1
        words = step_words(steps_word(chart.runs), place, len(stops), is_newest=cursor is None)
        return draw_step_bar(words, stops, cursor, mark, KINDS[choices.x_axis], width)


def _thresholds(runs: Sequence[RunCurve]) -> Floats:
    curves = [each.curve.thresholds[: each.curve.shown] for each in runs if each.curve is not None]
    return np.asarray(np.unique(np.concatenate([*curves, np.empty(0)])))
