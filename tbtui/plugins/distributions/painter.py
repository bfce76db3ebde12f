"""Draws the distribution charts of one view."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.annotations import draw_empty_message
from tbtui.charts.card import SEPARATOR, RenderCache, compute_body_size
from tbtui.charts.fan import FanChart, draw_fan
from tbtui.charts.hit_testing import find_cursor_stops
from tbtui.charts.line_chart import NAN_SIGN, Trace, draw_line_picture
from tbtui.charts.number_columns import format_column
from tbtui.plugins.distributions.chart import (
    CURVE_LABELS,
    LOWER,
    UPPER,
    DistributionChart,
    DistributionChartCache,
    build_outline_chart,
    build_restart_marks,
    build_superseded_lines,
    format_clipped_label,
    format_settings_label,
)
from tbtui.plugins.histograms import readout
from tbtui.plugins.histograms.chart import join_stops
from tbtui.plugins.histograms.painter import SeriesSource, build_vector_picture, draw_series_card
from tbtui.plugins.histograms.pictures import SizedPicture
from tbtui.plugins.histograms.readout import (
    MEDIAN,
    build_cursor_readout,
    mark_readout,
    step_label,
)
from tbtui.plugins.histograms.readout_table import format_deltas, time_label
from tbtui.plugins.histograms.value_labels import ESTIMATE_SIGN, estimate_label
from tbtui.plugins.picture import Charts, run_legend_entries
from tbtui.settings.chart_navigation import NO_CURSOR
from tbtui.view.card_painter import DrawnChart, Painter, create_empty_chart
from tbtui.view.row_order import mark_order, sort_rows
from tbtui.view.run_names import shorten_to_distinct
from tbtui.view.run_table import NO_VALUE, TableRow, create_column, draw_run_table
from tbtui.view.tag_tree import cut_heading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.pictures import Picture
    from tbtui.plugins.histograms.readout import StepReadout
    from tbtui.plugins.histograms.series import HistogramSeries
    from tbtui.settings.chart_navigation import CursorState
    from tbtui.view.cards import RunCards
    from tbtui.view.run_table import TableColumn
    from tbtui.view.view import View


def format_summary(series: Sequence[HistogramSeries], pointer: CursorState) -> tuple[str, ...]:
    """Return alternative texts: `median ~0.021, min -0.31, max 0.42`, and the shorter `median ~0.021`.

    For several runs they hold the smallest and the largest median. Mean and deviation replace an unknown median.
    """
    readouts = [build_cursor_readout(each, pointer) for each in series]
    known = [reading for reading in readouts if math.isfinite(reading.median)]
    if not known:
        return readout.format_summary(series, pointer)
    if len(readouts) > 1:
        medians = [reading.median for reading in known]
        ends = " – ".join(dict.fromkeys(map(numbers.format_brief, (min(medians), max(medians)))))
        return (f"median {estimate_label(ends, is_exact=all(reading.is_median_exact for reading in known))}",)
    (reading,) = known
    median = f"median {estimate_label(numbers.format_brief(reading.median), is_exact=reading.is_median_exact)}"
    low, high = reading.minimum, reading.maximum
    return (
        (f"{median}, min {numbers.format_brief(low)}, max {numbers.format_brief(high)}", median)
        if low < high
        else (median,)
    )


class DistributionRenderer:
    """Draws charts, and caches them without the cursor, which it draws over them. Used by one thread."""

    def __init__(self) -> None:
        self._kept: RenderCache[DistributionChart, SizedPicture] = RenderCache()

    def card(
        self,
        chart: DistributionChart,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: CursorState = NO_CURSOR,
        runs: Sequence[str] = (),
        heading: str = "",
    ) -> DrawnChart:
        """Draw a chart in the frame of its card: title, without `heading`, and summary above, runs below."""
        body = self._draw_body(chart, *compute_body_size(width, height), pointer)
        summaries, title = format_summary(chart.series, pointer), cut_heading(chart.title, heading)
        return draw_series_card(body, title, chart.series, summaries, width, height, pointer, runs, focused=focused)

    def draw_opened(
        self, chart: DistributionChart, width: int, height: int, pointer: CursorState = NO_CURSOR
    ) -> DrawnChart:
        """Draw a chart in full size, without frame; with enough room its curves have names."""
        return self._draw_body(chart, width, height, pointer, CURVE_LABELS)

    def _draw_body(
        self, chart: DistributionChart, width: int, height: int, pointer: CursorState, names: tuple[str, ...] = ()
    ) -> DrawnChart:
        """Draw a chart without frame; without a visible curve it shows the reason."""
        if width <= 0 or height <= 0:
            return create_empty_chart(width, height)
        chosen = (pointer.focus, pointer.baseline) if chart.together else (None, None)
        pictured = self._kept.picture(
            chart, width, height, (chosen, names), lambda: _cache_picture(chart, width, height, chosen, names)
        )
        cells = pictured.picture.at(pointer.cursor, pointer.mark)
        if chart.empty_reason:
            draw_empty_message(cells, chart.empty_reason, pictured.picture.layout.plot)
        return DrawnChart(
            cells,
            pictured.picture.layout.plot,
            pictured.stops,
            build_vector_picture(pictured.picture),
            value_stops=join_stops(chart.series, chart.axes.along),
        )


def _cache_picture(
    chart: DistributionChart, width: int, height: int, chosen: tuple[str | None, str | None], names: tuple[str, ...]
) -> SizedPicture:
    picture = _draw_picture(chart, width, height, chosen, names)
    return SizedPicture(picture, find_cursor_stops([each.stops for each in chart.series], picture.layout.plot))


def _draw_picture(
    chart: DistributionChart, width: int, height: int, chosen: tuple[str | None, str | None], names: tuple[str, ...]
) -> Picture:
    """Draw a chart; `chosen` are the focused run and the baseline."""
    if chart.together:
        return draw_line_picture(build_outline_chart(chart, width, height, *chosen), width, height)
    (curves,) = chart.curves
    fan = FanChart(
        curves.x,
        curves.values,
        curves.series.ink,
        chart.axes.along,
        chart.axes.values,
        tuple(build_restart_marks(chart.curves)),
        names=names,
        lines=tuple(build_superseded_lines(chart.curves, faint=False)),
    )
    return draw_fan(fan, width, height)


CURVE_PRIORITY = (10, 4, 5, 6, 11, 6, 5, 4, 10)
"""Priority of the columns of the nine quantiles if there is no room for all."""

DELTA_PRIORITY, STEP_PRIORITY, TIME_PRIORITY, WALL_PRIORITY = 8, 7, 3, 1


def build_quantile_table(
    sharing: Sequence[HistogramSeries], width: int, pointer: CursorState, first: str | None = None
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """Return header (one row), rows, and the run of each row: all nine quantiles at the cursor.

    A run has one row; with a mark it has a row for each end.

    Args:
        sharing: Series of the runs, in the order of the run tree; at least one.
        width: Columns.
        pointer: State of the cursor.
        first: Run moved to the top when sorted by run; None: no run is moved.
    """
    runs = [each.run for each in sharing]
    row_order = sort_rows(
        [build_cursor_readout(each, pointer).median for each in sharing], pointer.order, _focus(runs, pointer)
    )
    if pointer.order == "runs" and first in runs:
        row_order = [runs.index(first), *(row for row in row_order if runs[row] != first)]
    short = shorten_to_distinct(runs)
    readouts = [(row, reading) for row in row_order for reading in _find_selected(sharing[row], pointer)]
    rows = [TableRow(runs[row], short[row], sharing[row].ink, runs[row] == pointer.focus) for row, _ in readouts]
    header, body = draw_run_table(rows, _build_columns([reading for _, reading in readouts], pointer), width)
    return header, body, tuple(runs[row] for row, _ in readouts)


def _focus(runs: Sequence[str], pointer: CursorState) -> int | None:
    return runs.index(pointer.focus) if pointer.focus in runs else None


def _find_selected(series: HistogramSeries, pointer: CursorState) -> list[StepReadout]:
    """Return the selected histograms in their order: one or two."""
    chosen, marked = build_cursor_readout(series, pointer), mark_readout(series, pointer)
    return [chosen] if marked is None else sorted((marked, chosen), key=lambda reading: reading.index)


def _build_columns(readouts: Sequence[StepReadout], pointer: CursorState) -> list[TableColumn]:
    columns = [
        create_column(
            mark_order(_format_curve_title(readouts, curve), pointer.order, pointer.focus)
            if curve == MEDIAN
            else _format_curve_title(readouts, curve),
            _format_quantiles(readouts, curve),
            priority,
            pair=f"{abs(curve - MEDIAN)} apart",
        )
        for curve, priority in enumerate(CURVE_PRIORITY)
    ]
    title = f"Δ {_format_curve_title(readouts, MEDIAN)}"
    if any(mark_readout(reading.series, pointer) for reading in readouts):
        firsts = {reading.series: reading for reading in reversed(readouts)}
        texts = format_deltas(_get_median, readouts, [firsts[each.series] for each in readouts])
        columns.append(create_column(title, texts, DELTA_PRIORITY))
    elif pointer.baseline is not None:
        base = next((reading for reading in readouts if reading.series.run == pointer.baseline), None)
        columns.append(
            create_column(title, format_deltas(_get_median, readouts, [base] * len(readouts)), DELTA_PRIORITY)
        )
    return [
        *columns,
        create_column("step", [reading.label.removeprefix("step ") for reading in readouts], STEP_PRIORITY),
        create_column("time", [time_label(reading) for reading in readouts], TIME_PRIORITY),
        create_column("wall time", [numbers.format_clock(reading.wall_time) for reading in readouts], WALL_PRIORITY),
    ]


def _get_median(reading: StepReadout) -> float:
    return reading.median


def _format_curve_title(readouts: Sequence[StepReadout], curve: int) -> str:
    """Return the name of a curve, with a sign if any of its values is interpolated: `~6.7%`.

    A sign before each value would take the room of other columns.
    """
    values = (
        (each, float(each.series.quantiles[each.index, curve])) for each in readouts if each.count and not each.error
    )
    is_exact = all(each.series.is_exact(each.index, value) for each, value in values)
    title = CURVE_LABELS[curve]
    return title if is_exact else ESTIMATE_SIGN + title.replace(" ", "")


def _format_quantiles(readouts: Sequence[StepReadout], curve: int) -> list[str]:
    """Return the texts of one quantile; a histogram that cannot be drawn has its sign in one column."""
    texts = format_column([float(reading.series.quantiles[reading.index, curve]) for reading in readouts])
    error_sign = NAN_SIGN if curve == MEDIAN else NO_VALUE
    is_inner = 0 < curve < len(CURVE_LABELS) - 1
    return [
        error_sign if reading.error else NO_VALUE if not reading.count or (is_inner and reading.is_one_bucket) else text
        for reading, text in zip(readouts, texts, strict=True)
    ]


class DistributionSource(SeriesSource[DistributionChart]):
    """Draws the distribution charts of one view.

    Args:
        data: Chart data, kept from view to view.
        renderer: Draws the charts; kept from view to view.
        view: The view to draw.
        cards: The cards of the view, from `data`.
    """

    def __init__(
        self, data: DistributionChartCache, renderer: DistributionRenderer, view: View, cards: RunCards
    ) -> None:
        super().__init__(data, view, cards)
        self.renderer = renderer

    def format_settings(self, key: str) -> str:
        return format_settings_label(self.view.settings, key)

    def card(
        self, chart: DistributionChart, width: int, height: int, *, focused: bool, heading: str = ""
    ) -> DrawnChart:
        return self.renderer.card(
            chart, width, height, focused=focused, pointer=self.pointer(chart), runs=self.runs, heading=heading
        )

    def detail(self, chart: DistributionChart, width: int, height: int, *, has_table: bool) -> DrawnChart:  # noqa: ARG002
        return self.renderer.draw_opened(chart, width, height, self.pointer(chart))

    def table(self, chart: DistributionChart, width: int) -> tuple[Cells, Cells, tuple[str, ...]]:
        return build_quantile_table(
            self.find_sharing_series(chart, is_open=True), width, self.pointer(chart), self.cards.run_of(chart.key)
        )

    def build_title_texts(
        self,
        chart: DistributionChart,
        drawn_chart: DrawnChart,  # noqa: ARG002
        *,
        has_table: bool,
    ) -> tuple[str, ...]:
        pointer = self.pointer(chart)
        if not has_table:
            median, _, extremes = format_summary(chart.series, pointer)[0].partition(", ")
            return median, step_label(chart.series, pointer), extremes
        return self.title_words_with_table(chart, format_clipped_label(chart))

    def lines(self, chart: DistributionChart, plot: PlotArea) -> list[tuple[str, Trace]]:  # noqa: ARG002
        return [
            (curves.series.run, Trace(curves.x, curves.curve(index), 0, ascending=True))
            for index in (LOWER, UPPER, MEDIAN)
            for curves in reversed(chart.curves)
        ]

    def run_at(self, chart: DistributionChart, plot: PlotArea, column: int, row: int) -> str | None:
        return super().run_at(chart, plot, column, row) if chart.together else chart.curves[0].series.run


FAN = "median, and bands of 38, 68, 87 and 100 % of the values"
"""The quantiles of TensorBoard's distributions: 6.68, 15.87, 30.85, 50, 69.15, 84.13 and 93.32 %, and both ends."""


def create_distribution_charts(view: View, payloads: Payloads) -> Charts:
    """Return one fan of quantiles per tag and run, or one chart per tag for all runs."""
    data = DistributionChartCache(payloads)
    cards = data.cards(view)
    painter = Painter(DistributionSource(data, DistributionRenderer(), view, cards), cards)
    together = view.settings.runs_together
    caption = SEPARATOR.join((*(() if together else (FAN,)), format_settings_label(view.settings)))
    return Charts(
        cards.keys,
        painter,
        lambda keys: run_legend_entries(view, map(cards.run_of, keys)),
        caption,
        names_in_frame=together,
    )
