from __future__ import annotations

from datetime import timezone
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rich.cells import cell_len

from tbtui.charts.axis import Axis, Kind, resolve_scale
from tbtui.charts.chart_layout import MIN_X_LABEL_GAP, lay_out_chart, plot_rows

if TYPE_CHECKING:
    from tbtui.maths.domain import Scale

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.tuples(FINITE, FINITE),
    st.tuples(FINITE, FINITE),
    st.sampled_from(["step", "duration", "wall"]),
    st.sampled_from(["linear", "log", "symlog"]),
    st.sampled_from(["linear", "log", "symlog"]),
    st.integers(1, 300),
    st.integers(1, 80),
    st.integers(-9, 9),
)
def test_labels_of_any_axes_stand_apart_and_within(
    x_ends: tuple[float, float],
    y_ends: tuple[float, float],
    kind: Kind,
    x_scale: Scale,
    y_scale: Scale,
    width: int,
    height: int,
    exponent: int,
) -> None:
    x_scale = resolve_scale(x_scale, kind)
    assume(min(x_ends) < max(x_ends) and (x_scale != "log" or min(x_ends) > 0))
    assume(min(y_ends) < max(y_ends) and (y_scale != "log" or min(y_ends) > 0))
    x_axis = Axis(min(x_ends), max(x_ends), x_scale, kind, threshold=10.0**exponent)
    y_axis = Axis(min(y_ends), max(y_ends), y_scale, threshold=10.0**exponent)
    layout = lay_out_chart(x_axis, y_axis, (), width, height, timezone.utc)
    plot = layout.plot
    assert plot.width > 0
    assert plot.height > 0
    assert plot.left + plot.width == width
    assert all(plot.row(tick.value) == row for tick, row in layout.y_labels)
    assert len({row for _, row in layout.y_labels}) == len(layout.y_labels)
    assert all(len(tick.label) <= plot.left - 2 for tick, _ in layout.y_labels)
    places = [(start, start + cell_len(tick.label)) for tick, _, start in layout.x_labels]
    assert all(0 <= start < end <= width for start, end in places)
    assert all(end + MIN_X_LABEL_GAP <= start for (_, end), (start, _) in pairwise(places))


@pytest.mark.parametrize(("width", "labels"), [(24, "0 200 400"), (18, "0 400"), (6, "0")])
def test_a_narrow_chart_tells_both_ends_before_it_tells_one(width: int, labels: str) -> None:
    layout = lay_out_chart(Axis(0, 400, kind="step"), Axis(1e-5, 1, "log"), (), width, 5)
    assert " ".join(tick.label for tick, _, _ in layout.x_labels) == labels


@pytest.mark.parametrize(("height", "rows"), [(1, 1), (3, 3), (4, 3), (13, 12), (14, 12), (40, 38)])
def test_what_the_x_axis_leaves_is_known_beforehand(height: int, rows: int) -> None:
    assert plot_rows(height) == rows == lay_out_chart(Axis(0, 1), Axis(0, 1), (), 30, height).plot.height


def test_steps_that_go_down_begin_below_the_head() -> None:
    layout = lay_out_chart(Axis(-1, 1), Axis(0, 400, kind="step"), (), 40, 12, turned=True, headroom=0.4)
    plot = layout.plot
    assert (plot.height, plot.head) == (11, 4)
    assert [(tick.label, row) for tick, row in layout.y_labels] == [("0", 4), ("200", 7), ("400", 10)]
    assert plot.rows([0, 400, 450, -50]).tolist() == [4, 10, -1, -1]
    assert (plot.row(200), plot.row(500)) == (7, None)
    assert plot.get_y(7) == pytest.approx(200)
    assert plot.get_y(0) == plot.get_y(4) < plot.get_y(5)  # a click into the head means the first step
    assert plot.get_x(plot.left) < plot.get_x(plot.left + plot.width - 1)


@given(st.integers(1, 30), st.integers(1, 200), st.floats(0, 0.9))
def test_a_row_of_falling_steps_is_that_of_the_step_in_it(height: int, width: int, headroom: float) -> None:
    layout = lay_out_chart(Axis(0, 1), Axis(0, 1e4, kind="duration"), (), width, height, turned=True, headroom=headroom)
    plot = layout.plot
    assert 0 <= plot.head < plot.height
    rows = range(plot.top + plot.head, plot.top + plot.height)
    assert [plot.row(plot.get_y(row)) for row in rows] == list(rows)
    assert all(plot.head <= row < plot.height for _, row in layout.y_labels)
