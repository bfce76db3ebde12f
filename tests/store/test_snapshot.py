from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.store.snapshot import Metadata, ReferenceSeries, RunSnapshot, ScalarSeries, StoreSnapshot


def scalars(steps: list[int], plugin: str = "scalars") -> ScalarSeries:
    count = len(steps)
    values = np.arange(count, dtype=np.float64)
    return ScalarSeries("run", "tag", Metadata(plugin), 1, np.array(steps, np.int64), values, values)


def reservoir(steps: list[int]) -> list[int]:
    """TensorBoard's own rule, one value at a time: positions of the values that stay."""
    held: list[int] = []
    for position, step in enumerate(steps):
        while held and steps[held[-1]] >= step:
            held.pop()
        held.append(position)
    return held


@given(st.lists(st.integers(-5, 20), max_size=60))
def test_kept_points_equal_tensorboard(steps: list[int]) -> None:
    series = scalars(steps)
    assert series.current.values.tolist() == reservoir(steps)
    assert series.superseded == len(steps) - len(reservoir(steps))


@pytest.mark.parametrize(
    ("steps", "restarts"),
    [([], []), ([1], []), ([1, 2, 3], []), ([1, 2, 2], [2]), ([5, 6, 1, 2, 0], [1, 0])],
)
def test_restarts_are_where_steps_go_back(steps: list[int], restarts: list[int]) -> None:
    assert scalars(steps).restarts.tolist() == restarts


def test_without_superseded_points_the_current_series_is_the_series() -> None:
    series = scalars([1, 2, 3])
    assert series.kept is None
    assert series.current is series


def test_references_lose_the_same_points_in_every_column() -> None:
    numbers = np.array([1, 2, 2], np.int64)
    small = numbers.astype(np.int32)
    series = ReferenceSeries(
        "run", "tag", Metadata("images"), 1, numbers, numbers * 1.0, small, numbers * 10, numbers * 100, small
    )
    current = series.current
    columns = (current.steps, current.wall_times, current.files, current.offsets, current.lengths, current.indices)
    assert [len(column) for column in columns] == [2] * 6
    assert current.offsets.tolist() == [10, 20]


def test_last_step_of_a_run_is_the_maximum_of_its_series() -> None:
    run = RunSnapshot("run", 1, {"a": scalars([1, 9]), "b": scalars([100, 3]), "none": scalars([])})
    assert run.last_step == 9
    assert RunSnapshot("empty", 1).last_step is None


def test_plugins_of_the_store_are_those_of_its_series() -> None:
    runs = {"a": RunSnapshot("a", 1, {"x": scalars([1]), "y": scalars([1], "text")}), "b": RunSnapshot("b", 1)}
    assert StoreSnapshot(1, runs).plugin_names == {"scalars", "text"}
