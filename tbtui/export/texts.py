"""Texts as tables: a document a row, or a row for each cell of a table of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.chosen import chosen_references
from tbtui.export.reading import read_values
from tbtui.export.table import Table, objects
from tbtui.loading.texts import texts_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tbtui.export.refusals import Refusals
    from tbtui.loading.texts import StoredText
    from tbtui.store.snapshot import ReferenceSeries, StoreSnapshot

PLUGIN_NAME = "text"

TEXTS = ("step", "wall_time", "row", "column", "text")
"""Columns of every table of texts; a document stands in row 0 and column 0. Of a tensor of a higher rank than 2 the
tables stand below one another."""


def string_of(data: bytes) -> str:
    """Bytes as characters that are written as the same bytes again: those that are no UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def text_table(series: ReferenceSeries, texts: Mapping[int, StoredText]) -> Table:
    """Every cell of some texts.

    Args:
        series: Of one tag of one run.
        texts: Index of the point to what is stored there.
    """
    places = [
        (point, row, column, string_of(cell))
        for point, text in texts.items()
        for row, cells in enumerate(text.cells)
        for column, cell in enumerate(cells)
    ]
    points, rows, columns, strings = (list(cells) for cells in zip(*places, strict=True)) if places else ([],) * 4
    at = np.array(points, np.int64)
    values = (series.steps[at], series.wall_times[at], np.array(rows, np.int64), np.array(columns, np.int64))
    return Table(series.run, series.tag, dict(zip(TEXTS, (*values, objects(strings)), strict=True)))


def text_tables(
    snapshot: StoreSnapshot,
    run_matches: Callable[[str], bool],
    tag_matches: Callable[[str], bool],
    refusals: Refusals,
    *,
    current: bool = False,
) -> Iterator[Table]:
    """The texts of a snapshot, run by run and tag by tag in its order, read from the files part by part.

    Args:
        snapshot: What has been read.
        run_matches: Whether the run of that name is wanted.
        tag_matches: Whether the tag is wanted.
        refusals: Told of every value that is no text.
        current: Without points that a restart superseded, instead of every stored point in arrival order.

    Yields:
        Tables of a part of a tag's steps; none of a part in which there is no text.
    """
    for run, series in chosen_references(snapshot, run_matches, tag_matches, PLUGIN_NAME, current=current):
        tables = (text_table(series, texts) for texts in read_values(run, series, texts_in, refusals))
        yield from filter(len, tables)
