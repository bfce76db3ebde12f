"""How many processes read at once when nobody says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.loading.malloc_trim import tune_malloc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.logdir import RunQueue
    from tbtui.loading.run import RunLoader
    from tbtui.loading.workers.process import Worker


CORES_PER_JOB = 4
"""A quarter of the cores: a training has the others."""

MIN_JOBS, MAX_JOBS = 2, 8
"""The program and one worker read even on two cores: workers are niced, so that a training goes first. And what comes
back from eight is all that one thread can take."""

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def default_jobs() -> int:
    """A sensible number of processes that read at once, this one among them, beside whatever else the machine does."""
    cores = _cores()
    return 1 if cores < 2 else min(max(MIN_JOBS, cores // CORES_PER_JOB), MAX_JOBS)


def _cores() -> int:
    """Cores that this process may use, in whole ones."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return cores if quota is None else min(cores, int(quota))


def _quota() -> float | None:
    """Cores whose time a container is granted; None when it is not bounded, or not told (cgroup v2: `cpu.max`)."""
    try:
        granted, period = _QUOTA.read_text("ascii").split()
        return int(granted) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # "max": not a number
        return None


# Which runs are lent to workers, and when there are any.


MIN_TOTAL_BYTES = 96 << 20
"""With less to read, it is read before workers would be of use. Half of it must lie outside the largest run: a run is
read by one process, and that may be this one."""

MIN_RUN_BYTES = 128 << 10
"""A smaller run is read as fast as it is taken over from a worker."""


class WorkerPool:
    """Workers, as long as there is much to read, and the runs they read.

    A lent run stays in the queue of runs to be read, behind all others. So nothing is lost and nobody waits when a
    worker is slow or ends: whoever has nothing else to read reads it too, and what is there first counts.
    """

    def __init__(self, queue: RunQueue, *, whole: bool = False) -> None:
        """Begin without workers.

        Args:
            queue: the runs that are to be read.
            whole: read all bytes, also those of long values that are only needed when they are shown.
        """
        self.jobs = 1
        """How many processes may read at once, this one among them; with 0 and 1 no run is ever lent."""

        self.least_bytes = MIN_TOTAL_BYTES
        """To be read, from which on there are workers."""

        self.least_run_bytes = MIN_RUN_BYTES
        """To be read of a run, from which on it is lent."""

        self._queue = queue
        self._whole = whole
        self._workers: list[Worker] = []

    def begin(self) -> None:
        """Start workers, when there are none and so much is to be read that they pay."""
        if self._workers or self.jobs < 2 or not self._pays():
            return
        from tbtui.loading.workers.process import Worker

        try:
            while len(self._workers) < self.jobs - 1:
                self._workers.append(Worker(whole=self._whole))
        except OSError:
            self.jobs = 1 + len(self._workers)  # the system grants no more
        if self._workers:
            self._queue.begin_lending()
            tune_malloc()  # larger pieces are read now

    def lend(self) -> None:
        """See that workers have something to read."""
        for worker in self._workers:
            while not worker.has_enough:
                run = self._queue.lend(self._can_be_lent)
                if run is None:
                    return
                worker.ask(run)

    def returned(self) -> Iterator[RunLoader]:
        """The runs that workers are done with since the last call, with what they have read.

        No longer lent, they are not in the queue.
        """
        for worker in tuple(self._workers):
            yield from self._returned_by(worker)

    def end(self) -> None:
        """End the workers, whatever they do."""
        ended, self._workers = self._workers, []
        for worker in ended:
            worker.kill()
        for worker in ended:
            worker.reap()
        self._queue.end_lending()

    def _returned_by(self, worker: Worker) -> Iterator[RunLoader]:
        for run, index in worker.answers():
            if index is not None and run.take(index):
                self._queue.take_back(run)
                yield run
        if worker.is_lost:
            self._workers.remove(worker)
            self.jobs -= 1  # what has ended it may end another
            worker.kill()
            worker.reap()

    def _pays(self) -> bool:
        total = largest = 0
        for run in self._queue:
            if self._can_be_lent(run):
                total += run.unread
                largest = max(largest, run.unread)
                if min(total, 2 * (total - largest)) >= self.least_bytes:
                    return True
        return False

    def _can_be_lent(self, run: RunLoader) -> bool:
        return not (run.lent or run.vanished) and run.unread >= self.least_run_bytes
