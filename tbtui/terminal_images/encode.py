"""Encode images for a terminal, and plan the changes from the images on the screen to the next ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.terminal_images import kitty, sixel
from tbtui.terminal_images.capabilities import DEFAULT_CELL
from tbtui.terminal_images.decode import draw_on_checker
from tbtui.terminal_images.kitty import KittyImage
from tbtui.terminal_images.quantization import quantize_to_palette

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from tbtui.charts.cells import Cells
    from tbtui.terminal_images.capabilities import ImageProtocol
    from tbtui.terminal_images.decode import Pixels
    from tbtui.terminal_images.sixel import Colours
    from tbtui.terminal_images.terminal_query import CellSize


Sixels: TypeAlias = str

Colour: TypeAlias = "tuple[int, int, int]"

MAX_SIXEL_SIDE = 1000
"""Maximum side of a sixel image in pixels: by default xterm does not draw larger ones."""

SIXEL_COLOURS: Colours = 256
REMOTE_SIXEL_COLOURS: Colours = 64
"""Colours over a slow connection, not dithered: a third of the bytes for a photo; a page takes about as many bytes as
half blocks."""


@frozen(eq=False)
class EncodedImage:
    """An image, or a part of one, encoded for a terminal."""

    key: Hashable
    """Identity of the image: images with equal keys look equal."""

    columns: int
    """Columns of cells that it fills."""

    rows: int
    size: tuple[int, int]
    """Width and height in pixels."""

    data: KittyImage | Sixels
    stand_in: Cells | None = None
    """Cells that replace the image while text must be in front of it; None: blank ones."""

    def fills_cells_of(self, cell: CellSize) -> bool:
        """Return True if the image covers its columns and rows in cells of this size: no less and no more."""
        width, height = self.size
        return (-(-width // cell.width), -(-height // cell.height)) == (self.columns, self.rows)

    @property
    def nbytes(self) -> int:
        """Return its size in memory, about the number of bytes sent to the terminal."""
        return len(self.data.payload if isinstance(self.data, KittyImage) else self.data)


@frozen
class ImagePlacement:
    """An image within cells, which are blank under it; positions are relative to these cells."""

    row: int
    """Row of its upper left cell."""

    column: int
    picture: EncodedImage

    def translate(self, rows: int, columns: int) -> ImagePlacement:
        """Return the placement moved down and to the right."""
        return replace(self, row=self.row + rows, column=self.column + columns)


def add_stand_ins(insets: Iterable[ImagePlacement], cells: Cells) -> tuple[ImagePlacement, ...]:
    """Return the parts of one image as placements with their placeholder cells, relative to the upper left cell."""

    def part(inset: ImagePlacement) -> Cells:
        row, column, picture = inset.row, inset.column, inset.picture
        return cells.crop(slice(row, row + picture.rows), slice(column, column + picture.columns))

    return tuple(replace(inset, picture=replace(inset.picture, stand_in=part(inset))) for inset in insets)


def get_cell_size(protocol: ImageProtocol) -> CellSize:
    """Return the size of a cell, or the default if it is unknown."""
    return protocol.cell or DEFAULT_CELL


def size_in_cells(pixels: Pixels, protocol: ImageProtocol) -> tuple[int, int]:
    """Return the columns and rows that an image covers completely or in part."""
    cell = get_cell_size(protocol)
    return -(-pixels.shape[1] // cell.width), -(-pixels.shape[0] // cell.height)


def encode_image(
    pixels: Pixels, key: Hashable, protocol: ImageProtocol, background: Colour | None = None
) -> tuple[ImagePlacement, ...]:
    """Encode an image; takes milliseconds, or tenths of a second for one that fills a screen.

    Args:
        pixels: See `terminal_images.decode.Pixels`, in the size on the screen.
        key: Identity of the image; see `EncodedImage`.
        protocol: Kitty graphics or sixels.
        background: Background on the screen; None: unknown.

    Returns:
        Parts of the image, from its upper left cell; only large sixel images have more than one.
    """
    pixels = draw_on_checker(pixels, sixel.CHECKER_SQUARE)
    filled = _fill_cells(pixels, protocol, None if protocol.kind == "kitty" else background)
    if protocol.kind == "sixel":
        return tuple(_encode_sixels(filled, key, protocol))
    data = kitty.encode(filled, palette=protocol.remote)
    return (ImagePlacement(0, 0, EncodedImage(key, *size_in_cells(filled, protocol), (data.width, data.height), data)),)


def _fill_cells(pixels: Pixels, protocol: ImageProtocol, background: Colour | None) -> Pixels:
    """Extend an image to full cells: kitty would stretch it, and old text would remain next to smaller sixels."""
    (columns, rows), cell = size_in_cells(pixels, protocol), get_cell_size(protocol)
    height, width = rows * cell.height, columns * cell.width
    if pixels.shape[:2] == (height, width) or (protocol.kind == "sixel" and background is None):
        return pixels
    filled: Pixels = np.zeros((height, width, 4 if background is None else 3), np.uint8)
    if background is not None:
        filled[...] = background
    filled[: pixels.shape[0], : pixels.shape[1], :3] = pixels
    filled[: pixels.shape[0], : pixels.shape[1], 3:] = 255
    return filled


def _encode_sixels(pixels: Pixels, key: Hashable, protocol: ImageProtocol) -> Iterator[ImagePlacement]:
    """Yield parts in the palette of the whole image, cut between cells."""
    cell = get_cell_size(protocol)
    across, down = (max(MAX_SIXEL_SIDE // side, 1) for side in (cell.width, cell.height))
    image = (
        quantize_to_palette(pixels, REMOTE_SIXEL_COLOURS)
        if protocol.remote
        else quantize_to_palette(pixels, SIXEL_COLOURS, dithered=True)
    )
    columns, rows = size_in_cells(pixels, protocol)
    for row in range(0, rows, down):
        for column in range(0, columns, across):
            end, bottom = min(column + across, columns), min(row + down, rows)
            box = (column * cell.width, row * cell.height, end * cell.width, bottom * cell.height)
            crop = image.crop((*box[:2], min(box[2], image.width), min(box[3], image.height)))
            sixels = sixel.encode_indexed(crop)
            yield ImagePlacement(
                row, column, EncodedImage((key, row, column), end - column, bottom - row, crop.size, sixels)
            )


@frozen
class Area:
    """A rectangle of cells on the screen."""

    row: int
    """Row of the upper left cell, from 0."""

    column: int
    rows: int
    columns: int

    def is_overlapping(self, other: Area) -> bool:
        """Return True if both areas share a cell."""
        overlaps_rows = self.row < other.row + other.rows and other.row < self.row + self.rows
        return (
            overlaps_rows and self.column < other.column + other.columns and other.column < self.column + self.columns
        )

    def contains(self, other: Area) -> bool:
        """Return True if the other area is inside this one."""
        contains_rows = self.row <= other.row and other.row + other.rows <= self.row + self.rows
        return (
            contains_rows and self.column <= other.column and other.column + other.columns <= self.column + self.columns
        )


@frozen
class PlacedImage:
    """An image on the screen."""

    key: Hashable
    """Identity of the image, as in `EncodedImage`."""

    area: Area


@frozen
class PlacementDiff:
    """Changes of the images on the screen, in this order."""

    removed: tuple[PlacedImage, ...]
    """Images to remove; sixels vanish when the cells of their area are drawn again."""

    added: tuple[PlacedImage, ...]
    """Images to draw after all text."""


def diff_placements(
    previous: Iterable[PlacedImage], current: Iterable[PlacedImage], painted_areas: Iterable[Area] = ()
) -> PlacementDiff:
    """Return the changes that turn the images on the screen into the current ones.

    Args:
        previous: Images on the screen.
        current: Images to show.
        painted_areas: Areas of text that is drawn at the same time. Text covers sixels, which are then drawn again;
            pass none for images over the text. Areas of removed images are added.
    """
    old, new = tuple(previous), tuple(current)
    removed = tuple(placement for placement in old if placement not in new)
    covered = (*painted_areas, *(placement.area for placement in removed))
    added = (
        placement
        for placement in new
        if placement not in old or any(placement.area.is_overlapping(area) for area in covered)
    )
    return PlacementDiff(removed, tuple(added))
