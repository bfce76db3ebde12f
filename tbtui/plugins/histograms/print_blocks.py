"""Print distributions: quantiles of histograms over steps, a chart for each tag and run."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import Trace
from tbtui.charts.numbers import format_count, format_distinct, format_number
from tbtui.charts.text import align_numbers, cell_width, safe
from tbtui.loading.payloads import Payloads
from tbtui.maths.histograms import display_edges, rebin
from tbtui.maths.statistics import compute_moments, interpolate_quantiles
from tbtui.plugins.distributions.chart import DistributionChartCache
from tbtui.plugins.histograms.read import load_histograms
from tbtui.plugins.histograms.readout import StepReadout
from tbtui.plugins.histograms.series import NothingRecordedError
from tbtui.plugins.histograms.value_labels import (
    ESTIMATE_NOTE,
    ESTIMATE_SIGN,
    NO_VALUES,
    WITHIN_UNKNOWN,
    count_label,
    estimate_label,
    format_content_label,
    format_edge_labels,
    format_mean_label,
)
from tbtui.report.blocks import Column, Heading, InkText, InkTextRows, Notes, Picture, Table
from tbtui.report.charts import draw_chart
from tbtui.report.options import print_references
from tbtui.view.descriptions import format_y_axis
from tbtui.view.run_table import NO_VALUE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.maths.histograms import Buckets
    from tbtui.maths.statistics import Moments
    from tbtui.plugins.distributions.chart import DistributionChart
    from tbtui.plugins.histograms.series import Floats, HistogramSeries
    from tbtui.report.blocks import Block
    from tbtui.report.options import ChosenPoint, PrintOptions
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.view import View


SYMBOLS = (".", "-", "M", "-", ".")
DRAWN = (0, 2, 4, 6, 8)
"""Indices of the drawn quantiles, from minimum to maximum; their letters are above. All nine would be too dense for a
printed chart."""

INKS = (2, 1, 0, 1, 2)

ROWS = (8, 7, 6, 5, 4, 3, 2, 1, 0)
NAMES = ("min", "6.7%", "15.9%", "30.9%", "median", "69.2%", "84.1%", "93.3%", "max")
STEPS = 4
"""Number of step columns in the table below a chart."""


def build_distribution_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield a chart for each matching tag and run."""
    data = DistributionChartCache(options.cache.payloads)
    view = replace(view, settings=replace(view.settings, runs_together=False))
    keys = data.cards(view).keys
    card_count = options.tags(len(keys))
    for key in keys[:card_count]:
        yield from _build_card_blocks(data, view, key, options)
    if card_count < len(keys):
        more = format_count(len(keys) - card_count, "more chart")
        yield Notes(
            (f"{more} of other tags and runs (--max-tags 0: all, --tags REGEX, --runs REGEX: which)",),
            has_blank_line=True,
        )


def _build_card_blocks(data: DistributionChartCache, view: View, key: str, options: PrintOptions) -> Iterator[Block]:
    try:
        chart = data.chart(view, key)
    except NothingRecordedError as error:
        yield Heading(data.cards(view).tag_of(key))
        yield Notes((safe(str(error)),), Ink.WARN)
    else:
        yield from _build_chart_blocks(chart, view, options)


def _build_chart_blocks(chart: DistributionChart, view: View, options: PrintOptions) -> Iterator[Block]:
    curves = chart.curves[0]
    series = curves.series
    first, last = int(series.steps[0]), int(series.steps[-1])
    ends = f"step {first}" if first == last else f"steps {first}–{last}"
    note = (safe(series.run), ends, format_y_axis(view.settings, chart.key))
    yield Heading(chart.title, " · ".join(filter(None, note)))
    order = sorted(range(len(DRAWN)), key=lambda index: -abs(index - len(DRAWN) // 2))
    traces = [Trace(curves.x, curves.curve(DRAWN[index]), INKS[index], ascending=True) for index in order]
    cells, _ = draw_chart(
        traces,
        [SYMBOLS[index] for index in order],
        (chart.axes.along, chart.axes.values),
        options,
        empty_reason=chart.empty_reason,
        take_turns=False,
    )
    yield Picture(cells)
    if len(curves.x):
        indices = _choose_steps(series, options)
        yield _build_table(series, indices)
        yield Notes(tuple(_step_notes(series, indices)))
    if left_out := series.left_out(len(series.steps) - 1):
        yield Notes((left_out.replace("(u)", "(--superseded)"),))
    if chart.left_out is not None:
        low, high = map(format_number, chart.left_out)
        yield Notes((f"values range from {low} to {high}; some lie outside the y axis (--outliers keep)",))
    if series.errors:
        first_point = min(series.errors)
        reason = safe(series.errors[first_point])
        unreadable = format_count(len(series.errors), "step")
        yield Notes((f"{unreadable} cannot be drawn, first {series.steps[first_point]}: {reason}",))


def _choose_steps(series: HistogramSeries, options: PrintOptions) -> list[int]:
    """Return the indices of a few steps, which include the last and the selected one."""
    finite = np.flatnonzero(np.isfinite(series.x))
    indices = np.unique(np.linspace(0, len(finite) - 1, STEPS).round().astype(int))
    if options.step is not None:
        indices = np.unique(np.append(indices, np.abs(series.steps[finite].astype(float) - options.step).argmin()))
    return list(finite[indices].tolist())


def _build_table(series: HistogramSeries, indices: Sequence[int]) -> Table:
    """Return the table of quantiles at some steps."""
    symbol = dict(zip(DRAWN, SYMBOLS, strict=True))
    inks = dict(zip(DRAWN, INKS, strict=True))
    columns = [_format_quantiles(series, index) for index in indices]
    rows = tuple(
        (
            InkText(symbol.get(row, ""), inks.get(row, Ink.DIM)),
            InkText(NAMES[row]),
            *(InkText(column[row]) for column in columns),
        )
        for row in ROWS
    )
    titles = (Column(series.label(index), priority=1 + position) for position, index in enumerate(indices))
    return Table((Column("", "left"), Column("quantile", "left"), *titles), rows, 1)


def _format_quantiles(series: HistogramSeries, index: int) -> list[str]:
    """Return the quantiles of one step; if one bucket holds all values, the unknown ones are missing."""
    values = series.quantiles[index].tolist()
    if series.moments.has_one_bucket[index]:
        values[1:-1] = [math.nan] * len(values[1:-1])
    if not series.moments.count[index]:
        return [NO_VALUE] * len(values)
    return [
        estimate_label(text, is_exact=series.is_exact(index, value)) if math.isfinite(value) else NO_VALUE
        for value, text in zip(values, format_distinct(values), strict=True)
    ]


def _step_notes(series: HistogramSeries, indices: Iterable[int]) -> Iterator[str]:
    """Yield notes on unusual steps of the table, and the meaning of its sign."""
    readouts = [StepReadout(series, index) for index in indices]
    for reading in readouts:
        if label := reading.content:
            if reading.is_one_bucket:
                label += f": mean {format_mean_label(reading.mean, reading.std, is_exact=reading.is_exact)}"
            yield f"step {reading.step}: {label}"
    if any(reading.is_one_bucket for reading in readouts):
        yield "M: the mean where the median is unknown"
    if any(ESTIMATE_SIGN in text for index in indices for text in _format_quantiles(series, index)):
        yield ESTIMATE_NOTE


# Print histograms: one step of each tag and run, as bars.


MAX_RUNS = 4
"""Default maximum of runs for each tag: each has its own bars."""

BESIDE = 3
"""Columns between labels, bars and counts."""

EIGHTHS = " ▏▎▍▌▋▊▉█"

QUARTILE_BASIS_POINTS = (0, 2500, 5000, 7500, 10000)
QUARTILE_NAMES = ("min", "25%", "median", "75%", "max")


def build_histogram_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield bars for each matching tag and run."""
    yield from print_references(view, options, "histograms", MAX_RUNS, _build_run_blocks)


def _build_run_blocks(chosen: ChosenPoint, options: PrintOptions) -> Iterator[Block]:
    run, series = chosen.run, chosen.series
    histograms = load_histograms(options.cache.payloads, run, series.part(slice(chosen.point, chosen.point + 1)))
    if histograms.errors:
        yield Heading(series.tag, chosen.note)
        yield Notes((safe(histograms.errors[0]),), Ink.WARN)
        return
    buckets = histograms.buckets
    total = float(buckets.totals[0])
    yield Heading(series.tag, f"{chosen.note} · {count_label(total)} value{'' if total == 1 else 's'}")
    if total <= 0:
        yield Notes((NO_VALUES,))
        return
    count = f"{format_count(len(series), 'step')} in all"
    steps = f"{count}, {chosen.left_out} (--superseded)" if chosen.left_out else count
    statistics = compute_moments(buckets)
    least, greatest = float(statistics.minimum[0]), float(statistics.maximum[0])
    is_one_bucket = bool(statistics.has_one_bucket[0])
    if is_one_bucket or least == greatest:
        ends = " to ".join(format_edge_labels(sorted({least, greatest})))
        yield InkTextRows(tuple(_draw_bar_rows([ends], np.array([total]), chosen.ink, options)))
        label = format_content_label(total, least, greatest, is_one_bucket=is_one_bucket)
        words = [f"{label}: {WITHIN_UNKNOWN}", _format_mean(statistics)] if is_one_bucket else [label]
        yield Notes(("; ".join(filter(None, (*words, steps))),))
        return
    edges = display_edges(buckets, max(options.height - 1, 2))
    counts = rebin(buckets, edges)[0]
    yield InkTextRows(tuple(_draw_bar_rows(format_edge_labels(edges[:-1].tolist()), counts, chosen.ink, options)))
    notes = [f"{_format_figures(buckets, statistics)}; {steps}"]
    if any(ESTIMATE_SIGN in text for text in (*notes, *map(count_label, counts.tolist()))):
        notes.append(ESTIMATE_NOTE)
    yield Notes(tuple(notes))


def _format_figures(buckets: Buckets, statistics: Moments) -> str:
    """Return `min -2, 25% ~-0.5, median ~0, 75% ~0.5, max 3, mean 0.05 ± 1.1`."""
    values = interpolate_quantiles(buckets, QUARTILE_BASIS_POINTS)[0].tolist()
    mean, least, greatest = float(statistics.mean[0]), float(statistics.minimum[0]), float(statistics.maximum[0])
    *texts, mean_text = format_distinct([*values, mean])
    labels = [
        f"{name} {estimate_label(text, is_exact=value in (least, greatest))}"
        for name, value, text in zip(QUARTILE_NAMES, values, texts, strict=True)
    ]
    is_exact, std = bool(statistics.is_exact[0]), float(statistics.std[0])
    mean_text = estimate_label(mean_text, is_exact=is_exact)
    if std > 0:
        mean_text += f" ± {format_number(std, digits=3)}"
    return ", ".join([*labels, f"mean {mean_text}"])


def describe_newest(run: RunSnapshot, series: ReferenceSeries) -> str:
    """Return a summary of the newest value for `inspect`: `200 values, 1.03 to 6.43, mean 4.05 ± 1`."""
    histograms = load_histograms(Payloads(max_bytes=0), run, series.part(slice(len(series) - 1, None)))
    if histograms.errors:
        return histograms.errors[0]
    total = float(histograms.totals[0])
    if total <= 0:
        return NO_VALUES
    statistics = compute_moments(histograms.buckets)
    least, greatest = float(statistics.minimum[0]), float(statistics.maximum[0])
    is_one_bucket = bool(statistics.has_one_bucket[0])
    if label := format_content_label(total, least, greatest, is_one_bucket=is_one_bucket):
        return f"{label}, {_format_mean(statistics)}" if is_one_bucket else label
    count = f"{count_label(total)} value{'' if total == 1 else 's'}"
    if least == greatest:
        return f"{count}, {format_number(least)}"
    return f"{count}, {' to '.join(format_distinct((least, greatest)))}, {_format_mean(statistics)}"


def _format_mean(statistics: Moments) -> str:
    label = format_mean_label(
        float(statistics.mean[0]), float(statistics.std[0]), is_exact=bool(statistics.is_exact[0])
    )
    return f"mean {label}"


def _draw_bar_rows(
    labels: Sequence[str], counts: Floats, ink: int, options: PrintOptions
) -> Iterator[tuple[InkText, ...]]:
    """Yield one row for each bar: the label of its values, the bar, its count."""
    lefts = align_numbers(labels)
    amounts = [count_label(count) for count in counts.tolist()]
    bar_width = max(options.target.width - max(map(cell_width, lefts)) - max(map(len, amounts)) - BESIDE, 0)
    max_count = float(counts.max())
    for left, count, amount in zip(lefts, counts.tolist(), amounts, strict=True):
        bar = _draw_bar(count / max_count * bar_width if max_count > 0 else 0.0, dots=options.target.has_dots)
        yield (
            InkText(left, Ink.DIM),
            InkText(" │", Ink.FAINT),
            InkText(bar, ink),
            InkText(f" {amount}" if count else ""),
        )


def _draw_bar(length: float, *, dots: bool) -> str:
    """Return a bar of `length` columns; any positive length is visible."""
    if length <= 0:
        return ""
    if not dots:
        return "#" * max(round(length), 1)
    eighths = max(round(length * 8), 1)
    return EIGHTHS[8] * (eighths // 8) + EIGHTHS[eighths % 8].strip()
