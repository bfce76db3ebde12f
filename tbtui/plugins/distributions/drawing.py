"""A chart of quantile curves as cells: in the frame of a card, or on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

from tbtui.charts.card import body_size, draw_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.fan import FanChart, fan_picture
from tbtui.charts.line_chart import line_picture
from tbtui.charts.stops import stops_in
from tbtui.charts.text import cell_width, fit, write
from tbtui.plugins.distributions.notes import legend, note_of
from tbtui.plugins.distributions.outlines import levels_of, outline_chart, restart_marks
from tbtui.plugins.distributions.readings import NOWHERE

if TYPE_CHECKING:
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.plugins.distributions.curves import Floats
    from tbtui.plugins.distributions.data import Chart
    from tbtui.plugins.distributions.readings import Pointer

MOST_SIZES = 3
"""Sizes at which a chart is kept as it was drawn: in the grid, focused there, opened."""


class Picture(Protocol):
    """A chart that is drawn but for what moves."""

    @property
    def layout(self) -> Layout:
        """Where its plot lies."""

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """The chart with a cursor; fresh cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A chart as cells, and where data lies within them."""

    cells: Cells
    plot: PlotArea | None
    """None where there is no room for any."""

    stops: Floats | None = None
    """Where the cursor may stand, on its x axis; None likewise, and where nobody asked."""


@dataclass(slots=True, eq=False)
class _Kept:
    focus: str | None
    picture: Picture
    stops: Floats | None = None
    """Where a cursor may stand; None as long as nobody asked."""


class Drawing:
    """Draws charts, and keeps them as long as they are charts: a cursor is put over them. Used by one thread."""

    def __init__(self) -> None:
        self._pictures: WeakKeyDictionary[Chart, dict[tuple[int, int], _Kept]] = WeakKeyDictionary()

    def card(
        self,
        chart: Chart,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: Pointer = NOWHERE,
        runs: tuple[str, ...] = (),
    ) -> Drawn:
        """A chart in its frame: what it is and where it stands above it, its runs below.

        Args:
            chart: What is shown.
            width: Columns of the card.
            height: Its rows.
            focused: Whether it has the focus; then it is known where a cursor may stand.
            pointer: Where the user looks.
            runs: All that are drawn in any card, which the legend must tell apart.
        """
        body = self.body(chart, *body_size(width, height), pointer, with_stops=focused)
        note = note_of(chart, pointer, width)
        cells = draw_card(
            chart.title, body.cells, width, height, focused=focused, note=note, legend=legend(chart, runs, pointer)
        )
        return Drawn(cells, None if body.plot is None else body.plot.moved(1, 1), body.stops)

    def body(
        self, chart: Chart, width: int, height: int, pointer: Pointer = NOWHERE, *, with_stops: bool = True
    ) -> Drawn:
        """A chart without frame; where nothing can be drawn it says why."""
        if width <= 0 or height <= 0:
            return Drawn(Cells.blank(max(height, 0), max(width, 0)), None)
        kept = self._kept(chart, width, height, pointer.focus if chart.together else None)
        cells, plot = kept.picture.at(pointer.cursor, pointer.mark), kept.picture.layout.plot
        if chart.blank:
            text = fit(chart.blank, width)
            write(cells, max(height // 2 - 1, 0), max((width - cell_width(text)) // 2, 0), text, Ink.WARN)
        if with_stops and kept.stops is None:
            kept.stops = stops_in((each.x for each in chart.curves), plot)
        return Drawn(cells, plot, kept.stops if with_stops else None)

    def _kept(self, chart: Chart, width: int, height: int, focus: str | None) -> _Kept:
        sizes = self._pictures.setdefault(chart, {})
        kept = sizes.pop((width, height), None)
        if kept is None or kept.focus != focus:
            kept = _Kept(focus, _picture(chart, width, height, focus))
        sizes[width, height] = kept
        while len(sizes) > MOST_SIZES:
            del sizes[next(iter(sizes))]
        return kept


def _picture(chart: Chart, width: int, height: int, focus: str | None) -> Picture:
    if chart.together:
        return line_picture(outline_chart(chart, width, height, focus), width, height)
    curves = chart.curves[0]
    fan = FanChart(
        curves.x,
        curves.values,
        curves.recorded.ink,
        chart.x_axis,
        chart.y_axis,
        tuple(restart_marks(chart.curves)),
        levels_of(chart),
    )
    return fan_picture(fan, width, height)
