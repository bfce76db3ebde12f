"""Test what is said to matter for a metric, on searches whose truth is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tbtui.plugins.hparams.importance import MIN_SESSIONS, Importance, measure_importance
from tbtui.plugins.hparams.session_table import HParam, Session, SessionTable
from tbtui.view.attributes import AttributeColumn


def table_of(**columns: Any) -> SessionTable:
    count = len(next(iter(columns.values())))
    hparams = {
        name: HParam(name, AttributeColumn.of_values(list(values)), np.zeros(count, np.int8))
        for name, values in columns.items()
    }
    return SessionTable(tuple(Session(f"t{row:03}", (f"t{row:03}",), (f"t{row:03}",)) for row in range(count)), hparams)


def measured(table: SessionTable, values: Any, best: Any = "min", seeds: tuple[str, ...] = ()) -> Importance:
    return measure_importance(table, "loss", AttributeColumn.of_values(list(values)), best, None, seeds)


def search(count: int, seed: int = 0) -> tuple[dict[str, list[Any]], list[float]]:
    """Return settings and losses: best at lr 1e-2, diverged above .3, and two settings without an effect."""
    rng = np.random.default_rng(seed)
    rate = 10 ** rng.uniform(-5, 0, count)
    loss = 0.2 + (np.log10(rate) + 2) ** 2 * 0.1 + rng.normal(0, 0.02, count)
    loss[rate > 0.3] = np.nan
    words = [str(word) for word in rng.choice(["adam", "sgd"], count)]
    return {"lr": rate.tolist(), "opt": words, "wd": rng.random(count).tolist()}, loss.tolist()


def test_importance_finds_the_setting_that_matters() -> None:
    columns, loss = search(140)
    importance = measured(table_of(**columns), loss)
    first, *others = importance.hparams
    assert (first.name, first.is_significant) == ("lr", True)
    assert first.share > 0.6
    assert all(not entry.is_significant for entry in others)
    assert first.best.low is not None
    assert first.best.high is not None
    assert 1e-3 < first.best.low < 1e-2 < first.best.high < 1e-1
    assert (first.least, first.greatest) == (min(columns["lr"]), max(columns["lr"]))


def test_importance_profile_is_low_at_the_optimum_and_counts_all_sessions() -> None:
    columns, loss = search(140)
    profile = measured(table_of(**columns), loss).hparams[0].profile
    assert sum(level.count for level in profile) == 140
    medians = [level.median for level in profile if not math.isnan(level.median)]
    assert min(medians) < 0.25 < medians[0]
    assert profile[-1].diverged == profile[-1].count > 0


def test_importance_diverged_region_is_named() -> None:
    columns, loss = search(140)
    (region,) = measured(table_of(**columns), loss).regions
    assert (region.name, region.high) == ("lr", None)
    assert region.low is not None
    assert 0.3 < region.low < 0.4
    assert region.diverged == region.count >= sum(map(math.isnan, loss)) - 1


def test_importance_below_the_least_number_of_sessions_has_no_shares() -> None:
    columns, loss = search(MIN_SESSIONS - 1)
    importance = measured(table_of(**columns), loss)
    assert importance.hparams == ()
    assert importance.reason == "shares need 12 sessions with a value of loss: 11 have one"


@pytest.mark.parametrize(
    ("columns", "loss", "reason"),
    [
        ({"lr": [0.1] * 12}, [*range(12)], "no hyperparameter differs between these sessions"),
        ({"lr": [*map(float, range(12))]}, [1.0] * 12, "all sessions have the same value of loss"),
        ({"lr": [*map(float, range(12))]}, [None] * 12, "shares need 12 sessions with a value of loss: 0 have one"),
    ],
)
def test_importance_says_why_there_are_no_shares(columns: Any, loss: Any, reason: str) -> None:
    assert measured(table_of(**columns), [None if value is None else float(value) for value in loss]).reason == reason


def test_importance_direction_only_turns_the_ranks() -> None:
    columns, loss = search(60)
    finite = [5.0 if math.isnan(value) else value for value in loss]
    least = measured(table_of(**columns), finite, "min")
    greatest = measured(table_of(**columns), [-value for value in finite], "max")
    assert [entry.share for entry in least.hparams] == pytest.approx([entry.share for entry in greatest.hparams])
    assert least.hparams[0].best == greatest.hparams[0].best


def test_importance_hint_beyond_the_edge_only_where_the_best_lie_there() -> None:
    rng = np.random.default_rng(1)
    width = 2.0 ** rng.integers(2, 7, 100)
    loss = 1 / width + rng.normal(0, 0.005, 100)
    entry = measured(table_of(width=width.tolist(), wd=rng.random(100).tolist()), loss.tolist()).hparams[0]
    assert [hint.text for hint in entry.hints] == ["above 64"]
    columns, losses = search(140)
    assert measured(table_of(**columns), losses).hparams[0].hints == ()


def test_importance_repeats_of_a_setting_count_once() -> None:
    """Three seeds of each of 20 settings must not make a setting without an effect significant."""
    alarms = 0
    for number in range(40):
        rng = np.random.default_rng(number)
        quality = np.repeat(rng.random(20), 3)
        columns = {f"x{index}": np.repeat(rng.random(20), 3).tolist() for index in range(5)}
        columns["seed"] = [float(seed) for _ in range(20) for seed in range(3)]
        importance = measured(table_of(**columns), (quality + rng.normal(0, 0.001, 60)).tolist(), seeds=("seed",))
        assert (importance.settings, importance.sessions) == (20, 60)
        alarms += any(entry.is_significant for entry in importance.hparams)
    assert alarms <= 8


def test_importance_noise_of_seeds_is_the_spread_within_settings() -> None:
    rng = np.random.default_rng(0)
    quality = np.repeat(np.arange(10.0), 4)
    noise = rng.normal(0, 0.1, 40)
    table = table_of(lr=np.repeat(np.arange(10.0), 4).tolist(), seed=[float(seed % 4) for seed in range(40)])
    importance = measured(table, (quality + noise).tolist(), seeds=("seed",))
    assert importance.noise is not None
    assert importance.noise.deviation == pytest.approx(0.1, rel=0.35)
    assert (importance.noise.groups, importance.noise.as_good) == (10, 1)


def test_importance_settings_that_changed_together_have_one_entry() -> None:
    columns, loss = search(60)
    columns["warmup"] = [rate * 1000 for rate in columns["lr"]]
    importance = measured(table_of(**columns), loss)
    assert [entry.name for entry in importance.hparams if entry.together] == ["lr"]
    assert importance.hparams[0].together == ("warmup",)
    assert "warmup" not in {entry.name for entry in importance.hparams}


def test_importance_pairs_name_a_pure_interaction() -> None:
    rng = np.random.default_rng(0)
    a, b, c = (rng.random(200) for _ in range(3))
    loss = 1.5 * ((a > 0.5) ^ (b > 0.5)) + rng.normal(0, 0.3, 200)
    importance = measured(table_of(a=a.tolist(), b=b.tolist(), c=c.tolist()), loss.tolist())
    assert [(pair.first, pair.second) for pair in importance.pairs] in ([("a", "b")], [("b", "a")])


def test_importance_missing_and_odd_values_are_levels() -> None:
    rng = np.random.default_rng(0)
    values: list[Any] = [None, "a", True, 1.0, math.inf, math.nan] * 10
    importance = measured(table_of(odd=values, lr=rng.random(60).tolist()), rng.random(60).tolist())
    (odd,) = [entry for entry in importance.hparams if entry.name == "odd"]
    assert sum(level.count for level in odd.profile) == 60
