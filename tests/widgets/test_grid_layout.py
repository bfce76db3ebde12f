"""Layout of the columns of a table."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.widgets.grid_viewport import (
    EDGE_WIDTH,
    GAP,
    USUAL_WIDTH,
    choose_names_width,
    find_first_showing,
    find_visible_columns,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTHS = st.lists(st.integers(1, 30), min_size=1, max_size=60)
ROOM = st.integers(0, 120)


@pytest.mark.parametrize(
    ("wanted", "width", "given_"),
    [
        pytest.param(12, 95, 12, id="no more than it wants"),
        pytest.param(60, 95, 33, id="a third, and what is left over beside five usual columns"),
        pytest.param(60, 43, 17, id="two columns beside it in a tmux panel"),
        pytest.param(60, 39, 13, id="at 40 columns"),
        pytest.param(200, 200, 42, id="never most of a wide terminal"),
        pytest.param(60, 23, 9, id="a little of a name"),
        pytest.param(60, 16, 2, id="numbers rather than names"),
        pytest.param(60, 5, 0, id="no room"),
        pytest.param(60, 0, 0, id="none at all"),
    ],
)
def test_names_width_is_about_a_third(wanted: int, width: int, given_: int) -> None:
    assert choose_names_width(wanted, width) == given_


@given(st.integers(0, 300), st.integers(0, 300))
def test_names_width_leaves_room_for_another_column(wanted: int, width: int) -> None:
    taken = choose_names_width(wanted, width)
    assert 0 <= taken <= wanted
    assert taken == 0 or taken + GAP + USUAL_WIDTH + EDGE_WIDTH <= width


@given(WIDTHS, ROOM, st.integers(0, 20), st.data())
def test_visible_columns_are_whole_and_inside(widths: Sequence[int], room: int, left: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(widths) - 1))
    places = find_visible_columns(first, len(widths), widths.__getitem__, left, left + room)
    assert [place.index for place in places] == list(range(first, first + len(places)))
    assert all(left <= place.x < place.end <= left + room for place in places)
    assert all(after.x == before.end + GAP for before, after in pairwise(places))
    assert [place.width for place in places[1:]] == [widths[place.index] for place in places[1:]]
    assert bool(places) == (room > 0)
    if places:
        assert places[0].width == min(widths[first], room)
        after = places[-1].index + 1
        assert after == len(widths) or places[-1].end + GAP + widths[after] > left + room  # no other would fit


@given(WIDTHS, st.integers(30, 120), st.data())
def test_first_showing_makes_any_column_visible(widths: Sequence[int], room: int, data: st.DataObject) -> None:
    index, first = (data.draw(st.integers(0, len(widths) - 1)) for _ in range(2))
    shown = find_first_showing(index, first, widths.__getitem__, room)
    in_sight = [place.index for place in find_visible_columns(shown, len(widths), widths.__getitem__, 0, room)]
    assert index in in_sight
    before = [place.index for place in find_visible_columns(first, len(widths), widths.__getitem__, 0, room)]
    if index in before:
        assert shown == first  # what is in sight moves nothing
    elif index < first:
        assert shown == index
    else:
        nearer = [place.index for place in find_visible_columns(shown - 1, len(widths), widths.__getitem__, 0, room)]
        assert index not in nearer


@given(WIDTHS, ROOM)
def test_columns_scrolled_to_the_end_fill_the_room(widths: Sequence[int], room: int) -> None:
    last = len(widths) - 1
    first = find_first_showing(last, 0, widths.__getitem__, room)
    if room:
        assert find_visible_columns(first, len(widths), widths.__getitem__, 0, room)[-1].index == last
    if first:
        assert sum(widths[first - 1 :]) + GAP * (last - first + 1) > room
