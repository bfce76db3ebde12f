"""X values of the points of a series on each axis, and the clock of a run that times count from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.axes import step_x

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

XAxis: TypeAlias = Literal["step", "relative", "wall", "order", "active"]

MIN_PAUSE_SECONDS = 300.0
"""Minimum length of a pause. The writers of PyTorch and TensorFlow flush every 120 seconds by default."""

MIN_PAUSE_INTERVALS = 20
"""Minimum length of a pause in usual intervals of the run: nine in ten intervals of its longest tag are no longer."""


@frozen
class RunClock:
    """Origin of the relative time of all tags of a run, and the pauses that active time leaves out."""

    start: float = 0.0
    """First wall time of the run, seconds since the epoch."""

    pauses: tuple[tuple[float, float], ...] = ()
    """Wall times between which no tag of the run has a value; ascending, they do not overlap."""

    def relative(self, wall_times: Floats) -> Floats:
        """Return seconds since the start of the run, float64[n]; negative for a clock that was set back."""
        return np.asarray(wall_times - self.start)

    def active(self, wall_times: Floats) -> Floats:
        """Return seconds since the start of the run without pauses, float64[n]. A time in a pause is its start."""
        if not self.pauses:
            return self.relative(wall_times)
        starts, ends = np.array(self.pauses).T
        return np.asarray(_without(wall_times, starts, ends) - _without(np.array([self.start]), starts, ends)[0])


def _without(wall_times: Floats, starts: Floats, ends: Floats) -> Floats:
    """Return wall times less the time that was spent in pauses before them."""
    past = np.concatenate([[0.0], np.cumsum(ends - starts)])
    count = np.searchsorted(starts, wall_times, "right")  # pauses that have begun
    last_end = np.concatenate([[-np.inf], ends])[count]
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.where(wall_times < last_end, starts[count - 1] - past[count - 1], wall_times - past[count])
        )


def run_clock(first_wall_time: float | None, columns: Iterable[Floats], *, with_pauses: bool = True) -> RunClock:
    """Return the clock of a run.

    A pause is a silence of all tags that is longer than `MIN_PAUSE_SECONDS` and than `MIN_PAUSE_INTERVALS` times the
    usual interval of the tag with the most values.

    Args:
        first_wall_time: `first_wall_time` of the run; if it is None, not finite or not above 0, the first finite wall
            time of a series takes its place.
        columns: Wall times of every series of the run, float64[n] each.
        with_pauses: Find pauses, which reads all wall times; only the active axis needs them.
    """
    if first_wall_time is not None and 0 < first_wall_time < np.inf and not with_pauses:
        return RunClock(float(first_wall_time))
    columns = [column for column in columns if len(column)]
    if first_wall_time is None or not 0 < first_wall_time < np.inf:
        first_wall_time = min((time for column in columns if (time := _first_finite(column)) is not None), default=0.0)
    return RunClock(float(first_wall_time), _pauses(columns) if with_pauses else ())


def _first_finite(wall_times: Floats) -> float | None:
    if np.isfinite(wall_times[0]):
        return float(wall_times[0])
    finite = wall_times[np.isfinite(wall_times)]
    return float(finite[0]) if len(finite) else None


def _pauses(columns: list[Floats]) -> tuple[tuple[float, float], ...]:
    longest = max(columns, key=len, default=np.empty(0))
    if len(longest) < 3:
        return ()
    least = max(MIN_PAUSE_SECONDS, MIN_PAUSE_INTERVALS * _usual_interval(longest))
    # Each series is cut into spans without a pause, and the spans of all series are merged.
    spans = [_spans(column, least) for column in columns]
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
            `wall`: seconds since the epoch; `order`: 1 for the first value, 2 for the next.
        steps: int64[n]: of `series.current` on the step axis, of the whole series on all others.
        wall_times: float64[n], of the same points.
        clock: Clock of the run (`run_clock`); the relative and the active axis need it.
        origin: Amount subtracted from enormous steps (`step_origin`).
    """
    if x_axis == "relative":
        return clock.relative(wall_times)
    if x_axis == "active":
        return clock.active(wall_times)
    if x_axis == "order":
        return np.arange(1.0, len(steps) + 1)
    return wall_times if x_axis == "wall" else step_x(steps, origin)
