"""Executions in lanes, and lanes as cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.cells import HEAT_FROM, HEAT_LEVELS, WARM_FROM, Cells, Ink
from tbtui.plugins.graphs.timeline import (
    Bar,
    Group,
    Timeline,
    VisibleRange,
    build_timeline,
    draw_timeline,
    find_execution,
)

Rows = list[tuple[int, int, int]]
"""Group, start and duration of each."""


def of(rows: Rows, titles: tuple[str, ...] = ("CPU:0",), labels: str | None = None, level: int = 40) -> Timeline:
    """Executions called a, b, c …"""
    groups, starts, durations = (
        np.array(column, np.int64) for column in (zip(*rows, strict=True) if rows else [()] * 3)
    )
    names = tuple(labels.split()) if labels else tuple(chr(ord("a") + row) for row in range(len(rows)))
    return build_timeline(titles, groups, starts, durations, names, np.full(len(rows), level, np.int16))


def drawn(
    chart: Timeline, width: int, height: int, sight: VisibleRange | None = None, chosen: int | None = None
) -> Cells:
    return draw_timeline(chart, sight or VisibleRange(0, chart.end), width, height, chosen)


def lines(cells: Cells) -> list[str]:
    return [line.rstrip() for line in cells.text().split("\n")]


# Lanes


def test_what_runs_at_the_same_time_is_in_different_lanes() -> None:
    chart = of([(0, 0, 10), (0, 2, 3), (0, 3, 4), (0, 6, 2), (0, 10, 5)])
    assert [(chart.labels[index], int(chart.lanes[index])) for index in range(5)] == [
        ("a", 0),
        ("e", 0),
        ("b", 1),
        ("d", 1),
        ("c", 2),
    ]
    assert chart.groups == (Group("CPU:0", range(3)),)


def test_timeline_groups_have_own_lanes_and_empty_ones_none() -> None:
    chart = of([(2, 0, 10), (0, 5, 10), (2, 3, 10)], ("CPU:0", "GPU:0", "GPU:1"))
    assert chart.groups == (Group("CPU:0", range(1)), Group("GPU:0", range(1, 1)), Group("GPU:1", range(1, 3)))
    assert chart.lines == (~0, 0, ~1, ~2, 1, 2)
    assert chart.rows.tolist() == [1, 0, 2]


def test_timeline_times_start_at_the_first_without_rounding() -> None:
    since = 1_795_194_438_870_668_685
    chart = of([(0, since + 3, 4), (0, since, 2)])
    assert [chart.bar(index) for index in range(2)] == [Bar(0, 2), Bar(3, 7)]
    assert chart.end == 7


def test_nearest_execution_is_the_running_or_the_closest_one() -> None:
    chart = of([(0, 10, 10), (0, 30, 10), (0, 60, 5)])  # counted from the first start: 0 to 10, 20 to 30, 50 to 55
    found = [chart.labels[chart.find_nearest(0, time)] for time in (-5, 5, 14, 16, 25, 39, 41, 99)]
    assert found == ["a", "a", "a", "b", "b", "b", "c", "c"]


def test_nothing_is_a_timeline_too() -> None:
    chart = of([])
    assert (len(chart), chart.end, chart.lines) == (0, 1.0, (~0,))
    assert lines(drawn(chart, 20, 3)) == ["CPU:0", "", ""]


MADE = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60), st.integers(0, 20)), max_size=40)


@given(MADE)
def test_in_a_lane_nothing_overlaps_and_no_lane_is_more_than_is_needed(rows: Rows) -> None:
    chart = of(rows, ("x", "y", "z"), " ".join(["n"] * len(rows)))
    assert sorted(chart.rows.tolist()) == list(range(len(rows)))
    for group, made in enumerate(chart.groups):
        own = [row for row in rows if row[0] == group]
        at_once = max((sum(s <= start < s + d for _, s, d in own if d) for _, start, _ in own), default=0)
        assert min(len(own), max(at_once, 1)) <= len(made.lanes) <= max(len(own), 0)
        assert all(chart.bounds[lane] < chart.bounds[lane + 1] for lane in made.lanes)
        for lane in made.lanes:
            held = chart.get_lane(lane)
            assert np.all(chart.ends[held][:-1] <= chart.starts[held][1:])


# Drawing


def test_bars_are_as_long_as_what_they_stand_for_and_have_its_name() -> None:
    chart = of([(0, 0, 400), (0, 500, 100), (0, 600, 400)], labels="MatMul Add dense/BiasAdd")
    assert lines(drawn(chart, 40, 4)) == [
        "CPU:0",
        "▐MatMul█████████    ▐Add▐dense/BiasAdd██",
        "▐███████████████    ▐███▐███████████████",
        "0                 500ns              1µs",
    ]


def test_what_is_shorter_than_a_cell_fills_it_as_far_as_anything_ran() -> None:
    chart = of([(0, 0, 25), (0, 150, 1), (0, 210, 40), (0, 255, 40), (0, 399, 1)])
    assert lines(drawn(chart, 4, 2)) == ["CPU…", "▂▁▇▁"]


def test_lanes_are_up_to_three_rows_high_where_all_of_them_fit() -> None:
    chart = of([(0, 0, 25), (0, 150, 1), (0, 210, 40), (0, 255, 40), (0, 300, 300), (1, 0, 600)], ("x", "y"))
    assert lines(drawn(chart, 6, 9)) == [
        "x",
        "  ▄▐██",
        "  █▐e█",
        "▆▁█▐██",
        "y",
        "▐█████",
        "▐f████",
        "▐█████",
        "0",
    ]
    assert lines(drawn(chart, 6, 6))[:5] == ["x", "▂▁▇▐e█", "y", "▐f████", ""]
    # The seven rows above the axis hold two titles and lanes of two rows.
    assert [find_execution(chart, VisibleRange(0, 600), 6, 8, 5, y) for y in range(8)] == [
        None,
        4,
        4,
        None,
        5,
        5,
        None,
        None,
    ]


def test_an_execution_that_was_not_measured_is_seen() -> None:
    assert lines(drawn(of([(0, 0, 0), (0, 350, 0), (0, 400, 0)]), 4, 2))[1] == "▁  ▁"


def test_what_begins_before_what_is_in_sight_has_no_beginning() -> None:
    chart = of([(0, 0, 100), (0, 100, 100)], labels="first second")
    assert lines(drawn(chart, 20, 2, VisibleRange(50, 150)))[1] == "first█████▐second███"


def test_only_lines_from_the_top_on_are_drawn() -> None:
    chart = of([(0, 0, 10), (1, 0, 10)], ("CPU:0", "GPU:0"), "one two")
    assert lines(drawn(chart, 10, 3, VisibleRange(0, 10, 1))) == ["▐one██████", "GPU:0", "▐two██████"]


def test_names_from_files_reach_no_terminal_as_they_are() -> None:
    chart = of([(0, 0, 10)], ("\x1b[31mGPU",), "\x1b]0;x\x07name")
    assert lines(drawn(chart, 20, 2)) == ["·[31mGPU", "▐·]0;x·name█████████"]


def test_colours_are_levels_and_names_stand_out_from_them() -> None:
    inks = drawn(of([(0, 0, 10)], labels="abc", level=40), 8, 2).inks[1] - HEAT_FROM
    assert [divmod(ink, HEAT_LEVELS) for ink in inks.tolist()] == [(40, 0)] + [(0, 40)] * 3 + [(40, 40)] * 4
    dark = drawn(of([(0, 0, 10)], labels="abc", level=9), 8, 2).inks[1] - HEAT_FROM
    assert divmod(int(dark[1]), HEAT_LEVELS) == (HEAT_LEVELS - 1, 9)


def test_the_chosen_execution_is_set_off_wherever_it_is_drawn() -> None:
    chart = of([(0, 0, 50), (0, 50, 1), (0, 52, 48)])
    for chosen, columns in ((0, range(5)), (1, range(5, 6)), (2, range(5, 10))):
        warm = np.flatnonzero(drawn(chart, 10, 2, chosen=chosen).inks[1] >= WARM_FROM)
        assert warm.tolist() == list(columns)


@pytest.mark.parametrize(("height", "labelled"), [(3, False), (4, True)])
def test_times_stand_below_where_there_is_room(height: int, labelled: bool) -> None:
    cells = drawn(of([(0, 0, 2_000_000)]), 60, height)
    assert ("500µs" in cells.get_row_text(height - 1)) is labelled


def test_what_is_clicked_is_what_is_drawn_there() -> None:
    chart = of([(0, 0, 50), (0, 60, 40), (1, 0, 100)], ("CPU:0", "GPU:0"), "one two three")
    sight = VisibleRange(0, 100)

    def at(x: int, y: int) -> str | None:
        found = find_execution(chart, sight, 20, 6, x, y)
        return None if found is None else chart.labels[found]

    assert [at(0, 1), at(9, 1), at(12, 1), at(19, 1), at(0, 3)] == ["one", "one", "two", "two", "three"]
    assert [at(0, 0), at(0, 2), at(0, 4), at(0, 5), at(0, -1)] == [None] * 5


@given(MADE, st.integers(1, 50), st.integers(1, 12), st.data())
def test_any_part_of_any_timeline_is_drawn(rows: Rows, width: int, height: int, data: st.DataObject) -> None:
    chart = of(rows, ("x", "y", "z"), " ".join(["name"] * len(rows)))
    start = data.draw(st.floats(-10, 100))
    sight = VisibleRange(start, start + data.draw(st.floats(0.5, 200)), data.draw(st.integers(0, 10)))
    chosen = data.draw(st.none() | st.integers(0, len(rows) - 1)) if rows else None
    cells = drawn(chart, width, height, sight, chosen)
    assert (cells.height, cells.width) == (height, width)
    inks = cells.inks
    assert np.all((inks == Ink.NONE) | (inks == Ink.DIM) | (inks >= HEAT_FROM))


@given(MADE.filter(len), st.integers(1, 40))
def test_every_execution_in_sight_leaves_something_in_its_lane(rows: Rows, width: int) -> None:
    chart = of(rows, ("x", "y", "z"), " ".join(["n"] * len(rows)))
    cells = drawn(chart, width, len(chart.lines) + (len(chart.lines) > 3))
    for y, line in enumerate(chart.lines):
        if line >= 0:
            held = chart.get_lane(line)
            middles = (chart.starts[held] + chart.ends[held]) / 2 / chart.end * width
            assert np.all(cells.glyphs[y, np.clip(middles, 0, width - 1).astype(int)] != ord(" "))
