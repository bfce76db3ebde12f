"""Test the simulated trainings: deterministic, and with every case that a dashboard must handle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.cli.demo.process import HISTORY_TICKS
from tbtui.cli.demo.simulation import (
    LAYERS,
    RECIPES,
    Histogram,
    Image,
    Recipe,
    Restart,
    Scalar,
    Text,
    draw_confusion_matrix,
    draw_waves,
    is_resumed_at,
    measure,
    own_tick,
)

if TYPE_CHECKING:
    from tbtui.cli.demo.simulation import Measurement

PLAIN = Recipe("plain", "adam", 1e-3, 0)


def scalars(recipe: Recipe, own: int) -> dict[str, float]:
    return {found.tag: found.value for found in measure(recipe, own) if isinstance(found, Scalar)}


def histograms(recipe: Recipe, own: int) -> dict[str, np.ndarray]:
    return {found.tag: found.values for found in measure(recipe, own) if isinstance(found, Histogram)}


def tags(kind: type[Measurement], own: int) -> list[str]:
    return [found.tag for found in measure(PLAIN, own) if isinstance(found, kind)]


def test_demo_same_tick_gives_the_same_values() -> None:
    assert scalars(PLAIN, 17) == scalars(PLAIN, 17)
    assert scalars(PLAIN, 17) != scalars(PLAIN, 18)


@pytest.mark.parametrize(
    ("kind", "own", "measured"),
    [
        (Histogram, 10, [f"{kind}/{layer.name}" for layer in LAYERS for kind in ("weights", "gradients")]),
        (Histogram, 11, []),
        (Image, 20, ["samples/generated", "samples/confusion"]),
        (Image, 10, []),
        (Text, 0, ["config"]),
        (Text, 100, ["notes/progress"]),
        (Text, 20, []),
    ],
)
def test_demo_schedule_of_each_kind_of_value(kind: type[Measurement], own: int, measured: list[str]) -> None:
    assert tags(kind, own) == measured


def test_demo_validation_is_rarer_than_training() -> None:
    assert "loss/val" in scalars(PLAIN, 5)
    assert "loss/val" not in scalars(PLAIN, 6)
    assert "loss/train" in scalars(PLAIN, 6)


def test_demo_training_improves() -> None:
    assert scalars(PLAIN, 300)["loss/train"] < 0.3 * scalars(PLAIN, 0)["loss/train"]
    assert 0 <= scalars(PLAIN, 0)["metrics/accuracy_train"] < scalars(PLAIN, 300)["metrics/accuracy_train"] <= 1


def test_demo_diverging_training_continues_with_nan() -> None:
    recipe = Recipe("diverges", "sgd", 1.0, 0, diverges_at=100)
    assert scalars(recipe, 135)["loss/train"] > 20 * scalars(recipe, 100)["loss/train"]
    late = scalars(recipe, 150)
    assert math.isnan(late["loss/train"])
    assert math.isfinite(late["metrics/accuracy_train"])


def test_demo_diverging_gradients_explode_then_vanish_or_are_nan() -> None:
    recipe = Recipe("diverges", "sgd", 1.0, 0, diverges_at=100)
    before, late, later = (histograms(recipe, own) for own in (100, 140, 150))
    for layer in LAYERS:
        gradient = f"gradients/{layer.name}"
        assert late[gradient].std() > 100 * before[gradient].std()
        if layer.dies:
            assert 0 < later[gradient].std() < 1e-6 * before[gradient].std()
        else:
            assert np.isnan(later[gradient]).all()
        np.testing.assert_array_equal(later[f"weights/{layer.name}"], late[f"weights/{layer.name}"])
        assert np.isfinite(later[f"weights/{layer.name}"]).all()


@pytest.mark.parametrize("layer", [layer.name for layer in LAYERS])
def test_demo_weights_change_shape_and_gradients_shrink(layer: str) -> None:
    begun, trained = histograms(PLAIN, 0), histograms(PLAIN, 400)
    weight, gradient = f"weights/{layer}", f"gradients/{layer}"
    moved = abs(trained[weight].mean() - begun[weight].mean()) > 3 * begun[weight].std() / 400**0.5
    assert moved or not 0.7 < trained[weight].std() / begun[weight].std() < 1.4
    assert trained[gradient].std() < 0.3 * begun[gradient].std()


def test_demo_has_every_kind_of_gradient() -> None:
    assert {layer.dies for layer in LAYERS} == {False, True}


def test_demo_restart_repeats_the_lost_steps() -> None:
    recipe = Recipe("resumed", "sgd", 1.0, 0, begins_at=5, restart=Restart(killed_at=20, resumed_at=24, back=6))
    assert [own_tick(recipe, tick) for tick in (4, 5, 25, 26, 28, 29, 30, 36)] == [None, 0, 20, None, None, 14, 15, 21]
    assert [tick for tick in range(60) if is_resumed_at(recipe, tick)] == [29]


def test_demo_has_every_kind_of_training() -> None:
    assert len({recipe.run for recipe in RECIPES}) == len(RECIPES) >= 6
    assert any(recipe.diverges_at is not None and recipe.diverges_at + 40 < HISTORY_TICKS for recipe in RECIPES)
    assert any(recipe.restart is not None and recipe.restart.resumed_at < HISTORY_TICKS for recipe in RECIPES)
    later = [recipe.begins_at - HISTORY_TICKS for recipe in RECIPES if recipe.begins_at > HISTORY_TICKS]
    assert later
    assert max(later) < 100


@pytest.mark.parametrize("blur", [0.0, 0.5, 1.0])
def test_demo_waves_are_an_image(blur: float) -> None:
    pixels = draw_waves(3, 40, blur)
    assert pixels.shape == (64, 64, 3)
    assert pixels.dtype == np.uint8
    assert not np.array_equal(pixels, draw_waves(3, 60, blur))


def test_demo_confusion_matrix_brightens_on_the_diagonal() -> None:
    def diagonal(accuracy: float) -> float:
        return float(np.mean([draw_confusion_matrix(1, accuracy)[5 + 10 * i, 5 + 10 * i, 2] for i in range(8)]))

    assert draw_confusion_matrix(1, 0.5).shape == (80, 80, 3)
    assert diagonal(0.1) < diagonal(0.5) < diagonal(0.9)
