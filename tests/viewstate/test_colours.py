from __future__ import annotations

from tbtui.charts.cells import FAINT_FROM
from tbtui.viewstate.colours import RunColours


def test_inks_follow_first_appearance_and_stay_when_runs_come_and_go() -> None:
    colours = RunColours()
    colours.see(["b", "a"])
    assert colours.inks == {"b": 0, "a": 1}
    before = colours.inks
    colours.see(["c", "a"])
    colours.see(["b"])
    assert colours.inks == {"b": 0, "a": 1, "c": 2}
    assert before == {"b": 0, "a": 1}  # who holds an older view sees no change


def test_inks_of_an_earlier_session_are_kept() -> None:
    colours = RunColours({"a": 5})
    colours.see(["z", "a"])
    assert colours.inks == {"a": 5, "z": 6}


def test_series_inks_never_reach_those_that_mean_something_else() -> None:
    colours = RunColours()
    colours.see(str(i) for i in range(FAINT_FROM + 2))
    assert colours.inks[str(FAINT_FROM + 1)] == 1
    assert max(colours.inks.values()) == FAINT_FROM - 1
