"""Loads log directories in a thread of its own and keeps what the rest of the program sees of them."""

from __future__ import annotations

import math
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tbtui.loading.logdir import LogdirLoader
from tbtui.loading.malloc_trim import TRIM_BYTES, trim_memory
from tbtui.loading.state import LoadState
from tbtui.loading.watcher import WatchManager
from tbtui.loading.workers.pool import default_jobs
from tbtui.store.staging import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tbtui.loading.cache.store import RunIndexes
    from tbtui.loading.sources import Source


# What other threads tell the loading thread: look at these files, look everywhere, stop resting.


_MAX_WAIT_SECONDS = 1e6
"""Seconds; the system cannot wait for all that a person may ask for."""


class Wakeups:
    """A letter box with a bell; any thread may put in, one takes out."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._paths: set[str] = set()
        self._everywhere = False

    def put(self, paths: Iterable[str]) -> None:
        """Tell that something has changed at these absolute paths."""
        with self._lock:
            self._paths.update(paths)
        self._bell.set()

    def put_everywhere(self) -> None:
        """Tell that anything may have changed."""
        with self._lock:
            self._everywhere = True
        self._bell.set()

    def take(self) -> tuple[set[str], bool]:
        """The paths told since the last call, and whether anything may have changed."""
        with self._lock:
            taken = self._paths, self._everywhere
            self._paths, self._everywhere = set(), False
            return taken

    @property
    def told(self) -> bool:
        """Whether something was told that nobody has rested for since."""
        return self._bell.is_set()

    def ring(self) -> None:
        """End a rest without telling anything."""
        self._bell.set()

    def rest(self, seconds: float) -> None:
        """Wait until something is told, or so long at most."""
        self._bell.wait(None if math.isinf(seconds) else min(max(0.0, seconds), _MAX_WAIT_SECONDS))
        self._bell.clear()


PUBLISH_SECONDS = 0.1
"""Shortest time between two states: more than ten a second nobody can follow."""

_PUBLISH_SHARE = 10
"""A state that takes long to make is made so seldom that it costs at most 1/10 of the time."""

_FIRST_ROUND_SECONDS = 0.02
_ROUND_SECONDS = 0.05
_ROUND_BYTES = 16 << 20

_STOP_TIMEOUT_SECONDS = 2.0
"""Who leaves need not wait longer for a file system that does not answer: what reads then ends with the process."""

_SWITCH_SECONDS = 0.0005
"""How long the interpreter lets the loading thread run when the user interface wants to answer a key."""


class Loader:
    """Discovers, reads and follows the runs of some sources.

    `state` may be read from any thread at any time, and never waits. `start` lets a daemon thread do the work; without
    it, `step` and `load_all` do it in the calling thread.
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
        """Begin with an empty state.

        Args:
            sources: where to look for runs.
            reload_seconds: None: changes are shown at once where the file system tells of them, and looked for by rule
                where it does not; a number: they are looked for so often; 0: everything is read once.
            whole: read all bytes, also those of long values that are only needed when they are shown.
            indexes: where what was read is kept for the next time; None: nowhere.
            jobs: how many processes may read at once when there is much to read, this one among them; None: as many as
                are sensible here.
            on_change: called after each new state, in the loading thread.
            clock: seconds on a clock that never goes back.
            now: seconds since the epoch.
        """
        self.on_change = on_change
        self._clock = clock
        self._listens = reload_seconds is None
        self._unheard = "off" if reload_seconds == 0 else "polled"
        self._store = Store()
        self._indexes = indexes
        self._logdir = LogdirLoader(
            sources,
            self._store,
            reload_seconds=reload_seconds,
            whole=whole,
            indexes=indexes,
            clock=clock,
            now=now,
        )
        self._logdir.pool.jobs = default_jobs() if jobs is None else jobs
        self._notices = Wakeups()
        self._listening = WatchManager(self._notices)
        self._state = LoadState(watching=self._unheard)
        self._next_publish = clock()
        self._round_seconds = _FIRST_ROUND_SECONDS
        self._tidied = 0
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def state(self) -> LoadState:
        """The latest state."""
        return self._state

    def start(self) -> None:
        """Load and follow in a daemon thread until `stop`; a loader that was started already goes on."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="tbtui-loader", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread; returns when the round under way is over, or takes too long."""
        self._stopping.set()
        self._notices.ring()
        if self._thread is not None:
            self._thread.join(_STOP_TIMEOUT_SECONDS)

    def wake(self) -> None:
        """Look at everything now; returns at once."""
        self._notices.put_everywhere()

    def step(self) -> bool:
        """One bounded round in the calling thread; when nothing is left from the last one, it looks at everything.

        Returns:
            Whether the state changed.
        """
        if not self._logdir.busy:
            self._logdir.look_everywhere()
        return self._round()

    def load_all(self) -> LoadState:
        """Read in the calling thread until nothing is left to read, and keep it for the next time."""
        try:
            self.step()
            while self._logdir.busy:
                self._round()
        finally:
            self._logdir.pool.stop()
        while self._logdir.keep_next():
            pass
        self._publish()
        return self._state

    def _run(self) -> None:
        try:
            self._follow()
        finally:
            self._logdir.pool.stop()
            self._listening.stop()

    def _follow(self) -> None:
        while not self._stopping.is_set():
            with _short_switch_interval():
                self._round()
                while self._logdir.busy and not self._stopping.is_set():
                    self._round()
                self._logdir.pool.stop()
                self._keep()
            if self._listens:
                self._listening.follow(self._logdir.watchable)
            self._rest()

    def _keep(self) -> None:
        """Keep for the next time what was read, as long as nothing else is to be done."""
        failure = self._state.index_failure
        while not (self._stopping.is_set() or self._notices.told) and self._logdir.keep_next():
            pass
        if self._indexes is not None and self._indexes.failure != failure:
            self._publish()

    def _rest(self) -> None:
        """Wait for something to do, and so long that states do not follow one another too fast."""
        self._notices.rest(self._logdir.due - self._clock())
        self._stopping.wait(max(0.0, self._next_publish - self._clock()))

    def _round(self) -> bool:
        paths, everywhere = self._notices.take()
        self._logdir.heard = self._listening.heard
        if everywhere:
            self._logdir.look_everywhere()
        self._logdir.notice(paths)
        self._logdir.round(self._round_seconds, _ROUND_BYTES)
        self._round_seconds = _ROUND_SECONDS
        changed = self._publish()
        self._keep_tidy()
        return changed

    def _keep_tidy(self) -> None:
        """Now and then, and when loading is done, give back the memory that reading has left behind."""
        read = self._state.bytes_read
        if abs(read - self._tidied) > (TRIM_BYTES if self._logdir.busy else TRIM_BYTES // 16):
            self._tidied = read
            trim_memory()

    def _publish(self) -> bool:
        """Make a new state, unless the last one is too fresh while more is being read; True when it is another one."""
        began = self._clock()
        if self._logdir.busy and began < self._next_publish:
            return False
        self._logdir.commit()
        done, total = self._logdir.progress
        watching = "notified" if self._logdir.heard else self._unheard
        failure = None if self._indexes is None else self._indexes.failure
        state = LoadState(
            self._store.snapshot, done, total, self._logdir.complete, watching, self._logdir.problems, failure
        )
        ended = self._clock()
        self._next_publish = ended + max(PUBLISH_SECONDS, _PUBLISH_SHARE * (ended - began))
        changed = state != self._state
        if changed:
            self._state = state
            self.on_change()  # may take its time, as at the start: what a state costs to make is not its affair
        self._get_help()
        return changed

    def _get_help(self) -> None:
        """Let workers read beside this thread if they pay; never before the first state is shown."""
        began = self._clock()
        self._logdir.pool.start()
        self._next_publish += _PUBLISH_SHARE * (self._clock() - began)


@contextmanager
def _short_switch_interval() -> Iterator[None]:
    """Let other threads take over from this one after a fraction of a frame."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
