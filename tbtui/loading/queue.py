"""Which run is read next."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.loading.run import RunLoader


class ReadingQueue:
    """Runs that have more to read.

    Those that were served least often come first, and among them those written last: all runs soon have something to
    show, the one being trained now before the others.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, float, str]] = []
        self._runs: dict[str, RunLoader] = {}

    def __bool__(self) -> bool:
        return bool(self._heap)

    def push(self, run: RunLoader) -> None:
        """Add a run, or take it instead of one of the same name that it replaces."""
        if run.name not in self._runs:
            heapq.heappush(self._heap, (run.passes, -run.modified, run.name))
        self._runs[run.name] = run

    def pop(self) -> RunLoader:
        """Take the next run out."""
        return self._runs.pop(heapq.heappop(self._heap)[2])
