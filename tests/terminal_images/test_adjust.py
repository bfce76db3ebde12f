"""Brightness, contrast, transparency, and two pictures compared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.terminal_images.decode import (
    DARK_CHECKER,
    LIGHT_CHECKER,
    adjust,
    amplify,
    compute_difference_gain,
    draw_on_backdrop,
    draw_on_checker,
    draw_on_colour,
    measure_difference,
)
from tests.helpers.image_files import photo


def level(value: int, brightness: float, contrast: float) -> int:
    return int(adjust(np.full((1, 1, 3), value, np.uint8), brightness, contrast)[0, 0, 0])


@pytest.mark.parametrize(
    ("value", "brightness", "contrast", "expected"),
    [
        (100, 1, 1, 100),
        (100, 1.5, 1, 150),
        (200, 2, 1, 255),
        (200, 0, 1, 0),
        (0, 2, 1, 0),
        (128, 1, 0, 128),
        (200, 1, 0, 128),
        (0, 1, 0, 128),
        (200, 1, 2, 255),
        (50, 1, 2, 0),
        (140, 1, 3, 165),
        (255, 1, 0.5, 191),
        # First contrast, held between 0 and 1, then brightness: the other way round the first would give 255.
        (240, 0.5, 2, 128),
        (20, 2, 2, 0),
    ],
)
def test_both_are_what_the_filters_of_css_make_of_them(
    value: int, brightness: float, contrast: float, expected: int
) -> None:
    assert level(value, brightness, contrast) == expected


@given(st.integers(0, 255), st.floats(0, 2), st.floats(0, 5))
def test_every_level_is_that_of_the_formula(value: int, brightness: float, contrast: float) -> None:
    p = min(max((value / 255 - 0.5) * contrast + 0.5, 0), 1)
    expected = min(max(p * brightness, 0), 1) * 255
    assert abs(level(value, brightness, contrast) - expected) <= 0.5 + 1e-9


def test_transparency_is_not_brightened() -> None:
    clear = photo(6, 6, alpha=True)
    assert np.array_equal(adjust(clear, 2, 3)[..., 3], clear[..., 3])
    assert np.array_equal(adjust(clear, 2, 3)[..., :3], adjust(clear[..., :3], 2, 3))


def test_nothing_is_done_where_nothing_is_asked() -> None:
    picture = photo(6, 6)
    assert adjust(picture) is picture
    assert draw_on_checker(picture) is picture
    assert draw_on_colour(picture, np.zeros(3, np.uint8)) is picture


def test_what_is_transparent_lets_a_checkerboard_through() -> None:
    clear = np.zeros((4, 4, 4), np.uint8)
    one, other = LIGHT_CHECKER
    assert draw_on_checker(clear, 2)[..., 1].tolist() == [[one, one, other, other]] * 2 + [[other, other, one, one]] * 2
    clear[..., 0], clear[..., 3] = 200, 255
    assert (draw_on_checker(clear) == [200, 0, 0]).all()
    clear[..., 3] = 51  # a fifth, too little to count as ink
    assert draw_on_checker(clear, 4)[0, 0].tolist() == [
        round(200 / 5 + one * 4 / 5),
        round(one * 4 / 5),
        round(one * 4 / 5),
    ]


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))
def test_a_mixture_lies_between_what_is_mixed(alpha: int, over: int, under: int) -> None:
    mixed = int(draw_on_colour(np.array([[[over] * 3 + [alpha]]], np.uint8), np.array([under], np.uint8))[0, 0, 0])
    assert abs(mixed - (over * alpha + under * (255 - alpha)) / 255) <= 0.5


def test_a_picture_does_not_differ_from_itself() -> None:
    found = measure_difference(photo(9, 7), photo(9, 7))
    assert (found.largest, found.mean, found.differing, found.note) == (0, 0.0, 0.0, "")
    assert not found.pixels.any()


def test_the_difference_is_the_distance_of_each_channel_either_way() -> None:
    one, other = np.zeros((2, 2, 3), np.uint8), np.zeros((2, 2, 3), np.uint8)
    one[0, 0], other[0, 0] = (10, 200, 0), (30, 50, 0)
    found = measure_difference(one, other)
    assert found.pixels[0, 0].tolist() == [20, 150, 0]
    assert np.array_equal(found.pixels, measure_difference(other, one).pixels)
    assert (found.largest, found.mean, found.differing) == (150, 170 / 12, 0.25)


def test_what_is_transparent_in_one_of_them_differs_by_how_much() -> None:
    solid = np.full((1, 2, 3), 40, np.uint8)
    clear = np.dstack((solid, np.array([[255, 0]], np.uint8)))
    assert measure_difference(solid, clear).pixels.tolist() == [[[0, 0, 0], [255, 255, 255]]]
    assert measure_difference(clear, clear).largest == 0


def test_colours_that_cannot_be_seen_do_not_differ() -> None:
    one, other = np.zeros((1, 1, 4), np.uint8), np.zeros((1, 1, 4), np.uint8)
    one[..., 0] = 200
    assert measure_difference(one, other).largest == 0


def test_difference_of_two_sizes_resizes_the_second_with_a_note() -> None:
    small = photo(8, 6)
    found = measure_difference(small.repeat(3, axis=0).repeat(3, axis=1), small)
    assert found.pixels.shape == (24, 18, 3)
    assert found.largest == 0
    assert found.note == "18×24 beside 6×8, brought to that size"
    assert measure_difference(small, small.repeat(3, axis=0).repeat(3, axis=1)).largest == 0


def figure(ink: int, axes: int | None = None) -> np.ndarray:
    """Return a transparent figure with a line of ink, and axes with a ground of their own."""
    pixels = np.zeros((20, 20, 4), np.uint8)
    if axes is not None:
        pixels[5:15, 5:15] = (axes, axes, axes, 255)
    pixels[2, 2:18] = pixels[17, 2:18] = pixels[2:18, 3] = pixels[2:18, 17] = (ink, ink, ink, 255)
    return pixels


@pytest.mark.parametrize(("ink", "axes"), [(0, None), (60, None), (0, 255)])
def test_on_checker_dark_ink_has_a_light_ground(ink: int, axes: int | None) -> None:
    assert draw_on_checker(figure(ink, axes))[0, 0, 0] in LIGHT_CHECKER


@pytest.mark.parametrize(("ink", "axes"), [(255, None), (255, 0)])
def test_on_checker_light_ink_has_a_dark_ground(ink: int, axes: int | None) -> None:
    assert draw_on_checker(figure(ink, axes))[0, 0, 0] in DARK_CHECKER


def test_on_backdrop_white_and_black_fill_what_is_transparent() -> None:
    assert draw_on_backdrop(figure(0), "white")[0, 0].tolist() == [255] * 3
    assert draw_on_backdrop(figure(255), "black")[0, 0].tolist() == [0] * 3
    assert draw_on_backdrop(figure(7), "white")[2, 2].tolist() == [7] * 3


@pytest.mark.parametrize(
    ("bright", "gain"), [(0, 1), (1, 128), (2, 64), (3, 64), (7, 32), (16, 8), (100, 2), (128, 1), (255, 1)]
)
def test_difference_gain_is_the_greatest_power_of_two_that_clips_nothing(bright: int, gain: int) -> None:
    assert compute_difference_gain(bright) == gain


def test_difference_scale_follows_the_picture_not_its_outliers() -> None:
    first = np.full((20, 20, 3), 100, np.uint8)
    second = first + np.uint8(4)
    second[0, 0] = 255
    found = measure_difference(first, second)
    assert (found.largest, found.bright) == (155, 4)
    bright = amplify(found.pixels, compute_difference_gain(found.bright))
    assert (bright[0, 0, 0], bright[1, 1, 0]) == (255, 128)
