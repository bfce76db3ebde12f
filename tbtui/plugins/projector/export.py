"""Tables of points for files: coordinates of a layout with metadata, and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.table import Table, build_object_column, mask_missing
from tbtui.plugins.projector.layouts import LayoutChoice, run_layout
from tbtui.plugins.projector.points import list_data_notes, read_points
from tbtui.plugins.projector.sources import Catalogs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.plugins.projector.layouts import LayoutState
    from tbtui.plugins.projector.points import Points
    from tbtui.plugins.projector.sources import EmbeddingSource

POINT_COLUMNS = ("step", "index", "x", "y", "z", "norm")
"""Columns of every table of points; those of the metadata follow as `metadata.NAME`."""

METADATA_PREFIX = "metadata."


def name_metadata_columns(points: Points) -> list[str]:
    """Return the names of the columns of the metadata in a table, each once."""
    return list(dict.fromkeys(METADATA_PREFIX + column.name for column in points.metadata.columns))


def build_point_table(
    source: EmbeddingSource, version: int, points: Points, state: LayoutState, columns: Sequence[str]
) -> Table:
    """Return one row for each point.

    Args:
        source: The embedding.
        version: Index of the version.
        points: Its points.
        state: Positions of the points.
        columns: Columns of the metadata; those that the points do not have are empty.
    """
    count, dimensions = points.count, state.positions.shape[1]
    step = source.embedding.versions[version].step
    has_position = ~np.isnan(state.positions[:, 0])
    cells: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {
        "step": mask_missing(np.full(count, step or 0, np.int64), np.full(count, step is not None)),
        "index": np.arange(count),
    }
    for axis, name in enumerate("xyz"):
        if axis < dimensions:
            cells[name] = mask_missing(np.nan_to_num(state.positions[:, axis].astype(np.float64)), has_position)
        else:
            cells[name] = mask_missing(np.zeros(count), np.zeros(count, np.bool_))
    cells["norm"] = points.index.lengths.astype(np.float64)
    for name in columns:
        column = points.metadata.column(name.removeprefix(METADATA_PREFIX))
        texts = [None] * count if column is None else [text or None for text in column.texts]
        cells[name] = build_object_column(texts)
    return Table(source.run, source.embedding.name, cells)


def export_points(request: ExportRequest) -> Rows:
    """Return the points of all embeddings with their first three components and metadata."""
    from tbtui.export.request import Rows

    sources = Catalogs().list_sources(request.runs_without_scalars, request.tag_matches).sources
    names: dict[str, None] = {}
    for source in sources:
        for version in range(len(source.embedding.versions)):
            points = _read(source, version, request)
            if points is not None:
                names |= dict.fromkeys(name_metadata_columns(points))
    return Rows((*POINT_COLUMNS, *names), _iter_point_tables(request, sources, tuple(names)))


def _iter_point_tables(
    request: ExportRequest, sources: Sequence[EmbeddingSource], columns: Sequence[str]
) -> Iterator[Table]:
    for source in sources:
        for version in range(len(source.embedding.versions)):
            points = _read(source, version, request, report=True)
            if points is not None:
                *_, state = run_layout(points, LayoutChoice(dimensions=3))
                yield build_point_table(source, version, points, state, columns)


def export_vectors(request: ExportRequest) -> Rows:
    """Return the vectors of all embeddings: one row per point, one column per dimension."""
    from tbtui.export.request import Rows

    sources = Catalogs().list_sources(request.runs_without_scalars, request.tag_matches).sources
    max_dimensions = 0
    for source in sources:
        for version in range(len(source.embedding.versions)):
            points = _read(source, version, request)
            max_dimensions = max(max_dimensions, 0 if points is None else points.dimensions)
    columns = ("step", "index", *(f"d{number}" for number in range(1, max_dimensions + 1)))
    return Rows(columns, _iter_vector_tables(request, sources, max_dimensions))


def _iter_vector_tables(
    request: ExportRequest, sources: Sequence[EmbeddingSource], max_dimensions: int
) -> Iterator[Table]:
    for source in sources:
        for version in range(len(source.embedding.versions)):
            points = _read(source, version, request, report=True)
            if points is None:
                continue
            count, step = points.count, source.embedding.versions[version].step
            cells: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {
                "step": mask_missing(np.full(count, step or 0, np.int64), np.full(count, step is not None)),
                "index": np.arange(count),
            }
            for number in range(max_dimensions):
                is_present = number < points.dimensions
                values = points.values[:, number].astype(np.float64) if is_present else np.zeros(count)
                cells[f"d{number + 1}"] = values if is_present else mask_missing(values, np.zeros(count, np.bool_))
            yield Table(source.run, source.embedding.name, cells)


def _read(source: EmbeddingSource, version: int, request: ExportRequest, *, report: bool = False) -> Points | None:
    """Return the points of a version; those that cannot be read are reported once."""
    from tbtui.plugins.projector.files.tensor_file import TensorFileError

    try:
        *_, points = read_points(source.embedding.versions[version])
    except TensorFileError as error:
        if report:
            request.skipped.add_reasons(source.run, source.embedding.name, 0, [str(error)])
        return None
    if report:
        request.skipped.requested += 1
        for note in list_data_notes(points):
            request.skipped.notes[source.run, source.embedding.name, note] = None
    return points
