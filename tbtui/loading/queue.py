"""Which run is read next."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tbtui.loading.run import RunLoader


class ReadingQueue:
    """Runs that have more to read.

    Those that were served least often come first, and among them those written last: all runs soon have something to
    show, the one being trained now before the others.

    Runs can be lent to others that read them. These come after all others, the one lent last first, which has the
    longest to wait elsewhere.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, float, str]] = []
        self._last_ones: list[tuple[float, tuple[int, ...], str]] = []
        """Those written first, of what can still be lent. In both are runs that have been taken out meanwhile."""

        self._runs: dict[str, RunLoader] = {}
        self._lent: dict[str, RunLoader] = {}
        self._lends = False

    def __bool__(self) -> bool:
        return bool(self._runs or self._lent)

    def __iter__(self) -> Iterator[RunLoader]:
        """Those that are not lent, in no order."""
        return iter(self._runs.values())

    def push(self, run: RunLoader) -> None:
        """Add a run, or take it instead of one of the same name that it replaces; one that is lent stays so."""
        if self._lent.get(run.name) is run:
            return
        self._lent.pop(run.name, None)
        if run.name not in self._runs:
            passes = min(run.passes, 1) if self._lends else run.passes
            heapq.heappush(self._heap, (passes, -run.modified, run.name))
            if self._lends:
                heapq.heappush(self._last_ones, _by_age(run))
        self._runs[run.name] = run

    def pop(self) -> RunLoader:
        """Take the next run out."""
        while self._heap:
            run = self._runs.pop(heapq.heappop(self._heap)[2], None)
            if run is not None:
                return run
        return self._lent.popitem()[1]

    @property
    def lends(self) -> bool:
        """Whether others read beside whoever takes runs out here."""
        return self._lends

    def begin_lending(self) -> None:
        """From now on runs can be lent.

        Those that have been begun here are read to their end one after the other, no longer side by side: otherwise
        much of what is lent would be read twice.
        """
        self._lends = True
        self._last_ones = [_by_age(run) for run in self._runs.values()]
        heapq.heapify(self._last_ones)

    def end_lending(self) -> None:
        """No more runs are lent; those that are lent stay so."""
        self._lends = False
        self._last_ones.clear()

    def lend(self, can_be_lent: Callable[[RunLoader], bool]) -> RunLoader | None:
        """Lend the run written first, though never the only one that is not lent; None: there is none.

        One that cannot be lent is asked for again when it has been served.
        """
        while self._last_ones and len(self._runs) > 1:
            name = heapq.heappop(self._last_ones)[-1]
            run = self._runs.get(name)
            if run is not None and can_be_lent(run):
                self._lent[name] = self._runs.pop(name)
                run.lent = True
                return run
        return None

    def take_back(self, run: RunLoader) -> None:
        """A run is lent no more; it is in the queue only when it is pushed again."""
        if self._lent.get(run.name) is run:
            del self._lent[run.name]


def _by_age(run: RunLoader) -> tuple[float, tuple[int, ...], str]:
    return run.modified, tuple(-ord(letter) for letter in run.name), run.name
