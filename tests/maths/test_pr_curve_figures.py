"""Compare figures of PR curves with manually computed numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths.pr_curves import average_precision, compute_f1_scores, compute_thresholds, count_displayed
from tests.helpers.curve_snapshots import curve

NAN = math.nan
ANY = st.floats(width=32)


def test_pr_thresholds_are_evenly_spaced_from_0_to_1() -> None:
    assert compute_thresholds(5).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert compute_thresholds(1).tolist() == [0]
    assert compute_thresholds(127)[63] == 0.5


@pytest.mark.parametrize(
    ("true", "false", "count"),
    [
        ([4, 3, 3, 2, 0], [4, 3, 1, 0, 0], 4),
        ([4, 0, 3, 0, 0], [0, 0, 0, 0, 0], 3),  # only thresholds above the last prediction are dropped
        ([0, 0, 0], [2, 1, 0], 2),
        ([0, 0, 0], [0, 0, 0], 1),  # at least one is kept
        ([2, 1, 0.9], [0, 0, 0.9], 2),  # each weighted count below 1 is treated as 0
        ([2, 1, NAN], [0, 0, 0], 3),
        ([2, 1, math.inf], [0, 0, 0], 3),
    ],
)
def test_pr_thresholds_above_all_predictions_are_not_drawn(true: list[float], false: list[float], count: int) -> None:
    assert count_displayed(np.array(true, np.float64), np.array(false, np.float64)) == count


def test_f1_is_the_harmonic_mean() -> None:
    rows = curve()
    scores = compute_f1_scores(rows[4], rows[5])
    assert scores.tolist() == pytest.approx([2 / 3, 3 / 5, 3 / 4, 2 / 3, 0])
    f1 = compute_f1_scores(np.array([NAN, 0.5, math.inf, 0.0]), np.array([0.5, NAN, 0.5, 0.0]))
    assert np.isnan(f1).tolist() == [True, True, True, False]
    assert f1[3] == 0


def test_average_precision_weighs_precision_by_recall_gain() -> None:
    rows = curve()[:, :4]
    assert average_precision(rows[4], rows[5]) == pytest.approx(0.5 + 0.1875 + 0.125)


def test_average_precision_of_a_perfect_classifier_is_1() -> None:
    for scores in ((1.0, 1.0, 0.0, 0.0), (0.35, 0.35, 0.15, 0.15)):
        rows = curve((1, 1, 0, 0), scores, 11)
        count = count_displayed(rows[0], rows[1])
        assert average_precision(rows[4, :count], rows[5, :count]) == 1


def test_average_precision_of_random_guesses_is_the_positive_rate() -> None:
    assert average_precision(np.array([0.25]), np.array([1.0])) == 0.25


def test_average_precision_ignores_nan() -> None:
    precision, recall = np.array([0.5, NAN, 0.5, 1.0]), np.array([1.0, 0.75, NAN, 0.5])
    assert average_precision(precision, recall) == pytest.approx(0.5 + 0.25)


def test_average_precision_without_positives_is_undefined() -> None:
    rows = curve((0, 0, 0), (0.9, 0.5, 0.1), 5)
    assert math.isnan(average_precision(rows[4], rows[5]))
    assert math.isnan(average_precision(np.array([NAN]), np.array([NAN])))


def test_average_precision_does_not_depend_on_the_point_order() -> None:
    precision, recall = curve()[4:, :4]
    order = [2, 0, 3, 1]
    backwards = average_precision(precision[::-1], recall[::-1])
    # For equal recall the point of the higher threshold comes first; the shuffled points lose that order.
    assert backwards == pytest.approx(0.5 + 0.25 * 0.5 + 0.125)
    assert average_precision(precision[order], recall[order]) in (pytest.approx(0.8125), pytest.approx(backwards))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_average_precision_is_between_0_and_the_maximum_precision(points: list[tuple[float, float]]) -> None:
    precision, recall = np.array(points).T
    area = average_precision(precision, recall)
    assert math.isnan(area) if recall.max() == 0 else 0 <= area <= precision.max() + 1e-12


@given(st.lists(st.tuples(ANY, ANY), min_size=1, max_size=20))
def test_pr_curve_any_numbers_raise_and_warn_nothing(points: list[tuple[float, float]]) -> None:
    one, other = np.array(points, np.float64).T
    compute_f1_scores(one, other)
    average_precision(one, other)
    assert 1 <= count_displayed(one, other) <= len(one)
