"""Run metadata of TensorFlow 1 (`StepStats`): the executions of one `Session.run`, as a capture of one step.

Source: TensorFlow `core/framework/step_stats.proto`; `device_tracer.cc` of TensorFlow 1 writes a kernel to
`…/stream:all` and again to `…/stream:N`, and a copy to `…/memcpy` and again to its stream.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.maths.intervals import lanes
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
            found = self._executions = read_executions(self._data)
        except GraphError as error:
            raise TraceFormatError(f"holds damaged run metadata: {error}") from error
        if not len(found):
            raise TraceFormatError("holds run metadata without times")
        columns = TraceColumns()
        columns.writer, columns.event_count = STEP_STATS, len(found)
        columns.head = {"step": self._step, "devices": list(found.devices)}
        columns.problems += found.notes
        nodes, base = Interned(), int(found.starts.min())
        has_streams = any(map(_STREAM.search, found.devices))
        for number, device in enumerate(found.devices):
            for thread in np.unique(found.threads[found.device == number]).tolist():
                rows = np.flatnonzero((found.device == number) & (found.threads == thread))
                rows = rows[np.lexsort((-found.durations[rows], found.starts[rows]))]
                _append(columns, found, rows, (number, device, thread), base, nodes, has_streams=has_streams)
        yield columns.trace()

    def arguments(self, place: int) -> dict[str, Any]:
        """Return what the execution of an operation says beside its time."""
        found = self._executions
        if found is None:
            return {}
        arguments: dict[str, Any] = {"label": found.labels[place]}
        if found.memory[place] > 0:
            arguments["allocated bytes"] = int(found.memory[place])
        if shapes := [list(shape) for shape in found.shapes[place] if shape is not None]:
            arguments["Output shapes"] = shapes
        return arguments


def _append(
    columns: TraceColumns,
    found: Executions,
    rows: npt.NDArray[np.int64],
    place: tuple[int, str, int],
    base: int,
    nodes: Interned,
    *,
    has_streams: bool,
) -> None:
    """Add the executions of a thread of a device; those that overlap lie on tracks of their own, as none calls another.

    Args:
        columns: The columns that grow.
        found: All executions.
        rows: Those of the thread, by time.
        place: Number and name of the device, and number of the thread.
        base: Nanoseconds since the epoch that count as 0.
        nodes: Numbers of the nodes, which match kernels with operations.
        has_streams: The streams of devices are listed one by one, so that other lists of their work repeat it.
    """
    number, device, thread = place
    starts, lengths = (found.starts[rows] - base) / _NANOS, found.durations[rows] / _NANOS
    titles = [_title(found.names[row], found.labels[row]) for row in rows.tolist()]
    is_repeat = has_streams and _REPEATS.search(device) is not None
    is_stream = _STREAM.search(device) is not None or _REPEATS.search(device) is not None
    tracks = np.zeros(len(rows), np.int32)
    lane = lanes(starts, starts + lengths)
    for each in np.unique(lane).tolist():
        key = (device, f"{thread}.{each}" if each else str(thread))
        track = columns.track_keys.number(key)
        name = found.thread_names.get((number, thread), "") or _short(device)
        columns.tracks[track] = Track(*key, name, _short(device), (float(number), float(thread)))
        tracks[lane == each] = track
    kinds = [
        Kind.DEVICE_ANNOTATION
        if is_repeat
        else Kind.OPERATOR
        if not is_stream
        else Kind.COPY
        if device.endswith("/memcpy") or _COPY.match(found.names[row]) or _COPY.match(found.labels[row])
        else Kind.KERNEL
        for row in rows.tolist()
    ]
    none, nan = np.full(len(rows), -1, np.int64), np.full(len(rows), np.nan, np.float32)
    ids = np.array([nodes.number(found.names[row].partition(":")[0]) + 1 for row in rows.tolist()], np.int64)
    names = np.array([columns.names.number(title) for title in titles], np.int32)
    columns.append(Block(starts, lengths, names, np.array(kinds, np.int8), tracks, rows, none, ids, nan, nan))


def _title(name: str, label: str) -> str:
    """Return `node:Type`, as profiles of TensorFlow 2 name operations."""
    match = _TYPE.match(label)
    return name if match is None or ":" in name else f"{name}:{match[1]}"


def _short(device: str) -> str:
    """Return `CPU:0` or `GPU:0/stream:7` of the whole name of a device."""
    return device.rpartition("/device:")[2] or device
