"""History of a run: restarts, silences and skipped steps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from operator import itemgetter, lt
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, overload

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.decimate import is_strictly_ascending
from tbtui.run_health.pace import MAX_SHORT_VALUES, MIN_REGULAR_WRITES, MIN_STALL_INTERVALS, MIN_STALL_SECONDS
from tbtui.store.run_series import ScalarEnds, get_plain_table, list_other_series
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.store.scalar_table import ScalarTable
    from tbtui.store.snapshot import RunSnapshot, Series

    Floats: TypeAlias = npt.NDArray[np.float64]

MISSED_STRIDES = 10
"""Steps are missing if a stride is longer than this many usual ones."""

MAX_LISTED = 100
"""Maximum number of restarts (the first) and of gaps of each kind (the longest) that are listed."""

MAX_DESCENTS = 100_000
"""Maximum number of restarts of a tag that are read, the first ones: a tag that restarts its count in every epoch has
many."""

GapKind: TypeAlias = Literal["silence", "steps"]


@frozen
class Restart:
    """A run continued from an earlier step than it had reached."""

    from_step: int
    """Greatest step that one of its tags had reached."""

    to_step: int
    """Smallest step from which one of them continued."""

    wall_time: float
    """Time of the first value after it, seconds since the epoch."""

    tags: int
    """Number of tags that went back: few of many if only these restart their count."""


class Gap(NamedTuple):
    """A time or a range of steps without the expected values."""

    kind: GapKind
    """`silence`: no value of any tag for a long time. `steps`: skipped steps."""

    after_step: int
    before_step: int
    """Steps of the values at both ends, in the main tag of the run."""

    after_wall_time: float
    before_wall_time: float
    """Wall times of the values at both ends, seconds since the epoch."""

    @property
    def seconds(self) -> float:
        """Return its duration."""
        return self.before_wall_time - self.after_wall_time

    @property
    def steps(self) -> int:
        """Return the distance of both ends in steps."""
        return self.before_step - self.after_step


_AFTER_STEP, _AFTER_WALL_TIME = map(Gap._fields.index, ("after_step", "after_wall_time"))


class Gaps(Sequence[Gap]):
    """Gaps as columns: a run of many files has a silence between any two, which need not become objects."""

    __slots__ = ("columns",)

    def __init__(self, *columns: Sequence[GapKind] | Sequence[int] | Sequence[float]) -> None:
        """Create the gaps from a column for each field of `Gap`, in the order of the fields; none without gaps."""
        self.columns = columns

    @classmethod
    def of(cls, gaps: Sequence[Gap]) -> Gaps:
        """Return the same gaps as columns."""
        return gaps if isinstance(gaps, Gaps) else cls(*zip(*gaps, strict=True))

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def __iter__(self) -> Iterator[Gap]:
        return map(Gap, *self.columns) if self.columns else iter(())

    @overload
    def __getitem__(self, index: int) -> Gap: ...
    @overload
    def __getitem__(self, index: slice) -> Gaps: ...
    def __getitem__(self, index: int | slice) -> Gap | Gaps:
        if isinstance(index, slice):
            return Gaps(*(column[index] for column in self.columns))
        if not self.columns:
            raise IndexError(index)
        return Gap(*(column[index] for column in self.columns))  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Gaps) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))


NO_GAPS = Gaps()


@frozen
class History:
    """Restarts and gaps of one run."""

    restarts: tuple[Restart, ...] = ()
    """In order of time; the first `MAX_LISTED`."""

    restart_count: int = 0
    """Number of all restarts."""

    gaps: Gaps = NO_GAPS
    """In order of time; the longest `MAX_LISTED` of each kind."""

    gap_count: int = 0
    """Number of all gaps."""


def find_uneven_series(run: RunSnapshot) -> list[Series]:
    """Return the series whose steps do not always increase: they went back, or logged a step twice."""
    several = [series for series in list_other_series(run.series) if series.steps.size > 1]
    uneven: list[Series] = []
    if several:
        is_uneven = ~is_strictly_ascending([series.steps for series in several])
        uneven = [several[index] for index in np.flatnonzero(is_uneven).tolist()]
    table = get_plain_table(run.series)
    if table is not None and not bool(table.is_ascending.all()):
        uneven += [run.series[table.tags.names[number]] for number in np.flatnonzero(~table.is_ascending).tolist()]
    return uneven


def find_history(run: RunSnapshot, uneven: Sequence[Series]) -> History:
    """Return the history of a run with its `find_uneven_series`.

    The restarts of several tags at the same time are one restart: a new one begins when a tag goes back that has
    already gone back in this one.

    Gaps are searched in the main tag, the longest scalar. A silence lasts longer than `MIN_STALL_SECONDS` and than
    `MIN_STALL_INTERVALS` times the usual time between two values (nine in ten are no longer), and no other tag wrote in
    it. Steps are skipped if two current values are more than `MISSED_STRIDES` usual strides apart. A tag of fewer than
    `MIN_REGULAR_WRITES` values gives neither.
    """
    restarts = _find_restarts(uneven)
    gaps, others = _find_gaps(run)
    return History(tuple(restarts[:MAX_LISTED]), len(restarts), _list_in_order(gaps), len(gaps) + others)


def _find_restarts(series: Sequence[Series]) -> list[Restart]:
    """Return the restarts of tags whose steps do not always increase, one for simultaneous descents."""
    tags: list[npt.NDArray[np.intp]] = []
    columns: list[Floats] = []
    reached: list[npt.NDArray[np.int64]] = []
    for number, each in enumerate(series):
        back = each.restart_indices[:MAX_DESCENTS]
        if len(back):
            tags.append(np.full(len(back), number, np.intp))
            columns.append(np.array([each.wall_times[back], back], np.float64))
            reached.append(np.maximum.reduceat(each.steps[: back[-1]], [0, *back[:-1].tolist()]))
    if not columns:
        return []
    tag_numbers, (times, indices), greatest = (
        np.concatenate(tags),
        np.concatenate(columns, axis=1),
        np.concatenate(reached),
    )
    restarts: list[Restart] = []
    gone_back: set[int] = set()
    for index in np.argsort(times, kind="stable")[:MAX_DESCENTS].tolist():
        tag, position = int(tag_numbers[index]), int(indices[index])
        before, after = int(greatest[index]), int(series[tag].steps[position])
        if restarts and tag not in gone_back:
            last = restarts[-1]
            restarts[-1] = Restart(
                max(last.from_step, before), min(last.to_step, after), last.wall_time, len(gone_back) + 1
            )
        else:
            gone_back.clear()
            restarts.append(Restart(before, after, float(times[index]), 1))
        gone_back.add(tag)
    return restarts


def _find_gaps(run: RunSnapshot) -> tuple[Sequence[Gap], int]:
    """Return gaps, and the number of shorter ones that are not listed."""
    table = get_plain_table(run.series)
    if table is None:
        scalars = [series for series in run.series.values() if isinstance(series, ScalarSeries) and len(series)]
        main = ScalarEnds.of_series(scalars).longest
    else:
        main = ScalarEnds.of_table(table, run.series).longest
    if main is None or len(main) < MIN_REGULAR_WRITES:
        return [], 0
    silences, less_silent = _find_silences(main, run)
    left_out, less_left_out = _count_left_out(main.current)
    return [*silences, *left_out] if left_out else silences, less_silent + less_left_out


def _compute_usual_length(lengths: Floats) -> float:
    """Return the length that nine in ten do not exceed; 0 without any."""
    counted = lengths[(lengths > 0) & np.isfinite(lengths)]
    counted.sort()  # numpy 2.4 partitions equal values, as most of these are, ten times slower than it sorts them
    return counted.item((len(counted) - 1) * 9 // 10) if len(counted) else 0.0


def _find_silences(main: ScalarSeries, run: RunSnapshot) -> tuple[Sequence[Gap], int]:
    times = main.wall_times
    if times.item(-1) - times.item(0) <= MIN_STALL_SECONDS and bool((times[1:] >= times[:-1]).all()):
        return [], 0  # as of most runs of a search: no part of it is longer than the whole
    with np.errstate(over="ignore", invalid="ignore"):  # wall times may be anything, infinite too
        seconds = times[1:] - times[:-1]
    patience = max(MIN_STALL_SECONDS, MIN_STALL_INTERVALS * _compute_usual_length(seconds))
    positions = np.flatnonzero((seconds > patience) & np.isfinite(seconds))
    if not len(positions):
        return [], 0
    chosen = _find_longest(seconds, positions)
    table = get_plain_table(run.series)
    if table is not None and table.has_finite_ascending_times:
        others = [series.wall_times for series in list_other_series(run.series)]
        if not others and _have_equal_times(table, times):
            gaps = np.sort(chosen)
            return _make_silences(main, gaps, times[gaps], times[gaps + 1]), max(len(positions) - MAX_LISTED, 0)
        if all(bool((each[1:] >= each[:-1]).all()) for each in others):
            silences = _find_ascending_silences(main, np.concatenate((table.wall_times, *others)), chosen, patience)
            return silences, max(len(positions) - MAX_LISTED, 0)
    return _find_any_silences(main, run, chosen, patience), max(len(positions) - MAX_LISTED, 0)


def _have_equal_times(table: ScalarTable, times: Floats) -> bool:
    """Return True if each tag of a table has the wall times `times`: most programs log all tags together."""
    if bool((table.lengths != len(times)).any()):
        return False
    return bool((table.wall_times.reshape(-1, len(times)) == times).all())


def _find_ascending_silences(main: ScalarSeries, times: Floats, chosen: npt.NDArray[np.intp], patience: float) -> Gaps:
    """Return the silences within some gaps of the main tag, whose times ascend.

    Args:
        main: The main tag.
        times: Wall times of all tags, its own among them, in any order.
        chosen: Indices of the values before the gaps, the longest gap first.
        patience: Minimum duration of a silence in seconds.
    """
    ordered = np.sort(times, kind="stable")  # which merges the times of the tags, each of which ascends
    positions = np.flatnonzero(ordered[1:] - ordered[:-1] > patience)
    starts, ends = ordered[positions], ordered[positions + 1]
    # Silences do not overlap, and none contains a value of the main tag: each is within one gap of it or none.
    gaps = np.searchsorted(main.wall_times, starts, "right") - 1
    ranks = np.full(len(main) + 1, -1)
    ranks[chosen] = np.arange(len(chosen))
    rank_of = ranks[gaps]
    order = np.flatnonzero(rank_of >= 0)
    if len(order) > MAX_LISTED:  # otherwise all of them are listed, in order of time
        order = order[np.argsort(rank_of[order], kind="stable")]
    return _make_silences(main, gaps[order], starts[order], ends[order])


def _make_silences(main: ScalarSeries, gaps: npt.NDArray[np.intp], starts: Floats, ends: Floats) -> Gaps:
    """Return silences from `starts` to `ends` within gaps of the main tag, the indices of the values before them."""
    columns = main.steps[gaps], main.steps[gaps + 1], starts, ends
    kinds: list[GapKind] = ["silence"] * len(gaps)
    return Gaps(kinds, *(column.tolist() for column in columns))


def _find_any_silences(
    main: ScalarSeries, run: RunSnapshot, chosen: npt.NDArray[np.intp], patience: float
) -> list[Gap]:
    """Return the same as `_find_ascending_silences` for wall times that may be in any order."""
    clocks = [_Clock(series.wall_times) for series in run.series.values() if series.steps.size]
    silences: list[Gap] = []
    starts, ends = main.wall_times[chosen], main.wall_times[chosen + 1]
    is_busy = np.zeros(len(chosen), np.bool_)
    for clock in clocks:
        is_busy |= clock.may_be_within(starts, ends)
    steps = main.steps[chosen].tolist(), main.steps[chosen + 1].tolist()
    for after, before, start, end, busy in zip(*steps, starts.tolist(), ends.tolist(), is_busy.tolist(), strict=True):
        if not busy:
            silences.append(Gap("silence", after, before, start, end))
            continue
        times = np.unique(np.concatenate(([start, end], *(clock.within(start, end) for clock in clocks))))
        silences += [
            Gap("silence", after, before, float(times[position]), float(times[position + 1]))
            for position in np.flatnonzero(np.diff(times) > patience).tolist()
        ]
    return silences


class _Clock:
    """Wall times of a series."""

    def __init__(self, times: Floats) -> None:
        self._times = times
        self._ascends = bool((times[1:] >= times[:-1]).all())

    def may_be_within(self, starts: Floats, ends: Floats) -> npt.NDArray[np.bool_]:
        """Return True for each gap if a time may be after its start and before its end, bool[gaps]."""
        if not self._ascends:
            return np.ones(len(starts), np.bool_)
        return np.searchsorted(self._times, starts, "right") < np.searchsorted(self._times, ends, "left")

    def within(self, start: float, end: float) -> Floats:
        """Return times after `start` and before `end`."""
        times = self._times
        if self._ascends:
            return times[np.searchsorted(times, start, "right") : np.searchsorted(times, end, "left")]
        return times[(times > start) & (times < end)]


def _count_left_out(main: ScalarSeries) -> tuple[list[Gap], int]:
    if len(main) <= MAX_SHORT_VALUES:
        listed = list(map(float, main.steps.tolist()))
        short = [after - before for before, after in pairwise(listed)]
        if short and 0 < max(short) <= MISSED_STRIDES * min(short):
            return [], 0
    steps = main.steps.astype(np.float64)  # steps may be as far apart as integers reach
    strides = steps[1:] - steps[:-1]
    if len(strides) and 0 < strides.max() <= MISSED_STRIDES * strides.min():
        return [], 0
    positions = np.flatnonzero(strides > MISSED_STRIDES * _compute_usual_length(strides))
    ranges: list[Gap] = []
    for position in _find_longest(strides, positions).tolist():
        ends = slice(position, position + 2)
        ranges.append(Gap("steps", *map(int, main.steps[ends]), *map(float, main.wall_times[ends])))
    return ranges, max(len(positions) - MAX_LISTED, 0)


def _find_longest(lengths: Floats, positions: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return the positions of the longest gaps, the longest first."""
    return positions[np.argsort(-lengths[positions], kind="stable")[:MAX_LISTED]]


def _list_in_order(gaps: Sequence[Gap]) -> Gaps:
    """Return the longest gaps of each kind in order of time."""
    if isinstance(gaps, Gaps) and len(gaps) <= MAX_LISTED:
        times = gaps.columns[_AFTER_WALL_TIME]
        if all(map(lt, times, islice(times, 1, None))):
            return gaps
    return Gaps.of(sorted(_select_longest(gaps), key=itemgetter(_AFTER_WALL_TIME, _AFTER_STEP)))


def _select_longest(gaps: Sequence[Gap]) -> list[Gap]:
    """Return the longest gaps of each kind."""
    if len(gaps) <= MAX_LISTED:
        return list(gaps)
    silences = sorted((gap for gap in gaps if gap.kind == "silence"), key=lambda gap: -gap.seconds)
    steps = sorted((gap for gap in gaps if gap.kind == "steps"), key=lambda gap: -gap.steps)
    return silences[:MAX_LISTED] + steps[:MAX_LISTED]
