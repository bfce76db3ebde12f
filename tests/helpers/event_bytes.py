"""Make events, and bytes that are almost events."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import get_message_class
from tbtui.tfrecord.framing import RecordBlock, frame_record, read_frames

if TYPE_CHECKING:
    from collections.abc import Sequence


def block_of(payloads: Sequence[bytes], base: int = 0) -> RecordBlock:
    data = np.frombuffer(b"".join(map(frame_record, payloads)), np.uint8)
    frames = read_frames(data)
    assert len(frames.starts) == len(payloads)
    return RecordBlock(data, frames.starts, frames.lengths, base + frames.starts, (), at_end=True, truncated=False)


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, content: bytes | float) -> bytes:
    """A field on the wire: bytes are length-delimited, an int is a varint, a float 32 bits."""
    if isinstance(content, bytes):
        return varint(number << 3 | 2) + varint(len(content)) + content
    if isinstance(content, float):
        return varint(number << 3 | 5) + struct.pack("<f", content)
    return varint(number << 3) + varint(content)


def double(number: int, content: float) -> bytes:
    return varint(number << 3 | 1) + struct.pack("<d", content)


def event(*values: bytes, step: int | None = 0, wall_time: float = 1.5e9) -> bytes:
    """An event that holds serialized summary values; `step` None leaves the field out, 0 writes it."""
    head = double(1, wall_time) + (b"" if step is None else field(2, step))
    return head + field(5, b"".join(field(1, value) for value in values))


def simple(tag: str, number: float) -> bytes:
    return field(1, tag.encode()) + field(2, float(number))


def image(tag: str, content: bytes) -> bytes:
    return field(1, tag.encode()) + field(4, field(4, content))


def metadata(plugin: str, content: bytes = b"") -> bytes:
    return field(9, field(1, field(1, plugin.encode()) + (field(2, content) if content else b"")))


def tensor_value(tag: str, tensor: Any, plugin: str | None = None) -> bytes:
    return field(1, tag.encode()) + field(8, tensor.SerializeToString()) + (metadata(plugin) if plugin else b"")


def tensor(dtype: int, shape: Sequence[int] | None = (), **fields: Any) -> Any:
    built = get_message_class("TensorProto")(dtype=dtype, **fields)
    if shape is not None:
        built.tensor_shape.SetInParent()
        for size in shape:
            built.tensor_shape.dim.add(size=size)
    return built
