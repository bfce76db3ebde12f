"""Drawn points and readouts of one precision-recall curve, against numbers computed by hand."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.pr_curves.curve import Curve, build_curve_line, find_gap_points
from tests.helpers.curve_snapshots import curve

if TYPE_CHECKING:
    from collections.abc import Sequence

NAN = math.nan
ANY = st.floats(width=32)


def curve_at(points: Sequence[tuple[float, float]]) -> Curve:
    """A raw curve of points (recall, precision) by rising threshold."""
    rows = np.ones((6, len(points)))
    rows[5], rows[4] = np.array(points).T
    return Curve(rows)


def segments(made: Curve) -> list[list[tuple[float, float]]]:
    """The line as it is drawn: stretches of points, from left to right."""
    x, y, ascending = build_curve_line(made)
    if ascending:
        return [list(zip(x.tolist(), y.tolist(), strict=True))]
    found: list[list[tuple[float, float]]] = [[]]
    for across, down in zip(x.tolist(), y.tolist(), strict=True):
        if math.isnan(across):
            found.append([])
        else:
            found[-1].append((across, down))
    return [stretch for stretch in found if stretch]


def test_curve_values_at_a_threshold() -> None:
    reading = Curve(curve()).at(0.5)
    assert reading is not None
    assert (reading.threshold, reading.precision, reading.recall, reading.f1) == (0.5, 0.75, 0.75, 0.75)
    counts = (
        reading.true_positives,
        reading.false_positives,
        reading.true_negatives,
        reading.false_negatives,
    )
    assert counts == (3, 1, 3, 1)


@pytest.mark.parametrize(("asked", "read"), [(0.0, 0.0), (0.1, 0.0), (0.2, 0.25), (0.7, 0.75), (0.9, 1.0), (5.0, 1.0)])
def test_curve_reads_the_nearest_threshold(asked: float, read: float) -> None:
    reading = Curve(curve()).at(asked)
    assert reading is not None
    assert reading.threshold == read


def test_curve_past_its_end_has_counts_and_no_precision() -> None:
    made = Curve(curve())
    reading = made.at(1.0)
    assert made.shown == 4
    assert reading is not None
    assert (reading.precision, reading.recall, reading.f1) == (None, 0, None)
    assert (reading.true_positives, reading.true_negatives, reading.false_negatives) == (0, 4, 4)
    assert made.point(1.0) is None
    assert made.point(0.75) == (0.5, 1)


def test_curve_best_f1_is_read_without_a_threshold() -> None:
    made = Curve(curve())
    assert made.best == 2
    assert made.at(None) == made.at(0.5)
    alike = Curve(curve((1, 0), (0.9, 0.1), 5))  # precision and recall are 1 from threshold .25 to .75
    assert alike.best == 1


def test_curve_without_a_positive_score_has_no_best_f1() -> None:
    for rows in (curve((0, 0), (0.9, 0.1), 5), np.full((6, 5), NAN)):
        assert Curve(rows).best is None
        assert Curve(rows).at(None) is None
        assert Curve(rows).point(None) is None


def test_average_precision_is_of_the_drawn_curve() -> None:
    assert Curve(curve()).area == pytest.approx(0.8125)


def test_curve_is_one_line_of_rising_recall() -> None:
    assert segments(Curve(curve())) == [[(0.5, 1.0), (0.75, 0.75), (0.75, 0.5), (1.0, 0.5)]]


def test_curve_raw_points_keep_their_order() -> None:
    made = curve_at([(0.2, 0.9), (0.8, 0.7), (0.4, 0.5)])
    assert segments(made) == [[(0.4, 0.5), (0.8, 0.7)], [(0.2, 0.9), (0.8, 0.7)]]


def test_curve_nan_is_a_gap_marked_at_its_near_end() -> None:
    made = curve_at([(1.0, 0.5), (0.8, NAN), (NAN, 0.7), (0.4, 0.9), (0.2, 1.0)])
    assert segments(made) == [[(0.2, 1.0), (0.4, 0.9)], [(1.0, 0.5)]]
    assert find_gap_points(made) == [(0.4, 0.9)]
    assert made.is_nonfinite.tolist() == [False, True, True, False, False]
    assert made.point(0.25) is None


def test_curve_leading_gap_is_marked_at_the_start() -> None:
    assert find_gap_points(curve_at([(1.0, 0.5), (0.4, 0.9), (NAN, NAN)])) == [(0.4, 0.9)]
    assert find_gap_points(curve_at([(NAN, NAN), (NAN, NAN)])) == []


def test_curve_single_point_is_drawn() -> None:
    assert segments(curve_at([(0.6, 0.75)])) == [[(0.6, 0.75)]]


@given(st.lists(st.tuples(ANY, ANY), min_size=1, max_size=20))
def test_curve_joins_exactly_neighbouring_numbers(points: list[tuple[float, float]]) -> None:
    made = curve_at(points)
    drawn = segments(made)
    assert all(x <= following for stretch in drawn for (x, _), (following, _) in pairwise(stretch))
    finite = [math.isfinite(x) and math.isfinite(y) for x, y in points]
    wanted = [
        tuple(sorted(((*points[at],), (*points[at + 1],))))
        for at in range(len(points) - 1)
        if finite[at] and finite[at + 1]
    ]
    found = [tuple(sorted((one, other))) for stretch in drawn for one, other in pairwise(stretch)]
    assert sorted(found) == sorted(wanted)
    alone = {point for point, is_number in zip(points, finite, strict=True) if is_number}
    assert {point for stretch in drawn for point in stretch} == alone
