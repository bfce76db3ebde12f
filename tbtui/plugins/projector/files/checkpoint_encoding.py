"""Numbers in the files of checkpoints, and the error of all their readers."""

from __future__ import annotations


class CheckpointError(Exception):
    """The checkpoint cannot be read.

    The text is the rest of a sentence, `is damaged: …`. The caller knows the path, and puts the name of the file before
    it as the subject.
    """


def read_varint(data: bytes, offset: int) -> tuple[int, int]:
    """Return a number of variable length and the offset after it.

    Raises:
        IndexError: The data end within the number.
        CheckpointError: The number has more than 64 bits.
    """
    value = shift = 0
    while True:
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, offset
        shift += 7
        if shift > 63:
            raise CheckpointError("is damaged: a number has more than 64 bits")
