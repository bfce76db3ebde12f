"""In which order the rows of a table stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.viewstate.options import RowOrder


def in_order(values: Sequence[float], order: RowOrder, focus: int | None = None) -> list[int]:
    """Indices of rows in the order they are wanted in; rows that are equal stay in theirs, NaN comes last.

    Args:
        values: What each row shows.
        order: `nearest` is by the distance to the focused row; without one, rows stay as they are.
        focus: The focused row.
    """
    keys = np.asarray(values, np.float64)
    if order == "nearest":
        with np.errstate(invalid="ignore", over="ignore"):
            keys = np.abs(keys - (np.nan if focus is None else keys[focus]))
    elif order == "descending":
        keys = -keys
    return list(range(len(keys))) if order == "runs" else np.argsort(keys, kind="stable").tolist()
