"""Read a large event without the contents of its values.

The contents of images, sounds, histograms, tensors and graphs are read when they are header. The decoder needs the
step, the tags, the kind of each value and its metadata. On the wire these surround the contents, and the lengths of the
contents tell how many bytes to skip. An event in a layout that no writer uses is read whole.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from tbtui.events.scalar_layout import UnsupportedLayout, read_varint
from tbtui.events.schema import PARSE_ERRORS, get_message_class
from tbtui.events.tensors import NON_REAL_TYPES
from tbtui.events.wire import BYTES, FIXED32, FIXED64, VARINT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.tfrecord.partial_records import LongPayload

_WALL_TIME, _STEP, _GRAPH, _SUMMARY, _META_GRAPH = 1, 2, 4, 5, 9
_VALUE = 1
_SIMPLE_VALUE, _OLD_HISTOGRAM, _IMAGE, _HISTO, _AUDIO, _TENSOR = 2, 3, 4, 5, 6, 8
_CONTENTS = {_SIMPLE_VALUE, _OLD_HISTOGRAM, _IMAGE, _HISTO, _AUDIO, _TENSOR}
_MAX_FIELD_BYTES = 4096
"""Longer fields are contents; shorter ones are copied."""
_MAX_PARTIAL_BYTES = 1 << 14
"""Maximum size of a partial event; an event with more bytes outside its contents is read whole."""
_MAX_FIELDS = 1000
"""Maximum number of fields, each of which may cost a read; an event with more is read whole in less time."""
_CONTINUATION = 0x80
"""The bit of a varint's byte that announces another byte."""
_KEY_BYTES = 20
"""Maximum size of a key and a length."""


class _Field(NamedTuple):
    number: int
    wire: int
    key: int
    """Byte offset where the field begins."""

    begin: int
    """Byte offset where its content begins."""

    end: int


def read_partial_event(payload: LongPayload) -> bytes | None:
    """Return an event without the long contents of its values.

    Args:
        payload: A serialized `Event`.

    Returns:
        A serialized `Event`; None if the payload must be read whole.
    """
    try:
        partial = _PartialEvent(payload).copy_event()
        get_message_class("Event").FromString(partial)
    except (UnsupportedLayout, *PARSE_ERRORS):
        return None
    return partial


class _PartialEvent:
    """Copies the short fields of one large event."""

    def __init__(self, payload: LongPayload) -> None:
        self._payload = payload
        self._fields_left = _MAX_FIELDS
        self._bytes_left = _MAX_PARTIAL_BYTES

    def copy_event(self) -> bytes:
        """Return the partial event.

        Raises:
            UnsupportedLayout: The event must be read whole.
        """
        copied = b""
        contents = 0
        for field in self._iter_fields(0, self._payload.length):
            if field.number in {_SUMMARY, _GRAPH, _META_GRAPH} and field.wire == BYTES:
                contents += 1
                copied += _encode_field(field.number, self._copy_summary(field) if field.number == _SUMMARY else b"")
            elif field.number in {_WALL_TIME, _STEP}:
                copied += self._copy(field)
            else:
                raise UnsupportedLayout
        if contents != 1:
            raise UnsupportedLayout
        return copied

    def _copy_summary(self, summary: _Field) -> bytes:
        copied = []
        for field in self._iter_fields(summary.begin, summary.end):
            if field.number != _VALUE or field.wire != BYTES:
                raise UnsupportedLayout
            copied.append(self._copy(field) if _is_short(field) else _encode_field(_VALUE, self._copy_value(field)))
        return b"".join(copied)

    def _copy_value(self, value: _Field) -> bytes:
        copied = b""
        contents = 0
        for field in self._iter_fields(value.begin, value.end):
            contents += field.number in _CONTENTS
            if contents > 1:
                raise UnsupportedLayout
            if _is_short(field):
                copied += self._copy(field)
            elif field.number == _TENSOR:
                copied += _encode_field(_TENSOR, self._copy_tensor(field))
            elif field.number in {_IMAGE, _HISTO, _AUDIO}:
                copied += _encode_field(field.number, b"")
            else:
                raise UnsupportedLayout
        return copied

    def _copy_tensor(self, tensor: _Field) -> bytes:
        """Return the short fields of a tensor: its type and shape. Refuse a tensor that may be a single number."""
        copied = b"".join(
            self._copy(field) for field in self._iter_fields(tensor.begin, tensor.end) if _is_short(field)
        )
        header = get_message_class("TensorProto").FromString(copied)
        if header.dtype % 100 not in NON_REAL_TYPES and math.prod(dim.size for dim in header.tensor_shape.dim) == 1:
            raise UnsupportedLayout
        return copied

    def _copy(self, field: _Field) -> bytes:
        self._bytes_left -= field.end - field.key
        if not _is_short(field) or self._bytes_left < 0:
            raise UnsupportedLayout
        return self._payload.read(field.key, field.end - field.key)

    def _iter_fields(self, begin: int, end: int) -> Iterator[_Field]:
        """Yield the fields of the message in `[begin, end)` of the payload."""
        read = self._payload.read
        while begin < end:
            self._fields_left -= 1
            if self._fields_left < 0:
                raise UnsupportedLayout
            head = read(begin, min(_KEY_BYTES, end - begin))
            key, position = head[0], 1
            if key >= _CONTINUATION:
                key, position = read_varint(head, 0, len(head))
            wire = key & 7
            if wire == VARINT:
                size = read_varint(head, position, len(head))[1] - position
            elif wire == BYTES:
                size, position = read_varint(head, position, len(head))
            elif wire in {FIXED32, FIXED64}:
                size = 4 if wire == FIXED32 else 8
            else:
                raise UnsupportedLayout
            stop = begin + position + size
            if stop > end:
                raise UnsupportedLayout
            yield _Field(key >> 3, wire, begin, begin + position, stop)
            begin = stop


def _is_short(field: _Field) -> bool:
    return field.end - field.begin <= _MAX_FIELD_BYTES


def _encode_field(number: int, content: bytes) -> bytes:
    """Return a field as it is written; `number` below 16, `content` shorter than 2**21 bytes."""
    size = len(content)
    length = [size & 0x7F | (0x80 if size >> 7 else 0)]
    while size := size >> 7:
        length.append(size & 0x7F | (0x80 if size >> 7 else 0))
    return bytes([number << 3 | BYTES, *length]) + content
