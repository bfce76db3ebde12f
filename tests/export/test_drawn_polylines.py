"""Test clipping of lines to a rectangle, and dashes."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbtui.export.drawing.lines import clip_lines, split_into_dashes

GAP = (math.nan, math.nan)


def cut(*points: tuple[float, float]) -> list[tuple[float, float] | None]:
    found = clip_lines(np.array(points, np.float64), 0, 0, 10, 10)
    return [None if math.isnan(x) else (x, y) for x, y in found.tolist()]


def test_clip_line_inside_the_frame_is_unchanged() -> None:
    assert cut((1, 1), (2, 5), (9, 9)) == [(1, 1), (2, 5), (9, 9)]


def test_clip_line_leaves_and_enters_at_the_edge() -> None:
    assert cut((5, 5), (5, 15), (7, 15), (7, 5)) == [(5, 5), (5, 10), None, (7, 10), (7, 5)]
    assert cut((-5, 5), (15, 5)) == [(0, 5), (10, 5)]
    assert cut((-5, -5), (-5, 15), (15, 15)) == []


def test_clip_keeps_gaps_and_single_points() -> None:
    assert cut((1, 1), (2, 2), GAP, GAP, (4, 4), GAP, (50, 5)) == [(1, 1), (2, 2), None, (4, 4)]
    assert cut(GAP, (3, 3), GAP) == [(3, 3)]
    assert cut((3, 3)) == [(3, 3)]
    assert cut(GAP) == []
    assert len(clip_lines(np.empty((0, 2)), 0, 0, 1, 1)) == 0


coordinates = st.floats(-40, 40).map(lambda value: round(value, 3))


@given(st.lists(st.one_of(st.just(GAP), st.tuples(coordinates, coordinates)), max_size=12))
def test_clip_result_is_inside_without_outer_gaps(points: list[tuple[float, float]]) -> None:
    found = clip_lines(np.array(points, np.float64).reshape(-1, 2), 0, 0, 10, 10)
    real = found[~np.isnan(found[:, 0])]
    assert bool(((real >= -1e-9) & (real <= 10 + 1e-9)).all())
    assert not len(found) or not np.isnan(found[[0, -1]]).any()
    within = [point for point in points if point[0] == point[0] and min(point) >= 0 and max(point) <= 10]
    kept = set(map(tuple, real.tolist()))
    assert all(any(math.dist(point, other) < 1e-6 for other in kept) for point in within)


def test_dashes_follow_the_line_around_corners() -> None:
    line = np.array([(0, 0), (3, 0), (3, 3)], np.float64)
    found = split_into_dashes(line, (4.0, 1.0))
    assert found[:3].tolist() == [[0, 0], [3, 0], [3, 1]]
    assert np.isnan(found[3]).all()
    assert found[4:].tolist() == [[3, 2], [3, 3]]


def test_dashes_of_several_lines_start_with_each_line() -> None:
    lines = np.array([(0, 0), (9, 0), GAP, (0, 5), (1, 5), GAP, (7, 7)], np.float64)
    found = split_into_dashes(lines, (5.0, 5.0))
    assert [None if math.isnan(x) else (x, y) for x, y in found.tolist()][:3] == [(0, 0), (5, 0), None]
    assert (7, 7) in list(map(tuple, found.tolist()))
