"""Read the table of a TensorFlow checkpoint: a sorted file of keys and values, in the format of LevelDB.

Format: TensorFlow `core/lib/io/table_format.txt` and `format.cc`. The footer is the last 48 bytes: the handles (offset
and size) of the meta index and of the index as variable-length numbers, zeros, and a magic number. A block holds
entries with shared prefixes of keys, the offsets of restarts, and their count. After each block there is one byte for
its compression and its masked CRC-32C. Blocks may be compressed with Snappy (`format_description.txt`).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from tbtui.events.event_prefix import read_varint
from tbtui.tfrecord.checksum import compute_payload_checksum
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator


class CheckpointError(Exception):
    """The checkpoint cannot be read.

    The text is the rest of a sentence, `is damaged: …`. The caller knows the path, and puts the name of the file before
    it as the subject.
    """


MAGIC = 0xDB4775248B80FB57
FOOTER_BYTES = 48
TRAILER_BYTES = 5
MAX_TABLE_BYTES = 1 << 30
UNCOMPRESSED, SNAPPY = 0, 1
"""Compression of a block."""


def read_table(path: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield all keys and values of a table in the order of the keys.

    Raises:
        CheckpointError: The file is not a LevelDB table, or damaged.
        OSError: It cannot be read.
    """
    with open_file(path) as file:
        if file.size > MAX_TABLE_BYTES:
            raise CheckpointError(f"has {file.size:,} bytes; at most {MAX_TABLE_BYTES:,} are read")
        data = file.read(0, file.size).tobytes()
    if len(data) < FOOTER_BYTES or struct.unpack_from("<Q", data, len(data) - 8)[0] != MAGIC:
        raise CheckpointError("is cut short, or is not a LevelDB table: its last bytes are not those of one")
    try:
        footer = data[-FOOTER_BYTES:]
        meta_index = _read_handle(footer, 0)
        index = _read_handle(footer, meta_index.end)
        for _, encoded_handle in _read_entries(_read_block(data, index)):
            yield from _read_entries(_read_block(data, _read_handle(encoded_handle, 0)))
    except (IndexError, struct.error) as error:
        raise CheckpointError("is damaged: an entry points past the end") from error


class _BlockHandle(NamedTuple):
    """Position of a block in the file."""

    offset: int
    size: int
    end: int
    """Offset after the handle itself, in the bytes that hold it."""


def _read_handle(data: bytes, offset: int) -> _BlockHandle:
    block_offset, offset = read_varint(data, offset)
    size, offset = read_varint(data, offset)
    return _BlockHandle(block_offset, size, offset)


def _read_block(data: bytes, handle: _BlockHandle) -> bytes:
    """Return the unpacked content of a block."""
    offset = handle.offset
    end = offset + handle.size
    if end + TRAILER_BYTES > len(data):
        raise CheckpointError("is damaged: a block ends past the end of the file")
    compression = data[end]
    (checksum,) = struct.unpack_from("<I", data, end + 1)
    if compute_payload_checksum(data[offset : end + 1]) != checksum:
        raise CheckpointError(f"is damaged: the block at byte {offset:,} does not match its checksum")
    if compression == UNCOMPRESSED:
        return data[offset:end]
    if compression == SNAPPY:
        return unpack_snappy(data[offset:end])
    raise CheckpointError(f"has a block of the unknown compression {compression}")


def _read_entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of a block."""
    (restart_count,) = struct.unpack_from("<I", block, len(block) - 4)
    end, offset, key = len(block) - 4 - 4 * restart_count, 0, b""
    while offset < end:
        shared, offset = read_varint(block, offset)
        added, offset = read_varint(block, offset)
        value_size, offset = read_varint(block, offset)
        if shared > len(key) or offset + added + value_size > end:
            raise CheckpointError("is damaged: an entry is longer than its block")
        key = key[:shared] + block[offset : offset + added]
        offset += added
        yield key, block[offset : offset + value_size]
        offset += value_size


MAX_BLOCK_BYTES = 1 << 30
"""Bytes of an unpacked block."""

LITERAL, COPY_1_BYTE_OFFSET, COPY_2_BYTE_OFFSET, COPY_4_BYTE_OFFSET = 0, 1, 2, 3
"""Types of elements, in the lowest two bits of a tag. A literal is bytes; a copy repeats unpacked bytes."""

MAX_INLINE_LENGTH = 59
"""A greater length of a literal, less one, is the number of bytes that follow with the length."""


def unpack_snappy(data: bytes) -> bytes:
    """Return the content of a block in the raw format of Snappy.

    Raises:
        CheckpointError: The block is damaged.
    """
    size, offset = read_varint(data, 0)
    if size > MAX_BLOCK_BYTES:
        raise CheckpointError(f"has a block of {size:,} bytes; at most {MAX_BLOCK_BYTES:,} are read")
    unpacked = bytearray()
    while offset < len(data):
        tag = data[offset]
        offset += 1
        element = tag & 3
        if element == LITERAL:
            length = (tag >> 2) + 1
            if length > MAX_INLINE_LENGTH + 1:
                length_bytes = length - 1 - MAX_INLINE_LENGTH
                length = int.from_bytes(data[offset : offset + length_bytes], "little") + 1
                offset += length_bytes
            unpacked += data[offset : offset + length]
            offset += length
            continue
        if element == COPY_1_BYTE_OFFSET:
            length, distance = ((tag >> 2) & 7) + 4, (tag >> 5) << 8 | data[offset]
            offset += 1
        else:
            width = 2 if element == COPY_2_BYTE_OFFSET else 4
            length, distance = (tag >> 2) + 1, int.from_bytes(data[offset : offset + width], "little")
            offset += width
        if not 0 < distance <= len(unpacked) or len(unpacked) + length > size:
            raise CheckpointError("is damaged: a compressed block refers to bytes before its start")
        while length > 0:  # a copy may overlap its own output
            start = len(unpacked) - distance
            repeated = unpacked[start : start + length]
            unpacked += repeated
            length -= len(repeated)
    if len(unpacked) != size:
        raise CheckpointError(f"is damaged: a compressed block has {len(unpacked):,} bytes instead of {size:,}")
    return bytes(unpacked)
