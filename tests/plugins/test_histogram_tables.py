"""The tables below an opened chart of histograms."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.charts.cells import Ink
from tbtui.loading.payloads import Payloads
from tbtui.plugins.histograms import readout
from tbtui.plugins.histograms import readout_table as bucket_table_module
from tbtui.plugins.histograms.readout import StepReadout, build_cursor_readout
from tbtui.plugins.histograms.readout_table import build_bucket_table, step_table
from tbtui.plugins.histograms.series import SeriesCache
from tbtui.settings.chart_navigation import CursorState
from tests.helpers.buckets import buckets_of
from tests.helpers.histogram_logs import NORMAL, HistogramLogs, growing, rows
from tests.helpers.property_examples import examples
from tests.helpers.views import picture

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tbtui.charts.cells import Cells
    from tbtui.maths.histograms import Buckets
    from tbtui.plugins.histograms.series import HistogramSeries


@pytest.fixture
def runs(tmp_path: Path) -> tuple[HistogramSeries, ...]:
    """Two that tell their sums, and one that has ended early and does not."""
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {"w": growing(20)})
    logs.add("b", {"w": {**growing(19, 0.2), 190: np.array([1.0, np.nan])}})
    logs.add("c", {"w": {0: rows((0, 2, 1), (2, 4, 1)), 50: rows((4, 4, 3))}})
    return SeriesCache(Payloads()).load(logs.view(runs_together=True), "w")


def cells_of(table: tuple[Cells, Cells, Any]) -> list[list[str]]:
    header, body, _ = table
    return [line.split() for line in (picture(header) + "\n" + picture(body)).splitlines()]


def test_table_has_one_row_per_run(runs: tuple[HistogramSeries, ...]) -> None:
    table = step_table(runs, 140, CursorState())
    lines = cells_of(table)
    assert lines[0][:8] == ["run", "step", "count", "mean", "std", "min", "max", "median"]
    assert lines[1][:8] == ["●", "a", "190", "19", "0.105", "1.9972", "-4", "6"]
    assert lines[2][:9] == ["●", "b", "190", "✗", "–", "–", "–", "–", "–"]
    assert lines[3][:9] == ["●", "c", "50", "3", "4", "0", "4", "4", "4"]
    assert table[2] == ("a", "b", "c")


def test_table_figures_from_buckets_are_labelled(runs: tuple[HistogramSeries, ...]) -> None:
    lines = cells_of(step_table(runs, 140, CursorState(0.0)))
    assert lines[3][:8] == ["●", "c", "0", "2", "~2", "~1", "0", "4"]
    assert not any("~" in word for word in lines[1][:8])


def test_table_differences_to_the_marked_step(runs: tuple[HistogramSeries, ...]) -> None:
    lines = cells_of(step_table(runs, 140, CursorState(190.0, 0.0)))
    assert lines[0][3:11] == ["mean", "Δ", "mean", "std", "Δ", "std", "min", "max"]
    assert lines[1][4:8] == ["0.105", "+0.1", "1.9972", "+1.897"]
    assert lines[2][4:8] == ["–"] * 4
    assert lines[3][4:8] == ["4", "~+2", "0", "~-1"]


def test_table_differences_to_the_baseline(runs: tuple[HistogramSeries, ...]) -> None:
    lines = cells_of(step_table(runs, 140, CursorState(0.0, baseline="a")))
    assert lines[1][5] == "Δ0"
    assert lines[2][4:6] == ["0.01053", "+0.00526"]


def test_table_computes_one_median_per_histogram(
    runs: tuple[HistogramSeries, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[int] = []

    def quantiles(buckets: Buckets, points: Sequence[float]) -> Any:
        computed.append(len(buckets))
        return original(buckets, points)

    original = readout.interpolate_quantiles
    monkeypatch.setattr(readout, "interpolate_quantiles", quantiles)
    step_table(runs[:1], 140, CursorState(190.0, 0.0))
    assert computed == [1, 1]  # each for its cell, the mark of an exact value, and the difference


def test_table_rows_follow_the_chosen_order(runs: tuple[HistogramSeries, ...]) -> None:
    assert step_table(runs, 140, CursorState(0.0), "b")[2] == ("b", "a", "c")
    assert step_table(runs, 140, CursorState(0.0, order="descending"), "b")[2] == ("c", "b", "a")
    assert step_table(runs, 140, CursorState(None, order="descending"), "b")[2] == ("c", "a", "b")  # NaN comes last
    assert step_table(runs, 140, CursorState(0.0, focus="b", order="nearest"), "a")[2] == ("b", "a", "c")
    assert cells_of(step_table(runs, 140, CursorState(0.0, order="descending")))[0][3:5] == ["mean", "▼"]


@pytest.mark.parametrize("width", [0, 1, 5, 12, 20, 33, 47, 80, 300])
def test_table_of_any_width_fits(runs: tuple[HistogramSeries, ...], width: int) -> None:
    for pointer in (CursorState(), CursorState(10.0, 50.0)):
        header, body, _ = step_table(runs, width, pointer)
        assert (header.width, body.width, body.height) == (width, width, 3)
        header, body = build_bucket_table(build_cursor_readout(runs[0], pointer), width)
        assert (header.width, body.width, body.height) == (width, width, 30)


# Buckets


def reading_of(histogram: Any) -> StepReadout:
    buckets = buckets_of([histogram])

    class Held:
        ink = 3

        def select(self, _rows: Any) -> Buckets:
            return buckets

    return StepReadout(Held(), 0)  # type: ignore[arg-type]


def test_buckets_are_listed_as_stored() -> None:
    header, body = build_bucket_table(
        reading_of([(0, 0.5, 3), (0.5, 0.5, 0), (0.5, 1e-3 + 0.5, 1e6), (2, 1e30, 0.25)]), 100
    )
    lines = picture(body).splitlines()
    assert picture(header).split() == ["from", "to", "count", "share", "up", "to", "here"]
    assert [line.split()[:3] for line in lines] == [
        ["0", "0.5", "3"],
        ["0.5", "0.5", "0"],
        ["0.5", "0.501", "1000000"],
        ["2", "1e30", "0.25"],
    ]
    assert [line.split("%")[0].split()[-1] for line in lines] == ["<.01", "0", "100.00", "<.01"]
    assert lines[2].endswith("█" * 48)
    assert "▏" in lines[0]
    assert (body.inks[1, :30] == Ink.DIM).all()
    assert int(body.inks[2, -1]) == 3


def test_buckets_empty_histogram_has_no_rows() -> None:
    header, body = build_bucket_table(reading_of([]), 80)
    assert (body.height, picture(header).split()[0]) == (0, "from")


def test_buckets_long_lists_are_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_table_module, "MAX_BUCKET_ROWS", 5)
    _, body = build_bucket_table(reading_of([(step, step + 1, 1) for step in range(1005)]), 80)
    assert body.height == 6
    assert picture(body).splitlines()[-1] == "  ⋯ and 1,000 more buckets"


@settings(max_examples=examples(60))
@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=30, unique=True).map(sorted))
def test_buckets_distinct_edges_read_differently(edges: list[float]) -> None:
    _, body = build_bucket_table(reading_of([(left, right, 1) for left, right in pairwise(edges)]), 200)
    texts = [line.split()[0] for line in picture(body).splitlines()]
    assert len(set(texts)) == len(edges) - 1
    assert [float(text) for text in texts] == pytest.approx(edges[:-1], rel=1e-4)


def test_buckets_few_numbers_are_all_shown(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {"w": {0: NORMAL}})
    (held,) = SeriesCache(Payloads()).load(logs.view(runs_together=True), "w")
    _, body = build_bucket_table(build_cursor_readout(held, CursorState()), 120)
    assert sum(float(line.split()[2]) for line in picture(body).splitlines()) == len(NORMAL)
