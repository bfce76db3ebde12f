"""Decode many batches at once in a training loop that logs the same tags in every batch.

After templates have decoded some batches, the next ones are predicted: records of the same lengths in the same order,
equal except for wall times, steps and values. One comparison covers whole batches, without a step per record, and gives
the points of each tag as one array. The templates decode a block that differs anywhere.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.events.block import EventBlock, ScalarColumns
from tbtui.events.templates import STEP_OFFSET
from tbtui.events.tensors import decode_real
from tbtui.events.wire import WORD, decode_varint_numbers, view_substrings, view_words
from tbtui.frozen import frozen
from tbtui.tfrecord.checksum import compute_crc_differences, compute_payload_crcs, mask_crcs
from tbtui.tfrecord.framing import FOOTER_BYTES, HEADER_BYTES, OVERHEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.events.decoder import TagRegistry
    from tbtui.events.templates import ScalarLayout, TemplateMatch
    from tbtui.events.wire import Offsets, Words
    from tbtui.tfrecord.framing import RecordBlock

MIN_BATCHES = 3
"""Minimum number of batches in a block, and of equal batches before others are predicted."""
_MAX_TRIES = 16
"""Batch lengths that are tried: a tag may occur several times in one batch."""
_MIN_BATCH_BYTES = 2048
"""Several shorter batches count as one: longer rows are compared faster."""
_CONTINUATION = 0x80
"""The bit of a varint's byte that announces another byte."""


class _Free(NamedTuple):
    """Words that differ between batches: one row per record or value of a batch, one column per batch.

    The points of one tag are adjacent.
    """

    walls: Words
    steps: Words
    numbers: Words


@frozen(slots=False, eq=False)
class BatchPattern:
    """The predicted bytes of the next batch of a run."""

    sample: npt.NDArray[np.uint8]
    """A batch that was read, with framing."""

    fixed: npt.NDArray[np.uint8]
    """The bits that are equal in every batch."""

    lengths: npt.NDArray[np.int64]
    """Bytes of each payload of a batch."""

    step_bytes: npt.NDArray[np.int64]
    """Bytes of each record's step; 0 without a step."""

    tags: tuple[str, ...]
    """The tag of each value of a batch."""

    records: npt.NDArray[np.int64]
    """The record of each value."""

    offsets: npt.NDArray[np.int64]
    """Byte offset of each value in its payload."""

    dtypes: npt.NDArray[np.int64]
    widths: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)

    def read(self, block: RecordBlock) -> EventBlock | None:
        """Return the content of a block; None if it differs from the pattern or a payload checksum is wrong."""
        if not self._is_match(block):
            return None
        count = -(-len(block) // len(self))
        starts: npt.NDArray[np.int64] = np.full(count * len(self), block.starts[0])
        starts[: len(block)] = block.starts
        starts = np.ascontiguousarray(starts.reshape(count, len(self)).T)
        free = self._read_free_words(block.data, starts)
        wall_times = free.walls.view(np.float64)
        if np.isnan(wall_times).any():
            return None
        steps = decode_varint_numbers(free.steps, int(self.step_bytes.max())).view(np.int64)
        if not self._are_valid(block, starts, free):
            return None
        scalars = self._build_scalars(len(block), steps, wall_times, free.numbers)
        return EventBlock(
            records=len(block),
            scalars=scalars,
            first_wall_time=float(wall_times[0, 0]),
            last_wall_time=float(wall_times.T.flat[len(block) - 1]),
        )

    def _is_match(self, block: RecordBlock) -> bool:
        """Return True if the records of a block, which begins with a batch, match the pattern."""
        count, rest = divmod(len(block), len(self))
        if count < MIN_BATCHES or block.partial_payloads:
            return False
        full_count = count * len(self)
        if (block.lengths[:full_count].reshape(count, -1) != self.lengths).any():
            return False
        if (block.lengths[full_count:] != self.lengths[:rest]).any():
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
        """Return the bytes after the last record that are read together with a number at its end, as a word."""
        return max(0, int((self.offsets + WORD - self.lengths[self.records] - FOOTER_BYTES).max()))

    def _read_free_words(self, data: npt.NDArray[np.uint8], starts: Offsets) -> _Free:
        """Return the words that are not fixed.

        Args:
            data: The bytes of the records.
            starts: Begin of each payload, int64[records of a batch, batches].
        """
        pairs = view_substrings(data, 2 * WORD)[starts + 1].view("<u8").reshape(*starts.shape, 2)
        steps = (pairs[..., 1] >> np.uint64(8)) & _mask_low_bytes(self.step_bytes)[:, None]
        numbers = view_words(data)[starts[self.records] + self.offsets[:, None]] & _mask_low_bytes(self.widths)[:, None]
        return _Free(np.ascontiguousarray(pairs[..., 0]), steps, numbers)

    @cached_property
    def _sample_words(self) -> tuple[_Free, npt.NDArray[np.uint32]]:
        """Return the free words of the sample, and the CRCs of its payloads."""
        starts = np.cumsum(self.lengths + OVERHEAD_BYTES) - self.lengths - FOOTER_BYTES
        padded = np.append(self.sample, np.zeros(WORD, np.uint8))
        ends = (starts + self.lengths).tolist()
        payloads = (self.sample[start:end].tobytes() for start, end in zip(starts.tolist(), ends, strict=True))
        return self._read_free_words(padded, starts[:, None]), compute_payload_crcs(payloads)

    def _are_valid(self, block: RecordBlock, starts: Offsets, free: _Free) -> bool:
        """Return True if all payloads match their checksums, computed from the differences to the sample."""
        sample, sample_crcs = self._sample_words
        bytes_after = self.lengths - 1
        crcs = compute_crc_differences(free.walls ^ sample.walls, (bytes_after - 1)[:, None])
        crcs ^= sample_crcs[:, None]
        crcs ^= compute_crc_differences(free.steps ^ sample.steps, (bytes_after - STEP_OFFSET)[:, None])
        number_differences = compute_crc_differences(
            free.numbers ^ sample.numbers, (bytes_after[self.records] - self.offsets)[:, None]
        )
        first = np.searchsorted(self.records, np.arange(len(self)))
        crcs ^= np.bitwise_xor.reduceat(number_differences, first, axis=0)
        stored = view_words(block.data)[starts + (self.lengths - FOOTER_BYTES)[:, None]] >> np.uint64(32)
        # The rest of an incomplete batch is filled with the first record of the block.
        return bool((mask_crcs(crcs) == stored).T.reshape(-1)[: len(block)].all())

    def _build_scalars(
        self,
        count: int,
        steps: npt.NDArray[np.int64],
        wall_times: npt.NDArray[np.float64],
        words: Words,
    ) -> dict[str, ScalarColumns]:
        """Return the points of each tag of `count` records.

        Args:
            count: Number of records.
            steps: int64[records of a batch, batches].
            wall_times: float64[records of a batch, batches].
            words: The numbers as they are stored, uint64[values of a batch, batches].
        """
        numbers = np.empty(words.shape)
        for dtype in set(self.dtypes.tolist()):
            rows = self.dtypes == dtype
            numbers[rows] = decode_real(dtype, words[rows].reshape(-1)).reshape(-1, words.shape[1])
        full, rest = divmod(count, len(self))
        columns: dict[str, ScalarColumns] = {}
        for tag, values in self._values_of.items():
            records = [int(self.records[value]) for value in values]
            points = full * len(values) + sum(record < rest for record in records)
            if len(values) == 1:
                columns_of_tag = steps[records[0]], wall_times[records[0]], numbers[values[0]]
            else:
                # In the order of the file: batch after batch.
                columns_of_tag = (
                    steps[records].T.reshape(-1),
                    wall_times[records].T.reshape(-1),
                    numbers[values].T.reshape(-1),
                )
            columns[tag] = ScalarColumns(*(column[:points] for column in columns_of_tag))
        return columns

    @cached_property
    def _values_of(self) -> dict[str, list[int]]:
        """Return the indices of the values of each tag in a batch."""
        values: dict[str, list[int]] = {}
        for value, tag in enumerate(self.tags):
            values.setdefault(tag, []).append(value)
        return values

    def rotate(self, records: int) -> BatchPattern:
        """Return the pattern that begins `records` records later."""
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
    """Return the pattern of the batches at the end of a block; None if they are not equal.

    Args:
        block: The records.
        matched: The records that match templates.
        tags: The tags of the run; all tags of the block are known.
    """
    kinds = np.full(len(block), -1)
    which, known = np.zeros(len(block), np.int64), 0
    for number, match in enumerate(matched):
        kinds[match.rows], which[match.rows] = known + match.templates, number
        known += len(match.layout.tags)
    count = _find_batch_length(kinds, block.lengths + OVERHEAD_BYTES)
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
        np.concatenate(
            [_mask_fixed_bits(layout, int(length)) for layout, length in zip(layouts, lengths, strict=True)]
        ),
        lengths.copy(),
        np.array([layout.step_bytes for layout in layouts]),
        tuple(name for some in names for name in some),
        np.repeat(np.arange(count), [len(layout.numbers) for layout in layouts]),
        np.array([number.offset for number in numbers]),
        np.array([number.dtype for number in numbers]),
        np.array([number.width for number in numbers]),
    )


def _find_batch_length(kinds: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> int:
    """Return the number of records in a batch, or in several short ones; 0 if no pattern is found.

    Args:
        kinds: Kind of each record (its template), -1 for unknown.
        sizes: Bytes of each record.
    """
    if not len(kinds) or kinds[-1] < 0:
        return 0
    equal = np.flatnonzero(kinds[:-1] == kinds[-1])[::-1]
    for count in (len(kinds) - 1 - equal[:_MAX_TRIES]).tolist():
        several = -(-_MIN_BATCH_BYTES // int(sizes[-count:].sum()))
        last = kinds[-max(MIN_BATCHES, several) * count :]
        if len(last) < max(MIN_BATCHES, several) * count:
            return 0
        if (last >= 0).all() and (last[count:] == last[:-count]).all():
            return int(count * several)
    return 0


def _mask_fixed_bits(layout: ScalarLayout, length: int) -> npt.NDArray[np.uint8]:
    """Return the bits that are equal in all records of a template."""
    fixed = np.zeros(OVERHEAD_BYTES + length, np.uint8)
    fixed[:HEADER_BYTES] = 0xFF
    payload = fixed[HEADER_BYTES : HEADER_BYTES + length]
    payload[:] = layout.mask.astype("<u8").view(np.uint8)[:length]
    payload[STEP_OFFSET : STEP_OFFSET + layout.step_bytes] = _CONTINUATION
    return fixed


def _mask_low_bytes(counts: npt.NDArray[np.int64]) -> Words:
    """Return masks that keep the first `counts` bytes of a word; at most eight."""
    return np.array([(1 << 8 * int(count)) - 1 for count in counts], np.uint64)
