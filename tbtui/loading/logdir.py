"""All runs of the log directories: found, looked at and read in rounds of bounded length."""

from __future__ import annotations

import heapq
import math
import os
import time
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from tbtui.events.decoder import RunDecoder
from tbtui.events.templates import TemplateCache
from tbtui.frozen import frozen
from tbtui.loading.discovery import Discovery, Mounts
from tbtui.loading.run import RunLoader
from tbtui.loading.sources import is_event_file
from tbtui.loading.workers.pool import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tbtui.loading.cache.store import RunIndexes
    from tbtui.loading.discovery import DirectoryIdentity, FoundRun
    from tbtui.loading.sources import Source
    from tbtui.loading.state import FileProblem
    from tbtui.store.staging import Store


# How often files and directories are looked at.


MIN_POLL_SECONDS = 1.0
MAX_POLL_SECONDS = 10.0
"""Seconds between two looks at the files of a run that nothing tells of."""

_WALK_POLLED = 3.0
_WALK_NOTIFIED = 30.0
"""Seconds between two walks through the directories."""

_WALK_SHARE = 50
"""A walk that takes long is repeated as seldom as keeps it below 1/50 of the time."""


@frozen
class PollSchedule:
    """The seconds to wait before looking again; infinite when nothing is looked at again."""

    reload_seconds: float | None = None
    """What the user asked for, 0 for never; None: by rule."""

    def look_after(self, quiet: float, *, notified: bool) -> float:
        """Until the files of a run are looked at again.

        A file that is written every few seconds is soon written again; one that has been quiet for long likely stays
        so. Notifications make looking unnecessary, but for those that got lost.

        Args:
            quiet: seconds since one of them was last written.
            notified: the file system tells of changes.
        """
        if self.reload_seconds is not None:
            return self.reload_seconds or math.inf
        return MAX_POLL_SECONDS if notified else min(max(quiet / 10, MIN_POLL_SECONDS), MAX_POLL_SECONDS)

    def walk_after(self, cost: float, *, notified: bool) -> float:
        """Until the directories are walked again.

        Args:
            cost: seconds that the last walk took.
            notified: the file system tells of new directories and files.
        """
        if self.reload_seconds is not None:
            return max(self.reload_seconds, cost) if self.reload_seconds else math.inf
        return max(_WALK_NOTIFIED if notified else _WALK_POLLED, cost * _WALK_SHARE)


# Which run is read next.


class RunQueue:
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
        self._assigned: dict[str, RunLoader] = {}
        self._is_assigning = False

    def __bool__(self) -> bool:
        return bool(self._runs or self._assigned)

    def __iter__(self) -> Iterator[RunLoader]:
        """Those that are not lent, in no order."""
        return iter(self._runs.values())

    def push(self, run: RunLoader) -> None:
        """Add a run, or take it instead of one of the same name that it replaces; one that is lent stays so."""
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
        """Take the next run out."""
        while self._heap:
            run = self._runs.pop(heapq.heappop(self._heap)[2], None)
            if run is not None:
                return run
        return self._assigned.popitem()[1]

    @property
    def is_assigning(self) -> bool:
        """Whether others read beside whoever takes runs out here."""
        return self._is_assigning

    def start_assigning(self) -> None:
        """From now on runs can be lent.

        Those that have been begun here are read to their end one after the other, no longer side by side: otherwise
        much of what is lent would be read twice.
        """
        self._is_assigning = True
        self._last_ones = [_by_age(run) for run in self._runs.values()]
        heapq.heapify(self._last_ones)

    def stop_assigning(self) -> None:
        """No more runs are lent; those that are lent stay so."""
        self._is_assigning = False
        self._last_ones.clear()

    def assign(self, is_assignable: Callable[[RunLoader], bool]) -> RunLoader | None:
        """Lend the run written first, though never the only one that is not lent; None: there is none.

        One that cannot be lent is asked for again when it has been served.
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
        """A run is lent no more; it is in the queue only when it is pushed again."""
        if self._assigned.get(run.name) is run:
            del self._assigned[run.name]


def _by_age(run: RunLoader) -> tuple[float, tuple[int, ...], str]:
    return run.modified, tuple(-ord(letter) for letter in run.name), run.name


VANISHED_SECONDS = 30.0
"""So long a run whose directory is gone stays in sight, dimmed: time to see what happened, and for a directory that is
being replaced to come back."""

_NOW = -math.inf
"""A time that is always due."""

FIRST_WALK_SECONDS = 0.25
"""So long the first walk may take before anything is read. Runs get their colours in the order of their names, so the
first state should have all names, however slow the machine is just now."""

MAX_WATCHED_DIRECTORIES = 2_000
"""Trees with more directories are polled: while their watches are set up, 64 µs each, no other thread has a turn, and
the kernel does not grant a user many more."""


class LogdirLoader:
    """Keeps the store as the log directories are.

    Belongs to one thread. Each round looks at the runs that are due, walks a little, and reads a piece of each run
    that has more, those written last first, so that all of them grow side by side.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        store: Store,
        *,
        reload_seconds: float | None = None,
        whole: bool = False,
        indexes: RunIndexes | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        status_of: Callable[[str], os.stat_result] = os.stat,
    ) -> None:
        """Begin with nothing; the first round begins the first walk.

        Args:
            sources: where to look for runs.
            store: what to fill.
            reload_seconds: how often to look again; None: by rule; 0: only when asked to.
            whole: read all bytes, also those of long values that are only needed when they are shown.
            indexes: where what was read is kept for the next time; None: nowhere.
            clock: seconds on a clock that never goes back.
            now: seconds since the epoch.
            status_of: a stand-in for `os.stat`.
        """
        self._discovery = Discovery(sources, status_of=status_of)
        self.heard: frozenset[str] = frozenset()
        """Directories of whose changes the file system tells, by `notice`."""

        self.complete = False
        """Everything that was there at first has been read."""

        self._store = store
        self._clock = clock
        self._now = now
        self._status_of = status_of
        self._pace = PollSchedule(reload_seconds)
        self._mounts = Mounts()
        self._new_decoder = partial(RunDecoder, TemplateCache(), whole=whole)
        self._indexes = indexes
        self._to_keep: dict[str, RunLoader] = {}
        self._runs: dict[str, RunLoader] = {}
        self._names_by_path: dict[str, set[str]] = {}
        """Of each file the runs that it belongs to: several where a directory is shown under several names."""

        self._queue = RunQueue()
        self.pool = WorkerPool(self._queue, whole=whole)
        """Others that read runs beside this loader; nobody until somebody is let."""

        self._looks_left = False
        """A look at some runs was asked for, and there was no time for it in the last round."""

        self._changed: dict[str, RunLoader] = {}
        self._stale = False
        self._problems: dict[str, tuple[FileProblem, ...]] = {}
        self._walk: Iterator[FoundRun | None] | None = None
        self._walk_began = 0.0
        self._walked = False
        self._next_walk = _NOW
        self._found: set[str] = set()

    @property
    def busy(self) -> bool:
        """A walk is under way or asked for, a look at runs is, or a run has more to read."""
        return self._walk is not None or self._next_walk == _NOW or bool(self._queue) or self._looks_left

    @property
    def due(self) -> float:
        """When there is something to do again, on the clock; infinite for never."""
        return min(chain((self._next_walk,), (run.next_look for run in self._runs.values())))

    @property
    def progress(self) -> tuple[int, int]:
        """(bytes that need not be read any more, bytes in all) of the files found so far."""
        parts = [run.progress for run in self._runs.values()]
        return sum(done for done, _ in parts), sum(size for _, size in parts)

    @property
    def problems(self) -> tuple[FileProblem, ...]:
        """The damage list, by run."""
        return (
            *self._discovery.problems,
            *chain.from_iterable(self._problems[name] for name in sorted(self._problems)),
        )

    @property
    def watchable(self) -> Mapping[str, DirectoryIdentity]:
        """Directories of which the file system can tell changes; none in trees that are too large to ask for."""
        directories = self._discovery.directories
        if len(directories) > MAX_WATCHED_DIRECTORIES:
            return {}
        return {
            path: identity
            for path, identity in directories.items()
            if _is_utf8(path) and not self._mounts.is_network(identity.device)
        }

    def look_everywhere(self) -> None:
        """Look at all directories and files in the next round."""
        self._next_walk = _NOW
        for run in self._runs.values():
            if not run.vanished:
                run.next_look = _NOW

    def notice(self, paths: Iterable[str]) -> None:
        """Look at what the file system says has changed: a growing file costs a look at its own run alone."""
        for path in chain.from_iterable(map(self._discovery.names_of, paths)):
            runs = [self._runs[name] for name in self._names_by_path.get(path, ())]
            if any(run.vanished for run in runs):
                self.look_everywhere()  # it may be back, and is not to be dropped before that is known
            for run in runs:
                run.next_look = run.next_look if run.vanished else _NOW
            if not runs and (is_event_file(path) or path in self._discovery.directories or _is_directory(path)):
                self.look_everywhere()

    def round(self, seconds: float, max_bytes: int) -> None:
        """Do what is to be done, for about so long and about so many bytes at most."""
        first = self._walk is None and not self._walked
        self._look_at_due(seconds / 2)
        self._walk_on(self._clock() + (max(seconds / 2, FIRST_WALK_SECONDS) if first else seconds / 2))
        self._read(self._clock() + seconds / 2, max_bytes)
        self.complete = self.complete or (self._walked and not self._queue)

    def keep_next(self) -> bool:
        """Keep for the next time what was read of one run; False when none is left of those that were read."""
        if not self._to_keep:
            return False
        with suppress(MemoryError):
            self._to_keep.popitem()[1].keep()
        return True

    def commit(self) -> None:
        """Publish what has changed."""
        self._store_changed()
        if self._stale:
            self._store.publish()
            self._stale = False

    def _store_changed(self) -> None:
        for name, run in self._changed.items():
            snapshot = run.commit()
            if snapshot is not None:
                self._store.put(snapshot)
                self._stale = True
            self._list_problems(name, run)
        self._changed.clear()

    def _look_at_due(self, seconds: float) -> None:
        """Look at the runs that are due: over a network thousands of looks take longer than a round has.

        Half of the time is for those written last, the other half for those that wait longest: when not all can be
        looked at as often as they are due, the run being trained still is, and none is never looked at.
        """
        began = self._clock()
        due = {name: run for name, run in self._runs.items() if run.next_look <= began}
        for order, deadline in ((_age, began + seconds / 2), (_due_since, began + seconds)):
            for run in sorted(due.values(), key=order):
                del due[run.name]
                self._look_at(run)
                if self._clock() >= deadline:
                    break
        self._looks_left = any(run.next_look == _NOW for run in due.values())

    def _look_at(self, run: RunLoader) -> None:
        if run.vanished:
            self._drop(run)
            return
        if run.look():
            self._next_walk = _NOW
        self._touch(run)

    def _touch(self, run: RunLoader) -> None:
        """A run was looked at or read: read on if there is more, show what changed, look again later."""
        self._changed[run.name] = run
        notified = run.directory in self.heard and not run.has_links
        run.next_look = self._clock() + self._pace.look_after(self._now() - run.modified, notified=notified)
        if run.pending:
            self._queue.push(run)
        elif self._indexes is not None:
            self._to_keep[run.name] = run

    def _read(self, deadline: float, max_bytes: int) -> None:
        while self._queue and max_bytes > 0:
            run = self._queue.pop()
            if run.pending and not run.vanished:
                max_bytes -= self._read_piece(run)
                self._touch(run)
            self._share()
            if self._clock() >= deadline:
                return

    def _read_piece(self, run: RunLoader) -> int:
        try:
            return run.read(shared=self._queue.is_assigning)
        except MemoryError:
            run.give_up()
            return 0

    def _share(self) -> None:
        """Take back what workers have read, and give them more to do."""
        for run in self.pool.collect():
            if self._runs.get(run.name) is run and not run.vanished:
                self._touch(run)
        self.pool.assign()

    def _walk_on(self, deadline: float) -> None:
        if self._walk is None:
            if self._clock() < self._next_walk:
                return
            self._walk = self._discovery.walk()
            self._walk_began, self._next_walk = self._clock(), math.inf
            self._found = set()
        for found in self._walk:
            if found is not None:
                self._put(found)
            if self._clock() >= deadline:
                return
        self._end_walk()

    def _put(self, found: FoundRun) -> None:
        self._found.add(found.name)
        run = self._runs.get(found.name)
        if run is None or run.paths != found.files:
            if run is not None:
                self._forget_paths(run)
            for path in found.files:
                self._names_by_path.setdefault(path, set()).add(found.name)
        if run is not None and not run.vanished and run.directory == found.directory:
            if not run.put_paths(found.files):
                return
        else:
            run = RunLoader(found, self._store, self._new_decoder, indexes=self._indexes, status_of=self._status_of)
            self._runs[found.name] = run
        self._touch(run)

    def _end_walk(self) -> None:
        self._walk = None
        self._walked = True
        now = self._clock()
        notified = self._discovery.directories.keys() <= self.heard and not self._discovery.may_gain_roots
        after = self._pace.walk_after(now - self._walk_began, notified=notified)
        # A walk that was asked for meanwhile is still to be done: this one may have been past the place.
        self._next_walk = min(self._next_walk, now + after)
        self._store_changed()
        for name, run in self._runs.items():
            if name not in self._found and not run.vanished:
                self._vanish(run)

    def _vanish(self, run: RunLoader) -> None:
        run.vanished = True
        run.next_look = self._clock() + VANISHED_SECONDS
        self._store.mark_vanished(run.name)
        self._stale = True
        self._problems.pop(run.name, None)

    def _drop(self, run: RunLoader) -> None:
        del self._runs[run.name]
        self._forget_paths(run)
        self._store.drop(run.name)
        self._stale = True

    def _forget_paths(self, run: RunLoader) -> None:
        for path in run.paths:
            names = self._names_by_path.get(path, set())
            names.discard(run.name)
            if not names:
                self._names_by_path.pop(path, None)

    def _list_problems(self, name: str, run: RunLoader) -> None:
        found = tuple(run.problems(self._now()))
        if found:
            self._problems[name] = found
        else:
            self._problems.pop(name, None)


def _age(run: RunLoader) -> float:
    return -run.modified


def _due_since(run: RunLoader) -> tuple[float, float]:
    return run.next_look, _age(run)


def _is_directory(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - that of a Path raises where it may not look


def _is_utf8(path: str) -> bool:
    """Whether a path is UTF-8: the watching library takes no other."""
    return path.isascii() or not any("\ud800" <= char <= "\udfff" for char in path)
