from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts import raster
from tbtui.charts.raster import rasterize_lines

NAN, INF = math.nan, math.inf


def lit(across: list[float], down: list[float], width: int = 8, height: int = 6) -> str:
    """The dots as text, a row a line."""
    spans = rasterize_lines(np.array(across, np.float64), np.array(down, np.float64), width).clip_rows(height)
    dots = np.full((height, width), ".")
    for column, top, bottom in zip(spans.columns, spans.tops, spans.bottoms, strict=True):
        dots[top : bottom + 1, column] = "#"
    return "\n".join("".join(row) for row in dots)


@pytest.mark.parametrize(
    ("across", "down", "picture"),
    [
        ([0, 7], [2, 2], "........ ........ ######## ........ ........ ........"),
        ([0, 5], [0, 5], "#....... .#...... ..#..... ...#.... ....#... .....#.."),
        ([0, 7], [5, 2], "........ ........ ......## ....##.. ..##.... ##......"),
        ([0, 2], [0, 5], "#....... #....... .#...... .#...... ..#..... ..#....."),
        ([3, 3], [1, 4], "........ ...#.... ...#.... ...#.... ...#.... ........"),
        ([1], [3], "........ ........ ........ .#...... ........ ........"),
        ([0, 3, 6], [4, 0, 4], "...#.... ..#.#... ..#.#... .#...#.. #.....#. ........"),
        ([-4, 12], [3, 3], "........ ........ ........ ######## ........ ........"),
        ([-100, -50], [3, 3], "........ ........ ........ ........ ........ ........"),
        ([0, 7], [-20, 20], "...#.... ....#... ....#... ....#... ....#... ....#..."),
        ([0, 7], [-3, -3], "........ ........ ........ ........ ........ ........"),
        ([0, 1, 2, 3, 4, 5], [1, 1, NAN, 1, NAN, 1], "........ ##.#.#.. ........ ........ ........ ........"),
        ([0, 5, 2, 7], [1, 1, NAN, 4], ("........ ######.. ........ ........ .......# ........")),
        ([0, INF], [1, 1], "........ #....... ........ ........ ........ ........"),
        ([], [], "........ ........ ........ ........ ........ ........"),
        ([NAN, 2], [1, 1], "........ ..#..... ........ ........ ........ ........"),
    ],
)
def test_lines(across: list[float], down: list[float], picture: str) -> None:
    assert lit(across, down) == picture.replace(" ", "\n")


def test_a_height_beyond_all_floats_is_a_vertical_line() -> None:
    assert lit([0, 3, 4, 7], [3, 3, 1e300, 1e300]).split("\n")[3] == "####...."


def test_an_extreme_between_two_columns_is_lit_where_it_is() -> None:
    picture = lit([0, 2.9, 3, 3.1, 7], [5, 5, 0, 5, 5])
    assert picture.split("\n")[0] == "...#...."


def test_only_unjoined_points_are_alone() -> None:
    spans = rasterize_lines(np.array([0, 1, 2, 4.0]), np.array([1, NAN, 2, 3.0]), 8)
    assert spans.is_lone.tolist() == [True] + [False] * 3


def test_a_line_torn_too_often_shows_its_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raster, "MAX_CROSSINGS", 3)
    spans = rasterize_lines(np.arange(8.0), np.array([0, 5, 0, 5, 0, 5, 9, -2.0]), 8).clip_rows(6)
    assert spans.columns.tolist() == [0, 1, 2, 3, 4, 5]
    assert spans.tops.tolist() == spans.bottoms.tolist() == [0, 5, 0, 5, 0, 5]


LINES = st.lists(st.tuples(st.floats(-5, 35), st.floats(-5, 25) | st.just(NAN)), min_size=1, max_size=60).map(
    lambda points: sorted(points, key=lambda point: point[0])
)


@given(LINES)
def test_lines_are_connected_stay_inside_and_pass_their_points(points: list[tuple[float, float]]) -> None:
    across, down = np.array(points, np.float64).T
    width, height = 30, 20
    spans = rasterize_lines(across, down, width).clip_rows(height)
    assert ((spans.columns >= 0) & (spans.columns < width)).all()
    assert ((spans.tops >= 0) & (spans.tops <= spans.bottoms) & (spans.bottoms < height)).all()
    dots = np.zeros((height + 2, width + 2), bool)
    for column, top, bottom in zip(spans.columns, spans.tops, spans.bottoms, strict=True):
        dots[top + 1 : bottom + 2, column + 1] = True
    for x, y in points:
        column, row = math.floor(x + 0.5), math.floor(y + 0.5) if math.isfinite(y) else -1
        if 0 <= column < width and 0 <= row < height:
            assert dots[row : row + 3, column : column + 3].any()


@given(LINES)
def test_the_extremes_of_a_line_are_lit_exactly(points: list[tuple[float, float]]) -> None:
    inside = [(x, min(max(y, 0), 19)) for x, y in points if 0 <= x <= 29 and math.isfinite(y)]
    if not inside:
        return
    across, down = np.array(inside, np.float64).T
    spans = rasterize_lines(across, down, 30).clip_rows(20)
    assert spans.tops.min() == math.floor(down.min() + 0.5)
    assert spans.bottoms.max() == math.floor(down.max() + 0.5)


@given(LINES)
def test_what_lies_in_a_gap_stays_dark(points: list[tuple[float, float]]) -> None:
    across, down = np.array(points, np.float64).T
    spans = rasterize_lines(across, down, 30).clip_rows(20)
    drawn = [math.floor(x + 0.5) for x, y in points if math.isfinite(y)]
    joined = [
        range(math.floor(x + 0.5), math.floor(to + 0.5) + 1)
        for (x, y), (to, end) in pairwise(points)
        if math.isfinite(y + end)
    ]
    covered = set(drawn).union(*joined)
    assert set(spans.columns.tolist()) <= covered
