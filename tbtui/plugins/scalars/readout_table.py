"""Table below an opened chart of scalars: one row per line, read at the cursor or over the selected range."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.line_chart import BASELINE_SIGN, BEST_SIGN
from tbtui.charts.number_columns import format_column, format_columns
from tbtui.plugins.scalars.readout import (
    NO_SCALAR_CURSOR,
    Readout,
    choose_dash_sign,
    choose_partial_mark,
    find_best_point,
    is_smoothed,
    list_full_names,
    list_short_names,
    shows_run,
)
from tbtui.view.descriptions import format_x_value
from tbtui.view.run_table import NO_VALUE, TableColumn, TableRow, create_column, draw_run_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.scalars.averages import Floats
    from tbtui.plugins.scalars.chart import Chart
    from tbtui.plugins.scalars.lines import Line, Margin
    from tbtui.plugins.scalars.readout import RangeStatistics, ScalarCursor


def build_line_table(chart: Chart, width: int, pointer: ScalarCursor = NO_SCALAR_CURSOR) -> tuple[Cells, Cells]:
    """Return header (one row) and rows (one for each line, in the chosen order) of the table, `width` columns wide."""
    readings = Readout(chart, pointer)
    columns = [
        *_build_leader_column(readings),
        *(_stretch_columns(readings) if readings.stretches else _build_columns(readings)),
    ]
    rows = [
        TableRow(name, short, ink, shows_run(line, pointer.focus), choose_dash_sign(chart, line))
        for name, short, ink, line in zip(
            list_full_names(chart), list_short_names(chart), chart.inks, chart.lines, strict=True
        )
    ]
    title = "run, smoothed" if readings.stretches and is_smoothed(chart) else "run"
    return draw_run_table(rows, columns, width, readings.rows, title)


def _build_leader_column(readings: Readout) -> list[TableColumn]:
    """Return a column that says which rows are the best, the worst and the newest of a crowded chart."""
    leaders = readings.leaders
    if not leaders:
        return []
    width = max(map(len, leaders.values()))
    texts = tuple(leaders.get(line, "").ljust(width) for line in range(len(readings.chart.lines)))
    return [TableColumn("", texts, 10)]


def _build_columns(readings: Readout) -> list[TableColumn]:
    chart = readings.chart
    smoothed = is_smoothed(chart)
    # One format for all values of the table, so that minimum and maximum of a line differ visibly.
    values, smoothed_texts, minima, maxima = format_columns(
        [
            readings.values.tolist(),
            readings.shown.tolist() if smoothed else [],
            *([_get_value(line, point) for line, point in _list_extreme_points(chart, end)] for end in ("min", "max")),
        ],
        missing=NO_VALUE,
    )
    marks = [choose_partial_mark(line, index) for line, index in zip(chart.lines, readings.indices, strict=True)]
    columns = [
        create_column(
            "value" if smoothed else readings.title_with_order("value"),
            _mark_interpolated(readings, values),
            6 if smoothed else 10,
            marks if any(marks) else None,
        )
    ]
    if smoothed:
        columns.append(
            create_column(readings.title_with_order("smoothed"), _mark_interpolated(readings, smoothed_texts), 10)
        )
    columns += _bound_columns(readings)
    if readings.pointer.baseline is not None:
        columns.append(create_column("Δ smoothed" if smoothed else "Δ baseline", _format_deltas(readings), 9))
    sources = (
        ("step", _step, 8),
        ("time", _time, 6),
        ("wall time", _format_wall_time, 1),
        ("superseded", _format_left_out, 3),
    )
    read = ((title, _read(readings, text), priority) for title, text, priority in sources)
    row_order = [
        create_column(title, texts, priority)
        for title, texts, priority in read
        if any(text != NO_VALUE for text in texts)
    ]
    return [*columns, *_build_extreme_columns(chart, {"min": minima, "max": maxima}), *row_order]


def _bound_columns(readings: Readout) -> list[TableColumn]:
    """Return the bounds of the values of a margin chart, and the width between them, for each band of a value."""
    margins = [(*filter(None, [line.margin]), *line.further) for line in readings.chart.lines]
    count = max(map(len, margins), default=0)
    columns = []
    for number in range(count):
        band = [each[number] if number < len(each) else None for each in margins]
        columns += _build_band_columns(band, readings.indices, f" {number + 1}" if number else "")
    return columns


def _build_band_columns(margins: Sequence[Margin | None], indices: Sequence[int], suffix: str) -> list[TableColumn]:
    """Return the columns of one band; their titles have a number after the first band."""
    points = list(zip(margins, indices, strict=True))

    def read(bound: Callable[[Margin], Floats]) -> list[float | None]:
        values = (None if margin is None else float(bound(margin)[index]) for margin, index in points)
        return [None if value is None or math.isnan(value) else value for value in values]

    lower, upper = read(lambda margin: margin.lower), read(lambda margin: margin.upper)
    widths = [None if low is None or high is None else high - low for low, high in zip(lower, upper, strict=True)]
    lower_texts, upper_texts, width_texts = format_columns([lower, upper, widths], missing=NO_VALUE)
    return [
        create_column(f"lower{suffix}", lower_texts, 9),
        create_column(f"upper{suffix}", upper_texts, 9),
        create_column(f"width{suffix}", width_texts, 8),
    ]


def _mark_interpolated(readings: Readout, texts: Sequence[str]) -> list[str]:
    """Return texts of values, with `~` before interpolated ones."""
    lines = zip(readings.chart.lines, readings.indices, texts, strict=True)
    return [f"~{text}" if line.is_interpolated(index) else text for line, index, text in lines]


def _read(readings: Readout, text: Callable[[Line, int], str]) -> list[str]:
    return [text(line, index) for line, index in zip(readings.chart.lines, readings.indices, strict=True)]


def _format_deltas(readings: Readout) -> list[str]:
    """Return differences such as `+0.0106`; the row of the baseline has its sign."""
    run, texts = readings.pointer.baseline, _format_signed_values(readings.deltas)
    return [
        BASELINE_SIGN if delta is None and shows_run(line, run) else text
        for line, delta, text in zip(readings.chart.lines, readings.deltas, texts, strict=True)
    ]


def _format_signed_values(values: Iterable[float | None]) -> list[str]:
    """Return differences of one column in one notation; a missing one has its own sign."""
    all_values = list(values)
    texts = iter(format_column([value for value in all_values if value is not None], with_signs=True))
    return [NO_VALUE if value is None else next(texts) for value in all_values]


def _step(line: Line, index: int) -> str:
    return NO_VALUE if line.steps is None else str(int(line.steps[index]))


def _time(line: Line, index: int) -> str:
    """Return the time since the start of the run; an average has one only on an axis of such times."""
    if line.wall_times is not None and line.key.x_axis != "active":
        return numbers.format_duration(line.key.clock.seconds(float(line.wall_times[index])))
    return numbers.format_duration(float(line.x[index])) if line.key.x_axis in ("relative", "active") else NO_VALUE


def _format_left_out(line: Line, _index: int) -> str:
    """Return the number of points that the step axis leaves out."""
    return f"{line.left_out:,}" if line.left_out else NO_VALUE


def _format_wall_time(line: Line, index: int) -> str:
    if line.wall_times is not None:
        return numbers.format_clock(float(line.wall_times[index]))
    return numbers.format_clock(float(line.x[index])) if line.key.x_axis == "wall" else NO_VALUE


def _list_extreme_points(chart: Chart, end: str) -> list[tuple[Line, int | None]]:
    return [(line, line.extremes.minimum if end == "min" else line.extremes.maximum) for line in chart.lines]


def _build_extreme_columns(chart: Chart, texts: Mapping[str, list[str]]) -> list[TableColumn]:
    """Return columns of the extremes of each line and their first steps; the best of all has a star."""
    best = find_best_point(chart) if len(chart.lines) > 1 and chart.best is not None else None
    columns = []
    for end in ("min", "max"):
        starred = best[0] if best is not None and end == chart.best else None
        columns.append(
            create_column(
                f"{end} @ {'time' if any(line.steps is None for line in chart.lines) else 'step'}",
                texts[end],
                7 if end == (chart.best or "min") else 4,
                [
                    _place(line, point) + (f" {BEST_SIGN}" if index == starred else "")
                    for index, (line, point) in enumerate(_list_extreme_points(chart, end))
                ],
            )
        )
    return columns


def _get_value(line: Line, point: int | None) -> float | None:
    return None if point is None else float(line.values[point])


def _place(line: Line, point: int | None) -> str:
    if point is None:
        return ""
    if line.steps is not None:
        return f" @ {numbers.format_step(int(line.steps[point]))}"
    return f" @ {format_x_value(line.key.x_axis, float(line.x[point]))}"


def _stretch_columns(readings: Readout) -> list[TableColumn]:
    """Return TensorBoard's columns of a range: drawn values at its ends, statistics between them."""
    stretches, least_is_best = readings.stretches, readings.chart.best != "max"
    cursor, mark = readings.pointer.cursor or 0.0, readings.pointer.mark or 0.0
    start, end = (
        ("start", readings.title_with_order("end")) if cursor >= mark else (readings.title_with_order("start"), "end")
    )

    def column_values(number: Callable[[RangeStatistics], float]) -> list[float | None]:
        values = (math.nan if stretch is None else number(stretch) for stretch in stretches)
        return [None if math.isnan(value) else value for value in values]

    starts, ends, least, greatest, means = format_columns(
        [
            [None if stretch is None else stretch.start for stretch in stretches],
            [None if stretch is None else stretch.end for stretch in stretches],
            column_values(lambda stretch: stretch.minimum),
            column_values(lambda stretch: stretch.maximum),
            column_values(lambda stretch: stretch.mean),
        ],
        missing=NO_VALUE,
    )
    return [
        create_column(start, starts, 6),
        create_column(end, ends, 10),
        create_column("change", _format_signed_values(column_values(lambda stretch: stretch.change)), 9),
        create_column("change %", _format_percents(column_values(lambda stretch: 100 * stretch.part)), 8),
        create_column("min", least, 7 if least_is_best else 4),
        create_column("max", greatest, 4 if least_is_best else 7),
        create_column("mean", means, 5),
    ]


def _format_percents(values: Iterable[float | None]) -> list[str]:
    return [text if text == NO_VALUE else f"{text}%" for text in _format_signed_values(values)]
