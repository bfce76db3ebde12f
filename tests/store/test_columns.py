from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.store.columns import Columns

DTYPES = (np.int64, np.float64)


def columns_of(count: int, batch: int = 1) -> Columns:
    columns = Columns(DTYPES)
    for start in range(0, count, batch):
        steps = np.arange(start, min(start + batch, count))
        columns.append(steps, steps / 2)
    return columns


def test_begins_empty_with_typed_views() -> None:
    columns = Columns(DTYPES)
    steps, values = columns.create_views()
    assert len(columns) == len(steps) == len(values) == 0
    assert (steps.dtype, values.dtype) == DTYPES


@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=200), max_size=30))
def test_keeps_every_batch_in_order(batches: list[list[int]]) -> None:
    columns = Columns(DTYPES)
    for batch in batches:
        columns.append(np.array(batch, np.int64), np.array(batch, np.float64))
    steps, values = columns.create_views()
    expected = [step for batch in batches for step in batch]
    assert steps.tolist() == expected
    assert values.tolist() == [float(step) for step in expected]


@given(st.lists(st.integers(1, 500), min_size=2, max_size=20))
def test_an_old_view_never_changes(sizes: list[int]) -> None:
    columns = Columns(DTYPES)
    taken = []
    for size in sizes:
        start = len(columns)
        columns.append(np.arange(start, start + size), np.zeros(size))
        taken.append(columns.create_views()[0])
    for view in taken:
        assert view.tolist() == list(range(len(view)))


def test_views_cannot_be_written() -> None:
    (steps, _) = columns_of(3).create_views()
    with pytest.raises(ValueError, match="read-only"):
        steps[0] = 1


@pytest.mark.parametrize("batch", [1, 7, 400])
def test_capacity_grows_by_an_eighth(batch: int) -> None:
    columns = columns_of(20_000, batch)
    assert columns.capacity <= 20_000 * 9 / 8 + batch


def test_the_first_points_get_exactly_their_room() -> None:
    assert columns_of(3, batch=3).capacity == 3


def test_growing_point_by_point_copies_seldom() -> None:
    columns = Columns(DTYPES)
    capacities = set()
    for step in range(1_000):
        columns.append(np.array([step]), np.array([0.0]))
        capacities.add(columns.capacity)
    assert len(capacities) < 20


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        Columns(DTYPES).append(np.arange(3), np.zeros(2))


def test_reserved_space_is_filled_without_a_copy() -> None:
    columns = columns_of(3)
    columns.reserve(1_000)
    room = columns.create_views()[0].base
    for start in range(3, 1_003, 10):
        steps = np.arange(start, start + 10)
        columns.append(steps, steps / 2)
    assert columns.create_views()[0].base is room
    assert columns.create_views()[0].tolist() == list(range(1_003))


def test_columns_growth_reserves_expected_points() -> None:
    columns = Columns([np.int64])
    columns.append(np.arange(10), following=50)
    assert columns.capacity == 60
    room = columns.create_views()[0].base
    columns.append(np.arange(20), following=1000)
    columns.append(np.arange(30), following=1000)
    assert columns.create_views()[0].base is room
    assert columns.create_views()[0].tolist() == [*range(10), *range(20), *range(30)]


def test_columns_reserve_is_limited_by_the_points_so_far() -> None:
    columns = Columns([np.int64])
    columns.append(np.arange(10), following=10**9)
    assert columns.capacity == 80


def test_append_negative_following_counts_as_zero() -> None:
    columns = Columns([np.int64])
    columns.append(np.arange(10), following=-3)
    columns.append(np.arange(10), following=-(10**9))
    assert columns.create_views()[0].tolist() == [*range(10), *range(10)]


def test_reserve_existing_space_copies_nothing() -> None:
    columns = columns_of(3)
    columns.reserve(1_000)
    capacity = columns.capacity
    columns.reserve(500)
    assert columns.capacity == capacity
