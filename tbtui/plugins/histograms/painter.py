"""Draws the histogram charts of one view, and holds the chart source shared with Distributions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from tbtui.charts.annotations import draw_empty_message
from tbtui.charts.card import SEPARATOR, RenderCache, compute_body_size, measure_remark, select_bottom_remark
from tbtui.charts.cells import Ink
from tbtui.charts.fan import FanPicture
from tbtui.charts.line_chart import LinePicture, draw_clip_markers
from tbtui.frozen import frozen
from tbtui.plugins.histograms import pictures
from tbtui.plugins.histograms.chart import MAX_SHARING_RUNS, BinnedCache, find_clipped_sides, join_stops
from tbtui.plugins.histograms.pictures import run_at
from tbtui.plugins.histograms.readout import (
    HistogramChart,
    HistogramChartCache,
    build_cursor_readout,
    build_legend,
    find_focus,
    find_highlights,
    fit_note,
    format_content_labels,
    format_error_label,
    format_left_out_label,
    format_outside_label,
    format_settings_label,
    format_summary,
    has_anomaly,
    mark_readout,
    run_anomaly_labels,
    step_label,
    with_left_out,
)
from tbtui.plugins.histograms.readout_table import build_bucket_table, step_table
from tbtui.plugins.histograms.settings import BUCKET_ROWS
from tbtui.plugins.picture import Charts, run_legend_entries
from tbtui.settings.chart_navigation import NO_CURSOR, build_cursor_state
from tbtui.view.card_painter import ChartSource, DrawnChart, Painter, create_empty_chart, frame_chart
from tbtui.view.tag_tree import cut_heading

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.export.drawing.sheet import LegendEntry
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.chart import Axes, ChartCache
    from tbtui.plugins.histograms.pictures import SizedPicture
    from tbtui.plugins.histograms.series import HistogramSeries
    from tbtui.settings.chart_navigation import CursorState
    from tbtui.view.cards import RunCards
    from tbtui.view.view import View


@frozen
class _DrawingKey:
    """Key of a cached picture, besides chart and size."""

    top: float | None = None
    rows: tuple[int, ...] = ()
    front: int | None = None
    highlights: tuple[tuple[int, str], ...] = ()


class HistogramRenderer:
    """Draws charts, and caches them without the cursor, which it draws over them. Used by one thread."""

    def __init__(self) -> None:
        self.bins = BinnedCache()
        self._cache: RenderCache[HistogramChart, SizedPicture] = RenderCache()

    def card(
        self,
        chart: HistogramChart,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: CursorState = NO_CURSOR,
        sharing: Sequence[HistogramSeries] = (),
        runs: Sequence[str] = (),
        heading: str = "",
    ) -> DrawnChart:
        """Draw a chart in the frame of its card: title and summary above, runs below.

        Args:
            chart: Data of the chart.
            width: Columns of the card.
            height: Rows of the card.
            focused: True if the card has the focus.
            pointer: State of the cursor.
            sharing: Series of all runs that share its range of values.
            runs: Names of all drawn runs, which the legend keeps distinct.
            heading: Name of the group above the card, which its title does not repeat.
        """
        body = self.body(chart, *compute_body_size(width, height), pointer, sharing)
        summaries, title = format_summary(chart.series, pointer), cut_heading(chart.title, heading)
        return draw_series_card(body, title, chart.series, summaries, width, height, pointer, runs, focused=focused)

    def draw_opened(
        self,
        chart: HistogramChart,
        width: int,
        height: int,
        pointer: CursorState = NO_CURSOR,
        sharing: Sequence[HistogramSeries] = (),
    ) -> DrawnChart:
        """Draw a chart in full size; a heat map with enough room has the selected steps as bars beside it."""
        bars_width = pictures.choose_bars_width(width) if chart.style == "heat" and not chart.empty_reason else 0
        body = self.body(chart, width - bars_width, height, pointer, sharing)
        if not bars_width or body.plot is None:
            return body
        (series,) = chart.series
        ends = build_cursor_readout(series, pointer), mark_readout(series, pointer)
        layout = pictures.create_heat_map_layout(chart, width - bars_width, height)
        ink = series.ink if pointer.cursor is None else Ink.ACCENT
        return replace(body, cells=pictures.with_bars(body.cells, ends, ink, layout, self.bins, bars_width))

    def body(
        self,
        chart: HistogramChart,
        width: int,
        height: int,
        pointer: CursorState = NO_CURSOR,
        sharing: Sequence[HistogramSeries] = (),
    ) -> DrawnChart:
        """Draw a chart without frame; if nothing of it is visible, it shows the reason."""
        if width <= 0 or height <= 0:
            return create_empty_chart(width, height)
        pictured = self._draw_picture(chart, width, height, pointer, sharing)
        cursor, mark = _get_selected_x(chart, pointer)
        cells = pictured.picture.at(cursor, mark)
        layout = pictured.picture.layout
        if chart.empty_reason:
            draw_empty_message(cells, chart.empty_reason, layout.plot)
        elif chart.may_leave_out and pictured.outside:
            draw_clip_markers(cells, layout, find_clipped_sides(chart.series, chart.axes))
        return DrawnChart(
            cells,
            layout.plot,
            pictured.stops,
            build_vector_picture(pictured.picture),
            outside=pictured.outside,
            value_stops=join_stops(chart.series, chart.axes.along),
        )

    def _draw_picture(
        self, chart: HistogramChart, width: int, height: int, pointer: CursorState, sharing: Sequence[HistogramSeries]
    ) -> SizedPicture:
        drawing_key, draw = self._build_drawing_key(chart, width, height, pointer, sharing)
        return self._cache.picture(chart, width, height, drawing_key, draw)

    def _build_drawing_key(
        self, chart: HistogramChart, width: int, height: int, pointer: CursorState, sharing: Sequence[HistogramSeries]
    ) -> tuple[_DrawingKey, Callable[[], SizedPicture]]:
        """Return the cache key of a picture, and the function that draws it."""
        bins = self.bins
        if chart.style == "heat":
            layout = pictures.create_heat_map_layout(chart, width, height)
            top = pictures.find_colour_limit(chart, sharing, layout, bins)
            return _DrawingKey(top), lambda: pictures.draw_histogram_heat_map(chart, layout, bins, top)
        chosen = [build_cursor_readout(each, pointer).index for each in chart.series]
        if chart.together:
            front = find_focus(chart.series, pointer.focus)
            highlights = find_highlights(chart.series, pointer.focus, pointer.baseline)
            return (
                _DrawingKey(rows=tuple(chosen), front=front, highlights=tuple(highlights.items())),
                lambda: pictures.run_overlay(chart, chosen, front, highlights, bins, width, height),
            )
        looked_at = _find_selected(chart.series[0], pointer)
        if chart.style == "ridges":
            usual = pictures.choose_ridge_rows(chart, height)
            rows = pictures.with_selected(usual, looked_at)
            stops = chart.series[0].stops[usual]
            return _DrawingKey(rows=tuple(rows.tolist())), lambda: pictures.build_ridges(
                chart, rows, stops, bins, width, height
            )
        rows = np.union1d(pictures.overlay_rows(chart), np.array(looked_at, np.intp))
        return _DrawingKey(rows=tuple(rows.tolist())), lambda: pictures.step_overlay(chart, rows, bins, width, height)


def _find_selected(series: HistogramSeries, pointer: CursorState) -> list[int]:
    """Return the indices of the histograms at the cursor and at the mark."""
    if pointer.cursor is None:
        return []
    marked = mark_readout(series, pointer)
    return [build_cursor_readout(series, pointer).index, *(() if marked is None else (marked.index,))]


def _get_selected_x(chart: HistogramChart, pointer: CursorState) -> tuple[float | None, float | None]:
    """Return x of the histograms at cursor and mark; for runs together, x of the cursor itself."""
    if pointer.cursor is None or chart.together:
        return pointer.cursor, pointer.mark
    series = chart.series[0]
    marked = mark_readout(series, pointer)
    return build_cursor_readout(series, pointer).stop, None if marked is None else marked.stop


def draw_series_card(
    body: DrawnChart,
    title: str,
    series: Sequence[HistogramSeries],
    summaries: Sequence[str],
    width: int,
    height: int,
    pointer: CursorState,
    runs: Sequence[str],
    *,
    focused: bool,
) -> DrawnChart:
    """Return a chart in the frame of its card.

    Args:
        body: The chart without frame.
        title: Title of the card.
        series: Series of the chart.
        summaries: Texts beside the title, the longest first; the first that fits is used.
        width: Columns of the card.
        height: Rows of the card.
        pointer: State of the cursor.
        runs: Names of all drawn runs, which the legend keeps distinct.
        focused: True if the card has the focus.
    """
    note = fit_note(with_left_out(summaries, series, pointer), series, title, width)
    highlights = find_highlights(series, pointer.focus, pointer.baseline)
    remark = select_bottom_remark(format_left_out_label(series, pointer), note)
    names = build_legend(series, runs, width - measure_remark(remark), pointer.focus, highlights)
    return frame_chart(
        body,
        title,
        width,
        height,
        focused=focused,
        note=note,
        note_ink=Ink.WARN if has_anomaly(series) else Ink.DIM,
        legend=names,
        remark=remark,
    )


class CardChart(Protocol):
    """Attributes of every chart of histograms."""

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
    def series(self) -> tuple[HistogramSeries, ...]:
        """Series of the chart."""


AnyChart = TypeVar("AnyChart", bound=CardChart)


class SeriesSource(ChartSource[AnyChart], Generic[AnyChart]):
    """Base of the sources of Histograms and Distributions.

    Args:
        data: Chart data, kept from view to view.
        view: The view to draw.
        cards: The cards of the view, from `data`.
    """

    def list_line_runs(self, chart: AnyChart) -> tuple[str, ...]:
        return tuple(each.run for each in chart.series)

    def __init__(self, data: ChartCache[AnyChart], view: View, cards: RunCards) -> None:
        self.data = data
        self.view = view
        self.opened_view = (
            replace(view, settings=replace(view.settings, overview=False)) if view.settings.overview else view
        )
        """The view of an opened chart, which is never small."""

        self.cards = cards
        self.runs = tuple(run.name for run in view.runs)

    def format_settings(self, key: str) -> str:
        """Return the settings of a chart as a label."""
        raise NotImplementedError

    def paint_key(self, key: str) -> Hashable:
        texts = self.format_settings(key), BUCKET_ROWS.value(self.view.settings), self.runs
        return self.data.build_chart_key(self.view, key), texts, build_cursor_state(self.view.settings)

    def chart(self, key: str, *, is_open: bool = False) -> AnyChart:
        return self.data.chart(self.opened_view if is_open else self.view, key)

    def settings_label(self, key: str) -> str:
        return _join_texts((self._run_word(key), self.format_settings(key)))

    def find_sharing_series(self, chart: AnyChart, *, is_open: bool = False) -> tuple[HistogramSeries, ...]:
        """Return the series of all runs that share the range of values of a chart."""
        return self.data.find_sharing_series(self.opened_view if is_open else self.view, chart.key)

    def pointer(self, chart: AnyChart) -> CursorState:
        """Return the position of the user in a chart."""
        return build_cursor_state(self.view.settings, chart.axes.along.origin)

    def title_words_with_table(self, chart: AnyChart, outside: str) -> tuple[str, ...]:
        """Return the title words of an opened chart with a table.

        Args:
            chart: The data of the chart.
            outside: Text about values outside the axis; empty if there are none.
        """
        key, series, pointer = chart.key, chart.series, self.pointer(chart)
        words = (
            step_label(series, pointer),
            *run_anomaly_labels(series),
            *(build_cursor_readout(each, pointer).error for each in series),
            format_left_out_label(series, pointer),
            *format_content_labels(series, pointer),
            outside,
            *map(format_error_label, series),
        )
        alone = (
            f"each run has its own range: more than {MAX_SHARING_RUNS}"
            if self.data.has_own_range(self.view, key)
            else ""
        )
        return (_join_texts((self._run_word(key), *words, alone, self.format_settings(key))),)

    def _run_word(self, key: str) -> str:
        """Return the run of a card if several runs have one."""
        run = self.cards.run_of(key)
        return run if run is not None and len(self.runs) > 1 else ""


def _join_texts(texts: Iterable[str]) -> str:
    """Join texts, without duplicates; the step of the cursor is left out if that of a histogram is among them."""
    distinct_texts = dict.fromkeys(text for each in texts for text in each.split(SEPARATOR) if text)
    has_step = any(text.startswith("step ") for text in distinct_texts)
    return SEPARATOR.join(text for text in distinct_texts if not (has_step and text.startswith("@ step ")))


def build_vector_picture(picture: object) -> LinePicture | FanPicture | None:
    """Return a picture that vector files can draw; None for any other."""
    return picture if isinstance(picture, LinePicture | FanPicture) else None


class HistogramSource(SeriesSource[HistogramChart]):
    """Draws the histogram charts of one view.

    Args:
        data: Chart data, kept from view to view.
        renderer: Renderer of the charts; kept from view to view.
        view: The view to draw.
        cards: The cards of the view, from `data`.
    """

    def __init__(self, data: HistogramChartCache, renderer: HistogramRenderer, view: View, cards: RunCards) -> None:
        super().__init__(data, view, cards)
        self.renderer = renderer

    def format_settings(self, key: str) -> str:
        return format_settings_label(self.view.settings, key)

    def card(self, chart: HistogramChart, width: int, height: int, *, focused: bool, heading: str = "") -> DrawnChart:
        pointer, sharing = self.pointer(chart), self.find_sharing_series(chart)
        return self.renderer.card(
            chart, width, height, focused=focused, pointer=pointer, sharing=sharing, runs=self.runs, heading=heading
        )

    def detail(self, chart: HistogramChart, width: int, height: int, *, has_table: bool) -> DrawnChart:  # noqa: ARG002
        return self.renderer.draw_opened(
            chart, width, height, self.pointer(chart), self.find_sharing_series(chart, is_open=True)
        )

    def table(self, chart: HistogramChart, width: int) -> tuple[Cells, Cells, tuple[str, ...]]:
        pointer = self.pointer(chart)
        if BUCKET_ROWS.value(self.view.settings):
            index = find_focus(chart.series, pointer.focus) or 0
            return *build_bucket_table(build_cursor_readout(chart.series[index], pointer), width), ()
        return step_table(self.find_sharing_series(chart, is_open=True), width, pointer, self.cards.run_of(chart.key))

    def build_title_texts(self, chart: HistogramChart, drawn_chart: DrawnChart, *, has_table: bool) -> tuple[str, ...]:
        pointer = self.pointer(chart)
        if not has_table:
            return step_label(chart.series, pointer, brief=True), format_summary(chart.series, pointer)[-1]
        outside = format_outside_label(drawn_chart.outside) if chart.may_leave_out and not chart.empty_reason else ""
        return self.title_words_with_table(chart, outside)

    def run_at(self, chart: HistogramChart, plot: PlotArea, column: int, row: int) -> str | None:
        return run_at(chart, self.pointer(chart), self.renderer.bins, plot, column, row)


def create_histogram_charts(view: View, payloads: Payloads) -> Charts:
    """Return one chart per tag and run, or one per tag for all runs."""
    data = HistogramChartCache(payloads)
    cards = data.cards(view)
    painter = Painter(HistogramSource(data, HistogramRenderer(), view, cards), cards)
    is_lines = view.settings.runs_together

    def legend(keys: Sequence[str]) -> Iterator[LegendEntry]:
        runs = run_legend_entries(view, map(cards.run_of, keys))
        return runs if is_lines else (replace(each, pattern=None) for each in runs)

    return Charts(cards.keys, painter, legend, format_settings_label(view.settings), is_lines)
