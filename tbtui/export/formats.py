"""Table formats: CSV, JSON and JSON Lines as text, Parquet and Arrow through pyarrow.

Tables are encoded piece by piece, so memory does not grow with their rows. Run and tag precede every row of most
tables. Numbers read back to the same float64; NaN, Infinity and -Infinity are quoted in JSON, which lacks them.
Flags are `true` and `false`. Missing values are empty in CSV and null in JSON.
"""

from __future__ import annotations

import json
import math
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from tbtui.export.table import KEY_COLUMNS, find_missing_rows
from tbtui.frozen import frozen
from tbtui.maths.float_texts import format_floats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from tbtui.export.arrow import ArrowFormat
    from tbtui.export.table import Table


Format: TypeAlias = Literal["csv", "json", "jsonl"]
FORMATS: tuple[Format, ...] = ("csv", "json", "jsonl")

CHUNK_ROWS = 4096
"""Rows encoded at once: enough to make the fixed cost negligible, few enough for the CPU cache."""

_CSV_MARKS = frozenset(',"\r\n')
"""Characters that require quotes around a field."""

_SPELLINGS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_QUOTED = {name: f'"{spelling}"' for name, spelling in _SPELLINGS.items()}


@frozen
class _Layout:
    """Text around and within the rows of a format."""

    first: str
    """Text in front of the first row."""

    between: str
    last: str
    """Text after the last row."""

    empty: str
    """The whole text without rows."""

    row: Callable[[Mapping[str, str], Sequence[str]], str]
    """Returns a row template for the % operator, from the key columns with their values and the names of the other
    columns.
    """

    spellings: Mapping[str, str]
    """Spelling of numbers that are not finite, by their `repr`."""

    value: Callable[[str | float | None], str]
    """Encodes a cell of an object column."""

    null_text: str
    """Text of a missing value."""


def format_exact(value: float) -> str:
    """Return a number in the fewest digits that read back to the same; `NaN`, `Infinity`, `-Infinity`."""
    text = repr(value)
    return _SPELLINGS.get(text, text)


def to_json_number(value: float | None) -> float | str | None:
    """Return a number for JSON, or its spelling if it is not finite."""
    return value if value is None or math.isfinite(value) else format_exact(value)


def choose_text_format(path: Path | None) -> Format:
    """Return the format of a file name; CSV for other suffixes and for None (stdout)."""
    suffix = path.suffix.lower() if path is not None else ""
    return next((form for form in FORMATS if suffix == f".{form}"), "csv")


def encode_text(
    tables: Iterable[Table], form: Format, columns: Sequence[str], key_columns: Sequence[str] = KEY_COLUMNS
) -> Iterator[str]:
    """Encode all rows of the tables in a text format.

    `csv` has a header and the quoting of RFC 4180, but lines end without a carriage return, which `grep` and `cut`
    would include in the last value. Bytes of a name that are not UTF-8 are written as backslash escapes. `json` is a
    list of objects, `jsonl` one object per line; both are plain ASCII, and every name reads back unchanged.

    Args:
        tables: Taken one by one.
        form: The format.
        columns: Names of the columns to write, in order; every table must have them.
        key_columns: Columns in front of them: `run`, `tag`, both or neither.

    Yields:
        Pieces of about `CHUNK_ROWS` rows that can be encoded as UTF-8.

    Raises:
        ValueError: Columns of a table differ in length, or one is missing.
    """
    layout = _choose_layout(form, (*key_columns, *columns))
    prefix = layout.first
    for table in tables:
        row = layout.row({name: getattr(table, name) for name in key_columns}, columns)
        for cells in _iter_chunks(table, columns, layout):
            yield prefix + layout.between.join(map(row.__mod__, cells))
            prefix = layout.between
    yield layout.empty if prefix == layout.first else layout.last


def _iter_chunks(table: Table, names: Sequence[str], layout: _Layout) -> Iterator[Iterator[tuple[int | str, ...]]]:
    """Yield the cells of a table row by row, in pieces."""
    if missing := [name for name in names if name not in table.columns]:
        raise ValueError(f"{table.tag!r} of {table.run!r} has no column {missing[0]!r}")
    columns = [table.columns[name] for name in names]
    for start in range(0, max(map(len, columns)), CHUNK_ROWS):
        yield zip(*(_encode_cells(column[start : start + CHUNK_ROWS], layout) for column in columns), strict=True)


def _encode_cells(column: npt.NDArray[Any], layout: _Layout) -> Iterable[int | str]:
    """Return the encoded cells of a column.

    Consecutive equal numbers are formatted once, because formatting is slow.
    """
    if (missing := find_missing_rows(column)) is not None:
        return _encode_masked_cells(np.asarray(column), missing, layout)
    if column.dtype.kind == "O":
        return map(layout.value, column.tolist())
    if column.dtype.kind == "b":
        return map(_format_flag, column.tolist())
    if column.dtype.kind != "f":
        integers: list[int] = column.tolist()
        return integers
    spellings = layout.spellings
    bits = column.view(np.int64)
    firsts = np.flatnonzero(bits[1:] != bits[:-1]) + 1
    if 4 * len(firsts) >= len(column):
        return _format_floats(column, spellings)
    firsts = np.concatenate([[0], firsts])
    counts = np.diff(firsts, append=len(column)).tolist()
    return chain.from_iterable(map(repeat, _format_floats(column[firsts], spellings), counts))


def _encode_masked_cells(
    numbers: npt.NDArray[Any], missing: npt.NDArray[np.bool_], layout: _Layout
) -> Iterable[int | str]:
    values = iter(_encode_cells(numbers[~missing], layout))
    return [layout.null_text if is_missing else next(values) for is_missing in missing.tolist()]


def _format_floats(numbers: npt.NDArray[np.float64], spellings: Mapping[str, str]) -> list[str]:
    """Return numbers in the fewest digits that read back to the same float64."""
    texts = format_floats(numbers)
    for index in np.flatnonzero(~np.isfinite(numbers)).tolist():
        texts[index] = spellings[texts[index]]
    return texts


def _choose_layout(form: Format, names: Sequence[str]) -> _Layout:
    if form == "csv":
        header = ",".join(map(_quote_csv, names)) + "\n"
        return _Layout(header, "\n", "\n", header, _build_csv_template, _SPELLINGS, _encode_csv, "")
    if form == "json":
        return _Layout("[\n", ",\n", "\n]\n", "[]\n", _build_json_template, _QUOTED, _encode_json, "null")
    return _Layout("", "\n", "\n", "", _build_json_template, _QUOTED, _encode_json, "null")


def _build_csv_template(key_columns: Mapping[str, str], columns: Sequence[str]) -> str:
    return ",".join((*(_escape_percent(_quote_csv(value)) for value in key_columns.values()), *["%s"] * len(columns)))


def _quote_csv(name: str) -> str:
    """Return a text as a CSV field; the csv module of Python 3.10 cannot write a null character."""
    name = name.encode("utf-8", "backslashreplace").decode()
    return '"' + name.replace('"', '""') + '"' if _CSV_MARKS.intersection(name) else name


def _format_flag(flag: bool) -> str:
    return "true" if flag else "false"


def _encode_csv(value: str | float | bool | None) -> str:
    if isinstance(value, bool):
        return _format_flag(value)
    return _quote_csv(value) if isinstance(value, str) else "" if value is None else format_exact(value)


def _encode_json(value: str | float | None) -> str:
    return json.dumps(to_json_number(value) if isinstance(value, float) else value)


def _build_json_template(key_columns: Mapping[str, str], columns: Sequence[str]) -> str:
    names = [_escape_percent(f"{json.dumps(name)}: {json.dumps(value)}") for name, value in key_columns.items()]
    return "{" + ", ".join((*names, *(f"{_escape_percent(json.dumps(column))}: %s" for column in columns))) + "}"


def _escape_percent(text: str) -> str:
    """Escape a text for a template of the % operator."""
    return text.replace("%", "%%")


TableFormat: TypeAlias = Format | Literal["parquet", "arrow"]

TABLE_FORMATS: tuple[TableFormat, ...] = (*FORMATS, "parquet", "arrow")
ARROW_ENDINGS: dict[str, ArrowFormat] = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}


def choose_table_format(path: Path | None) -> TableFormat:
    """Return the format of a file name; CSV for other suffixes and for None (stdout)."""
    suffix = path.suffix.lower() if path is not None else ""
    return ARROW_ENDINGS[suffix] if suffix in ARROW_ENDINGS else choose_text_format(path)


def is_text(form: TableFormat) -> bool:
    """Return True if a format can be shown in a terminal."""
    return form in FORMATS


def check_format(form: TableFormat) -> None:
    """Verify that a format can be written here.

    Raises:
        OutputError: The format needs pyarrow, which is not installed.
    """
    if not is_text(form):
        from tbtui.export.arrow import check_arrow

        check_arrow(form)


def encode_tables(
    tables: Iterable[Table],
    form: TableFormat,
    columns: Sequence[str],
    key_columns: Sequence[str] = KEY_COLUMNS,
    *,
    folder: Path | None = None,
) -> Iterator[str] | Iterator[bytes]:
    """Encode all rows of the tables in a format; see `encode_text` and `encode_arrow`.

    Args:
        tables: Taken one by one.
        form: The format.
        columns: Names of the columns to write, in order; every table must have them.
        key_columns: Columns in front of them: `run`, `tag`, both or neither.
        folder: Directory of the output file; None: no file.

    Raises:
        OutputError: The format needs pyarrow, which is not installed.
        ValueError: Columns of a table differ in length, or one is missing.
    """
    if form == "parquet" or form == "arrow":  # noqa: PLR1714 - so the types are known
        from tbtui.export.arrow import encode_arrow

        return encode_arrow(tables, form, columns, key_columns, folder=folder)
    return encode_text(tables, form, columns, key_columns)
