"""Print PR curves: a chart for each tag, with one curve (one step) for each run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.hit_testing import find_nearest_point
from tbtui.charts.line_chart import Trace
from tbtui.charts.numbers import format_count, format_number
from tbtui.charts.text import safe
from tbtui.loading.payloads import Payloads
from tbtui.maths.stops import stop_x
from tbtui.plugins.pr_curves.chart import CurveChartCache
from tbtui.plugins.pr_curves.curve import build_curve_line
from tbtui.plugins.pr_curves.read import CurveReader
from tbtui.plugins.shown_steps import NoValueError
from tbtui.report.blocks import MISSING, Column, Heading, InkText, Notes, Picture, Table, number_pieces
from tbtui.report.charts import draw_chart, is_drawn_in_letters
from tbtui.report.options import note_left_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.plugins.pr_curves.chart import Chart, RunCurve
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.view import View


def build_curve_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield a chart for each matching tag."""
    data = CurveChartCache(options.cache.payloads)
    cursor = None if options.step is None else float(options.step)
    view = replace(view, settings=replace(view.settings, x_axis="step", cursor=cursor))
    keys = data.cards(view).keys
    card_count = options.tags(len(keys))
    for key in keys[:card_count]:
        for cursor in _choose_cursors(data, view, key):
            yield from _build_card_blocks(
                data, replace(view, settings=replace(view.settings, cursor=cursor)), key, options
            )
    if note := note_left_out([data.cards(view).tag_of(key) for key in keys], card_count, "tag", options.target.width):
        yield Notes((note,), has_blank_line=True)


def _choose_cursors(data: CurveChartCache, view: View, key: str) -> Sequence[float | None]:
    """Return the cursor of each chart of a tag: one, or one per curve of the step if superseded curves are shown."""
    cursor, stops = view.settings.cursor, data.stops(view, key)
    if not view.settings.superseded or not len(stops):
        return [cursor]
    step = stop_x(float(stops[-1] if cursor is None else stops[find_nearest_point(stops, cursor)]))
    stops_of_step = [stop for stop in stops.tolist() if stop_x(stop) == step]
    return stops_of_step if len(stops_of_step) > 1 else [cursor]


def _build_card_blocks(data: CurveChartCache, view: View, key: str, options: PrintOptions) -> Iterator[Block]:
    try:
        chart = data.chart(view, key)
    except NoValueError as error:
        yield Heading(data.cards(view).tag_of(key))
        yield Notes((safe(str(error)),), Ink.WARN)
    else:
        yield from _build_chart_blocks(chart, options)


def _build_chart_blocks(chart: Chart, options: PrintOptions) -> Iterator[Block]:
    run_count = options.runs(len(chart.runs))
    shown = chart.runs[:run_count]
    letters = options.letters.of(run_curve.run for run_curve in shown)
    yield Heading(chart.title, f"{format_count(len(chart.runs), 'run')} · precision up, recall across")
    runs_with_curve = [(run_curve, run_curve.curve) for run_curve in reversed(shown) if run_curve.curve is not None]
    traces = []
    for run_curve, curve in runs_with_curve:
        x, y, ascending = build_curve_line(curve)
        traces.append(Trace(x, y, run_curve.ink, ascending=ascending))
    axes = chart.x_axis, chart.y_axis
    cells, _ = draw_chart(
        traces,
        [letters[run_curve.run] for run_curve, _ in runs_with_curve],
        axes,
        options,
        empty_reason=chart.empty_reason,
    )
    yield Picture(cells)
    yield _build_table(shown, letters if len(shown) > 1 or is_drawn_in_letters(options, 1) else {})
    notes = [f"{safe(run_curve.run)}: {safe(run_curve.error)}" for run_curve in shown if run_curve.error]
    notes += options.format_nearest_note(run_curve.step for run_curve in shown)
    notes += [f"{safe(each.run)}: {each.left_out.replace('(u)', '(--superseded)')}" for each in shown if each.left_out]
    notes.append(note_left_out([run_curve.run for run_curve in chart.runs], run_count, "run", options.target.width))
    yield Notes(tuple(filter(None, notes)))


def describe_newest(run: RunSnapshot, series: ReferenceSeries) -> str:
    """Return a summary of the newest value for `inspect`: `127 thresholds`, or the reason why there is no curve."""
    point = len(series) - 1
    curves = CurveReader(Payloads(max_bytes=0), 0).read(run, series, [point])
    return curves.errors.get(point) or format_count(curves.rows[point].shape[1], "threshold")


def _build_table(shown: Sequence[RunCurve], letters: Mapping[str, str]) -> Table:
    areas = [run_curve.area for run_curve in shown]
    readings = [None if run_curve.curve is None else run_curve.curve.at(None) for run_curve in shown]
    columns: list[tuple[Column, Sequence[InkText]]] = []
    if letters:
        columns.append((Column("", "left"), [InkText(letters[run_curve.run], run_curve.ink) for run_curve in shown]))
    names = len(columns)
    columns.append((Column("run", "left"), [InkText(run_curve.run, run_curve.ink) for run_curve in shown]))
    columns.append(
        (Column("step", "right", 6), [InkText(run_curve.label.removeprefix("step "), Ink.DIM) for run_curve in shown])
    )
    columns.append((Column("area"), number_pieces([None if np.isnan(area) else area for area in areas])))
    columns.append((Column("best F1", priority=5), number_pieces([None if r is None else r.f1 for r in readings])))
    thresholds = [MISSING if r is None else InkText(format_number(r.threshold), Ink.DIM) for r in readings]
    columns.append((Column("at threshold", priority=2), thresholds))
    columns.append(
        (Column("precision", priority=4), number_pieces([None if r is None else r.precision for r in readings]))
    )
    columns.append((Column("recall", priority=3), number_pieces([None if r is None else r.recall for r in readings])))
    return Table(
        tuple(column for column, _ in columns), tuple(zip(*(cells for _, cells in columns), strict=True)), names
    )
