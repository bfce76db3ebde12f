"""Changes of settings by keys of the Compare tab."""

from __future__ import annotations

from dataclasses import replace

from tbtui.plugins.comparison import transitions as changes
from tbtui.plugins.comparison.settings import DELTAS, SORT_DESCENDING, STATISTIC
from tbtui.settings.settings import ChartSettings, Settings
from tests.helpers.settings import settings_of
from tests.helpers.views import FALLING, plain_view

RUNS = {name: {"loss": FALLING} for name in ("a", "b", "c", "x/d")}


def test_figure_key_cycles_through_figures() -> None:
    settings, seen = Settings(), []
    for _ in range(4):
        settings = STATISTIC.next(settings)
        seen.append(STATISTIC.value(settings))
    assert seen == ["best", "min", "max", "last"]


def test_sort_key_cycles_best_worst_and_unsorted() -> None:
    for tag, best_first in (("loss", False), ("acc", True)):
        change = changes.sort_by(tag)
        first = change(Settings())
        assert first == settings_of(sort_tag=tag, sort_descending=best_first)
        second = change(first)
        assert second == settings_of(sort_tag=tag, sort_descending=not best_first)
        assert change(second) == Settings()


def test_sort_key_on_another_column_replaces_the_sorting() -> None:
    assert changes.sort_by("loss")(settings_of(sort_tag="acc", sort_descending=True)) == settings_of(sort_tag="loss")


def test_best_direction_setting_changes_the_sorting() -> None:
    settings = Settings(charts={"loss": ChartSettings(best="max")})
    assert SORT_DESCENDING.value(changes.sort_by("loss")(settings))


def test_baseline_key_sets_and_clears_the_baseline() -> None:
    compared = changes.set_baseline("a")(Settings())
    assert compared == Settings(baseline="a")
    assert changes.set_baseline("b")(compared) == Settings(baseline="b")
    assert changes.set_baseline("a")(compared) == Settings()


def test_value_key_switches_values_and_differences() -> None:
    assert DELTAS.next(Settings()) == settings_of(deltas=False)
    assert DELTAS.next(settings_of(deltas=False)) == Settings()


def test_run_key_switches_runs_off_one_by_one() -> None:
    shown = plain_view(RUNS)
    settings = changes.hide_run("b", shown)(Settings(hidden_runs=frozenset("a")))
    assert settings == Settings(hidden_runs=frozenset("ab"))


def test_solo_end_keeps_hidden_runs_hidden() -> None:
    shown = plain_view(RUNS, solo="x/")
    assert changes.hide_run("x/d", shown)(shown.settings) == Settings(hidden_runs=frozenset(RUNS))


def test_all_runs_key_switches_on_runs_that_pass_the_filter() -> None:
    chosen = Settings(run_filter="a|b", hidden_runs=frozenset("abc"), solo="a")
    assert changes.show_all_runs(plain_view(RUNS))(chosen) == replace(chosen, hidden_runs=frozenset("c"), solo=None)
