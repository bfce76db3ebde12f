"""The pictures of one step: a tensor of strings, the same whoever wrote it.

Source: TensorBoard `plugins/image/summary_v2.py` and `metadata.py`: a vector of width and height in ASCII digits and
then k encoded pictures. How many there are can be told from the first bytes of an event, without reading the pictures.
"""

from __future__ import annotations

from typing import Any

from tbtui.events.tensors import TensorError, spelled, to_array
from tbtui.events.wire import converted_in, shape_in
from tbtui.frozen import frozen

_IMAGE = 4
"""Of a value."""

_CONVERTED = 2
"""Of `ImagePluginData`."""

_SIZES = 2
"""Entries of the vector before the first picture."""

_MOST_DIGITS = 10


class ImageError(ValueError):
    """A value that holds no pictures; the message is one plain sentence."""


@frozen
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
    return converted_in(content, _CONVERTED)


def count_in(head: bytes, index: int) -> int | None:
    """How many pictures a value has, told from the first bytes of its event alone.

    Args:
        head: The first bytes of a serialized `Event`; it may end anywhere.
        index: Of the value in the event's summary.

    Returns:
        None when these bytes do not tell.
    """
    shape = shape_in(head, index, _IMAGE)
    if shape == ():
        return 1
    return shape[0] - _SIZES if shape is not None and len(shape) == 1 and shape[0] >= _SIZES else None
