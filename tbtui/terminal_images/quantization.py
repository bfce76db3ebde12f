"""Reduce images to the colours of a terminal or to a palette.

Few colours are dithered in a fixed pattern (ordered dithering): the mean of neighbours is closer to the image, and for
two images that differ in a corner, only the corner is drawn again. Source: B. E. Bayer, "An optimum method for
two-level rendition of continuous-tone pictures", 1973.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.terminal_images.decode import Pixels


_CUBE = np.array([0, 95, 135, 175, 215, 255])
"""Levels of each channel in the colours 16 to 231 of an xterm."""

_GREYS = np.array([0, *range(8, 239, 10), 255])
"""Levels of the greys 232 to 255 of an xterm, with black and white."""

_GREYS_FOR_RICH = np.rint(np.arange(len(_GREYS)) * 255 / (len(_GREYS) - 1)).astype(np.int_)
"""Greys that Rich maps to each of these levels: it divides the range from black to white evenly, unlike xterm."""

DITHER_STRENGTH = 0.4
"""Range of the thresholds around the middle: strong dithering of few pixels looks like noise."""

_SIXTEEN_HEX = """
    000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff
"""

_SIXTEEN = np.array([list(bytes.fromhex(colour)) for colour in _SIXTEEN_HEX.split()])
"""The sixteen colours of a VGA; the user may have changed them in the terminal."""

_SPREAD = 48
"""Maximum change of a channel by dithering in sixteen colours, up and down together."""

_BAYER = (np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) + 0.5) / 16
"""Thresholds evenly distributed from 0 to 1."""


def tile_thresholds(height: int, width: int) -> npt.NDArray[np.float64]:
    """Return float64[height, width] from 0 to 1, evenly distributed among neighbours."""
    return np.tile(_BAYER, (-(-height // 4), -(-width // 4)))[:height, :width]


def quantize_256(pixels: Pixels) -> Pixels:
    """Return uint8[height, width, 3] in the colours 16 to 255 of an xterm."""
    limits = 0.5 + DITHER_STRENGTH * (tile_thresholds(*pixels.shape[:2]) - 0.5)[..., None]
    middle, mean = np.array(0.5), np.rint(pixels.mean(axis=2, keepdims=True))
    from_cube = ((_dither(pixels, _CUBE, middle) - pixels.astype(np.int_)) ** 2).sum(axis=2)
    from_grey = ((_dither(mean, _GREYS, middle) - pixels.astype(np.int_)) ** 2).sum(axis=2)
    greys = _GREYS_FOR_RICH[np.searchsorted(_GREYS, _dither(mean, _GREYS, limits))]
    is_grey_nearer = (from_grey < from_cube)[..., None]
    return np.where(is_grey_nearer, greys, _dither(pixels, _CUBE, limits)).astype(np.uint8)


def quantize_16(pixels: Pixels) -> Pixels:
    """Return uint8[height, width, 3] in the colours of a VGA."""
    dithered = pixels + (tile_thresholds(*pixels.shape[:2])[..., None] - 0.5) * _SPREAD
    # |a - b|² without the term that all colours share; green contributes most to brightness.
    weights = np.array([0.30, 0.59, 0.11])
    distances = (_SIXTEEN**2 @ weights) - 2 * (dithered * weights) @ _SIXTEEN.T
    nearest: Pixels = _SIXTEEN[distances.argmin(axis=2)].astype(np.uint8)
    return nearest


def _dither(
    values: npt.NDArray[np.uint8] | npt.NDArray[np.float64],
    levels: npt.NDArray[np.int_],
    limits: npt.NDArray[np.float64],
) -> npt.NDArray[np.int_]:
    """Return the level below or above each value, depending on its threshold."""
    above = np.clip(np.searchsorted(levels, values), 1, len(levels) - 1)
    low, high = levels[above - 1], levels[above]
    return np.where((values - low) > limits * (high - low), high, low)


MIN_AREA_SHARE = 1 / 32
"""Minimum share of an image that is an area of one colour of the palette."""


def quantize_to_palette(pixels: Pixels, colours: int, *, dithered: bool = False) -> Image.Image:
    """Return an image of mode `P` with its own palette, including alpha.

    An octree uses the mean of all pixels of a colour, which tints a white background. Colours of large areas are
    therefore replaced by their median.

    Args:
        pixels: See `terminal_images.decode.Pixels`.
        colours: Maximum number of colours, at most 256.
        dithered: Diffuse errors to neighbours: a photo has no bands, and takes 50 % more bytes. Not for images with
            alpha.
    """
    image = Image.fromarray(np.ascontiguousarray(pixels))
    reduced = image.quantize(colours, method=Image.Quantize.FASTOCTREE)
    indices, channels = np.asarray(reduced), pixels.shape[2]
    palette = np.array(reduced.getpalette(image.mode), np.uint8).reshape(-1, channels)
    counts = np.bincount(indices.ravel(), minlength=len(palette))
    for index in np.flatnonzero(counts > MIN_AREA_SHARE * indices.size).tolist():
        palette[index] = np.median(pixels[indices == index], axis=0).astype(np.uint8)
    reduced.putpalette(palette.tobytes(), image.mode)
    return image.quantize(palette=reduced, dither=Image.Dither.FLOYDSTEINBERG) if dithered else reduced
