"""Pictures and sounds: the logged bytes of each, and a table that describes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tbtui.events.values import EventTime
from tbtui.export.output import FileNames, StepNames
from tbtui.export.request import Rows
from tbtui.export.table import Table, build_object_column
from tbtui.frozen import frozen
from tbtui.loading.payloads import format_too_large, read_payloads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from tbtui.export.request import ExportRequest
    from tbtui.export.table import SkippedValues
    from tbtui.loading.payloads import PayloadBlock
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

    Row: TypeAlias = dict[str, Any]

FILE = "file"
"""Column that is left out if no files are written."""

NOTHING_LOGGED = "nothing was logged at this step"
"""Reason for a value without samples, in the dashboards, `print`, `inspect` and Python."""

UNKNOWN_ENDING = ".bin"
"""Suffix of files in an unknown format."""


@frozen
class Sample:
    """One picture or sound of a step."""

    data: bytes
    """Bytes as logged."""

    ending: str
    """Suffix of its file, including the dot."""

    facts: Mapping[str, str | float | None]
    """Values of the columns of its kind; unknown ones are missing."""

    problem: str = ""
    """One sentence about a defect; empty if there is none."""


@frozen
class MediaKind:
    """Differences between pictures and sounds."""

    plugin: str
    specific_columns: tuple[str, ...]
    """Columns that only this kind has."""

    samples: Callable[[bytes, int, EventTime], Sequence[Sample]]
    """Returns the samples of the value at an index of a serialized `Event`; raises one of `errors`."""

    errors: tuple[type[Exception], ...]
    """Exceptions whose messages are plain sentences."""

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns. `sample` counts from 0, `bytes` is the file size, and unknown values are None.

        In the row of an unreadable value, `problem` has the reason, and all other columns except the step are None.
        """
        return ("step", "wall_time", "sample", FILE, *self.specific_columns, "bytes", "problem")


MAX_INSPECTED_BYTES = 16 << 20
"""Maximum size of the newest value of a tag that `inspect` reads."""


def read_newest_samples(kind: MediaKind, run: RunSnapshot, series: ReferenceSeries) -> tuple[Sequence[Sample], str]:
    """Return the samples of the newest value of a series, or none and the reason."""
    point = len(series) - 1
    length = int(series.lengths[point])
    if length > MAX_INSPECTED_BYTES:
        return (), format_too_large(length)
    for block in read_payloads(run, series, np.array([point])):
        if point in block.errors:
            return (), block.errors[point]
        event_time = EventTime(int(series.steps[point]), float(series.wall_times[point]))
        try:
            samples = kind.samples(block.payload(0), int(series.indices[point]), event_time)
        except kind.errors as error:
            return (), str(error)
        return samples, "" if samples else NOTHING_LOGGED
    return (), NOTHING_LOGGED


class FileSink(Protocol):
    """Receives files."""

    def put(self, name: str, data: bytes) -> None:
        """Write a file."""


@dataclass(slots=True)
class MediaExport:
    """Export the pictures or sounds of some series, block by block.

    Args:
        kind: Pictures or sounds.
        series_of_runs: Runs with their series, as from `select_references`.
        skipped: Collects unreadable values.
        folder: Receives one file per sample; None: only the table is produced.
        on_progress: Called with the number of points done and their total.
    """

    kind: MediaKind
    series_of_runs: Sequence[tuple[RunSnapshot, ReferenceSeries]]
    skipped: SkippedValues
    folder: FileSink | None = None
    on_progress: Callable[[int, int], None] = lambda done, total: None  # noqa: ARG005
    _names: FileNames = field(default_factory=FileNames)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the tables."""
        return tuple(name for name in self.kind.columns if self.folder is not None or name != FILE)

    def tables(self) -> Iterator[Table]:
        """Yield tables series by series; the files of a table are written before it.

        Yields:
            Tables of some steps of a series, with one row per sample, and one row for a step without samples.
        """
        total, done = sum(len(series) for _, series in self.series_of_runs), 0
        for run, series in self.series_of_runs:
            names = StepNames(self._names.stem(run.name, series.tag), series.steps)
            for block in read_payloads(run, series, np.arange(len(series))):
                yield self._export_block(series, names, block)
                done += len(block) + len(block.errors)
                self.on_progress(done, total)

    def _export_block(self, series: ReferenceSeries, names: StepNames, block: PayloadBlock) -> Table:
        rows: dict[int, list[Row]] = {point: [{"problem": reason}] for point, reason in block.errors.items()}
        errors = dict(block.errors)
        for index, point in enumerate(block.points.tolist()):
            event_time = EventTime(int(series.steps[point]), float(series.wall_times[point]))
            try:
                samples = self.kind.samples(block.payload(index), int(series.indices[point]), event_time)
            except self.kind.errors as error:
                errors[point] = str(error)
                rows[point] = [{"problem": str(error)}]
            else:
                rows[point] = [self._export_sample(names, point, sample, samples) for sample in range(len(samples))]
                rows[point] = rows[point] or [{"problem": NOTHING_LOGGED}]
        self.skipped.add(series, errors, requested=sum(map(len, rows.values())))
        return _build_table(series, rows, self.columns)

    def _export_sample(self, names: StepNames, point: int, sample_index: int, samples: Sequence[Sample]) -> Row:
        sample = samples[sample_index]
        row: Row = {**sample.facts, "sample": sample_index, "bytes": len(sample.data), "problem": sample.problem}
        if self.folder is not None:
            row[FILE] = names.name(point, sample.ending, sample_index if len(samples) > 1 else None)
            self.folder.put(row[FILE], sample.data)
        return row


def export_media(kind: MediaKind, request: ExportRequest) -> Rows:
    """Return the matching pictures or sounds; their files are written while the tables are read."""
    selected = list(request.iter_selected_series(kind.plugin))
    media = MediaExport(kind, selected, request.skipped, request.folder, request.on_progress)
    return Rows(media.columns, media.tables())


def _build_table(series: ReferenceSeries, rows: Mapping[int, Sequence[Row]], names: Sequence[str]) -> Table:
    sorted_points = sorted(rows)
    points = np.repeat(np.array(sorted_points, np.int64), [len(rows[point]) for point in sorted_points])
    columns: dict[str, Any] = {"step": series.steps[points], "wall_time": series.wall_times[points]}
    for name in names[len(columns) :]:
        columns[name] = build_object_column([row.get(name) for point in sorted_points for row in rows[point]])
    return Table(series.run, series.tag, columns)
