"""Traces in the JSON format of Chrome, as PyTorch (Kineto), JAX and others write them: read in blocks to columns.

Format: "Trace Event Format" of the Chromium project; `output_json.cpp` of Kineto. A block is cut at whole events by
their braces. If one event is no valid JSON, only that event is lost.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.plugins.profile.formats.columns import Block, TraceColumns
from tbtui.plugins.profile.formats.trace_bytes import TraceBytes, event_spans
from tbtui.plugins.profile.trace import Kind, Track

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.plugins.profile.trace import Trace

MAX_EVENT_BYTES = 64 << 20
"""An event that is longer is damage: the reader looks for the next one."""

MAX_ARGUMENT_BYTES = 1 << 20
"""Bytes read to find the end of one event again."""

_X, _B, _E, _I, _COUNTER, _META, _START, _FINISH = (ord(phase) for phase in "XBEiCMsf")
_ASYNC_BEGIN, _ASYNC_END = frozenset(b"bS"), frozenset(b"eF")
_LAUNCH_FLOWS = frozenset({"ac2g", "async_cpu_to_gpu"})
"""Arrows from launches to kernels, which their correlation also matches; a third of all events of a device."""

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


@cache
def _decoders() -> tuple[Any, Any, Any]:
    """Return decoders of a list of events, of one event and of anything; msgspec is imported with the first trace."""
    import msgspec

    # Numbers in args may exceed 64 bits, and ids may be texts: a typed field would refuse the whole block.
    arguments = msgspec.defstruct(
        "Arguments",
        [
            ("external", Any, msgspec.field(name="External id", default=None)),
            ("correlation", Any, None),
            ("total", Any, msgspec.field(name="Total Allocated", default=None)),
            ("reserved", Any, msgspec.field(name="Total Reserved", default=None)),
            ("size", Any, msgspec.field(name="Bytes", default=None)),
            ("address", Any, msgspec.field(name="Addr", default=None)),
            ("device_type", Any, msgspec.field(name="Device Type", default=None)),
            ("device", Any, msgspec.field(name="Device Id", default=None)),
            ("occupancy", Any, msgspec.field(name="est. achieved occupancy %", default=None)),
            ("blocks", Any, msgspec.field(name="blocks per SM", default=None)),
            ("name", Any, None),
            ("labels", Any, None),
            ("sort_index", Any, None),
            ("step_num", Any, None),
        ],
        gc=False,
    )
    event = msgspec.defstruct(
        "Event",
        [
            ("ph", str, ""),
            ("name", Any, ""),
            ("cat", Any, ""),
            ("ts", Any, 0.0),
            ("dur", Any, 0.0),
            ("pid", Any, ""),
            ("tid", Any, ""),
            ("id", Any, None),
            ("args", arguments | None, None),
        ],
        gc=False,
    )
    return msgspec.json.Decoder(list[event]), msgspec.json.Decoder(event), msgspec.json.Decoder()  # type: ignore[valid-type]


class ChromeReader:
    """Reads a trace once, and single events of it again.

    Args:
        path: The file.
    """

    def __init__(self, path: str) -> None:
        self._bytes = TraceBytes(path)
        self._columns = TraceColumns()
        self._threads: dict[tuple[Any, Any], str] = {}
        self._processes: dict[Any, str] = {}
        self._labels: dict[Any, str] = {}
        self._sorts: dict[Any, float] = {}
        self._open: dict[int, list[tuple[float, int, int, int]]] = {}
        """Begun events of each track."""

        self._pending: dict[tuple[Any, Any, Any], tuple[float, int, int, int]] = {}
        """Begun asynchronous events."""

    def read(self) -> Iterator[Trace | None]:
        """Yield the trace of the first block, then of growing parts, at last of the whole file.

        None after other blocks lets the caller do something else.

        Raises:
            OSError: The file cannot be read.
            TraceFormatError: It is no trace.
        """
        due = 1
        for count, (offset, data, begins, ends) in enumerate(self._blocks()):
            if count == due:
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
            begins, ends = event_spans(np.frombuffer(data, np.uint8))
            if len(ends):
                yield offset, data, begins, ends
                cut = int(ends[-1])
                offset, data = offset + cut, data[cut:]
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

        decode_all, decode_one, _ = _decoders()
        try:
            events = decode_all.decode(b"[%b]" % data[int(begins[0]) : int(ends[-1])])
            if len(events) != len(begins):
                raise ValueError("objects of another kind are among the events")
        except (ValueError, RecursionError, MsgspecError):
            events, kept = [], []
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                event = _decode_event(decode_one, data[begin:end])
                if event is None:
                    self._columns.lost += 1
                else:
                    events.append(event)
                    kept.append(begin)
            begins = np.array(kept, np.int64)
        self._columns.event_count += len(events)
        places = begins + offset
        phases = np.fromiter((ord(event.ph[0]) if event.ph else 0 for event in events), np.int32, len(events))
        complete = np.flatnonzero(phases == _X)
        chosen = [events[row] for row in complete.tolist()] if len(complete) < len(events) else events
        try:
            block = self._block(chosen, places[complete])
        except (TypeError, ValueError, OverflowError):
            block = self._block(list(map(_clean, chosen)), places[complete])
        self._columns.append(block)
        for row in np.flatnonzero(phases != _X).tolist():
            event = events[row]
            try:
                if event.cat in _LAUNCH_FLOWS:
                    continue
                self._take_other(int(phases[row]), event, int(places[row]), data, int(begins[row]))
            except (TypeError, ValueError, OverflowError, LookupError, AttributeError):
                continue  # an event without a duration, of an unknown form

    def _block(self, events: Sequence[Any], places: npt.NDArray[np.int64]) -> Block:
        count = len(events)
        # A million events pass here: no call of a function for each that can be avoided.
        known, tracked = self._columns.names.numbers, self._columns.track_keys.numbers
        starts = np.fromiter((event.ts for event in events), np.float64, count)
        durations = np.fromiter((event.dur for event in events), np.float64, count)
        names = np.fromiter((known.setdefault(event.name, len(known)) for event in events), np.int32, count)
        tracks = np.fromiter(
            (tracked.setdefault((event.pid, event.tid), len(tracked)) for event in events), np.int32, count
        )
        kinds = np.fromiter(
            (
                kind if (kind := _KIND_CACHE.get((event.cat, event.name))) is not None else _kind(event.cat, event.name)
                for event in events
            ),
            np.int8,
            count,
        )
        details = [event.args for event in events]
        external = np.fromiter(
            (each.external if each is not None and type(each.external) is int else -1 for each in details),
            np.int64,
            count,
        )
        correlations = np.fromiter(
            (each.correlation if each is not None and type(each.correlation) is int else -1 for each in details),
            np.int64,
            count,
        )
        occupancies, blocks = np.full(count, np.nan, np.float32), np.full(count, np.nan, np.float32)
        for row in np.flatnonzero(kinds == Kind.KERNEL).tolist():
            each = details[row]
            if each is not None:
                occupancies[row], blocks[row] = _number(each.occupancy), _number(each.blocks)
        for row in np.flatnonzero(kinds == Kind.ANNOTATION).tolist():
            number = _step_number(events[row].name, details[row])
            if number is not None:
                self._columns.steps[int(places[row])] = number
        return Block(starts, durations, names, kinds, tracks, places, correlations, external, occupancies, blocks)

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
        elif phase in {_I, ord("I")}:
            if event.name == "[memory]" and event.args is not None:
                self._take_memory(event)
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
        begun = (float(event.ts), columns.names.number(event.name), _kind(event.cat, event.name), place)
        if phase == _B:
            self._open.setdefault(columns.track_keys.number((event.pid, event.tid)), []).append(begun)
        else:
            self._pending[key] = begun

    def _close(self, begun: tuple[float, int, int, int], track: int, end: float) -> None:
        start, name, kind, place = begun
        nan = np.full(1, np.nan, np.float32)
        none = np.full(1, -1, np.int64)
        self._columns.append(
            Block(
                np.array([start]),
                np.array([end - start]),
                np.array([name], np.int32),
                np.array([kind], np.int8),
                np.array([track], np.int32),
                np.array([place], np.int64),
                none,
                none,
                nan,
                nan,
            )
        )

    def _take_memory(self, event: Any) -> None:
        details = event.args
        device = "CPU" if details.device_type == 0 else f"GPU {details.device}"
        track = self._columns.track_keys.number((event.pid, event.tid))
        self._columns.memory.append(
            (
                float(event.ts),
                float(details.size),
                int(details.address or 0) & (1 << 64) - 1,
                _number(details.total),
                _number(details.reserved),
                device,
                track,
            )
        )

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


def _kind(category: Any, name: Any) -> int:
    known = _KIND_CACHE.get((category, name))
    if known is None:
        if len(_KIND_CACHE) > _MAX_KINDS:
            _KIND_CACHE.clear()
        known = _KIND_CACHE[category, name] = int(_find_kind(str(category), str(name)))
    return known


_KIND_CACHE: dict[tuple[Any, Any], int] = {}
_MAX_KINDS = 100_000


def _find_kind(category: str, name: str) -> Kind:
    kind = _KINDS.get(category.lower(), Kind.OTHER)
    if kind in {Kind.OPERATOR, Kind.ANNOTATION, Kind.OTHER}:
        if _INPUT.search(name):
            return Kind.INPUT
        if _COLLECTIVE.search(name):
            return Kind.COLLECTIVE
    return kind


def _step_number(name: Any, details: Any) -> int | None:
    if isinstance(name, str):
        match = _STEP.match(name)
        if match is not None:
            return int(match[1])
    number = None if details is None else details.step_num
    return number if isinstance(number, int) else None


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def _clean(event: Any) -> Any:
    """Replace values of wrong types, so that the event has a row."""
    event.ts = _time(event.ts, math.nan)
    event.dur = _time(event.dur, 0.0)
    event.name, event.cat = str(event.name), str(event.cat)
    if event.args is not None:
        for field in ("external", "correlation"):
            value = getattr(event.args, field)
            setattr(event.args, field, value if isinstance(value, int) and abs(value) < 1 << 62 else -1)
    event.pid, event.tid = (value if isinstance(value, int | str) else str(value) for value in (event.pid, event.tid))
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
