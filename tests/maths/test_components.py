"""Principal components, alignment and axes between groups of points."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.maths import components
from tbtui.maths.components import (
    OVERSAMPLING,
    POWER_ITERATIONS,
    align,
    compute_principal_components,
    estimate_components,
    find_finite_rows,
    group_axis,
    project_on_axis,
    sphereise,
)


def points(rows: int = 200, dimensions: int = 12, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return (random.normal(size=(rows, dimensions)) * np.geomspace(8, 0.5, dimensions) + 5).astype(np.float32)


@pytest.mark.parametrize(("rows", "dimensions"), [(200, 12), (12, 200), (3, 3), (2, 50)])
def test_components_equal_those_of_singular_values(rows: int, dimensions: int) -> None:
    x = points(rows, dimensions)
    found = compute_principal_components(x, 5)
    centred = x.astype(np.float64) - x.mean(axis=0, dtype=np.float64)
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    shares = values**2 / (values**2).sum()
    count = min(5, rows - 1, dimensions)
    assert np.allclose(found.shares[:count], shares[:count], atol=1e-5)
    for own, other in zip(found.axes[:count], axes[:count], strict=True):
        assert abs(float(own @ other)) == pytest.approx(1, abs=1e-3)
    scores = found.project(x)[:, :count]
    assert np.allclose(np.abs(scores), np.abs(centred @ axes[:count].T), atol=2e-2)


def subspace_error(values: np.ndarray, count: int) -> float:
    """Return the order of the relative error of variances by subspace iteration.

    It is the ratio of the first singular value that is left out to the last one wanted, to the power of 4 q + 2 for q
    iterations (Halko, Martinsson, Tropp 2011, section 10.4), but at least that of rounding to float32.
    """
    ratio = values[count + OVERSAMPLING] / values[count - 1]
    return float(max(ratio ** (4 * POWER_ITERATIONS + 2), 1e-5))


def test_components_of_many_dimensions_find_the_large_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "MAX_EXACT_DIMENSIONS", 20)
    x = points(400, 60)
    exact = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
    found = compute_principal_components(x, 4)
    shares = (exact / exact.sum())[:4]
    assert np.allclose(found.shares, shares, rtol=subspace_error(np.sqrt(exact), 4))
    assert (found.shares <= shares * (1 + 1e-5)).all()  # variances in a subspace are never more, but for rounding
    assert np.allclose(found.axes @ found.axes.T, np.eye(4), atol=1e-5)


def test_components_are_the_same_each_time_and_of_fixed_sign() -> None:
    x = points()
    first, second = compute_principal_components(x), compute_principal_components(x[::-1].copy())
    assert np.allclose(first.axes[:5], second.axes[:5], atol=1e-3)
    assert all(axis[np.abs(axis).argmax()] > 0 for axis in first.axes)


def test_components_of_equal_points_have_no_variance() -> None:
    found = compute_principal_components(np.ones((5, 3), np.float32))
    assert not found.shares.any()
    assert np.allclose(found.project(np.ones((5, 3), np.float32)), 0)


def test_finite_rows_are_those_without_nan_and_infinity() -> None:
    x = np.array([[1, 2], [np.nan, 1], [np.inf, -np.inf], [3e38, 3e38]], np.float32)
    assert find_finite_rows(x).tolist() == [True, False, False, True]


def test_sphereised_points_have_length_one_around_the_mean() -> None:
    x = points(50, 4)
    found = sphereise(x)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert not np.isnan(sphereise(np.ones((3, 2), np.float32))).any()


def test_axis_leads_from_one_mean_to_the_other() -> None:
    x = np.array([[0, 0], [0, 2], [4, 1], [8, 5]], np.float32)
    axis = group_axis(x, np.array([True, True, False, False]), np.array([False, False, True, False]))
    assert axis is not None
    assert axis.tolist() == [4, 0]
    assert project_on_axis(x, axis).tolist() == [0, 0, 1, 2]
    nobody = np.zeros(4, np.bool_)
    assert group_axis(x, nobody, ~nobody) is None


def test_align_undoes_rotation_scale_and_shift() -> None:
    x = points(40, 3)
    turn, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    found = align((x @ turn * 3 + 7).astype(np.float32), x)
    assert np.allclose(found.apply((x @ turn * 3 + 7).astype(np.float32)), x, atol=1e-3)
    assert found.unexplained == pytest.approx(0, abs=1e-6)


def test_align_of_unrelated_points_leaves_a_rest() -> None:
    # scipy 1.17.1: procrustes(points(40, 3, 2), points(40, 3, 1))[2]
    assert align(points(40, 3, 1), points(40, 3, 2)).unexplained == pytest.approx(0.8252597048312976)
    assert align(np.ones((4, 2)), points(4, 2)).unexplained == 1


def test_quick_components_are_near_the_exact_ones() -> None:
    x = points(600, 40)
    exact, quick = compute_principal_components(x, 3), estimate_components(x, 3)
    values = np.linalg.svd(x - x.mean(axis=0), compute_uv=False)
    assert np.allclose(quick.shares, exact.shares, rtol=subspace_error(values, 3))
    for own, other in zip(quick.axes, exact.axes, strict=True):
        assert abs(float(own @ other)) == pytest.approx(1, abs=1e-4)
    assert estimate_components(np.ones((40, 40), np.float32), 2).shares.tolist() == [0, 0]
