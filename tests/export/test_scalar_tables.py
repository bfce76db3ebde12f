"""Which points of a store become tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from made_up import references, run, scalars, store

from tbtui.export.scalars import SCALARS, scalar_tables

if TYPE_CHECKING:
    from tbtui.store.snapshot import ScalarSeries

BOTH = store(
    run("b", {"loss": (1, 2), "acc": (3,)}, others=[references("b", "picture", "images")]),
    run("a", {"loss": (4, 5, 6)}),
)


def everything(_name: str) -> bool:
    return True


def test_all_scalars_in_the_order_of_the_snapshot() -> None:
    tables = list(scalar_tables(BOTH, everything, everything))
    assert [(table.run, table.tag, table.columns["value"].tolist()) for table in tables] == [
        ("b", "loss", [1, 2]),
        ("b", "acc", [3]),
        ("a", "loss", [4, 5, 6]),
    ]
    assert all(tuple(table.columns) == SCALARS for table in tables)


def test_only_what_is_wanted() -> None:
    assert [t.tag for t in scalar_tables(BOTH, "b".__eq__, everything)] == ["loss", "acc"]
    assert [t.run for t in scalar_tables(BOTH, everything, "loss".__eq__)] == ["b", "a"]
    assert list(scalar_tables(BOTH, everything, "picture".__eq__)) == []


def restarted() -> ScalarSeries:
    return replace(scalars("run", "loss", [0, 10, 20, 30, 40]), steps=np.array([0, 1, 2, 1, 2]))


def test_every_stored_point_in_arrival_order_unless_the_current_ones_are_asked_for() -> None:
    made = store(run("run", others=[restarted()]))
    (stored,) = scalar_tables(made, everything, everything)
    assert (stored.columns["step"].tolist(), stored.columns["value"].tolist()) == ([0, 1, 2, 1, 2], [0, 10, 20, 30, 40])
    (current,) = scalar_tables(made, everything, everything, current=True)
    assert (current.columns["step"].tolist(), current.columns["value"].tolist()) == ([0, 1, 2], [0, 30, 40])
    assert len(current.columns["wall_time"]) == 3


def test_the_store_is_neither_copied_nor_made_larger() -> None:
    series = restarted()
    made = store(run("run", others=[series]))
    (stored,) = scalar_tables(made, everything, everything)
    assert stored.columns["value"] is series.values
    list(scalar_tables(made, everything, everything, current=True))
    assert "current" not in vars(series)


def test_a_tag_without_points_is_left_out() -> None:
    assert list(scalar_tables(store(run("run", {"loss": ()})), everything, everything)) == []
