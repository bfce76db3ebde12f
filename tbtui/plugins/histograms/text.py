"""Print distributions: quantiles of histograms over steps, a chart for each tag and run."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import Trace
from tbtui.charts.numbers import counted, format_distinct, short
from tbtui.charts.text import align_numbers, cell_width, safe
from tbtui.maths.histograms import display_edges, rebin
from tbtui.maths.statistics import quantiles
from tbtui.plugins.distributions.chart import DistributionChartCache
from tbtui.plugins.histograms.read import histograms_in
from tbtui.plugins.histograms.series import NothingRecordedError
from tbtui.plugins.histograms.table import buckets_of
from tbtui.report.blocks import Column, Heading, Notes, Picture, Piece, PieceRows, Table
from tbtui.report.charts import draw_chart
from tbtui.report.options import reference_blocks
from tbtui.view.descriptions import y_axis_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.maths.histograms import Buckets
    from tbtui.plugins.distributions.chart import DistributionChart
    from tbtui.report.blocks import Block
    from tbtui.report.options import ChosenPoint, PrintOptions
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


def distribution_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield a chart for each matching tag and run."""
    data = DistributionChartCache(options.cache.payloads)
    view = replace(view, settings=replace(view.settings, runs_together=False))
    keys = data.cards(view).keys
    most = options.tags(len(keys))
    for key in keys[:most]:
        yield from _of_card(data, view, key, options)
    if most < len(keys):
        more = counted(len(keys) - most, "more chart")
        yield Notes(
            (f"{more} of other tags and runs (--max-tags 0: all, --tags REGEX, --runs REGEX: which)",), apart=True
        )


def _of_card(data: DistributionChartCache, view: View, key: str, options: PrintOptions) -> Iterator[Block]:
    try:
        chart = data.chart(view, key)
    except NothingRecordedError as error:
        yield Heading(data.cards(view).tag_of(key))
        yield Notes((safe(str(error)),), Ink.WARN)
    else:
        yield from _blocks(chart, view, options)


def _blocks(chart: DistributionChart, view: View, options: PrintOptions) -> Iterator[Block]:
    curves = chart.curves[0]
    series = curves.series
    ends = f"steps {int(series.steps[0])}–{int(series.steps[-1])}"
    note = (safe(series.run), ends, y_axis_label(view.settings, chart.key))
    yield Heading(chart.title, " · ".join(filter(None, note)))
    order = sorted(range(len(DRAWN)), key=lambda index: -abs(index - len(DRAWN) // 2))
    traces = [Trace(curves.x, curves.curve(DRAWN[index]), INKS[index], ascending=True) for index in order]
    cells, _ = draw_chart(
        traces,
        [SYMBOLS[index] for index in order],
        (chart.axes.along, chart.axes.values),
        options,
        blank=chart.blank,
        take_turns=False,
    )
    yield Picture(cells)
    if len(curves.x):
        yield _table(chart, options)
    if chart.left_out is not None:
        low, high = map(short, chart.left_out)
        yield Notes((f"values range from {low} to {high}; some lie outside the y axis (--outliers keep)",))
    if series.refused:
        at = min(series.refused)
        reason = safe(series.refused[at])
        yield Notes((f"{counted(len(series.refused), 'step')} cannot be drawn, first {series.steps[at]}: {reason}",))


def _table(chart: DistributionChart, options: PrintOptions) -> Table:
    """Return the table of quantiles at a few steps, which include the last and the selected one."""
    curves = chart.curves[0]
    finite = np.isfinite(curves.series.x)
    steps = curves.series.steps[finite]
    indices = np.unique(np.linspace(0, len(steps) - 1, STEPS).round().astype(int))
    if options.step is not None:
        indices = np.unique(np.append(indices, np.abs(steps.astype(float) - options.step).argmin()))
    symbol = dict(zip(DRAWN, SYMBOLS, strict=True))
    inks = dict(zip(DRAWN, INKS, strict=True))
    columns = [format_distinct(curves.values[index].tolist()) for index in indices.tolist()]
    rows = tuple(
        (
            Piece(symbol.get(row, ""), inks.get(row, Ink.DIM)),
            Piece(NAMES[row]),
            *(Piece(column[row]) for column in columns),
        )
        for row in ROWS
    )
    titles = (Column(f"step {steps[index]}", priority=1 + position) for position, index in enumerate(indices.tolist()))
    return Table((Column("", "left"), Column("quantile", "left"), *titles), rows, 1)


# Print histograms: one step of each tag and run, as bars.


MAX_RUNS = 4
"""Default maximum of runs for each tag: each has its own bars."""

BESIDE = 3
"""Columns between labels, bars and counts."""

EIGHTHS = " ▏▎▍▌▋▊▉█"

QUARTILE_BASIS_POINTS = (0, 2500, 5000, 7500, 10000)


def histogram_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield bars for each matching tag and run."""
    yield from reference_blocks(view, options, "histograms", MAX_RUNS, _of_run)


def _of_run(chosen: ChosenPoint, options: PrintOptions) -> Iterator[Block]:
    run, series = chosen.run, chosen.series
    histograms = histograms_in(options.cache.payloads, run, series.part(slice(chosen.point, chosen.point + 1)))
    if histograms.refused:
        yield Heading(series.tag, chosen.note)
        yield Notes((safe(histograms.refused[0]),), Ink.WARN)
        return
    buckets = buckets_of(histograms)
    total = float(buckets.totals[0])
    yield Heading(series.tag, f"{chosen.note} · {_amount(total)} value{'' if total == 1 else 's'}")
    if total <= 0:
        yield Notes(("a histogram of nothing",))
        return
    yield PieceRows(tuple(_bars(buckets, chosen.ink, options)))
    named = zip(
        ("min", "25%", "median", "75%", "max"), quantiles(buckets, QUARTILE_BASIS_POINTS)[0].tolist(), strict=True
    )
    mean = _mean(buckets)
    totals = [f"{name} {short(value)}" for name, value in named] + (
        [f"mean {short(mean)}"] if math.isfinite(mean) else []
    )
    yield Notes((f"{', '.join(totals)}; {counted(len(series), 'step')} in all",))


def _mean(buckets: Buckets) -> float:
    return float(buckets.sums[0] / buckets.totals[0])


def _bars(buckets: Buckets, ink: int, options: PrintOptions) -> Iterator[tuple[Piece, ...]]:
    """Yield one row for each bin: its lower edge, a bar, its count."""
    edges = display_edges(buckets, max(options.height - 1, 2))
    counts = rebin(buckets, edges)[0]
    lefts = align_numbers(format_distinct(edges[:-1].tolist()))
    amounts = [_amount(float(value)) for value in counts]
    room = max(options.target.width - max(map(cell_width, lefts)) - max(map(len, amounts)) - BESIDE, 0)
    most = float(counts.max())
    for left, value, amount in zip(lefts, counts.tolist(), amounts, strict=True):
        bar = _bar(value / most * room if most > 0 else 0.0, dots=options.target.has_dots)
        yield Piece(left, Ink.DIM), Piece(" │", Ink.FAINT), Piece(bar, ink), Piece(f" {amount}" if value else "")


def _bar(length: float, *, dots: bool) -> str:
    """Return a bar of `length` columns; any positive length is visible."""
    if length <= 0:
        return ""
    if not dots:
        return "#" * max(round(length), 1)
    eighths = max(round(length * 8), 1)
    return EIGHTHS[8] * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _amount(value: float) -> str:
    """Return a count as text; it may be a fraction."""
    return f"{int(value):,}" if value < 1e15 and np.isclose(value, round(value), rtol=0, atol=1e-9) else short(value)
