"""Collect the points of runs and publish snapshots of them.

One thread writes; any thread reads the latest snapshot without a lock.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tbtui.store.columns import Columns
from tbtui.store.file_merge import find_first_copies, merge_order
from tbtui.store.restarts import FileParts
from tbtui.store.run_restarts import share_restarts
from tbtui.store.run_series import RunSeries
from tbtui.store.scalar_table import ScalarTable, TagList, layout_of, pick_names
from tbtui.store.snapshot import EventFile, Metadata, ReferenceSeries, RunSnapshot, ScalarSeries, StoreSnapshot
from tbtui.store.writers import split_writers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    import numpy.typing as npt

    from tbtui.store.run_parts import SplitRuns
    from tbtui.store.scalar_table import SeriesLayout
    from tbtui.store.snapshot import Series


SCALAR_COLUMNS: Mapping[str, npt.DTypeLike] = {"steps": np.int64, "wall_times": np.float64, "values": np.float64}
REFERENCE_COLUMNS: Mapping[str, npt.DTypeLike] = {
    "steps": np.int64,
    "wall_times": np.float64,
    "files": np.int32,
    "offsets": np.int64,
    "lengths": np.int64,
    "indices": np.int32,
}
"""Names of the columns, as in the series of a snapshot, and their dtypes."""

_FILES = list(REFERENCE_COLUMNS).index("files")

_TABLE_DTYPES = (*SCALAR_COLUMNS.values(), np.int32)
"""Dtypes of steps, wall times, values and files of scalars."""


class StagedRun:
    """A run while it is written; one thread owns it, others see its snapshots.

    Points are stored in the order in which they arrive. A series of a snapshot has them in order of time, each copy
    once, so that it does not depend on the order in which several files were read. Usually both orders are the same,
    and the series is a view; else its points are copied. `snapshot` reuses series that did not change, so one new point
    in a run of 5,000 tags costs one new series.

    A run that was read as a whole begins with a table of its scalars. Its series are created on first use, and
    a tag leaves the table when it gains points.
    """

    def __init__(self, name: str, revisions: Iterator[int]) -> None:
        """Create an empty run.

        Args:
            name: Name of the run.
            revisions: The counter of the store, shared by all runs, so that revisions increase even if a run is read
                again from the beginning of its files.
        """
        self.name = name
        self._revisions = revisions
        self._metadata: dict[str, Metadata] = {}
        self._scalars: dict[str, Columns] = {}
        self._references: dict[str, Columns] = {}
        self._adopted: dict[str, tuple[npt.NDArray[Any], ...]] = {}
        """Positions with which a tag began, until others are added; read-only."""

        self._parts: dict[str, tuple[list[int], list[int]]] = {}
        """Starts and files of the parts of each tag in order of arrival; a tag of file 0 alone is missing."""

        self._table: ScalarTable | None = None
        """The scalars with which the run began."""

        self._made: dict[str, Series] = {}
        """The series of the table that were used."""

        self._table_revision: int | None = None
        """The revision of the series of the table; None before the first snapshot."""

        self._checked: dict[str, Checked] = {}
        """The points of each tag that are known to be in order and without copies."""

        self._has_descents = False
        """True if the steps of a scalar tag beyond the table may not always increase in order of time."""

        self._changed: set[str] = set()
        self._series: dict[str, Series] = {}
        self._files: Sequence[EventFile] = ()
        self._generation: int | None = None
        """Revision of the first snapshot; changes when files are read again from the beginning."""

    def add_tag(self, tag: str, metadata: Metadata) -> None:
        """Add a tag, before its first value; the metadata of a known tag are ignored, as in TensorBoard."""
        if self._table is None or tag not in self._table.tags.numbers:
            self._metadata.setdefault(tag, metadata)

    def append_scalars(
        self,
        tag: str,
        steps: npt.NDArray[np.int64],
        wall_times: npt.NDArray[np.float64],
        values: npt.NDArray[np.float64],
        *,
        file: int = 0,
        following: int = 0,
    ) -> None:
        """Add n points to a scalar tag.

        Args:
            tag: A tag that `add_tag` has added.
            steps: int64[n].
            wall_times: float64[n], seconds since the epoch.
            values: float64[n].
            file: Index of their file in the run's files.
            following: Number of points expected soon.
        """
        columns = self._scalars.get(tag)
        if columns is None:
            columns = self._scalars[tag] = self._create_columns(tag)
        if file or tag in self._parts:
            self._begin_part(tag, file, self._count(tag))
        columns.append(steps, wall_times, values, following=following)
        self._changed.add(tag)

    def append_references(
        self,
        tag: str,
        file: int,
        steps: npt.NDArray[np.int64],
        wall_times: npt.NDArray[np.float64],
        offsets: npt.NDArray[np.int64],
        lengths: npt.NDArray[np.int64],
        indices: npt.NDArray[np.int32],
    ) -> None:
        """Add the positions of n values of a tag.

        Args:
            tag: A tag that `add_tag` has added.
            file: Index of their file in the run's files.
            steps: int64[n].
            wall_times: float64[n], seconds since the epoch.
            offsets: Byte offset of each record's payload in the file, int64[n].
            lengths: Bytes of each payload, int64[n].
            indices: Index in `Event.summary.value`; -1 for the event itself, int32[n].
        """
        columns = self._references.get(tag)
        if columns is None:
            adopted = self._adopted.pop(tag, None)
            columns = Columns(tuple(REFERENCE_COLUMNS.values())) if adopted is None else Columns.build(adopted)
            self._references[tag] = columns
        if file or tag in self._parts:
            self._begin_part(tag, file, len(columns))
        columns.append(steps, wall_times, np.full(len(steps), file, np.int32), offsets, lengths, indices)
        self._changed.add(tag)

    def adopt(
        self,
        table: ScalarTable,
        references: Mapping[str, tuple[npt.NDArray[Any], ...]] = MappingProxyType({}),
    ) -> None:
        """Start with points that were read together, or before.

        Args:
            table: The scalars, and all tags of the run. The arrays are not copied, and never written to.
            references: Columns of `REFERENCE_COLUMNS` by tag, likewise.
        """
        self._table = table
        self._adopted = dict(references)
        metadata, numbers = table.tags.metadata, table.tags.numbers
        for tag, columns in references.items():
            for column in columns:
                if column.flags.writeable:
                    column.flags.writeable = False
            self._metadata[tag] = metadata[numbers[tag]]
            files = columns[_FILES]
            if files.any():
                parts = FileParts.of(files)
                self._parts[tag] = parts.starts.tolist(), parts.files.tolist()
        self._changed = {*references}

    def table(self) -> ScalarTable:
        """Return all scalars and tags, in the form of `adopt`."""
        if self._table is not None and not self._scalars and self._metadata.keys() <= self._table.tags.numbers.keys():
            return self._table
        tags = self._list_all_tags()
        columns = [self._collect_columns(tag) for tag in tags.names]
        joined = [np.concatenate(parts) for parts in zip(*columns, strict=True)] if columns else []
        starts = np.cumsum([0, *(len(each[0]) for each in columns)]).astype(np.int64)
        steps, wall_times, values, files = joined or [np.empty(0, dtype) for dtype in _TABLE_DTYPES]
        return ScalarTable(tags, starts, steps, wall_times, values, files if files.any() else None)

    def references(self) -> dict[str, tuple[npt.NDArray[Any], ...]]:
        """Return the positions of all other values, in the form of `adopt`."""
        return self._adopted | {tag: columns.create_views() for tag, columns in self._references.items()}

    def parts(self) -> dict[str, tuple[list[int], list[int]]]:
        """Return the first point and the file of each part by tag, in order of arrival; not of file 0 alone."""
        return {tag: (starts.copy(), files.copy()) for tag, (starts, files) in self._parts.items()}

    def put_files(self, files: Sequence[EventFile]) -> None:
        """Set the files of the run, in the order of the indices in references."""
        self._files = files

    def snapshot(self, problem: str | None = None) -> RunSnapshot:
        """Return a snapshot of the run.

        Args:
            problem: The reason if nothing of the run can be read.
        """
        revision = next(self._revisions)
        if self._generation is None:
            self._generation = revision
        if self._changed:
            # Earlier snapshots share the mapping, so it is copied, never changed.
            series = self._series | {tag: self._take(tag, revision) for tag in self._changed}
            if len(series) > len(self._series):
                series = {tag: series[tag] for tag in self._metadata if tag in series}
            self._series = series
            self._changed.clear()
        series_by_tag: Mapping[str, Series] = MappingProxyType(self._series)
        if self._table is not None:
            if self._table_revision is None:
                self._table_revision = revision
            make = TableSeries(self.name, self._table_revision, self._table)
            layout = self._layout(self._table)
            names = self._names(self._table) if layout is None else layout.names
            series_by_tag = RunSeries(self._table, make, series_by_tag, names, self._made, layout)
        has_descents = self._has_descents or (self._table is not None and self._table.has_descents)
        return RunSnapshot(
            self.name,
            revision,
            series_by_tag,
            self._files,
            problem=problem,
            reading=self._generation,
            has_descents=has_descents,
        )

    def _begin_part(self, tag: str, file: int, count: int) -> None:
        """Record that the points of a tag after the first `count` are in a file."""
        starts, files = self._parts.setdefault(tag, ([0], [0]) if count else ([], []))
        if not files or files[-1] != file:
            starts.append(count)
            files.append(file)

    def _create_columns(self, tag: str) -> Columns:
        """Return the columns of a tag that has none yet: those of the table, else empty ones."""
        table = self._table
        number = None if table is None else table.tags.numbers.get(tag)
        if table is None or number is None:
            return Columns(tuple(SCALAR_COLUMNS.values()))
        self._metadata[tag] = table.tags.metadata[number]
        parts = table.parts(number)
        if parts is not None:
            self._parts[tag] = parts.starts.tolist(), parts.files.tolist()
        return Columns.build(table.columns(number))

    def _layout(self, table: ScalarTable) -> SeriesLayout | None:
        """Return the layout that runs which log alike share; None after the first append."""
        if self._scalars or self._references or table.shared_counts is None:
            return None
        series = self._series.values()
        others = tuple((each.tag, each.metadata.plugin_name, each.steps.size) for each in series)
        return layout_of(table.shared_counts, others)

    def _names(self, table: ScalarTable) -> tuple[str, ...]:
        """Return all tags with points in order of first appearance."""
        names, numbers = table.tags.names, table.tags.numbers
        if not table.has_all:
            names = pick_names(names, table.is_held, tuple(self._series))
        others = [tag for tag in self._series if tag not in numbers]
        return (*names, *others) if others else names

    def _list_all_tags(self) -> TagList:
        """Return all tags in order of first appearance."""
        first = () if self._table is None else self._table.tags.names
        metadata = dict.fromkeys(first) | self._metadata
        if self._table is not None:
            metadata |= zip(first, self._table.tags.metadata, strict=True)
        return TagList(tuple(metadata), tuple(each for each in metadata.values() if each is not None))

    def _collect_columns(self, tag: str) -> tuple[npt.NDArray[Any], ...]:
        """Return steps, wall times, values and files of the scalars of a tag."""
        number = None if self._table is None else self._table.tags.numbers.get(tag)
        parts: FileParts | None = None
        if tag in self._scalars:
            columns = self._scalars[tag].create_views()
            parts = file_parts(*self._parts[tag]) if tag in self._parts else None
        elif self._table is not None and number is not None:
            columns, parts = self._table.columns(number), self._table.parts(number)
        else:
            return tuple(np.empty(0, dtype) for dtype in _TABLE_DTYPES)
        count = len(columns[0])
        return (*columns, np.zeros(count, np.int32) if parts is None else parts.find_files(count))

    def _count(self, tag: str) -> int:
        """Return the number of points of a scalar tag."""
        return len(self._scalars[tag])

    def _take(self, tag: str, revision: int) -> Series:
        metadata = self._metadata[tag]
        if tag in self._scalars:
            (steps, wall_times, values), parts = self._arrange(tag, self._scalars[tag].create_views())
            self._has_descents |= tag in self._checked and not self._checked[tag].is_ascending
            return ScalarSeries(self.name, tag, metadata, revision, steps, wall_times, values, parts)
        columns = self._adopted[tag] if tag in self._adopted else self._references[tag].create_views()
        if len(columns[0]) > 1:
            columns, _ = self._arrange(tag, columns)
        steps, wall_times, files, offsets, lengths, indices = columns
        return ReferenceSeries(self.name, tag, metadata, revision, steps, wall_times, files, offsets, lengths, indices)

    def _arrange(
        self, tag: str, columns: tuple[npt.NDArray[Any], ...]
    ) -> tuple[tuple[npt.NDArray[Any], ...], FileParts | None]:
        """Return the columns of a tag in order of time without copies, and their files; None: one file."""
        parts = self._parts.get(tag)
        if parts is None and len(columns[0]) < 2:
            return columns, None  # as most values of a search: its hyperparameters, its end
        checked = self._checked.get(tag)
        if checked is None:
            checked = self._checked[tag] = Checked()
        return arrange(columns, None if parts is None else file_parts(*parts), checked)


class TableSeries:
    """Creates the series of a table."""

    __slots__ = ("_name", "_revision", "_table")

    def __init__(self, name: str, revision: int, table: ScalarTable) -> None:
        """Create a maker of the series of the run `name`; all have the same revision."""
        for column in (table.steps, table.wall_times, table.values):
            if column.flags.writeable:
                column.flags.writeable = False
        self._name, self._revision, self._table = name, revision, table

    def __call__(self, number: int) -> ScalarSeries:
        """Return the series of a tag."""
        table = self._table
        columns, parts = table.columns(number), table.parts(number)
        if not table.is_in_order.item(number):
            columns, parts = arrange(columns, parts, Checked())
        steps, wall_times, values = columns
        name, metadata = table.tags.names[number], table.tags.metadata[number]
        return ScalarSeries(self._name, name, metadata, self._revision, steps, wall_times, values, parts)


class Checked:
    """The first points of a tag, which are known to be in order of time and without copies."""

    __slots__ = ("count", "is_ascending", "max_step", "max_time")

    def __init__(self) -> None:
        self.count = 0
        self.max_step = 0
        self.max_time: float | None = None
        """None: not computed, since the steps have strictly increased."""

        self.is_ascending = True
        """True if the steps of all points of the tag strictly increase."""

    def extend(self, steps: npt.NDArray[np.int64], wall_times: npt.NDArray[np.float64], *, is_one_file: bool) -> bool:
        """Return True if all points are in order of time and without copies, and remember this.

        Only the points after those known are read. The points of one file are in order; one of them is no copy if its
        step or its time is greater than all before. The points of several files have to ascend in time.
        """
        start, count = self.count, len(steps)
        if start == count:
            return True
        new_steps, new_times = steps[start:], wall_times[start:]
        is_ascending = not start or new_steps.item(0) > self.max_step
        is_ascending = is_ascending and (count - start == 1 or bool((new_steps[1:] > new_steps[:-1]).all()))
        if is_one_file and is_ascending:
            self.count, self.max_step = count, new_steps.item(-1)
            if self.max_time is not None:
                self.max_time = max(self.max_time, float(new_times.max()))
            return True
        if self.max_time is None:
            self.max_time = float(wall_times[:start].max()) if start else -math.inf
        # NaN compares as False. After an infinite time, the points of other files cannot be put in order of time.
        is_later = new_times.item(0) > self.max_time and math.isfinite(new_times.item(-1))
        if not (is_later and bool((new_times[1:] > new_times[:-1]).all())):
            self.is_ascending = False
            return False
        self.is_ascending &= is_ascending
        self.max_step = max(self.max_step, int(new_steps.max())) if start else int(new_steps.max())
        self.count, self.max_time = count, new_times.item(-1)
        return True

    def accept(self, steps: npt.NDArray[np.int64], wall_times: npt.NDArray[np.float64]) -> None:
        """Remember that all points are in order and without copies."""
        self.count, self.max_step, self.max_time = len(steps), int(steps.max()), float(wall_times.max())


def file_parts(starts: Sequence[int], files: Sequence[int]) -> FileParts:
    """Return the parts that begin at `starts`."""
    return FileParts(np.array(starts, np.int64), np.array(files, np.int32))


def arrange(
    columns: tuple[npt.NDArray[Any], ...], parts: FileParts | None, checked: Checked
) -> tuple[tuple[npt.NDArray[Any], ...], FileParts | None]:
    """Return points in order of time, each copy once, and their files; None if they are in one file.

    Scalars are copies if step, wall time and value are equal. References are copies if step, wall time, length and
    index are, and their files differ: within a file the same length may be another value.

    Args:
        columns: Columns of `SCALAR_COLUMNS` or `REFERENCE_COLUMNS` in order of arrival; returned as they are if this is
            the order of time.
        parts: Their files, None for one file; a file's points arrive in its own order.
        checked: What is known of the first points.
    """
    is_one_file = parts is None or len(parts.starts) < 2
    if checked.extend(columns[0], columns[1], is_one_file=is_one_file):
        return columns, parts
    files = None if parts is None or is_one_file else parts.find_files(len(columns[0]))
    arranged, files = _merge(columns, files)
    if files is None and len(arranged[0]) == len(columns[0]):
        checked.accept(columns[0], columns[1])
        return columns, parts
    for column in arranged:
        column.flags.writeable = False
    return arranged, parts if files is None else FileParts.of(files)


def _merge(
    columns: tuple[npt.NDArray[Any], ...], files: npt.NDArray[np.int32] | None
) -> tuple[tuple[npt.NDArray[Any], ...], npt.NDArray[np.int32] | None]:
    """Return copies of points in order of time, each once, and their files; `files` is None for one file."""
    if files is not None:
        by_file = np.argsort(files, kind="stable")
        bounds = np.flatnonzero(np.diff(files[by_file])) + 1
        order = by_file[merge_order(np.split(columns[1][by_file], bounds))]
        columns, files = tuple(column[order] for column in columns), files[order]
    is_first = None
    if len(columns) == len(SCALAR_COLUMNS):
        is_first = find_first_copies(columns[1], columns[0], columns[2])
    elif files is not None:
        is_first = _find_first_references(columns, files)
    if is_first is None:
        return columns, files
    return tuple(column[is_first] for column in columns), None if files is None else files[is_first]


def _find_first_references(
    columns: tuple[npt.NDArray[Any], ...], files: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_] | None:
    """Return False for each value that an earlier one in another file equals, bool[n]; None if there is none."""
    steps, wall_times, _, _, lengths, indices = columns
    # The n-th of several equal values in a file is compared with the n-th of another file.
    order = np.lexsort((files, indices, lengths, steps, wall_times))
    keys = [each[order] for each in (files, indices, lengths, steps, wall_times.view(np.int64))]
    is_next = np.logical_and.reduce([key[1:] == key[:-1] for key in keys])
    positions = np.arange(len(order))
    begins = np.maximum.accumulate(np.where(np.concatenate(([True], ~is_next)), positions, 0))
    ordinals = np.empty(len(order), np.int64)
    ordinals[order] = positions - begins
    return find_first_copies(wall_times, steps, lengths, indices, ordinals)


class Store:
    """The runs of some log directories.

    The writer collects changes with `put`, `mark_vanished` and `drop`, and `publish` makes them visible together. It
    replaces one attribute: a reader sees all changes or none, and never waits.
    """

    def __init__(self, split_runs: SplitRuns = "no") -> None:
        """Create an empty store, which splits runs as `store.run_parts` does."""
        self._split_runs = split_runs
        self._revisions = itertools.count(1)
        self._runs: dict[str, RunSnapshot] = {}
        self._writers: dict[str, tuple[str, ...]] = {}
        """Names of the runs into which the run of a directory was split, usually its own."""

        self._ordered = True
        self._snapshot = StoreSnapshot()

    @property
    def snapshot(self) -> StoreSnapshot:
        """Return the latest published snapshot."""
        return self._snapshot

    def stage(self, name: str) -> StagedRun:
        """Return an empty run; it replaces the run of that name when its first snapshot is `put`."""
        return StagedRun(name, self._revisions)

    def __contains__(self, name: object) -> bool:
        """Return True if the run of a directory was put, whatever it was split into."""
        return name in self._writers

    def put(self, run: RunSnapshot) -> tuple[RunSnapshot, ...]:
        """Add a run, or replace the run of that name; return the runs of its writers, usually itself alone."""
        former = {name: self._runs[name] for name in self._writers.get(run.name, ())}
        runs = tuple(share_restarts(each, former.get(each.name)) for each in split_writers(run, former))
        if self._split_runs != "no":
            from tbtui.store.run_parts import split_run

            runs = tuple(part for each in runs for part in split_run(each, self._split_runs))
        for each in runs:
            previous = self._runs.get(each.name)
            if previous is None or previous.first_wall_time != each.first_wall_time:
                self._ordered = False
            self._runs[each.name] = each
        self._writers[run.name] = tuple(each.name for each in runs)
        for name in former.keys() - {each.name for each in runs}:
            del self._runs[name]
        return runs

    def get_runs(self, name: str) -> tuple[RunSnapshot, ...]:
        """Return the runs of the writers of a directory, usually one; none if it was not put."""
        return tuple(self._runs[each] for each in self._writers.get(name, ()))

    def mark_vanished(self, name: str) -> None:
        """Mark a run as vanished: its directory or its files were deleted, and its points are still shown."""
        for each in self._writers.get(name, ()):
            if not self._runs[each].vanished:
                self._runs[each] = replace(self._runs[each], vanished=True, revision=next(self._revisions))

    def drop(self, name: str) -> None:
        """Remove a run, and those of its writers."""
        for each in self._writers.pop(name, ()):
            del self._runs[each]

    def publish(self) -> StoreSnapshot:
        """Publish all collected changes.

        Runs are ordered by start time, then name, those without a start time last. This is TensorBoard's order: a new
        run does not move the runs before it.
        """
        if not self._ordered:
            self._runs = {run.name: run for run in sorted(self._runs.values(), key=_start)}
            self._ordered = True
        self._snapshot = StoreSnapshot(next(self._revisions), MappingProxyType(self._runs.copy()))
        return self._snapshot


def _start(run: RunSnapshot) -> tuple[float, str]:
    start = run.first_wall_time
    return (math.inf if start is None or math.isnan(start) else start, run.name)
