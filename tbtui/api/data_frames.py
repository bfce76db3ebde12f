"""Tables of the Python API: the rows of `tbtui export` as numpy columns or pandas data frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.api.errors import LeftOutWarning, warn_caller
from tbtui.export.request import ExportRequest
from tbtui.export.table import (
    FLOAT_COLUMNS,
    INTEGER_COLUMNS,
    KEY_COLUMNS,
    SkippedValues,
    build_object_column,
    concatenate_columns,
    match_all,
)
from tbtui.maths.x_values import STEP_AXES
from tbtui.settings.settings import ALL_X_AXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt
    from pandas import DataFrame

    from tbtui.export.table import Table
    from tbtui.maths.x_values import XAxis
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


_PANDAS_MISSING = "pandas is not installed, which to_pandas needs: pip install pandas (or tbtui[pandas])"


def frame_from_columns(columns: Mapping[str, npt.NDArray[Any]]) -> DataFrame:
    """Return a data frame of columns of equal length; the arrays are copied.

    Raises:
        ImportError: pandas is not installed.
    """
    require_pandas()
    from pandas import DataFrame

    return DataFrame(dict(columns), copy=True)


def require_pandas() -> None:
    """Raise early if pandas is missing, before any file is read.

    Raises:
        ImportError: pandas is not installed.
    """
    try:
        import pandas  # noqa: F401, ICN001
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise  # a dependency of pandas is missing
        raise ImportError(_PANDAS_MISSING, name="pandas") from error


def stack_tables(
    tables: Sequence[Table], names: Sequence[str], key_columns: Sequence[str]
) -> dict[str, npt.NDArray[Any]]:
    """Stack tables vertically: `key_columns` as objects, then the columns `names`."""
    sizes = [len(table) for table in tables]
    leading = {
        key: np.repeat(build_object_column([getattr(table, key) for table in tables]), sizes) for key in key_columns
    }
    return leading | _concatenate_columns(tables, names)


def frame_from_tables(tables: Sequence[Table], names: Sequence[str], key_columns: Sequence[str]) -> DataFrame:
    """Stack tables vertically as a data frame; each key is hashed once, however many rows it has.

    Missing numbers are NaN, missing texts None.

    Raises:
        ImportError: pandas is not installed.
    """
    require_pandas()
    from pandas import DataFrame, Index, to_numeric

    sizes = [len(table) for table in tables]
    columns: dict[str, Any] = {
        key: Index([getattr(table, key) for table in tables]).repeat(sizes) for key in key_columns
    }
    for name, column in _concatenate_columns(tables, names).items():
        is_number = column.dtype.kind == "O" and name in INTEGER_COLUMNS | FLOAT_COLUMNS
        columns[name] = to_numeric(column) if is_number else column
    return DataFrame(columns, copy=True)


def build_wide_frame(tables: Sequence[Table], x_column: str = "step") -> DataFrame:
    """Return scalars with one row per x value and one column per run and tag; missing values are NaN.

    The last of several points of a column with the same x value counts.

    Raises:
        ImportError: pandas is not installed.
    """
    require_pandas()
    from pandas import DataFrame, Index, MultiIndex

    column_numbers = {
        name: number for number, name in enumerate(dict.fromkeys((table.run, table.tag) for table in tables))
    }
    column_of_table = [column_numbers[table.run, table.tag] for table in tables]
    stacked = _concatenate_columns(tables, (x_column, "value"))
    column_of_row = np.repeat(np.array(column_of_table, np.int64), [len(table) for table in tables])
    has_x = ~np.isnan(stacked[x_column])  # on the x axis of a tag
    x, x_rows = np.unique(stacked[x_column][has_x], return_inverse=True)
    values = np.full((len(x), len(column_numbers)), np.nan)
    values[x_rows, column_of_row[has_x]] = stacked["value"][has_x]
    names = MultiIndex.from_arrays(
        [list(each) for each in zip(*column_numbers, strict=True)] or [[], []], names=KEY_COLUMNS
    )
    return DataFrame(values, Index(x, name=x_column), names)


def _concatenate_columns(tables: Sequence[Table], names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    columns: dict[str, npt.NDArray[Any]] = {}
    for name in names:
        parts = [table.columns[name] for table in tables]
        columns[name] = (
            concatenate_columns(parts) if parts else np.empty(0, np.int64 if name in ("step", "order") else np.float64)
        )
    return columns


Matcher: TypeAlias = Callable[[str], bool]


def read_columns(
    plugin: str,
    runs: Iterable[RunSnapshot],
    tags: Matcher,
    *,
    current: bool,
    x_axis: XAxis | None = None,
    x_tag: str = "",
) -> dict[str, npt.NDArray[Any]]:
    """Read the columns that `tbtui export` writes, rows in the same order.

    Unreadable values are left out, with a `LeftOutWarning`.

    Args:
        plugin: Name of a table, as in `tbtui export --plugin`.
        runs: Runs to read.
        tags: Returns True for the tags to read.
        current: Leave out superseded points.
        x_axis: Axis of scalars whose x values are a column.
        x_tag: Tag of the axis `tag`.

    Raises:
        ValueError: There is no such table, or it has no x axis.
    """
    return stack_tables(*_read_tables(plugin, runs, tags, current=current, x_axis=x_axis, x_tag=x_tag))


def read_frame(
    plugin: str,
    runs: Iterable[RunSnapshot],
    tags: Matcher,
    *,
    current: bool,
    wide: bool,
    x_axis: XAxis | None = None,
    x_tag: str = "",
) -> DataFrame:
    """Read the table of `tbtui export` as a data frame.

    `wide` selects one row per step, or per value of `x_axis`, and one column per run and tag; only scalars have it.

    Raises:
        ImportError: pandas is not installed.
        ValueError: There is no such table, or it has no x axis.
    """
    require_pandas()
    if wide and plugin != "scalars":
        raise ValueError(f"only scalars have a wide table, not {plugin}")
    x_axis = "tag" if x_tag and x_axis is None else x_axis
    current = current or (wide and x_axis in (None, *STEP_AXES))
    tables, names, key_columns = _read_tables(plugin, runs, tags, current=current, x_axis=x_axis, x_tag=x_tag)
    if wide:
        from tbtui.export.wide import X_COLUMNS

        return build_wide_frame(tables, X_COLUMNS[x_axis or "step"])
    return frame_from_tables(tables, names, key_columns)


def build_series_frame(plugin: str, run: RunSnapshot, series: ReferenceSeries) -> DataFrame:
    """Return the rows of one series of a run; the series may be a slice, or older than the run.

    Raises:
        ImportError: pandas is not installed.
        ValueError: The plugin has no table.
    """
    require_pandas()
    run_of_series = replace(run, series={series.tag: series})
    tables, names, _ = _read_tables(plugin, [run_of_series], match_all, current=False)
    return frame_from_tables(tables, names, ())


def _read_tables(
    plugin: str,
    runs: Iterable[RunSnapshot],
    tags: Matcher,
    *,
    current: bool,
    x_axis: XAxis | None = None,
    x_tag: str = "",
) -> tuple[list[Table], Sequence[str], Sequence[str]]:
    """Return the tables, the names of their columns, and their key columns; warn about unreadable values."""
    from tbtui.plugins.registry import list_table_exports

    exports = list_table_exports()
    if plugin not in exports:
        raise ValueError(f"no table of {plugin!r}; choose from {', '.join(exports)}")
    x_axis = "tag" if x_tag and x_axis is None else x_axis
    if x_axis is not None:
        if plugin != "scalars":
            raise ValueError(f"only scalars have an x axis, not {plugin}")
        if x_axis not in ALL_X_AXES:
            raise ValueError(f"unknown x axis {x_axis!r}; choose from {', '.join(ALL_X_AXES)}")
        if (x_axis == "tag") != bool(x_tag):
            raise ValueError("the x axis tag needs x_tag, and no other axis has one")
    skipped = SkippedValues()
    rows = exports[plugin].rows(ExportRequest(runs, tags, skipped, current, x_axis, x_tag))
    tables = [table for table in rows.tables if len(table)]
    if first := skipped.first:
        step_text = "" if first.step is None else f" at step {first.step:,}"
        warn_caller(
            f"{skipped.count:,} of {skipped.requested:,} values are left out; "
            f"the first, {first.tag!r} of {first.run!r}{step_text}: {first.reason}",
            LeftOutWarning,
        )
    return tables, rows.columns, rows.key_columns
