"""The order of the columns of a comparison."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tbtui.plugins.comparison import columns as columns_module
from tbtui.plugins.comparison.columns import (
    ColumnOrder,
    count_runs,
    find_differing,
    insert_hparams,
    order_tags,
    rank_tag,
)
from tbtui.settings.settings import Settings
from tbtui.store.run_series import get_last_values
from tests.helpers.snapshots import run

if TYPE_CHECKING:
    import pytest

NOTHING = Settings()


def test_count_runs_counts_equal_sets_and_others() -> None:
    same = frozenset({"a", "b"})
    assert count_runs([same, same, frozenset({"b", "c"})]) == {"a": 2, "b": 3, "c": 1}


def test_importance_of_validation_metrics_is_the_highest() -> None:
    tags = ("val/loss", "eval_accuracy", "train/loss", "fps", "grad/norm", "epoch")
    differing = frozenset(tags) - {"epoch"}
    assert [rank_tag(tag, NOTHING, differing) for tag in tags] == [0, 0, 1, 2, 2, 3]


def test_importance_of_a_bound_is_below_that_of_metrics() -> None:
    tags = ("acc/val", "acc/val_lower", "acc/val-std", "loss/val_low")
    assert [rank_tag(tag, NOTHING, frozenset(tags)) for tag in tags] == [0, 2, 2, 0]


def test_importance_follows_a_direction_that_the_user_chose() -> None:
    chosen = Settings(charts=NOTHING.with_chart("grad/norm", best="min"))
    assert rank_tag("grad/norm", chosen, {"grad/norm"}) == 1


def test_order_tags_sorts_by_coverage_then_importance() -> None:
    counts = {"acc": 12, "epoch": 12, "loss": 11, "val/acc": 12, "val/part": 6, "once": 2}
    order = order_tags(tuple(counts), counts, NOTHING, frozenset(counts) - {"epoch"})
    assert order == ColumnOrder(("val/acc", "acc", "loss", "epoch", "val/part"), ("once",))


def test_order_tags_of_few_runs_has_nothing_sparse() -> None:
    order = order_tags(("a", "b"), {"a": 3, "b": 1}, NOTHING, ())
    assert order == ColumnOrder(("a", "b"), ())
    assert order_tags((), {}, NOTHING, ()) == ColumnOrder((), ())


def test_find_differing_reads_runs_until_all_tags_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []

    def noted(series_by_tag: Any) -> dict[str, float]:
        read.append(series_by_tag)
        return get_last_values(series_by_tag)

    monkeypatch.setattr(columns_module, "get_last_values", noted)
    runs = [run(f"run{number}", {"x": [number], "y": [number / 2]}) for number in range(8)]
    assert set(find_differing(runs)) == {"x", "y"}
    assert len(read) == 2
    runs = [run(f"run{number}", {"x": [number], "y": [max(number, 5)]}) for number in range(8)]
    assert set(find_differing(runs)) == {"x", "y"}
    assert len(read) == 2 + 7


def test_find_differing_compares_newest_values() -> None:
    runs = [run("a", {"x": (1.0, 5.0), "y": (1.0, 2.0)}), run("b", {"x": (5.0,), "y": (3.0,), "z": (1.0,)})]
    assert set(find_differing(runs)) == {"y"}
    assert set(find_differing(runs[:1])) == {"x", "y"}
    assert not set(find_differing([]))


def test_find_differing_counts_a_lost_number_as_a_difference() -> None:
    assert set(find_differing([run("a", {"x": (1.0,)}), run("b", {"x": (math.nan,)})])) == {"x"}


def test_with_hparams_stand_behind_the_first_two_metrics() -> None:
    order = ("val/loss", "val/acc", "loss", "epoch")
    assert insert_hparams(order, ("lr", "bs"), NOTHING) == ("val/loss", "val/acc", "lr", "bs", "loss", "epoch")
    assert insert_hparams(("epoch", "loss"), ("lr",), NOTHING) == ("lr", "epoch", "loss")
