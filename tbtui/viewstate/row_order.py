"""In which order the rows of a table stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.viewstate.options import RowOrder


ASCENDING, DESCENDING, NEAREST = "▲", "▼", "▸"
"""Behind the title of the column that rows stand in the order of; the last is that of the selected row, too."""


def titled(title: str, order: RowOrder, focus: object = None) -> str:
    """The title of the column by which rows are ordered: `value ▲`.

    Args:
        title: Of the column.
        order: Which is chosen.
        focus: What has the focus, the nearest to which comes first; None: nothing has.
    """
    sign = {"ascending": ASCENDING, "descending": DESCENDING, "nearest": "" if focus is None else NEAREST}.get(order)
    return f"{title} {sign}" if sign else title


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
