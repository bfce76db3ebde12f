"""Test which values may be outside an axis."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths.domain import OUTLIER_RATIO, compute_axis_span, compute_extent, compute_extent_without_outliers

MOST = sys.float_info.max
NEAR = np.linspace(0, 1, 50)


def with_far(*far: float) -> np.ndarray:  # type: ignore[type-arg]
    return np.concatenate([NEAR, far])


@pytest.mark.parametrize(
    ("far", "limits"),
    [
        ((4.0,), (0, 4.0)),  # all fit without flattening the other lines
        ((4.1,), (0, 1)),
        ((2.4, 100.0), (0, 2.4)),  # values within the fence stay, values beyond it are excluded
        ((-50.0, 60.0), (0, 1)),
        ((np.nan, np.inf), (0, 1)),
    ],
)
def test_outliers_that_flatten_most_lines_are_excluded(far: tuple[float, ...], limits: tuple[float, float]) -> None:
    assert compute_extent_without_outliers(with_far(*far), (0, 1)) == limits


def test_outliers_equal_values_have_none() -> None:
    assert compute_extent_without_outliers(with_far(1e9), (0.5, 0.5)) == (0, 1e9)


def test_outliers_no_values_have_none() -> None:
    assert compute_extent_without_outliers(np.array([np.nan]), (0, 1)) is None
    assert compute_extent_without_outliers(np.array([-1.0, 0.0]), (1, 2), "log") is None


def test_outliers_on_a_log_axis_are_measured_in_decades() -> None:
    values = np.array([1.0, 10.0, 300.0, 1e9])
    assert compute_extent_without_outliers(values, (1, 10), "log") == (1, 300)


@given(
    st.lists(st.floats(allow_nan=True), min_size=1, max_size=30),
    st.tuples(st.floats(-MOST, MOST), st.floats(-MOST, MOST)).map(sorted),
    st.sampled_from(["linear", "symlog"]),
)
def test_outliers_most_lines_are_never_flattened(values: list[float], most: list[float], scale: str) -> None:
    low, high = most
    shown = compute_extent_without_outliers(np.array(values), (low, high), scale)  # type: ignore[arg-type]
    assert (shown is None) == (compute_extent([np.array(values)]) is None)
    if shown is not None and low < high and min(values) <= low and high <= max(values):
        room = OUTLIER_RATIO * compute_axis_span((low, high), scale, 1.0)  # type: ignore[arg-type]
        assert compute_axis_span(shown, scale, 1.0) <= room * (1 + 1e-9) + 1e-300  # type: ignore[arg-type]
