"""The runs of one chart as a table: where each stands, at the cursor or over a stretch, and what its extremes were."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.marks import BASELINE_SIGN, BEST_SIGN
from tbtui.charts.numbers import short, signed, told_apart
from tbtui.plugins.scalars.labels import full_names, short_names
from tbtui.plugins.scalars.readings import NOWHERE, Readings, best_of_all, is_of
from tbtui.viewstate.words import x_word
from tbtui.widgets.run_table import NOTHING, Row, column, run_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tbtui.charts.cells import Cells
    from tbtui.charts.numbers import Written
    from tbtui.plugins.scalars.cursor import Stretch
    from tbtui.plugins.scalars.data import Chart
    from tbtui.plugins.scalars.lines import Line
    from tbtui.plugins.scalars.readings import Pointer
    from tbtui.widgets.run_table import Column


def line_table(chart: Chart, width: int, pointer: Pointer = NOWHERE) -> tuple[Cells, Cells]:
    """The table's header (one row) and its body (one row a line, in the chosen order), `width` columns wide."""
    readings = Readings(chart, pointer)
    columns = _stretch_columns(readings) if readings.stretches else _columns(readings)
    rows = [
        Row(name, short, ink, is_of(line, pointer.focus))
        for name, short, ink, line in zip(full_names(chart), short_names(chart), chart.inks, chart.lines, strict=True)
    ]
    title = "run, smoothed" if readings.stretches and _is_smoothed(chart) else "run"
    return run_table(rows, columns, width, readings.rows, title)


# At the cursor, or where lines end


def _columns(readings: Readings) -> list[Column]:
    chart = readings.chart
    smoothed, ordered = _is_smoothed(chart), readings.pointer.order != "runs"
    columns = [column("value" if smoothed else readings.titled("value"), told_apart(readings.values.tolist()), 10)]
    if smoothed:
        texts = told_apart(readings.shown.tolist())
        columns.append(column(readings.titled("smoothed"), texts, 10 if ordered else 5))
    if readings.pointer.baseline is not None:
        columns.append(column("Δ smoothed" if smoothed else "Δ baseline", _deltas(readings), 9))
    places = (("step", _step, 8), ("time", _time, 6), ("wall time", _wall_time, 1))
    read = ((title, _read(readings, text), worth) for title, text, worth in places)
    known = [column(title, texts, worth) for title, texts, worth in read if any(text != NOTHING for text in texts)]
    return [*columns, *_extremes(chart), *known]


def _is_smoothed(chart: Chart) -> bool:
    return any(line.smoothed is not line.values for line in chart.lines)


def _read(readings: Readings, text: Callable[[Line, int], str]) -> list[str]:
    return [text(line, index) for line, index in zip(readings.chart.lines, readings.indices, strict=True)]


def _deltas(readings: Readings) -> list[str]:
    """`+0.0106`; the baseline's own row has its sign, and where it has no line there is nothing to say."""
    run, told = readings.pointer.baseline, _told(readings.deltas, signed)
    return [
        BASELINE_SIGN if delta is None and is_of(line, run) else text
        for line, delta, text in zip(readings.chart.lines, readings.deltas, told, strict=True)
    ]


def _told(values: Iterable[float | None], text: Written = short) -> list[str]:
    """The numbers that there are, those that differ told apart; where there is none, the sign of that."""
    held = list(values)
    told = iter(told_apart([value for value in held if value is not None], text))
    return [NOTHING if value is None else next(told) for value in held]


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
            column(
                f"{end} @ {'time' if any(line.steps is None for line in chart.lines) else 'step'}",
                _told(_value(line, point) for line, point in zip(chart.lines, points, strict=True)),
                7 if end == (chart.best or "min") else 4,
                [
                    _place(line, point) + (f" {BEST_SIGN}" if index == starred else "")
                    for index, (line, point) in enumerate(zip(chart.lines, points, strict=True))
                ],
            )
        )
    return columns


def _value(line: Line, point: int | None) -> float | None:
    return None if point is None else float(line.values[point])


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
    cursor, mark = readings.pointer.cursor or 0.0, readings.pointer.mark or 0.0
    start, end = ("start", readings.titled("end")) if cursor >= mark else (readings.titled("start"), "end")

    def of_each(title: str, number: Callable[[Stretch], float], worth: int, text: Written = short) -> Column:
        held = (math.nan if stretch is None else number(stretch) for stretch in stretches)
        return column(title, _told((None if math.isnan(value) else value for value in held), text), worth)

    return [
        column(start, _told(None if stretch is None else stretch.start for stretch in stretches), 6),
        column(end, _told(None if stretch is None else stretch.end for stretch in stretches), 10),
        of_each("change", lambda stretch: stretch.change, 9, signed),
        of_each("change %", lambda stretch: 100 * stretch.part, 8, _percent),
        of_each("min", lambda stretch: stretch.least, 7 if least_is_best else 4),
        of_each("max", lambda stretch: stretch.greatest, 4 if least_is_best else 7),
        of_each("mean", lambda stretch: stretch.mean, 5),
    ]


def _percent(value: float, *, digits: int) -> str:
    return signed(value, digits=digits) + "%"
