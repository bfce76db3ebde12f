"""Decode the images of one step, which every writer stores as a tensor of strings.

Source: TensorBoard `plugins/image/summary_v2.py` and `metadata.py`: a vector of width and height in ASCII digits,
then k encoded images. The first bytes of an event give k, so the images need not be read for it.
"""

from __future__ import annotations

from typing import Any

from tbtui.events.event_prefix import find_shape, is_converted
from tbtui.events.tensors import TensorError, format_shape, to_array
from tbtui.frozen import frozen

_IMAGE = 4
"""Field of `Summary.Value`."""

_CONVERTED = 2
"""Field of `ImagePluginData`."""

_SIZES = 2
"""Entries of the vector before the first image."""

_MAX_DIGITS = 10


NO_VALUE = "an empty value: PyTorch's add_video writes one with moviepy 2"
"""Message about an empty value, with its only known writer (pytorch issue 147317)."""


class ImageError(ValueError):
    """A value holds no images; the message is one plain sentence."""


@frozen
class Pictures:
    """Encoded images of one step."""

    encoded: tuple[bytes, ...]
    """One file per image: PNG, JPEG, GIF or another format; possibly none."""

    claimed: tuple[int, int] | None = None
    """Width and height that the writer wrote, which an image may contradict; None if they are not numbers."""

    @property
    def nbytes(self) -> int:
        """Size of all files, in bytes."""
        return sum(map(len, self.encoded))


def read_pictures(value: Any) -> Pictures:
    """Return the images of a `SummaryValue`, in its old form (`image`) or the new one (`tensor`).

    Raises:
        ImageError: The value holds no images.
    """
    kind = value.WhichOneof("value")
    if kind == "image":
        image = value.image
        return Pictures((bytes(image.encoded_image_string),), (int(image.width), int(image.height)))
    if kind is None:
        raise ImageError(NO_VALUE)
    if kind != "tensor":
        raise ImageError("this value holds no image")
    try:
        array = to_array(value.tensor)
    except TensorError as error:
        raise ImageError(str(error)) from error
    if array.dtype != object or array.ndim != 1 or len(array) < _SIZES:
        shape = format_shape(array.shape) if array.ndim else "a single value"
        raise ImageError(
            f"images are logged as a vector of strings, not as a tensor of {array.dtype} and shape {shape}"
        )
    width, height, *encoded = array.tolist()
    sizes = _number(width), _number(height)
    return Pictures(tuple(encoded), None if None in sizes else sizes)  # type: ignore[arg-type]


def _number(digits: bytes) -> int | None:
    return int(digits) if digits.isdigit() and len(digits) <= _MAX_DIGITS else None


def was_converted(content: bytes) -> bool:
    """Return True if the values of a tag were converted from `Summary.Image`, which holds one image each.

    Args:
        content: Plugin metadata of the tag, a serialized `ImagePluginData`.
    """
    return is_converted(content, _CONVERTED)


def count_in(head: bytes, index: int) -> int | None:
    """Count the images of a value from the first bytes of its event.

    Args:
        head: First bytes of a serialized `Event`; may be cut anywhere.
        index: Index of the value in the summary of the event.

    Returns:
        The number of images; None if these bytes do not hold it.
    """
    shape = find_shape(head, index, _IMAGE)
    if shape == ():
        return 1
    return shape[0] - _SIZES if shape is not None and len(shape) == 1 and shape[0] >= _SIZES else None
