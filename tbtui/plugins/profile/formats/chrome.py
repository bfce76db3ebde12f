"""Traces in the JSON format of Chrome, as PyTorch (Kineto), JAX and others write them: read in blocks to columns.

Format: "Trace Event Format" of the Chromium project; `output_json.cpp` of Kineto. A block is cut at whole events by
their braces. If one event is no valid JSON, only that event is lost.
"""

from __future__ import annotations

import math
from array import array
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.plugins.profile.formats.chrome_events import (
    decode_any,
    decode_block,
    decode_events,
    find_kind,
    find_shapes,
    shape_text,
    step_number,
)
from tbtui.plugins.profile.formats.columns import Block, FlowEnd, MemoryBlock, TraceColumns, TraceFormatError
from tbtui.plugins.profile.formats.trace_bytes import EventBlocks, TraceBytes, find_events
from tbtui.plugins.profile.trace import EventTexts, Kind, Track

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.plugins.profile.formats.trace_bytes import EventBlock
    from tbtui.plugins.profile.trace import Trace

MAX_PARTIAL_SHARE = 0.5
"""Share of a file from which on parts are not shown, as the whole trace follows soon."""

MAX_ARGUMENT_BYTES = 1 << 20
"""Bytes read to find the end of one event again."""

_X, _B, _E, _COUNTER, _META, _START, _FINISH = b"XBECMsf"
_ASYNC_BEGIN, _ASYNC_END = frozenset(b"bS"), frozenset(b"eF")
_LAUNCH_FLOWS = frozenset({"ac2g", "async_cpu_to_gpu"})
"""Arrows from launches to kernels, which their correlation also matches; a third of all events of a device."""

_IGNORED, _MEMORY = -1, -2
"""Codes of ignored events, and of allocations, in place of those of their phases."""

_INSTANTS = frozenset(b"iI")
_RANGES = frozenset({_B, _E}) | _ASYNC_BEGIN | _ASYNC_END

_KEY = attrgetter("ph", "cat", "name", "pid", "tid")


class _BlockColumns(NamedTuple):
    """Columns of the events of one block."""

    phases: npt.NDArray[np.int32]
    other_rows: npt.NDArray[np.int64]
    """Rows of events that are no complete ranges and no allocations."""

    block: Block
    memory: MemoryBlock | None


class _OpenRange(NamedTuple):
    """A range of which the end was not found yet."""

    start: float
    name: int
    kind: int
    locator: int


class _ClosedRange(NamedTuple):
    """A range of which both ends were found."""

    start: float
    duration: float
    name: int
    kind: int
    track: int
    locator: int


class _EventKeys(dict[tuple[Any, ...], int]):
    """Numbers of the distinct phases, categories, names and tracks; the dictionary itself adds new ones.

    A lookup calls no function in Python: a trace has millions of events.
    """

    def __init__(self, columns: TraceColumns) -> None:
        super().__init__()
        self._columns = columns
        self._phases, self._kinds = array("i"), array("b")
        self._names, self._tracks = array("i"), array("i")

    def __missing__(self, key: tuple[Any, ...]) -> int:
        phase, category, name, process, thread = key
        code = ord(phase[0]) if phase else 0
        is_range, is_memory = code == _X, code in _INSTANTS and name == "[memory]"
        self._phases.append(_MEMORY if is_memory else _IGNORED if category in _LAUNCH_FLOWS else code)
        self._kinds.append(find_kind(category, name) if is_range else 0)
        self._names.append(self._columns.names.number(name) if is_range else -1)
        self._tracks.append(self._columns.track_keys.number((process, thread)) if is_range or is_memory else -1)
        number = self[key] = len(self)
        return number

    def read_phases(self, keys: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the code of the phase of each event, or `_IGNORED`, or `_MEMORY`."""
        phases: npt.NDArray[np.int32] = np.frombuffer(self._phases, np.int32)[keys]
        return phases

    def read_columns(
        self, keys: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.int32]]:
        """Return names, kinds and tracks of complete events."""
        return (
            np.frombuffer(self._names, np.int32)[keys],
            np.frombuffer(self._kinds, np.int8)[keys],
            np.frombuffer(self._tracks, np.int32)[keys],
        )


class ChromeReader:
    """Reads a trace once, and then single events.

    Args:
        path: The file.
    """

    def __init__(self, path: str) -> None:
        self._bytes = TraceBytes(path)
        self._columns = TraceColumns()
        self._keys = _EventKeys(self._columns)
        self._threads: dict[tuple[Any, Any], str] = {}
        self._processes: dict[Any, str] = {}
        self._labels: dict[Any, str] = {}
        self._sorts: dict[Any, float] = {}
        self._open: dict[int, list[_OpenRange]] = {}
        """Open ranges of each track, the innermost last."""

        self._pending: dict[tuple[Any, Any, Any], _OpenRange] = {}
        """Open asynchronous ranges by category, number and name."""

        self._closed: list[_ClosedRange] = []
        """Ranges that ended in the block that is read."""

    def read(self) -> Iterator[Trace | None]:
        """Yield the trace of the first block, then of growing parts, at last of the whole file.

        None after other blocks lets the caller do something else.

        Raises:
            OSError: The file cannot be read.
            TraceFormatError: It is not a trace.
        """
        next_shown = 1
        blocks = EventBlocks(self._bytes)
        for count, block in enumerate(blocks.read()):
            self._columns.head = blocks.head
            if count == next_shown and (count == 1 or self._bytes.share < MAX_PARTIAL_SHARE):
                yield self._build_trace(is_complete=False)
                next_shown *= 4
            elif count:
                yield None
            self._add_block(block)
        self._columns.head = blocks.head
        self._columns.lost += blocks.lost
        self._columns.problems += blocks.problems
        unclosed = sum(map(len, self._open.values())) + len(self._pending)
        if unclosed:
            self._columns.problems.append(f"{unclosed:,} events begin and do not end: they are left out")
        yield self._build_trace(is_complete=True)

    def arguments(self, locator: int) -> dict[str, Any]:
        """Return the arguments of an event, read from the file again; empty if that is not possible."""
        try:
            data = self._bytes.read(locator, 4096)
            for size in (16 << 10, 256 << 10, MAX_ARGUMENT_BYTES):
                _, ends = find_events(np.frombuffer(data, np.uint8))
                if len(ends):
                    event = decode_any(data[: int(ends[0])])
                    arguments = event.get("args") if isinstance(event, dict) else None
                    return arguments if isinstance(arguments, dict) else {}
                data = self._bytes.read(locator, size)
        except OSError:
            return {}
        return {}

    def iter_shapes(self, locators: npt.NDArray[np.int32 | np.int64]) -> Iterator[float | EventTexts]:
        """Yield the share of the file that was read, at last the shapes of events, in one pass over the file.

        Args:
            locators: Locators of the events.

        Raises:
            OSError: The file cannot be read.
            TraceFormatError: It is not a trace any more.
        """
        event_numbers, numbers = np.zeros(len(locators), np.int32), {b"": 0}
        order = np.argsort(locators, kind="stable")
        ordered = locators[order]
        blocks = EventBlocks(TraceBytes(self._bytes.path))
        for block in blocks.read():
            offsets, shapes = find_shapes(block, numbers)
            index = np.minimum(np.searchsorted(ordered, offsets), len(ordered) - 1)
            is_requested = ordered[index] == offsets
            event_numbers[order[index[is_requested]]] = shapes[is_requested]
            yield blocks.source.share
        yield EventTexts(event_numbers, tuple(map(shape_text, numbers)))

    def _add_block(self, block: EventBlock) -> None:
        try:
            events, begins = decode_block(block), block.begins
            columns = self._decode_columns(events, begins + block.offset)
        except (TypeError, ValueError, OverflowError):  # members of unusual types, or no JSON
            events, begins, lost = decode_events(block)
            columns = self._decode_columns(events, begins + block.offset)
            self._columns.lost += lost
        self._columns.event_count += len(events)
        self._columns.append(columns.block)
        if columns.memory is not None:
            self._columns.append_memory(columns.memory)
        for row in columns.other_rows.tolist():
            event = events[row]
            with suppress(
                TypeError, ValueError, OverflowError, LookupError, AttributeError
            ):  # an event of an unknown form
                self._add_other(int(columns.phases[row]), event, block, int(begins[row]))
        self._append_closed()

    def _decode_columns(self, events: Sequence[Any], locators: npt.NDArray[np.int64]) -> _BlockColumns:
        keys = np.fromiter(map(self._keys.__getitem__, map(_KEY, events)), np.int32, len(events))
        phases = self._keys.read_phases(keys)
        complete, memory = np.flatnonzero(phases == _X), np.flatnonzero(phases == _MEMORY)
        ranges = [events[row] for row in complete.tolist()] if len(complete) < len(events) else events
        return _BlockColumns(
            phases,
            np.flatnonzero((phases != _X) & (phases > 0)),
            self._build_block(ranges, keys[complete], locators[complete]),
            self._build_memory_block([events[row] for row in memory.tolist()], keys[memory]) if len(memory) else None,
        )

    def _build_block(
        self, events: Sequence[Any], keys: npt.NDArray[np.int32], locators: npt.NDArray[np.int64]
    ) -> Block:
        count = len(events)
        names, kinds, tracks = self._keys.read_columns(keys)
        starts = np.fromiter(map(attrgetter("ts"), events), np.float64, count)
        durations = np.fromiter(map(attrgetter("dur"), events), np.float64, count)
        external = np.fromiter(map(attrgetter("args.external"), events), np.int64, count)
        correlations = np.fromiter(map(attrgetter("args.correlation"), events), np.int64, count)
        occupancies, blocks = np.full(count, np.nan, np.float32), np.full(count, np.nan, np.float32)
        kernels = np.flatnonzero(kinds == Kind.KERNEL)
        details = [events[row].args for row in kernels.tolist()]
        occupancies[kernels] = [arguments.occupancy for arguments in details]
        blocks[kernels] = [arguments.blocks for arguments in details]
        for row in np.flatnonzero(kinds == Kind.ANNOTATION).tolist():
            number = step_number(events[row].name, events[row].args.step_num)
            if number is not None:
                self._columns.steps[int(locators[row])] = number
        return Block(starts, durations, names, kinds, tracks, locators, correlations, external, occupancies, blocks)

    def _build_memory_block(self, events: Sequence[Any], keys: npt.NDArray[np.int32]) -> MemoryBlock:
        count = len(events)
        kinds = np.fromiter(map(attrgetter("args.device_type"), events), np.int64, count)
        devices = np.where(kinds == 0, -1, np.fromiter(map(attrgetter("args.device"), events), np.int64, count))
        unique, inverse = np.unique(devices, return_inverse=True)
        number = self._columns.memory_devices.number
        numbers = np.array([number("CPU" if device < 0 else f"GPU {device}") for device in unique.tolist()], np.int16)
        _, _, tracks = self._keys.read_columns(keys)
        return MemoryBlock(
            np.fromiter(map(attrgetter("ts"), events), np.float64, count),
            np.fromiter(map(attrgetter("args.size"), events), np.float64, count),
            np.fromiter(map(attrgetter("args.address"), events), np.uint64, count),
            np.fromiter(map(attrgetter("args.total"), events), np.float64, count),
            np.fromiter(map(attrgetter("args.reserved"), events), np.float64, count),
            numbers[inverse],
            tracks,
        )

    def _add_other(self, phase: int, event: Any, block: EventBlock, begin: int) -> None:
        """Add an event that is no complete range; it begins at `begin` in the block."""
        columns, data = self._columns, block.data
        if phase == _META:
            self._add_description(event)
        elif phase in {_START, _FINISH}:
            category = str(event.cat)
            track = columns.track_keys.number((event.pid, event.tid))
            is_backward = category in {"fwdbwd", "forward_backward"}
            if is_backward:  # launches and kernels are matched by their correlation
                columns.flows.append(FlowEnd(float(event.ts), int(event.id), track, phase == _FINISH, True))
        elif phase in _RANGES:
            self._add_range(phase, event, block.offset + begin)
        elif phase == _COUNTER:
            _, ends = find_events(np.frombuffer(data[begin : begin + MAX_ARGUMENT_BYTES], np.uint8))
            values = decode_any(data[begin : begin + int(ends[0])]).get("args") or {}
            for name, value in values.items():
                if isinstance(value, int | float) and math.isfinite(value):
                    label = f"{event.name} {name}" if len(values) > 1 else str(event.name)
                    columns.counters.setdefault(label, []).append((float(event.ts), float(value)))

    def _add_range(self, phase: int, event: Any, locator: int) -> None:
        """Add the start or the end of a range, within a thread or asynchronous."""
        columns = self._columns
        if phase == _E:
            track = columns.track_keys.number((event.pid, event.tid))
            self._close(self._open[track].pop(), track, float(event.ts))
            return
        key = (event.cat, event.id, event.name)
        if phase in _ASYNC_END:
            if key in self._pending:
                track = columns.track_keys.number((event.pid, f"async {event.cat}"))
                self._close(self._pending.pop(key), track, float(event.ts))
            return
        opened = _OpenRange(
            float(event.ts), columns.names.number(event.name), find_kind(event.cat, event.name), locator
        )
        if phase == _B:
            self._open.setdefault(columns.track_keys.number((event.pid, event.tid)), []).append(opened)
        else:
            self._pending[key] = opened

    def _close(self, opened: _OpenRange, track: int, end: float) -> None:
        start, name, kind, locator = opened
        self._closed.append(_ClosedRange(start, end - start, name, kind, track, locator))

    def _append_closed(self) -> None:
        """Add the ranges of which the end was found in this block."""
        if not self._closed:
            return
        starts, durations, names, kinds, tracks, locators = map(np.array, zip(*self._closed, strict=True))
        none, nan = np.full(len(starts), -1, np.int64), np.full(len(starts), np.nan, np.float32)
        self._columns.append(Block(starts, durations, names, kinds, tracks, locators, none, none, nan, nan))
        self._closed.clear()

    def _add_description(self, event: Any) -> None:
        """Add the name or the position of a process or thread."""
        details = event.args
        if event.name == "process_name":
            self._processes[event.pid] = str(details.name).strip()
        elif event.name == "process_labels":
            self._labels[event.pid] = str(details.labels).strip()
        elif event.name == "thread_name":
            self._threads[event.pid, event.tid] = str(details.name).strip()
        elif event.name == "process_sort_index":
            self._sorts[event.pid] = float(details.sort_index)
        elif event.name == "thread_sort_index":
            self._sorts[event.pid, event.tid] = float(details.sort_index)

    def _build_trace(self, *, is_complete: bool) -> Trace:
        columns = self._columns
        for (process, thread), number in columns.track_keys.numbers.items():
            columns.tracks[number] = Track(
                str(process),
                str(thread),
                self._threads.get((process, thread), ""),
                " ".join(filter(None, (self._labels.get(process, ""), self._processes.get(process, "")))),
                (self._sorts.get(process, 0.0), self._sorts.get((process, thread), 0.0)),
            )
        trace = columns.trace(is_complete=is_complete)
        if is_complete and not len(trace) and not columns.event_count:
            raise TraceFormatError("holds no events")
        return trace
