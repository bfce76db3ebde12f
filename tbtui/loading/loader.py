"""Load log directories in a worker thread, publish their state, and pause while a key is answered."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING

from tbtui.loading.logdir import LogdirLoader
from tbtui.loading.malloc_trim import TRIM_BYTES, trim_memory
from tbtui.loading.state import LoadState
from tbtui.loading.time_left import TimeLeft
from tbtui.loading.watcher import MIN_KEPT_DIRECTORIES, WatchManager
from tbtui.loading.workers.pool import choose_jobs
from tbtui.store.staging import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tbtui.loading.cache.index_folder import RunIndexes
    from tbtui.loading.sources import Source


_MAX_WAIT_SECONDS = 1e6
"""Upper bound of a wait, since the system cannot wait for every value that a user may enter."""


class Wakeups:
    """Thread-safe mailbox of the loading thread: paths that changed, and a flag to look everywhere."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._paths: set[str] = set()
        self._everywhere = False

    def put(self, paths: Iterable[str]) -> None:
        """Report that something changed at these absolute paths."""
        with self._lock:
            self._paths.update(paths)
        self._bell.set()

    def put_everywhere(self) -> None:
        """Report that anything may have changed."""
        with self._lock:
            self._everywhere = True
        self._bell.set()

    def take(self) -> tuple[set[str], bool]:
        """Return and clear the reported paths, and the flag to look everywhere."""
        with self._lock:
            pending = self._paths, self._everywhere
            self._paths, self._everywhere = set(), False
            return pending

    @property
    def has_reports(self) -> bool:
        """True if something was reported since the last `wait`."""
        return self._bell.is_set()

    def interrupt(self) -> None:
        """End a `wait` without a report."""
        self._bell.set()

    def wait(self, seconds: float) -> None:
        """Wait until something is reported, at most `seconds`."""
        self._bell.wait(None if math.isinf(seconds) else min(max(0.0, seconds), _MAX_WAIT_SECONDS))
        self._bell.clear()


PUBLISH_SECONDS = 0.1
"""Minimum time between two states: a user cannot follow more than ten per second."""

_PUBLISH_SHARE = 10
"""States are published so rarely that creating them takes at most 1/10 of the time."""

_FIRST_ROUND_SECONDS = 0.02
_ROUND_SECONDS = 0.05
_ROUND_BYTES = 16 << 20

WATCH_DELAY_SECONDS = 3.0
"""Time after the load for which `MIN_KEPT_DIRECTORIES` or more are polled before they are watched.

To set up 5,000 watches takes 0.2 s, during which no other thread runs, and then all files are polled once. Meanwhile
the UI draws what was read.
"""

_STOP_TIMEOUT_SECONDS = 2.0
"""Maximum wait for the thread on exit, if a file system does not respond; the daemon thread then ends with the
process.
"""


class Loader:
    """Discovers, reads and follows the runs of some sources.

    Any thread may read `state` at any time without waiting. `start` does the work in a daemon thread; without it,
    `step` and `load_all` do the work in the calling thread.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        reload_seconds: float | None = None,
        whole: bool = False,
        indexes: RunIndexes | None = None,
        jobs: int | None = 1,
        on_change: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Create a loader with an empty state.

        Args:
            sources: Where to look for runs.
            reload_seconds: Poll interval. None: use file notifications and poll where these are not available. 0: read
                once.
            whole: Read all bytes, including large payloads that are needed only for display.
            indexes: Cache of run contents; None: no cache.
            jobs: Maximum number of reading processes, including this one; None: `choose_jobs`.
            on_change: Called after each new state, in the loading thread.
            clock: Monotonic clock in seconds.
            now: Seconds since the epoch.
        """
        self.on_change = on_change
        self._clock = clock
        self._uses_notifications = reload_seconds is None
        self._watching_without = "off" if reload_seconds == 0 else "polled"
        self._store = Store()
        self._pauses = Pauses()
        self._indexes = indexes
        self._logdir = LogdirLoader(
            sources,
            self._store,
            reload_seconds=reload_seconds,
            whole=whole,
            indexes=indexes,
            clock=clock,
            now=now,
            pause=self._pauses.take,
        )
        self._logdir.pool.jobs = choose_jobs() if jobs is None else jobs
        self._wakeups = Wakeups()
        self._watch_manager = WatchManager(self._wakeups)
        self._watch_at: float | None = None
        """Time from which many directories are watched; None: not all is read, or there are few."""

        self._state = LoadState(watching=self._watching_without)
        self._next_publish = self._next_commit = clock()
        self._time_left = TimeLeft()
        self._round_seconds = _FIRST_ROUND_SECONDS
        self._trimmed = 0
        self._is_shown = True
        """False while no reader waits for what was read so far: then runs are stored once, when all is read."""

        self._next_sources: tuple[Source, ...] | None = None
        """Sources that another thread has set, until the next round takes them."""

        self._wants_verification = False
        self._is_verification_requested = False
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def state(self) -> LoadState:
        """The latest state."""
        return self._state

    def start(self) -> None:
        """Load and follow in a daemon thread until `stop`; does nothing if already started."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="tbtui-loader", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread; returns after the current round or a timeout."""
        self._stopping.set()
        self._wakeups.interrupt()
        if self._thread is not None:
            self._thread.join(_STOP_TIMEOUT_SECONDS)

    def wake(self) -> None:
        """Look for changes everywhere now; returns at once."""
        self._wakeups.put_everywhere()

    def make_way(self) -> None:
        """Pause reading for a moment, while a key is answered; returns at once."""
        self._pauses.request()

    def set_sources(self, sources: Sequence[Source]) -> None:
        """Follow other sources from the next round on; returns at once."""
        self._next_sources = tuple(sources)
        self._wakeups.put_everywhere()

    def verify(self, is_requested: bool) -> None:
        """Compare everything that was read with its checksums again, or stop doing so; returns at once.

        `LoadState.unverified_bytes` is the progress.
        """
        self._wants_verification = is_requested
        self._wakeups.interrupt()

    def step(self) -> bool:
        """Run one bounded round in the calling thread; if nothing is left to do, look for changes everywhere.

        Returns:
            True if the state changed.
        """
        if not self._logdir.busy:
            self._logdir.poll_everywhere()
        return self._round()

    def load_all(self, *, verify: bool = False) -> LoadState:
        """Read everything in the calling thread, and write the cache.

        Args:
            verify: Compare the records of a file that has grown since it was cached with their checksums again.
        """
        self._is_shown = self._logdir.shows_names = False
        try:
            self.step()
            self._finish_rounds()
            if verify and self._logdir.has_unverified:
                self._logdir.verify(partial=False)
                self._finish_rounds()
        finally:
            self._logdir.pool.stop()
            self._is_shown = self._logdir.shows_names = True
        while self._logdir.keep_next():
            pass
        self._publish()
        return self._state

    def _finish_rounds(self) -> None:
        while self._logdir.busy:
            self._round()

    def _run(self) -> None:
        try:
            self._follow()
        finally:
            self._logdir.pool.stop()
            self._watch_manager.stop()

    def _follow(self) -> None:
        while not self._stopping.is_set():
            self._round()
            while self._logdir.busy and not self._stopping.is_set():
                self._round()
            self._logdir.pool.stop()
            self._write_cache()
            if self._uses_notifications:
                self._watch()
            self._rest()

    def _watch(self) -> None:
        """Watch the directories; many only a while after they were read."""
        if self._watch_manager.is_refused:
            self._logdir.reduce_watches()
        directories = self._logdir.watchable
        if self._watch_at is None and len(directories) >= MIN_KEPT_DIRECTORIES:
            self._watch_at = self._clock() + WATCH_DELAY_SECONDS
        if self._watch_at is None or self._clock() >= self._watch_at:
            self._watch_manager.follow(directories)

    def _write_cache(self) -> None:
        """Write the cache while there is nothing else to do."""
        failure = self._state.index_failure
        while not (self._stopping.is_set() or self._wakeups.has_reports) and self._logdir.keep_next():
            pass
        if self._indexes is not None and self._indexes.failure != failure:
            self._publish()

    def _rest(self) -> None:
        """Wait for something to do, but not less than the interval between two states."""
        due, now = self._logdir.due, self._clock()
        if self._watch_at is not None and now < self._watch_at:
            due = min(due, self._watch_at)
        self._wakeups.wait(due - now)
        self._stopping.wait(max(0.0, self._next_publish - self._clock()))

    def _round(self) -> bool:
        paths, everywhere = self._wakeups.take()
        self._logdir.notified = self._watch_manager.notified
        sources, self._next_sources = self._next_sources, None
        if sources is not None:
            self._logdir.set_sources(sources)
        if everywhere:
            self._logdir.poll_everywhere()
        self._logdir.poll_changed(paths)
        self._start_verification()
        self._logdir.round(self._round_seconds, _ROUND_BYTES)
        self._round_seconds = _ROUND_SECONDS
        changed = self._publish()
        self._trim_memory()
        return changed

    def _start_verification(self) -> None:
        """Start or stop the verification, if that was requested since the last round."""
        is_requested = self._wants_verification
        if is_requested != self._is_verification_requested:
            self._is_verification_requested = is_requested
            if is_requested:
                self._logdir.verify()
            else:
                self._logdir.stop_verification()

    def _trim_memory(self) -> None:
        """Return freed memory to the system from time to time, and when loading is done."""
        read = self._state.bytes_read
        if abs(read - self._trimmed) > (TRIM_BYTES if self._logdir.busy else TRIM_BYTES // 16):
            self._trimmed = read
            trim_memory()

    def _publish(self) -> bool:
        """Publish a new state, unless the last one is recent and more is being read.

        Returns:
            True if the state changed.
        """
        began = committed = self._clock()
        is_busy = self._logdir.busy
        if is_busy and began < self._next_publish:
            return False
        if not is_busy or (self._is_shown and began >= self._next_commit):
            self._logdir.commit()
            committed = self._clock()
            self._next_commit = committed + _PUBLISH_SHARE * (committed - began)
        done, total = self._logdir.progress
        watching = "notified" if self._logdir.notified else self._watching_without
        failure = None if self._indexes is None else self._indexes.failure
        complete = self._logdir.complete
        is_searching = not self._logdir.has_walked
        is_estimated = self._is_shown and not complete
        left = self._time_left.estimate(began, *self._logdir.work) if is_estimated else None
        state = LoadState(
            self._store.snapshot,
            done,
            total,
            complete,
            watching,
            self._logdir.problems,
            self._logdir.assets,
            self._logdir.unverified_bytes,
            failure,
            self._logdir.searched,
            None if is_searching else left,
            is_searching,
        )
        ended = self._clock()
        # While runs are read, progress is shown more often than their contents, which take longer to collect.
        cost = ended - (committed if is_busy else began)
        self._next_publish = ended + max(PUBLISH_SECONDS, _PUBLISH_SHARE * cost)
        changed = state != self._state
        if changed:
            self._state = state
            self.on_change()  # may be slow, at the start for example; its time does not count as the cost of the state
        self._start_workers()
        return changed

    def _start_workers(self) -> None:
        """Start workers if they pay, but not before the first state is published."""
        began = self._clock()
        self._logdir.pool.start()
        self._next_publish += _PUBLISH_SHARE * (self._clock() - began)


PAUSE_SECONDS = 0.03
"""Length of a pause: most keys are answered in that time if no other thread runs."""

WORK_SHARE = 0.5
"""After a pause the loader works for at least this part of its length: a key that is held down does not stop it."""


class Pauses:
    """Lets another thread ask for a pause, and the loader take it between two pieces of work.

    The interpreter runs one thread at a time, and an answer passes through four: input, UI, worker and output. Each of
    them would wait for the end of a piece of work, as some calls of numpy take milliseconds.

    Args:
        clock: Monotonic clock in seconds.
        sleep: Waits for some seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._until = 0.0
        self._earliest = 0.0

    def request(self) -> None:
        """Ask for a pause from now on; on any thread."""
        self._until = self._clock() + PAUSE_SECONDS

    def take(self) -> None:
        """Wait until the end of a pause that was asked for; called by the loader between two pieces of work."""
        if not self._until:
            return
        began = now = self._clock()
        if now < self._earliest:
            return
        while now < (until := self._until):
            self._sleep(until - now)
            now = self._clock()
            if now - began >= 2 * PAUSE_SECONDS:
                break
        self._until = 0.0
        self._earliest = now + (now - began) * WORK_SHARE
