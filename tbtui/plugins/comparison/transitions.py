"""Changes of settings by keys of the Compare tab."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.plugins.comparison.settings import COLUMNS, SORT_DESCENDING, SORT_TAG
from tbtui.run_health.anomalies import find_metric_direction
from tbtui.view.view import filter_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.settings.column_choice import ColumnChoice
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View


def set_baseline(run: str) -> Callable[[Settings], Settings]:
    """Compare with a run; the second time, with none."""

    def change(settings: Settings) -> Settings:
        return replace(settings, baseline=None if settings.baseline == run else run)

    return change


def sort_by(tag: str) -> Callable[[Settings], Settings]:
    """Sort by a column, the best first; the second time in reverse, the third time in tree order."""

    def change(settings: Settings) -> Settings:
        best_on_top = find_metric_direction(tag, settings) == "max"
        if SORT_TAG.value(settings) != tag:
            return SORT_DESCENDING.with_value(SORT_TAG.with_value(settings, tag), best_on_top)
        if SORT_DESCENDING.value(settings) == best_on_top:
            return SORT_DESCENDING.with_value(settings, not best_on_top)
        return SORT_DESCENDING.with_value(SORT_TAG.with_value(settings, None), False)

    return change


def change_columns(change: Callable[[ColumnChoice], ColumnChoice]) -> Callable[[Settings], Settings]:
    """Arrange the columns of the table."""
    return lambda settings: COLUMNS.with_value(settings, change(COLUMNS.value(settings)))


def show_column(key: str) -> Callable[[Settings], Settings]:
    """Show a column that is hidden, by the user or by default."""
    return change_columns(lambda choice: replace(choice, shown=choice.shown | {key}, hidden=choice.hidden - {key}))


def hide_run(run: str, view: View) -> Callable[[Settings], Settings]:
    """Hide a run; if only this run was shown, show the other runs."""
    shown, all_runs = frozenset(each.name for each in view.runs), frozenset(view.snapshot.runs)

    def change(settings: Settings) -> Settings:
        hidden = settings.hidden_runs if settings.solo is None else all_runs - shown
        return replace(settings, hidden_runs=hidden | {run}, solo=None)

    return change


def show_all_runs(view: View) -> Callable[[Settings], Settings]:
    """Show all runs that pass the filter."""
    names = frozenset(view.snapshot.runs)

    def change(settings: Settings) -> Settings:
        passing = frozenset(filter_runs(names, settings, view.attributes))
        return replace(settings, hidden_runs=settings.hidden_runs - passing, solo=None)

    return change
