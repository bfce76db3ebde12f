"""Charts of quantile curves: content, cache keys, and the histograms read for them."""

from __future__ import annotations

import gc
import math
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.plugins.distributions.chart import (
    MAX_OUTLINED_RUNS,
    DistributionChartCache,
    format_clipped_label,
    format_settings_label,
)
from tbtui.plugins.histograms.series import NothingRecordedError
from tbtui.settings.settings import ChartSettings, Settings
from tbtui.view.cards import make_card_key
from tests.helpers.buckets import joined
from tests.helpers.histogram_payloads import Made, MadePayloads, normal, run_with, steps_of
from tests.helpers.views import view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.plugins.distributions.chart import DistributionChart
    from tbtui.view.view import View

TWO = {
    "a": {"w1": steps_of(20), "w2": steps_of(20)},
    "b": {"w1": steps_of(20, lambda step: normal(3.0, 1 + step / 10))},
}
A, B = make_card_key("a", "w1"), make_card_key("b", "w1")


class Charts:
    """Runs, and their charts as they are chosen."""

    def __init__(self, runs: Mapping[str, Mapping[str, Made]] = TWO) -> None:
        self.payloads = MadePayloads(runs)
        self.data = DistributionChartCache(self.payloads)
        self.revision = 1

    def view(self, **settings: Any) -> View:
        return view(*(run_with(name, tags, self.revision) for name, tags in self.payloads.runs.items()), **settings)

    def chart(self, key: str = A, **settings: Any) -> DistributionChart:
        return self.data.chart(self.view(**settings), key)


def values_axis(rows: list[np.ndarray], **settings: Any) -> tuple[float, float, str]:  # type: ignore[type-arg]
    """Ends of the axis of values of one run, and what is said of what it leaves out."""
    chart = Charts({"a": {"w": Made(rows)}}).chart(make_card_key("a", "w"), **settings)
    return chart.axes.values.low, chart.axes.values.high, format_clipped_label(chart)


def test_cards_are_per_run_and_tag_or_per_tag() -> None:
    charts = Charts()
    assert charts.data.cards(charts.view()).keys == (A, B, make_card_key("a", "w2"))
    assert charts.data.cards(charts.view(runs_together=True)).keys == ("w1", "w2")
    assert [curves.series.run for curves in charts.chart(B).curves] == ["b"]
    together = charts.chart("w1", runs_together=True)
    assert [curves.series.run for curves in together.curves] == ["a", "b"]
    assert together.together


def test_card_title_is_the_display_name() -> None:
    from tbtui.store.snapshot import Metadata

    named = steps_of(3, metadata=Metadata("histograms", display_name="weights of the first layer"))
    assert Charts({"a": {"w": named}}).chart(make_card_key("a", "w")).title == "weights of the first layer"
    plain = Charts({"a": {"conv/kernel/histogram": steps_of(3)}})
    assert plain.chart(make_card_key("a", "conv/kernel/histogram")).title == "conv/kernel"


# What charts depend on


ALTERING: tuple[dict[str, Any], ...] = (
    {"x_axis": "wall"},
    {"x_axis": "relative"},
    {"x_scale": "log"},
    {"y_scale": "symlog"},
    {"x_range": (3.0, 9.0)},
    {"skip_steps": 5},
    {"superseded": True},
    {"outliers": "keep"},
    {"charts": {A: ChartSettings(y_range=(0.0, 1.0))}},
    {"hidden_runs": frozenset({"b"})},
)


@pytest.mark.parametrize("settings", ALTERING, ids=str)
def test_fingerprint_changes_with_the_chart(settings: dict[str, Any]) -> None:
    charts = Charts()
    assert charts.data.build_chart_key(charts.view(**settings), A) != charts.data.build_chart_key(charts.view(), A)


@pytest.mark.parametrize(
    "settings",
    [
        {"cursor": 3.0},
        {"focus": "b"},
        {"histogram_look": "ridges"},
        {"heat_scale": "linear"},
        {"bucket_rows": True},
        {"smoothing": 0.9},
        {"charts": {B: ChartSettings(y_range=(0.0, 1.0))}},
    ],
    ids=str,
)
def test_chart_is_the_same_object_for_unrelated_changes(settings: dict[str, Any]) -> None:
    charts = Charts()
    assert charts.chart() is charts.chart(**settings)


def test_chart_follows_its_run_and_runs_on_its_axis() -> None:
    charts = Charts()
    first = charts.chart()
    charts.revision = 2
    charts.payloads.runs = {**TWO, "b": {"w1": steps_of(21, lambda step: normal(3.0, 1 + step))}}
    grown = charts.chart()
    assert grown is not first
    assert grown.axes.values.high > first.axes.values.high


# What is read


def test_only_visible_tags_are_read() -> None:
    charts = Charts()
    charts.chart()
    assert set(charts.payloads.asked) == {("a", "w1"), ("b", "w1")}
    charts.payloads.asked.clear()
    charts.chart(cursor=4.0)
    assert not charts.payloads.asked
    charts.chart(y_scale="log", x_range=(2.0, 5.0))
    assert {tag for _, tag in charts.payloads.asked} <= {"w1"}


def test_undrawable_histogram_has_a_message() -> None:
    charts = Charts()
    with pytest.raises(NothingRecordedError, match="no visible run has a histogram of this tag"):
        charts.chart("gone")
    with pytest.raises(NothingRecordedError, match="all histograms are at steps below 50, which are skipped"):
        charts.chart(skip_steps=50)


# Axes


def test_separate_runs_share_a_value_axis() -> None:
    charts = Charts()
    assert charts.chart(A).axes.values == charts.chart(B).axes.values
    assert charts.chart(A).axes.values.high >= 3 + 3.25 * 2.9


def test_small_cards_ignore_extreme_values() -> None:
    whole, small = (Charts().chart(A, overview=overview).axes.values for overview in (False, True))
    assert small.high - small.low < 0.8 * (whole.high - whole.low)


def test_overlaid_runs_have_an_axis_for_the_drawn_curves() -> None:
    apart, together = Charts().chart(A), Charts().chart("w1", runs_together=True)
    assert together.axes.along == apart.axes.along
    assert together.axes.values.high < apart.axes.values.high / 1.5
    outlines = np.concatenate([curves.values[:, 2:7].ravel() for curves in together.curves])
    assert together.axes.values.low <= outlines.min()
    assert outlines.max() <= together.axes.values.high


def test_crowded_axis_covers_medians_only() -> None:
    runs = {f"r{index:02}": {"w": steps_of(5, lambda _step: normal(0.0, 1.0))} for index in range(MAX_OUTLINED_RUNS)}
    assert Charts(runs).chart("w", runs_together=True).axes.values.high >= 1
    runs["one more"] = {"w": steps_of(5, lambda _step: normal(0.01, 1.0))}
    assert Charts(runs).chart("w", runs_together=True).axes.values.high < 0.1


def test_complete_chart_has_no_note() -> None:
    assert values_axis([normal(), normal(1.0)])[2] == ""


def test_outlier_does_not_flatten_the_chart_and_is_reported() -> None:
    far = joined([-1.0, 0.0, 1.0, 500.0, 501.0], [500.0, 500.0, 0.0, 1.0])
    low, high, said = values_axis([normal(0.0, 0.3)] * 50 + [far] + [normal(0.0, 0.3)] * 50)
    assert high < 20
    assert said == "values up to 501 not shown"
    low, high, said = values_axis([far] * 100, outliers="keep")
    assert (high >= 501, said) == (True, "")
    assert low <= -1


def test_values_outside_a_log_axis_are_reported() -> None:
    assert values_axis([normal(1.0)] * 3, y_scale="log")[2] == "values down to -2.25 not shown"
    assert values_axis([normal(9.0)] * 3, y_scale="log")[2] == ""


def test_replaced_series_of_a_grown_run_are_released() -> None:
    charts, key = Charts({"a": {"w": steps_of(5)}}), make_card_key("a", "w")
    former = weakref.ref(charts.chart(key).series[0])
    charts.revision = 2
    charts.payloads.runs = {"a": {"w": steps_of(6)}}
    assert len(charts.chart(key).curves[0].x) == 6
    gc.collect()
    assert former() is None


def test_limits_set_by_hand_have_no_note() -> None:
    key = make_card_key("a", "w")
    chosen = {key: ChartSettings(y_range=(-0.5, 0.5))}
    assert values_axis([normal()] * 3, charts=chosen) == (-0.5, 0.5, "")


def test_growing_runs_keep_their_axes_while_they_fit() -> None:
    runs = {"a": {"w": steps_of(18, lambda step: normal(step / 100))}}
    charts, key = Charts(runs), make_card_key("a", "w")
    first = charts.chart(key).axes
    charts.revision = 2
    charts.payloads.runs = {"a": {"w": steps_of(20, lambda step: normal(step / 100))}}
    assert charts.chart(key).axes.values == first.values
    charts.revision = 3
    charts.payloads.runs = {"a": {"w": steps_of(23, lambda step: normal(step / 100))}}
    assert charts.chart(key).axes.along.high > 22


# Charts in which nothing can be seen


@pytest.mark.parametrize(
    ("made", "settings", "why"),
    [
        (Made(["a NaN is among the values of this step"] * 3), {}, "a NaN is among the values of this step"),
        (Made([np.zeros((0, 3))] * 3), {}, "no values in any histogram"),
        (Made([normal(-9.0)] * 3), {"y_scale": "log"}, "all values ≤ 0: none fits a log axis"),
        (Made([normal()]), {"x_scale": "log"}, "every step is ≤ 0: none fits a log axis"),
        (Made([normal()] * 3), {"x_range": (7.0, 9.0)}, "no histogram between step 7 and 9"),
        (
            Made([normal()] * 3),
            {"charts": {make_card_key("a", "w"): ChartSettings(y_range=(50.0, 60.0))}},
            "no value here between 50 and 60",
        ),
        (Made([normal()], wall_times=(math.nan,)), {"x_axis": "wall"}, "no histogram of this tag has a time"),
    ],
)
def test_empty_chart_has_a_reason(made: Made, settings: dict[str, Any], why: str) -> None:
    assert Charts({"a": {"w": made}}).chart(make_card_key("a", "w"), **settings).empty_reason == why


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (Settings(), "x step"),
        (Settings(runs_together=True, overview=True), "runs together · overview of 98 % of values · x step"),
        (Settings(y_scale="log", outliers="keep"), "y log · outliers kept · x step"),
        (Settings(skip_steps=50, cursor=60.0), "x step · from step 50 on · @ step 60"),
    ],
)
def test_chart_settings_are_described(settings: Settings, text: str) -> None:
    assert format_settings_label(settings) == text
    assert format_settings_label(settings, "w") == text.replace("overview of 98 % of values · ", "")
