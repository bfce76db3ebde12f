"""What readers see: frozen views of runs, tags and series at one revision.

A snapshot never changes after it was published. Its arrays are read-only views of the writer's growing columns, so
taking one costs nothing and holding one keeps a consistent length.
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
    """What is known of a series beside its values; decided by the tag's first value in the run."""

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
    """Grows whenever the series changes; equal revisions of one (run, tag) mean equal content."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def kept(self) -> npt.NDArray[np.bool_] | None:
        """Which points the default view shows, bool[n]; None when all of them.

        TensorBoard's rule per tag: a value at step s drops every held value with step >= s, so a point is kept when
        all later steps are greater than its own. (`reservoir.rs` `preempt`.)
        """
        if len(self.steps) < 2 or bool(np.all(self.steps[1:] > self.steps[:-1])):
            return None
        least_after = np.minimum.accumulate(self.steps[::-1])[::-1]
        kept = np.ones(len(self.steps), np.bool_)
        kept[:-1] = self.steps[:-1] < least_after[1:]
        return kept

    @cached_property
    def superseded(self) -> int:
        """How many points a restart (or a value logged again) has superseded."""
        return 0 if self.kept is None else int(np.count_nonzero(~self.kept))

    @cached_property
    def restarts(self) -> npt.NDArray[np.int64]:
        """Steps at which the series went back to an earlier or equal step, int64[k], in arrival order."""
        back = np.flatnonzero(self.steps[1:] <= self.steps[:-1]) + 1
        return np.asarray(self.steps[back])


@frozen(slots=False, eq=False)
class ScalarSeries(_Series):
    """One scalar tag of one run: every stored point in arrival order."""

    values: npt.NDArray[np.float64]

    @cached_property
    def current(self) -> ScalarSeries:
        """The series without superseded points: steps strictly increasing."""
        if self.kept is None:
            return self
        k = self.kept
        return ScalarSeries(
            self.run, self.tag, self.metadata, self.revision, self.steps[k], self.wall_times[k], self.values[k]
        )


@frozen(slots=False, eq=False)
class ReferenceSeries(_Series):
    """One non-scalar tag of one run: where each stored value lies; the payload is read again when shown."""

    files: npt.NDArray[np.int32]
    """Index into the run's `files`."""

    offsets: npt.NDArray[np.int64]
    """Byte offset of the record's payload (the serialized `Event`) in its file."""

    lengths: npt.NDArray[np.int64]
    """Bytes of that payload."""

    indices: npt.NDArray[np.int32]
    """Index in `Event.summary.value`; -1 when the event itself is the value."""

    @cached_property
    def current(self) -> ReferenceSeries:
        """The series without superseded points: steps strictly increasing."""
        return self if self.kept is None else self.part(self.kept)

    def part(self, points: slice | npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]) -> ReferenceSeries:
        """Some points of the series: a slice of them, their indices in the order wanted, or which of all, bool[n]."""
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
    """One thing wrong with a file, as `inspect` and the damage list show it."""

    kind: str
    offset: int
    bytes_skipped: int
    message: str

    @property
    def is_about_file(self) -> bool:
        """Whether it is the file that is odd, not a place in it."""
        return self.kind in {"unreadable", "empty"}


@frozen
class EventFile:
    """One event file of a run and how healthy it is."""

    path: str
    """As it would be opened; not yet made safe for a terminal."""

    bytes: int
    """Its size when it was last looked at."""

    records: int
    writer: str | None
    first_wall_time: float | None
    """Seconds since the epoch."""

    last_wall_time: float | None
    state: str
    """`ok`, `truncated`, `corrupt`, `empty` or `unreadable`."""

    problems: tuple[Problem, ...] = ()


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
    """The directory or its files are gone; the run is dimmed, then dropped."""

    problem: str | None = None
    """Why the run could not be read at all; None when it could."""

    reading: int = 0
    """Which reading of its files this is of: another one when they were read anew because one of them was replaced, and
    then the same place in a file may hold other bytes."""

    def references(self, tag: str, plugin: str) -> ReferenceSeries | None:
        """What a plugin finds in the files under a tag; None where there is no value of it."""
        series = self.series.get(tag)
        if isinstance(series, ReferenceSeries) and series.metadata.plugin_name == plugin and len(series):
            return series
        return None

    @cached_property
    def last_step(self) -> int | None:
        """The greatest step among the last values of all series; None without values."""
        return max((int(s.steps[-1]) for s in self.series.values() if len(s)), default=None)

    @cached_property
    def first_wall_time(self) -> float | None:
        """The earliest first event of its files, seconds since the epoch."""
        return min((f.first_wall_time for f in self.files if f.first_wall_time is not None), default=None)

    @cached_property
    def last_wall_time(self) -> float | None:
        """The latest last event of its files, seconds since the epoch."""
        return max((f.last_wall_time for f in self.files if f.last_wall_time is not None), default=None)


@frozen(slots=False)
class StoreSnapshot:
    """All runs at one revision, ordered by start time, then name; runs that have none come last."""

    revision: int = 0
    runs: Mapping[str, RunSnapshot] = field(default_factory=dict)

    @cached_property
    def plugin_names(self) -> frozenset[str]:
        """Names of all plugins that have at least one value."""
        return frozenset(s.metadata.plugin_name for run in self.runs.values() for s in run.series.values())
