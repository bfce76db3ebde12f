"""Read many runs at once, each from its first byte to its last.

Most runs of a large log directory are small. They are read, framed and decoded together, so that the cost follows their
bytes. A run with anything unusual, such as a damaged file, remains unread; `RunReader` reads it piece by piece.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tbtui.events.whole_run_decoder import WholeRunDecoder
from tbtui.loading.duplicate_files import HEAD_BYTES
from tbtui.loading.malloc_trim import tune_malloc
from tbtui.tfrecord.file_batches import read_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tbtui.loading.run import RunLoader, RunReader

MAX_RUN_BYTES = 2 << 20
"""Maximum size of the files of a run that is read at once; a larger one is read in pieces."""

MAX_BATCH_BYTES = 4 << 20
"""Size of a batch after the first ones: larger ones leave the caches of the processor."""

FIRST_BATCH_BYTES = 256 << 10
"""Size of the first batch, small so that something is soon shown; later ones are twice as large each."""

MAX_BATCH_FILES = 2000


class WholeRunReader:
    """Reads batches of runs. Belongs to one thread."""

    def __init__(self) -> None:
        self._decoder = WholeRunDecoder()
        self._is_tuned = False

    def read(self, runs: Sequence[RunLoader | RunReader]) -> int:
        """Read the runs of a batch, as far as nothing about them is unusual; return the number of bytes read."""
        listed: list[RunLoader | RunReader] = []
        begins = [0]
        paths: list[str] = []
        sizes: list[int] = []
        for run in runs:
            files = run.whole_files()
            if files is not None:
                listed.append(run)
                paths += files.paths
                sizes += files.sizes
                begins.append(len(paths))
        if not self._is_tuned and sum(sizes) > FIRST_BATCH_BYTES:
            self._is_tuned = True
            tune_malloc()
        content = read_files(paths, sizes)
        decoded = self._decoder.decode(content, np.array(begins))
        for run, (begin, end), contents in zip(listed, pairwise(begins), decoded, strict=True):
            if run.may_hold_copies and not content.are_heads_distinct(begin, end, HEAD_BYTES):
                run.compare_files()
            elif contents is not None:
                run.take_whole(contents)
        return len(content.data)


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
