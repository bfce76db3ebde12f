"""What is worked out of all histograms of a tag once; of those that come later only the new ones are looked at."""

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
from tbtui.maths.domain import axis_span, without_outliers
from tbtui.maths.histograms import iter_blocks, select_rows, value_limits
from tbtui.maths.smoothing import restart_points
from tbtui.maths.statistics import Moments, find_anomaly, moments, quantiles
from tbtui.plugins.histograms.read import histograms_in
from tbtui.plugins.histograms.table import buckets_of
from tbtui.view.cards import ShownRunCards, card_title

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.maths.axes import Scale
    from tbtui.maths.domain import Limits
    from tbtui.maths.histograms import Buckets, Rows
    from tbtui.maths.statistics import Anomaly
    from tbtui.settings.settings import Outliers, XAxis
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.cards import RunCards
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]
    Keys: TypeAlias = npt.NDArray[np.int64]
    Read = Callable[[int], Buckets]
    """All histograms from one on."""
    Steps: TypeAlias = npt.NDArray[np.int64]
    Held: TypeAlias = tuple[tuple[RunSnapshot, ReferenceSeries], ...]
    """Runs and their series of one tag."""

# Which series hold histograms, which of their points are seen, and where these stand on the x axis.


PLUGIN_NAME = "histograms"
"""On disk; Distributions reads the same."""


@frozen
class SeriesRequest:
    """Everything that decides about the points of one tag of one run."""

    revision: int
    reading: int
    """Which reading of the run's files."""

    ink: int
    x_axis: XAxis
    origin: int
    """What enormous steps are counted from."""

    skip: int
    """Points at steps below this are left out."""

    superseded: bool
    """Whether points that a restart superseded are wanted."""

    def grown_from(self, former: SeriesRequest) -> bool:
        """Whether it differs from a former one by nothing but points that have come since."""
        return replace(self, revision=former.revision) == former


def tag_title(series: ReferenceSeries) -> str:
    """The name to show for its tag: the display name when the writer gave one."""
    return visible_name(series.metadata.display_name or card_title(series.tag))


def max_step(series: ReferenceSeries, *, superseded: bool) -> int:
    """The greatest step of a series, superseded ones counted or not."""
    return int(series.steps.max() if superseded else series.steps[-1])


def rows_of(x: npt.NDArray[np.float64], steps: npt.NDArray[np.int64], skip: int) -> Rows:
    """The points at steps that are not skipped, in the order of x."""
    if is_ascending(x) and (not skip or bool(np.all(steps[1:] >= steps[:-1]))):
        return slice(int(np.searchsorted(steps, skip)) if skip else 0, len(x))
    order = np.argsort(x, kind="stable")
    return order[steps[order] >= skip] if skip else order


def x_of(series: ReferenceSeries, current: ReferenceSeries, asked: SeriesRequest) -> npt.NDArray[np.float64]:
    """The x values of all points of a series, of which `current` are those that no restart superseded."""
    if asked.x_axis == "step":
        return step_x(series.steps, asked.origin)
    if asked.x_axis == "wall":
        return wall_x(series.wall_times)
    if series is current:
        return relative_x(series.wall_times)
    return np.asarray(series.wall_times - start_time(current.wall_times))


def restarts_of(series: ReferenceSeries, asked: SeriesRequest) -> tuple[float, ...]:
    """Where the points are on x with which a run went on from an earlier step than it had reached."""
    if series.kept is None:
        return ()
    current = series.current
    found = restart_points(series.steps, current.steps)
    found = found[current.steps[found] >= asked.skip]
    return tuple(x_of(current, current, asked)[found].tolist())


def is_continuation(series: ReferenceSeries, former: ReferenceSeries) -> bool:
    """Whether a series begins with all points of a former one, each from the same place."""
    columns = ((each.steps, each.wall_times, each.files, each.offsets, each.indices) for each in (series, former))
    return len(series) >= len(former) and all(
        bool(np.array_equal(now[: len(then)], then, equal_nan=now.dtype.kind == "f"))
        for now, then in zip(*columns, strict=True)
    )


# How far the values of many histograms reach, and what of that an axis has to show.


OUTLIER_SHARE = 0.01
"""Part of all values, at each end, that may lie far out."""

MIN_AXIS_RATIO = 1.5
"""How many times as long the axis has to be with values far out for them to be left out."""

IGNORED_SHARE = 0.05
"""Part that is left out at each end when outliers are to be ignored: TensorBoard's, of scalars."""

MAX_SAMPLED_HISTOGRAMS = 512
"""Histograms; of more, every so many-th is taken. One that is odd weighs less than may lie far out, then too."""

_BLOCK = 1 << 16
"""Buckets looked at at once."""

_DROPPED = 48
"""Bits of a float that do not matter here: its sign, its exponent and a sixteenth of it do."""

_MAGNITUDE = 2**63 - 1


@frozen(eq=False)
class WeightedEdges:
    """How much weight there is at which places."""

    places: Floats
    """float64[k], ascending."""

    weights: Floats
    """float64[k], above 0."""


@frozen(eq=False)
class ValueRange:
    """How far the values of some histograms reach."""

    limits: Limits | None
    """The least left and the greatest right edge of all buckets that have a count; None without any."""

    lows: WeightedEdges
    """What begins where: left edges, rounded down by a sixteenth at most. Each histogram weighs as much as another."""

    highs: WeightedEdges
    """Likewise what ends where: right edges, rounded up."""


def value_range(buckets: Buckets) -> ValueRange:
    """Look through the histograms; of very many through some that stand for all, but for the least and greatest value.

    Where one bucket holds more than half of a histogram it weighs no more than all others together: of values that are
    nearly all zero it is the others that tell how far they reach.
    """
    limits = value_limits(buckets)
    if limits is None:
        return _NOTHING
    each = -(-len(buckets) // MAX_SAMPLED_HISTOGRAMS)
    rows = np.arange((len(buckets) - 1) % each, len(buckets), each)  # the newest is one of them
    some = buckets if each == 1 else select_rows(buckets, rows)
    found = [_weighed(select_rows(some, block)) for block in iter_blocks(some, _BLOCK)]
    lefts, rights, weights = (np.concatenate(columns) for columns in zip(*found, strict=True))
    if not len(weights):
        return ValueRange(limits, *(WeightedEdges(np.array([end]), np.ones(1)) for end in limits))
    weights *= each
    return ValueRange(limits, _within(_tally(lefts, weights, 0), limits), _within(_tally(rights, weights, 1), limits))


def merged_range(spreads: Sequence[ValueRange]) -> ValueRange:
    """Those of several runs, or of parts of one, as one."""
    known = [spread for spread in spreads if spread.limits is not None]
    if len(known) < 2:
        return known[0] if known else _NOTHING
    ends = [spread.limits for spread in known if spread.limits is not None]
    limits = min(low for low, _ in ends), max(high for _, high in ends)
    return ValueRange(limits, _together([each.lows for each in known]), _together([each.highs for each in known]))


def axis_limits(
    spread: ValueRange,
    everything: Limits | None,
    outliers: Outliers,
    scale: Scale = "linear",
    threshold: float = 1.0,
    *,
    glance: bool = False,
) -> Limits | None:
    """What an axis has to show of values that reach so far.

    `keep` leaves out nothing, `ignore` the outermost twentieth at each end, whatever it is. With `auto` values are left
    out only where the axis would otherwise be more than `series.outliers.FAR_OUT` times as long as 98 of 100 need it:
    one value far out, or one step in hundreds, does not press all others into one row. Then the axis goes on beyond
    these by one and a half times their span, unless that is hardly shorter; most tags lose nothing. All steps count the
    same, however many values they have.

    Args:
        spread: Of all histograms that are drawn.
        everything: The least and the greatest of their values that the scale has a place for; None without any.
        outliers: Which rule.
        scale: Of the axis; on a log scale only edges above 0 count.
        threshold: Of a symlog scale.
        glance: Whether there are so few rows that with `auto` none is spent on the outermost hundredth at each end.

    Returns:
        None when nothing counts.
    """
    lows, highs = (_above_zero(each) if scale == "log" else each for each in (spread.lows, spread.highs))
    if outliers == "keep" or everything is None or not len(highs.places):
        return everything
    lows = lows if len(lows.places) else highs
    most = _inner(lows, highs, IGNORED_SHARE if outliers == "ignore" else OUTLIER_SHARE)
    if outliers == "ignore" or (glance and most[0] < most[1]):
        return most
    shorter = without_outliers(np.concatenate([lows.places, highs.places, everything]), most, scale, threshold)
    if shorter is None or axis_span(everything, scale, threshold) < MIN_AXIS_RATIO * axis_span(
        shorter, scale, threshold
    ):
        return everything
    return shorter


def _weighed(buckets: Buckets) -> tuple[Keys, Keys, Floats]:
    """Keys of both edges of the buckets that have a count, and the weight of each."""
    filled = np.flatnonzero(buckets.counts)
    starts = np.searchsorted(filled, buckets.starts)
    rows = np.flatnonzero(np.diff(starts))
    if not len(rows):
        return _NO_KEYS, _NO_KEYS, np.empty(0)
    sizes = np.diff(starts)[rows]
    weights = buckets.counts[filled] / np.repeat(buckets.totals[rows], sizes)
    fullest = np.maximum.reduceat(weights, starts[rows])
    others = 1.0 - fullest
    over = (weights > 0.5) & np.repeat(others > 0, sizes)
    weights[over] = np.repeat(others, sizes)[over]
    return _keys(buckets.lefts[filled]), _keys(buckets.rights[filled]), weights


def _keys(values: Floats) -> Keys:
    """Numbers that are in order as the values are."""
    bits = values.view(np.int64)
    return (bits ^ ((bits >> 63) & _MAGNITUDE)) >> _DROPPED


def _tally(keys: Keys, weights: Floats, up: int) -> WeightedEdges:
    """Weights by key; the place of one is the least value that has it, or with `up` 1 where the next one begins."""
    first = int(keys.min())
    sums = np.asarray(np.bincount(keys - first, weights), np.float64)
    some = np.flatnonzero(sums)
    ordered = (some + (first + up)) << _DROPPED
    places = (ordered ^ ((ordered >> 63) & _MAGNITUDE)).view(np.float64)
    return WeightedEdges(places, sums[some])


def _within(tally: WeightedEdges, limits: Limits) -> WeightedEdges:
    # Once more by place: limits bring some together, and zero has two signs.
    return _together([WeightedEdges(np.clip(tally.places, *limits), tally.weights)])


def _together(tallies: Sequence[WeightedEdges]) -> WeightedEdges:
    places, where = np.unique(np.concatenate([each.places for each in tallies]), return_inverse=True)
    weights = np.bincount(where, np.concatenate([each.weights for each in tallies]))
    return WeightedEdges(places, np.asarray(weights, np.float64))


def _above_zero(tally: WeightedEdges) -> WeightedEdges:
    first = int(np.searchsorted(tally.places, 0.0, "right"))
    return WeightedEdges(tally.places[first:], tally.weights[first:])


def _inner(lows: WeightedEdges, highs: WeightedEdges, share: float) -> Limits:
    """Between what all but a share of the weight lies, at each end."""
    below, above = np.cumsum(lows.weights), np.cumsum(highs.weights[::-1])
    low = lows.places[np.searchsorted(below, share * below[-1], "right")]
    high = highs.places[::-1][np.searchsorted(above, share * above[-1], "right")]
    return float(min(low, high)), float(max(low, high))


_NO_KEYS = np.empty(0, np.int64)
_EMPTY = WeightedEdges(np.empty(0), np.empty(0))
_NOTHING = ValueRange(None, _EMPTY, _EMPTY)


Value = TypeVar("Value")

_NAMES = ("quantiles", "moments", "value_range", "above_zero")


class CachedStatistics:
    """Figures of n histograms, each worked out when it is first asked for.

    Args:
        read: From which they are.
        count: How many there are.
        former: Figures of the first of them.
    """

    def __init__(self, read: Read, count: int, former: CachedStatistics | None = None) -> None:
        self.count = count
        self.read = read
        # What is known, not whoever knew it: that would be a chain as long as the training.
        self._known: dict[str, tuple[int, Any]] = {} if former is None else former.worked_out()

    def worked_out(self) -> dict[str, tuple[int, Any]]:
        """What is known by name, and of how many histograms."""
        here = {name: (self.count, self.__dict__[name]) for name in _NAMES if name in self.__dict__}
        return {**self._known, **here}

    @cached_property
    def quantiles(self) -> npt.NDArray[np.float64]:
        """See `Recorded`; likewise all others."""
        return self._grown("quantiles", quantiles, lambda known, new: np.concatenate([known, new]))

    @property
    def has_quantiles(self) -> bool:
        """Whether these are worked out already."""
        return "quantiles" in self.__dict__

    @cached_property
    def moments(self) -> Moments:
        """Of each histogram."""
        return self._grown("moments", moments, _appended)

    @cached_property
    def value_range(self) -> ValueRange:
        """Of all of them."""
        return self._grown("value_range", value_range, lambda known, new: merged_range([known, new]))

    @cached_property
    def above_zero(self) -> Limits | None:
        """The least and the greatest edge above 0 of all of them; None without any."""
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
    """Both, as far as there are such."""
    if known is None or new is None:
        return known or new
    return min(known[0], new[0]), max(known[1], new[1])


# What runs have recorded under a tag that holds histograms: the ground of Histograms and of Distributions.


class NothingRecordedError(LookupError):
    """There is nothing to draw; the message says so in a sentence."""


@frozen(slots=False, eq=False)
class HistogramSeries:
    """The histograms of one tag of one run that are to be seen, n of them; at least one.

    Their buckets are not kept here but asked for: they may be hundreds of megabytes, and what holds them is bounded.
    """

    run: str
    """Not yet made safe for a terminal; neither are tag, title, description and reasons."""

    tag: str
    ink: int
    """Series ink of the run."""

    title: str
    """The name to show for the tag: the display name when the writer gave one."""

    description: str
    steps: Steps
    """int64[n], strictly ascending unless superseded ones are among them."""

    wall_times: Floats
    """float64[n], seconds since the epoch."""

    x: Floats
    """float64[n] on the present x axis, ascending (steps and times that go back were put in order); NaN comes last."""

    origin: int
    """What enormous steps are counted from."""

    refused: Mapping[int, str]
    """Index to the reason why that histogram cannot be drawn, one plain sentence."""

    restarts: tuple[float, ...]
    """x of the histograms with which the run went on from an earlier step than it had reached."""

    read: Callable[[], Buckets] = field(repr=False)
    """All histograms of the series."""

    rows: Rows = field(repr=False)
    """Which of them are seen, in the order of x."""

    statistics: CachedStatistics = field(repr=False)
    """What is worked out of them."""

    lineage: object = field(default_factory=object, repr=False)
    """The same as that of another one that this goes on from: the first histograms of both are the same."""

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def buckets(self) -> Buckets:
        """All of them; not to be held on to."""
        return select_rows(self.read(), self.rows)

    def some(self, rows: Rows) -> Buckets:
        """Some of them."""
        held = self.read()
        return select_rows(held, np.arange(len(held))[self.rows][rows])

    @property
    def quantiles(self) -> Floats:
        """float64[n, 9]: the values at TensorBoard's basis points; NaN for what is refused."""
        return self.statistics.quantiles

    @property
    def moments(self) -> Moments:
        """Count, mean, deviation and extremes of each."""
        return self.statistics.moments

    @property
    def value_range(self) -> ValueRange:
        """How far the values of all of them reach."""
        return self.statistics.value_range

    @cached_property
    def lost(self) -> frozenset[int]:
        """Indices of the histograms that are refused because a value in them is NaN or infinite."""
        return frozenset(index for index, reason in self.refused.items() if reason in (HAS_NAN, HAS_INFINITE))

    @cached_property
    def anomaly(self) -> Anomaly | None:
        """What happened to the values by the newest step, if anything."""
        return find_anomaly(self.moments, self.lost)

    def nearest(self, x: float | None) -> int:
        """Index of the histogram nearest to `x` on the x axis; None is the newest.

        Of several at one place it is the latest, of two places as near the first.
        """
        at = self.x[: int(np.searchsorted(self.x, np.inf, "right"))]
        if x is None or not len(at):
            return len(self.x) - 1
        after = min(int(at.searchsorted(x)), len(at) - 1)
        before = max(after - 1, 0)
        near = before if x - at[before] <= at[after] - x else after
        return int(at.searchsorted(at[near], "right")) - 1


def make_series(
    payloads: Payloads, run: RunSnapshot, series: ReferenceSeries, chosen: ReferenceSeries, asked: SeriesRequest
) -> HistogramSeries:
    """What is to be seen of a series, of which some points, or all, are chosen."""

    def read() -> Buckets:
        return buckets_of(histograms_in(payloads, run, chosen))

    refused = histograms_in(payloads, run, chosen).refused
    x = x_of(chosen, series.current, asked)
    rows = rows_of(x, chosen.steps, asked.skip)
    at = np.arange(len(chosen))[rows]
    return HistogramSeries(
        run.name,
        series.tag,
        asked.ink,
        tag_title(series),
        series.metadata.description,
        chosen.steps[rows],
        chosen.wall_times[rows],
        x[rows],
        asked.origin,
        {index: refused[row] for index, row in enumerate(at.tolist()) if row in refused} if refused else {},
        restarts_of(series, asked),
        read,
        rows,
        CachedStatistics(lambda first: select_rows(read(), at[first:] if first else rows), len(at)),
    )


def extend_series(made: HistogramSeries, former: HistogramSeries) -> HistogramSeries:
    """The same, with what was worked out of a former one that it begins with; as it is where it does not."""
    count = len(former)
    in_order = isinstance(made.rows, slice) and isinstance(former.rows, slice)
    if not in_order or {at: why for at, why in made.refused.items() if at < count} != former.refused:
        return made
    return replace(
        made, lineage=former.lineage, statistics=CachedStatistics(made.statistics.read, len(made), former.statistics)
    )


# The histograms of all views shown so far: read when they are asked for, kept while they are the same.


MAX_CACHED_STEPS = 400_000
"""Steps of tags kept for the next look at them, about 150 bytes each; what is longest unseen goes first."""

MIN_CACHED_TAGS = 256
"""Tags of runs kept however many steps they have: as many as are in sight at once, since a cursor looks at all."""


@frozen
class _Kept:
    """What is known of one tag of one run."""

    asked: SeriesRequest
    series: ReferenceSeries
    """All its points that may be seen."""

    loaded: HistogramSeries
    snapshot: int
    """Revision of the snapshot with which it was made: with later ones, what was refused is tried again."""


class SeriesCache:
    """The histograms of all views shown so far. Used by one thread.

    Args:
        payloads: Reads and decodes them, and keeps what it has decoded.
        most_steps: How many are kept to be drawn again, figures only.
        least_tags: As `LEAST_TAGS`.
    """

    def __init__(
        self, payloads: Payloads, most_steps: int = MAX_CACHED_STEPS, least_tags: int = MIN_CACHED_TAGS
    ) -> None:
        self._payloads = payloads
        self._most_steps = most_steps
        self._least_tags = least_tags
        self._cards = ShownRunCards(PLUGIN_NAME)
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
        self._steps = 0
        self._view: View | None = None
        self._held: dict[str, Held] = {}
        self._origins: dict[str, int] = {}

    def cards(self, view: View) -> RunCards:
        """Which cards there are, in order; the same object as long as they are the same."""
        return self._cards.of(view)

    def series(self, view: View, key: str) -> Held:
        """What card `key` shows that holds anything: the series of its run, or of all drawn runs in their order."""
        if view is not self._view:
            self._view, self._held, self._origins = view, {}, {}
        known = self._held.get(key)
        if known is None:
            cards = self.cards(view)
            known = self._held[key] = tuple(view.references(cards.tag_of(key), PLUGIN_NAME, cards.run_of(key)))
        return known

    def look(self, view: View, key: str) -> Hashable:
        """Everything that `load` of card `key` depends on."""
        choices = view.choices
        held = tuple(
            (series.run, series.revision, run.reading, view.inks[run.name]) for run, series in self.series(view, key)
        )
        tag = self.cards(view).tag_of(key)
        return tag, choices.x_axis, self._origin(view, tag), choices.skip_steps, choices.superseded, held

    def load(self, view: View, key: str) -> tuple[HistogramSeries, ...]:
        """The histograms of card `key`: of its run, or of every drawn run that holds some; at least one.

        The same objects as long as they are the same. Reads and decodes what is not kept.

        Raises:
            NothingRecordedError: No drawn run holds a histogram of it, or all are skipped.
        """
        choices, held = view.choices, self.series(view, key)
        if not held:
            raise NothingRecordedError("no run that is shown holds a histogram of this tag")
        skip = choices.skip_steps
        unskipped = [
            (run, series) for run, series in held if not skip or max_step(series, superseded=choices.superseded) >= skip
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
                    choices.x_axis,
                    origin,
                    skip,
                    choices.superseded,
                ),
                view.snapshot.revision,
            )
            for run, series in unskipped
        )

    def _origin(self, view: View, tag: str) -> int:
        """What enormous steps of a tag are counted from, the same for all its runs."""
        held = self.series(view, tag) if view.choices.x_axis == "step" else ()
        if tag not in self._origins:
            self._origins[tag] = step_origin(series.steps for _, series in held)
        return self._origins[tag]

    def _recorded(
        self, run: RunSnapshot, series: ReferenceSeries, asked: SeriesRequest, snapshot: int
    ) -> HistogramSeries:
        key = run.name, series.tag
        known = self._kept.pop(key, None)
        if known is None or known.asked != asked or (known.loaded.refused and known.snapshot != snapshot):
            known = self._made(run, series, asked, snapshot, known)
        self._kept[key] = known
        while self._steps > self._most_steps and len(self._kept) > self._least_tags:
            _, gone = self._kept.popitem(last=False)
            self._steps -= len(gone.loaded)
        return known.loaded

    def _made(
        self, run: RunSnapshot, series: ReferenceSeries, asked: SeriesRequest, snapshot: int, known: _Kept | None
    ) -> _Kept:
        chosen = series if asked.superseded else series.current
        made = make_series(self._payloads, run, series, chosen, asked)
        if known is not None and asked.grown_from(known.asked) and is_continuation(chosen, known.series):
            made = extend_series(made, known.loaded)
            if known.asked == asked and made.refused == known.loaded.refused:  # nothing else can be read by now
                made = known.loaded
        self._steps += len(made) - (0 if known is None else len(known.loaded))
        return _Kept(asked, chosen, made, snapshot)
