"""The partner of a comparison."""

from __future__ import annotations

import pytest

from tbtui.settings.settings import Settings
from tbtui.view.comparison_target import choose_comparison_run, choose_comparison_step, find_chosen_run


@pytest.mark.parametrize(
    ("settings", "run", "partner"),
    [
        (Settings(), "a", "b"),
        (Settings(), "b", "c"),
        (Settings(), "c", "a"),
        (Settings(baseline="c"), "a", "c"),
        (Settings(baseline="a", focus="b"), "a", "b"),
        (Settings(baseline="gone"), "a", "b"),
        (Settings(), "hidden", "a"),
    ],
)
def test_partner_run_is_chosen_or_the_next(settings: Settings, run: str, partner: str) -> None:
    assert choose_comparison_run(run, ["a", "b", "c"], settings) == partner


def test_partner_run_is_never_the_run_itself() -> None:
    assert choose_comparison_run("a", ["a"], Settings(baseline="a", focus="a")) is None
    assert choose_comparison_run("a", [], Settings()) is None
    assert find_chosen_run("a", ["a", "b"], Settings()) is None


def test_partner_step_is_before_and_behind_the_first() -> None:
    assert [choose_comparison_step(index, 3) for index in range(3)] == [1, 0, 1]
    assert choose_comparison_step(0, 1) is None
