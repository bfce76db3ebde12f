"""Pictures and sounds: the bytes of each as they were logged, and a table that says what they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tbtui.events.values import EventTime
from tbtui.export.output import FileNames, StepNames
from tbtui.export.table import Table, object_column
from tbtui.frozen import frozen
from tbtui.loading.payloads import read_payloads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from tbtui.export.table import SkippedValues
    from tbtui.loading.payloads import PayloadBlock
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

    Row: TypeAlias = dict[str, Any]

FILE = "file"
"""The column that is left out where no files are written."""

UNKNOWN_ENDING = ".bin"
"""Of the names of files that are in no format that is known."""


@frozen
class Sample:
    """One picture or sound of a step."""

    data: bytes
    """As it was logged."""

    ending: str
    """Of the name of its file, its dot included."""

    facts: Mapping[str, str | float | None]
    """By column of its kind; what is not known is missing."""

    problem: str = ""
    """What is odd about it, in a sentence."""


@frozen
class MediaKind:
    """What is particular about pictures, or about sounds."""

    plugin: str
    own_columns: tuple[str, ...]
    """What is told of each beside what is told of both."""

    samples: Callable[[bytes, int, EventTime], Sequence[Sample]]
    """Those of the value at an index of a serialized `Event`; raises one of `errors`."""

    errors: tuple[type[Exception], ...]
    """Their messages are plain sentences."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Of its table; `sample` counts from 0, `bytes` are those of the file, and what is not known is None.

        Nothing could be had where `problem` says why and all but the step is None.
        """
        return ("step", "wall_time", "sample", FILE, *self.own_columns, "bytes", "problem")


class FileSink(Protocol):
    """Where files are put."""

    def put(self, name: str, data: bytes) -> None:
        """Write one."""


@dataclass(slots=True)
class MediaExport:
    """The pictures or sounds of some series on their way out, one block of a file after another.

    Args:
        kind: Which.
        chosen: Runs and series, as of `chosen_references`.
        refusals: Told of every value that cannot be read.
        folder: Where each goes into a file of its own; None: only the table is wanted.
        told: Called with the points that are done, and with how many there are in all.
    """

    kind: MediaKind
    chosen: Sequence[tuple[RunSnapshot, ReferenceSeries]]
    refusals: SkippedValues
    folder: FileSink | None = None
    told: Callable[[int, int], None] = lambda done, total: None  # noqa: ARG005
    _names: FileNames = field(default_factory=FileNames)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tables."""
        return tuple(name for name in self.kind.columns if self.folder is not None or name != FILE)

    def tables(self) -> Iterator[Table]:
        """What is there, series by series; files are put before their table.

        Yields:
            Tables of a part of a series' steps, with a row a sample, and a row for a step that has none.
        """
        total, done = sum(len(series) for _, series in self.chosen), 0
        for run, series in self.chosen:
            names = StepNames(self._names.stem(run.name, series.tag), series.steps)
            for block in read_payloads(run, series, np.arange(len(series))):
                yield self._table(series, names, block)
                done += len(block) + len(block.refused)
                self.told(done, total)

    def _table(self, series: ReferenceSeries, names: StepNames, block: PayloadBlock) -> Table:
        rows: dict[int, list[Row]] = {point: [{"problem": reason}] for point, reason in block.refused.items()}
        refused = dict(block.refused)
        for place, point in enumerate(block.points.tolist()):
            moment = EventTime(int(series.steps[point]), float(series.wall_times[point]))
            try:
                samples = self.kind.samples(block.payload(place), int(series.indices[point]), moment)
            except self.kind.errors as error:
                refused[point] = str(error)
                rows[point] = [{"problem": str(error)}]
            else:
                rows[point] = [self._row(names, point, sample, samples) for sample in range(len(samples))]
                rows[point] = rows[point] or [{"problem": "nothing was logged at this step"}]
        self.refusals.add(series, refused, asked=sum(map(len, rows.values())))
        return _table(series, rows, self.columns)

    def _row(self, names: StepNames, point: int, number: int, samples: Sequence[Sample]) -> Row:
        sample = samples[number]
        row: Row = {**sample.facts, "sample": number, "bytes": len(sample.data), "problem": sample.problem}
        if self.folder is not None:
            row[FILE] = names.name(point, sample.ending, number if len(samples) > 1 else None)
            self.folder.put(row[FILE], sample.data)
        return row


def _table(series: ReferenceSeries, rows: Mapping[int, Sequence[Row]], names: Sequence[str]) -> Table:
    places = sorted(rows)
    points = np.repeat(np.array(places, np.int64), [len(rows[point]) for point in places])
    columns: dict[str, Any] = {"step": series.steps[points], "wall_time": series.wall_times[points]}
    for name in names[len(columns) :]:
        columns[name] = object_column([row.get(name) for point in places for row in rows[point]])
    return Table(series.run, series.tag, columns)
