"""Layouts of neighbours: t-SNE, and one like UMAP."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.maths import layouts
from tbtui.maths.layouts import NeighbourLayout, Tsne, perplexity_edges, place_others
from tbtui.maths.neighbours import NeighbourIndex
from tests.helpers.projector_logs import clusters


def neighbours(points: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    *_, (_, nearest, distances) = NeighbourIndex(points, np.ones(len(points), bool)).all_nearest(count, "euclidean")
    return nearest, distances


def nearest_alike(positions: np.ndarray) -> float:
    """Return the share of points whose nearest point on the map is of the same cluster."""
    nearest, _ = neighbours(positions.astype(np.float32), 1)
    codes = np.arange(len(positions)) % 3
    return float((codes[nearest[:, 0]] == codes).mean())


def kept(points: np.ndarray, positions: np.ndarray, count: int = 10) -> float:
    before, _ = neighbours(points, count)
    after, _ = neighbours(positions.astype(np.float32), count)
    return float(np.mean([len(set(a) & set(b)) / count for a, b in zip(before.tolist(), after.tolist(), strict=True)]))


@pytest.mark.parametrize("dimensions", [2, 3])
def test_tsne_keeps_neighbours_better_than_its_start(dimensions: int) -> None:
    points, _ = clusters(150, 12)
    random = np.random.default_rng(0).normal(size=(150, dimensions))
    layout = Tsne(perplexity_edges(*neighbours(points, 30), 10), random)
    for _ in range(300):
        layout.step()
    assert nearest_alike(layout.positions) > 0.9 > nearest_alike(random)
    assert kept(points, layout.positions) > 0.3 > kept(points, random)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_umap_like_layout_keeps_clusters_apart(dimensions: int) -> None:
    points, _ = clusters(150, 12)
    random = np.random.default_rng(0).normal(size=(150, dimensions))
    layout = NeighbourLayout(*neighbours(points, 15), random, epochs=120)
    for _ in range(120):
        layout.step()
    assert nearest_alike(layout.positions) == 1
    assert kept(points, layout.positions) > 0.25


@pytest.mark.parametrize("dimensions", [2, 3])
def test_tsne_repulsion_on_a_grid_equals_that_of_all_pairs(dimensions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    points, _ = clusters(90, 5)
    start = np.random.default_rng(3).normal(size=(90, dimensions))
    layout = Tsne(perplexity_edges(*neighbours(points, 15), 5), start)
    y = np.random.default_rng(4).normal(scale=4, size=(90, dimensions))
    exact = layout._repulsion(y)
    monkeypatch.setattr(layouts, "MAX_EXACT_POINTS", 0)
    on_grid = layout._repulsion(y)
    error = np.linalg.norm(on_grid - exact) / np.linalg.norm(exact)
    assert error < (0.08 if dimensions == 2 else 0.25)


def test_layouts_are_the_same_each_time() -> None:
    points, _ = clusters(45, 6)
    start = points[:, :2]
    found = []
    for _ in range(2):
        tsne = Tsne(perplexity_edges(*neighbours(points, 9), 3), start)
        umap = NeighbourLayout(*neighbours(points, 9), start, epochs=20, seed=5)
        for _ in range(20):
            tsne.step()
            umap.step()
        found.append((tsne.positions, umap.positions))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


def test_edges_have_the_wanted_perplexity() -> None:
    points = np.random.default_rng(2).normal(size=(300, 8)).astype(np.float32)
    nearest, distances = neighbours(points, 60)
    edges = perplexity_edges(nearest, distances, 20)
    assert float(edges.weights.sum()) == pytest.approx(1, abs=1e-3)
    assert np.array_equal(np.unique(edges.begins), np.arange(300))
    pairs = dict(zip(zip(edges.begins.tolist(), edges.ends.tolist(), strict=True), edges.weights.tolist(), strict=True))
    assert all(pairs[(end, begin)] == pytest.approx(weight) for (begin, end), weight in list(pairs.items())[:200])


def test_edges_of_equal_points_are_finite() -> None:
    points = np.zeros((8, 3), np.float32)
    layout = Tsne(perplexity_edges(*neighbours(points, 5), 30), np.zeros((8, 2)))
    umap = NeighbourLayout(*neighbours(points, 5), np.zeros((8, 2)))
    for _ in range(5):
        layout.step()
        umap.step()
    assert np.isfinite(layout.positions).all()
    assert np.isfinite(umap.positions).all()


def test_further_points_are_placed_among_their_neighbours() -> None:
    points, _ = clusters(90, 6)
    positions = np.stack([np.arange(60) % 3, np.zeros(60)], axis=1) * 100
    placed = place_others(points[:60], positions, points[60:])
    assert placed[:, 0].tolist() == [100 * (row % 3) for row in range(30)]
