"""Histograms as bars in the rows of a heat map."""

from __future__ import annotations

from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tbtui.charts.axis import Axis
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.heat_map import lay_out_heat_map
from tbtui.charts.histogram_bars import HistogramBars, draw_histogram_bars
from tbtui.charts.line_chart import NAN_SIGN

STEPS, VALUES = Axis(0, 100, kind="step"), Axis(-1, 1)
LAYOUT = lay_out_heat_map(STEPS, VALUES, 40, 15)
ROWS = LAYOUT.plot.height


def counts(*rows: float) -> np.ndarray:
    """Bins of which the rows, the top one first, hold so much; the rest of the plot is empty."""
    bins = np.zeros(2 * ROWS)
    bins[: 2 * len(rows)] = np.repeat(rows[::-1], 2) / 2
    return np.roll(bins, 2 * (ROWS - len(rows)))


def told(cells: Cells) -> str:
    return dedent("\n" + "\n".join("|" + line + "|" for line in cells.text().split("\n")) + "\n")


def test_the_rows_are_those_of_the_heat_map_and_the_longest_bar_is_told() -> None:
    cells = draw_histogram_bars(HistogramBars(counts(0, 1, 10, 50, 100, 80, 33, 5, 0.1)), LAYOUT, 12)
    assert told(cells) == dedent("""
        |            |
        |▏           |
        |█▎          |
        |██████      |
        |████████████|
        |█████████▋  |
        |████        |
        |▋           |
        |▏           |
        |            |
        |            |
        |            |
        |            |
        |───────────┬|
        |  100 values|
        """)
    assert set(cells.inks[:ROWS].ravel().tolist()) == {Ink.NONE, Ink.ACCENT}


def test_each_row_counts_its_two_bins() -> None:
    bins = np.zeros(2 * ROWS)
    bins[:4] = [1, 2, 3, 0]  # the least values are below
    lines = draw_histogram_bars(HistogramBars(bins), LAYOUT, 8).text().split("\n")
    assert lines[ROWS - 2 : ROWS] == ["████████", "████████"]
    assert lines[-1] == "3 values"


def test_two_stand_back_to_back_to_one_scale() -> None:
    cells = draw_histogram_bars(HistogramBars(counts(0, 40, 80, 1), counts(0, 100, 30, 1)), LAYOUT, 21)
    assert told(cells).split("\n")[1:6] == [
        "|                     |",
        "|██████████████       |",
        "|       ███████████   |"[:22] + "|",
        "|         ▕▏          |",
        "|                     |",
    ]
    assert cells.text().split("\n")[-2:] == ["───────────────────┬ ", "          100 values "]
    assert cells.inks[1, :10].tolist() == [Ink.DIM] * 10
    assert cells.inks[1, 10:14].tolist() == [Ink.ACCENT] * 4


def test_the_inks_may_be_others() -> None:
    cells = draw_histogram_bars(HistogramBars(counts(1), counts(1), 3, 7), LAYOUT, 4)
    assert cells.inks[0].tolist() == [7, 7, 3, 3]


def test_an_empty_histogram_has_no_bars() -> None:
    lines = draw_histogram_bars(HistogramBars(counts()), LAYOUT, 12).text().split("\n")
    assert not "".join(lines[:ROWS]).strip()
    assert lines[-1].strip() == "0 values"


@pytest.mark.parametrize(("width", "label"), [(12, "2.74 values"), (11, "2.74 values"), (10, "2.74"), (3, "")])
def test_what_the_longest_bar_is_has_its_unit_where_there_is_room(width: int, label: str) -> None:
    assert draw_histogram_bars(HistogramBars(counts(2.7362)), LAYOUT, width).text().split("\n")[-1].strip() == label


def test_one_value_is_one() -> None:
    assert draw_histogram_bars(HistogramBars(counts(1)), LAYOUT, 12).text().split("\n")[-1].strip() == "1 value"


def test_none_at_all_is_a_sign() -> None:
    missing = np.full(2 * ROWS, np.nan)
    alone = draw_histogram_bars(HistogramBars(missing), LAYOUT, 12).text().split("\n")
    assert alone[ROWS - 1] == NAN_SIGN + " " * 11
    beside = draw_histogram_bars(HistogramBars(counts(7), missing), LAYOUT, 12)
    assert beside.text().split("\n")[ROWS - 1] == " " * 5 + NAN_SIGN + " " * 6
    assert beside.inks[ROWS - 1, 5] == Ink.BAD
    assert beside.text().split("\n")[0] == " " * 6 + "█" * 6
    assert beside.text().split("\n")[-1].strip() == "7 values"


@pytest.mark.parametrize(
    ("count", "label"),
    [(1.5e9, "1.5G values"), (0.004, "0.004 values"), (12345.678, "12346 values"), (1.7e308, "1.8e308")],
)
def test_huge_counts_and_fractions_are_told(count: float, label: str) -> None:
    cells = draw_histogram_bars(HistogramBars(np.full(2 * ROWS, count / 2 if count < 1e300 else count)), LAYOUT, 12)
    assert cells.text().split("\n")[0] == "█" * 12
    assert cells.text().split("\n")[-1].strip() == label


def test_little_room() -> None:
    assert draw_histogram_bars(HistogramBars(counts(3)), LAYOUT, 0).width == 0
    assert draw_histogram_bars(HistogramBars(counts(3), counts(3)), LAYOUT, 1).text().strip() == ""
    low = lay_out_heat_map(STEPS, VALUES, 12, 1)
    assert draw_histogram_bars(HistogramBars(np.array([1.0, 2])), low, 3).text() == "███"


def test_bins_of_another_layout_are_refused() -> None:
    with pytest.raises(ValueError, match="5 bins in a layout of 26"):
        draw_histogram_bars(HistogramBars(np.zeros(5)), LAYOUT, 12)


@given(
    npst.arrays(np.float64, 2 * ROWS, elements=st.floats(0, 1e308)),
    st.none() | npst.arrays(np.float64, 2 * ROWS, elements=st.floats(0, 1e308)),
    st.integers(2, 40),
)
def test_every_count_is_seen_and_nothing_else(one: np.ndarray, other: np.ndarray | None, width: int) -> None:
    cells = draw_histogram_bars(HistogramBars(one, other), LAYOUT, width)
    assert (cells.height, cells.width) == (15, width)
    middle = 0 if other is None else width // 2
    drawn = cells.glyphs[:ROWS] != 32
    assert np.array_equal(drawn[:, middle], one.reshape(-1, 2).any(axis=1)[::-1])
    if other is not None:
        assert np.array_equal(drawn[:, middle - 1], other.reshape(-1, 2).any(axis=1)[::-1])
