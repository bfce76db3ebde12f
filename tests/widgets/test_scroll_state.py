"""Cursor and scroll position of a list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.widgets.scroll_state import ScrollState

SIZES = st.integers(0, 30)


def scroll(cursor: int = 0, first: int = 0, *, count: int = 20, height: int = 5) -> ScrollState:
    return ScrollState(count, height, cursor, first)


@pytest.mark.parametrize(
    ("index", "cursor", "first"),
    [(3, 3, 3), (6, 6, 4), (9, 9, 5), (-1, 19, 15), (99, 19, 15), (0, 0, 0)],
)
def test_move_scrolls_as_little_as_possible(index: int, cursor: int, first: int) -> None:
    moved = scroll(cursor=5, first=4).with_cursor(index)
    assert (moved.cursor, moved.first) == (cursor, first)


@pytest.mark.parametrize(("first", "expected"), [(-3, 0), (7, 7), (15, 15), (40, 15)])
def test_scroll_stays_within_limits_and_keeps_the_cursor(first: int, expected: int) -> None:
    scrolled = scroll(cursor=2).with_top(first)
    assert (scrolled.cursor, scrolled.first) == (2, expected)


def test_cursor_line_is_none_out_of_view() -> None:
    assert [scroll(cursor=cursor, first=4).cursor_line for cursor in (3, 4, 8, 9)] == [None, 0, 4, None]


def test_index_at_is_none_below_the_last_line() -> None:
    state = scroll(count=3)
    assert [state.index_at(line) for line in (-1, 0, 2, 3)] == [None, 0, 2, None]


def test_resize_keeps_the_cursor_visible_on_request() -> None:
    state = scroll(cursor=8, first=4)
    assert state.with_height(2, keep_cursor=True).first == 7
    assert state.with_height(2, keep_cursor=False).first == 4
    assert state.with_height(30, keep_cursor=True).first == 0


def test_page_keeps_one_line_and_moves_at_least_one() -> None:
    assert [scroll(height=height).page for height in (0, 1, 2, 5)] == [1, 1, 1, 4]


@given(SIZES, SIZES, SIZES, st.integers(-1, 40), SIZES)
def test_moved_cursor_is_always_visible(count: int, height: int, first: int, index: int, later: int) -> None:
    moved = ScrollState(count, height, 0, first).with_cursor(index)
    assert 0 <= moved.first <= max(count - height, 0)
    assert (moved.cursor_line is not None) == (count > 0 and height > 0)
    assert (moved.with_height(later, keep_cursor=True).cursor_line is not None) == (count > 0 and later > 0)
