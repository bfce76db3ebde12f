"""The runs of one tag as a table: the figures of one step of each, and how they differ from those of another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.marks import BASELINE_SIGN, NAN_SIGN
from tbtui.charts.numbers import told_apart
from tbtui.plugins.histograms.readings import chosen_of, marked_of
from tbtui.series.axes import start_time
from tbtui.viewstate.row_order import in_order, titled
from tbtui.viewstate.run_names import distinct_names
from tbtui.widgets.run_table import NOTHING, Row, column, run_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.histograms.readings import Reading
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer
    from tbtui.widgets.run_table import Column

ROUGHLY = "≈"
"""In front of what was worked out from buckets, not by the writer from all values."""

FIGURES: tuple[tuple[str, Callable[[Reading], float], int, int], ...] = (
    ("mean", lambda reading: reading.mean, 10, 9),
    ("std", lambda reading: reading.std, 9, 8),
    ("min", lambda reading: reading.least, 5, 0),
    ("max", lambda reading: reading.greatest, 5, 0),
    ("median", lambda reading: reading.median, 6, 4),
)
"""Titles, what stands below, and what it and its difference are worth where there is too little room for all; a
difference that is worth nothing is not told."""

STEP_WORTH, COUNT_WORTH, TIME_WORTH, WALL_WORTH = 8, 7, 2, 1


def step_table(
    sharing: Sequence[Recorded], width: int, pointer: Pointer, first: str | None = None
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """The table's header (one row), its body, and the run of each of its rows.

    Args:
        sharing: What runs have recorded, in the order of the run tree; at least one.
        width: Columns.
        pointer: Where the user looks.
        first: The run whose row comes first while runs are in their own order; None: they stay in it.
    """
    if len(sharing) > 1:  # the histograms of many runs may be more than is kept: none is to be read again for a median
        for each in sharing:
            _ = each.quantiles
    held = [chosen_of(each, pointer) for each in sharing]
    runs = [each.run for each in sharing]
    names = zip(runs, distinct_names(runs), sharing, strict=True)
    rows = [Row(run, short, each.ink, run == pointer.focus) for run, short, each in names]
    focus = next((index for index, run in enumerate(runs) if run == pointer.focus), None)
    order = in_order([reading.mean for reading in held], pointer.order, focus)
    if pointer.order == "runs" and first in runs:
        order = [runs.index(first), *(index for index in order if runs[index] != first)]
    header, body = run_table(rows, _columns(held, pointer), width, order)
    return header, body, tuple(runs[index] for index in order)


def _columns(held: Sequence[Reading], pointer: Pointer) -> list[Column]:
    marked = [marked_of(reading.recorded, pointer) for reading in held]
    base = next((reading for reading in held if reading.recorded.run == pointer.baseline), None)
    columns = [
        column("step", [str(reading.step) for reading in held], STEP_WORTH),
        column(
            "count", [NAN_SIGN if reading.refused else numbers.short(reading.count) for reading in held], COUNT_WORTH
        ),
    ]
    for title, figure, worth, delta_worth in FIGURES:
        texts = told_apart([figure(reading) for reading in held])
        if title in ("mean", "std"):
            texts = [text if reading.is_exact else ROUGHLY + text for text, reading in zip(texts, held, strict=True)]
        texts = [text if math.isfinite(figure(reading)) else NOTHING for text, reading in zip(texts, held, strict=True)]
        shown = titled(title, pointer.order, pointer.focus) if title == "mean" else title
        columns.append(column(shown, texts, worth))
        if delta_worth and any(marked):
            columns.append(column(f"Δ {title}", _deltas(held, marked, figure), delta_worth))
        elif delta_worth and base is not None:
            columns.append(column(f"Δ {title}", _deltas(held, [base] * len(held), figure), delta_worth))
    return [
        *columns,
        column("time", [time_word(reading) for reading in held], TIME_WORTH),
        column("wall time", [numbers.clock(reading.wall_time) for reading in held], WALL_WORTH),
    ]


def _deltas(held: Sequence[Reading], bases: Sequence[Reading | None], figure: Callable[[Reading], float]) -> list[str]:
    """How far each is from another; the one that it is compared with has its sign."""
    apart = [
        math.nan if base is None else figure(reading) - figure(base) for reading, base in zip(held, bases, strict=True)
    ]
    return [
        BASELINE_SIGN if base == reading else text if math.isfinite(delta) else NOTHING
        for reading, base, delta, text in zip(held, bases, apart, told_apart(apart, numbers.signed), strict=True)
    ]


def time_word(reading: Reading) -> str:
    """Since the run's first histogram of the tag that is known here."""
    return numbers.duration(reading.wall_time - start_time(reading.recorded.wall_times))
