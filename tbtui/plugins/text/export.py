"""Texts as tables: a document a row, or a row for each cell of a table of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.table import Table, build_object_column, read_values
from tbtui.plugins.text.read import read_whole_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tbtui.export.table import SkippedValues
    from tbtui.plugins.text.read import StoredText
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

TEXTS = ("step", "wall_time", "row", "column", "text")
"""Columns of every table of texts; a document is in row 0 and column 0. Of a tensor of a higher rank than 2 the
tables follow one another."""


def decode_losslessly(data: bytes) -> str:
    """Bytes as characters that are written as the same bytes again: those that are no UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def build_text_table(series: ReferenceSeries, texts: Mapping[int, StoredText]) -> Table:
    """Return a table with one row per cell of the texts.

    Args:
        series: The series of one tag of one run.
        texts: Stored text by the index of its point.
    """
    cells_of_texts = [
        (point, row, column, decode_losslessly(cell))
        for point, text in texts.items()
        for row, cells in enumerate(text.cells)
        for column, cell in enumerate(cells)
    ]
    points, rows, columns, strings = (
        (list(cells) for cells in zip(*cells_of_texts, strict=True)) if cells_of_texts else ([],) * 4
    )
    indices = np.array(points, np.int64)
    values = (series.steps[indices], series.wall_times[indices], np.array(rows, np.int64), np.array(columns, np.int64))
    return Table(series.run, series.tag, dict(zip(TEXTS, (*values, build_object_column(strings)), strict=True)))


def build_text_tables(chosen: Iterable[tuple[RunSnapshot, ReferenceSeries]], skipped: SkippedValues) -> Iterator[Table]:
    """Yield the texts of some series, read from the files in parts.

    Args:
        chosen: Series to read, each with its run.
        skipped: Receives every value that is not a text.

    Yields:
        Tables of a part of a series' steps; none of a part in which there is no text.
    """
    for run, series in chosen:
        tables = (build_text_table(series, texts) for texts in read_values(run, series, read_whole_text, skipped))
        yield from filter(len, tables)
