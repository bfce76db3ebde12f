"""The timeline of a run gesture by gesture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.cells import WARM_FROM
from tbtui.plugins.graphs.costs import build_run_costs
from tbtui.plugins.graphs.formats.run_metadata import read_executions
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.timeline import sum_busy_time
from tbtui.plugins.graphs.timeline_state import MIN_RANGE_NANOS, TimelineState, build_run_timeline
from tests.helpers.graphs import two_layers
from tests.helpers.step_stats import CPU, GPU, STREAM, Ran, step_stats

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SINCE = 1_795_194_438_870_668_685
"""Nanoseconds since 1970, as a step begins."""


def view(
    devices: Mapping[str, Sequence[Ran]], thread_names: Mapping[str, Mapping[int, str]] | None = None
) -> TimelineState:
    times = build_run_costs(Hierarchy(build_graph(two_layers())), read_executions(step_stats(devices, thread_names)))
    return TimelineState(build_run_timeline(times))


def steps() -> TimelineState:
    """Two lanes of the CPU, one of the GPU; 1 µs in all."""
    return view(
        {
            CPU: [
                Ran("x", SINCE, 100),
                Ran("dense/MatMul", SINCE + 200, 300, (64,), label="dense/MatMul = MatMul(x, dense/w)"),
                Ran("dense/BiasAdd", SINCE + 300, 100),
                Ran("loss", SINCE + 900, 100),
            ],
            GPU: [Ran("folded", SINCE + 350, 200)],
        }
    )


def lines(shown: TimelineState, width: int = 40, height: int = 8) -> list[str]:
    return [line.rstrip() for line in shown.draw(width, height).text().split("\n")]


def name(shown: TimelineState) -> str | None:
    return None if shown.chosen is None else shown.run.chart.labels[shown.chosen]


def test_timeline_devices_are_stacked_with_their_lanes() -> None:
    assert lines(steps()) == [
        "CPU:0 · 4 executions · busy 500ns · idl…",
        "▐x██    ▐MatMul█████                ▐███",
        "            ▐███",
        "GPU:0 · 1 execution · busy 200ns · idle…",
        "              ▐folded█",
        "",
        "0                 500ns              1µs",
        "← → choose an execution",
    ]


def test_timeline_several_or_named_threads_have_titles() -> None:
    shown = view(
        {CPU: [Ran("x", 0, 5, thread=7), Ran("loss", 2, 5, thread=9)], GPU: [Ran("x", 0, 5)]}, {CPU: {7: "worker"}}
    )
    assert [group.title for group in shown.run.chart.groups] == [
        "CPU:0 · 2 executions · worker · busy 5ns · idle 2ns (28.6 %)",
        "CPU:0 · 2 executions · thread 9 · busy 5ns · idle 2ns (28.6 %)",
        "GPU:0 · 1 execution · busy 5ns · idle 2ns (28.6 %)",
    ]


def test_timeline_uncounted_devices_are_drawn_and_labelled() -> None:
    shown = view({GPU: [Ran("x", 0, 5)], STREAM: [Ran("x:Placeholder", 0, 5)], CPU: []})
    assert [group.title for group in shown.run.chart.groups] == [
        "GPU:0 · 1 execution · busy 5ns · never idle",
        "GPU:0/stream:all · 1 execution · not counted · busy 5ns · never idle",
        "CPU:0 · nothing ran",
    ]


def test_timeline_cursor_moves_along_a_lane_and_stops_at_its_ends() -> None:
    shown, names = steps(), []
    for _ in range(4):
        shown = shown.step(1)
        names.append(name(shown))
    assert names == ["x", "dense/MatMul", "loss", "loss"]
    assert name(shown.move_to_end(last=False)) == "x"
    assert name(shown.step(-1).step(-1).step(-1)) == "x"


def test_timeline_lane_change_keeps_the_time_of_the_cursor() -> None:
    shown = steps().select_item(steps().run.costs.hierarchy.find_node("dense/MatMul") or 0)
    assert name(shown.change_lane(1)) == "dense/BiasAdd"
    assert name(shown.change_lane(1).change_lane(1)) == "folded"
    assert name(shown.change_lane(9)) == "folded"
    assert name(shown.change_lane(1).change_lane(-1)) == "dense/MatMul"


def test_timeline_execution_is_described() -> None:
    shown = steps().step(1).step(1)
    assert shown.text() == "dense/MatMul = MatMul(x, dense/w) · 300ns · from 200ns · 64 B allocated"
    assert shown.chosen_item == shown.run.costs.hierarchy.find_node("dense/MatMul")
    folded = shown.change_lane(2)
    assert folded.text() == "folded · 200ns · from 350ns · no node of this graph"
    assert folded.chosen_item is None
    assert view({CPU: [Ran("x", SINCE)]}).step(1).text() == "x · Placeholder · time not measured · from 0"
    assert (steps().text(), steps().chosen_item) == ("", None)


def test_timeline_execution_is_described_below_if_there_is_room() -> None:
    shown = steps().step(1)
    assert lines(shown, 60, 8)[-1] == "x · Placeholder · 100ns · from 0"
    assert lines(shown, 60, 5)[-1].startswith("0  ")


def test_timeline_free_rows_list_the_longest_executions() -> None:
    wanted = 2 + 3 * 3 + 1
    assert not any("longest" in line for line in lines(steps(), 60, wanted + 4))
    below = lines(steps(), 60, wanted + 6)[wanted:]
    assert below[0] == "← → choose an execution"
    assert [line.split() for line in below[2:]] == [
        ["longest", "type", "time", "share", "runs"],
        ["dense/MatMul", "MatMul", "300ns", "37.5", "%", "1"],
        ["folded", "no", "node", "200ns", "25", "%", "1"],
        ["x", "Placeholder", "100ns", "12.5", "%", "1"],
    ]
    assert [line.split() for line in lines(steps(), 36, wanted + 5)[-3:-1]] == [
        ["longest", "time", "share"],
        ["dense/MatMul", "300ns", "37.5", "%"],
    ]


def test_timeline_click_hits_lanes_above_the_list() -> None:
    clicked = steps().click(15, 3, 40, 30)
    assert name(clicked) == "dense/MatMul"
    assert clicked.click(15, 20, 40, 30).chosen == clicked.chosen


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=12))
def test_timeline_busy_time_is_the_union_of_executions(spans: list[tuple[int, int]]) -> None:
    starts = np.array([start for start, _ in spans], np.float64)
    ends = starts + [length for _, length in spans]
    assert sum_busy_time(starts, ends) == len({at for start, length in spans for at in range(start, start + length)})


def test_timeline_longest_execution_of_a_node_is_selected() -> None:
    shown = view({CPU: [Ran("x", 0, 5), Ran("x", 10, 50), Ran("loss", 70, 99)]})
    node = shown.run.costs.hierarchy.find_node("x") or 0
    chosen = shown.select_item(node)
    assert chosen.chosen is not None
    assert chosen.run.chart.bar(chosen.chosen) == (10, 60)
    assert shown.select_item(shown.run.costs.hierarchy.find_node("init") or 0) is shown


def test_timeline_zoom_keeps_the_selected_execution_in_place() -> None:
    shown = steps().step(1).step(1).zoom(2)
    assert (shown.start, shown.end) == (175, 675)  # the middle of 200 to 500 was at 0.35 of 0 to 1000
    assert (shown.zoom(0.5).start, shown.zoom(0.5).end) == (0, 0)  # all again
    near = shown.zoom(1e9)
    assert math.isclose(near.end - near.start, MIN_RANGE_NANOS)
    wheel = steps().zoom(2, 1.0)
    assert (wheel.start, wheel.end) == (500, 1000)


def test_timeline_pan_stops_at_the_ends() -> None:
    shown = steps().zoom(2, 0.0)
    assert (shown.start, shown.end) == (0, 500)
    assert (shown.pan(0.5).start, shown.pan(0.5).end) == (250, 750)
    assert (shown.pan(9).start, shown.pan(9).end) == (500, 1000)
    assert (shown.pan(-9).start, shown.pan(-9).end) == (0, 500)
    assert (steps().pan(1).start, steps().pan(1).end) == (0, 0)  # there is no more than all


def test_timeline_selection_scrolls_into_view() -> None:
    shown = steps().step(1).zoom(5)
    assert shown.end < 300
    later = shown.move_to_end(last=True)
    assert later.start <= 900
    assert later.end >= 1000
    assert (later.draw(40, 8).inks >= WARM_FROM).any()


def test_timeline_hidden_lanes_are_scrolled_to() -> None:
    many = view({CPU: [Ran(f"op{number}", number, 100) for number in range(30)]})
    assert lines(many, 20, 5)[:2] == ["CPU:0 · 30 executio…", "▐op0████████████"]
    down = many.step(1).change_lane(25)
    assert (down.draw(20, 5).inks >= WARM_FROM).any()
    assert lines(many.scroll(10), 20, 5)[:2] == [" ▐op9████████████", "  ▐op10██████████"]
    assert many.scroll(-3).top == 0


def test_timeline_click_selects_the_execution() -> None:
    assert name(steps().click(1, 1, 40, 8)) == "x"
    assert name(steps().click(15, 4, 40, 8)) == "folded"
    assert name(steps().click(15, 0, 40, 8)) is None


def test_timeline_gestures_on_empty_space_do_nothing() -> None:
    shown = view({})
    for gesture in GESTURES:
        shown = gesture(shown)
        assert name(shown) is None
        shown.draw(20, 5)


GESTURES: tuple[Callable[[TimelineState], TimelineState], ...] = (
    lambda shown: shown.step(1),
    lambda shown: shown.step(-1),
    lambda shown: shown.change_lane(1),
    lambda shown: shown.change_lane(-1),
    lambda shown: shown.move_to_end(last=True),
    lambda shown: shown.zoom(2),
    lambda shown: shown.zoom(0.5),
    lambda shown: shown.zoom(10, 0.9),
    lambda shown: shown.pan(0.25),
    lambda shown: shown.pan(-0.25),
    lambda shown: shown.scroll(1),
    lambda shown: shown.reset(),
    lambda shown: shown.click(5, 1, 30, 6),
)


@given(st.lists(st.sampled_from(GESTURES), max_size=25), st.integers(1, 60), st.integers(1, 9))
def test_timeline_any_gestures_stay_within_bounds(
    gestures: list[Callable[[TimelineState], TimelineState]], width: int, height: int
) -> None:
    shown = steps()
    for gesture in gestures:
        shown = gesture(shown)
        assert 0 <= shown.start <= shown.end <= 1000
        cells = shown.draw(width, height)
        assert (cells.height, cells.width) == (height, width)
