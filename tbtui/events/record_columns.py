"""The records of many files as columns: their scalars, their checksums, and the facts about each file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.events.file_templates import VERSION
from tbtui.events.scalar_tails import UNKNOWN
from tbtui.events.wire import view_words
from tbtui.tfrecord.file_batches import read_overheads
from tbtui.tfrecord.framing import OVERHEAD_BYTES, RecordBlock, find_mismatches

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from tbtui.events.scalar_tails import TailMatch
    from tbtui.tfrecord.file_batches import FileBytes, FramedFiles


class WholeFileFacts(NamedTuple):
    """Facts about the records of one file."""

    records: int
    first_wall_time: float | None
    """Seconds since the epoch; None without records."""

    last_wall_time: float | None
    writer: str | None
    last_record: bytes
    """Header and footer of the last record; empty without records."""


class FileFacts(NamedTuple):
    """Facts about the records of n files."""

    records: list[int]
    first_wall_times: list[float | None]
    last_wall_times: list[float | None]
    writers: list[str | None]
    last_records: bytes
    """Header and footer of the last record of each file, one after the other; zeros for a file without records."""

    def of(self, number: int) -> WholeFileFacts:
        """Return the facts about one file."""
        records, firsts, lasts, writers, ends = self
        end = ends[OVERHEAD_BYTES * number : OVERHEAD_BYTES * (number + 1)] if records[number] else b""
        return WholeFileFacts(records[number], firsts[number], lasts[number], writers[number], end)

    def part(self, begin: int, end: int) -> FileFacts:
        """Return the facts about some files."""
        records, firsts, lasts, writers, ends = self
        part = slice(begin, end)
        own_ends = ends[OVERHEAD_BYTES * begin : OVERHEAD_BYTES * end]
        return FileFacts(records[part], firsts[part], lasts[part], writers[part], own_ends)

    def extended(self, count: int) -> FileFacts:
        """Return the same facts with those of `count` files that were not read."""
        records, firsts, lasts, writers, ends = self
        none: list[None] = [None] * count
        return FileFacts(
            [*records, *([0] * count)],
            [*firsts, *none],
            [*lasts, *none],
            [*writers, *none],
            ends + bytes(OVERHEAD_BYTES * count),
        )


NO_FACTS = FileFacts([], [], [], [], b"")


class FileRecords:
    """The records of many files as columns, as far as they are decoded.

    Args:
        files: Bytes of the files.
        framed: Where the records are.
        match: The scalars in them.
    """

    def __init__(self, files: FileBytes, framed: FramedFiles, match: TailMatch) -> None:
        data, starts, lengths = files.data, framed.starts, framed.lengths
        self.files, self.tails, self.numbers = framed.files, match.tails, match.numbers
        self.steps, self.wall_times = match.steps, match.wall_times
        self.counts = np.bincount(framed.files, minlength=len(files.begins) - 1)
        """Number of records of each file, int64[files]."""

        offsets = starts - files.begins[framed.files]
        self.record_block = RecordBlock(data, starts, lengths, offsets, (), at_end=True, truncated=False)
        self.others = np.flatnonzero(self.tails == UNKNOWN)
        """The records that protobuf decodes."""

        stored = view_words(data)[starts + lengths].astype(np.uint32)  # the low half of a word
        is_wrong = match.crcs != stored
        is_wrong[self.others] = False
        is_wrong[self.others[find_mismatches(data, starts[self.others], lengths[self.others])]] = True
        self._is_wrong = is_wrong
        self.tails[self.tails == VERSION] = UNKNOWN  # they hold no value

    def are_usable(self, run_begins: npt.NDArray[np.int64], framed: FramedFiles) -> list[bool]:
        """Return for each run if all its files are whole, and its checksums and wall times are valid."""
        left_out = np.concatenate(([0], np.cumsum(~framed.is_whole)))
        usable = left_out[run_begins[1:]] == left_out[run_begins[:-1]]
        wrong = np.flatnonzero(self._is_wrong | np.isnan(self.wall_times))
        if len(wrong):
            usable[np.searchsorted(run_begins, framed.files[wrong], side="right") - 1] = False
        return [bool(each) for each in usable]

    def facts(
        self,
        heads: dict[int, str | None],
        files: FileBytes,
        known: Iterable[tuple[npt.NDArray[np.int64], str | None]],
    ) -> FileFacts:
        """Return the facts about all files.

        Args:
            heads: The writer of each event that only gives the version of its file.
            files: Bytes of the files.
            known: Files and their writers.
        """
        count, counts = len(self.counts), self.counts
        writers: list[str | None] = [None] * count
        for numbers, name in known:
            if name is not None:
                for number in numbers.tolist():
                    writers[number] = name
        rows = list(heads)
        for file, writer in zip(self.files[rows].tolist(), heads.values(), strict=True):
            writers[file] = writers[file] or writer
        ends = np.cumsum(counts)
        has_records = counts > 0
        last = ends[has_records] - 1
        firsts, lasts = self.wall_times[(ends - counts)[has_records]].tolist(), self.wall_times[last].tolist()
        records = np.zeros((count, OVERHEAD_BYTES), np.uint8)
        starts, lengths = self.record_block.starts[last], self.record_block.lengths[last]
        records[has_records] = read_overheads(files.data, starts, lengths)
        if not has_records.all():
            firsts, lasts = (_spread(each, has_records) for each in (firsts, lasts))
        return FileFacts(counts.tolist(), firsts, lasts, writers, records.tobytes())


def _spread(values: list[Any], is_present: npt.NDArray[np.bool_]) -> list[Any]:
    """Return the next value for each True of `is_present`, and None for each False."""
    following = iter(values)
    return [next(following) if is_held else None for is_held in is_present.tolist()]
