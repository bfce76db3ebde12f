"""Health of runs: pace, progress, and whether they are written, stalled or done; with a cached summary of each run."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts import numbers
from tbtui.frozen import frozen
from tbtui.maths.decimate import median
from tbtui.maths.x_values import wall_time_unit
from tbtui.run_health.anomalies import find_anomaly
from tbtui.store.scalar_table import SCALARS, ScalarEnds, other_series, plain_table
from tbtui.store.snapshot import PROFILE, RUN_METADATA, ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tbtui.run_health.anomalies import Anomaly
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot


MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
YEAR = 365 * DAY

AGE_STEPS: tuple[tuple[float, str], ...] = (
    *((n * MINUTE, f"{n}m") for n in range(1, 60)),
    *((n * HOUR, f"{n}h") for n in range(1, 48)),
    *((n * DAY, f"{n}d") for n in range(2, 730)),
    *((n * YEAR, f"{n}y") for n in range(2, 101)),
)
"""Seconds without data, and their labels: whole units, of which an idle screen writes at most one a minute."""

CLOCK_AHEAD = "clock ahead"
AHEAD_SECONDS = MINUTE
"""Data from this far in the future come from a clock that is ahead."""

BEHIND_SECONDS = 2 * MINUTE
"""Events this much older than the last write of their file come from a clock that is behind. Writers flush every 120
seconds.
"""

_STEPS = tuple(seconds for seconds, _ in AGE_STEPS)


def is_known_age(age: float | None) -> bool:
    """Return True if an age is valid: neither missing nor from a clock that is ahead."""
    return age is not None and age >= -AHEAD_SECONDS


def age_label(age: float) -> str:
    """Return `5m`: the greatest step that `age` seconds have passed; empty within the first minute."""
    passed = bisect_right(_STEPS, age)
    return AGE_STEPS[passed - 1][1] if passed else ""


def freshness(age: float | None, *, brief: bool = False) -> str:
    """Return `live` while data came within the last minute, then `last write 5m ago`; empty without any data.

    Args:
        age: Seconds since the last data; negative if clocks differ.
        brief: True for `5m ago`, where there is little room.
    """
    if age is None:
        return ""
    if not is_known_age(age):
        return CLOCK_AHEAD
    word = age_label(age)
    if not word:
        return "live"
    return f"{word} ago" if brief else f"last write {word} ago"


def seconds_until_change(age: float | None) -> float | None:
    """Return the seconds until `freshness` changes; None if it never will."""
    if age is None:
        return None
    if not is_known_age(age):
        return -AHEAD_SECONDS - age
    passed = bisect_right(_STEPS, age)
    return _STEPS[passed] - age if passed < len(_STEPS) else None


ScalarTags: TypeAlias = "frozenset[str]"
"""Scalar tags of a run; runs with other tags are not comparable."""


@frozen
class RunEnd:
    """The last write of a run that has stopped."""

    step: int
    time: float
    """Seconds since the epoch."""

    kind: ScalarTags
    stride: int = 0
    """Usual steps between two writes: ends no further apart are the same step."""

    moment: float = 0.0
    """Seconds: ends no further apart are simultaneous. They may be parts of one training that stopped together, which
    proves nothing about either."""


class RunEnds:
    """Ends of all stopped runs, and the progress of the others.

    Args:
        ends: Ends of stopped runs.
        furthest: Greatest step of the active runs, by their tags.
    """

    def __init__(self, ends: Iterable[RunEnd], furthest: Mapping[ScalarTags, int]) -> None:
        by_kind: dict[ScalarTags, list[RunEnd]] = {}
        for end in ends:
            by_kind.setdefault(end.kind, []).append(end)
        self._all = _Times(chain.from_iterable(by_kind.values()))
        self._of_kind = {kind: _Times(times) for kind, times in by_kind.items()}
        self._furthest = furthest

    def shared(self, end: RunEnd) -> bool:
        """Return True if another run ended at the same step at another time."""
        return _is_apart(end, self._all.between(end.step - end.stride, end.step + end.stride))

    def passed(self, end: RunEnd) -> bool:
        """Return True if another run with the same tags is further, or ended further at another time."""
        beyond = end.step + end.stride + 1
        if self._furthest.get(end.kind, end.step) >= beyond:
            return True
        times = self._of_kind.get(end.kind)
        return times is not None and _is_apart(end, times.since(beyond))


def _is_apart(end: RunEnd, times: Iterable[float]) -> bool:
    return any(abs(time - end.time) > end.moment for time in times)


class _Times:
    """Earliest and latest end at each step."""

    def __init__(self, ends: Iterable[RunEnd]) -> None:
        times: dict[int, tuple[float, float]] = {}
        for end in ends:
            first, last = times.get(end.step, (math.inf, -math.inf))
            times[end.step] = min(first, end.time), max(last, end.time)
        self._steps = sorted(times)
        self._at = [times[step] for step in self._steps]
        self._first_from = [*accumulate((first for first, _ in reversed(self._at)), min)][::-1]
        self._last_from = [*accumulate((last for _, last in reversed(self._at)), max)][::-1]

    def between(self, low: int, high: int) -> Iterator[float]:
        """Yield times that include the earliest and the latest end at steps from `low` to `high`."""
        begin, end = bisect_left(self._steps, low), bisect_right(self._steps, high)
        return chain.from_iterable(self._at[begin:end])

    def since(self, low: int) -> Iterator[float]:
        """Yield the earliest and the latest end at any step from `low`."""
        begin = bisect_left(self._steps, low)
        return chain(self._first_from[begin : begin + 1], self._last_from[begin : begin + 1])


WRITING_SECONDS = MINUTE
"""A run with a younger last event is being written."""

MIN_STALL_SECONDS = 5 * MINUTE
"""Minimum silence of a stall. The writers of PyTorch and TensorFlow flush every 120 seconds by default: a healthy run
may be silent for that long and a little more."""

MIN_STALL_INTERVALS = 20
"""A stall lasts at least this many times the usual time between two writes."""

OVER_SECONDS, LATE_SECONDS = HOUR, DAY
"""Silence after which no data are expected: of a run without known end, and of one that did not reach its known end.
Most runs without a known end are simply over."""

MIN_REGULAR_WRITES, MIN_REGULAR_SECONDS = 10, MINUTE
"""Minimum values of one tag, and seconds that they span, of a run that writes regularly."""

MAX_RECENT_VALUES = 512
"""Values at the end of a run from which its pace is computed."""

PACE_SEGMENTS = 5


@frozen
class Pace:
    """Pace of a run at the end of its longest scalar tag."""

    rate: float
    """Steps per second: the median over `PACE_SEGMENTS` equal segments, which a pause in one or two of them does not
    change. Intervals in which steps (a restart) or the clock go back are ignored."""

    interval: float
    """Usual seconds between two writes: nine in ten are no longer."""

    stride: int
    """Usual steps between two writes."""

    regular: bool
    """True if it has written often and long enough for a silence to be significant."""

    @property
    def patience(self) -> float:
        """Return the seconds of silence that are not unusual."""
        return max(MIN_STALL_SECONDS, MIN_STALL_INTERVALS * self.interval)


@frozen
class RunCondition:
    """Condition of a run at one moment."""

    age: float | None
    """Seconds since its last write. None: nothing was written. Below minus a minute: its clock is ahead, so the age is
    unknown."""

    writing: bool = False
    active: bool = False
    """True if the next write is still expected, so that its pace is valid."""

    stalled: bool = False
    """True if it stopped before its end."""

    silent: bool = False
    """True if it stopped and its end is unknown."""

    done: bool = False
    """True if it reached the last step, or stopped less than one write before it."""

    left: float | None = None
    """Seconds from its last write to the last step, of an active run."""

    clock_offset: float | None = None
    """Seconds by which its clock is ahead of that of its files, negative if behind; None if they agree, or if that
    cannot be known."""


@frozen(eq=False)
class RunConditions:
    """Conditions of all runs."""

    of: Mapping[str, RunCondition]
    """By run name."""

    until: float
    """Time of the next change of a condition or an age label without new data; seconds since the epoch."""

    @property
    def age(self) -> float | None:
        """Return seconds since the last write of any run; None without any, negative if all clocks are ahead."""
        ages = [condition.age for condition in self.of.values() if condition.age is not None]
        return min(filter(is_known_age, ages), default=max(ages, default=None))


def pace_of(ends: ScalarEnds) -> Pace | None:
    """Return the pace of a run; None if its longest tag has no two values at ascending steps and finite times."""
    main = ends.longest
    if main is None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # wall times may be anything, infinite too
        steps = np.diff(main.steps[-MAX_RECENT_VALUES:].astype(np.float64))
        scale = wall_time_unit(main.wall_times.item(-1))[0]
        seconds = np.diff(main.wall_times[-MAX_RECENT_VALUES:]) / scale
        forward = (steps > 0) & (seconds > 0) & np.isfinite(seconds)
        steps, seconds = steps[forward], seconds[forward]
        if not len(steps):
            return None
        starts = np.linspace(0, len(steps), min(PACE_SEGMENTS, len(steps)), endpoint=False).astype(np.intp)
        rate = median(np.add.reduceat(steps, starts) / np.add.reduceat(seconds, starts))
    if not 0 < rate < math.inf:
        return None
    interval = float(np.sort(seconds)[(len(seconds) - 1) * 9 // 10])
    lasted = (main.wall_times.item(-1) - main.wall_times.item(0)) / scale
    regular = len(main.steps) >= MIN_REGULAR_WRITES and lasted >= MIN_REGULAR_SECONDS
    return Pace(rate, interval, int(median(steps)), regular)


def run_age(summary: RunSummary, now: float) -> float | None:
    """Return seconds since the last write of a run.

    The latest of three times counts: that of its last event, the arrival of data in this program, and the last
    modification of its files. The modification counts for 5 minutes, and if the event is in the future: the files of an
    old log may have been copied today. A run without events, such as a profile alone, has the age of its files.

    Args:
        summary: Summary of the run.
        now: Seconds since the epoch.

    Returns:
        None if nothing was written; less than minus a minute if all clocks are ahead.
    """
    age = None if summary.last_wall_time is None else now - summary.last_wall_time
    if summary.arrived is not None and (age is None or not is_known_age(age) or now - summary.arrived < age):
        age = now - summary.arrived
    if age is None and summary.tags and summary.modified is not None:
        return now - summary.modified
    if age is not None and summary.modified is not None:
        file_age = now - summary.modified
        if is_known_age(file_age) and not (is_known_age(age) and (age < file_age or file_age > MIN_STALL_SECONDS)):
            age = file_age
    return None if age is None or math.isnan(age) else age


def clock_offset(summary: RunSummary, now: float) -> float | None:
    """Return the seconds by which the clock of a run is ahead of that of its files, negative if it is behind.

    A clock that is behind is recognised within 5 minutes of a write only: later the file may be a copy.

    Returns:
        None if the clocks agree, if that cannot be known, or if the wall times are not in seconds.
    """
    if summary.last_wall_time is None or summary.modified is None or time_unit(summary.last_wall_time):
        return None
    offset = summary.last_wall_time - summary.modified
    is_recent = -AHEAD_SECONDS <= now - summary.modified <= MIN_STALL_SECONDS
    if offset > AHEAD_SECONDS or (offset < -BEHIND_SECONDS and is_recent):
        return offset
    return None


def clock_text(offset: float) -> str:
    """Return `clock 3 days behind` or `clock 1m30s ahead`."""
    size = abs(offset)
    words = numbers.age_words(size) if size >= DAY else numbers.duration(size)
    return f"clock {words} {'ahead' if offset > 0 else 'behind'}"


def time_unit(wall_time: float | None) -> str:
    """Return `milliseconds` if a wall time is a date only in this unit; empty if it may be in seconds."""
    return "" if wall_time is None else wall_time_unit(wall_time)[1]


class OwnCondition(NamedTuple):
    """The condition of a run, as far as it does not depend on others."""

    summary: RunSummary
    condition: RunCondition
    since: float
    """Seconds since the epoch from which it holds, while the summary is the same."""

    until: float


def run_conditions(
    summaries: Mapping[str, RunSummary],
    now: float,
    max_steps: int | None,
    former: dict[str, OwnCondition] | None = None,
) -> RunConditions:
    """Return the conditions of all runs.

    A run has stopped if it wrote regularly and has been silent for `MIN_STALL_INTERVALS` times its usual interval and
    for `MIN_STALL_SECONDS`. If `max_steps` gives the end, it is stalled unless it is there, within one stride; this is
    reported for a day. Otherwise other runs decide: if one ended at the same step at another time, the run is over; if
    one with the same scalars went further, it is stalled; the first or only one of its kind is neither but silent. This
    is reported for an hour.

    A run is done at step `max_steps` - 1, the last if steps are counted from 0, or when it is at its end and no longer
    active.

    Args:
        summaries: Summary of every run.
        now: Seconds since the epoch.
        max_steps: Number of steps, or the last step; None: unknown.
        former: Conditions that an earlier call with the same `max_steps` found; those of this one are added. Among
            thousands of runs few change.
    """
    own_by_name: dict[str, OwnCondition] = {} if former is None else former
    until = math.inf
    conditions: dict[str, RunCondition] = {}
    for name, known in summaries.items():
        own = own_by_name.get(name)
        if own is None or own.summary is not known or not own.since <= now < own.until:
            condition = _condition(known, now, max_steps)
            changes_at = now + _seconds_until_change(condition, known, max_steps)
            own = own_by_name[name] = OwnCondition(known, condition, now, changes_at)
        conditions[name] = own.condition
        until = min(until, own.until)
    silent = [name for name, condition in conditions.items() if condition.stalled]
    if silent and max_steps is None:
        ends = _ends_of(summaries, conditions, now)
        for name in silent:
            end = _end_of(summaries[name], now)
            if end is None or ends.shared(end):
                conditions[name] = replace(conditions[name], stalled=False)
            elif not ends.passed(end):
                conditions[name] = replace(conditions[name], stalled=False, silent=True)
    return RunConditions(conditions, until)


def _condition(summary: RunSummary, now: float, max_steps: int | None) -> RunCondition:
    age, offset = run_age(summary, now), clock_offset(summary, now)
    pace, last = summary.pace, summary.last_step
    done = max_steps is not None and last is not None and last >= max_steps - 1
    if age is None or not is_known_age(age) or summary.vanished:
        return RunCondition(age, done=done, clock_offset=offset)
    active = not done and age < (pace.patience if pace else MIN_STALL_SECONDS)
    at_end = max_steps is not None and pace is not None and last is not None and last + pace.stride >= max_steps
    done = done or (at_end and not active)
    stalled = not (active or done) and pace is not None and pace.regular and age < _over(pace, max_steps)
    left = None
    if active and pace is not None and max_steps is not None and last is not None:
        left = (max_steps - last) / pace.rate
    return RunCondition(age, age < WRITING_SECONDS, active, stalled, done=done, left=left, clock_offset=offset)


def _over(pace: Pace, max_steps: int | None) -> float:
    """Return the seconds of silence after which no data are expected."""
    return max(OVER_SECONDS if max_steps is None else LATE_SECONDS, 2 * pace.patience)


def _seconds_until_change(condition: RunCondition, summary: RunSummary, max_steps: int | None) -> float:
    age = condition.age
    until = seconds_until_change(age)
    waits = [] if until is None else [until]
    if age is not None and summary.pace is not None:
        waits += [end - age for end in (summary.pace.patience, _over(summary.pace, max_steps)) if age < end]
    return min(waits, default=math.inf)


def _ends_of(summaries: Mapping[str, RunSummary], conditions: Mapping[str, RunCondition], now: float) -> RunEnds:
    """Return the ends of runs that are no longer written, and the progress of the others."""
    ends: list[RunEnd] = []
    furthest: dict[frozenset[str], int] = {}
    for name, known in summaries.items():
        end = _end_of(known, now)
        if end is not None and not conditions[name].active:
            ends.append(end)
        elif end is not None:
            furthest[end.kind] = max(end.step, furthest.get(end.kind, end.step))
    return RunEnds(ends, furthest)


def _end_of(summary: RunSummary, now: float) -> RunEnd | None:
    """Return the end of a run if its last write was its end; None if nothing was written."""
    step, age, pace = summary.last_step, run_age(summary, now), summary.pace
    if step is None or age is None:
        return None
    kind = summary.tags.get("scalars", frozenset())
    stride, interval = (0, 0.0) if pace is None else (pace.stride, pace.interval)
    return RunEnd(step, now - age, kind, stride, MIN_STALL_INTERVALS * interval)


@frozen
class RunSummary:
    """Summary of one run at one revision, for status lines and trees."""

    tags: Mapping[str, frozenset[str]]
    """Plugin name to the tags with values."""

    values: int
    """Number of values of all plugins."""

    last_step: int | None
    last_wall_time: float | None
    """Time of its latest event by its own clock, seconds since the epoch."""

    trouble: Anomaly | None = None
    pace: Pace | None = None
    vanished: bool = False
    modified: float | None = None
    """Time of the last modification of its files by the clock of the file system, seconds since the epoch."""

    arrived: float | None = None
    """Time at which its latest values were found, seconds since the epoch; None: they were there before the program
    started."""

    @property
    def last_is_nan(self) -> bool:
        """Return True if the last value of any scalar tag is NaN."""
        return self.trouble is not None and self.trouble.kind == "nan"


def summarize_run(run: RunSnapshot) -> RunSummary:
    """Return the summary of a run from all its series."""
    contents = run_contents(run)
    trouble, pace = find_anomaly(contents.ends), pace_of(contents.ends)
    last_step, last_wall_time = contents.last_step, run.last_wall_time
    tags, values = contents.tags, contents.values
    return RunSummary(tags, values, last_step, last_wall_time, trouble, pace, run.vanished, run.modified)


@frozen(eq=False)
class RunContents:
    """The tags and the number of values of a run."""

    tags: Mapping[str, frozenset[str]]
    """Plugin name to the tags with values."""

    values: int
    """Number of values of all plugins."""

    last_step: int | None
    """Greatest of the steps of the last values of all tags."""

    ends: ScalarEnds


def run_contents(run: RunSnapshot) -> RunContents:
    """Return the contents of a run; in time that does not depend on its points."""
    table = plain_table(run.series)
    tags: dict[str, list[str]] = {}
    scalars: list[ScalarSeries] = []
    values = 0
    last_step: int | None = None
    # Tens of thousands of series pass here in a frame while logs are being loaded.
    for series in other_series(run.series):
        if size := series.steps.size:
            values += size
            step = series.steps.item(-1)
            if last_step is None or step > last_step:
                last_step = step
            plugin, tag = series.metadata.plugin_name, series.tag
            if plugin in tags:
                tags[plugin].append(tag)
            else:
                tags[plugin] = [tag]
            if isinstance(series, ScalarSeries):
                scalars.append(series)
    by_plugin = {plugin: _shared(frozenset(names)) for plugin, names in tags.items()} | run.asset_tags
    if timed := frozenset(filter(run.has_times, tags.get(RUN_METADATA, ()))):
        by_plugin[PROFILE] = by_plugin.get(PROFILE, frozenset()) | timed
    if table is None or not len(table.steps):
        return RunContents(by_plugin, values, last_step, ScalarEnds.of_series(scalars))
    ends = ScalarEnds.of_table(table, run.series)
    furthest = int(ends.steps.max())
    names = table.tags.as_set if table.has_all else _shared(frozenset(ends.names))
    return RunContents(
        {SCALARS: names, **by_plugin},
        values + len(table.steps),
        furthest if last_step is None else max(last_step, furthest),
        ends,
    )


@lru_cache(maxsize=256)
def _shared(tags: frozenset[str]) -> frozenset[str]:
    """Return an equal set: runs that log alike have the same one, which is kept, joined and counted once."""
    return tags


class SummaryCache:
    """Summaries of the runs of the latest snapshot; a live update computes only those of changed runs."""

    def __init__(self) -> None:
        self._snapshot: StoreSnapshot | None = None
        self._facts: Mapping[str, RunSummary] = {}

    def of(self, snapshot: StoreSnapshot, now: float | None = None) -> Mapping[str, RunSummary]:
        """Return run name to summary for every run of `snapshot`; the same object for the same snapshot.

        Args:
            snapshot: The snapshot.
            now: Time of the snapshot, seconds since the epoch: new data in it arrived then. None during the initial
                load.
        """
        if snapshot is not self._snapshot:
            self._facts = {name: self._look_at(run, now) for name, run in snapshot.runs.items()}
            self._snapshot = snapshot
        return self._facts

    def _look_at(self, run: RunSnapshot, now: float | None) -> RunSummary:
        before = None if self._snapshot is None else self._snapshot.runs.get(run.name)
        if before is None:
            return replace(summarize_run(run), arrived=now)
        cached = self._facts[run.name]
        if before.revision == run.revision:
            return cached
        summary = summarize_run(run)
        return replace(summary, arrived=cached.arrived if summary.values == cached.values else now)


def tags_of(
    summaries: Mapping[str, RunSummary], runs: tuple[RunSnapshot, ...], plugins: frozenset[str]
) -> frozenset[str]:
    """Return all tags of `plugins` that the given runs hold; the same object for the same summaries and runs."""
    tag_sets = (summaries[run.name].tags.get(plugin) for run in runs for plugin in plugins)
    return _union(tuple(tags for tags in tag_sets if tags))


@lru_cache(maxsize=4)
def _union(tag_sets: tuple[frozenset[str], ...]) -> frozenset[str]:
    # Comparing is quick: the sets of runs that did not change are the same objects.
    return union_of(tag_sets)


def union_of(tag_sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the union of sets of tags, which is the largest set itself if it contains all others.

    Runs that log alike share one set: with a thousand runs of ten thousand tags each, hardly any other is read.
    """
    distinct = {id(tags): tags for tags in tag_sets}.values()
    largest = max(distinct, key=len, default=_NO_TAGS)
    others = [tags for tags in distinct if tags is not largest and not tags <= largest]
    return largest.union(*others) if others else largest


_NO_TAGS: frozenset[str] = frozenset()
