"""Histograms at the cursor, at the marked step or at the newest step: values, labels and tables."""

from __future__ import annotations

import math
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.bundle import MAX_LINES_IN_COLOUR
from tbtui.charts.card import MIN_TITLE_COLUMNS, SEPARATOR
from tbtui.charts.line_chart import ABOVE_SIGN, BELOW_SIGN, NAN_SIGN
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.text import cell_width, safe
from tbtui.events.histogram import HAS_INFINITE
from tbtui.frozen import frozen
from tbtui.maths.statistics import BASIS_POINTS, interpolate_quantiles
from tbtui.plugins.histograms.chart import ChartCache, HistogramAxes, find_visible_rows, format_chart_title
from tbtui.plugins.histograms.settings import HEAT_SCALE, STYLE
from tbtui.plugins.histograms.value_labels import estimate_label, format_content_label, format_mean_label
from tbtui.plugins.histograms.value_range import OUTLIER_SHARE
from tbtui.settings.settings import FULL_RANGE, convert_range
from tbtui.view.chart_axes import get_axes_settings, make_hold_key
from tbtui.view.comparison_target import choose_comparison_step
from tbtui.view.descriptions import describe_range, format_cursor, format_y_axis, list_x_axis_labels
from tbtui.view.highlights import add_chosen, build_highlight_legend, find_leaders
from tbtui.view.run_names import FOCUS_SIGN, fit_names, shorten_to_distinct

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from tbtui.export.output import SavedFile
    from tbtui.export.table import SkippedValues
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.chart import Axes
    from tbtui.plugins.histograms.series import HistogramSeries
    from tbtui.plugins.histograms.settings import HeatScale, HistogramStyle
    from tbtui.settings.chart_navigation import CursorState
    from tbtui.settings.settings import Settings
    from tbtui.view.chart_axes import AxesSettings
    from tbtui.view.view import View


MEDIAN = len(BASIS_POINTS) // 2


@frozen(slots=False)
class StepReadout:
    """One histogram of one run. Statistics are NaN if it is empty or cannot be drawn."""

    series: HistogramSeries
    index: int

    @property
    def step(self) -> int:
        return int(self.series.steps[self.index])

    @property
    def label(self) -> str:
        """Return `step 312`, or `step 0, 2 of 5` for several histograms at one position."""
        return self.series.label(self.index)

    @property
    def stop(self) -> float:
        """Position of the cursor that selects the histogram."""
        return float(self.series.stops[self.index])

    @property
    def wall_time(self) -> float:
        """Seconds since the epoch."""
        return float(self.series.wall_times[self.index])

    @property
    def count(self) -> float:
        """Number of values; may be a fraction. NaN if the histogram cannot be drawn."""
        return float(self.series.moments.count[self.index])

    @property
    def mean(self) -> float:
        """Mean of all values; see `is_exact`."""
        return float(self.series.moments.mean[self.index])

    @property
    def std(self) -> float:
        return float(self.series.moments.std[self.index])

    @property
    def is_exact(self) -> bool:
        """True if mean and deviation come from the values, not from buckets."""
        return bool(self.series.moments.is_exact[self.index])

    @property
    def minimum(self) -> float:
        """Left edge of the first bucket with a count."""
        return float(self.series.moments.minimum[self.index])

    @property
    def maximum(self) -> float:
        """Right edge of the last bucket with a count."""
        return float(self.series.moments.maximum[self.index])

    @cached_property
    def median(self) -> float:
        """Interpolated median, as in TensorBoard; NaN if one bucket holds all values. See `is_median_exact`."""
        if not self.count or self.is_one_bucket:
            return float("nan")
        if self.series.statistics.has_quantiles:
            return float(self.series.quantiles[self.index, MEDIAN])
        return float(
            interpolate_quantiles(self.series.select(np.array([self.index])), BASIS_POINTS[MEDIAN : MEDIAN + 1])[0, 0]
        )

    @property
    def is_median_exact(self) -> bool:
        """True if the median is one of the values, not interpolated within a bucket."""
        return self.series.is_exact(self.index, self.median)

    @property
    def is_one_bucket(self) -> bool:
        """True if one bucket holds all values, so that their distribution is not known."""
        return bool(self.series.moments.has_one_bucket[self.index])

    @property
    def content(self) -> str:
        """Label of values without a known distribution: none, all equal or in one bucket; otherwise empty."""
        if self.error:
            return ""
        return format_content_label(self.count, self.minimum, self.maximum, is_one_bucket=self.is_one_bucket)

    @property
    def error(self) -> str:
        """Reason why the histogram cannot be drawn; empty if it can."""
        return self.series.errors.get(self.index, "")


def build_cursor_readout(series: HistogramSeries, pointer: CursorState) -> StepReadout:
    """Return the histogram at the cursor; without a cursor the newest."""
    return StepReadout(series, series.nearest(pointer.cursor))


def mark_readout(series: HistogramSeries, pointer: CursorState) -> StepReadout | None:
    """Return the histogram at the mark, or beside the marked one itself its neighbour; None without a mark."""
    if pointer.mark is None:
        return None
    index: int | None = series.nearest(pointer.mark)
    if index == series.nearest(pointer.cursor):
        index = choose_comparison_step(index, len(series.stops))
    return None if index is None else StepReadout(series, index)


def find_focus(series: Sequence[HistogramSeries], focus: str | None) -> int | None:
    """Return the index of the run in focus; None without one."""
    return next((index for index, each in enumerate(series) if each.run == focus), None)


def find_highlights(series: Sequence[HistogramSeries], focus: str | None, baseline: str | None) -> dict[int, str]:
    """Return the runs of a crowded chart that keep their colours, by index, with the reason; empty if all do.

    They are the baseline, the selected run, those with the least and the greatest newest median, and the newest one.
    """
    if len(series) <= MAX_LINES_IN_COLOUR:
        return {}
    medians = np.array([float(each.quantiles[-1, MEDIAN]) if len(each) else np.nan for each in series])
    starts = np.array([each.wall_times[0] if len(each.wall_times) else np.nan for each in series])
    chosen = (
        (find_focus(series, baseline), "baseline"),
        (find_focus(series, focus), "selected"),
    )
    return add_chosen(find_leaders(medians, starts, None), chosen)


OUTLIERS = {"auto": "", "ignore": "outliers ignored", "keep": "outliers kept"}


def style_label(settings: Settings) -> str:
    """Return `heat map, colours log`, `ridges` or `runs together`."""
    if settings.runs_together:
        return "runs together"
    label = STYLE.labels[STYLE.value(settings)]
    return f"{label}, colours {HEAT_SCALE.value(settings)}" if STYLE.value(settings) == "heat" else label


def format_settings_label(settings: Settings, key: str | None = None, style: str | None = None) -> str:
    """Return the settings of all charts, or of one; defaults are left out.

    `heat map, colours log · y symlog · x step`

    Args:
        settings: The settings.
        key: Card of one chart; None: all charts.
        style: Style of the charts; None: the style of histograms.
    """
    texts = (
        style_label(settings) if style is None else style,
        format_overview_label(settings) if key is None else "",
        format_y_axis(settings, key),
        OUTLIERS[settings.outliers],
        *list_x_axis_labels(settings, key),
        format_cursor(settings),
    )
    return SEPARATOR.join(filter(None, texts))


def format_overview_label(settings: Settings) -> str:
    """Return `overview of 98 % of values`: small cards leave out outliers."""
    if not settings.overview:
        return ""
    return (
        f"overview of {round(100 * (1 - 2 * OUTLIER_SHARE))} % of values" if settings.outliers == "auto" else "overview"
    )


def step_label(series: Sequence[HistogramSeries], pointer: CursorState, *, brief: bool = False) -> str:
    """Return the step at the cursor: `step 440, the newest`, `step 312`, `step 312 beside 100`.

    For several runs this is the greatest step, which most of them have.
    """
    chosen = max((build_cursor_readout(each, pointer) for each in series), key=lambda reading: reading.step)
    marked = mark_readout(chosen.series, pointer)
    label = chosen.label
    if marked is not None:
        return f"{label} beside {marked.label.removeprefix('step ')}"
    return label if brief or pointer.cursor is not None else f"{label}, the newest"


def format_anomaly_labels(series: HistogramSeries) -> tuple[str, ...]:
    """Return labels of the anomaly at the newest step, the shortest last; none without an anomaly.

    `✗ NaN from 120`, `▼ collapsed from 300`, `▲ exploded from 40`.
    """
    anomaly = series.anomaly
    if anomaly is None:
        return ()
    nonfinite_word = "Inf" if series.errors.get(anomaly.since) == HAS_INFINITE else "NaN"
    sign, noun = {
        "lost": (NAN_SIGN, nonfinite_word),
        "collapsed": (BELOW_SIGN, "collapsed"),
        "exploded": (ABOVE_SIGN, "exploded"),
    }[anomaly.kind]
    since = numbers.format_step(int(series.steps[anomaly.since]))
    return f"{sign} {noun} from {since}", f"{sign} {noun}", sign


def run_anomaly_labels(series: Sequence[HistogramSeries]) -> Iterator[str]:
    """Yield the anomaly of each run that has one, with the name of the run if there are several."""
    names = shorten_to_distinct([each.run for each in series])
    for each, name in zip(series, names, strict=True):
        for label in format_anomaly_labels(each)[:1]:
            yield f"{name} {label}" if len(series) > 1 else label


def format_error_label(series: HistogramSeries) -> str:
    """Return `3 of 300 steps cannot be drawn`; empty if all can."""
    count = len(series.errors)
    return f"{count:,} of {len(series):,} steps cannot be drawn" if count else ""


def format_outside_label(outside: float) -> str:
    """Return `12 values outside`; empty without any. A fraction of a bucket counts as one value."""
    if outside < MIN_OUTSIDE_VALUES:
        return ""
    count = max(round(outside), 1)
    return f"{count if count < 10_000 else numbers.format_brief(count)} value{'' if count == 1 else 's'} outside"


def export_message(written: SavedFile, skipped: SkippedValues) -> str:
    """Return `1,200 rows in /home/me/histograms.csv; 3 steps left out that cannot be drawn`."""
    text = f"{numbers.format_count(written.rows, 'row')} in {written.path}"
    count = skipped.count
    return f"{text}; {numbers.format_count(count, 'step')} left out that cannot be drawn" if count else text


MIN_OUTSIDE_VALUES = 1e-6
"""Values; less is a rounding error of added fractions."""


def format_empty_message(series: Sequence[HistogramSeries], axes: Axes, axes_settings: AxesSettings) -> str:
    """Return the reason why nothing of a chart is visible; empty if something is."""
    filled = [each for each in series if each.value_range.limits is not None]
    if not filled:
        errors = [reason for each in series for reason in each.errors.values()]
        return errors[-1] if len(errors) == sum(map(len, series)) else "no values in any histogram"
    if not any(bool(np.isfinite(each.x).any()) for each in filled):
        return "no histogram of this tag has a time"
    max_value = max(each.value_range.limits[1] for each in filled if each.value_range.limits is not None)
    if axes.values.scale == "log" and max_value <= 0:
        return "all values ≤ 0: none fits a log axis"
    if axes.along.scale == "log" and not any(bool((each.x > 0).any()) for each in filled):
        return (
            f"every {axes_settings.x_axis if axes_settings.x_axis == 'step' else 'time'} is ≤ 0: none fits a log axis"
        )
    is_full_x = convert_range(axes_settings.x_range, axes.along.scale, axes.along.origin) == FULL_RANGE
    if is_full_x and convert_range(axes_settings.y_range, axes.values.scale) == FULL_RANGE:
        return ""
    rows = [slice(None) if is_full_x else find_visible_rows(each, axes.along) for each in filled]
    if not any(each.x[visible].size for each, visible in zip(filled, rows, strict=True)):
        return f"no histogram {describe_range(*axes_settings.x_range, axes_settings.x_axis)}"
    low, high = axes.values.low, axes.values.high
    for each, visible in zip(filled, rows, strict=True):
        if bool(((each.moments.minimum[visible] <= high) & (each.moments.maximum[visible] >= low)).any()):
            return ""
    return f"no value here between {numbers.format_number(low)} and {numbers.format_number(high)}"


@frozen(slots=False)
class HistogramChart:
    """Data of the chart of one card. Equal ones look the same."""

    key: str
    """Key of the card."""

    tag: str
    title: str
    """Title; not yet safe for a terminal, nor are the names of runs."""

    series: tuple[HistogramSeries, ...]
    """Series of one run, or of all drawn runs in the order of the run tree; at least one."""

    together: bool
    """True if the card shows all runs, as curves of one step each."""

    axes: Axes
    style: HistogramStyle
    colours: HeatScale
    may_leave_out: bool
    """True if the axis of values may leave out values although its ends were not set by hand."""

    empty_reason: str = ""
    """Reason why nothing is visible; empty if something is."""


class HistogramChartCache(ChartCache[HistogramChart]):
    """Caches the histogram charts of all views. Used by one thread.

    Args:
        payloads: Reader and decoder of histograms.
    """

    def __init__(self, payloads: Payloads) -> None:
        super().__init__(payloads)
        self._axes = HistogramAxes()

    def build_settings_key(self, settings: Settings) -> Hashable:
        return STYLE.value(settings), HEAT_SCALE.value(settings)

    def make(self, view: View, key: str) -> HistogramChart:
        settings = view.settings
        series, chosen = self.histograms.load(view, key), get_axes_settings(settings, key)
        sharing = self.find_sharing_series(view, key)
        hold_key = make_hold_key(view, (each.run for each in sharing))
        shown = settings.skip_steps, settings.superseded, tuple(each.run for each in series), hold_key
        axes = self._axes.axes(
            key, series, sharing, chosen, shown, overview=settings.overview, values_apart=len(series) == 1
        )
        return HistogramChart(
            key,
            series[0].tag,
            format_chart_title(series),
            series,
            settings.runs_together,
            axes,
            "overlay" if settings.runs_together else STYLE.value(settings),
            HEAT_SCALE.value(settings),
            chosen.y_scale == "log"
            or (chosen.outliers != "keep" and None in convert_range(chosen.y_range, chosen.y_scale)),
            format_empty_message(series, axes, chosen),
        )


MIN_NAME_COLUMNS, MAX_NAME_COLUMNS = 8, 32
"""Columns of the name of a run in a legend."""

BULLET, CORNERS = 3, 4
"""Columns before each name, and at the ends of the legend."""

FRAME = 7
"""Columns of a card that neither title nor note can use."""


def fit_note(summaries: Sequence[str], series: Sequence[HistogramSeries], title: str, width: int) -> str:
    """Return the note at the right of the title of a card: anomaly and summary.

    Args:
        summaries: Summaries of the values, the shortest last.
        series: Series of the card.
        title: Title of the card, which is never cut for the note.
        width: Columns of the card.
    """
    free_width = width - FRAME - cell_width(safe(title))
    max_width = width - FRAME - min(MIN_TITLE_COLUMNS, cell_width(safe(title)))
    options = list(_note_options(summaries, series))
    fitting = [note for note in options if cell_width(note) <= free_width] or options[-1:]
    return next((note for note in fitting if cell_width(note) <= max_width), "")


def _note_options(summaries: Sequence[str], series: Sequence[HistogramSeries]) -> Iterator[str]:
    """Yield notes, the shortest last; the anomaly is kept longest."""
    anomaly = next(filter(None, map(format_anomaly_labels, series)), ())
    for summary in summaries:
        if not (anomaly and summary.startswith(NAN_SIGN)):
            yield " ".join((*anomaly[:1], summary)).strip()
    yield from anomaly or ("",)


def has_anomaly(series: Sequence[HistogramSeries]) -> bool:
    """Return True if a run has an anomaly."""
    return any(each.anomaly is not None for each in series)


def format_summary(series: Sequence[HistogramSeries], pointer: CursorState) -> tuple[str, ...]:
    """Return `mean -0.0012 ± 0.051`, mean and deviation at the cursor; for several runs the range of means.

    Several texts are alternatives, the shortest last.
    """
    readouts = [build_cursor_readout(each, pointer) for each in series]
    counted = [reading for reading in readouts if math.isfinite(reading.mean)]
    if not counted:
        return (f"{NAN_SIGN} no histogram" if any(reading.error for reading in readouts) else "no values",)
    is_exact = all(reading.is_exact for reading in counted)
    if len(readouts) > 1:
        means = [reading.mean for reading in counted]
        ends = " – ".join(dict.fromkeys(map(numbers.format_brief, (min(means), max(means)))))
        return (f"mean {estimate_label(ends, is_exact=is_exact)}",)
    mean, std = numbers.format_brief(counted[0].mean), numbers.format_brief(counted[0].std)
    summary = estimate_label(f"{mean} ± {std}" if math.isfinite(counted[0].std) else mean, is_exact=is_exact)
    summary = f"mean {summary}"
    return (f"{summary} in one bucket", summary) if counted[0].is_one_bucket else (summary,)


def format_left_out_label(series: Sequence[HistogramSeries], pointer: CursorState) -> str:
    """Return the points that the step axis leaves out, of the first run that has some: `4 more at this step (u)`."""
    labels = (each.left_out(each.nearest(pointer.cursor)) for each in series)
    return next(filter(None, labels), "")


def with_left_out(texts: Sequence[str], series: Sequence[HistogramSeries], pointer: CursorState) -> tuple[str, ...]:
    """Return alternative texts of a card, the shortest last, preceded by the longest one with the points left out."""
    label = format_left_out_label(series, pointer)
    return (f"{texts[0]}{SEPARATOR}{label}", f"{texts[-1]}{SEPARATOR}{label}", *texts) if label else tuple(texts)


def format_content_labels(series: Sequence[HistogramSeries], pointer: CursorState) -> Iterator[str]:
    """Yield `all 512 in one bucket, 0.95 to 0.99: 0.970 ± 0.005` and alike for each run, with its name if several."""
    names = shorten_to_distinct([each.run for each in series])
    for each, name in zip(series, names, strict=True):
        reading = build_cursor_readout(each, pointer)
        if label := reading.content:
            if reading.is_one_bucket:
                label += f": {format_mean_label(reading.mean, reading.std, is_exact=reading.is_exact)}"
            yield f"{name} {label}" if len(series) > 1 else label


NO_HIGHLIGHTS: Mapping[int, str] = MappingProxyType({})


def build_legend(
    series: Sequence[HistogramSeries],
    runs: Sequence[str],
    width: int,
    focus: str | None = None,
    highlights: Mapping[int, str] = NO_HIGHLIGHTS,
) -> list[tuple[str, int]]:
    """Return the runs of a chart with their inks, the focused one first; empty if only one run is drawn.

    Args:
        series: Series of the chart.
        runs: Names of all drawn runs, in the order of the run tree.
        width: Columns of the card.
        focus: The highlighted run.
        highlights: Reasons of the runs that keep their colours, by index; empty: all do.
    """
    if len(runs) < 2:
        return []
    if highlights:
        inks = [each.ink for each in series]
        return build_highlight_legend(highlights, [each.run for each in series], inks, width - CORNERS)
    name_width = min(max((width - CORNERS) // len(series) - BULLET, MIN_NAME_COLUMNS), MAX_NAME_COLUMNS)
    names = dict(zip(runs, fit_names(shorten_to_distinct(runs), name_width), strict=True))
    shown = sorted(series, key=lambda each: each.run != focus)
    return [
        (
            get_series_marker(each.ink) + (FOCUS_SIGN if each.run == focus else " ") + names.get(each.run, each.run),
            each.ink,
        )
        for each in shown
    ]
