"""All traces drawn in one pass make the picture that they make one after the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts import line_chart as module
from tbtui.charts.axis import Axis
from tbtui.charts.canvas import Canvas
from tbtui.charts.cells import Cells
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.line_chart import Trace, draw_traces, find_nonfinite_signs
from tbtui.maths.decimate import MIN_POINTS_PER_COLUMN

if TYPE_CHECKING:
    import pytest

ODD = st.sampled_from([math.nan, math.inf, -math.inf, 0.0, 1e300])
POINTS = st.lists(st.tuples(st.floats(-2, 12) | ODD, st.floats(-2, 12) | ODD), max_size=40)
AXES = st.sampled_from([Axis(0, 10), Axis(0.1, 10, "log"), Axis(-1, 10, "symlog", threshold=0.1)])


@st.composite
def any_traces(draw: st.DrawFn) -> list[Trace]:
    """Traces of points in any order, or long ones that are thinned, each in one of two inks."""
    drawn = []
    for ink in draw(st.lists(st.integers(0, 1), max_size=6)):
        if draw(st.booleans()):
            x, y = np.array(draw(POINTS), np.float64).reshape(-1, 2).T
        else:
            random = np.random.default_rng(draw(st.integers(0, 99)))
            x, y = (
                np.linspace(-1, 11, MIN_POINTS_PER_COLUMN * 80),
                5 + random.standard_normal(MIN_POINTS_PER_COLUMN * 80),
            )
        if draw(st.booleans()):
            x = np.sort(x)
        drawn.append(Trace(x, y, ink, is_faint=draw(st.booleans()), pattern=draw(st.integers(0, 4))))
    return drawn


def picture(canvas: Canvas) -> tuple[str, list[list[int]]]:
    cells = Cells.blank(canvas.height, canvas.width)
    canvas.blit(cells, 0, 0)
    return cells.text(), cells.inks.tolist()


@given(any_traces(), AXES, AXES, st.integers(1, 40), st.integers(1, 12))
def test_one_pass_draws_what_one_after_the_other_does(
    traces: list[Trace], x_axis: Axis, y_axis: Axis, width: int, height: int
) -> None:
    plot = PlotArea(0, 0, width, height, x_axis, y_axis)
    together, one_by_one = Canvas(width, height), Canvas(width, height)
    with_gaps = draw_traces(together, traces, plot)
    assert [trace for trace in traces if draw_traces(one_by_one, [trace], plot)] == with_gaps
    assert picture(together) == picture(one_by_one)


def test_draw_traces_of_several_batches_equals_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    traces = [Trace(np.arange(50.0), np.cumsum(random.standard_normal(50)), ink) for ink in range(10)]
    plot = PlotArea(0, 0, 40, 10, Axis(0, 50), Axis(-10, 10))
    together, by_threes = Canvas(40, 10), Canvas(40, 10)
    draw_traces(together, traces, plot)
    monkeypatch.setattr(module, "TRACES_PER_BATCH", 3)
    draw_traces(by_threes, traces, plot)
    assert picture(together) == picture(by_threes)


def test_draw_traces_returns_traces_with_undrawable_values() -> None:
    x, y = np.arange(4.0), np.array([1, 2, 3, 4.0])
    whole, missing = Trace(x, y, 0), Trace(x, np.array([1, math.nan, 3, 4]), 1)
    negative, endless = Trace(x, y - 2, 2), Trace(x, np.array([1, 2, 3, math.inf]), 3)
    for axis, with_gaps in (Axis(0, 5), [missing, endless]), (Axis(0.1, 5, "log"), [missing, negative, endless]):
        plot = PlotArea(0, 0, 20, 5, Axis(0, 4), axis)
        assert draw_traces(Canvas(20, 5), [whole, missing, negative, endless], plot) == with_gaps


@given(any_traces(), AXES, AXES)
def test_nonfinite_signs_of_many_traces_equal_those_of_each(traces: list[Trace], x_axis: Axis, y_axis: Axis) -> None:
    plot = PlotArea(0, 0, 20, 5, x_axis, y_axis)
    assert find_nonfinite_signs(traces, plot) == [
        sign for trace in traces for sign in find_nonfinite_signs([trace], plot)
    ]
