"""Series of histograms: read when needed, cached while unchanged, extended when they grow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.events.histogram import HAS_INFINITE, HAS_NAN
from tbtui.loading.payloads import Payloads
from tbtui.maths.statistics import BASIS_POINTS, interpolate_quantiles
from tbtui.plugins.histograms import cached_statistics as figures_module
from tbtui.plugins.histograms.series import NothingRecordedError, SeriesCache
from tbtui.view.cards import make_card_key
from tests.helpers.histogram_logs import NORMAL, HistogramLogs, described, growing, rows
from tests.helpers.log_directory import START, Clock

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.histograms.series import HistogramSeries
    from tbtui.view.view import View


@pytest.fixture
def logs(tmp_path: Path) -> HistogramLogs:
    return HistogramLogs(tmp_path / "logs")


def load_series(view: View, key: str = make_card_key("a", "w"), data: SeriesCache | None = None) -> HistogramSeries:
    (found,) = (data or SeriesCache(Payloads())).load(view, key)
    return found


def test_series_has_all_steps_of_a_tag_of_one_run(logs: HistogramLogs) -> None:
    logs.add("a", {"w": {step: NORMAL * (step + 1) for step in range(5)}})
    held = load_series(logs.view())
    assert (held.run, held.tag, held.title, len(held)) == ("a", "w", "w", 5)
    assert held.steps.tolist() == [0, 1, 2, 3, 4]
    assert held.x.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert held.wall_times.tolist() == [START + step for step in range(5)]
    assert held.moments.count.tolist() == [len(NORMAL)] * 5
    assert held.moments.std.tolist() == pytest.approx([NORMAL.std() * (step + 1) for step in range(5)])
    assert held.value_range.limits == (-10.0, 15.0)
    assert held.quantiles.shape == (5, len(BASIS_POINTS))
    assert (held.errors, held.anomaly, held.restarts) == ({}, None, ())


@pytest.mark.parametrize(
    ("x_axis", "x"), [("step", [0.0, 2.0, 5.0]), ("relative", [0.0, 2.0, 5.0]), ("wall", [START, START + 2, START + 5])]
)
def test_series_x_axis_values(logs: HistogramLogs, x_axis: Any, x: list[float]) -> None:
    logs.add("a", {"w": dict.fromkeys((0, 2, 5), NORMAL)})
    assert load_series(logs.view(x_axis=x_axis)).x.tolist() == x


def test_series_enormous_steps_are_relative_to_the_least_of_all_runs(logs: HistogramLogs) -> None:
    logs.add("a", {"w": dict.fromkeys((2**60 + 7, 2**60 + 8), NORMAL)}, start=START - 2**60)
    logs.add("b", {"w": dict.fromkeys((2**60, 2**60 + 1), NORMAL)}, start=START - 2**60)
    view, data = logs.view(), SeriesCache(Payloads())
    assert [load_series(view, make_card_key(run, "w"), data).x.tolist() for run in "ab"] == [[7.0, 8.0], [0.0, 1.0]]
    assert load_series(view, make_card_key("a", "w"), data).origin == 2**60


def test_series_earlier_steps_are_skipped(logs: HistogramLogs) -> None:
    logs.add("a", {"w": {step: NORMAL * (step + 1) for step in range(5)}})
    held = load_series(logs.view(skip_steps=3))
    assert held.steps.tolist() == [3, 4]
    assert held.moments.maximum.tolist() == [12.0, 15.0]
    with pytest.raises(NothingRecordedError, match="at steps below 9, which are skipped"):
        load_series(logs.view(skip_steps=9))


def test_series_superseded_steps_after_a_restart(logs: HistogramLogs) -> None:
    logs.add("a", {"w": {step: NORMAL * (step + 1) for step in range(5)}})
    logs.add("a", {"w": dict.fromkeys((3, 4, 5), NORMAL * 100)}, start=START + 100)
    held = load_series(logs.view())
    assert held.steps.tolist() == [0, 1, 2, 3, 4, 5]
    assert held.moments.maximum.tolist() == [3.0, 6.0, 9.0, 300.0, 300.0, 300.0]
    assert held.restarts == (3.0,)
    everything = load_series(logs.view(superseded=True))
    assert everything.steps.tolist() == [0, 1, 2, 3, 3, 4, 4, 5]  # in the order of x
    assert everything.moments.maximum.tolist() == [3.0, 6.0, 9.0, 12.0, 300.0, 15.0, 300.0, 300.0]
    assert everything.select(np.array([3, 4])).rights.max() == 300.0
    assert everything.nearest(3.0) == 4  # the latest of two at one step
    by_time = load_series(logs.view(superseded=True, x_axis="relative"))
    assert by_time.steps.tolist() == [0, 1, 2, 3, 4, 3, 4, 5]
    assert load_series(logs.view(superseded=True, skip_steps=4)).steps.tolist() == [4, 4, 5]


def test_series_restarted_before_the_skipped_steps_is_empty(logs: HistogramLogs) -> None:
    logs.add("a", {"w": dict.fromkeys(range(9), NORMAL)})
    logs.add("a", {"w": {2: NORMAL, 3: NORMAL, 4: NORMAL}}, start=START + 100)
    with pytest.raises(NothingRecordedError):
        load_series(logs.view(skip_steps=5))
    assert load_series(logs.view(skip_steps=5, superseded=True)).steps.tolist() == [5, 6, 7, 8]


def test_series_undrawable_has_a_reason_and_others_stay(logs: HistogramLogs) -> None:
    held = {0: NORMAL, 1: np.array([1.0, np.nan]), 2: np.array([1.0, np.inf]), 3: rows((0, 1, 1), (0.2, 0.9, 1)), 4: []}
    logs.add("a", {"w": held})
    found = load_series(logs.view())
    assert found.errors == {1: HAS_NAN, 2: HAS_INFINITE, 3: "its buckets overlap"}
    assert found.non_finite == {1, 2}
    assert np.isnan(found.moments.mean).tolist() == [False, True, True, True, True]
    assert found.moments.count[4] == 0
    assert (found.nearest(0.4), found.nearest(0.6), found.nearest(None)) == (0, 1, 4)


def test_series_of_runs_together_and_apart(logs: HistogramLogs) -> None:
    for run in "ba":
        logs.add(run, {"w": {0: NORMAL}})
    logs.add("c", {"other": {0: NORMAL}})
    data = SeriesCache(Payloads())
    together = logs.view(runs_together=True)
    assert data.cards(together).keys == ("other", "w")
    assert [each.run for each in data.load(together, "w")] == ["a", "b"]
    apart = logs.view()
    assert data.cards(apart).keys == (make_card_key("c", "other"), make_card_key("a", "w"), make_card_key("b", "w"))
    assert data.load(apart, make_card_key("b", "w")) == data.load(together, "w")[1:]  # nothing was read again
    with pytest.raises(NothingRecordedError, match="no visible run"):
        data.load(logs.view(solo="c"), "w")


def test_series_is_the_same_object_until_a_change(logs: HistogramLogs) -> None:
    logs.add("a", {"w": growing(3)})
    data = SeriesCache(Payloads())
    first, look = load_series(logs.view(), data=data), data.build_load_key(logs.view(), make_card_key("a", "w"))
    assert load_series(logs.view(cursor=1.0), data=data) is first
    assert data.build_load_key(logs.view(cursor=1.0), make_card_key("a", "w")) == look
    for changed in ({"x_axis": "wall"}, {"skip_steps": 10}, {"superseded": True}):
        view = logs.view(**changed)
        assert load_series(view, data=data) is not first
        assert data.build_load_key(view, make_card_key("a", "w")) != look


def test_series_display_names_of_writers(logs: HistogramLogs) -> None:
    logs.add("a", {"w/histogram_summary": {0: described(rows((0, 1, 3)), "Weights", "of **all** layers")}})
    logs.add("b", {"w/histogram_summary": {0: NORMAL}})
    data, view = SeriesCache(Payloads()), logs.view(runs_together=True)
    named, plain = data.load(view, "w/histogram_summary")
    assert (named.title, named.description, plain.title) == ("Weights", "of **all** layers", "w")


# Growth


class Looks:
    """Counts the histograms of which figures are worked out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: list[int] = []
        monkeypatch.setattr(figures_module, "interpolate_quantiles", self._look)

    def _look(self, buckets: Any) -> Any:
        self.counts.append(len(buckets))
        return interpolate_quantiles(buckets)


def test_series_growing_tag_reads_only_new_steps(logs: HistogramLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, data = Looks(monkeypatch), SeriesCache(Payloads())
    logs.add("a", {"w": growing(8)})
    first = load_series(logs.view(), data=data)
    before = first.quantiles, first.moments, first.value_range
    logs.add("a", {"w": {80: NORMAL * 5, 90: NORMAL * 7}})
    more = load_series(logs.view(), data=data)
    assert more is not first
    assert more.lineage is first.lineage
    fresh = load_series(logs.view())
    assert fresh.lineage is not first.lineage
    for name in ("count", "mean", "std", "minimum", "maximum", "is_exact"):
        assert np.array_equal(getattr(more.moments, name), getattr(fresh.moments, name)), name
    assert np.array_equal(more.quantiles, fresh.quantiles)
    assert np.array_equal(more.quantiles[:8], before[0])
    assert more.value_range.limits == fresh.value_range.limits == (-14.0, 21.0)
    assert looks.counts == [8, 2, 10]


def test_series_figures_skipped_in_between_are_complete(logs: HistogramLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, data = Looks(monkeypatch), SeriesCache(Payloads())
    logs.add("a", {"w": growing(8)})
    assert len(load_series(logs.view(), data=data).quantiles) == 8
    for step in (80, 90, 100):
        logs.add("a", {"w": {step: NORMAL}})
        held = load_series(logs.view(), data=data)
    assert len(held.quantiles) == 11
    assert looks.counts == [8, 3]


@pytest.mark.parametrize("how", ["restart", "other x", "replaced"])
def test_series_that_does_not_continue_is_recomputed(logs: HistogramLogs, how: str) -> None:
    data = SeriesCache(Payloads())
    logs.add("a", {"w": growing(8)})
    first = load_series(logs.view(), data=data)
    assert first.value_range.limits == pytest.approx((-1.6, 2.4))
    settings: dict[str, Any] = {}
    if how == "restart":
        logs.add("a", {"w": {30: NORMAL * 9}}, start=START + 100)
    elif how == "other x":
        settings = {"x_axis": "wall"}
    else:
        logs.path("a").unlink()
        logs.add("a", {"w": growing(9, 0.5)})
    held = load_series(logs.view(**settings), data=data)
    assert held.lineage is not first.lineage
    assert np.array_equal(held.moments.std, load_series(logs.view(**settings)).moments.std)


def test_series_failed_read_is_retried_with_later_snapshots(logs: HistogramLogs) -> None:
    logs.add("a", {"w": growing(5)})
    clock = Clock()
    view, data = logs.view(), SeriesCache(Payloads(clock=clock))
    path = logs.path("a")
    path.rename(path.with_name("away"))
    refused = load_series(view, data=data)
    assert len(refused.errors) == 5
    path.with_name("away").rename(path)
    clock.advance(60)
    assert load_series(view, data=data) is refused
    later = replace(view, snapshot=replace(view.snapshot, revision=view.snapshot.revision + 1))
    read = load_series(later, data=data)
    assert read.errors == {}
    assert read.value_range.limits == pytest.approx((-1.0, 1.5))


def test_series_refused_stays_the_same_object(logs: HistogramLogs) -> None:
    logs.add("a", {"w": {0: NORMAL, 1: np.array([np.nan])}})
    view, data = logs.view(), SeriesCache(Payloads())
    first = load_series(view, data=data)
    later = replace(view, snapshot=replace(view.snapshot, revision=view.snapshot.revision + 1))
    assert load_series(later, data=data) is first


def test_series_cache_of_many_tags_is_bounded(logs: HistogramLogs) -> None:
    tags = [f"w{index}" for index in range(6)]
    logs.add("a", {tag: growing(10) for tag in tags})
    view, data = logs.view(), SeriesCache(Payloads(), max_steps=30, min_tags=2)
    first = {tag: load_series(view, make_card_key("a", tag), data) for tag in tags}
    again = {tag: load_series(view, make_card_key("a", tag), data) is first[tag] for tag in reversed(tags)}
    assert again == {"w5": True, "w4": True, "w3": True, "w2": False, "w1": False, "w0": False}


def test_series_evicted_buckets_are_read_again(logs: HistogramLogs) -> None:
    logs.add("a", {"w": growing(5), "v": growing(5, 7.0)})
    data, view = SeriesCache(Payloads(max_bytes=1)), logs.view()
    held = [load_series(view, make_card_key("a", tag), data) for tag in "wv"]
    assert [each.buckets.rights.max() for each in held] == pytest.approx([1.5, 105.0])
    assert [each.select(np.array([0])).rights.max() for each in held] == pytest.approx([0.3, 21.0])
