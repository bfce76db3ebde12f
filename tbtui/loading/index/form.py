"""The form of an index file: a few words as JSON and columns of numbers as they lie in memory, under one checksum.

    magic (8 bytes)  version (uint32)  CRC-32 of all that follows (uint32)  bytes of the head (uint64)
    head: JSON, with the name, dtype and length of every column, filled up with spaces to a multiple of 8 bytes
    the columns, little-endian, each filled up with zeros to a multiple of 8 bytes

Nothing in it can run: there is no pickle, and what does not fit to the last byte is not an index.
"""

from __future__ import annotations

import json
import struct
import zlib
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

MAGIC = b"tbtuiidx"
VERSION = 6
"""Another one for every change of what is kept, or of what is read from event files: an index never outlives it."""

_START = struct.Struct("<8sIIQ")
_ALIGNMENT = 8
_DTYPES = {name: np.dtype(name) for name in ("<i8", "<f8", "<i4", "|u1")}


class Kept(NamedTuple):
    """What an index file holds."""

    head: Mapping[str, Any]
    """What JSON can say."""

    columns: Mapping[str, npt.NDArray[Any]]
    """One-dimensional, of int64, float64, int32 or uint8."""


def packed(kept: Kept) -> Iterator[bytes | memoryview]:
    """The pieces of an index file, one after the other.

    Raises:
        KeyError: A column is of another dtype.
    """
    listed, pieces = [], []
    for name, column in kept.columns.items():
        little = np.ascontiguousarray(column, _DTYPES[column.dtype.newbyteorder("<").str])
        listed.append([name, little.dtype.str, len(little)])
        pieces += [little.data.cast("B") if len(little) else b"", b"\0" * (-little.nbytes % _ALIGNMENT)]
    # Paths may hold bytes that are no text; escaped, they come back as they were.
    words = json.dumps({"head": kept.head, "columns": listed}, ensure_ascii=True).encode("ascii")
    words += b" " * (-len(words) % _ALIGNMENT)
    crc = 0
    for piece in chain((words,), pieces):
        crc = zlib.crc32(piece, crc)
    yield _START.pack(MAGIC, VERSION, crc, len(words))
    yield words
    yield from pieces


def unpacked(data: npt.NDArray[np.uint8]) -> Kept | None:
    """What the bytes of an index file hold, uint8[n]; None when they are not one of this version, whole and unchanged.

    Columns are views of the bytes.
    """
    if len(data) < _START.size:
        return None
    magic, version, crc, length = _START.unpack(data[: _START.size].tobytes())
    body = data[_START.size :]
    if (
        (magic, version) != (MAGIC, VERSION)
        or length > len(body)
        or length % _ALIGNMENT
        or zlib.crc32(body.data) != crc
    ):
        return None
    try:
        words = json.loads(body[:length].tobytes())
        return Kept(words["head"], dict(_columns(words["columns"], body[length:])))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _columns(listed: Any, body: npt.NDArray[np.uint8]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """The columns, by name.

    Raises:
        ValueError: They do not end where the file ends. Also KeyError, TypeError.
    """
    at = 0
    for name, dtype, length in listed:
        size = _DTYPES[dtype].itemsize * length
        if length < 0 or at + size > len(body):
            raise ValueError(name)
        yield name, body[at : at + size].view(_DTYPES[dtype])
        at += size + -size % _ALIGNMENT
    if at != len(body):
        raise ValueError(at)
