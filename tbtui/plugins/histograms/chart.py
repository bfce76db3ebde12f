"""Axes, bins and cached charts of histograms, shared by the Histograms and the Distributions tab."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from tbtui.charts.axis import ValueAxis
from tbtui.frozen import frozen
from tbtui.maths.decimate import find_unique_values
from tbtui.maths.domain import LINEAR_SHARE, compute_extent
from tbtui.maths.histograms import find_value_limits, rebin, sample_evenly
from tbtui.maths.x_values import MAX_EXACT_INTEGER
from tbtui.plugins.histograms.series import SeriesCache
from tbtui.plugins.histograms.value_range import choose_axis_limits, compute_value_range, merge_ranges
from tbtui.settings.settings import FULL_RANGE, convert_range
from tbtui.view.cards import shorten_tag
from tbtui.view.chart_axes import (
    NO_HELD_AXIS,
    HeldAxes,
    choose_threshold,
    choose_x_axis,
    choose_y_axis,
    get_axes_settings,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.loading.payloads import Payloads
    from tbtui.maths.domain import Limits
    from tbtui.plugins.histograms.series import Floats, HistogramSeries
    from tbtui.plugins.histograms.value_range import ValueRange
    from tbtui.settings.settings import Settings
    from tbtui.view.cards import RunCards
    from tbtui.view.chart_axes import AxesSettings
    from tbtui.view.view import View


INNER = slice(1, -1)
"""Quantiles without the least and the greatest value."""


@frozen
class Axes:
    """Both axes of a chart."""

    along: Axis
    """Axis of steps or times."""

    values: Axis


class HistogramAxes:
    """Axes of all charts: limits grow in round steps, and are computed again when the settings change."""

    def __init__(self) -> None:
        self._held = HeldAxes()

    def axes(
        self,
        key: str,
        series: Sequence[HistogramSeries],
        sharing: Sequence[HistogramSeries],
        axes_settings: AxesSettings,
        inputs: Hashable,
        *,
        overview: bool = False,
        values_apart: bool = False,
    ) -> Axes:
        """Return the axes of a chart.

        Args:
            key: Key of the card.
            series: Its series; at least one.
            sharing: Series that share its range of values, its own included.
            axes_settings: Settings of the axes.
            inputs: All else that the axes depend on: while it is equal, limits are kept.
            overview: See `choose_axis_limits`.
            values_apart: True if histograms of one step have columns of their own; for one series only.
        """
        former, _ = self._held.get_former(key, (axes_settings, inputs))
        along, limits = choose_x_axis(
            [_select_limiting_x(each.x) for each in series], axes_settings, series[0].origin, former
        )
        self._held.keep(key, (axes_settings, inputs), limits, NO_HELD_AXIS)
        if values_apart:
            along = build_value_axis(series[0], along)
        visible_part = along if convert_range(axes_settings.x_range, along.scale, along.origin) != FULL_RANGE else None
        return Axes(
            along,
            self._choose_values_axis(sharing, axes_settings, (axes_settings, inputs), visible_part, overview=overview),
        )

    def _choose_values_axis(
        self,
        sharing: Sequence[HistogramSeries],
        axes_settings: AxesSettings,
        inputs: Hashable,
        visible_part: Axis | None,
        *,
        overview: bool,
    ) -> Axis:
        """Return the axis of values, cached by a key of all runs that share it."""
        key = "\0".join(("", sharing[0].tag, str(overview), *(each.run for each in sharing)))
        _, former = self._held.get_former(key, inputs)
        scale = axes_settings.y_scale
        if None not in convert_range(axes_settings.y_range, scale) and scale != "symlog":
            return choose_y_axis(None, axes_settings, 1.0)[0]
        rows = [slice(None) if visible_part is None else find_visible_rows(each, visible_part) for each in sharing]
        values: Floats = np.empty(0)
        if scale == "symlog":
            values = np.concatenate(
                [each.quantiles[visible, INNER].ravel() for each, visible in zip(sharing, rows, strict=True)]
            )
        threshold = choose_threshold(values, LINEAR_SHARE, scale, former)
        spreads = [_spread(each, visible) for each, visible in zip(sharing, rows, strict=True)]
        if scale == "log":
            ends = [_find_positive_limits(each, visible) for each, visible in zip(sharing, rows, strict=True)]
        else:
            ends = [each.limits for each in spreads]
        full_extent = compute_extent([np.array(end) for end in ends if end is not None])
        limits = choose_axis_limits(
            merge_ranges(spreads), full_extent, axes_settings.outliers, scale, threshold, overview=overview
        )
        axis, held_axis = choose_y_axis(limits, axes_settings, threshold, former, padding=0.0)
        self._held.keep(key, inputs, NO_HELD_AXIS, held_axis)
        return axis


def build_value_axis(series: HistogramSeries, along: Axis) -> Axis:
    """Return an axis with a column for each histogram if several have the same position, otherwise `along`."""
    if not series.has_shared_steps:
        return along
    finite = slice(int(series.x.searchsorted(-np.inf, "right")), int(series.x.searchsorted(np.inf)))
    x, stops = series.x[finite], series.stops[finite]
    low, high = max(along.low, float(x[0])), min(along.high, float(x[-1]))
    if low >= high:  # one step, or none in sight
        low, high = (
            (low - 0.5, low + 0.5) if x[0] == x[-1] and abs(low) < MAX_EXACT_INTEGER else (along.low, along.high)
        )
    return ValueAxis(low, high, kind=along.kind, origin=along.origin, x=x, stops=stops)


def find_visible_rows(series: HistogramSeries, axis: Axis) -> slice:
    """Return the indices of the histograms that an axis of steps shows."""
    return slice(int(series.x.searchsorted(axis.low)), int(series.x.searchsorted(axis.high, "right")))


def join_stops(series: Sequence[HistogramSeries], axis: Axis) -> Floats:
    """Return the positions of the cursor at all visible histograms of some series, float64[k], ascending."""
    columns = [each.stops[find_visible_rows(each, axis)] for each in series]
    return columns[0] if len(columns) == 1 else find_unique_values(np.concatenate(columns))


def _spread(series: HistogramSeries, rows: slice) -> ValueRange:
    return series.value_range if rows == slice(None) else compute_value_range(series.select(rows))


def _find_positive_limits(series: HistogramSeries, rows: slice) -> Limits | None:
    return series.statistics.above_zero if rows == slice(None) else find_value_limits(series.select(rows), "log")


def _select_limiting_x(x: Floats) -> Floats:
    """Return the x values that determine the limits of the axis: the finite ends, for log scales also those at 0."""
    end = int(x.searchsorted(np.inf))
    zero = int(x[:end].searchsorted(0.0))
    return np.concatenate([x[:1], x[max(end - 1, 0) : end], x[max(zero - 1, 0) : min(zero + 2, end)]])


def find_clipped_sides(series: Sequence[HistogramSeries], axes: Axes) -> tuple[bool, bool]:
    """Return two flags: visible values lie below, or above, the axis of values."""
    rows = [find_visible_rows(each, axes.along) for each in series]
    ends = [
        (each.moments.minimum[visible], each.moments.maximum[visible])
        for each, visible in zip(series, rows, strict=True)
    ]
    low, high = axes.values.low, axes.values.high
    return any(bool((minima < low).any()) for minima, _ in ends), any(bool((maxima > high).any()) for _, maxima in ends)


MAX_CACHE_BYTES = 64 << 20
"""Bytes of cached counts; the least recently used ones are dropped first."""

SAMPLED_STEPS = 64
"""Steps of a run that are sampled for its greatest share."""


class BinnedCache:
    """Caches the counts by bin of all tags. Used by one thread.

    Args:
        max_bytes: See `MAX_CACHE_BYTES`.
    """

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[tuple[str, str, bytes], tuple[object, Floats]] = OrderedDict()
        self._bytes = 0
        self._greatest: OrderedDict[tuple[str, str, bytes], tuple[object, int, Floats]] = OrderedDict()

    def counts(self, series: HistogramSeries, edges: Floats) -> Floats:
        """Return the counts by bin. If a series has grown, only its new histograms are read.

        Args:
            series: n histograms.
            edges: float64[bins + 1], ascending.

        Returns:
            float64[n, bins], NaN for a histogram that cannot be drawn; read-only.
        """
        key = series.run, series.tag, edges.tobytes()
        lineage, counts = self._kept.pop(key, (None, None))
        if counts is not None:
            self._bytes -= counts.nbytes
        if counts is None or lineage is not series.lineage or len(counts) > len(series):
            counts = rebin(series.buckets, edges)
        elif len(counts) < len(series):
            counts = np.concatenate([counts, rebin(series.select(slice(len(counts), None)), edges)])
        self._kept[key] = series.lineage, counts
        self._bytes += counts.nbytes
        while self._bytes > self._max_bytes and len(self._kept) > 1:
            _, (_, dropped) = self._kept.popitem(last=False)
            self._bytes -= dropped.nbytes
        return counts

    def find_greatest_shares(self, series: HistogramSeries, edges: Floats) -> Floats:
        """Return the greatest share of a histogram in any bin, for steps sampled evenly, float64[k]."""
        key = series.run, series.tag, edges.tobytes()
        lineage, count, max_shares = self._greatest.pop(key, (None, 0, None))
        if max_shares is None or lineage is not series.lineage or count != len(series):
            rows = sample_evenly(series.stops, SAMPLED_STEPS)
            max_shares = bin_shares(rebin(series.select(rows), edges), series.moments.count[rows]).max(axis=1)
        self._greatest[key] = series.lineage, len(series), max_shares
        while len(self._greatest) > _MAX_GREATEST_SHARES:
            self._greatest.popitem(last=False)
        return max_shares


_MAX_GREATEST_SHARES = 1024


def bin_shares(counts: Floats, totals: Floats) -> Floats:
    """Return counts as shares of their histogram; 0 for an empty one, NaN for one that cannot be drawn."""
    return np.asarray(counts / np.where(totals == 0, 1.0, totals)[:, None])


MAX_SHARING_RUNS = 32
"""Maximum number of runs that share a range of values; with more runs, each has its own.

More charts cannot be compared by eye, and the first card would wait until all of them are read.
"""

MAX_CACHED_CHARTS = 64
"""Cached charts: more than fit on a screen."""

Chart = TypeVar("Chart")


class ChartCache(Generic[Chart]):
    """Caches the charts of all views. Subclasses make the charts. Used by one thread.

    Args:
        payloads: Reads and decodes histograms.
    """

    def __init__(self, payloads: Payloads) -> None:
        self.histograms = SeriesCache(payloads)
        self._charts: OrderedDict[tuple[str, bool], tuple[Hashable, Chart]] = OrderedDict()

    # Supplied by a dashboard

    def build_settings_key(self, settings: Settings) -> Hashable:
        """Return the settings that alter a chart, besides its axes, visible steps and runs."""
        raise NotImplementedError

    def make(self, view: View, key: str) -> Chart:
        """Return the chart of card `key`, a small one in an overview; equal charts draw the same cells.

        Raises:
            NothingRecordedError: No drawn run holds a histogram, or all are skipped.
        """
        raise NotImplementedError

    # Cards and charts

    def cards(self, view: View) -> RunCards:
        """Return the cards in order; the same object as long as they are the same."""
        return self.histograms.cards(view)

    def build_chart_key(self, view: View, key: str) -> Hashable:
        """Return the cache key of the chart of card `key`: all data and settings that it depends on."""
        settings = view.settings
        shared = self.histograms.build_load_key(view, self._build_shared_key(view, key))
        style_key = settings.runs_together, settings.overview, self.build_settings_key(settings)
        return self.histograms.build_load_key(view, key), shared, get_axes_settings(settings, key), style_key

    def find_sharing_series(self, view: View, key: str) -> tuple[HistogramSeries, ...]:
        """Return the series of all runs that share the range of values of card `key`.

        Raises:
            NothingRecordedError: No drawn run holds a histogram, or all are skipped.
        """
        return self.histograms.load(view, self._build_shared_key(view, key))

    def has_own_range(self, view: View, key: str) -> bool:
        """Return True if card `key` has its own range of values because too many runs hold its tag."""
        cards = self.cards(view)
        return cards.run_of(key) is not None and self._build_shared_key(view, key) != cards.tag_of(key)

    def _build_shared_key(self, view: View, key: str) -> str:
        """Return the card of all runs of the same tag; with too many runs, the card itself."""
        tag = self.cards(view).tag_of(key)
        return tag if len(self.histograms.series(view, tag)) <= MAX_SHARING_RUNS else key

    def chart(self, view: View, key: str) -> Chart:
        """Return the chart of card `key`; the same object as long as it is equal.

        Raises:
            NothingRecordedError: No drawn run holds a histogram, or all are skipped.
        """
        inputs, cache_key = self.build_chart_key(view, key), (key, view.settings.overview)
        cached = self._charts.get(cache_key)
        if cached is None or cached[0] != inputs:
            new_chart = self.make(view, key)
            cached = self._charts[cache_key] = (
                inputs,
                new_chart if cached is None or cached[1] != new_chart else cached[1],
            )
            while len(self._charts) > MAX_CACHED_CHARTS:
                self._charts.popitem(last=False)
        self._charts.move_to_end(cache_key)
        return cached[1]


def format_chart_title(series: Sequence[HistogramSeries]) -> str:
    """Return the display name that a writer gave the tag of a chart, or else the tag."""
    return next((each.title for each in series if each.title != shorten_tag(each.tag)), series[0].title)
