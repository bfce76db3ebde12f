"""The order of rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tbtui.view.row_order import mark_order, sort_rows

if TYPE_CHECKING:
    from tbtui.settings.settings import RowOrder

NAN = math.nan


@pytest.mark.parametrize(
    ("order", "focus", "rows"),
    [
        ("runs", None, [0, 1, 2, 3, 4]),
        ("ascending", None, [4, 0, 2, 3, 1]),
        ("descending", None, [3, 0, 2, 4, 1]),
        ("nearest", 4, [4, 0, 2, 3, 1]),
        ("nearest", 0, [0, 2, 4, 3, 1]),
        ("nearest", None, [0, 1, 2, 3, 4]),
        ("nearest", 1, [0, 1, 2, 3, 4]),
    ],
)
def test_rows_are_ordered_and_nan_comes_last(order: RowOrder, focus: int | None, rows: list[int]) -> None:
    assert sort_rows([2.0, NAN, 2.0, 9.0, 1.0], order, focus) == rows


@pytest.mark.parametrize(
    ("order", "focus", "title"),
    [
        ("runs", None, "value"),
        ("ascending", None, "value ▲"),
        ("descending", 0, "value ▼"),
        ("nearest", 0, "value ▸"),
        ("nearest", None, "value"),
    ],
)
def test_the_column_that_orders_the_rows_says_so(order: RowOrder, focus: int | None, title: str) -> None:
    assert mark_order("value", order, focus) == title
