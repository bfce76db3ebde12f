"""Traces in the JSON format of Chrome, as PyTorch (Kineto), JAX and others write them: read in blocks to columns.

Format: "Trace Event Format" of the Chromium project; `output_json.cpp` of Kineto. A block is cut at whole events by
their braces. If one event is no valid JSON, only that event is lost.
"""

from __future__ import annotations

import json
import math
import re
from array import array
from contextlib import suppress
from functools import cache
from itertools import repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.plugins.profile.formats.columns import Block, MemoryBlock, TraceColumns
from tbtui.plugins.profile.formats.trace_bytes import TraceBytes, event_spans, indented_spans
from tbtui.plugins.profile.trace import Kind, Track

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.plugins.profile.trace import Trace

MAX_EVENT_BYTES = 64 << 20
"""An event that is longer is damage: the reader looks for the next one."""

MAX_GAP_BYTES = 1 << 20
"""Bytes without an event that are not searched again with those that follow."""

MAX_PARTIAL_SHARE = 0.5
"""Share of a file behind which the whole trace follows soon enough."""

MAX_ARGUMENT_BYTES = 1 << 20
"""Bytes read to find the end of one event again."""

_X, _B, _E, _COUNTER, _META, _START, _FINISH = b"XBECMsf"
_ASYNC_BEGIN, _ASYNC_END = frozenset(b"bS"), frozenset(b"eF")
_LAUNCH_FLOWS = frozenset({"ac2g", "async_cpu_to_gpu"})
"""Arrows from launches to kernels, which their correlation also matches; a third of all events of a device."""

_IGNORED, _MEMORY = -1, -2
"""Codes of events that tell nothing, and of allocations, in place of those of their phases."""

_INSTANTS = frozenset(b"iI")
_RANGES = frozenset({_B, _E}) | _ASYNC_BEGIN | _ASYNC_END
_EVENTS = b'"traceEvents"'
_STEP = re.compile(r"(?:ProfilerStep|train|test|Profiled batch|step)\s?#?\s?(\d+)$", re.IGNORECASE)

_KINDS = {
    "cpu_op": Kind.OPERATOR,
    "operator": Kind.OPERATOR,
    "user_annotation": Kind.ANNOTATION,
    "python_function": Kind.PYTHON,
    "cuda_runtime": Kind.RUNTIME,
    "cuda_driver": Kind.RUNTIME,
    "runtime": Kind.RUNTIME,
    "xpu_runtime": Kind.RUNTIME,
    "mtia_runtime": Kind.RUNTIME,
    "privateuse1_runtime": Kind.RUNTIME,
    "kernel": Kind.KERNEL,
    "mtia_ccp_events": Kind.KERNEL,
    "gpu_memcpy": Kind.COPY,
    "memcpy": Kind.COPY,
    "gpu_memset": Kind.SET,
    "memset": Kind.SET,
    "gpu_user_annotation": Kind.DEVICE_ANNOTATION,
    "cuda_sync": Kind.SYNC,
    "cuda_profiler_range": Kind.RANGE,
    "trace": Kind.SPAN,
    "overhead": Kind.OTHER,
}
"""Kinds by category in lower case."""

_INPUT = re.compile(r"enumerate\(DataLoader\)|DataLoader.*__next__|IteratorGetNext|^Iterator::")
_COLLECTIVE = re.compile(r"^(?:gloo|oneccl|mpi|ucc)[:_]")


class TraceFormatError(ValueError):
    """Raised for a file that is no trace; the message is one plain clause."""


_NUMBERS = {
    "External id": ("external", int, -1),
    "correlation": ("correlation", int, -1),
    "Total Allocated": ("total", float, math.nan),
    "Total Reserved": ("reserved", float, math.nan),
    "Bytes": ("size", float, math.nan),
    "Addr": ("address", int, 0),
    "Device Type": ("device_type", int, -1),
    "Device Id": ("device", int, -1),
    "est. achieved occupancy %": ("occupancy", float, math.nan),
    "blocks per SM": ("blocks", float, math.nan),
}
"""Arguments that become columns: member, type and value if it is missing."""

_TEXTS = ("name", "labels", "sort_index", "step_num")
"""Arguments that few events have."""


class _Decoders(NamedTuple):
    """Decoders of events; `msgspec` is imported with the first trace."""

    block: Any
    """Decodes a list of events whose members have their usual types."""

    event: Any
    """Decodes one event whatever the types of its members: ids may be texts, and numbers have more than 64 bits."""

    no_arguments: Any
    """The arguments of an event that has none."""


@cache
def _decoders() -> _Decoders:
    import msgspec

    def declared(types: Any, default: Any, name: str | None = None) -> Any:
        return types, msgspec.field(default=default, name=name)

    arguments = msgspec.defstruct(
        "Arguments",
        [
            *((member, *declared(kind, default, name)) for name, (member, kind, default) in _NUMBERS.items()),
            *((name, *declared(Any, None)) for name in _TEXTS),
        ],
        gc=False,
    )
    any_arguments = msgspec.defstruct(
        "AnyArguments",
        [
            *((member, *declared(Any, default, name)) for name, (member, _, default) in _NUMBERS.items()),
            *((name, *declared(Any, None)) for name in _TEXTS),
        ],
        gc=False,
    )
    no_arguments = arguments()

    def event(text: Any, number: Any, args: Any) -> Any:
        return msgspec.defstruct(
            "Event",
            [
                ("ph", *declared(str, "")),
                ("name", *declared(text, "")),
                ("cat", *declared(text, "")),
                ("ts", *declared(number, 0.0)),
                ("dur", *declared(number, 0.0)),
                ("pid", *declared(Any, "")),
                ("tid", *declared(Any, "")),
                ("id", *declared(Any, None)),
                ("args", args, msgspec.field(default_factory=repeat(no_arguments).__next__)),
            ],
            gc=False,
        )

    typed, loose = event(str, float, arguments), event(Any, Any, any_arguments | None)
    return _Decoders(msgspec.json.Decoder(list[typed]), msgspec.json.Decoder(loose), no_arguments)  # type: ignore[valid-type]


_KEY = attrgetter("ph", "cat", "name", "pid", "tid")


class _BlockColumns(NamedTuple):
    """Columns of the events of one block."""

    phases: npt.NDArray[np.int32]
    others: npt.NDArray[np.int64]
    """Rows of events that are no complete ranges and no allocations."""

    block: Block
    memory: MemoryBlock | None


class _EventKeys(dict[tuple[Any, ...], int]):
    """Numbers of the distinct phases, categories, names and tracks; the dictionary itself adds what is new.

    A million events pass through it, so that a lookup calls no function in Python.
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
        self._kinds.append(_find_kind(category, name) if is_range else 0)
        self._names.append(self._columns.names.number(name) if is_range else -1)
        self._tracks.append(self._columns.track_keys.number((process, thread)) if is_range or is_memory else -1)
        number = self[key] = len(self)
        return number

    def phases(self, keys: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the code of the phase of each event; `_IGNORED` for those that tell nothing."""
        found: npt.NDArray[np.int32] = np.frombuffer(self._phases, np.int32)[keys]
        return found

    def columns(
        self, keys: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.int32]]:
        """Return names, kinds and tracks of complete events."""
        return (
            np.frombuffer(self._names, np.int32)[keys],
            np.frombuffer(self._kinds, np.int8)[keys],
            np.frombuffer(self._tracks, np.int32)[keys],
        )


class ChromeReader:
    """Reads a trace once, and single events of it again.

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
        self._open: dict[int, list[tuple[float, int, int, int]]] = {}
        """Begun events of each track."""

        self._pending: dict[tuple[Any, Any, Any], tuple[float, int, int, int]] = {}
        """Begun asynchronous events."""

        self._closed: list[tuple[float, float, int, int, int, int]] = []
        """Ranges of a block that ended: begin, duration, name, kind, track and place."""

    def read(self) -> Iterator[Trace | None]:
        """Yield the trace of the first block, then of growing parts, at last of the whole file.

        None after other blocks lets the caller do something else.

        Raises:
            OSError: The file cannot be read.
            TraceFormatError: It is no trace.
        """
        due = 1
        for count, (offset, data, begins, ends) in enumerate(self._blocks()):
            if count == due and (count == 1 or self._bytes.share < MAX_PARTIAL_SHARE):
                yield self._trace(is_whole=False)
                due *= 4
            elif count:
                yield None
            self._take(offset, data, begins, ends)
        if self._bytes.problem:
            self._columns.problems.append(self._bytes.problem)
        unclosed = sum(map(len, self._open.values())) + len(self._pending)
        if unclosed:
            self._columns.problems.append(f"{unclosed:,} events begin and do not end: they are left out")
        yield self._trace(is_whole=True)

    def arguments(self, place: int) -> dict[str, Any]:
        """Return the arguments of an event, read from the file again; empty if that is not possible."""
        try:
            data = self._bytes.read(place, 4096)
            for size in (16 << 10, 256 << 10, MAX_ARGUMENT_BYTES):
                _, ends = event_spans(np.frombuffer(data, np.uint8))
                if len(ends):
                    found = _decode_any(data[: int(ends[0])])
                    arguments = found.get("args") if isinstance(found, dict) else None
                    return arguments if isinstance(arguments, dict) else {}
                data = self._bytes.read(place, size)
        except OSError:
            return {}
        return {}

    # Blocks

    def _blocks(self) -> Iterator[tuple[int, bytes, npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Yield offset and bytes of blocks with the spans of their whole events."""
        pieces = self._bytes.pieces()
        data, offset = self._skip_head(pieces)
        while True:
            begins, ends = indented_spans(data) or event_spans(np.frombuffer(data, np.uint8))
            if len(ends):
                yield offset, data, begins, ends
                cut = int(ends[-1])
                offset, data = offset + cut, data[cut:]
            elif len(data) > MAX_GAP_BYTES and b"{" not in data:  # a hole in the file, or its zeros after a crash
                offset, data = offset + len(data), b""
                self._columns.lost += 1
            elif len(data) > MAX_EVENT_BYTES:
                cut = _next_event(data)
                self._columns.lost += 1
                offset, data = offset + cut, data[cut:]
                continue
            piece = next(pieces, b"")
            if not piece:
                break
            data += piece
        rest = data.lstrip(b", \t\r\n")
        if rest and not rest.startswith(b"]"):
            self._columns.problems.append(
                f"the trace is cut: its last {len(rest):,} bytes are no whole event"
                if b"{" in rest
                else "the trace is cut: its end is missing"
            )
        elif not rest:
            self._columns.problems.append("the trace is cut: its end is missing")

    def _skip_head(self, pieces: Iterator[bytes]) -> tuple[bytes, int]:
        """Read what comes before the events; return the bytes behind it and their offset."""
        data = b""
        for piece in pieces:
            data += piece
            found = data.find(_EVENTS)
            begin = data.find(b"[", found) if found >= 0 else -1
            if begin >= 0 or len(data) > MAX_EVENT_BYTES:
                break
        else:
            found = data.find(_EVENTS)
            begin = data.find(b"[", found) if found >= 0 else -1
        if begin < 0:
            if not data.lstrip().startswith(b"["):
                raise TraceFormatError("holds no traceEvents: it is no trace of a profiler")
            found, begin = 0, data.find(b"[")
        head = data[:found].rstrip().rstrip(b",") + b"}"
        with suppress(ValueError):
            parsed = json.loads(head.decode("utf-8", "replace"), strict=False)
            self._columns.head = parsed if isinstance(parsed, dict) else {}
        return data[begin + 1 :], begin + 1

    # Events

    def _take(self, offset: int, data: bytes, begins: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> None:
        from msgspec import MsgspecError  # no ValueError in older versions

        try:
            events = _decoders().block.decode(b"".join((b"[", memoryview(data)[int(begins[0]) : int(ends[-1])], b"]")))
            if len(events) != len(begins):
                raise ValueError("objects of another kind are among the events")
            columns = self._columns_of(events, begins + offset)
        except (TypeError, ValueError, OverflowError, RecursionError, MsgspecError):
            events, begins = self._decode_events(data, begins, ends)
            columns = self._columns_of(events, begins + offset)
        self._columns.event_count += len(events)
        self._columns.append(columns.block)
        if columns.memory is not None:
            self._columns.append_memory(columns.memory)
        for row in columns.others.tolist():
            event = events[row]
            with suppress(
                TypeError, ValueError, OverflowError, LookupError, AttributeError
            ):  # an event of an unknown form
                self._take_other(int(columns.phases[row]), event, int(begins[row]) + offset, data, int(begins[row]))
        self._append_closed()

    def _decode_events(
        self, data: bytes, begins: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> tuple[Any, npt.NDArray[np.int64]]:
        """Return the valid events of a block one by one, with the begins of them."""
        base, part = int(begins[0]), data[int(begins[0]) : int(ends[-1])]
        begins, ends = (each + base for each in event_spans(np.frombuffer(part, np.uint8)))
        decode, none = _decoders().event, _decoders().no_arguments
        events, kept = [], []
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            event = _decode_event(decode, data[begin:end])
            if event is None:
                self._columns.lost += 1
            else:
                events.append(_clean(event, none))
                kept.append(begin)
        return events, np.array(kept, np.int64)

    def _columns_of(self, events: Sequence[Any], places: npt.NDArray[np.int64]) -> _BlockColumns:
        keys = np.fromiter(map(self._keys.__getitem__, map(_KEY, events)), np.int32, len(events))
        phases = self._keys.phases(keys)
        complete, memory = np.flatnonzero(phases == _X), np.flatnonzero(phases == _MEMORY)
        chosen = [events[row] for row in complete.tolist()] if len(complete) < len(events) else events
        return _BlockColumns(
            phases,
            np.flatnonzero((phases != _X) & (phases > 0)),
            self._block(chosen, keys[complete], places[complete]),
            self._memory([events[row] for row in memory.tolist()], keys[memory]) if len(memory) else None,
        )

    def _block(self, events: Sequence[Any], keys: npt.NDArray[np.int32], places: npt.NDArray[np.int64]) -> Block:
        count = len(events)
        names, kinds, tracks = self._keys.columns(keys)
        starts = np.fromiter(map(attrgetter("ts"), events), np.float64, count)
        durations = np.fromiter(map(attrgetter("dur"), events), np.float64, count)
        external = np.fromiter(map(attrgetter("args.external"), events), np.int64, count)
        correlations = np.fromiter(map(attrgetter("args.correlation"), events), np.int64, count)
        occupancies, blocks = np.full(count, np.nan, np.float32), np.full(count, np.nan, np.float32)
        kernels = np.flatnonzero(kinds == Kind.KERNEL)
        details = [events[row].args for row in kernels.tolist()]
        occupancies[kernels] = [each.occupancy for each in details]
        blocks[kernels] = [each.blocks for each in details]
        for row in np.flatnonzero(kinds == Kind.ANNOTATION).tolist():
            number = _step_number(events[row].name, events[row].args.step_num)
            if number is not None:
                self._columns.steps[int(places[row])] = number
        return Block(starts, durations, names, kinds, tracks, places, correlations, external, occupancies, blocks)

    def _memory(self, events: Sequence[Any], keys: npt.NDArray[np.int32]) -> MemoryBlock:
        count = len(events)
        kinds = np.fromiter(map(attrgetter("args.device_type"), events), np.int64, count)
        devices = np.where(kinds == 0, -1, np.fromiter(map(attrgetter("args.device"), events), np.int64, count))
        unique, inverse = np.unique(devices, return_inverse=True)
        number = self._columns.memory_devices.number
        numbers = np.array([number("CPU" if each < 0 else f"GPU {each}") for each in unique.tolist()], np.int16)
        _, _, tracks = self._keys.columns(keys)
        return MemoryBlock(
            np.fromiter(map(attrgetter("ts"), events), np.float64, count),
            np.fromiter(map(attrgetter("args.size"), events), np.float64, count),
            np.fromiter(map(attrgetter("args.address"), events), np.uint64, count),
            np.fromiter(map(attrgetter("args.total"), events), np.float64, count),
            np.fromiter(map(attrgetter("args.reserved"), events), np.float64, count),
            numbers[inverse],
            tracks,
        )

    def _take_other(self, phase: int, event: Any, place: int, data: bytes, begin: int) -> None:
        """Take an event that is no complete range."""
        columns = self._columns
        if phase == _META:
            self._describe(event)
        elif phase in {_START, _FINISH}:
            category = str(event.cat)
            track = columns.track_keys.number((event.pid, event.tid))
            is_backward = category in {"fwdbwd", "forward_backward"}
            if is_backward:  # launches and kernels are matched by their correlation
                columns.flows.append((float(event.ts), int(event.id), track, phase == _FINISH, True))
        elif phase in _RANGES:
            self._take_range(phase, event, place)
        elif phase == _COUNTER:
            _, ends = event_spans(np.frombuffer(data[begin : begin + MAX_ARGUMENT_BYTES], np.uint8))
            values = _decode_any(data[begin : begin + int(ends[0])]).get("args") or {}
            for name, value in values.items():
                if isinstance(value, int | float) and math.isfinite(value):
                    label = f"{event.name} {name}" if len(values) > 1 else str(event.name)
                    columns.counters.setdefault(label, []).append((float(event.ts), float(value)))

    def _take_range(self, phase: int, event: Any, place: int) -> None:
        """Take the begin or the end of a range, within a thread or asynchronous."""
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
        begun = (float(event.ts), columns.names.number(event.name), _find_kind(event.cat, event.name), place)
        if phase == _B:
            self._open.setdefault(columns.track_keys.number((event.pid, event.tid)), []).append(begun)
        else:
            self._pending[key] = begun

    def _close(self, begun: tuple[float, int, int, int], track: int, end: float) -> None:
        start, name, kind, place = begun
        self._closed.append((start, end - start, name, kind, track, place))

    def _append_closed(self) -> None:
        """Add the ranges of which the end was found in this block."""
        if not self._closed:
            return
        starts, durations, names, kinds, tracks, places = map(np.array, zip(*self._closed, strict=True))
        none, nan = np.full(len(starts), -1, np.int64), np.full(len(starts), np.nan, np.float32)
        self._columns.append(Block(starts, durations, names, kinds, tracks, places, none, none, nan, nan))
        self._closed.clear()

    def _describe(self, event: Any) -> None:
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

    def _trace(self, *, is_whole: bool) -> Trace:
        columns = self._columns
        for (process, thread), number in columns.track_keys.numbers.items():
            columns.tracks[number] = Track(
                str(process),
                str(thread),
                self._threads.get((process, thread), ""),
                " ".join(filter(None, (self._labels.get(process, ""), self._processes.get(process, "")))),
                (self._sorts.get(process, 0.0), self._sorts.get((process, thread), 0.0)),
            )
        trace = columns.trace(is_whole=is_whole)
        if is_whole and not len(trace) and not columns.event_count:
            raise TraceFormatError("holds no events")
        return trace


def _find_kind(category: str, name: str) -> Kind:
    kind = _KINDS.get(category.lower(), Kind.OTHER)
    if kind in {Kind.OPERATOR, Kind.ANNOTATION, Kind.OTHER}:
        if _INPUT.search(name):
            return Kind.INPUT
        if _COLLECTIVE.search(name):
            return Kind.COLLECTIVE
    return kind


def _step_number(name: str, number: Any) -> int | None:
    match = _STEP.match(name)
    if match is not None:
        return int(match[1])
    return number if isinstance(number, int) else None


def _clean(event: Any, no_arguments: Any) -> Any:
    """Replace members of unusual types, so that the event has a row."""
    event.ts = _time(event.ts, math.nan)
    event.dur = _time(event.dur, 0.0)
    event.name, event.cat = str(event.name), str(event.cat)
    event.pid, event.tid = (value if isinstance(value, int | str) else str(value) for value in (event.pid, event.tid))
    if event.args is None:
        event.args = no_arguments
    for member, kind, default in _NUMBERS.values():
        value = getattr(event.args, member)
        if kind is float:
            setattr(event.args, member, float(value) if isinstance(value, int | float) else default)
        elif not isinstance(value, int) or (abs(value) >= 1 << 62 and member != "address"):
            setattr(event.args, member, default)
    event.args.address &= (1 << 64) - 1
    return event


def _time(value: Any, otherwise: float) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return otherwise


_CONTROL = re.compile(rb"[\x00-\x1f]")
_NOT_JSON = re.compile(rb"(?<=[:\[,])(\s*)(?:-?nan|-?inf(?:inity)?|n/a|none|undefined)(?=\s*[,}\]])", re.IGNORECASE)


def _decode_event(decode_one: Any, data: bytes) -> Any:
    """Decode one event; if it is invalid, without control characters and words that are no JSON; None if it is lost."""
    from msgspec import MsgspecError

    for attempt in (data, _NOT_JSON.sub(rb"\1null", _CONTROL.sub(b" ", data))):
        with suppress(ValueError, RecursionError, MsgspecError):
            return decode_one.decode(attempt)
    with suppress(ValueError, RecursionError, MsgspecError):
        repaired = _CONTROL.sub(b" ", data).decode("utf-8", "replace").encode()
        return decode_one.decode(_NOT_JSON.sub(rb"\1null", repaired))
    return None


def _decode_any(data: bytes) -> Any:
    """Decode one object with all its members; {} if it is invalid."""
    for attempt in (data, _NOT_JSON.sub(rb"\1null", _CONTROL.sub(b" ", data))):
        with suppress(ValueError, RecursionError):
            return json.loads(attempt.decode("utf-8", "replace"), strict=False)
    return {}


def _next_event(data: bytes) -> int:
    """Return the offset of the second object that may be an event, to go on behind one that does not end."""
    first = data.find(b'"ph"')
    second = data.find(b'"ph"', first + 4) if first >= 0 else -1
    begin = data.rfind(b"{", first, second) if second >= 0 else -1
    return begin if begin > 0 else len(data)
