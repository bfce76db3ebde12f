"""Unpack blocks in the raw format of Snappy (snappy `format_description.txt`)."""

from __future__ import annotations

from tbtui.plugins.projector.files.checkpoint_encoding import CheckpointError, read_varint

MAX_BLOCK_BYTES = 1 << 30
"""Bytes of an unpacked block."""

LITERAL, COPY_1_BYTE_OFFSET, COPY_2_BYTE_OFFSET, COPY_4_BYTE_OFFSET = 0, 1, 2, 3
"""Types of elements, in the lowest two bits of a tag. A literal is bytes; a copy repeats unpacked bytes."""

MAX_INLINE_LENGTH = 59
"""A greater length of a literal, less one, is the number of bytes that follow with the length."""


def unpack_snappy(data: bytes) -> bytes:
    """Return the content of a block.

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
            piece = unpacked[start : start + length]
            unpacked += piece
            length -= len(piece)
    if len(unpacked) != size:
        raise CheckpointError(f"is damaged: a compressed block has {len(unpacked):,} bytes instead of {size:,}")
    return bytes(unpacked)
