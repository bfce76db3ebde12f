"""Write files of records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.tfrecord.framing import frame_record
from tbtui.tfrecord.reader import RecordReader

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tbtui.tfrecord.file import Damage


def framed(payloads: Iterable[bytes]) -> bytes:
    return b"".join(map(frame_record, payloads))


def read_all(reader: RecordReader, max_bytes: int = 1 << 21) -> tuple[list[bytes], list[Damage], bool]:
    """Payloads and damage until nothing is left to read, and whether a partial record stands at the end."""
    payloads: list[bytes] = []
    damage: list[Damage] = []
    for _ in range(100_000):
        block = reader.read(max_bytes)
        payloads += [block.payload(index) for index in range(len(block))]
        damage += block.damage
        if block.at_end:
            return payloads, damage, block.truncated
    raise AssertionError("the reader never comes to the end")


def read_file(path: Path, content: bytes, max_bytes: int = 1 << 21) -> tuple[list[bytes], list[Damage], bool]:
    path.write_bytes(content)
    return read_all(RecordReader(str(path)), max_bytes)
