"""The runs of one chart as a table: where each stands, at the cursor or over a stretch, and what its extremes were."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.columns import aligned
from tbtui.charts.marks import BASELINE_SIGN, BEST_SIGN
from tbtui.charts.palette import marker
from tbtui.charts.text import cell_width, fit, nameable, pad, safe, write
from tbtui.plugins.scalars.labels import full_names, short_names
from tbtui.plugins.scalars.readings import NOWHERE, Readings, best_of_all, is_of
from tbtui.viewstate.run_names import told_apart
from tbtui.viewstate.words import x_word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.plugins.scalars.cursor import Stretch
    from tbtui.plugins.scalars.data import Chart
    from tbtui.plugins.scalars.lines import Line
    from tbtui.plugins.scalars.readings import Pointer

BULLET = 2
"""Columns of a run's bullet and the sign of the focus beside it."""

GAP = 2
"""Blank columns between columns of the table."""

MOST_NAME = 48

NAME_ROOM = ((10, 8), (5, 16), (0, 24))
"""Columns that a column worth at least so much leaves for names, if they are as long; those worth less leave more."""

FOCUS_SIGN = "▸"
"""Beside the bullet of the focused run."""

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of numbers."""

    title: str
    texts: tuple[str, ...]
    """One a line of the chart, all of one width."""

    worth: int
    """Where there is too little room, the columns worth most have it first."""

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return max(len(self.title), len(self.texts[0]))


def run_table(chart: Chart, width: int, pointer: Pointer = NOWHERE) -> tuple[Cells, Cells]:
    """The table's header (one row) and its body (one row a line, in the chosen order), `width` columns wide."""
    readings = Readings(chart, pointer)
    columns = _stretch_columns(readings) if readings.stretches else _columns(readings)
    names = full_names(chart)
    if BULLET + _names_width(names) + _width(columns) > width:
        short = short_names(chart)
        columns = _fitting(columns, width - BULLET, _names_width(short))
        if BULLET + _names_width(names) + _width(columns) > width:
            names = short
    name_width = max(min(_names_width(names), width - BULLET - _width(columns)), 0)
    shown = told_apart(names, name_width)
    header, body = Cells.blank(1, max(width, 0)), Cells.blank(len(shown), max(width, 0))
    title = "run, smoothed" if readings.stretches and _is_smoothed(chart) else "run"
    _write_row(header, 0, fit(title, name_width), name_width, [column.title for column in columns], columns, Ink.DIM)
    for row, line in enumerate(readings.rows):
        in_focus = is_of(chart.lines[line], pointer.focus)
        write(body, row, 0, marker(chart.inks[line]), chart.inks[line])
        texts = [column.texts[line] for column in columns]
        ink = Ink.BOLD if in_focus else Ink.TEXT
        _write_row(body, row, shown[line], name_width, texts, columns, ink)
        if in_focus:
            write(body, row, 1, FOCUS_SIGN, Ink.ACCENT)
    return header, body


def _names_width(names: Sequence[str]) -> int:
    return min(max(map(cell_width, ("run", *(safe(nameable(name)) for name in names)))), MOST_NAME)


def _fitting(columns: Sequence[Column], width: int, names: int) -> list[Column]:
    """The columns that there is room for beside names that are `names` columns wide, in their order."""
    kept: list[Column] = []
    for column in sorted(columns, key=lambda column: -column.worth):
        room = next(room for worth, room in NAME_ROOM if column.worth >= worth)
        if min(names, room) + _width((*kept, column)) <= width:
            kept.append(column)
    return [column for column in columns if column in kept]


def _width(columns: Sequence[Column]) -> int:
    return sum(GAP + column.width for column in columns)


def _write_row(
    cells: Cells, y: int, name: str, name_width: int, texts: Sequence[str], columns: Sequence[Column], ink: int
) -> None:
    """Name at the left, texts at the right of their columns."""
    rest = (" " * GAP + text.rjust(column.width) for text, column in zip(texts, columns, strict=True))
    write(cells, y, 2, pad(name, name_width) + "".join(rest), ink)


def _column(title: str, texts: Sequence[str], worth: int, after: Sequence[str] | None = None) -> Column:
    """A column of numbers with their points in line, and of what follows each."""
    texts = aligned(texts)
    if after is not None:
        room = max(map(len, after))
        texts = tuple(text + more.ljust(room) for text, more in zip(texts, after, strict=True))
    return Column(title, texts, worth)


# At the cursor, or where lines end


def _columns(readings: Readings) -> list[Column]:
    chart = readings.chart
    columns = [_column("value", [numbers.short(value) for value in readings.values.tolist()], 10)]
    if _is_smoothed(chart):
        columns.append(_column("smoothed", [numbers.short(value) for value in readings.shown.tolist()], 5))
    if readings.pointer.baseline is not None:
        columns.append(_column("Δ smoothed" if _is_smoothed(chart) else "Δ baseline", _deltas(readings), 9))
    places = (("step", _step, 8), ("time", _time, 6), ("wall time", _wall_time, 1))
    read = ((title, _read(readings, text), worth) for title, text, worth in places)
    known = [_column(title, texts, worth) for title, texts, worth in read if any(text != NOTHING for text in texts)]
    return [*columns, *_extremes(chart), *known]


def _is_smoothed(chart: Chart) -> bool:
    return any(line.smoothed is not line.values for line in chart.lines)


def _read(readings: Readings, text: Callable[[Line, int], str]) -> list[str]:
    return [text(line, index) for line, index in zip(readings.chart.lines, readings.indices, strict=True)]


def _deltas(readings: Readings) -> list[str]:
    """`+0.0106`; the baseline's own row has its sign, and where it has no line there is nothing to say."""
    run = readings.pointer.baseline
    return [
        (BASELINE_SIGN if is_of(line, run) else NOTHING) if delta is None else _signed(delta)
        for line, delta in zip(readings.chart.lines, readings.deltas, strict=True)
    ]


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + numbers.short(value)


def _step(line: Line, index: int) -> str:
    return NOTHING if line.steps is None else str(int(line.steps[index]))


def _time(line: Line, index: int) -> str:
    """Since the first point of the series; an average has it where it is drawn over it."""
    if line.wall_times is not None:
        return numbers.duration(float(line.wall_times[index]) - line.start)
    return numbers.duration(float(line.x[index])) if line.key.x_axis == "relative" else NOTHING


def _wall_time(line: Line, index: int) -> str:
    if line.wall_times is not None:
        return numbers.clock(float(line.wall_times[index]))
    return numbers.clock(float(line.x[index])) if line.key.x_axis == "wall" else NOTHING


def _extremes(chart: Chart) -> list[Column]:
    """Least and greatest finite value of each line, and the steps that had them first; the best of all has a star."""
    best = best_of_all(chart) if len(chart.lines) > 1 and chart.best is not None else None
    columns = []
    for end in ("min", "max"):
        points = [line.figures.least if end == "min" else line.figures.greatest for line in chart.lines]
        starred = best[0] if best is not None and end == chart.best else None
        columns.append(
            _column(
                f"{end} @ {'time' if any(line.steps is None for line in chart.lines) else 'step'}",
                [_number(line, point) for line, point in zip(chart.lines, points, strict=True)],
                7 if end == (chart.best or "min") else 4,
                [
                    _place(line, point) + (f" {BEST_SIGN}" if index == starred else "")
                    for index, (line, point) in enumerate(zip(chart.lines, points, strict=True))
                ],
            )
        )
    return columns


def _number(line: Line, point: int | None) -> str:
    return NOTHING if point is None else numbers.short(float(line.values[point]))


def _place(line: Line, point: int | None) -> str:
    if point is None:
        return ""
    if line.steps is not None:
        return f" @ {numbers.step(int(line.steps[point]))}"
    return f" @ {x_word(line.key.x_axis, float(line.x[point]))}"


# Over a stretch


def _stretch_columns(readings: Readings) -> list[Column]:
    """TensorBoard's columns of a range: what is drawn at its ends, what was measured between them."""
    stretches, least_is_best = readings.stretches, readings.chart.best != "max"

    def column(title: str, number: Callable[[Stretch], float], worth: int, text: Callable[[float], str]) -> Column:
        return _column(title, [_or_nothing(number(stretch), text) for stretch in stretches], worth)

    return [
        _column("start", [numbers.short(stretch.start) for stretch in stretches], 6),
        _column("end", [numbers.short(stretch.end) for stretch in stretches], 10),
        column("change", lambda stretch: stretch.change, 9, _signed),
        column("change %", lambda stretch: 100 * stretch.part, 8, lambda part: _signed(part) + "%"),
        column("min", lambda stretch: stretch.least, 7 if least_is_best else 4, numbers.short),
        column("max", lambda stretch: stretch.greatest, 4 if least_is_best else 7, numbers.short),
        column("mean", lambda stretch: stretch.mean, 5, numbers.short),
    ]


def _or_nothing(value: float, text: Callable[[float], str]) -> str:
    return NOTHING if math.isnan(value) else text(value)
