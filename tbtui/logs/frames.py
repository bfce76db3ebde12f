"""Columns as pandas tables, where pandas is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.export.table import FLOATS, LEADS, NUMBERS, objects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt
    from pandas import DataFrame

    from tbtui.export.table import Table

_MISSING = "pandas is not installed, which to_pandas needs: pip install pandas (or tbtui[pandas])"


def frame_of(columns: Mapping[str, npt.NDArray[Any]]) -> DataFrame:
    """A table of columns of one length; the arrays stay what they are, whatever is done to it.

    Raises:
        ImportError: pandas is not installed.
    """
    need_pandas()
    from pandas import DataFrame

    return DataFrame(dict(columns), copy=True)


def need_pandas() -> None:
    """See that pandas can be imported, before anything is read for it.

    Raises:
        ImportError: It is not installed.
    """
    try:
        import pandas  # noqa: F401, ICN001
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise  # what pandas itself lacks
        raise ImportError(_MISSING, name="pandas") from error


def columns_of(tables: Sequence[Table], names: Sequence[str], leads: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Tables one below the other: what leads them, `run` and `tag`, as objects, then the columns of those names."""
    sizes = [len(table) for table in tables]
    leading = {lead: np.repeat(objects([getattr(table, lead) for table in tables]), sizes) for lead in leads}
    return leading | _joined(tables, names)


def frame_of_tables(tables: Sequence[Table], names: Sequence[str], leads: Sequence[str]) -> DataFrame:
    """The same as a pandas table: each name is looked at once, however many rows it has.

    Numbers that some rows do not have are NaN there, texts None.

    Raises:
        ImportError: pandas is not installed.
    """
    need_pandas()
    from pandas import DataFrame, Index, to_numeric

    sizes = [len(table) for table in tables]
    columns: dict[str, Any] = {lead: Index([getattr(table, lead) for table in tables]).repeat(sizes) for lead in leads}
    for name, column in _joined(tables, names).items():
        is_number = column.dtype.kind == "O" and name in NUMBERS | FLOATS
        columns[name] = to_numeric(column) if is_number else column
    return DataFrame(columns, copy=True)


def wide_frame(tables: Sequence[Table]) -> DataFrame:
    """Scalars with a row a step and a column a run and tag; NaN where a run has no value of the tag at that step.

    Raises:
        ImportError: pandas is not installed.
    """
    need_pandas()
    from pandas import DataFrame, Index, MultiIndex

    numbers = {name: number for number, name in enumerate(dict.fromkeys((table.run, table.tag) for table in tables))}
    columns = [numbers[table.run, table.tag] for table in tables]
    joined = _joined(tables, ("step", "value"))
    steps, places = np.unique(joined["step"], return_inverse=True)
    values = np.full((len(steps), len(numbers)), np.nan)
    values[places, np.repeat(np.array(columns, np.int64), [len(table) for table in tables])] = joined["value"]
    names = MultiIndex.from_arrays([list(each) for each in zip(*numbers, strict=True)] or [[], []], names=LEADS)
    return DataFrame(values, Index(steps, name="step"), names)


def _joined(tables: Sequence[Table], names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    columns: dict[str, npt.NDArray[Any]] = {}
    for name in names:
        parts = [table.columns[name] for table in tables]
        columns[name] = np.concatenate(parts) if parts else np.empty(0, np.int64 if name == "step" else np.float64)
    return columns
