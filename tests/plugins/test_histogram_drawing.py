"""Histograms in bins, as curves and as cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.cells import HEAT_FROM, Ink
from tbtui.loading.payloads import Payloads
from tbtui.maths.histograms import rebin
from tbtui.plugins.histograms import chart as bins_module
from tbtui.plugins.histograms.chart import BinnedCache, bin_shares
from tbtui.plugins.histograms.painter import HistogramRenderer
from tbtui.plugins.histograms.pictures import choose_bars_width, with_selected
from tbtui.plugins.histograms.readout import HistogramChartCache, format_outside_label
from tbtui.plugins.histograms.series import SeriesCache
from tbtui.settings.chart_navigation import CursorState
from tbtui.view.cards import make_card_key
from tests.helpers.histogram_logs import NORMAL, HistogramLogs, growing, rows
from tests.helpers.views import picture

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.histograms.readout import HistogramChart
    from tbtui.plugins.histograms.series import HistogramSeries
    from tbtui.view.view import View

EDGES = np.linspace(-4, 4, 17)
KEY = make_card_key("a", "w")


@pytest.fixture
def logs(tmp_path: Path) -> HistogramLogs:
    made = HistogramLogs(tmp_path / "logs")
    made.add("a", {"w": growing(12)})
    return made


class Binned:
    """Counts the histograms that are binned."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: list[int] = []
        monkeypatch.setattr(bins_module, "rebin", self._bin)

    def _bin(self, buckets: Any, edges: Any) -> Any:
        self.counts.append(len(buckets))
        return rebin(buckets, edges)


def load_series(data: SeriesCache, view: View) -> HistogramSeries:
    (found,) = data.load(view, KEY)
    return found


def chart_of(logs: HistogramLogs, **settings: Any) -> HistogramChart:
    return HistogramChartCache(Payloads()).chart(logs.view(**settings), "w" if settings.get("runs_together") else KEY)


# Bins


def test_counts_are_cached_and_extended(logs: HistogramLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, bins, data = Binned(monkeypatch), BinnedCache(), SeriesCache(Payloads())
    first = bins.counts(load_series(data, logs.view()), EDGES)
    assert first.sum(axis=1) == pytest.approx([len(NORMAL)] * 12)
    assert bins.counts(load_series(data, logs.view()), EDGES) is first
    logs.add("a", {"w": {500: NORMAL}})
    grown = bins.counts(load_series(data, logs.view()), EDGES)
    assert len(grown) == 13
    assert np.array_equal(grown[:12], first)
    bins.counts(load_series(data, logs.view()), EDGES * 2)
    assert looks.counts == [12, 1, 13]


def test_counts_of_other_histograms_are_recomputed(logs: HistogramLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, bins, data = Binned(monkeypatch), BinnedCache(), SeriesCache(Payloads())
    bins.counts(load_series(data, logs.view()), EDGES)
    bins.counts(load_series(data, logs.view(skip_steps=50)), EDGES)
    logs.path("a").unlink()
    logs.add("a", {"w": growing(14, 0.01)})
    assert bins.counts(load_series(data, logs.view()), EDGES)[0, 7:9].sum() == len(NORMAL)
    assert looks.counts == [12, 7, 14]


def test_counts_cache_is_bounded(logs: HistogramLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, data = Binned(monkeypatch), SeriesCache(Payloads())
    held = load_series(data, logs.view())
    bins = BinnedCache(max_bytes=3 * 12 * 16 * 8)
    for scale in (1, 2, 3, 4, 4, 1):
        bins.counts(held, EDGES * scale)
    assert looks.counts == [12] * 5


def test_colour_shares_of_counts() -> None:
    counts = np.array([[1.0, 3.0], [0.0, 0.0], [np.nan, np.nan]])
    shares = bin_shares(counts, np.array([8.0, 0.0, np.nan]))
    assert shares[:2].tolist() == [[0.125, 0.375], [0.0, 0.0]]
    assert np.isnan(shares[2]).all()


# Curves


@given(
    st.sets(st.integers(0, 50), min_size=1, max_size=12).map(sorted),
    st.lists(st.integers(0, 50), max_size=2),
)
def test_selected_step_replaces_the_nearest_drawn_one(usual: list[int], chosen: list[int]) -> None:
    drawn = with_selected(np.array(usual), chosen)
    assert np.all(np.diff(drawn) > 0)
    assert len(drawn) <= len(usual)
    if len(usual) >= len(set(chosen)):
        assert set(chosen) <= set(drawn.tolist())
    if set(chosen) <= set(usual):
        assert drawn.tolist() == usual


# Cells


def test_chart_unchanged_is_drawn_once(logs: HistogramLogs) -> None:
    data, drawing = HistogramChartCache(Payloads()), HistogramRenderer()
    view = logs.view()
    first = drawing._draw_picture(data.chart(view, KEY), 80, 20, CursorState(), ())
    assert drawing._draw_picture(data.chart(logs.view(cursor=30.0), KEY), 80, 20, CursorState(30.0), ()) is first
    assert (
        drawing._draw_picture(data.chart(logs.view(heat_scale="linear"), KEY), 80, 20, CursorState(), ()) is not first
    )


def test_chart_with_equal_content_is_equal(logs: HistogramLogs) -> None:
    logs.add("b", {"w": growing(3)})
    data = HistogramChartCache(Payloads())
    first = data.chart(logs.view(), KEY)
    logs.add("b", {"w": {30: NORMAL * 0.1}})  # within what is shown
    assert data.chart(logs.view(), KEY) is first
    logs.add("b", {"w": {40: NORMAL * 10}})
    assert data.chart(logs.view(), KEY) is not first


def test_runs_of_a_tag_share_a_colour_scale(logs: HistogramLogs) -> None:
    logs.add("b", {"w": {10 * step: np.full(50, 0.1) for step in range(12)}})
    data, drawing = HistogramChartCache(Payloads()), HistogramRenderer()
    view = logs.view()
    scales = [
        drawing._draw_picture(
            data.chart(view, make_card_key(run, "w")), 80, 20, CursorState(), data.find_sharing_series(view, KEY)
        ).picture.scale  # type: ignore[attr-defined]
        for run in "ab"
    ]
    assert scales[0].top == scales[1].top == 1.0
    alone = drawing._draw_picture(data.chart(logs.view(solo="a"), KEY), 80, 20, CursorState(), ())
    assert alone.picture.scale.top < 1.0  # type: ignore[attr-defined]


@pytest.mark.parametrize(("width", "columns"), [(89, 0), (90, 19), (120, 25), (400, 33)])
def test_bars_have_minimum_room(width: int, columns: int) -> None:
    assert choose_bars_width(width) == columns


def test_bars_are_aligned_with_the_plot(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {"w": {0: rows((0, 1, 4), (1, 2, 0), (2, 3, 2)), 10: rows((0, 1, 1), (1, 2, 8), (2, 3, 1))}})
    chart = chart_of(logs)
    drawn = HistogramRenderer().draw_opened(chart, 120, 13)
    assert drawn.cells.width == 120
    assert drawn.plot is not None
    end = drawn.plot.left + drawn.plot.width
    bars = {y: drawn.cells.get_row_text(y)[end + 1 : end + 25].count("█") for y in range(12)}
    assert max(bars, key=bars.get) in range(4, 8)  # type: ignore[arg-type]
    assert all(bars[y] > 0 for y in range(12))
    assert int(drawn.cells.inks[6, end + 1]) == chart.series[0].ink
    text = picture(drawn.cells)
    assert "%" in text.splitlines()[0]  # the legend stays, at the right of the bars
    with_cursor = HistogramRenderer().draw_opened(chart, 120, 13, CursorState(0.0))
    assert int(with_cursor.cells.inks[10, end + 1]) == Ink.ACCENT


def test_bars_lose_no_cell(logs: HistogramLogs) -> None:
    chart, drawing = chart_of(logs), HistogramRenderer()
    plain = drawing.body(chart, 120 - choose_bars_width(120), 20, CursorState(110.0))
    with_bars = drawing.draw_opened(chart, 120, 20, CursorState(110.0))
    assert plain.plot == with_bars.plot
    assert "110" in with_bars.cells.get_row_text(19)  # a label at the end of the axis reaches beyond the plot
    heat = plain.cells.inks >= HEAT_FROM
    assert np.count_nonzero(with_bars.cells.inks >= HEAT_FROM) == np.count_nonzero(heat)


@pytest.mark.parametrize("look", ["heat", "ridges", "overlay"])
@pytest.mark.parametrize("together", [False, True])
def test_values_outside_may_exceed_any_float(tmp_path: Path, look: Any, *, together: bool) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    for run in "ab":
        logs.add(run, {"w": {step: rows((-2, -1, 1.5e308), (1, 2, 3)) for step in range(3)}})
    chart = chart_of(logs, y_scale="log", histogram_look=look, runs_together=together)
    drawn = HistogramRenderer().draw_opened(chart, 80, 24)
    assert format_outside_label(drawn.outside) == "1.8e308 values outside"
