"""Draws the histograms of one view, and those of one card in full size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from tbtui.charts.annotations import say_why
from tbtui.charts.card import BETWEEN, KeptPictures, below, body_size, draw_card, headline
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.fan import FanPicture
from tbtui.charts.line_chart import LinePicture, draw_beyond
from tbtui.frozen import frozen
from tbtui.plugins.histograms import looks as curves
from tbtui.plugins.histograms import looks as heat
from tbtui.plugins.histograms.chart import MOST_SHARING, Bins, beyond
from tbtui.plugins.histograms.looks import Drawn, run_at
from tbtui.plugins.histograms.readings import Chart as DataChart
from tbtui.plugins.histograms.readings import (
    bucket_table,
    chosen_of,
    focused,
    happened_to,
    happened_words,
    legend,
    marked_of,
    note_of,
    outside_word,
    refused_word,
    settings,
    stand_of,
    step_table,
    step_word,
    what_went_wrong,
)
from tbtui.settings.zoom import NO_CURSOR, cursor_state
from tbtui.widgets.card_frames import CardFallback, Opened, Painted, table_height

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from tbtui.plugins.histograms.chart import Axes, KeptCharts
    from tbtui.plugins.histograms.looks import Pictured
    from tbtui.plugins.histograms.readings import ChartData
    from tbtui.plugins.histograms.series import Recorded
    from tbtui.settings.zoom import CursorState
    from tbtui.view.cards import RunCards
    from tbtui.view.view import View


# A chart of histograms as cells: in the frame of a card, or in full size.


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
        self._kept: KeptPictures[DataChart, Pictured] = KeptPictures()

    def card(
        self,
        chart: DataChart,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: CursorState = NO_CURSOR,
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
        self,
        chart: DataChart,
        width: int,
        height: int,
        pointer: CursorState = NO_CURSOR,
        sharing: Sequence[Recorded] = (),
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
        self,
        chart: DataChart,
        width: int,
        height: int,
        pointer: CursorState = NO_CURSOR,
        sharing: Sequence[Recorded] = (),
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
        self, chart: DataChart, width: int, height: int, pointer: CursorState, sharing: Sequence[Recorded]
    ) -> Pictured:
        asked, draw = self._asked(chart, width, height, pointer, sharing)
        return self._kept.picture(chart, width, height, asked, draw)

    def _asked(
        self, chart: DataChart, width: int, height: int, pointer: CursorState, sharing: Sequence[Recorded]
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


def _looked_at(recorded: Recorded, pointer: CursorState) -> list[int]:
    """The histograms at the cursor and at the mark, if there are such."""
    if pointer.cursor is None:
        return []
    marked = marked_of(recorded, pointer)
    return [chosen_of(recorded, pointer).index, *(() if marked is None else (marked.index,))]


def _places(chart: DataChart, pointer: CursorState) -> tuple[float | None, float | None]:
    """Where the histograms that the user looks at stand on the x axis; of runs together, where the cursor is."""
    if pointer.cursor is None or chart.together:
        return pointer.cursor, pointer.mark
    recorded = chart.recorded[0]
    marked = marked_of(recorded, pointer)
    return chosen_of(recorded, pointer).x, None if marked is None else marked.x


# Draws the cards of one view, and one of them in full size, whatever of recorded histograms they show.


class Shown(Protocol):
    """What is known of any chart."""

    @property
    def key(self) -> str:
        """Of its card."""

    @property
    def title(self) -> str:
        """Not yet made safe for a terminal."""

    @property
    def axes(self) -> Axes:
        """Of steps, and of values."""


Chart = TypeVar("Chart", bound=Shown)
Chart_contra = TypeVar("Chart_contra", contravariant=True)


class Drawer(Protocol[Chart_contra]):
    """Draws charts, and keeps them as long as they are charts."""

    def card(
        self,
        chart: Chart_contra,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: CursorState,
        sharing: Sequence[Recorded],
        runs: Sequence[str],
    ) -> Drawn:
        """A chart in its frame.

        Args:
            chart: What is shown.
            width: Columns of the card.
            height: Its rows.
            focused: Whether it has the focus.
            pointer: Where the user looks.
            sharing: What all runs have recorded that share its range of values.
            runs: All that are drawn in any card, which the legend must tell apart.
        """

    def opened(
        self, chart: Chart_contra, width: int, height: int, pointer: CursorState, sharing: Sequence[Recorded]
    ) -> Drawn:
        """A chart in full size, without frame."""


class RecordedPainter(Generic[Chart]):
    """The charts of one view as pictures: a `CardPainter` and, but for `pick`, an `OpenPainter`.

    Args:
        data: Kept from view to view, as is the drawing; only `outline` leaves both alone.
        drawing: Draws the charts.
        view: What is shown.
        cards: The cards of the view, from `data`.
    """

    def __init__(self, data: KeptCharts[Chart], drawing: Drawer[Chart], view: View, cards: RunCards) -> None:
        self.data = data
        self.drawing = drawing
        self.view = view
        self.opened_view = (
            replace(view, choices=replace(view.choices, overview=False)) if view.choices.overview else view
        )
        """An opened chart is no small one."""

        self.cards = cards
        self._fallback = CardFallback(cards, what_went_wrong)
        self.runs = tuple(run.name for run in view.runs)

    # What a dashboard has to say

    def settings(self, key: str) -> str:
        """How a chart is drawn."""
        raise NotImplementedError

    def table(
        self, chart: Chart, sharing: Sequence[Recorded], width: int, pointer: CursorState
    ) -> tuple[Cells, Cells, tuple[str, ...]]:
        """Header and rows of an opened chart's table, and the run of each row."""
        raise NotImplementedError

    def told(self, chart: Chart, drawn: Drawn, pointer: CursorState) -> Iterable[str]:
        """What stands beside the title of an opened chart between its run and its settings; some may be empty."""
        raise NotImplementedError

    def told_alone(self, chart: Chart, pointer: CursorState) -> Iterable[str]:
        """What stands there where there is no room for a table."""
        raise NotImplementedError

    def told_below(self) -> Hashable:
        """What of the choices alters the table beside the pointer."""
        return None

    # What panes ask for

    def look(self, key: str) -> Hashable:
        """See `CardPainter`: the chart, what is told above and below it, and where the user looks in it."""
        told = self.settings(key), self.told_below(), self.runs
        return self.data.look(self.view, key), told, cursor_state(self.view.choices)

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> Painted:
        """See `CardPainter`."""
        chart, sharing = self.data.chart(self.view, key), self.data.sharing(self.view, key)
        pointer = self.pointer(chart)
        drawn = self.drawing.card(
            chart, width, height, focused=focused, pointer=pointer, sharing=sharing, runs=self.runs
        )
        picture = drawn.picture if isinstance(drawn.picture, LinePicture | FanPicture) else None
        return Painted(drawn.cells, drawn.plot, drawn.stops, body=picture)

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return self._fallback.outline(key, width, height, focused=focused)

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return self._fallback.broken(key, width, height, error, focused=focused)

    def open(self, key: str, width: int, height: int) -> Opened:
        """See `OpenPainter`."""
        chart, sharing = self.data.chart(self.opened_view, key), self.data.sharing(self.opened_view, key)
        pointer = self.pointer(chart)
        header, rows, runs = self.table(chart, sharing, width, pointer)
        table_rows = table_height(rows, height)
        drawn = self.drawing.opened(chart, width, height - table_rows - 1, pointer, sharing)
        if table_rows:
            told = self._run_word(key), *self.told(chart, drawn, pointer), self._range_word(key), self.settings(key)
        else:
            told = *self.told_alone(chart, pointer), ""
        title = headline(chart.title, _joined(told), width, first=not table_rows)
        plot = None if drawn.plot is None else drawn.plot.moved(1, 0)
        return Opened(key, below(title, drawn.cells), header, rows, plot, drawn.stops, runs)

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        """See `OpenPainter`."""
        return self._fallback.broken_open(key, width, height, error, _joined((self._run_word(key), self.settings(key))))

    def pointer(self, chart: Chart) -> CursorState:
        """Where the user looks in a chart."""
        return cursor_state(self.view.choices, chart.axes.along.origin)

    def _run_word(self, key: str) -> str:
        """The run of a card, where several have one."""
        run = self.cards.run_of(key)
        return run if run is not None and len(self.runs) > 1 else ""

    def _range_word(self, key: str) -> str:
        """That runs side by side have not the same range of values, where that is so."""
        return f"each run has its own range: more than {MOST_SHARING}" if self.data.is_alone(self.view, key) else ""


def _joined(told: Iterable[str]) -> str:
    """What there is to say, each once; which step the cursor is at has been told where a histogram's step has."""
    parts = dict.fromkeys(part for each in told for part in each.split(BETWEEN) if part)
    has_step = any(part.startswith("step ") for part in parts)
    return BETWEEN.join(part for part in parts if not (has_step and part.startswith("@ step ")))


class HistogramsPainter(RecordedPainter[DataChart]):
    """The charts of one view as pictures: a `CardPainter` and an `OpenPainter`."""

    def __init__(self, data: ChartData, drawing: Drawing, view: View, cards: RunCards) -> None:
        super().__init__(data, drawing, view, cards)
        self._bins = drawing.bins

    def settings(self, key: str) -> str:
        """How a chart is drawn."""
        return settings(self.view.choices, key)

    def told_below(self) -> Hashable:
        """Whether a row is a bucket."""
        return self.view.choices.bucket_rows

    def table(
        self, chart: DataChart, sharing: Sequence[Recorded], width: int, pointer: CursorState
    ) -> tuple[Cells, Cells, tuple[str, ...]]:
        """A row a run, or a row a bucket."""
        if self.view.choices.bucket_rows:
            index = focused(chart.recorded, pointer.focus) or 0
            return *bucket_table(chosen_of(chart.recorded[index], pointer), width), ()
        return step_table(sharing, width, pointer, self.cards.run_of(chart.key))

    def told(self, chart: DataChart, drawn: Drawn, pointer: CursorState) -> Iterator[str]:
        """Which step is shown, what happened, what cannot be drawn, what lies outside the axis."""
        yield step_word(chart.recorded, pointer)
        yield from happened_words(chart.recorded)
        for each in chart.recorded:
            yield chosen_of(each, pointer).refused
        if chart.may_leave_out and not chart.blank:
            yield outside_word(drawn.outside)
        yield from map(refused_word, chart.recorded)

    def told_alone(self, chart: DataChart, pointer: CursorState) -> tuple[str, ...]:
        """Which step is shown, and where its values stand."""
        return step_word(chart.recorded, pointer, brief=True), stand_of(chart.recorded, pointer)

    def pick(self, opened: Opened, column: int, row: int) -> str | None:
        """See `OpenPainter`."""
        if opened.plot is None:
            return None
        chart = self.data.chart(self.opened_view, opened.key)
        return run_at(chart, self.pointer(chart), self._bins, opened.plot, column, row)
