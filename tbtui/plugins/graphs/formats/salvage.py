"""Read damaged or truncated protobuf messages as far as possible, and count the lost parts.

A message with many parts is read part by part: a graph by nodes, a device by executions. Each part is either read
completely, or skipped and counted.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from tbtui.charts.numbers import format_count
from tbtui.events.schema import PARSE_ERRORS, get_message_class

if TYPE_CHECKING:
    from collections.abc import Iterator


class GraphError(ValueError):
    """A value cannot be shown as a graph; the message is one sentence for the user."""

    def __init__(self, reason: str, *, is_retryable: bool = False) -> None:
        super().__init__(reason)
        self.is_retryable = is_retryable
        """True if the error may be temporary, so that reading again may succeed."""


_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""Wire types."""


_MAX_VARINT_BYTES = 10


_SPLIT_MESSAGES = frozenset(
    {"GraphDef", "FunctionDefLibrary", "FunctionDef", "FunctionGraphs", "StepStats", "DeviceStepStats"}
)
"""Messages whose parts are useful alone."""


_REQUIRED_FIELDS = {"FunctionDef": "signature"}
"""Required field of messages; without it a message is not used."""


_COUNTED = {"NodeDef": "node", "FunctionDef": "function", "NodeExecStats": "execution"}
"""Nouns of messages that are counted when lost; for all others the bytes are counted."""


_IN_MIDDLE, _AT_END = "in the middle", "at the end"
"""Keys for lost bytes: before readable data, and at the end."""


_CUT = "cut"
"""Key for a truncated end."""


class Salvage:
    """Reads messages, and counts the lost parts of damaged ones.

    Args:
        noun: Noun of the messages, for notes.
    """

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self._lost = Counter[str]()

    def read(self, name: str, data: bytes, lenient_name: str = "") -> Any:
        """Read a message, or its readable part.

        Args:
            name: Name of its class.
            data: Its bytes.
            lenient_name: Class for damaged messages, with message fields for the bytes fields of `name`; empty: `name`.
        """
        complete = _parse(get_message_class(name), data)
        if complete is not None:
            return complete
        readable, lost = _salvage_message(lenient_name or name, data)
        self._lost.update(lost)
        return get_message_class(name).FromString(readable.SerializeToString()) if lenient_name else readable

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about all lost parts; empty if there are none."""
        notes = [_describe_skipped(self._lost[kind], noun) for kind, noun in _COUNTED.items()]
        notes.append(_describe_unread(self._lost[_IN_MIDDLE], f"in the {self.noun}"))
        notes.append(_describe_unread(self._lost[_AT_END], f"at the end of the {self.noun}"))
        if self._lost[_CUT] and not self._lost[_AT_END]:
            notes.append(f"the end of the {self.noun} is missing")
        return tuple(filter(None, notes))


class _Field(NamedTuple):
    """One field in the bytes of a message."""

    number: int
    wire: int
    """Wire type."""

    start: int
    """Offset of the key."""

    content: int
    """Offset of the content, after key and length."""

    end: int
    """Offset of the end, which is above the number of bytes if they are truncated."""


def _salvage_message(name: str, data: bytes) -> tuple[Any, Counter[str]]:
    """Return the readable part of a message, and counts of the lost parts."""
    cls, lost = get_message_class(name), Counter[str]()
    fields = list(_iter_fields(data))
    truncated = fields.pop() if fields and fields[-1].end > len(data) else None
    end = fields[-1].end if fields else 0
    readable = _parse(cls, data[:end])
    if readable is None:
        readable = cls()
        for field in fields:
            lost.update(_add_field(readable, field, data))
    if truncated is None or not _add_part(readable, truncated, data, lost):
        lost[_AT_END] += len(data) - end
    lost[_CUT] += truncated is not None
    return readable, lost


def _add_field(readable: Any, field: _Field, data: bytes) -> Counter[str]:
    """Add a complete field, or its readable part, to a message; return counts of the lost parts."""
    parsed = _parse(type(readable), data[field.start : field.end])
    if parsed is not None:
        readable.MergeFrom(parsed)
        return Counter()
    lost = Counter[str]()
    if _add_part(readable, field, data, lost):
        lost[_IN_MIDDLE] += lost.pop(_AT_END, 0)
        del lost[_CUT]
        return lost
    kind = _read_message_name(readable, field)
    return Counter({kind: 1} if kind in _COUNTED else {_IN_MIDDLE: field.end - field.start})


def _add_part(readable: Any, field: _Field, data: bytes, lost: Counter[str]) -> bool:
    """Add the readable part of the content of a field to a message; return False if there is none."""
    kind = _read_message_name(readable, field)
    if kind not in _SPLIT_MESSAGES:
        return False
    part, lost_in_part = _salvage_message(kind, data[field.content : field.end])
    if not part.ListFields() or (kind in _REQUIRED_FIELDS and not part.HasField(_REQUIRED_FIELDS[kind])):
        return False
    value = getattr(readable, readable.DESCRIPTOR.fields_by_number[field.number].name)
    (value.append if hasattr(value, "append") else value.MergeFrom)(part)
    lost.update(lost_in_part)
    return True


def _read_message_name(parent: Any, field: _Field) -> str:
    """Return the class name of the message in a field; empty if the field holds no message."""
    descriptor = parent.DESCRIPTOR.fields_by_number.get(field.number)
    kind = None if descriptor is None or field.wire != _BYTES else descriptor.message_type
    return "" if kind is None else str(kind.name)


def _parse(cls: type[Any], data: bytes) -> Any:
    try:
        return cls.FromString(data)
    except PARSE_ERRORS:
        return None


def _iter_fields(data: bytes) -> Iterator[_Field]:
    """Yield the fields of a message up to the first invalid one; the last may be truncated."""
    offset = 0
    while offset < len(data):
        key, content = _read_varint(data, offset)
        wire = key & 7
        if key < 1 << 3:
            return
        if wire == _VARINT:
            number, end = _read_varint(data, content)
            if number < 0:
                return
        elif wire == _BYTES:
            length, content = _read_varint(data, content)
            if length < 0:
                return
            end = content + length
        elif wire in {_FIXED64, _FIXED32}:
            end = content + (8 if wire == _FIXED64 else 4)
        else:
            return
        yield _Field(key >> 3, wire, offset, content, end)
        offset = end


def _read_varint(data: bytes, offset: int) -> tuple[int, int]:
    """Return the varint at an offset and the offset of its end; -1 if it is invalid."""
    number = 0
    for index, byte in enumerate(data[offset : offset + _MAX_VARINT_BYTES]):
        number |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return number, offset + index + 1
    return -1, offset


def _describe_skipped(count: int, noun: str) -> str:
    if not count:
        return ""
    return f"{format_count(count, noun)} that cannot be read {'is' if count == 1 else 'are'} left out"


def _describe_unread(count: int, position: str) -> str:
    return f"{format_count(count, 'byte')} {position} cannot be read" if count else ""
