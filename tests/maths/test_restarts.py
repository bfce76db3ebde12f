"""Test the detection of restarts and of the points they superseded."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.maths.smoothing import lasting_restarts, restart_indices, superseded_points
from tbtui.store.snapshot import Metadata, ReferenceSeries


def kept_of(steps: list[int]) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    column = np.array(steps, np.int64)
    zeros = np.zeros(len(steps), np.int64)
    series = ReferenceSeries("a", "t", Metadata("histograms"), 1, column, zeros.astype(float), *[zeros] * 4)  # type: ignore[arg-type]
    kept = series.kept if series.kept is not None else np.ones(len(steps), np.bool_)
    return column, kept


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ([0, 1, 2], []),
        ([0, 1, 2, 1, 2, 3], [1]),
        ([0, 1, 2, 2, 3], []),  # a step logged twice
        ([0, 5, 2, 5, 1, 5], [1]),  # the first restart is itself superseded
        ([], []),
    ],
)
def test_restarts_that_superseded_points(steps: list[int], found: list[int]) -> None:
    assert lasting_restarts(*kept_of(steps)).tolist() == found


@pytest.mark.parametrize(
    ("steps", "found"),
    [([0, 1, 2], []), ([0, 1, 2, 1, 2, 3], [3]), ([0, 5, 2, 5, 1, 5], [2, 4]), ([5, 5, 5], []), ([9, 5, 5, 6], [1])],
)
def test_restarts_in_order_of_time_include_superseded_ones(steps: list[int], found: list[int]) -> None:
    assert restart_indices(*kept_of(steps)).tolist() == found


def test_restarts_of_neighbours_out_of_order_are_none() -> None:
    steps, kept = np.array([0, 2, 1, 3]), np.ones(4, np.bool_)
    assert not len(restart_indices(steps, kept))
    assert not len(lasting_restarts(steps, kept))


@pytest.mark.parametrize(
    ("steps", "least", "found", "breaks"),
    [
        ([0, 1, 2], 0, [], []),
        ([0, 1, 2, 1, 2, 3], 0, [0, 1, 2], []),  # including the point from which it resumed
        ([0, 1, 2, 1, 2, 3], 2, [2], []),
        ([0, 1, 2, 1, 2, 1, 2], 0, [0, 1, 2, 3, 4], [3]),
        ([0, 5, 0, 5, 20, 0, 1], 5, [1, 3, 4], [1]),
        ([7, 7, 7], 0, [0, 1, 2], []),  # values without steps are one line
    ],
)
def test_restarts_superseded_mask(steps: list[int], least: int, found: list[int], breaks: list[int]) -> None:
    indices, interrupted = superseded_points(*kept_of(steps), least)
    assert (indices.tolist(), interrupted.tolist()) == (found, breaks)
