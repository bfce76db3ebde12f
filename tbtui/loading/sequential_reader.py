"""Read runs one after the other, so that memory follows the largest run instead of their number."""

from __future__ import annotations

import math
import time
from collections import deque
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tbtui.events.decoder import RunDecoder
from tbtui.events.schema import PARSE_ERRORS, get_message_class
from tbtui.events.templates import TemplateCache
from tbtui.loading.discovery import Discovery
from tbtui.loading.event_file import FollowedFile
from tbtui.loading.malloc_trim import TRIM_BYTES, trim_memory
from tbtui.loading.run import MAX_READ_BYTES, RunLoader
from tbtui.loading.state import name_writers
from tbtui.loading.whole_run_reader import WholeRunReader
from tbtui.loading.workers import pool
from tbtui.store.run_restarts import share_restarts
from tbtui.store.snapshot import EventFile, RunSnapshot
from tbtui.store.spill import SpillingStore
from tbtui.store.staging import Store
from tbtui.store.writers import split_writers
from tbtui.tfrecord.checksum import compute_payload_checksum
from tbtui.tfrecord.file import read_head
from tbtui.tfrecord.framing import FOOTER_BYTES, HEADER_BYTES, OVERHEAD_BYTES, parse_header
from tbtui.tfrecord.reader import FileReplaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tbtui.loading.cache.index_folder import RunIndexes
    from tbtui.loading.discovery import FoundRun
    from tbtui.loading.sources import Source
    from tbtui.loading.state import Searched

SPILL_BYTES = 96 << 20
"""Size of a run's event files above which its scalars are spilled to disk and no index is cached."""

_HEAD_BYTES = 512
"""Bytes of a file that hold its first record if that only gives the version."""

_FIRST_READ_BYTES = 4096
"""Bytes of each file that are read first to find its start time."""


class SequentialReader:
    """Reads the runs of some sources to their end, one by one, in the order of a store snapshot.

    A run's memory is released when the next run is taken.

    Args:
        sources: Where to look for runs.
        indexes: Cache of run contents; None: no cache.
        jobs: Maximum number of reading processes, including this one; None: `choose_jobs`.
        on_progress: Called with the number of bytes done and their total.
        spill_bytes: See `SPILL_BYTES`.
        min_bytes: Unread bytes in total from which on worker processes read ahead; None: `pool.MIN_TOTAL_BYTES`.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        indexes: RunIndexes | None = None,
        jobs: int | None = 1,
        on_progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
        spill_bytes: int = SPILL_BYTES,
        min_bytes: int | None = None,
    ) -> None:
        discovery = Discovery(sources)
        self._new_decoder = partial(RunDecoder, TemplateCache())
        self._whole_runs = WholeRunReader()
        self._indexes, self._on_progress = indexes, on_progress
        self._jobs = pool.choose_jobs() if jobs is None else jobs
        self._spill_bytes = spill_bytes
        self._min_bytes = pool.MIN_TOTAL_BYTES if min_bytes is None else min_bytes
        self._discovery = discovery
        self._found = self._sort_runs([found for found in discovery.walk() if found is not None])
        self._workers = pool.WorkerGroup()
        self.problems = [*discovery.problems]
        """Unreadable directories, and damage in the files of the runs read so far."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all runs, sorted by start time, then name; runs without a start time come last."""
        return tuple(run.name for run in self._found)

    @property
    def searched(self) -> Searched:
        """Directories and files that were searched for runs."""
        return self._discovery.searched

    @property
    def index_failure(self) -> str | None:
        """Reason why the cache cannot be written; None if it can."""
        return None if self._indexes is None else self._indexes.failure

    def read(self, is_selected: Callable[[str], bool]) -> Iterator[RunSnapshot]:
        """Read and yield each run whose name is selected, and each writer's of a directory to which several wrote."""
        selected = [found for found in self._found if is_selected(found.name) or found.may_have_writers]
        sizes = [found.bytes for found in selected]
        upcoming: deque[RunLoader] = deque()
        started = done = trimmed = 0
        with self._read_ahead(len(selected), sum(sizes)):
            for size in sizes:
                for found in selected[started : started + 1 + len(self._workers) - len(upcoming)]:
                    upcoming.append(self._create_loader(found))
                    started += 1
                run = upcoming.popleft()
                self._assign(upcoming)
                for read in self._read(run):
                    self._on_progress(done + min(read, size), sum(sizes))
                done += size
                run.keep()
                snapshot = run.snapshot()
                writers = [] if snapshot is None else [share_restarts(each) for each in split_writers(snapshot)]
                self.problems += name_writers(run.problems(time.time()), writers)
                del run
                is_whole = snapshot is not None and is_selected(snapshot.name)
                del snapshot
                while writers:
                    writer = writers.pop(0)
                    if is_whole or is_selected(writer.name):
                        yield writer
                    del writer
                if done - trimmed > TRIM_BYTES // 4:
                    trimmed = done
                    trim_memory()

    def _create_loader(self, found_run: FoundRun) -> RunLoader:
        run = RunLoader(found_run, Store(), self._new_decoder, indexes=self._indexes)
        if run.progress[1] > self._spill_bytes:
            run = RunLoader(found_run, SpillingStore(), self._new_decoder)
            run.was_assigned = True  # never give it to a worker
        run.put_assets(self._discovery.assets_by_run.get(found_run.name, ()))
        return run

    def _read(self, run: RunLoader) -> Iterator[int]:
        """Read a run to its end; yield the number of its bytes done after each piece."""
        if not self._workers and run.can_read_whole():
            self._whole_runs.read([run])
            yield run.progress[0]
        while run.pending:
            self._collect()
            if run.pending:
                run.read(shared=bool(self._workers))
            yield run.progress[0]

    @contextmanager
    def _read_ahead(self, runs: int, total: int) -> Iterator[None]:
        """Let workers read the next runs while the caller uses the current one, if that pays."""
        try:
            if total >= self._min_bytes:
                self._workers.start(min(self._jobs, runs) - 1)
            yield
        finally:
            self._workers.stop()

    def _assign(self, upcoming: Iterable[RunLoader]) -> None:
        """Assign one upcoming run to each idle worker; more results would only wait in memory."""
        self._collect()
        idle = [worker for worker in self._workers if not worker.is_busy]
        for run in upcoming:
            if idle and not run.was_assigned and run.unread >= pool.MIN_RUN_BYTES:
                run.was_assigned = True
                idle.pop().ask(run)

    def _collect(self) -> None:
        for run, index in self._workers.answers():
            if index is not None:
                run.take(index)

    def _sort_runs(self, found_runs: Sequence[FoundRun]) -> list[FoundRun]:
        """Sort runs as a store does, reading no more than their first events."""
        store, by_name = Store(), {each.name: each for each in found_runs}
        for each in found_runs:
            starts = map(self._read_start, each.files) if len(found_runs) > 1 else ()
            files = tuple(
                EventFile(path, 0, 0, None, start, start, "ok") for path, start in zip(each.files, starts, strict=False)
            )
            store.put(RunSnapshot(each.name, 0, files=files))
        return [by_name[name] for name in store.publish().runs]

    def _read_start(self, path: str) -> float | None:
        """Return the first wall time of a file; None if it has none that can be read."""
        start = _start_of(path)
        if start is not None:
            return start
        decoder = self._new_decoder()
        file = FollowedFile(path, read_partial=decoder.read_partial)
        file.poll()
        size = _FIRST_READ_BYTES
        while file.pending and file.first_wall_time is None:
            try:
                block = file.read(size)
            except FileReplaced:
                break  # its new contents are read later
            if block is not None:
                file.record_block(block, decoder.decode(block))
            size = min(2 * size, MAX_READ_BYTES)
        return file.first_wall_time


def _start_of(path: str) -> float | None:
    """Return the wall time of the first record of a file, read with few system calls.

    Tens of thousands of files are put into an order by it.

    Returns:
        None if the file does not begin with a short event that matches its checksums.
    """
    try:
        head = read_head(path, _HEAD_BYTES)
        length = parse_header(np.frombuffer(head, np.uint8), 0)
        if not length or len(head) < length + OVERHEAD_BYTES:
            return None
        payload, stored = head[HEADER_BYTES : HEADER_BYTES + length], head[HEADER_BYTES + length :][:FOOTER_BYTES]
        if compute_payload_checksum(payload) != int.from_bytes(stored, "little"):
            return None
        wall_time: float = get_message_class("Event").FromString(payload).wall_time
    except (OSError, *PARSE_ERRORS):
        return None
    return None if math.isnan(wall_time) else wall_time
