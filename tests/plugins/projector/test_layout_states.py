"""Layouts as states that can be drawn, stopped and resumed."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from tbtui.plugins.projector import layouts
from tbtui.plugins.projector.catalog import Embedding, Version
from tbtui.plugins.projector.comparison import choose_path_versions, compare, compare_steps
from tbtui.plugins.projector.files.config import ConfigEntry, Locator
from tbtui.plugins.projector.files.metadata import Metadata, parse_metadata
from tbtui.plugins.projector.layouts import AxisQuery, LayoutChoice, choose_default, run_layout, sample_rows
from tbtui.plugins.projector.points import Points
from tbtui.plugins.projector.sources import EmbeddingSource
from tests.helpers.projector_logs import clusters, points_of

VALUES, NAMES = clusters()
POINTS = points_of(VALUES, parse_metadata("".join(f"{name}\n" for name in NAMES), 60))


def last(points: Points, choice: LayoutChoice, **given: object) -> layouts.LayoutState:
    *_, state = run_layout(points, choice, **given)  # type: ignore[arg-type]
    return state


def test_components_are_done_with_the_first_state() -> None:
    (state,) = run_layout(POINTS, LayoutChoice(components=(1, 0, 2)))
    assert state.is_done
    assert state.names == ("component 2", "component 1")
    assert state.shares == pytest.approx(POINTS.components.shares[[1, 0]].tolist())
    assert np.allclose(state.positions[:, 1], POINTS.components.project(VALUES)[:, 0], atol=1e-4)


def test_components_of_a_basis_are_comparable_between_steps() -> None:
    moved = points_of(VALUES + 1, POINTS.metadata)
    state = last(moved, LayoutChoice(), basis=POINTS.components)
    shift = state.positions - last(POINTS, LayoutChoice()).positions
    assert np.allclose(shift, shift[0], atol=1e-4)
    assert not np.allclose(shift, 0)


def test_components_of_a_basis_have_the_shares_of_the_shown_points() -> None:
    random = np.random.default_rng(1)
    other = points_of(random.normal(size=VALUES.shape).astype(np.float32), POINTS.metadata)
    state = last(other, LayoutChoice(components=(0, 1, 2)), basis=POINTS.components)
    centred = other.values - other.values.mean(axis=0)
    along = np.square(centred @ POINTS.components.axes.T).sum(axis=0) / np.square(centred).sum()
    assert state.component_shares == pytest.approx(along.tolist(), abs=1e-5)
    assert state.shares == pytest.approx(along[:2].tolist(), abs=1e-5)
    assert not np.allclose(state.shares, POINTS.components.shares[:2], atol=0.05)


def test_equal_points_have_no_variance_in_a_basis() -> None:
    state = last(points_of(np.ones_like(VALUES), POINTS.metadata), LayoutChoice(), basis=POINTS.components)
    assert sum(state.shares) == 0
    assert "no variance" in state.note


def test_components_of_many_points_come_from_a_sample_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Points, "is_quickly_fitted", False)
    states = list(run_layout(points_of(VALUES, Metadata()), LayoutChoice()))
    assert [state.is_done for state in states] == [False, True]


def test_points_of_few_dimensions_are_shown_as_they_are() -> None:
    points = points_of(VALUES[:, :2].copy(), Metadata())
    choice = choose_default(points)
    assert choice.kind == "raw"
    assert np.array_equal(last(points, choice).positions, VALUES[:, :2])


@pytest.mark.parametrize("kind", ["pca", "raw", "tsne", "umap"])
@pytest.mark.parametrize("rows", [0, 1, 2, 3])
def test_layouts_of_hardly_any_points_do_not_fail(kind: layouts.LayoutKind, rows: int) -> None:
    values = np.concatenate([VALUES[:rows], np.full((1, 6), np.nan, np.float32)])
    for dimensions in (2, 3):
        state = last(points_of(values, Metadata()), LayoutChoice(kind, dimensions))
        assert state.positions.shape == (rows + 1, dimensions)
        assert not np.isnan(state.positions[:rows]).any()
        assert np.isnan(state.positions[rows]).all()


def test_layouts_of_equal_points_say_so() -> None:
    state = last(points_of(np.ones((5, 4), np.float32), Metadata()), LayoutChoice())
    assert state.note == "all points are equal: there is no variance"


def test_tsne_yields_each_iteration_and_goes_on_where_it_was_stopped() -> None:
    choice = LayoutChoice("tsne", perplexity=5, iterations=8)
    states = run_layout(POINTS, choice)
    first = list(islice(states, 6))
    rest = list(states)
    phases = [state.phase for state in (*first, *rest)]
    assert phases[-3:] == ["iteration 7 of 8", "iteration 8 of 8", ""]
    assert rest[-1].step == 8
    assert np.array_equal(rest[-1].positions, last(POINTS, choice).positions)


def test_tsne_perplexity_larger_than_a_third_of_the_points_works() -> None:
    state = last(POINTS, LayoutChoice("tsne", perplexity=100, iterations=3))
    assert not np.isnan(state.positions).any()


def test_layout_starts_from_the_step_before() -> None:
    start = np.random.default_rng(0).normal(size=(60, 2)).astype(np.float32)
    first = next(run_layout(POINTS, LayoutChoice("umap"), start=start))
    assert np.array_equal(first.positions, start)


def test_seed_decides_the_umap_like_layout() -> None:
    found = [last(POINTS, LayoutChoice("umap", epochs=5, seed=seed)).positions for seed in (1, 1, 2)]
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_many_points_are_sampled_and_the_others_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "MAX_LAID_OUT", 30)
    states = list(run_layout(POINTS, LayoutChoice("tsne", perplexity=3, iterations=4)))
    assert states[-1].laid_out == 30
    assert not np.isnan(states[-1].positions).any()
    middle = next(state for state in states if state.step == 2)
    assert int(np.isnan(middle.positions[:, 0]).sum()) == 30


def test_sample_has_the_same_share_of_each_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "MAX_LAID_OUT", 12)
    labels = ["a"] * 40 + ["b"] * 18 + ["c"] * 2
    points = points_of(VALUES, parse_metadata("".join(f"{label}\n" for label in labels), 60))
    for seed in range(20):
        rows = sample_rows(points, np.arange(60), seed)
        assert len(set(rows.tolist())) == 12
        chosen = [labels[row] for row in rows]
        for label in "abc":  # whole numbers around the exact share, and at least one
            assert chosen.count(label) >= 1
            assert abs(chosen.count(label) - 12 * labels.count(label) / 60) <= 1


def test_sphereised_layout_leaves_the_values_alone() -> None:
    before = VALUES.copy()
    state = last(POINTS, LayoutChoice(is_sphereised=True))
    centred = VALUES.astype(np.float64) - VALUES.mean(axis=0, dtype=np.float64)
    unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    assert np.allclose(POINTS.sphereised.values, unit, atol=1e-5)
    left, values, _ = np.linalg.svd(unit - unit.mean(axis=0), full_matrices=False)
    assert np.allclose(np.abs(state.positions), np.abs(left * values)[:, :2], atol=1e-4)
    assert np.array_equal(POINTS.values, before)


def test_custom_axes_lead_from_label_to_label() -> None:
    state = last(POINTS, LayoutChoice("axes", axes=AxisQuery(left="cat", right="^dog$")))
    assert state.names == ("cat → ^dog$", "component beside it")
    means = [float(state.positions[[name == label for name in NAMES], 0].mean()) for label in ("cat", "dog")]
    assert means[1] - means[0] == pytest.approx(1, abs=1e-4)


def test_custom_axes_without_matches_say_so() -> None:
    query = AxisQuery(left="cat", right="bird", down="(", up="cat")
    state = last(POINTS, LayoutChoice("axes", axes=query))
    assert "nothing matches bird" in state.note
    assert "no axis" in last(POINTS, LayoutChoice("axes")).note


def compared(here: Points, there: Points, choice: LayoutChoice, *, is_aligned: bool) -> list:
    state = last(here, choice)
    source = EmbeddingSource("run", None, ())  # type: ignore[arg-type]
    return list(compare(here, state, choice, None, source, 0, there, is_aligned=is_aligned))


def nearest_by_hand(values: np.ndarray, point: int, count: int = 15) -> list[int]:
    away = np.linalg.norm(values.astype(np.float64) - values[point], axis=1)
    away[point] = np.inf
    return np.argsort(away)[:count].tolist()


def test_comparison_of_steps_tells_how_far_points_moved() -> None:
    moved = VALUES.copy()
    moved[7] += 100
    *_, found = compared(POINTS, points_of(moved, POINTS.metadata), LayoutChoice(), is_aligned=False)
    assert int(np.argmax(found.distances)) == 7
    assert found.distances[7] == pytest.approx(100 * np.sqrt(6))
    for point in (0, 7, 31):
        sets = [set(nearest_by_hand(values, point)) for values in (VALUES, moved)]
        assert found.kept_shares[point] == pytest.approx(len(sets[0] & sets[1]) / len(sets[0] | sets[1]))
    here = last(POINTS, LayoutChoice()).positions
    assert np.allclose(np.delete(found.positions, 7, 0), np.delete(here, 7, 0), atol=1e-4)


def test_comparison_of_runs_turns_one_onto_the_other() -> None:
    turn, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(6, 6)))
    other = points_of((VALUES @ turn * 2 + 3).astype(np.float32), POINTS.metadata)
    *_, found = compared(POINTS, other, LayoutChoice(), is_aligned=True)
    assert found.unexplained == pytest.approx(0, abs=1e-5)
    assert np.nanmax(found.distances) < 1e-2
    assert np.nanmin(found.kept_shares) == 1


def test_comparison_matches_points_by_unique_labels() -> None:
    names = "".join(f"word {index}\n" for index in range(60))
    here = points_of(VALUES, parse_metadata(names, 60))
    order = np.random.default_rng(0).permutation(50)
    texts = "".join(f"word {index}\n" for index in order)
    there = points_of(VALUES[order], parse_metadata(texts, 50))
    *_, found = compared(here, there, LayoutChoice("tsne", iterations=2), is_aligned=False)
    assert np.nanmax(found.distances) < 1e-4
    assert int(np.isnan(found.distances).sum()) == 10
    assert "10 of 60 points" in found.note


def test_identity_of_a_layout_ignores_parameters_of_others() -> None:
    choice = LayoutChoice("pca", perplexity=5)
    assert choice.identity == replace(choice, perplexity=50).identity
    assert replace(choice, kind="tsne").identity != replace(choice, kind="tsne", perplexity=50).identity


def source_of(steps: int) -> EmbeddingSource:
    versions = tuple(Version(step, ConfigEntry("layer"), Locator("/", "/")) for step in range(steps))
    return EmbeddingSource("run", Embedding("layer", versions), ())


def test_paths_lead_through_the_steps_and_add_up() -> None:
    drift = np.zeros_like(VALUES)
    drift[5, 0] = 3
    versions = [points_of(VALUES + drift * turns, POINTS.metadata) for turns in (0, 1, -1)]
    versions.append(POINTS)
    choice = LayoutChoice()
    source = source_of(4)
    *_, found = compare_steps(POINTS, last(POINTS, choice), choice, None, source, 3, list(enumerate(versions)))
    assert found.steps == (0, 1, 2, 3)
    assert found.distances[5] == pytest.approx(3 + 6 + 3)
    assert np.delete(found.distances, 5).max() == 0
    here = last(POINTS, choice).positions
    assert np.allclose(found.paths[3], here)
    assert np.allclose(found.paths[0], here, atol=1e-4)
    shift = found.paths[1][5] - here[5]
    assert np.allclose(shift, POINTS.components.axes[:2, 0] * 3, atol=1e-4)
    assert np.nanmin(found.kept_shares) == 1


def test_paths_skip_points_that_a_step_lacks() -> None:
    versions = [(0, points_of(VALUES[:50].copy(), Metadata())), (1, points_of(VALUES, Metadata()))]
    points, choice = versions[1][1], LayoutChoice()
    source = source_of(2)
    *_, found = compare_steps(points, last(points, choice), choice, None, source, 1, versions)
    assert int(np.isnan(found.distances).sum()) == 10
    assert "10 of 60 points are not in all steps" in found.note


@pytest.mark.parametrize("count", [2, 24, 25, 1000])
def test_paths_of_many_steps_have_the_ends_and_the_shown_one(count: int) -> None:
    shown = count // 3
    chosen = choose_path_versions(count, shown)
    assert len(chosen) <= 24
    assert {0, shown, count - 1} <= set(chosen)
    assert chosen == sorted(set(chosen))
