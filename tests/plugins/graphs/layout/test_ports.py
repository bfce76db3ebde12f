"""Where lines begin along the border of a box."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.layout.ports import MAX_SEPARATE_PORTS, measure_min_breadth, spread_ports
from tbtui.plugins.graphs.layout.ports import match_ports as inner_ports


@given(st.integers(1, MAX_SEPARATE_PORTS), st.integers(0, 40), st.sampled_from([1, 2]), st.data())
def test_ports_each_line_has_its_own_cell_between_the_corners(
    count: int, more: int, pitch: int, data: st.DataObject
) -> None:
    width = max(measure_min_breadth(count, pitch), 3) + more
    main = data.draw(st.none() | st.integers(0, count - 1))
    cells = spread_ports(count, width, main)
    assert sorted(set(cells)) == cells
    assert cells[0] >= 1
    assert cells[-1] <= width - 2


@pytest.mark.parametrize(
    ("count", "width", "main", "expected"),
    [
        (1, 11, None, [5]),
        (2, 11, None, [3, 7]),
        (3, 11, None, [1, 5, 9]),
        (2, 11, 0, [5, 9]),
        (2, 11, 1, [1, 5]),
        (3, 15, 1, [3, 7, 11]),
        (1, 1, None, [0]),
        (0, 9, None, []),
    ],
)
def test_ports_are_centred(count: int, width: int, main: int | None, expected: list[int]) -> None:
    assert spread_ports(count, width, main) == expected


def test_ports_too_many_lines_share_cells_inside_the_box() -> None:
    cells = spread_ports(100, 9)
    assert len(cells) == 100
    assert set(cells) <= set(range(1, 8))


def test_ports_outer_lines_align_with_inner_lines() -> None:
    assert inner_ports(2, (4, 9), 20) == [4, 9]
    assert inner_ports(1, (4, 9), 20) == [4]
    assert inner_ports(3, (4, 9), 20) == [4, 7, 9]
    assert inner_ports(2, (), 11) == [3, 7]
