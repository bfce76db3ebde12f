"""History of a run: restarts, silences and skipped steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.decimate import is_strictly_ascending
from tbtui.run_health.pace import MIN_REGULAR_WRITES, MIN_STALL_INTERVALS, MIN_STALL_SECONDS
from tbtui.store.scalar_table import ScalarEnds, other_series, plain_table
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

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


@frozen
class Gap:
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


@frozen
class History:
    """Restarts and gaps of one run."""

    restarts: tuple[Restart, ...] = ()
    """In order of time; the first `MAX_LISTED`."""

    restart_count: int = 0
    """Number of all restarts."""

    gaps: tuple[Gap, ...] = ()
    """In order of time; the longest `MAX_LISTED` of each kind."""

    gap_count: int = 0
    """Number of all gaps."""


def uneven_series(run: RunSnapshot) -> list[Series]:
    """Return the series whose steps do not always increase: they went back, or logged a step twice."""
    nonempty_series = [series for series in other_series(run.series) if series.steps.size]
    uneven = [
        nonempty_series[index]
        for index in np.flatnonzero(~is_strictly_ascending([series.steps for series in nonempty_series])).tolist()
    ]
    table = plain_table(run.series)
    if table is not None:
        uneven += [run.series[table.tags.names[number]] for number in np.flatnonzero(~table.is_ascending).tolist()]
    return uneven


def run_history(run: RunSnapshot, uneven: Sequence[Series]) -> History:
    """Return the history of a run with its `uneven_series`.

    The restarts of several tags at the same time are one restart: a new one begins when a tag goes back that has
    already gone back in this one.

    Gaps are searched in the main tag, the longest scalar. A silence lasts longer than `MIN_STALL_SECONDS` and than
    `MIN_STALL_INTERVALS` times the usual time between two values (nine in ten are no longer), and no other tag wrote in
    it. Steps are skipped if two current values are more than `MISSED_STRIDES` usual strides apart. A tag of fewer than
    `MIN_REGULAR_WRITES` values gives neither.
    """
    restarts = _restarts(uneven)
    gaps, others = _gaps(run)
    listed = _longest(gaps)
    return History(
        tuple(restarts[:MAX_LISTED]),
        len(restarts),
        tuple(sorted(listed, key=lambda gap: (gap.after_wall_time, gap.after_step))),
        len(gaps) + others,
    )


def _restarts(series: Sequence[Series]) -> list[Restart]:
    """Return the restarts of tags whose steps do not always increase, one for simultaneous descents."""
    tags: list[npt.NDArray[np.intp]] = []
    columns: list[Floats] = []
    reached: list[npt.NDArray[np.int64]] = []
    for number, one in enumerate(series):
        back = one.restart_indices[:MAX_DESCENTS]
        if len(back):
            tags.append(np.full(len(back), number, np.intp))
            columns.append(np.array([one.wall_times[back], back], np.float64))
            reached.append(np.maximum.reduceat(one.steps[: back[-1]], [0, *back[:-1].tolist()]))
    if not columns:
        return []
    whose, (times, places), greatest = np.concatenate(tags), np.concatenate(columns, axis=1), np.concatenate(reached)
    restarts: list[Restart] = []
    gone_back: set[int] = set()
    for index in np.argsort(times, kind="stable")[:MAX_DESCENTS].tolist():
        tag, place = int(whose[index]), int(places[index])
        before, after = int(greatest[index]), int(series[tag].steps[place])
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


def _gaps(run: RunSnapshot) -> tuple[list[Gap], int]:
    """Return gaps, and the number of shorter ones that are not listed."""
    table = plain_table(run.series)
    if table is None:
        scalars = [series for series in run.series.values() if isinstance(series, ScalarSeries) and len(series)]
        main = ScalarEnds.of_series(scalars).longest
    else:
        main = ScalarEnds.of_table(table, run.series).longest
    if main is None or len(main) < MIN_REGULAR_WRITES:
        return [], 0
    silences, less_silent = _silences(main, run)
    left_out, less_left_out = _left_out(main.current)
    return silences + left_out, less_silent + less_left_out


def _usual(lengths: Floats) -> float:
    """Return the length that nine in ten do not exceed; 0 without any."""
    counted = lengths[(lengths > 0) & np.isfinite(lengths)]
    rank = (len(counted) - 1) * 9 // 10
    return float(np.partition(counted, rank)[rank]) if len(counted) else 0.0


def _silences(main: ScalarSeries, run: RunSnapshot) -> tuple[list[Gap], int]:
    with np.errstate(over="ignore", invalid="ignore"):  # wall times may be anything, infinite too
        seconds = np.diff(main.wall_times)
    patience = max(MIN_STALL_SECONDS, MIN_STALL_INTERVALS * _usual(seconds))
    places = np.flatnonzero((seconds > patience) & np.isfinite(seconds))
    nonempty_series = (series for series in run.series.values() if series.steps.size)
    clocks = [_Clock(series.wall_times) for series in nonempty_series] if len(places) else []
    silences: list[Gap] = []
    chosen = _greatest(seconds, places)
    starts, ends = main.wall_times[chosen], main.wall_times[[place + 1 for place in chosen]]
    is_busy = np.zeros(len(chosen), np.bool_)
    for clock in clocks:
        is_busy |= clock.may_be_within(starts, ends)
    steps = (main.steps[chosen].tolist(), main.steps[[place + 1 for place in chosen]].tolist())
    for after, before, start, end, busy in zip(*steps, starts.tolist(), ends.tolist(), is_busy.tolist(), strict=True):
        if not busy:
            silences.append(Gap("silence", after, before, start, end))
            continue
        times = np.unique(np.concatenate(([start, end], *(clock.within(start, end) for clock in clocks))))
        silences += [
            Gap("silence", after, before, float(times[at]), float(times[at + 1]))
            for at in np.flatnonzero(np.diff(times) > patience).tolist()
        ]
    return silences, max(len(places) - MAX_LISTED, 0)


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


def _left_out(main: ScalarSeries) -> tuple[list[Gap], int]:
    strides = np.diff(main.steps.astype(np.float64))  # steps may be as far apart as integers reach
    places = np.flatnonzero(strides > MISSED_STRIDES * _usual(strides))
    ranges: list[Gap] = []
    for place in _greatest(strides, places):
        ends = slice(place, place + 2)
        ranges.append(Gap("steps", *map(int, main.steps[ends]), *map(float, main.wall_times[ends])))
    return ranges, max(len(places) - MAX_LISTED, 0)


def _greatest(lengths: Floats, places: npt.NDArray[np.intp]) -> list[int]:
    """Return the places of the longest gaps."""
    chosen: list[int] = places[np.argsort(-lengths[places], kind="stable")[:MAX_LISTED]].tolist()
    return chosen


def _longest(gaps: Sequence[Gap]) -> list[Gap]:
    """Return the longest gaps of each kind."""
    silences = sorted((gap for gap in gaps if gap.kind == "silence"), key=lambda gap: -gap.seconds)
    steps = sorted((gap for gap in gaps if gap.kind == "steps"), key=lambda gap: -gap.steps)
    return silences[:MAX_LISTED] + steps[:MAX_LISTED]
