"""Scalars of a training loop that logs the same tags round after round, read many rounds at once.

Once templates have read some rounds, the next ones are foreseen: records of the same lengths in the same order, equal
to them but for wall times, steps and values. That is compared in one go over whole rounds, with no thought for the
single record, and each tag's points come out in one piece. A block that differs anywhere is left to the templates.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.events.block import EventBlock, ScalarColumns
from tbtui.events.templates import STEP_OFFSET
from tbtui.events.tensors import real_values
from tbtui.events.wire import WORD, stretches_in, varint_numbers, words_in
from tbtui.frozen import frozen
from tbtui.tfrecord.checksum import crc_differences, mask_crcs, payload_crcs
from tbtui.tfrecord.framing import FOOTER_BYTES, HEADER_BYTES, OVERHEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.events.decoder import TagRegistry
    from tbtui.events.templates import ScalarLayout, TemplateMatch
    from tbtui.events.wire import Offsets, Words
    from tbtui.tfrecord.framing import RecordBlock

MIN_BATCHES = 3
"""Fewer of them in a block are left to the templates, and so many must have been alike before others are foreseen."""
_MOST_TRIES = 16
"""Lengths of a round that are tried: a tag may come several times in one."""
_LEAST_BYTES = 2048
"""Shorter rounds are taken several at a time: the longer the rows, the faster they are compared."""
_GOING_ON = 0x80
"""The bit of a varint's byte that says that another follows."""


class _Free(NamedTuple):
    """What differs from round to round, as words: a row for each record or value of a round, a column for each round.

    The points of one tag lie together.
    """

    walls: Words
    steps: Words
    numbers: Words


@frozen(slots=False, eq=False)
class BatchPattern:
    """What the next records of a run are foreseen to be."""

    sample: npt.NDArray[np.uint8]
    """A round as it was read, framing included."""

    fixed: npt.NDArray[np.uint8]
    """The bits that are the same in every round."""

    lengths: npt.NDArray[np.int64]
    """Bytes of each payload of a round."""

    step_bytes: npt.NDArray[np.int64]
    """Bytes of each record's step, 0 where it has none."""

    tags: tuple[str, ...]
    """Of each value of a round."""

    records: npt.NDArray[np.int64]
    """The record of each value."""

    offsets: npt.NDArray[np.int64]
    """Where in the payload it stands."""

    dtypes: npt.NDArray[np.int64]
    widths: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)

    def read(self, block: RecordBlock) -> EventBlock | None:
        """Return all that a block says; None if it holds anything unexpected, or a payload that is wrong."""
        if not self._foresees(block):
            return None
        count = -(-len(block) // len(self))
        places: npt.NDArray[np.int64] = np.full(count * len(self), block.starts[0])
        places[: len(block)] = block.starts
        places = np.ascontiguousarray(places.reshape(count, len(self)).T)
        free = self._free(block.data, places)
        wall_times = free.walls.view(np.float64)
        if np.isnan(wall_times).any():
            return None
        steps = varint_numbers(free.steps, int(self.step_bytes.max())).view(np.int64)
        if not self._are_right(block, places, free):
            return None
        scalars = self._scalars(len(block), steps, wall_times, free.numbers)
        return EventBlock(
            records=len(block),
            scalars=scalars,
            first_wall_time=float(wall_times[0, 0]),
            last_wall_time=float(wall_times.T.flat[len(block) - 1]),
        )

    def _foresees(self, block: RecordBlock) -> bool:
        """Whether the records of a block, the first of which is the first of a round, are as they should be."""
        count, rest = divmod(len(block), len(self))
        if count < MIN_BATCHES or block.partial_payloads:
            return False
        whole = count * len(self)
        if (block.lengths[:whole].reshape(count, -1) != self.lengths).any():
            return False
        if (block.lengths[whole:] != self.lengths[:rest]).any():
            return False
        begin = int(block.starts[0]) - HEADER_BYTES
        end = int(block.starts[-1] + block.lengths[-1]) + FOOTER_BYTES
        if end - begin != int(block.lengths.sum()) + OVERHEAD_BYTES * len(block) or end + self._spare > len(block.data):
            return False
        size = len(self.sample)
        left = block.data[begin + count * size : end]
        rows = block.data[begin : begin + count * size].reshape(count, size)
        differing = np.bitwise_or.reduce(rows ^ self.sample, axis=0)
        differing[: len(left)] |= left ^ self.sample[: len(left)]
        return not (differing & self.fixed).any()

    @cached_property
    def _spare(self) -> int:
        """Bytes behind the last record that a number at its end is read with, as a word."""
        return max(0, int((self.offsets + WORD - self.lengths[self.records] - FOOTER_BYTES).max()))

    def _free(self, data: npt.NDArray[np.uint8], places: Offsets) -> _Free:
        """What is not fixed.

        Args:
            data: Holds records.
            places: Where the payloads begin, int64[records of a round, rounds].
        """
        pairs = stretches_in(data, 2 * WORD)[places + 1].view("<u8").reshape(*places.shape, 2)
        steps = (pairs[..., 1] >> np.uint64(8)) & _low_bytes(self.step_bytes)[:, None]
        numbers = words_in(data)[places[self.records] + self.offsets[:, None]] & _low_bytes(self.widths)[:, None]
        return _Free(np.ascontiguousarray(pairs[..., 0]), steps, numbers)

    @cached_property
    def _of_sample(self) -> tuple[_Free, npt.NDArray[np.uint32]]:
        """What is not fixed of the sample, and the CRCs of its payloads."""
        starts = np.cumsum(self.lengths + OVERHEAD_BYTES) - self.lengths - FOOTER_BYTES
        padded = np.append(self.sample, np.zeros(WORD, np.uint8))
        ends = (starts + self.lengths).tolist()
        payloads = (self.sample[start:end].tobytes() for start, end in zip(starts.tolist(), ends, strict=True))
        return self._free(padded, starts[:, None]), payload_crcs(payloads)

    def _are_right(self, block: RecordBlock, places: Offsets, free: _Free) -> bool:
        """Whether all payloads match their checksums, told by how they differ from the sample."""
        sample, of_sample = self._of_sample
        behind = self.lengths - 1
        found = crc_differences(free.walls ^ sample.walls, behind - 1)
        found ^= of_sample[:, None]
        found ^= crc_differences(free.steps ^ sample.steps, behind - STEP_OFFSET)
        of_numbers = crc_differences(free.numbers ^ sample.numbers, behind[self.records] - self.offsets)
        first = np.searchsorted(self.records, np.arange(len(self)))
        found ^= np.bitwise_xor.reduceat(of_numbers, first, axis=0)
        stored = words_in(block.data)[places + (self.lengths - FOOTER_BYTES)[:, None]] >> np.uint64(32)
        # Behind the last record of a round that is not whole the first one of the block stands again.
        return bool((mask_crcs(found) == stored).T.reshape(-1)[: len(block)].all())

    def _scalars(
        self,
        count: int,
        steps: npt.NDArray[np.int64],
        wall_times: npt.NDArray[np.float64],
        words: Words,
    ) -> dict[str, ScalarColumns]:
        """The points of each tag of `count` records.

        Args:
            count: How many there are.
            steps: int64[records of a round, rounds].
            wall_times: float64[records of a round, rounds].
            words: The numbers as they are stored, uint64[values of a round, rounds].
        """
        numbers = np.empty(words.shape)
        for dtype in set(self.dtypes.tolist()):
            some = self.dtypes == dtype
            numbers[some] = real_values(dtype, words[some].reshape(-1)).reshape(-1, words.shape[1])
        full, rest = divmod(count, len(self))
        columns: dict[str, ScalarColumns] = {}
        for tag, rows in self._rows.items():
            records = [int(self.records[row]) for row in rows]
            points = full * len(rows) + sum(record < rest for record in records)
            if len(rows) == 1:
                parts = steps[records[0]], wall_times[records[0]], numbers[rows[0]]
            else:
                # One after the other as in the file: round after round.
                parts = steps[records].T.reshape(-1), wall_times[records].T.reshape(-1), numbers[rows].T.reshape(-1)
            columns[tag] = ScalarColumns(*(part[:points] for part in parts))
        return columns

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        """Which of the values of a round each tag has."""
        rows: dict[str, list[int]] = {}
        for row, tag in enumerate(self.tags):
            rows.setdefault(tag, []).append(row)
        return rows

    def behind(self, records: int) -> BatchPattern:
        """What is foreseen when so many records of a round have been read."""
        records %= len(self)
        if not records:
            return self
        split = int((self.lengths[:records] + OVERHEAD_BYTES).sum())
        row = int(np.searchsorted(self.records, records))
        return BatchPattern(
            np.roll(self.sample, -split),
            np.roll(self.fixed, -split),
            np.roll(self.lengths, -records),
            np.roll(self.step_bytes, -records),
            self.tags[row:] + self.tags[:row],
            np.roll((self.records - records) % len(self), -row),
            np.roll(self.offsets, -row),
            np.roll(self.dtypes, -row),
            np.roll(self.widths, -row),
        )


def find_pattern(block: RecordBlock, matched: Sequence[TemplateMatch], tags: TagRegistry) -> BatchPattern | None:
    """What the records behind a block will be when it ends with rounds that are alike.

    Args:
        block: The records.
        matched: Those that templates have read.
        tags: The run's tags; all of the block are known.
    """
    kinds = np.full(len(block), -1)
    which, known = np.zeros(len(block), np.int64), 0
    for number, match in enumerate(matched):
        kinds[match.rows], which[match.rows] = known + match.templates, number
        known += len(match.layout.tags)
    count = _records_of_round(kinds, block.lengths + OVERHEAD_BYTES)
    if not count:
        return None
    first = len(block) - count
    lengths = block.lengths[first:]
    begin, end = int(block.starts[first]) - HEADER_BYTES, int(block.starts[-1] + lengths[-1]) + FOOTER_BYTES
    if end - begin != int((lengths + OVERHEAD_BYTES).sum()):
        return None
    layouts, names = [], []
    for row in range(first, len(block)):
        match = matched[which[row]]
        layouts.append(match.layout)
        names.append(match.layout.tags[match.templates[np.searchsorted(match.rows, row)]])
    if not all(tags.is_scalar(tags.get(name)) for name in {name for some in names for name in some}):
        return None
    numbers = [number for layout in layouts for number in layout.numbers]
    return BatchPattern(
        block.data[begin:end].copy(),
        np.concatenate([_fixed_of(layout, int(length)) for layout, length in zip(layouts, lengths, strict=True)]),
        lengths.copy(),
        np.array([layout.step_bytes for layout in layouts]),
        tuple(name for some in names for name in some),
        np.repeat(np.arange(count), [len(layout.numbers) for layout in layouts]),
        np.array([number.offset for number in numbers]),
        np.array([number.dtype for number in numbers]),
        np.array([number.width for number in numbers]),
    )


def _records_of_round(kinds: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> int:
    """How many records make a round, or several of them where they are short; 0 when none is foreseen.

    Args:
        kinds: What each record is, -1 for unknown.
        sizes: Its bytes.
    """
    if not len(kinds) or kinds[-1] < 0:
        return 0
    alike = np.flatnonzero(kinds[:-1] == kinds[-1])[::-1]
    for count in (len(kinds) - 1 - alike[:_MOST_TRIES]).tolist():
        several = -(-_LEAST_BYTES // int(sizes[-count:].sum()))
        last = kinds[-max(MIN_BATCHES, several) * count :]
        if len(last) < max(MIN_BATCHES, several) * count:
            return 0
        if (last >= 0).all() and (last[count:] == last[:-count]).all():
            return int(count * several)
    return 0


def _fixed_of(layout: ScalarLayout, length: int) -> npt.NDArray[np.uint8]:
    """The bits of a record that are the same in all of its template."""
    fixed = np.zeros(OVERHEAD_BYTES + length, np.uint8)
    fixed[:HEADER_BYTES] = 0xFF
    payload = fixed[HEADER_BYTES : HEADER_BYTES + length]
    payload[:] = layout.mask.astype("<u8").view(np.uint8)[:length]
    payload[STEP_OFFSET : STEP_OFFSET + layout.step_bytes] = _GOING_ON
    return fixed


def _low_bytes(counts: npt.NDArray[np.int64]) -> Words:
    """Words of which so many of the first bytes are kept; at most eight."""
    return np.array([(1 << 8 * int(count)) - 1 for count in counts], np.uint64)
