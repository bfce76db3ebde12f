"""From what is on the screen to what is to be there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tbtui.terminal_images.encode import Area, PlacedImage, PlacementDiff, diff_placements

LEFT, RIGHT = Area(2, 0, 5, 10), Area(2, 12, 5, 10)


def test_what_stays_is_left_alone() -> None:
    there = [PlacedImage("a", LEFT), PlacedImage("b", RIGHT)]
    assert diff_placements(there, there) == PlacementDiff((), ())
    assert diff_placements(there, reversed(there)) == PlacementDiff((), ())


def test_what_comes_is_drawn_and_what_goes_is_taken_away() -> None:
    assert diff_placements([], [PlacedImage("a", LEFT)]) == PlacementDiff((), (PlacedImage("a", LEFT),))
    assert diff_placements([PlacedImage("a", LEFT)], []) == PlacementDiff((PlacedImage("a", LEFT),), ())


def test_diff_placements_new_image_or_new_place_is_removed_and_added() -> None:
    assert diff_placements([PlacedImage("a", LEFT)], [PlacedImage("b", LEFT)]) == PlacementDiff(
        (PlacedImage("a", LEFT),), (PlacedImage("b", LEFT),)
    )
    assert diff_placements([PlacedImage("a", LEFT)], [PlacedImage("a", RIGHT)]) == PlacementDiff(
        (PlacedImage("a", LEFT),), (PlacedImage("a", RIGHT),)
    )


def test_what_text_was_drawn_over_is_drawn_again() -> None:
    there = [PlacedImage("a", LEFT), PlacedImage("b", RIGHT)]
    assert diff_placements(there, there, [Area(4, 20, 1, 1)]) == PlacementDiff((), (PlacedImage("b", RIGHT),))
    assert diff_placements(there, there, [Area(7, 0, 3, 80), Area(2, 10, 5, 2)]) == PlacementDiff((), ()), (
        "beside and below"
    )


def test_diff_placements_overlapped_image_is_drawn_again() -> None:
    over = Area(6, 5, 3, 10)
    there = [PlacedImage("a", LEFT), PlacedImage("b", RIGHT), PlacedImage("c", over)]
    assert diff_placements(there, there[:2]) == PlacementDiff(
        (PlacedImage("c", over),), (PlacedImage("a", LEFT), PlacedImage("b", RIGHT))
    )


AREAS = st.builds(Area, *[st.integers(0, 6)] * 2, *[st.integers(1, 4)] * 2)
PLACED = st.lists(st.builds(PlacedImage, st.sampled_from("abc"), AREAS), max_size=5, unique=True)


@given(PLACED, PLACED, st.lists(AREAS, max_size=2))
def test_the_screen_is_afterwards_as_it_is_to_be(
    before: list[PlacedImage], after: list[PlacedImage], painted: list[Area]
) -> None:
    found = diff_placements(before, after, painted)
    assert set(before) - set(found.removed) | set(found.added) == set(after)
    assert set(found.added) <= set(after)
    assert set(found.removed).isdisjoint(after)


@given(AREAS, AREAS)
def test_areas_meet_where_they_have_a_cell_in_common(one: Area, other: Area) -> None:
    def cells(area: Area) -> set[tuple[int, int]]:
        return {
            (row, column)
            for row in range(area.row, area.row + area.rows)
            for column in range(area.column, area.column + area.columns)
        }

    assert one.is_overlapping(other) == other.is_overlapping(one) == bool(cells(one) & cells(other))
