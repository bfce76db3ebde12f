"""Test the timeline of a capture: its rows, its drawing, and how the visible part moves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.plugins.profile.timeline import (
    TimelineLine,
    build_timeline,
    choose_rows_per_track,
    find_line,
    find_partner,
    go_to_event,
    go_to_match,
    list_lines,
    move_cursor,
    pan,
    select_event,
    show_all,
    sum_span,
    with_range,
    zoom,
)
from tbtui.plugins.profile.timeline_drawing import draw_timeline
from tests.plugins.test_profile_traces import analysis_of, event

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.profile.capture import Analysis

EVENTS: list[dict[str, Any]] = [
    event("ProfilerStep#1", 0, 500, cat="user_annotation"),
    event("ProfilerStep#2", 500, 500, cat="user_annotation"),
    event("forward", 10, 300),
    event("launch", 20, 10, cat="cuda_runtime", args={"correlation": 1}),
    event("forward", 510, 300),
    event("gemm", 100, 200, cat="kernel", pid=0, tid=7, args={"correlation": 1}),
    event("other", 250, 100, cat="kernel", pid=0, tid=7),
    event("ProfilerStep#1", 0, 500, cat="gpu_user_annotation", pid=0, tid=7),
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "thread 1 (main)"}},
    {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7 "}},
    {"ph": "C", "name": "used", "ts": 100, "pid": 1, "args": {"bytes": 5}},
    {"ph": "C", "name": "used", "ts": 700, "pid": 1, "args": {"bytes": 10}},
]


@pytest.fixture
def analysis(tmp_path: Path) -> Analysis:
    return analysis_of(tmp_path, EVENTS)


def row_named(analysis: Analysis, name: str) -> int:
    return next(row for row in range(len(analysis.trace)) if analysis.trace.name(row) == name)


def test_threads_have_rows_by_depth_and_streams_lanes(analysis: Analysis) -> None:
    index = build_timeline(analysis)
    assert [(track.title, len(track.rows), track.is_device) for track in index.tracks] == [
        ("main", 3, False),
        ("stream 7", 2, True),
    ]
    assert [len(row) for row in index.tracks[0].rows] == [2, 2, 1]
    assert find_line(index, row_named(analysis, "other")) == TimelineLine(1, 1)
    hidden = [row for row in range(len(analysis.trace)) if index.positions[row] < 0]
    assert [analysis.trace.name(row) for row in hidden] == ["ProfilerStep#1"]


def test_drawing_names_wide_events_and_steps(analysis: Analysis) -> None:
    index = build_timeline(analysis)
    drawn = draw_timeline(analysis, index, show_all(index), 80, 12)
    text = drawn.cells.text()
    assert "│step 1" in text
    assert "step 2" not in text.splitlines()[0]  # it launched nothing: the capture has cut it
    assert text.count("forward") == 2
    assert "gemm" in text
    assert text.splitlines()[1].startswith("▾ main")
    assert "used" in text
    assert "10" in text


def test_short_events_are_drawn_by_their_share(tmp_path: Path) -> None:
    analysis = analysis_of(tmp_path, [event(f"op {number % 3}", number * 10, 5) for number in range(1000)])
    index = build_timeline(analysis)
    drawn = draw_timeline(analysis, index, show_all(index), 60, 5)
    row = drawn.cells.get_row_text(1)[drawn.left :].strip()
    assert set(row) <= set("▁▂▃▄▅")
    assert row.count("▄") > 20


def test_zoom_and_move_stay_within_the_capture(analysis: Analysis) -> None:
    index = build_timeline(analysis)
    full = show_all(index)
    near = zoom(index, full, 10, anchor=100)
    assert near.width == pytest.approx(full.width / 10)
    assert near.start < 100 < near.end
    assert pan(index, near, -50).start >= full.start - 1e-9
    assert pan(index, near, 50).end <= full.end + 1e-9
    assert zoom(index, near, 1e-9).width <= 1.011 * (index.extent[1] - index.extent[0])
    assert zoom(index, near, 1e30).width > 0
    shown = with_range(index, full, 20, 30)
    assert (shown.start, shown.end) == (pytest.approx(19.8), pytest.approx(30.2))


def test_cursor_moves_along_and_across_rows(analysis: Analysis) -> None:
    index = build_timeline(analysis)
    visible_range = move_cursor(index, show_all(index), 1, 10)
    names = [analysis.trace.name(visible_range.event)]
    for lines in (1, 1, 1):
        visible_range = move_cursor(index, visible_range, lines, 10)
        names.append(analysis.trace.name(visible_range.event))
    assert names == ["forward", "launch", "gemm", "other"]
    first = select_event(index, show_all(index), row_named(analysis, "forward"), 10)
    second = go_to_event(index, first, 1, 10)
    assert analysis.trace.starts[second.event] == 510
    assert go_to_event(index, second, 1, 10) == second


def test_search_walks_all_tracks_in_order_of_time(analysis: Analysis) -> None:
    index, starts = build_timeline(analysis), []
    visible_range = show_all(index)
    matches = np.array([name in {"forward", "gemm"} for name in analysis.trace.names])
    for _ in range(4):
        visible_range = go_to_match(index, analysis, visible_range, matches, 1, 10)
        starts.append(float(analysis.trace.starts[visible_range.event]))
    assert starts == [10, 100, 510, 10]
    assert analysis.trace.starts[go_to_match(index, analysis, visible_range, matches, -1, 10).event] == 510


def test_launch_and_kernel_lead_to_each_other(analysis: Analysis) -> None:
    launch, kernel = row_named(analysis, "launch"), row_named(analysis, "gemm")
    assert (find_partner(analysis, kernel), find_partner(analysis, launch)) == (launch, kernel)
    assert find_partner(analysis, row_named(analysis, "forward")) == kernel
    assert find_partner(analysis, row_named(analysis, "other")) == -1


@pytest.mark.parametrize("name", ["gemm", "launch"])
def test_line_leads_from_the_launch_to_its_kernel(analysis: Analysis, name: str) -> None:
    index = build_timeline(analysis)
    visible_range = select_event(index, replace(show_all(index), rows=3), row_named(analysis, name), 20)
    lines = draw_timeline(analysis, index, visible_range, 100, 20).cells.text().splitlines()
    (turn,) = (line for line in lines if "╰" in line)
    assert turn.lstrip("▸▹▾ ").startswith("stream 7")
    assert "╰─" in turn
    column, above = turn.index("╰"), lines[lines.index(turn) - 1]
    assert above[column] != " "


def test_tracks_unfold_as_far_as_they_fit(analysis: Analysis) -> None:
    index = build_timeline(analysis)
    visible_range = show_all(index)
    assert [choose_rows_per_track(index, visible_range, height) for height in (2, 4, 5, 6, 50)] == [1, 1, 2, 3, 3]
    assert len(list_lines(index, visible_range)) == 6


def test_span_has_the_sums_of_its_events(analysis: Analysis) -> None:
    sums = {name: (time, count) for name, time, count in sum_span(analysis, 0, 320)}
    assert sums == {"gemm": (200, 1), "other": (70, 1), "forward": (290, 1), "launch": (10, 1)}


def test_frame_of_many_events_is_drawn_from_few_of_them(tmp_path: Path) -> None:
    events = [event(f"op {number % 50}", number * 3, 2, tid=number % 4) for number in range(20_000)]
    analysis = analysis_of(tmp_path, events)
    index = build_timeline(analysis)
    visible_range = show_all(index)
    for magnification in (1, 10, 1_000):
        drawn = draw_timeline(analysis, index, zoom(index, visible_range, magnification), 120, 40)
        rows = [drawn.cells.get_row_text(y)[drawn.left :].strip() for y in range(1, 5)]
        assert all(rows)
