"""Test reading PR curves from the files of runs that a loader follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.pr_curves import read as pr_curves
from tbtui.plugins.pr_curves.read import CurveReader
from tbtui.store.snapshot import ReferenceSeries
from tests.helpers.curve_snapshots import curve, log_curves
from tests.helpers.log_directory import START

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tbtui.loading.payloads import PayloadBlock
    from tbtui.store.snapshot import RunSnapshot

BETTER = curve((1, 1, 0, 0), (0.9, 0.8, 0.2, 0.1), 5)


class Counted(Payloads):
    """Return a record of the points that were read from files."""

    def __init__(self) -> None:
        super().__init__()
        self.points: list[int] = []

    def read(self, run: RunSnapshot, series: ReferenceSeries, points: Sequence[int]) -> PayloadBlock:
        self.points += points
        return super().read(run, series, points)


def found(loader: Loader, tag: str = "pr") -> tuple[RunSnapshot, ReferenceSeries]:
    run = loader.load_all().snapshot.runs["run"]
    series = run.series[tag]
    assert isinstance(series, ReferenceSeries)
    return run, series


def follow(root: Path) -> Loader:
    return Loader(parse_sources([str(root)]), now=lambda: START)


def test_pr_curves_requested_points_alone_are_read(tmp_path: Path) -> None:
    log_curves(tmp_path, "run", {"pr": {0: curve(), 10: BETTER, 20: curve()}})
    payloads = Counted()
    read = CurveReader(payloads).read(*found(follow(tmp_path)), [1])
    assert payloads.points == [1]
    assert read.rows[1].tolist() == BETTER.astype(np.float32).tolist()
    assert (list(read.rows), dict(read.errors), read.is_retryable) == ([1], {}, False)


def test_pr_curves_cache_stays_within_its_bytes(tmp_path: Path) -> None:
    log_curves(tmp_path, "run", {"pr": dict.fromkeys(range(4), curve())})
    run, series = found(follow(tmp_path))
    payloads = Counted()
    reader = CurveReader(payloads, max_bytes=3 * curve().nbytes)
    for points in ([0], [0, 1], [0, 1, 2]):
        reader.read(run, series, points)
    assert payloads.points == [0, 1, 2]
    assert reader.read(run, series, [1]).rows[1] is reader.read(run, series, [1]).rows[1]
    reader.read(run, series, [3])
    assert reader.nbytes == 3 * curve().nbytes
    payloads.points.clear()
    reader.read(run, series, [1, 0])
    assert payloads.points == [0]


def test_pr_curves_growing_series_reads_only_new_points(tmp_path: Path) -> None:
    log_curves(tmp_path, "run", {"pr": {0: curve()}})
    loader, payloads = follow(tmp_path), Counted()
    reader = CurveReader(payloads)
    reader.read(*found(loader), [0])
    log_curves(tmp_path, "run", {"pr": {1: BETTER}})
    read = reader.read(*found(loader), [0, 1])
    assert payloads.points == [0, 1]
    assert read.rows[1][4].tolist() == [0.5, 1, 1, 1, 0]


def test_pr_curves_replaced_file_is_read_again(tmp_path: Path) -> None:
    path = log_curves(tmp_path, "run", {"pr": {0: curve()}})
    loader, reader = follow(tmp_path), CurveReader(Payloads())
    reader.read(*found(loader), [0])
    path.unlink()
    log_curves(tmp_path, "run", {"pr": {0: BETTER}})
    assert reader.read(*found(loader), [0]).rows[0][5].tolist() == BETTER[5].tolist()


def test_pr_curves_invalid_point_is_refused_and_read_once(tmp_path: Path) -> None:
    log_curves(tmp_path, "run", {"pr": {0: curve(), 1: np.ones((5, 2)), 2: 7.0}})
    run, series = found(follow(tmp_path))
    payloads = Counted()
    reader = CurveReader(payloads)
    for _ in range(2):
        read = reader.read(run, series, [0, 1, 2])
        assert list(read.rows) == [0]
        assert read.errors == {
            1: "a tensor of shape 5x2 instead of a PR curve, which has 6 rows",
            2: "a single number instead of a PR curve, which has 6 rows",
        }
    assert payloads.points == [0, 1, 2]


def test_pr_curves_missing_file_is_retried(tmp_path: Path) -> None:
    path = log_curves(tmp_path, "run", {"pr": {0: curve()}})
    run, series = found(follow(tmp_path))
    reader = CurveReader(Payloads())
    hidden = path.rename(tmp_path / "elsewhere")
    read = reader.read(run, series, [0])
    assert (dict(read.rows), read.errors, read.is_retryable) == ({}, {0: "the file is gone"}, True)
    hidden.rename(path)
    assert list(reader.read(run, series, [0]).rows) == [0]


def test_pr_curves_arrays_are_read_only(tmp_path: Path) -> None:
    log_curves(tmp_path, "run", {"pr": {0: curve()}})
    rows = CurveReader(Payloads()).read(*found(follow(tmp_path)), [0]).rows[0]
    with pytest.raises(ValueError, match="read-only"):
        rows[0, 0] = 1


def test_pr_curves_curve_claiming_gigabytes_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log_curves(tmp_path, "run", {"pr": {0: curve(), 1: np.ones((6, 200)), 2: curve()}})
    run, series = found(follow(tmp_path))
    length = int(series.lengths[1])
    monkeypatch.setattr(pr_curves, "MAX_PAYLOAD_BYTES", length - 1)
    payloads = Counted()
    read = CurveReader(payloads).read(run, series, [0, 1, 2])
    assert (list(read.rows), read.errors) == ([0, 2], {1: f"it has {length:,} bytes, too many to show"})
    assert payloads.points == [0, 2]
