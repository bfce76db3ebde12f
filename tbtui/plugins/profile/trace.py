"""One capture of a profiler as columns: about 60 bytes an event, and a locator in its file of all the rest."""

from __future__ import annotations

import re
from dataclasses import field
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt


class Kind(IntEnum):
    """Kind of an event, independent of the names of its writer."""

    OTHER = 0
    """Work of the host that is no operator."""

    OPERATOR = 1
    ANNOTATION = 2
    """A range that the user or the profiler marked, such as a step."""

    PYTHON = 3
    RUNTIME = 4
    """A call of the driver or runtime of a device."""

    KERNEL = 5
    COPY = 6
    SET = 7
    """A fill of device memory."""

    DEVICE_ANNOTATION = 8
    """A range of the host drawn on a stream again: no work of the device."""

    SYNC = 9
    RANGE = 10
    """A range of hardware counters."""

    INPUT = 11
    """Waiting for, or preparing, the next batch."""

    COLLECTIVE = 12
    """Communication by a library on the host, such as gloo."""

    SPAN = 13
    """The capture itself, and ranges that the profiler adds for its own bookkeeping."""


DEVICE_KINDS = (Kind.KERNEL, Kind.COPY, Kind.SET)
"""Work of a device."""

OPERATORS = (Kind.OPERATOR, Kind.COLLECTIVE, Kind.INPUT)
"""Calls that tables of operators list."""

CHROME, XLA, STEP_STATS, MEMORY_TIMELINE = "chrome", "xla", "step_stats", "memory_timeline"
"""Families of writers: JSON traces, `XSpace` of TensorFlow, JAX and XLA, run metadata of TensorFlow 1, and memory
timelines of PyTorch, which hold allocations alone."""

_KINETO_THREAD = re.compile(r"thread -?\d+ \((.+)\)$")

NOTHING = -1
"""Index that stands for no event."""


@frozen
class Track:
    """A thread or a stream."""

    process: str
    thread: str
    name: str = ""
    process_name: str = ""
    sort: tuple[float, float] = (0.0, 0.0)
    """Sort indices of process and thread, as the writer gave them."""

    @property
    def title(self) -> str:
        """Name of the track, or its number; any characters. Kineto writes `thread 42 (pt_main_thread)`."""
        match = _KINETO_THREAD.match(self.name)
        return match[1] if match is not None else self.name or f"thread {self.thread}"


@frozen(eq=False)
class Allocations:
    """Allocations (bytes above 0) and deallocations, in the order of time."""

    times: npt.NDArray[np.float64]
    """float64[n]: µs on the clock of the trace."""

    sizes: npt.NDArray[np.float64]
    addresses: npt.NDArray[np.uint64]
    totals: npt.NDArray[np.float64]
    """float64[n]: bytes allocated after the event; NaN if not recorded."""

    reserved: npt.NDArray[np.float64]
    devices: npt.NDArray[np.int16]
    """int16[n]: index into `device_names`."""

    tracks: npt.NDArray[np.int32]
    device_names: tuple[str, ...] = ()
    categories: npt.NDArray[np.int8] | None = None
    """int8[n]: index into `category_names`; None: allocations belong to operators."""

    category_names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.times)


@frozen(eq=False)
class Flows:
    """Ends of arrows between events: from a forward operator to its backward one, from a launch to its kernel."""

    times: npt.NDArray[np.float64]
    ids: npt.NDArray[np.int64]
    tracks: npt.NDArray[np.int32]
    is_end: npt.NDArray[np.bool_]
    is_backward: npt.NDArray[np.bool_]
    """True if the arrow leads from a forward operator to its backward one."""


@frozen(eq=False)
class EventTexts:
    """A text for each of many events, of which few differ."""

    numbers: npt.NDArray[np.int32]
    """int32[n]: index into `texts`."""

    texts: tuple[str, ...]


@frozen(eq=False)
class Counter:
    """A number over time."""

    name: str
    times: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]


@frozen(slots=False, eq=False)
class Trace:
    """Events of one process or host, sorted by track, start and decreasing end.

    Times are µs (float64) since `origin`, which is the earliest start.
    """

    names: tuple[str, ...]
    """Distinct names; any characters."""

    tracks: tuple[Track, ...]
    starts: npt.NDArray[np.float64]
    ends: npt.NDArray[np.float64]
    name_ids: npt.NDArray[np.int32]
    kinds: npt.NDArray[np.int8]
    track_ids: npt.NDArray[np.int32]
    locators: npt.NDArray[np.int32] | npt.NDArray[np.int64]
    """Number by which the reader of the format finds an event in the file again."""

    correlations: npt.NDArray[np.int32] | npt.NDArray[np.int64]
    """Number that a launch and its kernel share; -1 without."""

    external_ids: npt.NDArray[np.int32] | npt.NDArray[np.int64]
    """Number that an operator and its kernels may share; -1 without."""

    occupancies: npt.NDArray[np.float32]
    """float32[n]: estimated occupancy of a kernel in percent; NaN without."""

    blocks: npt.NDArray[np.float32]
    """float32[n]: blocks of a kernel for each multiprocessor; NaN without."""

    step_numbers: Mapping[int, int]
    """Number of the step by row, of those events that mark one."""

    allocations: Allocations
    flows: Flows
    counters: tuple[Counter, ...] = ()
    origin: float = 0.0
    """µs on the clock of the file."""

    head: Mapping[str, Any] = field(default_factory=dict)
    """Metadata of the whole capture in the file."""

    problems: tuple[str, ...] = ()
    """Sentences about the parts that could not be read."""

    event_count: int = 0
    """Number of all events in the file, also of those without a duration."""

    is_complete: bool = True
    """True once the whole file was read."""

    writer: str = CHROME

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def durations(self) -> npt.NDArray[np.float64]:
        """float64[n]: µs."""
        return self.ends - self.starts

    @cached_property
    def bounds(self) -> npt.NDArray[np.int64]:
        """int64[tracks + 1]: the events of track i are those from `bounds[i]` up to `bounds[i + 1]`."""
        return np.searchsorted(self.track_ids, np.arange(len(self.tracks) + 1))

    def track(self, index: int) -> slice:
        """Return the events of a track."""
        return slice(int(self.bounds[index]), int(self.bounds[index + 1]))

    def name(self, row: int) -> str:
        """Return the name of an event; any characters."""
        return self.names[int(self.name_ids[row])]

    @cached_property
    def device_tracks(self) -> tuple[int, ...]:
        """Tracks that hold work of a device."""
        is_device = np.isin(self.kinds, DEVICE_KINDS)
        return tuple(np.unique(self.track_ids[is_device]).tolist())

    @cached_property
    def extent(self) -> tuple[float, float]:
        """First start and last end of all events but those of the capture itself; (0, 1) without events."""
        is_counted = self.kinds != Kind.SPAN
        if not is_counted.any():
            return (0.0, max(float(self.allocations.times[-1]), 1.0)) if len(self.allocations) else (0.0, 1.0)
        first, last = float(self.starts[is_counted].min()), float(self.ends[is_counted].max())
        return first, last if last > first else first + 1.0

    def is_of_kind(self, *kinds: Kind) -> npt.NDArray[np.bool_]:
        """Return True for each event of some kinds, bool[n]."""
        return np.isin(self.kinds, kinds)

    def match_names(self, matches: Sequence[bool] | npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return True for each event whose name matches, bool[n].

        Args:
            matches: bool[names].
        """
        return np.asarray(matches, np.bool_)[self.name_ids]
