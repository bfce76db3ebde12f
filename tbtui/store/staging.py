"""A run while it is being written: owned by one thread, seen by others only as the snapshots it commits."""

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
"""Names, as in the series of a snapshot, and dtypes."""


class StagedRun:
    """The writer's side of one run.

    Each series is kept in arrival order, superseded points included. `commit` makes a snapshot and reuses those of
    series that did not change, so one new point in a run of 5,000 tags costs one new series.
    """

    def __init__(self, name: str, revisions: Iterator[int]) -> None:
        """Begin an empty run.

        Args:
            name: the run's name.
            revisions: the store's counter, shared by all its runs, so that revisions grow even when a run is replaced
                by a fresh reading of its files.
        """
        self.name = name
        self._revisions = revisions
        self._metadata: dict[str, Metadata] = {}
        self._scalars: dict[str, Columns] = {}
        self._references: dict[str, Columns] = {}
        self._changed: set[str] = set()
        self._series: dict[str, Series] = {}
        self._files: tuple[EventFile, ...] = ()
        self._reading: int | None = None
        """The revision of the first commit."""

    def add_tag(self, tag: str, metadata: Metadata) -> None:
        """Tell what a tag is, before its first value; later tellings are ignored, as TensorBoard does."""
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
        """Add points [n] to a scalar tag that `add_tag` has told of.

        Args:
            tag: the tag.
            steps: their steps.
            wall_times: seconds since the epoch.
            values: the numbers.
            following: how many more are likely to be added soon.
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
        """Add where values [n] of a tag lie.

        Args:
            tag: one that `add_tag` has told of.
            file: index in the run's files of the file that holds them.
            steps: their steps.
            wall_times: seconds since the epoch.
            offsets: byte offset of each record's payload in the file.
            lengths: bytes of each payload.
            indices: index in `Event.summary.value`; -1 for the event itself.
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
        """Begin with points that were read before, by tag: columns of `SCALAR_COLUMNS` and of `REFERENCE_COLUMNS`.

        The arrays are kept as they are, and never written to.
        """
        self._scalars = {tag: Columns.of(columns) for tag, columns in scalars.items()}
        self._references = {tag: Columns.of(columns) for tag, columns in references.items()}
        self._changed = {*scalars, *references}

    def scalars(self) -> dict[str, tuple[npt.NDArray[Any], ...]]:
        """All points of scalar tags so far, as `adopt` takes them."""
        return {tag: columns.views() for tag, columns in self._scalars.items()}

    def references(self) -> dict[str, tuple[npt.NDArray[Any], ...]]:
        """Where all other values lie, as `adopt` takes it."""
        return {tag: columns.views() for tag, columns in self._references.items()}

    def put_files(self, files: tuple[EventFile, ...]) -> None:
        """Tell how all files of the run are now, in the order that references count them."""
        self._files = files

    def commit(self, problem: str | None = None) -> RunSnapshot:
        """Everything so far as a snapshot.

        Args:
            problem: why nothing of the run could be read; None when it could.
        """
        revision = next(self._revisions)
        if self._reading is None:
            self._reading = revision
        if self._changed:
            # Readers hold the mapping of earlier snapshots, so it is copied, never changed.
            series = self._series | {tag: self._take(tag, revision) for tag in self._changed}
            if len(series) > len(self._series):
                series = {tag: series[tag] for tag in self._metadata if tag in series}
            self._series = series
            self._changed.clear()
        held = MappingProxyType(self._series)
        return RunSnapshot(self.name, revision, held, self._files, False, problem, self._reading)

    def _take(self, tag: str, revision: int) -> Series:
        metadata = self._metadata[tag]
        if tag in self._scalars:
            return ScalarSeries(self.name, tag, metadata, revision, *self._scalars[tag].views())
        return ReferenceSeries(self.name, tag, metadata, revision, *self._references[tag].views())


# All runs: one thread writes, any thread reads the latest snapshot without a lock.


class Store:
    """The runs of some log directories.

    The writer collects changes with `put`, `dim` and `drop` and makes them visible together with `publish`, which
    replaces one attribute: a reader sees all of a change or nothing of it, and never waits.
    """

    def __init__(self) -> None:
        self._revisions = itertools.count(1)
        self._runs: dict[str, RunSnapshot] = {}
        self._ordered = True
        self._snapshot = StoreSnapshot()

    @property
    def snapshot(self) -> StoreSnapshot:
        """The latest published state."""
        return self._snapshot

    def stage(self, name: str) -> StagedRun:
        """Begin to write a run; it replaces the one of that name when its first commit is `put`."""
        return StagedRun(name, self._revisions)

    def put(self, run: RunSnapshot) -> None:
        """Add a run, or put a newer snapshot in the place of the one of that name."""
        held = self._runs.get(run.name)
        if held is None or held.first_wall_time != run.first_wall_time:
            self._ordered = False
        self._runs[run.name] = run

    def mark_vanished(self, name: str) -> None:
        """Mark a run as vanished: its directory or its files are gone, what was read is still shown."""
        run = self._runs.get(name)
        if run is not None and not run.vanished:
            self._runs[name] = replace(run, vanished=True, revision=next(self._revisions))

    def drop(self, name: str) -> None:
        """Forget a run."""
        self._runs.pop(name, None)

    def publish(self) -> StoreSnapshot:
        """Make everything collected visible.

        Runs are ordered by start time, then name, those without a start time last: TensorBoard's order, in which a
        run that appears later does not move the ones before it.
        """
        if not self._ordered:
            self._runs = {run.name: run for run in sorted(self._runs.values(), key=_start)}
            self._ordered = True
        self._snapshot = StoreSnapshot(next(self._revisions), MappingProxyType(self._runs.copy()))
        return self._snapshot


def _start(run: RunSnapshot) -> tuple[float, str]:
    start = run.first_wall_time
    return (math.inf if start is None or math.isnan(start) else start, run.name)
