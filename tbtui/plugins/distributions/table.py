"""The runs of one tag as a table: all nine quantiles where the user looks, over a stretch at both of its ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.marks import BASELINE_SIGN
from tbtui.charts.numbers import told_apart
from tbtui.plugins.distributions.readings import NOWHERE, readings
from tbtui.plugins.distributions.words import CURVE_WORDS
from tbtui.series.axes import start_time
from tbtui.viewstate.row_order import in_order
from tbtui.viewstate.run_names import distinct_names
from tbtui.widgets.run_table import NOTHING, Row, column, run_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.distributions.curves import Curves
    from tbtui.plugins.distributions.readings import Pointer, Reading
    from tbtui.widgets.run_table import Column

CURVE_WORTH = (9, 4, 5, 6, 10, 6, 5, 4, 9)
"""Of the columns of the nine quantiles: what is worth most has room first."""

DELTA_WORTH, STEP_WORTH, TIME_WORTH, WALL_WORTH = 8, 7, 3, 1


def quantile_table(
    all_curves: Sequence[Curves], width: int, pointer: Pointer = NOWHERE
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """The table's header (one row), its body, and the run of each of its rows.

    A run has a row, or over a stretch one for each of its ends.

    Args:
        all_curves: Of every run, in the order of the run tree.
        width: Columns.
        pointer: Where the user looks.
    """
    of_runs = readings(all_curves, pointer)
    held = [reading for of_run in of_runs for reading in of_run]
    ends = len(pointer.ends)
    runs = [reading.curves.recorded.run for reading in held]
    names = [curves.recorded.run for curves in all_curves]
    short = dict(zip(names, distinct_names(names), strict=True))
    rows = [
        Row(run, short[run], reading.curves.recorded.ink, run == pointer.focus)
        for run, reading in zip(runs, held, strict=True)
    ]
    focus = next((index for index, run in enumerate(names) if run == pointer.focus), None)
    order = [
        index * ends + end
        for index in in_order([of_run[-1].median for of_run in of_runs], pointer.order, focus)
        for end in range(ends)
    ]
    header, body = run_table(rows, _columns(held, of_runs, pointer), width, order)
    return header, body, tuple(runs[index] for index in order)


def _columns(held: Sequence[Reading], of_runs: Sequence[Sequence[Reading]], pointer: Pointer) -> list[Column]:
    columns = [
        column(title, told_apart([float(reading.values[curve]) for reading in held]), worth)
        for curve, (title, worth) in enumerate(zip(CURVE_WORDS, CURVE_WORTH, strict=True))
    ]
    if len(pointer.ends) > 1:
        columns.append(
            column("Δ median", _deltas(held, [of_run[0] for of_run in of_runs for _ in of_run]), DELTA_WORTH)
        )
    elif pointer.baseline is not None:
        base = next((reading for reading in held if reading.curves.recorded.run == pointer.baseline), None)
        columns.append(column("Δ median", _deltas(held, [base] * len(held), BASELINE_SIGN), DELTA_WORTH))
    return [
        *columns,
        column("step", [str(reading.step) for reading in held], STEP_WORTH),
        column("time", [_time(reading) for reading in held], TIME_WORTH),
        column("wall time", [numbers.clock(reading.wall_time) for reading in held], WALL_WORTH),
    ]


def _deltas(held: Sequence[Reading], bases: Sequence[Reading | None], own: str = NOTHING) -> list[str]:
    """How far each median is from that of another; for one that is compared with itself its own sign."""
    apart = [
        math.nan if base is None or base is reading else reading.median - base.median
        for reading, base in zip(held, bases, strict=True)
    ]
    told = told_apart(apart, numbers.signed)
    return [
        own if base is reading else NOTHING if base is None else text
        for reading, base, text in zip(held, bases, told, strict=True)
    ]


def _time(reading: Reading) -> str:
    """Since the run's first histogram of the tag that is known here."""
    recorded = reading.curves.recorded
    return numbers.duration(reading.wall_time - start_time(recorded.wall_times))
