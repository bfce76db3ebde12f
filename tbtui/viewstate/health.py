"""How a run does: its pace, how far it has come, whether it still writes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.series.in_order import median
from tbtui.viewstate.ages import DAY, HOUR, MINUTE, is_known, seconds_until_change
from tbtui.viewstate.ends import End, Ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tbtui.store.snapshot import ScalarSeries
    from tbtui.viewstate.facts import RunFacts

WRITING_SECONDS = MINUTE
"""A run whose last event is younger is still being written."""

STALLED_SECONDS = 5 * MINUTE
"""The shortest silence that is a stall. The writers of PyTorch and TensorFlow flush every 120 seconds by default: a
healthy run may be silent for that long and a little more."""

STALLED_INTERVALS = 20
"""A stall lasts at least so many times the usual time between two writes."""

OVER_SECONDS, LATE_SECONDS = HOUR, DAY
"""A run that has been silent for longer is no longer waited for: one of which nobody said where it ends, and one that
is known not to have come to its end. Of the first kind most are simply over."""

REGULAR_WRITES, REGULAR_SECONDS = 10, MINUTE
"""A run writes regularly once it has written so many values of one tag over so long a time."""

RECENT = 512
"""Values at the end of a run from which its pace is told."""

STRETCHES = 5


@frozen
class Pace:
    """How fast a run is, seen at the end of its most written scalar tag."""

    rate: float
    """Steps per second: the median over `STRETCHES` equal stretches, which a pause in one or two of them does not
    move. Intervals in which steps go back (a restart), or the clock, are left out."""

    interval: float
    """Usual seconds between two writes: nine in ten are no longer."""

    stride: int
    """Usual steps between two writes."""

    regular: bool
    """Whether it has written often and long enough for a silence to mean something."""

    @property
    def patience(self) -> float:
        """Seconds of silence that are nothing unusual."""
        return max(STALLED_SECONDS, STALLED_INTERVALS * self.interval)


@frozen
class Condition:
    """How a run stands at one moment."""

    age: float | None
    """Seconds since its last write; None where there was none, negative by more than a minute where its clock is
    ahead of ours and so nothing is known."""

    writing: bool = False
    active: bool = False
    """Whether the next write may still be waited for: what is said of its pace holds."""

    stalled: bool = False
    """Whether it has stopped short of where it was to go."""

    silent: bool = False
    """Whether it has stopped where nobody knows if that was its end."""

    done: bool = False
    """Whether it has reached the last step, or fell silent less than one write before it."""

    left: float | None = None
    """Seconds from its last write until the last step, of a run that is active."""


@frozen(eq=False)
class Conditions:
    """How all runs stand."""

    of: Mapping[str, Condition]
    """By run name."""

    until: float
    """When one of them, or the words for its age, will change without any news; seconds since the epoch."""

    @property
    def age(self) -> float | None:
        """Seconds since the last write of any run; None without any, negative where all clocks are ahead."""
        ages = [condition.age for condition in self.of.values() if condition.age is not None]
        return min(filter(is_known, ages), default=max(ages, default=None))


# What holds for a revision of a run


def pace_of(scalars: Iterable[ScalarSeries]) -> Pace | None:
    """How fast a run is; None where its most written tag has no two values at ascending steps and finite times.

    Args:
        scalars: All scalar series of the run that hold a value. Of equally long ones the furthest tells.
    """
    main = max(scalars, key=lambda series: (len(series.steps), series.steps.item(-1)), default=None)
    if main is None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # wall times may be anything, infinite too
        steps = np.diff(main.steps[-RECENT:].astype(np.float64))
        seconds = np.diff(main.wall_times[-RECENT:])
        forward = (steps > 0) & (seconds > 0) & np.isfinite(seconds)
        steps, seconds = steps[forward], seconds[forward]
        if not len(steps):
            return None
        starts = np.linspace(0, len(steps), min(STRETCHES, len(steps)), endpoint=False).astype(np.intp)
        rate = median(np.add.reduceat(steps, starts) / np.add.reduceat(seconds, starts))
    if not 0 < rate < math.inf:
        return None
    interval = float(np.sort(seconds)[(len(seconds) - 1) * 9 // 10])
    lasted = main.wall_times.item(-1) - main.wall_times.item(0)
    regular = len(main.steps) >= REGULAR_WRITES and lasted >= REGULAR_SECONDS
    return Pace(rate, interval, int(median(steps)), regular)


# What holds at a moment


def age_of(facts: RunFacts, now: float) -> float | None:
    """Seconds since the run's last write, told by its own clock or by when news of it came, whatever is later.

    Args:
        facts: Of the run.
        now: Seconds since the epoch.

    Returns:
        None where nothing was written; an age of less than minus a minute where its clock is ahead and no news came.
    """
    age = None if facts.last_wall_time is None else now - facts.last_wall_time
    if facts.arrived is not None and (age is None or not is_known(age) or now - facts.arrived < age):
        age = now - facts.arrived
    return None if age is None or math.isnan(age) else age


def conditions_of(facts: Mapping[str, RunFacts], now: float, max_steps: int | None) -> Conditions:
    """How all runs stand.

    A run has stopped when it wrote regularly and has been silent for `STALLED_INTERVALS` times its usual interval and
    for `STALLED_SECONDS`. Where `max_steps` tells the end, it is stalled if it is not there, give or take one stride,
    and that is told for a day. Otherwise what is known is how far others went: where one ended at the same step at
    another time, it is over; where one of the same scalars went further, it is stalled; of the first of its kind, or
    the only one, nobody can tell the one from the other, and it is called neither: it is silent. That is told for an
    hour.

    A run is done at step `max_steps` - 1, the last where steps are counted from 0, or when it is at its end and no
    longer active.

    Args:
        facts: Of every run.
        now: Seconds since the epoch.
        max_steps: How many steps runs make, or the step at which they end; None where nobody said it.
    """
    conditions = {name: _condition(known, now, max_steps) for name, known in facts.items()}
    silent = [name for name, condition in conditions.items() if condition.stalled]
    if silent and max_steps is None:
        ends = _ends_of(facts, conditions, now)
        for name in silent:
            end = _end_of(facts[name], now)
            if end is None or ends.shared(end):
                conditions[name] = Condition(conditions[name].age)
            elif not ends.passed(end):
                conditions[name] = Condition(conditions[name].age, silent=True)
    waits = (_seconds_until_change(conditions[name], known, max_steps) for name, known in facts.items())
    return Conditions(conditions, now + min(waits, default=math.inf))


def _condition(facts: RunFacts, now: float, max_steps: int | None) -> Condition:
    age = age_of(facts, now)
    pace, last = facts.pace, facts.last_step
    done = max_steps is not None and last is not None and last >= max_steps - 1
    if age is None or not is_known(age) or facts.vanished:
        return Condition(age, done=done)
    active = not done and age < (pace.patience if pace else STALLED_SECONDS)
    at_end = max_steps is not None and pace is not None and last is not None and last + pace.stride >= max_steps
    done = done or (at_end and not active)
    stalled = not (active or done) and pace is not None and pace.regular and age < _over(pace, max_steps)
    left = None
    if active and pace is not None and max_steps is not None and last is not None:
        left = (max_steps - last) / pace.rate
    return Condition(age, age < WRITING_SECONDS, active, stalled, done=done, left=left)


def _over(pace: Pace, max_steps: int | None) -> float:
    """Seconds of silence after which a run is no longer waited for."""
    return max(OVER_SECONDS if max_steps is None else LATE_SECONDS, 2 * pace.patience)


def _seconds_until_change(condition: Condition, facts: RunFacts, max_steps: int | None) -> float:
    age = condition.age
    until = seconds_until_change(age)
    waits = [] if until is None else [until]
    if age is not None and facts.pace is not None:
        waits += [end - age for end in (facts.pace.patience, _over(facts.pace, max_steps)) if age < end]
    return min(waits, default=math.inf)


def _ends_of(facts: Mapping[str, RunFacts], conditions: Mapping[str, Condition], now: float) -> Ends:
    """Where the runs ended that are no longer written, and how far the others are."""
    ends: list[End] = []
    furthest: dict[frozenset[str], int] = {}
    for name, known in facts.items():
        end = _end_of(known, now)
        if end is not None and not conditions[name].active:
            ends.append(end)
        elif end is not None:
            furthest[end.kind] = max(end.step, furthest.get(end.kind, end.step))
    return Ends(ends, furthest)


def _end_of(facts: RunFacts, now: float) -> End | None:
    """Where and when a run ended, if it wrote its last; None of one that wrote nothing."""
    step, age, pace = facts.last_step, age_of(facts, now), facts.pace
    if step is None or age is None:
        return None
    kind = facts.tags.get("scalars", frozenset())
    stride, interval = (0, 0.0) if pace is None else (pace.stride, pace.interval)
    return End(step, now - age, kind, stride, STALLED_INTERVALS * interval)
