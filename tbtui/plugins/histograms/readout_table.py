"""Tables below an opened chart of histograms: the buckets of one step, or statistics of one step for each run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.line_chart import BASELINE_SIGN, NAN_SIGN
from tbtui.charts.number_columns import format_column
from tbtui.charts.text import align_numbers, fit, write
from tbtui.frozen import frozen
from tbtui.plugins.histograms.readout import StepReadout, build_cursor_readout, mark_readout
from tbtui.plugins.histograms.value_labels import estimate_label
from tbtui.view.row_order import mark_order, sort_rows
from tbtui.view.run_names import shorten_to_distinct
from tbtui.view.run_table import NO_VALUE, TableRow, create_column, draw_run_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tbtui.plugins.histograms.series import Floats, HistogramSeries
    from tbtui.settings.chart_navigation import CursorState
    from tbtui.view.run_table import TableColumn


TITLES = ("from", "to", "count", "share", "up to here")
GAP = 2

DIGITS = (5, 7, 9, 12, 17)
"""Significant digits of edges: the fewest that distinguish all of them. A float has 17."""

MAX_BUCKET_ROWS = 20_000
"""Further buckets are counted, not listed; no writer makes nearly as many."""

BAR = " ▏▎▍▌▋▊▉█"
"""A cell filled from the left, in eighths."""

EIGHTHS, MAX_BAR_COLUMNS = 8, 60


def build_bucket_table(reading: StepReadout, width: int) -> tuple[Cells, Cells]:
    """Return header (one row) and rows of the table, one row per bucket in ascending order.

    Args:
        reading: Readout of the histogram.
        width: Columns; without enough room the bars are left out first, then columns from the right.
    """
    buckets = reading.series.select(np.array([reading.index]))
    counts = buckets.counts[:MAX_BUCKET_ROWS]
    total = float(buckets.totals[0]) or 1.0
    columns = [
        *_format_edge_columns(buckets.lefts[:MAX_BUCKET_ROWS], buckets.rights[:MAX_BUCKET_ROWS]),
        [_format_stored_count(count) for count in counts.tolist()],
        [_format_percent(share) for share in (counts / total).tolist()],
        [_format_percent(share) for share in (np.cumsum(counts) / total).tolist()],
    ]
    texts = [_build_column(title, column) for title, column in zip(TITLES, columns, strict=True)]
    while texts and sum(len(column[0]) + GAP for column in texts) > width:
        texts.pop()
    used = sum(len(column[0]) + GAP for column in texts)
    header, body = Cells.blank(1, max(width, 0)), Cells.blank(len(counts), max(width, 0))
    write(header, 0, 0, "".join(" " * GAP + column[0] for column in texts), Ink.DIM)
    rows = ["".join(" " * GAP + column[row] for column in texts) for row in range(1, len(counts) + 1)]
    _put(body, 0, rows, Ink.TEXT)
    body.inks[counts == 0, :used] = Ink.DIM
    bar_width = min(width - used - GAP, MAX_BAR_COLUMNS)
    if bar_width > 0:
        _put(body, used + GAP, _draw_bars(counts, bar_width), reading.series.ink)
    more = len(buckets.counts) - len(counts)
    return header, _with_last(body, f"⋯ and {more:,} more buckets") if more else body


def _format_edge_columns(lefts: Floats, rights: Floats) -> tuple[list[str], list[str]]:
    """Return both columns of edges in digits that distinguish them."""
    distinct = len(np.unique(np.concatenate([lefts, rights])))
    for digits in DIGITS:
        columns = tuple([_number(edge, digits) for edge in edges.tolist()] for edges in (lefts, rights))
        if len({*columns[0], *columns[1]}) >= distinct:
            break
    return columns[0], columns[1]


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}g}"
    return text.replace("e-0", "e-").replace("e+0", "e+").replace("e+", "e") if "e" in text else text


def _format_stored_count(count: float) -> str:
    return f"{count:.0f}" if count == int(count) and count < 1e12 else numbers.format_number(count)


def _format_percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share >= 5e-5 else "<.01 %" if share else "0 %"


def _build_column(title: str, texts: Sequence[str]) -> list[str]:
    """Return title and texts, all of one width."""
    lined = texts if texts and texts[0].endswith("%") else align_numbers(texts)
    width = max(map(len, (title, *lined)))
    return [title.rjust(width), *(text.rjust(width) for text in lined)]


def _draw_bars(counts: Floats, width: int) -> list[str]:
    """Return one bar per row; no bucket with a count is blank."""
    lengths = np.rint(counts / (counts.max(initial=0) or 1.0) * (EIGHTHS * width)).astype(int)
    lengths[counts > 0] = np.maximum(lengths[counts > 0], 1)
    return [
        (BAR[-1] * (eighths // EIGHTHS) + BAR[eighths % EIGHTHS])[:width].ljust(width) for eighths in lengths.tolist()
    ]


def _put(cells: Cells, left: int, rows: Sequence[str], ink: int) -> None:
    """Write rows of printable, narrow texts of one width at once."""
    if rows and rows[0]:
        glyphs = np.frombuffer("".join(rows).encode("utf-32-le"), "<u4").reshape(len(rows), -1)
        area = (slice(None), slice(left, left + glyphs.shape[1]))
        cells.glyphs[area], cells.inks[area] = glyphs, ink


def _with_last(body: Cells, text: str) -> Cells:
    last = Cells.blank(1, body.width)
    write(last, 0, GAP, fit(text, body.width - GAP), Ink.DIM)
    return Cells(np.vstack((body.glyphs, last.glyphs)), np.vstack((body.inks, last.inks)))


@frozen
class StatisticColumn:
    """A column of the table of steps."""

    title: str
    value: Callable[[StepReadout], float]
    is_exact: Callable[[StepReadout], bool]
    """Returns True if the value is computed from all values; False if it is estimated from buckets."""

    priority: int
    delta_priority: int = 0
    """Priority of the column of differences; 0: no such column."""


STATISTIC_COLUMNS = (
    StatisticColumn("mean", lambda reading: reading.mean, lambda reading: reading.is_exact, 10, 9),
    StatisticColumn("std", lambda reading: reading.std, lambda reading: reading.is_exact, 9, 8),
    StatisticColumn("min", lambda reading: reading.minimum, lambda _: True, 5),
    StatisticColumn("max", lambda reading: reading.maximum, lambda _: True, 5),
    StatisticColumn("median", lambda reading: reading.median, lambda reading: reading.is_median_exact, 6, 4),
)

STEP_PRIORITY, COUNT_PRIORITY, TIME_PRIORITY, WALL_PRIORITY = 8, 7, 2, 1


def step_table(
    sharing: Sequence[HistogramSeries], width: int, pointer: CursorState, first: str | None = None
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """Return header (one row), rows, and the run of each row: statistics of one step per run.

    Args:
        sharing: Series of the runs, in the order of the run tree; at least one.
        width: Columns.
        pointer: State of the cursor.
        first: Run to put into the first row if rows are in run order; None: no run is moved.
    """
    if len(sharing) > 1:  # the cache may not hold all histograms: get quantiles now, to read each run once
        for each in sharing:
            _ = each.quantiles
    readouts = [build_cursor_readout(each, pointer) for each in sharing]
    runs = [each.run for each in sharing]
    names = zip(runs, shorten_to_distinct(runs), sharing, strict=True)
    rows = [TableRow(run, short, each.ink, run == pointer.focus) for run, short, each in names]
    focus = next((index for index, run in enumerate(runs) if run == pointer.focus), None)
    order = sort_rows([reading.mean for reading in readouts], pointer.order, focus)
    if pointer.order == "runs" and first in runs:
        order = [runs.index(first), *(index for index in order if runs[index] != first)]
    header, body = draw_run_table(rows, _build_columns(readouts, pointer), width, order)
    return header, body, tuple(runs[index] for index in order)


def _build_columns(readouts: Sequence[StepReadout], pointer: CursorState) -> list[TableColumn]:
    marked = [mark_readout(reading.series, pointer) for reading in readouts]
    base = next((reading for reading in readouts if reading.series.run == pointer.baseline), None)
    columns = [
        create_column("step", [reading.label.removeprefix("step ") for reading in readouts], STEP_PRIORITY),
        create_column(
            "count",
            [NAN_SIGN if reading.error else numbers.format_number(reading.count) for reading in readouts],
            COUNT_PRIORITY,
        ),
    ]
    for column in STATISTIC_COLUMNS:
        columns += _build_statistic_columns(
            column, readouts, marked if any(marked) else [base] * len(readouts), pointer
        )
    return [
        *columns,
        create_column("time", [time_label(reading) for reading in readouts], TIME_PRIORITY),
        create_column("wall time", [numbers.format_clock(reading.wall_time) for reading in readouts], WALL_PRIORITY),
    ]


def _build_statistic_columns(
    column: StatisticColumn,
    readouts: Sequence[StepReadout],
    bases: Sequence[StepReadout | None],
    pointer: CursorState,
) -> Iterator[TableColumn]:
    """Yield a column, and the differences to `bases` if there are any."""
    values = [column.value(reading) for reading in readouts]
    texts = [
        estimate_label(text, is_exact=column.is_exact(reading)) if math.isfinite(value) else NO_VALUE
        for reading, value, text in zip(readouts, values, format_column(values), strict=True)
    ]
    title = mark_order(column.title, pointer.order, pointer.focus) if column.title == "mean" else column.title
    yield create_column(title, texts, column.priority)
    if column.delta_priority and any(bases):
        yield create_column(
            f"Δ {column.title}", format_deltas(column.value, readouts, bases, column.is_exact), column.delta_priority
        )


def format_deltas(
    value: Callable[[StepReadout], float],
    readouts: Sequence[StepReadout],
    bases: Sequence[StepReadout | None],
    is_exact: Callable[[StepReadout], bool] = lambda _: True,
) -> list[str]:
    """Return differences to other readouts; a readout that is its own base has the baseline sign.

    Args:
        value: Returns the statistic of a readout.
        readouts: Readouts to compare.
        bases: The other readout of each; None: not available.
        is_exact: Returns False for a statistic that is an estimate, so that the difference has its sign.
    """
    differences = [
        math.nan if base is None else value(reading) - value(base)
        for reading, base in zip(readouts, bases, strict=True)
    ]
    texts = format_column(differences, with_signs=True)
    return [
        BASELINE_SIGN
        if base == reading
        else estimate_label(text, is_exact=is_exact(reading) and is_exact(base))
        if base is not None and math.isfinite(delta)
        else NO_VALUE
        for reading, base, delta, text in zip(readouts, bases, differences, texts, strict=True)
    ]


def time_label(reading: StepReadout) -> str:
    """Return the time since the start of the run."""
    return numbers.format_duration(reading.series.run_clock.seconds(reading.wall_time))
