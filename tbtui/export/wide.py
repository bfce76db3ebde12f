"""Wide tables of scalars: one row per step, one column per run and tag.

A step has one row, so points that a restart superseded are left out. Wall times are left out too, because they differ
between the columns of a step.
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
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

STEP = "step"
"""Name of the first column."""

BLOCK_CELLS = 1 << 18
"""Cells of all columns produced at once."""

MIN_BLOCK_ROWS = 8
"""Minimum rows produced at once, because each block has a fixed cost."""


@dataclass(slots=True)
class WideTable:
    """Collects columns until all are known.

    Uses 4 bytes per point if all values of a column are exact as float32, as most writers log them, otherwise 8.
    Columns with equal steps share them.
    """

    _names: list[tuple[str, str]] = field(default_factory=list)
    _values: list[npt.NDArray[Any]] = field(default_factory=list)
    _axes: list[int] = field(default_factory=list)
    """Index into `_steps` of each column."""

    _steps: list[npt.NDArray[np.int64]] = field(default_factory=list)
    _known: dict[bytes, int] = field(default_factory=dict)

    def add(self, table: Table) -> None:
        """Add the table of one tag of one run, with `step` (strictly ascending) and `value`."""
        steps, values = table.columns["step"], table.columns["value"]
        digest = blake2b(steps.tobytes(), digest_size=16).digest()
        if digest not in self._known:
            self._known[digest] = len(self._steps)
            self._steps.append(steps.copy())
        self._axes.append(self._known[digest])
        self._values.append(_compact(values))
        self._names.append((table.run, table.tag))

    def __len__(self) -> int:
        return len(self._names)

    @property
    def columns(self) -> tuple[str, ...]:
        """`step`, and the names of all columns in order of addition."""
        return (STEP, *column_names(self._names))

    def tables(self) -> Iterator[Table]:
        """Yield all rows in blocks; missing values are masked."""
        if not self._names:
            return
        names = self.columns[1:]
        steps = np.unique(np.concatenate(self._steps))
        height = max(MIN_BLOCK_ROWS, BLOCK_CELLS // len(names))
        for start in range(0, len(steps), height):
            rows = steps[start : start + height]
            places = [_places(rows, axis) for axis in self._steps]
            columns: dict[str, npt.NDArray[Any]] = {STEP: rows}
            for name, axis, values in zip(names, self._axes, self._values, strict=True):
                part, at = places[axis]
                columns[name] = _column(values[part], at, len(rows))
            yield Table("", "", columns)


def column_names(names: Sequence[tuple[str, str]]) -> list[str]:
    """Return a unique name for each (run, tag).

    It is `run/tag`, or the JSON list `["a", "b/c"]` if that is ambiguous.
    """
    plain = [f"{run}/{tag}" for run, tag in names]
    listed = [json.dumps([run, tag]) for run, tag in names]
    # Some formats escape bytes that are not UTF-8; another name may contain the same escape literally.
    keys = [name.encode("utf-8", "backslashreplace") for name in plain]
    occurrences = Counter(keys)
    reserved = {STEP.encode(), *(name.encode() for name in listed)}
    return [
        plain[index] if occurrences[key] == 1 and key not in reserved else listed[index]
        for index, key in enumerate(keys)
    ]


def build_wide_table(tables: Iterable[Table]) -> WideTable:
    """Return the wide table of tables of scalars."""
    wide_table = WideTable()
    for table in tables:
        wide_table.add(table)
    return wide_table


def _compact(values: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Return a copy in as few bytes as represent the same numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = values.astype(np.float32)
    same = (narrow == values) | np.isnan(values)
    return narrow if bool(same.all()) else values.copy()


def _places(rows: npt.NDArray[np.int64], steps: npt.NDArray[np.int64]) -> tuple[slice, npt.NDArray[np.intp]]:
    """Return the slice of `steps` that is within the rows, and their row numbers."""
    part = slice(int(np.searchsorted(steps, rows[0])), int(np.searchsorted(steps, rows[-1], side="right")))
    return part, np.searchsorted(rows, steps[part])


def _column(values: npt.NDArray[Any], at: npt.NDArray[np.intp], height: int) -> npt.NDArray[Any]:
    if len(values) == height:
        whole: npt.NDArray[Any] = values.astype(np.float64)
        return whole
    column, there = np.zeros(height), np.zeros(height, np.bool_)
    column[at], there[at] = values, True
    return mask_missing(column, there)
