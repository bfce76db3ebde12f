"""Compute the visible part of a picture from its viewport: the size of a pixel on the screen, and the middle.

Pictures are drawn in dots, about as wide as they are high: half a character cell, or a pixel of the screen. A viewport
counts columns of the screen, so that it stays the same with another protocol.
"""

from __future__ import annotations

import math
from dataclasses import replace

from tbtui.frozen import frozen
from tbtui.plugins.images.settings import ImageViewport

MAX_SCALE = 64.0
"""Maximum number of dots per pixel."""

Size = tuple[int, int]
"""Width and height."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


@frozen
class VisiblePart:
    """The visible part of a picture in its area."""

    scale: float
    """Dots per pixel."""

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

    def shift_to_untrimmed(self, box: Box) -> VisiblePart:
        """Return this part of a trimmed picture in pixels of the untrimmed one.

        Args:
            box: The trimmed picture in pixels of the untrimmed one.
        """
        left, top, right, bottom = self.box
        moved = left + box[0], top + box[1], right + box[0], bottom + box[1]
        return replace(self, box=moved, is_cut=True)


ROUNDING = 1 + 1e-9
"""A picture that fits may exceed its area by this rounding error."""


MIN_FILLED_SHARE = 0.8
"""Share of an area in small dots that a picture fills; to reach it, some pixels are a dot wider than others."""


def fit_scale(size: Size, area: Size, dots_per_column: int = 1) -> float:
    """Return the dots per pixel at which all of a picture is visible.

    Enlarged pixels take whole dots, so that all are alike.

    Args:
        size: Width and height of the picture in pixels.
        area: Size of the area in dots.
        dots_per_column: Dots per column of the screen. With several, a picture that would leave much of the area
            empty is enlarged more.
    """
    scale = min(area[0] / size[0], area[1] / size[1])
    whole_scale = math.floor(scale)
    return whole_scale if whole_scale and (dots_per_column == 1 or whole_scale >= MIN_FILLED_SHARE * scale) else scale


def find_visible_part(
    size: Size, area: Size, viewport: ImageViewport | None = None, dots_per_column: int = 1
) -> VisiblePart:
    """Return the visible part of a picture and its size; without a viewport all of it.

    Args:
        size: Width and height of the picture in pixels, at least 1 x 1.
        area: Size of the area in dots, at least 1 x 1.
        viewport: Scale and middle; a picture never leaves the edge of its area.
        dots_per_column: Dots per column of the screen.
    """
    scale = fit_scale(size, area, dots_per_column) if viewport is None else viewport.scale * dots_per_column
    left, right, width = _compute_visible_range(size[0], area[0], scale, 0.5 if viewport is None else viewport.x)
    top, bottom, height = _compute_visible_range(size[1], area[1], scale, 0.5 if viewport is None else viewport.y)
    return VisiblePart(scale, (left, top, right, bottom), width, height)


def _compute_visible_range(size: int, area: int, scale: float, middle: float) -> tuple[float, float, int]:
    """Return the first and last visible pixel in one direction, and the dots that they take."""
    scaled_size = size * scale
    if scaled_size <= area * ROUNDING:
        return 0.0, float(size), max(1, min(round(scaled_size), area))
    visible_size = area / scale
    start = max(0.0, min(middle * size - visible_size / 2, size - visible_size))
    return start, start + visible_size, area


def zoom(
    viewport: ImageViewport | None,
    size: Size,
    area: Size,
    factor: float,
    centre: tuple[float, float] = (0.5, 0.5),
    dots_per_column: int = 1,
) -> ImageViewport | None:
    """Return a viewport with another magnification; None if it shows the whole picture.

    Args:
        viewport: The present one; None: the whole picture.
        size: Width and height of the picture in pixels.
        area: Size of the area in dots.
        factor: Factor of the scale.
        centre: Fixed point, as fractions of the visible part.
        dots_per_column: Dots per column of the screen.
    """
    fit, visible = fit_scale(size, area, dots_per_column), find_visible_part(size, area, viewport, dots_per_column)
    scale = max(min(fit, 1.0), min(visible.scale * factor, max(MAX_SCALE, fit)))
    if math.isclose(scale, fit, rel_tol=0.01) or (factor < 1 and scale < fit <= visible.scale):
        return None
    left, top, right, bottom = visible.box
    x, y = left + centre[0] * (right - left), top + centre[1] * (bottom - top)
    # The pixel under the pointer stays there: the middle lies as far from it as before, in the new scale.
    x += (0.5 - centre[0]) * visible.width / scale
    y += (0.5 - centre[1]) * visible.height / scale
    return _clamp(scale, (x, y), size, area, dots_per_column)


def pan(
    viewport: ImageViewport | None, size: Size, area: Size, across: float, down: float, dots_per_column: int = 1
) -> ImageViewport | None:
    """Return the viewport moved by fractions of the visible part to the right and down."""
    if viewport is None:
        return None
    visible = find_visible_part(size, area, viewport, dots_per_column)
    left, top, right, bottom = visible.box
    x = (left + right) / 2 + across * (right - left)
    y = (top + bottom) / 2 + down * (bottom - top)
    return _clamp(visible.scale, (x, y), size, area, dots_per_column)


def toggle_actual_size(
    viewport: ImageViewport | None, size: Size, area: Size, dots_per_column: int = 1
) -> ImageViewport | None:
    """Return a viewport of one dot for each pixel about the same middle; from there None, the whole picture."""
    visible = find_visible_part(size, area, viewport, dots_per_column)
    if viewport is not None and math.isclose(visible.scale, 1.0):
        return None
    left, top, right, bottom = visible.box
    return _clamp(1.0, ((left + right) / 2, (top + bottom) / 2), size, area, dots_per_column)


def _clamp(scale: float, middle: tuple[float, float], size: Size, area: Size, dots_per_column: int) -> ImageViewport:
    """Return a viewport whose middle is reachable, so that the next key moves the picture at once."""
    viewport = ImageViewport(scale / dots_per_column, middle[0] / size[0], middle[1] / size[1])
    left, top, right, bottom = find_visible_part(size, area, viewport, dots_per_column).box
    return ImageViewport(viewport.scale, (left + right) / 2 / size[0], (top + bottom) / 2 / size[1])
