"""Runs that are read when they are asked for, and looked at again when somebody says so: no thread, no clock."""

from __future__ import annotations

import threading
import time
from functools import cached_property, partial
from typing import TYPE_CHECKING

from tbtui.events.decoder import RunDecoder
from tbtui.events.templates import TemplateCache
from tbtui.loading.cache.store import MIN_RUN_BYTES, user_indexes
from tbtui.loading.discovery import Discovery
from tbtui.loading.run import RunLoader
from tbtui.store.staging import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tbtui.loading.cache.store import RunIndexes
    from tbtui.loading.discovery import FoundRun
    from tbtui.loading.sources import Source
    from tbtui.loading.state import FileProblem
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot

MIN_POOL_BYTES = 16 << 20
"""To be read: with less nobody needs to ask whether other processes should help."""


class LazyRuns:
    """The runs of some sources. Any thread may ask; one reads, and the others wait for it.

    Directories are walked at first and by `look_again`, nowhere else, and a run is read to its end when it is first
    asked for.

    Args:
        sources: Where to look for runs.
        is_wanted: Whether the run of that name counts; others are not there.
        keeps: Whether what is read of long files is kept for the next time, where the dashboard keeps it, too.
        jobs: How many processes may read at once when there is much to read, this one among them; None: as many as are
            sensible here.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        is_wanted: Callable[[str], bool] = lambda name: True,  # noqa: ARG005
        keeps: bool = True,
        jobs: int | None = None,
    ) -> None:
        self._is_wanted, self._keeps, self._jobs = is_wanted, keeps, jobs
        self._lock = threading.RLock()
        self._discovery = Discovery(sources)
        self._new_decoder = _decoder_factory()
        self._found: dict[str, FoundRun] = {}
        self._loaders: dict[str, RunLoader] = {}
        self._store = Store()
        self._stale = False
        self._known: dict[str, RunSnapshot] = {}
        self._walk()

    @property
    def found(self) -> dict[str, FoundRun]:
        """All runs by name, in the order of the walk, which is that of their names; replaced, never changed."""
        return self._found

    @property
    def keeping_failure(self) -> str | None:
        """Why what was read cannot be kept for the next time, in plain words."""
        return self._indexes.failure if "_indexes" in self.__dict__ else None

    def known(self, name: str) -> RunSnapshot | None:
        """What was read of a run up to now; None when it was not asked for."""
        return self._known.get(name)

    def read(self, names: Iterable[str]) -> None:
        """Read the runs of these names that are there and were not read."""
        with self._lock:
            self._read([name for name in dict.fromkeys(names) if name in self._found and name not in self._known])

    def snapshot(self, names: Iterable[str]) -> StoreSnapshot:
        """All runs that were read, among them those named, where they are there; in the order of a store."""
        with self._lock:
            self.read(names)
            if self._stale:
                self._store.publish()
                self._stale = False
            return self._store.snapshot

    def look_again(self) -> bool:
        """Walk the directories, and read what has been added to the runs that have been read.

        Returns:
            Whether a run came or went, or anything that was read is another now.
        """
        with self._lock:
            before, runs = tuple(self._found), dict(self._known)
            self._walk()
            for name in [name for name in self._loaders if name not in self._found]:
                self._forget(name)
            for name, loader in tuple(self._loaders.items()):
                found = self._found[name]
                if loader.directory == found.directory:
                    loader.put_paths(found.files)
                    loader.look()
                else:
                    self._forget(name)  # another directory is called so by now
            self._read([name for name in runs if name in self._found])
            after = self._known
            return before != tuple(self._found) or any(_has_changed(run, after.get(name)) for name, run in runs.items())

    def problems(self, name: str | None = None) -> tuple[FileProblem, ...]:
        """What is wrong with the files of a run, or of all that were read and with directories, for damage lists."""
        with self._lock:
            directories = self._discovery.problems if name is None else ()
            loaders = [loader for each, loader in self._loaders.items() if name in {None, each}]
            now = time.time()
            return (*directories, *(problem for loader in loaders for problem in loader.problems(now)))

    @cached_property
    def _indexes(self) -> RunIndexes:
        return user_indexes()

    def _walk(self) -> None:
        walk = self._discovery.walk()
        self._found = {found.name: found for found in walk if found is not None and self._is_wanted(found.name)}

    def _forget(self, name: str) -> None:
        self._loaders.pop(name, None)
        self._known.pop(name, None)
        self._store.drop(name)
        self._stale = True

    def _read(self, names: Sequence[str]) -> None:
        """Read what is pending of some runs; one that was not begun is begun."""
        try:
            self._read_on(names)
        except BaseException:
            # Wherever Ctrl-C came, or memory ended: bytes may have been read whose points are nowhere, and what all
            # runs know of shapes of records may be half learnt. So these runs are read anew when they are asked for.
            self._new_decoder = _decoder_factory()
            for name in names:
                self._forget(name)
            raise

    def _read_on(self, names: Sequence[str]) -> None:
        loaders = [self._loader(name) for name in names]
        pending = [loader for loader in loaders if loader.pending]
        if len(pending) > 1 and self._jobs != 1 and sum(loader.unread for loader in pending) > MIN_POOL_BYTES:
            self._read_together(pending)
        for loader in pending:
            while loader.pending:
                loader.read(shared=True)
            loader.keep()
        for loader in loaders:
            snapshot = loader.commit()
            if snapshot is not None:
                self._known[snapshot.name] = snapshot
                self._store.put(snapshot)
                self._stale = True

    def _loader(self, name: str) -> RunLoader:
        if name not in self._loaders:
            found = self._found[name]
            indexes = self._indexes if self._keeps and found.bytes >= MIN_RUN_BYTES else None
            self._loaders[name] = RunLoader(found, self._store, self._new_decoder, indexes=indexes)
        return self._loaders[name]

    def _read_together(self, pending: Sequence[RunLoader]) -> None:
        """Read with the help of other processes, where they pay."""
        from tbtui.loading.logdir import RunQueue
        from tbtui.loading.workers.pool import WorkerPool, default_jobs

        queue = RunQueue()
        for loader in pending:
            queue.push(loader)
        lending = WorkerPool(queue)
        lending.jobs = default_jobs() if self._jobs is None else self._jobs
        try:
            lending.begin()
            while queue:
                lending.lend()
                loader = queue.pop()
                if loader.pending:
                    loader.read(shared=True)
                for each in (loader, *lending.returned()):
                    if each.pending:
                        queue.push(each)
        finally:
            lending.end()


def _decoder_factory() -> Callable[[], RunDecoder]:
    """Makes decoders that know from one another how records look."""
    return partial(RunDecoder, TemplateCache())


def _has_changed(before: RunSnapshot, after: RunSnapshot | None) -> bool:
    """Whether what a run says is another: more bytes of a file alone say nothing."""
    if after is None:
        return True
    health = [[(file.path, file.state, file.problems) for file in run.files] for run in (before, after)]
    return dict(before.series) != dict(after.series) or health[0] != health[1]
