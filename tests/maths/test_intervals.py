from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths.intervals import assign_lanes, compute_exclusive_times, merge, nest, sum_covered_between, sum_lengths
from tbtui.maths.level_of_detail import DetailRow

INTERVALS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), min_size=1, max_size=40)


def arrays(found: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.array([start for start, _ in found], float)
    ends = starts + np.array([length for _, length in found], float)
    order = np.lexsort((-ends, starts))
    return starts[order], ends[order]


def slots(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return how many intervals cover each unit of time."""
    edges = np.arange(100)
    return ((starts[:, None] <= edges) & (ends[:, None] > edges)).sum(axis=0)


@given(INTERVALS)
def test_merge_covers_what_the_intervals_cover(found: list[tuple[int, int]]) -> None:
    starts, ends = arrays(found)
    merged = merge(starts, ends)
    assert sum_lengths(merged) == (slots(starts, ends) > 0).sum()
    assert sum_covered_between(merged, np.array([7.0]), np.array([31.0]))[0] == (slots(starts, ends) > 0)[7:31].sum()


@given(INTERVALS)
def test_own_times_add_up_to_the_union(found: list[tuple[int, int]]) -> None:
    starts, ends = arrays(found)
    nesting = nest(starts, ends)
    assert nesting.self_times.min() >= 0
    assert nesting.self_times.sum() == pytest.approx(sum_lengths(merge(starts, ends)))
    inside = nesting.parents >= 0
    assert (starts[inside] >= starts[nesting.parents[inside]]).all()
    assert (nesting.depths[inside] >= 1).all()


@given(INTERVALS, INTERVALS)
def test_exclusive_times_add_up_and_the_first_class_wins(
    first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    one, other = arrays(first), arrays(second)
    times = compute_exclusive_times([merge(*one), merge(*other)], np.array([10.0]), np.array([50.0]))
    busy, also = slots(*one)[10:50] > 0, slots(*other)[10:50] > 0
    assert times[0].tolist() == [busy.sum(), (also & ~busy).sum(), (~busy & ~also).sum()]


@given(INTERVALS)
def test_intervals_of_one_lane_do_not_overlap(found: list[tuple[int, int]]) -> None:
    starts, ends = arrays(found)
    numbers = assign_lanes(starts, ends)
    for lane in range(int(numbers.max()) + 1):
        own = numbers == lane
        assert (starts[own][1:] >= ends[own][:-1]).all()


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=300), st.integers(1, 40))
def test_columns_have_exact_shares_and_the_longest_interval(steps: list[tuple[int, int]], count: int) -> None:
    starts, ends, time = [], [], 0
    for length, gap in steps:
        starts.append(time)
        ends.append(time + length)
        time += length + gap
    begin, finish = np.array(starts, float), np.array(ends, float)
    row = DetailRow.build(begin, finish, np.arange(len(begin)))
    edges = np.linspace(-3, time + 3, count + 1)
    shares, tops = row.columns(edges)
    for column in range(count):
        low, high = edges[column], edges[column + 1]
        overlap = np.clip(np.minimum(finish, high) - np.maximum(begin, low), 0, None)
        assert shares[column] == pytest.approx(overlap.sum() / (high - low))
        inside = np.flatnonzero((begin < high) & (finish > low))
        assert (tops[column] >= 0) == bool(len(inside))
        if len(inside):
            assert (finish - begin)[tops[column]] == (finish - begin)[inside].max()


def test_nearest_interval_is_found() -> None:
    row = DetailRow.build(np.array([0.0, 10.0]), np.array([2.0, 12.0]), np.arange(2))
    assert [row.at(time) for time in (-5, 1, 4, 7, 11, 90)] == [0, 0, 0, 1, 1, 1]
