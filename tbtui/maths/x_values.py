"""X values of the points of a series on each axis, and the clock of a run that times count from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.axes import step_x

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

XAxis: TypeAlias = Literal["step", "relative", "wall", "order", "active", "tag"]

STEP_AXES: frozenset[XAxis] = frozenset({"step", "tag"})
"""Axes without superseded points: a step has one place on them."""

TIME_AXES: frozenset[XAxis] = frozenset({"relative", "wall", "active"})

MIN_PAUSE_SECONDS = 300.0
"""Minimum length of a pause. The writers of PyTorch and TensorFlow flush every 120 seconds by default."""

MIN_PAUSE_INTERVALS = 20
"""Minimum length of a pause in usual intervals of the run: nine in ten intervals of its longest tag are no longer."""


MAX_START_SECONDS = 86_400.0
"""Maximum time from the first event of a run, which says when its file was opened, to its first value."""


@frozen(eq=False)
class TagValues:
    """Values of a scalar of a run by step, which are the x axis of its other tags."""

    steps: npt.NDArray[np.int64]
    """Strictly increasing, int64[n]."""

    values: Floats
    key: tuple[str, str, int]
    """Run, tag and revision, which decide about the values."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TagValues) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def at(self, steps: npt.NDArray[np.int64]) -> Floats:
        """Return the values at steps, float64[k]; NaN at a step without one. Nothing is interpolated."""
        if not len(self.steps):
            return np.full(len(steps), np.nan)
        indices = np.minimum(np.searchsorted(self.steps, steps), len(self.steps) - 1)
        return np.where(self.steps[indices] == steps, self.values[indices], np.nan)


@frozen
class RunClock:
    """Origin of the relative time of all tags of a run, and the pauses that active time leaves out.

    On the axis `tag` it has the values of that tag instead.
    """

    start: float = 0.0
    """First wall time of the run, seconds since the epoch."""

    pauses: tuple[tuple[float, float], ...] = ()
    """Wall times between which no tag of the run has a value; ascending, they do not overlap."""

    parts: float = 1.0
    """Parts of a second that the wall times count: 1000 if they are in milliseconds by mistake."""

    tag_values: TagValues | None = None
    """x values on the axis `tag`; None: the run has no such tag."""

    def seconds(self, wall_time: float) -> float:
        """Return the seconds from the start of the run to a wall time."""
        return (wall_time - self.start) / self.parts

    def relative(self, wall_times: Floats) -> Floats:
        """Return seconds since the start of the run, float64[n]; negative for a clock that was set back."""
        elapsed = np.asarray(wall_times - self.start)
        return elapsed if self.parts == 1 else elapsed / self.parts

    def active(self, wall_times: Floats) -> Floats:
        """Return seconds since the start of the run without pauses, float64[n]. A time in a pause is its start."""
        if not self.pauses:
            return self.relative(wall_times)
        starts, ends = np.array(self.pauses).T
        elapsed = _without(wall_times, starts, ends) - _without(np.array([self.start]), starts, ends)[0]
        return np.asarray(elapsed if self.parts == 1 else elapsed / self.parts)


def _without(wall_times: Floats, starts: Floats, ends: Floats) -> Floats:
    """Return wall times less the time that was spent in pauses before them."""
    past = np.concatenate([[0.0], np.cumsum(ends - starts)])
    count = np.searchsorted(starts, wall_times, "right")  # pauses that have begun
    last_end = np.concatenate([[-np.inf], ends])[count]
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.where(wall_times < last_end, starts[count - 1] - past[count - 1], wall_times - past[count])
        )


def run_clock(
    first_wall_time: float | None,
    columns: Iterable[Floats],
    others: Floats | None = None,
    *,
    with_pauses: bool = True,
) -> RunClock:
    """Return the clock of a run.

    A pause is a silence of all tags that is longer than `MIN_PAUSE_SECONDS` and than `MIN_PAUSE_INTERVALS` times the
    usual interval of the tag with the most values.

    Args:
        first_wall_time: Wall time of the first event of the run. The earliest value takes its place if there is none,
            or if values come before it or more than `MAX_START_SECONDS` after it: they have a clock of their own.
        columns: Wall times of every series of the run, float64[n] each.
        others: Wall times of further series together, in any order, float64[n]. None of these series has more values
            than the longest of `columns`, begins before all of them, or has a time that is absurd.
        with_pauses: Find pauses, which reads all wall times; only the active axis needs them.
    """
    columns = [column for column in columns if len(column)]
    first_value = min((time for column in columns if (time := _first_time(column)) is not None), default=None)
    start = first_wall_time if first_wall_time is not None and math.isfinite(first_wall_time) else first_value
    parts = 1.0 if first_value is None else wall_time_unit(first_value)[0]
    if start is not None and first_value is not None and not 0 <= first_value - start <= MAX_START_SECONDS * parts:
        start = first_value
    pauses = _pauses(columns, others, MIN_PAUSE_SECONDS * parts) if with_pauses else ()
    return RunClock(float(start or 0.0), pauses, parts)


def _first_time(wall_times: Floats) -> float | None:
    """Return the first wall time that is a number, and a date if the last one is a date; None without any."""
    first, last = float(wall_times[0]), float(wall_times[-1])
    least = MIN_CALENDAR if MIN_CALENDAR < last < MAX_CALENDAR else -math.inf
    if least < first < math.inf:
        return first
    usable = wall_times[(wall_times > least) & (wall_times < math.inf)]
    return float(usable[0]) if len(usable) else None


def _pauses(columns: list[Floats], others: Floats | None, shortest: float) -> tuple[tuple[float, float], ...]:
    columns = [np.delete(column, time_outliers(column)) for column in columns]  # no pause lasts until an absurd time
    longest = max(columns, key=len, default=np.empty(0))
    if len(longest) < 3:
        return ()
    least = max(shortest, MIN_PAUSE_INTERVALS * _usual_interval(longest))
    # Each series is cut into spans without a pause, and the spans of all series are merged.
    spans = [_spans(column, least) for column in (columns if others is None else (*columns, others))]
    starts, ends = (np.concatenate(each) for each in zip(*spans, strict=True))
    order = np.argsort(starts, kind="stable")
    starts, reached = starts[order], np.maximum.accumulate(ends[order])
    pauses = np.flatnonzero(starts[1:] - reached[:-1] > least)
    return tuple(zip(reached[pauses].tolist(), starts[pauses + 1].tolist(), strict=True))


def _usual_interval(wall_times: Floats) -> float:
    """Return the interval that nine in ten intervals do not exceed; 0 without any."""
    with np.errstate(over="ignore", invalid="ignore"):  # wall times may be anything, infinite too
        intervals = np.diff(wall_times)
    intervals = intervals[(intervals > 0) & np.isfinite(intervals)]
    rank = (len(intervals) - 1) * 9 // 10
    return float(np.partition(intervals, rank)[rank]) if len(intervals) else 0.0


def _spans(wall_times: Floats, least: float) -> tuple[Floats, Floats]:
    """Return the first and the last times of spans that hold no silence longer than `least` seconds."""
    times = wall_times if bool(np.all(wall_times[1:] >= wall_times[:-1])) else np.sort(wall_times)
    if not (len(times) and np.isfinite(times[0]) and np.isfinite(times[-1])):
        times = np.sort(times[np.isfinite(times)])
    with np.errstate(over="ignore"):
        breaks = np.flatnonzero(times[1:] - times[:-1] > least)
    ends = np.append(times[breaks], times[-1:])
    return np.concatenate([times[:1], times[breaks + 1]]), ends


def x_values(
    x_axis: XAxis, steps: npt.NDArray[np.int64], wall_times: Floats, clock: RunClock, origin: int = 0
) -> Floats:
    """Return the x values of points, float64[n].

    Args:
        x_axis: `step`: steps; `relative`: seconds since the start of the run; `active`: the same without pauses;
            `wall`: seconds since the epoch; `order`: 1 for the first value, 2 for the next; `tag`: the value of another
            tag at the same step, NaN at a step without one.
        steps: int64[n]: of `series.current` on the step axis, of the whole series on all others.
        wall_times: float64[n], of the same points.
        clock: Clock of the run (`run_clock`); the relative, the active and the tag axis need it.
        origin: Amount subtracted from enormous steps (`step_origin`).
    """
    if x_axis == "relative":
        return clock.relative(wall_times)
    if x_axis == "active":
        return clock.active(wall_times)
    if x_axis == "tag":
        return np.full(len(steps), np.nan) if clock.tag_values is None else clock.tag_values.at(steps)
    if x_axis == "order":
        return np.arange(1, len(steps) + 1).astype(np.float64)
    return wall_times if x_axis == "wall" else step_x(steps, origin)


MIN_CALENDAR, MAX_CALENDAR = DATES = 1e8, 4.1e9
"""Wall times from 1973 to 2099. Others, among many within it, are a broken clock."""

WALL_TIME_UNITS = ((1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds"))
"""Units that wall times are written in by mistake, in parts of a second."""

MIN_CLOCK_JUMP = 20.0
"""A clock that jumps this many spans of most values, and back, was broken in between."""


def wall_time_unit(wall_time: float) -> tuple[float, str]:
    """Return the factor by which a wall time is too large, and the name of its unit: 1.0 and "" if it is in seconds.

    Wall times beyond the year 9999 that are dates of our time in a smaller unit were multiplied by mistake.
    """
    if wall_time > 2.6e11:
        for factor, name in WALL_TIME_UNITS:
            if 3e8 < wall_time / factor < MAX_CALENDAR:  # from 1979 on
                return factor, name
    return 1.0, ""


def time_outliers(wall_times: Floats) -> npt.NDArray[np.intp]:
    """Return the indices of points with an absurd wall time among good ones.

    Absurd is a time outside of the calendar if nine in ten are in it, and a jump that is far longer than the span of
    nine in ten and that the clock took back. A run that continued after a long pause has no such point.

    Args:
        wall_times: float64[n], in the order of writing.
    """
    finite = np.flatnonzero(np.isfinite(wall_times))
    times = wall_times[finite]
    if len(times) < 3:
        return np.empty(0, np.intp)
    ascends = bool(np.all(times[1:] >= times[:-1]))
    if ascends and ((times[0] > MIN_CALENDAR and times[-1] < MAX_CALENDAR) or times[-1] < MIN_CALENDAR):
        return np.empty(0, np.intp)
    in_calendar = (times > MIN_CALENDAR) & (times < MAX_CALENDAR)
    outlying = ~in_calendar if np.count_nonzero(in_calendar) >= 0.9 * (len(times) - 1) else np.zeros(len(times), bool)
    if not ascends:
        last = len(times) - 1
        ordered = np.sort(times)
        low, high = float(ordered[math.ceil(last * 0.05)]), float(ordered[math.floor(last * 0.95)])
        room = MIN_CLOCK_JUMP * max(high - low, 1.0)
        later = np.minimum.accumulate(times[::-1])[::-1]  # the least of each time and all that follow
        before = np.maximum.accumulate(times)
        outlying |= (times > high + room) & (later < high + room)
        outlying |= (times < low - room) & (before > low - room)
    return finite[outlying]
