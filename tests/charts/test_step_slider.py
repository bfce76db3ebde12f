"""The slider of steps as people see it."""

from __future__ import annotations

from datetime import timezone
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.step_slider import KNOB, draw_slider, draw_step_slider
from tbtui.maths.stops import compute_value_stops
from tbtui.settings.chart_navigation import place_cursor
from tbtui.settings.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.axis import Kind


def slider(
    stops: Sequence[float],
    chosen: float | None = None,
    other: float | None = None,
    *,
    width: int = 30,
    kind: Kind = "step",
) -> str:
    cells, _ = draw_slider(np.array(stops, np.float64), chosen, other, kind, width, timezone.utc)
    assert cells.glyphs.shape == (1, width)
    return cells.get_row_text(0)


def test_the_knob_stands_at_the_last_stop_unless_another_is_chosen() -> None:
    assert slider([0, 50, 100]) == "0 ┼───────────┼──────────● 100"
    assert slider([0, 50, 100], 50) == "0 ┼───────────●──────────┼ 100"
    assert slider([0, 50, 100], 30) == "0 ┼──────●────┼──────────┼ 100"
    assert slider([0, 50, 100], 1e9) == "0 ┼───────────┼──────────● 100"


def test_a_second_knob_is_hollow_and_lies_below() -> None:
    assert slider([0, 50, 100], 100, 0) == "0 ○───────────┼──────────● 100"
    assert slider([0, 50, 100], 0, 0) == "0 ●───────────┼──────────┼ 100"


def test_a_single_stop_stands_in_the_middle_and_is_told_once() -> None:
    assert slider([7]) == "7 ──────────────●─────────────"
    assert slider([0]) == "0 ──────────────●─────────────"


def test_times_are_told_as_times() -> None:
    assert slider([0, 90], kind="duration") == "0s ┼───────────────────● 1m30s"
    assert slider([1.7e9, 1.7e9 + 60], kind="wall", width=60).startswith("2023-11-14 22:13:20 ┼─")


def test_where_there_is_no_room_for_labels_the_track_is_all() -> None:
    assert slider([0, 50, 100], width=12) == "┼─────┼────●"
    assert slider([0, 100], width=1) == "●"


def test_without_a_stop_there_is_nothing() -> None:
    cells, plot = draw_slider(np.empty(0), None, None, "step", 20)
    assert (cells.get_row_text(0).strip(), plot) == ("", None)
    assert draw_slider(np.array([1.0]), None, None, "step", 0)[1] is None


def test_a_place_on_the_track_is_a_step() -> None:
    _, plot = draw_slider(np.array([0.0, 50.0, 100.0]), None, None, "step", 30)
    assert plot is not None
    assert (plot.left, plot.width, plot.height) == (2, 24, 1)
    assert plot.get_x(plot.left) == pytest.approx(0, abs=3)
    assert plot.get_x(plot.left + plot.width - 1) == pytest.approx(100, abs=3)
    assert plot.along is not None


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20, unique=True),
    st.none() | st.floats(allow_nan=False),
    st.integers(1, 200),
)
def test_one_knob_is_always_there(stops: list[float], chosen: float | None, width: int) -> None:
    cells, _ = draw_slider(np.array(sorted(stops)), chosen, None, "step", width)
    assert cells.get_row_text(0).count(KNOB) == 1


def test_a_bar_says_what_there_is_room_for_beside_the_slider() -> None:
    options = (("step 50", "2 of 3 steps"), ("step 50", ""), ("50", ""))
    stops = np.array([0.0, 50, 100])

    def bar(width: int) -> str:
        drawn = draw_step_slider(options, stops, 50.0, None, "step", width)
        assert drawn.plot is None or drawn.cells.glyphs[0, drawn.plot.left] == ord("┼")
        return drawn.cells.get_row_text(0)

    assert bar(40) == "step 50  0 ┼────●────┼ 100  2 of 3 steps"
    assert bar(24) == "step 50  ┼──────●──────┼"
    assert bar(16) == "50  ┼─────●────┼"
    assert bar(10) == "┼────●───┼"
    assert bar(0) == ""


def test_slider_values_at_one_step_have_places_of_their_own() -> None:
    stops = compute_value_stops(np.zeros(5))
    rows = [draw_slider(stops, float(at), None, "step", 30)[0].get_row_text(0) for at in stops]
    assert rows[0] == "0 ●──────┼──────┼─────┼──────┼"
    assert [row.index(KNOB) for row in rows] == [2, 9, 16, 22, 29]


def test_slider_click_among_values_at_one_step_selects_the_value_there() -> None:
    stops = compute_value_stops(np.zeros(5))
    _, plot = draw_slider(stops, None, None, "step", 30)
    assert plot is not None
    chosen = [place_cursor(Settings(), plot, stops, plot.get_x(column)).cursor for column in (2, 9, 16, 22, 29)]
    assert chosen == stops.tolist()
