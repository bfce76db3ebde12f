from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths.smoothing import Summary, summarize

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("values", "figures"),
    [
        ([3.0], Summary(0, 0, 0)),
        ([2.0, 1.0, 3.0, 1.0, 3.0], Summary(4, 1, 2)),
        ([NAN, 2.0, INF, 1.0, -INF], Summary(4, 3, 1)),
        ([NAN, INF, -INF], Summary(2, None, None)),
    ],
)
def test_summary_first_extremes_among_finite_values(values: list[float], figures: Summary) -> None:
    assert summarize(np.array(values)) == figures


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_summary_equals_a_loop(values: list[float]) -> None:
    finite = [value for value in values if np.isfinite(value)]
    found = summarize(np.array(values))
    assert found.last == len(values) - 1
    if finite:
        assert found.minimum is not None
        assert found.maximum is not None
        assert (values[found.minimum], values[found.maximum]) == (min(finite), max(finite))
        assert min(finite) not in values[: found.minimum]
        assert max(finite) not in values[: found.maximum]
    else:
        assert (found.minimum, found.maximum) == (None, None)
