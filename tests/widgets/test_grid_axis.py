"""Cursor and first visible key while rows or columns change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.widgets.grid_viewport import GridAxis


def axis(keys: str, cursor: int | None = None, first: int = 0) -> GridAxis:
    made = GridAxis()
    made.replace(tuple(keys), 0)
    if cursor is not None:
        made.choose(cursor)
        made.first = first
    return made


def test_axis_untouched_stays_at_the_first_key() -> None:
    made = axis("cd")
    made.replace(tuple("abcd"), 2)
    assert (made.key, made.first) == ("a", 0)


@pytest.mark.parametrize(
    ("later", "cursor", "first"),
    [
        pytest.param("xyabcdefgh", "e", 5, id="others before it"),
        pytest.param("bcdefgh", "e", 2, id="one before it goes"),
        pytest.param("hgfedcba", "e", 2, id="another order: it keeps its line"),
        pytest.param("abcdfgh", "f", 3, id="it goes: the next in its line"),
        pytest.param("ea", "e", 0, id="it stands where there is no line above"),
        pytest.param("ab", "b", 0, id="it and all behind it go"),
        pytest.param("", None, 0, id="all go"),
    ],
)
def test_axis_visible_cursor_keeps_its_line(later: str, cursor: str | None, first: int) -> None:
    made = axis("abcdefgh", cursor=4, first=3)
    made.replace(tuple(later), 4)
    assert (made.key, made.first) == (cursor, first)


@pytest.mark.parametrize(
    ("later", "first"),
    [
        pytest.param("xabcdefgh", 6, id="others before it"),
        pytest.param("abcdegh", 5, id="the first in sight goes: the next"),
        pytest.param("abcde", 4, id="all in sight go"),
    ],
)
def test_axis_with_hidden_cursor_keeps_its_first_key(later: str, first: int) -> None:
    made = axis("abcdefgh", cursor=0, first=5)
    made.replace(tuple(later), 3)
    assert (made.key, made.first) == ("a", first)


@given(st.sets(st.sampled_from("abcdefgh")), st.sets(st.sampled_from("abcdefgh")), st.integers(0, 9), st.integers(0, 9))
def test_axis_cursor_and_first_stay_among_the_keys(before: set[str], after: set[str], cursor: int, first: int) -> None:
    made = axis("".join(sorted(before)), cursor, min(first, max(len(before) - 1, 0)))
    made.replace(tuple(sorted(after)), 3)
    assert 0 <= made.cursor < max(len(after), 1)
    assert 0 <= made.first < max(len(after), 1)
    assert made.key is None or made.key in after
