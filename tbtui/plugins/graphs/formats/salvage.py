"""Read damaged or truncated protobuf messages as far as possible, and count what is lost.

A message with many parts is read part by part: a graph by nodes, a device by executions. Each part is either read
whole, or skipped and counted.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from tbtui.events.schema import PARSE_ERRORS, message

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


_LONGEST_VARINT = 10


_SPLIT_MESSAGES = frozenset(
    {"GraphDef", "FunctionDefLibrary", "FunctionDef", "FunctionGraphs", "StepStats", "DeviceStepStats"}
)
"""Messages whose parts are useful alone."""


_REQUIRED_FIELDS = {"FunctionDef": "signature"}
"""Field without which a message is useless."""


_COUNTED = {"NodeDef": "node", "FunctionDef": "function", "NodeExecStats": "execution"}
"""Nouns of messages that are counted when lost; for all others the bytes are counted."""


_IN_MIDDLE, _AT_END = "amid", "at end"
"""Keys for lost bytes: before readable data, and at the end."""


_CUT = "cut"
"""Key for a truncated end."""


class Salvage:
    """Reads messages, and counts what is lost of damaged ones.

    Args:
        what: Noun of the messages, for notes.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self._lost = Counter[str]()

    def read(self, name: str, data: bytes, by: str = "") -> Any:
        """Read a message, or its readable part.

        Args:
            name: Name of its class.
            data: Its bytes.
            by: Class that reads a damaged message; it has messages where `name` has bytes fields. Empty: `name`.
        """
        whole = _read(message(name), data)
        if whole is not None:
            return whole
        left, lost = _salvage(by or name, data)
        self._lost.update(lost)
        return message(name).FromString(left.SerializeToString()) if by else left

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about everything that was lost; empty if nothing was."""
        notes = [_skipped_text(self._lost[kind], noun) for kind, noun in _COUNTED.items()]
        notes.append(_unread_text(self._lost[_IN_MIDDLE], f"in the {self.what}"))
        notes.append(_unread_text(self._lost[_AT_END], f"at the end of the {self.what}"))
        if self._lost[_CUT] and not self._lost[_AT_END]:
            notes.append(f"the end of the {self.what} is missing")
        return tuple(filter(None, notes))


class _Field(NamedTuple):
    """One field in the bytes of a message."""

    number: int
    wire: int
    at: int
    """Offset of its key."""

    content: int
    """Offset of its content, behind key and length."""

    end: int
    """Offset of its end; it may be beyond the end of truncated bytes."""


def _salvage(name: str, data: bytes) -> tuple[Any, Counter[str]]:
    """Return the readable part of a message, and counts of what is lost."""
    cls, lost = message(name), Counter[str]()
    fields = list(_fields(data))
    begun = fields.pop() if fields and fields[-1].end > len(data) else None
    end = fields[-1].end if fields else 0
    left = _read(cls, data[:end])
    if left is None:
        left = cls()
        for field in fields:
            lost.update(_add_field(left, field, data))
    if begun is None or not _add_part(left, begun, data, lost):
        lost[_AT_END] += len(data) - end
    lost[_CUT] += begun is not None
    return left, lost


def _add_field(left: Any, field: _Field, data: bytes) -> Counter[str]:
    """Add a whole field, or its readable part, to a message; return counts of what is lost."""
    piece = _read(type(left), data[field.at : field.end])
    if piece is not None:
        left.MergeFrom(piece)
        return Counter()
    lost = Counter[str]()
    if _add_part(left, field, data, lost):
        lost[_IN_MIDDLE] += lost.pop(_AT_END, 0)
        del lost[_CUT]
        return lost
    kind = _kind(left, field)
    return Counter({kind: 1} if kind in _COUNTED else {_IN_MIDDLE: field.end - field.at})


def _add_part(left: Any, field: _Field, data: bytes, lost: Counter[str]) -> bool:
    """Add the readable part of the content of a field to a message; return False if there is none."""
    kind = _kind(left, field)
    if kind not in _SPLIT_MESSAGES:
        return False
    part, lost_in_it = _salvage(kind, data[field.content : field.end])
    if not part.ListFields() or (kind in _REQUIRED_FIELDS and not part.HasField(_REQUIRED_FIELDS[kind])):
        return False
    value = getattr(left, left.DESCRIPTOR.fields_by_number[field.number].name)
    (value.append if hasattr(value, "append") else value.MergeFrom)(part)
    lost.update(lost_in_it)
    return True


def _kind(of: Any, field: _Field) -> str:
    """Return the name of the message in a field of another one; empty if it holds none."""
    known = of.DESCRIPTOR.fields_by_number.get(field.number)
    kind = None if known is None or field.wire != _BYTES else known.message_type
    return "" if kind is None else str(kind.name)


def _read(cls: type[Any], data: bytes) -> Any:
    try:
        return cls.FromString(data)
    except PARSE_ERRORS:
        return None


def _fields(data: bytes) -> Iterator[_Field]:
    """Yield the fields of a message up to the first invalid one; the last may be truncated."""
    at = 0
    while at < len(data):
        key, content = _varint(data, at)
        wire = key & 7
        if key < 1 << 3:
            return
        if wire == _VARINT:
            number, end = _varint(data, content)
            if number < 0:
                return
        elif wire == _BYTES:
            length, content = _varint(data, content)
            if length < 0:
                return
            end = content + length
        elif wire in {_FIXED64, _FIXED32}:
            end = content + (8 if wire == _FIXED64 else 4)
        else:
            return
        yield _Field(key >> 3, wire, at, content, end)
        at = end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the varint at an offset and the offset of its end; -1 if it is invalid."""
    number = 0
    for index, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return number, at + index + 1
    return -1, at


def _skipped_text(count: int, noun: str) -> str:
    if not count:
        return ""
    what, is_left = (noun, "is left out") if count == 1 else (f"{noun}s", "are left out")
    return f"{count:,} {what} that cannot be read {is_left}"


def _unread_text(count: int, where: str) -> str:
    return f"{count:,} byte{'' if count == 1 else 's'} {where} cannot be read" if count else ""
