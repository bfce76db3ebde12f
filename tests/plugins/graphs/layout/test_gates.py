"""Lines that cross the border of an opened box."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.layout.ports import (
    NO_TENSORS,
    BorderPort,
    TensorSet,
    align_ports,
    collect_tensors,
    is_continued,
    measure_min_breadth,
)

A, B, C = ((number, 0) for number in range(3))

carries = st.none() | st.frozensets(st.sampled_from([A, B, C]), max_size=2)


def gates(*lines: tuple[int, TensorSet]) -> list[BorderPort]:
    return [BorderPort(cell, frozenset(tensors) if tensors is not None else None) for cell, tensors in lines]


def test_gates_carried_tensors_are_known_for_all_lines_or_none() -> None:
    assert collect_tensors([(A, B), (B, C)]) == {A, B, C}
    assert collect_tensors([(A,), ()]) is None
    assert collect_tensors([]) == NO_TENSORS


@pytest.mark.parametrize(
    ("outside", "inside", "expected"),
    [
        (frozenset({A, B}), frozenset({B, C}), True),
        (frozenset({A}), frozenset({B}), False),
        (None, frozenset({B}), True),
        (frozenset({A}), None, True),
        (NO_TENSORS, None, False),
        (None, NO_TENSORS, False),
    ],
)
def test_gates_lines_with_common_tensors_join(outside: TensorSet, inside: TensorSet, expected: bool) -> None:
    assert is_continued(outside, inside) is expected


def test_gates_line_is_placed_at_its_continuation_not_the_nearest_line() -> None:
    inside = gates((4, frozenset({A})), (12, frozenset({B})))
    assert align_ports([frozenset({B})], inside, 20) == [12]
    assert align_ports([frozenset({B}), frozenset({A})], inside, 20) == [12, 4]


def test_gates_line_without_continuation_is_placed_beside_the_others() -> None:
    assert align_ports([frozenset({C})], gates((4, frozenset({A})), (12, frozenset({B}))), 20) == [2]
    assert align_ports([NO_TENSORS], gates((4, None)), 20) == [2]


@given(st.lists(carries, max_size=8), st.lists(carries, min_size=1, max_size=8), st.integers(0, 9))
def test_gates_line_never_meets_a_line_with_other_tensors(
    lines: list[TensorSet], inside: list[TensorSet], more: int
) -> None:
    width = measure_min_breadth(len(lines) + len(inside), 1) + more
    doors = [BorderPort(1 + index, tensors) for index, tensors in enumerate(inside)]
    cells = align_ports(lines, doors, width)
    assert len(set(cells)) == len(cells)
    assert all(0 < cell < width - 1 for cell in cells)
    at = {gate.cell: gate.tensors for gate in doors}
    assert all(is_continued(line, at[cell]) for line, cell in zip(lines, cells, strict=True) if cell in at)
