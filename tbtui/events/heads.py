"""Where fields lie in a serialized `Event`, of which perhaps only the first bytes are at hand.

Writers put the shape of a tensor before what is in it, so that how many pictures or sounds a value holds can be told
without reading any of them.

Source: protobuf's encoding (varints and wire types), `tensorboard/compat/proto/{event,summary,tensor}.proto`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from tbtui.events.skeleton import BYTES, FIXED32, FIXED64, VARINT

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD_BYTES = 4096
"""Of an event: enough to tell what shape its value has, however long its tag may usually be."""

TENSOR = 8
"""Of a value."""

_SUMMARY, _VALUE, _SHAPE, _DIMENSION, _SIZE = 5, 1, 2, 2, 1
_WIDTHS = {FIXED64: 8, FIXED32: 4}
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
        held = fields(content, Span(0, len(content)), VARINT)
        return any(found == number and content[span.begin : span.begin + 1] == b"\1" for found, span in held)
    except IndexError:
        return False


def tensor_shape(payload: Bytes, tensor: Span) -> tuple[int, ...]:
    """The lengths of the dimensions of a tensor; raises LookupError."""
    shape = field(payload, tensor, _SHAPE)
    return tuple(_size(payload, span) for number, span in fields(payload, shape) if number == _DIMENSION)


def _size(payload: Bytes, dimension: Span) -> int:
    sizes = (varint(payload, span.begin)[0] for number, span in fields(payload, dimension, VARINT) if number == _SIZE)
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


def fields(payload: Bytes, message: Span, wanted: int = BYTES) -> Iterator[tuple[int, Span]]:
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
        if wire == BYTES:
            length, at = varint(payload, at)
        elif wire == VARINT:
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
