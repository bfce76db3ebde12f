"""Map the values of an image to colours: as stored, stretched to their range, or with a map for depth or for classes.

A mask of classes 0 to 2, or a depth of 0 to 2,520 mm in 16 bits, looks black as stored. Sources of the colours: viridis
of Matplotlib for depth, the map of the PASCAL VOC development kit (`VOClabelcolormap`) for classes.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from PIL import Image

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Values: TypeAlias = npt.NDArray[np.generic]

Tone: TypeAlias = Literal["stored", "stretched", "depth", "classes"]

MAX_NARROW_SHARE = 0.05
"""Maximum share of the possible range of an image whose range is reported."""

SAMPLE_SIZE = (32, 32)
"""Columns and rows of the pixels that prove that an image has contrast."""

MIN_SPAN = 1e-35
"""Minimum range of numbers that are distinguished; smaller ranges are black."""

_VIRIDIS = "440154 482878 3e4a89 31688e 26828e 1f9e89 35b779 6dcd59 b4de2c fde725"


@frozen
class ValueRange:
    """Smallest and largest value of an image as stored."""

    low: int
    high: int
    max_value: int
    """Largest possible value."""

    @property
    def has_contrast(self) -> bool:
        """True if the range is a usual share of the possible one."""
        return self.high - self.low > MAX_NARROW_SHARE * self.max_value

    @property
    def is_narrow(self) -> bool:
        """True if the stored image has hardly any contrast, unless it is completely black or white."""
        is_plain = self.low == self.high and self.low in (0, self.max_value)
        return not self.has_contrast and not is_plain

    @property
    def text(self) -> str:
        """Return `values 0–2 of 255`."""
        ends = f"{self.low:,}–{self.high:,}" if self.low != self.high else f"{self.low:,}"
        return f"values {ends} of {self.max_value:,}"


def tone_grey(values: Values, bits: int, tone: Tone) -> tuple[Image.Image, ValueRange | None, str]:
    """Return an image with one channel of numbers in grey or in colours, its range, and a note.

    Grey of 16 bits is mapped from its full range, other numbers from their minimum and maximum, which the note gives.

    Args:
        values: Numbers, [height, width].
        bits: Bits of a number in the file.
        tone: Mapping of values to colours.
    """
    if values.dtype.kind in "ui" and bits <= 16:
        low, high = int(values.min()), int(values.max())
        value_range = ValueRange(low, high, (1 << 16) - 1)
        if tone == "classes":
            return Image.fromarray(_colour_classes()[values.astype(np.int64)]), value_range, ""
        if tone == "stored":
            return Image.fromarray(((values.astype(np.uint32) + 128) // 257).astype(np.uint8)), value_range, ""
        return _colour_levels(_to_levels(values.astype(np.float32), low, high), tone), value_range, ""
    numbers = values.astype(np.float32)
    is_finite = np.isfinite(numbers)
    low_end = float(numbers.min(where=is_finite, initial=np.inf)) if is_finite.any() else 0.0
    high_end = float(numbers.max(where=is_finite, initial=-np.inf)) if is_finite.any() else 0.0
    np.nan_to_num(numbers, copy=False, nan=low_end, posinf=high_end, neginf=low_end)
    if tone == "classes":
        return Image.fromarray(_colour_classes()[np.clip(numbers, 0, 65535).astype(np.int64)]), None, ""
    note = f"black is {low_end:.4g}, white {high_end:.4g}"
    return _colour_levels(_to_levels(numbers, low_end, high_end), tone), None, note


def tone_bytes(
    image: Image.Image, bits: int, tone: Tone, *, only_narrow: bool = False
) -> tuple[Image.Image, ValueRange | None]:
    """Return an `L` or `RGB` image as `RGB`, and its range. Only grey images get the colours of a map.

    Args:
        image: The decoded image.
        bits: Bits of each channel in the file; Pillow has expanded fewer than 8 to 8.
        tone: Mapping of values to colours.
        only_narrow: The range is needed only if it is narrow: None for an image as stored whose sample has contrast.
            To measure the range takes a seventh of the decoding of a PNG.
    """
    factor = 255 // ((1 << bits) - 1) if image.mode == "L" and bits < 8 else 1
    if tone == "stored" and only_narrow and _measure_range(_sample(image), factor).has_contrast:
        return _as_rgb(image), None
    value_range = _measure_range(image, factor)
    low, high = value_range.low * factor, value_range.high * factor
    if tone in ("depth", "classes") and (grey := _read_grey_channel(image)) is not None:
        values = np.asarray(grey)
        if tone == "classes":
            return Image.fromarray(_colour_classes()[values // factor]), value_range
        return _colour_levels(_to_levels(values.astype(np.float32), low, high), tone), value_range
    if tone == "stretched" and high > low:
        table = [min(max(round((level - low) * 255 / (high - low)), 0), 255) for level in range(256)]
        image = image.point(table * len(image.getbands()))
    return _as_rgb(image), value_range


def _measure_range(image: Image.Image, factor: int) -> ValueRange:
    ends = np.array(image.getextrema())  # of each channel
    return ValueRange(int(ends.min()) // factor, int(ends.max()) // factor, 255 // factor)


def _sample(image: Image.Image) -> Image.Image:
    """Return pixels of the image, spread evenly."""
    return image.resize(SAMPLE_SIZE, Image.Resampling.NEAREST)


def _as_rgb(image: Image.Image) -> Image.Image:
    return image if image.mode == "RGB" else image.convert("RGB")


def _read_grey_channel(image: Image.Image) -> Image.Image | None:
    """Return the only channel of an image, or one of three equal channels; None for colours."""
    if image.mode == "L":
        return image
    red, green, blue = image.split()
    return red if red.tobytes() == green.tobytes() == blue.tobytes() else None


def _to_levels(numbers: npt.NDArray[np.float32], low: float, high: float) -> npt.NDArray[np.uint8]:
    """Map numbers from the low to the high end to 0 to 255."""
    numbers *= 0.5  # so that no difference overflows
    numbers -= low / 2
    numbers *= 510 / max(high - low, MIN_SPAN)
    levels: npt.NDArray[np.uint8] = np.rint(numbers, out=numbers).astype(np.uint8)
    return levels


def _colour_levels(levels: npt.NDArray[np.uint8], tone: Tone) -> Image.Image:
    return Image.fromarray(_colour_depths()[levels] if tone == "depth" else levels)


@cache
def _colour_depths() -> npt.NDArray[np.uint8]:
    """Return uint8[256, 3]."""
    anchors = np.array([list(bytes.fromhex(colour)) for colour in _VIRIDIS.split()])
    positions = np.linspace(0, len(anchors) - 1, 256)
    channels = [np.interp(positions, np.arange(len(anchors)), anchors[:, channel]) for channel in range(3)]
    colours: npt.NDArray[np.uint8] = np.rint(np.stack(channels, axis=1)).astype(np.uint8)
    return colours


@cache
def _colour_classes() -> npt.NDArray[np.uint8]:
    """Return uint8[65536, 3]: the colour of each class; 0 is black, and after 255 the colours repeat."""
    classes = np.arange(1 << 16)
    numbers = np.where(classes > 0, 1 + (classes - 1) % 255, 0)
    colours = np.zeros((len(classes), 3), np.uint8)
    for bit in range(8):
        for channel in range(3):
            colours[:, channel] |= ((numbers >> (3 * bit + channel) & 1) << (7 - bit)).astype(np.uint8)
    return colours
