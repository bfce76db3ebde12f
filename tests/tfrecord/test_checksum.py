from __future__ import annotations

import struct

import google_crc32c
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.tfrecord.checksum import (
    compute_length_checksum,
    compute_length_checksums,
    compute_payload_checksum,
    compute_short_length_checksums,
)
from tbtui.tfrecord.framing import frame_record


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b"", 0xA282EAD8),
        (b"123456789", 0xC78AB0E5),
        (b"\x18\0\0\0\0\0\0\0", 0x224B7FA3),
        (b"\x1a\x11CRC test, one two", 0x5794D08A),
    ],
)
def test_payloads_have_the_known_checksums(payload: bytes, expected: int) -> None:
    assert compute_payload_checksum(payload) == expected


def test_a_length_of_24_has_the_known_checksum() -> None:
    assert compute_length_checksum(24) == 0x224B7FA3


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_length_checksums_equal_the_library(lengths: list[int]) -> None:
    expected = [compute_payload_checksum(struct.pack("<Q", length)) for length in lengths]
    assert compute_length_checksums(np.array(lengths, np.uint64)).tolist() == expected
    assert [compute_length_checksum(length) for length in lengths] == expected


def test_short_length_checksums_equal_length_checksums() -> None:
    every = np.arange(1 << 16, dtype=np.uint64)
    assert np.array_equal(compute_short_length_checksums(), compute_length_checksums(every))


def test_a_record_is_length_checksum_payload_checksum() -> None:
    record = frame_record(b"\x1a\x11CRC test, one two")
    assert record[:8] == struct.pack("<Q", 19)
    assert record[12:-4] == b"\x1a\x11CRC test, one two"
    assert record[-4:] == struct.pack("<I", 0x5794D08A)
    crc = google_crc32c.value(record[:8])
    assert struct.unpack("<I", record[8:12])[0] == (((crc >> 15) | (crc << 17)) + 0xA282EAD8) % 2**32
