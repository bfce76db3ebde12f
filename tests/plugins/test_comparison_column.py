"""A column is computed again only where series changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.plugins.comparison import comparison as column_module
from tbtui.plugins.comparison.comparison import Column, ColumnRequest, find_point
from tbtui.store.snapshot import ScalarSeries
from tests.helpers.snapshots import references, run
from tests.helpers.views import series

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.charts.styled_text import Cell
    from tbtui.store.snapshot import RunSnapshot

LAST = ColumnRequest("last", "min", 0)


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs whose series were looked at."""
    looked: list[str] = []

    def look(series: Any, *asked: Any, **how: Any) -> Any:
        looked.append(series.run)
        return find_point(series, *asked, **how)

    monkeypatch.setattr(column_module, "find_point", look)
    return looked


def one(name: str, *values: float, revision: int = 1, tag: str = "loss") -> RunSnapshot:
    return run(name, others=[series(tag, values, run_name=name, revision=revision)], revision=revision)


def filled(column: Column, *runs: RunSnapshot, first: tuple[RunSnapshot, ...] = ()) -> Column:
    for _ in column.fill(runs, first):
        pass
    return column


def texts(cells: Mapping[str, Cell]) -> dict[str, str]:
    return {name: " ".join("".join(text for text, _ in cell).split()) for name, cell in cells.items()}


def test_column_has_one_cell_per_row() -> None:
    column = filled(Column("loss", LAST), one("a", 1.5), one("b", 0.25), one("c", tag="other"), run("d"))
    assert texts(column.cells(("a", "b", "c", "d"))) == {"a": "1.5", "b": "★ 0.25", "c": "–", "d": "–"}


def test_column_other_kinds_and_empty_series_have_no_value() -> None:
    column = filled(Column("loss", LAST), run("a", others=[references("a", "loss", "images")]), one("b"))
    assert texts(column.cells(("a", "b"))) == {"a": "–", "b": "–"}


def test_column_update_reads_only_changed_series(looked_at: list[str]) -> None:
    column = filled(Column("loss", LAST), one("a", 1.0), one("b", 2.0))
    filled(column, one("a", 1.0), one("b", 2.0))
    assert looked_at == ["a", "b"]
    filled(column, one("a", 1.0), one("b", 2.0, 3.0, revision=2))
    assert looked_at == ["a", "b", "b"]
    # another tag of the run: its revision is new, that of this series is not
    grown = run("a", others=[series("loss", (1.0,), run_name="a"), series("lr", (1.0,), run_name="a")], revision=5)
    filled(column, grown, one("b", 2.0, 3.0, revision=2))
    assert looked_at == ["a", "b", "b"]


def test_column_unchanged_cells_are_the_same_objects() -> None:
    column = filled(Column("loss", LAST), one("a", 1.0), one("b", 2.0))
    before = column.cells(("a", "b"))
    assert filled(column, one("a", 1.0), one("b", 2.0)).cells(("a", "b")) is before
    assert filled(column, one("a", 1.0), one("b", 3.0, revision=2)).cells(("a", "b")) is not before


def test_column_removed_runs_are_dropped_and_removed_series_are_missing() -> None:
    column = filled(Column("loss", LAST), one("a", 1.0), one("b", 2.0), one("c", 3.0))
    filled(column, one("b", 2.0), run("c", revision=2))
    assert set(column.points) == {"b"}
    assert texts(column.cells(("b", "c"))) == {"b": "2", "c": "–"}
    assert texts(filled(column, one("a", 0.5), one("b", 2.0)).cells(("a", "b"))) == {"a": "★ 0.5", "b": "2"}


def test_column_visible_cells_are_first_and_best_waits_for_all(looked_at: list[str]) -> None:
    runs = [one(name, float(index)) for index, name in enumerate("abcd")]
    column = Column("loss", LAST)
    filling = column.fill(runs, runs[2:3])
    next(filling)
    assert looked_at == ["c"]
    assert texts(column.cells(tuple("abcd"))) == {"c": "2"}
    assert next(filling, "done") == "done"
    assert texts(column.cells(tuple("abcd"))) == {"a": "★ 0", "b": "1", "c": "2", "d": "3"}
    # from then on nothing of it is taken back while news is worked out
    filling = column.fill([*runs[:3], one("d", -1.0, revision=2)], runs[2:3])
    assert next(filling, "done") == "done"
    assert texts(column.cells(tuple("abcd")))["d"] == "★ -1"


def test_column_long_work_yields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_module, "PAUSE_SECONDS", 0)
    column = Column("loss", LAST)
    runs = [one(name, 1.0) for name in "abc"]
    assert sum(1 for _ in column.fill(runs)) == 3
    assert sum(1 for _ in column.fill(runs)) == 0


def test_column_results_before_an_interruption_are_kept(looked_at: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_module, "PAUSE_SECONDS", 0)
    column = Column("loss", LAST)
    runs = [one(name, 1.0) for name in "abc"]
    filling = column.fill(runs)
    next(filling)
    filling.close()
    filled(column, *runs)
    assert looked_at == ["a", "b", "c"]


def test_column_keeps_widened_decimals() -> None:
    column = filled(Column("loss", LAST), one("a", 1.125), one("b", 2.0))
    before = column.cells(("a", "b"))
    after = filled(column, one("a", 1.0, revision=2), one("b", 2.0)).cells(("a", "b"))
    assert before["b"] == after["b"] == (("  ", -1), ("   2    ", -2))


def test_column_baseline_may_be_a_hidden_run() -> None:
    column = filled(Column("loss", LAST), one("base", 1.0), one("a", 1.5), one("b", 0.5))
    assert texts(column.cells(("a", "b", "base"), "base")) == {"a": "+0.5", "b": "★ -0.5", "base": "1"}
    assert texts(column.cells(("a", "b"), "base")) == {"a": "+0.5", "b": "★ -0.5"}
    assert texts(column.cells(("a", "b"), "gone")) == {"a": "1.5", "b": "★ 0.5"}


def test_column_of_runs_without_restarts_examines_no_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_ascending(_: ScalarSeries) -> bool:
        raise AssertionError("the loader knows that the steps of this run ascend")

    runs = [replace(one("a", 3, 2, 1), has_descents=False), replace(one("b", 1, 2), has_descents=False)]
    monkeypatch.setattr(ScalarSeries, "is_ascending", property(is_ascending))
    column = Column("loss", ColumnRequest("last", None, 0))
    for _ in column.fill(runs):
        pass
    assert {name: point.value for name, point in column.points.items()} == {"a": 1, "b": 2}
