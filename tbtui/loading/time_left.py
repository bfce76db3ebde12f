"""The time left of a load, estimated from the rate of its last seconds."""

from __future__ import annotations

import math
from collections import deque

MIN_ESTIMATE_SECONDS = 2.0
"""A load is not estimated before this time has passed; most are over by then."""

RATE_SECONDS = 10.0
"""The rate is that of the last seconds: other programs, caches and kinds of files change it."""

RECENT_SECONDS = 3.0
"""If the rate of these seconds is lower, it counts. A load that ends later than was said is worse than the reverse."""

RUN_BYTES, FILE_BYTES = 64 << 10, 4 << 10
"""Bytes that take as long to read as what a run and a file take besides: 0.24 ms and 15 µs, at 270 MB a second."""

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
            done: Work that is done, in bytes: those that were read, and those that count for runs and files.
            total: All work, once all files are found.
        """
        if not done:
            return None
        marks = self._marks
        if not marks or now - marks[-1][0] >= MARK_SECONDS:
            marks.append((now, done))
        while len(marks) > 2 and now - marks[1][0] >= RATE_SECONDS:
            marks.popleft()
        if done >= total or now - marks[0][0] < MIN_ESTIMATE_SECONDS:
            return None
        recent = next((mark for mark in reversed(marks) if now - mark[0] >= RECENT_SECONDS), marks[0])
        seconds = [
            (total - done) * (now - since) / (done - before) for since, before in (marks[0], recent) if done > before
        ]
        if not seconds:
            return None
        left = max(seconds)
        if self._end is None or abs(now + left - self._end) > MAX_CHANGE * max(left, 2.0):
            self._end = now + left
        return round_seconds(max(self._end - now, 1.0))


def round_seconds(seconds: float) -> int:
    """Return a number of seconds that is rounded up: to 5 from 10 on, to 30 from a minute on."""
    step = 1 if seconds < 10 else 5 if seconds < 60 else 30
    return step * math.ceil(seconds / step)
