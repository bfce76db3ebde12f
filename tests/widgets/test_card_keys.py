"""Focus and marks of cards that come and go."""

from __future__ import annotations

import pytest

from tbtui.widgets.card_keys import CardKeys


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
