from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths.histograms import sample_evenly

AXES = st.lists(st.integers(0, 10_000) | st.floats(-1e9, 1e9), max_size=120).map(
    lambda x: np.array(sorted(x), np.float64)
)


@pytest.mark.parametrize(
    ("x", "most", "chosen"),
    [
        (range(5), 5, [0, 1, 2, 3, 4]),
        (range(5), 9, [0, 1, 2, 3, 4]),
        (range(9), 5, [0, 2, 4, 6, 8]),
        (range(10), 6, [0, 2, 4, 6, 8, 9]),
        (range(10), 5, [0, 4, 8, 9]),
        (range(10), 2, [0, 9]),
        (range(10), 1, [9]),
        (range(10), 0, []),
        ([], 3, []),
        ([0, 100, 101, 102, 103, 200], 3, [0, 1, 5]),
        ([0, 100, 101, 102, 103, 200], 4, [0, 1, 3, 5]),
        ([0, 1, 2, 3, 1000], 3, [0, 2, 4]),
        ([7, 7, 7, 7, 7], 3, [0, 2, 4]),
        ([0, 1, 2, 0, 1, 2, 3], 4, [0, 2, 4, 6]),
        ([np.nan, 1, 2, 3, 4], 3, [0, 2, 4]),
        ([0, 5e-324, 1e-323], 2, [0, 2]),
        ([-1e308, 0, 1e308], 2, [0, 2]),
        ([-np.inf, 0, 1, np.inf], 3, [0, 2, 3]),
    ],
)
def test_sampling_known_choices(x: list[float], most: int, chosen: list[int]) -> None:
    assert sample_evenly(np.array(x, np.float64), most).tolist() == chosen


@given(AXES, st.integers(2, 40))
def test_sampling_of_many_includes_first_and_newest(x: np.ndarray, most: int) -> None:
    chosen = sample_evenly(x, most)
    assert (np.diff(chosen) > 0).all()
    assert len(chosen) <= most
    if len(x):
        assert (chosen[0], chosen[-1]) == (0, len(x) - 1)
    if len(x) <= most:
        assert len(chosen) == len(x)


@given(st.integers(2, 3000), st.integers(2, 60), st.floats(0.1, 1e6))
def test_sampling_of_even_steps_keeps_at_least_half_the_limit(count: int, most: int, step: float) -> None:
    assert len(sample_evenly(np.arange(count) * step, most)) >= min(count, most / 2)


@given(st.lists(st.floats(0.1, 1e4), min_size=40, max_size=120), st.integers(2, 20), st.integers(1, 20))
def test_sampling_of_growing_data_drops_but_never_swaps(gaps: list[float], most: int, more: int) -> None:
    """The newest point is an exception: it is included only while it is the newest."""
    x = np.cumsum(gaps)
    before, after = (sample_evenly(points, most).tolist() for points in (x[:-more], x))
    assert {index for index in after if index < len(x) - more} <= {*before}
