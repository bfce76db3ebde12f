"""A chart of histograms as cells: in the frame of a card, or in full size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.beyond import draw_beyond
from tbtui.charts.card import body_size, draw_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.kept_pictures import KeptPictures
from tbtui.charts.why_blank import say_why
from tbtui.frozen import frozen
from tbtui.plugins.histograms import curves, heat
from tbtui.plugins.histograms.beyond import beyond
from tbtui.plugins.histograms.bins import Bins
from tbtui.plugins.histograms.drawn import Drawn
from tbtui.plugins.histograms.notes import happened_to, legend, note_of, stand_of
from tbtui.plugins.histograms.readings import chosen_of, focused, marked_of
from tbtui.viewstate.pointer import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.plugins.histograms.data import Chart
    from tbtui.plugins.histograms.drawn import Pictured
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer


@frozen
class _Asked:
    """What a picture depends on beside its chart and its size."""

    top: float | None = None
    rows: tuple[int, ...] = ()
    front: int | None = None


class Drawing:
    """Draws charts, and keeps them as long as they are charts: a cursor is put over them. Used by one thread."""

    def __init__(self) -> None:
        self.bins = Bins()
        self._kept: KeptPictures[Chart, Pictured] = KeptPictures()

    def card(
        self,
        chart: Chart,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: Pointer = NOWHERE,
        sharing: Sequence[Recorded] = (),
        runs: Sequence[str] = (),
    ) -> Drawn:
        """A chart in its frame: what it is and where it stands above it, its runs below.

        Args:
            chart: What is shown.
            width: Columns of the card.
            height: Its rows.
            focused: Whether it has the focus.
            pointer: Where the user looks.
            sharing: What all runs have recorded that share its range of values.
            runs: All that are drawn in any card, which the legend must tell apart.
        """
        body = self.body(chart, *body_size(width, height), pointer, sharing)
        cells = draw_card(
            chart.title,
            body.cells,
            width,
            height,
            focused=focused,
            note=note_of([stand_of(chart.recorded, pointer)], chart.recorded, chart.title, width),
            note_ink=Ink.WARN if happened_to(chart.recorded) else Ink.DIM,
            legend=legend(chart.recorded, runs, width, pointer.focus),
        )
        return replace(body, cells=cells, plot=None if body.plot is None else body.plot.moved(1, 1))

    def opened(
        self, chart: Chart, width: int, height: int, pointer: Pointer = NOWHERE, sharing: Sequence[Recorded] = ()
    ) -> Drawn:
        """A chart in full size: beside a heat map, where there is room, the chosen steps as bars."""
        beside = heat.bars_width(width) if chart.look == "heat" and not chart.blank else 0
        body = self.body(chart, width - beside, height, pointer, sharing)
        if not beside or body.plot is None:
            return body
        (recorded,) = chart.recorded
        ends = chosen_of(recorded, pointer), marked_of(recorded, pointer)
        layout = heat.layout_of(chart, width - beside, height)
        ink = recorded.ink if pointer.cursor is None else Ink.ACCENT
        return replace(body, cells=heat.with_bars(body.cells, ends, ink, layout, self.bins, beside))

    def body(
        self, chart: Chart, width: int, height: int, pointer: Pointer = NOWHERE, sharing: Sequence[Recorded] = ()
    ) -> Drawn:
        """A chart without frame; where nothing can be drawn it says why."""
        if width <= 0 or height <= 0:
            return Drawn(Cells.blank(max(height, 0), max(width, 0)))
        pictured = self._pictured(chart, width, height, pointer, sharing)
        cursor, mark = _places(chart, pointer)
        cells = pictured.picture.at(cursor, mark)
        layout = pictured.picture.layout
        if chart.blank:
            say_why(cells, chart.blank, layout.plot)
        elif chart.may_leave_out and pictured.outside:
            draw_beyond(cells, layout, beyond(chart.recorded, chart.axes))
        return Drawn(cells, layout.plot, pictured.stops, pictured.outside, pictured.picture)

    def _pictured(
        self, chart: Chart, width: int, height: int, pointer: Pointer, sharing: Sequence[Recorded]
    ) -> Pictured:
        asked, draw = self._asked(chart, width, height, pointer, sharing)
        return self._kept.picture(chart, width, height, asked, draw)

    def _asked(
        self, chart: Chart, width: int, height: int, pointer: Pointer, sharing: Sequence[Recorded]
    ) -> tuple[_Asked, Callable[[], Pictured]]:
        """What the picture depends on, and how it is drawn."""
        bins = self.bins
        if chart.look == "heat":
            layout = heat.layout_of(chart, width, height)
            top = heat.common_top(chart, sharing, layout, bins)
            return _Asked(top), lambda: heat.heat_map(chart, layout, bins, top)
        chosen = [chosen_of(each, pointer).index for each in chart.recorded]
        if chart.together:
            front = focused(chart.recorded, pointer.focus)
            return (
                _Asked(rows=tuple(chosen), front=front),
                lambda: curves.lines_of_runs(chart, chosen, front, bins, width, height),
            )
        looked_at = _looked_at(chart.recorded[0], pointer)
        if chart.look == "ridges":
            usual = curves.ridge_rows(chart, height)
            rows = curves.with_chosen(usual, looked_at)
            stops = chart.recorded[0].x[usual]
            return _Asked(rows=tuple(rows.tolist())), lambda: curves.ridges(chart, rows, stops, bins, width, height)
        rows = np.union1d(curves.line_rows(chart), np.array(looked_at, np.intp))
        return _Asked(rows=tuple(rows.tolist())), lambda: curves.lines(chart, rows, bins, width, height)


def _looked_at(recorded: Recorded, pointer: Pointer) -> list[int]:
    """The histograms at the cursor and at the mark, if there are such."""
    if pointer.cursor is None:
        return []
    marked = marked_of(recorded, pointer)
    return [chosen_of(recorded, pointer).index, *(() if marked is None else (marked.index,))]


def _places(chart: Chart, pointer: Pointer) -> tuple[float | None, float | None]:
    """Where the histograms that the user looks at stand on the x axis; of runs together, where the cursor is."""
    if pointer.cursor is None or chart.together:
        return pointer.cursor, pointer.mark
    recorded = chart.recorded[0]
    marked = marked_of(recorded, pointer)
    return chosen_of(recorded, pointer).x, None if marked is None else marked.x
