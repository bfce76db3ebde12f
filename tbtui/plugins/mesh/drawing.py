"""Put a drawn mesh on the screen: in pixels, half blocks or, without colours, dots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.charts.canvas import BRAILLE, pack_braille
from tbtui.charts.cells import BLANK, NO_COLOUR, Cells, Ink, colour_pairs
from tbtui.charts.mesh_raster import draw_mesh
from tbtui.terminal_images.half_blocks import UPPER, draw_half_blocks
from tbtui.terminal_images.quantization import tile_thresholds
from tbtui.view.image_renderer import NO_CELLS, RenderedImage

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy.typing as npt

    from tbtui.charts.mesh_camera import MeshCamera
    from tbtui.charts.mesh_model import MeshModel
    from tbtui.charts.mesh_raster import MeshDrawing, MeshStyle
    from tbtui.view.image_renderer import ImageRenderer, RenderTarget

    Pixels: TypeAlias = npt.NDArray[np.uint8]
    Bools: TypeAlias = npt.NDArray[np.bool_]

DOTS_ACROSS, DOTS_DOWN = 2, 4
"""Dots of a braille cell."""

LOWER = ord("▄")

MOVING_LEVELS = 10
"""Levels of each channel while the camera moves: 14 kB for a key of 96 x 34 cells rather than 19 kB."""

MIN_BRIGHTNESS = 0.12
"""Brightness of the darkest dot: a face in the shade is not a hole."""

_LUMA = np.array([0.299, 0.587, 0.114])
"""Weights of the channels in brightness; source: ITU-R BT.601."""

_DARK, _LIGHT = (16, 16, 16), (250, 250, 250)
"""Grounds of pixels where only the terminal knows its own."""


def has_dots(target: RenderTarget) -> bool:
    """Return True if meshes are drawn in dots: without colours, and where no pictures are wanted."""
    return target.depth == "none" or target.is_off


def format_protocol(target: RenderTarget) -> str:
    """Return the name of the way in which a terminal draws meshes: `half blocks`."""
    if has_dots(target):
        return "dots"
    return {"kitty": "kitty graphics", "sixel": "sixels"}.get(target.way.kind, "half blocks")


def render_mesh(
    model: MeshModel,
    camera: MeshCamera,
    columns: int,
    rows: int,
    style: MeshStyle,
    target: RenderTarget,
    renderer: ImageRenderer,
    key: Hashable,
    *,
    is_moving: bool = False,
) -> RenderedImage:
    """Draw a mesh in an area of cells.

    Args:
        model: The mesh.
        camera: From where it is seen.
        columns: Columns of the area.
        rows: Rows of the area.
        style: Mode and colours.
        target: Capabilities of the terminal.
        renderer: Encodes pixels.
        key: Identity of the model with its colours.
        is_moving: Draw in fewer colours, and in cells even where the terminal draws pixels.
    """
    if columns < 1 or rows < 1:
        return RenderedImage(NO_CELLS)
    if has_dots(target):
        drawing = draw_mesh(model, camera, columns * DOTS_ACROSS, rows * DOTS_DOWN, style)
        return RenderedImage(draw_dots(drawing, dark=target.dark))
    if is_moving:
        target = target.in_cells
    width, height = target.count_dots(columns, rows)
    drawing = draw_mesh(model, camera, width, height, style)
    if target.in_pixels:
        ground = target.ground or (_DARK if target.dark else _LIGHT)
        pixels = np.where(drawing.is_drawn[..., None], drawing.pixels, np.array(ground, np.uint8))
        return renderer.draw((key, camera, style, width, height), pixels, target)
    pixels = drawing.pixels
    if is_moving and target.depth == "true":
        step = 256 // MOVING_LEVELS
        pixels = pixels // step * step + step // 2
    cells = draw_half_blocks(pixels, target.depth, dark=target.dark)
    return RenderedImage(_blank_ground(cells, drawing.is_drawn))


def draw_dots(drawing: MeshDrawing, *, dark: bool = True) -> Cells:
    """Return a drawing as braille, its brightness as the density of dots (ordered dithering).

    Args:
        drawing: The drawing, two dots wide and four dots high in each cell.
        dark: True if text is brighter than its background.
    """
    bright = drawing.pixels @ _LUMA
    bright /= bright.max() or 1.0  # the brightest face is full, whatever the colours
    covered = MIN_BRIGHTNESS + (1 - MIN_BRIGHTNESS) * (bright if dark else 1 - bright)
    dots = drawing.is_drawn & (covered > tile_thresholds(*bright.shape))
    glyphs = (BRAILLE + pack_braille(dots).astype(np.uint32)).astype(np.uint32)
    is_blank = glyphs == BRAILLE
    glyphs[is_blank] = BLANK
    return Cells(glyphs, np.where(is_blank, Ink.NONE, Ink.TEXT).astype(np.int16))


_COLOUR_BITS = 25
_MASK = (1 << _COLOUR_BITS) - 1


def _blank_ground(cells: Cells, is_drawn: Bools) -> Cells:
    """Return half blocks with the background of the terminal where nothing is drawn."""
    over_drawn, under_drawn = is_drawn[::2], is_drawn[1::2]
    if cells.colours is None:
        glyphs = np.where(over_drawn | under_drawn, cells.glyphs, BLANK).astype(np.uint32)
        return Cells(glyphs, np.where(glyphs == BLANK, Ink.NONE, Ink.TEXT).astype(np.int16))
    colours: Any = cells.colours
    over, under = colours >> _COLOUR_BITS & _MASK, colours & _MASK
    only_over, only_under = over_drawn & ~under_drawn, under_drawn & ~over_drawn
    glyphs = cells.glyphs.copy()
    glyphs[only_over], glyphs[only_under] = UPPER, LOWER
    pairs = np.where(only_over, colour_pairs(over, NO_COLOUR), colours)
    pairs = np.where(only_under, colour_pairs(under, NO_COLOUR), pairs)
    is_ground = ~over_drawn & ~under_drawn
    glyphs[is_ground] = BLANK
    pairs[is_ground] = 0
    return Cells(glyphs, cells.inks, pairs)
