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
from tbtui.store.file_merge import find_conflicts
from tbtui.store.restarts import FileParts, RunRestart, find_chain_restarts, select_current

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import numpy.typing as npt


MAX_UNKEPT_POINTS = 500
"""Points below which a series does not keep that its steps increase: looking takes some microseconds."""


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


@frozen(slots=False, eq=False)
class _Series:
    run: str
    tag: str
    metadata: Metadata
    revision: int
    """Increases when the series changes; equal revisions of one (run, tag) mean equal content."""

    # All points in order of time: a file keeps its own order, several files are merged, and copies count once.
    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    def __len__(self) -> int:
        return len(self.steps)

    def has_same_points(self, other: Series) -> bool:
        """Return True if another series has the same description and the same points, bit by bit."""
        if self is other:
            return True
        columns, others = self.columns, other.columns
        return (
            len(columns) == len(others)
            and self.metadata == other.metadata
            and self.run_restarts == other.run_restarts
            and all(a.tobytes() == b.tobytes() for a, b in zip(columns, others, strict=True))
        )

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """All values of the points."""
        raise NotImplementedError

    @property
    def run_restarts(self) -> tuple[RunRestart, ...]:
        """The restarts of its run, in order of time, which the series follows."""
        raise NotImplementedError

    @property
    def file_parts(self) -> FileParts | None:
        """The files of its points; None if all are in the first file of the run."""
        raise NotImplementedError

    @property
    def is_ascending(self) -> bool:
        """True if the steps strictly increase, so that the step axis shows all points in their own order."""
        # A millisecond for a million points. For few it is not kept: what Python allocates to keep an attribute of a
        # short series takes half a kilobyte, and a table passes hundreds of thousands of series.
        return self._ascends if len(self.steps) < MAX_UNKEPT_POINTS else self._kept_ascends

    @property
    def _ascends(self) -> bool:
        steps = self.steps
        return len(steps) < 2 or bool((steps[1:] > steps[:-1]).all())

    @cached_property
    def _kept_ascends(self) -> bool:
        return self._ascends

    @cached_property
    def _restarts(self) -> list[tuple[npt.NDArray[np.intp] | None, npt.NDArray[np.intp]]]:
        """Return the restarts of each chain of files of a series that is not ascending."""
        parts = self.file_parts
        chains = None if parts is None else parts.split_chains(len(self.steps))
        return find_chain_restarts(self.steps, chains, self.wall_times, self.run_restarts)

    @property
    def current_indices(self) -> npt.NDArray[np.intp] | None:
        """Return the points that the step axis shows, in the order of their steps, which strictly increase, int[k].

        None stands for all points in their own order. `docs/points.md` has the rules.
        """
        return None if self.is_ascending else self._found_indices

    @cached_property
    def _found_indices(self) -> npt.NDArray[np.intp]:
        return select_current(self.steps, self._restarts)

    @property
    def kept(self) -> npt.NDArray[np.bool_] | None:
        """Return True for each point that the step axis shows, bool[n]; None if `current` is the series itself.

        `current_indices` has the same points in the order of their steps.
        """
        return None if self.is_ascending else self._is_kept

    @cached_property
    def _is_kept(self) -> npt.NDArray[np.bool_]:
        is_current = np.zeros(len(self.steps), np.bool_)
        is_current[self._found_indices] = True
        return is_current

    @property
    def superseded(self) -> int:
        """Return the number of points that the step axis leaves out: a restart or a later value has superseded them."""
        indices = self.current_indices
        return 0 if indices is None else len(self.steps) - len(indices)

    @cached_property
    def file_conflicts(self) -> frozenset[tuple[int, int]]:
        """Return the pairs of files that were written at the same time and log the same steps."""
        parts = self.file_parts
        if parts is None or len(parts.starts) == len(np.unique(parts.files)):
            return frozenset()
        return find_conflicts(self.steps, self.wall_times, parts.find_files(len(self.steps)))

    @property
    def last_step(self) -> int | None:
        """Return the last step of the step axis; None without points."""
        if not len(self.steps):
            return None
        return int(self.steps[self.last_index])

    @property
    def last_index(self) -> int:
        """Return the index of the last point of the step axis; the series must have points."""
        indices = self.current_indices
        return -1 if indices is None else int(indices[-1])

    @property
    def restart_indices(self) -> npt.NDArray[np.intp]:
        """Return the points with which a training began again at an earlier step, int[k] in order of time."""
        if self.is_ascending:
            return np.zeros(0, np.intp)
        return np.sort(np.concatenate([indices for _, indices in self._restarts]))

    @property
    def restarts(self) -> npt.NDArray[np.int64]:
        """Return the steps of `restart_indices`, int64[k]."""
        return np.asarray(self.steps[self.restart_indices])


@frozen(slots=False, eq=False)
class ScalarSeries(_Series):
    """One scalar tag of one run: all points in order of time."""

    values: npt.NDArray[np.float64]
    parts: FileParts | None = None
    """Files of the points; None: the first of the run."""

    run_restarts: tuple[RunRestart, ...] = ()

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        return self.steps, self.wall_times, self.values

    @property
    def file_parts(self) -> FileParts | None:
        return self.parts

    @property
    def last_value(self) -> float | None:
        """Return the last value of the step axis; None without points."""
        if not len(self.values):
            return None
        return float(self.values[self.last_index])

    @property
    def current(self) -> ScalarSeries:
        """Return the series as the step axis shows it: without superseded points, its steps strictly increase."""
        return self if self.is_ascending else self._current

    @cached_property
    def _current(self) -> ScalarSeries:
        return self.part(self._found_indices)

    def part(self, points: slice | npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]) -> ScalarSeries:
        """Return some points of the series, selected by a slice, by indices in any order, or by bool[n]."""
        columns = self.steps[points], self.wall_times[points], self.values[points]
        return ScalarSeries(self.run, self.tag, self.metadata, self.revision, *columns)


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

    run_restarts: tuple[RunRestart, ...] = ()

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        return self.steps, self.wall_times, self.files, self.offsets, self.lengths, self.indices

    @property
    def file_parts(self) -> FileParts | None:
        return FileParts.of(self.files)

    @property
    def current(self) -> ReferenceSeries:
        """Return the series as the step axis shows it: without superseded points, its steps strictly increase."""
        return self if self.is_ascending else self._current

    @cached_property
    def _current(self) -> ReferenceSeries:
        return self.part(self._found_indices)

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
    modified: float | None = None
    """Time of its last modification by the clock of the file system, seconds since the epoch; None: unknown."""


@frozen
class SetAsideFile:
    """A file next to the event files of a run that is not read, because another file has its bytes."""

    path: str
    """Path of the file; not yet made safe for a terminal."""

    bytes: int
    reason: str
    """The reason as it follows the name: `the same bytes as the beginning of events.out.tfevents.1`."""


PROFILE, PROJECTOR = "profile", "projector"
RUN_METADATA = "graph_tagged_run_metadata"
MIN_METADATA_BYTES = 200
"""Bytes of an event from which run metadata hold times: one execution takes about 60."""

ASSET_PLUGINS = frozenset({PROFILE, PROJECTOR})
"""Kinds of `AssetFile` that are data of their own, each the plugin name of the dashboard that reads it."""


@frozen
class AssetFile:
    """A file of a profile or an embedding; two are equal if the file has not changed in between."""

    kind: str
    """One of `ASSET_PLUGINS`, or of `loading.asset_files` for a file that belongs to an embedding."""

    tag: str
    """Name by which the data are listed: session or worker of a profile, name of an embedding."""

    path: str
    """Path of the file; not yet made safe for a terminal."""

    bytes: int
    modified_ns: int
    """Time of its last modification by the clock of the file system, nanoseconds since the epoch."""

    device: int = 0
    inode: int = 0

    @property
    def modified(self) -> float:
        """Time of its last modification in seconds since the epoch."""
        return self.modified_ns / 1e9


@frozen(slots=False)
class RunSnapshot:
    """One run at one revision."""

    name: str
    """Path relative to the log directory, `.` for the log directory itself; not yet made safe for a terminal."""

    revision: int
    series: Mapping[str, Series] = field(default_factory=dict)
    """Tag to series, in order of first appearance."""

    files: Sequence[EventFile] = ()
    vanished: bool = False
    """The directory or its files were deleted; the run is dimmed, then dropped."""

    problem: str | None = None
    """The reason if nothing of the run can be read, else None."""

    reading: int = 0
    """Generation of the run: it changes when the files are read again from their beginning, because one of them was
    replaced and the same offset may hold other bytes."""

    span: tuple[float | None, float | None] | None = None
    """First and last wall time of a part of a run that was split at its restarts; None: those of its files."""

    set_aside: tuple[SetAsideFile, ...] = ()
    """Copies of its files, which are not read."""

    assets: tuple[AssetFile, ...] = ()
    """Files of profiles and embeddings in its directory, sorted by kind, tag and path."""

    has_descents: bool = True
    """False if the steps of all scalars are known to increase, so that the run has no restart."""

    restarts: tuple[RunRestart, ...] = ()
    """Restarts that its series follow."""

    restarts_revision: int = 0
    """The revision with which these restarts were found."""

    folded: tuple[RunSnapshot, ...] = ()
    """The runs as stored if others were folded into it, which only describe it: itself first, if it exists."""

    def references(self, tag: str, plugin: str) -> ReferenceSeries | None:
        """Return the series of a tag if it belongs to a plugin and has values, else None."""
        series = self.series.get(tag)
        if isinstance(series, ReferenceSeries) and series.metadata.plugin_name == plugin and len(series):
            return series
        return None

    @cached_property
    def plugin_names(self) -> frozenset[str]:
        """Return the names of the plugins of all series."""
        from tbtui.store.run_series import find_plugin_names

        return frozenset(find_plugin_names(self.series))

    @cached_property
    def last_step(self) -> int | None:
        """Return the greatest of the last steps of all series; None without values."""
        from tbtui.store.run_series import find_last_step

        return find_last_step(self.series)

    @cached_property
    def first_wall_time(self) -> float | None:
        """Return the wall time of the earliest first event of the files, seconds since the epoch."""
        if self.span is not None:
            return self.span[0]
        from tbtui.store.event_files import collect_first_wall_times

        return min([time for time in collect_first_wall_times(self.files) if time is not None], default=None)

    @cached_property
    def last_wall_time(self) -> float | None:
        """Return the wall time of the latest last event of the files, seconds since the epoch."""
        if self.span is not None:
            return self.span[1]
        from tbtui.store.event_files import collect_last_wall_times

        return max([time for time in collect_last_wall_times(self.files) if time is not None], default=None)

    @cached_property
    def modified(self) -> float | None:
        """Return the time of the last modification of its files, seconds since the epoch."""
        from tbtui.store.event_files import find_last_modification

        written = find_last_modification(self.files)
        times = [asset.modified for asset in self.assets]
        return max(times if written is None else [written, *times], default=None)

    @property
    def asset_tags(self) -> dict[str, frozenset[str]]:
        """Return the tags of profiles and embeddings, by the plugin that reads them."""
        tags: dict[str, set[str]] = {}
        for asset in self.assets:
            if asset.kind in ASSET_PLUGINS:
                tags.setdefault(asset.kind, set()).add(asset.tag)
        return {kind: frozenset(names) for kind, names in tags.items()}

    def has_times(self, tag: str) -> bool:
        """Return True if a tag holds run metadata of TensorFlow 1 with times, which are a profile too.

        The graphs of PyTorch have run metadata of 60 bytes, which only name a device.
        """
        series = self.series.get(tag)
        return (
            isinstance(series, ReferenceSeries)
            and series.metadata.plugin_name == RUN_METADATA
            and int(series.lengths.max(initial=0)) >= MIN_METADATA_BYTES
        )


@frozen(slots=False)
class StoreSnapshot:
    """All runs at one revision, ordered by start time, then name; runs without a start time are last."""

    revision: int = 0
    runs: Mapping[str, RunSnapshot] = field(default_factory=dict)

    @cached_property
    def plugin_names(self) -> frozenset[str]:
        """Return the names of all plugins that have a tag."""
        return frozenset(name for run in self.runs.values() for name in run.plugin_names)
