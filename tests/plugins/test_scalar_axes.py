"""Axis limits of a chart: what must be in sight, what is an outlier, what holds still."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.scalars.axes import AxesChosen, HeldAxes, values_behind, y_extent
from tbtui.plugins.scalars.lines import MOST_RAW, Line, LineKey, line_of
from tbtui.viewstate.choices import SCALES, X_AXES
from tests.plugins.made_views import series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.series.domain import Limits
    from tbtui.series.scales import Scale
    from tbtui.viewstate.choices import XAxis

HUNDRED = tuple(float(value) for value in range(1, 101))


def line(values: tuple[float, ...], *, smoothing: float = 0.0, x_axis: str = "step") -> Line:
    return line_of(series("t", values), LineKey("a", 1, smoothing, x_axis, 0))  # type: ignore[arg-type]


def extent_of(lines: Sequence[Line], **chosen: Any) -> Limits | None:
    """What the y axis of a chart of these lines has to show."""
    main = np.concatenate([line.smoothed for line in lines])
    return y_extent(main, values_behind(lines), **chosen)


@pytest.mark.parametrize(
    ("values", "log", "extent"),
    [
        pytest.param(HUNDRED, False, (1, 100), id="a line as most are loses nothing"),
        pytest.param((*HUNDRED, 1e4), False, (6, 96), id="a far outlier among many"),
        pytest.param((*HUNDRED, 1e4), True, (1, 1e4), id="which a log axis can show"),
        pytest.param((1, 2, 3, 1e6), False, (1, 1e6), id="few points have no outlier"),
        pytest.param((*(5.0,) * 99, 6.0), False, (5, 6), id="a step in a constant is seen"),
        pytest.param((np.nan, np.inf, 2.0, -np.inf), False, (2, 2), id="only numbers count"),
        pytest.param((np.nan,), False, None, id="no number"),
        pytest.param((-1.0, 0.0), True, None, id="nothing above 0 on a log axis"),
        pytest.param((-1.0, 0.5, 2.0), True, (0.5, 2.0), id="only what is above 0 counts on a log axis"),
    ],
)
def test_what_y_has_to_show(values: tuple[float, ...], log: bool, extent: tuple[float, float] | None) -> None:
    assert extent_of([line(values)], scale="log" if log else "linear") == extent


def test_raw_values_behind_a_smoothed_line_stretch_the_axis_a_little_but_not_far() -> None:
    spiked = line((1.0, 1.0, 90.0, 1.0, 1.0), smoothing=0.9)
    assert (extent_of([spiked]) or (0, 0))[1] < 40
    rising = line((0.0, 4.0, 8.0, 12.0, 16.0), smoothing=0.6)
    assert extent_of([rising]) == (0, 16)
    crowd = extent_of([rising] * (MOST_RAW + 1))
    assert crowd == (0, rising.smoothed[-1])


def test_outliers_are_found_among_the_values_of_all_lines_however_many() -> None:
    lines = [line(tuple(np.linspace(0, 1, 5000).tolist())) for _ in range(30)]
    low, high = extent_of([*lines, line((1e9,))]) or (0, 0)
    assert (low, high) == pytest.approx((0.05, 0.95), abs=0.01)


@given(st.lists(st.floats(), min_size=1, max_size=60), st.sampled_from(X_AXES), st.sampled_from(SCALES))
def test_any_values_have_axes(values: list[float], x_axis: XAxis, scale: Scale) -> None:
    x, y = HeldAxes().axes("t", [line(tuple(values), x_axis=x_axis)], AxesChosen(x_axis, y_scale=scale))
    assert x.low < x.high
    assert y.low < y.high
    assert y.scale == scale


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_any_wall_times_have_axes(wall_times: list[float]) -> None:
    made = series("t", [1.0] * len(wall_times), wall_times=wall_times)
    lines = [line_of(made, LineKey("a", 1, 0.0, "wall", 0))]
    x, _ = HeldAxes().axes("t", lines, AxesChosen("wall"))
    assert x.low < x.high
    assert x.kind == "wall"


def test_limits_hold_while_the_data_stays_inside_and_grow_by_more_than_is_needed() -> None:
    axes = HeldAxes()
    ends = []
    for count in (100, 101, 102, 103, 110):
        x, y = axes.axes("t", [line((*HUNDRED, *(50.0,) * (count - 100)))], AxesChosen(), shown="a")
        ends.append((x.high, y.high))
    # Steps begin at 0, so a hundred and one points end at 100.
    assert ends == [(100, 105), (100, 105), (120, 105), (120, 105), (120, 105)]


def test_limits_start_anew_when_other_things_are_shown() -> None:
    axes = HeldAxes()
    axes.axes("t", [line(HUNDRED)], AxesChosen(), shown="a")
    _, small = axes.axes("t", [line((1.0, 80.0))], AxesChosen(), shown="b")
    _, fresh = HeldAxes().axes("t", [line((1.0, 80.0))], AxesChosen(), shown="b")
    assert small == fresh
