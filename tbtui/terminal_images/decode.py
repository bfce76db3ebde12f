"""Decode images to arrays of pixels, resize and adjust them, compare two, and step through animations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from PIL import Image

from tbtui.frozen import frozen
from tbtui.terminal_images.colour_mapping import tone_bytes, tone_grey
from tbtui.terminal_images.header import (
    FIRST_TRANSPOSED,
    JPEG,
    MAX_PIXELS,
    Header,
    PictureError,
    display_seconds,
    is_text_limit_error,
    open_picture,
    read_header,
    read_orientation,
    silence_pillow,
)

if TYPE_CHECKING:
    import numpy.typing as npt
    from PIL.ImageFile import ImageFile

    from tbtui.terminal_images.colour_mapping import Tone, ValueRange


__all__ = ["Decoded", "Header", "PictureError", "Pixels", "decode", "read_header", "resize", "to_pixels", "to_rgb"]

Pixels: TypeAlias = "npt.NDArray[np.uint8]"
"""An image as uint8[height, width, 3 or 4]: red, green, blue, and alpha (255 opaque) if some of it is transparent."""

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
"""Transposition that sets an image upright, by EXIF orientation."""

MIN_PIXEL_FRACTION = 1 / 64
"""Minimum size of a part of an image, in pixels."""

MIN_SHARP_FACTOR = 8.0
"""Enlargement from which pixels look like squares without repeating them first."""

NOTHING_DECODED = "this image is damaged, or of an unusual kind: nothing of it could be decoded"


@frozen(eq=False)
class Decoded:
    """Pixels of an image."""

    pixels: Pixels
    """See `Pixels`; fewer than in the file if `enough` allowed it."""

    header: Header
    """Header of the file."""

    note: str = ""
    """Defects in a few words: the image is cut short, or its values were scaled. Empty: none."""

    values: ValueRange | None = None
    """Range of the values as stored; None where they are no levels of brightness, and where `enough` was given and the
    range is not narrow."""

    def crop(self, box: tuple[float, float, float, float], width: int, height: int) -> Pixels:
        """Return a part of the image, given in pixels of the file, in another size; see `resize`."""
        across, down = self.pixels.shape[1] / self.header.width, self.pixels.shape[0] / self.header.height
        left, top, right, bottom = box
        return resize(self.pixels, (left * across, top * down, right * across, bottom * down), width, height)


def decode(data: bytes, *, enough: tuple[int, int] | None = None, tone: Tone = "stored") -> Decoded:
    """Decode an image, or the first frame of an animation; the readable part of a damaged file is shown with a note.

    Args:
        data: Bytes of the file.
        enough: Width and height that suffice: a larger image is reduced by a whole factor, not below this. Thumbnails
            of huge images cost a fraction that way.
        tone: How values become colours.

    Raises:
        PictureError: No image, an unsupported one, or one that is too large.
    """
    image, header = open_picture(data)
    reduced = ""
    if header.is_reduced:
        factor = next(factor for factor in (2, 4, 8) if header.width * header.height <= MAX_PIXELS * factor**2)
        width, height = enough or header.size
        enough = min(width, header.width // factor), min(height, header.height // factor)
        reduced = "shown reduced: too large to be decoded whole"
    if enough is not None and header.format == JPEG.name:
        turned = read_orientation(image) >= FIRST_TRANSPOSED
        image.draft("RGB", enough[::-1] if turned else enough)
    note = "; ".join(filter(None, (reduced, _load(image))))
    return _finish(image, header, enough, note, tone)


def _load(image: ImageFile) -> str:
    """Decode the pixels of an opened image.

    Returns:
        The defect if only some pixels could be decoded, else an empty text.

    Raises:
        PictureError: No pixel could be decoded.
    """
    silence_pillow()
    try:
        image.load()
    except Exception as error:
        if is_text_limit_error(error):  # they stand behind the pixels
            return "texts in it too large to be unpacked"
        if not _has_pixels(image):
            raise PictureError(NOTHING_DECODED) from error
        return "cut short" if "truncated" in str(error) else "damaged"
    return ""


def to_rgb(
    image: Image.Image, bits: int, tone: Tone = "stored", *, only_narrow: bool = False
) -> tuple[Image.Image, str, ValueRange | None]:
    """Convert a decoded image of any mode to `RGB` or `RGBA`.

    Args:
        image: Decoded image.
        bits: Bits of each channel in the file.
        tone: How values become colours.
        only_narrow: The range is needed only if it is narrow.

    Returns:
        The image, a note if values were scaled, and the range of its values; None if they are no levels, or if it is
        not needed.
    """
    mode, note, values = image.mode, "", None
    if mode.startswith("I") or mode == "F":
        image, values, note = tone_grey(np.asarray(image), bits, tone)
    if mode in _WITH_ALPHA or "transparency" in image.info:
        return image.convert("RGBA"), note, None
    if mode in ("L", "RGB"):
        image, values = tone_bytes(image, bits, tone, only_narrow=only_narrow)
    return (image if image.mode == "RGB" else image.convert("RGB")), note, values


def to_pixels(image: Image.Image, enough: tuple[int, int] | None, orientation: int = 1) -> Pixels:
    """Return an `RGB` or `RGBA` image as an array, reduced to the size that suffices, and upright."""
    if orientation >= FIRST_TRANSPOSED and enough is not None:
        enough = enough[::-1]
    if enough is not None and (factor := _choose_reduction_factor(image.size, enough)) > 1:
        image = image.reduce(factor)
    if orientation in _TURNS:
        image = image.transpose(_TURNS[orientation])
    pixels: Pixels = np.asarray(image)
    return pixels


def resize(pixels: Pixels, box: tuple[float, float, float, float], width: int, height: int) -> Pixels:
    """Return a part of an image in another size; pixels outside the part cost nothing.

    A pixel of the result is the mean of all pixels that it covers: fine lines become faint, but nothing is lost.
    Enlarged pixels stay squares with sharp edges, of equal width if enlarged by a whole number.

    Args:
        pixels: See `Pixels`.
        box: Left, top, right and bottom of the part, in fractional pixels; limited to the image.
        width: Width of the result, at least 1.
        height: Height of the result, at least 1.
    """
    rows, columns = pixels.shape[:2]
    left, right = _clamp_range(box[0], box[2], columns)
    top, bottom = _clamp_range(box[1], box[3], rows)
    x, y = int(left), int(top)
    visible = pixels[y : max(math.ceil(bottom), y + 1), x : max(math.ceil(right), x + 1)]
    image = Image.fromarray(np.ascontiguousarray(visible))
    across, down = _count_repeats(width, right - left), _count_repeats(height, bottom - top)
    if across > 1 or down > 1:
        image = image.resize((image.width * across, image.height * down), Image.Resampling.NEAREST)
    inner = ((left - x) * across, (top - y) * down, (right - x) * across, (bottom - y) * down)
    small: Pixels = np.asarray(image.resize((width, height), Image.Resampling.BOX, box=inner))
    return small


def _clamp_range(first: float, last: float, size: int) -> tuple[float, float]:
    first = max(0.0, min(first, size - MIN_PIXEL_FRACTION))
    return first, max(first + MIN_PIXEL_FRACTION, min(last, float(size)))


def _count_repeats(count: int, covered: float) -> int:
    """Return the number of repetitions of pixels before means are taken; Pillow enlarges by the nearest pixel.

    Large squares need none: their edges are few.
    """
    times = count / covered
    return math.ceil(times) if 1 < times < MIN_SHARP_FACTOR and not times.is_integer() else 1


def _finish(image: ImageFile, header: Header, enough: tuple[int, int] | None, note: str, tone: Tone) -> Decoded:
    try:
        orientation = read_orientation(image)
        converted, conversion_note, values = to_rgb(image, header.bits, tone, only_narrow=enough is not None)
        notes = "; ".join(filter(None, (note, conversion_note)))
        return Decoded(to_pixels(converted, enough, orientation), header, notes, values)
    except Exception as error:
        raise PictureError(NOTHING_DECODED) from error


def _choose_reduction_factor(size: tuple[int, int], enough: tuple[int, int]) -> int:
    """Return the whole factor to reduce by; one side that reaches the room is enough."""
    return max(min(size[0] // max(enough[0], 1), size[1] // max(enough[1], 1)), 1)


def _has_pixels(image: ImageFile) -> bool:
    """Return True if some pixels were decoded before the failure; stops all further decoding."""
    try:
        image.tile = []
        return image.getbbox(alpha_only=False) is not None
    except Exception:  # noqa: BLE001 - not even room for pixels was made
        return False


LIGHT_CHECKER, DARK_CHECKER = (255, 238), (0, 17)
"""Greys of the checkerboards behind transparent pixels: behind dark ink, and behind light ink. They are as faint as the
palette of sixels keeps apart: the octree of Pillow has 16 levels of a channel."""

Backdrop: TypeAlias = Literal["checker", "white", "black"]

MIN_OPAQUE = 64
"""Alpha from which a pixel counts as ink."""

LUMA = np.array([0.299, 0.587, 0.114])
"""Weights of the channels in brightness; source: ITU-R BT.601."""


def adjust(pixels: Pixels, brightness: float = 1.0, contrast: float = 1.0) -> Pixels:
    """Return an image with another brightness and contrast.

    As in TensorBoard, with the CSS filters `contrast(c) brightness(b)` in this order: channels from 0 to 1 become (p -
    0.5) c + 0.5, then times b, each clipped to 0 to 1. Alpha stays.

    Args:
        pixels: See `Pixels`; the same array is returned if nothing changes.
        brightness: 0 is black, 1 no change; TensorBoard's slider ends at 2.
        contrast: 0 is grey, 1 no change; TensorBoard's slider ends at 5.
    """
    if brightness == contrast == 1:
        return pixels
    levels = np.arange(256) / 255
    levels = np.clip(np.clip((levels - 0.5) * contrast + 0.5, 0, 1) * brightness, 0, 1)
    table = np.rint(levels * 255).astype(np.uint8)
    adjusted_pixels: Pixels = table[pixels]
    if pixels.shape[2] == 4:
        adjusted_pixels[..., 3] = pixels[..., 3]
    return adjusted_pixels


def draw_on_checker(pixels: Pixels, square: int = 1) -> Pixels:
    """Return an image without alpha on a faint checkerboard: a light one if its ink is dark, such as black text.

    Args:
        pixels: See `Pixels`; the same array is returned if it has no alpha.
        square: Side of a square of the board, in pixels.
    """
    if pixels.shape[2] == 3:
        return pixels
    height, width = pixels.shape[:2]
    odd = (np.arange(height)[:, None] // square + np.arange(width) // square) % 2
    checker = LIGHT_CHECKER if _has_dark_ink(pixels) else DARK_CHECKER
    return draw_on_colour(pixels, np.array(checker, np.uint8)[odd][..., None])


def draw_on_backdrop(pixels: Pixels, backdrop: Backdrop, square: int = 1) -> Pixels:
    """Return an image without alpha on the chosen ground; see `draw_on_checker`."""
    if backdrop == "checker":
        return draw_on_checker(pixels, square)
    return draw_on_colour(pixels, np.full(3, 255 if backdrop == "white" else 0, np.uint8))


def _has_dark_ink(pixels: Pixels) -> bool:
    """Return True if the ink beside transparent pixels, which must stand out from them, is mostly dark."""
    is_ink = pixels[..., 3] >= MIN_OPAQUE
    around = np.pad(is_ink, 1, mode="edge")
    is_inner = around[:-2, 1:-1] & around[2:, 1:-1] & around[1:-1, :-2] & around[1:-1, 2:]
    edge = is_ink & ~is_inner
    ink = pixels[edge if edge.any() else is_ink][:, :3]
    return not len(ink) or float(np.median(ink @ LUMA)) < 128


def draw_on_colour(pixels: Pixels, ground: Pixels) -> Pixels:
    """Return an image without alpha over another one.

    Args:
        pixels: See `Pixels`; the same array is returned if it has no alpha.
        ground: Array that broadcasts to uint8[height, width, 3].
    """
    if pixels.shape[2] == 3:
        return pixels
    alpha = pixels[..., 3:].astype(np.uint16)
    blended = pixels[..., :3] * alpha + ground * (255 - alpha)
    return ((blended + 127) // 255).astype(np.uint8)


@frozen(eq=False)
class Difference:
    """Difference of two images."""

    pixels: Pixels
    """Absolute difference of each channel, black if equal; without alpha."""

    largest: int
    """Greatest difference of any channel, 0 to 255."""

    mean: float
    """Mean of all channels, 0 to 255."""

    differing: float
    """Share of the pixels that differ in any channel, 0 to 1."""

    bright: int = 0
    """Difference that `BRIGHT_SHARE` of the channels that differ do not exceed, 0 to 255."""

    note: str = ""
    """Note in a few words: the images differ in size."""


def measure_difference(first: Pixels, second: Pixels) -> Difference:
    """Return the difference of two images, pixel by pixel; where only one is transparent, that of alpha.

    Where their sizes differ, the second is resized to the first, and a note reports it.
    """
    note = ""
    if first.shape[:2] != second.shape[:2]:
        (height, width), (down, across) = first.shape[:2], second.shape[:2]
        note = f"{width}×{height} beside {across}×{down}, brought to that size"
        second = resize(second, (0.0, 0.0, float(across), float(down)), width, height)
    black = np.zeros(1, np.uint8)
    distances = _measure_distance(draw_on_colour(first, black), draw_on_colour(second, black))
    if first.shape[2] == 4 or second.shape[2] == 4:
        distances = np.maximum(distances, _measure_distance(_extract_alpha(first), _extract_alpha(second)))
    if not distances.size:
        return Difference(distances, 0, 0.0, 0.0, note=note)
    return Difference(
        distances,
        int(distances.max()),
        float(distances.mean()),
        float(distances.any(axis=2).mean()),
        _brighten(distances),
        note,
    )


BRIGHT_SHARE = 0.98
"""Part of the channels that differ for which the drawing of a difference is scaled: a few outliers, such as the edge
of a moved object, would leave everything else black."""


def _brighten(distances: Pixels) -> int:
    counts = np.bincount(distances.ravel(), minlength=256)
    counts[0] = 0
    below = np.cumsum(counts)
    return int(np.searchsorted(below, BRIGHT_SHARE * below[-1])) if below[-1] else 0


def compute_difference_gain(bright: int) -> int:
    """Return the power of two by which a difference is multiplied to be visible, 1 to 128; see `Difference.bright`."""
    return 1 << (255 // max(bright, 1)).bit_length() - 1 if bright else 1


def amplify(pixels: Pixels, gain: int) -> Pixels:
    """Return pixels times a gain, at most 255."""
    return pixels if gain == 1 else np.minimum(np.arange(256) * gain, 255).astype(np.uint8)[pixels]


def _measure_distance(first: Pixels, second: Pixels) -> Pixels:
    return np.asarray(np.maximum(first, second) - np.minimum(first, second))


def _extract_alpha(pixels: Pixels) -> Pixels:
    return pixels[..., 3:] if pixels.shape[2] == 4 else np.full((*pixels.shape[:2], 1), 255, np.uint8)


@frozen(eq=False)
class Frame:
    """A frame of an animation."""

    pixels: Pixels
    """See `Pixels`."""

    seconds: float
    """Duration of the frame."""


class Frames:
    """Frames of a GIF, WebP or PNG, decoded one at a time; any other image has one.

    Most frames store only the difference from the one before. In order each costs its own decoding; going back costs
    all frames before it. Used by one thread at a time.

    Args:
        data: Bytes of the file.

    Raises:
        PictureError: No image, an unsupported one, or one that is too large.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._image, self.header = open_picture(data)

    def __len__(self) -> int:
        return self.header.frames

    def at(self, index: int, *, enough: tuple[int, int] | None = None, tone: Tone = "stored") -> Frame:
        """Return one frame.

        Args:
            index: Index from 0.
            enough: Width and height that suffice, as for `decode`.
            tone: How values become colours.

        Raises:
            PictureError: There is no such frame, or it cannot be decoded.
        """
        if index < self._image.tell():
            self._image, _ = open_picture(self._data)  # Pillow loses its place in a PNG that is rewound twice
        silence_pillow()
        image = self._image
        try:
            if len(self) > 1:
                image.seek(index)
            if image.width * image.height > MAX_PIXELS:
                raise ValueError(image.size)
            image.load()
            converted, _, _ = to_rgb(image, self.header.bits, tone, only_narrow=True)
            pixels = to_pixels(converted, enough, read_orientation(image))
            seconds = float(image.info.get("duration", 0)) / 1000
        except Exception as error:
            raise PictureError(f"frame {index + 1} of {len(self)} cannot be decoded") from error
        return Frame(pixels, display_seconds(seconds))
