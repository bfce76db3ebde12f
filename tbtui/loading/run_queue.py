"""The runs that have more to read, in the order in which they are read, and the waits between polls."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tbtui.loading.run import RunLoader


MIN_POLL_SECONDS = 1.0

MAX_POLL_SECONDS = 10.0
"""Seconds between two polls of a run's files without notifications."""

_WALK_POLLED = 3.0

_WALK_NOTIFIED = 30.0
"""Seconds between two walks of the directories."""

_WALK_SHARE = 50

_WATCHED_WALK_SHARE = 300
"""Walks are repeated so rarely that they take less than 1/50 of the time, or 1/300 where they only find what was not
reported.
"""

_POLL_SHARE = 300
"""Files that were quiet for long, and those whose changes are reported, are polled so rarely that it takes less than
1/300 of the time.
"""


@frozen
class PollSchedule:
    """Seconds to wait before polling again; infinite if nothing is polled."""

    reload_seconds: float | None = None
    """Interval set by the user, 0 for never; None: chosen by activity."""

    def poll_after(self, quiet: float, *, notified: bool, cost: float = 0.0) -> float:
        """Return the seconds until the files of a run are polled again.

        A file written every few seconds will soon be written again; one that has been quiet for long will likely stay
        quiet. With notifications, polling only finds lost ones.

        Args:
            quiet: Seconds since the last write.
            notified: The file system reports changes.
            cost: Seconds that one poll of all files takes.
        """
        if self.reload_seconds is not None:
            return self.reload_seconds or math.inf
        longest = max(MAX_POLL_SECONDS, cost * _POLL_SHARE)
        return longest if notified else min(max(quiet / 10, MIN_POLL_SECONDS), longest)

    def walk_after(self, cost: float, *, notified: bool) -> float:
        """Return the seconds until the directories are walked again.

        Args:
            cost: Duration of the last walk in seconds.
            notified: The file system reports new directories and files.
        """
        if self.reload_seconds is not None:
            return max(self.reload_seconds, cost) if self.reload_seconds else math.inf
        return max(_WALK_NOTIFIED, cost * _WATCHED_WALK_SHARE) if notified else max(_WALK_POLLED, cost * _WALK_SHARE)


class RunQueue:
    """Priority queue of runs that have more to read.

    The runs read least often come first, and among them the most recently written: all runs soon show something, and
    the run being trained before the others.

    Runs can be assigned to workers. These come after all others, the last assigned first, because its result takes
    longest.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, float, str]] = []
        self._last_ones: list[tuple[float, tuple[int, ...], str]] = []
        """Candidates for assignment, least recently written first. Like `_heap`, it may hold runs that were removed."""

        self._runs: dict[str, RunLoader] = {}
        self._assigned: dict[str, RunLoader] = {}
        self._is_assigning = False

    def __bool__(self) -> bool:
        return bool(self._runs or self._assigned)

    def __len__(self) -> int:
        """Return the number of runs that are not assigned."""
        return len(self._runs)

    def __iter__(self) -> Iterator[RunLoader]:
        """Iterate over the runs that are not assigned, in no order."""
        return iter(self._runs.values())

    def push(self, run: RunLoader) -> None:
        """Add a run, replacing another of the same name; an assigned run stays assigned."""
        if self._assigned.get(run.name) is run:
            return
        self._assigned.pop(run.name, None)
        if run.name not in self._runs:
            passes = min(run.passes, 1) if self._is_assigning else run.passes
            heapq.heappush(self._heap, (passes, -run.modified, run.name))
            if self._is_assigning:
                heapq.heappush(self._last_ones, _by_age(run))
        self._runs[run.name] = run

    def pop(self) -> RunLoader:
        """Remove and return the next run."""
        while self._heap:
            run = self._runs.pop(heapq.heappop(self._heap)[2], None)
            if run is not None:
                return run
        return self._assigned.popitem()[1]

    @property
    def is_assigning(self) -> bool:
        """True while workers read in parallel with the loader."""
        return self._is_assigning

    def start_assigning(self) -> None:
        """Allow assignment.

        From now on, a run that the loader has begun is read to its end before the next one, not in turns with others.
        Otherwise much of what is assigned would be read twice.
        """
        self._is_assigning = True
        self._last_ones = [_by_age(run) for run in self._runs.values()]
        heapq.heapify(self._last_ones)

    def stop_assigning(self) -> None:
        """End assignment; runs that are assigned stay so."""
        self._is_assigning = False
        self._last_ones.clear()

    def assign(self, is_assignable: Callable[[RunLoader], bool]) -> RunLoader | None:
        """Return the least recently written assignable run, but never the last unassigned one.

        A run that is not assignable becomes a candidate again when it was read and pushed.

        Returns:
            None if there is no such run.
        """
        while self._last_ones and len(self._runs) > 1:
            name = heapq.heappop(self._last_ones)[-1]
            run = self._runs.get(name)
            if run is not None and is_assignable(run):
                self._assigned[name] = self._runs.pop(name)
                run.was_assigned = True
                return run
        return None

    def release(self, run: RunLoader) -> None:
        """End the assignment of a run and remove it from the queue."""
        if self._assigned.get(run.name) is run:
            del self._assigned[run.name]


def _by_age(run: RunLoader) -> tuple[float, tuple[int, ...], str]:
    return run.modified, tuple(-ord(letter) for letter in run.name), run.name
