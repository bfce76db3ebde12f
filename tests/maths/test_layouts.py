"""Layouts of neighbours: t-SNE, and one like UMAP."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.maths import layouts
from tbtui.maths.layouts import NeighbourLayout, Tsne, compute_perplexity_edges, interpolate_positions
from tbtui.maths.neighbours import NeighbourIndex
from tests.helpers.projector_logs import clusters


def neighbours(points: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    *_, (_, nearest, distances) = NeighbourIndex(points, np.ones(len(points), bool)).iter_nearest(count, "euclidean")
    return nearest, distances


def kept(points: np.ndarray, positions: np.ndarray, count: int = 10) -> float:
    """Return the share of the nearest points that are also the nearest on the map."""
    before, _ = neighbours(points, count)
    after, _ = neighbours(positions.astype(np.float32), count)
    return float(np.mean([len(set(a) & set(b)) / count for a, b in zip(before.tolist(), after.tolist(), strict=True)]))


RIVALS = {("tsne", 2): 0.530, ("tsne", 3): 0.457, ("umap", 2): 0.527, ("umap", 3): 0.557}
"""`kept` of the same points by scikit-learn 1.9.1 (`TSNE(dimensions, perplexity=10, init="random", random_state=0,
method="exact")`) and umap-learn (`UMAP(n_components=dimensions, n_neighbors=15, random_state=0)`). Chance: 10 / 149."""

PART_OF_RIVAL = 0.9
"""The mean of three starts may be less by the spread between starts, which is 5 % for each of the four."""


@pytest.mark.parametrize("dimensions", [2, 3])
def test_tsne_keeps_as_many_neighbours_as_that_of_scikit_learn(dimensions: int) -> None:
    points, _ = clusters(150, 12)
    edges, found = compute_perplexity_edges(*neighbours(points, 30), 10), []
    for seed in range(3):
        layout = Tsne(edges, np.random.default_rng(seed).normal(size=(150, dimensions)))
        for _ in range(500):
            layout.step()
        found.append(kept(points, layout.positions))
    assert np.mean(found) > PART_OF_RIVAL * RIVALS["tsne", dimensions]


@pytest.mark.parametrize("dimensions", [2, 3])
def test_umap_like_layout_keeps_nearly_as_many_neighbours_as_umap(dimensions: int) -> None:
    points, _ = clusters(150, 12)
    found = []
    for seed in range(3):
        start = np.random.default_rng(seed).normal(size=(150, dimensions))
        layout = NeighbourLayout(*neighbours(points, 15), start, epochs=200, seed=seed)
        for _ in range(200):
            layout.step()
        found.append(kept(points, layout.positions))
    assert np.mean(found) > PART_OF_RIVAL * RIVALS["umap", dimensions]


@pytest.mark.parametrize("dimensions", [2, 3])
def test_tsne_repulsion_on_a_grid_nears_that_of_all_pairs(dimensions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Linear interpolation has errors of second order: a quarter with half the width; first order would be a half."""
    points, _ = clusters(90, 5)
    start = np.random.default_rng(3).normal(size=(90, dimensions))
    layout = Tsne(compute_perplexity_edges(*neighbours(points, 15), 5), start)
    y = np.random.default_rng(4).normal(scale=4, size=(90, dimensions))
    exact = layout._compute_repulsion(y)
    monkeypatch.setattr(layouts, "MAX_EXACT_POINTS", 0)
    errors = []
    for side in (64, 128) if dimensions == 2 else (32, 64):
        for limits in ("GRID", "MIN_GRID"):
            monkeypatch.setattr(layouts, limits, {dimensions: side})
        errors.append(np.linalg.norm(layout._compute_repulsion(y) - exact) / np.linalg.norm(exact))
    assert errors[1] / errors[0] < 0.4


@pytest.mark.parametrize("dimensions", [2, 3])
def test_tsne_attraction_is_the_sum_over_all_edges(dimensions: int) -> None:
    points, _ = clusters(60, 5)
    edges = compute_perplexity_edges(*neighbours(points, 9), 3)
    y = np.random.default_rng(5).normal(size=(60, dimensions))
    wanted = np.zeros_like(y)
    for begin, end, weight in zip(edges.starts, edges.ends, edges.weights, strict=True):
        apart = y[begin] - y[end]
        wanted[begin] += weight * apart / (1 + apart @ apart)
    assert np.allclose(Tsne(edges, y)._compute_attraction(y), wanted, atol=1e-6)


def test_tsne_descends_the_divergence_of_the_joint_probabilities() -> None:
    """The gradient is that of the Kullback-Leibler divergence: differences of its value tell it too."""
    points, _ = clusters(30, 5)
    edges = compute_perplexity_edges(*neighbours(points, 29), 8)
    p = np.zeros((30, 30))
    p[edges.starts, edges.ends] = edges.weights

    def divergence(y: np.ndarray) -> float:
        q = 1 / (1 + ((y[:, None] - y) ** 2).sum(axis=2))
        np.fill_diagonal(q, 0)
        q /= q.sum()
        some = p > 0
        return float((p[some] * np.log(p[some] / q[some])).sum())

    y = np.random.default_rng(1).normal(size=(30, 2))
    layout = Tsne(edges, y)
    gradient = 4 * (layout._compute_attraction(y) - layout._compute_repulsion(y))
    for row, axis in ((0, 0), (7, 1), (29, 0)):
        step = np.zeros_like(y)
        step[row, axis] = 1e-4
        slope = (divergence(y + step) - divergence(y - step)) / 2e-4
        assert gradient[row, axis] == pytest.approx(slope, rel=1e-3, abs=1e-6)


def test_layouts_are_the_same_each_time() -> None:
    points, _ = clusters(45, 6)
    start = points[:, :2]
    found = []
    for _ in range(2):
        tsne = Tsne(compute_perplexity_edges(*neighbours(points, 9), 3), start)
        umap = NeighbourLayout(*neighbours(points, 9), start, epochs=20, seed=5)
        for _ in range(20):
            tsne.step()
            umap.step()
        found.append((tsne.positions, umap.positions))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


def test_edges_have_the_wanted_perplexity(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(2).normal(size=(300, 8)).astype(np.float32)
    nearest, distances = neighbours(points, 60)
    rows: list[np.ndarray] = []
    both_ways = layouts._symmetrise
    monkeypatch.setattr(layouts, "_symmetrise", lambda *given: (rows.append(given[1]), both_ways(*given))[1])
    edges = compute_perplexity_edges(nearest, distances, 20)
    (weights,) = rows
    entropy = -(weights * np.log(weights)).sum(axis=1)
    assert np.allclose(np.exp(entropy), 20, rtol=1e-6)
    assert float(edges.weights.sum()) == pytest.approx(1, abs=1e-6)
    assert np.array_equal(np.unique(edges.starts), np.arange(300))
    assert np.array_equal(edges.starts, np.sort(edges.starts))
    pairs = dict(zip(zip(edges.starts.tolist(), edges.ends.tolist(), strict=True), edges.weights.tolist(), strict=True))
    assert all(pairs[(end, begin)] == pytest.approx(weight) for (begin, end), weight in list(pairs.items())[:200])


def test_edges_of_equal_points_are_finite() -> None:
    points = np.zeros((8, 3), np.float32)
    layout = Tsne(compute_perplexity_edges(*neighbours(points, 5), 30), np.zeros((8, 2)))
    umap = NeighbourLayout(*neighbours(points, 5), np.zeros((8, 2)))
    for _ in range(5):
        layout.step()
        umap.step()
    assert np.isfinite(layout.positions).all()
    assert np.isfinite(umap.positions).all()


def test_further_points_are_placed_among_their_neighbours() -> None:
    points, _ = clusters(90, 6)
    positions = np.stack([np.arange(60) % 3, np.zeros(60)], axis=1) * 100
    placed = interpolate_positions(points[:60], positions, points[60:])
    assert placed[:, 0].tolist() == [100 * (row % 3) for row in range(30)]
