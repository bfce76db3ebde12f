from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.fan import ResampledCurves, resample_curves


def of(places: list[float], *curves: list[float], width: int = 4, gaps: tuple[int, ...] = ()) -> ResampledCurves:
    joined = np.ones(len(places), np.bool_)
    joined[list(gaps)] = False
    return resample_curves(np.array(places), np.array(curves).T.reshape(len(places), -1), joined, width)


def test_a_slope_has_in_each_column_the_height_at_its_middle() -> None:
    for places in ([0.0, 4.0], [0.0, 0.3, 1.7, 1.9, 3.2, 4.0], [-7.0, 11.0], np.linspace(0, 4, 1000).tolist()):
        assert of(places, places, places).means[:, 0] == pytest.approx([0.5, 1.5, 2.5, 3.5])


def test_a_column_shows_the_mean_of_its_points_by_how_far_they_reach() -> None:
    assert of([0.0, 0.5, 0.5, 1.0], [0, 0, 8, 8], width=1).means.tolist() == [[4.0]]


def test_the_outer_curves_keep_what_stands_out() -> None:
    low, middle, high = [0.0] * 16, [1.0] * 16, [2.0] * 16
    low[5], middle[1], high[9] = -50, 1.5, 70
    columns = of(np.linspace(0.125, 3.875, 16).tolist(), low, middle, high)
    assert columns.minima.tolist() == [0, -50, 0, 0]
    assert columns.maxima.tolist() == [2, 2, 70, 2]
    assert columns.means[1, 0] > -50
    assert columns.means[2, 2] < 70


def test_a_slope_is_no_spike() -> None:
    columns = of([0.1, 0.9, 1.6, 2.2, 3.9], [1, 9, 16, 22, 39], [1, 9, 16, 22, 39])
    assert columns.maxima[1:3].tolist() == columns.means[1:3, 1].tolist()
    assert columns.minima[1:3].tolist() == columns.means[1:3, 0].tolist()


def test_nothing_is_joined_over_a_gap() -> None:
    columns = of([0.2, 0.8, 3.1, 3.9], [1, 1, 5, 5], gaps=(1,))
    assert columns.means[[0, 3], 0].tolist() == [1, 5]
    assert np.isnan(columns.means[1:3]).all()
    assert np.isnan(columns.minima[1:3]).all()


def test_points_that_nothing_joins_have_a_column_of_their_own() -> None:
    columns = of([0.5, 2.5, 2.7], [3, 4, 6], [5, 8, 10], gaps=(0, 1, 2))
    assert columns.means[[0, 2]].tolist() == [[3, 5], [5, 9]]
    assert (columns.minima[2], columns.maxima[2]) == (4, 10)
    assert np.isnan(columns.means[[1, 3]]).all()


def test_points_at_one_place_are_averaged() -> None:
    columns = of([1.5, 1.5, 1.5], [0, 3, 6], [9, 9, 12])
    assert columns.means[1].tolist() == [3, 10]
    assert (columns.minima[1], columns.maxima[1]) == (0, 12)


def test_what_is_out_of_sight_is_entered_from() -> None:
    columns = of([-2.0, 6.0], [-2, 6], [-2, 6])
    assert columns.means[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5]
    assert of([-3.0, -1.0], [1, 1]).means.tolist() == [[pytest.approx(math.nan, nan_ok=True)]] * 4


def test_without_points_there_is_nothing() -> None:
    columns = resample_curves(np.zeros(0), np.zeros((0, 9)), np.zeros(0, np.bool_), 3)
    assert columns.means.shape == (3, 9)
    assert all(np.isnan(each).all() for each in columns)


@given(
    st.lists(st.tuples(st.integers(-200, 800), st.floats(-50, 50), st.booleans()), min_size=2, max_size=30),
    st.floats(0, 20),
)
def test_means_are_those_of_many_samples(points: list[tuple[float, float, bool]], spread: float) -> None:
    places, values, joined = (np.array(each) for each in zip(*sorted(points), strict=True))
    places = places / 100
    columns = resample_curves(places, np.stack((values, values + spread), axis=1), joined, 6)
    fine = (np.arange(6 * 4000) + 0.5) / 4000
    after = np.searchsorted(places, fine)
    inside = (after > 0) & (after < len(places))
    inside[inside] = joined[after[inside] - 1]
    sampled = np.where(inside, np.interp(fine, places, values), np.nan).reshape(6, 4000)
    covered = np.count_nonzero(~np.isnan(sampled), axis=1)
    for column in np.flatnonzero(covered > 400):
        steep = np.nanmax(sampled[column]) - np.nanmin(sampled[column])
        assert columns.means[column, 0] == pytest.approx(
            np.nanmean(sampled[column]), abs=1e-9 + steep * len(points) / covered[column]
        )
    assert (columns.means[:, 1] - columns.means[:, 0])[covered > 400] == pytest.approx(spread)
    shown = ~np.isnan(columns.minima)
    assert (columns.minima[shown] <= columns.means[shown, 0] + 1e-9).all()
    assert (columns.maxima[shown] >= columns.means[shown, 1] - 1e-9).all()
    within = (places >= 0) & (places < 6)
    if within.all():  # no way up leads out of sight
        assert np.nanmax(columns.maxima) == pytest.approx((values + spread).max())
        assert np.nanmin(columns.minima) == pytest.approx(values.min())
