"""Show an array of pixels as half blocks, kitty graphics or sixels, depending on the terminal.

Every dashboard that shows pixels beside cells draws them with `ImageRenderer` and a `RenderTarget`; its pane has a
`PixelOutput` (`widgets/pixel_output.py`), which sends them to the terminal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.terminal_images.capabilities import ImageProtocol
from tbtui.terminal_images.encode import add_stand_ins, encode_image, get_cell_size, size_in_cells
from tbtui.terminal_images.half_blocks import PIXELS_DOWN, draw_half_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from tbtui.terminal_images.decode import Pixels
    from tbtui.terminal_images.encode import Colour, ImagePlacement
    from tbtui.terminal_images.half_blocks import Depth

MAX_ENCODED_BYTES = 32 << 20
"""Bytes of encoded images that are cached: several pages of them."""

HALF_BLOCKS = ImageProtocol("half", "")

NO_CELLS = Cells.blank(0, 0)


@frozen
class RenderTarget:
    """Capabilities of the terminal."""

    depth: Depth = "true"
    """Colour depth of the terminal."""

    dark: bool = True
    """True if text is brighter than the background."""

    way: ImageProtocol = HALF_BLOCKS
    ground: Colour | None = None
    """Colour behind images; None where only the terminal knows."""

    @property
    def small(self) -> RenderTarget:
        """The same terminal for thumbnails."""
        return replace(self, way=replace(self.way, kind="half")) if self.way.opened_only else self

    @property
    def in_cells(self) -> RenderTarget:
        """The same terminal without pixels, for images that change with every key, which are drawn in cells."""
        return replace(self, way=replace(self.way, kind="half")) if self.in_pixels else self

    @property
    def is_off(self) -> bool:
        """True if nothing is drawn, so that nothing has to be decoded."""
        return self.way.kind == "off"

    @property
    def in_pixels(self) -> bool:
        """True if the terminal draws images itself."""
        return self.way.kind in ("kitty", "sixel")

    @property
    def dots(self) -> tuple[int, int]:
        """Dots of a cell, across and down."""
        if not self.in_pixels:
            return 1, PIXELS_DOWN
        cell = get_cell_size(self.way)
        return cell.width, cell.height

    def count_dots(self, columns: int, rows: int) -> tuple[int, int]:
        """Return the dots of an area of cells, across and down."""
        return columns * self.dots[0], rows * self.dots[1]


@frozen(eq=False)
class RenderedImage:
    """An image ready for the screen."""

    cells: Cells
    insets: tuple[ImagePlacement, ...] = ()
    """The parts that are drawn in pixels; `cells` are blank there."""


class ImageRenderer:
    """Draws images, and caches those last encoded as pixels. Used by one thread."""

    def __init__(self) -> None:
        self._insets: ByteCache[tuple[ImagePlacement, ...]] = ByteCache(MAX_ENCODED_BYTES)

    def draw(
        self,
        key: Hashable,
        pixels: Pixels,
        target: RenderTarget,
        finish: Callable[[Pixels], Pixels] | None = None,
    ) -> RenderedImage:
        """Draw an image at its own size.

        Args:
            key: Identity of the finished pixels: another key is another image.
            pixels: The image in dots of the target.
            target: Capabilities of the terminal.
            finish: Changes the colours; not called where the image is known in pixels.
        """
        if not target.in_pixels:
            return RenderedImage(draw_half_blocks(_finish(pixels, finish), target.depth, dark=target.dark))
        cached = self._insets.get((key, target))
        if not cached:
            finished = _finish(pixels, finish)
            cached = encode_image(finished, (key, target), target.way, target.ground)
            if target.way.is_over_text:
                cached = add_stand_ins(cached, _draw_half_blocks(finished, target))
            self._insets.put((key, target), cached, sum(inset.picture.nbytes for inset in cached))
        columns, rows = size_in_cells(pixels, target.way)
        return RenderedImage(Cells.blank(rows, columns, coloured=True), cached)


def _finish(pixels: Pixels, finish: Callable[[Pixels], Pixels] | None) -> Pixels:
    return pixels if finish is None else finish(pixels)


def _draw_half_blocks(pixels: Pixels, target: RenderTarget) -> Cells:
    """Return an image of many pixels a cell as half blocks, in as many cells."""
    from PIL import Image

    columns, rows = size_in_cells(pixels, target.way)
    small = np.asarray(Image.fromarray(pixels).resize((columns, rows * PIXELS_DOWN), Image.Resampling.BOX))
    return draw_half_blocks(small, target.depth, dark=target.dark)


def centre_image(image: RenderedImage, columns: int, rows: int) -> RenderedImage:
    """Return an image in the middle of an area."""
    cells, room = image.cells, Cells.blank(max(rows, 0), max(columns, 0), coloured=True)
    top, left = max((rows - cells.height) // 2, 0), max((columns - cells.width) // 2, 0)
    room.put(top, left, cells)
    return RenderedImage(room, tuple(inset.translate(top, left) for inset in image.insets))
