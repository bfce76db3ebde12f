"""Tables as Parquet or Arrow files (Feather version 2), written by pyarrow batch by batch.

Run and tag are dictionary-encoded strings, numbers are int64 and float64 including NaN and infinities, flags are
booleans, texts are strings, and missing values are null. Bytes that are not UTF-8 are written as backslash escapes.
Wall times are float64 seconds since the epoch, as in all other formats: timestamps would not read back to the same
numbers.
"""

from __future__ import annotations

import io
import tempfile
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from tbtui.export.output import OutputError
from tbtui.export.table import FLOAT_COLUMNS, INTEGER_COLUMNS, KEY_COLUMNS, Table, find_missing_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt
    from typing_extensions import Buffer

ArrowFormat: TypeAlias = Literal["parquet", "arrow"]

BATCH_CELLS = 1 << 19
"""Cells of a batch, and of a row group of Parquet."""

BATCH_CHARACTERS = 32 << 20
"""Characters of all texts of a batch: far below the limit of one string array."""


def check_arrow(form: str) -> None:
    """Verify that a format can be written.

    Raises:
        OutputError: pyarrow is not installed, or cannot be imported.
    """
    try:
        import pyarrow as pa
    except ImportError as error:
        if error.name == "pyarrow":
            raise OutputError(f"{form} needs pyarrow: pip install 'tbtui[parquet]'") from error
        raise OutputError(f"{form} needs pyarrow, which cannot be imported: {error}") from error
    del pa


def encode_arrow(
    tables: Iterable[Table],
    form: ArrowFormat,
    columns: Sequence[str],
    key_columns: Sequence[str] = KEY_COLUMNS,
    *,
    folder: Path | None = None,
) -> Iterator[bytes]:
    """Encode all rows of the tables in a binary format.

    Args:
        tables: Taken one by one; a column has the same kind in all tables.
        form: The format.
        columns: Names of the columns to write, in order; every table must have them.
        key_columns: Key columns in front of them: `run`, `tag`, both or neither.
        folder: Directory of an anonymous file that buffers the rows of `arrow` until all names are known, because an
            Arrow file has one dictionary for all batches. None: the temporary directory of the system.

    Yields:
        Bytes of the file; at most a batch or two are in memory.

    Raises:
        OutputError: pyarrow is not installed.
        ValueError: Columns of a table differ in length, or one is missing.
    """
    check_arrow(form)
    if form == "parquet":
        return _write_parquet(_Batches(columns, key_columns).iter_batches(tables))
    batches = _Batches(columns, key_columns, names_last=True)
    return (
        _write_buffered_arrow(batches.iter_batches(tables), batches, folder)
        if key_columns
        else _write_arrow(batches.iter_batches(tables))
    )


class _Batches:
    """Convert tables of any size to record batches of about equal size.

    Args:
        columns: Columns to write.
        key_columns: Key columns.
        names_last: Write key columns as numbers; their names are known after the last batch.
    """

    def __init__(self, columns: Sequence[str], key_columns: Sequence[str], *, names_last: bool = False) -> None:
        self.key_columns = tuple(key_columns)
        self.names: dict[str, dict[str, int]] = {key: {} for key in key_columns}
        """Numbers by name for each key column."""

        self._columns = tuple(columns)
        self._names_last = names_last
        self._rows = max(1, BATCH_CELLS // max(1, len(self._columns) + len(self.key_columns)))

    def iter_batches(self, tables: Iterable[Table]) -> Iterator[Any]:
        """Yield the batches; without rows there is one, which defines the columns."""
        batch: list[Table] = []
        rows = characters = batches = 0
        for table in tables:
            for section in _split_table(table, self._columns, self._rows):
                batch.append(section)
                rows += len(section)
                characters += _count_characters(section, self._columns)
                if rows >= self._rows or characters >= BATCH_CHARACTERS:
                    yield self._build_batch(batch)
                    batch, rows, characters, batches = [], 0, 0, batches + 1
        if batch or not batches:
            yield self._build_batch(batch)

    def _build_batch(self, sections: Sequence[Table]) -> Any:
        import pyarrow as pa

        arrays: list[Any] = []
        names = (*self.key_columns, *self._columns)
        sizes = [len(section) for section in sections]
        for key in self.key_columns:
            if not self._names_last:
                self.names[key] = {}
            numbers_by_name = self.names[key]
            numbers = [numbers_by_name.setdefault(getattr(section, key), len(numbers_by_name)) for section in sections]
            codes = pa.array(np.repeat(np.array(numbers, np.int32), sizes))
            arrays.append(codes if self._names_last else self.name_codes(key, codes))
        arrays += [_build_array(name, [section.columns[name] for section in sections]) for name in self._columns]
        return pa.RecordBatch.from_arrays(arrays, [*map(_escape_surrogates, names)])

    def name_codes(self, key: str, codes: Any) -> Any:
        """Return the numbers of names as a dictionary array."""
        import pyarrow as pa

        return pa.DictionaryArray.from_arrays(codes, pa.array(map(_escape_surrogates, self.names[key]), pa.string()))


def _split_table(table: Table, names: Sequence[str], rows: int) -> Iterator[Table]:
    """Yield a table in parts of at most `rows` rows."""
    if missing := [name for name in names if name not in table.columns]:
        raise ValueError(f"{table.tag!r} of {table.run!r} has no column {missing[0]!r}")
    columns = {name: table.columns[name] for name in names}
    if len(set(map(len, columns.values()))) > 1:
        raise ValueError(f"columns of {table.tag!r} of {table.run!r} differ in length")
    for start in range(0, max(1, len(table)), rows):
        yield Table(table.run, table.tag, {name: column[start : start + rows] for name, column in columns.items()})


def _count_characters(table: Table, names: Sequence[str]) -> int:
    texts = (table.columns[name] for name in names if table.columns[name].dtype.kind == "O")
    return sum(len(cell) for column in texts for cell in column.tolist() if isinstance(cell, str))


def _build_array(name: str, columns: Sequence[npt.NDArray[Any]]) -> Any:
    """Concatenate parts of a column to one array; empty without parts."""
    import pyarrow as pa

    if not columns:
        return pa.array([], _choose_empty_type(name))
    if columns[0].dtype.kind != "O":
        return _build_number_array(columns)
    cells = [cell for column in columns for cell in column.tolist()]
    if name in INTEGER_COLUMNS:
        return pa.array(cells, pa.int64())
    if name in FLOAT_COLUMNS:
        return pa.array(cells, pa.float64())
    return pa.array([None if cell is None else _escape_surrogates(str(cell)) for cell in cells], pa.string())


def _choose_empty_type(name: str) -> Any:
    import pyarrow as pa

    if name in INTEGER_COLUMNS or name in ("step", "order"):
        return pa.int64()
    return pa.float64()


def _build_number_array(columns: Sequence[npt.NDArray[Any]]) -> Any:
    import pyarrow as pa

    missing = [find_missing_rows(column) for column in columns]
    values = np.concatenate([np.asarray(column) for column in columns])
    if all(each is None for each in missing):
        return pa.array(values)
    pairs = zip(missing, columns, strict=True)
    mask = np.concatenate([np.zeros(len(column), np.bool_) if each is None else each for each, column in pairs])
    return pa.array(values, mask=mask)


def _escape_surrogates(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


class _ByteSink(io.RawIOBase):
    """Collect the bytes of a pyarrow writer until `take_chunks` returns them."""

    def __init__(self) -> None:
        super().__init__()
        self._chunks: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        chunk = bytes(data)
        self._chunks.append(chunk)
        return len(chunk)

    def take_chunks(self) -> list[bytes]:
        chunks, self._chunks = self._chunks, []
        return chunks


def _write_parquet(batches: Iterator[Any]) -> Iterator[bytes]:
    import pyarrow.parquet as pq

    return _write_batches(batches, lambda sink, schema: pq.ParquetWriter(sink, schema, compression="zstd"))


def _write_arrow(batches: Iterator[Any]) -> Iterator[bytes]:
    import pyarrow as pa

    return _write_batches(batches, pa.ipc.new_file)


def _write_batches(batches: Iterator[Any], new_writer: Callable[[_ByteSink, Any], Any]) -> Iterator[bytes]:
    sink = _ByteSink()
    writer: Any = None
    for batch in batches:
        writer = writer or new_writer(sink, batch.schema)
        writer.write_batch(batch)
        yield from sink.take_chunks()
    writer.close()
    yield from sink.take_chunks()


def _write_buffered_arrow(batches: Iterator[Any], source: _Batches, folder: Path | None) -> Iterator[bytes]:
    """Yield the file with all names in each batch; batches are buffered on the disk until all names are known."""
    import pyarrow as pa

    with tempfile.TemporaryFile(dir=folder) as batches_file:
        first = next(batches)
        with pa.ipc.new_stream(batches_file, first.schema) as writer:
            for batch in chain([first], batches):
                writer.write_batch(batch)
        batches_file.seek(0)
        with pa.ipc.open_stream(batches_file) as reader:
            yield from _write_arrow(_with_names(batch, source) for batch in reader)


def _with_names(batch: Any, source: _Batches) -> Any:
    import pyarrow as pa

    arrays = [
        source.name_codes(name, column) if name in source.key_columns else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)
