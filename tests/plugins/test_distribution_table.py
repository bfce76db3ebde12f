"""The table below an opened chart: all quantiles of each run at the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.plugins.distributions.chart import DistributionChartCache
from tbtui.plugins.distributions.painter import build_quantile_table
from tbtui.settings.chart_navigation import build_cursor_state
from tests.helpers.histogram_payloads import Made, MadePayloads, normal, run_with
from tests.helpers.views import picture, view

if TYPE_CHECKING:
    from collections.abc import Mapping

STEPS = (0, 10, 20)
TWO = {
    "a/low": {"w": Made([normal(), normal(1.0), normal(2.0)], STEPS)},
    "b/high": {"w": Made([normal(5.0), normal(6.0), normal(8.0)], STEPS)},
}


def told(
    runs: Mapping[str, Mapping[str, Made]] = TWO, width: int = 160, first: str | None = None, **settings: Any
) -> tuple[list[str], tuple[str, ...]]:
    """The header and all rows, and the run of each row."""
    shown = view(*(run_with(name, tags) for name, tags in runs.items()), **settings)
    data = DistributionChartCache(MadePayloads(runs))
    header, body, of_rows = build_quantile_table(
        data.find_sharing_series(shown, "w"), width, build_cursor_state(shown.settings), first
    )
    assert (header.width, body.width) == (width, width)
    return [*picture(header).splitlines(), *picture(body).splitlines()], of_rows


def columns(lines: list[str]) -> dict[str, list[str]]:
    """What stands below each title."""
    titles = lines[0].replace(" %", "%").replace("wall time", "wall").replace("Δ ~median", "Δ~median").split()
    return {title: [row.split()[1 + index] for row in lines[1:]] for index, title in enumerate(titles)}


def test_table_has_nine_quantiles_of_the_newest_step_per_run() -> None:
    lines, runs = told()
    assert lines[0].split("  ")[0] == ""
    assert lines[0].replace(" %", "%").split() == [
        "run",
        "min",
        "~6.7%",
        "~15.9%",
        "~30.9%",
        "~median",
        "~69.1%",
        "~84.1%",
        "~93.3%",
        "max",
        "step",
        "time",
        "wall",
        "time",
    ]
    assert runs == ("a/low", "b/high")
    table = columns(lines)
    assert table["run"] == ["a/low", "b/high"]
    assert table["~median"] == ["2", "8"]
    assert [float(text) for text in table["min"]] == pytest.approx([-1.25, 4.75])
    assert [float(text) for text in table["max"]] == pytest.approx([5.25, 11.25])
    assert [float(text) for text in table["~15.9%"]] == pytest.approx([1.0, 7.0], abs=0.05)
    assert table["step"] == ["20", "20"]
    assert table["time"] == ["2s", "2s"]


def test_table_shows_quantiles_of_the_nearest_step() -> None:
    table = columns(told(cursor=9.0)[0])
    assert (table["~median"], table["step"]) == (["1", "6"], ["10", "10"])


def test_table_interval_has_two_rows_per_run() -> None:
    lines, runs = told(cursor=20.0, mark=0.0, baseline="b/high")
    assert runs == ("a/low", "a/low", "b/high", "b/high")
    table = columns(lines)
    assert table["step"] == ["0", "20", "0", "20"]
    assert [float(text) for text in table["~median"]] == pytest.approx([0, 2, 5, 8], abs=1e-9)
    assert table["Δ~median"] == ["Δ0", "+2", "Δ0", "+3"]


def test_table_interval_within_one_step_has_a_neighbour_of_it() -> None:
    lines, runs = told(cursor=20.0, mark=19.0)
    assert runs == ("a/low", "a/low", "b/high", "b/high")
    table = columns(lines)
    assert table["step"] == ["10", "20", "10", "20"]
    assert table["Δ~median"] == ["Δ0", "+1", "Δ0", "+2"]
    assert columns(told(cursor=0.0, mark=1.0)[0])["step"] == ["0", "10", "0", "10"]


def test_table_compares_medians_with_the_baseline() -> None:
    assert columns(told(baseline="b/high")[0])["Δ~median"] == ["-6", "Δ0"]
    assert "Δ~median" not in columns(told()[0])
    assert columns(told(baseline="gone")[0])["Δ~median"] == ["–", "–"]


@pytest.mark.parametrize(
    ("settings", "first", "runs"),
    [
        ({}, None, ("a/low", "b/high")),
        ({}, "b/high", ("b/high", "a/low")),
        ({"row_order": "descending"}, "a/low", ("b/high", "a/low")),
        ({"row_order": "ascending"}, "b/high", ("a/low", "b/high")),
        ({"row_order": "nearest", "focus": "b/high"}, None, ("b/high", "a/low")),
    ],
)
def test_table_rows_follow_the_chosen_order(settings: dict[str, Any], first: str | None, runs: tuple[str, ...]) -> None:
    assert told(first=first, **settings)[1] == runs


@pytest.mark.parametrize(
    ("width", "titles"),
    [
        (16, ["~median"]),
        (34, ["min", "~median", "max"]),
        (58, ["min", "~30.9%", "~median", "~69.1%", "max", "step"]),
        (76, ["min", "~15.9%", "~30.9%", "~median", "~69.1%", "~84.1%", "max", "step"]),
        (94, ["min", "~6.7%", "~15.9%", "~30.9%", "~median", "~69.1%", "~84.1%", "~93.3%", "max", "step"]),
    ],
)
def test_table_narrow_keeps_the_most_important_quantiles(width: int, titles: list[str]) -> None:
    lines, _ = told({"run": {"w": Made([normal(0.1234, 0.7)] * 3)}}, width)
    assert lines[0].replace(" %", "%").split()[1:] == titles


def test_table_refused_histogram_has_a_sign_and_no_numbers() -> None:
    runs = {"a": {"w": Made([normal(), "a NaN is among the values of this step"])}, **TWO}
    table = columns(told(runs)[0])
    assert (table["min"][0], table["~median"][0], table["max"][0], table["step"][0]) == ("–", "✗", "–", "1")
    assert table["~median"][1:] == ["2", "8"]


def test_table_empty_histogram_has_no_numbers() -> None:
    table = columns(told({"a": {"w": Made([normal(), np.zeros((0, 3))])}})[0])
    assert (table["min"], table["median"], table["step"]) == (["–"], ["–"], ["1"])
