"""What colours stand for, and how the legend says so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.cells import HEAT_LEVELS, Cells, Ink, to_heat_inks
from tbtui.charts.heat_levels import LABEL_WIDTH, LEGEND_WIDTH, ColourScale, colour_scale, draw_legend
from tbtui.charts.text import cell_width

MOST = HEAT_LEVELS - 1


def test_levels_grow_evenly_with_the_share() -> None:
    levels = ColourScale(0.5).levels(np.array([0, 1e-9, 0.25, 0.5, 1.0]))
    assert levels.tolist() == pytest.approx([0, 1, (MOST + 1) / 2, MOST, MOST], abs=1e-6)


def test_on_a_log_scale_a_decade_is_a_third() -> None:
    levels = ColourScale(0.5, "log").levels(np.array([0, 1e-9, 0.0005, 0.005, 0.05, 0.5, 1.0]))
    third = (MOST - 1) / 3
    assert levels.tolist() == pytest.approx([0, 1, 1, 1 + third, 1 + 2 * third, MOST, MOST])


def test_what_arithmetic_leaves_of_nothing_is_nothing() -> None:
    assert ColourScale(0.5, "log").levels(np.array([1e-17, -1e-17])).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("greatest", "top"), [(0.26, 0.3), (0.3, 0.3), (0.301, 0.5), (0.99, 1.0), (1.0, 1.0), (0.011, 0.015), (3e-7, 3e-7)]
)
def test_the_top_is_round(greatest: float, top: float) -> None:
    found = colour_scale(np.full((5, 2), greatest))
    assert found.top == pytest.approx(top)
    assert not found.exceeded


def test_few_columns_of_one_value_do_not_make_the_others_dark() -> None:
    shares = np.full((100, 4), 0.25)
    shares[:3] = [1, 0, 0, 0]
    assert colour_scale(shares) == ColourScale(0.3, "linear", exceeded=True)
    shares[:20] = [1, 0, 0, 0]
    assert colour_scale(shares) == ColourScale(1.0, "linear")


def test_blank_columns_do_not_count() -> None:
    shares = np.zeros((100, 4))
    shares[:5] = 0.25
    assert colour_scale(shares).top == pytest.approx(0.3)
    assert colour_scale(np.zeros((3, 4)), "log") == ColourScale(1.0, "log")


def test_a_top_may_be_given() -> None:
    assert colour_scale(np.full((5, 2), 0.5), "log", top=0.2) == ColourScale(0.2, "log", exceeded=True)
    assert colour_scale(np.zeros((5, 2)), top=0.2) == ColourScale(0.2)


def legend(scale: ColourScale, height: int) -> Cells:
    cells = Cells.blank(height, LEGEND_WIDTH)
    draw_legend(cells, scale, 0, 0, height)
    return cells


def words(cells: Cells) -> dict[int, str]:
    rows = cells.text().split("\n")
    return {row: text for row, line in enumerate(rows) if (text := line[4:].strip())}


def test_the_legend_has_all_colours_the_most_on_top() -> None:
    cells = legend(ColourScale(0.3), 24)
    inks = cells.inks[:, 1]
    assert cells.inks[:, 2].tolist() == inks.tolist()
    assert inks[0] == to_heat_inks(MOST, MOST - 1)
    assert inks[-1] == to_heat_inks(2, 1)
    assert set(cells.inks[:, 0].tolist()) == {Ink.NONE}


def test_labels_are_percents() -> None:
    assert words(legend(ColourScale(0.3), 9)) == {0: "30 %", 4: "15 %", 8: ">0 %"}
    assert words(legend(ColourScale(0.3, "log"), 10)) == {0: "30 %", 3: "3 %", 6: ".3 %", 9: ".03 %"}
    assert words(legend(ColourScale(0.075, exceeded=True), 9)) == {0: "≥7.5 %", 4: "3.8 %", 8: ">0 %"}


@given(st.floats(1e-12, 1), st.sampled_from(["linear", "log"]), st.booleans(), st.integers(8, 90))
def test_labels_fit_and_stand_in_rows_of_their_own(share: float, spacing: str, exceeded: bool, height: int) -> None:
    top = colour_scale(np.array([[share]]), spacing).top  # type: ignore[arg-type]
    labels = ColourScale(top, spacing, exceeded).labels(height)  # type: ignore[arg-type]
    assert all(cell_width(text) <= LABEL_WIDTH + 1 for _, text in labels)
    rows = [row for row, _ in labels]
    assert rows == sorted(set(rows))
    assert (rows[0], rows[-1]) == (0, height - 1)
    assert 2 <= len({text for _, text in labels}) == len(labels) <= 4
