"""Read the table of a TensorFlow checkpoint: a sorted file of keys and values, in the format of LevelDB.

Format: TensorFlow `core/lib/io/table_format.txt` and `format.cc`. The footer is the last 48 bytes: the places of the
meta index and of the index as variable-length numbers, zeros, and a magic number. A block holds entries with shared
prefixes of keys, the offsets of restarts, and their count. Behind each block there is one byte for its compression and
its masked CRC-32C.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tbtui.tfrecord.checksum import payload_checksum
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = 0xDB4775248B80FB57
FOOTER_BYTES = 48
TRAILER_BYTES = 5
MAX_TABLE_BYTES = 1 << 30
MAX_BLOCK_BYTES = 1 << 30
"""Bytes of an unpacked block."""

PLAIN, SNAPPY = 0, 1


class CheckpointError(Exception):
    """The checkpoint cannot be read; the text says why."""


def read_table(path: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield all keys and values of a table in the order of the keys.

    Raises:
        CheckpointError: The file is no table, or damaged.
        OSError: It cannot be read.
    """
    with open_file(path) as file:
        if file.size > MAX_TABLE_BYTES:
            raise CheckpointError(f"has {file.size:,} bytes; at most {MAX_TABLE_BYTES:,} are read")
        data = file.read(0, file.size).tobytes()
    if len(data) < FOOTER_BYTES or struct.unpack_from("<Q", data, len(data) - 8)[0] != MAGIC:
        raise CheckpointError("is cut short or no checkpoint: its last bytes are not those of a table")
    try:
        footer = data[-FOOTER_BYTES:]
        _, at = read_varint(footer, 0)
        _, at = read_varint(footer, at)
        offset, at = read_varint(footer, at)
        size, at = read_varint(footer, at)
        for _, handle in _entries(_block(data, offset, size)):
            offset, at = read_varint(handle, 0)
            size, at = read_varint(handle, at)
            yield from _entries(_block(data, offset, size))
    except (IndexError, struct.error) as error:
        raise CheckpointError("is damaged: an entry points behind its end") from error


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length and the offset behind it.

    Raises:
        IndexError: The data end within the number.
        CheckpointError: The number has more than 64 bits.
    """
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise CheckpointError("is damaged: a number has more than 64 bits")


def _block(data: bytes, offset: int, size: int) -> bytes:
    """Return the unpacked content of a block."""
    end = offset + size
    if end + TRAILER_BYTES > len(data):
        raise CheckpointError("is damaged: a block ends behind the end of the file")
    kind = data[end]
    (checksum,) = struct.unpack_from("<I", data, end + 1)
    if payload_checksum(data[offset : end + 1]) != checksum:
        raise CheckpointError(f"is damaged: the block at byte {offset:,} does not match its checksum")
    if kind == PLAIN:
        return data[offset:end]
    if kind == SNAPPY:
        return unpack_snappy(data[offset:end])
    raise CheckpointError(f"has a block of the unknown compression {kind}")


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    (restarts,) = struct.unpack_from("<I", block, len(block) - 4)
    end, at, key = len(block) - 4 - 4 * restarts, 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        added, at = read_varint(block, at)
        length, at = read_varint(block, at)
        if shared > len(key) or at + added + length > end:
            raise CheckpointError("is damaged: an entry is longer than its block")
        key = key[:shared] + block[at : at + added]
        at += added
        yield key, block[at : at + length]
        at += length


def unpack_snappy(data: bytes) -> bytes:
    """Return the content of a block in Snappy's raw format (snappy `format_description.txt`).

    Raises:
        CheckpointError: The block is damaged.
    """
    size, at = read_varint(data, 0)
    if size > MAX_BLOCK_BYTES:
        raise CheckpointError(f"has a block of {size:,} bytes; at most {MAX_BLOCK_BYTES:,} are read")
    unpacked = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            length = tag >> 2
            if length >= 60:
                extra = length - 59
                length = int.from_bytes(data[at : at + extra], "little")
                at += extra
            unpacked += data[at : at + length + 1]
            at += length + 1
            continue
        if kind == 1:
            length, back = ((tag >> 2) & 7) + 4, (tag >> 5) << 8 | data[at]
            at += 1
        else:
            width = 2 if kind == 2 else 4
            length, back = (tag >> 2) + 1, int.from_bytes(data[at : at + width], "little")
            at += width
        if not 0 < back <= len(unpacked) or len(unpacked) + length > size:
            raise CheckpointError("is damaged: a compressed block refers to bytes before its begin")
        while length > 0:  # a copy may overlap what it writes
            piece = (
                unpacked[len(unpacked) - back : len(unpacked) - back + length] if back > length else unpacked[-back:]
            )
            unpacked += piece[:length]
            length -= len(piece)
    if len(unpacked) != size:
        raise CheckpointError(f"is damaged: a compressed block has {len(unpacked):,} bytes instead of {size:,}")
    return bytes(unpacked)
