"""The time left of a load, estimated from the rate of its last seconds."""

from __future__ import annotations

import math
from collections import deque

MIN_ESTIMATE_SECONDS = 2.0
"""A load is not estimated before this time has passed; most are over by then."""

RATE_SECONDS = 10.0
"""The rate is that of so many last seconds: other programs, caches and kinds of files change it."""

MARK_SECONDS = 0.5
"""Time between two marks from which the rate is computed."""

MAX_CHANGE = 0.25
"""Part of the present estimate by which a new one must differ to replace it; until then it counts down."""


class TimeLeft:
    """Estimates when a load ends, in a way that is calm to watch."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()
        self._end: float | None = None

    def estimate(self, now: float, done: int, total: int) -> int | None:
        """Return about how many seconds the rest takes, in round numbers; None while that is unknown.

        Args:
            now: Seconds of a monotonic clock.
            done: Bytes that were read.
            total: Bytes of all files, once all are found.
        """
        if not done or done >= total:
            return None
        marks = self._marks
        if not marks or now - marks[-1][0] >= MARK_SECONDS:
            marks.append((now, done))
        while len(marks) > 2 and now - marks[1][0] >= RATE_SECONDS:
            marks.popleft()
        since, before = marks[0]
        if now - since < MIN_ESTIMATE_SECONDS or done <= before:
            return None
        left = (total - done) * (now - since) / (done - before)
        if self._end is None or abs(now + left - self._end) > MAX_CHANGE * max(left, 2.0):
            self._end = now + left
        return round_seconds(max(self._end - now, 1.0))


def round_seconds(seconds: float) -> int:
    """Return a number of seconds that is rounded up: to 5 from 10 on, to 30 from a minute on."""
    step = 1 if seconds < 10 else 5 if seconds < 60 else 30
    return step * math.ceil(seconds / step)
