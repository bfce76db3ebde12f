"""Decoded pictures on the screen: as cells, or in pixels that the terminal draws among blank ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells
from tbtui.frozen import frozen
from tbtui.graphics.adjust import adjusted
from tbtui.graphics.capabilities import Way
from tbtui.graphics.half_blocks import DOTS_DOWN, half_blocks
from tbtui.graphics.insets import cell_of, cells_of, insets_of
from tbtui.loading.byte_cache import ByteCache

if TYPE_CHECKING:
    from tbtui.graphics.half_blocks import Depth
    from tbtui.graphics.insets import Colour, Inset
    from tbtui.plugins.images.pixels import Scaled
    from tbtui.plugins.images.sight import Size

MOST_BYTES = 32 << 20
"""Of pictures as they are sent: some pages of them."""

HALF_BLOCKS = Way("half", "")


@frozen
class Look:
    """How pixels are drawn."""

    brightness: float = 1.0
    contrast: float = 1.0
    depth: Depth = "true"
    """Colours that the terminal has."""

    dark: bool = True
    """Whether text is brighter than what is behind it."""

    way: Way = HALF_BLOCKS
    ground: Colour | None = None
    """What is behind pictures; None where the terminal has a colour of its own there."""

    @property
    def small(self) -> Look:
        """That of thumbnails."""
        return replace(self, way=replace(self.way, kind="half")) if self.way.opened_only else self

    @property
    def is_off(self) -> bool:
        """Whether nothing is drawn, so that nothing has to be decoded."""
        return self.way.kind == "off"

    @property
    def in_pixels(self) -> bool:
        """Whether the terminal draws pictures."""
        return self.way.kind in ("kitty", "sixel")

    @property
    def dots(self) -> Size:
        """What a cell is drawn with: across and down."""
        if not self.in_pixels:
            return 1, DOTS_DOWN
        cell = cell_of(self.way)
        return cell.width, cell.height

    def room(self, columns: int, rows: int) -> Size:
        """Dots of so many cells, across and down."""
        return columns * self.dots[0], rows * self.dots[1]


@frozen(eq=False)
class Drawn:
    """A picture on the screen."""

    cells: Cells
    insets: tuple[Inset, ...] = ()
    """What of it is in pixels."""


class Drawing:
    """Draws pictures, and keeps those last drawn in pixels. Used by one thread."""

    def __init__(self) -> None:
        self._insets: ByteCache[tuple[Inset, ...]] = ByteCache(MOST_BYTES)

    def draw(self, image: Scaled, look: Look) -> Drawn:
        """A picture as large as it is, in dots of its look."""
        if not look.in_pixels:
            pixels = adjusted(image.pixels, look.brightness, look.contrast)
            return Drawn(half_blocks(pixels, look.depth, dark=look.dark))
        columns, rows = cells_of(image.pixels, look.way)
        return Drawn(Cells.blank(rows, columns, coloured=True), self._in_pixels(image, look))

    def _in_pixels(self, image: Scaled, look: Look) -> tuple[Inset, ...]:
        key = image.key, look
        known = self._insets.get(key, tuple)
        if not known:
            pixels = adjusted(image.pixels, look.brightness, look.contrast)
            known = insets_of(pixels, key, look.way, look.ground)
            self._insets.put(key, known, sum(inset.picture.nbytes for inset in known))
        return known
