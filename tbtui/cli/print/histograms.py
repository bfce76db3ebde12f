"""Print histograms: one step of each tag and run, as bars."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.columns import aligned
from tbtui.charts.numbers import counted, short, told_apart
from tbtui.charts.text import cell_width, safe
from tbtui.export.histograms import buckets_of
from tbtui.report.blocks import Heading, Notes, Piece, PieceRows
from tbtui.report.options import reference_blocks
from tbtui.series.binning import binned, display_edges
from tbtui.series.quantiles import quantiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.report.blocks import Block
    from tbtui.report.options import ChosenPoint, PrintOptions
    from tbtui.series.histograms import Buckets
    from tbtui.viewstate.view import View

MAX_RUNS = 4
"""Default maximum of runs for each tag: each has its own bars."""

BESIDE = 3
"""Columns between labels, bars and counts."""

EIGHTHS = " ▏▎▍▌▋▊▉█"

MEDIAN_POINTS = (0, 2500, 5000, 7500, 10000)


def histogram_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield bars for each matching tag and run."""
    yield from reference_blocks(view, options, "histograms", MAX_RUNS, _of_run)


def _of_run(chosen: ChosenPoint, options: PrintOptions) -> Iterator[Block]:
    run, series = chosen.run, chosen.series
    held = options.cache.payloads.histograms(run, series.part(slice(chosen.point, chosen.point + 1)))
    if held.refused:
        yield Heading(series.tag, chosen.note)
        yield Notes((safe(held.refused[0]),), Ink.WARN)
        return
    buckets = buckets_of(held)
    total = float(buckets.totals[0])
    yield Heading(series.tag, f"{chosen.note} · {_amount(total)} value{'' if total == 1 else 's'}")
    if total <= 0:
        yield Notes(("a histogram of nothing",))
        return
    yield PieceRows(tuple(_bars(buckets, chosen.ink, options)))
    named = zip(("min", "25%", "median", "75%", "max"), quantiles(buckets, MEDIAN_POINTS)[0].tolist(), strict=True)
    mean = _mean(buckets)
    told = [f"{name} {short(value)}" for name, value in named] + (
        [f"mean {short(mean)}"] if math.isfinite(mean) else []
    )
    yield Notes((f"{', '.join(told)}; {counted(len(series), 'step')} in all",))


def _mean(buckets: Buckets) -> float:
    return float(buckets.sums[0] / buckets.totals[0])


def _bars(buckets: Buckets, ink: int, options: PrintOptions) -> Iterator[tuple[Piece, ...]]:
    """Yield one row for each bin: its lower edge, a bar, its count."""
    edges = display_edges(buckets, max(options.height - 1, 2))
    counts = binned(buckets, edges)[0]
    lefts = aligned(told_apart(edges[:-1].tolist()))
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
