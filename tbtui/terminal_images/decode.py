"""Brightness and contrast, transparency, and what lies between two pictures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from PIL import Image

from tbtui.frozen import frozen
from tbtui.terminal_images.header import (
    FIRST_TRANSPOSED,
    JPEG,
    MAX_PIXELS,
    Header,
    PictureError,
    is_text_limit_error,
    open_picture,
    orientation_of,
    quiet_pillow,
    read_header,
)

if TYPE_CHECKING:
    import numpy.typing as npt
    from PIL.ImageFile import ImageFile


# From the bytes of a picture to an array of its pixels, and from that to as many as are seen.


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

MIN_PIXEL_PART = 1 / 64
"""Of a pixel: less is not looked at."""

MIN_SHARP_FACTOR = 8.0
"""Times that a pixel is enlarged, from which on it is seen as a square anyway."""

MIN_SPAN = 1e-35
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
        turned = orientation_of(image) >= FIRST_TRANSPOSED
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
        if is_text_limit_error(error):  # they stand behind the pixels
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
    if orientation >= FIRST_TRANSPOSED and enough is not None:
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
    first = max(0.0, min(first, size - MIN_PIXEL_PART))
    return first, max(first + MIN_PIXEL_PART, min(last, float(size)))


def _repeats(count: int, covered: float) -> int:
    """How often pixels are repeated before means are taken: where it enlarges Pillow takes the nearest one alone.

    Of large squares the edges are so few that this does for them.
    """
    times = count / covered
    return math.ceil(times) if 1 < times < MIN_SHARP_FACTOR and not times.is_integer() else 1


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
    numbers *= 510 / max(high - low, MIN_SPAN)
    return Image.fromarray(np.rint(numbers, out=numbers).astype(np.uint8)), f"black is {low:.4g}, white {high:.4g}"


def _something(image: ImageFile) -> bool:
    """Whether anything was decoded before it failed; then nothing more is tried."""
    try:
        image.tile = []
        return image.getbbox(alpha_only=False) is not None
    except Exception:  # noqa: BLE001 - not even room for pixels was made
        return False


CHECKER = (102, 153)
"""Greys of the squares behind what is transparent, as painting programs have them; seen as such on dark and light."""


def adjusted(pixels: Pixels, brightness: float = 1.0, contrast: float = 1.0) -> Pixels:
    """A picture with another brightness and contrast.

    As TensorBoard has it, with the CSS filters `contrast(c) brightness(b)`, one after the other: with channels from 0
    to 1 first (p - 0.5) c + 0.5, then times b, after each no less than 0 and no more than 1. Alpha stays.

    Args:
        pixels: See `Pixels`; the same array is returned where nothing is to be done.
        brightness: 0 is black, 1 nothing changed; TensorBoard's slider ends at 2.
        contrast: 0 is grey, 1 nothing changed; TensorBoard's slider ends at 5.
    """
    if brightness == contrast == 1:
        return pixels
    levels = np.arange(256) / 255
    levels = np.clip(np.clip((levels - 0.5) * contrast + 0.5, 0, 1) * brightness, 0, 1)
    table = np.rint(levels * 255).astype(np.uint8)
    out: Pixels = table[pixels]
    if pixels.shape[2] == 4:
        out[..., 3] = pixels[..., 3]
    return out


def on_checker(pixels: Pixels, square: int = 1) -> Pixels:
    """A picture without alpha: what is transparent lets a checkerboard through.

    Args:
        pixels: See `Pixels`; the same array is returned where it has no alpha.
        square: Side of a square of the board, in pixels.
    """
    if pixels.shape[2] == 3:
        return pixels
    height, width = pixels.shape[:2]
    odd = (np.arange(height)[:, None] // square + np.arange(width) // square) % 2
    return on_colour(pixels, np.array(CHECKER, np.uint8)[odd][..., None])


def on_colour(pixels: Pixels, ground: Pixels) -> Pixels:
    """A picture without alpha before another one.

    Args:
        pixels: See `Pixels`; the same array is returned where it has no alpha.
        ground: Whatever can be spread to uint8[height, width, 3].
    """
    if pixels.shape[2] == 3:
        return pixels
    alpha = pixels[..., 3:].astype(np.uint16)
    both = pixels[..., :3] * alpha + ground * (255 - alpha)
    return ((both + 127) // 255).astype(np.uint8)


@frozen(eq=False)
class Difference:
    """How far two pictures are apart."""

    pixels: Pixels
    """Of each channel the distance, black where there is none; without alpha."""

    largest: int
    """The largest distance of any channel, 0 to 255."""

    mean: float
    """Of all channels, 0 to 255."""

    differing: float
    """Part of the pixels that differ in any channel, 0 to 1."""

    note: str = ""
    """What has to be known, in a few words: the pictures are not of one size."""


def difference(one: Pixels, other: Pixels) -> Difference:
    """The distance of two pictures, pixel by pixel; of what is transparent in one of them alone, it is how much.

    Where their sizes differ, the second is brought to the size of the first, and that is said.
    """
    note = ""
    if one.shape[:2] != other.shape[:2]:
        (height, width), (down, across) = one.shape[:2], other.shape[:2]
        note = f"{width}×{height} beside {across}×{down}, brought to that size"
        other = resized(other, (0.0, 0.0, float(across), float(down)), width, height)
    black = np.zeros(1, np.uint8)
    apart = _distance(on_colour(one, black), on_colour(other, black))
    if one.shape[2] == 4 or other.shape[2] == 4:
        apart = np.maximum(apart, _distance(_alpha(one), _alpha(other)))
    if not apart.size:
        return Difference(apart, 0, 0.0, 0.0, note)
    return Difference(apart, int(apart.max()), float(apart.mean()), float(apart.any(axis=2).mean()), note)


def _distance(one: Pixels, other: Pixels) -> Pixels:
    return np.asarray(np.maximum(one, other) - np.minimum(one, other))


def _alpha(pixels: Pixels) -> Pixels:
    return pixels[..., 3:] if pixels.shape[2] == 4 else np.full((*pixels.shape[:2], 1), 255, np.uint8)


# The frames of an animation, decoded one at a time when they are asked for.


MIN_FRAME_SECONDS, DEFAULT_FRAME_SECONDS = 0.02, 0.1
"""Seconds: a frame that claims to be shown for less than the first is shown for the second, as in browsers; most such
claims are a zero that means nothing."""


@frozen(eq=False)
class Frame:
    """A picture of an animation."""

    pixels: Pixels
    """See `graphics.pictures.Pixels`."""

    seconds: float
    """How long it is shown."""


class Frames:
    """The frames of a GIF, WebP or PNG; any other picture has one.

    Most frames only say what differs from the one before. So in order each costs its own decoding, and going back costs
    that of all before it. Belongs to one thread at a time.

    Args:
        data: The file.

    Raises:
        PictureError: No picture, none that can be shown, or too large a one.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._image, self.header = open_picture(data)

    def __len__(self) -> int:
        return self.header.frames

    def at(self, index: int, *, enough: tuple[int, int] | None = None) -> Frame:
        """One of them.

        Args:
            index: From 0 on.
            enough: Width and height that need not be exceeded, as for `decode`.

        Raises:
            PictureError: There is no such frame, or it cannot be decoded.
        """
        if index < self._image.tell():
            self._image, _ = open_picture(self._data)  # Pillow loses its place in a PNG that is rewound twice
        quiet_pillow()
        image = self._image
        try:
            if len(self) > 1:
                image.seek(index)
            if image.width * image.height > MAX_PIXELS:
                raise ValueError(image.size)
            image.load()
            converted, _ = to_rgb(image, self.header.bits)
            pixels = to_pixels(converted, enough, orientation_of(image))
            seconds = float(image.info.get("duration", 0)) / 1000
        except Exception as error:
            raise PictureError(f"frame {index + 1} of {len(self)} cannot be decoded") from error
        return Frame(pixels, seconds if seconds >= MIN_FRAME_SECONDS else DEFAULT_FRAME_SECONDS)
