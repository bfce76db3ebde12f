"""Decode the events of traces in JSON, also those that are not valid JSON, and classify them.

Format: "Trace Event Format" of the Chromium project; `output_json.cpp` of Kineto.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.plugins.profile.formats.trace_bytes import find_events
from tbtui.plugins.profile.trace import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.profile.formats.trace_bytes import EventBlock

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

SHAPES = "Input Dims"
"""Argument with the shapes of the inputs of an operator: a list of dimensions for each."""

_TEXTS = ("name", "labels", "sort_index", "step_num")
"""Arguments that few events have."""


class _Decoders(NamedTuple):
    """Decoders of events; `msgspec` is imported with the first trace."""

    block: Any
    """Decodes a list of events whose members have their usual types."""

    event: Any
    """Decodes one event whatever the types of its members: ids may be texts, and numbers have more than 64 bits."""

    shapes: Any
    """Decodes a list of events to the shapes of their inputs, as bytes of JSON."""

    no_arguments: Any
    """The arguments of an event that has none."""


@cache
def _load_decoders() -> _Decoders:
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
    inputs = msgspec.defstruct(
        "Inputs", [("shapes", msgspec.Raw, msgspec.field(default=msgspec.Raw(), name=SHAPES))], frozen=True
    )
    shaped = msgspec.defstruct("ShapedEvent", [("args", inputs, msgspec.field(default=inputs()))])
    decoder = msgspec.json.Decoder
    return _Decoders(decoder(list[typed]), decoder(loose), decoder(list[shaped]), no_arguments)  # type: ignore[valid-type]


def decode_block(block: EventBlock) -> Sequence[Any]:
    """Decode the events of a block.

    Raises:
        ValueError: Their members have unusual types, or some are not valid JSON.
    """
    return _decode_list(_load_decoders().block, block)


def _decode_list(decoder: Any, block: EventBlock) -> Sequence[Any]:
    from msgspec import MsgspecError  # no ValueError in older versions

    try:
        events: Sequence[Any] = decoder.decode(block.array)
    except (RecursionError, MsgspecError) as error:
        raise ValueError(str(error)) from error
    if len(events) != len(block.begins):
        raise ValueError("objects of another kind are among the events")
    return events


class DecodedEvents(NamedTuple):
    """Valid events of a block."""

    events: Sequence[Any]
    begins: npt.NDArray[np.int64]
    lost: int
    """Number of events that are not valid."""


def decode_events(block: EventBlock) -> DecodedEvents:
    """Decode the events of a block one by one."""
    base, part = int(block.begins[0]), block.data[int(block.begins[0]) : int(block.ends[-1])]
    begins, ends = (offsets + base for offsets in find_events(np.frombuffer(part, np.uint8)))
    decoder, no_arguments = _load_decoders().event, _load_decoders().no_arguments
    events, valid_begins = [], []
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        event = _decode_event(decoder, block.data[begin:end])
        if event is not None:
            events.append(_clean(event, no_arguments))
            valid_begins.append(begin)
    return DecodedEvents(events, np.array(valid_begins, np.int64), len(begins) - len(valid_begins))


def find_shapes(block: EventBlock, numbers: dict[bytes, int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the locators of the events of a block, and the numbers of their shapes.

    Args:
        block: The events.
        numbers: Numbers by the shapes as bytes of JSON; new ones are added.
    """
    begins = block.begins
    try:
        texts = [bytes(event.args.shapes) for event in _decode_list(_load_decoders().shapes, block)]
    except ValueError:
        begins, ends = find_events(np.frombuffer(block.data, np.uint8))
        events = (decode_any(block.data[a:b]) for a, b in zip(begins.tolist(), ends.tolist(), strict=True))
        texts = [_serialize_shapes(event) for event in events]
    for shapes in set(texts) - numbers.keys():
        numbers[shapes] = len(numbers)
    return begins + block.offset, np.fromiter(map(numbers.__getitem__, texts), np.int32, len(texts))


def _serialize_shapes(event: Any) -> bytes:
    arguments = event.get("args") if isinstance(event, dict) else None
    shapes = arguments.get(SHAPES) if isinstance(arguments, dict) else None
    return b"" if shapes is None else json.dumps(shapes).encode()


def shape_text(shapes: bytes) -> str:
    """Return the shapes of the inputs of an operator, such as `[64,256] [256]`; empty if none has dimensions."""
    parsed: Any = None
    with suppress(ValueError, RecursionError):
        parsed = json.loads(shapes)
    return format_shapes(parsed)


def format_shapes(shapes: Any) -> str:
    """Return `format_shape` of a decoded value of any kind."""
    if not isinstance(shapes, list):
        return ""
    return " ".join(str(shape).replace(" ", "") for shape in shapes if shape)


def find_kind(category: str, name: str) -> Kind:
    """Return the kind of a complete event."""
    kind = _KINDS.get(category.lower(), Kind.OTHER)
    if kind in {Kind.OPERATOR, Kind.ANNOTATION, Kind.OTHER}:
        if _INPUT.search(name):
            return Kind.INPUT
        if _COLLECTIVE.search(name):
            return Kind.COLLECTIVE
    return kind


def step_number(name: str, number: Any) -> int | None:
    """Return the number of the step that an annotation marks; None if it marks none."""
    match = _STEP.match(name)
    if match is not None:
        return int(match[1])
    return number if isinstance(number, int) else None


def _clean(event: Any, no_arguments: Any) -> Any:
    """Replace members of unusual types, so that the event has a row."""
    event.ts = _parse_float(event.ts, math.nan)
    event.dur = _parse_float(event.dur, 0.0)
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


def _parse_float(value: Any, default: float) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return default


_CONTROL = re.compile(rb"[\x00-\x1f]")
_LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
"""Half of a character: `json` of Python writes it for a name that is not valid UTF-8, other decoders refuse it."""

_INVALID_WORD = re.compile(rb"(?<=[:\[,])(\s*)(?:-?nan|-?inf(?:inity)?|n/a|none|undefined)(?=\s*[,}\]])", re.IGNORECASE)


def _decode_event(decoder: Any, data: bytes) -> Any:
    """Decode one event; if it is invalid, without control characters and words that JSON lacks; None if it is lost."""
    from msgspec import MsgspecError

    for attempt in (data, _INVALID_WORD.sub(rb"\1null", _CONTROL.sub(b" ", data))):
        with suppress(ValueError, RecursionError, MsgspecError):
            return decoder.decode(attempt)
    with suppress(ValueError, RecursionError, MsgspecError):
        repaired = _LONE_SURROGATE.sub(rb"\\ufffd", _CONTROL.sub(b" ", data)).decode("utf-8", "replace").encode()
        return decoder.decode(_INVALID_WORD.sub(rb"\1null", repaired))
    return None


def decode_any(data: bytes) -> Any:
    """Decode one object with all its members; {} if it is invalid."""
    for attempt in (data, _INVALID_WORD.sub(rb"\1null", _CONTROL.sub(b" ", data))):
        with suppress(ValueError, RecursionError):
            return json.loads(attempt.decode("utf-8", "replace"), strict=False)
    return {}
