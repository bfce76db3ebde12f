from __future__ import annotations

import numpy as np
import pytest

from tbtui.maths.x_values import RunClock, build_run_clock, compute_x_values, find_time_outliers, guess_wall_time_unit

START = 1_700_000_000.0
STEPS = np.array([0, 5, 3], np.int64)
TIMES = START + np.array([10.0, 20.0, 25.0])


@pytest.mark.parametrize(
    ("x_axis", "x"),
    [
        ("step", [0, 5, 3]),
        ("relative", [10, 20, 25]),
        ("wall", TIMES.tolist()),
        ("order", [1, 2, 3]),
        ("active", [10, 20, 25]),
    ],
)
def test_x_values_of_each_axis(x_axis: str, x: list[float]) -> None:
    assert compute_x_values(x_axis, STEPS, TIMES, RunClock(START)).tolist() == x  # type: ignore[arg-type]


def test_relative_time_counts_from_the_run_for_all_tags() -> None:
    early, late = START + np.arange(0, 7200.0, 60), START + np.arange(3600, 7200.0, 60)
    clock = build_run_clock(START, [early, late])
    assert clock.compute_relative_times(late)[0] == 3600


@pytest.mark.parametrize("first_wall_time", [None, 0.0, float("nan"), float("inf")])
def test_run_clock_without_a_first_wall_time_starts_at_the_earliest_series(first_wall_time: float | None) -> None:
    columns = [np.array([np.nan, START + 5]), np.array([START + 2, START + 1])]
    assert build_run_clock(first_wall_time, columns, with_pauses=False).start == START + 2
    assert build_run_clock(first_wall_time, columns).start == START + 2
    assert build_run_clock(None, []) == RunClock(0.0)


@pytest.mark.parametrize(
    ("opened", "first_value", "start"),
    [
        pytest.param(START, START + 600, START, id="values after a long start"),
        pytest.param(START + 9e7, START, START, id="times of an earlier log given by the writer"),
        pytest.param(START, START + 2e5, START + 2e5, id="simulated times"),
    ],
)
def test_run_clock_starts_with_the_run_unless_values_have_another_clock(
    opened: float, first_value: float, start: float
) -> None:
    assert build_run_clock(opened, [first_value + np.arange(5.0)], with_pauses=False).start == start


def test_run_clock_absurd_first_time_among_dates_is_no_start() -> None:
    assert build_run_clock(None, [np.array([0.0, START, START + 1])], with_pauses=False).start == START


@pytest.mark.parametrize("parts", [1e3, 1e6, 1e9])
def test_run_clock_in_parts_of_a_second_counts_seconds(parts: float) -> None:
    times = (START + np.concatenate([np.arange(100.0), 9000 + np.arange(100.0)])) * parts
    for opened in (START, START * parts):
        clock = build_run_clock(opened, [times])
        assert clock.compute_relative_times(times)[[1, -1]] == pytest.approx([1, 9099], abs=1e-3)
        assert clock.seconds(float(times[-1])) == pytest.approx(9099, abs=1e-3)
        assert clock.compute_active_times(times)[[1, -1]] == pytest.approx([1, 198], abs=1e-3)


def test_active_time_leaves_out_a_pause_of_ten_days() -> None:
    hour = np.arange(0, 3601.0, 60)
    stopped = START + np.concatenate([hour, 900_000 + hour])
    clock = build_run_clock(START, [stopped, stopped[::10]])
    assert clock.pauses == ((START + 3600, START + 900_000),)
    assert clock.compute_active_times(stopped)[-1] == 7200
    assert clock.compute_active_times(START + np.array([5000.0, np.nan]))[0] == 3600
    assert np.isnan(clock.compute_active_times(np.array([np.nan]))[0])


def test_active_time_has_no_pause_while_another_tag_logs() -> None:
    train = START + np.concatenate([np.arange(0, 1000.0), np.arange(5000, 6000.0)])
    evaluation = START + np.arange(1000, 5000.0, 200)
    assert build_run_clock(START, [train, evaluation]).pauses == ()
    assert len(build_run_clock(START, [train]).pauses) == 1


def test_active_time_has_a_pause_between_tags_of_two_phases() -> None:
    first, second = START + np.arange(0, 1000.0), START + np.arange(50_000, 50_100.0)
    clock = build_run_clock(START, [first, second])
    assert clock.pauses == ((START + 999, START + 50_000),)


def test_active_time_keeps_slow_and_regular_intervals() -> None:
    hourly = START + np.arange(0, 100 * 3600.0, 3600)
    assert build_run_clock(START, [hourly]).pauses == ()
    assert build_run_clock(START, [np.append(hourly, hourly[-1] + 15 * 3600)]).pauses == ()
    assert len(build_run_clock(START, [np.append(hourly, hourly[-1] + 30 * 3600)]).pauses) == 1


def test_active_time_with_one_absurd_wall_time_keeps_all_others() -> None:
    good = START + np.arange(0, 1000.0, 10)
    for absurd in (0.0, 4e12):
        times = np.insert(good, 50, absurd)
        active = build_run_clock(START, [times]).compute_active_times(times)
        assert active[[0, 49, 51, -1]].tolist() == [0, 490, 500, 990]


@pytest.mark.parametrize("absurd", [1e18, 2.0e9, 1.0])
def test_active_time_of_an_absurd_wall_time_is_out_of_sight(absurd: float) -> None:
    times = 1.7e9 + np.arange(60.0)
    times[50] = absurd
    active = build_run_clock(None, [times]).compute_active_times(times)
    assert active[59] == 59.0
    assert not 0 <= active[50] <= 59


def test_active_time_of_infinite_and_missing_times_finds_no_pause() -> None:
    assert build_run_clock(None, [np.full(5, np.nan), np.empty(0)]).pauses == ()
    assert build_run_clock(None, [np.array([np.inf, 1.0, -np.inf, 2.0, 3.0])]).pauses == ()


@pytest.mark.parametrize(
    ("times", "outliers"),
    [
        ([*range(0, 100, 10)], []),
        ([0.0, 10, 20, 4e12, 30, 40], [3]),
        ([0.0, 10, 20, 30, 40, 4e12], [5]),
        ([-START, 10, 20, 30, 40, 50], [0]),
        ([0.0, 10, 20, -START, 30, 40], [3]),
        ([0.0, 10, 20, 30, 900_000, 900_010], []),  # went on after ten days
        ([0.0, 10, 20, 30, 40, 900_000], []),
        ([0.0, 10, 20, 900_000, 30, 40], [3]),
        ([0.0, 10, 20, -900_000, 30, 40], [3]),
        ([0.0, 10, 5, 20, 15, np.nan], []),
        ([0.0, np.nan, 10, np.inf, 20, -900_000, 30, 40], [5]),
    ],
)
def test_time_outliers_are_absurd_times_among_good_ones(times: list[float], outliers: list[int]) -> None:
    assert find_time_outliers(START + np.array(times, np.float64)).tolist() == outliers


def test_time_outliers_of_times_that_all_are_out_of_the_calendar_are_none() -> None:
    assert find_time_outliers(np.arange(50.0)).tolist() == []
    assert find_time_outliers(1000 * START + np.arange(50.0)).tolist() == []


@pytest.mark.parametrize(
    ("wall_time", "unit"),
    [
        (START, (1.0, "")),
        (-1.0, (1.0, "")),
        (START * 1e3, (1e3, "milliseconds")),
        (START * 1e6, (1e6, "microseconds")),
        (START * 1e9, (1e9, "nanoseconds")),
        (1e30, (1.0, "")),
        (float("nan"), (1.0, "")),
    ],
)
def test_wall_time_unit_of_multiplied_times(wall_time: float, unit: tuple[float, str]) -> None:
    assert guess_wall_time_unit(wall_time) == unit


def test_time_outliers_of_enormous_times_do_not_overflow() -> None:
    assert find_time_outliers(np.array([0.0, 0.0, -8.9e306, -8.9e306])).tolist() == []
