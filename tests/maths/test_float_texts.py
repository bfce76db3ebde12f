"""Texts of columns of floats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tbtui.maths.float_texts import CHUNK_VALUES, MIN_COLUMN_VALUES, format_floats

if TYPE_CHECKING:
    import numpy.typing as npt


def check(values: npt.NDArray[np.float64]) -> None:
    """Compare with `repr`, in a column that is long enough to be written at once."""
    column = np.resize(values, max(len(values), MIN_COLUMN_VALUES))
    assert format_floats(column) == list(map(repr, column.tolist()))


def around(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return values, and the floats next to them."""
    return np.concatenate((values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)))


@given(st.lists(st.floats(), min_size=1, max_size=50))
@example([0.0, -0.0, float("nan"), float("inf"), -float("inf"), 5e-324, 1.7976931348623157e308])
def test_float_texts_equal_repr(values: list[float]) -> None:
    check(np.array(values))


@given(st.lists(st.floats(1e-4, 2.0**53, exclude_max=True), min_size=1, max_size=50))
def test_float_texts_without_exponent_equal_repr(values: list[float]) -> None:
    check(np.concatenate((values, np.negative(values))))


@given(st.lists(st.floats(width=32), min_size=1, max_size=50))
def test_float_texts_of_single_precision_equal_repr(values: list[float]) -> None:
    check(np.array(values))


@given(st.integers(0, 2**32 - 1), st.integers(0, 16))
def test_float_texts_of_rounded_values_equal_repr(seed: int, decimals: int) -> None:
    random = np.random.default_rng(seed)
    check(np.round(10 ** random.uniform(-4, 15, 2 * CHUNK_VALUES), decimals))


@pytest.mark.parametrize(
    "values",
    [
        10.0 ** np.arange(-6, 20),
        2.0 ** np.arange(-20, 60),
        np.arange(1, 1000) / 1000,
        1.7e9 + np.arange(1000) / 1000,
        9_007_199_254_740_992.0 - np.arange(100),
        0.5 * (9_007_199_254_740_991 - np.arange(100)),
    ],
    ids=["decades", "powers", "thousandths", "times", "integers", "halves"],
)
def test_float_texts_next_to_round_values_equal_repr(values: npt.NDArray[np.float64]) -> None:
    check(around(values))


def test_float_texts_of_a_strided_column_equal_repr() -> None:
    column = np.random.default_rng(0).random(4 * MIN_COLUMN_VALUES)[::2]
    assert format_floats(column) == list(map(repr, column.tolist()))


def test_float_texts_of_an_empty_column_are_none() -> None:
    assert format_floats(np.zeros(0)) == []
