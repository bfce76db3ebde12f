"""Labels of the Scalars tab, and the reasons why a chart is empty."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.plugins.scalars.chart import NoPointsError, ScalarData
from tbtui.plugins.scalars.chart_labels import format_settings_label, format_smoothing_label
from tbtui.settings.settings import ChartSettings, Settings
from tests.helpers.views import plain_view, run_of, series, view

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(
    ("smoothing", "word"),
    [
        (0.6, ".60"),
        (0.999, ".999"),
        (0.05, ".05"),
        (0.1 + 0.2, ".30"),
        (0, "off"),
        (-1, "off"),
        (1, "1.00"),
        (0.995, ".995"),
    ],
)
def test_label_of_smoothing(smoothing: float, word: str) -> None:
    assert format_smoothing_label(smoothing) == f"smooth {word}"


@pytest.mark.parametrize(
    ("settings", "tag", "text"),
    [
        (Settings(), None, "smooth .60 · x step"),
        (Settings(y_scale="log", x_axis="wall"), None, "smooth .60 · y log · x wall"),
        (Settings(charts={"t": ChartSettings(y_scale="log")}), None, "smooth .60 · x step"),
        (Settings(charts={"t": ChartSettings(y_scale="log")}), "t", "smooth .60 · y log · x step"),
        (Settings(y_scale="log", charts={"t": ChartSettings(y_scale="linear")}), "t", "smooth .60 · x step"),
    ],
)
def test_label_of_settings(settings: Settings, tag: str | None, text: str) -> None:
    assert format_settings_label(settings, tag) == text


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"y_scale": "symlog"}, "smooth .60 · y symlog · x step"),
        ({"x_scale": "log"}, "smooth .60 · x step log"),
        ({"x_scale": "log", "x_axis": "wall"}, "smooth .60 · x wall"),
        ({"outliers": "ignore"}, "smooth .60 · outliers ignored · x step"),
        ({"outliers": "keep"}, "smooth .60 · outliers kept · x step"),
        ({"skip_steps": 500}, "smooth .60 · x step · from step 500 on"),
        ({"x_range": (120.0, 400.0)}, "smooth .60 · x step 120–400"),
        ({"x_range": (120.5, None)}, "smooth .60 · x step from 120.5"),
        ({"x_range": (None, 90.0), "x_axis": "relative"}, "smooth .60 · x relative to 1m30s"),
        ({"x_range": (-5.0, 10.0)}, "smooth .60 · x step -5 – 10"),
        ({"linked": True}, "smooth .60 · x step · linked"),
        ({"cursor": 312.0}, "smooth .60 · x step · @ step 312"),
        ({"cursor": 312.0, "mark": 100.0}, "smooth .60 · x step · @ step 100–312"),
        ({"cursor": 312.0, "mark": 312.0}, "smooth .60 · x step · @ step 312"),
        ({"mark": 100.0}, "smooth .60 · x step"),
        ({"cursor": 192.0, "x_axis": "relative"}, "smooth .60 · x relative · @ 3m12s"),
        ({"cursor": 0.0, "x_axis": "wall"}, "smooth .60 · x wall · @ 1970-01-01 00:00:00"),
        ({"group_level": 1}, "smooth .60 · mean ±std of 2 groups · x step"),
        ({"group_level": 1, "spread": "minmax"}, "smooth .60 · mean min–max of 2 groups · x step"),
        ({"group_pattern": "adam"}, "smooth .60 · mean ±std of 1 group · x step"),
        ({"group_pattern": "nobody"}, "smooth .60 · no runs to average · x step"),
        ({"group_pattern": "("}, "smooth .60 · nothing averaged: pattern missing ) · x step"),
    ],
)
def test_label_of_all_charts_lists_their_settings(settings: dict[str, Any], text: str) -> None:
    runs = ("adam/s0", "adam/s1", "lonely", "sgd/s0", "sgd/s1")
    assert format_settings_label(Settings(**settings), None, runs) == text


def test_label_settings_of_one_chart_are_shown_only_there() -> None:
    own = ChartSettings(y_scale="log", x_range=(1.0, 2.0), y_range=(0.001, None))
    settings = Settings(charts={"t": own}, x_range=(None, 9.0))
    assert format_settings_label(settings, "t") == "smooth .60 · y log from 0.001 · x step 1–2"
    assert format_settings_label(settings, "u") == format_settings_label(settings) == "smooth .60 · x step to 9"


def blank(values: Sequence[float], steps: Sequence[int] = (0, 1), **settings: Any) -> str:
    made = run_of(series("t", values, steps=steps))
    return ScalarData().chart(view(made, **settings), "t").empty_reason


@pytest.mark.parametrize(
    ("values", "settings", "why"),
    [
        ((1.0, 2.0), {}, ""),
        ((math.nan, math.inf), {}, "no value is a finite number"),
        ((-1.0, 0.0), {"y_scale": "log"}, "all values ≤ 0: none fits a log axis"),
        ((-1.0, 5.0), {"y_scale": "log"}, ""),
        ((-1.0, 0.0), {"y_scale": "symlog"}, ""),
        ((1.0, 2.0), {"x_range": (5.0, 9.0)}, "no value between step 5 and 9"),
        ((1.0, 2.0), {"x_range": (5.0, None)}, "no value from step 5"),
        ((1.0, 2.0), {"x_range": (None, -5.0)}, "no value up to step -5"),
        ((1.0, 2.0), {"x_range": (60.0, 90.0), "x_axis": "relative"}, "no value between 1m and 1m30s"),
        ((1.0, 2.0), {"x_range": (0.3, 0.7)}, ""),
        ((1.0, math.nan), {"x_range": (0.3, 0.7)}, "no value between step 0.3 and 0.7"),
        ((1.0, 2.0), {"charts": {"t": ChartSettings(y_range=(5.0, 9.0))}}, "no value here between 5 and 9"),
        ((1.0, 2.0), {"charts": {"t": ChartSettings(y_range=(1.2, 1.3))}}, ""),
        ((1.0, 2.0), {"x_range": (9.0, 5.0)}, ""),
    ],
)
def test_chart_without_a_visible_line_shows_a_reason(
    values: Sequence[float], settings: dict[str, Any], why: str
) -> None:
    assert blank(values, smoothing=0, **settings) == why


def test_infinity_on_a_log_axis_shows_a_reason() -> None:
    made = plain_view({"a": {"t": (math.inf, math.inf)}, "b": {"t": (-1.0, -2.0)}}, y_scale="log")
    assert ScalarData().chart(made, "t").empty_reason == "all values ≤ 0: none fits a log axis"


@pytest.mark.parametrize(
    ("steps", "x_axis", "why"),
    [
        ((-1, 0), "step", "every step is ≤ 0: none fits a log axis"),
        ((0, 1), "step", ""),
        ((0, 1), "relative", ""),
        ((0, 1), "wall", ""),
    ],
)
def test_log_x_axis_without_positive_steps_shows_a_reason(steps: Sequence[int], x_axis: str, why: str) -> None:
    assert blank((1.0, 2.0), steps, x_scale="log", x_axis=x_axis) == why


def test_log_time_axis_with_one_moment_shows_a_reason() -> None:
    assert blank((1.0,), (0,), x_scale="log", x_axis="relative") == "every time is ≤ 0: none fits a log axis"


def test_chart_with_all_steps_skipped_shows_a_reason() -> None:
    with pytest.raises(NoPointsError, match="all values are at steps below 500, which are skipped"):
        blank((1.0, 2.0), skip_steps=500)
