from __future__ import annotations

from datetime import timezone
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rich.cells import cell_len

from tbtui.charts.axis import Axis, Kind, Scale, possible_scale
from tbtui.charts.chart_layout import X_LABEL_GAP, chart_layout

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
    x_scale = possible_scale(x_scale, kind)
    assume(min(x_ends) < max(x_ends) and (x_scale != "log" or min(x_ends) > 0))
    assume(min(y_ends) < max(y_ends) and (y_scale != "log" or min(y_ends) > 0))
    x_axis = Axis(min(x_ends), max(x_ends), x_scale, kind, threshold=10.0**exponent)
    y_axis = Axis(min(y_ends), max(y_ends), y_scale, threshold=10.0**exponent)
    layout = chart_layout(x_axis, y_axis, (), width, height, timezone.utc)
    plot = layout.plot
    assert plot.width > 0
    assert plot.height > 0
    assert plot.left + plot.width == width
    assert all(plot.row(tick.value) == row for tick, row in layout.y_labels)
    assert len({row for _, row in layout.y_labels}) == len(layout.y_labels)
    assert all(len(tick.label) <= plot.left - 2 for tick, _ in layout.y_labels)
    places = [(start, start + cell_len(tick.label)) for tick, _, start in layout.x_labels]
    assert all(0 <= start < end <= width for start, end in places)
    assert all(end + X_LABEL_GAP <= start for (_, end), (start, _) in pairwise(places))


@pytest.mark.parametrize(("width", "labels"), [(24, "0 200 400"), (18, "0 400"), (6, "0")])
def test_a_narrow_chart_tells_both_ends_before_it_tells_one(width: int, labels: str) -> None:
    layout = chart_layout(Axis(0, 400, kind="step"), Axis(1e-5, 1, "log"), (), width, 5)
    assert " ".join(tick.label for tick, _, _ in layout.x_labels) == labels
