"""Layout of cards in a grid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.widgets.card_layout import CardLayout, HeadedLayout


@pytest.mark.parametrize(
    ("width", "height", "count", "columns", "rows", "card_height"),
    [
        pytest.param(93, 37, 33, 2, 3, 12, id="120x40 beside a sidebar"),
        pytest.param(40, 10, 33, 1, 1, 10, id="40x12: one card fills the pane"),
        pytest.param(45, 42, 33, 1, 3, 14, id="tmux panel"),
        pytest.param(80, 21, 33, 2, 2, 10, id="80x24"),
        pytest.param(160, 48, 33, 3, 4, 12, id="wide"),
        pytest.param(40, 17, 33, 1, 1, 17, id="too low for two"),
        pytest.param(20, 3, 33, 1, 1, 3, id="tiny"),
        pytest.param(93, 37, 2, 2, 1, 34, id="two cards share the room, not much taller than they look wide"),
        pytest.param(93, 37, 1, 1, 1, 37, id="one card has it all"),
        pytest.param(93, 37, 3, 2, 2, 18, id="three cards in two rows"),
        pytest.param(93, 37, 0, 1, 1, 37, id="none"),
    ],
)
def test_columns_and_heights(width: int, height: int, count: int, columns: int, rows: int, card_height: int) -> None:
    layout = CardLayout.of(width, height, count)
    assert (layout.columns, layout.visible_rows, layout.card_height) == (columns, rows, card_height)


@pytest.mark.parametrize(
    ("width", "height", "count", "chosen", "columns", "rows", "card_height"),
    [
        pytest.param(160, 57, 33, 4, 4, 5, 11, id="more: lower"),
        pytest.param(160, 57, 33, 6, 6, 6, 9, id="never lower than is legible"),
        pytest.param(160, 57, 33, 1, 1, 2, 28, id="one: higher"),
        pytest.param(160, 57, 2, 5, 2, 1, 57, id="no more than there are"),
        pytest.param(20, 10, 33, 8, 8, 1, 10, id="more than is sensible"),
        pytest.param(5, 10, 33, 8, 5, 1, 10, id="more than there are columns of the terminal"),
    ],
)
def test_heights_follow_chosen_columns(
    width: int, height: int, count: int, chosen: int, columns: int, rows: int, card_height: int
) -> None:
    layout = CardLayout.of(width, height, count, chosen)
    assert (layout.columns, layout.visible_rows, layout.card_height) == (columns, rows, card_height)


@given(
    st.integers(1, 400),
    st.integers(1, 200),
    st.integers(0, 5000),
    st.integers(0, 8),
    st.integers(0, 5000),
    st.integers(0, 5000),
)
def test_every_card_can_be_brought_into_sight_whole_and_hit(
    width: int, height: int, count: int, columns: int, index: int, top: int
) -> None:
    layout = CardLayout.of(width, height, count, columns)
    index, top = min(index, count - 1), min(top, layout.last_top)
    if index < 0:
        assert layout.index_at(0, 0, top) is None
        return
    top = layout.top_showing(index, top)
    assert 0 <= top <= layout.last_top
    assert index in layout.in_sight(top)
    y, x, card_width = layout.locate(index, top)
    assert 0 <= y <= y + layout.card_height <= max(height, 1)
    assert 0 <= x < x + card_width <= width
    corners = [(y, x), (y, x + card_width - 1), (y + layout.card_height - 1, x)]
    assert [layout.index_at(row, column, top) for row, column in corners] == [index] * 3


@given(st.integers(1, 400), st.integers(1, 200), st.integers(1, 300))
def test_the_end_of_the_scroll_shows_whole_cards(width: int, height: int, count: int) -> None:
    layout = CardLayout.of(width, height, count)
    assert layout.virtual_height - height == layout.last_top * layout.card_height
    assert count - 1 in layout.in_sight(layout.last_top)


def test_outside_the_cards_is_no_card() -> None:
    assert CardLayout.of(93, 37, 0).index_at(0, 0, 0) is None
    layout = CardLayout.of(93, 37, 5)
    assert layout.index_at(36, 0, 0) is None
    assert layout.index_at(24, 0, 0) == 4


def test_last_cards_share_the_width_unless_columns_were_chosen() -> None:
    layout = CardLayout.of(93, 37, 5)
    assert layout.locate(4, 0) == (24, 0, 93)
    assert layout.index_at(24, 92, 0) == 4
    chosen = CardLayout.of(93, 37, 5, 2)
    assert chosen.locate(4, 0)[1:] == (0, 46)
    assert chosen.index_at(chosen.locate(4, 0)[0], 50, 0) is None


def test_rows_below_headings_share_the_width_and_begin_at_breaks() -> None:
    layout = HeadedLayout.of(93, 60, [True, False, False, False, True, False], breaks=[3])
    places = [layout.locate(index, 0)[1:] for index in range(6)]
    assert places == [(0, 93), (0, 46), (46, 47), (0, 93), (0, 93), (0, 93)]
    assert [layout.line_of(index) for index in range(6)] == [0, 1, 1, 2, 3, 4]
    assert layout.index_at(layout.locate(3, 0)[0], 92, 0) == 3


@pytest.mark.parametrize(
    ("width", "height", "count", "columns", "rows", "card_height"),
    [
        pytest.param(93, 37, 60, 3, 6, 6, id="120x40 beside a sidebar: eighteen"),
        pytest.param(118, 37, 60, 4, 6, 6, id="120x40 without one"),
        pytest.param(45, 42, 60, 1, 7, 6, id="tmux panel"),
        pytest.param(40, 10, 60, 1, 1, 10, id="40x12"),
        pytest.param(93, 37, 7, 3, 3, 12, id="few are no higher than usual"),
        pytest.param(93, 37, 12, 3, 4, 9, id="they share the room"),
        pytest.param(93, 37, 0, 1, 3, 12, id="none"),
        pytest.param(5, 3, 9, 1, 1, 3, id="tiny"),
    ],
)
def test_the_overview_has_as_many_cards_as_can_be(
    width: int, height: int, count: int, columns: int, rows: int, card_height: int
) -> None:
    layout = CardLayout.of(width, height, count, overview=True)
    assert (layout.columns, layout.visible_rows, layout.card_height) == (columns, rows, card_height)
    assert rows * card_height <= height


SHAPES = st.lists(st.booleans(), min_size=1, max_size=30)


@given(st.integers(1, 300), st.integers(1, 80), SHAPES, st.integers(0, 8), st.data())
def test_every_card_below_a_heading_can_be_brought_into_sight_whole_and_hit(
    width: int, height: int, headings: list[bool], columns: int, data: st.DataObject
) -> None:
    layout = HeadedLayout.of(width, height, headings, columns)
    index = data.draw(st.integers(0, len(headings) - 1))
    top = layout.top_showing(index, data.draw(st.integers(0, layout.last_top)))
    assert 0 <= top <= layout.last_top
    assert index in layout.in_sight(top)
    y, x, card_width = layout.locate(index, top)
    assert y >= 0
    assert y + layout.height_of(index) <= height
    assert x >= 0
    assert x + card_width <= width
    assert layout.height_of(index) == (1 if headings[index] else layout.card_height)
    if card_width:
        assert layout.index_at(y, x, top) == index
        assert layout.index_at(y + layout.height_of(index) - 1, x + card_width - 1, top) == index
    assert layout.top_at(layout.offset_of(top)) == top


@given(st.integers(1, 300), st.integers(1, 80), SHAPES, st.data())
def test_cards_below_headings_do_not_overlap(
    width: int, height: int, headings: list[bool], data: st.DataObject
) -> None:
    layout = HeadedLayout.of(width, height, headings)
    top = data.draw(st.integers(0, layout.last_top))
    taken: set[tuple[int, int]] = set()
    for index in layout.in_sight(top):
        y, x, card_width = layout.locate(index, top)
        cells = {(row, x) for row in range(y, y + layout.height_of(index))} if card_width else set()
        assert not cells & taken
        taken |= cells


def test_heading_has_a_line_and_begins_a_row_of_cards() -> None:
    layout = HeadedLayout.of(93, 37, [True, False, False, False, True, False])
    assert [layout.locate(index, 0)[:2] for index in layout.in_sight(0)] == [
        *((0, 0), (1, 0), (1, 46), (12, 0)),
        *((23, 0), (24, 0)),
    ]
    assert layout.card_height == 11


def test_card_that_comes_into_sight_brings_its_heading() -> None:
    layout = HeadedLayout.of(40, 12, [True, False, True, False])
    assert layout.top_showing(1, 3) == 0
    assert layout.top_showing(3, 0) == 2


def test_rows_above_and_below_keep_the_column_across_a_heading() -> None:
    layout = HeadedLayout.of(93, 37, [True, False, False, True, False, False])
    assert layout.neighbour(2, 1) == 3
    assert layout.neighbour(2, 2) == 5
    assert layout.neighbour(5, -1) == 3
    assert layout.neighbour(5, 1) is None
