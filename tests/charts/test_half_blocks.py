"""Levels as half blocks, in runs of one colour."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tbtui.charts.cells import HEAT_LEVELS, Ink, to_heat_inks
from tbtui.charts.heat_levels import TOLERANCES, draw_heat_levels, round_levels

MOST = HEAT_LEVELS - 1


def pixels(*rows: list[int]) -> np.ndarray:
    return np.array(rows, np.int16)


def test_the_upper_pixel_is_the_glyph_and_the_lower_one_its_ground() -> None:
    cells = draw_heat_levels(pixels([9, 9, 0, 3], [4, 9, 0, 0], [1, 0, 0, 2], [1, 7, 0, 3]))
    assert cells.text() == "▀  ▀\n ▄ ▀"
    assert cells.inks.tolist() == [
        [to_heat_inks(9, 4), to_heat_inks(9, 9), Ink.NONE, to_heat_inks(3, 0)],
        [to_heat_inks(1, 1), to_heat_inks(7, 0), Ink.NONE, to_heat_inks(2, 3)],
    ]


def test_neighbours_that_look_the_same_become_the_same() -> None:
    levels = np.array([[10.4, 11.6, 12.2, 12.6, 20], [5, 5, 5, 5, 5.0]])
    assert round_levels(levels).tolist() == [[11, 11, 11, 13, 20], [5, 5, 5, 5, 5]]


def test_nothing_and_the_least_stay_apart() -> None:
    assert round_levels(np.array([[0, 1, 1.2, 0], [1, 1, 1, 1.0]])).tolist() == [[0, 1, 1, 0], [1, 1, 1, 1]]


def test_a_run_breaks_where_either_pixel_does() -> None:
    runs = round_levels(np.array([[5.0] * 6 + [9.0] * 6, [3.0] * 9 + [30.0] * 3]))
    assert runs.tolist() == [[5] * 6 + [9] * 6, [3] * 9 + [30] * 3]


@pytest.mark.parametrize(("noise", "tolerance"), [(0.5, TOLERANCES[0]), (6.0, TOLERANCES[-1])])
def test_noise_takes_coarser_colours_to_have_fewer_runs(noise: float, tolerance: float) -> None:
    levels = 25 + np.random.default_rng(0).normal(0, noise, (20, 100)).clip(-20, 20)
    found = round_levels(levels)
    off = np.abs(found - levels).max()
    assert off <= tolerance + 0.5
    assert off > tolerance / 2
    cells = draw_heat_levels(found)
    runs = np.count_nonzero(np.diff(cells.inks, axis=1)) + cells.height
    exact = draw_heat_levels(np.rint(levels).astype(np.int16))
    assert runs < (np.count_nonzero(np.diff(exact.inks, axis=1)) + cells.height) * 0.75


@given(
    npst.arrays(
        np.float64,
        st.tuples(st.integers(1, 6).map(lambda rows: 2 * rows), st.integers(1, 30)),
        elements=st.one_of(st.just(0.0), st.floats(1, MOST)),
    )
)
def test_no_pixel_is_off_by_more_than_the_tolerance_and_none_comes_or_goes(levels: np.ndarray) -> None:
    found = round_levels(levels)
    assert found.shape == levels.shape
    assert np.array_equal(found > 0, levels > 0)
    assert np.abs(found - levels).max() <= TOLERANCES[0] + 0.5  # it is small: coarser ones are not needed


def test_what_comes_later_does_not_change_what_stands() -> None:
    levels = 10 + np.cumsum(np.random.default_rng(1).normal(0, 0.05, (10, 60)), axis=1)
    before, after = round_levels(levels[:, :40]), round_levels(levels)
    assert np.array_equal(before[:, :30], after[:, :30])
