"""Graphs of operations: the bytes of a `GraphDef`, or of whatever holds some, to columns.

Several graphs in one value become one, as TensorBoard has it: what belongs to the i-th of them, counted from 1, has
`graph_i/` before its name, functions have `graph_i_`.

Source: TensorBoard `plugins/graph/{graphs_plugin,graph_util}.py`; TensorFlow `graph.proto`, `node_def.proto`,
`function.proto`, `config.proto`.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tbtui.events.graph_attributes import attributes_of, shape_of, type_name
from tbtui.events.graph_errors import GraphError
from tbtui.events.graph_salvage import Salvage
from tbtui.events.messages import text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.events.graph_attributes import Attribute, Shape

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
        from tbtui.events.graph_parameters import untold_parameters

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
        from tbtui.events.graph_parameters import parameters_of

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
