"""Attributes of a graph's nodes in words: one short line each, however much they hold.

Source: TensorFlow `attr_value.proto`, `types.proto`, `tensor_shape.proto`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from tbtui.events.dtypes import DOUBLE, FLOAT, HALF, REFERENCE, TYPE_NAMES
from tbtui.events.messages import message, text
from tbtui.events.tensors import MOST_DIMENSIONS, TensorError, to_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Shape = tuple[int, ...]

MOST_CHARACTERS = 240
"""Of the text of one attribute."""

MOST_ITEMS = 16
"""Of a list or a tensor that are spelled out."""

MOST_PARAMETERS = 1 << 44
"""Of one node: ten times as many as the largest models have in all. A shape is only a claim."""

_LARGEST_TENSOR = 1 << 16
"""Bytes, and elements, of a tensor whose values are looked at."""

_NAMES = TYPE_NAMES | {FLOAT: "float32", DOUBLE: "float64", HALF: "float16"}


class Attribute(NamedTuple):
    """One attribute of a node."""

    name: str
    text: str
    """Its value in one line; long ones are cut and say how long they are."""


def type_name(number: int) -> str:
    """What an element type is called, by its number in `types.proto`: `float32`, `int64_ref`."""
    name = _NAMES.get(number % REFERENCE if number > REFERENCE else number)
    if name is None:
        return f"type {number}"
    return f"{name}_ref" if number > REFERENCE else name


def shape_of(shape: Any) -> Shape | None:
    """A `TensorShapeProto` as lengths, -1 where one is not known; None when not even their number is."""
    if shape.unknown_rank or len(shape.dim) > MOST_DIMENSIONS:
        return None
    return tuple([max(int(dim.size), -1) for dim in shape.dim])


def numbers_in(shape: Shape | None) -> int:
    """How many numbers a tensor of a shape holds; 0 when that is not known or cannot be."""
    if shape is None or min(shape, default=0) < 0:
        return 0
    count = math.prod(shape)
    return count if count <= MOST_PARAMETERS else 0


def shape_text(shape: Shape | None) -> str:
    """A shape for people: `?×3`, `scalar`, `any shape`."""
    if shape is None:
        return "any shape"
    return "×".join("?" if size < 0 else str(size) for size in shape) or "scalar"


def attributes_of(node: Any, renamed: Callable[[str], str]) -> tuple[Attribute, ...]:
    """The attributes of a node, in the order of their names.

    Args:
        node: A `NodeDef`.
        renamed: What a function is called in the whole graph, by its name in the node's.
    """
    return tuple(sorted(Attribute(name, value_text(value, renamed)) for name, value in _items(node)))


def _items(node: Any) -> list[tuple[str, Any]]:
    """The names and values of a node's attributes."""
    try:
        return list(node.attr.items())
    except UnicodeDecodeError:
        # protobuf gives no map whose keys are no texts; as a list it does.
        entries = message("NodeParts").FromString(node.SerializeToString()).attr
        return [(text(entry.key), message("AttrValue").FromString(entry.value)) for entry in entries]


def value_text(value: Any, renamed: Callable[[str], str]) -> str:
    """An `AttrValue` in one line."""
    kind = value.WhichOneof("value")
    if kind is None:
        return "not set"
    if kind == "list":
        return cut(_list_text(value.list, renamed))
    return _item_text(kind, getattr(value, kind), renamed)


def cut(words: str) -> str:
    """A text as long as one may be; what is left out is told."""
    if len(words) <= MOST_CHARACTERS:
        return words
    return f"{words[:MOST_CHARACTERS]}… ({len(words):,} characters)"


def _item_text(kind: str, item: Any, renamed: Callable[[str], str]) -> str:
    if kind == "s":
        return _string_text(item)
    if kind == "f":
        return f"{item:.7g}"
    if kind == "type":
        return type_name(item)
    if kind == "shape":
        return cut(shape_text(shape_of(item)))
    if kind == "tensor":
        return cut(_tensor_text(item))
    if kind == "func":
        return cut(renamed(text(item.name)))
    if kind == "placeholder":
        return cut(f"${text(item)}")
    return str(item)


def _string_text(string: bytes) -> str:
    if len(string) <= MOST_CHARACTERS:
        return " ".join(string.decode("utf-8", "replace").split("\n"))
    head = " ".join(string[:MOST_CHARACTERS].decode("utf-8", "replace").split("\n"))
    return f"{head}… ({len(string):,} bytes)"


def _list_text(items: Any, renamed: Callable[[str], str]) -> str:
    """An `AttrList`: the one of its fields that holds something."""
    for kind in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
        field = getattr(items, kind)
        if len(field):
            return f"[{_joined((_item_text(kind, item, renamed) for item in field[:MOST_ITEMS]), len(field))}]"
    return "[]"


def _joined(words: Iterable[str], count: int) -> str:
    """Items after one another, and how many there are when not all of them stand there."""
    return ", ".join(words) + (f", … ({count:,} in all)" if count > MOST_ITEMS else "")


def _tensor_text(tensor: Any) -> str:
    """A `TensorProto`: `int32 4: -1, 8, 8, 1`; of a large one no values."""
    shape = shape_of(tensor.tensor_shape)
    what = f"{type_name(tensor.dtype)} {shape_text(shape)}"
    if shape is None or min(shape, default=0) < 0 or math.prod(shape) > _LARGEST_TENSOR:
        return what
    if tensor.ByteSize() > _LARGEST_TENSOR:
        return what
    try:
        values = to_array(tensor).reshape(-1)
    except TensorError:
        return what
    if not values.size:
        return what
    return f"{what}: {_joined(map(_number_text, values[:MOST_ITEMS].tolist()), values.size)}"


def _number_text(value: Any) -> str:
    if isinstance(value, bytes):
        return _string_text(value)
    return f"{value:.7g}" if isinstance(value, float) else str(value)
