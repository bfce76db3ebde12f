"""Compare sorted medians and unique values with numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tbtui.maths.decimate import compute_median, find_unique_values


@pytest.mark.filterwarnings("ignore:(overflow|invalid):RuntimeWarning")
@given(hnp.arrays(np.float64, st.integers(1, 20), elements=st.floats(width=64)))
def test_median_equals_numpy(values: np.ndarray) -> None:
    np.testing.assert_array_equal(compute_median(values), np.median(values))


@given(
    hnp.arrays(np.int64, st.integers(0, 20), elements=st.integers(-5, 5))
    | hnp.arrays(np.float64, st.integers(0, 20), elements=st.floats(width=64))
)
def test_unique_values_hold_each_value_once_and_every_nan(values: np.ndarray) -> None:
    np.testing.assert_array_equal(find_unique_values(values), np.unique(values, equal_nan=False))
