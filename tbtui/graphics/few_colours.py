"""Pictures in a palette of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from tbtui.graphics.pictures import Pixels

LARGE_PART = 1 / 32
"""Of a picture: so much in one colour of the palette is taken for an area."""


def in_palette(pixels: Pixels, colours: int, *, dithered: bool = False) -> Image.Image:
    """A picture of mode `P`, where alpha is there with it.

    An octree takes the mean of whatever goes into one of its colours, so that a white ground gets the tint of what is
    drawn on it. Colours of large areas are therefore put right: they become the median, which most of an area is.

    Args:
        pixels: See `Pixels`.
        colours: At most, 256 or fewer.
        dithered: Whether neighbours make up for what each of them is off: a photo then shows no bands, and takes half
            as many bytes again. Not of pictures with alpha.
    """
    image = Image.fromarray(np.ascontiguousarray(pixels))
    reduced = image.quantize(colours, method=Image.Quantize.FASTOCTREE)
    indices, channels = np.asarray(reduced), pixels.shape[2]
    palette = np.array(reduced.getpalette(image.mode), np.uint8).reshape(-1, channels)
    counts = np.bincount(indices.ravel(), minlength=len(palette))
    for index in np.flatnonzero(counts > LARGE_PART * indices.size).tolist():
        palette[index] = np.median(pixels[indices == index], axis=0).astype(np.uint8)
    reduced.putpalette(palette.tobytes(), image.mode)
    return image.quantize(palette=reduced, dither=Image.Dither.FLOYDSTEINBERG) if dithered else reduced
