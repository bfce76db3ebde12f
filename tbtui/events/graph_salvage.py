"""What can be read of a graph whose bytes are damaged or end too early: all nodes and functions that are whole."""

from __future__ import annotations

from typing import Any

from tbtui.events.messages import PARSE_ERRORS, message

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""Wire types."""

_LONGEST_VARINT = 10


class Salvage:
    """Reads damaged graphs, and counts what they have lost."""

    def __init__(self) -> None:
        self._nodes = self._functions = self._bytes = 0

    def graph(self, data: bytes) -> Any:
        """The `GraphDef` that is left of a damaged one."""
        end = whole_fields(data)
        self._bytes += len(data) - end
        graph = message("GraphDef")()
        try:
            parts = message("GraphParts").FromString(data[:end])
        except PARSE_ERRORS:
            self._bytes += end
            return graph
        self._nodes += _add(graph.node, parts.node, message("NodeDef"))
        self._functions += _add(graph.library.function, parts.library.function, message("FunctionDef"))
        return graph

    def notes(self) -> tuple[str, ...]:
        """What was lost in all, in plain words; nothing when nothing was."""
        lost = (
            (self._nodes, "nodes that cannot be read are left out"),
            (self._functions, "functions that cannot be read are left out"),
            (self._bytes, "bytes at the end of the graph cannot be read"),
        )
        return tuple(f"{count:,} {what}" for count, what in lost if count)


def whole_fields(data: bytes) -> int:
    """Where the last field ends that a serialized message has as a whole."""
    at = 0
    while at < len(data):
        end = _field_end(data, at)
        if end is None or end > len(data):
            return at
        at = end
    return at


def _field_end(data: bytes, at: int) -> int | None:
    """Where the field at `at` ends or would end; None when there is none."""
    key, at = _varint(data, at)
    if key < 1 << 3:
        return None
    wire = key & 7
    if wire == _VARINT:
        number, at = _varint(data, at)
        return None if number < 0 else at
    if wire == _BYTES:
        length, at = _varint(data, at)
        return None if length < 0 else at + length
    return {_FIXED64: at + 8, _FIXED32: at + 4}.get(wire)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The varint at `at` and where it ends; -1 when it does not."""
    number = 0
    for place, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, at + place + 1
    return -1, at


def _add(field: Any, parts: Any, cls: Any) -> int:
    """Add to a repeated field those messages that can be read, and count the others."""
    lost = 0
    for part in parts:
        whole = _read(cls, part)
        if whole is None:
            lost += 1
        else:
            field.append(whole)
    return lost


def _read(cls: type[Any], part: bytes) -> Any:
    try:
        return cls.FromString(part)
    except PARSE_ERRORS:
        return None
