"""Frozen snapshots of runs, tags and series at one revision, for readers of the store.

A published snapshot never changes. Its arrays are read-only views of the writer's growing columns, so a snapshot copies
nothing and its lengths remain consistent.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import numpy.typing as npt


@frozen
class Metadata:
    """Metadata of a series, from the first value of the tag in the run."""

    plugin_name: str
    content: bytes = b""
    """The plugin's own metadata message, serialized."""

    data_class: int = 0
    """0 unknown, 1 scalar, 2 tensor, 3 blob sequence."""

    display_name: str = ""
    description: str = ""
    """Markdown."""


@frozen(slots=False)
class _Series:
    run: str
    tag: str
    metadata: Metadata
    revision: int
    """Increases when the series changes; equal revisions of one (run, tag) mean equal content."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def kept(self) -> npt.NDArray[np.bool_] | None:
        """Return True for each point that is not superseded, bool[n]; None if no point is.

        TensorBoard's rule for each tag: a value at step s preempts every stored value with a step >= s, so a point is
        kept if all later steps are greater than its own. (`reservoir.rs` `preempt`.)
        """
        if len(self.steps) < 2 or bool(np.all(self.steps[1:] > self.steps[:-1])):
            return None
        least_after = np.minimum.accumulate(self.steps[::-1])[::-1]
        is_current = np.ones(len(self.steps), np.bool_)
        is_current[:-1] = self.steps[:-1] < least_after[1:]
        return is_current

    @cached_property
    def superseded(self) -> int:
        """Return the number of points that a restart, or a repeated step, has superseded."""
        return 0 if self.kept is None else int(np.count_nonzero(~self.kept))

    @cached_property
    def restarts(self) -> npt.NDArray[np.int64]:
        """Return the steps that are not greater than the step before, int64[k], in arrival order."""
        back = np.flatnonzero(self.steps[1:] <= self.steps[:-1]) + 1
        return np.asarray(self.steps[back])


@frozen(slots=False, eq=False)
class ScalarSeries(_Series):
    """One scalar tag of one run: all points in arrival order."""

    values: npt.NDArray[np.float64]

    @cached_property
    def current(self) -> ScalarSeries:
        """Return the series without superseded points: its steps strictly increase."""
        if self.kept is None:
            return self
        k = self.kept
        return ScalarSeries(
            self.run, self.tag, self.metadata, self.revision, self.steps[k], self.wall_times[k], self.values[k]
        )


@frozen(slots=False, eq=False)
class ReferenceSeries(_Series):
    """One non-scalar tag of one run: the position of each value; its payload is read when it is shown."""

    files: npt.NDArray[np.int32]
    """Index into the run's `files`."""

    offsets: npt.NDArray[np.int64]
    """Byte offset of the record's payload (the serialized `Event`) in its file."""

    lengths: npt.NDArray[np.int64]
    """Bytes of that payload."""

    indices: npt.NDArray[np.int32]
    """Index in `Event.summary.value`; -1 if the event itself is the value."""

    @cached_property
    def current(self) -> ReferenceSeries:
        """Return the series without superseded points: its steps strictly increase."""
        return self if self.kept is None else self.part(self.kept)

    def part(self, points: slice | npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]) -> ReferenceSeries:
        """Return some points of the series, selected by a slice, by indices in any order, or by bool[n]."""
        return ReferenceSeries(
            self.run,
            self.tag,
            self.metadata,
            self.revision,
            self.steps[points],
            self.wall_times[points],
            self.files[points],
            self.offsets[points],
            self.lengths[points],
            self.indices[points],
        )


Series: TypeAlias = "ScalarSeries | ReferenceSeries"


@frozen
class Problem:
    """One problem of a file, as `inspect` and the damage list show it."""

    kind: str
    offset: int
    bytes_skipped: int
    message: str

    @property
    def is_about_file(self) -> bool:
        """Return True if the problem concerns the whole file, not an offset."""
        return self.kind in {"unreadable", "empty"}


@frozen
class EventFile:
    """One event file of a run, and its problems."""

    path: str
    """Path of the file; not yet made safe for a terminal."""

    bytes: int
    """File size at the last check."""

    records: int
    writer: str | None
    first_wall_time: float | None
    """Seconds since the epoch."""

    last_wall_time: float | None
    state: str
    """`ok`, `truncated`, `corrupt`, `empty` or `unreadable`."""

    problems: tuple[Problem, ...] = ()


@frozen
class SetAsideFile:
    """A file beside the event files of a run that is not read, because another file has its bytes."""

    path: str
    """Path of the file; not yet made safe for a terminal."""

    bytes: int
    reason: str
    """The reason as it follows the name: `the same bytes as the beginning of events.out.tfevents.1`."""


@frozen(slots=False)
class RunSnapshot:
    """One run at one revision."""

    name: str
    """Path relative to the log directory, `.` for the log directory itself; not yet made safe for a terminal."""

    revision: int
    series: Mapping[str, Series] = field(default_factory=dict)
    """Tag to series, in order of first appearance."""

    files: tuple[EventFile, ...] = ()
    vanished: bool = False
    """The directory or its files were deleted; the run is dimmed, then dropped."""

    problem: str | None = None
    """The reason if nothing of the run can be read, else None."""

    reading: int = 0
    """Generation of the run: it changes when the files are read again from their beginning, because one of them was
    replaced and the same offset may hold other bytes."""

    set_aside: tuple[SetAsideFile, ...] = ()
    """Copies beside its files, which are not read."""

    def references(self, tag: str, plugin: str) -> ReferenceSeries | None:
        """Return the series of a tag if it belongs to a plugin and has values, else None."""
        series = self.series.get(tag)
        if isinstance(series, ReferenceSeries) and series.metadata.plugin_name == plugin and len(series):
            return series
        return None

    @cached_property
    def last_step(self) -> int | None:
        """Return the maximum of the last steps of all series; None without values."""
        return max((int(s.steps[-1]) for s in self.series.values() if len(s)), default=None)

    @cached_property
    def first_wall_time(self) -> float | None:
        """Return the wall time of the earliest first event of the files, seconds since the epoch."""
        return min((f.first_wall_time for f in self.files if f.first_wall_time is not None), default=None)

    @cached_property
    def last_wall_time(self) -> float | None:
        """Return the wall time of the latest last event of the files, seconds since the epoch."""
        return max((f.last_wall_time for f in self.files if f.last_wall_time is not None), default=None)


@frozen(slots=False)
class StoreSnapshot:
    """All runs at one revision, ordered by start time, then name; runs without a start time are last."""

    revision: int = 0
    runs: Mapping[str, RunSnapshot] = field(default_factory=dict)

    @cached_property
    def plugin_names(self) -> frozenset[str]:
        """Return the names of all plugins that have a tag."""
        return frozenset(s.metadata.plugin_name for run in self.runs.values() for s in run.series.values())
