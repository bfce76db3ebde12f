"""Test histogram tables: their rows, and the report of undrawable histograms."""

from __future__ import annotations

import math
import tracemalloc
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.events.histogram import HAS_NAN
from tbtui.events.writer import EventFileWriter
from tbtui.export.table import SkippedValue, SkippedValues, match_all, select_references
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.maths.histograms import Buckets
from tbtui.plugins.histograms import export as histograms
from tbtui.plugins.histograms.export import (
    BUCKET_COLUMNS,
    PLUGIN_NAME,
    QUANTILE_COLUMNS,
    build_bucket_table,
    build_histogram_tables,
    build_quantile_table,
)
from tests.helpers.log_directory import FILE, START

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tbtui.export.table import Table
    from tbtui.plugins.histograms.export import TableOf
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot, StoreSnapshot

nan = math.nan


def buckets_of(*rows: Sequence[tuple[float, float, float]] | None) -> Buckets:
    """Return histograms from their buckets; None is an undrawable one."""
    flat = np.array([bucket for one in rows for bucket in one or ()], np.float64).reshape(-1, 3)
    totals = [nan if one is None else sum(count for *_, count in one) for one in rows]
    unknown = np.full(len(rows), nan)
    starts = np.cumsum([0, *(len(one or ()) for one in rows)])
    return Buckets(starts, *flat.T, np.array(totals, np.float64), unknown, unknown)


def rows_in(*tables: Table) -> list[tuple[Any, ...]]:
    return [
        row for table in tables for row in zip(*(column.tolist() for column in table.columns.values()), strict=True)
    ]


STEPS, TIMES = np.array([3, 5, 7, 9]), np.array([0.5, 1.5, 2.5, 3.5])
SOME = buckets_of([(0, 1, 10)], None, [(-1.5, 0, 2), (0, 0.25, 0.5)], [])


def test_buckets_have_a_row_each_and_empty_histograms_none() -> None:
    table = build_bucket_table("r", "t", STEPS, TIMES, SOME)
    assert (table.run, table.tag, tuple(table.columns)) == ("r", "t", BUCKET_COLUMNS)
    assert rows_in(table) == [(3, 0.5, 0, 1, 10), (7, 2.5, -1.5, 0, 2), (7, 2.5, 0, 0.25, 0.5)]


def test_quantiles_have_a_row_per_drawable_histogram() -> None:
    table = build_quantile_table("r", "t", STEPS, TIMES, SOME)
    assert tuple(table.columns) == QUANTILE_COLUMNS
    first, second, empty = rows_in(table)
    assert first == pytest.approx((3, 0.5, 10, 0, 0.0668, 0.1587, 0.3085, 0.5, 0.6915, 0.8413, 0.9332, 1))
    assert (second[:4], second[-1]) == ((7, 2.5, 2.5, -1.5), 0.25)
    assert empty == (9, 3.5, *[0] * 10)


def test_quantiles_are_named_by_the_fraction_below() -> None:
    assert ",".join(QUANTILE_COLUMNS) == (
        "step,wall_time,count,min,p6.68,p15.87,p30.85,median,p69.15,p84.13,p93.32,max"
    )


def snapshot(directory: Path) -> StoreSnapshot:
    return Loader(parse_sources([str(directory)]), reload_seconds=0).load_all().snapshot


def log(directory: Path, run: str, tag: str, *steps: Sequence[float]) -> None:
    """Write one PyTorch histogram per step at steps 0, 1, 2, …"""
    (directory / run).mkdir(exist_ok=True)
    with EventFileWriter(str(directory / run / FILE), wall_time=START, like_pytorch=True) as writer:
        for step, values in enumerate(steps):
            writer.histogram(tag, values, step, START + step)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    log(tmp_path, "a", "grads", [1.0], [nan], [2.0, 2.0], [nan])
    log(tmp_path, "a", "weights", [3.0])
    log(tmp_path, "b", "grads", [nan])
    with EventFileWriter(str(tmp_path / "a" / FILE)) as writer:
        writer.scalar("loss", 1, 0, START)
        writer.text("note", "no histogram", 0, START)
    return tmp_path


def tables(
    directory: Path,
    table_of: TableOf = build_bucket_table,
    skipped: SkippedValues | None = None,
    *,
    current: bool = False,
) -> list[Table]:
    skipped = SkippedValues() if skipped is None else skipped
    return list(build_histogram_tables(chosen(snapshot(directory), current=current), table_of, skipped))


def chosen(
    held: StoreSnapshot, tag_matches: Callable[[str], bool] = match_all, *, current: bool = False
) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
    return select_references(held.runs.values(), PLUGIN_NAME, tag_matches, current=current)


def test_histograms_keep_the_order_of_the_snapshot(logs: Path) -> None:
    made = tables(logs)
    assert [(table.run, table.tag) for table in made] == [("a", "grads"), ("a", "weights")]
    assert rows_in(*made) == [(0, START, 1, 1, 1), (2, START + 2, 2, 2, 2), (0, START, 3, 3, 1)]


def test_histograms_filter_selects_runs_and_tags(logs: Path) -> None:
    held, skipped = snapshot(logs), SkippedValues()
    assert [t.tag for t in build_histogram_tables(chosen(held, "weights".__eq__), build_bucket_table, skipped)] == [
        "weights"
    ]
    assert (skipped.requested, skipped.count) == (1, 0)
    assert list(build_histogram_tables(chosen(held, "loss".__eq__), build_bucket_table, skipped)) == []


@pytest.mark.parametrize("table_of", [build_bucket_table, build_quantile_table])
def test_histograms_undrawable_are_counted_with_the_first_reason(logs: Path, table_of: TableOf) -> None:
    skipped = SkippedValues()
    assert sum(map(len, tables(logs, table_of, skipped))) == 3
    assert (skipped.requested, skipped.count) == (6, 3)
    assert skipped.first == SkippedValue("a", "grads", 1, "a NaN is among the values of this step")


def test_histograms_all_stored_steps_unless_current_is_requested(tmp_path: Path) -> None:
    log(tmp_path, ".", "grads", [1.0], [2.0], [3.0])
    with EventFileWriter(str(tmp_path / FILE), like_pytorch=True) as writer:
        writer.histogram("grads", [4.0], 1, START + 9)
    assert [row[::2] for row in rows_in(*tables(tmp_path))] == [(0, 1, 1), (1, 2, 1), (2, 3, 1), (1, 4, 1)]
    assert [row[::2] for row in rows_in(*tables(tmp_path, current=True))] == [(0, 1, 1), (1, 4, 1), (2, 3, 1)]


@pytest.mark.parametrize("table_of", [build_bucket_table, build_quantile_table])
@pytest.mark.parametrize("part_bytes", [1, 700, 5_000])
def test_histograms_parts_join_without_a_gap(
    tmp_path: Path, table_of: TableOf, part_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(0)
    log(tmp_path, ".", "grads", *(random.normal(0, 1, 100) if step % 7 else [nan] for step in range(40)))
    whole, skipped = tables(tmp_path, table_of), SkippedValues()
    assert len(whole) == 1
    monkeypatch.setattr(histograms, "PART_BYTES", part_bytes)
    parts = tables(tmp_path, table_of, skipped)
    assert len(parts) > 3
    assert rows_in(*parts) == rows_in(*whole)
    assert (skipped.requested, skipped.count, skipped.first) == (40, 6, SkippedValue(".", "grads", 0, HAS_NAN))


def test_histograms_missing_file_omits_its_values(logs: Path) -> None:
    held, skipped = snapshot(logs), SkippedValues()
    (logs / "a" / FILE).unlink()
    assert list(build_histogram_tables(chosen(held), build_bucket_table, skipped)) == []
    assert (skipped.requested, skipped.count) == (6, 6)
    assert skipped.first == SkippedValue("a", "grads", 0, "the file is gone")


def test_histograms_memory_does_not_grow_with_the_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histograms, "PART_BYTES", 100_000)
    values = np.arange(60.0)
    for name, steps in (("few", 400), ("many", 2000)):
        (tmp_path / name).mkdir()
        log(tmp_path / name, "run", "grads", *[values] * steps)

    def peak(name: str) -> int:
        held = snapshot(tmp_path / name)
        for _ in range(2):  # the first call imports modules and builds tables
            tracemalloc.start()
            for _table in build_histogram_tables(chosen(held), build_bucket_table, SkippedValues()):
                pass
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return most

    assert peak("many") < 1.2 * peak("few")
