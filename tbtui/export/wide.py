"""Wide tables of scalars: one row per step, or per value of another x axis, and one column per run and tag.

A step has one row, so superseded points are left out. Wall times, which differ between the columns of a step, are left
out too.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.export.table import Table, mask_missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.export.table import SkippedValues
    from tbtui.maths.x_values import XAxis

STEP = "step"
"""Name of the first column of most wide tables."""

X_COLUMNS: Mapping[XAxis, str] = {
    "step": "step",
    "wall": "wall_time",
    "relative": "relative",
    "active": "active",
    "order": "order",
    "tag": "x",
}
"""Columns with the x values of each axis: steps, wall times, seconds since the start of the run with and without
pauses, numbers from 1 in the order of logging, and the values of another tag."""

BLOCK_CELLS = 1 << 18
"""Cells of all columns produced at once."""

MIN_BLOCK_ROWS = 8
"""Minimum rows produced at once, because each block has a fixed cost."""


@dataclass(slots=True)
class WideTable:
    """Collect columns until all are known.

    A value takes 4 bytes if all values of its column are exact as float32, which is usual, otherwise 8. Columns with
    equal steps share one array.
    """

    x_column: str = STEP
    """Name of the first column, which holds the x values in the added tables."""

    skipped: SkippedValues | None = None
    """Counts points without an x value, and all but the last point of a column with the same x value."""

    _names: list[tuple[str, str]] = field(default_factory=list)
    _values: list[npt.NDArray[Any]] = field(default_factory=list)
    _axes: list[int] = field(default_factory=list)
    """Index into `_x` of each column."""

    _x: list[npt.NDArray[Any]] = field(default_factory=list)
    """Different x values, int64[n] or float64[n], strictly ascending."""

    _known: dict[bytes, int] = field(default_factory=dict)

    def add(self, table: Table) -> None:
        """Add the table of one tag of one run, with x values and `value`."""
        x, values = table.columns[self.x_column], table.columns["value"]
        if x.dtype.kind == "f" and bool(np.isnan(x).any()):
            has_x = ~np.isnan(x)
            if self.skipped is not None:
                self.skipped.without_x += len(x) - int(has_x.sum())
            x, values = x[has_x], values[has_x]
        if not bool(np.all(x[1:] > x[:-1])):
            last_indices = _select_last(x)
            if self.skipped is not None:
                self.skipped.same_x += len(x) - len(last_indices)
            x, values = x[last_indices], values[last_indices]
        digest = blake2b(x.tobytes(), digest_size=16).digest()
        if digest not in self._known:
            self._known[digest] = len(self._x)
            self._x.append(x.copy())
        self._axes.append(self._known[digest])
        self._values.append(_compact(values))
        self._names.append((table.run, table.tag))

    def __len__(self) -> int:
        return len(self._names)

    @property
    def columns(self) -> tuple[str, ...]:
        """`x_column`, and the names of all columns in order of addition."""
        return (self.x_column, *column_names(self._names, self.x_column))

    def tables(self) -> Iterator[Table]:
        """Yield all rows in blocks; missing values are masked."""
        if not self._names:
            return
        names = self.columns[1:]
        x = np.unique(np.concatenate(self._x))
        height = max(MIN_BLOCK_ROWS, BLOCK_CELLS // len(names))
        for start in range(0, len(x), height):
            rows = x[start : start + height]
            rows_of_axes = [_locate_rows(rows, axis) for axis in self._x]
            columns: dict[str, npt.NDArray[Any]] = {self.x_column: rows}
            for name, axis, values in zip(names, self._axes, self._values, strict=True):
                slice_of_axis, row_numbers = rows_of_axes[axis]
                columns[name] = _expand_column(values[slice_of_axis], row_numbers, len(rows))
            yield Table("", "", columns)


def column_names(names: Sequence[tuple[str, str]], x_column: str = STEP) -> list[str]:
    """Return a unique name for each (run, tag) that differs from the name of the first column.

    It is `run/tag`, or the JSON list `["a", "b/c"]` if that is ambiguous.
    """
    plain = [f"{run}/{tag}" for run, tag in names]
    listed = [json.dumps([run, tag]) for run, tag in names]
    # Some formats escape bytes that are not UTF-8; another name may contain the same escape literally.
    keys = [name.encode("utf-8", "backslashreplace") for name in plain]
    occurrences = Counter(keys)
    reserved = {x_column.encode(), *(name.encode() for name in listed)}
    return [
        plain[index] if occurrences[key] == 1 and key not in reserved else listed[index]
        for index, key in enumerate(keys)
    ]


def build_wide_table(tables: Iterable[Table], x_column: str = STEP, skipped: SkippedValues | None = None) -> WideTable:
    """Return the wide table of tables of scalars; the arguments are those of `WideTable`."""
    wide_table = WideTable(x_column, skipped)
    for table in tables:
        wide_table.add(table)
    return wide_table


def _compact(values: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Return a copy as float32 if that represents the same numbers, otherwise as float64."""
    with np.errstate(over="ignore", invalid="ignore"):
        values_float32 = values.astype(np.float32)
    is_exact = (values_float32 == values) | np.isnan(values)
    return values_float32 if bool(is_exact.all()) else values.copy()


def _select_last(x: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the index of the last point at each x value, in ascending order of x; NaN is left out."""
    order = np.argsort(x, kind="stable")
    ordered = x[order]
    is_last = np.append(ordered[1:] != ordered[:-1], len(x) > 0) & ~np.isnan(ordered)
    return np.asarray(order[is_last])


def _locate_rows(rows: npt.NDArray[Any], x: npt.NDArray[Any]) -> tuple[slice, npt.NDArray[np.intp]]:
    """Return the slice of `x` that is within the rows, and their row numbers."""
    slice_of_rows = slice(int(np.searchsorted(x, rows[0])), int(np.searchsorted(x, rows[-1], side="right")))
    return slice_of_rows, np.searchsorted(rows, x[slice_of_rows])


def _expand_column(values: npt.NDArray[Any], row_numbers: npt.NDArray[np.intp], height: int) -> npt.NDArray[Any]:
    if len(values) == height:
        all_values: npt.NDArray[Any] = values.astype(np.float64)
        return all_values
    column, has_value = np.zeros(height), np.zeros(height, np.bool_)
    column[row_numbers], has_value[row_numbers] = values, True
    return mask_missing(column, has_value)
