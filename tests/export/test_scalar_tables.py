"""Test which points of a store become tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.table import match_all
from tbtui.plugins.scalars.export import SCALAR_COLUMNS, build_scalar_tables
from tests.helpers.snapshots import references, run, scalars

if TYPE_CHECKING:
    from tbtui.store.snapshot import ScalarSeries

MADE = run("b", {"loss": (1, 2), "acc": (3,)}, others=[references("b", "picture", "images")])


def test_scalar_table_keeps_the_order_of_the_run() -> None:
    tables = list(build_scalar_tables(MADE, match_all))
    assert [(table.run, table.tag, table.columns["value"].tolist()) for table in tables] == [
        ("b", "loss", [1, 2]),
        ("b", "acc", [3]),
    ]
    assert all(tuple(table.columns) == SCALAR_COLUMNS for table in tables)


def test_scalar_table_filter_selects_runs_and_tags() -> None:
    assert [t.tag for t in build_scalar_tables(MADE, "loss".__eq__)] == ["loss"]
    assert list(build_scalar_tables(MADE, "picture".__eq__)) == []


def restarted() -> ScalarSeries:
    return replace(scalars("run", "loss", [0, 10, 20, 30, 40]), steps=np.array([0, 1, 2, 1, 2]))


def test_scalar_table_all_stored_points_unless_current_is_requested() -> None:
    made = run("run", others=[restarted()])
    (stored,) = build_scalar_tables(made, match_all)
    assert (stored.columns["step"].tolist(), stored.columns["value"].tolist()) == ([0, 1, 2, 1, 2], [0, 10, 20, 30, 40])
    (current,) = build_scalar_tables(made, match_all, current=True)
    assert (current.columns["step"].tolist(), current.columns["value"].tolist()) == ([0, 1, 2], [0, 30, 40])
    assert len(current.columns["wall_time"]) == 3


def test_scalar_table_does_not_copy_the_store() -> None:
    series = restarted()
    made = run("run", others=[series])
    (stored,) = build_scalar_tables(made, match_all)
    assert stored.columns["value"] is series.values
    list(build_scalar_tables(made, match_all, current=True))
    assert "current" not in vars(series)


def test_scalar_table_omits_a_tag_without_points() -> None:
    assert list(build_scalar_tables(run("run", {"loss": ()}), match_all)) == []
