"""Colours for terminals that have few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color, ColorSystem

from tbtui.charts.colours import colour_gradient, to_oklab
from tbtui.charts.series_colours import PALETTE_SIZE, get_series_colour
from tbtui.charts.xterm_colours import FIXED_COLOURS, find_nearest_colours

CHANNELS = st.integers(0, 255)


def test_there_are_240_of_them_and_each_is_nearest_to_itself() -> None:
    assert len(FIXED_COLOURS) == 240
    assert find_nearest_colours(FIXED_COLOURS) == FIXED_COLOURS


def test_what_writes_to_a_terminal_leaves_them_about_as_they_are() -> None:
    """It rounds some greys to the next one."""
    shown = [Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT).get_truecolor().hex for colour in FIXED_COLOURS]
    assert np.linalg.norm(to_oklab(shown) - to_oklab(FIXED_COLOURS), axis=1).max() < 0.04


@given(CHANNELS, CHANNELS, CHANNELS)
def test_no_other_looks_more_like_a_colour(red: int, green: int, blue: int) -> None:
    colour = f"#{red:02x}{green:02x}{blue:02x}"
    (found,) = find_nearest_colours([colour])
    apart = np.linalg.norm(to_oklab(FIXED_COLOURS) - to_oklab([colour]), axis=1)
    assert apart[FIXED_COLOURS.index(found)] == apart.min()


@pytest.mark.parametrize("ink", range(PALETTE_SIZE))
@pytest.mark.parametrize(("background", "dark"), [("#14171c", True), ("#fbfaf7", False)])
def test_shades_of_a_series_go_from_the_background_to_its_colour_one_way(ink: int, background: str, dark: bool) -> None:
    meant = colour_gradient(background, get_series_colour(ink, dark=dark), 8)
    start = to_oklab([background])[0, 0]
    shown, wanted = (np.abs(to_oklab(colours)[:, 0] - start) for colours in (find_nearest_colours(meant), meant))
    assert np.abs(shown - wanted).max() < 0.1
    assert np.diff(shown).min() > -0.03
