"""Focus and marks of cards that come and go."""

from __future__ import annotations

import pytest

from tbtui.view.card_groups import CardGroup, GroupedCards
from tbtui.widgets.card_keys import MIN_HEADINGS_HEIGHT, CardHeadings, CardKeys


def cards(keys: str, chosen: int | None = None) -> CardKeys:
    made = CardKeys()
    made.replace(tuple(keys))
    if chosen is not None:
        made.choose(chosen)
    return made


def test_without_cards_nothing_is_focused() -> None:
    made = CardKeys()
    made.choose(3)
    assert (made.focused, len(made), made.touched) == (None, 0, False)


def test_until_the_user_moves_the_focus_is_on_the_first() -> None:
    made = cards("cd")
    made.replace(tuple("abcd"))
    assert made.focused == "a"


@pytest.mark.parametrize(("index", "focused"), [(0, "a"), (2, "c"), (99, "c"), (-5, "a")])
def test_a_choice_beyond_the_ends_is_the_last_there(index: int, focused: str) -> None:
    assert cards("abc", index).focused == focused


@pytest.mark.parametrize(
    ("later", "focused"),
    [
        pytest.param("xabcd", "b", id="cards before it"),
        pytest.param("bz", "b", id="cards around it go"),
        pytest.param("acd", "c", id="it goes: the next stands in its place"),
        pytest.param("a", "a", id="it and all behind it go"),
        pytest.param("", None, id="all go"),
    ],
)
def test_the_focus_is_kept_by_key(later: str, focused: str | None) -> None:
    made = cards("abcd", 1)
    made.replace(tuple(later))
    assert made.focused == focused


def test_a_card_that_comes_back_has_its_focus_again() -> None:
    made = cards("abcd", 2)
    for keys in ("ab", "", "abcd"):
        made.replace(tuple(keys))
    assert made.focused == "c"
    assert "c" in made
    assert made.index_of("c") == made.index == 2


def test_a_neighbour_that_has_taken_the_focus_keeps_it_wherever_it_goes() -> None:
    made = cards("abcd", 1)
    made.replace(tuple("acd"))
    assert made.focused == "c"
    made.replace(tuple("xyacd"))
    assert made.focused == "c"
    made.replace(tuple("xybacd"))
    assert made.focused == "b"


def test_a_card_that_is_expected_has_the_focus_when_it_comes() -> None:
    made = cards("abcd")
    made.expect("x")
    made.replace(tuple("abcde"))
    assert made.focused == "a"
    made.replace(tuple("abxcd"))
    assert made.focused == "x"


def test_marks_are_kept_by_key_and_told_in_order() -> None:
    made = cards("abcd", 2)
    made.mark()
    made.choose(0)
    made.mark()
    assert made.marked == ("a", "c")
    made.replace(tuple("cb"))
    assert made.marked == ("c",)
    made.choose(0)
    made.mark()
    assert not made.is_marked("c")
    made.unmark()
    made.replace(tuple("abcd"))
    assert made.marked == ()


KEYS = ("open", "a", "b", "folded")
GROUPED = GroupedCards(KEYS, {"open": CardGroup("open", 2), "folded": CardGroup("folded", 3, is_folded=True)})


def group_headings(height: int = MIN_HEADINGS_HEIGHT) -> CardHeadings:
    """Return the headings of two groups of cards in a grid."""
    headings = CardHeadings()
    headings.replace(("a", "b"), (), GROUPED)
    headings.fit_to(height)
    return headings


def test_headings_of_groups_need_a_high_grid() -> None:
    assert group_headings().card_keys == KEYS
    low = group_headings(MIN_HEADINGS_HEIGHT - 1)
    assert (low.card_keys, tuple(low.keys)) == (("a", "b"), ())
    low.fit_to(0)  # a hidden grid has the height that it had
    assert low.card_keys == ("a", "b")


def test_headings_without_cards_are_shown_in_a_low_grid() -> None:
    headings = CardHeadings()
    headings.replace((), (), GROUPED)
    headings.fit_to(1)
    assert headings.card_keys == KEYS


@pytest.mark.parametrize(
    ("index", "step", "stop"), [(0, 1, 1), (0, -1, 2), (1, -1, 1), (3, 1, 3), (-1, -1, 2), (4, 1, 4)]
)
def test_keys_stop_at_cards_and_folded_groups(index: int, step: int, stop: int) -> None:
    assert group_headings().find_stop(KEYS, index, step, focused=2) == stop


@pytest.mark.parametrize(("index", "step", "card"), [(0, 1, 1), (3, -1, 2), (3, 1, None), (0, -1, None)])
def test_open_cards_are_turned_over_headings(index: int, step: int, card: int | None) -> None:
    assert group_headings().find_card(KEYS, index, step) == card


def test_heading_above_a_card_is_that_of_its_group() -> None:
    headings = group_headings()
    assert [headings.find_heading(KEYS, index) for index in range(4)] == [0, 0, 0, 3]
    assert headings.find_heading(("a", "b"), 1) is None
