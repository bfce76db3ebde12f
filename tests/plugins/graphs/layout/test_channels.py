"""Lines between two ranks: none lies on another, and few cross."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.layout.routing import MAX_COMPARED_SEGMENTS, ChannelNet, Track, assign_tracks


def uprights(bundle: ChannelNet, lane: Track, rows: int) -> dict[int, set[tuple[int, int]]]:
    """By column: from which half row to which a bundle runs down there, the channel being from -1 to `rows`."""
    last = lane.second_row if lane.second_row >= 0 else lane.row
    found: dict[int, set[tuple[int, int]]] = {}
    for column in bundle.tops:
        found.setdefault(column, set()).add((-1, rows if bundle.is_straight else lane.row))
    for column in bundle.bottoms:
        if not bundle.is_straight:
            found.setdefault(column, set()).add((last, rows))
    if lane.second_row >= 0:
        found.setdefault(lane.column, set()).add((lane.row, lane.second_row))
    return found


def levels(bundle: ChannelNet, lane: Track) -> list[tuple[int, int, int]]:
    """Row, first and last column of what runs level."""
    if bundle.is_straight:
        return []
    if lane.second_row < 0:
        ends = (*bundle.tops, *bundle.bottoms)
        return [(lane.row, min(ends), max(ends))]
    upper, lower = (*bundle.tops, lane.column), (*bundle.bottoms, lane.column)
    return [(lane.row, min(upper), max(upper)), (lane.second_row, min(lower), max(lower))]


def check(bundles: list[ChannelNet]) -> None:
    found, rows = assign_tracks(bundles)
    for (one, a), (other, b) in combinations(zip(bundles, found, strict=True), 2):
        for row, low, high in levels(one, a):
            assert 0 <= row < rows
            for there, first, last in levels(other, b):
                assert row != there or high < first or last < low
        down, there_down = uprights(one, a, rows), uprights(other, b, rows)
        for column in down.keys() & there_down.keys():
            for begin, end in down[column]:
                for start, stop in there_down[column]:
                    assert end < start or stop < begin, (column, bundles, found)


def pins(least: int, most: int) -> st.SearchStrategy[list[ChannelNet]]:
    """Bundles of which no two enter at one column, and no two leave at one."""
    columns = st.permutations(range(3 * most))

    def made(tops: list[int], bottoms: list[int], sizes: list[tuple[int, int]]) -> list[ChannelNet]:
        above, below = iter(tops), iter(bottoms)
        return [
            ChannelNet(tuple(next(above) for _ in range(up)), tuple(next(below) for _ in range(down)))
            for up, down in sizes
        ]

    sizes = st.lists(st.sampled_from([(1, 1), (1, 2), (1, 3), (3, 1)]), min_size=least, max_size=most)
    return st.builds(made, columns, columns, sizes)


@given(pins(0, 8))
def test_channels_lines_do_not_overlap(bundles: list[ChannelNet]) -> None:
    check(bundles)


@given(pins(MAX_COMPARED_SEGMENTS + 1, MAX_COMPARED_SEGMENTS + 12))
def test_channels_many_lines_do_not_overlap(bundles: list[ChannelNet]) -> None:
    check(bundles)


def test_channels_lines_swapping_sides_take_three_rows_and_a_column() -> None:
    found, rows = assign_tracks([ChannelNet((0,), (10,)), ChannelNet((10,), (0,))])
    assert rows == 3
    assert sorted(lane.second_row >= 0 for lane in found) == [False, True]
    check([ChannelNet((0,), (10,)), ChannelNet((10,), (0,))])


def test_channels_lines_in_one_direction_are_staggered_without_crossing() -> None:
    found, rows = assign_tracks([ChannelNet((0,), (10,)), ChannelNet((2,), (12,)), ChannelNet((4,), (14,))])
    assert [lane.row for lane in found] == [2, 1, 0]
    assert rows == 3


def test_channels_disjoint_lines_share_a_row_and_straight_lines_need_none() -> None:
    _, rows = assign_tracks([ChannelNet((0,), (3,)), ChannelNet((5,), (5,)), ChannelNet((9,), (7,))])
    assert rows == 1
    assert assign_tracks([ChannelNet((5,), (5,))]) == ([Track(0)], 0)
    assert assign_tracks([]) == ([], 0)
