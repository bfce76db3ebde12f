"""Numbers below one another: one notation, digits that follow the spread."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.charts.number_columns import format_column, format_columns
from tests.helpers.property_examples import examples

USUAL = st.floats(0.0009765625, 9999, width=32)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.820839, 0.86782795, 0.9], ["0.82084", "0.86783", "0.9"]),
        ([2.2438, 0.20721, 1.0133], ["2.244", "0.207", "1.013"]),
        ([0.0213, 12.5, 0.142], ["0.0213", "12.5", "0.142"]),
        ([0.5, 0.25], ["0.5", "0.25"]),
        ([16.0, 64.0, 0.0], ["16", "64", "0"]),
        ([0.001, 0.001], ["0.001", "0.001"]),
        ([0.0213, 0.0341, 1e38], ["0.0213", "0.0341", "1e38"]),
        ([123456789.0, 23456789.5], ["123.46M", "23.46M"]),
        ([1234567.0, 2345678.0], ["1234567", "2345678"]),
        ([1e-9, 3.14159e-7], ["1e-9", "3.1416e-7"]),
        ([0.0, 1e-12, 0.5], ["0", "1e-12", "0.5"]),
        ([0.0213, 250000.5, 350000.5, 450000.5], ["0.0213", "250.0005k", "350.0005k", "450.0005k"]),
        ([math.nan, 1.0, -math.inf], ["NaN", "1", "-Inf"]),
        ([], []),
    ],
)
def test_format_column_has_one_notation(values: list[float], texts: list[str]) -> None:
    assert format_column(values) == texts


def test_format_column_close_values_alone_have_more_digits() -> None:
    assert format_column([0.5, 0.123456789123, 0.123456789124]) == ["0.5", "0.123456789123", "0.123456789124"]


def test_format_column_of_differences_has_signs() -> None:
    assert format_column([0.25, -0.125, 0.0], with_signs=True) == ["+0.25", "-0.125", "±0"]


def test_format_columns_tells_least_from_greatest() -> None:
    assert format_columns([[1000.1, None], [1000.1006, 5.0]], missing="-") == [
        ["1000.1", "-"],
        ["1000.101", "5"],
    ]


@settings(max_examples=examples(100))
@given(st.lists(USUAL, min_size=2, max_size=12, unique=True))
def test_usual_values_are_written_to_a_part_of_their_spread(values: list[float]) -> None:
    texts = format_column(values)
    spread = max(values) - min(values)
    for value, text in zip(values, texts, strict=True):
        assert abs(float(text) - value) <= max(spread / 500, value / 200)
    assert len(set(texts)) == len(values)


@settings(max_examples=examples(100))
@given(st.lists(st.floats(), max_size=6))
def test_different_values_have_different_texts(values: list[float]) -> None:
    texts = format_column(values)
    known: dict[str, float] = {}
    for value, text in zip(values, texts, strict=True):
        assert len(text) <= 32
        other = known.setdefault(text, value)
        assert math.isnan(value) or other == value or math.isclose(other, value, rel_tol=1e-14, abs_tol=5e-324)
