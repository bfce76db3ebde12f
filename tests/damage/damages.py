"""Apply every kind of damage to an event file, and name the records outside it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tbtui.tfrecord.checksum import length_checksum, payload_checksum
from tbtui.tfrecord.framing import FOOTER_BYTES, HEADER_BYTES, OVERHEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCKS = (16, 100, 512, 4096)
"""Bytes that are deleted, doubled, swapped or overwritten at once; the last two as file systems do."""

PAYLOAD_BITS = 16
"""Bits of a payload that are flipped one by one."""


class Extent(NamedTuple):
    """Where a right record lies in its file."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Damaged:
    """A file that was damaged."""

    kind: str
    pieces: tuple[Extent | bytes, ...]
    """What it is made of now: stretches of the good file, and other bytes."""

    def content(self, good: bytes) -> bytes:
        """Its bytes."""
        return b"".join(good[piece.begin : piece.end] if isinstance(piece, Extent) else piece for piece in self.pieces)

    def outside(self, records: Sequence[Extent]) -> list[Extent]:
        """Where the records lie now that the damage has not touched."""
        found, at = [], 0
        for piece in self.pieces:
            if isinstance(piece, Extent):
                moved = at - piece.begin
                found += [
                    Extent(begin + moved, end + moved)
                    for begin, end in records
                    if piece.begin <= begin and end <= piece.end
                ]
                at += piece.end - piece.begin
            else:
                at += len(piece)
        return found


def records_of(content: bytes) -> list[Extent]:
    """The right records of a file, one byte after the other: slow, and by other means than the reader's."""
    found, at = [], 0
    while at + OVERHEAD_BYTES <= len(content):
        length = int.from_bytes(content[at : at + 8], "little")
        end = at + OVERHEAD_BYTES + length
        if end <= len(content) and _number(content, at + 8) == length_checksum(length):
            payload = content[at + HEADER_BYTES : end - FOOTER_BYTES]
            if _number(content, end - FOOTER_BYTES) == payload_checksum(payload):
                found.append(Extent(at, end))
                at = end
                continue
        at += 1
    return found


def _number(content: bytes, at: int) -> int:
    return int.from_bytes(content[at : at + 4], "little")


def damages(good: bytes, records: Sequence[Extent], other: bytes, most_records: int, seed: str) -> Iterator[Damaged]:
    """All damage that is done to a file, the same for the same file.

    Args:
        good: The file.
        records: Its right records.
        other: Another file, to be appended.
        most_records: Records to which each kind is done; of more, some from all over the file.
        seed: For what is left to chance.
    """
    chance = random.Random(seed)
    chosen = records if len(records) <= most_records else _some(records, most_records, chance)
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


def _cuts(good: bytes, record: Extent) -> Iterator[Damaged]:
    """The file ends at each kind of boundary; or what is written there goes on, by the next writer."""
    begin, end = record
    middle = begin + HEADER_BYTES + (end - begin - OVERHEAD_BYTES) // 2
    places = {
        "between records": end,
        "in a length": begin + 3,
        "behind a length": begin + 8,
        "in a length's checksum": begin + 10,
        "behind a header": begin + HEADER_BYTES,
        "in a payload": middle,
        "behind a payload": end - FOOTER_BYTES,
        "in a payload's checksum": end - 2,
    }
    for what, place in places.items():
        yield Damaged(f"cut {what}", (Extent(0, place),))
        yield Damaged(f"cut {what} and written on", (Extent(0, place), Extent(0, len(good))))
        yield Damaged(f"cut {what}, the next one follows", (Extent(0, place), Extent(end, len(good))))


def _flips(good: bytes, record: Extent, chance: random.Random) -> Iterator[Damaged]:
    begin, end = record
    payload = range(8 * (begin + HEADER_BYTES), 8 * (end - FOOTER_BYTES))
    for what, bits in (
        ("a length", range(8 * begin, 8 * begin + 64)),
        ("a length's checksum", range(8 * begin + 64, 8 * (begin + HEADER_BYTES))),
        ("a payload", chance.sample(payload, min(PAYLOAD_BITS, len(payload)))),
        ("a payload's checksum", range(8 * (end - FOOTER_BYTES), 8 * end)),
    ):
        for bit in bits:
            byte = bytes([good[bit // 8] ^ 1 << bit % 8])
            yield Damaged(f"bit of {what}", (Extent(0, bit // 8), byte, Extent(bit // 8 + 1, len(good))))


def _blocks(good: bytes, record: Extent, chance: random.Random) -> Iterator[Damaged]:
    size = len(good)
    for block in BLOCKS:
        if block > size:
            continue
        begin = max(0, min(record.begin + chance.randrange(-block, record.end - record.begin), size - block))
        if block >= 512:
            begin -= begin % block
        end = begin + block
        before, inside, behind = Extent(0, begin), Extent(begin, end), Extent(end, size)
        yield Damaged("block deleted", (before, behind))
        yield Damaged("block doubled", (before, inside, inside, behind))
        yield Damaged("block of zeros", (before, bytes(block), behind))
        yield Damaged("block of garbage", (before, chance.randbytes(block), behind))
        yield Damaged("block written elsewhere, too", (before, chance.randbytes(3), inside, behind))
        other = chance.randrange(end, size) if end < size else end
        if other + block <= size:
            between, swapped = Extent(end, other), Extent(other, other + block)
            yield Damaged("blocks swapped", (before, swapped, between, inside, Extent(other + block, size)))


def _whole_records(good: bytes, record: Extent, other: Extent) -> Iterator[Damaged]:
    """What a copy that was put together from parts may hold: nothing in it is wrong but what is there, and where."""
    before, behind = Extent(0, record.begin), Extent(record.end, len(good))
    yield Damaged("record deleted", (before, behind))
    yield Damaged("record doubled", (before, record, record, behind))
    if record.end <= other.begin:
        between, rest = Extent(record.end, other.begin), Extent(other.end, len(good))
        yield Damaged("records swapped", (before, other, between, record, rest))


def _ends(good: bytes, other: bytes, chance: random.Random) -> Iterator[Damaged]:
    whole = Extent(0, len(good))
    for count in (1, 11, 12, 40, 5000):
        yield Damaged("garbage appended", (whole, chance.randbytes(count)))
        yield Damaged("garbage appended, a file behind it", (whole, chance.randbytes(count), whole))
        yield Damaged("zeros appended", (whole, bytes(count)))
        yield Damaged("zeros between files", (whole, bytes(count), whole))
    yield Damaged("files one after the other", (whole, other))
    yield Damaged("another file, then this one", (other, whole))
    yield Damaged("a cut file before this one", (other[: len(other) * 2 // 3], whole))
    yield Damaged("garbage in front", (chance.randbytes(100), whole))


def _several(good: bytes, chance: random.Random) -> Damaged:
    """Several places at once, each of them deleted or overwritten."""
    places = sorted(chance.sample(range(len(good) + 1), min(6, len(good)) // 2 * 2))
    pieces: list[Extent | bytes] = []
    at = 0
    for begin, until in zip(places[::2], places[1::2], strict=True):
        end = min(until, begin + chance.choice(BLOCKS))
        pieces += [Extent(at, begin), b"" if chance.random() < 0.5 else chance.randbytes(end - begin)]
        at = end
    return Damaged("several at once", (*pieces, Extent(at, len(good))))
