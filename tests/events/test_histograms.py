from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.events.histograms import histogram_rows
from tbtui.events.messages import message


def rows(low: float, high: float, limits: list[float], counts: list[float]) -> list[list[float]]:
    histogram = message("HistogramProto")(min=low, max=high, bucket_limit=limits, bucket=counts)
    return histogram_rows(histogram).tolist()


@pytest.mark.parametrize(
    ("low", "high", "limits", "counts", "expected"),
    [
        (-1, 3, [-2, 0, 1, 2, 4, 5], [0, 1, 0, 1, 1, 0], [[-1, 0, 1], [0, 1, 0], [1, 2, 1], [2, 3, 1]]),
        pytest.param(1, 1, [0.917, 1.009], [0, 10], [[1, 1, 10]], id="PyTorch, ten equal values"),
        pytest.param(0, 1, [0.5, 1.797e308], [2, 3], [[0, 0.5, 2], [0.5, 1, 3]], id="TF1, the last limit is endless"),
        pytest.param(0, 0, [1, 2], [0, 0], [], id="all empty"),
        pytest.param(0, 0, [], [], [], id="no buckets"),
        pytest.param(0, 4, [1, 2, 3], [1, 1], [[0, 1, 1], [1, 4, 1]], id="fewer counts than limits"),
        pytest.param(0, 9, [5, 3, 9], [1, 1, 1], [[0, 5, 1], [5, 5, 1], [5, 9, 1]], id="limits that run backwards"),
        pytest.param(5, 1, [2, 9], [1, 1], [[1, 2, 1], [2, 5, 1]], id="least and greatest swapped"),
    ],
)
def test_rows(low: float, high: float, limits: list[float], counts: list[float], expected: list[list[float]]) -> None:
    assert rows(low, high, limits, counts) == expected


numbers = st.floats(-1e6, 1e6)


@given(numbers, numbers, st.lists(st.tuples(numbers, st.integers(0, 5)), max_size=10))
def test_edges_ascend_without_gaps_and_no_count_is_lost(a: float, b: float, buckets: list[tuple[float, int]]) -> None:
    found = np.array(rows(a, b, [limit for limit, _ in buckets], [count for _, count in buckets])).reshape(-1, 3)
    assert found[:, 2].sum() == sum(count for _, count in buckets)
    assert np.all(found[:, 0] <= found[:, 1])
    assert np.array_equal(found[1:, 0], found[:-1, 1])
    if len(found):
        assert (found[0, 0], found[-1, 1]) == (min(a, b), max(a, b))
