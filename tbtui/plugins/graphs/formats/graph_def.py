"""Attributes of a graph's nodes in words: one short line each, however much they hold.

Source: TensorFlow `attr_value.proto`, `types.proto`, `tensor_shape.proto`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tbtui.events.schema import VALUE_KINDS, message, text
from tbtui.events.tensors import (
    DOUBLE,
    FLOAT,
    HALF,
    MAX_DIMENSIONS,
    REFERENCE_OFFSET,
    TYPE_NAMES,
    TensorError,
    to_array,
)
from tbtui.plugins.graphs.formats.salvage import GraphError, Salvage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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
    name = _NAMES.get(number % REFERENCE_OFFSET if number > REFERENCE_OFFSET else number)
    if name is None:
        return f"type {number}"
    return f"{name}_ref" if number > REFERENCE_OFFSET else name


def shape_of(shape: Any) -> Shape | None:
    """A `TensorShapeProto` as lengths, -1 where one is not known; None when not even their number is."""
    if shape.unknown_rank or len(shape.dim) > MAX_DIMENSIONS:
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


# Which bytes of an event or of a value are a graph, a model or run metadata.
#
# Source: TensorBoard `plugins/graph/{graphs_plugin,metadata,keras_util}.py`, TensorFlow `event.proto`.


KNOWN_CONTENT = b"1"
"""What a plugin's metadata say of graphs in values: the version of their form. No other one was ever written."""


def graph_bytes(value: Any, content: bytes = KNOWN_CONTENT) -> bytes:
    """The serialized graph, model or run metadata that an `Event` is or a `SummaryValue` holds.

    Args:
        value: An `Event` with a graph, a meta graph or tagged run metadata, or a `SummaryValue`.
        content: What the tag's metadata say; of an event nothing.

    Raises:
        GraphError: There are none.
    """
    if value.DESCRIPTOR.name == "Event":
        return _event_bytes(value)
    if content != KNOWN_CONTENT:
        raise GraphError("this graph is written in a form that is not known")
    kind = value.WhichOneof("value")
    if kind != "tensor":
        raise GraphError(f"{VALUE_KINDS[kind]} stands here in place of a graph")
    strings = value.tensor.string_val
    if len(strings) != 1:
        raise GraphError(f"a tensor of {len(strings):,} texts stands here in place of a graph")
    return bytes(strings[0])


def _event_bytes(event: Any) -> bytes:
    what = event.WhichOneof("what")
    if what == "tagged_run_metadata":
        return bytes(event.tagged_run_metadata.run_metadata)
    if what in {"graph_def", "meta_graph_def"}:
        return bytes(getattr(event, what))
    raise GraphError("the file no longer holds a graph here")


# Graphs of operations: the bytes of a `GraphDef`, or of whatever holds some, to columns.
#
# Several graphs in one value become one, as TensorBoard has it: what belongs to the i-th of them, counted from 1, has
# `graph_i/` before its name, functions have `graph_i_`.
#
# Source: TensorBoard `plugins/graph/{graphs_plugin,graph_util}.py`; TensorFlow `graph.proto`, `node_def.proto`,
# `function.proto`, `config.proto`.


OUTPUT_SHAPES = "_output_shapes"

_SHAPED_BY_ATTRIBUTE = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "Variable", "VariableV2"})
"""Operations whose output has the shape of their attribute `shape`."""

_VARIABLE = "VarHandleOp"
"""It returns a scalar that stands for the variable; what is told is the shape of what the variable holds."""


class Function(NamedTuple):
    """A function of a graph's library; its nodes are among those of the graph."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    """Name and type of each, such as `("x", "float32")`."""

    outputs: tuple[str, ...]
    """Names of what it returns."""

    returned: tuple[str, ...]
    """Where each of `outputs` comes from, written as inputs are (`Identity:output:0`); empty where it is not told."""

    nodes: range
    """Rows of its nodes."""

    shapes: tuple[Shape | None, ...] = ()
    """Of its arguments, as far as they were written: of a variable there is none."""


class _Section(NamedTuple):
    """Nodes that stand in one field: those of a graph, or of a function."""

    start: int
    """Row of the first of them."""

    nodes: Any
    """Repeated `NodeDef`."""

    library: _Library


class _Library(NamedTuple):
    """The functions of one graph by the names that they have there."""

    prefix: str
    """What stands before them in the whole graph."""

    names: frozenset[str]

    def renamed(self, name: str) -> str:
        """What a function is called in the whole graph; other names are as they are."""
        return self.prefix + name if name in self.names else name


class OpGraph:
    """A graph of operations as columns: one entry for each node, those of the graph before those of its functions.

    What only a few nodes are asked for is read when it is asked for.
    """

    layers: Final = False

    def __init__(self, graphs: Sequence[Any], notes: Sequence[str] = ()) -> None:
        """Args: graphs: `GraphDef` messages, at least one; notes: what could not be read of them."""
        self.messages = tuple(graphs)
        """As they were read."""

        self.names: list[str] = []
        self.ops: list[str] = []
        self.devices: list[str] = []
        self.inputs: list[list[str]] = []
        """As written: `name`, `name:1`, `name:output:0` in functions, `^name` for what is only waited for."""

        self.functions: list[Function] = []
        self._sections: list[_Section] = []
        self.losses = tuple(notes)
        """What is not in it because it could not be read, in plain words with counts."""

        libraries = [_library(graph, self.scope_of(number)) for number, graph in enumerate(graphs)]
        for number, (graph, library) in enumerate(zip(graphs, libraries, strict=True)):
            self._add_nodes(graph.node, library, self.scope_of(number))
        for graph, library in zip(graphs, libraries, strict=True):
            for function in graph.library.function:
                self._add_function(function, library)

    def scope_of(self, number: int) -> str:
        """What stands before the names of one of `messages`, counted from 0: `graph_1/`; empty for the only one."""
        return f"graph_{number + 1}/" if len(self.messages) > 1 else ""

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What could not be read, in plain words with counts."""
        from tbtui.plugins.graphs.formats.parameters import untold_parameters

        return (*self.losses, *untold_parameters(self))

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Of the outputs of a node, as far as they were written; None is unknown, -1 a length that is."""
        return output_shapes(self.node(node))

    def parameters(self, node: int) -> int:
        """How many numbers a node holds that are trained, 0 when it holds none or their shape was not written."""
        return self._parameters.get(node, 0)

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """All there are, in the order of their names."""
        return attributes_of(self.node(node), self.renaming(node))

    def node(self, node: int) -> Any:
        """The `NodeDef`, with the names that it has in its own graph."""
        section = self._section(node)
        return section.nodes[node - section.start]

    def renaming(self, node: int) -> Callable[[str], str]:
        """What tells how the functions are called here that a node's own graph has."""
        return self._section(node).library.renamed

    @cached_property
    def _parameters(self) -> dict[int, int]:
        from tbtui.plugins.graphs.formats.parameters import parameters_of

        return parameters_of(self)

    @cached_property
    def _starts(self) -> list[int]:
        return [section.start for section in self._sections]

    def _section(self, node: int) -> _Section:
        if not 0 <= node < len(self.names):
            raise IndexError(node)
        return self._sections[bisect_right(self._starts, node) - 1]

    def _add_nodes(self, nodes: Any, library: _Library, scope: str = "") -> None:
        if not len(nodes):
            return
        self._sections.append(_Section(len(self.names), nodes, library))
        names, ops = [node.name for node in nodes], [node.op for node in nodes]
        devices, inputs = [node.device for node in nodes], [node.input[:] for node in nodes]
        if bytes in set(map(type, chain(names, ops, devices, *inputs))):
            names, ops, devices = list(map(text, names)), list(map(text, ops)), list(map(text, devices))
            inputs = [list(map(text, some)) for some in inputs]
        if library.prefix:
            ops = [library.renamed(op) for op in ops]
        if scope:
            names = [scope + name for name in names]
            inputs = [[_scoped(scope, name) for name in some] for some in inputs]
        self.names += names
        self.ops += ops
        self.devices += devices
        self.inputs += inputs

    def _add_function(self, function: Any, library: _Library) -> None:
        start = len(self.names)
        self._add_nodes(function.node_def, library)
        signature = function.signature
        outputs = tuple(text(argument.name) for argument in signature.output_arg)
        returned = _returned(function)
        self.functions.append(
            Function(
                library.renamed(text(signature.name)),
                tuple((text(argument.name), _argument_type(argument)) for argument in signature.input_arg),
                outputs,
                tuple(returned.get(name, "") for name in outputs),
                range(start, len(self.names)),
                tuple(map(_argument_shape, range(len(signature.input_arg)), repeat(function.arg_attr))),
            )
        )


def output_shapes(node: Any) -> tuple[Shape | None, ...]:
    """The shapes of a `NodeDef`'s outputs as far as its attributes tell."""
    attributes = node.attr
    if node.op == _VARIABLE and "shape" in attributes:
        return (shape_of(attributes["shape"].shape),)
    if node.op == "IteratorGetNext" and "output_shapes" in attributes:
        return tuple([shape_of(shape) for shape in attributes["output_shapes"].list.shape])
    if OUTPUT_SHAPES in attributes:
        return tuple([shape_of(shape) for shape in attributes[OUTPUT_SHAPES].list.shape])
    if node.op == "Const" and "value" in attributes:
        return (shape_of(attributes["value"].tensor.tensor_shape),)
    if node.op in _SHAPED_BY_ATTRIBUTE and "shape" in attributes:
        return (shape_of(attributes["shape"].shape),)
    return ()


def read_graph(data: bytes) -> OpGraph:
    """A serialized `GraphDef`. Of one that is damaged, the nodes that can be read.

    Raises:
        GraphError: It holds no node that can be read.
    """
    return _graph_of([data], Salvage("graph"))


def read_meta_graph(data: bytes) -> OpGraph:
    """The graph of a serialized `MetaGraphDef`; of one that is damaged, the nodes that can be read.

    Raises:
        GraphError: It holds none that can be read.
    """
    salvage = Salvage("meta graph")
    meta_graph = salvage.read("MetaGraphParts", data, by="MetaGraphDef")
    return _graph_of([meta_graph.graph_def], salvage)


def read_run_metadata(data: bytes) -> OpGraph:
    """The graphs of a serialized `RunMetadata`: those of its functions before they were optimised, or whatever it has.

    Of metadata that are damaged, what can be read.

    Raises:
        GraphError: It holds none that can be read.
    """
    salvage = Salvage("run metadata")
    metadata = salvage.read("RunMetadataParts", data, by="RunMetadataGraphs")
    graphs = [
        graphs.pre_optimization_graph or graphs.post_optimization_graph or b"".join(graphs.partition_graphs)
        for graphs in metadata.function_graphs
    ]
    if not any(graphs):
        graphs = list(metadata.partition_graphs)
    if not any(graphs) and not salvage.notes:
        raise GraphError("the run metadata hold no graph")
    return _graph_of(graphs, salvage)


def _graph_of(serialized: Sequence[bytes], salvage: Salvage) -> OpGraph:
    graph = OpGraph([salvage.read("GraphDef", data) for data in serialized], salvage.notes)
    if not graph.names and not graph.functions:
        raise GraphError(f"the bytes of the {salvage.what} are damaged" if salvage.notes else "the graph has no nodes")
    return graph


def _library(graph: Any, scope: str) -> _Library:
    names = frozenset(text(function.signature.name) for function in graph.library.function)
    return _Library(scope.replace("/", "_"), names)


def _scoped(scope: str, name: str) -> str:
    return f"^{scope}{name[1:]}" if name.startswith("^") else scope + name


def _returned(function: Any) -> dict[str, str]:
    """Outputs of a `FunctionDef` to where they come from; nothing when not all of that are texts."""
    try:
        return {text(name): text(where) for name, where in function.ret.items()}
    except UnicodeDecodeError:
        return {}


def _argument_shape(number: int, attributes: Any) -> Shape | None:
    """Of an argument of a `FunctionDef`, whose `arg_attr` are by its number and name what a node's would be."""
    if number not in attributes or OUTPUT_SHAPES not in attributes[number].attr:
        return None
    shapes = attributes[number].attr[OUTPUT_SHAPES].list.shape
    return shape_of(shapes[0]) if len(shapes) == 1 else None


def _argument_type(argument: Any) -> str:
    """Of an `ArgDef`: a type, or the attribute that says which."""
    if argument.type:
        return type_name(argument.type)
    return text(argument.type_attr) or text(argument.type_list_attr)
