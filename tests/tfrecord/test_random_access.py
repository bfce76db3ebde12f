from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.tfrecord.file import open_file
from tbtui.tfrecord.framing import HEADER_BYTES, OVERHEAD_BYTES
from tbtui.tfrecord.random_access import DAMAGED, ENDED, MOVED, UNREADABLE, RereadRecords, reread_records, split_batches
from tests.helpers.failing_disk import BadDisk
from tests.helpers.record_files import framed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

PAYLOADS = [b"%03d " % number + b"x" * (number * 37 % 500) for number in range(200)]


def places(payloads: Sequence[bytes]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where the payloads lie in a file of them, and their lengths."""
    lengths = np.array([len(payload) for payload in payloads], np.int64)
    return np.cumsum(lengths + OVERHEAD_BYTES) - lengths - OVERHEAD_BYTES + HEADER_BYTES, lengths


def read(path: Path, offsets: npt.ArrayLike, lengths: npt.ArrayLike) -> RereadRecords:
    with open_file(str(path)) as file:
        return reread_records(file, np.array(offsets, np.int64), np.array(lengths, np.int64))


def held(records: RereadRecords) -> list[bytes]:
    return [
        records.data[start : start + length].tobytes()
        for start, length in zip(records.starts.tolist(), records.lengths.tolist(), strict=True)
    ]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(list(range(200)), id="all"),
        pytest.param(list(range(0, 200, 7)), id="every seventh"),
        pytest.param([3], id="one"),
        pytest.param([150, 4, 4, 199, 0], id="in any order, one twice"),
        pytest.param([], id="none"),
    ],
)
def test_reread_keeps_the_order_of_the_request(tmp_path: Path, rows: list[int]) -> None:
    path = tmp_path / "f"
    path.write_bytes(framed(PAYLOADS))
    offsets, lengths = places(PAYLOADS)
    records = read(path, offsets[rows], lengths[rows])
    assert held(records) == [PAYLOADS[row] for row in rows]
    assert records.refused == {}
    assert records.data[-8:].tolist() == [0] * 8


def test_reread_near_records_share_one_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    payloads = [b"a", b"b" * 100, b"c", b"d" * 1_000_000, b"e", b"f"]
    path = tmp_path / "f"
    path.write_bytes(framed(payloads))
    offsets, lengths = places(payloads)
    sizes = []
    readv = os.readv

    def counted(descriptor: int, buffers: Sequence[memoryview]) -> int:
        sizes.append(readv(descriptor, buffers))
        return sizes[-1]

    monkeypatch.setattr(os, "readv", counted)
    assert held(read(path, offsets[[0, 2, 4, 5]], lengths[[0, 2, 4, 5]])) == [b"a", b"c", b"e", b"f"]
    assert sizes == [17 + 116 + 17, 17 + 17]


def test_reread_changed_records_are_refused(tmp_path: Path) -> None:
    payloads = [b"right", b"damaged", b"right too", b"another length", b"cut off"]
    offsets, lengths = places(payloads)
    content = bytearray(framed(payloads))
    content[offsets[1]] ^= 1
    content[offsets[3] - HEADER_BYTES] ^= 1
    path = tmp_path / "f"
    path.write_bytes(content[:-1])
    records = read(path, offsets, lengths)
    assert records.refused == {1: DAMAGED, 3: MOVED, 4: ENDED}
    assert [held(records)[row] for row in (0, 2)] == [b"right", b"right too"]


def test_a_length_whose_checksum_is_wrong_is_no_header(tmp_path: Path) -> None:
    content = bytearray(framed([b"one"]))
    content[9] ^= 1
    (tmp_path / "f").write_bytes(content)
    assert read(tmp_path / "f", [HEADER_BYTES], [3]).refused == {0: MOVED}


def test_a_file_that_is_empty_now_refuses_all(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    assert read(tmp_path / "f", *places(PAYLOADS)).refused == dict.fromkeys(range(200), ENDED)


def test_is_repaired_payloads_above_the_bound_are_not_compared(tmp_path: Path) -> None:
    content = bytearray(framed([b"one"]))
    content[HEADER_BYTES] ^= 1
    (tmp_path / "f").write_bytes(content)
    assert read(tmp_path / "f", [HEADER_BYTES], [3]).refused == {0: DAMAGED}


@given(st.lists(st.integers(0, 300), min_size=1, max_size=60), st.integers(1, 5000), st.data())
def test_split_batches_holds_every_record_once_within_the_limit(
    sizes: list[int], max_bytes: int, data: st.DataObject
) -> None:
    offsets, lengths = places([b"x" * size for size in sizes])
    rows = data.draw(st.lists(st.integers(0, len(sizes) - 1), max_size=60))
    offsets, lengths = offsets[rows], lengths[rows]
    pieces = list(split_batches(offsets, lengths, max_bytes))
    assert [row for piece in pieces for row in range(piece.start, piece.stop)] == list(range(len(rows)))
    for piece in pieces:
        begin, end = offsets[piece] - HEADER_BYTES, offsets[piece] + lengths[piece] + 4
        ascending = bool((begin[1:] >= end[:-1]).all())
        span = int(end[-1] - begin[0]) if ascending else int((end - begin).sum())
        assert span <= max_bytes or piece.stop - piece.start == 1 or not ascending


def test_split_batches_fills_each_slice() -> None:
    offsets, lengths = places([b"x" * 84] * 10)
    assert [piece.stop - piece.start for piece in split_batches(offsets, lengths, 350)] == [3, 3, 3, 1]
    assert [piece.stop - piece.start for piece in split_batches(offsets, lengths, 1)] == [1] * 10
    assert list(split_batches(offsets[:0], lengths[:0], 100)) == []


def test_reread_refuses_only_unreadable_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(framed(PAYLOADS))
    disk = BadDisk(monkeypatch)
    disk.bad = {0, 3, 5}
    offsets, lengths = places(PAYLOADS)
    records = read(path, offsets, lengths)
    begins, ends = offsets - HEADER_BYTES, offsets + lengths + OVERHEAD_BYTES - HEADER_BYTES
    hit = np.logical_or.reduce([(begins < (page + 1) * 4096) & (ends > page * 4096) for page in disk.bad])
    assert records.refused == dict.fromkeys(np.flatnonzero(hit).tolist(), UNREADABLE)
    kept = np.flatnonzero(~hit).tolist()
    assert [held(records)[row] for row in kept] == [PAYLOADS[row] for row in kept]


def test_reread_unreadable_disk_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be back soon."""
    path = tmp_path / "f"
    path.write_bytes(framed(PAYLOADS))
    BadDisk(monkeypatch).bad = set(range(3, 100))
    with pytest.raises(OSError, match="Input/output error"):
        read(path, *places(PAYLOADS))
