"""Values of a few numbers, drawn as lines over steps: decoding, caching, charts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import TensorError, make_tensor, read_numbers
from tbtui.events.writer import EventFileWriter
from tbtui.loading.payloads import Payloads
from tbtui.plugins.scalars.chart import NoPointsError
from tbtui.plugins.scalars.number_kind import NumberCharts
from tests.helpers.curve_logs import view_in
from tests.helpers.log_directory import FILE, START
from tests.toy_dashboard.chart import LEVELS
from tests.toy_dashboard.settings import COLUMN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

GAP = (1.0,)
"""A value without its second number."""


def write_levels(root: Path, run: str, levels: Mapping[str, Sequence[tuple[int, tuple[float, ...]]]]) -> None:
    path = root / run / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        for tag, points in levels.items():
            for step, numbers in points:
                writer.tensor(tag, np.array(numbers, np.float64), "levels", step, START + step)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_levels(tmp_path, "a", {"water": [(0, (1.0, 10.0)), (1, GAP), (2, (3.0, float("nan")))], "oil": [(0, GAP)]})
    write_levels(tmp_path, "b", {"water": [(0, (5.0, 50.0)), (2, (7.0, 70.0))]})
    return tmp_path


@pytest.mark.parametrize(
    ("array", "why"),
    [
        (np.zeros(3), r"a tensor of shape \[3\] instead of a level, which has 2 numbers"),
        (np.zeros((2, 1)), "a tensor of shape 2x1 instead of a level, which has 2 numbers"),
        (np.array(1.0), "a single number instead of a level, which has 2 numbers"),
        (np.array([b"a", b"b"], object), "a tensor without real numbers instead of a level"),
    ],
)
def test_read_numbers_other_tensors_are_refused(
    array: np.ndarray[tuple[int, ...], np.dtype[np.float64]], why: str
) -> None:
    with pytest.raises(TensorError, match=f"^{why}$"):
        read_numbers(get_message_class("SummaryValue")(tensor=make_tensor(array)), 2, "a level")


def test_number_charts_show_the_chosen_column_of_each_run(logs: Path) -> None:
    view = view_in(logs)
    charts = NumberCharts(LEVELS, Payloads())
    chart = charts.chart(view, "water")
    assert chart.title == "level · water"
    assert [(line.key.run, line.values.tolist()) for line in chart.lines] == [("a", [1, 3]), ("b", [5, 7])]
    assert [view.inks[name] for name in ("a", "b")] == list(chart.inks)


def test_number_charts_of_one_run_keep_its_colour(logs: Path) -> None:
    view = view_in(logs, hidden_runs=frozenset({"a"}))
    (ink,) = NumberCharts(LEVELS, Payloads()).chart(view, "water").inks
    assert ink == view.inks["b"]


def test_number_charts_another_column_makes_another_chart(logs: Path) -> None:
    view, charts = view_in(logs), NumberCharts(LEVELS, Payloads())
    before = charts.chart(view, "water")
    assert charts.chart(view_in(logs), "water") is before
    settings = COLUMN.with_value(view.settings, "temperature")
    chart = charts.chart(replace(view, settings=settings), "water")
    assert chart.title == "temperature · water"
    assert [line.values.tolist()[0] for line in chart.lines] == [10, 50]
    assert np.isnan(chart.lines[0].values[1])


def test_number_charts_note_unreadable_values_and_draw_nan(logs: Path) -> None:
    chart = NumberCharts(LEVELS, Payloads()).chart(view_in(logs), "water")
    assert chart.notes == ("a, step 1: a tensor of shape [1] instead of a level, which has 2 numbers",)


def test_number_charts_tag_without_readable_values_gives_the_reason(logs: Path) -> None:
    with pytest.raises(NoPointsError, match=r"^a, step 0: a tensor of shape \[1\] instead of a level"):
        NumberCharts(LEVELS, Payloads()).chart(view_in(logs), "oil")


def test_number_charts_many_unreadable_values_are_counted(tmp_path: Path) -> None:
    write_levels(tmp_path, "a", {"water": [(0, (1.0, 2.0)), *((step, GAP) for step in range(1, 6))]})
    notes = NumberCharts(LEVELS, Payloads()).chart(view_in(tmp_path), "water").notes
    assert [note.partition(":")[0] for note in notes] == [
        "a, step 1",
        "a, step 2",
        "a, step 3",
        "2 more unreadable levels",
    ]


def test_numbers_of_a_grown_series_are_views_of_the_same_columns(logs: Path) -> None:
    (run, series), *_ = view_in(logs).references("water", "levels")
    payloads = Payloads()
    first = LEVELS.numbers(payloads, run, series)
    assert LEVELS.numbers(payloads, run, series) is first
    assert dict(first.errors) == {1: "a tensor of shape [1] instead of a level, which has 2 numbers"}
    assert not first.columns["level"].flags.writeable
    assert payloads.nbytes >= 3 * 2 * 8
