"""A chart of lines as cells: in the frame of a card, or on its own."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.card import body_size, draw_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.line_chart import LineChart, Trace, draw_line_chart, labels_fit
from tbtui.charts.line_stack import LineStack
from tbtui.charts.marks import RESTART_SIGN, Mark
from tbtui.charts.text import cell_width, fit, pad, safe, shorten, write
from tbtui.plugins.scalars.data import NoPointsError
from tbtui.plugins.scalars.lines import MOST_RAW
from tbtui.plugins.scalars.names import distinct_names

if TYPE_CHECKING:
    from tbtui.plugins.scalars.data import Chart
    from tbtui.plugins.scalars.lines import Floats, Line

MOST_STACKS = 32
"""Crowded charts whose lines are kept."""

LEAST_NAME = 10
LEGEND_NAME = 16
"""Columns of a run's name at the end of its line, at least, and in the legend, at most."""


class Drawing:
    """Draws charts, and keeps the lines of crowded ones for the next picture. Used by one thread."""

    def __init__(self) -> None:
        self._stacks: OrderedDict[tuple[str, int, int], LineStack] = OrderedDict()

    def card(self, chart: Chart, width: int, height: int, *, focused: bool) -> Cells:
        """A chart in its frame: what it is and where it stands above it; below the focused one its legend."""
        columns, rows = body_size(width, height)
        lines = line_chart(chart, columns)
        body = self._body(chart, lines, columns, rows)
        legend = _legend(chart) if focused and not (columns and rows and labels_fit(lines, columns, rows)) else []
        return draw_card(chart.title, body, width, height, focused=focused, note=note_of(chart), legend=legend)

    def body(self, chart: Chart, width: int, height: int) -> Cells:
        """A chart without frame; where nothing can be drawn it says why."""
        return self._body(chart, line_chart(chart, width), width, height)

    def _body(self, chart: Chart, lines: LineChart, width: int, height: int) -> Cells:
        if len(chart.lines) > MOST_RAW:
            cells = self._stack(chart.tag, width, height).draw(lines, width, height)
        else:
            cells = draw_line_chart(lines, width, height)
        message = why_blank(chart)
        if message and cells.height:
            text = fit(message, width)
            write(cells, max(height // 2 - 1, 0), max((width - cell_width(text)) // 2, 0), text, Ink.WARN)
        return cells

    def _stack(self, tag: str, width: int, height: int) -> LineStack:
        key = (tag, width, height)
        stack = self._stacks.setdefault(key, LineStack())
        self._stacks.move_to_end(key)
        while len(self._stacks) > MOST_STACKS:
            self._stacks.popitem(last=False)
        return stack


def _legend(chart: Chart) -> list[tuple[str, int]]:
    names = distinct_names([line.key.run for line in chart.lines])
    return [(shorten(name, LEGEND_NAME), ink) for name, ink in zip(names, chart.inks, strict=True)]


def outline_card(title: str, width: int, height: int, *, focused: bool) -> Cells:
    """A card whose content is not there yet."""
    return draw_card(title, Cells.blank(0, 0), width, height, focused=focused)


def broken_card(title: str, error: Exception, width: int, height: int, *, focused: bool) -> Cells:
    """A card whose chart could not be drawn."""
    columns, rows = body_size(width, height)
    body = Cells.blank(rows, columns)
    write(body, rows // 3, 1, fit(what_went_wrong(error), columns - 2), Ink.WARN)
    return draw_card(title, body, width, height, focused=focused)


def what_went_wrong(error: Exception) -> str:
    """An error in words for people."""
    return str(error) if isinstance(error, NoPointsError) else f"cannot be drawn: {type(error).__name__}: {error}"


def line_chart(chart: Chart, width: int) -> LineChart:
    """The traces and marks of a chart: raw lines faint behind the smoothed ones, the first run on top.

    Args:
        chart: What is shown.
        width: Columns of the chart, which decide how long names at line ends may be.
    """
    rows = list(zip(chart.lines, chart.inks, _labels(chart, max(LEAST_NAME, width // 6)), strict=True))[::-1]
    main = tuple(Trace(line.x, line.smoothed, ink, label=label) for line, ink, label in rows)
    if len(rows) > MOST_RAW:
        return LineChart(main, chart.x_axis, chart.y_axis)
    raw = (Trace(line.x, line.values, ink, faint=True) for line, ink, _ in rows if line.smoothed is not line.values)
    marks = (mark for line, ink, _ in rows for mark in _restart_marks(line, ink))
    return LineChart((*raw, *main), chart.x_axis, chart.y_axis, tuple(marks))


def _labels(chart: Chart, name_width: int) -> list[str]:
    """Name and last value of each line; empty where there are too many to stand side by side."""
    if len(chart.lines) > MOST_RAW:
        return [""] * len(chart.lines)
    names = distinct_names([line.key.run for line in chart.lines])
    width = min(max(cell_width(safe(name)) for name in names), name_width)
    return [
        f"{pad(shorten(name, width), width)} {numbers.brief(float(line.values[-1]))}"
        for name, line in zip(names, chart.lines, strict=True)
    ]


def _restart_marks(line: Line, ink: int) -> list[Mark]:
    return [Mark(float(line.x[index]), RESTART_SIGN, ink, float(line.smoothed[index])) for index in line.restarts]


def note_of(chart: Chart) -> str:
    """Where the lines stand now: the last value, or the least and the greatest of them; and how many end in NaN."""
    last = np.array([line.values[-1] for line in chart.lines])
    finite = last[np.isfinite(last)]
    ends = (finite.min(), finite.max()) if len(finite) else ()
    stand = " – ".join(dict.fromkeys(numbers.brief(float(value)) for value in ends))
    lost = last[~np.isfinite(last)]
    if not len(lost):
        return stand
    count = f"{len(lost)} " if len(last) > 1 else ""
    return f"✗ {count}{numbers.brief(float(lost[0]))} {stand}".rstrip()


def why_blank(chart: Chart) -> str:
    """Why no line can be seen; empty when one can."""
    if not any(bool(np.isfinite(line.values).any()) for line in chart.lines):
        return "no value is a finite number"
    if chart.y_axis.scale == "log" and not any(bool((_finite(line) > 0).any()) for line in chart.lines):
        return "all values ≤ 0: none fits a log axis"
    return ""


def _finite(line: Line) -> Floats:
    return np.asarray(line.values[np.isfinite(line.values)])
