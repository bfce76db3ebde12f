from __future__ import annotations

from typing import TYPE_CHECKING

from made_up import run

from tbtui.charts.cells import FAINT_FROM
from tbtui.viewstate.colours import RunColours

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot


def runs(*names: str) -> list[RunSnapshot]:
    return [run(name, {"loss": (2.0, 1.0)}) for name in names]


def test_inks_stay_when_runs_come_and_go() -> None:
    colours = RunColours()
    colours.see(runs("b", "a"))
    assert colours.inks == {"b": 0, "a": 1}
    before = colours.inks
    colours.see(runs("c", "a", "b"))
    colours.see(runs("b"))
    assert colours.inks == {"b": 0, "a": 1, "c": 2}
    assert before == {"b": 0, "a": 1}  # who holds an older view sees no change


def test_a_new_run_wears_what_no_run_beside_it_wears() -> None:
    colours = RunColours({"gone": 0, "a": 1, "also gone": 2})
    colours.see(runs("z", "a", "y"))
    assert colours.inks == {"gone": 0, "a": 1, "also gone": 2, "z": 0, "y": 2}


def test_runs_that_draw_a_line_come_before_runs_of_single_points() -> None:
    colours = RunColours()
    colours.see([run("a/trial", {"accuracy": (0.9,)}), run("a", {"loss": (2.0, 1.0)})])
    assert colours.inks == {"a": 0, "a/trial": 1}


def test_a_run_waits_for_its_ink_until_it_holds_something() -> None:
    colours = RunColours()
    colours.see([run("a"), *runs("b")])
    assert colours.inks == {"b": 0}
    colours.see(runs("a", "b"))
    assert colours.inks == {"b": 0, "a": 1}


def test_series_inks_never_reach_those_that_mean_something_else() -> None:
    colours = RunColours()
    colours.see(runs(*(str(i) for i in range(FAINT_FROM + 2))))
    assert colours.inks[str(FAINT_FROM + 1)] == 1
    assert max(colours.inks.values()) == FAINT_FROM - 1
