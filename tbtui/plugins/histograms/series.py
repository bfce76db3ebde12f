"""Series of histograms with cached statistics, shared by the Histograms and the Distributions tab.

Statistics are computed once; when a series grows, only its new histograms are read.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from tbtui.charts.text import visible_name
from tbtui.events.histogram import HAS_INFINITE, HAS_NAN
from tbtui.frozen import frozen
from tbtui.maths.axes import relative_x, start_time, step_origin, step_x, wall_x
from tbtui.maths.decimate import is_ascending
from tbtui.maths.histograms import filled_ends, select_rows, value_limits
from tbtui.maths.smoothing import lasting_restarts
from tbtui.maths.statistics import Moments, find_anomaly, moments, quantiles
from tbtui.plugins.histograms.read import histograms_in
from tbtui.plugins.histograms.table import buckets_of
from tbtui.plugins.histograms.value_range import ValueRange, merged_range, value_range
from tbtui.view.cards import ShownRunCards, card_title

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.maths.domain import Limits
    from tbtui.maths.histograms import Buckets, Rows
    from tbtui.maths.statistics import Anomaly
    from tbtui.settings.settings import XAxis
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.cards import RunCards
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]
    Keys: TypeAlias = npt.NDArray[np.int64]
    Read = Callable[[int], Buckets]
    """All histograms from one on."""
    Steps: TypeAlias = npt.NDArray[np.int64]
    TagSeries: TypeAlias = tuple[tuple[RunSnapshot, ReferenceSeries], ...]
    """Runs and their series of one tag."""


PLUGIN_NAME = "histograms"
"""Name of the plugin on disk; the Distributions tab reads the same."""


@frozen
class SeriesRequest:
    """Everything that decides about the points of one tag of one run."""

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
    """True if points that a restart superseded are drawn."""

    def grown_from(self, former: SeriesRequest) -> bool:
        """Return True if nothing but new points distinguishes the request from a former one."""
        return replace(self, revision=former.revision) == former


def tag_title(series: ReferenceSeries) -> str:
    """Return the display name of a tag, or else the tag."""
    return visible_name(series.metadata.display_name or card_title(series.tag))


def max_step(series: ReferenceSeries, *, superseded: bool) -> int:
    """Return the greatest step of a series, with or without superseded points."""
    return int(series.steps.max() if superseded else series.steps[-1])


def rows_of(x: npt.NDArray[np.float64], steps: npt.NDArray[np.int64], skip: int) -> Rows:
    """Return the points that are not skipped, in the order of x."""
    if is_ascending(x) and (not skip or bool(np.all(steps[1:] >= steps[:-1]))):
        return slice(int(np.searchsorted(steps, skip)) if skip else 0, len(x))
    order = np.argsort(x, kind="stable")
    return order[steps[order] >= skip] if skip else order


def x_of(series: ReferenceSeries, current: ReferenceSeries, request: SeriesRequest) -> npt.NDArray[np.float64]:
    """Return the x values of all points of a series; `current` holds those that no restart superseded."""
    if request.x_axis == "step":
        return step_x(series.steps, request.origin)
    if request.x_axis == "wall":
        return wall_x(series.wall_times)
    if series is current:
        return relative_x(series.wall_times)
    return np.asarray(series.wall_times - start_time(current.wall_times))


def restarts_of(series: ReferenceSeries, request: SeriesRequest) -> tuple[float, ...]:
    """Return the x values of the first points after a restart at an earlier step."""
    if series.kept is None:
        return ()
    current = series.current
    restarts = lasting_restarts(series.steps, series.kept)
    found = np.searchsorted(current.steps, restarts[restarts >= request.skip])
    return tuple(x_of(current, current, request)[found].tolist())


def is_continuation(series: ReferenceSeries, former: ReferenceSeries) -> bool:
    """Return True if a series begins with all points of a former one, each at the same place in its file."""
    columns = ((each.steps, each.wall_times, each.files, each.offsets, each.indices) for each in (series, former))
    return len(series) >= len(former) and all(
        bool(np.array_equal(now[: len(then)], then, equal_nan=now.dtype.kind == "f"))
        for now, then in zip(*columns, strict=True)
    )


Value = TypeVar("Value")

_NAMES = ("quantiles", "moments", "value_range", "above_zero")


def drawn_quantiles(buckets: Buckets) -> Floats:
    """Return TensorBoard's quantiles of each histogram, float64[n, 9].

    If one bucket holds all values, nothing between its edges is known, and the inner quantiles are the mean: a fan with
    quantiles interpolated within the bucket would show a uniform distribution that was never measured.
    """
    values = quantiles(buckets)
    rows, first, last = filled_ends(buckets)
    alone = rows[(first == last) & (buckets.lefts[first] < buckets.rights[first])]
    if len(alone):
        values[alone, 1:-1] = moments(select_rows(buckets, alone)).mean[:, None]
    return values


class CachedStatistics:
    """Statistics of n histograms, computed when they are first needed.

    Args:
        read: Returns all histograms from an index on.
        count: Number of histograms.
        former: Statistics of the first of them.
    """

    def __init__(self, read: Read, count: int, former: CachedStatistics | None = None) -> None:
        self.count = count
        self.read = read
        # The statistics, not the former object: that would be a chain as long as the training.
        self._known: dict[str, tuple[int, Any]] = {} if former is None else former.worked_out()

    def worked_out(self) -> dict[str, tuple[int, Any]]:
        """Return computed statistics by name, with their number of histograms."""
        here = {name: (self.count, self.__dict__[name]) for name in _NAMES if name in self.__dict__}
        return {**self._known, **here}

    @cached_property
    def quantiles(self) -> npt.NDArray[np.float64]:
        """See `HistogramSeries`, as for all properties."""
        return self._grown("quantiles", drawn_quantiles, lambda known, new: np.concatenate([known, new]))

    @property
    def has_quantiles(self) -> bool:
        """True if the quantiles are computed."""
        return "quantiles" in self.__dict__

    @cached_property
    def moments(self) -> Moments:
        return self._grown("moments", moments, _appended)

    @cached_property
    def value_range(self) -> ValueRange:
        return self._grown("value_range", value_range, lambda known, new: merged_range([known, new]))

    @cached_property
    def above_zero(self) -> Limits | None:
        """Least and greatest edge above 0 of all histograms; None without one."""
        return self._grown("above_zero", lambda buckets: value_limits(buckets, "log"), _around)

    def _grown(self, name: str, look: Callable[[Buckets], Value], add: Callable[[Value, Value], Value]) -> Value:
        if name not in self._known:
            return look(self.read(0))
        count, known = self._known.pop(name)
        return add(known, look(self.read(count))) if self.count > count else known


def _appended(known: Moments, new: Moments) -> Moments:
    columns = (np.concatenate([getattr(each, column.name) for each in (known, new)]) for column in fields(Moments))
    return Moments(*columns)


def _around(known: Limits | None, new: Limits | None) -> Limits | None:
    """Return limits that include both."""
    if known is None or new is None:
        return known or new
    return min(known[0], new[0]), max(known[1], new[1])


class NothingRecordedError(LookupError):
    """There is nothing to draw; the message is a sentence for users."""


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

    refused: Mapping[int, str]
    """Reasons why histograms cannot be drawn, by index, one plain sentence each."""

    restarts: tuple[float, ...]
    """x of the first histograms after a restart at an earlier step."""

    read: Callable[[], Buckets] = field(repr=False)
    """Returns all histograms of the series."""

    rows: Rows = field(repr=False)
    """Indices of the visible ones, in the order of x."""

    statistics: CachedStatistics = field(repr=False)
    """Statistics of the visible histograms."""

    lineage: object = field(default_factory=object, repr=False)
    """Identity shared by versions of a series with an unchanged prefix, so that caches extend instead of recomputing.
    """

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def buckets(self) -> Buckets:
        """All visible histograms; callers must not keep them."""
        return select_rows(self.read(), self.rows)

    def some(self, rows: Rows) -> Buckets:
        """Return some of the histograms."""
        histograms = self.read()
        return select_rows(histograms, np.arange(len(histograms))[self.rows][rows])

    @property
    def quantiles(self) -> Floats:
        """float64[n, 9]: values as of `drawn_quantiles`; NaN for a histogram that cannot be drawn."""
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
        return value in (self.moments.least[index], self.moments.greatest[index])

    @cached_property
    def lost(self) -> frozenset[int]:
        """Indices of the histograms with a NaN or infinite value."""
        return frozenset(index for index, reason in self.refused.items() if reason in (HAS_NAN, HAS_INFINITE))

    @cached_property
    def anomaly(self) -> Anomaly | None:
        """Anomaly of the values at the newest step; None without one."""
        return find_anomaly(self.moments, self.lost)

    def nearest(self, x: float | None) -> int:
        """Return the index of the histogram nearest to `x` on the x axis; None: the newest.

        Of several at one x it is the latest, of two equally near ones the first.
        """
        at = self.x[: int(np.searchsorted(self.x, np.inf, "right"))]
        if x is None or not len(at):
            return len(self.x) - 1
        after = min(int(at.searchsorted(x)), len(at) - 1)
        before = max(after - 1, 0)
        near = before if x - at[before] <= at[after] - x else after
        return int(at.searchsorted(at[near], "right")) - 1


def make_series(
    payloads: Payloads, run: RunSnapshot, series: ReferenceSeries, chosen: ReferenceSeries, request: SeriesRequest
) -> HistogramSeries:
    """Return the visible part of a series; `chosen` holds some or all of its points."""

    def read() -> Buckets:
        return buckets_of(histograms_in(payloads, run, chosen))

    refused = histograms_in(payloads, run, chosen).refused
    x = x_of(chosen, series.current, request)
    rows = rows_of(x, chosen.steps, request.skip)
    at = np.arange(len(chosen))[rows]
    return HistogramSeries(
        run.name,
        series.tag,
        request.ink,
        tag_title(series),
        series.metadata.description,
        chosen.steps[rows],
        chosen.wall_times[rows],
        x[rows],
        request.origin,
        {index: refused[row] for index, row in enumerate(at.tolist()) if row in refused} if refused else {},
        restarts_of(series, request),
        read,
        rows,
        CachedStatistics(lambda first: select_rows(read(), at[first:] if first else rows), len(at)),
    )


def extend_series(series: HistogramSeries, former: HistogramSeries) -> HistogramSeries:
    """Return a series with the statistics of a former version that it begins with; unchanged if it does not."""
    count = len(former)
    in_order = isinstance(series.rows, slice) and isinstance(former.rows, slice)
    if not in_order or {at: why for at, why in series.refused.items() if at < count} != former.refused:
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

    request: SeriesRequest
    series: ReferenceSeries
    """All visible points."""

    loaded: HistogramSeries
    snapshot: int
    """Revision of its snapshot: later snapshots retry what could not be read."""


class SeriesCache:
    """Series of all views drawn so far. Used by one thread.

    Args:
        payloads: Reader, decoder and cache of histograms.
        most_steps: See `MAX_CACHED_STEPS`.
        least_tags: See `MIN_CACHED_TAGS`.
    """

    def __init__(
        self, payloads: Payloads, most_steps: int = MAX_CACHED_STEPS, least_tags: int = MIN_CACHED_TAGS
    ) -> None:
        self._payloads = payloads
        self._most_steps = most_steps
        self._least_tags = least_tags
        self._cards = ShownRunCards(PLUGIN_NAME)
        self._cache: OrderedDict[tuple[str, str], _CachedSeries] = OrderedDict()
        self._steps = 0
        self._view: View | None = None
        self._held: dict[str, TagSeries] = {}
        self._origins: dict[str, int] = {}

    def cards(self, view: View) -> RunCards:
        """Return the cards in order; the same object as long as they are the same."""
        return self._cards.of(view)

    def series(self, view: View, key: str) -> TagSeries:
        """Return the stored series of card `key`: of its run, or of all drawn runs in their order."""
        if view is not self._view:
            self._view, self._held, self._origins = view, {}, {}
        known = self._held.get(key)
        if known is None:
            cards = self.cards(view)
            known = self._held[key] = tuple(view.references(cards.tag_of(key), PLUGIN_NAME, cards.run_of(key)))
        return known

    def look(self, view: View, key: str) -> Hashable:
        """Return everything that `load` of card `key` depends on."""
        settings = view.settings
        series_keys = tuple(
            (series.run, series.revision, run.reading, view.inks[run.name]) for run, series in self.series(view, key)
        )
        tag = self.cards(view).tag_of(key)
        return tag, settings.x_axis, self._origin(view, tag), settings.skip_steps, settings.superseded, series_keys

    def load(self, view: View, key: str) -> tuple[HistogramSeries, ...]:
        """Return the series of card `key`: of its run, or of each drawn run that holds one; at least one.

        Unchanged series are the same objects. Reads and decodes what is not cached.

        Raises:
            NothingRecordedError: No drawn run holds a histogram, or all are skipped.
        """
        settings, runs_and_series = view.settings, self.series(view, key)
        if not runs_and_series:
            raise NothingRecordedError("no run that is shown holds a histogram of this tag")
        skip = settings.skip_steps
        unskipped = [
            (run, series)
            for run, series in runs_and_series
            if not skip or max_step(series, superseded=settings.superseded) >= skip
        ]
        if not unskipped:
            raise NothingRecordedError(f"all histograms are at steps below {skip}, which are skipped")
        origin = self._origin(view, self.cards(view).tag_of(key))
        return tuple(
            self._recorded(
                run,
                series,
                SeriesRequest(
                    series.revision,
                    run.reading,
                    view.inks[run.name],
                    settings.x_axis,
                    origin,
                    skip,
                    settings.superseded,
                ),
                view.snapshot.revision,
            )
            for run, series in unskipped
        )

    def _origin(self, view: View, tag: str) -> int:
        """Return the step that enormous steps of a tag are counted from, the same for all runs."""
        runs_and_series = self.series(view, tag) if view.settings.x_axis == "step" else ()
        if tag not in self._origins:
            self._origins[tag] = step_origin(series.steps for _, series in runs_and_series)
        return self._origins[tag]

    def _recorded(
        self, run: RunSnapshot, series: ReferenceSeries, request: SeriesRequest, snapshot: int
    ) -> HistogramSeries:
        key = run.name, series.tag
        known = self._cache.pop(key, None)
        if known is None or known.request != request or (known.loaded.refused and known.snapshot != snapshot):
            known = self._load_series(run, series, request, snapshot, known)
        self._cache[key] = known
        while self._steps > self._most_steps and len(self._cache) > self._least_tags:
            _, gone = self._cache.popitem(last=False)
            self._steps -= len(gone.loaded)
        return known.loaded

    def _load_series(
        self,
        run: RunSnapshot,
        series: ReferenceSeries,
        request: SeriesRequest,
        snapshot: int,
        known: _CachedSeries | None,
    ) -> _CachedSeries:
        chosen = series if request.superseded else series.current
        recorded = make_series(self._payloads, run, series, chosen, request)
        if known is not None and request.grown_from(known.request) and is_continuation(chosen, known.series):
            recorded = extend_series(recorded, known.loaded)
            if known.request == request and recorded.refused == known.loaded.refused:  # nothing else can be read by now
                recorded = known.loaded
        self._steps += len(recorded) - (0 if known is None else len(known.loaded))
        return _CachedSeries(request, chosen, recorded, snapshot)
