"""The colour map: even steps, lightness one way, told from any background and from its warm twin."""

from __future__ import annotations

import numpy as np
import pytest
from rich.color import Color, ColorSystem
from textual.color import Color as Shown

from tbtui.charts.cells import HEAT_LEVELS
from tbtui.charts.colours import colour_gradient, to_hex_colours, to_oklab
from tbtui.charts.heat_colours import (
    ANSI_HEAT_DARK,
    ANSI_HEAT_LIGHT,
    compute_heat_colours,
    compute_warm_colours,
    get_ansi_heat,
)
from tests.helpers.colour_vision import VISION
from tests.helpers.colour_vision import oklab as seen_by

BACKGROUNDS = (
    ("#14171c", True),
    ("#fbfaf7", False),
    ("#000000", True),
    ("#ffffff", False),
    ("#121212", True),
    ("#e0e0e0", False),
    ("#2e3440", True),
    ("#fdf6e3", False),
)
"""Of our own themes, the extremes, and some of Textual's."""


def lightness(colours: tuple[str, ...]) -> np.ndarray:
    return np.array([seen_by(colour, "normal")[0] for colour in colours])


def distances(colours: tuple[str, ...], vision: str) -> np.ndarray:
    """Between neighbours."""
    return np.linalg.norm(np.diff([seen_by(colour, vision) for colour in colours], axis=0), axis=1)


@pytest.mark.parametrize(("background", "dark"), BACKGROUNDS)
def test_more_always_stands_out_more(background: str, dark: bool) -> None:
    colours = compute_heat_colours(background, dark=dark)
    assert len(colours) == HEAT_LEVELS
    assert colours[0] == background
    away = np.diff(lightness(colours)) * (1 if dark else -1)
    assert away.min() > 0
    assert abs(lightness(colours)[-1] - lightness(colours)[0]) > 0.5


@pytest.mark.parametrize(("background", "dark"), BACKGROUNDS)
def test_steps_look_even(background: str, dark: bool) -> None:
    steps = distances(compute_heat_colours(background, dark=dark)[1:], "normal")
    assert steps.max() < 1.5 * steps.min()  # eight bits a channel are not finer
    wide = distances(compute_heat_colours(background, dark=dark)[1::5], "normal")
    assert wide.max() < 1.08 * wide.min()


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(("background", "dark"), BACKGROUNDS)
def test_the_least_is_told_from_nothing_and_levels_apart_from_each_other(
    background: str, dark: bool, vision: str
) -> None:
    colours = compute_heat_colours(background, dark=dark)
    assert distances(colours[:2], vision)[0] >= 0.06
    assert distances(colours[1::4], vision).min() >= 0.03


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(("background", "dark"), BACKGROUNDS)
def test_what_is_under_the_cursor_is_told_from_what_is_beside_it(background: str, dark: bool, vision: str) -> None:
    pairs = zip(
        compute_heat_colours(background, dark=dark)[1:], compute_warm_colours(background, dark=dark)[1:], strict=True
    )
    assert min(float(np.linalg.norm(seen_by(one, vision) - seen_by(other, vision))) for one, other in pairs) >= 0.08


@pytest.mark.parametrize(("background", "dark"), BACKGROUNDS)
def test_under_the_cursor_more_stands_out_more_too(background: str, dark: bool) -> None:
    colours = compute_warm_colours(background, dark=dark)
    assert (np.diff(lightness(colours)) * (1 if dark else -1)).min() > 0


@pytest.mark.parametrize(("background", "dark"), BACKGROUNDS)
def test_greys_are_in_order_too(background: str, dark: bool) -> None:
    greys = [Shown.parse(colour).monochrome.r for colour in compute_heat_colours(background, dark=dark)]
    assert greys == sorted(greys, reverse=not dark)
    assert len(set(greys)) > HEAT_LEVELS * 0.9


@pytest.mark.parametrize(("background", "dark"), BACKGROUNDS)
def test_heat_colours_in_256_keep_levels_and_the_lowest_distinct(background: str, dark: bool) -> None:
    colours = [
        Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT) for colour in compute_heat_colours(background, dark=dark)
    ]
    assert colours[0] != colours[1]
    assert len(set(colours)) >= 10


@pytest.mark.parametrize("dark", [True, False])
def test_a_plain_terminal_tells_some_levels(dark: bool) -> None:
    colours = [get_ansi_heat(level, dark=dark) for level in range(1, HEAT_LEVELS)]
    wanted = ANSI_HEAT_DARK if dark else ANSI_HEAT_LIGHT
    assert tuple(dict.fromkeys(colours)) == wanted
    assert not ({0, 7, 8} if dark else {3, 6, 7, 11, 14, 15}) & set(wanted)
    assert min(colours.count(colour) for colour in wanted) >= (HEAT_LEVELS - 1) // len(wanted)


def test_oklab_is_what_it_is_for_others() -> None:
    colours = ("#000000", "#ffffff", "#ff0000", "#0072b2", "#14171c", "#010203")
    assert np.allclose(to_oklab(colours), [seen_by(colour, "normal") for colour in colours], atol=1e-9)
    assert np.allclose(to_oklab(("#ffffff",)), [[1, 0, 0]], atol=1e-3)
    assert to_hex_colours(to_oklab(colours)) == colours


def test_colours_beyond_srgb_are_the_nearest_that_screens_have() -> None:
    assert to_hex_colours(np.array([[1.2, 0, 0], [-0.2, 0, 0]])) == ("#ffffff", "#000000")


def test_shades_go_evenly_from_one_colour_to_another() -> None:
    shades = colour_gradient("#14171c", "#56b4e9", 8)
    assert (shades[0], shades[-1], len(shades)) == ("#14171c", "#56b4e9", 8)
    steps = distances(shades, "normal")
    assert steps.max() < 1.1 * steps.min()
    assert colour_gradient("#ffffff", "#000000", 2) == ("#ffffff", "#000000")
