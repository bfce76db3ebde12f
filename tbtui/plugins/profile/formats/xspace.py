"""Profiles of TensorFlow, JAX and XLA: an `XSpace`, read one line at a time to columns.

Format: OpenXLA `xplane.proto`. A file of 143 MB takes 730 MB as one message, and its longest line a small part of that.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.events.event_prefix import read_varint
from tbtui.events.schema import PARSE_ERRORS, decode_text, get_message_class
from tbtui.plugins.profile.formats.columns import Block, MemoryBlock, TraceColumns, TraceFormatError
from tbtui.plugins.profile.trace import XLA, Kind, Track
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.plugins.profile.trace import Trace
    from tbtui.tfrecord.file import OpenFile

MAX_LINE_BYTES = 1 << 30
_HEAD_BYTES = 20
"""Bytes that hold a key and a length."""

_PLANES, _ERRORS, _WARNINGS, _HOSTNAMES = 1, 2, 3, 4
_PLANE_NAME, _LINES, _EVENT_METADATA, _STAT_METADATA, _PLANE_STATS = 2, 3, 4, 5, 6

_OPERATOR = re.compile(r"[A-Za-z0-9.][\w.\\/>-]*:[A-Z_]\w*$")
"""`name:Type` of TensorFlow, as `ParseTfOpFullname` of XLA takes it."""

_INPUT = re.compile(r"IteratorGetNext|^Iterator::|^DatasetV?2?\b|PjRtClient::BufferFromHost|TransferToDevice")
_DEVICE_PLANE = re.compile(r"^/device:(?!CPU)(?!CUSTOM)")
_HOST = "/host:CPU"
_MERGED_PLANES = frozenset({"/host:CUPTI", "/host:ROCTRACER", "/host:python-tracer"})
"""Planes whose lines are threads of the host, with the same numbers.

xprof merges them, too: calls of the driver are there.
"""

_DERIVED_LINE = re.compile(
    r"^(?:Steps|XLA Modules|Framework Name Scope|Framework Ops|Source|Launch Stats|TensorFlow .*)$"
)
_COPY = re.compile(r"^(?:Memcpy|MEMCPY|MemcpyH2D|MemcpyD2H|CopyStart|copy-start)", re.IGNORECASE)
_SET = re.compile(r"^Memset", re.IGNORECASE)
_OCCUPANCY = re.compile(r"\bocc_pct:(\d+(?:\.\d+)?)")
_GRID = re.compile(r"\bgrid:(\d+(?:,\d+)*)")
_MEMORY_SIGNS = {"MemoryAllocation": 1.0, "MemoryDeallocation": -1.0}
"""Signs of the bytes of memory events, by their name."""

_MAX_PROBES = 3
"""Events of one name whose stats are read before the name counts as one without a number of a step or launch."""


class _Span(NamedTuple):
    """The content of a field in the file."""

    begin: int
    end: int


class XSpaceReader:
    """Reads an XSpace once, and then single events.

    Args:
        path: The file.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._columns = TraceColumns()
        self._lines: list[tuple[_Span, int]] = []
        """Content of each line, and the number of its plane."""

        self._names: list[dict[int, Any]] = []
        self._stats: list[dict[int, str]] = []
        self._cores = 0
        """Multiprocessors of the device of the plane that is read; 0: not known."""

        self._line: tuple[int, Any] = (-1, None)
        """Number and content of the line that was read last for arguments."""

    def read(self) -> Iterator[Trace | None]:
        """Yield None after each plane, and at last the trace.

        Raises:
            OSError: The file cannot be read.
            TraceFormatError: It is not an XSpace.
        """
        columns = self._columns
        with open_file(self._path) as file:
            for number, content in _iter_fields(file, _Span(0, file.size), columns.problems):
                if number == _PLANES:
                    self._read_plane(file, content)
                    yield None
                elif number in {_ERRORS, _WARNINGS}:
                    columns.problems.append(
                        f"the profiler reports: {_encode_field(file, content).decode('utf-8', 'replace')}"
                    )
                elif number != _HOSTNAMES:
                    raise TraceFormatError("is no profile of TensorFlow or JAX (XSpace)")
        if not self._lines and not self._names:
            raise TraceFormatError("holds no events")
        columns.writer = XLA
        yield columns.trace()

    def arguments(self, locator: int) -> dict[str, Any]:
        """Return the stats of an event, read from the file again; empty if that is not possible."""
        line, row = divmod(locator, 1 << 32)
        with suppress(OSError, *PARSE_ERRORS):
            if self._line[0] != line:
                with open_file(self._path) as file:
                    span, _ = self._lines[line]
                    self._line = line, get_message_class("XLine").FromString(_encode_field(file, span))
            plane = self._lines[line][1]
            event = self._line[1].events[row]
            metadata = self._names[plane].get(event.metadata_id)
            stats = [*(metadata.stats if metadata is not None else ()), *event.stats]
            return dict(self._read_stat(plane, stat) for stat in stats)
        return {}

    def _read_stat(self, plane: int, stat: Any) -> tuple[str, Any]:
        field = stat.WhichOneof("value")
        value = getattr(stat, field) if field else None
        if field == "ref_value":
            value = self._stats[plane].get(int(value or 0), "")
        elif isinstance(value, bytes):
            value = f"{len(value)} bytes" if field == "bytes_value" else decode_text(value)
        return self._stats[plane].get(stat.metadata_id, "?"), value

    def _read_plane(self, file: OpenFile, plane: _Span) -> None:
        lines, names, stats = [], {}, {}
        plane_name, plane_stats = "", []
        for number, content in _iter_fields(file, plane, self._columns.problems):
            if number == _LINES:
                lines.append(content)
            elif number == _PLANE_NAME:
                plane_name = _encode_field(file, content).decode("utf-8", "replace")
            elif number in {_EVENT_METADATA, _STAT_METADATA, _PLANE_STATS}:
                with suppress(*PARSE_ERRORS):
                    data = _encode_field(file, content)
                    if number == _PLANE_STATS:
                        plane_stats.append(get_message_class("XStat").FromString(data))
                        continue
                    # An entry of a map has the fields of a message: key = 1, value = 2.
                    wrapped = bytes((number << 3 | 2,)) + _encode_varint(len(data)) + data
                    parsed = get_message_class("XPlane").FromString(wrapped)
                    names.update(parsed.event_metadata.items())
                    stats.update({key: decode_text(value.name) for key, value in parsed.stat_metadata.items()})
        index = len(self._names)
        self._names.append(names)
        self._stats.append(stats)
        if plane_name == "Task Environment":
            self._columns.head = {**self._columns.head, **dict(self._read_stat(index, stat) for stat in plane_stats)}
        properties = dict(self._read_stat(index, stat) for stat in plane_stats)
        cores = properties.get("core_count")
        self._cores = cores if isinstance(cores, int) and cores > 0 else 0
        for content in lines:
            self._read_line(file, content, index, plane_name)

    def _read_line(self, file: OpenFile, content: _Span, plane: int, plane_name: str) -> None:
        columns = self._columns
        if content.end - content.begin > MAX_LINE_BYTES:
            columns.problems.append(f"a line of {content.end - content.begin:,} bytes is left out: it is too long")
            return
        try:
            line = get_message_class("XLine").FromString(_encode_field(file, content))
        except PARSE_ERRORS:
            columns.problems.append(f"a line of {plane_name or 'a plane'} at byte {content.begin:,} cannot be read")
            return
        number = len(self._lines)
        self._lines.append((content, plane))
        title = decode_text(line.display_name) or decode_text(line.name)
        process = _HOST if plane_name in _MERGED_PLANES else plane_name
        track = columns.track_keys.number((process, str(line.id)))
        if track not in columns.tracks or process == plane_name:
            columns.tracks[track] = Track(process, str(line.id), title, process, (float(plane), float(number)))
        events = line.events
        count = len(events)
        columns.event_count += count
        if not count:
            return
        ids = np.fromiter((event.metadata_id for event in events), np.int64, count)
        offsets = np.fromiter((event.offset_ps for event in events), np.float64, count)
        durations = np.fromiter((event.duration_ps for event in events), np.float64, count)
        is_device = _DEVICE_PLANE.match(plane_name) is not None
        unique, inverse = np.unique(ids, return_inverse=True)
        memory: set[int] = set()
        kinds, names = np.zeros(len(unique), np.int8), np.zeros(len(unique), np.int32)
        for index, identity in enumerate(unique.tolist()):
            metadata = self._names[plane].get(identity)
            raw = "" if metadata is None else decode_text(metadata.name)
            # The display name of an operator is its type alone.
            is_named = _OPERATOR.match(raw) or raw.startswith("Iterator::")
            shown = raw if metadata is None or is_named else decode_text(metadata.display_name) or raw
            names[index] = columns.names.number(shown or f"event {identity}")
            kinds[index] = _choose_kind(raw, title, plane_name)
            if raw in _MEMORY_SIGNS:
                memory.add(index)
        locators = (np.int64(number) << np.int64(32)) + np.arange(count, dtype=np.int64)
        kinds_of_events = kinds[inverse]
        correlations = self._read_stats(plane, events, inverse, kinds_of_events, locators, is_device=is_device)
        none = np.full(count, -1, np.int64)
        occupancies, blocks = self._read_kernels(plane, events, kinds_of_events)
        starts = line.timestamp_ns / 1e3 + offsets / 1e6
        if memory:
            rows = np.flatnonzero(np.isin(inverse, sorted(memory)))
            self._read_memory(plane, [events[row] for row in rows.tolist()], starts[rows], track)
        block = Block(
            starts,
            durations / 1e6,
            names[inverse],
            kinds_of_events,
            np.full(count, track, np.int32),
            locators,
            correlations,
            none,
            occupancies,
            blocks,
        )
        columns.append(block)

    def _read_memory(self, plane: int, events: Sequence[Any], times: npt.NDArray[np.float64], track: int) -> None:
        """Add allocations and deallocations, which TensorFlow writes as events of the host."""
        sizes, totals, reserved = (np.full(len(events), np.nan) for _ in range(3))
        addresses, devices = np.zeros(len(events), np.uint64), np.zeros(len(events), np.int16)
        for index, event in enumerate(events):
            stats = dict(self._read_stat(plane, stat) for stat in event.stats)
            metadata = self._names[plane].get(event.metadata_id)
            sign = _MEMORY_SIGNS["" if metadata is None else decode_text(metadata.name)]
            for column, name in (
                (sizes, "allocation_bytes"),
                (totals, "bytes_allocated"),
                (reserved, "bytes_reserved"),
            ):
                if isinstance(value := stats.get(name), int):
                    column[index] = value
            sizes[index] *= sign
            if isinstance(address := stats.get("addr"), int):
                addresses[index] = address & (1 << 64) - 1
            allocator = str(stats.get("allocator_name", stats.get("id", "memory")))
            devices[index] = self._columns.memory_devices.number(allocator)
        tracks = np.full(len(events), track, np.int32)
        self._columns.append_memory(MemoryBlock(times, sizes, addresses, totals, reserved, devices, tracks))

    def _read_kernels(
        self, plane: int, events: Sequence[Any], kinds: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return occupancy in percent and blocks for each multiprocessor of the kernels among events; NaN without."""
        occupancies, blocks = (np.full(len(events), np.nan, np.float32) for _ in range(2))
        identity = next((key for key, name in self._stats[plane].items() if name == "kernel_details"), None)
        if identity is None:
            return occupancies, blocks
        parsed: dict[str, tuple[float, float]] = {}
        for row in np.flatnonzero(kinds == Kind.KERNEL).tolist():
            metadata = self._names[plane].get(events[row].metadata_id)
            for stat in (*events[row].stats, *(metadata.stats if metadata is not None else ())):
                if stat.metadata_id == identity:
                    details = str(self._read_stat(plane, stat)[1])
                    if details not in parsed:
                        parsed[details] = _parse_kernel_details(details, self._cores)
                    occupancies[row], blocks[row] = parsed[details]
                    break
        return occupancies, blocks

    def _read_stats(self, plane: int, events: Any, inverse: Any, kinds: Any, locators: Any, *, is_device: bool) -> Any:
        """Return correlations of the events of a line, and add its steps.

        Sets the kinds of steps, calls of the runtime and operators of XLA in `kinds`.
        """
        stats = {name: identity for identity, name in self._stats[plane].items()}
        names = {
            identity: name
            for name in ("step_num", "correlation_id", "hlo_op")
            if (identity := stats.get(name)) is not None
        }
        correlations = np.full(len(events), -1, np.int64)
        if not names:
            return correlations
        misses = np.zeros(int(inverse.max(initial=-1)) + 1, np.int64)
        for row, event_name in enumerate(inverse.tolist()):
            if misses[event_name] >= _MAX_PROBES:
                continue
            is_useful = False
            for stat in events[row].stats:
                stat_name = names.get(stat.metadata_id)
                if stat_name is None:
                    continue
                is_useful = True
                if stat_name == "step_num":
                    value = self._read_stat(plane, stat)[1]
                    if isinstance(value, int):
                        self._columns.steps[int(locators[row])] = value
                        kinds[row] = Kind.ANNOTATION
                elif stat_name == "correlation_id":
                    value = self._read_stat(plane, stat)[1]
                    correlations[row] = value if isinstance(value, int) and value < 1 << 63 else -1
                    if not is_device and kinds[row] == Kind.OTHER:
                        kinds[row] = Kind.RUNTIME
                elif stat_name == "hlo_op" and not is_device and kinds[row] == Kind.OTHER:
                    kinds[row] = Kind.OPERATOR
            misses[event_name] = 0 if is_useful else misses[event_name] + 1
        return correlations


def _parse_kernel_details(details: str, cores: int) -> tuple[float, float]:
    """Return occupancy and blocks for each multiprocessor by a text such as `regs:32 grid:864,1,1 occ_pct:63.0`."""
    occupancy, grid = _OCCUPANCY.search(details), _GRID.search(details)
    blocks = math.prod(map(int, grid[1].split(","))) / cores if grid is not None and cores else math.nan
    return (float(occupancy[1]) if occupancy is not None else math.nan), blocks


def _choose_kind(name: str, line: str, plane: str) -> Kind:
    if _DEVICE_PLANE.match(plane):
        # The work of a GPU is in its streams; a TPU has no streams.
        if _DERIVED_LINE.match(line) or (line == "XLA Ops" and plane.startswith("/device:GPU")):
            return Kind.DEVICE_ANNOTATION
        if _COPY.match(name):
            return Kind.COPY
        return Kind.SET if _SET.match(name) else Kind.KERNEL
    if name.startswith("$"):
        return Kind.PYTHON
    if _INPUT.search(name):
        return Kind.INPUT
    return Kind.OPERATOR if _OPERATOR.match(name) else Kind.OTHER


def _iter_fields(file: OpenFile, span: _Span, problems: list[str]) -> Iterator[tuple[int, _Span]]:
    """Yield number and content of the fields of a message; only lengths are read."""
    offset = span.begin
    while offset < span.end:
        head = file.read(offset, min(_HEAD_BYTES, span.end - offset)).tobytes()
        try:
            key, head_size = read_varint(head, 0)
            number, wire = key >> 3, key & 7
            if wire == 2:
                length, head_size = read_varint(head, head_size)
            elif wire == 0:
                _, head_size = read_varint(head, head_size)
                length = 0
            elif wire in {1, 5}:
                length = 8 if wire == 1 else 4
            else:
                raise ValueError("wire type")
            if not number:
                raise ValueError("field number")
        except (ValueError, IndexError):
            problems.append(f"the profile is damaged at byte {offset:,}: what follows is left out")
            return
        begin = offset + head_size
        if begin + length > span.end:
            problems.append(f"the profile is cut: {begin + length - span.end:,} bytes of its end are missing")
            length = span.end - begin
            if wire == 2:
                yield number, _Span(begin, begin + length)
            return
        if wire == 2:
            yield number, _Span(begin, begin + length)
        offset = begin + length


def _encode_field(file: OpenFile, span: _Span) -> bytes:
    return file.read(span.begin, min(span.end - span.begin, MAX_LINE_BYTES)).tobytes()


def _encode_varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
