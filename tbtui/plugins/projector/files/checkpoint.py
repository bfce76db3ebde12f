"""Read tensors from TensorFlow checkpoints without TensorFlow: V2 bundles of TensorFlow 1 and 2, and V1 files.

A V2 bundle is `PREFIX.index`, a table from names to positions, and `PREFIX.data-SSSSS-of-NNNNN`, the raw values. A V1
checkpoint is one table that also holds the values. Formats: TensorFlow `tensor_bundle.proto`,
`saved_tensor_slice.proto`, `tensor_slice_reader.cc` and `ordered_code.cc`. Compared with TensorFlow's reader on 661
tensors: all bytes are equal.
"""

from __future__ import annotations

import re
import struct
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tbtui.events.event_prefix import read_varint
from tbtui.frozen import frozen
from tbtui.plugins.projector.files.checkpoint_table import CheckpointError, read_table
from tbtui.tfrecord.checksum import compute_payload_checksum
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

STRING, BFLOAT16 = 7, 14
DTYPES = {
    1: "<f4", 2: "<f8", 3: "<i4", 4: "u1", 5: "<i2", 6: "i1", 8: "<c8", 9: "<i8", 10: "?", 11: "i1", 12: "u1",
    13: "<i4", 15: "<i2", 16: "<u2", 17: "<u2", 18: "<c16", 19: "<f2", 22: "<u4", 23: "<u8",
}  # fmt: skip
"""Types of numpy by TensorFlow's `DataType`."""

DRAWABLE = frozenset(DTYPES) - {8, 18} | {BFLOAT16}
"""Types that can be points: neither texts nor complex numbers."""

NAMES = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string", 8: "complex64", 9: "int64",
    10: "bool", 11: "qint8", 12: "quint8", 13: "qint32", 14: "bfloat16", 15: "qint16", 16: "quint16", 17: "uint16",
    18: "complex128", 19: "float16", 22: "uint32", 23: "uint64",
}  # fmt: skip

MAX_VALUE_BYTES = 2 << 30
STATE_NAME = "checkpoint"
MAX_STATE_BYTES = 1 << 20

_SLOTS = re.compile(
    r"/\.OPTIMIZER_SLOT/|(?:^|/)optimizer/_(?:trainable_)?variables/|/(?:Adam(?:_\d+)?|Momentum|Adagrad|RMSProp(?:_\d+)?|Ftrl(?:_\d+)?)(?:$|/)"
)


class Slice(NamedTuple):
    """Part of one dimension; a length below 0 means all of it."""

    start: int
    length: int


@frozen
class Entry:
    """Position and type of one tensor, or of a part of one."""

    name: str
    dtype: int
    shape: tuple[int, ...]
    shard: int = 0
    offset: int = 0
    size: int = 0
    checksum: int | None = None
    slices: tuple[tuple[Slice, ...], ...] = ()
    """Parts in which a partitioned variable is stored."""

    @property
    def type_name(self) -> str:
        """Name of the type, as in TensorFlow."""
        return NAMES.get(self.dtype, f"type {self.dtype}")

    @property
    def is_matrix(self) -> bool:
        """Return True if the tensor can be drawn: two dimensions, both above 1, of numbers."""
        return len(self.shape) == 2 and min(self.shape) > 1 and self.dtype in DRAWABLE

    @property
    def is_slot(self) -> bool:
        """Return True if the name is one of an optimiser's variables, which are no embeddings."""
        return _SLOTS.search(self.name) is not None


class Checkpoint:
    """One checkpoint, whose index is read.

    Args:
        prefix: Path without `.index`; of a V1 checkpoint the path of the file.

    Raises:
        CheckpointError: The index is damaged.
        OSError: It cannot be read.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.is_v2 = Path(f"{prefix}.index").is_file()
        self._widgets: dict[bytes, Entry] = {}
        self._values: dict[str, list[tuple[tuple[Slice, ...], bytes]]] = {}
        self._shards = 1
        self._is_big_endian = False
        self.entries: dict[str, Entry] = {}
        """All tensors by name."""
        try:
            if self.is_v2:
                self._read_index()
            else:
                self._read_slices()
        except (IndexError, struct.error, OverflowError) as error:
            raise CheckpointError("is damaged: a message in it is cut short") from error

    def read(self, name: str) -> npt.NDArray[Any]:
        """Return the values of a tensor.

        Raises:
            CheckpointError: There is no such tensor, or it is damaged.
            OSError: The values cannot be read.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise CheckpointError(f"has no tensor {name}")
        if any(size < 0 for size in entry.shape):
            raise CheckpointError("is damaged: a tensor has a negative size")
        if prod(entry.shape) * _count_value_bytes(entry.dtype) > MAX_VALUE_BYTES:
            raise CheckpointError(f"has more than {MAX_VALUE_BYTES:,} bytes in the tensor {name}")
        try:
            return self._read_v2(entry) if self.is_v2 else self._read_v1(entry)
        except (IndexError, ValueError, struct.error, OverflowError) as error:
            raise CheckpointError("is damaged: the values do not fit the shape of the tensor") from error

    # V2

    def _read_index(self) -> None:
        for key, value in read_table(f"{self.prefix}.index"):
            if not key:
                header = {number: content for number, _, content in _iter_fields(value)}
                self._shards, self._is_big_endian = int(header.get(1, 1)), header.get(2, 0) == 1
                continue
            name = key.decode("utf-8", "replace")
            entry = _decode_bundle_entry(name, value)
            self._widgets[key] = entry
            if not key.startswith(b"\0"):
                self.entries[name] = entry

    def _read_v2(self, entry: Entry) -> npt.NDArray[Any]:
        if not entry.slices:
            return self._read_array(entry)
        values = np.empty(entry.shape, _choose_numpy_type(entry.dtype))
        filled = 0
        for extents in entry.slices:
            part = self._widgets.get(encode_slice_key(entry.name, extents))
            if part is None:
                raise CheckpointError(f"lacks a part of the partitioned variable {entry.name}")
            area = values[_to_area(extents)]
            area[...] = self._read_array(part).reshape(area.shape)
            filled += area.size
        if filled < values.size:
            raise CheckpointError(f"lacks a part of the partitioned variable {entry.name}")
        return values

    def _read_array(self, entry: Entry) -> npt.NDArray[Any]:
        data = self._read_bytes(entry)
        if entry.dtype == STRING:
            return _decode_strings(data, entry.shape)
        return _decode_array(data, entry.dtype, entry.shape, is_big_endian=self._is_big_endian)

    def _read_bytes(self, entry: Entry) -> bytes:
        path = f"{self.prefix}.data-{entry.shard:05d}-of-{self._shards:05d}"
        with open_file(path) as file:
            if entry.offset + entry.size > file.size:
                raise CheckpointError(
                    f"is cut short: {Path(path).name} has {file.size:,} bytes, {entry.name} ends at "
                    f"{entry.offset + entry.size:,}"
                )
            data = file.read(entry.offset, entry.size).tobytes()
        if entry.checksum is not None and entry.dtype != STRING and compute_payload_checksum(data) != entry.checksum:
            raise CheckpointError(f"is damaged: {entry.name} does not match its checksum")
        return data

    # V1

    def _read_slices(self) -> None:
        for key, value in read_table(self.prefix):
            for number, _, content in _iter_fields(value):
                if number == 1 and not key:
                    for kind, _, tensor in _iter_fields(content):
                        if kind == 1:
                            entry = _decode_v1_entry(tensor)
                            self.entries[entry.name] = entry
                elif number == 2:
                    part = {kind: inner for kind, _, inner in _iter_fields(content)}
                    name = bytes(part.get(1, b"")).decode("utf-8", "replace")
                    extents = _parse_slices(part[2]) if 2 in part else ()
                    self._values.setdefault(name, []).append((extents, bytes(part.get(3, b""))))

    def _read_v1(self, entry: Entry) -> npt.NDArray[Any]:
        parts = self._values.get(entry.name, [])
        if entry.dtype == STRING:
            raise CheckpointError("of the old form has texts, which are not read")
        values = np.zeros(entry.shape, _choose_numpy_type(entry.dtype))
        filled = 0
        for extents, data in parts:
            area = values[_to_area(extents)]
            area[...] = _decode_tensor(data, entry.dtype).reshape(area.shape)
            filled += area.size
        if filled < values.size:
            raise CheckpointError(f"lacks values of {entry.name}")
        return values


def _choose_numpy_type(dtype: int) -> str:
    if dtype == BFLOAT16:
        return "<f4"
    if dtype == STRING:
        return "O"
    if dtype not in DTYPES:
        raise CheckpointError(f"has a tensor of the unknown type {dtype}")
    return DTYPES[dtype]


def _count_value_bytes(dtype: int) -> int:
    return np.dtype(_choose_numpy_type(dtype)).itemsize


def _decode_array(data: bytes, dtype: int, shape: Sequence[int], *, is_big_endian: bool = False) -> npt.NDArray[Any]:
    order: Literal["<", ">"] = ">" if is_big_endian else "<"
    if dtype == BFLOAT16:
        halves = np.frombuffer(data, f"{order}u2").astype(np.uint32)
        return (halves << 16).view(np.float32).reshape(shape)
    stored = np.dtype(_choose_numpy_type(dtype)).newbyteorder(order)
    return np.frombuffer(data, stored).astype(stored.newbyteorder("="), copy=False).reshape(shape)


def _decode_strings(data: bytes, shape: Sequence[int]) -> npt.NDArray[Any]:
    """Return texts: their lengths as variable-length numbers, a checksum of these, then the bytes."""
    count, offset = prod(shape), 0
    if count > len(data):
        raise CheckpointError("is damaged: it has more texts than bytes")
    lengths = []
    for _ in range(count):
        length, offset = read_varint(data, offset)
        lengths.append(length)
    offset += 4
    texts = np.empty(count, object)
    for index, length in enumerate(lengths):
        texts[index] = data[offset : offset + length]
        offset += length
    if offset > len(data):
        raise CheckpointError("is damaged: its texts are cut short")
    return texts.reshape(shape)


def _decode_tensor(data: bytes, dtype: int) -> npt.NDArray[Any]:
    """Return the values of a TensorProto whose shape is known elsewhere."""
    fields = {number: content for number, _, content in _iter_fields(data)}
    stored = np.dtype(_choose_numpy_type(dtype))
    if 4 in fields:
        return _decode_array(fields[4], dtype, (-1,))
    if 5 in fields:
        return np.frombuffer(fields[5], "<f4").astype(stored)
    if 6 in fields:
        return np.frombuffer(fields[6], "<f8").astype(stored)
    packed = next((bytes(fields[number]) for number in (7, 10, 11, 13, 16, 17) if number in fields), b"")
    values, offset = [], 0
    while offset < len(packed):
        value, offset = read_varint(packed, offset)
        values.append(value - (1 << 64) if value >> 63 else value)
    if 13 in fields:  # half_val holds the bits of float16 or bfloat16
        bits = np.array(values, np.uint16)
        return (bits.astype(np.uint32) << 16).view(np.float32) if dtype == BFLOAT16 else bits.view(np.float16)
    return np.array(values).astype(stored)


# Protobuf messages


def _iter_fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """Yield number, wire type and content of the fields of a message."""
    offset = 0
    while offset < len(data):
        key, offset = read_varint(data, offset)
        wire = key & 7
        content: Any
        if wire == 0:
            content, offset = read_varint(data, offset)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            content = data[offset : offset + size]
            offset += size
        elif wire == 2:
            size, offset = read_varint(data, offset)
            content = data[offset : offset + size]
            offset += size
        else:
            raise CheckpointError(f"is damaged: a message has the unknown wire type {wire}")
        if offset > len(data):
            raise CheckpointError("is damaged: a message is cut short")
        yield key >> 3, wire, content


def _to_signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _parse_shape(data: bytes) -> tuple[int, ...]:
    dimensions = []
    for number, _, content in _iter_fields(data):
        if number == 2:
            sizes = {inner: value for inner, _, value in _iter_fields(content)}
            dimensions.append(_to_signed(sizes.get(1, 0)))
    return tuple(dimensions)


def _parse_slices(data: bytes) -> tuple[Slice, ...]:
    """Return the extents of a TensorSliceProto; one without length is all of its dimension."""
    extents = []
    for number, _, content in _iter_fields(data):
        if number == 1:
            fields = {inner: value for inner, _, value in _iter_fields(content)}
            extents.append(Slice(fields.get(1, 0), fields.get(2, -1)))
    return tuple(extents)


def _decode_bundle_entry(name: str, data: bytes) -> Entry:
    """Return a BundleEntryProto."""
    fields: dict[int, Any] = {}
    slices = []
    for number, _, content in _iter_fields(data):
        if number == 7:
            slices.append(_parse_slices(content))
        else:
            fields[number] = content
    checksum = struct.unpack("<I", fields[6])[0] if 6 in fields else None
    return Entry(
        name,
        fields.get(1, 0),
        _parse_shape(fields.get(2, b"")),
        fields.get(3, 0),
        fields.get(4, 0),
        fields.get(5, 0),
        checksum,
        tuple(slices),
    )


def _decode_v1_entry(data: bytes) -> Entry:
    """Return a SavedSliceMeta."""
    fields = {number: content for number, _, content in _iter_fields(data)}
    name = bytes(fields.get(1, b"")).decode("utf-8", "replace")
    return Entry(name, fields.get(3, 0), _parse_shape(fields.get(2, b"")))


def _to_area(extents: Sequence[Slice]) -> tuple[slice, ...]:
    return tuple(slice(start, None if length < 0 else start + length) for start, length in extents)


# Keys of the parts of partitioned variables


def encode_slice_key(name: str, extents: Sequence[Slice]) -> bytes:
    """Return the key of a part: a zero, the name, the number of dimensions, and start and length of each."""
    key = _encode_ordered_number(0) + _encode_ordered_text(name.encode()) + _encode_ordered_number(len(extents))
    return key + b"".join(_encode_ordered_signed(start) + _encode_ordered_signed(length) for start, length in extents)


def _encode_ordered_number(number: int) -> bytes:
    size = (number.bit_length() + 7) // 8
    return bytes([size]) + number.to_bytes(size, "big")


def _encode_ordered_text(text: bytes) -> bytes:
    return re.sub(rb"[\x00\xff]", lambda match: match[0] + bytes([match[0][0] ^ 0xFF]), text) + b"\x00\x01"


def _encode_ordered_signed(number: int) -> bytes:
    """Return a signed number: one byte from -64 to 63, else its number of bytes as leading ones (zeros if negative)."""
    if -64 <= number < 64:
        return bytes([(number ^ 0x80) & 0xFF])
    size = 2
    while not -(1 << (7 * size - 1)) <= number < (1 << (7 * size - 1)):
        size += 1
    if number < 0:
        return (number & ((1 << (7 * size)) - 1)).to_bytes(size, "big")
    ones = ((1 << size) - 1) << (7 * size)
    return (number | ones).to_bytes(size, "big")


# State files


@frozen
class SavedState:
    """The state file of a directory: its checkpoints in the order of saving, with paths as in the file."""

    paths: tuple[str, ...]
    latest: str = ""


_STATE_LINE = re.compile(
    r'^\s*(all_model_checkpoint_paths|model_checkpoint_path)\s*:\s*"((?:[^"\\]|\\.)*)"', re.MULTILINE
)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")


def read_state(directory: str) -> SavedState | None:
    """Return the checkpoints that `checkpoint` in a directory lists; None if there is no such file."""
    path = str(Path(directory) / STATE_NAME)
    try:
        with open_file(path) as file:
            text = file.read(0, MAX_STATE_BYTES).tobytes().decode("utf-8", "replace")
    except OSError:
        return None
    values: dict[str, list[str]] = {}
    for key, value in _STATE_LINE.findall(text):
        values.setdefault(key, []).append(_ESCAPE.sub(_unescape, value))
    latest = values.get("model_checkpoint_path", [""])[-1]
    paths = values.get("all_model_checkpoint_paths", [])
    if not paths and not latest:
        return None
    return SavedState(tuple(dict.fromkeys([*paths, *([latest] if latest else [])])), latest)


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return {"n": "\n", "t": "\t", "r": "\r"}.get(code, code)


def parse_checkpoint_step(prefix: str) -> int | None:
    """Return the step in the name of a checkpoint, the number after the last `-`."""
    match = re.search(r"-(\d+)$", prefix)
    return int(match[1]) if match else None
