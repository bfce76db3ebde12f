"""Pictures as cells, in all depths of colour."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from rich.color import Color, ColorSystem
from rich.palette import Palette

from tbtui.charts.cells import Cells, Ink, split_pair
from tbtui.terminal_images.decode import LIGHT_CHECKER
from tbtui.terminal_images.half_blocks import TOLERANCE, Depth, choose_depth, draw_half_blocks
from tbtui.terminal_images.quantization import quantize_16, quantize_256
from tests.helpers.image_files import photo

DEPTHS: tuple[Depth, ...] = ("true", "256", "16", "none")


def looks(cells: Cells) -> list[list[tuple[str, int | None, int | None]]]:
    assert cells.colours is not None
    return [
        [(chr(glyph), *split_pair(pair)) for glyph, pair in zip(glyphs, pairs, strict=True)]
        for glyphs, pairs in zip(cells.glyphs.tolist(), cells.colours.tolist(), strict=True)
    ]


def of_hex(*rows: list[int]) -> np.ndarray:
    return np.array([[[rgb >> 16, rgb >> 8 & 255, rgb & 255] for rgb in row] for row in rows], np.uint8)


def test_the_upper_pixel_is_the_glyph_and_the_lower_one_its_ground() -> None:
    cells = draw_half_blocks(of_hex([0xFF0000, 0x112233], [0x0000FF, 0x112233]))
    assert looks(cells) == [[("▀", 0xFF0000, 0x0000FF), (" ", 0x112233, 0x112233)]]
    assert cells.inks.tolist() == [[Ink.NONE, Ink.NONE]]


def test_half_a_row_stands_on_the_background() -> None:
    cells = draw_half_blocks(of_hex([0x000001], [0x000002], [0x000003]))
    assert looks(cells) == [[("▀", 1, 2)], [("▀", 3, None)]]


def test_neighbours_that_nobody_tells_apart_have_one_colour() -> None:
    row = of_hex([0x101010, 0x121010, 0x161010, 0x171010, 0x171010], [0x808080] * 5)
    assert [[over for _, over, _ in cells] for cells in looks(draw_half_blocks(row))] == [
        [0x131010] * 3 + [0x171010] * 2,
    ]


@given(npst.arrays(np.uint8, st.tuples(st.integers(1, 8), st.integers(1, 12), st.just(3))))
def test_no_channel_is_further_off_than_nobody_sees(pixels: np.ndarray) -> None:
    colours = [[(over, under) for _, over, under in row] for row in looks(draw_half_blocks(pixels))]
    halves = np.array([[[c if c is not None else -1 for c in pair] for pair in row] for row in colours])
    shown = halves.transpose(0, 2, 1).reshape(-1, pixels.shape[1])[: len(pixels)]
    drawn = np.stack((shown >> 16, shown >> 8 & 255, shown & 255), axis=2)
    assert np.abs(drawn - pixels.astype(int)).max() <= TOLERANCE


def test_a_transparent_picture_lies_on_a_checkerboard() -> None:
    cells = draw_half_blocks(np.zeros((8, 8, 4), np.uint8))
    greys = [grey << 16 | grey << 8 | grey for grey in LIGHT_CHECKER]
    assert [[under for _, _, under in row] for row in looks(cells)] == [
        [greys[0]] * 4 + [greys[1]] * 4,
        [greys[0]] * 4 + [greys[1]] * 4,
        [greys[1]] * 4 + [greys[0]] * 4,
        [greys[1]] * 4 + [greys[0]] * 4,
    ]


@given(
    npst.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([3, 4]))),
    st.sampled_from(DEPTHS),
    st.booleans(),
)
def test_any_picture_has_cells_of_its_size(pixels: np.ndarray, depth: Depth, dark: bool) -> None:
    cells = draw_half_blocks(pixels, depth, dark=dark)
    assert (cells.height, cells.width) == ((len(pixels) + 1) // 2, pixels.shape[1])
    assert (cells.colours is None) == (depth == "none")


# Few colours


def means(pixels: np.ndarray) -> np.ndarray:
    """Of blocks of 4 x 4."""
    height, width = (size // 4 for size in pixels.shape[:2])
    return pixels.reshape(height, 4, width, 4, 3).mean(axis=(1, 3))


@given(npst.arrays(np.uint8, (4, 4, 3)))
def test_256_colours_reach_rich_as_those_that_were_meant(pixels: np.ndarray) -> None:
    for r, g, b in quantize_256(pixels).reshape(-1, 3).tolist():
        number = Color.from_rgb(r, g, b).downgrade(ColorSystem.EIGHT_BIT).number
        assert number is not None
        assert number >= 16, "not those that users choose"
        shown = Color.from_ansi(number).get_truecolor()
        assert max(abs(a - b) for a, b in zip(shown, (r, g, b), strict=True)) <= 7


@given(npst.arrays(np.uint8, (4, 4, 3)))
def test_16_colours_reach_rich_as_they_are(pixels: np.ndarray) -> None:
    from rich._palettes import STANDARD_PALETTE

    assert isinstance(STANDARD_PALETTE, Palette)
    for r, g, b in quantize_16(pixels).reshape(-1, 3).tolist():
        number = Color.from_rgb(r, g, b).downgrade(ColorSystem.STANDARD).number
        assert number is not None
        assert tuple(STANDARD_PALETTE[number]) == (r, g, b)


@pytest.mark.parametrize("value", range(0, 256, 15))
def test_in_256_colours_greys_stay_grey_and_colours_near(value: int) -> None:
    grey = quantize_256(np.full((8, 8, 3), value, np.uint8))
    assert np.ptp(grey, axis=2).max() == 0
    assert np.abs(means(grey) - value).max() <= 12
    shade = [value, 255 - value, 40]
    assert np.abs(means(quantize_256(np.full((8, 8, 3), shade, np.uint8))) - shade).max() <= 48


def test_what_is_exactly_one_of_the_256_colours_is_drawn_in_that_alone() -> None:
    for shade in ([0, 95, 255], [215, 175, 0], [255, 255, 255], [0, 0, 0]):
        assert quantize_256(np.full((4, 4, 3), shade, np.uint8)).reshape(-1, 3).tolist() == [shade] * 16


def test_in_16_colours_a_photo_stays_about_as_bright() -> None:
    picture = photo(64, 64)
    assert np.abs(means(quantize_16(picture)) - means(picture)).mean() < 45
    assert quantize_16(of_hex([0x000000, 0xFFFFFF])).tolist() == of_hex([0x000000, 0xFFFFFF]).tolist()


def test_a_change_in_a_corner_changes_nothing_elsewhere() -> None:
    one = photo(40, 40)
    other = one.copy()
    other[:4, :4] = 255 - other[:4, :4]
    for few in (quantize_256, quantize_16):
        assert np.array_equal(few(one)[4:], few(other)[4:])
        assert np.array_equal(few(one)[:, 4:], few(other)[:, 4:])


# No colours


def test_without_colours_shades_tell_brightness_and_halves_edges() -> None:
    ramp = np.repeat(np.array([0, 64, 128, 191, 255], np.uint8), 4)[None, :, None]
    assert draw_half_blocks(np.tile(ramp, (8, 1, 3)), "none").text().split("\n")[2][::4] == " ░▒▓█"
    black, white = [0x000000] * 4, [0xFFFFFF] * 4
    assert draw_half_blocks(of_hex(black, white, white, black), "none").text() == "▄▄▄▄\n▀▀▀▀"


def test_on_a_bright_background_what_is_bright_is_left_blank() -> None:
    white = np.full((2, 3, 3), 255, np.uint8)
    assert draw_half_blocks(white, "none", dark=False).text() == "   "
    assert draw_half_blocks(white * 0, "none", dark=False).text() == "███"
    assert set(draw_half_blocks(white * 0, "none", dark=False).inks.ravel().tolist()) == {Ink.TEXT}


@pytest.mark.parametrize(
    ("system", "no_color", "native", "depth"),
    [
        ("truecolor", False, False, "true"),
        ("truecolor", False, True, "true"),
        ("truecolor", True, False, "true"),
        ("truecolor", True, True, "none"),
        ("256", False, False, "256"),
        ("256", True, False, "256"),
        ("256", True, True, "none"),
        ("standard", False, False, "16"),
        ("standard", True, False, "none"),
        ("windows", False, True, "16"),
        (None, False, False, "none"),
    ],
)
def test_how_deep_colours_are(system: str | None, no_color: bool, native: bool, depth: str) -> None:
    assert choose_depth(system, no_color=no_color, native=native) == depth
