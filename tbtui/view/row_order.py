"""Order of the rows of a table, and its sign in the title of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.settings.settings import RowOrder

    Floats: TypeAlias = npt.NDArray[np.float64]


ASCENDING, DESCENDING, NEAREST = "▲", "▼", "▸"
"""Signs after the title of the column by which rows are sorted; `NEAREST` also marks the selected row."""


def mark_order(title: str, order: RowOrder, focus: object = None) -> str:
    """Return the title of the column by which rows are sorted: `value ▲`.

    Args:
        title: Title of the column.
        order: Selected order.
        focus: The focused row, whose nearest rows come first; None: none.
    """
    sign = {"ascending": ASCENDING, "descending": DESCENDING, "nearest": "" if focus is None else NEAREST}.get(order)
    return f"{title} {sign}" if sign else title


def sort_rows(values: Sequence[float], order: RowOrder, focus: int | None = None) -> list[int]:
    """Return indices of rows in the selected order; equal rows keep their order, NaN comes last.

    Args:
        values: Value of each row.
        order: `nearest` sorts by the distance to the focused row; without one, rows keep their order.
        focus: Index of the focused row.
    """
    keys = np.asarray(values, np.float64)
    if order == "nearest":
        with np.errstate(invalid="ignore", over="ignore"):
            keys = np.abs(keys - (np.nan if focus is None else keys[focus]))
    elif order == "descending":
        keys = -keys
    return list(range(len(keys))) if order == "runs" else np.argsort(keys, kind="stable").tolist()
