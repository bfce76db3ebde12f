"""Find the bytes of the numbers in a scalar event.

Two events of the same tags, all of whose values are single numbers of fixed width, differ only in wall time, step and
those numbers. Repeated fields, other fields, or an order that no writer uses raise `UnsupportedLayout`; protobuf reads
such events.

Wire format: protobuf encoding guide. Field numbers: `schema.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.events.tensors import DOUBLE, FLOAT, get_element_bytes
from tbtui.events.wire import BYTES, FIXED32, FIXED64, VARINT

if TYPE_CHECKING:
    from collections.abc import Iterator

_WALL_TIME, _STEP, _SUMMARY = 1, 2, 5
_VALUE = 1
_TAG, _SIMPLE_VALUE, _TENSOR, _METADATA = 1, 2, 8, 9
_DTYPE, _SHAPE, _VERSION, _CONTENT, _FLOATS, _DOUBLES = 1, 2, 3, 4, 5, 6
_TYPED = {_FLOATS: (FLOAT, 4, FIXED32), _DOUBLES: (DOUBLE, 8, FIXED64)}


class UnsupportedLayout(Exception):  # noqa: N818 - no error: protobuf reads this record
    """The event is laid out in a way that only protobuf reads."""


class Number(NamedTuple):
    """Position of one value's number in an event."""

    offset: int
    """Byte offset in the payload."""

    dtype: int
    """`TensorProto.dtype` of its bytes."""

    width: int


class _Field(NamedTuple):
    number: int
    wire: int
    begin: int
    end: int
    value: int
    """The number that a varint holds."""


def find_numbers(payload: bytes) -> tuple[Number, ...]:
    """Return the position of each value's number, in the order of the summary.

    Raises:
        UnsupportedLayout: A value is not a single number of fixed width, or the event is laid out in another way.
    """
    fields = _read_unique_fields(payload, 0, len(payload))
    order = [field.number for field in fields.values()]
    if order not in ([_WALL_TIME, _SUMMARY], [_WALL_TIME, _STEP, _SUMMARY]) or fields[_WALL_TIME].wire != FIXED64:
        raise UnsupportedLayout
    if _STEP in fields and fields[_STEP].wire != VARINT:
        raise UnsupportedLayout
    summary = _parse_message(fields[_SUMMARY])
    values = list(_iter_fields(payload, summary.begin, summary.end))
    if any(value.number != _VALUE for value in values):
        raise UnsupportedLayout
    return tuple(_parse_number(payload, _parse_message(value)) for value in values)


def read_varint(payload: bytes, begin: int, end: int) -> tuple[int, int]:
    """Return the number at `begin` and the offset after it.

    Raises:
        UnsupportedLayout: It does not end before `end`.
    """
    value = 0
    for position in range(begin, min(begin + 10, end)):
        value |= (payload[position] & 0x7F) << (7 * (position - begin))
        if payload[position] < 0x80:
            return value, position + 1
    raise UnsupportedLayout


def _parse_number(payload: bytes, value: _Field) -> Number:
    fields = _read_unique_fields(payload, value.begin, value.end)
    kinds = fields.keys() - {_TAG, _METADATA}
    if _TAG not in fields or fields[_TAG].begin == fields[_TAG].end:
        raise UnsupportedLayout
    if kinds == {_SIMPLE_VALUE} and fields[_SIMPLE_VALUE].wire == FIXED32:
        return Number(fields[_SIMPLE_VALUE].begin, FLOAT, 4)
    if kinds == {_TENSOR}:
        return _parse_tensor_number(payload, _parse_message(fields[_TENSOR]))
    raise UnsupportedLayout


def _parse_tensor_number(payload: bytes, tensor: _Field) -> Number:
    fields = _read_unique_fields(payload, tensor.begin, tensor.end)
    stored = fields.keys() - {_DTYPE, _SHAPE, _VERSION}
    dtype = fields[_DTYPE].value if _DTYPE in fields and fields[_DTYPE].wire == VARINT else 0
    if stored == {_CONTENT}:
        content = _parse_message(fields[_CONTENT])
        width = get_element_bytes(dtype)
        if width is not None and content.end - content.begin == width:
            return Number(content.begin, dtype, width)
    elif len(stored) == 1 and (typed := next(iter(stored))) in _TYPED:
        expected, width, wire = _TYPED[typed]
        field = fields[typed]
        if dtype == expected and field.wire in {wire, BYTES} and field.end - field.begin == width:
            return Number(field.begin, dtype, width)
    raise UnsupportedLayout


def _parse_message(field: _Field) -> _Field:
    if field.wire != BYTES:
        raise UnsupportedLayout
    return field


def _read_unique_fields(payload: bytes, begin: int, end: int) -> dict[int, _Field]:
    """Return the fields of a message that has each at most once, in their order."""
    fields: dict[int, _Field] = {}
    for field in _iter_fields(payload, begin, end):
        if field.number in fields:
            raise UnsupportedLayout
        fields[field.number] = field
    return fields


def _iter_fields(payload: bytes, begin: int, end: int) -> Iterator[_Field]:
    while begin < end:
        key, begin = read_varint(payload, begin, end)
        number, wire, value = key >> 3, key & 7, 0
        if wire == VARINT:
            start = begin
            value, stop = read_varint(payload, begin, end)
        elif wire == BYTES:
            length, start = read_varint(payload, begin, end)
            stop = start + length
        elif wire in {FIXED32, FIXED64}:
            start, stop = begin, begin + (4 if wire == FIXED32 else 8)
        else:
            raise UnsupportedLayout
        if stop > end:
            raise UnsupportedLayout
        yield _Field(number, wire, start, stop, value)
        begin = stop
