"""Runs that are read on first use and updated on request, without a thread or a timer."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

from tbtui.events.decoder import RunDecoder
from tbtui.events.templates import TemplateCache
from tbtui.loading.assets import TensorShapes, describe_assets
from tbtui.loading.cache.index_folder import MIN_RUN_BYTES, open_user_indexes
from tbtui.loading.discovery import Discovery
from tbtui.loading.run import RunLoader
from tbtui.loading.state import name_writers
from tbtui.loading.whole_run_reader import WholeRunReader, read_whole
from tbtui.store.staging import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tbtui.loading.assets import RunAssets
    from tbtui.loading.cache.index_folder import RunIndexes
    from tbtui.loading.discovery import FoundRun
    from tbtui.loading.sources import Source
    from tbtui.loading.state import FileProblem
    from tbtui.store.run_parts import SplitRuns
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot

MIN_POOL_BYTES = 16 << 20
"""Unread bytes above which the worker pool is consulted; its import and its check cost more than they gain below."""


class ReadableRuns(Protocol):
    """Runs that are read on request: as stored (`LazyRuns`), joined (`ChainedRuns`), or folded (`FoldedRuns`)."""

    @property
    def found(self) -> dict[str, FoundRun]:
        """All runs by name, sorted by name; replaced on change, never modified."""
        ...

    @property
    def cache_failure(self) -> str | None:
        """Reason why the cache cannot be written; None if it can, or nothing was cached yet."""
        ...

    @property
    def assets(self) -> tuple[RunAssets, ...]:
        """Embeddings and profiles in the directories."""
        ...

    def get(self, name: str) -> RunSnapshot | None:
        """Return the contents of a run; None if it was not read."""
        ...

    def read(self, names: Iterable[str]) -> None:
        """Read those of the named runs that exist and were not read."""
        ...

    def snapshot(self, names: Iterable[str]) -> StoreSnapshot:
        """Read the named runs if necessary, and return all selected runs read so far in store order."""
        ...

    def refresh(self) -> bool:
        """Walk the directories, and read what was added; return True if anything changed."""
        ...

    def problems(self, name: str | None = None) -> tuple[FileProblem, ...]:
        """Return the damage in the files of one run, or of all."""
        ...


class LazyRuns:
    """Runs of some sources. Thread-safe: one thread reads while others wait.

    Directories are walked by the constructor and by `refresh` only, and a run is read to its end on first use.

    Args:
        sources: Where to look for runs.
        matches: Returns True for the names of runs to include.
        cache: Keep the contents of long files in the user's cache.
        jobs: Maximum number of reading processes, including this one; None: `choose_jobs`.
        split_runs: Split runs at their restarts or by file; all runs are then read for their names.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        matches: Callable[[str], bool] = lambda name: True,  # noqa: ARG005
        cache: bool = True,
        jobs: int | None = None,
        split_runs: SplitRuns = "no",
    ) -> None:
        self._matches, self._cache, self._jobs = matches, cache, jobs
        self._lock = threading.RLock()
        self._discovery = Discovery(sources)
        self._new_decoder, self._whole_runs = _create_decoder_factory(), WholeRunReader()
        self._found: dict[str, FoundRun] = {}
        """Directories by their run name."""

        self._writers: dict[str, tuple[str, ...]] = {}
        """Names of the runs of each directory that was read, usually its own."""

        self._directories: dict[str, str] = {}
        """The reverse: name of the directory by the name of the run."""

        self._listed: dict[str, FoundRun] = {}
        self._loaders: dict[str, RunLoader] = {}
        self._splits = split_runs != "no"
        self._store = Store(split_runs)
        self._shapes = TensorShapes()
        self._stale = False
        self._snapshots: dict[str, RunSnapshot] = {}
        self._walk()

    @property
    def found(self) -> dict[str, FoundRun]:
        """All runs by name, sorted by name; replaced on change, never modified.

        The names of a directory to which several processes wrote at the same time are known once it was read.
        """
        return self._listed

    @property
    def cache_failure(self) -> str | None:
        """Reason why the cache cannot be written; None if it can, or nothing was cached yet."""
        return self._indexes.failure if "_indexes" in self.__dict__ else None

    @property
    def assets(self) -> tuple[RunAssets, ...]:
        """Embeddings and profiles in the directories."""
        with self._lock:
            return describe_assets(self._discovery.assets, self._shapes)

    def get(self, name: str) -> RunSnapshot | None:
        """Return the contents of a run; None if it was not read."""
        return self._snapshots.get(name)

    def read(self, names: Iterable[str]) -> None:
        """Read those of the named runs that exist and were not read."""
        with self._lock:
            self._read(self._find_directories(name for name in names if name in self._listed))

    def snapshot(self, names: Iterable[str]) -> StoreSnapshot:
        """Read the named runs if necessary, and return all selected runs read so far in store order."""
        with self._lock:
            self.read(names)
            if self._stale:
                self._store.publish()
                self._stale = False
            snapshot = self._store.snapshot
            if snapshot.runs.keys() <= self._listed.keys():
                return snapshot
            # Directories with several files were read for the names of their writers, whatever is selected.
            return replace(snapshot, runs={name: run for name, run in snapshot.runs.items() if name in self._listed})

    def refresh(self) -> bool:
        """Walk the directories, and read what was added to the runs that were read.

        Returns:
            True if a run was found or removed, or the contents of a read run changed.
        """
        with self._lock:
            before, runs = tuple(self._listed), dict(self._snapshots)
            read = tuple(self._loaders)
            self._walk()
            for name, loader in tuple(self._loaders.items()):
                found_run = self._found[name]
                if loader.directory == found_run.directory:
                    loader.put_paths(found_run.files)
                    loader.put_assets(self._discovery.assets_by_run.get(name, ()))
                    loader.poll()
                else:
                    self._forget(name)  # the name now belongs to another directory
            self._read([name for name in read if name in self._found])
            after = self._snapshots
            return before != tuple(self._listed) or any(
                _has_changed(run, after.get(name)) for name, run in runs.items()
            )

    def problems(self, name: str | None = None) -> tuple[FileProblem, ...]:
        """Return the damage in the files of one run, or of all read runs together with unreadable directories.

        Bytes that may have been overwritten since they were read, and long payloads, are compared with their checksums.
        """
        with self._lock:
            directories = self._discovery.problems if name is None else ()
            only = None if name is None else self._directories.get(name, name)
            loaders = [loader for each, loader in self._loaders.items() if only in {None, each}]
            for loader in loaders:
                loader.poll()
                for _ in loader.verification():
                    pass
            now = time.time()
            problems = [
                problem
                for loader in loaders
                for problem in name_writers(loader.problems(now), self._store.get_runs(loader.name))
            ]
            selected = {*self._listed, *(self._directories[each] for each in self._listed)}
            listed = (problem for problem in problems if problem.run in selected)
            return (*directories, *(problem for problem in listed if name in {None, only, problem.run}))

    @cached_property
    def _indexes(self) -> RunIndexes:
        return open_user_indexes()

    def _walk(self) -> None:
        walk = self._discovery.walk()
        found_runs = [run for run in walk if run is not None]
        self._found = {run.name: run for run in found_runs if self._matches(run.name) or self._has_parts(run)}
        for name in [name for name in self._loaders if name not in self._found]:
            self._forget(name)
        # The names of these runs depend on what is in their files.
        self._read([name for name, run in self._found.items() if name not in self._loaders and self._has_parts(run)])
        self._list()

    def _has_parts(self, run: FoundRun) -> bool:
        """Return True if a directory may be several runs, so that it must be read for their names."""
        return self._splits or run.may_have_writers

    def _list(self) -> None:
        """List the runs that are selected, those that were read by the names of their writers."""
        names = {name: self._writers.get(name, (name,)) for name in self._found}
        listed = {
            each: self._found[name]._replace(name=each)
            for name, writers in names.items()
            for each in writers
            if self._matches(each) or self._matches(name)
        }
        self._directories = {each: name for name, writers in names.items() for each in writers}
        self._listed = dict(sorted(listed.items()))

    def _find_directories(self, names: Iterable[str]) -> list[str]:
        """Return the directories of some runs that were not read."""
        directories = dict.fromkeys(self._directories[name] for name in names)
        return [name for name in directories if name not in self._writers]

    def _forget(self, name: str) -> None:
        """Forget what was read of a directory."""
        self._loaders.pop(name, None)
        for each in (name, *self._writers.pop(name, ())):
            self._snapshots.pop(each, None)
        self._store.drop(name)
        self._stale = True

    def _read(self, names: Sequence[str]) -> None:
        """Read some runs to their end."""
        try:
            self._read_pending(names)
        except BaseException:
            # Ctrl-C or MemoryError may come anywhere: bytes may be read whose points are lost, and the shared shape
            # cache may be half updated. Forget these runs; they are read again on next use.
            self._new_decoder, self._whole_runs = _create_decoder_factory(), WholeRunReader()
            for name in names:
                self._forget(name)
            raise

    def _read_pending(self, names: Sequence[str]) -> None:
        loaders = [self._loader(name) for name in names]
        pending = [loader for loader in loaders if loader.pending]
        if len(pending) > 1 and self._jobs != 1 and sum(loader.unread for loader in pending) > MIN_POOL_BYTES:
            self._read_with_pool(pending)
        read_whole(self._whole_runs, pending)
        for loader in pending:
            while loader.pending:
                loader.read(shared=True)
            loader.keep()
        for loader in loaders:
            snapshot = loader.snapshot()
            if snapshot is None:
                continue
            runs = self._store.put(snapshot)
            for name in self._writers.get(snapshot.name, ()):
                self._snapshots.pop(name, None)
            # A caller may hold the run of the directory, from when nothing was known of its writers.
            self._snapshots |= {run.name: run for run in (snapshot, *runs)}
            names = tuple(run.name for run in runs)
            has_new_names = names != self._writers.get(snapshot.name, (snapshot.name,))
            self._writers[snapshot.name] = names
            self._stale = True
            if has_new_names:
                self._list()

    def _loader(self, name: str) -> RunLoader:
        if name not in self._loaders:
            run = self._found[name]
            indexes = self._indexes if self._cache and run.bytes >= MIN_RUN_BYTES else None
            self._loaders[name] = RunLoader(run, self._store, self._new_decoder, indexes=indexes)
            self._loaders[name].put_assets(self._discovery.assets_by_run.get(name, ()))
        return self._loaders[name]

    def _read_with_pool(self, pending: Sequence[RunLoader]) -> None:
        """Read runs together with worker processes, if these pay."""
        from tbtui.loading.run_queue import RunQueue
        from tbtui.loading.workers.pool import WorkerPool, choose_jobs

        queue = RunQueue()
        for loader in pending:
            queue.push(loader)
        pool = WorkerPool(queue)
        pool.jobs = choose_jobs() if self._jobs is None else self._jobs
        try:
            pool.start()
            while queue:
                pool.assign()
                loader = queue.pop()
                if loader.pending:
                    loader.read(shared=True)
                for each in (loader, *pool.collect()):
                    if each.pending:
                        queue.push(each)
        finally:
            pool.stop()


def _create_decoder_factory() -> Callable[[], RunDecoder]:
    """Return a factory of decoders that share one cache of record shapes."""
    return partial(RunDecoder, TemplateCache())


def _has_changed(before: RunSnapshot, after: RunSnapshot | None) -> bool:
    """Return True if points or the health of files differ; a file that merely grew does not count."""
    if after is None:
        return True
    health = [[(file.path, file.state, file.problems) for file in run.files] for run in (before, after)]
    return (
        before.series.keys() != after.series.keys()
        or any(not series.has_same_points(after.series[tag]) for tag, series in before.series.items())
        or health[0] != health[1]
        or before.assets != after.assets
    )
