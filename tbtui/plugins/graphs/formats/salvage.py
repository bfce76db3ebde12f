"""What is wrong with a graph that cannot be shown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from tbtui.events.schema import PARSE_ERRORS, message

if TYPE_CHECKING:
    from collections.abc import Iterator


class GraphError(ValueError):
    """What stands here cannot be shown as a graph; the message is one plain sentence."""

    def __init__(self, reason: str, *, may_pass: bool = False) -> None:
        super().__init__(reason)
        self.may_pass = may_pass
        """Nothing is known to be wrong with it: perhaps it can be read later."""


# What can be read of graphs and run metadata that are damaged or end too early: all that is whole in them.
#
# What holds many of a kind is taken apart: a graph into its nodes, a device into what it executed. Of these each is
# read
# as a whole or left out and counted.


_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""Wire types."""


_LONGEST_VARINT = 10


_TAKEN_APART = frozenset(
    {"GraphDef", "FunctionDefLibrary", "FunctionDef", "FunctionGraphs", "StepStats", "DeviceStepStats"}
)
"""Messages of which a part is better than nothing."""


_NEEDED = {"FunctionDef": "signature"}
"""Of such a message the field without which the others are nothing."""


_COUNTED = {"NodeDef": "node", "FunctionDef": "function", "NodeExecStats": "execution"}
"""Messages that are counted when they are lost; of all else the bytes are."""


_AMID, _AT_END = "amid", "at end"
"""In place of a message, lost bytes: those that more stands behind, and those that nothing does."""


_CUT = "cut"
"""Likewise, that there should be more than there is."""


class Salvage:
    """Reads messages, and counts what those have lost that are damaged.

    Args:
        what: They are, in words.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self._lost = Counter[str]()

    def read(self, name: str, data: bytes, by: str = "") -> Any:
        """A message, or what is left of it.

        Args:
            name: Of its class.
            data: Its bytes.
            by: Name of the class by which it is taken apart if it is damaged: one that has as messages what the other
                has as bytes. Empty: the same.
        """
        whole = _read(message(name), data)
        if whole is not None:
            return whole
        left, lost = _left(by or name, data)
        self._lost.update(lost)
        return message(name).FromString(left.SerializeToString()) if by else left

    @property
    def notes(self) -> tuple[str, ...]:
        """What was lost in all, in plain words; nothing when nothing was."""
        told = [_left_out(self._lost[kind], noun) for kind, noun in _COUNTED.items()]
        told.append(_unread(self._lost[_AMID], f"in the {self.what}"))
        told.append(_unread(self._lost[_AT_END], f"at the end of the {self.what}"))
        if self._lost[_CUT] and not self._lost[_AT_END]:
            told.append(f"the end of the {self.what} is missing")
        return tuple(filter(None, told))


class _Field(NamedTuple):
    """One field of a message as it stands in bytes."""

    number: int
    wire: int
    at: int
    """Where it begins."""

    held: int
    """Where what it holds begins, behind its key and length."""

    end: int
    """Where it ends, or would if the bytes did not end before."""


def _left(name: str, data: bytes) -> tuple[Any, Counter[str]]:
    """A message without what cannot be read of it, and how much of what that was."""
    cls, lost = message(name), Counter[str]()
    fields = list(_fields(data))
    begun = fields.pop() if fields and fields[-1].end > len(data) else None
    end = fields[-1].end if fields else 0
    left = _read(cls, data[:end])
    if left is None:
        left = cls()
        for field in fields:
            lost.update(_take(left, field, data))
    if begun is None or not _add(left, begun, data, lost):
        lost[_AT_END] += len(data) - end
    lost[_CUT] += begun is not None
    return left, lost


def _take(left: Any, field: _Field, data: bytes) -> Counter[str]:
    """Add a whole field to a message, or what can be read of it; what is lost."""
    piece = _read(type(left), data[field.at : field.end])
    if piece is not None:
        left.MergeFrom(piece)
        return Counter()
    lost = Counter[str]()
    if _add(left, field, data, lost):
        lost[_AMID] += lost.pop(_AT_END, 0)
        del lost[_CUT]
        return lost
    kind = _kind(left, field)
    return Counter({kind: 1} if kind in _COUNTED else {_AMID: field.end - field.at})


def _add(left: Any, field: _Field, data: bytes, lost: Counter[str]) -> bool:
    """Add the readable part of what a field holds to a message; False where there is none to add."""
    kind = _kind(left, field)
    if kind not in _TAKEN_APART:
        return False
    part, lost_in_it = _left(kind, data[field.held : field.end])
    if not part.ListFields() or (kind in _NEEDED and not part.HasField(_NEEDED[kind])):
        return False
    held = getattr(left, left.DESCRIPTOR.fields_by_number[field.number].name)
    (held.append if hasattr(held, "append") else held.MergeFrom)(part)
    lost.update(lost_in_it)
    return True


def _kind(of: Any, field: _Field) -> str:
    """The message that a field of another one holds; empty where it holds none."""
    known = of.DESCRIPTOR.fields_by_number.get(field.number)
    kind = None if known is None or field.wire != _BYTES else known.message_type
    return "" if kind is None else str(kind.name)


def _read(cls: type[Any], data: bytes) -> Any:
    try:
        return cls.FromString(data)
    except PARSE_ERRORS:
        return None


def _fields(data: bytes) -> Iterator[_Field]:
    """The fields of a message, the last of which may be longer than the bytes are, up to one that is none."""
    at = 0
    while at < len(data):
        key, held = _varint(data, at)
        wire = key & 7
        if key < 1 << 3:
            return
        if wire == _VARINT:
            number, end = _varint(data, held)
            if number < 0:
                return
        elif wire == _BYTES:
            length, held = _varint(data, held)
            if length < 0:
                return
            end = held + length
        elif wire in {_FIXED64, _FIXED32}:
            end = held + (8 if wire == _FIXED64 else 4)
        else:
            return
        yield _Field(key >> 3, wire, at, held, end)
        at = end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The varint at `at` and where it ends; -1 when it does not."""
    number = 0
    for place, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, at + place + 1
    return -1, at


def _left_out(count: int, noun: str) -> str:
    if not count:
        return ""
    what, is_left = (noun, "is left out") if count == 1 else (f"{noun}s", "are left out")
    return f"{count:,} {what} that cannot be read {is_left}"


def _unread(count: int, where: str) -> str:
    return f"{count:,} byte{'' if count == 1 else 's'} {where} cannot be read" if count else ""
