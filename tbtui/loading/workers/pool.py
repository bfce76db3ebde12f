"""Worker processes that read runs, and the rule by which runs are assigned to them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.loading.malloc_trim import tune_malloc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.cache.format import RunIndex
    from tbtui.loading.run import RunLoader
    from tbtui.loading.run_queue import RunQueue
    from tbtui.loading.workers.process import WorkerProcess


CORES_PER_JOB = 4
"""The default uses a quarter of the cores: a training needs the others."""

MIN_JOBS, MAX_JOBS = 2, 8
"""Even with two cores, one worker is started: workers are niced, so that a training goes first. One thread
cannot take over the results of more than eight processes."""

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def choose_jobs() -> int:
    """Return the default number of reading processes, including this one."""
    cores = _count_cores()
    return 1 if cores < 2 else min(max(MIN_JOBS, cores // CORES_PER_JOB), MAX_JOBS)


def _count_cores() -> int:
    """Return the number of whole cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _read_quota()
    return cores if quota is None else min(cores, int(quota))


def _read_quota() -> float | None:
    """Return the cores granted to a container (cgroup v2: `cpu.max`); None if unlimited or unknown."""
    try:
        granted, period = _QUOTA.read_text("ascii").split()
        return int(granted) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # "max": not a number
        return None


class WorkerGroup:
    """Running worker processes. Belongs to one thread."""

    def __init__(self) -> None:
        self._workers: list[WorkerProcess] = []

    def __len__(self) -> int:
        return len(self._workers)

    def __iter__(self) -> Iterator[WorkerProcess]:
        return iter(self._workers)

    def start(self, count: int, *, whole: bool = False) -> None:
        """Start workers until `count` are running, or as many as the system allows.

        Args:
            count: Number of workers.
            whole: Read all bytes, including large payloads that are needed only for display.
        """
        from tbtui.loading.workers.process import WorkerProcess

        try:
            while len(self._workers) < count:
                self._workers.append(WorkerProcess(whole=whole))
        except OSError:
            return

    def answers(self) -> Iterator[tuple[RunLoader, RunIndex | None]]:
        """Yield the runs that workers have finished with what they read; None if a run could not be read.

        Never waits. Workers whose process has ended are removed.
        """
        for worker in tuple(self._workers):
            yield from worker.answers()
            if worker.is_lost:
                self._workers.remove(worker)
                worker.kill()
                worker.reap()

    def stop(self) -> None:
        """Kill all workers, whatever they are doing."""
        stopped, self._workers = self._workers, []
        for worker in stopped:
            worker.kill()
        for worker in stopped:
            worker.reap()


MIN_TOTAL_BYTES = 96 << 20
"""Minimum unread bytes for which workers are worth starting. Half of them must be outside the largest run: one process
reads a run, and that may be this one."""

MIN_RUN_BYTES = 128 << 10
"""Minimum unread bytes of a run to assign it to a worker; a smaller run is read as fast as its result is taken over."""


class WorkerPool:
    """Starts workers while there is much to read, and assigns runs of a queue to them.

    An assigned run stays in the queue, after all others. A slow or killed worker therefore never blocks loading: when
    nothing else is left, the loader reads the run itself, and the first result counts.
    """

    def __init__(self, queue: RunQueue, *, whole: bool = False) -> None:
        """Create a pool without workers.

        Args:
            queue: Runs to read.
            whole: Read all bytes, including large payloads that are needed only for display.
        """
        self.jobs = 1
        """Maximum number of reading processes, including this one; with 0 and 1 no run is ever assigned."""

        self.min_bytes = MIN_TOTAL_BYTES
        """Unread bytes from which on workers are started."""

        self.min_run_bytes = MIN_RUN_BYTES
        """Unread bytes of a run from which on it is assigned."""

        self._queue = queue
        self._whole = whole
        self._workers = WorkerGroup()

    def start(self) -> None:
        """Start workers if none are running and enough is left to read."""
        if self._workers or self.jobs < 2 or not self._is_worth_it():
            return
        self._workers.start(self.jobs - 1, whole=self._whole)
        self.jobs = 1 + len(self._workers)
        if self._workers:
            self._queue.start_assigning()
            tune_malloc()  # pieces are larger from now on

    def assign(self) -> None:
        """Give runs to workers that will soon have nothing to read."""
        for worker in self._workers:
            while not worker.has_enough:
                run = self._queue.assign(self._is_assignable)
                if run is None:
                    return
                worker.ask(run)

    def collect(self) -> Iterator[RunLoader]:
        """Yield the runs that workers have read since the last call, updated with their results.

        These runs are no longer in the queue.
        """
        before = len(self._workers)
        for run, index in self._workers.answers():
            if index is not None and run.take(index):
                self._queue.release(run)
                yield run
        self.jobs -= before - len(self._workers)  # the cause that ended a worker may end another

    def stop(self) -> None:
        """Stop all workers; assigned runs stay in the queue."""
        self._workers.stop()
        self._queue.stop_assigning()

    def _is_worth_it(self) -> bool:
        total = largest = 0
        for run in self._queue:
            if self._is_assignable(run):
                total += run.unread
                largest = max(largest, run.unread)
                if min(total, 2 * (total - largest)) >= self.min_bytes:
                    return True
        return False

    def _is_assignable(self, run: RunLoader) -> bool:
        return not (run.was_assigned or run.vanished) and run.unread >= self.min_run_bytes
