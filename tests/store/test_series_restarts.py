"""Test restarts and superseded points, rule by rule (`docs/points.md`)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.store import restarts
from tbtui.store.restarts import FileParts, find_restarts
from tbtui.store.snapshot import Metadata, ScalarSeries


def series_of(steps: list[int], files: list[int] | None = None) -> ScalarSeries:
    """Return a series whose values are the indices of its points."""
    values = np.arange(len(steps), dtype=np.float64)
    parts = None if files is None else FileParts.of(np.array(files, np.int32))
    return ScalarSeries("run", "tag", Metadata("scalars"), 1, np.array(steps, np.int64), values, values, parts)


INT64 = np.iinfo(np.int64)

CASES = {
    "ascending": ([0, 1, 2], []),
    "one point": ([7], []),
    "resumed": ([0, 1, 2, 3, 4, 2, 3, 4, 5], [5]),
    "resumed between the former steps": ([0, 10, 20, 30, 15, 25, 35], [4]),
    "resumed and not yet as far": ([0, 1, 2, 3, 4, 5, 2, 3], [6]),
    "resumed one step back": ([0, 1, 2, 1, 2, 3], [3]),
    "resumed at the last step": ([0, 1, 2, 2, 3], []),
    "resumed twice": ([0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 1, 2, 3], [6, 10]),
    "resumed earlier before the first maximum": ([0, 1, 2, 3, 4, 5, 3, 4, 1, 2], [6, 8]),
    "three trainings": ([0, 1, 2, 3, 0, 1, 2, 3, 0, 1], [4, 8]),
    "the last point has just arrived": ([0, 1, 2, 3, 1], []),
    "neighbours out of order": ([10, 12, 11, 13, 14], []),
    "three neighbours out of order": ([10, 13, 11, 12, 14], []),
    "a value at an earlier step at the end": ([1, 2, 3, 4, 0], []),
    "a value at an earlier step in between": ([1, 2, 3, 0, 4, 5], []),
    "values at one earlier step": ([1, 2, 3, 0, 0, 0], []),
    "counters that alternate": ([100, 5, 101, 6, 102, 7], []),
    "counters that alternate unevenly": ([100, 5, 6, 101, 7, 8, 102, 103], []),
    "a counter that counts down": ([9, 8, 7, 6], []),
    "all steps zero": ([0, 0, 0, 0], []),
    "each step several times": ([0, 0, 1, 1, 2, 2], []),
    "moved between clocks": ([*range(10), *range(20, 30), *range(40, 50), *range(10, 20), *range(30, 40)], []),
    "moved, the second clock is behind": ([*range(10, 20), *range(30, 40), *range(10), *range(20, 30)], []),
    "moved once and back, the second clock is behind": ([*range(10, 20), *range(10), *range(20, 30)], []),
    "resumed in a gap": ([0, 1, 2, 3, 20, 21, 10, 11, 12], [6]),
    "resumed with other strides": ([0, 100, 200, 300, *range(105, 200, 10), *range(205, 290, 10)], [4]),
    "a counter that overflows": ([INT64.max - 1, INT64.max, INT64.min, INT64.min + 1], [2]),
    "a counter of 32 bits that overflows": ([2**31 - 2, 2**31 - 1, -(2**31), -(2**31) + 1], [2]),
}


@pytest.mark.parametrize(("steps", "restarts"), CASES.values(), ids=CASES.keys())
def test_find_restarts_finds_steps_that_stay_back(steps: list[int], restarts: list[int]) -> None:
    assert find_restarts(np.array(steps, np.int64)).tolist() == restarts


@pytest.mark.parametrize(
    ("steps", "current"),
    [
        ([0, 1, 2], [0, 1, 2]),
        ([], []),
        ([0, 1, 2, 3, 4, 2, 3], [0, 1, 5, 6]),  # a restart supersedes all from its step on
        ([0, 10, 20, 30, 15, 25], [0, 1, 4, 5]),
        ([0, 1, 2, 2, 3], [0, 1, 3, 4]),  # of equal steps the later one
        ([10, 12, 11, 13], [0, 2, 1, 3]),  # out of order: all, sorted
        ([1, 2, 3, 0], [3, 0, 1, 2]),
        ([1, 2, 3, 2], [0, 3, 2]),
        ([0, 0, 0], [2]),
        ([0, 0, 1, 2, 0], [1, 2, 3]),  # hp_metric: first written, a curve, and after a test
        ([0, 1, 2, 0, 0], [0, 1, 2]),
        ([0, 1, 0, 2, 3], [0, 1, 3, 4]),
        ([3, 4, 0, 5, 0], [4, 0, 1, 3]),  # no curve begins at 0
        ([0, 1, 2, 3, 0, 1, 2, 0], [4, 5, 6]),
        ([9, 8, 7], [2, 1, 0]),
        ([0, 1, 2, 3, 0, 1, 2, 3, 0, 1], [8, 9]),
    ],
)
def test_current_points_are_sorted_by_step(steps: list[int], current: list[int]) -> None:
    series = series_of(steps)
    assert series.current.values.tolist() == current
    assert series.superseded == len(steps) - len(current)


def test_series_restarts_are_steps_in_order_of_time() -> None:
    series = series_of([0, 1, 2, 3, 4, 2, 3, 1, 2])
    assert series.restart_indices.tolist() == [5, 7]
    assert series.restarts.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("files", "restarts"),
    [
        ([0, 0, 0, 1, 1, 1], [3]),  # one after the other: the second is a restart
        ([0, 0, 1, 0, 1, 1], []),  # they overlap in time
        ([1, 1, 1, 0, 0, 0], [3]),  # in time, whatever their names
    ],
)
def test_files_that_overlap_are_no_restart(files: list[int], restarts: list[int]) -> None:
    steps = [10, 20, 30, 1, 2, 3] if files != [0, 0, 1, 0, 1, 1] else [10, 20, 1, 30, 2, 3]
    series = series_of(steps, files)
    assert series.restart_indices.tolist() == restarts
    assert series.superseded == (3 if restarts else 0)


def test_late_points_of_a_file_that_ended_hide_no_restart() -> None:
    steps, files = [*range(98), 50, 98, 51, 99, *range(52, 70)], [*[0] * 98, 1, 0, 1, 0, *[1] * 18]
    series = series_of(steps, files)
    assert series.restarts.tolist() == [52]  # single values up to there
    assert series.current.steps.tolist() == [*range(70)]
    assert series.superseded == 50


def test_restart_of_one_of_two_overlapping_files_is_found() -> None:
    #                   file 0 goes on at 100, file 1 begins again at 0
    series = series_of([100, 0, 101, 1, 102, 2, 103, 0, 104, 1], [0, 1] * 5)
    assert series.restart_indices.tolist() == [7]
    assert series.current.steps.tolist() == [0, 1, 100, 101, 102, 103, 104]


@given(st.lists(st.integers(-5, 20), max_size=60), st.data())
def test_current_points_and_superseded_are_all_points(steps: list[int], data: st.DataObject) -> None:
    files = data.draw(st.none() | st.lists(st.integers(0, 3), min_size=len(steps), max_size=len(steps)))
    series = series_of(steps, files)
    current = series.current
    assert len(current) + series.superseded == len(steps)
    assert (np.diff(current.steps) > 0).all()
    assert [steps[int(index)] for index in current.values] == current.steps.tolist()
    kept = series.kept if series.kept is not None else np.ones(len(steps), np.bool_)
    assert sorted(current.values) == np.flatnonzero(kept).tolist()
    last = {step: index for index, step in enumerate(steps)}
    of_step = zip(current.steps.tolist()[1:], current.values[1:], strict=True)
    assert all(last[step] == index for step, index in of_step) or files


@given(st.lists(st.integers(0, 12), max_size=40))
def test_restarts_supersede_no_more_than_tensorboard(steps: list[int]) -> None:
    """TensorBoard lets each value preempt all at its step or greater ones; a restart here does the same.

    A value that comes back to the first step of its curve alone supersedes nothing here, and is passed over itself.
    """
    held: list[int] = []
    for index, step in enumerate(steps):
        while held and steps[held[-1]] >= step:
            held.pop()
        held.append(index)
    current = series_of(steps).current
    assert {index for index in held if steps[index] > current.steps[0]} <= set(current.values.tolist())


def test_find_restarts_of_a_short_counter_takes_a_bounded_search(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    monkeypatch.setattr(
        restarts, "_is_taking_turns", lambda former, piece: bool(compared.append(len(former) + len(piece)))
    )
    steps = np.tile(np.arange(4), 5_000)
    assert len(find_restarts(steps)) == 4_999
    assert len(compared) * restarts.MIN_COMPARED_POINTS <= restarts.MAX_COMPARED_POINTS
