from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tbtui.charts.axis import (
    Axis,
    Kind,
    Scale,
    ValueAxis,
    column_edges,
    from_dot_columns,
    from_dot_rows,
    get_column_value,
    get_row_value,
    resolve_scale,
    round_to_dots,
    to_columns,
    to_dot_columns,
    to_dot_rows,
    to_rows,
)
from tbtui.maths.stops import compute_value_stops

LINEAR = Axis(0, 39)
LOG = Axis(1e-3, 1e3, "log")
SYMLOG = Axis(-100, 100, "symlog", threshold=0.1)


@pytest.mark.parametrize(
    ("axis", "value", "dot"),
    [
        (LINEAR, 0, 0),
        (LINEAR, 39, 39),
        (LINEAR, 19.5, 19.5),
        (LINEAR, -39, -39),
        (LINEAR, math.nan, math.nan),
        (LINEAR, math.inf, math.inf),
        (LOG, 1e-3, 0),
        (LOG, 1, 19.5),
        (LOG, 1e3, 39),
        (LOG, 0, math.nan),
        (LOG, -5, math.nan),
        (SYMLOG, 0, 19.5),
        (SYMLOG, 100, 39),
        (SYMLOG, -100, 0),
        (Axis(-1.7e308, 1.7e308), 0, 19.5),
        (Axis(-1.7e308, 1.7e308), 1.7e308, 39),
        (Axis(0, 5e-324), 0, 19.5),
    ],
)
def test_values_to_dots(axis: Axis, value: float, dot: float) -> None:
    assert float(to_dot_columns(axis, value, 20)) == pytest.approx(dot, nan_ok=True)
    assert float(to_dot_rows(axis, value, 10)) == pytest.approx(39 - dot, nan_ok=True)


@pytest.mark.parametrize("axis", [LINEAR, LOG, SYMLOG])
def test_dots_and_values_are_inverse(axis: Axis) -> None:
    dots = np.linspace(-3, 42, 91)
    np.testing.assert_allclose(to_dot_columns(axis, from_dot_columns(axis, dots, 20), 20), dots, atol=1e-9)
    np.testing.assert_allclose(to_dot_rows(axis, from_dot_rows(axis, dots, 10), 10), dots, atol=1e-9)


@pytest.mark.parametrize(
    ("value", "column", "row"),
    [(0, 0, 9), (1, 0, 9), (1.49, 0, 9), (1.51, 1, 9), (39, 19, 0), (39.49, 19, 0), (39.6, -1, -1), (-0.6, -1, -1)],
)
def test_values_to_cells(value: float, column: int, row: int) -> None:
    assert int(to_columns(LINEAR, value, 20)) == column
    assert int(to_rows(LINEAR, value, 10)) == row


@pytest.mark.parametrize("axis", [LINEAR, LOG, SYMLOG])
def test_the_value_in_the_middle_of_a_cell_stands_in_it(axis: Axis) -> None:
    for cell in range(20):
        assert int(to_columns(axis, get_column_value(axis, cell, 20), 20)) == cell
        assert int(to_rows(axis, get_row_value(axis, cell, 20), 20)) == cell


def test_no_value_stands_in_the_cell_of_nan() -> None:
    assert to_columns(LINEAR, [math.nan, math.inf, -math.inf], 20).tolist() == [-1, -1, -1]


def test_a_value_immeasurably_far_from_a_tiny_axis_is_beside_it() -> None:
    axis = Axis(0.0, 4.5e-308)
    assert to_columns(axis, [0.0, 1.0, -1.0], 10).tolist() == [0, -1, -1]
    assert to_rows(axis, [0.0, 1.0, -1.0], 10).tolist() == [9, -1, -1]


def test_infinity_is_beside_an_axis_too_short_for_its_scale() -> None:
    axis = Axis(-math.nextafter(1e308, math.inf), -1e308, "symlog")
    assert to_columns(axis, [-1e308, -math.inf, math.nan], 10).tolist() == [5, -1, -1]


def test_halves_go_up() -> None:
    assert round_to_dots([0.5, 1.5, 2.5, -0.5, 0.49]).tolist() == [1, 2, 3, 0, 0]


@pytest.mark.parametrize(
    ("low", "high", "scale"),
    [(1, 1, "linear"), (2, 1, "linear"), (math.nan, 1, "linear"), (0, math.inf, "linear"), (0, 1, "log")],
)
def test_limits_that_are_no_axis_are_refused(low: float, high: float, scale: str) -> None:
    with pytest.raises(ValueError, match="limits"):
        Axis(low, high, scale)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "origin", "scale"),
    [
        ("number", 0, "log"),
        ("step", 0, "log"),
        ("duration", 0, "log"),
        ("wall", 0, "linear"),
        ("step", 2**60, "linear"),
    ],
)
def test_times_of_day_and_steps_from_an_origin_stay_linear(kind: Kind, origin: int, scale: Scale) -> None:
    assert resolve_scale("log", kind, origin) == scale
    Axis(1, 10, scale, kind, origin)
    if scale == "linear":
        with pytest.raises(ValueError, match="no symlog scale"):
            Axis(1, 10, "symlog", kind, origin)


@pytest.mark.parametrize("axis", [LINEAR, LOG, SYMLOG])
def test_edges_lie_between_columns_of_dots(axis: Axis) -> None:
    edges = column_edges(axis, 20)
    np.testing.assert_allclose(to_dot_columns(axis, edges, 20), np.arange(41) - 0.5, atol=1e-9)
    assert (np.diff(edges) > 0).all()


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_both_ends_of_any_axis_are_on_it(first: float, second: float) -> None:
    assume(first != second)
    axis = Axis(min(first, second), max(first, second))
    assert to_columns(axis, [axis.low, axis.high], 30).min() >= 0


def value_axis(*steps: float, low: float | None = None, high: float | None = None) -> ValueAxis:
    x = np.array(steps, np.float64)
    low, high = (steps[0] if low is None else low), (steps[-1] if high is None else high)
    return ValueAxis(low, high, kind="step", x=x, stops=compute_value_stops(x))


def test_value_axis_puts_values_of_one_step_side_by_side() -> None:
    axis = value_axis(0, 0, 0, 0, 0, low=-0.5, high=0.5)
    assert axis.unit(axis.stops).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert axis.value([0, 0.25, 1]).tolist() == axis.stops[[0, 1, 4]].tolist()
    assert (float(axis.unit(-1)), float(axis.unit(1))) == (-1, 2)


def test_value_axis_zoomed_shows_the_values_in_its_limits() -> None:
    axis = value_axis(0, 10, 10, 20, 100, low=10, high=20)
    assert axis.unit(axis.stops[1:4]).tolist() == [0, 0.5, 1]
    assert float(axis.unit(100)) > 1
    assert float(axis.unit(0)) < 0
