"""Columns that the user moves, pins and hides."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.settings.column_choice import CHOICE_KIND, NO_CHOICE, ColumnChoice
from tbtui.settings.kinds import to_json
from tests.helpers.property_examples import examples

USUAL, ASIDE = ("a", "b", "c", "d"), ("x", "y")


def shown(choice: ColumnChoice) -> str:
    return "".join(choice.arrange(USUAL, ASIDE))


def moved(choice: ColumnChoice, key: str, by: int) -> ColumnChoice:
    return choice.with_moved(key, by, choice.arrange(USUAL, ASIDE))


def test_arrange_without_a_choice_shows_the_usual_columns() -> None:
    assert shown(NO_CHOICE) == "abcd"
    assert shown(NO_CHOICE.with_all_switched()) == "abcdxy"


def test_moved_column_takes_the_place_of_its_neighbour() -> None:
    choice = moved(NO_CHOICE, "c", -1)
    assert shown(choice) == "acbd"
    assert choice.first == ("a", "c", "b")
    assert shown(moved(choice, "c", 1)) == "abcd"
    assert shown(moved(choice, "d", 9)) == "acbd"


def test_moved_column_leaves_later_ones_in_the_order_of_the_table() -> None:
    choice = moved(NO_CHOICE, "b", -1)
    assert choice.first == ("b", "a")
    assert "".join(choice.arrange(("a", "b", "d", "c"))) == "badc"


def test_pinned_column_is_first_and_moves_among_the_pinned_ones() -> None:
    choice = NO_CHOICE.with_pin_switched("c").with_pin_switched("b")
    assert shown(choice) == "cbad"
    assert shown(moved(choice, "b", -1)) == "bcad"
    assert shown(moved(choice, "b", 1)) == "cbad"
    assert shown(moved(choice, "a", -1)) == "cbad"
    assert shown(choice.with_pin_switched("c")) == "bacd"


def test_hidden_column_comes_back_where_all_are_shown() -> None:
    choice = NO_CHOICE.with_pin_switched("b").with_hidden_switched("b")
    assert shown(choice) == "acd"
    everything = choice.with_all_switched()
    assert shown(everything) == "abcdxy"
    back = everything.with_hidden_switched("b", ASIDE).with_hidden_switched("x", ASIDE).with_all_switched()
    assert shown(back) == "abcdx"
    assert shown(back.with_hidden_switched("x", ASIDE)) == "abcd"


STEPS = st.tuples(st.sampled_from(["move", "pin", "hide", "all"]), st.sampled_from("abcdxy"), st.integers(-2, 2))


@settings(max_examples=examples(100))
@given(st.lists(STEPS, max_size=12))
def test_choice_keeps_its_columns_and_is_read_back(steps: list[tuple[str, str, int]]) -> None:
    choice = NO_CHOICE
    for what, key, by in steps:
        keys = choice.arrange(USUAL, ASIDE)
        if what == "move":
            choice = choice.with_moved(key, by, keys)
            assert sorted(choice.arrange(USUAL, ASIDE)) == sorted(keys)
        elif what == "pin":
            choice = choice.with_pin_switched(key)
        elif what == "hide":
            choice = choice.with_hidden_switched(key, ASIDE)
        else:
            choice = choice.with_all_switched()
        keys = choice.arrange(USUAL, ASIDE)
        assert len(set(keys)) == len(keys)
        pinned = [key for key in keys if key in choice.pinned]
        assert list(keys[: len(pinned)]) == pinned
    assert set(choice.with_all_switched().arrange(USUAL, ASIDE)) | set(choice.arrange(USUAL, ASIDE)) == {*"abcdxy"}
    assert CHOICE_KIND.read(to_json(choice)) == choice
