"""Build tables and parse their text."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.export.formats import encode_text
from tbtui.plugins.scalars.export import SCALAR_COLUMNS, build_scalar_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.export.formats import Format
    from tbtui.export.table import Table

SPELLED = {"NaN", "Infinity", "-Infinity"}

Row = tuple[Any, ...]


def table(
    values: Sequence[float],
    *,
    run: str = "run",
    tag: str = "tag",
    steps: Sequence[int] | None = None,
    wall_times: Sequence[float] | None = None,
    smoothed: Sequence[float] | None = None,
) -> Table:
    """Return a table of values; default: steps 0, 1, 2, …, a quarter of a second apart."""
    count = len(values)
    return build_scalar_table(
        run,
        tag,
        np.asarray(range(count) if steps is None else steps, np.int64),
        np.asarray([1.5 + index / 4 for index in range(count)] if wall_times is None else wall_times, np.float64),
        np.asarray(values, np.float64),
        None if smoothed is None else np.asarray(smoothed, np.float64),
    )


def text(*tables: Table, form: Format = "csv", columns: Sequence[str] = SCALAR_COLUMNS) -> str:
    """Return all parts as one text."""
    return "".join(encode_text(tables, form, columns))


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not strict JSON")


def rows_of(written: str, form: Format) -> list[Row]:
    """Return parsed rows (run, tag, step, wall time, value, …) with typed numbers."""
    if form == "csv":
        _, *rows = csv.reader(io.StringIO(written, newline=""))
        return [(run, tag, int(step), *map(float, floats)) for run, tag, step, *floats in rows]
    if form == "json":
        objects = json.loads(written, parse_constant=refuse_constant)
    else:
        objects = [json.loads(line, parse_constant=refuse_constant) for line in written.splitlines()]
    return [(*list(row.values())[:3], *map(_number, list(row.values())[3:])) for row in objects]


def _number(value: float | str) -> float:
    assert isinstance(value, float) or value in SPELLED
    return float(value)
