"""Conditions of runs at a moment: written, stalled, silent or done, and the remaining time.

A run that stopped without a known end is compared with the ends of other runs.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tbtui.frozen import frozen
from tbtui.run_health.ages import AHEAD_SECONDS, DAY, HOUR, MINUTE, guess_time_unit, is_known_age, time_until_change
from tbtui.run_health.pace import MIN_STALL_INTERVALS, MIN_STALL_SECONDS, Pace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tbtui.run_health.summaries import RunSummary


BEHIND_SECONDS = 2 * MINUTE
"""Events this much older than the last write of their file come from a clock that is behind. Writers flush every 120
seconds.
"""

WRITING_SECONDS = MINUTE
"""A run with a younger last event is being written."""

OVER_SECONDS, LATE_SECONDS = HOUR, DAY
"""Silence after which no data are expected: of a run without known end, and of one that did not reach its known end.
Most runs without a known end are simply over."""


ScalarTags: TypeAlias = "frozenset[str]"
"""Scalar tags of a run; runs with other tags are not comparable."""


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


def compute_age(summary: RunSummary, now: float) -> float | None:
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


def compute_clock_offset(summary: RunSummary, now: float) -> float | None:
    """Return the seconds by which the clock of a run is ahead of that of its files, negative if it is behind.

    A clock that is behind is recognised within 5 minutes of a write only: later the file may be a copy.

    Returns:
        None if the clocks agree, if that cannot be known, or if the wall times are not in seconds.
    """
    if summary.last_wall_time is None or summary.modified is None or guess_time_unit(summary.last_wall_time):
        return None
    offset = summary.last_wall_time - summary.modified
    is_recent = -AHEAD_SECONDS <= now - summary.modified <= MIN_STALL_SECONDS
    if offset > AHEAD_SECONDS or (offset < -BEHIND_SECONDS and is_recent):
        return offset
    return None


class OwnCondition(NamedTuple):
    """The condition of a run, as far as it does not depend on others."""

    summary: RunSummary
    condition: RunCondition
    since: float
    """Seconds since the epoch from which it holds, while the summary is the same."""

    until: float


def judge_runs(
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
    for name, summary in summaries.items():
        own = own_by_name.get(name)
        if own is None or own.summary is not summary or not own.since <= now < own.until:
            condition = _judge_run(summary, now, max_steps)
            changes_at = now + _compute_time_until_change(condition, summary, max_steps)
            own = own_by_name[name] = OwnCondition(summary, condition, now, changes_at)
        conditions[name] = own.condition
        until = min(until, own.until)
    silent = [name for name, condition in conditions.items() if condition.stalled]
    if silent and max_steps is None:
        ends = _collect_ends(summaries, conditions, now)
        for name in silent:
            end = _find_end(summaries[name], now)
            if end is None or ends.is_shared(end):
                conditions[name] = replace(conditions[name], stalled=False)
            elif not ends.is_passed(end):
                conditions[name] = replace(conditions[name], stalled=False, silent=True)
    return RunConditions(conditions, until)


def _judge_run(summary: RunSummary, now: float, max_steps: int | None) -> RunCondition:
    age, offset = compute_age(summary, now), compute_clock_offset(summary, now)
    pace, last = summary.pace, summary.last_step
    done = max_steps is not None and last is not None and last >= max_steps - 1
    if age is None or not is_known_age(age) or summary.vanished:
        return RunCondition(age, done=done, clock_offset=offset)
    active = not done and age < (pace.patience if pace else MIN_STALL_SECONDS)
    at_end = max_steps is not None and pace is not None and last is not None and last + pace.stride >= max_steps
    done = done or (at_end and not active)
    stalled = not (active or done) and pace is not None and pace.regular and age < _limit_silence(pace, max_steps)
    left = None
    if active and pace is not None and max_steps is not None and last is not None:
        left = (max_steps - last) / pace.rate
    return RunCondition(age, age < WRITING_SECONDS, active, stalled, done=done, left=left, clock_offset=offset)


def _limit_silence(pace: Pace, max_steps: int | None) -> float:
    """Return the seconds of silence after which no data are expected."""
    return max(OVER_SECONDS if max_steps is None else LATE_SECONDS, 2 * pace.patience)


def _compute_time_until_change(condition: RunCondition, summary: RunSummary, max_steps: int | None) -> float:
    age = condition.age
    until = time_until_change(age)
    waits = [] if until is None else [until]
    if age is not None and summary.pace is not None:
        waits += [end - age for end in (summary.pace.patience, _limit_silence(summary.pace, max_steps)) if age < end]
    return min(waits, default=math.inf)


def _collect_ends(summaries: Mapping[str, RunSummary], conditions: Mapping[str, RunCondition], now: float) -> RunEnds:
    """Return the ends of runs that are no longer written, and the progress of the others."""
    ends: list[RunEnd] = []
    furthest: dict[frozenset[str], int] = {}
    for name, summary in summaries.items():
        end = _find_end(summary, now)
        if end is not None and not conditions[name].active:
            ends.append(end)
        elif end is not None:
            furthest[end.tags] = max(end.step, furthest.get(end.tags, end.step))
    return RunEnds(ends, furthest)


def _find_end(summary: RunSummary, now: float) -> RunEnd | None:
    """Return the end of a run if its last write was its end; None if nothing was written."""
    step, age, pace = summary.last_step, compute_age(summary, now), summary.pace
    if step is None or age is None:
        return None
    tags = summary.tags.get("scalars", frozenset())
    stride, interval = (0, 0.0) if pace is None else (pace.stride, pace.interval)
    return RunEnd(step, now - age, tags, stride, MIN_STALL_INTERVALS * interval)


@frozen
class RunEnd:
    """The last write of a run that has stopped."""

    step: int
    time: float
    """Seconds since the epoch."""

    tags: ScalarTags
    stride: int = 0
    """Usual steps between two writes: ends with at most this distance are at the same step."""

    tolerance: float = 0.0
    """Seconds: ends with at most this distance are simultaneous. They may be parts of one training that stopped
    together, which proves nothing about either."""


class RunEnds:
    """Ends of all stopped runs, and the progress of the others.

    Args:
        ends: Ends of stopped runs.
        furthest: Greatest step of the active runs, by their tags.
    """

    def __init__(self, ends: Iterable[RunEnd], furthest: Mapping[ScalarTags, int]) -> None:
        by_tags: dict[ScalarTags, list[RunEnd]] = {}
        for end in ends:
            by_tags.setdefault(end.tags, []).append(end)
        self._times = _EndTimes(chain.from_iterable(by_tags.values()))
        self._times_by_tags = {tags: _EndTimes(ends_of_tags) for tags, ends_of_tags in by_tags.items()}
        self._furthest = furthest

    def is_shared(self, end: RunEnd) -> bool:
        """Return True if another run ended at the same step at another time."""
        return _has_other_time(end, self._times.iter_between(end.step - end.stride, end.step + end.stride))

    def is_passed(self, end: RunEnd) -> bool:
        """Return True if another run with the same tags is further, or ended further at another time."""
        next_step = end.step + end.stride + 1
        if self._furthest.get(end.tags, end.step) >= next_step:
            return True
        times = self._times_by_tags.get(end.tags)
        return times is not None and _has_other_time(end, times.iter_since(next_step))


def _has_other_time(end: RunEnd, times: Iterable[float]) -> bool:
    return any(abs(time - end.time) > end.tolerance for time in times)


class _EndTimes:
    """Times of the earliest and the latest end at each step."""

    def __init__(self, ends: Iterable[RunEnd]) -> None:
        extents: dict[int, tuple[float, float]] = {}
        for end in ends:
            first, last = extents.get(end.step, (math.inf, -math.inf))
            extents[end.step] = min(first, end.time), max(last, end.time)
        self._steps = sorted(extents)
        self._extents = [extents[step] for step in self._steps]
        self._first_since = [*accumulate((first for first, _ in reversed(self._extents)), min)][::-1]
        """Earliest end at any step from each one on."""

        self._last_since = [*accumulate((last for _, last in reversed(self._extents)), max)][::-1]

    def iter_between(self, low: int, high: int) -> Iterator[float]:
        """Yield times that include the earliest and the latest end at steps from `low` to `high`."""
        start, end = bisect_left(self._steps, low), bisect_right(self._steps, high)
        return chain.from_iterable(self._extents[start:end])

    def iter_since(self, low: int) -> Iterator[float]:
        """Yield the earliest and the latest end at any step from `low`."""
        start = bisect_left(self._steps, low)
        return chain(self._first_since[start : start + 1], self._last_since[start : start + 1])
