"""The visible part of a picture: how large a pixel is on the screen, and which point is in the middle.

A dot is what a picture is drawn with, about as wide as it is high: half a character cell, or a pixel of the screen.
What is chosen counts columns, so that it stays where it is drawn in another way.
"""

from __future__ import annotations

import math
from dataclasses import replace

from tbtui.frozen import frozen
from tbtui.plugins.images.settings import ImageViewport

MAX_SCALE = 64.0
"""Dots of a pixel at most."""

Size = tuple[int, int]
"""Width and height."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


@frozen
class Viewport:
    """The visible part of a picture in its area."""

    scale: float
    """Dots of a pixel."""

    box: tuple[float, float, float, float]
    """The visible part in pixels: left, top, right and bottom."""

    width: int
    """Dots across: at least 1, at most those of the area."""

    height: int
    """Dots down: at least 1, at most those of the area."""

    is_cut: bool = False
    """True if the picture has margins that are left out."""

    @property
    def is_whole(self) -> bool:
        """True if all of the picture is visible."""
        return self.box[:2] == (0.0, 0.0) and not self.is_cut

    def inside(self, box: Box) -> Viewport:
        """Return the same part of a picture without its margins, in pixels of the whole picture."""
        left, top, right, bottom = self.box
        moved = left + box[0], top + box[1], right + box[0], bottom + box[1]
        return replace(self, box=moved, is_cut=True)


ROUNDING = 1 + 1e-9
"""A picture that fits may exceed its area by this rounding error."""


MIN_FILLED_SHARE = 0.8
"""Share of an area in small dots that a picture fills; to reach it, some pixels are a dot wider than others."""


def fitting(size: Size, room: Size, dots: int = 1) -> float:
    """Return the dots of a pixel at which all of a picture is visible.

    Enlarged pixels take whole dots, so that all are alike.

    Args:
        size: Width and height of the picture in pixels.
        room: Size of the area in dots.
        dots: Dots of a column. With several, a picture that would leave much of the area empty is enlarged more.
    """
    scale = min(room[0] / size[0], room[1] / size[1])
    whole_scale = math.floor(scale)
    return whole_scale if whole_scale and (dots == 1 or whole_scale >= MIN_FILLED_SHARE * scale) else scale


def seen(size: Size, room: Size, sight: ImageViewport | None = None, dots: int = 1) -> Viewport:
    """Return the visible part of a picture and its size; without a sight all of it.

    Args:
        size: Width and height of the picture in pixels, at least 1 x 1.
        room: Size of the area in dots, at least 1 x 1.
        sight: Scale and middle; a picture never leaves the edge of its area.
        dots: Dots of a column.
    """
    scale = fitting(size, room, dots) if sight is None else sight.scale * dots
    left, right, width = _along(size[0], room[0], scale, 0.5 if sight is None else sight.x)
    top, bottom, height = _along(size[1], room[1], scale, 0.5 if sight is None else sight.y)
    return Viewport(scale, (left, top, right, bottom), width, height)


def _along(size: int, room: int, scale: float, middle: float) -> tuple[float, float, int]:
    """Return the first and last visible pixel in one direction, and the dots that they take."""
    scaled_size = size * scale
    if scaled_size <= room * ROUNDING:
        return 0.0, float(size), max(1, min(round(scaled_size), room))
    part = room / scale
    start = max(0.0, min(middle * size - part / 2, size - part))
    return start, start + part, room


def zoomed(
    sight: ImageViewport | None,
    size: Size,
    room: Size,
    factor: float,
    centre: tuple[float, float] = (0.5, 0.5),
    dots: int = 1,
) -> ImageViewport | None:
    """Return another magnification; None where that shows the whole picture.

    Args:
        sight: As it is.
        size: Width and height of the picture in pixels.
        room: Size of the area in dots.
        factor: Factor of the scale.
        centre: Fixed point, as fractions of the visible part.
        dots: Dots of a column.
    """
    fit, now = fitting(size, room, dots), seen(size, room, sight, dots)
    scale = max(min(fit, 1.0), min(now.scale * factor, max(MAX_SCALE, fit)))
    if math.isclose(scale, fit, rel_tol=0.01) or (factor < 1 and scale < fit <= now.scale):
        return None
    left, top, right, bottom = now.box
    x, y = left + centre[0] * (right - left), top + centre[1] * (bottom - top)
    # The pixel under the pointer stays there: the middle lies as far from it as before, in the new scale.
    x += (0.5 - centre[0]) * now.width / scale
    y += (0.5 - centre[1]) * now.height / scale
    return _settled(scale, (x, y), size, room, dots)


def panned(
    sight: ImageViewport | None, size: Size, room: Size, across: float, down: float, dots: int = 1
) -> ImageViewport | None:
    """Return the sight moved by fractions of the visible part to the right and down."""
    if sight is None:
        return None
    now = seen(size, room, sight, dots)
    left, top, right, bottom = now.box
    x = (left + right) / 2 + across * (right - left)
    y = (top + bottom) / 2 + down * (bottom - top)
    return _settled(now.scale, (x, y), size, room, dots)


def actual(sight: ImageViewport | None, size: Size, room: Size, dots: int = 1) -> ImageViewport | None:
    """Return one dot for each pixel about the same middle; from there the whole picture (None)."""
    now = seen(size, room, sight, dots)
    if sight is not None and math.isclose(now.scale, 1.0):
        return None
    left, top, right, bottom = now.box
    return _settled(1.0, ((left + right) / 2, (top + bottom) / 2), size, room, dots)


def _settled(scale: float, middle: tuple[float, float], size: Size, room: Size, dots: int) -> ImageViewport:
    """Return a sight whose middle is reachable, so that the next key moves at once."""
    viewport = ImageViewport(scale / dots, middle[0] / size[0], middle[1] / size[1])
    left, top, right, bottom = seen(size, room, viewport, dots).box
    return ImageViewport(viewport.scale, (left + right) / 2 / size[0], (top + bottom) / 2 / size[1])
