"""Apply every kind of damage to an event file, and name the records outside it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tbtui.tfrecord.checksum import compute_length_checksum, compute_payload_checksum
from tbtui.tfrecord.framing import FOOTER_BYTES, HEADER_BYTES, OVERHEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCKS = (16, 100, 512, 4096)
"""Bytes that are deleted, doubled, swapped or overwritten at once; the last two as file systems do."""

PAYLOAD_BITS = 16
"""Bits of a payload that are flipped one by one."""


class Extent(NamedTuple):
    """First byte of a valid record, and the first byte behind it."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class DamagedFile:
    """The content of a file after one kind of damage."""

    kind: str
    pieces: tuple[Extent | bytes, ...]
    """Parts of the original file, and other bytes, in the order of the new file."""

    def content(self, good: bytes) -> bytes:
        """Return the bytes of the damaged file."""
        return b"".join(good[piece.begin : piece.end] if isinstance(piece, Extent) else piece for piece in self.pieces)

    def outside(self, records: Sequence[Extent]) -> list[Extent]:
        """Return the new extents of the records outside the damage."""
        extents, at = [], 0
        for piece in self.pieces:
            if isinstance(piece, Extent):
                moved = at - piece.begin
                extents += [
                    Extent(begin + moved, end + moved)
                    for begin, end in records
                    if piece.begin <= begin and end <= piece.end
                ]
                at += piece.end - piece.begin
            else:
                at += len(piece)
        return extents


def records_of(content: bytes) -> list[Extent]:
    """Return the valid records of a file; tries every byte, and shares no code with the reader."""
    extents, at = [], 0
    while at + OVERHEAD_BYTES <= len(content):
        length = int.from_bytes(content[at : at + 8], "little")
        end = at + OVERHEAD_BYTES + length
        if end <= len(content) and _number(content, at + 8) == compute_length_checksum(length):
            payload = content[at + HEADER_BYTES : end - FOOTER_BYTES]
            if _number(content, end - FOOTER_BYTES) == compute_payload_checksum(payload):
                extents.append(Extent(at, end))
                at = end
                continue
        at += 1
    return extents


def _number(content: bytes, at: int) -> int:
    return int.from_bytes(content[at : at + 4], "little")


def damages(good: bytes, records: Sequence[Extent], other: bytes, max_records: int, seed: str) -> Iterator[DamagedFile]:
    """Yield every kind of damage to a file; the same for the same arguments.

    Args:
        good: The content of the file.
        records: Its valid records.
        other: The content of another file, which is appended.
        max_records: Maximum number of records that are damaged; they are spread over the file.
        seed: Seed of the random choices.
    """
    chance = random.Random(seed)
    chosen = records if len(records) <= max_records else _some(records, max_records, chance)
    for record in chosen:
        yield from _cuts(good, record)
        yield from _flips(good, record, chance)
        yield from _blocks(good, record, chance)
        yield from _whole_records(good, record, records[(records.index(record) + 1) % len(records)])
    yield from _ends(good, other, chance)
    for _ in range(2 * len(chosen)):
        yield _several(good, chance)


def _some(records: Sequence[Extent], count: int, chance: random.Random) -> list[Extent]:
    inner = sorted(chance.sample(range(1, len(records) - 1), count - 2))
    return [records[0], *(records[number] for number in inner), records[-1]]


def _cuts(good: bytes, record: Extent) -> Iterator[DamagedFile]:
    """Truncate the file at each kind of position; then append a file, or the rest."""
    begin, end = record
    middle = begin + HEADER_BYTES + (end - begin - OVERHEAD_BYTES) // 2
    positions = {
        "between records": end,
        "in a length": begin + 3,
        "after a length": begin + 8,
        "in a length's checksum": begin + 10,
        "behind a header": begin + HEADER_BYTES,
        "in a payload": middle,
        "behind a payload": end - FOOTER_BYTES,
        "in a payload's checksum": end - 2,
    }
    for name, position in positions.items():
        yield DamagedFile(f"cut {name}", (Extent(0, position),))
        yield DamagedFile(f"cut {name}, a file behind it", (Extent(0, position), Extent(0, len(good))))
        yield DamagedFile(f"cut {name}, the next record behind it", (Extent(0, position), Extent(end, len(good))))


def _flips(good: bytes, record: Extent, chance: random.Random) -> Iterator[DamagedFile]:
    begin, end = record
    payload = range(8 * (begin + HEADER_BYTES), 8 * (end - FOOTER_BYTES))
    for field, bits in (
        ("a length", range(8 * begin, 8 * begin + 64)),
        ("a length's checksum", range(8 * begin + 64, 8 * (begin + HEADER_BYTES))),
        ("a payload", chance.sample(payload, min(PAYLOAD_BITS, len(payload)))),
        ("a payload's checksum", range(8 * (end - FOOTER_BYTES), 8 * end)),
    ):
        for bit in bits:
            byte = bytes([good[bit // 8] ^ 1 << bit % 8])
            yield DamagedFile(f"bit of {field}", (Extent(0, bit // 8), byte, Extent(bit // 8 + 1, len(good))))


def _blocks(good: bytes, record: Extent, chance: random.Random) -> Iterator[DamagedFile]:
    size = len(good)
    for block in BLOCKS:
        if block > size:
            continue
        begin = max(0, min(record.begin + chance.randrange(-block, record.end - record.begin), size - block))
        if block >= 512:
            begin -= begin % block
        end = begin + block
        before, inside, behind = Extent(0, begin), Extent(begin, end), Extent(end, size)
        yield DamagedFile("block deleted", (before, behind))
        yield DamagedFile("block doubled", (before, inside, inside, behind))
        yield DamagedFile("block of zeros", (before, bytes(block), behind))
        yield DamagedFile("block of garbage", (before, chance.randbytes(block), behind))
        yield DamagedFile("bytes inserted", (before, chance.randbytes(3), inside, behind))
        other = chance.randrange(end, size) if end < size else end
        if other + block <= size:
            between, swapped = Extent(end, other), Extent(other, other + block)
            yield DamagedFile("blocks swapped", (before, swapped, between, inside, Extent(other + block, size)))


def _whole_records(good: bytes, record: Extent, other: Extent) -> Iterator[DamagedFile]:
    """Delete, double and swap whole records, as in a copy assembled from parts: every record is valid."""
    before, behind = Extent(0, record.begin), Extent(record.end, len(good))
    yield DamagedFile("record deleted", (before, behind))
    yield DamagedFile("record doubled", (before, record, record, behind))
    if record.end <= other.begin:
        between, rest = Extent(record.end, other.begin), Extent(other.end, len(good))
        yield DamagedFile("records swapped", (before, other, between, record, rest))


def _ends(good: bytes, other: bytes, chance: random.Random) -> Iterator[DamagedFile]:
    whole = Extent(0, len(good))
    for count in (1, 11, 12, 40, 5000):
        yield DamagedFile("garbage appended", (whole, chance.randbytes(count)))
        yield DamagedFile("garbage appended, a file behind it", (whole, chance.randbytes(count), whole))
        yield DamagedFile("zeros appended", (whole, bytes(count)))
        yield DamagedFile("zeros between files", (whole, bytes(count), whole))
    yield DamagedFile("files one after the other", (whole, other))
    yield DamagedFile("another file, then this one", (other, whole))
    yield DamagedFile("a cut file before this one", (other[: len(other) * 2 // 3], whole))
    yield DamagedFile("garbage in front", (chance.randbytes(100), whole))


def _several(good: bytes, chance: random.Random) -> DamagedFile:
    """Delete or overwrite up to three ranges at once."""
    bounds = sorted(chance.sample(range(len(good) + 1), min(6, len(good)) // 2 * 2))
    pieces: list[Extent | bytes] = []
    at = 0
    for begin, until in zip(bounds[::2], bounds[1::2], strict=True):
        end = min(until, begin + chance.choice(BLOCKS))
        pieces += [Extent(at, begin), b"" if chance.random() < 0.5 else chance.randbytes(end - begin)]
        at = end
    return DamagedFile("several at once", (*pieces, Extent(at, len(good))))
