"""A chart of quantile curves as cells: in the frame of a card, or on its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.card import body_size, draw_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.fan import FanChart, fan_picture
from tbtui.charts.kept_pictures import KeptPictures
from tbtui.charts.line_chart import line_picture
from tbtui.charts.stops import stops_in
from tbtui.charts.why_blank import say_why
from tbtui.plugins.distributions.notes import stands_of
from tbtui.plugins.distributions.outlines import outline_chart, restart_marks, superseded_lines
from tbtui.plugins.distributions.words import CURVE_WORDS
from tbtui.plugins.histograms.drawn import Drawn, Pictured
from tbtui.plugins.histograms.notes import happened_to, legend, note_of
from tbtui.viewstate.pointer import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.distributions.data import Chart
    from tbtui.plugins.histograms.drawn import Picture
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer


class Drawing:
    """Draws charts, and keeps them as long as they are charts: a cursor is put over them. Used by one thread."""

    def __init__(self) -> None:
        self._kept: KeptPictures[Chart, Pictured] = KeptPictures()

    def card(
        self,
        chart: Chart,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: Pointer = NOWHERE,
        sharing: Sequence[Recorded] = (),  # noqa: ARG002 - of other charts the colours depend on it
        runs: Sequence[str] = (),
    ) -> Drawn:
        """A chart in its frame: what it is and where it stands above it, its runs below."""
        body = self._body(chart, *body_size(width, height), pointer)
        cells = draw_card(
            chart.title,
            body.cells,
            width,
            height,
            focused=focused,
            note=note_of(stands_of(chart.recorded, pointer), chart.recorded, chart.title, width),
            note_ink=Ink.WARN if happened_to(chart.recorded) else Ink.DIM,
            legend=legend(chart.recorded, runs, width, pointer.focus),
        )
        return replace(body, cells=cells, plot=None if body.plot is None else body.plot.moved(1, 1))

    def opened(
        self,
        chart: Chart,
        width: int,
        height: int,
        pointer: Pointer = NOWHERE,
        sharing: Sequence[Recorded] = (),  # noqa: ARG002 - likewise
    ) -> Drawn:
        """A chart in full size, without frame; where there is room its curves have names."""
        return self._body(chart, width, height, pointer, CURVE_WORDS)

    def _body(self, chart: Chart, width: int, height: int, pointer: Pointer, names: tuple[str, ...] = ()) -> Drawn:
        """A chart without frame; where nothing can be drawn it says why."""
        if width <= 0 or height <= 0:
            return Drawn(Cells.blank(max(height, 0), max(width, 0)))
        focus = pointer.focus if chart.together else None
        pictured = self._kept.picture(
            chart, width, height, (focus, names), lambda: _pictured(chart, width, height, focus, names)
        )
        cells = pictured.picture.at(pointer.cursor, pointer.mark)
        if chart.blank:
            say_why(cells, chart.blank, pictured.picture.layout.plot)
        return Drawn(cells, pictured.picture.layout.plot, pictured.stops, picture=pictured.picture)


def _pictured(chart: Chart, width: int, height: int, focus: str | None, names: tuple[str, ...]) -> Pictured:
    picture = _picture(chart, width, height, focus, names)
    return Pictured(picture, stops_in([curves.x for curves in chart.curves], picture.layout.plot))


def _picture(chart: Chart, width: int, height: int, focus: str | None, names: tuple[str, ...]) -> Picture:
    if chart.together:
        return line_picture(outline_chart(chart, width, height, focus), width, height)
    (curves,) = chart.curves
    fan = FanChart(
        curves.x,
        curves.values,
        curves.recorded.ink,
        chart.axes.along,
        chart.axes.values,
        tuple(restart_marks(chart.curves)),
        names=names,
        lines=tuple(superseded_lines(chart.curves, faint=False)),
    )
    return fan_picture(fan, width, height)
