from __future__ import annotations

import math

import numpy as np
import pytest

from tbtui.charts.axis import Axis
from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import LineChart, Trace, draw_line_chart, spread_rows

X = np.arange(100.0)


@pytest.mark.parametrize(
    ("rows", "first", "end", "spaced"),
    [
        ([], 0, 5, []),
        ([0, 3], 0, 5, [0, 3]),
        ([2, 2, 2], 0, 5, [2, 3, 4]),
        ([4, 4, 4], 0, 5, [2, 3, 4]),
        ([0, 0, 4, 4], 0, 5, [0, 1, 3, 4]),
        ([1, 1, 1], 1, 4, [1, 2, 3]),
    ],
)
def test_spread(rows: list[int], first: int, end: int, spaced: list[int]) -> None:
    assert spread_rows(rows, first, end) == spaced


def shown_at(*traces: Trace, x_axis: Axis = Axis(0, 99), y_axis: Axis = Axis(0, 7)) -> dict[str, int]:  # noqa: B008
    """The row of each label in a chart of eight rows of data."""
    cells = draw_line_chart(LineChart(traces, x_axis, y_axis), 80, 9)
    texts = ("".join(map(chr, row[inks >= 0].tolist())) for row, inks in zip(cells.glyphs, cells.inks, strict=True))
    return {text[-1]: row for row, text in enumerate(texts) if text and text[-1].isalpha()}


@pytest.mark.parametrize(
    ("y", "row"),
    [
        (X / 99 * 7, 0),
        (7 - X / 99 * 7, 7),
        (np.where(X < 50, 7.0, math.nan), 0),
        (np.where(X < 50, 7.0, math.inf), 0),
        (np.full(100, math.nan), 7),
        (np.full(100, 99.0), 0),
        (np.full(100, -99.0), 7),
    ],
)
def test_a_label_stands_at_the_last_value_that_can_be_drawn(y: np.ndarray, row: int) -> None:
    assert shown_at(Trace(X, y, 0, label="a")) == {"a": row}


def test_a_label_stands_where_its_line_leaves_the_window() -> None:
    falling = Trace(X, 7 - X / 99 * 7, 0, label="a", ascending=True)
    assert shown_at(falling, x_axis=Axis(0, 14)) == {"a": 1}
    assert shown_at(falling, x_axis=Axis(200, 300)) == {"a": 7}


def test_on_a_log_axis_a_label_stands_at_the_last_value_above_zero() -> None:
    y = np.where(X < 50, 10.0, -1.0)
    assert shown_at(Trace(X, y, 0, label="a"), y_axis=Axis(0.1, 10, "log")) == {"a": 0}


def test_only_traces_that_have_a_label_get_one() -> None:
    cells = draw_line_chart(LineChart((Trace(X, X, 0), Trace(X, X / 2, 1, label="b")), Axis(0, 99), Axis(0, 99)), 80, 9)
    assert [ink for ink in cells.inks[:, -1].tolist() if ink != Ink.NONE] == [1]


def test_a_line_that_goes_back_is_labelled_at_its_last_point() -> None:
    assert shown_at(Trace(X[::-1].copy(), X / 99 * 7, 0, label="a")) == {"a": 0}
