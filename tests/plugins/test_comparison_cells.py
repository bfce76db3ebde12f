"""Cells of one column: aligned, the best marked, differences good or bad."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_difference
from tbtui.charts.styled_text import pieces_width
from tbtui.plugins.comparison.comparison import MISSING, NUMBER_WIDTH, WIDTH, find_best_runs, format_values, make_cell

if TYPE_CHECKING:
    from tbtui.settings.settings import Best

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("values", "best", "found"),
    [
        ({"a": 1.0, "b": 2.0}, "min", {"a"}),
        ({"a": 1.0, "b": 2.0}, "max", {"b"}),
        ({"a": 1.0, "b": 1.0, "c": 2.0}, "min", {"a", "b"}),
        pytest.param({"a": 1.0, "b": 1.0}, "min", set(), id="all the same: nothing to tell"),
        pytest.param({"a": 1.0}, "min", set(), id="nobody to compare with"),
        pytest.param({"a": 1.0, "b": NAN}, "min", set(), id="nobody that has a number"),
        pytest.param({"a": NAN, "b": -INF, "c": 1.0, "d": 2.0}, "min", {"c"}, id="what is no number is not best"),
        ({}, "min", set()),
        pytest.param({"a": 1.0, "b": 2.0}, None, set(), id="nobody knows what is best"),
    ],
)
def test_best_runs_are_selected(values: dict[str, float], best: Best | None, found: set[str]) -> None:
    assert find_best_runs(values, best) == found


def test_cells_format_values() -> None:
    texts = format_values({"a": 0.0213, "b": NAN, "c": -INF, "d": 123456.0}, "min", None, None)
    assert texts == {
        "a": ("0.0213", Ink.TEXT),
        "b": ("✗NaN", Ink.BAD),
        "c": ("✗-Inf", Ink.BAD),
        "d": ("123456", Ink.TEXT),
    }


@pytest.mark.parametrize(
    ("best", "less", "more"), [("min", Ink.GOOD, Ink.BAD), ("max", Ink.BAD, Ink.GOOD), (None, Ink.TEXT, Ink.TEXT)]
)
def test_cells_format_differences(best: Best | None, less: int, more: int) -> None:
    values = {"base": 0.5, "less": 0.25, "more": 0.75, "same": 0.5, "lost": NAN}
    assert format_values(values, best, 0.5, "base") == {
        "base": ("0.5", Ink.TEXT),
        "less": ("-0.25", less),
        "more": ("+0.25", more),
        "same": ("±0", Ink.DIM),
        "lost": ("✗NaN", Ink.BAD),
    }


def test_cells_distinct_values_read_differently_if_there_is_room() -> None:
    values = {"a": 0.987651, "b": 0.987652, "c": 0.5, "d": 0.5}
    assert [text for text, _ in format_values(values, "max", None, None).values()] == [
        "0.987651",
        "0.987652",
        "0.5",
        "0.5",
    ]
    deltas = {"a": 12.345, "b": 12.3451, "base": 10.0, "lost": NAN}
    assert [text for text, _ in format_values(deltas, "max", 10.0, "base").values()] == [
        "+2.345",
        "+2.3451",
        "10",
        "✗NaN",
    ]
    close = {"a": 112.3451, "b": 112.3452, "base": 100.0}
    assert [text for text, _ in format_values(close, "max", 100.0, "base").values()] == ["+12.3451", "+12.3452", "100"]


@pytest.mark.parametrize("base", [None, NAN, INF])
def test_cells_baseline_without_a_number_shows_values(base: float | None) -> None:
    assert format_values({"a": 2.0}, "min", base, "base") == {"a": ("2", Ink.TEXT)}


def test_cells_overflowing_difference_is_labelled() -> None:
    assert format_values({"a": 1e308}, None, -1e308, "b") == {"a": ("+Inf", Ink.TEXT)}


def test_cells_best_sign_precedes_the_number() -> None:
    assert make_cell(("0.5", Ink.TEXT), 3, best=True) == (("★ ", Ink.GOOD), ("    0.5 ", Ink.BOLD))
    assert make_cell(("-0.5", Ink.GOOD), 2, best=True) == (("★ ", Ink.GOOD), ("    -0.5", Ink.GOOD))
    assert make_cell(("12", Ink.TEXT), 3, best=False) == (("  ", Ink.NONE), ("   12   ", Ink.TEXT))


@pytest.mark.parametrize(
    ("value", "base", "cell", "beside"),
    [
        (0.0025191, 0.0, "★ +0.00252", "+0.002519"),
        (1234.5678, 0.0, "★  +1234.6", "+1234.6"),
        (-1.2345e-38, 0.0, "★ -1.2e-38", "-1.23e-38"),
        (-98765.0, 0.0, "★   -98765", "-98765"),
    ],
)
def test_cells_difference_is_separated_from_the_best_sign(value: float, base: float, cell: str, beside: str) -> None:
    piece = format_values({"a": value}, "min", base, "b")["a"]
    assert "".join(text for text, _ in make_cell(piece, 0, best=True)) == cell
    assert format_difference(value - base) == beside


@given(st.floats(), st.floats(), st.integers(0, 8))
def test_cells_fit_their_column(value: float, base: float, room: int) -> None:
    for texts in (format_values({"a": value}, "min", None, None), format_values({"a": value}, "min", base, "b")):
        assert pieces_width(make_cell(texts["a"], room, best=False)) == WIDTH == 2 + NUMBER_WIDTH
    assert pieces_width(MISSING) == WIDTH
