"""Curves of the charts of a view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.loading.payloads import Payloads
from tbtui.plugins.pr_curves.chart import CurveChartCache
from tbtui.plugins.shown_steps import NoValueError
from tbtui.settings.settings import ChartSettings
from tests.helpers.curve_logs import NAN, PERFECT, POOR, log_runs, view_in
from tests.helpers.curve_snapshots import curve, log_curves
from tests.helpers.loaded_logs import LoadedLogs
from tests.helpers.log_directory import START

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tbtui.loading.payloads import PayloadBlock
    from tbtui.plugins.pr_curves.chart import Chart
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

CAT = "pr/cat"


class Counted(Payloads):
    """Tells how many payloads were read."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def read(self, run: RunSnapshot, series: ReferenceSeries, points: Sequence[int]) -> PayloadBlock:
        self.count += len(points)
        return super().read(run, series, points)


def chart_in(root: Path, key: str = CAT, **settings: Any) -> Chart:
    return CurveChartCache(Payloads()).chart(view_in(root, **settings), key)


def steps(chart: Chart) -> dict[str, int]:
    return {each.run: each.step for each in chart.runs}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    log_runs(tmp_path)
    return tmp_path


def test_cards_are_per_tag_even_if_runs_are_separate_elsewhere(logs: Path) -> None:
    for together in (False, True):
        cards = CurveChartCache(Payloads()).cards(view_in(logs, runs_together=together))
        assert cards.keys == (CAT, "pr/dog")
        assert cards.title_of(CAT) == CAT


def test_chart_shows_the_newest_curve_of_each_run(logs: Path) -> None:
    chart = chart_in(logs)
    assert steps(chart) == {"a": 20, "b": 40}
    assert [each.area for each in chart.runs] == [1, pytest.approx(0.8125)]


@pytest.mark.parametrize(
    ("cursor", "shown"),
    [(0, (0, 0)), (10, (10, 0)), (12, (10, 20)), (15, (10, 20)), (20, (20, 20)), (30, (20, 20)), (31, (20, 40))],
)
def test_chart_cursor_selects_the_nearest_and_earlier_step(logs: Path, cursor: float, shown: tuple[int, int]) -> None:
    assert tuple(steps(chart_in(logs, cursor=float(cursor))).values()) == shown


def test_chart_cursor_on_time_axes_selects_the_nearest(logs: Path) -> None:
    # Each run logs every ten seconds, the second one begins 1000 seconds later.
    assert steps(chart_in(logs, x_axis="relative", cursor=11.0)) == {"a": 10, "b": 20}
    assert steps(chart_in(logs, x_axis="wall", cursor=START + 1019)) == {"a": 20, "b": 40}


def test_stops_are_the_steps_of_all_curves(logs: Path) -> None:
    data = CurveChartCache(Payloads())
    assert data.stops(view_in(logs), CAT).tolist() == [0, 10, 20, 40]
    assert data.stops(view_in(logs, x_axis="relative"), CAT).tolist() == [0, 10, 20]
    walls = data.stops(view_in(logs, x_axis="wall"), CAT) - START
    assert walls.tolist() == [0, 10, 20, 1000, 1010, 1020]
    assert data.stops(view_in(logs, skip_steps=15), CAT).tolist() == [20, 40]


def test_chart_interval_adds_a_second_step(logs: Path) -> None:
    first, second = chart_in(logs, cursor=20.0, mark=0.0).runs
    assert (first.marked_step, second.marked_step) == (0, 0)
    assert first.marked is not None
    assert first.marked.area == 0.5
    beside, other = chart_in(logs, cursor=20.0, mark=18.0).runs
    assert (beside.marked_step, other.marked_step) == (10, 0)  # a neighbour: a step is never compared with itself
    assert chart_in(logs, mark=0.0).runs[0].marked is None


def test_chart_tag_of_one_run_shows_that_run(logs: Path) -> None:
    assert steps(chart_in(logs, "pr/dog")) == {"a": 0}
    with pytest.raises(NoValueError, match="no visible run has a curve of this tag"):
        chart_in(logs, "pr/dog", hidden_runs=frozenset({"a"}))


def test_chart_fully_skipped_runs_are_dropped(logs: Path) -> None:
    assert steps(chart_in(logs, skip_steps=25)) == {"b": 40}
    assert steps(chart_in(logs, skip_steps=15, cursor=0.0)) == {"a": 20, "b": 20}
    with pytest.raises(NoValueError, match="all curves are at steps below 50, which are skipped"):
        chart_in(logs, skip_steps=50)


def test_chart_superseded_curves_are_shown_on_request(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {CAT: {0: POOR, 10: POOR, 20: POOR}})
    log_curves(tmp_path, "a", {CAT: {5: POOR, 10: PERFECT}}, start=START + 100)
    data = CurveChartCache(Payloads())
    assert data.stops(view_in(tmp_path), CAT).tolist() == [0, 5, 10]
    assert steps(chart_in(tmp_path, cursor=20.0)) == {"a": 10}
    stops = data.stops(view_in(tmp_path, superseded=True), CAT)
    np.testing.assert_allclose(stops, [0, 5, 10, 10, 20])
    assert steps(chart_in(tmp_path, superseded=True, cursor=float(stops[2]))) == {"a": 10}
    assert chart_in(tmp_path, superseded=True, cursor=float(stops[2])).runs[0].area == 0.5
    chart = chart_in(tmp_path, superseded=True, cursor=20.0)
    assert (chart.runs[0].step, chart.runs[0].area) == (20, 0.5)
    chart = chart_in(tmp_path, superseded=True, cursor=10.0)
    assert (chart.runs[0].step, chart.runs[0].area) == (10, 1)  # of two at one step the later
    assert steps(chart_in(tmp_path, superseded=True)) == {"a": 20}


def test_axes_cover_0_to_1_and_raw_curves(tmp_path: Path) -> None:
    odd = curve()
    odd[4, 1], odd[5, 0] = 1.5, -0.25
    log_curves(tmp_path, "a", {CAT: {0: curve()}, "odd": {0: odd}, "nan": {0: NAN}})
    for key, limits in ((CAT, (0, 1, 0, 1)), ("odd", (-0.25, 1, 0, 1.5)), ("nan", (0, 1, 0, 1))):
        chart = chart_in(tmp_path, key)
        assert (chart.x_axis.low, chart.x_axis.high, chart.y_axis.low, chart.y_axis.high) == limits


def test_axes_set_by_hand_are_per_card_and_linear(logs: Path) -> None:
    own = {CAT: ChartSettings(across_range=(0.5, None), y_range=(0.25, 0.75), x_range=(7.0, 9.0), y_scale="log")}
    chart = chart_in(logs, charts=own, x_range=(100.0, 200.0), y_scale="log", linked=True)
    assert (chart.x_axis.low, chart.x_axis.high) == (0.5, 1)
    assert (chart.y_axis.low, chart.y_axis.high) == (0.25, 0.75)
    assert (chart.x_axis.scale, chart.y_axis.scale) == ("linear", "linear")


def test_chart_unreadable_curve_leaves_the_other_runs(logs: Path) -> None:
    log_curves(logs, "c", {CAT: {0: np.ones((5, 3))}})
    *others, unreadable = chart_in(logs).runs
    assert [each.error for each in others] == ["", ""]
    assert unreadable.curve is None
    assert unreadable.error == "a tensor of shape 5x3 instead of a PR curve, which has 6 rows"
    assert chart_in(logs).empty_reason == ""


def test_chart_without_curves_has_a_reason(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {"shape": {0: np.ones((5, 3))}, "nan": {0: NAN}, "pr": {0: curve()}})
    assert chart_in(tmp_path, "shape").empty_reason.startswith("a tensor of shape 5x3 instead of")
    assert chart_in(tmp_path, "nan").empty_reason == "no point of the curve is a number"
    away = {"pr": ChartSettings(across_range=(0.0, 0.4), y_range=(0.0, 0.9))}
    assert chart_in(tmp_path, "pr", charts=away).empty_reason == "no curve at recall 0–0.4 and precision 0–0.9"
    log_curves(tmp_path, "b", {"nan": {0: NAN}})
    assert chart_in(tmp_path, "nan").empty_reason == "no point of any curve is a number"


def test_chart_title_is_the_display_name(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {"pr/pr_curves": {0: curve()}, "cat/pr_curves": {0: curve()}}, display_name="the cat")
    log_curves(tmp_path, "b", {"dog/pr_curves": {0: curve()}})
    assert chart_in(tmp_path, "pr/pr_curves").title == "the cat"
    assert chart_in(tmp_path, "dog/pr_curves").title == "dog"


def test_chart_step_changes_read_each_curve_once(logs: Path) -> None:
    payloads = Counted()
    data = CurveChartCache(payloads)
    for cursor in (None, 0.0, 10.0, 20.0, 0.0, None):
        data.chart(view_in(logs, cursor=cursor), CAT)
    assert payloads.count == 6


def test_chart_is_the_same_object_while_unchanged(logs: Path) -> None:
    data = CurveChartCache(Payloads())
    chart = data.chart(view_in(logs), CAT)
    assert data.chart(view_in(logs), CAT) is chart
    assert data.chart(view_in(logs, cursor=45.0), CAT) is chart
    log_curves(logs, "a", {CAT: {15: PERFECT}})  # an earlier step than the cursor's
    assert data.chart(view_in(logs, cursor=10.0), CAT) is not chart


def test_chart_live_follows_newest_and_keeps_a_chosen_step(logs: Path) -> None:
    data, loaded = CurveChartCache(Payloads()), LoadedLogs(logs)
    assert steps(data.chart(loaded.view(), CAT)) == {"a": 20, "b": 40}
    log_curves(logs, "a", {CAT: {60: POOR}})
    assert steps(data.chart(loaded.view(), CAT)) == {"a": 60, "b": 40}
    assert steps(data.chart(loaded.view(cursor=20.0), CAT)) == {"a": 20, "b": 20}


def test_chart_missing_file_is_reported_and_found_again(logs: Path) -> None:
    view, data = view_in(logs), CurveChartCache(Payloads())
    path = next((logs / "a").iterdir())
    hidden = path.rename(logs / "elsewhere")
    assert [each.error for each in data.chart(view, CAT).runs] == ["the file is gone", ""]
    hidden.rename(path)
    assert [each.error for each in data.chart(view, CAT).runs] == ["", ""]


def test_chart_cache_is_bounded_in_bytes(logs: Path) -> None:
    payloads = Counted()
    data = CurveChartCache(payloads, max_bytes=2 * curve().nbytes)
    first = data.chart(view_in(logs), CAT)
    data.chart(view_in(logs), "pr/dog")
    again = data.chart(view_in(logs), CAT)
    assert again is not first
    assert again == first
    assert payloads.count == 3
