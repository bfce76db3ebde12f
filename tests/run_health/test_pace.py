"""Tests of the pace of runs."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.run_health import pace
from tbtui.run_health.pace import MAX_SHORT_VALUES, estimate_pace
from tbtui.store.run_series import ScalarEnds
from tbtui.store.snapshot import Metadata, ScalarSeries
from tests.helpers.property_examples import examples

STEPS = st.integers(-3, 4) | st.integers(-(2**62), 2**62)
TIMES = st.floats(-1.0, 3.0) | st.sampled_from([1e18, -1e308, 1e308, float("inf"), float("nan"), 0.1, 1e-320])


def ends_of(steps: list[int], times: list[float]) -> ScalarEnds:
    columns = np.array(steps, np.int64), np.array(times, np.float64), np.zeros(len(steps))
    return ScalarEnds.of_series([ScalarSeries("run", "loss", Metadata("scalars"), 1, *columns)])


@settings(deadline=None, max_examples=examples(300))
@given(st.lists(st.tuples(STEPS, TIMES), min_size=1, max_size=MAX_SHORT_VALUES), st.booleans(), st.booleans())
def test_pace_of_short_tag_equals_that_of_arrays(
    moves: list[tuple[int, float]], adds_steps: bool, adds_times: bool
) -> None:
    steps, times = [step for step, _ in moves], [time for _, time in moves]
    if adds_steps:
        steps = [sum(step % 7 for step in steps[:end]) for end in range(1, len(steps) + 1)]
    if adds_times:
        times = [1.7e9 + sum(times[:end]) for end in range(1, len(times) + 1)]
    ends = ends_of(steps, times)
    with patch.object(pace, "MAX_SHORT_VALUES", 0):
        expected = estimate_pace(ends)
    assert repr(estimate_pace(ends)) == repr(expected)


@pytest.mark.parametrize("count", [10, MAX_SHORT_VALUES + 8])
def test_pace_of_regular_run_has_rate_and_interval(count: int) -> None:
    found = estimate_pace(
        ends_of([10 * number for number in range(count)], [1.7e9 + 20.0 * number for number in range(count)])
    )
    assert found is not None
    assert (found.rate, found.interval, found.stride, found.regular) == (0.5, 20.0, 10, True)
