"""Compare tables of PR curves, one row per threshold and step, with manually computed numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.export.formats import encode_text
from tbtui.export.table import SkippedValue, SkippedValues, select_references
from tbtui.loading import payloads as payload_block
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins.pr_curves.export import CURVE_COLUMNS, build_curve_tables
from tests.helpers.curve_snapshots import curve, log_curves
from tests.helpers.log_directory import START

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tbtui.export.table import Table


def tables(root: Path, skipped: SkippedValues | None = None, **how: Any) -> list[Table]:
    snapshot = Loader(parse_sources([str(root)]), reload_seconds=0).load_all().snapshot
    return list(
        build_curve_tables(select_references(snapshot.runs.values(), "pr_curves", **how), skipped or SkippedValues())
    )


def test_pr_curve_table_has_a_row_per_stored_threshold(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {"pr": {3: curve()}})
    (table,) = tables(tmp_path)
    assert (table.run, table.tag, tuple(table.columns)) == ("a", "pr", CURVE_COLUMNS)
    assert "".join(encode_text([table], "csv", CURVE_COLUMNS)).splitlines()[1:] == [
        f"a,pr,3,{START},0.0,0.5,1.0,4.0,4.0,0.0,0.0",
        f"a,pr,3,{START},0.25,0.5,0.75,3.0,3.0,1.0,1.0",
        f"a,pr,3,{START},0.5,0.75,0.75,3.0,1.0,3.0,1.0",
        f"a,pr,3,{START},0.75,1.0,0.5,2.0,0.0,4.0,2.0",
        f"a,pr,3,{START},1.0,0.0,0.0,0.0,0.0,4.0,4.0",
    ]


def test_pr_curve_table_curves_of_different_lengths_follow_each_other(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {"pr": {0: curve(), 1: curve(thresholds=3), 2: curve(thresholds=1)}})
    (table,) = tables(tmp_path)
    assert table.columns["step"].tolist() == [0] * 5 + [1] * 3 + [2]
    assert table.columns["threshold"].tolist() == [0, 0.25, 0.5, 0.75, 1, 0, 0.5, 1, 0]
    assert table.columns["wall_time"].tolist() == [START] * 5 + [START + 10] * 3 + [START + 20]


def test_pr_curve_table_omits_superseded_curves_on_request(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {"pr": {0: curve(thresholds=1), 5: curve(thresholds=1)}})
    log_curves(tmp_path, "a", {"pr": {5: curve(thresholds=1)}}, start=START + 100)
    assert [table.columns["step"].tolist() for table in tables(tmp_path)] == [[0, 5, 5]]
    assert [table.columns["step"].tolist() for table in tables(tmp_path, current=True)] == [[0, 5]]


def test_pr_curve_table_invalid_curve_is_omitted_and_reported(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {"pr": {0: curve(), 5: np.ones((5, 2)), 6: curve()}, "bad": {7: 1.0}})
    skipped = SkippedValues()
    (table,) = tables(tmp_path, skipped)
    assert sorted(set(table.columns["step"].tolist())) == [0, 6]
    reason = "a tensor of shape 5x2 instead of a PR curve, which has 6 rows"
    assert (skipped.requested, skipped.count, skipped.first) == (4, 2, SkippedValue("a", "pr", 5, reason))


def test_pr_curve_table_non_finite_values_are_unchanged(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {"pr": {0: np.full((6, 1), np.nan)}})
    text = "".join(encode_text(tables(tmp_path), "jsonl", CURVE_COLUMNS))
    assert text.endswith(
        '"threshold": 0.0, "precision": "NaN", "recall": "NaN", "tp": "NaN", "fp": "NaN", "tn": "NaN", "fn": "NaN"}\n'
    )


def test_pr_curve_table_reads_files_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log_curves(tmp_path, "a", {"pr": dict.fromkeys(range(20), curve(thresholds=100))})
    whole = tables(tmp_path)
    monkeypatch.setattr(payload_block.read_payloads, "__defaults__", (6000, None))
    parts = tables(tmp_path)
    assert (len(whole), len(parts)) == (1, 10)
    for name in CURVE_COLUMNS:
        joined = np.concatenate([part.columns[name] for part in parts])
        assert np.array_equal(joined, whole[0].columns[name])
