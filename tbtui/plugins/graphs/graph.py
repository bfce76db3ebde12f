"""Build a graph from a parsed one: unique names, edges, embedded constants and the library of functions.

The rules are TensorBoard's (`tf_graph_common/graph.ts`). An input is `name`, `name:1` or, in functions, `name:out:0`;
`^name` is a control input. Constants are embedded in the node that reads them, summaries in the node that they
summarize. A function of the library is a scope `__function_library__<name>` with a node for each argument.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.frozen import frozen
from tbtui.plugins.graphs.edges import (
    EdgeCollector,
    find_constants_and_summaries,
    find_embedding_hosts,
    find_node,
    select_flow_edges,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.edges import Edges

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]
    from tbtui.plugins.graphs.parsed_graph import Attribute, Function, ParsedGraph, Shape


_PREFERRED_ATTRIBUTES = ("f", "body")
"""Attributes that name the called function, in order of preference: `If` has two branches and is shown closed."""


def find_function_calls(parsed: ParsedGraph) -> dict[int, int]:
    """Return the index in `parsed.functions` for each node that calls a function; the first of equal names counts.

    The called function is the operation of the node, or it is named by an attribute: `f` of `PartitionedCall` and of
    `MapDataset`, `body` of `While`. TensorBoard opens only functions that are the operation of a node.
    """
    functions = {function.name: index for index, function in reversed(list(enumerate(parsed.functions)))}
    if not functions:
        return {}
    calls = {}
    naming_attributes: dict[str, str | None] = {}
    for node, op in enumerate(parsed.ops):
        if op in functions:
            calls[node] = functions[op]
            continue
        if op not in naming_attributes:  # all nodes of an operation have the same attributes
            naming_attributes[op] = _find_function_attribute(parsed, node, functions)
        if (name := naming_attributes[op]) is not None:
            function = next((attribute.text for attribute in parsed.attributes(node) if attribute.name == name), None)
            if function in functions:
                calls[node] = functions[function]
    return calls


def _find_function_attribute(parsed: ParsedGraph, node: int, functions: Mapping[str, int]) -> str | None:
    """Return the attribute of a node that names the function it calls."""
    names = [attribute.name for attribute in parsed.attributes(node) if attribute.text in functions]
    return next((name for name in _PREFERRED_ATTRIBUTES if name in names), names[0] if len(names) == 1 else None)


SCALAR = "scalar"


def shape_text(shape: Shape | None) -> str:
    """Return `32×10`, `?×10` for an unknown length, `scalar` for (), or an empty string for an unknown shape."""
    if shape is None:
        return ""
    return "×".join("?" if length < 0 else str(length) for length in shape) or SCALAR


def count_elements(shape: Shape | None) -> float:
    """Return the number of elements of a tensor; unknown lengths count as 1, an unknown shape as 1 element."""
    count = 1.0
    for length in shape or ():
        count *= length if length >= 0 else 1
    return count


def format_tensors(count: int, shape: Shape | None) -> str:
    """Return the shape of a single tensor, the number of several ones, or an empty string for none."""
    return shape_text(shape) if count == 1 else format_count(count, "tensor") if count else ""


LIBRARY = "__function_library__"
"""Prefix of the name of a function, and the name of the section that holds all functions."""


NO_NAME = "(no name)"


_TRACED = re.compile(r"(?:graph_[0-9]+_)?__(?:inference|forward|backward)_(.+?)(?:_[0-9]+)*", re.ASCII)
"""Name that TensorFlow gives to a traced Python function; `graph_1_` is the prefix of one of several graphs."""


def format_function_title(name: str) -> str:
    """Return `one_step` for `__inference_one_step_2134`; names of functions that were not traced stay as they are."""
    match = _TRACED.fullmatch(name)
    return match[1] if match else name


_READ_SUFFIX = "_readvariableop_resource"
"""Suffix of the operation that reads a variable, in the name of the argument that TensorFlow makes of it."""


def format_argument_title(name: str) -> str:
    """Return `dense_matmul…` for `dense_matmul_readvariableop_resource`: the part that differs between arguments."""
    return f"{name.removesuffix(_READ_SUFFIX)}…" if name.endswith(_READ_SUFFIX) else name


class UniqueNames:
    """Makes names unique within one scope."""

    def __init__(self, used_names: Iterable[str] = ()) -> None:
        """Args: used_names: names that are not available."""
        self.empty = 0
        """Number of empty names that were requested."""

        self.duplicates = 0
        """Number of requested names that were in use."""

        self._used = set(used_names)
        self._next: dict[str, int] = {}

    def add(self, name: str) -> str:
        """Return the name if it is free, or the name with ` (2)` and so on; `(no name)` for the empty name."""
        if not name:
            self.empty += 1
            name = NO_NAME
        elif name in self._used:
            self.duplicates += 1
        return self.add_uncounted(name)

    def add_uncounted(self, name: str) -> str:
        """Return a free name as `add` does, without counting duplicates."""
        unique_name = name
        number = self._next.get(name, 2)
        while unique_name in self._used:
            unique_name = f"{name} ({number})"
            number += 1
            self._next[name] = number
        self._used.add(unique_name)
        return unique_name


def find_first_rows(names: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the first row of each name."""
    rows: dict[str, int] = {}
    for name, row in names:
        rows.setdefault(name, row)
    return rows


ARGUMENT_OP = "input_arg"
"""Operation of a node that represents an argument of a function."""


_INPUTS = frozenset(
    {ARGUMENT_OP, "_Arg", "_DeviceArg", "Placeholder", "PlaceholderWithDefault", "PlaceholderV2", "InputLayer"}
)


_OUTPUTS = frozenset({"_Retval", "_DeviceRetval"})


_IO_OP = "IO Node"
"""Operation of PyTorch for inputs and for outputs."""


class _Type(NamedTuple):
    """The attribute of a node that represents an argument."""

    name: str
    text: str


@frozen
class FunctionBody:
    """One function of the library, as nodes of a `Graph`."""

    name: str
    """Unique name; the second function of a name has the suffix ` (2)` and is never called."""

    arguments: range
    """Nodes that represent the arguments."""

    nodes: range
    """Nodes of the function itself."""

    returned: tuple[int, ...] = ()
    """Node that each output is read from; -1 if no node has that name."""

    @property
    def prefix(self) -> str:
        """Prefix of the names of all these nodes."""
        return f"{LIBRARY}{self.name}/"


@frozen(eq=False)
class Graph:
    """Nodes and edges of a graph. A node is a number: parsed nodes come first, then arguments of functions."""

    parsed: ParsedGraph
    names: list[str]
    """Unique names: duplicates have the suffix ` (2)`, empty names are `(no name)`."""

    ops: list[str]
    kinds: list[str]
    """`op`, `input`, `output`, `layer`, or `function` for a node that calls one."""

    bodies: tuple[FunctionBody, ...]
    calls: dict[int, int]
    """Index in `bodies` of the function that a node calls, for nodes that call one."""

    edges: Edges
    """All edges between existing nodes, without self-loops."""

    flow: Edges
    """Edges between nodes that are not embedded. The control inputs of a constant go to the nodes that read it."""

    host: Ints
    """Node that each node is embedded in; -1 if it is not embedded, itself if it is embedded but has no host."""

    rank: Ints
    """Display order of the nodes: as written, with arguments before the nodes of their function."""

    missing: dict[int, list[str]]
    """Inputs that name no node, as written, for the nodes that have such inputs."""

    types: dict[int, str]
    """Types of the nodes that represent arguments."""

    argument_shapes: dict[int, Shape | None]
    """Shapes of the nodes that represent arguments."""

    findings: tuple[str, ...]
    """Sentences with counts of what `build_graph` skipped or renamed."""

    @property
    def notes(self) -> tuple[str, ...]:
        """All notes: first those of the reader, then `findings`."""
        return (*self.parsed.notes, *self.findings)

    @property
    def embedded(self) -> Flags:
        """bool[nodes]: True for constants and summaries that are embedded."""
        return self.host >= 0

    @property
    def main(self) -> range:
        """Nodes that are in no function."""
        return range(self.bodies[0].nodes.start if self.bodies else len(self.names))

    def device(self, node: int) -> str:
        """Return the device of a node; empty if none is given."""
        return "" if node in self.types else self.parsed.devices[node]

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Return the shapes of the outputs of a node, as far as they were written."""
        if node not in self.types:
            return self.parsed.shapes(node)
        shape = self.argument_shapes.get(node)
        return () if shape is None else (shape,)

    def tensor(self, node: int, output: int) -> Shape | None:
        """Return the shape of one output of a node, given as in `Edges.output`; None if it is unknown.

        Functions refer to outputs by name instead of by number, so the shape is known only if all outputs have the same
        one.
        """
        shapes = self.shapes(node)
        if output < 0:
            return shapes[0] if len(set(shapes)) == 1 else None
        return shapes[output] if output < len(shapes) else None

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """Return the attributes as written; an argument of a function has its type as the only attribute."""
        return (_Type("T", self.types[node]),) if node in self.types else self.parsed.attributes(node)


def build_graph(parsed: ParsedGraph, boxed: Collection[int] = ()) -> Graph:
    """Build the graph; no content of the parsed graph raises an error.

    Args:
        parsed: The parsed graph.
        boxed: Constants and summaries that are not embedded, so that they get boxes of their own.
    """
    functions = list(parsed.functions)
    main_count = functions[0].nodes.start if functions else len(parsed.names)
    bodies = _number_arguments(functions, len(parsed.names))
    names, notes = _make_names_unique(parsed, bodies, main_count)
    ops = [*parsed.ops, *(ARGUMENT_OP for body in bodies for _ in body.arguments)]
    types = {
        node: kind
        for body, function in zip(bodies, functions, strict=True)
        for node, (_, kind) in zip(body.arguments, function.arguments, strict=True)
    }

    collector = EdgeCollector()
    inputs = parsed.inputs
    collector.read(range(main_count), inputs, ops, find_first_rows(zip(parsed.names, range(main_count), strict=False)))
    returned: set[int] = set()
    for index, (body, function) in enumerate(zip(bodies, functions, strict=True)):
        local_names = _list_local_names(parsed, body, function)
        collector.read(body.nodes, inputs, ops, local_names)
        returned.update(find_node(output, local_names) for output in (*function.outputs, *function.returned))
        sources = zip_longest(function.outputs, function.returned, fillvalue="")
        nodes = tuple(find_node(source or name, local_names) for name, source in sources)
        bodies[index] = replace(body, returned=nodes)
    edges = collector.edges()

    calls = find_function_calls(parsed)
    constant, summary = find_constants_and_summaries(ops, range(len(ops)) if parsed.layers else {*calls, *boxed})
    host = find_embedding_hosts(edges, constant, summary)
    flow, is_complete = select_flow_edges(edges, constant, host >= 0)
    if missing := sum(map(len, collector.missing.values())):
        notes.append(_count(missing, "input names a node that does not exist", "inputs name nodes that do not exist"))
    if not is_complete:
        notes.append("inputs of constants are not drawn: there are too many")
    return Graph(
        parsed,
        names,
        ops,
        _find_kinds(parsed, ops, edges, calls, returned),
        tuple(bodies),
        calls,
        edges,
        flow,
        host,
        _rank_for_display(bodies, main_count, len(names)),
        collector.missing,
        types,
        {
            node: shape
            for body, function in zip(bodies, functions, strict=True)
            for node, shape in zip(body.arguments, function.shapes, strict=False)
        },
        tuple(notes),
    )


def _number_arguments(functions: Sequence[Function], next_node: int) -> list[FunctionBody]:
    """Return the functions; the nodes of their arguments are numbered from `next_node` on."""
    names = UniqueNames()
    bodies = []
    for function in functions:
        arguments = range(next_node, next_node + len(function.arguments))
        bodies.append(FunctionBody(names.add(function.name), arguments, function.nodes))
        next_node = arguments.stop
    return bodies


def _make_names_unique(
    parsed: ParsedGraph, bodies: Sequence[FunctionBody], main_count: int
) -> tuple[list[str], list[str]]:
    """Return the name of each node, and notes on changed names."""
    unique_names = UniqueNames()
    scopes = [unique_names]
    names = [unique_names.add(name) for name in parsed.names[:main_count]]
    arguments: list[str] = []
    for body, function in zip(bodies, parsed.functions, strict=True):
        unique_names = UniqueNames()
        scopes.append(unique_names)
        arguments += [body.prefix + unique_names.add(name) for name, _ in function.arguments]
        names += [body.prefix + unique_names.add(name) for name in parsed.names[body.nodes.start : body.nodes.stop]]
    notes = []
    if empty := sum(unique_names.empty for unique_names in scopes):
        notes.append(_count(empty, "node has no name", "nodes have no name"))
    if duplicates := sum(unique_names.duplicates for unique_names in scopes):
        notes.append(_count(duplicates, "node has the name of another one", "nodes have the name of another one"))
    return names + arguments, notes


def _list_local_names(parsed: ParsedGraph, body: FunctionBody, function: Function) -> dict[str, int]:
    """Return the nodes of a function by the names that inputs within the function use."""
    arguments = zip((name for name, _ in function.arguments), body.arguments, strict=True)
    nodes = zip(parsed.names[body.nodes.start : body.nodes.stop], body.nodes, strict=True)
    return find_first_rows((*arguments, *nodes))


def _find_kinds(
    parsed: ParsedGraph, ops: Sequence[str], edges: Edges, calls: dict[int, int], returned: set[int]
) -> list[str]:
    default = "layer" if parsed.layers else "op"
    op_kinds = {op: "input" if op in _INPUTS else "output" if op in _OUTPUTS else default for op in set(ops)}
    kinds = [op_kinds[op] for op in ops]
    for node in returned:
        if node >= 0 and kinds[node] == default:
            kinds[node] = "output"
    if _IO_OP in op_kinds:
        with_inputs = set(edges.target.tolist())
        for node, op in enumerate(ops):
            if op == _IO_OP:
                kinds[node] = "output" if node in with_inputs else "input"
    for node in calls:
        kinds[node] = "function"
    return kinds


def _rank_for_display(bodies: Sequence[FunctionBody], main_count: int, count: int) -> Ints:
    """Return the position of each node in the display order."""
    order = list(range(main_count))
    for body in bodies:
        order += [*body.arguments, *body.nodes]
    rank = np.empty(count, np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    return rank


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"
