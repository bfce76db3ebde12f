"""Changes of settings by keys of the Compare tab."""

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
    """Switch between last, best, min and max."""
    return replace(choices, figure=next_in_cycle(STATISTICS, choices.figure))


def toggle_deltas(choices: Settings) -> Settings:
    """Show values instead of differences, or differences again."""
    return replace(choices, deltas=not choices.deltas)


def set_baseline(run: str) -> Callable[[Settings], Settings]:
    """Compare with a run; the second time, with none."""

    def change(choices: Settings) -> Settings:
        return replace(choices, baseline=None if choices.baseline == run else run)

    return change


def sort_by(tag: str) -> Callable[[Settings], Settings]:
    """Sort by a column, the best first; the second time in reverse, the third time in tree order."""

    def change(choices: Settings) -> Settings:
        best_on_top = metric_direction(tag, choices) == "max"
        if choices.sort_tag != tag:
            return replace(choices, sort_tag=tag, sort_descending=best_on_top)
        if choices.sort_descending == best_on_top:
            return replace(choices, sort_descending=not best_on_top)
        return replace(choices, sort_tag=None, sort_descending=False)

    return change


def hide_run(run: str, view: View) -> Callable[[Settings], Settings]:
    """Hide a run; a run shown alone gives way to the other runs."""
    shown, all_runs = frozenset(drawn.name for drawn in view.runs), frozenset(view.snapshot.runs)

    def change(choices: Settings) -> Settings:
        hidden = choices.hidden_runs if choices.solo is None else all_runs - shown
        return replace(choices, hidden_runs=hidden | {run}, solo=None)

    return change


def show_all_runs(view: View) -> Callable[[Settings], Settings]:
    """Show all runs that pass the filter."""
    names = frozenset(view.snapshot.runs)

    def change(choices: Settings) -> Settings:
        return replace(choices, hidden_runs=choices.hidden_runs - frozenset(filter_runs(names, choices)), solo=None)

    return change
