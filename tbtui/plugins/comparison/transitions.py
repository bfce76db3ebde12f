"""What the keys of the table ask for, made from what is chosen by then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.run_health.anomalies import metric_direction
from tbtui.settings.settings import STATISTICS, next_in_cycle
from tbtui.view.view import filter_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.settings.settings import Settings
    from tbtui.view.view import View


def next_statistic(choices: Settings) -> Settings:
    """Walk through what cells tell."""
    return replace(choices, figure=next_in_cycle(STATISTICS, choices.figure))


def toggle_deltas(choices: Settings) -> Settings:
    """Tell values instead of differences, and back."""
    return replace(choices, deltas=not choices.deltas)


def set_baseline(run: str) -> Callable[[Settings], Settings]:
    """Compare with a run; once more: with none."""

    def change(choices: Settings) -> Settings:
        return replace(choices, baseline=None if choices.baseline == run else run)

    return change


def sort_by(tag: str) -> Callable[[Settings], Settings]:
    """Sort by a column, the best on top; once more: the other way round; a third time: as in the run tree."""

    def change(choices: Settings) -> Settings:
        best_on_top = metric_direction(tag, choices) == "max"
        if choices.sort_tag != tag:
            return replace(choices, sort_tag=tag, sort_descending=best_on_top)
        if choices.sort_descending == best_on_top:
            return replace(choices, sort_descending=not best_on_top)
        return replace(choices, sort_tag=None, sort_descending=False)

    return change


def hide_run(run: str, view: View) -> Callable[[Settings], Settings]:
    """Switch a run off; where one is drawn alone that ends, and what else is seen stays."""
    shown, all_runs = frozenset(drawn.name for drawn in view.runs), frozenset(view.snapshot.runs)

    def change(choices: Settings) -> Settings:
        hidden = choices.hidden_runs if choices.solo is None else all_runs - shown
        return replace(choices, hidden_runs=hidden | {run}, solo=None)

    return change


def show_all_runs(view: View) -> Callable[[Settings], Settings]:
    """Switch on all runs that pass the filter."""
    names = frozenset(view.snapshot.runs)

    def change(choices: Settings) -> Settings:
        return replace(choices, hidden_runs=choices.hidden_runs - frozenset(filter_runs(names, choices)), solo=None)

    return change
