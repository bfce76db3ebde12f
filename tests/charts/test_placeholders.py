"""Cells that the terminal draws a picture over."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from tbtui.charts.cells import (
    MAX_PLACEHOLDERS,
    PLACEHOLDER,
    Cells,
    Ink,
    build_placeholders,
    join_glyphs,
    split_placeholders,
)
from tbtui.charts.text import write


def of_size(rows: int, columns: int) -> Cells:
    return Cells(build_placeholders(rows, columns), np.full((rows, columns), Ink.NONE, np.int16))


def test_each_cell_says_its_row_and_its_column() -> None:
    first, second = of_size(2, 3).text().split("\n")
    assert first == "\U0010eeee\u0305\u0305\u0305\U0010eeee\u0305\u030d\u0305\U0010eeee\u0305\u030e\u0305"
    assert second == "\U0010eeee\u030d\u0305\u0305\U0010eeee\u030d\u030d\u0305\U0010eeee\u030d\u030e\u0305"


@pytest.mark.parametrize(("high", "mark"), [(1, "\u030d"), (255, "\ua8e5")])
def test_the_third_mark_is_the_highest_byte_of_the_number(high: int, mark: str) -> None:
    cells = Cells(build_placeholders(1, 2, high), np.full((1, 2), Ink.NONE, np.int16))
    assert cells.text() == f"\U0010eeee\u0305\u0305{mark}\U0010eeee\u0305\u030d{mark}"


def test_the_marks_are_those_of_the_protocol() -> None:
    row = of_size(1, MAX_PLACEHOLDERS).text()
    marks = row[2::4]
    assert set(row[::4]) == {chr(PLACEHOLDER)}
    assert (len(set(marks)), marks[0], marks[-1]) == (297, "\u0305", "\U0001d244")
    assert list(marks) == sorted(marks)
    assert marks[255] == "\ua8e5", "that of 255"
    assert all(unicodedata.combining(mark) == 230 and not unicodedata.decomposition(mark) for mark in marks)


def test_other_glyphs_in_the_row_stay_what_they_are() -> None:
    cells = Cells.blank(1, 8)
    cells.put(0, 5, of_size(1, 2))
    write(cells, 0, 0, "世 a", Ink.TEXT)
    assert cells.get_row_text(0) == "世 a \U0010eeee\u0305\u0305\u0305\U0010eeee\u0305\u030d\u0305 "


@pytest.mark.parametrize("width", [1, 2, 3, 31, 60, 64, 297])
def test_placeholder_splits_are_powers_of_two(width: int) -> None:
    cells = Cells.blank(1, width + 3)
    cells.put(0, 1, of_size(1, width))
    cuts = [0, *sorted(split_placeholders(cells.glyphs[0]).tolist()), width + 3]
    assert {1, width + 1} <= set(cuts)
    sizes = np.diff([cut for cut in cuts if 1 <= cut <= width + 1])
    assert sizes.sum() == width
    assert all(size & (size - 1) == 0 for size in sizes.tolist())
    assert len(sizes) == width.bit_count()


def test_rows_without_placeholders_are_not_cut() -> None:
    assert split_placeholders(Cells.blank(1, 9).glyphs[0]).tolist() == []
    assert split_placeholders(np.empty(0, np.uint32)).tolist() == []
    assert join_glyphs(np.empty(0, np.uint32)) == ""
