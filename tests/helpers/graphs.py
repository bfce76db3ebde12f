"""Make parsed graphs with nodes, functions and shapes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tbtui.plugins.graphs.parsed_graph import Parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.parsed_graph import Shape


class Attribute(NamedTuple):
    """As in `Written`."""

    name: str
    text: str


class Function(NamedTuple):
    """As in `Written`."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    outputs: tuple[str, ...]
    returned: tuple[str, ...]
    nodes: range
    shapes: tuple[Shape | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a graph: `Node("a/MatMul", "MatMul", ("x", "a/w"), shapes=((32, 10),))`."""

    name: str
    op: str = "Op"
    inputs: tuple[str, ...] = ()
    device: str = ""
    shapes: tuple[Shape | None, ...] = ()
    parameters: int = 0
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Body:
    """One function of the library: its name, `("x", "float32")` per argument, its results."""

    name: str
    nodes: tuple[Node, ...] = ()
    arguments: tuple[tuple[str, str], ...] = ()
    outputs: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    """Source of each of `outputs`, in the syntax of inputs."""

    shapes: tuple[Shape | None, ...] = ()
    """Shapes of the arguments."""


@dataclass(frozen=True)
class MadeGraph:
    """A `Written` of nodes and functions."""

    nodes: Sequence[Node]
    bodies: Sequence[Body] = ()
    layers: bool = False
    notes: Sequence[str] = ()
    _all: list[Node] = field(init=False, repr=False)
    functions: list[Function] = field(init=False)

    def __post_init__(self) -> None:
        """Append the nodes of the functions to those of the graph."""
        every, functions = list(self.nodes), []
        for body in self.bodies:
            rows = range(len(every), len(every) + len(body.nodes))
            functions.append(Function(body.name, body.arguments, body.outputs, body.returned, rows, body.shapes))
            every += body.nodes
        object.__setattr__(self, "_all", every)
        object.__setattr__(self, "functions", functions)

    @property
    def names(self) -> Sequence[str]:
        """As in `Written`."""
        return [node.name for node in self._all]

    @property
    def ops(self) -> Sequence[str]:
        """As in `Written`."""
        return [node.op for node in self._all]

    @property
    def devices(self) -> Sequence[str]:
        """As in `Written`."""
        return [node.device for node in self._all]

    @property
    def inputs(self) -> Sequence[Sequence[str]]:
        """As in `Written`."""
        return [node.inputs for node in self._all]

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """As in `Written`."""
        return self._all[node].shapes

    losses = ()

    @property
    def all_parameters(self) -> Sequence[Parameter]:
        """A parameter of each node that has some."""
        return [Parameter((row,), node.parameters) for row, node in enumerate(self._all) if node.parameters]

    def parameters(self, node: int) -> int:
        """As in `Written`."""
        return self._all[node].parameters

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """As in `Written`."""
        return self._all[node].attributes


def chain(*names: str, op: str = "Op", shape: Shape | None = (32, 10)) -> MadeGraph:
    """Return nodes of which each has the previous one as its input."""
    return MadeGraph(
        [Node(name, op, (names[index - 1],) if index else (), shapes=(shape,)) for index, name in enumerate(names)]
    )


def two_layers() -> MadeGraph:
    """Return a small network of TensorFlow 1: two scopes, constants, a summary, an initialiser with a control input.

    x -> dense/{MatMul, BiasAdd} -> out/{MatMul, BiasAdd} -> loss; dense and out have 210 and 11 parameters.
    """
    nodes = [Node("x", "Placeholder", shapes=((-1, 20),))]
    before = "x"
    for scope, rows, columns in (("dense", 20, 10), ("out", 10, 1)):
        nodes += [
            Node(f"{scope}/w", "VariableV2", shapes=((rows, columns),), parameters=rows * columns),
            Node(f"{scope}/w/read", "Identity", (f"{scope}/w",), shapes=((rows, columns),)),
            Node(f"{scope}/b", "VariableV2", shapes=((columns,),), parameters=columns),
            Node(f"{scope}/MatMul", "MatMul", (before, f"{scope}/w/read"), shapes=((-1, columns),)),
            Node(f"{scope}/BiasAdd", "BiasAdd", (f"{scope}/MatMul", f"{scope}/b:0"), shapes=((-1, columns),)),
        ]
        before = f"{scope}/BiasAdd"
    return MadeGraph(
        [
            *nodes,
            Node("loss/axis", "Const", shapes=((),)),
            Node("loss", "Mean", (before, "loss/axis"), shapes=((),)),
            Node("loss_1/tags", "Const", shapes=((),)),
            Node("loss_1", "ScalarSummary", ("loss_1/tags", "loss"), shapes=((),)),
            Node("init", "NoOp", ("^dense/w", "^dense/b", "^out/w", "^out/b")),
        ]
    )


def residual_block() -> MadeGraph:
    """Return layers of a Keras model whose input skips two convolutions to an addition."""
    shape = (-1, 32, 32, 16)
    return MadeGraph(
        [
            Node("input", "InputLayer", (), shapes=(shape,)),
            Node("conv_1", "Conv2D", ("input",), shapes=(shape,), parameters=2320),
            Node("relu_1", "ReLU", ("conv_1",), shapes=(shape,)),
            Node("conv_2", "Conv2D", ("relu_1",), shapes=(shape,), parameters=2320),
            Node("add", "Add", ("conv_2", "input"), shapes=(shape,)),
            Node("relu_2", "ReLU", ("add",), shapes=(shape,)),
        ],
        layers=True,
    )


def with_function() -> MadeGraph:
    """Return a call of `square_sum(x, y)` = Identity(Add(Mul(x, x), y)) whose result is doubled."""
    body = Body(
        "square_sum",
        (
            Node("Mul", "Mul", ("x", "x"), shapes=((4,),)),
            Node("Add", "Add", ("Mul:z:0", "y"), shapes=((4,),)),
            Node("result", "Identity", ("Add:z:0",), shapes=((4,),)),
        ),
        (("x", "float32"), ("y", "float32")),
        ("result",),
    )
    return MadeGraph(
        [
            Node("a", "Placeholder", shapes=((4,),)),
            Node("b", "Placeholder", shapes=((4,),)),
            Node("call", "square_sum", ("a", "b"), shapes=((4,),)),
            Node("double", "AddV2", ("call", "call"), shapes=((4,),)),
        ],
        (body,),
    )
