from __future__ import annotations

import math
from datetime import timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tbtui.charts.axis import Axis
from tbtui.charts.cells import Ink, to_faint_ink
from tbtui.charts.line_chart import RESTART_SIGN, LineChart, Sign, Trace, draw_line_chart, plot_area
from tbtui.maths.domain import Scale, compute_extent, compute_limits

NAN, INF = math.nan, math.inf
X = np.arange(100.0)
DECAY = 2.4 * np.exp(-X / 20)
STEPS = Axis(0, 100, kind="step")
LOSS = Axis(0, 2.5)


def picture(chart: LineChart, width: int, height: int) -> str:
    cells = draw_line_chart(chart, width, height, timezone.utc)
    assert (cells.height, cells.width) == (height, width)
    return "\n".join(row.rstrip() for row in cells.text().split("\n"))


def drawing(text: str) -> str:
    """A picture as it stands in this file: indented by four, with a bar at its left."""
    return "\n".join(line.strip().removeprefix("|") for line in text.strip().split("\n"))


PICTURES: dict[str, tuple[LineChart, int, int, str]] = {
    "a decay at 40x10": (
        LineChart((Trace(X, DECAY, 0),), STEPS, LOSS),
        40,
        10,
        """
        |  │⢆
        |2 ┤⠈⢆
        |  │ ⠈⢆
        |  │   ⠣⡀
        |  │    ⠑⢄
        |1 ┤      ⠑⢄
        |  │        ⠑⠢⢄
        |  │           ⠉⠒⠢⠤⣀⣀
        |0 ┤                 ⠉⠉⠒⠒⠒⠒⠤⠤⠤⠤⠤⠤⠤⠤⣀⣀⣀⣀⣀⡀
        |   0      20     40      60     80   100
        """,
    ),
    "a tall one has a line under it": (
        LineChart((Trace(X, DECAY, 0),), STEPS, LOSS),
        60,
        15,
        """
        |2.5 ┤⡄
        |    │⠘⡄
        |2.0 ┤ ⠘⡄
        |    │  ⠈⢆
        |    │   ⠈⢢
        |1.5 ┤     ⠱⡀
        |    │      ⠈⠢⡀
        |1.0 ┤        ⠑⢄⡀
        |    │          ⠈⠢⣀
        |    │             ⠑⠢⣀
        |0.5 ┤                ⠉⠒⠤⢄⡀
        |    │                    ⠈⠉⠑⠒⠤⠤⢄⣀⣀
        |0.0 ┤                             ⠉⠉⠉⠑⠒⠒⠒⠒⠒⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⣀⣀⣀⣀⡀
        |    └┬──────────┬──────────┬─────────┬──────────┬──────────┬
        |     0          20         40        60         80       100
        """,
    ),
    "a small one loses labels of the y axis": (
        LineChart((Trace(X, DECAY, 0),), STEPS, LOSS),
        12,
        4,
        """
        |⢣
        | ⠱⣀
        |   ⠑⠒⠤⠤⢄⣀⣀⣀⣀
        |0        100
        """,
    ),
    "a tiny one is its line alone": (
        LineChart((Trace(X, DECAY, 0),), STEPS, LOSS),
        8,
        3,
        """
        |⢇
        |⠈⢆
        |  ⠑⠤⠤⣀⣀⣀
        """,
    ),
    "a log axis": (
        LineChart((Trace(X, DECAY, 0),), STEPS, Axis(0.01, 5, "log")),
        40,
        10,
        """
        |     │
        |     │⠑⠒⠤⣀⡀
        |   1 ┤    ⠈⠑⠢⠤⣀
        |     │         ⠉⠒⠢⢄⣀
        |     │              ⠉⠒⠤⢄⡀
        | 0.1 ┤                  ⠈⠑⠒⠤⣀⡀
        |     │                       ⠈⠑⠢⠤⣀
        |     │                            ⠉⠒⠢⢄⣀
        |0.01 ┤                                 ⠁
        |      0                50            100
        """,
    ),
    "values a log axis cannot show": (
        LineChart((Trace(X, np.cos(X / 8), 0),), STEPS, Axis(0.01, 2, "log")),
        40,
        8,
        """
        |     │
        |   1 ┤⠉⠉⠢⡀          ⡠⠊⠉⠉⠑⢢           ⡰⠊⠁
        |     │   ⢱         ⢰⠁     ⢣         ⡜
        | 0.1 ┤   ⠈⡆        ⡇      ⠸⡀        ⡇
        |     │    ⠃        ⡇               ⢠⠃
        |     │            ⠈                ⢸
        |0.01 ┤    ▼                ▼       ⢸
        |      0                50            100
        """,
    ),
    "a run that diverges": (
        LineChart((Trace(X, np.where(X < 60, DECAY, NAN), 0),), STEPS, LOSS),
        40,
        8,
        """
        |  │⢢
        |2 ┤ ⠣⡀
        |  │  ⠘⢄
        |  │    ⠑⢄
        |1 ┤      ⠉⠢⢄⡀
        |  │         ⠈⠑⠢⠤⣀⣀
        |0 ┤               ⠉⠉⠑⠒⠒⠒⠤✗
        |   0      20     40      60     80   100
        """,
    ),
    "nan and both infinities": (
        LineChart((Trace(X, np.select([X == 20, X == 40, X == 60], [NAN, INF, -INF], DECAY), 0),), STEPS, LOSS),
        40,
        8,
        """
        |  │⢢             ▲
        |2 ┤ ⠣⡀
        |  │  ⠘⢄
        |  │    ⠑⢄
        |1 ┤      ⠉✗⢄⡀
        |  │         ⠈⠑⠢⠤⣀⡀
        |0 ┤               ⠉⠉⠑⠒⠒⠒⠤▼⠤⠤⠤⠤⠤⠤⣀⣀⣀⣀⣀⣀⣀⡀
        |   0      20     40      60     80   100
        """,
    ),
    "nan from the start": (
        LineChart((Trace(X, np.where(X < 30, NAN, DECAY), 0),), STEPS, LOSS),
        40,
        6,
        """
        |  │
        |2 ┤
        |  │
        |  │✗          ⣀⡀
        |0 ┤            ⠈⠉⠉⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤⠤⢄⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀
        |   0      20     40      60     80   100
        """,
    ),
    "nothing but nan": (
        LineChart((Trace(X, np.full(100, NAN), 0),), STEPS, LOSS),
        40,
        6,
        """
        |  │
        |2 ┤
        |  │
        |  │
        |0 ┤✗
        |   0      20     40      60     80   100
        """,
    ),
    "points that nothing joins": (
        LineChart((Trace(X[:9] * 12, np.where(np.arange(9) % 2, NAN, DECAY[:9]), 0),), STEPS, LOSS),
        40,
        6,
        """
        |  │⠶   ✗    ⣤   ✗
        |2 ┤                 ⠛    ✗   ⠶   ✗    ⣤
        |  │
        |  │
        |0 ┤
        |   0      20     40      60     80   100
        """,
    ),
    "a constant": (
        LineChart((Trace(X, np.full(100, 0.3), 0),), STEPS, Axis(0, 0.6)),
        30,
        6,
        """
        |0.5 ┤
        |    │
        |    │⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤
        |    │
        |0.0 ┤
        |     0           50        100
        """,
    ),
    "a single point": (
        LineChart((Trace(X[5:6], X[1:2], 0),), Axis(0, 10, kind="step"), Axis(0, 2)),
        30,
        6,
        """
        |2 ┤
        |  │
        |1 ┤             ⣤
        |  │
        |0 ┤
        |   0            5           10
        """,
    ),
    "no data": (
        LineChart((), STEPS, LOSS),
        30,
        6,
        """
        |  │
        |2 ┤
        |  │
        |  │
        |0 ┤
        |   0            50         100
        """,
    ),
    "superseded points and the restart that did it": (
        LineChart(
            (Trace(np.r_[0:60.0, 30:100.0], np.r_[np.linspace(2, 1, 60), np.linspace(1.6, 0.2, 70)], 0),),
            STEPS,
            LOSS,
            (Sign(30, RESTART_SIGN, 0),),
        ),
        40,
        8,
        """
        |  │
        |2 ┤⠢⠤⢄⣀⡀
        |  │    ⠈⠉⠑⠒⠢⠤⢄⣤⣄⣀
        |  │            ⠈⠉⠙⠛⠲⠦⢤⣀⣀
        |1 ┤                    ⠈⠉⠑⠒⠤⠤⣀⡀
        |  │                           ⠈⠉⠒⠒⠤⢄⣀
        |0 ┤           ↻                      ⠉⠉⠂
        |   0      20     40      60     80   100
        """,
    ),
    "what leaves the window is cut at its edge": (
        LineChart((Trace(X, np.sin(X / 4) * 2, 0),), STEPS, Axis(-1, 1)),
        40,
        8,
        """
        | 1 ┤⢸  ⠈⡆    ⢸  ⠘⡄    ⢸  ⢸     ⢸  ⢸
        |   │⢸   ⡇    ⢸   ⡇    ⡜   ⡇    ⡎  ⠈⡆
        |   │⡎   ⢣    ⡇   ⢇    ⡇   ⡇    ⡇   ⡇
        | 0 ┤⠇   ⢸    ⡇   ⢸    ⡇   ⢱   ⢠⠃   ⢣
        |   │    ⠸⡀  ⢰⠁   ⢸   ⢸    ⢸   ⢸    ⢸
        |   │     ⡇  ⢸    ⠈⡆  ⢸    ⠘⡄  ⢸    ⢸
        |-1 ┤     ⡇  ⡜     ⡇  ⡎     ⡇  ⡇     ⡇  ⡇
        |    0      20     40     60     80   100
        """,
    ),
    "labels at line ends": (
        LineChart((Trace(X, DECAY, 0, label="seed0 .016"), Trace(X, DECAY / 2, 1, label="漢字 .008")), STEPS, LOSS),
        76,
        8,
        """
        |  │⠢⡀
        |2 ┤ ⠈⠢⣀
        |  │    ⠑⠤⡀
        |  │⢄⡀    ⠈⠑⠢⣀⡀
        |1 ┤ ⠈⠉⠒⠤⢄⣀   ⠈⠑⠢⠤⣀⡀
        |  │       ⠉⠑⠒⠒⠤⠤⢄⣀⣈⡉⠑⠒⠢⠤⠤⣀⣀⣀                                      seed0 .016
        |0 ┤                ⠈⠉⠉⠉⠑⠒⠒⠒⠒⠛⠛⠭⠭⠶⠶⠶⠶⠶⠶⠦⠤⠤⠤⠤⢤⣤⣤⣤⣤⣤⣤⣤⣤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀ 漢字 .008
        |   0           20          40           60          80         100
        """,
    ),
    "wall time": (
        LineChart((Trace(1_795_176_000 + X * 60, DECAY, 0),), Axis(1_795_176_000, 1_795_182_000, kind="wall"), LOSS),
        50,
        6,
        """
        |  │⠢⣀
        |2 ┤  ⠑⠤⡀
        |  │    ⠈⠑⠢⢄⡀
        |  │        ⠈⠉⠒⠢⠤⢄⣀⡀
        |0 ┤               ⠈⠉⠉⠑⠒⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤⠤⠤⠤⢄⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀
        | 12:00         12:30         13:00         13:30
        """,
    ),
    "relative time": (
        LineChart((Trace(X * 120, DECAY, 0),), Axis(0, 12_000, kind="duration"), LOSS),
        50,
        6,
        """
        |  │⠢⣀
        |2 ┤  ⠑⠤⡀
        |  │    ⠈⠑⠢⢄⡀
        |  │        ⠈⠉⠒⠢⠤⢄⣀⡀
        |0 ┤               ⠈⠉⠉⠑⠒⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤⠤⠤⠤⢄⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀
        |   0     30m     1h   1h30m    2h   2h30m    3h
        """,
    ),
    "huge values": (
        LineChart((Trace(X, DECAY * 1e38, 0),), STEPS, Axis(0, 2.5e38)),
        40,
        6,
        """
        |     │⠢⡀
        |2e38 ┤ ⠈⠢⡀
        |     │   ⠈⠢⢄
        |     │      ⠉⠒⠢⢄⣀⡀
        |   0 ┤           ⠈⠉⠑⠒⠒⠒⠤⠤⠤⠤⠤⠤⠤⢄⣀⣀⣀⣀⣀⣀⣀⣀⡀
        |      0                50            100
        """,
    ),
    "tiny negative values": (
        LineChart((Trace(X, -DECAY * 1e-38, 0),), STEPS, Axis(-2.5e-38, 0)),
        40,
        6,
        """
        |     0 ┤          ⢀⣀⣀⠤⠤⠤⠒⠒⠒⠒⠒⠒⠒⠉⠉⠉⠉⠉⠉⠉⠉⠁
        |       │      ⣀⠤⠒⠉⠁
        |       │   ⡠⠔⠉
        |-2e-38 ┤ ⡠⠊
        |       │⠔⠁
        |        0               50           100
        """,
    ),
    "enormous steps": (
        LineChart((Trace(X, DECAY, 0),), Axis(0, 100, kind="step", origin=2**62), LOSS),
        60,
        6,
        """
        |  │⠢⢄
        |2 ┤  ⠉⠢⢄⡀
        |  │     ⠈⠑⠢⠤⣀⡀
        |  │          ⠈⠉⠒⠒⠤⠤⣀⣀⣀
        |0 ┤                   ⠉⠉⠉⠑⠒⠒⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀
        |4.612e18     +20        +40         +60        +80      +100
        """,
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(name: str) -> None:
    chart, width, height, expected = PICTURES[name]
    assert picture(chart, width, height) == drawing(expected)


def one(y: np.ndarray, ink: int = 0, **more: bool) -> Trace:
    return Trace(X, y, ink, **more)


def test_bright_lines_lie_over_faint_ones_whatever_the_order() -> None:
    flat = np.full(100, 1.0)
    for traces in ((one(flat, 3), one(flat, 3, is_faint=True)), (one(flat, 3, is_faint=True), one(flat, 3))):
        cells = draw_line_chart(LineChart(traces, STEPS, Axis(0, 2)), 30, 6)
        assert 3 in cells.inks
        assert to_faint_ink(3) not in cells.inks


def test_a_cell_under_a_bright_line_shows_no_dot_of_a_faint_one() -> None:
    bright, below = one(np.full(100, 1.0), 0), one(1 + 0.05 * np.cos(X), 1, is_faint=True)
    alone = draw_line_chart(LineChart((bright,), STEPS, Axis(0, 2)), 30, 3)
    both = draw_line_chart(LineChart((bright, below), STEPS, Axis(0, 2)), 30, 3)
    assert both.get_row_text(1) == alone.get_row_text(1)


def test_dots_merge_where_lines_cross_and_the_last_gives_its_ink() -> None:
    up, down = one(X / 50, 0), one(2 - X / 50, 1)
    cells = draw_line_chart(LineChart((up, down), STEPS, Axis(0, 2)), 30, 3)
    area = plot_area(LineChart((up, down), STEPS, Axis(0, 2)), 30, 3)
    column = area.column(50)
    assert column is not None
    assert cells.inks[area.row(1), column] == 1
    assert {0, 1} <= set(cells.inks.ravel().tolist())


def test_second_line_of_a_colour_is_dashed_and_keeps_spikes() -> None:
    x, y = np.arange(1000.0), np.zeros(1000)
    y[500] = 1
    nowhere = Trace(x[:0], y[:0], 0)
    chart = LineChart((nowhere, Trace(x, y, 12)), Axis(0, 1000), Axis(0, 1))
    rows = picture(chart, 60, 5).split("\n")
    assert rows[3].startswith("0 ┤⣀⣀⣀ ⣀⣀⣀ ⣀⣀⣀ ")
    assert "⣾" in rows[0]


def test_a_trace_that_asks_for_a_pattern_has_it_even_alone() -> None:
    chart = LineChart((Trace(X, np.zeros(100), 0, pattern=1),), STEPS, Axis(0, 1))
    assert picture(chart, 60, 5).split("\n")[3].startswith("0 ┤⣀⣀⣀ ⣀⣀⣀ ⣀⣀⣀ ")
    solid = LineChart((Trace(X, np.zeros(100), 12, pattern=0), Trace(X[:0], X[:0], 0)), STEPS, Axis(0, 1))
    assert picture(solid, 60, 5).split("\n")[3].startswith("0 ┤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀ "[:-1])


@pytest.mark.parametrize("lost", [0.0, -5.0])
def test_what_a_log_x_axis_has_no_place_for_is_left_out(lost: float) -> None:
    axis = Axis(1, 100, "log", "step")
    x = X.copy()
    x[[0, 50]] = lost
    kept = np.delete(np.where(np.arange(100) == 50, NAN, X), 0)
    with_lost = LineChart((Trace(x, DECAY, 0),), axis, LOSS)
    without = LineChart((Trace(kept, DECAY[1:], 0),), axis, LOSS)
    assert picture(with_lost, 60, 12) == picture(without, 60, 12)


@pytest.mark.parametrize("place", [0, 1, 49_999, 50_000, 77_777, 99_999])
def test_line_chart_outlier_in_100_000_points_is_lit_at_its_height(place: int) -> None:
    y = np.zeros(100_000)
    y[place] = 1.0
    chart = LineChart((Trace(np.arange(100_000.0), y, 0),), Axis(0, 100_000), Axis(0, 1))
    cells = draw_line_chart(chart, 40, 10)
    area = plot_area(chart, 40, 10)
    column = area.column(place)
    assert column is not None
    code = int(cells.glyphs[area.top, column])
    assert code & 0x2809 > 0x2800  # one of the two uppermost dots


def test_a_gap_stays_blank() -> None:
    y = np.ones(100_000)
    y[40_000:60_000] = NAN
    chart = LineChart((Trace(np.arange(100_000.0), y, 0),), Axis(0, 100_000), Axis(0, 2))
    row = picture(chart, 43, 6).split("\n")[2]
    area = plot_area(chart, 43, 6)
    first, last = area.column(43_000), area.column(57_000)
    assert first is not None
    assert last is not None
    assert row[first : last + 1].strip("✗ ") == ""


def test_end_labels_stand_in_the_order_of_the_lines_in_their_inks() -> None:
    traces = tuple(Trace(X, DECAY + 0.01 * ink, ink, label=f"run{ink} {ink}") for ink in (2, 0, 1))
    chart = LineChart(traces, STEPS, LOSS)
    cells = draw_line_chart(chart, 80, 8)
    shown = [cells.get_row_text(y)[-6:] for y in range(7) if cells.inks[y, -1] != Ink.NONE]
    assert shown == ["run2 2", "run1 1", "run0 0"]
    assert [ink for ink in cells.inks[:7, -1].tolist() if ink != Ink.NONE] == [2, 1, 0]


@pytest.mark.parametrize(("width", "height", "count"), [(50, 20, 2), (100, 3, 5), (70, 20, 0)])
def test_end_labels_that_do_not_fit_are_left_to_the_legend(width: int, height: int, count: int) -> None:
    chart = LineChart(tuple(Trace(X, DECAY, ink, label="name") for ink in range(count)), STEPS, LOSS)
    assert "name" not in picture(chart, width, height)


def test_cells_and_data_agree_both_ways() -> None:
    chart = LineChart((one(DECAY),), STEPS, LOSS)
    area = plot_area(chart, 45, 12)
    for column in range(area.left, area.left + area.width):
        assert area.column(area.get_x(column)) == column
    for row in range(area.top, area.top + area.height):
        assert area.row(area.get_y(row)) == row
    assert area.column(-5) is None
    assert area.row(3) is None
    assert area.clamp_row(3) == 0
    assert area.clamp_row(-1) == area.clamp_row(None) == area.clamp_row(NAN) == area.height - 1


@pytest.mark.parametrize(("width", "height"), [(0, 0), (0, 5), (5, 0), (-1, -1)])
def test_no_room_is_no_picture(width: int, height: int) -> None:
    cells = draw_line_chart(LineChart((one(DECAY),), STEPS, LOSS), width, height)
    assert (cells.width, cells.height) == (max(width, 0), max(height, 0))


VALUES = st.floats(width=64) | st.sampled_from([NAN, INF, -INF, 0.0, 1e38, -1e-38, 1.7e308, 5e-324])
SERIES = st.lists(st.tuples(VALUES, VALUES), max_size=30)


@given(
    st.lists(SERIES, max_size=3),
    st.integers(1, 130),
    st.integers(1, 45),
    st.sampled_from(["linear", "log", "symlog"]),
    st.sampled_from(["number", "step", "duration", "wall"]),
    st.text(max_size=12),
)
def test_any_data_at_any_size_is_drawn(
    series: list[list[tuple[float, float]]], width: int, height: int, scale: Scale, kind: str, label: str
) -> None:
    arrays = [np.array(points, np.float64).reshape(-1, 2).T for points in series]
    x_axis = Axis(*compute_limits(compute_extent([x for x, _ in arrays]), padding=0), kind=kind)  # type: ignore[arg-type]
    y_axis = Axis(*compute_limits(compute_extent([y for _, y in arrays], scale=scale), scale=scale), scale=scale)
    traces = tuple(Trace(x, y, ink * 11, is_faint=ink == 1, label=label) for ink, (x, y) in enumerate(arrays))
    cells = draw_line_chart(LineChart(traces, x_axis, y_axis, (Sign(1.0, RESTART_SIGN, 0),)), width, height)
    assert (cells.height, cells.width) == (height, width)
    assert all(cell_len(cells.get_row_text(y)) == width for y in range(height))
