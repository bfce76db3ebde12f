"""Gestures as changes of settings: ranges stay valid whatever is done, and fitting brings the first picture back."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.charts.axis import Axis
from tbtui.charts.chart_layout import PlotArea
from tbtui.settings.chart_navigation import (
    clear_cursor,
    find_cursor_stops,
    fit_all_charts,
    fit_chart,
    move_cursor,
    move_focus,
    move_step,
    pan_x,
    pan_y,
    place_cursor,
    toggle_linked,
    toggle_selection,
    zoom_to_box,
    zoom_to_selection,
    zoom_x,
)
from tbtui.settings.settings import FULL_RANGE, ChartSettings, ReferenceLine, Settings
from tbtui.view.changes import with_x_axis

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.maths.domain import Scale
    from tbtui.settings.settings import Range

STOPS = np.array([0.0, 10.0, 20.0, 30.0])


def plot(x: Axis | None = None, y: Axis | None = None) -> PlotArea:
    return PlotArea(1, 6, 50, 10, x or Axis(0, 100, kind="step"), y or Axis(-1.0, 3.0))


def test_zooming_in_keeps_the_middle_and_writes_the_range_of_the_chart_alone() -> None:
    settings = zoom_x(Settings(), "loss", plot(), 0.5)
    assert settings == Settings(charts={"loss": ChartSettings(x_range=(25.0, 75.0))})


def test_zooming_goes_about_the_cursor_where_it_is_in_sight() -> None:
    assert zoom_x(Settings(cursor=20.0), "loss", plot(), 0.5).chart("loss").x_range == (10.0, 60.0)
    assert zoom_x(Settings(cursor=120.0), "loss", plot(), 0.5).chart("loss").x_range == (25.0, 75.0)
    assert zoom_x(Settings(cursor=20.0), "loss", plot(), 0.5, at=0.0).chart("loss").x_range == (0.0, 50.0)


def test_keys_that_come_faster_than_pictures_each_count() -> None:
    once = zoom_x(Settings(), "loss", plot(), 0.5)
    assert zoom_x(once, "loss", plot(), 0.5).chart("loss").x_range == (37.5, 62.5)
    assert pan_x(once, "loss", plot(), 0.5).chart("loss").x_range == (50.0, 100.0)
    low_end = replace(Settings(), charts={"loss": ChartSettings(x_range=(80.0, None))})
    assert zoom_x(low_end, "loss", plot(), 0.5).chart("loss").x_range == (85.0, 95.0)


def test_a_range_that_does_not_fit_the_painted_axis_is_not_gone_by() -> None:
    settings = Settings(charts={"loss": ChartSettings(x_range=(-5.0, 10.0), y_range=(-5.0, 10.0))})
    log = Axis(1, 100, "log")
    assert zoom_x(settings, "loss", plot(log), 0.5).chart("loss").x_range == (3.1623, 31.623)
    assert pan_y(settings, "loss", plot(y=log), 0.5).chart("loss").y_range == (10.0, 1000.0)


def test_panning_along_y_leaves_x() -> None:
    assert pan_y(Settings(), "loss", plot(), 0.25).chart("loss") == ChartSettings(y_range=(0.0, 4.0))


def test_long_ranges_of_steps_are_whole_short_ones_are_not() -> None:
    steps = Axis(0, 1001, kind="step")
    assert zoom_x(Settings(), "loss", plot(steps), 0.5).chart("loss").x_range == (250.0, 751.0)
    assert zoom_x(Settings(), "loss", plot(replace(steps, high=101)), 0.5).chart("loss").x_range == (25.25, 75.75)


def test_zoomed_together_a_chart_moves_all_others_and_its_own_range_goes() -> None:
    held = {"loss": ChartSettings(x_range=(0.0, 50.0)), "acc": ChartSettings(x_range=(3.0, 4.0), y_range=(0.0, 1.0))}
    settings = toggle_linked(Settings(charts=held), "loss")
    assert settings.linked
    assert settings.x_range == (0.0, 50.0)
    assert settings.charts == {"acc": ChartSettings(y_range=(0.0, 1.0))}
    zoomed = zoom_x(settings, "acc", plot(), 0.5)
    assert zoomed.x_range == (12.5, 37.5)
    assert zoomed.charts == settings.charts
    alone = toggle_linked(zoomed, "acc")
    assert (alone.linked, alone.x_range) == (False, (12.5, 37.5))
    assert toggle_linked(Settings(x_range=(1.0, 2.0)), None).x_range == (1.0, 2.0)


def test_a_box_sets_the_directions_it_extends_in() -> None:
    assert zoom_to_box(Settings(), "a", plot(), (10.0, 20.0), (0.0, 1.0)).chart("a") == ChartSettings(
        None, (10, 20), (0, 1)
    )
    assert zoom_to_box(Settings(), "a", plot(), None, (0.0, 1.0)).chart("a") == ChartSettings(y_range=(0.0, 1.0))
    assert zoom_to_box(Settings(), "a", plot(), (10.0, 10.0), None) == Settings()


def test_fitting_a_chart_leaves_the_others_unless_all_are_zoomed_together() -> None:
    own = ChartSettings(x_range=(0.0, 1.0), y_range=(0.0, 1.0), lines=(ReferenceLine(1.0),))
    settings = Settings(charts={"a": own, "b": own}, x_range=(5.0, 6.0))
    once = fit_chart(settings, "a")
    assert once.charts == {"a": ChartSettings(lines=(ReferenceLine(1.0),)), "b": own}
    assert once.x_range == (5.0, 6.0)
    assert fit_chart(once, "a").x_range == FULL_RANGE
    assert fit_chart(replace(settings, linked=True), "a").x_range == FULL_RANGE
    everything = fit_all_charts(settings)
    assert everything.charts == dict.fromkeys("ab", ChartSettings(lines=(ReferenceLine(1.0),)))
    assert everything.x_range == FULL_RANGE


@pytest.mark.parametrize(
    ("cursor", "count", "moved"),
    [
        (None, 1, 0.0),
        (None, -1, 30.0),
        (10.0, 1, 20.0),
        (10.0, -1, 0.0),
        (14.0, 1, 20.0),
        (14.0, -1, 10.0),
        (30.0, 1, 30.0),
        (99.0, 1, 30.0),
        (99.0, -1, 30.0),
        (-7.0, -1, 0.0),
        (10.0, 10**9, 30.0),
        (10.0, -(10**9), 0.0),
    ],
)
def test_the_cursor_goes_from_stop_to_stop(cursor: float | None, count: int, moved: float) -> None:
    assert move_cursor(Settings(cursor=cursor), STOPS, count).cursor == moved


def test_without_stops_the_cursor_stays() -> None:
    assert move_cursor(Settings(cursor=1.0), find_cursor_stops(plot(), None), 1) == Settings(cursor=1.0)
    assert toggle_selection(Settings(), find_cursor_stops(plot(), None)) == Settings()


def test_enormous_steps_do_not_hold_the_cursor_fast() -> None:
    origin = 2**62
    stops = find_cursor_stops(plot(Axis(0, 5000, kind="step", origin=origin)), np.arange(0.0, 5000.0, 50.0))
    settings, seen = Settings(), []
    for _ in range(200):
        settings = move_cursor(settings, stops, 1)
        seen.append(settings.cursor)
    assert seen == sorted(seen)
    assert seen[-1] == float(stops[-1])


def test_a_click_puts_the_cursor_at_the_stop_that_looks_nearest() -> None:
    assert place_cursor(Settings(), plot(), STOPS, 14.0).cursor == 10.0
    assert place_cursor(Settings(), plot(), STOPS, 99.0).cursor == 30.0
    assert place_cursor(Settings(), plot(Axis(1, 1000, "log")), np.array([1.0, 100.0]), 20.0).cursor == 100.0
    assert place_cursor(Settings(), plot(), np.empty(0), 14.0).cursor == 14.0


def test_a_stretch_is_begun_zoomed_into_and_given_up() -> None:
    settings = toggle_selection(Settings(), STOPS)
    assert (settings.cursor, settings.mark) == (30.0, 30.0)
    assert zoom_to_selection(settings, "a", plot()) == settings
    settings = move_cursor(settings, STOPS, -2)
    assert (settings.cursor, settings.mark) == (10.0, 30.0)
    zoomed = zoom_to_selection(settings, "a", plot())
    assert zoomed.chart("a").x_range == (10.0, 30.0)
    assert (zoomed.cursor, zoomed.mark) == (10.0, None)
    assert toggle_selection(settings, STOPS) == replace(settings, mark=None)
    assert clear_cursor(settings) == Settings()


def test_the_cursor_means_the_same_in_charts_with_and_without_origin() -> None:
    far = plot(Axis(0, 100, kind="step", origin=2**60))
    assert place_cursor(Settings(), far, find_cursor_stops(far, np.array([0.0, 1024.0])), 64.0).cursor == 2.0**60
    assert place_cursor(Settings(), far, find_cursor_stops(far, None), 64.0).cursor == 2.0**60
    settings = zoom_x(Settings(), "a", plot(Axis(0, 2**20, kind="step", origin=2**60)), 0.5)
    assert settings.chart("a").x_range == (2.0**60 + 2**18, 2.0**60 + 3 * 2**18)


def test_the_focus_goes_from_run_to_run_though_a_run_has_several_rows() -> None:
    runs = ("a", "b", "a", "c")
    walked = [move_focus(Settings(focus=focus), runs, 1).focus for focus in (None, "a", "b", "c", "gone")]
    assert walked == ["a", "b", "c", "c", "a"]
    assert [move_focus(Settings(focus=focus), runs, -1).focus for focus in (None, "a", "c")] == ["c", "a", "b"]
    assert move_focus(Settings(focus="a"), (), 1) == Settings(focus="a")


# Any sequence of gestures

gestures = st.one_of(
    st.builds(lambda factor: partial(_zoom, factor=factor), st.sampled_from((0.5, 2.0, 0.8, 1.25))),
    st.builds(lambda part: partial(_pan_x, part=part), st.sampled_from((-0.25, 0.25))),
    st.builds(lambda part: partial(_pan_y, part=part), st.sampled_from((-0.25, 0.25))),
    st.builds(lambda a, b: partial(_box, ends=(a, b)), st.floats(0, 1), st.floats(0, 1)),
    st.just(lambda settings, _plot: toggle_linked(settings, "a")),
)


def _zoom(settings: Settings, at: PlotArea, factor: float) -> Settings:
    return zoom_x(settings, "a", at, factor)


def _pan_x(settings: Settings, at: PlotArea, part: float) -> Settings:
    return pan_x(settings, "a", at, part)


def _pan_y(settings: Settings, at: PlotArea, part: float) -> Settings:
    return pan_y(settings, "a", at, part)


def _box(settings: Settings, at: PlotArea, ends: tuple[float, float]) -> Settings:
    low, high = at.x_axis.value(sorted(ends)).tolist()
    return zoom_to_box(settings, "a", at, (low, high), None)


finite = st.floats(-1e300, 1e300)
axes = st.one_of(
    st.builds(sorted, st.tuples(finite, finite)).filter(lambda ends: ends[0] < ends[1]).map(lambda e: Axis(*e)),
    st.builds(lambda low, times: Axis(low, low * times, "log"), st.floats(1e-200, 1e200), st.floats(1.001, 1e50)),
    st.builds(lambda end: Axis(-end, end, "symlog"), st.floats(1e-200, 1e200)),
    st.builds(lambda low, span: Axis(low, low + span, kind="step"), st.integers(0, 10**9), st.integers(1, 10**9)),
)


@settings(deadline=None)
@given(axes, axes, st.lists(gestures, max_size=40), st.booleans())
def test_whatever_is_done_ranges_are_valid_and_fit_brings_the_first_picture_back(
    x: Axis, y: Axis, done: list[Callable[[Settings, PlotArea], Settings]], slow: bool
) -> None:
    first = settings = Settings()
    painted = plot(x, y)
    for gesture in done:
        settings = gesture(settings, painted)
        shown = _axis(x, settings.get_x_range("a")), _axis(y, settings.chart("a").y_range)
        painted = painted if slow else plot(*shown)
    assert replace(fit_chart(fit_chart(settings, "a"), "a"), linked=False) == first
    assert replace(fit_all_charts(settings), linked=False) == first


def _axis(axis: Axis, chosen: Range) -> Axis:
    """The axis on a range, as a painter has it; raises where that is none."""
    low, high = chosen
    assert low is None or high is None or (low < high and math.isfinite(low) and math.isfinite(high))
    return replace(axis, low=axis.low if low is None else low, high=axis.high if high is None else high)


# Pictures with values across


RIDGES = PlotArea(0, 0, 50, 10, Axis(-1, 1), Axis(0, 400, kind="step"), turned=True)
OVERLAY = PlotArea(0, 0, 50, 10, Axis(-1, 1), Axis(0, 30), turned=True)


def test_steps_stand_down_from_the_first_to_the_last() -> None:
    assert RIDGES.row(0) == 0
    assert RIDGES.row(400) == 9
    assert RIDGES.get_y(0) < RIDGES.get_y(9)
    assert OVERLAY.row(0) == 9


def test_what_stands_across_is_zoomed_and_moved_as_values() -> None:
    zoomed_in = zoom_x(Settings(cursor=100.0), "k", RIDGES, 0.5)
    assert zoomed_in.chart("k").y_range == (-0.5, 0.5)
    assert zoomed_in.get_x_range("k") == FULL_RANGE
    assert pan_x(zoomed_in, "k", RIDGES, 0.5).chart("k").y_range == (0.0, 1.0)
    assert zoom_x(Settings(), "k", OVERLAY, 0.5, at=0.5).chart("k").y_range == (-0.25, 0.75)


def test_steps_that_stand_down_are_moved_and_counts_are_not() -> None:
    assert pan_y(Settings(), "k", RIDGES, 0.25).get_x_range("k") == (-100.0, 300.0)  # up is towards the first
    assert pan_y(Settings(), "k", OVERLAY, 0.25) == Settings()


def test_a_box_over_ridges_is_one_of_values_and_steps() -> None:
    chosen = zoom_to_box(Settings(), "k", RIDGES, (-0.5, 0.5), (100.0, 200.0))
    assert (chosen.chart("k").y_range, chosen.get_x_range("k")) == ((-0.5, 0.5), (100.0, 200.0))
    chosen = zoom_to_box(Settings(), "k", OVERLAY, (-0.5, 0.5), (10.0, 20.0))
    assert (chosen.chart("k").y_range, chosen.get_x_range("k")) == ((-0.5, 0.5), FULL_RANGE)


def test_the_cursor_is_a_step_wherever_steps_stand() -> None:
    assert place_cursor(Settings(), RIDGES, np.array([0.0, 100.0, 400.0]), 120.0).cursor == 100.0
    assert place_cursor(Settings(), OVERLAY, np.array([0.0, 100.0]), 20.0).cursor is None
    assert find_cursor_stops(OVERLAY, np.array([7.0])).tolist() == [7.0]
    begun = Settings(cursor=100.0, mark=300.0)
    assert zoom_to_selection(begun, "k", RIDGES).get_x_range("k") == (100.0, 300.0)
    assert zoom_to_selection(begun, "k", OVERLAY) == begun


# Pictures with values on both axes


PLANE = PlotArea(0, 0, 50, 10, Axis(0, 1), Axis(0, 1), zoom_centre=(0.8, math.nan))
ELSEWHERE: dict[str, Any] = {"x_range": (5.0, 6.0), "linked": True}
"""What is chosen for charts of steps; no gesture over a plane touches it."""


def test_a_plane_is_zoomed_along_both_axes_about_its_point_or_the_middle() -> None:
    once = zoom_x(Settings(**ELSEWHERE), "k", PLANE, 0.5)
    assert once == Settings(**ELSEWHERE, charts={"k": ChartSettings(across_range=(0.4, 0.9), y_range=(0.25, 0.75))})
    twice = zoom_x(once, "k", PLANE, 0.5).chart("k")
    assert (twice.across_range, twice.y_range) == ((0.6, 0.85), (0.375, 0.625))
    away = Settings(charts={"k": ChartSettings(across_range=(0.0, 0.4))})
    assert zoom_x(away, "k", PLANE, 0.5).chart("k").across_range == (0.1, 0.3)


def test_the_wheel_zooms_a_plane_about_the_pointer() -> None:
    zoomed_in = zoom_x(Settings(), "k", PLANE, 0.5, at=1.0, at_y=0.0).chart("k")
    assert (zoomed_in.across_range, zoomed_in.y_range) == ((0.5, 1.0), (0.0, 0.5))


def test_a_plane_is_moved_and_boxed_along_both_axes() -> None:
    chosen = pan_y(pan_x(Settings(**ELSEWHERE), "k", PLANE, 0.25), "k", PLANE, -0.25)
    assert chosen == Settings(
        **ELSEWHERE, charts={"k": ChartSettings(across_range=(0.25, 1.25), y_range=(-0.25, 0.75))}
    )
    chosen = zoom_to_box(Settings(**ELSEWHERE), "k", PLANE, (0.5, 0.75), (0.9, 1.0))
    assert chosen == Settings(**ELSEWHERE, charts={"k": ChartSettings(across_range=(0.5, 0.75), y_range=(0.9, 1.0))})
    assert zoom_to_box(Settings(), "k", PLANE, None, (0.9, 1.0)).chart("k") == ChartSettings(y_range=(0.9, 1.0))
    assert zoom_to_box(Settings(), "k", PLANE, (0.5, 0.75), None).chart("k") == ChartSettings(across_range=(0.5, 0.75))


def test_fitting_a_plane_leaves_what_is_chosen_for_charts_of_steps() -> None:
    own = ChartSettings(x_range=(3.0, 4.0), across_range=(0.4, 0.9), y_range=(0.25, 0.75))
    chosen = fit_chart(Settings(**ELSEWHERE, charts={"k": own}), "k", plane=True)
    assert chosen == Settings(**ELSEWHERE, charts={"k": ChartSettings(x_range=(3.0, 4.0))})
    assert fit_chart(Settings(**ELSEWHERE), "k", plane=True) == Settings(**ELSEWHERE)
    assert fit_all_charts(Settings(charts={"k": own})).charts == {}


def test_other_charts_and_axes_leave_a_plane_as_it_is_zoomed() -> None:
    own = {"k": ChartSettings(across_range=(0.4, 0.9))}
    assert toggle_linked(Settings(charts=own), "a").charts == own
    assert with_x_axis(Settings(charts=own), "wall").charts == own


def test_a_plane_has_no_steps_to_point_at() -> None:
    assert PLANE.along is None
    assert place_cursor(Settings(), PLANE, np.array([0.0, 1.0]), 0.2) == Settings()
    assert zoom_to_selection(Settings(cursor=0.0, mark=1.0), "k", PLANE) == Settings(cursor=0.0, mark=1.0)
    assert find_cursor_stops(PLANE, np.array([88.0])).tolist() == [88.0]


def test_where_the_newest_step_is_seen_the_cursor_moves_from_there() -> None:
    back = move_step(Settings(), STOPS, -1)
    assert back.cursor == 20.0
    assert move_step(back, STOPS, 1).cursor == 30.0
    assert move_step(Settings(), STOPS, 1) == Settings()  # and goes on with what comes
    assert move_step(Settings(), np.empty(0), -1) == Settings()


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_greatest_floats_can_be_the_end_of_a_range(scale: Scale) -> None:
    greatest = sys.float_info.max
    axis = Axis(1.0, greatest, scale)
    chosen = zoom_to_box(Settings(), "a", plot(y=axis), None, (1.0, greatest)).chart("a").y_range
    assert chosen == ((0.0 if scale == "linear" else 1.0), greatest)
