from __future__ import annotations

from tbtui.charts.cells import FAINT_FROM
from tbtui.view.run_names import RunColours


def test_inks_stay_when_runs_come_and_go() -> None:
    colours = RunColours()
    colours.assign(["b", "a"])
    assert colours.inks == {"b": 0, "a": 1}
    before = colours.inks
    colours.assign(["c", "a", "b"])
    colours.assign(["b"])
    assert colours.inks == {"b": 0, "a": 1, "c": 2}
    assert before == {"b": 0, "a": 1}  # who holds an older view sees no change


def test_a_new_run_wears_what_no_run_beside_it_wears() -> None:
    colours = RunColours({"gone": 0, "a": 1, "also gone": 2})
    colours.assign(["z", "a", "y"])
    assert colours.inks == {"gone": 0, "a": 1, "also gone": 2, "z": 0, "y": 2}


def test_runs_inside_another_run_come_last() -> None:
    colours = RunColours()
    colours.assign(["a", "a/b/trial", "a/trial", "ab/seed0", "b"])
    assert colours.inks == {"a": 0, "ab/seed0": 1, "b": 2, "a/b/trial": 3, "a/trial": 4}


def test_series_inks_never_reach_those_that_mean_something_else() -> None:
    colours = RunColours()
    colours.assign(str(i) for i in range(FAINT_FROM + 2))
    assert colours.inks[str(FAINT_FROM + 1)] == 1
    assert max(colours.inks.values()) == FAINT_FROM - 1


def test_a_colour_chosen_by_hand_is_worn_and_avoided_by_new_runs() -> None:
    colours = RunColours()
    colours.assign(["a", "b", "c"])
    before = colours.inks
    colours.set_inks({"a": 13, "b": 13})
    assert colours.inks == {"a": 13, "b": 13, "c": 2}
    assert before == {"a": 0, "b": 1, "c": 2}
    colours.assign(["a", "b", "c", "d"])
    assert colours.inks["d"] == 0
    colours.set_inks({"c": FAINT_FROM + 5})
    assert colours.inks["c"] == 5


def test_a_theme_of_fewer_colours_repeats_them_with_the_next_marker() -> None:
    colours = RunColours(colours=9)
    colours.assign(f"run{number:02}" for number in range(20))
    inks = list(colours.inks.values())
    assert inks[:9] == list(range(9))
    assert inks[9:11] == [12, 13]
    assert inks[18:] == [24, 25]
    assert colours.inks is colours.inks
    colours.colours = 12
    assert list(colours.inks.values()) == list(range(20)), "runs keep their numbers"


def test_a_colour_chosen_in_a_theme_of_fewer_colours_is_drawn() -> None:
    colours = RunColours({"a": 0, "b": 1}, colours=9)
    colours.set_inks({"a": 15})
    assert colours.inks == {"a": 15, "b": 1}
    assert colours.numbers == {"a": 12, "b": 1}


def test_colours_by_an_attribute_use_those_of_the_theme() -> None:
    colours = RunColours({"a": 0, "b": 1}, colours=9)
    assert colours.assign_inks({"a": 10}, 9) == {"a": 13, "b": 12}


def test_inks_are_provisional_while_runs_are_searched() -> None:
    colours = RunColours({"old": 0})
    colours.assign(["c", "old"], is_searching=True)
    assert colours.numbers == {"old": 0, "c": 1}
    assert colours.final_numbers == {"old": 0}
    colours.assign(["a", "c", "old", "short-lived"], is_searching=True)
    assert colours.numbers == {"old": 0, "a": 1, "c": 2, "short-lived": 3}
    unchanged = colours.numbers
    colours.assign(["a", "c", "old", "short-lived"], is_searching=True)
    assert colours.numbers is unchanged
    colours.set_inks({"c": 5})  # the user's choice is final
    colours.assign(["a", "b", "c", "old"])
    assert colours.numbers == colours.final_numbers == {"old": 0, "a": 1, "b": 2, "c": 5}
    colours.assign(["0", "a", "b", "c", "old"])  # a run that is started later changes no other
    assert colours.numbers == {"old": 0, "a": 1, "b": 2, "c": 5, "0": 3}


def test_each_start_ends_with_the_same_inks() -> None:
    runs = ["a", "a/trial", "b", "b/trial", "c"]
    at_once = RunColours()
    at_once.assign(runs)
    for first in range(len(runs)):
        in_steps = RunColours()
        in_steps.assign(runs[first:], is_searching=True)
        in_steps.assign(runs)
        assert in_steps.numbers == at_once.numbers
