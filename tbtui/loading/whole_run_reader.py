"""Read many runs at once, each from its first byte to its last.

Most runs of a large log directory are small. They are read, framed and decoded together, so that the cost follows their
bytes. A run with anything unusual, such as a damaged file, remains unread; `RunReader` reads it piece by piece.
"""

from __future__ import annotations

import math
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from tbtui.events.whole_run_decoder import WholeRunDecoder
from tbtui.loading.duplicate_files import HEAD_BYTES
from tbtui.loading.malloc_trim import tune_malloc
from tbtui.tfrecord.file_batches import FileBatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tbtui.loading.run import RunLoader
    from tbtui.loading.run_files import WholeFiles
    from tbtui.loading.run_reader import RunReader

MAX_RUN_BYTES = 2 << 20
"""Maximum size of the files of a run that is read at once; a larger one is read in pieces."""

MAX_BATCH_BYTES = 4 << 20
"""Size of a batch after the first ones: larger ones leave the caches of the processor."""

FIRST_BATCH_BYTES = 256 << 10
"""Size of the first batch, small so that something is soon shown; later ones are twice as large each."""

MAX_BATCH_FILES = 2000


class WholeRunReader:
    """Reads batches of runs. Belongs to one thread.

    Args:
        pause: Called between two pieces of work of a few milliseconds; it may wait.
    """

    def __init__(self, pause: Callable[[], None] = lambda: None) -> None:
        self._pause = pause
        self._decoder = WholeRunDecoder(pause)
        self._is_tuned = False

    def read(self, runs: Iterable[RunLoader | RunReader], max_bytes: float = math.inf) -> int:
        """Read the runs of a batch, as far as nothing about them is unusual.

        Args:
            runs: The runs; those after the end of the batch are not taken.
            max_bytes: Size at which the batch ends; it also ends with the run of file `MAX_BATCH_FILES`.

        Returns:
            Number of bytes read.
        """
        batch = FileBatch(int(min(max_bytes, MAX_BATCH_BYTES)) + MAX_RUN_BYTES)
        listed: list[RunLoader | RunReader] = []
        counts: list[int] = []
        for run in runs:
            self._pause()
            files = run.whole_files()
            if files is not None and _put(batch, run, files):
                listed.append(run)
                counts.append(len(files.paths))
            if batch.size >= max_bytes or len(batch) >= MAX_BATCH_FILES:
                break
        if not listed:
            return 0
        if not self._is_tuned and batch.size > FIRST_BATCH_BYTES:
            self._is_tuned = True
            tune_malloc()
        # A batch is filled from its end.
        listed.reverse()
        begins = [0, *accumulate(reversed(counts))]
        content = batch.content()
        self._pause()
        decoded = self._decoder.decode(content, np.array(begins))
        for run, (begin, end), contents in zip(listed, pairwise(begins), decoded, strict=True):
            self._pause()
            if run.may_hold_copies and not content.are_heads_distinct(begin, end, HEAD_BYTES):
                run.compare_files()
            elif contents is not None:
                run.take_whole(contents)
        return batch.size


def _put(batch: FileBatch, run: RunLoader | RunReader, files: WholeFiles) -> bool:
    """Put the files of a run into a batch; return False if that failed."""
    if files.sizes is not None:
        batch.put(files.paths, files.sizes)
        return True
    statuses = batch.put_new(files.paths, MAX_RUN_BYTES)
    run.poll_new(statuses)
    return statuses is not None


class Batches:
    """Decides how many runs are read at once."""

    def __init__(self) -> None:
        self._bytes = FIRST_BATCH_BYTES

    def next_bytes(self) -> int:
        """Return the size of the next batch."""
        size = self._bytes
        self._bytes = min(2 * size, MAX_BATCH_BYTES)
        return size


def read_whole(reader: WholeRunReader, runs: Iterable[RunLoader]) -> None:
    """Read all of some runs that can be read whole, in batches."""
    batch: list[RunLoader] = []
    size = files = 0
    for run in runs:
        if run.can_read_whole():
            batch.append(run)
            size += run.unread
            files += run.file_count
        if size >= MAX_BATCH_BYTES or files >= MAX_BATCH_FILES:
            reader.read(batch)
            batch, size, files = [], 0, 0
    if batch:
        reader.read(batch)
