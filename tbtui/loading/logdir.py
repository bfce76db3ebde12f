"""All runs of the log directories: discovered, polled and read in rounds of bounded length."""

from __future__ import annotations

import math
import os
import time
from contextlib import suppress
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

from tbtui.events.decoder import RunDecoder
from tbtui.events.templates import TemplateCache
from tbtui.loading.asset_files import SETTLE_SECONDS, is_asset
from tbtui.loading.assets import TensorShapes, describe_assets
from tbtui.loading.discovery import Discovery, Mounts
from tbtui.loading.run import RunLoader
from tbtui.loading.run_queue import MAX_POLL_SECONDS, MIN_POLL_SECONDS, PollSchedule, RunQueue
from tbtui.loading.sources import is_event_file
from tbtui.loading.state import name_writers
from tbtui.loading.time_left import FILE_BYTES, RUN_BYTES
from tbtui.loading.whole_run_reader import Batches, WholeRunReader
from tbtui.loading.workers.pool import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tbtui.loading.assets import RunAssets
    from tbtui.loading.cache.index_folder import RunIndexes
    from tbtui.loading.discovery import DirectoryIdentity, FoundRun
    from tbtui.loading.sources import Source
    from tbtui.loading.state import FileProblem, Searched
    from tbtui.store.staging import Store


_COST_WEIGHT = 0.05
"""Weight of the last poll in the average time that a poll takes."""

VANISHED_SECONDS = 30.0
"""Time for which a run with a removed directory is shown dimmed: enough to notice it, and for a replaced directory
to return.
"""

_NOW = -math.inf
"""A time that is always due."""

FIRST_WALK_SECONDS = 0.25
"""Maximum duration of the first walk before anything is read. Colours follow the order of run names, so the first
state should have all names even on a slow machine.
"""

MIN_FILES_POLLED_LATER = 10
"""Minimum number of files of a run that are polled when they are read. Runs of many files mostly have small ones."""

MAX_WATCHED_DIRECTORIES = 2_000
"""Maximum number of directories of a tree that is watched whole; of a larger one only directories with event files and
their parents are watched.
"""

MAX_WATCHES = 10_000
"""Maximum number of watched directories, those written last. To set up a watch takes 25 to 64 µs, during which no other
thread runs.
"""

MIN_WATCHES = 1_000
"""The system may allow fewer watches than `MAX_WATCHES`. This number is tried last; old kernels allow 8,192."""


class LogdirLoader:
    """Keeps a store up to date with the log directories.

    Belongs to one thread. Each round polls the runs that are due, walks a little, and reads one piece of each run that
    has more, the most recently written first, so that all runs grow side by side.
    """

    shows_names = True
    """False: runs are stored when `commit` is called, and not before they are read so that their names appear."""

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
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """Create a loader; the first round starts the first walk.

        Args:
            sources: Where to look for runs.
            store: Store to fill.
            reload_seconds: Poll interval; None: chosen by activity; 0: only on request.
            whole: Read all bytes, including large payloads that are needed only for display.
            indexes: Cache of run contents; None: no cache.
            clock: Monotonic clock in seconds.
            now: Seconds since the epoch.
            status_of: Replacement of `os.stat` for tests.
            pause: Called between two pieces of work of a few milliseconds; it may wait.
        """
        self._discovery = Discovery(sources, status_of=status_of)
        self.notified: frozenset[str] = frozenset()
        """Directories whose changes the file system reports through `poll_changed`."""

        self.complete = False
        """True once everything that existed at the start has been read."""

        self._store = store
        self._clock, self._now = clock, now
        self._status_of = status_of
        self._pace = PollSchedule(reload_seconds)
        self._settle_seconds = 0.0 if reload_seconds == 0 else SETTLE_SECONDS
        self._mounts = Mounts()
        self._new_decoder = partial(RunDecoder, TemplateCache(), whole=whole)
        self._pause, self._whole_runs, self._batches = pause, WholeRunReader(pause), Batches()
        self._indexes = indexes
        self._to_keep: dict[str, RunLoader] = {}
        self._runs: dict[str, RunLoader] = {}
        self._names_by_path: dict[str, tuple[str, ...]] = {}
        """Run names by directory, and by asset; several if a directory is found under several names."""

        self._queue = RunQueue()
        self.pool = WorkerPool(self._queue, whole=whole)
        """Workers that read in parallel with this loader; none until started."""

        self._has_unpolled = False
        """True if runs were due, and the last round had no time to poll them."""

        self._next_due = _NOW
        """No run is due before this time: thousands need not be searched each round."""

        self._verification: Iterator[int] | None = None
        """Yields the bytes compared again; None if no verification was requested or it is done."""

        self.unverified_bytes: int | None = None
        """Bytes that the verification has still to compare; None if none was requested."""

        self._changed: dict[str, RunLoader] = {}
        self._stale = False
        self._problems: dict[str, tuple[FileProblem, ...]] = {}
        self._walk: Iterator[FoundRun | None] | None = None
        self._walk_began, self._walked = 0.0, False
        self._shapes = TensorShapes()
        self.assets: tuple[RunAssets, ...] = ()
        """Embeddings and profiles of the last walk."""

        self._next_walk = _NOW
        self._has_other_sources = False
        """True until the first walk of other sources ends: what is gone then was removed by the user."""

        self._found: set[str] = set()
        self._max_watches = MAX_WATCHES
        self._watchable: Mapping[str, DirectoryIdentity] = {}
        self._watched_of: Mapping[str, DirectoryIdentity] | None = {}
        """The directories from which `_watchable` was chosen; None if it is to be chosen again."""

        self._file_count = 0
        """Number of files of all runs at the last walk."""

        self._file_seconds = 0.0
        """Average time that the poll of a file takes."""

    @property
    def busy(self) -> bool:
        """True while a walk, a poll, a read or a verification is pending."""
        return self._is_reading or self._verification is not None

    @property
    def _is_reading(self) -> bool:
        return self._walk is not None or self._next_walk == _NOW or bool(self._queue) or self._has_unpolled

    @property
    def due(self) -> float:
        """Time on the clock at which there is something to do again; infinite for never."""
        return min(chain((self._next_walk,), (run.next_poll for run in self._runs.values())))

    @property
    def progress(self) -> tuple[int, int]:
        """(bytes done, bytes in total) of the files found so far."""
        parts = [run.progress for run in self._runs.values()]
        return sum(done for done, _ in parts), sum(size for _, size in parts)

    @property
    def work(self) -> tuple[int, int]:
        """(work done, all work) of the files found so far, in bytes; a run and a file count as some bytes each."""
        done = total = 0
        for run in self._runs.values():
            done_bytes, size = run.progress
            others = RUN_BYTES + FILE_BYTES * run.file_count
            total += size + others
            done += done_bytes + (others * done_bytes // size if size else others)
        return done, total

    @property
    def problems(self) -> tuple[FileProblem, ...]:
        """Lines of the damage list, sorted by run."""
        return (
            *self._discovery.problems,
            *chain.from_iterable(self._problems[name] for name in sorted(self._problems)),
        )

    @property
    def has_walked(self) -> bool:
        """True once all directories have been walked, and all files are known."""
        return self._walked

    @property
    def searched(self) -> Searched | None:
        """Directories and files that the walks have passed; None once a run is found."""
        return None if self._runs else self._discovery.searched

    @property
    def watchable(self) -> Mapping[str, DirectoryIdentity]:
        """Directories for which notifications are available; none if the tree is too large."""
        directories = self._discovery.directories
        if directories is not self._watched_of and directories != self._watched_of:
            # The choice stays while the directories do, whichever of them is written.
            self._watchable = {
                path: directories[path]
                for path in self._choose_watches(directories)
                if _is_utf8(path) and not self._mounts.is_network(directories[path].device)
            }
        self._watched_of = directories
        return self._watchable

    def _choose_watches(self, directories: Mapping[str, DirectoryIdentity]) -> Iterable[str]:
        """Return the directories to watch: all, or of a large tree those of runs and their parents."""
        if len(directories) <= min(MAX_WATCHED_DIRECTORIES, self._max_watches):
            return directories
        runs = {run.directory: run.modified for run in self._runs.values() if run.directory in directories}
        parents = {os.path.dirname(path) for path in runs} & directories.keys()  # noqa: PTH120
        last = sorted(runs, key=runs.__getitem__, reverse=True)
        # New runs mostly appear in the directories of others.
        chosen = dict.fromkeys([*sorted(parents - runs.keys()), *last][: self._max_watches])
        return [path for path in directories if path in chosen]

    def reduce_watches(self) -> None:
        """Choose fewer directories to watch, after the system refused those of `watchable`."""
        if self._max_watches > MIN_WATCHES and len(self._watchable) > MIN_WATCHES:
            self._max_watches = max(MIN_WATCHES, len(self._watchable) // 3)
            self._watched_of = None

    def set_sources(self, sources: Sequence[Source]) -> None:
        """Follow other sources; runs that only the former ones hold are dropped after the next walk."""
        self._discovery.set_sources(sources)
        self._walk = None
        self._has_other_sources = True
        self.poll_everywhere()

    def poll_everywhere(self) -> None:
        """Make all directories and files due for a poll in the next round."""
        self._next_walk = self._next_due = _NOW
        for run in self._runs.values():
            if not run.vanished:
                run.next_poll = _NOW

    def poll_changed(self, paths: Iterable[str]) -> None:
        """Make what the file system reports as changed due for a poll: of a growing file, only its own run."""
        for path in chain.from_iterable(map(self._discovery.list_names, paths)):
            runs = self._find_runs(path)
            if any(run.vanished for run in runs):
                self.poll_everywhere()  # it may be back, and is not to be dropped before that is known
            for run in runs:
                run.next_poll = run.next_poll if run.vanished else _NOW
                self._next_due = min(self._next_due, run.next_poll)
            is_known_directory = path in self._discovery.directories
            if is_known_directory or (not runs and (_is_of_run(path) or _is_directory(path))):
                self._next_walk = _NOW

    def _find_runs(self, path: str) -> list[RunLoader]:
        """Return the runs of a directory, an asset or an event file."""
        names = self._names_by_path.get(path)
        if names is not None:
            return [self._runs[name] for name in names]
        around = self._names_by_path.get(os.path.dirname(path), ())  # noqa: PTH120
        return [run for name in around if (run := self._runs[name]).has_path(path)]

    def round(self, seconds: float, max_bytes: int) -> None:
        """Work for about `seconds` and read at most about `max_bytes`."""
        first = self._walk is None and not self._walked
        self._poll_due(seconds / 2)
        self._walk_on(self._clock() + (max(seconds / 2, FIRST_WALK_SECONDS) if first else seconds / 2))
        self._read(self._clock() + seconds / 2, max_bytes)
        self._verify(self._clock() + seconds / 2)
        self.complete = self.complete or (self._walked and not self._queue)

    def verify(self, *, partial: bool = True) -> None:
        """Compare what was read with its checksums again, after all that is pending was read.

        Args:
            partial: Compare also long payloads of unchanged files, which were read in part.
        """
        self.poll_everywhere()
        self.unverified_bytes = sum(run.unverified_bytes(partial=partial) for run in self._runs.values())
        self._verification = self._verify_runs(partial=partial)

    @property
    def has_unverified(self) -> bool:
        """True if `verify` has something to compare, except for long payloads that were read in part."""
        return any(run.unverified_bytes(partial=False) for run in self._runs.values() if not run.vanished)

    def stop_verification(self) -> None:
        """End the verification; damage that it found stays listed."""
        self.unverified_bytes = self._verification = None

    def _verify_runs(self, *, partial: bool) -> Iterator[int]:
        runs = [run for run in self._runs.values() if not run.vanished]
        left = self.unverified_bytes = sum(run.unverified_bytes(partial=partial) for run in runs)
        for run in runs:
            for compared in run.verification(partial=partial):
                left = self.unverified_bytes = max(0, left - compared)
                self._changed[run.name] = run
                yield compared
        self.unverified_bytes = 0

    def _verify(self, deadline: float) -> None:
        if self._is_reading or self._verification is None:
            return
        for _ in self._verification:
            if self._clock() >= deadline:
                return
        self._verification = None

    def keep_next(self) -> bool:
        """Write the cache of one run; return False if none is left."""
        if not self._to_keep:
            return False
        with suppress(MemoryError):
            self._to_keep.popitem()[1].keep()
        return True

    def commit(self) -> None:
        """Store the snapshots of changed runs, and publish the store if any differs."""
        self._store_snapshots()
        if self._stale:
            self._store.publish()
            self._stale = False

    def _store_snapshots(self) -> None:
        for name, run in self._changed.items():
            self._pause()
            snapshot = run.snapshot()
            if snapshot is not None:
                self._store.put(snapshot)
                self._stale = True
            self._record_problems(name, run)
        self._changed.clear()

    def _poll_due(self, seconds: float) -> None:
        """Poll the runs that are due, for a limited time.

        On a network file system thousands of polls take longer than a round. Half of the time is for the most recently
        written runs, the other half for those that have waited longest. When time is short, the run being trained is
        still polled, and every run is polled eventually.
        """
        began = self._clock()
        if began < self._next_due:
            return
        due = {name: run for name, run in self._runs.items() if run.next_poll <= began}
        by_age = sorted(due.values(), key=attrgetter("modified"), reverse=True)
        by_waiting = sorted(by_age, key=attrgetter("next_poll"))
        for order, deadline in ((by_age, began + seconds / 2), (by_waiting, began + seconds)):
            for run in order:
                if run.name not in due:
                    continue
                del due[run.name]
                self._poll(run)
                if self._clock() >= deadline:
                    break
        self._has_unpolled = any(run.next_poll == _NOW for run in due.values())
        self._next_due = min((run.next_poll for run in self._runs.values()), default=math.inf)

    def _poll(self, run: RunLoader) -> None:
        if run.vanished:
            self._drop(run)
            return
        began = self._clock()
        if run.poll():
            self._next_walk = _NOW
        seconds = (self._clock() - began) / max(run.file_count, 1)
        self._file_seconds += _COST_WEIGHT * (seconds - self._file_seconds)
        self._touch(run)

    def _touch(self, run: RunLoader) -> None:
        """Schedule a run that was polled or read: read on, publish changes, poll again later."""
        self._changed[run.name] = run
        notified = run.directory in self.notified and not run.has_links
        cost = self._file_seconds * self._file_count
        seconds = self._pace.poll_after(self._now() - run.modified, notified=notified, cost=cost)
        next_poll = self._clock() + (min(seconds, MIN_POLL_SECONDS) if run.is_settling else seconds)
        # Polls of thousands of runs are not to wake the thread each at its own time.
        run.next_poll = math.floor(next_poll) if MAX_POLL_SECONDS <= seconds < math.inf else next_poll
        self._next_due = min(self._next_due, run.next_poll)
        if run.pending:
            self._queue.push(run)
        elif self._indexes is not None:
            self._to_keep[run.name] = run

    def _read(self, deadline: float, max_bytes: int) -> None:
        while self._queue and max_bytes > 0:
            self._pause()
            run = self._queue.pop()
            if run.pending and not run.vanished:
                if run.can_read_whole():
                    max_bytes -= self._read_batch(run)
                else:
                    max_bytes -= self._read_piece(run)
                    self._touch(run)
            self._share()
            if self._clock() >= deadline:
                return

    def _read_batch(self, first: RunLoader) -> int:
        """Read a run whole, and the next ones with it; return the number of bytes read."""
        batch, left = [first], list[RunLoader]()
        size = 0
        with suppress(MemoryError):
            size = self._whole_runs.read(self._next_small_runs(batch, left), self._batches.next_bytes())
        for run in batch:
            self._pause()
            if run.pending:
                size += self._read_piece(run)
            self._touch(run)
        for run in left:
            self._queue.push(run)
        return size

    def _next_small_runs(self, batch: list[RunLoader], left: list[RunLoader]) -> Iterator[RunLoader]:
        """Yield the run in `batch` and the next ones that can be read whole, which are added to it.

        The first run that cannot is added to `left`.
        """
        yield batch[0]
        while len(self._queue):
            run = self._queue.pop()
            if run.pending and not run.vanished:
                if not run.can_read_whole():
                    left.append(run)
                    return
                batch.append(run)
                yield run

    def _read_piece(self, run: RunLoader) -> int:
        try:
            return run.read(shared=self._queue.is_assigning)
        except MemoryError:
            run.give_up()
            return 0

    def _share(self) -> None:
        """Collect results of workers, and assign more runs."""
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
        for found_run in self._walk:
            self._pause()
            if found_run is not None:
                self._put(found_run)
            if self._clock() >= deadline:
                return
        self._end_walk()

    def _put(self, found_run: FoundRun) -> None:
        self._found.add(found_run.name)
        run = self._runs.get(found_run.name)
        if run is None or run.paths != found_run.files:
            if run is not None:
                self._forget_paths(run)
            self._name_paths((found_run.directory,), found_run.name)
        if run is not None and not run.vanished and run.directory == found_run.directory:
            if not run.put_paths(found_run.files):
                return
        else:
            run = RunLoader(
                found_run,
                self._store,
                self._new_decoder,
                indexes=self._indexes,
                status_of=self._status_of,
                now=self._now,
                settle_seconds=self._settle_seconds,
                polls_later=self._should_poll_later(found_run),
            )
            self._runs[found_run.name] = run
        self._touch(run)

    def _should_poll_later(self, found_run: FoundRun) -> bool:
        """Return True if the files of a run can be polled when they are read, which takes a system call less for each.

        Until then their sizes and times are unknown, by which runs are ordered that are shown while others are read.
        """
        is_quiet = not self.shows_names and self._status_of is os.stat
        return is_quiet and found_run.are_regular and len(found_run.files) >= MIN_FILES_POLLED_LATER

    def _end_walk(self) -> None:
        self._walk = None
        self._walked = True
        self._file_count = sum(run.file_count for run in self._runs.values())
        self.assets = describe_assets(self._discovery.assets, self._shapes)
        self._put_assets()
        now = self._clock()
        is_watched = bool(self.notified) and all(run.directory in self.notified for run in self._runs.values())
        is_watched = is_watched and (
            self._discovery.directories.keys() <= self.notified
            or len(self._discovery.directories) > MAX_WATCHED_DIRECTORIES
        )
        notified = is_watched and not self._discovery.may_gain_roots
        after = self._pace.walk_after(now - self._walk_began, notified=notified)
        # A walk requested meanwhile is still due: this one may have passed the changed directory before.
        self._next_walk = min(self._next_walk, now + after)
        if self.shows_names or not self._runs.keys() <= self._found:
            self._store_snapshots()
        for name, run in tuple(self._runs.items()):
            if name not in self._found and self._has_other_sources:
                run.vanished = True  # the queue and the workers may still have it
                self._drop(run)
            elif name not in self._found and not run.vanished:
                self._vanish(run)
        self._has_other_sources = False

    def _put_assets(self) -> None:
        """Set the profiles and embeddings of each run."""
        for name, run in self._runs.items():
            owned = self._discovery.assets_by_run.get(name, ())
            self._name_paths((asset.path for asset in owned), name)
            if run.put_assets(owned) or run.is_settling:
                self._touch(run)

    def _vanish(self, run: RunLoader) -> None:
        run.vanished = True
        run.next_poll = self._clock() + VANISHED_SECONDS
        self._next_due = min(self._next_due, run.next_poll)
        self._store.mark_vanished(run.name)
        self._stale = True
        self._problems.pop(run.name, None)

    def _drop(self, run: RunLoader) -> None:
        del self._runs[run.name]
        self._changed.pop(run.name, None)
        self._problems.pop(run.name, None)
        self._forget_paths(run)
        self._store.drop(run.name)
        self._stale = True

    def _name_paths(self, paths: Iterable[str], name: str) -> None:
        """Note the run of some files."""
        own = (name,)
        by_path = self._names_by_path
        for path in paths:
            names = by_path.setdefault(path, own)
            if name not in names:
                by_path[path] = (*names, name)

    def _forget_paths(self, run: RunLoader) -> None:
        owned = (asset.path for asset in self._discovery.assets_by_run.get(run.name, ()))
        for path in (run.directory, *owned):
            names = tuple(name for name in self._names_by_path.pop(path, ()) if name != run.name)
            if names:
                self._names_by_path[path] = names

    def _record_problems(self, name: str, run: RunLoader) -> None:
        problems = tuple(name_writers(run.problems(self._now()), self._store.get_runs(name)))
        if problems:
            self._problems[name] = problems
        else:
            self._problems.pop(name, None)


def _is_of_run(path: str) -> bool:
    """Return True if a file of this name belongs to a run."""
    return is_event_file(path) or is_asset(os.path.basename(path))  # noqa: PTH119


def _is_directory(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises on an unreadable directory


def _is_utf8(path: str) -> bool:
    """Return True if a path is UTF-8, as the watching library requires."""
    return path.isascii() or not any("\ud800" <= char <= "\udfff" for char in path)
