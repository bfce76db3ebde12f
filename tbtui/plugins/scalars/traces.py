"""A chart as traces and signs: what lies above what, what is faint, what is marked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.band import Band
from tbtui.charts.canvas import DASHES
from tbtui.charts.cells import Ink
from tbtui.charts.guides import Level
from tbtui.charts.line_chart import LineChart, Trace
from tbtui.charts.marks import BEST_SIGN, MAX_SIGN, MIN_SIGN, NAN_SIGN, RESTART_SIGN, Mark
from tbtui.plugins.scalars.labels import count_of_others, end_labels
from tbtui.plugins.scalars.lines import MOST_RAW
from tbtui.plugins.scalars.readings import NOWHERE, Readings, best_of_all, is_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.plugins.scalars.data import Chart
    from tbtui.plugins.scalars.lines import Line
    from tbtui.plugins.scalars.readings import Pointer


def line_chart(chart: Chart, width: int, height: int, pointer: Pointer = NOWHERE) -> LineChart:
    """Traces, bands, marks and levels of a chart, without cursor.

    From below: what was superseded, raw values behind smoothed ones, lines in the reverse order of the run tree, the
    focused run. In a crowd there are no raw values, bands and extremes, and beside a focused run all others are faint.

    Args:
        chart: What is shown.
        width: Columns of the chart, which decide how long names at line ends may be.
        height: Its rows, which decide how many there may be.
        pointer: Whose focus, baseline and marks are wanted.
    """
    few = len(chart.lines) <= MOST_RAW
    in_focus = frozenset(index for index, line in enumerate(chart.lines) if is_of(line, pointer.focus))
    order = sorted(range(len(chart.lines)), key=lambda index: (index in in_focus, -index))
    ends = Readings(chart, _at_ends(pointer))
    labels = end_labels(ends, width, height)
    traces = [
        *_superseded(chart, order),
        *(_raw(chart, order) if few else ()),
        *(_trace(chart, index, labels, faint=not few and bool(in_focus) and index not in in_focus) for index in order),
    ]
    rest = count_of_others(ends, labels)
    if rest:
        traces.append(Trace(np.empty(0), np.empty(0), Ink.DIM, label=rest))
    return LineChart(
        tuple(traces),
        chart.x_axis,
        chart.y_axis,
        tuple(_marks(chart, order, pointer, few=few)),
        tuple(_bands(chart, order)) if few else (),
        tuple(Level(level.y, level.name or numbers.short(level.y)) for level in chart.levels),
    )


def _at_ends(pointer: Pointer) -> Pointer:
    """The same without cursor: what stands at the ends of lines is about their ends, and does not move with it."""
    return replace(pointer, cursor=None, mark=None)


def _trace(chart: Chart, index: int, labels: Mapping[int, str], *, faint: bool) -> Trace:
    line = chart.lines[index]
    return Trace(
        line.x, line.smoothed, chart.inks[index], faint, labels.get(index, ""), line.ascending, _pattern(chart, line)
    )


def _pattern(chart: Chart, line: Line) -> int | None:
    """Joined tags differ by their dashes, whatever the colours; the dashes of a single one are left to the chart."""
    return None if len(chart.tags) == 1 else chart.tags.index(line.key.tag) % len(DASHES)


def _raw(chart: Chart, order: Sequence[int]) -> Iterator[Trace]:
    for line, ink in _lines(chart, order):
        if line.smoothed is not line.values and not line.members:
            yield Trace(line.x, line.values, ink, faint=True, ascending=line.ascending, pattern=_pattern(chart, line))


def _superseded(chart: Chart, order: Sequence[int]) -> Iterator[Trace]:
    for line, ink in _lines(chart, order):
        if line.superseded is not None:
            yield Trace(*line.superseded, ink, faint=True, ascending=False, pattern=0)


def _bands(chart: Chart, order: Sequence[int]) -> Iterator[Band]:
    for line, ink in _lines(chart, order):
        if line.band is not None:
            yield Band(line.x, line.band.low, line.band.high, ink)


def _marks(chart: Chart, order: Sequence[int], pointer: Pointer, *, few: bool) -> Iterator[Mark]:
    for line, ink in _lines(chart, order) if few else ():
        for index in line.restarts:
            yield Mark(float(line.x[index]), RESTART_SIGN, ink, float(line.smoothed[index]))
        for index in line.lost:
            yield Mark(float(line.x[index]), NAN_SIGN, ink, float(line.smoothed[index]))
        if pointer.extremes:
            yield from _extremes(line, ink)
    best = best_of_all(chart) if pointer.extremes and chart.best is not None else None
    if best is not None:
        index, point = best
        yield _at(chart.lines[index], point, BEST_SIGN, chart.inks[index])


def _extremes(line: Line, ink: int) -> Iterator[Mark]:
    for point, sign in ((line.figures.least, MIN_SIGN), (line.figures.greatest, MAX_SIGN)):
        if point is not None:
            yield _at(line, point, sign, ink)


def _at(line: Line, point: int, sign: str, ink: int) -> Mark:
    """A sign at what was measured, which may lie far from the smoothed line."""
    return Mark(float(line.x[point]), sign, ink, float(line.values[point]))


def _lines(chart: Chart, order: Sequence[int]) -> Iterator[tuple[Line, int]]:
    return ((chart.lines[index], chart.inks[index]) for index in order)
