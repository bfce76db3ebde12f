"""Numbers below each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts import numbers
from tbtui.charts.text import align_numbers, count_max_decimals, pad_to_point

VALUES = st.floats(width=32).map(numbers.format_number)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("0.5", "12.25", "3"), (" 0.5 ", "12.25", " 3   ")),
        (("-1.5", "NaN", "1e38"), ("-1.5", " NaN", "1e38")),
        (("1.5e-5", "12.5M", "999"), ("1.5e-5", " 12.5M", "   999")),
        (("-8e-5", "-5.25e-4", "0.125"), ("   -8e-5", "-5.25e-4", "   0.125")),
        (("16s", "1m41s", "4.2s"), ("  16s", "1m41s", " 4.2s")),
        ((), ()),
    ],
)
def test_decimal_points_stand_below_each_other(texts: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert align_numbers(texts) == expected


@pytest.mark.parametrize(
    ("text", "room", "width", "expected"),
    [
        ("0.5", 4, 8, "   0.5  "),
        ("12345", 4, 9, "12345    "),
        ("12345", 6, 9, "12345    "),  # the width is kept before the line
        ("123456.5", 2, 4, "123456.5"),
        ("✗NaN", 5, 7, "   ✗NaN"),
        ("", 3, 4, "    "),
    ],
)
def test_in_a_width_that_is_kept(text: str, room: int, width: int, expected: str) -> None:
    assert pad_to_point(text, room, width) == expected


@given(st.lists(VALUES, min_size=1))
def test_a_column_is_as_wide_as_it_must_be(texts: list[str]) -> None:
    column = align_numbers(texts)
    assert len({len(text) for text in column}) == 1
    assert [text.strip() for text in column] == texts
    points = {text.index(".") for text in column if "." in text and "e" not in text and text.rstrip()[-1].isdigit()}
    assert len(points) <= 1


@given(st.lists(VALUES, min_size=1), st.integers(9, 14))
def test_no_number_leaves_a_fixed_width(texts: list[str], width: int) -> None:
    room = count_max_decimals(texts)
    column = [pad_to_point(text, room, width) for text in texts]
    assert {len(text) for text in column} == {width}
    assert [text.strip() for text in column] == texts
