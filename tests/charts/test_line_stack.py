"""Many lines kept one by one make the same picture as all drawn at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.charts import line_stack
from tbtui.charts.axis import Axis
from tbtui.charts.line_chart import LineChart, Trace, draw_line_chart
from tbtui.charts.line_stack import LineStack
from tbtui.charts.marks import Mark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.cells import Cells

LINEAR, LOG = Axis(-2, 10), Axis(0.1, 10, scale="log")


def trace(values: Sequence[float], ink: int = 0) -> Trace:
    return Trace(np.arange(len(values), dtype=np.float64), np.array(values, np.float64), ink)


def same(one: Cells, other: Cells) -> bool:
    return one.text() == other.text() and bool((one.inks == other.inks).all())


@settings(deadline=None)
@given(
    st.lists(st.lists(st.floats(-5, 20) | st.sampled_from([np.nan, np.inf, -np.inf]), max_size=40), max_size=20),
    st.sampled_from([LINEAR, LOG]),
    st.integers(0, 60),
    st.integers(0, 20),
)
def test_the_picture_is_that_of_a_line_chart(lines: list[list[float]], y_axis: Axis, width: int, height: int) -> None:
    traces = tuple(trace(values, ink) for ink, values in enumerate(lines))
    chart = LineChart(traces, Axis(0, 20), y_axis, (Mark(3, "↻", 1, 2.0),))
    stack = LineStack()
    expected = draw_line_chart(chart, width, height)
    assert same(stack.draw(chart, width, height), expected)
    assert same(stack.draw(chart, width, height), expected)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Inks of the lines drawn."""
    inks: list[int] = []
    draw = line_stack._draw

    def spy(trace: Trace, plot: object, pattern: int) -> object:
        inks.append(trace.ink)
        return draw(trace, plot, pattern)  # type: ignore[arg-type]

    monkeypatch.setattr(line_stack, "_draw", spy)
    return inks


def test_a_line_that_changed_is_drawn_and_no_other(drawn: list[int]) -> None:
    lines = [trace((1, 2, 3), 0), trace((3, 2, 1), 1), trace((2, 2, 2), 2)]
    stack = LineStack()
    stack.draw(LineChart(tuple(lines), Axis(0, 4), LINEAR), 40, 8)
    lines[1] = trace((3, 2, 1, 5), 1)
    chart = LineChart(tuple(lines), Axis(0, 4), LINEAR)
    assert same(stack.draw(chart, 40, 8), draw_line_chart(chart, 40, 8))
    assert drawn == [0, 1, 2, 1]


def test_a_line_that_went_leaves_nothing_behind() -> None:
    lines = (trace((1, 2, 3), 0), trace((3, np.nan, 1), 1))
    stack = LineStack()
    stack.draw(LineChart(lines, Axis(0, 4), LINEAR), 40, 8)
    chart = LineChart(lines[:1], Axis(0, 4), LINEAR)
    assert same(stack.draw(chart, 40, 8), draw_line_chart(chart, 40, 8))


@pytest.mark.parametrize(
    ("x_axis", "y_axis", "width", "height"),
    [(Axis(0, 5), LINEAR, 40, 8), (Axis(0, 4), LOG, 40, 8), (Axis(0, 4), LINEAR, 41, 8), (Axis(0, 4), LINEAR, 40, 9)],
)
def test_other_axes_or_another_size_draw_everything(
    drawn: list[int], x_axis: Axis, y_axis: Axis, width: int, height: int
) -> None:
    lines = (trace((1, 2, 3), 0), trace((3, 2, 1), 1))
    stack = LineStack()
    stack.draw(LineChart(lines, Axis(0, 4), LINEAR), 40, 8)
    chart = LineChart(lines, x_axis, y_axis)
    assert same(stack.draw(chart, width, height), draw_line_chart(chart, width, height))
    assert drawn == [0, 1, 0, 1]


def test_the_same_line_in_another_ink_is_drawn_in_it() -> None:
    line = trace((1, 2, 3), 0)
    stack = LineStack()
    stack.draw(LineChart((line,), Axis(0, 4), LINEAR), 40, 8)
    other = Trace(line.x, line.y, 5)
    chart = LineChart((other,), Axis(0, 4), LINEAR)
    assert same(stack.draw(chart, 40, 8), draw_line_chart(chart, 40, 8))
