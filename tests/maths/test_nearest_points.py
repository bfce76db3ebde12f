"""Nearest neighbours, and what they say about labels."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.maths import neighbours
from tbtui.maths.neighbours import METRICS, Metric, NeighbourIndex, measure_agreement, measure_overlap


def make_index(points: np.ndarray) -> NeighbourIndex:
    return NeighbourIndex(points, np.isfinite(points).all(axis=1))


def brute_force(points: np.ndarray, point: int, metric: Metric) -> np.ndarray:
    wide = points.astype(np.float64)
    if metric == "euclidean":
        return np.linalg.norm(wide - wide[point], axis=1)
    unit = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    return 1 - unit @ unit[point]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("offset", [0, 100])
def test_nearest_equal_brute_force(metric: Metric, offset: float) -> None:
    points = (np.random.default_rng(0).normal(size=(700, 9)) + offset).astype(np.float32)
    index = make_index(points)
    for point in (0, 17, 699):
        found, distances = index.find_nearest(point, 20, metric)
        exact = brute_force(points, point, metric)
        exact[point] = np.inf
        assert set(found.tolist()) == set(np.argsort(exact)[:20].tolist())
        assert np.allclose(distances, np.sort(exact)[:20], atol=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_all_nearest_equal_the_nearest_of_each(metric: Metric) -> None:
    points = np.random.default_rng(1).normal(size=(1100, 5)).astype(np.float32)
    *_, (part, found, distances) = make_index(points).iter_nearest(7, metric)
    assert part == 1
    for point in (0, 511, 512, 1099):
        alone, away = make_index(points).find_nearest(point, 7, metric)
        assert found[point].tolist() == alone.tolist()
        assert np.allclose(distances[point], away, atol=1e-3)


def test_nearest_skips_nan_and_zero_vectors() -> None:
    points = np.array([[1, 0], [np.nan, 1], [0, 0], [1, 1], [2, 0]], np.float32)
    index = make_index(points)
    assert index.find_nearest(0, 9, "cosine")[0].tolist() == [4, 3]
    assert index.find_nearest(0, 9, "euclidean")[0].tolist() == [2, 3, 4]
    for point in (1, 2):
        assert len(index.find_nearest(point, 9, "cosine")[0]) == 0


def test_nearest_among_some_leaves_out_the_others() -> None:
    points = np.arange(6, dtype=np.float32)[:, None]
    among = np.array([True, False, True, True, False, True])
    assert make_index(points).find_nearest(0, 2, "euclidean", among)[0].tolist() == [2, 3]


def test_nearest_of_one_point_are_none() -> None:
    assert len(make_index(np.ones((1, 3), np.float32)).find_nearest(0, 5, "euclidean")[0]) == 0
    *_, (_, found, _) = make_index(np.ones((1, 3), np.float32)).iter_nearest(5, "euclidean")
    assert found.shape == (1, 0)


def test_agreement_counts_wrong_neighbours_by_label() -> None:
    nearest = np.array([[1, 2], [0, 2], [3, 0], [2, 1]], np.int32)
    codes = np.array([0, 0, 1, 1], np.int32)
    found = measure_agreement(nearest, codes, 2)
    assert found.counts.tolist() == [[2, 2], [2, 2]]
    assert found.purity == 0.5
    assert found.shares.tolist() == [0.5, 0.5, 0.5, 0.5]
    assert found.accuracy == 1  # of equal votes the nearer neighbour decides
    assert found.list_confusions() == [(0, 1, 0.5), (1, 0, 0.5)]
    assert found.label_purity().tolist() == [0.5, 0.5]
    assert found.accuracies.tolist() == [1, 1]
    assert found.rated.tolist() == [2, 2]


def test_agreement_of_some_points_counts_those_alone() -> None:
    nearest = np.array([[1, 2], [3, 2]], np.int32)  # of the points 0 and 1
    codes = np.array([0, 0, 1, 1], np.int32)
    found = measure_agreement(nearest, codes, 3, codes[[0, 1]])
    assert found.shares.tolist() == [0.5, 0]
    assert found.rated.tolist() == [2, 0, 0]
    assert found.accuracies[0] == found.accuracy == 0.5
    assert np.isnan(found.accuracies[1:]).all()


@pytest.mark.parametrize("metric", METRICS)
def test_nearest_of_some_points_are_among_all(metric: Metric, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "MAX_BLOCK_VALUES", 3000)  # blocks of two points
    points = np.random.default_rng(1).normal(size=(1100, 5)).astype(np.float32)
    queries = np.array([3, 700, 1099])
    *_, (part, found, _) = make_index(points).iter_nearest(7, metric, queries)
    assert part == 1
    assert [row.tolist() for row in found] == [
        make_index(points).find_nearest(q, 7, metric)[0].tolist() for q in queries
    ]


def test_agreement_ignores_points_without_label() -> None:
    found = measure_agreement(np.array([[1], [0], [0]], np.int32), np.array([0, -1, 0], np.int32), 1)
    assert np.isnan(found.shares[:2]).all()
    assert found.accuracy == 1


def test_kept_neighbours_are_the_common_share() -> None:
    before, after = np.array([[1, 2, 3]]), np.array([[3, 2, 9]])
    assert measure_overlap(before, after).tolist() == [0.5]
    assert measure_overlap(before, before).tolist() == [1]
