"""Embeddings in the Python API."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import tbtui
from tests.helpers.projector_logs import clusters, write_clusters

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.projector.values import Embeddings


@pytest.fixture
def embeddings(tmp_path: Path) -> Embeddings:
    write_clusters(tmp_path / "run", (10, 20))
    return tbtui.open(tmp_path, cache=False)["run"].embeddings


def test_embeddings_are_found_by_name(embeddings: Embeddings) -> None:
    assert list(embeddings) == ["layer"]
    assert embeddings["layer"].steps == (10, 20)
    with pytest.raises(KeyError, match="there are layer"):
        embeddings["other"]


def test_points_of_a_step_have_vectors_and_metadata(embeddings: Embeddings) -> None:
    points = embeddings["layer"].at(19)
    assert points.step == 20
    assert points.vectors.shape == (60, 6)
    assert not points.vectors.flags.writeable
    assert points.labels[:3] == points.metadata["class"][:3] == ("cat", "dog", "car")
    assert repr(points) == "<EmbeddedPoints 60 x 6 at step 20>"
    assert [each.step for each in embeddings["layer"][:]] == [10, 20]


def test_unknown_layouts_and_metrics_are_named(embeddings: Embeddings) -> None:
    points = embeddings["layer"][-1]
    with pytest.raises(ValueError, match="no layout 't-sne'; there are pca, tsne"):
        points.layout("t-sne")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no metric 'dot'; there are cosine"):
        points.nearest(0, 3, "dot")  # type: ignore[arg-type]


def test_points_give_components_neighbours_and_layouts(embeddings: Embeddings) -> None:
    points = embeddings["layer"][-1]
    assert points.pca(3).shape == (60, 3)
    assert points.variance.sum() == pytest.approx(1, abs=1e-4)
    found, distances = points.nearest(-1, 5, "euclidean")
    exact = np.linalg.norm(points.vectors - points.vectors[59], axis=1)
    assert found.tolist() == np.argsort(exact)[1:6].tolist()
    assert distances == pytest.approx(np.sort(exact)[1:6], rel=1e-4)
    assert points.layout("tsne", iterations=3, perplexity=5).shape == (60, 2)
    agreement = points.agreement("class")
    assert agreement is not None
    codes = np.array([{"car": 0, "cat": 1, "dog": 2}[label] for label in points.metadata["class"]])
    unit = points.vectors.astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    away = 1 - unit @ unit.T
    np.fill_diagonal(away, np.inf)
    same = codes[np.argsort(away, axis=1)[:, :10]] == codes[:, None]
    assert agreement.shares == pytest.approx(same.mean(axis=1))
    assert agreement.purity == pytest.approx(same.mean())
    assert points.agreement("number") is None
    assert points.picture(0) is None


def test_points_with_nan_have_no_components(tmp_path: Path) -> None:
    from tests.helpers.projector_logs import write_embedding

    values = clusters()[0]
    values[3, 1] = np.nan
    write_embedding(tmp_path / "run", values)
    points = tbtui.open(tmp_path, cache=False)["run"].embeddings["layer"][0]
    assert np.isnan(points.pca()[3]).all()
    assert not np.isnan(np.delete(points.pca(), 3, 0)).any()
