"""Files on a disk that fails to give some of their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tbtui.tfrecord.framing import OVERHEAD_BYTES
from tbtui.tfrecord.reader import FileReplaced, RecordReader
from tests.helpers.failing_disk import BadDisk
from tests.helpers.record_files import framed, read_all

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.tfrecord.partial_records import PartialReader

PAGE = 4096
PAYLOADS = [b"%05d" % number + bytes([number % 250 + 1]) * (number * 37 % 300) for number in range(400)]
PAYLOADS[200:200] = [bytes([7]) * 70_000, bytes([8]) * 90_000]
"""Short records and two long ones, in 56 pages."""


def begins() -> list[int]:
    places, at = [], 0
    for payload in PAYLOADS:
        places.append(at)
        at += len(payload) + OVERHEAD_BYTES
    return places


def outside(bad: set[int], payloads: list[bytes]) -> list[bytes]:
    """The payloads of the records that lie in no bad page."""
    return [
        payload
        for begin, payload in zip(begins(), payloads, strict=True)
        if bad.isdisjoint(range(begin // PAGE, (begin + len(payload) + OVERHEAD_BYTES - 1) // PAGE + 1))
    ]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> BadDisk:
    return BadDisk(monkeypatch)


def written(path: Path) -> int:
    """Writes the records; returns the number of the last page."""
    path.write_bytes(framed(PAYLOADS))
    return (path.stat().st_size - 1) // PAGE


@pytest.mark.parametrize("read_partial", [None, lambda payload: payload.read(0, 10)])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(bad=st.sets(st.integers(0, 54), max_size=8), max_bytes=st.sampled_from([5_000, 1 << 21]))
def test_read_all_bytes_outside_unreadable_ranges(
    tmp_path: Path, disk: BadDisk, read_partial: PartialReader | None, bad: set[int], max_bytes: int
) -> None:
    path = tmp_path / "f"
    disk.bad = set()
    assert written(path) > 54
    disk.bad = bad
    payloads, damage, truncated = read_all(RecordReader(str(path)), max_bytes)
    whole = outside(bad, PAYLOADS)
    assert payloads == whole
    assert not truncated
    lost = sum(len(payload) + OVERHEAD_BYTES for payload in PAYLOADS)
    lost -= sum(len(payload) + OVERHEAD_BYTES for payload in whole)
    assert sum(place.bytes_skipped for place in damage) == lost
    assert {place.kind for place in damage} >= ({"unreadable_bytes"} if bad else set())
    skimmed = RecordReader(str(path), read_partial=read_partial)
    read_all(skimmed, max_bytes)
    assert skimmed.offset == path.stat().st_size


def test_damage_has_the_offset(tmp_path: Path, disk: BadDisk) -> None:
    path = tmp_path / "f"
    written(path)
    disk.bad = {5}
    _, (first, *_), _ = read_all(RecordReader(str(path)))
    hit = max(begin for begin in begins() if begin <= 5 * PAGE)
    assert (first.kind, first.offset, first.bytes_skipped) == ("unreadable_bytes", hit, 6 * PAGE - hit)
    assert first.message.startswith("the disk cannot read this (Input/output error); ")


def test_read_records_before_an_unreadable_end_are_returned(tmp_path: Path, disk: BadDisk) -> None:
    """Perhaps the disk is away, and all can be read later: then it is no damage."""
    path = tmp_path / "f"
    last = written(path)
    disk.bad = set(range(30, last + 1))
    reader = RecordReader(str(path))
    block = reader.read()
    assert [block.payload(row) for row in range(len(block))] == outside(disk.bad, PAYLOADS)
    assert not block.at_end
    for _ in range(2):
        with pytest.raises(OSError, match="Input/output error"):
            reader.read()
    disk.bad = set()
    payloads, damage, _ = read_all(reader)
    assert payloads == PAYLOADS[len(block) :]
    assert damage == []


@pytest.mark.parametrize("bad", [{0}, {9}, {9, 10, 11}, {20, 40}])
def test_read_range_readable_again_raises_file_replaced(tmp_path: Path, disk: BadDisk, bad: set[int]) -> None:
    path = tmp_path / "f"
    written(path)
    disk.bad = bad
    reader = RecordReader(str(path))
    read_all(reader)
    assert len(reader.read()) == 0
    disk.bad = set()
    with pytest.raises(FileReplaced):
        reader.read()
