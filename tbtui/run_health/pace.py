"""Pace of a run: its steps a second, and the silence that is usual between two of its writes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.decimate import compute_median
from tbtui.maths.x_values import guess_wall_time_unit
from tbtui.run_health.ages import MINUTE

if TYPE_CHECKING:
    from tbtui.store.run_series import ScalarEnds


MIN_STALL_SECONDS = 5 * MINUTE
"""Minimum silence of a stall. The writers of PyTorch and TensorFlow flush every 120 seconds by default: a healthy run
may be silent for that long and a little more."""

MIN_STALL_INTERVALS = 20
"""A stall lasts at least this many times the usual time between two writes."""

MIN_REGULAR_WRITES, MIN_REGULAR_SECONDS = 10, MINUTE
"""Minimum values of one tag, and seconds that they span, of a run that writes regularly."""

MAX_RECENT_VALUES = 512
"""Values at the end of a run from which its pace is computed."""

PACE_SEGMENTS = 5

MAX_SHORT_VALUES = 32
"""Maximum values of a tag for which lists are faster than arrays; a segment then has less than 8 intervals."""


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


def estimate_pace(ends: ScalarEnds) -> Pace | None:
    """Return the pace of a run; None if its longest tag has no two values at ascending steps and finite times."""
    main = ends.longest
    if main is None:
        return None
    if len(main.steps) <= MAX_SHORT_VALUES:
        return _estimate_short_pace(main.steps.tolist(), main.wall_times.tolist())
    with np.errstate(over="ignore", invalid="ignore"):  # wall times may be anything, infinite too
        recent_steps = main.steps[-MAX_RECENT_VALUES:].astype(np.float64)
        recent_times = main.wall_times[-MAX_RECENT_VALUES:]
        scale = guess_wall_time_unit(main.wall_times.item(-1))[0]
        # np.diff and np.linspace take longer than everything that is computed for a short run.
        steps = recent_steps[1:] - recent_steps[:-1]
        seconds = (recent_times[1:] - recent_times[:-1]) / scale
        forward = (steps > 0) & (seconds > 0) & (seconds < math.inf)
        if not forward.all():
            steps, seconds = steps[forward], seconds[forward]
        if not len(steps):
            return None
        segments = min(PACE_SEGMENTS, len(steps))
        starts = [segment * len(steps) // segments for segment in range(segments)]
        rate = compute_median(np.add.reduceat(steps, starts) / np.add.reduceat(seconds, starts))
    if not 0 < rate < math.inf:
        return None
    interval = float(np.sort(seconds)[(len(seconds) - 1) * 9 // 10])
    lasted = (main.wall_times.item(-1) - main.wall_times.item(0)) / scale
    regular = len(main.steps) >= MIN_REGULAR_WRITES and lasted >= MIN_REGULAR_SECONDS
    return Pace(rate, interval, int(compute_median(steps)), regular)


def _estimate_short_pace(main_steps: list[int], wall_times: list[float]) -> Pace | None:
    """Return the pace of a tag with few values, equal to that of arrays: thousands of runs of a search are short."""
    scale = guess_wall_time_unit(wall_times[-1])[0]
    floats = [float(step) for step in main_steps]
    pairs = [
        (after - before, (end - start) / scale)
        for before, after, start, end in zip(floats[:-1], floats[1:], wall_times[:-1], wall_times[1:], strict=True)
    ]
    forward = [pair for pair in pairs if pair[0] > 0 and 0 < pair[1] < math.inf]
    if not forward:
        return None
    steps, seconds = [pair[0] for pair in forward], [pair[1] for pair in forward]
    if len(forward) <= PACE_SEGMENTS:
        rates = sorted([pair[0] / pair[1] for pair in forward])
    else:
        starts = [segment * len(steps) // PACE_SEGMENTS for segment in range(PACE_SEGMENTS)]
        bounds = zip(starts, [*starts[1:], len(steps)], strict=True)
        rates = sorted(_sum_segment(steps[begin:end]) / _sum_segment(seconds[begin:end]) for begin, end in bounds)
    rate = _compute_median(rates)
    if any(map(math.isnan, rates)) or not 0 < rate < math.inf:
        return None
    ordered = sorted(seconds)
    lasted = (wall_times[-1] - wall_times[0]) / scale
    regular = len(main_steps) >= MIN_REGULAR_WRITES and lasted >= MIN_REGULAR_SECONDS
    return Pace(rate, ordered[(len(ordered) - 1) * 9 // 10], int(_compute_median(sorted(steps))), regular)


def _sum_segment(values: list[float]) -> float:
    """Return the sum of a segment, rounded like that of `np.add.reduceat`: the first one is added to all others.

    The built-in `sum` of Python 3.12 and later rounds in another way.
    """
    first, *others = values
    total = -0.0
    for value in others:
        total += value
    return first + total


def _compute_median(ordered: list[float]) -> float:
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
