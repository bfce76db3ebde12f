"""A chart of precision-recall curves as cells: in the frame of a card, or on its own."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.card import body_size, draw_card
from tbtui.charts.card_note import fitting_note
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.kept_pictures import KeptPictures
from tbtui.charts.line_chart import LineChart, Trace, line_picture
from tbtui.charts.marks import BEST_SIGN, NAN_SIGN, Mark, draw_marks
from tbtui.charts.palette import marker
from tbtui.charts.why_blank import say_why
from tbtui.frozen import frozen
from tbtui.plugins.pr_curves.curves import gaps_of, line_of
from tbtui.plugins.pr_curves.notes import notes_of
from tbtui.plugins.pr_curves.readings import NOWHERE, leading
from tbtui.plugins.pr_curves.words import trouble_words
from tbtui.viewstate.run_legend import run_legend

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import LinePicture
    from tbtui.plugins.pr_curves.curves import Curve
    from tbtui.plugins.pr_curves.data import Chart, RunCurve
    from tbtui.plugins.pr_curves.readings import CurvePointer

FEW = 12
"""With more curves than this their signs would be noise; those of the focused one stay, and the others are faint."""


@frozen(eq=False)
class Drawn:
    """A chart as cells, and where data lies within them."""

    cells: Cells
    plot: PlotArea | None = None
    """None where there is no room for any."""

    picture: LinePicture | None = None
    """What the cells are of, likewise."""


class Drawing:
    """Draws charts, and keeps them as long as they are charts: what moves is put over them. Used by one thread."""

    def __init__(self) -> None:
        self._kept: KeptPictures[Chart, LinePicture] = KeptPictures()

    def card(
        self,
        chart: Chart,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: CurvePointer = NOWHERE,
        runs: Sequence[str] = (),
    ) -> Drawn:
        """A chart in its frame: what it is and where it stands above it, its runs below.

        Args:
            chart: What is shown.
            width: Columns of the card.
            height: Its rows.
            focused: Whether it has the focus.
            pointer: Where the user looks.
            runs: All that are drawn in any card, which the legend must tell apart.
        """
        body = self.body(chart, *body_size(width, height), pointer)
        cells = draw_card(
            chart.title,
            body.cells,
            width,
            height,
            focused=focused,
            note=fitting_note(notes_of(chart, pointer), chart.title, width),
            note_ink=Ink.WARN if trouble_words(chart.runs) else Ink.DIM,
            legend=run_legend(chart.runs, runs, width, pointer.focus),
        )
        return Drawn(cells, None if body.plot is None else body.plot.moved(1, 1), body.picture)

    def body(self, chart: Chart, width: int, height: int, pointer: CurvePointer = NOWHERE) -> Drawn:
        """A chart without frame; where nothing can be drawn it says why."""
        if width <= 0 or height <= 0:
            return Drawn(Cells.blank(max(height, 0), max(width, 0)))
        picture = self._kept.picture(
            chart,
            width,
            height,
            pointer.focus,
            lambda: line_picture(line_chart(chart, pointer.focus), width, height),
        )
        cells, plot = picture.at(), picture.layout.plot
        if chart.blank:
            say_why(cells, chart.blank, plot)
        elif pointer.threshold is not None:
            draw_marks(cells, list(_threshold_marks(chart, pointer)), plot)
        return Drawn(cells, replace(plot, about=_about(chart, pointer)), picture)


def line_chart(chart: Chart, focus: str | None = None) -> LineChart:
    """The lines of a chart and the signs that belong to them.

    From below: curves of the step that is compared with, curves in the reverse order of the run tree, the focused one.
    """
    ordered = _in_drawing_order(chart.runs, focus)
    crowded = len(ordered) > FEW and any(each.run == focus for each in ordered)
    traces = [
        *(_trace(each.marked, each.ink, faint=True) for each in ordered if each.marked is not None),
        *(
            _trace(each.curve, each.ink, faint=crowded and each.run != focus)
            for each in ordered
            if each.curve is not None
        ),
    ]
    return LineChart(tuple(traces), chart.x_axis, chart.y_axis, tuple(_signs(ordered, focus)))


def _in_drawing_order(runs: Sequence[RunCurve], focus: str | None) -> list[RunCurve]:
    ordered = list(reversed(runs))
    ordered.sort(key=lambda each: each.run == focus)
    return ordered


def _trace(curve: Curve, ink: int, *, faint: bool) -> Trace:
    x, y, ascending = line_of(curve)
    return Trace(x, y, ink, faint, ascending=ascending)


def _signs(ordered: Sequence[RunCurve], focus: str | None) -> Iterator[Mark]:
    """Where the F1 of each curve is best and, over that, where curves stop being numbers."""
    signed = [each for each in ordered if len(ordered) <= FEW or each.run == focus]
    for each in signed:
        yield from _mark(each, None, BEST_SIGN)
    for each in signed:
        for x, y in gaps_of(each.curve) if each.curve is not None else ():
            yield Mark(x, NAN_SIGN, each.ink, y)


def _threshold_marks(chart: Chart, pointer: CurvePointer) -> Iterator[Mark]:
    """Each run's own sign on its curve at the chosen threshold."""
    ordered = _in_drawing_order(chart.runs, pointer.focus)
    for each in ordered:
        if len(ordered) <= FEW or each.run == pointer.focus:
            yield from _mark(each, pointer.threshold, marker(each.ink))


def _mark(each: RunCurve, threshold: float | None, sign: str) -> Iterator[Mark]:
    point = None if each.curve is None else each.curve.point(threshold)
    if point is not None:
        yield Mark(point[0], sign, each.ink, point[1])


def _about(chart: Chart, pointer: CurvePointer) -> tuple[float, float]:
    """What keys zoom about: the point that is read of the run that leads, or where its F1 is best."""
    lead = leading(chart.runs, pointer.focus)
    if lead is None or lead.curve is None:
        return math.nan, math.nan
    return lead.curve.point(pointer.threshold) or lead.curve.point(None) or (math.nan, math.nan)
