"""Run metadata of TensorFlow 1 (`StepStats`): the executions of one `Session.run`, as a capture of one step.

Source: TensorFlow `core/framework/step_stats.proto`; `device_tracer.cc` of TensorFlow 1 writes a kernel to
`…/stream:all` and again to `…/stream:N`, and a copy to `…/memcpy` and again to its stream.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.maths.intervals import assign_lanes
from tbtui.plugins.graphs.formats.run_metadata import read_executions
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.profile.formats.columns import Block, Interned, TraceColumns, TraceFormatError
from tbtui.plugins.profile.trace import STEP_STATS, Kind, Track

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.plugins.graphs.formats.run_metadata import Executions
    from tbtui.plugins.profile.trace import Trace

_STREAM = re.compile(r"/stream:\d+$")
_REPEATS = re.compile(r"/(?:stream:all|memcpy)$")
_TYPE = re.compile(r"(?:.* = )?(\w+)\(")
"""Type in a label such as `loss = Mean(square, axes)`."""

_COPY = re.compile(r"^(?:edge_\d+_)?memcpy", re.IGNORECASE)
_NANOS = 1e3
"""Nanoseconds in a µs."""


class StepStatsReader:
    """Reads run metadata.

    Args:
        data: Serialized `RunMetadata`.
        step: Step at which it was logged.
    """

    def __init__(self, data: bytes, step: int) -> None:
        self._data, self._step = data, step
        self._executions: Executions | None = None

    def read(self) -> Iterator[Trace]:
        """Yield the trace.

        Raises:
            TraceFormatError: The bytes are something else, or hold no times.
        """
        try:
            executions = self._executions = read_executions(self._data)
        except GraphError as error:
            raise TraceFormatError(f"holds damaged run metadata: {error}") from error
        if not len(executions):
            raise TraceFormatError("holds run metadata without times")
        columns = TraceColumns()
        columns.writer, columns.event_count = STEP_STATS, len(executions)
        columns.head = {"step": self._step, "devices": list(executions.devices)}
        columns.problems += executions.notes
        nodes, base = Interned(), int(executions.starts.min())
        has_streams = any(map(_STREAM.search, executions.devices))
        for number, device in enumerate(executions.devices):
            for thread in np.unique(executions.threads[executions.device == number]).tolist():
                rows = np.flatnonzero((executions.device == number) & (executions.threads == thread))
                rows = rows[np.lexsort((-executions.durations[rows], executions.starts[rows]))]
                _append(
                    columns, executions, rows, _Thread(number, device, thread), base, nodes, has_streams=has_streams
                )
        yield columns.trace()

    def arguments(self, locator: int) -> dict[str, Any]:
        """Return label, memory and shapes of the execution with an index."""
        executions = self._executions
        if executions is None:
            return {}
        arguments: dict[str, Any] = {"label": executions.labels[locator]}
        if executions.memory[locator] > 0:
            arguments["allocated bytes"] = int(executions.memory[locator])
        if shapes := [list(shape) for shape in executions.shapes[locator] if shape is not None]:
            arguments["Output shapes"] = shapes
        return arguments


class _Thread(NamedTuple):
    """A thread of a device."""

    device: int
    device_name: str
    number: int


def _append(
    columns: TraceColumns,
    executions: Executions,
    rows: npt.NDArray[np.int64],
    thread: _Thread,
    base: int,
    nodes: Interned,
    *,
    has_streams: bool,
) -> None:
    """Add the executions of a thread of a device; those that overlap have tracks of their own, as none calls another.

    Args:
        columns: The columns that grow.
        executions: All executions.
        rows: Those of the thread, by time.
        thread: The thread.
        base: Nanoseconds since the epoch that count as 0.
        nodes: Numbers of the nodes, which match kernels with operations.
        has_streams: The streams of devices are listed one by one, so that other lists of their work repeat it.
    """
    device = thread.device_name
    starts, lengths = (executions.starts[rows] - base) / _NANOS, executions.durations[rows] / _NANOS
    titles = [_title(executions.names[row], executions.labels[row]) for row in rows.tolist()]
    is_repeat = has_streams and _REPEATS.search(device) is not None
    is_stream = _STREAM.search(device) is not None or _REPEATS.search(device) is not None
    tracks = np.zeros(len(rows), np.int32)
    lane = assign_lanes(starts, starts + lengths)
    for number in np.unique(lane).tolist():
        key = (device, f"{thread.number}.{number}" if number else str(thread.number))
        track = columns.track_keys.number(key)
        name = executions.thread_names.get((thread.device, thread.number), "") or _shorten_device_name(device)
        columns.tracks[track] = Track(
            *key, name, _shorten_device_name(device), (float(thread.device), float(thread.number))
        )
        tracks[lane == number] = track
    kinds = [
        Kind.DEVICE_ANNOTATION
        if is_repeat
        else Kind.OPERATOR
        if not is_stream
        else Kind.COPY
        if device.endswith("/memcpy") or _COPY.match(executions.names[row]) or _COPY.match(executions.labels[row])
        else Kind.KERNEL
        for row in rows.tolist()
    ]
    none, nan = np.full(len(rows), -1, np.int64), np.full(len(rows), np.nan, np.float32)
    ids = np.array([nodes.number(executions.names[row].partition(":")[0]) + 1 for row in rows.tolist()], np.int64)
    names = np.array([columns.names.number(title) for title in titles], np.int32)
    columns.append(Block(starts, lengths, names, np.array(kinds, np.int8), tracks, rows, none, ids, nan, nan))


def _title(name: str, label: str) -> str:
    """Return `node:Type`, as profiles of TensorFlow 2 name operations."""
    match = _TYPE.match(label)
    return name if match is None or ":" in name else f"{name}:{match[1]}"


def _shorten_device_name(device: str) -> str:
    """Return `CPU:0` or `GPU:0/stream:7` of the full name of a device."""
    return device.rpartition("/device:")[2] or device
