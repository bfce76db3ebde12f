from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.tfrecord.checksum import compute_length_checksum
from tbtui.tfrecord.framing import (
    BROKEN,
    END,
    OVERSIZED,
    TRUNCATED,
    find_headers,
    find_short_headers,
    frame_record,
    parse_header,
    read_frames,
)
from tests.helpers.record_files import framed

sizes = st.one_of(st.integers(0, 60), st.sampled_from([255, 256, 65535, 65536, 65537, 70_000, 300_000]))


ENDING_IN_ZERO = [length for length in range(1 << 16) if not compute_length_checksum(length) & 0xFF][:40]
"""Short lengths whose checksum begins with a zero, which makes the row of zeros of the header longer."""


def buffer(content: bytes) -> np.ndarray:
    return np.frombuffer(content, np.uint8)


def header(length: int) -> bytes:
    return struct.pack("<QI", length, compute_length_checksum(length))


def payloads_of(content: bytes) -> list[bytes]:
    frames = read_frames(buffer(content))
    return [content[s : s + n] for s, n in zip(frames.starts.tolist(), frames.lengths.tolist(), strict=True)]


@given(st.lists(sizes, max_size=30), st.integers(0, 255))
def test_every_whole_record_is_found_whatever_its_length(lengths: list[int], fill: int) -> None:
    payloads = [bytes([fill]) * length for length in lengths]
    content = framed(payloads)
    frames = read_frames(buffer(content))
    assert payloads_of(content) == payloads
    assert (frames.stop, frames.end) == (END, len(content))


def test_read_frames_many_windows_keeps_the_order() -> None:
    payloads = [b"%d" % number * (number % 97) for number in range(20_000)]
    assert payloads_of(framed(payloads)) == payloads


def test_headers_inside_a_payload_are_not_records() -> None:
    nested = framed([b"inner one", b"inner two"])
    payloads = [b"before", nested, b"between", nested + header(5), b"after"]
    assert payloads_of(framed(payloads)) == payloads


@given(st.lists(st.one_of(st.binary(max_size=30), st.just(framed([b"inner"]))), max_size=12), st.integers(0, 7))
def test_read_frames_nested_and_long_records_are_suspects(payloads: list[bytes], longs: int) -> None:
    payloads = [payload for payload in payloads if len(payload) != 8] + [bytes(70_000)] * longs
    frames = read_frames(buffer(framed(payloads)))
    expected = [row for row, payload in enumerate(payloads) if payload == framed([b"inner"]) or len(payload) == 70_000]
    assert frames.suspects.tolist() == expected


def test_read_frames_finds_headers_at_window_borders() -> None:
    """However the windows fall, in which headers are looked for."""
    payload = b"x" * 3000 + framed([b"inner"]) + b"x" * 3000
    frames = read_frames(buffer(framed([payload] * 1500)))
    assert frames.suspects.tolist() == list(range(1500))


def test_a_payload_that_may_be_a_header_is_suspect() -> None:
    assert read_frames(buffer(framed([b"seven b", b"eight by", b"nine byte"]))).suspects.tolist() == [1]


@pytest.mark.parametrize("cut", range(1, 30))
def test_a_record_that_is_not_all_there_ends_the_chain(cut: int) -> None:
    whole = framed([b"one", b"two"])
    content = (whole + frame_record(b"fourteen bytes"))[:-cut]
    frames = read_frames(buffer(content))
    assert frames.end == len(whole)
    assert frames.stop == TRUNCATED


@pytest.mark.parametrize(
    ("tail", "stop"),
    [
        (b"these are not the bytes of any header", BROKEN),
        (bytes(40), BROKEN),
        (header(2**31) + bytes(40), OVERSIZED),
        (header(2**60), OVERSIZED),
        (header(2**31 - 1) + bytes(40), TRUNCATED),
    ],
)
def test_read_frames_reports_the_stop_reason(tail: bytes, stop: str) -> None:
    frames = read_frames(buffer(framed([b"one"]) + tail))
    assert (len(frames.starts), frames.end, frames.stop) == (1, 19, stop)


def test_a_header_counts_only_with_its_checksum() -> None:
    right = header(300)
    assert parse_header(buffer(right), 0) == 300
    assert parse_header(buffer(right[:-1]), 0) is None
    for bit in range(96):
        wrong = bytearray(right)
        wrong[bit // 8] ^= 1 << bit % 8
        assert parse_header(buffer(bytes(wrong)), 0) is None


@given(st.lists(st.tuples(st.binary(max_size=30), st.sampled_from([0, 7, 255, 70_000, 2**24, 2**31 - 1])), max_size=8))
def test_find_headers_finds_every_valid_header(pieces: list[tuple[bytes, int]]) -> None:
    content, expected = b"", []
    for noise, length in pieces:
        expected.append((len(content) + len(noise), length))
        content += noise + header(length)
    positions, lengths = find_headers(buffer(content))
    assert set(expected) <= set(zip(positions.tolist(), lengths.tolist(), strict=True))


@given(
    st.lists(
        st.one_of(
            st.integers(0, 20).map(bytes),
            st.binary(max_size=3),
            st.sampled_from([0, 1, 255, 256, 512, 65535, 65536, *ENDING_IN_ZERO]).map(header),
            st.integers(0, 65535).map(header),
        ),
        max_size=12,
    ),
    st.integers(0, 12),
    st.integers(0, 40),
)
def test_find_short_headers_between_zeros_finds_all(pieces: list[bytes], begin: int, left_out: int) -> None:
    content = b"".join(pieces) + bytes(left_out % 7)
    end = max(begin, len(content) - left_out)
    heads, lengths = find_short_headers(buffer(content), begin, end)
    expected = [
        (place, length)
        for place in range(begin, end - 15)
        if (length := parse_header(buffer(content[:end]), place)) is not None and length < 1 << 16
    ]
    assert list(zip(heads.tolist(), lengths.tolist(), strict=True)) == expected


@pytest.mark.parametrize("content", [b"", b"\0", bytes(11), bytes(12), bytes(1000), b"text " * 300, b"\1" + bytes(500)])
def test_find_headers_without_headers_finds_none(content: bytes) -> None:
    assert len(find_headers(buffer(content))[0]) == 0
