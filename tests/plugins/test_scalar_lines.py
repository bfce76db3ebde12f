"""One run's points as they are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.plugins.scalars.lines import LineKey, line_of
from tests.plugins.made_views import series


def key(x_axis: str = "step", smoothing: float = 0.0, origin: int = 0) -> LineKey:
    return LineKey("a", 1, smoothing, x_axis, origin)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("x_axis", "x"), [("step", [10.0, 20.0, 40.0]), ("relative", [0.0, 5.0, 6.0]), ("wall", [100.0, 105.0, 106.0])]
)
def test_x(x_axis: str, x: list[float]) -> None:
    line = line_of(series("t", (1, 2, 3), steps=(10, 20, 40), wall_times=(100, 105, 106)), key(x_axis))
    assert line.x.tolist() == x


def test_enormous_steps_stay_apart() -> None:
    least = 2**62
    line = line_of(series("t", (1, 2, 3), steps=(least, least + 1, least + 2)), key(origin=least))
    assert line.x.tolist() == [0.0, 1.0, 2.0]


def test_smoothing_is_tensorboards_and_leaves_the_values_alone() -> None:
    line = line_of(series("t", (1, 2, 3, 4)), key(smoothing=0.6))
    np.testing.assert_allclose(line.smoothed, [1, 1.625, 2.326531, 3.095588], atol=1e-6)
    assert line.values.tolist() == [1, 2, 3, 4]


def test_without_smoothing_the_line_is_the_values() -> None:
    line = line_of(series("t", (1, 2, 3)), key())
    assert line.smoothed is line.values


def test_superseded_points_are_left_out_and_the_restart_is_marked() -> None:
    line = line_of(series("t", (1, 2, 3, 20, 30, 40), steps=(0, 1, 2, 1, 2, 3)), key())
    assert line.steps.tolist() == [0, 1, 2, 3]
    assert line.values.tolist() == [1, 20, 30, 40]
    assert line.restarts == (1,)


@pytest.mark.parametrize(
    ("steps", "kept", "restarts"),
    [
        pytest.param((0, 1, 1, 2), [0, 1, 2], (), id="a step logged twice is no restart"),
        pytest.param((5, 6, 0, 1), [0, 1], (0,), id="from the beginning"),
        pytest.param((0, 5, 3, 9, 7, 8), [0, 3, 7, 8], (1, 2), id="twice"),
        pytest.param((7,), [7], (), id="one point"),
    ],
)
def test_restarts(steps: tuple[int, ...], kept: list[int], restarts: tuple[int, ...]) -> None:
    line = line_of(series("t", range(len(steps)), steps=steps), key())
    assert (line.steps.tolist(), line.restarts) == (kept, restarts)
