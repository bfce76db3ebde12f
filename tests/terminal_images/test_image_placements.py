"""Pictures as terminals take them, and the cells that they fill."""

from __future__ import annotations

from base64 import standard_b64decode
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tbtui.terminal_images.capabilities import DEFAULT_CELL, ImageProtocol
from tbtui.terminal_images.encode import MAX_SIXEL_SIDE, ImagePlacement, encode_image, get_cell_size, size_in_cells
from tbtui.terminal_images.kitty import KittyImage
from tbtui.terminal_images.terminal_query import CellSize
from tests.helpers.fake_terminals import drawn
from tests.helpers.image_files import photo

CELL = CellSize(9, 17)
KITTY = ImageProtocol("kitty", "", placeholders=True, cell=CELL)
SIXEL = ImageProtocol("sixel", "", cell=CELL)
GROUND = 20, 23, 28


def shown(insets: tuple[ImagePlacement, ...], cell: CellSize = CELL) -> np.ndarray:
    """All parts of a picture together, magenta where there is none."""
    parts = [(inset, pixels(inset)) for inset in insets]
    height = max(inset.row * cell.height + part.shape[0] for inset, part in parts)
    width = max(inset.column * cell.width + part.shape[1] for inset, part in parts)
    whole = np.full((height, width, parts[0][1].shape[2]), 77, np.uint8)
    for inset, part in parts:
        top, left = inset.row * cell.height, inset.column * cell.width
        whole[top : top + part.shape[0], left : left + part.shape[1]] = part
    return whole


def pixels(inset: ImagePlacement) -> np.ndarray:
    data = inset.picture.data
    if isinstance(data, KittyImage):
        return np.asarray(Image.open(BytesIO(standard_b64decode(data.payload))).convert("RGBA"))
    return drawn(data)


def test_kitty_image_is_extended_to_whole_cells() -> None:
    picture = photo(40, 50)
    (inset,) = encode_image(picture, "key", KITTY, GROUND)
    assert (inset.row, inset.column, inset.picture.columns, inset.picture.rows) == (0, 0, 6, 3)
    found = pixels(inset)
    assert found.shape == (3 * 17, 6 * 9, 4) == (*inset.picture.size[::-1], 4)
    assert (found[:40, :50, :3] == picture).all()
    assert (found[:40, :50, 3] == 255).all()
    assert (found[40:] == 0).all()
    assert (found[:, 50:] == 0).all()


def test_sixels_are_extended_with_a_known_background() -> None:
    picture = np.full((40, 50, 3), 255, np.uint8)
    (filled,) = encode_image(picture, "key", SIXEL, GROUND)
    found = pixels(filled)
    assert found.shape == (51, 54, 3)
    assert (found[:40, :50] == 255).all()
    assert np.abs(found[40:].astype(int) - GROUND).max() <= 2
    (plain,) = encode_image(picture, "key", SIXEL)
    assert pixels(plain).shape == (40, 50, 3)
    assert plain.picture.size == (50, 40)
    assert (plain.picture.columns, plain.picture.rows) == (6, 3) == size_in_cells(picture, SIXEL)


def test_large_sixels_are_split_with_the_palette_of_the_whole() -> None:
    picture = np.zeros((1100, 2300, 3), np.uint8)
    picture[:, 1150:] = [255, 0, 0]
    insets = encode_image(picture, "key", SIXEL, GROUND)
    assert len(insets) == 6
    assert len({inset.picture.key for inset in insets}) == 6
    for inset in insets:
        assert max(inset.picture.size) <= MAX_SIXEL_SIDE
        assert inset.picture.columns * 9 == inset.picture.size[0]
    found = shown(insets)
    assert found.shape == (65 * 17, 256 * 9, 3)
    assert (found[:1100, :2300] == picture).all()


@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from([KITTY, SIXEL]), st.none() | st.just(GROUND))
def test_parts_fill_the_cells_that_are_said(
    height: int, width: int, way: ImageProtocol, ground: tuple[int, int, int] | None
):
    picture = photo(height, width)
    covered = np.zeros(size_in_cells(picture, way)[::-1], int)
    for inset in encode_image(picture, "key", way, ground):
        covered[inset.row : inset.row + inset.picture.rows, inset.column : inset.column + inset.picture.columns] += 1
    assert (covered == 1).all()


@pytest.mark.parametrize("way", [KITTY, SIXEL])
def test_over_a_slow_line_fewer_bytes_go(way: ImageProtocol) -> None:
    remote = ImageProtocol(way.kind, "", placeholders=way.placeholders, cell=CELL, remote=True)
    picture = photo(200, 300)
    near, far = (sum(inset.picture.nbytes for inset in encode_image(picture, "key", each)) for each in (way, remote))
    assert far < 0.6 * near


def test_a_cell_that_nobody_told_of_has_a_size_all_the_same() -> None:
    assert get_cell_size(ImageProtocol("sixel", "")) == DEFAULT_CELL


def test_an_inset_moves_with_its_cells() -> None:
    (inset,) = encode_image(photo(10, 10), "key", KITTY)
    moved = inset.translate(3, 4).translate(1, 1)
    assert (moved.row, moved.column, moved.picture) == (4, 5, inset.picture)
