"""Draw the map in pixels: a disc for each point, and the labels and markers of the drawing in cells.

The pixels are those of the terminal (kitty graphics, sixels). They take longer to draw and to send than cells, so that
the pane draws cells at once and pixels after a moment without a key.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.cells import HEAT_LEVELS, Ink, to_heat_inks
from tbtui.charts.text import cell_width, iter_glyph_spans

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt
    from PIL.ImageFont import FreeTypeFont

    from tbtui.plugins.projector.map_picture import MapPicture
    from tbtui.plugins.projector.scene import Scene

    Pixels: TypeAlias = npt.NDArray[np.uint8]
    Colour: TypeAlias = tuple[int, int, int]

FAR_OPACITY = 0.35
"""Opacity of the farthest point in three dimensions."""

FAINT_OPACITY = 0.35
"""Opacity of a point while others are highlighted."""

MIN_RADIUS, MAX_RADIUS = 1.0, 4.5

FONT_SHARE = 0.86
"""Height of the em of a terminal's font as a share of the height of a cell, as in DejaVu Sans Mono."""

MIN_FONT_PIXELS = 8
BOLD_SHIFT = 0.6
"""Pixels between the two drawings of a bold label."""

PLAIN_INKS = frozenset({Ink.TEXT, Ink.DIM, Ink.FAINT})
"""Inks of labels that are not bold; the names of categories are, which have the colour of their points."""

LABEL_MARGIN = 1
FIRST_RARE = 0x7F
NO_LETTER = "\uffff"
"""A code that is no character: fonts draw it like any character that they lack."""


def draw_pixels(
    scene: Scene,
    picture: MapPicture,
    cell: tuple[int, int],
    ground: Colour,
    colour_of: Callable[[int], Colour],
) -> Pixels:
    """Return the map in pixels, uint8[rows * cell height, columns * cell width, 3].

    Args:
        scene: The scene.
        picture: The same in cells.
        cell: Width and height of a cell in pixels.
        ground: Colour of the background.
        colour_of: Returns the colour of an ink.
    """
    width, height = picture.cells.width * cell[0], picture.cells.height * cell[1]
    image = np.empty((height, width, 3), np.uint8)
    image[:] = ground
    projection = picture.projection
    across, down = cell[0] / DOTS_ACROSS, cell[1] / DOTS_DOWN
    points = np.flatnonzero(projection.inside & scene.visible)
    highlighted = np.zeros(scene.points.count, np.bool_)
    highlighted[scene.highlighted] = True
    highlighted &= scene.visible
    stands_out = bool(highlighted.any())
    order = highlighted[points].astype(np.float32)
    if projection.depth is not None:
        order = order * 2 + projection.depth[points]
    points = points[np.argsort(order, kind="stable")]
    colours = _colour_points(scene, points, colour_of).astype(np.float32)
    opacities = np.ones(len(points), np.float32)
    if projection.depth is not None:
        opacities *= FAR_OPACITY + (1 - FAR_OPACITY) * np.clip(projection.depth[points], 0, 1)
    if stands_out:
        opacities *= np.where(highlighted[points], 1, FAINT_OPACITY)
    shades = (colours * opacities[:, None] + np.array(ground, np.float32) * (1 - opacities[:, None])).astype(np.uint8)
    x = np.rint(projection.x[points] * across + (across - 1) / 2).astype(np.intp)
    y = np.rint(projection.y[points] * down + (down - 1) / 2).astype(np.intp)
    radius = choose_radius(len(points), width * height)
    reach = int(radius)
    for row in range(-reach, reach + 1):
        for column in range(-reach, reach + 1):
            if row * row + column * column <= radius * radius:
                is_inside = (y + row >= 0) & (y + row < height) & (x + column >= 0) & (x + column < width)
                image[y[is_inside] + row, x[is_inside] + column] = shades[is_inside]
    _draw_texts(image, picture, cell, ground, colour_of)
    return image


def choose_radius(points: int, pixels: int) -> float:
    """Return the radius of points in pixels: all of them together cover a small part of the picture."""
    return float(np.clip(np.sqrt(0.02 * pixels / max(points, 1)), MIN_RADIUS, MAX_RADIUS))


def _colour_points(scene: Scene, points: npt.NDArray[np.intp], colour_of: Callable[[int], Colour]) -> Pixels:
    """Return the colour of each point, uint8[n, 3]."""
    colours = scene.colours
    if colours is None:
        return np.tile(np.array(colour_of(Ink.TEXT), np.uint8), (len(points), 1))
    inks = [int(to_heat_inks(level, 0)) for level in range(HEAT_LEVELS)] if colours.is_gradient else list(colours.inks)
    table = np.array([*map(colour_of, inks), colour_of(Ink.DIM)], np.uint8)
    return np.asarray(table[colours.codes[points]])  # -1, no value, is the last row


def _draw_texts(
    image: Pixels, picture: MapPicture, cell: tuple[int, int], ground: Colour, colour_of: Callable[[int], Colour]
) -> None:
    """Draw labels and markers over their cells, each on the background so that it can be read."""
    from PIL import Image, ImageDraw

    canvas = Image.fromarray(image)
    draw = ImageDraw.Draw(canvas)
    for row, start, text, ink in iter_glyph_spans(picture.cells, picture.texts):
        left, top = start * cell[0], row * cell[1]
        if text in _MARKERS:
            _draw_marker(draw, text, (left, top), cell, colour_of(ink))
            continue
        available_width = cell_width(text) * cell[0]
        font = _choose_font(text, available_width, cell[1])
        if not _has_glyphs(font, text):
            continue  # the point is marked, and the list next to the map names it
        width = min(font.getlength(text), available_width)
        begin, middle = left + (available_width - width) / 2, top + (cell[1] - sum(font.getbbox("Ag")[1::2])) / 2
        draw.rectangle((begin - LABEL_MARGIN, top, begin + width + LABEL_MARGIN, top + cell[1] - 1), fill=ground)
        for shift in (0,) if ink in PLAIN_INKS else (0, BOLD_SHIFT):
            draw.text((begin + shift, middle), text, fill=colour_of(ink), font=font)
    image[:] = np.asarray(canvas)


_MARKERS = frozenset("◉◎●┼")


def _draw_marker(draw: object, sign: str, corner: tuple[int, int], cell: tuple[int, int], colour: Colour) -> None:
    from PIL.ImageDraw import ImageDraw

    if not isinstance(draw, ImageDraw):
        return
    x, y = corner[0] + cell[0] / 2, corner[1] + cell[1] / 2
    radius = min(cell) * 0.6
    box = (x - radius, y - radius, x + radius, y + radius)
    if sign == "●":
        draw.ellipse(box, fill=colour)
    elif sign == "┼":
        draw.line((x - radius, y, x + radius, y), fill=colour)
        draw.line((x, y - radius, x, y + radius), fill=colour)
    else:
        draw.ellipse(box, outline=colour, width=2)
        if sign == "◉":
            draw.ellipse((x - 2, y - 2, x + 2, y + 2), fill=colour)


def _has_glyphs(font: FreeTypeFont, text: str) -> bool:
    """Return True if a font has all characters of a text; the font that comes with Pillow has Latin letters alone."""
    return all(
        ord(letter) < FIRST_RARE or bytes(font.getmask(letter)) != bytes(font.getmask(NO_LETTER)) for letter in text
    )


def _choose_font(text: str, available_width: int, cell_height: int) -> FreeTypeFont:
    """Return a font as large as that of the terminal, or smaller where the text is wider than its cells."""
    size = max(round(cell_height * FONT_SHARE), MIN_FONT_PIXELS)
    font = _load_font(size)
    width = font.getlength(text)
    return font if width <= available_width else _load_font(max(int(size * available_width / width), MIN_FONT_PIXELS))


@lru_cache(maxsize=16)
def _load_font(size: int) -> FreeTypeFont:
    from PIL.ImageFont import load_default

    return cast("FreeTypeFont", load_default(size))
