"""Protobuf classes for the messages of event files, built when they are first asked for.

They live in a descriptor pool of their own, so they meet neither TensorFlow's nor any other library's classes, and they
are built from a table at run time, so they fit every protobuf from 4.25 on. The table is built as proto2, which means
the same bytes as TensorBoard's proto3 but does not refuse a whole message over one text that is not UTF-8: such a text
is read as `bytes`. Pass texts through `text`.
"""

from __future__ import annotations

import re
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError

from tbtui.events import schema

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message import Message

PARSE_ERRORS = (DecodeError, ValueError, RecursionError, MemoryError)
"""What `FromString` may raise on bytes that are no such message, by protobuf's version and implementation."""

PACKAGE = "tbtui"
FILES = {
    "tensors": (schema.TENSORS, ()),
    "events": (schema.EVENTS, ("tensors",)),
    "graphs": (schema.GRAPHS, ("tensors",)),
    "run_metadata": (schema.RUN_METADATA, ("tensors", "graphs")),
    "graph_parts": (schema.GRAPH_PARTS, ()),
    "plugins": (schema.PLUGINS, ()),
    "hparams": (schema.HPARAMS, ()),
    "custom_scalars": (schema.CUSTOM_SCALARS, ()),
    "projector": (schema.PROJECTOR, ()),
    "profiler": (schema.PROFILER, ()),
}
"""Groups of messages that are built together, and the groups whose messages they hold."""

_FIELD = re.compile(r"(?P<name>\w+) = (?P<number>\d+) (?P<type>\*?\w+|map<\w+, \w+>)(?: \((?P<oneof>\w+)\))?$")
_NUMBERS_AND_TEXTS = frozenset({"double", "float", "int64", "uint64", "int32", "bool", "string", "bytes", "uint32"})
_BUILDING = Lock()
"""Held while building: a cache lets two threads compute the same at once, and each of two pools would lack messages."""


def text(value: str | bytes) -> str:
    """A text field as `str`; bytes that are not UTF-8 become U+FFFD."""
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


@cache
def message(name: str) -> type[Any]:
    """The class of the message called `name` in the schema, such as `Event` or `GraphDef`.

    Raises:
        KeyError: The schema has no such message.
    """
    # Takes a while, and who finds all that was read in the index on disk needs no message.
    from google.protobuf import message_factory

    with _BUILDING:
        _add_file(_file_of()[name])
        cls: type[Message] = message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"{PACKAGE}.{name}"))
    return cls


@cache
def _pool() -> DescriptorPool:
    from google.protobuf.descriptor_pool import DescriptorPool

    return DescriptorPool()


@cache
def _file_of() -> dict[str, str]:
    """Which group each message belongs to."""
    return {name: file for file, (table, _) in FILES.items() for name in re.findall(r"^(\w+):", table, re.MULTILINE)}


@cache
def _add_file(file: str) -> None:
    """Put a group's messages and all that they hold into the pool."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    table, dependencies = FILES[file]
    for dependency in dependencies:
        _add_file(dependency)
    descriptor = FileDescriptorProto(
        name=f"{PACKAGE}/{file}", package=PACKAGE, syntax="proto2", dependency=[f"{PACKAGE}/{d}" for d in dependencies]
    )
    for line in table.replace("\n    ", " ").strip().splitlines():
        name, _, fields = line.partition(": ")
        _describe(descriptor.message_type.add(name=name), fields.split("; "))
    _pool().Add(descriptor)


def _describe(descriptor: DescriptorProto, fields: list[str]) -> None:
    oneofs: dict[str, int] = {}
    for line in fields:
        match = _FIELD.match(line)
        if match is None:
            raise ValueError(f"schema: {descriptor.name}: {line!r}")
        field = descriptor.field.add(name=match["name"], number=int(match["number"]))
        kind = match["type"]
        field.label = field.LABEL_REPEATED if kind[0] == "*" or "<" in kind else field.LABEL_OPTIONAL
        _set_type(field, _map_entry(descriptor, match["name"], kind) if "<" in kind else kind.lstrip("*"))
        if kind[0] == "*" and field.type not in {field.TYPE_MESSAGE, field.TYPE_STRING, field.TYPE_BYTES}:
            field.options.packed = True
        if oneof := match["oneof"]:
            if oneof not in oneofs:
                oneofs[oneof] = len(oneofs)
                descriptor.oneof_decl.add(name=oneof)
            field.oneof_index = oneofs[oneof]


def _set_type(field: FieldDescriptorProto, kind: str) -> None:
    if kind in _NUMBERS_AND_TEXTS:
        field.type = getattr(field, f"TYPE_{kind.upper()}")
    else:
        field.type = field.TYPE_MESSAGE
        field.type_name = f".{PACKAGE}.{kind}"


def _map_entry(descriptor: DescriptorProto, name: str, kind: str) -> str:
    """Add the message that a map's entries are, `{key = 1, value = 2}`, and return its name within the package."""
    entry = descriptor.nested_type.add(name="".join(part.title() for part in name.split("_")) + "Entry")
    entry.options.map_entry = True
    for number, part in enumerate(kind[len("map<") : -1].split(", "), 1):
        field = entry.field.add(name=("key", "value")[number - 1], number=number)
        field.label = field.LABEL_OPTIONAL
        _set_type(field, part)
    return f"{descriptor.name}.{entry.name}"
