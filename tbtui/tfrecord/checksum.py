"""Compute masked CRC-32C, the checksum of TFRecord framing, of many lengths at once and of payloads.

CRC-32C is the Castagnoli polynomial, reflected, with initial value and final xor of 0xFFFFFFFF; masking rotates it
right by 15 bits and adds a constant modulo 2**32 (TensorBoard `masked_crc.rs`, TensorFlow `crc32c.h`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

POLYNOMIAL = 0x82F63B78
MASK_DELTA = 0xA282EAD8
LENGTH_BYTES = 8


def mask_crcs(crc: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Mask CRCs as TFRecord files store them, uint32[n] to uint32[n]."""
    rotated = (crc >> np.uint32(15)) | (crc << np.uint32(17))
    return np.asarray(rotated + np.uint32(MASK_DELTA))


def unmask_crcs(masked: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return the CRCs that `mask_crcs` has masked, uint32[n] to uint32[n]."""
    rotated = masked - np.uint32(MASK_DELTA)
    return np.asarray((rotated << np.uint32(15)) | (rotated >> np.uint32(17)))


@cache
def _build_byte_tables() -> npt.NDArray[np.uint32]:
    """Return the CRC contribution of each value of each of the 8 length bytes, uint32[8, 256].

    CRCs are linear: that of 8 bytes is the xor of one entry for each byte and of the CRC of 8 zero bytes. Byte i still
    has 7 - i bytes after it, so its table is the plain one pushed through that many zero bytes.
    """
    plain = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        plain = (plain >> np.uint32(1)) ^ np.where(plain & 1, np.uint32(POLYNOMIAL), np.uint32(0))
    tables = np.empty((LENGTH_BYTES, 256), np.uint32)
    tables[-1] = plain
    for byte in range(LENGTH_BYTES - 2, -1, -1):
        after = tables[byte + 1]
        tables[byte] = (after >> np.uint32(8)) ^ plain[after & 0xFF]
    return tables


@cache
def _compute_zero_length_crc() -> np.uint32:
    """Return the CRC of 8 zero bytes: the initial value seen as the first four bytes, and the final xor."""
    seed = int(np.bitwise_xor.reduce(_build_byte_tables()[:4, 0xFF]))
    crc: np.uint32 = np.uint32(seed ^ 0xFFFFFFFF)
    return crc


@cache
def _build_byte_lists() -> tuple[list[int], ...]:
    """Return the tables for single lengths, for which numpy would take twenty times as long."""
    return tuple(table.tolist() for table in _build_byte_tables())


@cache
def compute_short_length_checksums() -> npt.NDArray[np.uint32]:
    """Return the masked checksum of every length below 2**16, uint32[65536]."""
    tables = _build_byte_tables()
    crc = tables[1][:, None] ^ tables[0][None, :] ^ _compute_zero_length_crc()
    return mask_crcs(crc.reshape(-1))


def compute_length_checksums(lengths: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    """Return the masked checksums of lengths (8 bytes, little-endian in a header), uint64[n] to uint32[n]."""
    tables = _build_byte_tables()
    crc = np.full(len(lengths), _compute_zero_length_crc(), np.uint32)
    longest = int(lengths.max()) if len(lengths) else 0
    for byte in range((longest.bit_length() + 7) // 8):
        crc ^= tables[byte][(lengths >> np.uint64(8 * byte)) & np.uint64(0xFF)]
    return mask_crcs(crc)


def compute_length_checksum(length: int) -> int:
    """Return the masked checksum of one length, 0 <= length < 2**64."""
    crc = int(_compute_zero_length_crc())
    for table in _build_byte_lists():
        crc ^= table[length & 0xFF]
        length >>= 8
    return _mask_crc(crc)


def compute_payload_checksum(payload: bytes) -> int:
    """Return the masked checksum of a payload."""
    return compute_chunked_checksum((payload,))


def compute_payload_checksums(payloads: Iterable[bytes]) -> npt.NDArray[np.uint32]:
    """Return the masked checksums of many payloads, uint32[n]."""
    return mask_crcs(compute_payload_crcs(payloads))


def compute_payload_crcs(payloads: Iterable[bytes]) -> npt.NDArray[np.uint32]:
    """Return the CRCs of many payloads, uint32[n], not masked."""
    import google_crc32c

    return np.fromiter(map(google_crc32c.value, payloads), np.uint32)


def compute_crc_differences(
    words: npt.NDArray[np.uint64], bytes_after: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint32]:
    """Return the xor of the CRCs of two payloads that differ in eight successive bytes.

    Many times faster than the checksum of a payload when all of it but a few bytes is known.

    Args:
        words: The xor of the bytes, as little-endian numbers, uint64[...].
        bytes_after: Number of bytes after the first of the eight in the payloads, int64 of a shape that is broadcast
            to that of `words`; bytes that they do not have are zero.

    Returns:
        uint32[...].
    """
    max_bytes_after = int(bytes_after.max())
    tables = compute_tables_by_distance(1 << max_bytes_after.bit_length())
    differences = np.zeros(words.shape, np.uint32)
    bits = int(np.bitwise_or.reduce(words, axis=None))
    for byte in range(LENGTH_BYTES):
        if bits >> 8 * byte & 0xFF:
            rows = np.maximum(bytes_after - byte, 0) << 8
            values = words.view(np.uint8).reshape(*words.shape, LENGTH_BYTES)[..., byte]
            differences ^= tables.take(rows + values)
    return differences


@cache
def compute_tables_by_distance(max_bytes_after: int) -> npt.NDArray[np.uint32]:
    """Return the CRC contribution of each value of a byte with 0 to n bytes after it, uint32[(n + 1) * 256]."""
    tables = np.empty((max_bytes_after + 1, 256), np.uint32)
    plain = tables[0] = _build_byte_tables()[-1]
    for bytes_after in range(1, max_bytes_after + 1):
        tables[bytes_after] = (tables[bytes_after - 1] >> np.uint32(8)) ^ plain[tables[bytes_after - 1] & 0xFF]
    return tables.reshape(-1)


@cache
def compute_zero_crcs(max_count: int) -> npt.NDArray[np.uint32]:
    """Return the CRC of 0 to n zero bytes, uint32[n + 1], not masked."""
    import google_crc32c

    crcs = np.zeros(max_count + 1, np.uint32)
    crc = 0
    for count in range(1, max_count + 1):
        crc = google_crc32c.extend(crc, b"\0")
        crcs[count] = crc
    return crcs


def compute_chunked_checksum(chunks: Iterable[bytes]) -> int:
    """Return the masked checksum of a payload in pieces, which may be too large to hold."""
    import google_crc32c  # not before something is compared

    crc = 0
    for chunk in chunks:
        crc = google_crc32c.extend(crc, chunk)
    return _mask_crc(crc)


def _mask_crc(crc: int) -> int:
    return (((crc >> 15) | (crc << 17)) + MASK_DELTA) & 0xFFFFFFFF
