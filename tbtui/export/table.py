"""What is written: columns under names, mostly of one tag of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

LEADS = ("run", "tag")
"""What a table can have in front of its columns, the same in all its rows."""

NUMBERS = frozenset(
    (
        *("sample", "width", "height", "bytes", "rate", "channels", "row", "column"),
        *("points", "superseded", "first_step", "last_step", "records"),
    )
)
"""Columns of objects that are whole numbers where they are anything."""

FLOATS = frozenset(("duration", "first_wall_time", "last_wall_time", "number"))
"""Likewise floats; all other columns of objects are texts."""


@frozen(eq=False)
class Table:
    """Rows of one tag of one run, or of all of them."""

    run: str
    """Empty where rows are of no single run, as is `tag`."""

    tag: str
    columns: Mapping[str, npt.NDArray[Any]]
    """By name: int64[n], float64[n], such a one `with_gaps`, or an object array of n strings, or of numbers where some
    rows have None; n is the same for all."""

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=0)


def objects(cells: Sequence[str | float | None]) -> npt.NDArray[Any]:
    """A column of texts, or of numbers where some rows have none."""
    column = np.empty(len(cells), object)
    column[:] = cells
    return column


def with_gaps(values: npt.NDArray[Any], there: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """A column in which some rows have no value.

    Args:
        values: Numbers, one for each row; where there is none it does not count.
        there: Which rows have one, bool[n].
    """
    # Some releases of numpy type this call, which leaves the first ignore unused.
    column: npt.NDArray[Any] = np.ma.MaskedArray(values, mask=~there)  # type: ignore[no-untyped-call, unused-ignore]
    return column


def gaps(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
    """Which rows of a column of numbers have no value, bool[n]; None when all have one."""
    if not isinstance(column, np.ma.MaskedArray):
        return None
    missing: npt.NDArray[np.bool_] = np.broadcast_to(np.asarray(column.mask, np.bool_), len(column))
    return missing
