"""Read matrices from HDF5 files as Keras 3 writes weights (`*.weights.h5`), without the HDF5 library.

Only the forms that h5py writes by default are read: superblock 0, groups as B-trees of symbol tables, contiguous
little-endian numbers without filters. Format: "HDF5 File Format Specification Version 3.0", The HDF Group; the section
of each structure is named in its comment. A file of another form is refused by name.
"""

from __future__ import annotations

import struct
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

SIGNATURE = b"\x89HDF\r\n\x1a\n"
MAX_FILE_BYTES = 2 << 30
MAX_DEPTH = 32
MAX_OBJECTS = 100_000
UNDEFINED_ADDRESS = (1 << 64) - 1

DATASPACE, DATATYPE, LAYOUT, FILTERS, CONTINUATION, SYMBOL_TABLE = 0x01, 0x03, 0x08, 0x0B, 0x10, 0x11
"""Types of messages in the header of an object (section IV.A.2)."""


class Hdf5Error(Exception):
    """The file cannot be read.

    The text is the rest of a sentence, `is damaged: …`, whose subject is the name of the file.
    """


class Dataset(NamedTuple):
    """An array in the file."""

    name: str
    """Path of groups: `layers/embedding/vars/0`."""

    shape: tuple[int, ...]
    values: npt.NDArray[Any]


def read_datasets(path: str) -> list[Dataset]:
    """Return all arrays of numbers in a file, in the order of the groups.

    Raises:
        Hdf5Error: The file is damaged, or has a form that is not read.
        OSError: It cannot be read.
    """
    with open_file(path) as file:
        if file.size > MAX_FILE_BYTES:
            raise Hdf5Error(f"has {file.size:,} bytes; at most {MAX_FILE_BYTES:,} are read")
        data = file.read(0, file.size).tobytes()
    try:
        return list(_File(data).iter_datasets())
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise Hdf5Error("is damaged: a structure points past its end") from error


class _File:
    """The bytes of a file, all of it in memory: weights of a model's embeddings are read once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        if not data.startswith(SIGNATURE):
            raise Hdf5Error("is not an HDF5 file")
        if data[8] != 0:  # section II.A
            raise Hdf5Error(f"has the superblock of version {data[8]}, which is not read")
        if data[13:15] != b"\x08\x08":
            raise Hdf5Error("has offsets or lengths of a size that is not read")
        self._object_count = 0

    def iter_datasets(self) -> Iterator[Dataset]:
        """Yield the arrays below the root group, whose symbol table entry begins at byte 56 (section II.A)."""
        (header,) = struct.unpack_from("<Q", self._data, 64)
        yield from self._iter_object(header, "", 0)

    def _iter_object(self, address: int, name: str, depth: int) -> Iterator[Dataset]:
        """Yield the arrays of an object: those below a group, or the array itself."""
        self._object_count += 1
        if depth > MAX_DEPTH or self._object_count > MAX_OBJECTS:
            raise Hdf5Error("has too many groups, or groups within themselves")
        messages = self._read_messages(address)
        if SYMBOL_TABLE in messages:
            tree, heap = struct.unpack_from("<QQ", messages[SYMBOL_TABLE])  # section IV.A.2.r
            (names,) = struct.unpack_from("<Q", self._data, heap + 24)  # local heap, section III.D
            for label, child in self._iter_entries(tree, names, 0):
                yield from self._iter_object(child, f"{name}/{label}" if name else label, depth + 1)
        elif DATASPACE in messages and DATATYPE in messages and LAYOUT in messages:
            values = self._read_array(messages)
            if values is not None:
                yield Dataset(name, values.shape, values)

    def _read_messages(self, address: int) -> dict[int, bytes]:
        """Return the messages of an object header of version 1 by type (section IV.A.1.a)."""
        if self._data[address] != 1:
            raise Hdf5Error(f"has an object header of version {self._data[address]}, which is not read")
        (size,) = struct.unpack_from("<I", self._data, address + 8)
        blocks = [(address + 16, size)]
        messages: dict[int, bytes] = {}
        for begin, length in blocks:
            offset, end = begin, begin + length
            while offset + 8 <= end:
                kind, size = struct.unpack_from("<HH", self._data, offset)
                content = self._data[offset + 8 : offset + 8 + size]
                offset += 8 + size
                if kind == CONTINUATION:
                    block_address, block_size = struct.unpack_from("<QQ", content)
                    if len(blocks) < MAX_DEPTH:
                        blocks.append((block_address, block_size))
                else:
                    messages.setdefault(kind, content)
        return messages

    def _iter_entries(self, address: int, names: int, depth: int) -> Iterator[tuple[str, int]]:
        """Yield names and headers of the members of a group: a B-tree of nodes of symbols (sections III.A, III.B)."""
        signature = self._data[address : address + 4]
        if signature == b"SNOD":
            (count,) = struct.unpack_from("<H", self._data, address + 6)
            for index in range(count):
                label, header = struct.unpack_from("<QQ", self._data, address + 8 + 40 * index)
                begin = names + label
                yield self._data[begin : self._data.index(b"\0", begin)].decode("utf-8", "replace"), header
        elif signature == b"TREE" and depth < MAX_DEPTH:
            (count,) = struct.unpack_from("<H", self._data, address + 6)
            for index in range(count):
                (child,) = struct.unpack_from("<Q", self._data, address + 32 + 16 * index)
                yield from self._iter_entries(child, names, depth + 1)
        else:
            raise Hdf5Error("is damaged: a group has no members")

    def _read_array(self, messages: dict[int, bytes]) -> npt.NDArray[Any] | None:
        """Return a contiguous array of numbers; None for one of another type."""
        stored = _parse_dtype(messages[DATATYPE])
        if stored is None:
            return None
        space = messages[DATASPACE]  # section IV.A.2.b
        begin = 8 if space[0] == 1 else 4
        shape = struct.unpack_from(f"<{space[1]}Q", space, begin)
        layout = messages[LAYOUT]  # section IV.A.2.i
        if layout[0] != 3 or layout[1] != 1 or FILTERS in messages:
            raise Hdf5Error("has an array in chunks or compressed, which is not read")
        address, size = struct.unpack_from("<QQ", layout, 2)
        if address == UNDEFINED_ADDRESS:
            return np.zeros(shape, stored) if prod(shape) * stored.itemsize <= len(self._data) else None
        if prod(shape) * stored.itemsize != size or address + size > len(self._data):
            raise Hdf5Error("is damaged: an array is cut short")
        return np.frombuffer(self._data, stored, prod(shape), address).reshape(shape)


def _parse_dtype(message: bytes) -> np.dtype[Any] | None:
    """Return the type of numbers of a datatype message (section IV.A.2.d); None for texts and structures."""
    kind, order, size = message[0] & 0x0F, message[1] & 1, struct.unpack_from("<I", message, 4)[0]
    sign = "<" if order == 0 else ">"
    if kind == 1 and size in (2, 4, 8):
        return np.dtype(f"{sign}f{size}")
    if kind == 0 and size in (1, 2, 4, 8):
        return np.dtype(f"{sign}{'i' if message[1] & 8 else 'u'}{size}")
    return None
