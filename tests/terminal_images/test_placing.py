"""From what is on the screen to what is to be there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tbtui.terminal_images.encode import Area, Moves, Placed, moves

LEFT, RIGHT = Area(2, 0, 5, 10), Area(2, 12, 5, 10)


def test_what_stays_is_left_alone() -> None:
    there = [Placed("a", LEFT), Placed("b", RIGHT)]
    assert moves(there, there) == Moves((), ())
    assert moves(there, reversed(there)) == Moves((), ())


def test_what_comes_is_drawn_and_what_goes_is_taken_away() -> None:
    assert moves([], [Placed("a", LEFT)]) == Moves((), (Placed("a", LEFT),))
    assert moves([Placed("a", LEFT)], []) == Moves((Placed("a", LEFT),), ())


def test_another_picture_at_a_place_and_a_picture_at_another_place_are_both() -> None:
    assert moves([Placed("a", LEFT)], [Placed("b", LEFT)]) == Moves((Placed("a", LEFT),), (Placed("b", LEFT),))
    assert moves([Placed("a", LEFT)], [Placed("a", RIGHT)]) == Moves((Placed("a", LEFT),), (Placed("a", RIGHT),))


def test_what_text_was_drawn_over_is_drawn_again() -> None:
    there = [Placed("a", LEFT), Placed("b", RIGHT)]
    assert moves(there, there, [Area(4, 20, 1, 1)]) == Moves((), (Placed("b", RIGHT),))
    assert moves(there, there, [Area(7, 0, 3, 80), Area(2, 10, 5, 2)]) == Moves((), ()), "beside and below"


def test_what_stood_partly_where_another_is_taken_away_is_drawn_again() -> None:
    over = Area(6, 5, 3, 10)
    there = [Placed("a", LEFT), Placed("b", RIGHT), Placed("c", over)]
    assert moves(there, there[:2]) == Moves((Placed("c", over),), (Placed("a", LEFT), Placed("b", RIGHT)))


AREAS = st.builds(Area, *[st.integers(0, 6)] * 2, *[st.integers(1, 4)] * 2)
PLACED = st.lists(st.builds(Placed, st.sampled_from("abc"), AREAS), max_size=5, unique=True)


@given(PLACED, PLACED, st.lists(AREAS, max_size=2))
def test_the_screen_is_afterwards_as_it_is_to_be(
    before: list[Placed], after: list[Placed], painted: list[Area]
) -> None:
    found = moves(before, after, painted)
    assert set(before) - set(found.gone) | set(found.come) == set(after)
    assert set(found.come) <= set(after)
    assert set(found.gone).isdisjoint(after)


@given(AREAS, AREAS)
def test_areas_meet_where_they_have_a_cell_in_common(one: Area, other: Area) -> None:
    def cells(area: Area) -> set[tuple[int, int]]:
        return {
            (row, column)
            for row in range(area.row, area.row + area.rows)
            for column in range(area.column, area.column + area.columns)
        }

    assert one.meets(other) == other.meets(one) == bool(cells(one) & cells(other))
