"""Find fields in the first bytes of a serialized `Event`.

Writers put the shape of a tensor before its content, so the number of images or sounds in a value is known without
reading any of them.

Source: protobuf's encoding (varints and wire types), `tensorboard/compat/proto/{event,summary,tensor}.proto`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from tbtui.events.wire import BYTES, FIXED32, FIXED64, VARINT

if TYPE_CHECKING:
    from collections.abc import Iterator

EVENT_PREFIX_BYTES = 4096
"""Bytes of an event that hold the shape of its value, for tags of usual length."""

TENSOR = 8
"""Field number of the tensor in a value."""

_SUMMARY, _VALUE, _SHAPE, _DIMENSION, _SIZE = 5, 1, 2, 2, 1
_WIDTHS = {FIXED64: 8, FIXED32: 4}
_UNKNOWN_END = 1 << 62
"""Larger than any event; used if the size of the event is not known."""


class ByteSource(Protocol):
    """A serialized message, in memory or not."""

    def __getitem__(self, index: int, /) -> int:
        """Return one byte; raise IndexError if it is not available."""


class Span(NamedTuple):
    """A range of byte offsets."""

    begin: int
    end: int


def find_value(event: ByteSource, index: int, end: int = _UNKNOWN_END) -> Span:
    """Return the value at `index` of an `Event`.

    Raises:
        LookupError: There is none, or it is not within the available bytes.
    """
    return find_field(event, find_field(event, Span(0, end), _SUMMARY), _VALUE, index)


def find_shape(event: ByteSource, index: int, old: int) -> tuple[int, ...] | None:
    """Return the shape of the tensor in the value at `index` of an `Event`.

    Args:
        event: Its first bytes; they may end anywhere.
        index: Index of the value.
        old: Field number of the old form of such values, which holds a single item.

    Returns:
        An empty shape for a single item, such as a value of the old form; None if these bytes do not hold the shape.
    """
    try:
        for number, span in iter_fields(event, find_value(event, index)):
            if number == old:
                return ()
            if number == TENSOR:
                return read_tensor_shape(event, span)
    except LookupError:
        pass
    return None


def is_converted(content: bytes, number: int) -> bool:
    """Return True if a tag's plugin metadata mark its values as converted from the old form.

    Args:
        content: The serialized metadata of the plugin.
        number: Field number of the mark, a bool.
    """
    try:
        found_fields = iter_fields(content, Span(0, len(content)), VARINT)
        return any(
            field_number == number and content[span.begin : span.begin + 1] == b"\1"
            for field_number, span in found_fields
        )
    except IndexError:
        return False


def read_tensor_shape(payload: ByteSource, tensor: Span) -> tuple[int, ...]:
    """Return the lengths of a tensor's dimensions.

    Raises:
        LookupError: It has no shape, or the shape is not within the available bytes.
    """
    shape = find_field(payload, tensor, _SHAPE)
    return tuple(_read_dimension(payload, span) for number, span in iter_fields(payload, shape) if number == _DIMENSION)


def find_field(payload: ByteSource, message: Span, number: int, index: int = 0) -> Span:
    """Return the content of the field `number` of a message; of a repeated field that of the element at `index`.

    Raises:
        LookupError: There is none, or it is not within the available bytes (then it is an IndexError).
    """
    for field_number, span in iter_fields(payload, message):
        if field_number == number:
            if not index:
                return span
            index -= 1
    raise LookupError(number)


def iter_fields(payload: ByteSource, message: Span, wire_type: int = BYTES) -> Iterator[tuple[int, Span]]:
    """Yield number and content of each field of a message that has a wire type; skip those of other types.

    Raises:
        IndexError: A field is not within the available bytes.
    """
    offset, end = message
    while offset < end:
        key, offset = read_varint(payload, offset)
        wire = key & 7
        if wire == BYTES:
            length, offset = read_varint(payload, offset)
        elif wire == VARINT:
            length = read_varint(payload, offset)[1] - offset
        elif wire in _WIDTHS:
            length = _WIDTHS[wire]
        else:
            return
        if wire == wire_type:
            yield key >> 3, Span(offset, offset + length)
        offset += length


def _read_dimension(payload: ByteSource, dimension: Span) -> int:
    sizes = (
        read_varint(payload, span.begin)[0]
        for number, span in iter_fields(payload, dimension, VARINT)
        if number == _SIZE
    )
    size = next(sizes, 0)
    if size >= 1 << 31:
        raise LookupError("a dimension is too long")
    return size


def read_varint(payload: ByteSource, offset: int) -> tuple[int, int]:
    """Return the number of variable length at `offset` and the offset after it.

    Raises:
        IndexError: The bytes end within the number, or it has more than 64 bits.
    """
    number = shift = 0
    while True:
        byte = payload[offset]
        number |= (byte & 0x7F) << shift
        offset += 1
        if byte < 0x80:
            return number, offset
        shift += 7
        if shift > 63:
            raise IndexError(offset)
