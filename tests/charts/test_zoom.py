from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tbtui.charts.axis import Axis, pan_limits, zoom_limits

LINEAR, LOG, SYMLOG = Axis(0, 100), Axis(1, 1e4, "log"), Axis(-100, 100, "symlog", threshold=0.1)


@pytest.mark.parametrize(
    ("axis", "at", "factor", "limits"),
    [
        (LINEAR, 50, 0.5, (25, 75)),
        (LINEAR, 0, 0.5, (0, 50)),
        (LINEAR, 100, 0.5, (50, 100)),
        (LINEAR, 50, 2, (-50, 150)),
        (LOG, 100, 0.5, (10, 1000)),
        (LOG, 1, 0.5, (1, 100)),
        (LOG, 100, 2, (0.01, 1e6)),
        (SYMLOG, 0, 2, (-200_000, 200_000)),
        (LINEAR, math.nan, 0.5, (25, 75)),
        (LOG, -3, 0.5, (10, 1000)),
        (LOG, 0, 0.5, (10, 1000)),
        (LINEAR, math.inf, 0.5, (25, 75)),
    ],
)
def test_zooming_keeps_a_value_in_its_place(axis: Axis, at: float, factor: float, limits: tuple[float, float]) -> None:
    assert zoom_limits(axis, at, factor) == pytest.approx(limits, rel=1e-4)


@pytest.mark.parametrize(
    ("axis", "part", "limits"),
    [
        (LINEAR, 0.25, (25, 125)),
        (LINEAR, -1, (-100, 0)),
        (LOG, 0.25, (10, 1e5)),
        (LOG, -0.5, (0.01, 100)),
        (SYMLOG, 0.5, (0, 200_000)),
    ],
)
def test_panning_moves_by_a_part_of_what_is_seen(axis: Axis, part: float, limits: tuple[float, float]) -> None:
    assert pan_limits(axis, part) == pytest.approx(limits, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize(
    "axis",
    [
        Axis(1e300, math.nextafter(1e300, math.inf)),
        Axis(-1e308, 1.7e308),
        Axis(1e-300, 1e300, "log"),
        Axis(-1e300, 1e300, "symlog", threshold=1e-9),
    ],
)
def test_where_floats_end_limits_stay(axis: Axis) -> None:
    assert zoom_limits(axis, axis.low, 0.5) == (axis.low, axis.high) or axis.high - axis.low > 1e200
    out = (axis.low, axis.high)
    for _ in range(2100):
        out = zoom_limits(Axis(*out, axis.scale, threshold=axis.threshold), 1.0, 2)
    assert zoom_limits(Axis(*out, axis.scale, threshold=axis.threshold), 1.0, 2) == out


def test_steps_are_not_zoomed_below_one() -> None:
    assert zoom_limits(Axis(10, 12, kind="step"), 11, 0.5) == (10.5, 11.5)
    assert zoom_limits(Axis(10, 11, kind="step"), 10.5, 0.5) == (10, 11)
    assert zoom_limits(Axis(10, 11), 10.5, 0.5) == (10.25, 10.75)
    assert pan_limits(Axis(10, 10.5, kind="step"), 1) == (10.5, 11)


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE, FINITE, st.floats(0.01, 100), st.sampled_from(["linear", "log", "symlog"]), st.integers(-9, 9))
def test_any_zoom_of_any_axis_is_an_axis(
    first: float, second: float, at: float, factor: float, scale: str, exponent: int
) -> None:
    low, high = min(first, second), max(first, second)
    assume(low < high and (scale != "log" or low > 0))
    threshold = 10.0**exponent
    axis = Axis(low, high, scale, threshold=threshold)  # type: ignore[arg-type]
    for limits in (zoom_limits(axis, at, factor), pan_limits(axis, factor), pan_limits(axis, -factor)):
        Axis(*limits, scale, threshold=threshold)  # type: ignore[arg-type]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(0, 1), st.floats(0.1, 10))
def test_zooming_there_and_back_is_where_one_was(low: float, span: float, place: float, factor: float) -> None:
    axis = Axis(low, low + span)
    at = low + place * span
    there = zoom_limits(axis, at, factor)
    assert zoom_limits(Axis(*there), at, 1 / factor) == pytest.approx((axis.low, axis.high), abs=1e-6 * span, rel=1e-9)
