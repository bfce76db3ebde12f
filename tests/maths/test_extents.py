from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths import decimate as extents
from tbtui.maths.decimate import compute_series_extents, is_strictly_ascending

numbers = st.floats(width=32) | st.sampled_from([math.nan, math.inf, -math.inf, 0.0])


@pytest.fixture(autouse=True)
def _little_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extents, "BATCH_POINTS", 8)


@given(st.lists(st.lists(numbers, min_size=1, max_size=12), max_size=8))
def test_extents_equal_those_of_each_series(series: list[list[float]]) -> None:
    found = compute_series_extents([np.array(values) for values in series])
    for at, values in enumerate(series):
        finite = [value for value in values if math.isfinite(value)]
        assert found.nan[at] == sum(map(math.isnan, values))
        assert found.inf[at] == sum(map(math.isinf, values))
        for column, end in ((found.minimum, min), (found.maximum, max)):
            assert column[at] == end(finite) if finite else math.isnan(column[at])
    assert len(found.minimum) == len(found.maximum) == len(found.nan) == len(found.inf) == len(series)


@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=12), max_size=8))
def test_extents_steps_ascend_if_each_exceeds_the_previous(series: list[list[int]]) -> None:
    found = is_strictly_ascending([np.array(steps, np.int64) for steps in series])
    assert found.tolist() == [all(a < b for a, b in pairwise(steps)) for steps in series]
