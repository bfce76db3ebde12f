from __future__ import annotations

from datetime import timezone
from textwrap import dedent

import numpy as np
import pytest

from tbtui.charts.annotations import ReferenceLine
from tbtui.charts.axis import Axis
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.line_chart import LineChart, Trace, draw_line_chart, plot_area

X = np.arange(101.0)
STEPS, VALUES = Axis(0, 100, kind="step"), Axis(0, 10)
DIAGONAL = Trace(X, X / 10, 0)


def drawn(width: int = 53, height: int = 10, x_axis: Axis = STEPS, **more: object) -> tuple[Cells, LineChart]:
    chart = LineChart((DIAGONAL,), x_axis, VALUES, **more)  # type: ignore[arg-type]
    return draw_line_chart(chart, width, height, timezone.utc), chart


def in_ink(cells: Cells, row: int, ink: int) -> str:
    """The text of a row in one ink."""
    glyphs = np.where(cells.inks[row] == ink, cells.glyphs[row], 32)
    return "".join(map(chr, glyphs.tolist())).strip()


def test_a_cursor_is_a_line_where_no_dot_is() -> None:
    cells, chart = drawn(cursor=50.0)
    bare, _ = drawn()
    column = plot_area(chart, 53, 10).column(50.0)
    assert column is not None
    changed = np.argwhere((cells.glyphs != bare.glyphs)[:9])
    assert set(changed[:, 1].tolist()) == {column}
    assert len(changed) == 8
    assert {chr(glyph) for glyph in cells.glyphs[changed[:, 0], column].tolist()} == {"╎"}
    assert set(cells.inks[changed[:, 0], column].tolist()) == {Ink.ACCENT}


@pytest.mark.parametrize("cursor", [-1.0, 101.0, float("nan"), float("inf")])
def test_a_cursor_out_of_sight_is_not_drawn(cursor: float) -> None:
    assert drawn(cursor=cursor, mark=cursor)[0].text() == drawn()[0].text()


def test_its_value_stands_below_it_in_place_of_ticks_it_touches() -> None:
    assert in_ink(drawn()[0], 9, Ink.DIM) == "0        20        40        60        80     100"
    cells, _ = drawn(cursor=41.0)
    assert in_ink(cells, 9, Ink.ACCENT) == "41"
    assert in_ink(cells, 9, Ink.DIM) == "0        20                  60        80     100"
    assert cells.get_row_text(9).split() == ["0", "20", "41", "60", "80", "100"]


@pytest.mark.parametrize(
    ("axis", "cursor", "label"),
    [
        (Axis(0, 100, kind="step"), 0.0, "0"),
        (Axis(0, 1e7, kind="step"), 1234567.0, "1234567"),
        (Axis(0, 1e7, kind="step"), 12.5, "12.5"),
        (Axis(0, 1e300, kind="step"), 5e299, "5e299"),
        (Axis(0, 5000, kind="step", origin=2**60), 1500.0, "+1500"),
        (Axis(0, 9000, kind="duration"), 3700.0, "1h2m"),
        (Axis(0, 1), 1 / 3, "0.33333"),
        (Axis(1_795_176_000, 1_795_182_000, kind="wall"), 1_795_177_385.0, "2026-11-20 12:23:05"),
        (Axis(1, 1e6, "log", "step"), 1000.0, "1000"),
    ],
)
def test_values_are_told_in_full(axis: Axis, cursor: float, label: str) -> None:
    assert in_ink(drawn(x_axis=axis, cursor=cursor)[0], 9, Ink.ACCENT) == label


def test_a_label_wider_than_the_chart_is_left_out() -> None:
    cells, _ = drawn(12, 6, Axis(1_795_176_000, 1_795_182_000, kind="wall"), cursor=1_795_177_385.0)
    assert in_ink(cells, 5, Ink.ACCENT) == ""


def test_a_stretch_is_told_on_the_axis_line() -> None:
    cells, chart = drawn(53, 16, cursor=20.0, mark=80.0)
    plot = plot_area(chart, 53, 16)
    first, last = plot.column(20.0), plot.column(80.0)
    assert first is not None
    assert last is not None
    assert in_ink(cells, 14, Ink.ACCENT) == "┼" + "━" * (last - first - 1) + "┼"
    assert in_ink(cells, 15, Ink.ACCENT).split() == ["20", "80"]
    assert drawn(53, 16, cursor=80.0, mark=20.0)[0].text() == cells.text()


def test_a_stretch_reaches_to_the_edge_beyond_which_it_ends() -> None:
    cells, _ = drawn(53, 16, cursor=80.0, mark=900.0)
    assert in_ink(cells, 14, Ink.ACCENT) == "┼" + "━" * 9
    assert in_ink(drawn(53, 16, cursor=800.0, mark=900.0)[0], 14, Ink.ACCENT) == ""


def test_of_two_values_side_by_side_the_cursors_is_told() -> None:
    cells, _ = drawn(cursor=50.0, mark=52.0)
    assert in_ink(cells, 9, Ink.ACCENT) == "50"


def test_a_level_is_dashed_where_no_line_is_and_named_at_the_right() -> None:
    cells, chart = drawn(levels=(ReferenceLine(3.0, "target"),))
    row = plot_area(chart, 53, 10).row(3.0)
    assert row is not None
    assert cells.get_row_text(row) == "   │⠒ ⠒ ⠒ ⠒ ⠒ ⢀⣀⠤⠔⠒⠉⠒ ⠒ ⠒ ⠒ ⠒ ⠒ ⠒ ⠒ ⠒ ⠒ ⠒ ⠒ ⠒  target"
    assert in_ink(cells, row, Ink.DIM).startswith("⠒ ⠒")


def line(*points: tuple[float, float]) -> Trace:
    x, y = np.array(points).T
    return Trace(x, y, 0)


RIGHT, BOTH_ENDS = line((60, 5), (100, 5)), line((0, 5), (20, 5), (20, np.nan), (70, 5), (100, 5))
WHOLE, ABOVE, BELOW = line((0, 5), (100, 5)), line((0, 7.5), (100, 7.5)), line((0, 2.5), (100, 2.5))


@pytest.mark.parametrize(
    ("traces", "levels", "picture"),
    [
        pytest.param(
            (),
            (ReferenceLine(5, "goal"),),
            """
            10 ┤
               │
             5 ┤⠤ ⠤ ⠤ ⠤ ⠤ ⠤ ⠤ ⠤ ⠤ ⠤ ⠤ ⠤ goal
               │
             0 ┤
            """,
            id="at the right end",
        ),
        pytest.param(
            (RIGHT,),
            (ReferenceLine(5, "goal"),),
            """
            10 ┤
               │
             5 ┤ goal ⠤ ⠤ ⠤ ⠤ ⠤ ⠠⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤
               │
             0 ┤
            """,
            id="else at the left",
        ),
        pytest.param(
            (BOTH_ENDS,),
            (ReferenceLine(5, "goal"),),
            """
            10 ┤
               │
             5 ┤⠤⠤⠤⠤⠤✗⠤ ⠤ ⠤ ⠤ goal ⠠⠤⠤⠤⠤⠤⠤⠤⠤
               │
             0 ┤
            """,
            id="else in any free stretch",
        ),
        pytest.param(
            (WHOLE,),
            (ReferenceLine(5, "goal"),),
            """
            10 ┤
               │                        goal
             5 ┤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤
               │
             0 ┤
            """,
            id="else above",
        ),
        pytest.param(
            (WHOLE, ABOVE),
            (ReferenceLine(5, "goal"),),
            """
            10 ┤
               │⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒
             5 ┤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤
               │                        goal
             0 ┤
            """,
            id="else below",
        ),
        pytest.param(
            (WHOLE, ABOVE, BELOW),
            (ReferenceLine(5, "goal"),),
            """
            10 ┤
               │⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒
             5 ┤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤ goal
               │⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤
             0 ┤
            """,
            id="else over the lines",
        ),
        pytest.param(
            (WHOLE, ABOVE, BELOW),
            (ReferenceLine(5, "goal"), ReferenceLine(5.1, "best"), ReferenceLine(5.2, "human")),
            """
            10 ┤
               │⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒
             5 ┤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤ human⠤ best⠤ goal
               │⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤
             0 ┤
            """,
            id="not over other names",
        ),
    ],
)
def test_a_name_is_never_lost(traces: tuple[Trace, ...], levels: tuple[ReferenceLine, ...], picture: str) -> None:
    """It stands at the right end, the left, in any free stretch, in a row beside it, or over the lines."""
    cells = draw_line_chart(LineChart(traces, STEPS, VALUES, levels=levels), 32, 6)
    assert "\n".join(cells.get_row_text(y).rstrip() for y in range(5)) == dedent(picture).strip("\n")


@pytest.mark.parametrize("y", [11.0, -1.0, float("nan"), float("inf")])
def test_a_level_outside_the_axis_is_not_drawn(y: float) -> None:
    assert drawn(levels=(ReferenceLine(y, "target"),))[0].text() == drawn()[0].text()


def test_a_name_is_harmless_and_takes_half_the_width_at_most() -> None:
    cells, _ = drawn(levels=(ReferenceLine(3.0, "\x1b[2J" + "漢" * 40),))
    text = cells.text()
    assert "\x1b" not in text
    assert text.count("漢") == 9


def test_dashes_stand_at_the_height_of_the_level() -> None:
    column, height = 44, 36
    for dot in range(12, 16):
        cells, _ = drawn(levels=(ReferenceLine(10 * (1 - dot / (height - 1))),))
        assert cells.get_row_text(3)[column] == "⠉⠒⠤⣀"[dot % 4]


def test_a_cursor_leaves_names_readable() -> None:
    cells, _ = drawn(levels=(ReferenceLine(3.0, "target"),), cursor=95.0)
    assert cells.text().count("target") == 1
