"""The runs of one tag as a table: all nine quantiles where the user looks, over a stretch at both of its ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.marks import BASELINE_SIGN, NAN_SIGN
from tbtui.charts.numbers import told_apart
from tbtui.plugins.distributions.words import CURVE_WORDS
from tbtui.plugins.histograms.readings import MEDIAN, chosen_of, marked_of
from tbtui.plugins.histograms.table import time_word
from tbtui.viewstate.row_order import in_order, titled
from tbtui.viewstate.run_names import distinct_names
from tbtui.widgets.run_table import NOTHING, Row, column, run_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.histograms.readings import Reading
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer
    from tbtui.widgets.run_table import Column

CURVE_WORTH = (10, 4, 5, 6, 11, 6, 5, 4, 10)
"""Of the columns of the nine quantiles: what is worth most has room first."""

DELTA_WORTH, STEP_WORTH, TIME_WORTH, WALL_WORTH = 8, 7, 3, 1


def quantile_table(
    sharing: Sequence[Recorded], width: int, pointer: Pointer, first: str | None = None
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """The table's header (one row), its body, and the run of each of its rows.

    A run has a row, or over a stretch one for each of its ends.

    Args:
        sharing: What runs have recorded, in the order of the run tree; at least one.
        width: Columns.
        pointer: Where the user looks.
        first: The run whose rows come first while runs are in their own order; None: they stay in it.
    """
    runs = [each.run for each in sharing]
    places = in_order([chosen_of(each, pointer).median for each in sharing], pointer.order, _focus(runs, pointer))
    if pointer.order == "runs" and first in runs:
        places = [runs.index(first), *(place for place in places if runs[place] != first)]
    short = distinct_names(runs)
    held = [(place, reading) for place in places for reading in _ends(sharing[place], pointer)]
    rows = [Row(runs[place], short[place], sharing[place].ink, runs[place] == pointer.focus) for place, _ in held]
    header, body = run_table(rows, _columns([reading for _, reading in held], pointer), width)
    return header, body, tuple(runs[place] for place, _ in held)


def _focus(runs: Sequence[str], pointer: Pointer) -> int | None:
    return runs.index(pointer.focus) if pointer.focus in runs else None


def _ends(recorded: Recorded, pointer: Pointer) -> list[Reading]:
    """What is looked at in their order: one histogram, or two."""
    chosen, marked = chosen_of(recorded, pointer), marked_of(recorded, pointer)
    return [chosen] if marked is None else sorted((marked, chosen), key=lambda reading: reading.index)


def _columns(held: Sequence[Reading], pointer: Pointer) -> list[Column]:
    columns = [
        column(
            titled(title, pointer.order, pointer.focus) if curve == MEDIAN else title,
            _quantiles(held, curve),
            worth,
            pair=f"{abs(curve - MEDIAN)} apart",
        )
        for curve, (title, worth) in enumerate(zip(CURVE_WORDS, CURVE_WORTH, strict=True))
    ]
    if any(marked_of(reading.recorded, pointer) for reading in held):
        firsts = {reading.recorded: reading for reading in reversed(held)}
        columns.append(column("Δ median", _deltas(held, [firsts[each.recorded] for each in held]), DELTA_WORTH))
    elif pointer.baseline is not None:
        base = next((reading for reading in held if reading.recorded.run == pointer.baseline), None)
        columns.append(column("Δ median", _deltas(held, [base] * len(held)), DELTA_WORTH))
    return [
        *columns,
        column("step", [str(reading.step) for reading in held], STEP_WORTH),
        column("time", [time_word(reading) for reading in held], TIME_WORTH),
        column("wall time", [numbers.clock(reading.wall_time) for reading in held], WALL_WORTH),
    ]


def _quantiles(held: Sequence[Reading], curve: int) -> list[str]:
    """Nothing of a histogram of nothing; of a refused one the sign of that, in one column."""
    texts = told_apart([float(reading.recorded.quantiles[reading.index, curve]) for reading in held])
    lost = NAN_SIGN if curve == MEDIAN else NOTHING
    return [
        lost if reading.refused else text if reading.count else NOTHING
        for reading, text in zip(held, texts, strict=True)
    ]


def _deltas(held: Sequence[Reading], bases: Sequence[Reading | None]) -> list[str]:
    """How far each median is from that of another; the one that it is compared with has its sign."""
    apart = [
        math.nan if base is None else reading.median - base.median for reading, base in zip(held, bases, strict=True)
    ]
    return [
        BASELINE_SIGN if base == reading else text if math.isfinite(delta) else NOTHING
        for reading, base, delta, text in zip(held, bases, apart, told_apart(apart, numbers.signed), strict=True)
    ]
