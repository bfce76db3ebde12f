"""Runs read one after the other, each whole: for who needs every point once and not all of them at the same time."""

from __future__ import annotations

import time
from collections import deque
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from tbtui.events.decoder import RunDecoder
from tbtui.events.templates import TemplateCache
from tbtui.loading.discovery import Discovery
from tbtui.loading.event_file import FollowedFile
from tbtui.loading.malloc_trim import TRIM_BYTES, trim_memory
from tbtui.loading.run import MAX_READ_BYTES, RunLoader
from tbtui.loading.workers import pool
from tbtui.loading.workers.pool import default_jobs
from tbtui.store.snapshot import RunSnapshot
from tbtui.store.spill import SpillingStore
from tbtui.store.staging import Store
from tbtui.tfrecord.reader import FileReplaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tbtui.loading.cache.store import RunIndexes
    from tbtui.loading.discovery import FoundRun
    from tbtui.loading.sources import Source
    from tbtui.loading.workers.process import Worker

SPILL_BYTES = 96 << 20
"""Of the event files of a run, from which on its scalars are not all in memory at once, and no index is made of it."""

_FIRST_READ_BYTES = 4096
"""Of each file are read at first to see when it begins."""


class SequentialReader:
    """The runs of some sources in the order of a store's snapshot, each read to its end when it is its turn.

    What a run holds is free again when the next one is taken, so memory follows the largest run, not their number.

    Args:
        sources: Where to look for runs.
        indexes: Where what was read is kept for the next time; None: nowhere.
        jobs: How many processes may read at once when there is much to read, this one among them; None: as many as are
            sensible here.
        told: Called with the bytes that need not be read any more, and with how many there are in all.
        large_bytes: As `LARGE_BYTES`.
        least_bytes: To be read in all, from which on other processes read ahead; None: as many as elsewhere.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        indexes: RunIndexes | None = None,
        jobs: int | None = 1,
        told: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
        large_bytes: int = SPILL_BYTES,
        least_bytes: int | None = None,
    ) -> None:
        discovery = Discovery(sources)
        self._new_decoder = partial(RunDecoder, TemplateCache())
        self._indexes, self._told = indexes, told
        self._jobs = default_jobs() if jobs is None else jobs
        self._large_bytes = large_bytes
        self._least_bytes = pool.MIN_TOTAL_BYTES if least_bytes is None else least_bytes
        self._found = self._in_order([found for found in discovery.walk() if found is not None])
        self._workers: list[Worker] = []
        self.problems = [*discovery.problems]
        """Directories that could not be looked into, and what is wrong with the files of the runs so far."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of all runs, in their order: by start time, then name, those that have none last."""
        return tuple(found.name for found in self._found)

    @property
    def index_failure(self) -> str | None:
        """Why what was read cannot be kept for the next time, in plain words."""
        return None if self._indexes is None else self._indexes.failure

    def read(self, wanted: Callable[[str], bool]) -> Iterator[RunSnapshot]:
        """Each run whose name is wanted, whole."""
        chosen = [found for found in self._found if wanted(found.name)]
        sizes = [found.bytes for found in chosen]
        coming: deque[RunLoader] = deque()
        begun = done = trimmed = 0
        with self._reading_ahead(len(chosen), sum(sizes)):
            for size in sizes:
                for found in chosen[begun : begun + 1 + len(self._workers) - len(coming)]:
                    coming.append(self._begin(found))
                    begun += 1
                run = coming.popleft()
                self._ask(coming)
                for read in self._read(run):
                    self._told(done + min(read, size), sum(sizes))
                done += size
                run.keep()
                self.problems += run.problems(time.time())
                snapshot = run.commit()
                del run
                if snapshot is not None:
                    yield snapshot
                del snapshot
                if done - trimmed > TRIM_BYTES // 4:
                    trimmed = done
                    trim_memory()

    def _begin(self, found: FoundRun) -> RunLoader:
        run = RunLoader(found, Store(), self._new_decoder, indexes=self._indexes)
        if run.progress[1] > self._large_bytes:
            run = RunLoader(found, SpillingStore(), self._new_decoder)
            run.lent = True  # it is not read elsewhere
        return run

    def _read(self, run: RunLoader) -> Iterator[int]:
        """Read a run to its end; yields how many of its bytes are read, piece by piece."""
        while run.pending:
            self._take_answers()
            if run.pending:
                run.read(shared=bool(self._workers))
            yield run.progress[0]

    @contextmanager
    def _reading_ahead(self, runs: int, total: int) -> Iterator[None]:
        """Processes that read the next runs while what is there is made use of, where they pay."""
        try:
            if total >= self._least_bytes:
                from tbtui.loading.workers.process import Worker

                with suppress(OSError):  # the system grants no more
                    while len(self._workers) < min(self._jobs, runs) - 1:
                        self._workers.append(Worker(whole=False))
            yield
        finally:
            ended, self._workers = self._workers, []
            for worker in ended:
                worker.kill()
            for worker in ended:
                worker.reap()

    def _ask(self, coming: Iterable[RunLoader]) -> None:
        """Let workers read the runs that come next, one each: more than that would only wait in memory."""
        self._take_answers()
        idle = [worker for worker in self._workers if not worker.is_asked]
        for run in coming:
            if idle and not run.lent and run.unread >= pool.MIN_RUN_BYTES:
                run.lent = True
                idle.pop().ask(run)

    def _take_answers(self) -> None:
        for worker in tuple(self._workers):
            self._take_answers_of(worker)

    def _take_answers_of(self, worker: Worker) -> None:
        for run, index in worker.answers():
            if index is not None:
                run.take(index)
        if worker.is_lost:
            self._workers.remove(worker)
            worker.kill()
            worker.reap()

    def _in_order(self, found: Sequence[FoundRun]) -> list[FoundRun]:
        """As a store orders its runs, which only their first events are read for."""
        store, by_name = Store(), {each.name: each for each in found}
        for each in found:
            files = tuple(map(self._begun, each.files)) if len(found) > 1 else ()
            store.put(RunSnapshot(each.name, 0, files=tuple(file.describe() for file in files)))
        return [by_name[name] for name in store.publish().runs]

    def _begun(self, path: str) -> FollowedFile:
        """A file of which no more is read than tells when it begins."""
        decoder = self._new_decoder()
        file = FollowedFile(path, read_partial=decoder.read_partial)
        file.look()
        size = _FIRST_READ_BYTES
        while file.pending and file.first_wall_time is None:
            try:
                block = file.read(size)
            except FileReplaced:
                break  # it will be read anew, and says then what it holds
            if block is not None:
                file.take(block, decoder.decode(block))
            size = min(2 * size, MAX_READ_BYTES)
        return file
