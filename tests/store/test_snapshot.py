from __future__ import annotations

import numpy as np

from tbtui.store.snapshot import Metadata, ReferenceSeries, RunSnapshot, ScalarSeries, StoreSnapshot


def scalars(steps: list[int], plugin: str = "scalars") -> ScalarSeries:
    count = len(steps)
    values = np.arange(count, dtype=np.float64)
    return ScalarSeries("run", "tag", Metadata(plugin), 1, np.array(steps, np.int64), values, values)


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
    run = RunSnapshot("run", 1, {"a": scalars([1, 9]), "b": scalars([100, 3, 4]), "none": scalars([])})
    assert run.last_step == 9
    assert scalars([1, 2, 100, 3]).last_step == 100
    assert RunSnapshot("empty", 1).last_step is None


def test_plugins_of_the_store_are_those_of_its_series() -> None:
    runs = {"a": RunSnapshot("a", 1, {"x": scalars([1]), "y": scalars([1], "text")}), "b": RunSnapshot("b", 1)}
    assert StoreSnapshot(1, runs).plugin_names == {"scalars", "text"}
