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
from tbtui.store.snapshot import EventFile, Metadata, ReferenceSeries, RunSnapshot, ScalarSeries, StoreSnapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    import numpy.typing as npt

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


class StagedRun:
    """A run while it is written; one thread owns it, others see the snapshots that it commits.

    Each series is in arrival order and includes superseded points. `commit` reuses series that did not change, so one
    new point in a run of 5,000 tags costs one new series.
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
        self._changed: set[str] = set()
        self._series: dict[str, Series] = {}
        self._files: tuple[EventFile, ...] = ()
        self._generation: int | None = None
        """Revision of the first commit; changes when files are read again from the beginning."""

    def add_tag(self, tag: str, metadata: Metadata) -> None:
        """Add a tag, before its first value; the metadata of a known tag are ignored, as in TensorBoard."""
        self._metadata.setdefault(tag, metadata)

    def append_scalars(
        self,
        tag: str,
        steps: npt.NDArray[np.int64],
        wall_times: npt.NDArray[np.float64],
        values: npt.NDArray[np.float64],
        *,
        following: int = 0,
    ) -> None:
        """Add n points to a scalar tag.

        Args:
            tag: A tag that `add_tag` has added.
            steps: int64[n].
            wall_times: float64[n], seconds since the epoch.
            values: float64[n].
            following: Number of points expected soon.
        """
        columns = self._scalars.get(tag)
        if columns is None:
            columns = self._scalars[tag] = Columns(tuple(SCALAR_COLUMNS.values()))
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
            columns = self._references[tag] = Columns(tuple(REFERENCE_COLUMNS.values()))
        columns.append(steps, wall_times, np.full(len(steps), file, np.int32), offsets, lengths, indices)
        self._changed.add(tag)

    def adopt(
        self,
        scalars: Mapping[str, tuple[npt.NDArray[Any], ...]],
        references: Mapping[str, tuple[npt.NDArray[Any], ...]],
    ) -> None:
        """Start with points that were read before, by tag: columns of `SCALAR_COLUMNS` and `REFERENCE_COLUMNS`.

        The arrays are not copied, and never written to.
        """
        self._scalars = {tag: Columns.of(columns) for tag, columns in scalars.items()}
        self._references = {tag: Columns.of(columns) for tag, columns in references.items()}
        self._changed = {*scalars, *references}

    def scalars(self) -> dict[str, tuple[npt.NDArray[Any], ...]]:
        """Return all points of scalar tags, in the form of `adopt`."""
        return {tag: columns.views() for tag, columns in self._scalars.items()}

    def references(self) -> dict[str, tuple[npt.NDArray[Any], ...]]:
        """Return the positions of all other values, in the form of `adopt`."""
        return {tag: columns.views() for tag, columns in self._references.items()}

    def put_files(self, files: tuple[EventFile, ...]) -> None:
        """Set the files of the run, in the order of the indices in references."""
        self._files = files

    def commit(self, problem: str | None = None) -> RunSnapshot:
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
        series_by_tag = MappingProxyType(self._series)
        return RunSnapshot(self.name, revision, series_by_tag, self._files, False, problem, self._generation)

    def _take(self, tag: str, revision: int) -> Series:
        metadata = self._metadata[tag]
        if tag in self._scalars:
            return ScalarSeries(self.name, tag, metadata, revision, *self._scalars[tag].views())
        return ReferenceSeries(self.name, tag, metadata, revision, *self._references[tag].views())


class Store:
    """The runs of some log directories.

    The writer collects changes with `put`, `mark_vanished` and `drop`, and `publish` makes them visible together. It
    replaces one attribute: a reader sees all changes or none, and never waits.
    """

    def __init__(self) -> None:
        self._revisions = itertools.count(1)
        self._runs: dict[str, RunSnapshot] = {}
        self._ordered = True
        self._snapshot = StoreSnapshot()

    @property
    def snapshot(self) -> StoreSnapshot:
        """Return the latest published snapshot."""
        return self._snapshot

    def stage(self, name: str) -> StagedRun:
        """Return an empty run; it replaces the run of that name when its first commit is `put`."""
        return StagedRun(name, self._revisions)

    def put(self, run: RunSnapshot) -> None:
        """Add a run, or replace the run of that name."""
        previous = self._runs.get(run.name)
        if previous is None or previous.first_wall_time != run.first_wall_time:
            self._ordered = False
        self._runs[run.name] = run

    def mark_vanished(self, name: str) -> None:
        """Mark a run as vanished: its directory or its files were deleted, and its points are still shown."""
        run = self._runs.get(name)
        if run is not None and not run.vanished:
            self._runs[name] = replace(run, vanished=True, revision=next(self._revisions))

    def drop(self, name: str) -> None:
        """Remove a run."""
        self._runs.pop(name, None)

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
