"""X values of the points of a series on each axis, and the clock of a run: origin of its times and its pauses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

XAxis: TypeAlias = Literal["step", "relative", "wall", "order", "active", "tag"]

STEP_AXES: frozenset[XAxis] = frozenset({"step", "tag"})
"""Axes without superseded points: each step has one position on them."""

TIME_AXES: frozenset[XAxis] = frozenset({"relative", "wall", "active"})

MIN_PAUSE_SECONDS = 300.0
"""Minimum length of a pause. The writers of PyTorch and TensorFlow flush every 120 seconds by default."""

MIN_PAUSE_INTERVALS = 20
"""Minimum length of a pause in usual intervals of the run: nine in ten intervals of its longest tag are no longer."""


MAX_START_SECONDS = 86_400.0
"""Maximum time from the first event of a run, which records the opening of its file, to its first value."""


MAX_EXACT_INTEGER = 2**53
"""Largest magnitude up to which every integer is exact as float64."""


def step_origin(steps: Iterable[npt.NDArray[np.int64]]) -> int:
    """Return the value to subtract from all steps of a chart so that neighbours stay distinct as float64.

    Args:
        steps: Step column of each series of the chart.

    Returns:
        0 unless steps exceed `MAX_EXACT_INTEGER`; otherwise the smallest step of the chart.
    """
    ends = [(int(column.min()), int(column.max())) for column in steps if len(column)]
    if all(low >= -MAX_EXACT_INTEGER and high <= MAX_EXACT_INTEGER for low, high in ends):
        return 0
    return min(low for low, _ in ends)


def step_x(steps: npt.NDArray[np.int64], origin: int = 0) -> npt.NDArray[np.float64]:
    """Return steps as x values, float64[n], relative to `origin` (see `step_origin`)."""
    if origin == 0:
        return steps.astype(np.float64)
    # The difference of two int64 may need 65 bits; as unsigned numbers it is exact, since no step is below the origin.
    return np.asarray((steps.astype(np.uint64) - np.uint64(origin % 2**64)).astype(np.float64))


def to_steps(x: npt.NDArray[np.float64], origin: int = 0) -> npt.NDArray[np.int64]:
    """Return the steps at ascending x values, int64[n]: the inverse of `step_x`, up to float64 precision."""
    # Rounding may have moved x beyond the largest int64 step.
    x = np.minimum(x, math.nextafter(float(2**63 - 1 - origin), 0.0)) if len(x) and x[-1] > MAX_EXACT_INTEGER else x
    if origin == 0:
        return x.astype(np.int64)
    return np.asarray((x.astype(np.uint64) + np.uint64(origin % 2**64)).view(np.int64))


def start_time(wall_times: npt.NDArray[np.float64]) -> float:
    """Return the origin of relative time: the first finite wall time; 0.0 without any."""
    if len(wall_times) and np.isfinite(wall_times[0]):
        return float(wall_times[0])
    finite = wall_times[np.isfinite(wall_times)]
    return float(finite[0]) if len(finite) else 0.0


def compute_relative_x(wall_times: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return seconds since the first point of this series, float64[n], as TensorBoard does.

    The origin is not the start of the run. If the first wall time is not finite, the first finite one is the origin.
    """
    return np.asarray(wall_times - start_time(wall_times))


def compute_wall_x(wall_times: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return seconds since the epoch, float64[n]."""
    return wall_times


@frozen(eq=False)
class TagValues:
    """Values of a scalar of a run by step, which are the x axis of its other tags."""

    steps: npt.NDArray[np.int64]
    """Strictly increasing, int64[n]."""

    values: Floats
    key: tuple[str, str, int]
    """Run, tag and revision, which identify the values."""

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

    On the axis `tag` it holds the values of that tag instead.
    """

    start: float = 0.0
    """First wall time of the run, seconds since the epoch."""

    pauses: tuple[tuple[float, float], ...] = ()
    """Start and end of each pause, in which no tag of the run has a value; ascending, without overlap."""

    units_per_second: float = 1.0
    """Units of wall time per second: 1000 if they are in milliseconds by mistake."""

    tag_values: TagValues | None = None
    """x values on the axis `tag`; None: the run has no such tag."""

    def seconds(self, wall_time: float) -> float:
        """Return the seconds from the start of the run to a wall time."""
        return (wall_time - self.start) / self.units_per_second

    def compute_relative_times(self, wall_times: Floats) -> Floats:
        """Return seconds since the start of the run, float64[n]; negative for a clock that was set back."""
        elapsed = np.asarray(wall_times - self.start)
        return elapsed if self.units_per_second == 1 else elapsed / self.units_per_second

    def compute_active_times(self, wall_times: Floats) -> Floats:
        """Return seconds since the start of the run without pauses, float64[n]. A time in a pause becomes its start."""
        if not self.pauses:
            return self.compute_relative_times(wall_times)
        starts, ends = np.array(self.pauses).T
        elapsed = _subtract_pauses(wall_times, starts, ends) - _subtract_pauses(np.array([self.start]), starts, ends)[0]
        return np.asarray(elapsed if self.units_per_second == 1 else elapsed / self.units_per_second)


def _subtract_pauses(wall_times: Floats, starts: Floats, ends: Floats) -> Floats:
    """Return wall times minus the pauses before them."""
    paused_before = np.concatenate([[0.0], np.cumsum(ends - starts)])
    count = np.searchsorted(starts, wall_times, "right")  # pauses that have begun
    last_end = np.concatenate([[-np.inf], ends])[count]
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.where(
                wall_times < last_end, starts[count - 1] - paused_before[count - 1], wall_times - paused_before[count]
            )
        )


def build_run_clock(
    first_wall_time: float | None,
    columns: Iterable[Floats],
    other_times: Floats | None = None,
    *,
    with_pauses: bool = True,
) -> RunClock:
    """Return the clock of a run.

    A pause is a time without values of any tag. It is longer than `MIN_PAUSE_SECONDS`, and longer than
    `MIN_PAUSE_INTERVALS` times the usual interval of the tag with the most values.

    Args:
        first_wall_time: Wall time of the first event of the run. It is replaced by the time of the earliest value if it
            is missing, after that time, or more than `MAX_START_SECONDS` before it: values may have another clock.
        columns: Wall times of every series of the run, float64[n] each.
        other_times: Wall times of further series together, in any order, float64[n]. None of these series has more
            values than the longest of `columns`, starts before all of them, or has outliers.
        with_pauses: Find pauses, which reads all wall times; only the active axis needs them.
    """
    columns = [column for column in columns if len(column)]
    first_value = min((time for column in columns if (time := _find_first_time(column)) is not None), default=None)
    start = first_wall_time if first_wall_time is not None and math.isfinite(first_wall_time) else first_value
    units_per_second = 1.0 if first_value is None else guess_wall_time_unit(first_value)[0]
    if (
        start is not None
        and first_value is not None
        and not 0 <= first_value - start <= MAX_START_SECONDS * units_per_second
    ):
        start = first_value
    pauses = _find_pauses(columns, other_times, MIN_PAUSE_SECONDS * units_per_second) if with_pauses else ()
    return RunClock(float(start or 0.0), pauses, units_per_second)


def _find_first_time(wall_times: Floats) -> float | None:
    """Return the first finite wall time, within the calendar if the last one is; None without any."""
    first, last = float(wall_times[0]), float(wall_times[-1])
    min_time = MIN_CALENDAR if MIN_CALENDAR < last < MAX_CALENDAR else -math.inf
    if min_time < first < math.inf:
        return first
    usable = wall_times[(wall_times > min_time) & (wall_times < math.inf)]
    return float(usable[0]) if len(usable) else None


def _find_pauses(
    columns: list[Floats], other_times: Floats | None, min_length: float
) -> tuple[tuple[float, float], ...]:
    columns = [np.delete(column, find_time_outliers(column)) for column in columns]  # an outlier is no end of a pause
    longest = max(columns, key=len, default=np.empty(0))
    if len(longest) < 3:
        return ()
    min_pause = max(min_length, MIN_PAUSE_INTERVALS * _find_typical_interval(longest))
    # Each series is cut into spans without a pause, and the spans of all series are merged.
    spans = [
        _split_at_gaps(column, min_pause) for column in (columns if other_times is None else (*columns, other_times))
    ]
    starts, ends = (np.concatenate(each) for each in zip(*spans, strict=True))
    order = np.argsort(starts, kind="stable")
    starts, latest_ends = starts[order], np.maximum.accumulate(ends[order])
    pauses = np.flatnonzero(starts[1:] - latest_ends[:-1] > min_pause)
    return tuple(zip(latest_ends[pauses].tolist(), starts[pauses + 1].tolist(), strict=True))


def _find_typical_interval(wall_times: Floats) -> float:
    """Return the 90th percentile of the intervals; 0 without any."""
    with np.errstate(over="ignore", invalid="ignore"):  # wall times may be anything, infinite too
        intervals = np.diff(wall_times)
    intervals = intervals[(intervals > 0) & np.isfinite(intervals)]
    rank = (len(intervals) - 1) * 9 // 10
    return float(np.partition(intervals, rank)[rank]) if len(intervals) else 0.0


def _split_at_gaps(wall_times: Floats, min_gap: float) -> tuple[Floats, Floats]:
    """Return the first and the last times of spans without a gap longer than `min_gap`, in the unit of the times."""
    times = wall_times if bool(np.all(wall_times[1:] >= wall_times[:-1])) else np.sort(wall_times)
    if not (len(times) and np.isfinite(times[0]) and np.isfinite(times[-1])):
        times = np.sort(times[np.isfinite(times)])
    with np.errstate(over="ignore"):
        breaks = np.flatnonzero(times[1:] - times[:-1] > min_gap)
    ends = np.append(times[breaks], times[-1:])
    return np.concatenate([times[:1], times[breaks + 1]]), ends


def compute_x_values(
    x_axis: XAxis, steps: npt.NDArray[np.int64], wall_times: Floats, clock: RunClock, origin: int = 0
) -> Floats:
    """Return the x values of points, float64[n].

    Args:
        x_axis: `step`: steps; `relative`: seconds since the start of the run; `active`: the same without pauses;
            `wall`: seconds since the epoch; `order`: 1 for the first value, 2 for the next; `tag`: the value of another
            tag at the same step, NaN at a step without one.
        steps: int64[n]: of `series.current` on the step axis, of the whole series on all others.
        wall_times: float64[n], of the same points.
        clock: Clock of the run (`build_run_clock`); the relative, the active and the tag axis need it.
        origin: Amount subtracted from enormous steps (`step_origin`).
    """
    if x_axis == "relative":
        return clock.compute_relative_times(wall_times)
    if x_axis == "active":
        return clock.compute_active_times(wall_times)
    if x_axis == "tag":
        return np.full(len(steps), np.nan) if clock.tag_values is None else clock.tag_values.at(steps)
    if x_axis == "order":
        return np.arange(1, len(steps) + 1).astype(np.float64)
    return wall_times if x_axis == "wall" else step_x(steps, origin)


MIN_CALENDAR, MAX_CALENDAR = DATES = 1e8, 4.1e9
"""Wall times from 1973 to 2099. A few other times among many in this range come from a broken clock."""

WALL_TIME_UNITS = ((1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds"))
"""Wrong units of wall times, as parts of a second."""

MIN_CLOCK_JUMP = 20.0
"""Minimum jump of a broken clock, in spans of most values."""


def guess_wall_time_unit(wall_time: float) -> tuple[float, str]:
    """Return the factor by which a wall time is too large, and the name of its unit: 1.0 and "" if it is in seconds.

    Wall times after the year 10000 that would be recent dates in a smaller unit were written in that unit by mistake.
    """
    if wall_time > 2.6e11:  # the year 10209
        for factor, name in WALL_TIME_UNITS:
            if 3e8 < wall_time / factor < MAX_CALENDAR:  # from 1979 on
                return factor, name
    return 1.0, ""


def find_time_outliers(wall_times: Floats) -> npt.NDArray[np.intp]:
    """Return the indices of points with the wall time of a broken clock.

    Such a time is outside the calendar while nine in ten are inside; or the clock jumps by far more than the span of
    nine in ten times, and jumps back later. A run that continued after a long pause has no such point.

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
        tolerance = MIN_CLOCK_JUMP * max(high - low, 1.0)
        later = np.minimum.accumulate(times[::-1])[::-1]  # the least of each time and all that follow
        before = np.maximum.accumulate(times)
        outlying |= (times > high + tolerance) & (later < high + tolerance)
        outlying |= (times < low - tolerance) & (before > low - tolerance)
    return finite[outlying]
