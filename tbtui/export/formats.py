"""Tables as CSV, JSON or JSON lines, piece by piece, so that memory does not grow with their rows.

Run and tag stand in front of every row of most tables. Numbers read back to the same float64; those that JSON does not
have are spelled NaN, Infinity and -Infinity, in quotes where it is JSON. Texts are written as names are. Where a column
has no value there is nothing in CSV, and null in JSON.
"""

from __future__ import annotations

import json
import math
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from tbtui.export.table import KEY_COLUMNS, missing_rows
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from tbtui.export.arrow import ArrowFormat
    from tbtui.export.table import Table


Format: TypeAlias = Literal["csv", "json", "jsonl"]
FORMATS: tuple[Format, ...] = ("csv", "json", "jsonl")

PIECE_ROWS = 1024
"""Rows made at once: enough to forget what a piece costs, few enough to stay in the processor's cache."""

_CSV_MARKS = frozenset(',"\r\n')
"""A field that holds one of these stands in quotes."""

_SPELLINGS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_QUOTED = {name: f'"{spelling}"' for name, spelling in _SPELLINGS.items()}


@frozen
class _Layout:
    """What stands around the rows."""

    first: str
    """In front of the first row."""

    between: str
    last: str
    """After the last row."""

    empty: str
    """The whole text when there are no rows."""

    row: Callable[[Mapping[str, str], Sequence[str]], str]
    """A row as a template of the % operator, from what leads it, by name, and the names of its other columns."""

    spellings: Mapping[str, str]
    """How numbers that are not finite are written, by Python's own name for them."""

    value: Callable[[str | float | None], str]
    """How what stands in a column of objects is written: texts, and other values where some rows have none."""

    nothing: str
    """What stands where a column has no value."""


def number_text(value: float) -> str:
    """A number in the fewest digits that read back to the same; `NaN`, `Infinity`, `-Infinity`."""
    text = repr(value)
    return _SPELLINGS.get(text, text)


def json_number(value: float | None) -> float | str | None:
    """A number as JSON has it, or its spelling: JSON has none that is not finite."""
    return value if value is None or math.isfinite(value) else number_text(value)


def text_format(path: Path | None) -> Format:
    """The format that the name of a file asks for; CSV when it asks for none, and for None, which is stdout."""
    ending = path.suffix.lower() if path is not None else ""
    return next((known for known in FORMATS if ending == f".{known}"), "csv")


def encode_text(
    tables: Iterable[Table], form: Format, columns: Sequence[str], leads: Sequence[str] = KEY_COLUMNS
) -> Iterator[str]:
    """All rows of the tables in one format.

    `csv` has a line of column names and fields quoted as RFC 4180 has them, but its lines end in a newline alone: with
    a carriage return before it, `grep` and `cut` would find one at the end of every value. Bytes of a name that are no
    UTF-8 are written as escapes with a backslash. `json` is a list of objects, `jsonl` one object a line; both are
    plain ASCII, and every name reads back as it is.

    Args:
        tables: Taken one by one.
        form: The format.
        columns: Names of those that are written, in this order; every table must have them.
        leads: What stands in front of them in every row: `run`, `tag`, both or neither.

    Yields:
        Pieces of about `PIECE` rows, which can be encoded as UTF-8.

    Raises:
        ValueError: Columns of a table differ in length, or one is missing.
    """
    layout = _layout(form, (*leads, *columns))
    lead = layout.first
    for table in tables:
        row = layout.row({name: getattr(table, name) for name in leads}, columns)
        for cells in _pieces(table, columns, layout):
            yield lead + layout.between.join(map(row.__mod__, cells))
            lead = layout.between
    yield layout.empty if lead == layout.first else layout.last


def _pieces(table: Table, names: Sequence[str], layout: _Layout) -> Iterator[Iterator[tuple[int | str, ...]]]:
    """What is in a table, row by row."""
    if missing := [name for name in names if name not in table.columns]:
        raise ValueError(f"{table.tag!r} of {table.run!r} has no column {missing[0]!r}")
    columns = [table.columns[name] for name in names]
    for start in range(0, max(map(len, columns)), PIECE_ROWS):
        yield zip(*(_cells(column[start : start + PIECE_ROWS], layout) for column in columns), strict=True)


def _cells(column: npt.NDArray[Any], layout: _Layout) -> Iterable[int | str]:
    """What stands in a row. Equal numbers in a row are spelled once, which is what takes long."""
    if (missing := missing_rows(column)) is not None:
        return _cells_with_missing(np.asarray(column), missing, layout)
    if column.dtype.kind == "O":
        return map(layout.value, column.tolist())
    if column.dtype.kind != "f":
        integers: list[int] = column.tolist()
        return integers
    spellings = layout.spellings
    bits = column.view(np.int64)
    firsts = np.flatnonzero(bits[1:] != bits[:-1]) + 1
    if 4 * len(firsts) >= len(column):
        return _texts(column, spellings)
    firsts = np.concatenate([[0], firsts])
    counts = np.diff(firsts, append=len(column)).tolist()
    return chain.from_iterable(map(repeat, _texts(column[firsts], spellings), counts))


def _cells_with_missing(
    numbers: npt.NDArray[Any], missing: npt.NDArray[np.bool_], layout: _Layout
) -> Iterable[int | str]:
    there = iter(_cells(numbers[~missing], layout))
    return [layout.nothing if is_missing else next(there) for is_missing in missing.tolist()]


def _texts(numbers: npt.NDArray[np.float64], spellings: Mapping[str, str]) -> list[str]:
    """Numbers in the fewest digits that read back to the same float64."""
    texts = list(map(repr, numbers.tolist()))
    for index in np.flatnonzero(~np.isfinite(numbers)).tolist():
        texts[index] = spellings[texts[index]]
    return texts


def _layout(form: Format, names: Sequence[str]) -> _Layout:
    if form == "csv":
        header = ",".join(map(_csv_text, names)) + "\n"
        return _Layout(header, "\n", "\n", header, _csv_row, _SPELLINGS, _csv_value, "")
    if form == "json":
        return _Layout("[\n", ",\n", "\n]\n", "[]\n", _json_row, _QUOTED, _json_value, "null")
    return _Layout("", "\n", "\n", "", _json_row, _QUOTED, _json_value, "null")


def _csv_row(leads: Mapping[str, str], columns: Sequence[str]) -> str:
    return ",".join((*(_literal(_csv_text(lead)) for lead in leads.values()), *["%s"] * len(columns)))


def _csv_text(name: str) -> str:
    """A text as a field of its own; the csv module of Python 3.10 cannot write one that holds a null character."""
    name = name.encode("utf-8", "backslashreplace").decode()
    return '"' + name.replace('"', '""') + '"' if _CSV_MARKS.intersection(name) else name


def _csv_value(value: str | float | None) -> str:
    return _csv_text(value) if isinstance(value, str) else "" if value is None else number_text(value)


def _json_value(value: str | float | None) -> str:
    return json.dumps(json_number(value) if isinstance(value, float) else value)


def _json_row(leads: Mapping[str, str], columns: Sequence[str]) -> str:
    names = [_literal(f"{json.dumps(name)}: {json.dumps(lead)}") for name, lead in leads.items()]
    return "{" + ", ".join((*names, *(f"{_literal(json.dumps(column))}: %s" for column in columns))) + "}"


def _literal(text: str) -> str:
    """A text as it stands in a template."""
    return text.replace("%", "%%")


# Every format that tables are written in: texts here, Parquet and Arrow by way of pyarrow.


TableFormat: TypeAlias = Format | Literal["parquet", "arrow"]

TABLE_FORMATS: tuple[TableFormat, ...] = (*FORMATS, "parquet", "arrow")
ARROW_ENDINGS: dict[str, ArrowFormat] = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}


def table_format(path: Path | None) -> TableFormat:
    """The format that the name of a file asks for; CSV when it asks for none, and for None, which is stdout."""
    ending = path.suffix.lower() if path is not None else ""
    return ARROW_ENDINGS[ending] if ending in ARROW_ENDINGS else text_format(path)


def is_text(form: TableFormat) -> bool:
    """Whether a format can be shown on a terminal."""
    return form in FORMATS


def check_format(form: TableFormat) -> None:
    """See whether a format can be written here.

    Raises:
        OutputError: It needs pyarrow, which is not installed.
    """
    if not is_text(form):
        from tbtui.export.arrow import check_arrow

        check_arrow(form)


def encode_tables(
    tables: Iterable[Table],
    form: TableFormat,
    columns: Sequence[str],
    leads: Sequence[str] = KEY_COLUMNS,
    *,
    folder: Path | None = None,
) -> Iterator[str] | Iterator[bytes]:
    """All rows of the tables in one format; see `text_of` and `arrow_pieces`.

    Args:
        tables: Taken one by one.
        form: The format.
        columns: Names of those that are written, in this order; every table must have them.
        leads: What stands in front of them in every row: `run`, `tag`, both or neither.
        folder: Where the file will be; None: it is no file.

    Raises:
        OutputError: The format needs pyarrow, which is not installed.
        ValueError: Columns of a table differ in length, or one is missing.
    """
    if form == "parquet" or form == "arrow":  # noqa: PLR1714 - so the types are known
        from tbtui.export.arrow import arrow_pieces

        return arrow_pieces(tables, form, columns, leads, folder=folder)
    return encode_text(tables, form, columns, leads)
