"""Read graphs of operations: a `GraphDef`, `MetaGraphDef` or `RunMetadata` as columns, and attributes as text.

Several graphs in one value are merged, as TensorBoard does: names of the i-th graph, counted from 1, get the prefix
`graph_i/`, its functions the prefix `graph_i_`.

Source: TensorBoard `plugins/graph/{graphs_plugin,graph_util,metadata,keras_util}.py`; TensorFlow `event.proto`,
`graph.proto`, `node_def.proto`, `function.proto`, `config.proto`, `attr_value.proto`, `types.proto`,
`tensor_shape.proto`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tbtui.events.schema import VALUE_KINDS, decode_text, get_message_class
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

    from tbtui.plugins.graphs.parsed_graph import Parameter

    Shape = tuple[int, ...]

MAX_CHARACTERS = 240
"""Maximum characters of the text of an attribute."""

MAX_ITEMS = 16
"""Maximum items of a list or tensor that are written out."""

MAX_PARAMETERS = 1 << 44
"""Maximum parameters of a node, ten times those of the largest models: a shape in a file may be wrong."""

_MAX_TENSOR_SIZE = 1 << 16
"""Maximum bytes, and elements, of a tensor whose values are read."""

_NAMES = TYPE_NAMES | {FLOAT: "float32", DOUBLE: "float64", HALF: "float16"}


class Attribute(NamedTuple):
    """One attribute of a node."""

    name: str
    text: str
    """Value in one line; a long value is cut and states its length."""


def type_name(number: int) -> str:
    """Return the name of an element type by its number in `types.proto`: `float32`, `int64_ref`."""
    name = _NAMES.get(number % REFERENCE_OFFSET if number > REFERENCE_OFFSET else number)
    if name is None:
        return f"type {number}"
    return f"{name}_ref" if number > REFERENCE_OFFSET else name


def read_shape(shape: Any) -> Shape | None:
    """Return the lengths of a `TensorShapeProto`, -1 for an unknown one; None if the rank is unknown."""
    if shape.unknown_rank or len(shape.dim) > MAX_DIMENSIONS:
        return None
    return tuple([max(int(dim.size), -1) for dim in shape.dim])


def count_elements(shape: Shape | None) -> int:
    """Return the number of elements of a tensor; 0 if it is unknown or impossible."""
    if shape is None or min(shape, default=0) < 0:
        return 0
    count = math.prod(shape)
    return count if count <= MAX_PARAMETERS else 0


def shape_text(shape: Shape | None) -> str:
    """Return a shape as text: `?×3`, `scalar`, `any shape`."""
    if shape is None:
        return "any shape"
    return "×".join("?" if size < 0 else str(size) for size in shape) or "scalar"


def list_attributes(node: Any, rename: Callable[[str], str]) -> tuple[Attribute, ...]:
    """Return the attributes of a node, in the order of their names.

    Args:
        node: A `NodeDef`.
        rename: Returns the name of a function in the merged graph for its name in the graph of the node.
    """
    return tuple(sorted(Attribute(name, format_value(value, rename)) for name, value in _iter_attributes(node)))


def _iter_attributes(node: Any) -> list[tuple[str, Any]]:
    """Return names and values of the attributes of a node."""
    try:
        return list(node.attr.items())
    except UnicodeDecodeError:
        # protobuf reads no map whose keys are not UTF-8; a list of entries works.
        entries = get_message_class("NodeParts").FromString(node.SerializeToString()).attr
        return [(decode_text(entry.key), get_message_class("AttrValue").FromString(entry.value)) for entry in entries]


def format_value(value: Any, rename: Callable[[str], str]) -> str:
    """Return an `AttrValue` in one line."""
    kind = value.WhichOneof("value")
    if kind is None:
        return "not set"
    if kind == "list":
        return cut_text(_list_text(value.list, rename))
    return _format_item(kind, getattr(value, kind), rename)


def cut_text(value: str) -> str:
    """Return a text, cut to `MAX_CHARACTERS` with a statement of its length."""
    if len(value) <= MAX_CHARACTERS:
        return value
    return f"{value[:MAX_CHARACTERS]}… ({len(value):,} characters)"


def _format_item(kind: str, item: Any, rename: Callable[[str], str]) -> str:
    if kind == "s":
        return _format_string(item)
    if kind == "f":
        return f"{item:.7g}"
    if kind == "type":
        return type_name(item)
    if kind == "shape":
        return cut_text(shape_text(read_shape(item)))
    if kind == "tensor":
        return cut_text(_format_tensor(item))
    if kind == "func":
        return cut_text(rename(decode_text(item.name)))
    if kind == "placeholder":
        return cut_text(f"${decode_text(item)}")
    return str(item)


def _format_string(string: bytes) -> str:
    if len(string) <= MAX_CHARACTERS:
        return " ".join(string.decode("utf-8", "replace").split("\n"))
    start = " ".join(string[:MAX_CHARACTERS].decode("utf-8", "replace").split("\n"))
    return f"{start}… ({len(string):,} bytes)"


def _list_text(items: Any, rename: Callable[[str], str]) -> str:
    """Return the items of the field of an `AttrList` that is not empty."""
    for kind in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
        field = getattr(items, kind)
        if len(field):
            return f"[{_join_items((_format_item(kind, item, rename) for item in field[:MAX_ITEMS]), len(field))}]"
    return "[]"


def _join_items(items: Iterable[str], count: int) -> str:
    """Return the items in one text, with their number if some are left out."""
    return ", ".join(items) + (f", … ({count:,} in all)" if count > MAX_ITEMS else "")


def _format_tensor(tensor: Any) -> str:
    """Return a `TensorProto` as `int32 4: -1, 8, 8, 1`; without values if it is large."""
    shape = read_shape(tensor.tensor_shape)
    description = f"{type_name(tensor.dtype)} {shape_text(shape)}"
    if shape is None or min(shape, default=0) < 0 or math.prod(shape) > _MAX_TENSOR_SIZE:
        return description
    if tensor.ByteSize() > _MAX_TENSOR_SIZE:
        return description
    try:
        values = to_array(tensor).reshape(-1)
    except TensorError:
        return description
    if not values.size:
        return description
    return f"{description}: {_join_items(map(_number_text, values[:MAX_ITEMS].tolist()), values.size)}"


def _number_text(value: Any) -> str:
    if isinstance(value, bytes):
        return _format_string(value)
    return f"{value:.7g}" if isinstance(value, float) else str(value)


KNOWN_CONTENT = b"1"
"""Version of the format in the metadata of graph plugins. No other version was ever written."""


def read_graph_bytes(value: Any, content: bytes = KNOWN_CONTENT) -> bytes:
    """Return the serialized graph, model or run metadata of an `Event` or a `SummaryValue`.

    Args:
        value: An `Event` with a graph, a meta graph or tagged run metadata, or a `SummaryValue`.
        content: Plugin content in the metadata of the tag; events have none.

    Raises:
        GraphError: The value holds no graph.
    """
    if value.DESCRIPTOR.name == "Event":
        return _serialize_event(value)
    if content != KNOWN_CONTENT:
        raise GraphError("this graph is written in a form that is not known")
    kind = value.WhichOneof("value")
    if kind != "tensor":
        raise GraphError(f"{VALUE_KINDS[kind]} instead of a graph")
    strings = value.tensor.string_val
    if len(strings) != 1:
        raise GraphError(f"a tensor of {len(strings):,} texts instead of a graph")
    return bytes(strings[0])


def _serialize_event(event: Any) -> bytes:
    kind = event.WhichOneof("what")
    if kind == "tagged_run_metadata":
        return bytes(event.tagged_run_metadata.run_metadata)
    if kind in {"graph_def", "meta_graph_def"}:
        return bytes(getattr(event, kind))
    raise GraphError("the file no longer holds a graph here")


OUTPUT_SHAPES = "_output_shapes"

_SHAPED_BY_ATTRIBUTE = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "Variable", "VariableV2"})
"""Operations whose attribute `shape` is the shape of their output."""

_VARIABLE = "VarHandleOp"
"""Operation that returns a scalar handle; the shape shown is that of the variable."""


class Function(NamedTuple):
    """A function of a graph's library; its nodes are among those of the graph."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    """Name and type of each argument, such as `("x", "float32")`."""

    outputs: tuple[str, ...]
    """Names of the outputs."""

    returned: tuple[str, ...]
    """Input string (`Identity:output:0`) of each output; empty if it is unknown."""

    nodes: range
    """Rows of its nodes."""

    shapes: tuple[Shape | None, ...] = ()
    """Shapes of the arguments, as far as they were written; variables have none."""


class _Section(NamedTuple):
    """Nodes of one message: of a graph, or of a function."""

    start: int
    """Row of the first node."""

    nodes: Any
    """Repeated `NodeDef`."""

    library: _Library


class _Library(NamedTuple):
    """Names of the functions of one graph."""

    prefix: str
    """Prefix of their names in the merged graph."""

    names: frozenset[str]

    def rename(self, name: str) -> str:
        """Return the name of a function in the merged graph; other names stay as they are."""
        return self.prefix + name if name in self.names else name


class OpGraph:
    """Graph of operations as columns: nodes of the graph first, then nodes of its functions.

    Shapes, parameters and attributes are decoded on demand.
    """

    layers: Final = False

    def __init__(self, graphs: Sequence[Any], notes: Sequence[str] = ()) -> None:
        """Args: graphs: `GraphDef` messages, at least one; notes: notes on parts that could not be read."""
        self.messages = tuple(graphs)
        """Messages without changes."""

        self.names: list[str] = []
        self.ops: list[str] = []
        self.devices: list[str] = []
        self.inputs: list[list[str]] = []
        """Inputs as written: `name`, `name:1`, `name:output:0` in functions, `^name` for control inputs."""

        self.functions: list[Function] = []
        self._sections: list[_Section] = []
        self.losses = tuple(notes)
        """Sentences with counts of parts that could not be read."""

        libraries = [_read_library(graph, self.get_scope(number)) for number, graph in enumerate(graphs)]
        for number, (graph, library) in enumerate(zip(graphs, libraries, strict=True)):
            self._add_nodes(graph.node, library, self.get_scope(number))
        for graph, library in zip(graphs, libraries, strict=True):
            for function in graph.library.function:
                self._add_function(function, library)

    def get_scope(self, number: int) -> str:
        """Return the prefix of names of message `number`, counted from 0: `graph_1/`; empty for a single one."""
        return f"graph_{number + 1}/" if len(self.messages) > 1 else ""

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences with counts of parts that could not be read or counted."""
        from tbtui.plugins.graphs.formats.tensorflow_parameters import describe_unknown_sizes

        return (*self.losses, *describe_unknown_sizes(self.all_parameters))

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Return the shapes of the outputs of a node; None is unknown, -1 an unknown length."""
        return read_output_shapes(self.node(node))

    @cached_property
    def all_parameters(self) -> tuple[Parameter, ...]:
        """Trained parameters, each once."""
        from tbtui.plugins.graphs.formats.tensorflow_parameters import find_parameters

        return find_parameters(self)

    def parameters(self, node: int) -> int:
        """Return the number of trained parameters of a node that no earlier node has; 0 if it is unknown."""
        return self._counts.get(node, 0)

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """Return all attributes, in the order of their names."""
        return list_attributes(self.node(node), self.get_renaming(node))

    def node(self, node: int) -> Any:
        """Return the `NodeDef`, with the names of its own graph."""
        section = self._find_section(node)
        return section.nodes[node - section.start]

    def get_renaming(self, node: int) -> Callable[[str], str]:
        """Return the function that maps function names of the graph of a node to names in the merged graph."""
        return self._find_section(node).library.rename

    @cached_property
    def _counts(self) -> dict[int, int]:
        return {parameter.nodes[0]: parameter.elements for parameter in self.all_parameters}

    @cached_property
    def _starts(self) -> list[int]:
        return [section.start for section in self._sections]

    def _find_section(self, node: int) -> _Section:
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
            names, ops, devices = (
                list(map(decode_text, names)),
                list(map(decode_text, ops)),
                list(map(decode_text, devices)),
            )
            inputs = [list(map(decode_text, node_inputs)) for node_inputs in inputs]
        if library.prefix:
            ops = [library.rename(op) for op in ops]
        if scope:
            names = [scope + name for name in names]
            inputs = [[_add_scope(scope, name) for name in node_inputs] for node_inputs in inputs]
        self.names += names
        self.ops += ops
        self.devices += devices
        self.inputs += inputs

    def _add_function(self, function: Any, library: _Library) -> None:
        start = len(self.names)
        self._add_nodes(function.node_def, library)
        signature = function.signature
        outputs = tuple(decode_text(argument.name) for argument in signature.output_arg)
        returned = _match_outputs(function)
        self.functions.append(
            Function(
                library.rename(decode_text(signature.name)),
                tuple((decode_text(argument.name), _read_argument_type(argument)) for argument in signature.input_arg),
                outputs,
                tuple(returned.get(name, "") for name in outputs),
                range(start, len(self.names)),
                tuple(map(_read_argument_shape, range(len(signature.input_arg)), repeat(function.arg_attr))),
            )
        )


def read_output_shapes(node: Any) -> tuple[Shape | None, ...]:
    """Return the shapes of the outputs of a `NodeDef`, as far as its attributes have them."""
    attributes = node.attr
    if node.op == _VARIABLE and "shape" in attributes:
        return (read_shape(attributes["shape"].shape),)
    if node.op == "IteratorGetNext" and "output_shapes" in attributes:
        return tuple([read_shape(shape) for shape in attributes["output_shapes"].list.shape])
    if OUTPUT_SHAPES in attributes:
        return tuple([read_shape(shape) for shape in attributes[OUTPUT_SHAPES].list.shape])
    if node.op == "Const" and "value" in attributes:
        return (read_shape(attributes["value"].tensor.tensor_shape),)
    if node.op in _SHAPED_BY_ATTRIBUTE and "shape" in attributes:
        return (read_shape(attributes["shape"].shape),)
    return ()


def read_graph(data: bytes) -> OpGraph:
    """Read a serialized `GraphDef`; of a damaged one, the readable nodes.

    Raises:
        GraphError: No node can be read.
    """
    return _build_graph([data], Salvage("graph"))


def read_meta_graph(data: bytes) -> OpGraph:
    """Read the graph of a serialized `MetaGraphDef`; of a damaged one, the readable nodes.

    Raises:
        GraphError: No node can be read.
    """
    salvage = Salvage("meta graph")
    meta_graph = salvage.read("MetaGraphParts", data, lenient_name="MetaGraphDef")
    return _build_graph([meta_graph.graph_def], salvage)


def read_run_metadata(data: bytes) -> OpGraph:
    """Read the graphs of a serialized `RunMetadata`: its functions before optimization if it has them.

    Of damaged metadata, the readable parts are returned.

    Raises:
        GraphError: No node can be read.
    """
    salvage = Salvage("run metadata")
    metadata = salvage.read("RunMetadataParts", data, lenient_name="RunMetadataGraphs")
    graphs = [
        graphs.pre_optimization_graph or graphs.post_optimization_graph or b"".join(graphs.partition_graphs)
        for graphs in metadata.function_graphs
    ]
    if not any(graphs):
        graphs = list(metadata.partition_graphs)
    if not any(graphs) and not salvage.notes:
        raise GraphError("the run metadata hold no graph")
    return _build_graph(graphs, salvage)


def _build_graph(serialized: Sequence[bytes], salvage: Salvage) -> OpGraph:
    graph = OpGraph([salvage.read("GraphDef", data) for data in serialized], salvage.notes)
    if not graph.names and not graph.functions:
        raise GraphError(f"the bytes of the {salvage.noun} are damaged" if salvage.notes else "the graph has no nodes")
    return graph


def _read_library(graph: Any, scope: str) -> _Library:
    names = frozenset(decode_text(function.signature.name) for function in graph.library.function)
    return _Library(scope.replace("/", "_"), names)


def _add_scope(scope: str, name: str) -> str:
    return f"^{scope}{name[1:]}" if name.startswith("^") else scope + name


def _match_outputs(function: Any) -> dict[str, str]:
    """Return the input string of each output of a `FunctionDef`; empty if a name is not UTF-8."""
    try:
        return {decode_text(name): decode_text(source) for name, source in function.ret.items()}
    except UnicodeDecodeError:
        return {}


def _read_argument_shape(number: int, attributes: Any) -> Shape | None:
    """Return the shape of an argument of a `FunctionDef` from `arg_attr`, which has the attributes of a node."""
    if number not in attributes or OUTPUT_SHAPES not in attributes[number].attr:
        return None
    shapes = attributes[number].attr[OUTPUT_SHAPES].list.shape
    return read_shape(shapes[0]) if len(shapes) == 1 else None


def _read_argument_type(argument: Any) -> str:
    """Return the type of an `ArgDef`, or the name of the attribute that holds the type."""
    if argument.type:
        return type_name(argument.type)
    return decode_text(argument.type_attr) or decode_text(argument.type_list_attr)
