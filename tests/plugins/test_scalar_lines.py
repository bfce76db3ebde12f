"""Lines of a chart: the points of a run, or the average of several runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.maths.x_values import RunClock
from tbtui.plugins.scalars.lines import Line, LineKey, make_average, make_line
from tests.helpers.views import series

if TYPE_CHECKING:
    from tbtui.store.snapshot import ScalarSeries


def key(x_axis: str = "step", smoothing: float = 0.0, origin: int = 0, **chosen: Any) -> LineKey:
    return LineKey("a", 1, smoothing, x_axis, origin, **chosen)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("x_axis", "x"),
    [
        ("step", [10.0, 20.0, 40.0]),
        ("relative", [0.0, 5.0, 6.0]),
        ("wall", [100.0, 105.0, 106.0]),
        ("order", [1.0, 2.0, 3.0]),
        ("active", [0.0, 5.0, 6.0]),
    ],
)
def test_line_x_values(x_axis: str, x: list[float]) -> None:
    made = series("t", (1, 2, 3), steps=(10, 20, 40), wall_times=(100, 105, 106))
    assert make_line(made, key(x_axis, clock=RunClock(100.0))).x.tolist() == x


def test_line_relative_time_counts_from_the_run() -> None:
    late = series("t", (1, 2), wall_times=(3700, 3760))
    assert make_line(late, key("relative", clock=RunClock(100.0))).x.tolist() == [3600, 3660]
    paused = RunClock(100.0, ((200.0, 3700.0),))
    assert make_line(late, key("active", clock=paused)).x.tolist() == [100, 160]


def test_line_enormous_steps_are_distinguished() -> None:
    least = 2**62
    line = make_line(series("t", (1, 2, 3), steps=(least, least + 1, least + 2)), key(origin=least))
    assert line.x.tolist() == [0.0, 1.0, 2.0]


def test_line_smoothing_equals_tensorboard_and_keeps_raw_values() -> None:
    line = make_line(series("t", (1, 2, 3, 4)), key(smoothing=0.6))
    np.testing.assert_allclose(line.smoothed, [1, 1.625, 2.326531, 3.095588], atol=1e-6)
    assert line.values.tolist() == [1, 2, 3, 4]


def test_line_without_smoothing_equals_the_values() -> None:
    line = make_line(series("t", (1, 2, 3)), key())
    assert line.smoothed is line.values


def test_line_superseded_points_are_dropped_and_restart_marked() -> None:
    line = make_line(series("t", (1, 2, 3, 20, 30, 40), steps=(0, 1, 2, 1, 2, 3)), key())
    assert line.steps.tolist() == [0, 1, 2, 3]
    assert line.values.tolist() == [1, 20, 30, 40]
    assert line.restarts == (1,)


@pytest.mark.parametrize(
    ("steps", "kept", "restarts"),
    [
        pytest.param((0, 1, 1, 2), [0, 1, 2], (), id="a step logged twice is no restart"),
        pytest.param((5, 6, 0, 1), [0, 1], (0,), id="from the beginning"),
        pytest.param((0, 5, 3, 4, 5, 9, 7, 8), [0, 3, 4, 5, 7, 8], (1, 4), id="twice"),
        pytest.param((7,), [7], (), id="one point"),
        pytest.param((10, 8, 9, 3, 4), [3, 4], (0,), id="the last restart leaves nothing of the one before"),
        pytest.param((10, 8, 9, 3, 6, 9, 20), [3, 6, 9, 20], (0,), id="nor does it mark what came later"),
        pytest.param((10, 3, 4, 4, 3, 4, 20), [3, 4, 20], (0,), id="twice to the same step"),
        pytest.param((9, 5, 5, 6), [5, 6], (0,), id="a restart whose first step is corrected"),
    ],
)
def test_line_restarts(steps: tuple[int, ...], kept: list[int], restarts: tuple[int, ...]) -> None:
    line = make_line(series("t", range(len(steps)), steps=steps), key())
    assert (line.steps.tolist(), line.restarts) == (kept, restarts)


@pytest.mark.parametrize("skip", [0, 5, 10, 11, 40])
def test_line_skipped_steps_are_dropped_after_smoothing(skip: int) -> None:
    made = series("t", (4, 3, 2), steps=(10, 20, 40), wall_times=(100, 105, 106))
    whole, line = (
        make_line(made, key("relative", smoothing=0.6)),
        make_line(made, key("relative", smoothing=0.6, skip=skip)),
    )
    kept = whole.steps >= skip
    for column in ("steps", "wall_times", "values", "smoothed", "x"):
        assert getattr(line, column).tolist() == getattr(whole, column)[kept].tolist()


def test_line_skipping_without_smoothing_shares_one_array() -> None:
    line = make_line(series("t", (1, 2, 3)), key(skip=1))
    assert line.smoothed is line.values


def test_line_restarts_before_the_first_point_are_not_marked() -> None:
    made = series("t", range(8), steps=(0, 5, 3, 4, 5, 9, 7, 8))
    assert make_line(made, key()).restarts == (1, 4)
    assert make_line(made, key(skip=4)).restarts == (2,)


def test_superseded_stretch_starts_where_its_session_started() -> None:
    made = series("t", (1, 2, 3, 20, 30, 40), steps=(0, 1, 2, 1, 2, 3))
    assert make_line(made, key()).superseded is None
    x, y = make_line(made, key(superseded=True)).superseded or ([], [])
    np.testing.assert_array_equal(x, [0, 1, 2])
    np.testing.assert_array_equal(y, [1, 2, 3])


def test_superseded_stretches_break_at_restarts_and_current_points() -> None:
    made = series("t", range(11), steps=(0, 5, 6, 2, 5, 3, 5, 10, 11, 10, 11))
    x, y = make_line(made, key(superseded=True)).superseded or ([], [])
    nan = np.nan
    np.testing.assert_array_equal(x, [0, 5, 6, nan, 2, 5, nan, 5, 10, 11])
    np.testing.assert_array_equal(y, [0, 1, 2, nan, 3, 4, nan, 6, 7, 8])


@pytest.mark.parametrize("x_axis", ["relative", "wall", "order", "active"])
def test_line_of_another_axis_than_steps_has_all_points(x_axis: str) -> None:
    made = series("t", (1, 2, 3, 4), steps=(0, 1, 0, 1), wall_times=(100, 101, 102, 103))
    line = make_line(made, key(x_axis, superseded=True))
    assert line.values.tolist() == [1, 2, 3, 4]
    assert np.diff(line.x).tolist() == [1, 1, 1]
    assert (line.superseded, line.left_out, line.restarts) == (None, 0, (2,))
    assert make_line(made, key(x_axis, skip=1)).values.tolist() == [2, 4]
    assert make_line(made, key(x_axis, skip=1)).restarts == ()


def test_line_without_steps_is_whole_in_order_and_counted_on_the_step_axis() -> None:
    made = series("t", range(200), steps=[0] * 200, wall_times=np.arange(200.0) * 3)
    assert make_line(made, key("order")).x.tolist() == list(range(1, 201))
    line = make_line(made, key(superseded=True))
    assert (len(line.x), line.left_out, line.restarts) == (1, 199, ())
    assert line.superseded is not None
    assert line.superseded[1].tolist() == list(range(200))


def test_superseded_points_without_a_restart_are_none() -> None:
    assert make_line(series("t", (1, 2)), key(superseded=True)).superseded is None
    assert make_line(series("t", (1, 2, 3, 4), steps=(0, 1, 1, 2)), key(superseded=True, skip=2)).superseded is None


def test_line_one_absurd_wall_time_is_an_outlier() -> None:
    times = 1.7e9 + np.arange(10.0)
    times[4] = 0.0
    line = make_line(series("t", range(10), wall_times=times), key("wall"))
    assert line.time_outliers.tolist() == [4]
    assert make_line(series("t", range(10), wall_times=times), key()).time_outliers.tolist() == []


def averaged(*runs: ScalarSeries, **chosen: Any) -> Line:
    keys = [replace(key(**chosen), run=run.run) for run in runs]
    return make_average([make_line(run, k) for run, k in zip(runs, keys, strict=True)], replace(key(**chosen), run="g"))


def test_average_has_a_name_steps_and_a_band() -> None:
    line = averaged(series("t", (1, 3)), series("t", (3, 5), run_name="b"))
    assert (line.name, line.runs) == ("g ×2", ("a", "b"))
    assert line.steps is not None
    assert line.steps.tolist() == [0, 1]
    assert line.values.tolist() == [2, 4]
    assert line.smoothed is line.values
    assert line.band is not None
    assert (line.band.low.tolist(), line.band.high.tolist()) == ([1, 3], [3, 5])


SEEDS = (
    series("t", np.full(10, 3.0), run_name="s0", steps=range(0, 100, 10)),
    series("t", np.full(20, 2.0), run_name="s1", steps=range(0, 140, 7)),
    series("t", np.full(20, 9.0), run_name="s2", steps=range(0, 260, 13)),
)


def test_average_of_fewer_runs_tells_how_many_remain() -> None:
    line = averaged(*SEEDS)
    assert line.steps is not None
    counts = {int(step): line.count_fewer_runs(index) for index, step in enumerate(line.steps)}
    assert [counts[step] for step in (0, 90, 91, 133, 143, 247)] == [None, None, 2, 2, 1, 1]
    assert not line.is_interpolated(0)
    assert line.is_interpolated(1)


def test_average_extremes_are_of_all_runs() -> None:
    line = averaged(*SEEDS)
    assert line.extremes.maximum is not None
    assert line.values.max() == 9.0
    assert line.values[line.extremes.maximum] == pytest.approx(14 / 3)


def test_average_until_the_shortest_run_ends_there() -> None:
    line = averaged(*SEEDS, average_end="shortest")
    assert line.steps is not None
    assert line.steps[-1] == 90
    assert all(line.count_fewer_runs(index) is None for index in range(len(line.x)))
    apart = series("t", (1, 2), steps=(0, 1)), series("t", (1, 2), run_name="b", steps=(5, 6))
    assert len(averaged(*apart, average_end="shortest").x) == 4


def test_average_smooths_each_run_first() -> None:
    one, other = series("t", (1, 2, 3, 4)), series("t", (0, 0, 0, 8), run_name="b", steps=(0, 1, 2, 3))
    line = averaged(one, other, smoothing=0.6)
    lines = [make_line(run, key(smoothing=0.6)) for run in (one, other)]
    np.testing.assert_allclose(line.smoothed, (lines[0].smoothed + lines[1].smoothed) / 2)
    assert line.values.tolist() == [0.5, 1, 1.5, 6]


def test_average_over_time_has_no_steps() -> None:
    runs = series("t", (1, 3), wall_times=(0, 1)), series("t", (3, 5), run_name="b", wall_times=(0, 0.5))
    line = averaged(*runs, x_axis="relative")
    assert line.x.tolist() == [0, 0.5, 1]
    assert line.values.tolist() == [2, 3.5, 3]
    assert line.steps is None


def test_average_of_enormous_steps_is_exact() -> None:
    least = 2**62
    runs = [series("t", (1, 2), run_name=name, steps=(least + 1, least + 2)) for name in "ab"]
    assert averaged(*runs, origin=least).steps.tolist() == [least + 1, least + 2]


def test_average_marks_the_first_nan_of_a_run() -> None:
    line = averaged(series("t", (1, 2, 3)), series("t", (1, np.nan, np.inf), run_name="b"))
    assert line.lost == (1,)
    assert line.values.tolist() == [1, 2, 3]


@pytest.mark.parametrize("times", [(np.nan, np.nan), (5.0, 4.0), (5.0, 5.0)])
def test_average_of_any_wall_times_is_valid(times: tuple[float, float]) -> None:
    line = averaged(*(series("t", (1, 2), run_name=name, wall_times=times) for name in "ab"), x_axis="wall")
    assert len(line.x) == len(line.values) >= 1


def test_figures_and_direction_are_of_the_shown_points() -> None:
    line = make_line(series("t", (0, 5, 3), wall_times=(3, 2, 1)), key("wall", skip=1))
    assert (line.extremes.minimum, line.extremes.maximum) == (1, 0)
    assert not line.ascending
    assert make_line(series("t", (0, 5, 3)), key()).ascending
