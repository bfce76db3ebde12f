"""Test the detection of restarts and of the points they superseded."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.maths.smoothing import find_lasting_restarts, find_superseded_points
from tbtui.store.snapshot import Metadata, ReferenceSeries


def series_of(steps: list[int]) -> ReferenceSeries:
    column = np.array(steps, np.int64)
    zeros = np.zeros(len(steps), np.int64)
    return ReferenceSeries("a", "t", Metadata("histograms"), 1, column, zeros.astype(float), *[zeros] * 4)  # type: ignore[arg-type]


def kept_of(steps: list[int]) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    series = series_of(steps)
    return series.steps, series.kept if series.kept is not None else np.ones(len(steps), np.bool_)


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ([0, 1, 2], []),
        ([0, 1, 2, 1, 2, 3], [1]),
        ([0, 1, 2, 2, 3], []),  # a step logged twice
        ([0, 2, 1, 3], []),  # neighbours out of order
        ([0, 1, 2, 3, 0], []),  # a value at the first step after its curve
        ([0, 5, 2, 5, 1, 5], [1]),  # the first restart is itself superseded
        ([], []),
    ],
)
def test_restarts_that_superseded_points(steps: list[int], found: list[int]) -> None:
    assert find_lasting_restarts(*kept_of(steps), series_of(steps).restart_indices).tolist() == found


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
    indices, interrupted = find_superseded_points(*kept_of(steps), least)
    assert (indices.tolist(), interrupted.tolist()) == (found, breaks)
