"""Format of an index file: facts as JSON and columns of numbers as in memory, under one checksum.

    magic (8 bytes)  version (uint32)  CRC-32 of everything after it (uint32)  length of the head in bytes (uint64)
    head: JSON with the name, dtype and length of every column, padded with spaces to a multiple of 8 bytes
    the columns, little-endian, each padded with zeros to a multiple of 8 bytes

Nothing in it is executable: there is no pickle. A file that does not match to the last byte is rejected.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import asdict, fields
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

import tbtui
from tbtui.events.block import TagInfo, TagSet
from tbtui.frozen import frozen
from tbtui.loading.tag_interning import MAX_SHARED_LISTS, tag_list_of
from tbtui.store.scalar_table import ScalarTable
from tbtui.store.snapshot import Problem
from tbtui.store.staging import REFERENCE_COLUMNS, SCALAR_COLUMNS
from tbtui.tfrecord.reader_state import ReaderState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.store.scalar_table import TagList


MAGIC = b"tbtuiidx"
VERSION = 10
"""Incremented with every change of the contents or of how event files are read: an older index is never used."""

_START = struct.Struct("<8sIIQ")
_ALIGNMENT = 8
_DTYPES = {name: np.dtype(name) for name in ("<i8", "<f8", "<i4", "|u1")}


class IndexContents(NamedTuple):
    """Contents of an index file."""

    head: Mapping[str, Any]
    """JSON part."""

    columns: Mapping[str, npt.NDArray[Any]]
    """One-dimensional columns of int64, float64, int32 or uint8."""


def pack(contents: IndexContents) -> Iterator[bytes | memoryview]:
    """Yield the pieces of an index file.

    Raises:
        KeyError: A column has another dtype.
    """
    import json

    listed, pieces = [], []
    for name, column in contents.columns.items():
        little = np.ascontiguousarray(column, _DTYPES[column.dtype.newbyteorder("<").str])
        listed.append([name, little.dtype.str, len(little)])
        pieces += [little.data.cast("B") if len(little) else b"", b"\0" * (-little.nbytes % _ALIGNMENT)]
    # Paths may hold bytes that are not UTF-8; escaped, they are restored exactly.
    head = json.dumps({"head": contents.head, "columns": listed}, ensure_ascii=True).encode("ascii")
    head += b" " * (-len(head) % _ALIGNMENT)
    crc = 0
    for piece in chain((head,), pieces):
        crc = zlib.crc32(piece, crc)
    yield _START.pack(MAGIC, VERSION, crc, len(head))
    yield head
    yield from pieces


def unpack(data: npt.NDArray[np.uint8]) -> IndexContents | None:
    """Parse the bytes of an index file, uint8[n]; None if it is invalid or of another version.

    Columns are views of the bytes.
    """
    import json

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
        head = json.loads(body[:length].tobytes())
        return IndexContents(head["head"], dict(_iter_columns(head["columns"], body[length:])))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _iter_columns(listed: Any, body: npt.NDArray[np.uint8]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Yield the columns by name.

    Raises:
        ValueError: The columns do not end at the end of the file. Also KeyError, TypeError.
    """
    offset = 0
    for name, dtype, length in listed:
        size = _DTYPES[dtype].itemsize * length
        if length < 0 or offset + size > len(body):
            raise ValueError(name)
        yield name, body[offset : offset + size].view(_DTYPES[dtype])
        offset += size + -size % _ALIGNMENT
    if offset != len(body):
        raise ValueError(offset)


_TAG_FIELDS = tuple(field.name for field in fields(TagInfo))
_SCALARS, _REFERENCES = "scalars", "references"
_PLAIN: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "bool": (bool,),
    "str | None": (str, type(None)),
    "float | None": (float, type(None)),
}
"""Allowed JSON types by annotation."""
_Record = TypeVar("_Record")


@frozen
class FileIndex:
    """Cached content of one event file, and its fingerprint."""

    path: str
    inode: int
    size: int
    """Size in bytes."""

    mtime_ns: int
    ctime_ns: int
    head: str
    """Digest of its first bytes."""

    reader_state: ReaderState
    """Position from which to continue."""

    truncated: bool
    records: int
    writer: str | None
    first_wall_time: float | None
    last_wall_time: float | None
    listed: tuple[Problem, ...]
    """Damage that is listed individually."""

    others: tuple[int, int, int]
    """(number of other damaged ranges, offset of the first, bytes skipped)"""


_FILE_FIELDS = tuple(field.name for field in fields(FileIndex))


@frozen(eq=False)
class RunIndex:
    """Cached content of a run."""

    files: tuple[FileIndex, ...]
    """Files in stream order."""

    whole: bool
    """True if all bytes were read and verified, including large payloads."""

    verified_files: tuple[int, ...]
    """Files in which a payload has matched its checksum, as for `events.decoder.RunDecoder`."""

    tags: TagSet
    """Tags in order of first appearance."""

    scalars: ScalarTable
    """All scalars; its tags are `tags`."""

    references: Mapping[str, tuple[npt.NDArray[Any], ...]]
    """By tag, in order of arrival: columns of `store.staging.REFERENCE_COLUMNS`."""


@lru_cache(MAX_SHARED_LISTS)
def _parse_tags(listed: bytes, contents: bytes) -> TagSet:
    """Return the tags that `index_contents` wrote; the same object for the same bytes, most of the time.

    Raises:
        ValueError: They are invalid. Also KeyError, TypeError.
    """
    import json

    tags = TagSet(tuple(_iter_tags(json.loads(listed), contents)))
    if len(tags.numbers) != len(tags.infos):
        raise ValueError("a tag occurs twice")
    return tags


def index_contents(index: RunIndex) -> IndexContents:
    """Convert an index to the contents of a file."""
    import json

    infos = index.tags.infos
    tags = [{name: getattr(info, name) for name in _TAG_FIELDS} | {"content": len(info.content)} for info in infos]
    head = {
        "by": tbtui.__version__,
        "whole": index.whole,
        "verified_files": index.verified_files,
        "files": list(map(_encode_file, index.files)),
    }
    table = index.scalars
    columns: dict[str, npt.NDArray[Any]] = {
        "tags": np.frombuffer(json.dumps(tags).encode("ascii"), np.uint8),
        "contents": np.frombuffer(b"".join(info.content for info in infos), np.uint8),
        f"{_SCALARS} points": table.counts,
        f"{_SCALARS} files": np.empty(0, np.int32) if table.files is None else table.files,
    }
    for name in SCALAR_COLUMNS:
        columns[f"{_SCALARS} {name}"] = getattr(table, name)
    references = index.references
    columns[f"{_REFERENCES} tags"] = np.array([index.tags.numbers[tag] for tag in references], np.int64)
    columns[f"{_REFERENCES} points"] = np.array([len(each[0]) for each in references.values()], np.int64)
    for number, (name, dtype) in enumerate(REFERENCE_COLUMNS.items()):
        parts = [each[number] for each in references.values()]
        columns[f"{_REFERENCES} {name}"] = np.concatenate(parts) if parts else np.empty(0, dtype)
    return IndexContents(head, columns)


def _encode_file(file: FileIndex) -> dict[str, Any]:
    document = {name: getattr(file, name) for name in _FILE_FIELDS}
    document["reader_state"] = file.reader_state.to_json()
    document["listed"] = [asdict(problem) for problem in file.listed]
    return document


def parse_index(contents: IndexContents) -> RunIndex | None:
    """Convert the contents of a file to an index; None if another version wrote it or it is invalid."""
    try:
        if contents.head["by"] != tbtui.__version__:
            return None
        columns = contents.columns
        tags = _parse_tags(columns["tags"].tobytes(), columns["contents"].tobytes())
        files = tuple(map(_parse_file, contents.head["files"]))
        table = _build_table(contents, tag_list_of(tags), len(files))
        references = dict(_iter_references(contents, tags.infos))
        if any(table.starts[number] != table.starts[number + 1] for number in map(tags.numbers.get, references)):  # type: ignore[operator]
            return None
        if any(not _is_in_files(each, files) for each in references.values()):
            return None
        verified_files = tuple(map(_parse_integer, contents.head["verified_files"]))
        is_whole = contents.head["whole"]
        if not isinstance(is_whole, bool):
            return None
        return RunIndex(files, is_whole, verified_files, tags, table, references)
    except (KeyError, TypeError, ValueError, IndexError):
        return None


def _iter_tags(listed: Sequence[Mapping[str, Any]], contents: bytes) -> Iterator[TagInfo]:
    offset = 0
    for each in listed:
        length = each["content"]
        yield _build(TagInfo, {**each, "content": contents[offset : offset + length]})
        offset += length
    if offset != len(contents):
        raise ValueError(offset)


def _parse_file(each: Mapping[str, Any]) -> FileIndex:
    count, offset, skipped = map(_parse_integer, each["others"])
    listed = tuple(_build(Problem, problem) for problem in each["listed"])
    state = ReaderState.from_json(each["reader_state"])
    if not 0 <= state.offset <= each["size"]:
        raise ValueError(state.offset)
    return _build(FileIndex, {**each, "listed": listed, "others": (count, offset, skipped), "reader_state": state})


def _build(cls: type[_Record], values: Mapping[str, Any]) -> _Record:
    """Build a dataclass from JSON; raise ValueError for a wrong type."""
    for field in fields(cls):  # type: ignore[arg-type]
        types = _PLAIN.get(str(field.type))
        if types is not None and type(values[field.name]) not in types:
            raise ValueError(field.name)
    return cls(**values)


def _parse_integer(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(value)
    return value


def _build_table(contents: IndexContents, tags: TagList, file_count: int) -> ScalarTable:
    """Return the scalars, as views.

    Raises:
        ValueError: They do not match the tags and files. Also KeyError, TypeError.
    """
    counts, files = contents.columns[f"{_SCALARS} points"], contents.columns[f"{_SCALARS} files"]
    if counts.dtype != np.int64 or files.dtype != np.int32 or len(counts) != len(tags) or (counts < 0).any():
        raise ValueError(_SCALARS)
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    columns = [contents.columns[f"{_SCALARS} {name}"] for name in SCALAR_COLUMNS]
    if any(column.dtype != dtype for column, dtype in zip(columns, SCALAR_COLUMNS.values(), strict=True)):
        raise ValueError(_SCALARS)
    if any(len(column) != starts[-1] for column in columns) or len(files) not in {0, starts[-1]}:
        raise ValueError(_SCALARS)
    if len(files) and (files.min() < 0 or files.max() >= file_count):
        raise ValueError(_SCALARS)
    steps, wall_times, values = columns
    return ScalarTable(tags, starts, steps, wall_times, values, files if len(files) else None)


def _iter_references(
    contents: IndexContents, infos: tuple[TagInfo, ...]
) -> Iterator[tuple[str, tuple[npt.NDArray[Any], ...]]]:
    """Yield the columns of each tag, as views."""
    numbers, lengths = contents.columns[f"{_REFERENCES} tags"], contents.columns[f"{_REFERENCES} points"]
    columns = [contents.columns[f"{_REFERENCES} {name}"] for name in REFERENCE_COLUMNS]
    wrong = [column.dtype != dtype for column, dtype in zip(columns, REFERENCE_COLUMNS.values(), strict=True)]
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    if any(wrong) or len(numbers) != len(lengths) or (lengths < 0).any() or (numbers < 0).any():
        raise ValueError(_REFERENCES)
    if any(len(column) != total for column in columns) or len(set(numbers.tolist())) != len(numbers):
        raise ValueError(_REFERENCES)
    for number, length, end in zip(numbers.tolist(), lengths.tolist(), ends.tolist(), strict=True):
        yield infos[number].tag, tuple(column[end - length : end] for column in columns)


def _is_in_files(columns: tuple[npt.NDArray[Any], ...], files: tuple[FileIndex, ...]) -> bool:
    """Return True if every value is in one of the files, within the part that was read."""
    named = dict(zip(REFERENCE_COLUMNS, columns, strict=True))
    numbers, offsets, lengths = named["files"], named["offsets"], named["lengths"]
    if not len(numbers):
        return True
    if numbers.min() < 0 or numbers.max() >= len(files) or offsets.min() < 0 or lengths.min() < 0:
        return False
    read = np.array([file.reader_state.offset for file in files], np.int64)
    return bool((offsets <= read[numbers] - lengths).all())
