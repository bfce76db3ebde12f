"""Pictures in pixels, and where among cells they belong: what comes from a painter, and is put on the screen later.

An inset says nothing of the screen: the same one is shown wherever its cells are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.graphics import kitty, sixel
from tbtui.graphics.adjust import on_checker
from tbtui.graphics.capabilities import ASSUMED_CELL
from tbtui.graphics.kitty import KittyImage

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.graphics.capabilities import Way
    from tbtui.graphics.pictures import Pixels
    from tbtui.graphics.questions import CellSize
    from tbtui.graphics.sixel import Colours

Sixels: TypeAlias = str

COLOURS: Colours = 256
COLOURS_REMOTE: Colours = 64
"""Over a line that may be slow: of a photo two thirds of the bytes, and hardly seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """A picture in the form in which a terminal takes it."""

    key: Hashable
    """Of all that its look depends on: another key is another picture."""

    columns: int
    """Cells that it fills, the last of them perhaps in part."""

    rows: int
    size: tuple[int, int]
    """Width and height in pixels."""

    data: KittyImage | Sixels

    @property
    def nbytes(self) -> int:
        """What it takes, and about what is sent."""
        return len(self.data.payload if isinstance(self.data, KittyImage) else self.data)


@dataclass(frozen=True, slots=True)
class Inset:
    """A picture among cells, which are blank where it belongs."""

    row: int
    """Of its upper left cell."""

    column: int
    picture: Encoded

    def moved(self, rows: int, columns: int) -> Inset:
        """The same, where all cells stand so much further down and to the right."""
        return replace(self, row=self.row + rows, column=self.column + columns)


def cell_of(way: Way) -> CellSize:
    """The size of a cell, as far as is known."""
    return way.cell or ASSUMED_CELL


def encoded(pixels: Pixels, key: Hashable, way: Way) -> Encoded:
    """A picture as the terminal takes it. Takes milliseconds, of one that fills a screen tenths of a second.

    Args:
        pixels: See `graphics.pictures.Pixels`, as many as it has on the screen.
        key: See `Encoded`.
        way: By kitty graphics or sixels.
    """
    cell = cell_of(way)
    height, width = pixels.shape[:2]
    columns, rows = -(-width // cell.width), -(-height // cell.height)
    pixels = on_checker(pixels, sixel.CHECKER_SQUARE)
    if way.kind == "sixel":
        sixels = sixel.encode(pixels, COLOURS_REMOTE if way.remote else COLOURS)
        return Encoded(key, columns, rows, (width, height), sixels)
    whole = _filled(pixels, rows * cell.height, columns * cell.width)
    return Encoded(key, columns, rows, (width, height), kitty.encode(whole, palette=way.remote))


def _filled(pixels: Pixels, height: int, width: int) -> Pixels:
    """With nothing below and to the right of it: the terminal would stretch it to whole cells."""
    if pixels.shape[:2] == (height, width):
        return pixels
    whole: Pixels = np.zeros((height, width, 4), np.uint8)
    whole[: pixels.shape[0], : pixels.shape[1], :3] = pixels
    whole[: pixels.shape[0], : pixels.shape[1], 3] = 255
    return whole
