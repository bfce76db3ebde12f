"""Long records that are passed over: what is read of them, when they are believed, and what comes after them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tbtui.tfrecord import partial_records
from tbtui.tfrecord import reader as reader_module
from tbtui.tfrecord.file import OpenFile
from tbtui.tfrecord.reader import FileReplaced, RecordReader
from tests.helpers.record_files import framed

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.tfrecord.framing import RecordBlock
    from tbtui.tfrecord.partial_records import LongPayload, PartialReader

LONG = [bytes([number]) * 10 + os.urandom(200_000) for number in range(5)]
SHORT = [b"short %d" % number for number in range(5)]


def first_ten(payload: LongPayload) -> bytes:
    return payload.read(0, 10)


def read_blocks(reader: RecordReader, max_bytes: int = 1 << 20) -> list[RecordBlock]:
    blocks = [reader.read(max_bytes)]
    while not blocks[-1].at_end:
        blocks.append(reader.read(max_bytes))
    return blocks


def payloads(blocks: list[RecordBlock]) -> list[bytes]:
    return [block.payload(row) for block in blocks for row in range(len(block))]


def read_bytes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each read of a file brings from now on."""
    counts: list[int] = []
    fill = OpenFile.fill

    def counting(file: OpenFile, offset: int, data: object) -> int:
        counts.append(fill(file, offset, data))
        return counts[-1]

    monkeypatch.setattr(OpenFile, "fill", counting)
    return counts


@pytest.mark.parametrize("max_bytes", [64, 5000, 1 << 20])
def test_partial_read_replaces_all_long_records_but_the_last(tmp_path: Path, max_bytes: int) -> None:
    path = tmp_path / "f"
    content = [*LONG, *SHORT, *LONG]
    path.write_bytes(framed(content))
    blocks = read_blocks(RecordReader(str(path), read_partial=first_ten), max_bytes)
    told = payloads(blocks)
    assert len(told) == len(content)
    assert all(said in (whole, whole[:10]) for said, whole in zip(told, content, strict=True))
    assert told[:10] == [payload[:10] for payload in LONG] + SHORT
    assert told[-1] == LONG[-1]
    lengths = [length for block in blocks for length in block.lengths.tolist()]
    assert lengths == [len(payload) for payload in content]
    offsets = [block.offset(row) for block in blocks for row in range(len(block))]
    assert all(
        path.read_bytes()[offset:].startswith(framed([whole])) for offset, whole in zip(offsets, content, strict=True)
    )


def test_few_bytes_of_long_records_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(framed([payload for _ in range(40) for payload in (*LONG, *SHORT)]) + framed(SHORT))
    counts = read_bytes(monkeypatch)
    read_blocks(RecordReader(str(path), read_partial=first_ten), 64 << 10)
    assert sum(counts) < 0.05 * path.stat().st_size


def test_partial_reader_may_read_any_bytes(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(framed([LONG[0], SHORT[0]]))
    looks = []

    def look(payload: LongPayload) -> bytes:
        assert payload.length == len(LONG[0])
        for begin, count in [(0, 5), (150_000, 300), (150_010, 3), (3, 2000), (199_990, 100), (200_010, 4), (7, 0)]:
            looks.append(payload.read(begin, count) == LONG[0][begin : begin + count])
        return b""

    assert payloads(read_blocks(RecordReader(str(path), read_partial=look))) == [b"", SHORT[0]]
    assert looks == [True] * 7


def test_partial_read_refused_record_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(framed([*LONG, *SHORT]))
    assert payloads(read_blocks(RecordReader(str(path), read_partial=lambda _: None), 5000)) == [*LONG, *SHORT]


def test_partial_read_last_long_record_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(framed([SHORT[0], LONG[0]]))
    (block,) = read_blocks(RecordReader(str(path), read_partial=first_ten))
    assert block.payload(1) == LONG[0]
    assert block.verify(1)


@pytest.mark.parametrize("missing", [1, 4, 5, 100, 199_990, 200_020])
def test_read_incomplete_record_is_returned_when_complete(tmp_path: Path, missing: int) -> None:
    path = tmp_path / "f"
    content = framed(LONG)
    path.write_bytes(content[:-missing])
    reader = RecordReader(str(path), read_partial=first_ten)
    blocks = read_blocks(reader)
    assert payloads(blocks)[:3] == [payload[:10] for payload in LONG[:3]]
    assert len(payloads(blocks)) == 4
    assert (blocks[-1].truncated, reader.offset) == (True, len(framed(LONG[:4])))
    path.write_bytes(content)
    blocks = read_blocks(reader)
    assert (payloads(blocks), blocks[-1].truncated) == ([LONG[4]], False)


def test_read_truncated_record_is_damage_and_others_are_found(tmp_path: Path) -> None:
    path = tmp_path / "f"
    cut = framed([LONG[1]])[:150_000]
    path.write_bytes(framed(LONG[:1]) + cut + framed([*LONG, *SHORT]))
    blocks = read_blocks(RecordReader(str(path), read_partial=first_ten))
    assert payloads(blocks)[0] == LONG[0][:10]
    assert [said[:7] for said in payloads(blocks)[1:]] == [payload[:7] for payload in (*LONG, *SHORT)]
    (damage,) = [place for block in blocks for place in block.damage]
    assert (damage.kind, damage.offset, damage.bytes_skipped) == ("truncated", len(framed(LONG[:1])), len(cut))


@pytest.mark.parametrize("swallowed", [SHORT, [*SHORT, b""], [*LONG[:2], *SHORT], [b"x" * 1000]])
def test_partial_read_truncated_record_hides_no_overwriting_record(tmp_path: Path, swallowed: list[bytes]) -> None:
    path = tmp_path / "f"
    begun = LONG[0][:150_000]
    length = len(begun) + len(framed(swallowed)) - 4
    cut = framed([bytes(length)])[:12] + begun
    path.write_bytes(framed(LONG[:1]) + cut + framed([*swallowed, *LONG]))
    blocks = read_blocks(RecordReader(str(path), read_partial=first_ten))
    assert [said[:10] for said in payloads(blocks)] == [said[:10] for said in (*LONG[:1], *swallowed, *LONG)]
    (damage,) = [place for block in blocks for place in block.damage]
    assert (damage.kind, damage.offset, damage.bytes_skipped) == ("truncated", len(framed(LONG[:1])), len(cut))


def test_partial_read_behind_damage_reads_long_records_whole(tmp_path: Path) -> None:
    path = tmp_path / "f"
    moved = framed(SHORT)
    long = framed(LONG[:1])
    path.write_bytes(b"?" * len(moved) + long[:1000] + moved + long[1000 + len(moved) :] + framed(LONG))
    blocks = read_blocks(RecordReader(str(path), read_partial=first_ten))
    assert payloads(blocks) == [*SHORT, *LONG]


def test_a_long_record_that_ends_with_one_it_holds_is_one(tmp_path: Path) -> None:
    path = tmp_path / "f"
    held = LONG[0] + framed(SHORT[:1])[:-4]
    path.write_bytes(framed([held, *LONG[:2]]))
    blocks = read_blocks(RecordReader(str(path), read_partial=first_ten))
    assert [said[:10] for said in payloads(blocks)] == [said[:10] for said in (held, *LONG[:2])]


def test_partial_read_replaced_file_is_detected_by_the_last_record(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(framed([*LONG, b"end"]))
    reader = RecordReader(str(path), read_partial=first_ten)
    reader.read(64)
    path.write_bytes(framed([payload[::-1] for payload in LONG] + [b"end"]))
    with pytest.raises(FileReplaced):
        reader.read()


def test_reader_resumed_from_state_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(framed([*LONG, *SHORT]))
    reader = RecordReader(str(path), read_partial=first_ten)
    begun = [reader.read(64)]
    rest = read_blocks(RecordReader(str(path), state=reader.state, read_partial=first_ten))
    assert payloads([*begun, *rest]) == [payload[:10] for payload in LONG] + SHORT


def whole(payload: LongPayload) -> bytes:
    return payload.read(0, payload.length)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.binary(max_size=120), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 7)), max_size=3),
    st.lists(st.integers(0, 2000), max_size=4),
    st.sampled_from([64, 300, 1 << 20]),
)
def test_partial_read_of_growing_damaged_file_equals_whole_read(
    tmp_path: Path, records: list[bytes], flips: list[tuple[int, int]], sizes: list[int], max_bytes: int
) -> None:
    content = bytearray(framed(records))
    for place, bit in flips:
        content[place % len(content)] ^= 1 << bit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader_module, "MIN_LONG_BYTES", 30)
        patch.setattr(partial_records, "MIN_LONG_BYTES", 30)
        patch.setattr(partial_records, "_HEAD_BYTES", 8)
        found = [read_growing(tmp_path / "f", bytes(content), sizes, max_bytes, way) for way in (whole, None)]
    assert found[0] == found[1]


def read_growing(
    path: Path, content: bytes, sizes: list[int], max_bytes: int, read_partial: PartialReader | None
) -> tuple[list[tuple[int, bytes]], bool]:
    """Offsets and payloads of what is read of a file at each of some sizes, and whether it is truncated in the end."""
    reader = RecordReader(str(path), read_partial=read_partial)
    found: list[tuple[int, bytes]] = []
    for size in [*sorted(size % (len(content) + 1) for size in sizes), len(content)]:
        path.write_bytes(content[:size])
        try:
            blocks = read_blocks(reader, max_bytes)
        except FileReplaced:  # what follows shows that something was judged too early
            reader, found = RecordReader(str(path), read_partial=read_partial), []
            blocks = read_blocks(reader, max_bytes)
        found += [(block.offset(row), block.payload(row)) for block in blocks for row in range(len(block))]
    return found, blocks[-1].truncated
