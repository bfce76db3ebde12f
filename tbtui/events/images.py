"""The pictures of one step: a tensor of strings, the same whoever wrote it.

Source: TensorBoard `plugins/image/summary_v2.py` and `metadata.py`: a vector of width and height in ASCII digits and
then k encoded pictures. How many there are can be told from the first bytes of an event, without reading the pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tbtui.events.skeleton import BYTES, FIXED32, FIXED64, VARINT
from tbtui.events.tensors import TensorError, spelled, to_array

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD_BYTES = 4096
"""Of an event: enough to tell how many pictures its value has, however long its tag may usually be."""

_SUMMARY, _VALUE, _IMAGE, _TENSOR, _SHAPE, _DIMENSION, _SIZE = 5, 1, 4, 8, 2, 2, 1
_CONVERTED = 2
_SIZES = 2
"""Entries of the vector before the first picture."""

_MOST_DIGITS = 10


class ImageError(ValueError):
    """A value that holds no pictures; the message is one plain sentence."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """The encoded pictures of one step."""

    encoded: tuple[bytes, ...]
    """PNG, JPEG, GIF or whatever the writer took, each; possibly none at all."""

    claimed: tuple[int, int] | None = None
    """Width and height as the writer wrote them, which a picture may contradict; None where it wrote no numbers."""

    @property
    def nbytes(self) -> int:
        """Bytes of all of them."""
        return sum(map(len, self.encoded))


def read_pictures(value: Any) -> Pictures:
    """The pictures of a `SummaryValue`, old (`image`) or new (`tensor`).

    Raises:
        ImageError: It holds none.
    """
    kind = value.WhichOneof("value")
    if kind == "image":
        image = value.image
        return Pictures((bytes(image.encoded_image_string),), (int(image.width), int(image.height)))
    if kind != "tensor":
        raise ImageError("this value holds no picture")
    try:
        array = to_array(value.tensor)
    except TensorError as error:
        raise ImageError(str(error)) from error
    if array.dtype != object or array.ndim != 1 or len(array) < _SIZES:
        shape = spelled(array.shape) if array.ndim else "a single value"
        raise ImageError(f"pictures come as a row of strings, not as a tensor of {array.dtype} and shape {shape}")
    width, height, *encoded = array.tolist()
    sizes = _number(width), _number(height)
    return Pictures(tuple(encoded), None if None in sizes else sizes)  # type: ignore[arg-type]


def _number(digits: bytes) -> int | None:
    return int(digits) if digits.isdigit() and len(digits) <= _MOST_DIGITS else None


# What is told without reading them


def was_converted(content: bytes) -> bool:
    """Whether the metadata of a tag say that its values were `Summary.Image`: these hold one picture each.

    Args:
        content: A serialized `ImagePluginData`.
    """
    return any(number == _CONVERTED and content[start : start + 1] == b"\1" for number, (start, _) in _fields(content))


def count_in(head: bytes, index: int) -> int | None:
    """How many pictures a value has, told from the first bytes of its event alone.

    Args:
        head: The first bytes of a serialized `Event`; it may end anywhere.
        index: Of the value in the event's summary.

    Returns:
        None when these bytes do not tell.
    """
    summary = next((place for number, place in _fields(head) if number == _SUMMARY), None)
    if summary is None:
        return None
    values = (place for number, place in _fields(head, *summary) if number == _VALUE)
    value = next((place for at, place in enumerate(values) if at == index), None)
    if value is None:
        return None
    for number, place in _fields(head, *value):
        if number == _IMAGE:
            return 1
        if number == _TENSOR:
            return _count_of_tensor(head, *place)
    return None


def _count_of_tensor(head: bytes, start: int, end: int) -> int | None:
    shape = next((place for number, place in _fields(head, start, end) if number == _SHAPE), None)
    if shape is None or shape[1] > len(head):
        return None
    dimensions = [place for number, place in _fields(head, *shape) if number == _DIMENSION]
    if len(dimensions) != 1:
        return None
    size = next((low for number, (low, _) in _fields(head, *dimensions[0]) if number == _SIZE), 0)
    count, after = _varint(head, size) if size else (0, 0)
    return count - _SIZES if after and count >= _SIZES else None


def _fields(head: bytes, start: int = 0, end: int | None = None) -> Iterator[tuple[int, tuple[int, int]]]:
    """Number, first byte and the one behind the last of each field, as far as these bytes go; `end` may lie beyond."""
    at, end = start, len(head) if end is None else min(end, len(head))
    while at < end:
        key, at = _varint(head, at)
        if not at:
            return
        wire = key & 7
        if wire == BYTES:
            length, at = _varint(head, at)
            if not at:
                return
        elif wire == VARINT:
            length = _varint(head, at)[1] - at
        elif wire in (FIXED64, FIXED32):
            length = 8 if wire == FIXED64 else 4
        else:
            return
        if length < 0:
            return
        yield key >> 3, (at, at + length)
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and the place behind it; 0 for a place where it does not end."""
    number = shift = 0
    for place in range(at, min(at + 10, len(data))):
        number |= (data[place] & 0x7F) << shift
        shift += 7
        if data[place] < 0x80:
            return number, place + 1
    return 0, 0
