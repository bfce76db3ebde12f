from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.area_curves import (
    SAMPLE,
    OverlayChart,
    OverlayCurve,
    OverlayPicture,
    build_curves_by_age,
    draw_overlay,
)
from tbtui.charts.axis import Axis
from tbtui.charts.cells import Cells, Ink, to_shade_inks

EDGES = np.linspace(0, 40, 41)
VALUE_AXIS, COUNT_AXIS = Axis(0, 40), Axis(0, 10)
LEVELS = np.array([[2.0], [5.0], [8.0]]) * np.ones(40)
STEPS = build_curves_by_age(EDGES, LEVELS, np.array([10.0, 20.0, 30.0]), ("step 10", "step 20", "step 30"), 0)
OLD, MIDDLE, NEW = (int(ink) for ink in to_shade_inks(0, [3, 5, 7], 0))


def drawn(*curves: OverlayCurve, width: int = 70, height: int = 20, y: Axis = COUNT_AXIS) -> OverlayPicture:
    return draw_overlay(OverlayChart(curves, VALUE_AXIS, y), width, height)


def rows_of(picture: OverlayPicture, cells: Cells, ink: int) -> list[int]:
    """The rows of the plot in the middle of which an ink is seen."""
    plot = picture.layout.plot
    return np.flatnonzero(cells.inks[plot.area][:, plot.width // 2] == ink).tolist()


def names(picture: OverlayPicture, cells: Cells) -> list[tuple[str, int]]:
    """What is written beside the plot, and in which ink; of a name after a sample, the ink of the sample."""
    first = picture.layout.plot.left + picture.layout.plot.width + 1
    rows = [
        (cells.get_row_text(row)[first:].strip(), int(cells.inks[row, first]))
        for row in range(picture.layout.plot.height)
    ]
    return [(name.removeprefix(SAMPLE), ink) for name, ink in rows if name]


def test_values_stand_across_and_counts_go_up() -> None:
    picture = drawn(*STEPS)
    plot = picture.layout.plot
    assert (plot.turned, plot.is_inverted, plot.along) == (True, False, None)
    assert [rows_of(picture, picture.at(), ink) for ink in (OLD, MIDDLE, NEW)] == [
        [plot.row(2)],
        [plot.row(5)],
        [plot.row(8)],
    ]


def test_steps_are_named_from_the_newest_after_samples_of_their_lines() -> None:
    picture = drawn(*STEPS)
    assert names(picture, picture.at()) == [("step 30", NEW), ("step 20", MIDDLE), ("step 10", OLD)]


def test_steps_have_legible_names_in_any_shade() -> None:
    picture = drawn(*STEPS)
    cells, plot = picture.at(), picture.layout.plot
    first = plot.left + plot.width + 1
    written = [row for row in range(plot.height) if cells.get_row_text(row)[first:].strip()]
    assert {int(cells.inks[row, first + len(SAMPLE)]) for row in written} == {int(Ink.DIM)}


def test_names_are_left_out_where_there_is_no_room() -> None:
    picture = drawn(*STEPS, width=40)
    assert picture.layout.margin == 0
    assert "step" not in picture.at().text()


def test_the_step_at_the_cursor_lies_on_top_and_is_named_first() -> None:
    same = [replace(curve, counts=LEVELS[1]) for curve in STEPS]
    picture = drawn(*same)
    row = picture.layout.plot.row(5)
    assert rows_of(picture, picture.at(), NEW) == [row]
    cells = picture.at(11.0, 20.0)
    assert rows_of(picture, cells, Ink.ACCENT) == [row]
    assert names(picture, cells) == [("step 10", Ink.ACCENT), ("step 20", Ink.TEXT), ("step 30", NEW)]
    assert picture.at().text() == drawn(*same).at().text()


def test_cursor_and_mark_at_one_step_are_the_cursor() -> None:
    picture = drawn(*STEPS)
    assert names(picture, picture.at(20.0, 20.0))[0] == ("step 20", Ink.ACCENT)
    assert Ink.TEXT not in picture.at(20.0, 20.0).inks


def test_runs_keep_their_inks_whatever_the_cursor() -> None:
    curves = [OverlayCurve(EDGES, LEVELS[index], index + 3, f"run{index}") for index in range(3)]
    picture = drawn(*curves)
    assert np.array_equal(picture.at(20.0, 10.0).inks, picture.at().inks)
    assert names(picture, picture.at()) == [("run2", 5), ("run1", 4), ("run0", 3)]
    assert [rows_of(picture, picture.at(), ink) for ink in (3, 4, 5)] == [
        [picture.layout.plot.row(2)],
        [picture.layout.plot.row(5)],
        [picture.layout.plot.row(8)],
    ]


def test_runs_of_one_colour_have_different_dashes() -> None:
    level = np.full(40, 5.0)
    solid = drawn(OverlayCurve(EDGES, level, 0)).at()
    dashed = drawn(OverlayCurve(EDGES, LEVELS[0], 0), OverlayCurve(EDGES, level, 12)).at()
    row = drawn().layout.plot.row(5)
    assert row is not None
    assert solid.get_row_text(row).count(" ") < dashed.get_row_text(row).count(" ")


def test_where_curves_meet_the_upper_one_alone_is_seen() -> None:
    rising, falling = np.linspace(0, 10, 40), np.linspace(10, 0, 40)
    both = drawn(OverlayCurve(EDGES, rising, 3), OverlayCurve(EDGES, falling, 4)).at()
    alone = drawn(OverlayCurve(EDGES, falling, 4)).at()
    assert np.array_equal(both.glyphs[alone.inks == 4], alone.glyphs[alone.inks == 4])


def test_the_outer_edges_are_upright() -> None:
    picture = drawn(OverlayCurve(np.array([10.0, 20, 30]), np.array([8.0, 8]), 0))
    plot = picture.layout.plot
    cells = picture.at()
    for edge in (10, 30):
        column = plot.column(edge)
        assert column is not None
        assert np.flatnonzero(cells.inks[: plot.height, column] == 0).tolist() == list(
            range(plot.row(8) or 0, plot.height)
        )


def test_on_a_log_axis_empty_bins_are_gaps() -> None:
    counts = np.full(40, 100.0)
    counts[10:30] = 0
    picture = drawn(OverlayCurve(EDGES, counts, 0), y=Axis(1, 1000, "log"))
    plot = picture.layout.plot
    seen = (picture.at().inks[plot.area] == 0).any(axis=0)
    assert not seen[plot.width // 3 : 2 * plot.width // 3].any()
    assert seen[0]


def test_what_is_no_histogram_is_named_with_a_sign() -> None:
    broken = replace(STEPS[1], counts=np.full(40, math.nan))
    picture = drawn(STEPS[0], broken, STEPS[2])
    assert names(picture, picture.at())[1] == ("step 20 ✗", MIDDLE)
    assert rows_of(picture, picture.at(20.0), Ink.ACCENT) == []


def test_without_curves_there_are_the_axes() -> None:
    cells = drawn().at(3.0, 4.0)
    assert cells.get_row_text(18).strip().startswith("└┬──")


def test_one_step_alone_has_the_full_colour() -> None:
    (curve,) = build_curves_by_age(EDGES, LEVELS[:1], np.array([5.0]), ("step 5",), 2)
    assert curve.ink == int(to_shade_inks(2, 7, 0))


COUNTS = st.floats(0, 1e6) | st.sampled_from([0.0, math.nan, math.inf, 1.7e308])


@given(
    st.lists(st.lists(COUNTS, min_size=4, max_size=4), max_size=6),
    st.lists(st.floats(-1e308, 1e308), min_size=5, max_size=5).map(sorted),
    st.sampled_from(["linear", "log", "symlog"]),
    st.integers(1, 90),
    st.integers(1, 25),
    st.none() | st.floats(),
)
def test_any_overlay_is_drawn_at_any_size(
    counts: list[list[float]], edges: list[float], scale: str, width: int, height: int, cursor: float | None
) -> None:
    axis = Axis(0.1, 100, scale)  # type: ignore[arg-type]
    table = np.array(counts, np.float64).reshape(-1, 4)
    curves = build_curves_by_age(np.array(edges), table, np.arange(float(len(table))), ["step"] * len(table), 0)
    cells = draw_overlay(OverlayChart(curves, axis, axis), width, height).at(cursor, 1.0)
    assert cells.glyphs.shape == cells.inks.shape == (height, width)
