"""Charts as pictures: compared as blocks of characters, so that a failing test shows the drawing."""

from __future__ import annotations

import math
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.charts.cells import FAINT_FROM, Ink
from tbtui.plugins.scalars.data import NoPointsError, ScalarData
from tbtui.plugins.scalars.drawing import Drawing, broken_card, note_of, outline_card
from tbtui.plugins.scalars.lines import MOST_RAW
from tests.plugins.made_views import FALLING, picture, plain_view, run_of, series, view

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.plugins.scalars.data import Chart

NAN, INF = math.nan, math.inf


def chart(values: Mapping[str, Sequence[float]], **choices: Any) -> Chart:
    return ScalarData().chart(plain_view({run: {"loss": held} for run, held in values.items()}, **choices), "loss")


def block(text: str) -> str:
    return dedent(text).strip("\n")


def test_a_card_says_what_it_is_and_where_it_stands() -> None:
    card = Drawing().card(chart({"a": FALLING}, smoothing=0), 30, 9, focused=False).cells
    assert picture(card) == block("""
        ╭ loss ─────────────────── 1 ╮
        │4 ┤⠢⢄⣀                      │
        │  │   ⠉⠒⠢⢄⡀                 │
        │  │       ⠈⠉⠒⠤⢄⡀            │
        │2 ┤            ⠈⠑⠒⠤⣀⡀       │
        │  │                 ⠈⠑⠢⠤⣀   │
        │  │                      ⠉⠑⠢│
        │   0       1       2       3│
        ╰────────────────────────────╯
    """)


def test_the_focused_card_has_the_accent_and_names_its_lines() -> None:
    two = chart({"run/seed0": FALLING, "run/seed1": (4, 4, 4, 2)})
    focused, other = (Drawing().card(two, 40, 10, focused=is_focused).cells for is_focused in (True, False))
    assert focused.row_text(9).startswith("╰ seed0 seed1 ─")
    assert other.row_text(9) == "╰" + "─" * 38 + "╯"
    assert focused.inks[5, 0] == Ink.ACCENT
    assert other.inks[5, 0] == Ink.FAINT
    assert {focused.inks[9, 2], focused.inks[9, 8]} == {0, 1}


def test_a_wide_card_names_its_lines_at_their_ends_instead() -> None:
    card = (
        Drawing()
        .card(chart({"run/seed0": FALLING, "run/seed1": (4, 4, 4, 2)}, smoothing=0), 80, 10, focused=True)
        .cells
    )
    text = picture(card)
    assert "seed0 1" in text
    assert "seed1 2" in text
    assert "seed" not in card.row_text(9)


@pytest.mark.parametrize(
    ("values", "note"),
    [
        pytest.param({"a": FALLING}, "1", id="one line: its last value"),
        pytest.param({"a": FALLING, "b": (1, 2.5), "c": (1, 2)}, "1 – 2.50", id="several: least and greatest"),
        pytest.param({"a": FALLING, "b": FALLING}, "1", id="equal ones once"),
        pytest.param({"a": (1, NAN)}, "✗ NaN", id="the only line is lost"),
        pytest.param({"a": (1, NAN), "b": FALLING, "c": (1, NAN)}, "✗ 2 NaN 1", id="two lines are lost"),
        pytest.param({"a": (1, -INF)}, "✗ -Inf", id="infinity"),
        pytest.param({"a": (1e38,)}, "1e38", id="huge"),
        pytest.param({"a": (NAN, 0.02134)}, ".0213", id="it found back"),
    ],
)
def test_note(values: dict[str, Sequence[float]], note: str) -> None:
    assert note_of(chart(values)) == note


@pytest.mark.parametrize(
    ("values", "choices", "message"),
    [
        ((NAN, NAN), {}, "no value is a finite number"),
        ((INF, -INF), {}, "no value is a finite number"),
        ((0.0, -3.0), {"y_scale": "log"}, "all values ≤ 0: none fits a log axis"),
        ((0.0, -3.0), {}, None),
        ((NAN, 1.0), {"y_scale": "log"}, None),
    ],
)
def test_a_chart_without_a_line_says_why(values: Sequence[float], choices: dict[str, Any], message: str | None) -> None:
    text = picture(Drawing().body(chart({"a": values}, **choices), 50, 8).cells)
    if message is None:
        assert "value" not in text
    else:
        assert message in text


def test_the_raw_line_is_faint_behind_the_smoothed_one_while_there_are_few() -> None:
    values = tuple(float(value) for value in np.tile((0.0, 4.0), 20))

    def faint_cells(runs: int, smoothing: float) -> int:
        cells = Drawing().body(chart({f"r{i}": values for i in range(runs)}, smoothing=smoothing), 50, 10).cells
        return int(np.count_nonzero(cells.inks >= FAINT_FROM))

    assert faint_cells(2, 0.9) > 0
    assert faint_cells(2, 0.0) == 0
    assert faint_cells(MOST_RAW + 1, 0.9) == 0


def test_a_crowded_chart_is_drawn_by_line_and_again_when_it_grows() -> None:
    drawing = Drawing()
    values: dict[str, Sequence[float]] = {f"r{index}": (0.0, float(index)) for index in range(MOST_RAW + 1)}
    assert picture(drawing.body(chart(values, smoothing=0), 40, 8).cells) == picture(
        Drawing().body(chart(values, smoothing=0), 40, 8).cells
    )
    values["r0"] = (0.0, 5.0, 9.0)
    grown = picture(drawing.body(chart(values, smoothing=0), 40, 8).cells)
    assert grown == picture(Drawing().body(chart(values, smoothing=0), 40, 8).cells)
    assert "⠉" in grown


def test_a_restart_is_marked_where_the_run_went_on() -> None:
    made = run_of(series("loss", (4, 3, 2, 3, 2, 1), steps=(0, 1, 2, 1, 2, 3)))
    body = Drawing().body(ScalarData().chart(view(made), "loss"), 40, 8).cells
    assert picture(body).count("↻") == 1


def test_where_a_line_stops_being_a_number_is_marked() -> None:
    assert "✗" in picture(Drawing().body(chart({"a": (3, 2, NAN, NAN)}), 40, 8).cells)


def test_names_from_files_cannot_reach_the_terminal() -> None:
    evil = run_of(
        series("loss", FALLING, display_name="\x1b]0;owned\x07\x1b[2J\u202elrtb\nx", run_name="a/\x1b[31mred\u202e")
    )
    other = run_of(series("loss", FALLING, run_name="a/b\tc"))
    made = ScalarData().chart(view(evil, other), "loss")
    for card in (Drawing().card(made, 60, 10, focused=True).cells, Drawing().card(made, 120, 12, focused=False).cells):
        assert not {"\x1b", "\x07", "\n", "\t", "\u202e"} & set(card.text().replace("\n", "", card.height - 1))


def test_an_outline_shows_the_title_at_once() -> None:
    assert picture(outline_card("loss", 12, 3, focused=False)) == block("""
        ╭ loss ────╮
        │          │
        ╰──────────╯
    """)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NoPointsError("no run that is shown holds a value of this tag"), "no run that is shown holds a value"),
        (ValueError("limits"), "cannot be drawn: ValueError: limits"),
    ],
)
def test_a_card_that_cannot_be_drawn_says_why(error: Exception, words: str) -> None:
    assert words in picture(broken_card("loss", error, 60, 8, focused=False))


@settings(deadline=None)
@given(
    st.lists(st.lists(st.floats(), min_size=1, max_size=30), min_size=1, max_size=4),
    st.integers(0, 130),
    st.integers(0, 40),
    st.booleans(),
    st.sampled_from(["step", "relative", "wall"]),
    st.booleans(),
)
def test_any_values_at_any_size(
    values: list[list[float]], width: int, height: int, focused: bool, x_axis: str, log: bool
) -> None:
    made = chart(
        {f"run{index}": held for index, held in enumerate(values)}, x_axis=x_axis, y_scale="log" if log else "linear"
    )
    card = Drawing().card(made, width, height, focused=focused).cells
    assert (card.height, card.width) == (height, width)
    picture(card)


@pytest.mark.parametrize(
    "values",
    [(1e38, -1e38), (1e-38, 2e-38), (5.0, 5.0, 5.0), (7.0,), (1.7e308, -1.7e308), (5e-324, 0.0)],
    ids=["huge", "tiny", "constant", "one point", "the largest", "the smallest"],
)
def test_labels_stay_short_and_something_is_drawn(values: Sequence[float]) -> None:
    body = Drawing().body(chart({"a": values}), 50, 8).cells
    assert np.count_nonzero(body.inks == 0) > 0
    gutter = body.row_text(0).index("│") if "│" in body.row_text(0) else body.row_text(0).index("┤")
    assert gutter <= 10


@pytest.mark.parametrize("steps", [(-5, -1, 0), (-(2**63), 2**63 - 1), (2**62, 2**62 + 1)])
def test_any_steps(steps: tuple[int, ...]) -> None:
    made = run_of(series("loss", [1.0] * len(steps), steps=steps))
    card = Drawing().card(ScalarData().chart(view(made), "loss"), 60, 10, focused=False).cells
    assert np.count_nonzero(card.inks == 0) > 0
