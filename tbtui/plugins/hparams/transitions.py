"""Changes of settings by keys of the HParams tab."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.plugins.hparams.rows import METRIC, sorts_descending
from tbtui.plugins.hparams.settings import FIGURES, SESSION_VIEWS, SESSIONS
from tbtui.settings.settings import next_in_cycle
from tbtui.view.terms import replace_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tbtui.plugins.hparams.session_table import SessionTable
    from tbtui.settings.column_choice import ColumnChoice
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View


def choose(**changes: Any) -> Callable[[Settings], Settings]:
    """Replace fields of the settings of this dashboard."""

    def change(settings: Settings) -> Settings:
        return SESSIONS.with_value(settings, replace(SESSIONS.value(settings), **changes))

    return change


def cycle_view(settings: Settings) -> Settings:
    """Show the next view."""
    return choose(view=next_in_cycle(SESSION_VIEWS, SESSIONS.value(settings).view))(settings)


def cycle_figure(settings: Settings) -> Settings:
    """Show another point of each curve."""
    return choose(figure=next_in_cycle(FIGURES, SESSIONS.value(settings).figure))(settings)


def toggle_groups(settings: Settings) -> Settings:
    """Show one row per session, or one for all that differ in their seeds alone."""
    return choose(grouped=not SESSIONS.value(settings).grouped)(settings)


def toggle_deltas(settings: Settings) -> Settings:
    """Show metrics as differences from the baseline, or as values."""
    return choose(deltas=not SESSIONS.value(settings).deltas)(settings)


def set_baseline(name: str) -> Callable[[Settings], Settings]:
    """Compare with a session; the second time, with none."""

    def change(settings: Settings) -> Settings:
        is_baseline = SESSIONS.value(settings).baseline == name
        return choose(baseline="" if is_baseline else name, deltas=not is_baseline)(settings)

    return change


def sort_by(key: str, table: SessionTable) -> Callable[[Settings], Settings]:
    """Sort by a column, the best or least first; the second time in reverse, the third time by the main metric."""

    def change(settings: Settings) -> Settings:
        chosen = SESSIONS.value(settings)
        first = sorts_descending(table, key, settings)
        if chosen.sort != key:
            return choose(sort=key, descending=first)(settings)
        if chosen.descending == first:
            return choose(descending=not first)(settings)
        return choose(sort="", descending=False)(settings)

    return change


def toggle_goal(key: str, table: SessionTable) -> Callable[[Settings], Settings]:
    """Switch the better end of the metric of a column."""

    def change(settings: Settings) -> Settings:
        metric = table.metric(key[len(METRIC) :])
        if metric is None:
            return settings
        best = "max" if (metric.direction(settings) or "min") == "min" else "min"
        return replace(settings, charts=settings.with_chart(metric.tag, best=best))

    return change


def create_judge_transition(key: str) -> Callable[[Settings], Settings]:
    """Make the metric of a column the main one."""
    return choose(metric=key[len(METRIC) :], sort="", descending=False)


def hide_runs(runs: Iterable[str], view: View) -> Callable[[Settings], Settings]:
    """Hide the runs of a session; runs shown alone give way to the others."""
    hidden_now, shown_runs = frozenset(runs), frozenset(run.name for run in view.runs)
    all_runs = frozenset(view.snapshot.runs)

    def change(settings: Settings) -> Settings:
        hidden = settings.hidden_runs if settings.solo is None else all_runs - shown_runs
        return replace(settings, hidden_runs=hidden | hidden_now, solo=None)

    return change


def show_only(runs: Iterable[str], view: View) -> Callable[[Settings], Settings]:
    """Hide all runs but those of a session; the second time show all that pass the filter."""
    session_runs, all_runs = frozenset(runs), frozenset(view.snapshot.runs)

    def change(settings: Settings) -> Settings:
        others = all_runs - session_runs
        is_alone = others <= settings.hidden_runs and not session_runs & settings.hidden_runs
        return replace(settings, hidden_runs=frozenset() if is_alone else others, solo=None)

    return change


def show_all(settings: Settings) -> Settings:
    """Show all sessions that pass the filter."""
    return replace(settings, hidden_runs=frozenset(), solo=None)


def colour_runs(name: str) -> Callable[[Settings], Settings]:
    """Colour the runs of all tabs by an attribute; the second time each run has its own colour again."""

    def change(settings: Settings) -> Settings:
        return replace(settings, colour_by="" if settings.colour_by == name else name)

    return change


def set_terms(name: str, terms: str) -> Callable[[Settings], Settings]:
    """Replace the terms of one attribute in the filter."""

    def change(settings: Settings) -> Settings:
        return replace(settings, run_filter=replace_terms(settings.run_filter, name, terms))

    return change


def change_columns(change: Callable[[ColumnChoice], ColumnChoice]) -> Callable[[Settings], Settings]:
    """Arrange the columns of the table."""
    return lambda settings: choose(columns=change(SESSIONS.value(settings).columns))(settings)
