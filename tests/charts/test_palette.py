from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tbtui.charts.canvas import DASHES
from tbtui.charts.palette import ANSI, DARK, LIGHT, SIZE, ansi_colour, marker, mix, patterns, series_colour

# What an eye without one kind of cone sees, in linear RGB: Machado, Oliveira and Fernandes (2009), severity 1.
VISION = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
LMS = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
LAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def oklab(colour: str, vision: str) -> np.ndarray:
    seen = np.clip(np.array(VISION[vision]) @ linear(colour), 0, 1)
    return np.array(LAB) @ np.cbrt(np.array(LMS) @ seen)


def contrast(colour: str, background: str) -> float:
    weights = np.array([0.2126, 0.7152, 0.0722])
    lights = sorted(float(weights @ linear(each)) for each in (colour, background))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


@pytest.mark.parametrize(("palette", "background"), [(DARK, "#1e1e1e"), (LIGHT, "#e4e4e4")])
def test_colours_stand_out_from_their_background(palette: tuple[str, ...], background: str) -> None:
    assert min(contrast(colour, background) for colour in palette) >= 3


@pytest.mark.parametrize("palette", [DARK, LIGHT])
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
    looks = {(series_colour(ink), dash) for ink, dash in patterns(range(SIZE * len(DASHES))).items()}
    assert len(looks) == SIZE * len(DASHES)
    assert patterns(range(SIZE)) == dict.fromkeys(range(SIZE), 0)


def test_a_line_is_dashed_only_beside_another_of_its_colour() -> None:
    assert patterns([3, SIZE + 4]) == {3: 0, SIZE + 4: 0}
    assert patterns([3, SIZE + 3, SIZE + 3, 5]) == {3: 0, SIZE + 3: 1, 5: 0}
    assert patterns([2 * SIZE - 3, -3])[2 * SIZE - 3] == 0
    assert len(DARK) == len(LIGHT) == SIZE >= 12


def test_plain_terminals_get_distinct_colours_that_are_not_grey() -> None:
    assert len(set(ANSI)) == SIZE
    assert not set(ANSI) & {0, 7, 8, 15}
    assert ansi_colour(SIZE + 1) == ANSI[1]


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
    assert [marker(index * SIZE) for index in range(4)] == ["●", "◆", "■", "▲"]
    assert [marker(index * SIZE + 5, hollow=True) for index in range(4)] == ["○", "◇", "□", "△"]
    assert marker(4 * SIZE) == marker(0)
    assert {marker(ink) for ink in range(SIZE)} == {"●"}
