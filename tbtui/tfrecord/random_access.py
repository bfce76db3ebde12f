"""Reread many known records of a file in few reads, and verify that they are unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.tfrecord.checksum import compute_length_checksums
from tbtui.tfrecord.file import UnreadableRange
from tbtui.tfrecord.framing import FOOTER_BYTES, HEADER_BYTES, find_mismatches

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.tfrecord.file import OpenFile

SPARE_BYTES = 8
"""Padding after the last record in memory, so that a word can be read from each of its bytes."""

_GAP_BYTES = 1 << 14
"""Gap between two records up to which both are read at once: a system call takes as long as copying it."""

ENDED = "the file ends before this value"
MOVED = "the file no longer holds a record here"
DAMAGED = "the bytes of this value do not match their checksum"
UNREADABLE = "the disk cannot read this value"


@frozen(eq=False)
class RereadRecords:
    """Records of one file, in the order of the request."""

    data: npt.NDArray[np.uint8]
    """The bytes read; the last `SPARE_BYTES` of them belong to no record."""

    starts: npt.NDArray[np.int64]
    """Offset in `data` of each record's payload."""

    lengths: npt.NDArray[np.int64]
    """Bytes of each payload."""

    refused: dict[int, str]
    """For each record that changed or cannot be read: the reason, for the user."""


def split_batches(offsets: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], max_bytes: int) -> Iterator[slice]:
    """Split records into slices that are read at once.

    Args:
        offsets: Byte offset in the file of each payload, int64[n].
        lengths: Bytes of each payload, int64[n].
        max_bytes: Maximum size of a slice in memory; more only if a single record is longer.
    """
    begins, ends = _record_extents(offsets, lengths)
    is_new_read = _starts_new_read(begins, ends)
    total = np.cumsum(np.where(is_new_read, ends - begins, np.diff(ends, prepend=0)))
    first = before = 0
    while first < len(offsets):
        last = max(int(np.searchsorted(total, before + max_bytes, side="right")), first + 1)
        yield slice(first, last)
        first, before = last, int(total[last - 1])


def reread_records(file: OpenFile, offsets: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> RereadRecords:
    """Read records of a file, neighbours together, and verify them.

    A record is unchanged if a valid header with its length precedes it and its payload matches its checksum.

    Args:
        file: The file that holds them.
        offsets: Byte offset of each payload, int64[n], in any order.
        lengths: Bytes of each payload, int64[n].

    Raises:
        OSError: The file cannot be read.
    """
    begins, ends = _record_extents(offsets, lengths)
    first = np.flatnonzero(_starts_new_read(begins, ends))
    last = np.append(first, len(offsets))[1:] - 1
    sizes = ends[last] - begins[first]
    positions = np.cumsum(sizes) - sizes
    data = np.empty(int(sizes.sum()) + SPARE_BYTES, np.uint8)
    unreadable: list[UnreadableRange] = []
    for offset, position, size in zip(begins[first].tolist(), positions.tolist(), sizes.tolist(), strict=True):
        unreadable += _fill(file, offset, data[position : position + size])
    data[len(data) - SPARE_BYTES :] = 0
    starts = offsets + np.repeat(positions - begins[first], last - first + 1)
    refused = dict.fromkeys(np.flatnonzero(ends > file.size).tolist(), ENDED)
    complete = np.flatnonzero(ends <= file.size)
    moved = complete[~_has_headers(data, starts[complete], lengths[complete])]
    refused |= dict.fromkeys(moved.tolist(), MOVED)
    complete = np.setdiff1d(complete, moved, assume_unique=True)
    refused |= dict.fromkeys(complete[find_mismatches(data, starts[complete], lengths[complete])].tolist(), DAMAGED)
    for unreadable_range in unreadable:
        is_affected = (begins < unreadable_range.end) & (ends > unreadable_range.begin)
        refused |= dict.fromkeys(np.flatnonzero(is_affected).tolist(), UNREADABLE)
    return RereadRecords(data, starts, lengths, refused)


def _fill(file: OpenFile, offset: int, data: npt.NDArray[np.uint8]) -> Iterator[UnreadableRange]:
    """Read bytes from `offset` into `data`, with zeros where the file ends. Yield the ranges that the disk cannot read.

    Raises:
        OSError: The file cannot be read at all.
    """
    position = 0
    while position < len(data):
        try:
            read_count = file.fill(offset + position, data[position:])
        except UnreadableRange as unreadable:  # noqa: PERF203 - rare
            if unreadable.end >= file.size:
                raise
            begin, end = max(unreadable.begin - offset, position), unreadable.end - offset
            file.fill(offset + position, data[position:begin])
            data[begin:end] = 0
            yield unreadable
            position = end
        else:
            data[position + read_count :] = 0
            return


def _record_extents(
    offsets: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the begin and end of each record, with header and checksum."""
    return offsets - HEADER_BYTES, offsets + lengths + FOOTER_BYTES


def _starts_new_read(begins: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return True for each record that cannot be read together with the one before it."""
    gaps = begins[1:] - ends[:-1]
    return np.concatenate([np.ones(min(1, len(begins)), np.bool_), (gaps < 0) | (gaps > _GAP_BYTES)])


def _has_headers(
    data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Return True for each payload that a valid header with its length precedes."""
    headers = data[(starts - HEADER_BYTES)[:, None] + np.arange(HEADER_BYTES)]
    stored_lengths, stored_checksums = headers[:, :8].copy().view("<u8")[:, 0], headers[:, 8:].copy().view("<u4")[:, 0]
    return np.asarray(
        (stored_lengths == lengths.astype(np.uint64)) & (stored_checksums == compute_length_checksums(stored_lengths))
    )
