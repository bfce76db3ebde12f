"""What a long event says, told from a few of its bytes: an event of the same values without their contents.

The contents of images, sounds, histograms, tensors and graphs are read again when they are shown. To know an event one
needs its step, the tags, what kind of value each has and its metadata; on the wire all of that stands around the
contents, whose lengths tell how far to jump. What is not laid out as writers do is read as a whole.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from tbtui.events.scalar_layout import UnsupportedLayout, read_varint
from tbtui.events.schema import PARSE_ERRORS, message
from tbtui.events.tensors import NON_REAL_TYPES
from tbtui.events.wire import BYTES, FIXED32, FIXED64, VARINT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.tfrecord.reader import LongPayload

_WALL_TIME, _STEP, _GRAPH, _SUMMARY, _META_GRAPH = 1, 2, 4, 5, 9
_VALUE = 1
_SIMPLE_VALUE, _OLD_HISTOGRAM, _IMAGE, _HISTO, _AUDIO, _TENSOR = 2, 3, 4, 5, 6, 8
_CONTENTS = {_SIMPLE_VALUE, _OLD_HISTOGRAM, _IMAGE, _HISTO, _AUDIO, _TENSOR}
_LONGEST_FIELD = 4096
"""Longer fields are contents; shorter ones are taken as they are."""
_MOST_KEPT = 1 << 14
"""Bytes of an outline; an event that says more than that beside its contents is read as a whole."""
_MOST_FIELDS = 1000
"""Fields looked at, each of which may be a read; an event of more is read as a whole sooner."""
_MORE = 0x80
"""A byte from which on a number goes on in the next one."""
_KEY_BYTES = 20
"""A key and a length, however they are spelled."""


class _Field(NamedTuple):
    number: int
    wire: int
    key: int
    """Where it begins."""

    begin: int
    """Where its content begins."""

    end: int


def read_partial_event(payload: LongPayload) -> bytes | None:
    """A short event that says of itself and its values what a long one says.

    Args:
        payload: A serialized `Event`.

    Returns:
        A serialized `Event` in which long contents are missing; None when this one must be read.
    """
    try:
        said = _Outline(payload).event()
        message("Event").FromString(said)
    except (UnsupportedLayout, *PARSE_ERRORS):
        return None
    return said


class _Outline:
    """One long event that is looked through."""

    def __init__(self, payload: LongPayload) -> None:
        self._payload = payload
        self._fields_left = _MOST_FIELDS
        self._bytes_left = _MOST_KEPT

    def event(self) -> bytes:
        """The outline.

        Raises:
            NoSkeleton: The event must be read.
        """
        said = b""
        contents = 0
        for field in self._fields(0, self._payload.length):
            if field.number in {_SUMMARY, _GRAPH, _META_GRAPH} and field.wire == BYTES:
                contents += 1
                said += _field(field.number, self._summary(field) if field.number == _SUMMARY else b"")
            elif field.number in {_WALL_TIME, _STEP}:
                said += self._kept(field)
            else:
                raise UnsupportedLayout
        if contents != 1:
            raise UnsupportedLayout
        return said

    def _summary(self, summary: _Field) -> bytes:
        said = []
        for field in self._fields(summary.begin, summary.end):
            if field.number != _VALUE or field.wire != BYTES:
                raise UnsupportedLayout
            said.append(self._kept(field) if _is_short(field) else _field(_VALUE, self._value(field)))
        return b"".join(said)

    def _value(self, value: _Field) -> bytes:
        said = b""
        contents = 0
        for field in self._fields(value.begin, value.end):
            contents += field.number in _CONTENTS
            if contents > 1:
                raise UnsupportedLayout
            if _is_short(field):
                said += self._kept(field)
            elif field.number == _TENSOR:
                said += _field(_TENSOR, self._tensor(field))
            elif field.number in {_IMAGE, _HISTO, _AUDIO}:
                said += _field(field.number, b"")
            else:
                raise UnsupportedLayout
        return said

    def _tensor(self, tensor: _Field) -> bytes:
        """The short fields of a tensor: its type and shape; no tensor that could be a single number."""
        said = b"".join(self._kept(field) for field in self._fields(tensor.begin, tensor.end) if _is_short(field))
        shown = message("TensorProto").FromString(said)
        if shown.dtype % 100 not in NON_REAL_TYPES and math.prod(dim.size for dim in shown.tensor_shape.dim) == 1:
            raise UnsupportedLayout
        return said

    def _kept(self, field: _Field) -> bytes:
        self._bytes_left -= field.end - field.key
        if not _is_short(field) or self._bytes_left < 0:
            raise UnsupportedLayout
        return self._payload.read(field.key, field.end - field.key)

    def _fields(self, begin: int, end: int) -> Iterator[_Field]:
        """The fields of the message that lies in `[begin, end)` of the payload."""
        read = self._payload.read
        while begin < end:
            self._fields_left -= 1
            if self._fields_left < 0:
                raise UnsupportedLayout
            head = read(begin, min(_KEY_BYTES, end - begin))
            key, at = head[0], 1
            if key >= _MORE:
                key, at = read_varint(head, 0, len(head))
            wire = key & 7
            if wire == VARINT:
                size = read_varint(head, at, len(head))[1] - at
            elif wire == BYTES:
                size, at = read_varint(head, at, len(head))
            elif wire in {FIXED32, FIXED64}:
                size = 4 if wire == FIXED32 else 8
            else:
                raise UnsupportedLayout
            stop = begin + at + size
            if stop > end:
                raise UnsupportedLayout
            yield _Field(key >> 3, wire, begin, begin + at, stop)
            begin = stop


def _is_short(field: _Field) -> bool:
    return field.end - field.begin <= _LONGEST_FIELD


def _field(number: int, content: bytes) -> bytes:
    """A message field on the wire, `number` below 16 and `content` below 2**21 bytes long."""
    size = len(content)
    length = [size & 0x7F | (0x80 if size >> 7 else 0)]
    while size := size >> 7:
        length.append(size & 0x7F | (0x80 if size >> 7 else 0))
    return bytes([number << 3 | BYTES, *length]) + content
