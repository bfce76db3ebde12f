"""Where the numbers stand in the bytes of a scalar event.

An event whose values are all single numbers of a fixed width differs from the next one of the same tags only in wall
time, step and those numbers. This walks the wire format of one such event and says where they are. Anything out of the
ordinary (repeated fields, other fields, an order no writer uses) is refused, and read by protobuf alone.

Wire format: protobuf encoding guide; field numbers: `schema.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.events.dtypes import DOUBLE, FLOAT, stored_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_WALL_TIME, _STEP, _SUMMARY = 1, 2, 5
_VALUE = 1
_TAG, _SIMPLE_VALUE, _TENSOR, _METADATA = 1, 2, 8, 9
_DTYPE, _SHAPE, _VERSION, _CONTENT, _FLOATS, _DOUBLES = 1, 2, 3, 4, 5, 6
_TYPED = {_FLOATS: (FLOAT, 4, FIXED32), _DOUBLES: (DOUBLE, 8, FIXED64)}


class NoSkeleton(Exception):  # noqa: N818 - an ordinary answer: this record goes the slow way
    """The event is not one whose numbers stand at fixed places."""


class Number(NamedTuple):
    """Where one value of an event stands."""

    offset: int
    """From the beginning of the payload."""

    dtype: int
    """`TensorProto.dtype` of its bytes."""

    width: int


class Field(NamedTuple):
    """One field of a message on the wire."""

    number: int
    wire: int
    begin: int
    end: int
    value: int
    """The number that a varint holds."""


def numbers_in(payload: bytes) -> tuple[Number, ...]:
    """The place of each value's number, in the order of the summary.

    Raises:
        NoSkeleton: At least one value is no single number of fixed width, or the event is laid out in another way.
    """
    fields = _once(payload, 0, len(payload))
    order = [field.number for field in fields.values()]
    if order not in ([_WALL_TIME, _SUMMARY], [_WALL_TIME, _STEP, _SUMMARY]) or fields[_WALL_TIME].wire != FIXED64:
        raise NoSkeleton
    if _STEP in fields and fields[_STEP].wire != VARINT:
        raise NoSkeleton
    summary = _message(fields[_SUMMARY])
    values = list(_fields(payload, summary.begin, summary.end))
    if any(value.number != _VALUE for value in values):
        raise NoSkeleton
    return tuple(_number(payload, _message(value)) for value in values)


def _number(payload: bytes, value: Field) -> Number:
    """The number of one `SummaryValue`."""
    fields = _once(payload, value.begin, value.end)
    kinds = fields.keys() - {_TAG, _METADATA}
    if _TAG not in fields or fields[_TAG].begin == fields[_TAG].end:
        raise NoSkeleton
    if kinds == {_SIMPLE_VALUE} and fields[_SIMPLE_VALUE].wire == FIXED32:
        return Number(fields[_SIMPLE_VALUE].begin, FLOAT, 4)
    if kinds == {_TENSOR}:
        return _tensor_number(payload, _message(fields[_TENSOR]))
    raise NoSkeleton


def _tensor_number(payload: bytes, tensor: Field) -> Number:
    fields = _once(payload, tensor.begin, tensor.end)
    stored = fields.keys() - {_DTYPE, _SHAPE, _VERSION}
    dtype = fields[_DTYPE].value if _DTYPE in fields and fields[_DTYPE].wire == VARINT else 0
    if stored == {_CONTENT}:
        content = _message(fields[_CONTENT])
        width = stored_bytes(dtype)
        if width is not None and content.end - content.begin == width:
            return Number(content.begin, dtype, width)
    elif len(stored) == 1 and (typed := next(iter(stored))) in _TYPED:
        expected, width, wire = _TYPED[typed]
        field = fields[typed]
        if dtype == expected and field.wire in {wire, BYTES} and field.end - field.begin == width:
            return Number(field.begin, dtype, width)
    raise NoSkeleton


def _message(field: Field) -> Field:
    if field.wire != BYTES:
        raise NoSkeleton
    return field


def _once(payload: bytes, begin: int, end: int) -> dict[int, Field]:
    """The fields of a message that has each at most once, in their order."""
    fields: dict[int, Field] = {}
    for field in _fields(payload, begin, end):
        if field.number in fields:
            raise NoSkeleton
        fields[field.number] = field
    return fields


def _fields(payload: bytes, begin: int, end: int) -> Iterator[Field]:
    while begin < end:
        key, begin = varint(payload, begin, end)
        number, wire, value = key >> 3, key & 7, 0
        if wire == VARINT:
            start = begin
            value, stop = varint(payload, begin, end)
        elif wire == BYTES:
            length, start = varint(payload, begin, end)
            stop = start + length
        elif wire in {FIXED32, FIXED64}:
            start, stop = begin, begin + (4 if wire == FIXED32 else 8)
        else:
            raise NoSkeleton
        if stop > end:
            raise NoSkeleton
        yield Field(number, wire, start, stop, value)
        begin = stop


def varint(payload: bytes, begin: int, end: int) -> tuple[int, int]:
    """The number at `begin` and the place behind it.

    Raises:
        NoSkeleton: It does not end before `end`.
    """
    value = 0
    for position in range(begin, min(begin + 10, end)):
        value |= (payload[position] & 0x7F) << (7 * (position - begin))
        if payload[position] < 0x80:
            return value, position + 1
    raise NoSkeleton
