"""The axis of values of runs over one another: it shows what is drawn of them, which is not all that they hold."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.layout import MIN_LABELS_WIDTH
from tbtui.charts.line_chart import RESTART_SIGN, LineChart, Mark, Trace
from tbtui.charts.text import cell_width, pad
from tbtui.frozen import frozen
from tbtui.maths.domain import LINEAR_SHARE, extent, without_outliers
from tbtui.maths.smoothing import superseded_points
from tbtui.maths.statistics import BASIS_POINTS
from tbtui.plugins.histograms import readout
from tbtui.plugins.histograms.chart import ChartCache, HistogramAxes, chart_title
from tbtui.plugins.histograms.readout import MEDIAN, empty_message
from tbtui.settings.settings import FULL_RANGE, usable_range
from tbtui.view.axes import NO_HELD_AXIS, HeldAxes, axes_hold_key, axes_settings_of, threshold_of, y_axis
from tbtui.view.run_names import distinct_names, fit_names

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.loading.payloads import Payloads
    from tbtui.maths.axes import Scale
    from tbtui.maths.domain import Limits
    from tbtui.plugins.histograms.chart import Axes
    from tbtui.plugins.histograms.series import HistogramSeries
    from tbtui.settings.settings import Outliers, Settings
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.view.axes import AxesSettings
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]

# The quantile curves of one tag of one run: what is drawn of what was series.


LOWER, UPPER = MEDIAN - 2, MEDIAN + 2
"""Where a normal distribution has a standard deviation to each side: the outlines of a run among others."""

MAX_OUTLINED_RUNS = 12
"""With more runs than this in a chart outlines would be noise: beside medians there are those of the focused run."""


def visible_curves(runs: int, *, together: bool) -> slice:
    """Which of the nine curves are drawn of each run, and thus count for its axis."""
    if not together:
        return slice(None)
    return slice(LOWER, UPPER + 1) if runs <= MAX_OUTLINED_RUNS else slice(MEDIAN, MEDIAN + 1)


@frozen
class Curves:
    """The quantiles of one run at n steps; there may be none. They are equal where they are of the same."""

    series: HistogramSeries
    """What they are of; some of it may have no place on the x axis, and some may be superseded."""

    x: Floats = field(compare=False)
    """float64[n] on the chart's x axis, ascending, finite."""

    values: Floats = field(compare=False)
    """float64[n, 9]: TensorBoard's curves, ascending from the first to the last; NaN for what is refused."""

    superseded: tuple[Floats, Floats] | None = field(default=None, compare=False)
    """x and median of what restarts superseded, in order of arrival, NaN between stretches; None unless wanted."""

    def curve(self, index: int) -> Floats:
        """One of the nine, float64[n]."""
        return self.values[:, index]

    def in_sight(self, axis: Axis | None) -> Floats:
        """The values of all curves that an x axis shows, and those at which they enter and leave it, float64[k, 9].

        Args:
            axis: What is shown; None is everything.
        """
        if axis is None:
            return self.values
        x, values = self.x, self.values
        first, end = int(x.searchsorted(axis.low)), int(x.searchsorted(axis.high, "right"))
        parts = [values[first:end]]
        for index, at in ((first, axis.low), (end, axis.high)):
            if 0 < index < len(x):
                before, place, after = axis.unit(np.array([x[index - 1], at, x[index]])).tolist()
                part = (place - before) / (after - before) if after > before else 1.0
                if np.isfinite(part):
                    parts.append(values[None, index - 1] * (1 - part) + values[None, index] * part)
        return np.concatenate(parts)


def make_curves(series: HistogramSeries, stored: ReferenceSeries | None = None, skip: int = 0) -> Curves:
    """The curves of what a run has series under a tag.

    Args:
        series: With what restarts have superseded, or without it.
        stored: What it was made of, where what was superseded is among it.
        skip: Steps below this were left out.
    """
    seen, lost = np.isfinite(series.x), None
    if stored is not None and stored.kept is not None:
        arrivals = np.arange(len(stored))[series.rows]
        seen &= stored.kept[arrivals]
        lost = _superseded(series, arrivals, stored.kept, stored.steps, skip)
    if bool(seen.all()):
        return Curves(series, series.x, series.quantiles, lost)
    return Curves(series, series.x[seen], series.quantiles[seen], lost)


def _superseded(
    series: HistogramSeries,
    arrivals: npt.NDArray[np.intp],
    kept: npt.NDArray[np.bool_],
    steps: npt.NDArray[np.int64],
    skip: int,
) -> tuple[Floats, Floats] | None:
    indices, breaks = superseded_points(steps, kept, skip)
    if not len(indices):
        return None
    places = np.zeros(len(steps), np.intp)
    places[arrivals] = np.arange(len(arrivals))
    at = places[indices]
    return np.insert(series.x[at], breaks, np.nan), np.insert(series.quantiles[at, MEDIAN], breaks, np.nan)


class OutlineAxes:
    """The axes of every chart seen so far: limits grow in nice steps, and start anew when other things are shown."""

    def __init__(self) -> None:
        self._held = HeldAxes()

    def values(
        self, key: str, all_curves: Sequence[Curves], along: Axis, chosen: AxesSettings, shown: Hashable
    ) -> Axis:
        """The axis of values of a chart.

        Args:
            key: Its card.
            all_curves: Those of each run.
            along: The axis of steps.
            chosen: What is chosen for the axes.
            shown: What is shown beside the data and `chosen`: while these are equal, limits are held.
        """
        _, former = self._held.former(key, (chosen, shown))
        in_sight = along if usable_range(chosen.x_range, along.scale, along.origin) != FULL_RANGE else None
        drawn = visible_curves(len(all_curves), together=True)
        parts = [curves.in_sight(in_sight)[:, drawn].ravel() for curves in all_curves]
        values = np.concatenate([*parts, np.empty(0)])
        threshold = threshold_of(values, LINEAR_SHARE, chosen.y_scale, former)
        axis, held = y_axis(_limits(values, chosen.y_scale, threshold, chosen.outliers), chosen, threshold, former)
        self._held.keep(key, (chosen, shown), NO_HELD_AXIS, held)
        return axis


def _limits(values: Floats, scale: Scale, threshold: float, outliers: Outliers) -> Limits | None:
    """What the axis has to show: as of scalars, nine tenths of all are never flattened by few far out."""
    most = extent([values], scale=scale, ignore_outliers=True)
    if most is None or outliers == "keep":
        return extent([values], scale=scale)
    return most if outliers == "ignore" else without_outliers(values, most, scale, threshold)


# From a view to what its charts show.


@frozen(slots=False)
class DistributionChart:
    """What the chart of one card shows. Equal ones look the same."""

    key: str
    """Of the card."""

    tag: str
    title: str
    """Not yet made safe for a terminal; neither is any run name."""

    curves: tuple[Curves, ...]
    """Of one run, or of all that are drawn, in the order of the run tree; at least one."""

    together: bool
    """Whether the card is for all runs: their outlines lie over one another."""

    axes: Axes
    left_out: Limits | None = None
    """The least and the greatest value in sight, where the axis of values shows less although nobody set its ends."""

    blank: str = ""
    """Why nothing can be seen; empty when something can."""

    @property
    def series(self) -> tuple[HistogramSeries, ...]:
        """What the curves are of."""
        return tuple(curves.series for curves in self.curves)


class DistributionChartCache(ChartCache[DistributionChart]):
    """The charts of all views shown so far. Used by one thread.

    Args:
        payloads: Reads and decodes histograms.
    """

    def __init__(self, payloads: Payloads) -> None:
        super().__init__(payloads)
        self._axes, self._outline_axes = HistogramAxes(), OutlineAxes()

    def drawn(self, _choices: Settings) -> Hashable:
        """Charts have one look."""
        return None

    def make(self, view: View, key: str) -> DistributionChart:
        """The chart of card `key`."""
        choices, chosen = view.choices, axes_settings_of(view.choices, key)
        series = self.histograms.load(view, key)
        curves = self._curves_of(view, key, series)
        sharing = self.sharing(view, key)
        held = axes_hold_key(view, (each.run for each in sharing))
        shown = choices.skip_steps, choices.superseded, tuple(each.run for each in series), held
        axes = self._axes.axes(key, series, sharing, chosen, shown, glance=choices.overview)
        if choices.runs_together:
            axes = replace(axes, values=self._outline_axes.values(key, curves, axes.along, chosen, shown))
        return DistributionChart(
            key,
            series[0].tag,
            chart_title(series),
            curves,
            choices.runs_together,
            axes,
            _left_out(curves, axes, chosen, visible_curves(len(curves), together=choices.runs_together)),
            empty_message(series, axes, chosen),
        )

    def _curves_of(self, view: View, key: str, series: Sequence[HistogramSeries]) -> tuple[Curves, ...]:
        choices = view.choices
        stored = {run.name: held for run, held in self.histograms.series(view, key)} if choices.superseded else {}
        return tuple(make_curves(each, stored.get(each.run), choices.skip_steps) for each in series)


def _left_out(all_curves: Sequence[Curves], axes: Axes, chosen: AxesSettings, drawn: slice) -> Limits | None:
    if usable_range(chosen.y_range, axes.values.scale) != FULL_RANGE:
        return None
    in_sight = axes.along if usable_range(chosen.x_range, axes.along.scale, axes.along.origin) != FULL_RANGE else None
    found = extent([curves.in_sight(in_sight)[:, drawn].ravel() for curves in all_curves])
    shows_all = found is None or (axes.values.low <= found[0] and found[1] <= axes.values.high)
    return None if shows_all else found


# Runs over one another: of each its median, between the faint outlines of where two thirds of its values lie.


MIN_NAME_COLUMNS = 10
"""Columns of a run's name at the end of its line, at least."""

ROWS_WITHOUT_LABEL = 3
"""Rows of a chart that have no room for such a name: those of its x axis, and one to breathe."""


def outline_chart(chart: DistributionChart, width: int, height: int, focus: str | None = None) -> LineChart:
    """The runs of a chart as lines, without cursor; the focused one on top, then in the order of the run tree.

    Args:
        chart: What is shown.
        width: Columns, which decide how long names at the ends of lines may be.
        height: Rows, which decide how many there may be.
        focus: The run that stands out.
    """
    runs = [curves.series.run for curves in chart.curves]
    order = sorted(range(len(runs)), key=lambda index: (runs[index] == focus, -index))
    drawn = [chart.curves[index] for index in order]
    labels = _labels(chart.curves, width, height)
    outlined = drawn if len(drawn) <= MAX_OUTLINED_RUNS else [each for each in drawn if each.series.run == focus]
    medians = (
        Trace(each.x, each.curve(MEDIAN), each.series.ink, label=labels.get(each.series.run, ""), ascending=True)
        for each in drawn
    )
    traces = (*superseded_lines(drawn, faint=True), *_outlines(outlined), *medians)
    return LineChart(traces, chart.axes.along, chart.axes.values, tuple(restart_marks(drawn)))


def superseded_lines(all_curves: Iterable[Curves], *, faint: bool) -> Iterator[Trace]:
    """The medians of what restarts superseded, in dashes."""
    for curves in all_curves:
        if curves.superseded is not None:
            yield Trace(*curves.superseded, curves.series.ink, faint, ascending=False, pattern=1)


def _outlines(all_curves: Iterable[Curves]) -> Iterator[Trace]:
    for curves in all_curves:
        for curve in (LOWER, UPPER):
            yield Trace(curves.x, curves.curve(curve), curves.series.ink, faint=True, ascending=True)


def restart_marks(all_curves: Iterable[Curves]) -> Iterator[Mark]:
    """Signs where runs went on from an earlier step, on their medians."""
    for curves in all_curves:
        series = curves.series
        for x in series.restarts:
            yield Mark(x, RESTART_SIGN, series.ink, float(series.quantiles[series.nearest(x), MEDIAN]))


def _labels(all_curves: Sequence[Curves], width: int, height: int) -> dict[str, str]:
    """Name and newest median of each run; none where not all of them have room."""
    held = [curves for curves in all_curves if len(curves.x)]
    if width < MIN_LABELS_WIDTH or not 0 < len(held) <= height - ROWS_WITHOUT_LABEL:
        return {}
    runs = [curves.series.run for curves in held]
    shown = fit_names(distinct_names(runs), max(MIN_NAME_COLUMNS, width // 6))
    room = max(map(cell_width, shown))
    return {
        run: f"{pad(name, room)} {numbers.brief(float(curves.curve(MEDIAN)[-1]))}"
        for run, name, curves in zip(runs, shown, held, strict=True)
    }


# What the Distributions tab says about itself.


_LOWER = tuple(round(point / 100, 1) for point in BASIS_POINTS[1:MEDIAN])

CURVE_LABELS = (
    "min",
    *(f"{part} %" for part in _LOWER),
    "median",
    *(f"{100 - part} %" for part in reversed(_LOWER)),
    "max",
)
"""What each of the nine curves is called."""


def settings_label(choices: Settings, key: str | None = None) -> str:
    """How the charts are drawn, or one of them: `y log · x step 120–400`. Only what matters is told.

    Args:
        choices: What is chosen.
        key: Card of the one chart; None is all of them.
    """
    return readout.settings_label(choices, key, "runs together" if choices.runs_together else "")


def clipped_label(chart: DistributionChart) -> str:
    """What the axis of values does not show although nobody asked for that: `values up to 35.2 not shown`."""
    if chart.left_out is None or chart.blank:
        return ""
    (low, high), axis = chart.left_out, chart.axes.values
    ends = (
        f"down to {numbers.brief(low)}" if low < axis.low else "",
        f"up to {numbers.brief(high)}" if high > axis.high else "",
    )
    return f"values {' and '.join(filter(None, ends))} not shown"
