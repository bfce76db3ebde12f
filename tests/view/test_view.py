from __future__ import annotations

from dataclasses import replace

import pytest

from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view, filter_runs, filter_tags
from tests.helpers.snapshots import plain_store

RUNS = ("sgd", "adam/seed10", "adam/seed9")


@pytest.mark.parametrize(
    ("settings", "drawn"),
    [
        (Settings(), ["adam/seed9", "adam/seed10", "sgd"]),
        (Settings(hidden_runs=frozenset({"sgd", "gone"})), ["adam/seed9", "adam/seed10"]),
        (Settings(run_filter="ADAM"), ["adam/seed9", "adam/seed10"]),
        (Settings(run_filter="adam", hidden_runs=frozenset({"adam/seed9"})), ["adam/seed10"]),
        (Settings(solo="sgd"), ["sgd"]),
        (Settings(solo="sgd", hidden_runs=frozenset({"sgd"})), ["sgd"]),
        (Settings(solo="adam/", hidden_runs=frozenset({"adam/seed9"})), ["adam/seed9", "adam/seed10"]),
        (Settings(solo="adam"), ["adam/seed9", "adam/seed10", "sgd"]),
        (Settings(solo="gone"), ["adam/seed9", "adam/seed10", "sgd"]),
        (Settings(solo="sgd", run_filter="adam"), ["adam/seed9", "adam/seed10"]),
        (Settings(run_filter="nothing"), []),
        (Settings(run_filter="("), ["adam/seed9", "adam/seed10", "sgd"]),
    ],
)
def test_runs_to_draw(settings: Settings, drawn: list[str]) -> None:
    view = build_view(plain_store(RUNS), settings, RunColours(), SummaryCache())
    assert [run.name for run in view.runs] == drawn
    assert view.inks == {"adam/seed9": 0, "adam/seed10": 1, "sgd": 2}  # every run, in tree order


def test_colours_survive_filters_and_runs_that_go() -> None:
    colours = RunColours()
    build_view(plain_store(RUNS), Settings(run_filter="sgd"), colours, SummaryCache())
    view = build_view(plain_store(["new", "adam/seed9"]), Settings(), colours, SummaryCache())
    assert {run.name: view.inks[run.name] for run in view.runs} == {"adam/seed9": 0, "new": 1}


def test_the_tag_filter_and_folds() -> None:
    folded = Settings(hidden_groups=frozenset({"loss"}))
    assert build_view(plain_store(RUNS), folded, RunColours(), SummaryCache()).settings.hidden_groups == {"loss"}

    filtered = build_view(
        plain_store(RUNS),
        Settings(tag_filter="TRAIN$", hidden_groups=frozenset({"loss"})),
        RunColours(),
        SummaryCache(),
    )
    assert filtered.tag_matches("loss/train")
    assert not filtered.tag_matches("loss/val")
    assert filtered.settings.hidden_groups == frozenset()


def test_for_the_same_runs_and_filters_views_hold_the_same_objects() -> None:
    snapshot, colours, cache = plain_store(RUNS), RunColours(), SummaryCache()
    before = build_view(snapshot, Settings(run_filter="adam"), colours, cache)
    after = build_view(snapshot, Settings(run_filter="adam", cursor=3.0), colours, cache)
    assert after.summaries is before.summaries
    assert after.inks is before.inks
    names = Settings(run_filter="adam")
    assert filter_runs(snapshot.runs, names) is filter_runs(dict(snapshot.runs), replace(names, focus="sgd"))
    tags = frozenset({"loss/train", "acc"})
    assert filter_tags(tags, Settings(tag_filter="L")) is filter_tags(tags, Settings(tag_filter="L", cursor=1.0))
    assert filter_tags(tags, Settings(tag_filter="L")) == {"loss/train"}
    assert filter_tags(tags, Settings()) is tags


def test_filter_with_a_late_timeout_hides_nothing() -> None:
    settings = Settings(run_filter="(b|bb)+$")
    assert filter_runs(["a", "b"], settings) == ("b",)
    later = ["a", "b", *("b" * 3000 + "a" * 3000 + str(i) for i in range(50))]
    assert set(filter_runs(later, settings)) == set(later)
    assert filter_runs(["a", "b"], settings) == ("a", "b")
