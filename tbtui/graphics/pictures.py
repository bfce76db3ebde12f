"""From the bytes of a picture to an array of its pixels, and from that to as many as are seen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from PIL import Image

from tbtui.frozen import frozen
from tbtui.graphics.formats import JPEG
from tbtui.graphics.header import (
    LYING,
    Header,
    PictureError,
    is_of_texts,
    open_picture,
    orientation_of,
    quiet_pillow,
    read_header,
)

if TYPE_CHECKING:
    import numpy.typing as npt
    from PIL.ImageFile import ImageFile

__all__ = ["Decoded", "Header", "PictureError", "Pixels", "decode", "read_header", "resized", "to_pixels", "to_rgb"]

Pixels: TypeAlias = "npt.NDArray[np.uint8]"
"""A picture uint8[height, width, 3 or 4]: red, green, blue, and where some of it is transparent alpha, 255 opaque."""

_WITH_ALPHA = frozenset({"RGBA", "RGBa", "LA", "La", "PA"})
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What sets a picture upright, by its orientation."""

LEAST_PART = 1 / 64
"""Of a pixel: less is not looked at."""

LARGE = 8.0
"""Times that a pixel is enlarged, from which on it is seen as a square anyway."""

LEAST_SPAN = 1e-35
"""Numbers that are all within less are black."""

NOTHING_DECODED = "this picture is damaged, or of an unusual kind: nothing of it could be decoded"


@frozen(eq=False)
class Decoded:
    """The pixels of a picture."""

    pixels: Pixels
    """See `Pixels`; fewer than the file has where less was enough."""

    header: Header
    """What the file says of itself."""

    note: str = ""
    """What is not as it should be, in a few words: the picture is cut short, or was brought to what can be shown."""

    def part(self, box: tuple[float, float, float, float], width: int, height: int) -> Pixels:
        """A part of the picture, told in pixels of the file, in another size: see `resized`."""
        across, down = self.pixels.shape[1] / self.header.width, self.pixels.shape[0] / self.header.height
        left, top, right, bottom = box
        return resized(self.pixels, (left * across, top * down, right * across, bottom * down), width, height)


def decode(data: bytes, *, enough: tuple[int, int] | None = None) -> Decoded:
    """The pixels of a picture, of an animation those of its first frame.

    What a damaged file still holds is shown, and said to be damaged.

    Args:
        data: The file.
        enough: Width and height that need not be exceeded: a larger picture is brought down by a whole factor, not
            below this. Thumbnails of huge pictures cost a fraction that way.

    Raises:
        PictureError: No picture, none that can be shown, or too large a one.
    """
    image, header = open_picture(data)
    if enough is not None and header.format == JPEG.name:
        turned = orientation_of(image) >= LYING
        image.draft("RGB", enough[::-1] if turned else enough)
    note = _load(image)
    return Decoded(*_finished(image, header, enough, note))


def _load(image: ImageFile) -> str:
    """Decode the pixels of what was opened.

    Returns:
        What is wrong with them, though some could be decoded; otherwise an empty text.

    Raises:
        PictureError: There is nothing to be shown.
    """
    quiet_pillow()
    try:
        image.load()
    except Exception as error:
        if is_of_texts(error):  # they stand behind the pixels
            return "texts in it too large to be unpacked"
        if not _something(image):
            raise PictureError(NOTHING_DECODED) from error
        return "cut short" if "truncated" in str(error) else "damaged"
    return ""


def to_rgb(image: Image.Image, bits: int) -> tuple[Image.Image, str]:
    """A decoded picture of any mode in `RGB` or `RGBA`.

    Args:
        image: Decoded.
        bits: Of each channel in the file.

    Returns:
        The picture, and what was done to it where that is not plain.
    """
    mode, note = image.mode, ""
    if mode.startswith("I") or mode == "F":
        image, note = _brought_to_8_bits(np.asarray(image), bits)
    if mode in _WITH_ALPHA or "transparency" in image.info:
        return image.convert("RGBA"), note
    return (image if mode == "RGB" else image.convert("RGB")), note


def to_pixels(image: Image.Image, enough: tuple[int, int] | None, orientation: int = 1) -> Pixels:
    """An `RGB` or `RGBA` picture as an array, brought down to what is enough and set upright."""
    if orientation >= LYING and enough is not None:
        enough = enough[::-1]
    if enough is not None and (factor := _factor(image.size, enough)) > 1:
        image = image.reduce(factor)
    if orientation in _TURNS:
        image = image.transpose(_TURNS[orientation])
    pixels: Pixels = np.asarray(image)
    return pixels


def resized(pixels: Pixels, box: tuple[float, float, float, float], width: int, height: int) -> Pixels:
    """A part of a picture in another size; what lies outside that part costs nothing.

    A pixel of the outcome is the mean of all that it covers: fine lines become faint, but nothing is left out. Enlarged
    pixels stay squares with sharp edges, of one width where they are enlarged by a whole number.

    Args:
        pixels: See `Pixels`.
        box: Left, top, right and bottom of the part, in pixels and parts of them; what lies outside is left out.
        width: Of the outcome, at least 1.
        height: Likewise.
    """
    rows, columns = pixels.shape[:2]
    left, right = _within(box[0], box[2], columns)
    top, bottom = _within(box[1], box[3], rows)
    x, y = int(left), int(top)
    part = pixels[y : max(math.ceil(bottom), y + 1), x : max(math.ceil(right), x + 1)]
    image = Image.fromarray(np.ascontiguousarray(part))
    across, down = _repeats(width, right - left), _repeats(height, bottom - top)
    if across > 1 or down > 1:
        image = image.resize((image.width * across, image.height * down), Image.Resampling.NEAREST)
    inner = ((left - x) * across, (top - y) * down, (right - x) * across, (bottom - y) * down)
    small: Pixels = np.asarray(image.resize((width, height), Image.Resampling.BOX, box=inner))
    return small


def _within(first: float, last: float, size: int) -> tuple[float, float]:
    first = max(0.0, min(first, size - LEAST_PART))
    return first, max(first + LEAST_PART, min(last, float(size)))


def _repeats(count: int, covered: float) -> int:
    """How often pixels are repeated before means are taken: where it enlarges Pillow takes the nearest one alone.

    Of large squares the edges are so few that this does for them.
    """
    times = count / covered
    return math.ceil(times) if 1 < times < LARGE and not times.is_integer() else 1


def _finished(
    image: ImageFile, header: Header, enough: tuple[int, int] | None, note: str
) -> tuple[Pixels, Header, str]:
    try:
        orientation = orientation_of(image)
        converted, told = to_rgb(image, header.bits)
        return to_pixels(converted, enough, orientation), header, "; ".join(filter(None, (note, told)))
    except Exception as error:
        raise PictureError(NOTHING_DECODED) from error


def _factor(size: tuple[int, int], enough: tuple[int, int]) -> int:
    """By which whole number a picture may be divided: what fits into a room is enough if one side of it does."""
    return max(min(size[0] // max(enough[0], 1), size[1] // max(enough[1], 1)), 1)


def _brought_to_8_bits(values: npt.NDArray[np.generic], bits: int) -> tuple[Image.Image, str]:
    """Grey of 16 bits by its upper end, which is white as that of 8 bits is; other numbers by what is found in them."""
    if values.dtype.kind in "ui" and bits <= 16:
        return Image.fromarray(((values.astype(np.uint32) + 128) // 257).astype(np.uint8)), ""
    numbers = values.astype(np.float32)
    finite = np.isfinite(numbers)
    low = float(numbers.min(where=finite, initial=np.inf)) if finite.any() else 0.0
    high = float(numbers.max(where=finite, initial=-np.inf)) if finite.any() else 0.0
    np.nan_to_num(numbers, copy=False, nan=low, posinf=high, neginf=low)
    numbers *= 0.5  # so that the distance of any two is a number
    numbers -= low / 2
    numbers *= 510 / max(high - low, LEAST_SPAN)
    return Image.fromarray(np.rint(numbers, out=numbers).astype(np.uint8)), f"black is {low:.4g}, white {high:.4g}"


def _something(image: ImageFile) -> bool:
    """Whether anything was decoded before it failed; then nothing more is tried."""
    try:
        image.tile = []
        return image.getbbox(alpha_only=False) is not None
    except Exception:  # noqa: BLE001 - not even room for pixels was made
        return False
