"""Test the order of points from several files (`docs/points.md`)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tbtui.store.file_merge import find_first_copies, make_monotone
from tbtui.store.snapshot import Metadata, ReferenceSeries, ScalarSeries
from tbtui.store.spill import SpilledRun
from tbtui.store.staging import StagedRun

Point = tuple[int, float, float]
"""(step, wall time, value)"""

NAN, INF = float("nan"), float("inf")


def append(run: StagedRun, file: int, points: list[Point], tag: str = "loss") -> None:
    run.add_tag(tag, Metadata("scalars"))
    steps, wall_times, values = zip(*points, strict=True)
    run.append_scalars(tag, np.array(steps, np.int64), np.array(wall_times), np.array(values, np.float64), file=file)


def merged(*files: list[Point]) -> ScalarSeries:
    """Return the series of files that are read one after the other."""
    run = StagedRun("run", itertools.count(1))
    for number, points in enumerate(files):
        if points:
            append(run, number, points)
    series = run.snapshot().series["loss"]
    assert isinstance(series, ScalarSeries)
    return series


def timed(steps: range | list[int], start: float = 0.0, value: float = 0.0) -> list[Point]:
    """Return points of one per second."""
    return [(step, start + second, value + step) for second, step in enumerate(steps)]


@pytest.mark.parametrize(
    ("wall_times", "keys"),
    [
        ([], []),
        ([1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 2.0, 3.0]),
        ([1.0, 99.0, 2.0, 3.0], [1.0, 1.0, 2.0, 3.0]),  # far ahead
        ([4.0, 5.0, 0.0, 6.0, 7.0], [4.0, 5.0, 5.0, 6.0, 7.0]),  # far behind
        ([5.0, 99.0, 6.0, 0.0, 7.0], [5.0, 5.0, 6.0, 6.0, 7.0]),  # both
        ([99.0, 1.0, 2.0], [1.0, 1.0, 2.0]),
        ([1.0, 2.0, 99.0, 0.5], [1.0, 2.0, 99.0, 99.0]),
        ([NAN, 1.0, NAN, 2.0, INF, -INF], [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]),
        ([NAN, NAN], [0.0, 0.0]),
        ([-INF, -INF, 0.0], [0.0, 0.0, 0.0]),
    ],
)
def test_monotone_times_trust_the_longest_ascent(wall_times: list[float], keys: list[float]) -> None:
    assert make_monotone(np.array(wall_times)).tolist() == keys


@given(st.lists(st.floats(0, 10) | st.sampled_from([NAN, INF, -INF, 1e300])))
def test_monotone_times_never_decrease(wall_times: list[float]) -> None:
    keys = make_monotone(np.array(wall_times, np.float64))
    assert len(keys) == len(wall_times)
    assert (np.diff(keys) >= 0).all()


def test_first_copies_are_kept() -> None:
    wall_times, steps, values = np.array([1.0, 2.0, 1.0, 1.0, NAN, NAN]), np.array([0, 0, 0, 1, 5, 5]), np.zeros(6)
    is_first = find_first_copies(wall_times, steps, values)
    assert is_first is not None
    assert is_first.tolist() == [True, True, False, True, True, False]
    assert find_first_copies(wall_times[:2], steps[:2], values[:2]) is None


def test_merge_equal_times_are_in_the_order_in_which_files_begin() -> None:
    second = [(step, 100.0, 1.0) for step in range(50, 60)]
    first = [(step, float(step), 0.0) for step in range(100)] + [(step, 100.0, 0.0) for step in range(100, 110)]
    for files in ((first, second), (second, first)):
        series = merged(*files)
        assert series.steps.tolist() == [*range(110), *range(50, 60)]
        assert series.restarts.tolist() == [50]
        assert series.superseded == 60


def test_merge_training_that_moves_between_workers_is_one_curve() -> None:
    first = timed(range(10)) + timed(range(20, 30), 20) + timed(range(40, 50), 40)
    second = timed(range(10, 20), 10) + timed(range(30, 40), 30)
    series = merged(first, second)
    assert series.steps.tolist() == list(range(50))
    assert (series.superseded, series.restarts.tolist()) == (0, [])


def test_merge_file_with_the_later_name_may_be_the_earlier() -> None:
    series = merged(timed(range(25, 50), 25), timed(range(25)))
    assert series.steps.tolist() == list(range(50))
    assert series.superseded == 0


@pytest.mark.parametrize("position", range(5))
@pytest.mark.parametrize("wrong", [1e12, -5.0, NAN, INF])
def test_merge_wrong_time_reorders_nothing_in_its_file(position: int, wrong: float) -> None:
    second = [(step, wrong if step == 10 + position else time, value) for step, time, value in timed(range(10, 15), 10)]
    series = merged(timed(range(15, 20), 15), second, timed(range(10)))
    steps = series.steps.tolist()
    assert [step for step in steps if 10 <= step < 15] == [10, 11, 12, 13, 14]
    assert [step for step in steps if step < 10 or step >= 15] == [*range(10), *range(15, 20)]
    if np.isnan(wrong) or 1 < position < 4:  # of the first two times, either may be the wrong one
        assert steps == list(range(20))


@pytest.mark.parametrize("swapped", [False, True])
def test_merge_prefix_of_a_file_counts_once(swapped: bool) -> None:
    whole, prefix = timed(range(50)), timed(range(40))
    series = merged(prefix, whole) if swapped else merged(whole, prefix)
    assert series.steps.tolist() == list(range(50))
    assert (series.superseded, series.restarts.tolist()) == (0, [])


def test_merge_file_written_twice_to_itself_counts_once() -> None:
    assert merged(timed(range(5)) * 2).steps.tolist() == list(range(5))


def test_merge_equal_values_at_other_times_all_count() -> None:
    series = merged([(0, float(second), 1.0) for second in range(200)])
    assert (len(series), series.superseded, len(series.current)) == (200, 199, 1)


def test_merge_restart_in_the_next_file_supersedes() -> None:
    series = merged(timed(range(100)), timed(range(60, 80), 200))
    assert (len(series), series.superseded, series.restarts.tolist()) == (120, 40, [60])
    assert series.current.steps.tolist() == list(range(80))
    assert series.current.wall_times[60] == 200


def test_merge_value_with_a_session_message_supersedes_nothing() -> None:
    series = merged(timed(range(1, 11)), [(0, 50.0, -1.0)])
    assert (series.superseded, series.restarts.tolist(), series.last_step) == (0, [], 10)
    assert series.current.steps.tolist() == list(range(11))


def reference_columns(wall_times: list[float], lengths: list[int]) -> tuple[Any, ...]:
    count = len(wall_times)
    zeros = np.zeros(count, np.int64)
    return zeros, np.array(wall_times), np.arange(count) * 100, np.array(lengths), zeros.astype(np.int32)


def test_merge_references_of_a_copied_file_count_once() -> None:
    run = StagedRun("run", itertools.count(1))
    run.add_tag("image", Metadata("images"))
    run.append_references("image", 0, *reference_columns([1.0, 2.0, 2.0], [7, 7, 7]))
    run.append_references("image", 1, *reference_columns([1.0, 2.0, 2.0, 3.0], [7, 7, 7, 7]))
    series = run.snapshot().series["image"]
    assert isinstance(series, ReferenceSeries)
    # Two values of one file at one time may differ in what they hold: both count.
    assert list(zip(series.files.tolist(), series.offsets.tolist(), strict=True)) == [
        (0, 0),
        (0, 100),
        (0, 200),
        (1, 300),
    ]
    assert (len(series.current), series.superseded) == (1, 3)


def test_merge_infinite_time_does_not_depend_on_how_points_arrive() -> None:
    series = []
    for order in ((0, 1), (1, 0)):
        run = StagedRun("run", itertools.count(1))
        for file in order:
            append(run, file, [(0, 1.0, 0.0)] if file == 0 else [(1, INF, 0.0)])
        series.append(run.snapshot().series["loss"].steps.tolist())
        resumed = StagedRun("run", itertools.count(1))
        resumed.add_tag("loss", Metadata("scalars"))
        resumed.adopt(run.table(), {})
        series.append(resumed.snapshot().series["loss"].steps.tolist())
    assert all(steps == series[0] for steps in series)


times = st.integers(0, 30).map(float) | st.sampled_from([NAN, INF, -1e9, 1e12])
file_points = st.lists(st.tuples(st.integers(0, 8), times, st.sampled_from([0.0, 1.0])), max_size=12)
ordered_points = file_points.map(lambda points: sorted(points, key=lambda point: point[1]))


@given(st.lists(file_points | ordered_points, min_size=1, max_size=4), st.data())
@example([[(0, 1.0, 0.0), (1, 2.0, 0.0)], [(0, 1.0, 0.0), (1, 2.0, 0.0), (2, 3.0, 0.0)]], None)
def test_merge_does_not_depend_on_how_points_arrive(files: list[list[Point]], data: st.DataObject | None) -> None:
    watched, spilled = StagedRun("run", itertools.count(1)), SpilledRun("run", itertools.count(1), max_points=5)
    unread = [list(points) for points in files]
    while any(unread):
        number = next(n for n, points in enumerate(unread) if points)
        if data is not None:
            number = data.draw(st.sampled_from([n for n, points in enumerate(unread) if points]))
        size = 1 if data is None else data.draw(st.integers(1, len(unread[number])))
        for run in (watched, spilled):
            append(run, number, unread[number][:size])
        del unread[number][:size]
        if data is None or data.draw(st.booleans()):
            watched.snapshot()
    if not any(files):
        return
    final, started = watched.snapshot().series["loss"], merged(*files)
    resumed = StagedRun("run", itertools.count(1))
    resumed.add_tag("loss", Metadata("scalars"))
    resumed.adopt(watched.table(), {})
    for other in (final, spilled.snapshot().series["loss"], resumed.snapshot().series["loss"]):
        assert isinstance(other, ScalarSeries)
        for name in ("steps", "wall_times", "values", "kept", "restart_indices", "current_indices"):
            np.testing.assert_array_equal(getattr(other, name), getattr(started, name))
    logged = {(step, str(time), value) for points in files for step, time, value in points}
    columns = started.steps.tolist(), started.wall_times.tolist(), started.values.tolist()
    stored = [(step, str(time), value) for step, time, value in zip(*columns, strict=True)]
    assert set(stored) == logged
    assert len(stored) == len(logged)
    if len(files) == 1:
        assert stored == list(dict.fromkeys((step, str(time), value) for step, time, value in files[0]))
