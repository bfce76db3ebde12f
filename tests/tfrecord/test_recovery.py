"""Damage of every kind: nothing outside it is lost, and what was passed over is told."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tbtui.tfrecord import framing as block
from tbtui.tfrecord import resync
from tbtui.tfrecord.checksum import compute_length_checksum
from tbtui.tfrecord.framing import frame_record
from tbtui.tfrecord.reader import FileReplaced, RecordReader
from tbtui.tfrecord.reader_state import ReaderState
from tests.helpers.record_files import framed, read_all, read_file

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.tfrecord.file import Damage

any_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
payload_lists = st.lists(st.binary(max_size=60), min_size=1, max_size=12).map(
    lambda payloads: [b"%d:" % number + payload for number, payload in enumerate(payloads)]
)
block_sizes = st.sampled_from([64, 100, 300, 1 << 21])


def header(length: int) -> bytes:
    return struct.pack("<QI", length, compute_length_checksum(length))


def extents(payloads: list[bytes]) -> list[tuple[int, int]]:
    ends, end = [], 0
    for payload in payloads:
        ends.append((end, end + 16 + len(payload)))
        end = ends[-1][1]
    return ends


@st.composite
def damaged_files(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """A file in which one stretch was replaced by other bytes, perhaps more or fewer, and the records outside it."""
    payloads = draw(payload_lists)
    content = framed(payloads)
    begin = draw(st.integers(0, len(content)))
    end = draw(st.integers(begin, min(len(content), begin + 80)))
    other = draw(st.one_of(st.binary(max_size=90), st.just(bytes(end - begin)), st.just(b"")))
    outside = [p for p, (a, b) in zip(payloads, extents(payloads), strict=True) if b <= begin or a >= end]
    return content[:begin] + other + content[end:], outside


def cut_to_fit(begun: bytes, swallowed: list[bytes]) -> bytes:
    """A record cut short after the bytes `begun` of its payload; its length ends where the last one behind it does."""
    behind = framed(swallowed)
    return header(len(begun) + len(behind) - 4) + begun + behind


def flipped(content: bytes, place: int) -> bytes:
    wrong = bytearray(content)
    wrong[place] ^= 0xFF
    return bytes(wrong)


binaries = st.binary(max_size=40)
pieces = st.one_of(
    payload_lists.map(framed),
    binaries,
    st.integers(1, 40).map(bytes),
    st.tuples(binaries, st.integers(0, 55)).map(lambda drawn: frame_record(drawn[0])[: drawn[1]]),
    st.tuples(binaries, st.integers(0, 40)).map(
        lambda drawn: flipped(frame_record(drawn[0] + b"!"), 12 + min(drawn[1], len(drawn[0])))
    ),
    st.tuples(st.integers(0, 200), binaries).map(lambda drawn: header(drawn[0]) + drawn[1]),
    st.tuples(binaries, payload_lists).map(lambda drawn: cut_to_fit(*drawn)),
    st.tuples(binaries, payload_lists, binaries).map(
        lambda drawn: frame_record(drawn[0] + framed(drawn[1]) + drawn[2])
    ),
    st.tuples(binaries, payload_lists).map(lambda drawn: flipped(frame_record(drawn[0] + framed(drawn[1]) + b"!"), -5)),
)
any_content = st.lists(pieces, max_size=8).map(b"".join)
"""Records, whole, cut, damaged, holding others and swallowing others, and what is none, in any order."""


what_writers_leave = st.lists(
    st.one_of(
        payload_lists.map(framed),
        st.tuples(binaries, st.integers(1, 40)).map(lambda drawn: frame_record(drawn[0])[: -drawn[1]]),
        st.integers(1, 40).map(bytes),
    ),
    max_size=6,
).map(b"".join)
"""Records, whole and cut, and zeros where nothing was written."""


def bytes_of(damage: list[Damage]) -> set[int]:
    return {byte for place in damage for byte in range(place.offset, place.offset + place.bytes_skipped)}


def read_growing(path: Path, content: bytes, sizes: list[int], max_bytes: int) -> tuple[list[bytes], bool]:
    """Payloads of a file that was read at each of these sizes, and whether it is truncated in the end."""
    path.write_bytes(b"")
    reader = RecordReader(str(path))
    found: list[bytes] = []
    truncated = False
    for size in [*sorted(size % (len(content) + 1) for size in sizes), len(content)]:
        path.write_bytes(content[:size])
        try:
            payloads, _, truncated = read_all(reader, max_bytes)
        except FileReplaced:
            reader, found = RecordReader(str(path)), []
            payloads, _, truncated = read_all(reader, max_bytes)
        found += payloads
    return found, truncated


@any_file
@given(any_content, block_sizes)
def test_read_any_block_size_gives_the_same_records(tmp_path: Path, content: bytes, max_bytes: int) -> None:
    payloads, damage, truncated = read_file(tmp_path / "f", content)
    in_blocks, its_damage, its_truncated = read_file(tmp_path / "f", content, max_bytes)
    assert (in_blocks, bytes_of(its_damage), its_truncated) == (payloads, bytes_of(damage), truncated)


@any_file
@given(any_content, st.lists(st.integers(0, 4000), max_size=8), block_sizes)
def test_read_growing_file_equals_read_at_once(
    tmp_path: Path, content: bytes, sizes: list[int], max_bytes: int
) -> None:
    payloads, _, truncated = read_file(tmp_path / "f", content)
    assert read_growing(tmp_path / "g", content, sizes, max_bytes) == (payloads, truncated)


@any_file
@given(
    content=what_writers_leave,
    other=what_writers_leave,
    cut=st.integers(0, 400),
    max_bytes=block_sizes,
    resumed=st.booleans(),
)
@example(
    content=frame_record(b"x")[:12], other=framed([b"another", b"one more"]), cut=4, max_bytes=1 << 21, resumed=False
)
@example(content=frame_record(b"x" * 9)[:20], other=framed([b"y" * 4]), cut=7, max_bytes=1 << 21, resumed=True)
@example(
    content=frame_record(b"x" * 30)[:39] + frame_record(b"y" * 20)[:20],
    other=framed([b"z" * 28]),
    cut=7,
    max_bytes=1 << 21,
    resumed=False,
)
@example(
    content=frame_record(b"")[:15] + b"\1" + frame_record(b"")[:15],
    other=b"\0" + framed([b"0:"]),
    cut=0,
    max_bytes=64,
    resumed=False,
)
def test_read_bytes_written_over_a_torn_end(
    tmp_path: Path, content: bytes, other: bytes, cut: int, max_bytes: int, *, resumed: bool
) -> None:
    path = tmp_path / "f"
    path.write_bytes(content)
    reader = RecordReader(str(path))
    found, _, _ = read_all(reader, max_bytes)
    content = content[: reader.offset + cut] + other
    path.write_bytes(content)
    if resumed:
        reader = RecordReader(str(path), state=ReaderState.from_json(json.loads(json.dumps(reader.state.to_json()))))
    try:
        payloads, _, truncated = read_all(reader, max_bytes)
    except FileReplaced:
        return
    afresh, _, its_truncated = read_file(path, content, max_bytes)
    assert (found + payloads, truncated) == (afresh, its_truncated)


@any_file
@given(st.lists(st.tuples(st.none() | st.binary(max_size=40), payload_lists), max_size=5), block_sizes)
def test_read_truncated_records_hide_no_others(
    tmp_path: Path, parts: list[tuple[bytes | None, list[bytes]]], max_bytes: int
) -> None:
    content = b"".join(framed(whole) if begun is None else cut_to_fit(begun, whole) for begun, whole in parts)
    payloads, damage, truncated = read_file(tmp_path / "f", content, max_bytes)
    assert (payloads, truncated) == ([payload for _, whole in parts for payload in whole], False)
    assert len(bytes_of(damage)) == sum(12 + len(begun) for begun, _ in parts if begun is not None)


@any_file
@given(damaged_files(), block_sizes)
def test_every_record_outside_a_damaged_stretch_is_read(
    tmp_path: Path, file: tuple[bytes, list[bytes]], max_bytes: int
) -> None:
    content, outside = file
    payloads, _, _ = read_file(tmp_path / "f", content, max_bytes)
    remaining = iter(payloads)
    assert all(payload in remaining for payload in outside), "lost or out of order"


@any_file
@given(
    payload_lists, st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 7)), min_size=1, max_size=6), block_sizes
)
def test_flipped_bits_cost_no_other_record(
    tmp_path: Path, payloads: list[bytes], flips: list[tuple[int, int]], max_bytes: int
) -> None:
    content = bytearray(framed(payloads))
    flipped = {place % len(content) for place, _ in flips}
    for place, bit in flips:
        content[place % len(content)] ^= 1 << bit
    found, _, _ = read_file(tmp_path / "f", bytes(content), max_bytes)
    untouched = [
        payload
        for payload, (begin, end) in zip(payloads, extents(payloads), strict=True)
        if not flipped & set(range(begin, end))
    ]
    remaining = iter(found)
    assert all(payload in remaining for payload in untouched)


@any_file
@given(damaged_files(), st.lists(st.integers(0, 2000), max_size=6), block_sizes)
def test_read_growing_damaged_file_ends_the_same(
    tmp_path: Path, file: tuple[bytes, list[bytes]], sizes: list[int], max_bytes: int
) -> None:
    content, outside = file
    found, _ = read_growing(tmp_path / "f", content, sizes, max_bytes)
    remaining = iter(found)
    assert all(payload in remaining for payload in outside)
    assert found == read_file(tmp_path / "g", content)[0]


@any_file
@given(st.binary(max_size=400), block_sizes)
def test_read_arbitrary_bytes_accounts_for_all(tmp_path: Path, content: bytes, max_bytes: int) -> None:
    payloads, damage, truncated = read_file(tmp_path / "f", content, max_bytes)
    read = sum(16 + len(payload) for payload in payloads) + sum(d.bytes_skipped for d in damage)
    assert read == len(content) or truncated


FIRST, SECOND, THIRD = b"the first record", b"the second record", b"the third record"
EIGHT = b"4:" + bytes(6)
LONG = bytes(range(256)) * 300
BEFORE = framed([FIRST])


@pytest.mark.parametrize("max_bytes", [64, 1 << 21])
@pytest.mark.parametrize(
    ("content", "expected", "kind", "offset", "skipped"),
    [
        pytest.param(
            BEFORE + b"\xff" + framed([SECOND])[1:] + framed([THIRD]),
            [FIRST, THIRD], "length_checksum", 32, 33, id="a header damaged",
        ),
        pytest.param(
            BEFORE + b"any 20 bytes of text" + framed([SECOND]),
            [FIRST, SECOND], "length_checksum", 32, 20, id="bytes between records",
        ),
        pytest.param(
            BEFORE + bytes(4096) + framed([SECOND]),
            [FIRST, SECOND], "length_checksum", 32, 4096, id="a hole of zeros",
        ),
        pytest.param(
            BEFORE + framed([SECOND])[:20] + framed([THIRD, FIRST, SECOND]),
            [FIRST, THIRD, FIRST, SECOND], "truncated", 32, 20, id="a writer killed in a record, another one after it",
        ),
        pytest.param(
            BEFORE + frame_record(bytes(5000))[:30] + framed([SECOND, THIRD]),
            [FIRST, SECOND, THIRD], "truncated", 32, 30, id="a long record cut short swallows the rest of the file",
        ),
        pytest.param(
            BEFORE + framed([SECOND])[:5] + framed([THIRD]),
            [FIRST, THIRD], "length_checksum", 32, 5, id="a writer killed in a header",
        ),
        pytest.param(
            BEFORE + header(2**60) + framed([SECOND]),
            [FIRST, SECOND], "oversized", 32, 12, id="a length that no event can have",
        ),
        pytest.param(
            BEFORE + b"\xff" * 40,
            [FIRST], "length_checksum", 32, 40, id="no record after the damage",
        ),
        pytest.param(
            BEFORE + b"\xff" + framed([SECOND])[1:] + framed([THIRD])[:12] + b"wrong payload bytes!"
            + b"\xff" + framed([SECOND])[1:] + framed([FIRST]),
            [FIRST, FIRST], "length_checksum", 32, 98, id="a right header that nothing else speaks for",
        ),
        pytest.param(
            BEFORE + cut_to_fit(b"begun", [SECOND, THIRD]) + framed([FIRST]),
            [FIRST, SECOND, THIRD, FIRST], "truncated", 32, 17, id="a cut record that ends with one it swallowed",
        ),
        pytest.param(
            BEFORE + cut_to_fit(b"begun", [SECOND, THIRD]),
            [FIRST, SECOND, THIRD], "truncated", 32, 17, id="a cut record that ends with the file",
        ),
        pytest.param(
            BEFORE + cut_to_fit(b"", [cut_to_fit(b"", [SECOND]), THIRD]) + framed([FIRST]),
            [FIRST, cut_to_fit(b"", [SECOND]), THIRD, FIRST], "truncated", 32, 12, id="what is right in a cut record",
        ),
        pytest.param(
            BEFORE + header(len(framed([SECOND])) - 10) + framed([SECOND]),
            [FIRST, SECOND], "truncated", 32, 12, id="a cut record that ends just before the file",
        ),
        pytest.param(
            BEFORE + header(8) + framed([SECOND]),
            [FIRST, SECOND], "truncated", 32, 12, id="a header whose payload is the length of the next record",
        ),
        pytest.param(
            BEFORE + header(8) + framed([EIGHT]),
            [FIRST, EIGHT], "truncated", 32, 12, id="headers and payloads that all look the same",
        ),
        pytest.param(
            BEFORE + header(9) + b"V" + framed([EIGHT]),
            [FIRST, EIGHT], "truncated", 32, 13, id="a payload that looks like a header behind a cut record",
        ),
        pytest.param(
            BEFORE + header(4)[:11] + framed([b"6:  "]) + framed([THIRD]),
            [FIRST, b"6:  ", THIRD], "truncated", 32, 11, id="a header cut off where the next one completes it",
        ),
        pytest.param(
            BEFORE + header(12) + b"cut." + header(8) + cut_to_fit(b"", [SECOND, THIRD]) + framed([FIRST]),
            [FIRST, cut_to_fit(b"", [SECOND, THIRD])[:8], SECOND, THIRD, FIRST], "truncated", 32, 16,
            id="a cut record that ends with a header, behind which another one stands as its payload",
        ),
    ],
)  # fmt: skip
def test_read_damage_is_skipped_and_reported(
    tmp_path: Path, content: bytes, expected: list[bytes], kind: str, offset: int, skipped: int, max_bytes: int
) -> None:
    payloads, damage, truncated = read_file(tmp_path / "f", content, max_bytes)
    assert payloads == expected
    assert [(d.kind, d.offset, d.bytes_skipped) for d in damage] == [(kind, offset, skipped)]
    assert f"{skipped:,} bytes" in damage[0].message
    assert not truncated


def test_damage_of_one_byte_is_singular(tmp_path: Path) -> None:
    _, (damage,), _ = read_file(tmp_path / "f", framed([FIRST]) + b"?" + framed([SECOND]))
    assert damage.message == "the length of a record does not match its checksum; 1 byte skipped"


def test_zeros_at_the_end_may_still_be_filled(tmp_path: Path) -> None:
    """Network file systems show a longer file before the bytes that were written."""
    path = tmp_path / "f"
    path.write_bytes(BEFORE + bytes(len(framed([SECOND]))))
    reader = RecordReader(str(path))
    assert read_all(reader) == ([FIRST], [], True)
    path.write_bytes(BEFORE + framed([SECOND]))
    assert read_all(reader) == ([SECOND], [], False)


def test_read_incomplete_record_after_damage_is_read_later(tmp_path: Path) -> None:
    path = tmp_path / "f"
    content = BEFORE + b"?" * 17 + framed([SECOND])
    path.write_bytes(content[:-8])
    reader = RecordReader(str(path))
    payloads, damage, truncated = read_all(reader)
    assert (payloads, truncated) == ([FIRST], True)
    assert [(d.offset, d.bytes_skipped) for d in damage] == [(32, 17)]
    path.write_bytes(content)
    assert read_all(reader) == ([SECOND], [], False)


def test_read_continuing_damage_is_reported_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(BEFORE + b"?" * 30)
    reader = RecordReader(str(path))
    assert [(d.offset, d.bytes_skipped) for d in read_all(reader)[1]] == [(32, 30)]
    path.write_bytes(BEFORE + b"?" * 50 + framed([SECOND]))
    payloads, damage, _ = read_all(reader)
    assert payloads == [SECOND]
    assert [(d.offset, d.bytes_skipped) for d in damage] == [(62, 20)]


def test_read_contradicted_record_raises_file_replaced(tmp_path: Path) -> None:
    """A killed writer's record, filled up by the next writer's first ones, ended with the file when it was read."""
    path = tmp_path / "f"
    content = framed([SECOND])[:20] + framed([b"a", b"b", b"c"])
    path.write_bytes(content[:33])
    reader = RecordReader(str(path))
    assert len(read_all(reader)[0]) == 1
    path.write_bytes(content)
    with pytest.raises(FileReplaced):
        reader.read()
    payloads, damage, truncated = read_file(path, content)
    assert (payloads, truncated) == ([b"a", b"b", b"c"], False)
    assert [(d.kind, d.offset, d.bytes_skipped) for d in damage] == [("truncated", 0, 20)]


def test_read_partial_record_behind_truncated_one_is_read_later(tmp_path: Path) -> None:
    """A long record of a killed writer seems to wait for its rest while the next writer's first record arrives."""
    path = tmp_path / "f"
    cut = frame_record(bytes(5000))[:500]
    content = BEFORE + cut + framed([SECOND])
    path.write_bytes(content[:-10])
    reader = RecordReader(str(path))
    assert read_all(reader) == ([FIRST], [], True)
    path.write_bytes(content + framed([THIRD]))
    payloads, damage, _ = read_all(reader)
    assert payloads == [SECOND, THIRD]
    assert [(d.kind, d.offset, d.bytes_skipped) for d in damage] == [("truncated", 32, 500)]


def test_read_oversized_header_hides_no_records(tmp_path: Path) -> None:
    path = tmp_path / "f"
    content = BEFORE + b"?" * 20 + header(10**6) + b"?" * 20 + framed([SECOND])
    path.write_bytes(content[:-10])
    reader = RecordReader(str(path))
    assert read_all(reader)[0] == [FIRST]
    path.write_bytes(content)
    assert read_all(reader)[0] == [SECOND]


GOOD = framed([FIRST, SECOND, THIRD])


@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize(
    ("damaged", "read"),
    [
        pytest.param(GOOD[:32] + b"\xff" + GOOD[33:], [FIRST, THIRD], id="a length"),
        pytest.param(GOOD[:40] + b"\xff" + GOOD[41:], [FIRST, THIRD], id="a checksum of a length"),
        pytest.param(GOOD[:32] + header(2**60) + GOOD[44:], [FIRST, THIRD], id="a right header that cannot be"),
        pytest.param(GOOD[:32] + bytes(33) + GOOD[65:], [FIRST, THIRD], id="a hole of zeros"),
        pytest.param(GOOD[:32] + header(30) + GOOD[44:], [FIRST, THIRD], id="another right header"),
        pytest.param(GOOD[:50] + b"?" * 40, [FIRST], id="all to the end"),
    ],
)
def test_read_file_repaired_in_place_raises_file_replaced(
    tmp_path: Path, damaged: bytes, read: list[bytes], resumed: bool
) -> None:
    path = tmp_path / "f"
    path.write_bytes(damaged)
    reader = RecordReader(str(path))
    assert [payload for payload in read_all(reader)[0] if payload in (FIRST, SECOND, THIRD)] == read
    if resumed:
        reader = RecordReader(str(path), state=ReaderState.from_json(json.loads(json.dumps(reader.state.to_json()))))
    assert read_all(reader)[0] == []
    path.write_bytes(GOOD)
    with pytest.raises(FileReplaced):
        reader.read()


def test_read_repaired_payload_raises_file_replaced(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(flipped(flipped(GOOD, 12), 32 + 12))
    reader = RecordReader(str(path))
    read = reader.read()
    assert len(read) == 3
    reader.watch_damaged(read)
    assert read_all(reader)[0] == []
    path.write_bytes(flipped(GOOD, 12))
    with pytest.raises(FileReplaced):
        reader.read()


def test_add_damaged_valid_record_is_not_remembered(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(GOOD)
    reader = RecordReader(str(path))
    reader.watch_damaged(reader.read())
    assert read_all(reader) == ([], [], False)


def test_is_repaired_header_of_the_next_payload_returns_false(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(BEFORE + header(8) + framed([SECOND]))
    reader = RecordReader(str(path))
    assert read_all(reader)[0] == [FIRST, SECOND]
    assert read_all(reader) == ([], [], False)


@pytest.mark.parametrize("more", range(17))
def test_read_wrong_payload_before_partial_record_is_returned(tmp_path: Path, more: int) -> None:
    path = tmp_path / "f"
    wrong = bytearray(framed([SECOND]))
    wrong[-5] ^= 1
    path.write_bytes(BEFORE + wrong + framed([THIRD])[:more])
    reader = RecordReader(str(path))
    payloads, damage, truncated = read_all(reader)
    assert (payloads, damage, truncated) == ([FIRST, bytes(wrong[12:-4])], [], more > 0)
    path.write_bytes(BEFORE + wrong + framed([THIRD]))
    assert read_all(reader) == ([THIRD], [], False)


def test_read_stretches_between_damage_are_one_block(tmp_path: Path) -> None:
    path = tmp_path / "f"
    payloads = [b"%d" % number * 40 for number in range(2000)]
    path.write_bytes(b"?".join(map(frame_record, payloads)))
    block = RecordReader(str(path)).read()
    assert [block.payload(index) for index in range(len(block))] == payloads
    assert all(block.verify(index) for index in range(len(block)))
    content = path.read_bytes()
    assert all(content[block.offset(row) :].startswith(frame_record(payloads[row])) for row in range(len(block)))
    assert [d.bytes_skipped for d in block.damage] == [1] * 1999


def test_a_long_last_record_is_found_after_damage(tmp_path: Path) -> None:
    long = bytes(range(256)) * (10 << 10)
    assert read_file(tmp_path / "f", BEFORE + b"?" * 30 + framed([long]))[0] == [FIRST, long]


@pytest.mark.parametrize("max_bytes", [64, 1 << 21])
@pytest.mark.parametrize("swallowed", [[SECOND, THIRD], [SECOND, LONG, THIRD], [SECOND, LONG], [LONG]])
def test_partial_read_truncated_long_record_hides_none(tmp_path: Path, swallowed: list[bytes], max_bytes: int) -> None:
    content = BEFORE + cut_to_fit(LONG, swallowed) + framed([FIRST])
    payloads, damage, truncated = read_file(tmp_path / "f", content, max_bytes)
    assert (payloads, truncated) == ([FIRST, *swallowed, FIRST], False)
    assert [(d.kind, d.offset, d.bytes_skipped) for d in damage] == [("truncated", 32, 12 + len(LONG))]


@pytest.mark.parametrize("begun", [b"files in a file: ", LONG])
def test_records_held_by_a_right_payload_are_a_part_of_it(tmp_path: Path, begun: bytes) -> None:
    held = begun + framed([SECOND, THIRD])
    path = tmp_path / "f"
    assert read_file(path, framed([FIRST, held, FIRST])) == ([FIRST, held, FIRST], [], False)
    assert read_file(path, framed([FIRST, held])) == ([FIRST, held], [], False)


def test_read_complete_record_holding_others_is_one_record(tmp_path: Path) -> None:
    """While its end is missing it looks as if a killed writer had left it; then the file is to be read anew."""
    path = tmp_path / "f"
    content = framed([FIRST, framed([SECOND, THIRD]) + b"and more"])
    path.write_bytes(content[:-5])
    reader = RecordReader(str(path))
    assert read_all(reader)[0] == [FIRST, SECOND, THIRD]
    path.write_bytes(content)
    with pytest.raises(FileReplaced):
        reader.read()


def test_read_record_covering_the_next_is_dropped_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "f"
    content = framed([FIRST]) + header(8) + framed([SECOND])
    path.write_bytes(content[:-6])
    reader = RecordReader(str(path))
    assert read_all(reader)[0] == [FIRST, framed([SECOND])[:8]]
    path.write_bytes(content)
    with pytest.raises(FileReplaced):
        reader.read()


def test_read_wrong_payload_before_zeros_is_returned(tmp_path: Path) -> None:
    path = tmp_path / "f"
    wrong = flipped(framed([SECOND]), -5)
    path.write_bytes(BEFORE + wrong + bytes(len(framed([THIRD]))))
    reader = RecordReader(str(path))
    assert read_all(reader) == ([FIRST, wrong[12:-4]], [], True)
    path.write_bytes(BEFORE + wrong + framed([THIRD]))
    assert read_all(reader) == ([THIRD], [], False)


def test_read_deeply_nested_records_compares_bounded_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    compute = resync.compute_chunked_checksum
    for module in (resync, block):
        monkeypatch.setattr(
            module,
            "compute_chunked_checksum",
            lambda pieces: compute(sizes.append(len(piece)) or piece for piece in pieces),
        )
    deep = 2000
    content = b"".join(header(12 * (deep - 1 - level) + 17 * (deep - level) - 4) for level in range(deep))
    content += framed([b"r"] * (deep + 1))
    payloads, _, truncated = read_file(tmp_path / "f", content)
    assert payloads[-1] == b"r"
    assert not truncated
    assert sum(sizes) < 10 * len(content)


def test_search_headers_claiming_the_rest_of_the_file_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    compute = resync.compute_chunked_checksum
    monkeypatch.setattr(
        resync,
        "compute_chunked_checksum",
        lambda pieces: compute(sizes.append(len(piece)) or piece for piece in pieces),
    )
    content = b"?" + header(50_000) * 4000 + bytes(60_000) + framed([SECOND, THIRD])
    payloads, damage, _ = read_file(tmp_path / "f", content)
    assert payloads == [SECOND, THIRD]
    assert sum(d.bytes_skipped for d in damage) == len(content) - len(framed([SECOND, THIRD]))
    assert sum(sizes) < 5 * len(content)
