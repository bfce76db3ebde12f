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


def next_statistic(settings: Settings) -> Settings:
    """Switch between last, best, min and max."""
    return replace(settings, figure=next_in_cycle(STATISTICS, settings.figure))


def toggle_deltas(settings: Settings) -> Settings:
    """Show values instead of differences, or differences again."""
    return replace(settings, deltas=not settings.deltas)


def set_baseline(run: str) -> Callable[[Settings], Settings]:
    """Compare with a run; the second time, with none."""

    def change(settings: Settings) -> Settings:
        return replace(settings, baseline=None if settings.baseline == run else run)

    return change


def sort_by(tag: str) -> Callable[[Settings], Settings]:
    """Sort by a column, the best first; the second time in reverse, the third time in tree order."""

    def change(settings: Settings) -> Settings:
        best_on_top = metric_direction(tag, settings) == "max"
        if settings.sort_tag != tag:
            return replace(settings, sort_tag=tag, sort_descending=best_on_top)
        if settings.sort_descending == best_on_top:
            return replace(settings, sort_descending=not best_on_top)
        return replace(settings, sort_tag=None, sort_descending=False)

    return change


def hide_run(run: str, view: View) -> Callable[[Settings], Settings]:
    """Hide a run; a run shown alone gives way to the other runs."""
    shown, all_runs = frozenset(drawn.name for drawn in view.runs), frozenset(view.snapshot.runs)

    def change(settings: Settings) -> Settings:
        hidden = settings.hidden_runs if settings.solo is None else all_runs - shown
        return replace(settings, hidden_runs=hidden | {run}, solo=None)

    return change


def show_all_runs(view: View) -> Callable[[Settings], Settings]:
    """Show all runs that pass the filter."""
    names = frozenset(view.snapshot.runs)

    def change(settings: Settings) -> Settings:
        return replace(settings, hidden_runs=settings.hidden_runs - frozenset(filter_runs(names, settings)), solo=None)

    return change
