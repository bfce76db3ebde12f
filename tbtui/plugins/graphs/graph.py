"""What a written graph says: nodes with names of their own, edges between them, what is embedded in what.

The rules are TensorBoard's (`tf_graph_common/graph.ts`): inputs are `name`, `name:1` or, in functions, `name:out:0`,
and `^name` where a node only waits; constants are embedded in what reads them and summaries in what they are of; a
function of the library is a scope `__function_library__<name>` with a node for each argument.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.graphs.edges import EdgeReader, constants_and_summaries, flowing, hosts, node_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.edges import Edges

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]

# Which nodes call which functions of a graph's library.


_FIRST = ("f", "body")
"""Attributes that tell what a node does, before any others: `If` has two branches and is shown closed."""


def calls_of(written: Written) -> dict[int, int]:
    """For each node that calls a function, its index in `written.functions`; of two that have one name the first.

    A node calls what its operation is called after, or what an attribute names: `f` of `PartitionedCall` and of
    `MapDataset`, `body` of `While`. TensorBoard opens only the former.
    """
    functions = {function.name: index for index, function in reversed(list(enumerate(written.functions)))}
    if not functions:
        return {}
    calls = {}
    naming: dict[str, str | None] = {}
    for node, op in enumerate(written.ops):
        if op in functions:
            calls[node] = functions[op]
            continue
        if op not in naming:  # what one node of an operation has, all have
            naming[op] = _naming(written, node, functions)
        if (attribute := naming[op]) is not None:
            named = next((one.text for one in written.attributes(node) if one.name == attribute), None)
            if named in functions:
                calls[node] = functions[named]
    return calls


def _naming(written: Written, node: int, functions: Mapping[str, int]) -> str | None:
    """The attribute of a node that names what it calls."""
    names = [attribute.name for attribute in written.attributes(node) if attribute.text in functions]
    return next((name for name in _FIRST if name in names), names[0] if len(names) == 1 else None)


# Shapes and counts in the words of a label.


SCALAR = "scalar"


def shape_text(shape: Shape | None) -> str:
    """`32×10`, `?×10` where a length is not known, `scalar`; empty for a shape that is not known."""
    if shape is None:
        return ""
    return "×".join("?" if length < 0 else str(length) for length in shape) or SCALAR


def elements(shape: Shape | None) -> float:
    """How many numbers a tensor holds, as far as its lengths are known; 1 of one that is not known at all."""
    count = 1.0
    for length in shape or ():
        count *= length if length >= 0 else 1
    return count


def tensors_text(count: int, shape: Shape | None) -> str:
    """What flows: the shape of one tensor, the number of several; empty for none."""
    return shape_text(shape) if count == 1 else counted(count, "tensor") if count else ""


def counted(count: int, what: str) -> str:
    """`1 op`, `1,234 ops`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


# Names by which the nodes of a graph can be told apart.


LIBRARY = "__function_library__"
"""Before the name of a function, and the name of the section that holds them all."""

NO_NAME = "(no name)"


_TRACED = re.compile(r"(?:graph_[0-9]+_)?__(?:inference|forward|backward)_(.+?)(?:_[0-9]+)*", re.ASCII)
"""What TensorFlow makes of the name of a Python function that it traces; before it, which of several graphs has it."""


def function_title(name: str) -> str:
    """`one_step` of `__inference_one_step_2134`: what a function was called before it was traced; others as it is."""
    match = _TRACED.fullmatch(name)
    return match[1] if match else name


_READ = "_readvariableop_resource"
"""Behind the name of the operation that reads a variable where TensorFlow makes an argument of it for a function."""


def argument_title(name: str) -> str:
    """`dense_matmul…` of `dense_matmul_readvariableop_resource`: of such arguments what tells them apart."""
    return f"{name.removesuffix(_READ)}…" if name.endswith(_READ) else name


class Names:
    """Gives names that were not given before."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        """Begin with those that are `given` already."""
        self.empty = 0
        """How often nothing was asked for."""

        self.twice = 0
        """How often a name was asked for that was given."""

        self._given = set(given)
        self._next: dict[str, int] = {}

    def give(self, name: str) -> str:
        """The name itself if it is free, else with ` (2)` and so on behind it; `(no name)` for the empty one."""
        if not name:
            self.empty += 1
            name = NO_NAME
        elif name in self._given:
            self.twice += 1
        return self.free(name)

    def free(self, name: str) -> str:
        """Likewise, uncounted."""
        given = name
        number = self._next.get(name, 2)
        while given in self._given:
            given = f"{name} ({number})"
            number += 1
            self._next[name] = number
        self._given.add(given)
        return given


def first_rows(names: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Of each name the first row."""
    rows: dict[str, int] = {}
    for name, row in names:
        rows.setdefault(name, row)
    return rows


ARGUMENT = "input_arg"
"""Operation of a node that stands for an argument of a function."""

_INPUTS = frozenset(
    {ARGUMENT, "_Arg", "_DeviceArg", "Placeholder", "PlaceholderWithDefault", "PlaceholderV2", "InputLayer"}
)
_OUTPUTS = frozenset({"_Retval", "_DeviceRetval"})
_ENDS = "IO Node"
"""PyTorch's, of inputs as of outputs."""


class _Type(NamedTuple):
    """The attribute of a node that stands for an argument."""

    name: str
    text: str


@frozen
class Body:
    """One function of the library, in the nodes of a `Graph`."""

    name: str
    """As it is called; of two functions of one name the second has ` (2)` behind it and is never called."""

    arguments: range
    """Nodes that stand for its arguments."""

    nodes: range
    """Its own."""

    returned: tuple[int, ...] = ()
    """The node that each of its outputs comes from, -1 where none is called so."""

    @property
    def prefix(self) -> str:
        """Before the names of all these."""
        return f"{LIBRARY}{self.name}/"


@frozen(eq=False)
class Graph:
    """Nodes are numbers: first those as written, functions' included, then one for each argument of a function."""

    written: Written
    names: list[str]
    """One each and no two alike: ` (2)` stands behind one that was there before, `(no name)` for the empty one."""

    ops: list[str]
    kinds: list[str]
    """`op`, `input`, `output`, `layer`, or `function` for the call of one."""

    bodies: tuple[Body, ...]
    calls: dict[int, int]
    """Which of `bodies` a node calls, of those that do."""

    edges: Edges
    """All there are between nodes that exist, except from a node to itself."""

    flow: Edges
    """Those between nodes that are not embedded; what a constant waits for, what reads it waits for."""

    host: Ints
    """In which node one is embedded, -1 if it is not; itself if nothing is there that it could be embedded in."""

    rank: Ints
    """In which order nodes are shown: as written, arguments before the nodes of their function."""

    missing: dict[int, list[str]]
    """Inputs as written that no node is called, of nodes that have such."""

    types: dict[int, str]
    """Of the nodes that stand for arguments."""

    argument_shapes: dict[int, Shape | None]
    """Likewise."""

    findings: tuple[str, ...]
    """What these rules skipped or renamed, in plain words with counts."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The same after what could not be read."""
        return (*self.written.notes, *self.findings)

    @property
    def embedded(self) -> Flags:
        """Whether each node is set aside as a constant or a summary."""
        return self.host >= 0

    @property
    def main(self) -> range:
        """The nodes that are in no function."""
        return range(self.bodies[0].nodes.start if self.bodies else len(self.names))

    def device(self, node: int) -> str:
        """Empty where none is given."""
        return "" if node in self.types else self.written.devices[node]

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Of the outputs of a node, as far as they were written."""
        if node not in self.types:
            return self.written.shapes(node)
        shape = self.argument_shapes.get(node)
        return () if shape is None else (shape,)

    def tensor(self, node: int, output: int) -> Shape | None:
        """Shape of one output of a node, as `Edges.output` tells of it; None is unknown.

        Functions tell of outputs by name and not by number, which says which shape it is where there is only one.
        """
        shapes = self.shapes(node)
        if output < 0:
            return shapes[0] if len(set(shapes)) == 1 else None
        return shapes[output] if output < len(shapes) else None

    def parameters(self, node: int) -> int:
        """How many numbers a node holds that are trained."""
        return 0 if node in self.types else self.written.parameters(node)

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """As written; of an argument of a function its type."""
        return (_Type("T", self.types[node]),) if node in self.types else self.written.attributes(node)


def graph_of(written: Written, boxed: Collection[int] = ()) -> Graph:
    """Apply the rules to a graph; whatever it says, nothing is raised.

    Args:
        written: The graph.
        boxed: Nodes that have boxes of their own though they are constants or summaries.
    """
    functions = list(written.functions)
    own = functions[0].nodes.start if functions else len(written.names)
    bodies = _bodies(functions, len(written.names))
    names, notes = _names(written, bodies, own)
    ops = [*written.ops, *(ARGUMENT for body in bodies for _ in body.arguments)]
    types = {
        node: kind
        for body, function in zip(bodies, functions, strict=True)
        for node, (_, kind) in zip(body.arguments, function.arguments, strict=True)
    }

    reader = EdgeReader()
    inputs = written.inputs
    reader.read(range(own), inputs, ops, first_rows(zip(written.names, range(own), strict=False)))
    returned: set[int] = set()
    for index, (body, function) in enumerate(zip(bodies, functions, strict=True)):
        known = _names_in(written, body, function)
        reader.read(body.nodes, inputs, ops, known)
        returned.update(node_of(output, known) for output in (*function.outputs, *function.returned))
        sources = zip_longest(function.outputs, function.returned, fillvalue="")
        bodies[index] = replace(body, returned=tuple(node_of(source or name, known) for name, source in sources))
    edges = reader.edges()

    calls = calls_of(written)
    constant, summary = constants_and_summaries(ops, range(len(ops)) if written.layers else {*calls, *boxed})
    host = hosts(edges, constant, summary)
    flow, all_moved = flowing(edges, constant, host >= 0)
    if missing := sum(map(len, reader.missing.values())):
        notes.append(_count(missing, "input names a node that is not there", "inputs name nodes that are not there"))
    if not all_moved:
        notes.append("inputs of constants are not drawn: there are too many")
    return Graph(
        written,
        names,
        ops,
        _kinds(written, ops, edges, calls, returned),
        tuple(bodies),
        calls,
        edges,
        flow,
        host,
        _rank(bodies, own, len(names)),
        reader.missing,
        types,
        {
            node: shape
            for body, function in zip(bodies, functions, strict=True)
            for node, shape in zip(body.arguments, function.shapes, strict=False)
        },
        tuple(notes),
    )


def _bodies(functions: Sequence[Function], arguments_from: int) -> list[Body]:
    """The functions, with nodes for their arguments behind all others."""
    names = Names()
    bodies = []
    for function in functions:
        arguments = range(arguments_from, arguments_from + len(function.arguments))
        bodies.append(Body(names.give(function.name), arguments, function.nodes))
        arguments_from = arguments.stop
    return bodies


def _names(written: Written, bodies: Sequence[Body], own: int) -> tuple[list[str], list[str]]:
    """A name for each node, and what is to be said about them."""
    given = Names()
    all_given = [given]
    names = [given.give(name) for name in written.names[:own]]
    arguments: list[str] = []
    for body, function in zip(bodies, written.functions, strict=True):
        given = Names()
        all_given.append(given)
        arguments += [body.prefix + given.give(name) for name, _ in function.arguments]
        names += [body.prefix + given.give(name) for name in written.names[body.nodes.start : body.nodes.stop]]
    notes = []
    if empty := sum(given.empty for given in all_given):
        notes.append(_count(empty, "node has no name", "nodes have no name"))
    if twice := sum(given.twice for given in all_given):
        notes.append(_count(twice, "node has the name of another one", "nodes have the name of another one"))
    return names + arguments, notes


def _names_in(written: Written, body: Body, function: Function) -> dict[str, int]:
    """Nodes of a function as they call each other."""
    arguments = zip((name for name, _ in function.arguments), body.arguments, strict=True)
    nodes = zip(written.names[body.nodes.start : body.nodes.stop], body.nodes, strict=True)
    return first_rows((*arguments, *nodes))


def _kinds(written: Written, ops: Sequence[str], edges: Edges, calls: dict[int, int], returned: set[int]) -> list[str]:
    """What each node is."""
    usual = "layer" if written.layers else "op"
    by_op = {op: "input" if op in _INPUTS else "output" if op in _OUTPUTS else usual for op in set(ops)}
    kinds = [by_op[op] for op in ops]
    for node in returned:
        if node >= 0 and kinds[node] == usual:
            kinds[node] = "output"
    if _ENDS in by_op:
        fed = set(edges.target.tolist())
        for node, op in enumerate(ops):
            if op == _ENDS:
                kinds[node] = "output" if node in fed else "input"
    for node in calls:
        kinds[node] = "function"
    return kinds


def _rank(bodies: Sequence[Body], own: int, count: int) -> Ints:
    """Of each node its place in the order in which they are shown."""
    order = list(range(own))
    for body in bodies:
        order += [*body.arguments, *body.nodes]
    rank = np.empty(count, np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    return rank


def _count(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"


# A graph as it is written: what the rules of this room are applied to.


Shape = tuple[int, ...]
"""Of a tensor: -1 is a length that is not known; () is a scalar."""


class Attribute(Protocol):
    """One attribute of a node, in words: a NamedTuple of these, or anything that has them."""

    @property
    def name(self) -> str:
        """As written."""

    @property
    def text(self) -> str:
        """Its value in one line; long ones are cut and say how long they are."""


class Function(Protocol):
    """A function of a graph's library; its nodes are among those of the graph."""

    @property
    def name(self) -> str:
        """What a node has as its op that calls it."""

    @property
    def arguments(self) -> tuple[tuple[str, str], ...]:
        """Name and type of each, such as `("x", "float32")`."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of what it returns."""

    @property
    def returned(self) -> tuple[str, ...]:
        """Where each of `outputs` comes from, written as the inputs of its nodes are; empty where that is not told."""

    @property
    def shapes(self) -> tuple[Shape | None, ...]:
        """Of its arguments, as far as they were written."""

    @property
    def nodes(self) -> range:
        """Rows of its nodes; their names and inputs are as the function has them, without its name before them."""


class Written(Protocol):
    """Columns with one entry for each node in the order of the file: first those of the graph, then of its functions.

    Several graphs that were written as one value are one graph already, with `graph_1/` and so on before their names.
    """

    @property
    def names(self) -> Sequence[str]:
        """May be empty, may occur twice, may be very long."""

    @property
    def ops(self) -> Sequence[str]:
        """Type of each operation (`MatMul`, `aten::linear`) or the class of a layer (`Dense`)."""

    @property
    def devices(self) -> Sequence[str]:
        """Such as `/device:GPU:0`; empty where none is given."""

    @property
    def inputs(self) -> Sequence[Sequence[str]]:
        """As written: `name`, `name:1`, `name:output:0` in functions, `^name` for what is only waited for."""

    @property
    def functions(self) -> Sequence[Function]:
        """The library."""

    @property
    def layers(self) -> bool:
        """True of a model's layers (Keras), False of operations."""

    @property
    def notes(self) -> Sequence[str]:
        """What could not be read, in plain words with counts."""

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Of the outputs of a node, as far as they were written; None is unknown."""

    def parameters(self, node: int) -> int:
        """How many numbers a node holds that are trained, 0 when it holds none or their shape was not written."""

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """All there are, in the order of their names."""
