from __future__ import annotations

import errno
import os
import struct
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.tfrecord import reader as reader_module
from tbtui.tfrecord import resync
from tbtui.tfrecord.checksum import compute_length_checksum
from tbtui.tfrecord.file import OpenFile
from tbtui.tfrecord.framing import find_headers, frame_record
from tbtui.tfrecord.reader import FileReplaced, RecordReader
from tests.helpers.record_files import framed, read_all, read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tbtui.tfrecord.partial_records import PartialReader


def bounded(read: Callable[..., Any], most: int) -> Callable[..., Any]:
    """A way to read that never reads so much at once."""

    def counted(file: OpenFile, offset: int, count: int) -> Any:
        data = read(file, offset, count)
        assert len(data) <= most
        return data

    return counted


PAYLOADS = [b"%03d " % number + b"x" * (number % 50) for number in range(200)]


@pytest.mark.parametrize("max_bytes", [1, 64, 65, 100, 333, 4096, 1 << 21])
def test_blocks_of_any_size_give_the_same_records(tmp_path: Path, max_bytes: int) -> None:
    payloads = [*PAYLOADS, b"y" * 10_000, *PAYLOADS]
    assert read_file(tmp_path / "f", framed(payloads), max_bytes) == (payloads, [], False)


def test_a_record_is_read_when_its_last_byte_arrives(tmp_path: Path) -> None:
    path = tmp_path / "f"
    content = framed([b"first", b"second of them"])
    reader = RecordReader(str(path))
    seen = []
    for size in range(len(content) + 1):
        path.write_bytes(content[:size])
        payloads, damage, truncated = read_all(reader)
        assert damage == []
        assert truncated == (size not in {0, 21, len(content)})
        seen += payloads
        assert len(seen) == (size >= 21) + (size == len(content))
    assert seen == [b"first", b"second of them"]
    assert reader.offset == len(content)


def test_a_record_longer_than_a_block_is_read_whole(tmp_path: Path) -> None:
    long = bytes(range(256)) * 4096
    assert read_file(tmp_path / "f", framed([b"a", long, b"b"]), 100) == ([b"a", long, b"b"], [], False)


@pytest.mark.parametrize("behind", [[b"b"], []])
def test_read_record_too_long_for_memory_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behind: list[bytes]
) -> None:
    monkeypatch.setattr(reader_module, "MAX_WHOLE_BYTES", 1 << 20)
    least = 1 << 22
    monkeypatch.setattr(OpenFile, "read", bounded(OpenFile.read, least))
    path = tmp_path / "f"
    with path.open("wb") as file:
        file.write(framed([b"a"]))
        file.write(struct.pack("<QI", 1 << 30, compute_length_checksum(1 << 30)))
        file.seek((1 << 30) + 4, os.SEEK_CUR)  # a hole, which takes no place
        file.truncate()
        file.write(framed(behind))
    payloads, damage, truncated = read_all(RecordReader(str(path)))
    assert (payloads, truncated) == ([b"a", *behind], False)
    (place,) = damage
    assert (place.kind, place.offset, place.bytes_skipped) == ("oversized", 17, (1 << 30) + 16)
    assert place.message == "a record is too long to be read; 1,073,741,840 bytes skipped"


def test_read_truncated_oversized_record_hides_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "MAX_WHOLE_BYTES", 100)
    cut = frame_record(bytes(500))[:17]
    payloads, damage, _ = read_file(tmp_path / "f", framed([b"a"]) + cut + framed(PAYLOADS))
    assert payloads == [b"a", *PAYLOADS]
    assert [(place.offset, place.bytes_skipped) for place in damage] == [(17, 17)]


def test_reading_can_begin_at_any_record(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(framed(PAYLOADS))
    reader = RecordReader(str(path), offset=len(framed(PAYLOADS[:120])))
    assert read_all(reader)[0] == PAYLOADS[120:]


def test_a_block_says_where_its_records_lie(tmp_path: Path) -> None:
    path = tmp_path / "f"
    content = framed(PAYLOADS)
    path.write_bytes(content)
    reader = RecordReader(str(path), offset=len(framed(PAYLOADS[:7])))
    block = reader.read(200)
    assert block.offset(0) == block.offsets[0] - 12 == len(framed(PAYLOADS[:7]))
    for index in range(len(block)):
        assert content[block.offset(index) :].startswith(frame_record(block.payload(index)))
        assert block.verify(index)


def test_read_wrong_payload_is_still_returned(tmp_path: Path) -> None:
    path = tmp_path / "f"
    content = bytearray(framed([b"one", b"two", b"three"]))
    content[19 + 12] ^= 1
    path.write_bytes(content)
    block = RecordReader(str(path)).read()
    assert [block.verify(index) for index in range(3)] == [True, False, True]
    assert block.find_mismatches().tolist() == [1]
    assert block.damage == ()


def test_position_advances_during_a_search(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"no event file " * 1000)
    reader = RecordReader(str(tmp_path / "f"))
    positions = []
    while len(positions) < 5:
        reader.read(1000)
        positions.append(reader.position)
    assert positions == sorted(set(positions))
    assert reader.offset == 0


def test_no_descriptor_is_kept_between_reads(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(framed(PAYLOADS))
    descriptor = os.open(path, os.O_RDONLY)
    os.close(descriptor)
    readers = [RecordReader(str(path)) for _ in range(5)]
    for reader in readers:
        reader.read(100)
    again = os.open(path, os.O_RDONLY)
    os.close(again)
    assert again == descriptor


class TestReplaced:
    def read(self, path: Path, payloads: list[bytes]) -> RecordReader:
        path.write_bytes(framed(payloads))
        reader = RecordReader(str(path))
        assert read_all(reader)[0] == payloads
        return reader

    def test_a_file_that_shrank_must_be_read_anew(self, tmp_path: Path) -> None:
        reader = self.read(tmp_path / "f", PAYLOADS)
        (tmp_path / "f").write_bytes(framed(PAYLOADS[:-1]))
        with pytest.raises(FileReplaced):
            reader.read()

    def test_read_changed_bytes_raises_file_replaced(self, tmp_path: Path) -> None:
        reader = self.read(tmp_path / "f", PAYLOADS)
        (tmp_path / "f").write_bytes(framed([b"other", *PAYLOADS, b"more"]))
        with pytest.raises(FileReplaced):
            reader.read()

    def test_read_other_file_of_equal_length_raises_file_replaced(self, tmp_path: Path) -> None:
        reader = self.read(tmp_path / "f", [b"loss 1", b"loss 2"])
        (tmp_path / "g").write_bytes(framed([b"loss 3", b"loss 4", b"loss 5"]))
        (tmp_path / "g").replace(tmp_path / "f")
        with pytest.raises(FileReplaced):
            reader.read()

    def test_read_file_rewritten_during_read_raises_file_replaced(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was found may be of both."""
        path = tmp_path / "f"
        reader = self.read(path, PAYLOADS)
        path.write_bytes(framed([*PAYLOADS, b"news"]))
        holds = reader_module.has_anchor

        def too_early(*given: Any) -> bool:
            held = holds(*given)
            path.write_bytes(framed([b"other", *PAYLOADS, b"more"]))
            return held

        monkeypatch.setattr(reader_module, "has_anchor", too_early)
        with pytest.raises(FileReplaced):
            reader.read()

    def test_a_longer_copy_of_the_same_file_is_read_on(self, tmp_path: Path) -> None:
        reader = self.read(tmp_path / "f", PAYLOADS)
        (tmp_path / "copy").write_bytes(framed([*PAYLOADS, b"news"]))
        (tmp_path / "copy").replace(tmp_path / "f")
        assert read_all(reader) == ([b"news"], [], False)

    def test_an_unchanged_file_has_nothing_more(self, tmp_path: Path) -> None:
        reader = self.read(tmp_path / "f", PAYLOADS)
        assert read_all(reader) == ([], [], False)


class TestUnreadable:
    def test_a_file_that_is_gone_raises(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            RecordReader(str(tmp_path / "f")).read()

    def test_a_directory_says_what_it_is(self, tmp_path: Path) -> None:
        with pytest.raises(OSError, match="is a directory, no event file"):
            RecordReader(str(tmp_path)).read()

    def test_open_pipe_does_not_block(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "f")
        with pytest.raises(OSError, match="not a regular file"):
            RecordReader(str(tmp_path / "f")).read()

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_a_file_without_permission_raises(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_bytes(b"")
        (tmp_path / "f").chmod(0)
        with pytest.raises(PermissionError):
            RecordReader(str(tmp_path / "f")).read()


def test_an_empty_file_is_nothing_yet(tmp_path: Path) -> None:
    assert read_file(tmp_path / "f", b"") == ([], [], False)


def test_read_foreign_file_is_searched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []
    monkeypatch.setattr(resync, "find_headers", lambda data: searched.append(len(data)) or find_headers(data))
    path = tmp_path / "f"
    rng = np.random.default_rng(1)
    path.write_bytes(rng.integers(0, 256, 8 << 20, np.uint8).tobytes())
    reader = RecordReader(str(path))
    payloads, damage, truncated = read_all(reader)
    assert (payloads, truncated) == ([], False)
    assert [(d.kind, d.offset, d.bytes_skipped) for d in damage] == [("length_checksum", 0, 8 << 20)]
    for _ in range(20):
        assert reader.read().damage == ()
    assert sum(searched) < 9 << 20


BROKEN = (
    framed([b"a" * 50, b"b" * 60] * 5)[:-30]
    + framed([b"c" * 40] * 10)
    + b"\xff" * 100
    + framed([b"d" * 30, b"e" * 70_000] * 2)
    + framed([b"f"])[:-2]
)
"""Damaged in three ways, with long records between."""


class Disturbed:
    """Stands in for `os.readv`, and disturbs one of its calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls = 0
        self.disturbed = 0
        self.disturb: Callable[[], None] = lambda: None
        readv = os.readv

        def read(descriptor: int, buffers: Sequence[memoryview]) -> int:
            self.calls += 1
            if self.calls == self.disturbed:
                self.disturb()
            return readv(descriptor, buffers)

        monkeypatch.setattr(os, "readv", read)


def read_on(reader: RecordReader, max_bytes: int) -> tuple[list[tuple[int, int]], int]:
    """Where all records lie, and how many bytes were skipped; a read that fails is tried again."""
    records: list[tuple[int, int]] = []
    skipped = failures = 0
    while True:
        try:
            block = reader.read(max_bytes)
        except OSError:
            failures += 1
            assert failures == 1
            continue
        records += zip(block.offsets.tolist(), block.lengths.tolist(), strict=True)
        skipped += sum(damage.bytes_skipped for damage in block.damage)
        if block.at_end:
            return records, skipped


@pytest.mark.parametrize("max_bytes", [200, 1 << 21])
@pytest.mark.parametrize("read_partial", [None, lambda payload: payload.read(0, 10)])
def test_read_after_a_temporary_error_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, max_bytes: int, read_partial: PartialReader | None
) -> None:
    path = tmp_path / "f"
    path.write_bytes(BROKEN)
    disturbed = Disturbed(monkeypatch)

    def fail() -> None:
        raise OSError(errno.EIO, "Input/output error")

    wanted = read_on(RecordReader(str(path), read_partial=read_partial), max_bytes)
    total, disturbed.disturb = disturbed.calls, fail
    for number in range(1, total + 1):
        disturbed.calls, disturbed.disturbed = 0, number
        assert read_on(RecordReader(str(path), read_partial=read_partial), max_bytes) == wanted


@pytest.mark.parametrize("read_partial", [None, lambda payload: payload.read(0, 10)])
def test_read_file_cut_short_during_read_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_partial: PartialReader | None
) -> None:
    """Its size is looked at once a read, and bytes that are not there any more would be asked for without end."""
    path = tmp_path / "f"
    path.write_bytes(BROKEN)
    disturbed = Disturbed(monkeypatch)
    read_on(RecordReader(str(path), read_partial=read_partial), 200)
    for number in range(1, disturbed.calls + 1):
        path.write_bytes(BROKEN)
        disturbed.calls, disturbed.disturbed = 0, number
        disturbed.disturb = partial(os.truncate, path, 700)
        reader = RecordReader(str(path), read_partial=read_partial)
        with suppress(OSError, FileReplaced):
            while not reader.read(200).at_end:
                pass
        assert path.stat().st_size == 700
        with suppress(FileReplaced):
            assert reader.read(200).offsets.max(initial=0) < 700
