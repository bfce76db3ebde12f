"""Axis limits of a scalar chart: visible values, outliers, held limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tbtui.maths.x_values import RunClock
from tbtui.plugins.scalars.line_axes import LineAxes, compute_background, compute_y_extent
from tbtui.plugins.scalars.lines import MAX_DETAILED_LINES, Line, LineKey, make_line
from tbtui.settings.settings import OUTLIERS, SCALES, X_AXES
from tbtui.view.chart_axes import AxesSettings
from tests.helpers.views import series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.axis import Axis
    from tbtui.maths.domain import Limits, Scale
    from tbtui.settings.settings import Outliers, Range, XAxis

HUNDRED = tuple(float(value) for value in range(1, 101))


def line(values: tuple[float, ...], *, smoothing: float = 0.0, x_axis: str = "step") -> Line:
    return make_line(series("t", values), LineKey("a", 1, smoothing, x_axis, 0))  # type: ignore[arg-type]


def extent_of(lines: Sequence[Line], **chosen: Any) -> Limits | None:
    """What the y axis of a chart of these lines has to show."""
    main = np.concatenate([line.smoothed for line in lines])
    return compute_y_extent(main, compute_background(lines), **chosen)


@pytest.mark.parametrize(
    ("values", "log", "extent"),
    [
        pytest.param(HUNDRED, False, (1, 100), id="a line as most are loses nothing"),
        pytest.param((*HUNDRED, 1e4), False, (1, 100), id="a far outlier among many hides nothing but itself"),
        pytest.param((*HUNDRED, 229.0, 1e4), False, (1, 229), id="what is a little out is no outlier"),
        pytest.param((-1e308, *HUNDRED, 1e308), False, (1, 100), id="outliers on both sides, as far as floats go"),
        pytest.param((*HUNDRED, 1e4), True, (1, 1e4), id="which a log axis can show"),
        pytest.param((1, 2, 3, 1e6), False, (1, 1e6), id="few points have no outlier"),
        pytest.param((*(5.0,) * 99, 6.0), False, (5, 6), id="a step in a constant is seen"),
        pytest.param((np.nan, np.inf, 2.0, -np.inf), False, (2, 2), id="only numbers count"),
        pytest.param((np.nan,), False, None, id="no number"),
        pytest.param((-1.0, 0.0), True, None, id="nothing above 0 on a log axis"),
        pytest.param((-1.0, 0.5, 2.0), True, (0.5, 2.0), id="only what is above 0 counts on a log axis"),
    ],
)
def test_y_axis_covers_the_smoothed_values(
    values: tuple[float, ...], log: bool, extent: tuple[float, float] | None
) -> None:
    assert extent_of([line(values)], scale="log" if log else "linear") == extent


def test_y_axis_raw_values_extend_it_within_a_limit() -> None:
    spiked = line((1.0, 1.0, 90.0, 1.0, 1.0), smoothing=0.9)
    assert (extent_of([spiked]) or (0, 0))[1] < 40
    rising = line((0.0, 4.0, 8.0, 12.0, 16.0), smoothing=0.6)
    assert extent_of([rising]) == (0, 16)
    crowd = extent_of([rising] * (MAX_DETAILED_LINES + 1))
    assert crowd == (0, rising.smoothed[-1])


def test_y_axis_outliers_are_found_across_all_lines() -> None:
    lines = [line(tuple(np.linspace(0, 1, 5000).tolist())) for _ in range(30)]
    low, high = extent_of([*lines, line((1e9,))]) or (0, 0)
    assert (low, high) == (0, 1)


@given(st.lists(st.floats(), min_size=1, max_size=60), st.sampled_from(X_AXES), st.sampled_from(SCALES))
def test_y_axis_of_any_values_is_valid(values: list[float], x_axis: XAxis, scale: Scale) -> None:
    x, y = LineAxes().axes("t", [line(tuple(values), x_axis=x_axis)], AxesSettings(x_axis, y_scale=scale))
    assert x.low < x.high
    assert y.low < y.high
    assert y.scale == scale


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_x_axis_of_any_wall_times_is_valid(wall_times: list[float]) -> None:
    made = series("t", [1.0] * len(wall_times), wall_times=wall_times)
    lines = [make_line(made, LineKey("a", 1, 0.0, "wall", 0))]
    x, _ = LineAxes().axes("t", lines, AxesSettings("wall"))
    assert x.low < x.high
    assert x.kind == "wall"


def test_limits_hold_while_data_fits_and_grow_in_larger_steps() -> None:
    axes = LineAxes()
    ends = []
    for count in (100, 101, 102, 103, 110):
        x, y = axes.axes("t", [line((*HUNDRED, *(50.0,) * (count - 100)))], AxesSettings(), inputs="a")
        ends.append((x.high, y.high))
    # Steps begin at 0, so a hundred and one points end at 100.
    assert ends == [(100, 105), (100, 105), (120, 105), (120, 105), (120, 105)]


def test_limits_restart_for_another_chart() -> None:
    axes = LineAxes()
    axes.axes("t", [line(HUNDRED)], AxesSettings(), inputs="a")
    _, small = axes.axes("t", [line((1.0, 80.0))], AxesSettings(), inputs="b")
    _, fresh = LineAxes().axes("t", [line((1.0, 80.0))], AxesSettings(), inputs="b")
    assert small == fresh


def test_limits_shrink_when_a_reference_line_is_removed() -> None:
    axes, lines = LineAxes(), [line((1.0, 80.0))]
    _, before = axes.axes("t", lines, AxesSettings())
    _, with_level = axes.axes("t", lines, AxesSettings(), levels=[120.0])
    assert with_level.high >= 120
    assert axes.axes("t", lines, AxesSettings())[1] == before


# Outliers, what lies behind the lines, scales


def test_outliers_are_ignored_by_the_rule_of_tensorboard() -> None:
    assert extent_of([line(HUNDRED)], outliers="ignore") == (6, 95)
    assert extent_of([line((1, 2, 3))], outliers="ignore") == (2, 2)
    assert extent_of([line((1, 2))], outliers="ignore") == (1, 2)
    spiked = line((1.0, 1.0, 1.5, 90.0, 1.0), smoothing=0.9)
    _, high = extent_of([spiked], outliers="ignore") or (0, 0)
    assert high <= spiked.smoothed.max()


def test_outliers_are_shown_on_request() -> None:
    assert extent_of([line((*HUNDRED, 1e4))], outliers="keep") == (1, 1e4)
    assert extent_of([line((1.0, 1.0, 90.0, 1.0, 1.0), smoothing=0.9)], outliers="keep") == pytest.approx((1, 90))


def test_y_axis_bands_and_reference_lines_extend_it_within_a_limit() -> None:
    def shown(*levels: float, superseded: float = 5.0, **chosen: Any) -> Limits | None:
        made = series("t", (0, 10, superseded, 5, 6), steps=(0, 1, 2, 2, 3))
        lines = [make_line(made, LineKey("a", 1, 0.0, "step", 0, superseded=True))]
        return compute_y_extent(lines[0].smoothed, compute_background(lines, levels), **chosen)

    assert shown() == (0, 10)
    assert shown(15.0, superseded=12.0) == (0, 15)
    assert shown(30.0) == (0, 10)
    assert shown(30.0, -5.0) == (-5, 10)
    assert shown(30.0, outliers="keep") == (0, 30)
    # Superseded points are drawn on request, so all of them are in sight.
    assert shown(superseded=500.0) == (0, 500)
    assert shown(superseded=-2.0) == (-2, 10)
    assert shown(superseded=500.0, outliers="ignore") == (5, 6)


@pytest.mark.parametrize("values", [[0.0, 1.0] * 100, np.random.default_rng(1).integers(0, 6, 200) / 5])
@pytest.mark.parametrize("smoothing", [0.6, 0.95])
def test_y_axis_holds_most_raw_values_of_a_smoothed_line(values: Sequence[float], smoothing: float) -> None:
    made = line(tuple(values), smoothing=smoothing)
    low, high = extent_of([made]) or (0, 0)
    assert np.mean((made.values >= low) & (made.values <= high)) >= 0.9


def test_y_axis_holds_the_warm_up_of_a_smoothed_rate() -> None:
    rates = np.concatenate([np.linspace(0, 1e-3, 20), np.linspace(1e-3, 6e-4, 180)])
    assert extent_of([line(tuple(rates), smoothing=0.6)]) == (0, 1e-3)


@pytest.mark.parametrize("absurd", [0.0, 4e12, -1e9])
def test_x_axis_leaves_out_one_absurd_wall_time(absurd: float) -> None:
    times = 1.7e9 + np.arange(20.0)
    times[7] = absurd
    made = make_line(series("t", HUNDRED[:20], wall_times=times), LineKey("a", 1, 0.0, "wall", 0))
    x, _ = axes([made], x_axis="wall")
    assert 1.7e9 - 2 < x.low < x.high < 1.7e9 + 22
    x, _ = axes([made], x_axis="wall", outliers="keep")
    assert x.low <= absurd <= x.high


def test_x_axis_keeps_values_after_a_long_pause() -> None:
    times = 1.7e9 + np.append(np.arange(99.0), 900_000)
    made = make_line(series("t", HUNDRED, wall_times=times), LineKey("a", 1, 0.0, "wall", 0))
    assert axes([made], x_axis="wall")[0].high >= times[-1]


def test_x_axis_of_one_moment_is_about_it() -> None:
    made = make_line(series("t", (1, 2), wall_times=(1.7e9, 1.7e9)), LineKey("a", 1, 0.0, "wall", 0))
    x, _ = axes([made], x_axis="wall")
    assert (x.low, x.high) == (1.7e9 - 1, 1.7e9 + 1)
    relative = make_line(
        series("t", (1,)), LineKey("a", 1, 0.0, "relative", 0, clock=RunClock(float(made.wall_times[0])))
    )
    assert axes([relative], x_axis="relative")[0].low >= 0


def axes(lines: Sequence[Line], **chosen: Any) -> tuple[Axis, Axis]:
    return LineAxes().axes("t", lines, AxesSettings(**chosen))


def test_log_x_axis_starts_at_the_first_positive_step() -> None:
    x, _ = axes([line(HUNDRED)], x_scale="log")
    assert (x.scale, x.low, x.high) == ("log", 1, 100)


def test_log_axis_without_positive_values_exists() -> None:
    made = make_line(series("t", (-1.0, 0.0), steps=(-5, 0)), LineKey("a", 1, 0.0, "step", 0))
    x, y = axes([made], x_scale="log", y_scale="log")
    assert (x.low, x.high, y.low, y.high) == (0.1, 1, 0.1, 1)


@pytest.mark.parametrize("scale", ["log", "symlog"])
def test_wall_times_and_enormous_steps_have_a_linear_axis(scale: Scale) -> None:
    x, _ = axes([line(HUNDRED, x_axis="wall")], x_axis="wall", x_scale=scale)
    assert x.scale == "linear"
    huge = make_line(series("t", (1, 2), steps=(2**60, 2**60 + 5)), LineKey("a", 1, 0.0, "step", 2**60))
    x, _ = axes([huge], x_scale=scale)
    assert (x.scale, x.low, x.high, x.origin) == ("linear", 0, 5, 2**60)


def test_symlog_threshold_is_kept_while_close() -> None:
    held = LineAxes()
    chosen = AxesSettings(y_scale="symlog")
    thresholds = [
        held.axes("t", [line((*HUNDRED, *(small,) * 50, -100.0))], chosen)[1].threshold
        for small in (1.0, 0.1, 1e-4, 1e-4)
    ]
    assert thresholds[0] == thresholds[1] != thresholds[2] == thresholds[3]


# Ranges by hand


@pytest.mark.parametrize(
    ("chosen", "limits"),
    [
        ((20.0, 40.0), (20, 40)),
        ((None, 40.0), (0, 40)),
        ((20.0, None), (20, 100)),
        ((500.0, None), (500, 600)),
        ((None, -7.0), (-107, -7)),
        ((40.0, 20.0), (0, 100)),
        ((20.0, 20.0), (0, 100)),
        ((np.nan, 20.0), (0, 20)),
        ((-np.inf, np.inf), (0, 100)),
    ],
)
def test_limits_set_by_hand_apply(chosen: tuple[float | None, float | None], limits: Limits) -> None:
    x, _ = axes([line(HUNDRED)], x_range=chosen)
    assert (x.low, x.high) == limits


def test_limits_impossible_on_a_log_axis_follow_the_data() -> None:
    _, y = axes([line(HUNDRED)], y_scale="log", y_range=(-3.0, 50.0))
    assert y.high == 50
    assert 0 < y.low <= 1
    _, y = axes([line(HUNDRED)], y_scale="log", y_range=(1e4, None))
    assert y.low == 1e4 < y.high


def test_range_of_enormous_steps_is_given_in_steps() -> None:
    huge = make_line(series("t", (1, 2), steps=(2**60, 2**60 + 5)), LineKey("a", 1, 0.0, "step", 2**60))
    x, _ = axes([huge], x_range=(2**60 + 1, 2**60 + 3))
    assert (x.low, x.high) == (1, 3)


def test_y_axis_fits_values_in_the_x_range() -> None:
    falling = line(tuple(float(100 - index) for index in range(100)))
    _, y = axes([falling], x_range=(90.0, 95.0))
    assert y.low >= 4
    assert y.high <= 11
    _, all_of_it = axes([falling])
    assert (all_of_it.low, all_of_it.high) == (0, 105)


def test_y_axis_covers_lines_crossing_the_x_range() -> None:
    made = make_line(series("t", (0, 1000), steps=(0, 100)), LineKey("a", 1, 0.0, "step", 0))
    _, y = axes([made], x_range=(40.0, 60.0))
    assert 370 <= y.low <= 400
    assert 600 <= y.high <= 630
    made = make_line(series("t", (1, 1e4), steps=(0, 100)), LineKey("a", 1, 0.0, "step", 0))
    _, y = axes([made], x_range=(50.0, 75.0), y_scale="log")
    assert 50 <= y.low <= 100
    assert 1e3 <= y.high <= 2e3


@given(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9), st.booleans(), st.sampled_from(SCALES))
def test_y_axis_covers_crossing_lines_on_every_scale(start: float, end: float, negative: bool, scale: Scale) -> None:
    ends = (-start if negative and scale != "log" else start, end)
    assume(ends[0] == end or abs(end - ends[0]) > 1e-10 * end)  # logarithms of closer values are rounded
    made = make_line(series("t", ends, steps=(0, 100)), LineKey("a", 1, 0.0, "step", 0))
    _, y = axes([made], x_range=(40.0, 60.0), y_scale=scale)
    first, last = y.unit(ends).tolist()
    crossings = [first + (last - first) * part for part in (0.4, 0.6)]
    assert all(-1e-6 <= crossing <= 1 + 1e-6 for crossing in crossings)


def test_y_axis_exists_for_an_x_range_without_data() -> None:
    x, y = axes([line(HUNDRED)], x_range=(1000.0, 2000.0))
    assert (x.low, x.high, y.low, y.high) == (1000, 2000, 0, 1)


ENDS = st.none() | st.floats()


@settings(deadline=None)
@given(
    st.lists(st.floats(), min_size=1, max_size=30),
    st.tuples(ENDS, ENDS),
    st.tuples(ENDS, ENDS),
    st.sampled_from(X_AXES),
    st.sampled_from(SCALES),
    st.sampled_from(SCALES),
    st.sampled_from(OUTLIERS),
)
def test_y_axis_exists_for_any_x_range(
    values: list[float],
    x_range: Range,
    y_range: Range,
    x_axis: XAxis,
    x_scale: Scale,
    y_scale: Scale,
    outliers: Outliers,
) -> None:
    lines = [line(tuple(values), x_axis=x_axis, smoothing=0.5)]
    chosen = AxesSettings(x_axis, x_scale, x_range, y_scale, y_range, outliers)
    x, y = LineAxes().axes("t", lines, chosen, levels=[0.5])
    assert x.low < x.high
    assert y.low < y.high
    assert y.scale == y_scale
