"""The fields of many protobuf messages read in lockstep: one step reads the next field of every message.

Only what writers write is read: keys of one byte, lengths and numbers of at most seven. Whatever else stands in a
message is not an error, it is for protobuf to read. Wire format: protobuf encoding guide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np

from tbtui.events.tensors import DOUBLE, FLOAT, stored_bytes
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt


# Where the numbers stand in the bytes of a scalar event.
#
# An event whose values are all single numbers of a fixed width differs from the next one of the same tags only in
# wall
# time, step and those numbers. This walks the wire format of one such event and says where they are. Anything out of
# the
# ordinary (repeated fields, other fields, an order no writer uses) is refused, and read by protobuf alone.
#
# Wire format: protobuf encoding guide; field numbers: `schema.py`.


SKELETON_VARINT, SKELETON_FIXED64, SKELETON_BYTES, SKELETON_FIXED32 = 0, 1, 2, 5
_WALL_TIME, _STEP, _SUMMARY_FIELD = 1, 2, 5
_VALUE_FIELD = 1
_TAG, _SIMPLE_VALUE, _TENSOR, _METADATA = 1, 2, 8, 9
_DTYPE, _SHAPE_FIELD, _VERSION, _CONTENT, _FLOATS, _DOUBLES = 1, 2, 3, 4, 5, 6
_TYPED = {_FLOATS: (FLOAT, 4, SKELETON_FIXED32), _DOUBLES: (DOUBLE, 8, SKELETON_FIXED64)}


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
    if (
        order not in ([_WALL_TIME, _SUMMARY_FIELD], [_WALL_TIME, _STEP, _SUMMARY_FIELD])
        or fields[_WALL_TIME].wire != SKELETON_FIXED64
    ):
        raise NoSkeleton
    if _STEP in fields and fields[_STEP].wire != SKELETON_VARINT:
        raise NoSkeleton
    summary = _message(fields[_SUMMARY_FIELD])
    values = list(_fields(payload, summary.begin, summary.end))
    if any(value.number != _VALUE_FIELD for value in values):
        raise NoSkeleton
    return tuple(_number(payload, _message(value)) for value in values)


def _number(payload: bytes, value: Field) -> Number:
    """The number of one `SummaryValue`."""
    fields = _once(payload, value.begin, value.end)
    kinds = fields.keys() - {_TAG, _METADATA}
    if _TAG not in fields or fields[_TAG].begin == fields[_TAG].end:
        raise NoSkeleton
    if kinds == {_SIMPLE_VALUE} and fields[_SIMPLE_VALUE].wire == SKELETON_FIXED32:
        return Number(fields[_SIMPLE_VALUE].begin, FLOAT, 4)
    if kinds == {_TENSOR}:
        return _tensor_number(payload, _message(fields[_TENSOR]))
    raise NoSkeleton


def _tensor_number(payload: bytes, tensor: Field) -> Number:
    fields = _once(payload, tensor.begin, tensor.end)
    stored = fields.keys() - {_DTYPE, _SHAPE_FIELD, _VERSION}
    dtype = fields[_DTYPE].value if _DTYPE in fields and fields[_DTYPE].wire == SKELETON_VARINT else 0
    if stored == {_CONTENT}:
        content = _message(fields[_CONTENT])
        width = stored_bytes(dtype)
        if width is not None and content.end - content.begin == width:
            return Number(content.begin, dtype, width)
    elif len(stored) == 1 and (typed := next(iter(stored))) in _TYPED:
        expected, width, wire = _TYPED[typed]
        field = fields[typed]
        if dtype == expected and field.wire in {wire, SKELETON_BYTES} and field.end - field.begin == width:
            return Number(field.begin, dtype, width)
    raise NoSkeleton


def _message(field: Field) -> Field:
    if field.wire != SKELETON_BYTES:
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
        key, begin = encoded_varint(payload, begin, end)
        number, wire, value = key >> 3, key & 7, 0
        if wire == SKELETON_VARINT:
            start = begin
            value, stop = encoded_varint(payload, begin, end)
        elif wire == SKELETON_BYTES:
            length, start = encoded_varint(payload, begin, end)
            stop = start + length
        elif wire in {SKELETON_FIXED32, SKELETON_FIXED64}:
            start, stop = begin, begin + (4 if wire == SKELETON_FIXED32 else 8)
        else:
            raise NoSkeleton
        if stop > end:
            raise NoSkeleton
        yield Field(number, wire, start, stop, value)
        begin = stop


def encoded_varint(payload: bytes, begin: int, end: int) -> tuple[int, int]:
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


WORD = 8

Words: TypeAlias = "npt.NDArray[np.uint64]"
Places: TypeAlias = "npt.NDArray[np.int64]"
"""Offsets in the buffer that holds the messages."""

_KEYS = 1 << 8
_FIXED = np.full(8, -1)
_FIXED[[SKELETON_FIXED64, SKELETON_FIXED32]] = 8, 4


def key(number: int, wire: int) -> int:
    """The byte in front of a field; `number` below 16."""
    return number << 3 | wire


_READABLE = np.zeros(_KEYS, np.bool_)
_READABLE[
    [
        key(number, wire)
        for number in range(1, 16)
        for wire in (SKELETON_VARINT, SKELETON_FIXED64, SKELETON_BYTES, SKELETON_FIXED32)
    ]
] = True


def words_in(data: npt.NDArray[np.uint8]) -> Words:
    """The eight bytes from each place on as one little-endian number, uint64[len(data) - 7]: a view."""
    words: Words = np.ndarray((max(0, len(data) - WORD + 1),), "<u8", buffer=data, strides=(1,))
    return words


def stretches_in(data: npt.NDArray[np.uint8], width: int) -> npt.NDArray[np.void]:
    """The `width` bytes from each place on, void[len(data) - width + 1]: a view.

    Picking a stretch takes as long as picking a word, so many words that lie together are picked as one.
    """
    stretches: npt.NDArray[np.void]
    stretches = np.ndarray((max(0, len(data) - width + 1),), f"V{width}", buffer=data, strides=(1,))
    return stretches


def varints(words: Words) -> tuple[Words, Places]:
    """The varint at the beginning of each word, and how many bytes it has: 0 when it does not end in the word."""
    numbers = words & np.uint64(0x7F)
    widths = np.ones(len(words), np.int64)
    going_on = (words & np.uint64(0x80)) != 0
    for byte in range(1, WORD):
        if not going_on.any():
            return numbers, widths
        part = words >> np.uint64(8 * byte)
        numbers |= np.where(going_on, (part & np.uint64(0x7F)) << np.uint64(7 * byte), np.uint64(0))
        widths += going_on
        going_on &= (part & np.uint64(0x80)) != 0
    widths[going_on] = 0
    return numbers, widths


def varint_numbers(words: Words, most_bytes: int) -> Words:
    """The numbers of varints that each fill a word, the bytes behind them zero.

    Args:
        words: uint64[any shape].
        most_bytes: Of each varint.
    """
    numbers = np.zeros(words.shape, np.uint64)
    for byte in range(most_bytes):
        numbers |= ((words >> np.uint64(8 * byte)) & np.uint64(0x7F)) << np.uint64(7 * byte)
    return numbers


@frozen(eq=False)
class Messages:
    """Where some messages lie in a buffer."""

    begins: Places
    ends: Places

    def __len__(self) -> int:
        return len(self.begins)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Bytes of each."""
        return self.ends - self.begins

    def __getitem__(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Messages:
        return Messages(self.begins[rows], self.ends[rows])


@frozen(eq=False)
class Table:
    """One column a field that was asked for, one row a message."""

    begins: npt.NDArray[np.int64]
    """int64[fields, n]: where the content of each field begins: behind its key and its length."""

    ends: npt.NDArray[np.int64]
    """int64[fields, n]: where it ends; 0 for a field that the message does not have."""

    plain: npt.NDArray[np.bool_]
    """bool[n]: the message holds nothing but these fields, each at most once. The other rows say nothing."""

    def __getitem__(self, rows: npt.NDArray[np.bool_]) -> Table:
        return Table(self.begins[:, rows], self.ends[:, rows], self.plain[rows])

    def has(self, field: int) -> npt.NDArray[np.bool_]:
        """Which messages have a field, bool[n]."""
        return np.asarray(self.ends[field] > 0)

    def messages(self, field: int) -> Messages:
        """The content of a field as messages; those that are not there are empty."""
        return Messages(self.begins[field], self.ends[field])

    def doubles(self, field: int, words: Words) -> npt.NDArray[np.float64]:
        """The numbers of a field of 64 bits, float64[n]; 0 where it is missing, as protobuf has it."""
        return np.where(self.has(field), words[self.begins[field]].view(np.float64), 0.0)

    def numbers(self, field: int, words: Words) -> npt.NDArray[np.int64]:
        """The numbers of a varint field, int64[n]; 0 where it is missing."""
        numbers, _ = varints(words[self.begins[field]])
        return np.where(self.has(field), numbers.view(np.int64), 0)


def table(words: Words, messages: Messages, keys: Sequence[int]) -> Table:
    """Read the fields of messages.

    Args:
        words: the buffer; every message ends at least eight bytes before the buffer does.
        messages: n of them.
        keys: of the fields.
    """
    column_of = np.full(_KEYS, -1)
    column_of[list(keys)] = np.arange(len(keys))
    begins, ends = np.zeros((2, len(keys), len(messages)), np.int64)
    plain = np.ones(len(messages), np.bool_)
    rows = np.flatnonzero(messages.begins < messages.ends)
    at = messages.begins[rows]
    while len(rows):
        found = _next(words, at, messages.ends[rows])
        columns = column_of[found.keys]
        wanted = found.readable & (columns >= 0) & (ends[columns, rows] == 0)
        if not wanted.all():
            plain[rows[~wanted]] = False
            rows, columns, found = rows[wanted], columns[wanted], found[wanted]
        begins[columns, rows], ends[columns, rows] = found.begins, found.ends
        at = found.ends
        rows, at = _going_on(rows, at, at < messages.ends[rows])
    return Table(begins, ends, plain)


class Chosen(NamedTuple):
    """One of the equal fields of each message."""

    messages: Messages
    """Its content."""

    found: npt.NDArray[np.bool_]
    """bool[n]: it is there, and nothing but fields of its kind stands before it."""

    rest: Messages
    """What stands behind it in the message."""


def choose(words: Words, messages: Messages, wanted: int, ranks: npt.NDArray[np.int64]) -> Chosen:
    """Find one field of each message that is a list of equal ones.

    Args:
        words: the buffer, as for `table`.
        messages: n of them.
        wanted: the key of the fields.
        ranks: int64[n], which of them, counted from 0.
    """
    begins, ends = np.zeros((2, len(messages)), np.int64)
    found = np.zeros(len(messages), np.bool_)
    rows = np.flatnonzero((messages.begins < messages.ends) & (ranks >= 0))
    at = messages.begins[rows]
    rank = 0
    while len(rows):
        field = _next(words, at, messages.ends[rows])
        right = field.readable & (field.keys == wanted)
        here = right & (ranks[rows] == rank)
        begins[rows[here]], ends[rows[here]] = field.begins[here], field.ends[here]
        found[rows[here]] = True
        rows, at = _going_on(rows, field.ends, right & ~here & (field.ends < messages.ends[rows]))
        rank += 1
    return Chosen(Messages(begins, ends), found, Messages(np.where(found, ends, messages.ends), messages.ends))


@frozen(eq=False)
class _Fields:
    """The next field of some messages."""

    keys: npt.NDArray[np.int64]
    begins: Places
    ends: Places
    readable: npt.NDArray[np.bool_]

    def __getitem__(self, rows: npt.NDArray[np.bool_]) -> _Fields:
        return _Fields(self.keys[rows], self.begins[rows], self.ends[rows], self.readable[rows])


def _next(words: Words, at: Places, ends: Places) -> _Fields:
    """The fields at `at`, one a message; `ends` is where their messages end."""
    here = words[at]
    keys = (here & np.uint64(_KEYS - 1)).view(np.int64)
    wires = keys & 7
    sizes = _FIXED[wires]
    begins = at + 1
    readable = _READABLE[keys]
    counted = (wires == SKELETON_VARINT) | (wires == SKELETON_BYTES)
    if counted.any():
        numbers, widths = varints(here >> np.uint64(8))
        # The word's last byte is the key's, shifted out: a varint that needs it is not whole.
        readable &= ~counted | ((widths > 0) & (widths < WORD))
        is_bytes = wires == SKELETON_BYTES
        begins += np.where(is_bytes, widths, 0)
        sizes = np.where(is_bytes, numbers.view(np.int64), np.where(counted, widths, sizes))
    stops = begins + sizes
    readable &= stops <= ends
    return _Fields(keys, begins, stops, readable)


def _going_on(rows: Places, at: Places, going_on: npt.NDArray[np.bool_]) -> tuple[Places, Places]:
    return (rows, at) if going_on.all() else (rows[going_on], at[going_on])


# Where fields lie in a serialized `Event`, of which perhaps only the first bytes are at hand.
#
# Writers put the shape of a tensor before what is in it, so that how many pictures or sounds a value holds can be
# told
# without reading any of them.
#
# Source: protobuf's encoding (varints and wire types), `tensorboard/compat/proto/{event,summary,tensor}.proto`.


HEAD_BYTES = 4096
"""Of an event: enough to tell what shape its value has, however long its tag may usually be."""

TENSOR = 8
"""Of a value."""

_SUMMARY, _VALUE, _SHAPE, _DIMENSION, _SIZE = 5, 1, 2, 2, 1
_WIDTHS = {SKELETON_FIXED64: 8, SKELETON_FIXED32: 4}
_END = 1 << 62
"""Beyond all bytes, where it is not known how many there are."""


class Bytes(Protocol):
    """A serialized message, in memory or not."""

    def __getitem__(self, at: int, /) -> int:
        """One byte; raises IndexError where it is not known."""


class Span(NamedTuple):
    """Where something lies."""

    begin: int
    end: int


def value_in(event: Bytes, index: int, end: int = _END) -> Span:
    """The value at `index` of an `Event`.

    Raises:
        LookupError: There is none, or it lies beyond the bytes that are known.
    """
    return field(event, field(event, Span(0, end), _SUMMARY), _VALUE, index)


def shape_in(event: Bytes, index: int, old: int) -> tuple[int, ...] | None:
    """The shape of the tensor that the value at `index` of an `Event` is.

    Args:
        event: Its first bytes; they may end anywhere.
        index: Of the value.
        old: Number of the field that a value of the old form has instead, which is a single thing.

    Returns:
        An empty shape for a single thing, as values of the old form are; None where these bytes do not tell.
    """
    try:
        for number, span in fields(event, value_in(event, index)):
            if number == old:
                return ()
            if number == TENSOR:
                return tensor_shape(event, span)
    except LookupError:
        pass
    return None


def converted_in(content: bytes, number: int) -> bool:
    """Whether a plugin's metadata of a tag say with this field, a bool, that its values were of the old form."""
    try:
        held = fields(content, Span(0, len(content)), SKELETON_VARINT)
        return any(found == number and content[span.begin : span.begin + 1] == b"\1" for found, span in held)
    except IndexError:
        return False


def tensor_shape(payload: Bytes, tensor: Span) -> tuple[int, ...]:
    """The lengths of the dimensions of a tensor; raises LookupError."""
    shape = field(payload, tensor, _SHAPE)
    return tuple(_size(payload, span) for number, span in fields(payload, shape) if number == _DIMENSION)


def _size(payload: Bytes, dimension: Span) -> int:
    sizes = (
        varint(payload, span.begin)[0]
        for number, span in fields(payload, dimension, SKELETON_VARINT)
        if number == _SIZE
    )
    size = next(sizes, 0)
    if size >= 1 << 31:
        raise LookupError("no length that there could be")
    return size


def field(payload: Bytes, message: Span, number: int, index: int = 0) -> Span:
    """The field of a message with a number and bytes in it, the one at `index` of those.

    Raises:
        LookupError: There is none, or it lies beyond the bytes that are known (then it is an IndexError).
    """
    for found, span in fields(payload, message):
        if found == number:
            if not index:
                return span
            index -= 1
    raise LookupError(number)


def fields(payload: Bytes, message: Span, wanted: int = SKELETON_BYTES) -> Iterator[tuple[int, Span]]:
    """Number and content of each field of a message; IndexError beyond the bytes that are known.

    Args:
        payload: Holds it.
        message: Where.
        wanted: The wire type of those that are meant. The same number with another one is a field that nobody knows.
    """
    at, end = message
    while at < end:
        key, at = varint(payload, at)
        wire = key & 7
        if wire == SKELETON_BYTES:
            length, at = varint(payload, at)
        elif wire == SKELETON_VARINT:
            length = varint(payload, at)[1] - at
        elif wire in _WIDTHS:
            length = _WIDTHS[wire]
        else:
            return
        if wire == wanted:
            yield key >> 3, Span(at, at + length)
        at += length


def varint(payload: Bytes, at: int) -> tuple[int, int]:
    """A number, and where the next byte is; IndexError beyond the bytes that are known, or where it never ends."""
    number = shift = 0
    while True:
        byte = payload[at]
        number |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return number, at
        shift += 7
        if shift > 63:
            raise IndexError(at)
