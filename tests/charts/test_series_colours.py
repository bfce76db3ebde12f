from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tbtui.charts.canvas import DASH_PATTERNS
from tbtui.charts.colours import mix
from tbtui.charts.series_colours import (
    ANSI_LIGHT_PALETTE,
    ANSI_PALETTE,
    DARK_PALETTE,
    LIGHT_PALETTE,
    MARKERS,
    PALETTE_SIZE,
    count_distinct_colours,
    dash_patterns,
    get_ansi_colour,
    get_ink,
    get_series_colour,
    get_series_marker,
    number_of_ink,
)
from tests.helpers.colour_vision import linear, oklab


def contrast(colour: str, background: str) -> float:
    weights = np.array([0.2126, 0.7152, 0.0722])
    lights = sorted(float(weights @ linear(each)) for each in (colour, background))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


@pytest.mark.parametrize(("palette", "background"), [(DARK_PALETTE, "#1e1e1e"), (LIGHT_PALETTE, "#e4e4e4")])
def test_colours_stand_out_from_their_background(palette: tuple[str, ...], background: str) -> None:
    assert min(contrast(colour, background) for colour in palette) >= 3


@pytest.mark.parametrize("palette", [DARK_PALETTE, LIGHT_PALETTE])
@pytest.mark.parametrize(
    ("vision", "among_six", "among_all"),
    [("normal", 0.12, 0.1), ("protan", 0.07, 0.067), ("deutan", 0.07, 0.07), ("tritan", 0.08, 0.07)],
)
def test_colours_are_told_apart(palette: tuple[str, ...], vision: str, among_six: float, among_all: float) -> None:
    def least(colours: tuple[str, ...]) -> float:
        seen = [oklab(colour, vision) for colour in colours]
        return min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2))

    assert least(palette[:6]) >= among_six
    assert least(palette) >= among_all


def test_every_series_looks_different_until_patterns_are_used_up() -> None:
    looks = {
        (get_series_colour(ink), dash) for ink, dash in dash_patterns(range(PALETTE_SIZE * len(DASH_PATTERNS))).items()
    }
    assert len(looks) == PALETTE_SIZE * len(DASH_PATTERNS)
    assert dash_patterns(range(PALETTE_SIZE)) == dict.fromkeys(range(PALETTE_SIZE), 0)


def test_a_line_is_dashed_only_beside_another_of_its_colour() -> None:
    assert dash_patterns([3, PALETTE_SIZE + 4]) == {3: 0, PALETTE_SIZE + 4: 0}
    assert dash_patterns([3, PALETTE_SIZE + 3, PALETTE_SIZE + 3, 5]) == {3: 0, PALETTE_SIZE + 3: 1, 5: 0}
    assert dash_patterns([2 * PALETTE_SIZE - 3, -3])[2 * PALETTE_SIZE - 3] == 0
    assert len(DARK_PALETTE) == len(LIGHT_PALETTE) == PALETTE_SIZE >= 12


def test_lines_of_one_colour_are_dashed_differently_among_hundreds_of_runs() -> None:
    inks = [3 + PALETTE_SIZE * shape for shape in (1, 5, 9)]
    assert dash_patterns(inks) == {inks[0]: 1, inks[1]: 0, inks[2]: 2}
    many = [3 + PALETTE_SIZE * shape for shape in range(20)]
    assert set(dash_patterns(many)) == set(many)


def test_plain_terminals_get_distinct_colours_that_can_be_read() -> None:
    assert len(set(ANSI_PALETTE)) == PALETTE_SIZE
    assert not set(ANSI_PALETTE) & {0, 4, 7, 8}, "black, dark blue, and the greys of bundles and frames"
    assert get_ansi_colour(PALETTE_SIZE + 1) == ANSI_PALETTE[1]


def test_plain_terminals_on_white_get_nothing_yellow_or_cyan() -> None:
    assert len(ANSI_LIGHT_PALETTE) == PALETTE_SIZE
    assert not set(ANSI_LIGHT_PALETTE) & {3, 6, 7, 10, 11, 14, 15}
    assert len(set(ANSI_LIGHT_PALETTE[:9])) == 9
    assert get_ansi_colour(PALETTE_SIZE + 1, dark=False) == ANSI_LIGHT_PALETTE[1]


@pytest.mark.parametrize("dark", [True, False])
def test_plain_terminals_show_no_colour_twice_with_one_marker(dark: bool) -> None:
    colours = count_distinct_colours(is_ansi=True, dark=dark)
    inks = [get_ink(number, colours) for number in range(colours * len(MARKERS))]
    assert len({(get_ansi_colour(ink, dark=dark), get_series_marker(ink)) for ink in inks}) == len(inks)
    assert len({(get_ansi_colour(ink, dark=dark), dash) for ink, dash in dash_patterns(inks).items()}) == len(inks)
    assert [number_of_ink(ink, colours) for ink in inks] == list(range(len(inks)))


def test_other_themes_use_the_whole_palette() -> None:
    assert (
        count_distinct_colours(is_ansi=False, dark=False)
        == count_distinct_colours(is_ansi=True, dark=True)
        == PALETTE_SIZE
    )
    assert get_ink(PALETTE_SIZE + 3, PALETTE_SIZE) == PALETTE_SIZE + 3


@pytest.mark.parametrize(
    ("colour", "background", "part", "mixed"),
    [
        ("#ffffff", "#000000", 1.0, "#ffffff"),
        ("#ffffff", "#000000", 0.0, "#000000"),
        ("#ff8000", "#000000", 0.5, "#804000"),
        ("#102030", "#f0e0d0", 0.25, "#b8b0a8"),
    ],
)
def test_mix(colour: str, background: str, part: float, mixed: str) -> None:
    assert mix(colour, background, part) == mixed


def test_runs_of_one_colour_have_different_markers() -> None:
    assert [get_series_marker(index * PALETTE_SIZE) for index in range(4)] == ["●", "◆", "■", "▲"]
    assert [get_series_marker(index * PALETTE_SIZE + 5, hollow=True) for index in range(4)] == ["○", "◇", "□", "△"]
    assert get_series_marker(4 * PALETTE_SIZE) == get_series_marker(0)
    assert {get_series_marker(ink) for ink in range(PALETTE_SIZE)} == {"●"}
