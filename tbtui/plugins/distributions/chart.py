"""Charts of distributions: quantile curves, axes of runs together, and labels."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.cells import BUNDLE_INKS
from tbtui.charts.chart_layout import MIN_LABELS_WIDTH
from tbtui.charts.line_chart import RESTART_SIGN, LineChart, Sign, Trace
from tbtui.charts.text import cell_width, pad
from tbtui.frozen import frozen
from tbtui.maths.domain import LINEAR_SHARE, compute_extent, compute_extent_without_outliers
from tbtui.maths.smoothing import find_superseded_points
from tbtui.maths.statistics import BASIS_POINTS
from tbtui.plugins.histograms import readout
from tbtui.plugins.histograms.chart import ChartCache, HistogramAxes, build_value_axis, format_chart_title
from tbtui.plugins.histograms.readout import MEDIAN, find_highlights, format_empty_message
from tbtui.plugins.histograms.value_labels import estimate_label
from tbtui.settings.settings import FULL_RANGE, convert_range
from tbtui.view.chart_axes import (
    NO_HELD_AXIS,
    HeldAxes,
    choose_threshold,
    choose_y_axis,
    get_axes_settings,
    make_hold_key,
)
from tbtui.view.run_names import fit_names, shorten_to_distinct

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.loading.payloads import Payloads
    from tbtui.maths.domain import Limits, Scale
    from tbtui.plugins.histograms.chart import Axes
    from tbtui.plugins.histograms.series import HistogramSeries
    from tbtui.settings.settings import Outliers, Settings
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.view.chart_axes import AxesSettings
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]


LOWER, UPPER = MEDIAN - 2, MEDIAN + 2
"""Curves at one standard deviation of a normal distribution: the outline of a run among others."""

MAX_OUTLINED_RUNS = 12
"""Maximum number of runs with outlines; with more, only the focused run has them. All runs have medians."""


def find_visible_curves(runs: int, *, together: bool) -> slice:
    """Return the indices of the drawn curves of each run, of nine; the axis shows all of them."""
    if not together:
        return slice(None)
    return slice(LOWER, UPPER + 1) if runs <= MAX_OUTLINED_RUNS else slice(MEDIAN, MEDIAN + 1)


@frozen
class Curves:
    """Quantiles of one run at n steps; n may be 0. Curves of one series are equal."""

    series: HistogramSeries
    """Series of the run; some points may have no x, and some may be superseded."""

    x: Floats = field(compare=False)
    """float64[n] on the x axis of the chart, ascending, finite."""

    values: Floats = field(compare=False)
    """float64[n, 9]: TensorBoard's curves, ascending by curve; NaN for a histogram that cannot be drawn."""

    superseded: tuple[Floats, Floats] | None = field(default=None, compare=False)
    """x and median of superseded points, in order of arrival, NaN between stretches; None unless drawn."""

    def curve(self, index: int) -> Floats:
        """Return one of the nine curves, float64[n]."""
        return self.values[:, index]

    def select_visible_values(self, axis: Axis | None) -> Floats:
        """Return the visible values of all curves, and those at which they cross the ends of the axis, float64[k, 9].

        Args:
            axis: The visible part; None: everything.
        """
        if axis is None:
            return self.values
        x, values = self.x, self.values
        first, end = int(x.searchsorted(axis.low)), int(x.searchsorted(axis.high, "right"))
        blocks = [values[first:end]]
        for index, end_value in ((first, axis.low), (end, axis.high)):
            if 0 < index < len(x):
                before, position, after = axis.unit(np.array([x[index - 1], end_value, x[index]])).tolist()
                fraction = (position - before) / (after - before) if after > before else 1.0
                if np.isfinite(fraction):
                    blocks.append(values[None, index - 1] * (1 - fraction) + values[None, index] * fraction)
        return np.concatenate(blocks)


def make_curves(series: HistogramSeries, stored: ReferenceSeries | None = None, skip: int = 0) -> Curves:
    """Return the curves of a series.

    Args:
        series: With or without superseded points.
        stored: All points of the series, if those that a restart superseded are drawn as lines of their own.
        skip: Steps below this are left out.
    """
    x, is_visible, superseded = series.stops, np.isfinite(series.x), None
    if stored is not None and stored.kept is not None:
        x = series.x
        arrivals = np.arange(len(stored))[series.rows]
        is_visible &= stored.kept[arrivals]
        superseded = _find_superseded_medians(series, arrivals, stored.kept, stored.steps, skip)
    if bool(is_visible.all()):
        return Curves(series, x, series.quantiles, superseded)
    return Curves(series, x[is_visible], series.quantiles[is_visible], superseded)


def _find_superseded_medians(
    series: HistogramSeries,
    arrivals: npt.NDArray[np.intp],
    is_current: npt.NDArray[np.bool_],
    steps: npt.NDArray[np.int64],
    skip: int,
) -> tuple[Floats, Floats] | None:
    indices, breaks = find_superseded_points(steps, is_current, skip)
    if not len(indices):
        return None
    rows_of_points = np.zeros(len(steps), np.intp)
    rows_of_points[arrivals] = np.arange(len(arrivals))
    rows = rows_of_points[indices]
    return np.insert(series.x[rows], breaks, np.nan), np.insert(series.quantiles[rows, MEDIAN], breaks, np.nan)


class OutlineAxes:
    """Value axes of charts of several runs. They cover only the drawn curves, and are kept as in `HistogramAxes`."""

    def __init__(self) -> None:
        self._axes = HeldAxes()

    def values(
        self, key: str, all_curves: Sequence[Curves], along: Axis, axes_settings: AxesSettings, inputs: Hashable
    ) -> Axis:
        """Return the axis of values of a chart.

        Args:
            key: Key of the card.
            all_curves: Curves of each run.
            along: Axis of steps.
            axes_settings: Settings of the axes.
            inputs: All else that the axis depends on: while it is equal, limits are kept.
        """
        _, former = self._axes.get_former(key, (axes_settings, inputs))
        visible_part = along if convert_range(axes_settings.x_range, along.scale, along.origin) != FULL_RANGE else None
        curve_slice = find_visible_curves(len(all_curves), together=True)
        blocks = [curves.select_visible_values(visible_part)[:, curve_slice].ravel() for curves in all_curves]
        values = np.concatenate([*blocks, np.empty(0)])
        threshold = choose_threshold(values, LINEAR_SHARE, axes_settings.y_scale, former)
        axis, held_axis = choose_y_axis(
            _find_limits(values, axes_settings.y_scale, threshold, axes_settings.outliers),
            axes_settings,
            threshold,
            former,
        )
        self._axes.keep(key, (axes_settings, inputs), NO_HELD_AXIS, held_axis)
        return axis


def _find_limits(values: Floats, scale: Scale, threshold: float, outliers: Outliers) -> Limits | None:
    """Return the limits of the axis: as for scalars, few outliers never flatten nine tenths of the values."""
    inliers = compute_extent([values], scale=scale, ignore_outliers=True)
    if inliers is None or outliers == "keep":
        return compute_extent([values], scale=scale)
    return inliers if outliers == "ignore" else compute_extent_without_outliers(values, inliers, scale, threshold)


@frozen(slots=False)
class DistributionChart:
    """Data of the chart of one card. Equal ones look the same."""

    key: str
    """Key of the card."""

    tag: str
    title: str
    """Title; not yet safe for a terminal, nor are the names of runs."""

    curves: tuple[Curves, ...]
    """Curves of one run, or of all drawn runs in the order of the run tree; at least one."""

    together: bool
    """True if the card shows the outlines of all runs."""

    axes: Axes
    left_out: Limits | None = None
    """Least and greatest visible value, if the axis leaves out values although it was not set by hand."""

    empty_reason: str = ""
    """Reason why nothing is visible; empty if something is."""

    @property
    def series(self) -> tuple[HistogramSeries, ...]:
        """Series of the curves."""
        return tuple(curves.series for curves in self.curves)


class DistributionChartCache(ChartCache[DistributionChart]):
    """Caches the distribution charts of all views. Used by one thread.

    Args:
        payloads: Reader and decoder of histograms.
    """

    def __init__(self, payloads: Payloads) -> None:
        super().__init__(payloads)
        self._axes, self._outline_axes = HistogramAxes(), OutlineAxes()

    def build_settings_key(self, _settings: Settings) -> Hashable:
        return None

    def make(self, view: View, key: str) -> DistributionChart:
        settings, chosen = view.settings, get_axes_settings(view.settings, key)
        series = self.histograms.load(view, key)
        curves = _build_curves(series, settings)
        sharing = self.find_sharing_series(view, key)
        hold_key = make_hold_key(view, (each.run for each in sharing))
        shown = settings.skip_steps, settings.superseded, tuple(each.run for each in series), hold_key
        axes = self._axes.axes(key, series, sharing, chosen, shown, overview=settings.overview)
        if len(series) == 1 and curves[0].superseded is None:
            axes = replace(axes, along=build_value_axis(series[0], axes.along))
        if settings.runs_together:
            axes = replace(axes, values=self._outline_axes.values(key, curves, axes.along, chosen, shown))
        return DistributionChart(
            key,
            series[0].tag,
            format_chart_title(series),
            curves,
            settings.runs_together,
            axes,
            _find_left_out(curves, axes, chosen, find_visible_curves(len(curves), together=settings.runs_together)),
            format_empty_message(series, axes, chosen),
        )


def _build_curves(series: Sequence[HistogramSeries], settings: Settings) -> tuple[Curves, ...]:
    if not settings.superseded or settings.x_axis != "step":
        return tuple(make_curves(each) for each in series)
    return tuple(
        make_curves(each, each.all_points if len(each.all_points.restart_indices) else None, settings.skip_steps)
        for each in series
    )


def _find_left_out(
    all_curves: Sequence[Curves], axes: Axes, axes_settings: AxesSettings, curve_slice: slice
) -> Limits | None:
    if convert_range(axes_settings.y_range, axes.values.scale) != FULL_RANGE:
        return None
    visible_part = (
        axes.along if convert_range(axes_settings.x_range, axes.along.scale, axes.along.origin) != FULL_RANGE else None
    )
    visible_extent = compute_extent(
        [curves.select_visible_values(visible_part)[:, curve_slice].ravel() for curves in all_curves]
    )
    shows_all = visible_extent is None or (
        axes.values.low <= visible_extent[0] and visible_extent[1] <= axes.values.high
    )
    return None if shows_all else visible_extent


MIN_NAME_COLUMNS = 10
"""Least columns of the name of a run at the end of its line."""

ROWS_WITHOUT_LABEL = 3
"""Rows of a chart without room for a name: those of the x axis, and a blank one."""


def build_outline_chart(
    chart: DistributionChart, width: int, height: int, focus: str | None = None, baseline: str | None = None
) -> LineChart:
    """Return the runs of a chart as lines, without cursor; the focused one on top, then in tree order.

    Each run has its median between faint outlines of two thirds of its values. With more than `MAX_LINES_IN_COLOUR`,
    all but the highlighted medians are one bundle.

    Args:
        chart: Data of the chart.
        width: Columns, which limit the names at line ends.
        height: Rows, which limit their number.
        focus: The highlighted run.
        baseline: The run that others are compared with.
    """
    runs = [curves.series.run for curves in chart.curves]
    order = sorted(range(len(runs)), key=lambda index: (runs[index] == focus, -index))
    highlights = find_highlights([curves.series for curves in chart.curves], focus, baseline)
    bundled = [chart.curves[index] for index in order if index not in highlights] if highlights else []
    ordered = [chart.curves[index] for index in order if not highlights or index in highlights]
    labels = _label_curves(chart.curves, width, height)
    outlined = ordered if len(ordered) <= MAX_OUTLINED_RUNS else [each for each in ordered if each.series.run == focus]
    medians = (
        Trace(each.x, each.curve(MEDIAN), each.series.ink, label=labels.get(each.series.run, ""), ascending=True)
        for each in ordered
    )
    traces = (*build_superseded_lines(ordered, faint=True), *_build_outline_traces(outlined), *medians)
    bundle = tuple(Trace(each.x, each.curve(MEDIAN), int(BUNDLE_INKS[0]), ascending=True) for each in bundled)
    return LineChart(traces, chart.axes.along, chart.axes.values, tuple(build_restart_marks(ordered)), bundle=bundle)


def build_superseded_lines(all_curves: Iterable[Curves], *, faint: bool) -> Iterator[Trace]:
    """Yield the medians of superseded points, dashed."""
    for curves in all_curves:
        if curves.superseded is not None:
            yield Trace(*curves.superseded, curves.series.ink, faint, ascending=False, pattern=1)


def _build_outline_traces(all_curves: Iterable[Curves]) -> Iterator[Trace]:
    for curves in all_curves:
        for curve in (LOWER, UPPER):
            yield Trace(curves.x, curves.curve(curve), curves.series.ink, is_faint=True, ascending=True)


def build_restart_marks(all_curves: Iterable[Curves]) -> Iterator[Sign]:
    """Yield signs on medians at the first point after a restart."""
    for curves in all_curves:
        series = curves.series
        for x in series.restarts:
            yield Sign(x, RESTART_SIGN, series.ink, float(series.quantiles[series.nearest(x), MEDIAN]))


def _label_curves(all_curves: Sequence[Curves], width: int, height: int) -> dict[str, str]:
    """Return the name and the newest median of each run; none if they do not all fit."""
    non_empty = [curves for curves in all_curves if len(curves.x)]
    if width < MIN_LABELS_WIDTH or not 0 < len(non_empty) <= height - ROWS_WITHOUT_LABEL:
        return {}
    runs = [curves.series.run for curves in non_empty]
    shown = fit_names(shorten_to_distinct(runs), max(MIN_NAME_COLUMNS, width // 6))
    label_width = max(map(cell_width, shown))
    return {
        run: f"{pad(name, label_width)} {_format_newest_median(curves)}"
        for run, name, curves in zip(runs, shown, non_empty, strict=True)
    }


def _format_newest_median(curves: Curves) -> str:
    least, median, greatest = curves.values[-1, [0, MEDIAN, -1]].tolist()
    return estimate_label(numbers.format_brief(median), is_exact=not least < median < greatest)


_LOWER = tuple(round(point / 100, 1) for point in BASIS_POINTS[1:MEDIAN])

CURVE_LABELS = (
    "min",
    *(f"{part} %" for part in _LOWER),
    "median",
    *(f"{100 - part} %" for part in reversed(_LOWER)),
    "max",
)
"""Names of the nine curves."""


def format_settings_label(settings: Settings, key: str | None = None) -> str:
    """Return the settings of all charts, or of one: `y log · x step 120–400`. Defaults are left out.

    Args:
        settings: The settings.
        key: Card of one chart; None: all charts.
    """
    return readout.format_settings_label(settings, key, "runs together" if settings.runs_together else "")


def format_clipped_label(chart: DistributionChart) -> str:
    """Return the range of values that an automatic axis leaves out: `values up to 35.2 not shown`."""
    if chart.left_out is None or chart.empty_reason:
        return ""
    (low, high), axis = chart.left_out, chart.axes.values
    ends = (
        f"down to {numbers.format_brief(low)}" if low < axis.low else "",
        f"up to {numbers.format_brief(high)}" if high > axis.high else "",
    )
    return f"values {' and '.join(filter(None, ends))} not shown"
