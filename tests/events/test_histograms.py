from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.events.histogram import (
    Bars,
    HistogramError,
    build_bars_from_limits,
    build_bars_from_rows,
    read_histogram,
    read_histogram_rows,
)
from tbtui.events.schema import get_message_class
from tbtui.events.tensors import TensorError, make_tensor


def rows(low: float, high: float, limits: list[float], counts: list[float]) -> list[list[float]]:
    histogram = get_message_class("HistogramProto")(min=low, max=high, bucket_limit=limits, bucket=counts)
    return read_histogram_rows(histogram).tolist()


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
def test_histogram_rows(
    low: float, high: float, limits: list[float], counts: list[float], expected: list[list[float]]
) -> None:
    assert rows(low, high, limits, counts) == expected


numbers = st.floats(-1e6, 1e6)


@given(numbers, numbers, st.lists(st.tuples(numbers, st.integers(0, 5)), max_size=10))
def test_histogram_edges_ascend_without_gaps_and_counts_are_kept(
    a: float, b: float, buckets: list[tuple[float, int]]
) -> None:
    found = np.array(rows(a, b, [limit for limit, _ in buckets], [count for _, count in buckets])).reshape(-1, 3)
    assert found[:, 2].sum() == sum(count for _, count in buckets)
    assert np.all(found[:, 0] <= found[:, 1])
    assert np.array_equal(found[1:, 0], found[:-1, 1])
    if len(found):
        assert (found[0, 0], found[-1, 1]) == (min(a, b), max(a, b))


GREATEST = 1.7976931348623157e308
NAN, INF = math.nan, math.inf
NOTHING: list[list[float]] = []
NAN_AMONG, INFINITE_AMONG = "a NaN is among the values", "an infinite value is among the values"


def listed(bars: Bars) -> list[list[float]]:
    return np.column_stack([bars.lefts, bars.rights, bars.counts]).tolist()


def of_limits(
    limits: list[float], counts: list[float], low: float, high: float, number: float = 1
) -> list[list[float]]:
    return listed(build_bars_from_limits(np.array(limits, np.float64), np.array(counts, np.float64), low, high, number))


@given(numbers, numbers, st.lists(st.tuples(numbers, st.integers(0, 5)), max_size=10))
def test_histogram_old_format_follows_the_rule_of_its_rows(
    a: float, b: float, buckets: list[tuple[float, int]]
) -> None:
    limits, counts = [limit for limit, _ in buckets], [count for _, count in buckets]
    if a != b:
        assert of_limits(limits, counts, a, b) == rows(a, b, limits, counts)


@pytest.mark.parametrize(
    ("limits", "counts", "low", "high", "expected"),
    [
        pytest.param([1, 2], [0, 0], GREATEST, -GREATEST, NOTHING, id="TF1, no values"),
        pytest.param([], [], 0, 0, NOTHING, id="no buckets"),
        pytest.param([1, GREATEST], [2, 3], 0, 5, [[0, 1, 2], [1, 5, 3]], id="TF1, the last limit is endless"),
        pytest.param([-INF, 1, INF], [1, 2, 3], -4, 5, [[-4, -4, 1], [-4, 1, 2], [1, 5, 3]], id="infinite limits"),
        pytest.param([1, 2, NAN], [1, 1, 1], 0, 3, [[0, 1, 1], [1, 2, 1], [2, 3, 1]], id="the last limit is not used"),
        pytest.param([1, 2, 3], [1, 1, 0], -GREATEST, 2, [[1, 1, 1], [1, 2, 1]], id="no least value"),
        pytest.param([1, 2, 3], [1, 1, 1], 0, GREATEST, [[0, 1, 1], [1, 2, 1], [2, 2, 1]], id="no greatest value"),
        pytest.param([1, 2, 3], [0, 4, 1], 0, 0, [[1, 2, 4], [2, 3, 1]], id="neither, only limits"),
        pytest.param([1, 2, 3], [4, 1, 0], 0, 0, [[1, 1, 4], [1, 2, 1]], id="neither, nor a limit in front"),
        pytest.param([7, 7], [4, 1], 7, 7, [[7, 7, 4], [7, 7, 1]], id="all values equal, in two buckets"),
        pytest.param([1, 2], [1, 1, 0], 0, 3, [[0, 1, 1], [1, 3, 1]], id="an empty count without a bucket"),
    ],
)
def test_histogram_old_format_unusual_is_accepted(
    limits: list[float], counts: list[float], low: float, high: float, expected: list[list[float]]
) -> None:
    assert of_limits(limits, counts, low, high) == expected


@pytest.mark.parametrize(
    ("limits", "counts", "low", "high", "reason"),
    [
        ([1, 2], [1, 1], NAN, NAN, NAN_AMONG),
        ([1, 2], [0, 0], NAN, NAN, NAN_AMONG),
        ([1, 2], [1, 1], 0, NAN, NAN_AMONG),
        ([1, 2], [1, 1], -INF, 3, INFINITE_AMONG),
        ([1, 2], [1, 1], 0, INF, INFINITE_AMONG),
        ([1, 2], [0, 0], INF, INF, INFINITE_AMONG),
        ([NAN, 2], [1, 1], 0, 3, "an edge of its buckets is not a number"),
        ([1, NAN], [1, 1], 0, 0, "an edge of its buckets is not a number"),
        ([1, 2], [1, NAN], 0, 3, "a count of its buckets is not a number"),
        ([1, 2], [1, -1], 0, 3, "a count of its buckets is negative"),
        ([1, 2], [1, INF], 0, 3, "a count of its buckets is infinite"),
        ([1, 2], [GREATEST, GREATEST], 0, 3, "a count of its buckets is infinite"),
        ([1, 2], [1, 1, 1], 0, 3, "it has counts without a bucket"),
        ([2], [1], -GREATEST, 1, "its buckets have no end"),
    ],
)
def test_histogram_old_format_invalid_is_refused(
    limits: list[float], counts: list[float], low: float, high: float, reason: str
) -> None:
    with pytest.raises(HistogramError, match=reason):
        of_limits(limits, counts, low, high)


def test_histogram_old_format_infinite_range_without_values_is_empty() -> None:
    assert of_limits([1, 2], [0, 0], INF, -INF, number=0) == NOTHING
    assert of_limits([], [], INF, -INF, number=0) == NOTHING


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        pytest.param([], NOTHING, id="no rows"),
        pytest.param([[0, 0, 0]] * 3, [[0, 0, 0]] * 3, id="TF2, no values"),
        pytest.param([[5, 5, 0], [5, 5, 7]], [[5, 5, 0], [5, 5, 7]], id="TF2, all values equal"),
        pytest.param([[0, 1, 0.5], [1, 3, 2]], [[0, 1, 0.5], [1, 3, 2]], id="parts of values"),
        pytest.param([[0, 1, 1], [2, 3, 1]], [[0, 1, 1], [2, 3, 1]], id="a gap"),
        pytest.param([[1, 0.9, 0], [0.9, 1, 10]], [[0.9, 1, 10]], id="TensorBoard's fast loader, backwards and empty"),
        pytest.param([[0, 1, 2], [3, 1, 4]], [[0, 1, 2], [1, 3, 4]], id="one backwards"),
        pytest.param([[2, 3, 1], [1, 2, 5], [0, 1, 4]], [[0, 1, 4], [1, 2, 5], [2, 3, 1]], id="in descending order"),
        pytest.param([[0, 1, 1], [1 - 1e-9, 2, 1]], [[0, 1, 1], [1, 2, 1]], id="rounded edges"),
        pytest.param([[1, 0, 0], [3, 2, 0]], NOTHING, id="backwards and all empty"),
        pytest.param([[-INF, 1, 2], [1, 2, 3]], [[1, 1, 2], [1, 2, 3]], id="the first has no lower edge"),
        pytest.param([[0, 1, 2], [1, GREATEST, 3]], [[0, 1, 2], [1, 1, 3]], id="the last has no upper edge"),
    ],
)
def test_histogram_valid_tensors_are_accepted(drawn: list[list[float]], expected: list[list[float]]) -> None:
    assert listed(build_bars_from_rows(np.array(drawn, np.float64).reshape(-1, 3))) == expected


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [
        pytest.param([[NAN, NAN, 0]] * 30, NAN_AMONG, id="TF2, a NaN among the values"),
        pytest.param([[0, INF, 9], *[[INF, INF, 0]] * 29], INFINITE_AMONG, id="TF2, an infinite value"),
        pytest.param([[-INF, NAN, 0], [NAN, NAN, 0], [NAN, 2, 0]], INFINITE_AMONG, id="TF2, one below all"),
        pytest.param([[0, INF, 9]], INFINITE_AMONG, id="TF2, an infinite value in one bucket"),
        pytest.param([[-GREATEST, GREATEST, 9]], "its buckets have no end", id="one bucket of everything"),
        pytest.param([[0, 1, 1], [1, 2, NAN]], "a count of its buckets is not a number", id="a count that is NaN"),
        pytest.param([[0, 1, 1], [1, 2, -2]], "a count of its buckets is negative", id="a negative count"),
        pytest.param([[0, 2, 1], [1, 3, 1]], "its buckets overlap", id="overlapping"),
        pytest.param([[0, 9, 1], [2, 3, 1], [8, 10, 1]], "its buckets overlap", id="one in another"),
    ],
)
def test_histogram_invalid_tensors_are_refused(drawn: list[list[float]], reason: str) -> None:
    with pytest.raises(HistogramError, match=reason):
        build_bars_from_rows(np.array(drawn))


def test_histogram_reading_does_not_change_its_input() -> None:
    drawn = np.array([[-INF, 1, 2], [1, 2, 3]])
    before = drawn.copy()
    build_bars_from_rows(drawn)
    assert np.array_equal(drawn, before)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({}, "^an empty value instead of a histogram$"),
        ({"simple_value": 3.0}, "^a single number instead of"),
        ({"image": {"width": 2}}, "^an image instead of"),
        ({"audio": {"sample_rate": 2}}, "^a sound instead of"),
        ({"obsolete_old_style_histogram": b"x"}, "^a histogram of a form that no reader knows"),
        ({"tensor": make_tensor(np.zeros((3, 30)))}, "^a tensor of shape 3x30 instead of"),
        ({"tensor": make_tensor(np.zeros(90))}, "^a tensor of shape \\[90\\] instead of"),
        ({"tensor": make_tensor(np.zeros((1, 3, 1)))}, "^a tensor of shape 1x3x1 instead of"),
        ({"tensor": make_tensor(np.array(1.0))}, "^a single number instead of"),
        ({"tensor": make_tensor(np.array([[b"a", b"b", b"c"]], object))}, "^a tensor without real numbers"),
        ({"tensor": {"dtype": 20}}, "^tensors of type resource cannot be shown"),
    ],
)
def test_histogram_values_of_other_kinds_are_refused(value: dict[str, object], reason: str) -> None:
    with pytest.raises((HistogramError, TensorError), match=reason):
        read_histogram(get_message_class("SummaryValue")(**value))
