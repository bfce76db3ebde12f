"""Series of histograms with cached statistics, shared by the Histograms and the Distributions tab.

Statistics are computed once; when a series grows, only its new histograms are read.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.text import format_run_name
from tbtui.events.histogram import HAS_INFINITE, HAS_NAN
from tbtui.frozen import frozen
from tbtui.maths.decimate import is_ascending
from tbtui.maths.histograms import select_rows
from tbtui.maths.smoothing import find_lasting_restarts
from tbtui.maths.statistics import Moments, find_anomaly
from tbtui.maths.stops import compute_value_stops, find_nearest_value, has_shared_positions
from tbtui.maths.x_values import STEP_AXES, RunClock, compute_x_values, step_origin, step_x
from tbtui.plugins.histograms.cached_statistics import CachedStatistics
from tbtui.plugins.histograms.read import load_histograms
from tbtui.view.card_painter import NoDataError
from tbtui.view.cards import ShownRunCards, shorten_tag
from tbtui.view.chart_axes import get_clock
from tbtui.view.descriptions import format_left_out, name_x_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.maths.histograms import Buckets, Rows
    from tbtui.maths.statistics import Anomaly
    from tbtui.plugins.histograms.value_range import ValueRange
    from tbtui.settings.settings import Settings, XAxis
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.cards import RunCards
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]
    Steps: TypeAlias = npt.NDArray[np.int64]
    TagSeries: TypeAlias = tuple[tuple[RunSnapshot, ReferenceSeries], ...]
    """Runs and their series of one tag."""


PLUGIN_NAME = "histograms"
"""Name of the plugin on disk; the Distributions tab reads the same."""


@frozen
class SeriesKey:
    """Cache key of the points of one tag of one run: all data and settings that they depend on."""

    revision: int
    reading: int
    """Number of the reading of the files of the run."""

    ink: int
    x_axis: XAxis
    origin: int
    """Step that enormous steps are counted from."""

    skip: int
    """Points at steps below this are left out."""

    superseded: bool
    """True if the step axis shows superseded points; all other axes always do."""

    clock: RunClock | None
    """Clock of the run, for the relative and the active axis."""

    def is_extension_of(self, former: SeriesKey) -> bool:
        """Return True if the key differs from a former one only by the revision, so only by new points."""
        return replace(self, revision=former.revision) == former


def tag_title(series: ReferenceSeries) -> str:
    """Return the display name of a tag, or else the tag."""
    return format_run_name(series.metadata.display_name or shorten_tag(series.tag))


def get_max_step(series: ReferenceSeries) -> int:
    """Return the greatest step of the points that a series may show."""
    return int(series.steps.max())


def select_points(series: ReferenceSeries, x_axis: XAxis, *, superseded: bool) -> ReferenceSeries:
    """Return the points of a series that an x axis shows: only the step axis leaves out superseded ones."""
    return series.current if x_axis in STEP_AXES and not superseded else series


def order_rows(x: npt.NDArray[np.float64], steps: npt.NDArray[np.int64], skip: int) -> Rows:
    """Return the indices of the points that are not skipped, in the order of x."""
    if is_ascending(x) and (not skip or bool(np.all(steps[1:] >= steps[:-1]))):
        return slice(int(np.searchsorted(steps, skip)) if skip else 0, len(x))
    order = np.argsort(x, kind="stable")
    return order[steps[order] >= skip] if skip else order


def compute_x(series: ReferenceSeries, series_key: SeriesKey) -> npt.NDArray[np.float64]:
    """Return the x values of all points of a series."""
    clock = series_key.clock or NO_CLOCK
    return compute_x_values(series_key.x_axis, series.steps, series.wall_times, clock, series_key.origin)


NO_CLOCK = RunClock()


def find_restarts(series: ReferenceSeries, series_key: SeriesKey) -> tuple[float, ...]:
    """Return the x values of the first points after a restart at an earlier step."""
    if series.kept is None:
        return ()
    if series_key.x_axis != "step":
        if series_key.x_axis == "tag":
            return ()
        indices = series.restart_indices
        return tuple(compute_x(series, series_key)[indices[series.steps[indices] >= series_key.skip]].tolist())
    restarts = find_lasting_restarts(series.steps, series.kept, series.restart_indices)
    return tuple(step_x(restarts[restarts >= series_key.skip], series_key.origin).tolist())


def is_continuation(series: ReferenceSeries, former: ReferenceSeries) -> bool:
    """Return True if a series begins with all points of a former one, at the same offsets of the same files."""
    columns = ((each.steps, each.wall_times, each.files, each.offsets, each.indices) for each in (series, former))
    return len(series) >= len(former) and all(
        bool(np.array_equal(now[: len(then)], then, equal_nan=now.dtype.kind == "f"))
        for now, then in zip(*columns, strict=True)
    )


class NothingRecordedError(NoDataError):
    """Raised when there is no histogram to draw. The message is a sentence for users."""


@frozen(slots=False, eq=False)
class HistogramSeries:
    """The visible histograms of one tag of one run, n of them; at least one.

    Buckets are read when needed: they may take hundreds of megabytes, and the cache that holds them is bounded.
    """

    run: str
    """Not yet safe for a terminal, nor are tag, title, description and reasons."""

    tag: str
    ink: int
    """Ink of the run."""

    title: str
    """Display name of the tag, or else the tag."""

    description: str
    steps: Steps
    """int64[n], strictly ascending unless superseded points are included."""

    wall_times: Floats
    """float64[n], seconds since the epoch."""

    x: Floats
    """float64[n] on the chosen x axis, ascending (points are sorted by x); NaN comes last."""

    origin: int
    """Step that enormous steps are counted from."""

    errors: Mapping[int, str]
    """Reasons why histograms cannot be drawn, by index, one plain sentence each."""

    restarts: tuple[float, ...]
    """x of the first histograms after a restart at an earlier step."""

    is_partial: bool
    """True if the x axis leaves out superseded points."""

    run_clock: RunClock
    """Clock of the run, from whose start relative time counts."""

    read: Callable[[], Buckets] = field(repr=False)
    """Returns all histograms of the series."""

    rows: Rows = field(repr=False)
    """Indices of the visible ones, in the order of x."""

    statistics: CachedStatistics = field(repr=False)
    """Statistics of the visible histograms."""

    all_points: ReferenceSeries = field(repr=False)
    """All points of the series."""

    lineage: object = field(default_factory=object, repr=False)
    """Identity shared by versions of a series with an unchanged prefix, so that caches extend instead of recomputing.
    """

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def buckets(self) -> Buckets:
        """All visible histograms. Callers must not store them: they may be large, and the cache limits their memory."""
        return select_rows(self.read(), self.rows)

    def select(self, rows: Rows) -> Buckets:
        """Return some of the histograms."""
        histograms = self.read()
        return select_rows(histograms, np.arange(len(histograms))[self.rows][rows])

    @property
    def quantiles(self) -> Floats:
        """float64[n, 9]: values as of `compute_quantiles`; NaN for a histogram that cannot be drawn."""
        return self.statistics.quantiles

    @property
    def moments(self) -> Moments:
        """Count, mean, deviation and extremes of each histogram."""
        return self.statistics.moments

    @property
    def value_range(self) -> ValueRange:
        """Range of the values of all histograms."""
        return self.statistics.value_range

    def is_exact(self, index: int, value: float) -> bool:
        """Return True if a quantile of a histogram is one of its values: its minimum or maximum.

        All others are interpolated within a bucket.
        """
        return value in (self.moments.minimum[index], self.moments.maximum[index])

    @cached_property
    def non_finite(self) -> frozenset[int]:
        """Indices of the histograms with a NaN or infinite value."""
        return frozenset(index for index, reason in self.errors.items() if reason in (HAS_NAN, HAS_INFINITE))

    @cached_property
    def anomaly(self) -> Anomaly | None:
        """Anomaly of the values at the newest step; None without one."""
        return find_anomaly(self.moments, self.non_finite)

    @cached_property
    def _finite(self) -> slice:
        """Return the points with a finite x."""
        return slice(int(self.x.searchsorted(-np.inf, "right")), int(self.x.searchsorted(np.inf)))

    @cached_property
    def stops(self) -> Floats:
        """float64[n]: positions of the cursor, a different one for each point with a finite x."""
        finite = self._finite
        positions = compute_value_stops(self.x[finite])
        return (
            positions
            if len(positions) == len(self.x)
            else np.concatenate([self.x[: finite.start], positions, self.x[finite.stop :]])
        )

    @cached_property
    def has_shared_steps(self) -> bool:
        """True if several points have the same x."""
        return has_shared_positions(self.stops[self._finite])

    def nearest(self, x: float | None) -> int:
        """Return the index of the histogram at the cursor, or nearest to `x` on the x axis; None: the newest.

        Among several at one x, this is the one at the stop `x`, or else the latest; of two equally near, the first.
        """
        finite = self._finite
        if x is None or finite.start >= finite.stop:
            return len(self.x) - 1
        return int(finite.start) + find_nearest_value(self.x[finite], self.stops[finite], x)

    def label(self, index: int) -> str:
        """Return `step 312`, or `step 0, 2 of 5` for several points at one position."""
        first, end = (int(self.x.searchsorted(self.x[index], side)) for side in ("left", "right"))
        is_same = self.steps[first:end] == self.steps[index]
        count, number = int(is_same.sum()), int(is_same[: index - first + 1].sum())
        return f"step {self.steps[index]}, {number:,} of {count:,}" if count > 1 else f"step {self.steps[index]}"

    def left_out(self, index: int) -> str:
        """Return `4 more at this step (u)` or `12 superseded (u)` for points off the step axis; empty without any."""
        return format_left_out(self.all_points, int(self.steps[index])) if self.is_partial else ""


def make_series(
    payloads: Payloads, run: RunSnapshot, series: ReferenceSeries, points: ReferenceSeries, series_key: SeriesKey
) -> HistogramSeries:
    """Return the visible part of a series; `points` holds some or all of its points."""

    def read() -> Buckets:
        return load_histograms(payloads, run, points).buckets

    errors = load_histograms(payloads, run, points).errors
    x = compute_x(points, series_key)
    rows = order_rows(x, points.steps, series_key.skip)
    indices = np.arange(len(points))[rows]
    return HistogramSeries(
        run=run.name,
        tag=series.tag,
        ink=series_key.ink,
        title=tag_title(series),
        description=series.metadata.description,
        steps=points.steps[rows],
        wall_times=points.wall_times[rows],
        x=x[rows],
        origin=series_key.origin,
        errors={index: errors[row] for index, row in enumerate(indices.tolist()) if row in errors} if errors else {},
        restarts=find_restarts(series, series_key),
        is_partial=points is not series,
        run_clock=get_clock(run, "relative"),
        read=read,
        rows=rows,
        statistics=CachedStatistics(
            lambda first: select_rows(read(), indices[first:] if first else rows), len(indices)
        ),
        all_points=series,
    )


def reuse_statistics(series: HistogramSeries, former: HistogramSeries) -> HistogramSeries:
    """Return a series that reuses the statistics of a former version.

    The series is returned as it is if points had to be sorted by x, or if an error of the former version has changed.

    Args:
        series: The series; its points begin with all points of `former`.
        former: The former version.
    """
    count = len(former)
    in_order = isinstance(series.rows, slice) and isinstance(former.rows, slice)
    if not in_order or {index: reason for index, reason in series.errors.items() if index < count} != former.errors:
        return series
    return replace(
        series,
        lineage=former.lineage,
        statistics=CachedStatistics(series.statistics.read, len(series), former.statistics),
    )


MAX_CACHED_STEPS = 400_000
"""Steps of cached series, about 150 bytes each; the least recently used series is dropped first."""

MIN_CACHED_TAGS = 256
"""Series cached however many steps they have: as many as fit on a screen, since the cursor reads all of them."""


@frozen
class _CachedSeries:
    """A cached series."""

    series_key: SeriesKey
    points: ReferenceSeries
    """Points that the x axis shows, including those that `SeriesKey.skip` leaves out."""

    loaded: HistogramSeries
    snapshot_revision: int
    """Revision of the snapshot: later snapshots retry what could not be read."""


class SeriesCache:
    """Caches the series of all views. Used by one thread.

    Args:
        payloads: Reader, decoder and cache of histograms.
        max_steps: See `MAX_CACHED_STEPS`.
        min_tags: See `MIN_CACHED_TAGS`.
    """

    def __init__(self, payloads: Payloads, max_steps: int = MAX_CACHED_STEPS, min_tags: int = MIN_CACHED_TAGS) -> None:
        self._payloads = payloads
        self._max_steps = max_steps
        self._min_tags = min_tags
        self._cards = ShownRunCards(PLUGIN_NAME)
        self._cache: OrderedDict[tuple[str, str], _CachedSeries] = OrderedDict()
        self._steps = 0
        self._view: View | None = None
        self._tag_series: dict[str, TagSeries] = {}
        self._origins: dict[str, int] = {}

    def cards(self, view: View) -> RunCards:
        """Return the cards in order; the same object as long as they are the same."""
        return self._cards.of(view)

    def series(self, view: View, key: str) -> TagSeries:
        """Return the stored series of card `key`: of its run, or of all drawn runs in their order."""
        if view is not self._view:
            self._view, self._tag_series, self._origins = view, {}, {}
        cached = self._tag_series.get(key)
        if cached is None:
            cards = self.cards(view)
            cached = self._tag_series[key] = tuple(view.references(cards.tag_of(key), PLUGIN_NAME, cards.run_of(key)))
        return cached

    def build_load_key(self, view: View, key: str) -> Hashable:
        """Return the cache key of `load` of card `key`: all data and settings that it depends on."""
        settings = view.settings
        series_keys = tuple(
            (series.run, series.revision, run.reading, view.inks[run.name], _get_axis_clock(run, settings))
            for run, series in self.series(view, key)
        )
        tag = self.cards(view).tag_of(key)
        return tag, settings.x_axis, self._get_origin(view, tag), settings.skip_steps, settings.superseded, series_keys

    def load(self, view: View, key: str) -> tuple[HistogramSeries, ...]:
        """Return the series of card `key`: of its run, or of each drawn run that holds one; at least one.

        Unchanged series are the same objects. Reads and decodes what is not cached.

        Raises:
            NothingRecordedError: No drawn run holds a histogram, or all are skipped.
        """
        settings, runs_and_series = view.settings, self.series(view, key)
        if not runs_and_series:
            raise NothingRecordedError("no visible run has a histogram of this tag")
        skip = settings.skip_steps
        unskipped = [
            (run, series)
            for run, series in runs_and_series
            if not skip or get_max_step(select_points(series, settings.x_axis, superseded=settings.superseded)) >= skip
        ]
        if settings.x_axis == "tag":
            unskipped = [(run, series) for run, series in unskipped if _is_on_axis(run, series, settings)]
            if not unskipped:
                raise NothingRecordedError(f"no histogram is at a step of {name_x_axis(settings)}")
        if not unskipped:
            raise NothingRecordedError(f"all histograms are at steps below {skip}, which are skipped")
        origin = self._get_origin(view, self.cards(view).tag_of(key))
        return tuple(
            self._get_series(
                run,
                series,
                SeriesKey(
                    revision=series.revision,
                    reading=run.reading,
                    ink=view.inks[run.name],
                    x_axis=settings.x_axis,
                    origin=origin,
                    skip=skip,
                    superseded=settings.superseded,
                    clock=_get_axis_clock(run, settings),
                ),
                view.snapshot.revision,
            )
            for run, series in unskipped
        )

    def _get_origin(self, view: View, tag: str) -> int:
        """Return the offset from which enormous steps of a tag are counted, the same for all runs."""
        runs_and_series = self.series(view, tag) if view.settings.x_axis == "step" else ()
        if tag not in self._origins:
            self._origins[tag] = step_origin(series.steps for _, series in runs_and_series)
        return self._origins[tag]

    def _get_series(
        self, run: RunSnapshot, series: ReferenceSeries, series_key: SeriesKey, snapshot_revision: int
    ) -> HistogramSeries:
        key = run.name, series.tag
        cached = self._cache.pop(key, None)
        if (
            cached is None
            or cached.series_key != series_key
            or (cached.loaded.errors and cached.snapshot_revision != snapshot_revision)
        ):
            cached = self._load_series(run, series, series_key, snapshot_revision, cached)
        self._cache[key] = cached
        while self._steps > self._max_steps and len(self._cache) > self._min_tags:
            _, gone = self._cache.popitem(last=False)
            self._steps -= len(gone.loaded)
        return cached.loaded

    def _load_series(
        self,
        run: RunSnapshot,
        series: ReferenceSeries,
        series_key: SeriesKey,
        snapshot_revision: int,
        cached: _CachedSeries | None,
    ) -> _CachedSeries:
        points = select_points(series, series_key.x_axis, superseded=series_key.superseded)
        if series_key.x_axis == "tag":
            points = points.part(np.isfinite(compute_x(points, series_key)))
        result = make_series(self._payloads, run, series, points, series_key)
        if (
            cached is not None
            and series_key.is_extension_of(cached.series_key)
            and is_continuation(points, cached.points)
        ):
            result = reuse_statistics(result, cached.loaded)
            if (
                cached.series_key == series_key and result.errors == cached.loaded.errors
            ):  # nothing else can be read by now
                result = cached.loaded
        self._steps += len(result) - (0 if cached is None else len(cached.loaded))
        return _CachedSeries(series_key, points, result, snapshot_revision)


def _get_axis_clock(run: RunSnapshot, settings: Settings) -> RunClock | None:
    has_clock = settings.x_axis in ("relative", "active", "tag")
    return get_clock(run, settings.x_axis, settings.x_tag) if has_clock else None


def _is_on_axis(run: RunSnapshot, series: ReferenceSeries, settings: Settings) -> bool:
    """Return True if a point that is not skipped is at a step of the tag on the x axis."""
    values = get_clock(run, "tag", settings.x_tag).tag_values
    points = select_points(series, "tag", superseded=settings.superseded)
    return values is not None and bool(np.isfinite(values.at(points.steps[points.steps >= settings.skip_steps])).any())
