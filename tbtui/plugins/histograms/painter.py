"""Draws the histograms of one view, and those of one card in full size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from tbtui.charts.annotations import draw_empty_message
from tbtui.charts.card import SEPARATOR, RenderCache, body_size
from tbtui.charts.cells import Ink
from tbtui.charts.fan import FanPicture
from tbtui.charts.line_chart import LinePicture, draw_clip_markers
from tbtui.frozen import frozen
from tbtui.plugins.histograms import looks as curves
from tbtui.plugins.histograms import looks as heat
from tbtui.plugins.histograms.chart import MOST_SHARING, Bins, beyond
from tbtui.plugins.histograms.looks import run_at
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
from tbtui.view.card_painter import ChartSource, DrawnChart, empty_chart, framed

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.charts.layout import PlotArea
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


class HistogramRenderer:
    """Draws charts, and keeps them as long as they are charts: a cursor is put over them. Used by one thread."""

    def __init__(self) -> None:
        self.bins = Bins()
        self._kept: RenderCache[DataChart, Pictured] = RenderCache()

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
    ) -> DrawnChart:
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
        return framed(
            body,
            chart.title,
            width,
            height,
            focused=focused,
            note=note_of([stand_of(chart.recorded, pointer)], chart.recorded, chart.title, width),
            note_ink=Ink.WARN if happened_to(chart.recorded) else Ink.DIM,
            legend=legend(chart.recorded, runs, width, pointer.focus),
        )

    def opened(
        self,
        chart: DataChart,
        width: int,
        height: int,
        pointer: CursorState = NO_CURSOR,
        sharing: Sequence[Recorded] = (),
    ) -> DrawnChart:
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
    ) -> DrawnChart:
        """A chart without frame; where nothing can be drawn it says why."""
        if width <= 0 or height <= 0:
            return empty_chart(width, height)
        pictured = self._pictured(chart, width, height, pointer, sharing)
        cursor, mark = _places(chart, pointer)
        cells = pictured.picture.at(cursor, mark)
        layout = pictured.picture.layout
        if chart.blank:
            draw_empty_message(cells, chart.blank, layout.plot)
        elif chart.may_leave_out and pictured.outside:
            draw_clip_markers(cells, layout, beyond(chart.recorded, chart.axes))
        return DrawnChart(
            cells, layout.plot, pictured.stops, vector_picture(pictured.picture), outside=pictured.outside
        )

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


class CardChart(Protocol):
    """What any chart of histograms has."""

    @property
    def key(self) -> str:
        """Key of its card."""

    @property
    def title(self) -> str:
        """Title of the chart; not yet safe for a terminal."""

    @property
    def axes(self) -> Axes:
        """Axes of steps and of values."""

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        """Series of the chart."""


AnyChart = TypeVar("AnyChart", bound=CardChart)


class SeriesSource(ChartSource[AnyChart], Generic[AnyChart]):
    """Base of the sources of Histograms and Distributions.

    Args:
        data: Chart data, kept from view to view.
        view: The view to draw.
        cards: The cards of the view, from `data`.
    """

    def __init__(self, data: KeptCharts[AnyChart], view: View, cards: RunCards) -> None:
        self.data = data
        self.view = view
        self.opened_view = (
            replace(view, choices=replace(view.choices, overview=False)) if view.choices.overview else view
        )
        """The view of an opened chart, which is never small."""

        self.cards = cards
        self.runs = tuple(run.name for run in view.runs)

    def settings_of(self, key: str) -> str:
        """Return how a chart is drawn."""
        raise NotImplementedError

    def look(self, key: str) -> Hashable:
        texts = self.settings_of(key), self.view.choices.bucket_rows, self.runs
        return self.data.look(self.view, key), texts, cursor_state(self.view.choices)

    def chart(self, key: str, *, is_open: bool = False) -> AnyChart:
        return self.data.chart(self.opened_view if is_open else self.view, key)

    def settings(self, key: str) -> str:
        return _joined((self._run_word(key), self.settings_of(key)))

    def describe(self, error: Exception) -> str:
        return what_went_wrong(error)

    def sharing(self, chart: AnyChart, *, is_open: bool = False) -> tuple[Recorded, ...]:
        """Return the series of all runs that share the range of values of a chart."""
        return self.data.sharing(self.opened_view if is_open else self.view, chart.key)

    def pointer(self, chart: AnyChart) -> CursorState:
        """Return the position of the user in a chart."""
        return cursor_state(self.view.choices, chart.axes.along.origin)

    def joined_words(self, chart: AnyChart, words: Iterable[str]) -> tuple[str, ...]:
        """Return the title words of an opened chart with a table: `words` between its run and its settings."""
        key = chart.key
        alone = f"each run has its own range: more than {MOST_SHARING}" if self.data.is_alone(self.view, key) else ""
        return (_joined((self._run_word(key), *words, alone, self.settings_of(key))),)

    def _run_word(self, key: str) -> str:
        """Return the run of a card if several runs have one."""
        run = self.cards.run_of(key)
        return run if run is not None and len(self.runs) > 1 else ""


def _joined(texts: Iterable[str]) -> str:
    """Join texts, each once. The step of the cursor is left out if the step of a histogram is there."""
    parts = dict.fromkeys(part for each in texts for part in each.split(SEPARATOR) if part)
    has_step = any(part.startswith("step ") for part in parts)
    return SEPARATOR.join(part for part in parts if not (has_step and part.startswith("@ step ")))


def vector_picture(picture: object) -> LinePicture | FanPicture | None:
    """Return a picture that vector files can draw; None for any other."""
    return picture if isinstance(picture, LinePicture | FanPicture) else None


class HistogramSource(SeriesSource[DataChart]):
    """Draws the histogram charts of one view.

    Args:
        data: Chart data, kept from view to view.
        renderer: Draws the charts; kept from view to view.
        view: The view to draw.
        cards: The cards of the view, from `data`.
    """

    def __init__(self, data: ChartData, renderer: HistogramRenderer, view: View, cards: RunCards) -> None:
        super().__init__(data, view, cards)
        self.renderer = renderer

    def settings_of(self, key: str) -> str:
        return settings(self.view.choices, key)

    def card(self, chart: DataChart, width: int, height: int, *, focused: bool) -> DrawnChart:
        pointer, sharing = self.pointer(chart), self.sharing(chart)
        return self.renderer.card(
            chart, width, height, focused=focused, pointer=pointer, sharing=sharing, runs=self.runs
        )

    def detail(self, chart: DataChart, width: int, height: int, *, has_table: bool) -> DrawnChart:  # noqa: ARG002
        return self.renderer.opened(chart, width, height, self.pointer(chart), self.sharing(chart, is_open=True))

    def table(self, chart: DataChart, width: int) -> tuple[Cells, Cells, tuple[str, ...]]:
        pointer = self.pointer(chart)
        if self.view.choices.bucket_rows:
            index = focused(chart.recorded, pointer.focus) or 0
            return *bucket_table(chosen_of(chart.recorded[index], pointer), width), ()
        return step_table(self.sharing(chart, is_open=True), width, pointer, self.cards.run_of(chart.key))

    def title_words(self, chart: DataChart, drawn: DrawnChart, *, has_table: bool) -> tuple[str, ...]:
        pointer = self.pointer(chart)
        if not has_table:
            return step_word(chart.recorded, pointer, brief=True), stand_of(chart.recorded, pointer)
        outside = outside_word(drawn.outside) if chart.may_leave_out and not chart.blank else ""
        words = (
            step_word(chart.recorded, pointer),
            *happened_words(chart.recorded),
            *(chosen_of(each, pointer).refused for each in chart.recorded),
            outside,
            *map(refused_word, chart.recorded),
        )
        return self.joined_words(chart, words)

    def run_at(self, chart: DataChart, plot: PlotArea, column: int, row: int) -> str | None:
        return run_at(chart, self.pointer(chart), self.renderer.bins, plot, column, row)
