"""The runs of one chart as a table: what their curves say at a threshold, the areas under them, and their best F1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts.marks import BASELINE_SIGN, BEST_SIGN
from tbtui.charts.numbers import short, signed, told_apart
from tbtui.plugins.pr_curves.readings import NOWHERE, rows_in_order
from tbtui.viewstate.row_order import titled
from tbtui.viewstate.run_names import distinct_names
from tbtui.widgets.run_table import NOTHING, Row, column, run_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.charts.numbers import Written
    from tbtui.plugins.pr_curves.curves import Reading
    from tbtui.plugins.pr_curves.data import RunCurve
    from tbtui.plugins.pr_curves.readings import CurvePointer
    from tbtui.widgets.run_table import Column

AREA = "AUC (AP)"
"""The area under the curve, which is average precision: see `series.pr_curves.average_precision`."""


def curve_table(
    runs: Sequence[RunCurve], width: int, pointer: CurvePointer = NOWHERE
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """The table's header (one row), its body (one row a run, in the chosen order), and the run of each row.

    Args:
        runs: What a chart shows.
        width: Columns.
        pointer: Where the user looks; without a threshold each run is read where its F1 is best.
    """
    names = [each.run for each in runs]
    rows = [
        Row(each.run, short_name, each.ink, each.run == pointer.focus)
        for each, short_name in zip(runs, distinct_names(names), strict=True)
    ]
    order = rows_in_order(runs, pointer)
    header, body = run_table(rows, _columns(runs, pointer), width, order)
    return header, body, tuple(names[index] for index in order)


def _columns(runs: Sequence[RunCurve], pointer: CurvePointer) -> list[Column]:
    read = [None if each.curve is None else each.curve.at(pointer.threshold) for each in runs]
    best = [None if each.curve is None else each.curve.at(None) for each in runs]
    return [
        column("step", [str(each.step) for each in runs], 5),
        column("threshold", _read(read, lambda reading: reading.threshold), 7),
        column("precision", _read(read, lambda reading: reading.precision), 9, pair="precision, recall"),
        column("recall", _read(read, lambda reading: reading.recall), 9, pair="precision, recall"),
        column("F1", _read(read, lambda reading: reading.f1), 8),
        column("TP", _read(read, lambda reading: reading.true_positives), 6, pair="counts"),
        column("FP", _read(read, lambda reading: reading.false_positives), 6, pair="counts"),
        column("TN", _read(read, lambda reading: reading.true_negatives), 6, pair="counts"),
        column("FN", _read(read, lambda reading: reading.false_negatives), 6, pair="counts"),
        column(
            titled(AREA, pointer.order, pointer.focus),
            _told(None if math.isnan(each.area) else each.area for each in runs),
            10,
        ),
        *_deltas(runs, pointer.baseline),
        column(
            "best F1 @ threshold",
            _read(best, lambda reading: reading.f1),
            5,
            ["" if reading is None else f" @ {short(reading.threshold, digits=3)} {BEST_SIGN}" for reading in best],
        ),
    ]


def _read(readings: Sequence[Reading | None], of: Callable[[Reading], float | None]) -> list[str]:
    return _told(None if reading is None else of(reading) for reading in readings)


def _told(values: Iterable[float | None], text: Written = short) -> list[str]:
    """The numbers that there are, those that differ told apart; where there is none, the sign of that."""
    held = list(values)
    told = iter(told_apart([value for value in held if value is not None], text))
    return [NOTHING if value is None else next(told) for value in held]


def _deltas(runs: Sequence[RunCurve], baseline: str | None) -> list[Column]:
    """How far each area is from the baseline's, and from that of the same run at the marked step; none without such."""
    columns = []
    if baseline is not None:
        base = next((each.area for each in runs if each.run == baseline), math.nan)
        own = [BASELINE_SIGN if each.run == baseline else None for each in runs]
        apart = _apart([each.area - base for each in runs])
        columns.append(column("Δ AUC", [sign or text for sign, text in zip(own, apart, strict=True)], 8))
    if any(each.marked_step is not None for each in runs):
        marked = [math.nan if each.marked is None else each.area - each.marked.area for each in runs]
        columns.append(column("Δ AUC @ step", _apart(marked), 8, _marked_steps(runs)))
    return columns


def _apart(differences: Sequence[float]) -> list[str]:
    return _told((None if math.isnan(apart) else apart for apart in differences), signed)


def _marked_steps(runs: Sequence[RunCurve]) -> list[str]:
    return ["" if each.marked_step is None else f" @ {each.marked_step}" for each in runs]
