"""A chart of lines as cells: in the frame of a card, or on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.card import body_size, draw_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.line_chart import LineChart, Trace, draw_line_chart, labels_fit
from tbtui.charts.marks import RESTART_SIGN, Mark
from tbtui.charts.text import cell_width, fit, shorten, write
from tbtui.plugins.scalars.data import NoPointsError
from tbtui.plugins.scalars.names import distinct_names

if TYPE_CHECKING:
    from tbtui.plugins.scalars.data import Chart
    from tbtui.plugins.scalars.lines import Floats, Line

MOST_RAW = 12
"""With more lines than this, the raw ones behind the smoothed would only be noise. Restarts are marked likewise."""

LABEL_NAME = 12
"""Columns of a run's name at the end of its line."""


def chart_card(chart: Chart, width: int, height: int, *, focused: bool) -> Cells:
    """A chart in its frame: what it is and where it stands in the top line, whose lines they are below."""
    columns, rows = body_size(width, height)
    body = chart_body(chart, columns, rows)
    labelled = labels_fit(line_chart(chart), columns, rows) if columns and rows else False
    names = distinct_names([line.key.run for line in chart.lines])
    legend = list(zip(names, chart.inks, strict=True)) if focused and len(names) > 1 and not labelled else []
    return draw_card(chart.title, body, width, height, focused=focused, note=note_of(chart), legend=legend)


def chart_body(chart: Chart, width: int, height: int) -> Cells:
    """A chart without frame; where nothing can be drawn it says why."""
    cells = draw_line_chart(line_chart(chart), width, height)
    message = why_blank(chart)
    if message and height > 0:
        text = fit(message, width)
        write(cells, max(height // 2 - 1, 0), max((width - cell_width(text)) // 2, 0), text, Ink.WARN)
    return cells


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


def line_chart(chart: Chart) -> LineChart:
    """The traces and marks of a chart: raw lines faint behind the smoothed ones, the first run on top."""
    few = len(chart.lines) <= MOST_RAW
    names = distinct_names([line.key.run for line in chart.lines]) if few else ("",) * len(chart.lines)
    rows = list(zip(chart.lines, chart.inks, names, strict=True))[::-1]
    raw = [
        Trace(line.x, line.values, ink, faint=True) for line, ink, _ in rows if few and line.smoothed is not line.values
    ]
    main = [Trace(line.x, line.smoothed, ink, label=_label(name, line)) for line, ink, name in rows]
    marks = [mark for line, ink, _ in rows if few for mark in _restart_marks(line, ink)]
    return LineChart((*raw, *main), chart.x_axis, chart.y_axis, tuple(marks))


def _label(name: str, line: Line) -> str:
    return f"{shorten(name, LABEL_NAME)} {numbers.brief(float(line.values[-1]))}" if name else ""


def _restart_marks(line: Line, ink: int) -> list[Mark]:
    return [Mark(float(line.x[index]), RESTART_SIGN, ink, float(line.smoothed[index])) for index in line.restarts]


def note_of(chart: Chart) -> str:
    """Where the lines stand now: the last value, or the least and the greatest of them, and how many end in NaN."""
    last = np.array([line.values[-1] for line in chart.lines])
    finite = last[np.isfinite(last)]
    ends = (finite.min(), finite.max()) if len(finite) else ()
    stand = " – ".join(dict.fromkeys(numbers.brief(float(value)) for value in ends))
    lost = len(last) - len(finite)
    if lost:
        stand = f"✗ {numbers.brief(float(last[0])) if len(last) == 1 else lost} {stand}".rstrip()
    return stand


def why_blank(chart: Chart) -> str:
    """Why no line can be seen; empty when one can."""
    if not any(bool(np.isfinite(line.values).any()) for line in chart.lines):
        return "no value is a finite number"
    if chart.y_axis.scale == "log" and not any(bool((_finite(line) > 0).any()) for line in chart.lines):
        return "all values ≤ 0: none fits a log axis"
    return ""


def _finite(line: Line) -> Floats:
    return line.values[np.isfinite(line.values)]
