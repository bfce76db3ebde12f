"""PR curves: a chart for each tag, with a curve a run of one step of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import Trace
from tbtui.charts.numbers import counted, short
from tbtui.charts.text import safe
from tbtui.cli.print.asked import left_out
from tbtui.cli.print.charts import line_cells, uses_letters
from tbtui.cli.print.figures import MISSING, figures
from tbtui.cli.print.sheet import Column, Heading, Picture, Piece, Table, Words
from tbtui.plugins.pr_curves.curves import line_of
from tbtui.plugins.pr_curves.data import CurveData
from tbtui.plugins.pr_curves.points import NoCurveError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.cli.print.asked import Asked
    from tbtui.cli.print.sheet import Block
    from tbtui.plugins.pr_curves.data import Chart, RunCurve
    from tbtui.viewstate.view import View


def curve_blocks(view: View, asked: Asked) -> Iterator[Block]:
    """A chart for each tag that matches."""
    data = CurveData(asked.kept.payloads)
    cursor = None if asked.step is None else float(asked.step)
    view = replace(view, choices=replace(view.choices, x_axis="step", cursor=cursor))
    keys = data.cards(view).keys
    most = asked.tags(len(keys))
    for key in keys[:most]:
        yield from _of_card(data, view, key, asked)
    if said := left_out([data.cards(view).tag_of(key) for key in keys], most, "tag", asked.paper.width):
        yield Words((said,), apart=True)


def _of_card(data: CurveData, view: View, key: str, asked: Asked) -> Iterator[Block]:
    try:
        chart = data.chart(view, key)
    except NoCurveError as error:
        yield Heading(data.cards(view).tag_of(key))
        yield Words((safe(str(error)),), Ink.WARN)
    else:
        yield from _blocks(chart, asked)


def _blocks(chart: Chart, asked: Asked) -> Iterator[Block]:
    most = asked.runs(len(chart.runs))
    shown = chart.runs[:most]
    letters = asked.letters.of(held.run for held in shown)
    yield Heading(chart.title, f"{counted(len(chart.runs), 'run')} · precision up, recall across")
    drawn = [(held, held.curve) for held in reversed(shown) if held.curve is not None]
    traces = []
    for held, curve in drawn:
        x, y, ascending = line_of(curve)
        traces.append(Trace(x, y, held.ink, ascending=ascending))
    axes = chart.x_axis, chart.y_axis
    cells, _ = line_cells(traces, [letters[held.run] for held, _ in drawn], axes, asked, blank=chart.blank)
    yield Picture(cells)
    yield _table(shown, letters if len(shown) > 1 or uses_letters(asked, 1) else {})
    said = [f"{safe(held.run)}: {safe(held.refused)}" for held in shown if held.refused]
    said += asked.elsewhere(held.step for held in shown)
    said.append(left_out([held.run for held in chart.runs], most, "run", asked.paper.width))
    yield Words(tuple(filter(None, said)))


def _table(shown: Sequence[RunCurve], letters: Mapping[str, str]) -> Table:
    areas = [held.area for held in shown]
    readings = [None if held.curve is None else held.curve.at(None) for held in shown]
    columns: list[tuple[Column, Sequence[Piece]]] = []
    if letters:
        columns.append((Column("", "left"), [Piece(letters[held.run], held.ink) for held in shown]))
    names = len(columns)
    columns.append((Column("run", "left"), [Piece(held.run, held.ink) for held in shown]))
    columns.append((Column("step", "right", 6), [Piece(str(held.step), Ink.DIM) for held in shown]))
    columns.append((Column("area"), figures([None if np.isnan(area) else area for area in areas])))
    columns.append((Column("best F1", worth=5), figures([None if r is None else r.f1 for r in readings])))
    at = [MISSING if r is None else Piece(short(r.threshold), Ink.DIM) for r in readings]
    columns.append((Column("at threshold", worth=2), at))
    columns.append((Column("precision", worth=4), figures([None if r is None else r.precision for r in readings])))
    columns.append((Column("recall", worth=3), figures([None if r is None else r.recall for r in readings])))
    return Table(
        tuple(column for column, _ in columns), tuple(zip(*(cells for _, cells in columns), strict=True)), names
    )
