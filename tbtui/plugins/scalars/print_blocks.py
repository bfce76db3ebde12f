"""Print scalars: a chart for each tag, and below it a table of the values of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import (
    ABOVE_SIGN,
    BELOW_SIGN,
    BEST_SIGN,
    CROSSED_SIGN,
    NAN_SIGN,
    RESTART_SIGN,
    Sign,
    Trace,
)
from tbtui.charts.numbers import format_count, format_number
from tbtui.charts.text import safe
from tbtui.plugins.scalars.chart import NoPointsError, ScalarData
from tbtui.plugins.scalars.lines import MAX_DETAILED_LINES
from tbtui.plugins.scalars.painter import build_crossing_signs, find_visible_points
from tbtui.plugins.scalars.readout import Readout, choose_partial_mark, find_best_point, list_full_names
from tbtui.report.blocks import MISSING, Column, Heading, InkText, Notes, Picture, Table, number_columns
from tbtui.report.charts import draw_chart, is_drawn_in_letters
from tbtui.report.options import note_left_out
from tbtui.view.descriptions import format_y_axis, list_x_axis_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.plugins.scalars.chart import Chart
    from tbtui.plugins.scalars.lines import Line
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View

SIGNS = {
    NAN_SIGN: "NaN here",
    ABOVE_SIGN: "+Inf",
    BELOW_SIGN: "-Inf, or not above 0 on a log axis",
    RESTART_SIGN: "resumed from an earlier step",
    CROSSED_SIGN: "bounds crossed",
}


def build_scalar_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield a chart for each matching tag, in the order of the dashboard."""
    yield from build_all_blocks(options.cache.instance(ScalarData), view, options)


def build_all_blocks(data: ScalarData, view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield the charts of all cards of a view, and a note on those that are left out."""
    keys = data.cards(view).keys
    card_count = options.tags(len(keys))
    options.letters.reserve(_sort_by_letters(data, view, keys[:card_count]))
    for key in keys[:card_count]:
        yield from build_card_blocks(data, view, key, options)
    if note := note_left_out(keys, card_count, "tag", options.target.width):
        yield Notes((note,), has_blank_line=True)


def _sort_by_letters(data: ScalarData, view: View, keys: Sequence[str]) -> list[str]:
    """Return the runs with any of the cards; those of single points (PyTorch's hyperparameters) come last."""
    longest: dict[str, int] = {run.name: 0 for run in view.runs}
    for key in keys:
        for series in data.series(view, key):
            longest[series.run] = max(longest[series.run], len(series))
    with_points = [name for name, length in longest.items() if length]
    return sorted(with_points, key=lambda name: longest[name] == 1)


def build_card_blocks(data: ScalarData, view: View, key: str, options: PrintOptions) -> Iterator[Block]:
    """Yield the chart of one card and notes on missing data, or the reason why there is no chart."""
    try:
        chart = data.chart(view, key)
    except NoPointsError as error:
        yield Heading(data.cards(view).title_of(key))
        yield Notes((safe(str(error)),), Ink.WARN)
    else:
        yield from build_chart_blocks(chart, view.settings, options)
        if chart.notes:
            yield Notes(tuple(map(safe, chart.notes)), Ink.WARN)


def build_chart_blocks(chart: Chart, settings: Settings, options: PrintOptions) -> Iterator[Block]:
    """Yield heading, picture and table of one chart."""
    chosen = _choose_lines(chart, options)
    lines = [chart.lines[index] for index in chosen]
    letters = options.letters.of(line.name for line in lines)
    if all(len(line.x) == 1 and line.superseded is None for line in chart.lines):
        yield Heading(chart.title, _note(chart, settings))
        yield _build_legend(chart, chosen, letters, with_letters=False)
        if notes := [*_format_left_out_notes(chart), *_format_not_drawn_note(chart, chosen)]:
            yield Notes(tuple(notes))
        return
    yield Heading(chart.title, _note(chart, settings))
    traces, of_traces = _build_traces(chart, chosen, letters)
    drawn_signs = [
        Sign(float(line.x[restart]), RESTART_SIGN, ink, float(line.smoothed[restart]))
        for line, ink in zip(lines, [chart.inks[index] for index in chosen], strict=True)
        for restart in (line.restarts if len(lines) <= MAX_DETAILED_LINES else ())
    ]
    drawn_signs += build_crossing_signs((line, chart.inks[index]) for line, index in zip(lines, chosen, strict=True))
    cells, signs = draw_chart(
        traces, of_traces, (chart.x_axis, chart.y_axis), options, signs=drawn_signs, empty_reason=chart.empty_reason
    )
    yield Picture(cells)
    yield _build_legend(chart, chosen, letters, with_letters=len(lines) > 1 or is_drawn_in_letters(options, 1))
    if notes := [
        *_sign_notes(signs),
        *_format_clipped_note(chart, lines, options),
        *_format_left_out_notes(chart),
        *_format_not_drawn_note(chart, chosen),
    ]:
        yield Notes(tuple(notes))


def _choose_lines(chart: Chart, options: PrintOptions) -> list[int]:
    """Return the indices of the drawn lines in the order of the run tree: the most important ones of too many."""
    line_count = options.runs(len(chart.lines))
    if line_count == len(chart.lines):
        return [*range(line_count)]
    return sorted(Readout(chart).worthiest[:line_count])


def _note(chart: Chart, settings: Settings) -> str:
    """Return the note of the heading: facts about all lines."""
    firsts = [int(line.steps.min()) for line in chart.lines if line.steps is not None]
    lasts = [int(line.steps.max()) for line in chart.lines if line.steps is not None]
    notes = [format_count(len({run for line in chart.lines for run in line.runs}), "run")]
    if firsts:
        low, high = min(firsts), max(lasts)
        notes.append(f"step {low}" if low == high else f"steps {low}–{high}")
    if settings.smoothing > 0:
        notes.append(f"smoothed {settings.smoothing:g}")
    notes.append(format_y_axis(settings, chart.key))
    if (settings.x_axis, settings.x_scale) != ("step", "linear"):
        notes += list_x_axis_labels(settings, chart.key)
    return " · ".join(filter(None, notes))


def _build_traces(chart: Chart, chosen: Sequence[int], letters: Mapping[str, str]) -> tuple[list[Trace], list[str]]:
    """Return the lines in drawing order: raw ones, then smoothed ones with the first runs on top."""
    raw: list[tuple[Trace, str]] = []
    bright: list[tuple[Trace, str]] = []
    for index in reversed(chosen):
        line, ink = chart.lines[index], chart.inks[index]
        letter = letters[line.name]
        if line.smoothed is not line.values and not line.members and len(chosen) <= MAX_DETAILED_LINES:
            raw.append(
                (
                    Trace(
                        *find_visible_points(line, line.values, chart.x_axis),
                        ink,
                        is_faint=True,
                        ascending=line.ascending,
                    ),
                    letter,
                )
            )
        bright.append(
            (Trace(*find_visible_points(line, line.smoothed, chart.x_axis), ink, ascending=line.ascending), letter)
        )
    superseded = [
        (Trace(*line.superseded, ink, is_faint=True, ascending=False), letters[line.name])
        for line, ink in ((chart.lines[index], chart.inks[index]) for index in chosen)
        if line.superseded is not None
    ]
    bounds = [
        (Trace(line.x, bound, ink, is_faint=True, ascending=line.ascending), letters[line.name])
        for line, ink in ((chart.lines[index], chart.inks[index]) for index in chosen)
        if line.margin is not None
        for bound in (line.margin.lower, line.margin.upper)
    ]
    traces = [*bounds, *superseded, *raw, *bright]
    return [trace for trace, _ in traces], [letter for _, letter in traces]


# Below a chart


def _build_legend(chart: Chart, chosen: Sequence[int], letters: Mapping[str, str], *, with_letters: bool) -> Table:
    """Return the table below a chart: letter, name, last value and extremes of each line."""
    readings, names = Readout(chart), list_full_names(chart)
    lines = [chart.lines[index] for index in chosen]
    inks = [chart.inks[index] for index in chosen]
    columns: list[tuple[Column, list[InkText]]] = []
    if with_letters:
        marked = [InkText(letters[line.name], ink) for line, ink in zip(lines, inks, strict=True)]
        columns.append((Column("", "left"), marked))
    names_at = len(columns)
    columns.append(
        (Column("run", "left"), [InkText(names[index], ink) for index, ink in zip(chosen, inks, strict=True)])
    )
    smoothed = any(line.smoothed is not line.values for line in lines)
    # One format for all values of the table, so that minimum and maximum of a line differ visibly.
    last, smoothed_texts, minima, maxima = number_columns(
        [
            [float(readings.values[index]) for index in chosen],
            [float(readings.shown[index]) for index in chosen] if smoothed else [],
            *(
                [
                    None if point is None else float(line.values[point])
                    for line, point in zip(lines, points, strict=True)
                ]
                for points in ([line.extremes.minimum for line in lines], [line.extremes.maximum for line in lines])
            ),
        ]
    )
    columns.append((Column("last"), _mark_values(lines, last)))
    if any(line.margin is not None for line in lines):
        lower, upper = number_columns([[_get_last_bound(line, side) for line in lines] for side in ("lower", "upper")])
        columns += [(Column("lower", priority=6), lower), (Column("upper", priority=6), upper)]
    if smoothed:
        columns.append((Column("smoothed", priority=5), _mark_values(lines, smoothed_texts)))
    columns.append((Column("step", "right", 7), [_step(line, len(line.x) - 1) for line in lines]))
    columns += _build_extreme_columns(chart, chosen, {"min": minima, "max": maxima})
    nan_counts = [int(np.count_nonzero(np.isnan(line.values))) for line in lines]
    if any(nan_counts):
        columns.append(
            (Column("NaN", "right", 9), [InkText(f"{n:,}", Ink.BAD) if n else InkText("") for n in nan_counts])
        )
    infinite = [int(np.count_nonzero(np.isinf(line.values))) for line in lines]
    if any(infinite):
        columns.append(
            (Column("Inf", "right", 8), [InkText(f"{n:,}", Ink.BAD) if n else InkText("") for n in infinite])
        )
    if any(line.left_out for line in lines):
        left_out = [InkText(f"{line.left_out:,}" if line.left_out else "", Ink.DIM) for line in lines]
        columns.append((Column("superseded", "right", 8), left_out))
    columns.append((Column("points", "right", 1), [InkText(f"{len(line.x):,}", Ink.DIM) for line in lines]))
    rows = zip(*(cells for _, cells in columns), strict=True)
    return Table(tuple(column for column, _ in columns), tuple(rows), names_at)


def _get_last_bound(line: Line, side: str) -> float | None:
    """Return the last value of a bound of a margin chart."""
    if line.margin is None:
        return None
    value = float((line.margin.lower if side == "lower" else line.margin.upper)[-1])
    return None if np.isnan(value) else value


def _mark_values(lines: Sequence[Line], pieces: Sequence[InkText]) -> list[InkText]:
    """Return last values; those of averages have `~` before an interpolated one and `×2` after one of fewer runs."""
    marked = []
    for line, piece in zip(lines, pieces, strict=True):
        point = len(line.x) - 1
        marked.append(
            InkText(
                f"{'~' if line.is_interpolated(point) else ''}{piece.text}{choose_partial_mark(line, point)}", piece.ink
            )
        )
    return marked


def _build_extreme_columns(
    chart: Chart, chosen: Sequence[int], pieces_by_end: Mapping[str, Sequence[InkText]]
) -> Iterator[tuple[Column, list[InkText]]]:
    """Yield the columns of minimum and maximum and of their first steps; the best of all lines has a star."""
    best = find_best_point(chart) if len(chart.lines) > 1 and chart.best is not None else None
    ends = ("max", "min") if chart.best == "max" else ("min", "max")
    for position, end in enumerate(ends):
        points = [
            (extremes.minimum if end == "min" else extremes.maximum)
            for extremes in (chart.lines[index].extremes for index in chosen)
        ]
        starred = best[0] if best is not None and end == chart.best else None
        pieces = [
            InkText(f"{BEST_SIGN} {piece.text}", Ink.GOOD) if index == starred else piece
            for index, piece in zip(chosen, pieces_by_end[end], strict=True)
        ]
        steps = [
            MISSING if point is None else _step(chart.lines[index], point)
            for index, point in zip(chosen, points, strict=True)
        ]
        title = f"best ({end})" if end == chart.best else end
        yield (
            Column(title, priority=10 if end == chart.best else 6 - 3 * position if chart.best else 6 - position),
            pieces,
        )
        yield Column("at step", "right", 4 - 2 * position), steps


def _step(line: Line, point: int) -> InkText:
    return MISSING if line.steps is None else InkText(str(int(line.steps[point])), Ink.DIM)


def _sign_notes(signs: frozenset[str]) -> Iterator[str]:
    """Yield one line with the meaning of the signs in a chart."""
    notes = [f"{sign} {meaning}" for sign, meaning in SIGNS.items() if sign in signs]
    if notes:
        yield ", ".join(notes)


def _format_clipped_note(chart: Chart, lines: Sequence[Line], options: PrintOptions) -> Iterator[str]:
    """Yield a note on values outside the y axis, so that no spike goes unreported."""
    drawn_values = [line.smoothed if is_drawn_in_letters(options, len(lines)) else line.values for line in lines]
    values = np.concatenate([each[np.isfinite(each)] for each in drawn_values] or [np.empty(0)])
    if chart.y_axis.scale == "log":
        values = values[values > 0]
    outside = values[(values < chart.y_axis.low) | (values > chart.y_axis.high)]
    if len(outside):
        ends = dict.fromkeys(format_number(float(value)) for value in (outside.min(), outside.max()))
        values_outside = format_count(len(outside), "value")
        yield f"{values_outside} outside the y axis: {' to '.join(ends)} (--outliers keep: all in sight)"


def _format_left_out_notes(chart: Chart) -> Iterator[str]:
    """Yield notes on points that the x axis leaves out, and on doubtful times."""
    if chart.superseded:
        options = "--superseded: draw them, --x-axis order: one after the other"
        yield f"{chart.superseded:,} superseded by other values at the same or an earlier step ({options})"
    if chart.time_outliers:
        yield f"{format_count(chart.time_outliers, 'value')} off the x axis: absurd times (--outliers keep: all)"
    if chart.timeless:
        yield f"{format_count(chart.timeless, 'value')} off the x axis: no number as wall time (--x-axis order: all)"
    if chart.off_axis:
        yield f"{format_count(chart.off_axis, 'value')} at steps without a value of the tag on the x axis"
    if chart.time_unit:
        yield f"these wall times look like {chart.time_unit}, not seconds"


def _format_not_drawn_note(chart: Chart, chosen: Sequence[int]) -> Iterator[str]:
    """Yield a note on the last values of the lines that are not drawn."""
    missing = sorted(set(range(len(chart.lines))).difference(chosen))
    if not missing:
        return
    values = Readout(chart).values[missing]
    finite = values[np.isfinite(values)]
    ends = (
        " to ".join(dict.fromkeys(numbers.format_number(float(end)) for end in (finite.min(), finite.max())))
        if len(finite)
        else ""
    )
    last = f", last values {ends}" if ends else ""
    nonfinite_note = f", {len(values) - len(finite):,} of them no number" if len(finite) < len(values) else ""
    yield f"{format_count(len(missing), 'more run')}{last}{nonfinite_note} (--max-runs 0: all, --runs REGEX: which)"
