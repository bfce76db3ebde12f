"""Pictures in pixels, and where among cells they belong: what comes from a painter, and is put on the screen later.

An inset says nothing of the screen: the same one is shown wherever its cells are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.terminal_images import kitty, sixel
from tbtui.terminal_images.capabilities import DEFAULT_CELL
from tbtui.terminal_images.decode import on_checker
from tbtui.terminal_images.half_blocks import quantize_to_palette
from tbtui.terminal_images.kitty import KittyImage

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from tbtui.terminal_images.capabilities import ImageProtocol
    from tbtui.terminal_images.decode import Pixels
    from tbtui.terminal_images.sixel import Colours
    from tbtui.terminal_images.terminal_query import CellSize


Sixels: TypeAlias = str

Colour: TypeAlias = "tuple[int, int, int]"

MAX_SIXEL_SIDE = 1000
"""Pixels of a picture in sixels, across and down: xterm draws nothing at all of a larger one, unless it is told to."""

SIXEL_COLOURS: Colours = 256
REMOTE_SIXEL_COLOURS: Colours = 64
"""Over a line that may be slow, and not dithered: of a photo a third of the bytes, a page about as many as half blocks
take."""


@frozen(eq=False)
class EncodedImage:
    """A picture, or a part of one, in the form in which a terminal takes it."""

    key: Hashable
    """Of all that its look depends on: another key is another picture."""

    columns: int
    """Cells that it fills."""

    rows: int
    size: tuple[int, int]
    """Width and height in pixels."""

    data: KittyImage | Sixels

    @property
    def nbytes(self) -> int:
        """What it takes, and about what is sent."""
        return len(self.data.payload if isinstance(self.data, KittyImage) else self.data)


@frozen
class ImagePlacement:
    """A picture among cells, which are blank where it belongs."""

    row: int
    """Of its upper left cell."""

    column: int
    picture: EncodedImage

    def moved(self, rows: int, columns: int) -> ImagePlacement:
        """The same, where all cells stand so much further down and to the right."""
        return replace(self, row=self.row + rows, column=self.column + columns)


def cell_size(way: ImageProtocol) -> CellSize:
    """The size of a cell, as far as is known."""
    return way.cell or DEFAULT_CELL


def size_in_cells(pixels: Pixels, way: ImageProtocol) -> tuple[int, int]:
    """Columns and rows that a picture fills, the last of them perhaps in part."""
    cell = cell_size(way)
    return -(-pixels.shape[1] // cell.width), -(-pixels.shape[0] // cell.height)


def encode_image(
    pixels: Pixels, key: Hashable, way: ImageProtocol, ground: Colour | None = None
) -> tuple[ImagePlacement, ...]:
    """A picture as the terminal takes it. Takes milliseconds, of one that fills a screen tenths of a second.

    Args:
        pixels: See `graphics.pictures.Pixels`, as many as it has on the screen.
        key: Of the picture; see `Encoded`.
        way: By kitty graphics or sixels.
        ground: What is behind it on the screen; None where nobody knows.

    Returns:
        Parts of it that together are it, from its upper left cell on; more than one of large sixels alone.
    """
    pixels = on_checker(pixels, sixel.CHECKER_SQUARE)
    whole = _filled(pixels, way, None if way.kind == "kitty" else ground)
    if way.kind == "sixel":
        return tuple(_in_sixels(whole, key, way))
    data = kitty.encode(whole, palette=way.remote)
    return (ImagePlacement(0, 0, EncodedImage(key, *size_in_cells(whole, way), (data.width, data.height), data)),)


def _filled(pixels: Pixels, way: ImageProtocol, ground: Colour | None) -> Pixels:
    """To whole cells: kitty would stretch it, and of sixels that filled less the rest would stay beside it."""
    (columns, rows), cell = size_in_cells(pixels, way), cell_size(way)
    height, width = rows * cell.height, columns * cell.width
    if pixels.shape[:2] == (height, width) or (way.kind == "sixel" and ground is None):
        return pixels
    whole: Pixels = np.zeros((height, width, 4 if ground is None else 3), np.uint8)
    if ground is not None:
        whole[...] = ground
    whole[: pixels.shape[0], : pixels.shape[1], :3] = pixels
    whole[: pixels.shape[0], : pixels.shape[1], 3:] = 255
    return whole


def _in_sixels(pixels: Pixels, key: Hashable, way: ImageProtocol) -> Iterator[ImagePlacement]:
    """Parts in the colours of the whole, cut between cells."""
    cell = cell_size(way)
    across, down = (max(MAX_SIXEL_SIDE // side, 1) for side in (cell.width, cell.height))
    image = (
        quantize_to_palette(pixels, REMOTE_SIXEL_COLOURS)
        if way.remote
        else quantize_to_palette(pixels, SIXEL_COLOURS, dithered=True)
    )
    columns, rows = size_in_cells(pixels, way)
    for row in range(0, rows, down):
        for column in range(0, columns, across):
            end, bottom = min(column + across, columns), min(row + down, rows)
            box = (column * cell.width, row * cell.height, end * cell.width, bottom * cell.height)
            part = image.crop((*box[:2], min(box[2], image.width), min(box[3], image.height)))
            sixels = sixel.encode_indexed(part)
            yield ImagePlacement(
                row, column, EncodedImage((key, row, column), end - column, bottom - row, part.size, sixels)
            )


# Where pictures are on the screen that are no text, and what has to be done so that they are elsewhere.


@frozen
class Area:
    """A rectangle of cells on the screen."""

    row: int
    """Of the upper left cell, from 0."""

    column: int
    rows: int
    columns: int

    def meets(self, other: Area) -> bool:
        """Whether both have a cell in common."""
        down = self.row < other.row + other.rows and other.row < self.row + self.rows
        return down and self.column < other.column + other.columns and other.column < self.column + self.columns

    def holds(self, other: Area) -> bool:
        """Whether all cells of the other one are its own."""
        down = self.row <= other.row and other.row + other.rows <= self.row + self.rows
        return down and self.column <= other.column and other.column + other.columns <= self.column + self.columns


@frozen
class PlacedImage:
    """A picture on the screen."""

    key: Hashable
    """Of all that its look depends on: another key is another picture."""

    area: Area


@frozen
class PlacementDiff:
    """What is to be done, in this order."""

    removed: tuple[PlacedImage, ...]
    """To be taken away; sixels are, when the cells of their area are drawn anew."""

    added: tuple[PlacedImage, ...]
    """To be drawn, once all text is."""


def diff_placements(
    before: Iterable[PlacedImage], after: Iterable[PlacedImage], painted: Iterable[Area] = ()
) -> PlacementDiff:
    """From what is on the screen to what is to be there.

    Args:
        before: What is there.
        after: What is to be there.
        painted: Where text is drawn meanwhile. Sixels are covered by it, and drawn again; what lies over the text is
            not, and has nothing painted. What is taken away counts as painted, too.
    """
    old, new = tuple(before), tuple(after)
    gone = tuple(placed for placed in old if placed not in new)
    covered = (*painted, *(placed.area for placed in gone))
    come = (placed for placed in new if placed not in old or any(placed.area.meets(area) for area in covered))
    return PlacementDiff(gone, tuple(come))
